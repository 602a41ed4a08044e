//! What is read: the files that were named, if they are files, and nothing in them that steers a terminal.

#![cfg(unix)]

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::stage::{Stage, Told, fifo};
use turnwise::store::read::read;

/// Runs with a limit: what hangs on a pipe is a failure, not a wait.
fn run(stage: &Stage, arguments: &[&str]) -> Told {
    let mut child: Child =
        stage.command(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let begun = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if begun.elapsed() > Duration::from_secs(60) {
            child.kill().unwrap();
            panic!("{arguments:?} hangs");
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    let ended = child.wait_with_output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Told { code: ended.status.code().unwrap_or(-1), out: text(&ended.stdout), err: text(&ended.stderr) }
}

#[test]
fn a_playlist_is_refused_by_every_command_that_takes_media() {
    let stage = Stage::new();
    let made = Command::new("ffmpeg")
        .args([
            "-v",
            "error",
            "-f",
            "lavfi",
            "-i",
            "sine=duration=2",
            "-f",
            "lavfi",
            "-i",
            "testsrc2=size=64x48:rate=5:duration=2",
            "-c:a",
            "aac",
        ])
        .arg(stage.path("secret.ts"))
        .status();
    assert!(made.unwrap().success());
    stage.write(
        "list.m3u8",
        "#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXT-X-VERSION:3\n#EXTINF:2.0,\nsecret.ts\n#EXT-X-ENDLIST\n",
    );
    stage.write("list.mp4", "ffconcat version 1.0\nfile secret.ts\n");
    stage.write("known/Ken.wav", "ffconcat version 1.0\nfile ../secret.ts\n");
    stage.cut("good.wav", "25", "2", &["-vn", "-c:a", "pcm_s16le"]);
    stage.write("corpus.csv", "interview_id,media,audio\nlist,list.m3u8,\nsound,good.wav,list.mp4\n");
    for (arguments, named) in [
        (vec!["extract", "list.m3u8", "--out", "out"], "a playlist (hls"),
        (vec!["extract", "good.wav", "--audio", "list.mp4", "--out", "out"], "a list of files (concat)"),
        (vec!["extract", "good.wav", "--enrol", "known", "--out", "out"], "a list of files (concat)"),
        (vec!["extract", "corpus.csv", "--out", "out"], "a playlist (hls"),
        (vec!["faces", "list.mp4", "--out", "out/f"], "a list of files (concat)"),
        (vec!["voice", "list.m3u8", "--out", "out/v"], "a playlist (hls"),
        (vec!["diarize", "list.m3u8", "--rttm", "out/d.rttm"], "a playlist (hls"),
        (vec!["diarize", "good.wav", "--enrol", "known", "--rttm", "out/d.rttm"], "a list of files (concat)"),
    ] {
        let told = run(&stage, &arguments);
        assert_eq!(told.code, 1, "{arguments:?}: {}", told.err);
        assert!(
            told.err.contains(named) && told.err.contains("only files that are named are read"),
            "{arguments:?}: {}",
            told.err
        );
    }
    assert!(!stage.path("out/turns").exists() && !stage.path("out/d.rttm").exists());
}

#[test]
fn what_is_no_file_is_refused_before_it_is_opened() {
    let stage = Stage::new();
    stage.cut("good.wav", "25", "2", &["-vn", "-c:a", "pcm_s16le"]);
    stage.write("good.rttm", "SPEAKER good 1 0 1 <NA> <NA> X <NA> <NA>\n");
    std::fs::create_dir(stage.path("folder")).unwrap();
    std::fs::create_dir(stage.path("known")).unwrap();
    std::fs::create_dir(stage.path("faces")).unwrap();
    for pipe in ["pipe", "pipe.csv", "pipe.parquet", "known/Ken.wav", "faces/Ken.png"] {
        fifo(&stage.path(pipe));
    }
    let _listening = std::os::unix::net::UnixListener::bind(stage.path("socket")).unwrap();
    for (what, kind) in
        [("pipe", "a named pipe"), ("socket", "a socket"), ("/dev/zero", "a device"), ("folder", "a folder")]
    {
        for arguments in [
            vec!["extract", what, "--out", "out"],
            vec!["extract", "good.wav", "--transcript", what, "--out", "out"],
            vec!["extract", "good.wav", "--audio", what, "--out", "out"],
            vec!["extract", "good.wav", "--rttm", what, "--out", "out"],
            vec!["extract", "good.wav", "--recipe", what, "--out", "out"],
            vec!["faces", what, "--out", "out"],
            vec!["voice", what, "--out", "out"],
            vec!["voice", "good.wav", "--segments", what, "--out", "out"],
            vec!["diarize", what, "--rttm", "out.rttm"],
            vec!["diarize", "good.wav", "--uem", what, "--rttm", "out.rttm"],
            vec!["score", what, "good.rttm"],
            vec!["score", "good.rttm", "good.rttm", "--uem", what],
        ] {
            let told = run(&stage, &arguments);
            assert!(told.code == 1 || told.code == 2, "{arguments:?}: {}", told.err);
            assert!(told.err.contains(kind) && told.err.contains(what), "{arguments:?}: {}", told.err);
        }
    }
    for arguments in [
        vec!["extract", "pipe.csv", "--out", "out"],
        vec!["extract", "good.wav", "--enrol", "pipe.parquet", "--out", "out"],
        vec!["extract", "good.wav", "--enrol", "known", "--out", "out"],
        vec!["diarize", "good.wav", "--enrol", "known", "--rttm", "out.rttm"],
        vec!["extract", "good.wav", "--set", "face.enrolment=faces", "--out", "out"],
        vec!["inspect", "pipe.parquet"],
        vec!["check", "pipe"],
        vec!["tasks", "folder", "--tasks", "pipe"],
    ] {
        let told = run(&stage, &arguments);
        assert!((told.code == 1 || told.code == 2) && told.err.contains("a named pipe"), "{arguments:?}: {}", told.err);
    }
    // Among others it costs its own interview alone.
    stage.write(
        "corpus.csv",
        "interview_id,media,transcript,audio,rttm\na,pipe,,,\nb,good.wav,pipe,,\nc,good.wav,,pipe,\nd,good.wav,,,pipe\ne,good.wav,,,\n",
    );
    let told = run(&stage, &["extract", "corpus.csv", "--out", "all", "--jobs", "1"]);
    told.line("1 done, 0 already done, 4 failed");
}

#[test]
fn nothing_steers_a_terminal_or_hides_in_a_table() {
    let stage = Stage::new();
    stage.cut("in/talk \u{1b}[31m.wav", "25", "3", &["-vn", "-c:a", "pcm_s16le", "-metadata", "title=\u{1b}[2J"]);
    let cues = "1\n00:00:00,000 --> 00:00:01,000\nAN\u{1b}[31mNA: and\u{7} so\n\n2\n00:00:01,000 --> 00:00:02,000\nBEN: \u{202e}we began\n\n\
                3\n00:00:02,000 --> 00:00:02,500\nBEN: plain\n";
    stage.write("in/cues.srt", cues);
    stage.write("in/names.rttm", "SPEAKER x 1 0 2 <NA> <NA> \u{1b}[31mred <NA> <NA>\n");
    let csv = "interview_id,media,transcript,rttm,group\na,talk \u{1b}[31m.wav,cues.srt,names.rttm,cou\u{9b}ple\nb,gone \u{1b}[31m.wav,,,\n";
    stage.write("in/corpus.csv", csv);
    let told = run(&stage, &["extract", "in/corpus.csv", "--out", "out", "-v"]);
    assert_eq!(told.code, 1, "{}", told.err);
    let shown = run(&stage, &["inspect", "out"]);
    let table = run(&stage, &["inspect", "out/turns/a.parquet", "--all"]);
    let missing = run(&stage, &["diarize", "gone \u{1b}[31m.wav", "--rttm", "x.rttm"]);
    for text in [&told.err, &shown.out, &table.out, &missing.err] {
        assert!(!text.contains(|c: char| turnwise::text::steers(c) && c != '\n'), "{text:?}");
    }
    assert!(missing.err.contains("gone \u{fffd}[31m.wav"), "{}", missing.err);
    for (name, bytes) in stage.files("out") {
        let plain = !name.ends_with(".parquet");
        let text = if plain { String::from_utf8(bytes).unwrap() } else { raw_texts(&stage, &name) };
        assert!(!text.contains(|c: char| turnwise::text::steers(c) && c != '\n'), "{name}: {text:?}");
    }
    let turns = read(&stage.path("out/turns/a.parquet")).unwrap();
    assert!(turns.text("text", 0).unwrap().contains("and\u{fffd} so"), "{:?}", turns.text("text", 0));
    assert_eq!(turns.text("text", 1), Some("\u{fffd}we began"));
    let all = read(&stage.path("out/interviews.parquet")).unwrap();
    let warnings = all.texts("warnings", 0).unwrap();
    for expected in ["2 turns of the transcript", "1 lines of the RTTM file", "2 texts of the manifest"] {
        assert!(
            warnings.iter().any(|w| w.starts_with("control_characters: ") && w.contains(expected)),
            "{expected}: {warnings:?}"
        );
    }
    assert_eq!((all.text("media", 0), all.text("group", 0)), (Some("talk \u{fffd}[31m.wav"), Some("cou\u{fffd}ple")));
    let id = run(&stage, &["extract", "in/cues.srt", "--id", "a\u{1b}b", "--out", "out"]);
    assert!(id.code == 2 && id.err.contains("control character"), "{}", id.err);
}

/// The texts of a table one after the other.
fn raw_texts(stage: &Stage, name: &str) -> String {
    let table = read(&stage.path("out").join(name)).unwrap();
    let mut all = String::new();
    for column in &table.schema().columns {
        for row in 0..table.rows() {
            all += table.text(&column.name, row).unwrap_or_default();
            all += &table.texts(&column.name, row).map(|t| t.join(" ")).unwrap_or_default();
        }
    }
    all
}
