//! Made faces that talk, cry and smile.

use super::*;
use crate::annotation::Turn;
use crate::face::{BoundingBox, Quality, Track};
use crate::table::{Cell, ColumnData};
use crate::turns::face_turns;

/// A face at ten looks a second for 10 s: the mouth's smile and, at two looks a second, the happiness.
fn face(mouth: impl Fn(f64) -> f32, happy: impl Fn(f64) -> f32) -> Faces {
    let mut observations = Vec::new();
    for i in 0..100 {
        let at = 0.1 * f64::from(i);
        let mut shapes = [0.0f32; 52];
        for (place, _) in BLENDSHAPES.iter().enumerate().filter(|(_, name)| name.starts_with("mouthSmile")) {
            shapes[place] = mouth(at);
        }
        let rest = 1.0 - happy(at);
        observations.push(Observation {
            blendshapes: Some(shapes),
            lip_corner_lift: Some(0.08 * mouth(at)),
            expression: (i % 5 == 0).then(|| [rest, happy(at), 0.0, 0.0, 0.0, 0.0, 0.0]),
            quality: Quality { size_px: 100.0, sharpness: 1.0, in_frame: 1.0 },
            ..Observation::bare(Seconds::of(at), 1, BoundingBox::from_corners(0.0, 0.0, 100.0, 100.0))
        });
    }
    let sampled: Vec<Seconds> = observations.iter().map(|o| o.pts).collect();
    let track = Track::bare(1, Some("P1"), (sampled[0], sampled[99]), 100);
    Faces {
        observations: observations.into(),
        tracks: vec![track],
        persons: vec!["P1".into()],
        sampled,
        ..Faces::default()
    }
}

fn within(at: f64, from: f64, to: f64) -> bool {
    from - 1e-9 <= at && at < to - 1e-9
}

/// Vowels 0.2 s wide, every half second.
fn vowels(at: f64) -> f32 {
    if (at * 10.0).round() as i32 % 5 < 2 { 0.7 } else { 0.02 }
}

fn smile_of(faces: &Faces) -> Vec<(f64, f64)> {
    let config = TurnsConfig::default();
    smile_series(faces, &Stills::new(faces, &config).unwrap(), &config).unwrap()["P1"].all()
}

#[test]
fn a_talking_mouth_and_a_crying_one_do_not_smile_and_a_smile_does_even_while_it_talks() {
    let most = |faces: &Faces| smile_of(faces).iter().map(|s| s.1).fold(0.0, f64::max);
    assert!(most(&face(vowels, |_| 0.3)) < 0.45, "{}", most(&face(vowels, |_| 0.3)));
    assert!(most(&face(|_| 0.9, |_| 0.01)) < 0.3, "crying");
    assert!(most(&face(|_| 0.02, |_| 0.99)) < 0.2, "a mouth at rest that the expression model takes for a smile");
    let talks = |at: f64| vowels(at).max(0.4);
    assert!(smile_of(&face(talks, |_| 0.9)).iter().all(|s| s.1 > 0.5));
}

#[test]
fn the_weakest_of_mouth_corners_and_expression_governs() {
    assert!(
        (harmonic_mean([0.6, 0.6, 0.6]) - 0.6).abs() < 1e-12 && (harmonic_mean([1.0, 0.5, 1.0]) - 0.75).abs() < 1e-12
    );
    // A wide mouth and a happy face whose lips' corners are not drawn up, and three that agree by half: as large a
    // product.
    assert!(harmonic_mean([0.58, 0.17, 0.92]) < 0.35 && harmonic_mean([0.45, 0.45, 0.45]) > 0.44);
    assert!(harmonic_mean([0.9, 0.0, 0.9]).abs() < 1e-12);
}

#[test]
fn a_smile_has_onset_peak_and_end() {
    let height = |at: f64| match at {
        t if within(t, 3.0, 4.0) => 0.6,
        t if within(t, 4.0, 5.0) => 0.9,
        _ => 0.0,
    };
    let faces = face(height, |at| if within(at, 3.0, 5.0) { 1.0 } else { 0.0 });
    let (links, config) = (BTreeMap::new(), TurnsConfig::default());
    let turn = |index: u32, from: f64, to: f64| Turn {
        index,
        segment: Segment::from_secs(from, to).unwrap(),
        speaker: Some("A".into()),
        text: String::new(),
        words: Vec::new(),
    };
    let turns = [turn(1, 0.0, 3.2), turn(2, 3.2, 10.0)];
    let table = smiles_table(&Relations { faces: &faces, ..Relations::of("i", &turns, &links, &config) }).unwrap();
    assert_eq!(table.rows(), 1);
    let value = |name: &str| match table.column(name) {
        Some(ColumnData::F64(v)) => v[0],
        other => panic!("{name}: {other:?}"),
    };
    assert!((value("onset_secs") - 3.0).abs() < 0.25, "{}", value("onset_secs"));
    assert!((value("peak_secs") - 4.5).abs() < 0.35 && value("peak") > 0.9, "{}", value("peak_secs"));
    assert!((value("end_secs") - 5.0).abs() < 0.4, "{}", value("end_secs"));
    assert_eq!(table.column("turn_index"), Some(&ColumnData::I64(vec![Some(1)])), "where it begins");
    assert_eq!(table.column("onset_seen"), Some(&ColumnData::Bool(vec![Some(true)])));
}

#[test]
fn events_hold_on_through_a_dip_and_end_with_what_is_seen() {
    let series = |text: &str| -> Vec<(f64, f64)> {
        let value = |c: char| match c {
            'x' => 0.8,
            'm' => 0.3,
            _ => 0.0,
        };
        text.chars().enumerate().filter(|(_, c)| *c != ' ').map(|(i, c)| (0.1 * i as f64, value(c))).collect()
    };
    let told = |text: &str| -> Vec<(i32, i32, bool, bool)> {
        let tenths = |t: f64| (10.0 * t).round() as i32;
        let all = smiles(&series(text), 0.45, 0.5);
        all.iter().map(|s| (tenths(s.onset), tenths(s.end), s.onset_seen, s.end_seen)).collect()
    };
    assert_eq!(told("....xxxxxx...."), [(4, 9, true, true)]);
    assert_eq!(told("....xxxmmxxx.."), [(4, 11, true, true)]);
    assert_eq!(told("....xxx......."), [], "too short");
    assert_eq!(told("xxxxxxx..xxxxxxx"), [(0, 6, false, true), (9, 15, true, false)]);
    assert_eq!(told("..xxxxxx      xxxxxx."), [(2, 7, true, false), (14, 19, false, true)], "unseen between");
}

#[test]
fn a_turn_does_not_see_a_smile_that_comes_after_it() {
    let late = |value: f32| move |at: f64| if within(at, 5.0, 10.0) { value } else { 0.0 };
    let (quiet, merry) = (face(late(0.0), late(0.0)), face(late(0.9), late(1.0)));
    let turn = Segment::from_secs(1.0, 5.0).unwrap();
    let config = TurnsConfig::default();
    let during =
        |faces: &Faces| smile_series(faces, &Stills::new(faces, &config).unwrap(), &config).unwrap()["P1"].during(turn);
    assert_eq!(during(&quiet), during(&merry));
    assert_eq!(during(&quiet).len(), 40);
    assert!(smile_of(&merry)[48].1 > 0.1, "the whole series does");
}

#[test]
fn without_a_look_at_the_expression_there_is_no_smile_but_null() {
    let mut faces = face(|_| 0.9, |_| 1.0);
    faces.observations.edit(|all| all.iter_mut().filter(|o| o.pts.get() > 4.0).for_each(|o| o.expression = None));
    let told = smile_of(&faces);
    assert!(told.iter().all(|(at, v)| *at < 4.6 && *v > 0.9), "{told:?}");
    let turn = |from: f64, to: f64| Turn {
        index: 1,
        segment: Segment::from_secs(from, to).unwrap(),
        speaker: None,
        text: String::new(),
        words: Vec::new(),
    };
    let found = face_turns(&[turn(0.0, 4.0), turn(6.0, 9.0)], &faces, &TurnsConfig::default()).unwrap();
    let column = &turn_columns()[0];
    assert!(matches!(column.value(&found[0]), Cell::Float(v) if v > 0.9));
    assert_eq!(column.value(&found[1]), Cell::Missing);
}

#[test]
fn a_photo_has_no_behaviour() {
    let mut faces = face(|_| 0.9, |_| 1.0);
    faces.observations.edit(|all| all.iter_mut().for_each(|o| o.picture_change = Some(0.0)));
    let turn = Turn {
        index: 1,
        segment: Segment::from_secs(2.0, 4.0).unwrap(),
        speaker: None,
        text: String::new(),
        words: Vec::new(),
    };
    let found = face_turns(&[turn], &faces, &TurnsConfig::default()).unwrap();
    assert_eq!((found[0].observations, found[0].left_out, found[0].nods), (0, 20, None));
    assert_eq!(found[0].missing(), Some(crate::table::Missing::StillPicture));
    assert_eq!(turn_columns()[0].value(&found[0]), Cell::Missing);
}
