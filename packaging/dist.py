#!/usr/bin/env python3
"""A tarball and a Debian package of the program: `make dist`. Both hold one program that needs no FFmpeg, no compiler
and no Python; the same input gives the same bytes."""

from __future__ import annotations

import argparse
import gzip
import io
import tarfile
import tempfile
from pathlib import Path

from contents import glibc, licences, project, run, shared, stripped

DEBIAN_FORM = "https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/"
INSTALL = """\
turnwise {version} for Linux on x86-64, with the GNU C library {glibc} or newer (Debian 12, Ubuntu 22.04 and later).

    ./bin/turnwise models fetch      # the models, once; needs Python 3.11, npm, cargo and the network
    ./bin/turnwise extract interview.mp4 --out features

The program runs from anywhere, also through a link. It looks for its models in bin/models, models and
share/turnwise/models here, and in ~/.local/share/turnwise/models; --models and TURNWISE_MODELS go before.
`turnwise doctor` tells what it found. Manual pages: man -l share/man/man1/turnwise.1
"""


def files(binary: Path, ffmpeg: Path, scratch: Path) -> dict[str, tuple[bytes, int]]:
    """All files by their places below a prefix, with their modes."""
    program = stripped(binary, scratch / "bin/turnwise")
    found = {"bin/turnwise": (program.read_bytes(), 0o755)}
    found |= {place: (data, 0o644) for place, data in shared(program, scratch).items()}
    found |= {f"share/doc/turnwise/{name}": (data, 0o644) for name, data in licences(ffmpeg).items()}
    return found


def archive(entries: dict[str, tuple[bytes, int]], before: str = "") -> bytes:
    """A tar archive, folders first, all root's and of no date."""
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w", format=tarfile.GNU_FORMAT) as tar:
        folders = {str(up) for name in entries for up in Path(before + name).parents if str(up) != "."}
        for folder in sorted(folders):
            entry = tarfile.TarInfo(folder)
            entry.type, entry.mode = tarfile.DIRTYPE, 0o755
            tar.addfile(entry)
        for name, (data, mode) in sorted(entries.items()):
            entry = tarfile.TarInfo(before + name)
            entry.size, entry.mode = len(data), mode
            tar.addfile(entry, io.BytesIO(data))
    return stream.getvalue()


def packed(data: bytes) -> bytes:
    return gzip.compress(data, compresslevel=9, mtime=0)


def tarball(entries: dict[str, tuple[bytes, int]], libc: str, out: Path) -> Path:
    version = project()["version"]
    name = f"turnwise-{version}-linux-x86_64"
    readme = INSTALL.format(version=version, glibc=libc).encode()
    path = out / f"{name}.tar.gz"
    path.write_bytes(packed(archive({**entries, "README": (readme, 0o644)}, f"{name}/")))
    return path


def debian(entries: dict[str, tuple[bytes, int]], libc: str, out: Path) -> Path:
    package = project()
    version = package["version"]
    inside: dict[str, tuple[bytes, int]] = {}
    for place, (data, mode) in entries.items():
        if "/man/man1/" in place:
            place, data = f"{place}.gz", packed(data)
        if place == "share/zsh/site-functions/_turnwise":
            place = "share/zsh/vendor-completions/_turnwise"
        inside[f"usr/{place}"] = (data, mode)
    licence = "".join(
        f" {line}\n" if line else " .\n" for line in entries["share/doc/turnwise/LICENSE"][0].decode().splitlines()
    )
    copyright = (
        f"Format: {DEBIAN_FORM}\n\nFiles: *\nCopyright: the authors of turnwise\nLicense: MIT\n{licence}"
        "Comment: libraries are linked into the program; NOTICE, COPYING.* and THIRD-PARTY-LICENSES.md are here too\n"
    )
    inside["usr/share/doc/turnwise/copyright"] = (copyright.encode(), 0o644)
    size = sum(len(data) for data, _ in inside.values()) // 1024
    control = (
        f"Package: turnwise\nVersion: {version}\nArchitecture: amd64\nMaintainer: the authors of turnwise <turnwise@localhost>\n"
        f"Installed-Size: {size}\nDepends: libc6 (>= {libc}), libgcc-s1\n"
        "Recommends: python3-venv, npm, cargo\nSection: science\nPriority: optional\n"
        f"Description: {package['description']}\n"
        " One row a turn, with everything the face and the voice of every person said\n"
        " besides the words, and how people answered each other.\n .\n"
        " `turnwise models fetch` gets the models, with what is recommended; a folder of\n"
        " models from another machine does too.\n"
    )
    path = out / f"turnwise_{version}_amd64.deb"
    with tempfile.TemporaryDirectory(prefix="turnwise-deb-") as folder:
        root = Path(folder, "root")
        for place, (data, mode) in {**inside, "DEBIAN/control": (control.encode(), 0o644)}.items():
            target = root / place
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
            target.chmod(mode)
        for up in [root, *(p for p in root.rglob("*") if p.is_dir())]:
            up.chmod(0o755)
        # Dates of files are in the archive: those of a fixed day.
        run("env", "SOURCE_DATE_EPOCH=315532800", "dpkg-deb", "--root-owner-group", "-Zgzip", "--build", root, path)
    return path


def main() -> None:
    parser = argparse.ArgumentParser(description="Makes the tarball and the Debian package.")
    parser.add_argument("--binary", type=Path, required=True, help="the program, built with --features static-ffmpeg")
    parser.add_argument("--ffmpeg", type=Path, required=True, help="the folder that static_ffmpeg.py prints")
    parser.add_argument("--out", type=Path, required=True, help="folder for the packages")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    libc = ".".join(map(str, glibc(arguments.binary)))
    with tempfile.TemporaryDirectory(prefix="turnwise-dist-") as scratch:
        entries = files(arguments.binary, arguments.ffmpeg, Path(scratch))
    print(tarball(entries, libc, arguments.out))
    print(debian(entries, libc, arguments.out))


if __name__ == "__main__":
    main()
