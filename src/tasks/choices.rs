//! Choices of a task file in which one may differ from the benchmark's scripts on purpose.

use serde::Deserialize;

use crate::transcript::rescue::GroupMode;

/// What counts as a word of a row's text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DialogueWords {
    /// Runs of ASCII letters, digits and apostrophes, as the benchmark's scripts count: a text in Chinese has none.
    #[default]
    Ascii,
    /// Runs of letters, digits and apostrophes of any script; of scripts written without spaces each character is one.
    AnyScript,
}

impl DialogueWords {
    /// How many words a text has.
    pub fn count(self, text: &str) -> usize {
        match self {
            DialogueWords::Ascii => {
                text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '\'')).filter(|run| !run.is_empty()).count()
            }
            DialogueWords::AnyScript => crate::text::tokens(text).len(),
        }
    }
}

/// The relation states of couples and of families, in the benchmark's order; a mode without any has the labels seen.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Taxonomy {
    /// Of couples.
    #[serde(default)]
    pub couple: Vec<String>,
    /// Of families.
    #[serde(default)]
    pub family: Vec<String>,
}

impl Taxonomy {
    /// The states of a group mode; empty = the labels seen.
    pub fn of(&self, mode: GroupMode) -> &[String] {
        match mode {
            GroupMode::Couple => &self.couple,
            GroupMode::Family => &self.family,
        }
    }

    /// What is wrong with it: a state that is empty or named twice.
    pub(super) fn fault(&self) -> Option<String> {
        [GroupMode::Couple, GroupMode::Family].into_iter().find_map(|mode| {
            let states = self.of(mode);
            let bad = |i: &usize| {
                states[*i].trim() != states[*i] || states[*i].is_empty() || states[..*i].contains(&states[*i])
            };
            let at = (0..states.len()).find(bad)?;
            Some(format!("taxonomy: the {} state {:?} is empty, padded or named twice", mode.name(), states[at]))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_runs_of_ascii_or_of_any_script() {
        for (text, ascii, any) in [
            ("I don't -- know, 20 years", 5, 5),
            (" … ", 0, 0),
            ("naïve café", 3, 2),
            ("我不知道", 0, 4),
            ("он не знает", 0, 3),
        ] {
            assert_eq!(DialogueWords::Ascii.count(text), ascii, "{text}");
            assert_eq!(DialogueWords::AnyScript.count(text), any, "{text}");
        }
    }

    #[test]
    fn a_taxonomy_names_each_state_once() {
        let of = |couple: &[&str]| Taxonomy {
            couple: couple.iter().map(|s| (*s).to_owned()).collect(),
            ..Taxonomy::default()
        };
        assert_eq!(of(&["a", "b"]).fault(), None);
        for bad in [&["a", "a"][..], &[""], &[" a"]] {
            assert!(of(bad).fault().is_some_and(|f| f.contains("couple")), "{bad:?}");
        }
    }
}
