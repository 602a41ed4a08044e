//! What each person's face did over the interview, as series that can be set beside another person's: smile, brow,
//! head, gaze.

use std::collections::BTreeMap;

use super::TurnsConfig;
use super::face_statistics::counts;
use super::smiles::{SmileSeries, smile_series};
use super::still::Stills;
use crate::error::Result;
use crate::face::{BLENDSHAPES, BoundingBox, Faces, HeadPose};
use crate::time::{Seconds, Segment, TOLERANCE_SECS};

/// Observations further apart than this belong to different movements (as in the search for nods).
pub(super) const LONGEST_STEP_SECS: f64 = 0.35;

/// A rise is one when the value stays up so long and had been down so long: felt smiles last 0.5 to 4 s (Ekman and
/// Friesen 1982), and a mouth that speaks passes through the same shapes for less.
const HOLD_SECS: f64 = 0.5;

/// Having risen, the value must fall below this share of the threshold before it can rise again; a choice.
pub(super) const RELEASE_SHARE: f64 = 0.5;

/// A face at one instant.
#[derive(Clone, Copy, Debug)]
pub(super) struct Look {
    pub(super) at: f64,
    pub(super) pts: Seconds,
    pub(super) bounds: BoundingBox,
    /// True where this is a still picture of a face.
    pub(super) still: bool,
    /// Where the face looks, degrees to the image's right of the camera: by the eyes, by the head where it is turned
    /// too far for them.
    pub(super) gaze_yaw_deg: Option<f64>,
    /// Angle between the eyes' direction and the camera's, degrees.
    pub(super) gaze_camera_deg: Option<f64>,
}

/// Speed of the head between two observations, at the middle of them.
#[derive(Clone, Copy, Debug)]
pub(super) struct HeadMotion {
    pub(super) from: f64,
    pub(super) to: f64,
    pub(super) deg_per_sec: f64,
}

/// A smile or a brow goes up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Rise {
    /// The threshold is crossed.
    pub(super) onset: f64,
    /// It has stayed up long enough; nothing later is needed to know of it.
    pub(super) sure: f64,
}

/// One person's series, in order of time.
#[derive(Clone, Debug, Default)]
pub(super) struct Person {
    pub(super) looks: Vec<Look>,
    pub(super) motions: Vec<HeadMotion>,
    /// What tells of smiles, and the smile of the whole interview from it (time, 0 to 1).
    pub(super) smiles: SmileSeries,
    pub(super) smile: Vec<(f64, f64)>,
    /// Time and the lowered brows, the raised inner brows, the pressed lips.
    pub(super) rest: Vec<(f64, [f64; 3])>,
    pub(super) smile_rises: Vec<Rise>,
    pub(super) brow_rises: Vec<Rise>,
}

/// What a person's next observation is compared with.
struct Before {
    pts: Seconds,
    track: u32,
    pose: Option<HeadPose>,
}

/// All persons.
#[derive(Clone, Debug, Default)]
pub(super) struct Watched {
    persons: BTreeMap<String, Person>,
}

impl Watched {
    /// # Errors
    /// Those of reading the observations back.
    pub(super) fn new(faces: &Faces, config: &TurnsConfig) -> Result<Self> {
        let shape = |name: &str| BLENDSHAPES.iter().position(|b| *b == name).unwrap_or_default();
        let rest = ["browDownLeft", "browDownRight", "browInnerUp", "mouthPressLeft", "mouthPressRight"].map(shape);
        let stills = Stills::new(faces, config)?;
        let mut persons: BTreeMap<String, Person> = BTreeMap::new();
        let mut before: BTreeMap<&str, Before> = BTreeMap::new();
        for o in faces.observations.iter() {
            let o = o?;
            let Some(name) = faces.person_of(o.track) else { continue };
            if !persons.contains_key(name) {
                persons.insert(name.to_owned(), Person::default());
            }
            let Some(person) = persons.get_mut(name) else { continue };
            let at = o.pts.get();
            let still = stills.holds(&o);
            let good = counts(&o, config) && !still;
            let gaze = o.gaze.filter(|_| good).map(|g| f64::from(g.camera_yaw_deg));
            let turned = o.pose.map(|p| f64::from(p.yaw_deg)).filter(|yaw| yaw.abs() > config.max_yaw_deg);
            person.looks.push(Look {
                bounds: o.bounds,
                still,
                gaze_yaw_deg: gaze.or(turned),
                gaze_camera_deg: o.gaze.filter(|_| good).map(|g| f64::from(g.camera_yaw_deg.hypot(g.camera_pitch_deg))),
                ..Look::at(o.pts)
            });
            if !good {
                continue;
            }
            if let Some(b) = o.blendshapes {
                let [down_left, down_right, up, press_left, press_right] = rest.map(|place| f64::from(b[place]));
                person.rest.push((at, [0.5 * (down_left + down_right), up, 0.5 * (press_left + press_right)]));
            }
            if let (Some(was), Some(now)) = (before.get(name).filter(|w| w.track == o.track), o.pose)
                && let Some(then) = was.pose
                && at - was.pts.get() > 1e-3
                && at - was.pts.get() <= LONGEST_STEP_SECS
            {
                let d = |a: f32, b: f32| f64::from(a - b).powi(2);
                let turn =
                    (d(now.yaw_deg, then.yaw_deg) + d(now.pitch_deg, then.pitch_deg) + d(now.roll_deg, then.roll_deg))
                        .sqrt();
                let from = was.pts.get();
                person.motions.push(HeadMotion { from, to: at, deg_per_sec: turn / (at - from) });
            }
            before.insert(name, Before { pts: o.pts, track: o.track, pose: o.pose });
        }
        for (name, series) in smile_series(faces, &stills, config)? {
            let Some(person) = persons.get_mut(&name) else { continue };
            person.smile = series.all();
            let reach = series.reach();
            let late = |r: Rise| Rise { sure: r.sure + reach, ..r };
            person.smile_rises =
                rises(person.smile.iter().copied(), config.smile_above).into_iter().map(late).collect();
            person.smiles = series;
        }
        for person in persons.values_mut() {
            let brow = person.rest.iter().map(|(at, [_, up, _])| (*at, *up));
            person.brow_rises = rises(brow, config.active_above);
        }
        Ok(Watched { persons })
    }

    pub(super) fn person(&self, name: &str) -> Option<&Person> {
        self.persons.get(name)
    }
}

impl Look {
    /// Of a face of which nothing is known.
    pub(super) fn at(pts: Seconds) -> Self {
        let bounds = BoundingBox::default();
        Look { at: pts.get(), pts, bounds, still: false, gaze_yaw_deg: None, gaze_camera_deg: None }
    }
}

impl Person {
    /// True when the face is seen well enough in the segment to tell a rise.
    pub(super) fn smiles_seen(&self, segment: Segment) -> bool {
        !segment.part_of(&self.smile, |p| p.0).is_empty()
    }
}

/// Where a series crosses `threshold` upwards and stays there. A gap in the series ends what was known of it.
fn rises(series: impl IntoIterator<Item = (f64, f64)>, threshold: f64) -> Vec<Rise> {
    let mut found = Vec::new();
    // Down since; then up since; then up for sure.
    let (mut down, mut up, mut risen): (Option<f64>, Option<f64>, bool) = (None, None, false);
    let mut last = f64::NEG_INFINITY;
    for (at, value) in series {
        if at - last > LONGEST_STEP_SECS {
            (down, up, risen) = (None, None, false);
        }
        last = at;
        match up {
            None if value >= threshold => {
                // Only from a known rest of some length does anything rise.
                up = Some(at);
                risen = down.is_none_or(|since| at - since < HOLD_SECS);
            }
            None => down = down.or(Some(at)),
            Some(_) if value < RELEASE_SHARE * threshold => (down, up, risen) = (Some(at), None, false),
            Some(since) if !risen && at - since >= HOLD_SECS - TOLERANCE_SECS => {
                found.push(Rise { onset: since, sure: at });
                risen = true;
            }
            Some(_) => {}
        }
    }
    found
}

/// A series on the grid of `step_secs` from the origin to `end`, linear between neighbours, NaN where nothing is near.
pub(super) fn on_grid(points: impl IntoIterator<Item = (f64, f64)>, end: f64, step_secs: f64) -> Vec<f64> {
    let count = (end.max(0.0) / step_secs + 1e-9) as usize + 1;
    let mut grid = vec![f64::NAN; count];
    let mut before: Option<(f64, f64)> = None;
    for (at, value) in points {
        if let Some((was, old)) = before.filter(|b| at > b.0 && at - b.0 <= LONGEST_STEP_SECS) {
            let first = (was / step_secs - 1e-9).ceil().max(0.0) as usize;
            for (i, slot) in grid.iter_mut().enumerate().skip(first) {
                let t = i as f64 * step_secs;
                if t > at + 1e-9 {
                    break;
                }
                *slot = old + (value - old) * ((t - was) / (at - was)).clamp(0.0, 1.0);
            }
        }
        before = Some((at, value));
    }
    grid
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(text: &str) -> Vec<(f64, f64)> {
        let value = |c: char| match c {
            'x' => 0.8,
            'm' => 0.2,
            _ => 0.0,
        };
        text.chars().enumerate().filter(|(_, c)| *c != ' ').map(|(i, c)| (0.1 * i as f64, value(c))).collect()
    }

    #[test]
    fn a_rise_comes_from_rest_and_stays() {
        let onsets =
            |text: &str| rises(series(text), 0.3).iter().map(|r| (10.0 * r.onset).round() as i32).collect::<Vec<_>>();
        assert_eq!(onsets("......xxxxxxx.."), [6]);
        assert_eq!(onsets("xxxxxxxxxxxx"), [] as [i32; 0], "already up");
        assert_eq!(onsets("......xxx.....xx....."), [] as [i32; 0], "a mouth that speaks");
        assert_eq!(onsets("......xxxxxxxmmmxxxxxxxx"), [6], "not down between");
        assert_eq!(onsets("......xxxxxxx.......xxxxxxxx"), [6, 20]);
        assert_eq!(onsets("......      xxxxxxx"), [] as [i32; 0], "unseen before");
        assert!((rises(series("......xxxxxxx.."), 0.3)[0].sure - 1.1).abs() < 1e-6);
    }

    #[test]
    fn a_grid_is_linear_between_neighbours_and_empty_in_gaps() {
        let grid = on_grid([(0.05, 1.0), (0.25, 3.0), (0.9, 0.0), (1.0, 1.0)], 1.2, 0.1);
        let told: Vec<i32> = grid.iter().map(|v| if v.is_nan() { -1 } else { (10.0 * v).round() as i32 }).collect();
        assert_eq!(told, [-1, 15, 25, -1, -1, -1, -1, -1, -1, 0, 10, -1, -1]);
    }
}
