//! `turnwise voice`: eGeMAPSv02 of a plain recording, for those who come from openSMILE.

use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result};
use turnwise::audio::egemaps::Extractor;
use turnwise::audio::{LldFrame, SegmentFunctionals, functionals_layout, lld_layout};
use turnwise::inference::Registry;
use turnwise::media::{self, StreamPick};
use turnwise::output::atomic::write_whole;
use turnwise::output::{parquet, rttm};
use turnwise::pipeline::file_metadata;
use turnwise::recipe::Recipe;
use turnwise::sheet::{Row, Sheet};
use turnwise::table::{ColumnData, Table};
use turnwise::time::{Seconds, Segment};

use crate::cli::{Voice, VoiceFormat};

/// Writes `lld` and `functionals`.
pub fn run(args: &Voice, registry: &Registry) -> Result<()> {
    // The segments first: a mistake in them shows before the decoding.
    let segments = args.segments.as_deref().map(read_segments).transpose()?.unwrap_or_default();
    let decoded = media::audio(&args.input, turnwise::audio::SAMPLE_RATE_HZ, StreamPick::default())?;
    for warning in &decoded.warnings {
        tracing::warn!("{warning}");
    }
    let audio = decoded.buffer;
    let mut extractor = Extractor::new();
    let (lld, whole) = extractor.analyse(audio.samples());
    let mut rows = vec![SegmentFunctionals { start: Seconds::ZERO, end: audio.duration(), functionals: whole }];
    for segment in segments {
        let functionals = extractor.functionals(audio.slice(segment));
        rows.push(SegmentFunctionals { start: segment.start(), end: segment.end(), functionals });
    }
    let lld = lld_layout().table((0..lld.frames()).map(|frame| LldFrame { lld: &lld, frame }))?;
    let functionals = functionals_layout().table(rows)?;
    std::fs::create_dir_all(&args.out).with_context(|| format!("cannot make the folder {}", args.out.display()))?;
    match args.format {
        VoiceFormat::Parquet => {
            let metadata = file_metadata(&Recipe::default(), registry)?;
            parquet::write(&args.out.join("lld.parquet"), &lld, &metadata)?;
            parquet::write(&args.out.join("functionals.parquet"), &functionals, &metadata)?;
        }
        VoiceFormat::Csv => {
            write_csv(&args.out.join("lld.csv"), &lld)?;
            write_csv(&args.out.join("functionals.csv"), &functionals)?;
        }
    }
    Ok(())
}

fn write_csv(path: &Path, table: &Table) -> Result<()> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(table.schema().columns.iter().map(|c| c.name.as_ref()))?;
    let text = |column: &ColumnData, row: usize| match column {
        ColumnData::F64(v) if v[row].is_finite() => v[row].to_string(),
        ColumnData::F32(v) if v[row].is_finite() => v[row].to_string(),
        _ => String::new(),
    };
    for row in 0..table.rows() {
        writer.write_record(table.columns().iter().map(|c| text(c, row)))?;
    }
    let bytes = writer.into_inner().context("the table cannot be written as CSV")?;
    Ok(write_whole(path, |file| Ok(file.write_all(&bytes)?))?)
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
        segment.ok_or_else(|| row.fail("no start_secs and end_secs in seconds, the second not before the first", "correct the line").into())
    };
    sheet.rows().map(segment).collect()
}
