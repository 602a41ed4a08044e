"""Checks a model file: its inputs and outputs are those the registry says, and a converted graph computes what its source
does. TFLite graphs are run in the TFLite runtime too; CAM++ must give stored embeddings that PyTorch made; the others
are compared with numpy_networks.py. Every input is seeded."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

# Before the library is loaded: it otherwise reports to its maker, and leaves a device id in the user's folder.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"
import onnxruntime as ort  # noqa: E402

import convert  # noqa: E402
import numpy_networks  # noqa: E402

DTYPES = {"tensor(float)": "f32", "tensor(double)": "f64", "tensor(int64)": "i64"}
GOLDENS = Path(__file__).resolve().parent / "goldens"

# Largest difference allowed, in the output's unit.
TOLERANCES = {
    "face_detector": {"boxes": 1e-3, "scores": 1e-3},
    # Its logits reach -1300 on smooth pictures: 1e-3 of that is the rounding of float32 through 37 layers.
    "face_detector_back": {"boxes": 2e-3, "scores": 5e-3},
    "face_detector_full": {"boxes": 1e-3, "scores": 1e-3},
    "face_landmarks": {"landmarks": 2e-3, "presence": 1e-3},
    "face_blendshapes": {"blendshapes": 1e-5},
    "person_detector": {"boxes": 2e-3, "scores": 2e-3},
    "body_landmarks": {"landmarks": 1e-2, "presence": 1e-4, "heat": 1e-3},
    "palm_detector": {"boxes": 2e-3, "scores": 2e-3},
    "hand_landmarks": {"landmarks": 5e-3, "presence": 1e-4, "handedness": 1e-4},
    "iris_landmarks": {"eye_landmarks": 1e-3, "iris_landmarks": 1e-3},
    "retinaface": {"boxes": 1e-4, "scores": 1e-5, "keypoints": 1e-4},
    "face_recognition": {"descriptor": 1e-5},
    "face_expression": {"probabilities": 1e-5},
    # Values of 0 to 6.
    "faceres": {"descriptor": 1e-4},
    # Of unit vectors; the stored filter banks are rounded to 0.001, which alone makes most of it.
    # The cell state grows to tens.
    "silero_vad_16k_sequence": {"speech_probs": 1e-5, "hn": 1e-5, "cn": 1e-3},
    "segmentation_filters": {"highest": 1e-5, "lowest": 1e-5},
    # Log-probabilities, down to -20.
    "segmentation_windows": {"logits": 1e-3},
    "campplus": {"embedding": 1e-3},
    "campplus_frames": {"embedding": 1e-3},
    "campplus_head": {"embedding": 1e-5},
}
# Part of the largest value that may be off besides. On pictures without a body depths reach 700 and logits -500, where the
# TFLite runtime with and without its delegate differs by 0.04 from itself.
RELATIVE = {"body_landmarks": 5e-4}


class Failure(Exception):
    """The model is not what the registry says."""


def session(path: Path) -> ort.InferenceSession:
    options = ort.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    return ort.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def verify(model: dict, source: Path, path: Path):
    """Yields lines that say what was checked; raises Failure."""
    graph = session(path)
    signature(model, graph)
    name = model["name"]
    if model["conversion"] == "none":
        yield "inputs and outputs as registered"
        return
    worst: dict[str, float] = {}

    def compare(got: dict[str, np.ndarray], wanted: dict[str, np.ndarray]) -> None:
        for output, value in wanted.items():
            if got[output].shape != value.shape:
                raise Failure(f"{output}: shape {got[output].shape}, expected {value.shape}")
            if not np.isfinite(got[output]).all():
                raise Failure(f"{output} has values that are not finite")
            off = np.abs(got[output] - value) - RELATIVE.get(name, 0.0) * np.abs(value).max()
            worst[output] = max(worst.get(output, 0.0), float(off.max()))

    match model["conversion"]:
        case "tflite":
            against = "the TFLite runtime"
            _tflite(model, source, graph, compare)
        case "campplus" if name == "campplus_head":
            against = "NumPy"
            statistics = np.random.default_rng(5).uniform(0, 1, (3, 1024)).astype(np.float32)
            compare(run(graph, statistics), {"embedding": _campplus_head(_torch_state(source), statistics)})
        case "campplus":
            against = "stored embeddings"
            _campplus(graph, source, compare)
        case "silero":
            against = "its source"
            _silero(graph, session(source), compare)
        case "segmentation" if name == "segmentation_filters":
            against = "NumPy"
            for sound in sounds():
                compare(
                    run(graph, sound[None, None, None]),
                    {k: v[None, :, None] for k, v in _filters(source, sound).items()},
                )
        case "segmentation":
            against = "its source"
            _segmentation_windows(graph, source, compare)
        case "retinaface":
            against = "NumPy"
            state = _torch_state(source)
            for batch, height, width in ((1, 64, 96), (2, 90, 122), (1, 101, 75)):
                image = np.random.default_rng(height).uniform(-123, 151, (batch, 3, height, width)).astype(np.float32)
                compare(
                    run(graph, image),
                    dict(zip(("boxes", "scores", "keypoints"), numpy_networks.retinaface(state, image))),
                )
        case "face_api_recognition" | "face_api_expression":
            against = "NumPy"
            import tfjs

            weights = tfjs.read_weights(source.read_bytes(), convert.manifest_of(model["conversion"], source).read_bytes())
            reference, output, side = (
                (numpy_networks.face_recognition, "descriptor", 150)
                if model["conversion"] == "face_api_recognition"
                else (numpy_networks.face_expression, "probabilities", 112)
            )
            for image in pictures(side, batch=2):
                compare(run(graph, image * 255), {output: reference(weights, image * 255)})
        case "faceres":
            against = "NumPy"
            import tfjs

            weights = tfjs.read_weights(source.read_bytes(), convert.manifest_of("faceres", source).read_bytes())
            means = np.array([103.939, 116.779, 123.68], np.float32).reshape(1, 3, 1, 1)
            for image in pictures(224, batch=1):
                image = image * 255 - means
                compare(run(graph, image), {"descriptor": numpy_networks.faceres(weights, image)})
    for output, error in worst.items():
        tolerance = TOLERANCES[name][output]
        if error > tolerance:
            raise Failure(f"{output}: differs from {against} by {error:.2g}, allowed {tolerance:.0e}")
    yield f"equals {against}: " + ", ".join(f"{output} within {error:.1e}" for output, error in worst.items())


def run(graph: ort.InferenceSession, *inputs: np.ndarray) -> dict[str, np.ndarray]:
    names = [o.name for o in graph.get_outputs()]
    return dict(zip(names, graph.run(names, {i.name: x for i, x in zip(graph.get_inputs(), inputs)})))


def signature(model: dict, graph: ort.InferenceSession) -> None:
    for kind, registered, found in (
        ("input", model["inputs"], graph.get_inputs()),
        ("output", model["outputs"], graph.get_outputs()),
    ):
        if [r["name"] for r in registered] != [f.name for f in found]:
            raise Failure(f"{kind}s are {[f.name for f in found]}, the registry says {[r['name'] for r in registered]}")
        for r, f in zip(registered, found):
            if DTYPES.get(f.type) != r["dtype"]:
                raise Failure(f"{kind} {r['name']} is {f.type}, the registry says {r['dtype']}")
            # Some exporters leave a free dimension as 0 or under another name; a fixed one must be the registry's.
            fixed = [d if isinstance(d, int) and d > 0 else None for d in f.shape]
            if len(fixed) != len(r["shape"]) or any(d is not None and w != d for d, w in zip(fixed, r["shape"])):
                raise Failure(f"{kind} {r['name']} has shape {f.shape}, the registry says {r['shape']}")
            if model["conversion"] != "none" and [d for d in r["shape"] if isinstance(d, int)] != [
                d for d in fixed if d is not None
            ]:
                raise Failure(f"{kind} {r['name']} has shape {f.shape}, the registry says {r['shape']}")


def pictures(side: int, batch: int = 1):
    """[batch, 3, side, side] in 0..1: noise, then smooth pictures with a face-like ellipse, eyes and a mouth."""
    random = np.random.default_rng(7)
    yield random.uniform(0, 1, (batch, 3, side, side)).astype(np.float32)
    y, x = np.mgrid[0:side, 0:side] / side
    for _ in range(3):
        images = []
        for _ in range(batch):
            cx, cy, r = random.uniform(0.42, 0.58), random.uniform(0.42, 0.58), random.uniform(0.2, 0.33)
            image = np.stack(
                [
                    random.uniform(0.1, 0.9) + random.uniform(-0.3, 0.3) * x + random.uniform(-0.3, 0.3) * y
                    for _ in range(3)
                ]
            )
            image[:, ((x - cx) / r) ** 2 + ((y - cy) / (1.3 * r)) ** 2 < 1] = np.array([0.8, 0.6, 0.5]).reshape(3, 1)
            for ex in (-0.4, 0.4):
                image[:, ((x - cx - ex * r) / (0.16 * r)) ** 2 + ((y - cy + 0.3 * r) / (0.09 * r)) ** 2 < 1] = 0.15
            image[:, ((x - cx) / (0.35 * r)) ** 2 + ((y - cy - 0.6 * r) / (0.1 * r)) ** 2 < 1] = np.array(
                [0.55, 0.2, 0.2]
            ).reshape(3, 1)
            images.append(image + random.normal(0, 0.01, image.shape))
        yield np.clip(np.stack(images), 0, 1).astype(np.float32)


def tflite_interpreter(model: dict, source: Path):
    from ai_edge_litert.interpreter import Interpreter

    interpreter = Interpreter(model_content=convert.read_source(model, source), num_threads=1)
    interpreter.allocate_tensors()
    return interpreter


def tflite_run(interpreter, x: np.ndarray) -> list[np.ndarray]:
    """Outputs in the order of the file; x is [1, 3, h, w] or [1, points, 2]."""
    interpreter.set_tensor(
        interpreter.get_input_details()[0]["index"], np.ascontiguousarray(x.transpose(0, 2, 3, 1)) if x.ndim == 4 else x
    )
    interpreter.invoke()
    return {d["name"]: interpreter.get_tensor(d["index"]) for d in interpreter.get_output_details()}


def _tflite(model: dict, source: Path, graph: ort.InferenceSession, compare) -> None:
    interpreter = tflite_interpreter(model, source)
    names = convert.TFLITE_OUTPUTS[model["name"]]
    if model["name"] == "face_blendshapes":
        inputs = points()
    else:
        side = model["inputs"][0]["shape"][2]
        signed = "detector" in model["name"] and model["name"] != "palm_detector"
        inputs = [p * 2 - 1 if signed else p for p in pictures(side, batch=2)]
    for x in inputs:
        got = run(graph, x)
        for i in range(len(x)):
            there = tflite_run(interpreter, x[i : i + 1])
            if names:
                wanted = {ours: there[theirs] for theirs, ours in names.items()}
            else:
                wanted = dict(zip(got, there.values()))
            # Maps have their channels last there.
            wanted = {k: v.transpose(0, 3, 1, 2) if got[k].ndim == 4 else v for k, v in wanted.items()}
            compare({k: v[i] for k, v in got.items()}, {k: v.reshape(got[k].shape[1:]) for k, v in wanted.items()})


def points() -> list[np.ndarray]:
    """146 points in image pixels: anywhere, and on rings as a face's are."""
    random = np.random.default_rng(3)
    scattered = random.uniform(0, 1280, (2, 146, 2))
    angle = np.linspace(0, 6 * np.pi, 146)
    radius = np.repeat([120, 80, 30], [49, 49, 48]) * random.uniform(0.9, 1.1, 146)
    ring = np.stack([640 + radius * np.cos(angle), 360 + 1.3 * radius * np.sin(angle)], -1)
    return [x.astype(np.float32) for x in (scattered, np.stack([ring, ring * 0.2 + 7]))]


def _torch_state(source: Path) -> dict[str, np.ndarray]:
    import torch_state

    return torch_state.load(source.read_bytes())


def sounds() -> list[np.ndarray]:
    """10 s at 16 kHz: noise, quiet noise off the zero line, and tones that come and go, each 0 for a while."""
    random = np.random.default_rng(11)
    t = np.arange(160000) / 16000
    tones = sum(a * np.sin(2 * np.pi * f * t) for a, f in ((0.3, 140), (0.2, 423), (0.1, 2750))) * (
        np.sin(2 * np.pi * 1.3 * t) > 0
    )
    made = [random.normal(0, 0.1, t.size), random.normal(0.02, 1e-3, t.size), tones + random.normal(0, 1e-3, t.size)]
    for sound in made:
        sound[100000:120000] = 0
    return [sound.astype(np.float32) for sound in made]


def _silero(graph: ort.InferenceSession, source: ort.InferenceSession, compare) -> None:
    state = [np.zeros((1, 1, 128), np.float32)] * 2
    for sound in sounds():
        # Chunks of 512 with 64 samples before; the state goes on from one sound to the next.
        chunks = np.lib.stride_tricks.sliding_window_view(sound, 576)[::512]
        for some in (chunks, chunks[:1]):
            wanted = run(source, some, *state)
            compare(run(graph, some, *state), wanted)
            state = [wanted["hn"], wanted["cn"]]


def _filters(source: Path, sound: np.ndarray) -> dict[str, np.ndarray]:
    import segmentation

    _, weights = segmentation.read(source.read_bytes())
    scale, shift = (weights[f"sincnet.wav_norm1d.{of}"].astype(np.float64) for of in ("weight", "bias"))
    pieces = np.lib.stride_tricks.sliding_window_view(sound.astype(np.float64) * scale + shift, 251)[::10]
    values = weights[segmentation.FILTERS][:, 0].astype(np.float64) @ pieces.T
    threes = values[:, : values.shape[1] // 3 * 3].reshape(80, -1, 3)
    return {"highest": threes.max(2), "lowest": threes.min(2)}


def _segmentation_windows(graph: ort.InferenceSession, source: Path, compare) -> None:
    whole = session(source)
    zero, one = (_filters(source, np.full(271, value, np.float32)) for value in (0, 1))
    magnitudes = []
    for sound in sounds():
        x = sound.astype(np.float64)
        mean, deviation = x.mean(), np.sqrt(x.var() + 1e-5)
        highest, lowest = (
            (y - zero[k] - (one[k] - zero[k]) * mean) / deviation + zero[k] for k, y in _filters(source, sound).items()
        )
        magnitudes.append(np.maximum(highest, -lowest).astype(np.float32))
    wanted = [run(whole, sound[None, None])["logits"] for sound in sounds()]
    for i, j in ((0, 1), (2, 2)):
        compare(
            run(graph, np.stack([magnitudes[i], magnitudes[j]])), {"logits": np.concatenate([wanted[i], wanted[j]])}
        )


def _campplus_head(state: dict[str, np.ndarray], statistics: np.ndarray) -> np.ndarray:
    layer = "xvector.dense"
    x = statistics @ state[f"{layer}.linear.weight"][:, :, 0].T
    mean, variance = (state[f"{layer}.nonlinear.batchnorm.running_{of}"] for of in ("mean", "var"))
    return (x - mean) / np.sqrt(variance + 1e-5)


def _campplus(graph: ort.InferenceSession, source: Path, compare) -> None:
    with np.load(GOLDENS / "campplus.npz") as golden:
        for i in range(int(golden["count"])):
            features = golden[f"features_{i}"].astype(np.float32) / 1000
            features -= features.mean(0)
            for batch in (1, 2):
                outputs = run(graph, np.repeat(features[None], batch, 0))
                if "frames" in outputs:
                    frames = outputs["frames"][:, :, 0]
                    statistics = np.concatenate([frames.mean(2), frames.std(2, ddof=1)], 1)
                    outputs = {"embedding": _campplus_head(_torch_state(source), statistics)}
                # The stored embeddings come from a port that ends in a ReLU and normalises.
                embedding = np.maximum(outputs["embedding"], 0)
                embedding /= np.linalg.norm(embedding, axis=1, keepdims=True)
                compare({"embedding": embedding}, {"embedding": np.repeat(golden[f"embedding_{i}"][None], batch, 0)})
