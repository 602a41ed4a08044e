#!/usr/bin/env python3
"""A wheel of the program and the Python module: `make wheel`. With --models-from, a wheel of the models instead.

The wheel is put together here and not by maturin, which compiles by itself: the program is the one that cargo built, as
in the other packages. The same input gives the same bytes.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import tempfile
import tomllib
import zipfile
from pathlib import Path

from contents import ROOT, fail, glibc, licences, project, runtime_version, sha256, shared, stripped

# The scripts that fetch the models read TOML with the standard library.
PYTHON = ">=3.11"
EXTRAS = {"pandas": ["pandas>=2.0", "pyarrow>=14"], "polars": ["polars>=1.0", "pyarrow>=14"]}
TEXT = """\
Turnwise turns a corpus of interview videos and transcripts into tables for people who study relationships: one row a turn,
with everything the face and the voice of every person said besides the words, and how people answered each other.

    turnwise models fetch
    turnwise extract interview.mp4 --transcript interview.srt --out features

```python
import turnwise
turns = turnwise.load("features")  # pandas; needs turnwise[pandas]
print(turnwise.describe(turns, "smile_mean"))
```

The program carries FFmpeg's libraries (LGPL 2.1 or later; NOTICE among the licence files says which, and where their source
is). Nothing goes over the network but by `turnwise models fetch`.
"""


def metadata(name: str, summary: str, licence: str, more: list[str], files: list[str], text: str) -> bytes:
    lines = ["Metadata-Version: 2.1", f"Name: {name}", f"Version: {project()['version']}", f"Summary: {summary}"]
    lines += [f"License: {licence}", *(f"License-File: {file}" for file in files), *more]
    return "\n".join([*lines, "Description-Content-Type: text/markdown", "", text]).encode()


class Wheel:
    """Files of a wheel, by their names in it."""

    def __init__(self, name: str, tag: str):
        self.stem = f"{name.replace('-', '_')}-{project()['version']}"
        self.tag = tag
        self.files: dict[str, tuple[bytes, int]] = {}

    def add(self, name: str, data: bytes, mode: int = 0o644) -> None:
        self.files[name] = (data, mode)

    def info(self, name: str, data: bytes) -> None:
        self.add(f"{self.stem}.dist-info/{name}", data)

    def write(self, folder: Path) -> Path:
        pure = str(self.tag.endswith("-any")).lower()
        self.info(
            "WHEEL", f"Wheel-Version: 1.0\nGenerator: turnwise\nRoot-Is-Purelib: {pure}\nTag: {self.tag}\n".encode()
        )
        record = f"{self.stem}.dist-info/RECORD"
        lines = []
        for name, (data, _) in self.files.items():
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            quoted = f'"{name}"' if "," in name else name
            lines.append(f"{quoted},sha256={digest},{len(data)}\n")
        self.add(record, "".join([*lines, f"{record},,\n"]).encode())
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{self.stem}-{self.tag}.whl"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
            for name, (data, mode) in self.files.items():
                entry = zipfile.ZipInfo(name)  # of 1980: no clock in the bytes
                entry.external_attr = (0o100000 | mode) << 16
                entry.compress_type = zipfile.ZIP_DEFLATED
                archive.writestr(entry, data)
        return path


def of_program(binary: Path, ffmpeg: Path, out: Path) -> Path:
    major, minor = glibc(binary)
    wheel = Wheel("turnwise", f"py3-none-manylinux_{major}_{minor}_x86_64")
    for path in sorted((ROOT / "python/turnwise").iterdir()):
        if path.suffix == ".py" or path.name == "py.typed":
            wheel.add(f"turnwise/{path.name}", path.read_bytes())
    texts = licences(ffmpeg)
    with tempfile.TemporaryDirectory(prefix="turnwise-wheel-") as scratch:
        program = stripped(binary, Path(scratch, "bin/turnwise"))
        wheel.add(f"{wheel.stem}.data/scripts/turnwise", program.read_bytes(), 0o755)
        for place, data in shared(program, Path(scratch)).items():
            wheel.add(f"{wheel.stem}.data/data/{place}", data)
    for name, data in texts.items():
        wheel.info(f"licenses/{name}", data)
    more = [f"Requires-Python: {PYTHON}", f"Requires-Dist: onnxruntime=={runtime_version()}"]
    for extra, packages in EXTRAS.items():
        more += [f"Provides-Extra: {extra}", *(f'Requires-Dist: {package}; extra == "{extra}"' for package in packages)]
    licence = "MIT; holds FFmpeg (LGPL-2.1-or-later) and others, see NOTICE"
    wheel.info("METADATA", metadata("turnwise", project()["description"], licence, more, list(texts), TEXT))
    return wheel.write(out)


def of_models(models: Path, out: Path) -> Path:
    """The default set where every program of the environment finds it; ONNX Runtime is a package of its own."""
    wheel = Wheel("turnwise-models", "py3-none-any")
    registry = tomllib.loads((ROOT / "onnx/models.toml").read_text())
    lines = ["The weights keep their authors' licences.", ""]
    for model in registry["model"]:
        if not model["default"]:
            continue
        path = models / model["file"]
        data = path.read_bytes() if path.is_file() else b""
        if sha256(data) != model["sha256"]:
            fail(f"{path} is not there, or not what the registry says; run make models")
        wheel.add(f"{wheel.stem}.data/data/share/turnwise/models/{model['file']}", data)
        lines.append(f"{model['file']}: {model['licence']}; {model['origin']}")
    wheel.info("licenses/MODELS", "\n".join([*lines, ""]).encode())
    summary = "The models of turnwise, for machines that reach no registry but one of their own"
    wheel.info("METADATA", metadata("turnwise-models", summary, "see MODELS", [], ["MODELS"], summary + ".\n"))
    return wheel.write(out)


def main() -> None:
    parser = argparse.ArgumentParser(description="Puts a wheel together.")
    parser.add_argument("--binary", type=Path, help="the program, built with --features static-ffmpeg")
    parser.add_argument("--ffmpeg", type=Path, help="the folder that static_ffmpeg.py prints")
    parser.add_argument("--models-from", type=Path, help="a wheel of the models in this folder, and of nothing else")
    parser.add_argument("--out", type=Path, required=True, help="folder for the wheel")
    arguments = parser.parse_args()
    if arguments.models_from:
        print(of_models(arguments.models_from, arguments.out))
    elif arguments.binary and arguments.ffmpeg:
        print(of_program(arguments.binary, arguments.ffmpeg, arguments.out))
    else:
        parser.error("name --binary and --ffmpeg, or --models-from")


if __name__ == "__main__":
    main()
