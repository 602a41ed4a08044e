//! Acceptance of the cast: who on the screen says each speech turn of the reference videos, against what people saw and
//! heard there.

use std::collections::BTreeMap;
use std::path::Path;

use super::{Models, Request, extract};
use crate::inference::{ModelSet, Registry, Runtime};
use crate::recipe::Recipe;
use crate::table::{ColumnData, Table};

/// A line of `tests/fixtures/cast_truth.csv`.
struct Line {
    clip: String,
    start: f64,
    end: f64,
    who: String,
    /// False for a voice that diarization is known not to tell from another over it: the cast has nothing to say of it.
    voice_found: bool,
}

fn truth() -> Vec<Line> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/cast_truth.csv");
    let text = std::fs::read_to_string(path).unwrap();
    let line = |line: &str| {
        let cells: Vec<&str> = line.split(',').collect();
        Line {
            clip: cells[0].into(),
            start: cells[1].parse().unwrap(),
            end: cells[2].parse().unwrap(),
            who: cells[3].into(),
            voice_found: cells[4] == "yes",
        }
    };
    text.lines().skip(1).map(line).collect()
}

fn numbers(table: &Table, name: &str) -> Vec<f64> {
    match table.column(name).unwrap() {
        ColumnData::F64(v) => v.clone(),
        ColumnData::F32(v) => v.iter().map(|x| f64::from(*x)).collect(),
        other => panic!("{name}: {:?}", other.kind()),
    }
}

fn texts(table: &Table, name: &str) -> Vec<Option<String>> {
    match table.column(name).unwrap() {
        ColumnData::Str(v) => v.clone(),
        other => panic!("{name}: {:?}", other.kind()),
    }
}

/// Mean left edge of each person's face.
fn places(faces: &Table) -> BTreeMap<String, f64> {
    let mut sums: BTreeMap<String, (f64, f64)> = BTreeMap::new();
    for (person, left) in texts(faces, "person").into_iter().zip(numbers(faces, "box_left_px")) {
        if let Some(person) = person {
            let sum = sums.entry(person).or_default();
            *sum = (sum.0 + left, sum.1 + 1.0);
        }
    }
    sums.into_iter().map(|(person, (sum, count))| (person, sum / count)).collect()
}

#[test]
#[cfg_attr(not(feature = "shared-tests"), ignore = "needs the reference clips: make test-shared")]
fn the_cast_is_what_people_see_and_hear() {
    let shared = crate::reference::folder();
    let recipe = Recipe::default();
    let mut models =
        Models::load(&Registry::open(None).unwrap(), &recipe, Runtime::default()).expect("run make models");
    let truth = truth();
    let (mut wrong, mut unheard) = (Vec::new(), 0);
    for clip in ["interview_split_screen.mp4", "debate_two_faces.avi", "debate_cuts.mp4", "ted_talk.mp4"] {
        let request = Request::of_file(&shared.join("media/video").join(clip)).unwrap();
        let done = extract(&request, &mut models, &recipe, None, &|_| {}).unwrap();
        let table = |name: &str| done.table(name, &recipe).unwrap().unwrap();
        let (turns, places) = (&table("turns"), places(&table("faces")));
        let (starts, ends, persons) =
            (numbers(turns, "start_secs"), numbers(turns, "end_secs"), texts(turns, "person"));
        // The two largest faces stand left and right; a single person on the screen is one and the same throughout.
        let mut on_screen: Vec<&str> = Vec::new();
        for line in truth.iter().filter(|l| l.clip == clip) {
            let share = |i: &usize| {
                let overlap = (ends[*i].min(line.end) - starts[*i].max(line.start)).max(0.0);
                overlap / (ends[*i].max(line.end) - starts[*i].min(line.start))
            };
            let row = (0..turns.rows()).max_by(|a, b| share(a).total_cmp(&share(b))).unwrap();
            let person = persons[row].as_deref();
            let got = match (person, line.who.as_str()) {
                (None, _) => "off",
                (Some(p), "left" | "right") => {
                    let others = places.iter().filter(|(q, _)| *q != p).map(|(_, x)| *x);
                    if others.into_iter().all(|x| places[p] < x) { "left" } else { "right" }
                }
                (Some(p), _) => {
                    on_screen.push(p);
                    "screen"
                }
            };
            eprintln!("{clip} {:.2}-{:.2}: {got} ({person:?}), truth {}", line.start, line.end, line.who);
            let right = share(&row) >= 0.6 && got == line.who;
            if !right && !line.voice_found {
                unheard += 1;
            } else if !right {
                wrong.push(format!("{clip} {:.2}-{:.2}: {got}, truth {}", line.start, line.end, line.who));
            }
        }
        on_screen.dedup();
        assert!(on_screen.len() <= 1, "{clip}: {on_screen:?}");
    }
    eprintln!("{} of {} turns right, {unheard} not heard", truth.len() - wrong.len() - unheard, truth.len());
    assert!(wrong.is_empty(), "{wrong:#?}");
}
