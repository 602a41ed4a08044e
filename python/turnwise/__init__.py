"""Turnwise from Python: run an extraction, and read its tables with their units and descriptions.

>>> import turnwise
>>> run = turnwise.extract("corpus.csv", "features")          # doctest: +SKIP
>>> turns = turnwise.load("features")                         # a pandas DataFrame   # doctest: +SKIP
>>> lazy = turnwise.scan("features", "dyads")                 # a polars LazyFrame   # doctest: +SKIP
>>> print(turnwise.describe("features", "smile_mean"))        # doctest: +SKIP

`load` needs pandas and `scan` needs polars (``pip install "turnwise[pandas]"`` or ``"turnwise[polars]"``); nothing else does.
"""

from ._program import ExtractionFailed, Run, extract, program
from ._tables import Column, MixedTables, columns, describe, interviews, load, scan, tables

__all__ = [
    "Column",
    "ExtractionFailed",
    "MixedTables",
    "Run",
    "columns",
    "describe",
    "extract",
    "interviews",
    "load",
    "program",
    "scan",
    "tables",
]
