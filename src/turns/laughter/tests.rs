//! Whose laugh it is, whose turn, and who laughs along.

use super::super::{SpeakerLink, TurnsConfig, dyads_table};
use super::*;
use crate::annotation::{Annotation, SpeechTurn, Turn};
use crate::face::{BLENDSHAPES, BoundingBox, Faces, Observation, Quality, Track};
use crate::table::{ColumnData, Table};

fn segment(a: f64, b: f64) -> Segment {
    Segment::from_secs(a, b).unwrap()
}

fn turn(index: u32, a: f64, b: f64, speaker: &str) -> Turn {
    Turn { index, segment: segment(a, b), speaker: Some(speaker.into()), text: "so".into(), words: Vec::new() }
}

fn mark(a: f64, b: f64, speaker: Option<&str>, what: &str, in_turn: bool) -> SoundEvent {
    SoundEvent { segment: segment(a, b), speaker: speaker.map(ToOwned::to_owned), what: what.into(), in_turn }
}

fn heard(start_secs: f64, end_secs: f64) -> Laugh {
    Laugh { start_secs, end_secs, probability: 0.8 }
}

/// Anna and Ben talk, with a voice each.
struct Talk {
    turns: Vec<Turn>,
    links: BTreeMap<String, SpeakerLink>,
    annotation: Annotation,
    config: TurnsConfig,
}

impl Talk {
    fn new() -> Self {
        let link = |voice: &str| SpeakerLink { voice: Some(voice.into()), person: Some(format!("{voice}_face")) };
        let speech = |a, b, speaker: &str| SpeechTurn { segment: segment(a, b), speaker: speaker.into() };
        Talk {
            turns: vec![turn(1, 0.0, 4.0, "Anna"), turn(2, 5.0, 8.0, "Ben"), turn(3, 9.0, 12.0, "Anna")],
            links: [("Anna".to_owned(), link("S0")), ("Ben".to_owned(), link("S1"))].into(),
            annotation: Annotation::new(vec![speech(0.0, 4.0, "S0"), speech(5.0, 8.0, "S1"), speech(9.0, 12.0, "S0")]),
            config: TurnsConfig::default(),
        }
    }

    fn relations(&self) -> Relations<'_> {
        Relations { annotation: &self.annotation, ..Relations::of("i", &self.turns, &self.links, &self.config) }
    }

    fn laughs(&self, marks: &[SoundEvent], sound: Option<&[Laugh]>) -> Laughs {
        Laughs::of(&self.relations(), LaughterIn { marks, sound }).unwrap()
    }
}

fn ints(table: &Table, name: &str) -> Vec<Option<i64>> {
    let Some(ColumnData::I64(values)) = table.column(name) else { panic!("{name}") };
    values.clone()
}

#[test]
fn a_mark_is_its_cues_speakers_and_other_sounds_are_no_laughter() {
    let talk = Talk::new();
    let marks = [
        mark(1.0, 2.0, Some("Ben"), "laughs", false),
        mark(5.0, 8.0, Some("Ben"), "chuckles softly", true),
        mark(4.0, 4.5, None, "both laughing", false),
        mark(6.0, 7.0, Some("Anna"), "sighs", false),
    ];
    let laughs = talk.laughs(&marks, None);
    let told: Vec<_> = laughs.all.iter().map(|l| (l.turn, l.speaker.as_deref(), l.with_words)).collect();
    assert_eq!(told, [(Some(0), Some("Ben"), false), (None, None, false), (Some(1), Some("Ben"), true)]);
    assert_eq!((laughs.all[0].voice.as_deref(), laughs.all[1].speaker_missing), (Some("S1"), Some(Missing::NoLabel)));
    let relations = Relations { laughs: Some(&laughs), ..talk.relations() };
    assert_eq!(ints(&laughter_table(&relations).unwrap(), "turn_index"), [Some(1), None, Some(2)]);
}

#[test]
fn a_laugh_in_the_sound_is_the_voices_that_has_it() {
    let talk = Talk::new();
    // In Ben's speech; in nobody's; half in Ben's and half in nobody's, which is his.
    let laughs = talk.laughs(&[], Some(&[heard(6.0, 7.0), heard(8.2, 8.8), heard(7.5, 8.5)]));
    let who: Vec<_> = laughs.all.iter().map(|l| (l.speaker.as_deref(), l.speaker_missing)).collect();
    assert_eq!(who, [(Some("Ben"), None), (Some("Ben"), None), (None, Some(Missing::NoSpeech))]);
    assert!(laughs.all.iter().all(|l| l.shared.is_none() && l.probability == Some(0.8)));
    // A mark of the same time is the same laugh.
    let both = talk.laughs(&[mark(6.2, 7.0, Some("Anna"), "laughs", false)], Some(&[heard(6.0, 7.0)]));
    assert_eq!(both.all.len(), 1);
    assert_eq!((both.all[0].speaker.as_deref(), both.all[0].source), (Some("Anna"), Source::Transcript));
}

#[test]
fn two_voices_leave_a_laugh_nobodys() {
    let mut talk = Talk::new();
    let speech = |a, b, speaker: &str| SpeechTurn { segment: segment(a, b), speaker: speaker.into() };
    talk.annotation = Annotation::new(vec![speech(1.0, 2.0, "S0"), speech(1.0, 2.0, "S1")]);
    let laughs = talk.laughs(&[], Some(&[heard(1.0, 2.0)]));
    assert_eq!((laughs.all[0].speaker.as_deref(), laughs.all[0].speaker_missing), (None, Some(Missing::NoVoice)));
}

#[test]
fn a_turn_counts_what_begins_in_it_once_with_its_whole_length() {
    let talk = Talk::new();
    let marks = [
        mark(3.0, 4.6, Some("Anna"), "laughs", false),
        mark(3.5, 4.0, Some("Ben"), "laughs", false),
        mark(5.0, 8.0, Some("Ben"), "laughs", true),
    ];
    let laughs = talk.laughs(&marks, None);
    assert_eq!(laughs.all[0].shared, Some(true), "Ben laughs with Anna");
    let turns: Vec<_> = (0..3).map(|i| laughs.of_turn(i, talk.turns[i].speaker.as_deref()).unwrap()).collect();
    assert_eq!((turns[0].counts, turns[1].counts, turns[2].counts), ([2, 1, 1], [1, 1, 0], [0; 3]));
    let near = |found: [f64; 3], expected: [f64; 3]| found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-9);
    assert!(near(turns[0].secs, [2.1, 1.6, 0.5]) && near(turns[1].secs, [0.0; 3]), "{turns:?}");
    assert_eq!(talk.laughs(&[], None).of_turn(0, Some("Anna")), Err(Missing::NotRequested));
    assert_eq!(talk.laughs(&[], Some(&[])).of_turn(0, Some("Anna")).unwrap(), columns::TurnLaughter::default());
}

#[test]
fn dyads_tell_shared_laughter_and_laughter_in_answer() {
    let talk = Talk::new();
    let marks = [
        // Ben laughs while Anna does; later he answers 1.5 s after she began, when she has stopped; then too late.
        mark(1.0, 2.0, Some("Anna"), "laughs", false),
        mark(1.5, 2.2, Some("Ben"), "laughs", false),
        mark(9.0, 9.4, Some("Anna"), "laughs", false),
        mark(10.5, 11.0, Some("Ben"), "laughs", false),
        mark(11.2, 11.4, Some("Anna"), "laughs", false),
        mark(13.5, 14.0, Some("Ben"), "laughs", false),
    ];
    let laughs = talk.laughs(&marks, None);
    let relations = Relations { laughs: Some(&laughs), ..talk.relations() };
    let table = dyads_table(&relations).unwrap();
    assert_eq!(ints(&table, "listener_laughs"), [Some(1), Some(0), Some(1)]);
    assert_eq!(ints(&table, "shared_laughs"), [Some(1), Some(0), Some(0)]);
    assert_eq!(ints(&table, "answered_laughs"), [Some(1), Some(0), Some(1)]);
    let unknown = dyads_table(&talk.relations()).unwrap();
    assert_eq!(ints(&unknown, "shared_laughs"), [None; 3]);
}

/// Two faces at ten looks a second for 12 s, which smile from 8 to 9 s where they are to.
fn faces(smile: [bool; 2]) -> Faces {
    let mut observations = Vec::new();
    for i in 0..120 {
        let at = 0.1 * f64::from(i);
        for (track, smiles) in (1..).zip(smile) {
            let height = if smiles && (8.0..9.0).contains(&at) { 0.9 } else { 0.0 };
            let mut shapes = [0.0f32; 52];
            for (place, _) in BLENDSHAPES.iter().enumerate().filter(|(_, name)| name.starts_with("mouthSmile")) {
                shapes[place] = height;
            }
            observations.push(Observation {
                blendshapes: Some(shapes),
                lip_corner_lift: Some(0.08 * height),
                expression: Some([1.0 - height, height, 0.0, 0.0, 0.0, 0.0, 0.0]),
                quality: Quality { size_px: 100.0, sharpness: 1.0, in_frame: 1.0 },
                ..Observation::bare(Seconds::of(at), track, BoundingBox::from_corners(0.0, 0.0, 100.0, 100.0))
            });
        }
    }
    let sampled: Vec<Seconds> = (0..120).map(|i| Seconds::of(0.1 * f64::from(i))).collect();
    let track = |id: u32, person| Track::bare(id, Some(person), (sampled[0], sampled[119]), 120);
    let observations = observations.into();
    let persons = vec!["S0_face".into(), "S1_face".into()];
    Faces { tracks: vec![track(1, "S0_face"), track(2, "S1_face")], observations, persons, sampled, ..Faces::default() }
}

#[test]
fn where_no_voice_is_heard_the_one_face_that_smiles_tells_whose_it_is() {
    let talk = Talk::new();
    let who = |smile: [bool; 2]| {
        let faces = faces(smile);
        let relations = Relations { faces: &faces, ..talk.relations() };
        let laughs = Laughs::of(&relations, LaughterIn { marks: &[], sound: Some(&[heard(8.2, 8.8)]) }).unwrap();
        let laugh = laughs.all[0].clone();
        (laugh.speaker, laugh.person, laugh.speaker_missing, laugh.shared)
    };
    let ben = (Some("Ben".to_owned()), Some("S1_face".to_owned()), None, Some(false));
    assert_eq!(who([false, true]), ben);
    assert_eq!(who([true, true]), (None, None, Some(Missing::NoSpeech), Some(true)), "both laugh");
    assert_eq!(who([false, false]), (None, None, Some(Missing::NoSpeech), Some(false)), "nobody smiles");
}
