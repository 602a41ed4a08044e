use super::*;
use crate::annotation::SpeechTurn;
use crate::face::{BoundingBox, Observation, Track};

fn cast(annotation: &Annotation, faces: &Faces, acoustics: &Acoustics, config: &TurnsConfig) -> Cast {
    super::cast(annotation, faces, acoustics, config).unwrap()
}

/// Two people seen for 20 s at 10 Hz; each one's mouth moves inside the given stretch.
fn faces(moves: &[(f64, f64)]) -> Faces {
    let mut observations = Vec::new();
    for i in 0..200 {
        let t = f64::from(i) / 10.0;
        for (k, &(a, b)) in moves.iter().enumerate() {
            let opening =
                if t >= a && t < b && i % 2 == 0 { 0.3 + 0.01 * (i % 7) as f32 } else { 0.05 + 0.002 * (i % 3) as f32 };
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
        .map(|id| Track::bare(id, Some(&format!("P{id}")), (Seconds::ZERO, Seconds::of(20.0)), 200))
        .collect();
    let persons = (1..=moves.len()).map(|k| format!("P{k}")).collect();
    let sampled = (0..200).map(|i| Seconds::of(f64::from(i) / 10.0)).collect();
    Faces { observations: observations.into(), tracks, persons, sampled, ..Faces::default() }
}

fn speech(turns: &[(f64, f64, &str)]) -> Annotation {
    let turn =
        |&(a, b, s): &(f64, f64, &str)| SpeechTurn { segment: Segment::from_secs(a, b).unwrap(), speaker: s.into() };
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
    let open = |o: &mut Observation| o.mouth_opening = Some(mouths[o.track as usize - 1](o.pts.get()) as f32);
    faces.observations.edit(|all| all.iter_mut().for_each(open));
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
    let c =
        cast(&speech(&[(0.0, 10.0, "S0")]), &seen(&[&chews, &laughs, &nods]), &syllables(), &TurnsConfig::default());
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

/// A mouth that talks: it varies by about 0.06 within a second.
fn talking(t: f64) -> f64 {
    0.1 + 0.08 * (t * 23.0).sin()
}

/// A resting mouth, with what landmarks tremble.
fn still(t: f64) -> f64 {
    0.03 + 0.004 * (t * 17.0).sin()
}

#[test]
fn of_two_who_are_seen_the_one_whose_mouth_moves_speaks_even_without_a_pause_to_compare_with() {
    let faces = seen(&[&still, &talking]);
    let c = cast(&speech(&[(0.0, 20.0, "S0")]), &faces, &Acoustics::default(), &TurnsConfig::default());
    assert_eq!(c.person_of("S0"), Some("P2"));
    let (person, probability) = c.person_during("S0", Segment::from_secs(3.0, 4.0).unwrap()).unwrap();
    assert!(person == Some("P2") && probability > 0.95, "{person:?} {probability}");
    let told = &c.stretches[0];
    assert_eq!(told.persons.iter().map(|p| p.0.as_str()).collect::<Vec<_>>(), ["P1", "P2"]);
    assert!(told.persons[0].1 < 0.05 && told.segment.duration() <= LONGEST_SECS);
}

#[test]
fn a_brief_turn_is_cast_by_its_mouths_at_every_rate() {
    for every in [1, 2] {
        let mut faces = seen(&[&|t| if (2.0..3.2).contains(&t) { talking(t) } else { still(t) }, &still]);
        faces.observations.edit(|all| all.retain(|o| ((o.pts.get() * 10.0).round() as usize).is_multiple_of(every)));
        faces.sampled = faces.sampled.iter().copied().step_by(every).collect();
        let c = cast(&speech(&[(2.0, 3.2, "S0")]), &faces, &Acoustics::default(), &TurnsConfig::default());
        assert_eq!(c.person_of("S0"), Some("P1"), "every {every}");
    }
}

#[test]
fn while_the_camera_shows_a_listener_the_speaker_is_off_screen() {
    // P1 talks for 12 s, of which P2, who listens, is shown alone from 6 s on.
    let mut faces = seen(&[&talking, &still]);
    faces.observations.edit(|all| all.retain(|o| (o.track == 1) == (o.pts.get() < 6.0)));
    faces.cuts = vec![Seconds::of(6.0)];
    let c = cast(&speech(&[(0.0, 12.0, "S0")]), &faces, &Acoustics::default(), &TurnsConfig::default());
    assert_eq!(c.person_of("S0"), Some("P1"));
    let during = |a: f64, b: f64| c.person_during("S0", Segment::from_secs(a, b).unwrap()).unwrap();
    assert_eq!(during(0.0, 6.0).0, Some("P1"));
    let (person, probability) = during(6.0, 12.0);
    assert!(person.is_none() && probability > 0.9, "{person:?} {probability}");
    assert_eq!(c.person_during("S0", Segment::from_secs(15.0, 16.0).unwrap()), None, "nothing is heard there");
}

#[test]
fn the_voices_history_decides_where_the_face_is_too_small_to_measure() {
    let mut faces = seen(&[&talking, &still]);
    let late = |o: &&mut Observation| o.pts.get() >= 10.0;
    faces.observations.edit(|all| all.iter_mut().filter(late).for_each(|o| o.mouth_opening = None));
    let turns = speech(&[(0.0, 8.0, "S0"), (11.0, 14.0, "S0")]);
    let c = cast(&turns, &faces, &Acoustics::default(), &TurnsConfig::default());
    let (person, probability) = c.person_during("S0", Segment::from_secs(11.0, 14.0).unwrap()).unwrap();
    assert!(person == Some("P1") && probability > 0.6, "{person:?} {probability}");
}

#[test]
fn a_voice_that_is_two_peoples_is_told_stretch_by_stretch() {
    let first = |t: f64| if t < 8.0 { talking(t) } else { still(t) };
    let second = |t: f64| if t >= 8.0 { talking(t) } else { still(t) };
    let c = cast(
        &speech(&[(0.0, 8.0, "S0"), (8.0, 16.0, "S0")]),
        &seen(&[&first, &second]),
        &Acoustics::default(),
        &TurnsConfig::default(),
    );
    let during = |a: f64, b: f64| c.person_during("S0", Segment::from_secs(a, b).unwrap()).unwrap().0;
    assert_eq!((during(0.5, 7.5), during(8.5, 15.5)), (Some("P1"), Some("P2")));
}

#[test]
fn two_talk_at_once_each_with_the_own_mouth() {
    let c = cast(
        &speech(&[(0.0, 10.0, "S0"), (4.0, 14.0, "S1")]),
        &seen(&[&|t| if t < 10.0 { talking(t) } else { still(t) }, &|t| {
            if (4.0..14.0).contains(&t) { talking(t + 0.3) } else { still(t) }
        }]),
        &Acoustics::default(),
        &TurnsConfig::default(),
    );
    assert_eq!((c.person_of("S0"), c.person_of("S1")), (Some("P1"), Some("P2")));
    let both = Segment::from_secs(5.0, 9.0).unwrap();
    assert_eq!(c.person_during("S0", both).unwrap().0, Some("P1"));
    assert_eq!(c.person_during("S1", both).unwrap().0, Some("P2"));
}

#[test]
fn turns_are_cut_at_shots_and_into_parts() {
    let whole = Segment::from_secs(1.0, 12.0).unwrap();
    let cuts = [Seconds::of(0.5), Seconds::of(3.0), Seconds::of(20.0)];
    let parts: Vec<(f64, f64)> = cut(whole, &cuts).iter().map(|s| (s.start().get(), s.end().get())).collect();
    assert_eq!(parts, [(1.0, 3.0), (3.0, 6.0), (6.0, 9.0), (9.0, 12.0)]);
    let point = Segment::from_secs(2.0, 2.0).unwrap();
    assert_eq!(cut(point, &cuts).len(), 1);
}
