//! Summary: from what was seen frame by frame to tracks and persons, numbered by first appearance.

use super::enrolment::Enrolled;
use super::observations::Recorder;
use super::track::Past;
use super::{FaceConfig, Faces, Nobody, Track, identity, person};
use crate::time::Seconds;

/// Faces below this mean size tell less of identity, px.
const SMALL_PX: f32 = 30.0;

/// Why a track makes no person of its own.
fn shortcoming(t: &Past, config: &FaceConfig) -> Option<Nobody> {
    // Times are rounded: a hair less is as long.
    let secs = (t.last - t.first).get() + 1e-3;
    if t.size() < config.person_size_px {
        Some(Nobody::TooSmall)
    } else if t.mean_score < config.person_score || t.check.is_doubtful() {
        Some(Nobody::TooDoubtful)
    } else if secs < config.person_secs {
        Some(Nobody::TooShort)
    } else if t.in_frame < config.person_in_frame {
        Some(Nobody::OutOfPicture)
    } else {
        None
    }
}

/// Drops false alarms, joins tracks into persons, names and renumbers them.
pub(super) fn gather(
    past: Vec<Past>,
    observations: Recorder,
    sampled: Vec<Seconds>,
    cuts: Vec<Seconds>,
    config: &FaceConfig,
    enrolled: &[Enrolled],
) -> Faces {
    let mut past: Vec<Past> = past.into_iter().filter(|t| t.is_real(config)).collect();
    past.sort_by_key(|t| (t.first, t.id));
    let candidates: Vec<person::Candidate> = past
        .iter()
        .enumerate()
        .map(|(i, t)| person::Candidate {
            span: (t.first.get(), t.last.get()),
            observations: t.observations,
            identity: identity::pooled(&t.embeddings).map(|m| (m, t.embeddings.iter().map(|e| e.1).sum())),
            plain: shortcoming(t, config).is_none(),
            is_false: t.check.is_false(config),
            small: t.size() < SMALL_PX,
            continues: past[..i].iter().rposition(|earlier| t.continues(earlier)),
        })
        .collect();
    let limits =
        person::Limits { distance: config.same_person_distance, min: config.persons_min, max: config.persons_max };
    let names: Vec<(&str, &[f32])> = enrolled.iter().map(|e| (e.name.as_str(), e.embedding.as_slice())).collect();
    let owners = person::named(&candidates, &person::join(&candidates, limits), &names, config.enrolment_distance);
    // Old numbers to new ones, in the order of first appearance.
    let mut ids: Vec<(u32, u32)> = past.iter().zip(1..).map(|(t, new)| (t.id, new)).collect();
    ids.sort_unstable();
    let renumber = |old: u32| ids.binary_search_by_key(&old, |i| i.0).ok().map(|i| ids[i].1);
    let mut persons: Vec<String> = Vec::new();
    for owner in owners.iter().flatten() {
        if !persons.contains(owner) {
            persons.push(owner.clone());
        }
    }
    let tracks: Vec<Track> = past
        .into_iter()
        .zip(candidates)
        .zip(owners)
        .zip(1..)
        .map(|(((t, c), person), id)| Track {
            id,
            nobody: person.is_none().then(|| {
                let is_false = t.check.is_false(config).then_some(Nobody::FalseFace);
                is_false.or_else(|| shortcoming(&t, config)).unwrap_or(Nobody::TooMany)
            }),
            check: t.check,
            person,
            first_pts: t.first,
            last_pts: t.last,
            observations: t.observations,
            mean_size_px: t.size(),
            mean_score: t.mean_score,
            embedding: c.identity.map(|i| i.0),
            crop: t.crop,
        })
        .collect();
    let observations = observations.finish(renumber);
    let mut faces_per_frame = vec![0; sampled.len()];
    for place in observations.places() {
        if let Ok(i) = sampled.binary_search(&place.pts) {
            faces_per_frame[i] += 1;
        }
    }
    Faces { observations, tracks, persons, sampled, faces_per_frame, cuts, ..Faces::default() }
}
