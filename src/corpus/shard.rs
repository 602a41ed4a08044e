//! A part of a corpus, for runs on many machines that write into one folder.

use std::fmt;
use std::str::FromStr;

use crate::recipe::short_hash;

/// One of several parts of a corpus. An interview belongs to the part that its id decides: adding rows to a manifest,
/// or sorting it, moves nothing from one part to another, so that parts begun at different times never do the same
/// interview.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    index: u32,
    of: u32,
}

impl Shard {
    /// True for an interview of this part.
    pub fn holds(self, interview_id: &str) -> bool {
        // The hash is hexadecimal.
        let hash = u64::from_str_radix(&short_hash(interview_id.as_bytes()), 16).unwrap_or_default();
        hash % u64::from(self.of) == u64::from(self.index - 1)
    }

    /// How many parts there are.
    pub fn of(self) -> u32 {
        self.of
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.of)
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts = text.split_once('/').and_then(|(i, n)| Some((i.trim().parse().ok()?, n.trim().parse().ok()?)));
        match parts {
            Some((index, of)) if (1..=of).contains(&index) => Ok(Shard { index, of }),
            Some((_, of)) if of > 0 => Err(format!("expected a part from 1/{of} to {of}/{of}")),
            _ => Err("expected a part and how many there are, such as 2/8".into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_interview_is_in_one_part_and_parts_are_about_equal() {
        let shards: Vec<Shard> = (1..=8).map(|i| format!("{i}/8").parse().unwrap()).collect();
        let mut sizes = [0; 8];
        for n in 0..8000 {
            let id = format!("couple{n}/session");
            let of: Vec<usize> = (0..8).filter(|i| shards[*i].holds(&id)).collect();
            assert_eq!(of.len(), 1);
            sizes[of[0]] += 1;
        }
        assert!(sizes.iter().all(|n| (900..1100).contains(n)), "{sizes:?}");
        // What was divided yesterday is divided so today: sha256 of "a" begins with ca978112ca1bbdca, which leaves 2 by
        // 8.
        let of = |id: &str| shards.iter().find(|s| s.holds(id)).unwrap().to_string();
        assert_eq!(["a", "b", "c", "d"].map(of), ["3/8", "3/8", "3/8", "2/8"]);
        assert!("1/1".parse::<Shard>().unwrap().holds("anything"));
    }

    #[test]
    fn what_is_no_part_is_refused() {
        for text in ["", "2", "a/b", "1/0", "0/0", "-1/2"] {
            assert!(text.parse::<Shard>().unwrap_err().contains("such as 2/8"), "{text}");
        }
        for text in ["0/8", "9/8"] {
            assert_eq!(text.parse::<Shard>().unwrap_err(), "expected a part from 1/8 to 8/8");
        }
    }
}
