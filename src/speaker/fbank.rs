//! Kaldi's log mel filter banks, as CAM++ was trained on: 80 bins, 25 ms frames every 10 ms, snipped edges, no dither.
//!
//! Definition: Kaldi `compute-fbank-feats` (kaldi-asr.org), `feature-window` and `mel-computations`: mean of the frame
//! removed, pre-emphasis 0.97, Povey window, power spectrum of 512, triangles even in mel = 1127·ln(1 + f/700) from 20
//! Hz to 8 kHz, natural log.

use ndarray::Array2;

use crate::dft::RealDft;
use crate::time::FrameGrid;

/// 25 ms every 10 ms at 16 kHz.
pub const FRAMES: FrameGrid = FrameGrid::new(16_000, 400, 160);

/// Mel bins a frame.
pub const BINS: usize = 80;

const DFT_LEN: usize = 512;
const PREEMPHASIS: f32 = 0.97;
const LOW_HZ: f64 = 20.0;
const HIGH_HZ: f64 = 8000.0;
/// Kaldi works on 16-bit numbers.
const SCALE: f32 = 32_768.0;

/// One triangle: its first spectral bin and its weights from there on.
#[derive(Debug)]
struct Triangle {
    first: usize,
    weights: Vec<f32>,
}

/// The front end with its tables.
#[derive(Debug)]
pub struct Fbank {
    dft: RealDft,
    window: Vec<f32>,
    triangles: Vec<Triangle>,
}

impl Default for Fbank {
    fn default() -> Self {
        Self::new()
    }
}

impl Fbank {
    /// Makes the window and the triangles.
    pub fn new() -> Self {
        let last = (FRAMES.window() - 1) as f64;
        let window = (0..FRAMES.window())
            .map(|n| (0.5 - 0.5 * (std::f64::consts::TAU * n as f64 / last).cos()).powf(0.85) as f32)
            .collect();
        Fbank { dft: RealDft::new(DFT_LEN), window, triangles: triangles() }
    }

    /// Log energies `[frames, 80]` of every whole frame of `samples` in [-1, 1] at 16 kHz; no row when there are fewer
    /// than 400.
    pub fn compute(&mut self, samples: &[f32]) -> Array2<f32> {
        let count = FRAMES.whole_frames(samples.len());
        let mut out = Array2::zeros((count, BINS));
        let mut frame = vec![0.0f32; FRAMES.window()];
        let mut power = vec![0.0f32; self.dft.bins()];
        for (i, mut row) in out.rows_mut().into_iter().enumerate() {
            let at = i * FRAMES.hop();
            let source = &samples[at..at + FRAMES.window()];
            let mean = (source.iter().map(|&s| f64::from(s)).sum::<f64>() / source.len() as f64) as f32;
            let mut before = source[0] - mean;
            for ((f, &s), &w) in frame.iter_mut().zip(source).zip(&self.window) {
                let centred = s - mean;
                *f = SCALE * w * (centred - PREEMPHASIS * before);
                before = centred;
            }
            self.dft.power(&frame, &mut power);
            for (value, triangle) in row.iter_mut().zip(&self.triangles) {
                let energy: f32 = triangle.weights.iter().zip(&power[triangle.first..]).map(|(w, p)| w * p).sum();
                *value = energy.max(f32::EPSILON).ln();
            }
        }
        out
    }
}

fn mel(hz: f64) -> f64 {
    1127.0 * (hz / 700.0).ln_1p()
}

fn triangles() -> Vec<Triangle> {
    let low = mel(LOW_HZ);
    let step = (mel(HIGH_HZ) - low) / (BINS + 1) as f64;
    let bin_mel = |k: usize| mel(k as f64 * f64::from(FRAMES.rate_hz()) / DFT_LEN as f64);
    (0..BINS)
        .map(|b| {
            let (left, centre, right) =
                (low + b as f64 * step, low + (b + 1) as f64 * step, low + (b + 2) as f64 * step);
            // Kaldi leaves the Nyquist bin out.
            let inside: Vec<usize> = (0..DFT_LEN / 2).filter(|&k| bin_mel(k) > left && bin_mel(k) < right).collect();
            let weight = |k: usize| {
                let m = bin_mel(k);
                (if m <= centre { (m - left) / (centre - left) } else { (right - m) / (right - centre) }) as f32
            };
            Triangle { first: inside.first().copied().unwrap_or(0), weights: inside.into_iter().map(weight).collect() }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::speaker::fixture;
    use crate::time::Segment;

    #[test]
    fn whole_frames_only_and_silence_is_the_floor() {
        let mut fbank = Fbank::new();
        assert_eq!(fbank.compute(&[0.0; 399]).nrows(), 0);
        let silent = fbank.compute(&[0.0; 560]);
        assert_eq!(silent.dim(), (2, 80));
        assert!(silent.iter().all(|v| (v - f32::EPSILON.ln()).abs() < 1e-6));
    }

    #[test]
    fn a_tone_is_loudest_in_its_own_bin() {
        let tone: Vec<f32> =
            (0..800).map(|n| 0.5 * (std::f32::consts::TAU * 1000.0 * n as f32 / 16_000.0).sin()).collect();
        let rows = Fbank::new().compute(&tone);
        let row: Vec<f32> = rows.row(1).to_vec();
        let loudest = (0..BINS).max_by(|&a, &b| row[a].total_cmp(&row[b])).unwrap();
        // 1 kHz = 999.99 mel lies nearest the centre of bin 27: 31.7 + 28 · 34.7 mel.
        assert_eq!(loudest, 27);
    }

    #[test]
    #[cfg_attr(not(feature = "shared-tests"), ignore = "needs the reference clips: make test-shared")]
    fn the_reference_line_is_met() {
        let shared = crate::reference::folder();
        let audio = fixture::clip(&shared, "pyannote_sample");
        let reference = fixture::gzip_csv(&shared.join("reference/pyannote_sample/fbank_8.32_10.02.csv.gz"));
        let got = Fbank::new().compute(audio.slice(Segment::from_secs(8.32, 10.02).unwrap()));
        assert_eq!(got.nrows(), reference.len());
        for (i, (row, expected)) in got.rows().into_iter().zip(&reference).enumerate() {
            for (bin, (v, e)) in row.iter().zip(expected).enumerate() {
                assert!((f64::from(*v) - e).abs() < 1e-3, "frame {i} bin {bin}: {v} and {e}");
            }
        }
    }
}
