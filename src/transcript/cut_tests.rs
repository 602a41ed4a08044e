//! Files that are cut off: twenty known cues in every format, cut at every byte.
//!
//! Where the cut can be known, it is an error or a warning; else exactly the cues before it come out, whole.

use std::path::Path;

use super::tests::{LENIENT, STRICT, parse, told, warned};
use super::{Transcript, read_bytes};
use crate::annotation::Turn;

const CUES: usize = 20;

/// Start, end, speaker and words of a cue, all in milliseconds that no shorter number means.
fn cue(i: usize) -> (usize, usize, &'static str, String) {
    let start = 3000 * i + 125;
    let things =
        ["the café by the river", "an old, slow train", "what Zoë said of it", "a \u{201c}quiet\u{201d} house"];
    (
        start,
        start + 2111 + 7 * (i % 9),
        ["Anna", "Berta"][i % 2],
        format!("Cue number {i} tells you about {}.", things[i % 4]),
    )
}

fn all(line: impl Fn(usize, usize, usize, &str, &str) -> String) -> String {
    (0..CUES)
        .map(|i| {
            let (start, end, speaker, text) = cue(i);
            line(i + 1, start, end, speaker, &text)
        })
        .collect()
}

fn secs(millis: usize) -> String {
    format!("{}.{:03}", millis / 1000, millis % 1000)
}

fn clock(millis: usize, point: char) -> String {
    format!("00:{:02}:{:02}{point}{:03}", millis / 60_000, millis / 1000 % 60, millis % 1000)
}

/// A format: file name, text, and whether the format says where it ends.
struct Sample {
    name: &'static str,
    text: String,
    says_end: bool,
}

fn samples() -> Vec<Sample> {
    tables_and_tiers().into_iter().chain(captions_and_services()).collect()
}

fn tables_and_tiers() -> Vec<Sample> {
    let sample = |name, text, says_end| Sample { name, text, says_end };
    let srt = |numbers: bool| {
        all(|n, a, b, s, t| {
            let number = if numbers { format!("{n}\n") } else { String::new() };
            format!("{number}{} --> {}\n{}: {t}\n\n", clock(a, ','), clock(b, ','), s.to_uppercase())
        })
    };
    let vtt = all(|_, a, b, s, t| format!("{} --> {}\n<v {s}>{t}\n\n", clock(a, '.'), clock(b, '.')));
    let stm = all(|_, a, b, s, t| format!("a 1 {s} {} {} <o,f0,female> {t}\n", secs(a), secs(b)));
    let csv = all(|_, a, b, s, t| format!("{},{},{s},{}\n", secs(a), secs(b), t.replace(", ", " ")));
    let quoted = all(|_, a, b, s, t| format!("{},{},{s},\"{t}\"\n", secs(a), secs(b)));
    let last_is_time = all(|_, a, b, s, t| format!("{s},\"{t}\",{},{}\n", secs(a), secs(b)));
    let whisper_tsv = all(|_, a, b, _, t| format!("{a}\t{b}\t{t}\n"));
    let json = all(|_, a, b, s, t| {
        let words = format!(r#"[{{"word": "Cue", "start": {}, "end": {}, "speaker": "{s}"}}]"#, secs(a), secs(a + 100));
        format!(
            "  {{\"start\": {}, \"end\": {}, \"text\": {t:?}, \"speaker\": {s:?}, \"words\": {words}}},\n",
            secs(a),
            secs(b)
        )
    });
    let rescue = all(|n, a, b, s, t| {
        format!(
            "  {{\"row_index\": {n}, \"start_time\": {}, \"end_time\": {}, \"primary_speaker\": {s:?}, \"dialogue_cleaned\": {t:?}}},\n",
            secs(a),
            secs(b)
        )
    });
    let listed = |key: &str, rows: &str| format!("{{\"{key}\": [\n{}\n]}}\n", rows.trim_end().trim_end_matches(','));
    let slots = all(|n, a, b, _, _| {
        format!(
            "<TIME_SLOT TIME_SLOT_ID=\"a{n}\" TIME_VALUE=\"{a}\"/>\n<TIME_SLOT TIME_SLOT_ID=\"b{n}\" TIME_VALUE=\"{b}\"/>\n"
        )
    });
    let annotations = all(|n, _, _, _, t| {
        let ends = format!("ANNOTATION_ID=\"x{n}\" TIME_SLOT_REF1=\"a{n}\" TIME_SLOT_REF2=\"b{n}\"");
        let value = format!("<ANNOTATION_VALUE>{t}</ANNOTATION_VALUE>");
        format!("<ANNOTATION><ALIGNABLE_ANNOTATION {ends}>\n{value}</ALIGNABLE_ANNOTATION></ANNOTATION>\n")
    });
    let eaf = format!(
        "<?xml version=\"1.0\"?>\n<ANNOTATION_DOCUMENT>\n<TIME_ORDER>\n{slots}</TIME_ORDER>\n\
         <TIER TIER_ID=\"Anna\">\n{annotations}</TIER>\n</ANNOTATION_DOCUMENT>\n"
    );
    let intervals = all(|n, a, b, _, t| {
        format!(
            "        intervals [{n}]:\n            xmin = {}\n            xmax = {}\n            text = \"{t}\"\n",
            secs(a),
            secs(b)
        )
    });
    let grid = format!(
        "File type = \"ooTextFile\"\nObject class = \"TextGrid\"\n\nxmin = 0\nxmax = 99\ntiers? <exists>\nsize = 1\nitem []:\n    item [1]:\n\
         \x20       class = \"IntervalTier\"\n        name = \"Anna\"\n        xmin = 0\n        xmax = 99\n        intervals: size = {CUES}\n{intervals}"
    );
    let short = all(|_, a, b, _, t| format!("{}\n{}\n\"{t}\"\n", secs(a), secs(b)));
    let short_grid = format!(
        "File type = \"ooTextFile\"\n\"TextGrid\"\n\n0\n99\n<exists>\n1\n\"IntervalTier\"\n\"Anna\"\n0\n99\n{CUES}\n{short}"
    );
    let chat = all(|_, a, b, s, t| {
        let word = format!("%wor:\tCue \u{15}{a}_{}\u{15}\n", a + 100);
        format!("*{}:\t{t} \u{15}{a}_{b}\u{15}\n{word}", &s.to_uppercase()[..3])
    });
    vec![
        sample("a.srt", srt(true), false),
        sample("a.srt", srt(false), false),
        sample("a.vtt", format!("WEBVTT\n\n{vtt}"), false),
        sample("a.stm", stm, false),
        sample("a.csv", format!("start,end,speaker,text\n{csv}"), false),
        sample("a.csv", format!("start,end,speaker,text\n{quoted}"), false),
        sample("a.csv", format!("speaker,text,start,end\n{last_is_time}"), false),
        sample("a.tsv", format!("start\tend\ttext\n{whisper_tsv}"), false),
        sample("a.json", listed("segments", &json), true),
        sample("a.json", listed("rows", &rescue), true),
        sample("a.eaf", eaf, true),
        sample("a.TextGrid", grid, true),
        sample("a.TextGrid", short_grid, true),
        sample("a.cha", format!("@UTF8\n@Begin\n@Participants:\tANN Anna, BER Berta\n{chat}@End\n"), true),
    ]
}

fn captions_and_services() -> Vec<Sample> {
    let sample = |name, text, says_end| Sample { name, text, says_end };
    let sbv = all(|_, a, b, s, t| format!("{},{}\n{}: {t}\n\n", clock(a, '.'), clock(b, '.'), s.to_uppercase()));
    let ass = all(|_, a, b, s, t| {
        let hour = |millis| format!("0{}", &clock(millis, '.')[1..]);
        format!("Dialogue: 0,{},{},Default,{s},0,0,0,,{t}\n", hour(a), hour(b))
    });
    let fields = "Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text";
    let ttml = all(|n, a, b, s, t| {
        format!("<p xml:id=\"p{n}\" begin=\"{}\" end=\"{}s\" ttm:agent=\"{s}\">{t}</p>\n", clock(a, '.'), secs(b))
    });
    let srv3 = all(|_, a, b, _, t| format!("<p t=\"{a}\" d=\"{}\">{t}</p>\n", b - a));
    let turns = all(|_, a, b, s, t| {
        let span = format!("startTime=\"{}\" endTime=\"{}\"", secs(a), secs(b));
        format!("<Turn speaker=\"{s}\" {span}><Sync time=\"{}\"/>\n{t}\n</Turn>\n", secs(a))
    });
    let utterances = all(|n, a, b, s, t| {
        let comma = if n < CUES { "," } else { "" };
        format!("  {{\"speaker\": {s:?}, \"start\": {a}, \"end\": {b}, \"text\": {t:?}, \"words\": []}}{comma}\n")
    });
    let events = all(|n, a, b, _, t| {
        let comma = if n < CUES { "," } else { "" };
        format!("  {{\"tStartMs\": {a}, \"dDurationMs\": {}, \"segs\": [{{\"utf8\": {t:?}}}]}}{comma}\n", b - a)
    });
    vec![
        sample("a.sbv", sbv, false),
        sample("a.ass", format!("[Script Info]\n\n[Events]\nFormat: {fields}\n{ass}"), false),
        sample("a.ttml", format!("<?xml version=\"1.0\"?>\n<tt><body><div>\n{ttml}</div></body></tt>\n"), true),
        sample("a.srv3", format!("<timedtext format=\"3\"><body>\n{srv3}</body></timedtext>\n"), true),
        sample("a.trs", format!("<Trans><Episode><Section>\n{turns}</Section></Episode></Trans>\n"), true),
        sample("a.json", format!("{{\"status\": \"completed\", \"utterances\": [\n{utterances}]}}\n"), true),
        sample("a.json3", format!("{{\"wireMagic\": \"pb3\", \"events\": [\n{events}]}}\n"), true),
    ]
}

/// True when `found` is the first turns of `whole` and nothing else, words and all.
fn is_prefix(found: &Transcript, whole: &Transcript) -> bool {
    found.turns.len() <= whole.turns.len() && found.turns == whole.turns[..found.turns.len()]
}

#[test]
fn whole_files_read_whole_and_without_a_word() {
    for Sample { name, text, .. } in samples() {
        let t = parse(name, &text);
        assert_eq!(t.turns.len(), CUES, "{name}");
        // Whisper's table is told by its unit.
        assert_eq!(t.warnings.len(), usize::from(name == "a.tsv"), "{name}: {}", warned(&t));
        let (start, end, _, words) = cue(7);
        assert!(
            told(&t)[7].starts_with(&format!("{}-{}", start as f64 / 1e3, end as f64 / 1e3)),
            "{name}: {}",
            told(&t)[7]
        );
        assert!(t.turns[7].text.contains(&words[..20]), "{name}: {}", t.turns[7].text);
        // An editor that leaves out the last line end has lost nothing.
        let bare = parse(name, text.trim_end());
        assert_eq!((bare.turns, bare.warnings), (t.turns, t.warnings), "{name}");
    }
}

#[test]
fn a_cut_is_told_or_leaves_exactly_the_cues_before_it() {
    for (at_sample, Sample { name, text, says_end }) in samples().into_iter().enumerate() {
        let whole = parse(name, &text);
        let own = whole.warnings.len();
        let (mut errors, mut warnings, mut silent) = (0, 0, 0);
        for cut in 0..text.len() {
            let part = &text.as_bytes()[..cut];
            let place = || {
                format!(
                    "{name} ({at_sample}), cut after byte {cut}: {:?}",
                    String::from_utf8_lossy(&part[cut.saturating_sub(60)..])
                )
            };
            for options in [STRICT, LENIENT] {
                let t = match read_bytes(part, Path::new(name), &options) {
                    Ok(t) => t,
                    Err(_) => {
                        errors += 1;
                        continue;
                    }
                };
                // Whatever is told: all but the last turn are as they were.
                let (last, before) = t.turns.split_last().unwrap();
                assert_eq!(before, &whole.turns[..before.len()], "{}", place());
                if t.warnings.len() > own {
                    warnings += 1;
                    continue;
                }
                silent += 1;
                if says_end {
                    assert_eq!(t.turns, whole.turns, "{}", place());
                    continue;
                }
                // Before a few turns have shown that the file's turns end as sentences, words cut within a line cannot
                // be known as such.
                let true_last = &whole.turns[before.len()];
                let line = |t: &Turn| t.speaker.as_ref().map_or(t.text.clone(), |s| format!("{s}: {}", t.text));
                // A time at the end of a row, cut between its digits, is as little known there.
                let (words, times) = (line(last) == line(true_last), last.segment == true_last.segment);
                let words_cut = line(true_last).starts_with(&line(last)) || true_last.text.starts_with(&last.text);
                let unknowable = before.len() < 3
                    && !part.ends_with(b"\n")
                    && (times && words_cut || words && last.segment.start() == true_last.segment.start());
                assert!(is_prefix(&t, &whole) || unknowable, "{}\nread as {:?}", place(), told(&t).last());
            }
        }
        println!("{name}: {errors} errors, {warnings} warned, {silent} exactly the cues before the cut");
        assert!(errors + warnings > 10 * CUES && (says_end || silent >= CUES), "{name}: {errors} {warnings} {silent}");
    }
}
