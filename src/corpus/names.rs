//! Ids that one folder can hold side by side, on any disk.

use std::collections::HashMap;

use crate::spelling::folded;

/// Ids and their folders by what a disk that knows no case may take them for.
#[derive(Debug, Default)]
pub(super) struct Names {
    /// By [`folded`] id: the id, and where it is from.
    ids: HashMap<String, (String, String)>,
    /// The same of each folder above an id.
    folders: HashMap<String, (String, String)>,
}

impl Names {
    /// Takes an id in, `place` being where it is from ("line 3"); or tells with which one it cannot be.
    pub(super) fn add(&mut self, id: &str, place: &str) -> Result<(), String> {
        if let Some((other, from)) = self.ids.get(&folded(id)) {
            return Err(if other == id {
                format!("interview_id \"{id}\" is used twice (also in {from})")
            } else {
                format!(
                    "interview_id \"{id}\" differs from \"{other}\" ({from}) only in case or in how accents are written"
                )
            });
        }
        for (at, _) in id.match_indices('/') {
            let folder = &id[..at];
            let known = self.folders.entry(folded(folder)).or_insert_with(|| (folder.to_owned(), place.to_owned()));
            if known.0 != folder {
                let (other, from) = known;
                return Err(format!(
                    "the folder \"{folder}\" of \"{id}\" differs from \"{other}\" ({from}) only in case or accents"
                ));
            }
        }
        self.ids.insert(folded(id), (id.to_owned(), place.to_owned()));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_that_some_disk_takes_for_one_are_not_both_taken() {
        let mut names = Names::default();
        names.add("Ann", "line 2").unwrap();
        names.add("Show/a", "line 3").unwrap();
        names.add("Show/Ann", "line 4").unwrap();
        names.add("Ann/b", "line 5").unwrap();
        assert_eq!(names.add("Ann", "line 6").unwrap_err(), "interview_id \"Ann\" is used twice (also in line 2)");
        assert!(names.add("ann", "line 6").unwrap_err().contains("differs from \"Ann\" (line 2) only in case"));
        assert!(
            names
                .add("show/c", "line 6")
                .unwrap_err()
                .contains("the folder \"show\" of \"show/c\" differs from \"Show\" (line 3)")
        );
        names.add("Zo\u{e9}", "line 7").unwrap();
        assert!(names.add("Zoe\u{301}", "line 8").unwrap_err().contains("accents"));
        names.add("Zoe", "line 9").unwrap();
    }
}
