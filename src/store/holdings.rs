//! What an output folder holds of finished interviews, table by table, where all of it can be taken together: one
//! schema a table, one group an interview.

use std::collections::BTreeMap;
use std::path::Path;

use crate::error::{Error, Result};
use crate::spelling::folded;
use crate::store::finished::refuse_mixed;
use crate::store::folder::{OutputFolder, StoredFile, TASKS};
use crate::store::provenance::Makings;
use crate::store::read::{StoredSchema, read_columns, read_metadata};
use crate::table::{ColumnSpec, CutOff, Kind};

/// The table that has one row an interview, and vouches for the others.
const INTERVIEWS: &str = "interviews";
/// The column that names an interview.
pub const KEY: &str = "interview_id";
/// The column that names its group.
pub const GROUP: &str = "group";

/// An interview that is done.
#[derive(Clone, Debug, PartialEq)]
pub struct Held {
    /// Its id.
    pub id: String,
    /// Group of the manifest, else the kind of group that the benchmark's samples tell.
    pub group: Option<String>,
    /// End of what was decoded; `None` where it was made from a transcript alone.
    pub duration_secs: Option<f64>,
}

/// An interview that failed.
#[derive(Clone, Debug, PartialEq)]
pub struct Failed {
    /// Its id.
    pub id: String,
    /// Short code of the error.
    pub kind: String,
    /// The error with its causes.
    pub error: String,
}

/// A table of the finished interviews.
#[derive(Clone, Debug)]
pub struct HeldTable {
    /// Its name, and columns with the key `group` among them.
    pub schema: StoredSchema,
    /// The interviews' files, by id.
    pub files: BTreeMap<String, StoredFile>,
    /// True for the table with one row an interview.
    pub lists_interviews: bool,
}

/// All of it.
#[derive(Clone, Debug, Default)]
pub struct Holdings {
    /// Sorted by id.
    pub done: Vec<Held>,
    /// Sorted by id.
    pub failed: Vec<Failed>,
    /// `interviews` first, then by name.
    pub tables: Vec<HeldTable>,
    /// Files that no finished interview vouches for, by table.
    pub left_out: BTreeMap<String, usize>,
    /// How it was made.
    pub makings: Makings,
}

impl Holdings {
    /// Looks at the footer of each table of an output folder, and at the rows of its interviews. With `mixed` tables of
    /// several recipes are taken together: the columns are the union.
    ///
    /// # Errors
    /// [`Error::Usage`] for a folder without a finished interview, for interviews made in several ways or with other
    /// columns unless `mixed`, and for a column whose kinds differ; [`Error::Read`] or [`Error::Damaged`] for a table.
    pub fn of(out: &Path, mixed: bool) -> Result<Self> {
        let folder = OutputFolder::new(out);
        let mut all = Holdings::default();
        // Some disks write accents in another way than they are given: files are found by the folded name.
        let mut ids: BTreeMap<String, String> = BTreeMap::new();
        for file in folder.files(INTERVIEWS)? {
            all.take_row(&file, &mut ids)?;
        }
        if all.done.is_empty() {
            let what = format!("{} holds no finished interview", out.display());
            return Err(Error::Usage { what, hint: "name the folder that extract wrote".into() });
        }
        all.done.sort_by(|a, b| a.id.cmp(&b.id));
        all.failed.sort_by(|a, b| a.id.cmp(&b.id));
        let mut tables = Vec::new();
        for listed in folder.tables()?.into_iter().filter(|t| !t.table.starts_with(&format!("{TASKS}/"))) {
            let mut footers = Footers { table: listed.table.clone(), mixed, schema: None, first: String::new() };
            let (mut files, mut unvouched) = (BTreeMap::new(), 0);
            for file in listed.files {
                let Some(id) = ids.get(&folded(&file.name)) else {
                    unvouched += 1;
                    continue;
                };
                let footer = read_metadata(&file.path)?;
                // A folder of another program's, or the codebook.
                if footer.table != listed.table {
                    unvouched += 1;
                    continue;
                }
                all.makings.add(&footer.metadata, id);
                footers.take(footer, id)?;
                files.insert(id.clone(), file);
            }
            // Rows of failed interviews are told as such.
            if unvouched > 0 && listed.table != INTERVIEWS {
                all.left_out.insert(listed.table.clone(), unvouched);
            }
            if let Some(schema) = footers.schema {
                tables.push(HeldTable { schema, files, lists_interviews: listed.table == INTERVIEWS });
            }
        }
        refuse_mixed(&all.makings, mixed, "one data set")?;
        let metadata = all.makings.common();
        for table in &mut tables {
            with_group(&mut table.schema.columns);
            table.schema.metadata = metadata.clone();
        }
        tables.sort_by_key(|t| !t.lists_interviews);
        all.tables = tables;
        Ok(all)
    }

    /// Takes in an interview's row.
    fn take_row(&mut self, file: &StoredFile, ids: &mut BTreeMap<String, String>) -> Result<()> {
        let row = read_columns(&file.path, &[KEY, "status", "error", "error_kind", GROUP, "duration_secs"])?;
        let text = |name: &str| row.text(name, 0).map(ToOwned::to_owned);
        let id = text(KEY).filter(|id| row.rows() == 1 && folded(id) == folded(&file.name)).ok_or_else(|| {
            Error::damaged(&file.path, 0, format!("it should be the row of \"{}\", and tells of others", file.name))
        })?;
        if row.text("status", 0) == Some("done") {
            ids.insert(folded(&id), id.clone());
            self.done.push(Held { id, group: text(GROUP), duration_secs: row.number("duration_secs", 0) });
        } else {
            let (kind, error) = (text("error_kind").unwrap_or_default(), text("error").unwrap_or_default());
            self.failed.push(Failed { id, kind, error });
        }
        Ok(())
    }
}

/// What the footers of a table agree on.
struct Footers {
    table: String,
    mixed: bool,
    schema: Option<StoredSchema>,
    /// The interview whose table came first.
    first: String,
}

impl Footers {
    fn take(&mut self, footer: StoredSchema, id: &str) -> Result<()> {
        let Some(schema) = &mut self.schema else {
            self.first = id.to_owned();
            self.schema = Some(footer);
            return Ok(());
        };
        for spec in &footer.columns {
            let Some(known) = schema.columns.iter_mut().find(|c| c.name == spec.name) else { continue };
            if known.kind != spec.kind {
                let what = format!(
                    "column {} of {} is {} in {id} and {} in {}",
                    spec.name,
                    self.table,
                    spec.kind.name(),
                    known.kind.name(),
                    self.first
                );
                return Err(Error::Usage { what, hint: "extract the interviews of the older version again".into() });
            }
        }
        if schema.columns == footer.columns {
            return Ok(());
        }
        if !self.mixed {
            return Err(Error::Usage {
                what: format!(
                    "{} of {id} and of {} have not the same columns: {}",
                    self.table,
                    self.first,
                    difference(&schema.columns, &footer.columns)
                ),
                hint: "extract them again with one recipe, or give --mixed to take them as they are".into(),
            });
        }
        for spec in footer.columns {
            match schema.columns.iter_mut().find(|c| c.name == spec.name) {
                None => schema.columns.push(spec),
                Some(known) if *known != spec => {
                    let other = format!(" Otherwise in some interviews: {}", spec.description);
                    if !known.description.contains(&other) && known.description != spec.description {
                        known.description = format!("{}{other}", known.description).into();
                    }
                    if known.unit != spec.unit {
                        known.unit = format!("{} or {}", known.unit, spec.unit).into();
                    }
                    // What some of it looked at, all of it may have.
                    known.cut_off = if known.cut_off == spec.cut_off { spec.cut_off } else { CutOff::Untold };
                }
                Some(_) => {}
            }
        }
        Ok(())
    }
}

/// The first columns that are not in both, or not the same.
fn difference(one: &[ColumnSpec], other: &[ColumnSpec]) -> String {
    const TOLD: usize = 5;
    let lacks = |in_this: &[ColumnSpec], spec: &&ColumnSpec| !in_this.contains(spec);
    let mut names: Vec<&str> = Vec::new();
    for spec in one.iter().filter(|s| lacks(other, s)).chain(other.iter().filter(|s| lacks(one, s))) {
        if !names.contains(&spec.name.as_ref()) {
            names.push(&spec.name);
        }
    }
    match names.len() {
        0 => "their order".into(),
        n if n > TOLD => format!("{}, … ({n} columns)", names[..TOLD].join(", ")),
        _ => names.join(", "),
    }
}

/// Puts the key `group` behind the interview's id where the table has none.
fn with_group(columns: &mut Vec<ColumnSpec>) {
    if !columns.iter().any(|c| c.name == GROUP) {
        let at = columns.iter().position(|c| c.name == KEY).map_or(0, |at| at + 1);
        let spec = ColumnSpec::new(GROUP, Kind::Str, "", "Group of the interview, as in interviews.");
        columns.insert(at, spec.until(CutOff::None));
    }
}
