//! Stories about `extract` as its users meet it: files in, tables and words out, nothing known of its inside.

use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::stage::{Stage, row, table};

const CUES: &str = "1\n00:00:00,000 --> 00:00:01,500\nANNA: and so we began\n\n2\n00:00:01,500 --> 00:00:02,750\nBEN: to look at it again\n";

#[test]
fn a_clip_with_its_transcript_becomes_tables_and_is_done_once() {
    let stage = Stage::new();
    stage.clip("it's [a] clip ü.mp4");
    stage.write("cues.srt", CUES);
    let extract = ["extract", "it's [a] clip ü.mp4", "--transcript", "cues.srt", "--out", "o ut/[x]"];
    let told = stage.run(&extract);
    assert_eq!((told.code, told.out.as_str()), (0, ""), "{}", told.err);
    told.line("1 done, 0 already done, 0 failed; tables in o ut/[x]");
    let turns = table(&stage, "o ut/[x]/turns/it's [a] clip ü.parquet");
    assert_eq!(turns.rows(), 2);
    assert_eq!((turns.text("speaker", 0), turns.text("speaker", 1)), (Some("ANNA"), Some("BEN")));
    assert_eq!(turns.text("text", 1), Some("to look at it again"));
    assert!(turns.number("start_secs", 1).is_some_and(|s| (s - 1.5).abs() < 1e-9));
    assert!(turns.number("level_mean_db", 0).is_some() || turns.text("voice_missing", 0).is_some());
    let rttm = std::fs::read_to_string(stage.path("o ut/[x]/rttm/it's [a] clip ü.rttm")).unwrap();
    assert!(rttm.lines().all(|l| l.starts_with("SPEAKER ")) && !rttm.is_empty(), "{rttm}");

    let first = stage.files("o ut/[x]");
    let again = stage.run(&extract);
    again.line("0 done, 1 already done, 0 failed");
    assert!(first == stage.files("o ut/[x]"));

    // Other words are other inputs.
    stage.write("cues.srt", &CUES.replace("again", "once more"));
    stage.run(&extract).line("1 done, 0 already done");
    assert_eq!(
        table(&stage, "o ut/[x]/turns/it's [a] clip ü.parquet").text("text", 1),
        Some("to look at it once more")
    );
    stage.write("cues.srt", CUES);
    stage.run(&extract).line("1 done, 0 already done");
    assert!(first == stage.files("o ut/[x]"), "the same inputs give the same bytes");

    // inspect shows it, and a reader may stop reading.
    let shown = stage.run(&["inspect", "o ut/[x]"]);
    assert!(shown.code == 0 && shown.out.contains("it's [a] clip ü") && shown.out.contains("turns"), "{}", shown.out);
    let shown = stage.run(&["inspect", "o ut/[x]/turns/it's [a] clip ü.parquet", "--all"]);
    assert!(shown.code == 0 && shown.out.contains("start_secs") && shown.out.contains("blendshape"), "{}", shown.out);
    let mut closed =
        stage.command(&["inspect", "o ut/[x]", "--all"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(closed.stdout.take());
    let ended = closed.wait_with_output().unwrap();
    assert!(ended.status.success() && ended.stderr.is_empty(), "{}", String::from_utf8_lossy(&ended.stderr));
}

#[test]
fn a_corpus_is_the_same_bytes_for_any_number_of_jobs() {
    let stage = Stage::new();
    stage.clip("in/a.mp4");
    stage.cut("in/b.mp4", "40", "3", &["-an"]);
    stage.cut("in/c.wav", "20", "4", &["-vn", "-c:a", "pcm_s16le"]);
    stage.write("in/cues.srt", CUES);
    stage.write("in/corpus.csv", "interview_id,media,transcript\ndeep/er/a,a.mp4,cues.srt\nb,b.mp4,\nc,c.wav,\n");
    let one = stage.run(&["extract", "in/corpus.csv", "--out", "one", "--jobs", "1"]);
    assert_eq!(one.code, 0, "{}", one.err);
    one.line("3 done");
    let two = stage.run(&["extract", "in", "--out", "x"]);
    assert_eq!(two.code, 2);
    two.line("is a folder");
    let two = stage.run(&["extract", "in/corpus.csv", "--out", "two", "--jobs", "2", "-q"]);
    assert_eq!((two.code, two.err.as_str(), two.out.as_str()), (0, "", ""), "quiet is quiet");
    let (one, two) = (stage.files("one"), stage.files("two"));
    assert_eq!(one.keys().collect::<Vec<_>>(), two.keys().collect::<Vec<_>>());
    for (name, bytes) in &one {
        assert!(*bytes == two[name], "{name} differs");
    }
    assert!(one.contains_key("turns/deep/er/a.parquet") && one.contains_key("rttm/deep/er/a.rttm"));

    // One without sound, one without picture: rows say why.
    let all = table(&stage, "one/interviews.parquet");
    let (b, c) = (row(&all, "b"), row(&all, "c"));
    assert!(all.texts("warnings", b).unwrap().iter().any(|w| w.starts_with("no_stream") && w.contains("audio")));
    assert_eq!(all.text("speech_missing", b), Some("no_stream"));
    assert!(all.texts("warnings", c).unwrap().iter().any(|w| w.starts_with("no_stream") && w.contains("video")));
    let heard = table(&stage, "one/turns/c.parquet");
    assert!((0..heard.rows()).all(|r| heard.text("face_missing", r) == Some("no_stream")));

    // Another recipe is other results, and the folder holds all interviews it was given, not those of the last run
    // alone.
    let other = stage.run(&["extract", "in/b.mp4", "--out", "one", "--set", "face.rate_hz=2"]);
    other.line("1 done, 0 already done");
    let forced = stage.run(&["extract", "in/b.mp4", "--out", "one", "--set", "face.rate_hz=2", "--force"]);
    forced.line("1 done, 0 already done");
    assert_eq!(table(&stage, "one/interviews.parquet").rows(), 3);
}

#[test]
fn what_is_wrong_with_one_interview_is_told_in_one_line_and_the_others_are_done() {
    let stage = Stage::new();
    stage.clip("good.mp4");
    stage.write("noise.mp4", "this is no film\n".repeat(400).as_str());
    stage.write("good.srt", CUES);
    stage.write("bad.srt", "1\n00:00:00,000 --> 00:00:01,000\nhello\n\n2\n00:00:02,000 --> 00:00:01,000\nbackwards\n");
    stage.write("empty.srt", "");
    stage.write("empty.mp4", "");
    let made = Command::new("ffmpeg")
        .args(["-v", "error", "-i"])
        .arg(stage.path("good.srt"))
        .args(["-c:s", "srt"])
        .arg(stage.path("words_only.mkv"))
        .status();
    assert!(made.unwrap().success());
    stage.write(
        "corpus.csv",
        "interview_id,media,transcript,note\nnoise,noise.mp4,,x\nbad cue,good.mp4,bad.srt,x\nno words,good.mp4,empty.srt,x\n\
         no file,gone.mp4,,x\nno bytes,empty.mp4,,x\nno transcript,good.mp4,gone.srt,x\nnothing in it,words_only.mkv,,x\nwell,good.mp4,good.srt,x\n",
    );
    let told = stage.run(&["extract", "corpus.csv", "--out", "out", "--jobs", "1"]);
    assert_eq!(told.code, 1, "{}", told.err);
    for (id, parts) in [
        ("noise", vec!["failed: cannot read media", "noise.mp4"]),
        ("bad cue", vec!["failed", "bad.srt:6"]),
        ("no words", vec!["failed", "empty.srt: no cues"]),
        ("no file", vec!["failed: cannot read", "gone.mp4", "No such file"]),
        ("no bytes", vec!["failed: cannot read media", "empty.mp4", "0 bytes"]),
        ("no transcript", vec!["failed: cannot read", "gone.srt", "No such file"]),
        ("nothing in it", vec!["failed", "words_only.mkv", "neither an audio nor a video stream"]),
        ("well", vec!["done in"]),
    ] {
        let line = told.line(&format!("] {id}: "));
        assert!(parts.iter().all(|p| line.contains(p)), "{line}");
    }
    let all = table(&stage, "out/interviews.parquet");
    assert_eq!(all.rows(), 8);
    assert_eq!(all.text("status", row(&all, "well")), Some("done"));
    assert_eq!(all.text("error_kind", row(&all, "noise")), Some("media"));
    assert_eq!(all.text("error_kind", row(&all, "bad cue")), Some("parse"));
    assert!(stage.path("out/turns/well.parquet").is_file() && !stage.path("out/turns/noise.parquet").exists());

    // A bad cue may be passed over.
    let lenient = stage.run(&["extract", "good.mp4", "--transcript", "bad.srt", "--lenient", "--out", "lenient"]);
    assert_eq!(lenient.code, 0, "{}", lenient.err);
    assert_eq!(table(&stage, "lenient/turns/good.parquet").rows(), 1);
}

#[test]
fn rescue_rows_come_out_by_their_index_with_and_without_media() {
    let stage = Stage::new();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/sample/rescue");
    stage.cut("media/ted.mp4", "0", "10", &[]);
    for name in ["ted_talk.json", "samples.jsonl"] {
        std::fs::copy(folder.join(name), stage.path(name)).unwrap();
    }
    stage.write(
        "corpus.csv",
        "interview_id,media,transcript,sample_id\ndemo/ted_talk,media/ted.mp4,samples.jsonl,demo/ted_talk\ndemo/no_video,,ted_talk.json,\n",
    );
    let told = stage.run(&["extract", "corpus.csv", "--out", "out"]);
    assert_eq!(told.code, 0, "{}", told.err);
    let all = table(&stage, "out/interviews.parquet");
    for id in ["demo/ted_talk", "demo/no_video"] {
        assert_eq!(all.text("group", row(&all, id)), Some("couple"));
        let turns = table(&stage, &format!("out/turns/{id}.parquet"));
        let column = |name: &str| (0..turns.rows()).map(|r| turns.number(name, r).unwrap()).collect::<Vec<_>>();
        assert_eq!(column("turn_index"), (1..=12).map(f64::from).collect::<Vec<_>>());
        let speakers: Vec<_> = (0..12).map(|r| turns.text("speaker", r).unwrap()).collect();
        assert_eq!(&speakers[..4], ["Therapist", "Maya", "Noah", "Therapist"]);
        assert_eq!(turns.text("text", 4), Some("Yes."));
        assert!((column("end_secs")[5] - 27.125).abs() < 1e-9);
        // The film was cut after 10 s, and the other sample has none.
        let reason = if id == "demo/no_video" { "no_stream" } else { "past_end" };
        for gone in ["voice_missing", "egemaps_missing", "face_missing"] {
            assert_eq!(turns.text(gone, 11), Some(reason), "{id} {gone}");
        }
    }
    assert!(all.texts("warnings", row(&all, "demo/ted_talk")).unwrap().iter().any(|w| w.starts_with("turns_past_end")));
}

/// Every odd file that was collected ends in tables or in one clear line.
#[test]
#[cfg_attr(not(feature = "shared-tests"), ignore = "needs the reference clips: make test-shared")]
fn odd_files_end_in_tables_or_in_one_line() {
    let shared = std::env::var_os("TURNWISE_SHARED")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared"), Into::into);
    let folder = shared.join("media/odd");
    assert!(
        folder.is_dir(),
        "{} does not hold the odd files; name the folder of reference clips in TURNWISE_SHARED",
        folder.display()
    );
    let stage = Stage::new();
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    files.sort();
    let mut manifest = String::from("interview_id,media\n");
    for (i, file) in files.iter().enumerate() {
        manifest += &format!("{i:03},\"{}\"\n", file.display());
    }
    stage.write("corpus.csv", &manifest);
    // Two looks a second are enough here.
    let mut run = stage.command(&["extract", "corpus.csv", "--out", "out", "--jobs", "2", "--set", "face.rate_hz=2"]);
    let mut run = run.stderr(Stdio::piped()).spawn().unwrap();
    let mut err = String::new();
    run.stderr.take().unwrap().read_to_string(&mut err).unwrap();
    assert_eq!(run.wait().unwrap().code(), Some(1), "{err}");
    assert!(!err.contains("panicked") && !err.contains("the worker for interview"), "{err}");
    let all = table(&stage, "out/interviews.parquet");
    assert_eq!(all.rows(), files.len());
    for r in 0..all.rows() {
        let id = all.text("interview_id", r).unwrap();
        match all.text("status", r) {
            Some("done") => assert!(stage.path("out/turns").join(format!("{id}.parquet")).is_file(), "{id}"),
            _ => {
                let (kind, error) = (all.text("error_kind", r).unwrap(), all.text("error", r).unwrap());
                // The row names the file; people are told where it lies.
                let file = &files[id.parse::<usize>().unwrap()];
                let name = file.file_name().unwrap().to_str().unwrap();
                assert!(
                    kind == "media" && error.contains(name) && !error.contains("/media/odd/") && !error.contains('\n'),
                    "{id}: {error}"
                );
                let told = error.replace(name, file.to_str().unwrap());
                assert_eq!(err.lines().filter(|l| l.contains(&told)).count(), 1, "{told} in {err}");
            }
        }
    }
}
