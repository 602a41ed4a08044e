//! Who talks when, by the sound and the turns together: what diarization found by the sound, mended where the turns and
//! the sound around their edges say surely otherwise.

use super::super::segmentation::FRAMES;
use super::agreement::Agreement;
use super::cover::Heard;
use super::hearing::{Hearing, Voice, first_frame};
use super::level::Level;
use super::{Claims, Cue, LabelEvidenceConfig, probability_at};

/// What is heard of the recording, frame by frame.
pub(in crate::speaker) struct Frames<'a> {
    /// A row a speaker: the probability that the speaker talks.
    pub(in crate::speaker) activity: Vec<Vec<f32>>,
    /// How many speak, by segmentation.
    pub(in crate::speaker) count: &'a [u8],
    /// Speech probability of a chunk of voice activity.
    pub(in crate::speaker) vad: &'a [f32],
    /// How loud it is.
    pub(in crate::speaker) level: Level,
}

/// Rounds of setting the edges of turns, each by the edges that the others' turns had in the round before.
const ROUNDS: usize = 2;

/// A stretch goes to the one whose turn is there only by turns that are that one's as surely as this.
const HANDOVER_BELIEF: f64 = 0.9;

/// Where a recording is heard well, the voice of a stretch longer than this tells whose it is.
const VOICE_TELLS: f64 = 0.5;

/// A stretch that no turn is near, and in which voice activity's probability never reaches this, is nobody's.
const STRAY_PROBABILITY: f64 = 0.1;

/// What the turns claim for one speaker.
struct Claim {
    /// And how surely each is the speaker's.
    cues: Vec<(Cue, f64)>,
    /// How surely a turn as told covers each frame, 0 to 1.
    told: Vec<f64>,
    /// The same by those turns alone that are surely the speaker's.
    surely_told: Vec<f64>,
    /// By told and heard together.
    covered: Vec<f64>,
    /// Frames that a turn may cover.
    reach: Vec<bool>,
}

/// Mends `active`, a row a speaker, by the turns that name them.
///
/// A stretch of the sound that no turn gives to its speaker goes to the one whose turn is there. An edge that the sound
/// shows is moved only where turns and sound together are surer than `change_margin`, or surer still where the
/// recording is heard well ([`Agreement`]); what the sound has nothing of is the turn's where that is likelier than
/// not, and where the sound has another there instead, only where it is that much surer. As many talk as segmentation
/// hears, or as the turns claim, if those are more. Where labels are found wrong and the recording is heard well, all
/// stays as heard.
pub(in crate::speaker) fn weigh(
    active: &mut [Vec<bool>],
    mut frames: Frames<'_>,
    claims: &Claims,
    config: &LabelEvidenceConfig,
) {
    let mut found: Vec<Claim> =
        (0..active.len()).map(|speaker| Claim::new(speaker, claims, frames.count.len(), config.edge_secs)).collect();
    let told_by_voice = |speaker: usize| told(&claims.heard_of_speaker(speaker), frames.count.len(), config.edge_secs);
    let told_by_voice: Vec<Vec<f64>> = (0..active.len()).map(told_by_voice).collect();
    let agreement = Agreement::new(active, &told_by_voice, claims);
    if agreement.sound_is_surer() {
        return;
    }
    let margin = agreement.margin(config);
    let longest = if agreement.is_heard_well() { VOICE_TELLS } else { f64::INFINITY };
    hand_over(active, &mut frames, &found, (config.handover_claim, longest));
    hear(&mut found, &frames, config);
    let heard = active.to_vec();
    for speaker in 0..active.len() {
        mend(active, speaker, (&heard, &found), margin, config.min_change_secs);
    }
    keep_count(active, &found, frames.count, margin);
    drop_strays(active, &found, frames.vad);
    for (speaker, own) in found.iter().enumerate() {
        bridge(active, speaker, own, config.max_pause_secs);
    }
}

impl Claim {
    /// By what is told alone, over `count` frames.
    fn new(speaker: usize, claims: &Claims, count: usize, edge: f64) -> Self {
        let cues = claims.of_speaker(speaker);
        let sure: Vec<(Cue, f64)> = cues.iter().filter(|c| c.1 >= HANDOVER_BELIEF).copied().collect();
        let told_by_all = told(&cues, count, edge);
        Claim {
            covered: told_by_all.clone(),
            told: told_by_all,
            surely_told: told(&sure, count, edge),
            reach: within(&cues, edge, count),
            cues,
        }
    }

    fn is_likely(&self, frame: usize) -> bool {
        self.reach[frame] && self.covered[frame] > 0.5
    }
}

/// Sets the row of one speaker, by what was `heard` of all.
fn mend(
    active: &mut [Vec<bool>],
    speaker: usize,
    (heard, found): (&[Vec<bool>], &[Claim]),
    margin: f64,
    min_change_secs: f64,
) {
    let (claim, before) = (&found[speaker], &heard[speaker]);
    let row = &mut active[speaker];
    for f in (0..row.len()).filter(|f| claim.reach[*f]) {
        if claim.covered[f] > 0.5 + margin {
            row[f] = true;
        } else if claim.covered[f] < 0.5 - margin {
            row[f] = false;
        }
    }
    let is_anothers = |f: usize| (0..heard.len()).any(|s| s != speaker && heard[s][f] && !found[s].is_likely(f));
    for run in runs(before.len(), |f| claim.is_likely(f)) {
        let contradicted = 2 * run.clone().filter(|f| is_anothers(*f)).count() > run.len();
        let is_sure = run.clone().any(|f| claim.covered[f] > 0.5 + margin);
        if !before[run.clone()].contains(&true) && (is_sure || !contradicted) {
            row[run].fill(true);
        }
    }
    let least = (min_change_secs / FRAMES.hop_secs()).round() as usize;
    for run in runs(before.len(), |f| row[f] != before[f]).into_iter().filter(|r| r.len() <= least) {
        row[run.clone()].copy_from_slice(&before[run]);
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
    let hearing = Hearing::new(frames.vad, &frames.level);
    let a_frame = config.sound_per_sec * FRAMES.hop_secs();
    let voice = |speaker: usize| Voice::new(&hearing, speaker, &frames.activity, frames.count);
    let named: Vec<(usize, Voice<'_>)> =
        (0..found.len()).filter(|s| !found[*s].cues.is_empty()).map(|s| (s, voice(s))).collect();
    for _ in 0..ROUNDS {
        let heard = |(speaker, voice): &(usize, Voice<'_>)| {
            Heard::new(voice, &of_others(found, *speaker), a_frame).covered(&found[*speaker].cues, config.edge_secs)
        };
        let covered: Vec<Vec<f64>> = named.iter().map(heard).collect();
        named.iter().zip(covered).for_each(|((speaker, _), covered)| found[*speaker].covered = covered);
    }
}

/// How surely a turn of anybody else covers each frame.
fn of_others(found: &[Claim], speaker: usize) -> Vec<f64> {
    let mut silent = vec![1.0; found.first().map_or(0, |c| c.covered.len())];
    for (_, claim) in found.iter().enumerate().filter(|(s, _)| *s != speaker) {
        silent.iter_mut().zip(&claim.covered).for_each(|(s, c)| *s *= 1.0 - c);
    }
    silent.into_iter().map(|s| 1.0 - s).collect()
}

/// Frames within `reach` of one of the cues.
fn within(cues: &[(Cue, f64)], reach: f64, count: usize) -> Vec<bool> {
    let mut found = vec![false; count];
    for (cue, _) in cues {
        found[first_frame(cue.start - reach, count)..first_frame(cue.end + reach, count)].fill(true);
    }
    found
}

/// How surely one of the cues covers each frame, by what is told alone.
fn told(cues: &[(Cue, f64)], count: usize, edge: f64) -> Vec<f64> {
    let mut silent = vec![1.0; count];
    for (cue, belief) in cues {
        let (first, past) = (first_frame(cue.start - edge, count), first_frame(cue.end + edge, count));
        for (i, slot) in silent.iter_mut().enumerate().take(past).skip(first) {
            *slot *= 1.0 - belief * cue.covers(FRAMES.centre(i).get(), edge);
        }
    }
    silent.into_iter().map(|s| 1.0 - s).collect()
}

/// Silences what segmentation goes on with where neither a turn nor voice activity has anything.
fn drop_strays(active: &mut [Vec<bool>], found: &[Claim], vad: &[f32]) {
    let is_reached = |f: usize| found.iter().any(|claim| claim.reach[f]);
    for row in active {
        for run in runs(row.len(), |f| row[f] && !is_reached(f)) {
            if run.clone().all(|f| probability_at(vad, f) < STRAY_PROBABILITY) {
                row[run].fill(false);
            }
        }
    }
}

/// Gives stretches that no turn gives to their speaker, and what is heard in them, to the one whose turn most surely is
/// there, where that is surer than `least`, they are no longer than `longest` and one speaks at a time.
fn hand_over(active: &mut [Vec<bool>], frames: &mut Frames<'_>, found: &[Claim], (least, longest): (f64, f64)) {
    for speaker in 0..active.len() {
        let unclaimed = |f: usize| active[speaker][f] && !found[speaker].reach[f];
        for run in runs(frames.count.len(), unclaimed) {
            let mean = |s: usize| found[s].surely_told[run.clone()].iter().sum::<f64>() / run.len() as f64;
            let others = (0..active.len()).filter(|&s| s != speaker).map(|s| (s, mean(s)));
            let best = others.fold((speaker, 0.0), |b, o| if o.1 > b.1 { o } else { b });
            let alone = frames.count[run.clone()].iter().filter(|c| **c < 2).count();
            let is_short = run.len() as f64 * FRAMES.hop_secs() <= longest;
            if best.1 > least && is_short && 2 * alone > run.len() {
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

/// Fills pauses of a speaker no longer than `longest`, all of which is more probably inside a turn than not and in
/// which nobody talks.
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
