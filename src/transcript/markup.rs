//! Markup inside cues: tags, voices, word times, entities, override codes; and white space.

use super::clock;

/// A part of a cue's line once its markup is understood.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Piece {
    /// Words to show, entities resolved.
    Text(String),
    /// `<v Anna>`: from here on this voice; `None` after `</v>` or for a voice without a name.
    Voice(Option<String>),
    /// `<00:00:01.000>`: from here on this instant, in seconds.
    Time(f64),
}

/// Tags stripped from SRT, where `<` is otherwise text.
const KNOWN_TAGS: [&str; 16] = ["i", "b", "u", "s", "font", "c", "v", "ruby", "rt", "lang", "span", "p", "br", "em", "strong", "strike"];

/// Splits a line at its markup. In WebVTT every `<…>` is a tag, elsewhere only known ones are.
pub(super) fn pieces(line: &str, every_tag: bool) -> Vec<Piece> {
    let mut out = Vec::new();
    let mut text = String::new();
    let mut rest = line;
    while let Some(at) = rest.find(['<', '{']) {
        text.push_str(&rest[..at]);
        rest = &rest[at..];
        let closer = if rest.starts_with('<') { b'>' } else { b'}' };
        // Nearby only: a line of a million `<` must not be searched a million times.
        let inner = rest.bytes().take(512).position(|b| b == closer).map(|end| (&rest[1..end], end + 1));
        match inner {
            // `{\an8}` and `{Y:i}` are override codes; other braces are text.
            Some((code, length)) if closer == b'}' && (code.starts_with('\\') || is_microdvd_code(code)) => rest = &rest[length..],
            Some((tag, length)) if closer == b'>' && is_tag(tag, every_tag) => {
                let change = voice_or_time(tag);
                if let Some(change) = change {
                    flush(&mut text, &mut out);
                    out.push(change);
                } else if tag.trim_end_matches('/').trim().eq_ignore_ascii_case("br") {
                    text.push(' ');
                }
                rest = &rest[length..];
            }
            _ => {
                text.push_str(&rest[..1]);
                rest = &rest[1..];
            }
        }
    }
    text.push_str(rest);
    flush(&mut text, &mut out);
    out
}

fn flush(text: &mut String, out: &mut Vec<Piece>) {
    if !text.is_empty() {
        out.push(Piece::Text(unescape(text)));
        text.clear();
    }
}

fn is_microdvd_code(code: &str) -> bool {
    code.len() > 2 && code.as_bytes()[1] == b':' && "yYfFsScCpPoO".contains(&code[..1])
}

fn is_tag(tag: &str, every_tag: bool) -> bool {
    if tag.starts_with(|c: char| c.is_ascii_digit()) {
        return clock::parse(tag).is_some() || every_tag;
    }
    let name = tag.strip_prefix('/').unwrap_or(tag);
    let name = &name[..name.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(name.len())];
    if every_tag { !tag.starts_with(char::is_whitespace) } else { KNOWN_TAGS.iter().any(|k| k.eq_ignore_ascii_case(name)) }
}

fn voice_or_time(tag: &str) -> Option<Piece> {
    if let Some(secs) = clock::parse(tag) {
        return Some(Piece::Time(secs));
    }
    if tag == "/v" {
        return Some(Piece::Voice(None));
    }
    // `<v Anna>`, `<v.loud Anna>`: classes end at the first white space.
    let rest = tag.strip_prefix(['v', 'V'])?;
    if !(rest.is_empty() || rest.starts_with(['.', ' ', '\t'])) {
        return None;
    }
    let name = rest.split_once(char::is_whitespace).map_or("", |(_, name)| name);
    // noScribe writes `<v //S02>` where an overlap opens a cue.
    let name = squeeze(&unescape(name.trim_start_matches('/')));
    Some(Piece::Voice((!name.is_empty()).then_some(name)))
}

/// Resolves the entities subtitles use; others stay as written.
pub(super) fn unescape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let resolved = rest.bytes().take(11).position(|b| b == b';').and_then(|end| Some((entity(&rest[1..end])?, end + 1)));
        match resolved {
            Some((c, length)) => {
                out.extend(c);
                rest = &rest[length..];
            }
            None => {
                out.push('&');
                rest = &rest[1..];
            }
        }
    }
    out.push_str(rest);
    out
}

/// The inner `None` is an entity that stands for nothing visible.
fn entity(name: &str) -> Option<Option<char>> {
    Some(match name {
        "amp" => Some('&'),
        "lt" => Some('<'),
        "gt" => Some('>'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        "nbsp" => Some(' '),
        "lrm" | "rlm" => None,
        _ => {
            let digits = name.strip_prefix('#')?;
            let code = match digits.strip_prefix(['x', 'X']) {
                Some(hex) => u32::from_str_radix(hex, 16).ok()?,
                None => digits.parse().ok()?,
            };
            Some(char::from_u32(code).filter(|c| !c.is_control()).unwrap_or(' '))
        }
    })
}

/// One space between words, none around; zero-width marks dropped.
pub(super) fn squeeze(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        let word: String = word.chars().filter(|c| !matches!(c, '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{feff}')).collect();
        if word.is_empty() {
            continue;
        }
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(&word);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(line: &str, every_tag: bool) -> String {
        let all: String =
            pieces(line, every_tag).iter().filter_map(|p| if let Piece::Text(t) = p { Some(t.as_str()) } else { None }).collect();
        squeeze(&all)
    }

    #[test]
    fn tags_codes_and_entities_go() {
        assert_eq!(shown("{\\an8}<i>a</i> <FONT color=\"red\">b</font> &amp; &lt;c&gt; &#39;d&#x27;&nbsp;e", false), "a b & <c> 'd' e");
        assert_eq!(shown("{Y:i}a {normal}", false), "a {normal}");
        assert_eq!(shown("I <3 you, <LAUGHING & WHOOPS!> {", false), "I <3 you, <LAUGHING & WHOOPS!> {");
        assert_eq!(shown("<c.colorE5E5E5>a</c><wwww>b AT&T; &unknown;", true), "ab AT&T; &unknown;");
    }

    #[test]
    fn voices_and_times_are_kept() {
        assert_eq!(
            pieces("<v.loud Anna Lee>hi<00:00:01.500><c> you</c></v>", true),
            [
                Piece::Voice(Some("Anna Lee".into())),
                Piece::Text("hi".into()),
                Piece::Time(1.5),
                Piece::Text(" you".into()),
                Piece::Voice(None)
            ]
        );
        assert_eq!(pieces("<v //S02>", true), [Piece::Voice(Some("S02".into()))]);
        assert_eq!(pieces("<v>", true), [Piece::Voice(None)]);
    }
}
