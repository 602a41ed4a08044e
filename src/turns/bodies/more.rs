//! What the hands do besides gestures, how a person stands to the other, and what is taken over from the other.

use std::collections::BTreeMap;

use super::events::Events;
use super::look::{Look, Place};
use super::{BodyTurn, PostureConfig, Series, mean, motion, share};
use crate::body::Side;
use crate::face::{Faces, ShotLayout};
use crate::time::Segment;

/// The rest of a row.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct More {
    pub(super) at_rest_share: Option<f64>,
    pub(super) fidget_share: Option<f64>,
    pub(super) stroke_size: Option<f64>,
    pub(super) hair_share: Option<f64>,
    pub(super) neck_share: Option<f64>,
    pub(super) arm_share: Option<f64>,
    pub(super) head_on_hand_share: Option<f64>,
    pub(super) rises: Option<usize>,
    pub(super) falls: Option<usize>,
    pub(super) to_other_share: Option<f64>,
    pub(super) from_other_share: Option<f64>,
    pub(super) touches_other_share: Option<f64>,
    pub(super) mirrored_leans: Option<usize>,
    pub(super) mirrored_touches: Option<usize>,
}

/// Fills in the rest of a row whose body is seen.
pub(super) fn tell(
    row: &mut BodyTurn,
    (looks, segment): (&[Look<'_>], Segment),
    (persons, events): (&BTreeMap<&str, Series<'_>>, &BTreeMap<&str, Events>),
    faces: &Faces,
    config: &PostureConfig,
) {
    let (None, Some(own)) = (row.missing, events.get(row.person.as_str())) else { return };
    let good: Vec<Look<'_>> = looks.iter().filter(|l| l.width(config).is_some()).cloned().collect();
    let others: Vec<&Events> = events.iter().filter(|(name, _)| **name != row.person).map(|(_, e)| e).collect();
    let to_face = |told: &dyn Fn(&Look<'_>) -> Option<bool>| share(good.iter().filter_map(told));
    let rests = good.iter().filter(|l| l.hand_at_face(config).is_some()).map(|l| own.rests(l.at()));
    let mut more = More {
        hair_share: to_face(&|l| l.hand_at_hair(config)),
        neck_share: to_face(&|l| l.hand_at_neck(config)),
        arm_share: to_face(&|l| l.hand_at_arm(config)),
        head_on_hand_share: share(rests),
        rises: Some(own.rises(segment)),
        falls: Some(own.falls(segment)),
        mirrored_leans: (!others.is_empty()).then(|| own.mirrored_leans(&others, segment, config)),
        mirrored_touches: (!others.is_empty()).then(|| own.mirrored_touches(&others, segment, config)),
        ..More::default()
    };
    hands(&mut more, &good, config);
    if row.distance_missing.is_none() {
        towards(&mut more, &row.person, &good, (persons, faces), config);
    }
    row.more = more;
}

/// Rest, fidgeting and the size of strokes.
fn hands(more: &mut More, looks: &[Look<'_>], config: &PostureConfig) {
    let steps = motion::steps(looks, config);
    let seen = || steps.iter().flatten().filter_map(motion::Step::fastest_hand);
    more.at_rest_share = share(seen().map(|v| v < config.still_speed));
    let sizes = motion::peaks(&steps, config).filter_map(|i| steps[i].and_then(|s| Some(s.fastest_hand()? * s.secs)));
    more.stroke_size = mean(sizes);
    let middles = Side::BOTH.map(|side| {
        let places = || looks.iter().filter_map(move |l| l.hand_place(side, config));
        mean(places().map(|p| p.0)).zip(mean(places().map(|p| p.1)))
    });
    let near = |look: &Look<'_>, side: Side| -> bool {
        let (Some((x, y)), Some((mx, my)), Some(_)) =
            (look.hand_place(side, config), middles[side as usize], look.width(config))
        else {
            return false;
        };
        (x - mx).hypot(y - my) <= config.fidget_reach
    };
    let fidgets = steps.iter().enumerate().filter_map(|(i, step)| {
        let step = (*step)?;
        step.fastest_hand()?;
        let small = |side: Side| {
            let speed = step.hands[side as usize].unwrap_or(0.0);
            let slow = speed >= config.still_speed && speed < config.gesture_speed;
            slow && near(&looks[i], side) && near(&looks[i + 1], side)
        };
        Some(Side::BOTH.into_iter().any(small))
    });
    more.fidget_share = share(fidgets);
}

/// Towards, away from and onto the nearest other in one camera's picture.
fn towards(
    more: &mut More,
    person: &str,
    looks: &[Look<'_>],
    (persons, faces): (&BTreeMap<&str, Series<'_>>, &Faces),
    config: &PostureConfig,
) {
    let (mut turned, mut touched) = (Vec::new(), Vec::new());
    for look in looks {
        if faces.shot_at(look.body.pts).and_then(|s| s.layout).is_some_and(|l| l != ShotLayout::OneCamera) {
            continue;
        }
        let others = persons.iter().filter(|(name, _)| **name != person);
        let there = others.filter_map(|(_, looks)| {
            looks.binary_search_by(|l| l.body.pts.cmp(&look.body.pts)).ok().map(|i| &looks[i])
        });
        let (x, y) = look.trunk();
        let off = |other: &&Look<'_>| {
            let (ox, oy): Place = other.trunk();
            (ox - x).hypot(oy - y)
        };
        let seen = there.filter(|o| o.width(config).is_some());
        let Some(other) = seen.min_by(|a, b| off(a).total_cmp(&off(b))) else { continue };
        if let Some(turn) = look.shoulder_turn_deg(config) {
            let side = (other.trunk().0 - x).signum();
            turned.push(if turn.abs() < config.turned_deg { 0.0 } else { side * turn.signum() });
        }
        touched.extend(look.touches(other, config));
    }
    more.to_other_share = share(turned.iter().map(|t| *t > 0.0));
    more.from_other_share = share(turned.iter().map(|t| *t < 0.0));
    more.touches_other_share = share(touched.into_iter());
}
