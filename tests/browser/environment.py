"""The Python that runs the check: a virtual environment with Playwright, in the cache outside the clone; the browser is
the system's."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
DRIVER = ["playwright==1.65.2"]


def cache() -> Path:
    """The project's cache, as the Makefile and the other scripts have it."""
    if os.environ.get("TURNWISE_CACHE"):
        return Path(os.environ["TURNWISE_CACHE"])
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "turnwise"


def enter() -> None:
    """Goes on in the environment, made at first use; returns when this already is it."""
    home = cache() / "browser"
    python, mark, wanted = home / "bin" / "python", home / "complete", "\n".join(DRIVER)
    if not mark.is_file() or mark.read_text() != wanted:
        print(f"installing {', '.join(DRIVER)} (once) ...", flush=True)
        pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--only-binary", ":all:", *DRIVER]
        for command in ([sys.executable, "-m", "venv", "--clear", home], pip):
            if subprocess.run(command).returncode:
                sys.exit(f"browser: {' '.join(map(str, command))} failed; on Debian: apt-get install python3-venv")
        mark.write_text(wanted)
    if Path(sys.prefix) != home:
        os.execv(python, [str(python), str(FOLDER), *sys.argv[1:]])


def chromium() -> str:
    """The browser."""
    found = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if not found:
        sys.exit("browser: there is no Chromium; on Debian: apt-get install chromium")
    return found
