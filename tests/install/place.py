"""Where the packages are, and how programs are run without the caller's own environment."""

import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
MODELS = Path(os.environ.get("TURNWISE_MODELS") or ROOT / "onnx/models").resolve()
SAMPLE = ROOT / "data/sample"
#: Set by the caller.
PACKAGES = Path()
LIMIT_SECS = 1200


def package(pattern: str) -> Path:
    """The one package of this name."""
    found = sorted(PACKAGES.glob(pattern))
    assert len(found) == 1, f"{pattern} in {PACKAGES}: {[path.name for path in found]}"
    return found[0]


def run(command: list, environment: dict | None = None, cwd: Path | None = None, code: int | None = 0) -> str:
    """What a program prints; its failure is the test's, where `code` says which outcome is right."""
    command = [str(word) for word in command]
    done = subprocess.run(
        command,
        env=environment,
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        timeout=LIMIT_SECS,
    )
    if code is not None and done.returncode != code:
        raise AssertionError(f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout}")
    return done.stdout
