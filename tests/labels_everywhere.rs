//! One talk with labels in each way of writing them, in each format that has none of its own: the same speakers and
//! words everywhere.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;

use turnwise::transcript::{ReadOptions, Transcript, read_bytes};

const TALK: [(usize, &str); 6] = [
    (0, "So where did you grow up?"),
    (1, "In a village near the coast."),
    (0, "And your parents lived there, too?"),
    (1, "Yes."),
    (0, "For how long?"),
    (1, "Remember: this was before the war."),
];

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// The cues `[k, k + 1)` in a format: its file.
type Container = (&'static str, fn(&[String]) -> Vec<u8>);

fn clocked(cues: &[String], point: char, number: bool, before: &str, between: &str) -> Vec<u8> {
    let mut out = before.to_owned();
    for (k, text) in cues.iter().enumerate() {
        if number {
            writeln!(out, "{}", k + 1).unwrap();
        }
        write!(out, "00:00:{k:02}{point}000{between}00:00:{:02}{point}000\n{text}\n\n", k + 1).unwrap();
    }
    out.into_bytes()
}

fn csv(cues: &[String]) -> Vec<u8> {
    let mut out = csv::Writer::from_writer(Vec::new());
    out.write_record(["start", "end", "text"]).unwrap();
    for (k, text) in cues.iter().enumerate() {
        out.write_record([format!("{k}.0"), format!("{}.0", k + 1), text.clone()]).unwrap();
    }
    out.into_inner().unwrap()
}

fn json(cues: &[String]) -> Vec<u8> {
    let cue = |(k, text): (usize, &String)| serde_json::json!({"start": k as f64, "end": (k + 1) as f64, "text": text});
    serde_json::json!({"segments": cues.iter().enumerate().map(cue).collect::<Vec<_>>()}).to_string().into_bytes()
}

fn ttml(cues: &[String]) -> Vec<u8> {
    let mut out = String::from("<tt xmlns=\"http://www.w3.org/ns/ttml\"><body><div>");
    for (k, text) in cues.iter().enumerate() {
        write!(out, "<p begin=\"{k}s\" end=\"{}s\">{}</p>", k + 1, escaped(text).replace('\n', "<br/>")).unwrap();
    }
    (out + "</div></body></tt>").into_bytes()
}

fn ass(cues: &[String]) -> Vec<u8> {
    let mut out = String::from(
        "[Script Info]\n\n[Events]\nFormat: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\n",
    );
    for (k, text) in cues.iter().enumerate() {
        let text = text.replace('\n', "\\N");
        writeln!(out, "Dialogue: 0,0:00:{k:02}.00,0:00:{:02}.00,Default,,0,0,0,,{text}", k + 1).unwrap();
    }
    out.into_bytes()
}

fn docx(cues: &[String]) -> Vec<u8> {
    let mut body = String::new();
    for (k, text) in cues.iter().enumerate() {
        let timing = format!("00:00:{k:02}.000 --> 00:00:{:02}.000", k + 1);
        for line in std::iter::once(timing.as_str()).chain(text.lines()) {
            write!(body, "<w:p><w:r><w:t>{}</w:t></w:r></w:p>", escaped(line)).unwrap();
        }
        body += "<w:p/>";
    }
    let mut bytes = std::io::Cursor::new(Vec::new());
    let mut writer = zip::ZipWriter::new(&mut bytes);
    let plain = zip::write::SimpleFileOptions::default();
    writer.start_file("word/document.xml", plain).unwrap();
    write!(
        writer,
        "<w:document xmlns:w=\"http://schemas.openxmlformats.org/wordprocessingml/2006/main\"><w:body>{body}</w:body></w:document>"
    )
    .unwrap();
    writer.finish().unwrap();
    bytes.into_inner()
}

const CONTAINERS: [Container; 8] = [
    ("a.srt", |cues| clocked(cues, ',', true, "", " --> ")),
    ("a.vtt", |cues| clocked(cues, '.', false, "WEBVTT\n\n", " --> ")),
    ("a.sbv", |cues| clocked(cues, '.', false, "", ",")),
    ("a.csv", csv),
    ("a.json", json),
    ("a.ttml", ttml),
    ("a.ass", ass),
    ("a.docx", docx),
];

fn read(name: &str, bytes: &[u8]) -> Transcript {
    read_bytes(bytes, Path::new(name), &ReadOptions::default()).unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// Form of a line, how it names both, and what they are then called.
type Form = (&'static str, [&'static str; 2], [&'static str; 2]);

const FORMS: [Form; 29] = [
    ("{n}: {t}", ["Mara", "Ben"], ["Mara", "Ben"]),
    ("{n} (she/her): {t}", ["Mara", "Ben"], ["Mara", "Ben"]),
    ("{n} (V.O.): {t}", ["MARA", "BEN"], ["MARA", "BEN"]),
    ("Vol, {n}: {t}", ["Mara", "Ben"], ["Vol, Mara", "Vol, Ben"]),
    ("van der {n}: {t}", ["Vol", "Boer"], ["van der Vol", "van der Boer"]),
    ("the woman in {n}: {t}", ["red", "blue"], ["the woman in red", "the woman in blue"]),
    ("{n} : {t}", ["Mara", "Ben"], ["Mara", "Ben"]),
    ("{n}:{t}", ["MARA", "BEN"], ["MARA", "BEN"]),
    ("[{n}] {t}", ["Mara", "Ben"], ["Mara", "Ben"]),
    ("- [{n}] {t}", ["Mara", "Ben"], ["Mara", "Ben"]),
    ("(speaker {n}) {t}", ["0", "1"], ["speaker 0", "speaker 1"]),
    ("<Speaker {n}> {t}", ["0", "1"], ["Speaker 0", "Speaker 1"]),
    (">> {n}: {t}", ["MARA", "BEN"], ["MARA", "BEN"]),
    ("{n}:\n{t}", ["Mara", "Ben"], ["Mara", "Ben"]),
    ("+1 555 010{n}: {t}", ["0", "1"], ["+1 555 0100", "+1 555 0101"]),
    ("\u{9a6c}{n}\u{ff1a}{t}", ["\u{4e00}", "\u{4e8c}"], ["\u{9a6c}\u{4e00}", "\u{9a6c}\u{4e8c}"]),
    ("{n}: \u{5e9}\u{5dc} {t}", ["\u{5de}\u{5e8}", "\u{5d1}\u{5df}"], ["\u{5de}\u{5e8}", "\u{5d1}\u{5df}"]),
    (
        "\u{200f}{n}:\u{200e} {t}",
        ["\u{645}\u{627}\u{631}", "\u{628}\u{646}"],
        ["\u{645}\u{627}\u{631}", "\u{628}\u{646}"],
    ),
    ("{n}: {t}", ["1", "2"], ["1", "2"]),
    ("#{n}: {t}", ["1", "2"], ["#1", "#2"]),
    ("@{n}: {t}", ["mara", "ben"], ["@mara", "@ben"]),
    ("<b>{n}:</b> {t}", ["Mara", "Ben"], ["Mara", "Ben"]),
    ("<i>{n}</i>: {t}", ["Mara", "Ben"], ["Mara", "Ben"]),
    ("<font color=\"#ff0000\">{n}:</font> {t}", ["Mara", "Ben"], ["Mara", "Ben"]),
    ("{n}: <i>{t}</i>", ["Mara", "Ben"], ["Mara", "Ben"]),
    ("\u{2022} {n}: {t}", ["Mara", "Ben"], ["Mara", "Ben"]),
    ("Dr. {n}: {t}", ["Vol", "Boer"], ["Dr. Vol", "Dr. Boer"]),
    ("O'{n}: {t}", ["Mara", "Ben"], ["O'Mara", "O'Ben"]),
    ("({n}) {t}", ["Mara", "Ben"], ["Mara", "Ben"]),
];

#[test]
fn every_form_in_every_format() {
    let mut wrong = Vec::new();
    for (form, names, called) in FORMS {
        let cues: Vec<String> =
            TALK.iter().map(|(who, what)| form.replace("{n}", names[*who]).replace("{t}", what)).collect();
        // Marks of direction are no words, and what stands between label and words is one.
        let more = if form.contains('\u{5e9}') { "\u{5e9}\u{5dc} " } else { "" };
        let wanted: Vec<(String, String)> =
            TALK.iter().map(|(who, what)| (called[*who].to_owned(), format!("{more}{what}"))).collect();
        // In TTML such tags would be escaped text, which stays as it is written.
        let tagged = |name: &str| name.ends_with(".ttml") && form.contains('<') && form.contains("</");
        for (name, container) in CONTAINERS.into_iter().filter(|(name, _)| !tagged(name)) {
            let t = read(name, &container(&cues));
            let found: Vec<(String, String)> =
                t.turns.iter().map(|t| (t.speaker.clone().unwrap_or_default(), t.text.clone())).collect();
            if found != wanted {
                wrong.push(format!("{name} {form:?}: {:?}", &found[..2.min(found.len())]));
            }
            assert!(
                t.turns.iter().zip(0..).all(|(t, k)| (t.segment.start().get() - f64::from(k)).abs() < 1e-9),
                "{name} {form}"
            );
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn numbers_of_a_list_are_no_speakers_and_are_told() {
    let cues: Vec<String> = (1..=6).map(|k| format!("{k}: we talk about this")).collect();
    for (name, container) in CONTAINERS {
        let t = read(name, &container(&cues));
        assert!(t.turns.iter().all(|t| t.speaker.is_none() && t.text.contains(": we talk")), "{name}");
        let told: String = t.warnings.iter().map(ToString::to_string).collect();
        assert!(told.contains("6 of 6 cues begin like a speaker label"), "{name}: {told}");
    }
}

#[test]
fn tags_that_are_no_tags_stay_words() {
    for text in ["3 < 4 and 5 > 4 </end>", "a <b c", "x </ y> z", "say <i to me"] {
        let t = read("a.csv", &csv(&[text.to_owned(), "so".to_owned()]));
        assert_eq!(t.turns[0].text, text);
    }
    let t = read("a.csv", &csv(&["one<br/>two <B>three</B>".to_owned()]));
    assert_eq!(t.turns[0].text, "one two three");
    // With words of their own, segments are no captions; the tags go all the same, and that is told.
    let words = "[{\"word\": \"<i>so</i>\"}, {\"word\": \"then\"}]";
    let text =
        format!("{{\"segments\": [{{\"start\": 0, \"end\": 1, \"text\": \"<i>so</i> then\", \"words\": {words}}}]}}");
    let t = read("a.json", text.as_bytes());
    assert_eq!(t.turns[0].text, "so then");
    assert_eq!(t.turns[0].words.iter().map(|w| w.text.as_str()).collect::<Vec<_>>(), ["so", "then"]);
    assert!(t.warnings.iter().any(|w| w.to_string().contains("1 turns hold tags of captions")), "{:?}", t.warnings);
}

fn srt(lines: &[&str]) -> Vec<(String, String)> {
    let cues: Vec<String> = lines.iter().map(|l| (*l).to_owned()).collect();
    let t = read("a.srt", &clocked(&cues, ',', true, "", " --> "));
    t.turns.iter().map(|t| (t.speaker.clone().unwrap_or_default(), t.text.clone())).collect()
}

fn pairs(all: &[(&str, &str)]) -> Vec<(String, String)> {
    all.iter().map(|(who, what)| ((*who).to_owned(), (*what).to_owned())).collect()
}

#[test]
fn forms_and_cases_of_one_name_are_one_speaker() {
    let found =
        srt(&["Mara: a b.", "MARA: c d.", "Ben: e f.", "BEN: g h.", "mara: x y.", "Mara: u.", "[Ben] z.", "Ben: w."]);
    let who: Vec<&str> = found.iter().map(|f| f.0.as_str()).collect();
    assert_eq!(who, ["Mara", "Mara", "Ben", "Ben", "Mara", "Mara", "Ben", "Ben"]);
    let cues: Vec<String> = ["Mara: a.", "MARA: b.", "Ben: c.", "Mara: d.", "Ben: e."].map(str::to_owned).into();
    let t = read("a.srt", &clocked(&cues, ',', true, "", " --> "));
    let told: String = t.warnings.iter().map(ToString::to_string).collect();
    assert!(told.contains("differ in case alone are one speaker's: \"Mara\" and \"MARA\""), "{told}");
}

#[test]
fn a_known_label_behind_a_sentence_begins_a_turn_of_its_own() {
    let found = srt(&[
        "Mara: So? Ben: Yes.",
        "Ben: a. \u{201c}b.\u{201d} Mara: c. Ben: d.",
        "Mara: the Ben: no.",
        "Ben: see. Note: this.",
    ]);
    assert_eq!(
        found,
        pairs(&[
            ("Mara", "So?"),
            ("Ben", "Yes."),
            ("Ben", "a. \u{201c}b.\u{201d}"),
            ("Mara", "c."),
            ("Ben", "d."),
            ("Mara", "the Ben: no."),
            ("Ben", "see. Note: this."),
        ])
    );
}

#[test]
fn marks_of_direction_are_no_part_of_names_and_words() {
    let text = "WEBVTT\n\n00:01.000 --> 00:02.000\n<v \u{202b}\u{5de}\u{5e8}\u{5d4}\u{202c}>\u{202b}\u{5e9}\u{5dc}\u{202c} \u{2067}\u{5dc}\u{5da}\u{2069}\n";
    let t = read("a.vtt", text.as_bytes());
    assert_eq!(t.turns[0].speaker.as_deref(), Some("\u{5de}\u{5e8}\u{5d4}"));
    assert_eq!(t.turns[0].text, "\u{5e9}\u{5dc} \u{5dc}\u{5da}");
}
