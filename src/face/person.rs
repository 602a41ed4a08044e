//! Persons: tracks joined over cuts by identity, without asking how many there are.
//!
//! Agglomerative clustering of the tracks' mean embeddings, nearest pair first, centroids weighted by the number of looks. Tracks seen
//! at the same time are different persons and are never joined, directly or through others.

use super::identity;

/// Tracks that share less time than this may be one face seen twice while one track gave way to the other, seconds.
const TOLERATED_OVERLAP_SECS: f64 = 0.15;

/// What is known of a track.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    /// Time of the first and last observation, seconds.
    pub span: (f64, f64),
    /// Mean embedding and the number of looks behind it.
    pub identity: Option<(Vec<f32>, usize)>,
}

/// Limits of the joining.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// Largest distance of one person's tracks.
    pub distance: f64,
    /// Least number of persons, 0 = none.
    pub min: usize,
    /// Largest number of persons, 0 = none.
    pub max: usize,
}

struct Group {
    members: Vec<usize>,
    centroid: Vec<f32>,
    weight: usize,
}

/// For each track the number of its person, from 0 in the order of the tracks given; a track without identity is a person of its own.
pub(super) fn join(tracks: &[Candidate], limits: Limits) -> Vec<usize> {
    let mut groups: Vec<Group> = Vec::new();
    let mut alone = 0;
    for (i, t) in tracks.iter().enumerate() {
        match &t.identity {
            Some((centroid, looks)) => groups.push(Group { members: vec![i], centroid: centroid.clone(), weight: (*looks).max(1) }),
            None => alone += 1,
        }
    }
    merge(&mut groups, tracks, limits, alone);
    number(&groups, tracks.len())
}

fn together(a: (f64, f64), b: (f64, f64)) -> bool {
    a.1.min(b.1) - a.0.max(b.0) > TOLERATED_OVERLAP_SECS
}

fn merge(groups: &mut Vec<Group>, tracks: &[Candidate], limits: Limits, alone: usize) {
    let n = groups.len();
    // Distance of each pair of living groups; infinite = must not be joined. Row minima keep the search quadratic in most cases.
    let mut table = vec![f64::INFINITY; n * n];
    for i in 0..n {
        for j in 0..i {
            let (a, b) = (groups[i].members[0], groups[j].members[0]);
            if !together(tracks[a].span, tracks[b].span) {
                let d = identity::distance(&groups[i].centroid, &groups[j].centroid);
                (table[i * n + j], table[j * n + i]) = (d, d);
            }
        }
    }
    let mut living = vec![true; n];
    let mut count = n;
    let nearest = |table: &[f64], living: &[bool], i: usize| {
        (0..n).filter(|&j| j != i && living[j]).map(|j| (table[i * n + j], j)).min_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or((f64::INFINITY, i))
    };
    let mut best: Vec<(f64, usize)> = (0..n).map(|i| nearest(&table, &living, i)).collect();
    while count > 1 {
        let Some((i, (d, j))) = (0..n).filter(|&i| living[i]).map(|i| (i, best[i])).min_by(|a, b| a.1.0.total_cmp(&b.1.0)) else { break };
        let persons = count + alone;
        let wanted = limits.max > 0 && persons > limits.max;
        if !d.is_finite() || (d > limits.distance && !wanted) || (limits.min > 0 && persons <= limits.min) {
            break;
        }
        let (i, j) = (i.min(j), i.max(j));
        living[j] = false;
        count -= 1;
        let (wi, wj) = (groups[i].weight as f32, groups[j].weight as f32);
        let moved = std::mem::take(&mut groups[j].centroid);
        for (a, b) in groups[i].centroid.iter_mut().zip(&moved) {
            *a = (*a * wi + b * wj) / (wi + wj);
        }
        groups[i].weight += groups[j].weight;
        let members = std::mem::take(&mut groups[j].members);
        groups[i].members.extend(members);
        for k in (0..n).filter(|&k| living[k] && k != i) {
            let free = table[i * n + k].is_finite() && table[j * n + k].is_finite();
            let d = if free { identity::distance(&groups[i].centroid, &groups[k].centroid) } else { f64::INFINITY };
            (table[i * n + k], table[k * n + i]) = (d, d);
        }
        for k in (0..n).filter(|&k| living[k]) {
            if k == i || best[k].1 == i || best[k].1 == j {
                best[k] = nearest(&table, &living, k);
            } else if table[k * n + i] < best[k].0 {
                best[k] = (table[k * n + i], i);
            }
        }
    }
    groups.retain(|g| !g.members.is_empty());
}

fn number(groups: &[Group], tracks: usize) -> Vec<usize> {
    let mut owner = vec![usize::MAX; tracks];
    for (g, group) in groups.iter().enumerate() {
        for &m in &group.members {
            owner[m] = g;
        }
    }
    let mut name = vec![None; groups.len()];
    let mut next = 0;
    let mut fresh = || {
        next += 1;
        next - 1
    };
    owner.into_iter().map(|g| if g == usize::MAX { fresh() } else { *name[g].get_or_insert_with(&mut fresh) }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn track(start: f64, end: f64, x: f32) -> Candidate {
        Candidate { span: (start, end), identity: Some((vec![x, 0.0], 1)) }
    }

    const FREE: Limits = Limits { distance: 0.5, min: 0, max: 0 };

    #[test]
    fn a_person_is_found_again_after_each_cut() {
        let tracks = [track(0.0, 1.0, 0.0), track(1.0, 2.0, 1.0), track(2.0, 3.0, 0.1), track(3.0, 4.0, 1.1)];
        assert_eq!(join(&tracks, FREE), [0, 1, 0, 1]);
    }

    #[test]
    fn faces_seen_together_are_never_one_person() {
        let tracks = [track(0.0, 5.0, 0.0), track(0.0, 5.0, 0.1), track(5.0, 9.0, 0.04)];
        assert_eq!(join(&tracks, FREE), [0, 1, 0]);
        // Not even through a third track that fits both.
        assert_eq!(join(&tracks, Limits { max: 1, ..FREE }), [0, 1, 0]);
    }

    #[test]
    fn limits_are_kept_and_a_track_without_identity_stays_alone() {
        let tracks = [track(0.0, 1.0, 0.0), track(1.0, 2.0, 3.0), Candidate { span: (2.0, 3.0), identity: None }, track(3.0, 4.0, 0.1)];
        assert_eq!(join(&tracks, FREE), [0, 1, 2, 0]);
        assert_eq!(join(&tracks, Limits { max: 2, ..FREE }), [0, 0, 1, 0]);
        assert_eq!(join(&tracks, Limits { min: 4, ..FREE }), [0, 1, 2, 3]);
        assert!(join(&[], FREE).is_empty());
    }
}
