//! TTML and its relatives DFXP, EBU-TT-D, IMSC and SMPTE-TT (W3C "Timed Text Markup Language 2", time expressions of
//! section 12.3): `<p>` and `<span>` with `begin`, `end` and `dur`, agents as speakers.

use std::collections::BTreeMap;

use super::{Entry, Sign};
use crate::error::Result;
use crate::transcript::cue::{self, Cue};
use crate::transcript::draft::{Draft, short};
use crate::transcript::xml::{self, Inside, Node, Tree};
use crate::transcript::{clock, markup};

const EXPECTED: &str = "expected begin and end (or dur) as HH:MM:SS.mmm, HH:MM:SS:FF or a number with h, m, s, ms, f or \
                        t, end at or after begin; correct the element";

pub(super) const ENTRY: Entry = Entry {
    name: "TTML",
    help: "TTML or DFXP",
    suffixes: &["ttml", "dfxp"],
    signs: &[Sign::Root("tt")],
    expected: "XML with the root tt",
    example: "<tt xmlns=\"http://www.w3.org/ns/ttml\" xml:lang=\"en\"><body><div><p begin=\"00:00:01.500\" \
              end=\"2.25s\">hi<br/>you</p></div></body></tt>",
    read: |input, draft| read(input.text, draft),
    ..Entry::PLAIN
};

/// What a number of a time expression counts.
enum Metric {
    /// So many seconds each.
    Whole(f64),
    /// So many a second.
    Part(f64),
    Frame,
    Tick,
}

static UNITS: [(&str, Metric); 6] = [
    ("h", Metric::Whole(3600.0)),
    ("m", Metric::Whole(60.0)),
    ("s", Metric::Whole(1.0)),
    ("ms", Metric::Part(1e3)),
    ("f", Metric::Frame),
    ("t", Metric::Tick),
];

/// Rates of time expressions.
struct Rates {
    /// Frames a second, as they pass.
    frames: f64,
    /// Frames a second, as they are counted.
    counted: f64,
    /// Each frame's parts.
    subframes: f64,
    ticks: f64,
    declared: bool,
    smpte: bool,
    drops: bool,
}

impl Rates {
    fn of(root: &Node) -> Self {
        let number = |key: &str| root.attribute(key).and_then(|v| v.parse::<f64>().ok()).filter(|v| *v > 0.0);
        let multiplier = root.attribute("frameRateMultiplier").and_then(|m| {
            let (a, b) = m.split_once([' ', ':'])?;
            let (a, b) = (a.trim().parse::<f64>().ok()?, b.trim().parse::<f64>().ok()?);
            (a > 0.0 && b > 0.0).then_some(a / b)
        });
        let counted = number("frameRate").unwrap_or(30.0);
        let frames = counted * multiplier.unwrap_or(1.0);
        let subframes = number("subFrameRate").unwrap_or(1.0);
        let framed = number("frameRate").map(|_| frames * subframes);
        Rates {
            frames,
            counted,
            subframes,
            ticks: number("tickRate").or(framed).unwrap_or(1.0),
            declared: number("frameRate").is_some(),
            smpte: root.attribute("timeBase") == Some("smpte"),
            drops: root.attribute("dropMode").is_some_and(|d| d != "nonDrop"),
        }
    }

    /// Seconds of a time expression.
    fn secs(&self, text: &str) -> Option<f64> {
        if let Some(secs) = clock::parse(text).filter(|_| text.matches(':').count() == 2 && !self.smpte) {
            return Some(secs);
        }
        if text.contains(':') {
            let (whole, frames) = if text.matches(':').count() == 3 { text.rsplit_once(':')? } else { (text, "0") };
            let secs = clock::parse(whole).filter(|_| whole.matches(':').count() == 2)?;
            let (frame, sub) = frames.split_once('.').unwrap_or((frames, "0"));
            let digits =
                |t: &str| (!t.is_empty() && t.bytes().all(|b| b.is_ascii_digit())).then(|| t.parse::<f64>().ok());
            let frame = digits(frame)??;
            let frame = (frame < self.counted).then_some(frame + digits(sub)?? / self.subframes)?;
            // SMPTE counts frames: where they are not whole in a second, its seconds are not seconds.
            return Some(if self.smpte {
                (secs * self.counted + frame) / self.frames
            } else {
                secs + frame / self.frames
            });
        }
        let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let number = digits.parse::<f64>().ok().filter(|v| v.is_finite() && *v >= 0.0)?;
        let (_, unit) = UNITS.iter().find(|(name, _)| *name == &text[digits.len()..])?;
        Some(match unit {
            Metric::Whole(secs) => number * secs,
            Metric::Part(parts) => number / parts,
            Metric::Frame => number / self.frames,
            Metric::Tick => number / self.ticks,
        })
    }
}

/// Whether a time counts frames.
fn in_frames(text: &str) -> bool {
    text.matches(':').count() == 3 || text.ends_with('f')
}

/// What holds within an element.
#[derive(Clone, Default)]
struct Place {
    /// Its begin, in seconds of the document.
    begin: f64,
    agent: Option<String>,
}

/// A stretch of words.
struct Found {
    line: usize,
    name: String,
    span: std::result::Result<crate::time::Segment, String>,
    agent: Option<String>,
    lines: Vec<String>,
}

struct Reading<'t> {
    tree: &'t Tree,
    rates: Rates,
    names: BTreeMap<String, String>,
    found: Vec<Found>,
    frames: usize,
    sequential: Option<usize>,
}

fn read(text: &str, draft: &mut Draft) -> Result<()> {
    let tree = xml::parse(text, EXPECTED, draft)?;
    let root = tree.root();
    let rates = Rates::of(root);
    if rates.drops && rates.smpte {
        let what = "times drop frame numbers (dropMode), which are not read";
        return Err(draft.fail(root.line, what, "save it with media times, or in another format"));
    }
    if let Some(language) = root.attribute("lang") {
        draft.declare(language);
    }
    let mut names = BTreeMap::new();
    for agent in tree.all("agent") {
        let name = tree.elements(agent).find(|n| n.name == "name").map(|n| markup::squeeze(&tree.text(n)));
        if let (Some(id), Some(name)) = (agent.attribute("id"), name.filter(|n| !n.is_empty())) {
            names.insert(id.to_owned(), name);
        }
    }
    let mut reading = Reading { tree: &tree, rates, names, found: Vec::new(), frames: 0, sequential: None };
    for body in tree.elements(root).filter(|e| e.name == "body") {
        reading.walk(body, &Place::default());
    }
    let Reading { found, frames, rates, sequential, .. } = reading;
    if let Some(line) = sequential {
        let what = "elements follow each other without times of their own (timeContainer=\"seq\"), which is not read";
        return Err(draft.fail(line, what, "save it with a begin and an end on every <p>"));
    }
    if frames > 0 && !rates.declared {
        draft
            .warn(format!("{frames} times count frames and no frameRate is declared: 30 a second, as TTML defines it"));
    }
    push(found, draft)
}

impl<'t> Reading<'t> {
    fn place(&mut self, node: &Node, within: &Place) -> (Place, std::result::Result<Option<f64>, String>) {
        let mut wrong = None;
        let mut time = |key: &str, frames: &mut usize| {
            let written = node.attribute(key)?;
            *frames += usize::from(in_frames(written));
            let secs = self.rates.secs(written);
            if secs.is_none() {
                wrong = Some(format!("{key} is {:?}", short(written)));
            }
            secs
        };
        let mut frames = 0;
        let (begin, end, length) = (time("begin", &mut frames), time("end", &mut frames), time("dur", &mut frames));
        self.frames += frames;
        let start = within.begin + begin.unwrap_or(0.0);
        let round = |secs: f64| (secs * 1e6).round() / 1e6;
        let end = match (end, length) {
            (Some(end), Some(length)) => Some((within.begin + end).min(start + length)),
            (Some(end), None) => Some(within.begin + end),
            (None, length) => length.map(|l| start + l),
        };
        let agent = node.attribute("agent").map(|ids| {
            let name = |id: &str| self.names.get(id).cloned().unwrap_or_else(|| id.to_owned());
            ids.split_whitespace().map(name).collect::<Vec<_>>().join(", ")
        });
        let place = Place { begin: round(start), agent: agent.or_else(|| within.agent.clone()) };
        (place, wrong.map_or(Ok(end.map(round)), Err))
    }

    fn walk(&mut self, node: &'t Node, within: &Place) {
        if node.attribute("timeContainer") == Some("seq") && self.sequential.is_none() {
            self.sequential = Some(node.line);
        }
        let (place, end) = self.place(node, within);
        if node.name != "p" && node.name != "span" {
            if let Err(what) = end {
                self.add(node, Err(what), &place, Vec::new());
            }
            let tree = self.tree;
            for child in tree.elements(node).filter(|c| ["div", "p", "span", "body"].contains(&c.name.as_str())) {
                self.walk(child, &place);
            }
            return;
        }
        let timed =
            node.attribute("begin").is_some() || node.attribute("end").is_some() || node.attribute("dur").is_some();
        let spans = self.timed_spans(node);
        let lines = self.lines(node, &place);
        if lines.iter().all(|l| l.trim().is_empty()) || !node.whole {
            return;
        }
        if !timed && !spans.is_empty() {
            for span in spans {
                self.walk(span, &place);
            }
            // Words beside them have no times.
            let beside = self.tree.inside(node).any(|c| matches!(c, Inside::Text(t) if !t.trim().is_empty()));
            if beside {
                self.add(
                    node,
                    Err("words stand beside the <span> with times and have none".into()),
                    &place,
                    Vec::new(),
                );
            }
            return;
        }
        let span = end.and_then(|end| match end {
            Some(end) => clock::span(place.begin, end),
            None => Err("no end time".to_owned()),
        });
        self.add(node, span, &place, lines);
    }

    fn add(
        &mut self,
        node: &Node,
        span: std::result::Result<crate::time::Segment, String>,
        place: &Place,
        lines: Vec<String>,
    ) {
        let id = node.attribute("id").map_or_else(String::new, |id| format!(" {id:?}"));
        let name = format!("<{}>{id}", node.name);
        self.found.push(Found { line: node.line, name, span, agent: place.agent.clone(), lines });
    }

    fn timed_spans(&self, node: &'t Node) -> Vec<&'t Node> {
        let tree = self.tree;
        tree.elements(node).filter(|e| e.name == "span" && e.attribute("begin").is_some()).collect()
    }

    /// Lines with the instants of spans that have times.
    fn lines(&mut self, node: &Node, place: &Place) -> Vec<String> {
        let mut text = String::new();
        self.say(node, place, &mut text);
        text.split('\n').map(str::to_owned).collect()
    }

    fn say(&mut self, node: &Node, place: &Place, out: &mut String) {
        let tree = self.tree;
        for child in tree.inside(node) {
            match child {
                // A line end in the file is a blank.
                Inside::Text(text) => out.push_str(&markup::written(&text.replace('\n', " "))),
                Inside::Element(e) if e.name == "br" => out.push('\n'),
                Inside::Element(e) if e.name == "metadata" => {}
                Inside::Element(e) => {
                    let (inner, _) = self.place(e, place);
                    if e.attribute("begin").is_some() {
                        out.push_str(&markup::instant(inner.begin));
                    }
                    self.say(e, &inner, out);
                }
            }
        }
    }
}

fn push(found: Vec<Found>, draft: &mut Draft) -> Result<()> {
    let agents = found.iter().any(|f| f.agent.is_some());
    let mut cues = Vec::new();
    for Found { line, name, span, agent, mut lines } in found {
        match span {
            Ok(segment) => {
                // A voice begins the cue, as in WebVTT.
                if let (Some(agent), Some(first)) = (agent.filter(|_| agents), lines.first_mut()) {
                    let safe: String = agent.chars().filter(|c| !"<>\n".contains(*c)).collect();
                    *first = format!("<v {safe}>{first}");
                }
                let after_dropped = draft.take_lost();
                cues.push(Cue { after_dropped, segment, lines });
            }
            Err(what) => draft.bad(line, format!("{name}: {what}"), EXPECTED)?,
        }
    }
    cue::into_turns(cues, false, draft);
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::transcript::tests::{LENIENT, complaint, parse, told, warned, word_times};
    use crate::transcript::{Format, read_bytes};
    use std::path::Path;

    fn file(attributes: &str, body: &str) -> String {
        format!(
            "<?xml version=\"1.0\"?>\n<tt xmlns=\"http://www.w3.org/ns/ttml\" xmlns:ttp=\"x\" {attributes}>\n<body>{body}</body></tt>"
        )
    }

    #[test]
    fn every_unit_of_time() {
        for (attributes, begin, want) in [
            ("", "00:00:01.5", 1.5),
            ("", "01:00:01", 3601.0),
            ("", "1.5s", 1.5),
            ("", "1500ms", 1.5),
            ("", "0.5m", 30.0),
            ("", "0.01h", 36.0),
            ("ttp:frameRate=\"25\"", "00:00:01:05", 1.2),
            ("ttp:frameRate=\"25\"", "50f", 2.0),
            ("ttp:tickRate=\"10000000\"", "15000000t", 1.5),
            ("ttp:frameRate=\"30\" ttp:frameRateMultiplier=\"1000 1001\"", "30f", 1.001),
            ("ttp:frameRate=\"30\" ttp:frameRateMultiplier=\"1000 1001\" ttp:timeBase=\"smpte\"", "00:00:10:00", 10.01),
            ("", "00:00:01:15", 1.5),
        ] {
            let t = parse("a.ttml", &file(attributes, &format!("<div><p begin=\"{begin}\" dur=\"2s\">a</p></div>")));
            assert_eq!((t.format, told(&t)), (Format::Ttml, vec![format!("{want}-{} a", want + 2.0)]), "{begin}");
            assert_eq!(warned(&t).contains("no frameRate is declared"), begin == "00:00:01:15", "{}", warned(&t));
        }
    }

    #[test]
    fn agents_spans_breaks_and_nesting() {
        let t = parse(
            "a.dfxp",
            &file(
                "xml:lang=\"en\"",
                "<metadata><ttm:agent xml:id=\"s1\"><ttm:name>Anna</ttm:name></ttm:agent></metadata>\n<div begin=\"10s\"><p begin=\"1s\" end=\"3s\" ttm:agent=\"s1\">so <b>it</b><br/>is &amp; <span begin=\"1s\">goes</span></p>\n<p ttm:agent=\"s2\"><span begin=\"4s\" end=\"5s\">yes</span></p></div>",
            ),
        );
        assert_eq!(told(&t), ["11-13 Anna: so it is & goes", "14-15 s2: yes"]);
        assert_eq!(t.language.as_deref(), Some("en"));
        let t = parse(
            "a.ttml",
            &file("", "<p begin=\"1s\" end=\"3s\"><span begin=\"0s\">so</span> <span begin=\"1s\">yes</span></p>"),
        );
        assert_eq!(word_times(&t.turns[0]), ["so 1.000-2.000", "yes 2.000-3.000"]);
    }

    #[test]
    fn what_is_wrong_is_told() {
        let p = |a: &str, b: &str| file("", &format!("\n<p xml:id=\"c1\" begin=\"{a}\" end=\"{b}\">a</p>"));
        let e = complaint("a.ttml", &p("3s", "2s"));
        assert!(e.starts_with("a.ttml:4: <p> \"c1\": end 2 s before start 3 s; expected begin and end"), "{e}");
        assert!(complaint("a.ttml", &p("3x", "4s")).contains("begin is \"3x\""));
        assert!(complaint("a.ttml", &p("00:00:01:30", "4s")).contains("begin is \"00:00:01:30\""));
        assert!(complaint("a.ttml", &file("", "<p begin=\"1s\">a</p>")).contains("<p>: no end time"));
        assert!(complaint("a.ttml", &file("", "")).contains("no cues (TTML)"));
        assert!(
            complaint("a.ttml", &file("", "<div timeContainer=\"seq\"><p dur=\"1s\">a</p></div>"))
                .contains("timeContainer")
        );
        let drops = "ttp:timeBase=\"smpte\" ttp:dropMode=\"dropNTSC\"";
        assert!(complaint("a.ttml", &file(drops, "<p begin=\"1s\" end=\"2s\">a</p>")).contains("drop frame numbers"));
        let cut = "<tt><body><p begin=\"1s\" end=\"2s\">a</p><p begin=\"2s\" end=\"3s\">b so";
        assert!(complaint("a.ttml", cut).contains("the file ends within <p>"));
        let t = read_bytes(cut.as_bytes(), Path::new("a.ttml"), &LENIENT).unwrap();
        assert_eq!(told(&t), ["1-2 a"]);
        let t = parse("a.ttml", &file("", "<p begin=\"3s\" end=\"4s\">a</p><p begin=\"1s\" end=\"2s\">b</p>"));
        assert!(warned(&t).contains("1 turns start before the turn above them"), "{}", warned(&t));
    }
}
