"""What every reader should find in a packed data set."""

import csv
import itertools
import json
import math
from pathlib import Path

import datasets
import duckdb
import made
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset
import pyarrow.parquet as pq

datasets.disable_progress_bars()


def files(table: Path) -> list[Path]:
    return sorted(table.glob("**/*.parquet"))


def rows(table: pa.Table) -> list[dict]:
    return table.to_pylist()


def sorted_rows(table: pa.Table) -> list[dict]:
    """By interview; the order inside one stays."""
    return sorted(rows(table), key=lambda r: r["interview_id"].encode())


def with_group(corpus: made.Corpus, name: str) -> list[dict]:
    return [{**row, "group": corpus.groups[row["interview_id"]]} for row in rows(corpus.tables[name])]


def values_are_those_that_were_made(corpus, packed):
    for name in corpus.tables:
        found = sorted_rows(pa.concat_tables([pq.read_table(f, partitioning=None) for f in files(packed / name)]))
        assert found == with_group(corpus, name), name


def metadata_stays_and_keys_are_dictionaries(corpus, packed):
    for name, table in corpus.tables.items():
        for file in files(packed / name):
            schema, footer = pq.ParquetFile(file).schema_arrow, pq.read_metadata(file)
            for field in table.schema:
                assert schema.field(field.name).metadata == field.metadata, (file, field.name)
                assert schema.field(field.name).type == field.type, (file, field.name)
            assert schema.names.index("group") > schema.names.index("interview_id"), file
            assert footer.metadata[b"turnwise.recipe"] == table.schema.metadata[b"turnwise.recipe"], file
            last = ""
            for i in range(footer.num_row_groups):
                group = footer.row_group(i)
                keys = {group.column(j).path_in_schema: group.column(j) for j in range(group.num_columns)}
                key, of = keys["interview_id"], keys["interview_id"].statistics
                # Each id is there once in `interviews`: a dictionary would be the column over again.
                assert name == "interviews" or "RLE_DICTIONARY" in key.encodings, (file, key.encodings)
                assert of.min and of.null_count == 0 and of.min >= last, (file, i)
                assert name == "interviews" or of.min == of.max, (file, i)
                last = of.max
                told = keys["group"].statistics
                assert name == "interviews" or (told.min, told.max) == (corpus.groups[of.min],) * 2, (file, told)


def each_table_loads_with_its_features(corpus, packed):
    kinds = {pa.float32(): "float32", pa.float64(): "float64", pa.int64(): "int64", pa.string(): "string", pa.bool_(): "bool"}
    for name, table in corpus.tables.items():
        paths = {}
        for file in files(packed / name):
            paths.setdefault(file.name.split("-")[0], []).append(str(file))
        cache = str(corpus.folder / "hf")
        plain = datasets.load_dataset("parquet", data_files=paths, cache_dir=cache)
        # As a user of the folder has it, by its card.
        card = datasets.load_dataset(str(packed), name, cache_dir=cache)
        for loaded in (plain, card):
            assert sum(len(split) for split in loaded.values()) == len(table), name
            for split in loaded.values():
                features = split.features
                assert set(features) == set(table.schema.names) | {"group"}, name
                for field in table.schema:
                    inner = getattr(features[field.name], "feature", features[field.name])
                    wanted = field.type.value_type if pa.types.is_list(field.type) else field.type
                    assert inner.dtype == kinds[wanted], (name, field.name, features[field.name])
        assert set(card) == set(plain), name
        for split, loaded in card.items():
            found = loaded["interview_id"][:]
            assert list(found) == sorted(found, key=str.encode), (name, split)


def splits_part_no_group(corpus, packed):
    place, unit = {}, {}
    for split in ("train", "validation", "test"):
        with (packed / "splits" / f"{split}.csv").open(newline="") as file:
            for row in csv.DictReader(file):
                assert row["interview_id"] not in place
                place[row["interview_id"]] = split
                assert unit.setdefault(row["split_group"], split) == split
                assert unit.setdefault(("folder", row["interview_id"].rsplit("/")[0]), split) == split
                if row["group"] not in ("", "couple", "family"):
                    assert unit.setdefault(("group", row["group"]), split) == split
    assert sorted(place) == sorted(corpus.groups) and len(set(place.values())) == 3
    for name in corpus.tables:
        for file in files(packed / name):
            found = {place[i] for i in pq.read_table(file, columns=["interview_id"], partitioning=None)["interview_id"].to_pylist()}
            assert found <= {file.name.split("-")[0]}, file


def the_card_tells_what_it_is(corpus, packed):
    text = (packed / "README.md").read_text()
    minutes = sum(row["duration_secs"] for row in rows(corpus.tables["interviews"])) / 60
    assert f"{corpus.count} interviews ({minutes:.1f} minutes)" in text
    for part in [*corpus.failed, "moov \\| atom not found", "2 interviews failed", "turns: 2 files", '"rate_hz"']:
        assert part in text, part
    for name, table in corpus.tables.items():
        assert f"### {name}\n" in text
        for field in table.schema:
            assert f"| `{field.name}` |" in text, field.name
    assert str(corpus.folder) not in text


def close(one: list, other: list) -> bool:
    same = lambda a, b: a == b or (isinstance(a, float) and b is not None and math.isclose(a, b, rel_tol=1e-6, abs_tol=1e-6))
    return len(one) == len(other) and all(len(a) == len(b) and all(map(same, a, b)) for a, b in zip(one, other))


def three_questions_have_one_answer(corpus, packed):
    turns, dyads, voice = (f"{packed}/{name}/**/*.parquet" for name in ("turns", "dyads", "voice"))
    level = next(f.name for f in corpus.tables["voice"].schema if f.type == pa.float32())
    asked = [
        f"SELECT \"group\", count(*), count(pitch_mean_semitones), avg(pitch_mean_semitones) FROM '{turns}' GROUP BY 1 ORDER BY 1 NULLS FIRST",
        f"SELECT t.interview_id, count(*) FROM '{turns}' t JOIN '{dyads}' d USING (interview_id, turn_index) GROUP BY 1 ORDER BY 1",
        f"SELECT interview_id, max({level}), count(*) FROM '{voice}' WHERE interview_id >= 'pair_2' GROUP BY 1 ORDER BY 1",
    ]
    found = [[list(row) for row in duckdb.sql(sql).fetchall()] for sql in asked]
    scan = lambda path: pl.scan_parquet(path, hive_partitioning=False)
    pitch = pl.col("pitch_mean_semitones")
    lazy = [
        scan(turns).group_by("group").agg(pl.len(), pitch.count().alias("n"), pitch.cast(pl.Float64).mean().alias("mean")),
        scan(turns).join(scan(dyads), on=["interview_id", "turn_index"]).group_by("interview_id").agg(pl.len()),
        scan(voice).filter(pl.col("interview_id") >= "pair_2").group_by("interview_id").agg(pl.col(level).max(), pl.len()),
    ]
    polars = [[list(row) for row in query.collect().sort(query.collect_schema().names()[0]).rows()] for query in lazy]
    t, d, v = (pd.read_parquet(packed / name) for name in ("turns", "dyads", "voice"))
    pitched = t.groupby("group", dropna=False)["pitch_mean_semitones"]
    joined = t.merge(d, on=["interview_id", "turn_index"]).groupby("interview_id").size()
    levels = v[v["interview_id"] >= "pair_2"].groupby("interview_id")[level]
    null = lambda x: None if pd.isna(x) else x
    pandas = [
        [[null(g), len(of), int(of.count()), null(float(of.astype("float64").mean()))] for g, of in pitched],
        [[i, int(n)] for i, n in joined.items()],
        [[i, null(float(of.max())), len(of)] for i, of in levels],
    ]
    pandas[0].sort(key=lambda row: (row[0] is not None, row[0] or ""))
    for number, (duck, lazily, eager) in enumerate(zip(found, polars, pandas), 1):
        assert len(duck) > 5, f"question {number}: {duck}"
        assert close(duck, lazily), f"question {number}: DuckDB {duck[:3]}, polars {lazily[:3]}"
        assert close(duck, eager), f"question {number}: DuckDB {duck[:3]}, pandas {eager[:3]}"


def a_folder_is_one_table_for_arrow(corpus, packed):
    for name, table in corpus.tables.items():
        found = pyarrow.dataset.dataset(packed / name)
        assert found.count_rows() == len(table), name
        assert len(pq.read_table(packed / name)) == len(table), name
        one = sorted(corpus.groups)[5]
        wanted = sum(row["interview_id"] == one for row in rows(table.select(["interview_id"])))
        assert found.count_rows(filter=pyarrow.dataset.field("interview_id") == one) == wanted, name


def the_same_seed_gives_the_same_bytes(corpus, packed):
    by_group = ["--by-group"] if packed.name == "by_group" else []
    corpus.run("pack", "out", "--to", "again", *by_group)
    again = corpus.folder / "again"
    listed = lambda folder: {f.relative_to(folder): f.read_bytes() for f in folder.glob("**/*") if f.is_file() and f.name != "README.md"}
    assert listed(again) == listed(packed)
    again.rename(corpus.folder / f"again_{packed.name}")


ALL = [
    values_are_those_that_were_made,
    metadata_stays_and_keys_are_dictionaries,
    each_table_loads_with_its_features,
    splits_part_no_group,
    the_card_tells_what_it_is,
    three_questions_have_one_answer,
    a_folder_is_one_table_for_arrow,
    the_same_seed_gives_the_same_bytes,
]


def run(corpus: made.Corpus) -> list[str]:
    """Packs once plainly and once by group; the failures in words."""
    failures = []
    for name, more in (("plain", []), ("by_group", ["--by-group"])):
        told = corpus.run("pack", "out", "--to", name, *more)
        print(told.strip())
        packed = corpus.folder / name
        if more:
            folders = {f.name for f in (packed / "turns").iterdir()}
            assert {"group-007", "group-a%2Fb%20%3D%20c", "no_group"} <= folders, folders
        for check in ALL:
            try:
                check(corpus, packed)
            except Exception as failure:
                failures.append(f"{name}: {check.__name__}: {type(failure).__name__}: {str(failure)[:600]}")
    return failures
