//! What a transcript holds.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Result;
use serde_json::json;
use turnwise::annotation::Turn;
use turnwise::error::Error;
use turnwise::recipe::InputConfig;
use turnwise::text::clean;
use turnwise::transcript::{self, Transcript};
use turnwise::turns::word_count;
use turnwise::warning::Warning;

use super::{Row, Told, secs};

pub(super) fn told(path: &Path, input: &InputConfig, sample_id: Option<&str>) -> Result<Told> {
    let options = input.reading(sample_id, None);
    let read = transcript::read(path, &options)?;
    let bytes = std::fs::read(path).map_err(|source| Error::Read { path: path.to_owned(), source })?;
    let turns = &read.turns;
    let starts = turns.iter().map(|t| t.segment.start().get());
    let ends = turns.iter().map(|t| t.segment.end().get());
    let words: Option<usize> = turns.iter().map(|t| word_count(&t.text).ok()).sum();
    let timed = turns.iter().flat_map(|t| &t.words).filter(|w| w.segment.is_some()).count();
    let warnings: Vec<String> = read.warnings.iter().map(Warning::to_string).collect();
    let plain = vec![
        ("kind", json!("transcript")),
        ("file", json!(clean(&path.file_name().unwrap_or_default().to_string_lossy()))),
        ("format", json!(read.format.to_string())),
        ("encoding", json!(encoding(&bytes))),
        ("language", json!(read.language.as_deref().map(clean))),
        // Whole numbers are milliseconds where they would end behind the media, which are not asked here.
        ("unit", json!(if read.bare_times { "seconds or milliseconds, by the media's length" } else { "seconds" })),
        ("turns", json!(turns.len())),
        ("turns_without_label", json!(turns.iter().filter(|t| t.speaker.is_none()).count())),
        ("turns_without_length", json!(turns.iter().filter(|t| t.segment.is_empty()).count())),
        ("events", json!(read.events.len())),
        ("dropped_before_turns", json!(read.after_dropped.len())),
        ("words", json!(words)),
        ("words_timed", json!(timed)),
        ("first_secs", secs(starts.reduce(f64::min))),
        ("last_secs", secs(ends.reduce(f64::max))),
    ];
    Ok(Told { plain, parts: ("labels", labels(&read)), warnings })
}

/// Each label with its turns, words and seconds, in the order in which they begin to speak.
fn labels(read: &Transcript) -> Vec<Row> {
    let mut of: BTreeMap<&str, (usize, Vec<&Turn>)> = BTreeMap::new();
    for (place, turn) in read.turns.iter().enumerate() {
        if let Some(label) = turn.speaker.as_deref() {
            of.entry(label).or_insert((place, Vec::new())).1.push(turn);
        }
    }
    let mut labels: Vec<(&str, (usize, Vec<&Turn>))> = of.into_iter().collect();
    labels.sort_by_key(|(_, (place, _))| *place);
    let told = |(label, (_, turns)): (&str, (usize, Vec<&Turn>))| {
        vec![
            ("label", json!(clean(label))),
            ("turns", json!(turns.len())),
            ("words", json!(turns.iter().map(|t| word_count(&t.text).ok()).sum::<Option<usize>>())),
            ("secs", secs(turns.iter().map(|t| t.segment.duration()).sum::<f64>())),
        ]
    };
    labels.into_iter().map(told).collect()
}

/// What the bytes say for certain; `null` where it had to be guessed, which a warning tells.
fn encoding(bytes: &[u8]) -> Option<&'static str> {
    let marks: [(&[u8], &str); 5] = [
        (&[0xff, 0xfe, 0, 0], "UTF-32LE"),
        (&[0, 0, 0xfe, 0xff], "UTF-32BE"),
        (&[0xff, 0xfe], "UTF-16LE"),
        (&[0xfe, 0xff], "UTF-16BE"),
        (&[0xef, 0xbb, 0xbf], "UTF-8 with a mark"),
    ];
    let marked = marks.iter().find(|(mark, _)| bytes.starts_with(mark)).map(|(_, name)| *name);
    let plain = (!bytes.contains(&0) && std::str::from_utf8(bytes).is_ok()).then_some("UTF-8");
    marked.or(plain)
}
