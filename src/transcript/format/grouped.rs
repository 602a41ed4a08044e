//! Numbers whose thousands stand apart: `1,234`, `1.234,5`, `1 234`, `1'234.5`.

use csv::StringRecord;

/// What people put between thousands.
const MARKS: [char; 7] = [',', '.', ' ', '\u{a0}', '\u{202f}', '\'', '\u{2019}'];

/// The number without marks between its thousands, and true where it can be nothing else; `None` where there are none.
fn plain(cell: &str) -> Option<(String, bool)> {
    let cell = cell.trim();
    let mark = cell.chars().find(|c| !c.is_ascii_digit()).filter(|c| MARKS.contains(c))?;
    let (whole, fraction) = match cell.char_indices().rev().find(|(_, c)| matches!(c, '.' | ',') && *c != mark) {
        Some((at, _)) => (&cell[..at], Some(&cell[at + 1..])),
        None => (cell, None),
    };
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    let parts: Vec<&str> = whole.split(mark).collect();
    let fits = parts.len() >= 2
        && digits(parts[0])
        && parts[0].len() <= 3
        && parts[1..].iter().all(|p| digits(p) && p.len() == 3)
        && fraction.is_none_or(digits);
    let sure = fraction.is_some() || parts.len() > 2 || !matches!(mark, ',' | '.');
    let number = parts.concat() + &fraction.map(|f| format!(".{f}")).unwrap_or_default();
    fits.then_some((number, sure))
}

/// Takes the marks between thousands off the cells of these columns; tells how many had them. `counted`: they count
/// milliseconds, samples or frames, of which hardly anybody writes thousandths: where every cell is a whole number
/// below a thousand or has its thousands apart, that is what the marks are.
pub(super) fn take_off(rows: &mut [(usize, StringRecord)], columns: [usize; 2], counted: bool) -> usize {
    let cells =
        || rows.iter().flat_map(|(_, r)| columns.map(|c| r.get(c).unwrap_or("").trim())).filter(|c| !c.is_empty());
    let small = |c: &str| c.len() <= 3 && c.bytes().all(|b| b.is_ascii_digit());
    let whole = counted && cells().all(|c| small(c) || plain(c).is_some());
    let grouped = |c: &str| plain(c).filter(|(_, sure)| *sure || whole).map(|(number, _)| number);
    if !cells().any(|c| grouped(c).is_some()) {
        return 0;
    }
    let mut count = 0;
    for (_, row) in rows.iter_mut() {
        let line = row.position().cloned();
        let mut new: StringRecord = row
            .iter()
            .enumerate()
            .map(|(i, cell)| match grouped(cell).filter(|_| columns.contains(&i)) {
                Some(number) => {
                    count += 1;
                    number
                }
                None => cell.to_owned(),
            })
            .collect();
        new.set_position(line);
        *row = new;
    }
    count
}

#[cfg(test)]
mod tests {
    use crate::transcript::tests::{parse, told, warned};

    #[test]
    fn thousands_are_no_thousandths() {
        for text in [
            "start_ms,end_ms,text\n\"0\",\"1,500\",a\n\"1,500\",\"12,345\",b\n\"12,345\",\"13,000\",c\n",
            "Start_ms;Ende_ms;Text\n0;1.500;a\n1.500;12.345;b\n12.345;13.000;c\n",
            "Start_ms;Ende_ms;Text\n0;1 500;a\n1 500;12 345;b\n12 345;13 000;c\n",
            "Start_ms;Ende_ms;Text\n0;1'500;a\n1'500;12'345;b\n12'345;13'000;c\n",
        ] {
            let t = parse("a.csv", text);
            assert_eq!(told(&t), ["0-1.5 a", "1.5-12.345 b", "12.345-13 c"], "{text}");
            assert!(warned(&t).contains("5 times have a mark between thousands"), "{}", warned(&t));
        }
        for text in [
            "start,end,text\n\"1,234.5\",\"1,236.0\",a\n1236,1240.25,b\n",
            "Start;Ende;Text\n1.234,5;1.236,0;a\n1236,0;1240,25;b\n",
            "Start;Ende;Text\n1 234,5;1 236,0;a\n1236,0;1240,25;b\n",
        ] {
            assert_eq!(told(&parse("a.csv", text)), ["1234.5-1236 a", "1236-1240.25 b"], "{text}");
        }
        // Thousandths of milliseconds, and of seconds.
        assert_eq!(told(&parse("a.csv", "start_ms,end_ms,text\n1.500,1500.250,a\n")), ["0.0015-1.50025 a"]);
        assert_eq!(
            told(&parse("a.csv", "start,end,text\n0.500,1.250,a\n1.250,12.345,b\n")),
            ["0.5-1.25 a", "1.25-12.345 b"]
        );
    }
}
