//! Worker processes: what becomes of a run when one dies, hangs, or is left alone.

use std::process::{Command, Stdio};

use crate::stage::{Stage, children, is_alive, row, sample, table, wait_for};

#[test]
fn a_worker_that_dies_costs_its_interview_only() {
    let stage = Stage::new();
    stage.clip("good.mp4");
    // Long enough to be still at work.
    let long = sample("ted_talk.mp4");
    stage.write("corpus.csv", &format!("interview_id,media\nhangs,\"{}\"\ngood,good.mp4\n", long.display()));
    let run = stage
        .command(&["extract", "corpus.csv", "--out", "out", "--jobs", "1"])
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
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
