"""Our body and hand stage beside MediaPipe's, on the same people at the same instants."""

from __future__ import annotations

import csv
from pathlib import Path

from peers import Absent
from report import Report

RATE_HZ = "4"


def crops(folder: Path, name: str, to: Path) -> int:
    """What is looked at about each named face at the instants of `bodies`, as MediaPipe is shown it: the rows of `to`."""
    looks = {row["pts_secs"] for row in csv.DictReader(open(folder / f"bodies/{name}.csv"))}
    rows = []
    for face in csv.DictReader(open(folder / f"faces/{name}.csv")):
        left, top, width, height = (float(face[f"box_{k}_px"]) for k in ("left", "top", "width", "height"))
        if face["pts_secs"] in looks and face["person"] and (width * height) ** 0.5 >= 24:
            x, y = left + width / 2, top + height / 2
            box = [x - 2.5 * width, y - 1.25 * height, x + 2.5 * width, y + 5.5 * height]
            rows.append([face["person"], face["pts_secs"], *(round(v) for v in box)])
    with open(to, "w", newline="") as out:
        csv.writer(out).writerows(rows)
    return len(rows)


def bodies(tools) -> Report:
    report = Report("Bodies and hands")
    if not tools.shared:
        tools.absent(report, "bodies and hands")
        return report
    rows = []
    for name in ("interview_split_screen", "two_women_portrait"):
        video = tools.shared / f"media/video/{name}.mp4"
        cpu = {}
        for rate in ("0", RATE_HZ):
            out = tools.work / f"bodies_{rate}"
            options = ("--id", name, "--no-cache", "--format", "csv", "--jobs", "1", "--set", f"body.rate_hz={rate}")
            runs = (tools.ours("extract", video, "--out", out, "--force", *options) for _ in range(2))
            cpu[rate] = min(run["cpu"] for run in runs)
        stage = cpu[RATE_HZ] - cpu["0"]
        rows.append([f"{name}: turnwise, body.rate_hz = {RATE_HZ} less 0", stage, 100 * stage / cpu["0"]])
        table = tools.work / f"{name}.crops.csv"
        count = crops(tools.work / f"bodies_{RATE_HZ}", name, table)
        try:
            theirs = tools.peer("mediapipe_bodies", video, table)
            rows.append([f"{name}: mediapipe 0.10.21, pose and hands, {count} crops", theirs["secs"], None])
            report.note(
                f"{name} at {RATE_HZ} Hz: our body and hand stage takes {stage / theirs['secs']:.2f}x the CPU time of "
                f"MediaPipe's on a crop about each face, following from crop to crop (wanted: at most 1.0x); "
                f"`extract` takes {100 * stage / cpu['0']:.0f} % more with it (wanted: at most 60 % in interview_split_screen)."
            )
        except Absent as why:
            rows.append([f"{name}: mediapipe: {why}", None, None])
    report.table(["body and hand stage", "CPU s", "% of extract without it"], rows)
    return report
