//! Stories about an output folder over several runs: what is in it is what its rows say, whatever was there before and
//! however a run ended.

use crate::stage::Stage;
use turnwise::store::read::{StoredTable, read};

const CUES: &str = "1\n00:00:00,000 --> 00:00:01,500\nANNA: and so we began\n\n2\n00:00:02,000 --> 00:00:02,750\nBEN: to look at it again\n";

/// A corpus of transcripts alone: quick, and everything about the folder is the same.
fn corpus(stage: &Stage, ids: &[&str]) {
    stage.write("cues.srt", CUES);
    let rows: String = ids.iter().map(|id| format!("{id},,cues.srt\n")).collect();
    stage.write("corpus.csv", &format!("interview_id,media,transcript\n{rows}"));
}

/// A task with a label of each interview.
const TASK: &str = r#"
[[task]]
name = "t"
features = ["turns.duration_secs"]
context_size = 5
[task.labels]
unit = "interview"
kind = "regression"
file = "labels.csv"
"#;

const EXTRACT: [&str; 6] = ["extract", "corpus.csv", "--out", "out", "--jobs", "1"];

fn all(stage: &Stage) -> StoredTable {
    read(&stage.path("out/interviews.parquet")).unwrap()
}

fn told(stage: &Stage) -> Vec<(String, String)> {
    let table = all(stage);
    let text = |name, row| table.text(name, row).unwrap().to_owned();
    (0..table.rows()).map(|row| (text("interview_id", row), text("status", row))).collect()
}

fn done(ids: &[&str]) -> Vec<(String, String)> {
    ids.iter().map(|id| ((*id).to_owned(), "done".to_owned())).collect()
}

#[test]
fn a_slip_in_the_manifest_is_told_however_quiet_and_before_any_work() {
    let stage = Stage::new();
    corpus(&stage, &["a"]);
    for (text, told) in [
        (
            "interview_id,media,transcript,min_speaker\na,,cues.srt,2\n",
            "slip.csv:1: unknown column \"min_speaker\"; did you mean \"min_speakers\"?",
        ),
        ("interview_id|media|transcript\na||cues.srt\n", "slip.csv:1: the cells are separated by bars"),
        (
            "interview_id,media,transcript\nAnn,,cues.srt\nann,,cues.srt\n",
            "slip.csv:3: interview_id \"ann\" differs from \"Ann\"",
        ),
        (
            "interview_id,media,transcript\na,,cues.srt\na.parquet/b,,cues.srt\n",
            "slip.csv:3: interview id \"a.parquet/b\"",
        ),
        ("interview_id,media,transcript\nx/NUL,,cues.srt\n", "slip.csv:2: interview id \"x/NUL\""),
    ] {
        stage.write("slip.csv", text);
        let ended = stage.run(&["extract", "slip.csv", "--out", "out", "-q"]);
        assert_eq!(ended.code, 2, "{}", ended.err);
        ended.line(told);
        assert!(!stage.path("out").exists());
    }
    let wide: Vec<u8> = "\u{feff}interview_id,media\na,b\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    std::fs::write(stage.path("wide.csv"), wide).unwrap();
    stage.run(&["extract", "wide.csv", "--out", "out", "-q"]).line("wide.csv: this is UTF-16 text; save it as CSV");
    std::fs::write(stage.path("old.csv"), b"interview_id,media\nJ\xf6rg,b\n").unwrap();
    stage.run(&["extract", "old.csv", "--out", "out", "-q"]).line(
        "old.csv:2: this is no UTF-8 text (byte 0xF6); read as windows-1252, which its letters speak for, the line",
    );
    stage.write("corpus.tsv", "interview_id\tmedia\n");
    stage
        .run(&["extract", "corpus.tsv", "--out", "out"])
        .line("corpus.tsv is a table, and a manifest is a .csv file; save it as CSV");
    // Columns and rows that say nothing.
    stage.write("corpus.csv", "interview_id,media,transcript,note,x_age,\na,,cues.srt,for me,50,\n,,,,,\n");
    let ended = stage.run(&EXTRACT);
    ended.line("1 done, 0 already done, 0 failed");
    assert_eq!(told(&stage), done(&["a"]));
    stage.write("corpus.csv", "interview_id,media,transcript\nA,,cues.srt\n");
    stage.run(&EXTRACT).line("interview_id \"A\" differs from \"a\" (already in the folder) only in case");
}

#[test]
fn one_place_that_is_taken_costs_that_interview_only() {
    let stage = Stage::new();
    corpus(&stage, &["a", "b", "c"]);
    // Folders where a table of a and the row of b belong.
    stage.write("out/turns/a.parquet/mine.txt", "mine");
    stage.write("out/interviews/b.parquet/mine.txt", "mine");
    let ended = stage.run(&EXTRACT);
    assert_eq!(ended.code, 1, "{}", ended.err);
    ended.line("1 done, 0 already done, 2 failed");
    let table = all(&stage);
    let of = |id: &str| (0..table.rows()).find(|&r| table.text("interview_id", r) == Some(id));
    assert!(table.text("error", of("a").unwrap()).unwrap().contains("a.parquet"));
    assert_eq!(table.text("status", of("c").unwrap()), Some("done"));
    assert!(of("b").is_none() && ended.err.contains("and its row: "), "{}", ended.err);
    assert!(stage.path("out/turns/a.parquet/mine.txt").exists());
}

#[test]
fn tables_of_a_failed_interview_are_not_current_and_not_lost() {
    let stage = Stage::new();
    corpus(&stage, &["a", "b"]);
    stage.run(&EXTRACT).line("2 done");
    let before = stage.files("out");
    // The second run cannot read what the first one was made from.
    stage.write("corpus.csv", "interview_id,media,transcript\na,,gone.srt\nb,,cues.srt\n");
    let ended = stage.run(&EXTRACT);
    assert_eq!(ended.code, 1);
    assert_eq!(told(&stage), [("a".to_owned(), "failed".to_owned()), ("b".to_owned(), "done".to_owned())]);
    assert!(!stage.path("out/turns/a.parquet").exists() && !stage.path("out/rttm/a.rttm").exists());
    let aside = stage.files("out/.superseded");
    assert!(
        aside["turns/a.parquet"] == before["turns/a.parquet"]
            && aside["interviews/a.parquet"] == before["interviews/a.parquet"]
    );
    // Again, and nothing more is lost; then it is done, and what was set aside has served.
    stage.run(&EXTRACT);
    assert_eq!(aside, stage.files("out/.superseded"));
    corpus(&stage, &["a", "b"]);
    stage.run(&EXTRACT).line("1 done, 1 already done, 0 failed");
    assert!(before == stage.files("out"));
}

#[test]
fn a_share_that_is_not_there_costs_no_finished_tables() {
    let stage = Stage::new();
    corpus(&stage, &["a", "b"]);
    stage.write("more.srt", "1\n00:00:00,000 --> 00:00:01,000\nAnna: more\n");
    stage.write("corpus.csv", "interview_id,media,transcript\na,,cues.srt\nb,,more.srt\n");
    stage.run(&EXTRACT).line("2 done");
    let before = stage.files("out");
    std::fs::rename(stage.path("more.srt"), stage.path("away")).unwrap();
    let ended = stage.run(&EXTRACT);
    assert_eq!(ended.code, 1);
    ended.line("b: there is no transcript ");
    assert!(ended.err.contains("its tables of an earlier run were left as they are"), "{}", ended.err);
    assert!(before == stage.files("out"));
    std::fs::rename(stage.path("cues.srt"), stage.path("cues_away")).unwrap();
    let ended = stage.run(&EXTRACT);
    assert!(ended.code == 2 && ended.err.contains("not one of 2 interviews has all its files"), "{}", ended.err);
    std::fs::rename(stage.path("away"), stage.path("more.srt")).unwrap();
    std::fs::rename(stage.path("cues_away"), stage.path("cues.srt")).unwrap();
    stage.run(&EXTRACT).line("0 done, 2 already done, 0 failed");
    assert!(before == stage.files("out"));
}

#[test]
fn half_written_tables_are_nobodys() {
    let stage = Stage::new();
    corpus(&stage, &["a", "b"]);
    stage.run(&EXTRACT).line("2 done");
    stage.write("labels.csv", "interview_id,label\na,1\nb,2\n");
    stage.write("t.toml", TASK);
    let tasks = ["tasks", "out", "--tasks", "t.toml"];
    assert!(stage.run(&tasks).out.contains("2 of 2 interviews with tables"));
    // As a run leaves it that was killed while it wrote: tables and no row.
    std::fs::remove_file(stage.path("out/interviews/a.parquet")).unwrap();
    let ended = stage.run(&tasks);
    assert!(ended.out.contains("1 of 2 interviews with tables"), "{}{}", ended.out, ended.err);
    assert!(ended.err.contains("a: what lies in out is not of a finished extraction"), "{}", ended.err);
}

#[test]
fn what_a_killed_run_left_is_swept_and_what_is_no_longer_listed_goes_when_asked() {
    let stage = Stage::new();
    corpus(&stage, &["a", "b", "deep/c"]);
    stage.run(&EXTRACT).line("3 done");
    stage.write("out/turns/.turnwise-Xy12Zw.tmp", "half");
    stage.write("out/.turnwise-Xy12Zw.tmp", "half");
    stage.write("out/notes/.turnwise-Xy12Zw.tmp", "not a folder of ours");
    stage.write("out/mine.txt", "mine");
    corpus(&stage, &["a"]);
    let ended = stage.run(&EXTRACT);
    ended.line("2 in out that corpus.csv does not have: b, deep/c; --prune removes their files");
    assert!(!stage.path("out/turns/.turnwise-Xy12Zw.tmp").exists() && !stage.path("out/.turnwise-Xy12Zw.tmp").exists());
    assert!(stage.path("out/notes/.turnwise-Xy12Zw.tmp").exists());
    assert_eq!(told(&stage), done(&["a", "b", "deep/c"]));
    // A single file says nothing of the others.
    let alone = stage.run(&["extract", "cues.srt", "--out", "out", "--prune"]);
    assert_eq!(alone.code, 2);
    alone.line("--prune removes what is not in the manifest, and none is given");
    assert!(stage.path("out/turns/b.parquet").exists());

    let ended = stage.run(&[&EXTRACT[..], &["--prune"]].concat());
    ended.line("2 not in corpus.csv removed from out: b, deep/c");
    assert_eq!(told(&stage), done(&["a"]));
    let left: Vec<String> = stage
        .files("out")
        .into_keys()
        .filter(|n| n.contains("b.") || n.contains("c.p") || n.contains("deep"))
        .collect();
    assert!(left.is_empty() && stage.path("out/mine.txt").exists(), "{left:?}");
    assert!(!stage.path("out/timings/b.json").exists() && !stage.path("out/turns/deep").exists());
}

#[test]
fn a_row_that_cannot_be_read_costs_no_other_its_row() {
    let stage = Stage::new();
    corpus(&stage, &["a", "b"]);
    stage.run(&EXTRACT).line("2 done");
    std::fs::write(stage.path("out/interviews/b.parquet"), "PAR1").unwrap();
    corpus(&stage, &["a"]);
    let ended = stage.run(&[&EXTRACT[..], &["-q"]].concat());
    assert_eq!(ended.code, 1);
    ended.line("a row is not in interviews.parquet: out/interviews/b.parquet: not a whole Parquet file");
    assert_eq!(told(&stage), done(&["a"]));
    // Asked for again, it is made anew.
    corpus(&stage, &["a", "b"]);
    stage.run(&EXTRACT).line("1 done, 1 already done, 0 failed");
    assert_eq!(told(&stage), done(&["a", "b"]));
}

#[test]
fn interviews_made_in_several_ways_are_told_and_not_mixed() {
    let stage = Stage::new();
    corpus(&stage, &["a", "b", "c"]);
    stage.run(&EXTRACT).line("3 done");
    stage.write("one.csv", "interview_id,media,transcript\nb,,cues.srt\n");
    let ended = stage.run(&["extract", "one.csv", "--out", "out", "--set", "face.rate_hz=2"]);
    ended.line("The interviews in out were not all made the same way:");
    ended.line(": 2 interviews: a, c");
    ended.line(": 1 interview: b");
    ended.line("they differ in face.rate_hz: 10.0 | 2.0");
    let shown = stage.run(&["inspect", "out"]).out;
    assert!(shown.contains(": 1 interview: b") && shown.contains("face.rate_hz: 10.0 | 2.0"), "{shown}");

    stage.write("labels.csv", "interview_id,label\na,1\nb,2\nc,3\n");
    stage.write("t.toml", TASK);
    let refused = |arguments: &[&str]| {
        let ended = stage.run(arguments);
        assert_eq!(ended.code, 2, "{arguments:?}: {}", ended.err);
        ended.err
    };
    let e = refused(&["tasks", "out", "--tasks", "t.toml"]);
    assert!(
        e.contains("task t would mix interviews")
            && e.contains(": 1 interview: b")
            && e.contains("face.rate_hz: 10.0 | 2.0"),
        "{e}"
    );
    assert!(!stage.path("out/tasks").exists());
    assert_eq!(stage.run(&["tasks", "out", "--tasks", "t.toml", "--mixed"]).code, 0);
    assert_eq!(read(&stage.path("out/tasks/t.parquet")).unwrap().schema().metadata.recipe_hash, "mixed");
    let e = refused(&["baseline", "out/tasks", "--task", "t"]);
    assert!(e.contains("the table of task t is of interviews that were not made by one recipe"), "{e}");
    let e = refused(&["export", "jsonl", "out", "--to", "lines"]);
    assert!(e.contains("the export of task t would mix interviews") && !stage.path("lines").exists(), "{e}");
    assert_eq!(stage.run(&["export", "jsonl", "out", "--to", "lines", "--mixed"]).code, 0);
    let sample = |id: &str| format!("{{\"sample_id\": \"{id}\", \"rows\": []}}\n");
    stage.write("samples.jsonl", &(sample("a") + &sample("b")));
    let e = refused(&["export", "rescue", "out", "--annotations", "samples.jsonl", "--to", "anew"]);
    assert!(
        !stage.path("anew").exists() && (e.contains("the export would mix") || e.contains("annotations of")),
        "{e}"
    );

    // Tables of tasks that are older than the interviews they are of.
    stage.run(&[&EXTRACT[..], &["-q"]].concat());
    assert_eq!(stage.run(&["tasks", "out", "--tasks", "t.toml"]).code, 0);
    stage.run(&[&EXTRACT[..], &["-q", "--set", "face.rate_hz=2"]].concat());
    let e = refused(&["export", "jsonl", "out", "--to", "later"]);
    assert!(e.contains("(the table of task t)"), "{e}");
}

#[test]
fn an_input_is_never_written_over() {
    let stage = Stage::new();
    corpus(&stage, &["a"]);
    stage.run(&EXTRACT).line("1 done");
    let before = stage.files("out");
    stage.write("corpus.csv", "interview_id,media,transcript,rttm\na,,cues.srt,\nb,,cues.srt,out/rttm/a.rttm\n");
    let ended = stage.run(&[&EXTRACT[..], &["--force"]].concat());
    assert_eq!(ended.code, 2, "{}", ended.err);
    ended.line("out/rttm/a.rttm is an input of b and would be written over by a");
    assert!(before == stage.files("out"));
}

#[test]
fn a_slip_in_any_other_file_of_the_users_is_told_by_name() {
    let stage = Stage::new();
    corpus(&stage, &["a"]);
    stage.run(&EXTRACT).line("1 done");
    let refused = |arguments: &[&str], told: &str| {
        let ended = stage.run(&[arguments, &["-q"]].concat());
        assert_eq!(ended.code, 2, "{arguments:?}: {}", ended.err);
        assert!(ended.err.contains(told), "{told}: {}", ended.err);
    };
    let cue = |column: &str, words: &str| {
        let cue = format!("[[cue]]\nfield = \"tone_of_voice\"\ncolumn = \"{column}\"\nz = 1.0\nhigh = \"{words}\"\n");
        stage.write("cues.toml", &format!("min_turns = 3\n{cue}"));
    };
    let export = ["export", "jsonl", "out", "--to", "lines", "--cues", "cues.toml"];
    cue("level_mean_d", "loud");
    refused(&export, "cues.toml: turns has no column \"level_mean_d\"; did you mean \"level_mean_db\"?");
    cue("level_mean_db", "louder than {othr}");
    refused(&export, "holds {othr}; known is {other}");

    stage.write("labels.csv", "interview_id,label\na,1\n");
    stage.write("t.toml", TASK);
    assert_eq!(stage.run(&["tasks", "out", "--tasks", "t.toml"]).code, 0);
    stage.write("questions.toml", "interveiw = \"How was it?\"\n");
    let export = ["export", "jsonl", "out", "--to", "lines", "--questions", "questions.toml"];
    refused(&export, "\"interveiw\" is no task, rule or unit; did you mean \"interview\"?");
    stage.write("labels.csv", "interview_id,label,group\na,1,g\n");
    refused(
        &["tasks", "out", "--tasks", "t.toml"],
        "labels.csv:1: task t does not use the column \"group\"; write group = \"group\"",
    );

    stage.write("segments.csv", "start_secs,end_secs,start_secs\n0,1,2\n");
    let voice = ["voice", "none.wav", "--out", "v", "--segments", "segments.csv"];
    refused(&voice, "segments.csv:1: two columns are called \"start_secs\": the 1st and the 3rd");

    let entry = "[[model]]\nname = \"mine\"\nrole = \"r\"\nfile = \"f\"\nsha256 = \"\"\nlicence = \"MIT\"\norigin = \"o\"\ninputs = []\noutputs = []\n";
    stage.write("mine/models.toml", &format!("schema = 1\n{entry}lables = [\"a\"]\n"));
    refused(&["models", "--models", "mine"], "unknown field `lables`");
}

#[test]
fn a_sample_that_is_not_in_the_file_costs_its_interview_and_odd_rows_are_told() {
    let stage = Stage::new();
    stage.write("cues.srt", CUES);
    let row = "{\"row_index\": 1, \"start_time\": 0, \"end_time\": 1, \"primary_speaker\": \"Z\", \"dialogue_cleaned\": \"so\"}";
    let sample = |id: &str| {
        let head = "\"scenario\": \"family\", \"participants\": [\"Z\"], \"source_file\": \"f.json\"";
        format!("{{\"sample_id\": \"{id}\", {head}, \"rows\": [{row}]}}\n")
    };
    stage.write("samples.jsonl", &(sample("one") + &sample("two")));
    stage.write("same.wav", "no sound");
    let rows = "a,,samples.jsonl,one\nb,,samples.jsonl,three\nc,,cues.srt,one\nd,same.wav,,\ne:?,same.wav,,\n";
    stage.write("corpus.csv", &format!("interview_id,media,transcript,sample_id\n{rows}"));
    let ended = stage.run(&EXTRACT);
    ended.line("2 done, 0 already done, 3 failed");
    ended.line("same.wav is the media of 2 interviews: d, e:?");
    ended.line("1 interview ids hold characters of");
    let table = all(&stage);
    assert!(table.text("error", 1).unwrap().contains("no sample \"three\" among 2; name one with sample_id: one, two"));
    let warnings = table.texts("warnings", 2).unwrap().join("\n");
    assert!(warnings.contains("sample_id \"one\" is not used"), "{warnings}");
}
