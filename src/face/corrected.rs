//! Tracks given to other persons than their looks tell, by somebody who knows.

use std::collections::BTreeMap;

use super::{Faces, Nobody};

impl Faces {
    /// Gives each track of `owners` to that person, or to nobody, and tells the persons anew in the order of their first
    /// appearance.
    pub fn give(&mut self, owners: &BTreeMap<u32, Option<String>>) {
        for track in &mut self.tracks {
            if let Some(owner) = owners.get(&track.id) {
                track.person.clone_from(owner);
                track.nobody = owner.is_none().then_some(Nobody::Corrected);
            }
        }
        self.persons.clear();
        for person in self.tracks.iter().filter_map(|t| t.person.as_ref()) {
            if !self.persons.contains(person) {
                self.persons.push(person.clone());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::face::Track;
    use crate::time::Seconds;

    #[test]
    fn tracks_change_hands_and_persons_are_told_anew() {
        let track = |id: u32, person: Option<&str>| {
            let at = Seconds::of(f64::from(id));
            Track::bare(id, person, (at, at), 1)
        };
        let tracks = vec![track(1, Some("P1")), track(2, Some("P2")), track(3, Some("P3")), track(4, None)];
        let persons = ["P1", "P2", "P3"].map(String::from).to_vec();
        let mut faces = Faces { tracks, persons, ..Faces::default() };
        let ann = || Some("Ann".to_owned());
        faces.give(&BTreeMap::from([(1, None), (3, ann()), (4, ann())]));
        assert_eq!(faces.persons, ["P2", "Ann"]);
        assert_eq!(
            faces.tracks.iter().map(|t| t.person.as_deref()).collect::<Vec<_>>(),
            [None, Some("P2"), Some("Ann"), Some("Ann")]
        );
        assert_eq!(
            faces.tracks.iter().map(|t| t.nobody).collect::<Vec<_>>(),
            [Some(Nobody::Corrected), None, None, None]
        );
    }
}
