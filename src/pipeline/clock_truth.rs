//! The transcript's clock against the reference clips: moved and stretched transcripts are found, others' are not.

use std::path::Path;

use crate::annotation::{Annotation, Turn};
use crate::inference::{ModelSet, Registry, Runtime};
use crate::media::{self, StreamPick};
use crate::recipe::Recipe;
use crate::signal::AudioBuffer;
use crate::speaker::{SpeakerModels, VAD_CHUNKS};
use crate::store::rttm::read_rttm;
use crate::table::Missing;
use crate::time::{Seconds, Segment};
use crate::transcript::{self, ReadOptions};
use crate::turns::{TranscriptOffset, TurnsConfig, Voiced, estimated_words, transcript_offset, turns_of_speech};

/// Clips and their transcripts. How cues are laid over speech was chosen while these were looked at.
const CLIPS: [(&str, &str); 13] = [
    ("audio/pyannote_sample.wav", "audio/pyannote_sample.rttm"),
    ("audio/pyannote_sample.wav", "audio/pyannote_sample.stm"),
    ("video/ted_talk.mp4", "video/ted_talk.srt"),
    ("audio/ami_dev00.wav", "audio/ami_dev00.rttm"),
    ("audio/dual_speaker.wav", "audio/dual_speaker.rttm"),
    ("audio/three_speakers.wav", "audio/three_speakers.rttm"),
    ("dev/ami_trn03.wav", "dev/ami_trn03.rttm"),
    ("dev/ami_trn04.wav", "dev/ami_trn04.rttm"),
    ("dev/ami_trn06.wav", "dev/ami_trn06.rttm"),
    ("dev/ami_trn07.wav", "dev/ami_trn07.rttm"),
    ("dev/ami_trn09.wav", "dev/ami_trn09.rttm"),
    (
        "transcripts/whisper-timestamped/audio_apollo11.mp3",
        "transcripts/whisper-timestamped/large_apollo11.mp3.words.json",
    ),
    ("video/two_women_portrait.mp4", ""),
];

/// Transcripts of other recordings, some of them in other languages.
const OTHERS: [&str; 6] = [
    "whisper-timestamped/smartphone.mp3.words.json",
    "whisper-timestamped/radio_short.mp3.words.json",
    "whisper-timestamped/japanese.mp3.words.json",
    "whisper-timestamped/gloria.mp3.words.json",
    "noScribe/interview.vtt",
    "videogrep/manifesto.vtt",
];

const TED: usize = 2;

fn sound(path: &Path) -> AudioBuffer {
    media::audio(path, crate::audio::SAMPLE_RATE_HZ, StreamPick::default()).unwrap().buffer
}

fn transcript(path: &Path) -> Vec<Turn> {
    if path.extension().is_some_and(|e| e == "rttm") {
        // `ami_dev00.rttm` holds a second recording's lines (`dev01`) too.
        let own = read_rttm(path).unwrap().into_iter().filter(|(uri, _)| uri != "dev01");
        return turns_of_speech(&Annotation::new(own.flat_map(|(_, a)| a.turns().to_vec()).collect()));
    }
    transcript::read(path, &ReadOptions { lenient: true, ..ReadOptions::default() }).unwrap().turns
}

/// Each time `t` becomes `t·(1 + stretch) + late`.
fn told_later(turns: &[Turn], stretch: f64, late: f64) -> Vec<Turn> {
    let mut turns = turns.to_vec();
    let at = |t: f64| t * (1.0 + stretch) + late;
    for turn in &mut turns {
        let s = turn.segment;
        turn.segment = Segment::from_secs(at(s.start().get()), at(s.end().get())).unwrap();
    }
    turns
}

struct Ear(SpeakerModels);

impl Ear {
    fn new() -> Self {
        let registry = Registry::open(None).unwrap();
        Ear(SpeakerModels::load(&registry, &Recipe::default().speaker, Runtime::default()).expect("run make models"))
    }

    fn speech(&mut self, sound: &AudioBuffer) -> Vec<f32> {
        self.0.vad.probabilities(sound).unwrap()
    }
}

fn measured(turns: &[Turn], speech: &[f32]) -> Option<TranscriptOffset> {
    transcript_offset(turns, speech, VAD_CHUNKS.hop_secs(), &TurnsConfig::default()).ok()
}

#[test]
#[cfg_attr(not(feature = "shared-tests"), ignore = "needs the reference clips: make test-shared")]
fn moved_and_stretched_transcripts_are_found() {
    let media = crate::reference::folder().join("media");
    let mut ear = Ear::new();
    for clip in [0, TED] {
        let (audio, text) = CLIPS[clip];
        let whole = sound(&media.join(audio));
        let turns = transcript(&media.join(text));
        for begin in [0.0, 2.0, 5.0] {
            let cut = AudioBuffer::new(whole.samples()[(begin * 16_000.0) as usize..].to_vec(), 16_000);
            let speech = ear.speech(&cut);
            let own = measured(&turns, &speech).unwrap_or_else(|| panic!("{audio} from {begin} s"));
            eprintln!("{audio} from {begin} s, as it is: {own:?}");
            for late in [0.7, 13.0, 300.0] {
                for stretch in [0.0, 0.001] {
                    let made = told_later(&turns, stretch, late);
                    let found = measured(&made, &speech).unwrap_or_else(|| panic!("{audio} {begin} {late} {stretch}"));
                    // The same moment as the transcript itself gives it, and the drift that was brought in.
                    let t = own.at_secs;
                    let off = found.offset_secs
                        + found.drift_ppm.unwrap() * 1e-6 * (told(t, stretch, late) - found.at_secs)
                        + told(t, stretch, late)
                        - (t + own.offset_secs);
                    let drift = (1.0 + own.drift_ppm.unwrap() * 1e-6) / (1.0 + stretch) - 1.0;
                    let drift_off = found.drift_ppm.unwrap() - drift * 1e6;
                    eprintln!(
                        "  {late:+} s, {stretch}: off by {:.1} ms, {drift_off:.1} ppm (error {:.0}); told {:+.3} s, {:+.0} ppm",
                        off * 1e3,
                        found.drift_error_ppm.unwrap(),
                        found.offset_secs,
                        found.drift_ppm.unwrap()
                    );
                    assert!(off.abs() < 0.05 && drift_off.abs() < 100.0 && found.is_telling, "{found:?}");
                }
            }
            assert!(own.offset_secs.abs() - begin < 0.3, "{own:?}");
        }
    }
}

/// When the voice begins within 0.6 s of `near`, by the level alone: the first of six 10-ms stretches above a third of
/// the way from the quiet ones to the loud ones.
fn onset(sound: &AudioBuffer, near: f64) -> f64 {
    let first = ((near - 0.6) * 100.0).round() as usize;
    let level = |i: usize| {
        let part = &sound.samples()[i * 160..i * 160 + 320];
        10.0 * (part.iter().map(|x| f64::from(x * x)).sum::<f64>() / 320.0 + 1e-10).log10()
    };
    let levels: Vec<f64> = (first..first + 120).map(level).collect();
    let mut sorted = levels.clone();
    sorted.sort_by(f64::total_cmp);
    let least = sorted[12] + 0.35 * (sorted[108] - sorted[12]);
    let at = (0..110).find(|&i| levels[i..i + 6].iter().all(|l| *l > least)).unwrap();
    (first + at) as f64 / 100.0 + 0.01
}

/// The estimate says that the TED clip's subtitles are early, and so they are: after a pause the voice begins 0.2 to 0.25 s
/// after the cue does, as the subtitler meant it.
#[test]
#[cfg_attr(not(feature = "shared-tests"), ignore = "needs the reference clips: make test-shared")]
fn the_subtitles_of_the_talk_begin_before_the_voice() {
    let media = crate::reference::folder().join("media");
    let (audio, text) = CLIPS[TED];
    let (sound, turns) = (sound(&media.join(audio)), transcript(&media.join(text)));
    // Those that begin at least half a second after the one before has ended, behind no applause.
    let after_a_pause = turns.windows(2).filter(|w| w[1].segment.start() - w[0].segment.end() > Seconds::of(0.5));
    let leads: Vec<f64> =
        after_a_pause.map(|w| w[1].segment.start().get()).map(|start| onset(&sound, start) - start).collect();
    assert!(leads.len() >= 4 && leads.iter().all(|lead| (0.19..0.26).contains(lead)), "{leads:?}");
    let found = measured(&turns, &Ear::new().speech(&sound)).unwrap();
    assert!((0.1..0.24).contains(&found.offset_secs), "{found:?}");
}

fn told(t: f64, stretch: f64, late: f64) -> f64 {
    t * (1.0 + stretch) + late
}

#[test]
#[cfg_attr(not(feature = "shared-tests"), ignore = "needs the reference clips: make test-shared")]
fn transcripts_of_others_are_not_believed() {
    let media = crate::reference::folder().join("media");
    let mut ear = Ear::new();
    let speech: Vec<Vec<f32>> = CLIPS.iter().map(|(audio, _)| ear.speech(&sound(&media.join(audio)))).collect();
    let named = |path: &str| transcript(&media.join(path));
    let mut texts: Vec<(&str, &str, Vec<Turn>)> =
        CLIPS.iter().filter(|c| !c.1.is_empty()).map(|(audio, text)| (*audio, *text, named(text))).collect();
    texts.extend(OTHERS.iter().map(|text| ("", *text, named(&format!("transcripts/{text}")))));
    let (mut pairs, mut wrong) = (0, 0);
    for (own, text, turns) in &texts {
        for ((audio, _), speech) in CLIPS.iter().zip(&speech) {
            let found = measured(turns, speech);
            if own == audio {
                eprintln!("{text} on its own: {:?}", found.map(|f| (f.offset_secs, f.confidence)));
                continue;
            }
            pairs += 1;
            if let Some(found) = found {
                wrong += 1;
                eprintln!("{text} on {audio}: {found:?}");
            }
        }
    }
    eprintln!("{wrong} of {pairs} wrong pairs are believed");
    assert!(pairs > 180 && wrong <= pairs / 50, "{wrong} of {pairs}");
}

#[test]
#[cfg_attr(not(feature = "shared-tests"), ignore = "needs the reference clips: make test-shared")]
fn silence_noise_and_music_have_no_offset() {
    let media = crate::reference::folder().join("media");
    let turns = transcript(&media.join(CLIPS[TED].1));
    let mut ear = Ear::new();
    let mut random = crate::random::Random::new(1, "noise");
    let noise: Vec<f32> = (0..60 * 16_000).map(|_| (0.2 * random.signed()) as f32).collect();
    // A scale in plucked thirds.
    let note = |i: usize| {
        let (t, k) = (i as f64 / 16_000.0, i / 6_000);
        let hz = 220.0 * 2f64.powf([0.0, 2.0, 4.0, 5.0, 7.0, 9.0, 11.0][k % 7] / 12.0);
        let fade = (-((i % 6_000) as f64) / 3_000.0).exp();
        (0.2 * fade * ((hz * t * std::f64::consts::TAU).sin() + (hz * 1.25 * t * std::f64::consts::TAU).sin())) as f32
    };
    let music: Vec<f32> = (0..60 * 16_000).map(note).collect();
    for (name, samples) in [("silence", vec![0.0; 10 * 16_000]), ("noise", noise), ("music", music)] {
        let speech = ear.speech(&AudioBuffer::new(samples, 16_000));
        let no = transcript_offset(&turns, &speech, VAD_CHUNKS.hop_secs(), &TurnsConfig::default()).unwrap_err();
        assert!(matches!(no.missing, Missing::NoSpeech | Missing::NoFit), "{name}: {no:?}");
    }
}

/// The error of words laid out anew against those the transcript times, on the one clip that has both.
#[test]
#[cfg_attr(not(feature = "shared-tests"), ignore = "needs the reference clips: make test-shared")]
fn words_are_laid_out_near_where_they_are_said() {
    let (audio, text) = CLIPS[11];
    let media = crate::reference::folder().join("media");
    let speech = Ear::new().speech(&sound(&media.join(audio)));
    let (mut by_voice, mut by_cue) = (Vec::new(), Vec::new());
    for turn in transcript(&media.join(text)) {
        let mut bare = turn.clone();
        bare.words.iter_mut().for_each(|w| w.segment = None);
        let heard = Voiced { probability: &speech, step_secs: VAD_CHUNKS.hop_secs() };
        for (voiced, errors) in [(heard, &mut by_voice), (Voiced { probability: &[], ..heard }, &mut by_cue)] {
            let made = estimated_words(&bare, voiced);
            assert_eq!(made.len(), turn.words.len());
            let pairs = made.iter().zip(&turn.words).filter_map(|(a, b)| Some((a.segment?, b.segment?)));
            errors.extend(pairs.map(|(a, b)| (a.middle().get() - b.middle().get()).abs()));
        }
    }
    let told = |errors: &mut Vec<f64>| {
        errors.sort_by(f64::total_cmp);
        (errors[errors.len() / 2], errors[errors.len() * 9 / 10])
    };
    let count = by_voice.len();
    let (voice, cue) = (told(&mut by_voice), told(&mut by_cue));
    eprintln!("{count} words: median and 90 % of errors {voice:.3?} s by voice, {cue:.3?} s by the cue alone");
    assert!(count > 100 && voice.0 < 0.25 && voice.1 < 0.8, "{voice:?}");
}
