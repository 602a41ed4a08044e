//! Labels of transcripts against the truth by ear: how far they mend diarization, and that wrong ones do no harm.

use std::path::Path;

use super::diarization::RecordingHeard;
use super::*;
use crate::annotation::SpeechTurn;
use crate::inference::Runtime;
use crate::random::Random;
use crate::signal::AudioBuffer;
use crate::store::rttm::read_rttm;

/// The clips with human truth. Thresholds were chosen while all of them were looked at, so that none measures what the
/// labels do elsewhere.
const CLIPS: [&str; 9] = [
    "dev/ami_trn01",
    "dev/ami_trn02",
    "dev/ami_trn03",
    "dev/ami_trn04",
    "dev/ami_trn06",
    "dev/ami_trn07",
    "dev/ami_trn09",
    "audio/pyannote_sample",
    "audio/ami_dev00",
];

/// Transcripts made of each clip's truth.
const SEEDS: u64 = 20;

/// A step of segmentation.
const FRAME_SECS: f64 = 0.017;

/// Farthest that an edge of the truth is moved.
const JITTER_SECS: f64 = 0.5;

struct Clip {
    name: &'static str,
    audio: AudioBuffer,
    truth: Annotation,
    heard: RecordingHeard,
}

fn clips(shared: &Path) -> Vec<Clip> {
    let config = SpeakerConfig::default();
    let mut models = SpeakerModels::load(&fixture::registry(), &config, Runtime::default()).expect("run make models");
    let mut load = |name: &'static str| {
        let audio = fixture::clip(shared, &format!("../{name}"));
        // `ami_dev00.rttm` holds a second recording's lines (`dev01`) too.
        let recordings = read_rttm(&shared.join(format!("media/{name}.rttm"))).unwrap();
        let own = recordings.into_iter().filter(|(uri, _)| uri != "dev01");
        let truth = Annotation::new(own.flat_map(|(_, a)| a.turns().to_vec()).collect());
        let probability = models.vad.probabilities(&audio).unwrap();
        let speech = speech_segments(&probability, &config.vad, audio.duration().get());
        let heard = RecordingHeard::new(&audio, &mut models, &config, (probability, speech)).unwrap();
        Clip { name, audio, truth, heard }
    };
    CLIPS.iter().map(|name| load(name)).collect()
}

/// The truth as a transcript: both edges of each turn moved by up to [`JITTER_SECS`], and the labels of this share of
/// turns exchanged for another's.
fn transcript(truth: &Annotation, swapped: f64, seed: u64) -> Vec<LabelledTurn> {
    let mut random = Random::new(seed, "jitter");
    let moved = |turn: &SpeechTurn, random: &mut Random| {
        let mut edge = |at: f64| (at + JITTER_SECS * random.signed()).max(0.0);
        let (start, end) = (edge(turn.segment.start().get()), edge(turn.segment.end().get()));
        // Jitter turns the shortest round; a transcript's turn has its start first.
        let segment = Segment::from_secs(start.min(end), start.max(end)).unwrap();
        LabelledTurn { segment, label: turn.speaker.clone() }
    };
    let mut turns: Vec<LabelledTurn> = truth.turns().iter().map(|t| moved(t, &mut random)).collect();
    let speakers = truth.speakers();
    let mut order: Vec<usize> = (0..turns.len()).collect();
    random.shuffle(&mut order);
    let count = (swapped * turns.len() as f64).round() as usize;
    for &turn in order.iter().take(if speakers.len() > 1 { count } else { 0 }) {
        let others: Vec<&&str> = speakers.iter().filter(|s| **s != turns[turn].label).collect();
        let other = (**others[random.below(others.len())]).to_owned();
        turns[turn].label = other;
    }
    turns
}

fn der(clip: &Clip, turns: &[LabelledTurn], labels: LabelUse) -> f64 {
    let config = SpeakerConfig { labels, ..SpeakerConfig::default() };
    let told = Told { turns: Some(&|_| turns.to_vec()), ..Told::default() };
    let found = clip.heard.diarization(&clip.audio, &config, &told).unwrap();
    score(&clip.truth, &found.annotation, &ScoreOptions::default()).der().unwrap()
}

#[test]
#[cfg_attr(not(feature = "shared-tests"), ignore = "needs the reference clips: make test-shared")]
fn labels_mend_diarization_and_wrong_ones_do_no_harm() {
    for clip in clips(&crate::reference::folder()) {
        let ignored = der(&clip, &transcript(&clip.truth, 0.0, 0), LabelUse::Ignore);
        let ders = |swapped: f64, labels: LabelUse| -> Vec<f64> {
            (0..SEEDS).map(|seed| der(&clip, &transcript(&clip.truth, swapped, seed), labels)).collect()
        };
        let mean = |x: &[f64]| x.iter().sum::<f64>() / x.len() as f64;
        let worst = |x: &[f64]| x.iter().copied().fold(0.0, f64::max);
        let (right, wrong) = (ders(0.0, LabelUse::Evidence), ders(0.2, LabelUse::Evidence));
        eprintln!(
            "{}: DER ignored {ignored:.3}; evidence {:.3} (worst {:.3}), a fifth swapped {:.3} (worst {:.3}), trusted \
             {:.3}",
            clip.name,
            mean(&right),
            worst(&right),
            mean(&wrong),
            worst(&wrong),
            mean(&ders(0.0, LabelUse::Trust))
        );
        // By less than a frame of segmentation is no difference.
        let frame = FRAME_SECS / clip.truth.turns().iter().map(|t| t.segment.duration()).sum::<f64>();
        assert!(mean(&right) <= ignored + frame, "{}", clip.name);
        let worse = right.iter().filter(|der| **der > ignored + 0.02).count();
        assert!(worse as u64 <= SEEDS / 10, "{}: {worse} of {SEEDS} transcripts do harm", clip.name);
        // Where the sound alone is nearly right there is nothing to win, and a swapped turn too short to tell its voice
        // is not found out.
        assert!(mean(&wrong) <= ignored + if ignored < 0.1 { 0.008 } else { 0.0 }, "{}", clip.name);
        let most = match clip.name {
            "dev/ami_trn01" | "dev/ami_trn04" | "dev/ami_trn06" | "dev/ami_trn07" => 0.5,
            "dev/ami_trn09" => 0.55,
            "audio/ami_dev00" => 0.7,
            _ => 1.0,
        };
        assert!(mean(&right) <= most * ignored + frame, "{}: {:.3}", clip.name, mean(&right));
    }
}
