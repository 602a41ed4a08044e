//! A task table read back: instances with labels and candidates, and the features as columns sorted by modality.

use std::path::Path;

use crate::error::{Error, Result};
use crate::store::read::{StoredTable, read};
use crate::table::{ColumnData, CutOff, Kind};

/// What a feature measures, by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Modality {
    /// Lengths, words, pauses, rates: what the transcript and the clock tell.
    Timing,
    /// Pitch, level, voice quality.
    Voice,
    /// Blendshapes, head, gaze, presence.
    Face,
    /// What one does to the other.
    Dyad,
    /// Everything.
    All,
}

impl Modality {
    /// All of them, in the order of reports.
    pub const ALL: [Modality; 5] = [Modality::Timing, Modality::Voice, Modality::Face, Modality::Dyad, Modality::All];

    /// As written in reports.
    pub fn name(self) -> &'static str {
        match self {
            Modality::Timing => "timing",
            Modality::Voice => "voice",
            Modality::Face => "face",
            Modality::Dyad => "dyad",
            Modality::All => "all",
        }
    }

    /// The modality of a feature `table.column@which`; what is neither timing nor face in `turns` is voice.
    pub fn of(feature: &str) -> Self {
        const TIMING: [&str; 12] = [
            "duration",
            "words",
            "start_",
            "end_",
            "pause",
            "speaking_rate",
            "articulation_rate",
            "syllable_rate",
            "onset_",
            "speech_",
            "overlap_",
            "turns_",
        ];
        const FACE: [&str; 7] = ["blendshape_", "head_", "gaze_", "face_", "expression_", "blink", "mouth_"];
        let (table, column) = feature.split_once('.').unwrap_or(("turns", feature));
        let starts = |list: &[&str]| list.iter().any(|p| column.starts_with(p));
        match table {
            "dyads" => Modality::Dyad,
            "turn_faces" => Modality::Face,
            _ if starts(&FACE) => Modality::Face,
            _ if starts(&TIMING) => Modality::Timing,
            _ => Modality::Voice,
        }
    }
}

/// One instance.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Instance {
    pub(super) id: String,
    pub(super) interview_id: String,
    /// couple or family; empty where the task has no such thing.
    pub(super) group: String,
    /// What no fold may part.
    pub(super) split_group: String,
    pub(super) speaker: String,
    pub(super) label: String,
    /// Level or number.
    pub(super) value: Option<f64>,
    /// VP: targets of the speaker's viewpoints, each once.
    pub(super) targets: Vec<String>,
    pub(super) candidates: Vec<String>,
    /// By candidate, in the order of [`Instances::facts`].
    pub(super) facts: Vec<Vec<f64>>,
}

/// A feature of all instances; NaN = missing.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Feature {
    pub(super) name: String,
    /// `None` = told by the task itself: in every ablation.
    pub(super) modality: Option<Modality>,
    pub(super) values: Vec<f64>,
}

/// A task table.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Instances {
    pub(super) rule: String,
    pub(super) kind: String,
    pub(super) rows: Vec<Instance>,
    pub(super) features: Vec<Feature>,
    /// Names of the candidates' facts.
    pub(super) facts: Vec<String>,
}

/// Reads `path`; a table without rows has neither rule nor kind.
///
/// # Errors
/// [`Error::Parse`] for what is no task table; [`Error::Usage`] naming features whose cut-off passes the instance's.
pub(super) fn read_instances(path: &Path) -> Result<Instances> {
    let table = read(path)?;
    for name in ["interview_id", "instance_id", "split_group", "rule", "kind", "label"] {
        if table.column(name).is_none() {
            return Err(Error::parse(path, 0, format!("no task table: it has no column {name:?}"), "make it with turnwise tasks"));
        }
    }
    let text = |name: &str, row: usize| table.text(name, row).unwrap_or_default().to_owned();
    let whole = table.text("unit", 0).is_some_and(|u| u != "turn");
    let is_fact = |name: &str, kind| kind == Kind::F32List && name.starts_with("candidates_");
    let facts: Vec<String> = table.schema().columns.iter().filter(|c| is_fact(&c.name, c.kind)).map(|c| c.name.clone()).collect();
    let rows = (0..table.rows())
        .map(|row| {
            let candidates = table.texts("candidates", row).unwrap_or_default().to_vec();
            Instance {
                id: text("instance_id", row),
                interview_id: text("interview_id", row),
                group: text("group", row),
                split_group: text("split_group", row),
                speaker: text("speaker", row),
                label: text("label", row),
                value: table.number("label_intensity", row).or_else(|| table.number("label_value", row)),
                targets: targets(&table, row),
                facts: facts_of(&table, &facts, row, candidates.len()),
                candidates,
            }
        })
        .collect();
    let mut features = Vec::new();
    let mut leaks = Vec::new();
    for (spec, data) in table.schema().columns.iter().zip(table.columns()) {
        let is_number = matches!(spec.kind, Kind::F32 | Kind::F64 | Kind::I64 | Kind::Bool);
        if !is_number || !spec.name.contains('@') {
            continue;
        }
        if spec.cut_off.leaks_past(if whole { CutOff::Interview } else { CutOff::TurnEnd }) {
            leaks.push(format!("{} (cut-off {})", spec.name, spec.cut_off));
        }
        features.push(Feature { modality: Some(Modality::of(&spec.name)), name: spec.name.to_string(), values: numbers(data) });
    }
    if !leaks.is_empty() {
        return Err(Error::Usage {
            what: format!("{}: these features look past the instance's cut-off: {}", path.display(), leaks.join(", ")),
            hint: "make the table again with turnwise tasks".into(),
        });
    }
    features.extend(given(&table));
    Ok(Instances { rule: text("rule", 0), kind: text("kind", 0), rows, features, facts })
}

/// What the task itself tells: whether the support is for the group, and how strongly the target felt last.
fn given(table: &StoredTable) -> Vec<Feature> {
    let made = |name: &str, value: &dyn Fn(usize) -> f64| Feature {
        name: name.to_owned(),
        modality: None,
        values: (0..table.rows()).map(value).collect(),
    };
    let is_group = |row| match table.text("known_support_target", row) {
        Some(target) => f64::from(u8::from(target == "Couple" || target == "Family")),
        None => f64::NAN,
    };
    let felt = |row| table.number("known_emotion_intensity", row).unwrap_or(f64::NAN);
    let all = [made("given.target_is_group", &is_group), made("given.emotion_intensity", &felt)];
    all.into_iter().filter(|f| f.values.iter().any(|v| v.is_finite())).collect()
}

fn targets(table: &StoredTable, row: usize) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for text in table.texts("label_viewpoints", row).unwrap_or_default() {
        let target = serde_json::from_str::<serde_json::Value>(text).ok().and_then(|v| Some(v.get("target")?.as_str()?.to_owned()));
        found.extend(target.filter(|t| !found.contains(t)));
    }
    found
}

fn facts_of(table: &StoredTable, names: &[String], row: usize, candidates: usize) -> Vec<Vec<f64>> {
    let list = |name: &String| match table.column(name) {
        Some(ColumnData::F32List(v)) => v.get(row).cloned().flatten().unwrap_or_default(),
        _ => Vec::new(),
    };
    let lists: Vec<Vec<f32>> = names.iter().map(list).collect();
    let value = |list: &Vec<f32>, c: usize| list.get(c).map_or(0.0, |x| f64::from(*x)).max(0.0);
    (0..candidates).map(|c| lists.iter().map(|l| value(l, c)).collect()).collect()
}

fn numbers(data: &ColumnData) -> Vec<f64> {
    let or_nan = |x: f64| if x.is_finite() { x } else { f64::NAN };
    match data {
        ColumnData::F32(v) => v.iter().map(|x| or_nan(f64::from(*x))).collect(),
        ColumnData::F64(v) => v.iter().map(|x| or_nan(*x)).collect(),
        ColumnData::I64(v) => v.iter().map(|x| x.map_or(f64::NAN, |x| x as f64)).collect(),
        ColumnData::Bool(v) => v.iter().map(|x| x.map_or(f64::NAN, |x| f64::from(u8::from(x)))).collect(),
        ColumnData::Str(_) | ColumnData::F32List(_) | ColumnData::StrList(_) => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_the_modality() {
        for (name, modality) in [
            ("turns.duration_secs@0", Modality::Timing),
            ("turns.pause_count@mean", Modality::Timing),
            ("turns.pitch_mean_hz@1", Modality::Voice),
            ("turns.egemaps_loudness_sma3_amean@mean", Modality::Voice),
            ("turns.head_yaw_deg_mean@0", Modality::Face),
            ("turn_faces.blendshape_jawOpen_mean@0", Modality::Face),
            ("dyads.floor_offset_secs@mean", Modality::Dyad),
        ] {
            assert_eq!(Modality::of(name), modality, "{name}");
        }
    }
}
