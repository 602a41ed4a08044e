//! SCHEMA.md as a whole: the tables of `extract`, the columns that a recipe adds to them, and the tables of the other
//! commands, all from the functions that make the tables.

use serde_json::Value;

use super::schemas;
use crate::error::Result;
use crate::inspect::schema_doc::{Chapter, chapter_markdown, schema_markdown, sources_markdown};
use crate::recipe::Recipe;
use crate::table::TableSchema;
use crate::{audio, baseline, tasks};

/// The text of SCHEMA.md.
///
/// # Errors
/// A recipe that cannot be told as JSON.
pub fn schema_page() -> Result<String> {
    let usual = schemas(&Recipe::default());
    let chapters = [optional()?, of_voice(), of_tasks(), of_baselines()];
    let mut text = schema_markdown(&usual);
    chapters.iter().for_each(|chapter| text += &chapter_markdown(chapter));
    let further = chapters.iter().flat_map(|chapter| chapter.tables.iter().map(|(_, table)| table));
    Ok(text + &sources_markdown(usual.iter().chain(further).flat_map(|table| &table.columns)))
}

/// What each switch of the recipe that is off adds to the tables when it is on: found by turning them on one after
/// another, so that none can be forgotten.
fn optional() -> Result<Chapter> {
    let usual = Recipe::default();
    let known = schemas(&usual);
    let recipe: Value = serde_json::from_str(&usual.canonical_json()?).unwrap_or_default();
    let mut tables = Vec::new();
    for pointer in switches(&recipe, "") {
        let mut changed = recipe.clone();
        if let Some(switch) = changed.pointer_mut(&pointer) {
            *switch = Value::Bool(true);
        }
        let Ok(changed) = serde_json::from_value::<Recipe>(changed) else { continue };
        for (mut table, before) in schemas(&changed).into_iter().zip(&known) {
            table.columns.retain(|c| before.columns.iter().all(|b| b.name != c.name));
            if !table.columns.is_empty() {
                let key = pointer.trim_start_matches('/').replace('/', ".");
                tables.push((format!("{} with {key} = true", table.name), table));
            }
        }
    }
    Ok(Chapter {
        title: "Optional columns",
        text: "Added to the tables above where the recipe asks for them (`--set KEY=true`).",
        tables,
    })
}

/// Pointers to the values of a recipe that are false.
fn switches(value: &Value, pointer: &str) -> Vec<String> {
    match value {
        Value::Bool(false) => vec![pointer.to_owned()],
        Value::Object(map) => {
            map.iter().flat_map(|(key, value)| switches(value, &format!("{pointer}/{key}"))).collect()
        }
        _ => Vec::new(),
    }
}

fn of_voice() -> Chapter {
    let tables = [audio::lld_layout().schema(), audio::functionals_layout().schema()];
    Chapter {
        title: "Tables of turnwise voice",
        text: "eGeMAPSv02 of one recording, with openSMILE's own values.",
        tables: tables.into_iter().map(|table| (table.name.to_owned(), table)).collect(),
    }
}

fn of_tasks() -> Chapter {
    let named = |table: TableSchema| (format!("tasks/<name> of the rule {}", table.name), table);
    Chapter {
        title: "Tables of turnwise tasks",
        text: "One table for each task of the task file. The features that the task names follow, each with the unit \
               of its column and named `<table>.<column>@` and which rows it is of: `@0`, `@-1`, … for single context \
               rows, `@mean` for the mean over those that may be looked at; of dyads also whose turns they are. \
               `<group>_missing` columns of the tables are not features.",
        tables: tasks::schemas().into_iter().map(named).collect(),
    }
}

fn of_baselines() -> Chapter {
    Chapter {
        title: "Tables of turnwise baseline",
        text: "Beside metrics.json, in a folder for each task.",
        tables: vec![("baseline/<task>/predictions".into(), baseline::predictions_schema())],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The terminal pages pass over a column that a table does not have, so a name that no table has would fail without
    /// a word.
    #[test]
    fn the_pages_of_inspect_look_for_columns_that_there_are() {
        let mut tables = schemas(&Recipe::default());
        tables.extend(tasks::schemas());
        for (table, column) in crate::inspect::columns_looked_for() {
            let mut of = tables.iter().filter(|t| table.is_none_or(|name| t.name == name));
            assert!(of.any(|t| t.columns.iter().any(|c| c.name == column)), "{table:?}: {column}");
        }
    }

    /// True where `{section.key}` still stands for a value.
    fn has_place(text: &str) -> bool {
        let keys = text.split('{').skip(1).filter_map(|part| part.split_once('}')).map(|(key, _)| key);
        keys.into_iter().any(|key| key.contains('.') && key.chars().all(|c| c.is_ascii_lowercase() || "._".contains(c)))
    }

    #[test]
    fn descriptions_tell_the_recipe_that_holds_and_sources_are_in_the_list() {
        let mut recipe = Recipe::default();
        recipe.turns.active_above = 0.45;
        let tables = schemas(&recipe);
        let turns = tables.iter().find(|t| t.name == "turns").unwrap();
        let active = turns.columns.iter().find(|c| c.name == "blendshape_mouthSmileLeft_active_share").unwrap();
        assert!(
            active.description.contains("0.45") && active.description.ends_with("[turns.active_above]"),
            "{active:?}"
        );
        assert_eq!(recipe.values().unwrap()["turns.active_above"], "0.45");
        let mut used = std::collections::BTreeSet::new();
        for column in tables.iter().flat_map(|t| &t.columns) {
            assert!(!has_place(&column.description), "{column:?}");
            for source in column.source.split("; ").filter(|s| !s.is_empty()) {
                assert!(crate::table::reference(source).is_some(), "{}: {source}", column.name);
                used.insert(source);
            }
        }
        assert!(has_place("At most {turns.no_such} s.") && !has_place("{}, {x}, {\"a.b\": 1}"));
        assert!(used.len() > 10, "{used:?}");
    }

    #[test]
    fn every_table_and_every_optional_column_is_told() {
        let text = schema_page().unwrap();
        for heading in [
            "## interviews\n",
            "## faces with face.landmarks = true\n",
            "## speakers with turns.speaker_embeddings = true\n",
        ] {
            assert!(text.contains(heading), "{heading}");
        }
        for rule in tasks::RULES.iter().map(|r| r.name).chain(["labels"]) {
            assert!(text.contains(&format!("## tasks/<name> of the rule {rule}\n")), "{rule}");
        }
        assert!(["lld", "functionals"].iter().all(|t| text.contains(&format!("\n## {t}\n"))));
        assert!(!has_place(&text), "a key of no recipe in a description");
        assert!(text.contains("\n## baseline/<task>/predictions\n") && text.contains("| `label_rank` |"));
    }
}
