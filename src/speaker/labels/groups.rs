//! What labels the turns would have by their voices: turns grouped by likeness, and each group given the label that
//! most of its speech is told to be. Where the longest turns of a label are wrong, its voice is learnt from the wrong
//! ones and no turn alone tells; the groups do.

use super::super::embedding::{cosine, unit};
use super::learn::{MIN_SECS, TurnVoice};

/// The longest turns that are grouped: their number is what grouping costs, cubed.
const MOST_TURNS: usize = 40;

/// Turns that sound alike, together.
struct Group {
    turns: Vec<usize>,
    sum: Vec<f64>,
}

impl Group {
    fn likeness(&self, other: &Group) -> f64 {
        let voice = |group: &Group| unit(group.sum.iter().copied());
        voice(self).zip(voice(other)).map_or(-1.0, |(a, b)| cosine(&a, &b))
    }
}

/// The label of each turn by its group; the one told for turns that are not grouped.
pub(super) fn by_group(turns: &[TurnVoice], labels: usize) -> Vec<usize> {
    let mut found: Vec<usize> = turns.iter().map(|turn| turn.label).collect();
    let groups = groups(turns, labels);
    let secs = |group: &Group, label: usize| -> f64 {
        group.turns.iter().filter(|t| turns[**t].label == label).map(|t| turns[*t].secs).sum()
    };
    // The most speech first, one label a group, of those that any turn is told to be.
    let mut shares: Vec<(f64, usize, usize)> = (0..groups.len())
        .flat_map(|g| (0..labels).map(move |l| (g, l)))
        .map(|(g, l)| (secs(&groups[g], l), g, l))
        .collect();
    shares.sort_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
    let mut done = vec![false; groups.len()];
    let mut taken: Vec<bool> = (0..labels).map(|label| turns.iter().all(|turn| turn.label != label)).collect();
    for (_, group, label) in shares {
        if !done[group] && !taken[label] {
            (done[group], taken[label]) = (true, true);
            groups[group].turns.iter().for_each(|t| found[*t] = label);
        }
    }
    found
}

/// At most `labels` groups of the longest turns: the two likest are joined until they are so few.
fn groups(turns: &[TurnVoice], labels: usize) -> Vec<Group> {
    let mut longest: Vec<usize> = (0..turns.len()).filter(|t| turns[*t].secs >= MIN_SECS).collect();
    longest.sort_by(|&a, &b| turns[b].secs.total_cmp(&turns[a].secs));
    longest.truncate(MOST_TURNS);
    let mut groups: Vec<Group> =
        longest.into_iter().map(|t| Group { turns: vec![t], sum: turns[t].sum.clone() }).collect();
    while groups.len() > labels {
        let mut best = (f64::NEG_INFINITY, 0, 1);
        for a in 0..groups.len() {
            for b in a + 1..groups.len() {
                let likeness = groups[a].likeness(&groups[b]);
                if likeness > best.0 {
                    best = (likeness, a, b);
                }
            }
        }
        let joined = groups.remove(best.2);
        let into = &mut groups[best.1];
        into.turns.extend(joined.turns);
        into.sum.iter_mut().zip(&joined.sum).for_each(|(s, v)| *s += v);
    }
    groups
}
