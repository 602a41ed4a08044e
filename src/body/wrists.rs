//! Hands of the bodies in a frame: looked for where they were, else where the body's own wrist and knuckles are, else
//! with the palm detector about wrists that are seen; and each given to the wrist it continues.

use image::RgbImage;

use super::hand::{self, Hand};
use super::landmark::Body;
use super::observation::{HandObservation, Side, body_point};
use super::view::{Region, View};
use super::{BodyConfig, BodyModels, palm};
use crate::error::Result;
use crate::time::Seconds;

/// Palms are looked for within so many shoulder widths of a wrist.
const ABOUT: f32 = 1.2;
/// The square about a hand that is guessed from the body's own wrist and knuckles: so many times the way from the wrist
/// to between the knuckles, about the place there. (MediaPipe's Holistic begins so, with a square of about this size.)
const GUESS: f32 = 4.0;
/// Hands whose square is smaller than this are too small to be told, px.
const LEAST_SIDE: f32 = 12.0;
/// The wrist of a hand whose own wrist the body does not see may lie so much further from it.
const UNSEEN: f32 = 2.0;
/// A wrist at which no hand was found is looked at again at once when it has moved by so many shoulder widths.
const MOVED: f32 = 0.15;
/// A turned body's shoulders look narrower than they are: its shoulder width is at least this share of the region the
/// body was looked for in, of which it is about a fifth in people who face the camera.
const LEAST_WIDTH: f32 = 0.15;
/// A hand that looks like the other side's counts as this many shoulder widths further away.
const OTHER_SIDE: f32 = 0.25;
/// Two hands nearer than this share of the palm's length are one.
const SAME_SHARE: f32 = 0.5;
/// Wrist and the base of the middle finger.
const PALM: (usize, usize) = (0, 9);

/// A hand that was held at a wrist, for the next look.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Grip {
    region: Region,
    /// Where the body's wrist was.
    wrist: (f32, f32),
}

/// What is known of a wrist from the look before.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Known {
    /// Nothing yet.
    Nothing,
    /// A hand was held there.
    Held(Grip),
    /// No hand was found, when, and where the wrist was.
    Empty(Seconds, (f32, f32)),
}

/// A hand in the frame at hand, and whose it is.
#[derive(Debug)]
pub(super) struct Held {
    /// Place among the bodies.
    pub body: usize,
    pub side: Side,
    hand: Hand,
    wrist: (f32, f32),
}

impl Held {
    pub fn grip(&self) -> Option<Grip> {
        Some(Grip { region: self.hand.next()?, wrist: self.wrist })
    }

    pub fn observation(self, body: u32, pts: Seconds) -> HandObservation {
        let right = self.hand.right;
        HandObservation {
            pts,
            body,
            person: None,
            side: self.side,
            presence: self.hand.presence,
            side_score: if self.side == Side::Right { right } else { 1.0 - right },
            points: self.hand.points,
        }
    }
}

/// A hand that was found, and from which wrists: places of bodies and sides. None where a palm was.
struct Candidate {
    hand: Hand,
    of: Vec<(usize, Side)>,
}

/// A look at the hands of one frame.
pub(super) struct Look<'a> {
    pub models: &'a mut BodyModels,
    pub config: &'a BodyConfig,
    pub picture: &'a RgbImage,
    pub now: Seconds,
    pub input: &'a mut Vec<f32>,
}

/// The shoulder width that distances of hands are told in, px.
fn width(body: &Body) -> f32 {
    let [a, b] = body_point::SHOULDERS.map(|k| body.points[k]);
    (a[0] - b[0]).hypot(a[1] - b[1]).max(LEAST_WIDTH * body.next.side)
}

fn wrist(body: &Body, side: Side) -> (f32, f32) {
    let [x, y, _] = body.points[body_point::WRISTS[side as usize]];
    (x, y)
}

impl Look<'_> {
    /// All hands at the wrists of `bodies`; `known` are what their last look left, and are what this one leaves
    /// afterwards.
    ///
    /// # Errors
    /// [`crate::error::Error::Model`].
    pub fn hands(&mut self, bodies: &[&Body], known: &mut [[Known; 2]]) -> Result<Vec<Held>> {
        let mut hands: Vec<Candidate> = Vec::new();
        for (place, (body, known)) in bodies.iter().zip(known.iter_mut()).enumerate() {
            let mut open: Vec<(f32, f32)> = Vec::new();
            for side in Side::BOTH {
                let before = std::mem::replace(&mut known[side as usize], Known::Nothing);
                let followed = match before {
                    Known::Held(grip) => self.follow(body, side, grip)?,
                    _ => None,
                };
                let at = wrist(body, side);
                if followed.is_none()
                    && let Known::Empty(since, was) = before
                    && !self.is_due(since, at, was, width(body))
                {
                    known[side as usize] = before;
                    continue;
                }
                let hand = match followed {
                    Some(hand) => Some(hand),
                    None => self.guess(body, side)?,
                };
                match hand {
                    Some(hand) => hands.push(Candidate { hand, of: vec![(place, side)] }),
                    None => {
                        known[side as usize] = Known::Empty(self.now, at);
                        open.extend(self.is_seen(body, side).then_some(at));
                    }
                }
            }
            self.search(&open, width(body), &mut hands)?;
        }
        let held = self.given(bodies, without_doubles(hands));
        for h in &held {
            known[h.body][h.side as usize] = h.grip().map_or(Known::Nothing, Known::Held);
        }
        Ok(held)
    }

    /// Whether a wrist without a hand is looked at again.
    fn is_due(&self, at: Seconds, (x, y): (f32, f32), was: (f32, f32), width: f32) -> bool {
        let moved = (x - was.0).hypot(y - was.1) > MOVED * width;
        moved || (self.now - at).get() + 1e-6 >= self.config.detect_every_secs
    }

    /// The hand that was held here before.
    fn follow(&mut self, body: &Body, side: Side, grip: Grip) -> Result<Option<Hand>> {
        let Grip { mut region, wrist: (wx, wy) } = grip;
        // A wrist that is not seen is a guess that jumps, while the hand may lie still.
        if self.is_seen(body, side) {
            let (x, y) = wrist(body, side);
            region = Region { x: region.x + x - wx, y: region.y + y - wy, ..region };
        }
        Ok(self.look_at(&region)?.filter(|h| self.reaches(h, body, side)))
    }

    /// The hand where the body's own knuckles are: also one that lies before a face, or reaches into the picture from
    /// below, in which no palm is found.
    fn guess(&mut self, body: &Body, side: Side) -> Result<Option<Hand>> {
        let Some(region) = self.guessed(body, side) else { return Ok(None) };
        let Some(first) = self.look_at(&region)? else { return Ok(None) };
        // The guess is rough: the hand is measured from its own place.
        let Some(own) = first.next() else { return Ok(None) };
        Ok(self.look_at(&own)?.filter(|h| self.reaches(h, body, side)))
    }

    /// Where a hand should be; `None` where that is outside of the picture.
    fn guessed(&self, body: &Body, side: Side) -> Option<Region> {
        let at = |k: usize| (body.points[k][0], body.points[k][1]);
        let (index, pinky) = (at(body_point::INDEXES[side as usize]), at(body_point::PINKIES[side as usize]));
        let from = wrist(body, side);
        let (x, y) = ((2.0 * index.0 + pinky.0) / 3.0, (2.0 * index.1 + pinky.1) / 3.0);
        let region =
            Region { x, y, side: GUESS * (x - from.0).hypot(y - from.1), angle: Region::upright(from, (x, y)) };
        let margin = 0.25 * region.side;
        let within = |v: f32, end: u32| v >= -margin && v < end as f32 + margin;
        let inside = within(x, self.picture.width()) && within(y, self.picture.height());
        (inside && region.side >= LEAST_SIDE).then_some(region)
    }

    /// The wrist is in the picture and seen.
    fn is_seen(&self, body: &Body, side: Side) -> bool {
        let (x, y) = wrist(body, side);
        let inside = |v: f32, end: u32| v >= 0.0 && v < end as f32;
        let seen = body.visibility[body_point::WRISTS[side as usize]] >= self.config.wrist_visibility;
        seen && inside(x, self.picture.width()) && inside(y, self.picture.height())
    }

    /// Whether a hand begins at the wrist, as far as that is known.
    fn reaches(&self, hand: &Hand, body: &Body, side: Side) -> bool {
        let more = if self.is_seen(body, side) { 1.0 } else { UNSEEN };
        off(hand, body, side) <= more * self.config.hand_reach
    }

    fn look_at(&mut self, region: &Region) -> Result<Option<Hand>> {
        let hand = hand::look(&mut self.models.hand, &View::whole(self.picture), region, self.input)?;
        Ok(Some(hand).filter(|h| h.presence >= self.config.hand_presence))
    }

    /// Palms about wrists without a hand.
    fn search(&mut self, open: &[(f32, f32)], width: f32, hands: &mut Vec<Candidate>) -> Result<()> {
        let Some(first) = open.first() else { return Ok(()) };
        let reach = ABOUT * width;
        let about = |s: [f32; 4], (x, y): (f32, f32)| {
            [s[0].min(x - reach), s[1].min(y - reach), s[2].max(x + reach), s[3].max(y + reach)]
        };
        let bounds = open.iter().copied().fold([first.0, first.1, first.0, first.1], about);
        let Some(view) = View::part(self.picture, bounds) else { return Ok(()) };
        let palms = palm::DETECTOR.detect(&mut self.models.palm, &view, self.input)?;
        for region in palms.iter().filter_map(palm::region_of) {
            hands.extend(self.look_at(&region)?.map(|hand| Candidate { hand, of: Vec::new() }));
        }
        Ok(())
    }

    /// Each hand to the wrist it continues, the nearest first; hands far from every wrist are nobody's. At a wrist that
    /// is not seen, only the hand that was found from there can be.
    fn given(&self, bodies: &[&Body], hands: Vec<Candidate>) -> Vec<Held> {
        let mut pairs: Vec<(f32, usize, usize, Side)> = Vec::new();
        for (h, Candidate { hand, of }) in hands.iter().enumerate() {
            for (b, body) in bodies.iter().enumerate() {
                let may = |s: &Side| (self.is_seen(body, *s) || of.contains(&(b, *s))) && self.reaches(hand, body, *s);
                for side in Side::BOTH.into_iter().filter(may) {
                    let other = (hand.right > 0.5) != (side == Side::Right);
                    pairs.push((off(hand, body, side) + if other { OTHER_SIDE } else { 0.0 }, h, b, side));
                }
            }
        }
        pairs.sort_by(|a, b| a.0.total_cmp(&b.0).then((a.1, a.2, a.3).cmp(&(b.1, b.2, b.3))));
        let mut hands: Vec<Option<Hand>> = hands.into_iter().map(|c| Some(c.hand)).collect();
        let mut held: Vec<Held> = Vec::new();
        for (_, h, body, side) in pairs {
            if held.iter().any(|k| (k.body, k.side) == (body, side)) {
                continue;
            }
            if let Some(hand) = hands[h].take() {
                held.push(Held { body, side, hand, wrist: wrist(bodies[body], side) });
            }
        }
        held
    }
}

/// From the wrist of the body to that of the hand, in shoulder widths.
fn off(hand: &Hand, body: &Body, side: Side) -> f32 {
    let ((x, y), [hx, hy, _]) = (wrist(body, side), hand.points[PALM.0]);
    (hx - x).hypot(hy - y) / width(body).max(1.0)
}

/// The same hand may be found twice: the surer look stays, and is found from all of their wrists.
fn without_doubles(mut hands: Vec<Candidate>) -> Vec<Candidate> {
    hands.sort_by(|a, b| b.hand.presence.total_cmp(&a.hand.presence));
    let mut kept: Vec<Candidate> = Vec::new();
    for Candidate { hand, of } in hands {
        let apart = |k: &Hand, at: usize| {
            let ([ax, ay, _], [bx, by, _]) = (k.points[at], hand.points[at]);
            (ax - bx).hypot(ay - by)
        };
        let long = |k: &Hand| {
            let ([ax, ay, _], [bx, by, _]) = (k.points[PALM.0], k.points[PALM.1]);
            (ax - bx).hypot(ay - by)
        };
        let double = |k: &Hand| {
            let reach = SAME_SHARE * long(k).max(long(&hand));
            apart(k, PALM.0) <= reach && apart(k, PALM.1) <= reach
        };
        match kept.iter_mut().find(|k| double(&k.hand)) {
            Some(k) => k.of.extend(of),
            None => kept.push(Candidate { hand, of }),
        }
    }
    kept
}
