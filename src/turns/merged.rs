//! One speaker's cues merged to turns: subtitles cut a sentence in two.

use super::FloorConfig;
use super::dyads::TOUCH_SECS;
use crate::annotation::{SegmentIndex, Turn};
use crate::time::Segment;

/// Merges each named speaker's cues that are closer than the recipe says. The first cue's number and place stay, texts
/// and words are joined. Cues stay apart where anybody else says more in between than a backchannel, or a cue was
/// dropped there; `after_dropped` holds the numbers of turns that follow a dropped cue.
pub fn merge_cues(turns: &mut Vec<Turn>, after_dropped: &[u32], config: &FloorConfig) {
    let index = SegmentIndex::new(turns.iter().map(|t| t.segment));
    let mut order: Vec<usize> = (0..turns.len()).collect();
    order.sort_by_key(|&i| (turns[i].segment, i));
    let mut gone = vec![false; turns.len()];
    // The last turn of each speaker, and the latest turn after a dropped cue.
    let mut open: std::collections::BTreeMap<String, usize> = std::collections::BTreeMap::new();
    for at in order {
        if after_dropped.binary_search(&turns[at].index).is_ok() {
            open.clear();
        }
        let Some(speaker) = turns[at].speaker.clone() else { continue };
        let before = open.get(&speaker).copied().filter(|&i| may_join(turns, &index, (i, at), config));
        match before {
            Some(first) => {
                join(turns, first, at);
                gone[at] = true;
            }
            None => {
                open.insert(speaker, at);
            }
        }
    }
    let mut gone = gone.into_iter();
    turns.retain(|_| !gone.next().unwrap_or(false));
}

fn may_join(turns: &[Turn], index: &SegmentIndex, (first, second): (usize, usize), config: &FloorConfig) -> bool {
    let (a, b) = (&turns[first], &turns[second]);
    if (b.segment.start() - a.segment.end()).get() >= config.merge_cues_secs || b.index < a.index {
        return false;
    }
    let whole = span(a.segment, b.segment);
    let from = a.segment.end().min(b.segment.start());
    let to = a.segment.end().max(b.segment.start());
    index.overlapping(from, to).into_iter().map(|i| &turns[i]).filter(|o| o.speaker != a.speaker).all(|o| {
        o.segment.duration() <= config.max_backchannel_secs + TOUCH_SECS
            && whole.start() < o.segment.start()
            && o.segment.end() < whole.end()
    })
}

fn span(a: Segment, b: Segment) -> Segment {
    Segment::new(a.start().min(b.start()), a.end().max(b.end())).unwrap_or(a)
}

fn join(turns: &mut [Turn], first: usize, second: usize) {
    let (segment, text) = (turns[second].segment, std::mem::take(&mut turns[second].text));
    let words = std::mem::take(&mut turns[second].words);
    let into = &mut turns[first];
    into.segment = span(into.segment, segment);
    if !into.text.is_empty() && !text.is_empty() {
        into.text.push(' ');
    }
    into.text.push_str(&text);
    into.words.extend(words);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cue(index: u32, start: f64, end: f64, speaker: &str, text: &str) -> Turn {
        let segment = Segment::from_secs(start, end).unwrap();
        let speaker = Some(speaker.to_owned()).filter(|s| !s.is_empty());
        Turn { index, segment, speaker, text: text.into(), words: Vec::new() }
    }

    #[test]
    fn close_cues_of_one_speaker_are_one_turn() {
        let all = vec![
            cue(1, 0.0, 2.0, "A", "I went"),
            cue(2, 2.1, 2.5, "B", "mhm"),
            cue(3, 2.6, 4.0, "A", "home"),
            cue(4, 4.9, 6.0, "A", "late"),
            cue(5, 6.1, 8.0, "B", "and I stayed"),
            cue(6, 8.2, 9.0, "A", "you did"),
            cue(7, 9.1, 9.9, "", "what"),
            cue(8, 10.0, 11.0, "", "what"),
        ];
        let config = FloorConfig { merge_cues_secs: 0.7, ..FloorConfig::default() };
        let merged = |after_dropped: &[u32]| {
            let mut turns = all.clone();
            merge_cues(&mut turns, after_dropped, &config);
            turns
        };
        let turns = merged(&[]);
        assert_eq!(turns.iter().map(|t| t.index).collect::<Vec<_>>(), [1, 2, 4, 5, 6, 7, 8]);
        assert_eq!((turns[0].text.as_str(), turns[0].segment), ("I went home", Segment::from_secs(0.0, 4.0).unwrap()));
        assert_eq!(merged(&[3]).len(), all.len(), "what was dropped may have been another's");
        let mut wide = all.clone();
        merge_cues(&mut wide, &[], &FloorConfig { merge_cues_secs: 5.0, ..FloorConfig::default() });
        assert_eq!(
            wide.iter().map(|t| t.index).collect::<Vec<_>>(),
            [1, 2, 5, 6, 7, 8],
            "B's answer parts A's turns, nobody knows who cues without a name are of"
        );
    }
}
