//! The listener's face while the listener is silent: a mouth that talks is not looked at for what it feels.
//!
//! Silent is where none of the listener's turns runs, by the turns' times: what a transcript leaves out (short
//! backchannels, mostly) is not known here. A turn of the listener's that begins inside the one at hand would tell who
//! is next, so only `listener_silent_share` looks at it, which no task may use. Smiles hold for talking mouths too;
//! brows that stress words and lips that close for a consonant do not.

use super::Relations;
use super::near::Others;
use super::smiles::{EDGES, MEASURE, outside};
use super::watched::Person;
use crate::annotation::union_secs;
use crate::table::{Column, CutOff, Missing, all_until};
use crate::time::Segment;

/// What a silent listener's face does during one turn; `None` where it cannot be told.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Silent {
    /// Mean smile of the speaker over the turn.
    speaker_smile: Option<f64>,
    /// Share of the turn's time in which the listener is silent; `None` for a turn without length.
    share: Option<f64>,
    /// Mean and peak.
    smile: Option<(f64, f64)>,
    /// Means of the lowered brows, the raised inner brows, the pressed lips.
    rest: Option<[f64; 3]>,
    /// Why there is nothing of the listener's face.
    missing: Option<Missing>,
}

/// The columns.
pub(super) fn columns() -> Vec<Column<Silent>> {
    let rest = |name: &'static str, what: &'static str, place: usize| {
        Column::float(
            name,
            "1",
            format!("Mean of {what} over the instants of the turn in which the listener is silent."),
            move |s: &Silent| s.rest.map(|r| r[place]),
        )
    };
    let mut columns = all_until(
        CutOff::TurnEnd,
        [
            Column::float(
                "speaker_smile",
                "1",
                format!("The speaker's mean smile over the turn. The smile at an instant is {MEASURE}. {EDGES}"),
                |s: &Silent| s.speaker_smile,
            ),
            Column::float(
                "listener_smile",
                "1",
                format!(
                    "The listener's mean smile over the turn's instants (looked-at frames in which the listener's \
                     face is measured, as in face_missing of turns, and no still picture) in which the listener is \
                     silent. Silent: no turn of the listener's that began before this one still runs. Turns of the \
                     listener's that begin inside this one are not left out, as they would tell who is next: a \
                     talking mouth may be among the instants, and listener_silent_share (cut-off interview) tells how \
                     much. The smile at an instant is {MEASURE}. {EDGES} Null with listener_face_missing, and where \
                     no look at the expression lies near."
                ),
                |s: &Silent| s.smile.map(|s| s.0),
            ),
            Column::float("listener_smile_peak", "1", "The largest smile of those instants.", |s: &Silent| {
                s.smile.map(|s| s.1)
            }),
            rest("listener_brow_down", "the listener's browDown blendshapes, both sides averaged,", 0),
            rest("listener_brow_up", "the listener's browInnerUp blendshape", 1),
            rest("listener_lip_press", "the listener's mouthPress blendshapes, both sides averaged,", 2),
            Column::text(
                "listener_face_missing",
                "Why listener_smile, its peak, the brows and the lip press are null; null = they are filled. \
                 no_stream (no video), not_cast (which person on the screen is the listener is not known), no_face \
                 (not in the picture during the turn), still_picture (a photo), low_quality (no look at the face is \
                 good enough), never_silent (talks at every instant).",
                |s: &Silent| s.missing,
            ),
        ],
    );
    columns.push(Column::float(
        "listener_silent_share",
        "1",
        "Share of the turn's time in which none of the listener's own turns runs, those begun inside it among them, 0 \
         to 1; null for a turn without length.",
        |s: &Silent| s.share,
    ));
    columns
}

/// Of a listener whose turns that share time with `here` are `others`. `person` is the listener's, `speaker` the
/// speaker's face, where they have one on the screen.
pub(super) fn silent(
    relations: &Relations<'_>,
    here: Segment,
    others: &Others,
    speaker: Option<&Person>,
    listener: Option<&Person>,
) -> Silent {
    let within = |turns: &[Segment]| turns.iter().filter_map(|o| o.intersection(here)).collect::<Vec<Segment>>();
    let talks = within(&others.earlier);
    let all_talk = talks.iter().copied().chain(within(&others.later));
    let length = here.duration();
    let own = speaker.map(|s| s.smiles.during(here)).unwrap_or_default();
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let all = |values: Vec<f64>| (!values.is_empty()).then(|| mean(&values));
    let told = Silent {
        speaker_smile: all(own.iter().map(|s| s.1).collect()),
        share: (length > 0.0).then(|| (1.0 - union_secs(all_talk) / length).clamp(0.0, 1.0)),
        ..Silent::default()
    };
    let person = match why_unseen(relations, here, listener) {
        Ok(person) => person,
        Err(missing) => return Silent { missing: Some(missing), ..told },
    };
    let smile: Vec<f64> =
        outside(&person.smiles.during(here), here, &talks, |s| s.0).into_iter().map(|s| s.1).collect();
    let rest = outside(&person.rest, here, &talks, |r| r.0);
    let peak = smile.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    Silent {
        smile: (!smile.is_empty()).then(|| (mean(&smile), peak)),
        rest: (!rest.is_empty())
            .then(|| std::array::from_fn(|i| rest.iter().map(|r| r.1[i]).sum::<f64>() / rest.len() as f64)),
        missing: rest.is_empty().then_some(Missing::NeverSilent),
        ..told
    }
}

/// The person, when the face is seen well enough in the segment for anything to be said of it; else why not.
fn why_unseen<'p>(relations: &Relations<'_>, here: Segment, person: Option<&'p Person>) -> Result<&'p Person, Missing> {
    let person = on_screen(relations, here, person)?;
    if here.part_of(&person.rest, |r| r.0).is_empty() { Err(Missing::LowQuality) } else { Ok(person) }
}

/// The person, when there is a living face in the picture during the segment; else why not.
pub(super) fn on_screen<'p>(
    relations: &Relations<'_>,
    here: Segment,
    person: Option<&'p Person>,
) -> Result<&'p Person, Missing> {
    if relations.faces.sampled.is_empty() {
        return Err(Missing::NoStream);
    }
    let person = person.ok_or(Missing::NotCast)?;
    let looks = here.part_of(&person.looks, |l| l.at);
    match looks {
        [] => Err(Missing::NoFace),
        looks if looks.iter().all(|l| l.still) => Err(Missing::StillPicture),
        _ => Ok(person),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::face::{Faces, Observation};
    use crate::time::Seconds;
    use crate::turns::TurnsConfig;
    use crate::turns::smiles::SmileSeries;
    use crate::turns::watched::Look;
    use std::collections::BTreeMap;

    fn segment(a: f64, b: f64) -> Segment {
        Segment::from_secs(a, b).unwrap()
    }

    /// A face that smiles from 2 s on, and whose brows and lips work until then.
    fn person(config: &TurnsConfig) -> Person {
        let mut person = Person { smiles: SmileSeries::new(config), ..Person::default() };
        for i in 0..40 {
            let pts = Seconds::of(0.1 * f64::from(i));
            let up = f32::from(u8::from(i >= 20));
            person.smiles.push(&Observation {
                blendshapes: Some([up; 52]),
                lip_corner_lift: Some(up),
                expression: Some([up; 7]),
                ..Observation::bare(pts, 1, crate::face::BoundingBox::default())
            });
            person.rest.push((pts.get(), [f64::from(1.0 - up); 3]));
            person.looks.push(Look::at(pts));
        }
        person
    }

    fn told(listener: Option<&Person>, earlier: &[Segment], later: &[Segment]) -> Silent {
        let (links, config) = (BTreeMap::new(), TurnsConfig::default());
        let faces = Faces { sampled: vec![Seconds::ZERO], ..Faces::default() };
        let relations = Relations { faces: &faces, ..Relations::of("i", &[], &links, &config) };
        let others = Others { earlier: earlier.to_vec(), later: later.to_vec() };
        silent(&relations, segment(0.0, 4.0), &others, Some(&person(&config)), listener)
    }

    #[test]
    fn a_talking_listeners_brows_and_lips_do_not_count() {
        let listener = person(&TurnsConfig::default());
        let all = told(Some(&listener), &[], &[]);
        assert_eq!((all.share, all.rest, all.missing), (Some(1.0), Some([0.5; 3]), None));
        let part = told(Some(&listener), &[segment(-1.0, 2.0)], &[]);
        assert_eq!((part.share, part.rest), (Some(0.5), Some([0.0; 3])));
        assert!(part.smile.unwrap().0 > 0.9 && part.smile.unwrap().1 > all.smile.unwrap().0);
        assert_eq!(part.speaker_smile, all.speaker_smile, "the speaker's own smile is over the whole turn");
    }

    #[test]
    fn a_turn_that_begins_later_is_in_the_share_alone() {
        let listener = person(&TurnsConfig::default());
        let (before, after) = (told(Some(&listener), &[], &[]), told(Some(&listener), &[], &[segment(3.0, 6.0)]));
        assert_eq!(after.share, Some(0.75));
        assert_eq!(Silent { share: before.share, ..after }, before);
    }

    #[test]
    fn what_is_not_seen_has_its_reason() {
        let listener = person(&TurnsConfig::default());
        let why = |listener: Option<&Person>| told(listener, &[], &[]).missing;
        assert_eq!(told(Some(&listener), &[segment(-1.0, 5.0)], &[]).missing, Some(Missing::NeverSilent));
        assert_eq!(why(None), Some(Missing::NotCast));
        assert_eq!(why(Some(&Person::default())), Some(Missing::NoFace));
        let mut photo = person(&TurnsConfig::default());
        photo.looks.iter_mut().for_each(|l| l.still = true);
        assert_eq!(why(Some(&photo)), Some(Missing::StillPicture));
        let blurred = Person { rest: Vec::new(), ..person(&TurnsConfig::default()) };
        assert_eq!(why(Some(&blurred)), Some(Missing::LowQuality));
    }
}
