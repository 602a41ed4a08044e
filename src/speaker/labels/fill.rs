//! Where a speaker talks inside the turns that name them: segmentation's word and the turn's weighed together.

use super::super::segmentation::FRAMES;
use super::{Claims, Cue, LabelEvidenceConfig, LabelUse, probability_at};

/// Probabilities nearer to 0 or 1 are taken for these: neither source is ever sure.
const SURE: (f64, f64) = (0.01, 0.99);

/// Speech less probable than this is not heard.
const UNHEARD: f64 = 0.1;

fn log_odds(p: f64) -> f64 {
    let p = p.clamp(SURE.0, SURE.1);
    (p / (1.0 - p)).ln()
}

/// Adds the frames in which the labels claim speakers whom segmentation does not hear: somebody where it is silent and
/// speech is heard inside a claim, one more at a time where so many are claimed. What segmentation hears stays.
/// `activity` and `active` hold a row a speaker; `vad` is the speech probability a chunk.
pub(in crate::speaker) fn fill(
    active: &mut [Vec<bool>],
    activity: &[Vec<f32>],
    vad: &[f32],
    claims: &Claims,
    (used, config): (LabelUse, &LabelEvidenceConfig),
) {
    let frames = activity.first().map_or(0, Vec::len);
    let of_speakers: Vec<(Vec<f32>, f64)> = (0..active.len())
        .map(|speaker| {
            let (cues, weight) = claims.of_speaker(speaker);
            (claimed(&cues, frames, config.edge_secs), if used == LabelUse::Trust { 1.0 } else { weight })
        })
        .collect();
    for frame in 0..frames {
        let claim = |s: usize| f64::from(of_speakers[s].0[frame]);
        if (0..active.len()).all(|s| claim(s) == 0.0) {
            continue;
        }
        let expected: f64 = (0..active.len()).map(|s| of_speakers[s].1 * claim(s)).sum();
        let odds = |s: usize| {
            let sound = sound(activity[s][frame], vad, frame, config);
            log_odds(sound) + of_speakers[s].1 * log_odds(claim(s))
        };
        let mut silent: Vec<(usize, f64)> =
            (0..active.len()).filter(|&s| !active[s][frame] && claim(s) > 0.0).map(|s| (s, odds(s))).collect();
        silent.sort_by(|a, b| b.1.total_cmp(&a.1));
        let mut talking = active.iter().filter(|row| row[frame]).count();
        for (speaker, odds) in silent {
            if odds > 0.0 && (talking == 0 || expected >= talking as f64 + config.overlap_claim) {
                active[speaker][frame] = true;
                talking += 1;
            }
        }
    }
    for (row, (claimed, _)) in active.iter_mut().zip(&of_speakers) {
        bridge(row, claimed, config.max_pause_secs);
    }
}

/// How probable it is by the sound alone that a speaker of this `activity` talks: segmentation's word, no less than
/// what is heard allows and no more where nothing is.
fn sound(activity: f32, vad: &[f32], frame: usize, config: &LabelEvidenceConfig) -> f64 {
    let heard = probability_at(vad, frame);
    let activity = f64::from(activity);
    if heard < UNHEARD { activity.min(UNHEARD) } else { activity.max(config.heard_probability * heard) }
}

/// How surely one of the cues covers each of `frames` frames.
fn claimed(cues: &[Cue], frames: usize, edge: f64) -> Vec<f32> {
    let mut claimed = vec![0.0f32; frames];
    let frame = |secs: f64| ((secs - FRAMES.centre(0).get()) / FRAMES.hop_secs()).max(0.0) as usize;
    for cue in cues {
        let (first, past) = (frame(cue.start - edge), (frame(cue.end + edge) + 2).min(frames));
        for (i, slot) in claimed.iter_mut().enumerate().take(past).skip(first) {
            *slot = slot.max(cue.covers(FRAMES.centre(i).get(), edge) as f32);
        }
    }
    claimed
}

/// Fills pauses shorter than `longest` all of which is more probably inside a cue than not.
fn bridge(row: &mut [bool], claimed: &[f32], longest: f64) {
    let longest = (longest / FRAMES.hop_secs()) as usize;
    let mut last = None;
    for frame in 0..row.len() {
        if !row[frame] {
            continue;
        }
        if let Some(last) = last.replace(frame) {
            let pause = last + 1..frame;
            if !pause.is_empty() && pause.len() < longest && claimed[pause.clone()].iter().all(|c| *c > 0.5) {
                row[pause].fill(true);
            }
        }
    }
}
