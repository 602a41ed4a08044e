//! The schedule: which frames are looked at, when the full detector sees the whole picture, and how large it sees it.

use super::detect::{self, Settings};
use super::{BoundingBox, FaceConfig, track};
use crate::time::Seconds;

/// Looks at the whole picture are at full size at least this often, in intervals of the recipe.
const FULL_SIZE_EVERY: f64 = 4.0;
/// When this share of the picture has changed, somebody may have come in: the detector looks after this part of its
/// interval.
const CHANGED_SHARE: f32 = 0.04;
const CHANGED_PART: f64 = 0.4;
/// An unknown face of the short-range detector calls the full one, but not more often than this.
const BETWEEN_CALLS_SECS: f64 = 0.15;
/// The detector searches around a lost face, but for at most so many faces at once before the whole picture is cheaper.
const MOST_SEARCHES: usize = 4;

/// What the followed faces and the short-range detector tell of a frame.
pub(super) struct Situation<'a> {
    /// Followed faces that were found again.
    pub followed: &'a [BoundingBox],
    /// All that the short-range detector sees.
    pub near: &'a [BoundingBox],
    /// Number of faces to be searched for.
    pub lost: usize,
}

/// When the full detector looks, and at what size.
#[derive(Debug)]
pub(super) struct Schedule {
    rate_hz: f64,
    detect_every_secs: f64,
    /// At full size.
    full: Settings,
    confirm_side_px: u32,
    search_score: f32,
    /// The sampling interval of the last frame.
    last_slot: Option<i64>,
    last_detection: Option<Seconds>,
    /// When the detector last saw the picture at full size.
    last_full: Option<Seconds>,
}

impl Schedule {
    /// Before the first frame.
    pub fn new(config: &FaceConfig) -> Self {
        let full = Settings {
            side_px: config.detect_side_px,
            enlarge: detect::ENLARGE,
            score: config.detect_score,
            iou: config.nms_iou,
            min_size_px: config.min_size_px,
        };
        Schedule {
            rate_hz: config.rate_hz,
            detect_every_secs: config.detect_every_secs,
            full,
            confirm_side_px: config.confirm_side_px,
            search_score: config.search_score,
            last_slot: None,
            last_detection: None,
            last_full: None,
        }
    }

    /// Whether a frame of this time is due: the first one in each interval of 1 / `rate_hz`.
    pub fn wants(&self, pts: Seconds) -> bool {
        self.rate_hz <= 0.0 || self.last_slot.is_none_or(|last| self.slot(pts) > last)
    }

    /// A frame of this time is looked at.
    pub fn sample(&mut self, pts: Seconds) {
        self.last_slot = Some(self.slot(pts));
    }

    fn slot(&self, pts: Seconds) -> i64 {
        // A frame a hair before the interval belongs to it.
        (pts.get() * self.rate_hz + 1e-6).floor() as i64
    }

    /// Whether the detector should see the whole picture now whatever there is to be seen.
    pub fn interval_is_over(&self, now: Seconds) -> bool {
        self.last_detection.is_none_or(|last| (now - last).get() + 1e-6 >= self.detect_every_secs)
    }

    /// Whether the detector should see the whole picture now; `changed` tells what share of the picture, but for where
    /// followed people move, is no longer what it was at its last look.
    pub fn detection_is_due(&self, now: Seconds, situation: &Situation<'_>, changed: impl FnOnce() -> f32) -> bool {
        let Some(last) = self.last_detection.filter(|_| !self.interval_is_over(now)) else { return true };
        let since = (now - last).get();
        if since + 1e-6 >= CHANGED_PART * self.detect_every_secs && changed() > CHANGED_SHARE {
            return true;
        }
        if situation.lost > MOST_SEARCHES {
            return true;
        }
        let known = |near: BoundingBox| {
            situation.followed.iter().any(|&f| track::likeness(f, near) > 0.0 || track::same_face(f, near))
        };
        since >= BETWEEN_CALLS_SECS && situation.near.iter().any(|&n| !known(n))
    }

    /// Settings of a look at the whole picture that is done now.
    pub fn whole_picture(&mut self, cut: bool, now: Seconds) -> Settings {
        self.last_detection = Some(now);
        let stale = |last: Seconds| (now - last).get() + 1e-6 >= FULL_SIZE_EVERY * self.detect_every_secs;
        if cut || self.last_full.is_none_or(stale) {
            self.last_full = Some(now);
            return self.full;
        }
        Settings { side_px: self.confirm_side_px.min(self.full.side_px), enlarge: 1.0, ..self.full }
    }

    /// Settings of a search around a lost face.
    pub fn search(&self) -> Settings {
        Settings { score: self.search_score, ..self.full }
    }
}

/// Where followed people move their heads, shoulders and hands: no reason to look for new ones. Left, top, right,
/// bottom in shares of the picture, whose size is `(width, height)` in px.
pub(super) fn occupied(followed: &[BoundingBox], (width, height): (u32, u32)) -> Vec<[f32; 4]> {
    let (w, h) = (width.max(1) as f32, height.max(1) as f32);
    let around = |b: &BoundingBox| {
        let (aside, down) = (1.25 * b.width, 4.0 * b.height);
        [(b.left - aside) / w, (b.top - 0.5 * b.height) / h, (b.right() + aside) / w, (b.bottom() + down) / h]
    };
    followed.iter().map(around).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOTHING: Situation<'_> = Situation { followed: &[], near: &[], lost: 0 };

    fn at(left: f32) -> BoundingBox {
        BoundingBox::from_corners(left, 0.0, left + 10.0, 10.0)
    }

    /// A schedule whose detector looked at 1 s.
    fn looked() -> Schedule {
        let mut schedule = Schedule::new(&FaceConfig::default());
        schedule.whole_picture(false, Seconds::of(1.0));
        schedule
    }

    #[test]
    fn the_first_frame_of_each_interval_is_wanted() {
        let mut schedule = Schedule::new(&FaceConfig { rate_hz: 10.0, ..FaceConfig::default() });
        let mut wanted = Vec::new();
        for t in [0.0, 0.04, 0.08, 0.12, 0.16, 0.199_999_99, 0.24] {
            if schedule.wants(Seconds::of(t)) {
                schedule.sample(Seconds::of(t));
                wanted.push(t);
            }
        }
        assert_eq!(wanted, [0.0, 0.12, 0.199_999_99], "a frame a hair before the interval belongs to it");
        let mut every = Schedule::new(&FaceConfig { rate_hz: 0.0, ..FaceConfig::default() });
        every.sample(Seconds::of(1.0));
        assert!(every.wants(Seconds::of(1.0)));
    }

    #[test]
    fn the_detector_looks_first_and_then_once_an_interval() {
        let due = |s: &Schedule, t: f64| s.detection_is_due(Seconds::of(t), &NOTHING, || 0.0);
        assert!(due(&Schedule::new(&FaceConfig::default()), 0.0));
        assert!(!due(&looked(), 1.4) && due(&looked(), 1.5));
        let over = |s: &Schedule, t: f64| s.interval_is_over(Seconds::of(t));
        assert!(over(&Schedule::new(&FaceConfig::default()), 0.0));
        assert!(!over(&looked(), 1.4) && over(&looked(), 1.5));
    }

    #[test]
    fn a_changed_picture_calls_it_after_a_part_of_the_interval() {
        let due = |t: f64, share: f32| looked().detection_is_due(Seconds::of(t), &NOTHING, || share);
        assert!(!due(1.1, 1.0) && due(1.2, 0.05) && !due(1.2, 0.04));
    }

    #[test]
    fn many_lost_faces_and_unknown_ones_call_it() {
        let due = |t: f64, situation: &Situation<'_>| looked().detection_is_due(Seconds::of(t), situation, || 0.0);
        assert!(!due(1.1, &Situation { lost: 4, ..NOTHING }) && due(1.1, &Situation { lost: 5, ..NOTHING }));
        let (one, two) = ([at(0.0)], [at(1.0), at(50.0)]);
        assert!(!due(1.2, &Situation { followed: &one, near: &two[..1], lost: 0 }), "the same face");
        assert!(due(1.2, &Situation { followed: &one, near: &two, lost: 0 }));
        assert!(!due(1.1, &Situation { followed: &one, near: &two, lost: 0 }), "not so soon again");
    }

    #[test]
    fn looks_between_are_smaller_until_four_intervals_have_passed_or_a_cut_comes() {
        let config = FaceConfig::default();
        let mut schedule = Schedule::new(&config);
        let mut side = |cut: bool, t: f64| schedule.whole_picture(cut, Seconds::of(t)).side_px;
        let (full, small) = (config.detect_side_px, config.confirm_side_px);
        assert_eq!(
            [side(false, 0.0), side(false, 0.5), side(true, 1.0), side(false, 2.5), side(false, 3.0)],
            [full, small, full, small, full]
        );
        let settings = schedule.whole_picture(false, Seconds::of(3.1));
        assert!((settings.enlarge - 1.0).abs() < 1e-6 && (settings.score - config.detect_score).abs() < 1e-6);
        let search = schedule.search();
        assert_eq!((search.side_px, search.enlarge), (full, detect::ENLARGE));
        assert!((search.score - config.search_score).abs() < 1e-6);
    }

    #[test]
    fn a_confirming_look_is_never_larger_than_a_full_one() {
        let mut schedule =
            Schedule::new(&FaceConfig { detect_side_px: 320, confirm_side_px: 640, ..FaceConfig::default() });
        schedule.whole_picture(true, Seconds::ZERO);
        assert_eq!(schedule.whole_picture(false, Seconds::of(0.1)).side_px, 320);
    }

    #[test]
    fn people_occupy_their_heads_shoulders_and_hands() {
        let boxes = occupied(&[BoundingBox::from_corners(40.0, 20.0, 60.0, 40.0)], (100, 200));
        assert_eq!(boxes, [[0.15, 0.05, 0.85, 0.6]]);
    }
}
