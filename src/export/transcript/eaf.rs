//! ELAN Annotation Format 3.0 (the schema EAFv3.0.xsd, in its order of elements).

use std::fmt::Write as _;

use super::Written;
use super::cues::{escaped, millis};
use super::score::{Part, Score};
use super::tiers;

/// The format wants a date, and data have no wall clock.
const DATE: &str = "1970-01-01T00:00:00+00:00";

/// ELAN's four constraints, as every document of its own lists them.
const CONSTRAINTS: [(&str, &str); 4] = [
    (
        "Time_Subdivision",
        "Time subdivision of parent annotation's time interval, no time gaps allowed within this interval",
    ),
    (
        "Symbolic_Subdivision",
        "Symbolic subdivision of a parent annotation. Annotations refering to the same parent are ordered",
    ),
    ("Symbolic_Association", "1-1 association with a parent annotation"),
    ("Included_In", "Time alignable annotations within the parent annotation's time interval, gaps are allowed"),
];

/// The text of an EAF. Times are whole milliseconds, each annotation has slots of its own; a point lasts 1 ms.
pub(super) fn write(score: &Score, parts: &[Part]) -> Written {
    let (tiers, mut told) = tiers::of(score, parts);
    let points: usize = tiers.iter().filter(|t| t.points).map(|t| t.spans.len()).sum();
    if points > 0 {
        told.push(format!("{points} points are written as 1 ms: ELAN has none"));
    }
    let count: usize = tiers.iter().map(|t| t.spans.len()).sum();
    let mut text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    // Writing into a String cannot fail.
    let _ = write!(
        text,
        "<ANNOTATION_DOCUMENT AUTHOR=\"\" DATE=\"{DATE}\" FORMAT=\"3.0\" VERSION=\"3.0\" \
         xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" \
         xsi:noNamespaceSchemaLocation=\"http://www.mpi.nl/tools/elan/EAFv3.0.xsd\">\n    <HEADER MEDIA_FILE=\"\" \
         TIME_UNITS=\"milliseconds\">\n"
    );
    if let Some(media) = &score.media {
        let _ = writeln!(
            text,
            "        <MEDIA_DESCRIPTOR MEDIA_URL=\"{0}\" MIME_TYPE=\"{1}\" RELATIVE_MEDIA_URL=\"{0}\"/>",
            attribute(&address(media)),
            mime(media)
        );
    }
    let _ = writeln!(text, "        <PROPERTY NAME=\"lastUsedAnnotationId\">{count}</PROPERTY>\n    </HEADER>");
    let spans = tiers.iter().flat_map(|t| &t.spans);
    let _ = writeln!(text, "    <TIME_ORDER>");
    let mut slot = 0;
    for (segment, _) in spans {
        let start = millis(segment.start());
        for ms in [start, millis(segment.end()).max(start + 1)] {
            slot += 1;
            let _ = writeln!(text, "        <TIME_SLOT TIME_SLOT_ID=\"ts{slot}\" TIME_VALUE=\"{ms}\"/>");
        }
    }
    let _ = writeln!(text, "    </TIME_ORDER>");
    let mut number = 0;
    for tier in &tiers {
        let participant =
            tier.participant.as_ref().map(|p| format!(" PARTICIPANT=\"{}\"", attribute(p))).unwrap_or_default();
        let (typed, name) = (tier.typed, attribute(&tier.name));
        let _ = writeln!(text, "    <TIER LINGUISTIC_TYPE_REF=\"{typed}\"{participant} TIER_ID=\"{name}\">");
        for (_, value) in &tier.spans {
            number += 1;
            let _ = write!(
                text,
                "        <ANNOTATION>\n            <ALIGNABLE_ANNOTATION ANNOTATION_ID=\"a{number}\" \
                 TIME_SLOT_REF1=\"ts{}\" TIME_SLOT_REF2=\"ts{}\">\n                \
                 <ANNOTATION_VALUE>{}</ANNOTATION_VALUE>\n            </ALIGNABLE_ANNOTATION>\n        </ANNOTATION>\n",
                2 * number - 1,
                2 * number,
                escaped(&legal(value))
            );
        }
        let _ = writeln!(text, "    </TIER>");
    }
    for typed in tiers::TYPES {
        let _ = writeln!(
            text,
            "    <LINGUISTIC_TYPE GRAPHIC_REFERENCES=\"false\" LINGUISTIC_TYPE_ID=\"{typed}\" TIME_ALIGNABLE=\"true\"/>"
        );
    }
    for (name, what) in CONSTRAINTS {
        let _ = writeln!(text, "    <CONSTRAINT DESCRIPTION=\"{}\" STEREOTYPE=\"{name}\"/>", attribute(what));
    }
    let _ = writeln!(text, "</ANNOTATION_DOCUMENT>");
    Written { text, told }
}

/// Text in double quotes.
fn attribute(text: &str) -> String {
    escaped(&legal(text)).replace('"', "&quot;")
}

/// XML has no such characters, not even as entities.
fn legal(text: &str) -> String {
    let illegal = |c: char| c.is_control() && !matches!(c, '\t' | '\n' | '\r') || matches!(c, '\u{fffe}' | '\u{ffff}');
    text.chars().map(|c| if illegal(c) { '\u{fffd}' } else { c }).collect()
}

/// A file's name as a relative address: what an address cannot hold is a code.
fn address(name: &str) -> String {
    let mut out = String::from("./");
    for byte in name.replace('\\', "/").bytes() {
        let plain = byte.is_ascii_alphanumeric() || b"-_.~/".contains(&byte);
        if plain { out.push(char::from(byte)) } else { out.push_str(&format!("%{byte:02X}")) }
    }
    out
}

fn mime(name: &str) -> &'static str {
    match name.rsplit('.').next().unwrap_or_default().to_lowercase().as_str() {
        "wav" => "audio/x-wav",
        "mp3" => "audio/mpeg",
        "mp4" | "m4v" => "video/mp4",
        "mpg" | "mpeg" => "video/mpeg",
        "mov" => "video/quicktime",
        _ => "unknown",
    }
}
