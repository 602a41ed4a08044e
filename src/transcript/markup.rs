//! Markup inside cues: tags, voices, word times, entities, override codes; and white space.

use std::borrow::Cow;

use quick_xml::escape::resolve_html5_entity;

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

/// The tags of WebVTT, and those of HTML that subtitles use; anything else in angle brackets is text.
const KNOWN_TAGS: [&str; 16] =
    ["i", "b", "u", "s", "font", "c", "v", "ruby", "rt", "lang", "span", "p", "br", "em", "strong", "strike"];

/// Those that only change how words look.
const LOOKS: [&str; 9] = ["i", "b", "u", "s", "font", "span", "em", "strong", "strike"];

/// True for what stands between angle brackets and is a tag that only changes how words look, or a line break.
pub(super) fn is_known_tag(inside: &str) -> bool {
    let name = inside.trim_matches('/').split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or("");
    is_tag(inside) && (LOOKS.iter().any(|k| k.eq_ignore_ascii_case(name)) || name.eq_ignore_ascii_case("br"))
}

/// The words without tags that only change how they look, where one of these ends in them; `None` where none does.
pub(super) fn without_looks(text: &str) -> Option<String> {
    let ends = |at: usize| {
        let inner = text[at + 2..].bytes().take(16).position(|b| b == b'>');
        inner.is_some_and(|end| is_known_tag(&text[at + 2..at + 2 + end]))
    };
    text.match_indices("</").find(|(at, _)| ends(*at))?;
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let end = rest.bytes().take(512).position(|b| b == b'>');
        match end.filter(|end| is_known_tag(&rest[1..*end])) {
            Some(end) => {
                if rest[1..end].trim_matches(['/', ' ']).eq_ignore_ascii_case("br") {
                    out.push(' ');
                }
                rest = &rest[end + 1..];
            }
            None => {
                out.push('<');
                rest = &rest[1..];
            }
        }
    }
    out.push_str(rest);
    Some(out)
}

/// Splits a line at its markup.
pub(super) fn pieces(line: &str) -> Vec<Piece> {
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
            Some((code, length)) if closer == b'}' && (is_override(code) || is_microdvd_code(code)) => {
                rest = &rest[length..]
            }
            Some((tag, length)) if closer == b'>' && is_tag(tag) => {
                let change = voice_or_time(tag);
                if let Some(change) = change {
                    flush(&mut text, &mut out);
                    out.push(change);
                } else if tag.trim_end_matches('/').trim().eq_ignore_ascii_case("br") {
                    text.push(' ');
                }
                rest = &rest[length..];
                // What is written above the words, to help to read them, is not said beside them.
                if tag.split(|c: char| !c.is_ascii_alphanumeric()).next().is_some_and(|t| t.eq_ignore_ascii_case("rt"))
                {
                    rest = &rest[rest.find('<').unwrap_or(rest.len())..];
                }
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

/// `{\an8}`, `{\i1\pos(10, 20)}`, `{\fnArial Narrow}`: players hide whatever follows the backslash, but several words
/// are none of theirs.
fn is_override(code: &str) -> bool {
    let one = |part: &str| {
        let bare = part.split_once('(').map_or(part, |(name, _)| name);
        part.starts_with("fn") || !bare.trim_end().contains(char::is_whitespace)
    };
    code.strip_prefix('\\').is_some_and(|codes| codes.split('\\').all(one))
}

/// `{y:i}`, `{c:$0000ff}`, `{f:Arial Narrow}`.
fn is_microdvd_code(code: &str) -> bool {
    let value = code
        .split_once(':')
        .filter(|(name, _)| name.len() == 1 && "yYfFsScCpPoO".contains(*name))
        .map(|(_, value)| value);
    value.is_some_and(|v| !v.is_empty() && (code.starts_with(['f', 'F']) || !v.contains(char::is_whitespace)))
}

/// True for a time, the end of a known tag, or a known tag with what may stand in it: classes, attributes
/// (`color=red`), a voice's name, one language.
fn is_tag(tag: &str) -> bool {
    if tag.starts_with(|c: char| c.is_ascii_digit()) {
        return clock::parse(tag).is_some();
    }
    let whole = tag.strip_prefix('/').unwrap_or(tag);
    let (name, rest) = whole.split_at(whole.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(whole.len()));
    if !KNOWN_TAGS.iter().any(|k| k.eq_ignore_ascii_case(name)) {
        return false;
    }
    let (classes, inside) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    let inside = inside.trim().trim_end_matches('/').trim();
    (classes.is_empty() || classes == "/" || classes.starts_with('.'))
        && (inside.is_empty()
            || inside.contains('=')
            || name.eq_ignore_ascii_case("v")
            || name.eq_ignore_ascii_case("lang") && !inside.contains(char::is_whitespace))
}

/// The first of the stretches in angle brackets that are no tags, and how many there are.
pub(super) fn untagged<'t>(lines: impl Iterator<Item = &'t str>) -> Option<(String, usize)> {
    let mut found: Option<(String, usize)> = None;
    for line in lines {
        let mut rest = line;
        while let Some(at) = rest.find('<') {
            rest = &rest[at..];
            let end = rest.bytes().take(512).position(|b| b == b'>');
            if let Some(end) = end.filter(|end| !is_tag(&rest[1..*end])) {
                found.get_or_insert_with(|| (rest[..=end].to_owned(), 0)).1 += 1;
            }
            rest = &rest[1..];
        }
    }
    found
}

/// Tags with which captions mark the word that is said.
const MARKS: [&str; 4] = ["u", "font", "c", "b"];

/// Place and count of the words of a line in its one marked stretch; `None` where there is none, or several.
pub(super) fn marked(raw: &str) -> Option<(usize, usize)> {
    // Longer lines are no captions.
    if raw.len() > 2000 {
        return None;
    }
    let mut found = None;
    for (at, _) in raw.match_indices('<') {
        let end = at + raw[at..].find('>')?;
        let tag = &raw[at + 1..end];
        let name = tag.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or("").to_ascii_lowercase();
        if !MARKS.contains(&name.as_str()) || !is_tag(tag) {
            continue;
        }
        let close = end + raw[end..].to_ascii_lowercase().find(&format!("</{name}>"))?;
        if found.replace((at, end + 1, close)).is_some() {
            return None;
        }
    }
    let (open, from, to) = found?;
    let shown = |part: &str| {
        let text = pieces(part).into_iter().filter_map(|p| if let Piece::Text(t) = p { Some(t) } else { None });
        text.collect::<String>()
    };
    let (before, inside) = (shown(&raw[..open]), shown(&raw[from..to]));
    let first = before.split_whitespace().count();
    let glued = first > 0 && !before.ends_with(char::is_whitespace) && !inside.starts_with(char::is_whitespace);
    let count = inside.split_whitespace().count();
    (count > 0).then_some((first - usize::from(glued), count))
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

/// Bytes of an entity, `&` and `;` included: the longest that HTML names.
const LONGEST_ENTITY: usize = 34;

/// Resolves the entities of HTML; what is none stays as written.
pub(super) fn unescape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let resolved = rest
            .bytes()
            .take(LONGEST_ENTITY)
            .position(|b| b == b';')
            .and_then(|end| Some((entity(&rest[1..end])?, end + 1)));
        match resolved {
            Some((meant, length)) => {
                out.push_str(&meant);
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

/// What an entity stands for; nothing for those that show nothing.
fn entity(name: &str) -> Option<Cow<'static, str>> {
    if let Some(digits) = name.strip_prefix('#') {
        let code = match digits.strip_prefix(['x', 'X']) {
            Some(hex) => u32::from_str_radix(hex, 16).ok()?,
            None => digits.parse().ok()?,
        };
        let meant = char::from_u32(code).filter(|c| !c.is_control()).unwrap_or(' ');
        return Some(meant.to_string().into());
    }
    Some(match name {
        "nbsp" => " ".into(),
        // Marks of direction, and where a word may be parted.
        "lrm" | "rlm" | "shy" => "".into(),
        _ => resolve_html5_entity(name)?.into(),
    })
}

/// Words written so that they are no markup; tags that only change how they look are none of them.
pub(super) fn written(text: &str) -> String {
    without_looks(text)
        .as_deref()
        .unwrap_or(text)
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('{', "&#123;")
}

/// A mark for the instant at which the words behind it begin.
pub(super) fn instant(secs: f64) -> String {
    let whole = secs.max(0.0).floor();
    let millis = ((secs.max(0.0) - whole) * 1e3).round().min(999.0);
    format!("<{:02}:{:02}:{:02}.{millis:03}>", (whole / 3600.0).floor(), (whole / 60.0).floor() % 60.0, whole % 60.0)
}

/// A mark without width: no word, and the direction of writing is told by the letters. Marks that turn it over are left
/// to be told as what steers a terminal.
fn is_mark(c: char) -> bool {
    matches!(c, '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{feff}' | '\u{202a}'..='\u{202c}' | '\u{2066}'..='\u{2069}')
}

/// One space between words, none around; zero-width marks dropped.
pub(super) fn squeeze(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        let word: String = word.chars().filter(|c| !is_mark(*c)).collect();
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

    fn shown(line: &str) -> String {
        let all: String =
            pieces(line).iter().filter_map(|p| if let Piece::Text(t) = p { Some(t.as_str()) } else { None }).collect();
        squeeze(&all)
    }

    #[test]
    fn tags_codes_and_entities_go() {
        assert_eq!(
            shown("{\\an8}<i>a</i> <FONT color=\"red\">b</font> &amp; &lt;c&gt; &#39;d&#x27;&nbsp;e"),
            "a b & <c> 'd' e"
        );
        assert_eq!(
            shown("Caf&eacute;, &ldquo;so&rdquo;&hellip; D&uuml;s&shy;sel &mdash; &#233;"),
            "Café, “so”… Düssel — é"
        );
        assert_eq!(shown("{Y:i}a {normal}"), "a {normal}");
        assert_eq!(shown("I <3 you, <LAUGHING & WHOOPS!> {"), "I <3 you, <LAUGHING & WHOOPS!> {");
        assert_eq!(shown("<c.colorE5E5E5>a</c><i/><lang en-GB>b<br /> AT&T; &unknown;"), "ab AT&T; &unknown;");
        assert_eq!(
            shown(
                "{\\i1\\pos(10, 20)}a{\\fnArial Narrow}b{\\c&H00FF00&}{\\t(0,5,\\fs20)}{\\rDefault}{c:$00ff00}{s:12}c"
            ),
            "abc"
        );
    }

    #[test]
    fn words_in_brackets_are_no_markup() {
        for words in [
            "I <3 you so much and 4 > 3",
            "<laughs> no <Anna whispers something> yes",
            "<p is short> for <s as in Sam> you",
            "if a <b and c> d",
            "<wwww> <00:99> <lang is what it is>",
            "{\\he said} ok {\\right here} {C:drive stuff} {s:he is}",
        ] {
            assert_eq!(shown(words), words);
        }
    }

    #[test]
    fn voices_and_times_are_kept() {
        assert_eq!(
            pieces("<v.loud Anna Lee>hi<00:00:01.500><c> you</c></v>"),
            [
                Piece::Voice(Some("Anna Lee".into())),
                Piece::Text("hi".into()),
                Piece::Time(1.5),
                Piece::Text(" you".into()),
                Piece::Voice(None)
            ]
        );
        assert_eq!(pieces("<v //S02>"), [Piece::Voice(Some("S02".into()))]);
        assert_eq!(pieces("<v>"), [Piece::Voice(None)]);
    }
}
