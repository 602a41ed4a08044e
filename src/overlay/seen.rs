//! What tables of frames tell of one person in one frame, as far as it is drawn.

use std::sync::Arc;

use crate::store::read::StoredTable;
use crate::table::ColumnData;

/// A point of the picture.
pub type Point = [f32; 2];

/// Landmarks of a body that are less visible are guesses, and not drawn.
const LEAST_VISIBLE: f32 = 0.5;

/// Landmarks that have columns of their own, by their number among the 33.
const BODY_COLUMNS: [(&str, usize); 13] = [
    ("nose", 0),
    ("left_ear", 7),
    ("right_ear", 8),
    ("left_shoulder", 11),
    ("right_shoulder", 12),
    ("left_elbow", 13),
    ("right_elbow", 14),
    ("left_wrist", 15),
    ("right_wrist", 16),
    ("left_index", 19),
    ("right_index", 20),
    ("left_hip", 23),
    ("right_hip", 24),
];
/// The same of a hand, among the 21.
const HAND_COLUMNS: [(&str, usize); 4] = [("wrist", 0), ("thumb_tip", 4), ("index_tip", 8), ("middle_base", 9)];

/// Which of them are joined by a line, as MediaPipe draws them; of the head the mouth alone.
pub const BODY_BONES: [(usize, usize); 27] = [
    (11, 12),
    (11, 13),
    (13, 15),
    (15, 17),
    (15, 19),
    (15, 21),
    (17, 19),
    (12, 14),
    (14, 16),
    (16, 18),
    (16, 20),
    (16, 22),
    (18, 20),
    (11, 23),
    (12, 24),
    (23, 24),
    (23, 25),
    (24, 26),
    (25, 27),
    (26, 28),
    (27, 29),
    (28, 30),
    (29, 31),
    (30, 32),
    (27, 31),
    (28, 32),
    (9, 10),
];
/// Those of a hand.
pub const HAND_BONES: [(usize, usize); 21] = [
    (0, 1),
    (1, 2),
    (2, 3),
    (3, 4),
    (0, 5),
    (5, 6),
    (6, 7),
    (7, 8),
    (5, 9),
    (9, 10),
    (10, 11),
    (11, 12),
    (9, 13),
    (13, 14),
    (14, 15),
    (15, 16),
    (13, 17),
    (17, 18),
    (18, 19),
    (19, 20),
    (0, 17),
];
/// Those of a hand of which only [`HAND_COLUMNS`] are told.
pub const HAND_SHORT: [(usize, usize); 3] = [(0, 9), (0, 4), (9, 8)];

/// A face in a frame.
#[derive(Clone, Debug, PartialEq)]
pub struct Face {
    pub track: i64,
    pub person: Option<Arc<str>>,
    /// Left, top, width, height.
    pub bounds: [f32; 4],
    /// Mean of both mouth corners' blendshapes, 0 to 1.
    pub smile: Option<f32>,
    /// Yaw and pitch against the line to the camera, in degrees.
    pub gaze: Option<[f32; 2]>,
    /// The mesh, in quarters of a pixel: a part of a table holds thousands of them.
    points: Option<Box<[[i16; 2]]>>,
}

/// A body in a frame.
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    pub person: Option<Arc<str>>,
    /// The 33 landmarks; `None` where it is not told, or a guess.
    pub points: Box<[Option<Point>]>,
}

/// A hand in a frame.
#[derive(Clone, Debug, PartialEq)]
pub struct Hand {
    pub person: Option<Arc<str>>,
    /// The 21 landmarks; `None` where it is not told.
    pub points: Box<[Option<Point>]>,
}

impl Face {
    /// The columns that it is read from.
    pub fn reads(column: &str) -> bool {
        let names = [
            "pts_secs",
            "track_id",
            "person",
            "blendshape_mouthSmileLeft",
            "blendshape_mouthSmileRight",
            "gaze_camera_yaw_deg",
            "gaze_camera_pitch_deg",
            "landmarks_px",
        ];
        names.contains(&column) || column.starts_with("box_")
    }

    /// A row of `faces`.
    pub fn row(table: &StoredTable, row: usize) -> Option<(f64, Self)> {
        let number = |name: &str| table.number(name, row).map(|x| x as f32);
        let bounds = [number("box_left_px")?, number("box_top_px")?, number("box_width_px")?, number("box_height_px")?];
        let smile = number("blendshape_mouthSmileLeft").zip(number("blendshape_mouthSmileRight"));
        let gaze = number("gaze_camera_yaw_deg").zip(number("gaze_camera_pitch_deg"));
        let points = list(table, "landmarks_px", row);
        let quarter = |x: f32| (4.0 * x).round().clamp(f32::from(i16::MIN), f32::from(i16::MAX)) as i16;
        Some((
            table.number("pts_secs", row)?,
            Face {
                track: table.number("track_id", row)? as i64,
                person: person(table, row),
                bounds,
                smile: smile.map(|(left, right)| (left + right) / 2.0),
                gaze: gaze.map(|(yaw, pitch)| [yaw, pitch]),
                points: points.map(|p| p.chunks_exact(3).map(|xyz| [quarter(xyz[0]), quarter(xyz[1])]).collect()),
            },
        ))
    }

    /// The mesh, where the table holds it.
    pub fn points(&self) -> impl Iterator<Item = Point> {
        self.points.iter().flatten().map(|[x, y]| [f32::from(*x) / 4.0, f32::from(*y) / 4.0])
    }
}

impl Body {
    /// The columns that it is read from.
    pub fn reads(column: &str) -> bool {
        let named = |suffix: &str| {
            column.strip_suffix(suffix).is_some_and(|name| BODY_COLUMNS.iter().any(|(known, _)| *known == name))
        };
        ["pts_secs", "person", "landmarks_px", "visibility"].contains(&column)
            || ["_x_px", "_y_px", "_visibility"].into_iter().any(named)
    }

    /// A row of `bodies`.
    pub fn row(table: &StoredTable, row: usize) -> Option<(f64, Self)> {
        let mut points = vec![None; 33].into_boxed_slice();
        match (list(table, "landmarks_px", row), list(table, "visibility", row)) {
            (Some(all), Some(visible)) => {
                for ((point, xyz), visible) in points.iter_mut().zip(all.chunks_exact(3)).zip(visible) {
                    *point = (*visible >= LEAST_VISIBLE).then_some([xyz[0], xyz[1]]);
                }
            }
            _ => {
                for (name, k) in BODY_COLUMNS {
                    let visible =
                        table.number(&format!("{name}_visibility"), row).is_some_and(|v| v as f32 >= LEAST_VISIBLE);
                    points[k] = place(table, name, row).filter(|_| visible);
                }
            }
        }
        Some((table.number("pts_secs", row)?, Body { person: person(table, row), points }))
    }
}

impl Hand {
    /// The columns that it is read from.
    pub fn reads(column: &str) -> bool {
        ["pts_secs", "person", "landmarks_px"].contains(&column)
            || column.ends_with("_x_px")
            || column.ends_with("_y_px")
    }

    /// A row of `hands`.
    pub fn row(table: &StoredTable, row: usize) -> Option<(f64, Self)> {
        let mut points = vec![None; 21].into_boxed_slice();
        if let Some(all) = list(table, "landmarks_px", row) {
            for (point, xyz) in points.iter_mut().zip(all.chunks_exact(3)) {
                *point = Some([xyz[0], xyz[1]]);
            }
        } else {
            HAND_COLUMNS.iter().for_each(|(name, k)| points[*k] = place(table, name, row));
        }
        Some((table.number("pts_secs", row)?, Hand { person: person(table, row), points }))
    }

    /// The lines between the landmarks that are told.
    pub fn bones(&self) -> &'static [(usize, usize)] {
        if self.points.iter().all(Option::is_some) { &HAND_BONES } else { &HAND_SHORT }
    }
}

fn person(table: &StoredTable, row: usize) -> Option<Arc<str>> {
    table.text("person", row).map(Arc::from)
}

fn place(table: &StoredTable, name: &str, row: usize) -> Option<Point> {
    let number = |axis: &str| table.number(&format!("{name}_{axis}_px"), row).map(|x| x as f32);
    Some([number("x")?, number("y")?])
}

fn list<'a>(table: &'a StoredTable, name: &str, row: usize) -> Option<&'a [f32]> {
    match table.column(name)? {
        ColumnData::F32List(rows) => rows.get(row)?.as_deref(),
        _ => None,
    }
}
