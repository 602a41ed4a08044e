//! What a tier's name says: what it holds, and whose it is.

/// What a tier holds, told by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::transcript) enum Kind {
    /// Utterances.
    Speech,
    /// Single words.
    Words,
    /// Phones, gestures, glosses, notes: nobody's turn.
    Other,
    /// The name says nothing about the content; likely a person.
    Unknown,
}

const SPEECH: [&str; 21] = [
    "text",
    "txt",
    "tx",
    "utterance",
    "utterances",
    "utt",
    "transcript",
    "transcription",
    "transcrip",
    "transliteration",
    "orthography",
    "ortho",
    "sentence",
    "sentences",
    "phrase",
    "phrases",
    "speech",
    "ipu",
    "turn",
    "turns",
    "dialogue",
];
/// `ort` is the word tier of the Munich tools (MAUS, WebMINNI).
const WORDS: [&str; 6] = ["word", "words", "token", "tokens", "wrd", "ort"];
const OTHER: [&str; 53] = [
    "phone",
    "phones",
    "phoneme",
    "phonemes",
    "phon",
    "ph",
    "segment",
    "segments",
    "syllable",
    "syllables",
    "kan",
    "mau",
    "mas",
    "trn",
    "gesture",
    "gestures",
    "gest",
    "gaze",
    "head",
    "hand",
    "hands",
    "face",
    "eyes",
    "posture",
    "pos",
    "gloss",
    "glosses",
    "translation",
    "ft",
    "ge",
    "mb",
    "ps",
    "ref",
    "comment",
    "comments",
    "note",
    "notes",
    "tone",
    "tones",
    "break",
    "breaks",
    "misc",
    "pitch",
    "f0",
    "vot",
    "mute",
    "pron",
    "actualpron",
    "dictionarypron",
    "lemma",
    "morph",
    "noise",
    "timestamps",
];
/// What people code beside the speech, and the tiers that an export writes of its measurements.
const CODES: [&str; 64] = [
    "smile",
    "smiles",
    "smiling",
    "laugh",
    "laughs",
    "laughing",
    "laughter",
    "affect",
    "affects",
    "emotion",
    "emotions",
    "valence",
    "arousal",
    "mood",
    "stance",
    "engagement",
    "nod",
    "nods",
    "nodding",
    "shake",
    "shakes",
    "touch",
    "touches",
    "selftouch",
    "brow",
    "brows",
    "eyebrow",
    "eyebrows",
    "mouth",
    "lips",
    "eye",
    "blink",
    "blinks",
    "expression",
    "expressions",
    "facial",
    "movement",
    "movements",
    "motion",
    "activity",
    "action",
    "actions",
    "act",
    "acts",
    "dialogact",
    "code",
    "codes",
    "coding",
    "event",
    "events",
    "topic",
    "topics",
    "phase",
    "phases",
    "episode",
    "episodes",
    "behaviour",
    "behavior",
    "level",
    "interruption",
    "interruptions",
    "backchannel",
    "backchannels",
    "diarized",
];

/// What parts the person from the content in a tier's name.
const SEPARATORS: [&str; 7] = ["@", " - ", "-", "_", ":", ".", " "];

/// Kind of a tier and the person its name tells, if any: `Anna - words`, `text@Anna`, `Anna_text`, `words`, `Anna`.
pub(in crate::transcript) fn classify(name: &str) -> (Kind, Option<String>) {
    let (name, _) = ordinal(name.trim().trim_matches('"').trim());
    if let Some(kind) = kind_of(name) {
        return (kind, None);
    }
    for separator in SEPARATORS {
        if let Some((left, right)) = name.split_once(separator)
            && let (Some(kind), None) = (kind_of(left), kind_of(right))
        {
            return (kind, person(right));
        }
        if let Some((left, right)) = name.rsplit_once(separator)
            && let Some(kind) = kind_of(right)
        {
            return match kind_of(left) {
                // `words-pos` is about words, but none.
                Some(other) => (if kind == Kind::Other { kind } else { other }, None),
                None => (kind, person(left)),
            };
        }
    }
    // Words inside other names: gest_included, words-timesub.
    let inner = name.split(|c: char| !c.is_alphanumeric()).filter_map(kind_of);
    match inner.max_by_key(|k| *k == Kind::Other) {
        Some(kind) => (kind, None),
        None => (Kind::Unknown, person(name)),
    }
}

/// The name without the number of a second tier of the same content (`Anna - text [2]`), and that number; 1 without one.
pub(super) fn ordinal(name: &str) -> (&str, usize) {
    let numbered = name.strip_suffix(']').and_then(|rest| rest.rsplit_once('['));
    match numbered.and_then(|(before, number)| Some((before.trim_end(), number.parse().ok()?))) {
        Some((before, number)) if !before.is_empty() => (before, number),
        _ => (name, 1),
    }
}

/// What may name a person in a tier's name: the parts before and behind each separator.
pub(super) fn parts(name: &str) -> Vec<&str> {
    let (name, _) = ordinal(coded(name).trim_matches('"').trim());
    let mut all = Vec::new();
    for separator in SEPARATORS {
        for (left, right) in name.split_once(separator).into_iter().chain(name.rsplit_once(separator)) {
            all.extend([right.trim(), left.trim()].into_iter().filter(|p| !p.is_empty()));
        }
    }
    all
}

/// The name of a tier that an export has marked as one of codes (`Blick_Mara - code`), without the mark.
pub(super) fn coded(name: &str) -> &str {
    ordinal(name.trim()).0.strip_suffix(" - code").unwrap_or(name.trim())
}

/// True where a tier's name alone says that it holds no speech, whatever it holds.
pub fn names_codes(name: &str) -> bool {
    classify(name).0 == Kind::Other
}

/// True for a tier of speech turns of voices, as an export writes them (`SPEAKER_00 - diarized`).
pub(in crate::transcript) fn is_diarized(name: &str) -> bool {
    ordinal(name.trim()).0.rsplit(' ').next().is_some_and(|word| word == "diarized")
}

fn person(name: &str) -> Option<String> {
    let name = name.trim();
    (!name.is_empty()).then(|| name.to_owned())
}

pub(super) fn kind_of(word: &str) -> Option<Kind> {
    let word = word.trim().to_lowercase();
    let word = word.as_str();
    if SPEECH.contains(&word) {
        Some(Kind::Speech)
    } else if WORDS.contains(&word) {
        Some(Kind::Words)
    } else if OTHER.contains(&word) || CODES.contains(&word) {
        Some(Kind::Other)
    } else {
        None
    }
}
