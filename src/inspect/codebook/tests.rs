use super::*;
use crate::store::parquet::FileMetadata;
use crate::store::read::read;
use crate::table::{Cell, CutOff, Modality, TableBuilder, TableSchema};

/// An output folder of so many interviews, the last of them failed, in one format.
fn folder_of(format: Format, interviews: usize) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let writer = Writer::new(format);
    for i in 0..interviews {
        let id = format!("i{i}");
        let status = if i + 1 == interviews { "failed" } else { "done" };
        let keys = || ColumnSpec::new("interview_id", Kind::Str, "", "Key.").until(CutOff::None);
        let columns = vec![
            keys(),
            ColumnSpec::new("status", Kind::Str, "", "done or failed.").until(CutOff::None),
            ColumnSpec::new("duration_secs", Kind::F64, "s", "Length."),
        ];
        let mut row = TableBuilder::new(TableSchema { name: "interviews", description: "One interview.", columns });
        row.row().set("interview_id", id.as_str()).set("status", status);
        if status == "done" {
            row.set("duration_secs", 10.0 * i as f64);
        }
        let made = FileMetadata { recipe_hash: "r".into(), ..FileMetadata::default() };
        writer.write(&writer.path(&folder.path().join("interviews"), &id), &row.finish().unwrap(), &made).unwrap();
        let transfer = ColumnSpec::new("floor_transfer", Kind::Str, "", "gap, overlap or touch.")
            .from_source("Heldner & Edlund 2010")
            .of(Modality::Dyad)
            .until(CutOff::TurnEnd);
        let columns = vec![
            keys(),
            ColumnSpec::new("floor_offset_secs", Kind::F64, "s", "Gap | or overlap.")
                .from_source("Stivers et al. 2009"),
            transfer,
            ColumnSpec::new("interrupts", Kind::Bool, "", "Goes on."),
            ColumnSpec::new("warnings", Kind::StrList, "", "In words."),
        ];
        let mut t = TableBuilder::new(TableSchema { name: "dyads", description: "One turn and one other.", columns });
        for turn in 0..10 {
            t.row().set("interview_id", id.as_str()).set("interrupts", turn == 3);
            if turn < 4 {
                t.set("floor_offset_secs", (i * 10 + turn) as f64 - 1.0)
                    .set("floor_transfer", if turn == 0 { "overlap" } else { "gap" });
            }
            t.set("warnings", Cell::Texts(vec!["x".into(); turn % 3]));
        }
        writer.write(&writer.path(&folder.path().join("dyads"), &id), &t.finish().unwrap(), &made).unwrap();
    }
    folder
}

fn book_of(out: &Path) -> (String, Vec<u8>, tempfile::TempDir) {
    let to = tempfile::tempdir().unwrap();
    let [page, table] = Codebook::of(out).unwrap().write(to.path()).unwrap();
    (std::fs::read_to_string(page).unwrap(), std::fs::read(table).unwrap(), to)
}

#[test]
fn every_format_gives_the_same_codebook_with_counts_that_are_right() {
    let books: Vec<_> = Format::ALL.map(|format| (format, folder_of(format, 4))).into_iter().collect();
    let told: Vec<_> = books.iter().map(|(_, folder)| book_of(folder.path())).collect();
    for ((format, _), book) in books.iter().zip(&told) {
        assert_eq!((&book.0, &book.1), (&told[0].0, &told[0].1), "{}", format.name());
    }
    let (page, _, to) = &told[0];
    let table = read(&to.path().join("codebook.csv")).unwrap();
    assert_eq!(table.rows(), 3 + 5);
    let row = (0..8).find(|r| table.text("column", *r) == Some("floor_offset_secs")).unwrap();
    // Three finished interviews of ten rows, four of each filled: -1 to 2, 9 to 12, 19 to 22.
    let number = |name: &str| table.number(name, row);
    assert_eq!((number("rows"), number("filled"), number("filled_share")), (Some(30.0), Some(12.0), Some(0.4)));
    assert_eq!((number("min"), number("median"), number("max")), (Some(-1.0), Some(10.5), Some(22.0)));
    assert_eq!(table.text("source", row), Some("Stivers et al. 2009"));
    // One of those to begin with has its place among them, any other none.
    let at = first_columns().iter().position(|c| *c == ("dyads", "floor_offset_secs")).unwrap();
    assert_eq!((number("begin_with"), table.number("begin_with", 0)), (Some(at as f64 + 1.0), None));
    assert_eq!(table.number("begin_with", 2), Some(1.0), "duration_secs of interviews");
    assert_eq!((table.text("table", 0), table.text("column", 0)), (Some("interviews"), Some("interview_id")));
    assert_eq!(
        (table.number("rows", 2), table.number("filled", 2)),
        (Some(4.0), Some(3.0)),
        "the failed one has a row"
    );
    for line in [
        "| `floor_transfer` | text | gap, overlap or touch. | Heldner & Edlund 2010 | dyad | turn_end | 40 % | gap \
         (9), overlap (3) |",
        "| `floor_offset_secs` | s | Gap \\| or overlap. | Stivers et al. 2009 | none | interview | 40 % | -1 / 10.5 \
         / 22 |",
        "| `interrupts` | true/false | Goes on. |  | none | interview | 100 % | false (27), true (3) |",
        "| `warnings` | list of texts | In words. |  | none | interview | 100 % | lengths 0 / 1 / 2 |",
        "| `dyads.floor_offset_secs` |",
        "| `interviews.duration_secs` |",
        "One turn and one other. 30 rows in 3 files.",
        "- Floor: consecutive turns of one speaker",
        "- Null: a value that is not known or not defined is null",
        "Not in it: files that no finished interview vouches for are left out: 1 of dyads.",
        "- **Heldner & Edlund 2010**: Heldner, M.",
    ] {
        assert!(page.contains(line), "{line}\n{page}");
    }
}

#[test]
fn a_column_that_means_two_things_is_told_so() {
    let folder = folder_of(Format::Parquet, 3);
    let columns = vec![
        ColumnSpec::new("interview_id", Kind::Str, "", "Key.").until(CutOff::None),
        ColumnSpec::new("interrupts", Kind::Bool, "", "Goes on for 2 s."),
    ];
    let mut t = TableBuilder::new(TableSchema { name: "dyads", description: "One turn and one other.", columns });
    t.row().set("interrupts", true);
    let made = FileMetadata { recipe_hash: "other".into(), ..FileMetadata::default() };
    let writer = Writer::default();
    writer.write(&folder.path().join("dyads/i1.parquet"), &t.finish().unwrap(), &made).unwrap();
    let (page, ..) = book_of(folder.path());
    assert!(page.contains("| Goes on. Otherwise in some interviews of this folder: Goes on for 2 s. |"), "{page}");
    assert!(page.contains("not all made the same way"), "{page}");

    let columns = vec![ColumnSpec::new("interrupts", Kind::I64, "", "Goes on.")];
    let t = TableBuilder::new(TableSchema { name: "dyads", description: "", columns }).finish().unwrap();
    writer.write(&folder.path().join("dyads/i1.parquet"), &t, &made).unwrap();
    let e = Codebook::of(folder.path()).unwrap_err();
    assert!(e.to_string().contains("interrupts of dyads is int64 in"), "{e}");
}

#[test]
fn a_folder_without_tables_and_a_damaged_table_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(Codebook::of(folder.path()).unwrap_err().kind(), "usage");
    let folder = folder_of(Format::Parquet, 3);
    std::fs::write(folder.path().join("dyads/i0.parquet"), "PAR1").unwrap();
    let e = Codebook::of(folder.path()).unwrap_err();
    assert!(e.kind() == "damaged" && e.to_string().contains("i0.parquet"), "{e}");
}

#[test]
fn a_codebook_written_into_the_folder_is_not_told_in_the_next() {
    let folder = folder_of(Format::Parquet, 3);
    let (first, ..) = book_of(folder.path());
    Codebook::of(folder.path()).unwrap().write(&folder.path().join("book")).unwrap();
    let (second, ..) = book_of(folder.path());
    assert_eq!(first, second);
}

#[test]
fn thirty_columns_are_named_once() {
    let all = first_columns();
    assert_eq!(all.len(), 30);
    assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), 30);
}

#[test]
fn a_column_without_a_unit_tells_what_it_is() {
    let unit = |name: &'static str, kind: Kind, unit: &'static str| {
        let spec = ColumnSpec::new(name, kind, unit, "x");
        BookColumn { spec, otherwise: BTreeSet::new(), tally: Tally::default() }.unit().to_owned()
    };
    assert_eq!(unit("head_nods", Kind::I64, ""), "count");
    assert_eq!(unit("turn_index", Kind::I64, ""), "number");
    assert_eq!(unit("audio_rate_hz", Kind::I64, "Hz"), "Hz");
    assert_eq!(unit("interrupts", Kind::Bool, ""), "true/false");
    assert_eq!(unit("speaker", Kind::Str, ""), "text");
    assert_eq!(unit("warnings", Kind::StrList, ""), "list of texts");
    assert_eq!(unit("value", Kind::F64, ""), "1");
}
