//! Level: the RMS of each 20 ms window in dB re full scale.

use super::GRID;
use crate::error::Result;
use crate::signal::Sound;

/// Below this a window is silent and has no level. 16-bit audio at its last bit is at -90 dB, so only digital silence
/// and what a resampler or codec leaves of it fall under it.
pub const SILENCE_DB: f32 = -100.0;

/// Sum and sum of squares. Eight sums side by side, so that the compiler may use vectors; the order is fixed, so the
/// result is too.
#[derive(Clone, Copy, Default)]
struct Moments {
    sum: f64,
    squares: f64,
}

impl Moments {
    fn of(samples: &[f32]) -> Self {
        let (mut sums, mut squares) = ([0f64; 8], [0f64; 8]);
        let chunks = samples.chunks_exact(8);
        let rest = chunks.remainder();
        for chunk in chunks {
            for lane in 0..8 {
                let x = f64::from(chunk[lane]);
                sums[lane] += x;
                squares[lane] += x * x;
            }
        }
        for (lane, &x) in rest.iter().enumerate() {
            let x = f64::from(x);
            sums[lane] += x;
            squares[lane] += x * x;
        }
        Moments { sum: sums.iter().sum(), squares: squares.iter().sum() }
    }
}

/// Hops summed at once: 16 s.
const PIECE_HOPS: usize = 1600;

/// Level of every frame of [`GRID`]: RMS around the window's mean, so that a DC offset is no sound. NaN below
/// [`SILENCE_DB`].
///
/// # Errors
/// What [`Sound::piece`] says.
pub(super) fn level_db(sound: &impl Sound) -> Result<Vec<f32>> {
    // The window is two hops: each hop is summed once.
    let (hop, n) = (GRID.hop(), GRID.window() as f64);
    let mut levels = Vec::with_capacity(GRID.whole_frames(sound.count()));
    let mut before: Option<Moments> = None;
    for from in (0..sound.count()).step_by(PIECE_HOPS * hop) {
        for samples in sound.piece(from..from + PIECE_HOPS * hop)?.chunks_exact(hop) {
            let now = Moments::of(samples);
            if let Some(before) = before {
                let mean = (before.sum + now.sum) / n;
                levels.push(power_db((before.squares + now.squares) / n - mean * mean, 1.0));
            }
            before = Some(now);
        }
    }
    Ok(levels)
}

/// `10 log10(power / reference)`; NaN where the power is below [`SILENCE_DB`] re full scale.
pub(super) fn power_db(power: f64, reference: f64) -> f32 {
    if power >= 10f64.powf(f64::from(SILENCE_DB) / 10.0) {
        (10.0 * (power / reference).log10()) as f32
    } else {
        f32::NAN
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::signal::AudioBuffer;

    /// Samples as a sound at 16 kHz.
    pub fn sound(samples: &[f32]) -> AudioBuffer {
        AudioBuffer::new(samples.to_vec(), GRID.rate_hz())
    }

    /// A sine of `hz` with an RMS of `db` re full scale, at 16 kHz.
    pub fn sine(hz: f64, db: f64, secs: f64) -> Vec<f32> {
        let amplitude = 2f64.sqrt() * 10f64.powf(db / 20.0);
        (0..(secs * 16_000.0) as usize)
            .map(|i| (amplitude * (std::f64::consts::TAU * hz * i as f64 / 16_000.0).sin()) as f32)
            .collect()
    }

    #[test]
    fn a_sine_at_minus_20_db_has_that_level_with_and_without_an_offset() {
        for offset in [0.0, 0.3] {
            let x: Vec<f32> = sine(200.0, -20.0, 1.0).iter().map(|s| s + offset).collect();
            let level = level_db(&sound(&x)).unwrap();
            assert_eq!(level.len(), 99);
            assert!(level.iter().all(|l| (l + 20.0).abs() < 1e-4), "{:?}", &level[..3]);
        }
    }

    #[test]
    fn silence_and_an_offset_alone_have_no_level() {
        assert!(level_db(&sound(&[0.0; 1600])).unwrap().iter().all(|l| l.is_nan()));
        assert!(level_db(&sound(&[0.5; 1600])).unwrap().iter().all(|l| l.is_nan()));
        assert!(level_db(&sound(&[0.5; 319])).unwrap().is_empty());
        assert_eq!(level_db(&sound(&[0.5; 320])).unwrap().len(), 1);
    }

    #[test]
    fn pieces_of_a_sound_give_what_the_whole_does() {
        let x = sine(120.0, -20.0, 16.5);
        let (level, hop) = (level_db(&sound(&x)).unwrap(), GRID.hop());
        assert_eq!(level.len(), GRID.whole_frames(x.len()));
        let own = |i: usize| level_db(&sound(&x[i * hop..(i + 2) * hop])).unwrap()[0];
        assert!((PIECE_HOPS - 3..PIECE_HOPS + 3).all(|i| level[i].to_bits() == own(i).to_bits()));
    }
}
