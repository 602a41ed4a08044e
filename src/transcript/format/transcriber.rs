//! Transcriber `.trs` (Barras et al. 2001, "Transcriber: development and use of a tool for assisting speech corpora
//! production"): turns with `<Sync>` marks in seconds; `<Who>` parts the speakers of one turn.

use std::collections::BTreeMap;

use super::{Entry, Sign};
use crate::error::Result;
use crate::time::Segment;
use crate::transcript::draft::{Draft, short};
use crate::transcript::xml::{self, Inside, Node, Tree};
use crate::transcript::{clock, markup};

const EXPECTED: &str = "expected <Turn startTime endTime> with <Sync time> in seconds between them; correct the time";

pub(super) const ENTRY: Entry = Entry {
    name: "Transcriber",
    help: "Transcriber",
    suffixes: &["trs"],
    signs: &[Sign::Root("Trans")],
    expected: "XML with the root Trans",
    example: "<Trans><Speakers><Speaker id=\"spk1\" name=\"Anna\"/></Speakers><Episode><Section startTime=\"0\" \
              endTime=\"3\"><Turn speaker=\"spk1\" startTime=\"0\" endTime=\"3\"><Sync time=\"0.5\"/>\nhi you\n<Sync \
              time=\"1.25\"/>\nso\n</Turn></Section></Episode></Trans>",
    read: |input, draft| read(input.text, draft),
    ..Entry::PLAIN
};

fn time(node: &Node, key: &str) -> std::result::Result<f64, String> {
    let written = node.attribute(key).ok_or_else(|| format!("<{}> has no {key}", node.name))?;
    written.parse::<f64>().ok().filter(|v| v.is_finite()).ok_or_else(|| format!("{key} is {:?}", short(written)))
}

/// Words from one Sync to the next, by the place of who says them among the turn's speakers.
#[derive(Default)]
struct Stretch {
    line: usize,
    start: Option<std::result::Result<f64, String>>,
    parts: Vec<(usize, String)>,
    sounds: Vec<(usize, String)>,
}

fn read(text: &str, draft: &mut Draft) -> Result<()> {
    let tree = xml::parse(text, EXPECTED, draft)?;
    let name = |n: &Node| n.attribute("name").or_else(|| n.attribute("id")).map(str::to_owned);
    let names: BTreeMap<String, String> =
        tree.all("Speaker").filter_map(|n| Some((n.attribute("id")?.to_owned(), name(n)?))).collect();
    if let Some(language) = tree.root().attribute("lang") {
        draft.declare(language);
    }
    for (i, turn) in tree.all("Turn").enumerate() {
        let stretches = stretches(&tree, turn);
        push(turn, i + 1, stretches, &names, draft)?;
    }
    Ok(())
}

fn stretches(tree: &Tree, turn: &Node) -> Vec<Stretch> {
    let mut all = vec![Stretch { line: turn.line, ..Stretch::default() }];
    let mut who = 0;
    for child in tree.inside(turn) {
        let Some(now) = all.last_mut() else { continue };
        match child {
            Inside::Text(text) => match now.parts.last_mut().filter(|(w, _)| *w == who) {
                Some((_, words)) => words.push_str(text),
                None => now.parts.push((who, text.to_owned())),
            },
            Inside::Element(e) => match e.name.as_str() {
                "Sync" => {
                    who = 0;
                    all.push(Stretch { line: e.line, start: Some(time(e, "time")), ..Stretch::default() });
                }
                "Who" => who = e.attribute("nb").and_then(|n| n.parse::<usize>().ok()).unwrap_or(1).saturating_sub(1),
                "Event" if e.attribute("type").is_none_or(|t| t == "noise") && e.attribute("extent") != Some("end") => {
                    now.sounds.extend(e.attribute("desc").map(|d| (who, d.to_owned())));
                }
                _ => {}
            },
        }
    }
    all
}

fn push(
    turn: &Node,
    number: usize,
    mut stretches: Vec<Stretch>,
    names: &BTreeMap<String, String>,
    draft: &mut Draft,
) -> Result<()> {
    let silent = |s: &Stretch| s.parts.iter().all(|(_, t)| t.trim().is_empty()) && s.sounds.is_empty();
    if stretches.first().is_some_and(|s| s.start.is_none() && silent(s)) {
        stretches.remove(0);
    }
    let ids: Vec<&str> = turn.attribute("speaker").unwrap_or("").split_whitespace().collect();
    let speaker = |at: usize| ids.get(at).map(|id| names.get(*id).cloned().unwrap_or_else(|| (*id).to_owned()));
    let ends: Vec<_> = stretches.iter().skip(1).map(|s| s.start.clone()).collect();
    let count = stretches.len();
    for (i, stretch) in stretches.into_iter().enumerate() {
        if silent(&stretch) {
            continue;
        }
        // What the file ends within is not whole.
        let cut = !turn.whole && i + 1 == count;
        let start = stretch.start.unwrap_or_else(|| time(turn, "startTime"));
        let end = ends.get(i).cloned().flatten().unwrap_or_else(|| time(turn, "endTime"));
        let span: std::result::Result<Segment, String> = start.and_then(|a| clock::span(a, end?));
        match span {
            _ if cut => {
                draft.bad(stretch.line, format!("turn {number} is not whole"), crate::transcript::draft::CUT)?;
            }
            Err(what) => draft.bad(stretch.line, format!("turn {number}: {what}"), EXPECTED)?,
            Ok(segment) => {
                let spoken = stretch.parts.iter().any(|(_, t)| !t.trim().is_empty());
                for (who, what) in stretch.sounds {
                    draft.push_sound(segment, speaker(who).as_deref(), what, spoken);
                }
                for (who, words) in stretch.parts.iter().filter(|(_, t)| !t.trim().is_empty()) {
                    draft.push(segment, speaker(*who).as_deref(), markup::squeeze(words), Vec::new());
                }
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::transcript::tests::{LENIENT, complaint, parse, told, warned};
    use crate::transcript::{Format, read_bytes};
    use std::path::Path;

    fn file(turns: &str) -> String {
        format!(
            "<?xml version=\"1.0\"?>\n<!DOCTYPE Trans SYSTEM \"trans-14.dtd\">\n<Trans xml:lang=\"fr\">\n<Speakers><Speaker id=\"spk1\" name=\"Anna\"/><Speaker id=\"spk2\" name=\"Bo\"/></Speakers>\n<Episode><Section type=\"report\" startTime=\"0\" endTime=\"9\">\n{turns}</Section></Episode></Trans>"
        )
    }

    #[test]
    fn syncs_speakers_and_sounds() {
        let t = parse(
            "a.trs",
            &file(
                "<Turn speaker=\"spk1\" startTime=\"0\" endTime=\"3.5\"><Sync time=\"0\"/>\nbonjour <Event desc=\"rire\" type=\"noise\" extent=\"instantaneous\"/> à <Comment desc=\"x\"/>toi\n<Sync time=\"1.25\"/>\n\n<Sync time=\"2\"/>\noui\n</Turn>\n<Turn speaker=\"spk1 spk2\" startTime=\"3.5\" endTime=\"5\"><Sync time=\"3.5\"/><Who nb=\"1\"/>non\n<Who nb=\"2\"/>si\n</Turn>\n",
            ),
        );
        assert_eq!((t.format, t.language.as_deref()), (Format::Transcriber, Some("fr")));
        assert_eq!(told(&t), ["0-1.25 Anna: bonjour à toi", "2-3.5 Anna: oui", "3.5-5 Anna: non", "3.5-5 Bo: si"]);
        assert_eq!((t.events[0].what.as_str(), t.events[0].in_turn), ("rire", true));
    }

    #[test]
    fn what_is_wrong_is_told() {
        let turn = |a: &str, sync: &str, b: &str| {
            format!("<Turn speaker=\"spk1\" startTime=\"{a}\" endTime=\"{b}\"><Sync time=\"{sync}\"/>oui</Turn>\n")
        };
        let e = complaint("a.trs", &file(&turn("0", "3", "2")));
        assert!(e.starts_with("a.trs:6: turn 1: end 2 s before start 3 s; expected <Turn"), "{e}");
        assert!(complaint("a.trs", &file(&turn("0", "x", "2"))).contains("turn 1: time is \"x\""));
        assert!(complaint("a.trs", &file("")).contains("no cues (Transcriber)"));
        let whole = file(&[turn("0", "1", "2"), turn("2", "2", "3")].concat());
        let cut = &whole[..whole.rfind("oui").unwrap() + 2];
        assert!(complaint("a.trs", cut).contains("the file ends within <Turn>"));
        let t = read_bytes(cut.as_bytes(), Path::new("a.trs"), &LENIENT).unwrap();
        assert_eq!(told(&t), ["1-2 Anna: oui"]);
        let t = parse("a.trs", &file(&[turn("5", "5", "6"), turn("2", "2", "3")].concat()));
        assert!(warned(&t).contains("1 turns start before the turn above them"), "{}", warned(&t));
    }
}
