"""The Python that runs the check, with Playwright; the browser is the system's."""

import shutil
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
sys.path.append(str(FOLDER.parent))

import own_python

DRIVER = ["playwright==1.65.2"]


def enter() -> None:
    """Goes on in the environment, made at first use; returns when this already is it."""
    own_python.enter(FOLDER, DRIVER)


def chromium() -> str:
    """The browser."""
    found = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if not found:
        sys.exit("browser: there is no Chromium; on Debian: apt-get install chromium")
    return found
