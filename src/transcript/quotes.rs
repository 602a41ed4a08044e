//! Quoted cells of a table that go too far: a quote that is never closed, or that swallows the rows after it.

use std::ops::Range;

/// A quote that is not closed in its own row.
#[derive(Debug, PartialEq)]
pub(super) struct Open<'t> {
    /// 1-based line on which the quote stands.
    pub(super) line: usize,
    /// The rest of that line from the quote on.
    pub(super) cell: &'t str,
    /// 1-based line inside the quotes that is a row by itself; `None` when the quote is never closed at all.
    pub(super) swallowed: Option<usize>,
    /// Bytes of the row up to the end of the quote's line, without that line's end.
    pub(super) rows: Range<usize>,
}

/// Finds them. After each, the search goes on at the next line. `is_row` tells lines that are rows by themselves.
///
/// Cells and quotes are those of the csv crate: a quote opens a cell only at its beginning, and two of them inside are
/// one.
pub(super) fn open<'t>(text: &'t str, delimiter: u8, is_row: impl Fn(&str) -> bool) -> Vec<Open<'t>> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    // Beginning of the row, place, line of the place, and whether a cell begins here.
    let (mut row, mut at, mut line, mut fresh) = (0, 0, 1, true);
    while at < bytes.len() {
        let b = bytes[at];
        if !(fresh && b == b'"') {
            fresh = b == delimiter || b == b'\n';
            at += 1;
            if b == b'\n' {
                (row, line) = (at, line + 1);
            }
            continue;
        }
        match closing(text, at, line, &is_row) {
            Ok((end, lines)) => (at, line, fresh) = (end, line + lines, false),
            Err(swallowed) => {
                let end = text[at..].find('\n').map_or(text.len(), |n| at + n);
                found.push(Open { line, cell: &text[at..end], swallowed, rows: row..end });
                (at, fresh) = (end, false);
            }
        }
    }
    found
}

/// The place after the quote that closes the one at `at`, and the line ends between them; else the line of the row that
/// is swallowed.
fn closing(
    text: &str,
    at: usize,
    line: usize,
    is_row: &impl Fn(&str) -> bool,
) -> Result<(usize, usize), Option<usize>> {
    let bytes = text.as_bytes();
    let (mut i, mut lines) = (at + 1, 0);
    while i < bytes.len() {
        match bytes[i] {
            b'"' if bytes.get(i + 1) == Some(&b'"') => i += 2,
            b'"' => return Ok((i + 1, lines)),
            b'\n' => {
                lines += 1;
                i += 1;
                let end = text[i..].find('\n').map_or(text.len(), |n| i + n);
                if is_row(&text[i..end]) {
                    return Err(Some(line + lines));
                }
            }
            _ => i += 1,
        }
    }
    Err(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(text: &str) -> Vec<(usize, Option<usize>)> {
        open(text, b',', |l| l.starts_with(|c: char| c.is_ascii_digit()))
            .iter()
            .map(|o| (o.line, o.swallowed))
            .collect()
    }

    #[test]
    fn closed_quotes_are_no_matter_how_many_lines_they_span() {
        assert_eq!(places("a,b\n1,\"x\ny \"\"z\"\"\n\n\"\n2,\"\"\n3,5\" tall\n"), []);
    }

    #[test]
    fn open_quotes_are_told_with_their_line() {
        assert_eq!(places("a,b\n1,\"x\n2,y\n"), [(2, Some(3))]);
        assert_eq!(places("a,b\n1,\"x\n2,\"y\"\n3,\"z"), [(2, Some(3)), (4, None)]);
        assert_eq!(places("a,b\n1,\"x\ny\n2,\"z\"\n"), [(2, Some(4))]);
        let found = open("a\n1,\"x\n2,y\n", b',', |l| l.starts_with('2'));
        assert_eq!((found[0].cell, found[0].rows.clone()), ("\"x", 2..6));
    }
}
