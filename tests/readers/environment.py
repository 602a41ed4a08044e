"""The Python that runs the check: a virtual environment with the readers, in the cache outside the clone."""

import os
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
READERS = ["datasets==5.2.0", "duckdb==2.0.1", "pandas==3.1.1", "polars==2.1.0", "pyarrow==26.0.1"]


def cache() -> Path:
    """The project's cache, as the Makefile and the other scripts have it."""
    if os.environ.get("TURNWISE_CACHE"):
        return Path(os.environ["TURNWISE_CACHE"])
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "turnwise"


def enter() -> None:
    """Goes on in the environment, made at first use; returns when this already is it."""
    home = cache() / "readers"
    python, mark, wanted = home / "bin" / "python", home / "complete", "\n".join(READERS)
    if not mark.is_file() or mark.read_text() != wanted:
        print(f"installing {', '.join(READERS)} (once) ...", flush=True)
        pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--only-binary", ":all:", *READERS]
        for command in ([sys.executable, "-m", "venv", "--clear", home], pip):
            if subprocess.run(command).returncode:
                sys.exit(f"readers: {' '.join(map(str, command))} failed; on Debian: apt-get install python3-venv")
        mark.write_text(wanted)
    if Path(sys.prefix) != home:
        # Nothing is asked of a hub, and nothing told to one.
        offline = {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "HF_HUB_DISABLE_TELEMETRY": "1"}
        os.environ.update(offline)
        os.execv(python, [str(python), str(FOLDER), *sys.argv[1:]])
