//! Descriptions that carry the values in force: `{turns.nod_deg}` in a column's description stands for that value of
//! the recipe.
//!
//! Columns are declared before any recipe is known; where the tables are put together, the places are filled. So a
//! description needs no recipe handed to it, and says of each file what held when it was made.

use std::borrow::Cow;

use super::{ColumnSpec, Table, TableSchema};

/// Gives the value of a recipe's key as text; `None` for a key that there is not.
pub type ValueOf<'a> = &'a dyn Fn(&str) -> Option<String>;

impl ColumnSpec {
    /// The same with the values of the keys its description names, and those keys named behind it, so that a reader
    /// knows what to set for another value. Places of no known key stay as they are.
    pub fn filled(mut self, value_of: ValueOf<'_>) -> Self {
        if self.description.contains('{') {
            self.description = Cow::Owned(filled(&self.description, value_of));
        }
        self
    }
}

impl TableSchema {
    /// The same, each description [`ColumnSpec::filled`].
    pub fn filled(mut self, value_of: ValueOf<'_>) -> Self {
        self.columns = self.columns.into_iter().map(|c| c.filled(value_of)).collect();
        self
    }
}

impl Table {
    /// The same, each description [`ColumnSpec::filled`].
    pub fn filled(mut self, value_of: ValueOf<'_>) -> Self {
        self.schema = self.schema.filled(value_of);
        self
    }
}

fn filled(text: &str, value_of: ValueOf<'_>) -> String {
    let (mut told, mut keys) = (String::new(), Vec::new());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        told.push_str(before);
        match after.split_once('}').and_then(|(key, behind)| Some((key, value_of(key)?, behind))) {
            Some((key, value, behind)) => {
                told.push_str(&value);
                if !keys.contains(&key) {
                    keys.push(key);
                }
                rest = behind;
            }
            None => {
                told.push('{');
                rest = after;
            }
        }
    }
    told.push_str(rest);
    if !keys.is_empty() {
        told = format!("{told} [{}]", keys.join(", "));
    }
    told
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::{Column, Kind, Layout};

    #[test]
    fn a_description_tells_the_values_in_force_and_their_keys() {
        let value_of = |key: &str| (key == "a.b_secs").then(|| "1.5".to_owned());
        let spec = |text: &'static str| ColumnSpec::new("x", Kind::F64, "s", text).filled(&value_of).description;
        assert_eq!(
            spec("At most {a.b_secs} s, not {a.b_secs}."),
            "At most 1.5 s, not 1.5. [a.b_secs]",
            "a key is named once"
        );
        assert_eq!(spec("{no.key} {a.b_secs}"), "{no.key} 1.5 [a.b_secs]");
        assert_eq!(spec("A brace { alone."), "A brace { alone.");
        assert_eq!(spec("Plain."), "Plain.");
    }

    #[test]
    fn a_table_is_filled_as_its_schema_is() {
        let value_of = |_: &str| Some("2".to_owned());
        let layout =
            Layout { name: "t", description: "", columns: vec![Column::int("n", "", "Up to {k}.", |n: &i64| *n)] };
        let table = layout.table([1_i64]).unwrap().filled(&value_of);
        assert_eq!(*table.schema(), layout.schema().filled(&value_of));
        assert_eq!(table.schema().columns[0].description, "Up to 2. [k]");
    }
}
