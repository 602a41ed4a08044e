//! The cast: which person on the screen is which voice, by whose mouth moves while whom one hears; or off screen.
//!
//! For each diarized speaker and person, the speed of the mouth's opening while that speaker alone talks is compared with its speed while
//! that speaker is silent (Welch's t over the observations); the one-to-one assignment with the highest sum wins, and a pair below the
//! recipe's floor is nobody. The idea of mouth motion against speech is that of active speaker detection (Everingham et al. 2006).

use pathfinding::kuhn_munkres::kuhn_munkres;
use pathfinding::matrix::Matrix;

use super::TurnsConfig;
use crate::annotation::Annotation;
use crate::face::{Faces, Observation};
use crate::time::Segment;

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

    /// A speaker's entry.
    pub fn member(&self, speaker: &str) -> Option<&CastMember> {
        self.members.iter().find(|m| m.speaker == speaker)
    }
}

/// Longest distance of two observations whose difference is a motion; further apart, something was missed.
const MAX_STEP_SECS: f64 = 0.5;

/// Fewest motions on either side of a comparison.
const MIN_MOTIONS: usize = 5;

/// Matches speakers to persons.
pub fn cast(exclusive: &Annotation, faces: &Faces, config: &TurnsConfig) -> Cast {
    let speakers = exclusive.speakers();
    if speakers.is_empty() {
        return Cast::default();
    }
    let motions: Vec<Vec<(Segment, f64)>> = faces.persons.iter().map(|p| mouth_motions(faces.of_person(p))).collect();
    let scores: Vec<Vec<f64>> = speakers
        .iter()
        .map(|speaker| {
            let talks: Vec<Segment> = exclusive.turns().iter().filter(|t| t.speaker == *speaker).map(|t| t.segment).collect();
            motions.iter().map(|m| contrast(m, &talks)).collect()
        })
        .collect();
    let width = faces.persons.len().max(speakers.len());
    // Thousandths: the assignment needs integers. A pair below the floor is worth nothing, so it never displaces a good one.
    let worth = |s: f64| if s >= config.cast_min_score { (s.min(1e6) * 1000.0) as i64 } else { 0 };
    let weights = Matrix::from_fn(speakers.len(), width, |(row, column)| scores[row].get(column).map_or(0, |&s| worth(s)));
    let (_, assigned) = kuhn_munkres(&weights);
    let members = speakers
        .iter()
        .zip(assigned)
        .enumerate()
        .map(|(row, (speaker, column))| {
            let score = scores[row].get(column).copied().unwrap_or(0.0);
            let second = scores[row].iter().enumerate().filter(|(c, _)| *c != column).map(|(_, &s)| s).fold(0.0, f64::max);
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

/// Speed of the mouth's opening between neighbouring observations of one track, in openings a second.
fn mouth_motions<'a>(observations: impl Iterator<Item = &'a Observation>) -> Vec<(Segment, f64)> {
    let mut motions = Vec::new();
    let mut before: Option<&Observation> = None;
    for now in observations {
        if let Some(before) = before
            && before.track == now.track
            && let (Some(a), Some(b)) = (before.mouth_opening, now.mouth_opening)
            && let Some(step) = Segment::new(before.pts, now.pts)
            && step.duration() > 1e-3
            && step.duration() <= MAX_STEP_SECS
        {
            motions.push((step, f64::from((b - a).abs()) / step.duration()));
        }
        before = Some(now);
    }
    motions
}

/// Welch's t of the motions inside `talks` against those outside; 0 where there are too few of either.
fn contrast(motions: &[(Segment, f64)], talks: &[Segment]) -> f64 {
    let (inside, outside): (Vec<_>, Vec<_>) = motions.iter().partition(|(step, _)| talks.iter().any(|t| t.contains(step.middle())));
    let moments = |x: &[&(Segment, f64)]| {
        let n = x.len() as f64;
        let mean = x.iter().map(|m| m.1).sum::<f64>() / n;
        let variance = x.iter().map(|m| (m.1 - mean).powi(2)).sum::<f64>() / (n - 1.0);
        (mean, variance / n)
    };
    if inside.len() < MIN_MOTIONS {
        return 0.0;
    }
    if outside.len() < MIN_MOTIONS {
        // Somebody who is only seen while this voice talks cannot be compared with the silence: a moving mouth is a weak yes.
        let (mean, error) = moments(&inside);
        return if error > 0.0 { (mean / error.sqrt() / 4.0).min(3.0) } else { 0.0 };
    }
    let ((a, ea), (b, eb)) = (moments(&inside), moments(&outside));
    let error = (ea + eb).sqrt();
    if error > 1e-12 { (a - b) / error } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::annotation::SpeechTurn;
    use crate::face::{BoundingBox, Quality, Track};
    use crate::time::Seconds;

    /// Two people seen for 20 s at 10 Hz; each one's mouth moves inside the given stretch.
    fn faces(moves: &[(f64, f64)]) -> Faces {
        let mut observations = Vec::new();
        for i in 0..200 {
            let t = f64::from(i) / 10.0;
            for (k, &(a, b)) in moves.iter().enumerate() {
                let opening = if t >= a && t < b && i % 2 == 0 { 0.3 + 0.01 * (i % 7) as f32 } else { 0.05 + 0.002 * (i % 3) as f32 };
                observations.push(Observation {
                    pts: Seconds::of(t),
                    track: k as u32 + 1,
                    bounds: BoundingBox::default(),
                    score: 1.0,
                    presence: 1.0,
                    blendshapes: None,
                    pose: None,
                    gaze: None,
                    expression: None,
                    eye_opening_left: None,
                    eye_opening_right: None,
                    mouth_opening: Some(opening),
                    quality: Quality::default(),
                    landmarks: None,
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
        let turn = |&(a, b, s): &(f64, f64, &str)| SpeechTurn { segment: Segment::from_secs(a, b).unwrap(), speaker: s.into() };
        Annotation::new(turns.iter().map(turn).collect())
    }

    #[test]
    fn a_voice_is_the_person_whose_mouth_moves_with_it() {
        let c = cast(&speech(&[(0.0, 10.0, "S0"), (10.0, 20.0, "S1")]), &faces(&[(10.0, 20.0), (0.0, 10.0)]), &TurnsConfig::default());
        assert_eq!(c.person_of("S0"), Some("P2"));
        assert_eq!(c.person_of("S1"), Some("P1"));
        assert!(c.members.iter().all(|m| m.confidence.unwrap() > 0.9));
    }

    #[test]
    fn a_voice_without_a_moving_mouth_is_off_screen() {
        let c = cast(&speech(&[(0.0, 10.0, "S0"), (10.0, 20.0, "S1")]), &faces(&[(0.0, 10.0)]), &TurnsConfig::default());
        assert_eq!(c.person_of("S0"), Some("P1"));
        assert_eq!(c.person_of("S1"), None);
        assert!(cast(&speech(&[(0.0, 10.0, "S0")]), &Faces::default(), &TurnsConfig::default()).person_of("S0").is_none());
        assert!(cast(&Annotation::default(), &faces(&[(0.0, 1.0)]), &TurnsConfig::default()).members.is_empty());
    }
}
