//! From what was heard, seen and read to the tables of one interview.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use super::{Heard, Request, Seen, interview, shift};
use crate::annotation::Turn;
use crate::audio::egemaps::{Extractor, FUNCTIONAL_COUNT, Functionals};
use crate::audio::{self, TurnVoice};
use crate::error::Result;
use crate::face;
use crate::recipe::Recipe;
use crate::table::{Cell, ColumnSpec, CutOff, Missing, Table, TableBuilder, TableSchema};
use crate::time::Segment;
use crate::transcript::Transcript;
use crate::turns::{
    self, Cast, EmbeddingOf, FaceTurn, Place, Relations, SpeakerColumns, SpeakerMatch, TranscriptOffset, TurnRow, VoiceColumns,
};
use crate::warning::{Warning, Warnings};

/// Seconds of one voice activity value.
const VAD_STEP_SECS: f64 = 512.0 / 16_000.0;

/// The tables, and what the interview's row tells of them.
pub(super) struct Described {
    pub(super) tables: Vec<Table>,
    pub(super) turns: usize,
    pub(super) words: usize,
    pub(super) matches: Vec<SpeakerMatch>,
    pub(super) offset: Option<TranscriptOffset>,
}

/// The contract of every table of an output folder, in the order of SCHEMA.md.
pub fn schemas(recipe: &Recipe) -> Vec<TableSchema> {
    let mut turns = turns::turns_schema(voice_specs());
    turns.columns.extend(turns::speaker_z_specs(&voice_specs(), recipe.turns.speaker_z));
    vec![
        interview::interviews_schema(),
        turns,
        turns::turn_faces_schema(),
        turns::dyads_schema(),
        turns::synchrony_schema(),
        turns::words_schema(),
        turns::speech_schema(),
        turns::speakers_schema(recipe.turns.speaker_embeddings, audio::functional_specs(CutOff::Interview)),
        audio::voice_schema(audio::lld_specs()),
        face::faces_schema(&recipe.face),
        face::tracks_schema(&recipe.face),
    ]
}

/// The voice columns of `turns`: the room's own, then eGeMAPS.
fn voice_specs() -> Vec<ColumnSpec> {
    let mut specs = audio::turn_voice_columns();
    specs.extend(audio::functional_specs(CutOff::TurnEnd));
    specs
}

/// eGeMAPS of a turn, cut out and analysed on its own as openSMILE does.
fn turn_egemaps(segment: Segment, heard: &Heard, extractor: &mut Extractor) -> Functionals {
    let without = |missing| Functionals { values: [None; FUNCTIONAL_COUNT], opensmile: [None; FUNCTIONAL_COUNT], missing: Some(missing) };
    match &heard.report {
        None => without(Missing::NoStream),
        Some(_) if segment.start() >= heard.audio.duration() => without(Missing::PastEnd),
        Some(_) => extractor.functionals(heard.audio.slice(segment)),
    }
}

/// eGeMAPS of everything one voice says alone: its stretches of the exclusive annotation, joined.
fn speaker_egemaps(speaker: &str, heard: &Heard) -> Vec<Cell> {
    let mut joined = Vec::new();
    for turn in heard.diarization.exclusive.turns().iter().filter(|t| t.speaker == speaker) {
        joined.extend_from_slice(heard.audio.slice(turn.segment));
    }
    audio::functional_cells(&Extractor::new().functionals(&joined))
}

/// Aligns everything with the turns and builds all tables but the interview's row.
pub(super) fn describe(
    request: &Request,
    recipe: &Recipe,
    transcript: Option<&Transcript>,
    heard: &Heard,
    seen: &Seen,
    warnings: &Warnings,
) -> Result<Described> {
    let id = request.interview_id.as_str();
    let annotation = &heard.diarization.annotation;
    let mut all = transcript.map_or_else(|| turns::turns_of_speech(annotation), |t| t.turns.clone());
    let offset = match transcript {
        Some(_) => measure_offset(&mut all, recipe, heard, warnings),
        None => None,
    };
    warn_past_end(&all, heard, seen, warnings);

    let matches = if transcript.is_some() { turns::match_speakers(&all, annotation) } else { Vec::new() };
    turns::crowd(&all).into_iter().for_each(|w| warnings.push(w));
    let cast = turns::cast(annotation, &seen.faces, &heard.acoustics, &recipe.turns);
    let face_turns = turns::face_turns(&all, &seen.faces, &recipe.turns);
    let found = Matched::new(&matches);
    let rows: Vec<TurnRow> =
        all.iter().enumerate().map(|(i, t)| row(i, t, transcript.is_some(), heard, seen, &found, &cast, &face_turns, recipe)).collect();
    let heard_voices: Vec<(Option<&str>, Option<&str>)> =
        rows.iter().map(|r| (r.matched_speaker.as_deref(), r.speech.speaker.as_deref())).collect();
    turns::contradictions(&all, &heard_voices, &matches).into_iter().for_each(|w| warnings.push(w));
    let speaker_person: Vec<Option<String>> = rows.iter().map(|r| r.person.clone()).collect();
    let turn_voice = |t: &Turn, r: &TurnRow| audio::turn_voice(&heard.audio, &heard.acoustics, t.segment, r.words, &recipe.voice);
    // Without sound there is nothing to hold for every turn.
    let voices: Vec<TurnVoice> =
        if heard.report.is_some() { all.iter().zip(&rows).map(|(t, r)| turn_voice(t, r)).collect() } else { Vec::new() };
    let silent = TurnVoice::without(Missing::NoStream);

    // Made when its row is: 88 values a turn are not held twice.
    let extractor = RefCell::new(Extractor::new());
    let fill_voice = |i: usize, table: &mut TableBuilder| {
        audio::fill(voices.get(i).unwrap_or(&silent), table);
        audio::fill_functionals(&turn_egemaps(all[i].segment, heard, &mut extractor.borrow_mut()), table);
    };

    let embedding = |name: &str| heard.diarization.voices.iter().find(|v| v.speaker == name).and_then(|v| v.embedding.clone());
    let turn_rows = turns::turns_table(id, &all, &rows, VoiceColumns { specs: voice_specs(), fill: &fill_voice })?;
    let places = places(&all, transcript.is_some(), &matches, &cast);
    let relations = Relations {
        interview_id: id,
        turns: &all,
        places: &places,
        annotation,
        acoustics: &heard.acoustics,
        voices: &voices,
        faces: &seen.faces,
        face_turns: &face_turns,
        config: &recipe.turns,
    };
    let mut tables = vec![
        turns::with_speaker_z(turn_rows, &voice_specs(), recipe.turns.speaker_z)?,
        turns::turn_faces_table(id, &all, &face_turns, &speaker_person)?,
        turns::dyads_table(&relations)?,
        turns::synchrony_table(&relations)?,
        turns::speech_table(id, annotation, &heard.diarization.exclusive)?,
        turns::speakers_table(
            id,
            annotation,
            &all,
            &matches,
            &cast,
            recipe.turns.speaker_embeddings.then_some(&embedding as EmbeddingOf<'_>),
            SpeakerColumns { specs: audio::functional_specs(CutOff::Interview), cells: &|speaker| speaker_egemaps(speaker, heard) },
        )?,
        audio::voice_table(id, &heard.acoustics, audio::lld_columns(&heard.lld, heard.acoustics.len()))?,
        face::faces_table(id, &seen.faces, &recipe.face)?,
        face::tracks_table(id, &seen.faces, &recipe.face)?,
    ];
    let words: usize = rows.iter().filter_map(|r| r.words).sum();
    tables.extend(turns::words_table(id, &all, annotation)?);
    Ok(Described { tables, turns: all.len(), words, matches, offset })
}

/// Where each label's voice and face are to be found.
fn places(all: &[Turn], has_transcript: bool, matches: &[SpeakerMatch], cast: &Cast) -> BTreeMap<String, Place> {
    let labels: BTreeSet<&str> = all.iter().filter_map(|t| t.speaker.as_deref()).collect();
    let found = Matched::new(matches);
    labels
        .into_iter()
        .map(|label| {
            let voice = if has_transcript { found.voice_of.get(label).copied() } else { Some(label) };
            let person = voice.and_then(|v| cast.person_of(v)).map(ToOwned::to_owned);
            (label.to_owned(), Place { voice: voice.map(ToOwned::to_owned), person })
        })
        .collect()
}

/// Labels and voices that belong together, to be looked up by either.
struct Matched<'a> {
    voice_of: BTreeMap<&'a str, &'a str>,
    label_of: BTreeMap<&'a str, &'a str>,
}

impl<'a> Matched<'a> {
    fn new(matches: &'a [SpeakerMatch]) -> Self {
        let pairs = || matches.iter().filter_map(|m| Some((m.label.as_str(), m.diarized.as_deref()?)));
        Matched { voice_of: pairs().collect(), label_of: pairs().map(|(label, voice)| (voice, label)).collect() }
    }
}

fn measure_offset(all: &mut [Turn], recipe: &Recipe, heard: &Heard, warnings: &Warnings) -> Option<TranscriptOffset> {
    let speech = &heard.diarization.vad_probability;
    let found = turns::transcript_offset(all, speech, VAD_STEP_SECS, recipe.turns.max_transcript_offset_secs)?;
    if found.is_telling() {
        if recipe.input.apply_transcript_offset {
            shift(all, found.offset_secs).into_iter().for_each(|w| warnings.push(w));
            let what = format!("transcript moved by {:+.2} s, where speech fits it best", found.offset_secs);
            warnings.push(Warning::Other { code: "transcript_offset", what });
        } else {
            warnings.push(Warning::TranscriptOffset { offset_secs: found.offset_secs });
        }
    }
    Some(found)
}

fn warn_past_end(all: &[Turn], heard: &Heard, seen: &Seen, warnings: &Warnings) {
    let ends = [heard.report.as_ref().map(|_| heard.audio.duration()), seen.report.as_ref().and_then(|r| r.end)];
    if let Some(media_end) = ends.into_iter().flatten().max() {
        // A cue that ends within a video frame of the media's end is on time.
        let count = all.iter().filter(|t| t.segment.end().get() > media_end.get() + 0.05).count();
        if count > 0 {
            warnings.push(Warning::TurnsPastEnd { count, media_end });
        }
    }
}

#[allow(clippy::too_many_arguments, reason = "the one place where all that is known of a turn comes together")]
fn row(
    index: usize,
    turn: &Turn,
    has_transcript: bool,
    heard: &Heard,
    seen: &Seen,
    matches: &Matched<'_>,
    cast: &Cast,
    face_turns: &[FaceTurn],
    recipe: &Recipe,
) -> TurnRow {
    let label = turn.speaker.as_deref();
    let matched =
        if has_transcript { label.and_then(|l| matches.voice_of.get(l)).map(|v| (*v).to_owned()) } else { label.map(ToOwned::to_owned) };
    let speech = turns::speech_context(&heard.diarization.annotation, turn.segment, matched.as_deref());
    let voice = voice(label.filter(|_| has_transcript), matched.as_deref(), speech.speaker.as_deref(), matches);
    let person = voice.as_deref().and_then(|v| cast.person_of(v)).map(ToOwned::to_owned);
    let (first, last) = (face_turns.partition_point(|f| f.turn < index), face_turns.partition_point(|f| f.turn <= index));
    let there = &face_turns[first..last];
    let here: Vec<&FaceTurn> = there.iter().filter(|f| f.observations > 0).collect();
    let (face, face_source, mut face_missing) = choose_face(&here, person.as_deref(), turn, seen, recipe);
    let own_is_there = person.as_ref().map_or(!there.is_empty(), |p| there.iter().any(|f| f.person == *p));
    if matches!(face_missing, Some(Missing::NoFace | Missing::OffScreen)) && own_is_there && (person.is_some() || here.is_empty()) {
        face_missing = Some(Missing::LowQuality);
    }
    TurnRow {
        words: has_transcript.then(|| turns::word_count(&turn.text)),
        speech,
        matched_speaker: matched.filter(|_| has_transcript),
        // A person who is not in the picture now is off screen now, whoever it is; a face too small to measure is still there.
        person: person.filter(|p| there.iter().any(|f| f.person == *p)),
        face,
        face_source,
        face_missing,
    }
}

/// The voice that is looked for on the screen: the label's own, else whoever is heard in the turn, unless that is another label's voice.
/// Where diarization takes two people for one, the second has no voice, and must not get the first one's face.
fn voice(label: Option<&str>, matched: Option<&str>, heard: Option<&str>, matches: &Matched<'_>) -> Option<String> {
    let of_another = |speaker: &str| label.is_some_and(|l| matches.label_of.get(speaker).is_some_and(|own| *own != l));
    matched.or_else(|| heard.filter(|s| !of_another(s))).map(ToOwned::to_owned)
}

/// The face a turn's row describes: the speaker's own by the cast; where the speaker has no place on the screen, the one person seen.
fn choose_face(
    here: &[&FaceTurn],
    person: Option<&str>,
    turn: &Turn,
    seen: &Seen,
    recipe: &Recipe,
) -> (Option<FaceTurn>, Option<&'static str>, Option<Missing>) {
    let missing = |reason| (None, None, Some(reason));
    let Some(report) = &seen.report else {
        return missing(if recipe.input.skip_video { Missing::NotRequested } else { Missing::NoStream });
    };
    if report.end.is_none_or(|end| turn.segment.start() >= end) {
        return missing(Missing::PastEnd);
    }
    match (person, here) {
        (Some(p), _) => match here.iter().find(|f| f.person == p) {
            Some(face) => (Some((*face).clone()), Some("cast"), None),
            None => missing(if here.is_empty() { Missing::NoFace } else { Missing::OffScreen }),
        },
        (None, []) => missing(Missing::NoFace),
        (None, [one]) => (Some((*one).clone()), Some("only_visible"), None),
        (None, _) => missing(Missing::OffScreen),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_without_a_voice_does_not_get_another_labels() {
        let matched = |label: &str, diarized: Option<&str>| SpeakerMatch {
            label: label.into(),
            diarized: diarized.map(ToOwned::to_owned),
            shared_secs: 1.0,
            speech_secs: 1.0,
        };
        let matches = [matched("Wang", Some("S0")), matched("Li", None)];
        let of = |label: Option<&str>, own: Option<&str>, heard: Option<&str>| voice(label, own, heard, &Matched::new(&matches));
        assert_eq!(of(Some("Wang"), Some("S0"), Some("S0")).as_deref(), Some("S0"));
        assert_eq!(of(Some("Li"), None, Some("S0")), None, "one voice was found for two people, and it is Wang's");
        assert_eq!(of(Some("Li"), None, Some("S1")).as_deref(), Some("S1"), "a voice that is nobody else's");
        assert_eq!(of(None, None, Some("S0")).as_deref(), Some("S0"), "a turn without a label");
    }
}
