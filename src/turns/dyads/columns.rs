//! The columns of `dyads`: what each says, and how a dyad gives its value.

use super::{is_backchannel, takes_floor, transfer};
use crate::annotation::union_secs;
use crate::table::{Column, CutOff, Layout, Missing, Modality, all_until};
use crate::time::Segment;
use crate::turns::entrainment::{self, Entrainment};
use crate::turns::face_statistics::FaceTurn;
use crate::turns::lagged::Lagged;
use crate::turns::listening::{self, Listening};
use crate::turns::measured;
use crate::turns::near::Others;
use crate::turns::synchrony::STEP_SECS;
use crate::turns::voices::Voices;

/// One turn and one other speaker.
pub(super) struct Dyad<'a> {
    pub(super) interview_id: &'a str,
    pub(super) turn_index: u32,
    pub(super) speaker: &'a str,
    pub(super) listener: &'a str,
    /// The turn.
    pub(super) here: Segment,
    /// True when the turn before is the listener's.
    pub(super) follows: bool,
    /// From the end of the listener's turn that had the floor before.
    pub(super) floor_offset_secs: Option<f64>,
    /// The listener's turns that share time with the turn.
    pub(super) others: Others,
    pub(super) response_latency_secs: Option<f64>,
    pub(super) turns_since_listener: Option<usize>,
    pub(super) speaker_so_far: TurnsSoFar,
    pub(super) listener_so_far: TurnsSoFar,
    /// Or why voices tell nothing of the two.
    pub(super) voices: Result<Voices<'a>, Missing>,
    pub(super) listener_person: Option<&'a str>,
    /// The listener's face during the turn.
    pub(super) face: Option<&'a FaceTurn>,
    pub(super) listening: Listening,
    pub(super) entrainment: Entrainment,
    pub(super) following: [Option<Lagged>; FOLLOWED.len()],
}

/// Turns of one speaker up to the end of the turn.
pub(super) struct TurnsSoFar {
    pub(super) turns: usize,
    /// Share of all turns' time, 0 to 1.
    pub(super) floor_share: f64,
}

/// Columns of the `dyads` table.
pub(super) fn layout<'a>() -> Layout<Dyad<'a>> {
    let mut columns = vec![
        Column::text("interview_id", "Interview the row belongs to.", |d: &Dyad<'a>| d.interview_id)
            .until(CutOff::None),
        Column::int("turn_index", "", "Turn.", |d: &Dyad<'a>| d.turn_index).until(CutOff::None),
        Column::text("speaker", "The turn's speaker.", |d: &Dyad<'a>| d.speaker).until(CutOff::TurnEnd),
        Column::text("listener", "Another speaker of the interview.", |d: &Dyad<'a>| d.listener).until(CutOff::None),
    ];
    let mut measures = floor_columns();
    measures.extend(count_columns());
    measures.extend(voice_columns());
    measures.push(Column::text(
        "listener_person",
        "The listener's person on the screen; null = off screen or not told apart.",
        |d: &Dyad<'a>| d.listener_person,
    ));
    measures.extend(face_columns().into_iter().map(|c| c.within(|d: &Dyad<'a>| d.face)));
    measures.extend(listening::columns().into_iter().map(|c| c.within(|d: &Dyad<'a>| Some(&d.listening))));
    measures.extend(entrainment::columns().into_iter().map(|c| c.within(|d: &Dyad<'a>| Some(&d.entrainment))));
    measures.extend((0..FOLLOWED.len()).flat_map(following_columns));
    columns.extend(measured(Modality::Dyad, measures));
    Layout {
        name: "dyads",
        description: "One turn and one other speaker: what the speaker does to that listener.",
        columns,
    }
}

/// Who takes the floor from whom, by the transcript's times.
fn floor_columns<'a>() -> Vec<Column<Dyad<'a>>> {
    vec![
        Column::bool("follows", "True when the turn before is the listener's.", |d: &Dyad<'a>| d.follows).until(CutOff::TurnStart),
        Column::float(
            "floor_offset_secs",
            "s",
            "Start of the turn minus the end of the listener's turn before it, backchannels left out: above 0 a gap, below an overlap, 0 \
             neither; null when the turn before is not the listener's or the turn ends inside it.",
            |d: &Dyad<'a>| d.floor_offset_secs,
        )
        .until(CutOff::TurnEnd),
        Column::text("floor_transfer", "gap, overlap or touch (neither), by that offset.", |d: &Dyad<'a>| {
            d.floor_offset_secs.map(transfer)
        })
        .until(CutOff::TurnEnd),
        Column::float("overlap_secs", "s", "Time of the turn during which an earlier turn of the listener still runs.", |d: &Dyad<'a>| {
            union_secs(d.others.earlier.iter().filter_map(|o| o.intersection(d.here)))
        })
        .until(CutOff::TurnEnd),
        // Begun inside one of the other's turns, and still talking when that one ends.
        Column::bool(
            "interrupts",
            "True when the turn begins inside an earlier turn of the listener and goes on after that one's end.",
            |d: &Dyad<'a>| d.others.earlier.iter().any(|o| takes_floor(d.here, *o)),
        )
        .until(CutOff::TurnEnd),
        Column::bool(
            "backchannel",
            "True when the turn lasts at most 1 s and lies wholly inside an earlier turn of the listener.",
            |d: &Dyad<'a>| d.others.earlier.iter().any(|o| is_backchannel(d.here, *o)),
        )
        .until(CutOff::TurnEnd),
        Column::int(
            "backchannels_received",
            "",
            "Later turns of the listener of at most 1 s that lie wholly inside the turn.",
            |d: &Dyad<'a>| d.others.later.iter().filter(|o| is_backchannel(**o, d.here)).count(),
        ),
        Column::float(
            "response_latency_secs",
            "s",
            "From the end of the listener's last turn that ended by the turn's start to that start, whoever talked in between.",
            |d: &Dyad<'a>| d.response_latency_secs,
        )
        .until(CutOff::TurnStart),
    ]
}

/// How much each of the two has talked so far.
fn count_columns<'a>() -> Vec<Column<Dyad<'a>>> {
    vec![
        Column::int(
            "turns_since_listener",
            "",
            "Turns begun after the listener's last one and before this; null before the listener's first.",
            |d: &Dyad<'a>| d.turns_since_listener,
        )
        .until(CutOff::TurnStart),
        Column::int(
            "speaker_turns_so_far",
            "",
            "The speaker's turns up to this one, this one counted.",
            |d: &Dyad<'a>| d.speaker_so_far.turns,
        )
        .until(CutOff::TurnEnd),
        Column::int("listener_turns_so_far", "", "The listener's turns before this one.", |d: &Dyad<'a>| {
            d.listener_so_far.turns
        })
        .until(CutOff::TurnStart),
        Column::float(
            "speaker_floor_share",
            "1",
            "The speaker's share of all turns' time up to the turn's end, 0 to 1.",
            |d: &Dyad<'a>| d.speaker_so_far.floor_share,
        )
        .until(CutOff::TurnEnd),
        Column::float(
            "listener_floor_share",
            "1",
            "The listener's share of all turns' time up to the turn's end, 0 to 1.",
            |d: &Dyad<'a>| d.listener_so_far.floor_share,
        )
        .until(CutOff::TurnEnd),
    ]
}

/// What the voices tell; they are told apart over the whole interview.
fn voice_columns<'a>() -> Vec<Column<Dyad<'a>>> {
    vec![
        Column::float(
            "speech_floor_offset_secs",
            "s",
            "By voices: first speech of the speaker in the turn minus the end of the listener's last speech begun before it, edges moved to \
             where the level rises and falls; null where floor_offset_secs is.",
            |d: &Dyad<'a>| d.floor_offset_secs.and_then(|_| d.voices.as_ref().ok()?.offset()),
        ),
        Column::float(
            "speech_overlap_secs",
            "s",
            "By voices: time of the turn during which both talk.",
            |d: &Dyad<'a>| d.voices.as_ref().ok().map(Voices::overlap),
        ),
        Column::bool(
            "speech_interrupts",
            "By voices: true when the speaker begins while the listener talks and goes on after that.",
            |d: &Dyad<'a>| d.voices.as_ref().ok().map(Voices::interrupts),
        ),
        Column::int(
            "speech_backchannels",
            "",
            "By voices: utterances of the listener of at most 1 s while the speaker talks before and after.",
            |d: &Dyad<'a>| d.voices.as_ref().ok().map(Voices::backchannels),
        ),
        Column::text(
            "speech_missing",
            "Why the speech_ columns are null: no_voice (no voice was found for one of the two), voice_contradicts (another voice than the \
             label's talks most in this turn or in the one before it in time).",
            |d: &Dyad<'a>| d.voices.as_ref().err().copied(),
        ),
    ]
}

/// The listener's face over the turn.
pub(super) fn face_columns() -> Vec<Column<FaceTurn>> {
    let smile = ["blendshape_mouthSmileLeft", "blendshape_mouthSmileRight"];
    let brow_down = ["blendshape_browDownLeft", "blendshape_browDownRight"];
    let press = ["blendshape_mouthPressLeft", "blendshape_mouthPressRight"];
    let columns = [
        face_column("listener_smile", "1", (&smile, "mean"), "Listener's mean smile over the turn."),
        face_column(
            "listener_smile_peak",
            "1",
            (&smile, "peak"),
            "Listener's largest smile in the turn, both sides averaged.",
        ),
        face_column("listener_brow_down", "1", (&brow_down, "mean"), "Listener's mean brow lowering over the turn."),
        face_column(
            "listener_brow_up",
            "1",
            (&["blendshape_browInnerUp"], "mean"),
            "Listener's mean raising of the inner brows over the turn.",
        ),
        face_column("listener_lip_press", "1", (&press, "mean"), "Listener's mean lip press over the turn."),
        face_column(
            "listener_gaze_camera_yaw_deg",
            "deg",
            (&["gaze_camera_yaw_deg"], "mean"),
            "Listener's mean gaze yaw against the camera over the turn.",
        ),
        face_column(
            "listener_head_pitch_sd_deg",
            "deg",
            (&["head_pitch_deg"], "sd"),
            "Spread of the listener's head pitch: high when nodding, low when still.",
        ),
        face_column(
            "listener_head_yaw_sd_deg",
            "deg",
            (&["head_yaw_deg"], "sd"),
            "Spread of the listener's head yaw: high when shaking the head or turning, low when still.",
        ),
    ];
    all_until(CutOff::TurnEnd, columns)
}

/// The mean of one statistic over some quantities of the face.
fn face_column(
    name: &'static str,
    unit: &'static str,
    (quantities, statistic): (&[&str], &str),
    text: &'static str,
) -> Column<FaceTurn> {
    let places: Vec<Option<usize>> = quantities.iter().map(|q| FaceTurn::place(q, statistic)).collect();
    Column::float(name, unit, text, move |face: &FaceTurn| {
        let values: Vec<f64> = places.iter().filter_map(|place| face.statistic((*place)?)).collect();
        (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
    })
}

/// What is followed, by the beginning of its columns' names, and in words.
pub(super) const FOLLOWED: [(&str, &str); 2] = [("smile", "smile"), ("head", "speed of the head")];

/// Who follows whom so far, by one of [`FOLLOWED`].
fn following_columns<'a>(signal: usize) -> [Column<Dyad<'a>>; 2] {
    let (name, what) = FOLLOWED[signal];
    let text = format!(
        "How closely the listener's {what} follows the speaker's over the last 10 minutes up to the turn's end: correlation of 15 s \
         windows at the best lag against shuffled windows, in their spread; null with fewer than 8 windows."
    );
    let z =
        Column::float(format!("{name}_synchrony_z"), "sd", text, move |d: &Dyad<'a>| d.following[signal].map(|f| f.z));
    let lag = Column::float(
        format!("{name}_synchrony_lag_secs"),
        "s",
        "Time by which the listener is behind there, 0 to 2 s.",
        move |d: &Dyad<'a>| d.following[signal].map(|f| f.lag as f64 * STEP_SECS),
    );
    [z.until(CutOff::TurnEnd), lag.until(CutOff::TurnEnd)]
}
