//! Word lists: which categories a word is of. Those of English are the program's own; others are read from dictionaries
//! in LIWC's format, which laboratories own.

use std::collections::{BTreeMap, HashMap};
use std::sync::LazyLock;

use unicode_normalization::UnicodeNormalization as _;

use super::category::{Category, Set};
use super::liwc;

const ENGLISH: &str = include_str!("../../../data/words/en.toml");

/// Longest phrase, in words.
pub(super) const LONGEST_PHRASE: usize = 3;

/// Words, beginnings of words and phrases with their categories.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lexicon {
    /// ISO 639 code, where the lists are of one language.
    pub(super) language: Option<String>,
    /// Categories it has lists for.
    pub(super) known: Set,
    words: HashMap<String, Set>,
    /// Beginnings, which LIWC writes with a star, by their length in bytes.
    beginnings: BTreeMap<usize, HashMap<String, Set>>,
    /// Words joined by one space.
    phrases: HashMap<String, Set>,
}

/// The shipped lists.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Lists {
    language: String,
    lists: BTreeMap<String, String>,
}

impl Lexicon {
    /// The program's own lists of English.
    pub fn english() -> &'static Self {
        static READ: LazyLock<Lexicon> = LazyLock::new(|| Lexicon::of_lists(ENGLISH).unwrap_or_default());
        &READ
    }

    /// `None` for what is no such lists; of the shipped ones a test asks.
    fn of_lists(text: &str) -> Option<Self> {
        let lists: Lists = toml::from_str(text).ok()?;
        let mut lexicon = Lexicon { language: Some(lists.language), ..Lexicon::default() };
        for (name, words) in &lists.lists {
            let category = Category::ALL.into_iter().find(|c| c.name() == name)?;
            for word in words.split_whitespace() {
                lexicon.add(&word.replace('_', " "), Set::of(category));
            }
        }
        Some(lexicon)
    }

    /// A dictionary in LIWC's format.
    ///
    /// # Errors
    /// Line (0 = as a whole) and what is wrong with it.
    pub fn of_liwc(text: &str) -> Result<Self, (usize, String)> {
        liwc::read(text)
    }

    /// Adds a word, a phrase, or, with a star at its end, a beginning.
    pub(super) fn add(&mut self, entry: &str, of: Set) {
        self.known = self.known.with(of);
        let plain = plain(entry);
        let list = match plain.strip_suffix('*') {
            Some(beginning) => {
                let list = self.beginnings.entry(beginning.len()).or_default();
                let set = list.entry(beginning.to_owned()).or_default();
                *set = set.with(of);
                return;
            }
            None if plain.contains(' ') => &mut self.phrases,
            None => &mut self.words,
        };
        let set = list.entry(plain).or_default();
        *set = set.with(of);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.words.is_empty() && self.beginnings.is_empty() && self.phrases.is_empty()
    }

    /// Of a word in lower case: as it stands, else of its parts around an apostrophe.
    pub(super) fn word(&self, word: &str) -> Set {
        let whole = self.entry(word);
        if whole != Set::default() {
            return whole;
        }
        let (base, rest) = match word.strip_suffix("n't") {
            Some(base) => (base, "n't"),
            None => word.find('\'').filter(|at| *at > 0).map_or((word, ""), |at| word.split_at(at)),
        };
        if rest.is_empty() { whole } else { self.entry(base).with(self.entry(rest)) }
    }

    /// Of words joined by one space.
    pub(super) fn phrase(&self, phrase: &str) -> Set {
        self.phrases.get(phrase).copied().unwrap_or_default()
    }

    fn entry(&self, word: &str) -> Set {
        if let Some(set) = self.words.get(word) {
            return *set;
        }
        // The longest beginning.
        let beginnings = self.beginnings.range(..=word.len()).rev();
        beginnings.filter_map(|(len, list)| list.get(word.get(..*len)?)).next().copied().unwrap_or_default()
    }
}

/// In lower case, with one kind of apostrophe.
pub(super) fn plain(text: &str) -> String {
    let composed: String = text.nfc().filter(|c| *c != '\u{ad}').collect();
    composed.to_lowercase().replace(['\u{2019}', '\u{2bc}', '`'], "'")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shipped_lists_are_whole_and_words_come_apart_at_apostrophes() {
        let english = Lexicon::of_lists(ENGLISH).unwrap();
        assert!(Category::ALL.iter().all(|c| english.known.has(*c)), "{:?}", english.known);
        assert_eq!(english.language.as_deref(), Some("en"));
        let has = |word: &str, category| english.word(word).has(category);
        assert!(has("we're", Category::We) && has("we're", Category::AuxiliaryVerbs));
        assert!(has("don't", Category::Negations) && has("don't", Category::AuxiliaryVerbs));
        assert!(has("i'm", Category::I) && has("they'd", Category::They) && !has("house", Category::Articles));
        assert!(
            english.phrase("sort of").has(Category::Hedges) && english.phrase("i don't know").has(Category::Hedges)
        );
        let longest = english.phrases.keys().map(|p| p.split(' ').count()).max();
        assert_eq!(longest, Some(LONGEST_PHRASE));
    }
}
