//! Task tables: labels apart, features up to the cut-off, a planted leak refused by name.

use std::collections::BTreeMap;
use std::path::Path;

use turnwise::store::parquet::{self, FileMetadata};
use turnwise::store::read::{StoredTable, read};
use turnwise::table::{ColumnData, ColumnSpec, CutOff, Kind, Table, TableBuilder, TableSchema};
use turnwise::tasks::{FeatureSet, RULES, RuleSpec, SampleFeatures, Task, instances, read_tasks, task_table};
use turnwise::transcript::rescue::{Sample, read_samples};

fn rule(name: &str) -> &'static RuleSpec {
    RuleSpec::named(name).unwrap()
}

/// Four rows; the second runs on past the third's end.
fn sample(folder: &Path) -> Vec<Sample> {
    let row = |start: f64, end: f64, speaker: &str, state: &str| serde_json::json!({"start_time": start, "end_time": end, "primary_speaker": speaker, "relation_cycle_state": state});
    let rows = [
        row(0.0, 2.0, "Ann", ""),
        row(2.0, 9.0, "Bo", ""),
        row(3.0, 4.0, "Ann", ""),
        row(9.0, 10.0, "Therapist", "pursue_withdraw"),
    ];
    std::fs::write(folder.join("s.json"), serde_json::json!({ "rows": rows }).to_string()).unwrap();
    read_samples(&folder.join("s.json")).unwrap()
}

fn stored(folder: &Path) -> StoredTable {
    let column = |name: &'static str, cut_off| ColumnSpec::new(name, Kind::F64, "s", "A made column.").until(cut_off);
    let mut table = TableBuilder::new(TableSchema {
        name: "turns",
        description: "",
        columns: vec![
            ColumnSpec::new("interview_id", Kind::Str, "", "").until(CutOff::None),
            ColumnSpec::new("turn_index", Kind::I64, "", "").until(CutOff::None),
            column("start_secs", CutOff::TurnStart),
            column("level", CutOff::TurnEnd),
            column("gap_to_next_secs", CutOff::NextTurn),
            column("whole_sample", CutOff::Interview),
        ],
    });
    for i in 1..=4_i64 {
        let x = i as f64;
        table.row().set("interview_id", "s").set("turn_index", i).set("start_secs", x).set("level", 10.0 * x);
        table.set("gap_to_next_secs", 0.5).set("whole_sample", 1.0);
    }
    let path = folder.join("turns.parquet");
    parquet::write(&path, &table.finish().unwrap(), &FileMetadata::default()).unwrap();
    read(&path).unwrap()
}

fn task(features: &[&str]) -> Task {
    Task { features: features.iter().map(|f| (*f).to_owned()).collect(), lags: 2, ..Task::of(rule("rpp")) }
}

fn number(table: &Table, name: &str) -> Option<f64> {
    match table.column(name).unwrap_or_else(|| panic!("no column {name}")) {
        ColumnData::F64(v) => Some(v[0]).filter(|x| x.is_finite()),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_planted_leak_is_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let schema = [stored(folder.path()).schema().clone()];
    let leak = |features: &[&str]| FeatureSet::resolve(&task(features), &schema).unwrap_err().to_string();
    let told = leak(&["turns.*"]);
    assert!(
        told.contains("turns.gap_to_next_secs (cut-off next_turn)")
            && told.contains("turns.whole_sample (cut-off interview)"),
        "{told}"
    );
    assert!(!told.contains("turns.level"), "{told}");
    assert!(leak(&["turns.level", "turns.gap_to_next_secs"]).contains("turns.gap_to_next_secs"));
    let spared = Task { exclude: vec!["turns.gap_*".into(), "turns.whole_*".into()], ..task(&["turns.*"]) };
    assert_eq!(FeatureSet::resolve(&spared, &schema).unwrap().len(), 2);
    assert!(leak(&["samples.relation_cycle_state"]).contains("no source of features"));
    let told = leak(&["annotations.relation_cycle_state"]);
    assert!(told.contains("annotations.relation_cycle_state"), "tiers are no fields of samples: {told}");
    assert!(leak(&["turns.relation_cycle_state"]).contains("matches no numeric column"));
}

#[test]
fn features_end_where_the_turn_before_ends() {
    let folder = tempfile::tempdir().unwrap();
    let samples = sample(folder.path());
    let table = stored(folder.path());
    let task = task(&["turns.start_secs", "turns.level"]);
    let set = FeatureSet::resolve(&task, &[table.schema().clone()]).unwrap();
    let values: BTreeMap<String, SampleFeatures> = [("s".to_owned(), SampleFeatures::new(&set, &[table]))].into();
    let all = instances(&samples, &task);
    let made = task_table(&task, &all, &samples, &set, &values).unwrap();
    assert_eq!(made.rows(), 1);
    assert_eq!(number(&made, "cut_off_secs"), Some(4.0));
    // Row 3 is the last; row 2 runs until 9 s, so of it only the start may be known.
    assert_eq!(number(&made, "turns.level@0"), Some(30.0));
    assert_eq!(number(&made, "turns.level@1"), None);
    assert_eq!(number(&made, "turns.start_secs@1"), Some(2.0));
    assert_eq!(number(&made, "turns.level@mean"), Some(20.0));
    assert_eq!(made.column("rows_withheld"), Some(&ColumnData::I64(vec![Some(1)])));
    for column in made.schema().columns.iter().filter(|c| c.name.contains('@')) {
        assert!([CutOff::None, CutOff::TurnStart, CutOff::TurnEnd].contains(&column.cut_off), "{}", column.name);
        assert!(!column.name.contains("label") && !column.name.contains("relation"), "{}", column.name);
    }
    // Without tables every feature is null, and the instance is there all the same.
    let bare = task_table(&task, &all, &samples, &set, &BTreeMap::new()).unwrap();
    assert_eq!((bare.rows(), number(&bare, "turns.level@0")), (1, None));
}

#[test]
fn the_shipped_task_file_has_all_six_and_no_leak() {
    let tasks = read_tasks(&Path::new(env!("CARGO_MANIFEST_DIR")).join("pipelines/tasks/rescue.toml")).unwrap();
    assert_eq!(tasks.iter().map(|t| t.rule).collect::<Vec<_>>(), RULES);
    let folder = tempfile::tempdir().unwrap();
    let recipe = turnwise::recipe::Recipe::default();
    let wanted = ["turns", "turn_faces", "dyads"];
    let empty = turnwise::pipeline::schemas(&recipe).into_iter().filter(|s| wanted.contains(&s.name)).map(|s| {
        let path = folder.path().join(s.name);
        parquet::write(&path, &TableBuilder::new(s).finish().unwrap(), &FileMetadata::default()).unwrap();
        read(&path).unwrap().schema().clone()
    });
    let schemas: Vec<_> = empty.collect();
    for task in &tasks {
        let set = FeatureSet::resolve(task, &schemas).unwrap_or_else(|e| panic!("{e}"));
        assert!(set.len() > 50, "{}: {}", task.name, set.len());
    }
}

/// Every text that stands in a label field of a sample's rows, at least a word long.
fn label_texts(sample: &Sample) -> Vec<String> {
    let rows = &sample.rows;
    let emotions = rows.iter().flat_map(|r| &r.internal_emotion).map(|e| e.emotion_description.clone());
    let views =
        rows.iter().flat_map(|r| &r.viewpoints_attitudes).flat_map(|v| [v.viewpoint.clone(), v.attitude.clone()]);
    let strategies = rows
        .iter()
        .flat_map(|r| &r.support_strategy)
        .flat_map(|s| [s.strategy_type.clone(), s.strategy_content.clone()]);
    let states = rows
        .iter()
        .flat_map(|r| [r.relation_cycle_state.clone(), r.relation_cycle_reason.clone(), r.relation_pattern.clone()]);
    let types = rows.iter().map(|r| r.utterance_type.clone());
    emotions.chain(views).chain(strategies).chain(states).chain(types).filter(|t| t.len() > 3).collect()
}

#[test]
fn evidence_is_of_the_context_and_holds_no_label() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/rescue/json");
    let samples = read_samples(&data).unwrap();
    let labels: BTreeMap<&str, Vec<String>> = samples.iter().map(|s| (s.id.as_str(), label_texts(s))).collect();
    let (mut shown, mut seen) = (0, String::new());
    for rule in RULES {
        let task = Task { context_size: 4, ..Task::of(rule) };
        let all = instances(&samples, &task);
        let made = task_table(&task, &all, &samples, &FeatureSet::default(), &BTreeMap::new()).unwrap();
        let Some(ColumnData::StrList(evidence)) = made.column("evidence_rows") else { panic!("no evidence_rows") };
        for (one, rows) in all.iter().zip(evidence) {
            let rows: Vec<serde_json::Value> =
                rows.as_ref().unwrap().iter().map(|r| serde_json::from_str(r).unwrap()).collect();
            let indices: Vec<u64> = rows.iter().map(|r| r["row_index"].as_u64().unwrap()).collect();
            assert_eq!(indices, one.context.iter().map(|r| u64::from(*r)).collect::<Vec<_>>(), "{}", one.id);
            for row in &rows {
                // What was said may hold a label's words by chance; no other field may.
                let mut row = row.clone();
                row.as_object_mut().unwrap().remove("dialogue_cleaned");
                let text = row.to_string();
                assert!(labels[one.sample_id.as_str()].iter().all(|l| !text.contains(l.as_str())), "{} {text}", one.id);
                seen += &text;
                shown += 1;
            }
        }
    }
    assert!(
        shown > 1000 && seen.contains("HUMAN nod") && seen.contains("HUMAN tone") && !seen.contains("a plain string"),
        "{shown}"
    );
}
