//! Text in aligned columns, for terminals: Chinese characters take two columns there, accents of their own none.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Which side a column's text leans to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lean {
    /// Text.
    Left,
    /// Numbers.
    Right,
}

/// Rows of cells; columns are as wide as their widest cell, up to a limit each.
#[derive(Debug)]
pub struct Grid {
    columns: Vec<(Lean, usize)>,
    rows: Vec<Vec<String>>,
}

impl Grid {
    /// Columns by lean and greatest width in columns of the terminal.
    pub fn new(columns: impl IntoIterator<Item = (Lean, usize)>) -> Self {
        Grid { columns: columns.into_iter().collect(), rows: Vec::new() }
    }

    /// Adds a row; missing cells are empty.
    pub fn row<S: Into<String>>(&mut self, cells: impl IntoIterator<Item = S>) {
        self.rows
            .push(cells.into_iter().zip(&self.columns).map(|(cell, (_, most))| clip(&cell.into(), *most)).collect());
    }

    /// The rows as lines, each with `indent` before it, two spaces between columns and none at the end.
    pub fn render(&self, indent: &str) -> String {
        let width = |i: usize| self.rows.iter().filter_map(|r| r.get(i)).map(|c| c.width()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..self.columns.len()).map(width).collect();
        let mut text = String::new();
        for row in &self.rows {
            let mut line = indent.to_owned();
            let cells = row.iter().zip(&widths).zip(&self.columns).filter(|((_, width), _)| **width > 0);
            for (i, ((cell, width), (lean, _))) in cells.enumerate() {
                let gap = " ".repeat(width - cell.width());
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

/// At most `most` columns of the terminal on one line; what is cut off shows as `…`.
pub(super) fn clip(text: &str, most: usize) -> String {
    let mut line: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    if line.width() <= most {
        return line;
    }
    let mut room = most.saturating_sub(1);
    let fits = |c: &char| {
        let width = c.width().unwrap_or(0);
        let fits = width <= room;
        room -= if fits { width } else { room };
        fits
    };
    line = line.chars().take_while(fits).collect();
    line.push('…');
    line
}

/// The text with spaces behind it, `width` columns of the terminal in all where it has fewer.
pub(super) fn padded(text: &str, width: usize) -> String {
    format!("{text}{}", " ".repeat(width.saturating_sub(text.width())))
}

/// Words on as many lines as `width` needs, each after `indent`.
pub(super) fn wrap(text: &str, indent: &str, width: usize) -> String {
    let room = width.saturating_sub(indent.width()).max(20);
    let mut lines: Vec<String> = Vec::new();
    let mut line = String::new();
    for word in text.split_whitespace() {
        if !line.is_empty() && line.width() + 1 + word.width() > room {
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
    fn wide_characters_and_accents_align() {
        let mut g = Grid::new([(Lean::Left, 9), (Lean::Right, 9)]);
        g.row(["王小明", "1"]);
        g.row(["Zoe\u{301}", "12"]);
        g.row(["王小明和李华", "3"]);
        assert_eq!(g.render(""), "王小明      1\nZoe\u{301}        12\n王小明和…   3\n");
        assert_eq!([clip("王小", 3), clip("王小", 4), clip("abc", 2)], ["王…", "王小", "a…"]);
        assert_eq!(padded("王", 4), "王  ");
        assert_eq!(wrap("王小明 李华 王小明和李华的长长长长长", "  ", 12), "王小明 李华\n  王小明和李华的长长长长长");
    }

    #[test]
    fn numbers_are_short() {
        let told: Vec<String> = [0.0, 12.3456, -0.012345, 1234.5, 123_456.7, 2e7, 3e-5].map(number).into();
        assert_eq!(told, ["0", "12.35", "-0.01235", "1234", "123457", "2.00e7", "3.00e-5"]);
        assert_eq!(
            [percent(0.0, 5.0), percent(1.0, 3.0), percent(999.0, 1000.0), percent(1.0, 0.0)],
            ["0 %", "33 %", ">99 %", "–"]
        );
        assert_eq!([clock(61.68), clock(3725.0), clock(59.96)], ["1:01.7", "1:02:05", "1:00.0"]);
        assert_eq!([bytes(999), bytes(1_234), bytes(5_600_000)], ["999 B", "1.2 kB", "5.6 MB"]);
        assert_eq!(wrap("a bb ccc", "  ", 0), "a bb ccc");
    }
}
