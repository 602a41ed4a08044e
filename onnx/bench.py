"""Times every model on one thread, beside the TFLite runtime where the model comes from there, and counts the layout
reorders that ONNX Runtime put inside the graph. Run it in the conversion environment after fetch_models.py:
bench.py MODELS [--cache DIR] [--profile NAME]"""

from __future__ import annotations

import argparse
import collections
import json
import os
import tempfile
import time
from pathlib import Path

import numpy as np

import verify  # switches ONNX Runtime's telemetry off, so it comes before the library
import onnxruntime as ort

from fetch_models import Cache, default_cache
from registry import Registry

# Free dimensions that are not the batch: what the time is given for.
SIZES = {
    "segmentation": [("10 s", {"samples": 160000})],
    "segmentation_filters": [("10 s", {"samples": 160000})],
    "segmentation_windows": [("10 s", {"steps": 5325}), ("twice 10 s", {"batch": 2, "steps": 5325})],
    "campplus": [("1.5 s", {"frames": 148}), ("3 s", {"frames": 298}), ("10 s", {"frames": 998})],
    "swift_f0": [("1 s", {"samples": 16000})],
    "silero_vad_16k_sequence": [("1 s", {"chunks": 31})],
    "retinaface": [("640x384", {"height": 384, "width": 640}), ("1280x736", {"height": 736, "width": 1280})],
}
SCALARS = {"sr": 16000, "fmin": 46.875, "fmax": 2093.75}


def inputs(model: dict, sizes: dict) -> dict[str, np.ndarray]:
    random = np.random.default_rng(0)
    made = {}
    for entry in model["inputs"]:
        dtype = {"f32": np.float32, "f64": np.float64, "i64": np.int64}[entry["dtype"]]
        if not entry["shape"]:
            made[entry["name"]] = np.array(SCALARS[entry["name"]], dtype)
        else:
            shape = [d if isinstance(d, int) else sizes.get(d, 1) for d in entry["shape"]]
            made[entry["name"]] = random.normal(0, 0.3, shape).astype(dtype)
    return made


def milliseconds(call, seconds: float = 1.0) -> tuple[float, float]:
    """Median and best CPU time of the calling thread, which does all the work: other programs on the machine disturb it
    less than they do the clock."""
    for _ in range(3):
        call()
    times, start = [], time.perf_counter()
    while len(times) < 10 or time.perf_counter() - start < seconds:
        before = time.thread_time()
        call()
        times.append((time.thread_time() - before) * 1e3)
    return float(np.median(times)), min(times)


def profile(path: Path, feed: dict, runs: int = 5) -> tuple[collections.Counter, collections.Counter, list[str]]:
    """Operators of one run: how many and how long in microseconds, and the reorders by name."""
    with tempfile.TemporaryDirectory() as folder:
        options = ort.SessionOptions()
        options.intra_op_num_threads = 1
        options.log_severity_level = 3
        options.enable_profiling = True
        options.profile_file_prefix = os.path.join(folder, "profile")
        session = ort.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        for _ in range(runs):
            session.run(None, feed)
        events = json.loads(Path(session.end_profiling()).read_text())
    count, spent, reorders = collections.Counter(), collections.Counter(), {}
    for event in events:
        if event["cat"] == "Node" and event["name"].endswith("_kernel_time"):
            op = event["args"]["op_name"]
            count[op] += 1
            spent[op] += event["dur"]
            if op.startswith("Reorder"):
                reorders[event["name"].removesuffix("_kernel_time")] = event["args"].get("input_type_shape")
    for counter in (count, spent):
        for op in counter:
            counter[op] //= runs
    return count, spent, [f"{name} {shape}" for name, shape in reorders.items()]


def main() -> None:
    parser = argparse.ArgumentParser(description="Times the models on one thread.")
    parser.add_argument("models", type=Path, help="folder of the model files")
    parser.add_argument("--cache", type=Path, default=default_cache())
    parser.add_argument("--only", help="NAME,...")
    parser.add_argument("--profile", action="store_true", help="show each operator's share")
    arguments = parser.parse_args()
    print("| model | input | median ms | best ms | TFLite best ms | reorders |\n|---|---|---|---|---|---|")
    for model in Registry.load().models:
        path = arguments.models / model["file"]
        if not path.exists() or (arguments.only and model["name"] not in arguments.only.split(",")):
            continue
        for label, sizes in SIZES.get(model["name"], [("", {})]):
            feed = inputs(model, sizes)
            session = verify.session(path)
            there = ""
            if model["conversion"] == "tflite":
                interpreter = verify.tflite_interpreter(model, Cache(arguments.cache).source_file(model["source"]))
                verify.tflite_run(interpreter, next(iter(feed.values())))
                there = f"{milliseconds(interpreter.invoke)[1]:.2f}"
            median, best = milliseconds(lambda: session.run(None, feed))
            count, spent, reorders = profile(path, feed)
            total = sum(n for op, n in count.items() if op.startswith("Reorder"))
            print(f"| {model['name']} | {label} | {median:.2f} | {best:.2f} | {there} | {total} |", flush=True)
            if arguments.profile:
                for op, duration in spent.most_common(14):
                    print(f"    {op:24} x{count[op]:<4} {duration / 1000:8.3f} ms")
                for reorder in reorders[:14]:
                    print("   ", reorder)


if __name__ == "__main__":
    main()
