//! `turnwise pack`: what is taken, what is refused, and that nothing is left of what was refused. That other programs
//! load what is written, `tests/readers` shows.

use std::fs;
use std::path::Path;

use crate::stage::Stage;
use turnwise::store::parquet::{self, FileMetadata};
use turnwise::store::paths::table_path;
use turnwise::store::read::{read, read_metadata};
use turnwise::store::{Format, Writer};
use turnwise::table::{ColumnSpec, Kind, TableBuilder, TableSchema};

fn made(recipe: &str) -> FileMetadata {
    FileMetadata { recipe_hash: recipe.into(), recipe: format!("{{\"a\":\"{recipe}\"}}"), ..FileMetadata::default() }
}

fn put(out: &Path, name: &'static str, id: &str, columns: Vec<ColumnSpec>, fill: impl Fn(&mut TableBuilder)) {
    put_made(out, (name, id), columns, &made("r1"), fill);
}

fn put_made(
    out: &Path,
    (name, id): (&'static str, &str),
    columns: Vec<ColumnSpec>,
    made: &FileMetadata,
    fill: impl Fn(&mut TableBuilder),
) {
    let mut table = TableBuilder::new(TableSchema { name, description: "Made.", columns });
    fill(&mut table);
    parquet::write(&table_path(out, name, id).unwrap(), &table.finish().unwrap(), made).unwrap();
}

fn text(name: &'static str) -> ColumnSpec {
    ColumnSpec::new(name, Kind::Str, "", "Text.")
}

/// The row of an interview, and five rows of sound.
fn interview(out: &Path, id: &str, group: Option<&str>, status: &str) {
    let columns = ["interview_id", "status", "error", "error_kind", "group"].map(text).into_iter();
    let columns = columns.chain([ColumnSpec::new("duration_secs", Kind::F64, "s", "Length.")]).collect();
    put(out, "interviews", id, columns, |t| {
        t.row().set("interview_id", id).set("status", status).set("group", group).set("duration_secs", 90.0);
        if status == "failed" {
            t.set("error", "no | sound").set("error_kind", "media");
        }
    });
    put(out, "voice", id, voice(), |t| rows(t, id));
}

fn voice() -> Vec<ColumnSpec> {
    vec![text("interview_id"), ColumnSpec::new("level_db", Kind::F32, "dB", "Level.")]
}

fn rows(t: &mut TableBuilder, id: &str) {
    for i in 0..5 {
        t.row().set("interview_id", id).set("level_db", f64::from(i));
    }
}

/// Six couples of two interviews each, and one that failed.
fn corpus(stage: &Stage) -> std::path::PathBuf {
    let out = stage.path("out");
    for i in 0..12 {
        interview(&out, &format!("c{}/{i}", i / 2), Some(&format!("g{}", i / 2)), "done");
    }
    interview(&out, "c0/lost", Some("g0"), "failed");
    out
}

#[test]
fn what_is_done_is_packed_and_what_failed_is_listed() {
    let stage = Stage::new();
    corpus(&stage);
    let told = stage.run(&["pack", "out", "--to", "set"]);
    assert_eq!(told.code, 0, "{}", told.err);
    assert!(
        told.out.contains("set: 12 interviews, 2 tables") && told.out.contains("1 interview failed"),
        "{}",
        told.out
    );
    let mut ids = Vec::new();
    for split in ["train", "validation", "test"] {
        let table = read(&stage.path(&format!("set/voice/{split}-00000.parquet"))).unwrap();
        let names: Vec<&str> = table.schema().columns.iter().map(|c| c.name.as_ref()).collect();
        assert_eq!(names, ["interview_id", "group", "level_db"]);
        assert_eq!((table.schema().columns[2].unit.as_ref(), &table.schema().metadata), ("dB", &made("r1")));
        for row in 0..table.rows() {
            let id = table.text("interview_id", row).unwrap().to_owned();
            assert_eq!(table.text("group", row).unwrap()[1..], id[1..2]);
            assert_eq!(table.number("level_db", row), Some((row % 5) as f64));
            ids.push(id);
        }
        let list = fs::read_to_string(stage.path(&format!("set/splits/{split}.csv"))).unwrap();
        assert_eq!(list.lines().count() - 1, table.rows() / 5, "{list}");
    }
    ids.dedup();
    assert!(ids.len() == 12 && !ids.contains(&"c0/lost".to_owned()), "{ids:?}");
    let card = fs::read_to_string(stage.path("set/README.md")).unwrap();
    for part in [
        "12 interviews (18.0 minutes)",
        "| c0/lost | media | no \\| sound |",
        "voice: 1 file",
        "config_name: \"voice\"",
    ] {
        assert!(card.contains(part), "{part}: {card}");
    }
    assert!(!card.contains(&*stage.path("").to_string_lossy()));
}

#[test]
fn tables_of_other_formats_give_the_same_data_set() {
    let stage = Stage::new();
    let out = corpus(&stage);
    assert_eq!(stage.run(&["pack", "out", "--to", "parquet"]).code, 0);
    for file in turnwise::store::folder::OutputFolder::new(&out).files("voice").unwrap() {
        let id = &file.name;
        let format = if id.ends_with(['1', '3', '5']) { Format::Csv } else { Format::Arrow };
        let mut table = TableBuilder::new(TableSchema { name: "voice", description: "Made.", columns: voice() });
        rows(&mut table, id);
        fs::remove_file(&file.path).unwrap();
        let path = Writer::new(format).path(&out.join("voice"), id);
        Writer::new(format).write(&path, &table.finish().unwrap(), &made("r1")).unwrap();
    }
    let told = stage.run(&["pack", "out", "--to", "others"]);
    assert_eq!(told.code, 0, "{}", told.err);
    for split in ["train", "validation", "test"] {
        let bytes = |set: &str| fs::read(stage.path(&format!("{set}/voice/{split}-00000.parquet"))).unwrap();
        assert_eq!(bytes("parquet"), bytes("others"), "{split}");
    }
}

#[test]
fn what_is_not_of_one_kind_is_refused_by_name_and_leaves_nothing() {
    let stage = Stage::new();
    let out = corpus(&stage);
    let refused = |arguments: &[&str], parts: &[&str]| {
        let told = stage.run(&[&["pack", "out", "--to", "set"], arguments].concat());
        assert!(told.code != 0 && parts.iter().all(|p| told.err.contains(p)), "{arguments:?}: {}", told.err);
        let left: Vec<_> = fs::read_dir(stage.path("")).unwrap().map(|e| e.unwrap().file_name()).collect();
        assert!(!left.iter().any(|n| n.to_string_lossy().contains("set")), "{left:?}");
    };
    refused(&["--test", "0.6", "--validation", "0.4"], &["leave nothing to train on"]);
    refused(&["--to", "out/set"], &["cannot be used multiple times"]);
    // Other columns by the same recipe, then another recipe.
    let more = [voice(), vec![ColumnSpec::new("pitch_hz", Kind::F32, "Hz", "Pitch.")]].concat();
    put(&out, "voice", "c3/6", more.clone(), |t| rows(t, "c3/6"));
    refused(&[], &["voice of c3/6 and of c0/0", "pitch_hz"]);
    put_made(&out, ("voice", "c3/6"), voice(), &made("r2"), |t| rows(t, "c3/6"));
    refused(&[], &["recipe r2: 1 interview: c3/6", "recipe r1: 12 interviews"]);
    // Asked for, the columns are the union.
    put_made(&out, ("voice", "c3/6"), more, &made("r2"), |t| rows(t, "c3/6"));
    let told = stage.run(&["pack", "out", "--to", "mixed", "--mixed", "--validation", "0", "--test", "0"]);
    assert_eq!(told.code, 0, "{}", told.err);
    let schema = read_metadata(&stage.path("mixed/voice/train-00000.parquet")).unwrap();
    assert!(schema.columns.iter().any(|c| c.name == "pitch_hz") && schema.metadata.recipe_hash == "mixed");
    // A table of another interview's, and one of another group.
    put(&out, "voice", "c3/6", voice(), |t| rows(t, "c1/2"));
    refused(&[], &["voice/c3/6.parquet", "rows of \"c3/6\" alone"]);
    put(&out, "voice", "c3/6", [voice(), vec![text("group")]].concat(), |t| {
        rows(t, "c3/6");
        t.set("group", "g9");
    });
    refused(&["--mixed"], &["its group is not that of the interview's row"]);
}

#[test]
fn a_folder_that_holds_something_or_lies_in_the_tables_is_refused() {
    let stage = Stage::new();
    corpus(&stage);
    stage.write("set/mine.txt", "mine");
    for (to, part) in [("set", "holds something already"), ("out/set", "is inside out"), ("out/a/b", "is inside out")] {
        let told = stage.run(&["pack", "out", "--to", to]);
        assert!(told.code == 2 && told.err.contains(part), "{to}: {}", told.err);
    }
    assert!(!stage.path("out/a").exists() && stage.path("set/mine.txt").exists());
    let told = stage.run(&["pack", "set", "--to", "other"]);
    assert!(told.code == 2 && told.err.contains("no finished interview"), "{}", told.err);
}

#[test]
fn groups_have_folders_of_their_own_where_asked() {
    let stage = Stage::new();
    let out = corpus(&stage);
    interview(&out, "alone", None, "done");
    assert_eq!(stage.run(&["pack", "out", "--to", "set", "--by-group"]).code, 0);
    let mut folders: Vec<String> = fs::read_dir(stage.path("set/voice"))
        .unwrap()
        .map(|e| e.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    folders.sort();
    assert_eq!(folders, ["group-g0", "group-g1", "group-g2", "group-g3", "group-g4", "group-g5", "no_group"]);
    // One group lies in one split.
    for folder in folders {
        assert_eq!(fs::read_dir(stage.path(&format!("set/voice/{folder}"))).unwrap().count(), 1, "{folder}");
    }
    let bare = Stage::new();
    interview(&bare.path("out"), "a", None, "done");
    let told = bare.run(&["pack", "out", "--to", "set", "--by-group"]);
    assert!(told.code == 2 && told.err.contains("no interview has a group"), "{}", told.err);
}
