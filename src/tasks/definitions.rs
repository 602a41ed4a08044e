//! What a task's labels mean, as its task file says: shown to those who are asked.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

/// The texts by label; a label of couples and families may have one for each.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(transparent)]
pub struct Definitions(BTreeMap<String, Definition>);

#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(untagged)]
enum Definition {
    Text(String),
    OfMode(OfMode),
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct OfMode {
    couple: Option<String>,
    family: Option<String>,
}

impl Definition {
    fn of(&self, mode: &str) -> Option<&str> {
        match self {
            Definition::Text(text) => Some(text),
            Definition::OfMode(each) => match mode {
                "couple" => each.couple.as_deref(),
                "family" => each.family.as_deref(),
                _ => None,
            },
        }
    }
}

impl Definitions {
    /// The definition of each candidate, empty where there is none; `None` without any.
    pub(super) fn of(&self, mode: &str, candidates: &[String]) -> Option<Vec<String>> {
        let one = |label: &String| self.0.get(label).and_then(|d| d.of(mode)).unwrap_or_default().trim().to_owned();
        let all: Vec<String> = candidates.iter().map(one).collect();
        all.iter().any(|text| !text.is_empty()).then_some(all)
    }

    /// True without any.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// True where a label has one for couples and one for families.
    pub(super) fn differ_by_mode(&self) -> bool {
        self.0.values().any(|d| matches!(d, Definition::OfMode(_)))
    }

    /// What is wrong with them: one that says nothing.
    pub(super) fn fault(&self) -> Option<String> {
        let says = |text: Option<&str>| text.is_some_and(|t| !t.trim().is_empty());
        let (label, _) = self.0.iter().find(|(_, d)| !says(d.of("couple")) && !says(d.of("family")))?;
        Some(format!("definitions: that of {label:?} says nothing"))
    }

    /// Tells of definitions of what is no label of the task, and of labels without one.
    pub(super) fn tell_others(&self, task: &str, labels: &BTreeSet<&str>) {
        if self.is_empty() {
            return;
        }
        let list = |names: Vec<&str>| names.join(", ");
        let strange: Vec<&str> = self.0.keys().map(String::as_str).filter(|l| !labels.contains(l)).collect();
        if !strange.is_empty() {
            tracing::warn!("task {task}: definitions of what is no label here: {}", list(strange));
        }
        let without: Vec<&str> = labels.iter().copied().filter(|l| !self.0.contains_key(*l)).collect();
        if !without.is_empty() {
            tracing::warn!("task {task}: labels without a definition: {}", list(without));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_has_one_definition_or_one_for_each_mode() {
        let read = |text: &str| toml::from_str::<Definitions>(text);
        let found =
            read("join = \"comes in\"\n\"a, b\" = { couple = \"x\", family = \" y \" }\nc = { family = \"z\" }")
                .unwrap();
        assert_eq!(found.fault(), None);
        let labels: Vec<String> = ["join", "a, b", "c", "d"].map(String::from).into();
        assert_eq!(found.of("couple", &labels).unwrap(), ["comes in", "x", "", ""]);
        assert_eq!(found.of("family", &labels).unwrap(), ["comes in", "y", "z", ""]);
        assert_eq!((found.of("couple", &labels[2..]), found.of("couple", &[])), (None, None));
        assert!(read("a = \" \"").unwrap().fault().is_some_and(|f| f.contains("\"a\" says nothing")));
        assert!(read("a = {}").unwrap().fault().is_some());
        assert!(read("a = { couples = \"x\" }").is_err() && read("a = 3").is_err());
    }
}
