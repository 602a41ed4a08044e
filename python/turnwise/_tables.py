"""The tables of an output folder, as polars and pandas have them, and what their columns are."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

#: A folder or file, as text or path.
Place = str | os.PathLike[str]
#: What is done where the files of a table were made by different recipes, models or versions.
Mixed = Literal["warn", "raise", "ignore"]

_SUFFIXES = (".parquet", ".csv", ".arrow")
_OWN = "urn:turnwise:"
#: Of these a table has one value, or its files are not comparable.
_MADE_BY = ("schema_version", "tool_version", "recipe_hash", "models")
#: Folders beside the tables that hold none.
_NO_TABLES = frozenset({"interviews", "logs", "runs", "timings", "rttm", "report", "tasks", "baseline"})


class MixedTables(UserWarning):
    """The files of a table were not all made by one recipe, one version and the same models."""


@dataclass(frozen=True)
class Column:
    """What a column is, as its file says."""

    name: str
    #: `s`, `Hz`, `semitones`, …; empty where there is none.
    unit: str = ""
    description: str = ""
    #: Up to what time it looked: `turn_start`, `turn_end`, `next_turn` or `interview`.
    cut_off: str = ""
    #: `face`, `voice`, `text`, `dyad`, …
    modality: str = ""
    #: The publication that its definition is from; empty where it is the project's own.
    source: str = ""

    def __str__(self) -> str:
        head = f"{self.name} [{self.unit}]" if self.unit else self.name
        rest = "; ".join(
            f"{what}: {value}" for what, value in (("cut-off", self.cut_off), ("source", self.source)) if value
        )
        return "\n".join(part for part in (head, self.description, rest) if part)


class _Told(dict[str, dict[str, str]]):
    """Columns as `DataFrame.attrs` keeps them. pandas copies attributes at every step; hundreds of texts that never
    change need no copy."""

    def __deepcopy__(self, memo: dict[int, Any]) -> _Told:
        return self


def tables(out: Place) -> list[str]:
    """The names of the tables in an output folder."""
    root = _root(out)
    folders = (path for path in root.iterdir() if path.is_dir() and not path.name.startswith("."))
    named = [path.name for path in folders if path.name not in _NO_TABLES and any(_files_below(path))]
    return sorted([*named, *(["interviews"] if any(_files_below(root / "interviews")) else [])])


def interviews(out: Place) -> list[str]:
    """The interviews of an output folder that are done, in the order of their names. Tables of others are of an earlier
    run and not to be read."""
    return list(_done(_root(out)))


def scan(out: Place, table: str = "turns", *, mixed: Mixed = "warn") -> polars.LazyFrame:
    """One table over all interviews that are done, as a polars LazyFrame: only what a query needs is read.

    `mixed` says what is done where files were made by different recipes, versions or models: a warning
    (:class:`MixedTables`), an error, or nothing.
    """
    import polars

    files = _table_files(out, table, mixed)
    if files[0].suffix == ".parquet":
        return polars.scan_parquet(files)
    if files[0].suffix == ".arrow":
        return polars.scan_ipc(files)
    # Of text the types are in the file beside; pyarrow reads them.
    return polars.concat([polars.DataFrame(_read_csv(path)) for path in files]).lazy()


def load(
    out: Place, table: str = "turns", *, columns: Sequence[str] | None = None, mixed: Mixed = "warn"
) -> pandas.DataFrame:
    """One table over all interviews that are done, as a pandas DataFrame; with `columns` only these.

    Its `attrs` hold the table's name (``df.attrs["table"]``) and what each column is
    (``df.attrs["columns"]["smile_mean"]["unit"]``); :func:`describe` prints it.
    """
    import pyarrow

    files = _table_files(out, table, mixed)
    told = _columns(files[0])
    if columns is not None and (unknown := [name for name in columns if name not in told]):
        raise KeyError(f"{table} has no column {', '.join(unknown)}{_near(unknown[0], told)}")
    wanted = list(columns) if columns is not None else None
    frame = pyarrow.concat_tables([_read(path, wanted) for path in files], promote_options="default").to_pandas()
    # pandas takes what the file says of itself for attributes too.
    frame.attrs.clear()
    plain = {name: _plain(column) for name, column in told.items() if wanted is None or name in wanted}
    frame.attrs.update(table=table, columns=_Told(plain))
    return frame


def columns(out: Place, table: str = "turns") -> dict[str, Column]:
    """What the columns of a table are, in their order. `out` may also be one file of a table."""
    path = Path(out)
    return _columns(path if path.is_file() else _table_files(out, table, "ignore")[0])


def describe(what: Place | pandas.DataFrame | pandas.Series, column: str | None = None, table: str = "turns") -> Column:
    """Unit, description, cut-off and source of a column: of an output folder's table, of a file, or of what
    :func:`load` gave. A column taken out of such a frame needs no name."""
    name = column if column is not None else getattr(what, "name", None)
    if not isinstance(name, str):
        raise TypeError("describe(frame, column) wants the name of a column")
    attributes = getattr(what, "attrs", None)
    if attributes is None:
        known = columns(what, table)
    elif "columns" in attributes:
        table = attributes.get("table", "the frame")
        known = {key: Column(name=key, **value) for key, value in attributes["columns"].items()}
    else:
        raise ValueError("the frame does not know its columns; it is not one that turnwise.load gave")
    if name not in known:
        raise KeyError(f"{table} has no column {name}{_near(name, known)}")
    return known[name]


def _root(out: Place) -> Path:
    root = Path(out)
    if not root.is_dir():
        raise FileNotFoundError(f"there is no folder {root}; name the one that extract wrote")
    if not (root / "interviews").is_dir():
        raise FileNotFoundError(f"{root} is no output folder of turnwise extract: it has no folder interviews")
    return root


def _files_below(folder: Path) -> Iterator[Path]:
    if not folder.is_dir():
        return
    for path in sorted(folder.rglob("*")):
        hidden = any(part.startswith(".") for part in path.relative_to(folder).parts)
        if path.suffix in _SUFFIXES and path.is_file() and not hidden:
            yield path


def _done(root: Path) -> dict[str, str]:
    """The suffix of the files of each interview whose row says that it is done."""
    found = {}
    for path in _files_below(root / "interviews"):
        row = _read(path, ["interview_id", "status"]).to_pylist()
        if len(row) == 1 and row[0]["status"] == "done":
            found[row[0]["interview_id"]] = path.suffix
    return found


def _table_files(out: Place, table: str, mixed: Mixed) -> list[Path]:
    if mixed not in ("warn", "raise", "ignore"):
        raise ValueError(f"mixed is {mixed!r}; it may be 'warn', 'raise' or 'ignore'")
    root = _root(out)
    if table != "interviews" and not (root / table).is_dir():
        known = tables(root)
        raise FileNotFoundError(
            f"{root} has no table {table}{_near(table, known)}; it has {', '.join(known) or 'none'}"
        )
    done = _done(root)
    if not done:
        raise FileNotFoundError(f"no interview of {root} is done; turnwise status {root} says why")
    files = [root / table / f"{name}{suffix}" for name, suffix in done.items()]
    # A recipe may leave a table out; of an interview that is done, none is missing otherwise.
    files = [path for path in files if path.is_file()]
    if not files:
        raise FileNotFoundError(f"no interview of {root} that is done has the table {table}")
    if mixed != "ignore":
        _told_if_mixed(files, table, mixed)
    return files


def _told_if_mixed(files: Sequence[Path], table: str, mixed: Mixed) -> None:
    first = _made_by(files[0])
    for path in files[1:]:
        other = _made_by(path)
        if differ := [name for name in _MADE_BY if first.get(name) != other.get(name)]:
            told = f"the files of {table} are not of one run: {files[0].name} and {path.name} differ in {', '.join(differ)}"
            if mixed == "raise":
                raise ValueError(told)
            warnings.warn(f"{told}; extract again, or pass mixed='ignore'", MixedTables, stacklevel=4)
            return


def _made_by(path: Path) -> dict[str, str]:
    if path.suffix == ".csv":
        told = _beside(path)
        return {name: json.dumps(told.get(_OWN + name), sort_keys=True) for name in _MADE_BY}
    if path.suffix == ".parquet":
        import pyarrow.parquet

        stored: Mapping[bytes, bytes] = pyarrow.parquet.read_metadata(path).metadata or {}
    else:
        stored = _schema(path).metadata or {}
    return {name: stored.get(f"turnwise.{name}".encode(), b"").decode() for name in _MADE_BY}


def _schema(path: Path) -> pyarrow.Schema:
    import pyarrow.ipc
    import pyarrow.parquet

    if path.suffix == ".parquet":
        return pyarrow.parquet.read_schema(path)
    with pyarrow.ipc.open_file(path) as reader:
        return reader.schema


def _columns(path: Path) -> dict[str, Column]:
    names = [field.name for field in fields(Column)][1:]
    if path.suffix == ".csv":
        found = _beside(path)["tableSchema"]["columns"]
        keys = {"description": "dc:description", "unit": "schema:unitText", "source": "dc:source"}
        told = {c["titles"]: {n: c.get(keys.get(n, _OWN + n)) or "" for n in names} for c in found}
    else:
        told = {}
        for field in _schema(path):
            stored = field.metadata or {}
            told[field.name] = {name: stored.get(name.encode(), b"").decode() for name in names}
    return {name: Column(name=name, **values) for name, values in told.items()}


def _plain(column: Column) -> dict[str, str]:
    return {field.name: getattr(column, field.name) for field in fields(column)[1:]}


def _beside(path: Path) -> dict[str, Any]:
    with open(f"{path}-metadata.json", encoding="utf-8") as stream:
        told: dict[str, Any] = json.load(stream)
    return told


def _read(path: Path, wanted: Sequence[str] | None = None) -> pyarrow.Table:
    if path.suffix == ".csv":
        table = _read_csv(path)
        return table.select(wanted) if wanted else table
    if path.suffix == ".arrow":
        import pyarrow.ipc

        with pyarrow.ipc.open_file(path) as reader:
            table = reader.read_all()
        return table.select(wanted) if wanted else table
    import pyarrow.parquet

    # A file by itself: a folder's name is no column.
    return pyarrow.parquet.ParquetFile(path).read(columns=wanted)


#: Types of the file beside a CSV file, as pyarrow has them; the others are texts.
_TYPES = {"float": "float", "double": "double", "long": "int64", "boolean": "bool"}


def _read_csv(path: Path) -> pyarrow.Table:
    import pyarrow
    import pyarrow.csv

    told = {column["titles"]: column["datatype"] for column in _beside(path)["tableSchema"]["columns"]}
    types = {name: pyarrow.type_for_alias(_TYPES.get(kind, "string")) for name, kind in told.items()}
    convert = pyarrow.csv.ConvertOptions(column_types=types, null_values=[""], strings_can_be_null=True, true_values=["true"], false_values=["false"])  # fmt: skip
    table = pyarrow.csv.read_csv(
        path, convert_options=convert, parse_options=pyarrow.csv.ParseOptions(newlines_in_values=True)
    )
    for at, name in enumerate(table.column_names):
        if told[name] == "json":
            cells = [None if cell is None else json.loads(cell) for cell in table.column(at).to_pylist()]
            # An empty list is of no type; numbers are what the other lists hold.
            kind = (
                pyarrow.string() if any(isinstance(v, str) for cell in cells for v in cell or ()) else pyarrow.float32()
            )
            table = table.set_column(at, name, pyarrow.array(cells, pyarrow.list_(kind)))
    return table


def _near(name: str, known: Sequence[str] | Mapping[str, Any]) -> str:
    import difflib

    near = difflib.get_close_matches(name, list(known), n=1)
    return f"; did you mean {near[0]}?" if near else ""
