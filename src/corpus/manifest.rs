//! The corpus manifest: a CSV file with one interview a line.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use super::names::Names;
use crate::error::Result;
use crate::file;
use crate::media::SubtitlePick;
use crate::pipeline::Request;
use crate::sheet::{Row, Sheet};
use crate::speaker::SpeakerBounds;
use crate::spelling::folded;
use crate::store::paths::check_interview_id;

const REQUIRED: [&str; 2] = ["interview_id", "media"];
const COLUMNS: [&str; 11] = [
    "interview_id",
    "media",
    "transcript",
    "audio",
    "rttm",
    "sample_id",
    "group",
    "roles",
    "speakers",
    "min_speakers",
    "max_speakers",
];

/// Characters that Linux takes in names and the disks of others do not.
const UNPORTABLE: [char; 7] = ['<', '>', ':', '"', '|', '?', '*'];

/// True when the file is to be read as a manifest rather than as media: by its suffix.
pub fn is_manifest(path: &Path) -> bool {
    path.extension().is_some_and(|e| e.eq_ignore_ascii_case("csv"))
}

/// Reads a manifest: columns `interview_id, media, transcript`, optional `audio, rttm, sample_id, group, roles,
/// speakers, min_speakers, max_speakers`; paths relative to the manifest. `roles` is a list of `speaker=role` parted by
/// semicolons. Columns that begin with `x_` or `note` are the user's
/// own. An empty `media` means transcript only; a `transcript` of `embedded`, `embedded:eng` or
/// `embedded:2` (language, stream) the media's own subtitles. Rows of empty cells are passed over.
///
/// # Errors
/// [`crate::error::Error::Read`], or [`crate::error::Error::Parse`] with line and column: those of [`Sheet::read`], an
/// unknown column, a missing id, a number that is none, an id that is used twice, differs from another in case alone,
/// would leave the output folder or cannot be a file everywhere, a group spelled in two ways, a role without a speaker,
/// a cell with control characters.
pub fn read_manifest(path: &Path) -> Result<Vec<Request>> {
    let sheet = Sheet::read(path)?;
    let hint =
        format!("a manifest has the columns interview_id, media, transcript; optional are {}", COLUMNS[3..].join(", "));
    sheet.require(&REQUIRED, &hint)?;
    sheet.allow_only(&COLUMNS)?;
    let folder = path.parent().map(Path::to_owned).unwrap_or_default();
    let mut names = Names::default();
    let mut groups: HashMap<String, (String, usize)> = HashMap::new();
    let mut requests = Vec::new();
    for row in sheet.rows() {
        let request = request(&row, &folder)?;
        let place = format!("line {}", row.line());
        names
            .add(&request.interview_id, &place)
            .map_err(|what| row.fail(what, "give every interview a name of its own"))?;
        if let Some(group) = &request.group {
            let (known, line) = groups.entry(folded(group)).or_insert_with(|| (group.clone(), row.line()));
            if known != group {
                let what = format!("group \"{group}\" is \"{known}\" in line {line}");
                return Err(row.fail(what, "write one group in one way: no fold may part it"));
            }
        }
        requests.push(request);
    }
    if requests.is_empty() {
        return Err(crate::error::Error::parse(path, 0, "no interviews below the header", "write one line for each"));
    }
    let unportable = |r: &&Request| r.interview_id.contains(UNPORTABLE);
    if let Some(first) = requests.iter().find(unportable) {
        let (n, id) = (requests.iter().filter(unportable).count(), &first.interview_id);
        tracing::warn!(
            "{n} interview ids hold characters of {UNPORTABLE:?}, such as {id:?}: the tables cannot be copied to \
             every disk"
        );
    }
    Ok(requests)
}

/// What one row asks for.
fn request(row: &Row<'_>, folder: &Path) -> Result<Request> {
    for name in COLUMNS {
        if let Some(control) = row.cell(name).and_then(|c| c.chars().find(|c| ['\n', '\r', '\0'].contains(c))) {
            return Err(row.fail(
                format!("{name} holds the control character {control:?}"),
                "is a quote not closed? take it out",
            ));
        }
    }
    let file = |name: &str| row.cell(name).map(|c| folder.join(c));
    let number = |name: &str| -> Result<Option<u32>> {
        let parse = |c: &str| c.parse::<u32>().ok().filter(|n| *n > 0);
        row.cell(name)
            .map(|c| parse(c).ok_or_else(|| row.fail(format!("{name} is \"{c}\""), "give a whole number above 0")))
            .transpose()
    };
    let id = row
        .cell("interview_id")
        .ok_or_else(|| row.fail("no interview_id", "give every interview a name of its own"))?;
    check_interview_id(id).map_err(|e| row.fail(e.to_string(), "choose another interview_id"))?;
    if ["media", "audio", "transcript"].iter().all(|name| row.cell(name).is_none()) {
        return Err(row.fail(format!("{id} has neither media nor a transcript"), "name at least one of them"));
    }
    let embedded = row.cell("transcript").and_then(SubtitlePick::parse);
    if embedded.is_some() && ["media", "audio"].iter().all(|name| row.cell(name).is_none()) {
        return Err(row.fail(
            format!("{id} has no media whose subtitles are the transcript"),
            "name the media, or write ./embedded where that is the name of a file",
        ));
    }
    if row.cell("sample_id").is_some() && row.cell("transcript").is_none() {
        return Err(row.fail(format!("{id} has a sample_id and no transcript to find it in"), "name the transcript"));
    }
    let bounds =
        SpeakerBounds { exact: number("speakers")?, min: number("min_speakers")?, max: number("max_speakers")? };
    bounds.range().map_err(|e| row.fail(e.to_string(), "correct the speaker numbers"))?;
    Ok(Request {
        interview_id: id.to_owned(),
        media_name: row.cell("media").map(|cell| file::without_place(cell).to_owned()).unwrap_or_default(),
        media: file("media"),
        audio: file("audio"),
        transcript: file("transcript").filter(|_| embedded.is_none()),
        embedded,
        rttm: file("rttm"),
        sample_id: row.cell("sample_id").map(ToOwned::to_owned),
        group: row.cell("group").map(ToOwned::to_owned),
        roles: roles(row)?,
        bounds,
        corrections: Vec::new(),
        folder: if folder.as_os_str().is_empty() { ".".into() } else { folder.to_owned() },
    })
}

/// `Anna=therapist; Bo=client`: role by speaker, as the transcript writes them.
fn roles(row: &Row<'_>) -> Result<BTreeMap<String, String>> {
    let mut roles = BTreeMap::new();
    for part in row.cell("roles").unwrap_or_default().split(';').map(str::trim).filter(|p| !p.is_empty()) {
        let hint = "write speaker=role, parted by semicolons: Anna=therapist; Bo=client";
        let pair = part.rsplit_once('=').map(|(speaker, role)| (speaker.trim(), role.trim()));
        let Some((speaker, role)) = pair.filter(|(speaker, role)| !speaker.is_empty() && !role.is_empty()) else {
            return Err(row.fail(format!("roles holds \"{part}\""), hint));
        };
        if roles.insert(speaker.to_owned(), role.to_owned()).is_some() {
            return Err(row.fail(format!("roles names \"{speaker}\" twice"), hint));
        }
    }
    Ok(roles)
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
        let text = "\u{feff}interview_id,media,transcript,max_speakers,x_mood\r\na/b, v.mp4 ,t.srt,3,good\r\n,,,,\r\nc,,t.json,,\r\n";
        let r = read(text).unwrap();
        assert_eq!(r.len(), 2, "a row of empty cells is none");
        assert_eq!((r[0].interview_id.as_str(), r[0].media_name.as_str()), ("a/b", "v.mp4"));
        assert_eq!(read("interview_id,media\na,/home/anna/v.mp4\nb,../v.mp4\n").unwrap()[0].media_name, "v.mp4");
        assert!(r[0].media.as_ref().unwrap().is_absolute() && r[0].media.as_ref().unwrap().ends_with("v.mp4"));
        assert_eq!(r[0].bounds, SpeakerBounds { exact: None, min: None, max: Some(3) });
        assert!(r[1].media.is_none() && r[1].transcript.is_some());
    }

    #[test]
    fn roles_are_speakers_and_what_they_are() {
        let r = read("interview_id,media,roles\na,b,Anna = therapist; Bo=client;\nc,d,\n").unwrap();
        let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
        assert_eq!(r[0].roles, BTreeMap::from([pair("Anna", "therapist"), pair("Bo", "client")]));
        assert!(r[1].roles.is_empty());
    }

    #[test]
    fn what_is_wrong_is_told_with_its_line() {
        for (text, expected) in [
            ("id,file\na,b\n", "no column \"interview_id\" in the header \"id, file\""),
            ("interview_id,media\na,b\na,c\n", "corpus.csv:3: interview_id \"a\" is used twice"),
            (
                "interview_id,media\nAnn,b\n\nann,c\n",
                "corpus.csv:4: interview_id \"ann\" differs from \"Ann\" (line 2) only in case",
            ),
            ("interview_id,media\nZo\u{e9},b\nZoe\u{301},c\n", "corpus.csv:3: interview_id \"Zoe\u{301}\" differs"),
            ("interview_id,media,min_speakers\na,b,two\n", "corpus.csv:2: min_speakers is \"two\""),
            (
                "interview_id,media,min_speaker\na,b,2\n",
                "corpus.csv:1: unknown column \"min_speaker\"; did you mean \"min_speakers\"?",
            ),
            ("interview_id,media,media\na,b,c\n", "corpus.csv:1: two columns are called \"media\""),
            ("interview_id|media\na|b\n", "corpus.csv:1: the cells are separated by bars"),
            ("interview_id,media\n../a,b\n", "../a"),
            ("interview_id,media\na.parquet/b,b\n", "corpus.csv:2: interview id \"a.parquet/b\""),
            ("interview_id,media\nCON,b\n", "corpus.csv:2: interview id \"CON\""),
            ("interview_id,media\na,\"b\nc,d\"\n", "corpus.csv:2: media holds the control character '\\n'"),
            ("interview_id,media,transcript\na,,\n", "corpus.csv:2: a has neither media nor a transcript"),
            ("interview_id,media,sample_id\na,b,s\n", "corpus.csv:2: a has a sample_id and no transcript"),
            ("interview_id,media,roles\na,b,Anna\n", "corpus.csv:2: roles holds \"Anna\""),
            ("interview_id,media,roles\na,b,A=x; A = y\n", "corpus.csv:2: roles names \"A\" twice"),
            ("interview_id,media,group\na,b,G1\nb,b,g1\n", "corpus.csv:3: group \"g1\" is \"G1\" in line 2"),
            ("interview_id,media\n,b\n", "corpus.csv:2: no interview_id"),
            ("interview_id,media\na,b,c\n", "corpus.csv:2"),
            ("interview_id,media,min_speakers,max_speakers\na,b,3,2\n", "corpus.csv:2"),
            ("interview_id,media\n", "no interviews below the header"),
            ("interview_id,media\n,\n,\n", "no interviews below the header"),
        ] {
            let e = read(text).unwrap_err().to_string();
            assert!(e.contains(expected), "{text:?}: {e}");
        }
    }
}
