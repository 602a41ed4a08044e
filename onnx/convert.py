"""Converts one model and verifies it. Runs in the conversion environment, started by fetch_models.py:
convert.py NAME SOURCE DESTINATION [--verify-only]"""

from __future__ import annotations

import sys
import zipfile
from pathlib import Path

from registry import Registry, manifest_of

# TFLite output names and ours. What is not named (the landmark model's third output, unused) is left out.
DETECTOR = {"regressors": "boxes", "classificators": "scores"}
TFLITE_OUTPUTS = {
    "face_detector": DETECTOR,
    "face_detector_back": DETECTOR,
    "face_detector_full": {"reshaped_regressor_face_4": "boxes", "reshaped_classifier_face_4": "scores"},
    "face_landmarks": {"Identity": "landmarks", "Identity_1": "presence"},
    "face_blendshapes": {},
    "person_detector": {"Identity": "boxes", "Identity_1": "scores"},
    # The segmentation mask and the points in metres are left out: a third of the time, and nothing reads them.
    "body_landmarks": {"Identity": "landmarks", "Identity_1": "presence", "Identity_3": "heat"},
    "palm_detector": {"Identity": "boxes", "Identity_1": "scores"},
    "hand_landmarks": {"Identity": "landmarks", "Identity_1": "presence", "Identity_2": "handedness"},
    "iris_landmarks": {"output_eyes_contours_and_brows": "eye_landmarks", "output_iris": "iris_landmarks"},
}


def read_source(model: dict, path: Path) -> bytes:
    member = model["source"].get("member")
    if member is None:
        return path.read_bytes()
    with zipfile.ZipFile(path) as archive:
        return archive.read(member)


def convert(model: dict, path: Path) -> bytes:
    source = read_source(model, path)
    manifest = manifest_of(model["conversion"], path)
    match model["conversion"]:
        case "none":
            return source
        case "tflite":
            import tflite_to_onnx

            return tflite_to_onnx.convert(source, model["name"], TFLITE_OUTPUTS[model["name"]])
        case "campplus":
            import campplus

            return campplus.convert(source, model["name"])
        case "segmentation":
            import segmentation

            return segmentation.convert(source, model["name"])
        case "silero":
            import silero

            return silero.convert(source)
        case "retinaface":
            import retinaface

            return retinaface.convert(source)
        case "face_api_recognition":
            import face_api

            return face_api.convert_recognition(source, manifest.read_bytes())
        case "face_api_expression":
            import face_api

            return face_api.convert_expression(source, manifest.read_bytes())
        case "faceres":
            import faceres

            return faceres.convert(source, manifest.read_bytes())
        case other:
            raise ValueError(f"{model['name']}: unknown conversion {other!r}")


def main() -> int:
    name, source, destination = sys.argv[1:4]
    model = Registry.load().model(name)
    if "--verify-only" not in sys.argv[4:]:
        Path(destination).write_bytes(convert(model, Path(source)))
    import verify

    try:
        for line in verify.verify(model, Path(source), Path(destination)):
            print(f"{name}: {line}", flush=True)
    except verify.Failure as failure:
        print(f"error: {name}: {failure}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
