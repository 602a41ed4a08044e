"""Weights of TensorFlow.js: a file of tensors, one after the other, and the manifest that lists them in its order."""

from __future__ import annotations

import json

import numpy as np


def read_weights(source: bytes, manifest: bytes) -> dict[str, np.ndarray]:
    """The tensors by name. Those stored as integers are their value times `scale`, plus `min`; of a model in graph form
    the manifest is a part of the model's own file."""
    found = json.loads(manifest)
    groups = found["weightsManifest"] if isinstance(found, dict) else found
    weights, offset = {}, 0
    for entry in (entry for group in groups for entry in group["weights"]):
        stored = entry.get("quantization", entry)
        dtype = np.dtype(stored["dtype"]).newbyteorder("<")
        count = int(np.prod(entry["shape"], dtype=np.int64))
        value = np.frombuffer(source, dtype, count, offset)
        if "scale" in stored:
            value = value.astype(np.float64) * stored["scale"] + stored["min"]
        weights[entry["name"]] = value.astype(np.dtype(entry["dtype"])).reshape(entry["shape"])
        offset += count * dtype.itemsize
    if offset != len(source):
        raise ValueError(f"manifest describes {offset} bytes of weights, the file has {len(source)}")
    return weights
