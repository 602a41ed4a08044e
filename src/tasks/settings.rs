//! A task file: which rule makes the instances, how much context they have, and which features go with them.

use std::path::Path;

use serde::Deserialize;

use super::choices::{DialogueWords, Taxonomy};
use super::clips::Clips;
use super::definitions::Definitions;
use super::evidence::Evidence;
pub use super::label_settings::{LabelUnit, Labels, Whose};
use super::rule::{AnswerKind, LABELS, PAIRS, RuleSpec, by_name};
use crate::error::{Error, Result};
use crate::table::CutOff;

/// One task.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Task {
    /// Name of the table: `OUT/tasks/<name>.parquet`.
    pub name: String,
    /// How instances are made.
    #[serde(default = "labels_rule", deserialize_with = "by_name")]
    pub rule: &'static RuleSpec,
    /// Where the labels are, for a task without a rule of the benchmark's.
    #[serde(default)]
    pub labels: Option<Labels>,
    /// Rows before the instance's own that are shown; -1 = all (VP: none). ITP counts the decision's own row among
    /// them, and shows it in any case. Left out: 3, for RPP and labels all. Of a dyad, a pair or an interview: its
    /// first rows. Of a window: the rows before it; -1 = none.
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
    #[serde(default = "five")]
    pub min_dialogue_words: usize,
    /// ER: what counts as a word.
    #[serde(default)]
    pub dialogue_words: DialogueWords,
    /// What labels mean, for those who are asked; of closed sets of labels.
    #[serde(default)]
    pub definitions: Definitions,
    /// RPP: the relation states; left out, those that are seen in the annotations.
    #[serde(default)]
    pub taxonomy: Taxonomy,
    /// The clips that are there: where rows are shown as clips, ER and VP take only rows that have one, and SSP only
    /// instances with one in the context. `None` = nobody said, so none is left out.
    #[serde(skip)]
    pub clips: Option<Clips>,
    /// RPP: rows of any speaker instead of the therapist's alone.
    #[serde(default)]
    pub any_speaker: bool,
    /// RPP, labels of turns: show the row itself.
    #[serde(default)]
    pub include_current: bool,
    /// SSP: tell the target's most recent emotion within the context.
    #[serde(default)]
    pub known_emotion: bool,
    /// Features: `table.column` of `turns`, `turn_faces`, `dyads`, or `annotations.TIER=VALUE.share`, with `*` and `?`.
    #[serde(default)]
    pub features: Vec<String>,
    /// Columns left out again.
    #[serde(default)]
    pub exclude: Vec<String>,
    /// So many last context rows have their features one by one (`@0` the last, `@1` the one before).
    #[serde(default = "one")]
    pub lags: usize,
}

fn labels_rule() -> &'static RuleSpec {
    &LABELS
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
    /// A rule with the defaults of the benchmark's commands, and no features.
    pub fn of(rule: &'static RuleSpec) -> Self {
        Task {
            name: rule.name.into(),
            rule,
            labels: None,
            context_size: rule.context_size,
            evidence: Evidence::default(),
            max_per_class: 0,
            max_per_sample: 5,
            min_dialogue_words: 5,
            dialogue_words: DialogueWords::default(),
            definitions: Definitions::default(),
            taxonomy: Taxonomy::default(),
            clips: None,
            any_speaker: false,
            include_current: false,
            known_emotion: false,
            features: Vec::new(),
            exclude: Vec::new(),
            lags: 1,
        }
    }

    /// True where rows are shown as clips and are known to have none.
    fn lacks_clip(&self, sample: &str, row: u32) -> bool {
        self.evidence == Evidence::TurnVideoAudio && self.clips.as_ref().is_some_and(|c| c.of(sample, row).is_none())
    }

    /// False only where the row is to be shown as a clip and has none.
    pub(super) fn has_clip(&self, sample: &str, row: u32) -> bool {
        !self.lacks_clip(sample, row)
    }

    /// False only where rows are to be shown as clips and none of these has one.
    pub(super) fn has_any_clip(&self, sample: &str, rows: &[u32]) -> bool {
        let watched = self.evidence == Evidence::TurnVideoAudio && self.clips.is_some();
        !watched || rows.iter().any(|row| self.has_clip(sample, *row))
    }

    /// True when an instance is looked at only after its interview is over: a dyad, a pair or an interview, all of its
    /// rows shown.
    pub(super) fn after_the_interview(&self) -> bool {
        self.context_size < 0
            && self.labels.as_ref().is_some_and(|l| l.windows.is_none() && !matches!(l.unit, LabelUnit::Turn))
    }

    /// What a feature may have looked up to: the end of the last row shown, or all where everything is over.
    pub(super) fn limit(&self) -> CutOff {
        if self.after_the_interview() { CutOff::Interview } else { CutOff::TurnEnd }
    }

    /// What is wrong with the labels section.
    fn fault(&self) -> Option<String> {
        let labels = match (self.rule.answer, &self.labels) {
            (None, Some(labels)) => labels,
            (None, None) => {
                return Some("neither `rule` nor a section `[task.labels]`: one of them makes the instances".into());
            }
            (Some(_), Some(_)) => {
                return Some(format!(
                    "`rule = {:?}` and `[task.labels]`: one of them makes the instances",
                    self.rule.name
                ));
            }
            (Some(_), None) => return None,
        };
        if let Some(fault) = labels.fault() {
            return Some(fault);
        }
        match (&labels.file, &labels.field) {
            (None, Some(_)) if labels.unit != LabelUnit::Turn => {
                Some("labels: an annotation field has labels of turns; use unit = \"turn\"".into())
            }
            (None, Some(field)) if field == "primary_speaker" && self.include_current => {
                Some("labels: primary_speaker is shown with the row itself; leave out include_current".into())
            }
            (None, Some(_)) if labels.group.is_some() => Some("labels: `group` is a column of a file".into()),
            _ if matches!(labels.kind, AnswerKind::Regression | AnswerKind::Text) && !labels.levels.is_empty() => {
                Some(format!("labels: kind {:?} has no levels", labels.kind.name()))
            }
            _ if matches!(labels.kind, AnswerKind::Regression | AnswerKind::Text) && !self.definitions.is_empty() => {
                Some(format!("definitions: kind {:?} has no labels to define", labels.kind.name()))
            }
            _ if self.definitions.differ_by_mode() => {
                Some("definitions: labels of one's own are not told apart by couple and family".into())
            }
            _ if labels.kind == AnswerKind::Binary && !matches!(labels.levels.len(), 0 | 2) => {
                Some("labels: binary has two levels".into())
            }
            _ => None,
        }
    }
}

/// An option that another rule reads and this one would pass over.
fn unread_option<'a>(rule: &RuleSpec, mut written: impl Iterator<Item = &'a String>) -> Option<String> {
    let is_option = |key: &str| RuleSpec::all().any(|r| r.options.contains(&key));
    let unread = written.find(|key| is_option(key) && !rule.options.contains(&key.as_str()))?;
    let known = if rule.options.is_empty() {
        "it has none of its own".to_owned()
    } else {
        format!("it has {}", rule.options.join(", "))
    };
    Some(format!("rule {:?} has no option {unread}; {known}", rule.name))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    task: Vec<Task>,
}

/// Reads a task file: TOML with a `[[task]]` for each task.
///
/// # Errors
/// [`Error::Read`]; [`Error::Recipe`] for what is not understood, a name that is used twice or is no plain file name,
/// or an option that the task's rule does not read.
pub fn read_tasks(path: &Path) -> Result<Vec<Task>> {
    let text = crate::file::read_text(path)?;
    let fail = |what: String| Error::Recipe { place: path.display().to_string(), what };
    let file: File = toml::from_str(&text).map_err(|e| fail(e.to_string()))?;
    let mut tasks = file.task;
    let written: toml::Table = toml::from_str(&text).map_err(|e| fail(e.to_string()))?;
    let written =
        written.get("task").and_then(toml::Value::as_array).into_iter().flatten().filter_map(toml::Value::as_table);
    for (task, keys) in tasks.iter_mut().zip(written) {
        if !keys.contains_key("context_size") {
            task.context_size = task.rule.context_size;
        }
        if let Some(fault) = unread_option(task.rule, keys.keys()) {
            return Err(fail(format!("task {:?}: {fault}", task.name)));
        }
    }
    // Whom of two a label names is asked and measured by another rule than a label of one set.
    for task in tasks.iter_mut().filter(|t| t.labels.as_ref().is_some_and(|l| l.unit == LabelUnit::Pair)) {
        task.rule = if *task.rule == LABELS { &PAIRS } else { task.rule };
    }
    for (i, task) in tasks.iter().enumerate() {
        let plain =
            !task.name.is_empty() && task.name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
        if !plain {
            return Err(fail(format!("task name {:?}: use letters, digits, `_` and `-`", task.name)));
        }
        if tasks[..i].iter().any(|t| t.name == task.name) {
            return Err(fail(format!("task name {:?} is used twice", task.name)));
        }
        if let Some(fault) = task.taxonomy.fault().or_else(|| task.definitions.fault()).or_else(|| task.fault()) {
            return Err(fail(format!("task {:?}: {fault}", task.name)));
        }
    }
    let folder = path.parent().unwrap_or(Path::new(""));
    for file in tasks.iter_mut().filter_map(|t| t.labels.as_mut()?.file.as_mut()) {
        *file = folder.join(&*file);
    }
    Ok(tasks)
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
        let tasks = read("[[task]]\nname = \"a\"\nrule = \"rpp\"\ncontext_size = 3\nevidence = \"turn_video_audio\"\n")
            .unwrap();
        assert_eq!(
            tasks[0],
            Task {
                name: "a".into(),
                context_size: 3,
                evidence: Evidence::TurnVideoAudio,
                ..Task::of(RuleSpec::named("rpp").unwrap())
            }
        );
        // What the benchmark's commands take where nothing is said.
        let sizes = |rule: &str| read(&format!("[[task]]\nname = \"a\"\nrule = \"{rule}\"\n")).unwrap()[0].clone();
        for (rule, size) in [("itp", 3), ("rpp", -1), ("stp", 3), ("ssp", 3), ("er", 3), ("vp", 3)] {
            assert_eq!(sizes(rule), Task { name: "a".into(), ..Task::of(RuleSpec::named(rule).unwrap()) });
            assert_eq!(sizes(rule).context_size, size, "{rule}");
        }
        assert_eq!(sizes("er").min_dialogue_words, 5);
        for (text, expected) in [
            ("[[task]]\nname = \"a\"\nrule = \"rpp\"\ntaxonomy = { couple = [\"x\", \"x\"] }\n", "named twice"),
            ("[[task]]\nname = \"a\"\nrule = \"rpp\"\ntaxonomy = { couples = [\"x\"] }\n", "couples"),
            ("[[task]]\nname = \"a\"\nrule = \"ssp\"\ntaxonomy = { couple = [\"x\"] }\n", "no option taxonomy"),
            ("[[task]]\nname = \"a\"\nrule = \"xyz\"\n", "xyz"),
            ("[[task]]\nname = \"a\"\nrule = \"er\"\nwindow = 3\n", "window"),
            ("[[task]]\nname = \"a\"\nrule = \"vpp\"\n", "did you mean \"rpp\"?"),
            (
                "[[task]]\nname = \"a\"\nrule = \"er\"\nany_speaker = true\n",
                "rule \"er\" has no option any_speaker; it has max_per_sample, min_dialogue_words, dialogue_words",
            ),
            (
                "[[task]]\nname = \"a\"\nrule = \"stp\"\nknown_emotion = true\n",
                "no option known_emotion; it has none of its own",
            ),
            ("[[task]]\nname = \"a\"\n", "neither `rule` nor"),
            (
                "[[task]]\nname = \"a\"\nrule = \"er\"\n[task.labels]\nunit = \"turn\"\nkind = \"text\"\n",
                "one of them makes",
            ),
            ("[[task]]\nname = \"a\"\n[task.labels]\nunit = \"turn\"\nkind = \"text\"\n", "name a `file`"),
            (
                "[[task]]\nname = \"a\"\n[task.labels]\nunit = \"turn\"\nkind = \"text\"\ntier = \"A\"\nmin_overlap = 0\n",
                "min_overlap = 0: give a share",
            ),
            (
                "[[task]]\nname = \"a\"\n[task.labels]\nunit = \"turn\"\nkind = \"text\"\nfile = \"A\"\nwithout = \"no\"\n",
                "are of a `tier`",
            ),
            (
                "[[task]]\nname = \"a\"\n[task.labels]\nunit = \"dyad\"\nkind = \"text\"\ntier = \"A\"\n",
                "a tier has labels of turns",
            ),
            (
                "[[task]]\nname = \"a\"\n[task.labels]\nunit = \"dyad\"\nkind = \"text\"\nfield = \"x\"\n",
                "labels of turns",
            ),
            (
                "[[task]]\nname = \"a\"\n[task.labels]\nunit = \"dyad\"\nkind = \"binary\"\nfile = \"x\"\nlevels = [\"a\"]\n",
                "two levels",
            ),
            ("[[task]]\nname = \"../a\"\nrule = \"er\"\n", "../a"),
            ("[[task]]\nname = \"a\"\nrule = \"er\"\n[[task]]\nname = \"a\"\nrule = \"vp\"\n", "used twice"),
        ] {
            let e = read(text).unwrap_err().to_string();
            assert!(e.contains(expected), "{e}");
        }
    }
}
