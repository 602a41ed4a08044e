"""What "sound" means for an interview: one true row, tables that can be read, nothing lost in silence."""

import re
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from program import CONTROL

TABLES = ("turns", "turn_faces", "dyads", "synchrony", "coupling", "speech", "speakers", "voice", "faces", "tracks")
DIED = re.compile(r"signal|exit status|without progress|panic")
# Codes of warnings that do not tell of anything lost.
OTHER_WARNINGS = ("clipped", "variable_frame_rate", "stream_chosen", "speaker_match", "transcript_offset", "no_face")
LOSS_SECS = 0.5
LONGER_SECS = 60.0


def rows(out: Path, parts: bool = False) -> dict[str, list[dict]]:
    """The rows of `interviews.parquet` by interview, or those that each interview left; empty without the file."""
    files, found = sorted((out / "interviews").rglob("[!.]*.parquet")) if parts else [out / "interviews.parquet"], {}
    for row in (row for file in files if file.is_file() for row in pq.read_table(file).to_pylist()):
        found.setdefault(row["interview_id"], []).append(row)
    return found


def interview(name: str, files: list[str], found: dict[str, list[dict]], out: Path) -> list[str]:
    """Faults of one interview of a manifest: of its row, and of its tables where it is done."""
    mine = found.get(name, [])
    if len(mine) != 1:
        return [f"{len(mine)} rows in interviews.parquet"]
    row = mine[0]
    if row["status"] == "failed":
        faults = [f"the worker died: {row['error']}"] if DIED.search(row["error"] or "") else []
        if not any(file in (row["error"] or "") for file in files):
            faults.append(f"the error names none of {files}: {row['error']!r}")
        return faults + texts("interviews", [row["error"] or ""])
    if row["status"] != "done":
        return [f"status {row['status']!r}"]
    faults = texts("interviews", row["warnings"] or [])
    for table in (*TABLES, "words"):
        path = out / table / f"{name}.parquet"
        if not path.is_file():
            faults += [] if table == "words" else [f"no table {table}"]
            continue
        try:
            faults += whole(table, pq.read_table(path), row)
        except (pa.ArrowException, OSError) as error:
            faults.append(f"table {table} cannot be read: {error}")
    if not (out / "rttm" / f"{name}.rttm").is_file():
        faults.append("no RTTM")
    return faults


def whole(table: str, data: pa.Table, row: dict) -> list[str]:
    """Faults of a table that can be read: no numbers, control characters, times that run backwards."""
    faults = []
    if table == "turns" and data.num_rows != row["turns"]:
        faults.append(f"{data.num_rows} turns, {row['turns']} in the interview's row")
    for column, values in zip(data.column_names, data.columns):
        if (
            pa.types.is_floating(values.type)
            and values.null_count < len(values)
            and not pc.all(pc.is_finite(values)).as_py()
        ):
            faults.append(f"NaN or infinite in {table}.{column}")
        if (
            pa.types.is_string(values.type)
            or pa.types.is_large_string(values.type)
            or str(values.type) == "string_view"
        ):
            faults += texts(f"{table}.{column}", [v for v in set(values.to_pylist()) if v])
    if {"start_secs", "end_secs"} <= set(data.column_names) and data.num_rows:
        if (
            pc.any(pc.less(data["end_secs"], data["start_secs"])).as_py()
            or pc.any(pc.less(data["start_secs"], 0)).as_py()
        ):
            faults.append(f"{table} has times that run backwards or begin before 0")
    return faults


def texts(where: str, values: list[str]) -> list[str]:
    """Control characters but newline and tab."""
    return [f"a control character in {where}: {v[:80]!r}" for v in values if CONTROL.search(v)][:1]


def news(row: dict, original: dict) -> list[str]:
    """Warnings that the original has not and that can tell of a loss."""
    known = set(original["warnings"] or [])
    return [w for w in row["warnings"] or [] if w not in known and not w.startswith(OTHER_WARNINGS)]


def media_loss(row: dict, original: dict) -> list[str]:
    """Sound or picture lost without a word, by what the program itself says it decoded."""
    if row["status"] != "done" or news(row, original):
        return []
    faults = []
    for column in ("audio_decoded_secs", "video_decoded_secs"):
        had, has = original[column] or 0.0, row[column] or 0.0
        if had - has > LOSS_SECS:
            faults.append(f"silent loss: {column} {has:.2f} of {had:.2f}, warnings {row['warnings']}")
    frames, rate = (
        (original["video_frames_decoded"] or 0) - (row["video_frames_decoded"] or 0),
        original["video_rate_hz"],
    )
    if rate and frames / rate > LOSS_SECS and not faults:
        faults.append(f"silent loss: {frames} of {original['video_frames_decoded']} frames, warnings {row['warnings']}")
    if (row["duration_secs"] or 0) > (original["duration_secs"] or 0) + LONGER_SECS:
        faults.append(f"{row['duration_secs']} s from {original['duration_secs']} s, warnings {row['warnings']}")
    return faults


def turns(out: Path, name: str) -> list[tuple]:
    """Start, end, speaker and text of every turn."""
    path = out / "turns" / f"{name}.parquet"
    columns = ["start_secs", "end_secs", "speaker", "text"]
    return (
        [tuple(t[c] for c in columns) for t in pq.read_table(path, columns=columns).to_pylist()]
        if path.is_file()
        else []
    )


def begins_as_one_of(turn: tuple, had: list[tuple]) -> bool:
    """The same times, and the beginning of the same line: the text, or the label before it."""

    def line(of: tuple) -> str:
        return f"{of[2]}: {of[3]}" if of[2] else of[3]

    return any(turn[:2] == whole[:2] and line(whole).startswith(line(turn)) for whole in had)


def transcript_loss(row: dict, original: dict, has: list[tuple], had: list[tuple], between_cues: bool) -> list[str]:
    """Turns lost or changed by cutting the file short, without a word; `between_cues` a cut may leave no trace.

    With three turns or fewer nothing shows how the text of a line format ends: there a last turn that begins as the
    original's did is no fault."""
    if row["status"] != "done" or news(row, original):
        return []
    changed = [t for t in has if t not in had]
    if changed and len(has) <= 3 and changed == has[-1:] and begins_as_one_of(changed[0], had):
        return []
    if changed:
        return [f"silent change: {changed[-1]} is none of the original's turns, warnings {row['warnings']}"]
    if len(has) < len(had) and not between_cues:
        return [f"silent loss: {len(has)} of {len(had)} turns, warnings {row['warnings']}"]
    return []
