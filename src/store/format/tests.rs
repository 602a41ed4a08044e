//! Every format gives back what it was given, refuses what is damaged, and never stands beside another.

use super::*;
use crate::store::folder::StoredFile;
use crate::store::interviews::merge_interviews;
use crate::store::read::{read, read_column_names, read_columns, read_metadata};
use crate::table::{Cell, ColumnData, ColumnSpec, CutOff, Kind, Modality, TableBuilder, TableSchema};

fn metadata() -> FileMetadata {
    FileMetadata {
        schema_version: "1".into(),
        tool_version: "0.1.0".into(),
        recipe: r#"{"face":{"rate_hz":10.0}}"#.into(),
        recipe_hash: "ab12".into(),
        models: [("vad".to_owned(), "00ff".to_owned())].into(),
    }
}

/// Numbers that tell digits lost, texts that break lines and quotes, nulls of every kind.
fn every_kind() -> Table {
    let columns = vec![
        ColumnSpec::new("interview_id", Kind::Str, "", "The interview.").until(CutOff::None),
        ColumnSpec::new("level-0_db", Kind::F32, "dB", "Mean, \"µ\".").until(CutOff::TurnEnd).of(Modality::Voice),
        ColumnSpec::new("start_secs", Kind::F64, "s", "Start.").until(CutOff::TurnStart).of(Modality::Timing),
        ColumnSpec::new("words", Kind::I64, "", "Words said.").until(CutOff::NextTurn),
        ColumnSpec::new("on_screen", Kind::Bool, "", "Seen.").of(Modality::Face),
        ColumnSpec::new("embedding", Kind::F32List, "", "Unit norm."),
        ColumnSpec::new("warnings", Kind::StrList, "", "In words."),
        ColumnSpec::new("never", Kind::F64, "s", "No row has it."),
    ];
    let mut t = TableBuilder::new(TableSchema { name: "turns", description: "One row per turn.", columns });
    let texts = |all: &[&str]| Cell::Texts(all.iter().map(|t| (*t).to_owned()).collect());
    t.row()
        .set("interview_id", "Gespräch, \"1\" 王小明")
        .set("level-0_db", 0.1_f32)
        .set("start_secs", 0.1 + 0.2)
        .set("words", i64::MAX);
    t.set("on_screen", true)
        .set("embedding", vec![0.25, f32::NAN, 1.0e-30, -3.402_823_5e38])
        .set("warnings", texts(&["a,b", "", "\"c\""]));
    t.row();
    t.row()
        .set("interview_id", "=1+1")
        .set("level-0_db", f32::MIN_POSITIVE)
        .set("start_secs", -1.0e300)
        .set("words", -1_i64);
    t.set("on_screen", false).set("embedding", Vec::<f32>::new()).set("warnings", texts(&[]));
    t.finish().unwrap()
}

#[test]
fn every_kind_reads_back_from_every_format() {
    let folder = tempfile::tempdir().unwrap();
    let table = every_kind();
    for format in Format::ALL {
        let writer = Writer::new(format);
        let path = writer.path(&folder.path().join(format.name()), "a.1");
        writer.write(&path, &table, &metadata()).unwrap();
        assert!(path.to_str().unwrap().ends_with(&format!("a.1.{}", format.suffix())));
        let back = read(&path).unwrap();
        assert_eq!(back.schema().columns, table.schema().columns, "{format:?}");
        assert_eq!(
            (back.rows(), back.schema().table.as_str(), back.schema().description.as_str()),
            (3, "turns", "One row per turn.")
        );
        assert_eq!(back.schema().metadata, metadata());
        // NaN is unequal to itself.
        assert_eq!(format!("{:?}", back.columns()), format!("{:?}", table.columns()), "{format:?}");
        assert_eq!(read_metadata(&path).unwrap(), *back.schema());
        assert_eq!(read_column_names(&path).unwrap()[..2], ["interview_id", "level-0_db"]);
        let some = read_columns(&path, &["words", "no_such"]).unwrap();
        assert_eq!(some.columns(), [ColumnData::I64(vec![Some(i64::MAX), None, Some(-1)])]);
        assert_eq!(read_columns(&path, &[]).unwrap().rows(), 3);
        let bytes = || Format::files_of(&path).iter().map(|f| fs::read(f).unwrap()).collect::<Vec<_>>();
        let first = bytes();
        writer.write(&path, &table, &metadata()).unwrap();
        assert_eq!(bytes(), first, "{format:?}");
        let empty = TableBuilder::new(table.schema().clone()).finish().unwrap();
        writer.write(&path, &empty, &metadata()).unwrap();
        let back = read(&path).unwrap();
        assert!(
            back.rows() == 0 && back.columns().len() == 8 && back.columns().iter().all(ColumnData::is_empty),
            "{format:?}"
        );
    }
}

#[test]
fn csv_is_what_other_programs_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.csv");
    Writer::new(Format::Csv).write(&path, &every_kind(), &metadata()).unwrap();
    let text = fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "interview_id,level-0_db,start_secs,words,on_screen,embedding,warnings,never");
    assert!(
        lines[1].starts_with(
            "\"Gespräch, \"\"1\"\" 王小明\",0.1,0.30000000000000004,9223372036854775807,true,\"[0.25,null,"
        ),
        "{text}"
    );
    assert!(lines[1].ends_with("\"[\"\"a,b\"\",\"\"\"\",\"\"\\\"\"c\\\"\"\"\"]\","), "{text}");
    assert_eq!(lines[2], ",,,,,,,");
    let beside: serde_json::Value =
        serde_json::from_slice(&fs::read(folder.path().join("a.csv-metadata.json")).unwrap()).unwrap();
    assert_eq!(beside["@context"], "http://www.w3.org/ns/csvw");
    assert_eq!(beside["url"], "a.csv");
    assert_eq!(beside["tableSchema"]["columns"][1]["titles"], "level-0_db");
    assert_eq!(beside["tableSchema"]["columns"][1]["schema:unitText"], "dB");
}

#[test]
fn a_damaged_csv_or_one_without_its_companion_is_told_with_its_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.csv");
    Writer::new(Format::Csv).write(&path, &every_kind(), &metadata()).unwrap();
    let whole = fs::read_to_string(&path).unwrap();
    for (bad, said) in [
        (whole.replace("0.30000000000000004", "0.3x"), "a.csv:2: \"0.3x\" in the column start_secs is no float64"),
        (whole.replace("true", "yes"), "a.csv:2: \"yes\" in the column on_screen is no bool"),
        (whole.replace("words", "word"), "a.csv:1: the column \"words\""),
        (whole.replace(",,,,,,,\n", ",,,\n"), "a.csv:3: not a whole CSV table"),
        (whole.replace(",,,,,,,\n", ""), "a.csv: it has 2 rows, 3 are told"),
    ] {
        assert_ne!(bad, whole);
        fs::write(&path, bad).unwrap();
        let e = read(&path).unwrap_err();
        assert!(e.kind() == "damaged" && e.to_string().contains(said), "{e}");
    }
    fs::write(&path, &whole).unwrap();
    fs::write(folder.path().join("a.csv-metadata.json"), "{").unwrap();
    assert!(read(&path).unwrap_err().to_string().contains("a.csv-metadata.json:1: "));
    fs::remove_file(folder.path().join("a.csv-metadata.json")).unwrap();
    let e = read(&path).unwrap_err().to_string();
    assert!(e.contains("no a.csv-metadata.json beside it") && e.contains("keep the two files together"), "{e}");
    assert_eq!(read(&folder.path().join("none.csv")).unwrap_err().kind(), "read");
}

#[test]
fn a_table_never_stands_beside_itself_in_another_format() {
    let folder = tempfile::tempdir().unwrap();
    let path = |format| Writer::new(format).path(folder.path(), "a.b");
    Writer::new(Format::Csv).write(&path(Format::Csv), &every_kind(), &metadata()).unwrap();
    let e = Writer::default().write(&path(Format::Parquet), &every_kind(), &metadata()).unwrap_err();
    let told = e.to_string();
    assert!(
        e.kind() == "usage"
            && told.contains("a.b.csv")
            && told.contains("a.b.parquet")
            && told.contains("--format csv"),
        "{told}"
    );
    assert!(!path(Format::Parquet).exists());
    remove_table(&path(Format::Csv)).unwrap();
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    Writer::default().write(&path(Format::Parquet), &every_kind(), &metadata()).unwrap();
}

#[test]
fn the_rows_of_interviews_are_joined_in_every_format() {
    for format in Format::ALL {
        let folder = tempfile::tempdir().unwrap();
        let writer = Writer::new(format);
        let parts: Vec<StoredFile> = ["b", "a"]
            .into_iter()
            .map(|id| {
                let columns = vec![
                    ColumnSpec::new("interview_id", Kind::Str, "", ""),
                    ColumnSpec::new("status", Kind::Str, "", ""),
                ];
                let mut t = TableBuilder::new(TableSchema { name: "interviews", description: "", columns });
                t.row().set("interview_id", id).set("status", "done");
                let path = writer.path(folder.path(), id);
                writer.write(&path, &t.finish().unwrap(), &metadata()).unwrap();
                StoredFile { name: id.into(), path, bytes: 0 }
            })
            .collect();
        let target = writer.path(folder.path(), "interviews");
        let merged = merge_interviews(&parts, &target).unwrap();
        assert_eq!((merged.rows, merged.left_out.len()), (2, 0), "{format:?}");
        let all = read(&target).unwrap();
        assert_eq!((all.text("interview_id", 0), all.text("interview_id", 1)), (Some("a"), Some("b")));
        assert_eq!(all.schema().metadata, metadata());
    }
}

/// A table of 300 rows, written in this format.
fn sample(path: &Path, format: Format) -> (Vec<u8>, Vec<ColumnData>) {
    let columns = vec![ColumnSpec::new("a", Kind::F32, "s", "x"), ColumnSpec::new("b", Kind::StrList, "", "y")];
    let mut t = TableBuilder::new(TableSchema { name: "t", description: "", columns });
    for i in 0..300_u32 {
        t.row().set("a", f64::from(i).sin()).set("b", vec![i.to_string()]);
    }
    let t = t.finish().unwrap();
    Writer::new(format).write(path, &t, &FileMetadata::default()).unwrap();
    (fs::read(path).unwrap(), t.columns().into_iter().cloned().collect())
}

/// What comes out of a Parquet or Arrow file with one damaged byte is an error that names it, or, where the byte was
/// one of the checksum's own mark, the very table that was written. A CSV file is text that people may edit: a value
/// may be another, but the table has its rows, and the other column is as it was.
#[test]
fn a_damaged_byte_is_an_error_or_no_loss() {
    for format in Format::ALL {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(format!("bad.{}", format.suffix()));
        let (whole, written) = sample(&path, format);
        let (mut errors, mut tables) = (0, 0);
        for at in (0..whole.len()).step_by(3) {
            let mut bytes = whole.clone();
            bytes[at] ^= 0x55;
            fs::write(&path, &bytes).unwrap();
            match read(&path) {
                Ok(table) => {
                    tables += 1;
                    let same = table.columns().iter().zip(&written).filter(|(a, b)| a == b).count();
                    let least = if format == Format::Csv { 1 } else { 2 };
                    assert!(
                        table.rows() == 300 && same >= least,
                        "{format:?}, byte {at}: {same} columns are as written"
                    );
                }
                Err(e) => {
                    errors += 1;
                    assert!(e.kind() == "damaged" && e.to_string().contains("bad."), "{format:?}, byte {at}: {e}");
                }
            }
        }
        let most = if format == Format::Csv { whole.len() } else { 8 };
        assert!(errors > 0 && tables <= most, "{format:?}: {errors} errors, {tables} tables");
    }
}

/// The footer alone is read of many files: its own sum is looked at, and not the pages.
#[test]
fn a_damaged_footer_is_an_error_though_no_value_is_read() {
    for format in [Format::Parquet, Format::Arrow] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(format!("bad.{}", format.suffix()));
        let (whole, _) = sample(&path, format);
        let mark = whole.windows(8).rposition(|w| w == b"turnwise").unwrap();
        // The last such word is that of a key of the footer; the first is the seal's.
        let seal = whole.windows(8).position(|w| w == b"turnwise").unwrap();
        assert!(seal < mark);
        let damaged = |at: usize| {
            let mut bytes = whole.clone();
            bytes[at] ^= 1;
            fs::write(&path, bytes).unwrap();
        };
        damaged(mark);
        let told = read_metadata(&path).unwrap_err().to_string();
        assert!(told.contains("its checksum is another"), "{told}");
        damaged(20);
        assert_eq!(read_metadata(&path).unwrap().rows, 300);
        assert!(read(&path).unwrap_err().to_string().contains("its checksum is another"));
    }
}

/// A file cut anywhere is no table: the footer, or the number of rows that the file beside tells, is at its end.
#[test]
fn a_file_cut_short_is_never_a_table() {
    for format in Format::ALL {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(format!("cut.{}", format.suffix()));
        let (whole, _) = sample(&path, format);
        // Without its last line end a CSV file is still whole.
        for cut in (0..whole.len() - 2).step_by(11) {
            fs::write(&path, &whole[..cut]).unwrap();
            let e = read(&path).unwrap_err();
            assert!(e.kind() == "damaged" && e.to_string().contains("cut."), "{format:?}, cut after byte {cut}: {e}");
        }
    }
}
