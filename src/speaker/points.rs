//! The points of all tracks: a quarter of a second of solo speech each, whose embeddings lie aside, in a temporary file
//! where a recording is long.

use serde::de::{Error as _, SeqAccess, Visitor};
use serde::ser::{Error as _, SerializeSeq};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::resegmentation::TrackPoint;
use crate::error::Result;
use crate::scratch::Scratch;

/// A point, and where its embedding lies.
#[derive(Clone, Copy, Debug)]
struct Held {
    frame: u32,
    after_pause: bool,
    /// Its embedding's number; `None` where too little was there to embed.
    place: Option<u32>,
}

/// Points of every track, in order.
#[derive(Debug, Default)]
pub(super) struct Points {
    tracks: Vec<Vec<Held>>,
    /// In the order in which they were made.
    embeddings: Scratch,
    made: u32,
    /// Numbers in an embedding.
    values: usize,
}

impl Points {
    /// Points without embeddings: `(frame, after a pause)` of each point of each track.
    pub fn planned(tracks: Vec<Vec<(usize, bool)>>) -> Self {
        let held = |(frame, after_pause): (usize, bool)| Held { frame: frame as u32, after_pause, place: None };
        let tracks = tracks.into_iter().map(|points| points.into_iter().map(held).collect()).collect();
        Points { tracks, ..Points::default() }
    }

    /// Gives a point of a track its embedding.
    ///
    /// # Errors
    /// [`crate::error::Error::Write`] where the temporary folder has no room.
    pub fn embed(&mut self, (track, point): (usize, usize), embedding: &[f32]) -> Result<()> {
        self.values = embedding.len();
        self.embeddings.append_floats(embedding.iter().copied())?;
        self.tracks[track][point].place = Some(self.made);
        self.made += 1;
        Ok(())
    }

    /// Adds a track.
    fn push(&mut self, points: &[TrackPoint]) -> Result<()> {
        let track = self.tracks.len();
        let held = |p: &TrackPoint| Held { frame: p.frame as u32, after_pause: p.after_pause, place: None };
        self.tracks.push(points.iter().map(held).collect());
        let embedded = points.iter().enumerate().filter_map(|(i, p)| Some((i, p.embedding.as_ref()?)));
        embedded.into_iter().try_for_each(|(i, embedding)| self.embed((track, i), embedding))
    }

    /// How many tracks there are.
    pub fn tracks(&self) -> usize {
        self.tracks.len()
    }

    /// The frames of a track's points.
    pub fn frames(&self, track: usize) -> impl ExactSizeIterator<Item = usize> {
        self.tracks[track].iter().map(|p| p.frame as usize)
    }

    /// The points of a track.
    ///
    /// # Errors
    /// [`crate::error::Error::Read`] where they cannot be read back.
    pub fn of(&self, track: usize) -> Result<Vec<TrackPoint>> {
        let point = |held: &Held| {
            let begin = |place: u32| place as usize * self.values;
            let read = |place: u32| self.embeddings.floats(begin(place)..begin(place) + self.values);
            let embedding = held.place.map(read).transpose()?;
            Ok(TrackPoint { frame: held.frame as usize, embedding, after_pause: held.after_pause })
        };
        self.tracks[track].iter().map(point).collect()
    }

    /// The points of all tracks, one track after the other.
    pub fn all(&self) -> impl Iterator<Item = Result<Vec<TrackPoint>>> {
        (0..self.tracks()).map(|track| self.of(track))
    }
}

/// As a list of lists of points is written.
impl Serialize for Points {
    fn serialize<S: Serializer>(&self, to: S) -> std::result::Result<S::Ok, S::Error> {
        let mut tracks = to.serialize_seq(Some(self.tracks()))?;
        for points in self.all() {
            tracks.serialize_element(&points.map_err(S::Error::custom)?)?;
        }
        tracks.end()
    }
}

impl<'de> Deserialize<'de> for Points {
    fn deserialize<D: Deserializer<'de>>(from: D) -> std::result::Result<Self, D::Error> {
        from.deserialize_seq(Tracks)
    }
}

struct Tracks;

impl<'de> Visitor<'de> for Tracks {
    type Value = Points;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("points of tracks")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut tracks: A) -> std::result::Result<Points, A::Error> {
        let mut all = Points::default();
        while let Some(points) = tracks.next_element::<Vec<TrackPoint>>()? {
            let lengths = || points.iter().filter_map(|p| Some(p.embedding.as_ref()?.len()));
            let values = if all.made == 0 { lengths().next().unwrap_or(0) } else { all.values };
            if lengths().any(|l| l != values) {
                return Err(A::Error::custom("embeddings of unequal length"));
            }
            all.push(&points).map_err(A::Error::custom)?;
        }
        Ok(all)
    }
}

#[cfg(test)]
impl From<Vec<Vec<TrackPoint>>> for Points {
    fn from(tracks: Vec<Vec<TrackPoint>>) -> Self {
        let mut all = Points::default();
        tracks.iter().for_each(|points| all.push(points).unwrap());
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_come_back_however_their_embeddings_were_made_and_kept() {
        let point = |frame: usize, x: Option<f32>| TrackPoint {
            frame,
            embedding: x.map(|x| vec![x, -x, 0.5]),
            after_pause: frame % 2 == 1,
        };
        let tracks =
            vec![vec![point(3, Some(0.1)), point(7, None), point(12, Some(0.3))], vec![], vec![point(5, Some(0.4))]];
        let planned = tracks.iter().map(|t| t.iter().map(|p| (p.frame, p.after_pause)).collect()).collect();
        let mut points = Points::planned(planned);
        // Tracks that run beside each other are embedded in turn.
        for (track, i) in [(2, 0), (0, 0), (0, 2)] {
            points.embed((track, i), tracks[track][i].embedding.as_ref().unwrap()).unwrap();
        }
        let packed = rmp_serde::to_vec(&points).unwrap();
        assert_eq!(packed, rmp_serde::to_vec(&tracks).unwrap(), "as lists");
        for points in [points, rmp_serde::from_slice(&packed).unwrap(), Points::from(tracks.clone())] {
            assert_eq!(points.all().collect::<Result<Vec<_>>>().unwrap(), tracks);
            assert_eq!((points.tracks(), points.frames(0).collect::<Vec<_>>()), (3, vec![3, 7, 12]));
        }
        let uneven = vec![vec![point(1, Some(0.1)), TrackPoint { embedding: Some(vec![1.0]), ..point(2, None) }]];
        assert!(rmp_serde::from_slice::<Points>(&rmp_serde::to_vec(&uneven).unwrap()).is_err());
    }
}
