//! How names compare: which known name was meant by one that is not known, and which names a disk may take for one.

use unicode_normalization::UnicodeNormalization;

/// What begins the name of a column that is the user's own and passed over.
pub const OWN_COLUMNS: [&str; 2] = ["x_", "note"];

/// True for a column that its writer keeps for themselves.
pub fn is_own_column(name: &str) -> bool {
    OWN_COLUMNS.iter().any(|begin| name.starts_with(begin))
}

/// The known name that was most likely meant: at most a third of its letters differ, and three at most. Case and
/// punctuation do not count.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let plain = |s: &str| s.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect::<String>();
    let given = plain(name);
    let distances = known.into_iter().map(|k| {
        let wanted = plain(k);
        (strsim::damerau_levenshtein(&given, &wanted), (wanted.chars().count() / 3).clamp(1, 3), k)
    });
    distances.filter(|(distance, most, _)| distance <= most).min_by_key(|(distance, ..)| *distance).map(|(.., k)| k)
}

/// `; did you mean "x"?`, or nothing where no known name is near.
pub fn meant<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    nearest(name, known).map(|k| format!("; did you mean \"{k}\"?")).unwrap_or_default()
}

/// The same text for all spellings of a name that some file system takes for one: case, and composed or decomposed
/// accents.
pub fn folded(name: &str) -> String {
    // Upper case first: it is what makes ß and SS, ς and σ one.
    name.nfd().collect::<String>().to_uppercase().to_lowercase().nfc().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_that_was_meant_is_found() {
        let known =
            ["interview_id", "media", "transcript", "speakers", "min_speakers", "max_speakers", "sample_id", "rttm"];
        for (given, wanted) in [
            ("min_speaker", Some("min_speakers")),
            ("Min Speakers", Some("min_speakers")),
            ("mni_speakers", Some("min_speakers")),
            ("trancript", Some("transcript")),
            ("speaker", Some("speakers")),
            ("Media", Some("media")),
            ("age", None),
            ("mood", None),
            ("", None),
        ] {
            assert_eq!(nearest(given, known), wanted, "{given}");
        }
        assert_eq!(meant("medai", known), "; did you mean \"media\"?");
        assert_eq!(meant("mood", known), "");
    }

    #[test]
    fn names_that_a_disk_takes_for_one_fold_to_one() {
        for (one, other) in [("Ann", "aNN"), ("É", "e\u{301}"), ("Straße", "STRASSE"), ("ΟΔΟΣ", "οδος"), ("a/B", "A/b")]
        {
            assert_eq!(folded(one), folded(other), "{one} {other}");
        }
        assert_ne!(folded("ann"), folded("anne"));
        assert_ne!(folded("e"), folded("é"));
    }
}
