//! Tests of `face_statistics`.

use super::*;
use crate::face::{BoundingBox, Quality};
use crate::time::{Seconds, Segment};

fn observation(t: f64, smile: f32, size_px: f32) -> Observation {
    let mut blendshapes = [0.0; 52];
    blendshapes[1] = smile;
    Observation {
        blendshapes: Some(blendshapes),
        quality: Quality { size_px, sharpness: 1.0, ..Quality::default() },
        ..Observation::bare(Seconds::of(t), 1, BoundingBox::default())
    }
}

#[test]
fn statistics_of_a_known_ramp() {
    let all: Vec<Observation> = (0..5).map(|i| observation(f64::from(i), 0.2 * i as f32, 100.0)).collect();
    let seen: Vec<&Observation> = all.iter().collect();
    let q = &quantities()[1];
    let v = statistics(&seen, q, 0.3);
    let expected = [0.4, 0.1f64.sqrt(), 0.08, 0.4, 0.72, 0.8, 0.2, 0.6];
    for (a, b) in v.iter().zip(expected) {
        assert!((a - b).abs() < 1e-6, "{v:?}");
    }
    assert!(statistics(&[], q, 0.3).iter().all(|x| x.is_nan()));
    assert!(statistics(&seen[..1], q, 0.3)[1].is_nan(), "one value has no spread");
}

#[test]
fn column_names_and_values_are_as_many() {
    let seen = observation(0.0, 0.5, 100.0);
    let values: usize = quantities().iter().map(|q| statistics(&[&seen], q, 0.3).len()).sum();
    assert_eq!(values, statistic_specs().len());
    assert_eq!(
        FaceTurn::place("blendshape_mouthSmileLeft", "mean").map(|i| statistic_specs()[i].name.to_string()).as_deref(),
        Some("blendshape_mouthSmileLeft_mean")
    );
    assert_eq!(FaceTurn::place("blendshape_mouthSmileLeft", "median"), None);
}

#[test]
fn small_faces_are_left_out_and_counted() {
    use crate::face::Track;
    let faces = Faces {
        observations: vec![observation(0.0, 0.5, 100.0), observation(0.5, 0.9, 10.0)].into(),
        tracks: vec![Track { mean_size_px: 55.0, ..Track::bare(1, Some("P1"), (Seconds::ZERO, Seconds::of(0.5)), 2) }],
        persons: vec!["P1".into()],
        sampled: (0..4).map(|i| Seconds::of(f64::from(i) * 0.5)).collect(),
        ..Faces::default()
    };
    let turn = Turn {
        index: 1,
        segment: Segment::from_secs(0.0, 2.0).unwrap(),
        speaker: None,
        text: String::new(),
        words: Vec::new(),
    };
    let found = face_turns(&[turn], &faces, &TurnsConfig::default()).unwrap();
    assert_eq!((found[0].observations, found[0].left_out), (1, 1));
    assert!((found[0].presence_share - 0.5).abs() < 1e-9);
}

#[test]
fn a_nod_is_told_by_what_is_seen_in_the_turn_alone() {
    use crate::face::{HeadPose, Track};
    // A nod of 1.5 Hz from 1.5 to 2.5 s, of which a turn to 2.05 s holds the first half.
    let pitch =
        |t: f64| if (1.5..2.5).contains(&t) { 6.0 * ((t - 1.5) * 1.5 * std::f64::consts::TAU).sin() } else { 0.0 };
    let faces = |until: f64| {
        let times: Vec<f64> = (0..40).map(|i| f64::from(i) / 10.0).filter(|t| *t < until).collect();
        let seen = |t: &f64| Observation {
            pose: Some(HeadPose { pitch_deg: pitch(*t) as f32, ..HeadPose::default() }),
            ..observation(*t, 0.5, 100.0)
        };
        Faces {
            observations: times.iter().map(seen).collect(),
            tracks: vec![Track::bare(1, Some("P1"), (Seconds::ZERO, Seconds::of(until)), 40)],
            persons: vec!["P1".into()],
            sampled: times.iter().map(|t| Seconds::of(*t)).collect(),
            ..Faces::default()
        }
    };
    let nods = |faces: &Faces, start: f64, end: f64| {
        let segment = Segment::from_secs(start, end).unwrap();
        let turn = Turn { index: 1, segment, speaker: None, text: String::new(), words: Vec::new() };
        face_turns(&[turn], faces, &TurnsConfig::default()).unwrap()[0].nods
    };
    assert_eq!((nods(&faces(4.0), 0.0, 4.0), nods(&faces(4.0), 0.0, 1.4)), (Some(1), Some(0)));
    // What comes after the turn's end changes nothing, wherever it ends.
    for end in (10..30).map(|tenth| 0.1 * f64::from(tenth) + 0.05) {
        assert_eq!(nods(&faces(4.0), 0.0, end), nods(&faces(end), 0.0, end), "{end}");
    }
    // A turn that holds the middle of the nod alone sees none of it.
    assert_eq!(nods(&faces(4.0), 1.95, 2.05), Some(0));
}
