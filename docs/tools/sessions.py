"""Runs the blocks of the pages that are marked `run`, in order, and holds what they print against the page.

    ```console,run      commands behind `$ `, each followed by what it prints
    ```python,run       a script; what it prints is the block ```text,output right behind it, if there is one
    ```r,run            the same in R

In the text that a page shows, a line `...` stands for any lines and `[..]` for anything within a line. Commands run with
`pipefail`: show the first lines by `sed -n '1,5p'`, since `head` may end what writes to it. All blocks of a
build work in one folder, in which `data`, `pipelines` and `onnx` are those of the clone.
"""

from __future__ import annotations

import difflib
import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from blocks import Block, blocks
from commands import ROOT

LIMIT_SECS = 1800


def fits(shown: str, printed: str) -> bool:
    """Whether what is printed is what the page shows, its wildcards taken into account."""
    lines = [re.escape(line.rstrip()).replace(re.escape("[..]"), ".*") for line in shown.strip("\n").split("\n")]
    pattern = "".join("(?:.*\n)*?" if line == re.escape("...") else f"{line}\n" for line in lines)
    text = "".join(f"{line.rstrip()}\n" for line in printed.strip("\n").split("\n"))
    return re.fullmatch(pattern, text) is not None


@dataclass
class Stage:
    """Where blocks run: the folder, and the programs by language."""

    folder: Path
    binary: Path
    python: Path
    rscript: str | None

    def prepare(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)
        (self.folder / "bin").mkdir(parents=True)
        (self.folder / "bin/turnwise").symlink_to(self.binary.resolve())
        for name in ("data", "pipelines", "onnx"):
            (self.folder / name).symlink_to(ROOT / name)

    def run(self, language: str, text: str) -> str:
        """What a command or script prints; its failure is an error."""
        call = {"console": ["bash", "-euo", "pipefail", "-c", text], "python": [self.python, "-c", text]}.get(language)
        if language == "r":
            call = [self.rscript, "--vanilla", "-e", text]
        environment = dict(
            os.environ, PATH=f"{self.folder / 'bin'}:{os.environ['PATH']}", MPLBACKEND="svg", COLUMNS="100"
        )
        environment.setdefault("TURNWISE_MODELS", str(ROOT / "onnx/models"))
        environment["PYTHONPATH"] = str(ROOT / "python")
        done = subprocess.run(
            call,
            cwd=self.folder,
            env=environment,
            capture_output=True,
            text=True,
            timeout=LIMIT_SECS,
            stdin=subprocess.DEVNULL,
        )
        if done.returncode:
            raise ValueError(f"it ends with {done.returncode}: {done.stderr.strip() or done.stdout.strip()}")
        return done.stdout


def steps(block: Block) -> list[tuple[str, str]]:
    """A session in steps: a command and the text shown behind it."""
    found: list[tuple[list[str], list[str]]] = []
    for line in block.text.split("\n"):
        if line.startswith("$ "):
            found.append(([line[2:]], []))
        elif found and found[-1][0][-1].endswith("\\") and not found[-1][1]:
            found[-1][0].append(line)
        elif found:
            found[-1][1].append(line)
        elif line.strip():
            raise ValueError(f"{block.place}: the session begins with no command")
    return [("\n".join(command), "\n".join(shown)) for command, shown in found]


def mend(page: Path, edits: list[tuple[int, int, str]]) -> None:
    """Puts texts in the place of lines of a page, the last first so that the others stay where they are."""
    lines = page.read_text().split("\n")
    for first, end, text in sorted(edits, reverse=True):
        lines[first:end] = text.rstrip("\n").split("\n") if text.strip() else []
    page.write_text("\n".join(lines))


def run_page(stage: Stage, page: Path, update: bool) -> tuple[list[str], int]:
    """Runs a page's blocks; gives faults, and how many blocks ran. `update` writes what was printed into the page."""
    found, ran, edits = [], 0, []
    listed = blocks(page.read_text(), page)
    for number, block in enumerate(listed):
        if not block.runs:
            continue
        if block.language == "r" and stage.rscript is None:
            print(f"{block.place}: there is no Rscript: this block of R is not run")
            continue
        ran += 1
        try:
            if block.language == "console":
                printed = [(command, shown, stage.run("console", command)) for command, shown in steps(block)]
                if all(fits(shown, told) for _, shown, told in printed):
                    continue
                whole = "\n".join(f"$ {command}\n{told}".rstrip("\n") for command, _, told in printed)
                shown, told, place = block.text, whole, (block.first, block.end)
            else:
                told = stage.run(block.language, block.text)
                after = listed[number + 1] if number + 1 < len(listed) else None
                if after is None or "output" not in after.words or fits(after.text, told):
                    continue
                shown, place = after.text, (after.first, after.end)
        except ValueError as error:
            found.append(f"{block.place}: {error}")
            continue
        if update:
            edits.append((*place, told))
        else:
            lines = difflib.unified_diff(shown.split("\n"), told.split("\n"), "on the page", "printed", lineterm="")
            found.append(f"{block.place}: another output than the page shows\n" + "\n".join(lines))
    mend(page, edits)
    return found, ran
