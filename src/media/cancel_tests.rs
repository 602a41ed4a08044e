use super::*;
use crate::random::Random;

const RATE: u32 = 8000;

/// A voice-like sound: harmonics of 120 Hz whose level goes up and down, `secs` long.
fn voice(secs: f64) -> Vec<f64> {
    voice_at(secs, 120.0)
}

fn voice_at(secs: f64, pitch_hz: f64) -> Vec<f64> {
    let n = (secs * f64::from(RATE)) as usize;
    let tau = std::f64::consts::TAU;
    (0..n)
        .map(|i| {
            let t = i as f64 / f64::from(RATE);
            let sum: f64 =
                (1..12).map(|h| (tau * pitch_hz * f64::from(h) * t + f64::from(h * h)).sin() / f64::from(h)).sum();
            0.1 * sum * (1.2 + (tau * 3.0 * t).sin())
        })
        .collect()
}

fn noise(count: usize, seed: u64) -> Vec<f64> {
    let mut random = Random::seeded(seed);
    (0..count).map(|_| 0.5 * random.signed()).collect()
}

/// Begin and end in samples, and the channels taken.
type Told = Vec<(usize, usize, Vec<usize>)>;

/// Mono samples and the stretches told to cancel.
fn mix(channels: &[Vec<f64>], pieces: usize) -> (Vec<f32>, Told) {
    let mut mixer = Mixer::new();
    let n = channels[0].len();
    for start in (0..n).step_by(pieces) {
        let mut piece = AudioPiece::new(None, RATE, channels.len(), pieces);
        (start..n.min(start + pieces)).for_each(|i| piece.push(channels.iter().map(|c| c[i])));
        mixer.push(piece);
    }
    mixer.flush();
    let (mut samples, mut told) = (Vec::new(), Told::new());
    while let Some(mono) = mixer.pop() {
        for note in mono.notes {
            let NoteKind::Cancels { taken } = note.kind else { continue };
            let (from, to) = (samples.len() + note.from, samples.len() + note.to);
            match told.last_mut().filter(|t| t.1 == from && t.2 == taken) {
                Some(last) => last.1 = to,
                None => told.push((from, to, taken)),
            }
        }
        samples.extend(mono.samples);
    }
    assert_eq!(samples.len(), n);
    (samples, told)
}

fn mean(channels: &[Vec<f64>]) -> Vec<f32> {
    (0..channels[0].len())
        .map(|i| (channels.iter().map(|c| f64::from(c[i] as f32)).sum::<f64>() / channels.len() as f64) as f32)
        .collect()
}

fn to_f32(samples: &[f64]) -> Vec<f32> {
    samples.iter().map(|&s| s as f32).collect()
}

fn scaled(samples: &[f64], gain: f64) -> Vec<f64> {
    samples.iter().map(|s| s * gain).collect()
}

/// In 32 bits, as a decoder gives them.
fn rounded(samples: &[f64]) -> Vec<f64> {
    samples.iter().map(|&s| f64::from(s as f32)).collect()
}

#[test]
fn an_inverted_channel_leaves_the_other_whatever_the_frames() {
    let left = rounded(&voice(3.0));
    for gain in [-1.0, -0.8, -0.5, -0.2] {
        let channels = [left.clone(), rounded(&scaled(&left, gain))];
        let (samples, told) = mix(&channels, 1024);
        assert_eq!(samples, to_f32(&left), "{gain}");
        assert_eq!(told, [(0, left.len(), vec![0])]);
        for pieces in [1, 37, 400, 1 << 16] {
            assert_eq!(mix(&channels, pieces), (samples.clone(), told.clone()), "{gain}, pieces of {pieces}");
        }
    }
}

#[test]
fn an_inversion_in_the_middle_is_found_to_the_block_and_faded() {
    let left = rounded(&voice(6.0));
    let (from, to) = (2 * RATE as usize, 4 * RATE as usize + 200);
    let right: Vec<f64> = left.iter().enumerate().map(|(i, s)| if (from..to).contains(&i) { -s } else { *s }).collect();
    let (samples, told) = mix(&[left.clone(), right], 1000);
    let block = (RATE / BLOCKS_A_SECOND) as usize;
    let [(start, end, taken)] = &told[..] else { panic!("{told:?}") };
    assert!(start.abs_diff(from) <= block && end.abs_diff(to) <= 2 * block && taken == &[0], "{told:?}");
    // With equal channels before and after, nothing is lost.
    assert_eq!(samples, to_f32(&left));
}

#[test]
fn there_is_no_click_where_the_better_channel_takes_over() {
    // A hum in the left channel alone halves in the mean: the step to the whole must not be one.
    let tau = std::f64::consts::TAU;
    let hum: Vec<f64> =
        (0..4 * RATE).map(|i| 0.3 * (tau * 100.0 * f64::from(i) / f64::from(RATE) + 1.5).sin()).collect();
    let right: Vec<f64> = hum.iter().enumerate().map(|(i, s)| if i < 2 * RATE as usize { 0.0 } else { -s }).collect();
    let (samples, told) = mix(&[hum.clone(), right], 1024);
    assert_eq!(told.len(), 1, "{told:?}");
    let step = samples.windows(2).map(|w| f64::from((w[1] - w[0]).abs())).fold(0.0, f64::max);
    // The hum's own steepest step, and the fade's.
    let most = 0.3 * tau * 100.0 / f64::from(RATE) + 0.15 * f64::from(FADES_A_SECOND) / f64::from(RATE);
    assert!(step <= 1.01 * most, "{step} of {most}");
}

#[test]
fn what_does_not_cancel_is_the_mean_to_the_bit() {
    let a = voice(4.0);
    let n = a.len();
    let b = voice_at(4.0, 187.0);
    let delayed = |by: usize| (0..n).map(|i| if i < by { 0.0 } else { 0.8 * a[i - by] }).collect::<Vec<_>>();
    let silent = vec![0.0; n];
    let dc = |s: &[f64], by: f64| s.iter().map(|s| s + by).collect::<Vec<_>>();
    let mut cases: Vec<(String, Vec<Vec<f64>>)> = vec![
        ("equal".into(), vec![a.clone(), a.clone()]),
        ("one silent".into(), vec![a.clone(), silent.clone()]),
        ("both silent".into(), vec![silent.clone(), silent.clone()]),
        ("two voices".into(), vec![a.clone(), b.clone()]),
        ("unrelated noise".into(), vec![noise(n, 1), noise(n, 2)]),
        ("inverted crosstalk 26 dB down".into(), vec![a.clone(), scaled(&a, -0.05)]),
        (
            "silent from the middle on".into(),
            vec![a.clone(), a[..n / 2].iter().copied().chain(silent[n / 2..].iter().copied()).collect()],
        ),
        (
            "six channels".into(),
            vec![a.clone(), delayed(3), b.clone(), noise(n, 3), scaled(&noise(n, 4), 0.1), scaled(&noise(n, 5), 0.1)],
        ),
        ("offset".into(), vec![dc(&a, 0.3), dc(&a, -0.3)]),
    ];
    cases
        .extend([1, 2, 4, 8, 16, 40, 160].map(|by| (format!("delayed by {by} samples"), vec![a.clone(), delayed(by)])));
    for (name, channels) in cases {
        let channels: Vec<Vec<f64>> = channels.iter().map(|c| rounded(c)).collect();
        let (samples, told) = mix(&channels, 1024);
        assert_eq!(told, [], "{name}");
        assert!(samples.iter().zip(mean(&channels)).all(|(a, b)| a.to_bits() == b.to_bits()), "{name}");
    }
}

#[test]
fn an_inverted_voice_in_unrelated_noise_is_kept() {
    let a = voice(3.0);
    let with = |s: &[f64], seed: u64| s.iter().zip(noise(s.len(), seed)).map(|(s, n)| s + 0.05 * n).collect::<Vec<_>>();
    let channels = [with(&a, 7), with(&scaled(&a, -1.0), 8)];
    let (_, told) = mix(&channels, 1024);
    assert_eq!(told.iter().map(|t| t.1 - t.0).sum::<usize>(), a.len(), "{told:?}");
}

#[test]
fn pauses_between_inverted_words_change_nothing() {
    // Words of 0.4 s with pauses of 0.8 s in which each channel has noise of its own.
    let word = voice(6.0);
    let speaks = |i: usize| (i as f64 / f64::from(RATE)) % 1.2 < 0.4;
    let with = |gain: f64, seed: u64| {
        let noise = noise(word.len(), seed);
        (0..word.len()).map(|i| if speaks(i) { gain * word[i] } else { 0.0 } + 0.002 * noise[i]).collect::<Vec<_>>()
    };
    let (_, told) = mix(&[with(1.0, 3), with(-1.0, 4)], 1024);
    assert_eq!(told.iter().map(|t| t.1 - t.0).sum::<usize>(), word.len(), "{told:?}");
}

#[test]
fn the_louder_channel_is_taken_when_they_change_places() {
    let a = rounded(&voice(6.0));
    let half = a.len() / 2;
    let left: Vec<f64> = a.iter().enumerate().map(|(i, s)| if i < half { *s } else { -0.2 * s }).collect();
    let right: Vec<f64> = a.iter().enumerate().map(|(i, s)| if i < half { -0.2 * s } else { *s }).collect();
    let (_, told) = mix(&[left, right], 1024);
    assert_eq!(told.iter().map(|t| t.2.clone()).collect::<Vec<_>>(), [vec![0], vec![1]]);
    assert!(told[0].1.abs_diff(half) <= RATE as usize / 2, "{told:?}");
}

#[test]
fn of_many_channels_those_that_cancel_are_thinned_out() {
    let (a, b) = (rounded(&voice(2.0)), rounded(&scaled(&noise(2 * RATE as usize, 9), 0.05)));
    let inverted = scaled(&a, -1.0);
    assert_eq!(mix(&[a.clone(), inverted.clone(), b.clone()], 1024).1, [(0, a.len(), vec![0, 2])]);
    assert_eq!(mix(&[a.clone(), inverted.clone(), a.clone(), inverted.clone()], 1024).1, [(0, a.len(), vec![0, 2])]);
    // No pair cancels, all three together do.
    let (x, y) = (noise(a.len(), 1), noise(a.len(), 2));
    let z: Vec<f64> = x.iter().zip(&y).map(|(x, y)| -x - y).collect();
    assert_eq!(mix(&[x, y, z], 1024).1, [(0, a.len(), vec![2])]);
}

#[test]
fn a_change_of_rate_or_channels_begins_a_new_grid() {
    let mut mixer = Mixer::new();
    let mut push = |rate_hz: u32, channels: usize, count: usize| {
        let mut piece = AudioPiece::new(None, rate_hz, channels, count);
        (0..count)
            .for_each(|i| piece.push((0..channels).map(|c| (i as f64 * 0.3).sin() * if c == 1 { -1.0 } else { 1.0 })));
        mixer.push(piece);
    };
    push(8000, 2, 8000);
    push(8000, 1, 1000);
    push(16_000, 2, 16_010);
    push(16_000, 6, 160);
    mixer.flush();
    let done: Vec<Mono> = std::iter::from_fn(|| mixer.pop()).collect();
    assert_eq!(
        done.iter().map(|m| (m.rate_hz, m.samples.len())).collect::<Vec<_>>(),
        [(8000, 8000), (8000, 1000), (16_000, 16_010), (16_000, 160)]
    );
    let cancelled: Vec<usize> = done.iter().map(|m| m.notes.iter().map(|n| n.to - n.from).sum()).collect();
    assert_eq!(cancelled, [8000, 0, 16_010, 160]);
}

#[test]
fn memory_is_bounded_by_a_second() {
    let mut mixer = Mixer::new();
    for _ in 0..400 {
        let mut piece = AudioPiece::new(None, RATE, 2, 160);
        (0..160).for_each(|i| piece.push([f64::from(i), -f64::from(i)].into_iter()));
        mixer.push(piece);
        while mixer.pop().is_some() {}
        assert!(mixer.waiting.iter().map(|p| p.mean.len()).sum::<usize>() < RATE as usize);
        assert!(mixer.decided.len() < 2 * WINDOW && mixer.open.len() <= WINDOW);
    }
}
