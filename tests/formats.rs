//! Stories about `--format`: the same tables in every format, one format per folder, and everything that reads them
//! goes on.

use crate::stage::{Stage, Told};
use turnwise::store::read::{StoredTable, read};
use turnwise::table::{ColumnData, Kind};

const CUES: &str =
    "1\n00:00:00,100 --> 00:00:00,900\nANNA: \"so\", we began\n\n2\n00:00:01,000 --> 00:00:01,900\n王小明: to look\n";
const FORMATS: [&str; 3] = ["parquet", "csv", "arrow"];

fn corpus(stage: &Stage) {
    stage.cut("b.wav", "20", "2", &["-vn", "-c:a", "pcm_s16le"]);
    stage.write("cues.srt", CUES);
    stage.write("corpus.csv", "interview_id,media,transcript\na,b.wav,cues.srt\nshow/b.1,b.wav,cues.srt\n");
}

fn extract(stage: &Stage, out: &str, format: &str, options: &[&str]) -> Told {
    let mut arguments = vec!["extract", "corpus.csv", "--out", out, "--jobs", "1", "--set", "input.skip_video=true"];
    arguments.extend(["--format", format]);
    arguments.extend(options);
    stage.run(&arguments)
}

/// Values, with a text that is empty told as none: CSV has one field for both.
fn values(table: &StoredTable) -> String {
    let fit = |column: &ColumnData| match column {
        ColumnData::Str(v) => ColumnData::Str(v.iter().map(|t| t.clone().filter(|t| !t.is_empty())).collect()),
        other => other.clone(),
    };
    format!("{:?} {:?}", table.schema(), table.columns().iter().map(fit).collect::<Vec<_>>())
}

#[test]
fn every_format_holds_the_same_and_a_run_goes_on_in_it() {
    let stage = Stage::new();
    corpus(&stage);
    for format in FORMATS {
        let out = format!("out_{format}");
        extract(&stage, &out, format, &[]).line("2 done, 0 already done, 0 failed");
        extract(&stage, &out, format, &[]).line("0 done, 2 already done, 0 failed");
        let shown = stage.run(&["inspect", &out]);
        assert!(
            shown.code == 0 && shown.out.contains("2 interviews: 2 done") && shown.out.contains("show/b.1"),
            "{}",
            shown.out
        );
    }
    let tables =
        stage.files("out_parquet").into_keys().filter_map(|name| name.strip_suffix(".parquet").map(str::to_owned));
    let mut compared = 0;
    for table in tables {
        let of = |format: &str| values(&read(&stage.path(&format!("out_{format}/{table}.{format}"))).unwrap());
        assert!(of("parquet") == of("csv"), "{table}: CSV");
        assert!(of("parquet") == of("arrow"), "{table}: Arrow");
        compared += 1;
    }
    assert!(compared >= 2 * 8, "{compared}");
    let csv = stage.files("out_csv");
    assert!(
        csv.keys().all(|name| !name.ends_with(".parquet")) && csv.contains_key("interviews.csv-metadata.json"),
        "{:?}",
        csv.keys()
    );

    // What lies beside a table is part of it.
    std::fs::remove_file(stage.path("out_csv/turns/a.csv-metadata.json")).unwrap();
    extract(&stage, "out_csv", "csv", &[]).line("1 done, 1 already done, 0 failed");
    // An interview that is no longer in the manifest goes with all its files.
    stage.write("corpus.csv", "interview_id,media,transcript\na,b.wav,cues.srt\n");
    extract(&stage, "out_csv", "csv", &["--prune"]).line("0 done, 1 already done, 0 failed");
    assert!(stage.files("out_csv").keys().all(|name| !name.contains("b.1")));
    assert_eq!(read(&stage.path("out_csv/interviews.csv")).unwrap().rows(), 1);
}

#[test]
fn a_folder_of_another_format_is_refused_by_name_and_left_as_it_is() {
    let stage = Stage::new();
    corpus(&stage);
    extract(&stage, "out", "csv", &[]).line("2 done");
    let before = stage.files("out");
    for other in ["parquet", "arrow"] {
        let refused = extract(&stage, "out", other, &["--force"]);
        let line = refused.line("error: ");
        assert!(
            refused.code == 2 && line.contains("out holds tables as csv") && line.contains("--format csv"),
            "{line}"
        );
    }
    assert!(stage.files("out") == before);
    let unknown = extract(&stage, "out", "xlsx", &[]);
    assert!(unknown.code == 2 && unknown.err.contains("[possible values: parquet, csv, arrow]"), "{}", unknown.err);
    // A table of one file, too: which of the two would be current?
    assert_eq!(stage.run(&["voice", "b.wav", "--out", "voice", "--format", "csv"]).code, 0);
    let refused = stage.run(&["voice", "b.wav", "--out", "voice"]);
    assert!(refused.code == 2 && refused.line("error: ").contains("voice/lld.csv"), "{}", refused.err);
    assert!(!stage.path("voice/lld.parquet").exists());
}

#[test]
fn tasks_and_baselines_read_and_write_every_format() {
    let stage = Stage::new();
    let corpus =
        crate::made::Corpus { samples: 12, samples_each: 2, rows: 30, more: 0, planted: 0.5, wide: false, seed: 5 };
    corpus.write(&stage.path("out"), &stage.path("annotations"));
    stage.write("tasks.toml", "[[task]]\nname = \"er\"\nrule = \"er\"\ncontext_size = 6\nlags = 2\nfeatures = [\"turns.*_secs\"]\nexclude = [\"turns.end_secs\"]\n");
    let mut metrics = Vec::new();
    for format in FORMATS {
        let _ = std::fs::remove_dir_all(stage.path("out/tasks"));
        let made =
            stage.run(&["tasks", "out", "--annotations", "annotations", "--tasks", "tasks.toml", "--format", format]);
        assert!(made.code == 0 && made.out.contains(&format!("out/tasks/er.{format}: ")), "{}{}", made.out, made.err);
        let table = read(&stage.path(&format!("out/tasks/er.{format}"))).unwrap();
        assert!(table.schema().columns.iter().any(|c| c.kind == Kind::StrList) && table.rows() > 0);
        let to = format!("baseline_{format}");
        let tried = stage.run(&[
            "baseline",
            "out/tasks",
            "--task",
            "er",
            "--folds",
            "3",
            "--resamples",
            "100",
            "--out",
            &to,
            "--format",
            format,
        ]);
        assert_eq!(tried.code, 0, "{}", tried.err);
        metrics.push(std::fs::read_to_string(stage.path(&format!("{to}/er/metrics.json"))).unwrap());
        assert!(read(&stage.path(&format!("{to}/er/predictions.{format}"))).unwrap().rows() > 0);
    }
    assert!(metrics.iter().all(|m| *m == metrics[0]), "{metrics:?}");
    let twice = stage.run(&["tasks", "out", "--annotations", "annotations", "--tasks", "tasks.toml"]);
    assert!(twice.code == 2 && twice.line("error: ").contains("out/tasks/er.arrow"), "{}", twice.err);
}

#[test]
fn a_damaged_table_is_unreadable_input_and_no_wrong_request() {
    let stage = Stage::new();
    stage.cut("b.wav", "20", "2", &["-vn", "-c:a", "pcm_s16le"]);
    for format in FORMATS {
        let out = format!("voice_{format}");
        assert_eq!(stage.run(&["voice", "b.wav", "--out", &out, "--format", format]).code, 0);
        let path = stage.path(&format!("{out}/lld.{format}"));
        let bytes = std::fs::read(&path).unwrap();
        std::fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
        let told = stage.run(&["inspect", &format!("{out}/lld.{format}")]);
        assert!(told.code == 1 && told.line("error: ").contains("lld."), "{}", told.err);
    }
    assert_eq!(stage.run(&["inspect", "gone.parquet"]).code, 1);
    // A wrong request stays one.
    std::fs::create_dir(stage.path("empty")).unwrap();
    assert_eq!(stage.run(&["inspect", "empty"]).code, 2);
}
