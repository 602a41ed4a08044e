//! Persons: tracks joined over cuts by identity, without asking how many there are.
//!
//! Agglomerative clustering of the tracks' embeddings, nearest groups first, by the average of the distances between
//! their tracks. Tracks seen at the same time are different persons and are never joined, directly or through others. A
//! track that goes on where another of its shot ended is that one's person before identities are compared.

use super::identity;

/// Tracks that share less time than this may be one face seen twice while one track gave way to the other, seconds.
const TOLERATED_OVERLAP_SECS: f64 = 0.15;
/// A track goes on with another's person unless their embeddings lie further apart than this.
const OTHER_PERSON: f64 = 1.1;

/// Embeddings of small faces lie so much further from all others, also from the same person's.
const SMALL_APART: f64 = 0.06;

/// What is known of a track.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    /// Time of the first and last observation, seconds.
    pub span: (f64, f64),
    /// How many observations.
    pub observations: usize,
    /// Pooled embedding and the weight of the looks behind it.
    pub identity: Option<(Vec<f32>, f32)>,
    /// Whether it is large, sure and long enough to make a person of its own.
    pub plain: bool,
    /// Whether it is no person's face.
    pub is_false: bool,
    /// Whether it is small.
    pub small: bool,
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

#[derive(Clone, Debug, Default)]
struct Group {
    members: Vec<usize>,
}

impl Group {
    fn of(index: usize) -> Self {
        Group { members: vec![index] }
    }

    fn take(&mut self, other: Group) {
        self.members.extend(other.members);
    }

    /// Members that have an identity.
    fn known(&self, tracks: &[Candidate]) -> usize {
        self.members.iter().filter(|&&m| tracks[m].identity.is_some()).count()
    }

    /// Mean Euclidean distance of the tracks of one to those of the other, less [`SMALL_APART`] for small faces; `None`
    /// when one has no identity.
    fn apart(&self, other: &Group, tracks: &[Candidate]) -> Option<f64> {
        let embedding = |&m: &usize| tracks[m].identity.as_ref().map(|i| (i.0.as_slice(), tracks[m].small));
        let (mut sum, mut pairs) = (0.0, 0u32);
        for (a, a_small) in self.members.iter().filter_map(embedding) {
            for (b, b_small) in other.members.iter().filter_map(embedding) {
                let apart = identity::distance(a, b) - if a_small || b_small { SMALL_APART } else { 0.0 };
                (sum, pairs) = (sum + apart.max(0.0), pairs + 1);
            }
        }
        (pairs > 0).then(|| sum / f64::from(pairs))
    }

    /// What is compared with the largest distance of one person; infinite without identity.
    fn distance(&self, other: &Group, tracks: &[Candidate]) -> f64 {
        self.apart(other, tracks).unwrap_or(f64::INFINITY)
    }

    /// The embedding of all its tracks together, a unit vector.
    fn embedding(&self, tracks: &[Candidate]) -> Option<Vec<f32>> {
        let all: Vec<(Vec<f32>, f32)> = self.members.iter().filter_map(|&m| tracks[m].identity.clone()).collect();
        identity::pooled(&all)
    }

    fn meets(&self, other: &Group, tracks: &[Candidate]) -> bool {
        self.members.iter().any(|&a| other.members.iter().any(|&b| together(tracks[a].span, tracks[b].span)))
    }
}

fn together(a: (f64, f64), b: (f64, f64)) -> bool {
    a.1.min(b.1) - a.0.max(b.0) > TOLERATED_OVERLAP_SECS
}

/// For each track the number of its person, from 0 in the order of the tracks given.
///
/// Plain tracks make the persons; the others belong to a person they go on from or look like, else to nobody (`None`),
/// as what is no person's face does.
pub(super) fn join(tracks: &[Candidate], limits: Limits) -> Vec<Option<usize>> {
    let mut groups: Vec<Group> = Vec::new();
    let mut owner: Vec<Option<usize>> = vec![None; tracks.len()];
    for (i, track) in tracks.iter().enumerate().filter(|(_, t)| t.plain && !t.is_false) {
        let own = Group::of(i);
        match track.continues.and_then(|e| owner[e]).filter(|&g| goes_on(&groups[g], &own, tracks)) {
            Some(g) => {
                groups[g].take(own);
                owner[i] = Some(g);
            }
            None => {
                owner[i] = Some(groups.len());
                groups.push(own);
            }
        }
    }
    merge(&mut groups, tracks, limits);
    adopt(&mut groups, tracks, limits.distance);
    keep_within(&mut groups, tracks, limits);
    number(&groups, tracks.len())
}

fn goes_on(group: &Group, own: &Group, tracks: &[Candidate]) -> bool {
    !group.meets(own, tracks) && group.apart(own, tracks).is_none_or(|d| d < OTHER_PERSON)
}

/// Gives the tracks that are not plain to the persons they go on from or are nearest to. Looks of small faces are too
/// poor to change what the person looks like.
fn adopt(groups: &mut [Group], tracks: &[Candidate], distance: f64) {
    let plain: Vec<Group> = groups.to_vec();
    for (i, track) in tracks.iter().enumerate().filter(|(_, t)| !t.plain && !t.is_false) {
        crate::pulse::beat();
        let own = Group::of(i);
        let before = track.continues.and_then(|e| groups.iter().position(|g| g.members.contains(&e)));
        let nearest = || {
            let free = groups.iter().zip(&plain).enumerate().filter(|(_, (g, _))| !g.meets(&own, tracks));
            let fits = free.map(|(k, (_, plain))| (plain.distance(&own, tracks), k)).filter(|f| f.0 <= distance);
            fits.min_by(|a, b| a.0.total_cmp(&b.0)).map(|f| f.1)
        };
        if let Some(k) = before.filter(|&k| goes_on(&groups[k], &own, tracks)).or_else(nearest) {
            groups[k].members.push(i);
        }
    }
    groups.iter_mut().for_each(|g| g.members.sort_unstable());
}

/// Lets the persons seen least go where there are too many, and makes persons of the faces seen most where there are
/// too few.
fn keep_within(groups: &mut Vec<Group>, tracks: &[Candidate], limits: Limits) {
    let seen = |g: &Group| g.members.iter().map(|&m| tracks[m].observations).sum::<usize>();
    if limits.max > 0 && groups.len() > limits.max {
        groups.sort_by_key(|g| (std::cmp::Reverse(seen(g)), g.members.first().copied()));
        groups.truncate(limits.max);
    }
    let is_open = |i: &usize| !tracks[*i].is_false && !groups.iter().any(|g| g.members.contains(i));
    let mut open: Vec<usize> = (0..tracks.len()).filter(is_open).collect();
    open.sort_by_key(|&i| (std::cmp::Reverse(tracks[i].observations), i));
    for i in open.into_iter().take(limits.min.saturating_sub(groups.len())) {
        groups.push(Group::of(i));
    }
}

/// The name of each track's person: the enrolled one whose picture it is nearest to, if nearer than `distance`, else
/// P1, P2, … by first appearance. Two persons of one name are one, unless they are seen together: then the nearer has
/// the name.
pub(super) fn named(
    tracks: &[Candidate],
    owners: &[Option<usize>],
    enrolled: &[(&str, &[f32])],
    distance: f64,
) -> Vec<Option<String>> {
    let count = owners.iter().flatten().max().map_or(0, |m| m + 1);
    let mut groups: Vec<Group> = vec![Group::default(); count];
    for (i, g) in owners.iter().enumerate().filter_map(|(i, o)| o.map(|g| (i, g))) {
        groups[g].members.push(i);
    }
    let mut near: Vec<(f64, usize, &str)> = Vec::new();
    for (g, embedding) in groups.iter().enumerate().filter_map(|(g, group)| Some((g, group.embedding(tracks)?))) {
        let apart = enrolled.iter().map(|(name, picture)| (identity::distance(&embedding, picture), g, *name));
        near.extend(apart.filter(|n| n.0 < distance));
    }
    near.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)).then(a.2.cmp(b.2)));
    let mut names: Vec<Option<&str>> = vec![None; count];
    for (_, g, name) in near {
        let meets = |h: usize| groups[g].meets(&groups[h], tracks);
        if names[g].is_none() && !(0..count).any(|h| names[h] == Some(name) && meets(h)) {
            names[g] = Some(name);
        }
    }
    let mut numbers: Vec<Option<usize>> = vec![None; count];
    let mut next = 0;
    owners
        .iter()
        .map(|owner| {
            owner.map(|g| match names[g] {
                Some(name) => name.to_owned(),
                None => {
                    let number = *numbers[g].get_or_insert_with(|| {
                        next += 1;
                        // A picture may be named P1: nobody else is then.
                        while enrolled.iter().any(|(name, _)| *name == format!("P{next}")) {
                            next += 1;
                        }
                        next
                    });
                    format!("P{number}")
                }
            })
        })
        .collect()
}

fn merge(groups: &mut Vec<Group>, tracks: &[Candidate], limits: Limits) {
    let n = groups.len();
    // Distance of each pair of living groups; infinite = must not be joined. Row minima keep the search quadratic in
    // most cases.
    let mut table = vec![f64::INFINITY; n * n];
    for i in 0..n {
        crate::pulse::beat();
        for j in 0..i {
            if !groups[i].meets(&groups[j], tracks) {
                let d = groups[i].distance(&groups[j], tracks);
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
        crate::pulse::beat();
        let nearest_pair = (0..n).filter(|&i| living[i]).map(|i| (i, best[i])).min_by(|a, b| a.1.0.total_cmp(&b.1.0));
        let Some((i, (d, j))) = nearest_pair else { break };
        let wanted = limits.max > 0 && count > limits.max;
        if !d.is_finite() || (d > limits.distance && !wanted) || (limits.min > 0 && count <= limits.min) {
            break;
        }
        let (i, j) = (i.min(j), i.max(j));
        living[j] = false;
        count -= 1;
        let (ni, nj) = (groups[i].known(tracks) as f64, groups[j].known(tracks) as f64);
        let gone = std::mem::take(&mut groups[j]);
        groups[i].take(gone);
        for k in (0..n).filter(|&k| living[k] && k != i) {
            let (di, dj) = (table[i * n + k], table[j * n + k]);
            // The average over all pairs; infinite where one of them must not be joined.
            let d = if di.is_finite() && dj.is_finite() { (ni * di + nj * dj) / (ni + nj) } else { f64::INFINITY };
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

fn number(groups: &[Group], tracks: usize) -> Vec<Option<usize>> {
    let mut owner = vec![None; tracks];
    for (g, group) in groups.iter().enumerate() {
        for &m in &group.members {
            owner[m] = Some(g);
        }
    }
    let mut names = vec![None; groups.len()];
    let mut next = 0;
    owner
        .into_iter()
        .map(|g: Option<usize>| {
            g.map(|g| {
                *names[g].get_or_insert_with(|| {
                    next += 1;
                    next - 1
                })
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn track(start: f64, end: f64, x: f32) -> Candidate {
        Candidate {
            span: (start, end),
            observations: ((end - start) * 10.0) as usize,
            identity: Some((vec![x, 0.0], 1.0)),
            plain: true,
            is_false: false,
            small: false,
            continues: None,
        }
    }

    const FREE: Limits = Limits { distance: 0.5, min: 0, max: 0 };

    /// -1 = nobody.
    fn joined(tracks: &[Candidate], limits: Limits) -> Vec<i32> {
        join(tracks, limits).into_iter().map(|o| o.map_or(-1, |o| o as i32)).collect()
    }

    #[test]
    fn a_person_is_found_again_after_each_cut() {
        let tracks = [track(0.0, 1.0, 0.0), track(1.0, 2.0, 1.0), track(2.0, 3.0, 0.1), track(3.0, 4.0, 1.1)];
        assert_eq!(joined(&tracks, FREE), [0, 1, 0, 1]);
    }

    #[test]
    fn faces_seen_together_are_never_one_person() {
        let tracks = [track(0.0, 5.0, 0.0), track(0.0, 5.0, 0.1), track(5.0, 9.0, 0.04)];
        assert_eq!(joined(&tracks, FREE), [0, 1, 0]);
        // Not even through a third track that fits both: the one seen less is nobody's.
        assert_eq!(joined(&tracks, Limits { max: 1, ..FREE }), [0, -1, 0]);
    }

    #[test]
    fn limits_are_kept_and_a_track_without_identity_stays_alone() {
        let blank = Candidate { identity: None, ..track(2.0, 3.0, 0.0) };
        let tracks = [track(0.0, 1.0, 0.0), track(1.0, 2.0, 3.0), blank, track(3.0, 4.0, 0.1)];
        assert_eq!(joined(&tracks, FREE), [0, 1, 2, 0]);
        assert_eq!(joined(&tracks, Limits { max: 2, ..FREE }), [0, 0, 1, 0]);
        assert_eq!(joined(&tracks, Limits { min: 4, ..FREE }), [0, 1, 2, 3]);
        assert!(join(&[], FREE).is_empty());
    }

    #[test]
    fn doubtful_faces_are_somebody_known_or_nobody() {
        let doubtful = |t: Candidate| Candidate { plain: false, ..t };
        let tracks = [
            doubtful(track(0.0, 1.0, 0.1)),
            track(1.0, 2.0, 0.0),
            doubtful(track(2.0, 3.0, 4.0)),
            doubtful(track(1.0, 1.9, 0.0)),
        ];
        assert_eq!(joined(&tracks, FREE), [0, 0, -1, -1], "one is like the person, one is not, one is seen beside it");
        assert_eq!(
            joined(&tracks, Limits { min: 2, ..FREE }),
            [0, 0, 1, -1],
            "the one seen longest is the second person asked for"
        );
    }

    #[test]
    fn a_track_that_goes_on_is_the_same_person_unless_it_looks_quite_different() {
        let after = |x: Option<f32>| Candidate {
            span: (1.2, 2.0),
            identity: x.map(|x| (vec![x, 0.0], 1.0)),
            continues: Some(0),
            ..track(1.2, 2.0, 0.0)
        };
        assert_eq!(joined(&[track(0.0, 1.0, 0.0), after(None)], FREE), [0, 0]);
        assert_eq!(joined(&[track(0.0, 1.0, 0.0), after(Some(1.05))], FREE), [0, 0]);
        assert_eq!(joined(&[track(0.0, 1.0, 0.0), after(Some(1.2))], FREE), [0, 1]);
        assert_eq!(
            joined(&[track(0.0, 1.0, 0.0), Candidate { plain: false, ..after(None) }], FREE),
            [0, 0],
            "a doubtful one too"
        );
    }

    #[test]
    fn the_average_over_all_pairs_decides() {
        // 0.8 from the nearest of the pair, 0.9 from the other.
        let pair = [track(0.0, 1.0, 0.0), track(1.0, 2.0, 0.1)];
        let all = [pair[0].clone(), pair[1].clone(), track(2.0, 3.0, 0.9)];
        assert_eq!(joined(&all, Limits { distance: 0.86, ..FREE }), [0, 0, 0]);
        assert_eq!(joined(&all, Limits { distance: 0.84, ..FREE }), [0, 0, 1]);
    }

    #[test]
    fn small_faces_may_lie_a_little_further_apart() {
        let small = |small: bool| Candidate { small, ..track(1.0, 2.0, 0.54) };
        assert_eq!(joined(&[track(0.0, 1.0, 0.0), small(false)], FREE), [0, 1]);
        assert_eq!(joined(&[track(0.0, 1.0, 0.0), small(true)], FREE), [0, 0]);
    }

    #[test]
    fn what_is_no_face_is_nobody_whatever_it_looks_like() {
        let lamp = |t: Candidate| Candidate { is_false: true, ..t };
        let tracks = [
            track(0.0, 1.0, 0.0),
            lamp(track(1.0, 2.0, 0.0)),
            lamp(Candidate { plain: false, ..track(2.0, 3.0, 0.0) }),
        ];
        assert_eq!(joined(&tracks, FREE), [0, -1, -1]);
        assert_eq!(joined(&tracks, Limits { min: 3, ..FREE }), [0, -1, -1]);
    }

    #[test]
    fn enrolled_people_have_their_names_and_the_others_numbers() {
        let towards = |deg: f32| vec![deg.to_radians().cos(), deg.to_radians().sin()];
        let turned = |start: f64, end: f64, deg: f32| Candidate {
            identity: Some((towards(deg), 1.0)),
            ..track(start, end, 0.0)
        };
        let tracks = [turned(0.0, 5.0, 180.0), turned(0.0, 5.0, 10.0), turned(5.0, 9.0, 55.0), turned(0.0, 4.0, 120.0)];
        let owners = [Some(0), Some(1), Some(2), None];
        let (front, side) = (towards(0.0), towards(60.0));
        let pictures: [(&str, &[f32]); 2] = [("Anna", front.as_slice()), ("Anna", side.as_slice())];
        let got = named(&tracks, &owners, &pictures, 0.5);
        assert_eq!(
            got,
            [Some("P1".into()), Some("Anna".into()), Some("Anna".into()), None],
            "two pictures of Anna, two looks of hers"
        );
        let got = named(&tracks, &owners, &[("P1", front.as_slice())], 0.5);
        assert_eq!(
            got,
            [Some("P2".into()), Some("P1".into()), Some("P3".into()), None],
            "an enrolled P1 keeps the name to himself"
        );
        let together = [turned(0.0, 5.0, 10.0), turned(0.0, 5.0, 5.0)];
        let got = named(&together, &[Some(0), Some(1)], &pictures[..1], 0.5);
        assert_eq!(
            got,
            [Some("P1".into()), Some("Anna".into())],
            "only one of two faces seen together is Anna, the nearer"
        );
    }
}
