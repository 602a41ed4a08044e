//! Bytes to text: byte order marks, UTF-8, UTF-16 and UTF-32 with or without one, windows-1252 as the last resort; one
//! kind of newline.

use encoding_rs::{UTF_16BE, UTF_16LE, WINDOWS_1252};

/// Text of a file, with `\n` as the only newline and no byte order mark; the second part tells what was guessed.
pub(super) fn decode(bytes: &[u8]) -> (String, Option<String>) {
    let (text, note) = decode_raw(bytes);
    let text = text.strip_prefix('\u{feff}').map_or(text.as_str(), |t| t);
    // "\r\r\n" is what a CRLF file becomes when it is written through a text-mode stream once more.
    (text.replace("\r\r\n", "\n").replace("\r\n", "\n").replace('\r', "\n"), note)
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
            let (text, _, _) = WINDOWS_1252.decode(bytes);
            (
                text.into_owned(),
                Some(
                    "neither UTF-8 nor UTF-16: read as windows-1252; save the file as UTF-8 if letters are wrong"
                        .into(),
                ),
            )
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
