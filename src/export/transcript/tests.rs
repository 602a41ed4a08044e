//! Every format read back, with labels and words that look like something else.

use std::path::Path;

use super::score::Stretch;
use super::*;
use crate::annotation::{Annotation, SpeechTurn, Turn, Word};
use crate::time::Segment;
use crate::transcript::{Transcript, read_bytes};

fn segment(start: f64, end: f64) -> Segment {
    Segment::from_secs(start, end).unwrap()
}

fn turn(index: u32, (start, end): (f64, f64), speaker: Option<&str>, text: &str) -> Turn {
    Turn {
        index,
        segment: segment(start, end),
        speaker: speaker.map(str::to_owned),
        text: text.into(),
        words: Vec::new(),
    }
}

fn with_words(mut turn: Turn) -> Turn {
    let words: Vec<&str> = turn.text.split(' ').collect();
    let step = turn.segment.duration() / words.len() as f64;
    let start = turn.segment.start().get();
    turn.words = words
        .iter()
        .enumerate()
        .map(|(i, w)| {
            let from = start + step * i as f64;
            Word { text: (*w).to_owned(), segment: Some(segment(from, from + step * 0.9)), speaker: None }
        })
        .collect();
    turn
}

/// Two people and a third whose name is not Latin; a turn over another of the same person, one without length.
fn score() -> Score {
    let mara = Some("Mara Vol");
    let turns = vec![
        with_words(turn(1, (0.5, 2.25), mara, "He said \"no\" & <i>left</i> --> so")),
        turn(2, (2.5, 4.0), Some("马拉"), "1 < 2, I <3 \"it\": &amp; is kept"),
        with_words(turn(3, (4.0, 7.125), mara, "Remember: you asked for it")),
        turn(4, (4.5, 5.0), mara, "Jonas: he was there"),
        turn(5, (8.0, 8.0), Some("Jonas"), "yes"),
        turn(6, (3599.9996, 3600.5004), Some("Jonas"), "00:00:01,000 --> 00:00:02,000"),
    ];
    let speech = |start, end, speaker: &str| SpeechTurn { segment: segment(start, end), speaker: speaker.into() };
    let mut score = Score {
        interview_id: "couple 1/a".into(),
        media: Some("film nr 1.mp4".into()),
        media_secs: 3700.0,
        turns,
        speech: Annotation::new(vec![speech(0.5, 2.3, "SPEAKER_00"), speech(2.4, 4.1, "SPEAKER_01")]),
        stretches: Vec::new(),
    };
    let stretch = |part, tier: Option<&str>, person: Option<&str>, (start, end): (f64, f64), value: &str| Stretch {
        part,
        tier: tier.map(str::to_owned),
        person: person.map(str::to_owned),
        segment: segment(start, end),
        point: segment(start, end).is_empty(),
        value: value.into(),
    };
    score.stretches = vec![
        stretch(Part::Diarized, None, Some("SPEAKER_00"), (0.5, 2.3), "SPEAKER_00"),
        stretch(Part::Diarized, None, Some("SPEAKER_01"), (2.4, 4.1), "SPEAKER_01"),
        stretch(Part::Smile, None, mara, (1.0, 1.5), "0.71"),
        stretch(Part::Level, None, mara, (0.5, 2.25), "-23.4"),
        stretch(Part::Interruption, None, mara, (4.5, 5.0), "Jonas"),
        stretch(Part::Annotations, Some("Affect"), None, (0.0, 9.0), "calm \"so\" <far>"),
        // By their names they would be words, and somebody's turns.
        stretch(Part::Annotations, Some("words-pos"), None, (0.5, 1.0), "pron verb"),
        stretch(Part::Annotations, Some("Blick_Jonas"), Some("Jonas"), (8.0, 9.0), "she looks at him, then away"),
        stretch(Part::Annotations, Some("words-x"), None, (0.5, 1.0), "he"),
        stretch(Part::Annotations, Some("Nod_Jonas"), Some("Jonas"), (8.0, 8.0), "nod"),
    ];
    score
}

fn written(score: &Score, format: TranscriptFormat) -> (String, Vec<String>, Transcript) {
    let Written { text, told } = (format.writer().unwrap())(score, Part::ALL);
    let path = format!("a.{}", format.suffix());
    let options = crate::transcript::ReadOptions { labels: crate::transcript::Labels::Auto, ..Default::default() };
    let read = read_bytes(text.as_bytes(), Path::new(&path), &options).unwrap_or_else(|e| panic!("{e}\n{text}"));
    (text, told, read)
}

#[test]
fn every_format_reads_back_as_the_same_turns() {
    let score = score();
    for format in TranscriptFormat::ALL.iter().copied().filter(|f| f.writer().is_some()) {
        let (text, _, read) = written(&score, format);
        // SubRip has no escapes: tags, and names that come once, are what they look like.
        if format == TranscriptFormat::Srt {
            continue;
        }
        let told =
            again::differences(&text, Path::new(&format!("a.{}", format.suffix())), &score, format, format.has_tiers());
        let got: Vec<_> = read.turns.iter().map(|t| (t.segment, t.speaker.clone(), t.text.clone())).collect();
        assert!(told.is_empty(), "{}: {told:?}\n{got:#?}\n{text}", format.name());
    }
}

#[test]
fn subrip_reads_back_what_it_can_hold_and_tells_the_rest() {
    let mut score = score();
    let path = Path::new("a.srt");
    let (text, _, _) = written(&score, TranscriptFormat::Srt);
    assert!(!again::differences(&text, path, &score, TranscriptFormat::Srt, false).is_empty(), "{text}");
    let said = ["he said \"no\" -- so", "1 < 2, I <3 it", "Remember: you asked", "so he was there", "yes", "no"];
    score.turns.iter_mut().zip(said).for_each(|(turn, text)| text.clone_into(&mut turn.text));
    score.turns[5].speaker = Some("马拉".into());
    score.turns[4].speaker = Some("Mara Vol".into());
    let (text, _, read) = written(&score, TranscriptFormat::Srt);
    let told = again::differences(&text, path, &score, TranscriptFormat::Srt, false);
    assert!(told.is_empty(), "{told:?}\n{:#?}\n{text}", read.turns);
}

#[test]
fn tiers_read_back_with_words_and_codes() {
    let score = score();
    for format in [TranscriptFormat::TextGrid, TranscriptFormat::Eaf] {
        let (text, told, read) = written(&score, format);
        assert!(told.iter().any(|t| t.contains("\"Mara Vol - text\" overlaps itself: it is written as 2")), "{told:?}");
        assert!(told.iter().any(|t| t.contains("1 stretches without length")), "{told:?}");
        for turn in &score.turns {
            let found =
                read.turns.iter().find(|t| t.text == turn.text).unwrap_or_else(|| panic!("{}\n{text}", turn.text));
            let words = |t: &Turn| {
                let times = |w: &Word| w.segment.map(|s| [s.start().get(), s.end().get()]);
                t.words.iter().map(|w| (w.text.clone(), times(w))).collect::<Vec<_>>()
            };
            let (wanted, got) = (words(turn), words(found));
            assert_eq!(wanted.len(), got.len(), "{}: {}", format.name(), turn.text);
            for ((word, at), (same, there)) in wanted.iter().zip(&got) {
                assert_eq!(word, same);
                let far = at.unwrap().iter().zip(there.unwrap()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
                assert!(far <= 0.001, "{word}: {far}");
            }
        }
        let codes: Vec<(&str, Option<&str>, &str)> =
            read.codes.iter().map(|c| (c.tier.as_str(), c.person.as_deref(), c.value.as_str())).collect();
        for wanted in [
            ("SPEAKER_00 - diarized", None, "SPEAKER_00"),
            ("Mara Vol - smile", Some("Mara Vol"), "0.71"),
            ("Mara Vol - level", Some("Mara Vol"), "-23.4"),
            ("Mara Vol - interruption", Some("Mara Vol"), "Jonas"),
            ("words-x", None, "he"),
            ("Blick_Jonas", Some("Jonas"), "she looks at him, then away"),
            ("Affect", None, "calm \"so\" <far>"),
            ("Nod_Jonas", Some("Jonas"), "nod"),
        ] {
            assert!(codes.contains(&wanted), "{}: {wanted:?} of {codes:?}", format.name());
        }
        assert_eq!(codes.len(), 10);
        let point = read.codes.iter().find(|c| c.tier == "Nod_Jonas").unwrap();
        assert_eq!(point.end.is_none(), format == TranscriptFormat::TextGrid);
    }
}

#[test]
fn intervals_of_praat_tile_the_whole_recording() {
    let (text, ..) = written(&score(), TranscriptFormat::TextGrid);
    let number = |line: &str| line.split('=').nth(1).and_then(|n| n.trim().parse::<f64>().ok());
    let mut reached = None;
    let mut tiers = 0;
    for line in text.lines().skip(8) {
        let line = line.trim();
        if line.starts_with("intervals: size") || line.starts_with("points: size") {
            reached = Some(0.0);
            tiers += 1;
        } else if line.starts_with("class") {
            assert!(reached.is_none_or(|r: f64| (r - 3700.0).abs() < 1e-9 || r == 0.0), "a tier ends at {reached:?}");
            reached = None;
        } else if let (Some(at), true) = (reached, line.starts_with("xmin")) {
            assert!((number(line).unwrap() - at).abs() < 1e-12, "{line} after {at}");
        } else if reached.is_some() && line.starts_with("xmax") {
            reached = number(line);
        }
    }
    assert!(tiers >= 10, "{tiers}\n{text}");
}

#[test]
fn elan_has_its_elements_in_the_schemas_order() {
    let (text, ..) = written(&score(), TranscriptFormat::Eaf);
    let order =
        ["<HEADER", "<MEDIA_DESCRIPTOR", "<PROPERTY", "<TIME_ORDER", "<TIER", "<LINGUISTIC_TYPE ", "<CONSTRAINT"];
    let places: Vec<usize> = order.iter().map(|tag| text.find(tag).unwrap()).collect();
    assert!(places.is_sorted(), "{places:?}");
    assert!(text.rfind("<TIER").unwrap() < places[5] && text.rfind("<TIME_SLOT").unwrap() < places[4]);
    assert!(text.contains("RELATIVE_MEDIA_URL=\"./film%20nr%201.mp4\"") && text.contains("MIME_TYPE=\"video/mp4\""));
}

#[test]
fn voices_corrected_in_elan_and_praat_are_speech_turns_again() {
    let (score, folder) = (score(), tempfile::tempdir().unwrap());
    for format in [TranscriptFormat::TextGrid, TranscriptFormat::Eaf] {
        let path = folder.path().join(format!("a.{}", format.suffix()));
        let (text, ..) = written(&score, format);
        std::fs::write(&path, &text).unwrap();
        assert_eq!(crate::transcript::speech_of_tiers(&path).unwrap().unwrap(), score.speech);
        // The label is what the annotation says, not what the tier is called.
        let plain = text.replace("\"SPEAKER_01\"", "\"Mara Vol\"").replace(">SPEAKER_01<", ">Mara Vol<");
        std::fs::write(&path, plain).unwrap();
        let corrected = crate::transcript::speech_of_tiers(&path).unwrap().unwrap();
        assert_eq!(corrected.speakers(), ["Mara_Vol", "SPEAKER_00"]);
        // A file of voices alone.
        let voices = Score { turns: Vec::new(), stretches: score.stretches[..2].to_vec(), ..score.clone() };
        std::fs::write(&path, (format.writer().unwrap())(&voices, Part::ALL).text).unwrap();
        assert_eq!(crate::transcript::speech_of_tiers(&path).unwrap().unwrap(), score.speech);
    }
    let rttm = folder.path().join("a.rttm");
    std::fs::write(&rttm, "SPEAKER a 1 0 1 <NA> <NA> x <NA> <NA>\n").unwrap();
    assert!(crate::transcript::speech_of_tiers(&rttm).unwrap().is_none());
}
