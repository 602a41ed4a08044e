//! What the tables of tasks hold besides the features that a task names: for SCHEMA.md.

use super::features::FeatureSet;
use super::labelled;
use super::rule::{LABELS, RULES};
use super::settings::Task;
use super::table::{DESCRIPTION, schema};
use crate::table::TableSchema;

/// The table of each rule, without features.
pub fn schemas() -> Vec<TableSchema> {
    let by_rule = RULES.into_iter().map(|rule| schema(&Task::of(rule), &FeatureSet::default()));
    by_rule.chain([TableSchema { name: LABELS.name, description: DESCRIPTION, columns: labelled::keys() }]).collect()
}
