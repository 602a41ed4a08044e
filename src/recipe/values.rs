//! The recipe's values by key, as the descriptions of columns tell them.

use std::collections::BTreeMap;

use super::{Recipe, leaves, tree_of};
use crate::error::Result;

impl Recipe {
    /// Every value by its key (`turns.nod_deg`), in the fewest digits that tell it.
    ///
    /// # Errors
    /// [`crate::error::Error::Recipe`] if a value has no TOML form.
    pub fn values(&self) -> Result<BTreeMap<String, String>> {
        Ok(leaves(&tree_of(self)?, "").into_iter().map(|(key, value)| (key, told(value))).collect())
    }
}

fn told(value: &toml::Value) -> String {
    match value {
        // A number of 32 bits has its own digits.
        toml::Value::Float(x) if f64::from(*x as f32).to_bits() == x.to_bits() => (*x as f32).to_string(),
        toml::Value::Float(x) => x.to_string(),
        toml::Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_told_in_their_own_digits() {
        let mut recipe = Recipe::default();
        recipe.turns.nod_deg = 4.5;
        let values = recipe.values().unwrap();
        let value = |key: &str| values[key].as_str();
        assert_eq!(
            (value("turns.nod_deg"), value("turns.active_above"), value("turns.shake_deg")),
            ("4.5", "0.3", "5")
        );
        // 32 bits hold 0.75 and 0.05 in other digits than 64 do.
        recipe.face.detect_score = 0.05;
        let values = recipe.values().unwrap();
        assert_eq!((values["face.detect_score"].as_str(), values["turns.speaker_z"].as_str()), ("0.05", "off"));
    }
}
