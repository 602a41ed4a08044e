"""The wheel in a fresh virtual environment: the program from another folder and through a link, the module, a notebook."""

import re
import shutil
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path

import place
from own_python import cache
from place import MODELS, SAMPLE, run

# Beside the wheel with its extras: what runs a notebook, and what checks the tag and the types.
TOOLS = ["auditwheel", "ipykernel", "nbclient", "mypy"]
NOTEBOOK = [
    "import turnwise\nevents = []",
    "run = turnwise.extract('corpus.csv', 'features', jobs=1, set={'face.rate_hz': 5}, on_event=events.append)\n(run.done, run.failed)",
    "turns = turnwise.load('features')\nassert turns['interview_id'].nunique() == 2, turns",
    "import polars as pl\nlazy = turnwise.scan('features', 'turns')\nassert isinstance(lazy, pl.LazyFrame)\n"
    "assert lazy.select(pl.len()).collect().item() == len(turns)",
    "assert turns.attrs['columns']['pitch_median_semitones']['unit'].startswith('semitones')\n"
    "print(turnwise.describe(turns['smile_mean']))",
    "again = turnwise.extract('corpus.csv', 'features', jobs=1, set={'face.rate_hz': 5})\n"
    "assert sorted(again.skipped) == sorted(run.done) and not again.done, again",
    "try:\n    turnwise.extract('none.mp4', 'other')\nexcept turnwise.ExtractionFailed as e:\n    print('refused', e.run.code)",
]
# Words and timing alone: no model is asked.
FORMATS = """
import json, pathlib, sys, warnings
import polars as pl
import turnwise
words = [{"word": w, "start": i / 2, "end": i / 2 + 0.4} for i, w in enumerate("so it is, well".split())]
segments = [{"start": 0, "end": 1.5, "text": 'so "it" is,\\nwell', "speaker": "ANNA", "words": words},
            {"start": 1.4, "end": 3, "text": "你好 well", "speaker": "Bo"}]
pathlib.Path("t.json").write_text(json.dumps({"segments": segments}))
pathlib.Path("words.csv").write_text("interview_id,media,transcript\\nx/a,,t.json\\nb,,t.json\\n")
frames = {}
for kind in ("parquet", "csv", "arrow"):
    run = turnwise.extract("words.csv", kind, options=["--format", kind], progress=False)
    assert run.done == ["x/a", "b"] or run.done == ["b", "x/a"], run
    assert turnwise.interviews(kind) == ["b", "x/a"] and {"turns", "words", "interviews"} <= set(turnwise.tables(kind))
    for table in turnwise.tables(kind):
        frame = turnwise.load(kind, table)
        lazy = turnwise.scan(kind, table).collect()
        assert lazy.columns == list(frame.columns) and lazy.height == len(frame), (kind, table)
        frames[kind, table] = frame
names = {table for _, table in frames}
for table in names - {"interviews"}:
    want = frames["parquet", table]
    assert len(want) or table not in ("turns", "words", "dyads", "speakers"), table
    for kind in ("csv", "arrow"):
        got = frames[kind, table]
        assert dict(got.attrs["columns"]) == dict(want.attrs["columns"]), (kind, table)
        for column in want.columns:
            a, b = want[column], got[column]
            assert a.isna().equals(b.isna()), (kind, table, column)
            pairs = zip(a.dropna(), b.dropna())
            assert all(list(x) == list(y) if hasattr(x, "__len__") and not isinstance(x, str) else x == y for x, y in pairs), (kind, table, column)
assert turnwise.load("csv", "turns", columns=["text"]).columns.tolist() == ["text"]
warnings.simplefilter("error")
turnwise.load("parquet")
turnwise.extract("words.csv", "parquet", options=["--only", "b"], set={"turns.floor.min_overlap_secs": 0.2}, progress=False)
for call in (turnwise.load, turnwise.scan):
    try:
        call("parquet")
    except turnwise.MixedTables as told:
        assert "recipe_hash" in str(told), told
    else:
        raise AssertionError("tables of two recipes were mixed without a word")
    call("parquet", mixed="ignore")
print("formats agree on", len(names), "tables")
"""
TYPED = """\
import turnwise
run: turnwise.Run = turnwise.extract("a.mp4", "out", set={"face.rate_hz": 5})
unit: str = turnwise.describe("out", "smile_mean").unit
names: list[str] = turnwise.interviews("out")
turnwise.extract("a.mp4", 3)
"""


class Wheel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.wheel = place.package("turnwise-*.whl")
        folder = tempfile.TemporaryDirectory(prefix="turnwise-wheel-")
        cls.addClassCleanup(folder.cleanup)
        cls.home = Path(folder.name)
        cls.venv = cls.home / "venv"
        run([sys.executable, "-m", "venv", cls.venv])
        pip = [cls.venv / "bin/python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        run([*pip, "--only-binary", ":all:", f"{cls.wheel}[pandas,polars]", *TOOLS])
        # Through a link, from a folder of its own, with nothing of the caller's environment.
        (cls.home / "links").mkdir()
        cls.program = cls.home / "links/turnwise"
        cls.program.symlink_to(cls.venv / "bin/turnwise")
        cls.work = cls.home / "work"
        shutil.copytree(SAMPLE / "media", cls.work / "media")
        shutil.copy(SAMPLE / "corpus.csv", cls.work)
        cls.environment = {"HOME": str(cls.home / "user"), "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"}
        (cls.home / "user").mkdir()

    def turnwise(self, *words, code=0, **environment):
        return run([self.program, *words], {**self.environment, **environment}, self.work, code)

    def fetched(self):
        """The models, from the cache of the clone's, in the user's data folder."""
        to = self.home / "user/.local/share/turnwise/models"
        if not to.is_dir():
            import os

            # npm and cargo are asked for nothing that is in the cache.
            told = self.turnwise("models", "fetch", TURNWISE_CACHE=str(cache()), PATH=os.environ["PATH"])
            self.assertIn(str(to), told)
        return to

    def test_the_tag_is_what_the_program_needs(self):
        told = " ".join(run([self.venv / "bin/auditwheel", "show", self.wheel], {"PATH": "/usr/bin:/bin"}).split())
        tag = re.search(r'consistent with the following platform tag: "([^"]+)"', told)
        self.assertTrue(tag, told)
        self.assertEqual(tag[1], self.wheel.stem.split("-")[-1])
        self.assertNotRegex(run(["ldd", self.venv / "bin/turnwise"]), r"libav|libsw|libz|libstdc")

    def test_licences_of_all_that_is_inside(self):
        with zipfile.ZipFile(self.wheel) as archive:
            names = {name.rpartition("/")[2]: name for name in archive.namelist() if "/licenses/" in name}
            for wanted in (
                "LICENSE",
                "THIRD-PARTY-LICENSES.md",
                "NOTICE",
                "COPYING.LGPLv2.1",
                "COPYING.dav1d",
                "COPYING.zimg",
                "COPYING.vpx",
                "COPYING.opus",
                "COPYING.font",
            ):
                self.assertIn(wanted, names)
            notice = archive.read(names["NOTICE"]).decode()
        self.assertRegex(notice, r"ffmpeg \S*\d+\.\d+")
        self.assertIn("--disable-network", notice)
        self.assertNotIn("--enable-gpl", notice)

    def test_models_are_fetched_found_and_used(self):
        told = self.turnwise("doctor", code=1, TURNWISE_MODELS=str(self.home / "none"))
        self.assertIn("MISSING", told)
        to = self.fetched()
        # The package's library serves, and is not fetched again.
        self.assertFalse((to / "libonnxruntime.so").exists())
        told = self.turnwise("doctor")
        self.assertIn("all well", told)
        self.assertIn("site-packages/onnxruntime/capi/libonnxruntime.so", told)
        self.assertRegex(told, rf"models +\d+ present in {re.escape(str(to))}\n")
        # Beside the real program goes before the user's folder.
        beside = self.venv / "share/turnwise/models"
        beside.parent.mkdir(parents=True, exist_ok=True)
        beside.symlink_to(to)
        try:
            self.assertIn(f"present in {beside}\n", self.turnwise("doctor"))
        finally:
            beside.unlink()

    def test_without_python_fetching_says_what_to_do(self):
        told = self.turnwise("models", "fetch", "--to", "m", code=1, TURNWISE_PYTHON=str(self.home / "no-python"))
        self.assertRegex(told, r"no-python here: .*Python 3\.11")
        told = self.turnwise(
            "models", "fetch", "--to", "m", code=1, TURNWISE_CACHE=str(self.home / "empty"), PATH="/bin-of-nothing"
        )
        self.assertIn("client is not installed", told)
        self.assertIn("cargo (for diarization", told)

    def test_a_notebook(self):
        self.fetched()
        import json

        cells = [{"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None, "source": s, "id": f"c{i}"}
                 for i, s in enumerate(NOTEBOOK)]  # fmt: skip
        page = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
        path = self.work / "page.ipynb"
        path.write_text(json.dumps(page))
        code = (
            "import nbformat, nbclient, sys\nbook = nbformat.read(sys.argv[1], 4)\n"
            "nbclient.NotebookClient(book, timeout=1100, kernel_name='python3').execute()\nnbformat.write(book, sys.argv[1])\n"
        )
        # The kernel of this environment, whatever others the machine has.
        run([self.venv / "bin/python", "-m", "ipykernel", "install", "--prefix", self.venv, "--name", "python3"])
        run([self.venv / "bin/python", "-c", code, path], self.environment, self.work)
        done = json.loads(path.read_text())["cells"]
        outputs = ["".join(str(out.get("data", out.get("text"))) for out in cell["outputs"]) for cell in done]
        self.assertIn('<progress max="2" value="2"', outputs[1])
        self.assertIn("2/2 interviews · done", outputs[1])
        self.assertIn("smile_mean [1]", outputs[4])
        self.assertIn("2 done before", outputs[5])
        self.assertIn("refused", outputs[6])

    def test_tables_in_all_formats(self):
        self.fetched()
        told = run([self.venv / "bin/python", "-c", FORMATS], self.environment, self.work)
        self.assertRegex(told, r"formats agree on \d\d? tables")

    def test_types_are_told(self):
        (self.work / "typed.py").write_text(TYPED)
        told = run(
            [self.venv / "bin/mypy", "--ignore-missing-imports", "typed.py"], self.environment, self.work, code=1
        )
        self.assertEqual(re.findall(r"^typed\.py:(\d+): error", told, re.M), ["5"], told)

    def test_the_models_as_a_package_of_their_own(self):
        made = run(
            [sys.executable, place.ROOT / "packaging/wheel.py", "--models-from", MODELS, "--out", self.home / "made"]
        )
        pip = [self.venv / "bin/python", "-m", "pip", "--disable-pip-version-check"]
        run([*pip, "install", "--quiet", "--no-index", made.strip()])
        try:
            self.assertIn(f"present in {self.venv / 'share/turnwise/models'}\n", self.turnwise("doctor"))
        finally:
            run([*pip, "uninstall", "--quiet", "--yes", "turnwise-models"])


if __name__ == "__main__":
    unittest.main()
