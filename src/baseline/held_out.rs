//! Nothing that a model is made of, its choices included, has seen the groups that it answers.

use super::fusion::Fusion;
use super::instances::{Ablation, Feature, TaskRow, TaskTable};
use super::metrics::Truth;
use super::models::{BaselineModel, Fold};
use super::notes::Notes;
use super::question::{Question, questions};
use crate::random::Random;
use crate::table::Modality;

const GROUPS: usize = 12;

fn table(kind: &str, levels: &[&str]) -> TaskTable {
    let mut random = Random::seeded(4);
    let n = 240;
    let x: Vec<Vec<f64>> = (0..4).map(|_| (0..n).map(|_| random.signed()).collect()).collect();
    let row = |i: usize| {
        let score = x[0][i] + x[1][i] * x[2][i] + 0.3 * x[3][i];
        let place = ((score + 1.5) / 3.0 * levels.len() as f64).clamp(0.0, levels.len() as f64 - 1.0) as usize;
        TaskRow {
            id: i.to_string(),
            interview_id: format!("g{}", i % GROUPS),
            split_group: format!("g{}", i % GROUPS),
            label: levels[place].to_owned(),
            value: Some(place as f64),
            candidates: levels.iter().map(|l| (*l).to_owned()).collect(),
            ..TaskRow::default()
        }
    };
    let rows = (0..n).map(row).collect();
    let senses = [Modality::Voice, Modality::Face, Modality::Voice, Modality::Face];
    let feature = |(k, values): (usize, &Vec<f64>)| Feature {
        name: format!("turns.x{k}@0"),
        modality: senses[k],
        given: false,
        values: values.clone(),
    };
    let features = x.iter().enumerate().map(feature).collect();
    TaskTable { rule: "labels".into(), kind: kind.into(), rows, features, ..TaskTable::default() }
}

fn models(kind: &str) -> Vec<BaselineModel> {
    let mut all = vec![BaselineModel::Majority, BaselineModel::Prior];
    all.extend([Modality::Voice, Modality::Face].map(|m| BaselineModel::Linear(Ablation::Only(m))));
    all.extend([BaselineModel::Linear(Ablation::All), BaselineModel::Boosted]);
    all.extend([Fusion::Mean, Fusion::Stacked].map(BaselineModel::Fused));
    if kind == "ordinal" {
        all.push(BaselineModel::Ordinal);
    }
    all
}

#[test]
fn labels_of_the_groups_held_out_change_no_answer() {
    for (kind, levels) in
        [("multiclass", &["a", "b", "c"][..]), ("ordinal", &["1", "2", "3", "4"]), ("regression", &["1", "2", "3"])]
    {
        let all = table(kind, levels);
        let question = questions(&all, &mut Notes::default()).unwrap().remove(0);
        let (test, train): (Vec<usize>, Vec<usize>) = (0..all.rows.len()).partition(|i| i % GROUPS < 3);
        let answers = |question: &Question| {
            let fold = Fold { all: &all, question, index: 0, train: train.clone(), test: test.clone(), seed: 1 };
            fold.outcome(&models(kind)).predictions
        };
        let told = answers(&question);
        let mut turned = question.clone();
        for i in &test {
            turned.truths[*i] = match &turned.truths[*i] {
                Truth::Class(place) => Truth::Class(place.map(|p| (p + 1) % levels.len())),
                Truth::Number(x) => Truth::Number((x + 1.0) % levels.len() as f64),
                several => several.clone(),
            };
        }
        assert_ne!(question.truths, turned.truths);
        assert_eq!(told, answers(&turned), "{kind}");
        // The learners do learn something here: their answers are not majority's.
        for (model, own) in models(kind).iter().zip(&told).skip(2) {
            let apart = own.iter().zip(&told[0]).filter(|(a, b)| a.answer != b.answer).count();
            assert!(apart > 5, "{kind} {}: {apart}", model.name());
        }
    }
}

#[test]
fn features_of_one_test_row_change_the_answer_to_that_row_alone() {
    let all = table("multiclass", &["a", "b", "c"]);
    let question = questions(&all, &mut Notes::default()).unwrap().remove(0);
    let (test, train): (Vec<usize>, Vec<usize>) = (0..all.rows.len()).partition(|i| i % GROUPS < 3);
    let answers = |all: &TaskTable| {
        let fold = Fold { all, question: &question, index: 0, train: train.clone(), test: test.clone(), seed: 1 };
        fold.outcome(&models("multiclass")).predictions
    };
    let told = answers(&all);
    let mut wild = all.clone();
    wild.features.iter_mut().for_each(|f| f.values[test[0]] = -3.0 * f.values[test[0]] + 5.0);
    let found = answers(&wild);
    let mut changed = 0;
    for (model, (a, b)) in models("multiclass").iter().zip(told.iter().zip(&found)) {
        assert_eq!(a[1..], b[1..], "{}", model.name());
        changed += usize::from(a[0] != b[0]);
    }
    assert!(changed > 3, "{changed}");
}
