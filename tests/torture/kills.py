"""Runs ended from outside at random moments, then resumed: the same bytes, nothing lying about, no process left."""

import os
import signal
import time
from pathlib import Path
from random import Random

from corpus import LIMIT_SECS, Corpus
from program import Program, Running
from tally import Tally

WAYS = ("SIGKILL to the run", "SIGKILL to a worker", "SIGTERM to the run", "SIGINT to all its processes")


def run(program: Program, tally: Tally, seed: str, talk: Path, count: int) -> None:
    corpus = Corpus(program, talk)
    for n in range(count):
        rng = Random(f"{seed}/kills/{n}")
        room, faults, told = corpus.room(), [], []
        # Now and then the resumed run is ended too.
        for _ in range(rng.choice([1, 1, 1, 2])):
            way, after = WAYS[n % len(WAYS)], rng.uniform(0, corpus.secs)
            told.append(f"{way} after {after:.3f} s")
            running = program.start(room, corpus.extract(room))
            time.sleep(after)
            reached = kill(running, way, rng)
            ended = running.end(LIMIT_SECS)
            codes = (0, 1, 2, -signal.SIGKILL, -signal.SIGTERM, -signal.SIGINT, 128 + signal.SIGTERM, 128 + signal.SIGINT)
            faults += ended.faults(program.worker_mib, codes) + running.survivors()
            tally.note("reached the run" if reached else "came too late")
            faults += corpus.honest(room, ended.code)
        faults += corpus.resume(room)
        tally.case(f"kill {n}", faults, [], f"seed {seed}, {'; '.join(told)}")
        room.leave()


def kill(running: Running, way: str, rng: Random) -> bool:
    """True when there was something to kill."""
    parent, pids = running.process.pid, running.alive()
    workers = [p for p in pids if p != parent]
    sent = getattr(signal, way.split()[0])
    targets = workers and [rng.choice(workers)] if "worker" in way else pids if "all" in way else [p for p in pids if p == parent]
    for pid in targets:
        try:
            os.kill(pid, sent)
        except ProcessLookupError:
            pass
    return bool(targets)
