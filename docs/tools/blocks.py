"""Fenced code blocks of Markdown pages, and the commands of `turnwise` in them."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass, field
from pathlib import Path

FENCE = re.compile(r"^(?P<indent> {0,3})(?P<fence>`{3,})(?P<info>[^`]*)$")
SHELLS = ("sh", "bash", "console")
# What stands between two commands of one line.
BETWEEN = {";", "&&", "||", "|", "&", "(", ")"}


@dataclass
class Block:
    """A fenced block: the words behind its fence, its text, and the lines of the page (from 0) that hold the text."""

    words: list[str]
    text: str
    first: int
    end: int
    page: Path | None = field(default=None)

    @property
    def language(self) -> str:
        return self.words[0] if self.words else ""

    @property
    def runs(self) -> bool:
        return "run" in self.words

    @property
    def place(self) -> str:
        return f"{self.page}:{self.first}"


def blocks(text: str, page: Path | None = None) -> list[Block]:
    """The fenced blocks of a page in order. An unclosed one is an error: the rest of the page would be code."""
    found: list[Block] = []
    lines = text.split("\n")
    opened: tuple[int, str, list[str]] | None = None
    for number, line in enumerate(lines):
        fence = FENCE.match(line)
        if opened is None and fence:
            words = [word for word in re.split(r"[,\s]+", fence["info"].strip()) if word]
            opened = (number + 1, fence["fence"], words)
        elif opened and fence and fence["fence"].startswith(opened[1]) and not fence["info"].strip():
            first, _, words = opened
            found.append(Block(words, "\n".join(lines[first:number]), first, number, page))
            opened = None
    if opened:
        raise ValueError(f"{page}:{opened[0]}: a code block is not closed")
    return found


def shell_lines(block: Block) -> list[str]:
    """The commands of a shell block, lines that end in a backslash joined; of a session those behind `$`."""
    lines = block.text.replace("\\\n", " ").split("\n")
    if block.language == "console":
        lines = [line[2:] for line in lines if line.startswith("$ ")]
    return [line for line in lines if line.strip() and not line.lstrip().startswith("#")]


def words_of(line: str) -> list[str]:
    """A shell line in words, its operators as words of their own."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    return list(lexer)


def calls(line: str) -> list[list[str]]:
    """The calls of `turnwise` in a shell line, each as its words behind the program's name."""
    found: list[list[str]] = []
    call: list[str] | None = None
    begins = True
    redirected = False
    for word in words_of(line):
        if word in BETWEEN:
            call, begins = None, True
        elif set(word) <= set("<>&"):
            redirected = True
            # The 2 of `2>&1` comes as a word of its own.
            if call and call[-1].isdigit():
                call.pop()
        elif redirected:
            redirected = False
        elif begins and re.fullmatch(r"[A-Z_]+=\S*|nice|time|sudo|exec", word):
            continue
        elif begins:
            begins = False
            if word == "turnwise" or word.endswith("/turnwise"):
                call = []
                found.append(call)
        elif call is not None:
            call.append(word)
    return found


def spans(text: str) -> list[str]:
    """The code spans of a page's prose, without what stands in its fenced blocks."""
    lines = text.split("\n")
    for block in blocks(text):
        for number in range(block.first - 1, block.end + 1):
            lines[number] = ""
    return [span.strip() for span in re.findall(r"(?<!`)`([^`]+)`(?!`)", "\n".join(lines))]
