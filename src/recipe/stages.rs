//! What of a recipe a stage reads, so that a change elsewhere leaves its result as it is.
//!
//! A stage is handed the recipe of its own, in which every key that it may not read has its default: a key that is read
//! all the same would show at once, and cannot make a kept result wrong. What is named here is taken out; a key that is
//! added to the recipe counts for every stage until it is named.

use super::{InputConfig, Recipe};
use crate::speaker::SpeakerConfig;

impl Recipe {
    /// Of the stage that looks at the picture: the video stream, the faces and the bodies.
    #[must_use]
    pub fn of_watching(&self) -> Self {
        let defaults = Recipe::default();
        let InputConfig { audio_stream, audio_mix, track_speakers, .. } = defaults.input;
        let InputConfig { lenient, labels, apply_transcript_offset, transcript_shift_secs, .. } = defaults.input;
        let InputConfig { tiers, encoding, frame_rate_hz, sample_rate_hz, .. } = defaults.input;
        let input = InputConfig { audio_stream, audio_mix, track_speakers, ..self.input.clone() };
        let input = InputConfig { lenient, labels, apply_transcript_offset, transcript_shift_secs, ..input };
        let input = InputConfig { tiers, encoding, frame_rate_hz, sample_rate_hz, ..input };
        let Recipe { voice, speaker, turns, .. } = defaults;
        Recipe { input, voice, speaker, turns, ..self.clone() }
    }

    /// Of the stage that asks the speaker models about a sound.
    #[must_use]
    pub fn of_hearing(&self) -> SpeakerConfig {
        self.speaker.of_hearing()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::{leaves, put, tree_of};
    use super::*;

    /// Another value of the same type that the limits take or not: only its being another counts.
    fn another(value: &toml::Value) -> toml::Value {
        match value {
            toml::Value::Integer(i) => toml::Value::Integer(i + 1),
            toml::Value::Float(x) => toml::Value::Float(x * 0.5 + 0.125),
            toml::Value::Boolean(b) => toml::Value::Boolean(!b),
            toml::Value::String(s) => toml::Value::String(format!("{s}x")),
            toml::Value::Array(names) => toml::Value::Array([&names[..], &["x".into()]].concat()),
            other => panic!("a kind of value this test does not know: {other}"),
        }
    }

    /// Recipes that differ from the defaults in one key each.
    fn changed() -> Vec<(String, Recipe)> {
        let tree = tree_of(&Recipe::default()).unwrap();
        let keys: Vec<(String, toml::Value)> =
            leaves(&tree, "").into_iter().map(|(key, value)| (key, value.clone())).collect();
        let mut all = Vec::new();
        for (key, value) in keys {
            // A choice among names is tried by each of the names that its schema tells.
            let mut values = vec![another(&value)];
            let names = ["all", "one", "always", "never", "auto", "ignore", "evidence", "trust", "causal", "interview"];
            let names = names.into_iter().chain(["windows-1250"]);
            values.extend(names.map(|name| toml::Value::String(name.into())));
            values.extend([0.0, 1.0, 2.0].map(toml::Value::Float));
            let recipe = values.into_iter().filter(|v| *v != value).find_map(|value| {
                let mut tree = tree.clone();
                put(&mut tree, &key, value);
                toml::Value::Table(tree).try_into::<Recipe>().ok().filter(|recipe| *recipe != Recipe::default())
            });
            all.push((key.clone(), recipe.unwrap_or_else(|| panic!("no other value is known for {key}"))));
        }
        all
    }

    #[test]
    fn every_key_counts_for_a_stage_but_those_that_are_named() {
        let all = changed();
        let unread = |same: &dyn Fn(&Recipe) -> bool| -> BTreeSet<&str> {
            all.iter().filter(|(_, recipe)| same(recipe)).map(|(key, _)| key.as_str()).collect()
        };
        let below = |sections: &[&str]| -> BTreeSet<&str> {
            let inside = |key: &str| sections.iter().any(|s| key.strip_prefix(s).is_some_and(|r| r.starts_with('.')));
            all.iter().map(|(key, _)| key.as_str()).filter(|key| inside(key) || sections.contains(key)).collect()
        };
        let default = Recipe::default();
        let of_watching = unread(&|recipe| recipe.of_watching() == default.of_watching());
        assert_eq!(
            of_watching,
            below(&[
                "voice",
                "speaker",
                "turns",
                "input.audio_stream",
                "input.audio_mix",
                "input.track_speakers",
                "input.lenient",
                "input.labels",
                "input.tiers",
                "input.encoding",
                "input.frame_rate_hz",
                "input.sample_rate_hz",
                "input.apply_transcript_offset",
                "input.transcript_shift_secs",
            ])
        );
        let of_hearing = unread(&|recipe| recipe.speaker.of_hearing() == default.speaker.of_hearing());
        let others =
            ["speaker.labels", "speaker.label_evidence", "speaker.turns", "input", "voice", "face", "body", "turns"];
        assert_eq!(of_hearing, below(&others));
        // And those that do count leave the stage's own recipe as it was given.
        let counted = all.iter().filter(|(key, _)| !of_watching.contains(key.as_str()));
        counted.for_each(|(key, recipe)| assert_eq!(recipe.of_watching(), *recipe, "{key}"));
    }
}
