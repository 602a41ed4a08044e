"""The pages that the program writes: tables and columns, sources, recipe, commands, models, and copies of pages beside
the scripts. They are made anew at every build, so that they cannot tell of an older program."""

from __future__ import annotations

import json
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path

from commands import ROOT, Program

MADE = "<!-- Made by docs/tools/reference.py; do not edit. -->\n\n"
# Pages that stand beside what they tell of, and where the site has them.
COPIES = {
    "pipelines/ray/README.md": "reference/ray.md",
    "pipelines/slurm/README.md": "reference/slurm.md",
    "pipelines/container/README.md": "reference/container.md",
    "onnx/README.md": "reference/onnx.md",
    "benches/RESULTS.md": "reference/results.md",
    "CHANGELOG.md": "reference/changelog.md",
    "CONTRIBUTING.md": "reference/contributing.md",
}


@dataclass
class Table:
    """A `##` section of SCHEMA.md, with the part (`#`) that it is in."""

    part: str
    title: str
    text: str

    @property
    def slug(self) -> str:
        return re.sub(r"[^a-z0-9]+", "_", self.title.lower().replace("<", "").replace(">", "")).strip("_")


def tables(schema: str) -> tuple[str, list[Table], str]:
    """SCHEMA.md in parts: the words before the tables, the tables, and the sources behind them."""
    parts = re.split(r"^(#{1,2}) (.+)$", schema, flags=re.M)
    intro, sources, part = "", "", ""
    found: list[Table] = []
    for mark, title, text in zip(parts[1::3], parts[2::3], parts[3::3]):
        if mark == "##":
            found.append(Table(part, title, text.strip()))
        elif title == "Sources":
            sources = text.strip()
        else:
            part = "" if title == "Tables" else title
            intro = intro or text.strip()
    return intro, found, sources


def source_anchor(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


def with_anchors(text: str, sources: set[str]) -> str:
    """A table's section whose columns can be linked to (`turns.md#smile_mean`), and whose sources are links."""
    lines = []
    for line in text.split("\n"):
        if line.startswith("| `"):
            cells = line.split(" | ")
            name = cells[0].split("`")[1]
            cells[0] = f'| <a id="{name}"></a>`{name}`'
            last = cells[-1].removesuffix("|").strip()
            linked = [f"[{s}](sources.md#{source_anchor(s)})" if s in sources else s for s in last.split("; ") if s]
            line = " | ".join([*cells[:-1], "; ".join(linked)]) + " |"
        lines.append(line)
    return "\n".join(lines)


def table_pages(schema: str) -> tuple[dict[str, str], str]:
    """The pages of the tables by their place, and their lines in SUMMARY.md."""
    intro, found, sources = tables(schema)
    names = set(re.findall(r"^- \*\*(.+?)\*\*: ", sources, re.M))
    pages, summary, part = {}, [], None
    listed = ["| table | columns | one row is |", "|---|---:|---|"]
    for table in found:
        if table.part != part:
            part = table.part
            summary.append(f"# {part}\n" if part else "# Tables and columns\n\n- [All tables](reference/tables.md)")
        place = f"reference/{table.slug}.md"
        pages[place] = f"{MADE}# {table.title.replace('<', '&lt;')}\n\n{with_anchors(table.text, names)}\n"
        summary.append(f"- [{table.title.replace('<', '&lt;')}]({place})")
        row = table.text.split("\n")[0]
        listed.append(f"| [{table.title.replace('<', '&lt;')}]({table.slug}.md) | {column_count(table.text)} | {row} |")
    pages["reference/tables.md"] = f"{MADE}# All tables\n\n{intro}\n\n" + "\n".join(listed) + "\n"
    pages["reference/sources.md"] = f"{MADE}# Sources of definitions\n\n{source_list(sources, found)}\n"
    return pages, "\n".join(summary) + "\n- [Sources of definitions](reference/sources.md)\n"


def column_count(text: str) -> int:
    """Columns of a table's section, families told by one line counted."""
    families = re.findall(r"^(`.*?)\((\d+) columns each\): ", text, re.M)
    return len(re.findall(r"^\| `", text, re.M)) + sum(len(names.split(", ")) * int(each) for names, each in families)


def source_list(sources: str, found: list[Table]) -> str:
    """The sources, each with the columns that are defined by it."""
    lines = ["Each definition that is not Turnwise's own, in full, and the columns made after it.", ""]
    for name, full in re.findall(r"^- \*\*(.+?)\*\*: (.+)$", sources, re.M):
        used = []
        for table in found:
            for line in table.text.split("\n"):
                if line.startswith("| `") and name in line.split(" | ")[-1].removesuffix("|").strip().split("; "):
                    used.append((table, line.split("`")[1]))
        lines += [f'## <a id="{source_anchor(name)}"></a>{name}', "", full, ""]
        if used:
            shown = ", ".join(f"[`{t.title}.{c}`]({t.slug}.md#{c})" for t, c in used[:40])
            more = f" and {len(used) - 40} more" if len(used) > 40 else ""
            lines += [f"Columns: {shown}{more}.", ""]
    return "\n".join(lines)


def recipe_page(schema: dict) -> str:
    """Every key of the recipe with its default, its range and what it does."""
    lines = [f"{MADE}# Every key of the recipe", ""]
    lines += ["`turnwise recipe` prints these with their values, `turnwise recipe --json-schema` what stands here.", ""]

    def cell(text: object) -> str:
        return str(text).replace("|", "\\|").replace("<", "&lt;").replace("\n", " ")

    def allowed(key: dict) -> str:
        if "enum" in key or "oneOf" in key:
            return ", ".join(f"`{v}`" for v in key.get("enum", [one.get("const") for one in key.get("oneOf", [])]))
        least, most = key.get("minimum", key.get("exclusiveMinimum")), key.get("maximum", key.get("exclusiveMaximum"))
        return " ".join([f"from {least}"] * (least is not None) + [f"to {most}"] * (most is not None))

    def resolved(key: dict) -> dict:
        if "$ref" in key:
            return {**schema["$defs"][key["$ref"].rsplit("/", 1)[1]], **{k: v for k, v in key.items() if k != "$ref"}}
        return key

    def section(node: dict, name: str) -> None:
        keys = {k: resolved(v) for k, v in node.get("properties", {}).items()}
        plain = {k: v for k, v in keys.items() if "properties" not in v}
        if name:
            lines.extend([f"## {name}", "", cell(node.get("description", "")), ""])
        if plain:
            lines.extend(["| key | default | accepted | meaning |", "|---|---|---|---|"])
        for key, value in sorted(plain.items()):
            full = f"{name}.{key}" if name else key
            default = json.dumps(value["default"], ensure_ascii=False) if "default" in value else ""
            row = [
                f'<a id="{full}"></a>`{full}`',
                cell(default),
                cell(allowed(value)),
                cell(value.get("description", "")),
            ]
            lines.append(f"| {' | '.join(row)} |")
        lines.append("")
        for key, value in sorted(keys.items()):
            if "properties" in value:
                section(value, f"{name}.{key}" if name else key)

    section(schema, "")
    return "\n".join(lines)


def commands_page(program: Program) -> str:
    """What `--help` prints, of every command."""
    lines = [f"{MADE}# Every command and option", ""]
    names = [()]
    for name in program.commands():
        names += [(name, below) for below in program.commands(name)] or [(name,)]
    for name in names:
        lines += [f"## {' '.join(('turnwise', *name))}", "", "```text"]
        # The folder of models that happens to be set where the book is built is not part of the page.
        lines += [re.sub(r"\[env: (\w+)=.*?\]", r"[env: \1]", program.help(*name)).rstrip(), "```", ""]
    return "\n".join(lines)


def models_page(registry: dict) -> str:
    """The registry of models."""
    lines = [f"{MADE}# The models", ""]
    lines += ["From `onnx/models.toml`; `turnwise models` prints the same with what is present. No weights are in the"]
    lines += ["repository; `python3 onnx/fetch_models.py --all` fetches those outside the default set too.", ""]
    lines += [
        "| name | role | default | licence | where it comes from | package | sha256 of the file |",
        "|---|---|---|---|---|---|---|",
    ]
    for model in registry["model"]:
        taken = model["source"]
        package = f"{taken['package']} {taken['version']} ({taken['client']})"
        cells = [f"`{model['name']}`", model["role"], "yes" if model["default"] else "no", model["licence"]]
        cells += [model["origin"], package, f"`{model['sha256'][:12]}…`"]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def warnings_page(source: str) -> str:
    """The codes of warnings with what each says, from the list in src/warning.rs."""
    told = re.compile(r'((?:^    /// .*\n)+)    #\[error\(\s*"((?:[^"\\]|\\[\s\S])*)"', re.M)
    kinds: dict[str, list[str]] = {}
    for comment, text in told.findall(source):
        code, words = re.sub(r"\\\n\s*", "", text).split(": ", 1)
        meaning = " ".join(line.strip().removeprefix("///").strip() for line in comment.strip().split("\n"))
        kinds.setdefault(code, []).append(f"{meaning} `{re.sub(r'{[^}]*}', '…', words)}`")
    lines = [f"{MADE}# All warnings", ""]
    lines += [
        "`interviews.warnings` is a list of texts, each a code, a colon and words; `turnwise inspect OUT` prints them.",
        "",
    ]
    lines += ["| code | when, and what it says |", "|---|---|"]
    lines += [f'| <a id="{code}"></a>`{code}` | {"<br>".join(says)} |' for code, says in sorted(kinds.items())]
    return "\n".join(lines) + "\n"


def copied(text: str, source: str) -> str:
    """A page from beside the scripts, for the site: its links to files of the clone become names."""

    def link(match: re.Match) -> str:
        words, target = match.groups()
        return match[0] if re.match(r"https?:|#|mailto:", target) else f"{words} (`{target}`)"

    return f"<!-- A copy of {source}; edit it there. -->\n\n" + re.sub(r"\[([^\]]+)\]\(([^)]+)\)", link, text)


def made(program: Program) -> tuple[dict[str, str], str]:
    """All made pages by their place below src/, and the lines of SUMMARY.md that list the tables."""
    schema = program.run("schema").stdout
    pages, summary = table_pages(schema)
    pages["reference/recipe.md"] = recipe_page(json.loads(program.run("recipe", "--json-schema").stdout))
    pages["reference/commands.md"] = commands_page(program)
    pages["reference/models.md"] = models_page(tomllib.loads((ROOT / "onnx/models.toml").read_text()))
    pages["reference/warnings.md"] = warnings_page((ROOT / "src/warning.rs").read_text())
    for source, place in COPIES.items():
        pages[place] = copied((ROOT / source).read_text(), source)
    return pages, summary
