//! How fast interviews are done and how much they write, from those that were done on this machine.

use crate::pipeline::Kept;

/// What was done, added up.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Pace {
    /// Interviews.
    pub interviews: usize,
    /// Length of their media.
    pub media_secs: f64,
    /// Time their workers spent.
    pub spent_secs: f64,
    /// Bytes of their media.
    pub media_bytes: u64,
    /// Bytes written for them.
    pub written_bytes: u64,
}

/// What is to be done.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Left {
    /// Interviews.
    pub interviews: usize,
    /// Bytes of their media.
    pub media_bytes: u64,
}

/// What the rest takes, at the pace of what was done: a file's share of the bytes is taken for its share of time.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize)]
pub struct Estimate {
    /// Length of the media.
    pub media_secs: f64,
    /// Wall-clock time.
    pub secs: f64,
    /// Bytes to be written.
    pub bytes: f64,
}

impl Pace {
    /// Takes in an interview.
    pub fn add(&mut self, kept: &Kept) {
        self.interviews += 1;
        self.media_secs += kept.media_secs.unwrap_or(0.0);
        self.spent_secs += kept.spent_secs;
        self.media_bytes += kept.media_bytes;
        self.written_bytes += kept.written_bytes;
    }

    /// Seconds of media in a second of one worker; `None` where nothing was done.
    pub fn speed(&self) -> Option<f64> {
        (self.spent_secs > 0.0 && self.media_secs > 0.0).then(|| self.media_secs / self.spent_secs)
    }

    /// What `left` takes with so many workers; `None` where nothing was done to judge by.
    pub fn estimate(&self, left: Left, jobs: usize) -> Option<Estimate> {
        let share = if left.media_bytes > 0 && self.media_bytes > 0 {
            left.media_bytes as f64 / self.media_bytes as f64
        } else if self.interviews > 0 && left.media_bytes == 0 {
            // Transcripts alone.
            left.interviews as f64 / self.interviews as f64
        } else {
            return None;
        };
        let workers = jobs.clamp(1, left.interviews.max(1)) as f64;
        let media_secs = if left.media_bytes > 0 { self.media_secs * share } else { 0.0 };
        Some(Estimate { media_secs, secs: self.spent_secs * share / workers, bytes: self.written_bytes as f64 * share })
    }
}

/// `40 s`, `12 min`, `3 h 20 min`, `5 days 3 h`.
pub fn words_of_secs(secs: f64) -> String {
    let minutes = (secs / 60.0).round() as u64;
    match minutes {
        _ if secs < 90.0 => format!("{secs:.0} s"),
        0..120 => format!("{minutes} min"),
        120..2880 => format!("{} h {} min", minutes / 60, minutes % 60),
        _ => format!("{} days {} h", minutes / 1440, minutes % 1440 / 60),
    }
}

/// `812 MB`, `21.4 GB`: of a thousand each.
pub fn words_of_bytes(bytes: f64) -> String {
    if bytes < 1e9 { format!("{:.0} MB", (bytes / 1e6).max(1.0)) } else { format!("{:.1} GB", bytes / 1e9) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rest_takes_its_share_of_what_was_spent() {
        let mut pace = Pace::default();
        assert_eq!(pace.estimate(Left { interviews: 1, media_bytes: 1 }, 1), None);
        pace.add(&Kept { media_secs: Some(60.0), spent_secs: 30.0, media_bytes: 1000, written_bytes: 500 });
        pace.add(&Kept { media_secs: Some(30.0), spent_secs: 30.0, media_bytes: 500, written_bytes: 250 });
        assert_eq!(pace.speed(), Some(1.5));
        let left = Left { interviews: 10, media_bytes: 15_000 };
        let estimate = pace.estimate(left, 4).unwrap();
        assert_eq!(estimate, Estimate { media_secs: 900.0, secs: 150.0, bytes: 7500.0 });
        // No more workers than interviews; and transcripts by their number.
        assert!((pace.estimate(Left { interviews: 1, ..left }, 4).unwrap().secs - 600.0).abs() < 1e-9);
        let texts = pace.estimate(Left { interviews: 3, media_bytes: 0 }, 1).unwrap();
        assert_eq!((texts.media_secs, texts.secs), (0.0, 90.0));
    }

    #[test]
    fn times_and_sizes_are_told_in_units_of_their_size() {
        let of = |secs| words_of_secs(secs);
        assert_eq!(
            [of(0.4), of(89.0), of(600.0), of(12_000.0), of(441_000.0)],
            ["0 s", "89 s", "10 min", "3 h 20 min", "5 days 2 h"]
        );
        assert_eq!(
            [words_of_bytes(10.0), words_of_bytes(8.12e8), words_of_bytes(2.14e10)],
            ["1 MB", "812 MB", "21.4 GB"]
        );
    }
}
