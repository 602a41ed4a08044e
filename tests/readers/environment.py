"""The Python that runs the check, with the readers."""

import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
sys.path.append(str(FOLDER.parent))

import own_python

READERS = ["datasets==5.2.0", "duckdb==2.0.1", "pandas==3.1.1", "polars==2.1.0", "pyarrow==26.0.1"]
# Nothing is asked of a hub, and nothing told to one.
OFFLINE = {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "HF_HUB_DISABLE_TELEMETRY": "1"}


def enter() -> None:
    """Goes on in the environment, made at first use; returns when this already is it."""
    own_python.enter(FOLDER, READERS, **OFFLINE)
