"""Places interviews that were extracted into a folder of their own into the output folder that a local run would have
left: the same files, in the same order of writing.

`extract` alone may write into an output folder, so tasks on other machines write into folders of their own, and one
process, which holds the output folder's lock, places what they made. An interview counts as done once its record
(`timings/<id>.json`) is there, which goes last; its row in `interviews/` goes last but one. Killed in between, the next
run does that interview again.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import secrets
import shutil
import stat
from pathlib import Path

LOCK = ".lock"
SUPERSEDED = ".superseded"
ROW, RTTM, RECORD = "interviews", "rttm", "timings"
# What the program calls a file that is not whole yet: its next run takes away those that nobody holds locked.
UNFINISHED = (".turnwise-", ".tmp")
OF_TABLES = (".parquet", ".csv", ".csv-metadata.json", ".arrow")
SUFFIXES = {RTTM: (".rttm",), RECORD: (".json",)}


class Busy(Exception):
    """Another run writes into the folder."""


@contextlib.contextmanager
def alone(out: Path):
    """Holds the lock that `extract` holds while it writes."""
    with open(out / LOCK, "w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Busy(f"another run is writing into {out}: wait for it, or name another folder") from None
        except OSError as error:
            # A file system that knows no locks is no reason to do nothing; `extract` sees it the same way.
            if error.errno not in (errno.ENOTSUP, errno.ENOSYS, errno.ENOLCK):
                raise
        yield


def files(root: Path, table: str, interview_id: str) -> list[Path]:
    """The files of a table of an interview that are there."""
    folder = root / table
    named = [folder / (interview_id + suffix) for suffix in SUFFIXES.get(table, OF_TABLES)]
    return [path for path in named if path.is_file()]


def beside(made: Path, tables: list[str], interview_id: str) -> list[Path]:
    """Files of an interview in folders that are no table's, such as its log."""
    known = {*tables, ROW, RTTM, RECORD}
    folders = [f for f in made.iterdir() if f.is_dir() and not f.name.startswith(".") and f.name not in known]
    # The id may hold slashes, and be the beginning of another's up to a dot.
    places = [folder / interview_id for folder in folders]
    found = [path for place in places if place.parent.is_dir() for path in place.parent.iterdir()]
    name = interview_id.rsplit("/", 1)[-1]
    return [p for p in found if p.is_file() and p.stem == name and p.suffix and not p.name.startswith(".")]


def is_done(root: Path, interview_id: str) -> bool:
    return bool(files(root, RECORD, interview_id))


def has_row(root: Path, interview_id: str) -> bool:
    return bool(files(root, ROW, interview_id))


def place(made: Path, out: Path, interview_id: str, tables: list[str]) -> None:
    """Puts a finished interview of the folder `made` in the place of what `out` holds of it; `tables` are the names of
    all that there can be."""
    others = [*(t for t in tables if t != ROW), RTTM]
    # As the program does: no row and no record may vouch for tables that are being replaced.
    _remove(files(out, RECORD, interview_id) + files(out, ROW, interview_id))
    for table in others:
        new = {path.name for path in files(made, table, interview_id)}
        _remove([path for path in files(out, table, interview_id) if path.name not in new])
    for table in others:
        _move(made, out, table, interview_id)
    _put(made, out, beside(made, tables, interview_id))
    _move(made, out, ROW, interview_id)
    _move(made, out, RECORD, interview_id)
    for table in [*others, ROW, RECORD]:
        _remove(files(out / SUPERSEDED, table, interview_id))
    _tidy(out / SUPERSEDED)


def place_failure(made: Path, out: Path, interview_id: str, tables: list[str], reachable: bool) -> bool:
    """Puts the row of a failed interview into `out`; tables of an earlier run are set aside. Where a file was not
    `reachable` and the interview was done before, everything stays as it is, as nothing says that the file has changed;
    False then."""
    if not reachable and is_done(out, interview_id):
        return False
    every = [*(t for t in tables if t != ROW), RTTM, RECORD]
    earlier = [path for table in every for path in files(out, table, interview_id)]
    rows = files(out, ROW, interview_id)
    if rows and earlier:
        for path in rows + earlier:
            target = out / SUPERSEDED / path.relative_to(out)
            _folder(target.parent, path.parent)
            os.replace(path, target)
    else:
        # Pieces of a run that was ended, or the row of a failure before this one.
        _remove(earlier + rows)
    _put(made, out, beside(made, tables, interview_id))
    _move(made, out, ROW, interview_id)
    return True


def _move(made: Path, out: Path, table: str, interview_id: str) -> None:
    _put(made, out, files(made, table, interview_id))


def _put(made: Path, out: Path, sources: list[Path]) -> None:
    for source in sources:
        target = out / source.relative_to(made)
        _folder(target.parent, source.parent)
        if not _renamed(source, target):
            _copied(source, target)
        _sync(target.parent)


def _renamed(source: Path, target: Path) -> bool:
    try:
        os.replace(source, target)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        return False
    return True


def _copied(source: Path, target: Path) -> None:
    """Whole or not at all."""
    temporary = target.parent / secrets.token_hex(6).join(UNFINISHED)
    try:
        with open(source, "rb") as data, open(temporary, "xb") as copy:
            # So that no run sweeps it away; some file systems know no locks.
            with contextlib.suppress(OSError):
                fcntl.flock(copy, fcntl.LOCK_EX)
            shutil.copyfileobj(data, copy, 1 << 20)
            copy.flush()
            os.fsync(copy.fileno())
            shutil.copystat(source, temporary)
            os.replace(temporary, target)
    finally:
        temporary.unlink(missing_ok=True)


def _folder(folder: Path, like: Path) -> None:
    """Made where it is missing, for those whom its model in the task's folder is for."""
    if not folder.is_dir():
        _folder(folder.parent, like)
        folder.mkdir(exist_ok=True)
        folder.chmod(stat.S_IMODE(like.stat().st_mode))


def _sync(folder: Path) -> None:
    """So that the renames survive a power cut before the record does."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _remove(paths: list[Path]) -> None:
    for path in paths:
        path.unlink(missing_ok=True)


def _tidy(folder: Path) -> None:
    """Removes folders that hold nothing."""
    if folder.is_dir():
        for entry in folder.iterdir():
            if entry.is_dir() and not entry.is_symlink():
                _tidy(entry)
        with contextlib.suppress(OSError):
            folder.rmdir()
