//! Smiles against faces labelled by eye (`tests/fixtures/smile_truth.csv`, which tells how): nothing but the threshold
//! is chosen here, on one half of the clips, and measured on the other.

use std::collections::{BTreeMap, BTreeSet};

use super::watch::look;
use super::{Models, Request, Work};
use crate::face::Faces;
use crate::inference::{ModelSet, Registry, Runtime};
use crate::recipe::Recipe;
use crate::turns;
use crate::warning::Warnings;

/// The threshold is chosen so that at most this share of talking, unsmiling faces is taken for smiling.
const CHOSEN_FALSE: f64 = 0.03;

/// And at most this share of those of any one clip: many easy faces do not pay for a hard one.
const MOST_FALSE: f64 = 0.05;

/// One labelled face.
#[derive(Clone, Debug)]
struct Labelled {
    clip: String,
    half: String,
    secs: f64,
    middle: (f32, f32),
    smiles: bool,
    talks: bool,
    /// The measure; `None` where there is none. And the two `mouthSmile` blendshapes by themselves.
    smile: Option<f64>,
    mouth: Option<f64>,
}

fn labelled() -> Vec<Labelled> {
    let text = include_str!("../../tests/fixtures/smile_truth.csv");
    let lines = text.lines().filter(|l| !l.starts_with('#')).skip(1);
    let face = |line: &str| {
        let cells: Vec<&str> = line.split(',').collect();
        Labelled {
            clip: cells[0].into(),
            half: cells[1].into(),
            secs: cells[2].parse().unwrap(),
            middle: (cells[3].parse().unwrap(), cells[4].parse().unwrap()),
            smiles: ["smiling", "both"].contains(&cells[5]),
            talks: ["talking", "both"].contains(&cells[5]),
            smile: None,
            mouth: None,
        }
    };
    lines.map(face).collect()
}

fn seen(clip: &str, models: &mut Models, recipe: &Recipe) -> Faces {
    let request = Request::of_file(&crate::reference::folder().join("media").join(clip)).unwrap();
    let warnings = Warnings::default();
    let work = Work { request: &request, recipe, warnings: &warnings, progress: &|_| {} };
    look(work, request.media.as_ref().unwrap(), models.face.as_mut().unwrap(), None).unwrap().faces
}

/// Sets the measure beside the labels of one clip.
fn measure(all: &mut [Labelled], clip: &str, faces: &Faces, recipe: &Recipe) {
    let smiles = turns::smiles_of(faces, &recipe.turns).unwrap();
    let place = |name: &str| crate::face::BLENDSHAPES.iter().position(|b| *b == name).unwrap();
    let (left, right) = (place("mouthSmileLeft"), place("mouthSmileRight"));
    for label in all.iter_mut().filter(|l| l.clip == clip) {
        let off = |o: &&crate::face::Observation| {
            let (x, y) = o.bounds.centre();
            (x - label.middle.0).hypot(y - label.middle.1)
        };
        let all = faces.observations.all();
        let near = all.iter().filter(|o| (o.pts.get() - label.secs).abs() < 0.003);
        let Some(o) = near.min_by(|a, b| off(a).total_cmp(&off(b))) else { panic!("{label:?} was not looked at") };
        assert!(off(&o) < 0.6 * o.bounds.width, "{label:?} is not {:?}", o.bounds);
        label.mouth = o.blendshapes.map(|b| f64::from(0.5 * (b[left] + b[right])));
        let series = faces.person_of(o.track).and_then(|p| smiles.get(p));
        label.smile = series.and_then(|s| s.iter().find(|(at, _)| *at == o.pts)).map(|s| s.1);
    }
}

/// Share of pairs of a smiling and an unsmiling face in which the first has more (ties are a half).
fn auc<'a>(faces: impl Iterator<Item = &'a Labelled>, value: fn(&Labelled) -> Option<f64>) -> Option<f64> {
    let (yes, no): (Vec<_>, Vec<_>) =
        faces.filter_map(|l| Some((l.smiles, value(l)?))).partition(|(smiles, _)| *smiles);
    let pairs = (yes.len() * no.len()) as f64;
    let won = |y: f64| {
        no.iter()
            .map(|n| {
                if y > n.1 {
                    1.0
                } else if y < n.1 {
                    0.0
                } else {
                    0.5
                }
            })
            .sum::<f64>()
    };
    (pairs > 0.0).then(|| yes.iter().map(|y| won(y.1)).sum::<f64>() / pairs)
}

/// F1 of smiling, and the share of talking, unsmiling faces over the threshold.
fn scores<'a>(faces: impl Iterator<Item = &'a Labelled>, above: f64) -> (f64, f64) {
    let (mut hit, mut missed, mut invented) = (0.0, 0.0, 0.0);
    let (mut talking, mut wrong) = (0.0, 0.0);
    for (label, smile) in faces.filter_map(|l| Some((l, l.smile?))) {
        let told = smile >= above;
        match (label.smiles, told) {
            (true, true) => hit += 1.0,
            (true, false) => missed += 1.0,
            (false, true) => invented += 1.0,
            (false, false) => {}
        }
        if label.talks && !label.smiles {
            talking += 1.0;
            wrong += f64::from(u8::from(told));
        }
    }
    (2.0 * hit / (2.0 * hit + missed + invented), wrong / talking)
}

/// The largest share over the threshold of any clip.
fn worst(faces: &[&Labelled], above: f64) -> f64 {
    let clips: BTreeSet<&str> = faces.iter().map(|l| l.clip.as_str()).collect();
    let of = |clip: &str| scores(faces.iter().copied().filter(|l| l.clip == clip), above).1;
    // A clip in which nobody talks without a smile has no share.
    clips.into_iter().map(of).filter(|share| share.is_finite()).fold(0.0, f64::max)
}

/// The lowest threshold at which few enough talking faces smile.
fn chosen(faces: &[&Labelled]) -> f64 {
    let few =
        |above: &f64| scores(faces.iter().copied(), *above).1 <= CHOSEN_FALSE && worst(faces, *above) <= MOST_FALSE;
    (1..100).map(|i| 0.01 * f64::from(i)).find(few).unwrap()
}

#[test]
#[cfg_attr(not(feature = "shared-tests"), ignore = "needs the reference clips: make test-shared")]
fn smiles_are_told_from_talk_on_clips_that_nothing_was_chosen_on() {
    let recipe = Recipe::default();
    let mut models =
        Models::load(&Registry::open(None).unwrap(), &recipe, Runtime::default()).expect("run make models");
    let mut all = labelled();
    assert!(all.len() >= 500 && all.iter().filter(|l| l.clip.starts_with("video/")).count() >= 400);
    let clips: BTreeMap<String, String> = all.iter().map(|l| (l.clip.clone(), l.half.clone())).collect();
    for clip in clips.keys() {
        let faces = seen(clip, &mut models, &recipe);
        measure(&mut all, clip, &faces, &recipe);
    }
    let above = recipe.turns.smile_above;
    let told = |l: &&Labelled| l.smile.is_some();
    eprintln!("{} labelled, {} with a measure; smile_above {above}", all.len(), all.iter().filter(told).count());
    for (clip, half) in &clips {
        let of = || all.iter().filter(|l| l.clip == *clip);
        let count = |smiles: bool| of().filter(told).filter(|l| l.smiles == smiles).count();
        let (f1, wrong) = scores(of(), above);
        eprintln!(
            "{clip} (half {half}): {} smiling, {} not; AUC {:.3?} (mouthSmile alone {:.3?}), F1 {f1:.2}, talking \
             taken for smiling {wrong:.3}",
            count(true),
            count(false),
            auc(of(), |l| l.smile),
            auc(of(), |l| l.mouth),
        );
        for l in of().filter(|l| l.talks && !l.smiles && l.smile >= Some(above)) {
            eprintln!("  {:.3} s at {:?}: {:.3?}, mouthSmile {:.3?}", l.secs, l.middle, l.smile, l.mouth);
        }
    }
    let half = |name: &str| all.iter().filter(|l| l.half == name).collect::<Vec<_>>();
    let (own, other) = (half("a"), half("b"));
    let best = chosen(&own);
    let (of_all, of_mouth) =
        (auc(other.iter().copied(), |l| l.smile).unwrap(), auc(other.iter().copied(), |l| l.mouth).unwrap());
    for (name, half, above) in [("a", &own, best), ("a", &own, above), ("b", &other, best), ("b", &other, above)] {
        let (f1, wrong) = scores(half.iter().copied(), above);
        eprintln!("half {name} at {above:.2}: F1 {f1:.3}, talking taken for smiling {wrong:.3}");
        assert!(wrong <= 0.05 && f1 >= 0.75, "{wrong} {f1}");
        assert!(worst(half, above) <= MOST_FALSE, "{name}: {} of one clip", worst(half, above));
    }
    // The other way about, half b's faces are the easier ones: its threshold lets more of half a's through.
    let (f1, wrong) = scores(own.iter().copied(), chosen(&other));
    eprintln!("half a at half b's {:.2}: F1 {f1:.3}, talking taken for smiling {wrong:.3}", chosen(&other));
    assert!(wrong <= 0.05 && f1 >= 0.88, "{wrong} {f1}");
    eprintln!("half b: AUC {of_all:.3} (mouthSmile alone {of_mouth:.3})");
    assert!(of_all > of_mouth && of_all >= 0.95, "{of_all} {of_mouth}");
    assert!((best - above).abs() < 0.06, "smile_above {above} is not what half a tells: {best}");
}

/// The guest of the split screen talks all through and smiles at times before 3.5 s, never after (by eye).
#[test]
#[cfg_attr(not(feature = "shared-tests"), ignore = "needs the reference clips: make test-shared")]
fn the_guest_who_talks_and_does_not_smile_gets_no_smile() {
    let recipe = Recipe::default();
    let mut models =
        Models::load(&Registry::open(None).unwrap(), &recipe, Runtime::default()).expect("run make models");
    let faces = seen("video/interview_split_screen.mp4", &mut models, &recipe);
    let smiles = turns::smiles_of(&faces, &recipe.turns).unwrap();
    let right = |p: &&String| faces.of_person(p).next().unwrap().unwrap().bounds.centre().0 > 640.0;
    let guest = faces.persons.iter().find(right).unwrap();
    let talk: Vec<f64> = smiles[guest].iter().filter(|(at, _)| at.get() > 4.0).map(|s| s.1).collect();
    let (mean, over) = (
        talk.iter().sum::<f64>() / talk.len() as f64,
        talk.iter().filter(|s| **s >= recipe.turns.smile_above).count() as f64 / talk.len() as f64,
    );
    eprintln!("guest while he talks without a smile: mean {mean:.3}, {:.1} % over the threshold", 100.0 * over);
    assert!(mean < 0.15 && over < 0.05, "{mean} {over}");
}
