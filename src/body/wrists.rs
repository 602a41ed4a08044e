//! Hands of the bodies in a frame: looked for where wrists are, and each given to the wrist it continues.

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

/// A look at the hands of one frame.
pub(super) struct Look<'a> {
    pub models: &'a mut BodyModels,
    pub config: &'a BodyConfig,
    pub picture: &'a RgbImage,
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
    /// All hands at the wrists of `bodies`; `grips` are those of their last look.
    ///
    /// # Errors
    /// [`crate::error::Error::Model`].
    pub fn hands(&mut self, bodies: &[&Body], grips: &[[Option<Grip>; 2]]) -> Result<Vec<Held>> {
        let mut hands: Vec<Hand> = Vec::new();
        for (body, grips) in bodies.iter().zip(grips) {
            let mut open: Vec<(f32, f32)> = Vec::new();
            let sides: Vec<Side> = Side::BOTH.into_iter().filter(|s| self.is_seen(body, *s)).collect();
            for side in sides {
                let (x, y) = wrist(body, side);
                let followed = match grips[side as usize] {
                    Some(Grip { region, wrist: (wx, wy) }) => {
                        let moved = Region { x: region.x + x - wx, y: region.y + y - wy, ..region };
                        self.look_at(&moved)?.filter(|h| self.reaches(h, (x, y), width(body)))
                    }
                    None => None,
                };
                match followed {
                    Some(hand) => hands.push(hand),
                    None => open.push((x, y)),
                }
            }
            self.search(&open, width(body), &mut hands)?;
        }
        Ok(self.given(bodies, without_doubles(hands)))
    }

    /// The wrist is in the picture and seen.
    fn is_seen(&self, body: &Body, side: Side) -> bool {
        let (x, y) = wrist(body, side);
        let inside = |v: f32, end: u32| v >= 0.0 && v < end as f32;
        let seen = body.visibility[body_point::WRISTS[side as usize]] >= self.config.wrist_visibility;
        seen && inside(x, self.picture.width()) && inside(y, self.picture.height())
    }

    fn reaches(&self, hand: &Hand, (x, y): (f32, f32), width: f32) -> bool {
        let [hx, hy, _] = hand.points[PALM.0];
        (hx - x).hypot(hy - y) <= self.config.hand_reach * width
    }

    fn look_at(&mut self, region: &Region) -> Result<Option<Hand>> {
        let hand = hand::look(&mut self.models.hand, &View::whole(self.picture), region, self.input)?;
        Ok(Some(hand).filter(|h| h.presence >= self.config.hand_presence))
    }

    /// Palms about wrists without a hand.
    fn search(&mut self, open: &[(f32, f32)], width: f32, hands: &mut Vec<Hand>) -> Result<()> {
        let Some(first) = open.first() else { return Ok(()) };
        let reach = ABOUT * width;
        let about = |s: [f32; 4], (x, y): (f32, f32)| {
            [s[0].min(x - reach), s[1].min(y - reach), s[2].max(x + reach), s[3].max(y + reach)]
        };
        let bounds = open.iter().copied().fold([first.0, first.1, first.0, first.1], about);
        let Some(view) = View::part(self.picture, bounds) else { return Ok(()) };
        let palms = palm::DETECTOR.detect(&mut self.models.palm, &view, self.input)?;
        for region in palms.iter().filter_map(palm::region_of) {
            hands.extend(self.look_at(&region)?);
        }
        Ok(())
    }

    /// Each hand to the wrist it continues, the nearest first; hands far from every wrist are nobody's.
    fn given(&self, bodies: &[&Body], hands: Vec<Hand>) -> Vec<Held> {
        let mut pairs: Vec<(f32, usize, usize, Side)> = Vec::new();
        for (h, hand) in hands.iter().enumerate() {
            for (b, body) in bodies.iter().enumerate() {
                for side in Side::BOTH.into_iter().filter(|s| self.is_seen(body, *s)) {
                    let ((x, y), [hx, hy, _]) = (wrist(body, side), hand.points[PALM.0]);
                    let away = (hx - x).hypot(hy - y) / width(body).max(1.0);
                    if away <= self.config.hand_reach {
                        let other = (hand.right > 0.5) != (side == Side::Right);
                        pairs.push((away + if other { OTHER_SIDE } else { 0.0 }, h, b, side));
                    }
                }
            }
        }
        pairs.sort_by(|a, b| a.0.total_cmp(&b.0).then((a.1, a.2, a.3).cmp(&(b.1, b.2, b.3))));
        let mut hands: Vec<Option<Hand>> = hands.into_iter().map(Some).collect();
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

/// The same hand may be found twice: the surer look stays.
fn without_doubles(mut hands: Vec<Hand>) -> Vec<Hand> {
    hands.sort_by(|a, b| b.presence.total_cmp(&a.presence));
    let mut kept: Vec<Hand> = Vec::new();
    for hand in hands {
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
        if !kept.iter().any(double) {
            kept.push(hand);
        }
    }
    kept
}
