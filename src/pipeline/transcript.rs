//! The transcript of one interview, moved as the recipe says.

use super::{Work, units};
use crate::annotation::{SoundEvent, TierCode, Turn};
use crate::error::Result;
use crate::time::{Seconds, Segment};
use crate::transcript::{self, Transcript};
use crate::turns::{FloorConfig, TranscriptOffset, merge_cues};
use crate::warning::Warning;

pub(super) fn read_transcript(work: Work<'_>) -> Result<Option<Transcript>> {
    let Work { request, recipe, warnings, .. } = work;
    let input = &recipe.input;
    let media = request.media.as_deref().or(request.audio.as_deref());
    let options = input.reading(request.sample_id.as_deref(), media);
    let (path, mut read) = match (&request.transcript, &request.embedded, media) {
        (Some(path), _, _) => (path.as_path(), transcript::read(path, &options)?),
        (None, Some(pick), Some(media)) => (media, transcript::embedded(media, pick, &options)?),
        _ => return Ok(None),
    };
    read.warnings.drain(..).for_each(|w| warnings.push(w));
    let shift_secs = input.transcript_shift_secs;
    let media_secs = || media.and_then(units::media_secs);
    // Times of the uncut recording lie past the end until they are moved.
    let keep = input.lenient || shift_secs != 0.0 || input.apply_transcript_offset;
    units::fit(&mut read, media_secs, path, keep)?.into_iter().for_each(|w| warnings.push(w));
    if shift_secs != 0.0 {
        shift(&mut read.turns, shift_secs).into_iter().for_each(|w| warnings.push(w));
        place_events(&mut read.events, |t| t + shift_secs);
        place_codes(&mut read.codes, |t| t + shift_secs);
    }
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
    let count = place(turns, |t| t + secs);
    (count > 0).then_some(Warning::TurnsBeforeStart { count, moved_secs: secs })
}

/// The same by the offset and drift that were measured.
pub(super) fn place_on_sound(turns: &mut [Turn], offset: &TranscriptOffset) -> Option<Warning> {
    let count = place(turns, |t| offset.on_sound(t));
    (count > 0).then_some(Warning::TurnsBeforeStart { count, moved_secs: offset.offset_secs })
}

/// Each time becomes what `on_sound` makes of it; how many turns would begin before the origin.
fn place(turns: &mut [Turn], on_sound: impl Fn(f64) -> f64) -> usize {
    let count = turns.iter().filter(|t| on_sound(t.segment.start().get()) < 0.0).count();
    for turn in turns {
        turn.segment = placed(turn.segment, &on_sound);
        for word in &mut turn.words {
            word.segment = word.segment.map(|s| placed(s, &on_sound));
        }
    }
    count
}

fn placed(segment: Segment, on_sound: impl Fn(f64) -> f64) -> Segment {
    let at = |t: Seconds| Seconds::of(on_sound(t.get()).max(0.0));
    Segment::new(at(segment.start()), at(segment.end())).unwrap_or(segment)
}

/// Moves sounds as the turns are moved.
pub(super) fn place_events(events: &mut [SoundEvent], on_sound: impl Fn(f64) -> f64) {
    events.iter_mut().for_each(|e| e.segment = placed(e.segment, &on_sound));
}

/// Moves codes as the turns are moved.
pub(super) fn place_codes(codes: &mut [TierCode], on_sound: impl Fn(f64) -> f64) {
    let at = |t: Seconds| Seconds::of(on_sound(t.get()).max(0.0));
    codes.iter_mut().for_each(|c| (c.start, c.end) = (at(c.start), c.end.map(at)));
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

    #[test]
    fn a_drift_moves_each_time_by_its_own() {
        let segment = |a, b| Segment::from_secs(a, b).unwrap();
        let offset = TranscriptOffset {
            offset_secs: -2.0,
            at_secs: 1000.0,
            drift_ppm: Some(1000.0),
            drift_error_ppm: Some(10.0),
            correlation: 0.9,
            confidence: 1.0,
            is_telling: true,
            applied_drift_ppm: 1000.0,
        };
        let turn = |index, segment| Turn { index, segment, speaker: None, text: String::new(), words: Vec::new() };
        let mut all = vec![turn(1, segment(1.0, 5.0)), turn(2, segment(2000.0, 2001.0))];
        let told = place_on_sound(&mut all, &offset);
        assert_eq!(told, Some(Warning::TurnsBeforeStart { count: 1, moved_secs: -2.0 }));
        let times = |s: Segment| [s.start().get(), s.end().get()];
        for (at, expected) in times(all[0].segment).iter().zip([0.0, 2.005]) {
            assert!((at - expected).abs() < 1e-9, "{all:?}");
        }
        for (at, expected) in times(all[1].segment).iter().zip([1999.0, 2000.001]) {
            assert!((at - expected).abs() < 1e-9, "{all:?}");
        }
        let sound = |segment| SoundEvent { segment, speaker: None, what: "laughs".into(), in_turn: false };
        let mut events = vec![sound(segment(1000.0, 1001.0))];
        place_events(&mut events, |t| offset.on_sound(t));
        assert!((events[0].segment.start().get() - 998.0).abs() < 1e-9, "{events:?}");
    }
}
