//! Signals of known properties, with what openSMILE (package opensmile 2.6.0) measured on the same signals, and signals
//! nobody should send.

use super::*;

fn index(name: &str) -> usize {
    FUNCTIONALS.iter().position(|e| e.name == name).expect("a functional's name")
}

fn both(f: &Functionals, name: &str) -> (Option<f64>, Option<f64>) {
    (f.values[index(name)], f.opensmile[index(name)])
}

fn value(f: &Functionals, name: &str) -> f64 {
    f.values[index(name)].unwrap()
}

/// Numbers in [-1, 1) of the generator that made the signals openSMILE was asked about: other numbers would have other
/// answers.
struct Noise(u32);

impl Noise {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f64::from(self.0) / 4_294_967_296.0 * 2.0 - 1.0
    }
}

/// Pulses at `hz` through two first-order low-passes. Periods vary evenly by `jitter` to either side, amplitudes
/// alternate by `shimmer`.
fn pulses(hz: f64, jitter: f64, shimmer: f64, len: usize, amplitude: f64) -> Vec<f32> {
    let mut train = vec![0.0f64; len + 2];
    let (mut t, mut k, mut noise) = (0.0f64, 0, Noise(1));
    while t < len as f64 {
        let height = 1.0 + shimmer * if k % 2 == 0 { 0.5 } else { -0.5 };
        let (at, part) = (t as usize, t.fract());
        train[at] += height * (1.0 - part);
        train[at + 1] += height * part;
        t += 16_000.0 / hz * (1.0 + jitter * noise.next());
        k += 1;
    }
    let (mut first, mut second) = (0.0, 0.0);
    train[..len]
        .iter()
        .map(|x| {
            first = 0.9 * first + x;
            second = 0.9 * second + first;
            ((second * amplitude / 6.0 * 32_768.0).round() / 32_768.0) as f32
        })
        .collect()
}

fn close(got: f64, want: f64, tolerance: f64) {
    assert!((got - want).abs() <= tolerance, "{got} for {want}");
}

#[test]
fn pulse_trains_have_their_pitch() {
    let mut e = Extractor::new();
    // In theory 36.00 and 25.50 semitones; openSMILE measures 36.027 and 25.536.
    for (hz, want) in [(220.0, 36.02703), (120.0, 25.53613)] {
        let f = e.functionals(&pulses(hz, 0.0, 0.0, 48_000, 0.3));
        close(value(&f, "F0semitoneFrom27.5Hz_sma3nz_amean"), want, 1e-3);
        assert_eq!(f.missing, None);
    }
}

#[test]
fn jitter_and_shimmer_have_their_size() {
    let mut e = Extractor::new();
    // Periods even within ±j: neighbours differ by 2/3 j, here 1, 2 and 4 %.
    for (j, want) in [(0.015, 0.00968), (0.03, 0.01973), (0.06, 0.03897)] {
        let f = e.functionals(&pulses(120.0, j, 0.0, 48_000, 0.3));
        close(value(&f, "jitterLocal_sma3nz_amean"), want, 2e-4);
    }
    // 20 log10(1.1) and 20 log10(1.2).
    for (s, want) in [(0.1, 0.82816), (0.2, 1.58305)] {
        let f = e.functionals(&pulses(120.0, 0.0, s, 48_000, 0.3));
        close(value(&f, "shimmerLocaldB_sma3nz_amean"), want, 2e-3);
    }
}

#[test]
fn half_the_amplitude_is_six_decibels_less() {
    let mut e = Extractor::new();
    let (loud, soft) =
        (e.functionals(&pulses(120.0, 0.0, 0.0, 48_000, 0.3)), e.functionals(&pulses(120.0, 0.0, 0.0, 48_000, 0.15)));
    close(value(&loud, "equivalentSoundLevel_dBp") - value(&soft, "equivalentSoundLevel_dBp"), 6.0203, 1e-3);
    close(value(&loud, "loudness_sma3_amean"), 0.58623, 1e-4);
    close(value(&soft, "loudness_sma3_amean"), 0.37104, 1e-4);
}

#[test]
fn frames_are_counted_as_opensmile_does() {
    let mut e = Extractor::new();
    for (len, frames) in [(0, 0), (959, 0), (960, 2), (16_000, 96), (48_000, 296)] {
        assert_eq!(e.lld(&pulses(120.0, 0.0, 0.0, len, 0.3)).frames(), frames);
    }
    assert!((Lld::start_secs(95) - 0.95).abs() < 1e-12);
}

#[test]
fn shorter_than_a_window_is_null_not_nan() {
    let f = Extractor::new().functionals(&pulses(120.0, 0.0, 0.0, 800, 0.3));
    assert_eq!(f.missing, Some(Missing::TooShort));
    assert!(f.values.iter().chain(&f.opensmile).all(Option::is_none));
}

#[test]
fn of_very_short_turns_the_runs_are_null_not_zero() {
    let f = Extractor::new().functionals(&pulses(150.0, 0.0, 0.0, 1040, 0.3));
    assert_eq!(both(&f, "VoicedSegmentsPerSec"), (None, Some(0.0)));
    assert!(f.values[index("loudness_sma3_amean")].is_some());
}

#[test]
fn silence_is_null_not_zero() {
    let f = Extractor::new().functionals(&[0.0; 16_000]);
    assert_eq!(f.missing, Some(Missing::Silent));
    assert!(f.values.iter().all(Option::is_none));
    assert_eq!(f.opensmile.iter().filter(|v| **v == Some(0.0)).count(), 77);
    assert_eq!(both(&f, "equivalentSoundLevel_dBp").1, Some(-120.0));
}

#[test]
fn the_floor_of_unvoiced_frames_is_not_in_our_means() {
    let mut e = Extractor::new();
    let voiced = pulses(120.0, 0.0, 0.0, 16_000, 0.3);
    let mut half = voiced.clone();
    half.resize(32_000, 0.0);
    let name = "F1amplitudeLogRelF0_sma3nz_amean";
    let (ours, theirs) = both(&e.functionals(&half), name);
    close(theirs.unwrap(), -107.625, 0.01);
    close(ours.unwrap(), value(&e.functionals(&voiced), name), 0.5);
}

#[test]
fn unvoiced_frames_have_no_pitch_and_no_zero_either() {
    let mut e = Extractor::new();
    let mut half = pulses(120.0, 0.0, 0.0, 16_000, 0.3);
    half.resize(32_000, 0.0);
    let l = e.lld(&half);
    assert!(l.voiced(50) && !l.voiced(150));
    assert!(l.value(10, 50).is_some() && l.value(10, 150).is_none() && l.value(0, 150).is_some());
    let noise: Vec<f32> = {
        let mut n = Noise(7);
        (0..16_000).map(|_| (n.next() * 0.1) as f32).collect()
    };
    let f = e.functionals(&noise);
    assert_eq!(f.missing, Some(Missing::Unvoiced));
    assert_eq!(both(&f, "jitterLocal_sma3nz_amean"), (None, Some(0.0)));
}

#[test]
fn nothing_breaks_on_odd_signals() {
    let mut n = Noise(3);
    let signals: Vec<Vec<f32>> = vec![
        (0..16_000).map(|_| n.next() as f32).collect(),
        vec![0.0; 5_000],
        vec![0.3; 16_000],
        pulses(120.0, 0.0, 0.0, 16_000, 0.3).iter().map(|x| (x * 40.0).clamp(-1.0, 1.0)).collect(),
        pulses(120.0, 0.0, 0.0, 16_000, 0.3).iter().map(|x| x + 0.4).collect(),
        (0..16_000).map(|i| if i % 2 == 0 { 1.0 } else { -1.0 }).collect(),
        (0..16_000).map(|i| if i == 8_000 { 1.0 } else { 0.0 }).collect(),
        vec![7.5; 3_000],
        vec![f32::NAN; 3_000],
        vec![f32::INFINITY; 3_000],
        vec![1e-30; 3_000],
        pulses(700.0, 0.0, 0.0, 16_000, 0.3),
        pulses(40.0, 0.0, 0.0, 16_000, 0.3),
    ];
    let mut e = Extractor::new();
    for (i, signal) in signals.iter().enumerate() {
        let (lld, f) = e.analyse(signal);
        assert!(lld.columns.iter().flatten().all(|v| v.is_finite()), "signal {i}");
        assert!(f.values.iter().chain(&f.opensmile).flatten().all(|v| v.is_finite()), "signal {i}");
        assert!(lld.columns.iter().all(|c| c.len() == lld.frames()));
    }
}

#[test]
fn an_extractor_remembers_nothing() {
    let (a, b) = (pulses(150.0, 0.02, 0.1, 20_000, 0.3), pulses(300.0, 0.0, 0.0, 9_000, 0.1));
    let mut e = Extractor::new();
    let first = e.analyse(&a);
    e.analyse(&b);
    assert_eq!(first, e.analyse(&a));
    assert_eq!(first, (e.lld(&a), e.functionals(&a)));
}
