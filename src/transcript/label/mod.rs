//! Speaker labels written into the text: `ANNA: …`, `Speaker 1: …`, `[SPEAKER_00]: …`, `- [Mara] …`, `>> MARA: …`.
//!
//! A colon alone proves nothing ("He said: no"). The evidence is the whole file: a name that recurs and takes turns
//! with another is a label, and what is not believed is told with its count.

use std::collections::{BTreeMap, BTreeSet};

use super::draft::{Draft, short};
pub(super) use carry::Carry;
use shape::{Candidate, Form, Lead, lead, split};

mod beside;
mod carry;
mod lists;
mod numbered;
mod odd;
mod shape;
pub(super) mod turns;

/// Whether labels in the text are believed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Labels {
    /// Whatever begins a cue like a label is one.
    Always,
    /// Labels are words.
    Never,
    /// Where the whole file speaks for it.
    #[default]
    Auto,
}

impl Labels {
    /// All.
    pub const ALL: [Labels; 3] = [Labels::Auto, Labels::Always, Labels::Never];

    /// As recipes and the command line write it.
    pub fn name(self) -> &'static str {
        match self {
            Labels::Auto => "auto",
            Labels::Always => "always",
            Labels::Never => "never",
        }
    }

    /// The one of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|l| l.name() == name)
    }
}

/// Whose words a part of a cue is.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Who {
    /// The label says it.
    Named(String),
    /// A dash or chevrons say that it is another than before, not who.
    Another,
    /// Nothing is said: whoever spoke before, where the file labels changes.
    Same,
}

/// What the file's labels are.
#[derive(Default)]
pub(super) struct Believed {
    labels: Labels,
    names: BTreeSet<String>,
    /// Forms in which every name is believed.
    forms: Vec<Form>,
    /// Names on a line of their own above the words.
    alone: BTreeSet<String>,
    /// Dashes begin the words of several in a cue somewhere.
    dashes: bool,
    /// Names that begin lines and are believed, in small letters, each as it is written most often.
    spelled: BTreeMap<String, String>,
    /// How many labels had the number of their turn behind the name.
    counted: usize,
    /// Spellings of one name that differ in case alone.
    alike: Vec<String>,
}

/// A file whose labels begin fewer of its cues than this is not one of labels in a form that sentences imitate; of 100
/// cues of long monologues, labelled where the speaker changes, ten are.
const LEAST_SHARE: f64 = 0.1;

/// Names in a form that no sentence imitates begin more than this share of the cues, or one of them comes again.
const ONCE_SHARE: f64 = 1.0 / 3.0;

/// From this share of cues on a file labels every cue, and names that come once are believed too.
const ALL_SHARE: f64 = 0.8;

/// One use of a name.
struct Use {
    cue: usize,
    form: Form,
    name: String,
    /// In small letters: a name is one however its letters are written.
    folded: String,
}

fn uses(cues: &[Vec<String>]) -> Vec<Use> {
    let of_cue = |(cue, lines): (usize, &Vec<String>)| {
        let may = |c: &Candidate<'_>| c.form != Form::Enclosed || lists::is_personal(&c.name);
        let all = lines.iter().filter_map(|l| split(lead(l).1)).filter(may);
        all.map(|c| Use { cue, form: c.form, folded: c.name.to_lowercase(), name: c.name }).collect::<Vec<_>>()
    };
    cues.iter().enumerate().flat_map(of_cue).collect()
}

/// How often the name changes from use to use.
fn changes<'u>(names: impl Iterator<Item = &'u str>) -> usize {
    let names: Vec<&str> = names.collect();
    names.windows(2).filter(|w| w[0] != w[1]).count()
}

/// The labels of a file; `cues` holds the lines of each cue.
///
/// A name is believed where it recurs, takes turns with another that does, and both begin a tenth of the cues; a form
/// that no sentence imitates ([`Form::Bracket`], [`Form::Capitals`], [`Form::Numbered`]) with labels in half of the
/// cues or with two distinct names; and where nearly every cue begins with a label, names that come once are believed
/// too.
pub(super) fn believed(cues: &[Vec<String>], labels: Labels) -> Believed {
    let dashes = cues.iter().any(|lines| dashed(lines));
    let mut out = Believed { labels, dashes, ..Believed::default() };
    let uses = uses(cues);
    if labels != Labels::Auto || cues.is_empty() {
        out.spell(&uses);
        return out;
    }
    let share = |it: &dyn Fn(&Use) -> bool| {
        let labelled: BTreeSet<usize> = uses.iter().filter(|u| it(u)).map(|u| u.cue).collect();
        labelled.len() as f64 / cues.len() as f64
    };
    for form in [Form::Bracket, Form::Capitals, Form::Numbered] {
        let names: BTreeSet<&str> = uses.iter().filter(|u| u.form == form).map(|u| u.name.as_str()).collect();
        let again = names.len() < uses.iter().filter(|u| u.form == form).count();
        let share = share(&|u| u.form == form);
        // Two words in capitals in a long text are no speakers, nor are two things with numbers.
        if names.len() >= 2 && (again || share > ONCE_SHARE) || !names.is_empty() && share >= 0.5 {
            out.forms.push(form);
        }
    }
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    uses.iter().for_each(|u| *counts.entry(&u.folded).or_default() += 1);
    let recurs = |u: &Use| counts.get(u.folded.as_str()).is_some_and(|n| *n >= 2);
    let turns = changes(uses.iter().filter(|u| recurs(u)).map(|u| u.folded.as_str()));
    let distinct = counts.values().filter(|n| **n >= 2).count();
    if distinct >= 2 && turns >= 3 && share(&recurs) >= LEAST_SHARE {
        out.names = uses.iter().filter(|u| recurs(u)).map(|u| u.name.clone()).collect();
    }
    let plain = |u: &Use| u.form < Form::Loose;
    let all = share(&|u| plain(u) || out.names.contains(&u.name));
    let once = counts.len() >= 2 || all >= 1.0 || counts.values().any(|n| *n >= 3);
    if all >= ALL_SHARE && once {
        out.names.extend(uses.iter().filter(|u| plain(u)).map(|u| u.name.clone()));
    }
    out.alone = alone(cues);
    out.spell(&uses);
    out.counted = numbered::take_off(uses.iter().map(|u| u.name.as_str()), &mut out.spelled);
    out
}

/// Lines of their own above the words of a cue: in at least half of the cues, by at least two who take turns.
fn alone(cues: &[Vec<String>]) -> BTreeSet<String> {
    let first = |lines: &Vec<String>| {
        let name = lines.first().filter(|_| lines.len() >= 2)?.trim();
        // What ends as a sentence does is one.
        let fits = shape::form(name).is_some_and(|f| f < Form::Loose) && !name.ends_with(['.', ',']);
        fits.then(|| name.to_owned())
    };
    let firsts: Vec<String> = cues.iter().filter_map(first).collect();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    firsts.iter().for_each(|n| *counts.entry(n).or_default() += 1);
    let recurring: Vec<&str> = firsts.iter().map(String::as_str).filter(|n| counts[n] >= 2).collect();
    let distinct: BTreeSet<&str> = recurring.iter().copied().collect();
    let enough = recurring.len() * 2 >= cues.len() && distinct.len() >= 2 && changes(recurring.iter().copied()) >= 2;
    if !enough {
        return BTreeSet::new();
    }
    // A file that names nearly every cue so names those who speak once, too.
    let all = firsts.len() as f64 >= ALL_SHARE * cues.len() as f64;
    firsts.iter().filter(|n| all || counts[n.as_str()] >= 2).cloned().collect()
}

/// True where two lines of a cue or more begin with a dash.
fn dashed(lines: &[String]) -> bool {
    lines.len() >= 2 && lines.iter().filter(|l| lead(l).0 == Some(Lead::Dash)).count() >= 2
}

impl Believed {
    /// True where the file has labels.
    fn any(&self) -> bool {
        self.labels == Labels::Always || !self.names.is_empty() || !self.forms.is_empty() || !self.alone.is_empty()
    }

    fn is_label(&self, form: Form, name: &str) -> bool {
        self.labels == Labels::Always
            || self.forms.contains(&form)
            || self.names.contains(name)
            || self.any() && lists::is_sure(name, |part| self.spelled.contains_key(part))
    }

    /// Takes of each name that is believed the spelling that most of its uses have, of equals the first.
    fn spell(&mut self, uses: &[Use]) {
        let mut counts: BTreeMap<&str, Vec<(&str, usize)>> = BTreeMap::new();
        for one in uses.iter().filter(|u| self.is_label(u.form, &u.name)) {
            let spellings = counts.entry(&one.folded).or_default();
            match spellings.iter_mut().find(|(name, _)| *name == one.name) {
                Some((_, count)) => *count += 1,
                None => spellings.push((&one.name, 1)),
            }
        }
        let mut spelled = BTreeMap::new();
        let mut alike = Vec::new();
        for (folded, spellings) in counts {
            let Some((usual, _)) = spellings.iter().rev().max_by_key(|(_, count)| *count) else { continue };
            if spellings.len() > 1 {
                alike.push(spellings.iter().map(|(name, _)| format!("{name:?}")).collect::<Vec<_>>().join(" and "));
            }
            spelled.insert(folded.to_owned(), (*usual).to_owned());
        }
        (self.spelled, self.alike) = (spelled, alike);
    }

    /// The name as it is written most often.
    fn named(&self, name: String) -> Who {
        Who::Named(self.spelled.get(&name.to_lowercase()).cloned().unwrap_or(name))
    }

    /// Cuts the words of a line where, behind the end of a sentence, a name follows that begins lines elsewhere.
    fn inside<'l>(&self, line: &'l str) -> (&'l str, Vec<(Who, String)>) {
        let mut parts: Vec<(usize, Candidate<'l>)> = Vec::new();
        let mut ends = false;
        for (at, c) in line.char_indices() {
            if ends && c.is_whitespace() {
                let rest = line[at..].trim_start();
                let label = split(lead(rest).1).filter(|l| self.spelled.contains_key(&l.name.to_lowercase()));
                // A pair of brackets within a sentence names somebody as often as it is his label.
                parts.extend(label.filter(|l| l.form != Form::Enclosed).map(|label| (at, label)));
            }
            ends = ".?!\u{2026}".contains(c) || ends && "\"'\u{201d}\u{2019})]".contains(c);
        }
        let first = parts.first().map_or(line, |(at, _)| line[..*at].trim_end());
        let stop = |i: usize| parts.get(i + 1).map_or(line.len(), |(at, _)| *at);
        let words = |i: usize, l: &Candidate<'l>| {
            let from = line.len() - l.rest.len();
            line[from..stop(i).max(from)].trim().to_owned()
        };
        let more = parts.iter().enumerate().map(|(i, (_, l))| (self.named(l.name.clone()), words(i, l))).collect();
        (first, more)
    }

    /// Cuts a cue where its lines say that another speaks: who, and the words, in order.
    pub(super) fn cut(&self, lines: &[String]) -> Vec<(Who, String)> {
        self.parts(lines, |line| self.inside(line))
    }

    /// Who says a line as a whole, and its words.
    fn whole(&self, line: &str) -> Option<(Who, String)> {
        self.parts(&[line.to_owned()], |line| (line, Vec::new())).pop()
    }

    fn parts<'l>(
        &self,
        lines: &'l [String],
        inside: impl Fn(&'l str) -> (&'l str, Vec<(Who, String)>),
    ) -> Vec<(Who, String)> {
        if self.labels == Labels::Never {
            return if lines.is_empty() { Vec::new() } else { vec![(Who::Same, lines.join(" "))] };
        }
        let dashed = dashed(lines);
        let mut out: Vec<(Who, String)> = Vec::new();
        for (at, line) in lines.iter().enumerate() {
            if at == 0 && lines.len() >= 2 && self.alone.contains(line.trim()) {
                out.push((Who::Named(line.trim().to_owned()), String::new()));
                continue;
            }
            let (before, bare) = lead(line);
            if let Some(label) = split(bare).filter(|c| self.is_label(c.form, &c.name)) {
                let (words, more) = inside(label.rest);
                let who = self.named(label.name);
                match out.last_mut() {
                    // A name written again on the next line names nobody else.
                    Some((before, text)) if *before == who && more.is_empty() => {
                        let space = if text.is_empty() || words.is_empty() { "" } else { " " };
                        *text += space;
                        *text += words;
                    }
                    _ => out.push((who, words.to_owned())),
                }
                out.extend(more);
                continue;
            }
            let (bare, _) = inside(bare);
            let (line, more) = inside(line);
            let changes = match before {
                Some(Lead::Chevron) => true,
                Some(Lead::Dash) => dashed || at == 0 && (self.dashes || self.any()),
                None => false,
            };
            match out.last_mut() {
                Some((_, text)) if !changes => {
                    if !text.is_empty() {
                        text.push(' ');
                    }
                    text.push_str(line);
                }
                _ if changes => out.push((Who::Another, bare.to_owned())),
                _ => out.push((Who::Same, line.to_owned())),
            }
            out.extend(more);
        }
        out
    }

    /// Tells of cues that begin like a label that was not believed.
    pub(super) fn tell(&self, cues: &[Vec<String>], draft: &mut Draft) {
        if self.labels != Labels::Auto {
            return;
        }
        let not_believed = |lines: &Vec<String>| {
            let found = split(lead(lines.first()?).1)?;
            (!found.rest.is_empty() && !self.is_label(found.form, &found.name)).then_some(found.name)
        };
        if !self.alike.is_empty() {
            draft
                .warn(format!("speaker labels that differ in case alone are one speaker's: {}", self.alike.join("; ")));
        }
        if self.counted > 0 {
            draft.warn(format!(
                "{} speaker labels are numbered on from turn to turn; the numbers are not read as part of the names",
                self.counted
            ));
        }
        let found: Vec<String> = cues.iter().filter_map(not_believed).collect();
        if let Some(first) = found.first().filter(|_| found.len() >= 2) {
            let (count, of, first) = (found.len(), cues.len(), short(first));
            draft.warn(format!(
                "{count} of {of} cues begin like a speaker label that the file as a whole does not bear out (first: \
                 {first:?}); they are read as words, with --labels always as labels"
            ));
        }
        self.tell_odd(cues, draft);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cues(all: &[&str]) -> Vec<Vec<String>> {
        all.iter().map(|t| t.split('\n').map(str::to_owned).collect()).collect()
    }

    fn speakers(all: &[&str], labels: Labels) -> Vec<Option<String>> {
        let cues = cues(all);
        let believed = believed(&cues, labels);
        let mut carry = Carry::new(&believed);
        let parts = cues.iter().flat_map(|c| believed.cut(c)).collect::<Vec<_>>();
        parts.into_iter().map(|(who, _)| carry.speaker(who)).collect()
    }

    fn named(all: &[&str]) -> Vec<String> {
        speakers(all, Labels::Auto).into_iter().map(|s| s.unwrap_or_default()).collect()
    }

    #[test]
    fn the_whole_file_is_the_evidence() {
        assert_eq!(named(&["ANNA: a", "b", "c", "BOB: d", "e"]), ["ANNA", "ANNA", "ANNA", "BOB", "BOB"]);
        assert_eq!(named(&["ANNA: a", "b"]), ["ANNA", "ANNA"]);
        assert_eq!(named(&["Memo: a", "b", "c", "d"]), [""; 4]);
        assert_eq!(named(&["Remember: a", "b", "Remember: c", "d"]), [""; 4]);
        assert_eq!(named(&["Zurich: a", "b", "Zurich: c", "d"]), [""; 4]);
        assert_eq!(
            named(&["My point is this: a", "My point is this: b", "Remember: c", "My point is this: d"]),
            [""; 4]
        );
        assert_eq!(
            named(&["Anna: a", "Bob: b", "c", "Anna: d", "Bob: e", "f"]),
            ["Anna", "Bob", "Bob", "Anna", "Bob", "Bob"]
        );
        // Once in a file that labels every cue; not once in one that does not.
        assert_eq!(named(&["Anna: a", "Bob: b", "Anna: c", "Bob: d", "Cleo: e"])[4], "Cleo");
        assert_eq!(named(&["Anna: a", "Bob: b", "Anna: c", "Bob: d", "e", "f", "Truth: e"])[6], "Bob");
        assert_eq!(named(&["van der Vol: a", "Mara: b", "van der Vol: c", "Mara: d"])[2], "van der Vol");
    }

    #[test]
    fn the_user_decides_where_the_file_does_not() {
        let all = ["Zurich: a", "b", "Zurich: c", "d"];
        let always: Vec<String> = speakers(&all, Labels::Always).into_iter().flatten().collect();
        assert_eq!(always, ["Zurich"; 4]);
        assert_eq!(speakers(&["ANNA: a", "BOB: b"], Labels::Never), [None, None]);
    }

    #[test]
    fn a_cue_is_cut_where_another_speaks() {
        let believed = believed(&cues(&["ANNA: a", "BOB: b"]), Labels::Auto);
        let cut = |text: &str| believed.cut(&cues(&[text])[0]);
        let named = |name: &str, text: &str| (Who::Named(name.into()), text.to_owned());
        assert_eq!(
            cut("so\nANNA: hi\nthere\nBOB: yes"),
            [(Who::Same, "so".into()), named("ANNA", "hi there"), named("BOB", "yes")]
        );
        assert_eq!(cut("- one\n- two"), [(Who::Another, "one".into()), (Who::Another, "two".into())]);
        assert_eq!(cut(">> ANNA: one\n>> two"), [named("ANNA", "one"), (Who::Another, "two".into())]);
        // Another speaks, and nobody says who: not the one before.
        assert_eq!(self::named(&["ANNA: a", "- b", "c", "BOB: d"]), ["ANNA", "", "", "BOB"]);
    }

    #[test]
    fn names_on_lines_of_their_own() {
        let all = ["Mara\nso it was", "Ben\nyes", "Mara\nand then", "Ben\nno"];
        assert_eq!(named(&all), ["Mara", "Ben", "Mara", "Ben"]);
        let believed = believed(&cues(&all), Labels::Auto);
        assert_eq!(believed.cut(&cues(&[all[0]])[0])[0].1, "so it was");
        // Words broken over two lines name nobody.
        assert_eq!(named(&["Well\nso it was", "and then\nyes", "Well\nno", "I think\nso", "it\nis"]), [""; 5]);
    }
}
