//! Resegmentation: who of the speakers a track is, frame by frame, by the best path through its embeddings.
//!
//! Mostly a track is one speaker from end to end; where segmentation missed a change of speakers, the path finds it.

use serde::{Deserialize, Serialize};

use super::embedding::{Embedding, cosine};

/// Resegmentation parameters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ResegmentationConfig {
    /// Distance of the points of a track that are embedded.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub hop_secs: f64,
    /// Solo speech pooled for each point.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub window_secs: f64,
    /// What a second of speech with cosine 1 to a speaker speaks for that speaker.
    #[schemars(range(min = 0.0))]
    pub evidence_per_sec: f64,
    /// What a change of speakers within a track costs; half of it over a pause.
    #[schemars(range(min = 0.0))]
    pub change_cost: f64,
    /// Rounds of labelling and re-estimating the speakers, at least 1.
    #[schemars(range(min = 1))]
    pub rounds: u32,
}

impl Default for ResegmentationConfig {
    fn default() -> Self {
        ResegmentationConfig { hop_secs: 0.25, window_secs: 1.0, evidence_per_sec: 20.0, change_cost: 4.0, rounds: 2 }
    }
}

/// A point of a track.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct TrackPoint {
    /// Recording frame.
    pub frame: usize,
    /// Of the solo speech around it.
    #[serde(with = "crate::packed")]
    pub embedding: Embedding,
    /// True when the track pauses between the point before and this one.
    pub after_pause: bool,
}

/// The speaker of each point; with no speakers, 0. `told` gives what speaks for each speaker in a recording frame
/// beside the voice, in the same measure; nothing where it is shorter than the speakers.
pub fn best_path(
    points: &[TrackPoint],
    centroids: &[Vec<f32>],
    config: &ResegmentationConfig,
    told: &dyn Fn(usize) -> Vec<f64>,
) -> Vec<usize> {
    let speakers = centroids.len().max(1);
    let weight = config.evidence_per_sec * config.hop_secs;
    let mut score = vec![0.0f64; speakers];
    let mut back: Vec<Vec<usize>> = Vec::with_capacity(points.len());
    for point in points {
        let best = first_max(&score);
        let cost = if point.after_pause { 0.5 * config.change_cost } else { config.change_cost };
        let switch = score[best] - cost;
        let from: Vec<usize> = (0..speakers).map(|s| if score[s] >= switch { s } else { best }).collect();
        let told = told(point.frame);
        for (s, value) in score.iter_mut().enumerate() {
            let heard = match (&point.embedding, centroids.get(s)) {
                (Some(e), Some(c)) => weight * cosine(e, c),
                _ => 0.0,
            };
            *value = value.max(switch) + (heard + told.get(s).copied().unwrap_or(0.0));
        }
        back.push(from);
    }
    let mut path = vec![0; points.len()];
    let mut at = first_max(&score);
    for (slot, from) in path.iter_mut().zip(&back).rev() {
        *slot = at;
        at = from[at];
    }
    path
}

/// The speakers' mean embeddings over all points labelled theirs.
#[derive(Debug)]
pub struct Means {
    sums: Vec<Vec<f64>>,
}

impl Means {
    /// Of so many speakers, nothing labelled yet.
    pub fn new(speakers: usize) -> Self {
        Means { sums: vec![Vec::new(); speakers] }
    }

    /// Takes the points of a track, labelled.
    pub fn take(&mut self, points: &[TrackPoint], path: &[usize]) {
        for (point, speaker) in points.iter().zip(path) {
            if let (Some(e), Some(sum)) = (&point.embedding, self.sums.get_mut(*speaker)) {
                sum.resize(e.len(), 0.0);
                sum.iter_mut().zip(e).for_each(|(s, v)| *s += f64::from(*v));
            }
        }
    }

    /// Each speaker's; `None` for one without points.
    pub fn means(self) -> Vec<Embedding> {
        self.sums.into_iter().map(|sum| super::embedding::unit(sum.into_iter())).collect()
    }

    /// Puts them in the place of the old ones; a speaker without points keeps that.
    pub fn re_estimate(self, centroids: &mut [Vec<f32>]) {
        for (centroid, mean) in centroids.iter_mut().zip(self.means()) {
            if let Some(mean) = mean {
                *centroid = mean;
            }
        }
    }
}

fn first_max(values: &[f64]) -> usize {
    let mut best = 0;
    for (i, v) in values.iter().enumerate() {
        if *v > values[best] {
            best = i;
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(labels: &[usize]) -> Vec<TrackPoint> {
        let at = |(i, &l): (usize, &usize)| {
            let embedding = Some(if l == 0 { vec![1.0, 0.0] } else { vec![0.0, 1.0] });
            TrackPoint { frame: 15 * i, embedding, after_pause: false }
        };
        labels.iter().enumerate().map(at).collect()
    }

    #[test]
    fn a_change_must_last_to_be_believed() {
        let speakers = [vec![1.0, 0.0], vec![0.0, 1.0]];
        // Each point speaks with 5; two changes cost 8: two points of another voice are believed, one is not.
        let config = ResegmentationConfig::default();
        assert_eq!(best_path(&points(&[0, 0, 0, 1, 0, 0]), &speakers, &config, &|_| Vec::new()), [0; 6]);
        assert_eq!(best_path(&points(&[0, 0, 1, 1, 0, 0]), &speakers, &config, &|_| Vec::new()), [0, 0, 1, 1, 0, 0]);
        assert_eq!(best_path(&points(&[0, 0, 0, 0, 1]), &speakers, &config, &|_| Vec::new()), [0, 0, 0, 0, 1]);
        assert!(best_path(&[], &speakers, &config, &|_| Vec::new()).is_empty());
        assert_eq!(best_path(&points(&[0, 1]), &[], &config, &|_| Vec::new()), [0, 0]);
    }

    #[test]
    fn speakers_are_the_means_of_their_points() {
        let mut speakers = vec![vec![0.6, 0.8], vec![0.8, 0.6]];
        let p = points(&[0, 0]);
        let mut means = Means::new(2);
        means.take(&p, &[0, 0]);
        means.re_estimate(&mut speakers);
        assert_eq!(speakers, [vec![1.0, 0.0], vec![0.8, 0.6]]);
    }
}
