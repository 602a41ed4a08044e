//! Time: seconds since the recording's common origin, half-open segments, and the one map between samples and seconds.

use std::cmp::Ordering;
use std::fmt;
use std::ops::{Add, Range, Sub};

/// Times that differ by less are one: sums of decimal texts and of frame durations go astray by less, and no two events
/// lie so near.
pub const TOLERANCE_SECS: f64 = 1e-6;

/// No recording is longer, in seconds: 100 hours. A file that says otherwise counts in another unit, or is damaged.
pub const LONGEST_SECS: f64 = 360_000.0;

/// An instant or a span in seconds, counted from the recording's common origin; always finite, totally ordered.
///
/// Compare with `<` and tolerances, never for equality of two computed values.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize)]
#[serde(transparent)]
pub struct Seconds(f64);

impl Seconds {
    /// The recording's origin.
    pub const ZERO: Seconds = Seconds(0.0);

    /// `None` when `secs` is NaN or infinite.
    pub fn new(secs: f64) -> Option<Self> {
        secs.is_finite().then_some(Seconds(secs))
    }

    /// For values that are finite by construction; a non-finite one becomes 0 in release builds and panics in debug
    /// builds.
    pub fn of(secs: f64) -> Self {
        debug_assert!(secs.is_finite(), "non-finite time {secs}");
        Seconds(if secs.is_finite() { secs } else { 0.0 })
    }

    /// `ticks` of a time base of `num / den` seconds, multiplied before it is divided.
    pub fn from_ticks(ticks: i64, num: i32, den: i32) -> Self {
        Seconds((i128::from(ticks) * i128::from(num)) as f64 / f64::from(den))
    }

    /// The instant of sample `index` at `rate_hz`.
    pub fn from_samples(index: u64, rate_hz: u32) -> Self {
        Seconds(index as f64 / f64::from(rate_hz))
    }

    /// The plain number.
    pub const fn get(self) -> f64 {
        self.0
    }

    /// The nearest sample at `rate_hz`; instants before the origin give 0.
    pub fn to_sample(self, rate_hz: u32) -> usize {
        (self.0 * f64::from(rate_hz)).round().max(0.0) as usize
    }
}

/// What is not finite is refused.
impl<'de> serde::Deserialize<'de> for Seconds {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let secs = <f64 as serde::Deserialize>::deserialize(from)?;
        Seconds::new(secs).ok_or_else(|| serde::de::Error::custom("a time that is not finite"))
    }
}

impl Eq for Seconds {}

impl Ord for Seconds {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl PartialOrd for Seconds {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Add for Seconds {
    type Output = Seconds;
    fn add(self, rhs: Seconds) -> Seconds {
        Seconds(self.0 + rhs.0)
    }
}

impl Sub for Seconds {
    type Output = Seconds;
    fn sub(self, rhs: Seconds) -> Seconds {
        Seconds(self.0 - rhs.0)
    }
}

impl fmt::Display for Seconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.3} s", self.0)
    }
}

/// Half-open interval [start, end) in seconds; `end >= start`, so a transcript's zero-length turn is representable and
/// empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(try_from = "Ends")]
pub struct Segment {
    start: Seconds,
    end: Seconds,
}

/// A segment as it is read, before its ends are looked at.
#[derive(serde::Deserialize)]
struct Ends {
    start: Seconds,
    end: Seconds,
}

impl TryFrom<Ends> for Segment {
    type Error = &'static str;

    fn try_from(read: Ends) -> Result<Self, Self::Error> {
        Segment::new(read.start, read.end).ok_or("a segment that ends before it begins")
    }
}

impl Segment {
    /// `None` when `end < start`.
    pub fn new(start: Seconds, end: Seconds) -> Option<Self> {
        (end >= start).then_some(Segment { start, end })
    }

    /// From plain seconds; `None` when not finite or reversed.
    pub fn from_secs(start: f64, end: f64) -> Option<Self> {
        Self::new(Seconds::new(start)?, Seconds::new(end)?)
    }

    /// First instant inside.
    pub fn start(self) -> Seconds {
        #[cfg(test)]
        work::one();
        self.start
    }

    /// First instant past the end.
    pub fn end(self) -> Seconds {
        #[cfg(test)]
        work::one();
        self.end
    }

    /// `end - start` in seconds.
    pub fn duration(self) -> f64 {
        self.end.0 - self.start.0
    }

    /// True for a zero-length segment.
    pub fn is_empty(self) -> bool {
        self.end <= self.start
    }

    /// The instant half-way.
    pub fn middle(self) -> Seconds {
        Seconds(0.5 * (self.start.0 + self.end.0))
    }

    /// True when `t` lies in [start, end).
    pub fn contains(self, t: Seconds) -> bool {
        #[cfg(test)]
        work::one();
        self.start <= t && t < self.end
    }

    /// Shared time in seconds, 0 when they only touch.
    pub fn overlap(self, other: Segment) -> f64 {
        #[cfg(test)]
        work::one();
        (self.end.0.min(other.end.0) - self.start.0.max(other.start.0)).max(0.0)
    }

    /// The shared part, `None` when they share no time.
    pub fn intersection(self, other: Segment) -> Option<Segment> {
        #[cfg(test)]
        work::one();
        let (start, end) = (self.start.max(other.start), self.end.min(other.end));
        (start < end).then_some(Segment { start, end })
    }

    /// Places of the items of a list in order of time that lie in [start, end); `time` gives an item's seconds.
    pub fn places<T>(self, items: &[T], time: impl Fn(&T) -> f64) -> Range<usize> {
        let (start, end) = (self.start().get(), self.end().get());
        let first = items.partition_point(|item| time(item) < start);
        first..first + items[first..].partition_point(|item| time(item) < end)
    }

    /// The items at those [`places`](Self::places).
    pub fn part_of<T>(self, items: &[T], time: impl Fn(&T) -> f64) -> &[T] {
        &items[self.places(items, time)]
    }

    /// `other.start - self.end`: positive = gap, negative = overlap, 0 = they touch.
    pub fn gap(self, other: Segment) -> f64 {
        other.start.0 - self.end.0
    }
}

/// Counts what tests hold down: how often segments are looked at, by this thread. A loop over all pairs of turns cannot
/// hide from it.
#[cfg(test)]
pub(crate) mod work {
    use std::cell::Cell;

    thread_local! {
        static LOOKS: Cell<u64> = const { Cell::new(0) };
    }

    pub(super) fn one() {
        LOOKS.with(|l| l.set(l.get() + 1));
    }

    /// How many looks `run` takes.
    pub(crate) fn of(run: impl FnOnce()) -> u64 {
        let before = LOOKS.with(Cell::get);
        run();
        LOOKS.with(Cell::get) - before
    }
}

impl fmt::Display for Segment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{:.3}, {:.3}) s", self.start.0, self.end.0)
    }
}

/// The frame ↔ time map of an analysis: frame `i` covers samples `[i * hop, i * hop + window)`, its time is the
/// window's centre.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameGrid {
    rate_hz: u32,
    window: u32,
    hop: u32,
}

impl FrameGrid {
    /// `rate_hz`, `window` and `hop` (samples) must be positive.
    ///
    /// # Panics
    /// When one of them is zero: grids are constants of the program.
    pub const fn new(rate_hz: u32, window: u32, hop: u32) -> Self {
        assert!(rate_hz > 0 && window > 0 && hop > 0);
        FrameGrid { rate_hz, window, hop }
    }

    /// Samples a second.
    pub const fn rate_hz(self) -> u32 {
        self.rate_hz
    }

    /// Samples a window.
    pub const fn window(self) -> usize {
        self.window as usize
    }

    /// Samples a hop.
    pub const fn hop(self) -> usize {
        self.hop as usize
    }

    /// Seconds a hop.
    pub fn hop_secs(self) -> f64 {
        f64::from(self.hop) / f64::from(self.rate_hz)
    }

    /// Time of frame `i`: the centre of its window.
    pub fn centre(self, i: usize) -> Seconds {
        Seconds((2 * i as u64 * u64::from(self.hop) + u64::from(self.window)) as f64 / (2.0 * f64::from(self.rate_hz)))
    }

    /// Frames whose window lies whole within `samples`.
    pub fn whole_frames(self, samples: usize) -> usize {
        if samples < self.window() { 0 } else { (samples - self.window()) / self.hop() + 1 }
    }

    /// Frames among the first `count` whose centre lies in `segment`.
    pub fn indices(self, segment: Segment, count: usize) -> Range<usize> {
        let first = |t: Seconds| {
            // Smallest i with centre(i) >= t; the division is a guess, the comparison decides.
            let guess = (t.0 * f64::from(self.rate_hz) - f64::from(self.window) / 2.0) / f64::from(self.hop);
            let mut i = guess.floor().max(0.0) as usize;
            while i > 0 && self.centre(i - 1) >= t {
                i -= 1;
            }
            while self.centre(i) < t {
                i += 1;
            }
            i.min(count)
        };
        let (a, b) = (first(segment.start), first(segment.end));
        a..b.max(a)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_become_seconds_without_losing_the_small_part() {
        let t = Seconds::from_ticks(i64::from(i32::MAX) * 1000, 1001, 30000);
        assert!((t.get() - 71_654_371_021.566_67).abs() < 1e-3, "{t:?}");
    }

    #[test]
    fn segments_are_half_open() {
        let s = Segment::from_secs(1.0, 2.0).unwrap();
        assert!(s.contains(Seconds::of(1.0)) && !s.contains(Seconds::of(2.0)));
        assert!(Segment::from_secs(2.0, 1.0).is_none() && Segment::from_secs(f64::NAN, 1.0).is_none());
        assert!(Segment::from_secs(1.0, 1.0).unwrap().is_empty());
        let touching = Segment::from_secs(2.0, 3.0).unwrap();
        assert!(s.intersection(touching).is_none());
        assert!(s.overlap(touching).abs() < 1e-12 && s.gap(touching).abs() < 1e-12);
    }

    #[test]
    fn the_part_of_a_list_inside_is_half_open_too() {
        let times = [0.5, 1.0, 1.0, 1.5, 2.0, 3.0];
        let part = |from: f64, to: f64| Segment::from_secs(from, to).unwrap().part_of(&times, |t| *t).to_vec();
        assert_eq!(part(1.0, 2.0), [1.0, 1.0, 1.5]);
        assert!(part(1.0, 1.0).is_empty() && part(4.0, 5.0).is_empty() && part(0.0, 0.5).is_empty());
        assert_eq!(part(-1.0, 9.0), times);
        assert_eq!(Segment::from_secs(1.2, 1.3).unwrap().places(&times, |t| *t), 3..3);
    }

    #[test]
    fn a_grid_counts_whole_windows_and_finds_centres() {
        let g = FrameGrid::new(16_000, 320, 160);
        assert_eq!((g.whole_frames(319), g.whole_frames(320), g.whole_frames(480)), (0, 1, 2));
        assert!((g.centre(0).get() - 0.01).abs() < 1e-12);
        let all = Segment::from_secs(0.0, 1.0).unwrap();
        assert_eq!(g.indices(all, 99), 0..99);
        // Centres at 0.01, 0.02, …: [0.02, 0.04) holds frames 1 and 2.
        assert_eq!(g.indices(Segment::from_secs(0.02, 0.04).unwrap(), 99), 1..3);
        assert_eq!(g.indices(Segment::from_secs(5.0, 6.0).unwrap(), 99), 99..99);
    }
}
