"""The Python that a check runs in: a virtual environment with its packages, in the cache outside the clone."""

import os
import subprocess
import sys
from pathlib import Path


def cache() -> Path:
    """The project's cache, as the Makefile has it."""
    if os.environ.get("TURNWISE_CACHE"):
        return Path(os.environ["TURNWISE_CACHE"])
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "turnwise"


def enter(folder: Path, packages: list[str], sources: bool = False, **environment: str) -> None:
    """Begins the scripts of `folder` again in their environment, which is named after it and made at first use; returns
    when this already is it. With `sources`, packages may be built from source. `environment` is added to variables."""
    name = folder.name
    home = cache() / name
    python, mark, wanted = home / "bin" / "python", home / "complete", "\n".join(packages)
    if not mark.is_file() or mark.read_text() != wanted:
        print(f"installing {', '.join(packages)} (once) ...", flush=True)
        wheels = [] if sources else ["--only-binary", ":all:"]
        pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *wheels, *packages]
        for command in ([sys.executable, "-m", "venv", "--clear", home], pip):
            if subprocess.run(command).returncode:
                sys.exit(f"{name}: {' '.join(map(str, command))} failed; on Debian: apt-get install python3-venv")
        mark.write_text(wanted)
    if Path(sys.prefix) != home:
        os.environ.update(environment)
        os.execv(python, [str(python), str(folder), *sys.argv[1:]])
