//! Who follows whom in made talks.

use super::moves::{body_on_grid, level_while_speaking};
use super::*;
use crate::annotation::{Annotation, SpeechTurn, Turn};
use crate::audio::Acoustics;
use crate::body::Bodies;
use crate::face::{BLENDSHAPES, BoundingBox, Faces, HeadPose, Observation, Quality, Track};
use crate::random::Random;
use crate::table::{ColumnData, Kind};
use crate::time::{Seconds, Segment};
use crate::turns::bodies::{BodyMotion, body_turns, made_body};
use crate::turns::{BodiesSeen, SpeakerLink, TurnsConfig, dyads_table};

/// Smiles and heads that wander; the second face does what the first did 0.4 s before (heads go their own ways).
fn faces(secs: usize) -> Faces {
    let n = secs * 10;
    let mut random = Random::seeded(3);
    let mut draw = || 0.5 * random.signed();
    let mut wander = |size: f64| {
        let mut x = 0.0;
        (0..n + 4)
            .map(|_| {
                x = 0.9 * x + size * draw();
                x
            })
            .collect::<Vec<f64>>()
    };
    let (smile, heads) = (wander(0.2), [wander(4.0), wander(4.0)]);
    let places =
        BLENDSHAPES.iter().enumerate().filter(|(_, b)| b.starts_with("mouthSmile")).map(|(i, _)| i).collect::<Vec<_>>();
    let mut observations = Vec::new();
    for i in 0..n {
        for track in [1u32, 2] {
            let mut shapes = [0.0f32; 52];
            places.iter().for_each(|&p| shapes[p] = (0.4 + smile[if track == 1 { i + 4 } else { i }]) as f32);
            observations.push(Observation {
                blendshapes: Some(shapes),
                lip_corner_lift: Some(0.1),
                expression: Some([0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0]),
                pose: Some(HeadPose { yaw_deg: heads[track as usize - 1][i] as f32, pitch_deg: 0.0, roll_deg: 0.0 }),
                quality: Quality { size_px: 100.0, sharpness: 1.0, in_frame: 1.0 },
                ..Observation::bare(
                    Seconds::of(0.1 * i as f64),
                    track,
                    BoundingBox::from_corners(300.0 * track as f32, 0.0, 300.0 * track as f32 + 100.0, 100.0),
                )
            });
        }
    }
    let track = |id: u32| Track::bare(id, Some(&format!("P{id}")), (Seconds::ZERO, Seconds::of(secs as f64)), n);
    let sampled = (0..n).map(|i| Seconds::of(0.1 * i as f64)).collect();
    Faces {
        observations: observations.into(),
        tracks: vec![track(1), track(2)],
        persons: vec!["P1".into(), "P2".into()],
        sampled,
        ..Faces::default()
    }
}

fn turns(secs: usize) -> Vec<Turn> {
    let turn = |i: usize| Turn {
        index: i as u32 + 1,
        segment: Segment::from_secs(5.0 * i as f64, 5.0 * i as f64 + 4.5).unwrap(),
        speaker: Some(["A", "B"][i % 2].into()),
        text: String::new(),
        words: Vec::new(),
    };
    (0..secs / 5).map(turn).collect()
}

fn links() -> BTreeMap<String, SpeakerLink> {
    let link = |v: &str, p: &str| SpeakerLink { voice: Some(v.into()), person: Some(p.into()) };
    [("A".to_owned(), link("S0", "P1")), ("B".to_owned(), link("S1", "P2"))].into_iter().collect()
}

fn floats(table: &Table, name: &str) -> Vec<f64> {
    match table.column(name) {
        Some(ColumnData::F64(v)) => v.clone(),
        other => panic!("{other:?}"),
    }
}

fn texts(table: &Table, name: &str) -> Vec<String> {
    match table.column(name) {
        Some(ColumnData::Str(v)) => v.iter().map(|x| x.clone().unwrap_or_default()).collect(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn who_smiles_after_whom_is_told_and_heads_that_do_not_follow_are_not() {
    let (faces, turns, links, config) = (faces(600), turns(600), links(), TurnsConfig::default());
    let relations = Relations { faces: &faces, ..Relations::of("i", &turns, &links, &config) };
    let begun = std::time::Instant::now();
    let t = synchrony_table(&relations).unwrap();
    eprintln!("synchrony of 10 minutes and one pair: {:.3} s", begun.elapsed().as_secs_f64());
    assert_eq!(t.rows(), 12);
    assert_eq!(texts(&t, "signal")[..6], ["smile", "head_motion", "level_to_head_motion", "pitch", "level", "rate"]);
    let (z, lag, missing) = (floats(&t, "z"), floats(&t, "lag_secs"), texts(&t, "missing"));
    assert!(z[0] > 5.0 && (lag[0] - 0.4).abs() < 1e-9, "{z:?} {lag:?}");
    assert!(z[6] < z[0], "the leader does not follow");
    // One draw each; that 95 of 100 stay within 2 is told in `lagged`.
    assert!(z[1].abs() < 3.0 && z[7].abs() < 3.0, "{z:?}");
    assert_eq!(missing[2], "no_stream");
    // The whole interview is in every value: no task may use it.
    assert!(
        t.schema()
            .columns
            .iter()
            .filter(|c| c.kind == Kind::F64 && c.name != "window_secs")
            .all(|c| c.cut_off == CutOff::Interview)
    );

    // So far, turn by turn: the same answer, and what comes later changes nothing.
    let begun = std::time::Instant::now();
    let dyads = dyads_table(&relations).unwrap();
    eprintln!("dyads of 120 turns: {:.3} s", begun.elapsed().as_secs_f64());
    let (z, lag) = (floats(&dyads, "smile_synchrony_z"), floats(&dyads, "smile_synchrony_lag_secs"));
    assert!(z[..24].iter().all(|v| v.is_nan()), "eight windows are not whole in two minutes");
    // B listens to A in even rows.
    assert!(z[118] > 5.0 && (lag[118] - 0.4).abs() < 1e-9, "{:?}", &z[110..]);
    let half = super::tests::faces(600);
    let cut = turns[59].segment.end();
    let half = Faces { observations: half.observations.all().into_iter().filter(|o| o.pts < cut).collect(), ..half };
    let before = dyads_table(&Relations { faces: &half, ..Relations::of("i", &turns[..60], &links, &config) }).unwrap();
    for spec in before.schema().columns.iter().filter(|c| c.kind == Kind::F64 && c.cut_off != CutOff::Interview) {
        let (a, b) = (floats(&before, &spec.name), floats(&dyads, &spec.name));
        assert_eq!(format!("{:?}", &a[..60]), format!("{:?}", &b[..60]), "{}", spec.name);
    }
}

#[test]
fn the_level_is_of_the_speaker_alone() {
    let voice = |a: f64, b: f64, s: &str| SpeechTurn { segment: Segment::from_secs(a, b).unwrap(), speaker: s.into() };
    let annotation = Annotation::new(vec![voice(0.5, 2.0, "S0"), voice(1.5, 3.0, "S1")]);
    let acoustics = Acoustics { level_db: vec![-20.0; 400], voiced: vec![true; 400], ..Acoustics::default() };
    let level = level_while_speaking("S0", &annotation, &acoustics, 4.0);
    let heard: Vec<usize> = (0..level.len()).filter(|&i| level[i].is_finite()).collect();
    assert_eq!((heard[0], heard[heard.len() - 1]), (6, 14));
    assert!((level[10] + 20.0).abs() < 1e-6);
}

#[test]
fn whoever_is_off_the_screen_is_told_so_in_both_roles() {
    let (faces, turns, mut links, config) = (faces(60), turns(60), links(), TurnsConfig::default());
    links.insert("A".into(), SpeakerLink { voice: Some("S0".into()), person: None });
    let relations = Relations { faces: &faces, ..Relations::of("i", &turns, &links, &config) };
    let table = synchrony_table(&relations).unwrap();
    let (from, signal, missing) = (texts(&table, "from"), texts(&table, "signal"), texts(&table, "missing"));
    for leader in ["A", "B"] {
        let row = (0..table.rows()).find(|&i| from[i] == leader && signal[i] == "smile").unwrap();
        assert_eq!(missing[row], "not_cast", "{leader} leads");
    }
}

/// Two people who sway; the second does what the first did 0.5 s before. Looks every 0.25 s.
fn swaying(secs: usize) -> Bodies {
    let mut random = Random::seeded(7);
    let mut x = 0.0;
    let places: Vec<f64> = (0..secs * 4 + 2)
        .map(|_| {
            x = 0.8 * x + 10.0 * random.signed();
            x
        })
        .collect();
    let of = |i: usize, track: u32| {
        let moved = places[if track == 1 { i + 2 } else { i }];
        made_body(0.25 * i as f64, track, &format!("P{track}"), 300.0 * track as f32 + moved as f32)
    };
    let observations: Vec<_> = (0..secs * 4).flat_map(|i| [of(i, 1), of(i, 2)]).collect();
    let sampled = (0..secs * 4).map(|i| Seconds::of(0.25 * i as f64)).collect();
    Bodies { observations, sampled, ..Bodies::default() }
}

#[test]
fn a_body_that_moves_after_another_follows_it_and_the_listeners_body_is_told() {
    let (faces, turns, links, config) = (faces(300), turns(300), links(), TurnsConfig::default());
    let bodies = swaying(300);
    let of_turns = body_turns(&turns, &bodies, &faces, &config);
    let plain = Relations { faces: &faces, ..Relations::of("i", &turns, &links, &config) };
    let relations = Relations { bodies: Some(BodiesSeen { all: &bodies, turns: &of_turns }), ..plain };
    let table = synchrony_table(&relations).unwrap();
    let (signal, z, lag) = (texts(&table, "signal"), floats(&table, "z"), floats(&table, "lag_secs"));
    let rows: Vec<usize> = (0..table.rows()).filter(|&i| signal[i] == "body_motion").collect();
    assert_eq!(rows.len(), 2);
    assert!(z[rows[0]] > 5.0 && (lag[rows[0]] - 0.5).abs() < 1e-9, "{z:?} {lag:?}");
    assert!(z[rows[1]] < z[rows[0]], "the leader does not follow");
    assert!(!texts(&synchrony_table(&plain).unwrap(), "signal").contains(&"body_motion".to_owned()));

    let (with, without) = (dyads_table(&relations).unwrap(), dyads_table(&plain).unwrap());
    assert!(without.column("listener_body_missing").is_none());
    // B listens to A in the first row: P2's body is told, as in turn_bodies.
    let shares = floats(&with, "listener_body_presence_share");
    assert!((shares[0] - 1.0).abs() < 1e-9 && texts(&with, "listener_body_missing")[0].is_empty(), "{shares:?}");
    let speeds = floats(&with, "listener_hand_speed_mean");
    let own = of_turns.iter().find(|b| b.turn == 0 && b.person == "P2").unwrap();
    assert_eq!(Some(speeds[0]), own.hand_speed(), "the listener's own");
}

#[test]
fn the_speed_of_a_body_stands_from_look_to_look_and_nowhere_else() {
    let motion = |from: f64, to: f64, speed: f64| BodyMotion { from, to, speed };
    let grid = body_on_grid(&[motion(0.1, 0.35, 2.0), motion(0.35, 0.6, 1.0), motion(5.0, 9.0, 3.0)], 1.0);
    let told: Vec<Option<f64>> = grid.iter().map(|v| v.is_finite().then_some(*v)).collect();
    let (none, one, two) = (None, Some(1.0), Some(2.0));
    assert_eq!(told, [none, two, two, two, one, one, none, none, none, none, none]);
}
