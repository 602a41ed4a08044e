//! Bodies and hands against persons labelled by eye (`tests/fixtures/body_truth.csv` and `gesture_truth.csv`, which
//! tell how).

use std::collections::{BTreeMap, BTreeSet};

use super::watch::{Seen, look};
use super::{Models, Request, Work};
use crate::inference::{ModelSet, Registry, Runtime};
use crate::recipe::Recipe;
use crate::time::Segment;
use crate::turns::{ToldLook, told_looks, told_strokes};
use crate::warning::Warnings;

/// One labelled person in one frame.
#[derive(Clone, Debug)]
struct Labelled {
    clip: String,
    half: String,
    secs: f64,
    who: String,
    middle: (f64, f64),
    /// A hand touches the face or is held before it; `None` where that cannot be told, likewise below.
    at_face: Option<bool>,
    crossed: Option<bool>,
    hands: Option<usize>,
    lean: Option<String>,
}

fn lines(text: &str) -> impl Iterator<Item = Vec<&str>> {
    text.lines().filter(|l| !l.starts_with('#')).skip(1).map(|l| l.split(',').collect())
}

fn labelled() -> Vec<Labelled> {
    let person = |cells: Vec<&str>| Labelled {
        clip: cells[0].into(),
        half: cells[1].into(),
        secs: cells[2].parse().unwrap(),
        who: cells[3].into(),
        middle: (cells[4].parse().unwrap(), cells[5].parse().unwrap()),
        at_face: (cells[6] != "?").then(|| cells[6] != "no"),
        crossed: (cells[7] != "?").then(|| cells[7] == "yes"),
        hands: cells[8].parse().ok(),
        lean: (cells[9] != "unsure").then(|| cells[9].into()),
    };
    lines(include_str!("../../tests/fixtures/body_truth.csv")).map(person).collect()
}

fn recipe() -> Recipe {
    let mut recipe = Recipe::default();
    recipe.body.rate_hz = 4.0;
    recipe
}

/// Everything seen in a clip, looked at once a test run of the process.
fn seen(clip: &str, models: &mut Models, recipe: &Recipe) -> Seen {
    let request = Request::of_file(&crate::reference::folder().join("media").join(clip)).unwrap();
    let warnings = Warnings::default();
    let work = Work { request: &request, recipe, warnings: &warnings, progress: &|_| {} };
    let media = request.media.as_ref().unwrap();
    look(work, media, models.face.as_mut().unwrap(), models.body.as_mut()).unwrap()
}

/// Right and wrong answers to a yes-or-no question.
#[derive(Clone, Copy, Debug, Default)]
struct Hits {
    hit: f64,
    missed: f64,
    invented: f64,
}

impl Hits {
    fn count(&mut self, truth: bool, told: bool) {
        match (truth, told) {
            (true, true) => self.hit += 1.0,
            (true, false) => self.missed += 1.0,
            (false, true) => self.invented += 1.0,
            (false, false) => {}
        }
    }

    fn f1(self) -> f64 {
        2.0 * self.hit / (2.0 * self.hit + self.missed + self.invented).max(1.0)
    }
}

/// What the labels of a clip, or of a half, come to.
#[derive(Clone, Debug, Default)]
struct Sums {
    labelled: usize,
    without_body: usize,
    /// Persons without a body whose face is too small to be looked about.
    too_small: usize,
    face: Hits,
    crossed: Hits,
    /// Single hands.
    hands: Hits,
    /// Persons with as many hands as labelled, and all.
    same_hands: (f64, f64),
    same_lean: (f64, f64),
}

impl Sums {
    fn add(&mut self, label: &Labelled, told: Option<&ToldLook>, small: bool) {
        self.labelled += 1;
        let Some(told) = told else {
            self.without_body += 1;
            self.too_small += usize::from(small);
            if let (Some(truth), false) = (label.at_face, small) {
                self.face.count(truth, false);
            }
            return;
        };
        if let Some(truth) = label.at_face {
            self.face.count(truth, told.at_face == Some(true));
        }
        if let Some(truth) = label.crossed {
            self.crossed.count(truth, told.crossed == Some(true));
        }
        if let Some(truth) = label.hands {
            let found = told.hands;
            self.hands.hit += truth.min(found) as f64;
            self.hands.missed += truth.saturating_sub(found) as f64;
            self.hands.invented += found.saturating_sub(truth) as f64;
            self.same_hands.0 += f64::from(u8::from(truth == found));
            self.same_hands.1 += 1.0;
        }
        if let (Some(truth), Some(lean)) = (label.lean.as_deref(), told.lean) {
            self.same_lean.0 += f64::from(u8::from(truth == lean));
            self.same_lean.1 += 1.0;
        }
    }

    fn tell(&self, name: &str) {
        let share = |(a, b): (f64, f64)| a / b.max(1.0);
        eprintln!(
            "{name}: {} labelled, {} without a body ({} of them too small); hand at face F1 {:.3} {:?}; hands seen: \
             {:.3} of persons right, F1 {:.3} {:?}; arms crossed {:?}; lean {:.3} of {}",
            self.labelled,
            self.without_body,
            self.too_small,
            self.face.f1(),
            self.face,
            share(self.same_hands),
            self.hands.f1(),
            self.hands,
            self.crossed,
            share(self.same_lean),
            self.same_lean.1,
        );
    }
}

/// The look at the labelled person.
fn own<'l>(looks: &'l [ToldLook], label: &Labelled) -> Option<&'l ToldLook> {
    let off = |l: &ToldLook| (l.nose.0 - label.middle.0).hypot(l.nose.1 - label.middle.1);
    let there = looks.iter().filter(|l| (l.pts.get() - label.secs).abs() < 0.013);
    there.min_by(|a, b| off(a).total_cmp(&off(b))).filter(|l| off(l) < 0.6 * l.width)
}

/// Bodies carry the track and the person of the face that lies about theirs.
fn persons_are_those_of_faces(clip: &str, seen: &Seen) {
    let mut with_face = 0;
    for o in seen.bodies.observations.iter() {
        let Some(head) = o.head else { continue };
        with_face += 1;
        let faces = seen.faces.observations.at(o.pts).unwrap();
        let face = faces.iter().find(|f| f.track == head.track);
        let face = face.unwrap_or_else(|| panic!("{clip} {:?}: body {} has a face that is not there", o.pts, o.body));
        let (x, y) = face.bounds.centre();
        let (hx, hy) = head.centre();
        assert!((x - hx).hypot(y - hy) < 1e-3, "{clip} {:?}: {:?} is not {head:?}", o.pts, face.bounds);
        assert_eq!(o.person.as_deref(), seen.faces.person_of(head.track), "{clip} {:?} body {}", o.pts, o.body);
    }
    eprintln!(
        "{clip}: {} bodies, {with_face} with a face, {} hands",
        seen.bodies.observations.len(),
        seen.bodies.hands.len()
    );
}

/// Persons whose face is large enough and who have no body, over all.
fn faces_without_body(seen: &Seen, least: f32) -> (usize, usize) {
    let times: BTreeSet<u64> = seen.bodies.sampled.iter().map(|t| t.get().to_bits()).collect();
    let with: BTreeSet<(u64, u32)> =
        seen.bodies.observations.iter().filter_map(|o| Some((o.pts.get().to_bits(), o.head?.track))).collect();
    let named = |f: &&crate::face::Observation| {
        times.contains(&f.pts.get().to_bits())
            && f.bounds.area().sqrt() >= least
            && seen.faces.person_of(f.track).is_some()
    };
    let all = seen.faces.observations.all();
    let all: Vec<_> = all.iter().filter(named).collect();
    let without = all.iter().filter(|f| !with.contains(&(f.pts.get().to_bits(), f.track))).count();
    (without, all.len())
}

#[test]
#[cfg_attr(not(feature = "shared-tests"), ignore = "needs the reference clips: make test-shared")]
fn hands_and_posture_are_what_the_eye_sees() {
    let recipe = recipe();
    let mut models =
        Models::load(&Registry::open(None).unwrap(), &recipe, Runtime::default()).expect("run make models");
    let all = labelled();
    let frames: BTreeSet<(&str, u64)> = all.iter().map(|l| (l.clip.as_str(), l.secs.to_bits())).collect();
    assert!(frames.len() >= 150, "{} frames", frames.len());
    let (mut halves, mut chins) = (BTreeMap::<String, Sums>::new(), (0, 0));
    let clips: BTreeSet<&str> = all.iter().map(|l| l.clip.as_str()).collect();
    for clip in clips {
        let seen = seen(clip, &mut models, &recipe);
        persons_are_those_of_faces(clip, &seen);
        let (without, faces) = faces_without_body(&seen, recipe.body.min_face_size_px);
        eprintln!("{clip}: {without} of {faces} faces of persons without a body");
        let looks = told_looks(&seen.bodies, &recipe.turns.body);
        let (mut sums, mut names) = (Sums::default(), BTreeMap::<&str, BTreeSet<Option<&str>>>::new());
        for label in all.iter().filter(|l| l.clip == clip) {
            let told = own(&looks, label);
            let small = told.is_none() && {
                let near = |f: &&crate::face::Observation| {
                    let (x, y) = f.bounds.centre();
                    let off = (f64::from(x) - label.middle.0).hypot(f64::from(y) - label.middle.1);
                    (f.pts.get() - label.secs).abs() < 0.013 && off < f64::from(f.bounds.width.max(f.bounds.height))
                };
                let then = Segment::from_secs((label.secs - 0.05).max(0.0), label.secs + 0.05).unwrap();
                let there = seen.faces.observations.during(then).unwrap();
                let face = there.iter().find(near);
                face.is_none_or(|f| f.bounds.area().sqrt() < recipe.body.min_face_size_px)
            };
            if let Some(told) = told {
                names.entry(&label.who).or_default().insert(told.person.as_deref());
            }
            sums.add(label, told, small);
            halves.entry(label.half.clone()).or_default().add(label, told, small);
            let wrong = told.is_none_or(|t| {
                label.at_face.is_some_and(|a| a != (t.at_face == Some(true)))
                    || label.hands.is_some_and(|h| h != t.hands)
            });
            if wrong {
                eprintln!(
                    "  {:.3} {}: labelled {:?} {:?}, told {told:?}",
                    label.secs, label.who, label.at_face, label.hands
                );
            }
            if label.who == "man with chin in hand" {
                let at = told.and_then(|t| t.region);
                chins.0 += usize::from(matches!(at, Some("chin" | "mouth")));
                chins.1 += 1;
            }
        }
        sums.tell(clip);
        eprintln!("  persons: {names:?}");
    }
    eprintln!("chin in hand found in {} of {} looks", chins.0, chins.1);
    for (name, sums) in &halves {
        sums.tell(&format!("half {name}"));
    }
    for sums in halves.values() {
        assert!(sums.crossed.invented < 1.0, "nobody crosses the arms: {:?}", sums.crossed);
    }
    // Not held yet: hands of the half with home_low_light, where the arms of somebody behind are taken for those of the
    // one in front.
    let (chosen, told) = (&halves["a"], &halves["b"]);
    assert!(chosen.face.f1() >= 0.85 && told.face.f1() >= 0.9, "{:?} {:?}", chosen.face, told.face);
    assert!(told.hands.f1() >= 0.9 && told.same_hands.0 >= 0.9 * told.same_hands.1, "{:?}", told.hands);
    assert!(told.face.invented < 1.0 && chins.0 >= 6, "{:?} {chins:?}", told.face);
}

#[test]
#[cfg_attr(not(feature = "shared-tests"), ignore = "needs the reference clips: make test-shared")]
fn strokes_are_as_many_as_the_eye_counts() {
    let recipe = recipe();
    let mut models =
        Models::load(&Registry::open(None).unwrap(), &recipe, Runtime::default()).expect("run make models");
    let mut counted: BTreeMap<(String, String, String, String, String), usize> = BTreeMap::new();
    for cells in lines(include_str!("../../tests/fixtures/gesture_truth.csv")) {
        let [clip, half, x, from, to] = [0, 1, 2, 3, 4].map(|k| cells[k].to_owned());
        *counted.entry((clip, half, x, from, to)).or_default() += 1;
    }
    let (mut clips, mut halves) = (BTreeMap::new(), BTreeMap::<String, (usize, usize)>::new());
    for ((clip, half, x, from, to), by_eye) in counted {
        let bodies = &clips.entry(clip.clone()).or_insert_with(|| seen(&clip, &mut models, &recipe)).bodies;
        let window = (from.parse().unwrap(), to.parse().unwrap());
        let told = told_strokes(bodies, x.parse().unwrap(), window, &recipe.turns.body);
        eprintln!("{clip} {from} to {to} s: {by_eye} by eye, {told} told");
        let sum = halves.entry(half).or_default();
        *sum = (sum.0 + by_eye, sum.1 + told);
    }
    for (half, (by_eye, told)) in halves {
        eprintln!("half {half}: {by_eye} by eye, {told} told");
        assert!(10 * by_eye.abs_diff(told) <= 2 * by_eye, "half {half}: {by_eye} by eye, {told} told");
    }
}
