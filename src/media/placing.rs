//! Placing: decoded samples go where their time stamps say, holes become silence, and the result is one signal from the origin on.

use super::resample::Resampler;
use super::spool::SpooledAudio;
use crate::error::Result;
use crate::time::Segment;
use crate::warning::Warning;

/// Time stamps are believed over the sample count only from this deviation on: containers round to milliseconds, MP3 and live
/// recordings jitter, and each correction is a click.
const RESYNC_SECS: f64 = 0.040;
/// A step back further than this is a new clock (joined recordings), not an overlap; so is one forward past what is believable.
pub(super) const NEW_CLOCK_SECS: f64 = 10.0;
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
    /// Seconds added to time stamps after a new clock.
    shift: f64,
    jumps: u32,
    limit: f64,
    declared_end: Option<f64>,
    start: Option<f64>,
    /// The last stamp, and the length of what came with it.
    last: Option<(f64, f64)>,
    sound: f64,
    overlapped: f64,
    slow_clock: bool,
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
            shift: 0.0,
            jumps: 0,
            limit: last_believable(declared_end),
            declared_end,
            start: None,
            last: None,
            sound: 0.0,
            overlapped: 0.0,
            slow_clock: false,
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

    /// Room for the signal up to its declared end: growing, it would be in memory twice. What cannot be had, or believed, is left to growth.
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
        self.resampler.as_ref().map_or(0.0, |r| self.next as f64 / f64::from(r.source_hz()))
    }

    /// Adds `samples` at `rate_hz`, the first of them at `secs` since the origin (`None`: where the last ended).
    pub(super) fn push(&mut self, secs: Option<f64>, rate_hz: u32, samples: &[f32]) -> Result<()> {
        if samples.is_empty() || rate_hz == 0 {
            return Ok(());
        }
        self.reserve();
        let rate = f64::from(rate_hz);
        self.change_rate(rate_hz)?;
        let mut samples = samples;
        // A stamp that moves less than half of what came with the last is a clock that stands or crawls (AVI with a wrong scale).
        let crawls = secs.zip(self.last).is_some_and(|(now, (then, length))| (0.0..0.5 * length).contains(&(now - then)));
        self.last = secs.map(|s| (s, samples.len() as f64 / rate));
        match (secs, self.start) {
            (None, None) => self.start = Some(0.0),
            (None, Some(_)) => {}
            (Some(secs), None) => {
                // The first stamp is taken as it is: a late stream is late, however little.
                let first = if secs > self.limit { self.new_clock(secs, 0.0) } else { secs };
                self.start = Some(first.max(0.0));
                let at = (first * rate).round() as i64;
                self.silence(at.max(0) as u64)?;
                self.next = at;
            }
            (Some(secs), Some(_)) => {
                let mut off = (((secs + self.shift) * rate).round() - self.next as f64) / rate;
                if off < -NEW_CLOCK_SECS || (off > NEW_CLOCK_SECS && self.now() + off > self.limit) {
                    self.new_clock(secs, self.now());
                    off = 0.0;
                }
                if off > RESYNC_SECS {
                    self.fill_gap((off * rate).round() as i64, rate)?;
                } else if off < -RESYNC_SECS && crawls {
                    self.slow_clock = true;
                    self.shift -= off;
                } else if off < -RESYNC_SECS {
                    let twice = ((-off * rate).round() as usize).min(samples.len());
                    self.overlapped += twice as f64 / rate;
                    samples = &samples[twice..];
                }
            }
        }
        let before_origin = usize::try_from((-self.next).max(0)).unwrap_or(usize::MAX).min(samples.len());
        self.next += samples.len() as i64;
        let samples = &samples[before_origin..];
        self.sound += samples.len() as f64 / rate;
        if let Some(r) = &mut self.resampler {
            r.push(samples, &mut self.out)?;
        }
        self.store()
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
        let end_secs = self.now().max(0.0);
        if let Some(r) = self.resampler.take() {
            r.finish(&mut self.out)?;
        }
        if let Some(spool) = &mut self.spool {
            spool.append(&std::mem::take(&mut self.out))?;
        }
        if self.overlapped > 0.0 {
            let what = format!("{:.3} s of audio whose time stamps overlap what came before was dropped", self.overlapped);
            self.warnings.push(Warning::Other { code: "audio_overlap", what });
        }
        if self.slow_clock {
            let what = "the audio's time stamps run slower than its samples; they are placed one after the other".to_owned();
            self.warnings.push(Warning::Other { code: "audio_clock", what });
        }
        if self.gaps.len() > MOST_GAPS_TOLD {
            let (more, secs) = (self.gaps.len() - MOST_GAPS_TOLD, self.gaps.iter().map(|g| g.duration()).sum::<f64>());
            let what = format!("{more} more holes in the audio were filled with silence, {secs:.3} s in all");
            self.warnings.push(Warning::Other { code: "gaps_filled", what });
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
            let now = self.next as f64 / f64::from(old.source_hz());
            old.finish(&mut self.out)?;
            self.next = (now * f64::from(rate_hz)).round() as i64;
        }
        self.resampler = Some(Resampler::new(rate_hz, self.out_hz)?);
        Ok(())
    }

    /// Moves the clock so that the stamp `secs` falls on `onto`, which is returned.
    fn new_clock(&mut self, secs: f64, onto: f64) -> f64 {
        self.shift = onto - secs;
        self.jumps += 1;
        if self.jumps > MOST_JUMPS_TOLD {
            return onto;
        }
        let what = format!("audio time stamps jump to {secs:.3} s; the audio is placed at {onto:.3} s, where it follows on");
        self.warnings.push(Warning::Other { code: "timestamp_jump", what });
        onto
    }

    fn fill_gap(&mut self, count: i64, rate: f64) -> Result<()> {
        let (from, to) = (self.next, self.next + count);
        self.next = to;
        let audible = (to.max(0) - from.max(0)) as u64;
        if let Some(span) = Segment::from_secs(from.max(0) as f64 / rate, to.max(0) as f64 / rate).filter(|s| !s.is_empty()) {
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
mod tests {
    use super::*;

    fn place(rate: u32, pieces: &[(Option<f64>, usize)]) -> Placed {
        let mut p = Placing::new(16_000, Some(100.0));
        for &(secs, n) in pieces {
            p.push(secs, rate, &vec![1.0; n]).unwrap();
        }
        p.finish().unwrap()
    }

    #[test]
    fn a_late_start_is_silence_and_samples_before_the_origin_go() {
        let p = place(16_000, &[(Some(0.5), 16_000)]);
        assert_eq!(p.samples.len(), 24_000);
        assert!(p.samples[..8000].iter().all(|s| s.abs() < 1e-9) && p.samples[8000..].iter().all(|s| (s - 1.0).abs() < 1e-9));
        assert!((p.start_secs - 0.5).abs() < 1e-12 && p.gaps.is_empty());
        let p = place(16_000, &[(Some(-0.5), 6000), (Some(-0.125), 16_000)]);
        assert_eq!(p.samples.len(), 14_000);
        assert!((p.sound_secs - 0.875).abs() < 1e-12);
    }

    #[test]
    fn a_hole_is_silence_and_jitter_is_not() {
        let p = place(16_000, &[(Some(0.0), 1600), (Some(0.13), 1600), (Some(0.2), 1600), (Some(3.3), 1600)]);
        assert_eq!(p.gaps, [Segment::from_secs(0.3, 3.3).unwrap()]);
        assert_eq!(p.samples.len(), 54_400);
        assert!(matches!(p.warnings[..], [Warning::GapFilled { .. }]));
        assert!((p.sound_secs - 0.4).abs() < 1e-12 && (p.end_secs - 3.4).abs() < 1e-12);
    }

    #[test]
    fn many_small_holes_add_up_to_one() {
        // Each frame of 20 ms is 25 ms after the one before: 5 ms are lost every time.
        let pieces: Vec<_> = (0..100).map(|i| (Some(f64::from(i) * 0.025), 320)).collect();
        let p = place(16_000, &pieces);
        assert!((p.end_secs - 2.495).abs() < 0.041, "{}", p.end_secs);
        assert_eq!(p.gaps.len(), 11);
    }

    #[test]
    fn overlap_is_dropped_and_a_new_clock_follows_on() {
        let p = place(16_000, &[(Some(0.0), 16_000), (Some(0.5), 16_000)]);
        assert_eq!(p.samples.len(), 24_000);
        assert_eq!(p.warnings[0].code(), "audio_overlap");
        let p = place(16_000, &[(Some(20.0), 16_000), (Some(0.0), 16_000), (Some(1.0), 16_000), (Some(9000.0), 16_000)]);
        assert_eq!(p.samples.len(), 24 * 16_000);
        assert_eq!(p.warnings.len(), 2);
    }

    #[test]
    fn a_declared_end_that_is_too_early_changes_nothing() {
        let mut p = Placing::new(16_000, Some(1.0));
        for i in 0..100 {
            p.push(Some(f64::from(i)), 16_000, &vec![1.0; 16_000]).unwrap();
        }
        let p = p.finish().unwrap();
        assert!(p.samples.len() == 1_600_000 && p.warnings.is_empty());
    }

    #[test]
    fn a_clock_that_crawls_is_not_believed() {
        let pieces: Vec<_> = (0..100).map(|i| (Some(f64::from(i) * 0.0003), 320)).collect();
        let p = place(16_000, &pieces);
        assert_eq!(p.samples.len(), 32_000);
        assert_eq!(p.warnings.iter().map(Warning::code).collect::<Vec<_>>(), ["audio_clock"]);
    }

    #[test]
    fn a_recording_of_holes_tells_twenty() {
        let pieces: Vec<_> = (0..50).map(|i| (Some(f64::from(i)), 320)).collect();
        let p = place(16_000, &pieces);
        assert_eq!((p.gaps.len(), p.warnings.len()), (49, 21));
    }

    #[test]
    fn a_change_of_rate_goes_on_at_the_same_time() {
        let mut p = Placing::new(16_000, None);
        p.push(Some(0.0), 48_000, &vec![0.5; 48_000]).unwrap();
        p.push(Some(1.0), 44_100, &vec![0.5; 44_100]).unwrap();
        p.push(None, 16_000, &vec![0.5; 16_000]).unwrap();
        let p = p.finish().unwrap();
        assert_eq!(p.samples.len(), 48_000);
        assert!(p.gaps.is_empty() && p.warnings.is_empty());
    }
}
