//! What holds for any input: segments, frame grids, cut-offs, and what is written and read back.

use std::fmt::Write as _;
use std::path::Path;

use proptest::collection::vec;
use proptest::prelude::*;
use turnwise::annotation::{Annotation, SegmentIndex, SpeechTurn, union_secs};
use turnwise::store::parquet::{self, FileMetadata};
use turnwise::store::read;
use turnwise::store::rttm::{read_rttm, write_rttm};
use turnwise::table::{Cell, ColumnData, ColumnSpec, CutOff, Kind, Modality, TableBuilder, TableSchema};
use turnwise::time::{FrameGrid, Seconds, Segment};
use turnwise::transcript::{ReadOptions, Transcript, read_bytes};

/// Few cases: each test takes a fraction of a second.
fn few() -> ProptestConfig {
    ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() }
}

fn segment() -> impl Strategy<Value = Segment> {
    (0_u32..100_000, 0_u32..20_000).prop_map(|(start, length)| {
        Segment::from_secs(f64::from(start) / 1e3, f64::from(start + length) / 1e3).unwrap()
    })
}

proptest! {
    #![proptest_config(few())]

    #[test]
    fn what_two_segments_share_is_the_same_from_both_sides(a in segment(), b in segment()) {
        prop_assert_eq!(a.overlap(b).to_bits(), b.overlap(a).to_bits());
        prop_assert_eq!(a.intersection(b), b.intersection(a));
        prop_assert!((a.overlap(b) - a.intersection(b).map_or(0.0, Segment::duration)).abs() < 1e-9);
        prop_assert!(a.overlap(b) <= a.duration().min(b.duration()) + 1e-9);
        // They share time just where neither lies behind the other.
        prop_assert_eq!(a.overlap(b) > 0.0, a.gap(b) < 0.0 && b.gap(a) < 0.0 && !a.is_empty() && !b.is_empty());
        prop_assert!(!a.contains(a.end()) && a.contains(a.middle()) != a.is_empty());
        if let Some(both) = a.intersection(b) {
            prop_assert_eq!(both.intersection(a), Some(both));
            prop_assert!(a.contains(both.middle()) && b.contains(both.middle()));
        } else {
            prop_assert!(a.is_empty() || b.is_empty() || !a.contains(b.start()) && !b.contains(a.start()));
        }
    }

    #[test]
    fn the_union_is_at_least_the_longest_and_at_most_the_sum(all in vec(segment(), 0..12)) {
        let union = union_secs(all.iter().copied());
        let longest = all.iter().map(|s| s.duration()).fold(0.0, f64::max);
        let sum: f64 = all.iter().map(|s| s.duration()).sum();
        prop_assert!(longest - 1e-9 <= union && union <= sum + 1e-9, "{} {} {}", longest, union, sum);
        let shared = all.iter().enumerate().any(|(i, a)| all[..i].iter().any(|b| a.overlap(*b) > 0.0));
        prop_assert_eq!(union < sum - 1e-6, shared);
    }

    #[test]
    fn the_index_finds_what_a_look_at_all_finds(all in vec(segment(), 0..20), asked in segment()) {
        let mut found = SegmentIndex::new(all.iter().copied()).overlapping(asked.start(), asked.end());
        found.sort_unstable();
        let shares = |s: &Segment| s.start() < asked.end() && asked.start() < s.end();
        let want: Vec<usize> = (0..all.len()).filter(|&i| shares(&all[i]) && !all[i].is_empty()).collect();
        found.retain(|&i| !all[i].is_empty());
        prop_assert_eq!(if asked.is_empty() { Vec::new() } else { want }, if asked.is_empty() { Vec::new() } else { found });
    }

    #[test]
    fn frames_of_a_segment_are_those_whose_centre_lies_in_it(window in 1_u32..2000, hop in 1_u32..800, samples in 0_usize..40_000, asked in segment()) {
        let grid = FrameGrid::new(16_000, window, hop);
        let count = grid.whole_frames(samples);
        prop_assert!(count == 0 || (count - 1) * grid.hop() + grid.window() <= samples);
        prop_assert!(count * grid.hop() + grid.window() > samples);
        let want: Vec<usize> = (0..count).filter(|&i| asked.contains(grid.centre(i))).collect();
        prop_assert_eq!(grid.indices(asked, count).collect::<Vec<_>>(), want);
    }

    #[test]
    fn an_instant_is_the_sample_it_came_from(index in 0_u64..1 << 40, rate in 8_000_u32..192_000) {
        prop_assert_eq!(Seconds::from_samples(index, rate).to_sample(rate) as u64, index);
    }

    #[test]
    fn cut_offs_are_in_order(a in 0..CutOff::ALL.len(), b in 0..CutOff::ALL.len()) {
        let (early, late) = (CutOff::ALL[a], CutOff::ALL[b]);
        prop_assert_eq!(early.leaks_past(late), a > b);
        prop_assert_eq!(early.leaks_past(late) || late.leaks_past(early), a != b);
        prop_assert_eq!(CutOff::from_name(early.name()), Some(early));
    }

    #[test]
    fn rttm_reads_back_as_written(turns in vec((0_u32..10_000_000, 1_u32..100_000, "[A-Za-zéü_.-]{1,8}"), 1..20), uri in "[A-Za-z0-9_/.-]{1,12}") {
        let turn = |(start, length, speaker): &(u32, u32, String)| SpeechTurn {
            segment: Segment::from_secs(f64::from(*start) / 1e3, f64::from(start + length) / 1e3).unwrap(),
            speaker: speaker.clone(),
        };
        let written = Annotation::new(turns.iter().map(turn).collect());
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.rttm");
        write_rttm(&path, &uri, &written).unwrap();
        let back = read_rttm(&path).unwrap();
        prop_assert_eq!(back.len(), 1);
        prop_assert_eq!(&back[0].0, &uri);
        prop_assert_eq!(back[0].1.turns().len(), written.turns().len());
        for (a, b) in back[0].1.turns().iter().zip(written.turns()) {
            prop_assert_eq!(&a.speaker, &b.speaker);
            prop_assert!((a.segment.start().get() - b.segment.start().get()).abs() < 1e-9, "{} {}", a.segment, b.segment);
            prop_assert!((a.segment.end().get() - b.segment.end().get()).abs() < 1e-6, "{} {}", a.segment, b.segment);
        }
    }

    #[test]
    fn tables_read_back_as_written(rows in vec(row(), 0..30)) {
        let kinds = [Kind::F32, Kind::F64, Kind::I64, Kind::Str, Kind::Bool, Kind::F32List, Kind::StrList];
        let column = |(kind, cut_off): (&Kind, CutOff)| ColumnSpec::new(kind.name(), *kind, "s", "What it says.").until(cut_off).of(Modality::Voice);
        let columns = kinds.iter().zip(CutOff::ALL.into_iter().cycle()).map(column).collect();
        let schema = TableSchema { name: "made", description: "One row.", columns };
        let mut table = TableBuilder::new(schema.clone());
        for row in &rows {
            table.row();
            for (kind, cell) in kinds.iter().zip(row) {
                table.set(kind.name(), cell.clone());
            }
        }
        let table = table.finish().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.parquet");
        parquet::write(&path, &table, &FileMetadata::default()).unwrap();
        let back = read::read(&path).unwrap();
        prop_assert_eq!(back.rows(), rows.len());
        for ((got, want), (told, spec)) in back.columns().iter().zip(table.columns()).zip(back.schema().columns.iter().zip(&schema.columns)) {
            prop_assert_eq!(bits(got), bits(want), "{}", spec.name);
            prop_assert_eq!((&*told.name, told.kind, &*told.unit), (&*spec.name, spec.kind, &*spec.unit));
        }
    }

    #[test]
    fn cues_written_in_many_formats_are_the_same_turns(cues in cues()) {
        let (mut srt, mut vtt, mut csv) = (String::new(), "WEBVTT\n\n".to_owned(), csv::Writer::from_writer(Vec::new()));
        let (mut sbv, mut ttml, mut said) = (String::new(), "<tt><body><div>".to_owned(), Vec::new());
        csv.write_record(["start", "end", "speaker", "text"]).unwrap();
        for (i, cue) in cues.iter().enumerate() {
            write!(srt, "{}\n{} --> {}\n{}: {}\n\n", i + 1, clock(cue.start, ','), clock(cue.end, ','), cue.speaker.to_uppercase(), cue.text).unwrap();
            write!(vtt, "{} --> {}\n<v {}>{}\n\n", clock(cue.start, '.'), clock(cue.end, '.'), cue.speaker.to_uppercase(), cue.text).unwrap();
            csv.write_record([&secs(cue.start), &secs(cue.end), &cue.speaker.to_uppercase(), &cue.text]).unwrap();
        }
        for cue in &cues {
            let who = cue.speaker.to_uppercase();
            write!(sbv, "{},{}\n{who}: {}\n\n", clock(cue.start, '.'), clock(cue.end, '.'), cue.text).unwrap();
            let begin = clock(cue.start, '.');
            writeln!(ttml, "<p begin=\"{begin}\" end=\"{}ms\" ttm:agent=\"{who}\">{}</p>", cue.end, cue.text).unwrap();
            said.push(serde_json::json!({"speaker": who, "start": cue.start, "end": cue.end, "text": cue.text, "words": []}));
        }
        ttml.push_str("</div></body></tt>");
        let json = serde_json::json!({"status": "completed", "utterances": said}).to_string();
        let csv = String::from_utf8(csv.into_inner().unwrap()).unwrap();
        let all = [("a.srt", &srt), ("a.vtt", &vtt), ("a.csv", &csv), ("a.sbv", &sbv), ("a.ttml", &ttml), ("a.json", &json)];
        for (name, text) in all {
            let read = read_bytes(text.as_bytes(), Path::new(name), &ReadOptions::default());
            let read: Transcript = read.map_err(|e| TestCaseError::fail(format!("{e}\n{text}")))?;
            prop_assert_eq!(read.turns.len(), cues.len(), "{}", text);
            for (turn, cue) in read.turns.iter().zip(&cues) {
                prop_assert_eq!((secs_of(turn.segment.start()), secs_of(turn.segment.end())), (cue.start, cue.end), "{}", text);
                prop_assert_eq!(turn.speaker.clone(), Some(cue.speaker.to_uppercase()), "{}", text);
                prop_assert_eq!(&turn.text, &cue.text, "{}", text);
            }
        }
    }
}

fn row() -> impl Strategy<Value = [Cell; 7]> {
    let float = || prop_oneof![Just(Cell::Missing), any::<f32>().prop_map(Cell::from), Just(Cell::Float(-0.0))];
    (
        float(),
        prop_oneof![Just(Cell::Missing), any::<f64>().prop_map(Cell::from)],
        any::<Option<i64>>().prop_map(Cell::from),
        proptest::option::of(".{0,12}".prop_map(clean)).prop_map(Cell::from),
        any::<Option<bool>>().prop_map(Cell::from),
        proptest::option::of(vec(-1e6_f32..1e6, 0..5)).prop_map(Cell::from),
        proptest::option::of(vec(".{0,6}".prop_map(clean), 0..4)).prop_map(Cell::from),
    )
        .prop_map(|(a, b, c, d, e, f, g)| [a, b, c, d, e, f, g])
}

/// What steers a terminal is never written as it is.
fn clean(text: String) -> String {
    turnwise::text::clean(&text).into_owned()
}

/// Values in a form in which a missing float equals another.
fn bits(data: &ColumnData) -> ColumnData {
    let missing = i64::MIN + 1;
    match data {
        ColumnData::F32(v) => {
            ColumnData::I64(v.iter().map(|x| Some(if x.is_nan() { missing } else { i64::from(x.to_bits()) })).collect())
        }
        ColumnData::F64(v) => ColumnData::I64(
            v.iter().map(|x| Some(if x.is_nan() { missing } else { x.to_bits().cast_signed() })).collect(),
        ),
        other => other.clone(),
    }
}

/// A cue in milliseconds.
#[derive(Clone, Debug)]
struct Cue {
    start: u32,
    end: u32,
    speaker: &'static str,
    text: String,
}

/// Cues one after the other, each with words of its own: repeated lines are rolling captions.
fn cues() -> impl Strategy<Value = Vec<Cue>> {
    let one = (0_u32..5000, 1_u32..6000, 0_usize..2, vec("[a-zA-Zéß,;\"'!?]{0,7}[a-z]", 1..6));
    vec(one, 2..12).prop_map(|all| {
        let mut at = 0;
        let cue = |(i, (gap, length, who, words)): (usize, (u32, u32, usize, Vec<String>))| {
            let start = at + gap;
            at = start + length;
            // Both speak, so that labels are a habit of the file.
            let speaker = ["Anna", "Bo"][if i < 2 { i } else { who }];
            Cue { start, end: at, speaker, text: format!("w{i}x {}", words.join(" ")) }
        };
        all.into_iter().enumerate().map(cue).collect()
    })
}

fn clock(millis: u32, point: char) -> String {
    format!(
        "{:02}:{:02}:{:02}{point}{:03}",
        millis / 3_600_000,
        millis / 60_000 % 60,
        millis / 1000 % 60,
        millis % 1000
    )
}

fn secs(millis: u32) -> String {
    format!("{}.{:03}", millis / 1000, millis % 1000)
}

fn secs_of(time: Seconds) -> u32 {
    (time.get() * 1e3).round() as u32
}
