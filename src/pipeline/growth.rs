//! How the work grows with the length of an interview: four times the turns may cost little more than four times the
//! looks at segments.
//!
//! Counted, not timed: [`crate::time::work`] counts every look at a segment's start, end or overlap, and a loop over
//! all pairs of turns cannot do without. Reading and all tables are under it, with and without sound.

use std::collections::BTreeMap;

use super::corrections::Corrected;
use super::hear::Heard;
use super::scene::Scene;
use super::tables::MadeTable;
use super::watch::Seen;
use super::{Request, tables};
use crate::annotation::{Annotation, SpeechTurn, Turn, Word};
use crate::audio::{Acoustics, TurnVoice};
use crate::recipe::Recipe;
use crate::speaker::Diarization;
use crate::table::{ColumnData, Table};
use crate::time::{Segment, work};
use crate::transcript::{Format, Transcript};
use crate::turns::{Relations, TurnsConfig, dyads_table};
use crate::warning::Warnings;

/// Turns of `people` who talk in turn, every seventh a backchannel inside the one before, every fifth begun before that
/// one's end.
fn talk(turns: usize, people: usize) -> Transcript {
    let turn = |i: usize| {
        let start = 3.0 * i as f64;
        let (start, end) = match i {
            0 => (start, start + 2.5),
            i if i % 7 == 0 => (start - 2.0, start - 1.5),
            i if i % 5 == 0 => (start - 1.0, start + 2.0),
            _ => (start, start + 2.5),
        };
        let segment = Segment::from_secs(start, end).unwrap();
        let word = Word { text: "so".into(), segment: Segment::from_secs(start, start + 0.3), speaker: None };
        Turn {
            index: i as u32 + 1,
            segment,
            speaker: Some(format!("Speaker {}", i % people)),
            text: "so it is".into(),
            words: vec![word],
        }
    };
    Transcript {
        format: Format::Srt,
        turns: (0..turns).map(turn).collect(),
        events: Vec::new(),
        codes: Vec::new(),
        after_dropped: Vec::new(),
        bare_times: false,
        language: None,
        sample: None,
        warnings: Vec::new(),
    }
}

/// Speech of up to four voices that fits the turns, without a recording.
fn heard(transcript: &Transcript) -> Heard {
    let voice = |t: &Turn| SpeechTurn { segment: t.segment, speaker: format!("SPEAKER_{:02}", t.index % 4) };
    let annotation = Annotation::new(transcript.turns.iter().map(voice).collect());
    let frames = (300.0 * transcript.turns.len() as f64) as usize;
    let level = |i: usize| if i % 300 < 240 { -20.0 } else { -70.0 };
    let acoustics = Acoustics {
        level_db: (0..frames).map(level).collect(),
        intensity_db: vec![60.0; frames],
        pitch_hz: vec![120.0; frames],
        pitch_confidence: vec![0.9; frames],
        voiced: vec![true; frames],
    };
    let diarization = Diarization { exclusive: annotation.clone(), annotation, ..Diarization::default() };
    Heard { acoustics, diarization, ..Heard::default() }
}

fn made_tables(transcript: &Transcript, heard: &Heard) -> (Vec<Table>, Vec<String>) {
    let warnings = Warnings::default();
    let request = Request { interview_id: "a".into(), ..Request::default() };
    let (recipe, seen) = (Recipe::default(), Seen::default());
    let tables = tables::tables(
        &Scene::new(&request, &recipe, (Some(transcript), &Corrected::default()), heard, &seen, &warnings)
            .unwrap()
            .with_words(crate::turns::Lexicon::english()),
    )
    .unwrap();
    let whole = |made| match made {
        MadeTable::Whole(table) => Some(table.table().unwrap().into_owned()),
        MadeTable::Frames(_) => None,
    };
    (tables.into_iter().filter_map(whole).collect(), warnings.into_sorted())
}

/// Looks at segments for one turn.
fn looks_a_turn(turns: usize, people: usize, sound: bool) -> f64 {
    let transcript = talk(turns, people);
    let heard = if sound { heard(&transcript) } else { Heard::default() };
    let voices = vec![TurnVoice { articulation_rate_syllables_per_sec: Some(4.0), ..TurnVoice::default() }; turns];
    let (links, config) = (BTreeMap::new(), TurnsConfig::default());
    let relations = Relations { voices: &voices, ..Relations::of("a", &transcript.turns, &links, &config) };
    let looks = work::of(|| {
        drop(made_tables(&transcript, &heard));
        drop(dyads_table(&relations).unwrap());
    });
    looks as f64 / turns as f64
}

#[test]
fn a_turn_costs_the_same_in_a_long_interview() {
    for (people, sound) in [(2, false), (2, true), (5, true), (60, false), (60, true)] {
        let (short, long) = (looks_a_turn(500, people, sound), looks_a_turn(4000, people, sound));
        println!("{people} people, sound {sound}: {short:.0} looks a turn of 500, {long:.0} of 4000");
        // Eight times the turns are three steps more in a search; a look at all turns would be eight times as many.
        assert!(long < 1.6 * short, "{people} people, sound {sound}: {short:.0} and then {long:.0} looks a turn");
    }
}

#[test]
fn many_people_have_as_many_rows_as_talk_near_each_other() {
    let rows = |people: usize| {
        let (tables, warnings) = made_tables(&talk(2000, people), &Heard::default());
        let rows = |name: &str| tables.iter().find(|t| t.schema().name == name).map_or(0, Table::rows);
        (rows("dyads"), rows("synchrony"), warnings.iter().any(|w| w.starts_with("crowd: ")))
    };
    assert_eq!(rows(2), (2000, 12, false));
    assert_eq!(rows(21), (20 * 2000, 21 * 20 * 6, false), "everybody with everybody");
    assert_eq!(rows(60), (59 * 2000, 60 * 59 * 6, false), "and so where that is not too much");
    let (dyads, synchrony, told) = rows(400);
    assert!(dyads <= 20 * 2000 && dyads > 18 * 2000 && told, "{dyads}");
    assert_eq!(synchrony, 0, "nobody answers anybody six times");
}

#[test]
fn in_a_crowd_those_who_talk_or_have_just_talked_are_the_listeners() {
    let (tables, _) = made_tables(&talk(300, 120), &Heard::default());
    let dyads = tables.iter().find(|t| t.schema().name == "dyads").unwrap();
    let (Some(ColumnData::I64(turn)), Some(ColumnData::Str(listener))) =
        (dyads.column("turn_index"), dyads.column("listener"))
    else {
        panic!()
    };
    let mut of_200: Vec<usize> = (0..dyads.rows())
        .filter(|&r| turn[r] == Some(200))
        .map(|r| listener[r].as_deref().unwrap().trim_start_matches("Speaker ").parse().unwrap())
        .collect();
    of_200.sort_unstable();
    // Turn 200 is Speaker 79's (199 % 120): 19 talked last before it, and Speaker 80 talks into it (turn 201, begun
    // early).
    let want: Vec<usize> = (60..79).chain([80]).collect();
    assert_eq!(of_200, want);
}
