//! When words are said of which the transcript tells no time: laid out over the voice that is heard within the cue, by
//! their syllables. Estimates are for looking and searching; no feature is made from them.

use crate::annotation::{Turn, Word};
use crate::time::Segment;

/// Where a word's times come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Timing {
    /// The transcript.
    Given,
    /// Laid out here.
    Estimated,
}

impl Timing {
    /// The value in the tables.
    pub fn name(self) -> &'static str {
        match self {
            Timing::Given => "given",
            Timing::Estimated => "estimated",
        }
    }
}

/// Probability of speech, one value per `step_secs` from the origin; empty without sound.
#[derive(Clone, Copy, Debug)]
pub struct Voiced<'a> {
    /// 0 to 1.
    pub probability: &'a [f32],
    /// In seconds.
    pub step_secs: f64,
}

/// A cue of which less than this share is voiced is not where the words are said: they are laid over all of it.
const LEAST_VOICED: f64 = 0.2;

/// Silero's probability from which a step is taken for voice: low, for a voice over a noisy line must not be lost. This
/// and the two lengths below were chosen on one recording (Apollo 11, 146 words timed by Whisper).
const LEAST_PROBABILITY: f32 = 0.2;

/// A pause of at least this lies between words, not within one.
const PAUSE_SECS: f64 = 0.5;

/// … when the boundary of words is no farther than this from it, in seconds of voice.
const NEAR_SECS: f64 = 0.4;

/// A boundary at a mark of punctuation counts as nearer by this factor.
const PUNCTUATED: f64 = 0.5;

/// A word takes time besides its syllables, as much as this part of one.
const BESIDES: f64 = 0.5;

/// The words of a turn of which none has a time, each with one; empty where the text is written without spaces, says
/// nothing, or the cue has no length.
pub fn estimated_words(turn: &Turn, voiced: Voiced<'_>) -> Vec<Word> {
    let texts: Vec<&str> = match &turn.words[..] {
        [] => turn.text.split_whitespace().filter(|w| w.chars().any(char::is_alphanumeric)).collect(),
        words => words.iter().map(|w| w.text.as_str()).collect(),
    };
    let known = turn.words.iter().any(|w| w.segment.is_some());
    if known || texts.is_empty() || turn.segment.is_empty() || super::word_count(&turn.text).is_err() {
        return Vec::new();
    }
    let stretches = stretches(turn.segment, voiced);
    let total: f64 = stretches.iter().map(|s| s.1 - s.0).sum();
    let mut weights = vec![0.0];
    for text in &texts {
        let sum = weights.last().copied().unwrap_or(0.0);
        weights.push(sum + BESIDES + f64::from(syllables(text)));
    }
    let all = weights.last().copied().unwrap_or(1.0);
    // Boundaries of words in seconds of voice.
    let even: Vec<f64> = weights.iter().map(|w| w / all * total).collect();
    let bounds = at_pauses(&even, &texts, &stretches);
    let segment = |pair: &[f64]| Segment::from_secs(begin(&stretches, pair[0]), end(&stretches, pair[1]));
    let speaker = |i: usize| turn.words.get(i).and_then(|w| w.speaker.clone());
    let word = |(i, (text, pair)): (usize, (&&str, &[f64]))| Word {
        text: (*text).to_owned(),
        segment: segment(pair),
        speaker: speaker(i),
    };
    texts.iter().zip(bounds.windows(2)).enumerate().map(word).collect()
}

/// Vowels that stand together, of Latin, Greek and Cyrillic letters, are one syllable; a silent e at the end of a
/// longer word is none. Digits are said one by one. At least 1.
pub fn syllables(word: &str) -> u32 {
    let is_vowel = |c: char| "aeiouyàáâãäåæèéêëìíîïòóôõöøùúûüýÿœāēīōūăąęěůűαεηιουωάέήίόύώаеёиоуыэюяіїє".contains(c);
    let letters: Vec<char> = word.to_lowercase().chars().filter(|c| c.is_alphanumeric()).collect();
    let vowels: Vec<bool> = letters.iter().map(|c| is_vowel(*c)).collect();
    let groups = (0..letters.len()).filter(|i| vowels[*i] && (*i == 0 || !vowels[i - 1])).count();
    let digits = letters.iter().filter(|c| c.is_numeric()).count();
    let silent = match &letters[..] {
        [.., before, 'e'] => groups > 1 && !is_vowel(*before) && *before != 'l',
        _ => false,
    };
    u32::try_from(groups + digits - usize::from(silent)).unwrap_or(u32::MAX).max(1)
}

/// Where the cue is voiced, in order; all of it where hardly anything is, or nothing is known.
fn stretches(cue: Segment, voiced: Voiced<'_>) -> Vec<(f64, f64)> {
    let (from, to) = (cue.start().get(), cue.end().get());
    let step = voiced.step_secs;
    let first = (from / step) as usize;
    let mut found: Vec<(f64, f64)> = Vec::new();
    for (i, p) in voiced.probability.iter().enumerate().skip(first).take_while(|(i, _)| *i as f64 * step < to) {
        let (a, b) = ((i as f64 * step).max(from), ((i + 1) as f64 * step).min(to));
        if *p < LEAST_PROBABILITY || a >= b {
            continue;
        }
        match found.last_mut() {
            Some(last) if a - last.1 < PAUSE_SECS => last.1 = b,
            _ => found.push((a, b)),
        }
    }
    let heard: f64 = found.iter().map(|s| s.1 - s.0).sum();
    if heard < LEAST_VOICED * (to - from) { vec![(from, to)] } else { found }
}

/// The boundaries, those nearest to a pause moved to it and the others stretched between.
fn at_pauses(even: &[f64], texts: &[&str], stretches: &[(f64, f64)]) -> Vec<f64> {
    let mut moved: Vec<(usize, f64)> = vec![(0, 0.0)];
    let mut said = 0.0;
    for stretch in stretches.iter().take(stretches.len().saturating_sub(1)) {
        said += stretch.1 - stretch.0;
        let after = moved.last().map_or(0, |m| m.0) + 1;
        let mark = |i: usize| texts[i - 1].ends_with(|c: char| !c.is_alphanumeric());
        let far = |i: usize| (even[i] - said).abs() * if mark(i) { PUNCTUATED } else { 1.0 };
        let nearest = (after..even.len() - 1).min_by(|a, b| far(*a).total_cmp(&far(*b)));
        if let Some(i) = nearest.filter(|i| far(*i) <= NEAR_SECS) {
            moved.push((i, said));
        }
    }
    let last = even.len() - 1;
    moved.push((last, even[last]));
    let mut bounds = even.to_vec();
    for pair in moved.windows(2) {
        let ((i, a), (j, b)) = (pair[0], pair[1]);
        for k in i..=j {
            let share = (even[k] - even[i]) / (even[j] - even[i]);
            bounds[k] = a + share * (b - a);
        }
    }
    bounds
}

/// When so much voice was heard; at a pause, when it ends.
fn begin(stretches: &[(f64, f64)], said: f64) -> f64 {
    place(stretches, said, |left, length| left < length - 1e-9)
}

/// The same; at a pause, when it begins.
fn end(stretches: &[(f64, f64)], said: f64) -> f64 {
    place(stretches, said, |left, length| left <= length + 1e-9)
}

fn place(stretches: &[(f64, f64)], said: f64, inside: impl Fn(f64, f64) -> bool) -> f64 {
    let mut left = said;
    for (from, to) in stretches {
        if inside(left, to - from) {
            return (from + left.max(0.0)).min(*to);
        }
        left -= to - from;
    }
    stretches.last().map_or(said, |s| s.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turn(text: &str, from: f64, to: f64) -> Turn {
        let segment = Segment::from_secs(from, to).unwrap();
        Turn { index: 1, segment, speaker: None, text: text.into(), words: Vec::new() }
    }

    fn times(words: &[Word]) -> Vec<(f64, f64)> {
        words.iter().map(|w| w.segment.unwrap()).map(|s| (s.start().get(), s.end().get())).collect()
    }

    const SILENT: Voiced<'static> = Voiced { probability: &[], step_secs: 0.1 };

    #[test]
    fn syllables_are_groups_of_vowels() {
        for (word, n) in [
            ("So", 1),
            ("people", 2),
            ("luckier", 2),
            ("time", 1),
            ("the", 1),
            ("Übung", 2),
            ("хорошо", 3),
            ("42", 2),
            ("hm", 1),
        ] {
            assert_eq!(syllables(word), n, "{word}");
        }
    }

    #[test]
    fn without_sound_words_fill_the_cue_by_their_syllables() {
        let words = estimated_words(&turn("So banana.", 10.0, 11.0), SILENT);
        assert_eq!(words[1].text, "banana.");
        // 1.5 and 3.5 parts of 5.
        let (a, b) = (times(&words)[0], times(&words)[1]);
        assert!((a.0 - 10.0).abs() < 1e-9 && (a.1 - 10.3).abs() < 1e-9 && (b.1 - 11.0).abs() < 1e-9, "{words:?}");
    }

    #[test]
    fn words_are_laid_on_voice_and_pauses_fall_between_them() {
        // Voice from 0.2 to 0.6 and from 1.5 to 2.0 s of a cue of 2.2 s.
        let heard = |i: usize| f32::from(u8::from((2..6).contains(&i) || (15..20).contains(&i)));
        let probability: Vec<f32> = (0..30).map(heard).collect();
        let voiced = Voiced { probability: &probability, step_secs: 0.1 };
        let found = times(&estimated_words(&turn("Well then, go on now.", 0.0, 2.2), voiced));
        assert!((found[0].0 - 0.2).abs() < 1e-9 && (found[1].1 - 0.6).abs() < 1e-9, "{found:?}");
        assert!((found[2].0 - 1.5).abs() < 1e-9 && (found[4].1 - 2.0).abs() < 1e-9, "{found:?}");
        assert!(found.windows(2).all(|p| p[0].1 <= p[1].0 + 1e-9), "in order: {found:?}");
        // What is hardly voiced at all is not trusted.
        let quiet = times(&estimated_words(&turn("Well then.", 0.0, 30.0), voiced));
        assert!(quiet[0].0 == 0.0 && (quiet[1].1 - 30.0).abs() < 1e-9, "{quiet:?}");
    }

    #[test]
    fn nothing_is_estimated_where_a_time_is_given_or_words_are_not_parted() {
        let mut given = turn("So it is", 0.0, 2.0);
        let word = |text: &str, segment| Word { text: text.into(), segment, speaker: None };
        given.words = vec![word("So", Segment::from_secs(0.0, 0.4)), word("it", None), word("is", None)];
        assert!(estimated_words(&given, SILENT).is_empty());
        assert!(estimated_words(&turn("马拉你好", 0.0, 2.0), SILENT).is_empty());
        assert!(estimated_words(&turn("So", 2.0, 2.0), SILENT).is_empty());
        assert!(estimated_words(&turn("-- !", 0.0, 2.0), SILENT).is_empty());
    }
}
