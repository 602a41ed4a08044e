//! The columns of `dyads`: what each says, and how a dyad gives its value.

use super::TOUCH_SECS;
use super::cited::cited;
use crate::annotation::union_secs;
use crate::table::{Column, CutOff, Layout, Missing, Modality, all_until};
use crate::time::Segment;
use crate::turns::bodies::{BodyTurn, listener_columns};
use crate::turns::entrainment::{self, Entrainment};
use crate::turns::face_statistics::FaceTurn;
use crate::turns::floors::{is_backchannel, transfer};
use crate::turns::lagged::Lagged;
use crate::turns::language::{Between, between_columns};
use crate::turns::laughter::{self, OfDyad};
use crate::turns::listening::{self, Listening};
use crate::turns::looking::{self, Looking};
use crate::turns::near::Others;
use crate::turns::silent::{self, Silent};
use crate::turns::synchrony::{STEP_SECS, SynchronyConfig};
use crate::turns::voices::Voices;
use crate::turns::{TurnsConfig, measured};

/// One turn and one other speaker.
pub(super) struct Dyad<'a> {
    pub(super) interview_id: &'a str,
    pub(super) group: Option<&'a str>,
    /// The speaker's and the listener's.
    pub(super) roles: (Option<&'a str>, Option<&'a str>),
    pub(super) turn_index: u32,
    pub(super) speaker: &'a str,
    pub(super) listener: &'a str,
    /// The turn.
    pub(super) here: Segment,
    /// True when the turn before is the listener's; `None` where a cue between them was dropped.
    pub(super) follows: Option<bool>,
    /// From the end of the listener's floor before.
    pub(super) floor_offset_secs: Result<f64, Missing>,
    /// `None` where nobody can know, likewise the next.
    pub(super) interrupts: Option<bool>,
    pub(super) is_backchannel: Option<bool>,
    pub(super) max_backchannel_secs: f64,
    /// The listener's turns that share time with the turn.
    pub(super) others: Others,
    pub(super) turns_since_listener: Option<usize>,
    pub(super) speaker_so_far: TurnsSoFar,
    pub(super) listener_so_far: TurnsSoFar,
    /// Or why voices tell nothing of the two.
    pub(super) voices: Result<Voices<'a>, Missing>,
    pub(super) listener_person: Option<&'a str>,
    /// The listener's face during the turn.
    pub(super) face: Option<&'a FaceTurn>,
    pub(super) listening: Listening,
    /// The listener's body; `None` where bodies are not looked at.
    pub(super) body: Option<BodyTurn>,
    pub(super) looking: Looking,
    pub(super) silent: Silent,
    pub(super) entrainment: Entrainment,
    pub(super) between: Between,
    pub(super) laughter: OfDyad,
    pub(super) following: [Option<Lagged>; FOLLOWED.len()],
}

impl Dyad<'_> {
    /// A response begins when the other has ended.
    fn response(&self) -> Result<f64, Missing> {
        self.floor_offset_secs.and_then(|o| if o > -TOUCH_SECS { Ok(o.max(0.0)) } else { Err(Missing::Overlap) })
    }

    /// From voice to voice, where the turn takes the listener's floor.
    fn speech_offset(&self) -> Result<f64, Missing> {
        self.floor_offset_secs?;
        self.voices.as_ref().map_err(|why| *why)?.offset()
    }
}

/// Turns of one speaker up to the end of the turn.
pub(super) struct TurnsSoFar {
    pub(super) turns: usize,
    /// Share of all turns' time, 0 to 1.
    pub(super) floor_share: f64,
}

/// Columns of the `dyads` table; `bodies` = they are looked at.
pub(super) fn layout<'a>(config: &TurnsConfig, bodies: bool) -> Layout<Dyad<'a>> {
    let mut columns = vec![
        Column::text("interview_id", "Interview the row belongs to.", |d: &Dyad<'a>| d.interview_id)
            .until(CutOff::None),
        Column::int("turn_index", "", "Turn.", |d: &Dyad<'a>| d.turn_index).until(CutOff::None),
        Column::text("speaker", "The turn's speaker.", |d: &Dyad<'a>| d.speaker).until(CutOff::TurnEnd),
        Column::text(
            "listener",
            "Another speaker of the interview (another label; without a transcript another voice), who need not be \
             the one addressed: a turn has a row for every other speaker, so that interview_id, turn_index and \
             listener are the row's key; in a crowd for those nearest in time. A turn without a label has no rows, \
             in a transcript that labels others.",
            |d: &Dyad<'a>| d.listener,
        )
        .until(CutOff::None),
    ];
    columns.extend(who_they_are());
    let mut measures = floor_columns(config);
    measures.extend(count_columns());
    measures.extend(voice_columns(config));
    measures.push(Column::text(
        "listener_person",
        "The listener's person on the screen; null = off screen or not told apart.",
        |d: &Dyad<'a>| d.listener_person,
    ));
    measures.extend(silent::columns().into_iter().map(|c| c.within(|d: &Dyad<'a>| Some(&d.silent))));
    measures.extend(face_columns().into_iter().map(|c| c.within(|d: &Dyad<'a>| d.face)));
    measures.extend(looking::columns().into_iter().map(|c| c.within(|d: &Dyad<'a>| Some(&d.looking))));
    measures.extend(listening::columns().into_iter().map(|c| c.within(|d: &Dyad<'a>| Some(&d.listening))));
    measures.extend(entrainment::columns().into_iter().map(|c| c.within(|d: &Dyad<'a>| Some(&d.entrainment))));
    measures.extend(laughter::dyad_columns().into_iter().map(|c| c.within(|d: &Dyad<'a>| Some(&d.laughter))));
    measures.extend((0..FOLLOWED.len()).flat_map(|signal| following_columns(signal, &config.synchrony)));
    if bodies {
        measures.extend(listener_columns().into_iter().map(|c| c.within(|d: &Dyad<'a>| d.body.as_ref())));
    }
    columns.extend(cited(measured(Modality::Dyad, measures)));
    columns.extend(between_columns(&config.language).into_iter().map(|c| c.within(|d: &Dyad<'a>| Some(&d.between))));
    Layout {
        name: "dyads",
        description: "One turn and one other speaker: what the speaker does to that listener.",
        columns,
    }
}

/// What the corpus says of the people.
fn who_they_are<'a>() -> [Column<Dyad<'a>>; 3] {
    [
        Column::text("group", "Group as in interviews: couple, family, lab.", |d: &Dyad<'a>| d.group)
            .until(CutOff::None),
        Column::text(
            "speaker_role",
            "The speaker's role, where the manifest or the sample gives one.",
            |d: &Dyad<'a>| d.roles.0,
        )
        .until(CutOff::TurnEnd),
        Column::text("listener_role", "The listener's role, where one is given.", |d: &Dyad<'a>| d.roles.1)
            .until(CutOff::None),
    ]
}

/// Who takes the floor from whom, by the transcript's times.
fn floor_columns<'a>(config: &TurnsConfig) -> Vec<Column<Dyad<'a>>> {
    let floor = &config.floor;
    let (most, together, heard) = (floor.max_backchannel_secs, floor.simultaneous_secs, floor.min_overlap_secs);
    let columns = [
        Column::float(
            "floor_offset_secs",
            "s",
            "Floor-transfer offset (Heldner and Edlund 2010; sign of Stivers et al. 2009): where the turn takes the \
             floor from the listener, its start minus the end of the listener's floor: above 0 a gap, below an \
             overlap, 0 they touch (to half a millisecond). By the turns' times as written: subtitles, which never \
             overlap, give nothing below 0 (speech_floor_offset_secs goes by the voices). A floor is consecutive \
             turns of one speaker, nobody else holding the floor between (floor_index of turns); a backchannel, a \
             short turn wholly inside another's (begun after its start and over before its end), holds none; a turn \
             begun before its speaker's own floor has ended goes on with it. Of several, the floor that reaches \
             furthest held it. Null where the turn takes no floor from this listener, with floor_missing.",
            |d: &Dyad<'a>| d.floor_offset_secs.ok(),
        ),
        Column::text("floor_transfer", "gap, overlap or touch (neither), by floor_offset_secs.", |d: &Dyad<'a>| {
            d.floor_offset_secs.ok().map(transfer)
        }),
        Column::text(
            "floor_missing",
            format!(
                "Why floor_offset_secs is null; null = it is filled. same_floor (the speaker goes on), first_floor \
                 (nobody held it before), other_floor (it was another's than the listener's), backchannel (at most \
                 {most} s, wholly inside another's turn), inside_another (longer, wholly inside another's turn), \
                 simultaneous (begun less than {together} s after the other, by turns.floor.simultaneous_secs), \
                 dropped_cue (a cue in between could not be read), no_label (the turn that held the floor before \
                 has no label; this turn has one)."
            ),
            |d: &Dyad<'a>| d.floor_offset_secs.err(),
        ),
        Column::float(
            "overlap_secs",
            "s",
            "Time of the turn during which a turn of the listener that began before it still runs.",
            |d: &Dyad<'a>| union_secs(d.others.earlier.iter().filter_map(|o| o.intersection(d.here))),
        ),
        // Begun inside one of the other's turns, and still talking when that one ends.
        Column::bool(
            "interrupts",
            format!(
                "True when the turn is the first of a floor, begins at least {together} s after the listener's talk \
                 did (turns.floor.simultaneous_secs) and at least {heard} s before that talk ends \
                 (turns.floor.min_overlap_secs), and goes on after that end; by the turns' times as written. The \
                 listener's talk: turns of the listener that hold a floor, joined where less than {together} s lie \
                 between, those that begin during this turn among them. False for every other turn: what goes on with \
                 a floor, backchannels, turns wholly inside another's. Null where nobody can know: a turn without a \
                 label, which may be the listener's, is broken into in this way, or a cue just before could not be \
                 read. For a rate take the turns with a value whose floor_position in turns is 1. Cues that cannot \
                 overlap (subtitles) give none: see speech_interrupts."
            ),
            |d: &Dyad<'a>| d.interrupts,
        ),
        Column::bool(
            "backchannel",
            format!(
                "True when the turn lasts at most {most} s (turns.floor.max_backchannel_secs) and lies wholly inside \
                 what the listener says, by turns joined as for interrupts (Yngve 1970). Null where a turn without a \
                 label is talked into in this way, and where a cue just before a turn that short could not be read."
            ),
            |d: &Dyad<'a>| d.is_backchannel,
        ),
    ];
    let mut all = vec![
        Column::bool(
            "follows",
            "True when the turn begun before this one is the listener's; null where a cue in between could not be \
             read.",
            |d: &Dyad<'a>| d.follows,
        )
        .until(CutOff::TurnStart),
    ];
    all.extend(all_until(CutOff::TurnEnd, columns.into_iter().chain(answer_columns())));
    all.push(backchannels_column(most));
    all
}

/// What the listener says within the turn.
fn backchannels_column<'a>(most: f64) -> Column<Dyad<'a>> {
    Column::int(
        "backchannels_received",
        "",
        format!(
            "Turns of the listener, begun after this one, of at most {most} s (turns.floor.max_backchannel_secs, \
             Turnwise's limit), that lie wholly inside it by the turns' times as written: \"mhm\" (Yngve 1970). Turns \
             without a label are nobody's and not counted. Always 0 where cues cannot overlap, as in subtitles: see \
             speech_backchannels. It counts turns begun inside this one, which may tell who is next, so it is no \
             task's feature."
        ),
        |d: &Dyad<'a>| d.others.later.iter().filter(|o| is_backchannel(**o, d.here, d.max_backchannel_secs)).count(),
    )
}

/// How long the turn lets the listener wait for an answer.
fn answer_columns<'a>() -> [Column<Dyad<'a>>; 2] {
    [
        Column::float(
            "response_latency_secs",
            "s",
            "How long an answer waits: floor_offset_secs where that is 0 or more, so a gap or a touch. Never \
             negative; null where the turn begins before the listener's end (overlap) and where it takes no floor \
             from the listener, with response_latency_missing.",
            |d: &Dyad<'a>| d.response().ok(),
        ),
        Column::text(
            "response_latency_missing",
            "Why response_latency_secs is null: those of floor_missing, and overlap (begun before the listener's end).",
            |d: &Dyad<'a>| d.response().err(),
        ),
    ]
}

/// How much each of the two has talked so far.
fn count_columns<'a>() -> Vec<Column<Dyad<'a>>> {
    vec![
        Column::int(
            "turns_since_listener",
            "",
            "Turns begun after the listener's last one and before this; null before the listener's first, and where a \
             cue in between could not be read.",
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
            "The speaker's share of the talk so far, 0 to 1: time of the speaker's turns over the sum of every \
             speaker's (not of the pair's alone), by the turns' times, of the turns begun up to this one, each cut \
             at this turn's end. Where two talk together it counts for each; where one speaker's turns overlap, \
             once. Turns without a label are left out. 0 = the speaker's turns so far have no length; null where \
             nobody's have. The last row of the interview tells the whole of it, but for turns that run on after \
             its end.",
            |d: &Dyad<'a>| d.speaker_so_far.floor_share,
        )
        .until(CutOff::TurnEnd),
        Column::float(
            "listener_floor_share",
            "1",
            "The listener's share of the talk so far, 0 to 1, as speaker_floor_share.",
            |d: &Dyad<'a>| d.listener_so_far.floor_share,
        )
        .until(CutOff::TurnEnd),
    ]
}

/// What the voices tell; they are told apart over the whole interview.
fn voice_columns<'a>(config: &TurnsConfig) -> Vec<Column<Dyad<'a>>> {
    let floor = &config.floor;
    let (most, together, heard) = (floor.max_backchannel_secs, floor.simultaneous_secs, floor.min_overlap_secs);
    vec![
        Column::float(
            "speech_start_secs",
            "s",
            "By voices: where the speaker begins, with the first utterance that belongs to the turn; an utterance \
             belongs to \
             the first turn of its speaker that shares time with it. Edges of voices are moved to where the level \
             rises and falls (Rabiner and Sambur 1975).",
            |d: &Dyad<'a>| d.voices.as_ref().ok().and_then(Voices::start),
        ),
        Column::float(
            "speech_floor_offset_secs",
            "s",
            "By voices: speech_start_secs minus the end of the listener's speech begun before it; null where \
             floor_offset_secs is, and with speech_floor_missing.",
            |d: &Dyad<'a>| d.speech_offset().ok(),
        ),
        Column::text(
            "speech_floor_missing",
            format!(
                "Why speech_floor_offset_secs is null: those of floor_missing and speech_missing, no_speech (a voice \
                 says nothing of its own there), simultaneous (the two begin less than {together} s apart)."
            ),
            |d: &Dyad<'a>| d.speech_offset().err(),
        ),
        Column::float(
            "speech_overlap_secs",
            "s",
            "By voices: time of the turn during which both talk.",
            |d: &Dyad<'a>| d.voices.as_ref().ok().map(Voices::overlap),
        ),
        Column::bool(
            "speech_interrupts",
            format!(
                "By voices: true when an utterance that belongs to the turn begins while the listener talks, at least \
                 {together} s after the listener's start, overlaps by at least {heard} s and goes on after the \
                 listener's end."
            ),
            |d: &Dyad<'a>| d.voices.as_ref().ok().map(Voices::interrupts),
        ),
        Column::int(
            "speech_backchannels",
            "",
            format!(
                "By voices: utterances of the listener of at most {most} s that lie wholly inside one of the \
                 speaker's, or in \
                 the turn while the speaker talks before and after. Each belongs to the one turn in which it begins."
            ),
            |d: &Dyad<'a>| d.voices.as_ref().ok().map(|v| v.backchannels().len()),
        ),
        Column::float(
            "speech_first_backchannel_secs",
            "s",
            "When the first of those begins; null without one.",
            |d: &Dyad<'a>| d.voices.as_ref().ok().and_then(|v| v.backchannels().first().copied()),
        ),
        Column::text(
            "speech_missing",
            "Why the speech_ columns are null: no_voice (no voice was found for one of the two), voice_contradicts \
             (another voice than the label's talks most in this turn or in the one before it in time).",
            |d: &Dyad<'a>| d.voices.as_ref().err().copied(),
        ),
    ]
}

/// The listener's face over the turn.
pub(super) fn face_columns() -> Vec<Column<FaceTurn>> {
    let columns = [
        face_column(
            "listener_gaze_camera_yaw_deg",
            "deg",
            (&["gaze_camera_yaw_deg"], "mean"),
            "Listener's mean gaze yaw against the camera over the turn's instants, as gaze_camera_yaw_deg of faces.",
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
fn following_columns<'a>(signal: usize, config: &SynchronyConfig) -> [Column<Dyad<'a>>; 3] {
    let (name, what) = FOLLOWED[signal];
    let (window, surrogates) = (config.window_secs, config.surrogates);
    let text = format!(
        "How closely the listener's {what} follows the speaker's over the last {} s up to the turn's end: correlation \
         of {window} s windows at the best lag against {surrogates} surrogates with shuffled windows, in their spread \
         (Ramseyer and Tschacher 2011); null with fewer than {} windows ({} s seen of both).",
        config.look_back_windows as f64 * window,
        config.min_windows,
        config.min_windows as f64 * window,
    );
    let z =
        Column::float(format!("{name}_synchrony_z"), "sd", text, move |d: &Dyad<'a>| d.following[signal].map(|f| f.z));
    let p = Column::float(
        format!("{name}_synchrony_p"),
        "1",
        format!(
            "Share of those surrogates, the value counted as one, that reach it: one-sided, at least 1 / {} (Phipson \
             and Smyth 2010).",
            surrogates + 1
        ),
        move |d: &Dyad<'a>| d.following[signal].map(|f| f.p),
    );
    let lag = Column::float(
        format!("{name}_synchrony_lag_secs"),
        "s",
        format!("Time by which the listener is behind there, 0 to {} s.", config.max_lag_secs),
        move |d: &Dyad<'a>| d.following[signal].map(|f| f.lag as f64 * STEP_SECS),
    );
    [z, p, lag].map(|c| c.until(CutOff::TurnEnd))
}
