//! SCHEMA.md: every table and column in words, made from the code.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use crate::table::{ColumnSpec, TableSchema, reference};

/// A family of at least so many columns that say the same of different things is told in one line.
const FAMILY: usize = 13;

/// The text of SCHEMA.md: a section a table, a line a column.
///
/// Columns whose names and descriptions differ in one part alone (`blendshape_jawOpen_mean`,
/// `blendshape_mouthClose_mean`, …) are one line with `*` in that part, followed by the list of what `*` stands for, so
/// that nothing is lost.
pub fn schema_markdown(tables: &[TableSchema]) -> String {
    let mut text = String::from(
        "# Tables\n\n\
         Made from the code; do not edit. One file per interview and table, Parquet unless another format is asked for. Missing values are null.\n\
         The cut-off is the time up to which a column looked: none (known beforehand), turn_start, turn_end, next_turn (start of the next turn), interview (its end).\n\
         `*` in a name stands for each of the words listed below its table.\n\
         Source: where the definition, or the network that measures, comes from, in full at the end of this page; where it is empty, the definition is Turnwise's own and the description is the whole of it.\n\
         Values in descriptions are those of the default recipe; keys in brackets behind a description set them, and each file's own metadata tell the values that held for it.\n\n\
         Sizes: `dyads` has a row for each turn and other speaker, `synchrony` one for each ordered pair of speakers and signal, `coupling` one for each of eight measures of them. In a crowd \
         (more than 100 speakers; or more than 21, and `dyads` would have more than 300,000 rows) `dyads` has for each turn those who talk \
         during it and those who talked last before it, 20 in all (fewer, but at least 2, where it would still pass 4 million rows), and \
         `synchrony` the pairs with at least 6 exchanges of turns or both on the screen; a warning of the interview says so (`crowd`). \
         The largest tried: one million turns of two people from a transcript alone (47 s of processor time, 1.6 GB of memory), 4,000 turns of 400 people.\n",
    );
    for table in tables {
        section(&mut text, table.name, table);
    }
    text
}

/// Tables of another command, or columns that are there on request.
#[derive(Clone, Debug)]
pub struct Chapter {
    /// What they are.
    pub title: &'static str,
    /// What there is to say of all of them.
    pub text: &'static str,
    /// Each with its heading.
    pub tables: Vec<(String, TableSchema)>,
}

/// A further part of SCHEMA.md, told as [`schema_markdown`] tells tables.
pub fn chapter_markdown(chapter: &Chapter) -> String {
    let mut text = format!("\n# {}\n\n{}\n", chapter.title, chapter.text);
    for (heading, table) in &chapter.tables {
        section(&mut text, heading, table);
    }
    text
}

/// The references of the sources that columns of `tables` name, sorted; a short form that is in no list is told as it
/// is.
pub fn sources_markdown<'a>(columns: impl IntoIterator<Item = &'a ColumnSpec>) -> String {
    let shorts: BTreeSet<&str> =
        columns.into_iter().flat_map(|c| c.source.split("; ")).filter(|s| !s.is_empty()).collect();
    if shorts.is_empty() {
        return String::new();
    }
    let mut text = String::from("\n# Sources\n\n");
    for short in shorts {
        let _ = writeln!(text, "- **{short}**: {}", reference(short).unwrap_or("not told further"));
    }
    text
}

fn section(text: &mut String, heading: &str, table: &TableSchema) {
    // Writing to a String cannot fail.
    let _ = write!(
        text,
        "\n## {}\n\n{}\n\n| column | type | unit | cut-off | description | source |\n|---|---|---|---|---|---|\n",
        heading,
        cell(table.description)
    );
    let families = families(&table.columns);
    // Families with the same words share a list.
    let mut lists: Vec<(Vec<String>, &Vec<String>)> = Vec::new();
    for (i, column) in table.columns.iter().enumerate() {
        match families.get(&i) {
            None => line(text, &column.name, column, &column.description),
            Some(Place::Member) => {}
            Some(Place::Head(family, members)) => {
                line(text, &family.name(), column, &family.description);
                let name = format!("`{}`", family.name());
                match lists.iter_mut().find(|(_, words)| *words == members) {
                    Some((names, _)) => names.push(name),
                    None => lists.push((vec![name], members)),
                }
            }
        }
    }
    for (names, words) in lists {
        let each = if names.len() > 1 { " each" } else { "" };
        let _ = writeln!(text, "\n{} ({} columns{each}): {}", names.join(", "), words.len(), words.join(", "));
    }
}

fn line(text: &mut String, name: &str, column: &ColumnSpec, description: &str) {
    let _ = writeln!(
        text,
        "| `{}` | {} | {} | {} | {} | {} |",
        cell(name),
        column.kind.name(),
        cell(&column.unit),
        column.cut_off.name(),
        cell(description),
        cell(&column.source)
    );
}

/// A text as a cell of a Markdown table.
pub fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}

/// What the columns of a family share.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Family {
    prefix: String,
    suffix: String,
    description: String,
    kind: &'static str,
    unit: String,
    cut_off: &'static str,
    source: String,
}

impl Family {
    fn name(&self) -> String {
        format!("{}*{}", self.prefix, self.suffix)
    }
}

enum Place {
    /// The first of its family, with what `*` stands for in column order.
    Head(Family, Vec<String>),
    /// One of the others.
    Member,
}

/// The columns that belong to a family large enough, by index.
fn families(columns: &[ColumnSpec]) -> BTreeMap<usize, Place> {
    let mut sizes: BTreeMap<Family, usize> = BTreeMap::new();
    for column in columns {
        for (family, _) in candidates(column) {
            *sizes.entry(family).or_default() += 1;
        }
    }
    let mut members: BTreeMap<Family, Vec<(usize, String)>> = BTreeMap::new();
    for (i, column) in columns.iter().enumerate() {
        // The largest; among equals the first, which has the longest suffix.
        let best = candidates(column).into_iter().rev().max_by_key(|(family, _)| sizes[family]);
        if let Some((family, word)) = best {
            members.entry(family).or_default().push((i, word));
        }
    }
    let mut places = BTreeMap::new();
    for (family, members) in members.into_iter().filter(|(_, m)| m.len() >= FAMILY) {
        for &(i, _) in &members {
            places.insert(i, Place::Member);
        }
        let first = members[0].0;
        places.insert(first, Place::Head(family, members.into_iter().map(|(_, word)| word).collect()));
    }
    places
}

/// The ways to see a column as `prefix_*_suffix` or `prefix_*`, with the word in the place of `*`.
fn candidates(column: &ColumnSpec) -> Vec<(Family, String)> {
    let Some((prefix, rest)) = column.name.split_once('_') else { return Vec::new() };
    let mut found = Vec::new();
    let splits = rest.match_indices('_').map(|(at, _)| at).chain([rest.len()]);
    for (word, suffix) in splits.map(|at| rest.split_at(at)) {
        // A `*` of the description's own would be taken for the word.
        if word.is_empty() || column.description.contains('*') {
            continue;
        }
        let family = Family {
            prefix: format!("{prefix}_"),
            suffix: suffix.to_owned(),
            description: column.description.replace(word, "*"),
            kind: column.kind.name(),
            unit: column.unit.clone().into_owned(),
            cut_off: column.cut_off.name(),
            source: column.source.clone().into_owned(),
        };
        found.push((family, word.to_owned()));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::{CutOff, Kind};

    #[test]
    fn every_column_is_a_line_with_all_it_says() {
        let table = TableSchema {
            name: "turns",
            description: "One row per turn.",
            columns: vec![
                ColumnSpec::new("start_secs", Kind::F64, "s", "Start | of the turn.")
                    .until(CutOff::TurnStart)
                    .from_source("Heldner & Edlund 2010"),
                ColumnSpec::new("text", Kind::Str, "", "Words."),
            ],
        };
        let text = schema_markdown(&[table]);
        let lines: Vec<&str> = text.lines().skip_while(|l| !l.starts_with("## ")).collect();
        assert_eq!(
            lines,
            [
                "## turns",
                "",
                "One row per turn.",
                "",
                "| column | type | unit | cut-off | description | source |",
                "|---|---|---|---|---|---|",
                "| `start_secs` | float64 | s | turn_start | Start \\| of the turn. | Heldner & Edlund 2010 |",
                "| `text` | string |  | interview | Words. |  |",
            ]
        );
    }

    #[test]
    fn a_chapter_is_told_as_the_tables_are() {
        let table = TableSchema {
            name: "t",
            description: "One thing.",
            columns: vec![ColumnSpec::new("a", Kind::I64, "", "How many.")],
        };
        let chapter =
            Chapter { title: "Other tables", text: "Of another command.", tables: vec![("t of it".into(), table)] };
        let head = "\n# Other tables\n\nOf another command.\n\n## t of it\n\nOne thing.\n\n";
        let rows = "| column | type | unit | cut-off | description | source |\n|---|---|---|---|---|---|\n| `a` | int64 |  | interview | How many. |  |\n";
        assert_eq!(chapter_markdown(&chapter), format!("{head}{rows}"));
    }

    #[test]
    fn a_family_is_one_line_and_loses_nothing() {
        let shapes: Vec<String> = (0..13).map(|i| format!("shape{}", (b'A' + i) as char)).collect();
        let mut columns = Vec::new();
        for s in &shapes {
            columns.push(ColumnSpec::new(
                format!("blendshape_{s}_mean"),
                Kind::F32,
                "",
                format!("Mean of {s} over the turn."),
            ));
            columns.push(ColumnSpec::new(
                format!("blendshape_{s}_max"),
                Kind::F32,
                "",
                format!("Largest {s} of the turn."),
            ));
        }
        columns.push(ColumnSpec::new("blendshape_missing", Kind::Str, "", "Why they are null."));
        let text = schema_markdown(&[TableSchema { name: "t", description: "", columns }]);
        assert!(
            text.contains("| `blendshape_*_mean` | float32 |  | interview | Mean of * over the turn. |  |\n"),
            "{text}"
        );
        assert!(
            text.contains("| `blendshape_*_max` | float32 |  | interview | Largest * of the turn. |  |\n"),
            "{text}"
        );
        assert!(
            text.contains(&format!(
                "\n`blendshape_*_mean`, `blendshape_*_max` (13 columns each): {}\n",
                shapes.join(", ")
            )),
            "{text}"
        );
        assert!(text.contains("| `blendshape_missing` | string |"), "{text}");
        assert_eq!(text.lines().filter(|l| l.starts_with("| `")).count(), 3);
    }

    #[test]
    fn columns_with_words_of_their_own_are_kept_apart() {
        let columns: Vec<ColumnSpec> = (0..20)
            .map(|i| ColumnSpec::new(format!("voice_x{i}"), Kind::F32, "dB", format!("Number {i} of many.")))
            .collect();
        let text = schema_markdown(&[TableSchema { name: "t", description: "", columns }]);
        assert_eq!(text.lines().filter(|l| l.starts_with("| `")).count(), 20);
    }
}
