"""Mutants in batches: media and transcripts, each batch one manifest, each interview judged against its original's."""

from dataclasses import dataclass
from pathlib import Path
from random import Random

import judge
import mutants
import originals
from program import Program, Room
from tally import Tally

MEDIA_BATCH, TRANSCRIPT_BATCH = 40, 250
# Where the picture is not looked at, sound is all that a mutant can lose.
SOUND_ONLY = ("--set", "input.skip_video=true")
WATCHED = ("--set", "face.rate_hz=2")
BATCH_SECS, EACH_SECS = 120, 5
# Runs spent on finding out which of a batch is at fault.
SEARCHES = 40


@dataclass
class Mutant:
    """A damaged file, and the columns of the manifest's line that it stands in."""

    id: str
    file: str
    data: bytes
    column: str
    original: str
    operators: list
    between_cues: bool = False

    @property
    def told(self) -> str:
        return f"{self.file}, {self.original} after {', '.join(o.__name__ for o in self.operators)}"

    @property
    def only_lost(self) -> bool:
        return all(o in mutants.LOSSES for o in self.operators)


class Campaign:
    """Mutants of one kind, made from a seed one after the other, without end."""

    def __init__(self, program: Program, tally: Tally, seed: str, batch: int):
        self.program, self.tally, self.seed, self.batch = program, tally, seed, batch
        self.made, self.searches = 0, 0

    def next(self, most: int) -> None:
        """One batch of at most `most` mutants, judged and counted."""
        count = min(self.batch, most)
        made = [
            self.mutant(n, Random(f"{self.seed}/{self.tally.name}/{n}")) for n in range(self.made, self.made + count)
        ]
        options = self.options()
        self.made, self.searches = self.made + count, SEARCHES
        for mutant, faults, status in self.judged(made, options):
            self.tally.note(status)
            self.tally.case(
                mutant.id, faults, [self.kept(mutant)] if faults else [], f"seed {self.seed}, {mutant.told}, {options}"
            )

    def kept(self, mutant: Mutant) -> Path:
        path = self.program.work / mutant.file
        path.write_bytes(mutant.data)
        return path

    def judged(self, made: list[Mutant], options: tuple) -> list[tuple[Mutant, list[str], str]]:
        """Faults of each. A fault of the whole run is looked for in halves, while there are searches left."""
        room = self.program.room()
        try:
            faults = self.run(room, made, options)
            if faults and len(made) > 1 and self.searches > 0:
                self.searches -= 2
                half = len(made) // 2
                parts = self.judged(made[:half], options) + self.judged(made[half:], options)
                if not any(found for _, found, _ in parts):
                    parts[0] = (parts[0][0], [f"in a batch of {len(made)} only: {f}" for f in faults], parts[0][2])
                return parts
            found, all_judged = judge.rows(room.out), []
            for mutant in made:
                own = judge.interview(mutant.id, [mutant.file], found, room.out)
                row = found.get(mutant.id, [{"status": "without a row"}])[0]
                own += [] if own else self.losses(mutant, row, room, options)
                all_judged.append((mutant, faults + own, row["status"]))
            return all_judged
        finally:
            room.leave()

    def run(self, room: Room, made: list[Mutant], options: tuple) -> list[str]:
        for mutant in made:
            room.write(mutant.file, mutant.data)
        manifest = room.manifest([self.line(m) for m in made])
        limit = BATCH_SECS + EACH_SECS * len(made)
        return self.program.run(room, self.program.extract(room, manifest, *options), limit)[1]

    def line(self, mutant: Mutant) -> dict:
        return {"interview_id": mutant.id, "media": ""} | {mutant.column: mutant.file}

    def originals_done(self, files: dict[str, bytes], columns: dict[str, str], options: tuple, read) -> dict:
        """What the program makes of the originals; it is no campaign where it refuses one."""
        sound = [Mutant(name.replace(".", "_"), name, data, columns[name], name, []) for name, data in files.items()]
        room = self.program.room()
        faults = self.run(room, sound, options)
        found = judge.rows(room.out)
        for mutant in sound:
            row = found.get(mutant.id, [{"status": "without a row", "error": faults}])[0]
            if row["status"] != "done":
                raise SystemExit(f"torture: the original {mutant.file} is {row['status']}: {row['error']}")
        done = {m.original: read(found[m.id][0], room, m.id) for m in sound}
        room.leave()
        return done


class Media(Campaign):
    """Mutants of media; every other batch is watched as well as heard."""

    def __init__(self, program: Program, tally: Tally, seed: str, talk: Path):
        super().__init__(program, tally, seed, MEDIA_BATCH)
        folder = program.work / "media"
        folder.mkdir()
        self.files = {name: path.read_bytes() for name, path in originals.media(talk, folder).items()}
        columns = dict.fromkeys(self.files, "media")
        self.done = {o: self.originals_done(self.files, columns, o, lambda row, *_: row) for o in (SOUND_ONLY, WATCHED)}

    def options(self) -> tuple:
        return WATCHED if self.made // self.batch % 2 else SOUND_ONLY

    def mutant(self, n: int, rng: Random) -> Mutant:
        name = rng.choice(list(self.files))
        data, chosen = mutants.mutate(self.files[name], rng, mutants.OF_BYTES)
        suffix = name.rpartition(".")[2]
        if rng.random() < 0.05:
            data, chosen = data + self.files[rng.choice(list(self.files))], [*chosen, mutants.insert]
        if rng.random() < 0.05:
            suffix = rng.choice(list(self.files)).rpartition(".")[2]
        return Mutant(f"m{n:06}", f"m{n:06}.{suffix}", data, "media", name, chosen)

    def losses(self, mutant: Mutant, row: dict, room: Room, options: tuple) -> list[str]:
        cut_without_trace = mutants.truncate in mutant.operators and mutant.original in originals.ENDLESS
        if not mutant.only_lost or cut_without_trace:
            return []
        return judge.media_loss(row, self.done[options][mutant.original])


class Transcripts(Campaign):
    """Mutants of transcripts of every format; RTTM comes with a second of sound."""

    def __init__(self, program: Program, tally: Tally, seed: str, talk: Path):
        super().__init__(program, tally, seed, TRANSCRIPT_BATCH)
        self.sound = program.work / "sound.wav"
        originals.cut(talk, self.sound, "25", "1", originals.MEDIA["s16.wav"])
        self.originals = {o.name: o for o in originals.transcripts()}
        files = {name: o.data() for name, o in self.originals.items()}
        columns = {name: o.column for name, o in self.originals.items()}
        self.done = self.originals_done(
            files, columns, SOUND_ONLY, lambda row, room, id: (row, judge.turns(room.out, id))
        )
        wrong = {n: len(t) for n, (_, t) in self.done.items() if n != "speech.rttm" and len(t) != originals.COUNT}
        if wrong:
            raise SystemExit(f"torture: not every turn of the originals is read: {wrong}")

    def options(self) -> tuple:
        return SOUND_ONLY

    def mutant(self, n: int, rng: Random) -> Mutant:
        # One in a hundred RTTMs is enough: it costs as much as ten transcripts.
        name = rng.choice([name for name in self.originals if name != "speech.rttm" or rng.random() < 0.15])
        original = self.originals[name]
        operators = mutants.OF_LINES if rng.random() < 0.5 else mutants.OF_BYTES
        data, chosen = mutants.mutate(original.data(), rng, operators)
        between = original.cut_is_between(len(data))
        return Mutant(f"t{n:06}", f"t{n:06}.{name.rpartition('.')[2]}", data, original.column, name, chosen, between)

    def run(self, room: Room, made: list[Mutant], options: tuple) -> list[str]:
        (room.into / "sound.wav").write_bytes(self.sound.read_bytes())
        return super().run(room, made, options)

    def line(self, mutant: Mutant) -> dict:
        return {
            "interview_id": mutant.id,
            "media": "sound.wav" if mutant.column == "rttm" else "",
            "transcript": "",
            "rttm": "",
        } | {mutant.column: mutant.file}

    def losses(self, mutant: Mutant, row: dict, room: Room, options: tuple) -> list[str]:
        if mutant.operators != [mutants.truncate]:
            return []
        original, had = self.done[mutant.original]
        return judge.transcript_loss(row, original, judge.turns(room.out, mutant.id), had, mutant.between_cues)


def manifests(program: Program, tally: Tally, seed: str, count: int) -> None:
    """Mutants of the manifest itself, a run each: refused in words, or each of its interviews has a row."""
    sound = originals.transcripts()[0]
    lines = "interview_id,media,transcript,group,min_speakers\n" + "".join(
        f"deep/er{i},,cues.srt,Würfel {i},{i + 1}\n" for i in range(4)
    )
    for n in range(count):
        rng = Random(f"{seed}/manifests/{n}")
        data, chosen = mutants.mutate(lines.encode(), rng, mutants.OF_LINES + mutants.OF_BYTES)
        room = program.room()
        room.write("cues.srt", sound.data())
        manifest = room.write("corpus.csv", data)
        ended, faults = program.run(room, program.extract(room, manifest, *SOUND_ONLY), BATCH_SECS)
        rows = judge.rows(room.out)
        if ended.code == 2:
            tally.note("refused")
            faults += [] if "corpus.csv" in ended.err and not rows else [f"no clear refusal: {ended.err[-300:]!r}"]
        else:
            tally.note("taken")
            faults += [f"exit code {ended.code} without rows"] if not rows else []
            for name, mine in rows.items():
                faults += [f"{name}: {len(mine)} rows"] if len(mine) != 1 else []
                statuses = {"done"} if ended.code == 0 else {"done", "failed"}
                faults += [
                    f"{name}: {r['status']} and exit code {ended.code}" for r in mine if r["status"] not in statuses
                ]
        tally.case(f"c{n:05}", faults, [manifest], f"seed {seed}, after {', '.join(o.__name__ for o in chosen)}")
        room.leave()
