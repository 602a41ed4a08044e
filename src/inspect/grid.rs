//! Text in aligned columns, for terminals.

/// Which side a column's text leans to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lean {
    Left,
    Right,
}

/// Rows of cells; columns are as wide as their widest cell, up to a limit each.
#[derive(Debug)]
pub(super) struct Grid {
    columns: Vec<(Lean, usize)>,
    rows: Vec<Vec<String>>,
}

impl Grid {
    /// Columns by lean and greatest width in characters.
    pub fn new(columns: impl IntoIterator<Item = (Lean, usize)>) -> Self {
        Grid { columns: columns.into_iter().collect(), rows: Vec::new() }
    }

    /// Adds a row; missing cells are empty.
    pub fn row<S: Into<String>>(&mut self, cells: impl IntoIterator<Item = S>) {
        self.rows.push(cells.into_iter().zip(&self.columns).map(|(cell, (_, most))| clip(&cell.into(), *most)).collect());
    }

    /// The rows as lines, each with `indent` before it, two spaces between columns and none at the end.
    pub fn render(&self, indent: &str) -> String {
        let width = |i: usize| self.rows.iter().filter_map(|r| r.get(i)).map(|c| c.chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..self.columns.len()).map(width).collect();
        let mut text = String::new();
        for row in &self.rows {
            let mut line = indent.to_owned();
            let cells = row.iter().zip(&widths).zip(&self.columns).filter(|((_, width), _)| **width > 0);
            for (i, ((cell, width), (lean, _))) in cells.enumerate() {
                let gap = " ".repeat(width - cell.chars().count());
                let between = if i > 0 { "  " } else { "" };
                match lean {
                    Lean::Left => line.extend([between, cell, &gap]),
                    Lean::Right => line.extend([between, &gap, cell]),
                }
            }
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text
    }
}

/// At most `most` characters on one line; what is cut off shows as `…`.
pub(super) fn clip(text: &str, most: usize) -> String {
    let line: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    if line.chars().count() <= most { line } else { line.chars().take(most.saturating_sub(1)).chain(['…']).collect() }
}

/// Words on as many lines as `width` needs, each after `indent`.
pub(super) fn wrap(text: &str, indent: &str, width: usize) -> String {
    let room = width.saturating_sub(indent.chars().count()).max(20);
    let mut lines: Vec<String> = Vec::new();
    let mut line = String::new();
    for word in text.split_whitespace() {
        if !line.is_empty() && line.chars().count() + 1 + word.chars().count() > room {
            lines.push(std::mem::take(&mut line));
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    lines.push(line);
    lines.join(&format!("\n{indent}"))
}

/// Four significant digits; very large and very small numbers with an exponent.
pub(super) fn number(x: f64) -> String {
    let size = x.abs();
    if size == 0.0 {
        "0".into()
    } else if !(1e-4..1e7).contains(&size) {
        format!("{x:.2e}")
    } else {
        let decimals = (3 - size.log10().floor() as i32).clamp(0, 6) as usize;
        format!("{x:.decimals$}")
    }
}

/// A share in whole percent; what is not all and not none never rounds to it.
pub(super) fn percent(part: f64, whole: f64) -> String {
    if whole <= 0.0 {
        return "–".into();
    }
    let share = (100.0 * part / whole).clamp(0.0, 100.0);
    if share > 99.0 && share < 100.0 {
        ">99 %".into()
    } else if share > 0.0 && share < 1.0 {
        "<1 %".into()
    } else {
        format!("{share:.0} %")
    }
}

/// Bytes with a unit.
pub(super) fn bytes(count: u64) -> String {
    match count {
        0..1_000 => format!("{count} B"),
        1_000..1_000_000 => format!("{:.1} kB", count as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} MB", count as f64 / 1e6),
        _ => format!("{:.2} GB", count as f64 / 1e9),
    }
}

/// A duration as h:mm:ss or m:ss.s.
pub(super) fn clock(secs: f64) -> String {
    let tenths = (secs * 10.0).round().max(0.0) as u64;
    let (minutes, rest) = (tenths / 600, tenths % 600);
    if minutes >= 60 {
        format!("{}:{:02}:{:02}", minutes / 60, minutes % 60, rest / 10)
    } else {
        format!("{minutes}:{:02}.{}", rest / 10, rest % 10)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_align_and_empty_ones_vanish() {
        let mut g = Grid::new([(Lean::Left, 5), (Lean::Left, 5), (Lean::Right, 9)]);
        g.row(["name", "", "n"]);
        g.row(["longname", "", "12"]);
        assert_eq!(g.render(" "), " name    n\n long…  12\n");
    }

    #[test]
    fn numbers_are_short() {
        let told: Vec<String> = [0.0, 12.3456, -0.012345, 1234.5, 123_456.7, 2e7, 3e-5].map(number).into();
        assert_eq!(told, ["0", "12.35", "-0.01235", "1234", "123457", "2.00e7", "3.00e-5"]);
        assert_eq!([percent(0.0, 5.0), percent(1.0, 3.0), percent(999.0, 1000.0), percent(1.0, 0.0)], ["0 %", "33 %", ">99 %", "–"]);
        assert_eq!([clock(61.68), clock(3725.0), clock(59.96)], ["1:01.7", "1:02:05", "1:00.0"]);
        assert_eq!([bytes(999), bytes(1_234), bytes(5_600_000)], ["999 B", "1.2 kB", "5.6 MB"]);
        assert_eq!(wrap("a bb ccc", "  ", 0), "a bb ccc");
    }
}
