//! Transcripts as labs and their tools write them, each with what was said beside it: who speaks is right, or told.

use std::fmt::Write as _;
use std::path::Path;

use turnwise::transcript::{ReadOptions, Transcript, read_bytes};

fn read(name: &str, text: &str) -> Transcript {
    read_bytes(text.as_bytes(), Path::new(name), &ReadOptions::default())
        .unwrap_or_else(|e| panic!("{name}: {e}\n{text}"))
}

fn warned(t: &Transcript) -> String {
    t.warnings.iter().map(|w| format!("{w}\n")).collect()
}

/// A second each.
fn srt(cues: &[&str]) -> String {
    let mut out = String::new();
    for (k, text) in cues.iter().enumerate() {
        write!(out, "{}\n00:00:{k:02},000 --> 00:00:{:02},000\n{text}\n\n", k + 1, k + 1).unwrap();
    }
    out
}

/// Speaker and words of each turn, which must be of a second, one after another.
fn told(t: &Transcript) -> Vec<(String, String)> {
    let one = |t: &turnwise::annotation::Turn| (t.speaker.clone().unwrap_or_default(), t.text.clone());
    t.turns.iter().map(one).collect()
}

fn pairs(all: &[(&str, &str)]) -> Vec<(String, String)> {
    all.iter().map(|(who, what)| ((*who).to_owned(), (*what).to_owned())).collect()
}

const TALK: [&str; 6] =
    ["So where did you grow up?", "In a village.", "And then?", "Yes.", "For how long?", "Ten years."];

#[test]
fn labels_of_labs() {
    // What stands before Mara's words and before Ben's, and how the two are then called.
    let forms = [
        ["Q: ", "A: ", "Q", "A"],
        ["INT: ", "P1: ", "INT", "P1"],
        ["I: ", "R: ", "I", "R"],
        ["Interviewer/Interviewerin: ", "Befragte/r: ", "Interviewer/Interviewerin", "Befragte/r"],
        ["Mara [en]: ", "Ben [de]: ", "Mara", "Ben"],
        ["[en] Mara: ", "[de] Ben: ", "Mara", "Ben"],
        ["J. K.: ", "M. V.: ", "J. K.", "M. V."],
        ["SPK-01: ", "SPK-02: ", "SPK-01", "SPK-02"],
        ["Mara\u{a0}Vol\u{a0}: ", "Ben\u{a0}: ", "Mara Vol", "Ben"],
        [
            "\u{3010}\u{7530}\u{4e2d}\u{3011}",
            "\u{3010}\u{9234}\u{6728}\u{3011}",
            "\u{7530}\u{4e2d}",
            "\u{9234}\u{6728}",
        ],
        [
            "\u{ff08}\u{7530}\u{4e2d}\u{ff09}",
            "\u{ff08}\u{9234}\u{6728}\u{ff09}",
            "\u{7530}\u{4e2d}",
            "\u{9234}\u{6728}",
        ],
        ["Mara\u{fe55}", "Ben\u{fe55}", "Mara", "Ben"],
        ["Mara\u{2236} ", "Ben\u{2236} ", "Mara", "Ben"],
        ["\u{1f469} Mara: ", "\u{1f468} Ben: ", "Mara", "Ben"],
        ["*Mara:* ", "*Ben:* ", "Mara", "Ben"],
        ["**Mara:** ", "**Ben:** ", "Mara", "Ben"],
        ["**Mara**: ", "**Ben**: ", "Mara", "Ben"],
        ["*MAR: ", "*BEN: ", "MAR", "BEN"],
        ["P#1: ", "P#2: ", "P#1", "P#2"],
        ["Mara [00:00:01]: ", "Ben [00:00:03]: ", "Mara", "Ben"],
        ["[00:00:01] Mara: ", "[00:00:03] Ben: ", "Mara", "Ben"],
        ["(0:01) Mara: ", "(0:03) Ben: ", "Mara", "Ben"],
        ["00:01 Mara: ", "00:03 Ben: ", "Mara", "Ben"],
        ["1. Mara: ", "2. Ben: ", "Mara", "Ben"],
        ["17 I: ", "18 B: ", "I", "B"],
        ["Question: ", "Answer: ", "Question", "Answer"],
    ];
    for [mara, ben, said_mara, said_ben] in forms {
        let cues: Vec<String> =
            TALK.iter().enumerate().map(|(k, t)| format!("{}{t}", if k % 2 == 0 { mara } else { ben })).collect();
        let t = read("a.srt", &srt(&cues.iter().map(String::as_str).collect::<Vec<_>>()));
        let want: Vec<(String, String)> = TALK
            .iter()
            .enumerate()
            .map(|(k, t)| ((if k % 2 == 0 { said_mara } else { said_ben }).replace('\u{a0}', " "), (*t).to_owned()))
            .collect();
        assert_eq!(told(&t), want, "{mara:?}");
    }
}

#[test]
fn lines_numbered_on_and_labels_that_count_turns() {
    for (form, warning) in [
        ("{k}. {who}: {t}", ""),
        ("{k} {who}: {t}", ""),
        ("{who}{k}: {t}", "numbered on"),
        ("{who}-{k}: {t}", "numbered on"),
    ] {
        let cues: Vec<String> = TALK
            .iter()
            .enumerate()
            .map(|(k, t)| {
                let who = if k % 2 == 0 { "INT" } else { "MARA" };
                form.replace("{k}", &(k + 1).to_string()).replace("{who}", who).replace("{t}", t)
            })
            .collect();
        let t = read("a.srt", &srt(&cues.iter().map(String::as_str).collect::<Vec<_>>()));
        let want: Vec<(String, String)> = TALK
            .iter()
            .enumerate()
            .map(|(k, t)| ((if k % 2 == 0 { "INT" } else { "MARA" }).to_owned(), (*t).to_owned()))
            .collect();
        assert_eq!(told(&t), want, "{form}");
        assert!(warned(&t).contains(warning), "{form}: {}", warned(&t));
    }
}

#[test]
fn words_that_look_like_labels_are_words_and_told() {
    let texts: [&[&str]; 9] = [
        &["We have rules.", "Rule 1: be kind", "And so.", "Rule 2: be brief", "Well.", "At 5: we go", "I see.", "Mm."],
        &["We have rules.", "NOTE: be kind", "And so.", "WARNING: be brief", "Well.", "I said so.", "And.", "Mm."],
        &["We talk.", "DNA: that is it.", "And so.", "RNA: comes next.", "Well.", "I said so.", "And.", "Mm."],
        &["Bon: on y va.", "Alors: il vient.", "Bon: oui.", "Alors: non."],
        &["Bueno: vamos.", "Entonces: vino.", "Bueno: vale.", "Entonces: no."],
        &["[German] Guten Tag.", "[English] Hello.", "[German] Ja.", "[English] Yes."],
        &["[angrily] Go away.", "[softly] No.", "[angrily] Go.", "[softly] Please."],
        &["(in German) Guten Tag.", "(in English) Hello.", "(in German) Ja.", "(in English) Yes."],
        &["I met [NAME].", "[NAME] was there.", "[PLACE] is nice.", "[NAME] went.", "[PLACE] again."],
    ];
    for text in texts {
        let t = read("a.srt", &srt(text));
        assert_eq!(told(&t), pairs(&text.iter().map(|t| ("", *t)).collect::<Vec<_>>()), "{text:?}");
        // Words that begin sentences everywhere need no telling.
        let untold = ["Bon", "Bueno"].iter().any(|w| text[0].starts_with(w)) || text[1].starts_with("NOTE");
        assert!(untold || warned(&t).contains("begin like a speaker label"), "{text:?}: {}", warned(&t));
    }
    let t = read(
        "a.srt",
        &srt(&["Mara: So.", "Ben: oh.", "Step 1: be kind.", "Step 2: go.", "Ben: Well.", "Mara: Yes.", "Ben: no."]),
    );
    assert_eq!(told(&t)[2..4], pairs(&[("Ben", "Step 1: be kind."), ("Ben", "Step 2: go.")]));
    assert!(warned(&t).contains("2 of 7 cues begin like a speaker label"), "{}", warned(&t));
}

#[test]
fn nobody_gets_the_words_of_one_whose_name_is_odd() {
    let t = read(
        "a.vtt",
        &("WEBVTT\n\n".to_owned()
            + &srt(&[
                "Mara Vol: so it is",
                "Ben's phone (2): yes",
                "Mara Vol: and",
                "16175550100: hello",
                "ben_v@uni.edu: ok",
                "Mara Vol and Ben's phone: hi",
                "All: oh",
                "?: who",
                "Unknown: me",
                "Ben's phone: no",
                "Mara Vol?: so",
            ])
            .replace(",000", ".000")),
    );
    assert_eq!(
        told(&t),
        pairs(&[
            ("Mara Vol", "so it is"),
            ("Ben's phone", "yes"),
            ("Mara Vol", "and"),
            ("16175550100", "hello"),
            ("ben_v@uni.edu", "ok"),
            ("Mara Vol and Ben's phone", "hi"),
            ("All", "oh"),
            ("", "who"),
            ("", "me"),
            ("Ben's phone", "no"),
            ("Mara Vol?", "so"),
        ])
    );
    assert!(warned(&t).contains("which is nobody's name") && warned(&t).contains("nearly the same"), "{}", warned(&t));
}

#[test]
fn a_label_written_again_in_a_cue_is_no_other_turn() {
    let t = read("a.srt", &srt(&["Mara: so we\nMara: went home", "Ben: yes\nBen: oh", "Mara: and\nthen", "Ben: k"]));
    assert_eq!(told(&t), pairs(&[("Mara", "so we went home"), ("Ben", "yes oh"), ("Mara", "and then"), ("Ben", "k")]));
}

/// A cue a second in WebVTT.
fn vtt(cues: &[&str]) -> String {
    "WEBVTT\n\n".to_owned() + &srt(cues).replace(",000", ".000")
}

#[test]
fn labels_beside_voices_columns_and_tiers() {
    let want = pairs(&[("Mara", "so it is"), ("Ben", "yes"), ("Mara", "oh"), ("Ben", "no")]);
    // Each said twice, one of them in the words.
    let t = read("a.vtt", &vtt(&["<v Mara>Mara: so it is", "<v Ben>BEN: yes", "<v Mara>Mara: oh", "<v Ben>no"]));
    assert_eq!(told(&t), want);
    assert!(warned(&t).contains("3 turns begin with the label of their own speaker"), "{}", warned(&t));
    let table = |rows: &[(&str, &str)]| {
        let row = |(k, (who, what)): (usize, &(&str, &str))| format!("{k},{},{who},{what}\n", k + 1);
        "start,end,speaker,text\n".to_owned() + &rows.iter().enumerate().map(row).collect::<String>()
    };
    let t =
        read("a.csv", &table(&[("Mara", "Mara: so it is"), ("Ben", "Ben: yes"), ("Mara", "Mara: oh"), ("Ben", "no")]));
    assert_eq!(told(&t), want);
    // One where the other is missing.
    let t = read("a.vtt", &vtt(&["<v Mara>so it is</v>", "Ben: yes", "<v Mara>oh</v>", "Ben: no"]));
    assert_eq!(told(&t), want);
    assert!(warned(&t).contains("2 turns without a speaker begin with a label"), "{}", warned(&t));
    let t = read("a.csv", &table(&[("Mara", "so it is"), ("", "Ben: yes"), ("Mara", "oh"), ("", "Ben: no")]));
    assert_eq!(told(&t), want);
    let t = read("a.csv", &table(&[("Mara", "so it is"), ("Ben", "yes"), ("", "Mara: oh"), ("Ben", "no")]));
    assert_eq!(told(&t), want);
    // A name that tells nobody apart.
    let t = read("a.csv", &table(&[("1", "Mara: so it is"), ("1", "Ben: yes"), ("1", "Mara: oh"), ("1", "Ben: no")]));
    assert_eq!(told(&t), want);
    assert!(warned(&t).contains("all turns have the speaker \"1\""), "{}", warned(&t));
    let grid = "File type = \"ooTextFile\"\n\"TextGrid\"\n0\n9\n<exists>\n1\n\"IntervalTier\"\n\"Interview\"\n0\n9\n4\n\
                0\n1\n\"Mara: so it is\"\n1\n2\n\"Ben: yes\"\n2\n3\n\"Mara: oh\"\n3\n4\n\"Ben: no\"\n";
    assert_eq!(told(&read("a.TextGrid", grid)), want);
    // Two that contradict each other.
    let t = read("a.csv", &table(&[("S1", "Mara: so"), ("S2", "Ben: yes"), ("S2", "Mara: oh"), ("S1", "Ben: no")]));
    assert_eq!(told(&t)[0], ("S1".to_owned(), "Mara: so".to_owned()));
    assert!(warned(&t).contains("4 turns have a speaker and begin with the label of another"), "{}", warned(&t));
    // A place that is said is nobody.
    let t = read("a.csv", &table(&[("Mara", "so"), ("", "Zurich: we met"), ("Ben", "yes"), ("Mara", "Rule 1: be")]));
    assert_eq!(told(&t), pairs(&[("Mara", "so"), ("", "Zurich: we met"), ("Ben", "yes"), ("Mara", "Rule 1: be")]));
}

#[test]
fn labels_before_words_with_times() {
    let t = read("a.vtt", &vtt(&["Mara: <00:00.500>so <00:00.700>it", "Ben: <00:01.500>yes", "Mara: <00:02.500>oh"]));
    assert_eq!(told(&t), pairs(&[("Mara", "so it"), ("Ben", "yes"), ("Mara", "oh")]));
    let words: Vec<(&str, f64)> =
        t.turns.iter().flat_map(|t| &t.words).map(|w| (w.text.as_str(), w.segment.unwrap().start().get())).collect();
    assert_eq!(words, [("so", 0.5), ("it", 0.7), ("yes", 1.5), ("oh", 2.5)]);
}
