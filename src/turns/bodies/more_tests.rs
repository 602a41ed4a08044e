use super::tests::{bodies, body, hand, near, times, told, turn};
use super::*;
use crate::body::body_point::{ELBOWS, INDEXES, SHOULDERS};
use crate::body::{BodyObservation, HandObservation, Side};

fn row(observations: Vec<BodyObservation>, hands: Vec<HandObservation>, secs: f64) -> BodyTurn {
    told(&bodies(observations, hands), &[turn(1, 0.0, secs)]).remove(0)
}

fn sitting(secs: f64) -> Vec<BodyObservation> {
    times(secs).into_iter().map(|t| body(t, 1, "P1", 200.0)).collect()
}

#[test]
fn a_head_rests_on_a_hand_that_has_been_there_for_so_long() {
    let tip = |t: f64| if (1.0..5.0).contains(&t) { (205.0, 132.0) } else { (300.0, 350.0) };
    let hands = times(6.0).into_iter().map(|t| hand(t, 1, Side::Left, (210.0, 180.0), tip(t))).collect();
    let told = row(sitting(6.0), hands, 6.0);
    // From 3 s on, two seconds after it came; looks are 0.25 s apart.
    assert!(near(told.more.head_on_hand_share, 8.0 / 24.0) && told.touch.face_events == Some(1), "{told:?}");
    assert!(near(told.more.hair_share, 0.0));
}

#[test]
fn hands_rest_fidget_or_gesture() {
    let still = row(sitting(4.0), Vec::new(), 4.0);
    assert!(near(still.more.at_rest_share, 1.0) && near(still.more.fidget_share, 0.0), "{still:?}");
    assert!(still.more.stroke_size.is_none(), "no stroke has no size");
    let moved = |by: f32, every: usize| {
        let mut all = sitting(4.0);
        all.iter_mut().enumerate().for_each(|(i, o)| o.points[INDEXES[0]].x += by * (i / every % 2) as f32);
        row(all, Vec::new(), 4.0)
    };
    // 10 px there and back: 0.4 shoulder widths a second.
    let small = moved(10.0, 1);
    assert!(near(small.more.fidget_share, 1.0) && near(small.more.at_rest_share, 0.0), "{small:?}");
    assert!(near(small.hands.strokes_per_min, 0.0));
    let large = moved(80.0, 4);
    assert!(near(large.more.fidget_share, 0.0) && near(large.more.stroke_size, 0.8), "{large:?}");
}

#[test]
fn hands_at_hair_neck_and_arm() {
    let at = |wrist: (f32, f32), tip: (f32, f32)| {
        let hands = times(2.0).into_iter().map(|t| hand(t, 1, Side::Left, wrist, tip)).collect();
        row(sitting(2.0), hands, 2.0).more
    };
    // The face's box is 170 to 230 by 60 to 140.
    let hair = at((320.0, 90.0), (200.0, 40.0));
    assert!(near(hair.hair_share, 1.0) && near(hair.neck_share, 0.0), "{hair:?}");
    let neck = at((320.0, 200.0), (200.0, 160.0));
    assert!(near(neck.neck_share, 1.0) && near(neck.hair_share, 0.0), "{neck:?}");
    // The right arm goes from (150, 200) over (140, 300) to (160, 380); the wrist and the knuckle are one here.
    let arm = at((148.0, 250.0), (140.0, 250.0));
    assert!(near(arm.arm_share, 1.0) && near(arm.neck_share, 0.0), "{arm:?}");
    assert!(near(at((210.0, 300.0), (205.0, 310.0)).arm_share, 0.0));
    // The other elbow is not seen.
    let mut hidden = sitting(1.0);
    hidden.iter_mut().for_each(|o| o.points[ELBOWS[1]].visibility = 0.1);
    let hands = times(1.0).into_iter().map(|t| hand(t, 1, Side::Left, (148.0, 250.0), (140.0, 250.0))).collect();
    assert_eq!(row(hidden, hands, 1.0).more.arm_share, None);
}

#[test]
fn standing_up_and_sitting_down_are_told_once() {
    let mut all = sitting(8.0);
    for o in all.iter_mut().filter(|o| (3.0..6.0).contains(&o.pts.get())) {
        o.points.iter_mut().for_each(|p| p.y -= 150.0);
    }
    let rows = told(&bodies(all, Vec::new()), &[turn(1, 0.0, 4.0), turn(2, 4.0, 8.0)]);
    assert_eq!(
        rows.iter().map(|r| (r.more.rises, r.more.falls)).collect::<Vec<_>>(),
        [(Some(1), Some(0)), (Some(0), Some(1))]
    );
}

#[test]
fn what_is_done_to_and_after_the_other() {
    let (mut all, mut hands) = (Vec::new(), Vec::new());
    for t in times(6.0) {
        let (mut one, mut two) = (body(t, 1, "P1", 200.0), body(t, 2, "P2", 500.0));
        // Both turn to the image's right: one to the other, the other away.
        one.points[SHOULDERS[0]].z = 50.0;
        two.points[SHOULDERS[0]].z = 50.0;
        all.extend([one, two]);
        // One touches the own face and then the other; the other does so after it.
        let tip = if (1.0..2.0).contains(&t) { (205.0, 132.0) } else { (520.0, 250.0) };
        let at = if (1.0..2.0).contains(&t) { (210.0, 180.0) } else { (520.0, 250.0) };
        hands.push(hand(t, 1, Side::Left, at, tip));
        let tip = if (3.0..4.0).contains(&t) { (505.0, 132.0) } else { (700.0, 350.0) };
        hands.push(hand(t, 2, Side::Left, (700.0, 380.0), tip));
    }
    let rows = told(&bodies(all.clone(), hands.clone()), &[turn(1, 0.0, 6.0)]);
    let (one, two) = (&rows[0].more, &rows[1].more);
    assert!(near(one.to_other_share, 1.0) && near(one.from_other_share, 0.0), "{one:?}");
    assert!(near(two.to_other_share, 0.0) && near(two.from_other_share, 1.0), "{two:?}");
    assert!(near(one.touches_other_share, 20.0 / 24.0) && near(two.touches_other_share, 0.0), "{one:?}");
    assert_eq!((one.mirrored_touches, two.mirrored_touches), (Some(0), Some(1)));
    assert_eq!((one.mirrored_leans, two.mirrored_leans), (Some(0), Some(0)));
    // Alone there is nobody to mirror, and nobody to turn to.
    all.retain(|o| o.body == 1);
    hands.retain(|h| h.body == 1);
    let alone = row(all, hands, 6.0);
    assert_eq!((alone.more.mirrored_touches, alone.more.to_other_share), (None, None));
}

#[test]
fn a_lean_after_anothers_is_mirrored_and_what_comes_later_changes_nothing() {
    let larger = |o: &mut BodyObservation, x: f32| {
        o.head = o.head.map(|h| crate::body::Head { bounds: [x - 40.0, 50.0, x + 40.0, 150.0], ..h });
    };
    let (mut first, mut second) = (sitting(14.0), Vec::new());
    first.iter_mut().filter(|o| (8.0..10.0).contains(&o.pts.get())).for_each(|o| larger(o, 200.0));
    for t in times(14.0) {
        let mut o = body(t, 2, "P2", 500.0);
        if (11.0..13.0).contains(&t) {
            larger(&mut o, 500.0);
        }
        second.push(o);
    }
    let mut both: Vec<_> = first.into_iter().chain(second).collect();
    both.sort_by_key(|o| (o.pts, o.body));
    let turns = [turn(1, 0.0, 11.0), turn(2, 11.0, 14.0)];
    let rows = told(&bodies(both.clone(), Vec::new()), &turns);
    let leans: Vec<_> = rows.iter().map(|r| (r.turn, r.person.as_str(), r.more.mirrored_leans)).collect();
    assert_eq!(leans, [(0, "P1", Some(0)), (0, "P2", Some(0)), (1, "P1", Some(0)), (1, "P2", Some(1))]);
    both.retain(|o| o.pts.get() < 11.0);
    assert_eq!(told(&bodies(both, Vec::new()), &turns[..1]), rows[..2]);
}
