//! Tiers of codes beside the speech: what is a turn and what is a code, from the file to tasks and back to ELAN.

use std::path::Path;

use crate::stage::{Stage, table};
use turnwise::transcript::{ReadOptions, Transcript, read_bytes};

/// A tier: name, attributes, and its annotations in ms.
type Tier<'a> = (&'a str, &'a str, &'a [(u32, u32, &'a str)]);

fn eaf(header: &str, tiers: &[Tier<'_>], types: &str) -> String {
    let (mut slots, mut body, mut n) = (String::new(), String::new(), 0);
    for (name, attributes, all) in tiers {
        body += &format!("<TIER TIER_ID=\"{name}\" {attributes}>");
        for (start, end, text) in *all {
            n += 1;
            slots += &format!(
                "<TIME_SLOT TIME_SLOT_ID=\"s{n}\" TIME_VALUE=\"{start}\"/><TIME_SLOT TIME_SLOT_ID=\"e{n}\" TIME_VALUE=\"{end}\"/>"
            );
            body += &format!(
                "<ANNOTATION><ALIGNABLE_ANNOTATION ANNOTATION_ID=\"a{n}\" TIME_SLOT_REF1=\"s{n}\" TIME_SLOT_REF2=\"e{n}\"><ANNOTATION_VALUE>{text}</ANNOTATION_VALUE></ALIGNABLE_ANNOTATION></ANNOTATION>"
            );
        }
        body += "</TIER>";
    }
    format!(
        "<ANNOTATION_DOCUMENT><HEADER TIME_UNITS=\"milliseconds\">{header}</HEADER><TIME_ORDER>{slots}</TIME_ORDER>{body}{types}</ANNOTATION_DOCUMENT>"
    )
}

/// A tier of Praat: name and intervals in seconds.
type Row<'a> = (&'a str, &'a [(f64, f64, &'a str)]);

fn grid(tiers: &[Row<'_>]) -> String {
    let mut out = format!("File type = \"ooTextFile\"\n\"TextGrid\"\n0\n60\n<exists>\n{}\n", tiers.len());
    for (name, all) in tiers {
        out += &format!("\"IntervalTier\"\n\"{name}\"\n0\n60\n{}\n", all.len());
        all.iter().for_each(|(a, b, t)| out += &format!("{a}\n{b}\n\"{t}\"\n"));
    }
    out
}

fn read(name: &str, text: &str, options: &ReadOptions<'_>) -> Transcript {
    read_bytes(text.as_bytes(), Path::new(name), options).unwrap()
}

fn told(t: &Transcript) -> Vec<String> {
    let who = |s: &Option<String>| s.clone().unwrap_or_else(|| "?".into());
    t.turns.iter().map(|x| format!("{} {}: {}", x.segment.start().get(), who(&x.speaker), x.text)).collect()
}

fn codes(t: &Transcript) -> Vec<(&str, Option<&str>, f64, &str)> {
    t.codes.iter().map(|c| (c.tier.as_str(), c.person.as_deref(), c.start.get(), c.value.as_str())).collect()
}

fn warned(t: &Transcript) -> String {
    t.warnings.iter().map(|w| format!("{w}\n")).collect()
}

const MARA: Tier<'_> = (
    "Mara",
    "LINGUISTIC_TYPE_REF=\"utt\" PARTICIPANT=\"Mara\"",
    &[(0, 2000, "how was it then"), (5000, 6000, "I see")],
);
const JONAS: Tier<'_> = (
    "Jonas",
    "LINGUISTIC_TYPE_REF=\"utt\" PARTICIPANT=\"Jonas\"",
    &[(2000, 4000, "it went well I think"), (6000, 6500, "yeah")],
);

#[test]
fn codes_of_elan_are_no_turns_by_vocabulary_name_participant_and_form() {
    let of_list = "<LINGUISTIC_TYPE LINGUISTIC_TYPE_ID=\"utt\"/><LINGUISTIC_TYPE LINGUISTIC_TYPE_ID=\"list\" CONTROLLED_VOCABULARY_REF=\"v\"/>";
    let few: &[(u32, u32, &str)] = &[(0, 900, "auf"), (900, 1800, "ab"), (1800, 2500, "auf"), (2500, 3000, "ab")];
    let tiers: Vec<Tier<'_>> = vec![
        MARA,
        JONAS,
        ("Smile_Mara", "LINGUISTIC_TYPE_REF=\"utt\"", &[(500, 1500, "yes")]),
        ("Haltung", "LINGUISTIC_TYPE_REF=\"list\" PARTICIPANT=\"Jonas\"", &[(0, 4000, "leans towards her now")]),
        ("Blick_Jonas", "LINGUISTIC_TYPE_REF=\"x\"", &[(2000, 3000, "hin")]),
        ("Kopf", "LINGUISTIC_TYPE_REF=\"x\"", few),
        ("Note", "LINGUISTIC_TYPE_REF=\"x\"", &[(0, 60_000, "3"), (60_000, 120_000, "4")]),
        ("Phase", "", &[(0, 60_000, "talk")]),
    ];
    let t = read("a.eaf", &eaf("", &tiers, of_list), &ReadOptions::default());
    assert_eq!(
        told(&t),
        ["0 Mara: how was it then", "2 Jonas: it went well I think", "5 Mara: I see", "6 Jonas: yeah"]
    );
    let found = codes(&t);
    assert_eq!(found.len(), 10, "{found:?}");
    for wanted in [
        ("Smile_Mara", Some("Mara"), 0.5, "yes"),
        ("Haltung", Some("Jonas"), 0.0, "leans towards her now"),
        ("Blick_Jonas", Some("Jonas"), 2.0, "hin"),
        ("Kopf", None, 2.5, "ab"),
        ("Note", None, 60.0, "4"),
        ("Phase", None, 0.0, "talk"),
    ] {
        assert!(found.contains(&wanted), "{wanted:?} of {found:?}");
    }
    let all = warned(&t);
    for part in [
        "\"Haltung\" (values of a controlled vocabulary)",
        "\"Kopf\" (a few short values again and again)",
        "left out: Smile_Mara (1 annotations)",
    ] {
        assert!(all.contains(part), "{part} in {all}");
    }
}

#[test]
fn somebody_who_only_answers_is_no_code() {
    let answers: &[(f64, f64, &str)] =
        &[(1.0, 1.2, "yeah"), (3.0, 3.2, "mhm"), (5.0, 5.2, "yeah"), (7.0, 7.2, "mhm"), (8.0, 8.2, "mhm")];
    let speech: &[(f64, f64, &str)] = &[(0.0, 4.0, "so then we went"), (4.5, 9.0, "and came back again")];
    let t = read("a.TextGrid", &grid(&[("Mara", speech), ("Jonas", answers)]), &ReadOptions::default());
    assert_eq!((t.turns.len(), t.codes.len()), (7, 0), "{}", warned(&t));
    // The same tier of signs is coded; named as speech it is speech.
    let signs: &[(f64, f64, &str)] = &[(1.0, 1.2, "1"), (3.0, 3.2, "0"), (5.0, 5.2, "1")];
    let both = grid(&[("Mara", speech), ("Jonas", signs)]);
    let t = read("a.TextGrid", &both, &ReadOptions::default());
    assert_eq!((t.turns.len(), t.codes.len()), (2, 3));
    let tiers = ["jonas".to_owned(), "Bo".to_owned()];
    let t = read("a.TextGrid", &both, &ReadOptions { tiers: &tiers, ..ReadOptions::default() });
    assert_eq!((t.turns.len(), t.codes.len()), (3, 2));
    assert!(t.turns.iter().all(|t| t.speaker.as_deref() == Some("Jonas")));
    assert!(warned(&t).contains("there is no tier Bo, which was named"), "{}", warned(&t));
    let none = ["Bo".to_owned()];
    let e =
        read_bytes(both.as_bytes(), Path::new("a.TextGrid"), &ReadOptions { tiers: &none, ..ReadOptions::default() });
    assert!(e.unwrap_err().to_string().contains("there is no tier Bo; tiers are Mara, Jonas"));
    let srt = "1\n00:00:01,000 --> 00:00:02,000\nso\n";
    let t = read("a.srt", srt, &ReadOptions { tiers: &none, ..ReadOptions::default() });
    assert!(warned(&t).contains("a file of this format has none"), "{}", warned(&t));
}

#[test]
fn words_of_one_do_not_drop_the_other() {
    let mara: &[(f64, f64, &str)] = &[(0.0, 2.0, "so then"), (5.0, 6.0, "oh really")];
    let jonas: &[(f64, f64, &str)] = &[(2.0, 4.0, "we left"), (7.0, 8.0, "yes we did")];
    let words: &[(f64, f64, &str)] = &[(0.1, 0.5, "so"), (0.6, 1.0, "then"), (5.1, 5.4, "oh"), (5.5, 5.9, "really")];
    for name in ["Mara - words", "words"] {
        let t = read("a.TextGrid", &grid(&[("Mara", mara), ("Jonas", jonas), (name, words)]), &ReadOptions::default());
        assert_eq!(
            told(&t),
            ["0 Mara: so then", "2 Jonas: we left", "5 Mara: oh really", "7 Jonas: yes we did"],
            "{name}"
        );
        assert_eq!(t.turns.iter().map(|t| t.words.len()).collect::<Vec<_>>(), [2, 0, 2, 0], "{name}");
        assert!(t.codes.is_empty());
    }
}

#[test]
fn the_origin_of_the_interviews_own_media_is_applied() {
    let header = "<MEDIA_DESCRIPTOR MEDIA_URL=\"file:///D:/b/other.wav\" TIME_ORIGIN=\"9000\"/>\
                  <MEDIA_DESCRIPTOR MEDIA_URL=\"file:///D:/b/Talk%201.MP4\" RELATIVE_MEDIA_URL=\"./Talk%201.MP4\" TIME_ORIGIN=\"1500\"/>";
    let text = eaf(header, &[MARA, JONAS, ("Affect", "", &[(1000, 2000, "calm")])], "");
    let starts = |t: &Transcript| t.turns.iter().map(|t| t.segment.start().get()).collect::<Vec<_>>();
    let own = Path::new("/data/talk 1.mp4");
    let t = read("a.eaf", &text, &ReadOptions { media: Some(own), ..ReadOptions::default() });
    assert_eq!(starts(&t), [1.5, 3.5, 6.5, 7.5]);
    assert_eq!(codes(&t), [("Affect", None, 2.5, "calm")]);
    assert!(
        warned(&t).contains("ELAN links 2 media: \"other.wav\" from 9000 ms on, \"Talk 1.MP4\" from 1500 ms on"),
        "{}",
        warned(&t)
    );
    for media in [None, Some(Path::new("else.mp4"))] {
        let t = read("a.eaf", &text, &ReadOptions { media, ..ReadOptions::default() });
        assert_eq!(starts(&t), [0.0, 2.0, 5.0, 6.0]);
        assert!(warned(&t).contains("by 9000 ms (TIME_ORIGIN); not applied"), "{}", warned(&t));
    }
}

const TASKS: &str = "[[task]]\nname = \"smile\"\n[task.labels]\nunit = \"turn\"\nkind = \"binary\"\ntier = \"Smile*\"\nmin_overlap = 0.25\nwithout = \"none\"\n\
    [[task]]\nname = \"affect\"\n[task.labels]\nunit = \"turn\"\nkind = \"multiclass\"\ntier = \"Affect*\"\n";

#[test]
fn from_tiers_to_labels_and_back_to_elan_and_praat() {
    let stage = Stage::new();
    let tiers = [
        MARA,
        JONAS,
        ("Smile_Mara", "", &[(500, 1500, "smile"), (5900, 6000, "smile")]),
        ("Affect", "", &[(0, 1500, "calm"), (1500, 3900, "glad"), (5000, 5400, "calm")]),
    ];
    stage.write("a.eaf", &eaf("", &tiers, ""));
    stage.write("corpus.csv", "interview_id,media,transcript\nx/a,,a.eaf\n");
    stage.write("tasks.toml", TASKS);
    let run = |arguments: &[&str]| {
        let told = stage.run(arguments);
        assert_eq!(told.code, 0, "{}", told.err);
        told
    };
    run(&["extract", "corpus.csv", "--out", "out", "--jobs", "1"]);
    let found = table(&stage, "out/annotations/x/a.parquet");
    assert_eq!(found.rows(), 5);
    assert_eq!((found.text("tier", 1), found.text("person", 1)), (Some("Smile_Mara"), Some("Mara")));
    // No relation between people is told from codes.
    let dyads = table(&stage, "out/dyads/x/a.parquet");
    assert!((0..dyads.rows()).all(|r| ["Mara", "Jonas"].contains(&dyads.text("listener", r).unwrap())));

    run(&["tasks", "out", "--tasks", "tasks.toml"]);
    let labels = |name: &str| {
        let t = table(&stage, &format!("out/tasks/{name}.parquet"));
        (0..t.rows())
            .map(|r| (t.number("turn_index", r).unwrap() as u32, t.text("label", r).unwrap().to_owned()))
            .collect::<Vec<_>>()
    };
    let expect = |all: &[(u32, &str)]| all.iter().map(|(i, l)| (*i, (*l).to_owned())).collect::<Vec<_>>();
    // Mara's turns alone are coded for smiles: half of the first, a tenth of the other.
    assert_eq!(labels("smile"), expect(&[(1, "smile"), (3, "none")]));
    // Three quarters calm, nearly all glad, 0.4 s of the third, nothing of the last.
    assert_eq!(labels("affect"), expect(&[(1, "calm"), (2, "glad")]));

    let first = read("a.eaf", &std::fs::read_to_string(stage.path("a.eaf")).unwrap(), &ReadOptions::default());
    for (format, suffix) in [("srt", "srt"), ("vtt", "vtt"), ("textgrid", "TextGrid"), ("eaf", "eaf"), ("csv", "csv")] {
        let done = run(&["export", "transcript", "out", "--format", format, "--to", "seen"]);
        assert!(done.out.contains("4 turns"), "{}", done.out);
        let path = stage.path(&format!("seen/x/a.{suffix}"));
        let again = read_bytes(&std::fs::read(&path).unwrap(), &path, &ReadOptions::default()).unwrap();
        assert_eq!(told(&again), told(&first), "{format}: {}", done.err);
        if ["eaf", "textgrid"].contains(&format) {
            let own = codes(&again).into_iter().filter(|c| !c.0.contains(" - ")).collect::<Vec<_>>();
            assert_eq!(own, codes(&first), "{format}");
        }
        // What somebody has corrected is not written over.
        std::fs::write(&path, "corrected").unwrap();
        let refused = stage.run(&["export", "transcript", "out", "--format", format, "--to", "seen"]);
        assert!(refused.code != 0 && refused.err.contains("--overwrite"), "{}", refused.err);
        run(&["export", "transcript", "out", "--format", format, "--to", "seen", "--overwrite", "--interview", "x/a"]);
    }
    let refused = stage.run(&["export", "transcript", "out", "--format", "eaf", "--to", "seen", "--interview", "b"]);
    assert!(refused.code != 0 && refused.err.contains("has no turns of the interview b"), "{}", refused.err);
}
