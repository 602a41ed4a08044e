"""The Python that runs the harness, with pyarrow."""

import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
sys.path.append(str(FOLDER.parent))

import own_python

ROOT = FOLDER.parents[1]
PYARROW = "pyarrow==26.0.1"


def enter() -> None:
    """Goes on in the environment, made at first use; returns when this already is it."""
    own_python.enter(FOLDER, [PYARROW])
