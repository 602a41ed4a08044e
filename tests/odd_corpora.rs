//! Corpora that nobody thought of: names that are written in no ordinary way, rows out of order, labels outside of their
//! set, one person alone, columns of which nothing is known. What is told of them is right, or told to be wrong.

use crate::made::TASKS;
use crate::rig::{Rig, Turn};
use serde_json::{Value, json};
use turnwise::store::paths::table_path;
use turnwise::store::read::{StoredTable, read};

impl Rig {
    fn task_table(&self, name: &str) -> StoredTable {
        read(&table_path(&self.at("out"), "tasks", name).unwrap()).unwrap()
    }

    /// Changes the rows of a sample's annotations.
    fn annotate(&self, id: &str, change: impl Fn(usize, &mut Value)) {
        let path = self.at(&format!("ann/{id}.json"));
        let mut sample: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
        sample["rows"].as_array_mut().unwrap().iter_mut().enumerate().for_each(|(i, row)| change(i, row));
        std::fs::write(path, sample.to_string()).unwrap();
    }
}

fn all_tasks(rest: &str) -> String {
    TASKS.iter().map(|t| format!("[[task]]\nname = \"{t}\"\nrule = \"{t}\"\n{rest}\n")).collect()
}

/// Everybody in turn, two seconds each.
fn talk<'a>(people: &[&'a str], turns: usize) -> Vec<Turn<'a>> {
    (0..turns).map(|i| (people[i % people.len()], 2.0 * i as f64, 2.0 * i as f64 + 1.5, &[][..])).collect()
}

#[test]
fn a_name_is_the_same_wherever_it_stands() {
    let odd = "Zoë \"Q\" O'Neil,\n小明 😀\tJr. {target}";
    let clean = "Zoë \"Q\" O'Neil, 小明 😀 Jr. {target}";
    let rig = Rig::new();
    rig.interview("p/a", &talk(&[clean, "Bo", "Therapist"], 12));
    // As people wrote it, in every place.
    rig.annotate("p/a", |_, row| {
        if row["primary_speaker"] == clean {
            row["primary_speaker"] = json!(odd);
            row["internal_emotion"][0]["person"] = json!(odd);
        } else if row["primary_speaker"] == "Therapist" {
            row["support_strategy"][0]["target"] = json!([odd]);
        }
        let speaker = row["primary_speaker"].clone();
        row["viewpoints_attitudes"] = json!([{"source": speaker, "target": odd, "viewpoint": "v", "attitude": "a"}]);
        row["target"] = json!([odd]);
    });
    rig.write("t.toml", &all_tasks(""));
    rig.run(&["tasks", "out", "--annotations", "ann", "--tasks", "t.toml", "-q"]);
    rig.run(&["export", "jsonl", "out", "--to", "lines", "-q"]);
    let lines = |task: &str| -> Vec<Value> {
        let text = std::fs::read_to_string(rig.at(&format!("lines/{task}.jsonl"))).unwrap();
        text.lines().map(|l| serde_json::from_str(l).unwrap()).collect()
    };
    let is_option = |one: &Value, name: &Value| one["options"].as_array().unwrap().contains(name);
    let all: Vec<Value> = TASKS.into_iter().flat_map(lines).collect();
    for row in all.iter().flat_map(|one| one["context"].as_array().unwrap()) {
        assert!(row["speaker"] == clean || row["speaker"] == "Bo" || row["speaker"] == "Therapist", "{row}");
        assert_eq!(row["target"], json!([clean]));
    }
    assert!(lines("stp").iter().all(|one| one["label"] == clean && is_option(one, &one["label"])));
    for one in lines("vp") {
        assert!(is_option(&one, &one["label"][0]["target"]) && is_option(&one, &one["label"][0]["source"]), "{one}");
        let question = one["question"].as_str().unwrap();
        assert!(!question.contains("the other") && question.contains("in the last turn shown"), "{question}");
    }
    assert!(lines("er").iter().any(|one| one["question"].as_str().unwrap().contains(clean)));
    // An answer by that name is right.
    let answers: String =
        lines("stp").iter().map(|one| json!({"id": one["id"], "answer": [clean]}).to_string() + "\n").collect();
    rig.write("answers.jsonl", &answers);
    let told = rig.run(&["evaluate", "out/tasks", "--task", "stp", "--predictions", "answers.jsonl"]).0;
    let line = told.lines().find(|l| l.contains("recall_at_1")).unwrap();
    assert!(line.contains("1.000"), "{told}");
}

#[test]
fn of_rows_that_have_not_begun_nothing_is_known() {
    let rig = Rig::new();
    // Numbered in another order than they are spoken in.
    rig.interview(
        "a",
        &[("Ann", 50.0, 52.0, &[]), ("Bo", 3.0, 9.0, &[]), ("Ann", 4.0, 6.0, &[]), ("Therapist", 7.0, 8.0, &[])],
    );
    rig.write("t.toml", "[[task]]\nname = \"rpp\"\nrule = \"rpp\"\nlags = 3\nfeatures = [\"turns.start_secs\", \"turns.duration_secs\"]\n");
    rig.run(&["tasks", "out", "--annotations", "ann", "--tasks", "t.toml", "-q"]);
    let table = rig.task_table("rpp");
    let value = |name: &str| table.number(name, 0);
    assert_eq!(table.number("cut_off_secs", 0), Some(6.0));
    // The last row, one that runs on, of which the start is known, and one that has not begun.
    let starts = [0, 1, 2].map(|lag| value(&format!("turns.start_secs@{lag}")));
    let lengths = [0, 1, 2].map(|lag| value(&format!("turns.duration_secs@{lag}")));
    assert_eq!((starts, lengths), ([Some(4.0), Some(3.0), None], [Some(2.0), None, None]));
    assert_eq!((value("turns.start_secs@mean"), value("turns.duration_secs@mean")), (Some(3.5), Some(2.0)));
    assert_eq!(value("rows_withheld"), Some(2.0));
}

#[test]
fn a_state_outside_of_the_taxonomy_is_told_and_never_right() {
    let rig = Rig::new();
    for id in ["p/a", "q/a", "r/a"] {
        rig.interview(id, &talk(&["Ann", "Bo", "Therapist"], 12));
        rig.annotate(id, |i, row| {
            if row["primary_speaker"] == "Therapist" {
                row["relation_cycle_state"] = json!(if i == 2 { "never named" } else { "pursue_withdraw" });
            }
        });
    }
    let tasks = all_tasks("").replace(
        "rule = \"rpp\"\n",
        "rule = \"rpp\"\ntaxonomy = { couple = [\"attack_attack\", \"pursue_withdraw\", \"x\", \"y\"] }\n",
    );
    rig.write("t.toml", &tasks);
    let (_, err) = rig.run(&["tasks", "out", "--annotations", "ann", "--tasks", "t.toml"]);
    assert!(err.contains("3 labels are outside of the taxonomy"), "{err}");
    let ids = rig.task_table("rpp");
    let answers: String = (0..ids.rows())
        .map(|row| {
            let (id, sample) = (ids.text("instance_id", row).unwrap(), ids.text("interview_id", row).unwrap());
            json!({"turn_id": id, "sample_id": sample, "relation_top3": ["pursue_withdraw"]}).to_string() + "\n"
        })
        .collect();
    rig.write("p.jsonl", &answers);
    let told = rig.run(&["evaluate", "out/tasks", "--task", "rpp", "--predictions", "p.jsonl", "--to", "e"]).0;
    assert!(
        told.contains("couple: 3 labels are outside of the closed set, and no answer to them can be right"),
        "{told}"
    );
    // Three of four states of the four named never occur, and count 0: (9 of 12 right, 1 of 4 states).
    let line = |name: &str| told.lines().find(|l| l.contains(name)).unwrap_or_else(|| panic!("{name}: {told}"));
    assert!(line("recall_at_1").contains("0.750") && line("macro_recall").contains("0.250"), "{told}");
    assert!(line("macro_precision").contains("0.188"), "{told}");
    let (code, told, err) = rig.turnwise(&["baseline", "out/tasks", "--task", "rpp"]);
    assert!(code == Some(0) && told.contains("3 labels are outside of the closed set"), "{told} {err}");
}

#[test]
fn an_answer_that_is_no_number_is_told() {
    let rig = Rig::new();
    rig.interview("p/a", &talk(&["Ann", "Bo", "Therapist"], 12));
    rig.write("t.toml", &all_tasks(""));
    rig.run(&["tasks", "out", "--annotations", "ann", "--tasks", "t.toml", "-q"]);
    let table = rig.task_table("er");
    let said = [json!("7/10"), json!(7), json!("high")];
    let answers: String = said
        .iter()
        .enumerate()
        .map(|(row, said)| json!({"id": table.text("instance_id", row), "answer": said}).to_string() + "\n")
        .collect();
    rig.write("p.jsonl", &answers);
    let told = rig.run(&["evaluate", "out/tasks", "--task", "er", "--predictions", "p.jsonl"]).0;
    assert!(told.contains("7/10") && told.contains("high") && told.contains("2 answers are"), "{told}");
}

#[test]
fn ids_that_differ_by_case_alone_never_share_a_file() {
    let rig = Rig::new();
    rig.interview("p/a", &talk(&["Ann", "Bo", "Therapist"], 6));
    rig.interview("p/A", &talk(&["Ann", "Bo", "Therapist"], 6));
    let (code, _, err) = rig.turnwise(&["export", "rescue", "out", "--annotations", "ann", "--bench", "bench"]);
    assert!(code == Some(2) && err.contains("differ from it by case alone"), "{err}");
}

#[test]
fn one_person_and_columns_of_nothing_give_what_there_is() {
    let rig = Rig::new();
    let numbers: &[(&str, f64)] = &[("pitch_mean_semitones", f64::NAN), ("level_mean_db", f64::NAN)];
    let turns: Vec<Turn<'_>> = talk(&["Ann"], 8).into_iter().map(|(who, a, b, _)| (who, a, b, numbers)).collect();
    rig.interview("p/a", &turns);
    rig.annotate("p/a", |i, row| {
        row["dialogue_cleaned"] = json!(if i % 2 == 0 { "  " } else { "So it was then and so it is now." });
    });
    rig.write("t.toml", &all_tasks("features = [\"turns.pitch_mean_semitones\", \"turns.level_mean_db\"]"));
    rig.run(&["tasks", "out", "--annotations", "ann", "--tasks", "t.toml", "-q"]);
    let counts = TASKS.map(|t| rig.task_table(t).rows());
    assert_eq!(counts, [0, 0, 0, 0, 3, 0]);
    let table = rig.task_table("er");
    assert!((0..3).all(|row| table.number("turns.pitch_mean_semitones@0", row).is_none()));
    rig.run(&["export", "jsonl", "out", "--to", "lines", "-q"]);
    let lines = std::fs::read_to_string(rig.at("lines/er.jsonl")).unwrap();
    assert!(!lines.contains("NaN") && lines.lines().count() == 3, "{lines}");
    for line in lines.lines() {
        let one: Value = serde_json::from_str(line).unwrap();
        assert_eq!(one["cues"], json!([]), "nothing was measured: {line}");
    }
    let (code, told, err) = rig.turnwise(&["baseline", "out/tasks", "--task", "all"]);
    assert!(code.is_some() && !(told.clone() + &err).contains("NaN") && !err.contains("panicked"), "{told} {err}");
}

#[test]
fn a_label_that_no_training_fold_has_seen_is_wrong_and_nothing_else() {
    let rig = Rig::new();
    let mut lines = String::from("interview_id,turn_index,label\n");
    for (g, label) in [("p", "a, b"), ("q", "a, b"), ("r", "Ann"), ("s", "a, b"), ("t", "a, b")] {
        let numbers: &[(&str, f64)] =
            if label == "Ann" { &[("pitch_mean_semitones", 30.0)] } else { &[("pitch_mean_semitones", 20.0)] };
        let turns: Vec<Turn<'_>> =
            talk(&["Ann", "Bo"], 6).into_iter().map(|(who, a, b, _)| (who, a, b, numbers)).collect();
        rig.interview(&format!("{g}/1"), &turns);
        (1..=6).for_each(|turn| lines += &format!("{g}/1,{turn},\"{label}\"\n"));
    }
    rig.write("labels.csv", &lines);
    rig.write(
        "t.toml",
        "[[task]]\nname = \"x\"\ninclude_current = true\nfeatures = [\"turns.pitch_mean_semitones\"]\n[task.labels]\n\
         unit = \"turn\"\nkind = \"multiclass\"\nfile = \"labels.csv\"\n",
    );
    rig.run(&["tasks", "out", "--tasks", "t.toml", "-q"]);
    let told = rig.run(&["baseline", "out/tasks", "--task", "x", "--folds", "5"]).0;
    assert!(told.contains("0.800") && !told.contains("NaN"), "{told}");
    let table = rig.task_table("x");
    assert_eq!(table.texts("candidates", 0).unwrap(), ["Ann", "a, b"]);
    // CSV with the comma is one label.
    let answers: String =
        (0..table.rows()).map(|r| format!("{},\"a, b\"\n", table.text("instance_id", r).unwrap())).collect();
    rig.write("p.csv", &format!("id,label\n{answers}"));
    let told = rig.run(&["evaluate", "out/tasks", "--task", "x", "--predictions", "p.csv"]).0;
    let line = told.lines().find(|l| l.trim_start().starts_with("accuracy")).unwrap_or_else(|| panic!("{told}"));
    assert!(line.contains("0.800"), "{told}");
}
