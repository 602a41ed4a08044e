"""Packs 191 made interviews and has them read by Hugging Face datasets, pyarrow, pandas, polars and DuckDB: each table
loads with its features, each value is the one that was made, and three questions have one answer.

    python tests/readers --binary target/release/turnwise
"""

import argparse
import sys
import tempfile
from pathlib import Path

import environment

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--binary", type=Path, required=True, help="the program")
parser.add_argument("--interviews", type=int, default=191)
arguments = parser.parse_args()

environment.enter()

import checks
import made

with tempfile.TemporaryDirectory() as folder:
    corpus = made.Corpus(Path(folder), arguments.binary.resolve(), arguments.interviews)
    corpus.write()
    failures = checks.run(corpus)
for failure in failures:
    print(f"readers: {failure}", file=sys.stderr)
print(f"readers: {arguments.interviews} interviews, {len(corpus.tables)} tables, {len(checks.ALL)} checks, {len(failures)} failed")
sys.exit(1 if failures else 0)
