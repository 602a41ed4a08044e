//! The corpus manifest: a CSV file with one interview a line.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::file;
use crate::output::paths::check_interview_id;
use crate::pipeline::Request;
use crate::speaker::SpeakerBounds;

const REQUIRED: [&str; 2] = ["interview_id", "media"];
const OPTIONAL: [&str; 8] = ["transcript", "audio", "rttm", "sample_id", "group", "speakers", "min_speakers", "max_speakers"];

/// True when the file is to be read as a manifest rather than as media: by its suffix.
pub fn is_manifest(path: &Path) -> bool {
    path.extension().is_some_and(|e| e.eq_ignore_ascii_case("csv"))
}

/// Reads a manifest: columns `interview_id, media, transcript`, optional `audio, rttm, sample_id, group, speakers, min_speakers,
/// max_speakers`; paths relative to the manifest. Other columns are left alone. An empty `media` means transcript only.
///
/// # Errors
/// [`Error::Read`], or [`Error::Parse`] with line and column for a wrong header, a missing id, a number that is none, an id that is used
/// twice or would leave the output folder, a line with more or fewer cells than the header.
pub fn read_manifest(path: &Path) -> Result<Vec<Request>> {
    let bytes = file::read(path)?;
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
    let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(bytes);
    let fail = |line: usize, what: String, hint: &str| Error::parse(path, line, what, hint);
    let header = reader.headers().map_err(|e| fail(1, e.to_string(), "a manifest is a UTF-8 CSV file"))?.clone();
    let place = |name: &str| header.iter().position(|h| h == name);
    if let Some(missing) = REQUIRED.iter().find(|n| place(n).is_none()) {
        let found = header.iter().collect::<Vec<_>>().join(", ");
        let hint = format!("a manifest has the columns interview_id, media, transcript; optional are {}", OPTIONAL[1..].join(", "));
        return Err(fail(1, format!("no column \"{missing}\" in the header \"{found}\""), &hint));
    }
    for unknown in header.iter().filter(|h| !REQUIRED.contains(h) && !OPTIONAL.contains(h)) {
        tracing::warn!("{}: column \"{unknown}\" is not used; known are {}, {}", path.display(), REQUIRED.join(", "), OPTIONAL.join(", "));
    }
    let folder = path.parent().map(Path::to_owned).unwrap_or_default();
    let mut seen = HashSet::new();
    let mut requests = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|e| {
            let line = e.position().map_or(0, |p| p.line() as usize);
            fail(line, e.to_string(), "each line needs as many cells as the header; quote cells that hold commas")
        })?;
        let line = record.position().map_or(0, |p| p.line() as usize);
        let cell = |name: &str| place(name).and_then(|i| record.get(i)).filter(|c| !c.is_empty());
        let file = |name: &str| cell(name).map(|c| resolve(&folder, c));
        let number = |name: &str| -> Result<Option<u32>> {
            cell(name)
                .map(|c| {
                    c.parse::<u32>()
                        .ok()
                        .filter(|n| *n > 0)
                        .ok_or_else(|| fail(line, format!("{name} is \"{c}\""), "give a whole number above 0"))
                })
                .transpose()
        };
        let id = cell("interview_id").ok_or_else(|| fail(line, "no interview_id".into(), "give every interview a name of its own"))?;
        check_interview_id(id).map_err(|e| fail(line, e.to_string(), "choose another interview_id"))?;
        if !seen.insert(id.to_owned()) {
            return Err(fail(line, format!("interview_id \"{id}\" is used twice"), "give every interview a name of its own"));
        }
        if ["media", "audio", "transcript"].iter().all(|name| cell(name).is_none()) {
            return Err(fail(line, format!("{id} has neither media nor a transcript"), "name at least one of them"));
        }
        let bounds = SpeakerBounds { exact: number("speakers")?, min: number("min_speakers")?, max: number("max_speakers")? };
        bounds.range().map_err(|e| fail(line, e.to_string(), "correct the speaker numbers"))?;
        requests.push(Request {
            interview_id: id.to_owned(),
            media_name: cell("media").map(media_name).unwrap_or_default(),
            media: file("media"),
            audio: file("audio"),
            transcript: file("transcript"),
            rttm: file("rttm"),
            sample_id: cell("sample_id").map(ToOwned::to_owned),
            group: cell("group").map(ToOwned::to_owned),
            bounds,
            folder: if folder.as_os_str().is_empty() { ".".into() } else { folder.clone() },
        });
    }
    if requests.is_empty() {
        return Err(fail(0, "no interviews below the header".into(), "write one line for each"));
    }
    Ok(requests)
}

/// The cell; where it is an absolute path, the file's name: tables say nothing of where a corpus lies.
fn media_name(cell: &str) -> String {
    let path = Path::new(cell);
    let name = path.file_name().filter(|_| path.is_absolute());
    name.map_or_else(|| cell.to_owned(), |n| n.to_string_lossy().into_owned())
}

fn resolve(folder: &Path, cell: &str) -> PathBuf {
    folder.join(cell)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<Request>> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("corpus.csv");
        std::fs::write(&path, text).unwrap();
        read_manifest(&path)
    }

    #[test]
    fn paths_are_relative_to_the_manifest_and_empty_cells_are_nothing() {
        let r = read("\u{feff}interview_id,media,transcript,max_speakers,mood\r\na/b, v.mp4 ,t.srt,3,good\r\nc,,t.json,,\r\n").unwrap();
        assert_eq!((r[0].interview_id.as_str(), r[0].media_name.as_str()), ("a/b", "v.mp4"));
        assert_eq!(read("interview_id,media\na,/home/anna/v.mp4\nb,../v.mp4\n").unwrap()[0].media_name, "v.mp4");
        assert!(r[0].media.as_ref().unwrap().is_absolute() && r[0].media.as_ref().unwrap().ends_with("v.mp4"));
        assert_eq!(r[0].bounds, SpeakerBounds { exact: None, min: None, max: Some(3) });
        assert!(r[1].media.is_none() && r[1].transcript.is_some());
    }

    #[test]
    fn what_is_wrong_is_told_with_its_line() {
        for (text, expected) in [
            ("id,file\na,b\n", "no column \"interview_id\" in the header \"id, file\""),
            ("interview_id,media\na,b\na,c\n", "corpus.csv:3: interview_id \"a\" is used twice"),
            ("interview_id,media,min_speakers\na,b,two\n", "corpus.csv:2: min_speakers is \"two\""),
            ("interview_id,media\n../a,b\n", "../a"),
            ("interview_id,media,transcript\na,,\n", "corpus.csv:2: a has neither media nor a transcript"),
            ("interview_id,media\n,b\n", "corpus.csv:2: no interview_id"),
            ("interview_id,media\na,b,c\n", "corpus.csv:2"),
            ("interview_id,media,min_speakers,max_speakers\na,b,3,2\n", "corpus.csv:2"),
            ("interview_id,media\n", "no interviews below the header"),
        ] {
            let e = read(text).unwrap_err().to_string();
            assert!(e.contains(expected), "{text:?}: {e}");
        }
    }
}
