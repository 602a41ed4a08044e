//! The files an interview is made from: what they were when it was begun, and that they still are when it ends.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::fingerprint::{FileMark, Stat};
use super::{Request, corrections};
use crate::error::{Error, Result};
use crate::recipe::{Recipe, short_hash};

/// The roles of files so long that their ends and their times are looked at before all of them is.
pub(super) const LONG: [&str; 2] = ["media", "audio"];

/// The files an interview was made from, read before anything else read them.
#[derive(Debug)]
pub struct Inputs {
    files: BTreeMap<String, Input>,
    request_hash: String,
}

#[derive(Debug)]
struct Input {
    path: PathBuf,
    /// `None` for what is no file: a pipe can be read once only, and is never known again.
    before: Option<(Stat, FileMark)>,
}

impl Inputs {
    /// Reads every file of the request, of the recipe's enrolment and its dictionary.
    ///
    /// # Errors
    /// [`Error::Read`]; [`Error::Changed`] where somebody is writing into one.
    pub(super) fn take(request: &Request, recipe: &Recipe) -> Result<Self> {
        let mut files = BTreeMap::new();
        for (role, path) in input_files(request, recipe)? {
            let before = match Stat::of(&path)? {
                Some(stat) => Some((stat, FileMark::take(&path)?)),
                // A pipe in a folder of enrolment would hang whoever reads it.
                None => {
                    crate::file::check(&path)?;
                    None
                }
            };
            files.insert(role, Input { path, before });
        }
        let marks = files
            .iter()
            .map(|(role, input)| (role.as_str(), input.before.as_ref().map(|(_, mark)| mark.sha256.as_str())));
        let request_hash = request_hash(request, marks)?;
        Ok(Inputs { files, request_hash })
    }

    /// Of the contents of the files, the speaker bounds and the rest of the request, but not of where the files lie.
    pub(super) fn request_hash(&self) -> &str {
        &self.request_hash
    }

    /// What each file was; `None` as a whole when one of them cannot be known again.
    pub(super) fn marks(&self) -> Option<BTreeMap<String, FileMark>> {
        self.files.iter().map(|(role, input)| Some((role.clone(), input.before.as_ref()?.1.clone()))).collect()
    }

    /// sha256 of the file of a role (`media`); `None` where there is none, and for what is no file.
    pub(super) fn sha256(&self, role: &str) -> Option<&str> {
        self.files.get(role)?.before.as_ref().map(|(_, mark)| mark.sha256.as_str())
    }

    /// Role and sha256 of each file in the folder of a role (`voices`).
    pub(super) fn contents(&self, role: &str) -> Vec<(&str, Option<&str>)> {
        let inside = |name: &str| name.strip_prefix(role).is_some_and(|rest| rest.starts_with('/'));
        let files = self.files.keys().filter(|name| inside(name));
        files.map(|name| (name.as_str(), self.sha256(name))).collect()
    }

    /// Refuses files that are not what they were when they were taken: nobody knows which of their contents were read.
    ///
    /// # Errors
    /// [`Error::Changed`].
    pub(super) fn must_be_unchanged(&self, request: &Request, recipe: &Recipe) -> Result<()> {
        for input in self.files.values() {
            let Some((stat, mark)) = &input.before else { continue };
            let changed = || Error::Changed { path: input.path.clone() };
            let now = Stat::of(&input.path).ok().flatten().ok_or_else(changed)?;
            // A new owner or another name for it is no other content; writing is, even where the same was written.
            let kept = now == *stat || (now.same_writing(stat) && matches!(mark.still(&input.path, true), Ok(Some(_))));
            if !kept {
                return Err(changed());
            }
        }
        let now: Vec<String> = input_files(request, recipe)?.into_iter().map(|(role, _)| role).collect();
        if !now.iter().eq(self.files.keys()) {
            // A picture or a voice came or went.
            let folder = if recipe.face.enrolment.is_empty() {
                &recipe.speaker.enrolment.voices
            } else {
                &recipe.face.enrolment
            };
            return Err(Error::Changed { path: folder.into() });
        }
        Ok(())
    }
}

/// The marks of the inputs as they are now, with the hash they make, where all are as `known`; else `None`. Files of
/// speech, words and enrolment are read wholly, media as far as [`FileMark::still`] needs to, or wholly too with
/// `whole`.
///
/// # Errors
/// As [`Inputs::take`].
pub(super) fn still(
    known: &BTreeMap<String, FileMark>,
    request: &Request,
    recipe: &Recipe,
    whole: bool,
) -> Result<Option<(BTreeMap<String, FileMark>, String)>> {
    let files = input_files(request, recipe)?;
    if !files.iter().map(|(role, _)| role).eq(known.keys()) {
        return Ok(None);
    }
    let mut marks = BTreeMap::new();
    for (role, path) in files {
        let Some(mark) = known[&role].still(&path, whole || !LONG.contains(&role.as_str()))? else { return Ok(None) };
        marks.insert(role, mark);
    }
    let hash = request_hash(request, marks.iter().map(|(role, mark)| (role.as_str(), Some(mark.sha256.as_str()))))?;
    Ok(Some((marks, hash)))
}

/// The hash that these marks make with the request.
///
/// # Errors
/// As [`Inputs::take`].
pub(super) fn known_hash(known: &BTreeMap<String, FileMark>, request: &Request) -> Result<String> {
    request_hash(request, known.iter().map(|(role, mark)| (role.as_str(), Some(mark.sha256.as_str()))))
}

fn request_hash<'a>(request: &Request, files: impl Iterator<Item = (&'a str, Option<&'a str>)>) -> Result<String> {
    let files: Vec<_> = files.collect();
    let people = (&request.group, &request.roles, &request.bounds);
    let parts = (&request.interview_id, &request.media_name, &request.sample_id, people, files);
    let text = match (&request.embedded, corrections::hash(&request.corrections)) {
        (None, said) if said.is_empty() => serde_json::to_string(&parts),
        (Some(pick), said) if said.is_empty() => serde_json::to_string(&(parts, pick)),
        (pick, said) => serde_json::to_string(&(parts, pick, said)),
    };
    let text = text.map_err(|e| Error::write(&request.interview_id, e))?;
    Ok(short_hash(text.as_bytes()))
}

/// Role and path of every file that is read, sorted by role.
pub(super) fn input_files(request: &Request, recipe: &Recipe) -> Result<Vec<(String, PathBuf)>> {
    let mut files: Vec<(String, PathBuf)> =
        request.files().map(|(role, path)| (role.to_owned(), path.clone())).collect();
    let named = [
        ("dictionary", &recipe.turns.language.dictionary),
        ("faces", &recipe.face.enrolment),
        ("voices", &recipe.speaker.enrolment.voices),
    ];
    for (role, path) in named {
        if !path.is_empty() {
            below(role, Path::new(path), &mut files)?;
        }
    }
    files.sort();
    Ok(files)
}

/// A file, or every file in a folder, named after its place in it.
pub(super) fn below(prefix: &str, path: &Path, files: &mut Vec<(String, PathBuf)>) -> Result<()> {
    let fail = |source| Error::Read { path: path.to_owned(), source };
    let name = format!("{prefix}/{}", path.file_name().unwrap_or_default().to_string_lossy());
    if !std::fs::metadata(path).map_err(fail)?.is_dir() {
        files.push((name, path.to_owned()));
        return Ok(());
    }
    for inner in crate::file::listed(path)? {
        below(&name, &inner, files)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_enrolment_picture_is_another_input() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("anna")).unwrap();
        std::fs::write(folder.path().join("anna/1.png"), "one").unwrap();
        let mut recipe = Recipe::default();
        recipe.face.enrolment = folder.path().to_str().unwrap().into();
        let take = |recipe: &Recipe| Inputs::take(&Request::default(), recipe);
        let hash = |recipe: &Recipe| take(recipe).unwrap().request_hash;
        let before = take(&recipe).unwrap();
        let first = before.request_hash.clone();
        assert_eq!(first, hash(&recipe));
        before.must_be_unchanged(&Request::default(), &recipe).unwrap();
        assert!(
            still(&before.marks().unwrap(), &Request::default(), &recipe, false)
                .unwrap()
                .is_some_and(|(_, h)| h == first)
        );
        std::fs::write(folder.path().join("anna/2.png"), "one more").unwrap();
        assert_eq!(before.must_be_unchanged(&Request::default(), &recipe).unwrap_err().kind(), "input_changed");
        std::fs::remove_file(folder.path().join("anna/2.png")).unwrap();
        std::fs::write(folder.path().join("anna/1.png"), "two").unwrap();
        let second = hash(&recipe);
        assert!(still(&before.marks().unwrap(), &Request::default(), &recipe, false).unwrap().is_none());
        std::fs::rename(folder.path().join("anna"), folder.path().join("berta")).unwrap();
        assert!(first != second && second != hash(&recipe) && first != hash(&Recipe::default()));
        recipe.face.enrolment += "/none";
        assert!(take(&recipe).is_err());
    }

    #[test]
    fn an_input_that_was_written_into_is_told_even_when_it_reads_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cues.srt");
        let request = Request { transcript: Some(path.clone()), ..Request::default() };
        let recipe = Recipe::default();
        std::fs::write(&path, "one").unwrap();
        let taken = Inputs::take(&request, &recipe).unwrap();
        taken.must_be_unchanged(&request, &recipe).unwrap();
        // Another name for it changes no content.
        std::fs::hard_link(&path, folder.path().join("other")).unwrap();
        taken.must_be_unchanged(&request, &recipe).unwrap();
        // There and back again: what was read in between is not known.
        std::thread::sleep(std::time::Duration::from_millis(20));
        std::fs::write(&path, "two").unwrap();
        std::fs::write(&path, "one").unwrap();
        let e = taken.must_be_unchanged(&request, &recipe).unwrap_err();
        assert!(e.to_string().contains("cues.srt was changed while it was read"), "{e}");
        std::fs::remove_file(&path).unwrap();
        assert_eq!(taken.must_be_unchanged(&request, &recipe).unwrap_err().kind(), "input_changed");
    }
}
