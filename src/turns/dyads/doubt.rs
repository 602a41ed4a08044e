//! What `dyads` says by voices where they contradict the transcript's labels.

use super::tests::turn;
use super::*;
use crate::annotation::{Annotation, SpeechTurn};
use crate::table::ColumnData;
use crate::turns::{SpeakerLink, TurnsConfig};

#[test]
fn voices_of_a_contradicted_turn_and_of_the_next_tell_nothing() {
    // The third, written before the second, is contradicted; in time the fourth comes after it.
    let turns = [
        turn(1, 0.0, 2.0, "A"),
        turn(2, 4.1, 6.0, "A"),
        turn(3, 2.1, 4.0, "B"),
        turn(4, 6.1, 8.0, "B"),
        turn(5, 8.1, 9.0, "A"),
    ];
    let voice = |a: f64, b: f64, s: &str| SpeechTurn { segment: Segment::from_secs(a, b).unwrap(), speaker: s.into() };
    let annotation = Annotation::new(vec![voice(0.0, 6.0, "S0"), voice(6.1, 8.0, "S1"), voice(8.1, 9.0, "S0")]);
    let link = |voice: &str| SpeakerLink { voice: Some(voice.into()), person: None };
    let links = BTreeMap::from([("A".to_owned(), link("S0")), ("B".to_owned(), link("S1"))]);
    let config = TurnsConfig::default();
    let all = Relations { annotation: &annotation, ..Relations::of("i", &turns, &links, &config) };
    let reasons = |relations: &Relations<'_>| {
        let table = dyads_table(relations).unwrap();
        let Some(ColumnData::F64(overlaps)) = table.column("speech_overlap_secs") else { panic!() };
        let Some(ColumnData::Bool(interrupts)) = table.column("speech_interrupts") else { panic!() };
        let Some(ColumnData::I64(backchannels)) = table.column("speech_backchannels") else { panic!() };
        let Some(ColumnData::Str(why)) = table.column("speech_missing") else { panic!() };
        for (row, why) in why.iter().enumerate() {
            let known = [overlaps[row].is_finite(), interrupts[row].is_some(), backchannels[row].is_some()];
            assert_eq!(known, [why.is_none(); 3], "row {row}");
        }
        why.clone()
    };
    assert_eq!(reasons(&all), vec![None; 5]);
    let doubted = Relations { contradicted: &[false, false, true, false, false], ..all };
    let against = || Some("voice_contradicts".to_owned());
    assert_eq!(reasons(&doubted), [None, against(), against(), None, None]);
    let voiceless = BTreeMap::from([("A".to_owned(), link("S0"))]);
    assert_eq!(reasons(&Relations { links: &voiceless, ..doubted }), vec![Some("no_voice".to_owned()); 5]);
}
