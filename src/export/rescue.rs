//! RESCUE-bench samples anew: the cue fields from measurements or empty, every other field as it was.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::cues::{CueField, Told};

/// The benchmark's lists of person and description.
const OF_PEOPLE: [(&str, CueField); 3] = [
    ("body_posture", CueField::BodyPosture),
    ("facial_expressions", CueField::FacialExpressions),
    ("self_directed_behavior", CueField::SelfDirectedBehavior),
];

/// Replaces the cue fields of a sample's rows, which people wrote; `cues` by `row_index`. What was not measured is empty.
pub fn rewrite(sample: &mut Value, cues: &BTreeMap<u32, Told>) {
    let Some(rows) = sample.get_mut("rows").and_then(Value::as_array_mut) else { return };
    let nothing = Told::default();
    for (position, row) in rows.iter_mut().enumerate() {
        let Some(row) = row.as_object_mut() else { continue };
        let index = row.get("row_index").and_then(Value::as_u64).and_then(|n| u32::try_from(n).ok());
        let told = index.or_else(|| u32::try_from(position + 1).ok()).and_then(|i| cues.get(&i)).unwrap_or(&nothing);
        row.extend(fields(told));
    }
}

/// The benchmark's cue fields, empty where nothing is told.
pub(super) fn fields(told: &Told) -> Map<String, Value> {
    let mut fields = Map::from_iter([("tone_of_voice".to_owned(), json!(told.tone.join("; ")))]);
    for (name, field) in OF_PEOPLE {
        let items = told.people.iter().filter(|((f, _), _)| *f == field);
        let items = items.map(|((_, person), words)| json!({"person": person, "description": words.join("; ")}));
        fields.insert(name.into(), items.collect());
    }
    let items = told.interactions.iter();
    let items = items.map(|((from, to), words)| json!({"initiator": from, "target": [to], "description": words.join("; ")}));
    fields.insert("interaction_behavior".into(), items.collect());
    fields
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_s_words_go_and_the_rest_stays() {
        let row = json!({"start_time": 0.25, "primary_speaker": " Ann ", "dialogue_cleaned": "x", "tone_of_voice": "HUMAN",
            "body_posture": ["HUMAN"], "interaction_behavior": [{"description": "HUMAN"}], "self_directed_behavior": "HUMAN",
            "internal_emotion": [{"person": "Ann"}]});
        let mut sample = json!({"rows": [row.clone(), row], "extra": 1});
        let mut told = Told { tone: vec!["louder".into(), "faster".into()], ..Told::default() };
        told.people.insert((CueField::FacialExpressions, "Bo".into()), vec!["smiles".into()]);
        told.interactions.insert(("Ann".into(), "Bo".into()), vec!["answers late".into()]);
        rewrite(&mut sample, &[(2, told)].into());
        assert!(!sample.to_string().contains("HUMAN"));
        let rows = &sample["rows"];
        assert_eq!((&rows[0]["tone_of_voice"], &rows[0]["facial_expressions"]), (&json!(""), &json!([])));
        assert_eq!(rows[1]["tone_of_voice"], "louder; faster");
        assert_eq!(rows[1]["facial_expressions"], json!([{"person": "Bo", "description": "smiles"}]));
        assert_eq!(rows[1]["interaction_behavior"], json!([{"initiator": "Ann", "target": ["Bo"], "description": "answers late"}]));
        assert_eq!((&rows[1]["body_posture"], &rows[1]["self_directed_behavior"]), (&json!([]), &json!([])));
        assert_eq!((&rows[1]["start_time"], &rows[1]["primary_speaker"]), (&json!(0.25), &json!(" Ann ")));
        assert_eq!((&rows[0]["internal_emotion"], &sample["extra"]), (&json!([{"person": "Ann"}]), &json!(1)));
    }
}
