//! A CSV table of the user's, read by the names of its columns. What a spreadsheet program can have done to it is told
//! in words.

use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::spelling::{OWN_COLUMNS, is_own_column, meant};

/// What to do about a file that is not what is read here.
const SAVE_AS: &str =
    "save it as CSV with commas, in UTF-8 (spreadsheet programs call it \"CSV UTF-8, comma separated\")";

/// Longest piece of a file that is quoted in an error, in characters.
const QUOTED: usize = 60;

/// Header and rows; cells without the blanks around them. Rows of empty cells alone are left out.
#[derive(Clone, Debug)]
pub struct Sheet {
    path: PathBuf,
    header: Vec<String>,
    rows: Vec<(usize, Vec<String>)>,
}

/// One row.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a> {
    sheet: &'a Sheet,
    line: usize,
    cells: &'a [String],
}

impl Sheet {
    /// Reads a file. No column is looked for yet, see [`Sheet::require`] and [`Sheet::allow_only`].
    ///
    /// # Errors
    /// [`Error::Read`]; [`Error::Parse`] naming line and cell: another encoding than UTF-8, bars between
    /// the cells, a name used for two columns, cells under no name, a quote that is not closed, a row with more or
    /// fewer cells than the header.
    pub fn read(path: &Path) -> Result<Self> {
        let bytes = crate::file::read(path)?;
        Self::parse(path, &bytes)
    }

    fn parse(path: &Path, bytes: &[u8]) -> Result<Self> {
        let text = text(path, bytes)?;
        let mut builder = csv::ReaderBuilder::new();
        builder.trim(csv::Trim::All).has_headers(false).flexible(true).delimiter(separator(path, text)?);
        let mut reader = builder.from_reader(text.as_bytes());
        let mut lines = Lines { text, line: 1, at: 0 };
        let mut header: Option<Vec<String>> = None;
        let mut rows = Vec::new();
        for record in reader.records() {
            let record = record.map_err(|e| Error::parse(path, 0, e.to_string(), SAVE_AS))?;
            let line = lines.number(record.position().map_or(0, csv::Position::byte));
            let cells: Vec<String> = record.iter().map(ToOwned::to_owned).collect();
            let Some(header) = &header else {
                check_header(path, line, &cells)?;
                header = Some(cells);
                continue;
            };
            if cells.iter().all(String::is_empty) {
                continue;
            }
            let fail = |what: String, hint: &str| Error::parse(path, line, what, hint);
            if cells.iter().any(|c| c.contains(['\n', '\r'])) && !text.matches('"').count().is_multiple_of(2) {
                return Err(fail(
                    "a quote is opened and not closed".into(),
                    "close it, or write a quote inside a cell twice",
                ));
            }
            if cells.len() != header.len() {
                let what = format!("{} cells under a header of {}", cells.len(), header.len());
                return Err(fail(what, "each line needs as many cells as the header; quote cells that hold commas"));
            }
            if let Some(at) = (0..cells.len()).find(|&i| header[i].is_empty() && !cells[i].is_empty()) {
                let what = format!("\"{}\" stands in column {}, which has no name", clip(&cells[at]), at + 1);
                return Err(fail(what, "name every column that holds something"));
            }
            rows.push((line, cells));
        }
        Ok(Sheet { path: path.to_owned(), header: header.unwrap_or_default(), rows })
    }

    /// The names of the columns, in their order.
    pub fn columns(&self) -> impl Iterator<Item = &str> {
        self.header.iter().map(String::as_str).filter(|name| !name.is_empty())
    }

    /// True when there is a column of that name.
    pub fn has(&self, column: &str) -> bool {
        self.header.iter().any(|name| name == column)
    }

    /// Refuses a table without one of the columns; `hint` tells what such a table has.
    ///
    /// # Errors
    /// [`Error::Parse`] naming the column and what is there.
    pub fn require(&self, columns: &[&str], hint: &str) -> Result<()> {
        match columns.iter().find(|c| !self.has(c)) {
            None => Ok(()),
            Some(missing) => {
                let found = self.header.join(", ");
                let near = meant(missing, self.columns()).replace("did you mean", "is it");
                Err(Error::parse(
                    &self.path,
                    1,
                    format!("no column \"{missing}\" in the header \"{found}\"{near}"),
                    hint,
                ))
            }
        }
    }

    /// Refuses a table with a column that is neither known nor its writer's own: a name with a slip in it would be
    /// passed over otherwise.
    ///
    /// # Errors
    /// [`Error::Parse`] naming the column, the one that was likely meant, and those that are known.
    pub fn allow_only(&self, known: &[&str]) -> Result<()> {
        let Some(unknown) = self.columns().find(|c| !known.contains(c) && !is_own_column(c)) else { return Ok(()) };
        let what = format!("unknown column \"{unknown}\"{}", meant(unknown, known.iter().copied()));
        let own = OWN_COLUMNS.map(|begin| format!("\"{begin}\"")).join(" or ");
        let hint =
            format!("known are {}; begin the names of columns that are for yourself with {own}", known.join(", "));
        Err(Error::parse(&self.path, 1, what, hint))
    }

    /// The rows, in the order of the file.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = Row<'_>> {
        self.rows.iter().map(|(line, cells)| Row { sheet: self, line: *line, cells })
    }
}

impl<'a> Row<'a> {
    /// The line of the file on which it begins, counted from 1.
    pub fn line(&self) -> usize {
        self.line
    }

    /// What is in the column; `None` for an empty cell and where there is no such column.
    pub fn cell(&self, column: &str) -> Option<&'a str> {
        let at = self.sheet.header.iter().position(|name| name == column)?;
        self.cells.get(at).map(String::as_str).filter(|cell| !cell.is_empty())
    }

    /// An error that names file and line.
    pub fn fail(&self, what: impl Into<String>, hint: impl Into<String>) -> Error {
        Error::parse(&self.sheet.path, self.line, what, hint)
    }
}

/// Line numbers of byte positions that only grow; blank lines, which the CSV reader passes over in silence, are
/// counted.
struct Lines<'a> {
    text: &'a str,
    line: usize,
    at: usize,
}

impl Lines<'_> {
    fn number(&mut self, byte: u64) -> usize {
        let bytes = self.text.as_bytes();
        let mut end = usize::try_from(byte).unwrap_or(bytes.len()).min(bytes.len());
        while end < bytes.len() && matches!(bytes[end], b'\n' | b'\r') {
            end += 1;
        }
        let passed = &bytes[self.at.min(end)..end];
        let lone = |i: usize| passed[i] == b'\r' && bytes.get(self.at + i + 1) != Some(&b'\n');
        self.line += (0..passed.len()).filter(|&i| passed[i] == b'\n' || lone(i)).count();
        self.at = self.at.max(end);
        self.line
    }
}

/// The text of a file, or what it is instead of UTF-8.
fn text<'a>(path: &Path, bytes: &'a [u8]) -> Result<&'a str> {
    let fail = |line: usize, what: String| Err(Error::parse(path, line, what, SAVE_AS));
    if bytes.starts_with(b"PK\x03\x04") || bytes.starts_with(b"\xd0\xcf\x11\xe0") {
        return fail(0, "this is a spreadsheet program's own file".into());
    }
    if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
        return fail(0, "this is UTF-16 text".into());
    }
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let line_of = |at: usize| bytes[..at].iter().filter(|b| **b == b'\n').count() + 1;
    if let Some(at) = bytes.iter().position(|b| *b == 0) {
        let zeros = bytes.iter().filter(|b| **b == 0).count();
        if zeros * 3 > bytes.len() {
            return fail(0, "this is UTF-16 text without a byte order mark".into());
        }
        return fail(line_of(at), "a character NUL".into());
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(text),
        Err(e) => {
            let at = e.valid_up_to();
            let begin = bytes[..at].iter().rposition(|b| *b == b'\n').map_or(0, |p| p + 1);
            let line = bytes[begin..].split(|b| *b == b'\n' || *b == b'\r').next().unwrap_or_default();
            let page = code_page(bytes);
            let (guess, ..) = page.decode(line);
            let what = format!(
                "this is no UTF-8 text (byte 0x{:02X}); read as {}, which its letters speak for, the line is \"{}\"",
                bytes[at],
                page.name(),
                clip(&guess)
            );
            fail(line_of(at), what)
        }
    }
}

/// The code page that the letters of a text speak for, which is neither UTF-8 nor UTF-16 (`chardetng`: how often letters
/// follow each other in the languages written in each).
pub fn code_page(bytes: &[u8]) -> &'static encoding_rs::Encoding {
    let mut detector = chardetng::EncodingDetector::new(chardetng::Iso2022JpDetection::Deny);
    detector.feed(bytes, true);
    detector.guess(None, chardetng::Utf8Detection::Deny)
}

/// A comma; a semicolon or a tab where the header has no comma: where the comma is the decimal sign, spreadsheet
/// programs write semicolons under the name of CSV.
fn separator(path: &Path, text: &str) -> Result<u8> {
    let header = text.lines().next().unwrap_or_default();
    if header.contains(',') {
        return Ok(b',');
    }
    if header.contains('|') {
        return Err(Error::parse(path, 1, format!("the cells are separated by bars: \"{}\"", clip(header)), SAVE_AS));
    }
    Ok([b';', b'\t'].into_iter().find(|&c| header.contains(char::from(c))).unwrap_or(b','))
}

fn check_header(path: &Path, line: usize, names: &[String]) -> Result<()> {
    for (i, name) in names.iter().enumerate().filter(|(_, n)| !n.is_empty()) {
        if let Some(first) = names[..i].iter().position(|n| n == name) {
            let what = format!("two columns are called \"{}\": the {} and the {}", clip(name), nth(first), nth(i));
            return Err(Error::parse(path, line, what, "name every column once"));
        }
    }
    Ok(())
}

fn nth(index: usize) -> String {
    let n = index + 1;
    let end = match (n % 10, n % 100) {
        (1, r) if r != 11 => "st",
        (2, r) if r != 12 => "nd",
        (3, r) if r != 13 => "rd",
        _ => "th",
    };
    format!("{n}{end}")
}

fn clip(text: &str) -> String {
    let mut short: String = text.chars().take(QUOTED).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(bytes: &[u8]) -> Result<Sheet> {
        Sheet::parse(Path::new("t.csv"), bytes)
    }

    #[test]
    fn rows_have_their_own_lines_and_empty_ones_are_left_out() {
        let sheet = parse(b"\xef\xbb\xbfa,b,\r\n\r\n1,\"x\r\ny\",\r\n,,\r\n\r\n\r\n 2 ,,\r\n").unwrap();
        assert_eq!(sheet.columns().collect::<Vec<_>>(), ["a", "b"]);
        let rows: Vec<_> = sheet.rows().map(|r| (r.line(), r.cell("a"), r.cell("b"))).collect();
        assert_eq!(rows, [(3, Some("1"), Some("x\r\ny")), (8, Some("2"), None)]);
        assert_eq!(sheet.rows().next().unwrap().fail("bad", "mend it").to_string(), "t.csv:3: bad; mend it");
        let lines: Vec<usize> = parse(b"a\r1\r\r2").unwrap().rows().map(|r| r.line()).collect();
        assert_eq!(lines, [2, 4]);
    }

    #[test]
    fn semicolons_and_tabs_separate_cells_where_the_header_has_no_comma() {
        for text in ["a;b\n1,5;\"x;y\"\n", "a\tb\n1,5\tx;y\n", "a,b\n\"1,5\",x;y\n"] {
            let sheet = parse(text.as_bytes()).unwrap();
            let rows: Vec<_> = sheet.rows().map(|r| (r.cell("a"), r.cell("b"))).collect();
            assert_eq!(rows, [(Some("1,5"), Some("x;y"))], "{text:?}");
        }
    }

    #[test]
    fn what_a_file_is_instead_is_told() {
        let wide: Vec<u8> = "a,b\n1,2\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
        let marked: Vec<u8> = "\u{feff}a,b\n".encode_utf16().flat_map(u16::to_be_bytes).collect();
        for (bytes, told) in [
            (b"PK\x03\x04...".as_slice(), "t.csv: this is a spreadsheet program's own file; save it as CSV"),
            (&wide, "t.csv: this is UTF-16 text without a byte order mark; save it"),
            (&marked, "t.csv: this is UTF-16 text; save it"),
            (
                b"a,b\n1,J\xfcrgen\n",
                "t.csv:2: this is no UTF-8 text (byte 0xFC); read as windows-1252, which its letters speak for, the line \
                 is \"1,Jürgen\"; save it",
            ),
            (
                b"a,b\n1,\xcf\xf0\xe8\xe2\xe5\xf2, \xea\xe0\xea \xe4\xe5\xeb\xe0\n",
                "read as windows-1251, which its letters speak for, the line is \"1,Привет, как дела\"",
            ),
            (b"a,b\n1,2\x003\n", "t.csv:2: a character NUL"),
            (b"a|b\n1|2\n", "t.csv:1: the cells are separated by bars: \"a|b\""),
            (b"a;b\n1;2;3\n", "t.csv:2: 3 cells under a header of 2"),
            (b"a,b, a\n", "t.csv:1: two columns are called \"a\": the 1st and the 3rd; name every column once"),
            (b"a,b,\n1,2,3\n", "t.csv:2: \"3\" stands in column 3, which has no name"),
            (b"a,b\n\n1,\"2\n3,4\n", "t.csv:3: a quote is opened and not closed"),
            (b"a,b\n1,2\n1,2,3\n", "t.csv:3: 3 cells under a header of 2"),
            (b"a,b\n1\n", "t.csv:2: 1 cells under a header of 2"),
        ] {
            let e = parse(bytes).unwrap_err().to_string();
            assert!(e.contains(told), "{e}");
        }
    }

    #[test]
    fn a_column_with_a_slip_in_its_name_is_never_passed_over() {
        let known = ["media", "min_speakers"];
        let told = |header: &str| parse(header.as_bytes()).unwrap().allow_only(&known).unwrap_err().to_string();
        assert!(
            told("media,min_speaker\n")
                .contains("t.csv:1: unknown column \"min_speaker\"; did you mean \"min_speakers\"?; known are")
        );
        let own = told("media,mood\n");
        assert!(
            own.contains("unknown column \"mood\"; known are media, min_speakers; ")
                && own.contains("with \"x_\" or \"note\""),
            "{own}"
        );
        parse(b"media,x_mood,note,notes of Ann\n").unwrap().allow_only(&known).unwrap();
        let e = parse(b"medai\n").unwrap().require(&["media"], "a table has media").unwrap_err().to_string();
        assert!(e.contains("no column \"media\" in the header \"medai\"; is it \"medai\"?; a table has media"), "{e}");
    }
}
