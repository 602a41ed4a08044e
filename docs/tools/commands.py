"""Checks that what pages say of the command line is so: commands, options, recipe keys, columns, targets, files."""

from __future__ import annotations

import re
import subprocess
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path

from blocks import SHELLS, blocks, calls, shell_lines, spans

ROOT = Path(__file__).resolve().parent.parent.parent
OPTION = re.compile(r"^\s+(?:(-\w)(?:, )?)?(--[\w-]+)?", re.M)


class Program:
    """What the program says of itself."""

    def __init__(self, binary: Path):
        self.binary = binary

    def run(self, *arguments: str) -> subprocess.CompletedProcess:
        return subprocess.run([self.binary, *arguments], capture_output=True, text=True, timeout=60)

    @cache
    def help(self, *command: str) -> str:
        told = self.run(*command, "--help")
        if told.returncode:
            raise ValueError(f"turnwise {' '.join(command)} --help: {told.stderr.strip()}")
        return told.stdout

    @cache
    def commands(self, *command: str) -> list[str]:
        """The commands below one, as its help lists them."""
        listed = self.help(*command).partition("\nCommands:\n")[2].partition("\n\n")[0]
        return [name for name in re.findall(r"^  (\w+) ", listed, re.M) if name != "help"]

    @cache
    def options(self, *command: str) -> frozenset[str]:
        found = (m for m in OPTION.finditer(self.help(*command)) if m[1] or m[2])
        return frozenset(option for match in found for option in match.groups() if option)

    @cache
    def every_option(self) -> frozenset[str]:
        names = [(), *((name,) for name in self.commands())]
        names += [(name, below) for (name,) in names[1:] for below in self.commands(name)]
        return frozenset(option for name in names for option in self.options(*name))

    @cache
    def refuses(self, setting: str) -> str | None:
        """Why a setting of the recipe is none, or nothing."""
        told = self.run("recipe", "--set", setting)
        return told.stderr.strip().splitlines()[0] if told.returncode else None

    @cache
    def recipe_keys(self) -> frozenset[str]:
        """Keys of the recipe with their tables, `face.rate_hz`."""
        import tomllib

        def keys(table: dict, before: str):
            for key, value in table.items():
                yield f"{before}{key}"
                if isinstance(value, dict):
                    yield from keys(value, f"{before}{key}.")

        return frozenset(keys(tomllib.loads(self.run("recipe").stdout), ""))


def faults_of_call(program: Program, words: list[str]) -> list[str]:
    """What is wrong with the words behind `turnwise`."""
    words = [word for word in words if word not in ("…", "...")]
    command: tuple[str, ...] = ()
    rest = list(words)
    while rest and not rest[0].startswith("-") and program.commands(*command):
        if rest[0] not in program.commands(*command):
            # Hidden commands answer for their help too.
            if program.run(*command, rest[0], "--help").returncode:
                return [f"there is no command {' '.join((*command, rest[0]))}"]
            command = (*command, rest.pop(0))
            break
        command = (*command, rest.pop(0))
    faults = []
    for at, word in enumerate(rest):
        name = word.split("=")[0]
        if re.fullmatch(r"--?[A-Za-z][\w-]*", name) and name not in program.options(*command):
            faults.append(f"{' '.join(('turnwise', *command))} has no option {name}")
        setting = (
            word.partition("=")[2]
            if word.startswith("--set=")
            else rest[at + 1] if word == "--set" and at + 1 < len(rest) else ""
        )
        # Texts in capitals stand for what the reader puts there.
        if "=" in setting and not re.search(r"=[A-Z]+$|^KEY", setting) and (why := program.refuses(setting)):
            faults.append(f"--set {setting}: {why}")
    return faults


def columns(schema: str) -> dict[str, set[str]]:
    """The columns of each table of SCHEMA.md by name; families of columns as patterns with `*`."""
    tables: dict[str, set[str]] = {}
    names: set[str] = set()
    for line in schema.split("\n"):
        if heading := re.match(r"## (\S+)", line):
            names = tables.setdefault(heading[1], set())
        elif line.startswith("| `"):
            names.add(line.split("`")[1])
        elif line.startswith("`"):
            names.update(name for name in re.findall(r"`([^`]+)`", line.partition(": ")[0]))
    return tables


def is_column(names: set[str], name: str) -> bool:
    if "*" in name:
        # A pattern of the reader's: some column must fit.
        fits = re.compile(re.escape(name).replace(r"\*", ".*"))
        return any(fits.fullmatch(known) for known in names)
    return any(re.fullmatch(re.escape(known).replace(r"\*", r"\w+"), name) for known in names)


@cache
def options_of_scripts() -> frozenset[str]:
    """Options of the scripts beside the program."""
    scripts = [*ROOT.glob("pipelines/*/*.py"), *ROOT.glob("onnx/fetch_models.py"), *ROOT.glob("docs/tools/*.py")]
    return frozenset(re.findall(r'add_argument\(\s*"(--[\w-]+)"', "\n".join(path.read_text() for path in scripts)))


def faults_of_span(program: Program, tables: dict[str, set[str]], targets: set[str], span: str) -> list[str]:
    """What is wrong with a code span of the prose."""
    if span.startswith("turnwise "):
        return [fault for call in calls(span) for fault in faults_of_call(program, call)]
    if re.match(r"--[a-z]", span):
        name = re.split(r"[ =|]", span)[0]
        known = name in program.every_option() or name in options_of_scripts()
        return [] if known else [f"no command has the option {name}"]
    if span.startswith("make "):
        target = span.split()[1]
        return [] if target in targets else [f"the Makefile has no target {target}"]
    if re.fullmatch(r"(data|pipelines|onnx|tests|benches|docs|src|fuzz)/[\w./-]+", span):
        made = span.startswith(("onnx/models", "data/sample/media"))
        return [] if made or (ROOT / span).exists() else [f"there is no file {span}"]
    if dotted := re.fullmatch(r"(\w+)\.([\w.*]+)", span):
        table, name = dotted.groups()
        if table in tables and is_column(tables[table], name):
            return []
        sections = {key.split(".")[0] for key in program.recipe_keys()}
        known = any(fnmatchcase(key, span) for key in program.recipe_keys())
        files = re.search(
            r"\.(csv|toml|md|srt|py|sh|parquet|rttm|wav|mp4|json|jsonl|vtt|dic|svg|jpg|png|txt|eaf|cha)$", span
        )
        if (table in tables or table in sections) and not known and not files:
            return [f"{span} is neither a column nor a key of the recipe"]
    return []


def faults(program: Program, page: Path, text: str | None = None) -> list[str]:
    """What a page says of the program that is not so, each with its place."""
    text = page.read_text() if text is None else text
    tables = columns((ROOT / "SCHEMA.md").read_text())
    targets = set(re.findall(r"^([a-z][\w-]*):", (ROOT / "Makefile").read_text(), re.M))
    found = []
    for block in blocks(text, page):
        if block.language not in SHELLS:
            continue
        for line in shell_lines(block):
            # A page may show what is refused.
            for call in calls(line) if "refused" not in block.words else []:
                found += [f"{block.place}: {fault}" for fault in faults_of_call(program, call)]
            for target in re.findall(r"(?:^|&& )make ([a-z][\w-]*)", line):
                if target not in targets:
                    found.append(f"{block.place}: the Makefile has no target {target}")
    if (ROOT / "docs/src") not in page.parents:
        # The site's own links are checked when it is built.
        for link in re.findall(r"\]\((?!https?:|#|mailto:)([^)#]+)", text):
            if not (page.parent / link).exists():
                found.append(f"{page}: there is no file {link}")
    for span in spans(text):
        found += [f"{page}: {fault}" for fault in faults_of_span(program, tables, targets, span)]
    return found


def pages() -> list[Path]:
    """The pages for readers: README, the site, and what stands beside the scripts."""
    beside = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "onnx/README.md")]
    return [*beside, *sorted(ROOT.glob("pipelines/*/README.md")), *sorted((ROOT / "docs/src").rglob("*.md"))]
