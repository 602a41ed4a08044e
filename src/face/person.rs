//! Persons: tracks joined over cuts by identity, without asking how many there are.
//!
//! Agglomerative clustering of the tracks' mean embeddings, nearest pair first, centroids weighted by the number of looks. Tracks seen
//! at the same time are different persons and are never joined, directly or through others. A track that goes on where another of its
//! shot ended is that one's person before identities are compared.

use super::identity;

/// Tracks that share less time than this may be one face seen twice while one track gave way to the other, seconds.
const TOLERATED_OVERLAP_SECS: f64 = 0.15;
/// Small or hardly seen faces give noisier embeddings: they may lie this much further apart.
const SLACK: f64 = 0.1;
/// A track goes on with another's person unless their embeddings lie further apart than this.
const OTHER_PERSON: f64 = 0.7;

/// What is known of a track.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    /// Time of the first and last observation, seconds.
    pub span: (f64, f64),
    /// Mean embedding and the number of looks behind it.
    pub identity: Option<(Vec<f32>, usize)>,
    /// Whether the face was seen well.
    pub clear: bool,
    /// The earlier track it goes on from, by place and time.
    pub continues: Option<usize>,
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
    /// Mean embedding and number of looks.
    centroid: Option<(Vec<f32>, usize)>,
    clear: bool,
}

impl Group {
    fn of(index: usize, track: &Candidate) -> Self {
        Group { members: vec![index], centroid: track.identity.clone(), clear: track.clear }
    }

    fn take(&mut self, other: Group) {
        self.members.extend(other.members);
        self.clear |= other.clear;
        self.centroid = match (self.centroid.take(), other.centroid) {
            (Some((mut a, na)), Some((b, nb))) => {
                let (wa, wb) = (na.max(1) as f32, nb.max(1) as f32);
                for (x, y) in a.iter_mut().zip(&b) {
                    *x = (*x * wa + y * wb) / (wa + wb);
                }
                Some((a, na + nb))
            }
            (a, b) => a.or(b),
        };
    }

    /// Euclidean; `None` when one has no identity.
    fn apart(&self, other: &Group) -> Option<f64> {
        let ((a, _), (b, _)) = (self.centroid.as_ref()?, other.centroid.as_ref()?);
        Some(identity::distance(a, b))
    }

    /// What is compared with the largest distance of one person; infinite without identity.
    fn distance(&self, other: &Group) -> f64 {
        self.apart(other).map_or(f64::INFINITY, |d| if self.clear && other.clear { d } else { (d - SLACK).max(0.0) })
    }

    fn meets(&self, other: &Group, tracks: &[Candidate]) -> bool {
        self.members.iter().any(|&a| other.members.iter().any(|&b| together(tracks[a].span, tracks[b].span)))
    }
}

fn together(a: (f64, f64), b: (f64, f64)) -> bool {
    a.1.min(b.1) - a.0.max(b.0) > TOLERATED_OVERLAP_SECS
}

/// For each track the number of its person, from 0 in the order of the tracks given; a track without identity that goes on from none
/// is a person of its own.
pub(super) fn join(tracks: &[Candidate], limits: Limits) -> Vec<usize> {
    let mut groups: Vec<Group> = Vec::new();
    let mut owner: Vec<usize> = Vec::new();
    for (i, track) in tracks.iter().enumerate() {
        let own = Group::of(i, track);
        let fits = |g: &usize| !groups[*g].meets(&own, tracks) && groups[*g].apart(&own).is_none_or(|d| d < OTHER_PERSON);
        match track.continues.and_then(|e| owner.get(e).copied()).filter(fits) {
            Some(g) => {
                groups[g].take(own);
                owner.push(g);
            }
            None => {
                owner.push(groups.len());
                groups.push(own);
            }
        }
    }
    merge(&mut groups, tracks, limits);
    number(&groups, tracks.len())
}

fn merge(groups: &mut Vec<Group>, tracks: &[Candidate], limits: Limits) {
    let n = groups.len();
    // Distance of each pair of living groups; infinite = must not be joined. Row minima keep the search quadratic in most cases.
    let mut table = vec![f64::INFINITY; n * n];
    for i in 0..n {
        for j in 0..i {
            if !groups[i].meets(&groups[j], tracks) {
                let d = groups[i].distance(&groups[j]);
                (table[i * n + j], table[j * n + i]) = (d, d);
            }
        }
    }
    let mut living = vec![true; n];
    let mut count = n;
    let nearest = |table: &[f64], living: &[bool], i: usize| {
        let others = (0..n).filter(|&j| j != i && living[j]).map(|j| (table[i * n + j], j));
        others.min_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or((f64::INFINITY, i))
    };
    let mut best: Vec<(f64, usize)> = (0..n).map(|i| nearest(&table, &living, i)).collect();
    while count > 1 {
        let nearest_pair = (0..n).filter(|&i| living[i]).map(|i| (i, best[i])).min_by(|a, b| a.1.0.total_cmp(&b.1.0));
        let Some((i, (d, j))) = nearest_pair else { break };
        let wanted = limits.max > 0 && count > limits.max;
        if !d.is_finite() || (d > limits.distance && !wanted) || (limits.min > 0 && count <= limits.min) {
            break;
        }
        let (i, j) = (i.min(j), i.max(j));
        living[j] = false;
        count -= 1;
        let gone = std::mem::replace(&mut groups[j], Group { members: Vec::new(), centroid: None, clear: false });
        groups[i].take(gone);
        for k in (0..n).filter(|&k| living[k] && k != i) {
            let free = table[i * n + k].is_finite() && table[j * n + k].is_finite();
            let d = if free { groups[i].distance(&groups[k]) } else { f64::INFINITY };
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
    let mut owner = vec![0; tracks];
    for (g, group) in groups.iter().enumerate() {
        for &m in &group.members {
            owner[m] = g;
        }
    }
    let mut names = vec![None; groups.len()];
    let mut next = 0;
    owner
        .into_iter()
        .map(|g| {
            *names[g].get_or_insert_with(|| {
                next += 1;
                next - 1
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn track(start: f64, end: f64, x: f32) -> Candidate {
        Candidate { span: (start, end), identity: Some((vec![x, 0.0], 2)), clear: true, continues: None }
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
        let blank = Candidate { span: (2.0, 3.0), identity: None, clear: false, continues: None };
        let tracks = [track(0.0, 1.0, 0.0), track(1.0, 2.0, 3.0), blank, track(3.0, 4.0, 0.1)];
        assert_eq!(join(&tracks, FREE), [0, 1, 2, 0]);
        assert_eq!(join(&tracks, Limits { max: 2, ..FREE }), [0, 0, 1, 0]);
        assert_eq!(join(&tracks, Limits { min: 4, ..FREE }), [0, 1, 2, 3]);
        assert!(join(&[], FREE).is_empty());
    }

    #[test]
    fn a_track_that_goes_on_is_the_same_person_unless_it_looks_quite_different() {
        let after =
            |x: Option<f32>| Candidate { span: (1.2, 2.0), identity: x.map(|x| (vec![x, 0.0], 1)), clear: false, continues: Some(0) };
        assert_eq!(join(&[track(0.0, 1.0, 0.0), after(None)], FREE), [0, 0]);
        assert_eq!(join(&[track(0.0, 1.0, 0.0), after(Some(0.65))], FREE), [0, 0]);
        assert_eq!(join(&[track(0.0, 1.0, 0.0), after(Some(0.8))], FREE), [0, 1]);
    }
}
