"""The program that this package carries, and how an extraction is run from Python."""

from __future__ import annotations

import csv
import html
import json
import os
import shutil
import signal
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol

#: A folder or file, as text or path.
Place = str | os.PathLike[str]
Event = Mapping[str, Any]

_NAME = "turnwise.exe" if os.name == "nt" else "turnwise"


def program() -> Path:
    """The program: `TURNWISE_BINARY`, else the one that was installed with this package, else the one on the path."""
    if named := os.environ.get("TURNWISE_BINARY"):
        return Path(named)
    schemes = [None, sysconfig.get_preferred_scheme("user")]
    folders = [sysconfig.get_path("scripts", scheme) if scheme else sysconfig.get_path("scripts") for scheme in schemes]
    # An environment that was not activated is still the one that this Python is of.
    folders.append(str(Path(sys.executable).parent))
    for folder in folders:
        path = Path(folder, _NAME)
        if path.is_file():
            return path
    if found := shutil.which(_NAME):
        return Path(found)
    raise FileNotFoundError("there is no program turnwise beside this Python, nor on the path; pip install turnwise")


@dataclass
class Run:
    """What became of an extraction."""

    #: Where the tables are.
    out: Path
    #: 0: all done; 1: some interview failed; 2: the request was wrong.
    code: int = 0
    #: Interviews that were done now.
    done: list[str] = field(default_factory=list)
    #: Interviews that had been done before, from the same inputs, recipe and models.
    skipped: list[str] = field(default_factory=list)
    #: Why an interview failed, by its name.
    failed: dict[str, str] = field(default_factory=dict)
    #: Codes of the warnings of interviews that were done now, by their name; interviews without any are not in it.
    warnings: dict[str, list[str]] = field(default_factory=dict)
    #: What else the program told, in its order.
    told: list[str] = field(default_factory=list)


class ExtractionFailed(RuntimeError):
    """The program refused the request, or an interview failed; `run` says which, and what is done."""

    def __init__(self, run: Run) -> None:
        self.run = run
        lines = [f"{name}: {why}" for name, why in run.failed.items()] or run.told[-5:] or ["no word of why"]
        super().__init__("\n".join([f"turnwise extract ended with {run.code}", *lines]))


def extract(
    source: Place,
    out: Place,
    *,
    transcript: Place | None = None,
    jobs: int | None = None,
    recipe: Place | None = None,
    set: Mapping[str, object] | None = None,
    models: Place | None = None,
    options: Sequence[str] = (),
    progress: bool | Literal["auto"] = "auto",
    on_event: Callable[[Event], None] | None = None,
    check: bool = True,
) -> Run:
    """Extracts one recording, or the corpus of a manifest (`.csv`), into the folder `out`.

    `set` changes single keys of the recipe (``{"face.rate_hz": 5}``); `options` are further options of
    ``turnwise extract``, as they are written there. `progress` draws a line in a notebook or on a terminal; `on_event`
    is called with each event, as ``turnwise extract --log-json`` writes it. What was done before is not done again.

    Raises :class:`ExtractionFailed` where the request is wrong or an interview failed; with ``check=False`` the outcome
    is returned instead. Interrupting the cell ends the run; what is done is kept.
    """
    command = [str(program()), "extract", os.fspath(source), "--out", os.fspath(out), "--log-json"]
    for name, value in (("--transcript", transcript), ("--jobs", jobs), ("--recipe", recipe), ("--models", models)):
        if value is not None:
            command.append(f"{name}={os.fspath(value) if isinstance(value, os.PathLike) else value}")
    command += [f"--set={key}={_toml(value)}" for key, value in (set or {}).items()]
    command += options
    run = Run(out=Path(out))
    display = _display(progress, _count(Path(source)))
    with subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
    ) as process:
        assert process.stderr is not None
        try:
            for line in process.stderr:
                event = _event(line)
                _note(run, event)
                display.show(run, event)
                if on_event:
                    on_event(event)
        except BaseException:
            process.send_signal(signal.SIGINT)
            process.stderr.read()
            process.wait()
            display.end(run, "interrupted")
            raise
        run.code = process.wait()
    display.end(run, "failed" if run.code else "done")
    if check and run.code:
        raise ExtractionFailed(run)
    return run


def _toml(value: object) -> str:
    """A value as a recipe has it; JSON's texts, numbers and lists are TOML's too."""
    if isinstance(value, bool | int | float | list | tuple):
        return json.dumps(value)
    return os.fspath(value) if isinstance(value, os.PathLike) else str(value)


def _count(source: Path) -> int | None:
    """How many interviews there are to do, where that can be told."""
    if source.suffix.lower() != ".csv":
        return 1
    try:
        with source.open(encoding="utf-8-sig", newline="") as stream:
            return max(sum(any(cell.strip() for cell in row) for row in csv.reader(stream)) - 1, 0)
    except (OSError, UnicodeDecodeError, csv.Error):
        return None


def _event(line: str) -> dict[str, Any]:
    """A line of the program's; one that is no JSON (of the system's loader, say) is told as it is."""
    try:
        event = json.loads(line)
    except json.JSONDecodeError:
        event = None
    return event if isinstance(event, dict) else {"event": "log", "text": line.rstrip()}


def _note(run: Run, event: Event) -> None:
    name = event.get("interview_id", "")
    match event.get("event"):
        case "done":
            run.done.append(name)
            if codes := event.get("warnings"):
                run.warnings[name] = list(codes)
        case "skipped":
            run.skipped.append(name)
        case "failed":
            run.failed[name] = str(event.get("error", ""))
        case "log" | "told":
            run.told.append(": ".join(part for part in (name, str(event.get("text", ""))) if part))


class _Display(Protocol):
    def show(self, run: Run, event: Event) -> None: ...
    def end(self, run: Run, word: str) -> None: ...


class _Nothing:
    def show(self, run: Run, event: Event) -> None:
        pass

    def end(self, run: Run, word: str) -> None:
        pass


class _Lines:
    """The state of a run in words, and the steps that interviews are at."""

    def __init__(self, total: int | None) -> None:
        self.total = total
        self.steps: dict[str, str] = {}

    def text(self, run: Run, word: str = "") -> str:
        ended = len(run.done) + len(run.skipped) + len(run.failed)
        counts = [f"{ended}/{self.total} interviews" if self.total is not None else f"{ended} interviews"]
        counts += [f"{len(run.skipped)} done before"] if run.skipped else []
        counts += [f"{len(run.failed)} failed"] if run.failed else []
        now = [f"{name}: {step}" for name, step in list(self.steps.items())[:4]]
        return " · ".join([*counts, *([word] if word else now)])

    def note(self, event: Event) -> bool:
        """Takes an event in; false where nothing of it is shown."""
        name = str(event.get("interview_id", ""))
        match event.get("event"):
            case "begun":
                self.steps[name] = "begun"
            case "step":
                self.steps[name] = str(event.get("step", ""))
            case "done" | "failed" | "skipped":
                self.steps.pop(name, None)
            case _:
                return False
        return True


class _Terminal(_Lines):
    def show(self, run: Run, event: Event) -> None:
        if self.note(event):
            self.write(self.text(run), "")

    def end(self, run: Run, word: str) -> None:
        self.write(self.text(run, word), "\n")

    @staticmethod
    def write(text: str, end: str) -> None:
        width = shutil.get_terminal_size().columns - 1
        print(f"\r\x1b[K{text[:width]}", end=end, file=sys.stderr, flush=True)


class _Notebook(_Lines):
    def __init__(self, total: int | None) -> None:
        import IPython.display

        super().__init__(total)
        self.shown: Any = IPython.display
        self.handle = self.shown.display(self.page("starting", 0), display_id=True)

    def page(self, text: str, ended: int) -> Any:
        most = f' max="{self.total}" value="{ended}"' if self.total is not None else ""
        return self.shown.HTML(f'<progress{most} aria-label="interviews"></progress> <span>{html.escape(text)}</span>')

    def show(self, run: Run, event: Event) -> None:
        if self.note(event):
            self.update(self.text(run), run)

    def end(self, run: Run, word: str) -> None:
        self.update(self.text(run, word), run)

    def update(self, text: str, run: Run) -> None:
        if self.handle is not None:
            self.handle.update(self.page(text, len(run.done) + len(run.skipped) + len(run.failed)))


def _display(progress: bool | Literal["auto"], total: int | None) -> _Display:
    if progress is False:
        return _Nothing()
    if _in_notebook():
        return _Notebook(total)
    return _Terminal(total) if progress is True or sys.stderr.isatty() else _Nothing()


def _in_notebook() -> bool:
    """True where a kernel shows what is displayed."""
    if "IPython" not in sys.modules:
        return False
    from IPython import get_ipython

    shell = get_ipython()
    return shell is not None and shell.__class__.__name__ == "ZMQInteractiveShell"
