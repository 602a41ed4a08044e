//! Which samples of an annotation set are taken: those of a list, and no more than so many.

use std::collections::BTreeSet;
use std::path::Path;

use crate::error::{Error, Result};
use crate::spelling::meant;
use crate::transcript::rescue::Sample;

/// A choice of samples; the default takes all.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Selection {
    /// Ids, each with the line that names it.
    ids: Option<Vec<(usize, String)>>,
    /// At most so many, the first by id.
    most: Option<usize>,
    /// The list, for errors.
    place: std::path::PathBuf,
}

impl Selection {
    /// The samples that `list` names, an id a line (empty lines and those that begin with `#` are passed over), at most
    /// `most` of them, the first by id.
    ///
    /// # Errors
    /// [`Error::Read`]; [`Error::Parse`] for a list that names nothing, or an id twice.
    pub fn new(list: Option<&Path>, most: Option<usize>) -> Result<Self> {
        let Some(path) = list else { return Ok(Selection { most, ..Selection::default() }) };
        let text = crate::file::read_text(path)?;
        let lines = text.trim_start_matches('\u{feff}').lines().zip(1..).map(|(line, number)| (number, line.trim()));
        let ids: Vec<(usize, String)> =
            lines.filter(|(_, l)| !l.is_empty() && !l.starts_with('#')).map(|(n, l)| (n, l.to_owned())).collect();
        if ids.is_empty() {
            return Err(Error::parse(path, 0, "it names no sample", "write one sample id a line"));
        }
        let mut seen = BTreeSet::new();
        if let Some((line, twice)) = ids.iter().find(|(_, id)| !seen.insert(id)) {
            return Err(Error::parse(path, *line, format!("{twice:?} is named twice"), "name each sample once"));
        }
        Ok(Selection { ids: Some(ids), most, place: path.to_owned() })
    }

    /// True where it leaves out none.
    pub fn takes_all(&self) -> bool {
        self.ids.is_none() && self.most.is_none()
    }

    /// Those of `there` that are taken.
    ///
    /// # Errors
    /// [`Error::Parse`] naming an id of the list that is not there.
    pub fn of<'a>(&self, there: impl Iterator<Item = &'a str>) -> Result<BTreeSet<String>> {
        let there: BTreeSet<&str> = there.collect();
        let mut taken: BTreeSet<String> = match &self.ids {
            None => there.iter().map(|id| (*id).to_owned()).collect(),
            Some(ids) => ids.iter().map(|(_, id)| id.clone()).collect(),
        };
        let unknown = self.ids.iter().flatten().find(|(_, id)| !there.contains(id.as_str()));
        if let Some((line, id)) = unknown {
            let what = format!("{id:?} is no sample of the annotations{}", meant(id, there.iter().copied()));
            return Err(Error::parse(
                &self.place,
                *line,
                what,
                "name samples by their ids, as turnwise check tells them",
            ));
        }
        if let Some(most) = self.most {
            taken = taken.into_iter().take(most).collect();
        }
        Ok(taken)
    }

    /// The samples that are taken, in their order.
    ///
    /// # Errors
    /// Those of [`Selection::of`].
    pub fn apply(&self, samples: Vec<Sample>) -> Result<Vec<Sample>> {
        if self.takes_all() {
            return Ok(samples);
        }
        let taken = self.of(samples.iter().map(|s| s.id.as_str()))?;
        Ok(samples.into_iter().filter(|s| taken.contains(&s.id)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_and_a_cap_choose_and_a_slip_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ids.txt");
        let new = |text: &str, most| {
            std::fs::write(&path, text).unwrap();
            Selection::new(Some(&path), most)
        };
        let of =
            |s: Selection| s.of(["c", "a/1", "a/2"].into_iter()).map(|t| t.into_iter().collect::<Vec<_>>().join(" "));
        assert_eq!(of(new("# test set\n c \n\na/1\n", None).unwrap()).unwrap(), "a/1 c");
        assert_eq!(of(new("c\na/1\n", Some(1)).unwrap()).unwrap(), "a/1");
        assert_eq!(of(Selection::new(None, Some(2)).unwrap()).unwrap(), "a/1 a/2");
        let e = of(new("a/1\na/3\n", None).unwrap()).unwrap_err().to_string();
        assert!(e.contains(":2:") && e.contains("\"a/3\" is no sample") && e.contains("did you mean"), "{e}");
        assert!(new("a\na\n", None).unwrap_err().to_string().contains("named twice"));
        assert!(new("\n# x\n", None).unwrap_err().to_string().contains("names no sample"));
    }
}
