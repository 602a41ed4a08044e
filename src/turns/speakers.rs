//! The `speakers` table: every diarized voice, the transcript label it goes by and the person it is on the screen.

use std::collections::BTreeMap;

use super::{Cast, SpeakerMatch};
use crate::annotation::{Annotation, Turn, union_secs};
use crate::error::Result;
use crate::table::{Cell, ColumnSpec, CutOff, Kind, Table, TableBuilder, TableSchema};
use crate::time::Segment;

/// Contract of the `speakers` table; `extra` columns (whole-interview voice features) follow.
pub fn speakers_schema(embeddings: bool, extra: Vec<ColumnSpec>) -> TableSchema {
    let column = ColumnSpec::new;
    let mut columns = vec![
        column("interview_id", Kind::Str, "", "Interview the row belongs to.").until(CutOff::None),
        column("speaker", Kind::Str, "", "Diarized speaker; null for a transcript label without a voice."),
        column("label", Kind::Str, "", "The transcript's name for the voice; null when none was matched."),
        column("match_share", Kind::F64, "1", "Purity: share of the speech inside the label's turns that is this voice's, 0 to 1."),
        column("match_shared_secs", Kind::F64, "s", "Time that the label's turns and the voice share."),
        column("speech_secs", Kind::F64, "s", "Time the voice talks."),
        column("speech_share", Kind::F64, "1", "The voice's share of all voices' time, 0 to 1."),
        column("speech_turns", Kind::I64, "", "Speech turns of the voice."),
        column("turns", Kind::I64, "", "Transcript turns under the label."),
        column("person", Kind::Str, "", "The person on the screen; null = off screen or not told apart."),
        column("person_confidence", Kind::F64, "1", "How sure that is, 0 to 1; null without a person."),
    ];
    if embeddings {
        columns.push(column("embedding", Kind::F32List, "", "CAM++ voice embedding, 192 values of unit norm; compare by cosine."));
    }
    columns.extend(extra);
    TableSchema { name: "speakers", description: "One voice of an interview, or a transcript label without one.", columns }
}

/// Looks up a voice's embedding by diarized speaker.
pub type EmbeddingOf<'a> = &'a dyn Fn(&str) -> Option<Vec<f32>>;

/// Further columns and their values by diarized speaker.
pub struct SpeakerColumns<'a> {
    /// Contract, in order.
    pub specs: Vec<ColumnSpec>,
    /// One value a column.
    pub cells: &'a dyn Fn(&str) -> Vec<Cell>,
}

/// Rows of the `speakers` table: voices by name, then labels without a voice. `embeddings` and `extra` are looked up by diarized speaker.
///
/// # Errors
/// [`crate::error::Error::Shape`] when a value does not fit the schema.
pub fn speakers_table(
    interview_id: &str,
    annotation: &Annotation,
    turns: &[Turn],
    matches: &[SpeakerMatch],
    cast: &Cast,
    embeddings: Option<EmbeddingOf<'_>>,
    extra: SpeakerColumns<'_>,
) -> Result<Table> {
    let extra_names: Vec<String> = extra.specs.iter().map(|c| c.name.to_string()).collect();
    let mut table = TableBuilder::new(speakers_schema(embeddings.is_some(), extra.specs));
    let mut speech: BTreeMap<&str, Vec<Segment>> = BTreeMap::new();
    annotation.turns().iter().for_each(|t| speech.entry(&t.speaker).or_default().push(t.segment));
    let mut turns_of: BTreeMap<&str, usize> = BTreeMap::new();
    turns.iter().filter_map(|t| t.speaker.as_deref()).for_each(|label| *turns_of.entry(label).or_default() += 1);
    let turns_of = |label: &str| turns_of.get(label).copied().unwrap_or(0);
    let label_of: BTreeMap<&str, &SpeakerMatch> = matches.iter().rev().filter_map(|m| Some((m.diarized.as_deref()?, m))).collect();
    let speech: Vec<(&str, usize, f64)> = speech.into_iter().map(|(name, all)| (name, all.len(), union_secs(all))).collect();
    let total: f64 = speech.iter().map(|(.., secs)| *secs).sum();
    for (name, count, secs) in speech {
        let found = label_of.get(name).copied();
        let member = cast.member(name);
        table
            .row()
            .set("interview_id", interview_id)
            .set("speaker", name)
            .set("label", found.map(|m| m.label.as_str()))
            .set("match_share", found.and_then(SpeakerMatch::share))
            .set("match_shared_secs", found.map(|m| m.shared_secs))
            .set("speech_secs", secs)
            .set("speech_share", if total > 0.0 { secs / total } else { f64::NAN })
            .set("speech_turns", count)
            .set("turns", found.map(|m| turns_of(&m.label)))
            .set("person", member.and_then(|m| m.person.as_deref()))
            .set("person_confidence", member.and_then(|m| m.confidence));
        if let Some(embedding) = embeddings {
            table.set("embedding", embedding(name));
        }
        for (column, cell) in extra_names.iter().zip((extra.cells)(name)) {
            table.set(column, cell);
        }
    }
    for m in matches.iter().filter(|m| m.diarized.is_none()) {
        table.row().set("interview_id", interview_id).set("label", m.label.as_str()).set("turns", turns_of(&m.label));
    }
    table.finish()
}
