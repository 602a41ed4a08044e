//! Smiles: what of a mouth that looks like a smile is one.
//!
//! A mouth that talks passes through the shape of a smile with every wide vowel, and one that cries keeps it. So the
//! measure asks three things at once, and is their harmonic mean, 0 to 1: the weakest of the three governs. The mouth's
//! shape must last: the mean of both `mouthSmile` blendshapes over a window in which vowels average out (a felt smile
//! lasts 0.5 to 4 s, Ekman and Friesen 1982). The corners of the lips must be drawn up, over the same window: an open
//! mouth's sink. And the whole face must agree, cheeks and eyes among it: the expression model's probability of
//! happiness over a longer window, as it is asked less often.
//!
//! Tried and left: blendshapes of cheeks and eyes by themselves (`cheekSquint` is nearly always 0 in the model,
//! `eyeSquint` follows the lids); a level of the person's own, taken off, which made long smiles vanish.
//!
//! With the geometric mean, a wide mouth in a happy voice passed for a smile though the lips' corners hung: a threshold
//! chosen on half b took 8 % of half a's talking, unsmiling faces for smiling, that of the harmonic mean 4 %.
//!
//! Form and constants are chosen on the clips of half a of `tests/fixtures/smile_truth.csv` and measured on those of
//! half b: AUC 0.97 (`mouthSmile` alone 0.93).

use std::collections::BTreeMap;

use super::face_statistics::{FaceTurn, counts};
use super::still::Stills;
use super::watched::{LONGEST_STEP_SECS, RELEASE_SHARE};
use super::{Relations, TurnsConfig, measured};
use crate::error::Result;
use crate::face::{BLENDSHAPES, EXPRESSIONS, Faces, Observation};
use crate::table::{Column, CutOff, Layout, Modality, SMILE, Table, TableSchema, all_from, all_until};
use crate::time::{Seconds, Segment, TOLERANCE_SECS};

/// The mouth and the whole face at one instant.
#[derive(Clone, Copy, Debug)]
struct Instant {
    at: f64,
    track: u32,
    mouth: f32,
    /// The lip corners' lift.
    lift: f32,
    /// Not a number where the expression was not looked at.
    happy: f32,
}

/// What of one person's face tells a smile, in order of time.
#[derive(Clone, Debug, Default)]
pub(super) struct SmileSeries {
    instants: Vec<Instant>,
    mouth_secs: f64,
    expression_secs: f64,
    corner_lift: f64,
}

impl SmileSeries {
    pub(super) fn new(config: &TurnsConfig) -> Self {
        let (mouth_secs, expression_secs) = (config.smile_mouth_secs, config.smile_expression_secs);
        SmileSeries { instants: Vec::new(), mouth_secs, expression_secs, corner_lift: config.smile_corner_lift }
    }

    /// Takes the next observation that counts.
    pub(super) fn push(&mut self, o: &Observation) {
        let place = |names: &[&str], name: &str| names.iter().position(|n| *n == name).unwrap_or_default();
        let (left, right) = (place(&BLENDSHAPES, "mouthSmileLeft"), place(&BLENDSHAPES, "mouthSmileRight"));
        let happy = place(&EXPRESSIONS, "happy");
        if let (Some(b), Some(lift)) = (o.blendshapes, o.lip_corner_lift) {
            self.instants.push(Instant {
                at: o.pts.get(),
                track: o.track,
                mouth: 0.5 * (b[left] + b[right]),
                lift,
                happy: o.expression.map_or(f32::NAN, |e| e[happy]),
            });
        }
    }

    /// How long after an instant something can still be seen that tells of it.
    pub(super) fn reach(&self) -> f64 {
        self.mouth_secs.max(self.expression_secs)
    }

    /// The smile at the instants of a segment, of what is seen before its end alone: time and 0 to 1.
    pub(super) fn during(&self, segment: Segment) -> Vec<(f64, f64)> {
        let places = segment.places(&self.instants, |x| x.at);
        let end = places.end;
        places.filter_map(|i| Some((self.instants[i].at, self.value(i, end)?))).collect()
    }

    /// The smile at every instant.
    pub(super) fn all(&self) -> Vec<(f64, f64)> {
        let end = self.instants.len();
        (0..end).filter_map(|i| Some((self.instants[i].at, self.value(i, end)?))).collect()
    }

    /// At instant `i`, by those before `end`; `None` where the expression was not looked at near it.
    fn value(&self, i: usize, end: usize) -> Option<f64> {
        let here = self.instants[i];
        let mean = |reach: f64, value: &dyn Fn(&Instant) -> Option<f64>| {
            let near = |x: &&Instant| x.track == here.track && (x.at - here.at).abs() <= reach + TOLERANCE_SECS;
            let before = self.instants[..i].iter().rev().take_while(near);
            let values = before.chain(self.instants[i..end].iter().take_while(near)).filter_map(value);
            let (sum, n) = values.fold((0.0, 0.0), |(s, n), v| (s + v, n + 1.0));
            (n > 0.0).then(|| sum / n)
        };
        let mouth = mean(self.mouth_secs, &|x| Some(f64::from(x.mouth)))?;
        // 0 = not lifted, 1 = in full.
        let corners = mean(self.mouth_secs, &|x| Some((f64::from(x.lift) / self.corner_lift).clamp(0.0, 1.0)))?;
        let happy = mean(self.expression_secs, &|x| Some(f64::from(x.happy)).filter(|h| h.is_finite()))?;
        Some(harmonic_mean([mouth, corners, happy]))
    }
}

/// Of values from 0 on; 0 where one of them is.
fn harmonic_mean(values: [f64; 3]) -> f64 {
    if values.iter().any(|v| *v <= 0.0) {
        return 0.0;
    }
    3.0 / values.iter().map(|v| v.recip()).sum::<f64>()
}

/// The series of every person that has one.
///
/// # Errors
/// Those of reading the observations back.
pub(super) fn smile_series(
    faces: &Faces,
    stills: &Stills,
    config: &TurnsConfig,
) -> Result<BTreeMap<String, SmileSeries>> {
    let mut all: BTreeMap<String, SmileSeries> = BTreeMap::new();
    for o in faces.observations.iter() {
        let o = o?;
        if !counts(&o, config) || stills.holds(&o) {
            continue;
        }
        let Some(person) = faces.person_of(o.track) else { continue };
        if !all.contains_key(person) {
            all.insert(person.to_owned(), SmileSeries::new(config));
        }
        if let Some(series) = all.get_mut(person) {
            series.push(&o);
        }
    }
    Ok(all)
}

/// How much a person smiles at each looked-at instant: person, then time and smile, 0 to 1. For those who want the
/// measure without the turns.
///
/// # Errors
/// Those of reading the observations back.
pub fn smiles_of(faces: &Faces, config: &TurnsConfig) -> Result<BTreeMap<String, Vec<(Seconds, f64)>>> {
    let series = smile_series(faces, &Stills::new(faces, config)?, config)?;
    let timed = |s: &SmileSeries| s.all().into_iter().map(|(at, v)| (Seconds::of(at), v)).collect();
    Ok(series.iter().map(|(person, s)| (person.clone(), timed(s))).collect())
}

/// The smile of one person over one turn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct SmileOfTurn {
    mean: f64,
    peak: f64,
    /// Share of instants at or above the threshold.
    share: f64,
}

impl SmileOfTurn {
    /// `None` where nothing was seen of it.
    pub(super) fn of(smile: &[(f64, f64)], config: &TurnsConfig) -> Option<Self> {
        let n = smile.len() as f64;
        let above = smile.iter().filter(|s| s.1 >= config.smile_above).count() as f64;
        let peak = smile.iter().map(|s| s.1).fold(f64::NEG_INFINITY, f64::max);
        (n > 0.0).then(|| SmileOfTurn { mean: smile.iter().map(|s| s.1).sum::<f64>() / n, peak, share: above / n })
    }
}

/// What a smile is, told wherever one is measured.
pub(super) const MEASURE: &str = "the harmonic mean of m, c and h, 3 / (1 / m + 1 / c + 1 / h), 0 (none, \
                                  also where one of them is 0) to 1. m: mean of both mouthSmile \
                                  blendshapes. c: mean of lip_corner_lift / {turns.smile_corner_lift}, each cut to \
                                  0 to 1 before the mean. Both over the looks within {turns.smile_mouth_secs} s to \
                                  both sides. h: mean probability of happiness ({face.expression}) over the looks \
                                  at the expression within {turns.smile_expression_secs} s. Vowels pass too quickly \
                                  for it, and a crying mouth is not happy";

/// Which looks the smile of a turn's instants is made of.
pub(super) const EDGES: &str = "Looks before the turn's start count in it, none after its end.";

/// The columns of a person's smile that `turns` and `turn_faces` share.
pub(super) fn turn_columns() -> Vec<Column<FaceTurn>> {
    let columns = [
        Column::float(
            "smile_mean",
            "1",
            format!(
                "Mean smile over the turn's instants of the row's person (in turns: face_person): the looks at which \
                 the face is measured, as in face_missing, and no still picture. The smile at an instant is \
                 {MEASURE}. {EDGES} Null with face_missing, and where no look at the expression lies near."
            ),
            |f: &FaceTurn| f.smile.map(|s| s.mean),
        ),
        Column::float("smile_peak", "1", "Largest smile in the turn, as smile_mean.", |f: &FaceTurn| {
            f.smile.map(|s| s.peak)
        }),
        Column::float(
            "smile_share",
            "1",
            "Share of the turn's instants in which the smile is at least {turns.smile_above}.",
            |f: &FaceTurn| f.smile.map(|s| s.share),
        ),
    ];
    all_from(SMILE, columns)
}

/// A smile from onset to end.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Smile {
    onset: f64,
    /// Time and size.
    peak: (f64, f64),
    end: f64,
    /// False where the face was smiling already when it was first seen.
    onset_seen: bool,
    /// False where it was last seen smiling.
    end_seen: bool,
}

/// Smiles of a series: at `above` one begins, and below a share of that it has ended; shorter ones than `least_secs`
/// are none. A gap in the series ends what was known.
fn smiles(series: &[(f64, f64)], above: f64, least_secs: f64) -> Vec<Smile> {
    let mut found: Vec<Smile> = Vec::new();
    let mut now: Option<Smile> = None;
    let mut last = f64::NEG_INFINITY;
    for &(at, value) in series {
        let gap = at - last > LONGEST_STEP_SECS;
        if gap {
            found.extend(now.take());
        }
        now = match now {
            None if value >= above => {
                Some(Smile { onset: at, peak: (at, value), end: at, onset_seen: !gap, end_seen: false })
            }
            Some(smile) if value < RELEASE_SHARE * above => {
                found.push(Smile { end_seen: true, ..smile });
                None
            }
            Some(smile) => {
                let peak = if value > smile.peak.1 { (at, value) } else { smile.peak };
                Some(Smile { peak, end: at, ..smile })
            }
            None => None,
        };
        last = at;
    }
    found.extend(now);
    found.retain(|s| s.end - s.onset >= least_secs - TOLERANCE_SECS);
    found
}

/// One smile on its way into the table.
struct SmileRow<'a> {
    interview_id: &'a str,
    person: &'a str,
    speaker: Option<&'a str>,
    turn_index: Option<u32>,
    smile: Smile,
}

fn layout<'a>() -> Layout<SmileRow<'a>> {
    let keys = vec![
        Column::text("interview_id", "Interview the row belongs to.", |r: &SmileRow<'a>| r.interview_id),
        Column::text("person", "Person who smiles.", |r: &SmileRow<'a>| r.person),
        Column::text("speaker", "The person's label in turns; null = not told apart.", |r: &SmileRow<'a>| r.speaker),
        Column::int(
            "turn_index",
            "",
            "The turn in which it begins, the last begun of several; null = between turns.",
            |r: &SmileRow<'a>| r.turn_index,
        ),
    ];
    let onset = format!(
        "The smile reaches {{turns.smile_above}} and does not fall below half of it for {{turns.smile_secs}} s or \
         longer. A smile is {MEASURE}."
    );
    let measures = [
        Column::float("onset_secs", "s", onset, |r: &SmileRow<'a>| r.smile.onset),
        Column::float("peak_secs", "s", "Where it is largest, for the first time.", |r: &SmileRow<'a>| r.smile.peak.0),
        Column::float(
            "end_secs",
            "s",
            "The last instant before it falls below half the threshold.",
            |r: &SmileRow<'a>| r.smile.end,
        ),
        Column::float("peak", "1", "Its largest value, 0 to 1.", |r: &SmileRow<'a>| r.smile.peak.1),
        Column::bool("onset_seen", "False where the face was first seen smiling.", |r: &SmileRow<'a>| {
            r.smile.onset_seen
        }),
        Column::bool("end_seen", "False where the face was last seen smiling.", |r: &SmileRow<'a>| r.smile.end_seen),
    ];
    let mut columns = all_until(CutOff::None, keys);
    columns.extend(measured(Modality::Face, all_from(SMILE, measures)));
    Layout { name: "smiles", description: "One smile of one person, from onset to end.", columns }
}

/// Contract of the `smiles` table.
pub fn smiles_schema() -> TableSchema {
    layout().schema()
}

/// Rows of the `smiles` table, by person, then onset.
///
/// # Errors
/// [`crate::error::Error::Shape`] when a value does not fit the schema.
pub fn smiles_table(relations: &Relations<'_>) -> Result<Table> {
    let Relations { interview_id, turns, faces, config, .. } = *relations;
    let series = smile_series(faces, &Stills::new(faces, config)?, config)?;
    let speaker = |person: &str| {
        let link = relations.links.iter().find(|(_, link)| link.person.as_deref() == Some(person));
        link.map(|(label, _)| label.as_str())
    };
    let turn = |onset: f64| {
        let holds = |t: &&crate::annotation::Turn| t.segment.start().get() <= onset && onset < t.segment.end().get();
        turns.iter().filter(holds).max_by(|a, b| a.segment.start().cmp(&b.segment.start())).map(|t| t.index)
    };
    let rows = series.iter().flat_map(|(person, series)| {
        smiles(&series.all(), config.smile_above, config.smile_secs).into_iter().map(move |smile| SmileRow {
            interview_id,
            person,
            speaker: speaker(person),
            turn_index: turn(smile.onset),
            smile,
        })
    });
    layout().table(rows)
}

/// The part of a series in a segment that lies in none of `left_out`.
pub(super) fn outside<T: Copy>(
    series: &[T],
    segment: Segment,
    left_out: &[Segment],
    time: impl Fn(&T) -> f64 + Copy,
) -> Vec<T> {
    let talks = |at: f64| left_out.iter().any(|s| s.start().get() <= at && at < s.end().get());
    segment.part_of(series, time).iter().copied().filter(|x| !talks(time(x))).collect()
}

#[cfg(test)]
mod tests;
