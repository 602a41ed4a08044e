//! Words that stand before a colon or in brackets and name nobody.

use crate::transcript::people;

/// Words that begin sentences with a colon behind them, and are nobody's name: English, German, French, Spanish,
/// Italian, Dutch.
const NO_NAMES: [&str; 125] = [
    "actually",
    "also",
    "and",
    "anyway",
    "attention",
    "because",
    "besides",
    "but",
    "conclusion",
    "example",
    "exactly",
    "fact",
    "finally",
    "first",
    "firstly",
    "furthermore",
    "hence",
    "hinweis",
    "however",
    "important",
    "look",
    "listen",
    "merke",
    "moreover",
    "namely",
    "no",
    "note",
    "now",
    "ok",
    "okay",
    "or",
    "remember",
    "reminder",
    "second",
    "secondly",
    "so",
    "still",
    "then",
    "therefore",
    "third",
    "thus",
    "warning",
    "well",
    "yes",
    "result",
    "achtung",
    "alors",
    "ainsi",
    "bon",
    "bref",
    "donc",
    "enfin",
    "ensuite",
    "et",
    "exemple",
    "mais",
    "non",
    "oui",
    "puis",
    "voil\u{e0}",
    "remarque",
    "r\u{e9}sultat",
    "conclusi\u{f3}n",
    "bueno",
    "entonces",
    "pues",
    "luego",
    "ejemplo",
    "pero",
    "claro",
    "s\u{ed}",
    "resultado",
    "allora",
    "dunque",
    "quindi",
    "ecco",
    "esempio",
    "infatti",
    "insomma",
    "per\u{f2}",
    "s\u{ec}",
    "dus",
    "nou",
    "maar",
    "ja",
    "nee",
    "kortom",
    "voorbeeld",
    "aber",
    "beispiel",
    "dann",
    "denn",
    "doch",
    "eben",
    "ergebnis",
    "erstens",
    "fazit",
    "genau",
    "gut",
    "jedenfalls",
    "kurz",
    "n\u{e4}mlich",
    "nein",
    "nun",
    "oder",
    "sch\u{f6}n",
    "und",
    "weil",
    "wichtig",
    "zweitens",
    "drittens",
    "naja",
    "anyhow",
    "indeed",
    "maybe",
    "meanwhile",
    "obviously",
    "perhaps",
    "please",
    "plus",
    "right",
    "sure",
    "summary",
    "honestly",
    "basically",
];

/// Words that are counted: a number behind them numbers no people.
const COUNTED: [&str; 61] = [
    "rule",
    "step",
    "point",
    "number",
    "no.",
    "nr.",
    "nr",
    "chapter",
    "part",
    "item",
    "figure",
    "table",
    "section",
    "page",
    "day",
    "week",
    "month",
    "year",
    "level",
    "phase",
    "option",
    "example",
    "version",
    "room",
    "episode",
    "season",
    "verse",
    "article",
    "paragraph",
    "task",
    "question",
    "slide",
    "line",
    "case",
    "stage",
    "scene",
    "act",
    "schritt",
    "regel",
    "punkt",
    "nummer",
    "kapitel",
    "teil",
    "tag",
    "woche",
    "seite",
    "beispiel",
    "frage",
    "aufgabe",
    "stufe",
    "\u{e9}tape",
    "r\u{e8}gle",
    "chapitre",
    "partie",
    "jour",
    "exemple",
    "paso",
    "regla",
    "cap\u{ed}tulo",
    "parte",
    "ejemplo",
];

/// Words before a time or a place.
const BEFORE_NUMBERS: [&str; 14] =
    ["at", "by", "in", "on", "from", "about", "around", "until", "um", "ab", "bis", "vers", "\u{e0}", "a"];

/// Words for people without a name, of which one makes small letters in brackets a person.
const ROLES: [&str; 60] = [
    "speaker",
    "interviewer",
    "interviewee",
    "participant",
    "respondent",
    "informant",
    "subject",
    "moderator",
    "host",
    "guest",
    "narrator",
    "announcer",
    "reporter",
    "therapist",
    "client",
    "patient",
    "doctor",
    "nurse",
    "teacher",
    "student",
    "pupil",
    "child",
    "kid",
    "boy",
    "girl",
    "man",
    "woman",
    "male",
    "female",
    "mother",
    "father",
    "mum",
    "mom",
    "dad",
    "parent",
    "sister",
    "brother",
    "son",
    "daughter",
    "wife",
    "husband",
    "partner",
    "friend",
    "researcher",
    "experimenter",
    "examiner",
    "investigator",
    "coach",
    "audience",
    "caller",
    "operator",
    "observer",
    "clinician",
    "caregiver",
    "person",
    "voice",
    "sprecher",
    "sprecherin",
    "befragte",
    "locuteur",
];

/// Languages and places for what was taken out.
const NO_PEOPLE: [&str; 66] = [
    "english",
    "german",
    "french",
    "spanish",
    "italian",
    "dutch",
    "portuguese",
    "russian",
    "polish",
    "turkish",
    "arabic",
    "hebrew",
    "hindi",
    "chinese",
    "mandarin",
    "cantonese",
    "japanese",
    "korean",
    "greek",
    "swedish",
    "danish",
    "norwegian",
    "finnish",
    "czech",
    "hungarian",
    "ukrainian",
    "persian",
    "vietnamese",
    "thai",
    "catalan",
    "deutsch",
    "englisch",
    "franz\u{f6}sisch",
    "spanisch",
    "italienisch",
    "russisch",
    "t\u{fc}rkisch",
    "polnisch",
    "fran\u{e7}ais",
    "anglais",
    "allemand",
    "espagnol",
    "espa\u{f1}ol",
    "ingl\u{e9}s",
    "name",
    "names",
    "surname",
    "place",
    "city",
    "town",
    "village",
    "country",
    "street",
    "address",
    "location",
    "date",
    "organisation",
    "organization",
    "company",
    "school",
    "hospital",
    "university",
    "redacted",
    "anonymised",
    "anonymized",
    "phone",
];

fn lower(word: &str) -> String {
    word.trim_matches([',', '.']).to_lowercase()
}

/// True for a name whose last word begins sentences.
pub(super) fn begins_sentences(name: &str) -> bool {
    let last = name.split_whitespace().next_back().map(lower).unwrap_or_default();
    NO_NAMES.contains(&last.as_str())
}

/// True for `Rule 1` and `at 5`, which number no people.
pub(super) fn is_counted(name: &str) -> bool {
    let mut words = name.split_whitespace();
    let (Some(first), Some(second)) = (words.next(), words.next()) else { return false };
    let first = first.to_lowercase();
    second.starts_with(|c: char| c.is_numeric())
        && (COUNTED.contains(&first.as_str()) || BEFORE_NUMBERS.contains(&first.as_str()))
}

/// True for what stands in brackets and may be somebody: not a language, not the place of a name that was taken out,
/// and of small letters only where it says that it is a person (`(speaker 0)`, not `[angrily]`).
pub(super) fn is_personal(inside: &str) -> bool {
    let words: Vec<String> = inside.split_whitespace().map(lower).collect();
    let letters = || inside.chars().filter(|c| c.is_alphabetic());
    let small = letters().any(char::is_lowercase) && !letters().any(char::is_uppercase);
    let digits = inside.chars().any(char::is_numeric);
    let role = words.iter().any(|w| ROLES.contains(&w.as_str()));
    let last = words.last().map_or("", String::as_str);
    !(NO_PEOPLE.contains(&last) && !role || small && !digits && !role)
}

/// Words for all of those who are there.
const ALL: [&str; 18] = [
    "all",
    "both",
    "everyone",
    "everybody",
    "together",
    "group",
    "several",
    "multiple speakers",
    "several speakers",
    "alle",
    "beide",
    "tous",
    "tous les deux",
    "todos",
    "ambos",
    "tutti",
    "allen",
    "beiden",
];

/// True for a label that nobody but a speaker has in a file of labels: nobody in particular, all, several of those that
/// `is_known`, a number to call, an address.
pub(super) fn is_sure(name: &str, is_known: impl Fn(&str) -> bool) -> bool {
    let folded = name.to_lowercase();
    let parts =
        || [" and ", " & ", " und ", " et ", " y ", " + ", "/", "+", "&", ", "].into_iter().map(|by| folded.split(by));
    people::is_nobody(name)
        || ALL.contains(&folded.as_str())
        || is_call(name)
        || name.strip_suffix('?').is_some_and(|bare| is_known(&bare.to_lowercase()))
        || parts().any(|all| all.clone().count() > 1 && all.into_iter().all(|part| is_known(part.trim())))
}

/// True for a number to call or an address of mail, which programs show for people without a name.
pub(super) fn is_call(name: &str) -> bool {
    let digits = name.chars().filter(char::is_ascii_digit).count();
    let number = digits >= 7 && name.chars().all(|c| c.is_ascii_digit() || " -.()+".contains(c));
    let mail = name.split_once('@').is_some_and(|(user, host)| {
        !user.is_empty() && host.contains('.') && !name.contains(char::is_whitespace) && !name.contains('/')
    });
    number || mail
}

/// The name without the number behind it, and the number: `INT-3`, `B2`, `Ann 12`.
pub(super) fn stem(name: &str) -> Option<(&str, u32)> {
    let bare = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let number = name[bare.len()..].parse().ok()?;
    let stem = bare.trim_end_matches([' ', '-', '_', '#', '.']);
    (!stem.is_empty()).then_some((stem, number))
}
