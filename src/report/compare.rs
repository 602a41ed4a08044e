//! Two runs of one corpus set against each other: what changed by column and interview, largest first.

use std::collections::BTreeMap;
use std::path::Path;

use crate::error::{Error, Result};
use crate::report::corpus;
use crate::store::finished::own_tables;
use crate::store::folder::OutputFolder;
use crate::store::provenance::Makings;
use crate::store::read::{StoredTable, read};
use crate::table::ColumnData;
use crate::text::counted;

/// Lines told; the rest is counted.
const TOLD: usize = 60;

/// What names a row, by table.
const KEYS: [(&str, &[&str]); 15] = [
    ("turns", &["turn_index"]),
    ("turn_faces", &["turn_index", "person"]),
    ("dyads", &["turn_index", "listener"]),
    ("synchrony", &["from", "to", "signal"]),
    ("coupling", &["from", "to", "signal", "measure"]),
    ("words", &["turn_index", "word_index"]),
    ("events", &["event_index"]),
    ("laughter", &["laughter_index"]),
    ("annotations", &["annotation_index"]),
    ("speakers", &["speaker", "label"]),
    ("voice", &["frame"]),
    ("faces", &["pts_secs", "track_id"]),
    ("tracks", &["track_id"]),
    ("speech", &["start_secs", "speaker"]),
    ("smiles", &["person", "onset_secs"]),
];

/// A change of one column in one interview.
#[derive(Clone, Debug, PartialEq)]
struct Change {
    interview: String,
    column: String,
    /// Mean over the rows of both: the difference in standard deviations of the first run's column, at most 1; a value
    /// that appears, vanishes or is another text counts 1.
    size: f64,
    /// Rows of both.
    rows: usize,
    changed: usize,
    appeared: usize,
    vanished: usize,
    /// Means of the values in both runs, over rows that have one in both; numbers only.
    means: Option<(f64, f64)>,
}

/// Sets two output folders against each other.
///
/// # Errors
/// [`Error::Usage`] where they share no interview, [`Error::Read`] or [`Error::Damaged`] for a table.
pub fn compare(before: &Path, after: &Path) -> Result<String> {
    let [a, b] = [before, after].map(|out| corpus::rows(&OutputFolder::new(out)));
    let (a, b) = (by_id(a?), by_id(b?));
    let shared: Vec<&String> = a.keys().filter(|id| b.contains_key(*id)).collect();
    if shared.is_empty() {
        return Err(Error::Usage {
            what: format!("{} and {} share no interview", before.display(), after.display()),
            hint: "name two folders that `turnwise extract --out` wrote of one corpus".into(),
        });
    }
    let mut text = String::new();
    let only = |one: &BTreeMap<String, corpus::Row>, other: &BTreeMap<String, corpus::Row>| {
        one.keys().filter(|id| !other.contains_key(*id)).cloned().collect::<Vec<_>>().join(", ")
    };
    for (which, ids) in [("first", only(&a, &b)), ("second", only(&b, &a))].iter().filter(|(_, ids)| !ids.is_empty()) {
        text += &format!("only in the {which}: {ids}\n");
    }
    let mut making = Makings::default();
    let (mut changes, mut compared) = (Vec::new(), 0);
    for id in shared {
        let (one, other) = (&a[id], &b[id]);
        if one.status() != "done" || other.status() != "done" {
            if one.status() != other.status() {
                text += &format!("{id}: {} in the first, {} in the second\n", one.status(), other.status());
            }
            continue;
        }
        compared += 1;
        making.add(&one.table.schema().metadata, "first");
        making.add(&other.table.schema().metadata, "second");
        for (name, _) in KEYS {
            let tables = [before, after].map(|out| own_table(out, id, name));
            let [one, other] = tables;
            changes.extend(of_table(id, name, one?.as_ref(), other?.as_ref(), &mut text));
        }
    }
    Ok(format!("{} compared\n{}{text}{}", counted(compared, "interview"), making.text(), lines(changes)))
}

fn by_id(rows: Vec<corpus::Row>) -> BTreeMap<String, corpus::Row> {
    rows.into_iter().map(|row| (row.id.clone(), row)).collect()
}

/// A table of an interview, if it is there.
fn own_table(out: &Path, id: &str, name: &str) -> Result<Option<StoredTable>> {
    own_tables(out, id, &[name])?.first().map(|(_, path)| read(path)).transpose()
}

/// The changes of a table's columns; a table, column or rows of one run alone are told in `text`.
fn of_table(
    id: &str,
    name: &str,
    one: Option<&StoredTable>,
    other: Option<&StoredTable>,
    text: &mut String,
) -> Vec<Change> {
    let (Some(one), Some(other)) = (one, other) else {
        if one.is_some() != other.is_some() {
            let which = if one.is_some() { "first" } else { "second" };
            text.push_str(&format!("{id}: table {name} only in the {which}\n"));
        }
        return Vec::new();
    };
    let places = keys(name, other).into_iter().enumerate().map(|(row, key)| (key, row)).collect::<BTreeMap<_, _>>();
    let rows: Vec<(usize, usize)> =
        keys(name, one).into_iter().enumerate().filter_map(|(row, key)| Some((row, *places.get(&key)?))).collect();
    let (gone, new) = (one.rows() - rows.len(), other.rows() - rows.len());
    if gone + new > 0 {
        text.push_str(&format!("{id}: {name}: {gone} rows only in the first, {new} only in the second\n"));
    }
    let mut changes = Vec::new();
    for (spec, data) in one.schema().columns.iter().zip(one.columns()) {
        match other.column(&spec.name) {
            None => text.push_str(&format!("{id}: column {name}.{} only in the first\n", spec.name)),
            Some(after) => changes.extend(change(data, after, &rows).map(|c| Change {
                interview: id.to_owned(),
                column: format!("{name}.{}", spec.name),
                ..c
            })),
        }
    }
    for spec in other.schema().columns.iter().filter(|c| one.column(&c.name).is_none()) {
        text.push_str(&format!("{id}: column {name}.{} only in the second\n", spec.name));
    }
    changes
}

/// The name of each row; the second of a name gets its count.
fn keys(name: &str, table: &StoredTable) -> Vec<String> {
    let columns = KEYS.iter().find(|(table, _)| *table == name).map_or(&[][..], |(_, columns)| *columns);
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let key = |row: usize| {
        let part = |column: &&str| match table.number(column, row) {
            Some(x) => x.to_string(),
            None => table.text(column, row).unwrap_or_default().to_owned(),
        };
        columns.iter().map(part).collect::<Vec<_>>().join("\u{1f}")
    };
    (0..table.rows())
        .map(|row| {
            let key = key(row);
            let count = seen.entry(key.clone()).or_default();
            *count += 1;
            format!("{key}\u{1f}{count}")
        })
        .collect()
}

/// How a column changed; `None` where it did not.
fn change(before: &ColumnData, after: &ColumnData, rows: &[(usize, usize)]) -> Option<Change> {
    let mut change = Change {
        interview: String::new(),
        column: String::new(),
        size: 0.0,
        rows: rows.len(),
        changed: 0,
        appeared: 0,
        vanished: 0,
        means: None,
    };
    let pairs: Vec<(f64, f64)> =
        rows.iter().filter_map(|&(a, b)| Some((value(before, a)?, value(after, b)?))).collect();
    let count = pairs.len().max(1) as f64;
    let mean = |part: fn(&(f64, f64)) -> f64| pairs.iter().map(part).sum::<f64>() / count;
    let (first, second) = (mean(|p| p.0), mean(|p| p.1));
    let sd = (pairs.iter().map(|p| (p.0 - first).powi(2)).sum::<f64>() / count).sqrt();
    for &(a, b) in rows {
        let (was, is) = (shown(before, a), shown(after, b));
        if was == is {
            continue;
        }
        change.changed += 1;
        change.size += match (value(before, a), value(after, b)) {
            (Some(x), Some(y)) if sd > 0.0 => ((x - y).abs() / sd).min(1.0),
            _ => 1.0,
        };
        change.appeared += usize::from(was.is_none());
        change.vanished += usize::from(is.is_none());
    }
    if change.changed == 0 {
        return None;
    }
    change.size /= rows.len() as f64;
    change.means = (!pairs.is_empty()).then_some((first, second));
    Some(change)
}

/// A number of any kind; `None` for null and for what is no number.
fn value(data: &ColumnData, row: usize) -> Option<f64> {
    let value = match data {
        ColumnData::F32(v) => f64::from(*v.get(row)?),
        ColumnData::F64(v) => *v.get(row)?,
        ColumnData::I64(v) => (*v.get(row)?)? as f64,
        ColumnData::Bool(v) => f64::from(u8::from((*v.get(row)?)?)),
        _ => return None,
    };
    value.is_finite().then_some(value)
}

/// A value as it is compared; `None` for null.
fn shown(data: &ColumnData, row: usize) -> Option<String> {
    match data {
        ColumnData::Str(v) => v.get(row)?.clone(),
        ColumnData::F32List(v) => v.get(row)?.as_ref().map(|list| format!("{list:?}")),
        ColumnData::StrList(v) => v.get(row)?.as_ref().map(|list| format!("{list:?}")),
        _ => value(data, row).map(|x| x.to_string()),
    }
}

fn lines(mut changes: Vec<Change>) -> String {
    if changes.is_empty() {
        return "no value changed\n".into();
    }
    changes.sort_by(|a, b| {
        b.size.total_cmp(&a.size).then_with(|| a.interview.cmp(&b.interview)).then_with(|| a.column.cmp(&b.column))
    });
    let mut text = String::from(
        "size: mean change in the first run's standard deviations, at most 1 a row; what appears, vanishes or is \
         another text counts 1\n\n  size  changed of rows  mean before → after  what\n",
    );
    for change in changes.iter().take(TOLD) {
        let means = change.means.map_or_else(|| "–".to_owned(), |(a, b)| format!("{a:.4} → {b:.4}"));
        let nulls = match (change.appeared, change.vanished) {
            (0, 0) => String::new(),
            (new, gone) => format!("  ({new} appeared, {gone} vanished)"),
        };
        text += &format!(
            "{:6.3}  {:>7} of {:<7}  {means:<20}  {} {}{nulls}\n",
            change.size, change.changed, change.rows, change.interview, change.column
        );
    }
    if changes.len() > TOLD {
        text += &format!("… and {} smaller changes\n", changes.len() - TOLD);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_told_in_spreads_of_the_first_run() {
        let before = ColumnData::F64(vec![0.0, 2.0, 0.0, 2.0, f64::NAN]);
        let after = ColumnData::F64(vec![0.0, 2.0, 0.5, f64::NAN, 1.0]);
        let rows: Vec<(usize, usize)> = (0..5).map(|i| (i, i)).collect();
        let change = change(&before, &after, &rows).unwrap();
        // Of the three rows with both values, 0, 2 and 0, the spread is 0.943.
        assert!((change.size - (0.5 / 0.942_809 + 1.0 + 1.0) / 5.0).abs() < 1e-5, "{change:?}");
        assert_eq!((change.changed, change.appeared, change.vanished), (3, 1, 1));
    }

    #[test]
    fn what_did_not_change_is_not_told_and_texts_are_compared() {
        let same = ColumnData::F32(vec![1.0, f32::NAN]);
        assert_eq!(change(&same, &same, &[(0, 0), (1, 1)]), None);
        let texts = |t: &str| ColumnData::Str(vec![Some(t.into()), None]);
        let told = change(&texts("a"), &texts("b"), &[(0, 0), (1, 1)]).unwrap();
        assert!((told.size - 0.5).abs() < 1e-9 && told.means.is_none());
        // A column of one value throughout has no spread: another value counts whole.
        let flat = |x| ColumnData::I64(vec![Some(x), Some(x)]);
        assert!((change(&flat(1), &flat(2), &[(0, 0), (1, 1)]).unwrap().size - 1.0).abs() < 1e-9);
    }
}
