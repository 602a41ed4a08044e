//! Meaning: what the streams say about each turn.
