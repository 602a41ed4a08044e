//! What belongs together in a folder of recordings and transcripts, by the names alone: the draft of a manifest.
//!
//! Two files belong together when their names are one but for what says which kind of file it is (`anna_video.mp4` and
//! `anna_transcript.docx`), and so are their folders (`video/anna.mp4` and `transcripts/anna.srt`). Where a recording has
//! several transcripts, or a transcript several recordings, none is chosen.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::names::Names;
use crate::error::{Error, Result};
use crate::file;
use crate::spelling::folded;
use crate::store::paths::{check_interview_id, interviews_path};
use crate::transcript::{self, ReadOptions};

/// Suffixes of recordings.
const MEDIA: [&str; 44] = [
    "3g2", "3gp", "aac", "ac3", "aif", "aifc", "aiff", "amr", "asf", "au", "avi", "caf", "divx", "dv", "f4v", "flac",
    "flv", "m2ts", "m4a", "m4v", "mka", "mkv", "mov", "mp2", "mp3", "mp4", "mpeg", "mpg", "mts", "mxf", "oga", "ogg",
    "ogv", "opus", "qt", "rm", "spx", "ts", "vob", "w64", "wav", "webm", "wma", "wmv",
];

/// Words that tell a file's kind and not whose it is: alone a folder's name, or at the end of a file's.
const KINDS: [&str; 48] = [
    "annotation",
    "annotations",
    "asr",
    "audio",
    "audios",
    "caption",
    "captions",
    "chat",
    "corrected",
    "csv",
    "docx",
    "eaf",
    "elan",
    "film",
    "films",
    "json",
    "media",
    "mp4",
    "praat",
    "recording",
    "recordings",
    "rttm",
    "sound",
    "speech",
    "srt",
    "sub",
    "subs",
    "subtitle",
    "subtitles",
    "text",
    "texts",
    "textgrid",
    "ton",
    "transcript",
    "transcription",
    "transcriptions",
    "transcripts",
    "transkript",
    "transkripte",
    "txt",
    "video",
    "videos",
    "vtt",
    "wav",
    "whisper",
    "whisperx",
    "word",
    "words",
];

/// Languages that a transcript's name may end in.
const LANGUAGES: [&str; 24] = [
    "ar", "cs", "da", "de", "el", "en", "es", "fi", "fr", "he", "hu", "it", "ja", "ko", "nl", "no", "pl", "pt", "ro",
    "ru", "sv", "tr", "uk", "zh",
];

/// Folders below each other that are looked into.
const DEPTH: usize = 16;

/// Which files are looked at.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// Suffixes of transcripts, without a dot; empty: any, where the content is a transcript.
    pub transcripts: Vec<String>,
    /// Suffixes of recordings, without a dot; empty: all known ones.
    pub media: Vec<String>,
}

/// An interview of the draft; paths below the folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pair {
    /// Name of the interview.
    pub id: String,
    /// The recording.
    pub media: PathBuf,
    /// Its transcript.
    pub transcript: Option<PathBuf>,
    /// Its speech turns.
    pub rttm: Option<PathBuf>,
}

/// What was found; all paths below the folder, all lists in the order of names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Matched {
    /// One line of the manifest each.
    pub pairs: Vec<Pair>,
    /// Files that go by one name, of which it cannot be told which belong together; in no pair.
    pub ambiguous: Vec<Vec<PathBuf>>,
    /// Transcripts and speech turns without a recording.
    pub unmatched: Vec<PathBuf>,
    /// Files that would be in the draft but for what is said of them.
    pub refused: Vec<(PathBuf, String)>,
    /// Files that are neither recordings nor transcripts.
    pub others: Vec<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Media,
    Transcript,
    Rttm,
}

/// Looks through a folder.
///
/// # Errors
/// [`Error::Read`] where a folder cannot be listed, [`Error::Usage`] where there is none.
pub fn matched(folder: &Path, wanted: &Wanted) -> Result<Matched> {
    if !folder.is_dir() {
        let what = format!("there is no folder {}", folder.display());
        return Err(Error::Usage { what, hint: "name the folder of the recordings".into() });
    }
    let mut found = Matched::default();
    let mut groups: BTreeMap<String, Vec<(Kind, PathBuf)>> = BTreeMap::new();
    for path in files(folder, 0)? {
        let below = path.strip_prefix(folder).unwrap_or(&path).to_owned();
        let Some(name) = below.to_str() else {
            found.refused.push((below, "its name is no UTF-8".into()));
            continue;
        };
        if name.contains(['\n', '\r']) {
            found.refused.push((below, "its name holds a line break".into()));
            continue;
        }
        match kind(&path, wanted) {
            Some(kind) => groups.entry(folded(&key(&below))).or_default().push((kind, below)),
            None => found.others.push(below),
        }
    }
    let mut names = Names::default();
    for group in groups.into_values() {
        let of = |kind: Kind| group.iter().filter(|(k, _)| *k == kind).map(|(_, p)| p.clone()).collect::<Vec<_>>();
        let (media, transcripts, rttms) = (of(Kind::Media), of(Kind::Transcript), of(Kind::Rttm));
        match (&media[..], &transcripts[..], &rttms[..]) {
            ([], ..) => found.unmatched.extend(group.into_iter().map(|(_, path)| path)),
            ([media], [] | [_], [] | [_]) => {
                let id = key(media);
                match check_interview_id(&id).map_err(|e| e.to_string()).and_then(|()| names.add(&id, "another file")) {
                    Ok(()) => found.pairs.push(Pair {
                        id,
                        media: media.clone(),
                        transcript: transcripts.first().cloned(),
                        rttm: rttms.first().cloned(),
                    }),
                    Err(why) => found.refused.push((media.clone(), why)),
                }
            }
            _ => found.ambiguous.push(group.into_iter().map(|(_, path)| path).collect()),
        }
    }
    found.pairs.sort_by(|a, b| a.id.cmp(&b.id));
    found.unmatched.sort();
    Ok(found)
}

/// Every file below a folder in the order of names; hidden ones and folders that extract wrote are left out.
fn files(folder: &Path, depth: usize) -> Result<Vec<PathBuf>> {
    let mut all = Vec::new();
    for path in file::listed(folder)? {
        let hidden = path.file_name().is_some_and(|n| n.to_string_lossy().starts_with('.'));
        if hidden {
            continue;
        }
        if path.is_file() {
            all.push(path);
        } else if path.is_dir() && depth < DEPTH && !interviews_path(&path).exists() {
            all.extend(files(&path, depth + 1)?);
        }
    }
    Ok(all)
}

/// What a file is, by its suffix; transcripts by their content too.
fn kind(path: &Path, wanted: &Wanted) -> Option<Kind> {
    let suffix = path.extension()?.to_str()?.to_lowercase();
    let named = |list: &[String]| list.iter().any(|s| s.trim_start_matches('.').eq_ignore_ascii_case(&suffix));
    if named(&wanted.media) {
        return Some(Kind::Media);
    }
    // MPEG's transport streams share a suffix with translations; the first byte of each packet is 0x47.
    if MEDIA.contains(&suffix.as_str()) {
        return wanted.media.is_empty().then_some(Kind::Media);
    }
    if suffix == "rttm" {
        return Some(Kind::Rttm);
    }
    if named(&wanted.transcripts) {
        return Some(Kind::Transcript);
    }
    let is_one = wanted.transcripts.is_empty() && transcript::read(path, &ReadOptions::default()).is_ok();
    is_one.then_some(Kind::Transcript)
}

/// The name of what a file is of: its path without suffix, folders that name a kind, and words that do so at its end. A
/// file that is named by its kind alone (`anna/video.mp4`) goes by its folder.
fn key(below: &Path) -> String {
    let folders = below.parent().into_iter().flat_map(Path::iter).map(|f| f.to_string_lossy().into_owned());
    let mut parts: Vec<String> = folders.filter(|folder| !KINDS.contains(&folder.to_lowercase().as_str())).collect();
    let stem = below.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let mut rest = stem.as_str();
    loop {
        let (before, last) = match rest.rfind(['.', '_', '-', ' ']) {
            Some(at) => (&rest[..at], &rest[at + 1..]),
            None => ("", rest),
        };
        let word = last.to_lowercase();
        // A name may be a language's (`interview_no`): as the whole of it, it is not taken off.
        let takes = KINDS.contains(&word.as_str()) || (!before.is_empty() && LANGUAGES.contains(&word.as_str()));
        if rest.is_empty() || !takes {
            break;
        }
        rest = before.trim_end_matches(['.', '_', '-', ' ']);
    }
    // Without a folder to go by, the name stays as it is.
    if rest.is_empty() && parts.is_empty() {
        rest = &stem;
    }
    parts.extend((!rest.is_empty()).then(|| rest.trim().to_owned()));
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    const SRT: &str = "1\n00:00:01,000 --> 00:00:02,000\nAnna: hello there\n";

    fn look(files: &[&str], wanted: &Wanted) -> Matched {
        let root = tempfile::tempdir().unwrap();
        for name in files {
            let path = root.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            let is_text = ["srt", "vtt"].iter().any(|s| name.ends_with(s));
            std::fs::write(path, if is_text { SRT } else { "nothing" }).unwrap();
        }
        matched(root.path(), wanted).unwrap()
    }

    fn lines(found: &Matched) -> Vec<String> {
        let name = |p: &Option<PathBuf>| p.as_ref().map_or_else(|| "-".into(), |p| p.display().to_string());
        let line = |p: &Pair| format!("{} {} {} {}", p.id, p.media.display(), name(&p.transcript), name(&p.rttm));
        found.pairs.iter().map(line).collect()
    }

    #[test]
    fn names_that_are_one_but_for_their_kind_belong_together() {
        let found = look(
            &[
                "a.mp4",
                "a.srt",
                "b_video.MP4",
                "b_transcript.en.srt",
                "b.rttm",
                "video/c.mov",
                "transcripts/C.srt",
                "couple 1/video.mp4",
                "couple 1/subtitles.srt",
                "alone.wav",
                "show/video/d.mp4",
                "show/srt/d-de.srt",
            ],
            &Wanted::default(),
        );
        assert_eq!(
            lines(&found),
            [
                "a a.mp4 a.srt -",
                "alone alone.wav - -",
                "b b_video.MP4 b_transcript.en.srt b.rttm",
                "c video/c.mov transcripts/C.srt -",
                "couple 1 couple 1/video.mp4 couple 1/subtitles.srt -",
                "show/d show/video/d.mp4 show/srt/d-de.srt -",
            ]
        );
        assert_eq!((found.ambiguous.len(), found.unmatched.len(), found.others.len()), (0, 0, 0), "{found:?}");
    }

    #[test]
    fn what_is_not_one_to_one_is_told_and_not_chosen() {
        let all = ["a.mp4", "a.srt", "a.vtt", "b.mp4", "b.wav", "b.srt", "c.srt", "x/d.mp4", "y/d.srt", "notes.txt"];
        let found = look(&all, &Wanted::default());
        // Of one name in folders of their own: the folders may be two couples.
        assert_eq!(lines(&found), ["x/d x/d.mp4 - -"]);
        let names: Vec<usize> = found.ambiguous.iter().map(Vec::len).collect();
        assert_eq!(names, [3, 3]);
        assert_eq!(found.unmatched, [PathBuf::from("c.srt"), PathBuf::from("y/d.srt")]);
        assert_eq!(found.others, [PathBuf::from("notes.txt")]);
        let wanted = Wanted { transcripts: vec!["srt".into()], media: vec![".MP4".into()] };
        let found = look(&all, &wanted);
        assert_eq!(lines(&found), ["a a.mp4 a.srt -", "b b.mp4 b.srt -", "x/d x/d.mp4 - -"]);
        assert_eq!(found.others, ["a.vtt", "b.wav", "notes.txt"].map(PathBuf::from));
    }

    #[test]
    fn parts_of_names_that_tell_people_apart_stay() {
        for (path, expected) in [
            ("anna_1.mp4", "anna_1"),
            ("anna.en.srt", "anna"),
            ("anna_video_transcript.srt", "anna"),
            ("de.mp4", "de"),
            ("video.mp4", "video"),
            ("video/video.mp4", "video"),
            ("x/audio/transcript.srt", "x"),
            ("wordsmith.srt", "wordsmith"),
            ("the word.srt", "the"),
        ] {
            assert_eq!(key(Path::new(path)), expected, "{path}");
        }
    }

    #[test]
    fn hidden_files_and_what_extract_wrote_are_not_looked_at() {
        let found = look(&[".a.mp4", ".cache/b.mp4", "out/interviews.parquet", "out/voice/c.wav"], &Wanted::default());
        assert_eq!(found, Matched::default());
        let as_csv = look(&["out/interviews.csv", "out/voice/c.wav"], &Wanted::default());
        assert_eq!(as_csv, Matched::default());
        assert!(matched(Path::new("/nowhere"), &Wanted::default()).is_err());
    }
}
