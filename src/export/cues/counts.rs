//! How many rows and prompts show a cue, by field: what `check` tells of an output folder.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use super::{CueField, Wording};
use crate::error::Result;
use crate::export::hidden::Hidden;
use crate::export::instances::Measured;
use crate::export::run::measured_in;
use crate::tasks::{Evidence, Instance, RULES, Task, instances};
use crate::transcript::rescue::Sample;

/// The evidence modes that show cues.
const MODES: [Evidence; 3] = [Evidence::Audio, Evidence::Visual, Evidence::Audiovisual];

/// Rows or prompts with a cue: in any field, and in each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Shown {
    all: usize,
    any: usize,
    fields: [usize; CueField::ALL.len()],
    /// By [`MODES`].
    modes: [usize; MODES.len()],
}

impl Shown {
    fn add(&mut self, fields: &[CueField]) {
        self.all += 1;
        self.any += usize::from(!fields.is_empty());
        for (count, field) in self.fields.iter_mut().zip(CueField::ALL) {
            *count += usize::from(fields.contains(&field));
        }
        for (count, mode) in self.modes.iter_mut().zip(MODES) {
            *count += usize::from(fields.iter().any(|f| f.is_shown_in(mode)));
        }
    }

    fn by_field(&self) -> String {
        let each = CueField::ALL.iter().zip(self.fields).map(|(field, n)| format!("{} {n}", field.name()));
        each.collect::<Vec<_>>().join(", ")
    }

    fn by_mode(&self) -> String {
        MODES.iter().zip(self.modes).map(|(mode, n)| format!("{} {n}", mode.name())).collect::<Vec<_>>().join(", ")
    }
}

/// Tells how many rows of the samples, and how many prompts of each task with its defaults, show a cue from the tables
/// of an output folder. Dialogue alone shows none.
///
/// # Errors
/// Those of reading the tables, and [`crate::error::Error::Usage`] for a cue that looks past its turn.
pub fn cue_counts(out: &Path, samples: &[Sample]) -> Result<String> {
    let wording = Wording::load(None)?;
    let mut measured: BTreeMap<&str, Measured> = BTreeMap::new();
    for sample in samples {
        if let Some(found) = measured_in(&wording, out, &sample.id)? {
            measured.insert(&sample.id, found);
        }
    }
    let mut rows = Shown::default();
    for sample in samples {
        let own = measured.get(sample.id.as_str());
        for row in &sample.rows {
            let told = own.and_then(|own| own.cues.get(&row.row_index));
            rows.add(&told.map(|told| told.fields().collect::<Vec<_>>()).unwrap_or_default());
        }
    }
    let (of, without) = (out.display(), samples.len() - measured.len());
    // Writing into a String cannot fail.
    let mut text = format!("\nCues from {of}\n");
    if without > 0 {
        let _ = writeln!(text, "  {without} samples have no tables there");
    }
    let _ = writeln!(text, "  {} of {} rows: {}", rows.any, rows.all, rows.by_field());
    for rule in RULES {
        let all = instances(samples, &Task::of(rule));
        let answers = all.iter().map(|one| (one.candidates.as_slice(), Some(one.label.as_str())));
        let hidden = Hidden::of_answers(rule.name, rule, answers);
        let mut shown = Shown::default();
        all.iter().for_each(|one| shown.add(&fields(one, measured.get(one.sample_id.as_str()), &hidden)));
        let (name, any, all) = (rule.name.to_uppercase(), shown.any, shown.all);
        let _ = writeln!(text, "  {name}: {any} of {all} prompts ({}): {}", shown.by_mode(), shown.by_field());
    }
    Ok(text)
}

fn fields(one: &Instance, own: Option<&Measured>, hidden: &Hidden) -> Vec<CueField> {
    let told = own.into_iter().flat_map(|own| own.told(&one.context, false));
    let all: Vec<CueField> =
        told.flat_map(|(_, told)| told.shown(Evidence::Audiovisual, hidden).fields().collect::<Vec<_>>()).collect();
    CueField::ALL.into_iter().filter(|field| all.contains(field)).collect()
}
