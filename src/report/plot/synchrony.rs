//! Synchrony: the correlation of two people's signals by lag, and what chance gives.

use plotters::style::{Color, RGBColor};

use super::sheet::{
    Area, COLOURS, Drawn, FONT_PX, Fault, INK, LINE_PX, QUIET, Sheet, Side, cut, dot, few, fill, frame, heading, line,
    missing, number, plate, polygon, sheet, ticks, width, write, write_upwards,
};
use crate::report::pairs::{Synchrony, synchrony};
use crate::report::source::Source;

const PANEL: (i32, i32) = (330, 200);
const LEFT: i32 = 64;
const GAP: i32 = 34;
/// Pairs that are drawn, one below the other.
const PAIRS: usize = 6;
const BAND: RGBColor = RGBColor(205, 205, 205);
const FRAME: RGBColor = RGBColor(150, 150, 150);

/// Panels side by side.
const COLUMNS: usize = 3;
/// From a value of an axis to px.
type Place<'a> = &'a dyn Fn(f64) -> i32;

/// One signal of an unordered pair: each following the other.
struct Panel<'a> {
    title: String,
    /// The first follows the second: drawn to the left; the second follows the first: to the right.
    sides: [Option<&'a Synchrony>; 2],
    names: (&'a str, &'a str),
}

/// Draws a row of panels for each pair; `None` without pairs.
pub fn draw(source: &Source) -> Result<Option<Sheet>, Fault> {
    let all = synchrony(source);
    let mut signals: Vec<&str> = Vec::new();
    let mut pairs: Vec<(&str, &str)> = Vec::new();
    for row in &all {
        if !signals.contains(&row.signal.as_str()) {
            signals.push(&row.signal);
        }
        let (a, b) = (row.from.as_str(), row.to.as_str());
        let pair = (a.min(b), a.max(b));
        if !pairs.contains(&pair) {
            pairs.push(pair);
        }
    }
    pairs.sort_unstable();
    if pairs.is_empty() {
        return Ok(None);
    }
    let mut told = Vec::new();
    few(&mut pairs, PAIRS, ("pairs", "the first by name"), &mut told);
    let find =
        |signal: &str, from: &str, to: &str| all.iter().find(|r| r.signal == signal && r.from == from && r.to == to);
    let (wide, high) = (LEFT + PANEL.0 + GAP, PANEL.1 + 96);
    let lines = signals.len().div_ceil(COLUMNS) as i32;
    let of_pair = high * lines + LINE_PX;
    let size = (wide * signals.len().min(COLUMNS) as i32 + GAP, 44 + of_pair * pairs.len() as i32 + 50);
    let drawn = sheet(size, |area| {
        heading(area, &source.row.id, size.0 - 40)?;
        for (row, pair) in pairs.iter().enumerate() {
            let top = 44 + row as i32 * of_pair;
            let names = format!("{} and {}", pair.0, pair.1);
            write(area, &cut(&names, FONT_PX, size.0 - 40), (16, top + 8), Side::Left, (FONT_PX, INK))?;
            for (column, signal) in signals.iter().enumerate() {
                let sides = [find(signal, pair.1, pair.0), find(signal, pair.0, pair.1)];
                let panel = Panel { title: signal.replace('_', " "), sides, names: *pair };
                let corner = ((column % COLUMNS) as i32 * wide, (column / COLUMNS) as i32 * high);
                panel_at(area, &panel, (corner.0 + LEFT + GAP / 2, top + corner.1 + 2 * LINE_PX + 4))?;
            }
        }
        legend(area, size.1 - 28)?;
        Ok(told)
    })?;
    Ok(Some(drawn))
}

/// Lags and correlations of a side, from 0 on.
fn points(side: &Synchrony) -> Vec<(f64, Option<f64>)> {
    let step = side.step_secs.unwrap_or(1.0);
    side.profile.iter().enumerate().map(|(i, r)| (i as f64 * step, *r)).collect()
}

/// The same of what 95 of 100 surrogates lie between.
fn band(side: &Synchrony) -> Vec<(f64, f64, f64)> {
    let step = side.step_secs.unwrap_or(1.0);
    let ends = side.low.iter().zip(&side.high).enumerate();
    ends.filter_map(|(i, (low, high))| Some((i as f64 * step, (*low)?, (*high)?))).collect()
}

fn panel_at(area: &Area<'_>, panel: &Panel<'_>, (left, top): (i32, i32)) -> Drawn {
    let (right, bottom) = (left + PANEL.0, top + PANEL.1);
    write(area, &panel.title, (left, top - LINE_PX / 2 - 1), Side::Left, (FONT_PX, INK))?;
    let known: Vec<&Synchrony> = panel.sides.iter().flatten().copied().filter(|s| !s.profile.is_empty()).collect();
    if known.is_empty() {
        missing(area, (left, top), (right, bottom))?;
        let why = panel.sides.iter().flatten().find_map(|s| s.missing.as_deref()).unwrap_or("not measured");
        let why = why.replace('_', " ");
        plate(area, &why, ((left + right) / 2, (top + bottom) / 2), (8, 12), (FONT_PX, QUIET))?;
        return frame(area, (left, top), (right, bottom), FRAME);
    }
    let longest = known.iter().flat_map(|s| points(s)).map(|p| p.0).fold(0.0, f64::max).max(1e-9);
    let values = known.iter().flat_map(|s| {
        let own = points(s).into_iter().filter_map(|p| p.1);
        own.chain(band(s).into_iter().flat_map(|(_, low, high)| [low, high])).collect::<Vec<_>>()
    });
    // Room above the curves for what is written there.
    let reach = values.map(f64::abs).fold(0.1, f64::max) * 1.45;
    let x = |lag: f64| left + ((lag + longest) / (2.0 * longest) * f64::from(PANEL.0)).round() as i32;
    let y = |r: f64| top + ((reach - r) / (2.0 * reach) * f64::from(PANEL.1)).round() as i32;
    for (side, sign) in panel.sides.iter().zip([-1.0, 1.0]) {
        let Some(side) = side.filter(|s| !s.profile.is_empty()) else {
            let (from, to) = if sign < 0.0 { (left, x(0.0)) } else { (x(0.0), right) };
            missing(area, (from, top), (to, bottom))?;
            continue;
        };
        side_at(area, side, (sign, &x, &y))?;
    }
    line(area, vec![(left, y(0.0)), (right, y(0.0))], FRAME.to_rgba(), 1)?;
    line(area, vec![(x(0.0), top), (x(0.0), bottom)], FRAME.to_rgba(), 1)?;
    frame(area, (left, top), (right, bottom), FRAME)?;
    axes(area, panel, (left, top), (longest, reach, known[0].step_secs.is_some()), (&x, &y))?;
    for (side, at, lean) in [(panel.sides[0], left + 6, Side::Left), (panel.sides[1], right - 6, Side::Right)] {
        if let Some(text) = side.and_then(strength) {
            write(area, &text, (at, top + 11), lean, (FONT_PX - 3, INK))?;
        }
    }
    Ok(())
}

/// The band, the curve, and its peak.
fn side_at(area: &Area<'_>, side: &Synchrony, (sign, x, y): (f64, Place<'_>, Place<'_>)) -> Drawn {
    let band = band(side);
    if band.len() > 1 {
        let upper = band.iter().map(|(lag, _, high)| (x(sign * lag), y(*high)));
        let lower = band.iter().rev().map(|(lag, low, _)| (x(sign * lag), y(*low)));
        polygon(area, upper.chain(lower).collect(), BAND.to_rgba())?;
    }
    let mut run: Vec<(i32, i32)> = Vec::new();
    for (lag, r) in points(side) {
        match r {
            Some(r) => run.push((x(sign * lag), y(r))),
            // A lag without a value is a gap.
            None => line(area, std::mem::take(&mut run), COLOURS[0].to_rgba(), 2)?,
        }
    }
    line(area, run, COLOURS[0].to_rgba(), 2)?;
    // A few lags are points too.
    if side.step_secs.is_none() {
        for (lag, r) in points(side) {
            if let Some(r) = r {
                dot(area, (x(sign * lag), y(r)), 3, COLOURS[0])?;
            }
        }
    }
    let lag = side.lag_secs.or(side.lag_exchanges);
    match lag.zip(side.correlation) {
        Some((lag, r)) => dot(area, (x(sign * lag), y(r)), 5, COLOURS[5]),
        None => Ok(()),
    }
}

/// Its standing against the surrogates.
fn strength(side: &Synchrony) -> Option<String> {
    Some(format!("z = {}, p = {}", number((side.z? * 10.0).round() / 10.0), number(side.p?)))
}

fn axes(
    area: &Area<'_>,
    panel: &Panel<'_>,
    (left, top): (i32, i32),
    (longest, reach, is_secs): (f64, f64, bool),
    (x, y): (Place<'_>, Place<'_>),
) -> Drawn {
    let bottom = top + PANEL.1;
    for tick in ticks(-reach, reach, 5) {
        let y = y(tick);
        line(area, vec![(left - 4, y), (left, y)], INK.to_rgba(), 1)?;
        write(area, &number(tick), (left - 7, y), Side::Right, (FONT_PX - 3, INK))?;
    }
    write_upwards(area, "correlation", (left - 48, top + PANEL.1 / 2), (FONT_PX - 2, INK))?;
    for tick in ticks(-longest, longest, 5) {
        let x = x(tick);
        line(area, vec![(x, bottom), (x, bottom + 4)], INK.to_rgba(), 1)?;
        write(area, &number(tick.abs()), (x, bottom + 13), Side::Middle, (FONT_PX - 3, INK))?;
    }
    let unit = if is_secs { "lag (s)" } else { "lag (exchanges)" };
    write(area, unit, (left + PANEL.0 / 2, bottom + 30), Side::Middle, (FONT_PX - 2, INK))?;
    let room = PANEL.0 / 2 - 44;
    let follows = |name: &str| {
        let rest = " follows";
        cut(name, FONT_PX - 3, room - width(rest, FONT_PX - 3)) + rest
    };
    write(area, &follows(panel.names.0), (left, bottom + 30), Side::Left, (FONT_PX - 3, QUIET))?;
    write(area, &follows(panel.names.1), (left + PANEL.0, bottom + 30), Side::Right, (FONT_PX - 3, QUIET))
}

fn legend(area: &Area<'_>, y: i32) -> Drawn {
    let text = (FONT_PX - 2, QUIET);
    line(area, vec![(16, y), (42, y)], COLOURS[0].to_rgba(), 2)?;
    write(area, "mean over windows", (50, y), Side::Left, text)?;
    dot(area, (210, y), 5, COLOURS[5])?;
    write(area, "largest", (222, y), Side::Left, text)?;
    fill(area, (300, y - 7), (326, y + 7), BAND.to_rgba())?;
    write(area, "95 of 100 surrogates at each lag", (334, y), Side::Left, text)?;
    missing(area, (560, y - 7), (586, y + 7))?;
    write(area, "not measured", (594, y), Side::Left, text)
}
