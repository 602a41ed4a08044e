"""Opens the pages of `turnwise report` in headless Chromium and uses them as a reader does: they draw, tell what lies
under the pointer, zoom, sort, search and play, with the keyboard too; they fetch nothing and no error is told.

    python tests/browser REPORT [--screenshots DIR]

REPORT is made by tests/report.rs, which runs this (make report-test).
"""

import argparse
import sys
from pathlib import Path

import environment

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("report", type=Path, help="the folder of pages")
parser.add_argument("--screenshots", type=Path, help="folder for pictures of the pages, to be looked at")
arguments = parser.parse_args()

environment.enter()

import checks

failures = checks.run(arguments.report.resolve(), environment.chromium(), arguments.screenshots)
for failure in failures:
    print(f"browser: {failure}", file=sys.stderr)
print(f"browser: {len(checks.ALL)} checks, {len(failures)} failed")
sys.exit(1 if failures else 0)
