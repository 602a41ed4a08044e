//! `turnwise probe`: what the program understands of one file, before anything is extracted.

mod recording;
mod text;

use std::fs::File;
use std::io::Read;
use std::path::Path;

use anyhow::Result;
use serde_json::{Map, Value, json};
use turnwise::error::Error;
use turnwise::inspect::grid::{Grid, Lean};
use turnwise::transcript;

use super::recipe;
use crate::cli::Probe;

/// Bytes that are looked at to tell text from a recording.
const LOOK: u64 = 4096;

/// Names and values, in the order of the page.
type Row = Vec<(&'static str, Value)>;

/// What is told of a file.
struct Told {
    /// Of the whole.
    plain: Row,
    /// Of its parts: their name, and a row each.
    parts: (&'static str, Vec<Row>),
    /// What a user should know.
    warnings: Vec<String>,
}

/// What is printed: one page of aligned lines, or JSON.
///
/// # Errors
/// What `extract` says of the same file.
pub fn run(args: &Probe) -> Result<String> {
    turnwise::file::check(&args.input)?;
    let recipe = recipe(&args.recipe)?;
    let path = &args.input;
    let read = || text::told(path, &recipe.input, args.sample_id.as_deref());
    let told = if is_text(path)? {
        read()?
    } else {
        match recording::told(path, &recipe.input, args.decode) {
            // Text without a mark of its encoding is full of zeros, and FFmpeg may know it as captions.
            Err(media)
                if media
                    .downcast_ref::<Error>()
                    .is_some_and(|e| matches!(e, Error::Media { .. } | Error::NoStream { .. })) =>
            {
                read().map_err(|_| media)?
            }
            told => told?,
        }
    };
    Ok(if args.json { format!("{:#}\n", told.json()) } else { told.page() })
}

/// True for what holds no zeros, or says by its mark that it is text; and for the packed documents that are
/// transcripts.
fn is_text(path: &Path) -> Result<bool> {
    let unreadable = |source| Error::Read { path: path.to_owned(), source };
    let mut head = Vec::new();
    File::open(path).map_err(unreadable)?.take(LOOK).read_to_end(&mut head).map_err(unreadable)?;
    let marked = [&[0xff, 0xfe][..], &[0xfe, 0xff], &[0, 0, 0xfe, 0xff]].iter().any(|mark| head.starts_with(mark));
    let suffix = path.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default();
    let packed = head.starts_with(b"PK\x03\x04") || transcript::Format::ALL.iter().any(|f| f.to_string() == suffix);
    // The sync word of MPEG sound is the mark of UTF-16 with another second half.
    Ok(!head.contains(&0) && std::str::from_utf8(&head[..head.len().min(64)]).is_ok() || marked || packed)
}

impl Told {
    fn json(self) -> Value {
        let object = |row: Row| row.into_iter().map(|(name, v)| (name.to_owned(), v)).collect::<Map<_, _>>();
        let mut all = object(self.plain);
        let (name, rows) = self.parts;
        all.insert(name.into(), rows.into_iter().map(object).map(Value::Object).collect());
        all.insert("warnings".into(), json!(self.warnings));
        Value::Object(all)
    }

    /// Names and values aligned, then a table of the parts, then the warnings. What no part has is left out.
    fn page(&self) -> String {
        let mut plain = Grid::new([(Lean::Left, 40), (Lean::Left, 200)]);
        for (name, value) in self.plain.iter().filter(|(_, v)| !v.is_null()) {
            plain.row([(*name).to_owned(), cell(value)]);
        }
        let mut text = plain.render("");
        let (name, rows) = &self.parts;
        let column = |i: usize| rows.iter().map(move |row| &row[i].1);
        let shown: Vec<usize> =
            (0..rows.first().map_or(0, Vec::len)).filter(|i| column(*i).any(|v| !v.is_null())).collect();
        if !shown.is_empty() {
            let lean = |i: &usize| if column(*i).any(Value::is_number) { Lean::Right } else { Lean::Left };
            let mut grid = Grid::new(shown.iter().map(|i| (lean(i), 40)));
            grid.row(shown.iter().map(|i| rows[0][*i].0));
            rows.iter().for_each(|row| grid.row(shown.iter().map(|i| cell(&row[*i].1))));
            text.push_str(&format!("\n{name}\n{}", grid.render("  ")));
        }
        if !self.warnings.is_empty() {
            text.push_str("\nwarnings\n");
            self.warnings.iter().for_each(|w| text.push_str(&format!("  {w}\n")));
        }
        text
    }
}

fn cell(value: &Value) -> String {
    match value {
        Value::Null => "-".into(),
        Value::Bool(yes) => if *yes { "yes" } else { "no" }.into(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Seconds to the microsecond, as JSON.
fn secs(value: impl Into<Option<f64>>) -> Value {
    json!(value.into().map(|s| (s * 1e6).round() / 1e6))
}
