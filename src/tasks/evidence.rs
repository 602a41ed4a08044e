//! Evidence: what an evaluator may show of a row in each evidence mode, cleaned as the benchmark does; no label field
//! is ever in it.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::transcript::rescue::{Description, Row};

/// What an evaluator may show of the context.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Evidence {
    /// Speaker, target, text, background dialogue.
    Dialogue,
    /// And the tone of voice.
    Audio,
    /// Dialogue and what is seen.
    Visual,
    /// All of them.
    #[default]
    Audiovisual,
    /// Clips of the rows.
    TurnVideoAudio,
}

impl Evidence {
    /// All.
    pub const ALL: [Evidence; 5] =
        [Evidence::Dialogue, Evidence::Audio, Evidence::Visual, Evidence::Audiovisual, Evidence::TurnVideoAudio];

    /// The mode of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mode| mode.name() == name)
    }

    /// As written in task files and tables.
    pub fn name(self) -> &'static str {
        match self {
            Evidence::Dialogue => "dialogue",
            Evidence::Audio => "audio",
            Evidence::Visual => "visual",
            Evidence::Audiovisual => "audiovisual",
            Evidence::TurnVideoAudio => "turn_video_audio",
        }
    }
}

/// A row as a JSON object with the benchmark's field names.
///
/// Background dialogue needs speaker, target and content; descriptions need person and text (plain strings go);
/// interactions need initiator, target and text. Times are left out: they tell when the next row begins.
/// `turn_video_audio` shows a clip, whose place the review manifest tells, beside the dialogue.
pub(super) fn evidence(row: &Row, mode: Evidence) -> Value {
    let mut told = Map::new();
    let mut put = |key: &str, value: Value| told.insert(key.to_owned(), value);
    put("row_index", json!(row.row_index));
    put("primary_speaker", json!(row.primary_speaker));
    put("target", json!(row.target));
    put("dialogue_cleaned", json!(row.dialogue_cleaned));
    let background = row
        .background_dialogue
        .iter()
        .filter(|b| !b.speaker.is_empty() && !b.target.is_empty() && !b.content.is_empty());
    let background = background.map(|b| json!({"speaker": b.speaker, "target": b.target, "content": b.content}));
    put("background_dialogue", background.collect());
    if matches!(mode, Evidence::Audio | Evidence::Audiovisual) {
        put("tone_of_voice", json!(row.tone_of_voice));
    }
    if matches!(mode, Evidence::Visual | Evidence::Audiovisual) {
        put("body_posture", descriptions(&row.body_posture));
        put("facial_expressions", descriptions(&row.facial_expressions));
        put("self_directed_behavior", descriptions(&row.self_directed_behavior));
        let whole = row
            .interaction_behavior
            .iter()
            .filter(|i| !i.initiator.is_empty() && !i.target.is_empty() && !i.description.is_empty());
        let whole = whole.map(|i| json!({"initiator": i.initiator, "target": i.target, "description": i.description}));
        put("interaction_behavior", whole.collect());
    }
    Value::Object(told)
}

fn descriptions(list: &[Description]) -> Value {
    let whole = list.iter().filter(|d| !d.person.is_empty() && !d.description.is_empty());
    whole.map(|d| json!({"person": d.person, "description": d.description})).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transcript::rescue::read_samples;

    #[test]
    fn each_mode_shows_its_fields_cleaned_and_no_label() {
        let folder = tempfile::tempdir().unwrap();
        let row = json!({"start_time": 1, "end_time": 2, "primary_speaker": " Ann ", "target": ["Bo"], "dialogue_cleaned": "Well.",
            "utterance_type": "LABEL", "tone_of_voice": "flat",
            "background_dialogue": [{"speaker": "Bo", "target": ["Ann"], "content": "Hm."}, {"speaker": "Bo", "target": [], "content": "x"}],
            "body_posture": ["plain", {"person": "Ann", "description": "leans in"}, {"person": "Ann"}, {"person": "", "description": "y"}],
            "facial_expressions": {"person": "Bo", "description": "smiles"}, "self_directed_behavior": [],
            "interaction_behavior": [{"initiator": "Ann", "target": ["Bo"], "description": "nods"}, {"initiator": "Ann", "description": "z"}],
            "internal_emotion": [{"person": "Ann", "emotion_description": "LABEL", "intensity": 3}],
            "viewpoints_attitudes": [{"source": "Ann", "target": "Bo", "viewpoint": "LABEL", "attitude": "LABEL"}],
            "support_strategy": [{"provider": "Therapist", "target": ["Ann"], "strategy_type": "LABEL", "strategy_content": "LABEL"}],
            "relation_cycle_state": "LABEL", "relation_cycle_reason": "LABEL", "relation_pattern": "LABEL", "relation_pattern_reason": "LABEL"});
        let path = folder.path().join("s.json");
        std::fs::write(&path, json!({"rows": [row]}).to_string()).unwrap();
        let sample = &read_samples(&path).unwrap()[0];
        let shown = |mode| evidence(&sample.rows[0], mode);
        let dialogue = json!({"row_index": 1, "primary_speaker": "Ann", "target": ["Bo"], "dialogue_cleaned": "Well.",
            "background_dialogue": [{"speaker": "Bo", "target": ["Ann"], "content": "Hm."}]});
        assert_eq!(shown(Evidence::Dialogue), dialogue);
        assert_eq!(shown(Evidence::TurnVideoAudio), dialogue);
        let keys = |v: Value| v.as_object().unwrap().keys().cloned().collect::<Vec<_>>().join(" ");
        let seen = "body_posture dialogue_cleaned facial_expressions interaction_behavior primary_speaker row_index \
                    self_directed_behavior target";
        assert_eq!(
            keys(shown(Evidence::Audio)),
            "background_dialogue dialogue_cleaned primary_speaker row_index target tone_of_voice"
        );
        assert_eq!(keys(shown(Evidence::Visual)), format!("background_dialogue {seen}"));
        let all = shown(Evidence::Audiovisual);
        assert_eq!(keys(all.clone()), format!("background_dialogue {seen} tone_of_voice"));
        assert_eq!(all["body_posture"], json!([{"person": "Ann", "description": "leans in"}]));
        assert_eq!(all["facial_expressions"], json!([{"person": "Bo", "description": "smiles"}]));
        assert_eq!(all["interaction_behavior"], json!([{"initiator": "Ann", "target": ["Bo"], "description": "nods"}]));
        assert!(!all.to_string().contains("LABEL"));
    }
}
