use super::apply::{Corrected, correct_faces, correct_speech, correct_transcript};
use super::*;
use crate::annotation::{Annotation, SpeechTurn, Turn};
use crate::face::{BoundingBox, Faces, Nobody, Observation, Track};
use crate::speaker::{Diarization, SpeakerVoice};
use crate::time::{Seconds, Segment};

fn line(kind: &str, subject: &str, value: &str) -> Correction {
    Correction::parse(kind, subject, value, None).unwrap()
}

fn outcomes(corrected: &Corrected) -> Vec<Result2> {
    corrected.lines.iter().map(|(_, o)| o.clone().map(|o| o.map_err(|p| p.code))).collect()
}

type Result2 = Option<std::result::Result<String, &'static str>>;

fn to(found: &str) -> Result2 {
    Some(Ok(found.into()))
}

fn heard(turns: &[(f64, f64, &str)]) -> Diarization {
    let turn = |&(a, b, speaker): &(f64, f64, &str)| SpeechTurn {
        segment: Segment::from_secs(a, b).unwrap(),
        speaker: speaker.into(),
    };
    let annotation = Annotation::new(turns.iter().map(turn).collect());
    let voice = |speaker: &str| SpeakerVoice { speaker: speaker.into(), embedding: None, total_secs: 1.0 };
    let voices = annotation.speakers().into_iter().map(voice).collect();
    Diarization { exclusive: annotation.clone(), annotation, voices, ..Diarization::default() }
}

fn speakers(d: &Diarization) -> Vec<&str> {
    d.annotation.turns().iter().map(|t| t.speaker.as_str()).collect()
}

fn speech(lines: &[Correction], d: &mut Diarization, has_transcript: bool) -> Corrected {
    let mut corrected = Corrected::new(lines);
    correct_speech(&mut corrected, d, has_transcript);
    corrected
}

const TALK: [(f64, f64, &str); 4] =
    [(0.0, 2.0, "SPEAKER_00"), (2.0, 4.0, "SPEAKER_01"), (3.0, 5.0, "SPEAKER_02"), (6.0, 7.0, "SPEAKER_00")];

#[test]
fn a_file_is_read_and_what_is_wrong_in_it_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join(FILE);
    let read = |text: &str| {
        std::fs::write(&path, text).unwrap();
        Corrections::read(&path)
    };
    let head = "interview_id,kind,subject,value,note\n";
    let all = read(&format!("{head}a,voice,SPEAKER_00@1.5,Ann,heard it\n\nb,turn,3,not_speech,\n")).unwrap();
    assert_eq!(
        all.lines().map(|(n, id, c)| format!("{n} {id} {c}")).collect::<Vec<_>>(),
        ["2 a voice SPEAKER_00@1.5 = Ann", "4 b turn 3 = not_speech"]
    );
    assert_eq!((all.of("a").len(), all.of("c").len()), (1, 0));
    assert!(Corrections::of_folder(&dir.path().join("none")).unwrap().lines().len() == 0);
    for (text, parts) in [
        ("interview,kind,subject,value\n", &[".csv:1:", "interview_id"][..]),
        ("interview_id,kind,subject,value,notes_of\na,voice,b,c,\n", &[][..]),
        ("interview_id,kind,subject,value,why\na,voice,b,c,\n", &[".csv:1:", "why"]),
        (&format!("{head}a,voise,SPEAKER_00,Ann,\n"), &[".csv:2:", "voise", "did you mean \"voice\"", "kinds are"]),
        (&format!("{head}a,voice,SPEAKER_00,Ann Lee,\n"), &[".csv:2:", "Ann Lee", "write `_`"]),
        (&format!("{head}a,voice,SPEAKER_00,nobody,\n"), &[".csv:2:", "each voice is somebody's"]),
        (&format!("{head}a,turn,3,not speech,\n"), &[".csv:2:", "did you mean \"not_speech\""]),
        (&format!("{head}a,turn,x,not_speech,\n"), &[".csv:2:", "\"x\"", "a turn's number"]),
        (&format!("{head}a,track,P1,nobody,\n"), &[".csv:2:", "\"P1\"", "a track's number"]),
        (&format!("{head}a,person,P1,,\n"), &[".csv:2:", "no value"]),
        (&format!("{head}a,person,P1,P1,\n"), &[".csv:2:", "itself"]),
        (&format!("{head},person,P1,P2,\n"), &[".csv:2:", "interview_id"]),
        (&format!("{head}a,person,P1,P2,\na,person,P1,P3,\n"), &[".csv:3:", "line 2", "twice"]),
    ] {
        let found = read(text);
        if parts.is_empty() {
            found.unwrap();
            continue;
        }
        let e = found.unwrap_err().to_string();
        assert!(parts.iter().all(|part| e.contains(part)), "{text}: {e}");
    }
}

#[test]
fn a_subject_reads_as_it_is_written() {
    for text in ["SPEAKER_00", "P3@12.5:640x360", "17@0", "a@b", "a@b@1.25"] {
        assert_eq!(Subject::parse(text).unwrap().to_string(), text);
    }
    let a = Subject::parse("a@b@1.25").unwrap();
    assert_eq!((a.name.as_str(), a.moment), ("a@b", Some(Moment { at: Seconds::of(1.25), place: None })));
    // What does not read as a moment is of the name.
    for text in ["x@-1", "x@1:2", "x@nan", "x@"] {
        assert_eq!(Subject::parse(text).unwrap(), Subject { name: text.into(), moment: None });
    }
    assert_eq!(Subject::parse(""), None);
    assert_eq!(Subject::parse("@3"), None);
}

#[test]
fn voices_are_named_joined_and_exchanged() {
    let mut d = heard(&TALK);
    let said = [line("voice", "SPEAKER_00", "Ann"), line("voice", "SPEAKER_02", "SPEAKER_00")];
    let corrected = speech(&said, &mut d, true);
    assert_eq!(outcomes(&corrected), [to("SPEAKER_00"), to("SPEAKER_02")]);
    assert_eq!(speakers(&d), ["Ann", "SPEAKER_01", "Ann", "Ann"], "joined ones get the name of the one they are");
    assert_eq!(corrected.voices(), ["Ann"]);
    assert_eq!(corrected.counts(), (2, 2));

    // Two enrolled names that were mixed up.
    let mut d = heard(&[(0.0, 1.0, "Ann"), (1.0, 2.0, "Ben")]);
    speech(&[line("voice", "Ann", "Ben"), line("voice", "Ben", "Ann")], &mut d, true);
    assert_eq!(speakers(&d), ["Ben", "Ann"]);

    let mut d = heard(&TALK);
    let ring = [line("voice", "SPEAKER_00", "SPEAKER_01"), line("voice", "SPEAKER_01", "SPEAKER_00")];
    assert_eq!(outcomes(&speech(&ring, &mut d, true)), [Some(Err("conflict")), Some(Err("conflict"))]);
    assert_eq!(d, heard(&TALK));
}

#[test]
fn the_moment_decides_which_voice_it_is_and_what_matches_nothing_is_told() {
    let said = [
        // The recipe numbers otherwise now: at 1 s it is the first voice.
        line("voice", "SPEAKER_05@1", "Ann"),
        // Two talk at 3.5 s, and it is one of them.
        line("voice", "SPEAKER_02@3.5", "Ben"),
        line("voice", "SPEAKER_00@3.5", "Cleo"),
        line("voice", "SPEAKER_01@5.5", "Cleo"),
        line("voice", "SPEAKER_07", "Cleo"),
        line("voice", "SPEAKER_01", "SPEAKER_9"),
    ];
    let mut d = heard(&TALK);
    let corrected = speech(&said, &mut d, true);
    let no = |code| Some(Err(code));
    let expected =
        [to("SPEAKER_00"), to("SPEAKER_02"), no("not_then"), no("not_then"), no("not_found"), no("not_found")];
    assert_eq!(outcomes(&corrected), expected);
    assert_eq!(speakers(&d), ["Ann", "SPEAKER_01", "Ben", "Ann"]);
    let told: Vec<String> = corrected.warnings().iter().map(ToString::to_string).collect();
    assert_eq!(told.len(), 4);
    assert!(told[0].starts_with("correction: voice SPEAKER_00@3.5 = Cleo is not applied: SPEAKER_01 and"), "{told:?}");
    assert!(told[1].contains("nobody speaks at 5.500 s"), "{told:?}");
    assert!(told[2].contains("there: SPEAKER_00, SPEAKER_01, SPEAKER_02"), "{told:?}");
    // One voice, two names.
    let twice = [line("voice", "SPEAKER_00", "Ann"), line("voice", "SPEAKER_09@1", "Ben")];
    let mut d = heard(&TALK);
    assert_eq!(outcomes(&speech(&twice, &mut d, true)), [no("conflict"), no("conflict")]);
    assert_eq!(d, heard(&TALK));
}

#[test]
fn a_speech_turn_that_is_no_speech_keeps_its_row_and_loses_its_speech() {
    let mut d = heard(&TALK);
    let said = [line("turn", "3@3", "not_speech"), line("turn", "9", "not_speech"), line("voice", "SPEAKER_02", "Ann")];
    let corrected = speech(&said, &mut d, false);
    assert_eq!(outcomes(&corrected), [to("3"), Some(Err("not_found")), to("SPEAKER_02")]);
    assert_eq!(speakers(&d), ["SPEAKER_00", "SPEAKER_01", "SPEAKER_00"]);
    let turns = corrected.turns_of_speech(&d.annotation);
    assert_eq!(turns.len(), 4);
    assert_eq!((0..4).map(|at| corrected.speaks(at)).collect::<Vec<_>>(), [true, true, false, true]);
    assert_eq!(turns[2].speaker.as_deref(), Some("Ann"));
    assert_eq!(corrected.spoken(&turns).iter().map(|t| t.index).collect::<Vec<_>>(), [1, 2, 4]);
}

#[test]
fn a_cue_that_is_no_speech_is_found_by_its_start_whatever_its_number() {
    let turn = |index: u32, start: f64| Turn {
        index,
        segment: Segment::from_secs(start, start + 1.0).unwrap(),
        speaker: None,
        text: String::new(),
        words: Vec::new(),
    };
    let turns = [turn(1, 0.0), turn(2, 2.0), turn(3, 4.0), turn(4, 4.0)];
    let said = [
        // A cue was put in before it.
        line("turn", "1@2.0005", "not_speech"),
        line("turn", "3@4", "not_speech"),
        line("turn", "9@4", "not_speech"),
        line("turn", "1@0.5", "not_speech"),
        line("voice", "SPEAKER_00", "Ann"),
    ];
    let mut corrected = Corrected::new(&said);
    correct_transcript(&mut corrected, &turns);
    assert_eq!(outcomes(&corrected), [to("2"), to("3"), Some(Err("not_then")), Some(Err("not_then")), None]);
    assert_eq!(corrected.spoken(&turns).iter().map(|t| t.index).collect::<Vec<_>>(), [1, 4]);
    // Nothing was heard at all: that is told too.
    assert!(corrected.warnings().last().unwrap().to_string().contains("nothing of the kind"));
}

/// P1 left and P2 right at 0 s, P1 and P3 at 1 s, nobody's face at 2 s, all 100 px wide.
fn seen() -> Faces {
    let at = |left: f32| BoundingBox::from_corners(left, 0.0, left + 100.0, 100.0);
    let o = |pts: f64, track: u32, left: f32| Observation::bare(Seconds::of(pts), track, at(left));
    let track =
        |id: u32, person: Option<&str>, pts: f64| Track::bare(id, person, (Seconds::of(pts), Seconds::of(pts)), 1);
    Faces {
        observations: vec![o(0.0, 1, 0.0), o(0.0, 2, 200.0), o(1.0, 3, 0.0), o(1.0, 4, 200.0), o(2.0, 5, 0.0)].into(),
        tracks: vec![
            track(1, Some("P1"), 0.0),
            track(2, Some("P2"), 0.0),
            track(3, Some("P1"), 1.0),
            track(4, Some("P3"), 1.0),
            track(5, None, 2.0),
        ],
        persons: ["P1", "P2", "P3"].map(String::from).to_vec(),
        ..Faces::default()
    }
}

fn faces(lines: &[Correction]) -> (Vec<Result2>, Vec<Option<String>>, Faces) {
    let mut corrected = Corrected::new(lines);
    let mut faces = seen();
    correct_faces(&mut corrected, &mut faces).unwrap();
    (outcomes(&corrected), faces.tracks.iter().map(|t| t.person.clone()).collect(), faces)
}

fn persons(names: [Option<&str>; 5]) -> Vec<Option<String>> {
    names.map(|n| n.map(ToOwned::to_owned)).to_vec()
}

#[test]
fn persons_are_joined_named_and_sent_away() {
    let (told, owners, faces_now) =
        faces(&[line("person", "P3", "P2"), line("person", "P1", "nobody"), line("track", "5", "Ann")]);
    assert_eq!(told, [to("P3"), to("P1"), to("5")]);
    assert_eq!(owners, persons([None, Some("P2"), None, Some("P2"), Some("Ann")]));
    assert_eq!(faces_now.persons, ["P2", "Ann"]);
    assert_eq!(faces_now.tracks[0].nobody, Some(Nobody::Corrected));
    // The moment and the place decide, the number does not.
    let (told, owners, _) = faces(&[line("person", "P9@0.1:250x50", "Ann"), line("track", "7@2:10x10", "P3")]);
    assert_eq!(told, [to("P2"), to("5")]);
    assert_eq!(owners, persons([Some("P1"), Some("Ann"), Some("P1"), Some("P3"), Some("P3")]));
}

#[test]
fn one_person_is_not_twice_in_a_picture() {
    let no = |code| Some(Err(code));
    let (told, owners, _) = faces(&[line("person", "P3", "P1"), line("track", "5", "P2")]);
    assert_eq!(told, [no("seen_together"), to("5")]);
    assert_eq!(owners, persons([Some("P1"), Some("P2"), Some("P1"), Some("P3"), Some("P2")]));
    // Unless the face beside it is nobody's.
    let (told, owners, _) = faces(&[line("person", "P3", "P1"), line("track", "3", "nobody")]);
    assert_eq!(told, [to("P3"), to("3")]);
    assert_eq!(owners, persons([Some("P1"), Some("P2"), None, Some("P1"), None]));
}

#[test]
fn faces_that_are_not_there_are_told() {
    let said = [
        line("person", "P4", "P1"),
        line("person", "P1", "P7"),
        line("track", "6", "nobody"),
        line("person", "P1@0:900x50", "Ann"),
        line("person", "P1@9:50x50", "Ann"),
        line("person", "P1@2:50x50", "Ann"),
        line("track", "5", "P7"),
    ];
    let (told, owners, _) = faces(&said);
    let codes = ["not_found", "not_found", "not_found", "not_then", "not_then", "not_then", "not_found"];
    assert_eq!(told, codes.map(|code| Some(Err(code))));
    assert_eq!(owners, persons([Some("P1"), Some("P2"), Some("P1"), Some("P3"), None]));
}

#[test]
fn every_word_of_a_line_counts_for_whether_its_interview_is_current() {
    let one = line("voice", "SPEAKER_00", "Ann");
    let noted = Correction { note: Some("x".into()), ..one.clone() };
    let other = line("voice", "SPEAKER_00@1", "Ann");
    let hashes: std::collections::BTreeSet<String> =
        [vec![], vec![one.clone()], vec![noted], vec![other.clone()], vec![one, other]]
            .iter()
            .map(|c| hash(c))
            .collect();
    assert_eq!(hashes.len(), 5);
    assert!(hashes.contains(""));
}
