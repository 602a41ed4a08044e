//! `turnwise plot`: figures for papers, from the tables of one interview.
//!
//! ```text
//! tables ── source ─┬─ timeline ──┐
//!                   ├─ dyads      ├─ sheet (plotters) ── SVG with real text ── raster (resvg) ── PNG
//!                   └─ synchrony ─┘
//! ```
//!
//! The same tables give the same bytes of SVG. Colours are those that Okabe and Ito chose for the colour-blind ("Color
//! universal design", 2008); what has no value is hatched grey and never drawn as 0.

mod dyads;
mod raster;
mod sheet;
mod synchrony;
mod timeline;

use std::path::Path;

use crate::error::{Error, Result};
use crate::report::corpus::rows;
use crate::report::source::Source;
use crate::spelling::meant;
use crate::store::folder::OutputFolder;
use crate::store::whole::{write_by_path, write_text};

/// A figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Figure {
    /// Turns, voices, overlaps, pitch, level and smiles over time.
    Timeline,
    /// Who follows, interrupts and smiles at whom.
    Dyads,
    /// Correlation by lag, with what chance gives.
    Synchrony,
}

/// What is to be drawn, and where.
#[derive(Clone, Copy, Debug)]
pub struct PlotRequest<'a> {
    /// The folder that extract wrote.
    pub out: &'a Path,
    /// Which interview.
    pub interview: &'a str,
    /// Which figure.
    pub figure: Figure,
    /// The file, `.svg` or `.png`.
    pub to: &'a Path,
}

/// What a file is, by its ending.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Picture {
    Svg,
    Png,
}

/// Draws a figure and writes it; tells what is to be known of it besides.
///
/// # Errors
/// [`Error::Usage`] for another ending, an interview that is not there or not done, and one whose tables hold nothing to
/// draw; those of reading tables; [`Error::Write`].
pub fn plot(request: &PlotRequest<'_>) -> Result<Vec<String>> {
    let picture = picture(request.to)?;
    let source = source(request)?;
    let drawn = match request.figure {
        Figure::Timeline => timeline::draw(&source),
        Figure::Dyads => dyads::draw(&source),
        Figure::Synchrony => synchrony::draw(&source),
    };
    let sheet = drawn.map_err(|e| Error::write(request.to, e.0))?.ok_or_else(|| nothing(request))?;
    let mut told = source.faults.clone();
    told.extend(sheet.told);
    match picture {
        Picture::Svg => write_text(request.to, &sheet.svg)?,
        Picture::Png => {
            let (image, lacking) = raster::raster(&sheet.svg).map_err(|e| Error::write(request.to, e))?;
            told.extend(lacking);
            write_by_path(request.to, |path| {
                image.save_with_format(path, image::ImageFormat::Png).map_err(|e| Error::write(path, e))
            })?;
        }
    }
    Ok(told)
}

fn picture(to: &Path) -> Result<Picture> {
    let ending = to.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default();
    match ending.as_str() {
        "svg" => Ok(Picture::Svg),
        "png" => Ok(Picture::Png),
        _ => Err(Error::Usage {
            what: format!("a figure as {}", to.display()),
            hint: "name a file that ends in .svg or .png".into(),
        }),
    }
}

fn source(request: &PlotRequest<'_>) -> Result<Source> {
    let all = rows(&OutputFolder::new(request.out))?;
    let near = meant(request.interview, all.iter().map(|row| row.id.as_str()));
    let row = all.into_iter().find(|row| row.id == request.interview).ok_or_else(|| Error::Usage {
        what: format!("{} has no interview \"{}\"{near}", request.out.display(), request.interview),
        hint: "give the id as the column interview_id of the tables writes it".into(),
    })?;
    if row.status() != "done" {
        return Err(Error::Usage {
            what: format!("interview {} is not done ({})", request.interview, row.status()),
            hint: "turnwise status tells why".into(),
        });
    }
    Source::read(request.out, row)
}

fn nothing(request: &PlotRequest<'_>) -> Error {
    let what = match request.figure {
        Figure::Timeline => "neither turns nor speech",
        Figure::Dyads => "no two people who talk to each other",
        Figure::Synchrony => "no pair of people whose signals could be compared",
    };
    let hint = "turnwise inspect tells what its tables hold, and warnings why".into();
    Error::Usage { what: format!("interview {} has {what}", request.interview), hint }
}
