//! Dyads: what a turn does to each of the others: who takes the floor from whom, when, and who shows what while listening.
//!
//! The floor-transfer offset is the start of a turn minus the end of the turn before it: a gap above zero, an overlap below, and at zero
//! neither (Heldner & Edlund 2010, "Pauses, gaps and overlaps in conversations"). An interruption is a turn that begins before another's
//! has ended and goes on after it; a backchannel is a short turn wholly inside another's, which leaves the floor where it is (Yngve 1970).
//! Offset and response latency follow Stivers et al. 2009 in sign. Columns by the transcript's times end with the turn; those by voices
//! (`speech_…`) carry the interview's end, since voices are told apart over the whole of it. A turn's columns look at earlier turns alone:
//! that another begins before this one ends would already tell who is next.
//!
//! Beside these: the listener's face (`listening`), voices that draw near (`entrainment`), and who follows whom (`synchrony`).

use std::collections::BTreeMap;

use super::entrainment::TurnQualities;
use super::face_statistics::{FaceTurn, seen_often};
use super::floor::{Floor, Speaker};
use super::lagged::Lagged;
use super::near::{Listeners, Near, Others};
use super::synchrony::{Following, Moves, STEP_SECS, moves};
use super::voices::{VoiceIndex, Voices};
use super::watched::Watched;
use super::{TurnsConfig, edges, entrainment, listening};
use crate::annotation::{Annotation, SegmentIndex, Turn, union_secs};
use crate::audio::{Acoustics, TurnVoice};
use crate::error::Result;
use crate::face::Faces;
use crate::table::{Cell, ColumnSpec, CutOff, Kind, Table, TableBuilder, TableSchema};
use crate::time::{Seconds, Segment};

/// A turn that leaves the floor where it is lasts no longer.
pub(super) const MAX_BACKCHANNEL_SECS: f64 = 1.0;

/// Two times closer than this touch: a millisecond is the finest that transcripts tell.
pub(super) const TOUCH_SECS: f64 = 5e-4;

/// Listener's face columns: name, what of `turn_faces` it is the mean of, and the description.
const FACE: [(&str, &[&str], &str); 8] = [
    ("listener_smile", &["blendshape_mouthSmileLeft_mean", "blendshape_mouthSmileRight_mean"], "Listener's mean smile over the turn."),
    (
        "listener_smile_peak",
        &["blendshape_mouthSmileLeft_peak", "blendshape_mouthSmileRight_peak"],
        "Listener's largest smile in the turn, both sides averaged.",
    ),
    (
        "listener_brow_down",
        &["blendshape_browDownLeft_mean", "blendshape_browDownRight_mean"],
        "Listener's mean brow lowering over the turn.",
    ),
    ("listener_brow_up", &["blendshape_browInnerUp_mean"], "Listener's mean raising of the inner brows over the turn."),
    (
        "listener_lip_press",
        &["blendshape_mouthPressLeft_mean", "blendshape_mouthPressRight_mean"],
        "Listener's mean lip press over the turn.",
    ),
    ("listener_gaze_camera_yaw_deg", &["gaze_camera_yaw_deg_mean"], "Listener's mean gaze yaw against the camera over the turn."),
    ("listener_head_pitch_sd_deg", &["head_pitch_deg_sd"], "Spread of the listener's head pitch: high when nodding, low when still."),
    (
        "listener_head_yaw_sd_deg",
        &["head_yaw_deg_sd"],
        "Spread of the listener's head yaw: high when shaking the head or turning, low when still.",
    ),
];

/// Columns of who follows whom so far: z, lag, and what follows.
const SYNCHRONY: [(&str, &str, &str); 2] =
    [("smile_synchrony_z", "smile_synchrony_lag_secs", "smile"), ("head_synchrony_z", "head_synchrony_lag_secs", "speed of the head")];

/// Where a speaker's voice and face are to be found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Place {
    /// Diarized speaker.
    pub voice: Option<String>,
    /// Person on the screen.
    pub person: Option<String>,
}

/// All that is known of what people do to each other in one interview.
#[derive(Clone, Copy, Debug)]
pub struct Relations<'a> {
    /// Key of the tables.
    pub interview_id: &'a str,
    /// The turns in the transcript's order.
    pub turns: &'a [Turn],
    /// Each label's voice and person.
    pub places: &'a BTreeMap<String, Place>,
    /// Speech turns by diarization.
    pub annotation: &'a Annotation,
    /// Level and pitch, 10 ms by 10 ms.
    pub acoustics: &'a Acoustics,
    /// The voice of each turn; may be empty.
    pub voices: &'a [TurnVoice],
    /// Everything seen.
    pub faces: &'a Faces,
    /// Faces by turn and person.
    pub face_turns: &'a [FaceTurn],
    /// Thresholds.
    pub config: &'a TurnsConfig,
}

impl<'a> Relations<'a> {
    /// Turns alone, nothing heard or seen.
    pub fn of(interview_id: &'a str, turns: &'a [Turn], places: &'a BTreeMap<String, Place>, config: &'a TurnsConfig) -> Self {
        static NOTHING: std::sync::LazyLock<(Annotation, Acoustics, Faces)> = std::sync::LazyLock::new(Default::default);
        let (annotation, acoustics, faces) = &*NOTHING;
        Relations { interview_id, turns, places, annotation, acoustics, voices: &[], faces, face_turns: &[], config }
    }

    /// The turns' speakers, sorted.
    pub(super) fn labels(&self) -> Vec<&'a str> {
        let mut labels: Vec<&str> = self.turns.iter().filter_map(|t| t.speaker.as_deref()).collect();
        labels.sort_unstable();
        labels.dedup();
        labels
    }

    /// The number of each turn's speaker among `labels`.
    pub(super) fn speakers(&self, labels: &[&str]) -> Vec<Option<usize>> {
        self.turns.iter().map(|t| labels.binary_search(&t.speaker.as_deref()?).ok()).collect()
    }
}

/// Contract of the `dyads` table.
pub fn dyads_schema() -> TableSchema {
    let at = |cut_off| move |name, kind, unit, text| ColumnSpec::new(name, kind, unit, text).until(cut_off);
    let (key, start, end, all) = (at(CutOff::None), at(CutOff::TurnStart), at(CutOff::TurnEnd), at(CutOff::Interview));
    let mut columns = vec![
        key("interview_id", Kind::Str, "", "Interview the row belongs to."),
        key("turn_index", Kind::I64, "", "Turn."),
        end("speaker", Kind::Str, "", "The turn's speaker."),
        key("listener", Kind::Str, "", "Another speaker of the interview."),
        start("follows", Kind::Bool, "", "True when the turn before is the listener's."),
        end(
            "floor_offset_secs",
            Kind::F64,
            "s",
            "Start of the turn minus the end of the listener's turn before it, backchannels left out: above 0 a gap, below an overlap, 0 \
             neither; null when the turn before is not the listener's or the turn ends inside it.",
        ),
        end("floor_transfer", Kind::Str, "", "gap, overlap or touch (neither), by that offset."),
        end("overlap_secs", Kind::F64, "s", "Time of the turn during which an earlier turn of the listener still runs."),
        end(
            "interrupts",
            Kind::Bool,
            "",
            "True when the turn begins inside an earlier turn of the listener and goes on after that one's end.",
        ),
        end("backchannel", Kind::Bool, "", "True when the turn lasts at most 1 s and lies wholly inside an earlier turn of the listener."),
        all("backchannels_received", Kind::I64, "", "Later turns of the listener of at most 1 s that lie wholly inside the turn."),
        start(
            "response_latency_secs",
            Kind::F64,
            "s",
            "From the end of the listener's last turn that ended by the turn's start to that start, whoever talked in between.",
        ),
        start(
            "turns_since_listener",
            Kind::I64,
            "",
            "Turns begun after the listener's last one and before this; null before the listener's first.",
        ),
        end("speaker_turns_so_far", Kind::I64, "", "The speaker's turns up to this one, this one counted."),
        start("listener_turns_so_far", Kind::I64, "", "The listener's turns before this one."),
        end("speaker_floor_share", Kind::F64, "1", "The speaker's share of all turns' time up to the turn's end, 0 to 1."),
        end("listener_floor_share", Kind::F64, "1", "The listener's share of all turns' time up to the turn's end, 0 to 1."),
        all(
            "speech_floor_offset_secs",
            Kind::F64,
            "s",
            "By voices: first speech of the speaker in the turn minus the end of the listener's last speech begun before it, edges moved to \
             where the level rises and falls; null where floor_offset_secs is.",
        ),
        all("speech_overlap_secs", Kind::F64, "s", "By voices: time of the turn during which both talk."),
        all(
            "speech_interrupts",
            Kind::Bool,
            "",
            "By voices: true when the speaker begins while the listener talks and goes on after that.",
        ),
        all(
            "speech_backchannels",
            Kind::I64,
            "",
            "By voices: utterances of the listener of at most 1 s while the speaker talks before and after.",
        ),
        all("listener_person", Kind::Str, "", "The listener's person on the screen; null = off screen or not told apart."),
    ];
    for (name, sources, text) in FACE {
        let unit = if sources[0].contains("_deg") { "deg" } else { "1" };
        columns.push(end(name, Kind::F64, unit, text));
    }
    columns.extend(listening::specs());
    columns.extend(entrainment::specs());
    for (z, lag, what) in SYNCHRONY {
        let text = format!(
            "How closely the listener's {what} follows the speaker's over the last 10 minutes up to the turn's end: correlation of 15 s \
             windows at the best lag against shuffled windows, in their spread; null with fewer than 8 windows."
        );
        columns.push(ColumnSpec::new(z, Kind::F64, "sd", text).until(CutOff::TurnEnd));
        columns.push(end(lag, Kind::F64, "s", "Time by which the listener is behind there, 0 to 2 s."));
    }
    TableSchema { name: "dyads", description: "One turn and one other speaker: what the speaker does to that listener.", columns }
}

/// Rows of the `dyads` table, by turn, then listener.
///
/// Every other speaker of the interview is a listener of every turn. In a crowd (more than 100 speakers; or more than 21, and the table
/// would have more than 300,000 rows) those who talk during the turn and those who talked last before it are, 20 in all; fewer, but at
/// least 2, where the table would still have more than 4 million rows.
///
/// # Errors
/// [`crate::error::Error::Shape`] when a value does not fit the schema.
pub fn dyads_table(relations: &Relations<'_>) -> Result<Table> {
    let &Relations { turns, face_turns, faces, config, .. } = relations;
    let labels = relations.labels();
    let speaker_of = relations.speakers(&labels);
    let index = SegmentIndex::new(turns.iter().map(|t| t.segment));
    let watched = Watched::new(faces, config);
    let moves = moves(relations, &watched, &labels);
    let mut known = SoFarAll {
        relations,
        labels: &labels,
        voices: VoiceIndex::of_all(&edges::on_the_sound(relations.annotation, relations.acoustics)),
        watched: &watched,
        moves: &moves,
        following: BTreeMap::new(),
    };
    let qualities = TurnQualities::new(turns, relations.voices);
    let mut entrainment = entrainment::SoFar::new(&qualities, &speaker_of, labels.len());
    let mut floor = Floor::new(turns, &speaker_of, labels.len(), &index);
    let mut listeners = Listeners::new(labels.len(), turns.len());
    let gestures_seen = seen_often(faces);
    let mut table = TableBuilder::new(dyads_schema());
    for (at, turn) in turns.iter().enumerate() {
        crate::pulse::beat();
        let here = turn.segment;
        entrainment.take(at, here.start().get());
        if let Some(speaker) = speaker_of[at] {
            floor.hold(here, speaker);
            let gestures = if gestures_seen { listening::gestures_within(faces, here, config) } else { Vec::new() };
            let first = face_turns.partition_point(|f| f.turn < at);
            let last = face_turns.partition_point(|f| f.turn <= at);
            let near = Near::new(turns, &speaker_of, at, index.overlapping(here.start(), here.end()));
            let before = floor.before(here.end());
            let total = floor.all_held(here.end());
            let share = |s: usize| if total > 0.0 { floor.held(s, here.end()) / total } else { f64::NAN };
            let own_share = share(speaker);
            for listener in listeners.of(speaker, &near) {
                let pair = Pair { here, others: near.of(listener), other: &floor.speakers[listener] };
                let offset = before.filter(|&i| speaker_of[i] == Some(listener)).and_then(|i| pair.floor_offset(turns[i].segment));
                table
                    .row()
                    .set("interview_id", relations.interview_id)
                    .set("turn_index", turn.index)
                    .set("speaker", labels[speaker])
                    .set("listener", labels[listener])
                    .set("follows", at > 0 && speaker_of[at - 1] == Some(listener))
                    .set("floor_offset_secs", offset)
                    .set("floor_transfer", offset.map(transfer))
                    .set("speaker_turns_so_far", floor.speakers[speaker].count)
                    .set("speaker_floor_share", own_share)
                    .set("listener_floor_share", share(listener))
                    .set("turns_since_listener", pair.other.last.map(|o| at - o - 1));
                pair.fill(&mut table);
                known.fill_voices(&mut table, here, (speaker, listener), offset);
                known.fill_faces(&mut table, here, (speaker, listener), &face_turns[first..last], &gestures);
                entrainment.fill(&mut table, at, listener);
                known.fill_synchrony(&mut table, here, (speaker, listener));
            }
            listeners.spoke(speaker, at);
        }
        floor.pass(at, here, speaker_of[at]);
    }
    table.finish()
}

/// What is known beside the turns, and who follows whom so far.
struct SoFarAll<'a> {
    relations: &'a Relations<'a>,
    labels: &'a [&'a str],
    voices: BTreeMap<String, VoiceIndex>,
    watched: &'a Watched,
    moves: &'a BTreeMap<String, Moves>,
    following: BTreeMap<(usize, usize), [Following<'a>; 2]>,
}

impl SoFarAll<'_> {
    fn place(&self, speaker: usize) -> Option<&Place> {
        self.relations.places.get(self.labels[speaker])
    }

    fn fill_voices(&self, table: &mut TableBuilder, here: Segment, (speaker, listener): (usize, usize), offset: Option<f64>) {
        let voice = |who: usize| self.place(who).and_then(|p| p.voice.as_deref());
        let (Some(own), Some(other)) = (voice(speaker), voice(listener)) else { return };
        static SILENT: std::sync::LazyLock<VoiceIndex> = std::sync::LazyLock::new(VoiceIndex::default);
        let of = |name: &str| self.voices.get(name).unwrap_or(&SILENT);
        let voices = Voices { segment: here, own: of(own).sharing(here), other: of(other) };
        table
            .set("speech_floor_offset_secs", offset.and_then(|_| voices.offset()))
            .set("speech_overlap_secs", voices.overlap())
            .set("speech_interrupts", voices.interrupts())
            .set("speech_backchannels", voices.backchannels());
    }

    fn fill_faces(
        &self,
        table: &mut TableBuilder,
        here: Segment,
        (speaker, listener): (usize, usize),
        faces: &[FaceTurn],
        gestures: &[(String, usize, usize)],
    ) {
        let name = |who: usize| self.place(who).and_then(|p| p.person.as_deref());
        let Some(other) = name(listener) else { return };
        table.set("listener_person", other);
        if let Some(face) = faces.iter().find(|f| f.person == other) {
            for (name, sources, _) in FACE {
                let values: Vec<f64> = sources.iter().filter_map(|s| face.value(s)).collect();
                let mean = if values.is_empty() { Cell::Missing } else { Cell::from(values.iter().sum::<f64>() / values.len() as f64) };
                table.set(name, mean);
            }
        }
        let nods = gestures.iter().find(|(p, ..)| p == other).map(|&(_, nods, shakes)| (nods, shakes));
        let person = |name: &str| self.watched.person(name);
        listening::fill(table, here, name(speaker).and_then(person), person(other), nods, self.relations.config);
    }

    fn fill_synchrony(&mut self, table: &mut TableBuilder, here: Segment, (speaker, listener): (usize, usize)) {
        let (Some(a), Some(b)) = (self.moves.get(self.labels[speaker]), self.moves.get(self.labels[listener])) else { return };
        if !(a.is_seen() && b.is_seen()) {
            return;
        }
        let pair = self.following.entry((speaker, listener)).or_insert_with(|| follow(a, b));
        for ((z, lag, _), found) in SYNCHRONY.iter().zip(pair.iter_mut().map(|f| f.until(here.end().get()))) {
            table.set(z, found.map(|f| f.z)).set(lag, found.map(|f: Lagged| f.lag as f64 * STEP_SECS));
        }
    }
}

fn follow<'a>(speaker: &'a Moves, listener: &'a Moves) -> [Following<'a>; 2] {
    [Following::new(&speaker.smile, &listener.smile), Following::new(&speaker.head, &listener.head)]
}

/// One turn and one other speaker.
struct Pair<'a> {
    here: Segment,
    /// The other's turns that share time with it.
    others: &'a Others,
    /// The other up to the turn.
    other: &'a Speaker,
}

impl Pair<'_> {
    fn fill(&self, table: &mut TableBuilder) {
        let Others { earlier, later } = self.others;
        table
            .set("overlap_secs", union_secs(earlier.iter().filter_map(|o| o.intersection(self.here))))
            // Begun inside one of the other's turns, and still talking when that one ends.
            .set("interrupts", earlier.iter().any(|o| takes_floor(self.here, *o)))
            .set("backchannel", earlier.iter().any(|o| is_backchannel(self.here, *o)))
            .set("backchannels_received", later.iter().filter(|o| is_backchannel(**o, self.here)).count())
            .set("response_latency_secs", self.other.latency(self.here.start()))
            .set("listener_turns_so_far", self.other.count);
    }

    /// From the turn before, which is the other's.
    fn floor_offset(&self, before: Segment) -> Option<f64> {
        // Ending inside the other's turn, it never had the floor; and that turn's end lies after this one's.
        if before.end() > self.here.end() {
            return None;
        }
        let offset = before.gap(self.here);
        Some(if offset.abs() < TOUCH_SECS { 0.0 } else { offset })
    }
}

fn transfer(offset: f64) -> &'static str {
    match offset {
        o if o >= TOUCH_SECS => "gap",
        o if o <= -TOUCH_SECS => "overlap",
        _ => "touch",
    }
}

pub(super) fn takes_floor(here: Segment, other: Segment) -> bool {
    let late = |a: Seconds, b: Seconds| a.get() > b.get() + TOUCH_SECS;
    late(here.start(), other.start()) && late(other.end(), here.start()) && late(here.end(), other.end())
}

pub(super) fn is_backchannel(short: Segment, long: Segment) -> bool {
    !short.is_empty() && short.duration() <= MAX_BACKCHANNEL_SECS + TOUCH_SECS && long.start() < short.start() && short.end() < long.end()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::annotation::SpeechTurn;
    use crate::table::ColumnData;

    fn turn(index: u32, start: f64, end: f64, speaker: &str) -> Turn {
        let segment = Segment::from_secs(start, end).unwrap();
        Turn { index, segment, speaker: Some(speaker.into()), text: String::new(), words: Vec::new() }
    }

    fn floats(table: &Table, name: &str) -> Vec<Option<f64>> {
        match table.column(name) {
            Some(ColumnData::F64(v)) => v.iter().map(|x| x.is_finite().then_some((x * 1e6).round() / 1e6)).collect(),
            other => panic!("{other:?}"),
        }
    }

    fn bools(table: &Table, name: &str) -> Vec<bool> {
        match table.column(name) {
            Some(ColumnData::Bool(v)) => v.iter().map(|x| x.unwrap()).collect(),
            other => panic!("{other:?}"),
        }
    }

    /// A speaks, B answers after a gap, A touches, B interrupts, A says hm inside B's turn.
    fn talk() -> Vec<Turn> {
        vec![turn(1, 0.0, 4.0, "A"), turn(2, 4.5, 6.0, "B"), turn(3, 6.0, 9.0, "A"), turn(4, 8.0, 12.0, "B"), turn(5, 9.5, 10.0, "A")]
    }

    #[test]
    fn offsets_interruptions_and_backchannels() {
        let t = dyads_table(&Relations::of("i", &talk(), &BTreeMap::new(), &TurnsConfig::default())).unwrap();
        assert_eq!(t.rows(), 5);
        assert_eq!(floats(&t, "floor_offset_secs"), [None, Some(0.5), Some(0.0), Some(-1.0), None]);
        assert_eq!(floats(&t, "overlap_secs"), [0.0, 0.0, 0.0, 1.0, 0.5].map(Some));
        assert_eq!(bools(&t, "interrupts"), [false, false, false, true, false]);
        assert_eq!(bools(&t, "backchannel"), [false, false, false, false, true]);
        assert_eq!(t.column("backchannels_received"), Some(&ColumnData::I64([0, 0, 0, 1, 0].map(Some).to_vec())));
        assert_eq!(floats(&t, "response_latency_secs"), [None, Some(0.5), Some(0.0), Some(4.0), Some(3.5)]);
        assert_eq!(floats(&t, "speaker_floor_share")[1], Some((1.5f64 / 5.5 * 1e6).round() / 1e6));
        let ColumnData::Str(kinds) = t.column("floor_transfer").unwrap() else { panic!() };
        assert_eq!(kinds.iter().map(Option::as_deref).collect::<Vec<_>>(), [None, Some("gap"), Some("touch"), Some("overlap"), None]);
    }

    #[test]
    fn a_backchannel_leaves_the_floor_where_it_is() {
        let turns =
            [turn(1, 0.0, 4.0, "B"), turn(2, 1.0, 1.5, "A"), turn(3, 3.6, 7.0, "A"), turn(4, 5.0, 5.4, "B"), turn(5, 7.5, 8.0, "A")];
        let t = dyads_table(&Relations::of("i", &turns, &BTreeMap::new(), &TurnsConfig::default())).unwrap();
        assert_eq!(floats(&t, "floor_offset_secs"), [None, None, Some(-0.4), None, None]);
        assert_eq!(bools(&t, "interrupts"), [false, false, true, false, false]);
    }

    #[test]
    fn what_comes_later_changes_nothing() {
        let rows = |n: usize| dyads_table(&Relations::of("i", &talk()[..n], &BTreeMap::new(), &TurnsConfig::default())).unwrap();
        let (short, whole) = (rows(3), rows(5));
        for (spec, (a, b)) in short.schema().columns.iter().zip(short.columns().iter().zip(whole.columns())) {
            // Turn 4 begins inside turn 3, and still turn 3 does not know it.
            for row in (0..3).filter(|_| spec.cut_off != CutOff::Interview) {
                assert_eq!(format!("{:?}", value(a, row)), format!("{:?}", value(b, row)), "{}", spec.name);
            }
        }
    }

    fn value(data: &ColumnData, row: usize) -> String {
        match data {
            ColumnData::F64(v) => format!("{:?}", v[row]),
            ColumnData::I64(v) => format!("{:?}", v[row]),
            ColumnData::Str(v) => format!("{:?}", v[row]),
            ColumnData::Bool(v) => format!("{:?}", v[row]),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn voices_tell_what_a_coarse_transcript_hides() {
        let voice = |a: f64, b: f64, s: &str| SpeechTurn { segment: Segment::from_secs(a, b).unwrap(), speaker: s.into() };
        let annotation = Annotation::new(vec![voice(0.2, 3.6, "S0"), voice(4.1, 7.0, "S1"), voice(5.0, 5.4, "S0"), voice(6.5, 9.0, "S0")]);
        let turns = [turn(1, 0.0, 4.0, "A"), turn(2, 4.0, 7.0, "B"), turn(3, 7.0, 9.0, "A")];
        let place = |v: &str| Place { voice: Some(v.into()), person: None };
        let places = [("A".to_owned(), place("S0")), ("B".to_owned(), place("S1"))].into_iter().collect();
        let config = TurnsConfig::default();
        let t = dyads_table(&Relations { annotation: &annotation, ..Relations::of("i", &turns, &places, &config) }).unwrap();
        assert_eq!(floats(&t, "speech_floor_offset_secs"), [None, Some(0.5), Some(-0.5)]);
        assert_eq!(floats(&t, "speech_overlap_secs"), [Some(0.0), Some(0.9), Some(0.0)]);
        assert_eq!(bools(&t, "speech_interrupts"), [false, false, true]);
        assert_eq!(t.column("speech_backchannels"), Some(&ColumnData::I64([0, 1, 0].map(Some).to_vec())));
    }
}
