//! The `annotations` table: what people coded beside the speech, in tiers of ELAN and Praat.

use super::measured;
use crate::annotation::TierCode;
use crate::error::Result;
use crate::table::{Column, CutOff, Layout, Modality, Table, TableSchema, all_until};

/// One code.
struct CodeRow<'a> {
    interview_id: &'a str,
    annotation_index: i64,
    code: &'a TierCode,
}

fn layout<'a>() -> Layout<CodeRow<'a>> {
    let keys = [
        Column::text("interview_id", "Interview the row belongs to.", |r: &CodeRow<'a>| r.interview_id),
        Column::int(
            "annotation_index",
            "",
            "Position among the interview's annotations by time, from 1.",
            |r: &CodeRow<'a>| r.annotation_index,
        ),
        Column::text("tier", "Name of the tier, as the file writes it.", |r: &CodeRow<'a>| r.code.tier.as_str()),
        Column::text(
            "person",
            "Whom it is about: the tier's participant, else the speaker of turns whose name the tier's name holds; null \
             = the file does not tell.",
            |r: &CodeRow<'a>| r.code.person.as_deref(),
        ),
    ];
    // Whoever coded it may have seen the whole interview.
    let told = [
        Column::float(
            "start_secs",
            "s",
            "Start, from the recording's origin; of a point, the point.",
            |r: &CodeRow<'a>| r.code.start,
        ),
        Column::float("end_secs", "s", "End, from the recording's origin; null = a point.", |r: &CodeRow<'a>| {
            r.code.end
        }),
        Column::text(
            "value",
            "What is written there, by people or another program: nothing that Turnwise has measured or checked.",
            |r: &CodeRow<'a>| r.code.value.as_str(),
        ),
    ];
    let mut columns = all_until(CutOff::None, keys);
    columns.extend(measured(Modality::Timing, all_until(CutOff::Interview, told)));
    let description = "One stretch or point of a tier of the transcript file that is no speech: a code, a gloss, a \
                       phone. No relation between people is told from it.";
    Layout { name: "annotations", description, columns }
}

/// Contract of the `annotations` table.
pub fn annotations_schema() -> TableSchema {
    layout().schema()
}

/// Rows of the `annotations` table, by time.
///
/// # Errors
/// [`crate::error::Error::Shape`] when a value does not fit the schema.
pub fn annotations_table(interview_id: &str, codes: &[TierCode]) -> Result<Table> {
    let row = |(code, annotation_index)| CodeRow { interview_id, annotation_index, code };
    layout().table(codes.iter().zip(1..).map(row))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::ColumnData;
    use crate::time::Seconds;

    #[test]
    fn a_point_has_no_end_and_nobody_no_person() {
        let code = |person: Option<&str>, end: Option<f64>| TierCode {
            tier: "Smile_Mara".into(),
            person: person.map(str::to_owned),
            start: Seconds::of(1.0),
            end: end.map(Seconds::of),
            value: "yes".into(),
        };
        let table = annotations_table("a", &[code(Some("Mara"), Some(2.0)), code(None, None)]).unwrap();
        let Some(ColumnData::Str(person)) = table.column("person") else { panic!() };
        assert_eq!(*person, [Some("Mara".to_owned()), None]);
        let Some(ColumnData::F64(end)) = table.column("end_secs") else { panic!() };
        assert!((end[0] - 2.0).abs() < 1e-12 && end[1].is_nan());
    }
}
