"""The manifest over a Ray cluster, and what places its results: `python3 -m unittest discover -s tests`.

Needs the program as `cargo build --release` leaves it (or named by TURNWISE_BINARY), the models, `ffmpeg`, and the
wheel of Ray, which is installed into a virtual environment of its own.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "pipelines"), str(ROOT / "tests")]

import placing

from pipeline_tools import LIMIT_SECS, program, python_with_ray

TABLES = ["interviews", "turns", "words", "faces"]


def content(out: Path) -> dict:
    """Every file but records and logs, which tell times, by its place."""
    beside = ("timings", "runs", "logs")
    paths = [p for p in out.rglob("*") if p.is_file() and p.relative_to(out).parts[0] not in beside]
    return {str(p.relative_to(out)): p.read_bytes() for p in paths}


class Ray(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="turnwise-ray-")
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.models = os.environ.get("TURNWISE_MODELS") or str(ROOT / "onnx/models")

    def corpus(self) -> Path:
        """Two short films, one in a folder of the manifest's, and a sound."""
        (self.root / "films").mkdir()
        (self.root / "talk.srt").write_text(
            "1\n00:00:00,000 --> 00:00:00,800\nA: Hello there.\n\n2\n00:00:00,800 --> 00:00:01,500\nB: Yes.\n"
        )
        rows = ["interview_id,media,transcript,group"]
        for name, secs, row in (
            ("films/a.mp4", 1.5, "couple/a,films/a.mp4,talk.srt,g1"),
            ("b.mp4", 1.7, "b,b.mp4,,g1"),
            ("c.wav", 1.6, "c,c.wav,talk.srt,g2"),
        ):
            picture = ["-f", "lavfi", "-i", f"testsrc2=size=320x240:rate=10:duration={secs}"]
            sound = ["-f", "lavfi", "-i", f"sine=frequency=220:duration={secs}"]
            inputs = sound if name.endswith("wav") else picture + sound
            subprocess.run(["ffmpeg", "-v", "error", "-y", *inputs, self.root / name], check=True)
            rows.append(row)
        manifest = self.root / "corpus.csv"
        manifest.write_text("\n".join(rows) + "\n")
        return manifest

    def run_here(self, *command) -> str:
        environment = {**os.environ, "TURNWISE_MODELS": self.models}
        done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_SECS, env=environment)
        self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
        return done.stdout + done.stderr

    def test_a_node_that_is_killed_in_the_middle_of_a_task_changes_no_byte(self):
        python, turnwise, manifest = python_with_ray(), program(), self.corpus()
        local, out = self.root / "local", self.root / "out"
        self.run_here(turnwise, "extract", manifest, "--out", local, "--jobs=1", "--no-cache")
        told = self.run_here(python, ROOT / "tests/ray_cluster.py", "kill", turnwise, manifest, out)
        seen = json.loads(told[told.rindex('{"start_secs"') :].splitlines()[0])

        self.assertEqual(seen["code"], 0, seen)
        ends = [re.fullmatch(r"\[\d/3\] (\S+): done on \S+/(\w{8})", line) for line in seen["lines"]]
        where = {end[1]: end[2] for end in ends if end}
        self.assertEqual(sorted(where), ["b", "c", "couple/a"], seen)
        self.assertIn("killed", seen, "no task was seen on a node that can be killed")
        self.assertNotEqual(where[seen["interview"]], seen["killed"], "the killed node's interview was done elsewhere")
        self.assertFalse(seen["orphan"], "the program of the killed node still runs")
        self.assertEqual(seen["names"], ["extract b", "extract c", "extract couple/a"])
        self.assertTrue(set(where.values()) <= set(seen["fetched"]), seen)
        self.assertEqual(set(seen["fetched"].values()), {1}, "each node fetches the models once")

        one, other = content(local), content(out)
        self.assertEqual(sorted(one), sorted(other))
        self.assertEqual([name for name in one if one[name] != other[name]], [])
        self.assertIn("interviews.parquet", one)
        # A local run, and another of the cluster's, find nothing left to do.
        self.assertIn("0 done, 3 already done", self.run_here(turnwise, "extract", manifest, "--out", out))
        again = [python, ROOT / "pipelines/ray/extract.py", manifest, "--out", out, "--turnwise", turnwise]
        self.assertIn("0 done, 3 already done, 0 failed", self.run_here(*again))
        self.assertEqual(content(out), other)


class Placing(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.made, self.out = Path(folder.name, "made"), Path(folder.name, "out")
        self.made.mkdir()
        self.out.mkdir()

    def put(self, root: Path, *names: str, text: str = "old"):
        for name in names:
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)

    def there(self, root: Path) -> dict:
        return {str(p.relative_to(root)): p.read_text() for p in sorted(root.rglob("*")) if p.is_file()}

    EARLIER = ("interviews/x/a.parquet", "turns/x/a.parquet", "words/x/a.parquet", "timings/x/a.json", "rttm/x/a.rttm")
    NEW = ("interviews/x/a.parquet", "turns/x/a.parquet", "timings/x/a.json", "rttm/x/a.rttm")

    def test_a_placed_interview_leaves_nothing_of_its_earlier_run_and_all_of_others(self):
        others = ("turns/x/a.b.parquet", "turns/a.parquet", "mine/x/a.parquet", "notes.txt")
        self.put(self.out, *self.EARLIER, *others, ".superseded/turns/x/a.parquet")
        # What lies beside the tables goes along; that of another interview of the same task waits for its own.
        self.put(self.made, *self.NEW, "logs/x/a.jsonl", "logs/x/a.b.jsonl", "logs/a.jsonl", text="new")
        placing.place(self.made, self.out, "x/a", TABLES)
        expected = {name: "new" for name in (*self.NEW, "logs/x/a.jsonl")} | {name: "old" for name in others}
        self.assertEqual(self.there(self.out), expected)
        self.assertFalse((self.out / placing.SUPERSEDED).exists())

    def test_csv_goes_with_its_metadata_and_other_file_systems_get_whole_copies(self):
        names = ("interviews/a.csv", "interviews/a.csv-metadata.json", "timings/a.json")
        self.put(self.made, *names, text="new")
        rename = os.replace
        self.addCleanup(setattr, os, "replace", rename)

        def elsewhere(source, target):
            if str(source).startswith(str(self.made)):
                raise OSError(18, "Invalid cross-device link")
            rename(source, target)

        os.replace = elsewhere
        placing.place(self.made, self.out, "a", TABLES)
        self.assertEqual(self.there(self.out), dict.fromkeys(names, "new"))

    def test_a_death_at_any_moment_leaves_no_record_of_what_is_not_there(self):
        rename, calls = os.replace, [0]
        self.addCleanup(setattr, os, "replace", rename)
        for death in range(len(self.NEW)):
            shutil.rmtree(self.out)
            self.put(self.out, *self.EARLIER)
            self.put(self.made, *self.NEW, text="new")
            calls[0] = 0

            def dies(source, target, death=death):
                if calls[0] == death:
                    raise KeyboardInterrupt
                calls[0] += 1
                rename(source, target)

            os.replace = dies
            with self.assertRaises(KeyboardInterrupt):
                placing.place(self.made, self.out, "x/a", TABLES)
            self.assertFalse(placing.is_done(self.out, "x/a"))
            os.replace = rename

    def test_a_failure_sets_the_earlier_tables_aside_unless_a_file_was_out_of_reach(self):
        self.put(self.out, *self.EARLIER)
        self.put(self.made, "interviews/x/a.parquet", text="failed")
        self.assertFalse(placing.place_failure(self.made, self.out, "x/a", TABLES, reachable=False))
        self.assertEqual(self.there(self.out), dict.fromkeys(self.EARLIER, "old"))
        self.assertTrue(placing.place_failure(self.made, self.out, "x/a", TABLES, reachable=True))
        aside = {f".superseded/{name}": "old" for name in self.EARLIER}
        self.assertEqual(self.there(self.out), aside | {"interviews/x/a.parquet": "failed"})
        # A failure after a failure leaves what is set aside; pieces without a row go.
        self.put(self.made, "interviews/x/a.parquet", text="again")
        placing.place_failure(self.made, self.out, "x/a", TABLES, reachable=True)
        self.assertEqual(self.there(self.out), aside | {"interviews/x/a.parquet": "again"})
        self.put(self.out, "turns/b.parquet")
        self.put(self.made, "interviews/b.parquet", text="failed")
        placing.place_failure(self.made, self.out, "b", TABLES, reachable=True)
        self.assertNotIn("turns/b.parquet", self.there(self.out))

    def test_two_runs_do_not_write_into_one_folder(self):
        with placing.alone(self.out), self.assertRaises(placing.Busy):
            with placing.alone(self.out):
                pass
        with placing.alone(self.out):
            pass


if __name__ == "__main__":
    unittest.main()
