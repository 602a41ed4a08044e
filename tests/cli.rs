//! Stories about the program as its users meet it: files in, tables and words out, nothing known of its inside.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails loudly")]

#[allow(dead_code, reason = "each file of stories uses a part of the stage")]
mod stage;

use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};

use stage::{Stage, children, is_alive, models, sample, wait_for};
use turnwise::output::read::{StoredTable, read};

const CUES: &str =
    "1\n00:00:00,000 --> 00:00:01,500\nANNA: and so we began\n\n2\n00:00:01,500 --> 00:00:02,750\nBEN: to look at it again\n";

fn table(stage: &Stage, name: &str) -> StoredTable {
    read(&stage.path(name)).unwrap()
}

/// The row of an interview in `interviews`.
fn row(table: &StoredTable, id: &str) -> usize {
    (0..table.rows()).find(|&r| table.text("interview_id", r) == Some(id)).unwrap_or_else(|| panic!("no row {id}"))
}

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
    assert_eq!(table(&stage, "o ut/[x]/turns/it's [a] clip ü.parquet").text("text", 1), Some("to look at it once more"));
    stage.write("cues.srt", CUES);
    stage.run(&extract).line("1 done, 0 already done");
    assert!(first == stage.files("o ut/[x]"), "the same inputs give the same bytes");

    // inspect shows it, and a reader may stop reading.
    let shown = stage.run(&["inspect", "o ut/[x]"]);
    assert!(shown.code == 0 && shown.out.contains("it's [a] clip ü") && shown.out.contains("turns"), "{}", shown.out);
    let shown = stage.run(&["inspect", "o ut/[x]/turns/it's [a] clip ü.parquet", "--all"]);
    assert!(shown.code == 0 && shown.out.contains("start_secs") && shown.out.contains("blendshape"), "{}", shown.out);
    let mut closed = stage.command(&["inspect", "o ut/[x]", "--all"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
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

    // Another recipe is other results, and the folder holds all interviews it was given, not those of the last run alone.
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
fn a_wrong_request_is_told_before_any_work_with_exit_2() {
    let stage = Stage::new();
    stage.write("a.wav", "");
    for (name, text, part) in [
        ("header.csv", "id,file\na,b\n", "header.csv:1: no column \"interview_id\""),
        ("twice.csv", "interview_id,media\na,a.wav\na,a.wav\n", "twice.csv:3: interview_id \"a\" is used twice"),
        ("up.csv", "interview_id,media\n../../a,a.wav\n", "up.csv:2: interview id \"../../a\""),
        ("root.csv", "interview_id,media\n/etc/a,a.wav\n", "root.csv:2: interview id \"/etc/a\""),
        ("cells.csv", "interview_id,media\na,a.wav,more\n", "cells.csv:2"),
    ] {
        stage.write(name, text);
        let told = stage.run(&["extract", name, "--out", "out"]);
        assert_eq!(told.code, 2, "{}", told.err);
        assert_eq!(told.err.lines().count(), 1, "{}", told.err);
        assert!(told.err.starts_with("error: ") && told.err.contains(part), "{}", told.err);
    }
    for (arguments, part) in [
        (vec!["extract", "gone.mp4", "--out", "out"], "there is no file gone.mp4"),
        (vec!["extract", "a.wav", "--out", "out", "--id", "../b"], "interview id \"../b\""),
        (vec!["extract", "a.wav", "--out", "out", "--set", "face.rate=1"], "rate_hz"),
        (vec!["extract", "a.wav", "--out", "out", "--set", "face.rate_hz=fast"], "expected float"),
        (vec!["extract", "a.wav", "--out", "out", "--min-speakers", "3", "--max-speakers", "2"], "3"),
        (vec!["extract", "a.wav", "--out", "out", "--speakers", "2", "--max-speakers", "3"], "cannot be used with"),
        (vec!["extract", "a.wav", "--out", "out", "--speakers", "0"], "--speakers"),
        (vec!["extract", "a.wav", "--out", "out", "--jobs", "0"], "--jobs"),
        (vec!["extract", "a.wav"], "--out"),
        (vec!["extract", "twice.csv", "--out", "out", "--transcript", "a.srt"], "--transcript goes with a single media file"),
        (vec!["extrakt"], "extrakt"),
    ] {
        let told = stage.run(&arguments);
        assert_eq!(told.code, 2, "{arguments:?}: {}", told.err);
        assert!(told.err.starts_with("error: ") && told.err.contains(part), "{arguments:?}: {}", told.err);
    }
    assert!(!stage.path("out").exists());
}

#[test]
fn a_folder_that_cannot_be_written_to_is_told_before_any_work() {
    let stage = Stage::new();
    stage.write("a.wav", "");
    stage.write("file", "");
    for (out, part) in [("file", "cannot make the folder file"), ("file/below", "file/below"), ("/proc/turnwise", "/proc/turnwise")] {
        let told = stage.run(&["extract", "a.wav", "--out", out]);
        assert_eq!((told.code, told.err.lines().count()), (1, 1), "{}", told.err);
        assert!(told.err.contains(part), "{}", told.err);
    }
}

#[test]
fn models_that_are_missing_or_altered_are_told_before_anything_is_decoded() {
    let stage = Stage::new();
    stage.write("a.wav", "no sound: if it were opened, the message would be another");
    std::fs::create_dir(stage.path("none")).unwrap();
    let told = stage.run(&["extract", "a.wav", "--out", "out", "--models", "none"]);
    assert_eq!((told.code, told.err.lines().count()), (1, 1), "{}", told.err);
    for part in ["is missing", "none/", "sha256", "make models", "--models"] {
        assert!(told.err.contains(part), "{part}: {}", told.err);
    }
    assert_eq!(stage.run(&["models", "--models", "none"]).code, 1);
    assert_eq!(stage.run(&["doctor", "--models", "none"]).code, 1);

    // The same folder but for one file.
    std::fs::create_dir(stage.path("altered")).unwrap();
    for entry in std::fs::read_dir(models()).unwrap() {
        let path = entry.unwrap().path().canonicalize().unwrap();
        std::os::unix::fs::symlink(&path, stage.path("altered").join(path.file_name().unwrap())).unwrap();
    }
    let victim = std::fs::read_dir(stage.path("altered")).unwrap().map(|e| e.unwrap().path());
    let victim = victim.filter(|p| p.to_string_lossy().contains("swift_f0") && p.extension().is_some_and(|e| e == "onnx")).min().unwrap();
    std::fs::remove_file(&victim).unwrap();
    std::fs::write(&victim, "not the weights").unwrap();
    let told = stage.run(&["extract", "a.wav", "--out", "out", "--models", "altered"]);
    assert_eq!((told.code, told.err.lines().count()), (1, 1), "{}", told.err);
    // sha256 of the text above, as `sha256sum` tells it.
    let got = Command::new("sha256sum").arg(&victim).output().unwrap();
    let got = String::from_utf8(got.stdout).unwrap().split(' ').next().unwrap().to_owned();
    assert!(told.err.contains("is altered") && told.err.contains(&got) && told.err.contains("expected "), "{}", told.err);
    assert!(stage.run(&["models", "--models", "altered"]).out.contains("ALTERED"));
    assert!(!stage.path("out").exists());
}

#[test]
fn a_worker_that_dies_costs_its_interview_only() {
    let stage = Stage::new();
    stage.clip("good.mp4");
    // Long enough to be still at work.
    let long = sample("ted_talk.mp4");
    stage.write("corpus.csv", &format!("interview_id,media\nhangs,\"{}\"\ngood,good.mp4\n", long.display()));
    let run = stage.command(&["extract", "corpus.csv", "--out", "out", "--jobs", "1"]).stderr(Stdio::piped()).spawn().unwrap();
    let worker = wait_for("a worker", || children(run.id()).first().copied());
    assert!(Command::new("kill").args(["-9", &worker.to_string()]).status().unwrap().success());
    let ended = run.wait_with_output().unwrap();
    let err = String::from_utf8(ended.stderr).unwrap();
    assert_eq!(ended.status.code(), Some(1), "{err}");
    assert!(err.contains("hangs: failed: the worker for interview hangs ended: signal: 9"), "{err}");
    assert!(err.contains("good: done"), "{err}");
    let all = table(&stage, "out/interviews.parquet");
    assert_eq!(all.text("error_kind", row(&all, "hangs")), Some("worker"));
    assert_eq!(all.text("status", row(&all, "good")), Some("done"));
}

#[test]
fn a_decoder_that_hangs_is_given_up() {
    let stage = Stage::new();
    stage.clip("hangs.mp4");
    let mut run = stage.command(&["extract", "hangs.mp4", "--out", "out", "--stall-secs", "2"]);
    let run = run.stderr(Stdio::piped()).spawn().unwrap();
    // A process that is stopped is as silent as one that waits for ever.
    let worker = wait_for("a worker", || children(run.id()).first().copied());
    assert!(Command::new("kill").args(["-STOP", &worker.to_string()]).status().unwrap().success());
    let ended = run.wait_with_output().unwrap();
    let err = String::from_utf8(ended.stderr).unwrap();
    let told = "hangs: failed: the worker for interview hangs was ended after 2 s without progress; --stall-secs gives it more time";
    assert!(ended.status.code() == Some(1) && err.contains(told), "{err}");
    assert!(!is_alive(worker));
}

#[test]
fn workers_end_with_the_one_who_started_them() {
    let stage = Stage::new();
    let long = sample("ted_talk.mp4");
    for signal in ["-INT", "-KILL"] {
        let mut run = stage.command(&["extract", long.to_str().unwrap(), "--out", "out", "--set", "face.rate_hz=0"]);
        let mut run = run.stderr(Stdio::piped()).spawn().unwrap();
        let worker = wait_for("a worker", || children(run.id()).first().copied());
        assert!(Command::new("kill").args([signal, &run.id().to_string()]).status().unwrap().success());
        assert!(!run.wait().unwrap().success());
        wait_for("the worker's end", || (!is_alive(worker)).then_some(()));
    }
}

#[test]
fn nobody_reading_the_messages_does_not_stop_the_work() {
    let stage = Stage::new();
    stage.cut("a.wav", "30", "1", &["-vn", "-c:a", "pcm_s16le"]);
    let mut run = stage.command(&["extract", "a.wav", "--out", "out"]).stderr(Stdio::piped()).spawn().unwrap();
    drop(run.stderr.take());
    assert!(run.wait().unwrap().success());
    assert!(stage.path("out/interviews.parquet").is_file());
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

#[test]
fn a_number_of_speakers_is_kept_to() {
    let stage = Stage::new();
    let media = sample("conversation.wav");
    let told = stage.run(&["diarize", media.to_str().unwrap(), "--rttm", "two.rttm", "--speakers", "2"]);
    assert_eq!(told.code, 0, "{}", told.err);
    let text = std::fs::read_to_string(stage.path("two.rttm")).unwrap();
    let mut names: Vec<&str> = text.lines().map(|l| l.split(' ').nth(7).unwrap()).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), 2);
    let scored = stage.run(&["score", sample("conversation.rttm").to_str().unwrap(), "two.rttm"]);
    assert!(scored.code == 0 && scored.out.contains("DER %"), "{}", scored.out);

    // A UEM cuts what is written; one without the recording is refused.
    stage.write("own.uem", "conversation 1 10 15\nconversation 1 18 20\nother 1 0 1\n");
    stage.write("others.uem", "a 1 0 1\nb 1 0 1\n");
    let diarize = |uem: &str| stage.run(&["diarize", media.to_str().unwrap(), "--rttm", "cut.rttm", "--speakers", "2", "--uem", uem]);
    assert_eq!(diarize("own.uem").code, 0);
    let spans = |rttm: &str| -> Vec<(f64, f64)> {
        let text = std::fs::read_to_string(stage.path(rttm)).unwrap();
        let fields = text.lines().map(|l| l.split(' ').skip(3).take(2).map(|f| f.parse::<f64>().unwrap()).collect::<Vec<_>>());
        fields.map(|f| (f[0], f[0] + f[1])).collect()
    };
    let inside = |(from, to): (f64, f64)| {
        let both = |(a, b): (f64, f64)| (b.min(to) - a.max(from)).max(0.0);
        both((10.0, 15.0)) + both((18.0, 20.0))
    };
    let (cut, whole) = (spans("cut.rttm"), spans("two.rttm"));
    let kept: f64 = cut.iter().map(|(a, b)| b - a).sum();
    assert!(kept > 4.0 && (kept - whole.iter().copied().map(inside).sum::<f64>()).abs() < 0.01, "{kept}");
    assert!((kept - cut.iter().copied().map(inside).sum::<f64>()).abs() < 0.01);
    stage.write("past.uem", "conversation 1 500 600\n");
    let told = diarize("past.uem");
    assert!(told.code == 0 && told.err.contains("inside the stretches") && spans("cut.rttm").is_empty(), "{}", told.err);
    let told = diarize("others.uem");
    assert!(told.code != 0 && told.err.contains("others.uem says nothing of conversation"), "{}", told.err);
}

/// The speakers an RTTM names, sorted.
fn speakers_of(stage: &Stage, rttm: &str) -> Vec<String> {
    let text = std::fs::read_to_string(stage.path(rttm)).unwrap();
    let mut names: Vec<String> = text.lines().map(|l| l.split(' ').nth(7).unwrap().to_owned()).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// A part of the sample conversation as a file of its own.
fn part_of_conversation(stage: &Stage, name: &str, from: &str, secs: &str) {
    let path = stage.path(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let mut ffmpeg = Command::new("ffmpeg");
    ffmpeg.args(["-v", "error", "-y", "-ss", from, "-t", secs, "-i"]).arg(sample("conversation.wav")).arg(path);
    assert!(ffmpeg.stdin(Stdio::null()).status().expect("ffmpeg is needed: make apt").success());
}

#[test]
fn each_interview_of_a_manifest_has_its_own_number_of_speakers() {
    let stage = Stage::new();
    std::fs::copy(sample("conversation.wav"), stage.path("c.wav")).unwrap();
    let rows = "three,c.wav,3,,\none,c.wav,,,1\nmany,c.wav,,4,\nasked,c.wav,,,\n";
    stage.write("corpus.csv", &format!("interview_id,media,speakers,min_speakers,max_speakers\n{rows}"));
    let told = stage.run(&["extract", "corpus.csv", "--out", "out", "--speakers", "2", "--set", "input.skip_video=true"]);
    assert_eq!(told.code, 0, "{}", told.err);
    let all = table(&stage, "out/interviews.parquet");
    let count = |id: &str| all.number("speakers", row(&all, id)).unwrap() as usize;
    assert_eq!((count("three"), count("one"), count("asked")), (3, 1, 2));
    assert!(count("many") >= 4);
    for id in ["three", "one", "many", "asked"] {
        assert_eq!(speakers_of(&stage, &format!("out/rttm/{id}.rttm")).len(), count(id));
    }

    // More than can be: as many as there are stretches of speech to give away, and a word about it.
    let told = stage.run(&["diarize", "c.wav", "--rttm", "x.rttm", "--speakers", "400"]);
    assert_eq!(told.code, 0, "{}", told.err);
    told.line("of at least 400 speakers found");
    assert!(speakers_of(&stage, "x.rttm").len() > 4);
}

#[test]
fn only_what_the_uem_names_is_scored() {
    let stage = Stage::new();
    stage.write("a.rttm", "SPEAKER a 1 0 4 <NA> <NA> X <NA> <NA>\nSPEAKER a 1 4 4 <NA> <NA> Y <NA> <NA>\n");
    stage.write("b.rttm", "SPEAKER a 1 0 5 <NA> <NA> P <NA> <NA>\nSPEAKER a 1 5 2 <NA> <NA> Q <NA> <NA>\n");
    stage.write("first.uem", "a 1 0 4.5\n");
    stage.write("other.uem", "b 1 0 4.5\nc 1 0 1\n");
    // 1 s confused and 1 s missed of 8; in the first 4.5 s, half a second confused.
    assert!(stage.run(&["score", "a.rttm", "b.rttm"]).out.contains(" 25.000 "));
    let told = stage.run(&["score", "a.rttm", "b.rttm", "--uem", "first.uem"]);
    assert!(told.code == 0 && told.out.contains(" 11.111 ") && told.out.contains("4.500"), "{}", told.out);
    let told = stage.run(&["score", "a.rttm", "b.rttm", "--uem", "other.uem"]);
    assert_eq!(told.code, 0);
    told.line("a is not in the UEM file");
    stage.write("b.rttm", "SPEAKER a 1 0 5 <NA> <NA> Ann Lee <NA> <NA>\n");
    let told = stage.run(&["score", "a.rttm", "b.rttm"]);
    assert_ne!(told.code, 0);
    assert!(told.line("names hold white space").contains("b.rttm:1"), "{}", told.err);
}

#[test]
fn enrolled_voices_have_their_names_in_every_interview() {
    let stage = Stage::new();
    std::fs::copy(sample("conversation.wav"), stage.path("c.wav")).unwrap();
    // Each says something alone; the names go by the voices in a recording that begins elsewhere, too.
    part_of_conversation(&stage, "voices/Mary.wav", "22", "5.5");
    part_of_conversation(&stage, "voices/Jane.wav", "10.6", "3.5");
    part_of_conversation(&stage, "later.wav", "10", "16");
    for media in ["c.wav", "later.wav"] {
        let told = stage.run(&["diarize", media, "--rttm", "x.rttm", "--enrol", "voices"]);
        assert_eq!(told.code, 0, "{}", told.err);
        assert_eq!(speakers_of(&stage, "x.rttm"), ["Jane", "Mary"]);
    }
    let first = std::fs::read_to_string(stage.path("x.rttm")).unwrap();

    // The embedding of a person is written only when asked for; then it enrols as well as a recording.
    let extract = |more: &[&str]| {
        let told =
            stage.run(&[&["extract", "c.wav", "--out", "out", "--enrol", "voices", "--set", "input.skip_video=true"], more].concat());
        assert_eq!(told.code, 0, "{}", told.err);
        table(&stage, "out/speakers/c.parquet")
    };
    assert!(extract(&[]).column("embedding").is_none());
    assert!(extract(&["--set", "turns.speaker_embeddings=true"]).column("embedding").is_some());
    let told = stage.run(&["diarize", "later.wav", "--rttm", "y.rttm", "--enrol", "out/speakers/c.parquet"]);
    assert_eq!(told.code, 0, "{}", told.err);
    assert_eq!(std::fs::read_to_string(stage.path("y.rttm")).unwrap(), first);

    std::fs::rename(stage.path("voices/Mary.wav"), stage.path("voices/Mary Ann.wav")).unwrap();
    let told = stage.run(&["diarize", "c.wav", "--rttm", "z.rttm", "--enrol", "voices"]);
    assert_ne!(told.code, 0);
    assert!(told.err.contains("\"Mary Ann\"") && !stage.path("z.rttm").exists(), "{}", told.err);
}

#[test]
fn silence_noise_and_moments_of_speech_have_a_result() {
    let stage = Stage::new();
    let made = |name: &str, source: &str| {
        let mut ffmpeg = Command::new("ffmpeg");
        ffmpeg.args(["-v", "error", "-y", "-f", "lavfi", "-i", source, "-ar", "16000"]).arg(stage.path(name));
        assert!(ffmpeg.stdin(Stdio::null()).status().expect("ffmpeg is needed: make apt").success());
    };
    made("silence.wav", "anullsrc=r=16000:cl=mono:d=4");
    made("noise.wav", "anoisesrc=d=6:a=0.3:seed=1");
    made(
        "music.wav",
        "aevalsrc='0.2*sin(2*PI*t*220*pow(2,mod(floor(t*2)*5,12)/12))+0.1*sin(2*PI*t*330*pow(2,mod(floor(t*2)*5,12)/12))':d=6",
    );
    part_of_conversation(&stage, "blink.wav", "22.2", "0.05");
    part_of_conversation(&stage, "word.wav", "22.2", "0.7");
    part_of_conversation(&stage, "one.wav", "22", "5");
    for (name, reason, voices) in [
        ("silence", Some("silent"), 0),
        ("noise", Some("no_speech"), 0),
        ("music", Some("no_speech"), 0),
        ("blink", Some("no_speech"), 0),
        ("word", None, 1),
        ("one", None, 1),
    ] {
        let media = format!("{name}.wav");
        let told = stage.run(&["diarize", &media, "--rttm", "x.rttm"]);
        assert_eq!(told.code, 0, "{name}: {}", told.err);
        assert_eq!(speakers_of(&stage, "x.rttm").len(), voices, "{name}");
        if let Some(reason) = reason {
            assert!(told.line("nobody speaks").contains(reason), "{name}: {}", told.err);
        }
        let told = stage.run(&["extract", &media, "--out", name]);
        assert_eq!(told.code, 0, "{name}: {}", told.err);
        let interview = table(&stage, &format!("{name}/interviews.parquet"));
        assert_eq!(interview.text("speech_missing", 0), reason, "{name}");
        assert_eq!(interview.number("speakers", 0), Some(voices as f64), "{name}");
        if voices == 0 {
            // The RTTM of nobody is an answer too.
            let adopted = format!("{name}_adopted");
            let told = stage.run(&["extract", &media, "--out", &adopted, "--rttm", "x.rttm"]);
            assert_eq!(told.code, 0, "{name}: {}", told.err);
            let interview = table(&stage, &format!("{adopted}/interviews.parquet"));
            let warnings = interview.texts("warnings", 0).unwrap();
            assert!(warnings.iter().any(|w| w.starts_with("rttm_empty")), "{name}: {warnings:?}");
        }
    }
}

#[test]
fn turns_whose_voice_is_another_than_their_labels_are_listed() {
    let stage = Stage::new();
    std::fs::copy(sample("conversation.wav"), stage.path("c.wav")).unwrap();
    let times = [("10,400", "14,200"), ("14,300", "17,800"), ("18,400", "21,500"), ("21,800", "27,700"), ("28,000", "29,900")];
    let cues = |labels: [&str; 5]| -> String {
        let cue = |(i, ((a, b), who)): (usize, (&(&str, &str), &str))| format!("{}\n00:00:{a} --> 00:00:{b}\n{who}well\n\n", i + 1);
        times.iter().zip(labels).enumerate().map(cue).collect()
    };
    // The last turn is the first one's voice.
    stage.write("wrong.srt", &cues(["JANE: ", "MARY: ", "JANE: ", "MARY: ", "MARY: "]));
    stage.write("nobody.srt", &cues([""; 5]));
    let extract = |transcript: &str, out: &str| {
        let told = stage.run(&["extract", "c.wav", "--transcript", transcript, "--out", out, "--set", "input.skip_video=true"]);
        assert_eq!(told.code, 0, "{}", told.err);
        table(&stage, &format!("{out}/turns/c.parquet"))
    };
    let turns = extract("wrong.srt", "out");
    let voices: Vec<_> = (0..5).map(|r| turns.text("diarized_speaker", r).unwrap().to_owned()).collect();
    assert!(voices[0] == voices[2] && voices[0] == voices[4] && voices[1] == voices[3] && voices[0] != voices[1], "{voices:?}");
    let against: Vec<_> = (0..5).map(|r| turns.text("matched_speaker", r).unwrap() != voices[r]).collect();
    assert_eq!(against, [false, false, false, false, true]);
    let purity: Vec<f64> = (0..5).map(|r| turns.number("speaker_purity", r).unwrap()).collect();
    assert!(purity[..4].iter().all(|p| *p > 0.8) && purity[4] < 0.5, "{purity:?}");
    let shown = stage.run(&["inspect", "out"]);
    assert!(shown.out.contains("another voice than the label's talks most in 1 of 5 turns: 5"), "{}", shown.out);

    // Where the transcript names nobody, the voices do; two at once are told.
    let turns = extract("nobody.srt", "unnamed");
    for (r, voice) in voices.iter().enumerate() {
        assert_eq!(turns.text("speaker", r), Some(voice.as_str()));
        assert!(turns.number("overlap_share", r).is_some());
    }
}

#[test]
fn the_machine_the_recipe_and_the_schema_are_told() {
    let stage = Stage::new();
    let doctor = stage.run(&["doctor"]);
    assert_eq!(doctor.code, 0, "{}", doctor.out);
    assert!(["FFmpeg", "ONNX Runtime", "models", "all well"].iter().all(|p| doctor.out.contains(p)), "{}", doctor.out);
    let models = stage.run(&["models"]);
    assert!(models.code == 0 && models.out.contains("licence") && models.out.contains("present"), "{}", models.out);
    let recipe = stage.run(&["recipe", "--set", "face.rate_hz=3"]);
    assert!(recipe.code == 0 && recipe.out.contains("rate_hz = 3.0"), "{}", recipe.out);
    // What it prints is a recipe.
    stage.write("r.toml", &recipe.out);
    assert_eq!(stage.run(&["recipe", "--recipe", "r.toml"]).out, recipe.out);
    assert!(stage.run(&["schema"]).out.contains("turn_index"));
    for shell in ["bash", "zsh", "fish"] {
        let told = stage.run(&["completions", shell]);
        assert!(told.code == 0 && told.out.contains("stall-secs"), "{shell}");
    }
    let version = stage.run(&["--version"]);
    assert_eq!(version.out.trim(), concat!("turnwise ", env!("CARGO_PKG_VERSION")));
    let help = stage.run(&["extract", "--help"]);
    assert!(help.code == 0 && help.out.contains("--transcript") && help.out.contains("--stall-secs"));
    let nothing = stage.run(&["inspect", "gone"]);
    assert!(nothing.code != 0 && nothing.err.starts_with("error: ") && nothing.err.contains("gone"), "{}", nothing.err);
}

/// Every odd file that was collected ends in tables or in one clear line.
#[test]
#[cfg_attr(not(feature = "shared-tests"), ignore = "needs the reference clips: make test-shared")]
fn odd_files_end_in_tables_or_in_one_line() {
    let shared = std::env::var_os("TURNWISE_SHARED").map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared"), Into::into);
    let folder = shared.join("media/odd");
    assert!(folder.is_dir(), "{} does not hold the odd files; name the folder of reference clips in TURNWISE_SHARED", folder.display());
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

const OWN_DETECTOR: &str = r#"
inputs = [{ name = "images", dtype = "f32", shape = [1, 3, 64, 96] }]
outputs = [{ name = "boxes", dtype = "f32", shape = [1, 2, 4] }, { name = "scores", dtype = "f32", shape = [1, 2] }]
picture = { colour = "rgb", std = [255, 255, 255] }
answer = "boxes"
"#;

const OWN_EXPRESSION: &str = r#"
inputs = [{ name = "face", dtype = "f32", shape = ["batch", 3, 8, 8] }]
outputs = [{ name = "logits", dtype = "f32", shape = ["batch", 3] }]
picture = { colour = "bgr", mean = [128, 128, 128], std = [64, 64, 64] }
answer = "logits"
labels = ["happy", "sad", "contempt"]
"#;

#[test]
fn a_users_own_detector_and_expression_model_are_a_matter_of_the_registry() {
    let stage = Stage::new();
    stage.clip("clip.mp4");
    let own = [("mine", "tiny_detector.onnx", OWN_DETECTOR), ("feelings", "tiny_expression.onnx", OWN_EXPRESSION)];
    let models = stage.own_models(&own);
    let models = models.to_str().unwrap();
    let faces = |out: &str, sets: &[&str]| {
        let mut arguments = vec!["faces", "clip.mp4", "--out", out, "--models", models];
        arguments.extend(sets.iter().flat_map(|s| ["--set", s]));
        stage.run(&arguments)
    };

    // 640x360 is seen at 0.15 of its size: the box from (12, 8) to (36, 40) is (80, 53.3) to (240, 266.7).
    let told = faces("a", &["face.detector=mine", "face.min_track_observations=1"]);
    assert_eq!(told.code, 0, "{}", told.err);
    let found = table(&stage, "a/faces.parquet");
    let at = |name: &str| found.number(name, 0).unwrap();
    assert!(at("score") > 0.5 && at("score") <= 0.9, "0.9 of the brightest value: {}", at("score"));
    assert!((at("box_left_px") - 80.0).abs() < 1.0 && (at("box_width_px") - 160.0).abs() < 1.0, "{}", at("box_left_px"));

    let told = faces("b", &["face.expression=feelings"]);
    assert_eq!(told.code, 0, "{}", told.err);
    let found = table(&stage, "b/faces.parquet");
    let row = (0..found.rows()).find(|&r| found.number("expression_happy", r).is_some()).expect("an expression was looked at");
    let (happy, sad) = (found.number("expression_happy", row).unwrap(), found.number("expression_sad", row).unwrap());
    assert!(happy > 0.0 && sad > 0.0 && happy + sad < 1.0, "{happy} {sad}: the rest is contempt, for which there is no column");
    assert_eq!(found.number("expression_neutral", row), None, "the model does not know neutral");

    let told = faces("c", &["face.detector=feelings"]);
    assert_eq!(told.code, 1);
    told.line("answer = \"retinaface\" or \"boxes\"");
    let told = faces("d", &["face.expression=nobody"]);
    assert!(told.code != 0 && told.err.contains("nobody") && told.err.contains("feelings"), "{}", told.err);
}

#[test]
fn a_model_that_fails_costs_its_interview_and_is_never_a_missing_face() {
    let stage = Stage::new();
    stage.clip("seen.mp4");
    stage.cut("heard.wav", "20", "3", &["-vn", "-c:a", "pcm_s16le"]);
    stage.write("corpus.csv", "interview_id,media\nseen,seen.mp4\nheard,heard.wav\n");
    let contract = r#"
inputs = [{ name = "image", dtype = "f32", shape = ["batch", 3, 256, 256] }]
outputs = [{ name = "landmarks", dtype = "f32", shape = ["batch", 1434] }, { name = "presence", dtype = "f32", shape = ["batch", 1] }]
"#;
    let models = stage.own_models(&[("face_landmarks", "broken_landmarks.onnx", contract)]);
    let told = stage.run(&["extract", "corpus.csv", "--out", "out", "--models", models.to_str().unwrap()]);
    assert_eq!(told.code, 1, "{}", told.err);
    told.line("1 done, 0 already done, 1 failed");
    let interviews = table(&stage, "out/interviews.parquet");
    let (seen, heard) = (row(&interviews, "seen"), row(&interviews, "heard"));
    assert_eq!(interviews.text("status", heard), Some("done"));
    assert_eq!((interviews.text("status", seen), interviews.text("error_kind", seen)), (Some("failed"), Some("model")));
    assert!(interviews.text("error", seen).is_some_and(|e| e.contains("face_landmarks")), "{:?}", interviews.text("error", seen));
    assert!(!stage.path("out/faces/seen.parquet").exists());
}
