//! Contact sheets: stills in a grid, each with its time, the speaker's name and the words below it.

use std::path::{Path, PathBuf};

use fast_image_resize::images::{Image, ImageRef};
use fast_image_resize::{PixelType, Resizer};
use image::{Rgb, RgbImage};

use super::canvas::{self, Area, Colour};
use super::film::{end_of, threads};
use super::letters::Setting;
use super::painter::{Extent, Painter, WORDS, colour};
use super::talk::Turn;
use super::{Drawn, Overlay, ROUNDING_SECS, captions};
use crate::error::{Error, Result};
use crate::media::{Wanted, video_of};
use crate::signal::VideoFrame;
use crate::store::whole::write_by_path;
use crate::time::Seconds;

/// Longer side of a still.
const STILL: u32 = 320;
/// About the width of a sheet.
const SHEET: u32 = 1660;
/// Rows of a sheet: what is held at once.
const ROWS: usize = 6;
const GAP: u32 = 8;
const TEXT: f32 = 14.0;
/// Lines of words below a still.
const LINES: usize = 3;
const PAPER: Colour = [24, 24, 28];
const FAINT: Colour = [170, 170, 175];
/// A grid of instants has at most as many: a sheet every 0.1 s of an hour helps nobody.
const MOST_STILLS: usize = 20_000;

/// What each still is of.
#[derive(Clone, Debug, PartialEq)]
struct Moment {
    at: f64,
    turn: Option<Turn>,
}

/// What was written.
#[derive(Clone, Debug, PartialEq)]
pub struct SheetsTold {
    /// The files.
    pub files: Vec<PathBuf>,
    /// Stills on them.
    pub stills: usize,
    /// Moments behind the film's end, of which there is no picture.
    pub without: usize,
}

/// Draws a still for the middle of each turn, or every so many seconds, and writes them to `to`; where they do not fit
/// on one sheet to `NAME-1.png`, `NAME-2.png` and so on.
///
/// # Errors
/// [`Error::Usage`] for another ending than .png, and where there is nothing to show; those of reading and writing.
pub(super) fn draw(overlay: &Overlay<'_>, to: &Path, every: Option<f64>) -> Result<Drawn<SheetsTold>> {
    if !to.extension().is_some_and(|e| e.eq_ignore_ascii_case("png")) {
        let what = format!("{} is no PNG by its ending", to.display());
        return Err(Error::Usage { what, hint: "name the contact sheet .png".into() });
    }
    let mut painter = overlay.painter()?;
    let moments = moments(overlay, &painter, every)?;
    let times = moments.iter().map(|m| Seconds::of(m.at)).collect();
    let mut frames = video_of(overlay.media, Wanted::At(times), threads(), overlay.interview.pick())?;
    let mut sheets = Sheets { to, total: moments.len(), grid: None, files: Vec::new(), stills: 0 };
    let mut due = moments.iter().peekable();
    while due.peek().is_some() {
        let Some(frame) = frames.next() else { break };
        let VideoFrame { pts, image, .. } = frame?;
        let (mut still, scale) = shrunk(&image)?;
        painter.paint(&mut still, pts, scale, Extent::Still)?;
        while let Some(moment) = due.next_if(|m| m.at <= pts.get() + ROUNDING_SECS) {
            sheets.add(&mut painter, &still, pts, moment)?;
        }
    }
    let without = due.count();
    let report = end_of(frames)?;
    if sheets.stills == 0 {
        return Err(overlay.no_pictures(report.end));
    }
    sheets.flush(true)?;
    let told = SheetsTold { files: sheets.files, stills: sheets.stills, without };
    Ok(Drawn { told, missing: painter.letters.missing().clone() })
}

/// In order of time, inside the stretch asked for.
fn moments(overlay: &Overlay<'_>, painter: &Painter, every: Option<f64>) -> Result<Vec<Moment>> {
    let (from, until) = (overlay.from.get(), overlay.until.map_or(f64::INFINITY, Seconds::get));
    let mut moments: Vec<Moment> = match every {
        Some(step) => {
            let length = overlay.interview.length_secs().unwrap_or(0.0);
            let count = ((until.min(length) - from) / step).ceil().clamp(0.0, MOST_STILLS as f64) as usize;
            let at = |i: usize| from + i as f64 * step;
            (0..count).map(|i| Moment { at: at(i), turn: painter.talk.turns_at(at(i)).last().cloned() }).collect()
        }
        None => {
            let middle = |t: &Turn| Moment { at: (t.start + t.end) / 2.0, turn: Some(t.clone()) };
            painter.talk.turns.iter().map(middle).collect()
        }
    };
    moments.retain(|m| (from..until).contains(&m.at));
    moments.sort_by(|a, b| a.at.total_cmp(&b.at));
    if moments.is_empty() {
        let what = format!("{} has nothing to show on a contact sheet in this stretch", overlay.interview.id);
        return Err(Error::Usage { what, hint: "give another --from or --until, or --every SECS".into() });
    }
    Ok(moments)
}

/// The picture made as small as a still, and how much smaller that is.
fn shrunk(image: &RgbImage) -> Result<(RgbImage, f32)> {
    let (width, height) = image.dimensions();
    let scale = (STILL as f32 / width.max(height).max(1) as f32).min(1.0);
    let side = |x: u32| ((x as f32 * scale).round() as u32).max(1);
    let bad = |e: &dyn std::fmt::Display| Error::Shape {
        what: "a still",
        expected: "a picture that can be made smaller".into(),
        got: e.to_string(),
    };
    let mut still = Image::new(side(width), side(height), PixelType::U8x3);
    let source = ImageRef::new(width, height, image.as_raw(), PixelType::U8x3).map_err(|e| bad(&e))?;
    Resizer::new().resize(&source, &mut still, None).map_err(|e| bad(&e))?;
    let (width, height) = (still.width(), still.height());
    let still = RgbImage::from_raw(width, height, still.into_vec()).ok_or_else(|| bad(&"too few pixels"))?;
    Ok((still, scale))
}

/// The sheet that is being filled.
struct Grid {
    picture: RgbImage,
    columns: usize,
    rows: usize,
    cell: (u32, u32),
    filled: usize,
}

struct Sheets<'a> {
    to: &'a Path,
    total: usize,
    grid: Option<Grid>,
    files: Vec<PathBuf>,
    stills: usize,
}

impl Sheets<'_> {
    fn add(&mut self, painter: &mut Painter, still: &RgbImage, pts: Seconds, moment: &Moment) -> Result<()> {
        if self.grid.as_ref().is_some_and(|g| g.filled == g.columns * g.rows) {
            self.flush(false)?;
        }
        let left = self.total - self.stills;
        let grid = self.grid.get_or_insert_with(|| Grid::new(still, left));
        let (column, row) = (grid.filled % grid.columns, grid.filled / grid.columns);
        let (x, y) = (GAP + column as u32 * grid.cell.0, GAP + row as u32 * grid.cell.1);
        image::imageops::replace(&mut grid.picture, still, i64::from(x), i64::from(y));
        let (left, mut top) = (x as f32, (y + still.height()) as f32 + 2.0);
        let width = (grid.cell.0 - GAP) as f32;
        let time = captions::told(pts.get());
        let (name, text, own) = match &moment.turn {
            Some(turn) => (turn.speaker.as_str(), turn.text.as_str(), colour(&painter.talk, turn.person.as_deref())),
            None => ("", "", FAINT),
        };
        let words = painter.letters.lay(&[(text, WORDS)], Setting { size: TEXT, width: Some(width) });
        // Two pieces: a name that is written from right to left would take the time along.
        let mut at = left;
        for piece in [(time.as_str(), FAINT), (name, own)] {
            let laid = painter.letters.lay(&[piece], Setting { size: TEXT, width: None });
            if let Some(line) = laid.lines.first() {
                painter.letters.draw(&mut grid.picture, line, (at, top));
                at += line.width + TEXT;
            }
        }
        for (i, line) in words.lines.iter().take(LINES).enumerate() {
            top += words.leading;
            painter.letters.draw_in_place(&mut grid.picture, line, (left, top));
            if i + 1 == LINES && words.lines.len() > LINES {
                // More is said than is shown.
                let mark = painter.letters.lay(&[("…", WORDS)], Setting { size: TEXT, width: None });
                let end = (left + line.width).min(left + width - mark.width() - 2.0);
                let behind = Area { left: end, top, width: left + width - end, height: words.leading };
                canvas::fill(&mut grid.picture, behind, PAPER, 1.0);
                if let Some(mark) = mark.lines.first() {
                    painter.letters.draw(&mut grid.picture, mark, (end + 1.0, top));
                }
            }
        }
        grid.filled += 1;
        self.stills += 1;
        Ok(())
    }

    fn flush(&mut self, last: bool) -> Result<()> {
        let Some(grid) = self.grid.take().filter(|g| g.filled > 0) else { return Ok(()) };
        let is_only = self.files.is_empty() && last;
        let file = if is_only { self.to.to_owned() } else { numbered(self.to, self.files.len() + 1) };
        write_by_path(&file, |unfinished| {
            grid.picture.save_with_format(unfinished, image::ImageFormat::Png).map_err(|e| Error::write(unfinished, e))
        })?;
        self.files.push(file);
        Ok(())
    }
}

impl Grid {
    fn new(still: &RgbImage, left: usize) -> Self {
        let words = (TEXT * 1.3).ceil() as u32 * (1 + LINES as u32) + 6;
        // Words below a narrow still need some width.
        let cell = (still.width().max(200) + GAP, still.height() + words + GAP);
        let columns = ((SHEET - GAP) / cell.0).max(1) as usize;
        let columns = columns.min(left.max(1));
        let rows = left.div_ceil(columns).clamp(1, ROWS);
        let size = (GAP + columns as u32 * cell.0, GAP + rows as u32 * cell.1);
        Grid { picture: RgbImage::from_pixel(size.0, size.1, Rgb(PAPER)), columns, rows, cell, filled: 0 }
    }
}

/// `sheet.png` becomes `sheet-2.png`.
fn numbered(path: &Path, number: usize) -> PathBuf {
    let stem = path.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
    path.with_file_name(format!("{stem}-{number}.png"))
}
