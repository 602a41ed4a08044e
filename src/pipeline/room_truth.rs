//! Rooms, tiles and photos in made video: where people can look at each other, and whose camera shows nobody.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::watch::look;
use super::{Models, Request, Work};
use crate::annotation::Turn;
use crate::inference::{ModelSet, Registry, Runtime};
use crate::recipe::Recipe;
use crate::table::{ColumnData, Table};
use crate::time::Segment;
use crate::turns::{self, Relations, SpeakerLink};
use crate::warning::Warnings;

/// A video call of four seconds: on the left a man who talks, on the right a photo, both with black around them.
fn call(shared: &Path, folder: &Path) -> PathBuf {
    let path = folder.join("call.mp4");
    let tile = "crop=ih:ih,scale=340:340,pad=360:360:10:10";
    let graph = format!(
        "[0:v]fps=25,{tile}[l];[1:v]trim=end_frame=1,loop=-1:1:0,setpts=N/25/TB,fps=25,{tile}[r];[l][r]hstack=shortest=1[v]"
    );
    let run = Command::new("ffmpeg")
        .args(["-v", "error", "-i"])
        .arg(shared.join("media/odd/videoretalking_1.mp4"))
        .arg("-i")
        .arg(shared.join("media/video/single_face.mp4"))
        .args(["-filter_complex", &graph, "-map", "[v]", "-an", "-t", "4"])
        .args(["-c:v", "libx264", "-crf", "23", "-pix_fmt", "yuv420p", "-threads", "1"])
        .arg(&path)
        .output()
        .unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    path
}

fn texts(table: &Table, name: &str) -> Vec<Option<String>> {
    match table.column(name).unwrap() {
        ColumnData::Str(v) => v.clone(),
        other => panic!("{name}: {:?}", other.kind()),
    }
}

fn numbers(table: &Table, name: &str) -> Vec<Option<f64>> {
    match table.column(name).unwrap() {
        ColumnData::F64(v) => v.iter().map(|x| Some(*x).filter(|x| x.is_finite())).collect(),
        other => panic!("{name}: {:?}", other.kind()),
    }
}

/// The dyads and the faces of two turns, the left one's and the right one's, of people told apart by their place.
fn tables(path: &Path, split: f32, secs: f64) -> (Table, Table) {
    let request = Request::of_file(path).unwrap();
    let recipe = Recipe::default();
    let mut models =
        Models::load(&Registry::open(None).unwrap(), &recipe, Runtime::default()).expect("run make models");
    let warnings = Warnings::default();
    let work = Work { request: &request, recipe: &recipe, warnings: &warnings, progress: &|_| {} };
    let faces = look(work, request.media.as_ref().unwrap(), models.face.as_mut().unwrap(), None).unwrap().faces;
    let left = |p: &&String| faces.of_person(p).all(|o| o.unwrap().bounds.centre().0 < split);
    let right = |p: &&String| faces.of_person(p).all(|o| o.unwrap().bounds.centre().0 > split);
    let link = |person: Option<&String>| SpeakerLink { voice: None, person: person.cloned() };
    let links: BTreeMap<String, SpeakerLink> = [
        ("Left".to_owned(), link(faces.persons.iter().find(left))),
        ("Right".to_owned(), link(faces.persons.iter().find(right))),
    ]
    .into();
    let turn = |index: u32, from: f64, to: f64, speaker: &str| Turn {
        index,
        segment: Segment::from_secs(from, to).unwrap(),
        speaker: Some(speaker.into()),
        text: String::new(),
        words: Vec::new(),
    };
    let turns = [turn(1, 0.0, 0.5 * secs, "Left"), turn(2, 0.5 * secs, secs, "Right")];
    let face_turns = turns::face_turns(&turns, &faces, &recipe.turns).unwrap();
    let relations =
        Relations { faces: &faces, face_turns: &face_turns, ..Relations::of("i", &turns, &links, &recipe.turns) };
    let people: Vec<Option<&str>> = ["Left", "Right"].map(|l| links[l].person.as_deref()).to_vec();
    let by_turn = turns::turn_faces_table("i", &turns, &face_turns, |turn| people[turn]).unwrap();
    (turns::dyads_table(&relations).unwrap(), by_turn)
}

#[test]
#[cfg_attr(not(feature = "shared-tests"), ignore = "needs the reference clips: make test-shared")]
fn a_photo_in_a_video_call_does_nothing_and_nobody_is_beside_it() {
    let folder = tempfile::tempdir().unwrap();
    let (dyads, faces) = tables(&call(&crate::reference::folder(), folder.path()), 360.0, 4.0);
    // The photo listens to the first turn, the man to the second.
    let photo = Some("still_picture".to_owned());
    assert_eq!(texts(&dyads, "listener_face_missing"), [photo.clone(), None]);
    assert_eq!(texts(&dyads, "listener_gaze_missing"), [photo.clone(), Some("split_screen".into())]);
    assert_eq!(numbers(&dyads, "listener_gaze_towards_share"), [None, None]);
    assert!(matches!(numbers(&dyads, "listener_gaze_camera_share")[..], [None, Some(_)]));
    assert!(matches!(numbers(&dyads, "listener_smile")[..], [None, Some(_)]));
    assert!(matches!(numbers(&dyads, "speaker_smile")[..], [Some(_), None]));
    let missing = texts(&faces, "face_missing");
    assert_eq!(missing.iter().filter(|m| **m == photo).count(), 2, "{missing:?}");
    assert!(texts(&faces, "layout").iter().all(|l| l.as_deref() == Some("split_screen")));
}

#[test]
#[cfg_attr(not(feature = "shared-tests"), ignore = "needs the reference clips: make test-shared")]
fn gaze_goes_to_the_camera_in_a_split_screen_and_to_the_other_in_a_room() {
    let clip = |name: &str| crate::reference::folder().join("media/video").join(name);
    let (split, _) = tables(&clip("interview_split_screen.mp4"), 640.0, 17.0);
    eprintln!("split screen: camera {:.2?}", numbers(&split, "listener_gaze_camera_share"));
    assert_eq!(numbers(&split, "listener_gaze_towards_share"), [None, None]);
    assert_eq!(texts(&split, "listener_gaze_missing"), [Some("split_screen".into()), Some("split_screen".into())]);
    // By eye both look into their cameras nearly all the time.
    assert!(numbers(&split, "listener_gaze_camera_share").iter().all(|s| s.is_some_and(|s| s > 0.8)));
    let (room, _) = tables(&clip("two_women_portrait.mp4"), 181.0, 48.0);
    eprintln!("room: towards {:.2?}", numbers(&room, "listener_gaze_towards_share"));
    assert!(numbers(&room, "listener_gaze_towards_share").iter().all(Option::is_some));
    assert_eq!(texts(&room, "listener_gaze_missing"), [None, None]);
    assert_eq!(numbers(&room, "listener_gaze_camera_share"), [None, None]);
}
