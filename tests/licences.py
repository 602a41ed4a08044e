#!/usr/bin/env python3
"""The licences of the crates: refuses those that are not in licences.toml, and writes THIRD-PARTY-LICENSES.md.

    python3 tests/licences.py             check; exit 1 when a licence is not allowed or the file is old
    python3 tests/licences.py --update    write the file
    python3 tests/licences.py --texts F   write all licence texts of the crates into F, for those who hand binaries on

Reads `cargo metadata --locked --offline`: it asks no registry, and takes a second. Standard library only.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "THIRD-PARTY-LICENSES.md"
NAMES = re.compile(r"(licen[cs]e|copying|notice|unlicense)", re.I)


def allowed_by(expression: str, allowed: set[str]) -> bool:
    """Whether a licence expression (SPDX, or the older `A/B` for OR) can be met by allowed licences."""
    words = re.findall(r"[()]|[^\s()]+", expression.replace("/", " OR "))

    def either() -> bool:
        met = both()
        while words and words[0] == "OR":
            words.pop(0)
            met = both() or met
        return met

    def both() -> bool:
        met = one()
        while words and words[0] == "AND":
            words.pop(0)
            met = one() and met
        return met

    def one() -> bool:
        if not words or words[0] in (")", "AND", "OR", "WITH"):
            raise ValueError(f"no licence expression: {expression}")
        word = words.pop(0)
        if word == "(":
            met = either()
            if not words or words.pop(0) != ")":
                raise ValueError(f"no licence expression: {expression}")
            return met
        if words and words[0] == "WITH":
            words.pop(0)
            word = f"{word} WITH {words.pop(0)}"
        return word in allowed

    met = either()
    if words:
        raise ValueError(f"no licence expression: {expression}")
    return met


def metadata(platform: str) -> dict:
    call = ["cargo", "metadata", "--locked", "--offline", "--format-version", "1", "--filter-platform", platform]
    done = subprocess.run(call, cwd=ROOT, capture_output=True, text=True, timeout=300)
    if done.returncode:
        raise SystemExit(f"{' '.join(call)}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def linked(told: dict) -> list[dict]:
    """The crates that the program is built with, those for tests alone and itself left out; sorted."""
    nodes = {node["id"]: node for node in told["resolve"]["nodes"]}
    root = told["resolve"]["root"]
    reached, left = {root}, [root]
    while left:
        for dependency in nodes[left.pop()]["deps"]:
            kinds = {kind["kind"] for kind in dependency["dep_kinds"]}
            if kinds - {"dev"} and dependency["pkg"] not in reached:
                reached.add(dependency["pkg"])
                left.append(dependency["pkg"])
    crates = [crate for crate in told["packages"] if crate["id"] in reached - {root}]
    return sorted(crates, key=lambda crate: (crate["name"], crate["version"]))


def texts(crate: dict) -> list[Path]:
    """The files of a crate that hold its licences."""
    folder = Path(crate["manifest_path"]).parent
    return sorted(
        path for path in folder.iterdir() if path.is_file() and NAMES.search(path.name) and path.suffix != ".rs"
    )


def name_read(crates: list[dict], read: list[dict]) -> None:
    """Gives crates with a file in place of an expression the licence that a person read in it, while it is that file."""
    for crate in crates:
        file = crate["license_file"]
        known = next((entry for entry in read if entry["crate"] == crate["name"]), None)
        if crate["license"] or not file or not known:
            continue
        data = (Path(crate["manifest_path"]).parent / file).read_bytes()
        if hashlib.sha256(data).hexdigest() == known["sha256"]:
            crate["license"] = known["licence"]


def models(registry: dict) -> list[str]:
    lines = ["| model | licence | from |", "|---|---|---|"]
    entries = [{"name": "ONNX Runtime", **registry["runtime"]}, *registry["model"]]
    return lines + [f"| {entry['name']} | {entry['licence']} | {entry['origin']} |" for entry in entries]


def page(crates: list[dict]) -> str:
    lines = ["# Licences of others", ""]
    lines += [
        "Made by `python3 tests/licences.py --update`; do not edit. Turnwise itself is under the MIT licence.",
        "",
    ]
    lines += ["## Crates", ""]
    lines += [
        f"The {len(crates)} that the program is built with. `python3 tests/licences.py --texts FILE` writes their texts.",
        "",
    ]
    lines += ["| crate | version | licence | repository |", "|---|---|---|---|"]
    for crate in crates:
        lines.append(f"| {crate['name']} | {crate['version']} | {crate['license']} | {crate['repository'] or ''} |")
    lines += ["", "## Libraries", ""]
    lines += [
        "FFmpeg's libraries are those of the system, linked dynamically: LGPL-2.1-or-later, or GPL-2.0-or-later as most"
    ]
    lines += [
        "distributions build them. C sources inside crates (mimalloc: MIT; zstd: BSD-3-Clause; LZ4: BSD-2-Clause) are"
    ]
    lines += [
        "compiled in.",
        "",
        "## Models",
        "",
        "None is in the repository; they are fetched by package name. From `onnx/models.toml`:",
        "",
    ]
    lines += models(tomllib.loads((ROOT / "onnx/models.toml").read_text()))
    return "\n".join(lines) + "\n"


def all_texts(crates: list[dict]) -> str:
    """Every licence text once, with the crates that carry it."""
    users: dict[str, list[str]] = {}
    for crate in crates:
        for path in texts(crate):
            text = path.read_text(encoding="utf-8", errors="replace").replace("\r\n", "\n").strip()
            users.setdefault(text, []).append(f"{crate['name']} {crate['version']}")
    return "\n\n".join(f"{'=' * 80}\n{', '.join(sorted(set(names)))}\n\n{text}" for text, names in users.items()) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--update", action="store_true", help="write THIRD-PARTY-LICENSES.md")
    parser.add_argument("--texts", type=Path, help="write all licence texts into this file")
    options = parser.parse_args()
    rules = tomllib.loads((ROOT / "tests/licences.toml").read_text())
    told = metadata(rules["platform"])
    # What tests use is held to the same list.
    every = [crate for crate in told["packages"] if crate["source"]]
    # A crate with a file of its own in place of an expression has to be looked at by a person.
    name_read(told["packages"], rules.get("read", []))
    wrong = [c for c in every if not c["license"] or not allowed_by(c["license"], set(rules["allowed"]))]
    for crate in wrong:
        print(f"{crate['name']} {crate['version']}: licence {crate['license']} is not allowed", file=sys.stderr)
    crates = linked(told)
    if options.texts:
        options.texts.write_text(all_texts(crates))
    if options.update:
        PAGE.write_text(page(crates))
    elif not PAGE.is_file() or PAGE.read_text() != page(crates):
        print(f"{PAGE.name} is old: python3 tests/licences.py --update", file=sys.stderr)
        return 1
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
