//! The tracker: follows the bodies of all persons from frame to frame.
//!
//! A followed body is looked for where its last landmarks put it, moved along with its face. A face without a body is
//! looked about with the person detector, and now and then the whole picture, for people whose face is not seen.
//! MediaPipe smooths landmarks of videos; here they stay as they are, since a few looks a second leave nothing to smooth.

use std::collections::BTreeMap;

use image::RgbImage;

use super::anchors::Detection;
use super::landmark::{self, Body};
use super::observation::{BODY_POINTS, Bodies, BodyObservation, BodyPoint, Head, body_point};
use super::view::{Region, View};
use super::wrists::{self, Known};
use super::{BodyConfig, BodyModels, person};
use crate::error::Result;
use crate::signal::VideoFrame;
use crate::time::Seconds;

/// What is looked at about a face: so many of its widths to each side of its middle, of its heights above and below.
const ASIDE: f32 = 2.5;
const ABOVE: f32 = 0.75;
const BELOW: f32 = 5.0;
/// A body is a head's when its face's points lie about the box's middle within this share of its longer side.
const HEAD_REACH: f32 = 0.75;
/// Where the body of a face is guessed, where the detector finds the one before or beside it alone: so many of the
/// face's sizes below its middle, in a square of so many. Chosen on `stage_and_audience`.
const GUESS: (f32, f32) = (2.05, 7.0);
/// Faces at most so many heights above or below are neighbours.
const BESIDE: f32 = 2.0;
/// Two bodies whose shoulders' middles and noses are nearer than this share of the shoulder width are one.
const SAME_SHARE: f32 = 0.4;
/// Bodies in one frame, at most; more are an audience.
const MOST_BODIES: usize = 16;

/// A body that is followed.
#[derive(Debug)]
struct Live {
    id: u32,
    /// The last face seen with it.
    head: Option<Head>,
    next: Region,
    /// Of the left and right wrist.
    wrists: [Known; 2],
}

/// A body in the frame at hand.
struct Found {
    /// Place among the followed.
    live: usize,
    body: Body,
    region: Region,
    head: Option<Head>,
}

/// Follows all bodies of one video.
pub struct BodyTracker<'a> {
    models: &'a mut BodyModels,
    config: BodyConfig,
    live: Vec<Live>,
    last_id: u32,
    shot: Option<usize>,
    last_slot: Option<i64>,
    last_whole: Option<Seconds>,
    /// Faces about which no body was found, and when.
    tried: BTreeMap<u32, Seconds>,
    input: Vec<f32>,
    bodies: Bodies,
}

impl std::fmt::Debug for BodyTracker<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "BodyTracker at frame {}, following {}", self.bodies.sampled.len(), self.live.len())
    }
}

impl<'a> BodyTracker<'a> {
    /// An empty tracker over loaded models.
    pub fn new(models: &'a mut BodyModels, config: &BodyConfig) -> Self {
        BodyTracker {
            models,
            config: config.clone(),
            live: Vec::new(),
            last_id: 0,
            shot: None,
            last_slot: None,
            last_whole: None,
            tried: BTreeMap::new(),
            input: Vec::new(),
            bodies: Bodies::default(),
        }
    }

    /// Whether a frame of this time is due: the first one in each interval of 1 / `rate_hz`.
    pub fn wants(&self, pts: Seconds) -> bool {
        self.config.is_on() && self.last_slot.is_none_or(|last| self.slot(pts) > last)
    }

    fn slot(&self, pts: Seconds) -> i64 {
        // A frame a hair before the interval belongs to it.
        (pts.get() * self.config.rate_hz + 1e-6).floor() as i64
    }

    /// Looks at a frame, with the faces seen in it and the number of its shot; times must rise.
    ///
    /// # Errors
    /// [`crate::error::Error::Model`] when a model fails; a frame without a body is no error.
    pub fn push(&mut self, frame: &VideoFrame, heads: &[Head], shot: usize) -> Result<()> {
        let (picture, now) = (&frame.image, frame.pts);
        self.last_slot = Some(self.slot(now));
        self.bodies.sampled.push(now);
        let cut = self.shot.replace(shot) != Some(shot);
        if cut {
            self.live.clear();
            self.tried.clear();
        }
        let mut found = self.follow(picture, heads)?;
        let least = self.config.min_face_size_px;
        for head in heads.iter().filter(|h| h.size() >= least) {
            if found.iter().all(|f| f.head != Some(*head)) && self.may_try(head.track, now) {
                self.look_about(picture, (head, heads), now, &mut found)?;
            }
        }
        let due = self.last_whole.is_none_or(|last| (now - last).get() + 1e-6 >= self.config.detect_every_secs);
        if cut || due {
            self.last_whole = Some(now);
            self.look_at_all(picture, heads, &mut found)?;
        }
        self.keep(&mut found);
        self.hands(picture, now, &found)?;
        found.sort_by_key(|f| self.live[f.live].id);
        let size = (picture.width() as f32, picture.height() as f32);
        for f in found {
            self.bodies.observations.push(observation(&f, self.live[f.live].id, now, size));
        }
        Ok(())
    }

    /// The bodies that go on.
    fn follow(&mut self, picture: &RgbImage, heads: &[Head]) -> Result<Vec<Found>> {
        let mut found: Vec<Found> = Vec::new();
        for (place, live) in self.live.iter().enumerate() {
            let then = live.head;
            let own = then.and_then(|was| heads.iter().find(|h| h.track == was.track));
            let mut region = live.next;
            if let (Some(was), Some(now)) = (then, own) {
                let ((x, y), (wx, wy)) = (now.centre(), was.centre());
                region = Region { x: region.x + x - wx, y: region.y + y - wy, ..region };
            }
            let mut body = landmark::look(&mut self.models.body, &View::whole(picture), &region, &mut self.input)?;
            let mut head = owner(&body, heads);
            if let Some(own) = own.filter(|o| head != Some(*o)) {
                // The model went over to somebody nearer: once more, without the neighbours.
                let Some(view) = alone(picture, own, heads) else { continue };
                region = guessed(own);
                body = landmark::look(&mut self.models.body, &view, &region, &mut self.input)?;
                head = owner(&body, heads);
                // Its face is elsewhere: this is another body, or none.
                if head != Some(own) {
                    continue;
                }
            }
            if body.presence < self.config.presence || !is_whole(&body) {
                continue;
            }
            found.push(Found { live: place, body, region, head: head.copied() });
        }
        Ok(found)
    }

    fn may_try(&self, track: u32, now: Seconds) -> bool {
        self.tried.get(&track).is_none_or(|last| (now - *last).get() + 1e-6 >= self.config.detect_every_secs)
    }

    /// The body of a face that has none yet.
    fn look_about(
        &mut self,
        picture: &RgbImage,
        (head, heads): (&Head, &[Head]),
        now: Seconds,
        found: &mut Vec<Found>,
    ) -> Result<()> {
        let (x, y) = head.centre();
        let [l, t, r, b] = head.bounds;
        let (w, h) = (r - l, b - t);
        self.tried.insert(head.track, now);
        let bounds = [x - ASIDE * w, y - (0.5 + ABOVE) * h, x + ASIDE * w, y + (0.5 + BELOW) * h];
        let Some(view) = View::part(picture, bounds) else { return Ok(()) };
        let mut persons = person::DETECTOR.detect(&mut self.models.person, &view, &mut self.input)?;
        let off = |d: &Detection| {
            let (dx, dy) = middle(&d.bounds);
            (dx - x).hypot(dy - y)
        };
        persons.sort_by(|a, b| off(a).total_cmp(&off(b)));
        for region in persons.iter().take(2).filter_map(person::region_of) {
            let body = landmark::look(&mut self.models.body, &view, &region, &mut self.input)?;
            if body.presence >= self.config.presence && owner(&body, heads) == Some(head) && is_whole(&body) {
                self.tried.remove(&head.track);
                self.start(body, region, Some(*head), found);
                return Ok(());
            }
        }
        let (Some(view), region) = (alone(picture, head, heads), guessed(head)) else { return Ok(()) };
        let body = landmark::look(&mut self.models.body, &view, &region, &mut self.input)?;
        if body.presence >= self.config.presence && owner(&body, heads) == Some(head) && is_whole(&body) {
            self.tried.remove(&head.track);
            self.start(body, region, Some(*head), found);
        }
        Ok(())
    }

    /// People whose face is not seen.
    fn look_at_all(&mut self, picture: &RgbImage, heads: &[Head], found: &mut Vec<Found>) -> Result<()> {
        let view = View::whole(picture);
        for detection in person::DETECTOR.detect(&mut self.models.person, &view, &mut self.input)? {
            let at = middle(&detection.bounds);
            if found.iter().any(|f| is_about(&f.body, at)) || found.len() >= MOST_BODIES {
                continue;
            }
            let Some(region) = person::region_of(&detection) else { continue };
            let body = landmark::look(&mut self.models.body, &view, &region, &mut self.input)?;
            if body.presence >= self.config.presence && is_whole(&body) {
                let free = |h: &&Head| found.iter().all(|f| f.head != Some(**h));
                let head = owner(&body, heads).filter(free).copied();
                self.start(body, region, head, found);
            }
        }
        Ok(())
    }

    fn start(&mut self, body: Body, region: Region, head: Option<Head>, found: &mut Vec<Found>) {
        self.last_id += 1;
        self.live.push(Live { id: self.last_id, head, next: body.next, wrists: [Known::Nothing; 2] });
        found.push(Found { live: self.live.len() - 1, body, region, head });
    }

    /// Ends the bodies that were not found, and all but one of those that are the same.
    fn keep(&mut self, found: &mut Vec<Found>) {
        // A body with a face counts more than one without, an older one more than a newer one.
        found.sort_by_key(|f| (f.head.is_none(), f.live));
        let mut kept: Vec<Found> = Vec::new();
        for f in found.drain(..) {
            let double = |k: &Found| same(&k.body, &f.body) || (f.head.is_some() && k.head == f.head);
            if !kept.iter().any(double) && kept.len() < MOST_BODIES {
                kept.push(f);
            }
        }
        kept.sort_by_key(|f| f.live);
        let mut place = 0;
        let mut next = 0;
        self.live.retain(|_| {
            let stays = kept.get(next).is_some_and(|f| f.live == place);
            next += usize::from(stays);
            place += 1;
            stays
        });
        for (place, f) in kept.iter_mut().enumerate() {
            f.live = place;
            let live = &mut self.live[place];
            live.next = f.body.next;
            live.head = f.head.or(live.head);
        }
        *found = kept;
    }

    fn hands(&mut self, picture: &RgbImage, now: Seconds, found: &[Found]) -> Result<()> {
        let mut known: Vec<[Known; 2]> = found.iter().map(|f| self.live[f.live].wrists).collect();
        let bodies: Vec<&Body> = found.iter().map(|f| &f.body).collect();
        let (models, config, input) = (&mut *self.models, &self.config, &mut self.input);
        let held = wrists::Look { models, config, picture, now, input }.hands(&bodies, &mut known)?;
        for (f, known) in found.iter().zip(known) {
            self.live[f.live].wrists = known;
        }
        let id = |h: &wrists::Held| self.live[found[h.body].live].id;
        let mut rows: Vec<_> = held.into_iter().map(|h| (id(&h), h)).map(|(id, h)| h.observation(id, now)).collect();
        rows.sort_by_key(|h| (h.body, h.side));
        self.bodies.hands.extend(rows);
        Ok(())
    }

    /// All that was seen; persons are not named yet ([`Bodies::name`]).
    pub fn finish(self) -> Bodies {
        self.bodies
    }
}

/// Where the body of a face is, by the face alone.
fn guessed(head: &Head) -> Region {
    let ((x, y), size) = (head.centre(), head.size());
    Region { x, y: y + GUESS.0 * size, side: GUESS.1 * size, angle: 0.0 }
}

/// The picture between the faces to both sides of a face: the landmark model takes whoever is nearer to the camera.
/// `None` where there are no neighbours.
fn alone<'p>(picture: &'p RgbImage, head: &Head, heads: &[Head]) -> Option<View<'p>> {
    let (x, y) = head.centre();
    let [left, top, right, bottom] = head.bounds;
    let (quarter, reach) = (0.25 * (right - left), BESIDE * (bottom - top));
    let (width, height) = (picture.width() as f32, picture.height() as f32);
    let mut bounds = [0.0, 0.0, width, height];
    for other in heads.iter().filter(|h| h.track != head.track && (h.centre().1 - y).abs() <= reach) {
        if other.centre().0 > x {
            bounds[2] = bounds[2].min(other.bounds[0].max(x + quarter));
        } else {
            bounds[0] = bounds[0].max(other.bounds[2].min(x - quarter));
        }
    }
    let cut = bounds[0] > 0.0 || bounds[2] < width;
    cut.then(|| View::part(picture, bounds)).flatten()
}

fn middle(bounds: &[f32; 4]) -> (f32, f32) {
    (0.5 * (bounds[0] + bounds[2]), 0.5 * (bounds[1] + bounds[3]))
}

/// The mean of the face's points.
fn face_middle(body: &Body) -> (f32, f32) {
    let count = body_point::FACE.len() as f32;
    let (x, y) = body.points[body_point::FACE].iter().fold((0.0, 0.0), |s, p| (s.0 + p[0], s.1 + p[1]));
    (x / count, y / count)
}

/// The head whose box the body's face lies about, the nearest of them; in a crowd boxes overlap.
fn owner<'h>(body: &Body, heads: &'h [Head]) -> Option<&'h Head> {
    let (x, y) = face_middle(body);
    let off = |head: &Head| {
        let (hx, hy) = head.centre();
        let [l, t, r, b] = head.bounds;
        // The box of a profile is narrow, and the middle of the body's face lies further forward.
        let side = (r - l).max(b - t).max(1.0);
        let (dx, dy) = ((x - hx).abs() / side, (y - hy).abs() / side);
        (dx <= HEAD_REACH && dy <= HEAD_REACH).then_some(dx.hypot(dy))
    };
    heads.iter().filter_map(|h| Some((off(h)?, h))).min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, h)| h)
}

fn shoulders(body: &Body) -> ((f32, f32), f32) {
    let [a, b] = body_point::SHOULDERS.map(|k| body.points[k]);
    ((0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1])), (a[0] - b[0]).hypot(a[1] - b[1]))
}

/// Whether a detected face lies about the body's.
fn is_about(body: &Body, (x, y): (f32, f32)) -> bool {
    let ((sx, sy), width) = shoulders(body);
    let (fx, fy) = face_middle(body);
    let reach = SAME_SHARE * width.max((fx - sx).hypot(fy - sy));
    (fx - x).hypot(fy - y) <= reach
}

fn same(a: &Body, b: &Body) -> bool {
    let ((ax, ay), width) = shoulders(a);
    let ((bx, by), other) = shoulders(b);
    let ((px, py), (qx, qy)) = (face_middle(a), face_middle(b));
    let reach = SAME_SHARE * width.max(other);
    (ax - bx).hypot(ay - by) <= reach && (px - qx).hypot(py - qy) <= reach
}

/// Shoulders or face are seen, and the landmarks are numbers of some size.
fn is_whole(body: &Body) -> bool {
    let ((x, y), width) = shoulders(body);
    let seen = |k: usize| body.visibility[k] >= 0.5;
    let two = body_point::SHOULDERS.into_iter().any(seen) || seen(body_point::NOSE);
    x.is_finite() && y.is_finite() && width.is_finite() && body.next.side > 1.0 && two
}

fn observation(f: &Found, id: u32, pts: Seconds, (width, height): (f32, f32)) -> BodyObservation {
    let points: [BodyPoint; BODY_POINTS] = std::array::from_fn(|k| {
        let [x, y, z] = f.body.points[k];
        BodyPoint { x, y, z, visibility: f.body.visibility[k] }
    });
    let inside = |p: &&BodyPoint| p.x >= 0.0 && p.y >= 0.0 && p.x < width && p.y < height;
    BodyObservation {
        pts,
        body: id,
        person: None,
        head: f.head,
        presence: f.body.presence,
        region: [f.region.x, f.region.y, f.region.side, f.region.angle],
        bounds: [0.0, 0.0, width, height],
        in_frame: points.iter().filter(inside).count() as f32 / points.len() as f32,
        points,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_body_of_a_face_is_looked_for_between_its_neighbours() {
        let picture = RgbImage::new(640, 360);
        let head = |track: u32, bounds: [f32; 4]| Head { track, bounds };
        let own = head(1, [314.0, 23.0, 388.0, 149.0]);
        let width = |heads: &[Head]| alone(&picture, &own, heads).map(|v| v.width());
        assert_eq!(width(&[own]), None, "nobody is beside");
        assert_eq!(width(&[own, head(2, [382.0, 77.0, 447.0, 185.0])]), Some(382.0), "up to the other face");
        assert_eq!(width(&[own, head(2, [161.0, 76.0, 226.0, 174.0])]), Some(640.0 - 226.0));
        assert_eq!(
            width(&[own, head(2, [382.0, 340.0, 400.0, 358.0])]).map(f32::to_bits),
            None,
            "two heads further down"
        );
        let region = guessed(&own);
        assert!((region.x - 351.0).abs() < 1e-3 && region.y > 260.0 && region.side > 600.0, "{region:?}");
    }
}
