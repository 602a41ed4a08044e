#!/usr/bin/env python3
"""Reads RESCUE-bench samples as the benchmark does, written from the description of its format alone: what an evaluator would show of each
row in each evidence mode.

    python3 tests/rescue_loader.py DATA

DATA is a folder of JSON samples or one JSONL file; prints {sample id: {row index: {mode: evidence}}}.
"""

import json
import sys
from pathlib import Path

VISUAL = ("body_posture", "facial_expressions", "self_directed_behavior", "interaction_behavior")
MODES = {"dialogue": (), "audio": ("tone_of_voice",), "visual": VISUAL, "audiovisual": ("tone_of_voice", *VISUAL)}
NEEDED = {
    "background_dialogue": ("speaker", "target", "content"),
    "body_posture": ("person", "description"),
    "facial_expressions": ("person", "description"),
    "self_directed_behavior": ("person", "description"),
    "interaction_behavior": ("initiator", "target", "description"),
}


def trim(value):
    return value.strip() if isinstance(value, str) else ""


def names(value):
    return [n for n in map(trim, value if isinstance(value, list) else [value]) if n]


def clean(row, field):
    """Whole items only; plain strings and half-empty ones are dropped."""
    items = row.get(field)
    kept = []
    for item in items if isinstance(items, list) else []:
        if not isinstance(item, dict):
            continue
        whole = {k: names(item.get(k)) if k == "target" else trim(item.get(k)) for k in NEEDED[field]}
        if all(whole.values()):
            kept.append(whole)
    return kept


def evidence(row, mode):
    shown = {
        "speaker": trim(row.get("primary_speaker")),
        "target": names(row.get("target")),
        "text": trim(row.get("dialogue_cleaned")),
        "background_dialogue": clean(row, "background_dialogue"),
    }
    for field in MODES[mode]:
        shown[field] = trim(row.get(field)) if field == "tone_of_voice" else clean(row, field)
    return {k: v for k, v in shown.items() if v}


def samples(data):
    if data.is_file():
        for line in data.read_text(encoding="utf-8").splitlines():
            if line.strip():
                sample = json.loads(line)
                yield trim(sample["sample_id"]), sample
        return
    for path in sorted(data.rglob("*.json")):
        if path.name != "manifest.json":
            yield path.relative_to(data).as_posix().removesuffix(".json"), json.loads(path.read_text(encoding="utf-8"))


def main(data):
    read = {}
    for identity, sample in samples(data):
        rows = {}
        for place, row in enumerate(sample["rows"], 1):
            rows[row.get("row_index") or place] = {mode: evidence(row, mode) for mode in MODES}
        read[identity] = rows
    json.dump(read, sys.stdout)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
