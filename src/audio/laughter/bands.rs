//! Log energies of 32 mel bands, 10 ms by 10 ms, for the rhythm of laughter.

use crate::dft::RealDft;
use crate::error::Result;
use crate::signal::Sound;

/// Bands a frame.
pub(super) const BANDS: usize = 32;

/// Samples a window and a step: 25 and 10 ms.
const WINDOW: usize = 400;
pub(super) const HOP: usize = 160;

const DFT_LEN: usize = 512;
const LOW_HZ: f64 = 100.0;
const HIGH_HZ: f64 = 6000.0;
const RATE_HZ: f64 = super::super::SAMPLE_RATE_HZ as f64;

/// Power of nothing.
const LEAST_POWER: f32 = 1e-9;

/// A band counts as silent up to this far above its tenth percentile.
const ABOVE_FLOOR_DB: f32 = 3.0;
const FLOOR_SHARE: f64 = 0.1;

/// Frames in dB, none below the floor of its band.
pub(super) struct Banded {
    pub(super) frames: Vec<[f32; BANDS]>,
    pub(super) floor: [f32; BANDS],
}

/// The filter bank with its tables.
pub(super) struct Bank {
    dft: RealDft,
    window: Vec<f32>,
    /// First spectral bin and weights from there on.
    triangles: Vec<(usize, Vec<f32>)>,
}

fn mel(hz: f64) -> f64 {
    2595.0 * (1.0 + hz / 700.0).log10()
}

impl Bank {
    pub(super) fn new() -> Self {
        let last = (WINDOW - 1) as f64;
        let hann = |n: usize| (0.5 - 0.5 * (std::f64::consts::TAU * n as f64 / last).cos()) as f32;
        let (low, high) = (mel(LOW_HZ), mel(HIGH_HZ));
        let edge = |b: usize| low + (high - low) * b as f64 / (BANDS + 1) as f64;
        let bin = |k: usize| mel(k as f64 * RATE_HZ / DFT_LEN as f64);
        let triangle = |b: usize| {
            let (left, centre, right) = (edge(b), edge(b + 1), edge(b + 2));
            let weight = |k: usize| ((bin(k) - left) / (centre - left)).min((right - bin(k)) / (right - centre));
            let inside: Vec<usize> = (0..=DFT_LEN / 2).filter(|&k| weight(k) > 0.0).collect();
            (inside.first().copied().unwrap_or(0), inside.into_iter().map(|k| weight(k) as f32).collect())
        };
        Bank {
            dft: RealDft::new(DFT_LEN),
            window: (0..WINDOW).map(hann).collect(),
            triangles: (0..BANDS).map(triangle).collect(),
        }
    }

    /// Frames `first..end` of a sound, which begin at every 10 ms; samples past its end are 0.
    ///
    /// # Errors
    /// What [`Sound::piece`] says.
    pub(super) fn banded(&mut self, sound: &impl Sound, first: usize, end: usize) -> Result<Banded> {
        let piece = sound.piece(first * HOP..end * HOP + WINDOW)?;
        let mut frame = vec![0.0f32; WINDOW];
        let mut power = vec![0.0f32; self.dft.bins()];
        let mut frames = Vec::with_capacity(end - first);
        for at in (0..end - first).map(|i| i * HOP) {
            for (n, (slot, weight)) in frame.iter_mut().zip(&self.window).enumerate() {
                *slot = piece.get(at + n).copied().unwrap_or(0.0) * weight;
            }
            self.dft.power(&frame, &mut power);
            let mut bands = [0.0f32; BANDS];
            for (band, (first, weights)) in bands.iter_mut().zip(&self.triangles) {
                let sum: f32 = weights.iter().zip(&power[*first..]).map(|(w, p)| w * p).sum();
                *band = 10.0 * (sum + LEAST_POWER).log10();
            }
            frames.push(bands);
        }
        let mut floor = [0.0f32; BANDS];
        for (band, floor) in floor.iter_mut().enumerate() {
            let values = frames.iter().map(|f: &[f32; BANDS]| f[band]).collect();
            *floor = quantile(values, FLOOR_SHARE).unwrap_or(0.0) + ABOVE_FLOOR_DB;
        }
        for frame in &mut frames {
            for (value, floor) in frame.iter_mut().zip(&floor) {
                *value = value.max(*floor);
            }
        }
        Ok(Banded { frames, floor })
    }
}

/// Quantile with linear interpolation between neighbours.
pub(super) fn quantile(mut values: Vec<f32>, share: f64) -> Option<f32> {
    values.sort_by(f32::total_cmp);
    let place = share * values.len().checked_sub(1)? as f64;
    let (below, part) = (place.floor() as usize, (place - place.floor()) as f32);
    let above = (below + 1).min(values.len() - 1);
    Some(values[below] + part * (values[above] - values[below]))
}
