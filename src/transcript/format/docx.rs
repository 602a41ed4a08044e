//! Word documents `.docx`: what Teams, Stream and Word itself write of a recording, and the texts of other services in a
//! document. Its paragraphs are read as lines of text.

use std::io::{Cursor, Read as _};

use super::stamped::{self, Passage};
use super::{Entry, Input, Sign, descript, f4, otter, rev_text};
use crate::error::Result;
use crate::transcript::clock;
use crate::transcript::draft::{CUT, Draft, short};
use crate::transcript::markup;
use crate::transcript::xml::{self, Inside, Node, Tree};

const EXPECTED: &str = "expected `0:0:1.5 --> 0:0:3.0` with a name and words below, or `Name   0:03` with words below; save \
                        the transcript as WebVTT from Teams, or as plain text";

/// The part of the archive that holds the words.
const WORDS: &str = "word/document.xml";

/// Longest document, unpacked: an archive must not fill the memory.
const MOST_BYTES: u64 = 256 << 20;

pub(super) const ENTRY: Entry = Entry {
    name: "Word document",
    help: "Word documents (Teams)",
    suffixes: &["docx"],
    signs: &[Sign::Beginning(|body| body.starts_with("PK\u{3}\u{4}"))],
    expected: "a Word document with clock times (Teams)",
    example: include_str!("docx_example.zip"),
    read: |input, draft| read(input, draft),
    ..Entry::PLAIN
};

/// The lines of a document, with `\n` between them.
///
/// # Errors
/// [`crate::error::Error::Parse`] for an archive that cannot be opened or holds no Word document.
pub(in crate::transcript) fn text(bytes: &[u8], draft: &mut Draft) -> Result<String> {
    let mut archive = match zip::ZipArchive::new(Cursor::new(bytes)) {
        Ok(archive) => archive,
        Err(e) => return Err(draft.fail(0, format!("a zip archive (docx?) that cannot be opened: {e}"), CUT)),
    };
    let names: Vec<String> = archive.file_names().flatten().map(std::borrow::Cow::into_owned).collect();
    if !names.iter().any(|n| n == WORDS) {
        let begins = |start: &str| names.iter().any(|n| n.starts_with(start));
        let what = match () {
            () if begins("xl/") => "a spreadsheet (xlsx)",
            () if names.iter().any(|n| n == "content.xml") => "an OpenDocument file (odt, ods)",
            () => "a zip archive",
        };
        let hint = "save it as docx, or as CSV or plain text; take a transcript out of an archive";
        return Err(draft.fail(0, format!("{what} that holds no Word document"), hint));
    }
    let mut document = Vec::new();
    let read = archive
        .by_name(WORDS)
        .map_err(|e| e.to_string())
        .and_then(|file| file.take(MOST_BYTES + 1).read_to_end(&mut document).map_err(|e| e.to_string()));
    if let Err(e) = read {
        return Err(draft.fail(0, format!("the words of the document cannot be unpacked: {e}"), CUT));
    }
    if document.len() as u64 > MOST_BYTES {
        return Err(draft.fail(0, format!("a document of more than {} MB", MOST_BYTES >> 20), "is it a transcript?"));
    }
    let document = String::from_utf8_lossy(&document);
    let tree = xml::parse(&document, "expected the XML of Word; save the document again", draft)?;
    let mut out = String::new();
    let skipped = write(&tree, tree.root(), &mut out);
    if skipped > 0 {
        draft.warn(format!("{skipped} deleted stretches of tracked changes are left out"));
    }
    Ok(out)
}

/// Writes the words of an element; tells how many stretches are deleted ones.
fn write(tree: &Tree, node: &Node, out: &mut String) -> usize {
    let mut deleted = 0;
    for child in tree.inside(node) {
        let Inside::Element(e) = child else { continue };
        match e.name.as_str() {
            "t" => out.push_str(&tree.text(e)),
            "tab" => out.push('\t'),
            "br" | "cr" => out.push('\n'),
            // What stands in its place has been written.
            "Fallback" => {}
            "del" | "moveFrom" => deleted += 1,
            _ => deleted += write(tree, e, out),
        }
        if e.name == "p" {
            out.push('\n');
        }
    }
    deleted
}

/// `0:0:1.5 --> 0:0:3.0`, a name, words.
fn timed(text: &str, draft: &mut Draft) -> Result<()> {
    let lines: Vec<&str> = text.lines().collect();
    let mut at = 0;
    let mut number = 0;
    while at < lines.len() {
        let Some(timing) = clock::timing(lines[at]) else {
            if !lines[at].trim().is_empty() && number == 0 {
                draft.warn(format!("{:?} stands above the first time and is no turn", short(lines[at])));
            }
            at += 1;
            continue;
        };
        number += 1;
        let place = at + 1;
        let behind = clock::words_behind_timing(lines[at]);
        let below = lines[at + 1..].iter().copied().take_while(|l| clock::timing(l).is_none());
        let below: Vec<&str> = behind.into_iter().chain(below).map(str::trim).filter(|l| !l.is_empty()).collect();
        at += 1;
        while at < lines.len() && clock::timing(lines[at]).is_none() {
            at += 1;
        }
        let (speaker, words) = match below.split_first() {
            Some((name, words)) if !words.is_empty() && stamped::is_name(name) => (Some(bare(name)), words),
            _ => (None, below.as_slice()),
        };
        match timing {
            Ok(segment) => draft.push(segment, speaker, markup::squeeze(&words.join(" ")), Vec::new()),
            Err(what) => draft.bad(place, format!("cue {number}: {what}"), EXPECTED)?,
        }
    }
    Ok(())
}

/// What Word's own transcription writes: `00:00:03 Speaker 1`, words below.
fn head(line: &str) -> Option<(f64, Option<&str>, &str)> {
    let (time, name) = line.trim().split_once(char::is_whitespace)?;
    let secs = stamped::clock_time(time).filter(|_| time.matches(':').count() == 2)?;
    stamped::is_name(name.trim()).then_some((secs, Some(bare(name)), ""))
}

/// A name without the colon behind it.
fn bare(name: &str) -> &str {
    name.trim_end_matches([':', '\u{ff1a}', ' '])
}

fn read(input: &Input, draft: &mut Draft) -> Result<()> {
    let text = input.text;
    if text.lines().any(|l| clock::timing(l).is_some()) {
        timed(text, draft)
    } else if f4::fits(text) {
        f4::read(text, draft)
    } else if rev_text::fits(text) {
        rev_text::read(text, draft)
    } else if otter::fits(text) {
        otter::read(text, draft)
    } else if descript::fits(text) {
        descript::read(text, draft)
    } else if text.lines().filter(|l| head(l).is_some()).count() >= 2 {
        let passages: Vec<Passage> = stamped::gather(text, head, draft);
        stamped::into_turns(passages, draft)
    } else {
        let first = short(text.lines().find(|l| !l.trim().is_empty()).unwrap_or(""));
        let what = format!("a Word document without clock times that are understood; it begins {first:?}");
        Err(draft.fail(0, what, EXPECTED))
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;
    use std::path::Path;

    use crate::transcript::tests::{LENIENT, STRICT, told, warned};
    use crate::transcript::{Format, Transcript, read_bytes};

    fn packed(name: &str, content: &str, method: zip::CompressionMethod) -> Vec<u8> {
        let mut bytes = std::io::Cursor::new(Vec::new());
        let mut writer = zip::ZipWriter::new(&mut bytes);
        writer.start_file(name, zip::write::SimpleFileOptions::default().compression_method(method)).unwrap();
        writer.write_all(content.as_bytes()).unwrap();
        writer.finish().unwrap();
        bytes.into_inner()
    }

    fn document(paragraphs: &[&str]) -> String {
        let text = |t: &str| t.replace('\n', "</w:t></w:r><w:r><w:br/></w:r><w:r><w:t xml:space=\"preserve\">");
        let all: String = paragraphs
            .iter()
            .map(|p| format!("<w:p><w:r><w:t xml:space=\"preserve\">{}</w:t></w:r></w:p>", text(p)))
            .collect();
        format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?><w:document xmlns:w=\"x\"><w:body>{all}</w:body></w:document>"
        )
    }

    fn docx(paragraphs: &[&str]) -> Vec<u8> {
        packed(super::WORDS, &document(paragraphs), zip::CompressionMethod::Deflated)
    }

    fn parse(paragraphs: &[&str]) -> Transcript {
        read_bytes(&docx(paragraphs), Path::new("a.docx"), &STRICT).unwrap_or_else(|e| panic!("{e}"))
    }

    fn complaint(bytes: &[u8]) -> String {
        read_bytes(bytes, Path::new("a.docx"), &STRICT).unwrap_err().to_string()
    }

    #[test]
    fn what_teams_and_word_write() {
        let t = parse(&["0:0:1.500 --> 0:0:3.250\nAnna Bell\nHello there, you.", "0:1:0.0 --> 0:1:2.0\nBo\nYes.\nNo."]);
        assert_eq!(
            (t.format, told(&t)),
            (Format::Docx, vec!["1.5-3.25 Anna Bell: Hello there, you.".into(), "60-62 Bo: Yes. No.".into()])
        );
        let t = parse(&["Weekly-20240101_100000", "Anna Bell   0:03\nHello there, you.", "Bo   0:07\nYes."]);
        assert_eq!(told(&t), ["3-7 Anna Bell: Hello there, you.", "7-8.333 Bo: Yes."]);
        assert!(warned(&t).contains("not where they end"), "{}", warned(&t));
        let t = parse(&["00:00:03 Speaker 1", "Hello there, you.", "00:00:06 Speaker 2", "Yes."]);
        assert_eq!(told(&t), ["3-6 Speaker 1: Hello there, you.", "6-7 Speaker 2: Yes."]);
        let t = parse(&["I: Hello. #00:00:03-5#", "B: Yes. #00:00:04-5#"]);
        assert_eq!(told(&t).len(), 2);
    }

    #[test]
    fn what_is_wrong_is_told() {
        let e = complaint(&docx(&["0:0:3.0 --> 0:0:2.0\nAnna\nHello."]));
        assert!(e.starts_with("a.docx:1: cue 1: end 2 s before start 3 s; expected"), "{e}");
        let e = complaint(&docx(&["Minutes of a meeting.", "We met."]));
        assert!(
            e.contains("a Word document without clock times") && e.contains("it begins \"Minutes of a meeting.\""),
            "{e}"
        );
        let whole = docx(&["0:0:1.500 --> 0:0:3.250\nAnna Bell\nHello there, you."]);
        for cut in [whole.len() / 3, whole.len() - 5] {
            assert!(complaint(&whole[..cut]).contains("a zip archive (docx?) that cannot be opened"));
        }
        let e = complaint(&packed("xl/workbook.xml", "", zip::CompressionMethod::Stored));
        assert!(e.contains("a spreadsheet (xlsx) that holds no Word document; save it as docx"), "{e}");
        let e = complaint(&packed("content.xml", "", zip::CompressionMethod::Stored));
        assert!(e.contains("an OpenDocument file"), "{e}");
        assert!(complaint(&docx(&[])).contains("no cues: the file is empty"));
        let e = complaint(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0\0");
        assert!(e.contains("a document of the old kind (.doc, .xls), which is not read; save it as docx"), "{e}");
        let late = docx(&[
            "0:0:5.0 --> 0:0:6.0\nAnna\nHello.",
            "0:0:1.0 --> 0:0:2.0\nBo\nYes.",
            "0:0:9.0 --> 0:0:8.0\nBo\nNo.",
        ]);
        let t = read_bytes(&late, Path::new("a.docx"), &LENIENT).unwrap();
        assert!(warned(&t).contains("1 turns start before") && warned(&t).contains("dropped"), "{}", warned(&t));
    }
}
