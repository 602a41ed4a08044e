//! `turnwise inspect` of tables made by the program's own schemas: what it looks for is what there is.

use std::path::Path;

use turnwise::inspect::{InspectOptions, inspect};
use turnwise::pipeline::schemas;
use turnwise::recipe::Recipe;
use turnwise::store::parquet::FileMetadata;
use turnwise::store::{Format, Writer};
use turnwise::table::{Cell, TableBuilder};

/// Writes rows of some columns of the table that `extract` calls so; a column that it does not have is an error.
fn put(out: &Path, format: Format, place: &str, table: &str, rows: &[&[(&str, Cell)]]) {
    let schema = schemas(&Recipe::default()).into_iter().find(|s| s.name == table).unwrap();
    let mut builder = TableBuilder::new(schema);
    for row in rows {
        builder.row();
        for (column, cell) in *row {
            builder.set(column, cell.clone());
        }
    }
    let writer = Writer::new(format);
    writer.write(&writer.path(out, place), &builder.finish().unwrap(), &FileMetadata::default()).unwrap();
}

fn text(s: &str) -> Cell {
    Cell::from(s)
}

fn folder_of(out: &Path, format: Format) {
    let warnings = vec!["clipped: 0.10 % of samples at full scale".into(), "no_stream: x".into()];
    put(
        out,
        format,
        "interviews",
        "interviews",
        &[
            &[
                ("interview_id", text("bad")),
                ("status", text("failed")),
                ("error", text("cannot read media x: moov")),
                ("error_kind", text("media")),
                ("media", text("x")),
            ],
            &[
                ("interview_id", text("show/王小明.1")),
                ("status", text("done")),
                ("media", text("a.mp4")),
                ("duration_secs", Cell::Float(61.68)),
                ("turns", Cell::Int(12)),
                ("speakers", Cell::Int(2)),
                ("persons", Cell::Int(3)),
                ("video_frames_sampled", Cell::Int(4)),
                ("warnings", Cell::Texts(warnings)),
            ],
        ],
    );
    put(
        out,
        format,
        "speakers/show/王小明.1",
        "speakers",
        &[
            &[
                ("speaker", text("SPEAKER_00")),
                ("label", text("Diane")),
                ("match_share", Cell::Float(0.971)),
                ("speech_secs", Cell::Float(12.34)),
            ],
            &[("speaker", text("SPEAKER_01")), ("speech_secs", Cell::Float(1.0))],
        ],
    );
    let seen = |person: &str, at: f64| [("person", text(person)), ("pts_secs", Cell::Float(at))];
    let rows = [seen("P10", 0.0), seen("P2", 0.0), seen("P2", 0.1), seen("P2", 0.2)];
    put(out, format, "faces/show/王小明.1", "faces", &rows.each_ref().map(|r| r.as_slice()));
}

#[test]
fn a_folder_is_told_interview_by_interview_in_every_format() {
    for format in Format::ALL {
        let folder = tempfile::tempdir().unwrap();
        folder_of(folder.path(), format);
        let told = inspect(folder.path(), &InspectOptions::default()).unwrap();
        let lines: Vec<&str> = told.lines().skip(1).collect();
        assert_eq!(lines[..2], ["2 interviews: 1 done, 1 failed", ""], "{told}");
        assert!(
            lines[2].starts_with("table       files  rows  columns ")
                && lines[3].starts_with("interviews      1     2 "),
            "{told}"
        );
        assert_eq!(
            lines[6..],
            [
                "",
                "interview      status  duration  turns  speakers  persons  warnings",
                "bad            failed",
                "show/王小明.1  done      1:01.7     12         2        3         2",
                "",
                "bad · x",
                "  error     media: cannot read media x: moov",
                "",
                "show/王小明.1 · a.mp4",
                "  speakers  Diane = SPEAKER_00, 97 % of the time shared, speaks 12.3 s",
                "            SPEAKER_01, matched to no label, speaks 1.0 s",
                "  faces     person P10 in 25 % of 4 sampled frames",
                "            person P2 in 75 % of 4 sampled frames",
                "  warnings  clipped: 0.10 % of samples at full scale",
                "            no_stream: x",
            ],
            "{format:?}"
        );
    }
}

#[test]
fn interviews_not_joined_yet_are_told() {
    let folder = tempfile::tempdir().unwrap();
    for id in ["b", "a"] {
        let row = [("interview_id", text(id)), ("status", text("done"))];
        put(folder.path(), Format::Parquet, &format!("interviews/{id}"), "interviews", &[&row]);
    }
    let told = inspect(folder.path(), &InspectOptions::default()).unwrap();
    assert!(told.contains("2 interviews: 2 done\n") && told.contains("\na          done\nb          done\n"), "{told}");
}

#[test]
fn the_first_rows_show_who_and_when() {
    let folder = tempfile::tempdir().unwrap();
    let row = [
        ("interview_id", text("a")),
        ("from", text("A")),
        ("to", text("B")),
        ("signal", text("smile")),
        ("z", Cell::Float(1.5)),
    ];
    put(folder.path(), Format::Csv, "synchrony", "synchrony", &[&row]);
    let told = inspect(&folder.path().join("synchrony.csv"), &InspectOptions::default()).unwrap();
    assert!(told.contains("\nall rows\ninterview_id  from  to  signal\na             A     B   smile\n"), "{told}");
}
