//! `turnwise overlay`: the film with what was measured drawn on it, to be checked by eye; and contact sheets.
//!
//! ```text
//! row of `interviews` ── interview: which film, which streams, which tables
//! turns, speech, speakers, smiles, words, tracks ── talk (held whole)     ┐
//! faces, bodies, hands, voice ── rows (read on as the film goes) ── seen  ├─ painter ─┬─ film: pictures at their own
//! fonts ── letters (shaped by cosmic-text) ── captions                    ┘           │        times, with the sound
//! pixels ── canvas                                                                    └─ sheet: stills in a grid
//! ```
//!
//! No model is run: what is seen here is what the tables say. A row is drawn on the pictures that are nearer to its
//! instant than to the next one that was looked at. The same film, tables and fonts give the same pixels.

mod canvas;
mod captions;
mod film;
mod interview;
mod letters;
mod painter;
mod rows;
mod seen;
mod sheet;
mod talk;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::time::Seconds;

pub use film::FilmTold;
pub use interview::Interview;
pub use sheet::SheetsTold;

/// Time stamps this close before an instant are on it.
const ROUNDING_SECS: f64 = 0.5e-6;
/// Letters that a warning lists.
const LISTED: usize = 20;

/// What is drawn, and on what.
#[derive(Clone, Copy, Debug)]
pub struct Overlay<'a> {
    /// Whose tables.
    pub interview: &'a Interview,
    /// The film that they were made from.
    pub media: &'a Path,
    /// Its sound, where that is another file.
    pub sound: Option<&'a Path>,
    /// First instant, from the recording's origin.
    pub from: Seconds,
    /// The first instant that is not drawn any more; `None` = the film's end.
    pub until: Option<Seconds>,
    /// Fonts that are looked in before the system's, files or folders.
    pub fonts: &'a [PathBuf],
}

/// What was drawn, and the letters that no font had.
struct Drawn<T> {
    told: T,
    missing: BTreeSet<char>,
}

impl Overlay<'_> {
    /// Writes the film to `to`, whose ending chooses the container.
    ///
    /// # Errors
    /// [`Error::Usage`] for an ending that is no film's and a stretch without pictures; those of reading the tables and
    /// the film, and of writing.
    pub fn film(&self, to: &Path) -> Result<FilmTold> {
        let drawn = film::draw(self, to)?;
        tell_missing(&drawn.missing);
        Ok(drawn.told)
    }

    /// Writes a still for each turn, or every so many seconds, to `to`, or, where one sheet does not hold them, to
    /// files beside it that are numbered.
    ///
    /// # Errors
    /// As [`Overlay::film`].
    pub fn contact_sheet(&self, to: &Path, every: Option<f64>) -> Result<SheetsTold> {
        let drawn = sheet::draw(self, to, every)?;
        tell_missing(&drawn.missing);
        Ok(drawn.told)
    }

    fn painter(&self) -> Result<painter::Painter> {
        let letters = letters::Letters::new(self.fonts, true)?;
        painter::Painter::open(self.interview.tables(), self.from, letters)
    }

    fn no_pictures(&self, end: Option<Seconds>) -> Error {
        let end = end.map_or_else(|| "has none".to_owned(), |end| format!("ends at {end}"));
        Error::Usage {
            what: format!("there is no picture in the stretch asked for: the film {end}"),
            hint: "give another --from or --until".into(),
        }
    }

    /// Told where the film is of another size than the tables were made from.
    fn check_size(&self, (width, height): (u32, u32)) {
        if let Some((w, h)) = self.interview.size().filter(|size| *size != (width, height)) {
            telling(&format!(
                "the tables were made from pictures of {w} x {h}, these are {width} x {height}: places may be wrong"
            ));
        }
    }
}

fn telling(what: &str) {
    tracing::warn!("{what}");
}

/// Told once: boxes stand for letters that no font has.
fn tell_missing(missing: &BTreeSet<char>) {
    if missing.is_empty() {
        return;
    }
    let more = if missing.len() > LISTED { format!(" and {} more", missing.len() - LISTED) } else { String::new() };
    let listed: String = missing.iter().take(LISTED).collect();
    telling(&format!(
        "no font has the letters {listed}{more}; boxes stand for them. Install a font of this script, or name one with \
         --fonts"
    ));
}

/// A time on the command line: seconds (`90`, `90.5`), or `m:ss` and `h:mm:ss`.
///
/// # Errors
/// What is wrong with it, in words.
pub fn parse_time(text: &str) -> std::result::Result<Seconds, String> {
    let bad = || format!("\"{text}\" is no time; give seconds (90.5), m:ss or h:mm:ss");
    let parts: Vec<&str> = text.trim().split(':').collect();
    let (last, front) = parts.split_last().ok_or_else(bad)?;
    let is_plain =
        |part: &str, more: &str| !part.is_empty() && part.chars().all(|c| c.is_ascii_digit() || more.contains(c));
    if front.len() > 2 || !is_plain(last, ".") || !front.iter().all(|part| is_plain(part, "")) {
        return Err(bad());
    }
    let mut secs = 0.0;
    for (i, part) in front.iter().chain([last]).enumerate() {
        let value: f64 = part.parse().map_err(|_| bad())?;
        if i > 0 && value >= 60.0 {
            return Err(bad());
        }
        secs = 60.0 * secs + value;
    }
    if secs > crate::time::LONGEST_SECS { Err(bad()) } else { Ok(Seconds::of(secs)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_seconds_or_clocks() {
        for (text, secs) in [("90", 90.0), ("0.5", 0.5), ("1:30", 90.0), ("1:02:03.25", 3723.25), ("90:00", 5400.0)] {
            assert_eq!(parse_time(text).unwrap(), Seconds::of(secs), "{text}");
        }
        for text in ["", "x", "-1", "1:60", "1:2:3:4", ":30", "1:", "nan", "inf", "1e3", "99999999999", "1.5:00"] {
            assert!(parse_time(text).is_err(), "{text}");
        }
    }
}
