//! Words in real type, in any script: cosmic-text shapes them (ligatures, joined and right-to-left writing), breaks
//! lines and looks in other fonts for what one has not; swash draws the outlines.
//!
//! The font that comes with the program is a part of DejaVu Sans 2.37 under a name of its own, as its licence asks:
//! Latin, Greek, Cyrillic, Armenian, Georgian, Hebrew and Arabic letters look the same on every machine. For other
//! scripts the fonts of the system serve, and those that are named.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;
use std::rc::Rc;

use cosmic_text::{Attrs, Buffer, Color, Family, FontSystem, LayoutGlyph, Metrics, Shaping, SwashCache, Wrap, fontdb};
use image::RgbImage;

use super::canvas::{self, Colour};
use crate::error::{Error, Result};

/// The font that comes with the program, and its name.
const FONT: &[u8] = include_bytes!("font/TurnwiseSans-Book.ttf");
const FAMILY: &str = "Turnwise Sans";
/// Distance of lines over the size of letters.
const LEADING: f32 = 1.3;
/// Texts and pictures of letters that are kept for the next frame.
const MOST_LAID: usize = 256;
const MOST_LETTERS: usize = 4096;

/// Words with their colour.
pub type Span<'a> = (&'a str, Colour);

/// The size of letters, and the width that lines are broken at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Setting {
    /// In pixels.
    pub size: f32,
    /// In pixels; `None` = one line.
    pub width: Option<f32>,
}

/// A line of words.
#[derive(Clone, Debug)]
pub struct Line {
    glyphs: Vec<LayoutGlyph>,
    /// From the line's top.
    baseline: f32,
    /// Bytes of the text that stand in it.
    pub bytes: std::ops::Range<usize>,
    /// From the leftmost letter to the rightmost.
    pub width: f32,
    /// Where the leftmost letter begins.
    left: f32,
}

/// Words broken into lines.
#[derive(Clone, Debug)]
pub struct Laid {
    /// From the top.
    pub lines: Vec<Line>,
    /// Distance of lines.
    pub leading: f32,
}

impl Laid {
    /// Width of the widest line.
    pub fn width(&self) -> f32 {
        self.lines.iter().map(|l| l.width).fold(0.0, f32::max)
    }
}

/// Fonts, and what was laid out with them.
pub struct Letters {
    fonts: FontSystem,
    drawn: SwashCache,
    laid: HashMap<(String, u32, u32), Rc<Laid>>,
    missing: BTreeSet<char>,
}

impl std::fmt::Debug for Letters {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Letters of {} fonts", self.fonts.db().len())
    }
}

impl Letters {
    /// The program's own font, then those in `named` (files or folders), then the system's where `system` says so.
    ///
    /// # Errors
    /// [`Error::Usage`] for a named place without fonts.
    pub fn new(named: &[std::path::PathBuf], system: bool) -> Result<Self> {
        let mut fonts = fontdb::Database::new();
        fonts.load_font_data(FONT.to_vec());
        for place in named {
            let before = fonts.len();
            load(&mut fonts, place);
            if fonts.len() == before {
                let what = format!("{} holds no font", place.display());
                return Err(Error::Usage { what, hint: "name a .ttf, .otf or .ttc file, or a folder of them".into() });
            }
        }
        if system {
            fonts.load_system_fonts();
        }
        // Which shape of a Chinese character is taken must not depend on the machine's language.
        let fonts = FontSystem::new_with_locale_and_db("und".into(), fonts);
        let (drawn, laid) = (SwashCache::new(), HashMap::new());
        Ok(Letters { fonts, drawn, laid, missing: BTreeSet::new() })
    }

    /// Letters that no font had so far.
    pub fn missing(&self) -> &BTreeSet<char> {
        &self.missing
    }

    /// Breaks words into lines. Ends of lines in them are blanks.
    pub fn lay(&mut self, spans: &[Span<'_>], setting: Setting) -> Rc<Laid> {
        let width = setting.width.map_or(u32::MAX, |w| w.max(1.0).round() as u32);
        // Colours are part of it: a letter keeps its own.
        let key: String = spans.iter().map(|(text, [r, g, b])| format!("\u{1}{r},{g},{b}\u{2}{text}")).collect();
        let key = (key, setting.size.to_bits(), width);
        if let Some(laid) = self.laid.get(&key) {
            return Rc::clone(laid);
        }
        if self.laid.len() >= MOST_LAID {
            self.laid.clear();
        }
        let laid = Rc::new(self.layout(spans, setting));
        self.laid.insert(key, Rc::clone(&laid));
        laid
    }

    fn layout(&mut self, spans: &[Span<'_>], setting: Setting) -> Laid {
        let size = setting.size.max(1.0);
        let leading = (size * LEADING).ceil();
        let texts: Vec<(String, Color)> = spans
            .iter()
            .map(|(text, [r, g, b])| (text.replace(char::is_control, " "), Color::rgb(*r, *g, *b)))
            .collect();
        let whole: String = texts.iter().map(|(text, _)| text.as_str()).collect();
        let plain = Attrs::new().family(Family::Name(FAMILY));
        let mut buffer = Buffer::new(&mut self.fonts, Metrics::new(size, leading));
        // Without a width this is one line too; `Wrap::None` drops what stands before writing from right to left.
        buffer.set_wrap(Wrap::WordOrGlyph);
        buffer.set_size(setting.width, None);
        let rich = texts.iter().map(|(text, colour)| (text.as_str(), plain.clone().color(*colour)));
        buffer.set_rich_text(rich, &plain, Shaping::Advanced, None);
        buffer.shape_until_scroll(&mut self.fonts, false);
        let mut lines = Vec::new();
        for run in buffer.layout_runs() {
            for glyph in run.glyphs.iter().filter(|g| g.glyph_id == 0) {
                let lacking = whole.get(glyph.start..glyph.end).unwrap_or_default();
                self.missing.extend(lacking.chars().filter(|c| !c.is_whitespace() && !c.is_control()));
            }
            let left = run.glyphs.iter().map(|g| g.x).fold(f32::INFINITY, f32::min);
            let right = run.glyphs.iter().map(|g| g.x + g.w).fold(0.0, f32::max);
            let left = if left.is_finite() { left } else { 0.0 };
            let start = run.glyphs.iter().map(|g| g.start).min().unwrap_or(0);
            let end = run.glyphs.iter().map(|g| g.end).max().unwrap_or(0);
            lines.push(Line {
                glyphs: run.glyphs.to_vec(),
                baseline: run.line_y - run.line_top,
                bytes: start..end,
                width: (right - left).max(0.0),
                left,
            });
        }
        Laid { lines, leading }
    }

    /// Draws a line whose leftmost letter begins at `x`, its top at `y`.
    pub fn draw(&mut self, picture: &mut RgbImage, line: &Line, (x, y): (f32, f32)) {
        self.draw_shifted(picture, line, (x - line.left, y));
    }

    /// Draws a line where it stands in the width that it was laid out in, which begins at `x`: writing from right to
    /// left stands at its right.
    pub fn draw_in_place(&mut self, picture: &mut RgbImage, line: &Line, at: (f32, f32)) {
        self.draw_shifted(picture, line, at);
    }

    fn draw_shifted(&mut self, picture: &mut RgbImage, line: &Line, (x, y): (f32, f32)) {
        if self.drawn.image_cache.len() > MOST_LETTERS {
            self.drawn.image_cache.clear();
        }
        for glyph in &line.glyphs {
            let place = glyph.physical((x, y + line.baseline), 1.0);
            let base = glyph.color_opt.unwrap_or(Color::rgb(255, 255, 255));
            self.drawn.with_pixels(&mut self.fonts, place.cache_key, base, |dx, dy, colour| {
                let [r, g, b, alpha] = colour.as_rgba();
                let (x, y) = (place.x.saturating_add(dx), place.y.saturating_add(dy));
                canvas::blend(picture, x, y, [r, g, b], f32::from(alpha) / 255.0);
            });
        }
    }
}

/// A file of a font, or all below a folder.
fn load(fonts: &mut fontdb::Database, place: &Path) {
    if place.is_dir() {
        fonts.load_fonts_dir(place);
    } else if fonts.load_font_file(place).is_err() {
        tracing::debug!("{} is no font", place.display());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE_LINE: Setting = Setting { size: 20.0, width: None };

    /// The program's own font alone, so that the tests are the same on every machine.
    fn letters() -> Letters {
        Letters::new(&[], false).unwrap()
    }

    fn ink(letters: &mut Letters, text: &str) -> usize {
        let laid = letters.lay(&[(text, [255; 3])], ONE_LINE);
        let mut picture = RgbImage::new(400, 40);
        letters.draw(&mut picture, &laid.lines[0], (2.0, 4.0));
        picture.pixels().filter(|p| p.0[0] > 128).count()
    }

    #[test]
    fn latin_greek_cyrillic_hebrew_and_arabic_draw_ink_with_the_own_font() {
        let mut letters = letters();
        for name in ["Ann", "Zoë Nguyễn", "Αλέξανδρος", "Анна", "שרה", "ليلى", "Ռուբեն", "ნინო"]
        {
            assert!(ink(&mut letters, name) > 40, "{name}");
        }
        assert!(letters.missing().is_empty(), "{:?}", letters.missing());
        // A letter that no font has is told, and drawn as a box.
        assert!(ink(&mut letters, "王") > 10);
        assert_eq!(letters.missing().iter().collect::<String>(), "王");
    }

    #[test]
    fn arabic_is_joined_and_runs_from_right_to_left() {
        let mut letters = letters();
        let laid = letters.lay(&[("ليلى", [255; 3])], ONE_LINE);
        let line = &laid.lines[0];
        let first = line.glyphs.iter().find(|g| g.start == 0).unwrap();
        assert!(line.glyphs.iter().all(|g| g.x <= first.x), "the first letter is the rightmost");
        // The letter ya within a word is another shape than alone.
        let within = line.glyphs.iter().find(|g| g.start == 2).unwrap().glyph_id;
        let alone = letters.lay(&[("ي", [255; 3])], ONE_LINE).lines[0].glyphs[0].glyph_id;
        assert_ne!(within, alone);
    }

    #[test]
    fn numbers_and_marks_beside_writing_from_right_to_left_are_drawn_too() {
        let mut letters = letters();
        let alone = ink(&mut letters, "ליאת");
        for (more, text) in [(30, "12:30 ליאת"), (30, "▶ ליאת"), (40, "ליאת (P1)")] {
            assert!(ink(&mut letters, text) > alone + more, "{text}");
        }
    }

    #[test]
    fn lines_are_broken_between_words_and_keep_their_place_in_the_text() {
        let mut letters = letters();
        let text = "one two three four five six seven";
        let laid = letters.lay(&[("Ann: ", [255, 0, 0]), (text, [255; 3])], Setting { size: 20.0, width: Some(120.0) });
        assert!(laid.lines.len() >= 3 && laid.width() <= 120.0);
        let whole = format!("Ann: {text}");
        let parts: Vec<&str> = laid.lines.iter().map(|l| whole[l.bytes.clone()].trim()).collect();
        assert_eq!(parts.join(" "), whole);
        let again =
            letters.lay(&[("Ann: ", [255, 0, 0]), (text, [255; 3])], Setting { size: 20.0, width: Some(120.0) });
        assert!(Rc::ptr_eq(&laid, &again), "laid out once");
    }

    #[test]
    fn a_place_without_fonts_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let e = Letters::new(&[folder.path().to_owned()], false).unwrap_err().to_string();
        assert!(e.contains("holds no font"), "{e}");
    }
}
