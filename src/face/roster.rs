//! The roster: the faces that are followed, and which of them a face in a frame is.

use super::detect::Detection;
use super::sighting::Sighting;
use super::track::{self, Live};
use super::{BoundingBox, MOST_FACES};
use crate::time::Seconds;

/// A lost face is looked for this long, then its track ends.
const GRACE_SECS: f64 = 0.6;
/// The detector searches around a lost face for this long.
const SEARCH_SECS: f64 = 0.45;
/// Faces smaller than this in what the detector saw cannot be expected of it, px.
const EXPECTED_PX: f32 = 24.0;
/// Detector score that makes a face without the landmark model's agreement.
pub(super) const SURE_SCORE: f32 = 0.75;
/// Full detections in a row that may miss a face the landmark model sees.
const MOST_UNCONFIRMED: u32 = 3;

/// All followed faces; indices into [`Roster::live`] hold until tracks are ended.
#[derive(Debug)]
pub(super) struct Roster {
    /// Those of the shot at hand.
    pub live: Vec<Live>,
    /// Those of the shot before, while the cut may be a flash.
    held: Vec<Live>,
    next_id: u32,
}

impl Default for Roster {
    fn default() -> Self {
        Roster { live: Vec::new(), held: Vec::new(), next_id: 1 }
    }
}

impl Roster {
    /// A new track that is on no list yet.
    pub fn new_track(&mut self, now: Seconds, bounds: BoundingBox, shot: usize) -> Live {
        let track = Live::new(self.next_id, now, bounds, shot);
        self.next_id += 1;
        track
    }

    /// Follows a new face and gives its index.
    pub fn start(&mut self, now: Seconds, bounds: BoundingBox, shot: usize) -> usize {
        let track = self.new_track(now, bounds, shot);
        self.live.push(track);
        self.live.len() - 1
    }

    /// At a cut: holds the followed tracks back; gives those that were held before, which are over.
    #[must_use]
    pub fn hold(&mut self) -> Vec<Live> {
        std::mem::replace(&mut self.held, std::mem::take(&mut self.live))
    }

    /// After a flash: follows the held tracks again; gives those that were followed during it, which are over.
    #[must_use]
    pub fn restore(&mut self) -> Vec<Live> {
        std::mem::replace(&mut self.live, std::mem::take(&mut self.held))
    }

    /// The held tracks, which are over.
    #[must_use]
    pub fn release(&mut self) -> Vec<Live> {
        std::mem::take(&mut self.held)
    }

    /// The tracks that were lost too long ago, which are over.
    #[must_use]
    pub fn give_up(&mut self, now: Seconds) -> Vec<Live> {
        let (kept, lost) = std::mem::take(&mut self.live).into_iter().partition(|t| t.unseen(now) < GRACE_SECS);
        self.live = kept;
        lost
    }

    /// All tracks, which are over.
    pub fn into_tracks(self) -> impl Iterator<Item = Live> {
        self.held.into_iter().chain(self.live)
    }

    /// Followed faces that were not found in this frame but a moment ago.
    pub fn lost<'a>(&'a self, seen: &'a [Sighting], now: Seconds) -> impl Iterator<Item = usize> + 'a {
        let is_seen = move |i: usize| seen.iter().any(|s| s.track == i);
        (0..self.live.len()).filter(move |&i| self.live[i].unseen(now) < SEARCH_SECS && !is_seen(i))
    }

    /// Two tracks on one face: the one that has been followed longer keeps it.
    pub fn drop_doubles(&self, seen: &mut Vec<Sighting>) {
        seen.sort_by_key(|s| (std::cmp::Reverse(self.live[s.track].observations), self.live[s.track].id));
        let mut kept: Vec<Sighting> = Vec::new();
        for s in seen.drain(..) {
            if !kept.iter().any(|k| track::same_face(k.bounds, s.bounds)) {
                kept.push(s);
            }
        }
        *seen = kept;
    }

    /// Brings what the full detector found and the followed faces together: confirms those it sees, drops those it has
    /// missed too often, and gives the indices of the detections nobody follows. `scale`: how it saw the whole picture;
    /// `None` for a search.
    pub fn confirm(&mut self, seen: &mut Vec<Sighting>, found: &[Detection], scale: Option<f32>) -> Vec<usize> {
        let boxes: Vec<BoundingBox> = found.iter().map(|d| d.bounds).collect();
        let mut free = vec![true; found.len()];
        let seen_boxes: Vec<BoundingBox> = seen.iter().map(|s| s.bounds).collect();
        for (i, j) in track::pair(&seen_boxes, &boxes) {
            free[j] = false;
            (seen[i].confirmed, seen[i].detected) = (true, Some(found[j]));
            self.live[seen[i].track].detected(&found[j], seen[i].mesh.as_ref());
        }
        let expected = |s: &Sighting| scale.is_some_and(|scale| scale * s.bounds.size() >= EXPECTED_PX);
        for s in seen.iter().filter(|s| !s.confirmed && expected(s)) {
            self.live[s.track].unconfirmed += 1;
            self.live[s.track].refused += 1;
        }
        seen.retain(|s| self.live[s.track].unconfirmed < MOST_UNCONFIRMED);
        (0..found.len()).filter(|&j| free[j]).collect()
    }

    /// For each of the `open` detections, which lost face it is; `None` = none of them.
    pub fn rejoin(&self, seen: &[Sighting], found: &[Detection], open: &[usize], now: Seconds) -> Vec<Option<usize>> {
        let lost: Vec<usize> = (0..self.live.len()).filter(|&i| !seen.iter().any(|s| s.track == i)).collect();
        let lost_boxes: Vec<BoundingBox> = lost.iter().map(|&i| self.live[i].bounds).collect();
        let open_boxes: Vec<BoundingBox> = open.iter().map(|&j| found[j].bounds).collect();
        let mut pairs = track::pair(&lost_boxes, &open_boxes);
        // A face that moved fast, where there is no doubt which.
        for o in (0..open.len()).filter(|&o| found[open[o]].score >= SURE_SCORE) {
            let reach = |&l: &usize| track::within_reach(lost_boxes[l], open_boxes[o], self.live[lost[l]].unseen(now));
            let candidates: Vec<usize> = (0..lost.len()).filter(reach).collect();
            let rivals = |l: usize| open_boxes.iter().filter(|b| track::within_reach(lost_boxes[l], **b, 1.0)).count();
            if let [l] = candidates[..]
                && rivals(l) == 1
                && !pairs.iter().any(|&(a, b)| a == l || b == o)
            {
                pairs.push((l, o));
            }
        }
        (0..open.len()).map(|o| pairs.iter().find(|p| p.1 == o).map(|p| lost[p.0])).collect()
    }
}

/// True when no more faces are looked at in one frame.
pub(super) fn is_full(seen: &[Sighting]) -> bool {
    seen.len() >= MOST_FACES
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(left: f32) -> BoundingBox {
        BoundingBox::from_corners(left, 0.0, left + 40.0, 40.0)
    }

    fn detection(left: f32, score: f32) -> Detection {
        Detection { bounds: at(left), keypoints: [(0.0, 0.0); 5], score }
    }

    fn sighting(track: usize, left: f32) -> Sighting {
        Sighting {
            track,
            bounds: at(left),
            presence: 1.0,
            sharpness: 1.0,
            mesh: None,
            confirmed: false,
            detected: None,
        }
    }

    /// Faces seen at 0 s with these left edges.
    fn roster(lefts: &[f32]) -> Roster {
        let mut roster = Roster::default();
        for &left in lefts {
            roster.start(Seconds::ZERO, at(left), 0);
        }
        roster
    }

    fn ids(tracks: &[Live]) -> Vec<u32> {
        tracks.iter().map(|t| t.id).collect()
    }

    #[test]
    fn a_flash_gives_the_held_tracks_back_and_a_cut_ends_them() {
        let mut roster = roster(&[0.0]);
        assert!(roster.hold().is_empty() && roster.live.is_empty());
        roster.start(Seconds::ZERO, at(0.0), 1);
        assert_eq!(ids(&roster.restore()), [2], "seen during the flash only");
        assert_eq!(ids(&roster.live), [1]);
        assert!(roster.hold().is_empty());
        assert_eq!(ids(&roster.release()), [1]);
        roster.start(Seconds::ZERO, at(0.0), 2);
        assert!(roster.hold().is_empty());
        assert_eq!(ids(&roster.hold()), [3], "a second cut ends what the first one held");
    }

    #[test]
    fn a_lost_face_is_searched_for_and_then_given_up() {
        let mut roster = roster(&[0.0, 100.0]);
        roster.live[1].last = Seconds::of(0.5);
        let lost = |roster: &Roster, seen: &[Sighting], t: f64| roster.lost(seen, Seconds::of(t)).collect::<Vec<_>>();
        assert_eq!(lost(&roster, &[], 0.4), [0, 1]);
        assert_eq!(lost(&roster, &[sighting(1, 100.0)], 0.4), [0]);
        assert_eq!(lost(&roster, &[], 0.5), [1], "no longer searched for");
        assert!(roster.give_up(Seconds::of(0.55)).is_empty());
        assert_eq!(ids(&roster.give_up(Seconds::of(0.65))), [1]);
        assert_eq!(ids(&roster.into_tracks().collect::<Vec<_>>()), [2]);
    }

    #[test]
    fn the_longer_track_keeps_a_face_that_two_are_on() {
        let mut roster = roster(&[0.0, 2.0, 200.0]);
        (roster.live[0].observations, roster.live[1].observations) = (3, 9);
        let mut seen = vec![sighting(0, 0.0), sighting(1, 2.0), sighting(2, 200.0)];
        roster.drop_doubles(&mut seen);
        assert_eq!(seen.iter().map(|s| s.track).collect::<Vec<_>>(), [1, 2]);
    }

    #[test]
    fn the_detector_confirms_misses_and_finds_new_faces() {
        let mut roster = roster(&[0.0, 100.0]);
        let found = [detection(300.0, 0.9), detection(1.0, 0.8)];
        for round in 1..=3 {
            let mut seen = vec![sighting(0, 0.0), sighting(1, 100.0)];
            assert_eq!(roster.confirm(&mut seen, &found, Some(1.0)), [0], "the face at 300 px is nobody's");
            assert!(seen[0].confirmed && (roster.live[0].score - 0.8).abs() < 1e-6);
            assert_eq!(
                (roster.live[1].unconfirmed, seen.len()),
                (round, if round < 3 { 2 } else { 1 }),
                "round {round}"
            );
        }
        // Neither a search nor a picture in which the face is too small counts against it.
        let mut seen = vec![sighting(0, 0.0)];
        roster.confirm(&mut seen, &[], None);
        roster.confirm(&mut seen, &[], Some(0.5));
        assert_eq!((roster.live[0].unconfirmed, roster.live[0].refused), (0, 0));
        roster.confirm(&mut seen, &[], Some(0.6));
        assert_eq!((roster.live[0].unconfirmed, roster.live[0].refused), (1, 1));
    }

    #[test]
    fn a_lost_face_is_found_again_near_or_where_there_is_no_doubt() {
        let roster = roster(&[0.0, 500.0]);
        let now = Seconds::of(0.2);
        let joined = |found: &[Detection]| {
            let open: Vec<usize> = (0..found.len()).collect();
            roster.rejoin(&[], found, &open, now)
        };
        assert_eq!(joined(&[detection(502.0, 0.5), detection(1.0, 0.5)]), [Some(1), Some(0)]);
        // 45 px is more than half a face away: only a sure one can have moved so fast.
        assert_eq!(joined(&[detection(45.0, 0.9)]), [Some(0)]);
        assert_eq!(joined(&[detection(45.0, 0.7)]), [None]);
        assert_eq!(joined(&[detection(45.0, 0.9), detection(-45.0, 0.9)]), [None, None], "either could be it");
        assert_eq!(joined(&[detection(250.0, 0.99)]), [None]);
        assert_eq!(
            roster.rejoin(&[sighting(0, 0.0)], &[detection(1.0, 0.9)], &[0], now),
            [None],
            "that face is seen already"
        );
    }

    #[test]
    fn a_frame_holds_so_many_faces() {
        let seen = |n: usize| (0..n).map(|i| sighting(i, 0.0)).collect::<Vec<_>>();
        assert!(!is_full(&seen(MOST_FACES - 1)) && is_full(&seen(MOST_FACES)));
    }
}
