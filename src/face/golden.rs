//! The room against the tools people trust: `reference/` holds what they gave on the same pictures.

use std::path::Path;

use image::RgbImage;
use serde_json::Value;

use super::landmark::Mesher;
use super::{BLENDSHAPES, BoundingBox, FaceConfig, FaceModels, FaceTracker, Faces, Landmarks, detect, pose};
use crate::inference::{ModelSet, Registry, Runtime};
use crate::reference::VIDEO_CLIPS;
use crate::signal::VideoFrame;
use crate::time::Seconds;

pub(super) fn models() -> FaceModels {
    let registry = Registry::open(None).unwrap();
    FaceModels::load(&registry, &FaceConfig::default(), Runtime::default())
        .expect("the models are needed: run make models")
}

fn json(path: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))).unwrap()
}

pub(super) fn picture(path: &Path) -> RgbImage {
    image::open(path).unwrap_or_else(|e| panic!("{}: {e}", path.display())).to_rgb8()
}

fn floats(v: &Value) -> Vec<f32> {
    v.as_array().unwrap().iter().map(|x| x.as_f64().unwrap() as f32).collect()
}

/// A face of MediaPipe's.
struct Theirs {
    points: Box<Landmarks>,
    blendshapes: Vec<f32>,
    matrix: nalgebra::Matrix3<f64>,
}

impl Theirs {
    fn read(face: &Value) -> Self {
        let mut points = Box::new([[0.0; 3]; super::LANDMARKS]);
        for (p, v) in points.iter_mut().zip(face["landmarks_px"].as_array().unwrap()) {
            *p = floats(v).try_into().unwrap();
        }
        let named = |n: &str| face["blendshapes"][if n == "neutral" { "_neutral" } else { n }].as_f64().unwrap() as f32;
        let m = &face["facial_transformation_matrix"];
        let matrix = nalgebra::Matrix3::from_fn(|r, c| m[r][c].as_f64().unwrap());
        Theirs { points, blendshapes: BLENDSHAPES.iter().map(|n| named(n)).collect(), matrix }
    }

    fn centre(&self) -> (f32, f32) {
        let n = super::LANDMARKS as f32;
        let (x, y) = self.points.iter().fold((0.0, 0.0), |a, p| (a.0 + p[0], a.1 + p[1]));
        (x / n, y / n)
    }
}

fn inside(b: BoundingBox, (x, y): (f32, f32)) -> bool {
    x >= b.left && x <= b.right() && y >= b.top && y <= b.bottom()
}

/// Every reference picture as a clip of its own.
fn one_frame(models: &mut FaceModels, image: RgbImage) -> Faces {
    let config = FaceConfig { landmarks: true, min_track_observations: 1, ..FaceConfig::default() };
    let mut tracker = FaceTracker::new(models, &config);
    tracker.push(&VideoFrame { index: 0, pts: Seconds::ZERO, image }).unwrap();
    tracker.finish().unwrap()
}

#[test]
#[cfg_attr(not(feature = "shared-tests"), ignore = "needs the reference clips: make test-shared")]
fn landmarks_blendshapes_and_pose_are_mediapipes() {
    let shared = crate::reference::folder();
    let mut models = models();
    let (mut off, mut total, mut poses) = (Vec::new(), Vec::new(), Vec::new());
    let mut pairs: Vec<(Vec<f32>, Vec<f32>)> = Vec::new();
    let mut missed = Vec::new();
    for clip in VIDEO_CLIPS {
        let folder = shared.join("reference").join(clip);
        for frame in json(&folder.join("face_landmarker.json"))["frames"].as_array().unwrap() {
            let png = frame["png"].as_str().unwrap();
            let image = picture(&folder.join(png));
            let size = (image.width(), image.height());
            let faces = one_frame(&mut models, image);
            for theirs in frame["faces"].as_array().unwrap().iter().map(Theirs::read) {
                let all = faces.observations.all();
                let Some(o) = all.iter().find(|o| inside(o.bounds, theirs.centre()) && o.landmarks.is_some()) else {
                    missed.push(format!("{clip} {png}"));
                    continue;
                };
                let ours = o.landmarks.as_ref().unwrap();
                let apart = |a: [f32; 3], b: [f32; 3]| (a[0] - b[0]).hypot(a[1] - b[1]);
                let eyes = apart(theirs.points[33], theirs.points[263]);
                let share = ours.iter().zip(theirs.points.iter()).map(|(a, b)| apart(*a, *b)).sum::<f32>()
                    / ours.len() as f32
                    / eyes;
                let blend = o.blendshapes.unwrap();
                let mae = blend.iter().zip(&theirs.blendshapes).map(|(a, b)| (a - b).abs()).sum::<f32>() / 52.0;
                // Same landmarks, so that the pose is judged alone; and end to end.
                let flip = nalgebra::Matrix3::from_diagonal(&nalgebra::Vector3::new(1.0, -1.0, -1.0));
                let want = flip * theirs.matrix * flip;
                let turn = |got: &nalgebra::Matrix3<f64>| {
                    ((got * want.transpose()).trace() / 2.0 - 0.5).clamp(-1.0, 1.0).acos().to_degrees()
                };
                let same = turn(&pose::rotation(&theirs.points, size.0, size.1).unwrap());
                let whole = turn(&pose::rotation(ours, size.0, size.1).unwrap());
                let want = pose::angles(&want);
                eprintln!(
                    "{clip} {png}: landmarks {:.3} %, blendshapes {mae:.4}, pose {same:.2} and {whole:.2} deg, {:?} \
                     theirs {want:?} gaze {:?}",
                    100.0 * share,
                    o.pose.unwrap(),
                    o.gaze
                );
                off.push((share, format!("{clip} {png}")));
                total.push(mae);
                poses.push((same, whole));
                pairs.push((blend.to_vec(), theirs.blendshapes));
            }
        }
    }
    let mae = total.iter().sum::<f32>() / total.len() as f32;
    eprintln!("{} faces, missed {missed:?}, blendshapes {mae:.4}", off.len());
    let mut spread: Vec<(f64, f64)> =
        (0..52).map(|k| correlation(pairs.iter().map(|(a, b)| (f64::from(a[k]), f64::from(b[k]))))).collect();
    spread.sort_by(|a, b| b.0.total_cmp(&a.0));
    let lowest = spread[..40].iter().map(|s| s.1).fold(1.0, f64::min);
    eprintln!("lowest correlation of the 40 most varying {lowest:.4}");
    let far: Vec<_> = off.iter().filter(|(s, _)| *s > 0.01).collect();
    eprintln!("above 1 %: {far:?}");
    assert!(missed.is_empty(), "{missed:?}");
    assert!(far.is_empty(), "landmarks within 1 % of the eye distance: {far:?}");
    assert!(mae <= 0.015, "blendshapes: {mae}");
    assert!(lowest >= 0.98, "correlation: {lowest}");
    assert!(poses.iter().all(|p| p.0 < 0.1 && p.1 < 3.0), "pose on the same landmarks, and on ours: {poses:?}");
}

/// (variance of the second, correlation).
fn correlation(pairs: impl Iterator<Item = (f64, f64)>) -> (f64, f64) {
    let all: Vec<(f64, f64)> = pairs.collect();
    let n = all.len() as f64;
    let (ma, mb) = (all.iter().map(|p| p.0).sum::<f64>() / n, all.iter().map(|p| p.1).sum::<f64>() / n);
    let (mut aa, mut bb, mut ab) = (0.0, 0.0, 0.0);
    for (a, b) in &all {
        aa += (a - ma).powi(2);
        bb += (b - mb).powi(2);
        ab += (a - ma) * (b - mb);
    }
    (bb / n, ab / (aa * bb).sqrt())
}

#[test]
#[cfg_attr(not(feature = "shared-tests"), ignore = "needs the reference clips: make test-shared")]
fn the_detector_finds_what_retinaface_finds() {
    let shared = crate::reference::folder();
    let mut models = models();
    let mut detector = detect::Detector::default();
    let settings = detect::Settings { side_px: 4096, enlarge: 1.0, score: 0.5, iou: 0.4, min_size_px: 0.0 };
    let (mut count, mut worst) = (0, (0.0f32, String::new()));
    for clip in VIDEO_CLIPS {
        let folder = shared.join("reference").join(clip);
        for frame in json(&folder.join("retinaface.json"))["frames"].as_array().unwrap() {
            let png = frame["png"].as_str().unwrap();
            let found = detector.detect(&mut models.detector, &picture(&folder.join(png)), settings).unwrap();
            for face in frame["faces"].as_array().unwrap() {
                let score = face["score"].as_f64().unwrap();
                let want = floats(&face["box_px"]);
                let off = |d: &detect::Detection| {
                    let b = d.bounds;
                    [b.left - want[0], b.top - want[1], b.right() - want[2], b.bottom() - want[3]]
                        .into_iter()
                        .fold(0.0f32, |m, v| m.max(v.abs()))
                };
                let best = found.iter().map(off).fold(f32::INFINITY, f32::min);
                if best > 2.0 {
                    eprintln!("{clip} {png}: {want:?} score {score}: {best} px off");
                }
                // A face at the threshold may fall under it.
                if score > 0.6 {
                    count += 1;
                    if best > worst.0 {
                        worst = (best, format!("{clip} {png} {want:?}"));
                    }
                }
            }
        }
    }
    eprintln!("{count} faces, worst {worst:?}");
    assert!(count > 60 && worst.0 <= 2.0, "{count} faces, worst {worst:?}");
}

#[test]
#[cfg_attr(not(feature = "shared-tests"), ignore = "needs the reference clips: make test-shared")]
fn expressions_are_face_apis() {
    let shared = crate::reference::folder();
    let mut models = models();
    let folder = shared.join("reference/face_api");
    let mut off = 0.0f32;
    for entry in json(&folder.join("face_api.json")).as_array().unwrap() {
        let image = picture(&folder.join("crops").join(entry["png"].as_str().unwrap()));
        let got = models.expression.of_picture(&image).unwrap();
        for (name, p) in super::EXPRESSIONS.iter().zip(got) {
            off = off.max((p - entry["expressions"][name].as_f64().unwrap() as f32).abs());
        }
    }
    eprintln!("probabilities within {off:.5}");
    assert!(off < 1e-2, "{off}");
}

#[test]
fn a_model_that_fails_is_an_error_and_no_missing_face() {
    let mut models = models();
    // The landmark model in the detector's place: another shape.
    let registry = Registry::open(None).unwrap();
    models.short_range =
        crate::inference::Session::load(&registry, super::landmark::MODEL, Runtime::default()).unwrap();
    let mut tracker = FaceTracker::new(&mut models, &FaceConfig::default());
    let frame = VideoFrame { index: 0, pts: Seconds::ZERO, image: RgbImage::new(64, 64) };
    let error = tracker.push(&frame).unwrap_err();
    assert_eq!(error.kind(), "model", "{error}");
}

#[test]
fn a_look_at_nothing_finds_nothing() {
    let mut models = models();
    let faces = one_frame(&mut models, RgbImage::from_pixel(320, 240, image::Rgb([128, 128, 128])));
    assert!(faces.observations.is_empty() && faces.faces_per_frame == [0], "{faces:?}");
    let roi = super::crop::Roi { x: 100.0, y: 100.0, side: 80.0, angle: 0.0 };
    let mesh = Mesher::default().look(&mut models.landmarks[0], &RgbImage::new(200, 200), &roi).unwrap();
    assert!(mesh.presence < 0.5, "{}", mesh.presence);
    one_frame(&mut models, RgbImage::new(1, 1));
}
