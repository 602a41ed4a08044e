//! One person under several spellings: names that differ in letters' case, accents' coding, blanks, marks that are not
//! seen, apostrophes, hyphens or the colon behind them are one name; what programs and people write for nobody is none;
//! names that are nearly the same are told.

use std::collections::{BTreeMap, BTreeSet};

use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

use super::draft::{Draft, short};
use crate::annotation::Turn;

/// What stands in the place of a name that is not known: programs' missing values, and words for nobody in particular.
const NOBODY: [&str; 20] = [
    "none",
    "null",
    "nan",
    "<na>",
    "n/a",
    "#n/a",
    "undefined",
    "unk",
    "unknown",
    "unknownspeaker",
    "speakerunknown",
    "unidentified",
    "unidentifiedspeaker",
    "unbekannt",
    "inconnu",
    "inconnue",
    "desconocido",
    "desconocida",
    "sconosciuto",
    "onbekend",
];

/// True for a character that takes no room and names nobody.
fn unseen(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2060}' | '\u{feff}')
}

/// The name with single blanks, without marks that are not seen and without the colon behind it.
fn tidy(name: &str) -> String {
    let seen: String = name.chars().filter(|c| !unseen(*c)).collect();
    let name = seen.split_whitespace().collect::<Vec<_>>().join(" ");
    let name = name.trim_end_matches([':', '\u{ff1a}', ' ']);
    // A number that went through a table of decimals.
    let whole = name.strip_suffix(".0").filter(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()));
    whole.unwrap_or(name).to_owned()
}

/// The same for all spellings of a name.
pub(super) fn key(name: &str) -> String {
    let name: String = tidy(name).nfkc().flat_map(char::to_lowercase).collect();
    let enclosed = |open, close| name.strip_prefix(open).and_then(|n: &str| n.strip_suffix(close));
    let name = enclosed('[', ']').or_else(|| enclosed('<', '>')).or_else(|| enclosed('(', ')')).unwrap_or(&name);
    let numbered = name.chars().any(char::is_numeric);
    let one = |c: char| match c {
        '\u{2019}' | '\u{2018}' | '\u{2bc}' | '`' | '\u{b4}' => '\'',
        '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
        c => c,
    };
    name.chars().map(one).filter(|c| !(numbered && (c.is_whitespace() || matches!(c, '-' | '_')))).collect()
}

/// True for what is written where it is not known who speaks.
pub(super) fn is_nobody(name: &str) -> bool {
    let joined: String = key(name).chars().filter(|c| !c.is_whitespace() && !matches!(c, '_' | '-' | '.')).collect();
    let bare = joined.trim_matches(|c: char| "[]()?!".contains(c));
    !joined.chars().any(char::is_alphanumeric) || NOBODY.contains(&joined.as_str()) || NOBODY.contains(&bare)
}

/// Gives every person one name, and nobody none, in turns, words and whatever else of `draft` names persons.
pub(super) fn settle(turns: &mut [Turn], draft: &mut Draft) {
    let mut spellings: BTreeMap<String, Vec<(String, usize)>> = BTreeMap::new();
    for name in turns.iter().filter_map(|t| t.speaker.as_deref()) {
        let all = spellings.entry(key(name)).or_default();
        match all.iter_mut().find(|(written, _)| written == name) {
            Some((_, count)) => *count += 1,
            None => all.push((name.to_owned(), 1)),
        }
    }
    let mut called: BTreeMap<String, Option<String>> = BTreeMap::new();
    let mut people: Vec<(String, usize)> = Vec::new();
    let (mut alike, mut nobody) = (Vec::new(), Vec::new());
    for (key, all) in &spellings {
        let turns: usize = all.iter().map(|(_, count)| count).sum();
        let Some((usual, _)) = all.iter().rev().max_by_key(|(_, count)| *count) else { continue };
        if is_nobody(usual) {
            nobody.push((short(usual), turns));
            called.insert(key.clone(), None);
            continue;
        }
        if all.len() > 1 {
            alike.push(all.iter().map(|(name, _)| format!("{name:?}")).collect::<Vec<_>>().join(" and "));
        }
        people.push((tidy(usual), turns));
        called.insert(key.clone(), Some(tidy(usual)));
    }
    rename(turns, &called, draft);
    if !alike.is_empty() {
        draft.warn(format!("speakers whose names differ in how they are written alone are one: {}", alike.join("; ")));
    }
    if !nobody.is_empty() {
        let turns: usize = nobody.iter().map(|(_, turns)| turns).sum();
        let names: Vec<String> = nobody.iter().map(|(name, _)| format!("{name:?}")).collect();
        draft.warn(format!(
            "{turns} turns have a speaker called {}, which is nobody's name: they have none",
            names.join(" or ")
        ));
    }
    tell_near(&people, draft);
}

fn rename(turns: &mut [Turn], called: &BTreeMap<String, Option<String>>, draft: &mut Draft) {
    let renamed = |name: &mut Option<String>| {
        let now = name.as_deref().and_then(|n| called.get(&key(n)).cloned());
        if let Some(now) = now {
            *name = now;
        }
    };
    for turn in turns {
        renamed(&mut turn.speaker);
        turn.words.iter_mut().for_each(|w| renamed(&mut w.speaker));
    }
    draft.persons().for_each(renamed);
}

/// Most persons of whom names are compared.
const MOST: usize = 60;

fn tell_near(people: &[(String, usize)], draft: &mut Draft) {
    if people.len() > MOST {
        return;
    }
    let mut found = Vec::new();
    for (i, a) in people.iter().enumerate() {
        for b in &people[i + 1..] {
            if near(a, b) {
                found.push(format!("{:?} ({} turns) and {:?} ({})", a.0, a.1, b.0, b.1));
            }
        }
    }
    if !found.is_empty() {
        draft.warn(format!(
            "names that are nearly the same are read as different speakers: {}; write them alike where they are one",
            found.iter().take(5).cloned().collect::<Vec<_>>().join("; ")
        ));
    }
}

/// True for two names that may be one person's: one with its accents and one without, a first name and the whole name,
/// a letter more or less in a name that hardly ever comes.
fn near((a, of_a): &(String, usize), (b, of_b): &(String, usize)) -> bool {
    let bare =
        |name: &str| -> String { key(name).trim_end_matches('?').nfd().filter(|c| !is_combining_mark(*c)).collect() };
    let (a, b) = (bare(a), bare(b));
    if a == b {
        return true;
    }
    let digits = |name: &str| name.chars().any(char::is_numeric);
    if digits(&a) || digits(&b) {
        return false;
    }
    let words = |name: &str| name.split_whitespace().map(str::to_owned).collect::<Vec<String>>();
    let (mut short, mut long) = (words(&a), words(&b));
    if short.len() > long.len() {
        std::mem::swap(&mut short, &mut long);
    }
    let joins = ["and", "&", "und", "et", "y", "e", "en", "of", "von"];
    let single: BTreeSet<char> = short.iter().filter(|w| w.chars().count() == 1).flat_map(|w| w.chars()).collect();
    if short.len() < long.len() {
        let part = long.starts_with(&short) || long.ends_with(&short);
        return part && single.is_empty() && !long.iter().any(|w| joins.contains(&w.as_str()));
    }
    let initial =
        |a: &str, b: &str| a.trim_end_matches('.').chars().count() == 1 && b.starts_with(a.trim_end_matches('.'));
    let differ: Vec<(&String, &String)> = short.iter().zip(&long).filter(|(a, b)| a != b).collect();
    if let ([(x, y)], true) = (differ.as_slice(), short.len() > 1)
        && (initial(x, y) || initial(y, x))
    {
        return true;
    }
    let letters = a.chars().count().min(b.chars().count());
    let rare = of_a.min(of_b) * 3 <= *of_a.max(of_b) && *of_a.min(of_b) <= 2;
    letters >= 3 && rare && strsim::osa_distance(&a, &b) == 1
}

#[cfg(test)]
mod tests {
    use crate::transcript::tests::{parse, told, warned};

    fn table(names: &[&str]) -> String {
        let row = |(i, name): (usize, &&str)| format!("{i},{},{name},so {i}\n", i + 1);
        "start,end,speaker,text\n".to_owned() + &names.iter().enumerate().map(row).collect::<String>()
    }

    fn speakers(names: &[&str]) -> (Vec<String>, String) {
        let t = parse("a.csv", &table(names));
        (t.turns.iter().map(|t| t.speaker.clone().unwrap_or_default()).collect(), warned(&t))
    }

    #[test]
    fn spellings_of_one_name_are_one_speaker_and_told() {
        for (other, name) in [
            ("Jose\u{301}", "Jos\u{e9}"),
            ("mara vol", "Mara Vol"),
            ("MARA\u{a0}VOL", "Mara Vol"),
            ("\u{200b}Mara Vol", "Mara Vol"),
            ("O\u{2019}Neil", "O'Neil"),
            ("SPK\u{2011}01", "SPK-01"),
            ("Speaker1", "Speaker 1"),
            ("1.0", "1"),
            ("[Mara Vol]", "Mara Vol"),
            ("\u{ff33}peaker 1", "Speaker 1"),
            ("Mara Vol:", "Mara Vol"),
        ] {
            let (all, told) = speakers(&[name, "Ben", name, other, "Ben"]);
            assert_eq!(all, [name, "Ben", name, name, "Ben"], "{other:?}");
            assert!(told.contains("differ in how they are written alone are one"), "{other:?}: {told}");
        }
        assert_eq!(
            speakers(&["Mara:", "Ben:", "Mara:"]),
            (["Mara", "Ben", "Mara"].map(str::to_owned).into(), String::new())
        );
    }

    #[test]
    fn others_stay_others() {
        for [a, b] in [["Ann", "Anna"], ["P1", "P11"], ["SPK-01", "SPK-02"], ["1", "2"], ["Speaker 1", "Speaker 2"]] {
            let (all, told) = speakers(&[a, b, a, b]);
            assert_eq!((all, told), ([a, b, a, b].map(str::to_owned).into(), String::new()));
        }
    }

    #[test]
    fn nobody_is_no_speaker() {
        for name in ["unknown", "UNKNOWN", "?", "-", "None", "null", "Unknown Speaker", "SPEAKER_UNKNOWN", "???"] {
            let (all, told) = speakers(&["Mara", name, "Ben", "Mara"]);
            assert_eq!(all, ["Mara", "", "Ben", "Mara"], "{name}");
            assert!(told.contains("1 turns have a speaker called") && told.contains("nobody's name"), "{told}");
        }
        let t = parse("a.csv", &table(&["Mara", "unknown", "Ben"]));
        assert_eq!(self::told(&t), ["0-1 Mara: so 0", "1-2 so 1", "2-3 Ben: so 2"]);
    }

    #[test]
    fn names_that_are_nearly_the_same_are_told() {
        for (other, name) in [
            ("Mara V.", "Mara Vol"),
            ("Mara", "Mara Vol"),
            ("Vol", "Dr. Vol"),
            ("Jose", "Jos\u{e9}"),
            ("Maar", "Mara"),
            ("Bne", "Ben"),
        ] {
            let (all, told) = speakers(&[name, "Xu Wei", name, "Xu Wei", name, other, "Xu Wei"]);
            assert_eq!(all[5], other, "nobody is made another");
            assert!(told.contains("nearly the same") && told.contains(&format!("{other:?}")), "{other}: {told}");
        }
    }
}
