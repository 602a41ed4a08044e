"""The Python that runs the check, with the readers of ELAN and Praat."""

import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
sys.path.append(str(FOLDER.parent))

import own_python

READERS = ["pympi-ling==1.71", "praatio==6.2.2"]


def enter() -> None:
    """Goes on in the environment, made at first use; returns when this already is it."""
    own_python.enter(FOLDER, READERS, sources=True)
