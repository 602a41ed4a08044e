"""The Python that runs the harness: a virtual environment with pyarrow, in the cache outside the clone."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PYARROW = "pyarrow==26.0.1"


def cache() -> Path:
    """The project's cache, as the Makefile and the other scripts have it."""
    if os.environ.get("TURNWISE_CACHE"):
        return Path(os.environ["TURNWISE_CACHE"])
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "turnwise"


def enter() -> None:
    """Goes on in the environment, made at first use; returns when this already is it."""
    home = cache() / "torture"
    python, mark = home / "bin" / "python", home / "complete"
    if not mark.is_file() or mark.read_text() != PYARROW:
        print(f"installing {PYARROW} (once) ...", flush=True)
        pip = [
            python,
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            "--only-binary",
            ":all:",
            PYARROW,
        ]
        for command in ([sys.executable, "-m", "venv", "--clear", home], pip):
            if subprocess.run(command).returncode:
                sys.exit(f"torture: {' '.join(map(str, command))} failed; on Debian: apt-get install python3-venv")
        mark.write_text(PYARROW)
    if Path(sys.prefix) != home:
        os.execv(python, [str(python), str(ROOT / "tests" / "torture"), *sys.argv[1:]])
