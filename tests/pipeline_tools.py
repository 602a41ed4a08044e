"""What the tests of pipelines/ need: the program, and a Python with Ray and the linters."""

from __future__ import annotations

import fcntl
import hashlib
import os
import subprocess
import sys
from pathlib import Path

from own_python import cache

ROOT = Path(__file__).resolve().parent.parent
REQUIREMENTS = [ROOT / "pipelines/ray/requirements.txt", ROOT / "tests/pipeline_linters.txt"]
LIMIT_SECS = 600


def python_with_ray() -> str:
    """Of a virtual environment in the cache, made when it is not there as it should be."""
    wanted = "".join(path.read_text() for path in REQUIREMENTS) + sys.version
    home = cache() / f"ray-{hashlib.sha256(wanted.encode()).hexdigest()[:12]}"
    home.parent.mkdir(parents=True, exist_ok=True)
    with open(f"{home}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        python = home / "bin/python"
        if not (home / "complete").is_file():
            pip = [python, "-m", "pip", "install", "--quiet", *(f"-r{path}" for path in REQUIREMENTS)]
            for command in ([sys.executable, "-m", "venv", "--clear", home], pip):
                made = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_SECS)
                if made.returncode:
                    told = (made.stderr.strip() or made.stdout.strip() or "no word").splitlines()[-1]
                    wheels = ", ".join(line for path in REQUIREMENTS for line in path.read_text().split())
                    raise AssertionError(f"pip cannot install {wheels} for Python {sys.version.split()[0]}: {told}")
            (home / "complete").touch()
    return str(python)


def program() -> str:
    target = Path(os.environ.get("CARGO_TARGET_DIR") or ROOT / "target")
    path = Path(os.environ.get("TURNWISE_BINARY") or target / "release/turnwise")
    if not path.is_file():
        raise AssertionError(f"there is no program {path}: cargo build --release, or name one in TURNWISE_BINARY")
    return str(path)
