"""Disks that fill up, cannot be written, or vanish: told, and resumed to the same bytes once all is well."""

import os
import resource
import shutil
import signal
import subprocess
import time
from contextlib import contextmanager
from pathlib import Path
from random import Random

from corpus import LIMIT_SECS, Corpus
from program import Program, Room
from tally import Tally

NOBODY = 65534
# Root writes anywhere; without these it is stopped as anybody.
NO_OVERRIDE = ("setpriv", "--bounding-set=-dac_override,-dac_read_search", "--inh-caps=-dac_override,-dac_read_search")
# What a run says whose output folder is no more.
GONE = "the folder is no longer there"
WORDS = ("No space", "space left", "Read-only", "read-only", "Permission denied", "cannot", "File too large")


def run(corpus: Corpus, tally: Tally, seed: str, heavy: bool) -> None:
    rng, mounts = Random(f"{seed}/disk"), can_mount(corpus.program)
    if not mounts:
        print("disk: no mounts without root; a full disk is played by a limit on the size of files", flush=True)
    for n in range(6 if heavy else 1):
        share = rng.uniform(0.02, 1.0)
        told = f"seed {seed}, a disk of {share:.3f} of the {corpus.bytes} bytes"
        tally.case(f"full {n}", full_mounted(corpus, share) if mounts else full_limited(corpus, share), [], told)
    tally.case("read-only", read_only(corpus, mounts))
    tally.case("of another user", of_another_user(corpus))
    for n in range(9 if heavy else 1):
        rows, how = rng.randrange(len(corpus.rows) - 1), (removed, replaced_by_file, moved_away)[n % 3]
        tally.case(f"{how.__name__} {n}", vanishing(corpus, how, rows), [], f"seed {seed}, after {rows} rows")
    if mounts:
        tally.case("temporary folder full", temporary_full(corpus))
    tally.case("temporary folder missing", temporary_missing(corpus))


def can_mount(program: Program) -> bool:
    if os.geteuid():
        return False
    folder = program.work / "mount"
    folder.mkdir()
    with small_disk(folder, 1 << 16) as done:
        return done


@contextmanager
def small_disk(folder: Path, size: int):
    """A tmpfs of `size` bytes; gives whether it could be mounted."""
    done = (
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", folder], capture_output=True).returncode
        == 0
    )
    try:
        yield done
    finally:
        if done:
            subprocess.run(["umount", "-l", folder], check=True)


def stopped(corpus: Corpus, room: Room, may_succeed: bool = False, **how) -> list[str]:
    """A run that cannot write: it ends by itself, says why, and claims nothing that is not there."""
    ended, faults = corpus.program.run(room, corpus.extract(room), LIMIT_SECS, **how)
    if ended.code == 0 and not may_succeed:
        faults.append("exit code 0 though nothing could be written")
    if ended.code and not any(word in ended.err for word in WORDS):
        faults.append(f"the cause is not told: {ended.err[-300:]!r}")
    # What lies about is looked at when the run is resumed.
    return [f for f in faults if not f.startswith("left behind: out")] + corpus.honest(room, ended.code)


def full_mounted(corpus: Corpus, share: float) -> list[str]:
    room = corpus.room()
    room.out.mkdir()
    with small_disk(room.out, max(int(corpus.bytes * share), 1)):
        faults = stopped(corpus, room, may_succeed=True)
        subprocess.run(["mount", "-o", "remount,size=256M", room.out], check=True)
        faults += corpus.resume(room)
    room.leave()
    return faults


def full_limited(corpus: Corpus, share: float) -> list[str]:
    """Without root: no file may grow beyond a limit, which fails as a full disk does in the middle of a write."""

    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (int(100_000 * share),) * 2)

    room = corpus.room()
    faults = stopped(corpus, room, may_succeed=True, prepare=limit) + corpus.resume(room)
    room.leave()
    return faults


def read_only(corpus: Corpus, mounts: bool) -> list[str]:
    room = corpus.room()
    room.out.mkdir()
    if not mounts:
        room.out.chmod(0o555)
        faults = stopped(corpus, room)
        room.out.chmod(0o755)
        faults += corpus.resume(room)
    else:
        with small_disk(room.out, 256 << 20):
            subprocess.run(["mount", "-o", "remount,ro", room.out], check=True)
            faults = stopped(corpus, room)
            subprocess.run(["mount", "-o", "remount,rw", room.out], check=True)
            faults += corpus.resume(room)
    room.leave()
    return faults


def of_another_user(corpus: Corpus) -> list[str]:
    """A folder that others own and only they may write."""
    room = corpus.room()
    room.out.mkdir()
    if os.geteuid():
        real, room.out = room.out, Path("/usr/lib")
        ended, faults = corpus.program.run(room, corpus.extract(room), LIMIT_SECS)
        room.out = real
        faults = [f for f in faults if not f.startswith("left behind")] + (
            [] if ended.code == 2 else [f"exit code {ended.code}"]
        )
    else:
        os.chown(room.out, NOBODY, NOBODY)
        room.out.chmod(0o755)
        faults = stopped(corpus, room, prefix=NO_OVERRIDE)
        os.chown(room.out, 0, 0)
    faults += corpus.resume(room)
    room.leave()
    return faults


def removed(out: Path) -> None:
    """At once: of tables deleted one by one beside a run that ends meanwhile, nobody can tell which are whole."""
    gone = out.with_name("gone")
    out.rename(gone)
    shutil.rmtree(gone)


def replaced_by_file(out: Path) -> None:
    removed(out)
    try:
        out.write_text("a file where the folder was")
    except OSError:
        # The run made the folder again in between: it is removed only.
        pass


def moved_away(out: Path) -> None:
    out.rename(out.with_name("elsewhere"))


def vanishing(corpus: Corpus, how, rows: int) -> list[str]:
    """The output folder goes while the run writes into it, once `rows` interviews are written: the clock would tell
    nothing of how far it is on a busy machine."""
    room = corpus.room()
    running = corpus.program.start(room, corpus.extract(room))
    there = lambda: room.out.is_dir() and len(list(room.out.glob("interviews/**/*.parquet"))) >= rows
    while not there() and running.process.pid in running.alive():
        time.sleep(0.02)
    over = not room.out.is_dir() or running.process.pid not in running.alive()
    if not over:
        how(room.out)
    ended = running.end(LIMIT_SECS)
    faults = ended.faults(corpus.program.worker_mib) + running.survivors()
    if over and rows > 1:
        # A busy machine may not look in time: once more, and earlier.
        room.leave()
        return vanishing(corpus, how, rows // 2)
    faults += [f"the run was over before {rows} rows were written"] if over else []
    # Rows may stay of tables that were deleted behind the program's back; then it must have said that the folder is
    # gone.
    if not (ended.code and GONE in ended.err):
        faults += corpus.honest(room, ended.code)
    if room.out.is_file():
        room.out.unlink()
    faults += corpus.resume(room)
    room.leave()
    return faults


def temporary_full(corpus: Corpus) -> list[str]:
    """`extract` and `diarize` with no room for temporary files: done without, or told."""
    room = corpus.room()
    with small_disk(room.tmp, 4096):
        (room.tmp / "filler").write_bytes(b"")
        with (room.tmp / "filler").open("wb") as filler:
            try:
                filler.write(bytes(1 << 20))
            except OSError:
                pass
        faults = stopped(corpus, room, may_succeed=True)
        ended, more = corpus.program.run(
            room, ["diarize", room.into / "s16.wav", "--rttm", room.path / "found.rttm"], LIMIT_SECS
        )
        faults += more if ended.code == 0 or any(w in ended.err for w in WORDS) else [*more, f"not told: {ended.err!r}"]
        faults = [f for f in faults if "filler" not in f]
    faults += corpus.resume(room)
    room.leave()
    return faults


def temporary_missing(corpus: Corpus) -> list[str]:
    room = corpus.room()
    faults = stopped(corpus, room, may_succeed=True, tmp=room.path / "nowhere") + corpus.resume(room)
    room.leave()
    return faults
