//! What of a stretch of 0.7 s speaks for laughter: like bursts at an even pace.

use super::bands::{BANDS, Banded, quantile};

/// Frames a window: 0.7 s.
pub(super) const WINDOW: usize = 70;

/// From burst to burst in frames: 50 to 260 ms. Laughs have 3 to 20 bursts a second, most about 5 (Bickley and
/// Hunnicutt 1992; Bachorowski et al. 2001).
const SHORTEST: usize = 5;
const LONGEST: usize = 26;

/// Lags that are looked at: twice the longest.
const LAGS: usize = 2 * LONGEST + 1;

/// Frames of the loudest fifth.
const LOUD: usize = WINDOW / 5;

/// Share of frames that are not loud.
const QUIET_SHARE: f64 = 0.6;

/// Numbers of one window.
pub(super) const MEASURES: usize = 15;

/// First band of each fifth of the spectrum, and the end.
const FIFTHS: [usize; 6] = [0, 6, 12, 18, 25, BANDS];

type Window = [[f32; BANDS]; WINDOW];

/// The measures of the window of `banded` whose middle is at `frame`; what lies outside is silence.
///
/// In order: how much more alike the spectrum is after one burst than after half of one, and how alike (correlations);
/// the latter after two; the time between bursts (0.1 s); the same contrast of the level alone at that time, and at its
/// best; how much spectrum and level move (log of dB²); how unlike the loud frames' spectra are (dB); loudness above
/// the floor (10 dB); the loud spectrum's shape in five parts (10 dB).
pub(super) fn measures(banded: &Banded, frame: usize) -> [f64; MEASURES] {
    let mut window: Window = [banded.floor; WINDOW];
    for (u, row) in window.iter_mut().enumerate() {
        if let Some(found) = (frame + u).checked_sub(WINDOW / 2).and_then(|at| banded.frames.get(at)) {
            *row = *found;
        }
    }
    let centred = centred(&window);
    let spectrum = likeness(&centred);
    let level = likeness(&centred.map(|row| [row.iter().sum::<f64>() / BANDS as f64]));
    let pace = (SHORTEST..=LONGEST).fold(SHORTEST, |best, lag| {
        if contrast(&spectrum.at, lag) > contrast(&spectrum.at, best) { lag } else { best }
    });
    let best_level = (SHORTEST..=LONGEST).map(|lag| contrast(&level.at, lag)).fold(f64::NEG_INFINITY, f64::max);
    let levels = window.map(|row| row.iter().sum::<f32>() / BANDS as f32);
    let floor = f64::from(banded.floor.iter().sum::<f32>()) / BANDS as f64;
    let shape = loud_shape(&window);
    let fifth = |i: usize| {
        let part = &shape[FIFTHS[i]..FIFTHS[i + 1]];
        part.iter().sum::<f64>() / part.len() as f64 / 10.0
    };
    [
        contrast(&spectrum.at, pace),
        spectrum.at[pace],
        spectrum.at[2 * pace],
        pace as f64 / 10.0,
        contrast(&level.at, pace),
        best_level,
        spectrum.energy.ln_1p(),
        level.energy.ln_1p(),
        diversity(&window, &levels),
        (loudest_mean(levels) - floor) / 10.0,
        fifth(0),
        fifth(1),
        fifth(2),
        fifth(3),
        fifth(4),
    ]
}

/// Each band around its mean over the window.
fn centred(window: &Window) -> [[f64; BANDS]; WINDOW] {
    let mut out = window.map(|row| row.map(f64::from));
    for band in 0..BANDS {
        let mean = out.iter().map(|row| row[band]).sum::<f64>() / WINDOW as f64;
        out.iter_mut().for_each(|row| row[band] -= mean);
    }
    out
}

/// Correlations of a series with itself, and its mean energy.
struct Likeness {
    at: [f64; LAGS],
    energy: f64,
}

/// By lag, for fewer pairs weighted up.
fn likeness<const N: usize>(series: &[[f64; N]; WINDOW]) -> Likeness {
    let sum = |lag: usize| {
        let pairs = series.iter().zip(&series[lag..]);
        pairs.map(|(a, b)| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>()).sum::<f64>()
    };
    let all = sum(0);
    let weight = |lag: usize| WINDOW as f64 / (WINDOW - lag) as f64;
    Likeness { at: std::array::from_fn(|lag| sum(lag) / (all + 1e-9) * weight(lag)), energy: all / WINDOW as f64 }
}

/// How much more alike after `lag` than after half of it.
fn contrast(likeness: &[f64; LAGS], lag: usize) -> f64 {
    let half = lag / 2;
    let middle = if lag.is_multiple_of(2) { likeness[half] } else { 0.5 * (likeness[half] + likeness[half + 1]) };
    likeness[lag] - middle
}

fn loudest_mean<const N: usize>(mut values: [f32; N]) -> f64 {
    values.sort_by(f32::total_cmp);
    values[N - LOUD..].iter().map(|v| f64::from(*v)).sum::<f64>() / LOUD as f64
}

/// Mean of each band's loudest fifth, around the mean of all bands.
fn loud_shape(window: &Window) -> [f64; BANDS] {
    let shape: [f64; BANDS] = std::array::from_fn(|band| loudest_mean(window.map(|row| row[band])));
    let mean = shape.iter().sum::<f64>() / BANDS as f64;
    shape.map(|v| v - mean)
}

/// Root mean square of what parts the loud frames' spectra from their mean, the level taken off.
fn diversity(window: &Window, levels: &[f32; WINDOW]) -> f64 {
    let least = quantile(levels.to_vec(), QUIET_SHARE).unwrap_or(f32::INFINITY);
    let loud: Vec<&[f32; BANDS]> =
        window.iter().zip(levels).filter(|(_, l)| **l >= least).map(|(row, _)| row).collect();
    let n = loud.len().max(1) as f64;
    let mean: [f64; BANDS] = std::array::from_fn(|b| loud.iter().map(|row| f64::from(row[b])).sum::<f64>() / n);
    let of_row = |row: &&[f32; BANDS]| {
        let apart: [f64; BANDS] = std::array::from_fn(|b| f64::from(row[b]) - mean[b]);
        let level = apart.iter().sum::<f64>() / BANDS as f64;
        apart.iter().map(|v| (v - level).powi(2)).sum::<f64>()
    };
    (loud.iter().map(of_row).sum::<f64>() / (n * BANDS as f64)).sqrt()
}
