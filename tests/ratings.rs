//! Tasks from continuous ratings and from judgements between two people: windows look at nothing after their end, a
//! rater's lag is found, agreement is told, and the examples go from transcripts to metrics.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use crate::made::{Chance, refused, run, text};
use serde_json::Value;
use turnwise::pipeline::schemas;
use turnwise::recipe::Recipe;
use turnwise::store::parquet::{self, FileMetadata};
use turnwise::store::paths::table_path;
use turnwise::store::read::{StoredTable, read};
use turnwise::table::{ColumnSpec, Kind, TableBuilder, TableSchema};

/// A turn: who, from, to, level.
type Turn = (&'static str, f64, f64, f64);

/// Writes the turns table of an interview, its numbers null but for times and level.
fn write_turns(out: &Path, id: &str, turns: &[Turn]) {
    let all = schemas(&Recipe::default());
    let schema = all.into_iter().find(|s| s.name == "turns").unwrap();
    let kept = ["interview_id", "turn_index", "speaker", "start_secs", "end_secs", "level_mean_db"];
    let columns = schema.columns.iter().filter(|c| kept.contains(&&*c.name)).cloned().collect();
    let mut table = TableBuilder::new(TableSchema { columns, ..schema });
    for (i, (who, from, to, level)) in turns.iter().enumerate() {
        table.row().set("interview_id", id).set("turn_index", i + 1).set("speaker", *who);
        table.set("start_secs", *from).set("end_secs", *to).set("level_mean_db", *level);
    }
    let path = table_path(out, "turns", id).unwrap();
    parquet::write(&path, &table.finish().unwrap(), &FileMetadata::default()).unwrap();
}

/// Turns one after another, each with a level of its own.
fn turns(chance: &mut Chance, count: usize) -> Vec<Turn> {
    let mut time = 0.0;
    let turn = |i: usize| {
        let length = 2.0 + 4.0 * chance.unit();
        let from = time;
        time += length;
        (["Ann", "Bo"][i % 2], from, from + length, 10.0 * chance.noise())
    };
    (0..count).map(turn).collect()
}

/// The level of the turn that holds at a time.
fn level(turns: &[Turn], time: f64) -> f64 {
    turns.iter().find(|t| t.1 <= time && time < t.2).map_or(0.0, |t| t.3)
}

/// The lag that is told.
fn told_lag(told: &str) -> f64 {
    told.split("lag of the ratings ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap()
}

fn task(folder: &Path, unit: &str, windows: &str) -> PathBuf {
    let text = format!(
        "[[task]]\nname = \"felt\"\nfeatures = [\"turns.level_mean_db\"]\nlags = 2\n[task.labels]\nunit = \"{unit}\"\nkind = \"regression\"\n\
         file = \"ratings.csv\"\ncolumn = \"felt\"\n[task.labels.windows]\n{windows}"
    );
    let path = folder.join("tasks.toml");
    std::fs::write(&path, text).unwrap();
    path
}

fn table(out: &Path, name: &str) -> StoredTable {
    read(&out.join(format!("tasks/{name}.parquet"))).unwrap()
}

#[test]
fn ratings_that_are_two_seconds_late_are_found_two_seconds_late() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    for (lag, raters) in [(2.0, 1), (0.0, 1), (3.5, 3)] {
        let mut lines = "interview_id,rater,time_secs,felt\n".to_owned();
        for interview in 0..6 {
            let mut chance = Chance::new(40 + interview);
            let id = format!("g{interview}/i");
            let own = turns(&mut chance, 30);
            write_turns(&out, &id, &own);
            // Four values a second, each off by some noise of its own.
            for rater in 0..raters {
                for i in 0..4 * own.last().unwrap().2 as usize {
                    let time = f64::from(u32::try_from(i).unwrap()) / 4.0;
                    let felt = level(&own, time - lag) + 3.0 * chance.noise();
                    writeln!(lines, "{id},R{rater},{time},{felt:.3}").unwrap();
                }
            }
        }
        std::fs::write(folder.path().join("ratings.csv"), &lines).unwrap();
        let tasks =
            task(folder.path(), "window", "length_secs = 8\nstep_secs = 4\nlag_from = [\"turns.level_mean_db\"]\n");
        let told = run(&["tasks", text(&out), "--tasks", text(&tasks)]);
        // Values a quarter of a second apart are told by the one before: half of that later.
        assert!((told_lag(&told) - lag).abs() <= 0.25, "{lag}: {told}");
        assert!(told.contains("turns.level_mean_db is correlated 0.9"), "{told}");
        assert_eq!(told.contains("ICC(A,k)"), raters > 1, "{told}");
    }
}

#[test]
fn a_window_is_the_mean_of_its_raters_and_looks_at_nothing_after_its_end() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let own: [Turn; 4] =
        [("Ann", 0.0, 4.0, 1.0), ("Bo", 4.0, 9.0, 2.0), ("Ann", 9.0, 12.0, 4.0), ("Bo", 12.0, 20.0, 8.0)];
    write_turns(&out, "g/i", &own);
    // R1 goes from 1 to 3 at 6 s, R2 stays at 5 and stops at 11 s.
    let lines = "interview_id,rater,time_secs,felt\ng/i,R1,0,1\ng/i,R1,6,3\ng/i,R1,22,3\ng/i,R2,0,5\ng/i,R2,11,5\n";
    std::fs::write(folder.path().join("ratings.csv"), lines).unwrap();
    let tasks = task(folder.path(), "window", "length_secs = 10\nstep_secs = 5\nlag_secs = 1\n");
    run(&["tasks", text(&out), "--tasks", text(&tasks)]);
    let found = table(&out, "felt");
    let number = |name: &str, row: usize| found.number(name, row);
    assert_eq!(found.text("instance_id", 0), Some("g/i__secs0.000to10.000"));
    // Windows from 0, 5, 10 and 15 s; the last is rated over 16 to 22 s of 16 to 26 s: more than half.
    assert_eq!(
        (0..found.rows()).map(|r| number("window_start_secs", r).unwrap()).collect::<Vec<_>>(),
        [0.0, 5.0, 10.0, 15.0]
    );
    // Over 1 to 11 s: R1 is at 1 for 5 s and at 3 for 5 s, R2 at 5.
    assert!((number("label_value", 0).unwrap() - (2.0 + 5.0) / 2.0).abs() < 1e-9);
    // Over 6 to 16 s R2 is known for half of the time.
    assert!((number("label_value", 1).unwrap() - 4.0).abs() < 1e-9);
    assert_eq!([0, 1, 2, 3].map(|r| number("label_raters", r)), [2.0, 2.0, 1.0, 1.0].map(Some));
    // The window to 10 s has the two turns that are over by then; that of 9 to 12 s goes on, and is withheld.
    assert_eq!((number("turns.level_mean_db@0", 0), number("turns.level_mean_db@mean", 0)), (Some(2.0), Some(1.5)));
    assert_eq!((number("rows_withheld", 0), number("cut_off_secs", 0)), (Some(1.0), Some(10.0)));
    assert_eq!((number("context_first_row", 1), number("context_last_row", 1)), (Some(2.0), Some(3.0)));
    // What comes after a window's end may be anything: nothing of the window changes.
    let mut wild = own;
    (wild[2].3, wild[3].3) = (-99.0, 99.0);
    write_turns(&out, "g/i", &wild);
    run(&["tasks", text(&out), "--tasks", text(&tasks)]);
    let again = table(&out, "felt");
    let cells = |t: &StoredTable, row: usize| {
        let cell =
            |c: &ColumnSpec| (c.name.to_string(), t.text(&c.name, row).map(str::to_owned), t.number(&c.name, row));
        // Debug, as what is missing is no number.
        format!("{:?}", t.schema().columns.iter().map(cell).collect::<Vec<_>>())
    };
    assert_eq!(cells(&found, 0), cells(&again, 0));
    assert_ne!(found.number("turns.level_mean_db@0", 1), again.number("turns.level_mean_db@0", 1));
    // Where a person is rated, theirs and the others' turns are apart.
    let lines = "interview_id,target,time_secs,felt\ng/i,Bo,0,1\ng/i,Bo,20,3\n";
    std::fs::write(folder.path().join("ratings.csv"), lines).unwrap();
    let tasks = task(folder.path(), "window", "length_secs = 12\nlag_secs = 0\n");
    write_turns(&out, "g/i", &own);
    run(&["tasks", text(&out), "--tasks", text(&tasks)]);
    let found = table(&out, "felt");
    assert_eq!(found.number("turns.level_mean_db@target", 0), Some(2.0));
    assert_eq!(found.number("turns.level_mean_db@others", 0), Some(2.5));
    assert_eq!(found.text("instance_id", 0), Some("g/i__Bo__secs0.000to12.000"));
}

#[test]
fn a_feature_that_looks_past_its_turn_is_refused_for_windows_and_dyads_over_them() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let all = schemas(&Recipe::default());
    let schema = all.into_iter().find(|s| s.name == "turns").unwrap();
    let mut table = TableBuilder::new(schema.clone());
    for i in 0..3 {
        table.row().set("interview_id", "g/i").set("turn_index", i + 1).set("speaker", ["Ann", "Bo"][i % 2]);
        table.set("start_secs", 5.0 * i as f64).set("end_secs", 5.0 * i as f64 + 4.0);
    }
    parquet::write(&table_path(&out, "turns", "g/i").unwrap(), &table.finish().unwrap(), &FileMetadata::default())
        .unwrap();
    let late = schema
        .columns
        .iter()
        .find(|c| c.cut_off.leaks_past(turnwise::table::CutOff::TurnEnd) && matches!(c.kind, Kind::F64 | Kind::F32))
        .map(|c| c.name.to_string())
        .unwrap();
    for (unit, header, keys) in [("window", "", ""), ("dyad", "source,target,", "Ann,Bo,")] {
        let lines = format!("interview_id,{header}time_secs,felt\ng/i,{keys}0,1\ng/i,{keys}14,3\n");
        std::fs::write(folder.path().join("ratings.csv"), lines).unwrap();
        let path = task(folder.path(), unit, "length_secs = 5\nlag_secs = 0\n");
        let args = ["tasks", text(&out), "--tasks", text(&path)];
        run(&args);
        let leaky = std::fs::read_to_string(&path).unwrap().replace("turns.level_mean_db", &format!("turns.{late}"));
        std::fs::write(&path, leaky).unwrap();
        let told = refused(&args);
        assert!(told.contains("look past the instance's cut-off") && told.contains(&late), "{unit}: {told}");
    }
}

#[test]
fn ratings_that_cannot_be_understood_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    write_turns(&out, "g/i", &[("Ann", 0.0, 4.0, 1.0), ("Bo", 4.0, 20.0, 2.0)]);
    let given = "length_secs = 5\nlag_secs = 0\n";
    let head = "interview_id,time_secs,felt\n";
    for (unit, windows, lines, expected) in [
        ("window", "length_secs = 5\n", "g/i,0,1\n", "raters react late"),
        ("window", "length_secs = 0\nlag_secs = 0\n", "g/i,0,1\n", "length_secs = 0: give 0.1 to 3600"),
        ("turn", given, "g/i,0,1\n", "unit = \"window\" or unit = \"dyad\""),
        ("window", given, "g/i,x,1\n", "time_secs \"x\" is no number"),
        ("window", given, "g/i,0,1\ng/i,0,2\n", "two ratings of g/i at 0 s"),
        ("window", given, "g/i,0,1\ng/i,1,2\n", "no window has enough ratings"),
        ("dyad", given, "g/i,0,1\n", "no column \"source\""),
        ("window", "length_secs = 5\nlag_from = [\"turns.nothing\"]\n", "g/i,0,1\ng/i,9,2\n", "lag_from turns.nothing"),
    ] {
        let path = task(folder.path(), unit, windows);
        std::fs::write(folder.path().join("ratings.csv"), format!("{head}{lines}")).unwrap();
        let told = refused(&["tasks", text(&out), "--tasks", text(&path)]);
        assert!(told.contains(expected), "{expected}: {told}");
    }
    std::fs::write(folder.path().join("ratings.csv"), "interview_id,time_secs,rator,felt\ng/i,0,R1,1\n").unwrap();
    let path = task(folder.path(), "window", given);
    let told = refused(&["tasks", text(&out), "--tasks", text(&path)]);
    assert!(told.contains("rator") && told.contains("rater"), "{told}");
}

#[test]
fn the_examples_of_ratings_and_pairs_go_from_transcripts_to_metrics() {
    let folder = tempfile::tempdir().unwrap();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let out = folder.path().join("out");
    run(&["extract", text(&root.join("data/sample/relations/corpus.csv")), "--out", text(&out)]);
    for (file, names) in [("ratings", &["tension", "warmth"][..]), ("pairs", &["leading"])] {
        let file = root.join(format!("pipelines/tasks/{file}.toml"));
        let told = run(&["tasks", text(&out), "--tasks", text(&file)]);
        if names.len() > 1 {
            assert!((told_lag(&told) - 2.0).abs() <= 0.25, "{told}");
            assert!(
                told.contains("tension: agreement of raters") && told.contains("ICC(A,k) = ICC(2,k) = 0."),
                "{told}"
            );
        }
        for name in names {
            let told = run(&["baseline", text(&out.join("tasks")), "--task", name]);
            let path = out.join("baseline").join(name).join("metrics.json");
            let found: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
            let apart = |model: &str| {
                let own = found["results"].as_array().unwrap().iter().find(|r| r["model"] == model).unwrap();
                own["better_than_majority_by"]["low"].as_f64().unwrap()
            };
            // 24 judgements are few for one line through 80 columns.
            let model = if *name == "leading" { "fusion_mean" } else { "linear_all" };
            assert!(apart(model) > 0.0, "{name}\n{told}");
        }
    }
    let pairs = table(&out, "leading");
    assert_eq!(pairs.rows(), 24);
    for row in 0..pairs.rows() {
        let both = pairs.texts("candidates", row).unwrap();
        assert!(
            both.len() == 2 && both[0] < both[1] && both.iter().any(|c| Some(c.as_str()) == pairs.text("label", row))
        );
    }
    // Any evaluator can ask the same.
    let to = folder.path().join("instances");
    run(&["export", "jsonl", text(&out), "--to", text(&to)]);
    let first = |task: &str| -> Value {
        serde_json::from_str(std::fs::read_to_string(to.join(format!("{task}.jsonl"))).unwrap().lines().next().unwrap())
            .unwrap()
    };
    assert!(first("leading")["question"].as_str().unwrap().starts_with("Who of Ann and Bo has more of \"leading\""));
    assert!(
        first("tension")["question"].as_str().unwrap().starts_with("People rated the stretch shown for \"tension\"")
    );
    // Whoever is judged by the same two in another order is judged the same.
    let leading = std::fs::read_to_string(root.join("data/sample/relations/leading.csv")).unwrap();
    let turned: String = leading
        .lines()
        .enumerate()
        .map(|(i, line)| {
            let cells: Vec<&str> = line.split(',').collect();
            if i == 0 {
                format!("{line}\n")
            } else {
                format!("{},{},{},{},{}\n", cells[0], cells[2], cells[1], cells[3], cells[4])
            }
        })
        .collect();
    std::fs::write(folder.path().join("leading.csv"), turned).unwrap();
    let task = std::fs::read_to_string(root.join("pipelines/tasks/pairs.toml")).unwrap();
    let path = folder.path().join("pairs.toml");
    std::fs::write(&path, task.replace("../../data/sample/relations/leading.csv", "leading.csv")).unwrap();
    let before = std::fs::read(out.join("tasks/leading.parquet")).unwrap();
    run(&["tasks", text(&out), "--tasks", text(&path)]);
    assert!(before == std::fs::read(out.join("tasks/leading.parquet")).unwrap());
}
