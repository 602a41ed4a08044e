//! Stories about figures: what the tables hold is drawn, what they do not is said to be missing, names are text in any
//! script, and the same tables give the same file.

use crate::stage::Stage;

const ANNA: &str = "Freifrau Änne von Oßmannstädt";

/// Four seconds in which two take turns, the second over the first.
fn extracted() -> Stage {
    let stage = Stage::new();
    stage.cut("a.mp4", "30", "4", &[]);
    let cue = |span: &str, who: &str, text: &str| format!("{span}\n<v {who}>{text}</v>\n\n");
    let first = cue("00:00:00.200 --> 00:00:01.400", ANNA, "and so we began");
    let second = cue("00:00:01.200 --> 00:00:02.800", "李安", "to look");
    stage.write("cues.vtt", &format!("WEBVTT\n\n{first}{second}"));
    let line = |start: &str, secs: &str, who: &str| format!("SPEAKER a 1 {start} {secs} <NA> <NA> {who} <NA> <NA>\n");
    stage.write("a.rttm", &[line("0.200", "1.200", "SPEAKER_00"), line("1.200", "1.600", "SPEAKER_01")].concat());
    stage.write("corpus.csv", "interview_id,media,transcript,rttm\na,a.mp4,cues.vtt,a.rttm\nt,,cues.vtt,\n");
    let told = stage.run(&["extract", "corpus.csv", "--out", "out", "--jobs", "1"]);
    assert_eq!(told.code, 0, "{}", told.err);
    stage
}

#[track_caller]
fn drawn(stage: &Stage, id: &str, what: &str, to: &str) -> Vec<u8> {
    let told = stage.run(&["plot", "out", "--interview", id, "--what", what, "--to", to]);
    assert_eq!(told.code, 0, "{}", told.err);
    assert_eq!(told.out.trim(), to);
    std::fs::read(stage.path(to)).unwrap()
}

fn svg(stage: &Stage, id: &str, what: &str) -> String {
    String::from_utf8(drawn(stage, id, what, &format!("{id}-{what}.svg"))).unwrap()
}

#[test]
fn each_figure_holds_its_names_units_and_reasons_as_text() {
    let stage = extracted();
    let timeline = svg(&stage, "a", "timeline");
    for part in ["李安", "Freifrau", "SPEAKER_01", "two or more talk", "Hz", "dBFS", "0 to 1", "time (mm:ss)", "00:01"]
    {
        assert!(timeline.contains(part), "no {part} in\n{timeline}");
    }
    let dyads = svg(&stage, "a", "dyads");
    for part in ["interrupts", "smiles at, while listening", "李安", "of 1"] {
        assert!(dyads.contains(part), "no {part} in\n{dyads}");
    }
    // Four seconds are too few for synchrony: that is said, and no curve stands for it.
    let synchrony = svg(&stage, "a", "synchrony");
    for part in ["head motion", "too short", "not measured"] {
        assert!(synchrony.contains(part), "no {part} in\n{synchrony}");
    }
    assert!(!synchrony.contains("z = "), "{synchrony}");
    // A transcript alone: its turns are drawn, and what is not heard or seen is missing.
    let alone = svg(&stage, "t", "timeline");
    assert!(
        alone.contains("李安") && alone.contains("no sound") && alone.contains("no picture was looked at"),
        "{alone}"
    );
    for what in ["timeline", "dyads", "synchrony"] {
        assert_eq!(svg(&stage, "a", what).into_bytes(), drawn(&stage, "a", what, "again.svg"), "{what}");
    }
}

#[test]
fn a_picture_is_the_figure_at_twice_its_size() {
    let stage = extracted();
    let size = |text: &str, name: &str| -> u32 {
        let at = text.find(&format!("{name}=\"")).unwrap() + name.len() + 2;
        text[at..].split('"').next().unwrap().parse().unwrap()
    };
    for what in ["timeline", "dyads", "synchrony"] {
        let bytes = drawn(&stage, "a", what, "out.png");
        let text = svg(&stage, "a", what);
        let picture = image::load_from_memory(&bytes).unwrap().to_rgb8();
        assert_eq!(picture.dimensions(), (2 * size(&text, "width"), 2 * size(&text, "height")), "{what}");
        let inked = picture.pixels().filter(|p| p.0 != [255; 3]).count();
        assert!(inked > 2000, "{what}: {inked} pixels are not white");
        assert_eq!(bytes, drawn(&stage, "a", what, "again.png"), "{what}");
    }
}

#[test]
fn what_cannot_be_drawn_is_told() {
    let stage = extracted();
    let refused = |arguments: &[&str], parts: &[&str]| {
        let told = stage.run(&[&["plot", "out"], arguments].concat());
        assert_eq!(told.code, 2, "{arguments:?}: {}", told.err);
        assert!(parts.iter().all(|part| told.err.contains(part)), "{arguments:?}: {}", told.err);
    };
    refused(&["--interview", "a", "--what", "dyads", "--to", "x.pdf"], &["x.pdf", ".svg or .png"]);
    refused(&["--interview", "aa", "--what", "dyads", "--to", "x.svg"], &["no interview \"aa\"", "did you mean \"a\""]);
    refused(&["--interview", "a", "--what", "speech", "--to", "x.svg"], &["timeline"]);
    assert!(!stage.path("x.svg").exists() && !stage.path("x.pdf").exists());
}
