//! What was seen: bodies and hands in frames, and whose they are.

use std::collections::BTreeMap;

use crate::error::Result;
use crate::packed::Packed;
use crate::time::Seconds;

/// Landmarks of a body.
pub const BODY_POINTS: usize = 33;

/// Face points of a body span about this share of the face's box in each direction.
const FACE_SPAN: f32 = 0.75;

/// Landmarks of a hand.
pub const HAND_POINTS: usize = 21;

/// Places of landmarks in a body, by name; left and right are the person's own.
pub mod body_point {
    /// Tip of the nose.
    pub const NOSE: usize = 0;
    /// Of the left and right ear.
    pub const EARS: [usize; 2] = [7, 8];
    /// Corners of the mouth.
    pub const MOUTH: [usize; 2] = [9, 10];
    /// Left and right.
    pub const SHOULDERS: [usize; 2] = [11, 12];
    /// Left and right.
    pub const ELBOWS: [usize; 2] = [13, 14];
    /// Left and right.
    pub const WRISTS: [usize; 2] = [15, 16];
    /// Knuckles of the left and right little finger.
    pub const PINKIES: [usize; 2] = [17, 18];
    /// Knuckles of the left and right index finger.
    pub const INDEXES: [usize; 2] = [19, 20];
    /// Left and right.
    pub const HIPS: [usize; 2] = [23, 24];
    /// Nose, eyes, ears and mouth.
    pub const FACE: std::ops::Range<usize> = 0..11;
}

/// A side of the person.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub enum Side {
    /// The person's left.
    Left,
    /// The person's right.
    Right,
}

impl Side {
    /// Both, in the order of [`body_point`]'s pairs.
    pub const BOTH: [Side; 2] = [Side::Left, Side::Right];

    /// The value in the tables.
    pub fn name(self) -> &'static str {
        match self {
            Side::Left => "left",
            Side::Right => "right",
        }
    }
}

/// A followed face in the frame at hand.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Head {
    /// Track of the face.
    pub track: u32,
    /// Left, top, right, bottom of the face's box, px.
    #[serde(with = "crate::packed")]
    pub bounds: [f32; 4],
}

impl Head {
    /// Centre of the box.
    pub fn centre(&self) -> (f32, f32) {
        let [l, t, r, b] = self.bounds;
        (0.5 * (l + r), 0.5 * (t + b))
    }

    /// Geometric mean of the box's sides, px.
    pub fn size(&self) -> f32 {
        let [l, t, r, b] = self.bounds;
        ((r - l).max(0.0) * (b - t).max(0.0)).sqrt()
    }
}

/// A landmark of a body.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BodyPoint {
    /// px of the picture; may lie outside.
    pub x: f32,
    /// px of the picture; may lie outside.
    pub y: f32,
    /// In the scale of x, smaller = nearer than the hips.
    pub z: f32,
    /// 0 to 1: seen, neither hidden nor outside of the picture.
    pub visibility: f32,
}

impl BodyPoint {
    /// Distance in the picture, px.
    pub fn apart(self, other: BodyPoint) -> f32 {
        (self.x - other.x).hypot(self.y - other.y)
    }
}

impl Packed for [BodyPoint; BODY_POINTS] {
    fn pack(&self, into: &mut Vec<u8>) {
        self.iter().for_each(|p| [p.x, p.y, p.z, p.visibility].pack(into));
    }

    fn unpack(from: &mut &[u8]) -> Option<Self> {
        let mut all = [BodyPoint::default(); BODY_POINTS];
        for p in &mut all {
            let [x, y, z, visibility] = <[f32; 4]>::unpack(from)?;
            *p = BodyPoint { x, y, z, visibility };
        }
        Some(all)
    }
}

/// One body seen in one video frame.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct BodyObservation {
    /// Time of the frame.
    pub pts: Seconds,
    /// The body followed, from 1 by first appearance.
    pub body: u32,
    /// Person, by its face now or else by the one it had before or has next; see [`Bodies::name`].
    pub person: Option<String>,
    /// Face seen with it now.
    pub head: Option<Head>,
    /// The model's certainty that there is a body, 0 to 1.
    pub presence: f32,
    /// Region that was looked at: centre x, y, side in px, turn in radians.
    #[serde(with = "crate::packed")]
    pub region: [f32; 4],
    /// Share of the points that lie inside the picture, 0 to 1.
    pub in_frame: f32,
    /// Left, top, right, bottom of what its camera shows, px: the picture, or the tile of a divided one.
    #[serde(with = "crate::packed")]
    pub bounds: [f32; 4],
    /// In MediaPipe's order.
    #[serde(with = "crate::packed")]
    pub points: [BodyPoint; BODY_POINTS],
}

impl BodyObservation {
    /// Distance of the shoulders in the picture, px.
    pub fn shoulder_width(&self) -> f32 {
        let [a, b] = body_point::SHOULDERS.map(|k| self.points[k]);
        a.apart(b)
    }

    /// The face's box: that of the face seen with it, else one about the landmarks of the face.
    pub fn face(&self) -> [f32; 4] {
        if let Some(head) = self.head {
            return head.bounds;
        }
        let mut b = [f32::INFINITY, f32::INFINITY, f32::NEG_INFINITY, f32::NEG_INFINITY];
        for p in &self.points[body_point::FACE] {
            b = [b[0].min(p.x), b[1].min(p.y), b[2].max(p.x), b[3].max(p.y)];
        }
        let (x, y) = (0.5 * (b[0] + b[2]), 0.5 * (b[1] + b[3]));
        let half = 0.5 * (b[2] - b[0]).max(b[3] - b[1]) / FACE_SPAN;
        [x - half, y - half, x + half, y + half]
    }

    /// Whether a place is inside of what the body's camera shows.
    pub fn shows(&self, x: f32, y: f32) -> bool {
        let [left, top, right, bottom] = self.bounds;
        x >= left && y >= top && x < right && y < bottom
    }
}

/// One hand seen in one video frame.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct HandObservation {
    /// Time of the frame.
    pub pts: Seconds,
    /// The body whose wrist it continues.
    pub body: u32,
    /// See [`BodyObservation::person`].
    pub person: Option<String>,
    /// Side of the wrist it continues.
    pub side: Side,
    /// The model's certainty that there is a hand, 0 to 1.
    pub presence: f32,
    /// The model's probability, from the hand alone, that it is of this side.
    pub side_score: f32,
    /// x, y in px of the picture, z in the same scale, in MediaPipe's order.
    #[serde(with = "crate::packed")]
    pub points: [[f32; 3]; HAND_POINTS],
}

/// All bodies and hands of one video.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Bodies {
    /// Sorted by time, then body.
    pub observations: Vec<BodyObservation>,
    /// Sorted by time, then body, then side.
    pub hands: Vec<HandObservation>,
    /// Times of all frames looked at, with or without a body.
    pub sampled: Vec<Seconds>,
}

/// The base of the middle finger.
const PALM: usize = 9;

impl Bodies {
    /// Gives the faces of bodies the tracks they have in the end, by the faces that `seen` tells of a time; a face that
    /// turned out to be none is let go of. While they are followed, tracks are numbered otherwise.
    ///
    /// # Errors
    /// Those of `seen`.
    pub fn settle(&mut self, seen: impl Fn(Seconds) -> Result<Vec<Head>>) -> Result<()> {
        for frame in self.observations.chunk_by_mut(|a, b| a.pts == b.pts) {
            if frame.iter().all(|o| o.head.is_none()) {
                continue;
            }
            let there = seen(frame[0].pts)?;
            for o in frame {
                o.head = o
                    .head
                    .and_then(|head| there.iter().find(|own| Head { track: head.track, ..**own } == head).copied());
            }
        }
        Ok(())
    }

    /// Bounds bodies by the tiles of divided pictures, `tile` of a time and the box of a face, and lets go of hands
    /// beyond them: what a body's landmarks reach over into is another camera's picture, and its hands are another's.
    pub fn keep_within(&mut self, tile: impl Fn(Seconds, [f32; 4]) -> Option<[f32; 4]>) {
        let mut bounds: BTreeMap<(u64, u32), usize> = BTreeMap::new();
        for (place, o) in self.observations.iter_mut().enumerate() {
            if let Some(tile) = tile(o.pts, o.face()) {
                o.bounds = tile;
            }
            bounds.insert((o.pts.get().to_bits(), o.body), place);
        }
        let own = |h: &HandObservation| bounds.get(&(h.pts.get().to_bits(), h.body)).map(|k| &self.observations[*k]);
        self.hands.retain(|h| own(h).is_none_or(|o| o.shows(h.points[PALM][0], h.points[PALM][1])));
    }

    /// Gives bodies and hands the persons of their faces: that of the face seen now, where none is seen of the last one
    /// the body had, else of the next. A body whose face is nobody's is nobody's. Where that would put a person into a
    /// frame twice, the body with the face is the person.
    pub fn name<'p>(&mut self, person_of: impl Fn(u32) -> Option<&'p str>) {
        let of_head = |o: &BodyObservation| o.head.and_then(|h| person_of(h.track)).map(ToOwned::to_owned);
        let mut known: BTreeMap<u32, String> = BTreeMap::new();
        for o in &mut self.observations {
            o.person = of_head(o);
            match &o.person {
                Some(person) => drop(known.insert(o.body, person.clone())),
                None if o.head.is_none() => o.person = known.get(&o.body).cloned(),
                None => {}
            }
        }
        known.clear();
        for o in self.observations.iter_mut().rev() {
            match &o.person {
                Some(person) => drop(known.insert(o.body, person.clone())),
                None if o.head.is_none() => o.person = known.get(&o.body).cloned(),
                None => {}
            }
        }
        for frame in self.observations.chunk_by_mut(|a, b| a.pts == b.pts) {
            frame.sort_by_key(|o| of_head(o).is_none());
            let mut taken: Vec<String> = Vec::new();
            for o in frame.iter_mut() {
                match &o.person {
                    Some(person) if taken.contains(person) => o.person = None,
                    Some(person) => taken.push(person.clone()),
                    None => {}
                }
            }
            frame.sort_by_key(|o| o.body);
        }
        let mut owners = self.observations.iter().peekable();
        let mut now: Vec<&BodyObservation> = Vec::new();
        for hand in &mut self.hands {
            now.retain(|o| o.pts == hand.pts);
            while let Some(o) = owners.next_if(|o| o.pts <= hand.pts) {
                if o.pts == hand.pts {
                    now.push(o);
                }
            }
            hand.person = now.iter().find(|o| o.body == hand.body).and_then(|o| o.person.clone());
        }
    }
}

#[cfg(test)]
pub(super) fn bare(pts: f64, body: u32, head: Option<u32>) -> BodyObservation {
    BodyObservation {
        pts: Seconds::of(pts),
        body,
        person: None,
        head: head.map(|track| Head { track, bounds: [0.0, 0.0, 10.0, 10.0] }),
        presence: 1.0,
        region: [0.0; 4],
        in_frame: 1.0,
        bounds: [f32::NEG_INFINITY, f32::NEG_INFINITY, f32::INFINITY, f32::INFINITY],
        points: [BodyPoint::default(); BODY_POINTS],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faces_get_the_tracks_they_have_in_the_end_or_are_let_go_of() {
        let mut observations = vec![bare(1.0, 1, Some(7)), bare(1.0, 2, Some(8)), bare(2.0, 1, None)];
        observations[1].head = Some(Head { track: 8, bounds: [50.0, 0.0, 60.0, 10.0] });
        let settled = observations[0].head.map(|head| Head { track: 1, ..head });
        let mut bodies = Bodies { observations, ..Bodies::default() };
        let seen = |pts| Ok(settled.filter(|_| pts == Seconds::of(1.0)).into_iter().collect());
        bodies.settle(seen).unwrap();
        let tracks: Vec<_> = bodies.observations.iter().map(|o| o.head.map(|h| h.track)).collect();
        assert_eq!(tracks, [Some(1), None, None]);
    }

    #[test]
    fn hands_beyond_the_tile_of_a_body_are_not_its_own() {
        let hand = |body: u32, x: f32| HandObservation {
            pts: Seconds::of(1.0),
            body,
            person: None,
            side: Side::Left,
            presence: 1.0,
            side_score: 1.0,
            points: [[x, 50.0, 0.0]; HAND_POINTS],
        };
        let mut bodies = Bodies {
            observations: vec![bare(1.0, 1, Some(1)), bare(1.0, 2, None)],
            hands: vec![hand(1, 90.0), hand(2, 110.0)],
            sampled: vec![Seconds::of(1.0)],
        };
        let mut whole = bodies.clone();
        whole.keep_within(|_, _| None);
        assert_eq!(whole, bodies, "one camera");
        bodies.keep_within(|_, face| (face[2] > 0.0).then_some([0.0, 0.0, 100.0, 100.0]));
        assert_eq!(
            bodies.hands.len(),
            2,
            "a body without a face is left as it is: {:?}",
            bodies.observations[1].face()
        );
        bodies.keep_within(|_, _| Some([0.0, 0.0, 100.0, 100.0]));
        assert_eq!(bodies.hands.iter().map(|h| h.body).collect::<Vec<_>>(), [1], "the second hand is beyond");
        assert!(bodies.observations[0].shows(99.0, 0.0) && !bodies.observations[0].shows(100.0, 0.0));
    }

    #[test]
    fn a_body_without_a_face_keeps_the_person_it_had_or_gets_the_next() {
        let hand = |pts: f64, body: u32| HandObservation {
            pts: Seconds::of(pts),
            body,
            person: None,
            side: Side::Left,
            presence: 1.0,
            side_score: 1.0,
            points: [[0.0; 3]; HAND_POINTS],
        };
        let mut bodies = Bodies {
            observations: vec![
                bare(0.0, 1, None),
                bare(1.0, 1, Some(7)),
                bare(1.0, 2, Some(8)),
                bare(2.0, 1, None),
                bare(2.0, 2, Some(7)),
                bare(3.0, 1, Some(9)),
                bare(3.0, 3, None),
            ],
            hands: vec![hand(1.0, 1), hand(1.0, 2), hand(3.0, 3)],
            sampled: Vec::new(),
        };
        bodies.name(|track| match track {
            7 => Some("P1"),
            8 => Some("P2"),
            _ => None,
        });
        let persons: Vec<_> = bodies.observations.iter().map(|o| (o.body, o.person.as_deref())).collect();
        assert_eq!(
            persons,
            [(1, Some("P1")), (1, Some("P1")), (2, Some("P2")), (1, None), (2, Some("P1")), (1, None), (3, None)],
            "nobody is in a frame twice, and the face decides, also one that is nobody's"
        );
        let hands: Vec<_> = bodies.hands.iter().map(|h| h.person.as_deref()).collect();
        assert_eq!(hands, [Some("P1"), Some("P2"), None]);
    }
}
