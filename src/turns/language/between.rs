//! Two people's words: alike in style, taken up by each other, and who says "we" first.

use std::collections::BTreeSet;

use super::category::Category;
use super::{LanguageConfig, SaidTurn};
use crate::annotation::Turn;
use crate::table::{Column, CutOff, Missing, Modality, all_until};
use crate::turns::{Relations, measured};

type Told<V> = Result<V, Missing>;

/// What is told of the words of a turn's speaker and one listener, or why it is not.
#[derive(Clone, Copy, Debug)]
pub(in crate::turns) struct Between {
    style: Told<f64>,
    /// Words and pairs of words.
    repeated: [Repeated; 2],
    we_first: Told<bool>,
}

/// How much of a turn is in the listener's turn before it.
#[derive(Clone, Copy, Debug)]
struct Repeated {
    share: Told<f64>,
    above_chance: Told<f64>,
}

/// What one speaker has said in turns that have ended.
#[derive(Clone, Debug, Default)]
struct Speaker {
    words: usize,
    style: [u32; Category::STYLE.len()],
    /// Positions of the turns told of.
    turns: Vec<usize>,
    first_we: Option<usize>,
}

impl Speaker {
    fn add(&mut self, at: usize, said: &SaidTurn) {
        self.words += said.words.len();
        for (sum, category) in self.style.iter_mut().zip(Category::STYLE) {
            *sum += said.counts[category as usize];
        }
        self.turns.push(at);
        if said.count(Category::We).is_some_and(|n| n > 0) {
            self.first_we = Some(self.first_we.map_or(at, |first| first.min(at)));
        }
    }

    /// With the turns of `late` too, which have ended since.
    fn with(&self, late: &[usize], said: &[SaidTurn]) -> Self {
        let mut all = self.clone();
        late.iter().for_each(|&at| all.add(at, &said[at]));
        all
    }
}

/// The words of all speakers up to the current turn. When in a turn a word falls is not known, so a turn's words count
/// once it has ended: what one says while another still talks comes before the end of what that one says.
#[derive(Debug)]
pub(in crate::turns) struct SoFar<'a> {
    turns: &'a [Turn],
    said: &'a [SaidTurn],
    /// Positions of turns before which a cue could not be read, in order.
    dropped: &'a [usize],
    speaker: &'a [Option<usize>],
    config: &'a LanguageConfig,
    /// What had been said when the current turn began.
    speakers: Vec<Speaker>,
    /// Turns told of that ran on then, and the current one.
    open: Vec<usize>,
}

impl<'a> SoFar<'a> {
    /// `speaker` holds the number of each turn's speaker, below `labels`.
    pub(in crate::turns) fn new(relations: &Relations<'a>, speaker: &'a [Option<usize>], labels: usize) -> Self {
        let Relations { turns, said, dropped, config, .. } = *relations;
        let speakers = vec![Speaker::default(); labels];
        SoFar { turns, said, dropped, speaker, config: &config.language, speakers, open: Vec::new() }
    }

    /// Goes on to the turn at `at`, the one after the last.
    pub(in crate::turns) fn take(&mut self, at: usize) {
        let start = self.turns[at].segment.start();
        let (turns, speaker) = (self.turns, self.speaker);
        let (ended, open): (Vec<usize>, Vec<usize>) =
            std::mem::take(&mut self.open).into_iter().partition(|j| turns[*j].segment.end() <= start);
        self.open = open;
        for j in ended {
            if let Some(own) = speaker[j] {
                self.speakers[own].add(j, &self.said[j]);
            }
        }
        if self.speaker[at].is_some() && self.said.get(at).is_some_and(|said| said.missing.is_none()) {
            self.open.push(at);
        }
    }

    /// What one has said up to the end of the turn at `at`, and the first turn that runs on beyond.
    fn up_to(&self, at: usize, who: usize) -> (Speaker, Option<usize>) {
        let end = self.turns[at].segment.end();
        let own = self.open.iter().copied().filter(|j| self.speaker[*j] == Some(who));
        let (ended, running): (Vec<usize>, Vec<usize>) = own.partition(|j| self.turns[*j].segment.end() <= end);
        (self.speakers[who].with(&ended, self.said), running.into_iter().min())
    }

    /// Of the turn at `at`, the last one taken in, and a listener.
    pub(in crate::turns) fn of(&self, at: usize, listener: usize) -> Between {
        let said = self.said.get(at).ok_or(Missing::NoWords).and_then(|said| said.missing.map_or(Ok(said), Err));
        let told = said.and_then(|said| Ok((said, self.speaker[at].ok_or(Missing::NoWords)?)));
        let (said, own) = match told {
            Ok(told) => told,
            Err(why) => {
                let nothing = Repeated { share: Err(why), above_chance: Err(why) };
                return Between { style: Err(why), repeated: [nothing; 2], we_first: Err(why) };
            }
        };
        let ((own, own_runs), (other, other_runs)) = (self.up_to(at, own), self.up_to(at, listener));
        let running = own_runs.into_iter().chain(other_runs).min();
        Between {
            style: self.style(said, &own, &other),
            repeated: [1, 2].map(|n| {
                let share = self.repeated(said, (at, listener), n);
                let by_chance = |share: f64| -> Told<f64> { Ok(share - self.by_chance(said, &other, at - 1, n)?) };
                Repeated { share, above_chance: share.and_then(by_chance) }
            }),
            we_first: self.we_first((at, said), (own.first_we, other.first_we), running),
        }
    }

    fn style(&self, said: &SaidTurn, own: &Speaker, other: &Speaker) -> Told<f64> {
        if !Category::STYLE.into_iter().all(|c| said.known.has(c)) {
            return Err(Missing::NoList);
        }
        if own.words.min(other.words) < self.config.min_style_words {
            return Err(Missing::TooShort);
        }
        let percent = |speaker: &Speaker, k: usize| 100.0 * f64::from(speaker.style[k]) / speaker.words as f64;
        let match_of = |k: usize| {
            let (a, b) = (percent(own, k), percent(other, k));
            // Their constant keeps a category that neither uses from a division by zero.
            1.0 - (a - b).abs() / (a + b + 0.0001)
        };
        Ok((0..Category::STYLE.len()).map(match_of).sum::<f64>() / Category::STYLE.len() as f64)
    }

    /// Share of the turn's different runs of `n` words that are in the listener's turn just before.
    fn repeated(&self, said: &SaidTurn, (at, listener): (usize, usize), n: usize) -> Told<f64> {
        let before = at.checked_sub(1).filter(|b| self.speaker[*b] == Some(listener)).ok_or(Missing::NotAdjacent)?;
        if self.dropped.binary_search(&at).is_ok() {
            return Err(Missing::DroppedCue);
        }
        if self.turns[before].segment.end() > self.turns[at].segment.end() {
            return Err(Missing::InsideAnother);
        }
        let before = &self.said[before];
        before.missing.map_or(Ok(()), Err)?;
        shared(&said.words, &before.words, n).ok_or(Missing::TooShort)
    }

    /// Whether the first of two was it, by the turns in which each first said it; one that runs on from before, and a
    /// cue that could not be read, may hold it.
    fn we_first(
        &self,
        (at, said): (usize, &SaidTurn),
        (own, other): (Option<usize>, Option<usize>),
        running: Option<usize>,
    ) -> Told<bool> {
        if !said.known.has(Category::We) {
            return Err(Missing::NoList);
        }
        let first = own.into_iter().chain(other).min();
        if running.is_some_and(|running| first.is_none_or(|first| running < first)) {
            return Err(Missing::InsideAnother);
        }
        if self.dropped.first().is_some_and(|lost| *lost <= first.unwrap_or(at)) {
            return Err(Missing::DroppedCue);
        }
        first.map(|first| own == Some(first)).ok_or(Missing::NotYet)
    }

    /// The same share, on average, of pieces as long as the turn before, cut from the listener's other turns so far,
    /// the latest first.
    fn by_chance(&self, said: &SaidTurn, listener: &Speaker, before: usize, n: usize) -> Told<f64> {
        let len = self.said[before].words.len();
        let most = len * self.config.chance_pieces;
        let mut words: Vec<&str> = Vec::new();
        for turn in listener.turns.iter().rev().filter(|t| **t != before) {
            words.extend(self.said[*turn].words.iter().map(String::as_str));
            if words.len() >= most {
                break;
            }
        }
        words.truncate(most);
        let shares: Vec<f64> = words.chunks_exact(len).filter_map(|piece| shared(&said.words, piece, n)).collect();
        if shares.len() < self.config.min_chance_pieces {
            return Err(Missing::TooShort);
        }
        Ok(shares.iter().sum::<f64>() / shares.len() as f64)
    }
}

/// Share of the different runs of `n` words of one text that are in another; `None` where either has none.
fn shared<A: AsRef<str>, B: AsRef<str>>(here: &[A], there: &[B], n: usize) -> Option<f64> {
    fn runs<S: AsRef<str>>(words: &[S], n: usize) -> BTreeSet<Vec<&str>> {
        words.windows(n).map(|run| run.iter().map(AsRef::as_ref).collect()).collect()
    }
    let (here, there) = (runs(here, n), runs(there, n));
    (!here.is_empty() && !there.is_empty()).then(|| here.intersection(&there).count() as f64 / here.len() as f64)
}

/// Columns of `dyads`, up to the turn's end.
pub(in crate::turns) fn between_columns(config: &LanguageConfig) -> Vec<Column<Between>> {
    let mut columns = vec![
        Column::float(
            "style_matching",
            "1",
            "Language style matching of all that the two have said in turns ended by the turn's end: 1 - |a - b| / \
             (a + b + 0.0001) of their percentages, mean of nine categories of function words, 0 to 1 (Ireland and \
             Pennebaker 2010).",
            |b: &Between| b.style.ok(),
        )
        .from_source("Ireland & Pennebaker 2010"),
        Column::text(
            "style_matching_missing",
            format!(
                "Why it is null: too_short (fewer than {} words of one of the two), else as word_rate_missing of \
                 turns.",
                config.min_style_words
            ),
            |b: &Between| b.style.err(),
        ),
    ];
    for (k, (name, what)) in [("words", "words"), ("word_pairs", "pairs of words in a row")].into_iter().enumerate() {
        columns.extend([
            Column::float(
                format!("repeated_{name}"),
                "1",
                format!("Share of the turn's different {what} that are in the listener's turn just before, 0 to 1."),
                move |b: &Between| b.repeated[k].share.ok(),
            ),
            Column::float(
                format!("repeated_{name}_above_chance"),
                "1",
                format!(
                    "That share minus its mean over up to {} pieces as long as the turn before, cut from the \
                     listener's other turns so far; above 0 = the words just said are taken up (n-gram alignment as \
                     Duran, Paxton and Fusaroli 2019 have it, against other talk of the same person).",
                    config.chance_pieces
                ),
                move |b: &Between| b.repeated[k].above_chance.ok(),
            )
            .from_source("Duran et al. 2019"),
            Column::text(
                format!("repeated_{name}_missing"),
                format!(
                    "Why the one or the other is null: not_adjacent (the turn before is not the listener's), \
                     inside_another (the turn before runs on past this one's end: which of its words come before is \
                     not known), dropped_cue (a cue in between could not be read), too_short (no {what} in one of \
                     the two turns, or fewer than {} pieces), else as word_rate_missing of turns.",
                    config.min_chance_pieces
                ),
                move |b: &Between| b.repeated[k].above_chance.err(),
            ),
        ]);
    }
    columns.extend([
        Column::bool(
            "speaker_said_we_first",
            "True when the turn's speaker was the first of the two to say \"we\" (us, our) in the interview, false \
             when the listener was: by the starts of the turns in which they first did, of turns ended by this one's \
             end.",
            |b: &Between| b.we_first.ok(),
        ),
        Column::text(
            "we_first_missing",
            "Why it is null: not_yet (neither has said it up to the turn's end), inside_another (a turn of one of the \
             two that began before anybody is known to have said it runs on past this one's end), \
             dropped_cue (one before that could not be read), else as word_rate_missing of turns.",
            |b: &Between| b.we_first.err(),
        ),
    ]);
    measured(Modality::Words, all_until(CutOff::TurnEnd, columns))
}
