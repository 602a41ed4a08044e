//! On made pairs each measure finds what was put in, and nothing where nothing was.

use super::*;
use crate::random::Random;
use crate::turns::lagged::{LagSettings, lagged};
use crate::turns::synchrony::SynchronyConfig;

/// Noise that remembers (half-life about 0.5 s at 10 Hz) on top of a slow drift, as smiles and heads do.
fn wander(seed: u64, n: usize) -> Vec<f64> {
    let mut random = Random::new(seed, "wander");
    // Sum of four uniforms: near enough to a bell.
    let mut draw = || (0..4).map(|_| 0.5 * random.signed()).sum::<f64>();
    let (mut x, mut slow) = (0.0, 0.0);
    let step = |_| {
        x = 0.87 * x + draw();
        slow = 0.999 * slow + 0.05 * draw();
        x + slow
    };
    // The first values are not yet as the others.
    (0..n + 50).map(step).skip(50).collect()
}

fn none(seed: u64, n: usize) -> (Vec<f64>, Vec<f64>) {
    (wander(2 * seed, n), wander(2 * seed + 1, n))
}

/// The second does what the first did 0.4 s before, and as much of its own.
fn behind(seed: u64, n: usize) -> (Vec<f64>, Vec<f64>) {
    let (a, own) = none(seed, n + 4);
    let b = a.iter().zip(&own[4..]).map(|(x, y)| x + 0.7 * y).collect();
    (a[4..].to_vec(), b)
}

/// Both swing at about 1 Hz together, the phase going its own way.
fn swinging(seed: u64, n: usize) -> (Vec<f64>, Vec<f64>) {
    let (a, b) = none(seed, n);
    let mut random = Random::new(seed, "swing");
    let mut phase = 0.0;
    let swing: Vec<f64> = (0..n)
        .map(|_| {
            phase += 0.1 * std::f64::consts::TAU * (1.0 + 0.5 * random.signed());
            phase.sin()
        })
        .collect();
    let with = |x: Vec<f64>| x.iter().zip(&swing).map(|(x, s)| x + 1.5 * s).collect();
    (with(a), with(b))
}

fn found(pair: &(Vec<f64>, Vec<f64>), settings: &CouplingSettings) -> Vec<Measured> {
    coupled(&pair.0, &pair.1, settings).map(|m| m.unwrap()).into()
}

fn p(measured: &Measured) -> f64 {
    measured.standing.map_or_else(|| measured.granger.unwrap().p, |s| s.p)
}

/// Ten minutes, as an interview's.
const LONG: usize = 6000;

#[test]
fn a_follower_is_found_with_the_lag_and_the_leader_does_not_follow() {
    let settings = SynchronyConfig::default().grid();
    let mut back = 0;
    for seed in 0..10 {
        let pair = behind(seed, LONG);
        let all = found(&pair, &settings);
        for m in &all {
            assert!(p(m) <= 0.01 || m.kind == MeasureKind::Determinism, "{seed}: {m:?}");
            assert!(m.standing.is_none_or(|s| s.p_pseudo <= 0.05), "{seed}: {m:?}");
        }
        let peak = all.iter().find(|m| m.kind == MeasureKind::RecurrencePeak).unwrap();
        let profile = peak.profile.as_ref().unwrap();
        // Steps of 0.2 s, up to 2 s.
        assert!(peak.lag == Some(2) && profile.len() == 11 && profile[2] > profile[9] + 0.05, "{seed}: {peak:?}");
        let granger = all.iter().find_map(|m| m.granger).unwrap();
        assert!(granger.p < 1e-9 && granger.gain > 0.01, "{seed}: {granger:?}");
        let reverse = found(&(pair.1, pair.0), &settings).iter().find_map(|m| m.granger).unwrap();
        assert!(reverse.gain < granger.gain, "{seed}");
        back += usize::from(reverse.p < 0.05);
    }
    eprintln!("the leader after the follower, by Granger's test: {back} of 10 below 0.05");
    assert!(back <= 2, "{back}");
}

#[test]
fn a_common_rhythm_is_coherent_in_its_band_alone() {
    let settings = SynchronyConfig::default().grid();
    let (mut low, mut values) = (0, [0.0; 3]);
    for seed in 0..10 {
        let all = found(&swinging(seed, LONG), &settings);
        let bands = [MeasureKind::CoherenceLow, MeasureKind::CoherenceMid, MeasureKind::CoherenceHigh];
        let bands = bands.map(|kind| all.iter().find(|m| m.kind == kind).unwrap());
        assert!(p(bands[2]) <= 0.005 && bands[2].standing.unwrap().z > 5.0, "{seed}: {:?}", bands[2]);
        low += usize::from(p(bands[0]) <= 0.05);
        values.iter_mut().zip(bands).for_each(|(v, m)| *v += m.value / 10.0);
    }
    eprintln!("coherence low, mid, high with a rhythm of 1 Hz: {values:.3?}; low {low} of 10 below 0.05");
    assert!(low <= 2 && values[2] > 2.0 * values[0], "{values:?}");
    // Of 40 unrelated windows 1 / 40 is to be expected.
    assert!((values[0] - 0.025).abs() < 0.02, "{values:?}");
}

/// 26 short windows in blocks of 13; of 39 surrogates one may reach the value for a p of 0.05.
fn short() -> CouplingSettings {
    CouplingSettings {
        window: 40,
        max_lag: 2,
        min_windows: 8,
        known_share: 0.8,
        coarse: 2,
        radius: 0.2,
        min_line: 3,
        bands: [1..3, 3..6, 6..10],
        granger: GrangerSettings { own: 4, leader: 1..5, rows_per_coefficient: 5.0 },
        chance: Chance { surrogates: 39, block: 13, seed: 1 },
    }
}

/// How many of 500 independent pairs may lie beyond 5 %: 25, and three standard deviations (4.9 each).
const MOST: usize = 40;

#[test]
fn of_500_independent_pairs_one_in_twenty_is_told_at_5_percent() {
    let settings = short();
    let (mut shuffled, mut pseudo) = ([0; 8], [0; 8]);
    for seed in 0..500 {
        for (k, m) in found(&none(seed, 26 * 40), &settings).iter().enumerate() {
            shuffled[k] += usize::from(p(m) <= 0.05);
            pseudo[k] += usize::from(m.standing.is_some_and(|s| s.p_pseudo <= 0.05));
        }
    }
    for (k, kind) in MeasureKind::ALL.iter().enumerate() {
        let share = |n: usize| 100.0 * n as f64 / 500.0;
        eprintln!("{}: {:.1} % by p, {:.1} % by p_pseudo", kind.name(), share(shuffled[k]), share(pseudo[k]));
        assert!((10..=MOST).contains(&shuffled[k]), "{kind:?}: {} of 500", shuffled[k]);
        assert!(pseudo[k] <= MOST, "{kind:?}: {} of 500 pseudo-pairs", pseudo[k]);
    }
}

#[test]
fn of_500_independent_pairs_lagged_correlation_tells_one_in_twenty() {
    let settings = LagSettings { window: 40, max_lag: 8, min_windows: 8, chance: short().chance };
    let (mut shuffled, mut pseudo, mut missed) = (0, 0, 0);
    for seed in 0..500 {
        let (a, b) = none(seed, 26 * 40 + 8);
        let lag = lagged(&a, &b, settings).unwrap();
        shuffled += usize::from(lag.p <= 0.05);
        pseudo += usize::from(lag.p_pseudo <= 0.05);
        let (a, b) = behind(seed, 26 * 40 + 8);
        let lag = lagged(&a, &b, settings).unwrap();
        missed += usize::from(lag.p > 0.05 || lag.lag != 4);
    }
    eprintln!(
        "lagged correlation of nothing: {shuffled} of 500 by p, {pseudo} by p_pseudo; of a follower: {missed} missed"
    );
    assert!((10..=MOST).contains(&shuffled) && pseudo <= MOST && missed <= 5, "{shuffled} {pseudo} {missed}");
}

#[test]
fn answers_turn_by_turn_are_held_to_the_same() {
    let settings = SynchronyConfig::default().exchanges();
    let settings = CouplingSettings { chance: Chance { surrogates: 39, block: 40, seed: 1 }, ..settings };
    let turns = |seed: u64| (0..60).map(|i| wander(seed, 600)[10 * i]).collect::<Vec<f64>>();
    let (mut false_alarms, mut hits) = ([0; 8], [0; 8]);
    for seed in 0..200 {
        let (a, own) = (turns(2 * seed), turns(2 * seed + 1));
        let like: Vec<f64> = a.iter().zip(&own).map(|(x, y)| x + 0.5 * y).collect();
        for (list, follower) in [(&mut false_alarms, &own), (&mut hits, &like)] {
            for (k, m) in coupled(&a, follower, &settings).iter().enumerate() {
                list[k] += m.as_ref().map_or(0, |m| usize::from(p(m) <= 0.05));
            }
        }
    }
    eprintln!("60 exchanges, of 200: nothing {false_alarms:?}, answers alike {hits:?} (order of MeasureKind::ALL)");
    // 10, and three standard deviations (3.1 each).
    assert!(false_alarms.iter().all(|n| *n <= 20), "{false_alarms:?}");
    // Peak of recurrence, Granger's test (the answer follows the turn before it) and warping.
    assert!(hits[1] > 150 && hits[6] > 190 && hits[7] > 190, "{hits:?}");
}

#[test]
fn what_is_too_short_or_does_not_move_has_a_reason() {
    let settings = SynchronyConfig::default().grid();
    let (a, b) = none(1, 7 * 150);
    let told = |a: &[f64], b: &[f64]| coupled(a, b, &settings).map(|m| m.err());
    assert_eq!(told(&a, &b)[..6], [Some(Missing::TooShort); 6]);
    assert_eq!(told(&a, &b)[6], None, "Granger's test needs fewer: 205 instants");
    assert_eq!(told(&a[..200], &b[..200]), [Some(Missing::TooShort); 8]);
    let still = vec![1.0; LONG];
    assert_eq!(told(&wander(1, LONG), &still)[6], Some(Missing::Constant));
    assert_eq!(told(&[], &[]), [Some(Missing::TooShort); 8]);
    // Known for half of each window: enough for no window here.
    let gappy: Vec<f64> = (0..LONG).map(|i| if i % 10 < 5 { wander(3, 10)[i % 10] } else { f64::NAN }).collect();
    assert_eq!(told(&wander(1, LONG), &gappy)[0], Some(Missing::TooShort));
}
