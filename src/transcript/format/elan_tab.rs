//! ELAN's tab-delimited text ("Export As, Tab-delimited Text", ELAN manual): a tier and an annotation a line, or a
//! column for each tier, with or without the line of names, times in one or several forms.

use std::collections::BTreeMap;

use super::{Entry, Input, Sign};
use crate::error::Result;
use crate::time::Segment;
use crate::transcript::clock;
use crate::transcript::draft::{Draft, short};
use crate::transcript::tiers::{self, Interval, Layer, Tier};

const EXPECTED: &str = "expected a tier, begin and end times and an annotation, as ELAN exports them; export it with column \
                        names and with begin, end and duration";

pub(super) const ENTRY: Entry = Entry {
    name: "ELAN tab-delimited text",
    help: "ELAN's tab-delimited text",
    suffixes: &["txt", "tsv"],
    signs: &[Sign::Lines(|input: &Input| fits(input.text))],
    expected: "tab-delimited text of ELAN: tier, times, annotation",
    example: "Tier\tParticipant\tBegin Time - hh:mm:ss.ms\tEnd Time - hh:mm:ss.ms\tDuration - hh:mm:ss.ms\tAnnotation\n\
              Anna\t\t00:00:01.500\t00:00:02.250\t00:00:00.750\thi you\nBo\t\t00:00:03.000\t00:00:04.000\t00:00:01.000\tso it \
              is\n",
    read: |input, draft| read(input.text, draft),
    ..Entry::PLAIN
};

/// How a column of times is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// `00:00:01.500`
    Clock,
    /// `1.500`
    Seconds,
    /// `1500`
    Millis,
}

impl Form {
    fn secs(self, cell: &str) -> Option<f64> {
        match self {
            Form::Clock => clock::parse(cell.trim()),
            Form::Seconds => cell.trim().replace(',', ".").parse().ok().filter(|v: &f64| v.is_finite()),
            Form::Millis => cell.trim().parse::<u64>().ok().map(|v| v as f64 / 1e3),
        }
    }
}

/// Which columns hold what.
struct Layout {
    tier: Option<usize>,
    participant: Option<usize>,
    begin: (usize, Form),
    end: (usize, Form),
    /// The annotation, or one column a tier, with the tier's name.
    texts: Vec<(usize, Option<String>)>,
    /// Lines before the first annotation.
    head: usize,
}

fn rows(text: &str) -> impl Iterator<Item = (usize, Vec<&str>)> {
    let lines = text.lines().enumerate().filter(|(_, l)| !l.trim().is_empty() && !l.starts_with("\"#"));
    lines.map(|(i, l)| (i + 1, l.split('\t').collect()))
}

fn fits(text: &str) -> bool {
    named(text).is_some() || unnamed(text).is_some()
}

/// The layout that ELAN's column names tell.
fn named(text: &str) -> Option<Layout> {
    let (line, names) = rows(text).find(|(_, cells)| cells.len() >= 3)?;
    let bare: Vec<String> = names.iter().map(|n| n.trim().to_lowercase()).collect();
    let forms = [("hh:mm:ss.ms", Form::Clock), ("ss.msec", Form::Seconds), ("msec", Form::Millis)];
    let time = |what: &str| {
        forms
            .iter()
            .find_map(|(unit, form)| bare.iter().position(|n| *n == format!("{what} - {unit}")).map(|at| (at, *form)))
    };
    let (begin, end) = (time("begin time")?, time("end time")?);
    let at = |name: &str| bare.iter().position(|n| n == name);
    let is_time = |n: &str| ["begin time - ", "end time - ", "duration - "].iter().any(|p| n.starts_with(p));
    let (tier, annotation) = (at("tier"), at("annotation"));
    let texts = match (tier, annotation) {
        (_, Some(at)) => vec![(at, None)],
        // Files of several documents have their names in columns, too.
        (None, None) => (0..names.len())
            .filter(|i| {
                !is_time(&bare[*i]) && !["file", "file path", "file name", "participant"].contains(&bare[*i].as_str())
            })
            .map(|i| (i, Some(names[i].trim().to_owned())))
            .collect(),
        (Some(tier), None) => (0..names.len())
            .rev()
            .find(|i| !is_time(&bare[*i]) && *i != tier && bare[*i] != "participant")
            .map(|i| vec![(i, None)])?,
    };
    (!texts.is_empty()).then_some(Layout { tier, participant: at("participant"), begin, end, texts, head: line })
}

/// How all cells of a column are written, where they are times.
fn form(rows: &[(usize, Vec<&str>)], at: usize) -> Option<Form> {
    let all = |form: Form| rows.iter().all(|(_, cells)| cells.get(at).is_some_and(|c| form.secs(c).is_some()));
    let clock = |c: &str| c.matches(':').count() == 2;
    if all(Form::Clock) && rows.iter().all(|(_, cells)| clock(cells[at])) {
        Some(Form::Clock)
    } else if all(Form::Millis) {
        Some(Form::Millis)
    } else if all(Form::Seconds) && rows.iter().any(|(_, cells)| cells[at].contains(['.', ','])) {
        Some(Form::Seconds)
    } else {
        None
    }
}

/// The layout that the cells tell: a tier, perhaps a participant, begin, end and duration in the same forms, words.
fn unnamed(text: &str) -> Option<Layout> {
    let all: Vec<(usize, Vec<&str>)> = rows(text).take(200).collect();
    let width = all.first()?.1.len();
    if width < 4 || all.len() < 2 || all.iter().any(|(_, cells)| cells.len() != width) {
        return None;
    }
    let forms: Vec<Option<Form>> = (0..width).map(|at| form(&all, at)).collect();
    let first = forms.iter().position(Option::is_some)?;
    let count = forms[first..].iter().take_while(|f| f.is_some()).count();
    // A clock time among them is what tells such a table from any other.
    if !(1..=2).contains(&first) || first + count + 1 != width || !forms.contains(&Some(Form::Clock)) {
        return None;
    }
    let secs = |row: &[&str], at: usize| forms[at].and_then(|f| f.secs(row[at])).unwrap_or(f64::NAN);
    let sound = |begin: usize, end: usize, length: Option<usize>| {
        forms[begin] == forms[end]
            && all.iter().all(|(_, row)| {
                let (a, b) = (secs(row, begin), secs(row, end));
                a <= b && length.is_none_or(|at| (a + secs(row, at) - b).abs() < 0.0021)
            })
    };
    let third = (count % 3 == 0).then_some(count / 3);
    let with_length = third.filter(|k| sound(first, first + k, Some(first + 2 * k))).map(|k| first + k);
    // Begin and end alone; a begin and a duration could look the same, but for starts that go up past all ends.
    let end = with_length.or_else(|| {
        let end = first + count / 2;
        let grows = || all.iter().any(|(_, row)| secs(row, end) > 60.0);
        (count % 2 == 0 && sound(first, end, None) && grows()).then_some(end)
    })?;
    Some(Layout {
        tier: Some(0),
        participant: (first == 2).then_some(1),
        begin: (first, forms[first]?),
        end: (end, forms[end]?),
        texts: vec![(width - 1, None)],
        head: 0,
    })
}

fn span(layout: &Layout, cells: &[&str]) -> std::result::Result<Segment, String> {
    let time = |(at, form): (usize, Form)| {
        let cell = cells.get(at).copied().unwrap_or("");
        form.secs(cell).ok_or_else(|| format!("the time {:?} cannot be read", short(cell)))
    };
    clock::span(time(layout.begin)?, time(layout.end)?)
}

fn read(text: &str, draft: &mut Draft) -> Result<()> {
    let Some(layout) = named(text).or_else(|| unnamed(text)) else {
        return Err(draft.fail(1, "the columns of ELAN's export are not found", EXPECTED));
    };
    let mut order: Vec<(String, Option<String>)> = Vec::new();
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    let mut found: Vec<Vec<Interval>> = Vec::new();
    let open = !text.ends_with('\n');
    let last = text.lines().count();
    for (line, cells) in rows(text).filter(|(line, _)| *line > layout.head) {
        let needed = layout.texts.iter().map(|(at, _)| *at).max().unwrap_or(0);
        let cell = |at: usize| cells.get(at).map(|c| c.trim()).unwrap_or("");
        let mut span = span(&layout, &cells);
        if layout.texts.len() == 1 && cells.len() <= needed || open && line == last && cells.len() <= layout.end.0 {
            span = Err(format!("{} columns, and none for the annotation", cells.len()));
        }
        for (at, name) in &layout.texts {
            let words = cell(*at);
            if words.is_empty() && name.is_some() && span.is_ok() {
                continue;
            }
            let tier = name.clone().unwrap_or_else(|| layout.tier.map_or("", cell).to_owned());
            let place = *places.entry(tier.clone()).or_insert_with(|| {
                let person = layout.participant.map(cell).filter(|p| !p.is_empty()).map(str::to_owned);
                order.push((tier.clone(), person));
                found.push(Vec::new());
                found.len() - 1
            });
            found[place].push(Interval {
                line,
                name: format!("annotation of {:?}", short(&tier)),
                span: span.clone(),
                text: words.to_owned(),
            });
            if span.is_err() {
                break;
            }
        }
    }
    let tiers = order.into_iter().zip(found).map(|((name, person), intervals)| Tier {
        person: person.clone().or_else(|| tiers::classify(&name).1),
        participant: person,
        typed: None,
        listed: false,
        name,
        root: true,
        above: Vec::new(),
        layer: Layer::Spans,
        intervals,
    });
    draft.ends_open(open);
    tiers::into_turns(tiers.collect(), true, draft)
}

#[cfg(test)]
mod tests {
    use crate::transcript::tests::{LENIENT, complaint, parse, told};
    use crate::transcript::{Format, read_bytes};
    use std::path::Path;

    const ROWS: &str = "Anna\t\t00:00:01.500\t1.5\t1500\t00:00:02.250\t2.25\t2250\t00:00:00.750\t0.75\t750\thi you\n\
                        Bo\tBo Lee\t00:01:03.000\t63.0\t63000\t00:01:04.000\t64.0\t64000\t00:00:01.000\t1.0\t1000\tso it is\n";

    #[test]
    fn with_and_without_names_and_a_column_a_tier() {
        let want = ["1.5-2.25 Anna: hi you", "63-64 Bo Lee: so it is"];
        let names: Vec<String> = ["Begin Time", "End Time", "Duration"]
            .iter()
            .flat_map(|w| ["hh:mm:ss.ms", "ss.msec", "msec"].map(|u| format!("{w} - {u}")))
            .collect();
        let header = format!("Tier\tParticipant\t{}\tAnnotation\n", names.join("\t"));
        for text in [ROWS.to_owned(), format!("{header}{ROWS}")] {
            let t = parse("a.txt", &text);
            assert_eq!((t.format, told(&t)), (Format::ElanTab, want.map(String::from).to_vec()));
        }
        let t = parse(
            "a.txt",
            "Anna\t1500\t00:00:01.500\t2250\t00:00:02.250\thi you\nBo\t63000\t00:01:03.000\t64000\t00:01:04.000\tso it is\n",
        );
        assert_eq!(told(&t), ["1.5-2.25 Anna: hi you", "63-64 Bo: so it is"]);
        let t = parse(
            "a.txt",
            "Begin Time - ss.msec\tEnd Time - ss.msec\tDuration - ss.msec\tAnna\tBo\n1.5\t2.25\t0.75\thi you\t\n3.0\t4.5\t1.5\tand so\tyes it is\n",
        );
        assert_eq!(told(&t), ["1.5-2.25 Anna: hi you", "3-4.5 Anna: and so", "3-4.5 Bo: yes it is"]);
    }

    #[test]
    fn what_is_wrong_is_told() {
        let header = "Tier\tBegin Time - msec\tEnd Time - msec\tAnnotation\n";
        let e = complaint("a.txt", &format!("{header}Anna\t3000\t2000\thi you\n"));
        assert!(e.starts_with("a.txt:2: ") && e.contains("end 2 s before start 3 s"), "{e}");
        let e = complaint("a.txt", &format!("{header}Anna\t1000\t2000\thi you\nAnna\t3x\t4000\tso\n"));
        assert!(e.starts_with("a.txt:3: ") && e.contains("the time \"3x\" cannot be read"), "{e}");
        assert!(complaint("a.txt", header).contains("no cues (ELAN tab-delimited text)"));
        let cut = format!("{header}Anna\t1000\t2000\thi you\nAnna\t3000\t40");
        assert!(complaint("a.txt", &cut).contains("a.txt:3: "));
        assert_eq!(told(&read_bytes(cut.as_bytes(), Path::new("a.txt"), &LENIENT).unwrap()), ["1-2 Anna: hi you"]);
        // A begin and a duration without names may be a begin and an end.
        let e = complaint("a.txt", "Anna\t00:00:01.500\t00:00:02.000\thi\nBo\t00:00:01.600\t00:00:03.000\tyou\n");
        assert!(e.contains("expected tab-delimited text of ELAN"), "{e}");
    }
}
