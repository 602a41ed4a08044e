//! What one look at a body tells of posture and hands.

use super::PostureConfig;
use crate::body::body_point::{EARS, ELBOWS, HIPS, INDEXES, NOSE, SHOULDERS, WRISTS};
use crate::body::{BodyObservation, BodyPoint, HandObservation, Side};

/// A place in the picture, px.
pub(super) type Place = (f64, f64);

/// Fingertips and knuckles of a hand.
const TOUCHING: [usize; 15] = [3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 16, 17, 18, 20];
/// The base of the middle finger.
const KNUCKLE: usize = 9;

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
    /// The wrist lies at a hand that was given to another body: the arm is most likely that one's.
    pub(super) taken: [bool; 2],
}

/// A hand this near to a body's wrist lies at it, in shoulder widths.
const AT_WRIST: f32 = 0.35;

/// Whether a hand begins at the wrist of a body.
pub(super) fn is_at_wrist(hand: &HandObservation, body: &BodyObservation, side: Side) -> bool {
    let (wrist, [x, y, _]) = (body.points[WRISTS[side as usize]], hand.points[0]);
    (wrist.x - x).hypot(wrist.y - y) <= AT_WRIST * body.shoulder_width()
}

fn apart(a: Place, b: Place) -> f64 {
    (a.0 - b.0).hypot(a.1 - b.1)
}

fn knuckle(hand: &HandObservation) -> Place {
    let [x, y, _] = hand.points[KNUCKLE];
    (f64::from(x), f64::from(y))
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

    /// A wrist by the hand that continues it, else by the body's own landmark where that is seen for sure.
    pub(super) fn wrist(&self, side: Side, config: &PostureConfig) -> Option<Place> {
        let hand = self.hands[side as usize].map(|h| (f64::from(h.points[0][0]), f64::from(h.points[0][1])));
        hand.or_else(|| self.is_wrist_seen(side, config).then(|| self.place(WRISTS[side as usize])))
    }

    /// The body's own wrist is seen, in what the body's camera shows, and nobody else's hand is there.
    fn is_wrist_seen(&self, side: Side, config: &PostureConfig) -> bool {
        let p = self.point(WRISTS[side as usize]);
        let seen = f64::from(p.visibility) >= config.wrist_alone && self.body.shows(p.x, p.y);
        seen && !self.taken[side as usize]
    }

    /// Where a hand is in this look and in a later one, told in the same way in both: by the base of the middle finger
    /// of the hand, else by the body's own knuckle.
    pub(super) fn moved_hand(&self, later: &Look<'_>, side: Side, config: &PostureConfig) -> Option<(Place, Place)> {
        let knuckle = |l: &Look<'_>| l.hands[side as usize].map(knuckle);
        if let (Some(was), Some(is)) = (knuckle(self), knuckle(later)) {
            return Some((was, is));
        }
        let k = INDEXES[side as usize];
        let seen = self.is_wrist_seen(side, config) && later.is_wrist_seen(side, config);
        seen.then(|| (self.place(k), later.place(k)))
    }

    /// Where a hand is against the trunk, in shoulder widths.
    pub(super) fn hand_place(&self, side: Side, config: &PostureConfig) -> Option<Place> {
        let (width, (x, y)) = (self.width(config)?, self.trunk());
        let own = self.is_wrist_seen(side, config).then(|| self.place(INDEXES[side as usize]));
        let place = self.hands[side as usize].map(knuckle).or(own)?;
        Some(((place.0 - x) / width, (place.1 - y) / width))
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
        let near = match self.hands.map(|h| h.map(knuckle)) {
            [Some(a), Some(b)] => apart(a, b) <= reach,
            _ => false,
        };
        Some(near || apart(left, right) <= reach)
    }

    /// The face's box: left, top, right, bottom; `None` where the face is not seen.
    fn face_box(&self, config: &PostureConfig) -> Option<[f64; 4]> {
        let seen = self.body.head.is_some() || self.sees(NOSE, config);
        seen.then(|| self.body.face().map(f64::from))
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
            let hits: Vec<(f64, f64)> = match self.hands[side as usize] {
                Some(hand) => TOUCHING
                    .iter()
                    .filter_map(|&k| inside((f64::from(hand.points[k][0]), f64::from(hand.points[k][1]))))
                    .collect(),
                // A hand before the face is at times not found as one: the body's own knuckle.
                None => {
                    let seen = self.is_wrist_seen(side, config).then(|| self.place(INDEXES[side as usize]));
                    return seen.and_then(inside).into_iter().collect();
                }
            };
            // A fingertip alone is as near as the landmarks err.
            if hits.len() >= config.face_points { hits } else { Vec::new() }
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

/// Of the face's box, how far hair reaches above it and to its sides, and the neck below it.
const HAIR: (f64, f64) = (0.6, 0.25);
const NECK: (f64, f64) = (0.05, 0.5);

impl Look<'_> {
    /// Fingertips and knuckles of both hands, in shares of the face's box, by hand; `None` where the face is not seen.
    fn about_face(&self, config: &PostureConfig) -> Option<Vec<Vec<Place>>> {
        let [left, top, right, bottom] = self.face_box(config)?;
        let (w, h) = (right - left, bottom - top);
        let share = |p: [f32; 3]| ((f64::from(p[0]) - left) / w, (f64::from(p[1]) - top) / h);
        let of = |hand: &&HandObservation| TOUCHING.iter().map(|&k| share(hand.points[k])).collect();
        (w > 0.0 && h > 0.0).then(|| self.hands.iter().flatten().map(of).collect())
    }

    fn is_about(&self, config: &PostureConfig, inside: impl Fn(Place) -> bool) -> Option<bool> {
        let hands = self.about_face(config)?;
        let at = |hand: &Vec<Place>| hand.iter().filter(|p| inside(**p)).count() >= config.face_points;
        Some(self.hand_at_face(config)?.is_none() && hands.iter().any(at))
    }

    /// A hand is at the hair, and none at the face.
    pub(super) fn hand_at_hair(&self, config: &PostureConfig) -> Option<bool> {
        let (up, aside) = HAIR;
        let beside = |x: f64| (-aside..0.0).contains(&x) || (1.0..=1.0 + aside).contains(&x);
        self.is_about(config, |(x, y)| {
            (y < 0.0 && y >= -up && (-aside..=1.0 + aside).contains(&x)) || (beside(x) && (0.0..0.6).contains(&y))
        })
    }

    /// A hand is at the neck, and none at the face.
    pub(super) fn hand_at_neck(&self, config: &PostureConfig) -> Option<bool> {
        let (from, to) = NECK;
        self.is_about(config, |(x, y)| (0.1..=0.9).contains(&x) && (1.0 + from..=1.0 + to).contains(&y))
    }

    /// A hand is at the other arm, and the hands are not together; `None` where no hand and other arm are seen.
    pub(super) fn hand_at_arm(&self, config: &PostureConfig) -> Option<bool> {
        let reach = config.arm_reach * self.width(config)?;
        let arm = |hand: usize| {
            let other = 1 - hand;
            let (at, elbow) = (knuckle(self.hands[hand]?), ELBOWS[other]);
            self.sees(elbow, config).then_some(())?;
            let upper = to_line(at, self.place(SHOULDERS[other]), self.place(elbow));
            let lower = self.wrist(Side::BOTH[other], config).map(|w| to_line(at, self.place(elbow), w));
            Some(upper.min(lower.unwrap_or(upper)) <= reach)
        };
        let arms = [arm(0), arm(1)];
        arms.iter()
            .any(Option::is_some)
            .then(|| self.hands_together(config) != Some(true) && arms.contains(&Some(true)))
    }

    /// A hand lies on the other's face, or between the other's shoulders and a shoulder width below; `None` where no
    /// hand of this one is found, or the other's shoulders are not seen.
    pub(super) fn touches(&self, other: &Look<'_>, config: &PostureConfig) -> Option<bool> {
        let width = other.width(config)?;
        let (x, y) = other.trunk();
        let face = other.face_box(config);
        let on = |p: Place| {
            let trunk = (p.0 - x).abs() <= 0.5 * width && p.1 >= y && p.1 <= y + width;
            trunk || face.is_some_and(|[l, t, r, b]| p.0 >= l && p.0 <= r && p.1 >= t && p.1 <= b)
        };
        let hands: Vec<Place> = self.hands.iter().flatten().map(|h| knuckle(h)).collect();
        (!hands.is_empty()).then(|| hands.into_iter().any(on))
    }
}

/// Distance of a place from the line between two others.
fn to_line(p: Place, a: Place, b: Place) -> f64 {
    let (dx, dy) = (b.0 - a.0, b.1 - a.1);
    let along = ((p.0 - a.0) * dx + (p.1 - a.1) * dy) / (dx * dx + dy * dy).max(1e-9);
    let t = along.clamp(0.0, 1.0);
    apart(p, (a.0 + t * dx, a.1 + t * dy))
}
