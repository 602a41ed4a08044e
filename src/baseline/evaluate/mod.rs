//! Anybody's predictions scored against a task's labels, as `turnwise evaluate` does: by the same sums and resamples as
//! the baselines', so that equal answers give equal figures.
//!
//! ```text
//! labels: task table, er.jsonl, vp.jsonl ─┐
//! replies: JSON, JSONL, CSV ── answers ───┴─ questions ── scored: metrics, intervals, parts, samples, classes ── told
//! ```

mod answers;
mod labels;
mod replies;
mod texts;
mod told;

use std::path::Path;

use answers::{Matched, answers, compared, matched, set_pairs, text_measures};
use labels::{Labels, labels};
use replies::replies;
use told::Evaluation;

use super::instances::TaskTable;
use super::interval::{Resampling, worth};
use super::metrics::{ModelAnswer, Scoring, Truth};
use super::models::Prediction;
use super::notes::Notes;
use super::question::{Question, Shape, questions};
use super::scored::{Answered, Outcome, scored};
use crate::error::{Error, Result};
use crate::store::whole::write_text;
use crate::tasks::{AnswerKind, Metrics};

pub use texts::{chrf, token_f1};

/// What an instance without a prediction counts as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unanswered {
    /// As answered wrongly; of numbers the floor of the intensity match, and left out of errors and correlations.
    Wrong,
    /// As nothing. Of two files, what either leaves out is left out of both.
    LeftOut,
}

/// What is scored.
#[derive(Clone, Copy, Debug)]
pub struct EvaluateRequest<'a> {
    /// A folder of task tables, a task table, or the benchmark's er.jsonl or vp.jsonl.
    pub labels: &'a Path,
    /// Name of the task.
    pub task: &'a str,
    /// A file of predictions, or a folder of them.
    pub predictions: &'a Path,
    /// Others, from which the difference is told.
    pub against: Option<&'a Path>,
    /// What an instance without a prediction counts as.
    pub unanswered: Unanswered,
    /// How intervals are made.
    pub resampling: Resampling,
    /// Folder for `evaluation.json`.
    pub to: Option<&'a Path>,
}

/// Scores predictions and tells the figures; writes them where asked for.
///
/// # Errors
/// [`Error::Read`] and [`Error::Parse`] for a file; [`Error::Usage`] for a task that is not there, or predictions of
/// none of its instances; [`Error::Write`].
pub fn write_evaluation(request: &EvaluateRequest<'_>) -> Result<String> {
    let evaluation = evaluate(request)?;
    let mut text = evaluation.text();
    if let Some(to) = request.to {
        let path = to.join("evaluation.json");
        let json = serde_json::to_string_pretty(&evaluation.json()).map_err(|e| Error::write(&path, e))?;
        write_text(&path, &(json + "\n"))?;
        text.push_str(&format!("  {}\n", path.display()));
    }
    Ok(text)
}

/// Each metric by its part, of the predictions alone: what [`write_evaluation`] tells, for programs.
///
/// # Errors
/// Those of [`write_evaluation`].
pub fn evaluation_outcomes(request: &EvaluateRequest<'_>) -> Result<Vec<Outcome>> {
    Ok(evaluate(request)?.outcomes)
}

fn evaluate(request: &EvaluateRequest<'_>) -> Result<Evaluation> {
    let labels = labels(request.labels, request.task)?;
    let mut notes = Notes::default();
    let mut asked = asked(&labels, request.task, &mut notes)?;
    asked.iter_mut().filter(|q| q.shape == Shape::Pairs).for_each(|q| set_pairs(q, &labels));
    let paths: Vec<&Path> = request.against.into_iter().chain([request.predictions]).collect();
    let mut files: Vec<Matched> =
        paths.iter().map(|p| matched(&labels, replies(p)?, &p.display().to_string())).collect::<Result<_>>()?;
    // By question, then file.
    let mut said: Vec<Vec<Vec<Prediction>>> =
        asked.iter().map(|q| files.iter_mut().map(|f| answers(q, &labels, f)).collect()).collect();
    let measures = text_measures(&labels, &files);
    let members: Vec<usize> = if asked.is_empty() {
        (0..labels.table.rows.len()).collect()
    } else {
        let mut all: Vec<usize> = asked.iter().flat_map(|q| q.members.iter().copied()).collect();
        all.sort_unstable();
        all
    };
    let mut texts: Vec<Vec<Prediction>> = files.iter().map(|f| compared(&labels, f, &members)).collect();
    if request.unanswered == Unanswered::LeftOut {
        said.iter_mut().for_each(|files| keep_answered(files));
        keep_answered(&mut texts);
    }
    let scoring = Scoring::Texts(measures.clone());
    let none = vec![Truth::Number(0.0); labels.table.rows.len()];
    let about_texts =
        Question { part: "all".into(), shape: Shape::Number, scoring, classes: Vec::new(), members, truths: none };
    let scores = Scores { labels: &labels, asked: &asked, said: &said, texts: (&about_texts, &texts), request };
    let mut outcomes = Vec::new();
    for part in parts(&asked, &labels.table) {
        outcomes.extend(scores.of(&part));
    }
    if outcomes.iter().all(|o| o.instances == 0) {
        let what = format!("task {}: there is nothing to score", request.task);
        return Err(Error::Usage { what, hint: "look at what is told of the labels and the predictions".into() });
    }
    let names = paths.iter().map(|p| p.display().to_string()).collect();
    outcomes.iter().filter_map(|o| worth(&o.part, o.groups)).for_each(|what| notes.add(what));
    if !measures.is_empty() {
        notes.add(
            "token F1 and chrF compare wording; the judge of the benchmark's paper grades meaning, and is not this"
                .into(),
        );
    }
    let rule = labels.rule;
    let details = told::details(&labels, &asked, &said, &files);
    let odd = files.into_iter().map(|f| f.odd).collect();
    let (task, unanswered) = (request.task.to_owned(), request.unanswered);
    let count = labels.table.rows.len();
    Ok(Evaluation { task, rule, count, unanswered, names, odd, outcomes, notes: notes.lines(), details })
}

/// What is asked of the task; nothing where its answers are texts alone.
fn asked(labels: &Labels, task: &str, notes: &mut Notes) -> Result<Vec<Question>> {
    let kind = AnswerKind::from_name(&labels.table.kind);
    if kind.is_some_and(|kind| labels.rule.metrics(kind) == Metrics::JudgedElsewhere) {
        return Ok(Vec::new());
    }
    let fail = |what| Error::Usage { what: format!("task {task}: {what}"), hint: "name another task".into() };
    questions(&labels.table, notes).map_err(fail)
}

/// Leaves out, of all files, what any has no answer to.
fn keep_answered(files: &mut [Vec<Prediction>]) {
    let count = files.first().map_or(0, Vec::len);
    let has = |i: usize| files.iter().all(|f| f[i].answer != ModelAnswer::Nothing);
    let kept: Vec<bool> = (0..count).map(has).collect();
    for file in files {
        let mut at = 0;
        file.retain(|_| {
            at += 1;
            kept[at - 1]
        });
    }
}

/// Instances whose figures are told together.
struct Part {
    name: String,
    /// Places among the questions.
    questions: Vec<usize>,
    /// Only instances of this group mode.
    group: Option<String>,
    scoring: Option<Scoring>,
}

/// Each question's own part; all together, by ranks where their sets differ; and couples and families apart where one
/// question is of both.
fn parts(asked: &[Question], all: &TaskTable) -> Vec<Part> {
    let mut found: Vec<Part> = Vec::new();
    for (i, question) in asked.iter().enumerate() {
        let scoring = Some(question.scoring.clone());
        found.push(Part { name: question.part.clone(), questions: vec![i], group: None, scoring });
    }
    if asked.len() > 1 {
        let questions = (0..asked.len()).collect();
        found.push(Part { name: "all".into(), questions, group: None, scoring: Some(Scoring::Candidates) });
        return found;
    }
    if asked.is_empty() {
        found.push(Part { name: "all".into(), questions: Vec::new(), group: None, scoring: None });
    }
    let mut modes: Vec<&str> = all.rows.iter().map(|r| r.group.as_str()).filter(|g| !g.is_empty()).collect();
    modes.sort_unstable();
    modes.dedup();
    for mode in modes.iter().filter(|_| modes.len() > 1) {
        let scoring = asked.first().map(|q| q.scoring.clone());
        let questions = (0..asked.len()).collect();
        found.push(Part { name: (*mode).to_owned(), questions, group: Some((*mode).to_owned()), scoring });
    }
    found
}

/// What is scored, and by what.
struct Scores<'a> {
    labels: &'a Labels,
    asked: &'a [Question],
    /// By question, then file.
    said: &'a [Vec<Vec<Prediction>>],
    /// By file.
    texts: (&'a Question, &'a [Vec<Prediction>]),
    request: &'a EvaluateRequest<'a>,
}

impl Scores<'_> {
    /// The outcome of each file in a part: its metrics, and how near its texts are.
    fn of(&self, part: &Part) -> Vec<Outcome> {
        let rows = &self.labels.table.rows;
        let is_of = |one: &&Prediction| part.group.as_ref().is_none_or(|g| rows[one.instance].group == *g);
        let kept = |list: &[Prediction]| list.iter().filter(is_of).cloned().collect::<Vec<Prediction>>();
        let files = 0..self.texts.1.len();
        let mut outcomes = Vec::new();
        if let Some(scoring) = &part.scoring {
            let own: Vec<Vec<(usize, Vec<Prediction>)>> =
                files.clone().map(|f| part.questions.iter().map(|q| (*q, kept(&self.said[*q][f]))).collect()).collect();
            outcomes = self.scored(&part.name, scoring, &own);
        }
        if self.texts.0.scoring.len() > 1 {
            let own: Vec<Vec<(usize, Vec<Prediction>)>> =
                files.map(|f| vec![(usize::MAX, kept(&self.texts.1[f]))]).collect();
            let texts = self.scored(&part.name, &self.texts.0.scoring, &own);
            if outcomes.is_empty() {
                return texts;
            }
            outcomes.iter_mut().zip(texts).for_each(|(o, t)| join(o, t));
        }
        outcomes
    }

    /// Outcomes of the files by question and answers; the question past all is that of the texts.
    fn scored(&self, part: &str, scoring: &Scoring, files: &[Vec<(usize, Vec<Prediction>)>]) -> Vec<Outcome> {
        let said = |file: &'_ [(usize, Vec<Prediction>)]| {
            let one = |(q, list): &(usize, Vec<Prediction>)| (self.asked.get(*q).unwrap_or(self.texts.0), list.clone());
            file.iter().map(one).collect::<Vec<_>>()
        };
        let all: Vec<Vec<(&Question, Vec<Prediction>)>> = files.iter().map(|f| said(f)).collect();
        let names = self.request.against.map(|_| "against").into_iter().chain(["predictions"]);
        let answered: Vec<Answered<'_>> = names
            .zip(&all)
            .map(|(name, said)| Answered {
                model: name.to_owned(),
                said: said.iter().map(|(q, list)| (*q, list.as_slice())).collect(),
            })
            .collect();
        scored(part, scoring, &self.labels.table, &answered, self.request.resampling)
    }
}

/// Adds the figures of texts to those of the same part.
fn join(outcome: &mut Outcome, texts: Outcome) {
    outcome.metrics.extend(texts.metrics);
    outcome.differences.extend(texts.differences);
    let lists = [
        (&mut outcome.breakdown.samples, texts.breakdown.samples),
        (&mut outcome.breakdown.couples, texts.breakdown.couples),
    ];
    for (own, more) in lists {
        for share in own {
            if let Some(same) = more.iter().find(|m| m.name == share.name) {
                share.metrics.extend(same.metrics.iter().cloned());
            }
        }
    }
}
