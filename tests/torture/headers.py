"""Headers that lie: absurd rates, sizes, pictures and times, bombs; bounded in time and memory, and told."""

import json
import struct
import subprocess
import zlib
from pathlib import Path

import cases
import originals
from cases import Case
from program import Program, Room
from tally import Tally

OPTIONS = ("--set", "face.rate_hz=2")
DEEP = 100_000


def wav(
    rate: int = 16_000,
    channels: int = 1,
    size: int | None = None,
    payload: bytes = bytes(range(256)) * 256,
    bits: int = 16,
) -> bytes:
    """64 KB of PCM under any header."""
    size = len(payload) if size is None else size
    block = channels * bits // 8
    head = struct.pack("<HHIIHH", 1, channels, rate, rate * block & 0xFFFFFFFF, block & 0xFFFF, bits)
    return (
        b"RIFF"
        + struct.pack("<I", min(size + 36, 0xFFFFFFFF))
        + b"WAVEfmt "
        + struct.pack("<I", 16)
        + head
        + b"data"
        + struct.pack("<I", size)
        + payload
    )


def png(width: int, height: int, data: bytes, depth: int = 8, colour: int = 2) -> bytes:
    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, 0))
        + chunk(b"IDAT", data)
        + chunk(b"IEND", b"")
    )


def bomb(width: int, height: int) -> bytes:
    """A white picture of one bit a pixel: `width * height` pixels in a few KB."""
    packer, row = zlib.compressobj(9), b"\x00" + b"\xff" * (width // 8)
    return png(width, height, b"".join(packer.compress(row) for _ in range(height)) + packer.flush(), 1, 0)


def patched(data: bytes, mark: bytes, at: int, new: bytes) -> bytes:
    """`new` at a distance behind every `mark`."""
    out, place = bytearray(data), data.find(mark)
    if place < 0:
        raise ValueError(f"no {mark!r} to be patched")
    while place >= 0:
        out[place + at : place + at + len(new)] = new
        place = data.find(mark, place + 1)
    return bytes(out)


def file(name: str, content: bytes | str, column: str = "media"):
    """Makes a case of one file."""

    def make(room: Room) -> dict:
        room.write(name, content)
        return {column: name}

    return make


def sparse(name: str, head: bytes, size: int, column: str = "media"):
    """A file of holes behind a head."""

    def make(room: Room) -> dict:
        with room.write(name, head).open("r+b") as out:
            out.truncate(size)
        return {column: name}

    return make


def line_of(size: int):
    def make(room: Room) -> dict:
        room.write("line.csv", "start,end,speaker,text\n0,1,Anna,hello\n1,2,Ben," + "word " * (size // 5) + "\n")
        return {"transcript": "line.csv"}

    return make


def run(program: Program, tally: Tally, talk: Path, heavy: bool) -> None:
    """All cases; those of hundreds of megabytes, or half an hour, only when there is time."""
    folder = program.work / "headers"
    folder.mkdir()
    made = [*sounds(), *pictures(talk, folder), *times(talk, folder), *texts(), *(large(folder) if heavy else [])]
    cases.run(program, tally, made, OPTIONS)


def sounds() -> list[Case]:
    return [
        Case("wav_1_hz", file("one.wav", wav(rate=1)), "told"),
        Case("wav_0_hz", file("none.wav", wav(rate=0)), "refused"),
        Case("wav_100_mhz", file("fast.wav", wav(rate=100_000_000)), "told"),
        Case("wav_65535_channels", file("wide.wav", wav(channels=65535)), "told"),
        Case("wav_0_channels", file("narrow.wav", wav(channels=0)), "refused"),
        Case("wav_piped", file("piped.wav", wav(size=0xFFFFFFFF))),
        Case("wav_ten_times_the_samples", file("long.wav", wav(size=655_360)), "told"),
        Case("wav_a_tenth_of_the_samples", file("short.wav", wav(size=6_554)), "told"),
        Case("wav_1_bit", file("bit.wav", wav(bits=1)), "told"),
        Case("mp4_of_holes", sparse("holes.mp4", b"\x00\x00\x00\x18ftypisom", 1 << 30), "refused"),
    ]


def pictures(talk: Path, folder: Path) -> list[Case]:
    size16, size32 = struct.pack(">HH", 30_000, 30_000), struct.pack(">II", 30_000 << 16, 30_000 << 16)
    made = {}
    for name in ("h264_aac.mp4", "vp8_vorbis.webm", "picture.jpg", "pictures.gif", "mjpeg_pcm.avi"):
        originals.cut(talk, folder / name, "25", "1", originals.MEDIA.get(name, originals.STILL))
        made[name] = (folder / name).read_bytes()
    mp4 = patched(patched(made["h264_aac.mp4"], b"avc1\x00\x00\x00\x00\x00\x00", 28, size16), b"tkhd", 80, size32)
    huge_frame = patched(made["vp8_vorbis.webm"], b"\x9d\x01\x2a", 3, struct.pack("<HH", 16_383, 16_383))
    jpg = patched(made["picture.jpg"], b"\xff\xc0", 5, struct.pack(">HH", 65_000, 65_000))
    strh = made["mjpeg_pcm.avi"]
    return [
        Case("mp4_30000", file("claims.mp4", mp4)),
        Case("webm_16383", file("claims.webm", huge_frame), "told"),
        Case("png_30000", file("claims.png", png(30_000, 30_000, zlib.compress(bytes(1000)))), "told"),
        Case("png_of_max", file("claims_more.png", png(0x7FFFFFFF, 0x7FFFFFFF, zlib.compress(bytes(1000)))), "refused"),
        Case("png_bomb", file("bomb.png", bomb(30_000, 30_000)), "told"),
        Case("jpg_65000", file("claims.jpg", jpg), "told"),
        Case("gif_65535", file("claims.gif", patched(made["pictures.gif"], b"GIF89a", 6, b"\xff\xff\xff\xff"))),
        Case("avi_of_4_ghz", file("quick.avi", patched(strh, b"vids", 20, struct.pack("<II", 1, 0xFFFFFFFF)))),
        Case(
            "avi_of_a_frame_a_century",
            file("slow.avi", patched(strh, b"vids", 20, struct.pack("<II", 0xFFFFFFFF, 1))),
            "told",
        ),
    ]


def times(talk: Path, folder: Path) -> list[Case]:
    """Time stamps far away from the beginning, and from each other."""
    jump = {"v": "setpts='PTS+gt(N,10)*190000/TB'", "a": "asetpts='PTS+gt(N,10)*190000/TB'"}
    makes = {
        "late.mkv": ["-output_ts_offset", "190000", *originals.H264, "-c:a", "aac"],
        "picture_jumps.mkv": [
            "-vf",
            f"scale=320:180,{jump['v']}",
            "-fps_mode",
            "passthrough",
            "-c:v",
            "libx264",
            "-c:a",
            "aac",
        ],
        "sound_jumps.mkv": [*originals.H264, "-af", jump["a"], "-c:a", "pcm_s16le"],
        "sound_jumps.mka": ["-vn", "-af", jump["a"], "-c:a", "libopus"],
        "sound_jumps.ts": ["-vn", "-af", jump["a"].replace("190000", "90000"), "-c:a", "mp2"],
    }
    for name, options in makes.items():
        originals.cut(talk, folder / name, "25", "2", options)
    clip = folder / "h264_aac.mp4"
    late = [
        "ffmpeg",
        "-v",
        "error",
        "-y",
        "-itsoffset",
        "190000",
        "-i",
        clip,
        "-i",
        clip,
        "-map",
        "0:v",
        "-map",
        "1:a",
        "-c",
        "copy",
    ]
    subprocess.run([*late, folder / "picture_late.mp4"], check=True)
    verdicts = dict.fromkeys(makes, "told") | {"late.mkv": "any", "picture_late.mp4": "any"}
    return [Case(n.replace(".", "_"), file(n, (folder / n).read_bytes()), verdict) for n, verdict in verdicts.items()]


def texts() -> list[Case]:
    laughs = "".join(f'<!ENTITY l{i} "{f"&l{i - 1};" * 10}">' for i in range(1, 10))
    eaf = originals.annotated()[0].data().decode()
    expanding = eaf.replace(
        "<ANNOTATION_DOCUMENT", f'<!DOCTYPE x [<!ENTITY l0 "ha">{laughs}]>\n<ANNOTATION_DOCUMENT', 1
    ).replace("I told you", "&l9;")
    outside = eaf.replace(
        "<ANNOTATION_DOCUMENT", '<!DOCTYPE x [<!ENTITY l SYSTEM "file:///etc/passwd">]>\n<ANNOTATION_DOCUMENT', 1
    ).replace("I told", "&l;")
    grid = originals.annotated()[2].data().decode().replace("\n2\n", "\n999999999999999999\n", 1)
    cue = {"start": 0, "end": 1e308, "text": "for ever"}
    return [
        Case("eaf_entities", file("laughs.eaf", expanding, "transcript"), "told"),
        Case("eaf_outside", file("outside.eaf", outside, "transcript"), "told"),
        Case("eaf_deep", file("deep.eaf", "<ANNOTATION_DOCUMENT>" + "<TIER>" * DEEP, "transcript"), "refused"),
        Case("json_deep_lists", file("lists.json", "[" * DEEP, "transcript"), "refused"),
        Case("json_deep_objects", file("objects.json", '{"segments":' * DEEP, "transcript"), "refused"),
        Case(
            "json_deep_inside",
            file(
                "inside.json", '{"segments":[{"start":0,"end":1,"text":' + "[" * DEEP + "]" * DEEP + "}]}", "transcript"
            ),
            "refused",
        ),
        Case("json_for_ever", file("ever.json", json.dumps({"segments": [cue]}), "transcript"), "told"),
        Case("textgrid_sizes", file("sizes.TextGrid", grid, "transcript"), "refused"),
        Case("srt_years", file("years.srt", "1\n00:00:00,000 --> 99999999:00:00,000\nlong\n\n", "transcript"), "told"),
        Case(
            "transcript_of_holes",
            sparse("holes.srt", b"1\n00:00:00,000 --> 00:00:01,000\nhello\n\n", 1 << 30, "transcript"),
            "refused",
        ),
    ]


def large(folder: Path) -> list[Case]:
    """Half an hour of silence in a few KB, and files that are as long as they say."""
    quiet = folder / "quiet.opus"
    silence = ["-f", "lavfi", "-i", "anullsrc=r=16000:cl=mono", "-t", "1800", "-c:a", "libopus", "-b:a", "6k"]
    subprocess.run(["ffmpeg", "-v", "error", "-y", *silence, quiet], check=True)
    return [
        Case("opus_of_silence", file("quiet.opus", quiet.read_bytes())),
        Case("wav_of_holes", sparse("holes.wav", wav(rate=192_000, channels=8, size=(1 << 30) - 100), 1 << 30)),
        Case("csv_line_100_mb", line_of(100_000_000)),
        Case(
            "transcript_of_smaller_holes",
            sparse("holes.vtt", b"WEBVTT\n\n00:00.000 --> 00:01.000\nhello\n\n", 400 << 20, "transcript"),
            "told",
        ),
    ]
