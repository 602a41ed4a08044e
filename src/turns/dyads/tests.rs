//! What `dyads` says of made talks.

use super::*;
use crate::annotation::{Annotation, SpeechTurn, Turn};
use crate::table::{Cell, ColumnData, CutOff};
use crate::turns::face_statistics::face_of;
use crate::turns::{SpeakerLink, TurnsConfig};

pub(super) fn turn(index: u32, start: f64, end: f64, speaker: &str) -> Turn {
    let segment = Segment::from_secs(start, end).unwrap();
    Turn { index, segment, speaker: Some(speaker.into()), text: String::new(), words: Vec::new() }
}

fn floats(table: &Table, name: &str) -> Vec<Option<f64>> {
    match table.column(name) {
        Some(ColumnData::F64(v)) => v.iter().map(|x| x.is_finite().then_some((x * 1e6).round() / 1e6)).collect(),
        other => panic!("{other:?}"),
    }
}

fn bools(table: &Table, name: &str) -> Vec<bool> {
    match table.column(name) {
        Some(ColumnData::Bool(v)) => v.iter().map(|x| x.unwrap()).collect(),
        other => panic!("{other:?}"),
    }
}

/// A speaks, B answers after a gap, A touches, B interrupts, A says hm inside B's turn.
fn talk() -> Vec<Turn> {
    vec![
        turn(1, 0.0, 4.0, "A"),
        turn(2, 4.5, 6.0, "B"),
        turn(3, 6.0, 9.0, "A"),
        turn(4, 8.0, 12.0, "B"),
        turn(5, 9.5, 10.0, "A"),
    ]
}

#[test]
fn offsets_interruptions_and_backchannels() {
    let t = dyads_table(&Relations::of("i", &talk(), &BTreeMap::new(), &TurnsConfig::default())).unwrap();
    assert_eq!(t.rows(), 5);
    assert_eq!(floats(&t, "floor_offset_secs"), [None, Some(0.5), Some(0.0), Some(-1.0), None]);
    assert_eq!(floats(&t, "overlap_secs"), [0.0, 0.0, 0.0, 1.0, 0.5].map(Some));
    assert_eq!(bools(&t, "interrupts"), [false, false, false, true, false]);
    assert_eq!(bools(&t, "backchannel"), [false, false, false, false, true]);
    assert_eq!(t.column("backchannels_received"), Some(&ColumnData::I64([0, 0, 0, 1, 0].map(Some).to_vec())));
    assert_eq!(floats(&t, "response_latency_secs"), [None, Some(0.5), Some(0.0), None, None]);
    assert_eq!(floats(&t, "speaker_floor_share")[1], Some((1.5f64 / 5.5 * 1e6).round() / 1e6));
    let ColumnData::Str(kinds) = t.column("floor_transfer").unwrap() else { panic!() };
    assert_eq!(
        kinds.iter().map(Option::as_deref).collect::<Vec<_>>(),
        [None, Some("gap"), Some("touch"), Some("overlap"), None]
    );
}

#[test]
fn a_backchannel_leaves_the_floor_where_it_is() {
    let turns = [
        turn(1, 0.0, 4.0, "B"),
        turn(2, 1.0, 1.5, "A"),
        turn(3, 3.6, 7.0, "A"),
        turn(4, 5.0, 5.4, "B"),
        turn(5, 7.5, 8.0, "A"),
    ];
    let t = dyads_table(&Relations::of("i", &turns, &BTreeMap::new(), &TurnsConfig::default())).unwrap();
    assert_eq!(floats(&t, "floor_offset_secs"), [None, None, Some(-0.4), None, None]);
    assert_eq!(bools(&t, "interrupts"), [false, false, true, false, false]);
}

#[test]
fn what_comes_later_changes_nothing() {
    let rows =
        |n: usize| dyads_table(&Relations::of("i", &talk()[..n], &BTreeMap::new(), &TurnsConfig::default())).unwrap();
    let (short, whole) = (rows(3), rows(5));
    for (spec, (a, b)) in short.schema().columns.iter().zip(short.columns().iter().zip(whole.columns())) {
        // Turn 4 begins inside turn 3, and still turn 3 does not know it.
        for row in (0..3).filter(|_| spec.cut_off != CutOff::Interview) {
            assert_eq!(format!("{:?}", value(a, row)), format!("{:?}", value(b, row)), "{}", spec.name);
        }
    }
}

fn value(data: &ColumnData, row: usize) -> String {
    match data {
        ColumnData::F64(v) => format!("{:?}", v[row]),
        ColumnData::I64(v) => format!("{:?}", v[row]),
        ColumnData::Str(v) => format!("{:?}", v[row]),
        ColumnData::Bool(v) => format!("{:?}", v[row]),
        other => panic!("{other:?}"),
    }
}

#[test]
fn voices_tell_what_a_coarse_transcript_hides() {
    let voice = |a: f64, b: f64, s: &str| SpeechTurn { segment: Segment::from_secs(a, b).unwrap(), speaker: s.into() };
    let annotation = Annotation::new(vec![
        voice(0.2, 3.6, "S0"),
        voice(4.1, 7.0, "S1"),
        voice(5.0, 5.4, "S0"),
        voice(6.5, 9.0, "S0"),
    ]);
    let turns = [turn(1, 0.0, 4.0, "A"), turn(2, 4.0, 7.0, "B"), turn(3, 7.0, 9.0, "A")];
    let link = |v: &str| SpeakerLink { voice: Some(v.into()), person: None };
    let links = [("A".to_owned(), link("S0")), ("B".to_owned(), link("S1"))].into_iter().collect();
    let config = TurnsConfig::default();
    let t = dyads_table(&Relations { annotation: &annotation, ..Relations::of("i", &turns, &links, &config) }).unwrap();
    assert_eq!(floats(&t, "speech_floor_offset_secs"), [None, Some(0.5), Some(-0.5)]);
    assert_eq!(floats(&t, "speech_overlap_secs"), [Some(0.0), Some(0.9), Some(0.0)]);
    assert_eq!(bools(&t, "speech_interrupts"), [false, false, true]);
    assert_eq!(t.column("speech_backchannels"), Some(&ColumnData::I64([0, 1, 0].map(Some).to_vec())));
}

#[test]
fn what_a_voice_does_is_told_of_the_turn_in_which_it_begins_and_once() {
    let voice = |a: f64, b: f64, s: &str| SpeechTurn { segment: Segment::from_secs(a, b).unwrap(), speaker: s.into() };
    // B breaks in at 3.5, and two cues hold what B says; A's hm at 6.05 falls between them, the one at 7.2 into the
    // second. A's voice begins before A's last cue.
    let annotation = Annotation::new(vec![
        voice(0.2, 4.0, "S0"),
        voice(3.5, 8.0, "S1"),
        voice(6.05, 6.35, "S0"),
        voice(7.2, 7.5, "S0"),
        voice(7.7, 10.0, "S0"),
    ]);
    let turns = [
        turn(1, 0.0, 4.0, "A"),
        turn(2, 4.0, 6.0, "B"),
        turn(3, 6.4, 8.0, "B"),
        turn(4, 8.0, 9.0, "A"),
        turn(5, 9.1, 10.0, "A"),
    ];
    let link = |v: &str| SpeakerLink { voice: Some(v.into()), person: None };
    let links = [("A".to_owned(), link("S0")), ("B".to_owned(), link("S1"))].into_iter().collect();
    let config = TurnsConfig::default();
    let t = dyads_table(&Relations { annotation: &annotation, ..Relations::of("i", &turns, &links, &config) }).unwrap();
    assert_eq!(bools(&t, "speech_interrupts"), [false, true, false, true, false]);
    assert_eq!(t.column("speech_backchannels"), Some(&ColumnData::I64([0, 1, 1, 0, 0].map(Some).to_vec())));
    assert_eq!(floats(&t, "speech_first_backchannel_secs"), [None, Some(6.05), Some(7.2), None, None]);
    assert_eq!(floats(&t, "speech_start_secs"), [Some(0.2), Some(3.5), None, Some(7.7), None]);
    assert_eq!(floats(&t, "speech_floor_offset_secs"), [None, Some(-0.5), None, Some(-0.3), None]);
}

#[test]
fn every_column_of_the_listeners_face_reads_statistics_that_exist() {
    let columns = columns::face_columns();
    assert_eq!(columns.len(), 3);
    for column in columns {
        assert_eq!(column.value(&face_of(0.25)), Cell::Float(0.25), "{}", column.spec().name);
        assert_eq!(column.value(&face_of(f64::NAN)), Cell::Missing, "{}", column.spec().name);
    }
}
