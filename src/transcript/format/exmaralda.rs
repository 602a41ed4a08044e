//! EXMARaLDA `.exb` (Schmidt and Wörner 2009, "EXMARaLDA: creating, analysing and sharing spoken language corpora"):
//! events of tiers of type `t` between points of a common time line.

use std::collections::BTreeMap;

use super::{Entry, Sign};
use crate::error::Result;
use crate::transcript::draft::{Draft, short};
use crate::transcript::xml::{self, Node, Tree};
use crate::transcript::{clock, markup};

const EXPECTED: &str = "expected <event start end> whose points have times in <common-timeline>, end at or after start; \
                        save it from EXMARaLDA again";

pub(super) const ENTRY: Entry = Entry {
    name: "EXMARaLDA",
    help: "EXMARaLDA",
    suffixes: &["exb"],
    signs: &[Sign::Root("basic-transcription")],
    expected: "XML with the root basic-transcription",
    example: "<basic-transcription><head><speakertable><speaker id=\"SPK0\"><abbreviation>ANN</abbreviation></speaker>\
              </speakertable></head><basic-body><common-timeline><tli id=\"T0\" time=\"0.5\"/><tli id=\"T1\" \
              time=\"1.25\"/></common-timeline><tier id=\"TIE0\" speaker=\"SPK0\" category=\"v\" type=\"t\"><event \
              start=\"T0\" end=\"T1\">hi you.</event></tier></basic-body></basic-transcription>",
    read: |input, draft| read(input.text, draft),
    ..Entry::PLAIN
};

/// Seconds of the points of the time line; those without lie evenly between their neighbours, as the editor shows them.
fn points(tree: &Tree, draft: &mut Draft) -> Result<BTreeMap<String, (usize, Option<f64>)>> {
    let mut all: Vec<(String, Option<f64>)> = Vec::new();
    for tli in tree.all("tli") {
        let Some(id) = tli.attribute("id") else { continue };
        let time = match tli.attribute("time").map(|t| (t, t.parse::<f64>())) {
            None => None,
            Some((_, Ok(secs))) if secs.is_finite() => Some(secs),
            Some((written, _)) => {
                let what = format!("the time of point {id} is {:?}", short(written));
                draft.flaw(tli.line, what, "it is taken from its neighbours", "correct the time")?;
                None
            }
        };
        all.push((id.to_owned(), time));
    }
    let known: Vec<(usize, f64)> = all.iter().enumerate().filter_map(|(i, (_, t))| Some((i, (*t)?))).collect();
    let between = |i: usize| {
        let behind = known.partition_point(|(at, _)| *at < i);
        let after = known.get(behind)?;
        let before = if after.0 == i { after } else { known.get(behind.checked_sub(1)?)? };
        let share = if after.0 == before.0 { 0.0 } else { (i - before.0) as f64 / (after.0 - before.0) as f64 };
        Some(before.1 + (after.1 - before.1) * share)
    };
    let untimed = all.iter().filter(|(_, t)| t.is_none()).count();
    if untimed > 0 && !known.is_empty() {
        draft.warn(format!("{untimed} points of the time line have no time; they lie evenly between their neighbours"));
    }
    Ok(all.iter().enumerate().map(|(i, (id, _))| (id.clone(), (i, between(i)))).collect())
}

/// Events that follow one another without a gap, up to the end of a sentence: one utterance, which the editor cuts
/// wherever somebody else begins or ends.
struct Utterance<'t> {
    line: usize,
    start: &'t str,
    end: &'t str,
    text: String,
}

fn utterances<'t>(tree: &'t Tree, tier: &'t Node) -> Vec<Utterance<'t>> {
    let mut out: Vec<Utterance> = Vec::new();
    for event in tree.elements(tier).filter(|e| e.name == "event" && e.whole) {
        let (start, end) = (event.attribute("start").unwrap_or(""), event.attribute("end").unwrap_or(""));
        let text = tree.text(event);
        let open = |u: &&mut Utterance| {
            u.end == start && !u.text.trim_end().ends_with(['.', '?', '!', '\u{2026}', '\u{203f}', ';', '\u{2d9}'])
        };
        match out.last_mut().filter(open) {
            Some(last) => {
                last.text.push_str(&text);
                last.end = end;
            }
            None => out.push(Utterance { line: event.line, start, end, text }),
        }
    }
    out
}

fn read(text: &str, draft: &mut Draft) -> Result<()> {
    let tree = xml::parse(text, EXPECTED, draft)?;
    let points = points(&tree, draft)?;
    let mut names: BTreeMap<&str, String> = BTreeMap::new();
    for speaker in tree.all("speaker") {
        let short = tree.elements(speaker).find(|e| e.name == "abbreviation").map(|e| markup::squeeze(&tree.text(e)));
        if let (Some(id), Some(name)) = (speaker.attribute("id"), short.filter(|n| !n.is_empty())) {
            names.insert(id, name);
        }
    }
    let mut left = Vec::new();
    let mut tiers = 0;
    for tier in tree.all("tier") {
        let label = tier.attribute("display-name").or_else(|| tier.attribute("category")).unwrap_or("?");
        if tier.attribute("type") != Some("t") {
            left.push(format!("{label} ({})", tree.elements(tier).count()));
            continue;
        }
        tiers += 1;
        let id = tier.attribute("speaker");
        let speaker = id.map(|id| names.get(id).cloned().unwrap_or_else(|| id.to_owned()));
        for u in utterances(&tree, tier) {
            let said = markup::squeeze(&u.text);
            if said.is_empty() {
                continue;
            }
            let secs = |id: &str| match points.get(id) {
                Some((_, Some(secs))) => Ok(*secs),
                Some((_, None)) => Err(format!("point {id:?} has no time, and no neighbours with one")),
                None => Err(format!("point {id:?} is not in the time line")),
            };
            match secs(u.start).and_then(|a| clock::span(a, secs(u.end)?)) {
                Ok(segment) => draft.push(segment, speaker.as_deref(), said, Vec::new()),
                Err(what) => draft.bad(u.line, format!("event {:?} of {label}: {what}", short(&said)), EXPECTED)?,
            }
        }
    }
    if !left.is_empty() {
        draft.warn(format!("tiers that hold no turns left out: {}", left.join(", ")));
    }
    if tiers > 1 {
        draft.sort_by_time();
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::transcript::tests::{LENIENT, complaint, parse, told, warned};
    use crate::transcript::{Format, read_bytes};
    use std::path::Path;

    fn file(times: &[&str], tiers: &str) -> String {
        let points: String =
            times
                .iter()
                .enumerate()
                .map(|(i, t)| {
                    if t.is_empty() {
                        format!("<tli id=\"T{i}\"/>")
                    } else {
                        format!("<tli id=\"T{i}\" time=\"{t}\"/>")
                    }
                })
                .collect();
        format!(
            "<?xml version=\"1.0\"?>\n<basic-transcription><head><speakertable><speaker id=\"SPK0\"><abbreviation>ANN</abbreviation></speaker></speakertable></head>\n<basic-body><common-timeline>{points}</common-timeline>\n{tiers}</basic-body></basic-transcription>"
        )
    }

    #[test]
    fn events_of_a_time_line_are_utterances() {
        let tiers = "<tier id=\"A\" speaker=\"SPK0\" category=\"v\" type=\"t\" display-name=\"ANN [v]\"><event start=\"T0\" end=\"T1\">so be</event><event start=\"T1\" end=\"T2\">cause. </event><event start=\"T2\" end=\"T3\">Yes</event></tier>\n<tier id=\"B\" speaker=\"SPK1\" category=\"v\" type=\"t\"><event start=\"T1\" end=\"T2\">mhm</event></tier><tier id=\"C\" category=\"nv\" type=\"d\" display-name=\"ANN [nv]\"><event start=\"T0\" end=\"T1\">nods</event></tier>";
        let t = parse("a.exb", &file(&["0.5", "", "2.5", "3"], tiers));
        assert_eq!(t.format, Format::Exmaralda);
        assert_eq!(told(&t), ["0.5-2.5 ANN: so because.", "1.5-2.5 SPK1: mhm", "2.5-3 ANN: Yes"]);
        assert!(warned(&t).contains("1 points of the time line have no time"), "{}", warned(&t));
        assert!(warned(&t).contains("left out: ANN [nv] (1)"), "{}", warned(&t));
    }

    #[test]
    fn what_is_wrong_is_told() {
        let tier = |a: &str, b: &str| {
            format!(
                "<tier id=\"A\" speaker=\"SPK0\" type=\"t\" display-name=\"ANN\"><event start=\"{a}\" end=\"{b}\">hi</event></tier>"
            )
        };
        let e = complaint("a.exb", &file(&["3", "2"], &tier("T0", "T1")));
        assert!(e.starts_with("a.exb:4: event \"hi\" of ANN: end 2 s before start 3 s; expected <event"), "{e}");
        assert!(
            complaint("a.exb", &file(&["1", "2"], &tier("T0", "T9"))).contains("point \"T9\" is not in the time line")
        );
        assert!(complaint("a.exb", &file(&["x", "2"], &tier("T0", "T1"))).contains("the time of point T0 is \"x\""));
        assert!(complaint("a.exb", &file(&["", ""], &tier("T0", "T1"))).contains("point \"T0\" has no time"));
        assert!(complaint("a.exb", &file(&["1"], "")).contains("no cues (EXMARaLDA)"));
        let whole = file(
            &["1", "2", "3"],
            &tier("T0", "T1").replace("</tier>", "<event start=\"T1\" end=\"T2\">you so</event></tier>"),
        );
        let cut = &whole[..whole.rfind(" so").unwrap()];
        assert!(complaint("a.exb", cut).contains("the file ends within <event>"));
        let t = read_bytes(cut.as_bytes(), Path::new("a.exb"), &LENIENT).unwrap();
        assert_eq!(told(&t), ["1-2 ANN: hi"]);
    }
}
