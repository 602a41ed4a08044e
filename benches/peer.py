"""The same work done by the tools people use today, each inside its own environment (see peers.py). Prints one JSON object.

Processor time is told for the work alone; imports and the loading of models are left out, in the peer's favour.
"""

import json
import os
import sys
import time

# A peer that brings ONNX Runtime: the library otherwise reports to its maker when it is loaded.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"


def opensmile(wav: str) -> dict:
    import opensmile

    told = {}
    signal = None
    for level in ("LowLevelDescriptors", "Functionals"):
        smile = opensmile.Smile(opensmile.FeatureSet.eGeMAPSv02, getattr(opensmile.FeatureLevel, level))
        if signal is None:
            import audiofile

            signal, rate = audiofile.read(wav)
            smile.process_signal(signal[:rate], rate)  # warm
        begun = time.process_time()
        smile.process_signal(signal, rate)
        told[level] = time.process_time() - begun
    return told


def litert(task: str, source: str, result: str) -> dict:
    import zipfile

    import numpy as np
    from ai_edge_litert.interpreter import Interpreter

    with zipfile.ZipFile(task) as archive:
        model = archive.read("face_landmarks_detector.tflite")
    runner = Interpreter(model_content=model, num_threads=1)
    runner.allocate_tensors()
    image = np.fromfile(source, "<f4").reshape(1, 256, 256, 3)
    runner.set_tensor(runner.get_input_details()[0]["index"], image)
    runner.invoke()
    outputs = [runner.get_tensor(d["index"]) for d in runner.get_output_details()]
    max(outputs, key=lambda o: o.size).astype("<f4").tofile(result)
    each, until = [], time.monotonic() + 3
    while time.monotonic() < until:
        begun = time.process_time()
        runner.invoke()
        each.append(time.process_time() - begun)
    each.sort()
    return {"calls": len(each), "best_secs": each[0], "median_secs": each[len(each) // 2]}


def mediapipe(task: str, video: str, rate_hz: str) -> dict:
    import cv2
    import mediapipe as mp
    from mediapipe.tasks.python import BaseOptions, vision

    cv2.setNumThreads(1)
    options = vision.FaceLandmarkerOptions(
        base_options=BaseOptions(model_asset_path=task), running_mode=vision.RunningMode.VIDEO, num_faces=8,
        output_face_blendshapes=True, output_facial_transformation_matrixes=True)  # fmt: skip
    with vision.FaceLandmarker.create_from_options(options) as landmarker:
        frames = faces = 0
        decode = detect = 0.0
        capture = cv2.VideoCapture(video)
        step, due = 1 / float(rate_hz), 0.0
        while True:
            begun = time.process_time()
            if not capture.grab():
                break
            at = capture.get(cv2.CAP_PROP_POS_MSEC) / 1000
            wanted = at >= due - 1e-6
            picture = cv2.cvtColor(capture.retrieve()[1], cv2.COLOR_BGR2RGB) if wanted else None
            decode += time.process_time() - begun
            if not wanted:
                continue
            due = (int(at / step + 1e-6) + 1) * step
            begun = time.process_time()
            found = landmarker.detect_for_video(
                mp.Image(image_format=mp.ImageFormat.SRGB, data=picture), round(at * 1000)
            )
            detect += time.process_time() - begun
            frames += 1
            faces += len(found.face_landmarks)
    return {"frames": frames, "faces": faces, "decode_secs": decode, "detect_secs": detect}


def mediapipe_bodies(video: str, table: str) -> dict:
    """Pose and hands on the crops of a table (person, seconds, left, top, right, bottom), each person's in turn."""
    import csv

    import cv2
    import mediapipe as mp

    cv2.setNumThreads(1)
    rows = [(r[0], float(r[1]), [int(v) for v in r[2:]]) for r in csv.reader(open(table))]
    wanted: dict = {}
    for person, at, box in rows:
        wanted.setdefault(at, []).append((person, box))
    pictures: dict = {}
    capture, due = cv2.VideoCapture(video), sorted(wanted)
    while due and capture.grab():
        at = capture.get(cv2.CAP_PROP_POS_MSEC) / 1000
        if at < due[0] - 0.005:
            continue
        picture = cv2.cvtColor(capture.retrieve()[1], cv2.COLOR_BGR2RGB)
        for person, (left, top, right, bottom) in wanted[due.pop(0)]:
            crop = picture[max(top, 0) : bottom, max(left, 0) : right]
            pictures.setdefault(person, []).append(crop.copy())
    secs, bodies, hands = 0.0, 0, 0
    for crops in pictures.values():
        with (
            mp.solutions.pose.Pose(model_complexity=1, smooth_landmarks=False) as pose,
            mp.solutions.hands.Hands(max_num_hands=2, model_complexity=1) as palms,
        ):
            pose.process(crops[0]), palms.process(crops[0])
            begun = time.process_time()
            for crop in crops:
                bodies += pose.process(crop).pose_landmarks is not None
                hands += len(palms.process(crop).multi_hand_landmarks or [])
            secs += time.process_time() - begun
    return {"crops": sum(map(len, pictures.values())), "bodies": bodies, "hands": hands, "secs": secs}


def senko(*paths: str) -> dict:
    """Pairs of a recording and where its RTTM goes, all in one process: importing and compiling takes senko minutes."""
    import senko
    import torch

    torch.set_num_threads(1)
    diarizer = senko.Diarizer(device="cpu", warmup=True, quiet=True)
    clips = []
    for wav, rttm in zip(paths[::2], paths[1::2]):
        each = []
        for _ in range(2):
            begun = time.process_time()
            segments = (diarizer.diarize(wav, generate_colors=False) or {}).get("merged_segments", [])
            each.append(time.process_time() - begun)
        with open(rttm, "w") as out:
            for s in segments:
                print(
                    f"SPEAKER x 1 {s['start']:.3f} {s['end'] - s['start']:.3f} <NA> <NA> {s['speaker']} <NA> <NA>",
                    file=out,
                )
        clips.append({"secs": min(each), "speakers": len({s["speaker"] for s in segments})})
    return {"clips": clips}


if __name__ == "__main__":
    work = {"opensmile": opensmile, "litert": litert, "mediapipe": mediapipe, "mediapipe_bodies": mediapipe_bodies, "senko": senko}[sys.argv[1]]
    print("\n" + json.dumps(work(*sys.argv[2:])))
