"""Cases made by hand: all run as one corpus, and alone when something is wrong."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import judge
from program import Program, Room
from tally import Tally

STALL_SECS, LIMIT_SECS, ALONE_SECS = 30, 300, 100


@dataclass
class Case:
    """`make` writes the input and gives the manifest's cells. `verdict` is what must come of it: `any` sound
    end, `told` (refused, or done with a warning), `refused`."""

    name: str
    make: Callable[[Room], dict]
    verdict: str = "any"


def run(
    program: Program,
    tally: Tally,
    cases: list[Case],
    options: tuple = (),
    after: Callable[[Room], list[str]] = lambda room: [],
) -> None:
    """Judges all cases; `after` looks at the room when a run is over."""
    faults, own = attempt(program, cases, options, after, LIMIT_SECS)
    for case in cases:
        told, files = own.get(case.name, []), []
        if (faults or told) and len(cases) > 1:
            # Alone it shows whether the fault of the whole run is its own.
            alone, told = attempt(program, [case], options, after, ALONE_SECS)
            told = alone + told[case.name]
        if told:
            room = program.room()
            case.make(room)
            files = [p for p in room.into.iterdir()]
        tally.case(case.name, told, files, f"must be {case.verdict}")


def attempt(
    program: Program, cases: list[Case], options: tuple, after, limit: float
) -> tuple[list[str], dict[str, list[str]]]:
    """Faults of the run, and those of each case."""
    room = program.room()
    cells = {case.name: case.make(room) for case in cases}
    empty = {"media": "", "transcript": "", "audio": "", "rttm": ""}
    manifest = room.manifest([{"interview_id": name} | empty | mine for name, mine in cells.items()])
    args = program.extract(room, manifest, *options, stall_secs=STALL_SECS)
    ended, faults = program.run(room, args, limit)
    faults += after(room) + ([f"exit code 2: {ended.err[-300:]!r}"] if ended.code == 2 else [])
    found, own = judge.rows(room.out), {}
    for case in cases:
        names = [Path(cell).name for cell in cells[case.name].values()]
        own[case.name] = judge.interview(case.name, names, found, room.out)
        row = found.get(case.name, [{"status": "without a row"}])[0]
        if row["status"] == "done" and (case.verdict == "refused" or case.verdict == "told" and not losses(row)):
            own[case.name].append(
                f"done, {row['duration_secs']} s, {row['turns']} turns, with {row['warnings']}; must be {case.verdict}"
            )
    room.leave()
    return faults, own


def losses(row: dict) -> list[str]:
    """Warnings but those that any file of one stream, or of few voices, has."""
    return [w for w in row["warnings"] or [] if not w.startswith(("no_stream", "speaker_match"))]
