//! What is told of the words of made talks.

use std::collections::BTreeMap;

use super::*;
use crate::annotation::Turn;
use crate::random::Random;
use crate::table::{ColumnData, CutOff, Layout, Modality, Table};
use crate::time::Segment;
use crate::turns::{Relations, TurnsConfig, dyads_table};

fn turns(texts: &[&str]) -> Vec<Turn> {
    let turn = |(i, text): (usize, &&str)| Turn {
        index: i as u32 + 1,
        segment: Segment::from_secs(5.0 * i as f64, 5.0 * i as f64 + 4.0).unwrap(),
        speaker: Some(["A", "B"][i % 2].into()),
        text: (*text).to_owned(),
        words: Vec::new(),
    };
    texts.iter().enumerate().map(turn).collect()
}

fn rates(texts: &[&str], lexicon: &Lexicon, declared: Option<&str>) -> Table {
    let config = LanguageConfig::default();
    let rows = said(&turns(texts), lexicon, declared, &config);
    Layout { name: "t", description: "", columns: said_columns(&config) }.table(rows).unwrap()
}

fn dyads(texts: &[&str]) -> Table {
    let (turns, config) = (turns(texts), TurnsConfig::default());
    let said = said(&turns, Lexicon::english(), Some("en"), &config.language);
    dyads_table(&Relations { said: &said, ..Relations::of("i", &turns, &BTreeMap::new(), &config) }).unwrap()
}

fn floats(table: &Table, name: &str) -> Vec<Option<f64>> {
    match table.column(name) {
        Some(ColumnData::F64(v)) => v.iter().map(|x| x.is_finite().then_some((x * 1e6).round() / 1e6)).collect(),
        other => panic!("{name}: {other:?}"),
    }
}

fn texts<'a>(table: &'a Table, name: &str) -> Vec<&'a str> {
    match table.column(name) {
        Some(ColumnData::Str(v)) => v.iter().map(|x| x.as_deref().unwrap_or("-")).collect(),
        other => panic!("{name}: {other:?}"),
    }
}

#[test]
fn rates_are_shares_of_a_turns_words() {
    // 10 words each.
    let all = [
        "I think we don\u{2019}t know; they're not mine, you see?",
        "Yeah, uh-huh, of course. Is it so?? Maybe I'm!",
        "",
    ];
    let t = rates(&all, Lexicon::english(), Some("eng"));
    let tenth = |n: f64| Some((n / 10.0 * 1e6).round() / 1e6);
    assert_eq!(floats(&t, "word_rate_i"), [tenth(2.0), tenth(1.0), None]);
    assert_eq!(floats(&t, "word_rate_we")[0], tenth(1.0));
    assert_eq!(floats(&t, "word_rate_you")[0], tenth(1.0));
    assert_eq!(floats(&t, "word_rate_they")[0], tenth(1.0));
    // don't and not; "I think" is a hedge.
    assert_eq!(floats(&t, "word_rate_negations")[..2], [tenth(2.0), tenth(0.0)]);
    assert_eq!(floats(&t, "word_rate_hedges")[..2], [tenth(1.0), tenth(1.0)]);
    assert_eq!(floats(&t, "word_rate_questions")[..2], [tenth(1.0), tenth(1.0)]);
    // Yeah, uh huh, of course.
    assert_eq!(floats(&t, "word_rate_assent")[1], tenth(3.0));
    assert_eq!(texts(&t, "word_rate_missing"), ["-", "-", "no_words"]);
    let columns = &t.schema().columns;
    assert!(columns.iter().all(|c| c.cut_off == CutOff::TurnEnd));
    assert!(columns.iter().filter(|c| c.unit == "1").all(|c| c.modality == Modality::Words));
}

const GERMAN: &str = "Ich bin in die Stadt gegangen, so was will man an dem Tag nicht, und wir haben es gesehen.";
const ENGLISH: &str = "I went to the town and there was nothing that we could do about it, so they left.";

#[test]
fn what_is_not_known_to_be_english_has_a_reason_and_no_value() {
    let told = |all: &[&str], declared| {
        let t = rates(all, Lexicon::english(), declared);
        let why: Vec<String> = texts(&t, "word_rate_missing").into_iter().map(str::to_owned).collect();
        // Never a value with a reason, nor neither.
        for (why, rate) in why.iter().zip(floats(&t, "word_rate_we")) {
            assert_eq!(why == "-", rate.is_some(), "{why}");
        }
        why
    };
    // By evidence: the first turn has 18 words, too few.
    assert_eq!(told(&[ENGLISH, ENGLISH, ENGLISH], None), ["unknown_language", "-", "-"]);
    assert_eq!(told(&[GERMAN, GERMAN, GERMAN], None), ["unknown_language"; 3]);
    let others = [
        "Je ne sais pas ce que nous avons fait, mais on a parl\u{e9} avec elle et tu me dis que ce n'est pas vrai.",
        "Ik weet niet wat we hebben gedaan, maar hij is in de stad en zij was daar ook met haar kind of hond.",
        "No s\u{e9} lo que hicimos, pero me dijo que no era as\u{ed} y que a \u{e9}l no le gusta la casa en que vive.",
        "\u{6211}\u{4e0d}\u{77e5}\u{9053}\u{ff0c}\u{4f46}\u{662f}\u{4ed6}\u{5f88}\u{597d}\u{3002}",
    ];
    for text in others {
        assert_eq!(told(&[text, text, text], None), ["unknown_language"; 3], "{text}");
        // A declaration that the words contradict is not believed.
        assert_eq!(
            told(&[text, text, text], Some("en")).last().map(String::as_str),
            Some("unknown_language"),
            "{text}"
        );
        assert_eq!(told(&[text], Some("fr-CA")), ["other_language"]);
    }
    // Declared, it is known from the first word on; a turn in another language in between is not counted as English.
    assert_eq!(told(&["We do.", ENGLISH, GERMAN, ENGLISH], Some("en-US")), ["-", "-", "unknown_language", "-"]);
}

#[test]
fn a_dictionary_speaks_for_its_language() {
    let dictionary = Lexicon::of_liwc("%\n1\ti\n2\twe\n3\tnegate\n%\nich\t1\nwir\t2\nnicht*\t3\n").unwrap();
    let t = rates(&[GERMAN], &dictionary, None);
    assert_eq!(floats(&t, "word_rate_we"), [Some((1.0f64 / 19.0 * 1e6).round() / 1e6)]);
    assert_eq!((floats(&t, "word_rate_they"), texts(&t, "word_rate_missing")), (vec![None], vec!["no_list"]));
}

#[test]
fn what_comes_later_changes_nothing() {
    let all = [ENGLISH, "We saw it, and they saw it too.", GERMAN, ENGLISH, GERMAN, GERMAN, GERMAN];
    let config = LanguageConfig::default();
    let whole = said(&turns(&all), Lexicon::english(), None, &config);
    for n in 1..all.len() {
        assert_eq!(said(&turns(&all[..n]), Lexicon::english(), None, &config), whole[..n]);
    }
    let (whole, first) = (dyads(&all), dyads(&all[..4]));
    for c in whole.schema().columns.iter().filter(|c| c.modality == Modality::Words && c.unit == "1") {
        assert_eq!(floats(&whole, &c.name)[..4], floats(&first, &c.name), "{}", c.name);
    }
}

#[test]
fn styles_match_as_the_formula_says() {
    // 60 words each: A says "the" in half of them, B in a third; nothing else is a function word.
    let of = |every: usize| (0..60).map(|i| if i % every == 0 { "the" } else { "house" }).collect::<Vec<_>>().join(" ");
    let (a, b) = (of(2), of(3));
    let t = dyads(&[&a, &b, "house", "the house"]);
    assert_eq!(texts(&t, "style_matching_missing")[..2], ["too_short", "-"]);
    let third = 100.0 / 3.0;
    let articles = 1.0 - (50.0 - third) / (50.0 + third + 0.0001);
    let expected = (8.0 + articles) / 9.0;
    assert!((floats(&t, "style_matching")[1].unwrap() - expected).abs() < 1e-6);
    assert!(floats(&dyads(&[&a, &a]), "style_matching")[1].unwrap() > 0.999);
}

#[test]
fn words_just_said_are_taken_up_beyond_chance_and_chance_is_zero() {
    let mut random = Random::new(1, "talk");
    let names: Vec<String> = (0..60).map(|i| format!("the w{i} of")).collect();
    let mut talk = |takes_up: bool| {
        let mut all: Vec<String> = Vec::new();
        for i in 0..200 {
            let mut words: Vec<String> = (0..4).map(|_| names[random.below(60)].clone()).collect();
            if takes_up && i % 2 == 1 {
                words[1] = all[i - 1].split(' ').take(3).collect::<Vec<_>>().join(" ");
            }
            all.push(words.join(" "));
        }
        let t = dyads(&all.iter().map(String::as_str).collect::<Vec<_>>());
        let mean = |name: &str| {
            let values: Vec<f64> = floats(&t, name).into_iter().skip(1).step_by(2).flatten().collect();
            assert!(values.len() > 80, "{name}: {}", values.len());
            values.iter().sum::<f64>() / values.len() as f64
        };
        ["repeated_words", "repeated_words_above_chance", "repeated_word_pairs_above_chance"].map(mean)
    };
    let (up, not) = (talk(true), talk(false));
    eprintln!("repeated words, above chance, pairs above chance: taken up {up:.3?}, not {not:.3?}");
    // Every turn shares "the" and "of", a third of its words: chance, all of it.
    assert!(not[0] > 0.3 && not[1].abs() < 0.02 && not[2].abs() < 0.02, "{not:?}");
    assert!(up[1] > 0.1 && up[2] > 0.1, "{up:?}");
}

#[test]
fn who_says_we_first_and_why_repetition_is_null() {
    let t = dyads(&["I do.", "You do.", "We do.", "Yes, we do.", "We?"]);
    assert_eq!(texts(&t, "we_first_missing")[..3], ["not_yet", "not_yet", "-"]);
    let Some(ColumnData::Bool(first)) = t.column("speaker_said_we_first") else { panic!() };
    assert_eq!(first[..], [None, None, Some(true), Some(false), Some(true)]);
    assert_eq!(texts(&t, "repeated_words_missing")[0], "not_adjacent");
    assert_eq!(floats(&t, "repeated_words")[1..4], [Some(0.5), Some(0.5), Some(0.666_667)]);
    assert_eq!(texts(&t, "repeated_word_pairs_missing")[4], "too_short");
    // No transcript.
    let (turns, config) = (turns(&["", ""]), TurnsConfig::default());
    let t = dyads_table(&Relations::of("i", &turns, &BTreeMap::new(), &config)).unwrap();
    assert_eq!(texts(&t, "style_matching_missing"), ["no_words"; 2]);
}

#[test]
fn words_of_a_turn_that_runs_on_are_not_known_in_the_turns_inside_it() {
    // B talks from 1 to 8 s, A says something inside, and both go on.
    let talk = [
        (0.0, 4.0, "A", "I do it."),
        (1.0, 8.0, "B", "And so we do."),
        (2.0, 3.0, "A", "So we do."),
        (9.0, 10.0, "B", "So do it."),
    ];
    let turn = |(i, &(start, end, speaker, text)): (usize, &(f64, f64, &str, &str))| Turn {
        index: i as u32 + 1,
        segment: Segment::from_secs(start, end).unwrap(),
        speaker: Some(speaker.into()),
        text: text.into(),
        words: Vec::new(),
    };
    let turns: Vec<Turn> = talk.iter().enumerate().map(turn).collect();
    let mut config = TurnsConfig::default();
    config.language.min_style_words = 3;
    let said = said(&turns, Lexicon::english(), Some("en"), &config.language);
    let t = dyads_table(&Relations { said: &said, ..Relations::of("i", &turns, &BTreeMap::new(), &config) }).unwrap();
    // Rows: A to B, B to A, A to B, B to A.
    assert_eq!(texts(&t, "repeated_words_missing")[..3], ["not_adjacent", "too_short", "inside_another"]);
    assert_eq!(floats(&t, "repeated_words"), [None, Some(0.25), None, Some(2.0 / 3.0)].map(rounded));
    assert_eq!(texts(&t, "we_first_missing"), ["not_yet", "-", "inside_another", "-"]);
    let Some(ColumnData::Bool(first)) = t.column("speaker_said_we_first") else { panic!() };
    assert_eq!(first[..], [None, Some(true), None, Some(true)]);
    // B's words count when B has ended, A's that were said meanwhile with them.
    assert_eq!(texts(&t, "style_matching_missing"), ["too_short", "-", "too_short", "-"]);
}

#[test]
fn nothing_is_said_of_words_across_a_cue_that_could_not_be_read() {
    let texts_of = ["I do it.", "You do it.", "We do it.", "So we do."];
    let (turns, config) = (turns(&texts_of), TurnsConfig::default());
    let said = said(&turns, Lexicon::english(), Some("en"), &config.language);
    let links = BTreeMap::new();
    let told = |dropped: &[usize]| {
        let t =
            dyads_table(&Relations { said: &said, dropped, ..Relations::of("i", &turns, &links, &config) }).unwrap();
        let (repeated, we) = (texts(&t, "repeated_words_missing"), texts(&t, "we_first_missing"));
        [repeated, we].map(|x| x.into_iter().map(ToOwned::to_owned).collect::<Vec<String>>())
    };
    assert_eq!(told(&[])[1], ["not_yet", "not_yet", "-", "-"]);
    // Before the second turn: it repeats nothing that is known, and whoever was lost may have said it first.
    let [repeated, we] = told(&[1]);
    assert_eq!((repeated[1].as_str(), repeated[2].as_str()), ("dropped_cue", "too_short"));
    assert_eq!(we, ["not_yet", "dropped_cue", "dropped_cue", "dropped_cue"]);
    // After somebody has said it, it is known.
    assert_eq!(told(&[3])[1], ["not_yet", "not_yet", "-", "-"]);
}

fn rounded(x: Option<f64>) -> Option<f64> {
    x.map(|x| (x * 1e6).round() / 1e6)
}
