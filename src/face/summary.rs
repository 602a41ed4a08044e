//! Summary: from what was seen frame by frame to tracks and persons, numbered by first appearance.

use super::track::Past;
use super::{FaceConfig, Faces, Observation, Track, identity, person};
use crate::time::Seconds;

/// Tracks of smaller faces, or with a single look, tell less of identity, px.
const CLEAR_PX: f32 = 30.0;

/// Drops false alarms, joins tracks into persons and renumbers.
pub(super) fn gather(
    past: Vec<Past>,
    mut observations: Vec<Observation>,
    sampled: Vec<Seconds>,
    cuts: Vec<Seconds>,
    config: &FaceConfig,
) -> Faces {
    let (least, sure, mean) = (config.min_track_observations.max(1), config.track_score, config.detect_score);
    let real = |t: &Past| t.observations >= least && t.confirmed && t.best_score >= sure && t.mean_score >= mean;
    let mut past: Vec<Past> = past.into_iter().filter(real).collect();
    past.sort_by_key(|t| (t.first, t.id));
    let candidates: Vec<person::Candidate> = past
        .iter()
        .enumerate()
        .map(|(i, t)| person::Candidate {
            span: (t.first.get(), t.last.get()),
            identity: identity::mean(&t.embeddings).map(|m| (m, t.embeddings.len())),
            clear: t.embeddings.len() > 1 && t.size() >= CLEAR_PX,
            continues: past[..i].iter().rposition(|earlier| t.continues(earlier)),
        })
        .collect();
    let limits = person::Limits { distance: config.same_person_distance, min: config.persons_min, max: config.persons_max };
    let owners = person::join(&candidates, limits);
    let name = |p: usize| format!("P{}", p + 1);
    // Old numbers to new ones, in the order of first appearance.
    let mut ids: Vec<(u32, u32)> = past.iter().zip(1..).map(|(t, new)| (t.id, new)).collect();
    ids.sort_unstable();
    let renumber = |old: u32| ids.binary_search_by_key(&old, |i| i.0).ok().map(|i| ids[i].1);
    let tracks: Vec<Track> = past
        .iter()
        .zip(candidates)
        .zip(&owners)
        .zip(1..)
        .map(|(((t, c), &owner), id)| Track {
            id,
            person: name(owner),
            first_pts: t.first,
            last_pts: t.last,
            observations: t.observations,
            mean_size_px: t.size(),
            embedding: c.identity.map(|i| i.0),
        })
        .collect();
    observations.retain_mut(|o| renumber(o.track).map(|new| o.track = new).is_some());
    observations.sort_by_key(|o| (o.pts, o.track));
    let mut faces_per_frame = vec![0; sampled.len()];
    for o in &observations {
        if let Ok(i) = sampled.binary_search(&o.pts) {
            faces_per_frame[i] += 1;
        }
    }
    let persons = owners.iter().max().map_or(0, |m| m + 1);
    Faces { observations, tracks, persons: (0..persons).map(name).collect(), sampled, faces_per_frame, cuts }
}
