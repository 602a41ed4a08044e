"""The Python that runs the check: a virtual environment with the readers of ELAN and Praat, in the cache outside the
clone."""

import os
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
READERS = ["pympi-ling==1.71", "praatio==6.2.2"]


def cache() -> Path:
    """The project's cache, as the Makefile and the other scripts have it."""
    if os.environ.get("TURNWISE_CACHE"):
        return Path(os.environ["TURNWISE_CACHE"])
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "turnwise"


def enter() -> None:
    """Goes on in the environment, made at first use; returns when this already is it."""
    home = cache() / "writers"
    python, mark, wanted = home / "bin" / "python", home / "complete", "\n".join(READERS)
    if not mark.is_file() or mark.read_text() != wanted:
        print(f"installing {', '.join(READERS)} (once) ...", flush=True)
        pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *READERS]
        for command in ([sys.executable, "-m", "venv", "--clear", home], pip):
            if subprocess.run(command).returncode:
                sys.exit(f"writers: {' '.join(map(str, command))} failed; on Debian: apt-get install python3-venv")
        mark.write_text(wanted)
    if Path(sys.prefix) != home:
        os.execv(python, [str(python), str(FOLDER), *sys.argv[1:]])
