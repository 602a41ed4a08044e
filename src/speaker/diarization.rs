//! Diarization: the stages of this room in order, from a signal to speech turns.

use super::clustering::{self, Speakers, Unit};
use super::embedding::{Embedding, cosine, feature_frame, unit};
use super::reconstruct::{self, LabelledTrack};
use super::resegmentation::{self, Point};
use super::segmentation::FRAMES;
use super::tracks::{Stitcher, Tracks, frames_secs};
use super::vad::{self, CHUNKS};
use super::{Diarization, RATE_HZ, SpeakerBounds, SpeakerConfig, SpeakerModels, SpeakerVoice};
use crate::annotation::{Annotation, SpeechTurn};
use crate::error::{Error, Result};
use crate::signal::Sound;
use crate::table::Missing;
use crate::time::Segment;
use crate::warning::Warning;

/// A signal whose loudest sample is below this (-80 dBFS) is silence.
const SILENT_PEAK: f32 = 1e-4;

/// A track with less solo speech than this is known by its overlapped speech only; with less than [`ENOUGH_SOLO_SECS`] too, where more of
/// it is overlapped than not: segmentation's edges are not that sharp.
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

/// Samples looked at together where only their level counts.
const LEVEL_PIECE: usize = 1 << 16;

/// Finds who spoke when in `audio` (mono, 16 kHz). Silence, noise and clips of any length give a defined result.
///
/// # Errors
/// [`Error::Shape`] for another sample rate, [`Error::Usage`] for contradictory bounds, [`Error::Model`] when a model fails, and what
/// [`Sound::piece`] says.
pub fn diarize(audio: &impl Sound, models: &mut SpeakerModels, config: &SpeakerConfig, bounds: &SpeakerBounds) -> Result<Diarization> {
    if audio.rate_hz() != RATE_HZ {
        let (expected, got) = (format!("{RATE_HZ} Hz"), format!("{} Hz", audio.rate_hz()));
        return Err(Error::Shape { what: "sample rate for diarization", expected, got });
    }
    config.check()?;
    let (least, most) = bounds.range()?;
    let vad_probability = models.vad.probabilities(audio)?;
    let speech = vad::segments(&vad_probability, &config.vad, audio.duration().get());
    if speech.is_empty() {
        let reason = if is_silent(audio)? { Missing::Silent } else { Missing::NoSpeech };
        return Ok(Diarization { vad_probability, reason: Some(reason), ..Diarization::default() });
    }

    let frames = audio.count().div_ceil(FRAMES.hop());
    let mut stitcher = Stitcher::new(frames, &config.segmentation);
    models.segmenter.windows(audio, config.segmentation.step_frames(), |window| stitcher.push(window))?;
    let tracks = stitcher.finish();
    let voices = Voices::hear(audio, models, &tracks, &vad_probability, config)?;
    let speakers = voices.speakers(config, least, most);
    let mut labels = voices.label(&tracks, speakers.centroids.clone(), config, most);
    if labels.used() < least {
        // Change costs must not swallow a speaker who was asked for.
        let mut free = config.clone();
        (free.resegmentation.change_cost, free.resegmentation.rounds) = (0.0, 1);
        labels = voices.label(&tracks, speakers.centroids, &free, most);
    }

    let activity = reconstruct::speaker_activity(&labels.tracks, labels.embeddings.len(), frames);
    let active = reconstruct::most_active(&activity, &tracks.speaker_count);
    drop(activity);
    let veto = Veto::new(audio, &speech, &vad_probability, config)?;
    let mut turns: Vec<Vec<Segment>> = active.iter().map(|row| reconstruct::segments(row, &config.turns, audio.duration())).collect();
    drop(active);
    for segments in &mut turns {
        let vetoed = segments.iter().map(|s| veto.applies(*s)).collect::<Result<Vec<bool>>>()?;
        let mut vetoed = vetoed.into_iter();
        segments.retain(|_| vetoed.next() != Some(true));
    }
    reconstruct::bridge_backchannels(&mut turns, &config.turns);
    let mut found: Vec<(Embedding, Vec<Segment>)> = labels.embeddings.into_iter().zip(turns).filter(|(_, s)| !s.is_empty()).collect();
    let mut warnings = Vec::new();
    if found.is_empty() {
        // Voice activity hears what segmentation does not: words too short or too few to tell voices apart.
        warnings.push(Warning::Other {
            code: "speech_unsegmented",
            what: "speech was heard but no speaker told; all of it is given to one".into(),
        });
        found.push((None, speech.clone()));
    }
    found.sort_by_key(|(_, segments)| segments.first().map(|s| s.start()));
    if found.len() < least {
        warnings.push(Warning::Other {
            code: "too_few_speakers",
            what: format!("{} of at least {least} speakers found; the recording has too little speech to tell more apart", found.len()),
        });
    }
    let annotation = annotate(&found);
    let voices = found
        .into_iter()
        .enumerate()
        .map(|(i, (embedding, segments))| SpeakerVoice {
            speaker: label(i),
            embedding,
            total_secs: segments.iter().map(|s| s.duration()).sum(),
        })
        .collect();
    let exclusive = reconstruct::exclusive(&annotation);
    Ok(Diarization { annotation, exclusive, speech, voices, vad_probability, warnings, reason: None })
}

fn label(speaker: usize) -> String {
    format!("SPEAKER_{speaker:02}")
}

fn annotate(found: &[(Embedding, Vec<Segment>)]) -> Annotation {
    let turn = |speaker: usize, segment: Segment| SpeechTurn { segment, speaker: label(speaker) };
    Annotation::new(found.iter().enumerate().flat_map(|(i, (_, segments))| segments.iter().map(move |&s| turn(i, s))).collect())
}

/// The tracks' voices, embedded.
struct Voices {
    /// Units of solo speech and the track each is of.
    units: Vec<(Unit, usize)>,
    /// Mean speech probability of each unit.
    unit_probability: Vec<f64>,
    /// Points of each track's solo speech; empty for a track known by overlapped speech only.
    points: Vec<Vec<Point>>,
    /// Embedding of all frames of a track known by overlapped speech only.
    overlapped: Vec<Embedding>,
}

/// Whose each track is.
struct Labels<'a> {
    tracks: Vec<LabelledTrack<'a>>,
    /// One a speaker.
    embeddings: Vec<Embedding>,
}

impl Labels<'_> {
    /// Speakers who have a track or a part of one.
    fn used(&self) -> usize {
        let mut speakers: Vec<usize> = self.tracks.iter().flat_map(|t| t.runs.iter().map(|r| r.1)).collect();
        speakers.sort_unstable();
        speakers.dedup();
        speakers.len()
    }
}

impl Voices {
    fn hear(audio: &impl Sound, models: &mut SpeakerModels, tracks: &Tracks, probability: &[f32], config: &SpeakerConfig) -> Result<Self> {
        let mut stretches: Vec<Vec<usize>> = Vec::new();
        let mut pieces: Vec<(usize, Vec<usize>)> = Vec::new();
        let mut centres: Vec<Vec<(usize, bool)>> = Vec::new();
        for track in 0..tracks.tracks.len() {
            let solo = tracks.solo_frames(track);
            pieces.extend(unit_pieces(&solo, config.clustering.unit_secs).map(|piece| (track, piece)));
            let mut own = Vec::new();
            let all: Vec<usize> = tracks.tracks[track].active_frames().collect();
            let solo_secs = frames_secs(solo.len());
            if solo_secs >= MIN_SOLO_SECS && (solo_secs >= ENOUGH_SOLO_SECS || 2 * solo.len() >= all.len()) {
                let windows = point_windows(&solo, config.resegmentation.hop_secs, config.resegmentation.window_secs);
                for (frame, after_pause, window) in windows {
                    own.push((frame, after_pause));
                    stretches.push(feature_frames(window));
                }
            } else {
                stretches.push(feature_frames(&all));
            }
            centres.push(own);
        }
        let unit_probability = pieces.iter().map(|(_, piece)| mean_probability(piece, probability)).collect();
        let tracks_end = stretches.len();
        stretches.extend(pieces.iter().map(|(_, piece)| feature_frames(piece)));
        let mut embeddings = models.embedder.embed(audio, &stretches)?;
        let unit_embeddings = embeddings.split_off(tracks_end);

        let mut next = embeddings.into_iter();
        let (mut points, mut overlapped) = (Vec::new(), Vec::new());
        for own in centres {
            overlapped.push(if own.is_empty() { next.next().flatten() } else { None });
            let embedded = own.into_iter().zip(&mut next);
            points.push(embedded.map(|((frame, after_pause), embedding)| Point { frame, embedding, after_pause }).collect());
        }
        let mut voices = Voices { units: Vec::new(), unit_probability, points, overlapped };
        let mut kept = Vec::new();
        for (((track, piece), embedding), probability) in pieces.into_iter().zip(unit_embeddings).zip(&voices.unit_probability) {
            if let Some(embedding) = embedding {
                voices.units.push((Unit { embedding, secs: frames_secs(piece.len()) }, track));
                kept.push(*probability);
            }
        }
        voices.unit_probability = kept;
        Ok(voices)
    }

    /// The speakers that clear units of solo speech make.
    fn speakers(&self, config: &SpeakerConfig, least: usize, most: usize) -> Speakers {
        let c = &config.clustering;
        let whole = |u: &Unit| u.secs >= 0.75 * c.unit_secs;
        let follows = |i: &usize| {
            let (a, b) = (&self.units[*i], &self.units[*i + 1]);
            a.1 == b.1 && whole(&a.0) && whole(&b.0)
        };
        let pairs: Vec<(usize, f64)> = (0..self.units.len().saturating_sub(1))
            .filter(follows)
            .map(|i| (i, cosine(&self.units[i].0.embedding, &self.units[i + 1].0.embedding)))
            .collect();
        let clear = |least_secs: f64, least_probability: f64| -> Vec<Unit> {
            let all = self.units.iter().zip(&self.unit_probability).enumerate();
            all.filter(|(_, ((u, _), p))| u.secs >= least_secs && **p >= least_probability)
                .map(|(i, ((u, _), _))| clustering::relative(u, clustering::self_similarity(&pairs, i)))
                .collect()
        };
        let mut units = clear(c.min_unit_secs, c.min_speech_probability);
        if units.len() < least {
            units = clear(0.0, 0.0);
        }
        let speakers = clustering::cluster(&units, c, least, most);
        tracing::debug!(units = units.len(), speakers = speakers.centroids.len());
        speakers
    }

    /// Gives every track, or each part of it, to a speaker.
    fn label<'a>(&self, tracks: &'a Tracks, mut centroids: Vec<Vec<f32>>, config: &SpeakerConfig, most: usize) -> Labels<'a> {
        let c = &config.resegmentation;
        let mut paths: Vec<Vec<usize>> = Vec::new();
        for round in 0..c.rounds.max(1) {
            paths = self.points.iter().map(|points| resegmentation::best_path(points, &centroids, c)).collect();
            if round + 1 < c.rounds {
                let labelled = self.points.iter().zip(&paths).flat_map(|(points, path)| points.iter().zip(path.iter().copied()));
                resegmentation::re_estimate(labelled, &mut centroids);
            }
        }
        let mut labels = Labels { tracks: Vec::new(), embeddings: self.means(&paths, centroids.len().max(1)) };
        for ((track, points), path) in tracks.tracks.iter().zip(&self.points).zip(&paths) {
            if !points.is_empty() {
                labels.tracks.push(LabelledTrack { track, runs: runs(points, path) });
            }
        }
        self.label_overlapped(tracks, &centroids, config, most, &mut labels);
        labels
    }

    /// Tracks without solo speech: the most similar speaker who does not speak at the same time. One that is like nobody silent, heard
    /// over a speaker, is somebody else, one such voice for each speaker it is heard over.
    fn label_overlapped<'a>(
        &self,
        tracks: &'a Tracks,
        centroids: &[Vec<f32>],
        config: &SpeakerConfig,
        most: usize,
        labels: &mut Labels<'a>,
    ) {
        let known = labels.embeddings.len();
        let labelled = labels.tracks.clone();
        let mut strangers: Vec<Option<usize>> = vec![None; known];
        for ((track, points), embedding) in tracks.tracks.iter().zip(&self.points).zip(&self.overlapped) {
            let frames: Vec<usize> = track.active_frames().collect();
            if !points.is_empty() || frames.is_empty() {
                continue;
            }
            let (first, last) = (track.first_frame, track.first_frame + track.activity.len());
            let beside: Vec<&LabelledTrack<'_>> =
                labelled.iter().filter(|t| t.track.first_frame < last && t.track.first_frame + t.track.activity.len() > first).collect();
            let busy: Vec<f64> = (0..known).map(|s| busy_share(&beside, s, &frames)).collect();
            let alike = |s: usize| embedding.as_ref().zip(centroids.get(s)).map_or(0.0, |(e, c)| cosine(e, c));
            let first_best = |value: &dyn Fn(usize) -> f64| (1..known).fold(0, |best, s| if value(s) > value(best) { s } else { best });
            let over = first_best(&|s| busy[s]);
            let strange = busy[over] > 0.5 && (0..known).all(|s| busy[s] > 0.5 || alike(s) < config.turns.overlap_speaker_similarity);
            let believed = frames_secs(frames.len()) >= config.turns.min_overlap_speaker_secs && track.peak() >= OVERLAP_VOICE_PEAK;
            let stranger = strangers[over].or_else(|| (believed && labels.embeddings.len() < most).then_some(labels.embeddings.len()));
            let speaker = match stranger {
                Some(stranger) if strange && believed => {
                    if strangers[over].replace(stranger).is_none() {
                        // Nothing of this voice was heard alone.
                        labels.embeddings.push(None);
                    }
                    stranger
                }
                _ if strange && known == 1 => continue,
                _ => first_best(&|s| alike(s) - busy[s]),
            };
            labels.tracks.push(LabelledTrack { track, runs: vec![(track.first_frame, speaker)] });
        }
    }

    /// Each speaker's mean over the points that are theirs.
    fn means(&self, paths: &[Vec<usize>], speakers: usize) -> Vec<Embedding> {
        let mut sums: Vec<Vec<f64>> = vec![Vec::new(); speakers];
        for (point, speaker) in self.points.iter().flatten().zip(paths.iter().flatten()) {
            if let Some(embedding) = &point.embedding {
                let sum = &mut sums[*speaker];
                sum.resize(embedding.len(), 0.0);
                sum.iter_mut().zip(embedding).for_each(|(s, v)| *s += f64::from(*v));
            }
        }
        sums.into_iter().map(|sum| unit(sum.into_iter())).collect()
    }
}

/// Share of `frames` in which `speaker` is active in a labelled track.
fn busy_share(labelled: &[&LabelledTrack<'_>], speaker: usize, frames: &[usize]) -> f64 {
    let active = |frame: usize| {
        labelled.iter().any(|t| {
            t.track.at(frame) > 0.5 && t.runs.iter().rev().find(|r| r.0 <= frame).or(t.runs.first()).is_some_and(|r| r.1 == speaker)
        })
    };
    frames.iter().filter(|f| active(**f)).count() as f64 / frames.len().max(1) as f64
}

/// Solo frames cut into pieces of about `unit_secs`.
fn unit_pieces(solo: &[usize], unit_secs: f64) -> impl Iterator<Item = Vec<usize>> {
    solo.chunk_by(|a, b| frames_secs(b - a) <= UNIT_PAUSE_SECS)
        .flat_map(move |part| {
            let count = ((frames_secs(part.len()) / unit_secs).round() as usize).max(1);
            (0..count).map(move |i| part[i * part.len() / count..(i + 1) * part.len() / count].to_vec())
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

/// `(first frame, speaker)` of each run of a path; a change lies half-way between two points.
fn runs(points: &[Point], path: &[usize]) -> Vec<(usize, usize)> {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for (i, (point, &speaker)) in points.iter().zip(path).enumerate() {
        if runs.last().is_none_or(|last| last.1 != speaker) {
            let start = i.checked_sub(1).map_or(point.frame, |b| (points[b].frame + point.frame) / 2 + 1);
            runs.push((start, speaker));
        }
    }
    runs
}

/// Embedding frames nearest to segmentation frames, each once.
fn feature_frames(frames: &[usize]) -> Vec<usize> {
    let mut result: Vec<usize> = frames.iter().map(|&f| feature_frame(FRAMES.centre(f))).collect();
    result.dedup();
    result
}

fn mean_probability(frames: &[usize], probability: &[f32]) -> f64 {
    let chunk = |f: usize| (FRAMES.centre(f).get() / CHUNKS.hop_secs()) as usize;
    let sum: f64 = frames.iter().map(|&f| probability.get(chunk(f)).map_or(0.0, |p| f64::from(*p))).sum();
    sum / frames.len().max(1) as f64
}

fn is_silent(audio: &impl Sound) -> Result<bool> {
    for start in (0..audio.count()).step_by(LEVEL_PIECE) {
        if audio.piece(start..start + LEVEL_PIECE)?.iter().any(|s| s.abs() >= SILENT_PEAK) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Sum of squares and number of the samples of a segment.
fn power(audio: &impl Sound, segment: Segment) -> Result<(f64, usize)> {
    let end = segment.end().to_sample(RATE_HZ).min(audio.count());
    let (mut sum, mut count) = (0.0, 0);
    for start in (segment.start().to_sample(RATE_HZ)..end).step_by(LEVEL_PIECE) {
        let piece = audio.piece(start..end.min(start + LEVEL_PIECE))?;
        sum += piece.iter().map(|&x| f64::from(x) * f64::from(x)).sum::<f64>();
        count += piece.len();
    }
    Ok((sum, count))
}

/// Refuses turns that voice activity does not hear and that are much quieter than the recording's speech: hum, room noise.
struct Veto<'a, S> {
    audio: &'a S,
    probability: &'a [f32],
    least_probability: f64,
    least_level: f64,
}

impl<'a, S: Sound> Veto<'a, S> {
    fn new(audio: &'a S, speech: &[Segment], probability: &'a [f32], config: &SpeakerConfig) -> Result<Self> {
        let (mut sum, mut count) = (0.0, 0);
        for segment in speech {
            let (own, samples) = power(audio, *segment)?;
            sum += own;
            count += samples;
        }
        let least_level = sum / count.max(1) as f64 * 10f64.powf(-0.1 * config.turns.veto_below_speech_db);
        Ok(Veto { audio, probability, least_probability: config.turns.veto_probability, least_level })
    }

    fn applies(&self, segment: Segment) -> Result<bool> {
        let chunk = |secs: f64| ((secs / CHUNKS.hop_secs()) as usize).min(self.probability.len());
        let (first, last) = (chunk(segment.start().get()), (chunk(segment.end().get()) + 1).min(self.probability.len()));
        if self.probability[first.min(last)..last].iter().any(|p| f64::from(*p) >= self.least_probability) {
            return Ok(false);
        }
        let (sum, count) = power(self.audio, segment)?;
        Ok(sum / (count.max(1) as f64) < self.least_level)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solo_speech_is_cut_into_even_units() {
        // 237 frames are 4.0 s: two units; after a long pause 6 frames are too short for one.
        let solo: Vec<usize> = (0..237).chain(1000..1006).collect();
        let pieces: Vec<Vec<usize>> = unit_pieces(&solo, 2.0).collect();
        assert_eq!(pieces.iter().map(Vec::len).collect::<Vec<_>>(), [118, 119]);
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
        let at = |frame| Point { frame, embedding: None, after_pause: false };
        assert_eq!(runs(&[at(7), at(22), at(37)], &[0, 0, 1]), [(7, 0), (30, 1)]);
    }
}
