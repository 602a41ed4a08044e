//! Cast: which voice is which person on the screen (Everingham et al. 2006: by lip motion), stretch by stretch.
//!
//! A stretch is a part of a speech turn within one shot. For each person seen in it, what is seen of the mouth gives a
//! likelihood ratio of talking to not talking ([`evidence`]). With what the voice's other stretches say of it as prior,
//! Bayes' rule gives the probability of each person, and of none of them: the speaker is off screen. Stretches and priors
//! are brought to agree in a few rounds (expectation and maximisation). Voices that are heard at once are different people,
//! so that two may talk on the screen at the same time.

mod evidence;
#[cfg(test)]
mod tests;

use evidence::{Drive, Mouth};

use super::TurnsConfig;
use crate::annotation::Annotation;
use crate::audio::Acoustics;
use crate::error::Result;
use crate::face::Faces;
use crate::time::{Seconds, Segment};

/// One speaker's place on the screen.
#[derive(Clone, Debug, PartialEq)]
pub struct CastMember {
    /// Diarized speaker.
    pub speaker: String,
    /// Person on the screen; `None` = off screen or not told apart.
    pub person: Option<String>,
    /// Probability that it is this person who speaks with this voice while the person is seen, 0 to 1.
    pub confidence: Option<f64>,
}

/// Who speaks in a part of a speech turn.
#[derive(Clone, Debug, PartialEq)]
pub struct Stretch {
    /// Within one shot.
    pub segment: Segment,
    /// Diarized speaker.
    pub speaker: String,
    /// Probabilities of the persons seen, in the order of [`Faces::persons`]; the rest to 1 is that of being off screen.
    pub persons: Vec<(String, f64)>,
}

/// Every diarized speaker's person.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cast {
    /// Sorted by speaker.
    pub members: Vec<CastMember>,
    /// In order of time.
    pub stretches: Vec<Stretch>,
}

impl Cast {
    /// The person who is this speaker over the whole video.
    pub fn person_of(&self, speaker: &str) -> Option<&str> {
        self.member(speaker)?.person.as_deref()
    }

    /// The speaker who is this person.
    pub fn speaker_of(&self, person: &str) -> Option<&str> {
        self.members.iter().find(|m| m.person.as_deref() == Some(person)).map(|m| m.speaker.as_str())
    }

    /// A speaker's entry.
    pub fn member(&self, speaker: &str) -> Option<&CastMember> {
        self.members.iter().find(|m| m.speaker == speaker)
    }

    /// Who speaks with a voice in a segment, with the probability; `Some((None, _))` = nobody on the screen, `None` = the
    /// voice is not heard in it.
    pub fn person_during(&self, speaker: &str, segment: Segment) -> Option<(Option<&str>, f64)> {
        let mut sums: Vec<(Option<&str>, f64)> = vec![(None, 0.0)];
        let mut total = 0.0;
        let before_end = self.stretches.partition_point(|s| s.segment.start() < segment.end());
        // No stretch is longer than LONGEST_SECS: none begun earlier reaches here.
        let earliest = segment.start().get() - 2.0 * LONGEST_SECS;
        let first = self.stretches[..before_end].partition_point(|s| s.segment.start().get() < earliest);
        for s in self.stretches[first..before_end].iter().filter(|s| s.speaker == speaker) {
            let secs = s.segment.overlap(segment);
            if secs <= 0.0 {
                continue;
            }
            total += secs;
            sums[0].1 += secs * (1.0 - s.persons.iter().map(|p| p.1).sum::<f64>());
            for (name, probability) in &s.persons {
                match sums.iter_mut().find(|x| x.0 == Some(name)) {
                    Some(x) => x.1 += secs * probability,
                    None => sums.push((Some(name), secs * probability)),
                }
            }
        }
        // The first of equals: off screen, then the order of the persons.
        let best = sums.into_iter().rev().max_by(|a, b| a.1.total_cmp(&b.1)).filter(|_| total > 0.0);
        best.map(|(person, secs)| (person, (secs / total).clamp(0.0, 1.0)))
    }
}

/// Stretches are at most this long: a voice may be two people's, taken for one.
const LONGEST_SECS: f64 = 4.0;
/// A person is seen in a stretch when observed for this share of the frames looked at.
const SEEN_SHARE: f64 = 0.3;
/// Before anything is known: how likely nobody of those seen speaks.
const OFF_SCREEN: f64 = 0.25;
/// What is known beforehand counts like this much speech of the voice, seconds; speech off screen counts less, as the
/// camera shows others too.
const PRIOR_SECS: f64 = 3.0;
const OFF_SCREEN_COUNTS: f64 = 0.3;
/// Rounds in which stretches and priors are brought to agree.
const ROUNDS: usize = 4;
/// Two voices that are heard at once for longer than this are two people's, seconds.
const AT_ONCE_SECS: f64 = 0.5;

/// A stretch on its way: the voice's index, and for each person whether it is seen, and what its mouth says.
struct Part {
    segment: Segment,
    voice: usize,
    evidence: Vec<Option<f64>>,
    /// Posterior of each person; 0 for those not seen.
    posterior: Vec<f64>,
}

impl Part {
    fn off_screen(&self) -> f64 {
        (1.0 - self.posterior.iter().sum::<f64>()).max(0.0)
    }
}

/// Matches speech to persons. `acoustics` may be empty: then the mouths' motion alone decides.
///
/// # Errors
/// Those of reading the observations back.
pub fn cast(annotation: &Annotation, faces: &Faces, acoustics: &Acoustics, config: &TurnsConfig) -> Result<Cast> {
    let speakers = annotation.speakers();
    if speakers.is_empty() {
        return Ok(Cast::default());
    }
    let mut parts = parts(annotation, faces, acoustics, config)?;
    let people = faces.persons.len();
    for _ in 0..ROUNDS {
        let history = History::of(&parts, speakers.len(), people);
        parts.iter_mut().for_each(|part| history.judge(part));
    }
    let members = members(&speakers, annotation, faces, &parts, config);
    let told = |part: Part| {
        let seen = part.evidence.iter().zip(&part.posterior).zip(&faces.persons).filter(|((e, _), _)| e.is_some());
        Stretch {
            segment: part.segment,
            speaker: speakers[part.voice].to_owned(),
            persons: seen.map(|((_, &p), name)| (name.clone(), p)).collect(),
        }
    };
    Ok(Cast { members, stretches: parts.into_iter().map(told).collect() })
}

/// Seconds of each voice as each person, and off screen, without one's own stretch.
struct History {
    /// By voice, then person.
    seconds: Vec<Vec<f64>>,
    off_screen: Vec<f64>,
}

impl History {
    fn of(parts: &[Part], voices: usize, people: usize) -> Self {
        let (mut seconds, mut off_screen) = (vec![vec![0.0; people]; voices], vec![0.0; voices]);
        for part in parts.iter().filter(|p| !p.posterior.is_empty()) {
            let secs = part.segment.duration();
            seconds[part.voice].iter_mut().zip(&part.posterior).for_each(|(s, p)| *s += secs * p);
            off_screen[part.voice] += secs * part.off_screen();
        }
        History { seconds, off_screen }
    }

    /// Bayes' rule over the persons seen and off screen.
    fn judge(&self, part: &mut Part) {
        let (voice, secs) = (part.voice, part.segment.duration());
        let own = |p: usize| part.posterior.get(p).map_or(0.0, |x| secs * x);
        let of_voice = |p: usize| (self.seconds[voice][p] - own(p)).max(0.0);
        let people = self.seconds[voice].len();
        let seen = part.evidence.iter().flatten().count().max(1) as f64;
        let others =
            |p: usize| (0..self.seconds.len()).filter(|&v| v != voice).map(|v| self.seconds[v][p]).sum::<f64>();
        let own_off = if part.posterior.is_empty() { 0.0 } else { secs * part.off_screen() };
        let off = OFF_SCREEN_COUNTS * (self.off_screen[voice] - own_off).max(0.0);
        let mut prior = vec![0.0; people];
        // Who is likely but not seen speaks off screen.
        let mut absent = off + PRIOR_SECS * OFF_SCREEN;
        for (p, evidence) in part.evidence.iter().enumerate() {
            match evidence {
                // A person whose voice another one is speaks with this one less likely.
                Some(_) => {
                    let mine = (of_voice(p) + PRIOR_SECS) / (of_voice(p) + others(p) + PRIOR_SECS);
                    prior[p] = (of_voice(p) + PRIOR_SECS * (1.0 - OFF_SCREEN) / seen) * mine;
                }
                None => absent += of_voice(p),
            }
        }
        let logs: Vec<f64> = prior.iter().zip(&part.evidence).map(|(p, e)| p.ln() + e.unwrap_or(0.0)).collect();
        let most = logs.iter().copied().fold(absent.ln(), f64::max);
        let total = (absent.ln() - most).exp() + logs.iter().map(|l| (l - most).exp()).sum::<f64>();
        part.posterior = logs.iter().map(|l| (l - most).exp() / total).collect();
    }
}

/// The speech turns cut at the shots' edges and into parts of at most [`LONGEST_SECS`], in order of time.
fn parts(annotation: &Annotation, faces: &Faces, acoustics: &Acoustics, config: &TurnsConfig) -> Result<Vec<Part>> {
    let speakers = annotation.speakers();
    let mouth = |p: &String| Mouth::of(faces.of_person(p), annotation, config);
    let mouths: Vec<Mouth> = faces.persons.iter().map(mouth).collect::<Result<_>>()?;
    let times = |person: &String| {
        let own = faces.observations.places().iter().filter(|p| faces.person_of(p.track) == Some(person.as_str()));
        own.map(|p| p.pts).collect()
    };
    let times: Vec<Vec<Seconds>> = faces.persons.iter().map(times).collect();
    let drive = Drive(acoustics);
    let mut parts = Vec::new();
    for turn in annotation.turns() {
        crate::pulse::beat();
        let Some(voice) = speakers.iter().position(|s| *s == turn.speaker) else { continue };
        for segment in cut(turn.segment, &faces.cuts) {
            let frames = segment.part_of(&faces.sampled, |t| t.get()).len();
            let seen = |k: usize| {
                let share = segment.part_of(&times[k], |t| t.get()).len() as f64 / frames.max(1) as f64;
                (frames > 0 && share >= SEEN_SHARE).then(|| mouths[k].talks(segment, drive).unwrap_or(0.0))
            };
            let evidence = (0..mouths.len()).map(seen).collect();
            parts.push(Part { segment, voice, evidence, posterior: Vec::new() });
        }
    }
    parts.sort_by(|a, b| a.segment.start().get().total_cmp(&b.segment.start().get()).then(a.voice.cmp(&b.voice)));
    Ok(parts)
}

fn cut(whole: Segment, cuts: &[Seconds]) -> Vec<Segment> {
    let mut edges = vec![whole.start()];
    edges.extend(cuts.iter().copied().filter(|c| *c > whole.start() && *c < whole.end()));
    edges.push(whole.end());
    let shots = edges.iter().zip(edges.iter().skip(1)).filter_map(|(a, b)| Segment::new(*a, *b));
    shots
        .flat_map(|shot| {
            let pieces = (shot.duration() / LONGEST_SECS).ceil().max(1.0) as usize;
            let at = move |i: usize| {
                let share = i as f64 / pieces as f64;
                Seconds::of(shot.start().get() + share * shot.duration())
            };
            (0..pieces).filter_map(move |i| Segment::new(at(i), if i + 1 == pieces { shot.end() } else { at(i + 1) }))
        })
        .collect()
}

/// Each voice's person over the whole video: the one it is longest, where it is likelier than not that person while that
/// person is seen. Voices heard at once are different people.
fn members(
    speakers: &[&str],
    annotation: &Annotation,
    faces: &Faces,
    parts: &[Part],
    config: &TurnsConfig,
) -> Vec<CastMember> {
    let mut pairs = Vec::new();
    for voice in 0..speakers.len() {
        for person in 0..faces.persons.len() {
            let (mut spoken, mut seen) = (0.0, 0.0);
            for part in parts.iter().filter(|p| p.voice == voice && p.evidence[person].is_some()) {
                spoken += part.segment.duration() * part.posterior[person];
                seen += part.segment.duration();
            }
            let probability = if seen > 0.0 { (spoken / seen).min(1.0) } else { 0.0 };
            if probability >= config.cast_min_probability && spoken > 0.0 {
                pairs.push((spoken, voice, person, probability));
            }
        }
    }
    pairs.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)).then(a.2.cmp(&b.2)));
    let mut taken: Vec<Option<(usize, f64)>> = vec![None; speakers.len()];
    for (_, voice, person, probability) in pairs {
        let rival = |v: usize| {
            taken[v].is_some_and(|t| t.0 == person) && at_once(annotation, speakers[v], speakers[voice]) > AT_ONCE_SECS
        };
        if taken[voice].is_none() && !(0..speakers.len()).any(rival) {
            taken[voice] = Some((person, probability));
        }
    }
    let member = |(speaker, taken): (&&str, &Option<(usize, f64)>)| CastMember {
        speaker: (*speaker).to_owned(),
        person: taken.map(|t| faces.persons[t.0].clone()),
        confidence: taken.map(|t| t.1),
    };
    speakers.iter().zip(&taken).map(member).collect()
}

/// Seconds in which two speakers are heard at once.
fn at_once(annotation: &Annotation, a: &str, b: &str) -> f64 {
    let of = |s: &str| annotation.turns().iter().filter(|t| t.speaker == s).map(|t| t.segment).collect::<Vec<_>>();
    let (first, second) = (of(a), of(b));
    let mut from = 0;
    let mut sum = 0.0;
    for x in &first {
        while second.get(from).is_some_and(|y| y.end() <= x.start()) {
            from += 1;
        }
        sum += second[from..].iter().take_while(|y| y.start() < x.end()).map(|y| x.overlap(*y)).sum::<f64>();
    }
    sum
}
