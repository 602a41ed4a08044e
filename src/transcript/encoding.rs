//! Bytes to text: byte order marks, UTF-8, UTF-16 and UTF-32 with or without one, else the code page that the letters
//! speak for, or the one asked for; one kind of newline.

use std::fmt;

use encoding_rs::{UTF_16BE, UTF_16LE};
use serde::{Deserialize, Serialize};

use crate::sheet::code_page;

/// In which encoding a transcript is: the one asked for, or what its bytes tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Encoding(Option<&'static encoding_rs::Encoding>);

impl Encoding {
    /// What the bytes tell.
    pub const AUTO: Encoding = Encoding(None);

    /// Bytes as text, with `\n` as the only newline and no byte order mark; the second part tells what was guessed, or
    /// asked for.
    ///
    /// # Errors
    /// What is wrong, in words: the bytes cannot be in the encoding that was asked for.
    pub(super) fn decode(self, bytes: &[u8]) -> Result<(String, Option<String>), String> {
        let Some(asked) = self.0 else { return Ok(decode(bytes)) };
        let (text, broken) = asked.decode_with_bom_removal(bytes);
        if broken {
            let count = text.matches('\u{fffd}').count();
            return Err(format!("not {}, as was asked: {count} characters cannot be read", asked.name()));
        }
        Ok((lines(&text), Some(format!("read as {}, as was asked", asked.name()))))
    }
}

impl fmt::Display for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.map_or("auto", |e| e.name()))
    }
}

impl From<Encoding> for String {
    fn from(encoding: Encoding) -> Self {
        encoding.to_string()
    }
}

impl TryFrom<String> for Encoding {
    type Error = String;

    fn try_from(name: String) -> Result<Self, String> {
        name.parse()
    }
}

impl std::str::FromStr for Encoding {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        if name.trim().eq_ignore_ascii_case("auto") {
            return Ok(Encoding::AUTO);
        }
        let known = encoding_rs::Encoding::for_label(name.trim().as_bytes()).filter(|e| *e != encoding_rs::REPLACEMENT);
        known.map(|e| Encoding(Some(e))).ok_or_else(|| {
            format!(
                "{name:?} is no encoding that is known; expected auto, utf-8, windows-1252, windows-1250, macintosh, \
                     shift_jis or another of the WHATWG's names"
            )
        })
    }
}

/// Text of a file, with `\n` as the only newline and no byte order mark; the second part tells what was guessed.
pub(super) fn decode(bytes: &[u8]) -> (String, Option<String>) {
    let (text, note) = decode_raw(bytes);
    (lines(text.strip_prefix('\u{feff}').unwrap_or(&text)), note)
}

/// The text with one kind of newline.
fn lines(text: &str) -> String {
    // "\r\r\n" is what a CRLF file becomes when it is written through a text-mode stream once more.
    text.replace("\r\r\n", "\n").replace("\r\n", "\n").replace('\r', "\n")
}

fn decode_raw(bytes: &[u8]) -> (String, Option<String>) {
    match bytes {
        [0xff, 0xfe, 0, 0, rest @ ..] => return utf32(rest, u32::from_le_bytes),
        [0, 0, 0xfe, 0xff, rest @ ..] => return utf32(rest, u32::from_be_bytes),
        [0xff, 0xfe, rest @ ..] => return utf16(rest, UTF_16LE),
        [0xfe, 0xff, rest @ ..] => return utf16(rest, UTF_16BE),
        _ => {}
    }
    if let Some(encoding) = utf16_without_mark(bytes) {
        let (text, note) = utf16(bytes, encoding);
        return (text, note.or_else(|| Some(format!("no byte order mark; read as {}", encoding.name()))));
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => (text.to_owned(), None),
        Err(error) => {
            let lossy = String::from_utf8_lossy(bytes);
            let broken = lossy.matches('\u{fffd}').count();
            let sound = lossy.chars().filter(|c| !c.is_ascii()).count() - broken;
            // Only the last character is not whole, and others of several bytes are: UTF-8 that was cut off.
            if error.error_len().is_none() && sound > 0 {
                let what =
                    format!("the file ends within a character (byte {}): it is cut off", error.valid_up_to() + 1);
                return (lossy.into_owned(), Some(what));
            }
            // A UTF-8 file with a damaged byte keeps its other letters; a windows-1252 file has hardly one valid
            // sequence.
            if sound > 4 * broken {
                let what =
                    format!("not clean UTF-8 (first at byte {}): {broken} characters replaced", error.valid_up_to());
                return (lossy.into_owned(), Some(what));
            }
            let page = code_page(bytes);
            let (text, _, _) = page.decode(bytes);
            let note = format!(
                "neither UTF-8 nor UTF-16: read as {}, by its letters; pass --encoding, or save the file as UTF-8, if \
                 letters are wrong",
                page.name()
            );
            (text.into_owned(), Some(note))
        }
    }
}

fn utf16(bytes: &[u8], encoding: &'static encoding_rs::Encoding) -> (String, Option<String>) {
    let (text, broken) = encoding.decode_without_bom_handling(bytes);
    let note = broken.then(|| {
        let replaced = text.matches('\u{fffd}').count();
        let cut = if bytes.len() % 2 == 1 { "; it ends within a character and may be cut off" } else { "" };
        format!("not clean {}: {replaced} characters replaced{cut}", encoding.name())
    });
    (text.into_owned(), note)
}

fn utf32(bytes: &[u8], unit: fn([u8; 4]) -> u32) -> (String, Option<String>) {
    let cut = !bytes.len().is_multiple_of(4);
    let mut replaced = 0;
    let text = bytes
        .chunks_exact(4)
        .map(|c| {
            char::from_u32(unit([c[0], c[1], c[2], c[3]])).unwrap_or_else(|| {
                replaced += 1;
                '\u{fffd}'
            })
        })
        .collect();
    let end = if cut { "; it ends within a character and may be cut off" } else { "" };
    (text, (cut || replaced > 0).then(|| format!("not clean UTF-32: {replaced} characters replaced{end}")))
}

/// Text in Latin letters has a zero in nearly every second byte of UTF-16, and none in UTF-8.
fn utf16_without_mark(bytes: &[u8]) -> Option<&'static encoding_rs::Encoding> {
    let head = &bytes[..bytes.len().min(2048) & !1];
    let pairs = head.len() / 2;
    let zeros = |offset: usize| head.iter().skip(offset).step_by(2).filter(|b| **b == 0).count();
    let (even, odd) = (zeros(0), zeros(1));
    if pairs < 4 {
        None
    } else if odd * 10 > pairs * 4 && even * 20 < pairs {
        Some(UTF_16LE)
    } else if even * 10 > pairs * 4 && odd * 20 < pairs {
        Some(UTF_16BE)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn units(text: &str, bytes: impl Fn(u16) -> [u8; 2]) -> Vec<u8> {
        text.encode_utf16().flat_map(bytes).collect()
    }

    #[test]
    fn marks_decide() {
        assert_eq!(decode(b"\xef\xbb\xbfa\xc3\xa9"), ("aé".into(), None));
        assert_eq!(decode(&units("\u{feff}aé", u16::to_le_bytes)), ("aé".into(), None));
        assert_eq!(decode(&units("\u{feff}aé", u16::to_be_bytes)), ("aé".into(), None));
        let wide: Vec<u8> = "\u{feff}aé".chars().flat_map(|c| (c as u32).to_le_bytes()).collect();
        assert_eq!(decode(&wide), ("aé".into(), None));
        let wide: Vec<u8> = "\u{feff}aé".chars().flat_map(|c| (c as u32).to_be_bytes()).collect();
        assert_eq!(decode(&wide), ("aé".into(), None));
    }

    #[test]
    fn utf16_is_seen_without_a_mark_and_told() {
        for bytes in [units("hello there", u16::to_le_bytes), units("hello there", u16::to_be_bytes)] {
            let (text, note) = decode(&bytes);
            assert_eq!(text, "hello there");
            assert!(note.unwrap().contains("UTF-16"));
        }
    }

    #[test]
    fn the_last_resort_is_windows_1252_and_is_told() {
        let (text, note) = decode(b"caf\xe9 \x96 na\xefve");
        assert_eq!(text, "café – naïve");
        assert!(note.unwrap().contains("windows-1252"));
    }

    #[test]
    fn code_pages_are_told_by_their_letters_and_can_be_asked_for() {
        for (page, text) in [
            (
                encoding_rs::WINDOWS_1250,
                "Příliš žluťoučký kůň úpěl ďábelské ódy. Proč jsi to řekl? Nevím, už je pozdě.",
            ),
            (encoding_rs::WINDOWS_1251, "Что вы хотели сказать? Я не знаю, уже поздно, пойдём домой."),
            (
                encoding_rs::WINDOWS_1252,
                "Ich weiß nicht, für wen das wäre. Über die Straße müßte man gehen, schöne Grüße.",
            ),
            (encoding_rs::SHIFT_JIS, "こんにちは、今日はとても良い天気ですね。どこへ行きますか。"),
        ] {
            let (bytes, ..) = page.encode(text);
            let (read, note) = decode(&bytes);
            assert_eq!(read, text, "{}", page.name());
            assert!(note.unwrap().contains(page.name()), "{}", page.name());
            let asked: Encoding = page.name().to_lowercase().parse().unwrap();
            let (read, note) = asked.decode(&bytes).unwrap();
            assert_eq!((read.as_str(), note.unwrap().contains("as was asked")), (text, true));
        }
        assert!("windows-99".parse::<Encoding>().unwrap_err().contains("no encoding that is known"));
        assert_eq!("AUTO".parse(), Ok(Encoding::AUTO));
        let utf8: Encoding = "utf8".parse().unwrap();
        assert_eq!(utf8.decode("\u{feff}a\r\né".as_bytes()).unwrap().0, "a\né");
        assert!(utf8.decode(b"caf\xe9").unwrap_err().contains("not UTF-8, as was asked"));
        let round: Encoding = serde_json::from_str(&serde_json::to_string(&utf8).unwrap()).unwrap();
        assert_eq!(round, utf8);
    }

    #[test]
    fn one_damaged_byte_does_not_spoil_a_utf8_file() {
        let (text, note) =
            decode("àéîõü\u{e9}".as_bytes().iter().copied().chain([0xff]).collect::<Vec<_>>().as_slice());
        assert_eq!(text, "àéîõüé\u{fffd}");
        assert!(note.unwrap().contains("1 characters replaced"));
    }

    #[test]
    fn all_newlines_become_one_kind() {
        assert_eq!(decode(b"a\r\nb\rc\nd\r\r\ne").0, "a\nb\nc\nd\ne");
    }

    #[test]
    fn a_file_that_ends_within_a_character_is_cut_and_no_other_encoding() {
        let bytes = "café, née".as_bytes();
        let (text, note) = decode(&bytes[..bytes.len() - 2]);
        assert_eq!(text, "café, n\u{fffd}");
        assert!(note.unwrap().contains("ends within a character"));
        let wide = units("\u{feff}abc", u16::to_le_bytes);
        assert!(
            decode(&wide[..wide.len() - 1]).1.unwrap().contains("1 characters replaced; it ends within a character")
        );
    }
}
