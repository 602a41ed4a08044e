//! Placing: decoded samples go where their time stamps say, holes become silence, and the result is one signal from the
//! origin on.
//!
//! Rules for time stamps that do not follow on by more than 40 ms:
//! - They leave a hole: it is silence, told with its range.
//! - They go back by more than half a second, or to where this clock began or before it: recordings were joined. What
//!   follows is placed after what is there, and nothing of it is dropped; told with the range it is placed in. So do
//!   stamps that jump past what the container declares by more than a minute.
//! - They go on, or back by less, but overlap what came before: the overlap is dropped, told with its range.
//! - They move less than half of what came with them: the clock is broken, samples follow on, told once.
//! - One stamp alone, with the next where it would be without it: a broken stamp, its samples follow on.
//!
//! A change of rate begins a new resampler at the same instant of the output, to the sample.

use super::cancel::Mono;
use super::notes::Notes;
use super::resample::Resampler;
use super::spool::SpooledAudio;
use crate::error::Result;
use crate::signal::Sound as _;
use crate::time::Segment;
use crate::warning::Warning;

/// Time stamps are believed over the sample count only from this deviation on: containers round to milliseconds, MP3
/// and live recordings jitter, and each correction is a click.
const RESYNC_SECS: f64 = 0.040;
/// A step back further than this is a new clock (joined recordings), not an overlap; so is one forward past what is
/// believable.
pub(super) const NEW_CLOCK_SECS: f64 = 10.0;
/// A step back of the stamps further than this is a new clock, however short the recordings joined are.
pub(super) const RESTART_SECS: f64 = 0.5;
/// Silence past the end the container declares, at most: a broken time stamp must not fill the memory.
const MOST_PAST_END_SECS: f64 = 60.0;
/// Gaps told one by one; a recording of holes would drown everything else.
const MOST_GAPS_TOLD: usize = 20;
/// New clocks told one by one.
pub(super) const MOST_JUMPS_TOLD: u32 = 20;
/// Samples past the declared end there is room for at once: the last frame's, and a resampler's.
const PIECE_ROOM: usize = 1 << 15;
/// The end assumed where the container declares none.
const ASSUMED_END_SECS: f64 = 6.0 * 3600.0;

/// A jump to a time stamp after this is a broken or a new clock.
pub(super) fn last_believable(declared_end: Option<f64>) -> f64 {
    declared_end.unwrap_or(ASSUMED_END_SECS) + MOST_PAST_END_SECS
}

/// Collects one stream's mono samples at the output rate.
pub(super) struct Placing {
    out_hz: u32,
    out: Vec<f32>,
    /// Where what is done goes; without it all stays in `out`.
    spool: Option<SpooledAudio>,
    resampler: Option<Resampler>,
    /// Index of the next sample at the source rate since the origin; negative before it.
    next: i64,
    /// Seconds by which `next` was rounded at changes of rate.
    carry: f64,
    /// Seconds added to time stamps after a new clock.
    shift: f64,
    /// New clocks: their first stamp, and where it was placed.
    restarts: Vec<(f64, f64)>,
    /// The first stamp of the present clock.
    clock_start: f64,
    /// A piece whose stamp does not follow on, until the next tells whether it is believed.
    held: Option<Mono>,
    limit: f64,
    declared_end: Option<f64>,
    start: Option<f64>,
    /// The last stamp, and the length of what came with it.
    last: Option<(f64, f64)>,
    sound: f64,
    overlapped: f64,
    overlap: Option<Segment>,
    slow_clock: bool,
    notes: Notes,
    gaps: Vec<Segment>,
    warnings: Vec<Warning>,
}

/// What [`Placing`] has collected.
pub(super) struct Placed {
    /// From the origin on; empty where they are in `spool`.
    pub(super) samples: Vec<f32>,
    /// The samples, where they go to a file.
    pub(super) spool: Option<SpooledAudio>,
    /// Where the first sample lies.
    pub(super) start_secs: f64,
    /// Where the last sample ends.
    pub(super) end_secs: f64,
    /// Seconds of decoded sound in `samples`.
    pub(super) sound_secs: f64,
    /// Holes filled with silence.
    pub(super) gaps: Vec<Segment>,
    /// Gaps, overlaps and new clocks.
    pub(super) warnings: Vec<Warning>,
}

impl Placing {
    /// For output at `out_hz`; `declared_end` (seconds since the origin) bounds the silence a time stamp may ask for.
    pub(super) fn new(out_hz: u32, declared_end: Option<f64>) -> Self {
        Placing {
            out_hz,
            out: Vec::new(),
            spool: None,
            resampler: None,
            next: 0,
            carry: 0.0,
            shift: 0.0,
            restarts: Vec::new(),
            clock_start: 0.0,
            held: None,
            limit: last_believable(declared_end),
            declared_end,
            start: None,
            last: None,
            sound: 0.0,
            overlapped: 0.0,
            overlap: None,
            slow_clock: false,
            notes: Notes::default(),
            gaps: Vec::new(),
            warnings: Vec::new(),
        }
    }

    /// The same with no time stamp believed that lies after `longest_secs`, whatever is declared.
    pub(super) fn believing(self, longest_secs: f64) -> Self {
        let declared_end = self.declared_end.map(|end| end.min(longest_secs));
        Placing { limit: self.limit.min(longest_secs), declared_end, ..self }
    }

    /// The same with the samples going to a file.
    pub(super) fn spooled(self, spool: SpooledAudio) -> Self {
        Placing { spool: Some(spool), ..self }
    }

    /// Room for the signal up to its declared end: growing, it would be in memory twice. What cannot be had, or
    /// believed, is left to growth.
    fn reserve(&mut self) {
        if self.out.capacity() == 0
            && self.spool.is_none()
            && let Some(end) = self.declared_end.filter(|end| (0.0..=ASSUMED_END_SECS).contains(end))
        {
            let _ = self.out.try_reserve_exact((end * f64::from(self.out_hz)) as usize + PIECE_ROOM);
        }
    }

    /// Where the next sample goes if nothing else is said, in seconds since the origin.
    pub(super) fn now(&self) -> f64 {
        self.resampler.as_ref().map_or(0.0, |r| self.next as f64 / f64::from(r.source_hz()) + self.carry)
    }

    /// Adds a piece, its first sample at its time since the origin (`None`: where the last ended).
    pub(super) fn take(&mut self, piece: Mono) -> Result<()> {
        if piece.samples.is_empty() || piece.rate_hz == 0 {
            return Ok(());
        }
        self.reserve();
        if let Some(held) = self.held.take() {
            let length = held.samples.len() as f64 / f64::from(held.rate_hz);
            let stray = piece.secs.is_some_and(|next| (next + self.shift - self.now() - length).abs() <= RESYNC_SECS);
            self.place(if stray { Mono { secs: None, ..held } } else { held })?;
        }
        let off = piece.secs.map_or(0.0, |secs| secs + self.shift - self.now());
        if self.start.is_some() && off.abs() > RESYNC_SECS && !self.crawls(&piece) {
            self.held = Some(piece);
            return Ok(());
        }
        self.place(piece)
    }

    /// A stamp that moves less than half of what came with the last is a clock that stands or crawls (AVI with a wrong
    /// scale).
    fn crawls(&self, piece: &Mono) -> bool {
        piece.secs.zip(self.last).is_some_and(|(now, (then, length))| (0.0..0.5 * length).contains(&(now - then)))
    }

    fn place(&mut self, piece: Mono) -> Result<()> {
        let (secs, rate_hz) = (piece.secs, piece.rate_hz);
        let rate = f64::from(rate_hz);
        self.change_rate(rate_hz)?;
        let crawls = self.crawls(&piece);
        let back = secs.zip(self.last).map_or(0.0, |(now, (then, _))| then - now);
        self.last = secs.map(|s| (s, piece.samples.len() as f64 / rate)).or(self.last);
        let mut dropped = 0;
        match (secs, self.start) {
            (None, None) => self.start = Some(0.0),
            (None, Some(_)) => {}
            (Some(secs), None) => {
                // The first stamp is taken as it is: a late stream is late, however little.
                self.clock_start = secs;
                let first = if secs > self.limit { self.new_clock(secs, 0.0) } else { secs };
                self.start = Some(first.max(0.0));
                let at = (first * rate).round() as i64;
                self.silence(at.max(0) as u64)?;
                self.next = at;
            }
            (Some(secs), Some(_)) => {
                let mut off = (((secs + self.shift) * rate).round() - self.next as f64) / rate;
                let anew = back > RESTART_SECS || (back > RESYNC_SECS && secs <= self.clock_start);
                if off < -NEW_CLOCK_SECS
                    || (off < -RESYNC_SECS && anew)
                    || (off > NEW_CLOCK_SECS && self.now() + off > self.limit)
                {
                    self.new_clock(secs, self.now());
                    off = 0.0;
                }
                if off > RESYNC_SECS {
                    self.fill_gap((off * rate).round() as i64, rate)?;
                } else if off < -RESYNC_SECS && crawls {
                    self.slow_clock = true;
                    self.shift -= off;
                } else if off < -RESYNC_SECS {
                    dropped = ((-off * rate).round() as usize).min(piece.samples.len());
                    self.overlaps(off, dropped as f64 / rate);
                }
            }
        }
        let begin = (self.next - dropped as i64) as f64 / rate;
        piece.notes.iter().for_each(|note| self.notes.add(note, begin, rate_hz));
        let samples = &piece.samples[dropped..];
        let before_origin = usize::try_from((-self.next).max(0)).unwrap_or(usize::MAX).min(samples.len());
        self.next += samples.len() as i64;
        let samples = &samples[before_origin..];
        self.sound += samples.len() as f64 / rate;
        if let Some(r) = &mut self.resampler {
            r.push(samples, &mut self.out)?;
        }
        self.store()
    }

    fn overlaps(&mut self, off: f64, secs: f64) {
        self.overlapped += secs;
        let begin = (self.now() + off).max(0.0);
        let start = self.overlap.map_or(begin, |o| o.start().get().min(begin));
        let end = self.overlap.map_or(begin + secs, |o| o.end().get().max(begin + secs));
        self.overlap = Segment::from_secs(start, end);
    }

    /// Hands what is done to the spool.
    fn store(&mut self) -> Result<()> {
        match &mut self.spool {
            Some(spool) => spool.take(&mut self.out),
            None => Ok(()),
        }
    }

    /// Flushes.
    pub(super) fn finish(mut self) -> Result<Placed> {
        if let Some(held) = self.held.take() {
            self.place(held)?;
        }
        let end_secs = self.now().max(0.0);
        if let Some(r) = self.resampler.take() {
            r.finish(&mut self.out)?;
        }
        if let Some(spool) = &mut self.spool {
            spool.append(&std::mem::take(&mut self.out))?;
        }
        self.warnings.extend(self.overlap.map(|span| Warning::Overlap { span, dropped_secs: self.overlapped }));
        self.warnings.extend(self.restart_warnings(end_secs));
        self.warnings.extend(self.notes.warnings());
        if self.slow_clock {
            self.warnings.push(Warning::AudioClock);
        }
        if self.gaps.len() > MOST_GAPS_TOLD {
            let (gaps, secs) = (self.gaps.len() - MOST_GAPS_TOLD, self.gaps.iter().map(|g| g.duration()).sum::<f64>());
            self.warnings.push(Warning::MoreGapsFilled { gaps, secs });
        }
        Ok(Placed {
            samples: self.out,
            spool: self.spool,
            start_secs: self.start.unwrap_or(0.0),
            end_secs,
            sound_secs: self.sound,
            gaps: self.gaps,
            warnings: self.warnings,
        })
    }

    fn change_rate(&mut self, rate_hz: u32) -> Result<()> {
        if self.resampler.as_ref().is_some_and(|r| r.source_hz() == rate_hz) {
            return Ok(());
        }
        if let Some(old) = self.resampler.take() {
            let now = self.next as f64 / f64::from(old.source_hz()) + self.carry;
            old.finish(&mut self.out)?;
            // Each resampler rounds its length; many changes must not add up.
            let stored = self.spool.as_ref().map_or(0, |s| s.count());
            let due = (now.max(0.0) * f64::from(self.out_hz)).round() as usize;
            self.out.resize(due.saturating_sub(stored), 0.0);
            self.next = (now * f64::from(rate_hz)).round() as i64;
            self.carry = now - self.next as f64 / f64::from(rate_hz);
        }
        self.resampler = Some(Resampler::new(rate_hz, self.out_hz)?);
        Ok(())
    }

    /// Moves the clock so that the stamp `secs` falls on `onto`, which is returned.
    fn new_clock(&mut self, secs: f64, onto: f64) -> f64 {
        self.shift = onto - secs;
        self.clock_start = secs;
        if self.restarts.len() <= MOST_JUMPS_TOLD as usize {
            self.restarts.push((secs, onto));
        }
        onto
    }

    fn restart_warnings(&self, end_secs: f64) -> Vec<Warning> {
        let until = |i: usize| self.restarts.get(i + 1).map_or(end_secs, |&(_, onto)| onto);
        let told = self.restarts.iter().take(MOST_JUMPS_TOLD as usize).enumerate();
        told.filter_map(|(i, &(stamp_secs, onto))| {
            Some(Warning::ClockRestart {
                stream: "audio",
                stamp_secs,
                span: Segment::from_secs(onto, until(i).max(onto))?,
            })
        })
        .collect()
    }

    fn fill_gap(&mut self, count: i64, rate: f64) -> Result<()> {
        let (from, to) = (self.next, self.next + count);
        self.next = to;
        let audible = (to.max(0) - from.max(0)) as u64;
        if let Some(span) =
            Segment::from_secs(from.max(0) as f64 / rate, to.max(0) as f64 / rate).filter(|s| !s.is_empty())
        {
            self.gaps.push(span);
            if self.gaps.len() <= MOST_GAPS_TOLD {
                self.warnings.push(Warning::GapFilled { span });
            }
        }
        self.silence(audible)
    }

    fn silence(&mut self, count: u64) -> Result<()> {
        match &mut self.resampler {
            Some(r) => r.push_silence(count, &mut self.out),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
#[path = "placing_tests.rs"]
mod tests;
