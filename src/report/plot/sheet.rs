//! The sheet that figures are drawn on: the one place that knows plotters. Sizes are px; text is text.

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

/// A figure, drawn.
pub struct Sheet {
    pub svg: String,
    /// What it leaves out.
    pub told: Vec<String>,
}

/// Why it could not be drawn.
#[derive(Debug)]
pub struct Fault(pub String);

impl<E: std::error::Error + Send + Sync> From<DrawingAreaErrorKind<E>> for Fault {
    fn from(e: DrawingAreaErrorKind<E>) -> Self {
        Fault(e.to_string())
    }
}

pub type Drawn = Result<(), Fault>;
pub type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// Okabe and Ito's colours, the palest left out.
pub const COLOURS: [RGBColor; 7] = [
    RGBColor(0, 114, 178),
    RGBColor(230, 159, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(86, 180, 233),
    RGBColor(213, 94, 0),
    RGBColor(90, 90, 90),
];
pub const INK: RGBColor = RGBColor(30, 30, 30);
pub const QUIET: RGBColor = RGBColor(110, 110, 110);
/// Of what has no value.
pub const MISSING: RGBColor = RGBColor(232, 232, 232);
const HATCH: RGBColor = RGBColor(190, 190, 190);
pub const FONT_PX: u32 = 14;
/// plotters gives a font's height, ascent and descent together, and writes this part of it as the size of the type.
const EM: f64 = 1.24;
/// A line of text, with the room above it.
pub const LINE_PX: i32 = 19;

/// The colour of the n-th of something.
pub fn colour(n: usize) -> RGBColor {
    COLOURS[n % COLOURS.len()]
}

/// Draws a sheet of a size.
pub fn sheet(size: (i32, i32), draw: impl FnOnce(&Area<'_>) -> Result<Vec<String>, Fault>) -> Result<Sheet, Fault> {
    let mut svg = String::new();
    let told = {
        let size = (size.0.max(1) as u32, size.1.max(1) as u32);
        let area = SVGBackend::with_string(&mut svg, size).into_drawing_area();
        area.fill(&WHITE)?;
        let told = draw(&area)?;
        area.present()?;
        told
    };
    Ok(Sheet { svg, told })
}

/// Where a text stands by its point.
#[derive(Clone, Copy)]
pub enum Side {
    Left,
    Middle,
    Right,
}

/// Writes a line, its middle at the height of the point.
pub fn write(area: &Area<'_>, text: &str, at: (i32, i32), side: Side, (px, ink): (u32, RGBColor)) -> Drawn {
    let side = match side {
        Side::Left => HPos::Left,
        Side::Middle => HPos::Center,
        Side::Right => HPos::Right,
    };
    let style = ("sans-serif", f64::from(px) * EM).into_font().color(&ink).pos(Pos::new(side, VPos::Center));
    Ok(area.draw(&Text::new(text.to_owned(), at, style))?)
}

/// Writes a line that reads upwards, its middle at the point.
pub fn write_upwards(area: &Area<'_>, text: &str, at: (i32, i32), (px, ink): (u32, RGBColor)) -> Drawn {
    let font = ("sans-serif", f64::from(px) * EM).into_font().transform(FontTransform::Rotate270);
    let style = font.color(&ink).pos(Pos::new(HPos::Center, VPos::Center));
    Ok(area.draw(&Text::new(text.to_owned(), at, style))?)
}

pub fn fill(area: &Area<'_>, (left, top): (i32, i32), (right, bottom): (i32, i32), colour: RGBAColor) -> Drawn {
    Ok(area.draw(&Rectangle::new([(left, top), (right, bottom)], colour.filled()))?)
}

pub fn frame(area: &Area<'_>, from: (i32, i32), to: (i32, i32), colour: RGBColor) -> Drawn {
    Ok(area.draw(&Rectangle::new([from, to], colour.stroke_width(1)))?)
}

pub fn line(area: &Area<'_>, points: Vec<(i32, i32)>, colour: RGBAColor, width: u32) -> Drawn {
    if points.len() < 2 {
        return Ok(());
    }
    Ok(area.draw(&PathElement::new(points, colour.stroke_width(width)))?)
}

pub fn polygon(area: &Area<'_>, points: Vec<(i32, i32)>, colour: RGBAColor) -> Drawn {
    Ok(area.draw(&Polygon::new(points, colour.filled()))?)
}

pub fn dot(area: &Area<'_>, at: (i32, i32), radius: i32, colour: RGBColor) -> Drawn {
    Ok(area.draw(&Circle::new(at, radius, colour.filled()))?)
}

/// What has no value: grey, with lines from left below to right above.
pub fn missing(area: &Area<'_>, (left, top): (i32, i32), (right, bottom): (i32, i32)) -> Drawn {
    if right <= left || bottom <= top {
        return Ok(());
    }
    fill(area, (left, top), (right, bottom), MISSING.into())?;
    let height = bottom - top;
    let mut x = (left - height).div_euclid(8) * 8;
    while x < right {
        // From (x, bottom) upwards to the right, as far as it lies inside.
        let (a, b) = (x.max(left), (x + height).min(right));
        if b > a {
            line(area, vec![(a, bottom - (a - x)), (b, bottom - (b - x))], HATCH.into(), 1)?;
        }
        x += 8;
    }
    Ok(())
}

/// Writes a line in a white box, over what it would not be read on: its middle at the point, so much of the box left
/// and right of it, and above and below its middle.
pub fn plate(
    area: &Area<'_>,
    text: &str,
    middle: (i32, i32),
    (beside, half): (i32, i32),
    type_: (u32, RGBColor),
) -> Drawn {
    let reach = width(text, type_.0) / 2 + beside;
    fill(area, (middle.0 - reach, middle.1 - half), (middle.0 + reach, middle.1 + half), WHITE.into())?;
    write(area, text, middle, Side::Middle, type_)
}

/// Writes a figure's title, cut to a width.
pub fn heading(area: &Area<'_>, text: &str, most: i32) -> Drawn {
    write(area, &cut(text, FONT_PX + 3, most), (16, 22), Side::Left, (FONT_PX + 3, INK))
}

/// Leaves the first `most` of a list, and tells that there are more.
pub fn few<T>(list: &mut Vec<T>, most: usize, (what, which): (&str, &str), told: &mut Vec<String>) {
    if list.len() > most {
        told.push(format!("{most} of {} {what} are drawn, {which}", list.len()));
        list.truncate(most);
    }
}

/// About how many px wide a text is: letters of European scripts are half as wide as they are high, or a little more,
/// those of East Asian ones as wide as high.
pub fn width(text: &str, px: u32) -> i32 {
    let em = |c: char| match u32::from(c) {
        0x300..=0x36F | 0x200B..=0x200F => 0.0,
        0x1100..=0x11FF | 0x2E80..=0xD7FF | 0xF900..=0xFAFF | 0xFF00..=0xFF60 | 0x1F000..=0x3FFFF => 1.0,
        _ if "iljtfrI.,:;'|!() ".contains(c) => 0.38,
        _ if c.is_uppercase() || "mwMW@%".contains(c) => 0.75,
        _ => 0.62,
    };
    (text.chars().map(em).sum::<f64>() * f64::from(px)).ceil() as i32
}

/// The text cut to a width, with an ellipsis.
pub fn cut(text: &str, px: u32, most: i32) -> String {
    let text: String = text.chars().filter(|c| !c.is_control()).collect();
    if width(&text, px) <= most {
        return text;
    }
    let mut short = text;
    while !short.is_empty() && width(&short, px) + width("…", px) > most {
        short.pop();
    }
    short.trim_end().to_owned() + "…"
}

/// Ticks at round numbers, `most` at most.
pub fn ticks(low: f64, high: f64, most: usize) -> Vec<f64> {
    let steps = (-6..7).flat_map(|power| [1.0, 2.0, 5.0].map(|s| s * 10f64.powi(power)));
    at_steps(low, high, most, steps)
}

/// Ticks of a time axis: round seconds, minutes or hours.
pub fn time_ticks(secs: f64, most: usize) -> Vec<f64> {
    let steps = [0.5, 1.0, 2.0, 5.0, 10.0, 15.0, 30.0, 60.0, 120.0, 300.0, 600.0, 900.0, 1800.0, 3600.0, 7200.0];
    at_steps(0.0, secs, most, steps.into_iter().chain((2..60).map(|n| 7200.0 * f64::from(n))))
}

fn at_steps(low: f64, high: f64, most: usize, mut steps: impl Iterator<Item = f64>) -> Vec<f64> {
    if high.partial_cmp(&low) != Some(std::cmp::Ordering::Greater) {
        return Vec::new();
    }
    let Some(step) = steps.find(|s| (high - low) / s < most as f64 + 1e-9) else { return Vec::new() };
    let first = (low / step - 1e-9).ceil() as i64;
    let last = (high / step + 1e-9).floor() as i64;
    (first..=last).map(|n| n as f64 * step).collect()
}

/// `1:05`, or `1:00:05` in recordings of an hour and more; with tenths where ticks are less than a second apart.
pub fn clock(secs: f64, whole: f64, step: f64) -> String {
    let tenths = (secs * 10.0).round() as i64;
    let (hours, minutes, rest) = (tenths / 36_000, tenths / 600 % 60, tenths % 600);
    let seconds = if step < 1.0 { format!("{:02}.{}", rest / 10, rest % 10) } else { format!("{:02}", rest / 10) };
    if whole >= 3600.0 { format!("{hours}:{minutes:02}:{seconds}") } else { format!("{:02}:{seconds}", tenths / 600) }
}

/// A number as a label has it.
pub fn number(x: f64) -> String {
    let text = format!("{x:.3}");
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    // A true minus sign.
    if text == "-0" { "0".into() } else { text.replace('-', "\u{2212}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_few() {
        assert_eq!(ticks(0.0, 1.0, 4), [0.0, 0.5, 1.0]);
        assert_eq!(ticks(-73.0, -11.0, 4), [-60.0, -40.0, -20.0]);
        assert_eq!(time_ticks(95.0, 10), [0.0, 10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0, 90.0]);
        assert_eq!(time_ticks(3600.0, 8).last(), Some(&3600.0));
        assert!(time_ticks(1e6, 10).len() <= 11 && time_ticks(0.0, 5).is_empty() && ticks(2.0, 2.0, 5).is_empty());
    }

    #[test]
    fn clocks_read_as_minutes_and_seconds() {
        assert_eq!(clock(65.0, 95.0, 10.0), "01:05");
        assert_eq!(clock(3599.96, 3700.0, 60.0), "1:00:00");
        assert_eq!(clock(0.5, 3.0, 0.5), "00:00.5");
        assert_eq!(clock(7322.0, 9000.0, 600.0), "2:02:02");
    }

    #[test]
    fn long_names_are_cut_by_what_they_take_up() {
        assert_eq!(cut("Ann", 14, 200), "Ann");
        let long = cut("Freifrau Annegret von Oßmannstädt", 14, 120);
        assert!(long.ends_with('…') && width(&long, 14) <= 120 && long.starts_with("Freifrau"), "{long}");
        assert_eq!(cut("欧阳修文采风流", 14, 60), "欧阳修…");
        assert_eq!(
            (number(-0.2), number(0.0), number(1.50), number(-0.0001)),
            ("\u{2212}0.2".into(), "0".into(), "1.5".into(), "0".into())
        );
    }
}
