"""The parts of `make bench` that need no build: `python3 -m unittest discover -s tests`."""

import json
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "benches"))

import fidelity
import report


class Bench(unittest.TestCase):
    def test_three_digits_and_a_dash_for_what_was_not_measured(self):
        self.assertEqual([report.text(c) for c in (1234.5, 0.012345, 12, None)], ["1234", "0.0123", "12", "-"])

    def test_sections_that_were_not_run_stay(self):
        def section(title):
            blocks = [{"note": "so"}, {"header": ["what", "s"], "rows": [["all", 1.5]]}]
            return {
                "title": title,
                "date": "2026-01-02",
                "machine": "one",
                "load": "0.1",
                "commit": "abc",
                "blocks": blocks,
            }

        with tempfile.TemporaryDirectory() as folder:
            report.save(Path(folder), {"voice": section("Voice")})
            report.save(Path(folder), {"faces": section("Faces")})
            self.assertEqual(list(json.loads(Path(folder, "results.json").read_text())["sections"]), ["voice", "faces"])
            text = Path(folder, "RESULTS.md").read_text()
        self.assertIn(
            "## Voice\n\n2026-01-02, one, load 0.1, commit abc\n\nso\n\n| what | s |\n|---|---:|\n| all | 1.5 |", text
        )

    def test_a_face_that_looks_into_the_camera_has_no_angles(self):
        self.assertTrue(all(abs(a) < 1e-9 for a in fidelity.angles([[1.0, 0, 0], [0, 1.0, 0], [0, 0, 1.0]])))

    def test_constant_columns_correlate_with_constant_ones_alone(self):
        self.assertEqual(fidelity.correlation([(1, 2), (1, 2)]), 1.0)
        self.assertTrue(fidelity.correlation([(1, 2), (2, 2)]) != fidelity.correlation([(1, 2), (2, 2)]))  # NaN


if __name__ == "__main__":
    unittest.main()
