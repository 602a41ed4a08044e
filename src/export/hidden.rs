//! Words that no cue may show: the labels of a task, in whatever form they are written, and what the task is called. A
//! cue that names one would tell the answer in the words it is asked for.

use std::collections::BTreeSet;

use crate::store::read::StoredTable;
use crate::tasks::{Candidates, RuleSpec};
use crate::text::{is_unspaced, tokens};

/// A label of more words is a sentence, which is looked for as a whole.
const LONGEST_LABEL: usize = 3;

/// Endings that make other forms of a word; what is left has three letters at least.
const ENDINGS: &str = "ation ness edly ing ion est ful al ed er es ly s e";

/// Words that say nothing alone. A label that is one of them is looked for all the same.
const EMPTY: &str = "a an and are as at be but by for from had has have he her his i in is it its me my of off on \
                     or other others our out over she so than that the their them they this to too up was we were when while with you";

/// The words of a task's labels.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Hidden {
    /// Stems of single words.
    words: BTreeSet<String>,
    /// Stems of labels that are sentences, each between spaces.
    sentences: BTreeSet<String>,
    /// Labels written without spaces between words.
    unspaced: BTreeSet<String>,
}

impl Hidden {
    /// The words of some labels.
    pub fn of<'a>(labels: impl IntoIterator<Item = &'a str>) -> Self {
        let mut hidden = Hidden::default();
        labels.into_iter().for_each(|label| hidden.add(label));
        hidden
    }

    /// The words of a task's labels and candidates, over all of its instances, and of its name: what is hidden from one
    /// must not depend on its own label.
    pub fn of_task(task: &str, rule: &RuleSpec, table: &StoredTable) -> Self {
        let candidates = |row: usize| table.texts("candidates", row).unwrap_or_default();
        Hidden::of_answers(task, rule, (0..table.rows()).map(|row| (candidates(row), table.text("label", row))))
    }

    /// The same of the candidates and the label of each instance.
    pub fn of_answers<'a>(
        task: &'a str,
        rule: &RuleSpec,
        instances: impl Iterator<Item = (&'a [String], Option<&'a str>)>,
    ) -> Self {
        let (mut closed, mut free) = (BTreeSet::from([task]), BTreeSet::new());
        // People are names, which cues need.
        for (candidates, label) in instances.filter(|_| rule.candidates != Candidates::People) {
            let into = if candidates.is_empty() { &mut free } else { &mut closed };
            into.extend(candidates.iter().map(String::as_str).chain(label));
        }
        Hidden::of(closed).and_texts(free)
    }

    /// And texts without a closed set, each as a whole: single words of all that was ever written would hide everything.
    #[must_use]
    pub fn and_texts<'a>(mut self, texts: impl IntoIterator<Item = &'a str>) -> Self {
        for text in texts {
            if !self.add_unspaced(text) {
                self.add_sentence(&words(text));
            }
        }
        self
    }

    fn add_unspaced(&mut self, label: &str) -> bool {
        label.chars().any(is_unspaced) && {
            self.unspaced.insert(label.trim().to_lowercase());
            true
        }
    }

    fn add_sentence(&mut self, all: &[String]) {
        if !all.is_empty() {
            self.sentences.insert(spaced(all));
        }
    }

    fn add(&mut self, label: &str) {
        if self.add_unspaced(label) {
            return;
        }
        let all = words(label);
        if all.len() > LONGEST_LABEL {
            self.add_sentence(&all);
            return;
        }
        let full: Vec<&String> = all.iter().filter(|w| EMPTY.split(' ').all(|empty| empty != w.as_str())).collect();
        let looked_for = if full.is_empty() { all.iter().collect() } else { full };
        self.words.extend(looked_for.into_iter().map(|w| stem(w)));
    }

    /// True where a text holds one of them.
    pub fn is_in(&self, text: &str) -> bool {
        let all = words(text);
        let lower = text.to_lowercase();
        all.iter().any(|w| self.words.contains(&stem(w)))
            || self.unspaced.iter().any(|label| lower.contains(label))
            || (!self.sentences.is_empty() && {
                let text = spaced(&all);
                self.sentences.iter().any(|label| text.contains(label.as_str()))
            })
    }
}

/// Stems between spaces, so that one sentence in another is whole words of it.
fn spaced(words: &[String]) -> String {
    words.iter().map(|w| format!(" {}", stem(w))).collect::<String>() + " "
}

/// The words of a label as people write them, in lower case: `pursue_withdraw`, `turnTaking` and `ICC2` have two.
pub(super) fn words(label: &str) -> Vec<String> {
    let mut parted = String::with_capacity(label.len() + 8);
    let mut last: Option<char> = None;
    let mut letters = label.chars().peekable();
    while let Some(c) = letters.next() {
        let next_is_small = letters.peek().is_some_and(|n| n.is_lowercase());
        let begins = last.is_some_and(|l| {
            (l.is_lowercase() && c.is_uppercase())
                || (l.is_uppercase() && c.is_uppercase() && next_is_small)
                || (l.is_alphabetic() && c.is_numeric())
                || (l.is_numeric() && c.is_alphabetic())
        });
        if begins || c == '_' {
            parted.push(' ');
        }
        if c != '_' {
            parted.push(c);
        }
        last = Some(c);
    }
    tokens(&parted).into_iter().map(|word| word.trim_matches('\'').to_lowercase()).filter(|w| !w.is_empty()).collect()
}

/// What the forms of a word have in common, roughly: it is better that a cue is hidden for nothing than shown.
fn stem(word: &str) -> String {
    let mut rest = word;
    let shorter = |word: &str, ending: &str| {
        let less = word.strip_suffix(ending)?;
        (less.chars().count() >= 3).then_some(less.len())
    };
    while let Some(length) = ENDINGS.split(' ').find_map(|ending| shorter(rest, ending)) {
        rest = &rest[..length];
    }
    let mut letters: Vec<char> = rest.chars().collect();
    // happy, happiness; nodding, nod.
    if letters.len() > 3 && matches!(letters.last(), Some('y' | 'i')) {
        letters.pop();
    }
    if letters.len() > 3 && letters[letters.len() - 1] == letters[letters.len() - 2] {
        letters.pop();
    }
    letters.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_a_word_are_one() {
        for (label, text) in [
            ("smile", "smiles more than usual"),
            ("smiling", "smiles more than usual"),
            ("Smiled", "a smile"),
            ("loud", "louder than usual"),
            ("louder", "speaks loudly"),
            ("high", "the voice is higher than usual"),
            ("nod", "is nodding"),
            ("nods", "nodded"),
            ("withdrawal", "withdraws"),
            ("happiness", "looks happy"),
            ("tension", "is tense"),
            ("faceTouch", "touches the chin"),
            ("face_touch", "a hand at the face"),
            ("gaze-aversion", "averts the gaze"),
            ("leans in", "leaning forward"),
            ("use", "uses the hands"),
            ("more", "smiles more than usual"),
            ("up", "looks up"),
            ("微笑", "她微笑了"),
            ("Lächeln", "ein lächeln"),
            ("УЛЫБКА", "его улыбка"),
            ("looks at the floor and cries", "then looks at the floor and cries a lot"),
        ] {
            assert!(Hidden::of([label]).is_in(text), "{label} in {text}");
        }
        for (label, text) in [
            ("smile", "looks down"),
            ("high", "looks down more than usual"),
            ("lonely and irritated", "smiles and nods"),
            ("cold", "could be"),
            ("looks at the floor and cries", "looks at the floor"),
            ("微笑", "smiles"),
            ("", "anything"),
            ("1", "speaks fast"),
        ] {
            assert!(!Hidden::of([label]).is_in(text), "{label} in {text}");
        }
    }

    #[test]
    fn a_text_without_a_closed_set_is_looked_for_as_a_whole() {
        let hidden = Hidden::of([]).and_texts(["quiet sadness", "tense", "", "平静"]);
        assert!(!hidden.is_in("quieter than usual") && hidden.is_in("a quiet sadness") && hidden.is_in("looks tense"));
        assert!(hidden.is_in("很平静") && !hidden.is_in("anything"));
    }

    #[test]
    fn words_of_every_way_to_write_a_label() {
        for (label, expected) in [
            ("pursue_withdraw", "pursue withdraw"),
            ("turnTaking", "turn taking"),
            ("ICCValue2", "icc value 2"),
            ("Don't know!", "don't know"),
            ("a, b", "a b"),
            ("", ""),
        ] {
            assert_eq!(words(label).join(" "), expected, "{label}");
        }
    }
}
