"""Runs ended from outside at random moments, then resumed: the same bytes, nothing lying about, no process left."""

import os
import signal
import time
from random import Random

from corpus import LIMIT_SECS, Corpus
from program import Room, Running
from tally import Tally

WAYS = ("SIGKILL to the run", "SIGKILL to a worker", "SIGTERM to the run", "SIGINT to all its processes")
# By itself, by the signal, or by a handler that says so as shells do.
CODES = (0, 1, 2, *(code for s in (signal.SIGKILL, signal.SIGTERM, signal.SIGINT) for code in (-s, 128 + s)))


def run(corpus: Corpus, tally: Tally, seed: str, count: int) -> None:
    for n in range(count):
        rng, way = Random(f"{seed}/kills/{n}"), WAYS[n % len(WAYS)]
        after = rng.uniform(0, corpus.secs)
        room, faults, reached = interrupted(corpus, way, after, rng)
        while not reached:
            # The run was over before; it is no kill.
            room.leave()
            after *= 0.7
            room, faults, reached = interrupted(corpus, way, after, rng)
        told = f"{way} after {after:.3f} s"
        if rng.random() < 0.25:
            # Now and then the resumed run is ended too, if it is reached.
            again = rng.uniform(0, corpus.secs)
            faults += interrupted(corpus, way, again, rng, room)[1]
            told += f", then after {again:.3f} s"
        faults += corpus.resume(room)
        tally.note(way)
        tally.case(f"kill {n}", faults, [], f"seed {seed}, {told}")
        room.leave()


def interrupted(
    corpus: Corpus, way: str, after: float, rng: Random, room: Room | None = None
) -> tuple[Room, list[str], bool]:
    """A run that is ended from outside, what was wrong with its end, and whether it was still there."""
    room = room or corpus.room()
    running = corpus.program.start(room, corpus.extract(room))
    time.sleep(after)
    while "worker" in way and running.process.pid in (alive := running.alive()) and len(alive) == 1:
        time.sleep(0.01)
    reached = kill(running, way, rng)
    ended = running.end(LIMIT_SECS)
    faults = ended.faults(corpus.program.worker_mib, CODES) + running.survivors() + corpus.honest(room, ended.code)
    return room, faults, reached


def kill(running: Running, way: str, rng: Random) -> bool:
    """True when there was something to kill."""
    parent, pids = running.process.pid, running.alive()
    workers = [p for p in pids if p != parent]
    sent = getattr(signal, way.split()[0])
    targets = (
        workers and [rng.choice(workers)]
        if "worker" in way
        else pids
        if "all" in way
        else [p for p in pids if p == parent]
    )
    for pid in targets:
        try:
            os.kill(pid, sent)
        except ProcessLookupError:
            pass
    return bool(targets)
