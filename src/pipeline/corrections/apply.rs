//! Corrections put into what was read, heard and seen, and what became of each line.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use super::names::{Given, names};
use super::{Correction, Kind, Moment, NOBODY, Subject};
use crate::annotation::{Annotation, SpeechTurn, Turn};
use crate::error;
use crate::face::{Faces, Observation, Place};
use crate::speaker::{self, Diarization};
use crate::spelling::meant;
use crate::time::Seconds;
use crate::turns;
use crate::warning::Warning;

/// A moment is a turn's where it is its start, to the rounding of tables and of what is written.
const SAME_START_SECS: f64 = 0.0015;

/// A moment's picture is the nearest one within this time: pictures are looked at that often, or oftener.
const SAME_PICTURE_SECS: f64 = 0.25;

/// Why a line is not applied.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Problem {
    /// As the table has it.
    pub(super) code: &'static str,
    /// In words.
    pub(super) what: String,
}

impl Problem {
    pub(super) fn not_found(what: String) -> Self {
        Problem { code: "not_found", what }
    }

    pub(super) fn conflict(what: String) -> Self {
        Problem { code: "conflict", what }
    }

    fn not_then(what: String) -> Self {
        Problem { code: "not_then", what }
    }
}

/// What became of a line: what it was applied to, as it is called without corrections.
pub(super) type Outcome = Result<String, Problem>;

/// The corrections of one interview at work.
#[derive(Debug, Default)]
pub(crate) struct Corrected {
    pub(super) lines: Vec<(Correction, Option<Outcome>)>,
    /// For each turn, whether nobody speaks in it; empty where that is said of none.
    not_speech: Vec<bool>,
    /// The turns that speech turns make, where there is no transcript and some of them were corrected.
    turns: Option<Vec<Turn>>,
    /// Names that voices were given.
    voices: Vec<String>,
}

impl Corrected {
    /// Before anything is looked at.
    pub(crate) fn new(corrections: &[Correction]) -> Self {
        Corrected { lines: corrections.iter().map(|c| (c.clone(), None)).collect(), ..Corrected::default() }
    }

    /// The turns without those in which nobody speaks.
    pub(crate) fn spoken<'t>(&self, turns: &'t [Turn]) -> Cow<'t, [Turn]> {
        if !self.leaves_turns_out() {
            return Cow::Borrowed(turns);
        }
        Cow::Owned(turns.iter().enumerate().filter(|(at, _)| self.speaks(*at)).map(|(_, t)| t.clone()).collect())
    }

    /// Whether somebody speaks in the turn at a place.
    pub(crate) fn speaks(&self, at: usize) -> bool {
        !self.not_speech.get(at).copied().unwrap_or(false)
    }

    /// True where nobody speaks in some turn.
    pub(crate) fn leaves_turns_out(&self) -> bool {
        self.not_speech.contains(&true)
    }

    /// The turns that speech turns make.
    pub(crate) fn turns_of_speech(&self, annotation: &Annotation) -> Vec<Turn> {
        self.turns.clone().unwrap_or_else(|| turns::turns_of_speech(annotation))
    }

    /// Names that voices were given.
    pub(crate) fn voices(&self) -> &[String] {
        &self.voices
    }

    /// How many lines there are, and how many of them were applied.
    pub(crate) fn counts(&self) -> (usize, usize) {
        let applied = self.lines.iter().filter(|(_, outcome)| matches!(outcome, Some(Ok(_)))).count();
        (self.lines.len(), applied)
    }

    /// A warning for each line that was not applied.
    pub(crate) fn warnings(&self) -> Vec<Warning> {
        let not = self.lines.iter().filter_map(|(c, outcome)| match outcome {
            Some(Ok(_)) => None,
            Some(Err(problem)) => Some(format!("{c} is not applied: {}", problem.what)),
            None => Some(format!("{c} is not applied: there is nothing of the kind in the interview")),
        });
        not.map(|what| Warning::Correction { what }).collect()
    }

    /// Lines of some kinds, by their places.
    fn of(&self, kinds: &[Kind]) -> Vec<(usize, Correction)> {
        let all = self.lines.iter().enumerate().filter(|(_, (c, _))| kinds.contains(&c.kind));
        all.map(|(line, (c, _))| (line, c.clone())).collect()
    }

    fn tell(&mut self, line: usize, outcome: Outcome) {
        self.lines[line].1 = Some(outcome);
    }
}

/// Finds the turns of a transcript in which nobody speaks, before anything is heard: their labels are no evidence.
pub(crate) fn correct_transcript(corrected: &mut Corrected, turns: &[Turn]) {
    for (line, correction) in corrected.of(&[Kind::Turn]) {
        let found = turn(&correction.subject, turns);
        if let Ok(at) = found {
            corrected.not_speech.resize(turns.len(), false);
            corrected.not_speech[at] = true;
        }
        corrected.tell(line, found.map(|at| turns[at].index.to_string()));
    }
}

/// Names and joins voices; without a transcript it also takes out the speech turns that are no speech.
pub(crate) fn correct_speech(corrected: &mut Corrected, found: &mut Diarization, has_transcript: bool) {
    let turns_said = if has_transcript { Vec::new() } else { corrected.of(&[Kind::Turn]) };
    let voices_said = corrected.of(&[Kind::Voice]);
    // Of what was heard, before any of it is corrected.
    let base = found.annotation.clone();
    let known = base.speakers();
    let mut given: Vec<Given<'_>> = Vec::new();
    for (line, correction) in &voices_said {
        match voice(&correction.subject, &base, &known) {
            Ok(name) => given.push((*line, name, &correction.value)),
            Err(problem) => corrected.tell(*line, Err(problem)),
        }
    }
    let (named, problems) = names(Kind::Voice, &given, &known);
    for (line, name, _) in &given {
        let problem = problems.iter().find(|(l, _)| l == line).map(|(_, p)| p.clone());
        corrected.tell(*line, problem.map_or_else(|| Ok(name.clone()), Err));
    }
    let all = turns::turns_of_speech(&base);
    let mut silent: Vec<SpeechTurn> = Vec::new();
    for (line, correction) in &turns_said {
        let at = turn(&correction.subject, &all);
        silent.extend(at.iter().map(|&at| base.turns()[at].clone()));
        corrected.tell(*line, at.map(|at| all[at].index.to_string()));
    }
    speaker::leave_out(found, &silent);
    speaker::rename(found, &named);
    corrected.voices = named.values().cloned().collect::<BTreeSet<_>>().into_iter().collect();
    if silent.is_empty() {
        return;
    }
    // Their rows stay: with the name that their voice has now.
    for turn in &mut silent {
        if let Some(name) = named.get(&turn.speaker) {
            turn.speaker.clone_from(name);
        }
    }
    let rows = Annotation::new(found.annotation.turns().iter().chain(&silent).cloned().collect());
    corrected.not_speech = rows.turns().iter().map(|t| silent.contains(t)).collect();
    corrected.turns = Some(turns::turns_of_speech(&rows));
}

/// Gives tracks to the persons that they are said to be; tells whether any is another's now.
///
/// # Errors
/// Those of reading the observations back.
pub(crate) fn correct_faces(corrected: &mut Corrected, faces: &mut Faces) -> error::Result<bool> {
    let said = corrected.of(&[Kind::Person, Kind::Track]);
    if said.is_empty() {
        return Ok(false);
    }
    let persons = faces.persons.clone();
    let known: Vec<&str> = persons.iter().map(String::as_str).collect();
    let mut given: Vec<Given<'_>> = Vec::new();
    let mut tracks: Vec<(usize, u32, &str)> = Vec::new();
    for (line, c) in &said {
        let then = c.subject.moment.map_or(Ok(Vec::new()), |moment| picture_at(moment.at, faces))?;
        let found = match c.kind {
            Kind::Person => person(&c.subject, faces, &then, &known).map(|name| given.push((*line, name, &c.value))),
            _ => track(&c.subject, faces, &then).map(|id| tracks.push((*line, id, &c.value))),
        };
        if let Err(problem) = found {
            corrected.tell(*line, Err(problem));
        }
    }
    let mut refused: BTreeMap<usize, Problem> = BTreeMap::new();
    let owners = loop {
        let holds = |line: usize| !refused.contains_key(&line);
        let still: Vec<Given<'_>> = given.iter().filter(|g| holds(g.0)).cloned().collect();
        let (named, problems) = names(Kind::Person, &still, &known);
        let of_tracks: Vec<_> = tracks.iter().filter(|t| holds(t.0)).copied().collect();
        let (owners, more) = owners(faces, &named, &of_tracks, &known);
        let mut wrong: Vec<(usize, Problem)> = problems.into_iter().chain(more).collect();
        if wrong.is_empty() {
            wrong = together(faces, &owners, &still, &of_tracks, &named);
        }
        if wrong.is_empty() {
            break owners;
        }
        refused.extend(wrong);
    };
    let applied = given.iter().map(|(line, name, _)| (*line, name.clone()));
    for (line, found) in applied.chain(tracks.iter().map(|(line, id, _)| (*line, id.to_string()))) {
        corrected.tell(line, refused.remove(&line).map_or(Ok(found), Err));
    }
    faces.give(&owners);
    Ok(!owners.is_empty())
}

/// Whose each track is that is somebody else's now; `None` = nobody's.
type Owners = BTreeMap<u32, Option<String>>;

fn owners(
    faces: &Faces,
    named: &BTreeMap<String, String>,
    tracks: &[(usize, u32, &str)],
    known: &[&str],
) -> (Owners, Vec<(usize, Problem)>) {
    let whose = |name: &str| (name != NOBODY).then(|| name.to_owned());
    let mut owners = Owners::new();
    for track in &faces.tracks {
        if let Some(name) = track.person.as_ref().and_then(|p| named.get(p)) {
            owners.insert(track.id, whose(name));
        }
    }
    let mut problems = Vec::new();
    for (line, id, value) in tracks {
        let another = tracks.iter().find(|(_, other, v)| other == id && v != value);
        if let Some((.., other)) = another {
            let what = format!("track {id} is said to be {value}'s and {other}'s");
            problems.push((*line, Problem::conflict(what)));
        } else if Kind::Track.is_numbered(value) && !known.contains(value) {
            let near = meant(value, known.iter().copied());
            problems.push((*line, Problem::not_found(format!("there is no {value}{near}"))));
        } else {
            owners.insert(*id, whose(named.get(*value).map_or(value, String::as_str)));
        }
    }
    (owners, problems)
}

/// Lines that would put one person into a picture twice.
fn together(
    faces: &Faces,
    owners: &Owners,
    given: &[Given<'_>],
    tracks: &[(usize, u32, &str)],
    named: &BTreeMap<String, String>,
) -> Vec<(usize, Problem)> {
    let owner = |o: &Place| match owners.get(&o.track) {
        Some(owner) => owner.as_deref(),
        None => faces.person_of(o.track),
    };
    let mut twice: BTreeMap<&str, (usize, Seconds)> = BTreeMap::new();
    for frame in faces.observations.places().chunk_by(|a, b| a.pts == b.pts) {
        for (at, one) in frame.iter().enumerate() {
            let Some(name) = owner(one) else { continue };
            let changed = |o: &Place| owners.contains_key(&o.track);
            if frame[..at].iter().any(|o| owner(o) == Some(name) && (changed(o) || changed(one))) {
                twice.entry(name).or_insert((0, one.pts)).0 += 1;
            }
        }
    }
    let problem = |name: &str| {
        let (frames, first) = twice.get(name)?;
        let what = format!(
            "{name} would be in {frames} pictures twice, first at {:.3} s: say which of the tracks there is {NOBODY}",
            first.get()
        );
        Some(Problem { code: "seen_together", what })
    };
    let of_persons = given.iter().filter_map(|(line, base, _)| Some((*line, problem(named.get(base)?)?)));
    let of_tracks = tracks.iter().filter_map(|(line, id, _)| Some((*line, problem(owners.get(id)?.as_deref()?)?)));
    of_persons.chain(of_tracks).collect()
}

/// The place of a turn.
fn turn(subject: &Subject, turns: &[Turn]) -> Result<usize, Problem> {
    let numbered = turns.iter().position(|t| Some(t.index) == subject.number());
    let Some(Moment { at, .. }) = subject.moment else {
        let last = turns.iter().map(|t| t.index).max();
        let there = last.map_or_else(|| "there are no turns".to_owned(), |last| format!("turns go up to {last}"));
        return numbered.ok_or_else(|| Problem::not_found(there));
    };
    let begins = |t: &Turn| (t.segment.start() - at).get().abs() <= SAME_START_SECS;
    if let Some(place) = numbered.filter(|&place| begins(&turns[place])) {
        return Ok(place);
    }
    let others: Vec<usize> = (0..turns.len()).filter(|&place| begins(&turns[place])).collect();
    match others[..] {
        [one] => Ok(one),
        [] => Err(Problem::not_then(format!("no turn begins at {:.3} s", at.get()))),
        _ => Err(Problem::not_then(format!("{} turns begin at {:.3} s", others.len(), at.get()))),
    }
}

/// The voice that a subject is.
fn voice(subject: &Subject, annotation: &Annotation, known: &[&str]) -> Result<String, Problem> {
    let name = subject.name.as_str();
    let Some(Moment { at, .. }) = subject.moment else {
        return known.contains(&name).then(|| name.to_owned()).ok_or_else(|| not_there(name, known));
    };
    let turns = annotation.turns().iter().filter(|t| t.segment.contains(at));
    let then: BTreeSet<&str> = turns.map(|t| t.speaker.as_str()).collect();
    match then.iter().copied().collect::<Vec<_>>()[..] {
        [one] => Ok(one.to_owned()),
        _ if then.contains(name) => Ok(name.to_owned()),
        [] => Err(Problem::not_then(format!("nobody speaks at {:.3} s", at.get()))),
        ref several => Err(Problem::not_then(format!("{} speak at {:.3} s", several.join(" and "), at.get()))),
    }
}

fn not_there(name: &str, known: &[&str]) -> Problem {
    let there = if known.is_empty() { "none is".to_owned() } else { known.join(", ") };
    Problem::not_found(format!("there is no {name}{}; there: {there}", meant(name, known.iter().copied())))
}

/// The person that a subject is.
fn person(subject: &Subject, faces: &Faces, then: &[Observation], known: &[&str]) -> Result<String, Problem> {
    let Some(moment) = subject.moment else {
        let name = subject.name.as_str();
        return known.contains(&name).then(|| name.to_owned()).ok_or_else(|| not_there(name, known));
    };
    let is_named = |o: &&Observation| faces.person_of(o.track) == Some(&subject.name);
    let face = seen(moment, then, &is_named)?;
    let nobody = || Problem::not_then(format!("the face seen there at {:.3} s is no person's", moment.at.get()));
    faces.person_of(face.track).map(ToOwned::to_owned).ok_or_else(nobody)
}

/// The track that a subject is.
fn track(subject: &Subject, faces: &Faces, then: &[Observation]) -> Result<u32, Problem> {
    let number = subject.number().unwrap_or(0);
    let Some(moment) = subject.moment else {
        let last = faces.tracks.last().map_or(0, |t| t.id);
        let is_there = faces.tracks.iter().any(|t| t.id == number);
        return is_there.then_some(number).ok_or_else(|| Problem::not_found(format!("tracks go up to {last}")));
    };
    seen(moment, then, &|o| o.track == number).map(|face| face.track)
}

/// All faces of the picture that is nearest to a time; none where none is near.
fn picture_at(at: Seconds, faces: &Faces) -> error::Result<Vec<Observation>> {
    let places = faces.observations.places();
    let apart = |place: &Place| (place.pts - at).get().abs();
    let near = places.iter().filter(|p| apart(p) <= SAME_PICTURE_SECS);
    let Some(pts) = near.min_by(|a, b| apart(a).total_cmp(&apart(b))).map(|p| p.pts) else { return Ok(Vec::new()) };
    faces.observations.at(pts)
}

/// The face that a moment shows among those of its picture: at its place, of several there the one of the subject's
/// name. Without a place, the one of that name.
fn seen<'f>(
    moment: Moment,
    then: &'f [Observation],
    is_named: &dyn Fn(&&Observation) -> bool,
) -> Result<&'f Observation, Problem> {
    let Moment { at, place } = moment;
    let secs = at.get();
    if then.is_empty() {
        return Err(Problem::not_then(format!("no face is seen at {secs:.3} s")));
    }
    let mut all = then.iter();
    let Some((x, y)) = place else {
        return all.find(is_named).ok_or_else(|| Problem::not_then(format!("it is not seen at {secs:.3} s")));
    };
    let covers = |o: &&Observation| {
        let b = o.bounds;
        (b.left..=b.right()).contains(&x) && (b.top..=b.bottom()).contains(&y)
    };
    let there: Vec<&Observation> = all.filter(covers).collect();
    match there[..] {
        [one] => Ok(one),
        [] => Err(Problem::not_then(format!("no face is seen at {x:.0}x{y:.0} at {secs:.3} s"))),
        _ => {
            let several = || Problem::not_then(format!("several faces are seen at {x:.0}x{y:.0} at {secs:.3} s"));
            there.iter().copied().find(is_named).ok_or_else(several)
        }
    }
}
