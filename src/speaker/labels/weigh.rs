//! Who talks when, by the sound and the turns together: what diarization found by the sound, mended where the turns and
//! the sound around their edges say surely otherwise.

use super::super::segmentation::FRAMES;
use super::cover::Heard;
use super::hearing::{bias, first_frame, log_odds};
use super::{Claims, Cue, LabelEvidenceConfig};

/// What is heard of the recording, frame by frame.
pub(in crate::speaker) struct Frames<'a> {
    /// A row a speaker: the probability that the speaker talks.
    pub(in crate::speaker) activity: Vec<Vec<f32>>,
    /// How many speak, by segmentation.
    pub(in crate::speaker) count: &'a [u8],
    /// Speech probability of a chunk of voice activity.
    pub(in crate::speaker) vad: &'a [f32],
}

/// Rounds of learning how well a recording is heard and where its turns lie.
const ROUNDS: usize = 2;

/// What the turns claim for one speaker.
struct Claim {
    cues: Vec<Cue>,
    /// Of the label, 0 to 1.
    weight: f64,
    /// How surely a turn as told covers each frame, 0 to 1, times the weight.
    told: Vec<f64>,
    /// The same by told and heard together.
    covered: Vec<f64>,
    /// Frames that a turn may cover.
    reach: Vec<bool>,
}

/// Mends `active`, a row a speaker, by the turns that name them.
///
/// A stretch of the sound that no turn gives to its speaker goes to the one whose turn is there. An edge that the sound
/// shows is moved only where turns and sound together are surer than `change_margin`; what the sound has nothing of is
/// the turn's where that is likelier than not. As many talk as segmentation hears, or as the turns claim, if those are
/// more.
pub(in crate::speaker) fn weigh(
    active: &mut [Vec<bool>],
    mut frames: Frames<'_>,
    claims: &Claims,
    config: &LabelEvidenceConfig,
) {
    let mut found: Vec<Claim> =
        (0..active.len()).map(|speaker| Claim::new(speaker, claims, frames.count.len(), config.edge_secs)).collect();
    hand_over(active, &mut frames, &found, config.handover_claim);
    hear(&mut found, &frames, config);
    let least = (config.min_change_secs / FRAMES.hop_secs()).round() as usize;
    for speaker in 0..active.len() {
        let claim = &found[speaker];
        if claim.cues.is_empty() {
            continue;
        }
        let before = active[speaker].clone();
        let others = |f: usize| found.iter().enumerate().any(|(s, c)| s != speaker && c.is_likely(f));
        let row = &mut active[speaker];
        for f in (0..row.len()).filter(|f| claim.reach[*f]) {
            if claim.covered[f] > 0.5 + config.change_margin {
                row[f] = true;
            } else if claim.covered[f] < 0.5 - config.change_margin && others(f) {
                row[f] = false;
            }
        }
        for run in runs(before.len(), |f| claim.is_likely(f)) {
            if !before[run.clone()].contains(&true) {
                row[run].fill(true);
            }
        }
        for run in runs(before.len(), |f| row[f] != before[f]).into_iter().filter(|r| r.len() <= least) {
            row[run.clone()].copy_from_slice(&before[run]);
        }
    }
    keep_count(active, &found, frames.count, config.change_margin);
    for (speaker, own) in found.iter().enumerate() {
        bridge(active, speaker, own, config.max_pause_secs);
    }
}

impl Claim {
    /// By what is told alone, over `count` frames.
    fn new(speaker: usize, claims: &Claims, count: usize, edge: f64) -> Self {
        let (cues, weight) = claims.of_speaker(speaker);
        let told: Vec<f64> = told(&cues, count, edge).into_iter().map(|p| weight * p).collect();
        Claim { covered: told.clone(), told, reach: within(&cues, edge, count), cues, weight }
    }

    fn is_likely(&self, frame: usize) -> bool {
        self.reach[frame] && self.covered[frame] > 0.5
    }
}

/// Runs of frames below `count` for which `is` holds.
fn runs(count: usize, is: impl Fn(usize) -> bool) -> Vec<std::ops::Range<usize>> {
    let (mut found, mut start) = (Vec::new(), None);
    for frame in 0..=count {
        match (start, frame < count && is(frame)) {
            (None, true) => start = Some(frame),
            (Some(first), false) => {
                found.push(first..frame);
                start = None;
            }
            _ => {}
        }
    }
    found
}

/// Sets the edges of the turns by what is heard.
fn hear(found: &mut [Claim], frames: &Frames<'_>, config: &LabelEvidenceConfig) {
    let (edge, count) = (config.edge_secs, frames.count.len());
    let heard = |(speaker, claim): (usize, &Claim)| match claim.cues.is_empty() {
        true => Vec::new(),
        false => log_odds(speaker, &frames.activity, frames.count, frames.vad),
    };
    let heard: Vec<Vec<f64>> = found.iter().enumerate().map(heard).collect();
    // Frames beside the turns tell of silence.
    let beside: Vec<Vec<bool>> = found.iter().map(|claim| within(&claim.cues, 2.0 * edge, count)).collect();
    let a_frame = config.sound_per_sec * FRAMES.hop_secs();
    for _ in 0..ROUNDS {
        let pairs = found.iter().zip(&heard).zip(&beside).flat_map(|((claim, heard), beside)| {
            let all = heard.iter().copied().zip(claim.covered.iter().copied()).zip(beside);
            all.filter(|(_, beside)| **beside).map(|(pair, _)| pair)
        });
        let constant = bias(&pairs.collect::<Vec<_>>());
        for (claim, heard) in found.iter_mut().zip(&heard).filter(|(c, _)| !c.cues.is_empty()) {
            claim.covered = Heard::new(heard, constant, a_frame).covered(&claim.cues, edge);
        }
    }
    for claim in found {
        for p in &mut claim.covered {
            let sure = p.clamp(1e-6, 1.0 - 1e-6);
            *p = 1.0 / (1.0 + (claim.weight * ((1.0 - sure) / sure).ln()).exp());
        }
    }
}

/// Frames within `reach` of one of the cues.
fn within(cues: &[Cue], reach: f64, count: usize) -> Vec<bool> {
    let mut found = vec![false; count];
    for cue in cues {
        found[first_frame(cue.start - reach, count)..first_frame(cue.end + reach, count)].fill(true);
    }
    found
}

/// How surely one of the cues covers each frame, by what is told alone.
fn told(cues: &[Cue], count: usize, edge: f64) -> Vec<f64> {
    let mut silent = vec![1.0; count];
    for cue in cues {
        let (first, past) = (first_frame(cue.start - edge, count), first_frame(cue.end + edge, count));
        for (i, slot) in silent.iter_mut().enumerate().take(past).skip(first) {
            *slot *= 1.0 - cue.covers(FRAMES.centre(i).get(), edge);
        }
    }
    silent.into_iter().map(|s| 1.0 - s).collect()
}

/// Gives stretches that no turn gives to their speaker, and what is heard in them, to the one whose turn most surely is
/// there, where that is surer than `least` and one speaks at a time.
fn hand_over(active: &mut [Vec<bool>], frames: &mut Frames<'_>, found: &[Claim], least: f64) {
    for speaker in 0..active.len() {
        let unclaimed = |f: usize| active[speaker][f] && !found[speaker].reach[f];
        for run in runs(frames.count.len(), unclaimed) {
            let mean = |s: usize| found[s].told[run.clone()].iter().sum::<f64>() / run.len() as f64;
            let others = (0..active.len()).filter(|&s| s != speaker).map(|s| (s, mean(s)));
            let best = others.fold((speaker, 0.0), |b, o| if o.1 > b.1 { o } else { b });
            let alone = frames.count[run.clone()].iter().filter(|c| **c < 2).count();
            if best.1 > least && 2 * alone > run.len() {
                active[speaker][run.clone()].fill(false);
                active[best.0][run.clone()].fill(true);
                for f in run {
                    let heard = std::mem::take(&mut frames.activity[speaker][f]);
                    frames.activity[best.0][f] = frames.activity[best.0][f].max(heard);
                }
            }
        }
    }
}

/// Silences those whom no turn names where the ones whom turns name are as many as segmentation hears.
fn keep_count(active: &mut [Vec<bool>], found: &[Claim], count: &[u8], margin: f64) {
    for (frame, heard) in count.iter().enumerate() {
        let is_claimed = |s: usize, active: &[Vec<bool>]| {
            active[s][frame] && found[s].reach[frame] && found[s].covered[frame] > 0.5 - margin
        };
        let claimed: Vec<bool> = (0..active.len()).map(|s| is_claimed(s, active)).collect();
        let named = claimed.iter().filter(|c| **c).count();
        if named > 0 && usize::from(*heard) <= named {
            active.iter_mut().zip(claimed).for_each(|(row, claimed)| row[frame] &= claimed);
        }
    }
}

/// Fills pauses of a speaker no longer than `longest`, all of which is more probably inside a turn than not and in which
/// nobody talks.
fn bridge(active: &mut [Vec<bool>], speaker: usize, claim: &Claim, longest: f64) {
    let longest = (longest / FRAMES.hop_secs()) as usize;
    let pauses = runs(active[speaker].len(), |f| !active[speaker][f]);
    for pause in pauses {
        let inside = pause.start > 0 && pause.end < active[speaker].len();
        let alone = |f: usize| claim.told[f] > 0.5 && active.iter().all(|row| !row[f]);
        if inside && pause.len() < longest && pause.clone().all(alone) {
            active[speaker][pause].fill(true);
        }
    }
}

#[cfg(test)]
mod tests;
