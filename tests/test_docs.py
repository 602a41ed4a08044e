"""The documentation: what its pages say of the program, the pages made from it, and the tools that build the site.

Needs the program as `cargo build --release` leaves it (or named by TURNWISE_BINARY); `make docs` builds the site and
runs its examples.
"""

import contextlib
import io
import json
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "docs/tools"), str(ROOT / "tests")]

import blocks
import commands
import licences
import links
import reference
import sessions

from pipeline_tools import program

FENCE = "```"


class Pages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.program = commands.Program(Path(program()))

    def test_every_command_option_key_column_and_file_that_pages_name_is_there(self):
        faults = [fault for page in commands.pages() for fault in commands.faults(self.program, page)]
        self.assertEqual(faults, [])

    def test_enough_is_looked_at(self):
        lines = [
            line
            for page in commands.pages()
            for block in blocks.blocks(page.read_text(), page)
            if block.language in blocks_shells()
            for line in blocks.shell_lines(block)
        ]
        called = {call[0] for line in lines for call in blocks.calls(line) if call}
        missing = set(self.program.commands()) - called - {"check", "completions"}
        self.assertLessEqual(missing, {"models"}, "commands that no page shows in use")
        self.assertGreater(len(lines), 60)

    def test_what_is_not_there_is_found(self):
        wrong = {
            "turnwise extrct a.mp4": "no command extrct",
            "turnwise extract a.mp4 --out o --job 2": "no option --job",
            "turnwise export rescue o --annotation s --to t": "no option --annotation",
            "turnwise extract a.mp4 --out o --set face.rate=5": "--set face.rate=5",
            "turnwise extract a.mp4 --out o --set face.rate_hz=-5": "--set face.rate_hz=-5",
            "cd x && turnwise inspect o --every | head": "no option --every",
            "make demos": "no target demos",
        }
        for line, told in wrong.items():
            found = commands.faults(self.program, Path("page.md"), f"{FENCE}sh\n{line}\n{FENCE}\n")
            self.assertEqual(len(found), 1, (line, found))
            self.assertIn(told, found[0])
        spans = {
            "turns.smile_men": "neither a column nor a key",
            "face.rate": "neither a column nor a key",
            "--job": "no command has the option",
            "make demos": "no target demos",
            "pipelines/tasks/truth.toml": "there is no file",
            "turnwise look": "no command look",
        }
        for span, told in spans.items():
            found = commands.faults(self.program, Path("page.md"), f"See `{span}`.\n")
            self.assertEqual(len(found), 1, (span, found))
            self.assertIn(told, found[0])
        found = commands.faults(
            self.program, ROOT / "page.md", "[a](README.md#x) [b](READTHEM.md) [c](https://d.org)\n"
        )
        self.assertEqual([fault.split(": ", 1)[1] for fault in found], ["there is no file READTHEM.md"])
        good = "`turns.smile_mean`, `turns.egemaps_*`, `face.rate_hz`, `--jobs`, `turns.csv`\n\n"
        good += f"{FENCE}sh\nturnwise extract a --out b -j 2\n{FENCE}\n"
        self.assertEqual(commands.faults(self.program, Path("page.md"), good), [])

    def test_the_reference_has_every_table_column_key_and_command(self):
        pages, summary = reference.made(self.program)
        schema = self.program.run("schema").stdout
        names = commands.columns(schema)
        self.assertGreater(sum(map(len, names.values())), 500)
        _, tables, _ = reference.tables(schema)
        for table in tables:
            text = pages[f"reference/{table.slug}.md"]
            self.assertIn(f"(reference/{table.slug}.md)", summary)
            for line in table.text.split("\n"):
                if line.startswith("| `"):
                    name = line.split("`")[1]
                    self.assertIn(f'<a id="{name}"></a>`{name}`', text)
                    self.assertIn(line.split(" | ")[4], text)
        # Sizes as the program counts them: turns with its families of blendshapes.
        self.assertRegex(pages["reference/tables.md"], r"\[turns\]\(turns\.md\) \| \d{3} \|")
        for key in self.program.recipe_keys():
            table = any(other.startswith(f"{key}.") for other in self.program.recipe_keys())
            self.assertTrue(table or f"`{key}`" in pages["reference/recipe.md"], key)
        for name in self.program.commands():
            self.assertIn(f"## turnwise {name}", pages["reference/commands.md"])
        for code in ("shortfall", "speaker_match", "crowd", "times_early"):
            self.assertIn(f"`{code}`", pages["reference/warnings.md"])
        self.assertNotIn(str(ROOT), "".join(pages.values()))

    def test_sources_are_linked_with_their_columns(self):
        pages, _ = reference.made(self.program)
        self.assertIn("](dyads.md#floor_offset_secs)", pages["reference/sources.md"])
        self.assertIn("](sources.md#heldner-edlund-2010)", pages["reference/dyads.md"])


def blocks_shells():
    return commands.SHELLS


class Tools(unittest.TestCase):
    def test_calls_of_a_line(self):
        line = 'A=1 nice turnwise extract "my corpus.csv" --out o > log 2>&1 && '
        line += "target/release/turnwise inspect o | head -3; echo turnwise x"
        self.assertEqual(blocks.calls(line), [["extract", "my corpus.csv", "--out", "o"], ["inspect", "o"]])

    def test_blocks_know_their_lines_and_must_be_closed(self):
        text = f"a\n{FENCE}console,run\n$ one \\\n    two\nout\n{FENCE}\n"
        (block,) = blocks.blocks(text)
        self.assertEqual(
            (block.words, block.runs, text.split("\n")[block.first]), (["console", "run"], True, "$ one \\")
        )
        self.assertEqual(sessions.steps(block), [("one \\\n    two", "out")])
        with self.assertRaises(ValueError):
            blocks.blocks(f"{FENCE}sh\nturnwise\n")

    def test_wildcards_stand_for_lines_and_words(self):
        self.assertTrue(sessions.fits("a\n...\nz", "a\nb\nc\nz\n"))
        self.assertTrue(sessions.fits("found [..], needed 5.1", "found 5.1.9, needed 5.1  \n"))
        self.assertTrue(sessions.fits("", "\n"))
        for shown, printed in (("a", "b"), ("a", "a\nb"), ("a\n[..]", "a"), ("", "a")):
            self.assertFalse(sessions.fits(shown, printed), (shown, printed))

    def stage(self, folder: str) -> sessions.Stage:
        stage = sessions.Stage(Path(folder, "work"), Path("/bin/true"), Path(sys.executable), None)
        stage.prepare()
        return stage

    def test_another_output_and_a_failing_command_are_faults_and_can_be_written(self):
        with tempfile.TemporaryDirectory() as folder:
            page = Path(folder, "page.md")
            page.write_text(
                f"{FENCE}console,run\n$ echo one\none\n$ echo two\n2\n{FENCE}\n\n"
                f"{FENCE}python,run\nprint(3)\n{FENCE}\n\n{FENCE}text,output\n4\n{FENCE}\n\n"
                f"{FENCE}console,run\n$ exit 3\n{FENCE}\n\n{FENCE}console\n$ exit 4\n{FENCE}\n"
            )
            stage = self.stage(folder)
            faults, ran = sessions.run_page(stage, page, update=False)
            self.assertEqual((len(faults), ran), (3, 3), faults)
            self.assertIn("+two", faults[0])
            self.assertIn("+3", faults[1])
            self.assertIn("ends with 3", faults[2])
            faults, _ = sessions.run_page(stage, page, update=True)
            self.assertEqual(len(faults), 1, faults)
            self.assertIn("$ echo one\none\n$ echo two\ntwo\n", page.read_text())
            self.assertEqual(len(sessions.run_page(stage, page, update=False)[0]), 1)

    def test_without_r_its_blocks_are_told_and_not_counted(self):
        with tempfile.TemporaryDirectory() as folder:
            page = Path(folder, "page.md")
            page.write_text(f"{FENCE}r,run\nprint(1)\n{FENCE}\n")
            told = io.StringIO()
            with contextlib.redirect_stdout(told):
                self.assertEqual(sessions.run_page(self.stage(folder), page, update=False), ([], 0))
            self.assertIn("not run", told.getvalue())

    def test_broken_links_and_what_is_loaded_from_elsewhere(self):
        with tempfile.TemporaryDirectory() as folder:
            site = Path(folder)
            (site / "a.html").write_text(
                '<a href="b.html#x">1</a><a href="b.html#y">2</a><a href="c.html">3</a><a href="https://d.org">4</a>'
                '<script src="https://e.org/f.js"></script><img src="g.svg"><a href="#h">5</a><p id="h">'
            )
            (site / "b.html").write_text('<p id="x"><a href="a.html">back</a>')
            (site / "s.css").write_text('@font-face { src: url("https://fonts.org/f.woff") }')
            broken, looked, elsewhere = links.check(site)
            self.assertEqual(looked, 6)
            self.assertEqual(elsewhere, {"https://d.org", "https://e.org/f.js"})
            ends = (
                "b.html#y has no such anchor",
                "no c.html",
                "elsewhere: https://e.org/f.js",
                "no g.svg",
                "from elsewhere",
            )
            self.assertEqual(len(broken), len(ends), broken)
            for end, found in zip(
                sorted(ends), sorted(broken, key=lambda f: sorted(ends).index(next(e for e in ends if f.endswith(e))))
            ):
                self.assertTrue(found.endswith(end), found)


class Licences(unittest.TestCase):
    def test_expressions(self):
        allowed = {"MIT", "ISC", "Apache-2.0 WITH LLVM-exception"}
        for good in (
            "MIT",
            "GPL-3.0 OR MIT",
            "MIT/Apache-2.0",
            "MIT AND ISC",
            "(GPL-3.0 OR ISC) AND MIT",
            "Apache-2.0 WITH LLVM-exception",
        ):
            self.assertTrue(licences.allowed_by(good, allowed), good)
        for wrong in ("GPL-3.0", "MIT AND GPL-3.0", "Apache-2.0", "(MIT OR ISC) AND GPL-3.0", "Apache-2.0 WITH other"):
            self.assertFalse(licences.allowed_by(wrong, allowed), wrong)
        for none in ("", "MIT OR", "(MIT", "MIT ISC"):
            with self.assertRaises(ValueError):
                licences.allowed_by(none, allowed)

    def test_dependencies_of_tests_are_not_linked(self):
        def node(name, *deps):
            return {"id": name, "deps": [{"pkg": to, "dep_kinds": [{"kind": kind}]} for to, kind in deps]}

        nodes = [
            node("root", ("a", None), ("t", "dev")),
            node("a", ("b", "build")),
            node("t"),
            node("b", ("x", "dev")),
            node("x"),
        ]
        packages = [{"id": name, "name": name, "version": "1"} for name in ("x", "b", "root", "t", "a")]
        told = {"resolve": {"root": "root", "nodes": nodes}, "packages": packages}
        self.assertEqual([crate["name"] for crate in licences.linked(told)], ["a", "b"])

    def test_files_for_those_who_cite_and_hand_on(self):
        cargo = (ROOT / "Cargo.toml").read_text()
        version = json.loads(cargo.split("\nversion = ")[1].split("\n")[0])
        self.assertIn(f"\nversion: {version}\n", (ROOT / "CITATION.cff").read_text())
        self.assertIn('license = "MIT"', cargo)
        self.assertTrue((ROOT / "LICENSE").read_text().startswith("MIT License"))


if __name__ == "__main__":
    unittest.main()
