use super::*;
use crate::body::body_point::{EARS, ELBOWS, INDEXES, NOSE, SHOULDERS, WRISTS};
use crate::body::{BODY_POINTS, BodyObservation, BodyPoint, HAND_POINTS, HandObservation, Head, Side};
use crate::face::{BoundingBox, Observation, Shot, Track};
use crate::table::ColumnData;
use crate::time::Seconds;

/// Upright, facing the camera, shoulders 100 px apart, hands in the lap and seen.
pub(in crate::turns) fn body(at: f64, id: u32, person: &str, x: f32) -> BodyObservation {
    let mut points = [BodyPoint::default(); BODY_POINTS];
    let mut put = |k: usize, dx: f32, y: f32| points[k] = BodyPoint { x: x + dx, y, z: 0.0, visibility: 1.0 };
    put(NOSE, 0.0, 100.0);
    put(EARS[0], 30.0, 100.0);
    put(EARS[1], -30.0, 100.0);
    put(SHOULDERS[0], 50.0, 200.0);
    put(SHOULDERS[1], -50.0, 200.0);
    put(ELBOWS[0], 60.0, 300.0);
    put(ELBOWS[1], -60.0, 300.0);
    put(WRISTS[0], 40.0, 380.0);
    put(WRISTS[1], -40.0, 380.0);
    put(INDEXES[0], 40.0, 395.0);
    put(INDEXES[1], -40.0, 395.0);
    BodyObservation {
        pts: Seconds::of(at),
        body: id,
        person: Some(person.into()),
        head: Some(Head { track: id, bounds: [x - 30.0, 60.0, x + 30.0, 140.0] }),
        presence: 1.0,
        region: [0.0; 4],
        in_frame: 1.0,
        bounds: [-1e4, 0.0, 1e4, 1e4],
        points,
    }
}

pub(super) fn hand(at: f64, id: u32, side: Side, wrist: (f32, f32), tip: (f32, f32)) -> HandObservation {
    let mut points = [[wrist.0, wrist.1, 0.0]; HAND_POINTS];
    points[7] = [tip.0, tip.1, 0.0];
    points[8] = [tip.0, tip.1, 0.0];
    HandObservation { pts: Seconds::of(at), body: id, person: None, side, presence: 1.0, side_score: 1.0, points }
}

pub(super) fn turn(index: u32, start: f64, end: f64) -> Turn {
    Turn {
        index,
        segment: Segment::new(Seconds::of(start), Seconds::of(end)).unwrap(),
        speaker: None,
        text: String::new(),
        words: Vec::new(),
    }
}

/// Looks every 0.25 s for so long.
pub(super) fn times(secs: f64) -> Vec<f64> {
    (0..(4.0 * secs) as usize).map(|i| 0.25 * i as f64).collect()
}

pub(super) fn bodies(observations: Vec<BodyObservation>, hands: Vec<HandObservation>) -> Bodies {
    let mut sampled: Vec<Seconds> = observations.iter().map(|o| o.pts).collect();
    sampled.dedup();
    Bodies { observations, hands, sampled }
}

pub(super) fn told(bodies: &Bodies, turns: &[Turn]) -> Vec<BodyTurn> {
    body_turns(turns, bodies, &Faces::default(), &TurnsConfig::default())
}

pub(super) fn near(a: Option<f64>, b: f64) -> bool {
    a.is_some_and(|a| (a - b).abs() < 1e-6)
}

#[test]
fn a_resting_body_is_still_and_its_posture_is_told() {
    let all = bodies(times(10.0).into_iter().map(|t| body(t, 1, "P1", 200.0)).collect(), Vec::new());
    let rows = told(&all, &[turn(1, 0.0, 4.0), turn(2, 4.0, 10.0), turn(3, 20.0, 21.0)]);
    assert_eq!(rows.len(), 2, "nobody is looked at in the third turn");
    let row = &rows[1];
    assert_eq!((row.looks, row.missing, row.hands_missing), (Some(24), None, None));
    assert!(near(row.posture.still_share, 1.0) && near(row.posture.neck, 1.0) && near(row.posture.trunk_speed, 0.0));
    assert!(near(row.posture.shoulder_tilt_deg, 0.0) && near(row.posture.crossed_share, 0.0));
    assert!(near(row.posture.forward_share, 0.0) && row.posture.lean_side_deg.is_none(), "hips are not seen");
    assert!(near(row.hands.both_share, 1.0) && near(row.hands.strokes_per_min, 0.0));
    assert!(near(row.touch.face_share, 0.0) && row.touch.face_events == Some(0) && row.touch.region.is_none());
    assert_eq!(row.distance_missing, Some(Missing::NotTogether));
    assert!(rows[0].posture.forward_share.is_none(), "16 looks are too few for a median");
}

#[test]
fn leaning_and_raised_shoulders_are_told_against_the_persons_own_median_so_far() {
    let mut observations: Vec<_> = times(12.0).into_iter().map(|t| body(t, 1, "P1", 200.0)).collect();
    for o in observations.iter_mut().filter(|o| o.pts.get() >= 10.0) {
        o.head = Some(Head { track: 1, bounds: [160.0, 50.0, 240.0, 150.0] });
        for k in EARS {
            o.points[k].y = 120.0;
        }
    }
    let turns = [turn(1, 0.0, 10.0), turn(2, 10.0, 12.0)];
    let rows = told(&bodies(observations.clone(), Vec::new()), &turns);
    assert!(near(rows[0].posture.forward_share, 0.0) && near(rows[1].posture.forward_share, 1.0), "{rows:?}");
    assert!(near(rows[1].posture.raised_share, 1.0) && near(rows[1].posture.back_share, 0.0));
    // What comes later changes nothing.
    let rest = observations.iter().filter(|o| o.pts.get() < 10.0).cloned().collect();
    assert_eq!(told(&bodies(rest, Vec::new()), &turns[..1])[0], rows[0]);
}

#[test]
fn crossed_arms_and_joined_hands() {
    let mut crossed: Vec<_> = times(2.0).into_iter().map(|t| body(t, 1, "P1", 200.0)).collect();
    for o in &mut crossed {
        for (k, x) in [(WRISTS[0], 150.0), (WRISTS[1], 250.0)] {
            o.points[k] = BodyPoint { x, y: 290.0, z: 0.0, visibility: 1.0 };
        }
    }
    let row = &told(&bodies(crossed.clone(), Vec::new()), &[turn(1, 0.0, 2.0)])[0];
    assert!(near(row.posture.crossed_share, 1.0) && near(row.hands.together_share, 0.0), "{row:?}");
    for o in &mut crossed {
        for (k, x) in [(WRISTS[0], 210.0), (WRISTS[1], 190.0)] {
            o.points[k] = BodyPoint { x, y: 350.0, z: 0.0, visibility: 1.0 };
        }
    }
    let row = &told(&bodies(crossed, Vec::new()), &[turn(1, 0.0, 2.0)])[0];
    assert!(near(row.posture.crossed_share, 0.0) && near(row.hands.together_share, 1.0), "{row:?}");
}

#[test]
fn a_hand_at_the_face_is_one_event_where_it_has_lasted() {
    let observations: Vec<_> = times(6.0).into_iter().map(|t| body(t, 1, "P1", 200.0)).collect();
    // At the chin from 1.75 s to 4 s, and for one look at 5 s.
    let at_face = |t: f64| (1.75..4.0).contains(&t) || (t - 5.0).abs() < 0.1;
    let held =
        |t: f64| hand(t, 1, Side::Left, (210.0, 180.0), if at_face(t) { (205.0, 132.0) } else { (300.0, 350.0) });
    let hands = times(6.0).into_iter().map(held).collect();
    let rows = told(&bodies(observations, hands), &[turn(1, 0.0, 2.0), turn(2, 2.0, 6.0)]);
    assert_eq!(rows.iter().map(|r| r.touch.face_events).collect::<Vec<_>>(), [Some(0), Some(1)]);
    assert!(near(rows[0].touch.face_share, 0.125) && near(rows[1].touch.face_share, 9.0 / 16.0), "{rows:?}");
    assert_eq!(rows[1].touch.region, Some(FaceRegion::Chin));
    // No hand is found, but the body's own knuckle is at the mouth.
    let mut covered: Vec<_> = times(2.0).into_iter().map(|t| body(t, 1, "P1", 200.0)).collect();
    for o in &mut covered {
        o.points[INDEXES[1]] = BodyPoint { x: 200.0, y: 120.0, z: 0.0, visibility: 0.9 };
    }
    let row = &told(&bodies(covered, Vec::new()), &[turn(1, 0.0, 2.0)])[0];
    assert!(near(row.touch.face_share, 1.0) && row.touch.region == Some(FaceRegion::Mouth), "{row:?}");
}

#[test]
fn a_fingertip_alone_and_a_wrist_that_is_guessed_are_no_touch_and_no_hand() {
    let observations: Vec<_> = times(2.0).into_iter().map(|t| body(t, 1, "P1", 200.0)).collect();
    let mut hands: Vec<_> =
        times(2.0).into_iter().map(|t| hand(t, 1, Side::Left, (210.0, 180.0), (205.0, 132.0))).collect();
    hands.iter_mut().for_each(|h| h.points[7] = h.points[0]);
    let row = &told(&bodies(observations.clone(), hands), &[turn(1, 0.0, 2.0)])[0];
    assert!(near(row.touch.face_share, 0.0), "one fingertip is as near as landmarks err: {row:?}");
    // Hands under a table: wrists that the model half sees.
    let mut guessed = observations.clone();
    guessed.iter_mut().for_each(|o| WRISTS.into_iter().for_each(|k| o.points[k].visibility = 0.7));
    let row = &told(&bodies(guessed, Vec::new()), &[turn(1, 0.0, 2.0)])[0];
    assert_eq!((row.hands.visible_share, row.hands_missing), (Some(0.0), Some(Missing::HandsOutOfPicture)));
    // A wrist beyond the tile is in another camera's picture.
    let mut beyond = observations;
    beyond.iter_mut().for_each(|o| o.bounds = [0.0, 0.0, 230.0, 1e4]);
    let row = &told(&bodies(beyond, Vec::new()), &[turn(1, 0.0, 2.0)])[0];
    assert!(near(row.hands.visible_share, 1.0) && near(row.hands.both_share, 0.0), "{row:?}");
}

#[test]
fn a_wrist_at_anothers_hand_is_no_hand_of_ones_own() {
    // The model takes the arm of the second for the first's left one; the hand is given to the second.
    let (mut all, mut hands) = (Vec::new(), Vec::new());
    for t in times(2.0) {
        all.extend([body(t, 1, "P1", 200.0), body(t, 2, "P2", 500.0)]);
        hands.push(hand(t, 2, Side::Right, (245.0, 375.0), (260.0, 330.0)));
    }
    let rows = told(&bodies(all.clone(), hands.clone()), &[turn(1, 0.0, 2.0)]);
    assert!(near(rows[0].hands.visible_share, 1.0) && near(rows[0].hands.both_share, 0.0), "{rows:?}");
    assert!(near(rows[1].hands.both_share, 1.0), "{rows:?}");
    hands.iter_mut().for_each(|h| h.body = 1);
    hands.iter_mut().for_each(|h| h.side = Side::Left);
    let rows = told(&bodies(all, hands), &[turn(1, 0.0, 2.0)]);
    assert!(near(rows[0].hands.both_share, 1.0), "its own hand is: {rows:?}");
}

#[test]
fn strokes_are_peaks_of_speed_with_rests_between() {
    // The left hand jumps by 60 px every fourth look and rests between.
    let mut observations: Vec<_> = times(6.0).into_iter().map(|t| body(t, 1, "P1", 200.0)).collect();
    for (i, o) in observations.iter_mut().enumerate() {
        if (i / 4) % 2 == 1 {
            o.points[INDEXES[0]].x += 60.0;
        }
        // The whole person moves with the picture: no gesture.
        for p in &mut o.points {
            p.x += 30.0 * i as f32;
        }
    }
    let row = &told(&bodies(observations, Vec::new()), &[turn(1, 0.0, 6.0)])[0];
    // Looks 4, 8, 12, 16, 20 jump: 60 px in 0.25 s are 2.4 shoulder widths a second. 23 steps are 5.75 s.
    assert!(near(row.hands.strokes_per_min, 60.0 * 5.0 / 5.75), "{row:?}");
    assert!(row.hands.peak_speed.is_some_and(|v| (v - 2.4).abs() < 1e-3));
    assert!(row.posture.trunk_speed.is_some_and(|v| (v - 1.2).abs() < 1e-3) && near(row.posture.still_share, 0.0));
}

#[test]
fn what_is_not_seen_has_a_reason() {
    let mut low: Vec<_> = times(1.0).into_iter().map(|t| body(t, 1, "P1", 200.0)).collect();
    low.iter_mut().for_each(|o| o.points[SHOULDERS[0]].visibility = 0.1);
    let row = &told(&bodies(low, Vec::new()), &[turn(1, 0.0, 1.0)])[0];
    assert_eq!((row.missing, row.hands_missing), (Some(Missing::LowQuality), Some(Missing::LowQuality)));
    assert_eq!((row.posture.still_share, row.touch.face_events), (None, None));
    let mut out: Vec<_> = times(1.0).into_iter().map(|t| body(t, 1, "P1", 200.0)).collect();
    out.iter_mut().for_each(|o| WRISTS.into_iter().for_each(|k| o.points[k].visibility = 0.2));
    let row = &told(&bodies(out.clone(), Vec::new()), &[turn(1, 0.0, 1.0)])[0];
    assert_eq!((row.missing, row.hands_missing), (None, Some(Missing::HandsOutOfPicture)));
    assert!(near(row.hands.visible_share, 0.0) && row.hands.strokes_per_min.is_none(), "{row:?}");
    // A face without a body.
    let track = Track { mean_size_px: 50.0, ..Track::bare(9, Some("P2"), (Seconds::ZERO, Seconds::of(1.0)), 1) };
    let faces = Faces {
        observations: vec![Observation::bare(Seconds::of(0.5), 9, BoundingBox::default())].into(),
        tracks: vec![track],
        sampled: vec![Seconds::of(0.5)],
        ..Faces::default()
    };
    let rows = body_turns(&[turn(1, 0.0, 1.0)], &bodies(out, Vec::new()), &faces, &TurnsConfig::default());
    assert_eq!(
        rows.iter().map(|r| (r.person.as_str(), r.missing)).collect::<Vec<_>>(),
        [("P1", None), ("P2", Some(Missing::NoBody))]
    );
}

#[test]
fn distance_is_told_of_people_in_one_picture() {
    let pair = |t: f64| [body(t, 1, "P1", 200.0), body(t, 2, "P2", 500.0 - 20.0 * t as f32)];
    let all = bodies(times(4.0).into_iter().flat_map(pair).collect(), Vec::new());
    let rows = told(&all, &[turn(1, 0.0, 4.0)]);
    assert!(rows.len() == 2 && near(rows[0].distance, rows[1].distance.unwrap()));
    assert!(rows[0].approach.is_some_and(|v| (v - 0.2).abs() < 1e-3), "{rows:?}");
    let shot = Shot { layout: Some(ShotLayout::SplitScreen), ..shot() };
    let faces = Faces { shots: vec![shot], ..Faces::default() };
    let rows = body_turns(&[turn(1, 0.0, 4.0)], &all, &faces, &TurnsConfig::default());
    assert_eq!((rows[0].distance, rows[0].distance_missing), (None, Some(Missing::SplitScreen)));
}

fn shot() -> Shot {
    Shot { first_pts: Seconds::ZERO, size: (640.0, 480.0), lines: None, layout: None }
}

#[test]
fn rows_say_who_speaks() {
    let all = bodies(times(1.0).into_iter().map(|t| body(t, 1, "P1", 200.0)).collect(), Vec::new());
    let turns = [turn(7, 0.0, 1.0)];
    let rows = told(&all, &turns);
    let table = turn_bodies_table("a", &turns, &rows, |_| Some("P1")).unwrap();
    assert_eq!(table.column("role"), Some(&ColumnData::Str(vec![Some("speaker".into())])));
    assert_eq!(table.column("turn_index"), Some(&ColumnData::I64(vec![Some(7)])));
}

#[test]
fn the_speakers_own_body_or_why_there_is_none() {
    let rows = [BodyTurn { person: "P1".into(), looks: Some(3), ..BodyTurn::default() }];
    let of = |person, face| BodyTurn::of_speaker(&rows, person, face);
    assert_eq!(of(Some("P1"), None).looks, Some(3));
    assert_eq!((of(Some("P2"), None).missing, of(Some("P2"), None).looks), (Some(Missing::NoBody), None));
    assert_eq!(of(None, Some(Missing::OffScreen)).hands_missing, Some(Missing::OffScreen));
    assert_eq!(of(None, None).distance_missing, Some(Missing::NotCast), "the only one seen may listen");
}
