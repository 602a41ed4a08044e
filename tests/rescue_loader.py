#!/usr/bin/env python3
"""Reads RESCUE-bench samples as the benchmark does, written from the description of its format alone: what an evaluator would show of each
row in each evidence mode.

    python3 tests/rescue_loader.py DATA
    python3 tests/rescue_loader.py --bench BENCH

DATA is a folder of JSON samples or one JSONL file; prints {sample id: {row index: {mode: evidence}}}. BENCH is the folder that the
benchmark's scripts run in: every JSON file below BENCH/data is a sample; prints {sample id: {"rows": n, "clips": {row index: seconds}}},
and fails for a file that is no sample or a clip that is not there.
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
            rows[place] = {mode: evidence(row, mode) for mode in MODES}
        read[identity] = rows
    json.dump(read, sys.stdout)


def bench(root):
    """What the scripts find: nothing below the data root is passed over."""
    data, found = root / "data", {}
    for path in sorted(p for p in data.rglob("*") if p.is_file()):
        assert path.suffix == ".json", f"{path} is no sample"
        identity = path.relative_to(data).as_posix().removesuffix(".json")
        sample = json.loads(path.read_text(encoding="utf-8"))
        assert isinstance(sample["rows"], list), f"{path} is no sample"
        clips = {}
        manifest = root / "manual_review_system" / "review_assets" / identity / "manifest.json"
        if manifest.is_file():
            for row in json.loads(manifest.read_text(encoding="utf-8"))["rows"]:
                assert (root / row["clip_path"]).stat().st_size > 0, row["clip_path"]
                assert 1 <= row["index"] <= len(sample["rows"])
                clips[row["index"]] = row["duration_sec"]
        found[identity] = {"rows": len(sample["rows"]), "clips": clips}
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    bench(Path(sys.argv[2])) if sys.argv[1] == "--bench" else main(Path(sys.argv[1]))
