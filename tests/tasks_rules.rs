//! The instances of all six tasks equal those of an independent second implementation in Python, on made samples full
//! of traps.

use std::path::{Path, PathBuf};
use std::process::Command;

use turnwise::tasks::{RULES, RuleSpec, Task, check, instances};
use turnwise::transcript::rescue::{read_samples, read_samples_leniently};

fn rule(name: &str) -> &'static RuleSpec {
    RuleSpec::named(name).unwrap()
}

fn tests_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests")
}

fn second_implementation(data: &Path, options: &str) -> serde_json::Value {
    let script = tests_folder().join("rescue_rules.py");
    let run = Command::new("python3").arg(script).arg(data).arg(options).output().unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    serde_json::from_slice(&run.stdout).unwrap()
}

/// A task with the same options as the JSON text.
fn task(rule: &'static RuleSpec, options: &str) -> Task {
    let o: serde_json::Value = serde_json::from_str(options).unwrap();
    let count = |key: &str, default: u64| usize::try_from(o[key].as_u64().unwrap_or(default)).unwrap();
    let yes = |key: &str| o[key].as_bool().unwrap_or(false);
    Task {
        context_size: o["context_size"].as_i64().unwrap_or(Task::of(rule).context_size),
        max_per_class: count("max_per_class", 0),
        max_per_sample: count("max_per_sample", 5),
        min_dialogue_words: count("min_dialogue_words", 5),
        taxonomy: serde_json::from_value(o["taxonomy"].clone()).unwrap_or_default(),
        any_speaker: yes("any_speaker"),
        include_current: yes("include_current"),
        known_emotion: yes("known_emotion"),
        ..Task::of(rule)
    }
}

#[test]
fn all_instances_equal_the_second_implementation() {
    let fixtures = tests_folder().join("fixtures/rescue");
    for options in [
        "{}",
        r#"{"context_size": 1, "taxonomy": {"couple": ["repair_softening", "attack_attack", "never_seen"]}}"#,
        r#"{"context_size": 5, "max_per_class": 3, "min_dialogue_words": 4, "known_emotion": true}"#,
        r#"{"context_size": 0, "max_per_class": 1, "max_per_sample": 1, "any_speaker": true, "include_current": true}"#,
        r#"{"context_size": 2, "max_per_class": 2, "max_per_sample": 4, "any_speaker": true, "known_emotion": true, "min_dialogue_words": 1}"#,
    ] {
        for data in ["json", "samples.jsonl"] {
            let data = fixtures.join(data);
            let mut samples = read_samples(&data).unwrap();
            assert!(samples.len() >= 12);
            if data.is_file() {
                // A file keeps its order in both.
                samples.sort_by_key(|s| {
                    std::fs::read_to_string(&data).unwrap().find(&format!("\"sample_id\":\"{}\"", s.id))
                });
            }
            assert!(samples.iter().all(|s| s.id_from_content == data.is_file()));
            let mut theirs = second_implementation(&data, options);
            for rule in RULES {
                let ours = instances(&samples, &task(rule, options));
                let theirs: Vec<serde_json::Value> = serde_json::from_value(theirs[rule.name].take()).unwrap();
                assert!(ours.len() > 5, "{}: {} instances", rule.name, ours.len());
                for (a, b) in ours.iter().zip(&theirs) {
                    assert_eq!(&serde_json::to_value(a).unwrap(), b, "{} with {options}", rule.name);
                }
                assert_eq!(ours.len(), theirs.len(), "{} with {options}", rule.name);
            }
        }
    }
}

#[test]
fn balanced_classes_and_nothing_after_the_decision_point() {
    let samples = read_samples(&tests_folder().join("fixtures/rescue/json")).unwrap();
    for sample in &samples {
        let own = instances(std::slice::from_ref(sample), &Task::of(rule("itp")));
        assert_eq!(own.iter().filter(|i| i.label == "yes").count() * 2, own.len(), "{}", sample.id);
        assert!(own.iter().all(|i| i.context.last() == Some(&i.row)));
    }
    for rule in [rule("rpp"), rule("stp"), rule("ssp")] {
        assert!(instances(&samples, &Task::of(rule)).iter().all(|i| i.context.iter().all(|&r| r < i.row)));
    }
}

#[test]
fn the_check_counts_and_complains() {
    let (samples, dropped) = read_samples_leniently(&tests_folder().join("fixtures/rescue/json")).unwrap();
    let media =
        [("loose_file".to_owned(), Some(5.0)), ("mara_and_tom/004_long".to_owned(), None)].into_iter().collect();
    let found = check(&samples, &dropped, Some(&media));
    for expected in [
        "15 samples, 515 rows",
        "couple: 11 samples",
        "ITP: 164 instances",
        "SSP: 85 instances",
        "mara_and_tom/004_long: couple, 120 rows",
        "all rows with media",
        "rows without media (past its end)",
        "rows without media (no such interview)",
        "overlaps row",
        "no length",
        "strategy \"hum\" is not one of couple therapy",
        "has no intensity from 0 to 10",
        "no target",
    ] {
        assert!(found.text.contains(expected), "{expected}\n{}", found.text);
    }
    assert!(found.problems > 0 && found.text.ends_with(&format!("{} problems\n", found.problems)));
}

#[test]
fn rows_that_cannot_be_used_are_told_by_the_check() {
    let folder = tempfile::tempdir().unwrap();
    let rows = r#"{"rows": [{"start_time": 0, "end_time": 2, "primary_speaker": "Ann"}, {"start_time": 3, "end_time": 1, "primary_speaker": "Ann"}]}"#;
    std::fs::write(folder.path().join("a.json"), rows).unwrap();
    assert!(read_samples(folder.path()).is_err());
    let (samples, dropped) = read_samples_leniently(folder.path()).unwrap();
    assert_eq!(samples[0].rows.len(), 1);
    assert!(dropped[0].contains("a.json") && dropped[0].contains("row 2: end 1 s before start 3 s"), "{dropped:?}");
    assert!(check(&samples, &dropped, None).text.contains("end 1 s before start 3 s"));
}
