"""models.toml, read with the standard library alone."""

from __future__ import annotations

import hashlib
import re
import sys
from pathlib import Path

try:
    import tomllib
except ModuleNotFoundError:
    sys.exit(f"error: the models need Python 3.11 or newer, this is {sys.version.split()[0]}")

FOLDER = Path(__file__).resolve().parent
REGISTRY = FOLDER / "models.toml"
SCHEMA = 1


class Registry:
    def __init__(self, data: dict):
        if data.get("schema") != SCHEMA:
            raise ValueError(f"{REGISTRY.name}: schema {data.get('schema')!r}, this program reads {SCHEMA}")
        self.runtime: dict = data["runtime"]
        self.models: list[dict] = data["model"]
        names = [m["name"] for m in self.models]
        if len(set(names)) != len(names):
            raise ValueError(f"{REGISTRY.name}: a model name is used twice")

    @classmethod
    def load(cls) -> Registry:
        return cls(tomllib.loads(REGISTRY.read_text(encoding="utf-8")))

    def model(self, name: str) -> dict:
        for model in self.models:
            if model["name"] == name:
                return model
        raise ValueError(f"{name} is not in {REGISTRY.name}; known: {', '.join(m['name'] for m in self.models)}")


def manifest_of(conversion: str, path: Path) -> Path | None:
    """The file beside a source of weights that says what they are: NAME-weights_manifest.json beside face-api's NAME.bin,
    NAME.json beside FaceRes'. None where the source says it itself."""
    if conversion.startswith("face_api"):
        return path.with_name(f"{path.stem}-weights_manifest.json")
    return path.with_suffix(".json") if conversion == "faceres" else None


def sha256(path: Path) -> str:
    with path.open("rb") as stream:
        digest = hashlib.sha256()
        while block := stream.read(1 << 20):
            digest.update(block)
        return digest.hexdigest()


def set_model_file(name: str, digest: str, size: int) -> bool:
    """Rewrite sha256 and bytes of one model; every other character of the registry stays. True when they changed."""
    text = REGISTRY.read_text(encoding="utf-8")
    blocks = re.split(r"(?m)^(?=\[\[model\]\]$)", text)
    for i, block in enumerate(blocks):
        if re.search(rf'(?m)^name = "{re.escape(name)}"', block):
            block, digests = re.subn(r'(?m)^sha256 = "[^"]*"', f'sha256 = "{digest}"', block)
            block, sizes = re.subn(r"(?m)^bytes = \d+", f"bytes = {size}", block)
            if (digests, sizes) != (1, 1):
                raise ValueError(f"{REGISTRY.name}: {name} needs one sha256 line and one bytes line")
            blocks[i] = block
            break
    else:
        raise ValueError(f"{name} is not in {REGISTRY.name}")
    new = "".join(blocks)
    REGISTRY.write_text(new, encoding="utf-8")
    return new != text
