//! A table that tells both ends and durations, which contradict each other.

use csv::StringRecord;

use super::delimited::Layout;
use super::headers::{DURATION, normal};
use crate::transcript::clock;
use crate::transcript::draft::Draft;

/// Tells of rows whose duration is not that from start to end, in whatever unit the durations are.
pub(super) fn tell(layout: &Layout, rows: &[(usize, StringRecord)], draft: &mut Draft) {
    let Some(at) = layout.header.iter().position(|h| DURATION.contains(&normal(h).0.as_str())) else { return };
    if !layout.tells_ends() || layout.start.index == at {
        return;
    }
    let value = |row: &StringRecord, at: usize| row.get(at).and_then(clock::parse_loose);
    let of_row = |(_, row): &(usize, StringRecord)| {
        let (start, end) = (value(row, layout.start.index)?, value(row, layout.end_index())?);
        Some((end - start, value(row, at)?))
    };
    let known: Vec<(f64, f64)> = rows.iter().filter_map(of_row).collect();
    let odd =
        |unit: f64| known.iter().filter(|(span, told)| (span - told * unit).abs() > 0.02 * span.abs() + 0.011).count();
    let Some(count) = [1.0, 1e-3, 1e3].into_iter().map(odd).min().filter(|count| *count > 0) else { return };
    let name = |i: usize| &layout.header[i];
    draft.warn(format!(
        "{count} of {} rows have a {} that is not the time from {} to {}; the {} is read",
        known.len(),
        name(at),
        name(layout.start.index),
        name(layout.end_index()),
        name(layout.end_index())
    ));
}

#[cfg(test)]
mod tests {
    use crate::transcript::tests::{parse, warned};

    #[test]
    fn durations_that_contradict_ends_are_told() {
        let t = parse("a.csv", "start,end,duration,text\n0,2,5,a\n2,4,5,b\n");
        assert!(
            warned(&t).contains("2 of 2 rows have a duration that is not the time from start to end"),
            "{}",
            warned(&t)
        );
        for fine in ["0,2,2,a\n2,4.5,2.5,b\n", "0,2,2000,a\n2,4.5,2500,b\n", "0,2,,a\n2,4.5,2.49,b\n"] {
            assert_eq!(warned(&parse("a.csv", &format!("start,end,duration,text\n{fine}"))), "");
        }
        let t = parse("a.csv", "start,offset,duration,text\n0,10,2,a\n2,10,2,b\n");
        assert!(warned(&t).contains("the offset is read"), "{}", warned(&t));
    }
}
