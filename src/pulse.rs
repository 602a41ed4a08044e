//! The pulse of a process: how much work it has done, in units of no size, so that somebody outside can tell a long
//! step from a hang.
//!
//! Only work that comes to an end may beat: media read or decoded further than ever before, a call of a model, a frame
//! of sound, a table written. A loop that goes round without getting anywhere (a decoder that spins, a library that
//! repeats its warning) does not beat, however busy it is. One counter a process is enough: a worker does one interview
//! at a time.

use std::sync::atomic::{AtomicU64, Ordering};

static BEATS: AtomicU64 = AtomicU64::new(0);

/// A unit of work is done.
pub fn beat() {
    BEATS.fetch_add(1, Ordering::Relaxed);
}

/// Units done since the process began.
pub fn beats() -> u64 {
    BEATS.load(Ordering::Relaxed)
}

/// How far something has got: beats where it gets further, and only there.
#[derive(Clone, Copy, Debug)]
pub struct Furthest(f64);

impl Default for Furthest {
    fn default() -> Self {
        Furthest(f64::NEG_INFINITY)
    }
}

impl Furthest {
    /// Has got to `place`; true when that is further than before.
    pub fn reach(&mut self, place: f64) -> bool {
        let further = place > self.0;
        if further {
            self.0 = place;
            beat();
        }
        further
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn going_round_is_not_getting_further() {
        let mut furthest = Furthest::default();
        let reached: Vec<bool> = [0.0, 0.04, 0.04, 0.0, f64::NAN, 0.08].iter().map(|t| furthest.reach(*t)).collect();
        assert_eq!(reached, [true, true, false, false, false, true]);
        let before = beats();
        furthest.reach(1.0);
        assert!(beats() > before);
    }
}
