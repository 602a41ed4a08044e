//! Speaker labels written into the text: `ANNA: …`, `Speaker 1: …`, `[SPEAKER_00]: …`.
//!
//! A colon alone proves nothing ("He said: no"). A form of label is believed only when the file uses it consistently.

use std::collections::BTreeMap;

/// How a label is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Form {
    /// `[SPEAKER_00]: hello`
    Bracket,
    /// `ANNA: hello`, `MAN 2: hello`
    Capitals,
    /// `Speaker 1: hello`, `S01: hello`
    Numbered,
    /// `Anna Lee: hello`
    Title,
}

const FORMS: [Form; 4] = [Form::Bracket, Form::Capitals, Form::Numbered, Form::Title];

/// Label, form and the text after it.
pub(super) fn split(line: &str) -> Option<(Form, &str, &str)> {
    let line = line.trim_start();
    if let Some(inner) = line.strip_prefix('[') {
        let (name, rest) = inner.split_once(']')?;
        let rest = rest.trim_start().strip_prefix(':')?;
        let name = name.trim();
        return (!name.is_empty() && name.len() <= 40).then_some((Form::Bracket, name, rest.trim_start()));
    }
    let (name, rest) = line.split_once(':')?;
    if !(rest.is_empty() || rest.starts_with(char::is_whitespace))
        || name.len() > 40
        || name.ends_with(char::is_whitespace)
    {
        return None;
    }
    Some((form(name)?, name, rest.trim_start()))
}

fn form(name: &str) -> Option<Form> {
    let words: Vec<&str> = name.split_whitespace().collect();
    if words.is_empty() || words.len() > 4 || !name.starts_with(char::is_alphabetic) {
        return None;
    }
    if !name.chars().all(|c| c.is_alphanumeric() || matches!(c, ' ' | '.' | '\'' | '’' | '-' | '_' | '#' | '&')) {
        return None;
    }
    let letters: Vec<char> = name.chars().filter(|c| c.is_alphabetic()).collect();
    let digit = |w: &str| w.chars().any(|c| c.is_ascii_digit());
    if letters.len() >= 2 && letters.iter().all(|c| !c.is_lowercase()) {
        return Some(Form::Capitals);
    }
    if digit(words[words.len() - 1]) && words.len() <= 2 {
        return Some(Form::Numbered);
    }
    let capital = |w: &&str| w.starts_with(char::is_uppercase);
    words.iter().all(capital).then_some(Form::Title)
}

/// The forms a file uses consistently. `cues` holds the lines of each cue.
///
/// A form is believed with labels in at least half of the cues, or with two distinct labels; `Title` labels, which
/// ordinary sentences imitate ("Remember: …"), need two distinct labels used twice each.
pub(super) fn believed<'a>(cues: impl Iterator<Item = &'a [String]>) -> Vec<Form> {
    let mut count = 0;
    let mut found: BTreeMap<(Form, &str), usize> = BTreeMap::new();
    let mut labelled = [0_usize; FORMS.len()];
    for lines in cues {
        count += 1;
        let mut seen = [false; FORMS.len()];
        for (form, name, _) in lines.iter().filter_map(|l| split(l)) {
            seen[form as usize] = true;
            *found.entry((form, name)).or_default() += 1;
        }
        for (total, s) in labelled.iter_mut().zip(seen) {
            *total += usize::from(s);
        }
    }
    let enough = |form: &Form| {
        let least = if *form == Form::Title { 2 } else { 1 };
        let distinct = found.iter().filter(|((f, _), uses)| f == form && **uses >= least).count();
        labelled[*form as usize] > 0 && (labelled[*form as usize] * 2 >= count || distinct >= 2)
    };
    FORMS.into_iter().filter(enough).collect()
}

/// Cuts a cue at its labels: speaker and text, in order. Lines before the first label have no speaker.
pub(super) fn cut(lines: &[String], forms: &[Form]) -> Vec<(Option<String>, String)> {
    let mut out: Vec<(Option<String>, String)> = Vec::new();
    for line in lines {
        match split(line).filter(|(form, _, _)| forms.contains(form)) {
            Some((_, name, rest)) => out.push((Some(name.to_owned()), rest.to_owned())),
            None => match out.last_mut() {
                Some((_, text)) => {
                    if !text.is_empty() {
                        text.push(' ');
                    }
                    text.push_str(line);
                }
                None => out.push((None, line.clone())),
            },
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_labels() {
        assert_eq!(split("[SPEAKER_00]: hi"), Some((Form::Bracket, "SPEAKER_00", "hi")));
        assert_eq!(split("ANNA: hi"), Some((Form::Capitals, "ANNA", "hi")));
        assert_eq!(split("MAN 2:"), Some((Form::Capitals, "MAN 2", "")));
        assert_eq!(split("Speaker 1: hi: you"), Some((Form::Numbered, "Speaker 1", "hi: you")));
        assert_eq!(split("Dr. Anna Lee: hi"), Some((Form::Title, "Dr. Anna Lee", "hi")));
        for none in ["He said: no", "12:30 we met", "- hi", "see https://a.b", "a, b: c", "", ":", "[laughs] hi"] {
            assert_eq!(split(none), None, "{none}");
        }
    }

    #[test]
    fn a_form_must_be_used_consistently() {
        let cues = |all: &[&str]| all.iter().map(|t| vec![(*t).to_owned()]).collect::<Vec<_>>();
        let forms = |all: &[&str]| {
            let all = cues(all);
            believed(all.iter().map(Vec::as_slice))
        };
        assert_eq!(forms(&["ANNA: a", "b", "c", "BOB: d", "e"]), [Form::Capitals]);
        assert_eq!(forms(&["ANNA: a", "b"]), [Form::Capitals]);
        assert_eq!(forms(&["NOTE: a", "b", "c"]), []);
        assert_eq!(forms(&["Remember: a", "b", "However: c", "d", "e"]), []);
        assert_eq!(forms(&["Anna: a", "Bob: b", "c", "Anna: d", "Bob: e", "f", "g", "h", "i"]), [Form::Title]);
    }

    #[test]
    fn a_cue_is_cut_at_its_labels() {
        let lines = ["so", "ANNA: hi", "there", "BOB: yes"].map(str::to_owned);
        let parts = cut(&lines, &[Form::Capitals]);
        assert_eq!(
            parts,
            [(None, "so".into()), (Some("ANNA".into()), "hi there".into()), (Some("BOB".into()), "yes".into())]
        );
    }
}
