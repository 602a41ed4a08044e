//! Speakers renamed, and made one by a name, by somebody who knows.

use std::collections::BTreeMap;

use super::embedding::mean;
use super::{Diarization, SpeakerVoice};
use crate::annotation::{Annotation, SpeechTurn, union};

/// Gives speakers other names. Those that get the same name, or one that another speaker has, are one from then on:
/// their speech turns are joined where they overlap or touch, and their embeddings averaged by seconds spoken.
pub fn rename(found: &mut Diarization, names: &BTreeMap<String, String>) {
    if names.is_empty() {
        return;
    }
    let name = |old: &str| names.get(old).cloned().unwrap_or_else(|| old.to_owned());
    let mut before: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for old in found.annotation.speakers() {
        before.entry(name(old)).or_default().push(old);
    }
    let joined: Vec<String> = before.iter().filter(|(_, olds)| olds.len() > 1).map(|(name, _)| name.clone()).collect();
    let renamed = |a: &Annotation| {
        let turns = a.turns().iter().map(|t| SpeechTurn { segment: t.segment, speaker: name(&t.speaker) });
        let (of_one, mut rest): (Vec<_>, Vec<_>) = turns.partition(|t| joined.contains(&t.speaker));
        for name in &joined {
            let own = of_one.iter().filter(|t| t.speaker == *name).map(|t| t.segment);
            rest.extend(union(own).into_iter().map(|segment| SpeechTurn { segment, speaker: name.clone() }));
        }
        Annotation::new(rest)
    };
    (found.annotation, found.exclusive) = (renamed(&found.annotation), renamed(&found.exclusive));
    for voice in &mut found.voices {
        voice.speaker = name(&voice.speaker);
    }
    found.voices.sort_by(|a, b| a.speaker.cmp(&b.speaker));
    found.voices = found.voices.chunk_by(|a, b| a.speaker == b.speaker).map(as_one).collect();
    if !joined.is_empty() {
        count(found, &joined);
    }
}

/// Takes out speech turns that are no speech; a speaker of whom none is left goes too.
pub fn leave_out(found: &mut Diarization, silent: &[SpeechTurn]) {
    if silent.is_empty() {
        return;
    }
    let speakers: Vec<String> = silent.iter().map(|t| t.speaker.clone()).collect();
    let kept = found.annotation.turns().iter().filter(|t| !silent.contains(t)).cloned().collect();
    found.annotation = Annotation::new(kept);
    let inside = |t: &SpeechTurn| silent.iter().any(|s| s.speaker == t.speaker && s.segment.overlap(t.segment) > 0.0);
    let left = found.exclusive.turns().iter().filter(|t| !inside(t)).cloned().collect();
    found.exclusive = Annotation::new(left);
    let there = found.annotation.speakers().into_iter().map(ToOwned::to_owned).collect::<Vec<String>>();
    found.voices.retain(|v| there.contains(&v.speaker));
    count(found, &speakers);
}

/// Seconds spoken of some speakers, told anew.
fn count(found: &mut Diarization, speakers: &[String]) {
    for voice in found.voices.iter_mut().filter(|v| speakers.contains(&v.speaker)) {
        let own = found.annotation.turns().iter().filter(|t| t.speaker == voice.speaker);
        voice.total_secs = own.map(|t| t.segment.duration()).sum();
    }
}

/// Voices of one name.
fn as_one(voices: &[SpeakerVoice]) -> SpeakerVoice {
    let [first, rest @ ..] = voices else {
        return SpeakerVoice { speaker: String::new(), embedding: None, total_secs: 0.0 };
    };
    if rest.is_empty() {
        return first.clone();
    }
    let known: Vec<(&[f32], f64)> =
        voices.iter().filter_map(|v| Some((v.embedding.as_deref()?, v.total_secs))).collect();
    SpeakerVoice {
        speaker: first.speaker.clone(),
        embedding: mean(&known),
        total_secs: voices.iter().map(|v| v.total_secs).sum(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::Segment;

    fn turn(a: f64, b: f64, speaker: &str) -> SpeechTurn {
        SpeechTurn { segment: Segment::from_secs(a, b).unwrap(), speaker: speaker.into() }
    }

    fn found() -> Diarization {
        let annotation = Annotation::new(vec![
            turn(0.0, 2.0, "SPEAKER_00"),
            turn(1.0, 4.0, "SPEAKER_01"),
            turn(4.0, 5.0, "SPEAKER_00"),
            turn(6.0, 7.0, "SPEAKER_02"),
            turn(7.0, 8.0, "SPEAKER_02"),
        ]);
        let voice = |speaker: &str, e: [f32; 2], total_secs: f64| SpeakerVoice {
            speaker: speaker.into(),
            embedding: Some(e.to_vec()),
            total_secs,
        };
        let voices = vec![
            voice("SPEAKER_00", [1.0, 0.0], 3.0),
            voice("SPEAKER_01", [0.0, 1.0], 3.0),
            voice("SPEAKER_02", [0.0, -1.0], 2.0),
        ];
        Diarization { exclusive: annotation.clone(), annotation, voices, ..Diarization::default() }
    }

    fn told(a: &Annotation) -> Vec<(f64, f64, &str)> {
        let turns = a.turns().iter();
        turns.map(|t| (t.segment.start().get(), t.segment.end().get(), t.speaker.as_str())).collect()
    }

    #[test]
    fn speakers_of_one_name_are_one() {
        let mut d = found();
        rename(&mut d, &BTreeMap::from(["SPEAKER_00", "SPEAKER_01"].map(|old| (old.to_owned(), "Ann".to_owned()))));
        // What touches is joined for those that were made one, and left for the third.
        let expected = [(0.0, 5.0, "Ann"), (6.0, 7.0, "SPEAKER_02"), (7.0, 8.0, "SPEAKER_02")];
        assert_eq!(told(&d.annotation), expected);
        assert_eq!(
            d.voices.iter().map(|v| (v.speaker.as_str(), v.total_secs)).collect::<Vec<_>>(),
            [("Ann", 5.0), ("SPEAKER_02", 2.0)]
        );
        let e = d.voices[0].embedding.as_ref().unwrap();
        assert!((e[0] - 0.5f32.sqrt()).abs() < 1e-6 && (e[1] - 0.5f32.sqrt()).abs() < 1e-6, "{e:?}");
    }

    #[test]
    fn what_is_no_speech_is_nobodys_speech() {
        let mut d = found();
        leave_out(&mut d, &[turn(6.0, 7.0, "SPEAKER_02"), turn(1.0, 4.0, "SPEAKER_01")]);
        assert_eq!(told(&d.annotation), [(0.0, 2.0, "SPEAKER_00"), (4.0, 5.0, "SPEAKER_00"), (7.0, 8.0, "SPEAKER_02")]);
        assert_eq!(d.annotation, d.exclusive);
        assert_eq!(
            d.voices.iter().map(|v| (v.speaker.as_str(), v.total_secs)).collect::<Vec<_>>(),
            [("SPEAKER_00", 3.0), ("SPEAKER_02", 1.0)]
        );
    }
}
