//! RESCUE-bench samples anew: the cue fields from measurements or empty, every other field as it was.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Map, Value, json};

use super::cues::{CueField, Phrase, Told};
use super::hidden::Hidden;
use crate::error::{Error, Result};
use crate::store::agreement::AnnotatedRow;
use crate::tasks::Evidence;
use crate::transcript::rescue::is_one_a_line;

/// The benchmark's lists of person and description.
const OF_PEOPLE: [(&str, CueField); 3] = [
    ("body_posture", CueField::BodyPosture),
    ("facial_expressions", CueField::FacialExpressions),
    ("self_directed_behavior", CueField::SelfDirectedBehavior),
];

/// The samples of a file with their ids: the file's place among the annotations; of a file with one a line, their own.
///
/// # Errors
/// [`Error::Read`]; [`Error::Parse`] with the line of what is no sample.
pub(super) fn samples_of(file: &Path, relative: &Path) -> Result<Vec<(String, Value)>> {
    let place: Vec<String> = relative.with_extension("").iter().map(|c| c.to_string_lossy().into_owned()).collect();
    let text = crate::file::read_text(file)?;
    let pieces: Vec<(usize, &str)> = if is_one_a_line(file) {
        text.lines().enumerate().map(|(i, l)| (i + 1, l)).filter(|(_, l)| !l.trim().is_empty()).collect()
    } else {
        vec![(0, &text)]
    };
    let mut samples = Vec::new();
    for (line, piece) in pieces {
        let hint = "a RESCUE-bench sample is a JSON object with a list \"rows\"";
        let sample: Value =
            serde_json::from_str(piece).map_err(|e| Error::parse(file, line, format!("no JSON sample: {e}"), hint))?;
        if !sample.get("rows").is_some_and(Value::is_array) {
            return Err(Error::parse(file, line, "no sample", hint));
        }
        let own = sample.get("sample_id").and_then(Value::as_str).map(|s| s.trim().to_owned());
        let id = own.filter(|_| is_one_a_line(file));
        samples.push((id.filter(|s| !s.is_empty()).unwrap_or_else(|| place.join("/")), sample));
    }
    Ok(samples)
}

/// Index, speaker, start and end of a sample's rows, as far as they are there.
pub(super) fn rows_of(sample: &Value) -> Vec<AnnotatedRow> {
    let rows = sample.get("rows").and_then(Value::as_array).into_iter().flatten().enumerate();
    rows.filter_map(|(position, row)| {
        let time = |name: &str| row.get(name).and_then(Value::as_f64);
        let speaker = row.get("primary_speaker").and_then(Value::as_str).unwrap_or_default().trim().to_owned();
        Some(AnnotatedRow {
            index: u32::try_from(position + 1).ok()?,
            speaker,
            span: time("start_time").zip(time("end_time")),
        })
    })
    .collect()
}

/// Words of the labels of all samples: what a cue may not show of any.
pub(super) fn label_words<'a>(samples: impl Iterator<Item = &'a Value> + Clone) -> Hidden {
    let rows = samples.flat_map(|s| s.get("rows").and_then(Value::as_array).into_iter().flatten());
    let text = |value: &'a Value, key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default();
    let listed = |row: &'a Value, key: &str| row.get(key).and_then(Value::as_array).into_iter().flatten();
    let closed = rows.clone().flat_map(|row| {
        let own = ["relation_cycle_state", "relation_pattern", "utterance_type"].map(|key| text(row, key));
        own.into_iter().chain(listed(row, "support_strategy").map(|s| text(s, "strategy_type")))
    });
    let felt = rows.clone().flat_map(|row| listed(row, "internal_emotion").map(|e| text(e, "emotion_description")));
    Hidden::of(closed).and_texts(felt)
}

/// Replaces the cue fields of a sample's rows, which people wrote; `cues` by the row's position, from 1. What was not
/// measured is empty, as is what would show a word of `hidden`.
pub fn rewrite(sample: &mut Value, cues: &BTreeMap<u32, Told>, hidden: &Hidden) {
    let Some(rows) = sample.get_mut("rows").and_then(Value::as_array_mut) else { return };
    let nothing = Told::default();
    for (position, row) in rows.iter_mut().enumerate() {
        let Some(row) = row.as_object_mut() else { continue };
        let told = u32::try_from(position + 1).ok().and_then(|i| cues.get(&i)).unwrap_or(&nothing);
        row.extend(fields(&told.shown(Evidence::Audiovisual, hidden)));
    }
}

fn joined(phrases: &[Phrase]) -> String {
    phrases.iter().map(|p| p.words.as_str()).collect::<Vec<_>>().join("; ")
}

/// The benchmark's cue fields, empty where nothing is told.
pub(super) fn fields(told: &Told) -> Map<String, Value> {
    let mut fields = Map::from_iter([("tone_of_voice".to_owned(), json!(joined(&told.tone)))]);
    for (name, field) in OF_PEOPLE {
        let items = told.people.iter().filter(|((f, _), _)| *f == field);
        let items = items.map(|((_, person), words)| json!({"person": person, "description": joined(words)}));
        fields.insert(name.into(), items.collect());
    }
    let items = told.interactions.iter();
    let items =
        items.map(|((from, to), words)| json!({"initiator": from, "target": [to], "description": joined(words)}));
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
        let phrase = |words: &str| Phrase { words: words.into(), pattern: words.into() };
        let mut told = Told { tone: ["louder", "faster", "tense"].map(phrase).into(), ..Told::default() };
        told.people.insert((CueField::FacialExpressions, "Bo".into()), vec![phrase("smiles")]);
        told.interactions.insert(("Ann".into(), "Bo".into()), vec![phrase("answers late")]);
        let felt = json!({"rows": [{"internal_emotion": [{"emotion_description": "Tense"}]}]});
        rewrite(&mut sample, &[(2, told)].into(), &label_words([&felt].into_iter()));
        assert!(!sample.to_string().contains("HUMAN"));
        let rows = &sample["rows"];
        assert_eq!((&rows[0]["tone_of_voice"], &rows[0]["facial_expressions"]), (&json!(""), &json!([])));
        assert_eq!(rows[1]["tone_of_voice"], "louder; faster");
        assert_eq!(rows[1]["facial_expressions"], json!([{"person": "Bo", "description": "smiles"}]));
        assert_eq!(
            rows[1]["interaction_behavior"],
            json!([{"initiator": "Ann", "target": ["Bo"], "description": "answers late"}])
        );
        assert_eq!((&rows[1]["body_posture"], &rows[1]["self_directed_behavior"]), (&json!([]), &json!([])));
        assert_eq!((&rows[1]["start_time"], &rows[1]["primary_speaker"]), (&json!(0.25), &json!(" Ann ")));
        assert_eq!((&rows[0]["internal_emotion"], &sample["extra"]), (&json!([{"person": "Ann"}]), &json!(1)));
    }
}
