//! `turnwise voice`: eGeMAPSv02 of a plain recording, for those who come from openSMILE.

use std::path::Path;

use anyhow::Result;
use turnwise::audio::{SAMPLE_RATE_HZ, opensmile_tables};
use turnwise::inference::Registry;
use turnwise::media::{self, StreamPick};
use turnwise::pipeline::file_metadata;
use turnwise::recipe::Recipe;
use turnwise::sheet::{Row, Sheet};
use turnwise::store::rttm;
use turnwise::time::Segment;

use crate::cli::Voice;

/// Writes `lld` and `functionals`.
pub fn run(args: &Voice, registry: &Registry) -> Result<()> {
    // The segments first: a mistake in them shows before the decoding.
    let segments = args.segments.as_deref().map(read_segments).transpose()?.unwrap_or_default();
    let writer = args.tables.writer();
    let paths = ["lld", "functionals"].map(|name| writer.path(&args.out, name));
    paths.iter().try_for_each(|path| writer.check(path))?;
    let decoded = media::audio(&args.input, SAMPLE_RATE_HZ, StreamPick::default())?;
    for warning in &decoded.warnings {
        tracing::warn!("{warning}");
    }
    let (lld, functionals) = opensmile_tables(&decoded.buffer, &segments)?;
    let metadata = file_metadata(&Recipe::default(), registry)?;
    for (path, table) in paths.iter().zip([lld, functionals]) {
        writer.write(path, &table, &metadata)?;
    }
    Ok(())
}

/// RTTM lines of all recordings in the file, or the rows of a CSV file, in their order.
fn read_segments(path: &Path) -> Result<Vec<Segment>> {
    if !path.extension().is_some_and(|e| e.eq_ignore_ascii_case("csv")) {
        // In the order of the file: sorted, its rows could not be laid beside openSMILE's.
        return Ok(rttm::read_rttm_segments(path)?);
    }
    let sheet = Sheet::read(path)?;
    sheet.require(&["start_secs", "end_secs"], "segments have the columns start_secs and end_secs")?;
    let segment = |row: Row<'_>| -> Result<Segment> {
        let number = |name: &str| row.cell(name).and_then(|c| c.parse::<f64>().ok());
        let segment = number("start_secs").zip(number("end_secs")).and_then(|(a, b)| Segment::from_secs(a, b));
        segment.ok_or_else(|| {
            row.fail("no start_secs and end_secs in seconds, the second not before the first", "correct the line")
                .into()
        })
    };
    sheet.rows().map(segment).collect()
}
