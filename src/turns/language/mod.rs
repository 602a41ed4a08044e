//! Words between people: what kinds of words a turn has, how alike two people's styles are, and who takes up whose
//! words.
//!
//! Lists of words are of one language. Whether a transcript is in it is declared (by the recipe, else by the file), or
//! seen by the share of function words among the words so far: in English talk it is around a half, in other languages
//! English function words are a few. What is not known to be in it has no value, and a reason; a dictionary that a
//! laboratory gives is taken to be of the transcript's language.

mod between;
mod category;
mod lexicon;
mod liwc;
mod said;

pub(super) use between::{Between, SoFar, between_columns};
pub use lexicon::Lexicon;
pub(super) use said::said_columns;
pub use said::{SaidTurn, said};

/// What is said of words.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct LanguageConfig {
    /// A dictionary in LIWC's format (.dic) instead of the program's own lists of English.
    pub dictionary: String,
    /// The transcripts' language, an ISO 639 code such as "en"; empty = as the transcript declares it, else by
    /// evidence.
    pub code: String,
    /// Evidence is asked of so many words at least, from the first turn to this one.
    #[schemars(range(min = 1))]
    pub min_evidence_words: usize,
    /// A transcript that declares no language is in English where at least this share of the words so far are English
    /// function words. Chung and Pennebaker (2007) give 55 % for English.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub min_function_share: f64,
    /// Words of which a smaller share are English function words are not English, whatever is declared: over the words
    /// so far, and in a turn of at least `min_foreign_words`.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub foreign_below_share: f64,
    /// A turn of fewer words is too short to be told foreign by itself.
    #[schemars(range(min = 1))]
    pub min_foreign_words: usize,
    /// Style is matched when both have said so many words; Ireland and Pennebaker (2010) ask for 50.
    #[schemars(range(min = 1))]
    pub min_style_words: usize,
    /// Pieces of the listener's earlier talk that chance repetition is taken from, at most.
    #[schemars(range(min = 1, max = 1000))]
    pub chance_pieces: usize,
    /// With fewer pieces there is no chance to compare with.
    #[schemars(range(min = 1, max = 1000))]
    pub min_chance_pieces: usize,
}

impl Default for LanguageConfig {
    fn default() -> Self {
        LanguageConfig {
            dictionary: String::new(),
            code: String::new(),
            min_evidence_words: 20,
            min_function_share: 0.4,
            foreign_below_share: 0.3,
            min_foreign_words: 10,
            min_style_words: 50,
            chance_pieces: 20,
            min_chance_pieces: 3,
        }
    }
}

#[cfg(test)]
mod tests;
