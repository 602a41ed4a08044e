//! The one resampler: FFT-based, linear phase, its delay taken off, its tail flushed.

use rubato::audioadapter_buffers::direct::SequentialSlice;
use rubato::{Fft, FixedSync, Indexing, Resampler as _, WindowFunction};

use crate::error::{Cause, Error, Result};

/// Block length in seconds: the filter is as long as a block, so that the transition band of the squared
/// Blackman-Harris window is about 170 Hz wide, and the delay stays small.
const BLOCK_SECS: f64 = 0.04;

/// Mono samples from one rate to another; the output of `n` samples is `round(n * to / from)` samples, sample 0 at the
/// same instant.
pub(super) struct Resampler {
    from: u32,
    to: u32,
    /// `None` where the rates are equal: samples pass untouched.
    stage: Option<Stage>,
    taken: u64,
    given: u64,
}

struct Stage {
    fft: Fft<f32>,
    waiting: Vec<f32>,
    block: Vec<f32>,
    /// Samples of delay still to be thrown away.
    skip: usize,
}

impl Resampler {
    /// Both rates in Hz, positive.
    pub(super) fn new(from: u32, to: u32) -> Result<Self> {
        let stage = if from == to { None } else { Some(Stage::new(from, to)?) };
        Ok(Resampler { from, to, stage, taken: 0, given: 0 })
    }

    /// Source rate.
    pub(super) fn source_hz(&self) -> u32 {
        self.from
    }

    /// Takes samples, appends what is ready to `out`.
    pub(super) fn push(&mut self, samples: &[f32], out: &mut Vec<f32>) -> Result<()> {
        self.taken += samples.len() as u64;
        match &mut self.stage {
            None => {
                out.extend_from_slice(samples);
                self.given += samples.len() as u64;
            }
            Some(stage) => self.given += stage.push(samples, out)? as u64,
        }
        Ok(())
    }

    /// Takes `count` samples of silence.
    pub(super) fn push_silence(&mut self, mut count: u64, out: &mut Vec<f32>) -> Result<()> {
        const ZEROS: [f32; 4096] = [0.0; 4096];
        while count > 0 {
            let now = count.min(ZEROS.len() as u64);
            self.push(&ZEROS[..now as usize], out)?;
            count -= now;
        }
        Ok(())
    }

    /// Appends the tail, so that in all `round(n * to / from)` samples were given.
    pub(super) fn finish(mut self, out: &mut Vec<f32>) -> Result<()> {
        let due =
            (u128::from(self.taken) * u128::from(self.to) * 2 + u128::from(self.from)) / (2 * u128::from(self.from));
        let due = due as u64;
        while self.given < due {
            let Some(stage) = &mut self.stage else { break };
            let silence = vec![0.0; stage.fft.input_frames_next()];
            self.given += stage.push(&silence, out)? as u64;
        }
        out.truncate(out.len() - (self.given - due) as usize);
        Ok(())
    }
}

impl Stage {
    fn new(from: u32, to: u32) -> Result<Self> {
        let (from, to) = (from as usize, to as usize);
        // An even number of the smallest blocks, so that half a block, the delay, is whole on both sides.
        let smallest = from / gcd(from, to);
        let blocks = ((BLOCK_SECS * from as f64 / smallest as f64 / 2.0).ceil() as usize).max(1) * 2;
        let fft = Fft::new_custom(from, to, blocks * smallest, 1, 1, WindowFunction::BlackmanHarris2, FixedSync::Both)
            .map_err(|e| failed(from, to, e))?;
        let block = vec![0.0; fft.output_frames_max()];
        let skip = fft.output_delay();
        Ok(Stage { fft, waiting: Vec::new(), block, skip })
    }

    /// Number of samples appended.
    fn push(&mut self, samples: &[f32], out: &mut Vec<f32>) -> Result<usize> {
        self.waiting.extend_from_slice(samples);
        let (need, gives) = (self.fft.input_frames_next(), self.block.len());
        let before = out.len();
        let mut used = 0;
        while self.waiting.len() - used >= need {
            let input =
                SequentialSlice::new(&self.waiting[used..used + need], 1, need).map_err(|e| failed(need, gives, e))?;
            let mut output = SequentialSlice::new_mut(&mut self.block, 1, gives).map_err(|e| failed(need, gives, e))?;
            self.fft
                .process_into_buffer(&input, &mut output, Some(&Indexing::new()))
                .map_err(|e| failed(need, gives, e))?;
            let skip = self.skip.min(gives);
            out.extend_from_slice(&self.block[skip..]);
            self.skip -= skip;
            used += need;
        }
        self.waiting.drain(..used);
        Ok(out.len() - before)
    }
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}

fn failed(from: usize, to: usize, cause: impl Into<Cause>) -> Error {
    Error::Usage {
        what: format!("resampling from {from} to {to}: {}", cause.into()),
        hint: "give a rate of 8000 to 192000 Hz".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resample(from: u32, input: &[f32]) -> Vec<f32> {
        let mut out = Vec::new();
        let mut r = Resampler::new(from, 16_000).unwrap();
        // Pieces of odd length: the result must not depend on them.
        for piece in input.chunks(777) {
            r.push(piece, &mut out).unwrap();
        }
        r.finish(&mut out).unwrap();
        out
    }

    const RATES: [u32; 9] = [8_000, 11_025, 12_000, 22_050, 24_000, 44_100, 48_000, 96_000, 192_000];

    #[test]
    fn length_is_exact_and_dc_is_kept() {
        for from in RATES {
            for n in [0_usize, 1, 100, from as usize + 1, 3 * from as usize] {
                let out = resample(from, &vec![0.5; n]);
                assert_eq!(out.len(), (n as f64 * 16_000.0 / f64::from(from)).round() as usize, "{from} {n}");
                if out.len() > 4000 {
                    for s in &out[2000..out.len() - 2000] {
                        assert!((s - 0.5).abs() < 2e-5, "{from}: {s}");
                    }
                }
            }
        }
    }

    #[test]
    fn equal_rates_pass_untouched() {
        let input: Vec<f32> = (0..5000).map(|i| (i as f32 * 0.1).sin()).collect();
        assert_eq!(resample(16_000, &input), input);
    }

    #[test]
    fn a_sine_keeps_level_and_phase() {
        for (from, hz) in [(44_100, 1000.0), (44_100, 6000.0), (48_000, 7000.0), (8_000, 3000.0), (96_000, 440.0)] {
            let w = 2.0 * std::f64::consts::PI * hz;
            let input: Vec<f32> = (0..from * 2).map(|i| (w * f64::from(i) / f64::from(from)).sin() as f32).collect();
            let out = resample(from, &input);
            let mut worst: f64 = 0.0;
            for (i, s) in out.iter().enumerate().skip(1600).take(out.len() - 3200) {
                worst = worst.max((f64::from(*s) - (w * i as f64 / 16_000.0).sin()).abs());
            }
            // -80 dB of full scale.
            assert!(worst < 1e-4, "{from} Hz, {hz} Hz: {worst:.2e} = {:.1} dB", 20.0 * worst.log10());
            eprintln!("{from} -> 16000, sine {hz}: error {:.1} dB", 20.0 * worst.log10());
        }
    }

    #[test]
    fn what_would_alias_is_gone() {
        for hz in [8_500.0, 12_000.0, 20_000.0] {
            let w = 2.0 * std::f64::consts::PI * hz;
            let input: Vec<f32> = (0..48_000 * 2).map(|i| (w * f64::from(i) / 48_000.0).sin() as f32).collect();
            let out = resample(48_000, &input);
            let worst = out[1600..out.len() - 1600].iter().fold(0.0_f32, |m, s| m.max(s.abs()));
            assert!(worst < 1e-4, "{hz}: {worst}");
        }
    }

    #[test]
    fn an_impulse_stays_where_it_was() {
        for from in RATES {
            let at = f64::from(from) as usize; // one second
            let mut input = vec![0.0; 2 * at];
            input[at] = 1.0;
            let out = resample(from, &input);
            // Centre of gravity of the main lobe's energy, in output samples.
            let (mut sum, mut weighted) = (0.0, 0.0);
            for (i, s) in out.iter().enumerate() {
                let e = f64::from(*s).powi(2);
                sum += e;
                weighted += e * i as f64;
            }
            assert!((weighted / sum - 16_000.0).abs() < 0.1, "{from}: {}", weighted / sum);
        }
    }
}
