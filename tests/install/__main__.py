"""Installs the packages where nothing else of the project is in reach, and uses them.

python tests/install wheel --packages target/packages    # in a fresh virtual environment
python tests/install dist --packages target/packages     # in a Debian of nothing else; as root
"""

import argparse
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("what", choices=["wheel", "dist"])
parser.add_argument("--packages", type=Path, required=True, help="the folder that `make wheel` and `make dist` wrote")
arguments, rest = parser.parse_known_args()

import place

place.PACKAGES = arguments.packages.resolve()
unittest.main(module=f"{arguments.what}_test", argv=[sys.argv[0], *rest], verbosity=2)
