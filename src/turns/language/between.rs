//! Two people's words: alike in style, taken up by each other, and who says "we" first.

use std::collections::BTreeSet;

use super::category::Category;
use super::{LanguageConfig, SaidTurn};
use crate::table::{Column, CutOff, Missing, Modality, all_until};
use crate::turns::measured;
use crate::turns::relations::TalkOrder;

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

/// What one speaker has said so far.
#[derive(Clone, Debug, Default)]
struct Speaker {
    words: usize,
    style: [u32; Category::STYLE.len()],
    /// Positions of the turns told of.
    turns: Vec<usize>,
    first_we: Option<usize>,
}

/// The words of all speakers up to the current turn.
#[derive(Debug)]
pub(in crate::turns) struct SoFar<'a> {
    said: &'a [SaidTurn],
    order: TalkOrder<'a>,
    config: &'a LanguageConfig,
    speakers: Vec<Speaker>,
}

impl<'a> SoFar<'a> {
    /// The speakers' numbers are below `labels`.
    pub(in crate::turns) fn new(
        said: &'a [SaidTurn],
        order: TalkOrder<'a>,
        labels: usize,
        config: &'a LanguageConfig,
    ) -> Self {
        SoFar { said, order, config, speakers: vec![Speaker::default(); labels] }
    }

    /// Goes on to the turn at `at`, the one after the last.
    pub(in crate::turns) fn take(&mut self, at: usize) {
        let (Some(said), Some(own)) = (self.said.get(at), self.order.speaker[at]) else { return };
        if said.missing.is_some() {
            return;
        }
        let speaker = &mut self.speakers[own];
        speaker.words += said.words.len();
        for (sum, category) in speaker.style.iter_mut().zip(Category::STYLE) {
            *sum += said.counts[category as usize];
        }
        speaker.turns.push(at);
        if said.count(Category::We).is_some_and(|n| n > 0) {
            speaker.first_we.get_or_insert(at);
        }
    }

    /// Of the turn at `at`, the last one taken in, and a listener.
    pub(in crate::turns) fn of(&self, at: usize, listener: usize) -> Between {
        let told = || {
            let said = self.said.get(at).ok_or(Missing::NoWords)?;
            let own = self.order.speaker[at].ok_or(Missing::NoWords)?;
            said.missing.map_or(Ok((said, &self.speakers[own], &self.speakers[listener])), Err)
        };
        Between {
            style: told().and_then(|(said, own, other)| self.style(said, own, other)),
            repeated: [1, 2].map(|n| {
                let share = told().and_then(|(said, ..)| self.repeated(said, (at, listener), n));
                let above_chance = share.and_then(|share| {
                    let (said, _, other) = told()?;
                    Ok(share - self.by_chance(said, other, at - 1, n)?)
                });
                Repeated { share, above_chance }
            }),
            we_first: told().and_then(|(said, own, other)| match (own.first_we, other.first_we) {
                _ if !said.known.has(Category::We) => Err(Missing::NoList),
                (None, None) => Err(Missing::NotYet),
                (Some(own), other) => Ok(other.is_none_or(|other| own < other)),
                (None, Some(_)) => Ok(false),
            }),
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
        let (before, _) = self.order.before(at).filter(|(_, s)| *s == listener).ok_or(Missing::NotAdjacent)?;
        let before = &self.said[before];
        before.missing.map_or(Ok(()), Err)?;
        shared(&said.words, &before.words, n).ok_or(Missing::TooShort)
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
            "Language style matching of all that the two have said up to the turn's end: 1 - |a - b| / (a + b + \
             0.0001) of their percentages, mean of nine categories of function words, 0 to 1 (Ireland and Pennebaker \
             2010).",
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
                    "Why the one or the other is null: not_adjacent (the turn before is not the listener's, or a cue between could not be read), too_short \
                     (no {what} in one of the two turns, or fewer than {} pieces), else as word_rate_missing of \
                     turns.",
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
             when the listener was.",
            |b: &Between| b.we_first.ok(),
        ),
        Column::text(
            "we_first_missing",
            "Why it is null: not_yet (neither has said it up to the turn's end), else as word_rate_missing of turns.",
            |b: &Between| b.we_first.err(),
        ),
    ]);
    measured(Modality::Words, all_until(CutOff::TurnEnd, columns))
}
