//! What segmentation says of windows.

use super::*;
use crate::inference::Runtime;
use crate::signal::AudioBuffer;
use crate::speaker::fixture;

#[test]
fn classes_decode_to_speakers() {
    let one_hot = |class: usize| std::array::from_fn::<f32, 7, _>(|i| if i == class { 0.0 } else { -5.0 });
    assert_eq!(decode(&one_hot(0)), 0b000);
    assert_eq!(decode(&one_hot(2)), 0b010);
    assert_eq!(decode(&one_hot(5)), 0b101);
    assert_eq!(decode(&[f32::NAN; 7]), 0b000);
}

#[test]
fn a_speaker_is_as_likely_as_all_classes_with_it() {
    let p = probability(&[0.1f32, 0.2, 0.05, 0.05, 0.4, 0.1, 0.1].map(f32::ln));
    for (got, expected) in p.into_iter().zip([0.7, 0.55, 0.25]) {
        assert!((got - expected).abs() < 1e-6, "{p:?}");
    }
    assert!(probability(&[f32::NAN; 7]).iter().all(|p| p.abs() < 1e-9));
    let two = overlap(&[0.1f32, 0.2, 0.05, 0.05, 0.4, 0.1, 0.1].map(f32::ln));
    assert!((two - 0.6).abs() < 1e-6 && overlap(&[f32::NAN; 7]).abs() < 1e-9, "{two}");
}

#[test]
fn a_window_has_the_mean_and_deviation_of_what_it_is_filled_up_to() {
    let samples: Vec<f32> = (0..21).map(|i| i as f32).collect();
    // 0 to 20 and 9 zeros: mean 210 / 30, squares 2870 / 30 less 49.
    let (mean, deviation) = level(&samples, 30);
    assert!((mean - 7.0).abs() < 1e-12 && (deviation - (2870.0f64 / 30.0 - 49.0 + EPSILON).sqrt()).abs() < 1e-12);
}

#[test]
#[cfg_attr(not(feature = "shared-tests"), ignore = "needs the reference clips: make test-shared")]
fn windows_are_what_the_whole_network_says_of_each() {
    let shared = crate::reference::folder();
    let registry = fixture::registry();
    let mut segmenter = Segmenter::open(&mut Loader::new(&registry, Runtime::default())).expect("run make models");
    // An offset, silence for longer than windows are kept back, and a last window that is not whole.
    let clip = fixture::clip(&shared, "pyannote_sample");
    let mut samples: Vec<f32> = clip.samples().iter().map(|s| 0.3 * s + 0.05).collect();
    samples.extend(std::iter::repeat_n(0.0, 50 * 16_000));
    samples.extend_from_slice(&clip.samples()[..75_000]);
    let sound = AudioBuffer::new(samples, 16_000);
    let step = 95;
    let mut found = Vec::new();
    segmenter.windows(&sound, step, |w| found.push(w)).unwrap();
    assert_eq!(
        found.iter().map(|w| w.first_frame).collect::<Vec<_>>(),
        (0..found.len()).map(|i| i * step).collect::<Vec<_>>()
    );
    let last = (found.len() - 1) * step * FRAMES.hop();
    assert!(last + WINDOW >= sound.count() && last - step * FRAMES.hop() + WINDOW < sound.count());
    let (mut silent, mut heard) = (0, 0);
    for window in &found {
        let start = window.first_frame * FRAMES.hop();
        let there = sound.piece(start..start + WINDOW).unwrap();
        if there.iter().all(|s| *s == 0.0) {
            assert_eq!(*window, LocalWindow::silent(window.first_frame));
            silent += 1;
            continue;
        }
        // Each window filtered by itself, brought to mean 0 and deviation 1 beforehand.
        let (mean, deviation) = level(&there, WINDOW);
        let mut normal: Vec<f32> = there.iter().map(|s| ((f64::from(*s) - mean) / deviation) as f32).collect();
        normal.resize(WINDOW, (-mean / deviation) as f32);
        let (highest, lowest) = filter(&mut segmenter.filters, &normal).unwrap();
        let magnitudes = highest.iter().zip(&lowest).map(|(h, l)| h.max(-l)).collect();
        let magnitudes = Array3::from_shape_vec((1, FILTERS, STEPS.whole_frames(WINDOW)), magnitudes).unwrap();
        let alone = segmenter.logits(magnitudes.view()).unwrap();
        let expected = alone.chunks_exact(CLASSES.len()).map(probability);
        let worst = window
            .probability
            .iter()
            .zip(expected)
            .flat_map(|(a, b)| (0..LOCAL_SPEAKERS).map(move |k| (a[k] - b[k]).abs()));
        assert!(worst.fold(0.0, f32::max) < 1e-3);
        heard += usize::from(window.active.iter().any(|a| *a > 0));
    }
    assert!(silent > MOST_WAITING && heard > 10, "{silent} {heard}");
}

/// Needs the models, and none of the clips.
#[test]
fn silence_behind_a_clip_is_what_the_filters_say_of_it_to_the_last_bit() {
    let registry = fixture::registry();
    let mut segmenter = Segmenter::open(&mut Loader::new(&registry, Runtime::default())).expect("run make models");
    let steps = STEPS.whole_frames(WINDOW);
    for count in [1, STEPS.hop(), STEPS.window(), 4800, 40_003, WINDOW - 1, WINDOW] {
        let samples: Vec<f32> = (0..count).map(|i| 0.3 * (i as f32 * 0.7).sin() + 0.01).collect();
        let mut filtered = Filtered::default();
        let sound = AudioBuffer::new(samples.clone(), 16_000);
        filtered.extend((&mut segmenter.filters, &segmenter.at_zero), &sound, 0..steps).unwrap();
        let length = (steps - 1) * STEPS.hop() + STEPS.window();
        let mut whole = samples;
        whole.resize(length, 0.0);
        let (highest, lowest) = filter(&mut segmenter.filters, &whole[..length]).unwrap();
        let bits = |values: &[f32]| values.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        assert!(bits(&filtered.highest.concat()) == bits(&highest), "{count}");
        assert!(bits(&filtered.lowest.concat()) == bits(&lowest), "{count}");
    }
}

#[test]
fn a_window_has_589_frames_and_steps_are_whole_frames() {
    assert_eq!(FRAMES.whole_frames(WINDOW), 589);
    assert_eq!(SegmentationConfig { step_secs: 1.5, ..Default::default() }.step_frames(), 89);
    assert_eq!(SegmentationConfig { step_secs: 0.0, ..Default::default() }.step_frames(), 1);
    assert_eq!(SegmentationConfig { step_secs: 60.0, ..Default::default() }.step_frames(), 296);
}
