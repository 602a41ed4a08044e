"""Sound files of every kind that is read, tiny: media by ffmpeg from the sample corpus, transcripts by hand."""

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path

SECS = 2
SMALL = ["-vf", "scale=320:180", "-r", "25"]
H264 = [*SMALL, "-c:v", "libx264", "-preset", "ultrafast"]
SOUND = ["-vn", "-ac", "1"]
# File name and ffmpeg's output options. The names tell container and codecs.
MEDIA = {
    "s16.wav": [*SOUND, "-ar", "16000", "-c:a", "pcm_s16le"],
    "s24_stereo.wav": ["-vn", "-ac", "2", "-ar", "48000", "-c:a", "pcm_s24le"],
    "f32.wav": [*SOUND, "-ar", "44100", "-c:a", "pcm_f32le"],
    "s16.w64": [*SOUND, "-ar", "16000"],
    "s16.aiff": [*SOUND, "-ar", "22050"],
    "s16.caf": [*SOUND, "-ar", "16000"],
    "layer3.mp3": [*SOUND, "-ar", "22050"],
    "no_header.mp3": [*SOUND, "-ar", "44100", "-write_xing", "0"],
    "vorbis.ogg": [*SOUND, "-c:a", "libvorbis"],
    "opus.opus": [*SOUND, "-c:a", "libopus"],
    "flac.flac": [*SOUND, "-ar", "16000"],
    "adts.aac": [*SOUND, "-c:a", "aac"],
    "aac.m4a": [*SOUND, "-c:a", "aac"],
    "h264_aac.mp4": [*H264, "-c:a", "aac"],
    "fragments.mp4": [*H264, "-g", "12", "-c:a", "aac", "-movflags", "frag_keyframe+empty_moov"],
    "faststart.mp4": [*H264, "-c:a", "aac", "-movflags", "faststart"],
    "picture_only.mp4": [*H264, "-an"],
    "h264_pcm.mov": [*H264, "-c:a", "pcm_s16le"],
    "h264_opus.mkv": [*H264, "-c:a", "libopus"],
    "vp8_vorbis.webm": [*SMALL, "-c:v", "libvpx", "-deadline", "realtime", "-c:a", "libvorbis"],
    "vp9_opus.webm": [*SMALL, "-c:v", "libvpx-vp9", "-deadline", "realtime", "-cpu-used", "8", "-c:a", "libopus"],
    "mpeg4_mp3.avi": [*SMALL, "-c:v", "mpeg4", "-c:a", "libmp3lame"],
    "mjpeg_pcm.avi": [*SMALL, "-c:v", "mjpeg", "-c:a", "pcm_s16le"],
    "h264_aac.ts": [*H264, "-c:a", "aac"],
    "mpeg2_mp2.mpg": [*SMALL, "-c:v", "mpeg2video", "-c:a", "mp2"],
    "mpeg4_aac.3gp": ["-vf", "scale=176:144", "-r", "15", "-c:v", "mpeg4", "-c:a", "aac", "-ar", "16000", "-ac", "1"],
    "h264_aac.flv": [*H264, "-c:a", "aac", "-ar", "44100"],
    "pictures.gif": ["-an", "-vf", "scale=160:90", "-r", "10"],
}
# A still picture is no recording: refused, whatever it claims.
STILL = ["-an", "-vf", "scale=320:180", "-frames:v", "1"]
# Neither a length nor a mark of the end: a cut between two packets leaves no trace.
ENDLESS = ("no_header.mp3", "adts.aac", "h264_aac.ts", "mpeg2_mp2.mpg", "h264_aac.flv")


def media(talk: Path, folder: Path) -> dict[str, Path]:
    """All of [`MEDIA`], cut from the talk where its speaker is close."""
    made = {}
    for name, options in MEDIA.items():
        made[name] = folder / name
        cut(talk, made[name], "25", str(SECS), options)
    return made


def cut(source: Path, target: Path, start: str, secs: str, options: list[str]) -> None:
    command = ["ffmpeg", "-v", "error", "-y", "-nostdin", "-ss", start, "-t", secs, "-i", source, "-map_metadata", "-1"]
    subprocess.run([*command, *options, target], check=True)


@dataclass
class Original:
    """A sound transcript: a head, one block a turn, a tail. Without a tail, a cut between blocks leaves no trace."""

    name: str
    head: str
    blocks: list[str]
    tail: str = ""
    column: str = "transcript"

    def data(self) -> bytes:
        return (self.head + "".join(self.blocks) + self.tail).encode()

    def cut_is_between(self, size: int) -> bool:
        """True where the first `size` bytes end with a whole block, and no mark of the end is due, but for space."""
        data, edges = self.data(), [len(self.head.encode())]
        for block in self.blocks:
            edges.append(edges[-1] + len(block.encode()))
        before = max((e for e in edges if e <= size), default=0)
        after = min((e for e in edges if e >= size), default=len(data))
        return not self.tail and (not data[before:size].strip() or not data[size:after].strip())


COUNT = 12


def said(i: int) -> tuple[float, float, str, str]:
    """Start, end, speaker and words of turn `i`, all different."""
    words = ["the kettle", "your sister", "that Würfel", "the long road", "nobody's house"]
    return (
        1.5 * i + 0.25,
        1.5 * i + 1.5,
        ("Anna", "Ben")[i % 2],
        f"I told you about {words[i % 5]} number {i}, didn't I?",
    )


def clock(secs: float, mark: str) -> str:
    return f"00:{int(secs // 60):02}:{int(secs % 60):02}{mark}{int(secs * 1000 % 1000):03}"


def each(form) -> list[str]:
    return [form(i, *said(i)) for i in range(COUNT)]


def transcripts() -> list[Original]:
    """One of every format."""
    return [*plain(), *structured(), *annotated()]


def plain() -> list[Original]:
    """Formats with a line or a few for each turn."""
    return [
        Original(
            "cues.srt", "", each(lambda i, a, b, s, t: f"{i + 1}\n{clock(a, ',')} --> {clock(b, ',')}\n{s}: {t}\n\n")
        ),
        Original(
            "cues.vtt", "WEBVTT\n\n", each(lambda i, a, b, s, t: f"{clock(a, '.')} --> {clock(b, '.')}\n<v {s}>{t}\n\n")
        ),
        Original("marks.stm", ";; made\n", each(lambda i, a, b, s, t: f"talk 1 {s} {a:.2f} {b:.2f} <o,f0> {t}\n")),
        Original("rows.csv", "start,end,speaker,text\n", each(lambda i, a, b, s, t: f'{a:.2f},{b:.2f},{s},"{t}"\n')),
        Original(
            "rows.tsv", "start\tend\tspeaker\ttext\n", each(lambda i, a, b, s, t: f"{a:.2f}\t{b:.2f}\t{s}\t{t}\n")
        ),
        Original(
            "speech.rttm",
            "",
            each(lambda i, a, b, s, t: f"SPEAKER talk 1 {a / 9:.3f} {(b - a) / 9:.3f} <NA> <NA> {s} <NA> <NA>\n"),
            column="rttm",
        ),
    ]


def structured() -> list[Original]:
    """JSON of speech recognisers and of the benchmark."""

    def words(a, b, t, key):
        parts = t.split()
        step = (b - a) / len(parts)
        return [
            {key: w, "start": round(a + n * step, 3), "end": round(a + (n + 1) * step, 3), "score": 0.9}
            for n, w in enumerate(parts)
        ]

    def row(i, a, b, s, t):
        return {
            "row_index": i + 1,
            "start_time": a,
            "end_time": b,
            "primary_speaker": s,
            "target": ["Couple"],
            "dialogue_cleaned": t,
            "utterance_type": "disclosure",
            "tone_of_voice": "calm",
            "background_dialogue": [],
            "body_posture": [],
            "internal_emotion": [{"person": s, "emotion": "calm"}],
        }

    def sample(name):
        return {
            "sample_id": name,
            "scenario": "couple",
            "participants": ["Anna", "Ben"],
            "source_file": "talk.mp4",
            "rows": each(row),
        }

    whisper = {
        "text": "all",
        "language": "en",
        "segments": each(lambda i, a, b, s, t: {"id": i, "start": a, "end": b, "text": " " + t}),
    }
    aligned = each(
        lambda i, a, b, s, t: {"start": a, "end": b, "text": t, "speaker": s, "words": words(a, b, t, "word")}
    )
    return [
        Original("whisper.json", json.dumps(whisper), [], " "),
        Original("whisperx.json", json.dumps({"segments": aligned, "language": "en"}, indent=1), [], " "),
        Original("sample.json", json.dumps(sample("talk"), indent=1), [], " "),
        Original("samples.jsonl", json.dumps(sample("talk")) + "\n", [], " "),
    ]


def annotated() -> list[Original]:
    """Formats of ELAN, Praat and CLAN."""
    slots = "".join(
        f'<TIME_SLOT TIME_SLOT_ID="t{i}{e}" TIME_VALUE="{int(said(i)[k] * 1000)}"/>\n'
        for i in range(COUNT)
        for k, e in ((0, "a"), (1, "b"))
    )

    def tier(who):
        notes = "".join(
            f'<ANNOTATION><ALIGNABLE_ANNOTATION ANNOTATION_ID="a{i}" TIME_SLOT_REF1="t{i}a" TIME_SLOT_REF2="t{i}b">\n'
            f"<ANNOTATION_VALUE>{said(i)[3]}</ANNOTATION_VALUE></ALIGNABLE_ANNOTATION></ANNOTATION>\n"
            for i in range(COUNT)
            if said(i)[2] == who
        )
        return f'<TIER TIER_ID="{who}" PARTICIPANT="{who}" LINGUISTIC_TYPE_REF="default">\n{notes}</TIER>\n'

    eaf = (
        '<?xml version="1.0" encoding="UTF-8"?>\n<ANNOTATION_DOCUMENT AUTHOR="" FORMAT="3.0" VERSION="3.0">\n'
        f'<HEADER MEDIA_FILE="" TIME_UNITS="milliseconds"/>\n<TIME_ORDER>\n{slots}</TIME_ORDER>\n'
        f"{tier('Anna')}{tier('Ben')}"
        '<LINGUISTIC_TYPE LINGUISTIC_TYPE_ID="default" TIME_ALIGNABLE="true"/>\n</ANNOTATION_DOCUMENT>\n'
    )

    def intervals(who):
        mine = [said(i) for i in range(COUNT) if said(i)[2] == who]
        edges, at = [], 0.0
        for a, b, _, t in mine:
            edges += [(at, a, ""), (a, b, t)]
            at = b
        return edges

    praat = 'File type = "ooTextFile"\nObject class = "TextGrid"\n\n'
    long = f"{praat}xmin = 0\nxmax = 20\ntiers? <exists>\nsize = 2\nitem []:\n"
    short = f"{praat}0\n20\n<exists>\n2\n"
    for n, who in enumerate(("Anna", "Ben"), 1):
        all_of = intervals(who)
        long += f'    item [{n}]:\n        class = "IntervalTier"\n        name = "{who}"\n'
        long += f"        xmin = 0\n        xmax = 20\n        intervals: size = {len(all_of)}\n"
        short += f'"IntervalTier"\n"{who}"\n0\n20\n{len(all_of)}\n'
        for k, (a, b, t) in enumerate(all_of, 1):
            long += (
                f'        intervals [{k}]:\n            xmin = {a}\n            xmax = {b}\n            text = "{t}"\n'
            )
            short += f'{a}\n{b}\n"{t}"\n'
    chat = "@UTF8\n@Begin\n@Languages:\teng\n@Participants:\tANN Anna Adult, BEN Ben Adult\n"
    chat += "@ID:\teng|x|ANN|||||Adult|||\n@ID:\teng|x|BEN|||||Adult|||\n"
    utterances = each(lambda i, a, b, s, t: f"*{s[:3].upper()}:\t{t} \x15{int(a * 1000)}_{int(b * 1000)}\x15\n")
    return [
        Original("tiers.eaf", eaf, [], " "),
        Original("long.TextGrid", long, [], " "),
        Original("short.TextGrid", short, [], " "),
        Original("talk.cha", chat, utterances, "@End\n"),
    ]
