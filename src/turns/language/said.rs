//! What kinds of words each turn has, where they are of the lists' language.

use super::LanguageConfig;
use super::category::{Category, Set};
use super::lexicon::{LONGEST_PHRASE, Lexicon, plain};
use crate::annotation::Turn;
use crate::table::{Column, CutOff, Missing, Modality, all_until};
use crate::text::is_of_word;
use crate::turns::measured;

/// The categories that have a column: name, and words for them.
const RATES: [(Category, &str); 7] = [
    (Category::I, "first person singular (I, me, my)"),
    (Category::You, "second person (you, your)"),
    (Category::We, "first person plural (we, us, our)"),
    (Category::They, "third person plural (they, them, their)"),
    (Category::Negations, "negations (no, not, never)"),
    (Category::Hedges, "hedges (maybe, sort of, I think; Hyland 2005)"),
    (Category::Assent, "assent (yes, okay, mhm; SWBD-DAMSL's acknowledgement and agreement)"),
];

/// The words of one turn.
#[derive(Clone, Debug, PartialEq)]
pub struct SaidTurn {
    /// In lower case, as they follow each other.
    pub(super) words: Vec<String>,
    /// Words and phrases, by category.
    pub(super) counts: [u32; Category::ALL.len()],
    questions: usize,
    /// False where no sentence so far has ended in a sign.
    punctuated: bool,
    /// Categories that the lists have.
    pub(super) known: Set,
    /// Why nothing is told of them.
    pub(super) missing: Option<Missing>,
}

impl Default for SaidTurn {
    /// Nothing said.
    fn default() -> Self {
        SaidTurn {
            words: Vec::new(),
            counts: [0; Category::ALL.len()],
            questions: 0,
            punctuated: false,
            known: Set::default(),
            missing: Some(Missing::NoWords),
        }
    }
}

impl SaidTurn {
    pub(super) fn count(&self, category: Category) -> Option<u32> {
        let told = self.missing.is_none() && self.known.has(category);
        told.then(|| self.counts[category as usize])
    }

    fn rate(&self, category: Category) -> Option<f64> {
        Some(f64::from(self.count(category)?) / self.words.len() as f64)
    }

    fn questions(&self) -> Option<f64> {
        let told = self.missing.is_none() && self.punctuated;
        told.then(|| self.questions as f64 / self.words.len() as f64)
    }

    /// Why a rate is null; of questions apart.
    fn why(&self) -> Option<Missing> {
        let listed = RATES.iter().all(|(category, _)| self.known.has(*category));
        self.missing.or((!listed).then_some(Missing::NoList))
    }
}

/// The words of every turn, each told of by itself and by the turns before it. `declared` is the transcript's language.
pub fn said(turns: &[Turn], lexicon: &Lexicon, declared: Option<&str>, config: &LanguageConfig) -> Vec<SaidTurn> {
    let declared = Some(config.code.as_str()).filter(|c| !c.is_empty()).or(declared).map(|c| is_of(c, lexicon));
    let (mut words, mut function, mut punctuated) = (0, 0, false);
    let one = |turn: &Turn| {
        crate::pulse::beat();
        let mut said = SaidTurn { known: lexicon.known, ..SaidTurn::default() };
        said.words = words_of(&turn.text);
        punctuated |= turn.text.contains(SENTENCE_ENDS);
        said.punctuated = punctuated;
        said.questions = questions(&turn.text);
        let own = count(&mut said, lexicon);
        words += said.words.len();
        function += own;
        let share = |function: usize, words: usize| function as f64 / words.max(1) as f64;
        let foreign = |function, words| share(function, words) < config.foreign_below_share;
        said.missing = if said.words.is_empty() {
            Some(Missing::NoWords)
        } else if lexicon.language.is_none() {
            None
        } else if declared == Some(false) {
            Some(Missing::OtherLanguage)
        } else if is_of_another_script(&said.words)
            || words >= config.min_evidence_words && foreign(function, words)
            || said.words.len() >= config.min_foreign_words && foreign(own, said.words.len())
            || declared.is_none()
                && (words < config.min_evidence_words || share(function, words) < config.min_function_share)
        {
            Some(Missing::UnknownLanguage)
        } else {
            None
        };
        said
    };
    turns.iter().map(one).collect()
}

/// What ends sentences in most scripts.
const SENTENCE_ENDS: &[char] = &['.', '?', '!', '\u{3002}', '\u{ff1f}', '\u{ff01}', '\u{61f}', '\u{37e}', '\u{2026}'];

/// True where a code or name of a language is the lexicon's: "en", "eng", "en-US", "English".
fn is_of(code: &str, lexicon: &Lexicon) -> bool {
    let code = code.trim().to_lowercase();
    let main = code.split(['-', '_']).next().unwrap_or_default();
    // ISO 639-1, 639-2 and the name, of the one language whose lists are shipped.
    lexicon.language.as_deref().is_some_and(|own| main == own || own == "en" && ["eng", "english"].contains(&main))
}

/// Runs of letters, digits and apostrophes with a letter or digit, as they are counted elsewhere.
fn words_of(text: &str) -> Vec<String> {
    let text = plain(text);
    let runs = text.split(|c: char| !is_of_word(c));
    // 'em and 'cause begin with an apostrophe; quoted words have one at each end.
    let bare = |w: &str| w.strip_suffix('\'').map_or(w, |w| w.trim_start_matches('\'')).to_owned();
    runs.map(bare).filter(|w| w.chars().any(char::is_alphanumeric)).collect()
}

/// True where most words have no letter that the lists are written in; no number of them is needed to tell.
fn is_of_another_script(words: &[String]) -> bool {
    let is_latin = |word: &&String| word.chars().any(|c| c.is_ascii_alphanumeric());
    2 * words.iter().filter(is_latin).count() < words.len()
}

/// Runs of question marks.
fn questions(text: &str) -> usize {
    let is_question = |c: char| ['?', '\u{ff1f}', '\u{61f}', '\u{37e}'].contains(&c);
    let mut before = false;
    let mut begins = |c: char| {
        let (now, was) = (is_question(c), before);
        before = now;
        now && !was
    };
    text.chars().filter(|c| begins(*c)).count()
}

/// Counts words and phrases by category, and gives the number of function words.
fn count(said: &mut SaidTurn, lexicon: &Lexicon) -> usize {
    let sets: Vec<Set> = said.words.iter().map(|word| lexicon.word(word)).collect();
    let mut add = |set: Set| {
        for category in Category::ALL.into_iter().filter(|c| set.has(*c)) {
            said.counts[category as usize] += 1;
        }
    };
    let mut at = 0;
    while at < sets.len() {
        let phrase = (2..=LONGEST_PHRASE.min(sets.len() - at)).rev().find_map(|len| {
            let set = lexicon.phrase(&said.words[at..at + len].join(" "));
            (set != Set::default()).then_some((len, set))
        });
        let (len, of_phrase) = phrase.unwrap_or((1, Set::default()));
        add(of_phrase);
        // Words of a phrase keep their own categories but for the phrase's.
        sets[at..at + len].iter().for_each(|set| add(set.without(of_phrase)));
        at += len;
    }
    sets.into_iter().filter(|s| s.is_function()).count()
}

/// Columns of `turns`, up to the turn's end.
pub(in crate::turns) fn said_columns(config: &LanguageConfig) -> Vec<Column<SaidTurn>> {
    let rate = |(category, words): (Category, &str)| {
        Column::float(
            format!("word_rate_{}", category.name()),
            "1",
            format!("Share of the turn's words that are {words}; by data/words/en.toml or the dictionary."),
            move |s: &SaidTurn| s.rate(category),
        )
    };
    let mut columns: Vec<Column<SaidTurn>> = RATES.into_iter().map(rate).collect();
    columns.push(Column::float(
        "word_rate_questions",
        "1",
        "Question marks, runs of them counted once, for each word of the turn; null while no sentence of the \
         transcript so far has ended in a sign.",
        SaidTurn::questions,
    ));
    columns.push(Column::text(
        "word_rate_missing",
        format!(
            "Why the word rates are null: no_words, other_language (another is declared and no dictionary given), \
             unknown_language (none is declared, and fewer than {} words or less than {} of them English function \
             words so far; or less than {} of them, of the words so far or of a turn of at least {} words, whatever is \
             declared; or most words are of another script), no_list (the dictionary has none for some).",
            config.min_evidence_words, config.min_function_share, config.foreign_below_share, config.min_foreign_words
        ),
        SaidTurn::why,
    ));
    measured(Modality::Words, all_until(CutOff::TurnEnd, columns))
}
