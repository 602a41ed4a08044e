//! One talk in the ways in which people and programs write it: turns, speakers and words are those of the plain
//! transcript.

use std::fmt::Write as _;
use std::path::Path;

use turnwise::transcript::{Labels, ReadOptions, Transcript, read_bytes};

/// Who says what: a second each.
const TALK: [(&str, &str); 8] = [
    ("Mara Vol", "So where did you grow up?"),
    ("Ben", "In a village near the coast."),
    ("Mara Vol", "And your parents lived there, too?"),
    ("Ben", "Yes."),
    ("Mara Vol", "For how long?"),
    ("Ben", "Remember: this was before the war."),
    ("Mara Vol", "My point is this: you stayed."),
    ("Ben", "Yes."),
];

fn read_as(name: &str, text: &str, labels: Labels) -> Transcript {
    let options = ReadOptions { labels, ..ReadOptions::default() };
    read_bytes(text.as_bytes(), Path::new(name), &options).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

fn read(name: &str, text: &str) -> Transcript {
    read_as(name, text, Labels::Auto)
}

fn clock(secs: f64) -> String {
    let millis = (secs * 1000.0).round() as u64;
    format!("00:00:{:02},{:03}", millis / 1000, millis % 1000)
}

/// SRT of start, end and text.
fn srt(cues: &[(f64, f64, String)]) -> String {
    let mut out = String::new();
    for (number, (start, end, text)) in (1..).zip(cues) {
        write!(out, "{number}\n{} --> {}\n{text}\n\n", clock(*start), clock(*end)).unwrap();
    }
    out
}

/// The talk as SRT, each line written as `write` says.
fn talk(write: impl Fn(usize, &str, &str) -> String) -> String {
    let cue = |(i, (who, what)): (usize, &(&str, &str))| (i as f64, i as f64 + 1.0, write(i, who, what));
    srt(&TALK.iter().enumerate().map(cue).collect::<Vec<_>>())
}

/// Start, end, speaker and words of each turn.
fn told(t: &Transcript) -> Vec<(f64, f64, String, String)> {
    let one = |t: &turnwise::annotation::Turn| {
        (t.segment.start().get(), t.segment.end().get(), t.speaker.clone().unwrap_or_default(), t.text.clone())
    };
    t.turns.iter().map(one).collect()
}

/// The plain talk with these two names.
fn plain(mara: &str, ben: &str) -> Vec<(f64, f64, String, String)> {
    let name = |who: &str| if who == "Ben" { ben.to_owned() } else { mara.to_owned() };
    let one = |(i, (who, what)): (usize, &(&str, &str))| (i as f64, i as f64 + 1.0, name(who), (*what).to_owned());
    TALK.iter().enumerate().map(one).collect()
}

fn warned(t: &Transcript) -> String {
    t.warnings.iter().map(|w| format!("{w}\n")).collect()
}

#[test]
fn labels_are_read_however_they_are_written() {
    // How a name and a line are written, and how the two are then called.
    type Form<'f> = (&'f str, &'f str, &'f str, &'f str, &'f str);
    let forms: [Form; 20] = [
        ("Mara Vol", "Ben", "{}: ", "Mara Vol", "Ben"),
        ("Mara Vol (she/her)", "Ben (he/him)", "{}: ", "Mara Vol", "Ben"),
        ("MARA (V.O.)", "BEN", "{}: ", "MARA", "BEN"),
        ("Vol, Mara", "Oster, Ben", "{}: ", "Vol, Mara", "Oster, Ben"),
        ("van der Vol", "de Boer", "{}: ", "van der Vol", "de Boer"),
        ("the woman in the red coat", "Ben", "{}: ", "the woman in the red coat", "Ben"),
        ("interviewer", "respondent", "{}: ", "interviewer", "respondent"),
        ("+1 555 0100", "+1 555 0199", "{}: ", "+1 555 0100", "+1 555 0199"),
        ("\u{9a6c}\u{62c9}", "\u{672c}", "{}\u{ff1a}", "\u{9a6c}\u{62c9}", "\u{672c}"),
        ("Mara", "Ben", "{} : ", "Mara", "Ben"),
        ("MARA", "BEN", "{}:", "MARA", "BEN"),
        ("Mara", "Ben", "[{}] ", "Mara", "Ben"),
        ("Mara", "Ben", "[{}]: ", "Mara", "Ben"),
        ("Mara", "Ben", "- [{}] ", "Mara", "Ben"),
        ("speaker 0", "speaker 1", "({}) ", "speaker 0", "speaker 1"),
        ("Speaker 1", "Speaker 2", "<{}> ", "Speaker 1", "Speaker 2"),
        ("MARA", "BEN", ">> {}: ", "MARA", "BEN"),
        ("MARA", "BEN", "&gt;&gt; {}: ", "MARA", "BEN"),
        ("Mara Vol", "Ben", "{}\n", "Mara Vol", "Ben"),
        ("Mara Vol", "Ben", "{}:\n", "Mara Vol", "Ben"),
    ];
    for (mara, ben, form, said_mara, said_ben) in forms {
        let name = |who: &str| if who == "Ben" { ben } else { mara };
        let text = talk(|_, who, what| format!("{}{what}", form.replace("{}", name(who))));
        assert_eq!(told(&read("a.srt", &text)), plain(said_mara, said_ben), "{form:?} {mara:?}");
        let vtt = format!("WEBVTT\n\n{}", text.replace(',', ".").replace(". ", ", "));
        if form != "{}\n" && !mara.contains(',') {
            let speakers: Vec<String> = told(&read("a.vtt", &vtt)).into_iter().map(|t| t.2).collect();
            let want: Vec<String> = plain(said_mara, said_ben).into_iter().map(|t| t.2).collect();
            assert_eq!(speakers, want, "{form:?} {mara:?}");
        }
    }
}

#[test]
fn labels_in_formats_with_a_place_for_speakers_that_is_empty() {
    let mut csv = String::from("start,end,text\n");
    let mut json = String::from("{\"segments\": [");
    for (i, (who, what)) in TALK.iter().enumerate() {
        writeln!(csv, "{i},{},\"{who}: {what}\"", i + 1).unwrap();
        let comma = if i > 0 { "," } else { "" };
        let words: Vec<String> = format!("{who}: {what}").split(' ').map(|w| format!("{{\"word\": {w:?}}}")).collect();
        let words = words.join(",");
        write!(
            json,
            "{comma}{{\"start\": {i}, \"end\": {}, \"text\": {:?}, \"words\": [{words}]}}",
            i + 1,
            format!("{who}: {what}")
        )
        .unwrap();
    }
    json.push_str("]}");
    assert_eq!(told(&read("a.csv", &csv)), plain("Mara Vol", "Ben"));
    let read_json = read("a.json", &json);
    assert_eq!(told(&read_json), plain("Mara Vol", "Ben"));
    for turn in &read_json.turns {
        let words: Vec<&str> = turn.words.iter().map(|w| w.text.as_str()).collect();
        assert_eq!(words.join(" "), turn.text, "the label is no word");
    }
}

#[test]
fn what_is_no_label_stays_and_is_told() {
    let cues = ["So it was.", "Remember: we met.", "And then.", "Remember: he left.", "My point is this: no.", "Yes."];
    let all: Vec<(f64, f64, String)> =
        (0..6).map(|i| (f64::from(i), f64::from(i) + 1.0, cues[i as usize].to_owned())).collect();
    let t = read("a.srt", &srt(&all));
    assert!(t.turns.iter().all(|t| t.speaker.is_none()));
    assert_eq!(t.turns.iter().map(|t| t.text.as_str()).collect::<Vec<_>>(), cues);

    let cues = ["So.", "Zurich: we met.", "And then.", "Zurich: he left.", "No.", "Yes."];
    let all: Vec<(f64, f64, String)> =
        (0..6).map(|i| (f64::from(i), f64::from(i) + 1.0, cues[i as usize].to_owned())).collect();
    let t = read("a.srt", &srt(&all));
    assert!(t.turns.iter().all(|t| t.speaker.is_none()));
    assert!(warned(&t).contains("2 of 6 cues begin like a speaker label"), "{}", warned(&t));
    assert!(warned(&t).contains("--labels always"), "{}", warned(&t));
    let always = read_as("a.srt", &srt(&all), Labels::Always);
    assert_eq!(always.turns[1].speaker.as_deref(), Some("Zurich"));
    let labelled = talk(|_, who, what| format!("{who}: {what}"));
    let never = read_as("a.srt", &labelled, Labels::Never);
    assert!(never.turns.iter().all(|t| t.speaker.is_none()));
    assert_eq!(never.turns[0].text, "Mara Vol: So where did you grow up?");
}

#[test]
fn a_label_where_the_speaker_changes_is_carried_forward_and_told() {
    let mut cues = Vec::new();
    for (i, (who, what)) in TALK.iter().enumerate() {
        let at = i as f64 * 2.0;
        cues.push((at, at + 1.0, format!("{who}: {what}")));
        cues.push((at + 1.0, at + 2.0, "and so on".to_owned()));
    }
    let t = read("a.srt", &srt(&cues));
    let speakers: Vec<&str> = t.turns.iter().filter_map(|t| t.speaker.as_deref()).collect();
    let want: Vec<&str> = TALK.iter().flat_map(|(who, _)| [*who, *who]).collect();
    assert_eq!(speakers, want);
    assert!(
        warned(&t).contains("labels begin 8 turns; 8 without one are given to the speaker before"),
        "{}",
        warned(&t)
    );
}

#[test]
fn a_dash_a_speaker_in_one_cue() {
    let text = srt(&[(0.0, 2.0, "- Did you?\n- Yes.".into()), (2.0, 3.0, "So it was.".into())]);
    let t = read("a.srt", &text);
    assert_eq!(t.turns.iter().map(|t| t.text.as_str()).collect::<Vec<_>>(), ["Did you?", "Yes.", "So it was."]);
    let pairs: Vec<(f64, f64, String)> = (0..4)
        .map(|i| {
            let at = f64::from(i) * 2.0;
            let (a, b) = (TALK[i as usize * 2], TALK[i as usize * 2 + 1]);
            (at, at + 2.0, format!("- {}: {}\n- {}: {}", a.0, a.1, b.0, b.1))
        })
        .collect();
    let said: Vec<(String, String)> =
        told(&read("a.srt", &srt(&pairs))).into_iter().map(|(_, _, who, what)| (who, what)).collect();
    let want: Vec<(String, String)> = TALK.iter().map(|(who, what)| ((*who).into(), (*what).into())).collect();
    assert_eq!(said, want);
}

#[test]
fn sounds_are_events_and_no_words() {
    let text = talk(|i, who, what| match i {
        1 => format!("{who}: {what} [laughs]"),
        _ => format!("{who}: {what}"),
    });
    let more = srt(&[
        (8.0, 9.0, "[laughter]".into()),
        (9.0, 20.0, "(12 seconds pause)".into()),
        (20.0, 22.0, "\u{266a} la la la \u{266a}".into()),
        (22.0, 23.0, "Ben: [sighs]".into()),
    ]);
    let t = read("a.srt", &format!("{text}{more}"));
    assert_eq!(told(&t), plain("Mara Vol", "Ben"));
    let events: Vec<(f64, &str, Option<&str>, bool)> =
        t.events.iter().map(|e| (e.segment.start().get(), e.what.as_str(), e.speaker.as_deref(), e.in_turn)).collect();
    assert_eq!(
        events,
        [
            (1.0, "laughs", Some("Ben"), true),
            (8.0, "laughter", None, false),
            (9.0, "12 seconds pause", None, false),
            (20.0, "la la la", None, false),
            (22.0, "sighs", Some("Ben"), false),
        ]
    );
    assert!(warned(&t).contains("5 descriptions of sounds are events and no words: 4 cues"), "{}", warned(&t));
    let only = srt(&[(0.0, 1.0, "[laughter]".into()), (9.0, 20.0, "(12 seconds pause)".into())]);
    let only = read_bytes(only.as_bytes(), Path::new("a.srt"), &ReadOptions::default()).unwrap_err().to_string();
    assert!(only.contains("all 2 describe sounds"), "{only}");
}

#[test]
fn words_marked_as_overlapping_are_turns_of_their_own() {
    let vtt = "WEBVTT\n\n00:00.000 --> 00:09.000\n<v S01>So it was. //S02: Yes. // And then he left.\n\n00:09.000 --> \
               00:10.000\n<v S02>No.\n";
    let said: Vec<(f64, f64, String, String)> = told(&read("a.vtt", vtt));
    let turn = |a: f64, b: f64, who: &str, what: &str| (a, b, who.to_owned(), what.to_owned());
    assert_eq!(
        said,
        [
            turn(0.0, 9.0, "S01", "So it was. And then he left."),
            turn(0.0, 9.0, "S02", "Yes."),
            turn(9.0, 10.0, "S02", "No.")
        ]
    );
}

// Captions that repeat

/// Each line of the talk once for each of its words.
fn word_by_word(write: impl Fn(&[&str], usize) -> String) -> String {
    let mut cues = Vec::new();
    for (i, (_, what)) in TALK.iter().enumerate() {
        let words: Vec<&str> = what.split(' ').collect();
        let step = 1.0 / words.len() as f64;
        for at in 0..words.len() {
            let start = i as f64 + at as f64 * step;
            cues.push((start, start + step, write(&words, at)));
        }
    }
    srt(&cues)
}

fn must_be_plain(t: &Transcript, timed: bool, form: &str) {
    let want: Vec<&str> = TALK.iter().map(|(_, what)| *what).collect();
    assert_eq!(t.turns.iter().map(|t| t.text.as_str()).collect::<Vec<_>>(), want, "{form}");
    for (turn, i) in t.turns.iter().zip(0..) {
        assert!((turn.segment.start().get() - f64::from(i)).abs() < 0.002, "{form}: {}", turn.segment);
        if !timed {
            continue;
        }
        assert!((turn.segment.end().get() - f64::from(i) - 1.0).abs() < 0.002, "{form}: {}", turn.segment);
        let words: Vec<&str> = turn.words.iter().map(|w| w.text.as_str()).collect();
        assert_eq!(words.join(" "), turn.text, "{form}");
        let count = words.len() as f64;
        for (word, at) in turn.words.iter().zip(0..) {
            let start = word.segment.unwrap().start().get();
            assert!((start - f64::from(i) - f64::from(at) / count).abs() < 0.002, "{form}: {word:?}");
        }
    }
}

#[test]
fn the_word_that_is_said_is_marked() {
    for (open, close) in
        [("<u>", "</u>"), ("<font color=\"#00ff00\">", "</font>"), ("<c.yellow>", "</c>"), ("<b>", "</b>")]
    {
        let marked = |words: &[&str], at: usize| {
            let one = |(i, w): (usize, &&str)| if i == at { format!("{open}{w}{close}") } else { (*w).to_owned() };
            words.iter().enumerate().map(one).collect::<Vec<_>>().join(" ")
        };
        let srt = word_by_word(marked);
        must_be_plain(&read("a.srt", &srt), true, open);
    }
}

#[test]
fn text_grows_by_a_word() {
    must_be_plain(&read("a.srt", &word_by_word(|words, at| words[..=at].join(" "))), true, "grows");
}

#[test]
fn lines_roll() {
    // Two lines: the one before stays above.
    let two = talk(|i, _, what| if i == 0 { what.to_owned() } else { format!("{}\n{what}", TALK[i - 1].1) });
    must_be_plain(&read("a.srt", &two), false, "two lines");
    // One line that moves on by three words.
    let words: Vec<String> = (0..30).map(|i| format!("word{i}")).collect();
    let cues: Vec<(f64, f64, String)> =
        (0..9).map(|i| (i as f64, i as f64 + 1.0, words[i * 3..i * 3 + 6].join(" "))).collect();
    let t = read("a.srt", &srt(&cues));
    let said: Vec<&str> = t.turns.iter().flat_map(|t| t.text.split(' ')).collect();
    assert_eq!(said, words, "each word once");
    // Every cue twice, the second a moment.
    let twice: Vec<(f64, f64, String)> = TALK
        .iter()
        .enumerate()
        .flat_map(|(i, (_, what))| {
            let at = i as f64;
            [(at, at + 0.99, (*what).to_owned()), (at + 0.99, at + 1.0, (*what).to_owned())]
        })
        .collect();
    let t = read("a.srt", &srt(&twice));
    must_be_plain(&t, false, "twice");
    assert!((t.turns[0].segment.end().get() - 1.0).abs() < 1e-9);
}

#[test]
fn what_a_person_says_three_times_is_said_three_times() {
    for said in ["Yes.", "Yes, I do."] {
        let cues: Vec<(f64, f64, String)> =
            (0..3).map(|i| (f64::from(i), f64::from(i) + 1.0, said.to_owned())).collect();
        assert_eq!(read("a.srt", &srt(&cues)).turns.len(), 3, "{said}");
        let mut talk: Vec<(f64, f64, String)> = TALK
            .iter()
            .enumerate()
            .map(|(i, (_, what))| (i as f64 + 3.0, i as f64 + 4.0, (*what).to_owned()))
            .collect();
        talk.splice(0..0, cues);
        assert_eq!(read("a.srt", &srt(&talk)).turns.len(), 11, "{said}");
    }
    // Twice in captions that mark the word: the marks begin anew.
    let mut cues = Vec::new();
    for i in 0..2 {
        for (at, text) in ["<u>I</u> do.", "I <u>do.</u>"].into_iter().enumerate() {
            let start = f64::from(i) + at as f64 / 2.0;
            cues.push((start, start + 0.5, text.to_owned()));
        }
    }
    assert_eq!(read("a.srt", &srt(&cues)).turns.len(), 2);
}

#[test]
fn name_clock_and_words_as_cues_of_one_interval() {
    let mut cues = Vec::new();
    for (i, (who, what)) in TALK.iter().enumerate() {
        for line in [(*who).to_owned(), format!("00:0{i}"), (*what).to_owned()] {
            cues.push((i as f64, i as f64 + 1.0, line));
        }
    }
    assert_eq!(told(&read("a.srt", &srt(&cues))), plain("Mara Vol", "Ben"));
    // A cue for each line.
    let mut cues = Vec::new();
    for (i, (who, what)) in TALK.iter().enumerate() {
        let (first, second) = what.split_once(' ').unwrap_or((what, ""));
        for line in [format!("{who}: {first}"), second.to_owned()].into_iter().filter(|l| !l.is_empty()) {
            cues.push((i as f64, i as f64 + 1.0, line));
        }
    }
    assert_eq!(told(&read("a.srt", &srt(&cues))), plain("Mara Vol", "Ben"));
}
