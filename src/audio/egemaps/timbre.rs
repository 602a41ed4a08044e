//! Descriptors of the 20 ms spectrum: loudness, spectral balance, flux and cepstral coefficients.
//!
//! Sources: the mel bank and cepstra follow the HTK book (Young et al., section 5.4 and 5.6), loudness follows
//! perceptual linear prediction (Hermansky, "Perceptual linear predictive (PLP) analysis of speech", JASA 87(4), 1990),
//! alpha ratio and Hammarberg index the GeMAPS paper.

use super::radix::BINS;

/// Distance of the bins: 512 points at 16 kHz.
const BIN_HZ: f64 = 31.25;
const BANDS: usize = 26;
const CEPSTRA: usize = 4;
/// Full scale of 16 bit samples, squared: the cepstra's floor of 1 counts in these units.
const INTEGER_POWER: f32 = 32_767.0 * 32_767.0;
/// Smallest power of a bin that is told apart from silence.
const POWER_FLOOR: f32 = 1e-14;
/// Bins of the flux: 0 to below 5 kHz.
const FLUX_BINS: usize = 160;

/// The ten descriptors of one frame, in the order of the low-level descriptors.
pub(super) type Timbre = [f32; 10];

/// Filters and tables, and the spectrum of the frame before.
#[derive(Debug)]
pub(super) struct TimbreAnalyser {
    /// For each bin, the upper of its two bands, counted from 1 so that 0 means none below.
    upper_band: [u8; BINS],
    /// Share of the bin's power that goes to the lower band.
    lower_share: [f32; BINS],
    /// Bins that are inside the bank.
    inside: std::ops::Range<usize>,
    equal_loudness: [f32; BANDS],
    cosines: [[f32; BANDS]; CEPSTRA],
    previous: Option<[f32; FLUX_BINS]>,
    power: [f32; BINS],
}

fn mel(hz: f64) -> f64 {
    1127.0 * (1.0 + hz / 700.0).ln()
}

/// Hermansky's equal-loudness weight, with the fall above 5 kHz, scaled to 1 at its top.
fn equal_loudness(hz: f64) -> f64 {
    let w = std::f64::consts::TAU * hz;
    let w2 = w * w;
    let low = w2 + 6.3e6;
    1e32 * (w2 + 56.8e6) * w2 * w2 / (low * low * (w2 + 0.38e9) * (w2 * w2 * w2 * w + 1.7e31))
}

impl TimbreAnalyser {
    pub(super) fn new() -> Self {
        let (lowest, highest) = (mel(20.0) as f32, mel(8000.0) as f32);
        let spacing = (highest - lowest) / (BANDS + 1) as f32;
        let edge = |i: usize| lowest + i as f32 * spacing;
        // 20 Hz rounds to bin 1, which itself stays outside; 8 kHz is the last bin, outside too.
        let inside = 2..BINS - 1;
        let (mut upper_band, mut lower_share) = ([0; BINS], [0.0; BINS]);
        for bin in inside.clone() {
            let m = mel(bin as f64 * BIN_HZ) as f32;
            // The triangle edges around the bin: edge(i) < m <= edge(i + 1); band b peaks at edge(b + 1).
            let i = (0..=BANDS).rfind(|&i| edge(i) < m).unwrap_or(0);
            upper_band[bin] = i as u8;
            lower_share[bin] = (edge(i + 1) - m) / (edge(i + 1) - edge(i));
        }
        let centre_hz = |band: usize| 700.0 * ((f64::from(edge(band + 1)) / 1127.0).exp() - 1.0);
        let lifter = |i: usize| 1.0 + 11.0 * (std::f64::consts::PI * i as f64 / 22.0).sin();
        TimbreAnalyser {
            upper_band,
            lower_share,
            inside,
            equal_loudness: std::array::from_fn(|b| equal_loudness(centre_hz(b)) as f32),
            cosines: std::array::from_fn(|c| {
                std::array::from_fn(|b| {
                    let angle = std::f64::consts::PI * (c + 1) as f64 / BANDS as f64 * (b as f64 + 0.5);
                    (angle.cos() * lifter(c + 1) * (2.0 / BANDS as f64).sqrt()) as f32
                })
            }),
            previous: None,
            power: [0.0; BINS],
        }
    }

    /// Forgets the frame before: the next one is a signal's first.
    pub(super) fn restart(&mut self) {
        self.previous = None;
    }

    /// Describes the next frame by its magnitude spectrum.
    pub(super) fn describe(&mut self, magnitude: &[f32; BINS]) -> Timbre {
        for (p, m) in self.power.iter_mut().zip(magnitude) {
            *p = m * m;
        }
        let bands = self.bands();
        let [c1, c2, c3, c4] = self.cepstra(&bands);
        let (low_slope, high_slope) = self.slopes();
        [
            self.loudness(&bands),
            self.alpha_ratio(),
            self.hammarberg_index(),
            low_slope,
            high_slope,
            self.flux(magnitude),
            c1,
            c2,
            c3,
            c4,
        ]
    }

    fn bands(&self) -> [f32; BANDS] {
        // One band more at either side takes what falls off the bank.
        let mut sums = [0.0f32; BANDS + 2];
        for bin in self.inside.clone() {
            let lower = self.power[bin] * self.lower_share[bin];
            let upper = usize::from(self.upper_band[bin]);
            sums[upper] += lower;
            sums[upper + 1] += self.power[bin] - lower;
        }
        std::array::from_fn(|b| sums[b + 1])
    }

    fn loudness(&self, bands: &[f32; BANDS]) -> f32 {
        let sum: f32 = bands
            .iter()
            .zip(&self.equal_loudness)
            .map(|(&band, weight)| f64::from(band.max(9.3e-10) * weight).powf(f64::from(0.33f32)) as f32)
            .sum();
        sum / BANDS as f32
    }

    fn cepstra(&self, bands: &[f32; BANDS]) -> [f32; CEPSTRA] {
        let logs: [f32; BANDS] = std::array::from_fn(|b| (bands[b] * INTEGER_POWER).max(1.0).ln());
        std::array::from_fn(|c| logs.iter().zip(&self.cosines[c]).map(|(l, k)| l * k).sum())
    }

    /// Energy of 1 to 5 kHz over that below 1 kHz in dB, 0 where there is none below.
    fn alpha_ratio(&self) -> f32 {
        let low: f32 = self.power[..32].iter().sum();
        let high: f32 = self.power[32..=160].iter().sum();
        if low > 0.0 { 10.0 * (if high > POWER_FLOOR { high / low } else { POWER_FLOOR / low }).log10() } else { 0.0 }
    }

    /// Strongest bin below 2 kHz over the strongest of 2 to 5 kHz in dB, 0 where the upper band is empty.
    fn hammarberg_index(&self) -> f32 {
        let low = self.power[..64].iter().fold(0.0f32, |a, &b| a.max(b));
        let high = self.power[64..=160].iter().fold(0.0f32, |a, &b| a.max(b));
        if high > 0.0 { 10.0 * (low.max(POWER_FLOOR) / high).log10() } else { 0.0 }
    }

    /// Slopes in dB/Hz of 0-500 and 500-1500 Hz.
    fn slopes(&self) -> (f32, f32) {
        let mut level = [0.0f64; 49];
        for (l, &p) in level.iter_mut().zip(&self.power) {
            *l = if p <= POWER_FLOOR { -140.0 } else { f64::from(10.0 * std::f32::consts::LOG10_E * p.ln()) };
        }
        (slope(&level, 0, 16), slope(&level, 16, 48))
    }

    fn flux(&mut self, magnitude: &[f32; BINS]) -> f32 {
        let now: &[f32] = &magnitude[..FLUX_BINS];
        let sum = self.previous.as_ref().map_or(0.0, |before| {
            let squares = now.iter().zip(before).map(|(a, b)| {
                let d = f64::from(*a) - f64::from(*b);
                d * d
            });
            squares.sum::<f64>()
        });
        self.previous.get_or_insert([0.0; FLUX_BINS]).copy_from_slice(now);
        (sum / FLUX_BINS as f64).sqrt() as f32
    }
}

/// Least-squares slope over bins `first..=last`. The number of points counted is one too few, as in openSMILE, whose
/// numbers this is to give.
fn slope(level: &[f64; 49], first: usize, last: usize) -> f32 {
    let count = (last - first) as f64;
    let (mut f, mut ff, mut l, mut fl) = (0.0, 0.0, 0.0, 0.0);
    for (bin, &db) in level.iter().enumerate().take(last + 1).skip(first) {
        let hz = bin as f64 * BIN_HZ;
        f += hz;
        ff += hz * hz;
        l += db;
        fl += hz * db;
    }
    ((count * fl - f * l) / (count * ff - f * f)) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn silence_has_floors_and_no_nan() {
        let mut t = TimbreAnalyser::new();
        let d = t.describe(&[0.0; BINS]);
        assert!(d.iter().all(|x| x.is_finite()), "{d:?}");
        assert!(d[1].abs() < 1e-9 && d[2].abs() < 1e-9 && d[5].abs() < 1e-9);
    }

    #[test]
    fn a_single_low_bin_has_a_high_hammarberg_index() {
        let mut t = TimbreAnalyser::new();
        let mut m = [0.01; BINS];
        m[20] = 1.0;
        let d = t.describe(&m);
        // 1 against 0.0001 in power.
        assert!((d[2] - 40.0).abs() < 1e-3, "{}", d[2]);
        assert!(d[5].abs() < 1e-9, "the first frame has no flux");
        m[20] = 1.4;
        let d = t.describe(&m);
        assert!((d[5] - 0.4 / 160f32.sqrt()).abs() < 1e-6, "{}", d[5]);
    }
}
