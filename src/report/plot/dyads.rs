//! Who does what to whom: a matrix for each of following, interrupting and smiling.

use plotters::style::{Color, RGBColor};

use super::sheet::{
    Area, Drawn, FONT_PX, Fault, INK, LINE_PX, QUIET, Sheet, Side, cut, few, fill, frame, heading, missing, number,
    plate, sheet, width, write,
};
use crate::report::pairs::{Cell, Matrix, matrices};
use crate::report::source::Source;

/// What is drawn: the column, the title, and whether the value is a count of turns.
const PANELS: [(&str, &str, bool); 3] = [
    ("dyads.follows", "takes the turn after", true),
    ("dyads.interrupts", "interrupts", true),
    ("dyads.listener_smile", "smiles at, while listening", false),
];
const CELL: (i32, i32) = (104, 56);
const NAMES: i32 = 240;
/// Space around panels.
const GAP: i32 = 36;
/// People that are drawn, the first by name.
const PEOPLE: usize = 8;
/// The darkest cell, of one colour from white: Okabe and Ito's blue.
const FULL: (f64, f64, f64) = (0.0, 114.0, 178.0);
const FRAME: RGBColor = RGBColor(190, 190, 190);

/// Draws them; `None` where nobody talks to anybody.
pub fn draw(source: &Source) -> Result<Option<Sheet>, Fault> {
    let all = matrices(source);
    let panels: Vec<(&Matrix, &str, bool)> = PANELS
        .iter()
        .filter_map(|(column, title, counts)| Some((all.iter().find(|m| m.column == *column)?, *title, *counts)))
        .collect();
    let mut people: Vec<&str> =
        panels.iter().flat_map(|(m, ..)| &m.cells).flat_map(|c| [c.who.as_str(), c.whom.as_str()]).collect();
    people.sort_unstable();
    people.dedup();
    if people.is_empty() {
        return Ok(None);
    }
    let mut told = Vec::new();
    few(&mut people, PEOPLE, ("people", "the first by name"), &mut told);
    let names = people.iter().map(|n| width(n, FONT_PX)).max().unwrap_or(0).clamp(60, NAMES) + 16;
    let n = people.len() as i32;
    let titles = PANELS.iter().map(|(_, title, _)| width(title, FONT_PX)).max().unwrap_or(0);
    let panel = (names + (CELL.0 * n).max(titles), 24 + LINE_PX * 2 + CELL.1 * n);
    let size = (panels.len() as i32 * (panel.0 + GAP) + GAP, 44 + panel.1 + 64);
    let size = (size.0.max(640), size.1);
    let drawn = sheet(size, |area| {
        heading(area, &source.row.id, size.0 - 40)?;
        for (i, &(matrix, title, counts)) in panels.iter().enumerate() {
            let corner = (GAP / 2 + i as i32 * (panel.0 + GAP), 44);
            panel_at(area, (matrix, title, counts), &people, (corner, names))?;
        }
        let text = "rows: who does it; columns: to whom. Of n turns with a value";
        write(area, text, (16, size.1 - 42), Side::Left, (FONT_PX - 2, QUIET))?;
        missing(area, (16, size.1 - 26), (42, size.1 - 12))?;
        frame(area, (16, size.1 - 26), (42, size.1 - 12), FRAME)?;
        write(area, "no value, with the reason", (50, size.1 - 19), Side::Left, (FONT_PX - 2, QUIET))?;
        Ok(told)
    })?;
    Ok(Some(drawn))
}

fn panel_at(
    area: &Area<'_>,
    (matrix, title, counts): (&Matrix, &str, bool),
    people: &[&str],
    ((left, top), names): ((i32, i32), i32),
) -> Drawn {
    let unit = if counts { "turns" } else { "mean of turns, 0 to 1" };
    write(area, title, (left + names, top + 8), Side::Left, (FONT_PX, INK))?;
    write(area, unit, (left + names, top + 8 + LINE_PX), Side::Left, (FONT_PX - 2, QUIET))?;
    let (x0, y0) = (left + names, top + 22 + 2 * LINE_PX);
    let largest = matrix.cells.iter().filter_map(|c| c.value).fold(0.0, f64::max);
    let full = if counts { largest } else { largest.max(0.1) };
    for (i, name) in people.iter().enumerate() {
        let (i, half) = (i as i32, (CELL.0 / 2, CELL.1 / 2));
        let short = cut(name, FONT_PX, CELL.0 - 6);
        write(area, &short, (x0 + i * CELL.0 + half.0, y0 - LINE_PX / 2), Side::Middle, (FONT_PX, INK))?;
        let short = cut(name, FONT_PX, names - 12);
        write(area, &short, (x0 - 10, y0 + i * CELL.1 + half.1), Side::Right, (FONT_PX, INK))?;
    }
    for (row, who) in people.iter().enumerate() {
        for (column, whom) in people.iter().enumerate().filter(|(column, _)| *column != row) {
            let from = (x0 + column as i32 * CELL.0, y0 + row as i32 * CELL.1);
            let cell = matrix.cells.iter().find(|c| c.who == *who && c.whom == *whom);
            cell_at(area, cell, from, (full, counts))?;
        }
    }
    let n = people.len() as i32;
    frame(area, (x0, y0), (x0 + n * CELL.0, y0 + n * CELL.1), FRAME)
}

fn cell_at(area: &Area<'_>, cell: Option<&Cell>, from: (i32, i32), (full, counts): (f64, bool)) -> Drawn {
    let to = (from.0 + CELL.0, from.1 + CELL.1);
    let middle = ((from.0 + to.0) / 2, (from.1 + to.1) / 2);
    let Some((cell, value)) = cell.and_then(|c| Some((c, c.value?))) else {
        missing(area, from, to)?;
        let why = cell.map_or("never in one turn", Cell::most_missing);
        let why = cut(&why.replace('_', " "), FONT_PX - 3, CELL.0 - 12);
        plate(area, &why, middle, (4, 9), (FONT_PX - 3, INK))?;
        return frame(area, from, to, FRAME);
    };
    let share = if full > 0.0 { (value / full).clamp(0.0, 1.0) } else { 0.0 };
    let shade = |to: f64| (255.0 + (to - 255.0) * share * 0.85).round() as u8;
    fill(area, from, to, RGBColor(shade(FULL.0), shade(FULL.1), shade(FULL.2)).to_rgba())?;
    frame(area, from, to, FRAME)?;
    // White on what is dark.
    let ink = if share > 0.7 { RGBColor(255, 255, 255) } else { INK };
    let value = if counts { number(value) } else { format!("{value:.2}") };
    write(area, &value, (middle.0, middle.1 - 9), Side::Middle, (FONT_PX + 3, ink))?;
    let of = if counts { format!("of {}", cell.n) } else { format!("n = {}", cell.n) };
    write(area, &of, (middle.0, middle.1 + 12), Side::Middle, (FONT_PX - 3, ink))
}
