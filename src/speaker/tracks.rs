//! Tracks: local speakers of overlapping windows joined where neighbouring windows agree on who is active.
//!
//! A track is one voice as long as the windows keep hearing it; who it is, is for clustering to say. Overlap stays: two
//! tracks may be active at once.

use std::collections::BTreeSet;

use super::segmentation::{FRAMES, LOCAL_SPEAKERS, LocalWindow, SegmentationConfig};

/// All ways to pair the local speakers of two windows: `[k]` is the partner of speaker `k`.
const PAIRINGS: [[usize; LOCAL_SPEAKERS]; 6] = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];

/// What a window's first and last frames weigh beside 1 in its middle.
const EDGE_WEIGHT: f32 = 0.1;

/// One voice through neighbouring windows.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct VoiceTrack {
    /// Recording frame of `activity[0]`.
    pub first_frame: usize,
    /// Probability of this voice in each frame, 0 to 1: the weighted mean over the windows over it.
    #[serde(with = "crate::packed")]
    pub activity: Vec<f32>,
}

impl VoiceTrack {
    /// Recording frames in which the voice is likely.
    pub fn active_frames(&self) -> impl Iterator<Item = usize> + '_ {
        self.activity.iter().enumerate().filter(|(_, a)| **a > 0.5).map(|(i, _)| self.first_frame + i)
    }

    /// Activity at a recording frame, 0 outside.
    pub fn at(&self, frame: usize) -> f32 {
        frame.checked_sub(self.first_frame).and_then(|i| self.activity.get(i)).copied().unwrap_or(0.0)
    }

    /// The highest probability of the voice.
    pub fn peak(&self) -> f32 {
        self.activity.iter().copied().fold(0.0, f32::max)
    }
}

/// All tracks of a recording.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct VoiceTracks {
    /// In order of first appearance.
    pub tracks: Vec<VoiceTrack>,
    /// How many people speak in each frame, as most windows have it.
    pub speaker_count: Vec<u8>,
    /// How many tracks are active in each frame.
    pub active_tracks: Vec<u8>,
    /// Tracks that a window has for two people, the lower number first; in order, each pair once.
    pub beside: Vec<(usize, usize)>,
}

impl VoiceTracks {
    /// Frames in which this track alone is active.
    pub fn solo_frames(&self, track: usize) -> Vec<usize> {
        let alone = |f: &usize| self.active_tracks.get(*f) == Some(&1);
        self.tracks.get(track).map(|t| t.active_frames().filter(alone).collect()).unwrap_or_default()
    }
}

/// Joins windows, given one after the other, to tracks. Local speakers of neighbouring windows are one track where the
/// time in which both are active is at least `min_agreement` of the time in which either is.
#[derive(Debug)]
pub struct Stitcher {
    min_agreement: f64,
    /// Frames over which a window's say grows from [`EDGE_WEIGHT`] to 1.
    edge_frames: f32,
    /// First frame of each track, and the probabilities summed over windows.
    votes: Vec<(usize, Vec<f32>)>,
    /// What all windows over a frame weigh together, and how many speakers they hear.
    cover: Vec<f32>,
    speakers: Vec<f32>,
    /// The window before, and the track of each of its speakers.
    before: Option<(LocalWindow, [Option<usize>; LOCAL_SPEAKERS])>,
    /// See [`VoiceTracks::beside`].
    beside: BTreeSet<(usize, usize)>,
}

impl Stitcher {
    /// For a recording of `frames` frames.
    pub fn new(frames: usize, config: &SegmentationConfig) -> Self {
        let edge_frames = (config.edge_secs / FRAMES.hop_secs()) as f32;
        let (cover, speakers) = (vec![0.0; frames], vec![0.0; frames]);
        Stitcher {
            min_agreement: config.min_agreement,
            edge_frames,
            votes: Vec::new(),
            cover,
            speakers,
            before: None,
            beside: BTreeSet::new(),
        }
    }

    /// What frame `i` of a window of `count` frames weighs.
    fn weight(&self, i: usize, count: usize) -> f32 {
        let from_edge = i.min(count - 1 - i) as f32 + 0.5;
        if from_edge < self.edge_frames { (from_edge / self.edge_frames).max(EDGE_WEIGHT) } else { 1.0 }
    }

    /// Adds the window that follows.
    pub fn push(&mut self, window: LocalWindow) {
        let mut ids = [None; LOCAL_SPEAKERS];
        if let Some((last, last_ids)) = &self.before {
            for (k, l) in partners(last, &window, self.min_agreement).into_iter().enumerate() {
                if let Some(l) = l {
                    ids[l] = last_ids[k];
                }
            }
        }
        let weights: Vec<f32> = (0..window.active.len()).map(|i| self.weight(i, window.active.len())).collect();
        for (k, id) in ids.iter_mut().enumerate() {
            let heard = window.active.iter().any(|a| a >> k & 1 == 1);
            if !heard {
                *id = None;
                continue;
            }
            let track = *id.get_or_insert_with(|| {
                self.votes.push((window.first_frame, Vec::new()));
                self.votes.len() - 1
            });
            let (first, votes) = &mut self.votes[track];
            let at = window.first_frame - *first;
            if votes.len() < at + window.active.len() {
                votes.resize(at + window.active.len(), 0.0);
            }
            for ((vote, probability), weight) in votes[at..].iter_mut().zip(&window.probability).zip(&weights) {
                *vote += weight * probability[k];
            }
        }
        for (k, a) in ids.iter().enumerate() {
            let later = ids[k + 1..].iter();
            self.beside.extend(later.filter_map(|b| a.zip(*b)).map(|(a, b)| (a.min(b), a.max(b))));
        }
        let first = window.first_frame.min(self.cover.len());
        let sums = self.cover[first..].iter_mut().zip(&mut self.speakers[first..]);
        for ((cover, speakers), (active, weight)) in sums.zip(window.active.iter().zip(&weights)) {
            *cover += weight;
            *speakers += weight * active.count_ones() as f32;
        }
        self.before = Some((window, ids));
    }

    /// The tracks of all windows.
    pub fn finish(self) -> VoiceTracks {
        let frames = self.cover.len();
        let least = f32::MIN_POSITIVE;
        let mut active_tracks = vec![0u8; frames];
        let mut tracks = Vec::with_capacity(self.votes.len());
        for (first_frame, mut activity) in self.votes {
            activity.truncate(frames.saturating_sub(first_frame));
            for (i, a) in activity.iter_mut().enumerate() {
                *a /= self.cover[first_frame + i].max(least);
                if *a > 0.5 {
                    active_tracks[first_frame + i] += 1;
                }
            }
            tracks.push(VoiceTrack { first_frame, activity });
        }
        let speaker_count =
            self.speakers.iter().zip(&self.cover).map(|(s, c)| (s / c.max(least) + 0.5).floor() as u8).collect();
        VoiceTracks { tracks, speaker_count, active_tracks, beside: self.beside.into_iter().collect() }
    }
}

/// For each local speaker of `left`, its partner in `right`, if they agree.
fn partners(left: &LocalWindow, right: &LocalWindow, min_agreement: f64) -> [Option<usize>; LOCAL_SPEAKERS] {
    let shift = right.first_frame - left.first_frame;
    let (mut both, mut mine, mut theirs) =
        ([[0u32; LOCAL_SPEAKERS]; LOCAL_SPEAKERS], [0u32; LOCAL_SPEAKERS], [0u32; LOCAL_SPEAKERS]);
    for (a, b) in left.active.iter().skip(shift).zip(&right.active) {
        for k in 0..LOCAL_SPEAKERS {
            mine[k] += u32::from(a >> k & 1);
            theirs[k] += u32::from(b >> k & 1);
            for (l, cell) in both[k].iter_mut().enumerate() {
                *cell += u32::from(a >> k & b >> l & 1);
            }
        }
    }
    let mut best = (PAIRINGS[0], 0);
    for pairing in PAIRINGS {
        let shared: u32 = pairing.iter().enumerate().map(|(k, &l)| both[k][l]).sum();
        if shared > best.1 {
            best = (pairing, shared);
        }
    }
    std::array::from_fn(|k| {
        let l = best.0[k];
        let either = mine[k] + theirs[l] - both[k][l];
        (both[k][l] > 0 && f64::from(both[k][l]) >= min_agreement * f64::from(either)).then_some(l)
    })
}

/// Seconds of a number of frames.
pub fn frames_secs(frames: usize) -> f64 {
    frames as f64 * FRAMES.hop_secs()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn window(first_frame: usize, active: &[u8]) -> LocalWindow {
        let probability = active.iter().map(|a| std::array::from_fn(|k| f32::from(a >> k & 1))).collect();
        LocalWindow { first_frame, active: active.to_vec(), probability }
    }

    fn stitch(windows: &[LocalWindow], frames: usize, min_agreement: f64) -> VoiceTracks {
        let config = SegmentationConfig { min_agreement, edge_secs: 0.0, ..Default::default() };
        let mut stitcher = Stitcher::new(frames, &config);
        windows.iter().for_each(|w| stitcher.push(w.clone()));
        stitcher.finish()
    }

    #[test]
    fn a_window_counts_for_less_at_its_edges() {
        // Ten frames of edge. The first window hears nobody, the second, half a window later, one voice throughout.
        let config = SegmentationConfig { edge_secs: 10.0 * FRAMES.hop_secs(), ..Default::default() };
        let mut stitcher = Stitcher::new(60, &config);
        for (i, weight) in [(0, 0.1), (5, 0.55), (10, 1.0), (29, 1.0), (34, 0.55), (39, 0.1)] {
            assert!((stitcher.weight(i, 40) - weight).abs() < 1e-6, "{i}: {}", stitcher.weight(i, 40));
        }
        let (all, none) = ([1u8; 40], [0u8; 40]);
        stitcher.push(window(0, &none));
        stitcher.push(window(20, &all));
        let tracks = stitcher.finish();
        // At frame 20 the first window is in its middle, the second at its edge; at frame 39 it is the other way round.
        assert!(
            (tracks.tracks[0].at(20) - 0.1 / 1.1).abs() < 1e-6 && (tracks.tracks[0].at(39) - 1.0 / 1.1).abs() < 1e-6
        );
        assert_eq!((tracks.speaker_count[20], tracks.speaker_count[39], tracks.speaker_count[50]), (0, 1, 1));
        assert_eq!(tracks.tracks[0].active_frames().next(), Some(30));
    }

    #[test]
    fn a_voice_keeps_its_track_though_the_windows_number_it_differently() {
        // Window 0 calls the voice 0, window 1 calls it 2; a second voice speaks over its end.
        let windows = [window(0, &[1, 1, 1, 1]), window(2, &[4, 4, 0b101, 0b001])];
        let t = stitch(&windows, 6, 0.5);
        assert_eq!(t.tracks.len(), 2);
        assert_eq!(t.tracks[0].activity, [1.0, 1.0, 1.0, 1.0, 1.0, 0.0]);
        assert_eq!(t.tracks[1].active_frames().collect::<Vec<_>>(), [4, 5]);
        assert_eq!(t.speaker_count, [1, 1, 1, 1, 2, 1]);
        assert_eq!(t.solo_frames(0), [0, 1, 2, 3]);
        assert_eq!(t.solo_frames(1), [5]);
        assert_eq!(t.beside, [(0, 1)]);
        assert!((t.tracks[1].at(4) - 1.0).abs() < 1e-6 && t.tracks[1].at(99) < 1e-6);
    }

    #[test]
    fn voices_that_share_too_little_time_are_two_tracks() {
        // Of four shared frames each hears two, one in common: 1 of 3.
        let windows = [window(0, &[0, 1, 1, 0]), window(0, &[0, 0, 2, 2])];
        assert_eq!(stitch(&windows, 4, 0.5).tracks.len(), 2);
        assert_eq!(stitch(&windows, 4, 0.3).tracks.len(), 1);
        assert_eq!(stitch(&[], 0, 0.5), VoiceTracks::default());
    }
}
