//! All observations of one video, in order of time. What finds one is held; the rest lies aside, in a temporary file
//! where there is much of it, and is read back piece by piece: hours of faces take no more memory than minutes.

use std::ops::Range;
use std::sync::Arc;

use serde::de::{Error as _, SeqAccess, Visitor};
use serde::ser::{Error as _, SerializeSeq};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::observation::{BoundingBox, Gaze, HeadPose, Observation, Quality};
use crate::error::{Error, Result};
use crate::packed::Packed;
use crate::scratch::Scratch;
use crate::time::{Seconds, Segment};

/// Observations read at once where all are wanted.
const PIECE: usize = 256;

/// When and of which track an observation is, and where the rest of it lies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    /// Time of the frame.
    pub pts: Seconds,
    /// The track it belongs to.
    pub track: u32,
    bytes: u32,
    begin: u64,
}

/// Observations in order of time, then track.
#[derive(Clone, Default)]
pub struct Observations {
    places: Vec<Place>,
    aside: Arc<Scratch>,
}

impl std::fmt::Debug for Observations {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} observations", self.len())
    }
}

impl PartialEq for Observations {
    fn eq(&self, other: &Self) -> bool {
        let is_same = |(a, b): (Result<Observation>, Result<Observation>)| matches!((a, b), (Ok(a), Ok(b)) if a == b);
        self.len() == other.len() && self.iter().zip(other.iter()).all(is_same)
    }
}

impl Observations {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// True without any.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Time and track of each.
    pub fn places(&self) -> &[Place] {
        &self.places
    }

    /// Those of `range`, cut to what there is.
    ///
    /// # Errors
    /// [`Error::Read`] where they cannot be read back.
    pub fn part(&self, range: Range<usize>) -> Result<Vec<Observation>> {
        let end = range.end.min(self.len());
        let places = &self.places[range.start.min(end)..end];
        let begin = places.iter().map(|p| p.begin).min().unwrap_or_default();
        let stop = places.iter().map(|p| p.begin + u64::from(p.bytes)).max().unwrap_or_default();
        let bytes = self.aside.read(begin..stop)?;
        let one = |place: &Place| {
            let from = (place.begin - begin) as usize;
            let mut own = &bytes[from..from + place.bytes as usize];
            unpack(place, &mut own).ok_or_else(|| {
                let source = std::io::Error::new(std::io::ErrorKind::InvalidData, "no observation as it was written");
                Error::Read { path: std::env::temp_dir(), source }
            })
        };
        places.iter().map(one).collect()
    }

    /// Those within a segment.
    ///
    /// # Errors
    /// As [`Observations::part`].
    pub fn during(&self, segment: Segment) -> Result<Vec<Observation>> {
        self.part(segment.places(&self.places, |p| p.pts.get()))
    }

    /// Those of one picture.
    ///
    /// # Errors
    /// As [`Observations::part`].
    pub fn at(&self, pts: Seconds) -> Result<Vec<Observation>> {
        let first = self.places.partition_point(|p| p.pts < pts);
        let end = self.places.partition_point(|p| p.pts <= pts);
        self.part(first..end)
    }

    /// All, one after the other; at most some hundred are held at once.
    pub fn iter(&self) -> impl Iterator<Item = Result<Observation>> {
        let pieces = (0..self.len()).step_by(PIECE).map(|first| self.part(first..first + PIECE));
        pieces.flat_map(|piece| match piece {
            Ok(all) => all.into_iter().map(Ok).collect(),
            Err(error) => vec![Err(error)],
        })
    }
}

/// Takes observations as they are made.
#[derive(Debug, Default)]
pub(super) struct Recorder {
    places: Vec<Place>,
    aside: Scratch,
    bytes: Vec<u8>,
}

impl Recorder {
    /// Puts one behind the others.
    ///
    /// # Errors
    /// [`Error::Write`] where the temporary folder has no room.
    pub fn push(&mut self, observation: &Observation) -> Result<()> {
        self.bytes.clear();
        pack(observation, &mut self.bytes);
        let (begin, bytes) = (self.aside.bytes(), self.bytes.len() as u32);
        self.aside.append(&self.bytes)?;
        self.places.push(Place { pts: observation.pts, track: observation.track, bytes, begin });
        Ok(())
    }

    /// All that were taken, each track by its new number; those of tracks without one are left out.
    pub fn finish(self, renumber: impl Fn(u32) -> Option<u32>) -> Observations {
        let Recorder { mut places, aside, .. } = self;
        places.retain_mut(|p| renumber(p.track).map(|new| p.track = new).is_some());
        places.sort_by_key(|p| (p.pts, p.track));
        places.shrink_to_fit();
        Observations { places, aside: Arc::new(aside) }
    }
}

/// All but time and track, every bit of it.
fn pack(observation: &Observation, into: &mut Vec<u8>) {
    let Observation {
        pts: _,
        track: _,
        bounds,
        score,
        presence,
        blendshapes,
        pose,
        gaze,
        expression,
        eye_opening_left,
        eye_opening_right,
        mouth_opening,
        lip_corner_lift,
        picture_change,
        quality,
        landmarks,
    } = observation;
    let BoundingBox { left, top, width, height } = *bounds;
    let Quality { size_px, sharpness, in_frame } = *quality;
    [left, top, width, height, *score, *presence, size_px, sharpness, in_frame].pack(into);
    pose.map(|HeadPose { yaw_deg, pitch_deg, roll_deg }| [yaw_deg, pitch_deg, roll_deg]).pack(into);
    let angles = |Gaze { head_yaw_deg, head_pitch_deg, camera_yaw_deg, camera_pitch_deg }| {
        [head_yaw_deg, head_pitch_deg, camera_yaw_deg, camera_pitch_deg]
    };
    gaze.map(angles).pack(into);
    blendshapes.pack(into);
    expression.pack(into);
    for one in [eye_opening_left, eye_opening_right, mouth_opening, lip_corner_lift, picture_change] {
        one.map(|x| [x]).pack(into);
    }
    landmarks.pack(into);
}

/// The observation at a place; `None` where its bytes are none of [`pack`]'s.
fn unpack(place: &Place, from: &mut &[u8]) -> Option<Observation> {
    let [left, top, width, height, score, presence, size_px, sharpness, in_frame] = <[f32; 9]>::unpack(from)?;
    let pose = Option::<[f32; 3]>::unpack(from)?;
    let gaze = Option::<[f32; 4]>::unpack(from)?;
    let (blendshapes, expression) = (Packed::unpack(from)?, Packed::unpack(from)?);
    let mut maybe = || Some(Option::<[f32; 1]>::unpack(from)?.map(|[x]| x));
    let (eye_opening_left, eye_opening_right, mouth_opening) = (maybe()?, maybe()?, maybe()?);
    let (lip_corner_lift, picture_change) = (maybe()?, maybe()?);
    let landmarks = Packed::unpack(from)?;
    from.is_empty().then_some(Observation {
        pts: place.pts,
        track: place.track,
        bounds: BoundingBox { left, top, width, height },
        score,
        presence,
        blendshapes,
        pose: pose.map(|[yaw_deg, pitch_deg, roll_deg]| HeadPose { yaw_deg, pitch_deg, roll_deg }),
        gaze: gaze.map(|[head_yaw_deg, head_pitch_deg, camera_yaw_deg, camera_pitch_deg]| Gaze {
            head_yaw_deg,
            head_pitch_deg,
            camera_yaw_deg,
            camera_pitch_deg,
        }),
        expression,
        eye_opening_left,
        eye_opening_right,
        mouth_opening,
        lip_corner_lift,
        picture_change,
        quality: Quality { size_px, sharpness, in_frame },
        landmarks,
    })
}

/// One after the other, as a list of them is written.
impl Serialize for Observations {
    fn serialize<S: Serializer>(&self, to: S) -> std::result::Result<S::Ok, S::Error> {
        let mut all = to.serialize_seq(Some(self.len()))?;
        for one in self.iter() {
            all.serialize_element(&one.map_err(S::Error::custom)?)?;
        }
        all.end()
    }
}

impl<'de> Deserialize<'de> for Observations {
    fn deserialize<D: Deserializer<'de>>(from: D) -> std::result::Result<Self, D::Error> {
        from.deserialize_seq(All)
    }
}

struct All;

impl<'de> Visitor<'de> for All {
    type Value = Observations;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("observations of faces")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut all: A) -> std::result::Result<Observations, A::Error> {
        let mut taken = Recorder::default();
        while let Some(one) = all.next_element::<Observation>()? {
            taken.push(&one).map_err(A::Error::custom)?;
        }
        Ok(taken.finish(Some))
    }
}

#[cfg(test)]
impl FromIterator<Observation> for Observations {
    fn from_iter<I: IntoIterator<Item = Observation>>(all: I) -> Self {
        let mut taken = Recorder::default();
        all.into_iter().for_each(|one| taken.push(&one).unwrap());
        taken.finish(Some)
    }
}

#[cfg(test)]
impl From<Vec<Observation>> for Observations {
    fn from(all: Vec<Observation>) -> Self {
        all.into_iter().collect()
    }
}

#[cfg(test)]
impl Observations {
    /// All at once.
    pub(crate) fn all(&self) -> Vec<Observation> {
        self.part(0..self.len()).unwrap()
    }

    /// The same ones, changed.
    pub(crate) fn edit(&mut self, change: impl FnOnce(&mut Vec<Observation>)) {
        let mut all = self.all();
        change(&mut all);
        *self = all.into();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A face of which everything, or nothing but its place, is known.
    fn face(i: usize, track: u32, is_known: bool) -> Observation {
        let x = |k: usize| (1000 * i + k) as f32 + 0.1;
        let bounds = BoundingBox { left: x(0), top: -0.0, width: x(2), height: f32::MIN_POSITIVE / 2.0 };
        let bare = Observation::bare(Seconds::of(0.1 * i as f64), track, bounds);
        if !is_known {
            return bare;
        }
        Observation {
            score: x(3),
            presence: x(4),
            blendshapes: Some(std::array::from_fn(|k| x(100 + k))),
            pose: Some(HeadPose { yaw_deg: x(5), pitch_deg: x(6), roll_deg: x(7) }),
            gaze: Some(Gaze {
                head_yaw_deg: x(8),
                head_pitch_deg: x(9),
                camera_yaw_deg: x(10),
                camera_pitch_deg: x(11),
            }),
            expression: Some(std::array::from_fn(|k| x(200 + k))),
            eye_opening_left: Some(x(12)),
            eye_opening_right: Some(x(13)),
            mouth_opening: Some(x(14)),
            lip_corner_lift: Some(x(15)),
            picture_change: Some(x(16)),
            quality: Quality { size_px: x(17), sharpness: x(18), in_frame: x(19) },
            landmarks: i.is_multiple_of(2).then(|| Box::new(std::array::from_fn(|k| [x(k), x(k + 1), x(k + 2)]))),
            ..bare
        }
    }

    #[test]
    fn every_field_comes_back_from_memory_from_a_file_and_from_a_kept_result() {
        // Landmarks of 2400 faces are more than is held.
        let many: Vec<Observation> = (0..2400).map(|i| face(i, 1 + (i % 3) as u32, i % 5 != 3)).collect();
        let taken: Observations = many.iter().cloned().collect();
        assert!(taken.aside.bytes() > 5 << 20, "the test must reach the file");
        assert_eq!(taken.all(), many);
        assert_eq!(taken.iter().collect::<Result<Vec<_>>>().unwrap(), many);
        assert_eq!(taken.part(2398..9999).unwrap(), many[2398..]);
        assert!(taken.part(5000..9999).unwrap().is_empty());
        assert_eq!(taken.during(Segment::from_secs(0.25, 0.45).unwrap()).unwrap(), many[3..5]);
        let packed = rmp_serde::to_vec(&taken).unwrap();
        assert_eq!(packed, rmp_serde::to_vec(&many).unwrap(), "as a list");
        let back: Observations = rmp_serde::from_slice(&packed).unwrap();
        assert_eq!((back.all(), back == taken), (many, true));
    }

    #[test]
    fn what_no_comparison_tells_comes_back_to_the_bit() {
        let odd = f32::from_bits(0xffc1_2345);
        let mut one = face(0, 1, true);
        (one.bounds.left, one.expression) = (odd, Some([-0.0, odd, f32::INFINITY, 0.0, 1.0, 2.0, 3.0]));
        let back = [one].into_iter().collect::<Observations>().all().remove(0);
        assert_eq!((back.bounds.left.to_bits(), back.bounds.top.to_bits()), (odd.to_bits(), (-0.0f32).to_bits()));
        assert_eq!(back.expression.unwrap()[..2].iter().map(|x| x.to_bits()).collect::<Vec<_>>()[1], odd.to_bits());
    }

    #[test]
    fn tracks_get_their_numbers_and_what_has_none_is_left_out() {
        let mut taken = Recorder::default();
        for (i, track) in [(0, 7), (0, 9), (1, 8), (1, 7), (2, 9)] {
            taken.push(&face(i, track, true)).unwrap();
        }
        let all = taken.finish(|track| match track {
            7 => Some(2),
            9 => Some(1),
            _ => None,
        });
        let told = |o: &Observation| (o.pts.get(), o.track, o.bounds.left);
        let expected = [(0.0, 1, 0.1), (0.0, 2, 0.1), (0.1, 2, 1000.1), (0.2, 1, 2000.1)];
        assert_eq!(all.all().iter().map(told).collect::<Vec<_>>(), expected);
        assert_eq!(all.places().iter().map(|p| p.track).collect::<Vec<_>>(), [1, 2, 2, 1]);
    }
}
