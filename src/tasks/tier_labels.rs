//! Labels that people wrote into a tier beside the speech: the value of the `annotations` table that shares most time
//! with a turn.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::labels::{Label, LabelTable, finish};
use super::rescue::group_of;
use super::settings::{Labels, Task, Whose};
use crate::annotation::union_secs;
use crate::error::{Error, Result};
use crate::spelling::meant;
use crate::store::finished::own_tables;
use crate::store::folder::OutputFolder;
use crate::store::read::{StoredTable, read_columns};
use crate::time::Segment;

/// A turn's value must hold for this share of the turn, where the task says nothing.
const MIN_OVERLAP: f64 = 0.5;

/// One annotation of the tier.
struct Code {
    person: Option<String>,
    /// `None`: a point.
    span: Option<Segment>,
    start_secs: f64,
    value: String,
}

impl Code {
    fn read(table: &StoredTable, row: usize) -> Option<Self> {
        let start_secs = table.number("start_secs", row)?;
        let end = table.number("end_secs", row);
        Some(Code {
            person: table.text("person", row).map(str::to_owned),
            span: end.and_then(|end| Segment::from_secs(start_secs, end)),
            start_secs,
            value: table.text("value", row)?.to_owned(),
        })
    }

    fn is_about(&self, speaker: Option<&str>, whose: Whose) -> bool {
        whose == Whose::Anyone || self.person.is_none() || self.person.as_deref() == speaker
    }
}

/// The labels of a task that are a tier's values, of all interviews of a folder whose transcripts have the tier. A turn
/// in which no value holds long enough has the label `without`, where the task names one; else it is no instance.
///
/// # Errors
/// [`Error::Recipe`] for a tier that no interview has; [`Error::Parse`] as for labels of a file; [`Error::Read`].
pub(super) fn tier_labels(task: &Task, labels: &Labels, out: &Path) -> Result<LabelTable> {
    let wanted = labels.tier.as_deref().unwrap_or_default();
    let fail = |what: String| Error::Recipe { place: format!("task {}", task.name), what };
    let pattern = glob::Pattern::new(wanted).map_err(|e| fail(format!("tier {wanted:?}: {e}")))?;
    let mut there: BTreeSet<String> = BTreeSet::new();
    let mut found = Vec::new();
    let mut unlabelled = 0;
    for id in OutputFolder::new(out).interviews("annotations")? {
        let Some((_, path)) = own_tables(out, &id, &["annotations"])?.pop() else { continue };
        let table = read_columns(&path, &["tier", "person", "start_secs", "end_secs", "value"])?;
        let tier = |row: &usize| table.text("tier", *row).unwrap_or_default();
        there.extend((0..table.rows()).map(|row| tier(&row).to_owned()));
        let rows = (0..table.rows()).filter(|row| pattern.matches(tier(row)));
        let codes: Vec<Code> = rows.filter_map(|row| Code::read(&table, row)).collect();
        if codes.is_empty() {
            continue;
        }
        let Some((_, path)) = own_tables(out, &id, &["turns"])?.pop() else { continue };
        let turns = read_columns(&path, &["turn_index", "start_secs", "end_secs", "speaker"])?;
        for row in 0..turns.rows() {
            let Some((index, span)) = turn(&turns, row) else { continue };
            let own: Vec<&Code> =
                codes.iter().filter(|c| c.is_about(turns.text("speaker", row), labels.whose)).collect();
            // Whom no tier is about has not been looked at.
            if own.is_empty() {
                continue;
            }
            let value = value_of(span, &own, labels.min_overlap.unwrap_or(MIN_OVERLAP));
            match value.or_else(|| labels.without.clone()) {
                Some(text) => found.push(Label {
                    interview_id: id.clone(),
                    turn_index: Some(index),
                    text,
                    group: group_of(&id).to_owned(),
                    ..Label::default()
                }),
                None => unlabelled += 1,
            }
        }
    }
    if found.is_empty() {
        let names: Vec<&str> = there.iter().map(String::as_str).collect();
        let known = if names.is_empty() {
            "no interview has annotations".into()
        } else {
            format!("there are {}", names.join(", "))
        };
        return Err(fail(format!(
            "no turn has a value of the tier {wanted:?}{}; {known}",
            meant(wanted, names.into_iter())
        )));
    }
    if unlabelled > 0 {
        tracing::warn!(
            "task {}: {unlabelled} turns have no value of {wanted:?} for long enough; they are no instances",
            task.name
        );
    }
    finish(Path::new(wanted), labels, found)
}

fn turn(turns: &StoredTable, row: usize) -> Option<(u32, Segment)> {
    let index = turns.number("turn_index", row).filter(|t| *t >= 0.0 && *t <= f64::from(u32::MAX))? as u32;
    let span = Segment::from_secs(turns.number("start_secs", row)?, turns.number("end_secs", row)?)?;
    Some((index, span))
}

/// The value that holds longest inside the turn, if for at least a share of it; of equal ones the one that begins first.
/// Of points the value most of them have.
fn value_of(turn: Segment, codes: &[&Code], min_share: f64) -> Option<String> {
    // Seconds, or points, and the first start of each value.
    let mut held: BTreeMap<&str, (f64, f64)> = BTreeMap::new();
    let spans = codes.iter().any(|c| c.span.is_some());
    let mut parts: BTreeMap<&str, (Vec<Segment>, f64)> = BTreeMap::new();
    for code in codes {
        let one = parts.entry(&code.value).or_insert((Vec::new(), f64::INFINITY));
        match code.span {
            Some(span) => {
                let Some(inside) = span.intersection(turn).filter(|s| !s.is_empty()) else { continue };
                one.0.push(inside);
                one.1 = one.1.min(code.start_secs);
            }
            None if !spans && turn.start().get() <= code.start_secs && code.start_secs < turn.end().get() => {
                let point = held.entry(&code.value).or_insert((0.0, code.start_secs));
                *point = (point.0 + 1.0, point.1.min(code.start_secs));
            }
            None => {}
        }
    }
    held.extend(
        parts.into_iter().filter(|(_, p)| !p.0.is_empty()).map(|(value, (s, first))| (value, (union_secs(s), first))),
    );
    let (value, (amount, _)) = held.into_iter().reduce(|best, one| {
        let ((most, first), (amount, start)) = (best.1, one.1);
        if amount > most + 1e-9 || (amount - most).abs() <= 1e-9 && start < first { one } else { best }
    })?;
    let enough = !spans || amount >= min_share * turn.duration() - 1e-9 && amount > 0.0;
    enough.then(|| value.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(start: f64, end: Option<f64>, value: &str) -> Code {
        let span = end.and_then(|end| Segment::from_secs(start, end));
        Code { person: None, span, start_secs: start, value: value.into() }
    }

    #[test]
    fn the_value_that_holds_longest_is_the_turns() {
        let turn = Segment::from_secs(10.0, 20.0).unwrap();
        let told = |codes: &[Code], share| value_of(turn, &codes.iter().collect::<Vec<_>>(), share);
        let codes = [code(0.0, Some(13.0), "sad"), code(13.0, Some(16.0), "calm"), code(16.0, Some(19.5), "sad")];
        assert_eq!(told(&codes, 0.5).as_deref(), Some("sad"), "two stretches of 3 and 3.5 s");
        assert_eq!(told(&codes, 0.66), None);
        // The same stretch coded twice counts once.
        let twice = [code(10.0, Some(13.0), "a"), code(10.0, Some(13.0), "a"), code(14.0, Some(19.0), "b")];
        assert_eq!(told(&twice, 0.5).as_deref(), Some("b"));
        // Equal ones: the first; nothing shared: none, whatever the least share.
        let equal = [code(15.0, Some(20.0), "a"), code(10.0, Some(15.0), "b")];
        assert_eq!(told(&equal, 0.5).as_deref(), Some("b"));
        assert_eq!(told(&[code(20.0, Some(25.0), "a")], 0.0), None);
        // Points have no length: most of them decide, and an end is no part of a turn.
        let points =
            [code(10.0, None, "nod"), code(12.0, None, "shake"), code(13.0, None, "nod"), code(20.0, None, "shake")];
        assert_eq!(told(&points, 0.9).as_deref(), Some("nod"));
    }
}
