//! What tables tell of the world around an interview: files by the names the manifest gives them, never where they lie
//! on this machine.

use std::path::{Path, PathBuf};

use super::Request;
use super::inputs::below;
use crate::error::{Error, Result};
use crate::file::without_place;
use crate::inference::file_sha256;
use crate::recipe::{Recipe, short_hash};
use crate::text::{clean, clean_in_place};
use crate::warning::Warning;

/// The last part of a path.
pub(super) fn file_name(path: &Path) -> String {
    path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default()
}

/// The recipe as tables carry it: for the folders of enrolment and the dictionary a hash of what lies in them, so that
/// the recipe's own hash is that of the enrolled voices and faces and not of their place.
pub(super) fn recipe(recipe: &Recipe) -> Recipe {
    let mark = |place: &str| match contents(Path::new(place)) {
        _ if place.is_empty() => String::new(),
        Ok(all) => {
            format!(
                "sha256:{}",
                short_hash(all.iter().map(|(name, hash)| format!("{name}\0{hash}\n")).collect::<String>().as_bytes())
            )
        }
        // The interview fails for it, and its row must still be written.
        Err(_) => "unreadable".to_owned(),
    };
    recipe.told(
        mark(&recipe.speaker.enrolment.voices),
        mark(&recipe.face.enrolment),
        mark(&recipe.turns.language.dictionary),
    )
}

/// Name and hash of a file, or of every file in a folder, in order; none for an empty path.
fn contents(path: &Path) -> Result<Vec<(String, String)>> {
    let mut files = Vec::new();
    if !path.as_os_str().is_empty() {
        below("", path, &mut files)?;
    }
    files.sort();
    files.into_iter().map(|(name, path)| Ok((name, file_sha256(&path)?))).collect()
}

/// Media name, group and warnings of an interview's row, fit for a table; a warning more where the request's own texts
/// had to be changed.
pub(super) fn words(
    request: &Request,
    recipe: &Recipe,
    warnings: Vec<String>,
) -> (String, Option<String>, Vec<String>) {
    let (mut media, mut group) = (request.media_name.clone(), request.group.clone());
    let changed = usize::from(clean_in_place(&mut media)) + usize::from(group.as_mut().is_some_and(clean_in_place));
    let mut warnings: Vec<String> = warnings.iter().map(|w| without_places(w, &known(request, recipe))).collect();
    if changed > 0 {
        warnings.push(Warning::ControlCharacters { count: changed, what: "texts of the manifest" }.to_string());
    }
    warnings.sort();
    (media, group, warnings)
}

/// The error with all its causes, fit for a table.
pub(super) fn error(request: &Request, recipe: &Recipe, error: &Error) -> String {
    let mut known = known(request, recipe);
    if let Some(path) = error.path().filter(|p| known.iter().all(|(k, _)| k != *p)) {
        known.push((path.to_owned(), file_name(path)));
    }
    without_places(&error.chain(), &known)
}

/// A text about an interview, fit for a file beside its tables: it tells no place.
pub fn told_text(request: &Request, recipe: &Recipe, text: &str) -> String {
    without_places(text, &known(request, recipe))
}

/// Paths that a message may hold, each with the name that stands for it, files before the folders they lie in.
fn known(request: &Request, recipe: &Recipe) -> Vec<(PathBuf, String)> {
    let files = request.files().map(|(_, path)| (path.clone(), name_of(path, &request.folder)));
    let mut all: Vec<(PathBuf, String)> = files.collect();
    let places = [&recipe.speaker.enrolment.voices, &recipe.face.enrolment, &recipe.turns.language.dictionary];
    all.extend(places.map(PathBuf::from).into_iter().map(|place| (place.clone(), file_name(&place))));
    // These may be called after the user.
    let home = std::env::var_os("HOME").map(|home| (PathBuf::from(home), "~"));
    let here = std::env::current_dir().ok().map(|here| (here, "."));
    let folders = [(request.folder.clone(), "."), (std::env::temp_dir(), "TMPDIR")];
    let folders = folders.into_iter().chain(home).chain(here).filter(|(place, _)| place.components().count() > 1);
    all.extend(folders.map(|(place, mark)| (place, mark.to_owned())));
    all
}

/// The name that stands for a file of the request in what is told of it.
pub(super) fn name(request: &Request, path: &Path) -> String {
    name_of(path, &request.folder)
}

/// As the manifest writes it: relative to its folder; else the file's name.
fn name_of(path: &Path, folder: &Path) -> String {
    let below = if folder.as_os_str().is_empty() { path } else { path.strip_prefix(folder).unwrap_or(path) };
    let by_manifest = !folder.as_os_str().is_empty() && below.is_relative();
    if by_manifest { without_place(&below.to_string_lossy()).to_owned() } else { file_name(path) }
}

/// Known paths give way to their names, the longest first, then every other absolute path to its last part; nothing
/// that steers a terminal is left.
fn without_places(text: &str, known: &[(PathBuf, String)]) -> String {
    let mut known: Vec<(String, &String)> =
        known.iter().map(|(path, name)| (path.display().to_string(), name)).collect();
    known.sort_by_key(|(path, _)| std::cmp::Reverse(path.len()));
    let mut told = text.to_owned();
    for (path, name) in known.iter().filter(|(path, _)| path.contains('/')) {
        told = told.replace(path.as_str(), name);
    }
    clean(&without_absolute(&told)).into_owned()
}

fn without_absolute(text: &str) -> String {
    let mut told = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('/') {
        let (before, from) = rest.split_at(at);
        told.push_str(before);
        let begins = told.chars().next_back().is_none_or(|c| c.is_whitespace() || "\"'`([{<=,;:".contains(c));
        let end = from.find(|c: char| c.is_whitespace() || "\"'`)]}>,;:".contains(c)).unwrap_or(from.len());
        let path = from[..end].trim_end_matches('/');
        // One part alone may be a fraction, a tag or a slash of the text's own.
        let kept = if begins && path.matches('/').count() > 1 && !path.starts_with("//") {
            path.rsplit('/').next().unwrap_or_default()
        } else {
            &from[..end.max(1)]
        };
        told.push_str(kept);
        rest = &from[end.max(1)..];
    }
    told + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request() -> Request {
        Request {
            interview_id: "a".into(),
            media_name: "films/a b.mp4".into(),
            media: Some("/home/anna maria/corpus/films/a b.mp4".into()),
            transcript: Some("/srv/other place/t.srt".into()),
            folder: "/home/anna maria/corpus".into(),
            ..Request::default()
        }
    }

    #[test]
    fn files_are_named_as_the_manifest_does_and_nothing_tells_a_place() {
        let (request, mut recipe) = (request(), Recipe::default());
        recipe.speaker.enrolment.voices = "/home/anna maria/known voices".into();
        let told = |e: Error| super::error(&request, &recipe, &e);
        let io = |text: &str| std::io::Error::other(text.to_owned());
        assert_eq!(
            told(Error::media("/home/anna maria/corpus/films/a b.mp4", io("bad"))),
            "cannot read media films/a b.mp4: bad"
        );
        assert_eq!(told(Error::parse("/srv/other place/t.srt", 3, "x", "y")), "t.srt:3: x; y");
        let voice = "/home/anna maria/known voices/ben.wav";
        assert_eq!(told(Error::Read { path: voice.into(), source: io("gone") }), "cannot read ben.wav: gone");
        let named = Error::Usage { what: format!("{voice} is silent"), hint: "speak".into() };
        assert_eq!(told(named), "known voices/ben.wav is silent; speak");
        let log = "ended: signal 11: file:/opt/x/y.so(3) at '/usr/lib/z', 1/2 of http://a.b/c, a/b";
        let e = Error::Worker { interview: "a".into(), what: log.into() };
        assert_eq!(
            told(e),
            "the worker for interview a ended: signal 11: file:y.so(3) at 'z', 1/2 of http://a.b/c, a/b"
        );
        assert_eq!(
            told(Error::write("/srv/out put/turns/a.parquet", io("disk \u{1b}[31mfull"))),
            "cannot write a.parquet: disk \u{fffd}[31mfull"
        );
    }

    #[test]
    fn a_recipe_is_known_by_what_is_enrolled_and_not_by_where() {
        let folder = tempfile::tempdir().unwrap();
        let voices = |place: &str| {
            let path = folder.path().join(place).join("voices");
            std::fs::create_dir_all(&path).unwrap();
            std::fs::write(path.join("ben.wav"), "one").unwrap();
            let mut recipe = Recipe::default();
            recipe.speaker.enrolment.voices = path.to_str().unwrap().into();
            recipe
        };
        let (here, there) = (voices("here"), voices("there"));
        let told = |r: &Recipe| super::recipe(r).canonical_json().unwrap();
        assert!(
            told(&here) == told(&there) && !told(&here).contains(folder.path().to_str().unwrap()),
            "{}",
            told(&here)
        );
        let before = super::recipe(&here).hash().unwrap();
        std::fs::write(folder.path().join("here/voices/ben.wav"), "two").unwrap();
        assert_ne!(before, super::recipe(&here).hash().unwrap());
        std::fs::remove_dir_all(folder.path().join("here")).unwrap();
        assert!(told(&here).contains("\"voices\":\"unreadable\""));
        assert_eq!(told(&Recipe::default()), Recipe::default().canonical_json().unwrap());
    }

    #[test]
    fn the_manifests_own_words_are_fit_for_a_table_and_the_change_is_told() {
        let request = Request { media_name: "a\u{1b}[2J.mp4".into(), group: Some("x\ty".into()), ..request() };
        let (media, group, warnings) =
            words(&request, &Recipe::default(), vec!["b: /home/anna maria/corpus/films/a b.mp4".into()]);
        assert_eq!((media.as_str(), group.as_deref()), ("a\u{fffd}[2J.mp4", Some("x y")));
        assert!(
            warnings[0] == "b: films/a b.mp4" && warnings[1].starts_with("control_characters: 2 texts of the manifest"),
            "{warnings:?}"
        );
    }
}
