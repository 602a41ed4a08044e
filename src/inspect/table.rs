//! One table in a form a person likes to read: what made it, what each column holds, its first rows.
//!
//! It reads any table and takes columns as they are; `overview` does the same for a whole output folder.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use unicode_width::UnicodeWidthStr;

use crate::error::Result;
use crate::inspect::folder::overview;
use crate::inspect::grid::{Grid, Lean, bytes, clip, number, padded, percent, wrap};
use crate::store::parquet::FileMetadata;
use crate::store::read::{StoredTable, read};
use crate::table::{ColumnData, ColumnSpec, Kind};
use crate::text::counted;

/// Widest line in columns of a terminal.
pub(super) const WIDTH: usize = 116;

/// Columns with one prefix are told as a family when there are more than so many.
const FAMILY: usize = 12;

/// Rows shown of a table.
const FIRST_ROWS: usize = 8;

/// Columns worth showing in the first rows, in this order.
pub(super) const KEY_COLUMNS: [&str; 24] = [
    "interview_id",
    "instance_id",
    "status",
    "turn_index",
    "word_index",
    "time_secs",
    "pts_secs",
    "track_id",
    "person",
    "speaker",
    "label",
    "listener",
    "from",
    "to",
    "signal",
    "start_secs",
    "end_secs",
    "duration_secs",
    "match_share",
    "speech_secs",
    "turns",
    "word",
    "text",
    "error",
];

/// How much is told.
#[derive(Clone, Copy, Debug, Default)]
pub struct InspectOptions {
    /// Every column of a family, every interview of a folder.
    pub all: bool,
}

/// Tells what a table or an output folder holds; lines of at most 116 columns of a terminal, names and texts cut off
/// with `…`.
///
/// # Errors
/// [`crate::error::Error::Read`] or [`crate::error::Error::Damaged`] for what cannot be read,
/// [`crate::error::Error::Usage`] for a folder without tables.
pub fn inspect(path: &Path, options: &InspectOptions) -> Result<String> {
    if path.is_dir() { overview(path, options) } else { table_text(path, options) }
}

fn table_text(path: &Path, options: &InspectOptions) -> Result<String> {
    let table = read(path)?;
    let size = std::fs::metadata(path).map_or(0, |m| m.len());
    let schema = table.schema();
    let mut text = format!(
        "{}\n{}{} × {} · {}\n",
        path.display(),
        if schema.table.is_empty() { String::new() } else { format!("table {} · ", schema.table) },
        counted(schema.rows, "row"),
        counted(schema.columns.len(), "column"),
        bytes(size)
    );
    if !schema.description.is_empty() {
        text += &format!("{}\n", wrap(&schema.description, "", WIDTH));
    }
    let made = made_by(&schema.metadata, options);
    if !made.is_empty() {
        text += &format!("\n{made}");
    }
    text += "\n";
    text += &columns_text(&table, options);
    text += &first_rows(&table);
    Ok(text)
}

/// Program, recipe and models, a line each; the whole recipe when all is asked for.
pub(super) fn made_by(m: &FileMetadata, options: &InspectOptions) -> String {
    let mut grid = Grid::new([(Lean::Left, 12), (Lean::Left, usize::MAX)]);
    let short = |hash: &str| hash.chars().take(12).collect::<String>();
    if !m.tool_version.is_empty() {
        let schema = if m.schema_version.is_empty() { String::new() } else { format!(", schema {}", m.schema_version) };
        grid.row(["made by", &format!("turnwise {}{schema}", m.tool_version)]);
    }
    if !m.recipe_hash.is_empty() {
        grid.row(["recipe", &short(&m.recipe_hash)]);
    }
    if options.all && !m.recipe.is_empty() {
        // A space after each comma gives canonical JSON places to break; the text in the file has none.
        wrap(&m.recipe.replace(',', ", "), "", WIDTH - 10).lines().for_each(|line| grid.row(["", line]));
    }
    let models: Vec<String> = m.models.iter().map(|(name, hash)| format!("{name}:{}", short(hash))).collect();
    if !models.is_empty() {
        for (i, line) in wrap(&models.join(", "), "", WIDTH - 10).lines().enumerate() {
            grid.row([if i == 0 { "models" } else { "" }, line]);
        }
    }
    grid.render("")
}

/// What is told of one column, or of several of one family.
#[derive(Clone, Default)]
struct Summary {
    rows: usize,
    filled: usize,
    /// Of numbers: least, sum, greatest.
    range: Option<(f64, f64, f64)>,
    whole: bool,
    /// Of everything else.
    words: String,
}

fn columns_text(table: &StoredTable, options: &InspectOptions) -> String {
    let columns = &table.schema().columns;
    let mut prefixes: BTreeMap<&str, usize> = BTreeMap::new();
    for c in columns {
        *prefixes.entry(prefix(&c.name)).or_default() += 1;
    }
    let family = |c: &ColumnSpec| {
        let p = prefix(&c.name);
        (!options.all && prefixes[p] > FAMILY && !c.name.ends_with("_missing"))
            .then(|| (p.to_owned(), c.kind.name(), c.unit.clone()))
    };
    let mut members: BTreeMap<_, Vec<usize>> = BTreeMap::new();
    for (i, c) in columns.iter().enumerate() {
        if let Some(f) = family(c) {
            members.entry(f).or_default().push(i);
        }
    }
    let right = (Lean::Right, 11);
    let mut grid =
        Grid::new([(Lean::Left, 44), (Lean::Left, 15), (Lean::Left, 12), (Lean::Right, 9), right, right, right]);
    grid.row(["column", "type", "unit", "filled", "min", "mean", "max"]);
    // Words instead of numbers would widen the number columns: they are set into the finished lines.
    let mut words = vec![String::new()];
    for (i, c) in columns.iter().enumerate() {
        let group = family(c).and_then(|f| members.get(&f)).filter(|m| m.len() > 1);
        let (name, all) = match group {
            Some(m) if m[0] != i => continue,
            Some(m) => (format!("{}_* ({})", prefix(&c.name), m.len()), m.clone()),
            None => (c.name.to_string(), vec![i]),
        };
        let parts: Vec<Summary> = all.iter().map(|&i| summary(&table.columns()[i])).collect();
        let (cells, said) = told(&parts);
        grid.row([vec![name, c.kind.name().to_owned(), c.unit.to_string()], cells].concat());
        words.push(said);
    }
    let lines = grid.render("");
    let at = lines.lines().next().and_then(|l| l.find("filled")).unwrap_or(0) + "filled".len() + 2;
    let mut text = String::new();
    for (line, said) in lines.lines().zip(&words) {
        text += &if said.is_empty() {
            line.to_owned()
        } else {
            padded(line, at) + &clip(said, WIDTH.saturating_sub(at).max(24))
        };
        text += "\n";
    }
    if !options.all && members.values().any(|m| m.len() > 1) {
        text += "families are summarised; --all tells every column\n";
    }
    text
}

fn prefix(name: &str) -> &str {
    name.split('_').next().unwrap_or(name)
}

/// The cells filled, min, mean, max; and the words for columns that are no numbers.
fn told(parts: &[Summary]) -> (Vec<String>, String) {
    let shares: Vec<(usize, usize)> = parts.iter().map(|p| (p.filled, p.rows)).collect();
    let (least, most) =
        (shares.iter().min().copied().unwrap_or_default(), shares.iter().max().copied().unwrap_or_default());
    let share = |(filled, rows): (usize, usize)| percent(filled as f64, rows as f64);
    let filled = if least.0 == most.0 {
        share(most)
    } else {
        format!("{}–{}", share(least).trim_end_matches(" %"), share(most))
    };
    let ranges: Vec<(f64, f64, f64)> = parts.iter().filter_map(|p| p.range).collect();
    if ranges.is_empty() {
        let words = if parts.len() == 1 { parts[0].words.clone() } else { String::new() };
        return (vec![filled], words);
    }
    let min = ranges.iter().map(|r| r.0).fold(f64::INFINITY, f64::min);
    let max = ranges.iter().map(|r| r.2).fold(f64::NEG_INFINITY, f64::max);
    let whole = parts.iter().all(|p| p.whole);
    let show = |x: f64| if whole && x.abs() < 1e15 { format!("{x:.0}") } else { number(x) };
    let mean = if parts.len() == 1 { number(ranges[0].1 / parts[0].filled as f64) } else { String::new() };
    (vec![filled, show(min), mean, show(max)], String::new())
}

fn summary(data: &ColumnData) -> Summary {
    let rows = data.len();
    let numbers = |values: &mut dyn Iterator<Item = f64>, whole: bool| {
        let mut s = Summary { rows, whole, ..Summary::default() };
        for x in values {
            let (least, sum, most) = s.range.unwrap_or((x, 0.0, x));
            s.range = Some((least.min(x), sum + x, most.max(x)));
            s.filled += 1;
        }
        s
    };
    let words = |filled: usize, words: String| Summary { rows, filled, words, ..Summary::default() };
    match data {
        ColumnData::F32(v) => numbers(&mut v.iter().map(|&x| f64::from(x)).filter(|x| x.is_finite()), false),
        ColumnData::F64(v) => numbers(&mut v.iter().copied().filter(|x| x.is_finite()), false),
        ColumnData::I64(v) => numbers(&mut v.iter().flatten().map(|&x| x as f64), true),
        ColumnData::Bool(v) => {
            let filled = v.iter().flatten().count();
            let yes = v.iter().flatten().filter(|&&x| x).count();
            words(
                filled,
                if filled > 0 { format!("true in {}", percent(yes as f64, filled as f64)) } else { String::new() },
            )
        }
        ColumnData::Str(v) => {
            words(v.iter().flatten().count(), values_in_words(v.iter().flatten().map(String::as_str)))
        }
        ColumnData::F32List(v) => {
            words(v.iter().flatten().count(), lengths(v.iter().flatten().map(Vec::len), "number"))
        }
        ColumnData::StrList(v) => {
            let filled: Vec<&Vec<String>> = v.iter().flatten().collect();
            let mut said = lengths(filled.iter().map(|l| l.len()), "text");
            if let Some(first) = filled.iter().find_map(|l| l.first()) {
                said += &format!(", e.g. {first}");
            }
            words(filled.len(), said)
        }
    }
}

/// All values when they are few, most frequent first; else how many and the first.
fn values_in_words<'a>(values: impl Iterator<Item = &'a str>) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut first = None;
    for value in values {
        first.get_or_insert(value);
        *counts.entry(value).or_default() += 1;
    }
    let Some(first) = first else { return String::new() };
    if counts.len() > 6 {
        return format!("{} different, e.g. {first}", counts.len());
    }
    let mut by_count: Vec<(&str, usize)> = counts.into_iter().collect();
    by_count.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
    let most = if by_count.len() == 1 { WIDTH } else { 32 };
    by_count.into_iter().map(|(value, _)| clip(value, most)).collect::<Vec<_>>().join(" · ")
}

fn lengths(lengths: impl Iterator<Item = usize>, noun: &str) -> String {
    let lengths: BTreeSet<usize> = lengths.collect();
    match (lengths.first(), lengths.last()) {
        (Some(a), Some(b)) if a == b => format!("{} each", counted(*a, noun)),
        (Some(a), Some(b)) => format!("{a} to {}", counted(*b, noun)),
        _ => String::new(),
    }
}

fn first_rows(table: &StoredTable) -> String {
    let rows = table.rows().min(FIRST_ROWS);
    if rows == 0 {
        return String::new();
    }
    let mut names: Vec<&str> = KEY_COLUMNS.into_iter().filter(|n| table.column(n).is_some()).collect();
    if names.is_empty() {
        names = table.schema().columns.iter().take(6).map(|c| &*c.name).collect();
    }
    // Every file of an interview has one id; it says nothing in the rows.
    if table.rows() > 1 && names.len() > 1 {
        names.retain(|n| !matches!(table.column(n), Some(ColumnData::Str(v)) if *n == "interview_id" && v.iter().all(|x| *x == v[0])));
    }
    let mut columns = Vec::new();
    let mut room = WIDTH;
    for name in names {
        let cells: Vec<String> = (0..rows).map(|r| shown(table, name, r).unwrap_or_default()).collect();
        let wanted = cells.iter().map(|c| c.width()).max().unwrap_or(0).clamp(name.width(), 48.max(name.width()));
        let width = wanted.min(room);
        if width < name.width().min(12) {
            break;
        }
        room = room.saturating_sub(width + 2);
        let numeric = table
            .schema()
            .columns
            .iter()
            .any(|c| c.name == name && matches!(c.kind, Kind::F32 | Kind::F64 | Kind::I64));
        columns.push((name, if numeric { Lean::Right } else { Lean::Left }, width, cells));
    }
    let mut grid = Grid::new(columns.iter().map(|(_, lean, width, _)| (*lean, *width)));
    grid.row(columns.iter().map(|(name, ..)| *name));
    for row in 0..rows {
        grid.row(columns.iter().map(|(.., cells)| cells[row].as_str()));
    }
    let title = if rows == table.rows() {
        "all rows".to_owned()
    } else {
        format!("first {rows} of {}", counted(table.rows(), "row"))
    };
    format!("\n{title}\n{}", grid.render(""))
}

/// A value as text; `None` when null or when there is no such column.
pub(super) fn shown(table: &StoredTable, name: &str, row: usize) -> Option<String> {
    match table.column(name)? {
        ColumnData::F32(_) | ColumnData::F64(_) => table.number(name, row).map(|x| {
            // Times in tables of one clip are read to the millisecond.
            if name.ends_with("_secs") { format!("{x:.3}") } else { number(x) }
        }),
        ColumnData::I64(v) => v.get(row).copied().flatten().map(|x| x.to_string()),
        ColumnData::Bool(v) => v.get(row).copied().flatten().map(|x| x.to_string()),
        ColumnData::Str(v) => v.get(row)?.clone(),
        ColumnData::F32List(v) => v.get(row)?.as_ref().map(|l| counted(l.len(), "number")),
        ColumnData::StrList(v) => v.get(row)?.as_ref().map(|l| l.join(" · ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::parquet::write;
    use crate::table::{TableBuilder, TableSchema};

    fn table(path: &Path, rows: u32) {
        let mut columns = vec![
            ColumnSpec::new("interview_id", Kind::Str, "", ""),
            ColumnSpec::new("turn_index", Kind::I64, "", ""),
            ColumnSpec::new("speaker", Kind::Str, "", ""),
            ColumnSpec::new("start_secs", Kind::F64, "s", ""),
            ColumnSpec::new("on_screen", Kind::Bool, "", ""),
            ColumnSpec::new("text", Kind::Str, "", ""),
        ];
        columns.extend((0..13).map(|i| ColumnSpec::new(format!("blendshape_s{i}"), Kind::F32, "", "")));
        columns.push(ColumnSpec::new("blendshape_missing", Kind::Str, "", ""));
        let mut t = TableBuilder::new(TableSchema { name: "made", description: "Any table.", columns });
        for i in 0..rows {
            t.row()
                .set("interview_id", "a")
                .set("turn_index", i + 1)
                .set("speaker", "Diane")
                .set("start_secs", f64::from(i) * 2.5);
            t.set("on_screen", i == 0).set("text", "two\nlines ".repeat(30));
            if i % 2 == 0 {
                t.set("blendshape_s3", 0.25);
            }
        }
        let metadata = FileMetadata {
            schema_version: "1".into(),
            tool_version: "0.1.0".into(),
            recipe: r#"{"a":1,"b":2}"#.into(),
            recipe_hash: "0123456789abcdef".into(),
            models: BTreeMap::from([("vad".to_owned(), "fedcba9876543210".to_owned())]),
        };
        write(path, &t.finish().unwrap(), &metadata).unwrap();
    }

    #[test]
    fn a_table_is_told_in_aligned_lines_that_fit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.parquet");
        table(&path, 4);
        let text = inspect(&path, &InspectOptions::default()).unwrap();
        let lines: Vec<&str> = text.lines().skip(1).collect();
        assert!(lines[0].starts_with("table made · 4 rows × 20 columns · "), "{text}");
        assert_eq!(
            lines[1..7],
            [
                "Any table.",
                "",
                "made by  turnwise 0.1.0, schema 1",
                "recipe   0123456789ab",
                "models   vad:fedcba987654",
                ""
            ]
        );
        assert_eq!(
            lines[7..15],
            [
                "column              type     unit  filled     min   mean     max",
                "interview_id        string          100 %  a",
                "turn_index          int64           100 %       1  2.500       4",
                "speaker             string          100 %  Diane",
                "start_secs          float64  s      100 %       0  3.750   7.500",
                "on_screen           bool            100 %  true in 25 %",
                &format!("text                string          100 %  {}…", &"two lines ".repeat(10)[..72]),
                "blendshape_* (13)   float32        0–50 %  0.2500         0.2500",
            ]
        );
        assert_eq!(lines[15], "blendshape_missing  string            0 %");
        assert!(lines[17..20] == ["", "all rows", "turn_index  speaker  start_secs  text"], "{text}");
        assert!(lines.iter().all(|l| l.width() <= WIDTH), "{text}");

        let all = inspect(&path, &InspectOptions { all: true }).unwrap();
        assert!(all.contains("\nblendshape_s12 ") && all.contains("{\"a\":1, \"b\":2}"), "{all}");
    }

    #[test]
    fn an_empty_table_is_told_too() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.parquet");
        table(&path, 0);
        let text = inspect(&path, &InspectOptions::default()).unwrap();
        assert!(
            text.contains("0 rows × 20 columns") && text.contains("\nturn_index          int64               –\n"),
            "{text}"
        );
    }
}
