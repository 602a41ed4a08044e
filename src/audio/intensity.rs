//! Intensity after Praat: the squared sound smoothed by a Kaiser window, in dB re 20 µPa.
//!
//! Praat manual, "Sound: To Intensity...": the window is a Kaiser-20 one whose effective length is 3.2 / lowest pitch
//! (its physical length is twice that), and the window's mean is taken off first. Full scale counts as 1 Pa. Praat
//! gives no value where the window reaches over an end of the recording; here the part of the window that is inside is
//! taken.

use std::sync::LazyLock;

use super::level::power_db;
use super::{GRID, SAMPLE_RATE_HZ};
use crate::error::Result;
use crate::signal::Sound;

/// The lowest pitch whose ripple the window hides.
const PITCH_FLOOR_HZ: f64 = 75.0;

/// Power of 20 µPa.
const HEARING_THRESHOLD: f64 = 2e-5 * 2e-5;

/// Weights from the centre outwards on both sides, `2 * half + 1` of them.
static WINDOW: LazyLock<Vec<f32>> = LazyLock::new(|| {
    let half_secs = 3.2 / PITCH_FLOOR_HZ;
    let half = (half_secs * f64::from(SAMPLE_RATE_HZ)).floor() as i64;
    let shape = 2.0 * std::f64::consts::PI.powi(2) + 0.5;
    (-half..=half)
        .map(|k| {
            let x = k as f64 / (half_secs * f64::from(SAMPLE_RATE_HZ));
            (bessel_i0(shape * (1.0 - x * x).max(0.0).sqrt()) / bessel_i0(shape)) as f32
        })
        .collect()
});

/// Frames a piece of the sound: 16 s.
const PIECE_FRAMES: usize = 1600;

/// Intensity of every frame of [`GRID`], NaN in silence.
///
/// # Errors
/// What [`Sound::piece`] says.
pub(super) fn intensity_db(sound: &impl Sound) -> Result<Vec<f32>> {
    let window = WINDOW.as_slice();
    let half = window.len() / 2;
    let (count, frames) = (sound.count(), GRID.whole_frames(sound.count()));
    let centre = |frame: usize| frame * GRID.hop() + GRID.window() / 2;
    let reach = |centre: usize| centre.saturating_sub(half)..(centre + half + 1).min(count);
    let mut all = Vec::with_capacity(frames);
    for first in (0..frames).step_by(PIECE_FRAMES) {
        let end = frames.min(first + PIECE_FRAMES);
        let begin = reach(centre(first)).start;
        let samples = sound.piece(begin..reach(centre(end - 1)).end)?;
        all.extend((first..end).map(|i| {
            let (centre, reach) = (centre(i), reach(centre(i)));
            let weights = &window[reach.start + half - centre..reach.end + half - centre];
            power_db(weighted_power(&samples[reach.start - begin..reach.end - begin], weights), HEARING_THRESHOLD)
        }));
    }
    Ok(all)
}

/// Weighted mean square around the plain mean; eight sums side by side in fixed order.
fn weighted_power(samples: &[f32], weights: &[f32]) -> f64 {
    let mean = (lanes(samples, samples, |x, _| x) / samples.len() as f64) as f32;
    let power = lanes(samples, weights, |x, w| (x - mean) * (x - mean) * w);
    power / lanes(weights, weights, |w, _| w)
}

fn lanes(a: &[f32], b: &[f32], f: impl Fn(f32, f32) -> f32) -> f64 {
    let mut sums = [0f32; 8];
    let (whole_a, whole_b) = (a.chunks_exact(8), b.chunks_exact(8));
    let mut rest = 0f64;
    for (&x, &y) in whole_a.remainder().iter().zip(whole_b.remainder()) {
        rest += f64::from(f(x, y));
    }
    for (x, y) in whole_a.zip(whole_b) {
        for lane in 0..8 {
            sums[lane] += f(x[lane], y[lane]);
        }
    }
    rest + sums.iter().map(|&s| f64::from(s)).sum::<f64>()
}

/// Modified Bessel function of the first kind and order 0, by its power series.
fn bessel_i0(x: f64) -> f64 {
    let quarter = x * x / 4.0;
    let (mut term, mut sum) = (1.0, 1.0);
    let mut k = 1.0;
    while term > sum * 1e-16 {
        term *= quarter / (k * k);
        sum += term;
        k += 1.0;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::super::level::tests::{sine, sound};
    use super::super::reference;
    use super::*;

    #[test]
    fn the_bessel_function_has_its_tabled_values() {
        // Abramowitz & Stegun, table 9.8.
        assert!((bessel_i0(1.0) - 1.266_065_878).abs() < 1e-9);
        assert!((bessel_i0(5.0) - 27.239_871_82).abs() < 1e-7);
    }

    #[test]
    fn a_sine_at_minus_20_db_is_74_db_above_hearing() {
        // 0.1 Pa re 20 µPa is 73.979 dB.
        for offset in [0.0, 0.5] {
            let x: Vec<f32> = sine(200.0, -20.0, 1.0).iter().map(|s| s + offset).collect();
            let db = intensity_db(&sound(&x)).unwrap();
            assert_eq!(db.len(), 99);
            assert!(db[5..94].iter().all(|d| (d - 73.979).abs() < 0.01), "{:?}", &db[5..8]);
        }
        assert!(intensity_db(&sound(&[0.25; 8000])).unwrap().iter().all(|d| d.is_nan()));
    }

    #[test]
    fn pieces_of_a_sound_give_what_the_whole_does() {
        let x: Vec<f32> = sine(120.0, -20.0, 16.5).iter().enumerate().map(|(i, s)| s * (i % 977) as f32).collect();
        let whole = intensity_db(&sound(&x)).unwrap();
        assert_eq!(whole.len(), GRID.whole_frames(x.len()));
        // The same frames further from the cut between two pieces.
        let later = intensity_db(&sound(&x[100 * GRID.hop()..])).unwrap();
        let around = PIECE_FRAMES - 5..PIECE_FRAMES + 5;
        assert!(around.clone().all(|i| whole[i].to_bits() == later[i - 100].to_bits()), "{:?}", &whole[around]);
    }

    #[test]
    #[cfg_attr(not(feature = "shared-tests"), ignore = "needs the reference clips: make test-shared")]
    fn intensity_agrees_with_praat() {
        let shared = crate::reference::folder();
        for clip in reference::CLIPS {
            let samples = reference::wav(&shared, clip);
            // Praat centres its frames in the recording, half a hop beside ours, and the reference is drawn between its
            // frames to the times of its pitch by a cubic: the signal is shifted so that our frames fall on Praat's,
            // and drawn between in the same way.
            let duration = samples.len() as f64 / f64::from(SAMPLE_RATE_HZ);
            let count = ((duration - 6.4 / PITCH_FLOOR_HZ) / GRID.hop_secs()).floor();
            let first = 0.5 * (duration - count * GRID.hop_secs());
            let shift = (first % GRID.hop_secs() * f64::from(SAMPLE_RATE_HZ)).round() as usize;
            let got = intensity_db(&sound(&samples[shift..])).unwrap();
            let expected = reference::csv_gz(&shared, clip, "praat.csv.gz");
            let (time, db) = (reference::column(&expected, "time_secs"), reference::column(&expected, "intensity_db"));
            let mut off: Vec<f32> = Vec::new();
            // At both ends the cubic has no neighbours.
            let known: Vec<(&f32, &f32)> = time.iter().zip(&db).filter(|(_, db)| db.is_finite()).collect();
            for (t, db) in &known[3..known.len() - 3] {
                let place = (**t - shift as f32 / SAMPLE_RATE_HZ as f32) * 100.0 - 1.0;
                let low = (place + 0.01).floor();
                let between = place - low > 0.25;
                let [a, b, c, d] = std::array::from_fn(|k| got[low as usize + k - 1]);
                let drawn = if between { (9.0 * (b + c) - a - d) / 16.0 } else { b };
                off.push((drawn - **db).abs());
            }
            off.retain(|x| x.is_finite());
            off.sort_unstable_by(f32::total_cmp);
            let at = |p: usize| off[(off.len() - 1) * p / 100];
            println!(
                "{clip}: intensity off by {:.3} dB (median), {:.3} (99th percentile), {:.3} (most)",
                at(50),
                at(99),
                at(100)
            );
            assert!(at(50) <= 0.01 && at(99) <= 0.05, "{clip}");
        }
    }
}
