//! Clustering: from embeddings of short stretches to speakers, their number found.
//!
//! Average linkage on cosines, weighted by seconds. A cluster is kept as the sum of its vectors, so the mean similarity
//! of two clusters is one dot product and no matrix is stored; nearest-neighbour chains (Müllner, "Modern hierarchical,
//! agglomerative clustering algorithms", arXiv 1109.2378) give the exact dendrogram. The crate kodama has the same
//! algorithm, but it knows no weights (a unit of 0.7 s would count as much as one of 3 s) and takes the whole matrix.
//! Long recordings are clustered in blocks whose clusters are clustered again: time is linear, memory bounded.
//!
//! Where to cut is relative: similarity between clusters is measured against the similarity of stretches that follow
//! each other within a track nearby, which is how alike one voice is to itself in this recording (0.7 in a studio, 0.5
//! over a far microphone).
//!
//! What else was tried on the same units, everything after them the same; DER in % with collar 0 and overlap scored,
//! and speakers found (right: 2, 2, 2, 3; the four clips as one recording have 8 who are heard alone). Measured when
//! windows weighed the same everywhere ([`super::tracks`]):
//!
//! | | pyannote_sample | ami_dev00 | dual_speaker | three_speakers | all four as one |
//! |---|---|---|---|---|---|
//! | this linkage | 5.5 (2) | 13.5 (2) | 3.2 (2) | 1.8 (3) | 11.3 (8) |
//! | VBx, best of six settings | 5.5 (2) | 17.8 (2) | 3.2 (2) | 1.9 (3) | 22.1 (6) |
//! | spectral, best of three settings | 5.3 (2) | 13.5 (2) | 3.2 (2) | 1.9 (3) | 22.1 (6) |
//!
//! VBx (Landini et al., "Bayesian HMM clustering of x-vector sequences (VBx) in speaker diarization", Computer Speech &
//! Language 71, 2022) began from average linkage cut at a distance of 0.5 and stood on an isotropic model, as no PLDA
//! is trained for these embeddings; spectral clustering (Ng et al., NIPS 2001; rows of the affinity pruned to their
//! nearest 10 to 30 %, number of speakers at the largest gap of eigenvalues) merges speakers once there are many. Both
//! need all units at once. Linkage it is.
//!
//! How much hangs on the parameters: each clip was begun 0 to 2.59 s late in eight steps, so that windows fall
//! elsewhere; mean DER over the 32 recordings, and recordings with a wrong number of speakers, with all windows
//! weighing the same and hard decisions, and as it is now:
//!
//! | segmentation step | 1.0 s | 1.6 s | 2.0 s | 2.5 s |
//! |---|---|---|---|---|
//! | before | 7.9 (1) | 7.9 (2) | 7.2 (5) | 8.8 (5) |
//! | now | 6.7 (0) | 6.5 (0) | 6.6 (0) | 6.9 (1) |
//!
//! Around the values chosen: an agreement of 0.55 or 0.65 6.6, edges of 3 or 5 s 6.6, a resegmentation hop of 0.125 s
//! or window of 0.75 s 6.5 and 6.6, units of 1.5 s 7.3 and of 1.2 s 8.3 (measured with edges of 2 s, where 2.0 s gave
//! 7.0). Single clips vary more than these means: `pyannote_sample` from 5.2 to 8.1 %, `ami_dev00` from 11.3 to 19.8 %,
//! by whether segmentation hears a change at all. Labelling each window's local speakers by themselves, in place of
//! tracks, and units from windows in place of tracks were tried and gave 7.7 to 9.9 and 7.1 to 8.1.

use serde::{Deserialize, Serialize};

use super::embedding::unit;

/// Units a block; the blocks' clusters are clustered again.
const BLOCK: usize = 1500;

/// Self-similarity of a voice where a recording is too short to tell, and the range it is believed in.
const SELF_SIMILARITY: f64 = 0.7;
const SELF_SIMILARITY_RANGE: (f64, f64) = (0.5, 0.8);

/// Pairs needed to measure it, and pairs it is measured over: about half a minute of speech, track by track.
const MIN_PAIRS: usize = 3;
const MAX_PAIRS: usize = 15;

/// Clustering parameters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ClusteringConfig {
    /// Solo speech is cut into units of about this length.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub unit_secs: f64,
    /// Shorter units join a speaker but found none.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub min_unit_secs: f64,
    /// Units whose mean speech probability is below this found no speaker, 0 to 1.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub min_speech_probability: f64,
    /// Clusters at least this similar, relative to a voice's similarity with itself, are one speaker.
    #[schemars(range(min = 0.0))]
    pub relative_similarity: f64,
    /// A cluster with less solo speech than this is no speaker of its own.
    #[schemars(range(min = 0.0))]
    pub min_speaker_secs: f64,
    /// A cluster with less than this share of all solo speech is brief: strays grow with the recording, speakers do
    /// not.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub brief_share: f64,
    /// A brief cluster is a speaker of its own only when it is less similar than this to every other speaker, and to
    /// what two of them speaking at once would sound like; relative like the similarity above.
    #[schemars(range(min = 0.0))]
    pub brief_similarity: f64,
}

impl Default for ClusteringConfig {
    fn default() -> Self {
        ClusteringConfig {
            unit_secs: 2.0,
            min_unit_secs: 0.7,
            min_speech_probability: 0.5,
            relative_similarity: 0.68,
            min_speaker_secs: 2.0,
            brief_share: 0.03,
            brief_similarity: 0.38,
        }
    }
}

/// A stretch of one voice.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct VoiceUnit {
    /// Unit length, or scaled by [`relative`].
    #[serde(with = "crate::packed")]
    pub embedding: Vec<f32>,
    /// Its length in time: its weight.
    pub secs: f64,
}

/// The speakers found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Speakers {
    /// Unit-length mean embedding of each.
    pub centroids: Vec<Vec<f32>>,
    /// True when fewer speakers are told apart than were asked for.
    pub too_few: bool,
}

/// A group of units as their weighted sum.
#[derive(Clone, Debug)]
struct Node {
    sum: Vec<f64>,
    secs: f64,
}

/// Two nodes joined, by the lowest index of each side's members.
#[derive(Clone, Copy, Debug)]
struct Merge {
    left: usize,
    right: usize,
    similarity: f64,
}

/// How similar a voice is to itself around unit `at`: the median of the nearest of `pairs`, `(unit, cosine to the unit
/// that follows it in its track)` in order of units.
pub fn self_similarity(pairs: &[(usize, f64)], at: usize) -> f64 {
    if pairs.len() < MIN_PAIRS {
        return SELF_SIMILARITY;
    }
    let count = MAX_PAIRS.min(pairs.len());
    let first = pairs.partition_point(|p| p.0 < at).saturating_sub(count / 2).min(pairs.len() - count);
    let mut near: Vec<f64> = pairs[first..first + count].iter().map(|p| p.1).collect();
    near.sort_by(f64::total_cmp);
    (0.5 * (near[(count - 1) / 2] + near[count / 2])).clamp(SELF_SIMILARITY_RANGE.0, SELF_SIMILARITY_RANGE.1)
}

/// The unit scaled so that its voice's similarity with itself is 1: cosines become relative, and average linkage stays
/// what it is.
pub fn relative(unit: &VoiceUnit, self_similarity: f64) -> VoiceUnit {
    let scale = 1.0 / self_similarity.sqrt();
    VoiceUnit { embedding: unit.embedding.iter().map(|&v| (f64::from(v) * scale) as f32).collect(), secs: unit.secs }
}

/// Finds at most `most` speakers among `units`, and as many as `least` where there are others who are no stretch of
/// time of one of them; none when there are no units.
pub fn cluster(units: &[VoiceUnit], config: &ClusteringConfig, least: usize, most: usize) -> Speakers {
    let threshold = config.relative_similarity;
    let mut nodes: Vec<Node> = units
        .iter()
        .map(|u| Node { sum: u.embedding.iter().map(|&v| f64::from(v) * u.secs).collect(), secs: u.secs })
        .collect();
    while nodes.len() > BLOCK {
        let before = nodes.len();
        nodes = nodes
            .chunks(BLOCK)
            .flat_map(|part| groups(part, &cut(&linkage(part), part.len(), threshold, 1, usize::MAX)))
            .collect();
        if nodes.len() == before {
            break;
        }
    }
    let merges = linkage(&nodes);
    let is_large = |n: &Node| n.secs >= config.min_speaker_secs;

    let found = groups(&nodes, &cut(&merges, nodes.len(), threshold, 1, usize::MAX));
    let mut kept = without_strays(found.iter().filter(|n| is_large(n)).cloned().collect(), config);
    if kept.is_empty() {
        // Nobody spoke for long: the one who spoke most.
        kept = found.iter().max_by(|a, b| a.secs.total_cmp(&b.secs)).cloned().into_iter().collect();
    }
    if kept.len() > most {
        kept = groups(&kept, &cut(&linkage(&kept), kept.len(), f64::INFINITY, 1, most));
    }
    if kept.len() < least {
        // Those who speak too briefly to count unasked. A finer cut would part the longest voice in time.
        let mut brief = found;
        brief.sort_by(|a, b| b.secs.total_cmp(&a.secs));
        for node in brief {
            let alike = kept.iter().map(|k| mean_similarity(k, &node)).fold(f64::NEG_INFINITY, f64::max);
            if kept.len() < least && alike < config.brief_similarity {
                kept.push(node);
            }
        }
    }
    let too_few = kept.len() < least;
    Speakers { centroids: kept.iter().filter_map(|n| unit(n.sum.iter().copied())).collect(), too_few }
}

/// Leaves out brief clusters that are no voice of their own: a few bad seconds of a voice, or of two at once, that
/// happen again and again in a long recording. Order is kept.
fn without_strays(clusters: Vec<Node>, config: &ClusteringConfig) -> Vec<Node> {
    let total: f64 = clusters.iter().map(|n| n.secs).sum();
    let mean = |n: &Node| n.sum.iter().map(|v| v / n.secs.max(f64::MIN_POSITIVE)).collect::<Vec<f64>>();
    let (mut speakers, mut brief): (Vec<usize>, Vec<usize>) =
        (0..clusters.len()).partition(|&i| clusters[i].secs >= config.brief_share * total);
    // Long ones first: what is a speaker already is what the others may be strays of.
    brief.sort_by(|&a, &b| clusters[b].secs.total_cmp(&clusters[a].secs));
    for i in brief {
        let own = mean(&clusters[i]);
        let known: Vec<Vec<f64>> = speakers.iter().map(|&s| mean(&clusters[s])).collect();
        let alike = known.iter().map(|k| dot(k, &own)).fold(f64::NEG_INFINITY, f64::max);
        if alike.max(likest_pair(&known, &own)) < config.brief_similarity {
            speakers.push(i);
        }
    }
    speakers.sort_unstable();
    let mut keep = vec![false; clusters.len()];
    speakers.iter().for_each(|&i| keep[i] = true);
    clusters.into_iter().zip(keep).filter(|(_, k)| *k).map(|(n, _)| n).collect()
}

/// The highest similarity of a mean to one between two speakers' means; two voices at once lie in the plane of both.
fn likest_pair(known: &[Vec<f64>], own: &[f64]) -> f64 {
    let mut best = f64::NEG_INFINITY;
    for (i, a) in known.iter().enumerate() {
        for b in &known[..i] {
            let (aa, bb, ab, ax, bx) = (dot(a, a), dot(b, b), dot(a, b), dot(a, own), dot(b, own));
            let determinant = aa * bb - ab * ab;
            let (wa, wb) = (ax * bb - bx * ab, bx * aa - ax * ab);
            if determinant > 1e-9 && wa > 0.0 && wb > 0.0 {
                // The projection onto the plane, as long as the speakers' means are.
                let projection = ((wa * ax + wb * bx) / determinant).max(0.0).sqrt();
                best = best.max(projection * (0.5 * (aa + bb)).sqrt());
            }
        }
    }
    best
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// The dendrogram of average linkage, merges in falling order of similarity.
fn linkage(nodes: &[Node]) -> Vec<Merge> {
    let mut active: Vec<Option<Node>> = nodes.iter().cloned().map(Some).collect();
    let mut merges = Vec::with_capacity(nodes.len().saturating_sub(1));
    let mut chain: Vec<usize> = Vec::new();
    let mut start = 0;
    while merges.len() + 1 < nodes.len() {
        crate::pulse::beat();
        if chain.is_empty() {
            while active.get(start).is_some_and(Option::is_none) {
                start += 1;
            }
            chain.push(start);
        }
        let top = chain[chain.len() - 1];
        let before = chain.len().checked_sub(2).map(|i| chain[i]);
        // The node before wins ties, or the chain could run in a circle.
        let mut best = before.map(|b| (b, similarity(&active, top, b)));
        for other in 0..active.len() {
            if other != top && active[other].is_some() {
                let s = similarity(&active, top, other);
                if best.is_none_or(|(_, b)| s > b) {
                    best = Some((other, s));
                }
            }
        }
        let Some((nearest, similarity)) = best else { break };
        if before == Some(nearest) {
            chain.truncate(chain.len() - 2);
            let (left, right) = (top.min(nearest), top.max(nearest));
            if let (Some(moved), Some(stays)) = (active[right].take(), active[left].as_mut()) {
                stays.secs += moved.secs;
                for (a, b) in stays.sum.iter_mut().zip(&moved.sum) {
                    *a += b;
                }
            }
            merges.push(Merge { left, right, similarity });
        } else {
            chain.push(nearest);
        }
    }
    // Average linkage never merges closer than before, so falling order is a valid order of merging. The sort is
    // stable.
    merges.sort_by(|a, b| b.similarity.total_cmp(&a.similarity));
    merges
}

fn similarity(nodes: &[Option<Node>], a: usize, b: usize) -> f64 {
    match (&nodes[a], &nodes[b]) {
        (Some(a), Some(b)) => mean_similarity(a, b),
        _ => f64::NEG_INFINITY,
    }
}

fn mean_similarity(a: &Node, b: &Node) -> f64 {
    dot(&a.sum, &b.sum) / (a.secs * b.secs).max(f64::MIN_POSITIVE)
}

/// The group of each of `count` nodes: merges at least `threshold` similar are done, then more while there are over
/// `high` groups, none once there are `low`. Groups are numbered by their first member.
fn cut(merges: &[Merge], count: usize, threshold: f64, low: usize, high: usize) -> Vec<usize> {
    let mut parent: Vec<usize> = (0..count).collect();
    let root = |parent: &[usize], mut i: usize| {
        while parent[i] != i {
            i = parent[i];
        }
        i
    };
    let mut groups = count;
    for merge in merges {
        if groups <= low || (merge.similarity < threshold && groups <= high) {
            break;
        }
        let (a, b) = (root(&parent, merge.left), root(&parent, merge.right));
        parent[a.max(b)] = a.min(b);
        groups -= 1;
    }
    let roots: Vec<usize> = (0..count).map(|i| root(&parent, i)).collect();
    let mut firsts = roots.clone();
    firsts.sort_unstable();
    firsts.dedup();
    roots.iter().map(|r| firsts.binary_search(r).unwrap_or(0)).collect()
}

fn groups(nodes: &[Node], labels: &[usize]) -> Vec<Node> {
    let mut result: Vec<Option<Node>> = vec![None; labels.iter().max().map_or(0, |m| m + 1)];
    for (node, &label) in nodes.iter().zip(labels) {
        match &mut result[label] {
            Some(group) => {
                group.secs += node.secs;
                for (a, b) in group.sum.iter_mut().zip(&node.sum) {
                    *a += b;
                }
            }
            empty => *empty = Some(node.clone()),
        }
    }
    result.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// Units around the given angles (degrees) in a plane, 1 s each.
    fn units(angles: &[f64]) -> Vec<VoiceUnit> {
        let at = |a: &f64| VoiceUnit {
            embedding: vec![a.to_radians().cos() as f32, a.to_radians().sin() as f32],
            secs: 1.0,
        };
        angles.iter().map(at).collect()
    }

    fn count(angles: &[f64], least: usize, most: usize) -> usize {
        cluster(&units(angles), &ClusteringConfig::default(), least, most).centroids.len()
    }

    #[test]
    fn two_voices_are_found_and_a_short_one_is_not() {
        // cos 75° = 0.26 is under 0.75, cos 5° is not; the last unit has only 1 s.
        let angles = [0.0, 5.0, 10.0, 80.0, 85.0, 90.0, 180.0];
        let found = cluster(&units(&angles), &ClusteringConfig::default(), 1, 99);
        assert_eq!(found.centroids.len(), 2);
        assert!((found.centroids[0][1] - 5.0f32.to_radians().sin()).abs() < 1e-6, "{:?}", found.centroids);
        assert!((found.centroids[1][1] - 85.0f32.to_radians().sin()).abs() < 1e-6);
    }

    #[test]
    fn bounds_hold() {
        let angles = [0.0, 5.0, 10.0, 80.0, 85.0, 90.0, 180.0];
        assert_eq!(count(&angles, 1, 1), 1);
        assert_eq!(count(&angles, 2, 2), 2);
        // The short one counts where three are asked for; beyond that, time alone would part the others.
        assert_eq!(count(&angles, 3, 3), 3);
        assert_eq!(count(&angles, 7, 7), 3);
        let few = cluster(&units(&[0.0]), &ClusteringConfig::default(), 2, 2);
        assert!(few.too_few && few.centroids.len() == 1);
        assert_eq!(cluster(&[], &ClusteringConfig::default(), 1, 9).centroids.len(), 0);
    }

    #[test]
    fn chains_give_the_dendrogram_of_the_plain_algorithm() {
        // A fixed pseudo-random cloud in 3 dimensions.
        let mut random = Random::seeded(1);
        let mut next = || 0.5 * random.signed();
        let nodes: Vec<Node> = (0..40).map(|_| Node { sum: vec![next(), next(), next()], secs: 1.0 }).collect();
        let got: Vec<f64> = linkage(&nodes).iter().map(|m| m.similarity).collect();
        let mut plain: Vec<Option<Node>> = nodes.into_iter().map(Some).collect();
        for (step, expected) in got.iter().enumerate() {
            let pairs = (0..40)
                .flat_map(|a| (0..a).map(move |b| (b, a)))
                .filter(|&(a, b)| plain[a].is_some() && plain[b].is_some());
            let (a, b) =
                pairs.max_by(|x, y| similarity(&plain, x.0, x.1).total_cmp(&similarity(&plain, y.0, y.1))).unwrap();
            let best = similarity(&plain, a, b);
            assert!((best - expected).abs() < 1e-9, "merge {step}: {best} and {expected}");
            let right = plain[b].take().unwrap();
            let left = plain[a].as_mut().unwrap();
            left.secs += right.secs;
            left.sum.iter_mut().zip(&right.sum).for_each(|(x, y)| *x += y);
        }
    }

    #[test]
    fn long_recordings_have_the_speakers_of_short_ones() {
        let angles: Vec<f64> =
            (0..8000).map(|i| if i % 3 == 0 { f64::from(i % 21) } else { 120.0 - f64::from(i % 17) }).collect();
        assert_eq!(count(&angles, 1, 99), 2);
        assert_eq!(count(&angles, 4, 4), 2, "time alone parts no voice");
    }

    #[test]
    fn self_similarity_is_a_bounded_median_of_the_pairs_nearby() {
        let pairs: Vec<(usize, f64)> = (0..40).map(|i| (i, if i < 20 { 0.6 } else { 0.9 })).collect();
        assert!((self_similarity(&pairs, 3) - 0.6).abs() < 1e-12);
        assert!((self_similarity(&pairs, 36) - 0.8).abs() < 1e-12);
        assert!((self_similarity(&pairs[..2], 0) - SELF_SIMILARITY).abs() < 1e-12);
        let scaled = relative(&VoiceUnit { embedding: vec![0.6, 0.8], secs: 2.0 }, 0.64);
        assert!((scaled.embedding[0] - 0.75).abs() < 1e-6 && (scaled.secs - 2.0).abs() < 1e-12);
    }

    #[test]
    fn strays_of_a_long_recording_are_no_speakers_and_a_brief_voice_is() {
        let unit = |v: [f32; 3]| VoiceUnit { embedding: v.to_vec(), secs: 1.0 };
        let mut all: Vec<VoiceUnit> =
            (0..400).map(|i| unit(if i % 2 == 0 { [1.0, 0.0, 0.0] } else { [0.0, 1.0, 0.0] })).collect();
        // Three times: two voices at once (0.5 similar to either), and a voice like nobody's.
        all.extend((0..3).map(|_| unit([0.5, 0.5, 0.707])));
        all.extend((0..3).map(|_| unit([-0.1, 0.1, -0.99])));
        let found = cluster(&all, &ClusteringConfig::default(), 1, 99);
        assert_eq!(found.centroids.len(), 3);
        assert!(found.centroids[2][2] < -0.9);
        let asked = cluster(&all, &ClusteringConfig::default(), 4, 4);
        assert!(asked.centroids.len() == 3 && asked.too_few, "two at once are no fourth");
    }
}
