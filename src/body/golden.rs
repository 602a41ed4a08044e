//! The room against MediaPipe: `reference/*/body.json` holds what its pose and hand solutions gave on whole pictures and
//! on a crop about each face.

use std::path::Path;

use image::RgbImage;
use serde_json::Value;

use super::hand::{self, Hand};
use super::landmark::{self, Body};
use super::view::View;
use super::{BodyConfig, BodyModels, BodyTracker, Head, body_point, palm, person};
use crate::inference::{ModelSet, Registry, Runtime};
use crate::reference::VIDEO_CLIPS;
use crate::signal::VideoFrame;
use crate::time::Seconds;

fn models() -> BodyModels {
    let registry = Registry::open(None).unwrap();
    BodyModels::load(&registry, &BodyConfig::default(), Runtime::default())
        .expect("the models are needed: run make models")
}

fn points(v: &Value) -> Vec<[f32; 3]> {
    let number = |x: &Value| x.as_f64().unwrap() as f32;
    let point = |p: &Value| [number(&p[0]), number(&p[1]), number(&p[2])];
    v.as_array().unwrap().iter().map(point).collect()
}

fn apart(a: [f32; 3], b: [f32; 3]) -> f32 {
    (a[0] - b[0]).hypot(a[1] - b[1])
}

/// The body that MediaPipe would find: of the best detection, where there is one.
fn body_in(models: &mut BodyModels, view: &View<'_>, input: &mut Vec<f32>) -> Option<Body> {
    let persons = person::DETECTOR.detect(&mut models.person, view, input).unwrap();
    let region = person::region_of(persons.first()?).unwrap();
    Some(landmark::look(&mut models.body, view, &region, input).unwrap()).filter(|b| b.presence > 0.5)
}

fn hands_in(models: &mut BodyModels, view: &View<'_>, input: &mut Vec<f32>) -> Vec<Hand> {
    let palms = palm::DETECTOR.detect(&mut models.palm, view, input).unwrap();
    let look = |region| hand::look(&mut models.hand, view, &region, input).unwrap();
    palms.iter().filter_map(palm::region_of).map(look).filter(|h| h.presence > 0.5).collect()
}

/// What the comparison of all pictures adds up to.
#[derive(Default)]
struct Sums {
    /// Share of the shoulder width, error of the visibilities, error of z, and where.
    bodies: Vec<(f32, f32, f32, String)>,
    /// Share of the hand's size, the same of z, and where.
    hands: Vec<(f32, f32, String)>,
    wrong_sides: Vec<String>,
    missed: Vec<String>,
    missed_hands: Vec<String>,
    invented: Vec<String>,
}

impl Sums {
    fn body(&mut self, ours: Option<&Body>, theirs: &Value, place: &str) {
        let ours = match (ours, theirs.is_null()) {
            (None, true) => return,
            (None, false) => return self.missed.push(place.into()),
            (Some(_), true) => return self.invented.push(place.into()),
            (Some(ours), false) => ours,
        };
        let wanted = points(&theirs["landmarks_px"]);
        let visible: Vec<f32> =
            theirs["visibility"].as_array().unwrap().iter().map(|v| v.as_f64().unwrap() as f32).collect();
        let [left, right] = body_point::SHOULDERS;
        let width = apart(wanted[left], wanted[right]);
        let seen: Vec<usize> = (0..wanted.len()).filter(|&k| visible[k] > 0.8).collect();
        let mean = |off: &dyn Fn(usize) -> f32| seen.iter().map(|&k| off(k)).sum::<f32>() / seen.len().max(1) as f32;
        let share = mean(&|k| apart(ours.points[k], wanted[k])) / width;
        let depth = mean(&|k| (ours.points[k][2] - wanted[k][2]).abs()) / width;
        let off = ours.visibility.iter().zip(&visible).map(|(a, b)| (a - b).abs()).sum::<f32>() / visible.len() as f32;
        self.bodies.push((share, off, depth, place.into()));
    }

    fn hands(&mut self, ours: &[Hand], theirs: &Value, place: &str) {
        for hand in theirs.as_array().unwrap() {
            let wanted = points(&hand["landmarks_px"]);
            let size = apart(wanted[0], wanted[9]);
            let off = |h: &Hand| h.points.iter().zip(&wanted).map(|(a, b)| apart(*a, *b)).sum::<f32>() / 21.0 / size;
            let near = ours.iter().map(|h| (off(h), h)).min_by(|a, b| a.0.total_cmp(&b.0)).filter(|n| n.0 < 0.5);
            let Some((share, ours)) = near else {
                self.missed_hands.push(place.into());
                continue;
            };
            let deep = |(a, b): (&[f32; 3], &[f32; 3])| (a[2] - b[2]).abs();
            let depth = ours.points.iter().zip(&wanted).map(deep).sum::<f32>() / 21.0 / size;
            self.hands.push((share, depth, place.into()));
            // MediaPipe takes pictures for mirrors.
            if (ours.right > 0.5) != (hand["handedness"] == "Left") {
                self.wrong_sides.push(place.into());
            }
        }
    }
}

#[test]
#[cfg_attr(not(feature = "shared-tests"), ignore = "needs the reference clips: make test-shared")]
fn landmarks_of_bodies_and_hands_are_mediapipes() {
    let shared = crate::reference::folder();
    let (mut models, mut input, mut sums) = (models(), Vec::new(), Sums::default());
    for clip in VIDEO_CLIPS {
        let folder = shared.join("reference").join(clip);
        for frame in frames(&folder) {
            let file = frame["file"].as_str().unwrap();
            let picture = image::open(folder.join("frames").join(file)).unwrap().to_rgb8();
            let whole = View::whole(&picture);
            let place = format!("{clip} {file}");
            sums.body(body_in(&mut models, &whole, &mut input).as_ref(), &frame["whole"], &place);
            sums.hands(&hands_in(&mut models, &whole, &mut input), &frame["hands"], &place);
            for crop in frame["crops"].as_array().unwrap() {
                let edge = |k: usize| crop["crop_px"][k].as_f64().unwrap() as f32;
                let view = View::part(&picture, [0, 1, 2, 3].map(edge)).unwrap();
                let place = format!("{place} {}", crop["crop_px"]);
                sums.body(body_in(&mut models, &view, &mut input).as_ref(), &crop["pose"], &place);
                sums.hands(&hands_in(&mut models, &view, &mut input), &crop["hands"], &place);
            }
        }
    }
    let count = sums.bodies.len() as f32;
    let share = sums.bodies.iter().map(|b| b.0).sum::<f32>() / count;
    let visibility = sums.bodies.iter().map(|b| b.1).sum::<f32>() / count;
    let depth = sums.bodies.iter().map(|b| b.2).sum::<f32>() / count;
    let hands = sums.hands.iter().map(|h| h.0).sum::<f32>() / sums.hands.len() as f32;
    let hand_depth = sums.hands.iter().map(|h| h.1).sum::<f32>() / sums.hands.len() as f32;
    let worst = sums.bodies.iter().max_by(|a, b| a.0.total_cmp(&b.0)).unwrap();
    let worst_hand = sums.hands.iter().max_by(|a, b| a.0.total_cmp(&b.0)).unwrap();
    eprintln!(
        "{count} bodies: {:.4} % of the shoulder width, worst {worst:?}, visibility {visibility:.5}, depth {:.3} %",
        100.0 * share,
        100.0 * depth
    );
    eprintln!(
        "{} hands: {:.3} % of the hand, worst {worst_hand:?}, depth {:.3} %",
        sums.hands.len(),
        100.0 * hands,
        100.0 * hand_depth
    );
    eprintln!("missed {:?} {:?}, invented {:?}", sums.missed, sums.missed_hands, sums.invented);
    assert!(sums.missed.is_empty() && sums.invented.is_empty());
    assert!(count > 100.0 && worst.0 <= 0.02 && visibility <= 0.05, "each body within 2 % of its shoulder width");
    assert!(depth <= 0.01 && hand_depth <= 0.02, "depths: {depth} and {hand_depth}");
    assert!(sums.hands.len() > 60 && hands <= 0.03 && worst_hand.0 <= 0.05);
    assert!(sums.wrong_sides.is_empty(), "{:?}", sums.wrong_sides);
    // A crop of 106 x 181 px, where the palm's score is a hair from the threshold.
    assert!(sums.missed_hands.len() <= 1, "{:?}", sums.missed_hands);
}

fn frames(folder: &Path) -> Vec<Value> {
    let bytes = std::fs::read(folder.join("body.json")).unwrap();
    let all: Value = serde_json::from_slice(&bytes).unwrap();
    all["frames"].as_array().unwrap().clone()
}

#[test]
#[cfg_attr(not(feature = "shared-tests"), ignore = "needs the reference clips: make test-shared")]
fn every_person_of_a_picture_has_a_body_and_hands_of_their_own() {
    let shared = crate::reference::folder();
    let mut models = models();
    let config = BodyConfig { rate_hz: 4.0, ..BodyConfig::default() };
    let (mut heads_seen, mut more, mut headless) = (0, 0, Vec::new());
    for clip in ["debate_two_faces", "interview_split_screen", "two_women_portrait"] {
        let folder = shared.join("reference").join(clip);
        let found: Value = serde_json::from_slice(&std::fs::read(folder.join("retinaface.json")).unwrap()).unwrap();
        let mut tracker = BodyTracker::new(&mut models, &config);
        let mut all = Vec::new();
        for (i, frame) in found["frames"].as_array().unwrap().iter().enumerate() {
            let image = image::open(folder.join(frame["png"].as_str().unwrap())).unwrap().to_rgb8();
            let edge = |f: &Value, k: usize| f["box_px"][k].as_f64().unwrap() as f32;
            let faces = frame["faces"].as_array().unwrap().iter().filter(|f| f["score"].as_f64().unwrap() > 0.9);
            let boxes = faces.map(|f| [0, 1, 2, 3].map(|k| edge(f, k)));
            let heads: Vec<Head> = boxes.zip(1..).map(|(bounds, track)| Head { track, bounds }).collect();
            let pts = Seconds::of(10.0 * i as f64);
            // A shot of its own: nothing is carried over.
            tracker.push(&VideoFrame { index: i as u64, pts, image }, &heads, i).unwrap();
            all.push((pts, heads));
        }
        let bodies = tracker.finish();
        for (pts, heads) in all {
            let there: Vec<_> = bodies.observations.iter().filter(|o| o.pts == pts).collect();
            heads_seen += heads.len();
            more += usize::from(there.iter().filter(|o| o.head.is_some()).count() >= 2);
            for head in heads.iter().filter(|h| there.iter().all(|o| o.head != Some(**h))) {
                headless.push(format!("{clip} {pts:?} {head:?}"));
            }
        }
        for hand in &bodies.hands {
            let owner = bodies.observations.iter().find(|o| o.pts == hand.pts && o.body == hand.body).unwrap();
            let wrist = owner.points[body_point::WRISTS[hand.side as usize]];
            let away = (hand.points[0][0] - wrist.x).hypot(hand.points[0][1] - wrist.y);
            assert!(away <= config.hand_reach * owner.shoulder_width().max(0.15 * owner.region[2] * 1.5));
        }
        eprintln!("{clip}: {} bodies, {} hands", bodies.observations.len(), bodies.hands.len());
    }
    eprintln!("{heads_seen} faces, without a body {headless:?}; {more} of 18 pictures with two bodies");
    assert!(headless.len() * 20 <= heads_seen && more >= 16, "{headless:?}");
}

#[test]
fn a_picture_of_nothing_has_no_body_and_a_failing_model_is_an_error() {
    let config = BodyConfig { rate_hz: 4.0, ..BodyConfig::default() };
    let frame = |side: u32| VideoFrame {
        index: 0,
        pts: Seconds::ZERO,
        image: RgbImage::from_pixel(side, side, image::Rgb([128, 128, 128])),
    };
    let mut models = models();
    for side in [1, 2, 240] {
        let mut tracker = BodyTracker::new(&mut models, &config);
        let head = Head { track: 1, bounds: [0.0, 0.0, side as f32, side as f32] };
        tracker.push(&frame(side), &[head], 0).unwrap();
        let bodies = tracker.finish();
        assert!(bodies.observations.is_empty() && bodies.hands.is_empty() && bodies.sampled.len() == 1);
    }
    // The landmark model in the detector's place: another shape.
    let registry = Registry::open(None).unwrap();
    models.person = crate::inference::Session::load(&registry, landmark::MODEL, Runtime::default()).unwrap();
    let error = BodyTracker::new(&mut models, &config).push(&frame(64), &[], 0).unwrap_err();
    assert_eq!(error.kind(), "model", "{error}");
}

#[test]
fn looks_are_due_once_an_interval_and_never_when_off() {
    let mut models = models();
    let mut tracker = BodyTracker::new(&mut models, &BodyConfig { rate_hz: 4.0, ..BodyConfig::default() });
    let image = || RgbImage::new(8, 8);
    let mut wanted = Vec::new();
    for t in [0.0, 0.1, 0.2, 0.3, 0.4, 0.499_999_999, 0.6] {
        let pts = Seconds::of(t);
        if tracker.wants(pts) {
            tracker.push(&VideoFrame { index: 0, pts, image: image() }, &[], 0).unwrap();
            wanted.push(t);
        }
    }
    assert_eq!(wanted, [0.0, 0.3, 0.499_999_999]);
    assert!(!BodyTracker::new(&mut models, &BodyConfig::default()).wants(Seconds::ZERO));
}
