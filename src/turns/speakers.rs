//! The `speakers` table: every diarized voice, the transcript label it goes by and the person it is on the screen.

use std::collections::BTreeMap;

use super::{Cast, SpeakerMatch, measured};
use crate::annotation::{Annotation, Turn, union_secs};
use crate::audio;
use crate::audio::egemaps::Functionals;
use crate::error::Result;
use crate::table::{Column, ColumnSpec, CutOff, Kind, Layout, Modality, Table, TableSchema};
use crate::time::Segment;

/// Looks up a voice's embedding by diarized speaker.
pub type EmbeddingOf<'a> = &'a dyn Fn(&str) -> Option<Vec<f32>>;

/// What the `speakers` table is made from.
#[derive(Clone, Copy)]
pub struct Speakers<'a> {
    /// Key of the tables.
    pub interview_id: &'a str,
    /// Speech turns by diarization.
    pub annotation: &'a Annotation,
    /// The turns in the order of their starts.
    pub turns: &'a [Turn],
    /// Transcript labels and their voices.
    pub matches: &'a [SpeakerMatch],
    /// Voices and their persons.
    pub cast: &'a Cast,
    /// Looks up a voice's embedding by diarized speaker; `None` leaves the column out.
    pub embedding: Option<EmbeddingOf<'a>>,
    /// eGeMAPS of everything a diarized speaker says alone.
    pub egemaps: &'a dyn Fn(&str) -> Functionals,
}

/// One voice, or a transcript label without one.
struct Speaker<'a> {
    interview_id: &'a str,
    voice: Option<Voice<'a>>,
    matched: Option<&'a SpeakerMatch>,
    /// Transcript turns under the label.
    turns: Option<usize>,
}

struct Voice<'a> {
    name: &'a str,
    speech_secs: f64,
    /// Of all voices' time.
    speech_share: f64,
    speech_turns: usize,
    person: Option<&'a str>,
    person_confidence: Option<f64>,
    embedding: Option<Vec<f32>>,
    egemaps: Functionals,
}

/// Columns of the `speakers` table.
fn layout<'a>(embeddings: bool) -> Layout<Speaker<'a>> {
    let mut columns = vec![
        Column::text("interview_id", "Interview the row belongs to.", |s: &Speaker<'a>| s.interview_id)
            .until(CutOff::None),
    ];
    let talk = [
        Column::text("speaker", "Diarized speaker; null for a transcript label without a voice.", |s: &Speaker<'a>| {
            s.voice.as_ref().map(|v| v.name)
        }),
        Column::text("label", "The transcript's name for the voice; null when none was matched.", |s: &Speaker<'a>| {
            s.matched.map(|m| m.label.as_str())
        }),
        Column::float(
            "match_share",
            "1",
            "Purity: share of the speech inside the label's turns that is this voice's, 0 to 1.",
            |s: &Speaker<'a>| s.voice.as_ref().and(s.matched).and_then(SpeakerMatch::share),
        ),
        Column::float(
            "match_shared_secs",
            "s",
            "Time that the label's turns and the voice share.",
            |s: &Speaker<'a>| s.voice.as_ref().and(s.matched).map(|m| m.shared_secs),
        ),
        Column::float("speech_secs", "s", "Time the voice talks.", |s: &Speaker<'a>| {
            s.voice.as_ref().map(|v| v.speech_secs)
        }),
        Column::float("speech_share", "1", "The voice's share of all voices' time, 0 to 1.", |s: &Speaker<'a>| {
            s.voice.as_ref().map(|v| v.speech_share)
        }),
        Column::int("speech_turns", "", "Speech turns of the voice.", |s: &Speaker<'a>| {
            s.voice.as_ref().map(|v| v.speech_turns)
        }),
        Column::int("turns", "", "Transcript turns under the label.", |s: &Speaker<'a>| s.turns),
    ];
    columns.extend(measured(Modality::Timing, talk));
    columns.push(Column::text(
        "person",
        "The person on the screen; null = off screen or not told apart.",
        |s: &Speaker<'a>| s.voice.as_ref().and_then(|v| v.person),
    ));
    let confidence = Column::float(
        "person_confidence",
        "1",
        "Probability that this person is the one who speaks with the voice while seen, 0 to 1, at least \
         {turns.cast_min_probability}; null without a person.",
        |s: &Speaker<'a>| s.voice.as_ref().and_then(|v| v.person_confidence),
    );
    columns.push(confidence.of(Modality::Face));
    if embeddings {
        let text = "CAM++ voice embedding, 192 values of unit norm; compare by cosine.";
        let spec = ColumnSpec::new("embedding", Kind::F32List, "", text).of(Modality::Voice);
        columns.push(Column::new(spec, |s: &Speaker<'a>| s.voice.as_ref().and_then(|v| v.embedding.clone())));
    }
    let egemaps = audio::functional_columns(CutOff::Interview).into_iter();
    columns.extend(egemaps.map(|c| c.within(|s: &Speaker<'a>| s.voice.as_ref().map(|v| &v.egemaps))));
    Layout { name: "speakers", description: "One voice of an interview, or a transcript label without one.", columns }
}

/// Contract of the `speakers` table.
pub fn speakers_schema(embeddings: bool) -> TableSchema {
    layout(embeddings).schema()
}

/// Rows of the `speakers` table: voices by name, then labels without a voice.
///
/// # Errors
/// [`crate::error::Error::Shape`] when a value does not fit the schema.
pub fn speakers_table(from: &Speakers<'_>) -> Result<Table> {
    let &Speakers { interview_id, annotation, matches, .. } = from;
    let mut speech: BTreeMap<&str, Vec<Segment>> = BTreeMap::new();
    annotation.turns().iter().for_each(|t| speech.entry(&t.speaker).or_default().push(t.segment));
    let mut turns_by_label: BTreeMap<&str, usize> = BTreeMap::new();
    let labels = from.turns.iter().filter_map(|t| t.speaker.as_deref());
    labels.for_each(|label| *turns_by_label.entry(label).or_default() += 1);
    let turns_of = |m: &SpeakerMatch| turns_by_label.get(m.label.as_str()).copied().unwrap_or(0);
    let match_of: BTreeMap<&str, &SpeakerMatch> =
        matches.iter().rev().filter_map(|m| Some((m.diarized.as_deref()?, m))).collect();
    let speech: Vec<(&str, usize, f64)> =
        speech.into_iter().map(|(name, all)| (name, all.len(), union_secs(all))).collect();
    let total: f64 = speech.iter().map(|(.., secs)| *secs).sum();
    let voices = speech.into_iter().map(|(name, speech_turns, speech_secs)| {
        let member = from.cast.member(name);
        let matched = match_of.get(name).copied();
        let voice = Voice {
            name,
            speech_secs,
            speech_share: if total > 0.0 { speech_secs / total } else { f64::NAN },
            speech_turns,
            person: member.and_then(|m| m.person.as_deref()),
            person_confidence: member.and_then(|m| m.confidence),
            embedding: from.embedding.and_then(|embedding| embedding(name)),
            egemaps: (from.egemaps)(name),
        };
        Speaker { interview_id, voice: Some(voice), matched, turns: matched.map(turns_of) }
    });
    let voiceless = matches.iter().filter(|m| m.diarized.is_none());
    let voiceless =
        voiceless.map(|m| Speaker { interview_id, voice: None, matched: Some(m), turns: Some(turns_of(m)) });
    layout(from.embedding.is_some()).table(voices.chain(voiceless))
}
