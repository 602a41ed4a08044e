//! Rows of bursts, and what is none.

use super::*;
use crate::random::Random;
use crate::signal::AudioBuffer;

const RATE: usize = super::super::SAMPLE_RATE_HZ as usize;

/// A voice of `hz` with the first two formants of an open vowel: each harmonic weighted by its distance to them.
fn vowel(hz: f64, at: f64) -> f64 {
    let harmonic = |k: usize| {
        let f = hz * k as f64;
        let near = |formant: f64, width: f64| (1.0 + ((f - formant) / width).powi(2)).recip();
        (near(750.0, 150.0) + 0.6 * near(1300.0, 200.0)) * (std::f64::consts::TAU * f * at).sin()
    };
    (1..=18).map(harmonic).sum()
}

/// Ten bursts of one vowel, five a second, between `from` and `from` + 2 s, over faint noise, as a laugh is.
fn laughing(secs: f64, from: f64) -> AudioBuffer {
    let mut random = Random::seeded(3);
    let samples = (0..(secs * RATE as f64) as usize).map(|n| {
        let at = n as f64 / RATE as f64;
        let (into, phase) = (at - from, ((at - from) / 0.2).fract());
        let burst =
            if (0.0..2.0).contains(&into) && phase < 0.5 { (std::f64::consts::PI * phase / 0.5).sin() } else { 0.0 };
        (0.15 * burst * vowel(230.0, 0.2 * phase) + 0.001 * random.signed()) as f32
    });
    AudioBuffer::new(samples.collect(), RATE as u32)
}

fn asked() -> LaughterConfig {
    LaughterConfig { enabled: true, ..LaughterConfig::default() }
}

#[test]
fn a_row_of_like_bursts_is_a_laugh_where_it_is() {
    let found = laughs(&laughing(8.0, 3.0), &asked()).unwrap();
    let [laugh] = found.as_slice() else { panic!("{found:?}") };
    assert!((laugh.start_secs - 3.0).abs() < 0.4 && (laugh.end_secs - 5.0).abs() < 0.4, "{laugh:?}");
    assert!(laugh.probability > 0.3 && laugh.probability <= 1.0, "{laugh:?}");
}

#[test]
fn it_is_where_it_is_whatever_went_before() {
    let starts: Vec<f64> = [0.0, 0.37, 0.74, 1.11, 1.48, 1.85, 2.22, 2.59]
        .iter()
        .map(|late| {
            let found = laughs(&laughing(8.0 - late, 3.5 - late), &asked()).unwrap();
            let [laugh] = found.as_slice() else { panic!("begun {late} s late: {found:?}") };
            laugh.start_secs + late
        })
        .collect();
    assert!(starts.iter().all(|start| (start - starts[0]).abs() <= 0.15), "{starts:?}");
}

#[test]
fn noise_silence_and_a_held_vowel_are_none() {
    let mut random = Random::seeded(5);
    let noise: Vec<f32> = (0..4 * RATE).map(|_| 0.1 * random.signed() as f32).collect();
    let held: Vec<f32> = (0..4 * RATE).map(|n| (0.1 * vowel(200.0, n as f64 / RATE as f64)) as f32).collect();
    for (name, samples) in [("noise", noise), ("silence", vec![0.0; 4 * RATE]), ("held", held), ("nothing", Vec::new())]
    {
        let found = laughs(&AudioBuffer::new(samples, RATE as u32), &asked()).unwrap();
        assert!(found.is_empty(), "{name}: {found:?}");
    }
}

#[test]
fn nothing_is_looked_for_unless_asked_and_another_rate_is_refused() {
    assert!(laughs(&laughing(6.0, 2.0), &LaughterConfig::default()).unwrap().is_empty());
    assert!(laughs(&AudioBuffer::new(vec![0.0; 100], 8000), &asked()).is_err());
}

#[test]
fn events_reach_as_far_as_the_release_are_joined_and_short_ones_are_none() {
    let config = LaughterConfig { onset_probability: 0.5, min_secs: 0.2, join_secs: 0.1, ..asked() };
    let mut p = vec![0.0; 40];
    // One with a release around its onset; one that never reaches it; two that are 0.1 s apart; a short one.
    p[4..10].fill(0.3);
    p[6] = 0.6;
    p[14..19].fill(0.4);
    p[22..26].fill(0.9);
    p[28..32].fill(0.9);
    p[36..38].fill(0.9);
    let found = events(&p, &config);
    let near = |l: &Laugh, a: f64, b: f64| (l.start_secs - a).abs() < 1e-9 && (l.end_secs - b).abs() < 1e-9;
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(near(&found[0], 0.175, 0.475) && near(&found[1], 1.075, 1.575), "{found:?}");
    assert!((found[0].probability - 0.35).abs() < 1e-9);
}

#[test]
fn a_long_recording_is_looked_at_in_pieces_without_seams() {
    // The laugh lies across the first border of blocks.
    let border = (BLOCK * HOP) as f64 / RATE as f64;
    let found = laughs(&laughing(border + 40.0, border - 1.0), &asked()).unwrap();
    let [laugh] = found.as_slice() else { panic!("{found:?}") };
    assert!(
        (laugh.start_secs - (border - 1.0)).abs() < 0.4 && (laugh.end_secs - (border + 1.0)).abs() < 0.4,
        "{laugh:?}"
    );
}
