//! How the tables of a folder were made: which interviews by which recipe, models and version, and what differs between
//! them.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::store::parquet::FileMetadata;
use crate::text::counted;

/// Stands in a file's metadata where what it was made from disagrees.
pub const MIXED: &str = "mixed";

/// Interviews told by name of each way.
const NAMED: usize = 10;

/// Hexadecimal digits of a hash that are told.
const DIGITS: usize = 12;

/// The ways in which interviews were made, and which were made so.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Makings(Vec<(FileMetadata, BTreeSet<String>)>);

impl Makings {
    /// Takes in that an interview was made so.
    pub fn add(&mut self, made: &FileMetadata, interview_id: &str) {
        match self.0.iter_mut().find(|(known, _)| known == made) {
            Some((_, interviews)) => {
                interviews.insert(interview_id.to_owned());
            }
            None => self.0.push((made.clone(), BTreeSet::from([interview_id.to_owned()]))),
        }
    }

    /// True when not all were made the same way.
    pub fn is_mixed(&self) -> bool {
        self.0.len() > 1 || self.0.iter().any(|(made, _)| is_mixed(made))
    }

    /// What all agree on; `mixed` for what they do not.
    pub fn common(&self) -> FileMetadata {
        common(self.0.iter().map(|(made, _)| made))
    }

    /// A line for each way with its interviews, most of them first, and a line with what differs, in the same order;
    /// empty for one way.
    pub fn text(&self) -> String {
        if self.0.len() < 2 {
            return String::new();
        }
        let mut ways: Vec<&(FileMetadata, BTreeSet<String>)> = self.0.iter().collect();
        ways.sort_by(|a, b| b.1.len().cmp(&a.1.len()).then_with(|| a.1.cmp(&b.1)));
        let mut text = String::new();
        for (made, interviews) in &ways {
            let some: Vec<&str> = interviews.iter().take(NAMED).map(String::as_str).collect();
            let more = if interviews.len() > NAMED { ", …" } else { "" };
            let recipe = if made.recipe_hash.is_empty() { "unknown" } else { &made.recipe_hash };
            text +=
                &format!("  recipe {recipe}: {}: {}{more}\n", counted(interviews.len(), "interview"), some.join(", "));
        }
        let metadata: Vec<&FileMetadata> = ways.iter().map(|(made, _)| made).collect();
        text + &format!("  they differ in {}\n", differences(&metadata).join("; "))
    }
}

/// True when the file was made from what was made in several ways.
pub fn is_mixed(made: &FileMetadata) -> bool {
    let parts = [&made.schema_version, &made.tool_version, &made.recipe, &made.recipe_hash];
    parts.into_iter().chain(made.models.values()).any(|part| part == MIXED)
}

/// What all agree on; `mixed` for what they do not. A model that some have not used is that of the others.
pub(super) fn common<'a>(all: impl Iterator<Item = &'a FileMetadata> + Clone) -> FileMetadata {
    let agreed = |part: fn(&FileMetadata) -> &String| {
        let mut values = all.clone().map(part);
        let Some(first) = values.next() else { return String::new() };
        if values.all(|v| v == first) { first.clone() } else { MIXED.into() }
    };
    let mut models = BTreeMap::new();
    for (name, hash) in all.clone().flat_map(|made| &made.models) {
        let known = models.entry(name.clone()).or_insert_with(|| hash.clone());
        if known != hash {
            *known = MIXED.into();
        }
    }
    FileMetadata {
        schema_version: agreed(|m| &m.schema_version),
        tool_version: agreed(|m| &m.tool_version),
        recipe: agreed(|m| &m.recipe),
        recipe_hash: agreed(|m| &m.recipe_hash),
        models,
    }
}

/// Recipe keys, models and versions that are not the same everywhere, each with its values in the order of `all`:
/// `face.rate_hz: 10 | 2`.
fn differences(all: &[&FileMetadata]) -> Vec<String> {
    let facts: Vec<BTreeMap<String, String>> = all.iter().map(|made| facts(made)).collect();
    let names: BTreeSet<&String> = facts.iter().flat_map(BTreeMap::keys).collect();
    let mut found = Vec::new();
    for name in names {
        let values: Vec<&str> = facts.iter().map(|f| f.get(name).map_or("none", String::as_str)).collect();
        if values.iter().any(|v| *v != values[0]) {
            found.push(format!("{name}: {}", values.join(" | ")));
        }
    }
    found
}

/// Everything a file tells of its making, by name.
fn facts(made: &FileMetadata) -> BTreeMap<String, String> {
    let mut facts = BTreeMap::new();
    match serde_json::from_str::<Value>(&made.recipe) {
        Ok(recipe) => flatten("", &recipe, &mut facts),
        Err(_) => {
            facts.insert("recipe".into(), if made.recipe.is_empty() { "unknown".into() } else { made.recipe.clone() });
        }
    }
    for (name, hash) in &made.models {
        facts.insert(format!("model {name}"), hash.chars().take(DIGITS).collect());
    }
    facts.insert("version of turnwise".into(), made.tool_version.clone());
    facts.insert("version of the schema".into(), made.schema_version.clone());
    facts
}

fn flatten(prefix: &str, value: &Value, into: &mut BTreeMap<String, String>) {
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                flatten(&if prefix.is_empty() { key.clone() } else { format!("{prefix}.{key}") }, value, into);
            }
        }
        value => {
            into.insert(prefix.to_owned(), value.to_string());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(rate: f64, model: &str) -> FileMetadata {
        FileMetadata {
            tool_version: "1.0".into(),
            recipe: format!("{{\"face\":{{\"rate_hz\":{rate:?},\"side_px\":640}},\"voice\":{{}}}}"),
            recipe_hash: format!("hash{rate}"),
            models: BTreeMap::from([("scrfd".into(), model.repeat(20)), ("vad".into(), "v".into())]),
            ..FileMetadata::default()
        }
    }

    #[test]
    fn ways_are_told_with_their_interviews_and_what_differs() {
        let mut makings = Makings::default();
        for id in ["c", "a"] {
            makings.add(&made(10.0, "1"), id);
        }
        assert_eq!((makings.is_mixed(), makings.text().as_str()), (false, ""));
        assert_eq!(makings.common(), made(10.0, "1"));
        makings.add(&made(2.0, "2"), "b");
        assert!(makings.is_mixed());
        assert_eq!(
            makings.text(),
            "  recipe hash10: 2 interviews: a, c\n  recipe hash2: 1 interview: b\n  \
             they differ in face.rate_hz: 10.0 | 2.0; model scrfd: 111111111111 | 222222222222\n"
        );
        let common = makings.common();
        assert_eq!(
            (common.recipe_hash.as_str(), common.models["scrfd"].as_str(), common.models["vad"].as_str()),
            (MIXED, MIXED, "v")
        );
        assert_eq!(common.tool_version, "1.0");
        // What was made from a mixture is one way, and mixed.
        let mut again = Makings::default();
        again.add(&common, "x");
        assert!(again.is_mixed());
    }

    #[test]
    fn the_same_recipe_with_another_model_is_another_way() {
        let mut makings = Makings::default();
        makings.add(&made(10.0, "1"), "a");
        makings.add(&made(10.0, "2"), "b");
        assert!(
            makings.text().contains("they differ in model scrfd: 111111111111 | 222222222222\n"),
            "{}",
            makings.text()
        );
        for i in 0..12 {
            makings.add(&made(10.0, "1"), &format!("more{i:02}"));
        }
        assert!(
            makings.text().contains("13 interviews: a, more00, ") && makings.text().contains("more08, …\n"),
            "{}",
            makings.text()
        );
    }
}
