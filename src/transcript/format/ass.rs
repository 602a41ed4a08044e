//! Advanced SubStation Alpha and SubStation Alpha: `Dialogue:` lines of the section `[Events]`, whose `Format:` line
//! names the fields ("Sub Station Alpha v4.00+ Script Format").

use super::{Entry, Sign};
use crate::error::Result;
use crate::transcript::cue::{self, Cue};
use crate::transcript::draft::{CUT, Draft, short};
use crate::transcript::{clock, markup};

const EXPECTED: &str = "expected `Dialogue:` with the fields of the `Format:` line, times as H:MM:SS.cc, end at or after \
                        start; correct the line";

pub(super) const ENTRY: Entry = Entry {
    name: "ASS/SSA",
    help: "ASS or SSA",
    suffixes: &["ass", "ssa"],
    signs: &[Sign::Beginning(fits)],
    expected: "[Script Info] in the first line and `Dialogue:` lines below [Events]",
    example: "[Script Info]\nScriptType: v4.00+\n\n[Events]\nFormat: Layer, Start, End, Style, Name, MarginL, MarginR, \
              MarginV, Effect, Text\nDialogue: 0,0:00:01.50,0:00:02.25,Default,Anna,0,0,0,,hi,{\\i1}you{\\i0}\\Nso\n",
    read: |input, draft| read(input.text, draft),
    ..Entry::PLAIN
};

fn fits(body: &str) -> bool {
    let first = body.lines().next().unwrap_or("").trim();
    first.eq_ignore_ascii_case("[script info]")
}

/// Places of the fields that are read, and how many there are.
struct Fields {
    start: usize,
    end: usize,
    name: Option<usize>,
    count: usize,
}

fn fields(format: &str) -> Option<Fields> {
    let names: Vec<String> = format.split(',').map(|n| n.trim().to_lowercase()).collect();
    let at = |name: &str| names.iter().position(|n| n == name);
    // The text is the last: commas in it part nothing.
    (names.last().is_some_and(|n| n == "text")).then_some(())?;
    Some(Fields { start: at("start")?, end: at("end")?, name: at("name").or_else(|| at("actor")), count: names.len() })
}

/// Words of a text: override codes and drawings taken off, its breaks as lines.
fn lines(text: &str) -> Vec<String> {
    let mut out = String::new();
    let (mut rest, mut drawing) = (text, false);
    while let Some(at) = rest.find('{') {
        let shown = &rest[..at];
        if !drawing {
            out.push_str(shown);
        }
        let Some(end) = rest[at..].find('}') else {
            rest = &rest[at..];
            break;
        };
        let codes = &rest[at + 1..at + end];
        for code in codes.split('\\').skip(1) {
            if let Some(scale) =
                code.strip_prefix('p').filter(|s| s.bytes().all(|b| b.is_ascii_digit()) && !s.is_empty())
            {
                drawing = scale != "0";
            }
        }
        rest = &rest[at + end + 1..];
    }
    if !drawing {
        out.push_str(rest);
    }
    let broken = out.replace("\\N", "\n").replace("\\n", "\n").replace("\\h", " ");
    broken.split('\n').map(markup::written).collect()
}

fn read(text: &str, draft: &mut Draft) -> Result<()> {
    let mut section = String::new();
    let mut format: Option<Fields> = None;
    let mut found: Vec<(usize, Cue, String)> = Vec::new();
    let (mut number, mut comments) = (0, 0);
    let count = text.lines().count();
    for (i, line) in text.lines().enumerate() {
        let line_number = i + 1;
        let bare = line.trim();
        if bare.starts_with('[') && bare.ends_with(']') {
            section = bare.to_lowercase();
            continue;
        }
        let Some((key, value)) = line.split_once(':') else { continue };
        let key = key.trim().to_lowercase();
        if key == "timer" && value.trim().parse::<f64>().is_ok_and(|t| (t - 100.0).abs() > 1e-9) {
            let what = format!("the clock runs at {} percent (Timer)", value.trim());
            draft.flaw(line_number, what, "times are read as they are written", "save it with Timer: 100.0000")?;
        }
        if section != "[events]" {
            continue;
        }
        match key.as_str() {
            "format" => format = fields(value),
            "comment" => comments += 1,
            "dialogue" => {
                number += 1;
                let Some(fields) = &format else {
                    let what =
                        "no `Format:` line with Start, End and Text as the last stands before the first Dialogue";
                    return Err(draft.fail(line_number, what, EXPECTED));
                };
                let open = !text.ends_with('\n') && line_number == count;
                match dialogue(value, fields) {
                    Ok((cue, name)) => {
                        draft.ends_open(open);
                        let after_dropped = draft.take_lost();
                        found.push((line_number, Cue { after_dropped, ..cue }, name));
                    }
                    Err(what) => {
                        let hint = if open { CUT } else { EXPECTED };
                        draft.bad(line_number, format!("dialogue {number}: {what}"), hint)?;
                    }
                }
            }
            _ => {}
        }
    }
    if comments > 0 {
        draft.warn(format!("{comments} lines are comments and are left out"));
    }
    push(found, draft);
    Ok(())
}

/// A cue, and who says it.
fn dialogue(value: &str, fields: &Fields) -> std::result::Result<(Cue, String), String> {
    let cells: Vec<&str> = value.splitn(fields.count, ',').collect();
    if cells.len() < fields.count {
        return Err(format!("{} fields of {}", cells.len(), fields.count));
    }
    let time = |at: usize| {
        clock::parse(cells[at].trim()).ok_or_else(|| format!("the time {:?} cannot be read", short(cells[at])))
    };
    let segment = clock::span(time(fields.start)?, time(fields.end)?)?;
    let name = fields.name.map_or("", |at| cells[at].trim()).to_owned();
    Ok((Cue { after_dropped: false, segment, lines: lines(cells[fields.count - 1]) }, name))
}

/// The text and the name of an event as Matroska holds it: `ReadOrder,Layer,Style,Name,MarginL,MarginR,MarginV,Effect,
/// Text`, its times beside it. `None` for anything else.
pub(in crate::transcript) fn event(packet: &str) -> Option<(Vec<String>, String)> {
    let cells: Vec<&str> = packet.splitn(9, ',').collect();
    let [_, _, _, name, _, _, _, _, text] = cells[..] else { return None };
    Some((lines(text), name.trim().to_owned()))
}

/// Names where the file has them; else the labels of the lines.
pub(in crate::transcript) fn push(found: Vec<(usize, Cue, String)>, draft: &mut Draft) {
    if found.iter().all(|(_, _, name)| name.is_empty()) {
        return cue::into_turns(found.into_iter().map(|(_, cue, _)| cue).collect(), false, draft);
    }
    draft.take_lost();
    for (_, cue, name) in found {
        if cue.after_dropped {
            draft.lose();
        }
        let text = markup::squeeze(&markup::unescape(&cue.lines.join(" ")));
        draft.push(cue.segment, Some(&name), text, Vec::new());
    }
}

#[cfg(test)]
mod tests {
    use crate::transcript::Format;
    use crate::transcript::tests::{complaint, parse, told, warned};

    fn file(dialogue: &str) -> String {
        format!(
            "[Script Info]\nTitle: x\n\n[V4+ Styles]\nFormat: Name, Fontname\nStyle: Default,Arial\n\n[Events]\nFormat: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\n{dialogue}"
        )
    }

    #[test]
    fn centiseconds_names_codes_and_breaks() {
        let t = parse(
            "a.ass",
            &file(
                "Comment: 0,0:00:00.00,0:00:01.00,Default,,0,0,0,,no\nDialogue: 0,0:00:01.50,1:00:02.25,Default,Anna Lee,0,0,0,,{\\i1}hi{\\i0}, you\\Nso <3\nDialogue: 0,0:00:03.00,0:00:04.00,Default,Bo,0,0,0,,{\\p1}m 0 0 l 1 1{\\p0}yes\n",
            ),
        );
        assert_eq!(
            (t.format, told(&t)),
            (Format::Ass, vec!["1.5-3602.25 Anna Lee: hi, you so <3".into(), "3-4 Bo: yes".into()])
        );
        assert!(warned(&t).contains("1 lines are comments"), "{}", warned(&t));
        let ssa = "[Script Info]\nScriptType: v4.00\n[Events]\nFormat: Marked, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\nDialogue: Marked=0,0:00:01.50,0:00:02.25,*Default,,0000,0000,0000,,hi\n";
        assert_eq!(told(&parse("a.ssa", ssa)), ["1.5-2.25 hi"]);
    }

    #[test]
    fn what_is_wrong_is_told() {
        let line = |a: &str, b: &str| format!("Dialogue: 0,{a},{b},Default,,0,0,0,,hi\n");
        let e = complaint("a.ass", &file(&line("0:00:03.00", "0:00:02.00")));
        assert!(e.starts_with("a.ass:10: dialogue 1: end 2 s before start 3 s; expected `Dialogue:`"), "{e}");
        assert!(
            complaint("a.ass", &file(&line("0:00:0x.00", "0:00:02.00")))
                .contains("the time \"0:00:0x.00\" cannot be read")
        );
        assert!(
            complaint("a.ass", &file("Dialogue: 0,0:00:01"))
                .contains("dialogue 1: 2 fields of 10; the file seems to be cut off")
        );
        assert!(complaint("a.ass", &file("")).contains("no cues (ASS/SSA)"));
        assert!(complaint("a.ass", "[Script Info]\n[Events]\nDialogue: x\n").contains("no `Format:` line"));
        let t = parse("a.ass", &file(&[line("0:00:05.00", "0:00:06.00"), line("0:00:01.00", "0:00:02.00")].concat()));
        assert!(warned(&t).contains("1 turns start before the turn above them"), "{}", warned(&t));
        let slow = file(&line("0:00:01.00", "0:00:02.00")).replace("Title: x", "Timer: 99.9000");
        assert!(complaint("a.ass", &slow).contains("a.ass:2: the clock runs at 99.9000 percent"));
    }
}
