"""Files that point at others, and what is no file: refused in one clear row, and what they point at is not opened."""

import os
import socket
from collections.abc import Callable
from pathlib import Path

import cases
import headers
import originals
from cases import Case
from program import Program, Room
from tally import Tally

SECRET = "secret.wav"
POINTED_AT = (SECRET, "secret.sub", "pic001.png", "pic002.png")
# Earlier than any change: with relatime, the usual way to mount, the first reading moves it.
LONG_AGO = 1_000_000_000


def run(program: Program, tally: Tally) -> None:
    if not reading_shows(program.work / "control"):
        raise SystemExit(f"torture: {program.work} keeps no access times; set TMPDIR to a folder on a disk that does")
    cases.run(program, tally, pointers(), after=untouched)
    cases.run(
        program,
        tally,
        [
            special(kind, make, column)
            for kind, make in KINDS.items()
            for column in ("media", "audio", "transcript", "rttm")
        ],
    )


def reading_shows(path: Path) -> bool:
    path.write_bytes(b"x")
    os.utime(path, (LONG_AGO, LONG_AGO + 1))
    path.read_bytes()
    return path.stat().st_atime > LONG_AGO


def untouched(room: Room) -> list[str]:
    """What the playlists point at was not read."""
    there = (room.into / name for name in POINTED_AT)
    return [f"{p.name} was opened and read" for p in there if p.exists() and p.stat().st_atime > LONG_AGO]


def pointing(name: str, text: str, column: str = "media") -> Case:
    """A playlist beside what it points at."""

    def make(room: Room) -> dict:
        content = text.replace("SECRET", SECRET).replace("FOLDER", str(room.into))
        for file in POINTED_AT:
            os.utime(room.write(file, headers.wav()), (LONG_AGO, LONG_AGO + 1))
        room.write(name, content)
        return {column: name}

    return Case(f"{column}_{name.replace('.', '_').replace('%', '')}", make, "refused")


def pointers() -> list[Case]:
    """Playlists of every kind that FFmpeg knows, under their own names and under those of films."""
    m3u8 = "#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXT-X-MEDIA-SEQUENCE:0\n#EXTINF:2.0,\n{}\n#EXT-X-ENDLIST\n"
    mpd = (
        '<?xml version="1.0"?>\n<MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static" '
        'mediaPresentationDuration="PT2S" profiles="urn:mpeg:dash:profile:isoff-on-demand:2011">'
        '<Period><AdaptationSet mimeType="audio/wav"><Representation id="1" bandwidth="1000"><BaseURL>{}</BaseURL>'
        "</Representation></AdaptationSet></Period></MPD>\n"
    )
    concat, sdp = (
        "ffconcat version 1.0\nfile {}\n",
        "v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nt=0 0\nm=audio 5004 RTP/AVP 0\n",
    )
    idx = "# VobSub index file, v7 (do not modify this line!)\nsize: 720x576\nid: en, index: 0\n"
    idx += "timestamp: 00:00:00:000, filepos: 000000000\n"
    made = [
        *(
            pointing(f"{kind}_{where}.{kind}", text.format(target))
            for kind, text in (("m3u8", m3u8), ("ffconcat", concat), ("mpd", mpd))
            for where, target in (
                ("beside", "SECRET"),
                ("whole", "file:FOLDER/SECRET"),
                ("net", "http://127.0.0.1:9/SECRET"),
            )
        ),
        *(
            pointing(f"{kind}.{suffix}", text.format("SECRET"))
            for kind, text in (("m3u8", m3u8), ("ffconcat", concat), ("mpd", mpd), ("sdp", sdp))
            for suffix in ("mp4", "mkv", "wav", "ts", "txt")
        ),
        pointing("list.m3u", m3u8.format("SECRET")),
        pointing(
            "key.m3u8", m3u8.format("SECRET").replace("#EXTINF", '#EXT-X-KEY:METHOD=AES-128,URI="SECRET"\n#EXTINF')
        ),
        pointing("map.m3u8", m3u8.format("SECRET").replace("#EXTINF", '#EXT-X-MAP:URI="SECRET"\n#EXTINF')),
        pointing("stream.sdp", sdp),
        pointing("list.pls", "[playlist]\nFile1=SECRET\n"),
        pointing("list.asx", '<asx version="3.0"><entry><ref href="SECRET"/></entry></asx>'),
        pointing(
            "list.xspf",
            '<playlist version="1"><trackList><track><location>SECRET</location></track></trackList></playlist>',
        ),
        pointing("secret.idx", idx),
        pointing("pic%03d.png", "no picture"),
        pointing("unsafe.ffconcat", "ffconcat version 1.0\nfile '/etc/passwd'\n"),
        pointing("audio.m3u8", m3u8.format("SECRET"), "audio"),
    ]
    # Names that FFmpeg takes for more than a name, where there is no such file.
    for number, name in enumerate(
        (
            "pic%03d.png",
            "pic*.png",
            f"concat:{SECRET}",
            f"file:{SECRET}",
            f"subfile:start:0:end:0:{SECRET}",
            f"crypto:{SECRET}",
        )
    ):
        case = pointing("unused.txt", "")
        made.append(
            Case(f"name_{number}", lambda room, case=case, name=name: case.make(room) and {"media": name}, "refused")
        )
    return made


def pipe(path: Path) -> None:
    os.mkfifo(path)


def listening(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as s:
        # The path of a socket is short; that of the room need not be.
        here = os.getcwd()
        os.chdir(path.parent)
        s.bind(path.name)
        os.chdir(here)


def folder(path: Path) -> None:
    path.mkdir()


def link_to(target: str) -> Callable[[Path], None]:
    return lambda path: path.symlink_to(target)


KINDS = {
    "pipe": pipe,
    "socket": listening,
    "folder": folder,
    "link_to_nothing": link_to("nothing"),
    "link_to_itself": lambda p: p.symlink_to(p.name),
    "link_to_zero": link_to("/dev/zero"),
    "link_to_random": link_to("/dev/random"),
    "link_to_null": link_to("/dev/null"),
    "link_to_tty": link_to("/dev/tty"),
    "link_to_proc": link_to("/proc/self/maps"),
}


def special(kind: str, make_it: Callable[[Path], None], column: str) -> Case:
    """Something that is no file, in one column of the manifest; the other cells are sound."""

    def make(room: Room) -> dict:
        make_it(room.into / f"{kind}_{column}")
        room.write("sound.wav", headers.wav())
        room.write("cues.srt", originals.transcripts()[0].data())
        return {"media": "sound.wav" if column != "media" else "", "transcript": "cues.srt"} | {
            column: f"{kind}_{column}"
        }

    return Case(f"{kind}_as_{column}", make, "refused")
