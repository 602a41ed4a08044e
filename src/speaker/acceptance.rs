//! Acceptance: the whole room on the reference clips and on made signals.

use super::*;
use crate::annotation::SpeechTurn;
use crate::inference::Runtime;
use crate::random::Random;
use crate::signal::AudioBuffer;
use crate::store::rttm::read_rttm;

fn models() -> SpeakerModels {
    SpeakerModels::load(&fixture::registry(), &SpeakerConfig::default(), Runtime::default()).expect("run make models")
}

fn run(models: &mut SpeakerModels, samples: Vec<f32>, bounds: SpeakerBounds) -> Diarization {
    let d = diarize(&AudioBuffer::new(samples, RATE_HZ), models, &SpeakerConfig::default(), &bounds).unwrap();
    assert_eq!(d.voices.len(), d.annotation.speakers().len());
    assert_eq!(d.reason.is_none(), !d.annotation.turns().is_empty());
    for v in &d.voices {
        assert!(v.total_secs > 0.0 && v.total_secs.is_finite());
        assert!(v.embedding.as_ref().is_none_or(|e| e.len() == EMBEDDING && e.iter().all(|x| x.is_finite())));
    }
    d
}

/// The truth of a clip. `ami_dev00.rttm` holds a second recording's lines (`dev01`) too.
fn truth(shared: &std::path::Path, clip: &str) -> Annotation {
    let recordings = read_rttm(&shared.join(format!("media/audio/{clip}.rttm"))).unwrap();
    let turns = recordings
        .iter()
        .filter(|(uri, _)| uri != "dev01")
        .flat_map(|(_, annotation)| annotation.turns().iter().cloned());
    Annotation::new(turns.collect())
}

/// A repeatable noise in [-0.5, 0.5).
fn noise(count: usize) -> Vec<f32> {
    let mut random = Random::seeded(7);
    (0..count).map(|_| 0.5 * random.signed() as f32).collect()
}

#[test]
#[cfg_attr(not(feature = "shared-tests"), ignore = "needs the reference clips: make test-shared")]
fn error_rates_and_numbers_of_speakers_on_the_clips() {
    let shared = crate::reference::folder();
    let mut models = models();
    // Collar 0, overlap scored. The truth of the last two is another tool's output.
    for (clip, speakers, most) in
        [("pyannote_sample", 2, 0.07), ("ami_dev00", 2, 0.15), ("dual_speaker", 2, 0.08), ("three_speakers", 3, 0.08)]
    {
        let d = run(&mut models, fixture::clip(&shared, clip).samples().to_vec(), SpeakerBounds::default());
        let s = score(&truth(&shared, clip), &d.annotation, &ScoreOptions::default());
        let der = s.der().unwrap();
        eprintln!("{clip}: DER {der:.3}, {} speakers", d.voices.len());
        assert_eq!(d.voices.len(), speakers, "{clip}");
        assert!(der <= most, "{clip}: {der:.3}");
    }
}

#[test]
#[cfg_attr(not(feature = "shared-tests"), ignore = "needs the reference clips: make test-shared")]
fn when_a_recording_begins_does_not_matter() {
    let shared = crate::reference::folder();
    let mut models = models();
    // Windows then begin elsewhere, and each hears something else. Noise at -80 dBFS stands before the clip.
    let (mut sum, mut count) = (0.0, 0.0);
    for (clip, speakers, most) in
        [("pyannote_sample", 2, 0.10), ("ami_dev00", 2, 0.22), ("dual_speaker", 2, 0.08), ("three_speakers", 3, 0.05)]
    {
        for late in [0.37, 1.11, 1.85] {
            let mut samples: Vec<f32> = noise((late * f64::from(RATE_HZ)) as usize).iter().map(|x| x * 2e-4).collect();
            samples.extend_from_slice(fixture::clip(&shared, clip).samples());
            let d = run(&mut models, samples, SpeakerBounds::default());
            let known = truth(&shared, clip);
            let moved = known.turns().iter().map(|t| SpeechTurn {
                segment: Segment::from_secs(t.segment.start().get() + late, t.segment.end().get() + late).unwrap(),
                speaker: t.speaker.clone(),
            });
            let der = score(&Annotation::new(moved.collect()), &d.annotation, &ScoreOptions::default()).der().unwrap();
            eprintln!("{clip} {late} s later: DER {der:.3}, {} speakers", d.voices.len());
            assert_eq!(d.voices.len(), speakers, "{clip} {late} s later");
            assert!(der <= most, "{clip} {late} s later: {der:.3}");
            (sum, count) = (sum + der, count + 1.0);
        }
    }
    // 0.072; 0.088 before windows weighed less at their edges and their probabilities were averaged.
    assert!(sum / count < 0.08, "{:.4}", sum / count);
}

#[test]
#[cfg_attr(not(feature = "shared-tests"), ignore = "needs the reference clips: make test-shared")]
fn bounds_are_honoured() {
    let shared = crate::reference::folder();
    let mut models = models();
    let samples = fixture::clip(&shared, "pyannote_sample").samples().to_vec();
    for exact in 1..=2 {
        let d = run(&mut models, samples.clone(), SpeakerBounds { exact: Some(exact), ..Default::default() });
        assert_eq!(d.voices.len(), exact as usize);
    }
    // More than are heard: no voice is cut in two for it, and there is a word about it.
    let known = truth(&shared, "pyannote_sample");
    for bounds in [(Some(3), None), (Some(400), None), (None, Some(4))] {
        let bounds = SpeakerBounds { exact: bounds.0, min: bounds.1, max: None };
        let d = run(&mut models, samples.clone(), bounds);
        assert!(d.warnings.iter().any(|w| w.code() == "too_few_speakers"), "{bounds:?}: {}", d.voices.len());
        let der = score(&known, &d.annotation, &ScoreOptions::default()).der().unwrap();
        assert!(der <= 0.07, "{bounds:?}: {der:.3}");
    }
    let d = run(&mut models, samples, SpeakerBounds { max: Some(1), ..Default::default() });
    assert_eq!(d.voices.len(), 1);
}

#[test]
fn nobody_speaks_in_silence_noise_hum_and_music() {
    let mut models = models();
    let seconds = |n: usize| n * RATE_HZ as usize;
    let tone = |hz: f32, amplitude: f32| {
        (0..seconds(30))
            .map(|n| amplitude * (std::f32::consts::TAU * hz * n as f32 / RATE_HZ as f32).sin())
            .collect::<Vec<f32>>()
    };
    // A chord that changes every half second, with harmonics.
    let music: Vec<f32> = (0..seconds(20))
        .map(|n| {
            let t = n as f32 / RATE_HZ as f32;
            let root = 220.0 * 2f32.powf(((t * 2.0) as i32 * 5 % 12) as f32 / 12.0);
            [1.0f32, 1.25, 1.5, 2.0, 3.0].iter().map(|k| (std::f32::consts::TAU * root * k * t).sin() * 0.1 / k).sum()
        })
        .collect();
    for (what, samples, reason) in [
        ("nothing", vec![], Missing::Silent),
        ("digital silence", vec![0.0; seconds(5)], Missing::Silent),
        ("loud noise", noise(seconds(10)), Missing::NoSpeech),
        ("quiet noise", noise(seconds(10)).iter().map(|x| x * 1e-2).collect(), Missing::NoSpeech),
        ("hum at -60 dB", tone(50.0, 1.4e-3), Missing::NoSpeech),
        ("a tone", tone(440.0, 0.3), Missing::NoSpeech),
        ("music", music, Missing::NoSpeech),
        (
            "a click",
            {
                let mut x = vec![0.0; 800];
                x[400] = 1.0;
                x
            },
            Missing::NoSpeech,
        ),
    ] {
        let d = run(&mut models, samples, SpeakerBounds::default());
        assert!(d.annotation.turns().is_empty() && d.speech.is_empty(), "{what}: {:?}", d.annotation);
        assert_eq!(d.reason, Some(reason), "{what}");
    }
}

#[test]
#[cfg_attr(not(feature = "shared-tests"), ignore = "needs the reference clips: make test-shared")]
fn clips_of_any_length_have_a_result() {
    let shared = crate::reference::folder();
    let mut models = models();
    let clip = fixture::clip(&shared, "three_speakers");
    for secs in [0.05, 0.1, 0.3, 0.6, 1.0, 2.0, 5.0] {
        // From the middle of a word on.
        let samples = clip.slice(Segment::from_secs(2.0, 2.0 + secs).unwrap()).to_vec();
        let d = run(&mut models, samples, SpeakerBounds::default());
        assert!(d.voices.len() <= 1, "{secs} s: {:?}", d.annotation);
        assert!(secs < 0.6 || d.voices.len() == 1, "{secs} s: {:?}", d.reason);
        assert!(d.annotation.end().get() <= secs + 1e-9);
    }
    let d = run(
        &mut models,
        clip.slice(Segment::from_secs(2.0, 3.0).unwrap()).to_vec(),
        SpeakerBounds { exact: Some(3), ..Default::default() },
    );
    assert!(d.voices.len() == 3 || d.warnings.iter().any(|w| w.code() == "too_few_speakers"), "{:?}", d.warnings);
}

#[test]
#[cfg_attr(not(feature = "shared-tests"), ignore = "needs the reference clips: make test-shared")]
fn one_speaker_is_one_speaker() {
    let shared = crate::reference::folder();
    let mut models = models();
    for (clip, start, end) in [
        ("three_speakers", 0.0, 8.8),
        ("three_speakers", 9.0, 18.4),
        ("pyannote_sample", 21.9, 27.7),
        ("dual_speaker", 0.0, 20.0),
        ("ami_dev00", 1.5, 12.6),
    ] {
        let samples = fixture::clip(&shared, clip).slice(Segment::from_secs(start, end).unwrap()).to_vec();
        let d = run(&mut models, samples, SpeakerBounds::default());
        assert_eq!(d.voices.len(), 1, "{clip}: {:?}", d.annotation);
    }
}

#[test]
#[cfg_attr(not(feature = "shared-tests"), ignore = "needs the reference clips: make test-shared")]
fn speech_in_hum_is_found_and_the_hum_is_not() {
    let shared = crate::reference::folder();
    let mut models = models();
    let hum = |n: usize| 1e-3 * (std::f32::consts::TAU * 50.0 * n as f32 / RATE_HZ as f32).sin();
    let mut samples: Vec<f32> = (0..30 * RATE_HZ as usize).map(hum).collect();
    let voice = fixture::clip(&shared, "three_speakers");
    for (slot, v) in samples[10 * 16_000..].iter_mut().zip(voice.slice(Segment::from_secs(2.0, 8.0).unwrap())) {
        *slot += v;
    }
    let d = run(&mut models, samples, SpeakerBounds::default());
    let outside: f64 = d
        .annotation
        .turns()
        .iter()
        .map(|t| t.segment.duration() - t.segment.overlap(Segment::from_secs(9.7, 16.3).unwrap()))
        .sum();
    assert!(d.voices.len() == 1 && outside < 1e-9 && d.voices[0].total_secs > 5.0, "{:?}", d.annotation);
}

#[test]
#[cfg_attr(not(feature = "shared-tests"), ignore = "needs the reference clips: make test-shared")]
fn a_backchannel_is_found_and_leaves_the_long_turn_whole() {
    let shared = crate::reference::folder();
    let mut models = models();
    let (sample, synthetic) = (fixture::clip(&shared, "pyannote_sample"), fixture::clip(&shared, "three_speakers"));
    let cut = |clip: &AudioBuffer, start: f64, end: f64| clip.slice(Segment::from_secs(start, end).unwrap()).to_vec();
    let level = |x: &[f32]| (x.iter().map(|v| v * v).sum::<f32>() / x.len() as f32).sqrt();
    // 10 s of one voice; at 4 s, 0.3 s of another at the same level.
    let turns = [
        [cut(&sample, 22.0, 27.8), cut(&sample, 23.0, 27.2)].concat(),
        [cut(&synthetic, 1.4, 8.6), cut(&synthetic, 3.0, 5.8)].concat(),
    ];
    let backchannels = [cut(&sample, 6.75, 7.05), cut(&synthetic, 19.0, 19.3)];
    for (i, long) in turns.iter().enumerate() {
        for (j, short) in backchannels.iter().enumerate() {
            let gain = level(long) / level(short);
            let mut samples = long.clone();
            samples[4 * 16_000..].iter_mut().zip(short).for_each(|(slot, v)| *slot += gain * v);
            let d = run(&mut models, samples, SpeakerBounds::default());
            let at = Segment::from_secs(4.0, 4.3).unwrap();
            let (speaker, rest): (Vec<_>, Vec<_>) =
                d.annotation.turns().iter().partition(|t| t.speaker == "SPEAKER_00");
            assert!(
                speaker.iter().any(|t| t.segment.start().get() < 3.5 && t.segment.end().get() > 4.8),
                "{i} {j} {:?}",
                d.annotation
            );
            assert!(
                rest.len() == 1 && rest[0].segment.overlap(at) > 0.15 && rest[0].segment.duration() < 0.8,
                "{i} {j} {:?}",
                d.annotation
            );
            // Nobody but the long turn's speaker holds the floor.
            assert_eq!(d.exclusive.speakers(), ["SPEAKER_00"]);
        }
    }
}

#[test]
#[cfg_attr(not(feature = "shared-tests"), ignore = "needs the reference clips: make test-shared")]
fn the_same_input_gives_the_same_result() {
    let shared = crate::reference::folder();
    let samples = fixture::clip(&shared, "pyannote_sample").samples().to_vec();
    let first = run(&mut models(), samples.clone(), SpeakerBounds::default());
    assert_eq!(first, run(&mut models(), samples, SpeakerBounds::default()));
}

#[test]
#[cfg_attr(not(feature = "shared-tests"), ignore = "needs the reference clips: make test-shared")]
fn the_number_of_speakers_does_not_grow_with_the_length() {
    let shared = crate::reference::folder();
    let mut models = models();
    // One of the nine speakers of the clips is only heard over another, once a round.
    let clips = ["pyannote_sample", "ami_dev00", "dual_speaker", "three_speakers"];
    let once: Vec<f32> = clips.iter().flat_map(|clip| fixture::clip(&shared, clip).samples().to_vec()).collect();
    let first = run(&mut models, once.clone(), SpeakerBounds::default());
    let third = run(&mut models, once.repeat(3), SpeakerBounds::default());
    let long: Vec<f64> = third.voices.iter().map(|v| v.total_secs).collect();
    assert_eq!((first.voices.len(), third.voices.len()), (9, 9), "{long:?}");
}
