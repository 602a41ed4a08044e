//! CHAT `.cha`: utterances `*SPK:` with time bullets in milliseconds, `%wor` tiers with word times; markup is taken off
//! (MacWhinney, "Tools for Analyzing Talk, part 1: the CHAT transcription format").

use std::collections::BTreeMap;

use crate::annotation::Word;
use crate::error::Result;
use crate::time::Segment;
use crate::transcript::clock;
use crate::transcript::draft::{CUT, Draft, short};

/// Stands around a time bullet.
const BULLET: char = '\u{15}';

const EXPECTED: &str =
    "expected `*SPK:<tab>words . <bullet>start_end<bullet>` in milliseconds, end at or after start; correct the line";

/// Marks of conversation analysis and prosody inside words.
const MARKS: &str = "⌈⌉⌊⌋↑↓⇗↗→↘⇘∞≈≋≡∙⁎⌇⁑⁇°▁▔☺∬Ϋ∮§∾↻Ἡ„‡‹›ˈˌ⤇⤆∆∇♋〔〕^\u{2}\u{3}\u{4}\u{1}\u{7}\u{8}";

/// Stands around a part of a word that is said again and again before the word: `↫b-b-b↫boy`.
const REPEATED: char = '↫';

/// Written in place of what was not understood, has no spelling, or is not transcribed.
const NO_WORDS: [&str; 3] = ["xxx", "yyy", "www"];

/// A whole file, small.
pub(super) const EXAMPLE: &str =
    "@Begin\n*CHI:\tI [/] <you> (.) &-uh +... @x (1.) \u{15}1000_2500\u{15}\n%wor:\tI \u{15}1000_1200\u{15}\n@End\n";

/// True for a text with CHAT's headers.
pub(super) fn fits(body: &str) -> bool {
    const HEADERS: [&str; 4] = ["@Begin", "@UTF8", "@Participants:", "@Languages:"];
    body.starts_with(['@', '*', '%']) && body.lines().take(40).any(|l| HEADERS.iter().any(|h| l.starts_with(h)))
        || body.starts_with('*') && body.lines().next().is_some_and(|l| l.contains(":\t"))
}

/// A line with its continuations.
struct Line {
    number: usize,
    text: String,
}

/// Reads CHAT text into `draft`.
pub(super) fn read(text: &str, draft: &mut Draft) -> Result<()> {
    let mut lines: Vec<Line> = Vec::new();
    for (i, raw) in text.split('\n').enumerate() {
        if raw.trim().is_empty() {
            continue;
        }
        if raw.starts_with(['\t', ' '])
            && let Some(last) = lines.last_mut()
        {
            last.text.push(' ');
            last.text.push_str(raw.trim());
        } else if raw.starts_with(['@', '*', '%']) {
            lines.push(Line { number: i + 1, text: raw.to_owned() });
        } else {
            draft.bad(i + 1, format!("line {:?} is no header, utterance or tier", short(raw)), EXPECTED)?;
        }
    }
    let ends = |l: &&Line| l.text.trim_end() == "@End";
    let after = lines.iter().skip_while(|l| !ends(l)).find(|l| !ends(l));
    if let Some(line) = after {
        let what = format!("{:?} stands after @End", short(&line.text));
        draft.flaw(line.number, what, "it is read all the same", "make a file of each transcript")?;
    }
    if lines.iter().any(|l| l.text.trim_end() == "@Begin") && !lines.iter().any(|l| ends(&l)) {
        let last = lines.last().map_or(0, |l| l.number);
        draft.warn(format!("line {last}: the file ends without @End; what came after may be cut off"));
    }
    // Of several languages, which is whose is not told here.
    if let Some(languages) = lines.iter().find_map(|l| l.text.strip_prefix("@Languages:"))
        && !languages.contains(',')
    {
        draft.declare(languages);
    }
    tell_layers(&lines, draft);
    let utterances = lines.iter().filter(|l| l.text.starts_with('*')).count();
    let timed = lines.iter().any(|l| l.text.starts_with('*') && !bullets(&l.text).is_empty());
    if utterances > 0 && !timed {
        let what = format!("no cues: none of {utterances} utterances has a time bullet");
        return Err(draft.fail(0, what, "link the utterances to the media in CLAN, or use another transcript"));
    }
    for (i, line) in lines.iter().enumerate().filter(|(_, l)| l.text.starts_with('*')) {
        let wor = lines[i + 1..].iter().take_while(|l| l.text.starts_with('%')).find(|l| l.text.starts_with("%wor:"));
        utterance(line, wor.map(|l| l.text.as_str()), draft)?;
    }
    Ok(())
}

/// Names the dependent tiers that are not read, with the number of their lines.
fn tell_layers(lines: &[Line], draft: &mut Draft) {
    let mut layers: BTreeMap<&str, usize> = BTreeMap::new();
    for line in lines.iter().filter(|l| l.text.starts_with('%') && !l.text.starts_with("%wor:")) {
        *layers.entry(line.text.split([':', '\t', ' ']).next().unwrap_or("%")).or_default() += 1;
    }
    if !layers.is_empty() {
        let all: Vec<String> = layers.iter().map(|(name, count)| format!("{name} ({count})")).collect();
        draft.warn(format!("tiers that hold no turns left out: {}", all.join(", ")));
    }
}

/// A bullet that is not closed, or that should be times and is not.
fn odd_bullet(text: &str) -> Option<String> {
    if text.matches(BULLET).count() % 2 == 1 {
        let open = text.rsplit(BULLET).next().unwrap_or("");
        return Some(format!("the time bullet {:?} is not closed", short(open)));
    }
    // Other bullets name pictures and texts.
    let odd = |b: &&str| bullet(b).is_none() && !b.starts_with('%');
    text.split(BULLET).skip(1).step_by(2).find(odd).map(|b| format!("the time bullet {:?} cannot be read", short(b)))
}

fn utterance(line: &Line, wor: Option<&str>, draft: &mut Draft) -> Result<()> {
    let Some((speaker, rest)) = line.text[1..].split_once(':') else {
        return draft.bad(line.number, format!("utterance {:?} has no speaker", short(&line.text)), EXPECTED);
    };
    if let Some(what) = odd_bullet(rest) {
        let hint = if what.ends_with("closed") { CUT } else { EXPECTED };
        return draft.bad(line.number, format!("utterance of {speaker}: {what}"), hint);
    }
    if let Some(what) = wor.and_then(odd_bullet) {
        draft.warn(format!("line {}: words of {speaker}: {what}; the word has no time", line.number));
    }
    let times = bullets(rest);
    let span = match (times.first(), times.last()) {
        (Some((start, _)), Some((_, end))) => clock::span(start / 1e3, end / 1e3),
        _ => Err("no time bullet".into()),
    };
    match span {
        Ok(segment) => {
            let (sounds, said) = (sounds(rest), plain(rest));
            let spoken = said.chars().any(char::is_alphanumeric);
            for what in &sounds {
                draft.push_sound(segment, Some(speaker.trim()), what.clone(), spoken);
            }
            // A laugh that is an utterance of its own is no turn.
            if spoken || sounds.is_empty() {
                let said = if spoken || !has_no_words(rest) { said } else { String::new() };
                draft.push(segment, Some(speaker), said, wor.map(words).unwrap_or_default());
            }
            Ok(())
        }
        Err(what) => draft.bad(line.number, format!("utterance of {speaker}: {what}"), EXPECTED),
    }
}

/// Start and end in milliseconds of the time bullets of a line; `%snd:"file"_0_5000` is the old way to write one.
fn bullets(text: &str) -> Vec<(f64, f64)> {
    text.split(BULLET).skip(1).step_by(2).filter_map(bullet).collect()
}

fn bullet(inner: &str) -> Option<(f64, f64)> {
    let mut fields = inner.rsplit('_');
    let mut number = || {
        let field = fields.next()?.trim_end_matches('-');
        (!field.is_empty() && field.len() <= 12 && field.bytes().all(|b| b.is_ascii_digit()))
            .then(|| field.parse::<f64>().ok())
            .flatten()
    };
    let (end, start) = (number()?, number()?);
    Some((start, end))
}

/// Words and times of a `%wor` tier: a bullet belongs to the word before it.
fn words(tier: &str) -> Vec<Word> {
    let mut out: Vec<Word> = Vec::new();
    let body = tier.split_once(':').map_or("", |(_, b)| b);
    for (i, part) in body.split(BULLET).enumerate() {
        if i % 2 == 1 {
            if let (Some(word), Some((start, end))) = (out.last_mut(), bullet(part)) {
                word.segment = Segment::from_secs(start / 1e3, end / 1e3);
            }
            continue;
        }
        out.extend(
            part.split_whitespace().map(plain).filter(|t| t.chars().any(char::is_alphanumeric)).map(|text| Word {
                text,
                segment: None,
                speaker: None,
            }),
        );
    }
    out
}

/// The words said: bullets, codes in brackets, events, pauses and prosodic marks taken off; fillers and fragments kept.
fn plain(text: &str) -> String {
    let unmarked: String = text.split(BULLET).step_by(2).collect::<Vec<_>>().join(" ");
    let mut out = String::new();
    for token in without_codes(&unmarked).split_whitespace() {
        let token = word(token);
        if token.is_empty() {
            continue;
        }
        let closes = token.chars().all(|c| matches!(c, '.' | '?' | '!' | ',' | ';'));
        if !out.is_empty() && !closes {
            out.push(' ');
        }
        out.push_str(&token);
    }
    out
}

/// True for an utterance with marks in place of words.
fn has_no_words(text: &str) -> bool {
    text.split_whitespace().any(|t| t == "0" || NO_WORDS.contains(&t))
}

/// What is heard and not said: `&=laughs`, `[=! laughs]`, and the beginnings of long ones, `&{l=laughing`.
fn sounds(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find("[=!") {
        let end = rest[at..].find(']').map_or(rest.len(), |n| at + n);
        found.push((text.len() - rest.len() + at, rest[at + 3..end].to_owned()));
        rest = &rest[end..];
    }
    let mut at = 0;
    for token in text.split_whitespace() {
        let place = text[at..].find(token).map_or(at, |n| at + n);
        at = place + token.len();
        let long = ["&{l=", "&{n="].iter().find_map(|mark| token.strip_prefix(mark));
        if let Some(what) = token.strip_prefix("&=").or(long) {
            found.push((place, what.replace([':', '_'], " ")));
        }
    }
    found.sort();
    let clean = |(_, what): (usize, String)| crate::transcript::markup::squeeze(&what);
    found.into_iter().map(clean).filter(|what| what.chars().any(char::is_alphanumeric)).collect()
}

/// Drops `[…]` and the angle brackets of groups.
fn without_codes(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['[', '<', '>']) {
        out.push_str(&rest[..at]);
        let code_end =
            if rest[at..].starts_with('[') { rest[at..].bytes().take(512).position(|b| b == b']') } else { None };
        // `+<` is a linker and goes as a token.
        if rest[at..].starts_with('<') && rest[..at].ends_with('+') {
            out.push('<');
        } else {
            out.push(' ');
        }
        rest = &rest[at + code_end.unwrap_or(0) + 1..];
    }
    out.push_str(rest);
    out
}

fn word(token: &str) -> String {
    let pause = |t: &str| {
        t.starts_with('(')
            && t.ends_with(')')
            && t[1..t.len() - 1].chars().all(|c| c.is_ascii_digit() || ".:".contains(c))
    };
    if token.starts_with("&=")
        || token.starts_with("&*")
        || token.starts_with("&{")
        || token.starts_with("&}")
        || NO_WORDS.contains(&token.trim_end_matches(['.', '?', '!', ',']))
        || token.strip_prefix('0').is_some_and(|t| t.starts_with(char::is_alphabetic))
        || token == "0"
    {
        return String::new();
    }
    if token.starts_with('+') {
        // Linkers and special terminators: +... +/. +//? +" +< ++ +, +^
        if token.starts_with("+...") {
            return "...".into();
        }
        let end = token.trim_start_matches(['+', '.', '/', '"', '<', ',', '^', '~', '=', '“', '”']);
        return if token.ends_with(['?', '!']) || end.is_empty() && token.ends_with('.') {
            closing(token)
        } else {
            word_plain(end)
        };
    }
    if token.len() > 1 && pause(token) {
        return String::new();
    }
    if token == "&" {
        return token.into();
    }
    word_plain(token.strip_prefix(['&']).map_or(token, |t| t.trim_start_matches(['-', '+', '~'])))
}

fn closing(token: &str) -> String {
    token.chars().last().map(String::from).unwrap_or_default()
}

fn word_plain(token: &str) -> String {
    // `because@l` has a form marker; an address and a name on the net have none.
    let said =
        |(form, marker): &(&str, &str)| form.is_empty() || marker.trim_end_matches(['.', ',', '?', '!']).contains('.');
    let token = match token.split_once('@') {
        Some(parts) if said(&parts) => return token.chars().filter(|c| !MARKS.contains(*c)).collect(),
        Some((form, _)) => form,
        None => token,
    };
    // What stands between two of these is a part of the word that follows.
    let whole: String = token.split(REPEATED).step_by(2).collect();
    let token = if token.matches(REPEATED).count() > 1 { whole.as_str() } else { token };
    let mut out = String::with_capacity(token.len());
    let digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
    for (i, c) in token.char_indices() {
        match c {
            // 3:00 and 2+2 are no lengthening and no compound.
            ':' | '+' if digit(token[..i].chars().next_back()) && digit(token[i + 1..].chars().next()) => out.push(c),
            '(' | ')' | ':' => {}
            '_' | '+' => out.push(' '),
            c if MARKS.contains(c) || c == REPEATED => {}
            c => out.push(c),
        }
    }
    out.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use crate::transcript::Format;
    use crate::transcript::tests::{complaint, parse, told, warned, word_times};

    #[test]
    fn chat_utterances_with_bullets() {
        let t = parse(
            "a.cha",
            "@UTF8\n@Begin\n@Participants:\tCHI Child, MOT Mother\n*CHI:\tI [/] I want <the &-uh dog> [* s:r] (.) because@l (be)cause &=laughs\n\tice_cream no:: +... \u{15}1000_2500\u{15}\n%wor:\tI \u{15}1000_1200\u{15} want .\n%com:\tx\n*MOT:\tok ? \u{15}%snd:\"f\"_2500_3000\u{15} [+ trn]\n@End\n",
        );
        assert_eq!(t.format, Format::Chat);
        assert_eq!(told(&t), ["1-2.5 CHI: I I want the uh dog because because ice cream no...", "2.5-3 MOT: ok?"]);
        assert_eq!(word_times(&t.turns[0]), ["I 1.000-1.200", "want ?"]);
        let e = complaint("a.cha", "@Begin\n*CHI:\ta . \u{15}500_100\u{15}\n");
        assert!(e.starts_with("a.cha:2: utterance of CHI: end 0.1 s before start 0.5 s"), "{e}");
        assert!(complaint("a.cha", "@Begin\n*CHI:\ta .\n").contains("none of 1 utterances has a time bullet"));
        assert!(
            complaint("a.cha", "@Begin\n*CHI:\ta . \u{15}0_100\u{15}\n*MOT:\tb .\n")
                .contains("a.cha:3: utterance of MOT: no time bullet")
        );
    }

    #[test]
    fn numbers_and_addresses_are_words() {
        let said = "at 3:00 or 0.5 percent of 2+2 & me@example.com , @anna 0800-555 0is no:: be@l ice+cream .";
        let t = parse("a.cha", &format!("@Begin\n*CHI:\t{said} \u{15}0_100\u{15}\n@End\n"));
        assert_eq!(t.turns[0].text, "at 3:00 or 0.5 percent of 2+2 & me@example.com, @anna 0800-555 no be ice cream.");
    }

    #[test]
    fn marks_of_analysis_are_no_words_and_sounds_are_events() {
        let line = |said: &str, a: u32| format!("*CHI:\t{said} \u{15}{a}_{}\u{15}\n", a + 100);
        let said = [
            "↫s-s-s↫segment ∆faster∆ ∇slower∇ ♋breathy♋ ⤇quick⤆ 0 foo 0 〔bar baz〕 .",
            "&{l=laughing so it is &}l=laughing &=coughs .",
            "0 [=! laughs] .",
            "xxx fell off www .",
            "xxx .",
            "yes [=! whispering] .",
        ];
        let lines: String = said.iter().zip((0..).step_by(200)).map(|(s, a)| line(s, a)).collect();
        let t = parse("a.cha", &format!("@Begin\n{lines}@End\n"));
        assert_eq!(
            told(&t),
            [
                "0-0.1 CHI: segment faster slower breathy quick foo bar baz.",
                "0.2-0.3 CHI: so it is.",
                "0.6-0.7 CHI: fell off.",
                "0.8-0.9 CHI: ",
                "1-1.1 CHI: yes.",
            ]
        );
        let heard: Vec<(&str, bool)> = t.events.iter().map(|e| (e.what.as_str(), e.in_turn)).collect();
        assert_eq!(heard, [("laughing", true), ("coughs", true), ("laughs", false), ("whispering", true)]);
    }

    #[test]
    fn an_end_that_is_not_there_and_other_tiers_are_told() {
        let line = "*CHI:\ta . \u{15}0_100\u{15}\n%mor:\tx\n";
        assert!(!warned(&parse("a.cha", &format!("@Begin\n{line}@End\n"))).contains("@End"));
        let t = parse("a.cha", &format!("@Begin\n{line}"));
        assert!(warned(&t).contains("line 3: the file ends without @End"), "{}", warned(&t));
        assert!(warned(&t).contains("left out: %mor (1)"), "{}", warned(&t));
        let e = complaint("a.cha", &format!("@Begin\n{line}@End\n@Begin\n{line}@End\n"));
        assert!(e.starts_with("a.cha:5: \"@Begin\" stands after @End"), "{e}");
        let e = complaint("a.cha", "@Begin\n*CHI:\ta . \u{15}0_1\u{15}\n*CHI:\tb . \u{15}100_20");
        assert!(e.starts_with("a.cha:3: utterance of CHI: the time bullet \"100_20\" is not closed"), "{e}");
        let e =
            complaint("a.cha", "@Begin\n*CHI:\ta . \u{15}0_1\u{15}\n*CHI:\tb \u{15}1_2\u{15} c . \u{15}2_3x\u{15}\n");
        assert!(e.contains("a.cha:3: utterance of CHI: the time bullet \"2_3x\" cannot be read"), "{e}");
    }
}
