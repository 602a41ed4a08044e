//! What one look at a body tells of posture and hands.

use super::PostureConfig;
use crate::body::body_point::{EARS, ELBOWS, FACE, HIPS, INDEXES, NOSE, SHOULDERS, WRISTS};
use crate::body::{BodyObservation, BodyPoint, HandObservation, Side};

/// A place in the picture, px.
pub(super) type Place = (f64, f64);

/// Fingertips and knuckles of a hand.
const TOUCHING: [usize; 15] = [3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 16, 17, 18, 20];
/// The base of the middle finger.
const KNUCKLE: usize = 9;
/// Face points of a body span about this share of the face's box in each direction.
const FACE_SPAN: f64 = 0.75;

/// Part of the face or next to it that a hand is at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum FaceRegion {
    Forehead,
    Cheek,
    Mouth,
    Chin,
}

impl FaceRegion {
    pub(super) fn name(self) -> &'static str {
        match self {
            FaceRegion::Forehead => "forehead",
            FaceRegion::Cheek => "cheek",
            FaceRegion::Mouth => "mouth",
            FaceRegion::Chin => "chin",
        }
    }

    /// By the place in the face's box, 0 at its upper left and 1 at its lower right corner.
    fn at(x: f64, y: f64) -> Self {
        match (x, y) {
            (_, y) if y < 0.3 => FaceRegion::Forehead,
            (_, y) if y > 0.85 => FaceRegion::Chin,
            (x, y) if y > 0.6 && (0.25..=0.75).contains(&x) => FaceRegion::Mouth,
            _ => FaceRegion::Cheek,
        }
    }
}

/// One body at one instant, with its hands.
#[derive(Clone, Debug)]
pub(super) struct Look<'a> {
    pub(super) body: &'a BodyObservation,
    /// In the order of [`Side::BOTH`].
    pub(super) hands: [Option<&'a HandObservation>; 2],
}

fn apart(a: Place, b: Place) -> f64 {
    (a.0 - b.0).hypot(a.1 - b.1)
}

fn middle(a: Place, b: Place) -> Place {
    (0.5 * (a.0 + b.0), 0.5 * (a.1 + b.1))
}

impl Look<'_> {
    pub(super) fn at(&self) -> f64 {
        self.body.pts.get()
    }

    fn point(&self, k: usize) -> BodyPoint {
        self.body.points[k]
    }

    fn place(&self, k: usize) -> Place {
        let p = self.point(k);
        (f64::from(p.x), f64::from(p.y))
    }

    fn sees(&self, k: usize, config: &PostureConfig) -> bool {
        f64::from(self.point(k).visibility) >= config.visibility
    }

    /// Both of a pair, where both are seen.
    fn pair(&self, [a, b]: [usize; 2], config: &PostureConfig) -> Option<(Place, Place)> {
        (self.sees(a, config) && self.sees(b, config)).then(|| (self.place(a), self.place(b)))
    }

    /// Shoulder width, px; `None` where the look does not count.
    pub(super) fn width(&self, config: &PostureConfig) -> Option<f64> {
        let (a, b) = self.pair(SHOULDERS, config)?;
        Some(apart(a, b)).filter(|w| *w >= config.min_shoulder_px)
    }

    /// Middle of the shoulders.
    pub(super) fn trunk(&self) -> Place {
        middle(self.place(SHOULDERS[0]), self.place(SHOULDERS[1]))
    }

    pub(super) fn nose(&self, config: &PostureConfig) -> Option<Place> {
        self.sees(NOSE, config).then(|| self.place(NOSE))
    }

    /// Angle of the shoulder line, positive = clockwise as the viewer sees it, degrees.
    pub(super) fn shoulder_tilt_deg(&self, config: &PostureConfig) -> Option<f64> {
        let (a, b) = self.pair(SHOULDERS, config)?;
        let (left, right) = if a.0 < b.0 { (a, b) } else { (b, a) };
        Some((right.1 - left.1).atan2(right.0 - left.0).to_degrees())
    }

    /// Turn of the shoulders by the model's depths, positive = towards the image's right, degrees.
    pub(super) fn shoulder_turn_deg(&self, config: &PostureConfig) -> Option<f64> {
        self.pair(SHOULDERS, config)?;
        let [left, right] = SHOULDERS.map(|k| self.point(k));
        Some(f64::from(left.z - right.z).atan2(f64::from(left.x - right.x)).to_degrees())
    }

    fn hips(&self, config: &PostureConfig) -> Option<(Place, f64)> {
        let (a, b) = self.pair(HIPS, config)?;
        let [left, right] = HIPS.map(|k| f64::from(self.point(k).z));
        Some((middle(a, b), 0.5 * (left + right)))
    }

    /// Lean of the trunk to the image's right, from the vertical through the hips, degrees.
    pub(super) fn lean_side_deg(&self, config: &PostureConfig) -> Option<f64> {
        let ((hx, hy), _) = self.hips(config)?;
        let (x, y) = self.trunk();
        Some((x - hx).atan2(hy - y).to_degrees())
    }

    /// Lean of the trunk towards the camera by the model's depths, degrees.
    pub(super) fn lean_forward_deg(&self, config: &PostureConfig) -> Option<f64> {
        let ((_, hy), hz) = self.hips(config)?;
        let [left, right] = SHOULDERS.map(|k| f64::from(self.point(k).z));
        Some((hz - 0.5 * (left + right)).atan2(hy - self.trunk().1).to_degrees())
    }

    /// Size of the face (geometric mean of its box) over the shoulder width.
    pub(super) fn head_size(&self, config: &PostureConfig) -> Option<f64> {
        Some(f64::from(self.body.head?.size()) / self.width(config)?)
    }

    /// Height of the ears over the shoulders, in shoulder widths.
    pub(super) fn neck(&self, config: &PostureConfig) -> Option<f64> {
        let (a, b) = self.pair(EARS, config)?;
        Some((self.trunk().1 - middle(a, b).1) / self.width(config)?)
    }

    /// A wrist by the hand that continues it, else by the body's own landmark where that is seen.
    pub(super) fn wrist(&self, side: Side, config: &PostureConfig) -> Option<Place> {
        let hand = self.hands[side as usize].map(|h| (f64::from(h.points[0][0]), f64::from(h.points[0][1])));
        let k = WRISTS[side as usize];
        hand.or_else(|| self.sees(k, config).then(|| self.place(k)))
    }

    /// Hands that are seen, 0 to 2.
    pub(super) fn hands_seen(&self, config: &PostureConfig) -> usize {
        Side::BOTH.into_iter().filter(|s| self.wrist(*s, config).is_some()).count()
    }

    /// `None` where wrists or elbows are not seen.
    pub(super) fn arms_crossed(&self, config: &PostureConfig) -> Option<bool> {
        let width = self.width(config)?;
        let (left, right) = (self.wrist(Side::Left, config)?, self.wrist(Side::Right, config)?);
        let (left_elbow, right_elbow) = self.pair(ELBOWS, config)?;
        let (x, y) = self.trunk();
        // From the person's right to the left, as the picture shows it.
        let facing = (self.place(SHOULDERS[0]).0 - self.place(SHOULDERS[1]).0).signum();
        let over = facing * (left.0 - x) < 0.0 && facing * (right.0 - x) > 0.0;
        let low = left.1 > y && right.1 > y;
        let reach = config.crossed_reach * width;
        Some(over && low && apart(left, right_elbow) <= reach && apart(right, left_elbow) <= reach)
    }

    /// `None` where one of them is not seen.
    pub(super) fn hands_together(&self, config: &PostureConfig) -> Option<bool> {
        let reach = config.together_reach * self.width(config)?;
        let wrists = Side::BOTH.map(|s| self.wrist(s, config));
        let [Some(left), Some(right)] = wrists else { return None };
        let knuckle =
            |h: Option<&HandObservation>| h.map(|h| (f64::from(h.points[KNUCKLE][0]), f64::from(h.points[KNUCKLE][1])));
        let near = match self.hands.map(knuckle) {
            [Some(a), Some(b)] => apart(a, b) <= reach,
            _ => false,
        };
        Some(near || apart(left, right) <= reach)
    }

    /// The face's box: left, top, right, bottom.
    fn face_box(&self, config: &PostureConfig) -> Option<[f64; 4]> {
        if let Some(head) = self.body.head {
            return Some(head.bounds.map(f64::from));
        }
        self.sees(NOSE, config).then_some(())?;
        let places = || FACE.map(|k| self.place(k));
        let low = places().fold((f64::INFINITY, f64::INFINITY), |s, p| (s.0.min(p.0), s.1.min(p.1)));
        let high = places().fold((f64::NEG_INFINITY, f64::NEG_INFINITY), |s, p| (s.0.max(p.0), s.1.max(p.1)));
        let (x, y) = middle(low, high);
        let half = 0.5 * (high.0 - low.0).max(high.1 - low.1) / FACE_SPAN;
        Some([x - half, y - half, x + half, y + half])
    }

    /// Where a hand is at the face; `Some(None)` where none is, `None` where the face is not seen.
    pub(super) fn hand_at_face(&self, config: &PostureConfig) -> Option<Option<FaceRegion>> {
        let [left, top, right, bottom] = self.face_box(config)?;
        let (w, h) = (right - left, bottom - top);
        if w <= 0.0 || h <= 0.0 {
            return None;
        }
        let margin = 0.5 * (config.face_enlarge - 1.0);
        let inside = |p: Place| {
            let (x, y) = ((p.0 - left) / w, (p.1 - top) / h);
            let within = |v: f64| v >= -margin && v <= 1.0 + margin;
            (within(x) && within(y)).then_some((x, y))
        };
        let of_side = |side: Side| -> Vec<(f64, f64)> {
            match self.hands[side as usize] {
                Some(hand) => TOUCHING
                    .iter()
                    .filter_map(|&k| inside((f64::from(hand.points[k][0]), f64::from(hand.points[k][1]))))
                    .collect(),
                // A hand before the face is often not found as one: the body's own knuckle.
                None => {
                    let k = INDEXES[side as usize];
                    let seen = self.sees(k, config).then(|| self.place(k));
                    seen.and_then(inside).into_iter().collect()
                }
            }
        };
        let hits: Vec<(f64, f64)> = Side::BOTH.into_iter().flat_map(of_side).collect();
        if hits.is_empty() {
            return Some(None);
        }
        let n = hits.len() as f64;
        let (x, y) = hits.iter().fold((0.0, 0.0), |s, p| (s.0 + p.0 / n, s.1 + p.1 / n));
        Some(Some(FaceRegion::at(x, y)))
    }
}
