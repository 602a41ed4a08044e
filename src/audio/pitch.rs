//! Pitch and voicing by SwiftF0 (Nieradzik 2025, arXiv 2508.18440): one value per hop of 256 samples, then read off on
//! the voice grid.
//!
//! Hop `k` speaks of the moment of its first sample, 0.016 k s: its spectrum is centred there (checked against Praat's
//! pitch on the reference clips, where this offset gives the least difference).

use ndarray::{ArrayView2, arr0};

use super::{GRID, VoiceConfig};
use crate::error::{Error, Result};
use crate::inference::{Input, Session};
use crate::signal::Sound;

/// Registry name.
pub(super) const MODEL: &str = "swift_f0";

/// The model's own range.
pub(super) const MIN_HZ: f32 = 46.875;
pub(super) const MAX_HZ: f32 = 2093.75;

/// Samples a hop: 16 ms.
const HOP: usize = 256;

/// Hops of context the network sees to the left and to the right; with them a chunk's values equal the whole signal's.
const LEFT_CONTEXT: usize = 11;
const RIGHT_CONTEXT: usize = 10;

/// Hops a model call: 16 s. Longer chunks win nothing and cost memory.
const CHUNK: usize = 1000;

/// A hop that peaks below this is unvoiced whatever the model says: digital silence is a texture it never saw, and it
/// answers at random.
const SILENCE_PEAK: f32 = 1e-3;

/// Neighbouring voiced hops further apart than this are two sounds or an octave error; nothing lies between them.
const LARGEST_STEP_SEMITONES: f32 = 3.0;

/// The model's answer, one value per whole hop of the signal (at least one when there is a sample).
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Hops {
    /// Pitch, whether or not the hop is voiced.
    pub pitch_hz: Vec<f32>,
    /// Confidence that it is voiced, 0 to 1; 0 in silence.
    pub confidence: Vec<f32>,
}

/// Runs the model over a sound at 16 kHz, chunk by chunk.
pub(super) fn hops(sound: &impl Sound, model: &mut Session, config: &VoiceConfig) -> Result<Hops> {
    hops_in_chunks(sound, model, config, CHUNK)
}

fn hops_in_chunks(sound: &impl Sound, model: &mut Session, config: &VoiceConfig, chunk: usize) -> Result<Hops> {
    let mut all = Hops::default();
    if sound.count() == 0 {
        return Ok(all);
    }
    let count = (sound.count() / HOP).max(1);
    let (low, high) =
        (arr0(config.pitch_min_hz.clamp(MIN_HZ, MAX_HZ)), arr0(config.pitch_max_hz.clamp(MIN_HZ, MAX_HZ)));
    for start in (0..count).step_by(chunk) {
        let end = (start + chunk).min(count);
        let left = start.saturating_sub(LEFT_CONTEXT);
        // The last chunk takes the rest of the signal too, as a run over the whole would.
        let to = if end < count { ((end + RIGHT_CONTEXT) * HOP).min(sound.count()) } else { sound.count() };
        let window = sound.piece(left * HOP..to)?;
        let audio = ArrayView2::from_shape((1, window.len()), &window).map_err(|e| Error::model(MODEL, e))?;
        let answer = model.run(&[
            ("audio", Input::F32(audio.into_dyn())),
            ("fmin", Input::F32(low.view().into_dyn())),
            ("fmax", Input::F32(high.view().into_dyn())),
        ])?;
        for (values, to) in answer.iter().zip([&mut all.pitch_hz, &mut all.confidence]) {
            if values.len() < end - left {
                return Err(Error::Shape {
                    what: "pitch model's answer",
                    expected: format!("at least {} hops for {} samples", end - left, window.len()),
                    got: values.len().to_string(),
                });
            }
            to.extend(values.iter().skip(start - left).take(end - start));
        }
        let own = window[(start - left) * HOP..].chunks(HOP);
        for (confidence, hop) in all.confidence[start..].iter_mut().zip(own) {
            if hop.iter().all(|s| s.abs() < SILENCE_PEAK) {
                *confidence = 0.0;
            }
        }
    }
    Ok(all)
}

/// Pitch and voicing of each frame of the voice grid.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct GridPitch {
    /// NaN where unvoiced.
    pub pitch_hz: Vec<f32>,
    /// Interpolated between hops.
    pub confidence: Vec<f32>,
    /// As the nearest hop.
    pub voiced: Vec<bool>,
}

/// Reads the hops at the frames' centres: voiced as the nearest hop is; pitch linear in semitones between two voiced
/// hops, the nearest hop's beside an unvoiced one or a jump. Nothing is drawn across an unvoiced hop.
pub(super) fn on_grid(hops: &Hops, frames: usize, voicing_confidence: f32) -> GridPitch {
    let mut grid = GridPitch::default();
    let Some(last) = hops.confidence.len().checked_sub(1) else {
        return grid;
    };
    let is_voiced =
        |k: usize| hops.confidence[k] >= voicing_confidence && hops.pitch_hz[k] > 0.0 && hops.pitch_hz[k].is_finite();
    for i in 0..frames {
        let place = (i * GRID.hop() + GRID.window() / 2) as f32 / HOP as f32;
        let low = (place as usize).min(last);
        let high = (low + 1).min(last);
        let part = (place - low as f32).clamp(0.0, 1.0);
        let nearest = if part < 0.5 { low } else { high };
        let voiced = is_voiced(nearest);
        let step = 12.0 * (hops.pitch_hz[high] / hops.pitch_hz[low]).log2();
        let pitch = if !voiced {
            f32::NAN
        } else if is_voiced(low) && is_voiced(high) && step.abs() <= LARGEST_STEP_SEMITONES {
            hops.pitch_hz[low] * (part * step / 12.0).exp2()
        } else {
            hops.pitch_hz[nearest]
        };
        grid.pitch_hz.push(pitch);
        grid.confidence.push(hops.confidence[low] + part * (hops.confidence[high] - hops.confidence[low]));
        grid.voiced.push(voiced);
    }
    grid
}

#[cfg(test)]
mod tests {
    use super::super::VoiceModels;
    use super::super::level::tests::{sine, sound};
    use super::super::reference;
    use super::*;

    fn near(a: f32, b: f32, relative: f32) -> bool {
        (a - b).abs() <= relative * b.abs()
    }

    #[test]
    fn the_grid_reads_between_voiced_hops_and_never_across_an_unvoiced_one() {
        // Hops at 0, 16, 32, 48 ms; frames at 10, 20, 30, 40 ms are hop places 0.625, 1.25, 1.875, 2.5.
        let hops = Hops { pitch_hz: vec![100.0, 110.0, 500.0, 200.0], confidence: vec![0.9, 0.9, 0.1, 0.9] };
        let g = on_grid(&hops, 4, 0.5);
        assert_eq!(g.voiced, [true, true, false, true]);
        assert!(near(g.pitch_hz[0], 100.0 * 1.1f32.powf(0.625), 1e-6) && near(g.pitch_hz[1], 110.0, 1e-6), "{g:?}");
        assert!(g.pitch_hz[2].is_nan() && near(g.pitch_hz[3], 200.0, 1e-6), "{g:?}");
        assert!(near(g.confidence[1], 0.7, 1e-6), "{g:?}");
        // A leap of an octave is not drawn through.
        let hops = Hops { pitch_hz: vec![100.0, 200.0], confidence: vec![0.9, 0.9] };
        assert!(near(on_grid(&hops, 1, 0.5).pitch_hz[0], 200.0, 1e-6));
        assert!(on_grid(&Hops::default(), 0, 0.5).voiced.is_empty());
    }

    #[test]
    fn a_sweep_is_followed() {
        // 100 to 300 Hz in 3 s, with harmonics falling off as a voice's do.
        let mut phase = 0.0f64;
        let x: Vec<f32> = (0..48_000)
            .map(|i| {
                phase += (100.0 + 200.0 * f64::from(i) / 48_000.0) / 16_000.0;
                (1..10).map(|h| 0.2 / f64::from(h) * (std::f64::consts::TAU * f64::from(h) * phase).sin()).sum::<f64>()
                    as f32
            })
            .collect();
        let mut models = reference::models();
        let hops = hops(&sound(&x), &mut models.swift_f0, &VoiceConfig::default()).unwrap();
        let g = on_grid(&hops, 299, 0.5);
        for i in 20..280 {
            let truth = 100.0 + 200.0 * (i + 1) as f32 / 300.0;
            assert!(g.voiced[i] && near(g.pitch_hz[i], truth, 0.02), "frame {i}: {} for {truth}", g.pitch_hz[i]);
        }
    }

    #[test]
    fn silence_is_unvoiced_and_nothing_is_no_hop() {
        let mut models = reference::models();
        let config = VoiceConfig::default();
        let silent = hops(&sound(&[0.0; 16_000]), &mut models.swift_f0, &config).unwrap();
        assert_eq!(silent.confidence.len(), 62);
        assert!(silent.confidence.iter().all(|&c| c <= 0.0));
        assert_eq!(hops(&sound(&[]), &mut models.swift_f0, &config).unwrap(), Hops::default());
        assert_eq!(
            hops(&sound(&sine(200.0, -20.0, 0.001)), &mut models.swift_f0, &config).unwrap().confidence.len(),
            1
        );
    }

    #[test]
    #[cfg_attr(not(feature = "shared-tests"), ignore = "needs the reference clips: make test-shared")]
    fn the_reference_is_met_chunked_or_whole() {
        let shared = crate::reference::folder();
        let VoiceModels { mut swift_f0 } = reference::models();
        let config = VoiceConfig::default();
        for clip in reference::CLIPS {
            let samples = reference::wav(&shared, clip);
            let expected = reference::csv_gz(&shared, clip, "swiftf0.csv.gz");
            let (pitch, confidence) =
                (reference::column(&expected, "pitch_hz"), reference::column(&expected, "confidence"));
            for chunk in [usize::MAX / 2, CHUNK, 37] {
                let got = hops_in_chunks(&sound(&samples), &mut swift_f0, &config, chunk).unwrap();
                assert_eq!(got.pitch_hz.len(), pitch.len(), "{clip}");
                let mut worst = (0f32, 0f32);
                for k in 0..pitch.len() {
                    worst.1 = worst.1.max((got.confidence[k] - confidence[k]).abs());
                    worst.0 = worst.0.max((got.pitch_hz[k] / pitch[k] - 1.0).abs());
                }
                println!(
                    "{clip}, chunks of {chunk}: pitch within {:.1e} relative, confidence within {:.1e}",
                    worst.0, worst.1
                );
                assert!(worst.0 <= 1e-3 && worst.1 <= 1e-3, "{clip} {chunk} {worst:?}");
            }
        }
    }

    #[test]
    #[cfg_attr(not(feature = "shared-tests"), ignore = "needs the reference clips: make test-shared")]
    fn pitch_agrees_with_praat() {
        let shared = crate::reference::folder();
        let VoiceModels { mut swift_f0 } = reference::models();
        let config = VoiceConfig::default();
        let (mut all, mut gross_all, mut gross_twenty_all) = (0, 0, 0);
        for clip in reference::CLIPS {
            let samples = reference::wav(&shared, clip);
            let expected = reference::csv_gz(&shared, clip, "praat.csv.gz");
            let (time, f0) = (reference::column(&expected, "time_secs"), reference::column(&expected, "f0_hz"));
            let frames = GRID.whole_frames(samples.len());
            let got =
                on_grid(&hops(&sound(&samples), &mut swift_f0, &config).unwrap(), frames, config.voicing_confidence);
            let (mut both, mut gross, mut gross_twenty, mut agree, mut compared) = (0, 0, 0, 0, 0);
            for (t, f0) in time.iter().zip(&f0) {
                // Frame i is at 0.01 (i + 1) s.
                let i = (t * 100.0).round() as usize - 1;
                if i >= frames {
                    continue;
                }
                compared += 1;
                agree += usize::from(got.voiced[i] == (*f0 > 0.0));
                if got.voiced[i] && *f0 > 0.0 {
                    both += 1;
                    gross += usize::from((12.0 * (got.pitch_hz[i] / f0).log2()).abs() > 1.0);
                    gross_twenty += usize::from((got.pitch_hz[i] / f0 - 1.0).abs() > 0.2);
                }
            }
            let share = |n: usize, of: usize| 100.0 * n as f64 / of as f64;
            println!(
                "{clip}: {both} frames voiced in both, off by > 20 %: {:.2} %, by > 1 semitone: {:.2} %; voicing \
                 agrees on {:.1} %",
                share(gross_twenty, both),
                share(gross, both),
                share(agree, compared)
            );
            all += both;
            gross_all += gross;
            gross_twenty_all += gross_twenty;
        }
        let share = |n: usize| n as f64 / f64::from(all.max(1) as u32);
        println!(
            "all: > 20 % {:.2} %, > 1 semitone {:.2} %",
            100.0 * share(gross_twenty_all),
            100.0 * share(gross_all)
        );
        assert!(share(gross_twenty_all) <= 0.05);
        assert!(share(gross_all) <= 0.05);
    }
}
