//! RESCUE-bench samples anew: the cue fields from measurements or empty, every other field as it was.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::cues::CueField;

/// The benchmark's cue fields written by people; none of their text may stay.
const HUMAN: [&str; 4] = ["body_posture", "facial_expressions", "self_directed_behavior", "interaction_behavior"];

/// Replaces the cue fields of a sample's rows; `cues` by `row_index`. What was not measured is empty.
pub fn rewrite(sample: &mut Value, cues: &BTreeMap<u32, BTreeMap<CueField, String>>) {
    let Some(rows) = sample.get_mut("rows").and_then(Value::as_array_mut) else { return };
    for (position, row) in rows.iter_mut().enumerate() {
        let Some(row) = row.as_object_mut() else { continue };
        let index = row.get("row_index").and_then(Value::as_u64).and_then(|n| u32::try_from(n).ok());
        let own = index.or_else(|| u32::try_from(position + 1).ok()).and_then(|i| cues.get(&i));
        let told = |field| own.and_then(|o| o.get(&field)).cloned();
        let speaker = row.get("primary_speaker").and_then(Value::as_str).unwrap_or_default().trim().to_owned();
        for field in HUMAN {
            row.insert(field.into(), json!([]));
        }
        row.insert("tone_of_voice".into(), json!(told(CueField::ToneOfVoice).unwrap_or_default()));
        for (name, field) in [("facial_expressions", CueField::FacialExpressions), ("body_posture", CueField::BodyPosture)] {
            if let Some(words) = told(field) {
                row.insert(name.into(), json!([{"person": speaker, "description": words}]));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_s_words_go_and_the_rest_stays() {
        let row = json!({"start_time": 0.25, "primary_speaker": " Ann ", "dialogue_cleaned": "x", "tone_of_voice": "HUMAN",
            "body_posture": ["HUMAN"], "interaction_behavior": [{"description": "HUMAN"}], "internal_emotion": [{"person": "Ann"}]});
        let mut sample = json!({"rows": [row.clone(), row], "extra": 1});
        let smile = [(CueField::FacialExpressions, "smiles".to_owned()), (CueField::ToneOfVoice, "louder".to_owned())];
        rewrite(&mut sample, &[(2, smile.into())].into());
        assert!(!sample.to_string().contains("HUMAN"));
        let rows = &sample["rows"];
        assert_eq!(rows[0]["tone_of_voice"], "");
        assert_eq!(rows[1]["tone_of_voice"], "louder");
        assert_eq!(rows[1]["facial_expressions"], json!([{"person": "Ann", "description": "smiles"}]));
        assert_eq!((&rows[1]["body_posture"], &rows[1]["start_time"]), (&json!([]), &json!(0.25)));
        assert_eq!((&rows[0]["internal_emotion"], &sample["extra"]), (&json!([{"person": "Ann"}]), &json!(1)));
    }
}
