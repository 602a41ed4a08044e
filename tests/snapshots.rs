//! Words on the screen, whole: `--help` of every command, `inspect`, `score`, `doctor`. What differs from machine to
//! machine is masked. After a wanted change: `INSTA_UPDATE=always cargo test --test all snapshots::`, and look at the
//! difference.

use crate::stage::{Stage, models};

/// Version, hashes and sizes masked in place, so that columns stay where they are; paths by a word.
fn masked(stage: &Stage, text: &str) -> String {
    let text = text
        .replace(&models().display().to_string(), "<models>")
        .replace(&stage.path("").display().to_string(), "<here>/");
    let hidden = |word: &str| {
        let hash =
            word.len() == 12 && word.bytes().all(|b| b.is_ascii_hexdigit()) && word.bytes().any(|b| b.is_ascii_digit());
        if hash { "#".repeat(12) } else { word.replace(env!("CARGO_PKG_VERSION"), "#.#.#") }
    };
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '.';
    let mut out = String::new();
    for line in text.lines() {
        let mut rest = line.trim_end();
        while let Some(at) = rest.find(is_word) {
            out += &rest[..at];
            let end = rest[at..].find(|c| !is_word(c)).map_or(rest.len(), |n| at + n);
            let word = hidden(&rest[at..end]);
            let is_size = [" B", " kB", " MB"].iter().any(|unit| rest[end..].starts_with(unit));
            out += &if is_size { word.replace(|c: char| c.is_ascii_digit(), "#") } else { word };
            rest = &rest[end..];
        }
        out += rest;
        out.push('\n');
    }
    out
}

#[test]
fn help_of_every_command() {
    let stage = Stage::new();
    let help = |arguments: &[&str]| {
        let out = stage.command(arguments).env_remove("TURNWISE_MODELS").output().unwrap();
        assert!(out.status.success(), "{arguments:?}");
        masked(&stage, &String::from_utf8(out.stdout).unwrap())
    };
    let all = help(&["--help"]);
    let commands: Vec<&str> = all
        .lines()
        .skip_while(|l| *l != "Commands:")
        .skip(1)
        .take_while(|l| !l.is_empty())
        .filter(|l| l.starts_with("  ") && !l.starts_with("   "))
        .filter_map(|l| l.split_whitespace().next())
        .filter(|c| *c != "help")
        .collect();
    assert!(commands.len() > 10, "{commands:?}");
    insta::assert_snapshot!("help", all);
    for command in &commands {
        insta::assert_snapshot!(format!("help_{command}"), help(&[command, "--help"]));
    }
}

/// A transcript alone: no model decides what is told.
#[test]
fn inspect_of_a_folder_and_of_a_table() {
    let stage = Stage::new();
    let words = r#"[{"word": "so", "start": 0.0, "end": 0.5}, {"word": "it", "start": 0.5, "end": 1.0}, {"word": "is", "start": 1.0, "end": 1.5}]"#;
    let segments = format!(
        r#"[{{"start": 0, "end": 1.5, "text": "so it is", "speaker": "ANNA", "words": {words}}}, {{"start": 1.4, "end": 3, "text": "你好 well", "speaker": "Bo"}}]"#
    );
    stage.write("t.json", &format!(r#"{{"segments": {segments}}}"#));
    stage.write("corpus.csv", "interview_id,media,transcript,group\ncouple/一,,t.json,G\nsecond,,t.json,G\n");
    let told = stage.run(&["extract", "corpus.csv", "--out", "out", "--jobs", "1"]);
    assert_eq!(told.code, 0, "{}", told.err);
    for (name, arguments) in
        [("inspect_folder", &["inspect", "out"][..]), ("inspect_words", &["inspect", "out/words/second.parquet"])]
    {
        let told = stage.run(arguments);
        assert_eq!(told.code, 0, "{}", told.err);
        insta::assert_snapshot!(name, masked(&stage, &told.out));
    }
}

#[test]
fn score_of_two_recordings() {
    let stage = Stage::new();
    let line = |uri: &str, start: f64, secs: f64, who: &str| {
        format!("SPEAKER {uri} 1 {start:.3} {secs:.3} <NA> <NA> {who} <NA> <NA>\n")
    };
    stage.write("truth.rttm", &[line("a", 0.0, 5.0, "A"), line("a", 5.0, 5.0, "B"), line("b", 1.0, 2.0, "A")].concat());
    stage.write("ours.rttm", &[line("a", 0.0, 6.0, "x"), line("a", 6.0, 3.0, "y"), line("b", 1.0, 3.0, "x")].concat());
    stage.write("a.uem", "a 1 0 8\nb 1 0 2.5\n");
    for (name, more) in
        [("score", &[][..]), ("score_uem", &["--uem", "a.uem"]), ("score_collar", &["--collar", "0.25"])]
    {
        let told = stage.run(&[&["score", "truth.rttm", "ours.rttm"], more].concat());
        assert_eq!(told.code, 0, "{}", told.err);
        insta::assert_snapshot!(name, masked(&stage, &told.out));
    }
}

/// What is found differs from machine to machine; what is needed does not.
#[test]
fn doctor_of_a_machine_that_has_all() {
    let stage = Stage::new();
    let told = stage.run(&["doctor"]);
    assert_eq!(told.code, 0, "{}", told.out);
    let line = |line: &str| match (line.split_once("found "), line.split_once(", needed ")) {
        (Some((before, _)), Some((_, needed))) => format!("{before}found <something>, needed {needed}\n"),
        _ if line.starts_with("processors") => "processors    <number>\n".to_owned(),
        _ => format!("{line}\n"),
    };
    insta::assert_snapshot!("doctor", masked(&stage, &told.out).lines().map(line).collect::<String>());
}
