//! What a correction is about: a name, and the moment at which it can be told again.

use std::fmt;

use crate::time::Seconds;

/// When, and for what is seen also where.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Moment {
    /// From the recording's origin.
    pub at: Seconds,
    /// px from the picture's left and top.
    pub place: Option<(f32, f32)>,
}

/// A name as the tables have it, and a moment that says which it is whatever it is called.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Subject {
    /// `SPEAKER_00`, `P1`, a track's or a turn's number, or a name that was enrolled.
    pub name: String,
    /// `None` where the name alone counts.
    pub moment: Option<Moment>,
}

impl Subject {
    /// Reads `name`, `name@secs` or `name@secs:XxY`; `None` for an empty name. A name may hold `@` itself: what follows
    /// the last one is a moment only where it reads as one.
    pub fn parse(text: &str) -> Option<Self> {
        let pinned = text.rsplit_once('@').and_then(|(name, moment)| Some((name, parse_moment(moment)?)));
        let (name, moment) = match pinned {
            Some((name, moment)) => (name, Some(moment)),
            None => (text, None),
        };
        (!name.is_empty()).then(|| Subject { name: name.to_owned(), moment })
    }

    /// The number that a track or a turn is called by.
    pub fn number(&self) -> Option<u32> {
        self.name.parse().ok().filter(|_| self.name.bytes().all(|b| b.is_ascii_digit()))
    }

    /// The same, pinned.
    pub fn at(&self, moment: Moment) -> Self {
        Subject { name: self.name.clone(), moment: Some(moment) }
    }
}

fn parse_moment(text: &str) -> Option<Moment> {
    let number = |text: &str| text.parse::<f64>().ok().filter(|x| x.is_finite() && *x >= 0.0);
    let (at, place) = match text.split_once(':') {
        Some((at, place)) => (at, Some(place)),
        None => (text, None),
    };
    let place = match place.map(|p| p.split_once('x')) {
        None => None,
        Some(Some((x, y))) => Some((number(x)? as f32, number(y)? as f32)),
        Some(None) => return None,
    };
    Some(Moment { at: Seconds::of(number(at)?), place })
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        let Some(Moment { at, place }) = self.moment else { return Ok(()) };
        write!(f, "@{}", (at.get() * 1e3).round() / 1e3)?;
        place.map_or(Ok(()), |(x, y)| write!(f, ":{}x{}", x.round(), y.round()))
    }
}
