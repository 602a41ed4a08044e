//! Made pictures of rooms and tiles.

use super::*;
use crate::random::Random;

const WIDTH: u32 = 320;
const HEIGHT: u32 = 180;

fn face(x: f32, y: f32, side: f32) -> BoundingBox {
    BoundingBox::from_corners(x - 0.5 * side, y - 0.5 * side, x + 0.5 * side, y + 0.5 * side)
}

/// Eleven pictures in a second, each by `paint`, and the layout that the faces make of them.
fn shot(faces: &[BoundingBox], paint: impl Fn(u32, u32, u32) -> u8) -> Shot {
    let mut seeker = LayoutSeeker::new(0.03, 0.9);
    for i in 0..11 {
        let picture = RgbImage::from_fn(WIDTH, HEIGHT, |x, y| image::Rgb([paint(i, x, y); 3]));
        seeker.take(&picture, Seconds::of(0.1 * f64::from(i)));
    }
    let mut shots = seeker.finish();
    assert_eq!(shots.len(), 1);
    let mut shot = shots.remove(0);
    shot.arrange(faces);
    shot
}

/// Grey that comes and goes, so that only what is painted over it stands still.
fn restless(i: u32, x: u32, y: u32) -> u8 {
    let mut random = Random::seeded(u64::from(i) << 40 | u64::from(x / 5) << 20 | u64::from(y / 5));
    (100.0 + 40.0 * random.signed()) as u8
}

#[test]
fn a_line_from_top_to_bottom_parts_two_rooms() {
    let faces = [face(80.0, 70.0, 40.0), face(240.0, 60.0, 40.0)];
    let tiles = shot(&faces, |i, x, y| if (158..162).contains(&x) { 250 } else { restless(i, x, y) });
    assert_eq!(tiles.layout, Some(ShotLayout::SplitScreen), "{:?}", tiles.lines);
    assert_eq!(tiles.apart(faces[0], faces[1]), Some(true));
    assert_eq!(tiles.apart(faces[0], face(120.0, 70.0, 40.0)), Some(false), "two in one tile");
    // The same line where somebody stands before its lower half.
    let room = shot(&faces, |i, x, y| if (158..162).contains(&x) && y < 95 { 250 } else { restless(i, x, y) });
    assert_eq!(room.layout, Some(ShotLayout::OneCamera), "{:?}", room.lines);
    // One that goes to and fro with the camera.
    let shaken = shot(&faces, |i, x, y| if (150..154).contains(&(x + 6 * (i % 3))) { 250 } else { restless(i, x, y) });
    assert_eq!(shaken.layout, Some(ShotLayout::OneCamera));
}

#[test]
fn edges_are_counted_where_neighbours_of_the_grid_differ() {
    // Every third pixel of every second row; neither side divides.
    let picture = RgbImage::from_fn(1283, 363, |x, y| {
        let mut random = Random::seeded(u64::from(x / 7) << 20 | u64::from(y / 5));
        image::Rgb([0, 1, 2].map(|_| (100.0 + 12.0 * random.signed()) as u8))
    });
    let mut edges = Edges::new(Seconds::ZERO, picture.dimensions());
    assert_eq!((edges.step, edges.points), ((3, 2), (428, 182)));
    let mut expected = (edges.right.clone(), edges.below.clone());
    for round in 0..2u32 {
        edges.take(&picture, Seconds::of(f64::from(round)), 0.03);
        let pixel = |i: u32, j: u32| picture.get_pixel(3 * i, 2 * j).0;
        let apart = |a: [u8; 3], b: [u8; 3]| u32::from((0..3).any(|k| a[k].abs_diff(b[k]) >= 8));
        for (i, j) in (0..182).flat_map(|j| (0..428).map(move |i| (i, j))) {
            let at = (j * 428 + i) as usize;
            expected.0[at] += if i + 1 < 428 { apart(pixel(i, j), pixel(i + 1, j)) } else { 0 };
            expected.1[at] += if j + 1 < 182 { apart(pixel(i, j), pixel(i, j + 1)) } else { 0 };
        }
    }
    assert!(edges.right == expected.0 && edges.below == expected.1);
    assert!(expected.0.contains(&2) && expected.1.contains(&2) && expected.0.contains(&0));
    for size in [(0, 0), (1, 1), (5, 1), (1, 5)] {
        let mut edges = Edges::new(Seconds::ZERO, size);
        edges.take(&RgbImage::new(size.0, size.1), Seconds::ZERO, 0.03);
        assert!(edges.right.iter().chain(&edges.below).all(|n| *n == 0), "{size:?}");
    }
}

#[test]
fn four_tiles_are_a_gallery_with_edges_that_meet() {
    let faces = [(80.0, 45.0), (240.0, 45.0), (80.0, 135.0), (240.0, 135.0)].map(|(x, y)| face(x, y, 26.0));
    // Tiles on black, with black between them.
    let gap = |x: u32, y: u32| {
        !((8..156).contains(&x) || (164..312).contains(&x)) || !((6..87).contains(&y) || (93..174).contains(&y))
    };
    let tiles = shot(&faces, |i, x, y| if gap(x, y) { 0 } else { restless(i, x, y) });
    assert_eq!(tiles.layout, Some(ShotLayout::Gallery));
    assert!((0..4).all(|a| (0..4).all(|b| tiles.apart(faces[a], faces[b]) == Some(a != b))));
}

#[test]
fn a_door_frame_beside_a_standing_person_parts_nobody() {
    let faces = [face(80.0, 60.0, 20.0), face(240.0, 60.0, 20.0)];
    let frame = |x: u32, y: u32| (150..153).contains(&x) && (30..140).contains(&y);
    // Along both heads and shoulders, but without corners.
    let room = shot(&faces, |i, x, y| if frame(x, y) { 250 } else { restless(i, x, y) });
    assert_eq!(room.layout, Some(ShotLayout::OneCamera), "{:?}", room.lines);
}

#[test]
fn a_shot_of_two_looks_tells_nothing_and_a_flash_parts_no_shot() {
    let picture = RgbImage::from_pixel(64, 36, image::Rgb([90; 3]));
    let mut seeker = LayoutSeeker::new(0.03, 0.9);
    (0..2).for_each(|i| seeker.take(&picture, Seconds::of(0.2 * f64::from(i))));
    seeker.follow(Change::Cut);
    seeker.take(&picture, Seconds::of(0.4));
    seeker.follow(Change::Back);
    (2..4).for_each(|i| seeker.take(&picture, Seconds::of(0.3 * f64::from(i))));
    seeker.follow(Change::Cut);
    seeker.take(&picture, Seconds::of(1.2));
    let mut shots = seeker.finish();
    shots.iter_mut().for_each(|s| s.arrange(&[]));
    let told: Vec<(f64, Option<ShotLayout>)> = shots.iter().map(|s| (s.first_pts.get(), s.layout)).collect();
    assert_eq!(told, [(0.0, Some(ShotLayout::OneCamera)), (1.2, None)]);
}

#[test]
fn empty_pictures_do_no_harm() {
    let mut seeker = LayoutSeeker::new(0.03, 0.9);
    (0..5).for_each(|i| seeker.take(&RgbImage::new(0, 0), Seconds::of(f64::from(i))));
    (5..9).for_each(|i| seeker.take(&RgbImage::new(1, 1), Seconds::of(f64::from(i))));
    assert_eq!(seeker.finish().len(), 1);
}

#[test]
#[cfg_attr(not(feature = "shared-tests"), ignore = "needs the reference clips: make test-shared")]
fn split_screens_and_rooms_of_the_clips_are_told_apart() {
    use crate::face::golden::models;
    use crate::face::{FaceConfig, FaceTracker};
    use crate::media::StreamPick;
    // By eye: both debates of two faces are cut together of two cameras' pictures, by a line; the others are rooms.
    let clips: [(&str, &[&str]); 6] = [
        ("video/interview_split_screen.mp4", &["split_screen"]),
        ("video/debate_two_faces.avi", &["split_screen"]),
        ("video/two_women_portrait.mp4", &["one_camera"]),
        ("video/debate_cuts.mp4", &["one_camera"]),
        ("dev/statement_two_men.mp4", &["one_camera"]),
        ("dev/home_low_light.mp4", &["one_camera"]),
    ];
    for (clip, expected) in clips {
        let mut models = models();
        // Faces alone: no expression is needed here.
        let config = FaceConfig { rate_hz: 5.0, expression_hz: 0.01, ..FaceConfig::default() };
        let tracker = FaceTracker::new(&mut models, &config);
        let path = crate::reference::folder().join("media").join(clip);
        let faces = crate::face::watch(&path, StreamPick::default(), 5.0, tracker, |_| Ok(())).unwrap().0;
        let told: Vec<&str> = faces.shots.iter().filter_map(|s| Some(s.layout?.name())).collect();
        eprintln!("{clip}: {told:?}");
        assert!(!told.is_empty() && told.iter().all(|l| expected.contains(l)), "{clip}: {told:?}");
    }
}
