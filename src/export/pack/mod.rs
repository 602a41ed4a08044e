//! `turnwise pack`: the finished interviews of an output folder as one data set that other programs load: a folder of
//! Parquet files for each table, a card that says what it is, and splits that part no couple or family.

mod card;
mod fill;
mod splits;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use card::{Card, Packed};
use fill::{Part, write_part};
use splits::{Place, Split, places};

use crate::error::{Error, Result};
use crate::inference::Registry;
use crate::store::holdings::{Held, HeldTable, Holdings};
use crate::store::whole::write_text;
use crate::store::{Format, Writer};
use crate::table::{Column, CutOff, Layout, all_until};
use crate::text::counted;

/// The folder of interviews without a group; that of a group begins with `group-`.
const NO_GROUP: &str = "no_group";

/// How interviews are shared out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shares {
    /// Share of the interviews for validation, 0 to 1; the rest is for training.
    pub validation: f64,
    /// Share for the test.
    pub test: f64,
    /// The same seed gives the same splits.
    pub seed: u64,
}

/// What is packed, and how.
#[derive(Clone, Copy, Debug)]
pub struct PackRequest<'a> {
    /// The folder that `extract` wrote.
    pub out: &'a Path,
    /// The data set's folder, which must not be there, or be empty.
    pub to: &'a Path,
    /// A folder for each group below each table's.
    pub by_group: bool,
    /// How interviews are shared out.
    pub shares: Shares,
    /// Go on where interviews were made by different recipes, models or versions.
    pub mixed: bool,
    /// Knows the models' licences.
    pub registry: &'a Registry,
}

/// Writes the data set, whole or not at all; tells what it holds. Interviews are read one after another, a part of a
/// file at a time: what is held at once does not grow with their number, footers and the rows of `interviews` apart.
///
/// # Errors
/// [`Error::Usage`] for shares that leave nothing to train on, a folder that holds something or lies inside what is
/// packed, and as in [`Holdings::of`]; [`Error::Damaged`] for a table that is not its interview's; [`Error::Write`].
pub fn pack(request: &PackRequest<'_>) -> Result<String> {
    let Shares { validation, test, .. } = request.shares;
    if validation < 0.0 || test < 0.0 || validation + test >= 1.0 {
        let what = format!("{validation} for validation and {test} for the test leave nothing to train on");
        return Err(Error::Usage { what, hint: "shares are 0 or more, and less than 1 together".into() });
    }
    let holdings = Holdings::of(request.out, request.mixed)?;
    if request.by_group && holdings.done.iter().all(|held| held.group.is_none()) {
        let hint = "fill the manifest's column group and extract again, or leave out --by-group";
        return Err(Error::Usage { what: "no interview has a group".into(), hint: hint.into() });
    }
    let begun = Begun::new(request)?;
    let places = places(&holdings.done, request.shares);
    let mut packed = Vec::new();
    for table in &holdings.tables {
        packed.push(packed_table(request, (&holdings, &places), table, &begun.temporary)?);
    }
    write_splits(&begun.temporary, &holdings, &places)?;
    let name = request.to.file_name().map_or_else(|| "data set".into(), |n| n.to_string_lossy().into_owned());
    let card = Card { name: &name, request, holdings: &holdings, places: &places, tables: &packed };
    write_text(&begun.temporary.join("README.md"), &card.page())?;
    let told = told(request, &holdings, &packed);
    begun.finish()?;
    Ok(told)
}

/// For the terminal.
fn told(request: &PackRequest<'_>, holdings: &Holdings, packed: &[Packed<'_>]) -> String {
    let rows: u64 = packed.iter().flat_map(|p| p.rows.values()).sum();
    let files: usize = packed.iter().map(|p| p.files).sum();
    let mut text = format!(
        "{}: {}, {} in {}, {rows} rows\n",
        request.to.display(),
        counted(holdings.done.len(), "interview"),
        counted(packed.len(), "table"),
        counted(files, "file"),
    );
    if !holdings.failed.is_empty() {
        text +=
            &format!("{} failed and not in it; README.md lists them\n", counted(holdings.failed.len(), "interview"));
    }
    if !holdings.left_out.is_empty() {
        let each: Vec<String> = holdings.left_out.iter().map(|(table, n)| format!("{n} of {table}")).collect();
        text += &format!("files that no finished interview vouches for are left out: {}\n", each.join(", "));
    }
    text
}

/// A table's files: for each split, and for each group where asked, its interviews one after another.
fn packed_table<'a>(
    request: &PackRequest<'_>,
    (holdings, places): (&Holdings, &[Place]),
    table: &'a HeldTable,
    to: &Path,
) -> Result<Packed<'a>> {
    let mut bins: BTreeMap<(Split, String), Vec<&Held>> = BTreeMap::new();
    for (held, place) in holdings.done.iter().zip(places).filter(|(held, _)| table.files.contains_key(&held.id)) {
        let folder = if request.by_group { partition(held.group.as_deref()) } else { String::new() };
        bins.entry((place.split, folder)).or_default().push(held);
    }
    let mut packed = Packed { table, rows: BTreeMap::new(), files: 0 };
    for ((split, folder), interviews) in bins {
        let folder = to.join(&table.schema.table).join(folder);
        for (number, part) in fill::parts(table, &interviews).into_iter().enumerate() {
            let path = folder.join(format!("{}-{number:05}.{}", split.name(), Format::Parquet.suffix()));
            let rows = write_part(&path, &Part { table, interviews: part })?;
            *packed.rows.entry(split).or_default() += rows;
            packed.files += 1;
        }
    }
    Ok(packed)
}

/// The folder of a group: `group-<name>`, all but letters, digits, `-`, `_` and `.` percent-encoded. It is no Hive
/// partition (`group=<name>`): the key is a column too, so that every reader has it, and pandas and pyarrow refuse a
/// key that is in both, or take the group 007 for the number 7.
fn partition(group: Option<&str>) -> String {
    let plain = |b: &u8| b.is_ascii_alphanumeric() || b"-_.".contains(b);
    let encoded = |b: u8| if plain(&b) { char::from(b).to_string() } else { format!("%{b:02X}") };
    group.map_or_else(|| NO_GROUP.into(), |g| format!("group-{}", g.bytes().map(encoded).collect::<String>()))
}

/// `splits/<split>.csv`: which interviews are in it, and why together.
fn write_splits(to: &Path, holdings: &Holdings, places: &[Place]) -> Result<()> {
    let writer = Writer::new(Format::Csv);
    for split in Split::ALL {
        let rows = holdings.done.iter().zip(places).filter(|(_, place)| place.split == split);
        let table = split_layout().table(rows)?;
        writer.write(&writer.path(&to.join("splits"), split.name()), &table, &holdings.makings.common())?;
    }
    Ok(())
}

/// Columns of a split's list.
fn split_layout<'a>() -> Layout<(&'a Held, &'a Place)> {
    type Row<'a> = (&'a Held, &'a Place);
    let columns = vec![
        Column::text("interview_id", "Interview, as in the tables.", |r: &Row<'a>| r.0.id.as_str()),
        Column::text("group", "Group of the interview, as in the tables.", |r: &Row<'a>| r.0.group.as_deref()),
        Column::text("split_group", "The couple or family: no split parts its interviews.", |r: &Row<'a>| {
            r.1.unit.as_str()
        }),
        Column::float("duration_secs", "s", "Length of what was decoded.", |r: &Row<'a>| r.0.duration_secs),
    ];
    Layout { name: "split", description: "One interview of the split.", columns: all_until(CutOff::None, columns) }
}

/// A data set that is being made beside its final place; gone when it is not finished.
struct Begun {
    temporary: PathBuf,
    to: PathBuf,
    done: bool,
}

impl Begun {
    fn new(request: &PackRequest<'_>) -> Result<Self> {
        let to = request.to;
        let refuse = |what: String, hint: &str| Err(Error::Usage { what, hint: hint.into() });
        let Some(name) = to.file_name() else {
            return refuse(format!("{} names no folder", to.display()), "name a folder that is not there yet");
        };
        let failed = |e: std::io::Error| Error::write(to, e);
        // Files of an earlier data set would be read with the new ones.
        if to.exists() && fs::read_dir(to).map_err(failed)?.next().is_some() {
            return refuse(format!("{} holds something already", to.display()), "name another folder, or delete it");
        }
        let above = match to.parent() {
            Some(above) if !above.as_os_str().is_empty() => above,
            _ => Path::new("."),
        };
        // Refused before a folder is made in what is packed.
        let known = above
            .ancestors()
            .find_map(|a| if a.as_os_str().is_empty() { Path::new(".") } else { a }.canonicalize().ok());
        let out = request.out.canonicalize().map_err(|source| Error::Read { path: request.out.into(), source })?;
        if known.is_some_and(|known| known.starts_with(&out)) {
            let what =
                format!("{} is inside {}, where it would be taken for a table", to.display(), request.out.display());
            return refuse(what, "name a folder elsewhere");
        }
        fs::create_dir_all(above).map_err(failed)?;
        let mut hidden = std::ffi::OsString::from(".");
        hidden.push(name);
        hidden.push(".unfinished");
        let temporary = above.join(hidden);
        match fs::create_dir(&temporary) {
            Ok(()) => Ok(Begun { temporary, to: to.to_owned(), done: false }),
            Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists => refuse(
                format!("{} is there: another pack writes it, or one was ended", temporary.display()),
                "wait for it, or delete that folder",
            ),
            Err(e) => Err(failed(e)),
        }
    }

    /// Gives it its name.
    fn finish(mut self) -> Result<()> {
        let failed = |e: std::io::Error| Error::write(&self.to, e);
        if self.to.is_dir() {
            fs::remove_dir(&self.to).map_err(failed)?;
        }
        fs::rename(&self.temporary, &self.to).map_err(failed)?;
        self.done = true;
        Ok(())
    }
}

impl Drop for Begun {
    fn drop(&mut self) {
        if !self.done {
            let _ = fs::remove_dir_all(&self.temporary);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_is_a_folder_that_no_reader_takes_for_a_value() {
        assert_eq!(partition(Some("ann_and-bo.2")), "group-ann_and-bo.2");
        assert_eq!(partition(Some("a/b=ü %")), "group-a%2Fb%3D%C3%BC%20%25");
        assert_eq!(partition(None), "no_group");
        assert_ne!(partition(None), partition(Some("no_group")));
    }
}
