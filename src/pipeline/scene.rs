//! The scene of one interview: turns, voices and faces set beside each other, and what that says of each turn.

use std::collections::{BTreeMap, BTreeSet};

use super::Request;
use super::corrections::Corrected;
use super::frames::Frames;
use super::hear::Heard;
use super::spoken::Spoken;
use super::transcript::{place_codes, place_events, place_on_sound};
use super::watch::Seen;
use super::who;
use crate::annotation::{Annotation, SoundEvent, TierCode, Turn};
use crate::audio::{self, TurnVoice};
use crate::error::Result;
use crate::recipe::Recipe;
use crate::signal::Sound as _;
use crate::speaker::VAD_CHUNKS;
use crate::table::Missing;
use crate::transcript::Transcript;
use crate::turns::{
    self, BodiesSeen, BodyTurn, Cast, FaceTurn, Laughs, LaughterIn, Lexicon, NoOffset, Relations, SaidTurn,
    SpeakerLink, SpeakerMatch, TranscriptOffset, TurnFacts,
};
use crate::warning::{ClockShift, TranscriptClock, Warning, Warnings};

/// A cue that ends within a video frame of the media's end is on time.
const END_TOLERANCE_SECS: f64 = 0.05;

/// All that is known of one interview: every table is made from it.
pub(crate) struct Scene<'a> {
    pub(super) request: &'a Request,
    pub(super) recipe: &'a Recipe,
    pub(super) transcript: Option<&'a Transcript>,
    pub(super) heard: &'a Heard,
    pub(super) seen: &'a Seen,
    /// What is known better, and what became of it.
    pub(super) corrected: &'a Corrected,
    /// The transcript's, else the speech turns.
    pub(super) turns: Vec<Turn>,
    /// What the transcript says is heard and not said.
    pub(super) events: Vec<SoundEvent>,
    /// What tiers of the transcript hold beside the speech.
    pub(super) codes: Vec<TierCode>,
    /// Between transcript and voice activity, or why it could not be measured.
    pub(super) offset: std::result::Result<TranscriptOffset, NoOffset>,
    /// Whether the times of the turns are moved by it.
    pub(super) is_moved: bool,
    /// Labels of the transcript and voices.
    pub(super) matches: Vec<SpeakerMatch>,
    /// Voices and persons.
    pub(super) cast: Cast,
    /// Persons seen during each turn.
    pub(super) face_turns: Vec<FaceTurn>,
    /// Their bodies; empty where bodies are not looked at.
    pub(super) body_turns: Vec<BodyTurn>,
    /// What is known of each turn.
    pub(super) facts: Vec<TurnFacts>,
    /// The voice of each turn; empty without sound.
    pub(super) voices: Vec<TurnVoice>,
    /// Couple or family.
    pub(super) group: Option<String>,
    /// Role by speaker.
    pub(super) roles: BTreeMap<String, String>,
    /// Places of turns before which a cue could not be read.
    pub(super) dropped: Vec<usize>,
    /// The words of each turn; empty without a transcript, and before [`Scene::with_words`].
    pub(super) said: Vec<SaidTurn>,
    /// Turns in which another voice than their label's talks most.
    pub(super) contradicted: Vec<bool>,
    /// Voice and person by the speaker of turns.
    pub(super) links: BTreeMap<String, SpeakerLink>,
    /// The turns in which somebody speaks, where there are others.
    pub(super) spoken: Option<Spoken>,
    /// Who laughs; `None` before [`Scene::with_laughter`].
    pub(super) laughs: Option<Laughs>,
}

impl<'a> Scene<'a> {
    /// Sets everything that was read, heard and seen beside each other; what does not fit is warned of.
    ///
    /// # Errors
    /// Those of reading the sound back.
    pub(super) fn new(
        request: &'a Request,
        recipe: &'a Recipe,
        (transcript, corrected): (Option<&'a Transcript>, &'a Corrected),
        heard: &'a Heard,
        seen: &'a Seen,
        warnings: &Warnings,
    ) -> Result<Self> {
        let annotation = &heard.diarization.annotation;
        let mut turns = transcript.map_or_else(|| corrected.turns_of_speech(annotation), |t| t.turns.clone());
        let offset = match transcript {
            Some(_) => measure_offset(&corrected.spoken(&turns), recipe, heard, warnings),
            None => Err(NoOffset { missing: Missing::NoTranscript, confidence: None }),
        };
        let mut events = transcript.map_or_else(Vec::new, |t| t.events.clone());
        let mut codes = transcript.map_or_else(Vec::new, |t| t.codes.clone());
        let applied = offset.ok().filter(|o| o.is_telling && recipe.input.apply_transcript_offset);
        if let Some(offset) = applied {
            place_on_sound(&mut turns, &offset).into_iter().for_each(|w| warnings.push(w));
            place_events(&mut events, |t| offset.on_sound(t));
            place_codes(&mut codes, |t| offset.on_sound(t));
        }
        warn_past_end(&turns, heard, seen, warnings);
        transcript.and_then(|_| turns::words_outside(&turns)).into_iter().for_each(|w| warnings.push(w));
        turns::crowd(&turns).into_iter().for_each(|w| warnings.push(w));

        let matches = transcript.map_or_else(Vec::new, |_| {
            turns::match_speakers(&corrected.spoken(&turns), annotation, corrected.voices())
        });
        let cast = turns::cast(annotation, &seen.faces, &heard.acoustics, &recipe.turns)?;
        let face_turns = turns::face_turns(&turns, &seen.faces, &recipe.turns)?;
        let body_turns = turns::body_turns(&turns, &seen.bodies, &seen.faces, &recipe.turns);
        let labels = transcript.map(|_| Matched::new(&matches));
        let known = Known { recipe, annotation, seen, labels: labels.as_ref(), cast: &cast, face_turns: &face_turns };
        let facts: Vec<TurnFacts> = turns.iter().enumerate().map(|(i, t)| known.facts(i, t)).collect();
        let links = known.links(&turns);
        let contradicts = |(at, f): (usize, &TurnFacts)| corrected.speaks(at) && f.contradicts() == Some(true);
        let contradicted: Vec<bool> = facts.iter().enumerate().map(contradicts).collect();
        turns::contradictions(&turns, &contradicted, &matches).into_iter().for_each(|w| warnings.push(w));

        let voices = voices(&turns, &facts, (heard, corrected), recipe)?;
        Ok(Scene {
            request,
            recipe,
            transcript,
            corrected,
            heard,
            seen,
            turns,
            events,
            codes,
            offset,
            is_moved: applied.is_some(),
            matches,
            cast,
            face_turns,
            body_turns,
            facts,
            voices,
            group: who::group(request, recipe, transcript),
            roles: who::roles(request, transcript),
            dropped: transcript.map(Transcript::after_dropped).unwrap_or_default(),
            said: Vec::new(),
            contradicted,
            links,
            spoken: None,
            laughs: None,
        })
    }

    /// The same with what kinds of words the transcript's turns have.
    pub(super) fn with_words(mut self, lexicon: &Lexicon) -> Self {
        if let Some(transcript) = self.transcript {
            let declared = transcript.language.as_deref();
            self.said = turns::said(&self.turns, lexicon, declared, &self.recipe.turns.language);
        }
        self.spoken = self.corrected.leaves_turns_out().then(|| Spoken::of(&self));
        self
    }

    /// The same with the laughter that the transcript marks and the sound tells.
    pub(super) fn with_laughter(mut self) -> Result<Self> {
        let is_asked = self.recipe.voice.laughter.enabled && self.heard.report.is_some();
        let sound = is_asked.then_some(self.heard.laughs.as_slice());
        self.laughs = Some(Laughs::of(&self.relations(), LaughterIn { marks: &self.events, sound })?);
        Ok(self)
    }

    /// Key of the tables.
    pub(super) fn id(&self) -> &str {
        &self.request.interview_id
    }

    /// What tables of frames are made from.
    pub(super) fn frames(&self) -> Frames<'_> {
        Frames { interview_id: self.id(), heard: self.heard, seen: self.seen, recipe: self.recipe }
    }

    /// Speech turns.
    pub(super) fn annotation(&self) -> &Annotation {
        &self.heard.diarization.annotation
    }

    /// What people do to each other is told from this: turns in which nobody speaks are not there.
    pub(super) fn relations(&self) -> Relations<'_> {
        let all = self.all_relations();
        let Some(spoken) = &self.spoken else { return all };
        Relations {
            dropped: &spoken.dropped,
            turns: &spoken.turns,
            voices: &spoken.voices,
            said: &spoken.said,
            face_turns: &spoken.face_turns,
            bodies: all.bodies.map(|b| BodiesSeen { turns: &spoken.body_turns, ..b }),
            contradicted: &spoken.contradicted,
            ..all
        }
    }

    /// The same of all turns.
    pub(super) fn all_relations(&self) -> Relations<'_> {
        Relations {
            interview_id: self.id(),
            group: self.group.as_deref(),
            roles: &self.roles,
            dropped: &self.dropped,
            turns: &self.turns,
            links: &self.links,
            annotation: self.annotation(),
            acoustics: &self.heard.acoustics,
            voices: &self.voices,
            said: &self.said,
            faces: &self.seen.faces,
            face_turns: &self.face_turns,
            bodies: self.recipe.body.is_on().then_some(BodiesSeen { all: &self.seen.bodies, turns: &self.body_turns }),
            contradicted: &self.contradicted,
            laughs: self.laughs.as_ref(),
            config: &self.recipe.turns,
        }
    }
}

/// Labels and voices that belong together, to be looked up by either.
struct Matched<'a> {
    voice_of: BTreeMap<&'a str, &'a str>,
    label_of: BTreeMap<&'a str, &'a str>,
}

impl<'a> Matched<'a> {
    fn new(matches: &'a [SpeakerMatch]) -> Self {
        let pairs = || matches.iter().filter_map(|m| Some((m.label.as_str(), m.diarized.as_deref()?)));
        Matched { voice_of: pairs().collect(), label_of: pairs().map(|(label, voice)| (voice, label)).collect() }
    }
}

/// The voice of each turn; none without sound, where there is nothing to hold for every turn.
fn voices(
    turns: &[Turn],
    facts: &[TurnFacts],
    (heard, corrected): (&Heard, &Corrected),
    recipe: &Recipe,
) -> Result<Vec<TurnVoice>> {
    if heard.report.is_none() {
        return Ok(Vec::new());
    }
    let voice = |(at, (t, f)): (usize, (&Turn, &TurnFacts))| {
        if !corrected.speaks(at) {
            return Ok(TurnVoice::without(Missing::NotSpeech));
        }
        audio::turn_voice(&heard.audio, &heard.acoustics, t.segment, f.words.ok(), &recipe.voice)
    };
    turns.iter().zip(facts).enumerate().map(voice).collect()
}

/// The offset, with what is to be told of it.
fn measure_offset(
    turns: &[Turn],
    recipe: &Recipe,
    heard: &Heard,
    warnings: &Warnings,
) -> Result<TranscriptOffset, NoOffset> {
    let speech = &heard.diarization.vad_probability;
    let found = turns::transcript_offset(turns, speech, VAD_CHUNKS.hop_secs(), &recipe.turns);
    let is_asked = recipe.input.apply_transcript_offset;
    let told = match &found {
        Ok(o) if o.is_telling => {
            let shift = ClockShift { secs: o.offset_secs, at_secs: o.at_secs, drift_ppm: o.applied_drift_ppm };
            Some(if is_asked { TranscriptClock::Moved(shift) } else { TranscriptClock::Elsewhere(shift) })
        }
        Err(no) if is_asked => Some(TranscriptClock::Unknown(no.missing.reason())),
        _ => None,
    };
    told.into_iter().for_each(|told| warnings.push(Warning::TranscriptOffset(told)));
    found
}

fn warn_past_end(turns: &[Turn], heard: &Heard, seen: &Seen, warnings: &Warnings) {
    let ends = [heard.report.as_ref().map(|_| heard.audio.duration()), seen.report.as_ref().and_then(|r| r.end)];
    if let Some(media_end) = ends.into_iter().flatten().max() {
        let late = |t: &&Turn| t.segment.end().get() > media_end.get() + END_TOLERANCE_SECS;
        let count = turns.iter().filter(late).count();
        if count > 0 {
            warnings.push(Warning::TurnsPastEnd { count, media_end });
        }
    }
}

/// What the facts of a turn are made from.
struct Known<'a> {
    recipe: &'a Recipe,
    annotation: &'a Annotation,
    seen: &'a Seen,
    /// `None` without a transcript: then the turns' speakers are the voices.
    labels: Option<&'a Matched<'a>>,
    cast: &'a Cast,
    face_turns: &'a [FaceTurn],
}

impl Known<'_> {
    /// Where each speaker's voice and face are to be found.
    fn links(&self, turns: &[Turn]) -> BTreeMap<String, SpeakerLink> {
        let speakers: BTreeSet<&str> = turns.iter().filter_map(|t| t.speaker.as_deref()).collect();
        let link = |speaker: &str| {
            let voice = self.labels.map_or(Some(speaker), |l| l.voice_of.get(speaker).copied());
            let person = voice.and_then(|v| self.cast.person_of(v)).map(ToOwned::to_owned);
            SpeakerLink { voice: voice.map(ToOwned::to_owned), person }
        };
        speakers.into_iter().map(|speaker| (speaker.to_owned(), link(speaker))).collect()
    }

    /// Of the turn at `index`.
    fn facts(&self, index: usize, turn: &Turn) -> TurnFacts {
        let speaker = turn.speaker.as_deref();
        let matched = match self.labels {
            Some(labels) => speaker.and_then(|l| labels.voice_of.get(l).copied()),
            None => speaker,
        };
        let speech = turns::speech_context(self.annotation, turn.segment, matched);
        let voice = match self.labels {
            Some(labels) => voice(speaker, matched, speech.speaker.as_deref(), labels),
            None => matched.or(speech.speaker.as_deref()),
        };
        // What is seen in the turn itself counts before what the voice is over all.
        let during = voice.and_then(|v| self.cast.person_during(v, turn.segment));
        let person = match during {
            Some((person, _)) => person,
            None => voice.and_then(|v| self.cast.person_of(v)),
        };
        let there = turns::of_turn(self.face_turns, index, |f| f.turn);
        let is_there = |p: &str| there.iter().any(|f| f.person == p);
        let face = self.face(there, person, turn);
        let (face, face_source, face_missing) = match face {
            Ok((face, source)) => (Some(face.clone()), Some(source), None),
            Err(why) => (None, None, Some(why)),
        };
        TurnFacts {
            words: self.labels.ok_or(Missing::NoTranscript).and_then(|_| turns::word_count(&turn.text)),
            matched_speaker: matched.filter(|_| self.labels.is_some()).map(ToOwned::to_owned),
            // A person who is not in the picture now is off screen now, whoever it is; a face too small to measure is
            // still there.
            person: person.filter(|p| is_there(p)).map(ToOwned::to_owned),
            person_probability: during.map(|d| d.1),
            speech,
            face,
            face_source,
            face_missing,
        }
    }

    /// The face a turn's row describes, and how it was chosen, of those `there` during the turn: the speaker's own by
    /// the cast; where the speaker has no place on the screen, the one person seen, unless that is another voice's.
    fn face<'f>(
        &self,
        there: &'f [FaceTurn],
        person: Option<&str>,
        turn: &Turn,
    ) -> Result<(&'f FaceTurn, &'static str), Missing> {
        let Some(report) = &self.seen.report else {
            return Err(if self.recipe.input.skip_video { Missing::NotRequested } else { Missing::NoStream });
        };
        if report.end.is_none_or(|end| turn.segment.start() >= end) {
            return Err(Missing::PastEnd);
        }
        let measured: Vec<&FaceTurn> = there.iter().filter(|f| f.observations > 0).collect();
        let why = |p: &str| there.iter().find(|f| f.person == p)?.missing();
        match (person, measured.as_slice()) {
            (Some(p), _) => match measured.iter().find(|f| f.person == p) {
                Some(face) => Ok((face, "cast")),
                // There, but not well enough to be measured.
                None if there.iter().any(|f| f.person == p) => Err(why(p).unwrap_or(Missing::LowQuality)),
                None => Err(if measured.is_empty() { Missing::NoFace } else { Missing::OffScreen }),
            },
            (None, []) => Err(there.iter().find_map(FaceTurn::missing).unwrap_or(Missing::NoFace)),
            (None, [one]) if is_free(&one.person, self.cast) => Ok((one, "only_visible")),
            (None, _) => Err(Missing::NotCast),
        }
    }
}

/// Whether a person may be the one whose voice has no place on the screen: the cast gives the person to no voice, so to
/// no other one.
fn is_free(person: &str, cast: &Cast) -> bool {
    cast.speaker_of(person).is_none()
}

/// The voice that is looked for on the screen: the label's own, else whoever is heard in the turn, unless that is
/// another label's voice. Where diarization takes two people for one, the second has no voice, and must not get the
/// first one's face.
fn voice<'v>(
    label: Option<&str>,
    matched: Option<&'v str>,
    heard: Option<&'v str>,
    matches: &Matched<'_>,
) -> Option<&'v str> {
    let of_another = |speaker: &str| label.is_some_and(|l| matches.label_of.get(speaker).is_some_and(|of| *of != l));
    matched.or_else(|| heard.filter(|s| !of_another(s)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::turns::CastMember;

    #[test]
    fn the_only_one_seen_is_not_the_speaker_where_the_cast_gives_them_another_voice() {
        let member = |speaker: &str, person: Option<&str>| CastMember {
            speaker: speaker.into(),
            person: person.map(ToOwned::to_owned),
            confidence: None,
        };
        let cast = Cast { members: vec![member("S0", Some("person_0")), member("S1", None)], ..Cast::default() };
        assert!(!is_free("person_0", &cast) && is_free("person_1", &cast));
        assert!(is_free("person_0", &Cast::default()));
    }

    #[test]
    fn a_label_without_a_voice_does_not_get_another_labels() {
        let matched = |label: &str, diarized: Option<&str>| SpeakerMatch {
            label: label.into(),
            diarized: diarized.map(ToOwned::to_owned),
            shared_secs: 1.0,
            speech_secs: 1.0,
        };
        let matches = [matched("Wang", Some("S0")), matched("Li", None)];
        let labels = Matched::new(&matches);
        let of = |label, own, heard| voice(label, own, heard, &labels);
        assert_eq!(of(Some("Wang"), Some("S0"), Some("S0")), Some("S0"));
        assert_eq!(of(Some("Li"), None, Some("S0")), None, "one voice was found for two people, and it is Wang's");
        assert_eq!(of(Some("Li"), None, Some("S1")), Some("S1"), "a voice that is nobody else's");
        assert_eq!(of(None, None, Some("S0")), Some("S0"), "a turn without a label");
    }
}
