//! The one door to polars: Parquet tables and RTTM, written whole or not at all.
