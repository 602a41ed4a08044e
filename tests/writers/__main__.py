"""Extracts a made transcript, exports it for ELAN and Praat, and has pympi and praatio open the files: the same tiers,
the same times, the same texts; and ELAN's elements in the order of its schema.

    python tests/writers --binary target/release/turnwise
"""

import argparse
import csv
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from pathlib import Path

import environment

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--binary", type=Path, required=True, help="the program")
arguments = parser.parse_args()

environment.enter()

import pympi
from praatio import textgrid

# Two people, one in other letters, quotes and entities, a turn over another of the same person, one without length.
TURNS = [
    (0.5, 2.25, "Mara Vol", 'He said "no" & <i>left</i>'),
    (2.5, 4.0, "马拉", '1 < 2, "it": &amp; is kept'),
    (4.0, 7.125, "Mara Vol", "Remember: you asked for it"),
    (4.5, 5.0, "Mara Vol", "Jonas: he was there"),
    (8.0, 8.0, "Jonas", "yes"),
    (9.0, 9.7504, "Jonas", "and then we went"),
]
TIERS = {
    "Mara Vol - text": [0, 2],
    "Mara Vol - text [2]": [3],
    "马拉 - text": [1],
    "Jonas - text": [4, 5],
}
ORDER = ["HEADER", "TIME_ORDER", "TIER", "LINGUISTIC_TYPE", "CONSTRAINT"]
failures = []


def check(holds, what):
    """Notes what does not hold."""
    if not holds:
        failures.append(what)


def same(found, wanted, resolution, what):
    """The spans of a tier are the wanted ones, to the format's resolution; a turn without length lasts a millisecond."""
    check(len(found) == len(wanted), f"{what}: {len(found)} of {len(wanted)} spans")
    for (start, end, text), (from_, to, said) in zip(found, wanted):
        near = abs(start - from_) <= resolution and abs(end - to) <= 0.001 + resolution
        check(near and text == said, f"{what}: {(start, end, text)} for {(from_, to, said)}")


def run(*words, cwd):
    """Runs the program."""
    subprocess.run([arguments.binary.resolve(), *words], cwd=cwd, check=True, capture_output=True)


def elan(path):
    """What pympi reads of a file: spans by tier."""
    children = [child.tag for child in ET.parse(path).getroot()]
    places = [ORDER.index(tag) for tag in children]
    check(places == sorted(places), f"ELAN's elements are in another order: {children}")
    document = pympi.Eaf(str(path))
    check("Mara Vol" == document.get_parameters_for_tier("Mara Vol - text")["PARTICIPANT"], "no PARTICIPANT")
    for name, rows in TIERS.items():
        check(name in document.get_tier_names(), f"ELAN has no tier {name}: {sorted(document.get_tier_names())}")
        found = [(a / 1000, b / 1000, text) for a, b, text, *_ in sorted(document.get_annotation_data_for_tier(name))]
        same(found, [(TURNS[i][0], TURNS[i][1], TURNS[i][3]) for i in rows], 0.001, f"ELAN, {name}")
        for (_, end, _), (start, _, _) in zip(found, found[1:]):
            check(end <= start, f"ELAN, {name}: spans overlap")


def praat(path):
    """What praatio reads of a file: spans by tier, and whether they tile it."""
    grid = textgrid.openTextgrid(str(path), includeEmptyIntervals=True, reportingMode="error")
    for name, rows in TIERS.items():
        check(name in grid.tierNames, f"Praat has no tier {name}: {grid.tierNames}")
        tier = grid.getTier(name)
        found = [tuple(entry) for entry in tier.entries if entry.label]
        same(found, [(TURNS[i][0], TURNS[i][1], TURNS[i][3]) for i in rows], 1e-9, f"Praat, {name}")
        reached = 0.0
        for start, end, _ in tier.entries:
            check(start == reached and end > start, f"Praat, {name}: no tiling at {start}")
            reached = end
        check(reached == grid.maxTimestamp, f"Praat, {name} ends at {reached}")


with tempfile.TemporaryDirectory() as folder:
    home = Path(folder)
    with open(home / "a.csv", "w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["start", "end", "speaker", "text"])
        rows.writerows(TURNS)
    (home / "corpus.csv").write_text("interview_id,media,transcript\na,,a.csv\n")
    run("extract", "corpus.csv", "--out", "out", "--jobs", "1", cwd=home)
    for name in ("eaf", "textgrid"):
        run("export", "transcript", "out", "--format", name, "--to", "seen", cwd=home)
    elan(home / "seen" / "a.eaf")
    praat(home / "seen" / "a.TextGrid")
for failure in failures:
    print(f"writers: {failure}", file=sys.stderr)
print(f"writers: {len(TURNS)} turns in {len(TIERS)} tiers, opened by pympi and praatio, {len(failures)} failed")
sys.exit(1 if failures else 0)
