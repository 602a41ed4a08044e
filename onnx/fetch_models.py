#!/usr/bin/env python3
"""Puts every model of models.toml, and ONNX Runtime, into a folder: fetches packages with pip, npm and cargo, checks
hashes, converts to ONNX, verifies. Does nothing, and starts nothing, when all is in place.

Needs Python with pip and venv; npm and cargo for the models that come from there.
"""

from __future__ import annotations

import argparse
import contextlib
import fcntl
import hashlib
import json
import os
import platform
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
import zlib
from pathlib import Path

from registry import FOLDER, REGISTRY, Registry, manifest_of, set_model_file, sha256

# What a conversion's result depends on besides its source: with the pinned packages this is the key of the cache.
CONVERTERS = {
    "none": [],
    "tflite": ["convert.py", "graph.py", "face_api.py", "tfjs.py", "tflite_to_onnx.py"],
    "campplus": ["convert.py", "graph.py", "torch_state.py", "campplus.py"],
    "segmentation": ["convert.py", "graph.py", "segmentation.py"],
    "silero": ["convert.py", "graph.py", "silero.py"],
    "retinaface": ["convert.py", "graph.py", "torch_state.py", "retinaface.py"],
    "face_api_recognition": ["convert.py", "graph.py", "face_api.py", "tfjs.py"],
    "face_api_expression": ["convert.py", "graph.py", "face_api.py", "tfjs.py"],
    "faceres": ["convert.py", "graph.py", "faceres.py", "tfjs.py"],
}
# Wheels are picked for one platform, whatever Python runs this: the file, so its hash, is then the same everywhere.
WHEEL = ["--only-binary", ":all:", "--implementation", "cp", "--python-version", "311", "--platform", "manylinux2014_x86_64",
         "--platform", "manylinux_2_28_x86_64", "--platform", "any"]  # fmt: skip


# Whatever is started from here and loads ONNX Runtime: it otherwise reports to its maker.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"


class Failure(Exception):
    """A message for the person who runs this."""


def run(command: list[str], what: str, **kwargs) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, **kwargs)
    except FileNotFoundError:
        raise Failure(f"{what}: {command[0]} is not installed") from None
    if done.returncode:
        tail = "\n  ".join((done.stderr.strip() or done.stdout.strip()).splitlines()[-8:])
        raise Failure(f"{what}: {Path(command[0]).name} failed with code {done.returncode}\n  {tail}")
    return done.stdout


def default_cache() -> Path:
    if named := os.environ.get("TURNWISE_CACHE"):
        return Path(named)
    if home := os.environ.get("XDG_CACHE_HOME"):
        return Path(home) / "turnwise"
    return Path.home() / ".cache" / "turnwise"


def place(source: Path, target: Path) -> None:
    """Copy so that the target is either whole or not there: a temporary name in its folder, then a rename."""
    target.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    os.close(handle)
    try:
        shutil.copyfile(source, temporary)
        os.chmod(temporary, 0o644)
        os.replace(temporary, target)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def check(path: Path, expected: str, what: str, advice: str) -> None:
    got = sha256(path)
    if got != expected:
        raise Failure(
            f"{what}: wrong hash of {path}\n  expected sha256 {expected}\n  got      sha256 {got}\n  {advice}"
        )


class Cache:
    def __init__(self, root: Path):
        self.root = root
        self._python: Path | None = None

    @contextlib.contextmanager
    def lock(self):
        """One run at a time fills the cache; another waits, then finds what it needs there."""
        self.root.mkdir(parents=True, exist_ok=True)
        with (self.root / "lock").open("w") as stream:
            try:
                fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                print(f"waiting for another run that uses {self.root} ...", flush=True)
                fcntl.flock(stream, fcntl.LOCK_EX)
            yield

    def python(self) -> Path:
        """The Python of the conversion environment, made at first use; named after what it holds."""
        if self._python:
            return self._python
        pins = (FOLDER / "requirements.txt").read_bytes()
        version = f"{sys.version_info[0]}.{sys.version_info[1]}"
        home = self.root / f"venv-{version}-{hashlib.sha256(pins).hexdigest()[:12]}"
        python = home / "bin" / "python"
        if not (home / "complete").exists():
            print("making the conversion environment (once) ...", flush=True)
            shutil.rmtree(home, ignore_errors=True)
            self.root.mkdir(parents=True, exist_ok=True)
            try:
                run([sys.executable, "-m", "venv", str(home)], "conversion environment")
            except Failure as failure:
                raise Failure(
                    f"{failure}\n  On Debian and Ubuntu: apt-get install python3-venv, then run this again."
                ) from None
            run([str(python), "-m", "pip", "install", "--quiet", "--no-deps", "--only-binary", ":all:", "-r", str(FOLDER / "requirements.txt")],
                "conversion environment")  # fmt: skip
            (home / "complete").touch()
        self._python = python
        return python

    def source_file(self, source: dict, path: str | None = None) -> Path:
        """One file of a package, unpacked in the cache."""
        path = path or source["path"]
        client, package, version = source["client"], source["package"], source["version"]
        folder = self.root / "packages" / client / f"{package.replace('/', '__')}-{version}"
        target = folder / "files" / path
        if not target.exists():
            found = {"pip": self._from_pip, "npm": self._from_npm, "cargo": self._from_cargo}[client](
                package, version, folder, path
            )
            place(found, target)
            found.unlink()
        return target

    def _from_pip(self, package: str, version: str, folder: Path, path: str) -> Path:
        if not list(folder.glob("*.whl")):
            print(f"fetching {package} {version} with pip ...", flush=True)
            with tempfile.TemporaryDirectory(prefix="turnwise-") as temporary:
                run([str(self.python()), "-m", "pip", "download", "--quiet", "--no-deps", *WHEEL, "--dest", temporary, f"{package}=={version}"],
                    f"{package} {version}")  # fmt: skip
                (wheel,) = Path(temporary).glob("*.whl")
                place(wheel, folder / wheel.name)
        (wheel,) = folder.glob("*.whl")
        try:
            with zipfile.ZipFile(wheel) as archive, archive.open(path) as stream:
                return self._temporary(folder, stream)
        except KeyError:
            raise Failure(f"{package} {version}: no {path} in {wheel.name}") from None
        except (zipfile.BadZipFile, zlib.error) as damage:
            raise Failure(f"{wheel} is damaged ({damage}): delete it and run this again") from None

    def _from_npm(self, package: str, version: str, folder: Path, path: str) -> Path:
        if not list(folder.glob("*.tgz")):
            print(f"fetching {package} {version} with npm ...", flush=True)
            with tempfile.TemporaryDirectory(prefix="turnwise-") as temporary:
                run(
                    ["npm", "pack", "--silent", "--pack-destination", temporary, f"{package}@{version}"],
                    f"{package} {version}",
                    cwd=temporary,
                )
                (archive,) = Path(temporary).glob("*.tgz")
                place(archive, folder / archive.name)
        (packed,) = folder.glob("*.tgz")
        with tarfile.open(packed) as archive:
            try:
                return self._temporary(folder, archive.extractfile(f"package/{path}"))
            except KeyError:
                raise Failure(f"{package} {version}: no {path} in {packed.name}") from None
            except (tarfile.TarError, zlib.error, EOFError) as damage:
                raise Failure(f"{packed} is damaged ({damage}): delete it and run this again") from None

    def _from_cargo(self, package: str, version: str, folder: Path, path: str) -> Path:
        """cargo has no command that only downloads: a throw-away crate depends on the package, and fetches it."""
        print(f"fetching {package} {version} with cargo ...", flush=True)
        with tempfile.TemporaryDirectory(prefix="turnwise-") as temporary:
            crate = Path(temporary)
            (crate / "src").mkdir()
            (crate / "src" / "lib.rs").touch()
            (crate / "Cargo.toml").write_text(
                f'[workspace]\n[package]\nname = "fetch"\nversion = "0.0.0"\nedition = "2021"\n[dependencies]\n"{package}" = "={version}"\n'
            )
            run(["cargo", "fetch", "--quiet"], f"{package} {version}", cwd=crate)
            metadata = json.loads(
                run(["cargo", "metadata", "--offline", "--format-version", "1"], f"{package} {version}", cwd=crate)
            )
        for found in metadata["packages"]:
            if (found["name"], found["version"]) == (package, version):
                file = Path(found["manifest_path"]).parent / path
                if not file.exists():
                    raise Failure(f"{package} {version}: no {path} in the crate")
                with file.open("rb") as stream:
                    return self._temporary(folder, stream)
        raise Failure(f"{package} {version}: not among the packages that cargo fetched")

    @staticmethod
    def _temporary(folder: Path, stream) -> Path:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(prefix=".part-", dir=folder, delete=False) as out:
            shutil.copyfileobj(stream, out)
        return Path(out.name)

    def model_source(self, model: dict) -> Path:
        source = model["source"]
        path = self.source_file(source)
        if companion := manifest_of(model["conversion"], Path(source["path"])):
            # It has no hash of its own: a changed one changes the graph, whose hash is checked.
            self.source_file(source, str(companion))
        check(path, source["sha256"], f"{model['name']}: source", f"Delete {path} and run this again; "
              "if it stays wrong, the package has changed and the registry must be looked at.")  # fmt: skip
        return path

    def converted(self, model: dict, fresh: bool) -> Path:
        """The model file, verified. Kept by the hash of all that went into it."""
        source = self.model_source(model)
        key = hashlib.sha256(model["source"]["sha256"].encode())
        key.update(model["source"].get("member", "").encode())
        for name in CONVERTERS[model["conversion"]] + (["requirements.txt"] if CONVERTERS[model["conversion"]] else []):
            key.update((FOLDER / name).read_bytes())
        target = self.root / "converted" / f"{model['name']}-{key.hexdigest()[:16]}.onnx"
        if fresh or not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(prefix="turnwise-") as temporary:
                made = Path(temporary) / "model.onnx"
                print(
                    run(
                        [str(self.python()), str(FOLDER / "convert.py"), model["name"], str(source), str(made)],
                        model["name"],
                    ),
                    end="",
                )
                place(made, target)
        return target


def in_place(target: Path, entry: dict) -> bool:
    if not target.exists() or ("bytes" in entry and target.stat().st_size != entry["bytes"]):
        return False
    return sha256(target) == entry["sha256"]


def fetch_runtime(runtime: dict, cache: Cache, out: Path) -> None:
    if (platform.system(), platform.machine()) != ("Linux", "x86_64"):
        raise Failure(f"ONNX Runtime: the registry has the library for Linux on x86-64, this is {platform.system()} on {platform.machine()}. Fetch the "
                      f"models with --only, and let ORT_DYLIB_PATH name a library of version {runtime['version']} for this machine.")  # fmt: skip
    path = cache.source_file(runtime["source"])
    check(path, runtime["sha256"], "ONNX Runtime", f"Delete {path} and run this again.")
    place(path, out / runtime["file"])


def make(model: dict, cache: Cache, out: Path, fresh: bool, update_registry: bool) -> None:
    file = cache.converted(model, fresh)
    if update_registry:
        if set_model_file(model["name"], sha256(file), file.stat().st_size):
            print(f"{model['name']}: registry updated")
    else:
        check(file, model["sha256"], model["name"], f"The conversion here gives another graph than the registry says. Delete {file} and run this "
              f"again; a maintainer who changed a converter runs this with --update-registry.")  # fmt: skip
    place(file, out / model["file"])


def clients_missing(models: list[dict], cache: Cache) -> list[str]:
    """What would stop the work half way: clients of packages that are not in the cache, and are not installed."""
    wanted = {}
    for source in (model["source"] for model in models):
        kept = cache.root / "packages" / source["client"] / f"{source['package'].replace('/', '__')}-{source['version']}"
        if source["client"] != "pip" and not (kept / "files" / source["path"]).exists():
            wanted.setdefault(source["client"], f"{source['package']} {source['version']}")
    return [f"{client} (for {package})" for client, package in sorted(wanted.items()) if not shutil.which(client)]


def main() -> int:
    parser = argparse.ArgumentParser(description="Fetch, convert and verify the models of models.toml.")
    parser.add_argument(
        "--out",
        type=Path,
        default=FOLDER / "models",
        help="folder of the model files (default: models beside this program)",
    )
    parser.add_argument(
        "--cache",
        type=Path,
        default=default_cache(),
        help="folder of packages and converted files (default: %(default)s)",
    )
    parser.add_argument("--only", metavar="NAME,...", help="these models only, and no ONNX Runtime")
    parser.add_argument("--without-runtime", action="store_true", help="no ONNX Runtime, which is elsewhere")
    parser.add_argument("--all", action="store_true", help="also the models outside the default set")
    parser.add_argument("--verify", action="store_true", help="convert and verify again, even when all is in place")
    parser.add_argument(
        "--update-registry",
        action="store_true",
        help="for maintainers: write the hashes of what is converted here into models.toml",
    )
    arguments = parser.parse_args()

    registry = Registry.load()
    if arguments.only:
        models = [registry.model(name) for name in arguments.only.split(",")]
    else:
        models = [m for m in registry.models if m["default"] or arguments.all]
    cache, out = Cache(arguments.cache.absolute()), arguments.out.absolute()
    fresh = arguments.verify or arguments.update_registry
    with_runtime = not arguments.only and not arguments.without_runtime
    wrong = [m for m in models if fresh or not in_place(out / m["file"], m)]
    runtime_wrong = with_runtime and not in_place(out / registry.runtime["file"], registry.runtime)

    if missing := clients_missing(wrong, cache):
        raise Failure(f"some models come from packages whose client is not installed: {' and '.join(missing)}. On Debian and Ubuntu: apt-get "
                      f"install {' '.join(client.split()[0] for client in missing)}. Or copy the folder from a machine that has them.")  # fmt: skip
    if wrong or runtime_wrong:
        with cache.lock():
            if runtime_wrong:
                fetch_runtime(registry.runtime, cache, out)
            for model in wrong:
                make(model, cache, out, fresh, arguments.update_registry)

    count, new = len(models) + with_runtime, len(wrong) + runtime_wrong
    print(f"models: {count} in {out}, {new} new, all as {REGISTRY.name} says")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (Failure, ValueError, OSError) as problem:
        print(f"error: {problem}", file=sys.stderr)
        sys.exit(1)
