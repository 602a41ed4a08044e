//! Do annotations and extracted tables speak of the same turns? They are joined by row number, so they must.

use std::path::Path;

use crate::error::{Error, Result};
use crate::store::finished::own_tables;
use crate::store::read::read_columns;
use crate::text::clean;

/// Times of one turn in both; annotations have up to three decimals.
const SAME_SECS: f64 = 0.002;

/// What is compared of a row.
#[derive(Clone, Debug, PartialEq)]
pub struct AnnotatedRow {
    /// `row_index`.
    pub index: u32,
    /// Trimmed; may be empty.
    pub speaker: String,
    /// Start and end in seconds, where the row has both.
    pub span: Option<(f64, f64)>,
}

/// Compares a sample's rows with the turns that were extracted: speaker, length and place of each. A constant shift of
/// the whole transcript, which the recipe may ask for, is no difference. Nothing to compare where the sample was not
/// extracted.
///
/// # Errors
/// [`Error::Usage`] naming sample and row: features and cues would be those of other turns.
pub fn agree(id: &str, rows: &[AnnotatedRow], out: &Path) -> Result<()> {
    let Some((_, path)) = own_tables(out, id, &["turns"])?.pop() else { return Ok(()) };
    let turns = read_columns(&path, &["turn_index", "speaker", "start_secs", "end_secs"])?;
    let mut shift: Option<f64> = None;
    for row in 0..turns.rows() {
        let Some(index) = turns.number("turn_index", row).map(|i| i as u32) else { continue };
        let differs = |what: String| {
            Err(Error::Usage {
                what: format!("the annotations of {id} are not those that were extracted: row {index} {what}"),
                hint: "extract the interview again with these annotations".into(),
            })
        };
        let Some(annotated) = rows.iter().find(|r| r.index == index) else { return differs("is not in them".into()) };
        let speaker = turns.text("speaker", row).unwrap_or_default();
        // The tables hold it without control characters.
        if clean(&annotated.speaker) != speaker {
            return differs(format!("is spoken by {:?}, extracted as {speaker:?}", annotated.speaker));
        }
        let extracted = turns.number("start_secs", row).zip(turns.number("end_secs", row));
        let (Some((start, end)), Some((from, to))) = (annotated.span, extracted) else { continue };
        let moved = *shift.get_or_insert(from - start);
        if (from - start - moved).abs() > SAME_SECS || (to - end - moved).abs() > SAME_SECS {
            return differs(format!("is at {start:.3} to {end:.3} s, extracted at {from:.3} to {to:.3} s"));
        }
    }
    Ok(())
}
