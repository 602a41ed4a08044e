//! Laughter: who laughs when, alone or with others, by the transcript's marks and by the sound.
//!
//! An event belongs to the turn in which it begins, and is counted once. Whose laugh a mark of the transcript is its
//! cue says. Whose a laugh in the sound is, the voice says that is heard in it, and where none is, the one face that
//! smiles: laughter that is no speech is often nobody's voice. Where neither tells, nobody is named, and it counts for
//! no speaker and no listener. Laughter takes no floor and is no backchannel: turns and voices are left as they are.

mod columns;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use super::Relations;
use super::smiles::{SmileSeries, smile_series};
use super::still::Stills;
use crate::annotation::SoundEvent;
use crate::audio::Laugh;
use crate::error::Result;
use crate::table::Missing;
use crate::time::{Seconds, Segment};
use crate::transcript::is_laughter;

pub(super) use columns::{OfDyad, OfTurn, dyad_columns, turn_columns};
pub use columns::{laughter_schema, laughter_table};

/// What is said of laughter.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct LaughingConfig {
    /// Another's laugh answers one when it begins at most so long after that one's start, in seconds; a choice.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub answer_secs: f64,
    /// A laugh in the sound is a voice's when that voice has at least this share of all voices' time in it, 0 to 1.
    #[schemars(range(min = 0.5, max = 1.0))]
    pub voice_share: f64,
}

impl Default for LaughingConfig {
    fn default() -> Self {
        LaughingConfig { answer_secs: 2.0, voice_share: 0.8 }
    }
}

/// Where a laugh is known from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    Transcript,
    Sound,
}

impl Source {
    fn word(self) -> &'static str {
        match self {
            Source::Transcript => "transcript",
            Source::Sound => "sound",
        }
    }
}

/// One laugh.
#[derive(Clone, Debug, PartialEq)]
pub struct Laughter {
    /// From onset to end; of a mark beside words its cue.
    pub(super) segment: Segment,
    /// True of a mark beside words: the laugh is somewhere in the cue.
    pub(super) with_words: bool,
    pub(super) source: Source,
    /// Of what the sound says.
    pub(super) probability: Option<f64>,
    /// Position of the turn in which it begins.
    pub(super) turn: Option<usize>,
    /// Label of turns.
    pub(super) speaker: Option<String>,
    pub(super) voice: Option<String>,
    pub(super) person: Option<String>,
    /// Why nobody is named.
    pub(super) speaker_missing: Option<Missing>,
    /// Whether others laugh or smile along; `None` where nothing tells it.
    pub(super) shared: Option<bool>,
}

/// The laughter of an interview, or why it is not known.
#[derive(Clone, Debug, PartialEq)]
pub struct Laughs {
    /// In order of time.
    pub(super) all: Vec<Laughter>,
    /// Nothing that would tell of laughter was looked at.
    pub(super) missing: Option<Missing>,
}

impl Default for Laughs {
    fn default() -> Self {
        Laughs { all: Vec::new(), missing: Some(Missing::NotRequested) }
    }
}

/// What laughter is looked for in.
#[derive(Clone, Copy, Debug)]
pub struct LaughterIn<'a> {
    /// What the transcript says is heard.
    pub marks: &'a [SoundEvent],
    /// What the sound says; `None` where it was not asked.
    pub sound: Option<&'a [Laugh]>,
}

impl Laughs {
    /// From the transcript's marks and the sound; a laugh in the sound that a mark without words shares time with is
    /// that one, with the mark's speaker.
    ///
    /// # Errors
    /// Those of reading the observations of faces back.
    pub fn of(relations: &Relations<'_>, found: LaughterIn<'_>) -> Result<Self> {
        let marks = found.marks.iter().filter(|e| is_laughter(&e.what));
        let mut all: Vec<Laughter> = marks.map(|mark| of_mark(relations, mark)).collect();
        let missing = (all.is_empty() && found.sound.is_none()).then_some(Missing::NotRequested);
        let sounds: Vec<&Laugh> = found.sound.unwrap_or_default().iter().collect();
        if all.is_empty() && sounds.is_empty() {
            return Ok(Laughs { all, missing });
        }
        let smiling = Smiling::new(relations)?;
        let is_marked = |s: Segment, all: &[Laughter]| all.iter().any(|l| !l.with_words && l.segment.overlap(s) > 0.0);
        let heard: Vec<Laughter> = sounds
            .into_iter()
            .filter_map(|laugh| Some((laugh.segment()?, laugh.probability)))
            .filter(|(segment, _)| !is_marked(*segment, &all))
            .map(|(segment, probability)| of_sound(relations, &smiling, segment, probability))
            .collect();
        all.extend(heard);
        all.sort_by(|a, b| a.segment.start().cmp(&b.segment.start()).then(a.segment.end().cmp(&b.segment.end())));
        let shared: Vec<Option<bool>> = (0..all.len()).map(|i| is_shared(&all, i, &smiling)).collect();
        all.iter_mut().zip(shared).for_each(|(laugh, shared)| laugh.shared = shared);
        Ok(Laughs { all, missing })
    }

    /// Those that begin in the turn at a position.
    pub(super) fn in_turn(&self, turn: usize) -> impl Iterator<Item = &Laughter> + Clone {
        self.all.iter().filter(move |l| l.turn == Some(turn))
    }
}

/// The turn that holds an instant, the last begun of several.
fn turn_at(relations: &Relations<'_>, start: Seconds, holds: impl Fn(Segment) -> bool) -> Option<usize> {
    let turns = relations.turns.iter().enumerate();
    let there = turns.filter(|(_, t)| t.segment.contains(start) || holds(t.segment));
    there.max_by_key(|(_, t)| t.segment.start()).map(|(i, _)| i)
}

fn of_mark(relations: &Relations<'_>, mark: &SoundEvent) -> Laughter {
    let link = mark.speaker.as_deref().and_then(|label| relations.links.get(label));
    Laughter {
        segment: mark.segment,
        with_words: mark.in_turn,
        source: Source::Transcript,
        probability: None,
        turn: turn_at(relations, mark.segment.start(), |turn| mark.in_turn && turn == mark.segment),
        speaker: mark.speaker.clone(),
        voice: link.and_then(|l| l.voice.clone()),
        person: link.and_then(|l| l.person.clone()),
        speaker_missing: mark.speaker.is_none().then_some(Missing::NoLabel),
        shared: None,
    }
}

/// Whose it is, by the voice heard in it, else by the one face that smiles.
fn of_sound(relations: &Relations<'_>, smiling: &Smiling, segment: Segment, probability: f64) -> Laughter {
    let times = relations.annotation.times_in(segment);
    let total: f64 = times.iter().map(|t| t.1).sum();
    let share = relations.config.laughter.voice_share;
    let voice = times.iter().find(|t| total > 0.0 && t.1 >= share * total).map(|t| t.0.to_owned());
    let of = |is: &dyn Fn(&super::SpeakerLink) -> bool| relations.links.iter().find(|(_, link)| is(link));
    let link = match &voice {
        Some(voice) => of(&|link| link.voice.as_deref() == Some(voice.as_str())),
        None => None,
    };
    let alone = if voice.is_none() { smiling.only(segment) } else { None };
    let link = link.or_else(|| alone.and_then(|person| of(&|link| link.person.as_deref() == Some(person))));
    let person = link.and_then(|(_, l)| l.person.clone()).or_else(|| alone.map(ToOwned::to_owned));
    let speaker = link.map(|(label, _)| label.clone());
    let why = if times.is_empty() { Missing::NoSpeech } else { Missing::NoVoice };
    Laughter {
        segment,
        with_words: false,
        source: Source::Sound,
        probability: Some(probability),
        turn: turn_at(relations, segment.start(), |_| false),
        speaker_missing: speaker.is_none().then_some(why),
        speaker,
        voice,
        person,
        shared: None,
    }
}

/// True where another speaker's laugh shares time with it, or two faces or more smile in it; false where two or more
/// are measured and none but one smiles.
fn is_shared(all: &[Laughter], at: usize, smiling: &Smiling) -> Option<bool> {
    let laugh = &all[at];
    if laugh.with_words {
        return None;
    }
    let others = all.iter().filter(|l| !l.with_words && l.speaker.is_some() && l.speaker != laugh.speaker);
    if laugh.speaker.is_some() && others.map(|l| l.segment.overlap(laugh.segment)).any(|secs| secs > 0.0) {
        return Some(true);
    }
    let during = smiling.during(laugh.segment);
    let smiles = during.iter().filter(|(_, smiles)| *smiles).count();
    match (smiles, during.len()) {
        (2.., _) => Some(true),
        (_, 2..) => Some(false),
        _ => None,
    }
}

/// The smiles of all persons.
struct Smiling {
    series: BTreeMap<String, SmileSeries>,
    above: f64,
}

impl Smiling {
    fn new(relations: &Relations<'_>) -> Result<Self> {
        let Relations { faces, config, .. } = *relations;
        let series = smile_series(faces, &Stills::new(faces, config)?, config)?;
        Ok(Smiling { series, above: config.smile_above })
    }

    /// Persons measured in a segment, and whether their mean smile in it reaches the threshold.
    fn during(&self, segment: Segment) -> Vec<(&str, bool)> {
        let mean = |series: &SmileSeries| {
            let values = series.during(segment);
            (!values.is_empty()).then(|| values.iter().map(|v| v.1).sum::<f64>() / values.len() as f64)
        };
        let all = self.series.iter();
        all.filter_map(|(person, series)| Some((person.as_str(), mean(series)? >= self.above))).collect()
    }

    /// The one who smiles, where nobody else does.
    fn only(&self, segment: Segment) -> Option<&str> {
        let during = self.during(segment);
        let mut smiling = during.iter().filter(|(_, smiles)| *smiles).map(|(person, _)| *person);
        smiling.next().filter(|_| smiling.next().is_none())
    }
}
