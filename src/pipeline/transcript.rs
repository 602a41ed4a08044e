//! The transcript of one interview, moved as the recipe says.

use super::{Work, units};
use crate::annotation::{SoundEvent, Turn};
use crate::error::Result;
use crate::time::{Seconds, Segment};
use crate::transcript::{self, ReadOptions, Transcript};
use crate::turns::{FloorConfig, merge_cues};
use crate::warning::Warning;

pub(super) fn read_transcript(work: Work<'_>) -> Result<Option<Transcript>> {
    let Work { request, recipe, warnings, .. } = work;
    let Some(path) = &request.transcript else { return Ok(None) };
    let input = &recipe.input;
    let options = ReadOptions { lenient: input.lenient, sample_id: request.sample_id.as_deref(), labels: input.labels };
    let mut read = transcript::read(path, &options)?;
    read.warnings.drain(..).for_each(|w| warnings.push(w));
    let unshifted = input.transcript_shift_secs == 0.0;
    let media_secs = || request.media.as_deref().or(request.audio.as_deref()).and_then(units::media_secs);
    let keep = input.lenient || !unshifted;
    units::fit(&mut read, media_secs, path, keep)?.into_iter().for_each(|w| warnings.push(w));
    shift(&mut read.turns, recipe.input.transcript_shift_secs).into_iter().for_each(|w| warnings.push(w));
    shift_events(&mut read.events, recipe.input.transcript_shift_secs);
    read.sort_by_time();
    merge(&mut read, &recipe.turns.floor).into_iter().for_each(|w| warnings.push(w));
    Ok(Some(read))
}

/// One speaker's close cues become one turn, where the recipe asks for it.
fn merge(read: &mut Transcript, config: &FloorConfig) -> Option<Warning> {
    if config.merge_cues_secs == 0.0 {
        return None;
    }
    let before = read.turns.len();
    let what = if read.sample.is_some() {
        "cues are not merged: a sample of RESCUE-bench is told row by row".into()
    } else {
        merge_cues(&mut read.turns, &read.after_dropped, config);
        let after = read.turns.len();
        let secs = config.merge_cues_secs;
        format!("{before} cues became {after} turns: one speaker's, closer than {secs} s, are one")
    };
    (read.sample.is_some() || read.turns.len() < before).then_some(Warning::Transcript { what })
}

/// Moves all times; what would begin before the origin begins at it, and is told.
pub(super) fn shift(turns: &mut [Turn], secs: f64) -> Option<Warning> {
    if secs == 0.0 {
        return None;
    }
    let count = turns.iter().filter(|t| t.segment.start().get() + secs < 0.0).count();
    for turn in turns {
        turn.segment = moved(turn.segment, secs);
        for word in &mut turn.words {
            word.segment = word.segment.map(|s| moved(s, secs));
        }
    }
    (count > 0).then_some(Warning::TurnsBeforeStart { count, moved_secs: secs })
}

fn moved(segment: Segment, secs: f64) -> Segment {
    let at = |t: Seconds| Seconds::of((t.get() + secs).max(0.0));
    Segment::new(at(segment.start()), at(segment.end())).unwrap_or(segment)
}

/// Moves sounds with the turns.
pub(super) fn shift_events(events: &mut [SoundEvent], secs: f64) {
    if secs != 0.0 {
        events.iter_mut().for_each(|e| e.segment = moved(e.segment, secs));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shift_moves_turns_and_words_and_stops_at_the_origin() {
        let segment = |a, b| Segment::from_secs(a, b).unwrap();
        let word = crate::annotation::Word { text: "so".into(), segment: Some(segment(1.0, 1.5)), speaker: None };
        let mut all =
            vec![Turn { index: 1, segment: segment(1.0, 2.0), speaker: None, text: String::new(), words: vec![word] }];
        assert_eq!(shift(&mut all, 0.25), None);
        assert_eq!(shift(&mut all, -0.25), None);
        assert_eq!(shift(&mut all, -1.25), Some(Warning::TurnsBeforeStart { count: 1, moved_secs: -1.25 }));
        assert_eq!(all[0].segment, segment(0.0, 0.75));
        assert_eq!(all[0].words[0].segment, Some(segment(0.0, 0.25)));
    }
}
