#!/usr/bin/env python3
"""Joins the shards of an array into the output folder that a local run leaves.

    python3 pipelines/slurm/join.py MANIFEST OUT [options of turnwise extract]

The shards' own folders stay (their files are links where the file system has them), so that an array that is sent again
goes on with the rest; `rm -r OUT/.shards` once all is done.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import placing

SHARDS = ".shards"
SOME_LEFT = 1


def main() -> int:
    if len(sys.argv) < 3:
        sys.exit("usage: join.py MANIFEST OUT [options of turnwise extract]")
    manifest, out, *options = sys.argv[1:]
    command = [os.environ.get("TURNWISE", "turnwise"), "extract", manifest, f"--out={out}", *options]
    out = Path(out)
    planned = subprocess.run([*command, "--plan"], stdout=subprocess.PIPE, text=True)
    if planned.returncode:
        return planned.returncode
    plan = json.loads(planned.stdout)
    # The last that wrote goes before where there are several: an array of another number of shards came after it.
    shards = sorted((out / SHARDS).glob("*-of-*"), key=lambda folder: folder.stat().st_mtime_ns, reverse=True)
    done, failed, left = len(plan["done"]), 0, 0
    with placing.alone(out):
        for one in plan["left"]:
            interview_id = one["interview_id"]
            rows = [folder for folder in shards if placing.has_row(folder, interview_id)]
            made = next((folder for folder in rows if placing.is_done(folder, interview_id)), None)
            if made:
                placing.place(made, out, interview_id, plan["tables"], keep=True)
                done += 1
            elif rows:
                reachable = all(os.access(path, os.R_OK) for path in one["files"])
                placing.place_failure(rows[0], out, interview_id, plan["tables"], reachable, keep=True)
                failed += 1
            else:
                left += 1
    # The joined table: the program's own work.
    every = [*plan["done"], *(one["interview_id"] for one in plan["left"])]
    there = [i for i in every if placing.is_done(out, i)] or [i for i in every if placing.has_row(out, i)]
    joined = 0
    if there:
        again = [option for option in command if option not in ("--force", "--verify")]
        joined = subprocess.run([*again, "-q", "--jobs=1", f"--only={there[0]}"]).returncode
    print(f"{done} done, {failed} failed, {left} not reached; tables in {out}")
    return SOME_LEFT if failed or left or joined else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except placing.Busy as error:
        sys.exit(f"error: {error}")
