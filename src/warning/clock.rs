//! What is told of a transcript's clock.

use std::fmt;

/// From the transcript's clock to the sound's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClockShift {
    /// Added to times about `at_secs`, in seconds.
    pub secs: f64,
    /// A time of the transcript, in seconds.
    pub at_secs: f64,
    /// What is added more for each second after it, in millionths; 0 = no drift.
    pub drift_ppm: f64,
}

/// What was found, and done.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TranscriptClock {
    /// It fits better elsewhere; nobody asked to move it.
    Elsewhere(ClockShift),
    /// It was moved, as asked.
    Moved(ClockShift),
    /// It was to be moved, and where to could not be measured, for this reason.
    Unknown(&'static str),
}

impl fmt::Display for ClockShift {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:+.2} s", self.secs)?;
        if self.drift_ppm != 0.0 {
            write!(f, " at {:.1} s and {:+.0} ppm of the time from there", self.at_secs, self.drift_ppm)?;
        }
        Ok(())
    }
}

impl fmt::Display for TranscriptClock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TranscriptClock::Elsewhere(shift) => {
                write!(f, "speech fits the transcript better moved by {shift}; not applied")
            }
            TranscriptClock::Moved(shift) => write!(f, "transcript moved by {shift}, where speech fits it best"),
            TranscriptClock::Unknown(why) => write!(f, "transcript not moved: no offset could be measured ({why})"),
        }
    }
}
