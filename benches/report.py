"""Tables on the terminal, in results.json and in RESULTS.md: the same cells in all three."""

from __future__ import annotations

import json
from pathlib import Path


def text(cell) -> str:
    """Three digits are all these measurements are good for."""
    if cell is None:
        return "-"
    if isinstance(cell, float):
        return f"{cell:.0f}" if abs(cell) >= 1000 else f"{cell:.3g}"
    return str(cell)


class Report:
    """One section's tables and notes."""

    def __init__(self, title: str):
        self.title, self.blocks = title, []
        print(f"\n== {title}", flush=True)

    def note(self, line: str) -> None:
        print(line, flush=True)
        self.blocks.append({"note": line})

    def table(self, header: list[str], rows: list[list]) -> None:
        cells = [header, *[[text(c) for c in row] for row in rows]]
        widths = [max(len(row[i]) for row in cells) for i in range(len(header))]
        for row in cells:
            print(
                "  ".join(c.ljust(w) if i == 0 else c.rjust(w) for i, (c, w) in enumerate(zip(row, widths))), flush=True
            )
        self.blocks.append({"header": header, "rows": rows})


def markdown(results: dict) -> str:
    lines = [
        "# Measured by `make bench`",
        "",
        "Made by `benches/bench.py`; do not edit. CPU = user + system time of all threads and processes.",
        "",
    ]
    for section in results["sections"].values():
        lines += [
            f"## {section['title']}",
            "",
            f"{section['date']}, {section['machine']}, load {section['load']}, commit {section['commit']}",
            "",
        ]
        for block in section["blocks"]:
            if "note" in block:
                lines += [block["note"], ""]
                continue
            lines.append("| " + " | ".join(block["header"]) + " |")
            lines.append("|---|" + "---:|" * (len(block["header"]) - 1))
            lines += ["| " + " | ".join(text(c).replace("|", "\\|") for c in row) + " |" for row in block["rows"]]
            lines.append("")
    return "\n".join(lines)


def save(folder: Path, sections: dict) -> None:
    """Sections that were not run this time stay as they were."""
    path = folder / "results.json"
    results = json.loads(path.read_text()) if path.is_file() else {"sections": {}}
    results["sections"].update(sections)
    path.write_text(json.dumps(results, indent=1) + "\n")
    (folder / "RESULTS.md").write_text(markdown(results))
