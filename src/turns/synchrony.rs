//! Synchrony: how closely one person follows another over the interview, each signal on the clock that fits it.
//!
//! Faces and heads are seen all the time: smile and head speed run at ten values a second, in windows of 15 s with lags up to 2 s, as a
//! smile or a nod answers within that. Voices take turns: in one recording the pitch and level of two people are never there at once, and
//! whatever is put into the gaps (a hold, a line, silence) would be correlated with the taking of turns instead. So pitch and level run
//! on the clock of exchanges, one value a turn, the second person's answer against the first one's turn (lag 0) or against the turn before
//! that (lag 1), in windows of 6 exchanges. Between the two clocks: the level of whoever speaks against the head of whoever listens.
//! Boker et al. (2002) and Ramseyer and Tschacher (2011) use windows of 4 s and 60 s; 15 s holds a few movements and still lets an
//! interview of ten minutes have 40.
//!
//! The table looks at the whole interview and no task may use it; `dyads` has the same of the last 10 minutes up to each turn's end.

use std::collections::{BTreeMap, BTreeSet};

use super::dyads::Relations;
use super::entrainment::TurnQualities;
use super::lagged::{LagSettings, Lagged, Pairing, lagged};
use super::near::most_listeners;
use super::watched::{Watched, on_grid};
use crate::annotation::Annotation;
use crate::audio::{Acoustics, GRID};
use crate::error::Result;
use crate::table::{ColumnSpec, CutOff, Kind, Missing, Table, TableBuilder, TableSchema};
use crate::time::Segment;

/// The grid of faces and heads.
pub(super) const STEP_SECS: f64 = 0.1;

/// Windows and lags on that grid.
pub(super) const GRID_LAGS: LagSettings = LagSettings { window: 150, max_lag: 20, min_windows: 8, surrogates: 100, seed: 1 };

/// On the clock of exchanges.
const EXCHANGE_LAGS: LagSettings = LagSettings { window: 6, max_lag: 1, min_windows: 5, surrogates: 100, seed: 1 };

/// Windows that a value of `dyads` looks back: 10 minutes.
pub(super) const LOOK_BACK: usize = 40;

/// A grid value may lean on an observation so much later.
const GRID_REACH_SECS: f64 = 0.35;

/// Contract of the `synchrony` table.
pub fn synchrony_schema() -> TableSchema {
    let key = |name, kind, unit, text| ColumnSpec::new(name, kind, unit, text).until(CutOff::None);
    let column = ColumnSpec::new;
    TableSchema {
        name: "synchrony",
        description: "How closely one person follows another over the whole interview, by one signal. No feature of any task.",
        columns: vec![
            key("interview_id", Kind::Str, "", "Interview the row belongs to."),
            key("from", Kind::Str, "", "Speaker who leads."),
            key("to", Kind::Str, "", "Speaker who follows."),
            key(
                "signal",
                Kind::Str,
                "",
                "smile, head_motion (speed), level_to_head_motion (the leader's level while speaking, the follower's head), pitch, level (turn \
                 by turn).",
            ),
            key("window_secs", Kind::F64, "s", "Length of a window; null where windows are counted in exchanges."),
            key("window_exchanges", Kind::I64, "", "Length of a window in exchanges of turns."),
            column("windows", Kind::I64, "", "Windows used."),
            column("correlation", Kind::F64, "1", "Mean correlation of the windows at the best lag (through Fisher's z)."),
            column(
                "z",
                Kind::F64,
                "sd",
                "That correlation against the best of each of 100 surrogates with shuffled windows, in their spread.",
            ),
            column("lag_secs", Kind::F64, "s", "Time by which the follower is behind at the best lag, 0 to 2 s; null for exchanges."),
            column("lag_exchanges", Kind::I64, "", "0 = the answer follows the turn before it, 1 = the leader's turn before that."),
            column(
                "missing",
                Kind::Str,
                "",
                "Why there is no value: no_stream, no_face, off_screen, no_speech, too_short (too few windows).",
            ),
        ],
    }
}

/// Series of one speaker on the grid.
#[derive(Clone, Debug, Default)]
pub(super) struct Moves {
    pub(super) smile: Vec<f64>,
    pub(super) head: Vec<f64>,
    level: Vec<f64>,
}

impl Moves {
    /// True when anything of the face is there.
    pub(super) fn is_seen(&self) -> bool {
        !(self.smile.is_empty() && self.head.is_empty())
    }
}

/// Every label's series; an empty one was never seen (heard).
pub(super) fn moves(relations: &Relations<'_>, watched: &Watched, labels: &[&str]) -> BTreeMap<String, Moves> {
    let seen = relations.faces.sampled.last().map_or(0.0, |t| t.get());
    let end = seen.max(relations.acoustics.len() as f64 * GRID.hop_secs());
    let of = |label: &&str| {
        let place = relations.places.get(*label);
        let person = place.and_then(|p| p.person.as_deref()).and_then(|p| watched.person(p));
        let grid = |points: Vec<(f64, f64)>| if points.is_empty() { Vec::new() } else { on_grid(points, end, STEP_SECS) };
        let moves = Moves {
            smile: person.map_or_else(Vec::new, |p| grid(p.smile.clone())),
            head: person.map_or_else(Vec::new, |p| grid(p.motions.iter().map(|m| (0.5 * (m.from + m.to), m.deg_per_sec)).collect())),
            level: place
                .and_then(|p| p.voice.as_deref())
                .map_or_else(Vec::new, |v| level_while_speaking(v, relations.annotation, relations.acoustics, end)),
        };
        ((*label).to_owned(), moves)
    };
    labels.iter().map(of).collect()
}

/// Mean level of every 100 ms in which `voice` and nobody else speaks; NaN elsewhere.
fn level_while_speaking(voice: &str, annotation: &Annotation, acoustics: &Acoustics, end: f64) -> Vec<f64> {
    let mut grid = vec![f64::NAN; (end.max(0.0) / STEP_SECS) as usize + 1];
    // The cell of a grid point reaches half a step to both sides.
    let half = 0.5 * STEP_SECS;
    let cells = |a: f64, b: f64| ((a / STEP_SECS).ceil().max(0.0) as usize, ((b / STEP_SECS).floor() + 1.0).max(0.0) as usize);
    for turn in annotation.turns().iter().filter(|t| t.speaker == voice) {
        let (first, last) = cells(turn.segment.start().get() + half, turn.segment.end().get() - half);
        for (i, slot) in grid.iter_mut().enumerate().take(last).skip(first) {
            let at = i as f64 * STEP_SECS;
            let Some(cell) = Segment::from_secs(at - half, at + half) else { continue };
            let levels = acoustics.level_db[GRID.indices(cell, acoustics.len())].iter().filter(|l| l.is_finite());
            let (sum, n) = levels.fold((0.0, 0.0), |(s, n), l| (s + f64::from(*l), n + 1.0));
            *slot = if n > 0.0 { sum / n } else { f64::NAN };
        }
    }
    for turn in annotation.turns().iter().filter(|t| t.speaker != voice) {
        let (first, last) = cells(turn.segment.start().get() - half, turn.segment.end().get() + half);
        grid.iter_mut().take(last).skip(first).for_each(|slot| *slot = f64::NAN);
    }
    grid
}

/// One ordered pair, from turn to turn: how closely the second follows the first over the last 10 minutes.
#[derive(Debug)]
pub(super) struct Following<'a> {
    pairing: Pairing<'a>,
    /// The last answer and the number of windows it was of: it stays until the next window is whole.
    last: Option<(usize, Option<Lagged>)>,
}

impl<'a> Following<'a> {
    pub(super) fn new(from: &'a [f64], to: &'a [f64]) -> Self {
        Following { pairing: Pairing::new(from, to, GRID_LAGS), last: None }
    }

    /// Of the windows that are whole, lags and all, by `secs`.
    pub(super) fn until(&mut self, secs: f64) -> Option<Lagged> {
        let reach = GRID_LAGS.max_lag as f64 * STEP_SECS + GRID_REACH_SECS;
        let window = GRID_LAGS.window as f64 * STEP_SECS;
        let whole = (((secs - reach) / window).floor().max(0.0) as usize).min(self.pairing.windows());
        match self.last {
            Some((windows, answer)) if windows == whole => answer,
            _ => {
                let first = whole.saturating_sub(LOOK_BACK);
                self.pairing.forget_before(first);
                let answer = self.pairing.over(first..whole);
                self.last = Some((whole, answer));
                answer
            }
        }
    }
}

/// Rows of the `synchrony` table, by pair of labels, then signal.
///
/// # Errors
/// [`crate::error::Error::Shape`] when a value does not fit the schema.
pub fn synchrony_table(relations: &Relations<'_>) -> Result<Table> {
    let mut table = TableBuilder::new(synchrony_schema());
    let labels = relations.labels();
    let watched = Watched::new(relations.faces, relations.config);
    let moves = moves(relations, &watched, &labels);
    let qualities = TurnQualities::new(relations.turns, relations.voices);
    let exchanges = exchanges(relations, &labels);
    let nothing = Vec::new();
    for (first, second) in pairs(relations, &labels, &exchanges) {
        let (from, to) = (labels[first], labels[second]);
        let (a, b) = (&moves[from], &moves[to]);
        let face = |x: &Vec<f64>| {
            let none = match relations.places.get(to).and_then(|p| p.person.as_ref()) {
                _ if relations.faces.sampled.is_empty() => Missing::NoStream,
                None => Missing::OffScreen,
                Some(_) => Missing::NoFace,
            };
            x.is_empty().then_some(none)
        };
        let speech = |x: &Vec<f64>| {
            let none = if relations.acoustics.is_empty() { Missing::NoStream } else { Missing::NoSpeech };
            x.iter().all(|v| v.is_nan()).then_some(none)
        };
        let on_grid = [
            ("smile", &a.smile, &b.smile, face(&a.smile).or(face(&b.smile))),
            ("head_motion", &a.head, &b.head, face(&a.head).or(face(&b.head))),
            ("level_to_head_motion", &a.level, &b.head, speech(&a.level).or(face(&b.head))),
        ];
        for (signal, first, second, missing) in on_grid {
            let found = lagged(first, second, GRID_LAGS);
            row(&mut table, relations.interview_id, from, to, signal, found, missing);
            table.set("window_secs", GRID_LAGS.window as f64 * STEP_SECS);
            table.set("lag_secs", found.map(|f| f.lag as f64 * STEP_SECS));
        }
        let exchanges = exchanges.get(&(first, second)).unwrap_or(&nothing);
        for (quality, signal) in [(0, "pitch"), (1, "level")] {
            let series = |of: fn(&(usize, usize)) -> usize| exchanges.iter().map(|e| qualities.of(of(e))[quality]).collect::<Vec<_>>();
            let (first, second) = (series(|e| e.0), series(|e| e.1));
            let missing = relations.acoustics.is_empty().then_some(Missing::NoStream);
            let found = lagged(&first, &second, EXCHANGE_LAGS);
            row(&mut table, relations.interview_id, from, to, signal, found, missing);
            table.set("window_exchanges", EXCHANGE_LAGS.window);
            table.set("lag_exchanges", found.map(|f| f.lag));
        }
    }
    table.finish()
}

fn row(table: &mut TableBuilder, id: &str, from: &str, to: &str, signal: &str, found: Option<Lagged>, missing: Option<Missing>) {
    table.row().set("interview_id", id).set("from", from).set("to", to).set("signal", signal);
    table.set("windows", found.map(|f| f.windows)).set("correlation", found.map(|f| f.correlation)).set("z", found.map(|f| f.z));
    table.set("missing", if found.is_some() { None } else { missing.or(Some(Missing::TooShort)) });
}

/// By pair of speakers, positions of the first's turns and of the second's that come right after them.
fn exchanges(relations: &Relations<'_>, labels: &[&str]) -> BTreeMap<(usize, usize), Vec<(usize, usize)>> {
    let speaker = relations.speakers(labels);
    let mut found: BTreeMap<(usize, usize), Vec<(usize, usize)>> = BTreeMap::new();
    for i in 1..speaker.len() {
        if let (Some(from), Some(to)) = (speaker[i - 1], speaker[i]) {
            found.entry((from, to)).or_default().push((i - 1, i));
        }
    }
    found
}

/// The pairs that have rows, in order: all; in a crowd those who have a window of exchanges, and those both on the screen.
fn pairs(
    relations: &Relations<'_>,
    labels: &[&str],
    exchanges: &BTreeMap<(usize, usize), Vec<(usize, usize)>>,
) -> BTreeSet<(usize, usize)> {
    let seen = |l: &usize| relations.places.get(labels[*l]).is_some_and(|p| p.person.is_some());
    let crowd = most_listeners(relations.turns.len(), labels.len()).is_some();
    let chosen: Vec<usize> = (0..labels.len()).filter(|l| !crowd || seen(l)).collect();
    let all = chosen.iter().flat_map(|&from| chosen.iter().map(move |&to| (from, to)));
    let talking = exchanges.iter().filter(|(_, e)| e.len() >= EXCHANGE_LAGS.window).map(|(pair, _)| *pair);
    all.chain(talking).filter(|(from, to)| from != to).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::annotation::{SpeechTurn, Turn};
    use crate::face::{BLENDSHAPES, BoundingBox, Faces, HeadPose, Observation, Quality, Track};
    use crate::random::Random;
    use crate::table::ColumnData;
    use crate::time::Seconds;
    use crate::turns::{Place, TurnsConfig, dyads_table};

    /// Smiles and heads that wander; the second face does what the first did 0.4 s before (heads go their own ways).
    fn faces(secs: usize) -> Faces {
        let n = secs * 10;
        let mut random = Random::seeded(3);
        let mut draw = || 0.5 * random.signed();
        let mut wander = |size: f64| {
            let mut x = 0.0;
            (0..n + 4)
                .map(|_| {
                    x = 0.9 * x + size * draw();
                    x
                })
                .collect::<Vec<f64>>()
        };
        let (smile, heads) = (wander(0.2), [wander(4.0), wander(4.0)]);
        let places = BLENDSHAPES.iter().enumerate().filter(|(_, b)| b.starts_with("mouthSmile")).map(|(i, _)| i).collect::<Vec<_>>();
        let mut observations = Vec::new();
        for i in 0..n {
            for track in [1u32, 2] {
                let mut shapes = [0.0f32; 52];
                places.iter().for_each(|&p| shapes[p] = (0.4 + smile[if track == 1 { i + 4 } else { i }]) as f32);
                observations.push(Observation {
                    blendshapes: Some(shapes),
                    pose: Some(HeadPose { yaw_deg: heads[track as usize - 1][i] as f32, pitch_deg: 0.0, roll_deg: 0.0 }),
                    quality: Quality { size_px: 100.0, sharpness: 1.0, in_frame: 1.0 },
                    ..Observation::bare(
                        Seconds::of(0.1 * i as f64),
                        track,
                        BoundingBox::from_corners(300.0 * track as f32, 0.0, 300.0 * track as f32 + 100.0, 100.0),
                    )
                });
            }
        }
        let track = |id: u32| Track {
            id,
            person: Some(format!("P{id}")),
            first_pts: Seconds::ZERO,
            last_pts: Seconds::of(secs as f64),
            observations: n,
            mean_size_px: 100.0,
            mean_score: 1.0,
            embedding: None,
            crop: None,
        };
        let sampled = (0..n).map(|i| Seconds::of(0.1 * i as f64)).collect();
        Faces { observations, tracks: vec![track(1), track(2)], persons: vec!["P1".into(), "P2".into()], sampled, ..Faces::default() }
    }

    fn turns(secs: usize) -> Vec<Turn> {
        let turn = |i: usize| Turn {
            index: i as u32 + 1,
            segment: Segment::from_secs(5.0 * i as f64, 5.0 * i as f64 + 4.5).unwrap(),
            speaker: Some(["A", "B"][i % 2].into()),
            text: String::new(),
            words: Vec::new(),
        };
        (0..secs / 5).map(turn).collect()
    }

    fn places() -> BTreeMap<String, Place> {
        let place = |v: &str, p: &str| Place { voice: Some(v.into()), person: Some(p.into()) };
        [("A".to_owned(), place("S0", "P1")), ("B".to_owned(), place("S1", "P2"))].into_iter().collect()
    }

    fn floats(table: &Table, name: &str) -> Vec<f64> {
        match table.column(name) {
            Some(ColumnData::F64(v)) => v.clone(),
            other => panic!("{other:?}"),
        }
    }

    fn texts(table: &Table, name: &str) -> Vec<String> {
        match table.column(name) {
            Some(ColumnData::Str(v)) => v.iter().map(|x| x.clone().unwrap_or_default()).collect(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn who_smiles_after_whom_is_told_and_heads_that_do_not_follow_are_not() {
        let (faces, turns, places, config) = (faces(600), turns(600), places(), TurnsConfig::default());
        let relations = Relations { faces: &faces, ..Relations::of("i", &turns, &places, &config) };
        let begun = std::time::Instant::now();
        let t = synchrony_table(&relations).unwrap();
        eprintln!("synchrony of 10 minutes and one pair: {:.3} s", begun.elapsed().as_secs_f64());
        assert_eq!(t.rows(), 10);
        assert_eq!(texts(&t, "signal")[..5], ["smile", "head_motion", "level_to_head_motion", "pitch", "level"]);
        let (z, lag, missing) = (floats(&t, "z"), floats(&t, "lag_secs"), texts(&t, "missing"));
        assert!(z[0] > 5.0 && (lag[0] - 0.4).abs() < 1e-9, "{z:?} {lag:?}");
        assert!(z[5] < z[0], "the leader does not follow");
        // One draw each; that 95 of 100 stay within 2 is told in `lagged`.
        assert!(z[1].abs() < 3.0 && z[6].abs() < 3.0, "{z:?}");
        assert_eq!(missing[2], "no_stream");
        // The whole interview is in every value: no task may use it.
        assert!(
            t.schema().columns.iter().filter(|c| c.kind == Kind::F64 && c.name != "window_secs").all(|c| c.cut_off == CutOff::Interview)
        );

        // So far, turn by turn: the same answer, and what comes later changes nothing.
        let begun = std::time::Instant::now();
        let dyads = dyads_table(&relations).unwrap();
        eprintln!("dyads of 120 turns: {:.3} s", begun.elapsed().as_secs_f64());
        let (z, lag) = (floats(&dyads, "smile_synchrony_z"), floats(&dyads, "smile_synchrony_lag_secs"));
        assert!(z[..24].iter().all(|v| v.is_nan()), "eight windows are not whole in two minutes");
        // B listens to A in even rows.
        assert!(z[118] > 5.0 && (lag[118] - 0.4).abs() < 1e-9, "{:?}", &z[110..]);
        let half = super::tests::faces(600);
        let cut = turns[59].segment.end();
        let half = Faces { observations: half.observations.into_iter().filter(|o| o.pts < cut).collect(), ..half };
        let before = dyads_table(&Relations { faces: &half, ..Relations::of("i", &turns[..60], &places, &config) }).unwrap();
        for spec in before.schema().columns.iter().filter(|c| c.kind == Kind::F64 && c.cut_off != CutOff::Interview) {
            let (a, b) = (floats(&before, &spec.name), floats(&dyads, &spec.name));
            assert_eq!(format!("{:?}", &a[..60]), format!("{:?}", &b[..60]), "{}", spec.name);
        }
    }

    #[test]
    fn the_level_is_of_the_speaker_alone() {
        let voice = |a: f64, b: f64, s: &str| SpeechTurn { segment: Segment::from_secs(a, b).unwrap(), speaker: s.into() };
        let annotation = Annotation::new(vec![voice(0.5, 2.0, "S0"), voice(1.5, 3.0, "S1")]);
        let acoustics = Acoustics { level_db: vec![-20.0; 400], voiced: vec![true; 400], ..Acoustics::default() };
        let level = level_while_speaking("S0", &annotation, &acoustics, 4.0);
        let heard: Vec<usize> = (0..level.len()).filter(|&i| level[i].is_finite()).collect();
        assert_eq!((heard[0], heard[heard.len() - 1]), (6, 14));
        assert!((level[10] + 20.0).abs() < 1e-6);
    }
}
