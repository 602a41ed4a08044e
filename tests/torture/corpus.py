"""A small sound corpus for the parts that interrupt runs and look for the same bytes afterwards."""

from pathlib import Path

import judge
import originals
from program import Program, Room

OPTIONS = ("--set", "face.rate_hz=5")
LIMIT_SECS = 300
NAMES = ("h264_aac.mp4", "h264_opus.mkv", "h264_pcm.mov", "s16.wav", "vorbis.ogg", "layer3.mp3")


class Corpus:
    """Files to be copied into rooms, and what an undisturbed run makes of them."""

    def __init__(self, program: Program, talk: Path):
        self.program = program
        folder = program.work / "corpus"
        folder.mkdir(exist_ok=True)
        self.files, self.rows = [], []
        for name in NAMES:
            originals.cut(talk, folder / name, "25", "1", originals.MEDIA[name])
        for original in (o for o in originals.transcripts() if o.column == "transcript"):
            (folder / original.name).write_bytes(original.data())
        transcripts = ["cues.srt", "tiers.eaf", "talk.cha", "", "", ""]
        # Tables and JSON that run past the end of these short films are refused: they go without.
        alone = [("", name) for name in ("whisperx.json", "sample.json", "rows.csv")]
        for media, transcript in [*zip(NAMES, transcripts), *alone]:
            name = f"deep/er/{media}" if media.endswith("mp4") else f"{media}{transcript}"
            self.rows.append({"interview_id": name, "media": media, "transcript": transcript})
            self.files += [folder / f for f in (media, transcript) if f]
        room = self.room()
        ended, faults = program.run(room, self.extract(room), LIMIT_SECS)
        if ended.code or faults:
            raise SystemExit(f"torture: the undisturbed run fails: exit {ended.code}, {faults}: {ended.err}")
        self.secs, self.results = ended.secs, room.results()
        self.bytes = sum(p.stat().st_size for p in room.out.rglob("*") if p.is_file())
        room.leave()

    def room(self) -> Room:
        """A new room with the corpus in it."""
        room = self.program.room()
        for file in self.files:
            room.write(file.name, file.read_bytes())
        room.manifest(self.rows)
        return room

    def extract(self, room: Room) -> list:
        return self.program.extract(room, room.into / "corpus.csv", *OPTIONS)

    def complete(self, room: Room) -> list[str]:
        """How the room's results differ from those of the undisturbed run."""
        has = room.results()
        wrong = [n for n in sorted(has.keys() | self.results.keys()) if has.get(n) != self.results.get(n)]
        return [f"{len(wrong)} files differ from an undisturbed run's: {wrong[:4]}"] if wrong else []

    def honest(self, room: Room, code: int) -> list[str]:
        """An interrupted run says neither that all is well when it is not, nor "done" of what is not whole."""
        if code == 0:
            return self.complete(room)
        faults, found = [], judge.rows(room.out, parts=True)
        for name in (n for n, mine in found.items() if mine[0]["status"] == "done"):
            faults += [f"{name}: {fault}" for fault in judge.interview(name, [], found, room.out)]
        return faults

    def resume(self, room: Room) -> list[str]:
        """Runs to the end now that nothing stands in the way; the bytes must be those of the undisturbed run."""
        ended, faults = self.program.run(room, self.extract(room), LIMIT_SECS)
        if ended.code:
            faults.append(f"the resumed run ends with exit code {ended.code}: {ended.err[-300:]!r}")
        return faults + self.complete(room)
