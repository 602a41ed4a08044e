//! Predictions as the benchmark's scripts take them: the reply of a model to a sample, with the scripts' own names of
//! fields, so that their metric code reads it without conversion.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::models::Prediction;
use super::question::Question;
use super::report::{TOP, names, rounded, value};
use super::trial::Trial;
use crate::tasks::{Reply, ReplyAnswer, RuleSpec};

/// Predictions by sample, each with its place in the table.
type BySample<'a> = BTreeMap<&'a str, Vec<(usize, Value)>>;

impl Trial {
    /// For each model its file name and lines, one a sample in the order of ids: the reply
    /// `{"sample_id": …, "predictions": […]}` that the scripts take of a model. Empty for tasks that are none of the
    /// benchmark's.
    pub fn replies(&self) -> Vec<(String, String)> {
        let rule = RuleSpec::named(&self.instances.rule);
        let Some(called) = rule.and_then(|r| r.reply) else { return Vec::new() };
        // By model in the order of reports, then sample: the instances in the table's order.
        let mut files: Vec<(String, BySample<'_>)> = Vec::new();
        for (q, model, predictions) in &self.predictions {
            let name = format!("{}.jsonl", model.name());
            let at = files.iter().position(|(n, _)| *n == name).unwrap_or_else(|| {
                files.push((name, BTreeMap::new()));
                files.len() - 1
            });
            for one in predictions {
                let row = &self.instances.rows[one.instance];
                let told = self.reply(called, &self.questions[*q], one);
                files[at].1.entry(&row.interview_id).or_default().push((one.instance, told));
            }
        }
        let line = |(sample, mut list): (&str, Vec<(usize, Value)>)| {
            list.sort_by_key(|(instance, _)| *instance);
            let list: Vec<Value> = list.into_iter().map(|(_, told)| told).collect();
            json!({"sample_id": sample, "predictions": list}).to_string() + "\n"
        };
        files.into_iter().map(|(name, samples)| (name, samples.into_iter().map(line).collect())).collect()
    }

    fn reply(&self, called: Reply, question: &Question, one: &Prediction) -> Value {
        let row = &self.instances.rows[one.instance];
        let found = names(question, row, one).unwrap_or_default();
        let mut told = Map::new();
        told.insert(called.id.into(), json!(row.id));
        match called.answer {
            ReplyAnswer::Decision(key) => {
                told.insert(key.into(), json!(found.first()));
                told.insert("confidence".into(), json!(one.score.map(rounded)));
                told.insert("reason".into(), json!(""));
            }
            ReplyAnswer::Top(key) => {
                let mut top = found;
                top.resize(TOP, String::new());
                told.insert(key.into(), json!(top));
            }
            ReplyAnswer::Felt(text, number) => {
                // Baselines have no words.
                told.insert(text.into(), json!(""));
                told.insert(number.into(), json!(value(one).map(|v| v as i64)));
            }
            ReplyAnswer::Views(key) => {
                let view =
                    |target: &String| json!({"source": row.speaker, "target": target, "viewpoint": "", "attitude": ""});
                told.insert(key.into(), json!(found.iter().map(view).collect::<Vec<_>>()));
            }
        }
        Value::Object(told)
    }
}

#[cfg(test)]
mod tests {
    use crate::tasks::RULES;

    #[test]
    fn each_rule_of_the_benchmark_has_its_reply() {
        for rule in RULES {
            assert!(rule.reply.is_some(), "{}", rule.name);
        }
    }
}
