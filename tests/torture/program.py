"""The program under test: runs in rooms of their own, watched for time, memory, words and what they leave behind."""

import hashlib
import os
import re
import shutil
import signal
import subprocess
import time
import uuid
from dataclasses import dataclass
from pathlib import Path

TOKEN = "TURNWISE_TORTURE"
# Beyond this a run is ended at once, for the machine's sake.
GUARD_MIB = 4096
LOOK_SECS = 0.1
END_SECS = 5.0
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
PANIC = re.compile(r"panicked at|RUST_BACKTRACE|stack overflow|memory allocation of")


# What runs keep for the next one, hidden; and what they keep beside the results, which tells of the run itself.
KEPT = (".lock", "timings/.joined.json")
BESIDE = ("timings/", "runs/", "logs/", ".stages/")


class Room:
    """A folder for one run: what goes in, what comes out, and a home and a temporary folder that must stay empty."""

    def __init__(self, path: Path):
        self.path = path
        self.into, self.out, self.home, self.tmp = (path / name for name in ("in", "out", "home", "tmp"))
        for folder in (self.into, self.home, self.tmp):
            folder.mkdir(parents=True)

    def write(self, name: str, content: bytes | str) -> Path:
        path = self.into / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    def manifest(self, rows: list[dict]) -> Path:
        """A manifest of these rows: columns to cells, the same in each; paths relative to `in`."""
        lines = [",".join(row.values()) for row in rows]
        return self.write("corpus.csv", "\n".join([",".join(rows[0]), *lines]) + "\n")

    def strays(self) -> list[str]:
        """What lies about that is no result."""
        found = [
            f"left behind: {p.relative_to(self.path)}" for folder in (self.home, self.tmp) for p in folder.rglob("*")
        ]
        for path in self.out.rglob("*") if self.out.is_dir() else []:
            name = path.relative_to(self.out).as_posix()
            # Results of stages are kept in a hidden folder; what is unfinished there is left behind as well.
            parts = name.removeprefix(".stages").split("/")
            if name not in KEPT and any(part.startswith(".") or part.endswith(".tmp") for part in parts):
                found.append(f"left behind: out/{name}")
        return found

    def results(self) -> dict[str, str]:
        """Hashes of all results by their names; what tells of the run itself is none."""
        files = (p for p in self.out.rglob("*") if p.is_file()) if self.out.is_dir() else ()
        named = ((p.relative_to(self.out).as_posix(), p) for p in files)
        return {
            n: hashlib.sha256(p.read_bytes()).hexdigest()
            for n, p in named
            if n not in KEPT and not n.startswith(BESIDE)
        }

    def leave(self) -> None:
        shutil.rmtree(self.path, ignore_errors=True)


@dataclass
class Ended:
    """How a run ended; `code` is negative after a signal, `peak_mib` that of its largest process."""

    code: int
    out: str
    err: str
    secs: float
    cpu_secs: float
    peak_mib: float
    why_ended: str = ""

    def faults(self, worker_mib: float, codes=(0, 1, 2)) -> list[str]:
        """What no run may do, whatever it is given."""
        found = [self.why_ended] if self.why_ended else []
        if self.code not in codes and not self.why_ended:
            found.append(f"exit code {self.code}: {self.err[-300:]!r}")
        if self.peak_mib > worker_mib:
            found.append(f"a process held {self.peak_mib:.0f} MiB, over {worker_mib:.0f}")
        for name, text in (("standard output", self.out), ("standard error", self.err)):
            for what, pattern in (("a panic", PANIC), ("a control character", CONTROL)):
                if hit := pattern.search(text):
                    found.append(f"{what} on {name}: {text[max(0, hit.start() - 120) : hit.end() + 120]!r}")
        return found


class Running:
    """A run that goes on."""

    def __init__(self, process: subprocess.Popen, token: str, log: Path):
        self.process, self.token, self.log, self.begun = process, token, log, time.monotonic()

    def alive(self) -> list[int]:
        """All processes of the run: they carry its token in their environment."""
        mark, found = f"{TOKEN}={self.token}".encode(), []
        for entry in os.listdir("/proc"):
            if entry.isdigit():
                try:
                    ours = mark in Path(f"/proc/{entry}/environ").read_bytes()
                    zombie = Path(f"/proc/{entry}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
                except (OSError, IndexError):
                    continue
                if ours and not zombie:
                    found.append(int(entry))
        return found

    def kill(self) -> None:
        for pid in self.alive():
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass

    def end(self, limit_secs: float) -> Ended:
        """Waits; what is still there after `limit_secs` is ended."""
        why, peak = "", 0.0
        while True:
            pid, status, usage = os.wait4(self.process.pid, os.WNOHANG)
            if pid:
                break
            peak = max([peak, *map(held_mib, self.alive())])
            if not why and time.monotonic() - self.begun > limit_secs:
                why = f"not ended after {limit_secs:.0f} s"
            elif not why and peak > GUARD_MIB:
                why = f"ended at {peak:.0f} MiB"
            if why:
                self.kill()
            time.sleep(LOOK_SECS)
        self.process.returncode = os.waitstatus_to_exitcode(status)
        secs = time.monotonic() - self.begun
        out, err = (self.log.with_suffix(s).read_text(errors="replace") for s in (".out", ".err"))
        # The kernel counts all descendants that were waited for into `usage`; but a new process begins with the peak of
        # the one that made it, which is ours.
        if usage.ru_maxrss / 1024 > held_mib(os.getpid()):
            peak = max(peak, usage.ru_maxrss / 1024)
        return Ended(self.process.returncode, out, err, secs, usage.ru_utime + usage.ru_stime, peak, why)

    def survivors(self) -> list[str]:
        """Processes that are there long after the end; they are ended now."""
        until = time.monotonic() + END_SECS
        while (left := self.alive()) and time.monotonic() < until:
            time.sleep(LOOK_SECS)
        self.kill()
        return [f"process {pid} survived the run" for pid in left]


def held_mib(pid: int) -> float:
    """The most memory that a process ever held; 0 when it is gone."""
    try:
        text = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0.0
    hit = re.search(r"VmHWM:\s+(\d+) kB", text)
    return int(hit[1]) / 1024 if hit else 0.0


class Program:
    """The binary with its models, and the folder in which its rooms are made."""

    def __init__(self, binary: Path, models: Path, work: Path, jobs: int, worker_mib: float):
        self.binary, self.models, self.work, self.jobs, self.worker_mib = binary, models, work, jobs, worker_mib
        self.rooms, self.peak_mib = 0, 0.0

    def room(self) -> Room:
        self.rooms += 1
        return Room(self.work / f"room{self.rooms}")

    def start(self, room: Room, args: list, prefix: tuple = (), prepare=None, tmp: Path | None = None) -> Running:
        """Starts `binary args` in the room's home; `prefix` goes before, `prepare` runs in the child."""
        token = uuid.uuid4().hex
        log = room.path / token
        clean = {k: v for k, v in os.environ.items() if not k.startswith(("TURNWISE", "RUST_LOG"))}
        env = clean | {TOKEN: token, "TMPDIR": str(tmp or room.tmp), "HOME": str(room.home)}
        command = [*prefix, self.binary, *args, "--models", self.models]
        with log.with_suffix(".out").open("wb") as out, log.with_suffix(".err").open("wb") as err:
            process = subprocess.Popen(
                command,
                cwd=room.home,
                env=env,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                start_new_session=True,
                preexec_fn=prepare,
            )
        return Running(process, token, log)

    def extract(self, room: Room, manifest: Path, *options: str, stall_secs: int = 60) -> list:
        return [
            "extract",
            manifest,
            "--out",
            room.out,
            "--jobs",
            str(self.jobs),
            "--stall-secs",
            str(stall_secs),
            *options,
        ]

    def run(self, room: Room, args: list, limit_secs: float, **how) -> tuple[Ended, list[str]]:
        """A whole run, and what was wrong with it as a run."""
        before = {p: p.lstat().st_mtime_ns for p in room.into.iterdir()}
        running = self.start(room, args, **how)
        ended = running.end(limit_secs)
        self.peak_mib = max(self.peak_mib, ended.peak_mib)
        faults = ended.faults(self.worker_mib) + running.survivors() + room.strays()
        if before != {p: p.lstat().st_mtime_ns for p in room.into.iterdir()}:
            faults.append("the inputs' folder was changed")
        return ended, faults
