"""Reads PyTorch state dicts without PyTorch: the zip format and the older stream of pickles. Only plain tensors are
accepted: any other class in the file is an error, so nothing in it can run."""

from __future__ import annotations

import collections
import io
import pickle
import zipfile

import numpy as np

DTYPES = {
    "FloatStorage": "<f4",
    "DoubleStorage": "<f8",
    "HalfStorage": "<f2",
    "LongStorage": "<i8",
    "IntStorage": "<i4",
}


class _Storage:
    def __init__(self, kind: str, key: str, size: int):
        self.kind, self.key, self.size = kind, key, size
        self.data: np.ndarray | None = None


class _Tensor:
    def __init__(self, storage: _Storage, offset: int, shape: tuple, stride: tuple):
        self.storage, self.offset, self.shape, self.stride = storage, offset, shape, stride

    def numpy(self) -> np.ndarray:
        data = self.storage.data[self.offset :]
        item = data.dtype.itemsize
        view = np.lib.stride_tricks.as_strided(data, self.shape, [s * item for s in self.stride], writeable=False)
        return np.ascontiguousarray(view)


def _rebuild(storage, offset, shape, stride, *_):
    return _Tensor(storage, offset, shape, stride)


class _Unpickler(pickle.Unpickler):
    def __init__(self, stream):
        super().__init__(stream)
        self.storages: dict[str, _Storage] = {}

    def find_class(self, module, name):
        if (module, name) == ("collections", "OrderedDict"):
            return collections.OrderedDict
        if (module, name) == ("torch._utils", "_rebuild_tensor_v2"):
            return _rebuild
        if module == "torch" and name in DTYPES:
            return name
        raise pickle.UnpicklingError(f"{module}.{name} is not part of a plain state dict")

    def persistent_load(self, saved):
        if saved[0] != "storage":
            raise pickle.UnpicklingError(f"unknown persistent id {saved[0]!r}")
        _, kind, key, _, size = saved[:5]
        return self.storages.setdefault(key, _Storage(kind, key, size))


def load(data: bytes) -> dict[str, np.ndarray]:
    """Name to array, in the order of the file."""
    state = _load_zip(data) if data[:4] == b"PK\x03\x04" else _load_stream(data)
    return {name.removeprefix("module."): tensor.numpy() for name, tensor in state.items()}


def _load_zip(data: bytes):
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        (index,) = [n for n in archive.namelist() if n.endswith("/data.pkl")]
        root = index.removesuffix("data.pkl")
        with archive.open(index) as stream:
            unpickler = _Unpickler(stream)
            state = unpickler.load()
        for key, storage in unpickler.storages.items():
            storage.data = np.frombuffer(archive.read(f"{root}data/{key}"), DTYPES[storage.kind])
    return state


def _load_stream(data: bytes):
    stream = io.BytesIO(data)
    for _ in range(3):  # magic number, protocol, system information
        pickle.Unpickler(stream).load()
    unpickler = _Unpickler(stream)
    state = unpickler.load()
    for key in pickle.Unpickler(stream).load():
        storage = unpickler.storages[key]
        size = int.from_bytes(stream.read(8), "little")
        dtype = np.dtype(DTYPES[storage.kind])
        storage.data = np.frombuffer(stream.read(size * dtype.itemsize), dtype)
    return state


def group(state: dict[str, np.ndarray], prefix: str) -> dict[str, np.ndarray]:
    """The entries under `prefix.`, without it."""
    prefix += "."
    return {name[len(prefix) :]: value for name, value in state.items() if name.startswith(prefix)}
