#!/usr/bin/env python3
"""`turnwise extract` of a manifest over a Ray cluster: the output folder is the one a local run leaves.

    python pipelines/ray/extract.py corpus.csv --out OUT --address auto -- --recipe my.toml
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import fcntl
import hashlib
import io
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

import ray
import ray.exceptions

sys.path.append(str(Path(__file__).resolve().parent.parent))
import placing

# Where tasks write, on storage that all nodes share: below the output folder, so that placing is renaming.
TASKS = ".tasks"
# These are the pipeline's own to give.
OWN = ("--out", "--only", "--plan", "--jobs", "-j", "--models", "--memory-limit", "--prune", "--shard", "--retry-failed")
OWN += ("--limit-minutes",)
# What somebody who looked knows better, beside the tables.
CORRECTIONS = "corrections.csv"
SOME_FAILED = 1
# Lines of a task's log that are kept, and tasks that wait for each that can run.
LOG_LINES = 200
WAITING = 2


class Unanswered(Exception):
    """A task's program ended without a word on one of its interviews. Tried again."""


# ---- On the nodes. Sent there by value, so that nodes need `ray` and the program alone. ----


def die_with_parent() -> None:
    """A program whose Ray worker was killed must not go on."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)


def models_on_node(cache: str, key: str, packed) -> str:
    """The models' folder on this node, unpacked there by whichever task is first; the others wait for it."""
    node = ray.get_runtime_context().get_node_id()
    root = Path(cache.replace("{node}", node))
    root.mkdir(parents=True, exist_ok=True, mode=0o700)
    folder = root / f"models-{key}"
    with open(root / ".lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.is_dir():
            making = Path(tempfile.mkdtemp(prefix=".unfinished-", dir=root))
            unpack(ray.get(packed), making)
            with open(root / "fetched.log", "a") as log:
                log.write(f"{key} {os.getpid()}\n")
            os.rename(making, folder)
    return str(folder)


def work(job: dict, packed: list) -> dict:
    """Extracts the interviews of one task into a folder of its own."""
    node = ray.get_runtime_context().get_node_id()
    where = f"{socket.gethostname()}/{node[:8]}"
    models = models_on_node(job["cache"], job["models"], packed[0]) if packed else job["models"]
    private = Path(tempfile.mkdtemp(prefix=f"{node[:8]}-", dir=job["folder"]))
    # As the output folder: who may read the tables is decided by that.
    private.chmod(job["mode"])
    try:
        # Results of stages would go with the private folder.
        command = [job["program"], "extract", job["manifest"], f"--out={private}", "--jobs=1", f"--models={models}"]
        command.append("--no-cache")
        command += [*job["options"], *(f"--only={i}" for i in job["ids"])]
        if job["memory"]:
            command.append(f"--memory-limit={job['memory'] >> 20}M")
        log = []
        with subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            # Recipes may be named relative to where the pipeline was started.
            cwd=job["cwd"] if os.path.isdir(job["cwd"]) else None,
            preexec_fn=die_with_parent,
        ) as process:
            for line in process.stderr:
                # Into the task's log, which the dashboard shows.
                print(line, end="", flush=True)
                log = [*log[1 - LOG_LINES :], line.rstrip()]
        rows = {i for i in job["ids"] if any(private.glob("interviews/" + glob_of(i) + ".*"))}
        silent = [i for i in job["ids"] if i not in rows]
        if process.returncode not in (0, SOME_FAILED) or silent:
            how = f"{Path(job['program']).name} ended with {process.returncode} on {where}"
            raise Unanswered(f"{how}, no row of {', '.join(silent) or 'none'}: " + " | ".join(log[-3:]))
        answer = {"where": where, "log": log, "folder": str(private), "packed": None, "unreachable": []}
        answer["unreachable"] = [i for i, files in zip(job["ids"], job["files"]) if not all(map(is_readable, files))]
        if job["pull"]:
            memory = io.BytesIO()
            with tarfile.open(fileobj=memory, mode="w:") as tar:
                tar.add(private, arcname=".")
            answer["packed"] = memory.getvalue()
        return answer
    finally:
        # On shared storage the folder is the answer.
        if job["pull"] or sys.exc_info()[0]:
            shutil.rmtree(private, ignore_errors=True)


def unpack(packed: bytes, folder: Path) -> None:
    with tarfile.open(fileobj=io.BytesIO(packed), mode="r:") as tar:
        # It is our own: modes are to stay what they are.
        tar.extraction_filter = lambda member, _: member
        tar.extractall(folder)


def glob_of(text: str) -> str:
    return "".join(f"[{c}]" if c in "*?[" else c for c in text)


def is_readable(path: str) -> bool:
    try:
        with open(path, "rb"):
            return True
    except OSError:
        return False


# ---- Where it is started. ----


def main() -> int:
    args, options = arguments()
    program = shutil.which(args.turnwise) or sys.exit(f"error: there is no program {args.turnwise}")
    out = Path(os.path.abspath(args.out))
    if (out / CORRECTIONS).is_file() and not any(o.split("=")[0] == "--corrections" for o in options):
        # Tasks write into folders of their own, where they would not find it.
        options = [*options, f"--corrections={out / CORRECTIONS}"]
    command = [os.path.abspath(program), "extract", os.path.abspath(args.manifest), f"--out={out}"]
    command += [*([f"--models={args.models}"] if args.models else []), *options]
    planned = subprocess.run([*command, "--plan"], stdout=subprocess.PIPE, text=True)
    if planned.returncode:
        return planned.returncode
    plan = json.loads(planned.stdout)
    print(f"{len(plan['left'])} interviews left, {len(plan['done'])} already done", flush=True)
    counts = {"done": 0, "failed": 0, "lost": 0}
    stopped = False
    if plan["left"]:
        with placing.alone(out):
            shutil.rmtree(out / TASKS, ignore_errors=True)
            (out / TASKS).mkdir(mode=0o700)
            (out / TASKS).chmod(out.stat().st_mode & 0o777)
            try:
                stopped = spread(args, options, command, plan, out, counts)
            finally:
                shutil.rmtree(out / TASKS, ignore_errors=True)
    # The joined table: the program's own work, on the folder as a local run would leave it.
    every = [*plan["done"], *(left["interview_id"] for left in plan["left"])]
    there = [i for i in every if placing.is_done(out, i)] or [i for i in every if placing.has_row(out, i)]
    joined = 0
    if there:
        again = [o for o in command if o not in ("--force", "--verify")]
        joined = subprocess.run([*again, "-q", "--jobs=1", f"--only={there[0]}"]).returncode
    left = len(plan["left"]) - sum(counts.values())
    told = f"{counts['done']} done, {len(plan['done'])} already done, {counts['failed']} failed"
    told += f", {counts['lost']} lost with their workers" if counts["lost"] else ""
    told += f", {left} left" if left else ""
    print(f"{'stopped: ' if stopped else ''}{told}; tables in {args.out}")
    if left or counts["lost"]:
        print("the same command goes on with the rest")
    if stopped:
        return 128 + signal.SIGINT
    return SOME_FAILED if counts["failed"] or counts["lost"] or joined else 0


def arguments() -> tuple[argparse.Namespace, list[str]]:
    parser = argparse.ArgumentParser(
        description="turnwise extract over a Ray cluster", epilog="after --: options of turnwise extract"
    )
    parser.add_argument("manifest", help="corpus manifest, at this path on every node")
    parser.add_argument("--out", required=True, help="output folder, at this path on every node but with --pull")
    parser.add_argument("--address", help="of the cluster; `auto` from one of its machines; without: a cluster here")
    parser.add_argument("--turnwise", default="turnwise", help="the program, at this path on every node")
    parser.add_argument("--models", default=os.environ.get("TURNWISE_MODELS"), help="folder of the models")
    parser.add_argument(
        "--models-on-nodes", action="store_true", help="that folder is there on every node: do not send the models"
    )
    parser.add_argument(
        "--cache",
        default=os.path.join(tempfile.gettempdir(), f"turnwise-{os.getuid()}"),
        help="where a node keeps the models it was sent; {node} in it stands for the node's id (default: %(default)s)",
    )
    parser.add_argument("--pull", action="store_true", help="no shared output folder: results come through Ray")
    parser.add_argument("--cpus", type=float, help="of a task; default 2, or 1 where no node has two")
    parser.add_argument("--memory-gb", type=float, default=2.0, help="of a task (default: %(default)s)")
    parser.add_argument("--retries", type=int, default=3, help="where a node or worker dies (default: %(default)s)")
    parser.add_argument(
        "--shard-mb",
        type=float,
        default=20,
        help="interviews of less media than this share a task, up to so much (default: %(default)s; 0: none do)",
    )
    given = sys.argv[1:]
    cut = given.index("--") if "--" in given else len(given)
    args, options = parser.parse_args(given[:cut]), given[cut + 1 :]
    if taken := [o for o in options if o.split("=")[0] in OWN or (o.startswith("-j") and o[2:].isdigit())]:
        parser.error(f"{taken[0]} cannot be given to turnwise here (--prune: by turnwise extract, afterwards)")
    return args, options


def spread(args, options: list[str], command: list[str], plan: dict, out: Path, counts: dict) -> bool:
    """Has all that is left done; True when it was interrupted."""
    ray.init(address=args.address, log_to_driver=False, logging_level="warning")
    largest = max((n["Resources"].get("CPU", 0) for n in ray.nodes() if n["Alive"]), default=0)
    cpus = args.cpus or min(2, largest or 2)
    if largest < cpus:
        print(f"no node has {cpus:g} CPUs yet: tasks wait for one", file=sys.stderr)
    slots = max(1, int(ray.cluster_resources().get("CPU", 0) // cpus))
    memory = int(args.memory_gb * (1 << 30))
    key, packed = send_models(args.models or models_of(command[0]), args.models_on_nodes)
    job = {"program": command[0], "manifest": command[2], "options": options, "pull": args.pull, "memory": memory}
    job |= {"cwd": os.getcwd(), "mode": out.stat().st_mode & 0o777}
    job |= {"folder": None if args.pull else str(out / TASKS), "cache": args.cache, "models": key}
    asked = {"num_cpus": cpus, "memory": memory, "max_retries": args.retries, "retry_exceptions": [Unanswered]}
    remote = ray.remote(**asked)(work)
    queue = shards(plan["left"], args.shard_mb * 1e6, slots)[::-1]
    running: dict = {}
    total, ended = len(plan["left"]), 0
    try:
        while queue or running:
            while queue and len(running) < slots * (1 + WAITING):
                shard = queue.pop()
                ids = [left["interview_id"] for left in shard]
                name = f"extract {ids[0]}" + (f" and {len(ids) - 1} more" if len(ids) > 1 else "")
                own = job | {"ids": ids, "files": [left["files"] for left in shard]}
                running[remote.options(name=name).remote(own, packed)] = ids
            ready, _ = ray.wait(list(running), timeout=1)
            for reference in ready:
                ids = running.pop(reference)
                for interview_id, told in settle(reference, ids, plan["tables"], out, counts):
                    ended += 1
                    print(f"[{ended}/{total}] {interview_id}: {told}", flush=True)
            # Nodes may have come or gone.
            slots = max(1, int(ray.cluster_resources().get("CPU", 0) // cpus))
    except KeyboardInterrupt:
        for reference in running:
            with contextlib.suppress(Exception):
                ray.cancel(reference, force=True)
        return True
    finally:
        ray.shutdown()
    return False


def models_of(program: str) -> str:
    """Where the program itself finds its models."""
    told = subprocess.run([program, "models"], stdout=subprocess.PIPE, text=True).stdout
    return told.splitlines()[0].removeprefix("models in ")


def send_models(folder: str, is_everywhere: bool) -> tuple[str, list]:
    """Puts the models into the object store, once for all nodes, under a key of their content; or gives the folder that
    is there on every node."""
    if is_everywhere:
        return os.path.abspath(folder), []
    memory, digest = io.BytesIO(), hashlib.sha256()
    with tarfile.open(fileobj=memory, mode="w:") as tar:
        for path in sorted(Path(folder).rglob("*")):
            if path.is_file():
                name = str(path.relative_to(folder))
                content = path.read_bytes()
                digest.update(f"{name}\0{len(content)}\0".encode() + content)
                entry = tarfile.TarInfo(name)
                entry.size, entry.mode = len(content), 0o644
                tar.addfile(entry, io.BytesIO(content))
    # In a list: Ray would fetch an argument that is itself a reference for every task.
    return digest.hexdigest()[:16], [ray.put(memory.getvalue())]


def shards(left: list[dict], most: float, slots: int) -> list[list[dict]]:
    """Tasks, the longest first; short interviews share one, though no more than keeps all of the cluster busy."""
    queue: list[list[dict]] = []
    count = max(1, len(left) // (4 * slots))
    size = 0.0
    for one in sorted(left, key=lambda one: (-one["bytes"], one["interview_id"])):
        if queue and most > 0 and len(queue[-1]) < count and size + one["bytes"] <= most:
            queue[-1].append(one)
            size += one["bytes"]
        else:
            queue.append([one])
            size = one["bytes"]
    return queue


def settle(reference, ids: list[str], tables: list[str], out: Path, counts: dict):
    """Places what a task made; gives each interview and what is to be told of it."""
    try:
        answer = ray.get(reference)
    except (ray.exceptions.RayError, Unanswered) as error:
        counts["lost"] += len(ids)
        lines = [line for line in str(error).strip().splitlines() if line.strip()] or [type(error).__name__]
        yield from ((interview_id, f"lost: {lines[-1].strip()}") for interview_id in ids)
        return
    made = Path(answer["folder"])
    if answer["packed"] is not None:
        made = Path(tempfile.mkdtemp(dir=out / TASKS))
        unpack(answer["packed"], made)
    for interview_id in ids:
        if placing.is_done(made, interview_id):
            placing.place(made, out, interview_id, tables)
            counts["done"] += 1
            yield interview_id, f"done on {answer['where']}"
        else:
            reachable = interview_id not in answer["unreachable"]
            placed = placing.place_failure(made, out, interview_id, tables, reachable)
            counts["failed"] += 1
            told = [line.split(f" {interview_id}: ", 1)[1] for line in answer["log"] if f" {interview_id}: " in line]
            why = told[-1] if told else "failed"
            kept = "" if placed else "; its tables of an earlier run were left as they were"
            yield interview_id, f"{why} on {answer['where']}{kept}"
    shutil.rmtree(made, ignore_errors=True)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except placing.Busy as error:
        sys.exit(f"error: {error}")
