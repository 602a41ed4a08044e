//! What a transcript says and hardly anybody does: told, and kept as it is.

use std::collections::BTreeSet;

use super::{Draft, short};
use crate::annotation::Turn;
use crate::text::tokens;

/// More words a second within a turn than anybody says, of turns of so many words.
const FAST: (f64, usize) = (20.0, 6);
/// A turn that long with fewer words a second is words with a silence, or has the end of another.
const SLOW: (f64, f64) = (120.0, 0.1);
/// So many turns of the same words one after another, or so many times within one: recognisers write it where nothing
/// is said (Koenecke et al. 2024).
const AGAIN: (usize, usize) = (6, 6);
/// Words of a sentence follow each other in less.
const TOUCH_SECS: f64 = 0.15;
/// Longest phrase looked for within a turn.
const PHRASE: usize = 6;

/// Turns that share something, by their numbers.
fn told(found: &[u32], what: &str) -> Option<String> {
    found.first().map(|first| format!("{} turns {what} (first: turn {first})", found.len()))
}

/// Tells of all of it.
pub(super) fn tell(draft: &mut Draft) {
    // Where most turns have all words, those that lack some are told; some programs time a few words alone.
    let with_words = draft.turns.iter().filter(|t| !t.words.is_empty());
    let (full, all) = with_words.fold((0, 0), |(full, all), t| (full + usize::from(fit(t) == Fit::Whole), all + 1));
    let whole = full * 2 >= all;
    let numbers =
        |it: &dyn Fn(&Turn) -> bool| -> Vec<u32> { draft.turns.iter().filter(|t| it(t)).map(|t| t.index).collect() };
    let words = |t: &Turn| t.text.split_whitespace().count();
    let fast = numbers(&|t| {
        let secs = t.segment.duration();
        secs > 0.0 && words(t) >= FAST.1 && words(t) as f64 > FAST.0 * secs
    });
    let slow = numbers(&|t| {
        t.segment.duration() > SLOW.0 && (words(t) as f64) < SLOW.1 * t.segment.duration() && words(t) > 0
    });
    let stuck = numbers(&|t| repeats(&t.text));
    let others = numbers(&|t| {
        !t.words.is_empty()
            && match fit(t) {
                Fit::Whole => false,
                Fit::Part => whole,
                Fit::Other => true,
            }
    });
    let shared = numbers(&|t| t.words.iter().filter_map(|w| w.speaker.as_deref()).collect::<BTreeSet<_>>().len() > 1);
    let all = [
        told(&fast, "have more words than can be said in their time"),
        told(&slow, "last minutes for a few words: are their ends right?"),
        told(&stuck, "say the same over and over, as speech recognisers do where nothing is said; they are kept"),
        told(&others, "have words with times that are not those of their text, or not all"),
        told(&shared, "hold words of several speakers, and are read as one's"),
        same_in_a_row(&draft.turns),
        single_words(&draft.turns),
        whole_minutes(&draft.turns),
    ];
    all.into_iter().flatten().for_each(|what| draft.warn(what));
}

/// How the words of a turn that have times fit its text.
#[derive(PartialEq)]
enum Fit {
    Whole,
    /// Some are missing.
    Part,
    /// Some are others.
    Other,
}

fn fit(turn: &Turn) -> Fit {
    let text = letters(&turn.text);
    let words: String = turn.words.iter().map(|w| letters(&w.text)).collect();
    let mut rest = text.chars();
    match words.chars().all(|c| rest.any(|other| other == c)) {
        true if words.len() == text.len() => Fit::Whole,
        true => Fit::Part,
        false => Fit::Other,
    }
}

fn letters(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// True where a phrase comes so often one right behind the other that nobody says it.
fn repeats(text: &str) -> bool {
    let lower = text.to_lowercase();
    let words = tokens(&lower);
    (1..=PHRASE).any(|length| {
        let mut run = 0;
        (length..words.len()).any(|at| {
            run = if words[at] == words[at - length] { run + 1 } else { 0 };
            run >= length * (AGAIN.1 - 1)
        })
    })
}

/// The same words in turn after turn.
fn same_in_a_row(turns: &[Turn]) -> Option<String> {
    let same = |a: &Turn, b: &Turn| a.text == b.text && a.speaker == b.speaker;
    let long = |run: &&[Turn]| run.len() >= AGAIN.0 && !run[0].text.is_empty();
    let runs: Vec<&[Turn]> = turns.chunk_by(same).filter(long).collect();
    let first = runs.first()?;
    let count: usize = runs.iter().map(|run| run.len()).sum();
    Some(format!(
        "{count} turns repeat the words of the one before, {} and more in a row (first: turn {}, {:?}), as speech \
         recognisers do where nothing is said; they are kept",
        AGAIN.0,
        first[0].index,
        short(&first[0].text)
    ))
}

/// A file of words is read as one of turns, each of a word.
fn single_words(turns: &[Turn]) -> Option<String> {
    let one = turns.iter().filter(|t| t.text.split_whitespace().count() == 1).count();
    let runs_on = |w: &[Turn]| {
        w[0].speaker == w[1].speaker && (w[1].segment.start().get() - w[0].segment.end().get()).abs() < TOUCH_SECS
    };
    let close = turns.windows(2).filter(|w| runs_on(w)).count();
    (turns.len() >= 10 && one * 10 >= turns.len() * 9 && close * 2 > turns.len()).then(|| {
        format!(
            "{one} of {} turns are a single word, most of them right behind another of the same speaker: a file of \
             words has no turns; join them",
            turns.len()
        )
    })
}

/// A spreadsheet reads 02:30 as two hours and a half, and writes 02:30:00.
fn whole_minutes(turns: &[Turn]) -> Option<String> {
    let whole = |secs: f64| secs % 60.0 == 0.0;
    let all = turns.iter().all(|t| whole(t.segment.start().get()) && whole(t.segment.end().get()));
    let distinct: BTreeSet<u64> = turns.iter().map(|t| t.segment.start().get().to_bits()).collect();
    (all && distinct.len() >= 3).then(|| {
        format!(
            "all {} turns begin and end at whole minutes: a spreadsheet takes minutes and seconds for hours and minutes",
            turns.len()
        )
    })
}

#[cfg(test)]
mod tests {
    use crate::transcript::tests::{parse, warned};

    fn told(rows: &str) -> String {
        warned(&parse("a.csv", &format!("start,end,speaker,text\n{rows}")))
    }

    #[test]
    fn times_that_no_words_fit_are_told() {
        let all = told("0,0.2,A,so it is what it is\n1,3,B,yes\n4,9,A,no\n10,60,B,and so it was then in the end\n");
        assert!(all.contains("1 turns have more words than can be said in their time (first: turn 1)"), "{all}");
        let all = told("0,900,A,so it is what it is\n901,903,B,yes\n");
        assert!(all.contains("1 turns last minutes for a few words: are their ends right? (first: turn 1)"), "{all}");
        let all = told("00:02:00,00:04:00,A,so it is\n00:04:00,00:05:00,B,yes\n00:05:00,00:06:00,A,no\n");
        assert!(all.contains("all 3 turns begin and end at whole minutes"), "{all}");
        assert_eq!(told("0,60,A,so it is and so on\n60,90,B,yes\n90,120,A,no\n"), "");
    }

    #[test]
    fn what_is_said_over_and_over_is_kept_and_told() {
        let thanks: String = (0..6).map(|k| format!("{k},{},A,Thank you.\n", k + 1)).collect();
        assert!(told(&thanks).contains("6 turns repeat the words of the one before"), "{}", told(&thanks));
        let all = told(
            "0,9,A,and I I I I I I I think\n9,20,B,so we go so we go so we go so we go so we go so we go\n20,21,A,no no no no\n",
        );
        assert!(all.contains("2 turns say the same over and over"), "{all}");
        let yes: String = (0..4).map(|k| format!("{k},{},{},Yes.\n", k + 1, ["A", "B"][k % 2])).collect();
        assert_eq!(told(&yes), "");
    }

    #[test]
    fn a_file_of_words_is_told() {
        let row = |k: usize| format!("{k},{}.95,A,word{k}\n", k);
        assert!(told(&(0..12).map(row).collect::<String>()).contains("12 of 12 turns are a single word"));
        let t = parse("a.csv", "word,start,end,speaker\nso,0,0.5,A\nit,0.5,1,A\n");
        assert_eq!(t.turns.iter().map(|t| t.text.as_str()).collect::<Vec<_>>(), ["so", "it"]);
    }

    #[test]
    fn words_that_are_not_the_texts_are_told() {
        let told = |words: &str| {
            let text = format!(
                "{{\"segments\": [{{\"start\": 0, \"end\": 2, \"text\": \"So, it's \", \"words\": [{words}]}}]}}"
            );
            warned(&parse("a.json", &text))
        };
        let word = |text: &str, who: &str| {
            format!("{{\"word\": \"{text}\", \"start\": 0, \"end\": 1, \"speaker\": \"{who}\"}}")
        };
        assert_eq!(told(&[word(" so,", "A"), word("its", "A")].join(",")), "");
        assert_eq!(told(&word("so", "A")), "", "nowhere are all words timed");
        for words in [vec!["so", "its", "me"], vec!["never", "mind"]] {
            let words: Vec<String> = words.into_iter().map(|w| word(w, "A")).collect();
            assert!(told(&words.join(",")).contains("1 turns have words with times that are not those"), "{words:?}");
        }
        let some = format!(
            "{{\"segments\": [{{\"start\": 0, \"end\": 2, \"text\": \"so, it's\", \"words\": [{0}]}}, \
             {{\"start\": 2, \"end\": 3, \"text\": \"so\", \"words\": [{0}]}}]}}",
            "{\"word\": \"so\", \"start\": 2, \"end\": 2}"
        );
        assert!(warned(&parse("a.json", &some)).contains("1 turns have words with times"));
        let all = told(&[word("so,", "A"), word("it's", "B")].join(","));
        assert!(all.contains("1 turns hold words of several speakers"), "{all}");
    }
}
