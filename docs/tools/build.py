#!/usr/bin/env python3
"""Builds the documentation into target/docs/site: `make docs`.

    python3 docs/tools/build.py                 check the commands, run the examples, make the book, check its links
    python3 docs/tools/build.py --update        write what the examples print into the pages
    python3 docs/tools/build.py --no-run        without running the examples (the figures are then the stored ones)

Needs the program (TURNWISE_BINARY, else target/release/turnwise) and its models. mdBook is taken from the PATH, else
installed by pip into an environment in the cache, as are the libraries of the examples. Standard library only.
"""

from __future__ import annotations

import argparse
import fcntl
import hashlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import commands
import links
import reference
import sessions
from commands import ROOT

DOCS = ROOT / "docs"


def cache() -> Path:
    if named := os.environ.get("TURNWISE_CACHE"):
        return Path(named)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "turnwise"


def environment(files: list[Path], flags: list[str]) -> Path:
    """A virtual environment in the cache that holds what the files name; made once for each content of them."""
    wanted = "".join(path.read_text() for path in files) + sys.version
    home = cache() / f"docs-{hashlib.sha256(wanted.encode()).hexdigest()[:12]}"
    home.parent.mkdir(parents=True, exist_ok=True)
    with open(f"{home}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (home / "complete").is_file():
            print(f"installing {', '.join(path.name for path in files)}", flush=True)
            subprocess.run([sys.executable, "-m", "venv", "--clear", home], check=True)
            pip = [home / "bin/pip", "install", "--quiet", "--only-binary", ":all:", *flags]
            subprocess.run([*pip, *(f"-r{path}" for path in files)], check=True)
            (home / "complete").touch()
    return home


def mdbook() -> str:
    if found := shutil.which("mdbook"):
        return found
    return str(environment([DOCS / "requirements.txt"], ["--require-hashes", "--no-deps"]) / "bin/mdbook")


def source(stage: Path, program: commands.Program) -> list[Path]:
    """The book's source: the written pages and the made ones. Gives the written pages in the order of SUMMARY.md."""
    shutil.rmtree(stage, ignore_errors=True)
    shutil.copytree(DOCS / "src", stage / "src")
    for name in ("book.toml", "wide.css"):
        shutil.copy(DOCS / name, stage)
    pages, listed = reference.made(program)
    for place, text in pages.items():
        (stage / "src" / place).parent.mkdir(parents=True, exist_ok=True)
        (stage / "src" / place).write_text(text)
    summary = (stage / "src/SUMMARY.md").read_text()
    if "<!-- tables -->" not in summary:
        raise SystemExit("docs/src/SUMMARY.md has no line for the tables")
    (stage / "src/SUMMARY.md").write_text(summary.replace("<!-- tables -->", listed))
    named = re.findall(r"\]\((?!reference/)([\w/-]+\.md)\)", summary)
    written = {str(p.relative_to(DOCS / "src")) for p in (DOCS / "src").rglob("*.md")} - {"SUMMARY.md"}
    if forgotten := sorted(written - set(named)):
        raise SystemExit(f"docs/src/SUMMARY.md does not list {', '.join(forgotten)}")
    return [DOCS / "src" / name for name in named]


def run_examples(pages: list[Path], folder: Path, program: commands.Program, update: bool) -> list[str]:
    """Runs README's blocks and the pages'; with `update` their figures are stored too."""
    python = environment([DOCS / "examples.txt"], []) / "bin/python"
    stage = sessions.Stage(folder, program.binary, python, shutil.which("Rscript"))
    stage.prepare()
    found, count = [], 0
    for page in [ROOT / "README.md", *pages]:
        faults, ran = sessions.run_page(stage, page, update)
        found += faults
        count += ran
    print(f"{count} examples were run")
    figures = sorted((folder / "figures").glob("*.svg"))
    if update and figures:
        (DOCS / "src/figures").mkdir(exist_ok=True)
        for figure in figures:
            shutil.copy(figure, DOCS / "src/figures")
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--update", action="store_true", help="write what the examples print into the pages")
    parser.add_argument("--no-run", action="store_true", help="do not run the examples")
    options = parser.parse_args()
    target = Path(os.environ.get("CARGO_TARGET_DIR") or ROOT / "target")
    binary = Path(os.environ.get("TURNWISE_BINARY") or target / "release/turnwise")
    if not binary.is_file():
        raise SystemExit(f"there is no program {binary}: cargo build --release, or name one in TURNWISE_BINARY")
    program = commands.Program(binary)
    faults = [fault for page in commands.pages() for fault in commands.faults(program, page)]
    pages = source(target / "docs/book", program)
    if not options.no_run:
        faults += run_examples(pages, target / "docs/work", program, options.update)
        # The pages shown are those that were held against the program just now.
        pages = source(target / "docs/book", program)
        for figure in (target / "docs/work/figures").glob("*.svg"):
            shutil.copy(figure, target / "docs/book/src/figures")
    for fault in faults:
        print(fault, file=sys.stderr, flush=True)
    site = target / "docs/site"
    shutil.rmtree(site, ignore_errors=True)
    subprocess.run([mdbook(), "build", target / "docs/book", "--dest-dir", site.resolve()], check=True)
    broken, looked, elsewhere = links.check(site.resolve())
    for fault in broken:
        print(fault, file=sys.stderr)
    print(f"{len(list(site.rglob('*.html')))} pages, {looked} links inside the site, {len(broken)} broken")
    print(f"{len(elsewhere)} addresses elsewhere, not asked: {site / 'elsewhere.txt'}")
    (site / "elsewhere.txt").write_text("".join(f"{link}\n" for link in sorted(elsewhere)))
    print(f"open {site / 'index.html'}")
    return 1 if faults or broken else 0


if __name__ == "__main__":
    sys.exit(main())
