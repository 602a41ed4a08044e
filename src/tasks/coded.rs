//! Features from tiers of codes: how much of each turn a code covers, and whether it occurs in it.
//!
//! The `annotations` table has a code a row and knows nothing of turns. Here it becomes a table of turns: for each tier
//! and value the share of the turn's time and its presence, once for codes about the turn's speaker or about nobody by
//! name, once for codes about others. A code counts as far as it lies inside the turn, so nothing after its end is seen.
//!
//! A tier about one person is often named after them (`Smile_Mara`); the feature is named without, so that it is the
//! same for all people and interviews.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::features::FeatureTable;
use super::settings::{Labels, Task};
use crate::annotation::union_secs;
use crate::error::{Error, Result};
use crate::store::finished::own_tables;
use crate::store::read::{StoredSchema, StoredTable, read_columns, read_metadata};
use crate::table::{ColumnData, ColumnSpec, CutOff, Kind, Modality};
use crate::time::Segment;

/// A tier with more different values is free text and no code.
const MOST_VALUES: usize = 64;

/// What is told of a code and a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Share,
    Present,
    OthersShare,
    OthersPresent,
}

impl Part {
    const ALL: [Part; 4] = [Part::Share, Part::Present, Part::OthersShare, Part::OthersPresent];

    fn suffix(self) -> &'static str {
        match self {
            Part::Share => ".share",
            Part::Present => ".present",
            Part::OthersShare => ".others_share",
            Part::OthersPresent => ".others_present",
        }
    }

    fn is_of_others(self) -> bool {
        matches!(self, Part::OthersShare | Part::OthersPresent)
    }

    fn is_share(self) -> bool {
        matches!(self, Part::Share | Part::OthersShare)
    }

    fn describe(self, tier: &str, value: &str) -> String {
        let whose = if self.is_of_others() {
            "about somebody else than the turn's speaker"
        } else {
            "about the turn's speaker or about nobody by name"
        };
        let what = if self.is_share() {
            format!("Share of the turn's time for which {value:?} is coded in the tier {tier:?}, {whose}")
        } else {
            format!("1 where {value:?} is coded in the tier {tier:?} within the turn, {whose}, else 0")
        };
        format!(
            "{what}. Only what lies inside the turn counts; whoever coded it may have known what follows. 0 where the \
             tier says something else or nothing then, null where it says nothing of them in the whole interview, and \
             of a turn without length."
        )
    }
}

/// One code.
struct Code {
    person: Option<String>,
    start: f64,
    /// The start again for a point.
    end: f64,
    is_point: bool,
}

/// Codes of one tier by their value, each value's sorted by start.
type Values = BTreeMap<String, Vec<Code>>;

/// The codes of an interview by tier, its name without the person's, and value, each sorted by start.
#[derive(Default)]
struct Codes(BTreeMap<String, Values>);

impl Codes {
    fn read(path: &Path) -> Result<Self> {
        let table = read_columns(path, &["tier", "person", "start_secs", "end_secs", "value"])?;
        let mut codes = Codes::default();
        for row in 0..table.rows() {
            let (Some(tier), Some(start)) = (table.text("tier", row), table.number("start_secs", row)) else {
                continue;
            };
            let (person, end) = (table.text("person", row).map(str::to_owned), table.number("end_secs", row));
            let values = codes.0.entry(base(tier, person.as_deref()).to_owned()).or_default();
            let value = table.text("value", row).unwrap_or_default().to_owned();
            let code = Code { person, start, end: end.unwrap_or(start), is_point: end.is_none() };
            values.entry(value).or_default().push(code);
        }
        codes
            .0
            .values_mut()
            .flat_map(BTreeMap::values_mut)
            .for_each(|all| all.sort_by(|a, b| a.start.total_cmp(&b.start)));
        Ok(codes)
    }

    /// Tier, value and part that a feature's name stands for, where this interview has the tier.
    fn named<'n>(&self, name: &'n str) -> Option<(&Values, &'n str, Part)> {
        // Longest first: ".share" ends ".others_share" in no case, but values may hold dots.
        let part = Part::ALL.into_iter().find(|p| name.ends_with(p.suffix()))?;
        let rest = name.strip_suffix(part.suffix())?;
        let fits = |tier: &String| rest.strip_prefix(tier.as_str())?.strip_prefix('=');
        let (tier, value) =
            self.0.keys().filter_map(|tier| Some((tier, fits(tier)?))).max_by_key(|(tier, _)| tier.len())?;
        Some((&self.0[tier], value, part))
    }
}

/// The name of a tier without that of the person whom it is about: `Smile_Mara`, `Mara - Smile` and `Smile@Mara` are
/// `Smile`.
fn base<'t>(tier: &'t str, person: Option<&str>) -> &'t str {
    let Some(person) = person.filter(|p| !p.is_empty()) else { return tier };
    let is_between = |c: char| c.is_whitespace() || "_-@.:/".contains(c);
    let ahead = tier
        .get(..tier.len().saturating_sub(person.len()))
        .filter(|head| tier[head.len()..].eq_ignore_ascii_case(person) && head.ends_with(is_between));
    let behind = tier
        .get(person.len()..)
        .filter(|tail| tier[..person.len()].eq_ignore_ascii_case(person) && tail.starts_with(is_between));
    let bare = ahead.or(behind).map(|rest| rest.trim_matches(is_between));
    bare.filter(|rest| !rest.is_empty()).unwrap_or(tier)
}

/// The columns that an interview's codes can be, in place of those of its `annotations` table.
///
/// # Errors
/// As [`read_columns`].
pub(super) fn schema_of(path: &Path) -> Result<StoredSchema> {
    let mut schema = read_metadata(path)?;
    schema.columns = Vec::new();
    for (tier, values) in &Codes::read(path)?.0 {
        if values.len() > MOST_VALUES {
            tracing::warn!(
                "{}: tier {tier:?} gives no features: with {} different values it is text and no code",
                path.display(),
                values.len()
            );
            continue;
        }
        let any = |is: fn(&Code) -> bool| values.values().flatten().any(is);
        let (spans, persons) = (any(|c| !c.is_point), any(|c| c.person.is_some()));
        for value in values.keys() {
            let parts = Part::ALL.into_iter().filter(|p| (spans || !p.is_share()) && (persons || !p.is_of_others()));
            schema.columns.extend(parts.map(|part| column(tier, value, part)));
        }
    }
    Ok(schema)
}

fn column(tier: &str, value: &str, part: Part) -> ColumnSpec {
    let name = format!("{tier}={value}{}", part.suffix());
    ColumnSpec::new(name, Kind::F64, "", part.describe(tier, value)).until(CutOff::TurnEnd).of(Modality::Timing)
}

/// The features `wanted` of an interview's codes, a turn a row; `turns` is its table of turns.
///
/// # Errors
/// As [`read_columns`].
pub(super) fn table_of(path: &Path, turns: &Path, wanted: &[&str]) -> Result<StoredTable> {
    let codes = Codes::read(path)?;
    let turns = read_columns(turns, &["turn_index", "start_secs", "end_secs", "speaker"])?;
    let mut schema = read_metadata(path)?;
    schema.rows = turns.rows();
    schema.columns = vec![ColumnSpec::new("turn_index", Kind::I64, "", "Number of the turn.").until(CutOff::None)];
    let index = |row| turns.number("turn_index", row).map(|n| n as i64);
    let mut columns = vec![ColumnData::I64((0..turns.rows()).map(index).collect())];
    let span = |row| Segment::from_secs(turns.number("start_secs", row)?, turns.number("end_secs", row)?);
    let spans: Vec<Option<Segment>> = (0..turns.rows()).map(span).collect();
    let none = Vec::new();
    for name in wanted.iter().filter(|name| **name != "turn_index") {
        let Some((values, value, part)) = codes.named(name) else { continue };
        let own =
            Coded { all: values.values().flatten().collect(), of_value: values.get(value).unwrap_or(&none), part };
        let cell = |row: usize| own.cell(spans[row]?, turns.text("speaker", row));
        columns.push(ColumnData::F64((0..turns.rows()).map(|row| cell(row).unwrap_or(f64::NAN)).collect()));
        schema.columns.push(ColumnSpec::new((*name).to_owned(), Kind::F64, "", "").until(CutOff::TurnEnd));
    }
    Ok(StoredTable::new(schema, columns))
}

/// One feature's codes.
struct Coded<'a> {
    /// Of the tier.
    all: Vec<&'a Code>,
    of_value: &'a [Code],
    part: Part,
}

impl Coded<'_> {
    fn is_about(&self, code: &Code, speaker: Option<&str>) -> bool {
        let own = code.person.is_none() || code.person.as_deref() == speaker;
        own != self.part.is_of_others()
    }

    /// What is told of a turn; `None` where nobody looked.
    fn cell(&self, turn: Segment, speaker: Option<&str>) -> Option<f64> {
        if turn.is_empty() || !self.all.iter().any(|c| self.is_about(c, speaker)) {
            return None;
        }
        let (start, end) = (turn.start().get(), turn.end().get());
        let begun = self.of_value.partition_point(|c| c.start < end);
        let own = self.of_value[..begun].iter().filter(|c| self.is_about(c, speaker));
        if self.part.is_share() {
            let inside = own.filter_map(|c| Segment::from_secs(c.start, c.end)?.intersection(turn));
            return Some((union_secs(inside) / turn.duration()).min(1.0));
        }
        let mut inside = own.filter(|c| if c.is_point { c.start >= start } else { c.end > start });
        Some(f64::from(u8::from(inside.next().is_some())))
    }
}

/// Refuses features that are the label: those of the tier the labels come from, where the labelled turn is shown.
///
/// # Errors
/// [`Error::Usage`] naming them; [`Error::Read`].
pub(super) fn refuse_labels<'f>(
    task: &Task,
    labels: &Labels,
    out: &Path,
    ids: &[String],
    features: impl Iterator<Item = &'f str>,
) -> Result<()> {
    let Some(pattern) = labels.tier.as_deref().filter(|_| task.include_current) else { return Ok(()) };
    let features: Vec<&str> = features.collect();
    let fail = |e: glob::PatternError| Error::Recipe { place: format!("task {}", task.name), what: e.to_string() };
    let pattern = glob::Pattern::new(pattern).map_err(fail)?;
    let mut of_label = BTreeSet::new();
    for id in ids.iter().filter(|_| !features.is_empty()) {
        for (_, path) in own_tables(out, id, &[FeatureTable::Annotations.name()])? {
            let table = read_columns(&path, &["tier", "person"])?;
            let tiers = (0..table.rows()).filter_map(|row| Some((table.text("tier", row)?, table.text("person", row))));
            of_label.extend(tiers.filter(|(t, _)| pattern.matches(t)).map(|(t, p)| format!("{}=", base(t, p))));
        }
    }
    let is_label = |name: &&&str| of_label.iter().any(|tier| name.starts_with(tier.as_str()));
    let found: Vec<String> = features.iter().filter(is_label).map(|name| format!("annotations.{name}")).collect();
    if found.is_empty() {
        return Ok(());
    }
    Err(Error::Usage {
        what: format!(
            "task {}: these features are of the tier that the labels come from, and the labelled turn is shown: {}",
            task.name,
            found.join(", ")
        ),
        hint: "take them out of `features`, or leave out include_current".into(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tier_is_called_without_its_person() {
        for (tier, person, wanted) in [
            ("Smile_Mara", Some("Mara"), "Smile"),
            ("Mara - Smile", Some("Mara"), "Smile"),
            ("smile@MARA", Some("Mara"), "smile"),
            ("SmileMara", Some("Mara"), "SmileMara"),
            ("Mara", Some("Mara"), "Mara"),
            ("Haltung", Some("Jonas"), "Haltung"),
            ("Größe_Zoë", Some("Zoë"), "Größe"),
            ("Smile_Mara", None, "Smile_Mara"),
        ] {
            assert_eq!(base(tier, person), wanted);
        }
    }

    #[test]
    fn a_code_counts_as_far_as_it_lies_inside_the_turn() {
        let code = |person: Option<&str>, start: f64, end: Option<f64>| Code {
            person: person.map(str::to_owned),
            start,
            end: end.unwrap_or(start),
            is_point: end.is_none(),
        };
        // Mara smiles from 1 to 3 and, coded twice, from 9 to 12; Jonas nods once at 4.
        let smiles = [
            code(Some("Mara"), 1.0, Some(3.0)),
            code(Some("Mara"), 9.0, Some(12.0)),
            code(Some("Mara"), 9.0, Some(12.0)),
        ];
        let nods = [code(Some("Jonas"), 4.0, None)];
        let told = |codes: &[Code], part, (start, end): (f64, f64), who: Option<&str>| {
            let coded = Coded { all: codes.iter().collect(), of_value: codes, part };
            coded.cell(Segment::from_secs(start, end).unwrap(), who)
        };
        assert_eq!(told(&smiles, Part::Share, (0.0, 4.0), Some("Mara")), Some(0.5));
        // What comes after the turn's end is not seen.
        assert_eq!(told(&smiles, Part::Share, (8.0, 10.0), Some("Mara")), Some(0.5));
        assert_eq!(told(&smiles, Part::Present, (3.0, 9.0), Some("Mara")), Some(0.0));
        assert_eq!(told(&smiles, Part::Present, (2.9, 9.0), Some("Mara")), Some(1.0));
        assert_eq!(told(&smiles, Part::Share, (0.0, 4.0), Some("Jonas")), None, "nobody looked at Jonas");
        assert_eq!(told(&smiles, Part::OthersShare, (0.0, 4.0), Some("Jonas")), Some(0.5));
        assert_eq!(told(&smiles, Part::OthersShare, (0.0, 4.0), Some("Mara")), None);
        assert_eq!(told(&smiles, Part::Share, (2.0, 2.0), Some("Mara")), None);
        assert_eq!(told(&nods, Part::Present, (4.0, 5.0), Some("Jonas")), Some(1.0));
        assert_eq!(told(&nods, Part::Present, (3.0, 4.0), Some("Jonas")), Some(0.0), "an end is no part of a turn");
        assert_eq!(told(&nods, Part::OthersPresent, (4.0, 5.0), Some("Mara")), Some(1.0));
    }
}
