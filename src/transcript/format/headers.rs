//! Names of columns of tables, in the languages in which labs write them, and the units they tell.

use unicode_normalization::UnicodeNormalization as _;

/// Header names, letters and digits only, lower case, accents and unit taken off; the first name present wins. English,
/// then German and French.
pub(super) const START: [&str; 24] = [
    "starttime",
    "start",
    "begin",
    "begintime",
    "onset",
    "tmin",
    "xmin",
    "startsec",
    "timestart",
    "in",
    "from",
    "timein",
    "startzeit",
    "beginn",
    "anfang",
    "anfangszeit",
    "beginnzeit",
    "von",
    "startpunkt",
    "debut",
    "tempsdebut",
    "heuredebut",
    "tdebut",
    "entree",
];
pub(super) const END: [&str; 23] = [
    "endtime", "end", "stop", "stoptime", "offset", "tmax", "xmax", "endsec", "finish", "timeend", "out", "to",
    "timeout", "endzeit", "ende", "bis", "schluss", "endpunkt", "fin", "tempsfin", "heurefin", "tfin", "sortie",
];
pub(super) const DURATION: [&str; 7] = ["duration", "dur", "length", "turnduration", "dauer", "lange", "duree"];
pub(super) const SPEAKER: [&str; 25] = [
    "primaryspeaker",
    "speaker",
    "speakername",
    "speakerid",
    "speakerlabel",
    "sprecher",
    "sprecherin",
    "sprecherinnen",
    "sprechername",
    "locuteur",
    "locutrice",
    "intervenant",
    "participant",
    "participantid",
    "name",
    "role",
    "who",
    "character",
    "teilnehmer",
    "teilnehmerin",
    "teilnehmerinnen",
    "person",
    "rolle",
    "nom",
    "interlocuteur",
];
pub(super) const TEXT: [&str; 31] = [
    "dialoguecleaned",
    "text",
    "transcript",
    "transcription",
    "utterance",
    "sentence",
    "dialogue",
    "dialog",
    "content",
    "words",
    "value",
    "speech",
    "caption",
    "subtitle",
    "line",
    "turn",
    "annotation",
    "transkript",
    "transkription",
    "außerung",
    "ausserung",
    "aeusserung",
    "aussage",
    "wortlaut",
    "redebeitrag",
    "texte",
    "enonce",
    "paroles",
    "propos",
    "word",
    "token",
];

/// What one of a column's numbers is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    Seconds,
    Millis,
    Samples,
    Frames,
}

/// Letters and digits of a header name in lower case, without accents, and the unit it names (`start_ms`, `Start (s)`,
/// `StartTime`, `Début`).
pub(super) fn normal(name: &str) -> (String, Option<Unit>) {
    let name: String = name.nfd().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    let times = |stem: &str| START.contains(&stem) || END.contains(&stem) || DURATION.contains(&stem);
    if times(&name) {
        return (name, None);
    }
    for (unit, suffixes) in [
        (Unit::Millis, &["millisekunden", "millisecondes", "milliseconds", "millis", "msecs", "msec", "ms"][..]),
        (Unit::Samples, &["samples", "sample"]),
        (Unit::Frames, &["frames", "frame"]),
        (Unit::Seconds, &["sekunden", "secondes", "seconds", "secs", "sec", "sek", "s"]),
    ] {
        if let Some(stem) = suffixes.iter().find_map(|s| name.strip_suffix(s).filter(|stem| times(stem))) {
            return (stem.to_owned(), Some(unit));
        }
    }
    (name, None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lose_accents_and_units() {
        let told = |name: &str| normal(name);
        assert_eq!(told("Début"), ("debut".into(), None));
        assert_eq!(told("Beginn (s)"), ("beginn".into(), Some(Unit::Seconds)));
        assert_eq!(told("start_ms"), ("start".into(), Some(Unit::Millis)));
        assert_eq!(told("Durée [secondes]"), ("duree".into(), Some(Unit::Seconds)));
        assert_eq!(told("end_sample"), ("end".into(), Some(Unit::Samples)));
        assert_eq!(told("Anfang in Frames").1, None);
        assert_eq!(told("words"), ("words".into(), None));
    }
}
