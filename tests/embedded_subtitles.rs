//! Subtitles inside the media as the transcript: the words, labels and times of the file they were made from.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::stage::{Stage, table};
use turnwise::media::{SubtitlePick, subtitle_counts};
use turnwise::transcript::{ReadOptions, Transcript, embedded, read_bytes};

const SRT: &str = "1\n00:00:00,250 --> 00:00:01,000\nMara: So <i>where</i> did you grow up?\n\n\
    2\n00:00:01,000 --> 00:00:01,900\nBen: 3 < 4 &amp; near the coast.\n\n\
    3\n00:00:02,125 --> 00:00:02,500\nMara: And then?\nFor how long?\n\n\
    4\n00:00:02,500 --> 00:00:02,875\nBen: Yes.\n";
const VTT: &str = "WEBVTT\n\n00:00.250 --> 00:01.000\n<v Mara>Wo sind Sie aufgewachsen?\n\n\
    00:01.000 --> 00:01.900 align:start\n<v Ben>An der K\u{fc}ste.\n";
const ASS: &str = "[Script Info]\nScriptType: v4.00+\n\n[V4+ Styles]\nFormat: Name, Fontname\nStyle: Default,Arial\n\n[Events]\n\
    Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\n\
    Dialogue: 0,0:00:00.25,0:00:01.00,Default,Mara,0,0,0,,So, {\\i1}where{\\i0}\\Nthen?\n\
    Dialogue: 0,0:00:01.00,0:00:01.90,Default,Ben,0,0,0,,At the coast\n";

/// Three seconds of a tone and a picture, and what `more` adds.
fn made(stage: &Stage, name: &str, more: &str) -> PathBuf {
    let path = stage.path(name);
    let base = "-v error -y -nostdin -f lavfi -i testsrc=size=64x48:rate=10:duration=3 -f lavfi -i sine=frequency=220:duration=3";
    let done = Command::new("ffmpeg")
        .args(base.split(' '))
        .args(more.split_whitespace())
        .arg(&path)
        .current_dir(stage.path("."))
        .stdin(Stdio::null())
        .status()
        .expect("ffmpeg is needed: make apt");
    assert!(done.success(), "{more}");
    path
}

fn files(stage: &Stage) {
    stage.write("a.srt", SRT);
    stage.write("a.vtt", VTT);
    stage.write("a.ass", ASS);
}

fn told(t: &Transcript) -> Vec<(f64, f64, Option<String>, String)> {
    let one = |t: &turnwise::annotation::Turn| {
        (t.segment.start().get(), t.segment.end().get(), t.speaker.clone(), t.text.clone())
    };
    t.turns.iter().map(one).collect()
}

fn of_file(name: &str, text: &str) -> Vec<(f64, f64, Option<String>, String)> {
    told(&read_bytes(text.as_bytes(), Path::new(name), &ReadOptions::default()).unwrap())
}

fn taken(path: &Path, pick: &str) -> Transcript {
    let pick = SubtitlePick::parse(pick).unwrap();
    embedded(path, &pick, &ReadOptions::default()).unwrap_or_else(|e| panic!("{}", e.chain()))
}

fn warned(t: &Transcript) -> String {
    t.warnings.iter().map(|w| format!("{w}\n")).collect()
}

#[track_caller]
fn assert_same(found: &[(f64, f64, Option<String>, String)], wanted: &[(f64, f64, Option<String>, String)]) {
    assert_eq!(found.len(), wanted.len(), "{found:?}");
    for (a, b) in found.iter().zip(wanted) {
        assert!((a.0 - b.0).abs() < 1e-6 && (a.1 - b.1).abs() < 1e-6, "{a:?} for {b:?}");
        assert_eq!((&a.2, &a.3), (&b.2, &b.3));
    }
}

const MAPPED: &str = "-i a.srt -i a.vtt -i a.ass -map 0 -map 1 -map 2 -map 3 -map 4 -c:v mpeg4 -c:a pcm_s16le -c:s copy \
    -metadata:s:s:0 language=eng -metadata:s:s:1 language=ger -metadata:s:s:2 language=eng \
    -disposition:s:0 0 -disposition:s:1 0 -disposition:s:2 0";

#[test]
fn streams_of_matroska_are_what_they_were_made_from_by_language_and_index() {
    let stage = Stage::new();
    files(&stage);
    let film = made(&stage, "a.mkv", MAPPED);
    let (srt, vtt, ass) = (of_file("a.srt", SRT), of_file("a.vtt", VTT), of_file("a.ass", ASS));
    assert_eq!(srt[1].3, "3 < 4 & near the coast.");
    assert_eq!(srt[0].2.as_deref(), Some("Mara"));
    for (pick, wanted) in [
        ("embedded", &srt),
        ("embedded:2", &srt),
        ("embedded:eng", &srt),
        ("embedded:ENG", &srt),
        ("embedded:ger", &vtt),
        ("embedded:3", &vtt),
        ("embedded:4", &ass),
    ] {
        assert_same(&told(&taken(&film, pick)), wanted);
    }
    let any = taken(&film, "embedded");
    assert!(warned(&any).contains("stream 2 (subrip, eng); streams 3, 4 hold others"), "{}", warned(&any));
    let one = taken(&film, "embedded:eng");
    assert!(warned(&one).contains("streams 4 hold others"), "{}", warned(&one));
    assert_eq!(one.language.as_deref(), Some("eng"));
    for (pick, part) in [("embedded:fre", "tagged \"fre\""), ("embedded:1", "in stream 1")] {
        let e = embedded(&film, &SubtitlePick::parse(pick).unwrap(), &ReadOptions::default()).unwrap_err().to_string();
        assert!(e.contains(part) && e.contains("stream 3 (webvtt, ger)"), "{e}");
    }
    let counts = subtitle_counts(&film).unwrap();
    assert_eq!(counts.into_iter().collect::<Vec<_>>(), [(2, 4), (3, 2), (4, 2)]);
    // A file's path is none of these.
    for path in ["embedded.srt", "./embedded", "a/embedded", "embeddeds"] {
        assert_eq!(SubtitlePick::parse(path), None, "{path}");
    }
}

#[test]
fn the_default_comes_first_and_forced_ones_last() {
    let stage = Stage::new();
    files(&stage);
    let default = made(&stage, "a.mkv", &MAPPED.replace("-disposition:s:1 0", "-disposition:s:1 default"));
    assert_same(&told(&taken(&default, "embedded")), &of_file("a.vtt", VTT));
    let forced = made(&stage, "b.mkv", &MAPPED.replace("-disposition:s:0 0", "-disposition:s:0 default+forced"));
    assert_same(&told(&taken(&forced, "embedded")), &of_file("a.vtt", VTT));
}

#[test]
fn timed_text_of_mp4_has_no_markup_and_no_cue_between_cues() {
    let stage = Stage::new();
    // Transcoding keeps entities as they are written, and plain text has none.
    let srt = SRT.replace("&amp;", "und");
    stage.write("a.srt", &srt);
    let film = made(
        &stage,
        "a.mp4",
        "-i a.srt -map 0 -map 1 -map 2 -c:v mpeg4 -c:a aac -c:s mov_text -metadata:s:s:0 language=eng",
    );
    assert_same(&told(&taken(&film, "embedded:eng")), &of_file("a.srt", &srt));
    assert_eq!(subtitle_counts(&film).unwrap().into_iter().collect::<Vec<_>>(), [(2, 4)]);
}

#[test]
fn times_count_from_the_medias_origin() {
    let stage = Stage::new();
    files(&stage);
    // The whole film five seconds later on its own clock.
    let late =
        made(&stage, "late.mkv", "-i a.srt -map 0 -map 1 -map 2 -c:v mpeg4 -c:a aac -c:s subrip -output_ts_offset 5");
    let probe = turnwise::media::probe(&late, turnwise::media::StreamPick::default()).unwrap();
    assert!(probe.origin.get() > 4.9, "{:?}", probe.origin);
    let shift = 5.0 - probe.origin.get();
    let moved = |t: f64| t + shift;
    let wanted: Vec<_> =
        of_file("a.srt", SRT).into_iter().map(|(a, b, who, text)| (moved(a), moved(b), who, text)).collect();
    let found = told(&taken(&late, "embedded"));
    for (a, b) in found.iter().zip(&wanted) {
        // Matroska counts in milliseconds.
        assert!((a.0 - b.0).abs() < 1.5e-3 && (a.1 - b.1).abs() < 1.5e-3, "{a:?} for {b:?}");
    }
    assert_eq!(found.len(), wanted.len());
}

#[test]
fn what_lies_before_the_media_is_told() {
    let stage = Stage::new();
    files(&stage);
    // The sound and the picture begin two seconds after the first cue.
    let film = made(
        &stage,
        "a.mkv",
        "-itsoffset -20 -i a.srt -itsoffset -19.5 -i a.vtt -map 0:v -map 1 -map 2 -c:v mpeg4 -c:a aac -c:s subrip \
         -output_ts_offset 21",
    );
    let t = embedded(&film, &SubtitlePick::Any, &ReadOptions::default());
    let text = t.map_or_else(|e| e.chain(), |t| warned(&t));
    assert!(text.contains("no cues") || text.contains("before the media begin"), "{text}");
}

#[test]
fn a_manifest_and_the_command_line_take_them_and_probe_lists_them() {
    let stage = Stage::new();
    files(&stage);
    made(&stage, "a.mkv", MAPPED);
    made(&stage, "b.mkv", "-c:v mpeg4 -c:a aac");
    stage.write("corpus.csv", "interview_id,media,transcript\na,a.mkv,embedded:ger\nb,b.mkv,embedded\n");
    let run = |arguments: &[&str]| {
        let mut all = arguments.to_vec();
        all.extend(["--set", "input.skip_video=true"]);
        stage.run(&all)
    };
    let done = run(&["extract", "corpus.csv", "--out", "out", "--jobs", "1"]);
    assert!(done.err.contains("1 done, 0 already done, 1 failed"), "{}", done.err);
    assert!(done.err.contains("holds no subtitles of text"), "{}", done.err);
    let turns = table(&stage, "out/turns/a.parquet");
    assert_eq!(turns.rows(), 2);
    assert_eq!((turns.text("speaker", 1), turns.text("text", 1)), (Some("Ben"), Some("An der K\u{fc}ste.")));
    assert_eq!(turns.number("start_secs", 1), Some(1.0));
    // Other subtitles are another input; the same are the same.
    run(&["extract", "corpus.csv", "--out", "out", "--jobs", "1", "--only", "a"]).line("1 already done");
    stage.write("corpus.csv", "interview_id,media,transcript\na,a.mkv,embedded:2\n");
    run(&["extract", "corpus.csv", "--out", "out", "--jobs", "1"]).line("1 done, 0 already done");
    assert_eq!(table(&stage, "out/turns/a.parquet").rows(), 4);

    let one = run(&["extract", "a.mkv", "--transcript", "embedded:4", "--out", "single"]);
    assert_eq!(one.code, 0, "{}", one.err);
    assert_eq!(table(&stage, "single/turns/a.parquet").rows(), 2);
    stage.write("corpus.csv", "interview_id,media,transcript\na,,embedded\n");
    let none = run(&["extract", "corpus.csv", "--out", "none", "--jobs", "1"]);
    assert!(none.code == 2 && none.err.contains("a has no media whose subtitles"), "{}", none.err);

    let probe = stage.run(&["probe", "a.mkv", "--json"]);
    let told: serde_json::Value = serde_json::from_str(&probe.out).unwrap();
    let streams: Vec<_> = told["streams"].as_array().unwrap().iter().map(|s| (&s["language"], &s["cues"])).collect();
    assert_eq!(serde_json::json!(streams[2..]), serde_json::json!([["eng", 4], ["ger", 2], ["eng", 2]]));
    assert!(streams[0].1.is_null());
}
