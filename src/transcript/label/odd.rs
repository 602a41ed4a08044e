//! What looks like a label and is read as words: told, so that nobody's words pass for another's without a word.

use std::collections::BTreeMap;

use super::shape::{self, Form, lead, split};
use super::{Believed, Labels, changes};
use crate::transcript::draft::{Draft, short};

/// What people put between name and words besides a colon.
const SEPARATORS: [&str; 13] =
    ["\u{2014}", " \u{2013} ", " - ", "| ", "; ", " = ", " > ", ". ", " / ", "->", "\u{2192}", "\u{300c}", "=>"];

/// Name and separator with which a line begins; a full stop stands behind letters alone (`Q.`, `A.`), else behind
/// sentences.
fn opening(line: &str) -> Option<(&str, &'static str)> {
    let line = lead(line).1;
    let at = |separator: &&'static str| Some((line.find(*separator)?, *separator));
    let (at, separator) = SEPARATORS.iter().filter_map(at).min_by_key(|(at, _)| *at)?;
    let name = line[..at].trim();
    let fits = shape::form(name).is_some_and(|form| form < Form::Loose) && name.split_whitespace().count() <= 3;
    let letter = name.chars().count() <= 2 && name.chars().all(char::is_uppercase);
    (fits && (separator != ". " || letter)).then_some((name, separator))
}

/// Tells of a file without labels whose cues begin with names that take turns and something else than a colon.
fn tell_openings(cues: &[Vec<String>], draft: &mut Draft) {
    let openings: Vec<(&str, &str)> = cues.iter().filter_map(|lines| opening(lines.first()?)).collect();
    let mut counts: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    openings.iter().for_each(|opening| *counts.entry(*opening).or_default() += 1);
    let recurring: Vec<(&str, &str)> = openings.into_iter().filter(|opening| counts[opening] >= 2).collect();
    let distinct = counts.values().filter(|count| **count >= 2).count();
    if distinct < 2 || recurring.len() * 2 < cues.len() || changes(recurring.iter().map(|(name, _)| *name)) < 2 {
        return;
    }
    let (name, separator) = recurring[0];
    draft.warn(format!(
        "{} of {} cues begin with one of {distinct} names and {:?} (first: {:?}); they are read as words: write a colon \
         behind a speaker's name",
        recurring.len(),
        cues.len(),
        separator.trim(),
        short(&format!("{name}{separator}"))
    ));
}

impl Believed {
    /// True where words hold what begins other words of the file as a label.
    fn holds_label(&self, words: &str) -> bool {
        let starts = words.char_indices().filter(|(_, c)| c.is_whitespace()).map(|(at, _)| words[at..].trim_start());
        starts.filter_map(split).any(|label| {
            let known = self.spelled.contains_key(&label.name.to_lowercase());
            let one_word = !label.name.contains(char::is_whitespace);
            label.form != Form::Enclosed
                && !label.rest.is_empty()
                && (known || label.form == Form::Capitals && one_word && self.forms.contains(&Form::Capitals))
        })
    }

    /// Tells of words that hold what looks like a label of somebody else, and of names without a colon.
    pub(super) fn tell_odd(&self, cues: &[Vec<String>], draft: &mut Draft) {
        if self.labels != Labels::Auto {
            return;
        }
        if !self.any() {
            tell_openings(cues, draft);
            return;
        }
        // Most cues hold none before they are cut either, and cutting all a second time costs more.
        let holds = |lines: &&Vec<String>| {
            self.holds_label(&lines.join(" ")) && self.cut(lines).iter().any(|(_, words)| self.holds_label(words))
        };
        let found: Vec<&Vec<String>> = cues.iter().filter(holds).collect();
        if let Some(first) = found.first() {
            draft.warn(format!(
                "{} cues hold what looks like another speaker's label within a sentence (first: {:?}); it is read as \
                 words: begin a line with it",
                found.len(),
                short(&first.join(" "))
            ));
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::transcript::tests::{parse, warned};

    fn srt(cues: &[&str]) -> String {
        let cue = |(i, text): (usize, &&str)| format!("{0}\n00:00:0{0},000 --> 00:00:0{0},900\n{text}\n\n", i + 1);
        cues.iter().enumerate().map(cue).collect()
    }

    fn told(cues: &[&str]) -> String {
        warned(&parse("a.srt", &srt(cues)))
    }

    #[test]
    fn names_without_a_colon_are_told() {
        for mark in [" \u{2014} ", "\u{2014}", " - ", "| ", "; ", " = ", " / ", " -> ", "\u{2192}"] {
            let cues = ["Mara=hello you", "Jon=yes", "Mara=so it is", "Jon=no"].map(|cue| cue.replacen('=', mark, 1));
            let all = told(&cues.each_ref().map(String::as_str));
            assert!(all.contains("4 of 4 cues begin with one of 2 names"), "{mark:?}: {all}");
        }
        let all = told(&["Q. How are you?", "A. Fine.", "Q. And now?", "A. Too."]);
        assert!(all.contains("(first: \"Q.\")") || all.contains("(first: \"Q. \")"), "{all}");
        for cues in [
            &["We went home. And so", "I said; no. Yes", "Mara - who knows", "That is all"][..],
            &["Yes. I know.", "No. I do not.", "Yes. Well.", "No. Never."],
            &["Mara: a", "Jon: b", "Mara: c", "Jon: d"],
        ] {
            let all = told(cues);
            assert!(!all.contains("begin with one of"), "{cues:?}: {all}");
        }
    }

    #[test]
    fn a_name_in_braces_that_takes_turns_is_a_label() {
        let t = parse("a.srt", &srt(&["{Mara} hello", "{Jon} yes", "{Mara} so", "{Jon} no"]));
        let names: Vec<_> = t.turns.iter().map(|turn| turn.speaker.as_deref()).collect();
        assert_eq!(names, [Some("Mara"), Some("Jon"), Some("Mara"), Some("Jon")]);
        assert_eq!(t.turns[0].text, "hello");
    }

    #[test]
    fn a_label_within_a_line_is_told() {
        let all = told(&["MARA: yes JON: no", "MARA: so JON: oh", "ANN: well", "MARA: no"]);
        assert!(all.contains("2 cues hold what looks like another speaker's label"), "{all}");
        let all = told(&["Mara: I told Jon: no", "Jon: so", "Mara: oh", "Jon: it was 10:30 by then"]);
        assert!(all.contains("1 cues hold what looks like another speaker's label"), "{all}");
        let all = told(&["MARA: the rule: be kind", "JON: at 10:30", "MARA: no. JON: yes", "JON: so"]);
        assert!(!all.contains("within a sentence"), "{all}");
    }
}
