//! Candidates in the context: who of them spoke and was spoken to, how often and how lately. From speakers and targets
//! of the context rows, which every evidence mode shows; never from the instance's own hidden row, nor from a
//! candidate's place in the list (an appended one is the answer).

use super::rescue::Instance;
use super::rule::{Candidates, RuleSpec};
use crate::table::{ColumnSpec, CutOff, Kind, TableBuilder};
use crate::transcript::rescue::{COUPLE, FAMILY, Row, Sample, THERAPIST};

/// Name and description of each fact: a number for each candidate.
const FACTS: [(&str, &str); 7] = [
    ("candidates_is_group", "For each candidate 1 where it is the group label, else 0."),
    ("candidates_is_therapist", "For each candidate 1 where it is the therapist, else 0."),
    ("candidates_spoke_last", "For each candidate 1 where it spoke the last context row, else 0."),
    ("candidates_named_last", "For each candidate 1 where the last context row is directed to it, else 0."),
    ("candidates_turn_share", "For each candidate its share of the context rows, 0 to 1."),
    ("candidates_named_share", "For each candidate the share of context rows directed to it, 0 to 1."),
    (
        "candidates_recency",
        "For each candidate 1 / (1 + context rows after its last one); 0 where it did not speak in the context.",
    ),
];

/// The columns, all known by the end of the last context row.
pub(super) fn columns(rule: &RuleSpec) -> impl Iterator<Item = ColumnSpec> {
    let people = rule.candidates == Candidates::People;
    FACTS
        .into_iter()
        .filter(move |_| people)
        .map(|(name, text)| ColumnSpec::new(name, Kind::F32List, "1", text).until(CutOff::TurnEnd))
}

/// Sets them for an instance whose candidates are people.
pub(super) fn fill(table: &mut TableBuilder, rule: &RuleSpec, one: &Instance, sample: &Sample) {
    if rule.candidates != Candidates::People {
        return;
    }
    let rows: Vec<&Row> = sample.rows.iter().filter(|r| one.context.binary_search(&r.row_index).is_ok()).collect();
    let facts: Vec<[f32; FACTS.len()]> = one.candidates.iter().map(|c| facts(c, &rows)).collect();
    for (i, (name, _)) in FACTS.iter().enumerate() {
        table.set(name, facts.iter().map(|f| f[i]).collect::<Vec<f32>>());
    }
}

fn facts(candidate: &str, rows: &[&Row]) -> [f32; FACTS.len()] {
    let flag = |yes: bool| f32::from(u8::from(yes));
    let spoke = |row: &&&Row| row.primary_speaker == candidate;
    let named = |row: &&&Row| row.target.iter().any(|t| t == candidate);
    let share = |n: usize| if rows.is_empty() { 0.0 } else { n as f32 / rows.len() as f32 };
    let last = rows.last();
    let after = rows.iter().rev().position(|r| r.primary_speaker == candidate);
    [
        flag(candidate == COUPLE || candidate == FAMILY),
        flag(candidate == THERAPIST),
        flag(last.as_ref().is_some_and(spoke)),
        flag(last.as_ref().is_some_and(named)),
        share(rows.iter().filter(spoke).count()),
        share(rows.iter().filter(named).count()),
        after.map_or(0.0, |n| 1.0 / (1.0 + n as f32)),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tasks::{Task, instances};
    use crate::transcript::rescue::read_samples;

    #[test]
    fn only_rows_of_the_context_count() {
        let folder = tempfile::tempdir().unwrap();
        let row = |speaker: &str, target: &str| serde_json::json!({"start_time": 0, "end_time": 1, "primary_speaker": speaker, "target": [target]});
        let mut last = row("Therapist", "Ann");
        last["support_strategy"] = serde_json::json!([{"strategy_type": "join"}]);
        let rows = [row("Ann", "Bo"), row("Ann", "Therapist"), row("Bo", "Ann"), last, row("Ann", "Bo")];
        let path = folder.path().join("s.json");
        std::fs::write(&path, serde_json::json!({ "rows": rows }).to_string()).unwrap();
        let samples = read_samples(&path).unwrap();
        let one = &instances(&samples, &Task::of(RuleSpec::named("stp").unwrap()))[0];
        assert_eq!((one.candidates.join(" "), one.context.as_slice()), ("Ann Bo Couple".into(), &[1, 2, 3][..]));
        let rows: Vec<&Row> = samples[0].rows[..3].iter().collect();
        for (name, rows, expected) in [
            ("Ann", &rows[..], [0.0, 0.0, 0.0, 1.0, 2.0 / 3.0, 1.0 / 3.0, 0.5]),
            ("Bo", &rows[..], [0.0, 0.0, 1.0, 0.0, 1.0 / 3.0, 1.0 / 3.0, 1.0]),
            ("Couple", &rows[..], [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]),
            ("Ann", &[], [0.0; 7]),
        ] {
            let near = |(a, b): (&f32, &f32)| (a - b).abs() < 1e-6;
            assert!(facts(name, rows).iter().zip(&expected).all(near), "{name} {:?}", facts(name, rows));
        }
    }
}
