use super::*;
use crate::time::Segment;

const STEP: f64 = 0.032;

/// Cues and pauses as of a talk, from `start`; of another with each seed.
fn talk(seed: u64, start: f64, secs: f64) -> Vec<Cue> {
    let mut random = Random::new(seed, "talk");
    let mut at = start + 1.0 + 3.0 * random.unit();
    let mut made = Vec::new();
    while at < start + secs {
        let length = 0.6 + 4.0 * random.unit().powi(2);
        made.push((at, at + length));
        at += length + 0.1 + 1.5 * random.unit().powi(3);
    }
    made
}

/// The cues as a transcript: each time `t` is written as `t·(1 + drift) - shift`.
fn turns(cues: &[Cue], shift: f64, drift: f64) -> Vec<Turn> {
    let at = |t: f64| t * (1.0 + drift) - shift;
    let turn = |(c, index): (&Cue, u32)| {
        let segment = Segment::from_secs(at(c.0), at(c.1)).unwrap();
        Turn { index, segment, speaker: None, text: String::new(), words: Vec::new() }
    };
    cues.iter().zip(1..).map(turn).collect()
}

/// What a voice activity model makes of the cues, edges loose by up to 0.1 s.
fn voice(cues: &[Cue], secs: f64) -> Vec<f32> {
    let mut random = Random::new(7, "edges");
    let mut speech = vec![0.02; (secs / STEP) as usize];
    for &(from, to) in cues {
        let mut place = |t: f64| (((t + 0.1 * random.signed()) / STEP).max(0.0) as usize).min(speech.len());
        let (from, to) = (place(from), place(to));
        speech[from..to.max(from)].fill(0.97);
    }
    speech
}

fn measured(turns: &[Turn], speech: &[f32]) -> Result<TranscriptOffset, NoOffset> {
    transcript_offset(turns, speech, STEP, &TurnsConfig::default())
}

#[test]
fn shifts_of_moments_and_of_minutes_are_found() {
    for seed in 1..4 {
        let cues = talk(seed, 0.0, 60.0);
        let speech = voice(&cues, 62.0);
        for shift in [0.0, 0.7, -13.0, 13.0, -300.0, -4000.0] {
            let found = measured(&turns(&cues, shift, 0.0), &speech).unwrap();
            assert!((found.on_sound(30.0 - shift) - 30.0).abs() < 0.05, "{seed} {shift}: {found:?}");
            assert_eq!(found.is_telling, shift != 0.0, "{seed} {shift}: {found:?}");
            assert!(found.confidence > 0.99 && found.applied_drift_ppm == 0.0, "{found:?}");
        }
    }
}

#[test]
fn a_drift_of_a_thousandth_is_found_and_one_that_is_not_there_is_not() {
    for (secs, shift) in [(300.0, 13.0), (3600.0, -300.0)] {
        let cues = talk(5, 0.0, secs);
        let speech = voice(&cues, secs + 2.0);
        let found = measured(&turns(&cues, shift, 0.001), &speech).unwrap();
        // t = (u + shift) / 1.001, so that 999 ppm less of u is to be added.
        let drift = found.drift_ppm.unwrap();
        assert!((drift + 999.0).abs() < 100.0 && (found.applied_drift_ppm - drift).abs() < 1e-9, "{secs}: {found:?}");
        for t in [1.0, secs / 2.0, secs] {
            assert!((found.on_sound(t * 1.001 - shift) - t).abs() < 0.05, "{secs} {t}: {found:?}");
        }
        let even = measured(&turns(&cues, shift, 0.0), &speech).unwrap();
        assert!(even.drift_ppm.unwrap().abs() < 100.0 && even.applied_drift_ppm == 0.0, "{secs}: {even:?}");
    }
}

#[test]
fn the_transcript_of_the_uncut_recording_is_placed() {
    let cues = talk(9, 0.0, 1800.0);
    let inside: Vec<Cue> =
        cues.iter().map(|c| (c.0 - 900.0, c.1 - 900.0)).filter(|c| c.1 > 0.0 && c.0 < 60.0).collect();
    let found = measured(&turns(&cues, 0.0, 0.0), &voice(&inside, 60.0)).unwrap();
    assert!((found.on_sound(930.0) - 30.0).abs() < 0.05, "{found:?}");
}

#[test]
fn where_nothing_fits_there_is_no_offset_and_the_reason_is_told() {
    let cues = talk(1, 0.0, 60.0);
    let own = turns(&cues, 0.0, 0.0);
    let why = |turns: &[Turn], speech: &[f32]| measured(turns, speech).unwrap_err().missing;
    assert_eq!(why(&own, &[]), Missing::NoStream);
    assert_eq!(why(&own, &[0.01; 3000]), Missing::NoSpeech, "silence");
    assert_eq!(why(&own, &[0.97; 3000]), Missing::NoFit, "a voice without a pause");
    assert_eq!(why(&own, &voice(&cues, 62.0)[..200]), Missing::TooShort);
    assert_eq!(why(&own[..2], &voice(&cues, 62.0)), Missing::TooShort);
    let off = TurnsConfig { max_transcript_offset_secs: 0.0, ..TurnsConfig::default() };
    let no = transcript_offset(&own, &voice(&cues, 62.0), STEP, &off).unwrap_err();
    assert_eq!(no.missing, Missing::NotRequested);
}

#[test]
fn cues_of_other_talks_fit_no_oftener_than_the_confidence_says() {
    let wrong = (0..60).filter(|k| {
        let (cues, other) = (talk(100 + k, 0.0, 60.0), talk(300 + k, 0.0, 60.0));
        measured(&turns(&cues, 0.0, 0.0), &voice(&other, 62.0)).is_ok()
    });
    assert!(wrong.count() <= 2, "0.6 are to be expected");
}

#[test]
fn the_search_is_as_wide_as_asked() {
    let cues = talk(2, 0.0, 60.0);
    let near = TurnsConfig { max_transcript_offset_secs: 10.0, ..TurnsConfig::default() };
    let far = transcript_offset(&turns(&cues, -300.0, 0.0), &voice(&cues, 62.0), STEP, &near);
    assert_eq!(far.unwrap_err().missing, Missing::NoFit);
}
