//! Reconstruction: speech turns from labelled tracks, overlap kept, and the same with one speaker at a time.

use serde::{Deserialize, Serialize};

use super::segmentation::FRAMES;
use super::tracks::VoiceTrack;
use crate::annotation::{Annotation, SpeechTurn};
use crate::time::{Seconds, Segment};

/// Speech turn parameters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SpeechTurnConfig {
    /// Gaps of one speaker shorter than this are filled.
    #[schemars(range(min = 0.0))]
    pub min_gap_secs: f64,
    /// Turns shorter than this are dropped; a backchannel lasts 0.2 s and more.
    #[schemars(range(min = 0.0))]
    pub min_turn_secs: f64,
    /// A speaker's gap shorter than this is filled where another's backchannel sounds through it: the turn goes on.
    #[schemars(range(min = 0.0))]
    pub backchannel_gap_secs: f64,
    /// No turn longer than this is a backchannel.
    #[schemars(range(min = 0.0))]
    pub max_backchannel_secs: f64,
    /// A speaker heard only over another's speech is believed from this length on.
    #[schemars(range(min = 0.0))]
    pub min_overlap_speaker_secs: f64,
    /// Such a voice is somebody else's when its cosine to everybody who is silent then is below this. A choice between
    /// what was seen: 0.52 to 0.55 to the right speaker (three mixtures of `pyannote_sample`), at most 0.11 to wrong
    /// ones (`dual_speaker`).
    #[schemars(range(min = 0.0))]
    pub overlap_speaker_similarity: f64,
    /// Short words under another's speech: a stretch in which the speaker's probability stays at `overlooked_offset`
    /// and is above `overlooked_onset` for `overlooked_min_secs` is the speaker's, though most windows hear one speaker
    /// alone. Chosen on `pyannote_sample`, whose one backchannel reaches 0.53.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub overlooked_onset: f32,
    /// See `overlooked_onset`.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub overlooked_offset: f32,
    /// See `overlooked_onset`.
    #[schemars(range(min = 0.0))]
    pub overlooked_min_secs: f64,
    /// A turn is dropped where the speech probability never reaches this, 0 to 1, and its level is low too.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub veto_probability: f64,
    /// How far below the recording's speech a level is low.
    #[schemars(range(min = 0.0))]
    pub veto_below_speech_db: f64,
}

impl Default for SpeechTurnConfig {
    fn default() -> Self {
        SpeechTurnConfig {
            min_gap_secs: 0.05,
            min_turn_secs: 0.1,
            backchannel_gap_secs: 0.3,
            max_backchannel_secs: 1.0,
            min_overlap_speaker_secs: 0.25,
            overlap_speaker_similarity: 0.25,
            overlooked_onset: 0.5,
            overlooked_offset: 0.4,
            overlooked_min_secs: 0.1,
            veto_probability: 0.1,
            veto_below_speech_db: 20.0,
        }
    }
}

/// A track and whose it is: `(first frame, speaker)` of each run, the first from the track's start on.
#[derive(Clone, Debug)]
pub struct LabelledTrack<'a> {
    /// The track.
    pub track: &'a VoiceTrack,
    /// At least one run, in order.
    pub runs: Vec<(usize, usize)>,
}

/// Activity of each speaker in each of `frames` frames: the highest of the speaker's tracks.
pub fn speaker_activity(tracks: &[LabelledTrack<'_>], speakers: usize, frames: usize) -> Vec<Vec<f32>> {
    let mut activity = vec![vec![0.0f32; frames]; speakers];
    for labelled in tracks {
        let end = (labelled.track.first_frame + labelled.track.activity.len()).min(frames);
        for (i, &(start, speaker)) in labelled.runs.iter().enumerate() {
            let start = if i == 0 { labelled.track.first_frame } else { start };
            let stop = labelled.runs.get(i + 1).map_or(end, |next| next.0.min(end));
            let Some(row) = activity.get_mut(speaker) else { continue };
            for (frame, slot) in row.iter_mut().enumerate().take(stop).skip(start) {
                *slot = slot.max(labelled.track.at(frame));
            }
        }
    }
    activity
}

/// In each frame, the `count` most active speakers (equals: the lower number), never one without activity.
pub fn most_active(activity: &[Vec<f32>], count: &[u8]) -> Vec<Vec<bool>> {
    let mut active: Vec<Vec<bool>> = activity.iter().map(|row| vec![false; row.len()]).collect();
    let mut order: Vec<usize> = Vec::with_capacity(activity.len());
    for (frame, &count) in count.iter().enumerate() {
        order.clear();
        order.extend((0..activity.len()).filter(|&s| activity[s][frame] > 0.0));
        order.sort_by(|&a, &b| activity[b][frame].total_cmp(&activity[a][frame]));
        for &speaker in order.iter().take(usize::from(count)) {
            active[speaker][frame] = true;
        }
    }
    active
}

/// Segments of a speaker's active frames, short gaps filled, short segments dropped, cut to `duration`.
pub fn segments(active: &[bool], config: &SpeechTurnConfig, duration: Seconds) -> Vec<Segment> {
    // An edge lies half-way between the centres of the two frames.
    let edge = |frame: usize| (FRAMES.centre(frame).get() - 0.5 * FRAMES.hop_secs()).min(duration.get());
    let mut found: Vec<(f64, f64)> = Vec::new();
    let mut start = None;
    for frame in 0..=active.len() {
        let on = active.get(frame).copied().unwrap_or(false);
        match (start, on) {
            (None, true) => start = Some(frame),
            (Some(first), false) => {
                match found.last_mut() {
                    Some(last) if edge(first) - last.1 < config.min_gap_secs => last.1 = edge(frame),
                    _ => found.push((edge(first), edge(frame))),
                }
                start = None;
            }
            _ => {}
        }
    }
    found.retain(|(start, end)| end - start >= config.min_turn_secs);
    found.into_iter().filter_map(|(start, end)| Segment::from_secs(start, end)).collect()
}

/// The frames of `count` that lie in one of the segments: [`segments`] the other way round.
pub fn frames_in(segments: &[Segment], count: usize) -> Vec<bool> {
    let mut active = vec![false; count];
    segments.iter().for_each(|s| active[FRAMES.indices(*s, count)].fill(true));
    active
}

/// Fills short gaps in a speaker's turns through which another's backchannel sounds; one list of sorted segments a
/// speaker.
pub fn bridge_backchannels(speakers: &mut [Vec<Segment>], config: &SpeechTurnConfig) {
    let short = |s: &&Segment| s.duration() <= config.max_backchannel_secs;
    let backchannels: Vec<Vec<Segment>> =
        speakers.iter().map(|turns| turns.iter().filter(short).copied().collect()).collect();
    for (speaker, turns) in speakers.iter_mut().enumerate() {
        let mut joined: Vec<Segment> = Vec::with_capacity(turns.len());
        for turn in turns.drain(..) {
            let bridged = joined.last().filter(|last| {
                let others = backchannels
                    .iter()
                    .enumerate()
                    .filter(|(other, _)| *other != speaker)
                    .flat_map(|(_, segments)| segments);
                last.gap(turn) < config.backchannel_gap_secs
                    && others.into_iter().any(|b| b.start() <= last.end() && b.end() >= turn.start())
            });
            match bridged.and_then(|last| Segment::new(last.start(), turn.end())) {
                Some(whole) => {
                    joined.pop();
                    joined.push(whole);
                }
                None => joined.push(turn),
            }
        }
        *turns = joined;
    }
}

/// The annotation with one speaker at a time: where turns overlap, the longest keeps the floor (equals: the one that
/// began first).
pub fn exclusive(annotation: &Annotation) -> Annotation {
    let turns = annotation.turns();
    let mut edges: Vec<Seconds> = turns.iter().flat_map(|t| [t.segment.start(), t.segment.end()]).collect();
    edges.sort_unstable();
    edges.dedup();
    let mut result: Vec<SpeechTurn> = Vec::new();
    let mut next = 0;
    let mut running: Vec<usize> = Vec::new();
    for pair in edges.windows(2) {
        running.retain(|&i| turns[i].segment.end() > pair[0]);
        while next < turns.len() && turns[next].segment.start() <= pair[0] {
            running.push(next);
            next += 1;
        }
        let longest = running
            .iter()
            .copied()
            .reduce(|a, b| if turns[b].segment.duration() > turns[a].segment.duration() { b } else { a });
        let (Some(holder), Some(part)) = (longest, Segment::new(pair[0], pair[1])) else { continue };
        let speaker = &turns[holder].speaker;
        match result.last_mut() {
            Some(last) if last.speaker == *speaker && last.segment.end() == part.start() => {
                if let Some(joined) = Segment::new(last.segment.start(), part.end()) {
                    last.segment = joined;
                }
            }
            _ => result.push(SpeechTurn { segment: part, speaker: speaker.clone() }),
        }
    }
    Annotation::new(result)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn speech(start: f64, end: f64, speaker: &str) -> SpeechTurn {
        SpeechTurn { segment: Segment::from_secs(start, end).unwrap(), speaker: speaker.into() }
    }

    #[test]
    fn a_run_takes_its_part_of_the_track() {
        let track = VoiceTrack { first_frame: 1, activity: vec![1.0, 0.5, 1.0] };
        let labelled = LabelledTrack { track: &track, runs: vec![(1, 0), (3, 1)] };
        assert_eq!(speaker_activity(&[labelled], 2, 5), [[0.0, 1.0, 0.5, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0, 0.0]]);
    }

    #[test]
    fn the_count_says_how_many_speak() {
        let activity = [vec![0.2, 0.9, 0.0], vec![0.8, 0.9, 0.0], vec![0.5, 0.1, 0.0]];
        let active = most_active(&activity, &[1, 2, 1]);
        assert_eq!(active, [[false, true, false], [true, true, false], [false, false, false]]);
    }

    #[test]
    fn short_gaps_are_filled_and_short_turns_dropped() {
        let config = SpeechTurnConfig { min_gap_secs: 0.03, min_turn_secs: 0.03, ..SpeechTurnConfig::default() };
        let on = |text: &str| text.bytes().map(|b| b == b'x').collect::<Vec<_>>();
        let found = segments(&on("xx.xx....x.."), &config, Seconds::of(9.0));
        assert_eq!(found.len(), 1);
        // Frame 0 is centred at 30.97 ms, half a hop is 8.44 ms.
        assert!((found[0].start().get() - 0.022_531_25).abs() < 1e-9);
        assert!((found[0].duration() - 5.0 * 0.016_875).abs() < 1e-9);
    }

    #[test]
    fn a_backchannel_bridges_the_gap_it_fills() {
        let s = |start, end| Segment::from_secs(start, end).unwrap();
        let mut speakers = vec![vec![s(0.0, 4.0), s(4.2, 9.0), s(9.2, 10.0)], vec![s(3.9, 4.3)]];
        bridge_backchannels(&mut speakers, &SpeechTurnConfig::default());
        assert_eq!(speakers, [vec![s(0.0, 9.0), s(9.2, 10.0)], vec![s(3.9, 4.3)]]);
    }

    #[test]
    fn the_longest_turn_keeps_the_floor() {
        // A backchannel inside a long turn vanishes; a change of speakers is cut where the longer turn says.
        let a = Annotation::new(vec![
            speech(0.0, 10.0, "a"),
            speech(4.0, 4.3, "b"),
            speech(9.0, 12.0, "c"),
            speech(13.0, 14.0, "b"),
        ]);
        let e = exclusive(&a);
        assert_eq!(e.turns(), [speech(0.0, 10.0, "a"), speech(10.0, 12.0, "c"), speech(13.0, 14.0, "b")]);
    }
}
