//! `turnwise schema --codebook`: what the columns of an output folder mean and hold, and the thirty to begin with.

use crate::stage::Stage;
use turnwise::inspect::first_columns;
use turnwise::pipeline::schemas;
use turnwise::recipe::Recipe;
use turnwise::store::Format;
use turnwise::store::read::{read, read_metadata};

const VTT: &str = "WEBVTT\n\n00:00.500 --> 00:02.000\n<v Anna>How are you?\n\n00:02.500 --> 00:04.000\n<v Ben>Well, thanks.\n\n\
                   00:04.200 --> 00:05.500\n<v Anna>Good.\n";

/// A tone of six seconds.
fn tone(stage: &Stage) {
    let done = std::process::Command::new("ffmpeg")
        .args(["-v", "error", "-y", "-f", "lavfi", "-i", "sine=frequency=180:sample_rate=16000:duration=6"])
        .arg(stage.path("a.wav"))
        .stdin(std::process::Stdio::null())
        .status()
        .expect("ffmpeg is needed: make apt");
    assert!(done.success());
}

fn files(stage: &Stage, folder: &str) -> Vec<Vec<u8>> {
    ["codebook.md", "codebook.csv"].map(|name| std::fs::read(stage.path(folder).join(name)).unwrap()).to_vec()
}

#[test]
fn a_corpus_has_one_codebook_whatever_the_jobs_and_the_format() {
    let stage = Stage::new();
    tone(&stage);
    stage.write("a.vtt", VTT);
    stage.write("corpus.csv", "interview_id,media,transcript\nx/one,a.wav,a.vtt\ntwo,a.wav,a.vtt\n");
    let recipe = ["--set", "voice.min_pause_secs=0.75"];
    let mut books = Vec::new();
    for (format, jobs) in [("parquet", "1"), ("parquet", "2"), ("csv", "1"), ("arrow", "1")] {
        let out = format!("{format}{jobs}");
        let mut arguments = vec!["extract", "corpus.csv", "--out", &out, "--jobs", jobs, "--format", format];
        arguments.extend(recipe);
        let told = stage.run(&arguments);
        assert_eq!(told.code, 0, "{}", told.err);
        let told = stage.run(&["schema", "--codebook", &out, "--to", &format!("{out}_book")]);
        assert_eq!(told.code, 0, "{}", told.err);
        assert!(told.out.contains("codebook.md") && told.out.contains("codebook.csv"), "{}", told.out);
        books.push(files(&stage, &format!("{out}_book")));
    }
    assert!(books.iter().all(|book| *book == books[0]), "the codebooks differ");

    let page = String::from_utf8(books[0][0].clone()).unwrap();
    // The value that held, not the default, with the key that sets it.
    assert!(page.contains("intensity for 0.75 s, or unvoiced for 0.5 s however loud."), "{page}");
    assert!(page.contains("voice.min_pause_secs"), "{page}");
    assert!(page.contains("- **Heldner & Edlund 2010**: "), "{page}");
    let table = read(&stage.path("parquet1_book/codebook.csv")).unwrap();
    let row = |name: &str, column: &str| {
        let is = |r: &usize| table.text("table", *r) == Some(name) && table.text("column", *r) == Some(column);
        (0..table.rows()).find(is).unwrap_or_else(|| panic!("{name}.{column}"))
    };
    let turn = row("turns", "duration_secs");
    let milli = |name: &str| (table.number(name, turn).unwrap() * 1000.0).round() as i64;
    // Twice 1.5, 1.5 and 1.3 s.
    let told = ["rows", "filled", "min", "median", "max"].map(milli);
    assert_eq!(told, [6000, 6000, 1300, 1500, 1500]);
    assert_eq!(table.text("frequent", row("turns", "speaker")), Some("Anna (4), Ben (2)"));
    assert_eq!(table.text("frequent", row("turns", "face_missing")), Some("no_stream (6)"));
    assert_eq!(table.text("source", row("dyads", "floor_transfer")), Some("Heldner & Edlund 2010"));
    // Every column of the folder is in it.
    for (name, id) in [("turns", "two"), ("dyads", "two"), ("voice", "x/one"), ("interviews", "two")] {
        for column in read_metadata(&stage.path(&format!("parquet1/{name}/{id}.parquet"))).unwrap().columns {
            row(name, &column.name);
        }
    }
}

#[test]
fn files_of_every_format_tell_the_sources() {
    let stage = Stage::new();
    tone(&stage);
    for format in Format::ALL.map(Format::name) {
        let told = stage.run(&["voice", "a.wav", "--out", format, "--format", format]);
        assert_eq!(told.code, 0, "{}", told.err);
        let file = stage.path(format).join(format!("functionals.{format}"));
        let schema = read_metadata(&file).unwrap();
        let sources: Vec<&str> = schema.columns.iter().map(|c| &*c.source).collect();
        assert_eq!(sources[..3], ["", "", "Eyben et al. 2016"], "{format}");
    }
}

#[test]
fn the_two_arguments_go_together_and_the_folder_must_be_there() {
    let stage = Stage::new();
    assert_eq!(stage.run(&["schema", "--codebook", "out"]).code, 2);
    assert_eq!(stage.run(&["schema", "--to", "book"]).code, 2);
    let told = stage.run(&["schema", "--codebook", "out", "--to", "book"]);
    assert!(told.code == 2 && told.err.contains("there is no folder out"), "{}", told.err);
    std::fs::create_dir(stage.path("out")).unwrap();
    let told = stage.run(&["schema", "--codebook", "out", "--to", "book"]);
    assert!(told.code == 2 && told.err.contains("no table of a finished interview"), "{}", told.err);
    assert!(!stage.path("book").exists());
}

#[test]
fn thirty_columns_to_begin_with_are_there_and_the_documentation_lists_them() {
    let tables = schemas(&Recipe::default());
    let first = first_columns();
    assert_eq!(first.len(), 30);
    for (table, column) in &first {
        let columns = &tables.iter().find(|t| t.name == *table).unwrap_or_else(|| panic!("{table}")).columns;
        assert!(columns.iter().any(|c| c.name == *column), "{table}.{column}");
    }
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/src/first-columns.md");
    let page = std::fs::read_to_string(page).expect("the page of the thirty columns");
    // `- [`turns.words`](reference/turns.md#words): how many words its text has.`
    let listed: Vec<String> = page
        .lines()
        .filter_map(|l| l.strip_prefix("- [`")?.split_once("`](reference/"))
        .map(|(name, rest)| {
            let (table, column) = name.split_once('.').expect("table.column");
            assert!(rest.starts_with(&format!("{table}.md#{column}): ")), "{name} is linked to {rest}");
            name.to_owned()
        })
        .collect();
    let expected: Vec<String> = first.iter().map(|(table, column)| format!("{table}.{column}")).collect();
    assert_eq!(listed, expected);
}

#[test]
fn every_warning_a_table_can_hold_is_in_the_column_that_holds_them() {
    let source = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/src/warning.rs")).unwrap();
    let texts = source.split("#[error(").skip(1).filter_map(|rest| rest.split_once('"'));
    // One is another's words, code and all.
    let codes: Vec<&str> = texts
        .filter(|(_, text)| !text.starts_with("{text}"))
        .filter_map(|(_, text)| Some(text.split_once(':')?.0))
        .collect();
    assert!(codes.len() > 40 && codes.contains(&"speaker_match") && codes.contains(&"crowd"), "{codes:?}");
    let tables = schemas(&Recipe::default());
    let interviews = tables.iter().find(|t| t.name == "interviews").unwrap();
    let told = &interviews.columns.iter().find(|c| c.name == "warnings").unwrap().description;
    let words: Vec<&str> = told.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
    let untold: Vec<&&str> = codes.iter().filter(|code| !words.contains(code)).collect();
    assert!(untold.is_empty(), "{untold:?}");
}
