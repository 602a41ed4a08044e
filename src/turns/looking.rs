//! Where the listener looks while the speaker talks, by what the picture is of.
//!
//! In one room the speaker's side is where the speaker's face stands beside the listener's in the same picture. Looking
//! more than so many degrees of yaw to that side is towards, as many to the other is away, between them neither. Where
//! a head is turned too far for its eyes to be seen, the head's own direction stands in (Stiefelhagen and Zhu 2002,
//! "Head orientation and gaze direction in meetings": the head alone tells the focus of attention in 89 of 100 looks).
//!
//! Where the two are in different tiles of a split screen, sides mean nothing. People who talk over cameras look at the
//! other's picture, which stands near the camera; so the share of looks at the camera is told instead.

use super::Relations;
use super::TurnsConfig;
use super::silent::on_screen;
use super::watched::{Look, Person};
use crate::table::{Column, CutOff, Missing, all_until};
use crate::time::{Segment, TOLERANCE_SECS};

/// Fewest instants that a share is made of: half a second at ten pictures a second; a choice.
const MIN_INSTANTS: usize = 5;

/// The faces stand side by side when their middles are this many widths apart; a choice.
const MIN_SIDE_WIDTHS: f64 = 0.5;

/// Where one listener looks during one turn; `None` where it cannot be told.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Looking {
    /// Shares of looking towards and away from the speaker's side, in one room.
    sides: Option<(f64, f64)>,
    /// Why there are none.
    missing: Option<Missing>,
    /// Share of looking at the camera, in a split screen.
    camera: Option<f64>,
}

/// The columns.
pub(super) fn columns() -> Vec<Column<Looking>> {
    let columns = [
        Column::float(
            "listener_gaze_towards_share",
            "1",
            "Share, 0 to 1, of instants of the turn in which the listener looks to the side of the picture on which \
             the speaker's face is: the gaze lies at least {turns.gaze_side_deg} deg of yaw to that side from the \
             direction straight into the camera. Gaze: gaze_camera_yaw_deg of faces, from the iris between the \
             corners of the eye, 0 = into the camera wherever the face stands; it errs by about 10 deg. Where the \
             listener's head is turned aside by more than {turns.max_yaw_deg} deg, its own yaw stands in for the eyes \
             (Stiefelhagen and Zhu 2002). It tells the side, not that the eyes meet the speaker. Instants: looked-at \
             frames ({face.rate_hz} a second) that show both in one picture of one room, their faces' middles apart \
             by half a face's width or more; the listener's face with an open eye (lids apart by 0.12 of its width), \
             large, sharp and sure enough (or the head turned that far), the speaker's of any quality; frames of a \
             shot too short to tell its layout (below about 0.4 s) do not count. Null with fewer than 5, as in split \
             screens, with listener_gaze_missing. Who is in another camera's picture is not looked for.",
            |l: &Looking| l.sides.map(|s| s.0),
        ),
        Column::float(
            "listener_gaze_away_share",
            "1",
            "The same for looking to the side away from the speaker.",
            |l: &Looking| l.sides.map(|s| s.1),
        ),
        Column::text(
            "listener_gaze_missing",
            "Why listener_gaze_towards_share and _away_share are null; null = they are filled. no_stream (no \
             video), not_cast (which person is the listener, or the speaker, is not known), no_face (the listener \
             is not in the picture during the turn), still_picture (a photo of the listener), not_together (never \
             both in one picture), split_screen (in different tiles in half of the frames that show both, or more), \
             low_quality (together in 5 frames or more, and in fewer than 5 of them the listener's gaze and the two \
             sides can be told), too_short (together in fewer than 5 frames).",
            |l: &Looking| l.missing,
        ),
        Column::float(
            "listener_gaze_camera_share",
            "1",
            "In split screens: share of the instants in which speaker and listener are in different tiles and the \
             listener looks within {turns.gaze_camera_deg} degrees of the camera, which is what looking at the other \
             means when people talk over cameras. Two cameras in one room, cut into one picture, are a split screen \
             too: there people look past the cameras. Null in one room and with fewer than 5 such instants.",
            |l: &Looking| l.camera,
        ),
    ];
    all_until(CutOff::TurnEnd, columns)
}

/// What is counted.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    together: usize,
    room: usize,
    towards: usize,
    away: usize,
    apart: usize,
    tiles: usize,
    camera: usize,
}

/// Where the listener looks during the segment.
pub(super) fn looking(
    relations: &Relations<'_>,
    segment: Segment,
    speaker: Option<&Person>,
    listener: Option<&Person>,
) -> Looking {
    let seen = on_screen(relations, segment, listener).and_then(|l| Ok((l, speaker.ok_or(Missing::NotCast)?)));
    let (listener, speaker) = match seen {
        Ok(both) => both,
        Err(missing) => return Looking { missing: Some(missing), ..Looking::default() },
    };
    let tally = tally(relations, segment, speaker, listener);
    let share = |n: usize, all: usize| n as f64 / all as f64;
    let sides = (tally.room >= MIN_INSTANTS).then(|| (share(tally.towards, tally.room), share(tally.away, tally.room)));
    let missing = match tally {
        _ if sides.is_some() => None,
        t if t.together == 0 => Some(Missing::NotTogether),
        t if t.apart > 0 && 2 * t.apart >= t.together => Some(Missing::SplitScreen),
        t if t.together >= MIN_INSTANTS => Some(Missing::LowQuality),
        _ => Some(Missing::TooShort),
    };
    Looking { sides, missing, camera: (tally.tiles >= MIN_INSTANTS).then(|| share(tally.camera, tally.tiles)) }
}

fn tally(relations: &Relations<'_>, segment: Segment, speaker: &Person, listener: &Person) -> Tally {
    let config = relations.config;
    let beside = segment.part_of(&speaker.looks, |l| l.at);
    let mut next = 0;
    let mut tally = Tally::default();
    for look in segment.part_of(&listener.looks, |l| l.at).iter().filter(|l| !l.still) {
        while beside.get(next).is_some_and(|s| s.at < look.at - TOLERANCE_SECS) {
            next += 1;
        }
        let Some(other) = beside.get(next).filter(|s| s.at <= look.at + TOLERANCE_SECS) else { continue };
        tally.together += 1;
        // Without pictures of the shots, as in what is made for tests, there is one room.
        let shot = relations.faces.shot_at(look.pts);
        match shot.map_or(Some(false), |s| s.apart(look.bounds, other.bounds)) {
            Some(true) => count_camera(&mut tally, look, config),
            Some(false) => count_side(&mut tally, look, other, config),
            None => {}
        }
    }
    tally
}

fn count_camera(tally: &mut Tally, look: &Look, config: &TurnsConfig) {
    tally.apart += 1;
    if let Some(angle) = look.gaze_camera_deg {
        tally.tiles += 1;
        tally.camera += usize::from(angle <= config.gaze_camera_deg);
    }
}

fn count_side(tally: &mut Tally, look: &Look, other: &Look, config: &TurnsConfig) {
    let middle = |l: &Look| f64::from(l.bounds.centre().0);
    let apart = middle(other) - middle(look);
    let width = f64::from(look.bounds.width.max(other.bounds.width));
    let Some(gaze) = look.gaze_yaw_deg.filter(|_| apart.abs() >= MIN_SIDE_WIDTHS * width) else { return };
    let yaw = gaze * apart.signum();
    tally.room += 1;
    tally.towards += usize::from(yaw >= config.gaze_side_deg);
    tally.away += usize::from(yaw <= -config.gaze_side_deg);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::face::{BoundingBox, Faces, Line, Shot, ShotLayout};
    use crate::time::Seconds;
    use std::collections::BTreeMap;

    fn turn(a: f64, b: f64) -> Segment {
        Segment::from_secs(a, b).unwrap()
    }

    /// Forty looks in four seconds of a face 100 px wide.
    fn person(x: f32, yaw: impl Fn(usize) -> Option<f64>) -> Person {
        let look = |i: usize| Look {
            gaze_yaw_deg: yaw(i),
            gaze_camera_deg: yaw(i).map(f64::abs),
            bounds: BoundingBox::from_corners(x - 50.0, 100.0, x + 50.0, 200.0),
            ..Look::at(Seconds::of(0.1 * i as f64))
        };
        Person { looks: (0..40).map(look).collect(), ..Person::default() }
    }

    fn look_in(faces: &Faces, speaker: &Person, listener: &Person, segment: Segment) -> Looking {
        let (links, config) = (BTreeMap::new(), TurnsConfig::default());
        let relations = Relations { faces, ..Relations::of("i", &[], &links, &config) };
        looking(&relations, segment, Some(speaker), Some(listener))
    }

    /// A picture of 800 px with a line down its middle, or none.
    fn faces(line: bool) -> Faces {
        let line = line.then_some(Line { upright: true, at: 500.0, from: 0.0, to: 400.0 });
        let shot = Shot { size: (800.0, 400.0), lines: Some(line.into_iter().collect()), ..Shot::default() };
        Faces {
            shots: vec![Shot { layout: Some(ShotLayout::OneCamera), ..shot }],
            sampled: vec![Seconds::ZERO],
            ..Faces::default()
        }
    }

    /// Ten looks to the image's right, five to its left, five into the camera, the rest unseen.
    fn yaw(i: usize) -> Option<f64> {
        [25.0, 25.0, -25.0, 3.0].get(i / 5).copied()
    }

    #[test]
    fn towards_is_where_the_speaker_stands_in_one_room() {
        let (listener, all, none) = (person(300.0, yaw), turn(0.0, 4.0), |_: usize| None);
        let room = faces(false);
        let sides = |speaker: &Person| look_in(&room, speaker, &listener, all).sides;
        assert_eq!(sides(&person(700.0, none)), Some((0.5, 0.25)));
        assert_eq!(sides(&person(100.0, none)), Some((0.25, 0.5)));
        let behind = look_in(&room, &person(310.0, none), &listener, all);
        assert_eq!((behind.sides, behind.missing), (None, Some(Missing::LowQuality)), "one behind the other");
        let mut elsewhere = person(700.0, none);
        elsewhere.looks.iter_mut().for_each(|l| l.at += 0.05);
        let never = look_in(&room, &elsewhere, &listener, all);
        assert_eq!((never.sides, never.missing), (None, Some(Missing::NotTogether)));
    }

    #[test]
    fn in_a_split_screen_there_are_no_sides_but_the_camera() {
        let (listener, all) = (person(300.0, yaw), turn(0.0, 4.0));
        let told = look_in(&faces(true), &person(700.0, |_| None), &listener, all);
        assert_eq!(told, Looking { sides: None, missing: Some(Missing::SplitScreen), camera: Some(0.25) });
        // Two in the same tile are in one room.
        let told = look_in(&faces(true), &person(100.0, |_| None), &listener, all);
        assert_eq!(told, Looking { sides: Some((0.25, 0.5)), missing: None, camera: None });
        let short = Faces { shots: vec![Shot::default()], ..faces(false) };
        let told = look_in(&short, &person(700.0, |_| None), &listener, all);
        assert_eq!((told.sides, told.camera), (None, None), "a shot too short to tell");
    }

    #[test]
    fn a_photo_looks_nowhere() {
        let mut listener = person(300.0, yaw);
        listener.looks.iter_mut().for_each(|l| l.still = true);
        let told = look_in(&faces(false), &person(700.0, |_| None), &listener, turn(0.0, 4.0));
        assert_eq!((told.sides, told.missing), (None, Some(Missing::StillPicture)));
        let nobody = Person::default();
        assert_eq!(
            look_in(&faces(false), &person(700.0, |_| None), &nobody, turn(0.0, 4.0)).missing,
            Some(Missing::NoFace)
        );
    }
}
