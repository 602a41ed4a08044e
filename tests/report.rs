//! Pages of an output folder: nothing in them is markup but what is ours, nothing is fetched, and they say what is not
//! there. What they do in a browser is tried by `make report-test`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use crate::pages::{HOSTILE, WORDS, reasons, talk, troubled};
use serde_json::Value;
use turnwise::report::{ReportRequest, write_report};

/// Bytes of a page at most for ten minutes of two people.
const MOST: usize = 2_000_000;

fn report(out: &Path, to: &Path) -> String {
    write_report(&ReportRequest { out, to, media: None }).unwrap()
}

fn page(to: &Path, name: &str) -> String {
    std::fs::read_to_string(to.join(name)).unwrap()
}

/// The numbers of a page.
fn data(page: &str) -> Value {
    let (_, rest) = page.split_once("id=\"data\">").unwrap();
    serde_json::from_str(rest.split("</script>").next().unwrap()).unwrap()
}

fn texts<'a>(values: &'a Value, key: &str) -> BTreeSet<&'a str> {
    values.as_array().unwrap().iter().map(|v| v[key].as_str().unwrap()).collect()
}

#[test]
fn names_and_words_are_text_and_never_markup() {
    let folder = tempfile::tempdir().unwrap();
    talk(folder.path(), "a & b", 20);
    report(folder.path(), &folder.path().join("r"));
    for name in ["index.html", "interviews/a & b.html"] {
        let page = page(&folder.path().join("r"), name);
        assert_eq!(page.matches("<script").count(), 2, "{name}");
        assert_eq!(page.matches("</script>").count(), 2, "{name}");
        assert!(!page.contains("<img") && !page.contains("http-equiv=\"refresh"), "{name}");
    }
    let page = page(&folder.path().join("r"), "interviews/a & b.html");
    assert!(page.contains("<title>a &amp; b · Turnwise</title>"));
    let data = data(&page);
    let (speakers, said) = (texts(&data["turns"], "speaker"), texts(&data["turns"], "text"));
    // A line separator is a space, as all that would break a line.
    let words = WORDS.replace('\u{2028}', " ");
    assert!(speakers.contains(HOSTILE) && said.contains(words.as_str()), "{speakers:?} {said:?}");
}

#[test]
fn nothing_is_fetched_and_no_page_says_where_it_was_made() {
    let folder = tempfile::tempdir().unwrap();
    talk(folder.path(), "a", 20);
    troubled(folder.path());
    let to = folder.path().join("r");
    report(folder.path(), &to);
    let place = folder.path().display().to_string();
    for name in ["index.html", "interviews/a.html", "interviews/damaged.html", "interviews/unreadable.html"] {
        let page = page(&to, name);
        let ours = page.split("id=\"data\">").next().unwrap();
        assert!(ours.contains("default-src 'none'") && !ours.contains("unsafe"), "{name}");
        for way in ["src=\"", "url(", "@import", "<link", "<iframe"] {
            assert!(!ours.contains(way), "{name}: {way}");
        }
        assert!(!page.contains(&place), "{name}");
    }
}

#[test]
fn the_same_tables_make_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    talk(folder.path(), "a", 40);
    let bytes = |to: &str| -> BTreeMap<&str, String> {
        report(folder.path(), &folder.path().join(to));
        ["index.html", "interviews/a.html"].into_iter().map(|n| (n, page(&folder.path().join(to), n))).collect()
    };
    assert_eq!(bytes("one"), bytes("two"));
}

#[test]
fn every_declared_reason_is_a_band_of_its_turn() {
    let folder = tempfile::tempdir().unwrap();
    let reasons = reasons();
    assert!(reasons.len() >= 30, "{reasons:?}");
    talk(folder.path(), "a", 4 * (reasons.len() as u32 + 5));
    let to = folder.path().join("r");
    report(folder.path(), &to);
    let data = data(&page(&to, "interviews/a.html"));
    let bands = &data["timeline"]["missing"]["turns.voice_missing"];
    assert_eq!(texts(bands, "text"), reasons.iter().copied().collect());
    let band = bands.as_array().unwrap().iter().find(|b| b["text"] == reasons[2]).unwrap();
    assert_eq!((band["start"].as_f64(), band["end"].as_f64()), (Some(8.0), Some(11.5)));
    // The column says of itself what its reasons mean.
    assert!(data["columns"]["turns.voice_missing"]["text"].as_str().unwrap().contains("too_short"));
    assert_eq!(data["warnings"][0]["spans"], serde_json::json!([[3.0, 5.0]]));
    let spread = data["spreads"].as_array().unwrap().iter().find(|s| s["column"] == "turns.pitch_median_semitones");
    let missing = spread.unwrap()["groups"].as_array().unwrap().iter().map(|g| g["missing"].as_object().unwrap().len());
    assert_eq!(missing.sum::<usize>(), reasons.len());
}

#[test]
fn who_does_what_to_whom_is_counted_with_what_is_not_known() {
    let folder = tempfile::tempdir().unwrap();
    // 15 turns: rows of dyads for the turns 2 to 15, of which the even ones are the hostile name's.
    talk(folder.path(), "a", 60);
    let to = folder.path().join("r");
    report(folder.path(), &to);
    let data = data(&page(&to, "interviews/a.html"));
    let cell = |column: &str, who: &str| {
        let matrix = data["matrices"].as_array().unwrap().iter().find(|m| m["column"] == format!("dyads.{column}"));
        let cells = matrix.unwrap()["cells"].as_array().unwrap().iter();
        let cell = cells.clone().find(|c| c["who"] == who).unwrap().clone();
        (cell["value"].as_f64(), cell["n"].as_u64().unwrap(), cell["missing"]["simultaneous"].as_u64())
    };
    // Rows 4, 8 and 12 (turns 5, 9 and 13) interrupt, all of them Ann's.
    assert_eq!(cell("interrupts", "Ann"), (Some(3.0), 7, None));
    assert_eq!(cell("interrupts", HOSTILE), (Some(0.0), 7, None));
    // Every third has no offset.
    assert_eq!(cell("floor_offset_secs", "Ann"), (Some(0.5), 5, Some(2)));
    // Ann smiles at the other in the other's turns, rows 1, 3, … 13: 0.1, 0.3, 0.5, 0.7, 0.9, 0.1, 0.3.
    let smiles = cell("listener_smile", "Ann");
    assert!((smiles.0.unwrap() - 2.9 / 7.0).abs() < 1e-6 && smiles.1 == 7, "{smiles:?}");
    assert_eq!(data["synchrony"][0]["step_secs"].as_f64(), Some(0.1));
    assert_eq!(data["timeline"]["overlaps"].as_array().unwrap().len(), 14);
}

#[test]
fn ten_minutes_take_two_megabytes_at_most_and_an_hour_little_more() {
    let folder = tempfile::tempdir().unwrap();
    talk(folder.path(), "ten", 600);
    talk(folder.path(), "hour", 3600);
    let to = folder.path().join("r");
    report(folder.path(), &to);
    let [ten, hour] = ["ten", "hour"].map(|id| page(&to, &format!("interviews/{id}.html")).len());
    assert!(ten <= MOST && hour <= 2 * MOST, "ten minutes {ten} bytes, an hour {hour}");
}

#[test]
fn what_failed_has_a_page_that_says_why_and_costs_no_other() {
    let folder = tempfile::tempdir().unwrap();
    talk(folder.path(), "good", 20);
    troubled(folder.path());
    let to = folder.path().join("r");
    let told = report(folder.path(), &to);
    assert!(told.contains("4 interviews, 2 of them not done"), "{told}");
    let index = data(&page(&to, "index.html"));
    let row = |id: &str| index.as_array().unwrap().iter().find(|r| r["id"] == id).unwrap();
    assert_eq!(row("sub/failed")["error"], "no stream of <b>either</b> kind");
    assert_eq!((&row("sub/failed")["purity"], &row("sub/failed")["duration"]), (&Value::Null, &Value::Null));
    assert_eq!(row("unreadable")["status"], "unreadable");
    assert_eq!((row("damaged")["faults"].as_u64(), row("good")["faults"].as_u64()), (Some(1), Some(0)));
    assert_eq!(row("good")["purity"].as_f64(), Some(0.7));
    let failed = data(&page(&to, "interviews/sub/failed.html"));
    assert_eq!((failed["up"].as_str(), failed["error_kind"].as_str()), (Some("../../"), Some("media")));
    let damaged = data(&page(&to, "interviews/damaged.html"));
    assert!(
        damaged["faults"][0].as_str().unwrap().starts_with("faces: faces/damaged.parquet: not a whole Parquet file")
    );
    assert_eq!(damaged["turns"].as_array().unwrap().len(), 5);
}

#[test]
fn the_command_writes_beside_the_tables_and_refuses_what_is_no_output() {
    let folder = tempfile::tempdir().unwrap();
    talk(&folder.path().join("out"), "a", 20);
    let run = |arguments: &[&str]| {
        Command::new(env!("CARGO_BIN_EXE_turnwise")).args(arguments).current_dir(folder.path()).output().unwrap()
    };
    let done = run(&["report", "out"]);
    assert_eq!(String::from_utf8(done.stdout).unwrap(), "out/report/index.html\n1 interview\n");
    assert!(folder.path().join("out/report/interviews/a.html").is_file());
    std::fs::create_dir(folder.path().join("empty")).unwrap();
    for nothing in ["none", "empty"] {
        assert_eq!(run(&["report", nothing]).status.code(), Some(2), "{nothing}");
    }
    std::fs::create_dir_all(folder.path().join("clips/media")).unwrap();
    std::fs::write(folder.path().join("clips/media/made.wav"), "x").unwrap();
    assert_eq!(run(&["report", "out", "--to", "r", "--media", "clips"]).status.code(), Some(0));
    let url = data(&page(&folder.path().join("r"), "interviews/a.html"))["media_url"].clone();
    assert_eq!(url, "../../clips/media/made.wav");
}

#[test]
fn two_runs_are_set_against_each_other_largest_change_first() {
    let folder = tempfile::tempdir().unwrap();
    for run in ["one", "two", "same"] {
        talk(&folder.path().join(run), "a", if run == "two" { 44 } else { 40 });
        talk(&folder.path().join(run), run, 8);
    }
    let run = |arguments: &[&str]| {
        Command::new(env!("CARGO_BIN_EXE_turnwise")).args(arguments).current_dir(folder.path()).output().unwrap()
    };
    let told = |second: &str| String::from_utf8(run(&["report", "--compare", "one", second]).stdout).unwrap();
    assert!(
        told("same").contains("1 interview compared") && told("same").ends_with("no value changed\n"),
        "{}",
        told("same")
    );
    let two = told("two");
    assert!(two.contains("only in the first: one\n") && two.contains("only in the second: two\n"), "{two}");
    assert!(two.contains("a: turns: 0 rows only in the first, 1 only in the second"), "{two}");
    // The faces are away at other times in a longer interview, so that other rows are there; voices are the same.
    assert!(two.contains("a: voice: 0 rows only in the first, 400 only in the second"), "{two}");
    assert_eq!(run(&["report", "--compare", "one"]).status.code(), Some(2));
}

#[test]
#[cfg_attr(not(feature = "browser-tests"), ignore = "needs a browser: make report-test")]
fn the_pages_work_in_a_browser() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    talk(&out, "ten minutes", 600);
    talk(&out, "hour", 3600);
    troubled(&out);
    (0..200).for_each(|i| talk(&out, &format!("corpus/{i:03}"), 8));
    let media = folder.path().join("clips/media");
    std::fs::create_dir_all(&media).unwrap();
    let sound = ["-v", "error", "-f", "lavfi", "-i", "sine=duration=20", "-ar", "8000"];
    assert!(Command::new("ffmpeg").args(sound).arg(media.join("made.wav")).status().unwrap().success());
    let to = folder.path().join("report");
    write_report(&ReportRequest { out: &out, to: &to, media: Some(&folder.path().join("clips")) }).unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/browser");
    let mut tries = Command::new(std::env::var("PYTHON").unwrap_or_else(|_| "python3".into()));
    tries.arg(script).arg(&to);
    if let Ok(screenshots) = std::env::var("TURNWISE_SCREENSHOTS") {
        tries.args(["--screenshots", &screenshots]);
    }
    let tried = tries.output().unwrap();
    let told = String::from_utf8_lossy(&tried.stdout).into_owned() + &String::from_utf8_lossy(&tried.stderr);
    println!("{told}");
    assert!(tried.status.success(), "{told}");
}
