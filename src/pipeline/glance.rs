//! A look at what is kept of an interview: by names, sizes and times of its files, so that a hundred thousand of them
//! are looked at in seconds.

use std::collections::BTreeMap;
use std::path::Path;

use super::corrections::{self, Corrections};
use super::done::{self, Record};
use super::fingerprint::FileMark;
use super::{Request, inputs, schemas};
use crate::error::Result;
use crate::recipe::{Recipe, short_hash};
use crate::store::parquet::FileMetadata;

/// What an interview was made with, shortened to what can be compared.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Making {
    /// Of the program and of the tables' contract.
    pub version: String,
    /// Hash of the recipe, enrolment by its contents.
    pub recipe: String,
    /// Hash of the models' names and hashes.
    pub models: String,
}

impl Making {
    /// Of what files tell.
    pub fn of(made: &FileMetadata) -> Self {
        let models: String = made.models.iter().map(|(name, hash)| format!("{name}\0{hash}\n")).collect();
        Making {
            version: format!("{} {}", made.tool_version, made.schema_version),
            recipe: made.recipe_hash.clone(),
            models: short_hash(models.as_bytes()),
        }
    }
}

/// What is kept of an interview that was written.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
pub struct Kept {
    /// Length of its media; `None` without media, or of an older version.
    pub media_secs: Option<f64>,
    /// Time spent on it by its worker.
    pub spent_secs: f64,
    /// Bytes of its media and audio.
    pub media_bytes: u64,
    /// Bytes written, with what stages keep for later runs.
    pub written_bytes: u64,
}

/// Why an interview that was done is to be done again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Stale {
    /// Made by another recipe.
    Recipe,
    /// Made with other models.
    Models,
    /// Made by another version of the program.
    Version,
    /// An input, or what the manifest says of the interview, is another.
    Input,
    /// What corrections say of it is another.
    Corrections,
    /// A file it was made from is not there, or cannot be read.
    InputGone,
    /// A table is gone, or not what was written.
    Output,
    /// Its tables are there, and the record of them is not.
    Record,
}

/// How an interview stands.
#[derive(Clone, Debug, PartialEq)]
pub enum Standing {
    /// Written, and all is as it was.
    Done(Kept),
    /// Written, and something is not as it was.
    Stale(Stale, Kept),
    /// Nothing is kept of it.
    Unknown,
}

/// How closely files are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// Sizes and times must agree; no file is opened.
    Times,
    /// Where the times differ and the sizes do not, both ends decide: all of a short file.
    Ends,
}

/// What interviews are compared with.
#[derive(Debug)]
pub struct Against<'a> {
    /// How they should have been made.
    pub making: Making,
    /// Names the dictionary and the enrolment; without it their files are not looked at.
    pub recipe: Option<&'a Recipe>,
    /// How closely.
    pub look: Look,
    /// What corrections say of interviews for which there is no request.
    pub corrections: Option<Corrections>,
    tables: Vec<&'static str>,
}

impl<'a> Against<'a> {
    /// Compares with this making.
    pub fn new(making: Making, recipe: Option<&'a Recipe>, look: Look) -> Self {
        let tables = schemas(recipe.unwrap_or(&Recipe::default())).iter().map(|s| s.name).collect();
        Against { making, recipe, look, corrections: None, tables }
    }

    /// Looks at an interview; without a `request` not at its inputs.
    ///
    /// # Errors
    /// [`crate::error::Error::Usage`] for an id that names no file; `Read` or `Parse` for a record.
    pub fn glance(&self, out: &Path, id: &str, request: Option<&Request>) -> Result<Standing> {
        let Some(record) = done::read_record(out, id)? else { return Ok(Standing::Unknown) };
        let kept = record.kept();
        if record.interview_id != id {
            return Ok(Standing::Stale(Stale::Output, kept));
        }
        let why = match (self.making_differs(&record), request) {
            (Some(why), _) => Some(why),
            _ if self.corrections_differ(&record, request) => Some(Stale::Corrections),
            (None, Some(request)) => self.inputs_differ(&record, request)?,
            (None, None) => None,
        };
        let why = match why {
            None if self.outputs_differ(out, &record)? => Some(Stale::Output),
            why => why,
        };
        Ok(why.map_or(Standing::Done(kept.clone()), |why| Standing::Stale(why, kept)))
    }

    fn making_differs(&self, record: &Record) -> Option<Stale> {
        // A record that does not say is of an older version.
        let Some(made) = &record.made else { return Some(Stale::Version) };
        if made.version != self.making.version {
            Some(Stale::Version)
        } else if made.recipe != self.making.recipe {
            Some(Stale::Recipe)
        } else {
            (made.models != self.making.models).then_some(Stale::Models)
        }
    }

    fn corrections_differ(&self, record: &Record, request: Option<&Request>) -> bool {
        let said = match (request, &self.corrections) {
            (Some(request), _) => corrections::hash(&request.corrections),
            (None, Some(all)) => corrections::hash(&all.of(&record.interview_id)),
            (None, None) => return false,
        };
        said != record.corrections
    }

    fn inputs_differ(&self, record: &Record, request: &Request) -> Result<Option<Stale>> {
        let Some(known) = &record.inputs else { return Ok(Some(Stale::Input)) };
        let files = match self.recipe {
            Some(recipe) => match inputs::input_files(request, recipe) {
                Ok(files) => files,
                Err(_) => return Ok(Some(Stale::InputGone)),
            },
            None => request.files().map(|(role, path)| (role.to_owned(), path.clone())).collect(),
        };
        let of_request = |role: &str| !role.contains('/');
        let roles = known.keys().filter(|role| self.recipe.is_some() || of_request(role));
        let mut asked: Vec<&String> = files.iter().map(|(role, _)| role).collect();
        asked.sort();
        if !asked.into_iter().eq(roles) || inputs::known_hash(known, request)? != record.request_hash {
            return Ok(Some(Stale::Input));
        }
        for (role, path) in &files {
            match self.is_as(&known[role], path) {
                Some(true) => {}
                Some(false) => return Ok(Some(Stale::Input)),
                None => return Ok(Some(Stale::InputGone)),
            }
        }
        Ok(None)
    }

    fn outputs_differ(&self, out: &Path, record: &Record) -> Result<bool> {
        let mut seen = 0;
        for name in self.tables.iter().copied().chain([done::RTTM]) {
            for (name, path) in done::output_files(out, name, &record.interview_id)? {
                match record.outputs.get(&name) {
                    Some(mark) if self.is_as(mark, &path) != Some(true) => return Ok(true),
                    Some(_) => seen += 1,
                    None if path.exists() => return Ok(true),
                    // A table there were no rows for.
                    None => {}
                }
            }
        }
        Ok(seen != record.outputs.len())
    }

    /// `None` where the file cannot be looked at.
    fn is_as(&self, mark: &FileMark, path: &Path) -> Option<bool> {
        match self.look {
            Look::Times => mark.same_times(path),
            Look::Ends => mark.alike(path),
        }
    }
}

/// True where every file that was written of an interview is there, of the size and time it was written with.
pub fn is_as_written(out: &Path, id: &str, recipe: &Recipe) -> bool {
    let against = Against::new(Making::default(), Some(recipe), Look::Times);
    // A record that cannot be read is not what was written.
    let record = done::read_record(out, id).ok().flatten().filter(|record| record.interview_id == id);
    record.is_some_and(|record| matches!(against.outputs_differ(out, &record), Ok(false)))
}

/// What is kept of an interview, be it current or not; `None` where nothing is, or it cannot be read.
pub fn kept(out: &Path, id: &str) -> Option<Kept> {
    Some(done::read_record(out, id).ok()??.kept())
}

/// Bytes of the media among marks.
pub(super) fn media_bytes(marks: Option<&BTreeMap<String, FileMark>>) -> u64 {
    marks.into_iter().flatten().filter(|(role, _)| inputs::LONG.contains(&role.as_str())).map(|(_, m)| m.bytes).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn making(part: &str) -> Making {
        Making { version: "1".into(), recipe: part.into(), models: "m".into() }
    }

    #[test]
    fn what_differs_is_named_and_version_goes_before_recipe_and_models() {
        let record = |made: Option<Making>| {
            let mut record = Record::default();
            record.made = made;
            record
        };
        let against = Against::new(making("r"), None, Look::Times);
        let why = |made| against.making_differs(&record(made));
        assert_eq!(why(Some(making("r"))), None);
        assert_eq!(why(Some(making("other"))), Some(Stale::Recipe));
        assert_eq!(why(Some(Making { models: "n".into(), ..making("r") })), Some(Stale::Models));
        assert_eq!(why(Some(Making { version: "2".into(), ..making("other") })), Some(Stale::Version));
        assert_eq!(why(None), Some(Stale::Version));
        assert_eq!(against.glance(Path::new("/nowhere"), "a", None).unwrap(), Standing::Unknown);
    }
}
