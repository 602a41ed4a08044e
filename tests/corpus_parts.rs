//! Stories about a corpus that is done in parts: how it stands, shards beside each other, trials, failures tried again,
//! and what is kept of runs.

use std::process::Stdio;

use crate::stage::Stage;
use serde_json::Value;

const CUES: &str = "1\n00:00:00,000 --> 00:00:01,500\nANNA: and so we began\n\n2\n00:00:02,000 --> 00:00:02,750\nBEN: to look at it again\n";

const EXTRACT: [&str; 6] = ["extract", "corpus.csv", "--out", "out", "--jobs", "1"];

/// A corpus of transcripts alone, each with a file of its own.
fn corpus(stage: &Stage, ids: &[&str]) {
    for id in ids {
        stage.write(&format!("{id}.srt"), CUES);
    }
    manifest(stage, ids);
}

fn manifest(stage: &Stage, ids: &[&str]) {
    let rows: String = ids.iter().map(|id| format!("{id},,{id}.srt\n")).collect();
    stage.write("corpus.csv", &format!("interview_id,media,transcript\n{rows}"));
}

fn extract(stage: &Stage, more: &[&str]) -> crate::stage::Told {
    stage.run(&[&EXTRACT[..], more].concat())
}

fn status(stage: &Stage, more: &[&str]) -> Value {
    let told = stage.run(&[&["status", "out", "corpus.csv", "--json"][..], more].concat());
    assert_eq!(told.code, 0, "{}", told.err);
    serde_json::from_str(&told.out).unwrap()
}

/// The numbers of done, failed, stale, missing and removed interviews.
fn numbers(status: &Value) -> [u64; 5] {
    ["done", "failed", "stale", "missing", "removed"].map(|name| status[name].as_u64().unwrap())
}

/// State and reason of an interview that is not done.
fn of(status: &Value, id: &str) -> String {
    let all = status["unfinished"].as_array().unwrap();
    let found = all.iter().find(|u| u["interview_id"] == id).unwrap_or_else(|| panic!("{id} in {status:#}"));
    format!("{} {}", found["state"].as_str().unwrap(), found["why"].as_str().unwrap_or_default())
}

#[test]
fn status_tells_what_is_done_and_why_the_rest_is_not() {
    let stage = Stage::new();
    corpus(&stage, &["a", "b", "c", "d", "e"]);
    std::fs::remove_file(stage.path("d.srt")).unwrap();
    assert_eq!(extract(&stage, &["--set", "turns.nod_deg=5"]).code, 1, "d has no transcript");
    // The recipe that counts is the last run's, until another is named.
    assert_eq!(numbers(&status(&stage, &[])), [4, 1, 0, 0, 0]);
    let other = status(&stage, &["--set", "turns.nod_deg=6"]);
    assert_eq!((numbers(&other), of(&other, "a")), ([0, 1, 4, 0, 0], "stale recipe".into()));

    let before = stage.files("out");
    stage.write("b.srt", &CUES.replace("began", "ended"));
    std::fs::remove_file(stage.path("out/turns/c.parquet")).unwrap();
    stage.write("f.srt", CUES);
    manifest(&stage, &["a", "b", "c", "d", "f"]);
    let now = status(&stage, &[]);
    assert_eq!(numbers(&now), [1, 1, 2, 1, 1], "{now:#}");
    let told = ["b", "c", "d", "f"].map(|id| of(&now, id));
    assert_eq!(told, ["stale input", "stale output", "failed read", "missing "]);
    assert_eq!((now["failed_kinds"]["read"].as_u64(), now["removed_ids"][0].as_str()), (Some(1), Some("e")));
    assert!(now["left"]["secs"].as_f64().unwrap() > 0.0 && now["jobs"] == 1);
    std::fs::remove_file(stage.path("a.srt")).unwrap();
    assert_eq!(of(&status(&stage, &[]), "a"), "stale input_gone");
    stage.write("a.srt", CUES);
    // Another time and the same words are the same.
    assert_eq!(numbers(&status(&stage, &[])), [1, 1, 2, 1, 1]);

    // For people, and without the manifest; nothing was written meanwhile.
    let page = stage.run(&["status", "out", "corpus.csv"]).out;
    let lines: Vec<String> = page.lines().map(|l| l.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    for line in ["input changed 1 b", "table gone or changed 1 c", "missing 1 f", "removed 1 e", "all 5"] {
        assert!(lines.iter().any(|l| l == line), "{line:?} in\n{page}");
    }
    assert!(lines.iter().any(|l| l.starts_with("read 1 d: cannot read")), "{page}");
    let page = stage.run(&["status", "out"]).out;
    assert!(page.contains("name the manifest") && !page.contains("missing    "), "{page}");
    let mut after = stage.files("out");
    after.insert("turns/c.parquet".into(), before["turns/c.parquet"].clone());
    assert!(before == after);
    for (arguments, told) in [
        (vec!["status", "nowhere"], "there is no folder nowhere"),
        (vec!["status", "out", "a.srt"], "a.srt is no manifest"),
        (vec!["status", "out", "--shard", "1/2"], "<MANIFEST>"),
    ] {
        let ended = stage.run(&arguments);
        assert!(ended.code == 2 && ended.err.contains(told), "{}", ended.err);
    }
}

#[test]
fn shards_beside_each_other_leave_what_one_run_leaves() {
    let stage = Stage::new();
    let ids: Vec<String> = (0..14).map(|n| format!("i{n}")).collect();
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    corpus(&stage, &ids);
    extract(&stage, &[]).line("14 done");
    let whole = stage.files("out");
    std::fs::remove_dir_all(stage.path("out")).unwrap();

    let mut running: Vec<_> = ["1/3", "2/3", "3/3"]
        .into_iter()
        .map(|shard| {
            let mut command = stage.command(&[&EXTRACT[..], &["--shard", shard]].concat());
            command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
        })
        .collect();
    assert!(running.iter_mut().all(|run| run.wait().unwrap().success()));
    let mut parts = stage.files("out");
    parts.retain(|name, _| !name.starts_with(".lock-") && name != ".joining");
    assert!(whole == parts, "{:?} and {:?}", whole.keys(), parts.keys());

    // Each knows its own, and says nothing of the others.
    let counts: Vec<u64> = ["1/3", "2/3", "3/3"]
        .into_iter()
        .map(|shard| {
            let now = status(&stage, &["--shard", shard]);
            assert_eq!(numbers(&now)[1..], [0, 0, 0, 0]);
            let ended = extract(&stage, &["--shard", shard]);
            ended.line(&format!("0 done, {} already done, 0 failed", now["done"]));
            assert!(!ended.err.contains("does not have"), "{}", ended.err);
            now["done"].as_u64().unwrap()
        })
        .collect();
    assert_eq!(counts.iter().sum::<u64>(), 14);
    manifest(&stage, &["i0"]);
    let ended: Vec<String> = ["1/3", "2/3", "3/3"].into_iter().map(|s| extract(&stage, &["--shard", s]).err).collect();
    assert_eq!(ended.iter().filter(|e| e.contains("no interview of shard")).count(), 2, "{ended:?}");
    let ended = extract(&stage, &["--shard", "4/3"]);
    assert!(ended.code == 2 && ended.err.contains("expected a part from 1/3 to 3/3"), "{}", ended.err);
    let ended = extract(&stage, &["--shard", "1/3", "--prune"]);
    assert!(ended.code == 2 && ended.err.contains("cannot be used with"), "{}", ended.err);
}

#[test]
fn only_what_failed_is_tried_again_when_that_is_asked_for() {
    let stage = Stage::new();
    corpus(&stage, &["a", "b"]);
    extract(&stage, &["--retry-failed"]).line("no interview failed in out");
    assert!(!stage.path("out").exists());
    stage.write("b.srt", "no cue\n");
    assert_eq!(extract(&stage, &[]).code, 1);
    // a is stale now, c missing, and both stay so.
    stage.write("a.srt", &CUES.replace("began", "ended"));
    stage.write("b.srt", CUES);
    stage.write("c.srt", CUES);
    manifest(&stage, &["a", "b", "c"]);
    extract(&stage, &["--retry-failed"]).line("1 done, 0 already done, 0 failed");
    let now = status(&stage, &[]);
    assert_eq!((of(&now, "a"), of(&now, "c")), ("stale input".into(), "missing ".into()));
    extract(&stage, &["--retry-failed"]).line("no interview failed in out");
    extract(&stage, &[]).line("2 done, 1 already done, 0 failed");
}

/// Silence, as WAV of 16 kHz.
fn silence(stage: &Stage, name: &str, secs: u32) {
    let bytes = secs * 16_000 * 2;
    let mut wav = b"RIFF".to_vec();
    wav.extend((bytes + 36).to_le_bytes());
    wav.extend(b"WAVEfmt \x10\0\0\0\x01\0\x01\0");
    wav.extend(16_000u32.to_le_bytes());
    wav.extend(32_000u32.to_le_bytes());
    wav.extend(b"\x02\0\x10\0data");
    wav.extend(bytes.to_le_bytes());
    wav.resize(wav.len() + bytes as usize, 0);
    std::fs::write(stage.path(name), wav).unwrap();
}

#[test]
fn a_trial_takes_the_first_minutes_of_media() {
    let stage = Stage::new();
    let mut rows = "interview_id,media\n".to_owned();
    for (id, secs) in [("z", 2), ("y", 2), ("x", 2), ("w", 2)] {
        silence(&stage, &format!("{id}.wav"), secs);
        rows += &format!("{id},{id}.wav\n");
    }
    stage.write("corpus.csv", &rows);
    // Two seconds are too few, four are enough.
    let ended = extract(&stage, &["--limit-minutes", "0.05"]);
    ended.line("2 done, 0 already done, 0 failed");
    let now = status(&stage, &["--jobs", "2"]);
    assert_eq!((of(&now, "x"), of(&now, "w")), ("missing ".into(), "missing ".into()));
    let near = |value: &Value, expected: f64| (value.as_f64().unwrap() - expected).abs() < 0.01 * expected;
    assert!(near(&now["media_minutes_done"], 4.0 / 60.0), "{now:#}");
    // The other two are as long as those two, and each has a worker.
    assert!(near(&now["left"]["media_secs"], 4.0), "{now:#}");
    assert!(near(&now["left"]["secs"], 2.0 / now["speed"].as_f64().unwrap()), "{now:#}");
    assert!(near(&now["left"]["bytes"], now["bytes_written"].as_f64().unwrap()), "{now:#}");
    // With a file that is gone: it counts as nothing, and those done as what was decoded.
    std::fs::remove_file(stage.path("x.wav")).unwrap();
    let ended = extract(&stage, &["--limit-minutes", "0.09"]);
    ended.line("1 done, 2 already done, 1 failed");
    assert_eq!(extract(&stage, &["--limit-minutes", "0"]).code, 2);
}

#[test]
fn what_happened_is_kept_beside_the_tables() {
    let stage = Stage::new();
    corpus(&stage, &["a", "s/b"]);
    std::fs::remove_file(stage.path("s/b.srt")).unwrap();
    let ended = extract(&stage, &["--log-json"]);
    assert_eq!(ended.code, 1);
    let told: Vec<Value> = ended.err.lines().map(|l| serde_json::from_str(l).expect(l)).collect();
    let events = |of: &[Value]| of.iter().map(|e| e["event"].as_str().unwrap().to_owned()).collect::<Vec<_>>();
    assert!(told.iter().all(|e| e["time"].as_str().unwrap().ends_with('Z')), "{told:?}");
    assert!(told.iter().any(|e| e["event"] == "done" && e["interview_id"] == "a"), "{told:?}");
    assert!(told.iter().any(|e| e["event"] == "log" && e["level"] == "WARN"), "{told:?}");
    let log = |id: &str| -> Vec<Value> {
        let text = std::fs::read_to_string(stage.path(&format!("out/logs/{id}.jsonl"))).unwrap();
        text.lines().map(|l| serde_json::from_str(l).unwrap()).collect()
    };
    let (a, b) = (log("a"), log("s/b"));
    assert_eq!((events(&a).first().unwrap().as_str(), events(&a).last().unwrap().as_str()), ("begun", "done"));
    assert_eq!((&b.last().unwrap()["event"], &b.last().unwrap()["kind"]), (&"failed".into(), &"read".into()));
    assert!(b.last().unwrap()["error"].as_str().unwrap().contains("b.srt"));

    let runs = || -> Vec<Value> {
        let mut paths: Vec<_> = std::fs::read_dir(stage.path("out/runs")).unwrap().map(|e| e.unwrap().path()).collect();
        paths.sort();
        paths.iter().map(|p| serde_json::from_slice(&std::fs::read(p).unwrap()).unwrap()).collect()
    };
    let run = &runs()[0];
    assert_eq!((&run["outcome"]["done"], &run["outcome"]["failed"][0]), (&1.into(), &"s/b".into()));
    assert!(run["ended"].is_string() && run["host"]["processors"].as_u64() > Some(0), "{run:#}");
    assert!(run["models"].as_object().unwrap().len() > 3 && run["recipe"]["face"].is_object(), "{run:#}");
    let sha256 = turnwise::inference::file_sha256(&stage.path("corpus.csv")).unwrap();
    assert_eq!(run["manifest_sha256"], sha256.as_str());

    // What is done already leaves its log as it is; what goes, goes with it.
    stage.write("s/b.srt", CUES);
    extract(&stage, &["--shard", "1/1"]).line("1 done, 1 already done, 0 failed");
    assert_eq!((log("a"), events(&log("s/b")).last().unwrap().as_str()), (a, "done"));
    assert_eq!((runs().len(), &runs()[1]["shard"]), (2, &"1/1".into()));
    manifest(&stage, &["a"]);
    extract(&stage, &["--prune"]).line("1 not in corpus.csv removed");
    assert!(stage.path("out/logs/a.jsonl").exists() && !stage.path("out/logs/s").exists());
}

/// A run that has nothing to do asks for sizes and times, and opens neither tables nor transcripts: what it costs an
/// interview does not depend on how long that is.
#[test]
fn what_is_done_is_not_read_again() {
    let stage = Stage::new();
    corpus(&stage, &["a", "b"]);
    // Files as young as their record are not believed to be what they were.
    std::thread::sleep(std::time::Duration::from_secs(4));
    extract(&stage, &[]).line("2 done");
    let opened = |arguments: &[&str]| -> Vec<String> {
        let mut strace = std::process::Command::new("strace");
        strace.args(["-f", "-qq", "-e", "trace=openat", "-o", "trace", env!("CARGO_BIN_EXE_turnwise")]);
        let ended =
            strace.args(arguments).current_dir(stage.path("")).env("TURNWISE_MODELS", crate::stage::models()).output();
        assert!(ended.expect("strace is needed: make apt").status.success());
        let trace = std::fs::read_to_string(stage.path("trace")).unwrap();
        assert!(trace.contains("out/timings/a.json"), "strace tells nothing");
        let read = |l: &&str| l.contains(".srt\"") || l.contains(".parquet\"");
        trace.lines().filter(read).map(ToOwned::to_owned).collect()
    };
    assert_eq!(opened(&EXTRACT), Vec::<String>::new());
    let of_status = opened(&["status", "out", "corpus.csv"]);
    assert!(of_status.iter().all(|l| l.contains("\"out/interviews.parquet\"")), "{of_status:?}");
    // And what is another is read.
    std::fs::write(stage.path("a.srt"), CUES).unwrap();
    assert!(opened(&EXTRACT).iter().any(|l| l.contains("a.srt")));
}
