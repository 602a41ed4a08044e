//! Statistics of each visible person's face during each turn: the columns of `turn_faces`, and those of the speaker in
//! `turns`.

use std::sync::{Arc, LazyLock};

use super::listening::gestures_within;
use super::smiles::{self, SmileOfTurn, smile_series};
use super::still::Stills;
use super::{TurnsConfig, measured, role};
use crate::annotation::Turn;
use crate::error::Result;
use crate::face::{
    BLENDSHAPES, EXPRESSIONS, Faces, LAYOUT, LONGEST_REST_SECS, LONGEST_SWING_SECS, NOD_SWINGS, Observation,
    SHAKE_SWINGS, ShotLayout,
};
use crate::table::{Column, ColumnSpec, CutOff, Kind, Layout, Missing, Modality, Table, TableSchema, all_until};

/// Suffix and meaning of the statistics, in column order.
const STATISTICS: [(&str, &str); 8] = [
    ("mean", "mean"),
    ("sd", "standard deviation"),
    ("p10", "10th percentile"),
    ("p50", "median"),
    ("p90", "90th percentile"),
    ("peak", "largest value"),
    ("slope_per_sec", "least-squares slope per second"),
    ("active_share", "share of observations above {turns.active_above}"),
];

/// Reads a quantity off an observation.
type Reading = Box<dyn Fn(&Observation) -> Option<f32>>;

/// The unit of a quantity, and that of its change in time.
type Units = (&'static str, &'static str);
const RATIO: Units = ("1", "1/s");
const ANGLE: Units = ("deg", "deg/s");

/// A quantity of an observation.
struct Quantity {
    name: String,
    /// Of it, and of its change.
    units: Units,
    what: String,
    /// Blendshapes and expressions have an "active" share, angles have none.
    activates: bool,
    value: Reading,
}

fn quantities() -> Vec<Quantity> {
    let mut all: Vec<Quantity> = Vec::with_capacity(70);
    for (i, name) in BLENDSHAPES.iter().enumerate() {
        all.push(Quantity {
            name: format!("blendshape_{name}"),
            units: RATIO,
            what: format!("the blendshape {name}"),
            activates: true,
            value: Box::new(move |o| o.blendshapes.map(|b| b[i])),
        });
    }
    for (i, name) in EXPRESSIONS.iter().enumerate() {
        all.push(Quantity {
            name: format!("expression_{name}"),
            units: RATIO,
            what: format!("the probability of the expression {name}"),
            activates: true,
            value: Box::new(move |o| o.expression.map(|e| e[i]).filter(|p| p.is_finite())),
        });
    }
    let mut plain = |name: &str, units: Units, what: &str, value: fn(&Observation) -> Option<f32>| {
        all.push(Quantity { name: name.into(), units, what: what.into(), activates: false, value: Box::new(value) });
    };
    plain("head_yaw_deg", ANGLE, "head yaw, positive to the image's right", |o| o.pose.map(|p| p.yaw_deg));
    plain("head_pitch_deg", ANGLE, "head pitch, positive up", |o| o.pose.map(|p| p.pitch_deg));
    plain("head_roll_deg", ANGLE, "head roll, positive clockwise as the viewer sees it", |o| {
        o.pose.map(|p| p.roll_deg)
    });
    plain("gaze_head_yaw_deg", ANGLE, "gaze yaw against the head", |o| o.gaze.map(|g| g.head_yaw_deg));
    plain("gaze_head_pitch_deg", ANGLE, "gaze pitch against the head", |o| o.gaze.map(|g| g.head_pitch_deg));
    plain("gaze_camera_yaw_deg", ANGLE, "gaze yaw against the camera", |o| o.gaze.map(|g| g.camera_yaw_deg));
    plain("gaze_camera_pitch_deg", ANGLE, "gaze pitch against the camera", |o| o.gaze.map(|g| g.camera_pitch_deg));
    plain("mouth_opening", RATIO, "mouth opening over the distance of the outer eye corners", |o| o.mouth_opening);
    all
}

/// One person during one turn.
#[derive(Clone, Debug, PartialEq)]
pub struct FaceTurn {
    /// Position of the turn in the list given.
    pub turn: usize,
    /// The person.
    pub person: String,
    /// Looked-at frames of the turn in which the person is seen, over all of them, 0 to 1.
    pub presence_share: f64,
    /// Observations that count.
    pub observations: usize,
    /// Observations left out by the recipe's quality floor.
    pub left_out: usize,
    /// Nods, by what is seen in the turn alone; `None` where faces are looked at too seldom to see one.
    pub nods: Option<usize>,
    /// The same of shakes.
    pub shakes: Option<usize>,
    /// True when all that is seen is a still picture.
    pub still: bool,
    /// Layout of the shot in which the person is seen most, the earlier of two.
    pub layout: Option<ShotLayout>,
    /// `None` where nothing tells of smiles.
    pub(super) smile: Option<SmileOfTurn>,
    /// Statistics of every quantity, in the order of the columns; NaN = not defined. Shared by copies.
    values: Arc<[f64]>,
}

impl FaceTurn {
    /// Where a statistic of a quantity stands (`mean` of `head_yaw_deg`); `None` when there is no such thing.
    pub(super) fn place(quantity: &str, statistic: &str) -> Option<usize> {
        statistic_specs().iter().position(|spec| spec.name == format!("{quantity}_{statistic}"))
    }

    /// The statistic at a [`FaceTurn::place`]; `None` where it is not defined.
    pub(super) fn statistic(&self, place: usize) -> Option<f64> {
        self.values.get(place).copied().filter(|v| v.is_finite())
    }

    /// Why its statistics are null, where they are.
    pub fn missing(&self) -> Option<Missing> {
        match self.observations {
            0 if self.still => Some(Missing::StillPicture),
            0 => Some(Missing::LowQuality),
            _ => None,
        }
    }
}

/// Every person seen in at least the recipe's share of a turn's frames, by turn, then person.
///
/// # Errors
/// Those of reading the observations back.
pub fn face_turns(turns: &[Turn], faces: &Faces, config: &TurnsConfig) -> Result<Vec<FaceTurn>> {
    let quantities = quantities();
    let stills = Stills::new(faces, config)?;
    let smiles = smile_series(faces, &stills, config)?;
    let gestures_seen = seen_often(faces);
    let mut face_turns = Vec::new();
    for (index, turn) in turns.iter().enumerate() {
        crate::pulse::beat();
        let looked = turn.segment.part_of(&faces.sampled, |t| t.get()).len();
        let inside = faces.observations.during(turn.segment)?;
        let gestures = gestures_seen.then(|| gestures_within(faces, &inside, config));
        for person in &faces.persons {
            let seen: Vec<&Observation> = inside.iter().filter(|o| faces.person_of(o.track) == Some(person)).collect();
            let share = if looked == 0 { 0.0 } else { (seen.len() as f64 / looked as f64).min(1.0) };
            if seen.is_empty() || share < config.min_presence_share {
                continue;
            }
            let good: Vec<&Observation> =
                seen.iter().copied().filter(|o| counts(o, config) && !stills.holds(o)).collect();
            let still = seen.iter().all(|o| stills.holds(o));
            let own = gestures.as_ref().filter(|_| !still).map(|all| all.iter().find(|g| g.0 == *person));
            let counted = own.map(|own| own.map_or((0, 0), |&(_, nods, shakes)| (nods, shakes)));
            let values = quantities.iter().flat_map(|q| statistics(&good, q, config.active_above)).collect();
            face_turns.push(FaceTurn {
                turn: index,
                person: person.clone(),
                presence_share: share,
                observations: good.len(),
                left_out: seen.len() - good.len(),
                nods: counted.map(|c| c.0),
                shakes: counted.map(|c| c.1),
                still,
                layout: layout_of(faces, &seen),
                smile: smiles.get(person).and_then(|s| SmileOfTurn::of(&s.during(turn.segment), config)),
                values,
            });
        }
    }
    Ok(face_turns)
}

/// The layout of the shot that most of the observations are of.
fn layout_of(faces: &Faces, seen: &[&Observation]) -> Option<ShotLayout> {
    let shots =
        seen.chunk_by(|a, b| faces.shot_at(a.pts).map(|s| s.first_pts) == faces.shot_at(b.pts).map(|s| s.first_pts));
    let most = shots.rev().max_by_key(|part| part.len())?;
    faces.shot_at(most.first()?.pts)?.layout
}

/// Longest usual distance of looked-at frames at which a nod can be seen.
const GESTURE_STEP_SECS: f64 = 0.13;

/// True when nods can be seen.
pub(super) fn seen_often(faces: &Faces) -> bool {
    let mut steps: Vec<f64> = faces.sampled.windows(2).map(|w| (w[1] - w[0]).get()).collect();
    steps.sort_by(f64::total_cmp);
    steps.get(steps.len() / 2).is_some_and(|&median| median <= GESTURE_STEP_SECS)
}

/// The recipe's quality floor. Without landmarks there is nothing to count but presence.
pub(super) fn counts(o: &Observation, config: &TurnsConfig) -> bool {
    f64::from(o.quality.size_px) >= config.min_face_size_px
        && f64::from(o.presence) >= config.min_presence
        && f64::from(o.quality.sharpness) >= config.min_sharpness
        && o.pose.is_none_or(|p| f64::from(p.yaw_deg.abs()) <= config.max_yaw_deg)
}

fn statistics(observations: &[&Observation], quantity: &Quantity, active_above: f64) -> Vec<f64> {
    let points: Vec<(f64, f64)> =
        observations.iter().filter_map(|o| (quantity.value)(o).map(|v| (o.pts.get(), f64::from(v)))).collect();
    let n = points.len() as f64;
    let count = if quantity.activates { 8 } else { 7 };
    if points.is_empty() {
        return vec![f64::NAN; count];
    }
    let mean = points.iter().map(|p| p.1).sum::<f64>() / n;
    let deviation =
        if n < 2.0 { f64::NAN } else { (points.iter().map(|p| (p.1 - mean).powi(2)).sum::<f64>() / (n - 1.0)).sqrt() };
    let mut sorted: Vec<f64> = points.iter().map(|p| p.1).collect();
    sorted.sort_by(f64::total_cmp);
    // Linear interpolation between order statistics (Hyndman & Fan 1996, type 7).
    let percentile = |q: f64| {
        let at = q * (n - 1.0);
        let (low, part) = (at.floor() as usize, at.fract());
        sorted[low] + part * (sorted[(low + 1).min(sorted.len() - 1)] - sorted[low])
    };
    let time = points.iter().map(|p| p.0).sum::<f64>() / n;
    let spread: f64 = points.iter().map(|p| (p.0 - time).powi(2)).sum();
    let slope =
        if spread > 1e-9 { points.iter().map(|p| (p.0 - time) * (p.1 - mean)).sum::<f64>() / spread } else { f64::NAN };
    let mut values =
        vec![mean, deviation, percentile(0.1), percentile(0.5), percentile(0.9), sorted[sorted.len() - 1], slope];
    if quantity.activates {
        values.push(points.iter().filter(|p| p.1 > active_above).count() as f64 / n);
    }
    values
}

/// Contracts of the statistics, in the order of their values.
fn statistic_specs() -> &'static [ColumnSpec] {
    static SPECS: LazyLock<Vec<ColumnSpec>> = LazyLock::new(made_specs);
    &SPECS
}

fn made_specs() -> Vec<ColumnSpec> {
    let mut columns = Vec::new();
    for q in quantities() {
        for (suffix, meaning) in STATISTICS.iter().take(if q.activates { 8 } else { 7 }) {
            let unit = match *suffix {
                "slope_per_sec" => q.units.1,
                "active_share" => RATIO.0,
                _ => q.units.0,
            };
            let what = format!("{} of {} over the turn.", capital(meaning), q.what);
            let source = source_of(&q.name, suffix);
            columns.push(ColumnSpec::new(format!("{}_{suffix}", q.name), Kind::F32, unit, what).from_source(source));
        }
    }
    columns
}

/// Where a statistic of a quantity comes from.
fn source_of(quantity: &str, statistic: &str) -> String {
    let measured = match quantity {
        q if q.starts_with("gaze_") => Some("Bekerman et al. 2014; MediaPipe"),
        q if q.starts_with("expression_") => Some("face-api"),
        _ => Some("MediaPipe"),
    };
    let sorted = ["p10", "p50", "p90"].contains(&statistic);
    let sources = measured.into_iter().chain(sorted.then_some("Hyndman & Fan 1996"));
    sources.collect::<Vec<_>>().join("; ")
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|c| c.to_uppercase().collect::<String>() + chars.as_str()).unwrap_or_default()
}

/// The columns that `turns` and `turn_faces` share.
pub(super) fn face_columns() -> Vec<Column<FaceTurn>> {
    let mut columns = vec![
        Column::float(
            "face_presence_share",
            "1",
            "Share of the turn's looked-at frames in which the row's person (in turns: face_person) is found, well \
             or badly, 0 to 1. Who is found in less than {turns.min_presence_share} of them counts as not in the \
             turn: null, not a small share. In turns null with face_missing, low_quality and still_picture too \
             (turn_faces has the share of those); a person who is not in the turn, or a turn without a looked-at \
             frame, has no row in turn_faces.",
            |f: &FaceTurn| f.presence_share,
        ),
        Column::int(
            "face_observations",
            "",
            "Observations that count: the face at least {turns.min_face_size_px} px large, its presence at least \
             {turns.min_presence}, its sharpness at least {turns.min_sharpness}, turned aside by at most \
             {turns.max_yaw_deg} deg.",
            |f: &FaceTurn| f.observations,
        ),
        Column::int(
            "face_observations_left_out",
            "",
            "Observations below the recipe's floors of size, presence and sharpness, turned too far aside, or of a \
             still picture.",
            |f: &FaceTurn| f.left_out,
        ),
        Column::int(
            "head_nods",
            "",
            format!(
                "Nods of the row's person (in turns: face_person), by what is seen in the turn alone, from its first \
                 to its last looked-at frame: a nod across its edge counts where enough of it lies inside. A nod: \
                 {NOD_SWINGS} swings or more of the head up and down. A swing: from one extreme of head_pitch_deg \
                 (the head's angle, unsmoothed) to the next, at least {{turns.nod_deg}} deg, in at most \
                 {LONGEST_SWING_SECS} s (from 15 % to 85 % of its angle). An extreme counts once the angle has come \
                 back from it by those degrees; a gap between looks above 0.35 s, another track or a slower swing \
                 ends a nod. Between swings at most {LONGEST_REST_SECS} s; over the whole nod the angle up and down \
                 ranges further than the one from side to side. One bout of swings is one nod, however many it has. \
                 Degrees can be set, the other values are fixed: extremes between two rests are Kawato and Ohya's, \
                 the time of a swing follows Hadar et al. (above 0.8 Hz), the values are Turnwise's. Every look with \
                 a head angle counts, small and blurred ones too. 0 = none seen. For a rate divide by duration_secs \
                 times face_presence_share. Null where frames are looked at less often than every {GESTURE_STEP_SECS} \
                 s (10 a second are enough), of a still picture, and with face_missing."
            ),
            |f: &FaceTurn| f.nods,
        )
        .from_source("Kawato & Ohya 2000; Hadar et al. 1983"),
        Column::int(
            "head_shakes",
            "",
            format!(
                "Shakes of the head: {SHAKE_SWINGS} swings or more of head_yaw_deg of at least {{turns.shake_deg}} \
                 deg, otherwise as head_nods."
            ),
            |f: &FaceTurn| f.shakes,
        )
        .from_source("Kawato & Ohya 2000; Hadar et al. 1983"),
    ];
    columns.push(Column::text("layout", LAYOUT, |f: &FaceTurn| f.layout.map(ShotLayout::name)));
    columns.extend(smiles::turn_columns());
    let statistics = statistic_specs().iter().cloned().enumerate();
    columns.extend(statistics.map(|(place, spec)| Column::new(spec, move |f: &FaceTurn| f.statistic(place))));
    measured(Modality::Face, all_until(CutOff::TurnEnd, columns))
}

/// One visible person during one turn.
struct VisiblePerson<'a> {
    interview_id: &'a str,
    turn_index: u32,
    role: &'static str,
    face: &'a FaceTurn,
}

/// Columns of the `turn_faces` table.
fn layout<'a>() -> Layout<VisiblePerson<'a>> {
    let mut columns = vec![
        Column::text("interview_id", "Interview the row belongs to.", |p: &VisiblePerson<'a>| p.interview_id)
            .until(CutOff::None),
        Column::int("turn_index", "", "Turn.", |p: &VisiblePerson<'a>| p.turn_index).until(CutOff::None),
        Column::text("person", "Person on the screen, from P1 by first appearance.", |p: &VisiblePerson<'a>| {
            p.face.person.as_str()
        }),
        Column::text(
            "role",
            "speaker = the turn's speaker by the cast, listener = somebody else, unknown = the turn's speaker has no \
             person.",
            |p: &VisiblePerson<'a>| p.role,
        ),
        Column::text(
            "face_missing",
            "Why the statistics are null: low_quality, or still_picture (a picture that changes by at most \
             {turns.still_picture_change} for {turns.still_picture_secs} s or longer has no behaviour).",
            |p: &VisiblePerson<'a>| p.face.missing(),
        ),
    ];
    columns.extend(face_columns().into_iter().map(|c| c.within(|p: &VisiblePerson<'a>| Some(p.face))));
    Layout { name: "turn_faces", description: "One visible person during one turn.", columns }
}

/// Contract of the `turn_faces` table.
pub fn turn_faces_schema() -> TableSchema {
    layout().schema()
}

/// Rows of `turn_faces`, by turn, then person. `speaker_person` gives the turn's speaker on the screen by position of
/// the turn.
///
/// # Errors
/// [`crate::error::Error::Shape`] when a value does not fit the schema.
pub fn turn_faces_table<'a>(
    interview_id: &'a str,
    turns: &[Turn],
    faces: &'a [FaceTurn],
    speaker_person: impl Fn(usize) -> Option<&'a str>,
) -> Result<Table> {
    layout().table(faces.iter().map(|face| {
        let role = role(&face.person, speaker_person(face.turn));
        VisiblePerson { interview_id, turn_index: turns[face.turn].index, role, face }
    }))
}

/// A face whose every statistic is `value`.
#[cfg(test)]
pub(super) fn face_of(value: f64) -> FaceTurn {
    FaceTurn {
        turn: 0,
        person: "P1".into(),
        presence_share: 1.0,
        observations: 10,
        left_out: 0,
        nods: None,
        shakes: None,
        still: false,
        layout: None,
        smile: None,
        values: vec![value; statistic_specs().len()].into(),
    }
}

#[cfg(test)]
mod tests;
