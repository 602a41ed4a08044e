//! Runs whose worker is a shell script: it hangs, eats memory and babbles in earnest.

use std::time::Duration;

use super::super::process::{LOG_BYTES, MOST_LOG_LINES};
use super::*;

const SKIPPED: &str = r#"{"Finished":"Skipped"}"#;

/// What came of a corpus whose worker is this shell script.
struct Ran {
    result: Result<Summary>,
    log: Vec<String>,
    folder: tempfile::TempDir,
    secs: f64,
}

impl Ran {
    fn row(&self, id: &str) -> Option<crate::store::read::StoredTable> {
        crate::store::read::read(&crate::store::paths::table_path(self.folder.path(), "interviews", id).unwrap()).ok()
    }
}

/// The script is run in the output folder; it gets requests as the program's own worker does, the recipe's line taken
/// off. `stop` ends the run at the first log line.
fn run_script(script: &str, ids: &[&str], limits: Limits, stop: bool) -> Ran {
    let folder = tempfile::tempdir().unwrap();
    let requests: Vec<Request> =
        ids.iter().map(|id| Request { interview_id: (*id).into(), ..Request::default() }).collect();
    let worker = || {
        let mut command = Command::new("sh");
        // The recipe comes first.
        command.arg("-c").arg(format!("read -r recipe\n{script}")).current_dir(folder.path());
        command
    };
    let stopping = AtomicUsize::new(0);
    let settings = RunSettings {
        out: folder.path(),
        writer: Writer::default(),
        jobs: 1,
        limits,
        force: false,
        shard: None,
        unlisted: Unlisted::Ignored,
        verify: false,
        stop: &stopping,
        worker: &worker,
    };
    let log = Mutex::new(Vec::new());
    let begun = std::time::Instant::now();
    let registry = Registry::open(Some(&Path::new(env!("CARGO_MANIFEST_DIR")).join("onnx/models"))).unwrap();
    let result = run(&requests, &Recipe::default(), &registry, &settings, &|_, _, update| {
        if let Update::Log(line) = update {
            log.lock().unwrap().push(line.to_owned());
            stopping.store(if stop { 15 } else { 0 }, Ordering::Relaxed);
        }
    });
    Ran { result, log: log.into_inner().unwrap(), folder, secs: begun.elapsed().as_secs_f64() }
}

fn limits(stall_secs: f64, memory_bytes: Option<u64>) -> Limits {
    Limits { stall: Duration::from_secs_f64(stall_secs), memory_bytes }
}

#[test]
fn a_worker_that_is_busy_and_loud_but_gets_nowhere_is_ended_and_the_next_interview_has_a_new_one() {
    for noise in [
        "echo noise >&2; echo garbage",
        r#"echo '{"Worked":{"beats":7}}'; echo '{"Progress":{"Watching":{"video_secs":1.0,"total_secs":2.0}}}'; sleep 0.1"#,
        "printf xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx >&2",
        ":",
    ] {
        // The first of its kind hangs, the second one answers.
        let script = format!(
            "read r; if [ -e seen ]; then echo '{SKIPPED}'; read r; exit; fi; touch seen; while :; do {noise}; done"
        );
        let ran = run_script(&script, &["hangs", "good"], limits(1.5, None), false);
        let summary = ran.result.as_ref().unwrap();
        assert_eq!((summary.skipped, summary.failed.len()), (1, 1), "{noise}: {summary:?}");
        assert!(summary.failed[0].1.contains("without progress"), "{noise}: {summary:?}");
        assert_eq!(ran.row("hangs").unwrap().text("error_kind", 0), Some("worker"));
        assert!(ran.secs < 10.0, "{noise}: {}", ran.secs);
        assert!(ran.log.len() <= MOST_LOG_LINES + 1 && ran.log.iter().all(|l| l.len() <= LOG_BYTES), "{noise}");
    }
}

#[test]
fn a_long_step_that_goes_on_is_left_alone() {
    let script = format!(
        r#"read r; for i in 1 2 3 4 5 6 7 8; do sleep 0.5; echo "{{\"Worked\":{{\"beats\":$i}}}}"; done; echo '{SKIPPED}'; read r"#
    );
    let ran = run_script(&script, &["long"], limits(1.5, None), false);
    assert_eq!(ran.result.unwrap().skipped, 1);
    assert!(ran.secs > 3.5);
}

#[cfg(target_os = "linux")]
#[test]
fn a_worker_that_takes_too_much_memory_costs_its_interview_only() {
    // A file without a line's end: `tail` keeps all of it.
    let script =
        format!("read r; if [ -e seen ]; then echo '{SKIPPED}'; read r; exit; fi; touch seen; exec tail /dev/zero");
    let ran = run_script(&script, &["eats", "good"], limits(60.0, Some(300 << 20)), false);
    let summary = ran.result.as_ref().unwrap();
    assert_eq!((summary.skipped, summary.failed.len()), (1, 1), "{summary:?}");
    assert!(summary.failed[0].1.contains("300 MB are allowed; --memory-limit"), "{summary:?}");
    assert_eq!(ran.row("eats").unwrap().text("error_kind", 0), Some("memory"));
    assert!(ran.secs < 20.0, "{}", ran.secs);
}

#[test]
fn a_stopped_run_ends_its_workers_at_once_and_says_nothing_of_what_is_half_done() {
    let ran = run_script("read r; echo begun >&2; sleep 60", &["half", "not begun"], limits(30.0, None), true);
    let summary = ran.result.as_ref().unwrap();
    assert_eq!((summary.left, summary.stopped, summary.failed.len()), (2, Some(15), 0), "{summary:?}");
    assert!(ran.row("half").is_none() && ran.secs < 5.0, "{}", ran.secs);
}

#[test]
fn a_folder_that_takes_no_more_ends_the_run() {
    let script = r#"read r; echo '{"Unwritable":{"error":"No space left on device"}}'; read r && touch again"#;
    let ran = run_script(script, &["a", "b"], limits(30.0, None), false);
    let e = ran.result.unwrap_err();
    assert!(e.kind() == "write" && e.chain().contains("No space left"), "{}", e.chain());
    assert!(!ran.folder.path().join("again").exists(), "nothing more was asked");
    // Deleted, moved or unmounted: the next interview is not begun.
    let ran = run_script(
        &format!("read r; rm .lock; echo '{SKIPPED}'; read r && touch again"),
        &["a", "b"],
        limits(30.0, None),
        false,
    );
    let e = ran.result.unwrap_err();
    assert!(e.chain().contains("no longer there"), "{}", e.chain());
    assert!(!ran.folder.path().join("again").exists() && !ran.folder.path().join("interviews.parquet").exists());
}

#[test]
fn what_was_deleted_behind_the_back_of_a_run_is_not_done() {
    let done = Event::Finished(Outcome::Done { timings: Timings::default(), warnings: Vec::new() });
    let done = serde_json::to_string(&done).unwrap();
    // It says that it is done, and its files are not there.
    let ran = run_script(&format!("read r; echo '{done}'; read r"), &["lost"], limits(30.0, None), false);
    let summary = ran.result.as_ref().unwrap();
    assert_eq!((summary.done, summary.failed.len()), (0, 1), "{summary:?}");
    assert!(summary.failed[0].1.contains("deleted or changed after they were written; run again"), "{summary:?}");
    assert_eq!(ran.row("lost").unwrap().text("status", 0), Some("failed"));
    // The folder went with the last interview: no next one finds that out.
    let script = format!("read r; rm .lock; echo '{done}'; read r");
    let error = run_script(&script, &["last"], limits(30.0, None), false).result.unwrap_err();
    assert!(error.chain().contains("no longer there"), "{}", error.chain());
}

#[test]
fn two_runs_never_write_into_one_folder() {
    let folder = tempfile::tempdir().unwrap();
    let held = lock(folder.path(), None).unwrap();
    let e = lock(folder.path(), None).unwrap_err();
    assert!(matches!(e, Error::Usage { .. }) && e.to_string().contains("another run"), "{e}");
    drop(held);
    lock(folder.path(), None).unwrap();
}
