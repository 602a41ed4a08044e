"""What all packages hold: the program, linked against no FFmpeg of the machine's, its manual pages and completions, and
the licences of what is in it."""

from __future__ import annotations

import hashlib
import re
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# The C library and the compiler's run-time library, which every Linux has.
EVERYWHERE = {
    "libc.so.6",
    "libm.so.6",
    "libdl.so.2",
    "libpthread.so.0",
    "librt.so.1",
    "libgcc_s.so.1",
    "ld-linux-x86-64.so.2",
}
SHELLS = {
    "bash": "share/bash-completion/completions/turnwise",
    "zsh": "share/zsh/site-functions/_turnwise",
    "fish": "share/fish/vendor_completions.d/turnwise.fish",
}
NOTICE = """\
This package holds the program turnwise (MIT, see LICENSE), the crates that it is built of (THIRD-PARTY-LICENSES.md), and,
linked into it, these libraries:

{sources}
FFmpeg is under the GNU Lesser General Public License 2.1 or later (COPYING.LGPLv2.1); nothing of it that is under the GPL
is in it. dav1d, libvpx and Opus are under BSD licences, zlib and bzip2 under their own, zimg under the WTFPL, and the
library of C++ under the GPL with the GCC Runtime Library Exception (the COPYING files beside this one). The font in the
program is a part of DejaVu Sans, under the licence of Bitstream Vera (COPYING.font).

The sources are Debian's, by the names and versions above: apt-get source NAME=VERSION. FFmpeg was configured with

    {configure}

To use a changed FFmpeg: the program's own source, which is free too, builds this package with `make wheel` or
`make dist`; packaging/static_ffmpeg.py in it compiles FFmpeg and is the place for the change.
"""


def fail(text: str) -> None:
    sys.exit(f"error: {text}")


def project() -> dict:
    """Cargo.toml's [package]."""
    package: dict = tomllib.loads((ROOT / "Cargo.toml").read_text())["package"]
    return package


def runtime_version() -> str:
    version: str = tomllib.loads((ROOT / "onnx/models.toml").read_text())["runtime"]["version"]
    return version


def run(*command: str | Path) -> str:
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode:
        fail(f"{' '.join(str(word) for word in command)}: {done.stderr.strip() or done.stdout.strip()}")
    return done.stdout


def needed(binary: Path) -> set[str]:
    """The shared libraries that a program asks for by itself."""
    return set(re.findall(r"^\s+NEEDED\s+(\S+)", run("objdump", "-p", binary), re.M))


def glibc(binary: Path) -> tuple[int, int]:
    """The oldest GNU C library that has all symbols which a program asks for."""
    versions = re.findall(r"\(GLIBC_(\d+)\.(\d+)(?:\.\d+)?\)", run("objdump", "-T", binary))
    return max([(2, 17), *((int(major), int(minor)) for major, minor in versions)])


def stripped(binary: Path, to: Path) -> Path:
    """A copy without the tables of a debugger; refused where it needs a library that not every Linux has."""
    if others := needed(binary) - EVERYWHERE:
        fail(f"{binary} needs {', '.join(sorted(others))} of the machine; build it with --features static-ffmpeg")
    to.parent.mkdir(parents=True, exist_ok=True)
    run("strip", "--strip-debug", "-o", to, binary)
    to.chmod(0o755)
    return to


def licences(ffmpeg: Path) -> dict[str, bytes]:
    """Licences of all that is in the program, by their names."""
    sources = "".join(f"    {line}\n" for line in (ffmpeg / "SOURCES").read_text().splitlines())
    notice = NOTICE.format(sources=sources, configure=(ffmpeg / "CONFIGURE").read_text().strip())
    texts = {name: (ROOT / name).read_bytes() for name in ("LICENSE", "THIRD-PARTY-LICENSES.md")}
    texts["NOTICE"] = notice.encode()
    for path in sorted(ffmpeg.glob("COPYING.*")):
        texts[path.name] = path.read_bytes()
    texts["COPYING.font"] = (ROOT / "src/overlay/font/LICENSE").read_bytes()
    return texts


def shared(binary: Path, scratch: Path) -> dict[str, bytes]:
    """Manual pages and completions, by their places below a prefix."""
    files = {}
    pages = scratch / "man"
    run(binary, "man", "--to", pages)
    for page in sorted(pages.iterdir()):
        files[f"share/man/man1/{page.name}"] = page.read_bytes()
    for shell, place in SHELLS.items():
        files[place] = run(binary, "completions", shell).encode()
    return files


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
