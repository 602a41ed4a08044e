//! Stories about the program and its source, in one target: `cargo test --test all floors::` runs one file. A file that is
//! not named here is not run, which `no_silent_pass` tells.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails loudly")]

#[allow(dead_code, reason = "some systems leave stories out that use parts of it")]
mod made;
#[allow(dead_code, reason = "browser tests alone use parts of it")]
mod pages;
mod rig;
mod sources;
#[allow(dead_code, reason = "some systems leave stories out that use parts of it")]
mod stage;

mod adopted;
mod baseline;
mod baseline_models;
mod bodies;
mod boundaries;
mod captions_everywhere;
mod cast_clips;
mod channels_and_tracks;
mod cli;
mod codebook;
mod coded_features;
mod coded_tiers;
mod corpus_folder;
mod corpus_parts;
mod corrections;
mod cues;
mod declared;
mod declared_once;
mod dependencies;
mod embedded_subtitles;
mod estimate;
mod evaluate;
mod export;
mod extract;
mod floors;
mod formats;
mod fuzz_corpus;
mod inspect_pages;
mod installed;
mod labelled_voices;
mod labels_everywhere;
mod labs_write;
mod layers;
mod long_media;
mod man;
mod media_cut_short;
mod models;
mod no_silent_pass;
mod odd_corpora;
mod order_of_turns;
mod outcomes;
mod overlay;
mod pack;
mod plan;
mod plot;
mod privacy;
mod probe;
mod properties;
mod ratings;
mod recipe;
mod report;
mod rescue_bench;
mod resume;
mod schema;
mod snapshots;
mod stages;
mod tasks_rules;
mod tasks_table;
mod transcript_clock;
mod transcripts_as_written;
mod voice;
mod who_spoke;
mod workers;
