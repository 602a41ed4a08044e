//! The codebook of an output folder: each column of each table with its meaning, where the definition comes from, how
//! often it is filled and what range is seen, over all interviews; as a table and as a page.

mod page;
mod tally;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::store::folder::{OutputFolder, StoredFile, TASKS};
use crate::store::provenance::Makings;
use crate::store::read::read_metadata;
use crate::store::whole::write_text;
use crate::store::{Format, Writer, read_parts};
use crate::table::{Column, ColumnSpec, Kind, Layout};
use tally::{Tally, text};

/// The columns that a reader begins with, in the order they are told: `table,column` a line.
const FIRST: &str = include_str!("../../../data/first_columns.csv");

/// Table that lists the interviews, failed ones too.
const INTERVIEWS: &str = "interviews";

/// Name of the codebook's own table, which is in no codebook.
const CODEBOOK: &str = "codebook";

/// Columns that are looked at in one reading of a file.
const TOGETHER: usize = 64;

/// The columns to begin with: table and column, in the order they are told.
pub fn first_columns() -> Vec<(&'static str, &'static str)> {
    FIRST.lines().skip(1).filter_map(|line| line.split_once(',')).collect()
}

/// The place of a column among those to begin with, from 1.
fn begins_at(table: &str, column: &str) -> Option<usize> {
    first_columns().into_iter().position(|first| first == (table, column)).map(|at| at + 1)
}

/// What is told of a folder.
#[derive(Debug, Default)]
pub struct Codebook {
    tables: Vec<BookTable>,
    makings: Makings,
    /// Files that no finished interview vouches for, by table.
    left_out: BTreeMap<String, usize>,
}

/// One table of the folder.
#[derive(Debug)]
struct BookTable {
    name: String,
    description: String,
    files: usize,
    rows: u64,
    columns: Vec<BookColumn>,
}

/// One column of a table.
#[derive(Debug)]
struct BookColumn {
    spec: ColumnSpec,
    /// What other interviews of the folder say that it is, where they were made in another way.
    otherwise: BTreeSet<String>,
    tally: Tally,
}

impl BookColumn {
    /// What it means, with what else it means in interviews made in another way.
    fn meaning(&self) -> String {
        let others = self.otherwise.iter().map(|o| format!(" Otherwise in some interviews of this folder: {o}"));
        std::iter::once(self.spec.description.to_string()).chain(others).collect()
    }

    /// Its unit; what it is where it has none.
    fn unit(&self) -> &str {
        let spec = &self.spec;
        let orders = ["_index", "_position", "_stream", "_rank", "_id"];
        match spec.kind {
            _ if !spec.unit.is_empty() => &spec.unit,
            Kind::Bool => "true/false",
            Kind::Str => "text",
            Kind::StrList => "list of texts",
            Kind::I64 if spec.name == "frame" || orders.iter().any(|end| spec.name.ends_with(end)) => "number",
            Kind::I64 => "count",
            Kind::F32 | Kind::F64 | Kind::F32List => "1",
        }
    }

    fn is_list(&self) -> bool {
        matches!(self.spec.kind, Kind::F32List | Kind::StrList)
    }
}

/// One line of `codebook.csv`.
struct Line<'a> {
    table: &'a BookTable,
    column: &'a BookColumn,
}

impl Codebook {
    /// Reads every table of an output folder, a part of a file at a time.
    ///
    /// # Errors
    /// [`Error::Read`] or [`Error::Damaged`] for a file that cannot be read, [`Error::Usage`] for a folder without
    /// tables and for a column of another kind in another interview.
    pub fn of(out: &Path) -> Result<Self> {
        let folder = OutputFolder::new(out);
        let (mut book, mut current) = (Codebook::default(), BTreeMap::new());
        for files in folder.tables()? {
            let of_interviews = files.table != INTERVIEWS && !is_task(&files.table);
            let mut table = BookTable {
                name: files.table.clone(),
                description: String::new(),
                files: 0,
                rows: 0,
                columns: Vec::new(),
            };
            for file in &files.files {
                if of_interviews {
                    let known = match current.get(&file.name) {
                        Some(known) => *known,
                        None => folder.is_current(&file.name)?,
                    };
                    current.insert(file.name.clone(), known);
                    if !known {
                        let is_own = || read_metadata(&file.path).is_ok_and(|schema| schema.table == CODEBOOK);
                        if file.name != CODEBOOK || !is_own() {
                            *book.left_out.entry(files.table.clone()).or_default() += 1;
                        }
                        continue;
                    }
                }
                book.take(&mut table, file)?;
            }
            if table.files > 0 {
                book.tables.push(table);
            }
        }
        if book.tables.is_empty() {
            let what = format!("{} holds no table of a finished interview", out.display());
            return Err(Error::Usage { what, hint: "name the folder that extract wrote".into() });
        }
        // The interviews themselves come first.
        book.tables.sort_by_key(|t| t.name != INTERVIEWS);
        Ok(book)
    }

    /// Counts one file's rows.
    fn take(&mut self, table: &mut BookTable, file: &StoredFile) -> Result<()> {
        let schema = read_metadata(&file.path)?;
        self.makings.add(&schema.metadata, &file.name);
        if table.files == 0 {
            table.description.clone_from(&schema.description);
        }
        table.files += 1;
        table.rows += schema.rows as u64;
        let mut places = Vec::new();
        for spec in &schema.columns {
            places.push(table.place(spec, &file.path)?);
        }
        for (specs, places) in schema.columns.chunks(TOGETHER).zip(places.chunks(TOGETHER)) {
            read_parts(&file.path, &schema, specs, |part| {
                for (data, place) in part.columns().iter().zip(places) {
                    table.columns[*place].tally.add(data);
                }
            })?;
        }
        Ok(())
    }

    /// Writes `codebook.md` and `codebook.csv` into a folder; gives their paths.
    ///
    /// # Errors
    /// [`Error::Write`]; [`Error::Usage`] where a codebook lies there in another format.
    pub fn write(&self, to: &Path) -> Result<[PathBuf; 2]> {
        let writer = Writer::new(Format::Csv);
        let paths = [to.join("codebook.md"), writer.path(to, CODEBOOK)];
        let lines = self.tables.iter().flat_map(|table| table.columns.iter().map(move |column| Line { table, column }));
        writer.write(&paths[1], &layout().table(lines)?, &self.makings.common())?;
        write_text(&paths[0], &self.page())?;
        Ok(paths)
    }

    /// What is not in it, in words; `None` when nothing is left out.
    pub fn left_out(&self) -> Option<String> {
        let each: Vec<String> = self.left_out.iter().map(|(table, n)| format!("{n} of {table}")).collect();
        (!each.is_empty())
            .then(|| format!("files that no finished interview vouches for are left out: {}", each.join(", ")))
    }
}

/// True for a task's table, for which no interview vouches.
fn is_task(table: &str) -> bool {
    table.split_once('/').is_some_and(|(folder, _)| folder == TASKS)
}

impl BookTable {
    /// Where the column stands; at the end when it is new.
    fn place(&mut self, spec: &ColumnSpec, path: &Path) -> Result<usize> {
        let Some(place) = self.columns.iter().position(|c| c.spec.name == spec.name) else {
            let column = BookColumn { spec: spec.clone(), otherwise: BTreeSet::new(), tally: Tally::default() };
            self.columns.push(column);
            return Ok(self.columns.len() - 1);
        };
        let known = &mut self.columns[place];
        if known.spec.kind != spec.kind {
            return Err(Error::Usage {
                what: format!(
                    "column {} of {} is {} in {} and {} in other interviews",
                    spec.name,
                    self.name,
                    spec.kind.name(),
                    path.display(),
                    known.spec.kind.name()
                ),
                hint: "extract the interviews of the older version again".into(),
            });
        }
        if known.spec != *spec {
            let like = ColumnSpec { description: known.spec.description.clone(), ..spec.clone() } == known.spec;
            let more = format!(
                " (unit: {}, cut-off: {}, modality: {}, source: {})",
                spec.unit,
                spec.cut_off,
                spec.modality.name(),
                spec.source
            );
            known.otherwise.insert(format!("{}{}", spec.description, if like { "" } else { &more }));
        }
        Ok(place)
    }
}

/// Columns of `codebook.csv`.
fn layout<'a>() -> Layout<Line<'a>> {
    let numbers = |l: &Line<'_>| l.column.tally.numbers.range();
    let columns = vec![
        Column::text("table", "Table.", |l: &Line<'a>| l.table.name.as_str()),
        Column::text("column", "Name of the column.", |l: &Line<'a>| l.column.spec.name.as_ref()),
        Column::text("type", "What it holds.", |l: &Line<'a>| l.column.spec.kind.name()),
        Column::text(
            "unit",
            "Unit; 1 = a number without one; count, number (of an order), true/false, text or list of texts where \
             there is none.",
            |l: &Line<'a>| l.column.unit(),
        ),
        Column::text("meaning", "What it means, with the thresholds that held.", |l: &Line<'a>| l.column.meaning()),
        Column::int(
            "begin_with",
            "",
            "Place among the columns to begin with, from 1; empty = none of them.",
            |l: &Line<'a>| begins_at(&l.table.name, &l.column.spec.name),
        ),
        Column::text(
            "source",
            "Where the definition, or the network that measures, comes from; empty = Turnwise's own.",
            |l: &Line<'a>| text(Some(l.column.spec.source.to_string())),
        ),
        Column::text("modality", "The sense it comes from.", |l: &Line<'a>| {
            text(Some(l.column.spec.modality.name().to_owned()))
        }),
        Column::text("cut_off", "Up to what time it looked.", |l: &Line<'a>| {
            text(Some(l.column.spec.cut_off.name().to_owned()))
        }),
        Column::int("rows", "", "Rows of the tables that have the column.", |l: &Line<'a>| l.column.tally.rows),
        Column::int("filled", "", "Rows with a value.", |l: &Line<'a>| l.column.tally.filled),
        Column::float("filled_share", "1", "Share of those rows with a value, 0 to 1.", |l: &Line<'a>| {
            l.column.tally.filled_share()
        }),
        Column::float("min", "", "Smallest number; of lists their length.", move |l: &Line<'a>| {
            numbers(l).map(|r| r.0)
        }),
        Column::float(
            "median",
            "",
            "Median number; of more than 4096 rounded towards zero by less than 0.4 %; of lists their length.",
            |l: &Line<'a>| l.column.tally.numbers.median(),
        ),
        Column::float("max", "", "Largest number; of lists their length.", move |l: &Line<'a>| numbers(l).map(|r| r.1)),
        Column::text("distinct", "Number of distinct texts, or \"over 1000\".", |l: &Line<'a>| {
            l.column.tally.texts.distinct()
        }),
        Column::text(
            "frequent",
            "The texts with their counts, most frequent first, where at most 12 are seen and some again.",
            |l: &Line<'a>| l.column.tally.texts.frequent(),
        ),
    ];
    let description = "One column of one table of an output folder. The words that meanings use are explained in \
                       codebook.md.";
    Layout { name: CODEBOOK, description, columns }
}

#[cfg(test)]
mod tests;
