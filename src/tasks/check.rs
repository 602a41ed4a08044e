//! The check of an annotation set: how much there is for each task and label, and what is wrong, sample by sample.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use super::rescue::{Instance, instances, is_client};
use super::rule::{RULES, RuleSpec, strategy_set, words_elsewhere};
use super::settings::Task;
use crate::transcript::rescue::{COUPLE, FAMILY, GroupMode, Sample, THERAPIST};

/// Media known by sample id, with the length where it is known.
pub type Media = BTreeMap<String, Option<f64>>;

/// A row may end so much after the media: a frame.
const TOLERANCE_SECS: f64 = 0.05;

/// What a check found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Findings {
    /// For people.
    pub text: String,
    /// Things to correct in the annotations; missing media is none.
    pub problems: usize,
}

/// Checks the samples; `dropped` are the complaints of the reader about rows that it left out.
pub fn check(samples: &[Sample], dropped: &[String], media: Option<&Media>) -> Findings {
    let mut text = String::new();
    let rows: usize = samples.iter().map(|s| s.rows.len()).sum();
    let secs: f64 = samples.iter().map(length).sum();
    line(&mut text, format_args!("{} samples, {rows} rows, {:.1} minutes", samples.len(), secs / 60.0));
    for mode in ["couple", "family"] {
        let own: Vec<&Sample> = samples.iter().filter(|s| s.group_mode.name() == mode).collect();
        let rows: usize = own.iter().map(|s| s.rows.len()).sum();
        line(&mut text, format_args!("  {mode}: {} samples, {rows} rows", own.len()));
    }
    line(&mut text, format_args!("\nTasks"));
    for rule in RULES {
        task_counts(&mut text, rule, &instances(samples, &Task::of(rule)));
    }
    for told in apart_from_the_scripts(samples) {
        line(&mut text, format_args!("{told}"));
    }
    line(&mut text, format_args!("\nSamples"));
    let mut problems = dropped.len();
    let mut without = 0;
    for sample in samples {
        let found = complaints(sample);
        problems += found.len();
        let missing = media.map(|m| rows_without_media(sample, m));
        without += missing.map_or(0, |m| m.0);
        let media_note = match missing {
            None => String::new(),
            Some((0, _)) => ", all rows with media".into(),
            Some((n, why)) => format!(", {n} rows without media ({why})"),
        };
        line(
            &mut text,
            format_args!(
                "  {}: {}, {} rows, {:.1} s{media_note}",
                sample.id,
                sample.group_mode.name(),
                sample.rows.len(),
                length(sample)
            ),
        );
        found.iter().for_each(|c| line(&mut text, format_args!("    {c}")));
        sample.unread.iter().for_each(|c| line(&mut text, format_args!("    not read: {c}")));
    }
    if !dropped.is_empty() {
        line(&mut text, format_args!("\nNot read"));
        dropped.iter().for_each(|d| line(&mut text, format_args!("  {d}")));
    }
    line(&mut text, format_args!(""));
    if media.is_some() {
        line(&mut text, format_args!("{without} of {rows} rows without media"));
    }
    line(&mut text, format_args!("{problems} problems"));
    Findings { text, problems }
}

/// What is read or may be counted otherwise than the benchmark's scripts do, and the option that decides it.
fn apart_from_the_scripts(samples: &[Sample]) -> Vec<String> {
    let fewest = RuleSpec::named("er").map_or(0, |rule| Task::of(rule).min_dialogue_words);
    let mut told = Vec::new();
    let in_lines = samples.iter().filter(|s| s.id_from_content).count();
    if in_lines > 0 {
        told.push(format!(
            "  {in_lines} samples are several in one file, which the scripts do not read: their ids are the sample_id \
             that they name; export rescue --bench writes a file for each"
        ));
    }
    let words: usize = samples.iter().map(|s| words_elsewhere(s, fewest)).sum();
    if words > 0 {
        told.push(format!(
            "  ER: {words} rows have under {fewest} words in ASCII letters and are left out, as the scripts do; \
             dialogue_words = \"any_script\" counts other letters too, and keeps them"
        ));
    }
    for mode in [GroupMode::Couple, GroupMode::Family] {
        let own = samples.iter().filter(|s| s.group_mode == mode);
        let states: BTreeSet<&str> = own
            .flat_map(|s| &s.rows)
            .filter(|r| r.primary_speaker == THERAPIST && !r.relation_cycle_state.is_empty())
            .map(|r| r.relation_cycle_state.as_str())
            .collect();
        if !states.is_empty() {
            told.push(format!(
                "  RPP, {}: without a taxonomy in the task file its states are the {} seen, where the scripts have a \
                 list of their own",
                mode.name(),
                states.len()
            ));
        }
    }
    if !told.is_empty() {
        told.insert(0, "\nOther than the benchmark's scripts".into());
    }
    told
}

fn line(text: &mut String, what: std::fmt::Arguments<'_>) {
    // Writing into a String cannot fail.
    let _ = writeln!(text, "{what}");
}

fn length(sample: &Sample) -> f64 {
    sample.rows.iter().map(|r| r.segment.end().get()).fold(0.0, f64::max)
}

fn task_counts(text: &mut String, rule: &RuleSpec, all: &[Instance]) {
    let mut labels: BTreeMap<String, usize> = BTreeMap::new();
    for one in all {
        *labels.entry((rule.counted_as)(one)).or_default() += 1;
    }
    line(text, format_args!("  {}: {} instances", rule.name.to_uppercase(), all.len()));
    for (label, count) in labels {
        line(text, format_args!("    {count:6}  {label}"));
    }
}

/// How many rows have no media, and why.
fn rows_without_media(sample: &Sample, media: &Media) -> (usize, &'static str) {
    match media.get(&sample.id) {
        None => (sample.rows.len(), "no such interview"),
        Some(None) => (0, ""),
        Some(Some(end)) => {
            (sample.rows.iter().filter(|r| r.segment.end().get() > end + TOLERANCE_SECS).count(), "past its end")
        }
    }
}

/// What is wrong with a sample's times, names and labels.
fn complaints(sample: &Sample) -> Vec<String> {
    let mut found = Vec::new();
    // The rows alone decide who takes part; whom the sample names is what they are checked against.
    let named = if sample.named_participants.is_empty() { &sample.participants } else { &sample.named_participants };
    let known = |name: &str| [THERAPIST, COUPLE, FAMILY].contains(&name) || named.iter().any(|p| p == name);
    if !sample.scenario.is_empty() && sample.scenario != sample.group_mode.name() {
        found.push(format!("scenario is {:?}, its id and rows say {}", sample.scenario, sample.group_mode.name()));
    }
    for name in named.iter().filter(|n| !is_client(n)) {
        found.push(format!("participant {name:?} is no client"));
    }
    for name in named.iter().filter(|n| is_client(n)) {
        if !sample.rows.iter().any(|r| r.primary_speaker == *name) {
            found.push(format!("participant {name:?} never speaks"));
        }
    }
    for (i, row) in sample.rows.iter().enumerate() {
        let mut complain = |what: String| found.push(format!("row {}: {what}", row.row_index));
        if row.segment.is_empty() {
            complain(format!("no length, starts and ends at {}", row.segment.start()));
        }
        if let Some(before) = i.checked_sub(1).map(|b| &sample.rows[b]) {
            let (here, there) = (row.segment, before.segment);
            if here.start() < there.start() {
                complain(format!("starts at {}, before row {} does", here.start(), before.row_index));
            } else if here.start() < there.end() {
                complain(format!("overlaps row {} by {:.3} s", before.row_index, there.overlap(here)));
            }
            if row.row_index != before.row_index + 1 {
                complain(format!("row_index follows {}", before.row_index));
            }
        } else if row.row_index != 1 {
            complain("row_index of the first row is not 1".into());
        }
        if row.primary_speaker.is_empty() {
            complain("nobody speaks".into());
        } else if !known(&row.primary_speaker) {
            complain(format!("speaker {:?} is no participant", row.primary_speaker));
        }
        if row.target.is_empty() {
            complain("no target".into());
        }
        let strategy = row.support_strategy.iter().flat_map(|s| &s.target);
        for name in row.target.iter().chain(strategy).filter(|n| !known(n)) {
            complain(format!("target {name:?} is no participant"));
        }
        if row.target.contains(&row.primary_speaker) {
            complain(format!("{:?} speaks to themselves", row.primary_speaker));
        }
        for strategy in row.support_strategy.iter().filter(|s| !s.strategy_type.is_empty()) {
            if !strategy_set(sample.group_mode).contains(&strategy.strategy_type.as_str()) {
                complain(format!(
                    "strategy {:?} is not one of {} therapy",
                    strategy.strategy_type,
                    sample.group_mode.name()
                ));
            }
        }
        for emotion in &row.internal_emotion {
            if !known(&emotion.person) {
                complain(format!("emotion of {:?}, who is no participant", emotion.person));
            }
            if !emotion.intensity.is_some_and(|i| (0.0..=10.0).contains(&i.round_ties_even())) {
                complain(format!("emotion of {:?} has no intensity from 0 to 10", emotion.person));
            }
        }
        for name in row.viewpoints_attitudes.iter().flat_map(|v| [&v.source, &v.target]).filter(|n| !known(n)) {
            complain(format!("viewpoint from or of {name:?}, who is no participant"));
        }
    }
    found
}
