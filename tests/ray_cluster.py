"""Real Ray clusters of several node processes on this machine, for `test_ray.py` and for measuring; run by a Python
that has `ray`.

    python tests/ray_cluster.py kill PROGRAM MANIFEST OUT         three nodes that work, one killed in the middle of a task
    python tests/ray_cluster.py throughput PROGRAM MANIFEST OUT   one node of one CPU, then two, on a core each

What was seen is printed as JSON on the last line.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

# A cluster of one test, on this machine alone.
os.environ["RAY_AUTH_MODE"] = "disabled"
os.environ["RAY_USAGE_STATS_ENABLED"] = "0"

from ray.cluster_utils import Cluster

PIPELINE = Path(__file__).resolve().parent.parent / "pipelines/ray/extract.py"
# A machine under load takes long to start a node; the run is over in half a minute otherwise.
PATIENCE_SECS = 300
# What is to come within seconds has come by then, or does not come.
ORPHAN_SECS = 60
NODE = {"num_cpus": 1, "object_store_memory": 300 << 20, "memory": 3 << 30}
# It only keeps the books: whichever node has a task can then be killed.
HEAD = {**NODE, "num_cpus": 0}


def free_port() -> int:
    """The usual one may be another cluster's."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def driver(cluster: Cluster, program: str, manifest: str, out: str, *more: str) -> subprocess.Popen:
    cache = str(Path(out).absolute().parent / "nodes/{node}")
    command = [sys.executable, PIPELINE, manifest, "--out", out, "--turnwise", program, "--cache", cache]
    command += ["--address", cluster.address, "--cpus=1", "--shard-mb=0", *more]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def running(tasks: Path) -> dict[str, tuple[int, str]]:
    """Process and interview of each program that is at work, by the name of its folder."""
    found = {}
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            words = (entry / "cmdline").read_bytes().decode(errors="replace").split("\0")
        except OSError:
            continue
        out = next((w.split("=", 1)[1] for w in words if w.startswith(f"--out={tasks}/")), None)
        only = next((w.split("=", 1)[1] for w in words if w.startswith("--only=")), None)
        if out and only and (Path(out) / ".lock").exists():
            found[Path(out).name] = (int(entry.name), only)
    return found


def kill(program: str, manifest: str, out: str) -> dict:
    begun = time.monotonic()
    head = {**HEAD, "include_dashboard": True, "dashboard_port": free_port()}
    cluster = Cluster(initialize_head=True, head_node_args=head)
    others = [cluster.add_node(wait=False, **NODE) for _ in range(3)]
    cluster.wait_for_nodes(PATIENCE_SECS)
    by_id = {node.node_id[:8]: node for node in others}
    seen: dict = {"start_secs": time.monotonic() - begun}
    process = driver(cluster, program, manifest, out)
    try:
        deadline = time.monotonic() + PATIENCE_SECS
        tasks = Path(out).absolute() / ".tasks"
        while "killed" not in seen and process.poll() is None and time.monotonic() < deadline:
            for folder, (pid, interview) in running(tasks).items():
                if (node := by_id.get(folder.split("-")[0])) and is_held(pid):
                    cluster.remove_node(node, allow_graceful=False)
                    seen |= {"killed": folder.split("-")[0], "interview": interview, "folder": folder, "pid": pid}
                    break
            time.sleep(0.02)
        lines = process.communicate(timeout=PATIENCE_SECS)[0].splitlines()
        seen |= {"lines": lines, "code": process.returncode, "orphan": remains(seen.get("pid", 0))}
        seen["names"] = names(cluster, sum(line.startswith("[") for line in lines))
        logs = (Path(out).absolute().parent / "nodes").glob("*/fetched.log")
        seen["fetched"] = {log.parent.name[:8]: len(log.read_text().splitlines()) for log in logs}
    finally:
        process.kill()
        cluster.shutdown()
    return seen


def state(pid: int) -> str:
    """The letter that Linux has for what a process does; empty when there is none."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return ""


def is_held(pid: int) -> bool:
    """Stops a program where it is. A node's workers outlive its raylet by a moment, in which the task could end and its
    answer reach the driver: then nothing would have been killed in the middle of it."""
    try:
        os.kill(pid, signal.SIGSTOP)
    except ProcessLookupError:
        return False
    deadline = time.monotonic() + PATIENCE_SECS
    while (now := state(pid)) not in ("T", "Z", "") and time.monotonic() < deadline:
        time.sleep(0.005)
    return now == "T"


def remains(pid: int) -> bool:
    """Whether a program that is stopped, and so cannot end by itself, is not killed with its node's worker."""
    deadline = time.monotonic() + ORPHAN_SECS
    while (alive := state(pid) not in ("", "Z")) and time.monotonic() < deadline:
        time.sleep(0.1)
    if alive:
        os.kill(pid, signal.SIGKILL)
    return alive


def names(cluster: Cluster, count: int) -> list[str]:
    """Of that many tasks or more, as the dashboard shows them; it hears of each within some seconds."""
    from ray.util.state import list_tasks

    address = f"http://{cluster.head_node.webui_url}"
    found: list[str] = []
    deadline = time.monotonic() + ORPHAN_SECS
    while len(found) < count and time.monotonic() < deadline:
        found = sorted({task.name for task in list_tasks(address=address, limit=1000)})
        time.sleep(0.5)
    return found


def throughput(program: str, manifest: str, out: str) -> dict:
    """Seconds from the first task's begin to the last one's end, with one node and with two. Each node's processes are
    held on a core of their own, as a machine of one core would hold them."""
    cores = sorted(os.sched_getaffinity(0))
    if len(cores) < 2:
        sys.exit("error: two cores are needed")
    seen = {}
    for count in (1, 2):
        shutil.rmtree(out, ignore_errors=True)
        cluster = Cluster(initialize_head=True, head_node_args={**HEAD, "include_dashboard": False})
        for core in cores[:count]:
            os.sched_setaffinity(0, {core})
            cluster.add_node(**NODE)
        os.sched_setaffinity(0, set(cores))
        process = driver(cluster, program, manifest, out, "--models-on-nodes")
        first = last = 0.0
        tasks = Path(out).absolute() / ".tasks"
        while process.poll() is None and not first:
            if any(tasks.glob("*-*")):
                first = time.monotonic()
            time.sleep(0.01)
        done = 0
        for line in process.stdout:
            print(line, end="", flush=True)
            if ": done on " in line:
                done, last = done + 1, time.monotonic()
        process.wait()
        cluster.shutdown()
        seen[str(count)] = {"secs": round(last - first, 2), "done": done, "code": process.returncode}
    return seen | {"times": round(seen["1"]["secs"] / max(seen["2"]["secs"], 1e-9), 2)}


if __name__ == "__main__":
    what, *given = sys.argv[1:]
    print(json.dumps({"kill": kill, "throughput": throughput}[what](*given)))
