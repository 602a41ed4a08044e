#!/usr/bin/env python3
"""FFmpeg's libraries for packages that carry them: built statically from Debian's own sources, under the LGPL.

Prints the folder whose lib/pkgconfig is for PKG_CONFIG_PATH; with --packages, the packages of Debian that are needed
(`make wheel` installs them). Everything is kept in the cache, and made again only when Debian's sources or the settings
below change. apt gets the sources by package name and checks them against its signed lists; they are checked against the
sha256 of their .dsc whenever they are unpacked.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

BUILD_PACKAGES = [
    *("dpkg-dev", "binutils", "nasm", "meson", "ninja-build", "gcc", "make"),
    *("zlib1g-dev", "libbz2-dev", "libzimg-dev", "libvpx-dev", "libopus-dev"),
]
# Compiled here: Debian has no static library of it.
SOURCES = ["dav1d", "ffmpeg"]
# Static libraries that Debian has, with the package that holds each one and its licence. libstdc++ is zimg's.
TAKEN = {
    "z": "zlib1g-dev",
    "bz2": "libbz2-dev",
    "zimg": "libzimg-dev",
    "vpx": "libvpx-dev",
    "opus": "libopus-dev",
    "stdc++": "libstdc++6",
}
# Of those that FFmpeg asks pkg-config for: what each one needs itself, and where its headers lie. Debian's own
# descriptions lead to the shared libraries, and zimg's names neither the library of C++ nor that of mathematics.
DESCRIBED = {
    "zimg": ("-lstdc++ -lm", "/usr/include"),
    "vpx": ("-lm -lpthread", "/usr/include"),
    "opus": ("-lm", "/usr/include/opus"),
}

# All decoders, demuxers and parsers of FFmpeg's own, since interviews come in everything; of the rest what src/media
# names, and what FFmpeg inserts by itself (scale, format, bitstream filters). No network, no device, no GPL.
# VP9 and Opus (libvpx, libopus; BSD) are what browsers play of what the LGPL allows; FFmpeg's own decoders stay.
ENCODERS = ["aac", "libopus", "libvpx_vp8", "libvpx_vp9", "mpeg4"]
MUXERS = ["avi", "matroska", "mov", "mp4", "webm"]
FILTERS = ["buffer", "buffersink", "bwdif", "format", "null", "scale", "tonemap", "zscale"]
CONFIGURE = [
    "--disable-autodetect",
    "--disable-programs",
    "--disable-doc",
    "--disable-debug",
    "--disable-network",
    "--disable-avdevice",
    "--disable-hwaccels",
    "--disable-shared",
    "--enable-static",
    "--enable-pic",
    "--enable-zlib",
    "--enable-bzlib",
    "--enable-libdav1d",
    "--enable-libopus",
    "--enable-libvpx",
    "--enable-libzimg",
    "--disable-decoder=libopus,libvpx_vp8,libvpx_vp9",
    "--disable-encoders",
    "--disable-muxers",
    "--disable-filters",
    "--disable-protocols",
    "--disable-outdevs",
    "--disable-indevs",
    "--enable-protocol=file",
    *(f"--enable-encoder={name}" for name in ENCODERS),
    *(f"--enable-muxer={name}" for name in MUXERS),
    *(f"--enable-filter={name}" for name in FILTERS),
]
MESON = ["--buildtype=release", "--default-library=static", "-Denable_tools=false", "-Denable_tests=false"]
DESCRIPTION = """\
prefix={prefix}
Name: {name}
Description: Debian's static library
Version: {version}
Libs: -L{prefix}/lib -l{name} {needs}
Cflags: -I{headers}
"""


def cache() -> Path:
    """The project's cache, as the Makefile has it."""
    if named := os.environ.get("TURNWISE_CACHE"):
        return Path(named)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "turnwise"


def told(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def run(command: list, log: Path | None = None, **how) -> str:
    """Runs; the last lines of what it said are told when it fails."""
    command = [str(word) for word in command]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", **how)
    if log:
        log.write_text(done.stdout)
    if done.returncode:
        tail = "\n  ".join(done.stdout.strip().splitlines()[-15:])
        sys.exit(f"error: {' '.join(command[:4])} failed with code {done.returncode}\n  {tail}")
    return done.stdout


def source_list() -> str:
    """Debian's archives that this machine takes packages from, as a list of their sources."""
    form = "$(SITE)|$(RELEASE)|$(COMPONENT)|$(ORIGIN)"
    lines = run(["apt-get", "indextargets", "--format", form, "Created-By: Packages"]).splitlines()
    found = []
    for line in lines:
        site, release, component, origin = line.split("|")
        entry = f"deb-src {site} {release} {component}"
        if origin == "Debian" and component == "main" and entry not in found:
            found.append(entry)
    if not found:
        sys.exit("error: apt knows no archive of Debian here; run apt-get update, or build on Debian")
    return "\n".join(found) + "\n"


def fetch(home: Path) -> None:
    """The sources' .dsc and archives, into `home`."""
    with tempfile.TemporaryDirectory(prefix="turnwise-apt-") as temporary:
        private = Path(temporary)
        (private / "lists/partial").mkdir(parents=True)
        (private / "sources.list").write_text(source_list())
        options = [
            *("-o", f"Dir::Etc::sourcelist={private}/sources.list", "-o", "Dir::Etc::sourceparts=/dev/null"),
            *("-o", f"Dir::State::lists={private}/lists", "-o", "APT::Get::List-Cleanup=0"),
            *("-o", "Dir::Cache::pkgcache=", "-o", "Dir::Cache::srcpkgcache=", "-o", "APT::Sandbox::User="),
        ]
        run(["apt-get", *options, "update", "-qq"])
        for name in SOURCES:
            told(f"fetching the source of {name} with apt ...")
            run(["apt-get", *options, "source", "--download-only", "-qq", name], cwd=home)


def dsc(home: Path, name: str) -> Path:
    """The newest source of this name that was fetched."""
    found = sorted(home.glob(f"{name}_*.dsc"), key=lambda path: path.stat().st_mtime)
    if not found:
        sys.exit(f"error: apt gave no source of {name}")
    return found[-1]


def unpack(description: Path, to: Path) -> Path:
    """The source with Debian's patches, its archives checked against the sums of the .dsc."""
    sums = re.search(r"(?m)^Checksums-Sha256:\n((?: .+\n)+)", description.read_text())
    for digest, _, name in (line.split() for line in sums[1].splitlines()):
        got = hashlib.sha256((description.parent / name).read_bytes()).hexdigest()
        if got != digest:
            sys.exit(f"error: {description.parent / name} is not what {description.name} says; delete it")
    shutil.rmtree(to, ignore_errors=True)
    run(["dpkg-source", "--no-check", "--extract", description, to])
    return to


def static_library(name: str) -> Path:
    path = Path(run(["gcc", f"-print-file-name=lib{name}.a"]).strip())
    if not path.is_absolute():
        sys.exit(f"error: there is no lib{name}.a; apt-get install {' '.join(BUILD_PACKAGES)}")
    return path


def build(home: Path, descriptions: dict[str, Path], prefix: Path) -> None:
    """Compiles into `prefix`."""
    jobs = os.environ.get("FFMPEG_JOBS") or str(os.cpu_count() or 1)
    library = prefix / "lib"
    pkgconfig = library / "pkgconfig"
    pkgconfig.mkdir(parents=True, exist_ok=True)
    environment = dict(os.environ, PKG_CONFIG_PATH=str(pkgconfig), LC_ALL="C")

    for name in TAKEN:
        shutil.copyfile(static_library(name), library / f"lib{name}.a")
    for name, (needs, headers) in DESCRIBED.items():
        version = run(["pkg-config", "--modversion", name]).strip()
        told = DESCRIPTION.format(prefix=prefix, name=name, version=version, needs=needs, headers=headers)
        (pkgconfig / f"{name}.pc").write_text(told)

    if not (pkgconfig / "dav1d.pc").is_file():
        told("compiling dav1d (a minute or two, once) ...")
        source = unpack(descriptions["dav1d"], home / "dav1d")
        run(["meson", "setup", "build", f"--prefix={prefix}", "--libdir=lib", *MESON], cwd=source, env=environment)
        run(["ninja", "-C", "build", f"-j{jobs}", "install"], log=home / "dav1d.log", cwd=source, env=environment)
        shutil.copyfile(source / "COPYING", prefix / "COPYING.dav1d")

    told("compiling FFmpeg's libraries (minutes, once) ...")
    source = unpack(descriptions["ffmpeg"], home / "ffmpeg")
    flags = [f"--prefix={prefix}", "--pkg-config-flags=--static", f"--extra-ldflags=-L{library}"]
    run(["./configure", *CONFIGURE, *flags], log=home / "configure.log", cwd=source, env=environment)
    configured = (source / "config.h").read_text()
    if "#define CONFIG_GPL 0" not in configured or "#define CONFIG_NONFREE 0" not in configured:
        sys.exit("error: FFmpeg was not configured under the LGPL")
    run(["make", f"-j{jobs}"], log=home / "make.log", cwd=source, env=environment)
    run(["make", "install"], log=home / "install.log", cwd=source, env=environment)
    shutil.copyfile(source / "COPYING.LGPLv2.1", prefix / "COPYING.LGPLv2.1")
    for name, package in TAKEN.items():
        shutil.copyfile(f"/usr/share/doc/{package}/copyright", prefix / f"COPYING.{name}")
    versions = [
        f"{name} {re.search(r'(?m)^Version: (.+)$', path.read_text())[1]}" for name, path in descriptions.items()
    ]
    for name, package in TAKEN.items():
        version = run(["dpkg-query", "-W", "-f", "${source:Package} ${source:Version}", package]).strip()
        versions.append(f"{version} (lib{name}.a)")
    (prefix / "SOURCES").write_text("\n".join(versions) + "\n")
    (prefix / "CONFIGURE").write_text(" ".join(CONFIGURE) + "\n")


def main() -> int:
    if sys.argv[1:] == ["--packages"]:
        print(*BUILD_PACKAGES)
        return 0
    home = cache() / "static-ffmpeg"
    home.mkdir(parents=True, exist_ok=True)
    if not all(list(home.glob(f"{name}_*.dsc")) for name in SOURCES):
        fetch(home)
    descriptions = {name: dsc(home, name) for name in SOURCES}
    digest = hashlib.sha256(repr((CONFIGURE, MESON, sorted(TAKEN), DESCRIPTION, DESCRIBED)).encode())
    for path in descriptions.values():
        digest.update(path.read_bytes())
    prefix = home / f"prefix-{digest.hexdigest()[:12]}"
    if (prefix / "complete").is_file():
        print(prefix)
        return 0
    build(home, descriptions, prefix)
    (prefix / "complete").touch()
    for name in SOURCES:
        shutil.rmtree(home / name, ignore_errors=True)
    print(prefix)
    return 0


if __name__ == "__main__":
    sys.exit(main())
