"""The Python module as far as it needs no library: how it runs the program and what it makes of its events. Tables and
notebooks: `make wheel-test`."""

import json
import os
import sys
import tempfile
import textwrap
import time
import unittest
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "tests")]

import turnwise
from turnwise import _program

from pipeline_tools import program

EVENTS = [
    {"event": "begun", "interview_id": "a"},
    {"event": "step", "interview_id": "a", "step": "voices"},
    {"event": "log", "level": "WARN", "text": "something of it", "interview_id": "a"},
    {"event": "done", "interview_id": "a", "timings": {}, "warnings": ["shortfall", "no_stream"]},
    {"event": "skipped", "interview_id": "b"},
    {"event": "failed", "interview_id": "c", "kind": "media", "error": "cannot read media c.mp4"},
]


class Extraction(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        variables = mock.patch.dict(os.environ)
        variables.start()
        self.addCleanup(variables.stop)

    def stand_in(self, body: str) -> None:
        """A program of the test's in the place of the real one."""
        path = self.folder / "turnwise"
        path.write_text(f"#!{sys.executable}\nimport json, sys, time\n{textwrap.dedent(body)}")
        path.chmod(0o755)
        os.environ["TURNWISE_BINARY"] = str(path)

    def test_events_become_an_outcome_and_a_failure_is_not_passed_over(self):
        lines = "\n".join(
            [json.dumps(event) for event in EVENTS[:3]] + ["no JSON"] + [json.dumps(e) for e in EVENTS[3:]]
        )
        self.stand_in(f"open({str(self.folder / 'words')!r}, 'w').write(repr(sys.argv[1:]))\n"
                      f"print({lines!r}, file=sys.stderr)\nsys.exit(1)")  # fmt: skip
        seen = []
        with self.assertRaises(turnwise.ExtractionFailed) as caught:
            turnwise.extract(
                "c.csv", self.folder / "out", jobs=2, models=Path("m"), set={"face.rate_hz": 5, "face.detector": "mine",
                "input.tiers": ["a b"], "input.lenient": True}, options=["--force"], progress=False, on_event=seen.append,
            )  # fmt: skip
        run = caught.exception.run
        self.assertEqual((run.code, run.done, run.skipped), (1, ["a"], ["b"]))
        self.assertEqual(run.failed, {"c": "cannot read media c.mp4"})
        self.assertEqual(run.warnings, {"a": ["shortfall", "no_stream"]})
        self.assertEqual(run.told, ["a: something of it", "no JSON"])
        self.assertIn("c: cannot read media c.mp4", str(caught.exception))
        self.assertEqual(len(seen), len(EVENTS) + 1)
        words = (self.folder / "words").read_text()
        wanted = ["extract", "c.csv", "--out", str(self.folder / "out"), "--log-json", "--jobs=2", "--models=m"]
        wanted += [
            "--set=face.rate_hz=5",
            "--set=face.detector=mine",
            '--set=input.tiers=["a b"]',
            "--set=input.lenient=true",
        ]
        self.assertEqual(words, repr([*wanted, "--force"]))
        self.assertEqual(turnwise.extract("c.csv", "out", progress=False, check=False).code, 1)

    def test_an_interrupted_run_is_ended_and_waited_for(self):
        done = self.folder / "ended"
        self.stand_in(f"""
            import signal
            def end(*_):
                time.sleep(0.3)
                open({str(done)!r}, 'w').close()
                sys.exit(130)
            signal.signal(signal.SIGINT, end)
            print('{{"event": "begun", "interview_id": "a"}}', file=sys.stderr, flush=True)
            time.sleep(60)
        """)

        def interrupt(event):
            raise KeyboardInterrupt

        began = time.monotonic()
        with self.assertRaises(KeyboardInterrupt):
            turnwise.extract("a.mp4", "out", progress=False, on_event=interrupt)
        self.assertLess(time.monotonic() - began, 30)
        self.assertTrue(done.exists())

    def test_how_many_there_are_is_told_where_it_can_be(self):
        manifest = self.folder / "c.CSV"
        manifest.write_text('\ufeffinterview_id,media,note\na,a.mp4,"two\nlines"\n,,\nb,b.mp4,\n', encoding="utf-8")
        self.assertEqual(_program._count(manifest), 2)
        self.assertEqual((_program._count(Path("a.mp4")), _program._count(self.folder / "none.csv")), (1, None))

    def test_the_line_of_progress(self):
        lines, run = _program._Lines(3), turnwise.Run(out=Path("o"))
        for event in EVENTS:
            lines.note(event)
            _program._note(run, event)
            if event["event"] == "step":
                self.assertEqual(lines.text(run), "0/3 interviews · a: voices")
        self.assertEqual(lines.text(run, "failed"), "3/3 interviews · 1 done before · 1 failed · failed")

    def test_the_real_program(self):
        os.environ["TURNWISE_BINARY"] = program()
        os.environ.setdefault("TURNWISE_MODELS", str(ROOT / "onnx/models"))
        (self.folder / "t.srt").write_text("1\n00:00:01,000 --> 00:00:02,000\nAnna: hello\n")
        (self.folder / "c.csv").write_text("interview_id,media,transcript\nx/a,,t.srt\n")
        run = turnwise.extract(self.folder / "c.csv", self.folder / "out", progress=False)
        self.assertEqual((run.code, run.done, run.failed), (0, ["x/a"], {}))
        again = turnwise.extract(self.folder / "c.csv", self.folder / "out", progress=False)
        self.assertEqual((again.done, again.skipped), ([], ["x/a"]))
        with self.assertRaises(turnwise.ExtractionFailed) as caught:
            turnwise.extract(self.folder / "c.csv", self.folder / "out", progress=False, set={"face.rate": 1})
        self.assertEqual(caught.exception.run.code, 2)
        self.assertIn("face.rate", str(caught.exception))

    def test_a_folder_that_is_none_is_told(self):
        with self.assertRaisesRegex(FileNotFoundError, "no output folder of turnwise extract"):
            turnwise.tables(self.folder)
        with self.assertRaisesRegex(FileNotFoundError, "there is no folder"):
            turnwise.interviews(self.folder / "none")


if __name__ == "__main__":
    unittest.main()
