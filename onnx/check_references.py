"""Compares the models with what other programs gave on the project's test media: check_references.py --shared DIR, where
DIR holds reference/ and media/. Run it in the conversion environment after fetch_models.py. Exits with 1 if a figure is
above its bound."""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import struct
import sys
from pathlib import Path

import numpy as np
from PIL import Image

import verify
from registry import FOLDER, Registry

failed = False


def report(what: str, figure: float, bound: float, more: str = "") -> None:
    global failed
    failed |= not figure <= bound
    print(f"{'ok  ' if figure <= bound else 'FAIL'} {what}: {figure:.2g} (bound {bound:g}) {more}", flush=True)


def read_wav(path: Path) -> np.ndarray:
    """Mono samples in -1..1 of a 16 kHz file, 16-bit or float; the standard library's reader knows no float."""
    data = path.read_bytes()
    position, kind = 12, None
    while position < len(data):
        name, size = data[position : position + 4], struct.unpack_from("<I", data, position + 4)[0]
        body = data[position + 8 : position + 8 + size]
        if name == b"fmt ":
            kind, channels, rate = struct.unpack_from("<HHI", body)
        elif name == b"data":
            if rate != 16000 or kind not in (1, 3):
                raise ValueError(f"{path}: format {kind} at {rate} Hz")
            samples = np.frombuffer(body, "<i2") / 32768 if kind == 1 else np.frombuffer(body, "<f4")
            return samples.reshape(-1, channels).mean(1).astype(np.float32)
        position += 8 + size + size % 2
    raise ValueError(f"{path}: no data")


def kaldi_fbank(samples: np.ndarray) -> np.ndarray:
    """80 log mel energies a frame as Kaldi computes them (no dither), for CAM++."""
    samples = samples.astype(np.float64) * 32768
    count = 1 + (len(samples) - 400) // 160
    frames = samples[np.arange(400) + 160 * np.arange(count)[:, None]]
    frames = frames - frames.mean(1, keepdims=True)
    frames = np.concatenate([frames[:, :1] * 0.03, frames[:, 1:] - 0.97 * frames[:, :-1]], 1)
    window = (0.5 - 0.5 * np.cos(2 * np.pi * np.arange(400) / 399)) ** 0.85
    power = np.abs(np.fft.rfft(frames * window, 512)) ** 2

    def mel(hz):
        return 1127 * np.log1p(hz / 700)

    edges = np.linspace(mel(20), mel(8000), 82)
    bins = mel(np.arange(257) * 16000 / 512)
    rising = (bins - edges[:-2, None]) / (edges[1] - edges[0])
    falling = (edges[2:, None] - bins) / (edges[1] - edges[0])
    bank = np.maximum(0, np.minimum(rising, falling))
    bank[:, 256] = 0  # Kaldi leaves the Nyquist bin out
    return np.log(np.maximum(power @ bank.T, np.finfo(np.float32).eps))


def read_rows(path: Path) -> dict[str, np.ndarray]:
    with gzip.open(path, "rt") as stream:
        rows = list(csv.DictReader(stream))
    return {column: np.array([float(row[column]) for row in rows]) for column in rows[0]}


def campplus(graph, reference: Path, media: Path) -> None:
    worst, clips, same, different = 0.0, 0, [], []
    plain: dict[str, list[float]] = {"same": [], "different": []}
    for path in sorted(reference.glob("*/campplus.json")):
        samples = read_wav(media / "audio" / f"{path.parent.name}.wav")
        found = []
        for segment in json.loads(path.read_text())["segments"]:
            begin, end = (round(segment[k] * 16000) for k in ("start_secs", "end_secs"))
            features = kaldi_fbank(samples[begin:end])
            embedding = verify.run(graph, (features - features.mean(0)).astype(np.float32)[None])["embedding"][0]
            ours = np.maximum(embedding, 0)
            worst = max(worst, float(np.abs(ours / np.linalg.norm(ours) - segment["embedding"]).max()))
            found.append((segment["speaker"], embedding / np.linalg.norm(embedding), ours / np.linalg.norm(ours)))
            clips += 1
        for i, (speaker, a, ra) in enumerate(found):
            for other, b, rb in found[:i]:
                (same if speaker == other else different).append(float(a @ b))
                plain["same" if speaker == other else "different"].append(float(ra @ rb))
    report(f"CAM++ embeddings of {clips} segments", worst, 1e-4)
    print(f"     cosines, same speaker {np.mean(same):.2f} on average, different {np.mean(different):.2f}; with the reference's "
          f"final ReLU {np.mean(plain['same']):.2f} and {np.mean(plain['different']):.2f}")  # fmt: skip


def silero(graph, reference: Path, media: Path) -> None:
    worst = 0.0
    for path in sorted(reference.glob("*/silero_vad.csv.gz")):
        samples, wanted = read_wav(media / "audio" / f"{path.parent.name}.wav"), read_rows(path)["speech_probability"]
        padded = np.concatenate([np.zeros(64, np.float32), samples, np.zeros(512, np.float32)])
        state, got = np.zeros((2, 1, 128), np.float32), []
        for i in range(len(wanted)):
            out = verify.run(graph, padded[None, i * 512 : i * 512 + 576], state, np.array(16000, np.int64))
            state = out["stateN"]
            got.append(out["output"][0, 0])
        worst = max(worst, float(np.abs(got - wanted).max()))
    report("Silero speech probability", worst, 1e-3)


def silero_sequence(graph, reference: Path, media: Path) -> None:
    worst = 0.0
    for path in sorted(reference.glob("*/silero_vad.csv.gz")):
        samples, wanted = read_wav(media / "audio" / f"{path.parent.name}.wav"), read_rows(path)["speech_probability"]
        padded = np.concatenate([np.zeros(64, np.float32), samples, np.zeros(512, np.float32)])
        chunks = padded[np.arange(576) + 512 * np.arange(len(wanted))[:, None]]
        zero = np.zeros((1, 1, 128), np.float32)
        worst = max(worst, float(np.abs(verify.run(graph, chunks, zero, zero)["speech_probs"] - wanted).max()))
    report("Silero, sequence model", worst, 1e-3)


def swift_f0(graph, reference: Path, media: Path) -> None:
    cents, confidence = 0.0, 0.0
    for path in sorted(reference.glob("*/swiftf0.csv.gz")):
        samples, wanted = read_wav(media / "audio" / f"{path.parent.name}.wav"), read_rows(path)
        out = verify.run(graph, samples[None], np.array(46.875, np.float32), np.array(2093.75, np.float32))
        count = min(len(wanted["pitch_hz"]), out["pitch"].shape[1])
        voiced = wanted["confidence"][:count] >= 0.5
        ratio = out["pitch"][0, :count][voiced] / wanted["pitch_hz"][:count][voiced]
        cents = max(cents, float(np.abs(1200 * np.log2(ratio)).max()))
        confidence = max(
            confidence, float(np.abs(out["confidence"][0, :count] - wanted["confidence"][:count])[voiced].max())
        )
    report("SwiftF0 pitch of voiced frames, cents", cents, 1.0, f"confidence within {confidence:.1g}")


def overlap(a, b) -> float:
    width, height = min(a[2], b[2]) - max(a[0], b[0]), min(a[3], b[3]) - max(a[1], b[1])
    both = max(width, 0) * max(height, 0)
    return both / ((a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - both)


def detect(graph, image: np.ndarray) -> list[tuple[np.ndarray, np.ndarray, float]]:
    """Boxes (left, top, right, bottom), keypoints and scores of an RGB image, best first, after suppression at 0.4."""
    height, width = image.shape[:2]
    x = image[:, :, ::-1].astype(np.float32) - np.array([104, 117, 123], np.float32)
    out = verify.run(graph, np.ascontiguousarray(x.transpose(2, 0, 1))[None])
    anchors = []
    for stride, sizes in ((8, (16, 32)), (16, (64, 128)), (32, (256, 512))):
        for row in range(-(-height // stride)):
            for column in range(-(-width // stride)):
                anchors += [((column + 0.5) * stride, (row + 0.5) * stride, size) for size in sizes]
    anchors = np.array(anchors)
    scores = out["scores"][0]
    found = []
    for i in np.argsort(-scores):
        if scores[i] <= 0.5:
            break
        centre, size, raw = anchors[i, :2], anchors[i, 2], out["boxes"][0, i]
        middle, half = centre + 0.1 * size * raw[:2], size * np.exp(0.2 * raw[2:]) / 2
        box = np.concatenate([middle - half, middle + half])
        if all(overlap(box, kept) <= 0.4 for kept, _, _ in found):
            found.append((box, centre + 0.1 * size * out["keypoints"][0, i].reshape(5, 2), float(scores[i])))
    return found


def retinaface(graph, reference: Path) -> None:
    boxes, points, scores, faces, missed, extra = 0.0, 0.0, 0.0, 0, 0, 0
    for path in sorted(reference.glob("*/retinaface.json")):
        for frame in json.loads(path.read_text())["frames"]:
            found = detect(graph, np.asarray(Image.open(path.parent / frame["png"]).convert("RGB")))
            extra += max(len(found) - len(frame["faces"]), 0)
            for face in frame["faces"]:
                faces += 1
                box, keypoints, score = max(
                    found, key=lambda f: overlap(f[0], face["box_px"]), default=(np.zeros(4), None, 0)
                )
                if overlap(box, face["box_px"]) < 0.5:
                    missed += 1
                    continue
                boxes = max(boxes, float(np.abs(box - face["box_px"]).max()))
                points = max(points, float(np.abs(keypoints - face["keypoints_px"]).max()))
                scores = max(scores, abs(score - face["score"]))
    report(f"RetinaFace boxes of {faces} faces, px", boxes, 0.05, f"keypoints {points:.2g} px, scores {scores:.1g}")
    report("RetinaFace faces missed or too many", missed + extra, 0)


def face_api(recognition, expression, reference: Path) -> None:
    descriptors, probabilities, count = 0.0, 0.0, 0
    labels = Registry.load().model("face_expression")["labels"]
    for entry in json.loads((reference / "face_api" / "face_api.json").read_text()):
        image = np.asarray(Image.open(reference / "face_api" / "crops" / entry["png"]).convert("RGB")).astype(
            np.float32
        )
        got = verify.run(recognition, np.ascontiguousarray(image.transpose(2, 0, 1))[None])["descriptor"][0]
        descriptors = max(descriptors, float(np.abs(got - entry["descriptor"]).max()))
        small = np.ascontiguousarray(resize(image, 112).transpose(2, 0, 1))[None]
        got = verify.run(expression, small)["probabilities"][0]
        probabilities = max(probabilities, float(np.abs(got - [entry["expressions"][label] for label in labels]).max()))
        count += 1
    report(f"face-api descriptors of {count} crops", descriptors, 1e-5)
    report(f"face-api expressions of {count} crops", probabilities, 1e-5)


def resize(image: np.ndarray, side: int) -> np.ndarray:
    """Bilinear, no antialiasing, no half-pixel shift: TensorFlow's old default, which face-api uses."""
    at = np.arange(side) * (image.shape[0] / side)
    low = at.astype(int)
    high, part = np.minimum(low + 1, image.shape[0] - 1), (at - low).astype(np.float32)
    rows = image[low] * (1 - part)[:, None, None] + image[high] * part[:, None, None]
    return rows[:, low] * (1 - part)[:, None] + rows[:, high] * part[:, None]


def blendshapes(graph, reference: Path) -> None:
    model = Registry.load().model("face_blendshapes")
    worst, count = 0.0, 0
    for path in sorted(reference.glob("*/face_landmarker.json")):
        for frame in json.loads(path.read_text())["frames"]:
            for face in frame["faces"]:
                points = np.array(face["landmarks_px"], np.float32)[model["landmark_subset"], :2]
                got = verify.run(graph, points[None])["blendshapes"][0]
                worst = max(worst, float(np.abs(got - [face["blendshapes"][label] for label in model["labels"]]).max()))
                count += 1
    # The stored landmarks are rounded to 0.001 px.
    report(f"MediaPipe blendshapes of {count} faces, from its own landmarks", worst, 1e-3)


def sample(image: np.ndarray, centre, side: float, angle: float, pixels: int, black: bool) -> np.ndarray:
    """A rotated square of an image as [1, 3, pixels, pixels], bilinear, no antialiasing. Pixel i of the result lies at i / pixels
    of the square's side and pixel j of the image at j: MediaPipe has no half-pixel shifts. Outside is black or the edge."""
    u = np.arange(pixels) / pixels - 0.5
    across, down = np.meshgrid(u * side, u * side)
    x = centre[0] + across * np.cos(angle) - down * np.sin(angle)
    y = centre[1] + across * np.sin(angle) + down * np.cos(angle)
    left, top = np.floor(x).astype(int), np.floor(y).astype(int)
    height, width = image.shape[:2]

    def at(row, column):
        value = image[np.clip(row, 0, height - 1), np.clip(column, 0, width - 1)].astype(np.float32)
        inside = (row >= 0) & (row < height) & (column >= 0) & (column < width)
        return value * inside[..., None] if black else value

    right, below = (x - left)[..., None], (y - top)[..., None]
    upper = at(top, left) * (1 - right) + at(top, left + 1) * right
    lower = at(top + 1, left) * (1 - right) + at(top + 1, left + 1) * right
    return np.ascontiguousarray((upper * (1 - below) + lower * below).transpose(2, 0, 1))[None].astype(np.float32)


def blaze_face(graph, image: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    """Boxes and keypoints of MediaPipe's detector in image pixels, overlapping ones averaged by score."""
    height, width = image.shape[:2]
    side = max(height, width)
    out = verify.run(graph, sample(image, (width / 2, height / 2), side, 0, 128, True) / 127.5 - 1)
    anchors = np.array(
        [
            ((x + 0.5) / n, (y + 0.5) / n)
            for n, each in ((16, 2), (8, 6))
            for y in range(n)
            for x in range(n)
            for _ in range(each)
        ]
    )
    logits = out["scores"][0, :, 0]
    order = [i for i in np.argsort(-logits) if logits[i] >= 0]
    raw = out["boxes"][0].reshape(-1, 8, 2) / 128
    raw[:, [0, 2, 3, 4, 5, 6, 7]] += anchors[:, None]
    raw = raw * side + np.array([width - side, height - side]) / 2
    size = out["boxes"][0, :, 2:4] / 128 * side
    boxes = np.concatenate([raw[:, 0] - size / 2, raw[:, 0] + size / 2], 1)
    found = []
    while order:
        near = [i for i in order if i == order[0] or overlap(boxes[order[0]], boxes[i]) > 0.3]
        order = [i for i in order if i not in near]
        weight = 1 / (1 + np.exp(-logits[near]))
        weight /= weight.sum()
        found.append((weight @ boxes[near], np.tensordot(weight, raw[near, 2:], 1)))
    return found


def landmarks(detector, graph, reference: Path) -> None:
    """The whole of MediaPipe's way from picture to landmarks, single picture mode."""
    errors, within, count = [], 0, 0
    for path in sorted(reference.glob("*/face_landmarker.json")):
        for frame in json.loads(path.read_text())["frames"]:
            image = np.asarray(Image.open(path.parent / frame["png"]).convert("RGB"))
            found = []
            for box, keypoints in blaze_face(detector, image):
                centre, side = (box[:2] + box[2:]) / 2, 1.5 * max(box[2:] - box[:2])
                eyes = keypoints[1] - keypoints[0]
                angle = np.arctan2(eyes[1], eyes[0])
                out = verify.run(graph, sample(image, centre, side, angle, 256, False) / 255)
                if out["presence"][0, 0] < 0:
                    continue
                x, y = ((out["landmarks"][0].reshape(478, 3)[:, :2] / 256 - 0.5) * side).T
                turned = np.stack([x * np.cos(angle) - y * np.sin(angle), x * np.sin(angle) + y * np.cos(angle)], 1)
                found.append(centre + turned)
            for face in frame["faces"]:
                wanted = np.array(face["landmarks_px"])[:, :2]
                error = min((float(np.linalg.norm(f - wanted, axis=1).mean()) for f in found), default=np.inf)
                errors.append(error)
                within += error < 0.3
                count += 1
    report("MediaPipe landmarks, median over faces of the mean distance, px", float(np.median(errors)), 0.1)
    # On some profiles the detector's best score is about 0.5: which boxes are averaged then hangs on rounding.
    report(
        "MediaPipe landmarks, share of faces further off than 0.3 px",
        1 - within / count,
        0.1,
        f"{within} of {count} within",
    )


def main() -> int:
    parser = argparse.ArgumentParser(description="Compares the models with stored results of other programs.")
    parser.add_argument("--shared", type=Path, required=True, help="folder with reference/ and media/")
    parser.add_argument("--models", type=Path, default=FOLDER / "models")
    arguments = parser.parse_args()
    reference, media = arguments.shared / "reference", arguments.shared / "media"

    def graph(name: str):
        return verify.session(arguments.models / Registry.load().model(name)["file"])

    silero(graph("silero_vad"), reference, media)
    silero_sequence(graph("silero_vad_16k_sequence"), reference, media)
    swift_f0(graph("swift_f0"), reference, media)
    campplus(graph("campplus"), reference, media)
    retinaface(graph("retinaface"), reference)
    face_api(graph("face_recognition"), graph("face_expression"), reference)
    blendshapes(graph("face_blendshapes"), reference)
    landmarks(graph("face_detector"), graph("face_landmarks"), reference)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
