//! Times in a unit that no speech fits.

use super::{Draft, unlikely};
use crate::annotation::Turn;
use crate::error::Result;

/// More words per second over a whole transcript than anybody says: the fastest talkers recorded reach eleven.
const MOST_WORDS_PER_SEC: f64 = 50.0;
/// At such a rate a few words say that the unit is another.
const ABSURD_WORDS_PER_SEC: f64 = 5000.0;
/// Fewer words say nothing about a unit.
const LEAST_WORDS: usize = 20;

/// Words and seconds of the turns that last, where the words come faster than speech can.
fn too_fast(turns: &[Turn]) -> Option<(usize, f64)> {
    let lasting = || turns.iter().filter(|t| t.segment.duration() > 0.0 && !t.text.is_empty());
    let words: usize = lasting().map(|t| t.text.split_whitespace().count()).sum();
    let secs: f64 = lasting().map(|t| t.segment.duration()).sum();
    let rate = words as f64 / secs.max(f64::MIN_POSITIVE);
    let least = if rate > ABSURD_WORDS_PER_SEC { 2 } else { LEAST_WORDS };
    (words >= least && rate > MOST_WORDS_PER_SEC).then_some((words, secs))
}

/// Refuses a transcript whose words come faster than speech can; leniently it is kept and told.
pub(super) fn check(draft: &mut Draft) -> Result<()> {
    let Some((words, secs)) = too_fast(&draft.turns) else {
        unlikely::tell(draft);
        return Ok(());
    };
    draft.flaw(
        0,
        format!("{words} words in {secs} s of turns, faster than anybody speaks: the times are not in seconds"),
        "the turns are kept",
        "a spreadsheet keeps clock times as fractions of a day: write them as text (00:00:12.500) or in seconds",
    )
}

#[cfg(test)]
mod tests {
    use crate::transcript::read_bytes;
    use crate::transcript::tests::{LENIENT, complaint, parse, warned};
    use std::path::Path;

    fn table(secs_per_unit: f64) -> String {
        let row = |i: usize| {
            let time = |secs: usize| secs as f64 / secs_per_unit;
            format!("{:.9},{:.9},{},so this is what I said\n", time(i * 3), time(i * 3 + 2), ["A", "B"][i % 2])
        };
        (0..6).fold("start,end,speaker,text\n".to_owned(), |table, i| table + &row(i))
    }

    #[test]
    fn fractions_of_a_day_are_refused_and_told_leniently() {
        assert_eq!(parse("a.csv", &table(1.0)).turns.len(), 6);
        let e = complaint("a.csv", &table(86_400.0));
        assert!(e.contains("faster than anybody speaks") && e.contains("fractions of a day"), "{e}");
        let e = complaint("a.csv", "start,end,text\n0,0.0000231,so it is\n0.0000231,0.0000463,yes\n");
        assert!(e.contains("4 words in 0.0000463 s of turns, faster than anybody speaks"), "{e}");
        let t = read_bytes(table(86_400.0).as_bytes(), Path::new("a.csv"), &LENIENT).unwrap();
        assert!(t.turns.len() == 6 && warned(&t).contains("faster than anybody speaks"), "{}", warned(&t));
    }
}
