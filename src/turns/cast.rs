//! The cast: which person on the screen is which voice, by whose mouth moves while whom one hears; or off screen.
//!
//! Two things speak for a pair of voice and person, each in standard errors, pooled over the interview:
//!
//! - contrast: the mouth moves faster while the voice talks than while it is silent (Welch's t). Somebody who chews or
//!   laughs moves the mouth in both, and who nods in neither. Where a person is hardly seen while the voice is silent,
//!   a resting mouth's usual motion stands in, and the contrast counts for a few standard errors at most.
//! - coupling: while the voice talks alone, the mouth moves with its level and voicing (correlation, at the best of a
//!   few lags).
//!
//! The one-to-one assignment with the highest sum wins, and a pair below the recipe's floor is nobody. The idea of
//! mouth motion against speech is that of active speaker detection (Everingham et al., "Hello! My name is... Buffy",
//! BMVC 2006).

use pathfinding::kuhn_munkres::kuhn_munkres;
use pathfinding::matrix::Matrix;

use super::TurnsConfig;
use crate::annotation::Annotation;
use crate::audio::{Acoustics, GRID};
use crate::face::{Faces, Observation};
use crate::statistics::pearson;
use crate::time::{Seconds, Segment};

/// One speaker's place on the screen.
#[derive(Clone, Debug, PartialEq)]
pub struct CastMember {
    /// Diarized speaker.
    pub speaker: String,
    /// Person on the screen; `None` = off screen or not told apart.
    pub person: Option<String>,
    /// How sure, 0 to 1: a half at the recipe's floor, near 1 far above it and above the second best person.
    pub confidence: Option<f64>,
}

/// Every diarized speaker's person.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cast {
    /// Sorted by speaker.
    pub members: Vec<CastMember>,
}

impl Cast {
    /// The person who is this speaker.
    pub fn person_of(&self, speaker: &str) -> Option<&str> {
        self.member(speaker)?.person.as_deref()
    }

    /// The speaker who is this person.
    pub fn speaker_of(&self, person: &str) -> Option<&str> {
        self.members.iter().find(|m| m.person.as_deref() == Some(person)).map(|m| m.speaker.as_str())
    }

    /// A speaker's entry.
    pub fn member(&self, speaker: &str) -> Option<&CastMember> {
        self.members.iter().find(|m| m.speaker == speaker)
    }
}

/// Longest distance of two observations whose difference is a motion; further apart, something was missed.
const MAX_STEP_SECS: f64 = 0.5;

/// Fewest motions while the voice talks, and while it is silent for a comparison of the two.
const MIN_MOTIONS: usize = 5;

/// A resting mouth's speed in openings a second, mean and standard deviation, at 10 observations a second; it fills the
/// silent side up to so many motions.
const REST: (f64, f64) = (0.12, 0.12);
const REST_MOTIONS: usize = 20;

/// The highest contrast with a resting mouth that was not itself seen.
const MAX_UNSEEN_CONTRAST: f64 = 5.0;

/// How far the voice may be ahead of (negative: behind) the mouth.
const LAGS_SECS: [f64; 5] = [-0.2, -0.1, 0.0, 0.1, 0.2];

/// Neighbouring motions are not independent: so many count as one.
const MOTIONS_PER_SAMPLE: f64 = 2.0;

/// Level below which there is no speech, in dB re full scale, and half the width in frames over which level and voicing
/// are averaged.
const FLOOR_DB: f64 = -60.0;
const HALF_WIDTH: usize = 7;

/// A mouth's motion between two observations.
#[derive(Clone, Copy, Debug)]
struct Motion {
    at: Seconds,
    /// Openings a second.
    speed: f64,
}

/// Matches speakers to persons. `acoustics` may be empty: then the contrast alone decides.
pub fn cast(annotation: &Annotation, faces: &Faces, acoustics: &Acoustics, config: &TurnsConfig) -> Cast {
    let speakers = annotation.speakers();
    if speakers.is_empty() {
        return Cast::default();
    }
    let motions: Vec<Vec<Motion>> = faces.persons.iter().map(|p| mouth_motions(faces.of_person(p), config)).collect();
    let drive = drive(acoustics);
    let scores: Vec<Vec<f64>> = speakers
        .iter()
        .map(|speaker| motions.iter().map(|m| score(m, speaker, annotation, &drive)).collect())
        .collect();
    let width = faces.persons.len().max(speakers.len());
    // Thousandths: the assignment needs integers. A pair below the floor is worth nothing, so it never displaces a good
    // one.
    let worth = |s: f64| if s >= config.cast_min_score { (s.min(1e6) * 1000.0) as i64 } else { 0 };
    let weights =
        Matrix::from_fn(speakers.len(), width, |(row, column)| scores[row].get(column).map_or(0, |&s| worth(s)));
    let (_, assigned) = kuhn_munkres(&weights);
    let members = speakers
        .iter()
        .zip(assigned)
        .enumerate()
        .map(|(row, (speaker, column))| {
            let score = scores[row].get(column).copied().unwrap_or(0.0);
            let second =
                scores[row].iter().enumerate().filter(|(c, _)| *c != column).map(|(_, &s)| s).fold(0.0, f64::max);
            let found = worth(score) > 0;
            CastMember {
                speaker: (*speaker).to_owned(),
                person: found.then(|| faces.persons[column].clone()),
                confidence: found.then(|| confidence(score, second, config.cast_min_score)),
            }
        })
        .collect();
    Cast { members }
}

fn confidence(score: f64, second: f64, floor: f64) -> f64 {
    let margin = (score - floor.max(second)).max(0.0);
    1.0 - 0.5 * (-margin / floor.max(0.1)).exp()
}

/// Speed of the mouth's opening between neighbouring observations of one track that are good enough to count.
fn mouth_motions<'a>(observations: impl Iterator<Item = &'a Observation>, config: &TurnsConfig) -> Vec<Motion> {
    let mut motions = Vec::new();
    let mut before: Option<&Observation> = None;
    let counts = |o: &&Observation| {
        f64::from(o.bounds.size()) >= config.min_face_size_px && f64::from(o.presence) >= config.min_presence
    };
    for now in observations.filter(counts) {
        if let Some(before) = before
            && before.track == now.track
            && let (Some(a), Some(b)) = (before.mouth_opening, now.mouth_opening)
            && let Some(step) = Segment::new(before.pts, now.pts)
            && step.duration() > 1e-3
            && step.duration() <= MAX_STEP_SECS
        {
            motions.push(Motion { at: step.middle(), speed: f64::from((b - a).abs()) / step.duration() });
        }
        before = Some(now);
    }
    motions
}

/// Level above the floor, voiced frames counting twice, averaged over 150 ms; one value a frame of the voice grid.
fn drive(acoustics: &Acoustics) -> Vec<f64> {
    let raw: Vec<f64> = acoustics
        .level_db
        .iter()
        .zip(&acoustics.voiced)
        .map(|(&level, &voiced)| {
            let above = if level.is_nan() { 0.0 } else { (f64::from(level) - FLOOR_DB).max(0.0) };
            if voiced { above } else { 0.5 * above }
        })
        .collect();
    let mean = |i: usize| {
        let near = &raw[i.saturating_sub(HALF_WIDTH)..(i + HALF_WIDTH + 1).min(raw.len())];
        near.iter().sum::<f64>() / near.len().max(1) as f64
    };
    (0..raw.len()).map(mean).collect()
}

/// What speaks for a voice being this mouth's, in standard errors; 0 where the mouth is hardly seen while the voice
/// talks.
fn score(motions: &[Motion], speaker: &str, annotation: &Annotation, drive: &[f64]) -> f64 {
    let (mut talking, mut silent, mut alone) = (Vec::new(), Vec::new(), Vec::new());
    let turns = annotation.turns();
    // Motions and turns are both in order of time; `first` skips the turns that ended before any motion to come.
    let mut first = 0;
    let longest = turns.iter().map(|t| t.segment.duration()).fold(0.0, f64::max);
    for motion in motions {
        crate::pulse::beat();
        while turns.get(first).is_some_and(|t| t.segment.start().get() + longest < motion.at.get()) {
            first += 1;
        }
        let running = turns[first..]
            .iter()
            .take_while(|t| t.segment.start() <= motion.at)
            .filter(|t| t.segment.contains(motion.at));
        let (own, others): (Vec<_>, Vec<_>) = running.partition(|t| t.speaker == speaker);
        match (own.is_empty(), others.is_empty()) {
            (true, _) => silent.push(motion.speed),
            (false, true) => {
                talking.push(motion.speed);
                alone.push(*motion);
            }
            (false, false) => talking.push(motion.speed),
        }
    }
    if talking.len() < MIN_MOTIONS {
        return 0.0;
    }
    contrast(&talking, &silent) + coupling(&alone, drive)
}

/// Welch's t of the speeds while the voice talks against those while it is silent, a resting mouth's added where these
/// are few.
fn contrast(talking: &[f64], silent: &[f64]) -> f64 {
    let added = REST_MOTIONS.saturating_sub(silent.len()) as f64;
    let count = silent.len() as f64 + added;
    let rest = (silent.iter().sum::<f64>() + added * REST.0) / count;
    let spread: f64 = silent.iter().map(|s| (s - rest).powi(2)).sum();
    let rest_variance = (spread + added * (REST.1.powi(2) + (REST.0 - rest).powi(2))) / (count - 1.0);
    let n = talking.len() as f64;
    let mean = talking.iter().sum::<f64>() / n;
    let variance = talking.iter().map(|s| (s - mean).powi(2)).sum::<f64>() / (n - 1.0);
    let error = (variance / n + rest_variance / count).sqrt();
    let t = if error > 1e-12 { (mean - rest) / error } else { 0.0 };
    if silent.len() < MIN_MOTIONS { t.min(MAX_UNSEEN_CONTRAST) } else { t }
}

/// Correlation of mouth speed and voice at the best lag, in standard errors by Fisher's transformation.
fn coupling(motions: &[Motion], drive: &[f64]) -> f64 {
    let samples = motions.len() as f64 / MOTIONS_PER_SAMPLE - 3.0;
    if samples <= 1.0 {
        return 0.0;
    }
    let voice_at = |t: f64| -> Option<f64> {
        let frame = ((t - GRID.centre(0).get()) / GRID.hop_secs()).round();
        if frame < 0.0 { None } else { drive.get(frame as usize).copied() }
    };
    let at = |lag: f64| {
        let pairs: Vec<(f64, f64)> =
            motions.iter().filter_map(|m| Some((m.speed, voice_at(m.at.get() + lag)?))).collect();
        pearson(&pairs).map(|r| r.clamp(-0.99, 0.99).atanh() * samples.sqrt())
    };
    LAGS_SECS.iter().filter_map(|&lag| at(lag)).reduce(f64::max).unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::annotation::SpeechTurn;
    use crate::face::{BoundingBox, Track};

    /// Two people seen for 20 s at 10 Hz; each one's mouth moves inside the given stretch.
    fn faces(moves: &[(f64, f64)]) -> Faces {
        let mut observations = Vec::new();
        for i in 0..200 {
            let t = f64::from(i) / 10.0;
            for (k, &(a, b)) in moves.iter().enumerate() {
                let opening = if t >= a && t < b && i % 2 == 0 {
                    0.3 + 0.01 * (i % 7) as f32
                } else {
                    0.05 + 0.002 * (i % 3) as f32
                };
                observations.push(Observation {
                    mouth_opening: Some(opening),
                    ..Observation::bare(
                        Seconds::of(t),
                        k as u32 + 1,
                        BoundingBox { left: 0.0, top: 0.0, width: 100.0, height: 100.0 },
                    )
                });
            }
        }
        let tracks = (1..=moves.len() as u32)
            .map(|id| Track {
                id,
                person: Some(format!("P{id}")),
                first_pts: Seconds::ZERO,
                last_pts: Seconds::of(20.0),
                observations: 200,
                mean_size_px: 100.0,
                mean_score: 1.0,
                embedding: None,
                crop: None,
            })
            .collect();
        let persons = (1..=moves.len()).map(|k| format!("P{k}")).collect();
        Faces { observations, tracks, persons, ..Faces::default() }
    }

    fn speech(turns: &[(f64, f64, &str)]) -> Annotation {
        let turn = |&(a, b, s): &(f64, f64, &str)| SpeechTurn {
            segment: Segment::from_secs(a, b).unwrap(),
            speaker: s.into(),
        };
        Annotation::new(turns.iter().map(turn).collect())
    }

    #[test]
    fn a_voice_is_the_person_whose_mouth_moves_with_it() {
        let c = cast(
            &speech(&[(0.0, 10.0, "S0"), (10.0, 20.0, "S1")]),
            &faces(&[(10.0, 20.0), (0.0, 10.0)]),
            &Acoustics::default(),
            &TurnsConfig::default(),
        );
        assert_eq!(c.person_of("S0"), Some("P2"));
        assert_eq!(c.person_of("S1"), Some("P1"));
        assert!(c.members.iter().all(|m| m.confidence.unwrap() > 0.9));
    }

    #[test]
    fn a_voice_without_a_moving_mouth_is_off_screen() {
        let c = cast(
            &speech(&[(0.0, 10.0, "S0"), (10.0, 20.0, "S1")]),
            &faces(&[(0.0, 10.0)]),
            &Acoustics::default(),
            &TurnsConfig::default(),
        );
        assert_eq!(c.person_of("S0"), Some("P1"));
        assert_eq!(c.person_of("S1"), None);
        assert!(
            cast(&speech(&[(0.0, 10.0, "S0")]), &Faces::default(), &Acoustics::default(), &TurnsConfig::default())
                .person_of("S0")
                .is_none()
        );
        assert!(
            cast(&Annotation::default(), &faces(&[(0.0, 1.0)]), &Acoustics::default(), &TurnsConfig::default())
                .members
                .is_empty()
        );
    }

    /// One person for each function from the time to the mouth's opening, seen for 20 s at 10 Hz.
    fn seen(mouths: &[&dyn Fn(f64) -> f64]) -> Faces {
        let mut faces = faces(&vec![(0.0, 0.0); mouths.len()]);
        for o in &mut faces.observations {
            o.mouth_opening = Some(mouths[o.track as usize - 1](o.pts.get()) as f32);
        }
        faces
    }

    /// A voice that sounds in the first 0.6 s of each second.
    fn syllables() -> Acoustics {
        let on = |i: i32| i % 100 < 60;
        Acoustics {
            level_db: (0..2000).map(|i| if on(i) { -20.0 } else { -55.0 }).collect(),
            voiced: (0..2000).map(on).collect(),
            ..Acoustics::default()
        }
    }

    /// A mouth that opens and closes while the voice of [`syllables`] sounds.
    fn speaks(t: f64) -> f64 {
        if t.fract() < 0.6 { 0.1 + 0.1 * (t * 31.0).sin() } else { 0.02 }
    }

    #[test]
    fn chewing_laughing_and_nodding_listeners_do_not_win() {
        let chews = |t: f64| 0.15 + 0.15 * (t * 14.0).sin();
        // Laughs wide for a second now and then, whoever talks.
        let laughs = |t: f64| if (t / 4.0).fract() < 0.25 { 0.4 + 0.2 * (t * 29.0).sin() } else { 0.05 };
        // A nod shortens the face a little.
        let nods = |t: f64| 0.03 + 0.004 * (t * 6.0).sin();
        let talks = |t: f64| if t < 10.0 { speaks(t) } else { 0.02 };
        let faces = seen(&[&chews, &laughs, &nods, &talks]);
        let c = cast(&speech(&[(0.0, 10.0, "S0")]), &faces, &syllables(), &TurnsConfig::default());
        assert_eq!(c.person_of("S0"), Some("P4"));
        // The talker off screen: nobody else is taken.
        let c = cast(
            &speech(&[(0.0, 10.0, "S0")]),
            &seen(&[&chews, &laughs, &nods]),
            &syllables(),
            &TurnsConfig::default(),
        );
        assert_eq!(c.person_of("S0"), None);
    }

    #[test]
    fn in_a_monologue_the_mouth_that_follows_the_voice_wins_over_one_that_chews() {
        let chews = |t: f64| 0.15 + 0.15 * (t * 14.0).sin();
        let faces = seen(&[&chews, &speaks]);
        let c = cast(&speech(&[(0.0, 20.0, "S0")]), &faces, &syllables(), &TurnsConfig::default());
        assert_eq!(c.person_of("S0"), Some("P2"));
    }

    #[test]
    fn overlapped_speech_counts_for_both() {
        // S0 talks throughout, S1 at the start and at the end over it.
        let turns = speech(&[(0.0, 18.0, "S0"), (0.0, 8.0, "S1"), (15.0, 17.0, "S1")]);
        let c = cast(&turns, &faces(&[(0.0, 8.0), (0.0, 18.0)]), &Acoustics::default(), &TurnsConfig::default());
        assert_eq!((c.person_of("S0"), c.person_of("S1")), (Some("P2"), Some("P1")));
    }
}
