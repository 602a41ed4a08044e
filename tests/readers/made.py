"""A made output folder: the tables' own columns as the program writes them, filled by chance."""

import os
import random
import subprocess
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

ROOT = Path(__file__).resolve().parents[2]

# Rows an interview may have; the long one has more than a part that is read at once (16384).
ROWS = {"interviews": (1, 1), "voice": (0, 400), "faces": (0, 60), "tracks": (0, 4), "speakers": (1, 3), "turns": (1, 30), "smiles": (0, 5)}
LONG = ("voice", 3, 20000)
WORDS = ["kettle", "blue", "Ärger", "你好", "a|b", 'say "yes"', ""]


class Corpus:
    """`count` interviews below `folder/out`, of which two failed; what each table should hold is in `tables`."""

    def __init__(self, folder: Path, binary: Path, count: int):
        self.folder, self.binary, self.count = folder, binary, count
        self.out = folder / "out"
        self.failed = ["pair_00/broken", "zz/gone"]
        self.tables: dict[str, pa.Table] = {}
        self.groups: dict[str, str | None] = {}

    def run(self, *arguments: str) -> str:
        environment = {"TURNWISE_MODELS": str(ROOT / "onnx" / "models"), **os.environ}
        done = subprocess.run([self.binary, *arguments], cwd=self.folder, env=environment, capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(f"readers: {' '.join(arguments)} ended with {done.returncode}: {done.stderr}")
        return done.stdout

    def write(self) -> None:
        schemas = self.schemas()
        ids = [f"pair_{i % 40:02}/session {i // 40}" for i in range(self.count)]
        # Names that a reader could take for numbers or parts of a path, kinds of group, and none.
        names = ["007", "12", "a/b = c", "Müller", "couple", "family", None]
        self.groups = {one: names[int(one[5:7]) % len(names)] for one in ids}
        chance = random.Random(7)
        parts: dict[str, list[pa.Table]] = {name: [] for name in schemas}
        for number, one in enumerate(ids):
            for name, schema in schemas.items():
                rows = chance.randint(*ROWS.get(name, (0, 20)))
                if (name, number) == LONG[:2]:
                    rows = LONG[2]
                table = self.table(name, schema, one, rows, chance)
                if name == "smiles" and rows == 0:
                    continue
                self.put(name, one, table)
                parts[name].append(table)
        for one in self.failed:
            row = {"interview_id": one, "status": "failed", "error": "cannot read media x.mp4: moov | atom not found", "error_kind": "media"}
            schema = schemas["interviews"]
            self.put("interviews", one, pa.table({f.name: pa.array([row.get(f.name)], f.type) for f in schema}, schema=schema))
            # What lies there is vouched for by nobody.
            self.put("turns", one, parts["turns"][0])
        by_id = lambda tables: sorted(tables, key=lambda t: t["interview_id"][0].as_py().encode() if len(t) else b"")
        self.tables = {name: pa.concat_tables(by_id(tables)) for name, tables in parts.items()}

    def schemas(self) -> dict[str, pa.Schema]:
        """Of a real interview, made from a transcript alone."""
        (self.folder / "a.csv").write_text("start_secs,end_secs,speaker,text\n0.5,2.0,Ann,the kettle was blue\n2.5,4.0,Bo,yes\n")
        (self.folder / "corpus.csv").write_text("interview_id,media,transcript\nreal,,a.csv\n")
        self.run("extract", "corpus.csv", "--out", "real", "--quiet")
        found = {}
        for file in sorted((self.folder / "real").glob("*/real.parquet")):
            told = {k: v for k, v in pq.read_metadata(file).metadata.items() if k != b"ARROW:schema"}
            found[file.parent.name] = pq.ParquetFile(file).schema_arrow.with_metadata(told)
        assert {"interviews", "turns", "dyads", "turn_faces", "voice", "faces", "tracks", "speakers", "speech"} <= set(found), found.keys()
        # A table that not every interview has.
        smiles = found["tracks"]
        found["smiles"] = smiles.with_metadata({**smiles.metadata, b"turnwise.table": b"smiles"})
        return found

    def put(self, name: str, one: str, table: pa.Table) -> None:
        path = self.out / name / f"{one}.parquet"
        path.parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(table, path)

    def table(self, name: str, schema: pa.Schema, one: str, rows: int, chance: random.Random) -> pa.Table:
        keys = {"interview_id": one, "group": self.groups[one], "status": "done"}
        columns = []
        for field in schema:
            if field.name in keys:
                values = [keys[field.name]] * rows
            elif field.name == "turn_index":
                values = list(range(1, rows + 1))
            elif field.name == "duration_secs" and name == "interviews":
                values = [60.0 + chance.randrange(600)]
            elif name == "interviews" and field.name in ("error", "error_kind"):
                values = [None]
            else:
                values = self.values(field.type, rows, chance)
            columns.append(pa.array(values, field.type))
        return pa.Table.from_arrays(columns, schema=schema)

    def values(self, kind: pa.DataType, rows: int, chance: random.Random) -> list:
        def one():
            if pa.types.is_floating(kind):
                # Halves are the same in 32 and in 64 bits.
                return chance.randrange(-4000, 4000) / 2
            if pa.types.is_integer(kind):
                return chance.randrange(9)
            if pa.types.is_boolean(kind):
                return chance.random() < 0.5
            if pa.types.is_list(kind):
                if pa.types.is_floating(kind.value_type):
                    return [chance.randrange(100) / 4 for _ in range(chance.randrange(4))]
                return [chance.choice(WORDS) for _ in range(chance.randrange(3))]
            return chance.choice(WORDS)

        missing = chance.random() < 0.3
        few = [None if missing or chance.random() < 0.1 else one() for _ in range(min(rows, 50))]
        return [few[i % len(few)] for i in range(rows)]

