//! Stories about "already done": what has changed is done again, what has not is not, and what changes meanwhile is
//! told.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::SystemTime;

use crate::stage::{Stage, Told, children, is_alive, sample, wait_for};
use turnwise::random::Random;
use turnwise::store::read::read;

const CUES: &str =
    "1\n00:00:10,000 --> 00:00:12,000\nANNA: and so we began\n\n2\n00:00:14,000 --> 00:00:17,000\nBEN: to look at it\n";

/// Half a minute of two voices, and who says what.
fn corpus(stage: &Stage) {
    std::fs::copy(sample("conversation.wav"), stage.path("a.wav")).unwrap();
    stage.cut("b.wav", "20", "2", &["-vn", "-c:a", "pcm_s16le"]);
    stage.write("cues.srt", CUES);
    stage.write("corpus.csv", "interview_id,media,transcript\na,a.wav,cues.srt\nb,b.wav,cues.srt\n");
}

fn extract(stage: &Stage, options: &[&str]) -> Told {
    let mut arguments = vec!["extract", "corpus.csv", "--out", "out", "--jobs", "1", "--set", "input.skip_video=true"];
    arguments.extend(options);
    stage.run(&arguments)
}

#[track_caller]
fn expect(stage: &Stage, options: &[&str], done: usize, skipped: usize) {
    extract(stage, options).line(&format!("{done} done, {skipped} already done, 0 failed"));
}

/// Gives a file another content and the time of modification it had.
fn rewrite(path: &Path, bytes: &[u8]) {
    let before = std::fs::metadata(path).unwrap().modified().unwrap();
    std::fs::write(path, bytes).unwrap();
    File::options().write(true).open(path).unwrap().set_modified(before).unwrap();
}

fn copy(from: PathBuf, to: PathBuf) {
    std::fs::copy(from, to).unwrap();
}

/// Turns a bit in the middle of a file round.
fn flip(path: &Path) {
    let mut bytes = std::fs::read(path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    rewrite(path, &bytes);
}

#[test]
fn whatever_has_changed_is_done_again_and_nothing_else_is() {
    let stage = Stage::new();
    corpus(&stage);
    stage.cut("a.wav", "25", "2", &["-vn", "-c:a", "pcm_s16le"]);
    expect(&stage, &[], 2, 0);
    let first = stage.files("out");
    expect(&stage, &[], 0, 2);
    let change = |what: &str, change: &dyn Fn()| {
        change();
        let told = extract(&stage, &[]);
        assert!(told.err.contains("1 done, 1 already done, 0 failed"), "{what}: {}", told.err);
        let told = extract(&stage, &[]);
        assert!(told.err.contains("0 done, 2 already done, 0 failed"), "{what}: {}", told.err);
    };
    let out = |name: &str| stage.path("out").join(name);
    change("a column's values", &|| flip(&out("voice/a.parquet")));
    change("a table gone", &|| std::fs::remove_file(out("turns/a.parquet")).unwrap());
    change("a table of nothing here", &|| {
        std::fs::create_dir_all(out("words")).unwrap();
        std::fs::copy(out("turns/a.parquet"), out("words/a.parquet")).unwrap();
    });
    change("a table emptied", &|| drop(File::create(out("speech/a.parquet")).unwrap()));
    change("the RTTM gone", &|| std::fs::remove_file(out("rttm/a.rttm")).unwrap());
    change("a voice renamed in the RTTM", &|| flip(&out("rttm/a.rttm")));
    change("another interview's table", &|| copy(out("turns/b.parquet"), out("turns/a.parquet")));
    change("another interview's row", &|| copy(out("interviews/b.parquet"), out("interviews/a.parquet")));
    change("another interview's record", &|| copy(out("timings/b.json"), out("timings/a.json")));
    change("no record", &|| std::fs::remove_file(out("timings/a.json")).unwrap());
    assert!(first == stage.files("out"), "the same inputs give the same bytes");
    change("a sample of the sound", &|| flip(&stage.path("a.wav")));
    assert!(first != stage.files("out"), "the row tells of another content");

    // Times alone are no change, and both interviews share the words.
    File::options().write(true).open(stage.path("a.wav")).unwrap().set_modified(SystemTime::now()).unwrap();
    expect(&stage, &[], 0, 2);
    assert!(Command::new("cp").args(["-r", "out", "copy"]).current_dir(stage.path("")).status().unwrap().success());
    std::fs::remove_dir_all(stage.path("out")).unwrap();
    std::fs::rename(stage.path("copy"), stage.path("out")).unwrap();
    expect(&stage, &["--verify"], 0, 2);
    rewrite(&stage.path("cues.srt"), CUES.replace("began", "begun").as_bytes());
    expect(&stage, &[], 2, 0);
}

#[test]
fn what_no_time_of_a_file_tells_is_found_by_reading_all_of_it() {
    let stage = Stage::new();
    corpus(&stage);
    expect(&stage, &[], 2, 0);
    let media = stage.path("a.wav");
    flip(&media);
    // A disk that rots changes no times: the record is given those the file has now.
    let now = std::fs::metadata(&media).unwrap();
    let record = stage.path("out/timings/a.json");
    let mut kept: serde_json::Value = serde_json::from_slice(&std::fs::read(&record).unwrap()).unwrap();
    kept["inputs"]["media"]["times"] =
        serde_json::json!({ "modified": [now.mtime(), now.mtime_nsec()], "changed": [now.ctime(), now.ctime_nsec()] });
    std::fs::write(&record, kept.to_string()).unwrap();
    expect(&stage, &[], 0, 2);
    expect(&stage, &["--verify"], 1, 1);
    expect(&stage, &["--verify"], 0, 2);
}

/// A run whose messages are read while it works.
struct Running {
    run: Child,
    lines: std::io::Lines<BufReader<std::process::ChildStderr>>,
    told: Vec<String>,
}

impl Running {
    fn start(stage: &Stage, options: &[&str]) -> Self {
        let mut arguments =
            vec!["extract", "corpus.csv", "--out", "out", "--jobs", "1", "-vv", "--set", "input.skip_video=true"];
        arguments.extend(options);
        let mut run = stage.command(&arguments).stderr(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(run.stderr.take().unwrap()).lines();
        Running { run, lines, told: Vec::new() }
    }

    #[track_caller]
    fn wait_for(&mut self, part: &str) {
        loop {
            let Some(line) = self.lines.next() else { panic!("{part:?} was never told in {:#?}", self.told) };
            self.told.push(line.unwrap());
            if self.told.last().unwrap().contains(part) {
                return;
            }
        }
    }

    fn end(mut self) -> (i32, String) {
        self.told.extend(self.lines.map_while(Result::ok));
        (self.run.wait().unwrap().code().unwrap_or(-1), self.told.join("\n"))
    }
}

#[test]
fn an_input_that_changes_while_it_is_read_is_told_and_done_again() {
    let stage = Stage::new();
    corpus(&stage);
    for (changed, text) in [("cues.srt", CUES.replace("ANNA", "JANE")), ("a.wav", String::new())] {
        let mut running = Running::start(&stage, &["--force"]);
        running.wait_for("a: listening");
        if text.is_empty() {
            flip(&stage.path(changed));
        } else {
            std::fs::write(stage.path("new"), text).unwrap();
            std::fs::rename(stage.path("new"), stage.path(changed)).unwrap();
        }
        let (code, told) = running.end();
        assert_eq!(code, 1, "{told}");
        assert!(told.contains(&format!("a: failed: {changed} was changed while it was read")), "{told}");
        assert!(told.contains("1 done, 0 already done, 1 failed"), "{told}");
        let row = read(&stage.path("out/interviews/a.parquet")).unwrap();
        assert_eq!(row.text("error_kind", 0), Some("input_changed"));
        expect(&stage, &[], 1, 1);
    }
    let turns = read(&stage.path("out/turns/a.parquet")).unwrap();
    assert_eq!(turns.text("speaker", 0), Some("JANE"));
}

/// Sound that takes long enough to be listened to for a signal to come in between.
fn ten_minutes_of_noise(path: &Path) {
    let count: u32 = 600 * 16_000;
    let mut bytes = b"RIFF".to_vec();
    bytes.extend((36 + 2 * count).to_le_bytes());
    bytes.extend(b"WAVEfmt \x10\0\0\0\x01\0\x01\0\x80\x3e\0\0\0\x7d\0\0\x02\0\x10\0data");
    bytes.extend((2 * count).to_le_bytes());
    let mut random = Random::seeded(1);
    for _ in 0..count {
        bytes.extend((random.below(1 << 14) as i16 - 8192).to_le_bytes());
    }
    std::fs::write(path, bytes).unwrap();
}

#[test]
fn a_run_that_is_asked_to_end_ends_its_workers_and_says_what_is_kept() {
    let stage = Stage::new();
    corpus(&stage);
    ten_minutes_of_noise(&stage.path("hangs.wav"));
    stage.write("corpus.csv", "interview_id,media,transcript\nb,b.wav,cues.srt\nhangs,hangs.wav,\nlast,b.wav,\n");
    for (signal, number, done) in [("-INT", 2, "1 done, 0 already done"), ("-TERM", 15, "0 done, 1 already done")] {
        let mut running = Running::start(&stage, &[]);
        running.wait_for("b: ");
        running.wait_for("hangs: reading the sound");
        let worker = wait_for("a worker", || children(running.run.id()).first().copied());
        assert!(Command::new("kill").args([signal, &running.run.id().to_string()]).status().unwrap().success());
        let (code, told) = running.end();
        assert_eq!(code, 128 + number, "{told}");
        assert!(told.contains(&format!("stopped: {done}, 0 failed, 2 left; what is done is kept in out")), "{told}");
        assert!(!is_alive(worker));
        let all = read(&stage.path("out/interviews.parquet")).unwrap();
        assert_eq!((all.rows(), all.text("interview_id", 0)), (1, Some("b")));
    }
}

#[test]
fn an_output_folder_that_vanishes_ends_the_run_and_is_not_made_again() {
    let stage = Stage::new();
    corpus(&stage);
    let mut running = Running::start(&stage, &[]);
    running.wait_for("a: listening");
    std::fs::rename(stage.path("out"), stage.path("moved")).unwrap();
    let (code, told) = running.end();
    assert_eq!(code, 1, "{told}");
    assert!(told.contains("error: the run ended early") && told.contains("no longer there"), "{told}");
    assert!(!stage.path("out").exists());
}

/// A file system of a few hundred KB, which only some machines let a test make.
#[test]
#[cfg_attr(not(feature = "mount-tests"), ignore = "needs the right to mount a file system: --features mount-tests")]
fn a_full_disk_ends_the_run_and_leaves_nothing_half_written() {
    let stage = Stage::new();
    corpus(&stage);
    std::fs::create_dir(stage.path("small")).unwrap();
    let script = format!(
        "mount -t tmpfs -o size=300k none small && {} extract corpus.csv --out small/out --jobs 1 --set input.skip_video=true; \
         echo code $?; find small -name '*.tmp'; find small -name 'a.parquet' -path '*interviews*'",
        env!("CARGO_BIN_EXE_turnwise")
    );
    let mut run = Command::new("unshare");
    run.args(["-r", "-m", "sh", "-c", &script])
        .current_dir(stage.path(""))
        .env("TURNWISE_MODELS", crate::stage::models())
        .env_remove("RUST_LOG");
    let ended = run.stdout(Stdio::piped()).stderr(Stdio::piped()).output().unwrap();
    let (out, err) = (String::from_utf8_lossy(&ended.stdout), String::from_utf8_lossy(&ended.stderr));
    assert!(
        !err.contains("unshare failed") && !err.contains("mount:"),
        "needs the right to mount; test without --features mount-tests: {err}"
    );
    assert_eq!(out, "code 1\n", "{err}");
    assert!(err.contains("error: the run ended early") && err.contains("No space left on device"), "{err}");
    assert!(!err.contains("[2/2]"), "the second interview is not begun: {err}");
}

#[test]
fn limits_that_make_no_sense_are_told_before_any_work() {
    let stage = Stage::new();
    stage.write("a.wav", "");
    for (option, value, part) in [
        ("--memory-limit", "4", "such as 4G"),
        ("--memory-limit", "1M", "256M or more"),
        ("--memory-limit", "99999999999T", "256M or more"),
        ("--stall-secs", "0", "--stall-secs"),
        ("--set", "face.detect_score=0", "a face is seen everywhere"),
    ] {
        let told = stage.run(&["extract", "a.wav", "--out", "out", option, value]);
        assert!(told.code == 2 && told.err.contains(part), "{option} {value}: {}", told.err);
    }
    let mut help = String::new();
    let mut run = stage.command(&["extract", "--help"]).stdout(Stdio::piped()).spawn().unwrap();
    run.stdout.take().unwrap().read_to_string(&mut help).unwrap();
    assert!(run.wait().unwrap().success() && help.contains("--memory-limit") && help.contains("--verify"));
}
