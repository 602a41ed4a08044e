//! A task file: which rule makes the instances, how much context they have, and which features go with them.

use std::path::Path;

use serde::Deserialize;

use crate::error::{Error, Result};

/// The rule that makes a task's instances.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Rule {
    /// Intervention time: does the therapist speak next?
    Itp,
    /// Relation pattern of a turn.
    Rpp,
    /// Whom the therapist supports.
    Stp,
    /// How the therapist supports.
    Ssp,
    /// What the speaker feels.
    Er,
    /// What the speaker thinks of others.
    Vp,
}

impl Rule {
    /// All rules.
    pub const ALL: [Rule; 6] = [Rule::Itp, Rule::Rpp, Rule::Stp, Rule::Ssp, Rule::Er, Rule::Vp];

    /// The benchmark's short name in small letters.
    pub fn name(self) -> &'static str {
        match self {
            Rule::Itp => "itp",
            Rule::Rpp => "rpp",
            Rule::Stp => "stp",
            Rule::Ssp => "ssp",
            Rule::Er => "er",
            Rule::Vp => "vp",
        }
    }
}

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

/// One task.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Task {
    /// Name of the table: `OUT/tasks/<name>.parquet`.
    pub name: String,
    /// How instances are made.
    pub rule: Rule,
    /// Rows before the instance's own that are shown; -1 = all (VP: none).
    #[serde(default = "all_rows")]
    pub context_size: i64,
    /// What is shown of them.
    #[serde(default)]
    pub evidence: Evidence,
    /// ITP: at most so many instances a class and sample before balancing; 0 = no cap.
    #[serde(default)]
    pub max_per_class: usize,
    /// ER, VP: at most so many instances a sample; 0 = no cap.
    #[serde(default = "five")]
    pub max_per_sample: usize,
    /// ER: fewest words in the row's text.
    #[serde(default)]
    pub min_dialogue_words: usize,
    /// RPP: rows of any speaker instead of the therapist's alone.
    #[serde(default)]
    pub any_speaker: bool,
    /// RPP: show the row itself.
    #[serde(default)]
    pub include_current: bool,
    /// SSP: tell the target's most recent emotion within the context.
    #[serde(default)]
    pub known_emotion: bool,
    /// Columns of `turns`, `turn_faces` and `dyads` that become features: `table.column`, `*` and `?` as in file names.
    #[serde(default)]
    pub features: Vec<String>,
    /// Columns left out again.
    #[serde(default)]
    pub exclude: Vec<String>,
    /// So many last context rows have their features one by one (`@0` the last, `@1` the one before).
    #[serde(default = "one")]
    pub lags: usize,
}

fn all_rows() -> i64 {
    -1
}

fn five() -> usize {
    5
}

fn one() -> usize {
    1
}

impl Task {
    /// A rule with the benchmark's defaults and no features.
    pub fn of(rule: Rule) -> Self {
        Task {
            name: rule.name().into(),
            rule,
            context_size: -1,
            evidence: Evidence::default(),
            max_per_class: 0,
            max_per_sample: 5,
            min_dialogue_words: 0,
            any_speaker: false,
            include_current: false,
            known_emotion: false,
            features: Vec::new(),
            exclude: Vec::new(),
            lags: 1,
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    task: Vec<Task>,
}

/// Reads a task file: TOML with a `[[task]]` for each task.
///
/// # Errors
/// [`Error::Read`]; [`Error::Recipe`] for what is not understood, a name that is used twice or is no plain file name.
pub fn read_tasks(path: &Path) -> Result<Vec<Task>> {
    let text = std::fs::read_to_string(path).map_err(|source| Error::Read { path: path.to_owned(), source })?;
    let fail = |what: String| Error::Recipe { place: path.display().to_string(), what };
    let file: File = toml::from_str(&text).map_err(|e| fail(e.to_string()))?;
    for (i, task) in file.task.iter().enumerate() {
        let plain = !task.name.is_empty() && task.name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
        if !plain {
            return Err(fail(format!("task name {:?}: use letters, digits, `_` and `-`", task.name)));
        }
        if file.task[..i].iter().any(|t| t.name == task.name) {
            return Err(fail(format!("task name {:?} is used twice", task.name)));
        }
    }
    Ok(file.task)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_file_is_read_and_its_faults_are_named() {
        let read = |text: &str| {
            let dir = tempfile::tempdir().unwrap();
            let path = dir.path().join("t.toml");
            std::fs::write(&path, text).unwrap();
            read_tasks(&path)
        };
        let tasks = read("[[task]]\nname = \"a\"\nrule = \"rpp\"\ncontext_size = 3\nevidence = \"turn_video_audio\"\n").unwrap();
        assert_eq!(tasks[0], Task { name: "a".into(), context_size: 3, evidence: Evidence::TurnVideoAudio, ..Task::of(Rule::Rpp) });
        for (text, expected) in [
            ("[[task]]\nname = \"a\"\nrule = \"xyz\"\n", "xyz"),
            ("[[task]]\nname = \"a\"\nrule = \"er\"\nwindow = 3\n", "window"),
            ("[[task]]\nname = \"../a\"\nrule = \"er\"\n", "../a"),
            ("[[task]]\nname = \"a\"\nrule = \"er\"\n[[task]]\nname = \"a\"\nrule = \"vp\"\n", "used twice"),
        ] {
            let e = read(text).unwrap_err().to_string();
            assert!(e.contains(expected), "{e}");
        }
    }
}
