//! What becomes of every transcript and every odd recording among the reference clips: the committed table
//! `fixtures/outcomes.csv`, one line a file, compared with what is so now.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use turnwise::error::Error;
use turnwise::media::{self, StreamPick};
use turnwise::transcript::{ReadOptions, Transcript};
use turnwise::warning::Warning;

const HEADER: [&str; 4] = ["file", "outcome", "holds", "why"];

fn folder() -> PathBuf {
    let shared = std::env::var_os("TURNWISE_SHARED").map_or_else(|| PathBuf::from("../shared"), PathBuf::from);
    assert!(
        shared.join("media/transcripts").is_dir() && shared.join("media/odd").is_dir(),
        "{} does not hold the reference clips; name their folder in TURNWISE_SHARED",
        shared.display()
    );
    shared.join("media")
}

fn files_under(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()) {
        if entry.is_dir() { files_under(&entry, out) } else { out.push(entry) }
    }
}

/// A message without the place of the file and without the list of all formats.
fn plain(text: &str, root: &Path) -> String {
    let text = text.replace(&format!("{}/", root.display()), "");
    let text = text.split("; supported are").next().unwrap_or_default();
    text.split(" supported are ").next().unwrap_or_default().replace('\n', " ")
}

fn told(warnings: &[Warning], root: &Path) -> String {
    let mut seen = BTreeSet::new();
    let lines = warnings.iter().map(|w| plain(&w.to_string(), root)).filter(|w| seen.insert(w.clone()));
    lines.collect::<Vec<_>>().join(" | ")
}

/// Outcome, what it holds, and why.
fn of_transcript(path: &Path, root: &Path) -> [String; 3] {
    match turnwise::transcript::read(path, &ReadOptions::default()) {
        Ok(t) => ["read".into(), holds(&t), told(&t.warnings, root)],
        Err(e) => ["refused".into(), String::new(), plain(&e.to_string(), root)],
    }
}

fn holds(t: &Transcript) -> String {
    let labels: BTreeSet<&str> = t.turns.iter().filter_map(|t| t.speaker.as_deref()).collect();
    let timed = t.turns.iter().flat_map(|t| &t.words).filter(|w| w.segment.is_some()).count();
    let end = t.turns.iter().map(|t| t.segment.end().get()).fold(0.0, f64::max);
    format!(
        "{}: {} turns, {} labels, {timed} timed words, {} events, {} codes, to {end:.1} s",
        t.format,
        t.turns.len(),
        labels.len(),
        t.events.len(),
        t.codes.len()
    )
}

fn of_recording(path: &Path, root: &Path) -> [String; 3] {
    let probe = match media::probe(path, StreamPick::default()) {
        Ok(probe) => probe,
        Err(e) => return ["refused".into(), String::new(), plain(&e.chain(), root)],
    };
    let (mut parts, mut warnings, mut why) = (vec![probe.container.clone()], Vec::new(), Vec::new());
    let mut done = 0;
    let failed = |kind: &str, e: &Error| format!("{kind}: {}", plain(&e.chain(), root));
    if probe.audio.is_some() {
        match media::audio_spooled(path, 16_000, StreamPick::default()) {
            Ok(heard) => {
                parts.push(format!("sound to {:.1} s", heard.report.end_secs));
                warnings.extend(heard.warnings);
                done += 1;
            }
            Err(e) => why.push(failed("sound", &e)),
        }
    }
    if probe.video.is_some() {
        match media::each_frame(path, StreamPick::default(), 0.001, |_| Ok(())) {
            Ok(seen) => {
                parts.push(format!("{} pictures to {:.1} s", seen.frames_decoded, seen.end.map_or(0.0, |t| t.get())));
                warnings.extend(seen.warnings);
                done += 1;
            }
            Err(e) => why.push(failed("picture", &e)),
        }
    }
    for (index, count) in media::subtitle_counts(path).unwrap_or_default() {
        parts.push(format!("{count} subtitles in stream {index}"));
    }
    let outcome = match (done, why.len()) {
        (0, _) => "refused",
        (_, 0) => "decoded",
        _ => "decoded in part",
    };
    if done == 0 && why.is_empty() {
        why.push("neither sound nor picture that can be decoded".into());
    }
    if !warnings.is_empty() {
        why.push(told(&warnings, root));
    }
    [outcome.into(), parts.join(", "), why.join(" | ")]
}

fn table() -> String {
    let root = folder();
    let mut out = csv::Writer::from_writer(Vec::new());
    out.write_record(HEADER).unwrap();
    type Outcome = fn(&Path, &Path) -> [String; 3];
    for (part, outcome) in [("transcripts", of_transcript as Outcome), ("odd", of_recording)] {
        let mut files = Vec::new();
        files_under(&root.join(part), &mut files);
        files.sort();
        for path in files {
            let name = path.strip_prefix(&root).unwrap().display().to_string();
            let [outcome, holds, why] = outcome(&path, &root);
            out.write_record([name, outcome, holds, why]).unwrap();
        }
    }
    String::from_utf8(out.into_inner().unwrap()).unwrap()
}

#[test]
#[cfg_attr(not(feature = "shared-tests"), ignore = "needs the reference clips: make test-shared")]
fn every_file_ends_as_the_table_says() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/outcomes.csv");
    let now = table();
    if std::env::var_os("TURNWISE_UPDATE_OUTCOMES").is_some() {
        std::fs::write(&path, &now).unwrap();
    }
    let kept = std::fs::read_to_string(&path).unwrap();
    let (kept, now): (Vec<&str>, Vec<&str>) = (kept.lines().collect(), now.lines().collect());
    let gone: Vec<String> = kept.iter().filter(|l| !now.contains(l)).map(|l| format!("- {l}")).collect();
    let new: Vec<String> = now.iter().filter(|l| !kept.contains(l)).map(|l| format!("+ {l}")).collect();
    assert!(
        gone.is_empty() && new.is_empty(),
        "outcomes have changed; where that is meant, run this test with TURNWISE_UPDATE_OUTCOMES=1 and read the \
         difference:\n{}\n{}",
        gone.join("\n"),
        new.join("\n")
    );
    assert!(now.len() > 380, "{}", now.len());
}

/// Counts of the committed table; needs no clips.
#[test]
fn the_table_has_an_outcome_and_a_reason_for_every_file() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/outcomes.csv");
    let mut table = csv::Reader::from_path(path).unwrap();
    assert_eq!(table.headers().unwrap(), &HEADER[..]);
    let mut count = 0;
    for row in table.records().map(Result::unwrap) {
        let [file, outcome, holds, why] = [0, 1, 2, 3].map(|i| row.get(i).unwrap());
        match outcome {
            "read" | "decoded" => assert!(!holds.is_empty(), "{file}"),
            "refused" | "decoded in part" => assert!(!why.is_empty(), "{file}"),
            other => panic!("{file}: {other}"),
        }
        count += 1;
    }
    assert!(count > 380, "{count}");
}
