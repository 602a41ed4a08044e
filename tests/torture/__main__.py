"""Torture of the built program: kills, damaged files, failing disks, hostile headers and playlists.

Every case is seeded. Unsound cases are kept with their input; the exit code is 1 when there is one.
"""

import environment

environment.enter()

import argparse
import functools
import math
import random
import sys
import tempfile
import time
from pathlib import Path

import campaign
import disk
import headers
import kills
import playlists
from corpus import Corpus
from program import Program
from tally import Tally

# What half an hour asks for.
FULL_MINUTES, KILLS, MEDIA, TRANSCRIPTS, MANIFESTS = 30, 50, 1000, 10_000, 100
LEAST_KILLS, LEAST_MEDIA, LEAST_TRANSCRIPTS, LEAST_MANIFESTS = 2, 20, 250, 3


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="torture", description=__doc__.splitlines()[0])
    root = environment.ROOT
    parser.add_argument("--binary", type=Path, default=root / "target/release/turnwise", help="the program")
    parser.add_argument("--models", type=Path, default=root / "onnx/models", help="its models")
    parser.add_argument(
        "--talk", type=Path, default=root / "data/sample/media/ted_talk.mp4", help="the sample corpus' video"
    )
    parser.add_argument("--minutes", type=float, default=FULL_MINUTES, help="least time; counts grow with it")
    parser.add_argument("--seed", default=str(random.randrange(10**6)), help="seed of all chance")
    parser.add_argument("--part", action="append", help="only this part; may be repeated")
    parser.add_argument("--keep", type=Path, default=root / "out/torture", help="folder for unsound cases")
    parser.add_argument("--jobs", type=int, default=2, help="interviews at the same time")
    parser.add_argument("--worker-mib", type=float, default=2048, help="most memory that a process may hold")
    return parser.parse_args()


def main() -> int:
    args = options()
    begun = time.monotonic()
    share = args.minutes / FULL_MINUTES
    count = lambda full, least: max(least, math.ceil(full * share))
    keep = (args.keep / args.seed).resolve()
    print(f"torture: seed {args.seed}, {args.minutes:g} minutes, unsound cases go to {keep}", flush=True)
    tallies = []
    with tempfile.TemporaryDirectory(prefix="turnwise-torture-") as work:
        program = Program(args.binary.resolve(), args.models.resolve(), Path(work), args.jobs, args.worker_mib)

        def tally(name: str) -> Tally | None:
            """The part's tally, when the part is asked for."""
            if args.part and name not in args.part:
                return None
            tallies.append(Tally(name, keep))
            return tallies[-1]

        def told() -> None:
            print(f"{tallies[-1].line()}, {time.monotonic() - begun:.0f} s", flush=True)

        corpus = functools.cache(lambda: Corpus(program, args.talk))
        heavy = args.minutes >= 5
        if part := tally("playlists"):
            playlists.run(program, part)
            told()
        if part := tally("headers"):
            headers.run(program, part, args.talk, heavy)
            told()
        if part := tally("disk"):
            disk.run(corpus(), part, args.seed, heavy)
            told()
        if part := tally("kills"):
            kills.run(corpus(), part, args.seed, count(KILLS, LEAST_KILLS))
            told()
        if part := tally("manifests"):
            campaign.manifests(program, part, args.seed, count(MANIFESTS, LEAST_MANIFESTS))
            told()
        goals = []
        if part := tally("media"):
            goals.append((campaign.Media(program, part, args.seed, args.talk), count(MEDIA, LEAST_MEDIA)))
        if part := tally("transcripts"):
            goals.append(
                (campaign.Transcripts(program, part, args.seed, args.talk), count(TRANSCRIPTS, LEAST_TRANSCRIPTS))
            )
        # In turns, the one that is further behind first, until all are made and the time is over.
        while goals:
            late = time.monotonic() - begun > args.minutes * 60
            open_goals = [(c, goal) for c, goal in goals if c.made < goal] or ([] if late else goals)
            if not open_goals:
                break
            behind, goal = min(open_goals, key=lambda g: g[0].made / g[1])
            behind.next(goal - behind.made if behind.made < goal else behind.batch)
    for part in tallies:
        print(part.line())
    passed, failed = sum(t.passed for t in tallies), sum(t.failed for t in tallies)
    kept = f", unsound cases in {keep}" if failed else ""
    print(f"seed {args.seed}, {time.monotonic() - begun:.0f} s, largest process {program.peak_mib:.0f} MiB{kept}")
    print(f"torture: {passed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
