//! The voices of the tracks: what of each is embedded, which speakers the embeddings make, and whose each track is.

use super::clustering::{self, Speakers, VoiceUnit};
use super::embedding::{Embedding, cosine, feature_frame};
use super::labels::{Claims, LabelUse};
use super::points::Points;
use super::reconstruct::{self, LabelledTrack};
use super::resegmentation::{self, Means};
use super::segmentation::FRAMES;
use super::stretch::Stretch;
use super::tracks::{VoiceTrack, VoiceTracks, frames_secs};
use super::vad::CHUNKS;
use super::{SpeakerConfig, SpeakerModels};
use crate::error::Result;
use crate::signal::Sound;

/// A track with less solo speech than this is known by its overlapped speech only; with less than [`ENOUGH_SOLO_SECS`]
/// too, where more of it is overlapped than not: segmentation's edges are not that sharp.
const MIN_SOLO_SECS: f64 = 0.1;
const ENOUGH_SOLO_SECS: f64 = 1.0;

/// Shorter pieces of solo speech are no units.
const MIN_PIECE_SECS: f64 = 0.2;

/// Solo speech that pauses longer than this is cut into units on either side.
const UNIT_PAUSE_SECS: f64 = 2.0;

/// Points further apart than a hop by this have a pause between them.
const POINT_PAUSE_SECS: f64 = 0.1;

/// A voice heard only over another's is believed where it is at least this probable, 0 to 1.
const OVERLAP_VOICE_PEAK: f32 = 0.6;

/// A unit of at least this share of the length asked for tells how similar a voice is to itself.
const WHOLE_UNIT_SHARE: f64 = 0.75;

/// What a second inside a trusted turn speaks for the one it names: more than any voice.
const TRUSTED_PER_SEC: f64 = 200.0;

/// A speaker who is active in more than this share of a track's frames talks at the same time.
const BUSY_SHARE: f64 = 0.5;

/// The tracks' voices, embedded.
#[derive(serde::Serialize, serde::Deserialize)]
pub(super) struct Voices {
    /// Units of solo speech and the track each is of.
    pub(super) units: Vec<(VoiceUnit, usize)>,
    /// Mean speech probability of each unit.
    pub(super) unit_probability: Vec<f64>,
    /// Points of each track's solo speech; empty for a track known by overlapped speech only.
    pub(super) points: Points,
    /// Embedding of all frames of a track known by overlapped speech only.
    pub(super) overlapped: Vec<Embedding>,
}

/// Whose each track is.
pub(super) struct Labels<'a> {
    pub(super) tracks: Vec<LabelledTrack<'a>>,
    /// One per speaker.
    pub(super) embeddings: Vec<Embedding>,
}

impl Labels<'_> {
    /// Activity of each speaker in each frame of the recording, see [`reconstruct::speaker_activity`].
    pub(super) fn activity(&self, tracks: &VoiceTracks) -> Vec<Vec<f32>> {
        reconstruct::speaker_activity(&self.tracks, self.embeddings.len(), tracks.speaker_count.len())
    }
}

/// What of the tracks is embedded, in segmentation frames and in the embedder's.
#[derive(Default)]
struct Plan {
    /// `(frame, after a pause)` of each point of each track; none for a track known by overlapped speech only.
    points: Vec<Vec<(usize, bool)>>,
    /// Feature frames around each point, or all those of a track without points, in order of tracks.
    stretches: Vec<Stretch>,
    /// Units of solo speech, and the feature frames of each.
    units: Vec<PlannedUnit>,
    unit_stretches: Vec<Stretch>,
}

/// What is embedded.
#[derive(Clone, Copy)]
enum Owner {
    /// All of a track.
    Track(usize),
    /// A point of a track.
    Point(usize, usize),
    Unit(usize),
}

/// A unit that is to be embedded.
struct PlannedUnit {
    track: usize,
    secs: f64,
    /// Mean speech probability.
    probability: f64,
}

impl Plan {
    fn of(tracks: &VoiceTracks, probability: &[f32], config: &SpeakerConfig) -> Self {
        let mut plan = Plan::default();
        for (index, track) in tracks.tracks.iter().enumerate() {
            let solo = tracks.solo_frames(index);
            let active: Vec<usize> = track.active_frames().collect();
            for piece in unit_pieces(&solo, config.clustering.unit_secs) {
                let (secs, probability) = (frames_secs(piece.len()), mean_probability(piece, probability));
                plan.units.push(PlannedUnit { track: index, secs, probability });
                plan.unit_stretches.push(feature_frames(piece));
            }
            let mut points = Vec::new();
            if is_known_alone(solo.len(), active.len()) {
                let windows = point_windows(&solo, config.resegmentation.hop_secs, config.resegmentation.window_secs);
                for (frame, after_pause, window) in windows {
                    points.push((frame, after_pause));
                    plan.stretches.push(feature_frames(window));
                }
            } else {
                plan.stretches.push(feature_frames(&active));
            }
            plan.points.push(points);
        }
        plan
    }
}

/// Whether the solo speech of a track, in frames beside all its active frames, is enough to know its voice by.
fn is_known_alone(solo: usize, active: usize) -> bool {
    let solo_secs = frames_secs(solo);
    solo_secs >= MIN_SOLO_SECS && (solo_secs >= ENOUGH_SOLO_SECS || 2 * solo >= active)
}

impl Voices {
    /// Embeds what is needed of every track, in one go over the sound; `probability` is voice activity's.
    ///
    /// # Errors
    /// What [`super::Embedder::embed`] says.
    pub(super) fn hear(
        audio: &impl Sound,
        models: &mut SpeakerModels,
        tracks: &VoiceTracks,
        probability: &[f32],
        config: &SpeakerConfig,
    ) -> Result<Self> {
        let Plan { points: planned_points, mut stretches, units: planned_units, unit_stretches } =
            Plan::of(tracks, probability, config);
        // Whose embedding each stretch gives.
        let mut owners: Vec<Owner> = Vec::with_capacity(stretches.len() + unit_stretches.len());
        for (track, planned) in planned_points.iter().enumerate() {
            match planned.len() {
                0 => owners.push(Owner::Track(track)),
                points => owners.extend((0..points).map(|point| Owner::Point(track, point))),
            }
        }
        owners.extend((0..unit_stretches.len()).map(Owner::Unit));
        stretches.extend(unit_stretches);
        let mut overlapped = vec![None; planned_points.len()];
        let mut unit_embeddings = vec![None; planned_units.len()];
        let mut points = Points::planned(planned_points);
        models.embedder.embed_each(audio, &stretches, |stretch, embedding| {
            match owners[stretch] {
                Owner::Track(track) => overlapped[track] = Some(embedding),
                Owner::Point(track, point) => points.embed((track, point), &embedding)?,
                Owner::Unit(unit) => unit_embeddings[unit] = Some(embedding),
            }
            Ok(())
        })?;
        drop((stretches, owners));
        let (mut units, mut unit_probability) = (Vec::new(), Vec::new());
        for (planned, embedding) in planned_units.into_iter().zip(unit_embeddings) {
            if let Some(embedding) = embedding {
                unit_probability.push(planned.probability);
                units.push((VoiceUnit { embedding, secs: planned.secs }, planned.track));
            }
        }
        Ok(Voices { units, unit_probability, points, overlapped })
    }

    /// The speakers that clear units of solo speech make.
    pub(super) fn speakers(&self, config: &SpeakerConfig, least: usize, most: usize) -> Speakers {
        let clustering = &config.clustering;
        let same_voice = self.neighbours_of_one_track(WHOLE_UNIT_SHARE * clustering.unit_secs);
        let clear = |least_secs: f64, least_probability: f64| -> Vec<VoiceUnit> {
            let all = self.units.iter().zip(&self.unit_probability).enumerate();
            all.filter(|(_, ((unit, _), probability))| unit.secs >= least_secs && **probability >= least_probability)
                .map(|(i, ((unit, _), _))| clustering::relative(unit, clustering::self_similarity(&same_voice, i)))
                .collect()
        };
        let mut units = clear(clustering.min_unit_secs, clustering.min_speech_probability);
        if units.is_empty() {
            units = clear(0.0, 0.0);
        }
        let speakers = clustering::cluster(&units, clustering, least, most);
        tracing::debug!(units = units.len(), speakers = speakers.centroids.len());
        speakers
    }

    /// Units of at least `least_secs` whose next unit is as long and of the same track: `(unit, cosine of the two)`.
    fn neighbours_of_one_track(&self, least_secs: f64) -> Vec<(usize, f64)> {
        let pairs = self.units.windows(2).enumerate();
        pairs
            .filter(|(_, pair)| pair[0].1 == pair[1].1 && pair.iter().all(|(unit, _)| unit.secs >= least_secs))
            .map(|(i, pair)| (i, cosine(&pair[0].0.embedding, &pair[1].0.embedding)))
            .collect()
    }

    /// Gives every track, or each part of it, to a speaker, `claims` beside the voices.
    ///
    /// # Errors
    /// Those of [`Points::of`].
    pub(super) fn label<'a>(
        &self,
        tracks: &'a VoiceTracks,
        mut centroids: Vec<Vec<f32>>,
        claims: Option<&Claims>,
        config: &SpeakerConfig,
        most: usize,
    ) -> Result<Labels<'a>> {
        let resegmentation = &config.resegmentation;
        let speakers = centroids.len();
        let weight = resegmentation.hop_secs
            * match config.labels {
                LabelUse::Trust => TRUSTED_PER_SEC,
                _ => config.label_evidence.claim_per_sec,
            };
        let told = |frame: usize| match claims {
            Some(claims) => claims.at(frame, speakers).into_iter().map(|p| weight * p).collect(),
            None => Vec::new(),
        };
        let mut paths: Vec<Vec<usize>> = Vec::new();
        let mut means = Means::new(centroids.len().max(1));
        for round in 0..resegmentation.rounds {
            paths.clear();
            means = Means::new(centroids.len().max(1));
            for points in self.points.all() {
                let points = points?;
                let path = resegmentation::best_path(&points, &centroids, resegmentation, &told);
                means.take(&points, &path);
                paths.push(path);
            }
            if round + 1 < resegmentation.rounds {
                means.re_estimate(&mut centroids);
                means = Means::new(0);
            }
        }
        let mut labels = Labels { tracks: Vec::new(), embeddings: means.means() };
        for (at, (track, path)) in tracks.tracks.iter().zip(&paths).enumerate() {
            if !path.is_empty() {
                let frames: Vec<usize> = self.points.frames(at).collect();
                labels.tracks.push(LabelledTrack { track, runs: runs(&frames, path) });
            }
        }
        self.label_overlapped(tracks, (&centroids, claims), config, most, &mut labels);
        Ok(labels)
    }

    /// Tracks without solo speech: the most similar speaker who does not speak at the same time. One that is like
    /// nobody silent, heard over a speaker, is somebody else, one such voice for each speaker it is heard over.
    fn label_overlapped<'a>(
        &self,
        tracks: &'a VoiceTracks,
        (centroids, claims): (&[Vec<f32>], Option<&Claims>),
        config: &SpeakerConfig,
        most: usize,
        labels: &mut Labels<'a>,
    ) {
        let known = labels.embeddings.len();
        let labelled = labels.tracks.clone();
        // The voice heard over each speaker that is nobody known.
        let mut strangers: Vec<Option<usize>> = vec![None; known];
        for (at, (track, embedding)) in tracks.tracks.iter().zip(&self.overlapped).enumerate() {
            let frames: Vec<usize> = track.active_frames().collect();
            if self.points.frames(at).len() > 0 || frames.is_empty() {
                continue;
            }
            let mut fit = Fit::of(track, &frames, embedding, centroids, &labelled, known);
            if let Some(claims) = claims {
                fit.believe(claims, &frames);
            }
            let over = fit.heard_over();
            let is_strange = fit.is_like_nobody_silent(over, config.turns.overlap_speaker_similarity);
            let is_believed = frames_secs(frames.len()) >= config.turns.min_overlap_speaker_secs
                && track.peak() >= OVERLAP_VOICE_PEAK;
            let has_room = is_believed && labels.embeddings.len() < most;
            let stranger = strangers[over].or(has_room.then_some(labels.embeddings.len()));
            let speaker = match stranger {
                Some(stranger) if is_strange && is_believed => {
                    if strangers[over].replace(stranger).is_none() {
                        // Nothing of this voice was heard alone.
                        labels.embeddings.push(None);
                    }
                    stranger
                }
                _ if is_strange && known == 1 => continue,
                _ => fit.likeliest_silent(),
            };
            labels.tracks.push(LabelledTrack { track, runs: vec![(track.first_frame, speaker)] });
        }
    }
}

/// How an overlapped track fits the known speakers.
struct Fit {
    /// Share of the track's frames in which each speaker talks.
    busy: Vec<f64>,
    /// Cosine of the track's voice to each speaker's; 0 where one of them is not known.
    similarity: Vec<f64>,
}

impl Fit {
    fn of(
        track: &VoiceTrack,
        frames: &[usize],
        embedding: &Embedding,
        centroids: &[Vec<f32>],
        labelled: &[LabelledTrack<'_>],
        known: usize,
    ) -> Self {
        let past_end = |t: &VoiceTrack| t.first_frame + t.activity.len();
        let shares_time = |t: &VoiceTrack| t.first_frame < past_end(track) && past_end(t) > track.first_frame;
        let beside: Vec<&LabelledTrack<'_>> = labelled.iter().filter(|t| shares_time(t.track)).collect();
        let similarity =
            |speaker: usize| embedding.as_ref().zip(centroids.get(speaker)).map_or(0.0, |(e, c)| cosine(e, c));
        Fit {
            busy: (0..known).map(|speaker| busy_share(&beside, speaker, frames)).collect(),
            similarity: (0..known).map(similarity).collect(),
        }
    }

    /// Adds what the labels say of the frames to what the voice does.
    fn believe(&mut self, claims: &Claims, frames: &[usize]) {
        let speakers = self.similarity.len();
        for claim in frames.iter().map(|f| claims.at(*f, speakers)) {
            self.similarity.iter_mut().zip(claim).for_each(|(s, c)| *s += c / frames.len() as f64);
        }
    }

    /// The first of the speakers with the highest value.
    fn first_best(&self, value: impl Fn(usize) -> f64) -> usize {
        (1..self.busy.len()).fold(0, |best, s| if value(s) > value(best) { s } else { best })
    }

    /// The speaker who talks through most of the track.
    fn heard_over(&self) -> usize {
        self.first_best(|s| self.busy[s])
    }

    /// Whether the track is heard over the speaker `over` and is less similar than `least` to everybody who is silent
    /// then.
    fn is_like_nobody_silent(&self, over: usize, least: f64) -> bool {
        let mut all = self.busy.iter().zip(&self.similarity);
        self.busy[over] > BUSY_SHARE && all.all(|(busy, similarity)| *busy > BUSY_SHARE || *similarity < least)
    }

    /// The most similar speaker, the less so the more of the track that one talks through.
    fn likeliest_silent(&self) -> usize {
        self.first_best(|s| self.similarity[s] - self.busy[s])
    }
}

/// Share of `frames` in which `speaker` is active in a labelled track.
fn busy_share(labelled: &[&LabelledTrack<'_>], speaker: usize, frames: &[usize]) -> f64 {
    let active = |frame: usize| {
        labelled.iter().any(|t| {
            t.track.at(frame) > 0.5
                && t.runs.iter().rev().find(|r| r.0 <= frame).or(t.runs.first()).is_some_and(|r| r.1 == speaker)
        })
    };
    frames.iter().filter(|f| active(**f)).count() as f64 / frames.len().max(1) as f64
}

/// Solo frames cut into pieces of about `unit_secs`.
fn unit_pieces(solo: &[usize], unit_secs: f64) -> impl Iterator<Item = &[usize]> {
    solo.chunk_by(|a, b| frames_secs(b - a) <= UNIT_PAUSE_SECS)
        .flat_map(move |part| {
            let count = ((frames_secs(part.len()) / unit_secs).round() as usize).max(1);
            (0..count).map(move |i| &part[i * part.len() / count..(i + 1) * part.len() / count])
        })
        .filter(|piece| frames_secs(piece.len()) >= MIN_PIECE_SECS)
}

/// Points along solo frames: `(frame, after a pause, the solo frames around it)`.
fn point_windows(solo: &[usize], hop_secs: f64, window_secs: f64) -> impl Iterator<Item = (usize, bool, &[usize])> {
    let hop = ((hop_secs / FRAMES.hop_secs()) as usize).max(1);
    let half = (0.5 * window_secs / FRAMES.hop_secs()) as usize;
    (0..solo.len()).step_by(hop).scan(None, move |before: &mut Option<usize>, at| {
        let centre = (at + hop / 2).min(solo.len() - 1);
        let frame = solo[centre];
        // Solo speech further away in time than a window is another occasion.
        let near = |i: &usize| solo[*i].abs_diff(frame) <= 2 * half;
        let first = (centre.saturating_sub(half)..centre).find(near).unwrap_or(centre);
        let last = (centre..(centre + half + 1).min(solo.len())).rev().find(near).unwrap_or(centre);
        let after_pause = before.is_some_and(|b| frames_secs(frame - b) - hop_secs > POINT_PAUSE_SECS);
        *before = Some(frame);
        Some((frame, after_pause, &solo[first..=last]))
    })
}

/// `(first frame, speaker)` of each run of a path through points at `frames`; a change lies half-way between two
/// points.
fn runs(frames: &[usize], path: &[usize]) -> Vec<(usize, usize)> {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for (i, (&frame, &speaker)) in frames.iter().zip(path).enumerate() {
        if runs.last().is_none_or(|last| last.1 != speaker) {
            let start = i.checked_sub(1).map_or(frame, |b| (frames[b] + frame) / 2 + 1);
            runs.push((start, speaker));
        }
    }
    runs
}

/// Embedding frames nearest to segmentation frames, each once.
fn feature_frames(frames: &[usize]) -> Stretch {
    frames.iter().map(|&f| feature_frame(FRAMES.centre(f))).collect()
}

/// Mean of voice activity's `probability` in segmentation frames.
fn mean_probability(frames: &[usize], probability: &[f32]) -> f64 {
    let chunk = |f: usize| (FRAMES.centre(f).get() / CHUNKS.hop_secs()) as usize;
    let sum: f64 = frames.iter().map(|&f| probability.get(chunk(f)).map_or(0.0, |p| f64::from(*p))).sum();
    sum / frames.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solo_speech_is_cut_into_even_units() {
        // 237 frames are 4.0 s: two units; after a long pause 6 frames are too short for one.
        let solo: Vec<usize> = (0..237).chain(1000..1006).collect();
        let pieces: Vec<&[usize]> = unit_pieces(&solo, 2.0).collect();
        assert_eq!(pieces.iter().map(|p| p.len()).collect::<Vec<_>>(), [118, 119]);
        assert_eq!(unit_pieces(&[], 2.0).count(), 0);
    }

    #[test]
    fn points_see_the_speech_around_them_only() {
        let solo: Vec<usize> = (0..30).chain(500..530).collect();
        let points: Vec<(usize, bool, &[usize])> = point_windows(&solo, 0.26, 0.52).collect();
        assert_eq!(points.iter().map(|p| p.0).collect::<Vec<_>>(), [7, 22, 507, 522]);
        assert_eq!(points.iter().map(|p| p.1).collect::<Vec<_>>(), [false, false, true, false]);
        assert_eq!((points[1].2.first(), points[1].2.last()), (Some(&7), Some(&29)));
    }

    #[test]
    fn a_change_lies_between_two_points() {
        assert_eq!(runs(&[7, 22, 37], &[0, 0, 1]), [(7, 0), (30, 1)]);
    }
}
