//! YouTube's timed text: srv1 (`<transcript>`, seconds), srv2 and srv3 (`<timedtext>`, milliseconds, word times in
//! `<s t>`).

use super::{Entry, Sign};
use crate::error::Result;
use crate::transcript::cue::{self, Cue};
use crate::transcript::draft::Draft;
use crate::transcript::xml::{self, Inside, Node, Tree};
use crate::transcript::{clock, markup};

use super::items::Told;

/// The element of a word.
const WORD: &str = "s";

const EXPECTED: &str = "expected <text start dur> in seconds or <p t d> in milliseconds; correct the element";

pub(super) const ENTRY: Entry = Entry {
    name: "YouTube timed text",
    help: "YouTube's timed text (srv1, srv3)",
    suffixes: &["srv1", "srv2", "srv3", "ytt"],
    signs: &[Sign::Root("transcript"), Sign::Root("timedtext")],
    expected: "XML with the root transcript or timedtext",
    example: "<?xml version=\"1.0\"?><timedtext format=\"3\"><body><p t=\"160\" d=\"4400\"><s>so</s><s t=\"300\"> \
              yes</s></p></body></timedtext>",
    read: |input, draft| read(input.text, draft),
    ..Entry::PLAIN
};

/// A part of a caption, and when it is said after the caption's start.
pub(super) struct Piece {
    pub(super) text: String,
    pub(super) offset: Told,
}

/// A caption.
pub(super) struct Caption {
    pub(super) line: usize,
    /// As messages name it.
    pub(super) name: String,
    pub(super) start: Told,
    pub(super) length: Told,
    pub(super) pieces: Vec<Piece>,
}

impl Caption {
    fn shows(&self) -> bool {
        self.pieces.iter().any(|p| !p.text.trim().is_empty())
    }
}

/// Captions as cues: those that only break a line go; one that stays on the screen while the next is said ends there.
///
/// # Errors
/// [`crate::error::Error::Parse`] for a caption without times or with times that cannot be, unless lenient.
pub(super) fn into_cues(captions: Vec<Caption>, expected: &str, draft: &mut Draft) -> Result<()> {
    let captions: Vec<Caption> = captions.into_iter().filter(Caption::shows).collect();
    let spoken = captions.iter().any(|c| c.pieces.iter().any(|p| matches!(p.offset, Ok(Some(o)) if o > 0.0)));
    let starts: Vec<Option<f64>> = captions.iter().map(|c| c.start.as_ref().ok().copied().flatten()).collect();
    let mut cues = Vec::new();
    let (mut held, mut odd) = (0, 0);
    for (i, caption) in captions.into_iter().enumerate() {
        let span = match (caption.start, caption.length) {
            (Err(what), _) | (_, Err(what)) => Err(what),
            (Ok(None), _) => Err("no start time".to_owned()),
            (_, Ok(None)) => Err("no end time".to_owned()),
            // Both are milliseconds: their sum is one too.
            (Ok(Some(start)), Ok(Some(length))) => clock::span(start, ((start + length) * 1e3).round() / 1e3),
        };
        let mut segment = match span {
            Ok(segment) => segment,
            Err(what) => {
                draft.bad(caption.line, format!("{}: {what}", caption.name), expected)?;
                continue;
            }
        };
        let next = starts.get(i + 1).copied().flatten();
        if let Some(next) = next.filter(|next| spoken && *next > segment.start().get() && *next < segment.end().get()) {
            held += 1;
            segment = clock::span(segment.start().get(), next).unwrap_or(segment);
        }
        let mut line = String::new();
        for piece in caption.pieces {
            match piece.offset {
                Ok(Some(offset)) if offset >= 0.0 => line.push_str(&markup::instant(segment.start().get() + offset)),
                Ok(None) => {}
                _ => odd += 1,
            }
            line.push_str(&markup::written(&piece.text));
        }
        let after_dropped = draft.take_lost();
        cues.push(Cue { after_dropped, segment, lines: line.split('\n').map(str::to_owned).collect() });
    }
    if held > 0 {
        draft.warn(format!("{held} captions stay on the screen while the next is said; they end where it begins"));
    }
    if odd > 0 {
        draft.warn(format!("{odd} words have offsets that cannot be used"));
    }
    cue::into_turns(cues, false, draft);
    Ok(())
}

fn number(node: &Node, key: &str, a_second: f64) -> Told {
    let Some(written) = node.attribute(key) else { return Ok(None) };
    let value = written.parse::<f64>().ok().filter(|v| v.is_finite());
    value.map(|v| Some(v / a_second)).ok_or_else(|| format!("{key} is {written:?}"))
}

/// Text that was written for HTML before it was written for XML.
fn plain(text: &str) -> String {
    markup::unescape(text)
}

fn read(text: &str, draft: &mut Draft) -> Result<()> {
    let tree = xml::parse(text, EXPECTED, draft)?;
    let mut captions = Vec::new();
    for node in tree.all("text").filter(|n| n.whole) {
        // srv1 has start and dur in seconds, srv2 t and d in milliseconds.
        let first = node.attribute("start").is_some() || node.attribute("t").is_none();
        let (start, length) = if first {
            (number(node, "start", 1.0), number(node, "dur", 1.0))
        } else {
            (number(node, "t", 1e3), number(node, "d", 1e3))
        };
        let pieces = vec![Piece { text: plain(&tree.text(node)), offset: Ok(None) }];
        captions.push(Caption { line: node.line, name: format!("text {}", captions.len() + 1), start, length, pieces });
    }
    for node in tree.all("p").filter(|n| n.whole) {
        let name = format!("paragraph {}", captions.len() + 1);
        let (start, length) = (number(node, "t", 1e3), number(node, "d", 1e3));
        captions.push(Caption { line: node.line, name, start, length, pieces: pieces(&tree, node) });
    }
    refuse_ends(&captions, draft)?;
    into_cues(captions, EXPECTED, draft)
}

fn pieces(tree: &Tree, node: &Node) -> Vec<Piece> {
    let words = tree.elements(node).any(|e| e.name == WORD);
    let piece = |inside| match inside {
        Inside::Element(e) if e.name == "br" => Piece { text: "\n".into(), offset: Ok(None) },
        Inside::Element(e) => Piece { text: plain(&tree.text(e)), offset: number(e, "t", 1e3) },
        // Between words, line breaks are how the file is laid out.
        Inside::Text(t) if words && t.trim().is_empty() => Piece { text: String::new(), offset: Ok(None) },
        Inside::Text(t) => Piece { text: plain(t), offset: Ok(None) },
    };
    tree.inside(node).map(piece).collect()
}

/// Some programs write ends where durations belong; read as durations nearly every caption would run over the next.
fn refuse_ends(captions: &[Caption], draft: &Draft) -> Result<()> {
    let times: Vec<(f64, f64)> =
        captions.iter().filter_map(|c| Some((c.start.clone().ok()??, c.length.clone().ok()??))).collect();
    let pairs = || times.windows(2);
    let is_end = |w: &[(f64, f64)]| w[0].1 >= w[0].0 && w[0].1 <= w[1].0 + 0.5 && w[0].0 + w[0].1 > w[1].0 + 0.5;
    let count = pairs().filter(|w| is_end(w)).count();
    if times.len() >= 4 && count * 10 >= (times.len() - 1) * 8 {
        let (start, length) = times[times.len() - 2];
        let what = format!("the durations are ends of captions: one from {start} s is said to last {length} s");
        return Err(draft.fail(0, what, "write durations, or save the captions as SRT"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::transcript::tests::{LENIENT, complaint, parse, told, warned, word_times};
    use crate::transcript::{Format, read_bytes};
    use std::path::Path;

    #[test]
    fn seconds_of_srv1_and_milliseconds_of_srv2_and_srv3() {
        let t = parse(
            "a.xml",
            "<?xml version=\"1.0\"?><transcript>\n<text start=\"0.5\" dur=\"2.1\">it&amp;#39;s &amp;lt;so&amp;gt;\nyou</text>\n<text start=\"3\" dur=\"1.25\">a &amp; b</text></transcript>",
        );
        assert_eq!(
            (t.format, told(&t)),
            (Format::TimedText, vec!["0.5-2.6 it's <so> you".into(), "3-4.25 a & b".into()])
        );
        let t = parse("a.srv2", "<timedtext><text t=\"500\" d=\"2100\">hi</text></timedtext>");
        assert_eq!(told(&t), ["0.5-2.6 hi"]);
        let t = parse(
            "a.srv3",
            "<timedtext format=\"3\"><head><ws id=\"0\"/></head><body>\n<p t=\"160\" d=\"4400\" w=\"1\"><s ac=\"0\">so</s><s t=\"300\"> yes</s></p>\n<p t=\"2310\" d=\"2250\" w=\"1\" a=\"1\">\n</p>\n<p t=\"2320\" d=\"1000\">no</p></body></timedtext>",
        );
        assert_eq!(told(&t), ["0.16-2.32 so yes", "2.32-3.32 no"]);
        assert_eq!(word_times(&t.turns[0]), ["so 0.160-0.460", "yes 0.460-2.320"]);
    }

    #[test]
    fn what_is_wrong_is_told() {
        let file = |inner: &str| format!("<transcript>\n{inner}\n</transcript>");
        let e = complaint("a.srv1", &file("<text start=\"1\" dur=\"x\">a</text>"));
        assert!(e.starts_with("a.srv1:2: text 1: dur is \"x\"; expected <text start dur>"), "{e}");
        assert!(complaint("a.srv1", &file("<text start=\"1\">a</text>")).contains("text 1: no end time"));
        assert!(complaint("a.srv1", &file("<text start=\"1\" dur=\"-3\">a</text>")).contains("a time before 0"));
        assert!(complaint("a.srv1", &file("")).contains("no cues (YouTube timed text)"));
        let cut = "<transcript><text start=\"1\" dur=\"1\">a</text><text start=\"2\" dur=\"1\">b so";
        assert!(complaint("a.srv1", cut).contains("the file ends within <text>"));
        let t = read_bytes(cut.as_bytes(), Path::new("a.srv1"), &LENIENT).unwrap();
        assert_eq!(told(&t), ["1-2 a"]);
        assert!(warned(&t).contains("ends within <text>"));
    }

    #[test]
    fn ends_in_the_place_of_durations_are_refused() {
        let cue = |a: u32, b: u32| format!("<text start=\"{a}\" dur=\"{b}\">so</text>");
        let ends: String = [(10, 12), (12, 15), (16, 18), (18, 21)].map(|(a, b)| cue(a, b)).concat();
        let e = complaint("a.srv1", &format!("<transcript>{ends}</transcript>"));
        assert!(e.contains("the durations are ends of captions: one from 16 s is said to last 18 s"), "{e}");
        let lasting: String = [(10, 2), (12, 3), (16, 2), (18, 3)].map(|(a, b)| cue(a, b)).concat();
        assert_eq!(told(&parse("a.srv1", &format!("<transcript>{lasting}</transcript>")))[1], "12-15 so");
    }
}
