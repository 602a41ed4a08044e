//! Where one speaker takes over from another, by the turns that name them: voices, pooled over a second, tell it to
//! half a second at best; turns to their uncertainty; a pause near where both turns meet to a frame.

use super::super::segmentation::FRAMES;
use super::{Claims, Cue, probability_at};

/// Where one ends and the other begins further apart, segmentation heard the change itself, and better.
const TOUCH_SECS: f64 = 0.04;

/// Speech probability below which there is a pause, and at which speech goes on; those of voice activity's own edges.
const PAUSE: (f64, f64) = (0.35, 0.5);

/// Shorter pauses are within somebody's talk too.
const MIN_PAUSE_SECS: f64 = 0.2;

/// What is left of a turn that gives a part of it away, at least: another pause bounds the whole turn.
const MIN_REST_SECS: f64 = 0.3;

/// A change further from its turns' edges than this times their uncertainty is another one: both err, and voices do.
const REACH: f64 = 2.5;

/// Moves changes from one speaker to another to where speech goes on after the pause nearest to the edges that their
/// turns have there, within `edge` of them. `active` holds a row a speaker.
pub(in crate::speaker) fn meet(active: &mut [Vec<bool>], claims: &Claims, vad: &[f32], edge: f64) {
    let cues: Vec<Vec<Cue>> = (0..active.len()).map(|speaker| claims.of_speaker(speaker).0).collect();
    for next in 0..active.len() {
        let begins = |f: &usize| active[next][*f] && (*f == 0 || !active[next][f - 1]);
        let onsets: Vec<usize> = (0..active[next].len()).filter(begins).collect();
        for onset in onsets {
            let Some(own) = (0..active.len()).find(|&s| s != next && ends_near(&active[s], onset)) else { continue };
            if let Some((paused, moved)) = moved(onset, (&cues[own], &cues[next]), vad, edge) {
                hand_over(active, (own, next), onset, (paused, moved));
            }
        }
    }
}

/// Whether somebody stops talking near a frame.
fn ends_near(row: &[bool], onset: usize) -> bool {
    let reach = (TOUCH_SECS / FRAMES.hop_secs()) as usize;
    let near = onset.saturating_sub(reach).max(1)..(onset + reach).min(row.len());
    near.into_iter().any(|f| row[f - 1] && !row[f])
}

/// Where a change at `onset` belongs by the turns of both: the frame at which the pause there begins, and the one at
/// which speech goes on.
fn moved(onset: usize, (own, next): (&[Cue], &[Cue]), vad: &[f32], edge: f64) -> Option<(usize, usize)> {
    let frame = |secs: f64| ((secs - FRAMES.centre(0).get()) / FRAMES.hop_secs()).max(0.0).round() as usize;
    let meeting = meeting(own, next, FRAMES.centre(onset).get(), edge)?;
    let (first, last) = (frame(meeting - edge), frame(meeting + edge));
    resumptions(first, last, vad).into_iter().min_by_key(|(_, f)| f.abs_diff(frame(meeting)))
}

/// Gives the frames between `onset` and `moved` to the one who then talks, as far as the two talk without a break. The
/// pause itself, from `paused` on, is nobody's: what stands between two turns is measured by it.
fn hand_over(active: &mut [Vec<bool>], (own, next): (usize, usize), onset: usize, (paused, moved): (usize, usize)) {
    let (taker, giver, frames) =
        if moved > onset { (own, next, onset..moved) } else { (next, own, moved..onset.min(active[own].len())) };
    let frames = frames.start..frames.end.min(active[own].len());
    let all = frames.len();
    // Whose turn would vanish keeps it.
    if frames.clone().filter(|&f| active[giver][f]).count() + 1 < all
        || !still_talks(&active[giver], &frames, moved > onset)
    {
        return;
    }
    active[giver][frames.clone()].fill(false);
    let spoken = if moved > onset { frames.start..frames.end.min(paused.max(frames.start)) } else { frames };
    active[taker][spoken].fill(true);
}

/// Whether the giver goes on long enough beyond the frames given away to be a turn.
fn still_talks(row: &[bool], frames: &std::ops::Range<usize>, after: bool) -> bool {
    let least = (MIN_REST_SECS / FRAMES.hop_secs()) as usize;
    let beside = if after { frames.end..frames.end + least } else { frames.start.saturating_sub(least)..frames.start };
    beside.len() == least && row.get(beside).is_some_and(|rest| rest.iter().all(|on| *on))
}

/// The middle between the end of a turn of `own` and the start of one of `next`, both nearest to `at` and near it and
/// each other.
fn meeting(own: &[Cue], next: &[Cue], at: f64, edge: f64) -> Option<f64> {
    let nearest = |edges: &mut dyn Iterator<Item = f64>| edges.min_by(|a, b| (a - at).abs().total_cmp(&(b - at).abs()));
    let end = nearest(&mut own.iter().map(|c| c.end))?;
    let start = nearest(&mut next.iter().map(|c| c.start))?;
    let near = [end - at, start - at, end - start].iter().all(|d| d.abs() <= REACH * edge);
    near.then_some(0.5 * (end + start))
}

/// Pauses that end in `first..=last`: the frame at which each begins, and the one at which speech goes on.
fn resumptions(first: usize, last: usize, vad: &[f32]) -> Vec<(usize, usize)> {
    let least = (MIN_PAUSE_SECS / FRAMES.hop_secs()) as usize;
    let (mut paused, mut began, mut found) = (0, 0, Vec::new());
    // A pause may have begun before.
    for frame in first.saturating_sub(2 * least)..=last {
        let p = probability_at(vad, frame);
        if p < PAUSE.0 {
            began = if paused == 0 { frame } else { began };
            paused += 1;
        } else if p >= PAUSE.1 {
            if paused >= least && frame >= first {
                found.push((began, frame));
            }
            paused = 0;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Speech but for a pause from 2.6 to 3.0 s.
    fn vad() -> Vec<f32> {
        (0..200).map(|i| if (2.6..3.0).contains(&(0.032 * f64::from(i))) { 0.05 } else { 0.9 }).collect()
    }

    /// A pause up to 2.6 s.
    fn early_pause() -> Vec<f32> {
        (0..200).map(|i| if (2.2..2.6).contains(&(0.032 * f64::from(i))) { 0.05 } else { 0.9 }).collect()
    }

    fn changed((first_secs, at): (f64, f64), end: f64, start: f64, vad: &[f32]) -> f64 {
        let cue = |start, end, label| vec![Cue { start, end, label }];
        let onset = (at / FRAMES.hop_secs()) as usize;
        let first = (first_secs / FRAMES.hop_secs()) as usize;
        let mut active: Vec<Vec<bool>> =
            vec![(0..350).map(|f| f < onset && f >= first).collect(), (0..350).map(|f| f >= onset).collect()];
        if let Some(to) = moved(onset, (&cue(0.5, end, 0), &cue(start, 6.0, 1)), vad, 0.5) {
            hand_over(&mut active, (0, 1), onset, to);
        }
        assert!((first..350).all(|f| !(active[0][f] && active[1][f])), "one at a time");
        FRAMES.centre(active[1].iter().position(|on| *on).unwrap()).get()
    }

    #[test]
    fn the_pause_is_nobodys() {
        let onset = (2.3 / FRAMES.hop_secs()) as usize;
        let mut active =
            vec![(0..350).map(|f| f < onset).collect::<Vec<bool>>(), (0..350).map(|f| f >= onset).collect()];
        let cue = |start, end, label| vec![Cue { start, end, label }];
        let to = moved(onset, (&cue(0.5, 2.9, 0), &cue(3.1, 6.0, 1)), &vad(), 0.5).unwrap();
        hand_over(&mut active, (0, 1), onset, to);
        let last = FRAMES.centre(active[0].iter().rposition(|on| *on).unwrap()).get();
        let first = FRAMES.centre(active[1].iter().position(|on| *on).unwrap()).get();
        assert!((last - 2.6).abs() < 0.05 && (first - 3.0).abs() < 0.05, "{last} and {first} about 2.6 to 3.0 s");
    }

    #[test]
    fn a_change_goes_to_the_pause_where_both_turns_meet() {
        let all = vec![0.9; 200];
        for (at, end, start, vad, expected) in [
            ((1.0, 2.3), 2.9, 3.1, &vad(), 3.0),
            ((1.0, 3.6), 2.7, 2.9, &vad(), 3.0),
            // No pause: voices alone tell.
            ((1.0, 2.1), 2.9, 3.1, &all, 2.1),
            ((1.0, 2.8), 2.9, 3.1, &all, 2.8),
            // The pause is before the whole turn, or the turns meet elsewhere.
            ((2.5, 3.1), 2.7, 2.9, &early_pause(), 3.1),
            ((1.0, 2.8), 4.4, 4.6, &vad(), 2.8),
        ] {
            let got = changed(at, end, start, vad);
            assert!((got - expected).abs() < 0.05, "{at:?} {end} {start}: {got} in place of {expected}");
        }
    }
}
