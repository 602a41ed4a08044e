//! What must hold of every reader, whatever the bytes: shared by the fuzz targets and by the test that replays the kept
//! inputs.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use turnwise::corpus::read_manifest;
use turnwise::error::Error;
use turnwise::recipe::Recipe;
use turnwise::store::read;
use turnwise::store::rttm::{read_rttm, read_uem, write_rttm};
use turnwise::text::steers;
use turnwise::time::Segment;
use turnwise::transcript::{ReadOptions, Transcript, read_bytes};

/// What became of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It was read, and what came out holds together.
    Read,
    /// It was refused with one clear error.
    Refused,
}

/// A target: its name, and its check, which panics where something does not hold.
pub type Target = (&'static str, fn(&[u8]) -> Outcome);

/// All of them; each has a file below `fuzz_targets` and a folder below `corpus`.
pub const TARGETS: &[Target] = &[
    ("transcript_srt", |bytes| transcript("a.srt", bytes)),
    ("transcript_vtt", |bytes| transcript("a.vtt", bytes)),
    ("transcript_stm", |bytes| transcript("a.stm", bytes)),
    ("transcript_csv", |bytes| transcript("a.csv", bytes)),
    ("transcript_whisper", |bytes| transcript("a.json", bytes)),
    ("transcript_rescue", |bytes| transcript("a.jsonl", bytes)),
    ("transcript_eaf", |bytes| transcript("a.eaf", bytes)),
    ("transcript_textgrid", |bytes| transcript("a.TextGrid", bytes)),
    ("transcript_chat", |bytes| transcript("a.cha", bytes)),
    ("transcript_services", |bytes| transcript("a.json", bytes)),
    ("transcript_ttml", |bytes| transcript("a.ttml", bytes)),
    ("transcript_timed_text", |bytes| transcript("a.srv3", bytes)),
    ("transcript_ass", |bytes| transcript("a.ass", bytes)),
    ("transcript_sbv", |bytes| transcript("a.sbv", bytes)),
    ("transcript_trs", |bytes| transcript("a.trs", bytes)),
    ("transcript_exb", |bytes| transcript("a.exb", bytes)),
    ("transcript_text", |bytes| transcript("a.txt", bytes)),
    ("transcript_docx", |bytes| transcript("a.docx", bytes)),
    ("transcript_any", |bytes| transcript("a", bytes)),
    ("rttm", rttm),
    ("uem", uem),
    ("manifest", manifest),
    ("recipe", recipe),
    ("table", table),
];

/// The check of a target.
///
/// # Panics
/// When there is none of that name.
pub fn run(target: &str, bytes: &[u8]) -> Outcome {
    let (_, check) = TARGETS.iter().find(|(name, _)| *name == target).unwrap_or_else(|| panic!("no target {target}"));
    check(bytes)
}

/// Any bytes as a transcript of that file name, strictly and leniently.
pub fn transcript(name: &str, bytes: &[u8]) -> Outcome {
    let path = Path::new(name);
    let [strict, lenient] = [false, true]
        .map(|lenient| read_bytes(bytes, path, &ReadOptions { lenient, sample_id: None, ..ReadOptions::default() }));
    for result in [&strict, &lenient] {
        match result {
            Ok(t) => sound_transcript(t, bytes.len()),
            Err(e) => clear(e, path),
        }
    }
    if let Ok(strict) = &strict {
        let lenient = lenient.as_ref().expect("what is read strictly is read leniently");
        assert_eq!(
            (&strict.turns, strict.format),
            (&lenient.turns, lenient.format),
            "leniency drops nothing that is good"
        );
    }
    outcome(&strict)
}

fn sound_transcript(t: &Transcript, bytes: usize) {
    assert!(!t.turns.is_empty() && t.turns.len() <= bytes, "{} turns of {bytes} bytes", t.turns.len());
    assert!(t.turns.windows(2).all(|w| w[0].index < w[1].index), "indices go up");
    let mut letters = 0;
    for turn in &t.turns {
        sound_segment(turn.segment);
        turn.words.iter().filter_map(|w| w.segment).for_each(sound_segment);
        let labels = || turn.speaker.iter().chain(turn.words.iter().filter_map(|w| w.speaker.as_ref()));
        let texts = || std::iter::once(&turn.text).chain(turn.words.iter().map(|w| &w.text)).chain(labels());
        assert!(!texts().any(|text| text.contains(steers)), "nothing steers a terminal: {turn:?}");
        assert!(
            turn.speaker.as_ref().is_none_or(|s| !s.is_empty() && s.trim() == s),
            "a label is nobody's or a name: {turn:?}"
        );
        letters += texts().map(String::len).sum::<usize>();
    }
    // Words stand twice, and a cue of several speakers repeats its times alone. Nothing may grow as entities of
    // entities do.
    assert!(letters <= 16 * bytes + 1024, "{letters} bytes of words out of {bytes}");
    if let Some(sample) = &t.sample {
        assert_eq!(sample.rows.len(), t.turns.len());
    }
}

/// Any bytes as RTTM.
pub fn rttm(bytes: &[u8]) -> Outcome {
    on_disk("a.rttm", bytes, |path| {
        let result = read_rttm(path);
        match &result {
            Ok(recordings) => {
                assert!(recordings.windows(2).all(|w| w[0].0 < w[1].0), "recordings are sorted, each once");
                for (uri, annotation) in recordings {
                    let turns = annotation.turns();
                    // A recording whose turns are all empty is kept without turns.
                    assert!(turns.windows(2).all(|w| w[0].segment <= w[1].segment), "turns are sorted");
                    turns.iter().for_each(|t| sound_segment(t.segment));
                    assert!(!turns.iter().any(|t| t.speaker.is_empty() || t.speaker.contains(steers)));
                    let again = path.with_extension("again");
                    if write_rttm(&again, uri, annotation).is_ok() {
                        let long = turns.iter().filter(|t| t.segment.duration() >= 1.5e-3).count();
                        let back: usize = read_rttm(&again).unwrap().iter().map(|(_, a)| a.turns().len()).sum();
                        assert!(
                            (long..=turns.len()).contains(&back),
                            "{back} turns written of {long} to {}",
                            turns.len()
                        );
                    }
                }
            }
            Err(e) => clear(e, path),
        }
        outcome(&result)
    })
}

/// Any bytes as UEM.
pub fn uem(bytes: &[u8]) -> Outcome {
    on_disk("a.uem", bytes, |path| {
        let result = read_uem(path);
        match &result {
            Ok(recordings) => {
                assert!(recordings.windows(2).all(|w| w[0].0 < w[1].0), "recordings are sorted, each once");
                for (_, spans) in recordings {
                    assert!(!spans.is_empty() && spans.windows(2).all(|w| w[0] <= w[1]), "spans are sorted");
                    assert!(
                        spans
                            .iter()
                            .all(|s| s.start() <= s.end() && s.start().get().is_finite() && s.end().get().is_finite())
                    );
                }
            }
            Err(e) => clear(e, path),
        }
        outcome(&result)
    })
}

/// Any bytes as a corpus manifest.
pub fn manifest(bytes: &[u8]) -> Outcome {
    on_disk("corpus.csv", bytes, |path| {
        let result = read_manifest(path);
        match &result {
            Ok(requests) => {
                assert!(!requests.is_empty() && requests.len() <= bytes.len());
                let mut ids: Vec<String> = requests.iter().map(|r| r.interview_id.to_lowercase()).collect();
                ids.sort_unstable();
                assert!(ids.windows(2).all(|w| w[0] != w[1]), "an id is one interview's");
                for r in requests {
                    assert!(
                        turnwise::store::paths::check_interview_id(&r.interview_id).is_ok(),
                        "{:?}",
                        r.interview_id
                    );
                    assert!(r.media.is_some() || r.audio.is_some() || r.transcript.is_some());
                    assert!(r.bounds.range().is_ok());
                }
            }
            Err(e) => clear(e, path),
        }
        outcome(&result)
    })
}

/// Any bytes as a recipe.
pub fn recipe(bytes: &[u8]) -> Outcome {
    on_disk("a.toml", bytes, |path| {
        let result = Recipe::load(Some(path), &[]);
        match &result {
            Ok(recipe) => {
                let again = path.with_extension("again");
                std::fs::write(&again, recipe.to_toml().unwrap()).unwrap();
                let back = Recipe::load(Some(&again), &[]).expect("a recipe that is taken is taken again");
                assert_eq!(back.canonical_json().unwrap(), recipe.canonical_json().unwrap());
            }
            Err(e) => clear(e, path),
        }
        outcome(&result)
    })
}

/// Any bytes as a Parquet table.
pub fn table(bytes: &[u8]) -> Outcome {
    on_disk("a.parquet", bytes, |path| {
        let result = read::read(path);
        match &result {
            Ok(table) => {
                assert_eq!(table.schema().columns.len(), table.columns().len());
                for (spec, data) in table.schema().columns.iter().zip(table.columns()) {
                    assert_eq!((data.len(), data.kind()), (table.rows(), spec.kind), "{}", spec.name);
                }
                let head = read::read_metadata(path).expect("the head of what is read can be read");
                assert_eq!(&head, table.schema());
            }
            Err(e) => clear(e, path),
        }
        outcome(&result)
    })
}

fn outcome<T>(result: &Result<T, Error>) -> Outcome {
    if result.is_ok() { Outcome::Read } else { Outcome::Refused }
}

fn sound_segment(segment: Segment) {
    let (start, end) = (segment.start().get(), segment.end().get());
    assert!(start.is_finite() && end.is_finite() && 0.0 <= start && start <= end, "{segment}");
}

/// An error is of the input, names the file, and is bounded.
fn clear(error: &Error, path: &Path) {
    let text = error.chain();
    let name = path.file_name().unwrap().to_string_lossy().into_owned();
    assert!(
        matches!(error, Error::Read { .. } | Error::Parse { .. } | Error::Recipe { .. } | Error::Damaged { .. }),
        "{error:?}"
    );
    // A recipe's fault may lie in two keys that do not go together.
    assert!(text.contains(&name) || matches!(error, Error::Recipe { .. }), "it names the file: {text}");
    assert!(!text.trim().is_empty() && text.len() < 16_384, "{} bytes", text.len());
}

/// Hands the bytes over as a file; names of their own, so that tests may run at the same time.
fn on_disk(name: &str, bytes: &[u8], check: impl FnOnce(&Path) -> Outcome) -> Outcome {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let folder = std::env::temp_dir().join(format!(
        "turnwise-fuzz-{}-{}",
        std::process::id(),
        COUNT.fetch_add(1, Ordering::Relaxed)
    ));
    let folder = Folder(folder);
    std::fs::create_dir_all(&folder.0).unwrap();
    let path = folder.0.join(name);
    std::fs::write(&path, bytes).unwrap();
    check(&path)
}

/// Removed when the check is over, however it ends.
struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
