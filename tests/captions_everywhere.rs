//! One talk in captions that show words more than once, in tables and JSON as in caption files: each word once.

use std::fmt::Write as _;
use std::path::Path;
use std::time::Instant;

use turnwise::transcript::{ReadOptions, Transcript, read_bytes};

const TALK: [&str; 10] = [
    "So where did you grow up?",
    "In a village near the coast.",
    "And your parents lived there, too?",
    "Yes.",
    "For how long?",
    "They were there before the war.",
    "And you stayed?",
    "Yes.",
    "Yes.",
    "Until I was ten years old.",
];

type Cues = Vec<(f64, f64, String)>;

/// Each line two seconds after the one before, shown as `show` says: start and end within them, and the text.
fn captions(show: impl Fn(&[&str], Option<&str>) -> Cues) -> Cues {
    let mut all = Cues::new();
    for (k, line) in TALK.iter().enumerate() {
        let words: Vec<&str> = line.split(' ').collect();
        let before = k.checked_sub(1).map(|k| TALK[k]);
        all.extend(show(&words, before).into_iter().map(|(a, b, t)| (a + 2.0 * k as f64, b + 2.0 * k as f64, t)));
    }
    all
}

/// A cue a word, its text as `of` says.
fn by_word(words: &[&str], of: impl Fn(usize) -> String) -> Cues {
    let step = 1.8 / words.len() as f64;
    (0..words.len()).map(|i| (i as f64 * step, (i + 1) as f64 * step, of(i))).collect()
}

fn marked(words: &[&str], open: &str, close: &str) -> Cues {
    by_word(words, |i| {
        let one = |(j, w): (usize, &&str)| if i == j { format!("{open}{w}{close}") } else { (*w).to_owned() };
        words.iter().enumerate().map(one).collect::<Vec<_>>().join(" ")
    })
}

fn srt(cues: &Cues) -> String {
    let clock = |t: f64| {
        let ms = (t * 1000.0).round() as u64;
        format!("00:00:{:02},{:03}", ms / 1000, ms % 1000)
    };
    let mut out = String::new();
    for (n, (start, end, text)) in (1..).zip(cues) {
        write!(out, "{n}\n{} --> {}\n{text}\n\n", clock(*start), clock(*end)).unwrap();
    }
    out
}

fn csv(cues: &Cues) -> String {
    let mut out = csv::Writer::from_writer(Vec::new());
    out.write_record(["start", "end", "text"]).unwrap();
    cues.iter().for_each(|(a, b, t)| out.write_record([a.to_string(), b.to_string(), t.clone()]).unwrap());
    String::from_utf8(out.into_inner().unwrap()).unwrap()
}

fn json(cues: &Cues) -> String {
    let cue = |(a, b, t): &(f64, f64, String)| serde_json::json!({"start": a, "end": b, "text": t});
    serde_json::json!({"segments": cues.iter().map(cue).collect::<Vec<_>>()}).to_string()
}

fn read(name: &str, text: &str) -> Transcript {
    read_bytes(text.as_bytes(), Path::new(name), &ReadOptions::default()).unwrap_or_else(|e| panic!("{name}: {e}"))
}

#[test]
fn every_word_once_in_every_format() {
    let doubled = |words: &[&str]| vec![(0.0, 1.8, words.join(" ")); 2];
    let rolling = |words: &[&str], before: Option<&str>| {
        vec![(0.0, 2.0, before.map_or_else(|| words.join(" "), |b| format!("{b}\n{}", words.join(" "))))]
    };
    let kinds = [
        ("plain", captions(|w, _| vec![(0.0, 1.8, w.join(" "))])),
        ("underlined", captions(|w, _| marked(w, "<u>", "</u>"))),
        ("coloured", captions(|w, _| marked(w, "<font color=\"#0f0\">", "</font>"))),
        ("growing", captions(|w, _| by_word(w, |i| w[..=i].join(" ")))),
        ("two lines", captions(rolling)),
        ("twice", captions(|w, _| doubled(w))),
    ];
    for (kind, cues) in kinds {
        for (name, text) in [("a.srt", srt(&cues)), ("a.csv", csv(&cues)), ("a.json", json(&cues))] {
            let t = read(name, &text);
            let found: Vec<&str> = t.turns.iter().map(|t| t.text.as_str()).collect();
            assert_eq!(found, TALK, "{kind} in {name}");
            let starts = t.turns.iter().map(|t| t.segment.start().get());
            assert!(starts.zip(0..).all(|(start, k)| (start - 2.0 * f64::from(k)).abs() < 1e-9), "{kind} in {name}");
            assert_eq!(kind == "plain", t.warnings.is_empty(), "{kind} in {name}: {:?}", t.warnings);
        }
    }
}

#[test]
fn rows_of_several_at_one_time_are_not_lines_of_one() {
    // With speakers, two at once are two.
    let text =
        "start,end,speaker,text\n0,1,A,so we\n0,1,B,oh yes\n1,2,A,and then\n1,2,B,I see\n2,3,A,it was\n2,3,B,mm\n";
    assert_eq!(read("a.csv", text).turns.len(), 6);
}

/// Rows of a table, half of which cannot be used: what is done for one of them does not grow with their number.
const ROWS: usize = 150_000;

#[test]
fn half_of_the_cues_bad_do_not_hang() {
    // In file order, and in an order in which each dropped cue lies between any two others.
    for shuffled in [false, true] {
        let mut text = String::from("start,end,text\n");
        for k in 0..ROWS {
            let at = if shuffled { k * 7919 % ROWS } else { k };
            let end = if k % 2 == 0 { at + 20 } else { at + 9 };
            writeln!(text, "{}.0,{end}.0,so we go", at + 10).unwrap();
        }
        let started = Instant::now();
        let options = ReadOptions { lenient: true, ..ReadOptions::default() };
        let mut t = read_bytes(text.as_bytes(), Path::new("a.csv"), &options).unwrap();
        t.sort_by_time();
        assert_eq!(t.turns.len(), ROWS / 2);
        assert!(t.after_dropped.len() >= ROWS / 2 - 2, "{}", t.after_dropped.len());
        // A linear reader needs a second or two, a quadratic one minutes.
        assert!(started.elapsed().as_secs() < 20, "{:?}", started.elapsed());
    }
}
