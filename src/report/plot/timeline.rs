//! The timeline: who has the turn, whose voice is heard, who talk at once, pitch and level, and each one's smile.

use plotters::style::{Color, RGBAColor, RGBColor};

use super::sheet::{
    Area, COLOURS, Drawn, FONT_PX, Fault, INK, LINE_PX, QUIET, Sheet, Side, clock, colour, cut, few, fill, frame,
    heading, line, missing, number, plate, sheet, ticks, time_ticks, width, write,
};
use crate::report::source::{Source, cell};
use crate::report::strip::usual_step;
use crate::report::timeline::{FACE_SIGNALS, observations, overlaps_of, samples};
use crate::store::read::StoredTable;

const WIDTH: i32 = 1400;
const RIGHT: i32 = 24;
const LANE: i32 = 24;
const STRIP: i32 = 84;
const GAP: i32 = 16;
/// The room for names on the left, at most.
const NAMES: i32 = 240;
/// Lanes of turns, of voices, and strips of persons that are drawn.
const LANES: usize = 16;
const PERSONS: usize = 8;
/// A level far below what microphones give is drawn at the lower edge.
const LEVEL_DB: (f64, f64) = (-80.0, 0.0);

/// A stretch of a lane.
struct Stretch {
    who: usize,
    span: (f64, f64),
    /// What is known not to be speech is drawn as missing.
    is_speech: bool,
}

/// Lanes of one kind.
struct Lanes {
    title: &'static str,
    names: Vec<String>,
    /// The number of each name's colour.
    colours: Vec<usize>,
    stretches: Vec<Stretch>,
}

/// A signal over time.
struct Strip {
    title: String,
    unit: &'static str,
    range: (f64, f64),
    samples: Vec<(f64, f64)>,
    colour: RGBColor,
    /// Why there is none at all.
    why: Option<String>,
}

/// Where times lie.
#[derive(Clone, Copy)]
struct Across {
    left: i32,
    right: i32,
    secs: f64,
}

impl Across {
    fn x(self, secs: f64) -> i32 {
        let share = (secs / self.secs).clamp(0.0, 1.0);
        self.left + (share * f64::from(self.right - self.left)).round() as i32
    }
}

/// Draws it; `None` without turns and speech.
pub fn draw(source: &Source) -> Result<Option<Sheet>, Fault> {
    let mut told = Vec::new();
    let speakers = first_named(source.table("turns"), "speaker");
    let mut lanes = Vec::new();
    if source.row.text("transcript_format").is_some() {
        lanes.extend(source.table("turns").and_then(|t| turns(t, &speakers, &mut told)));
    }
    let speech = source.table("speech");
    lanes.extend(speech.and_then(|t| voices(t, source, &speakers, &mut told)));
    if lanes.iter().all(|l| l.stretches.is_empty()) {
        return Ok(None);
    }
    let overlaps = speech.map(overlaps_of).unwrap_or_default();
    let strips = strips(source, &speakers, &mut told);
    let ends = lanes.iter().flat_map(|l| l.stretches.iter().map(|s| s.span.1));
    let secs = ends.chain(source.row.number("duration_secs")).fold(1e-3, f64::max);
    let names = lanes.iter().flat_map(|l| &l.names).map(|n| width(n, FONT_PX)).max().unwrap_or(0);
    let titles = strips.iter().map(|s| width(&s.title, FONT_PX)).max().unwrap_or(0);
    let left = names.max(titles + 44).clamp(120, NAMES) + 24;
    let across = Across { left, right: WIDTH - RIGHT, secs };
    let lanes_px: i32 = lanes.iter().map(|l| LINE_PX + GAP + LANE * l.names.len() as i32).sum();
    let overlap_px = if speech.is_some() { LANE + GAP } else { 0 };
    let height = 44 + lanes_px + overlap_px + strips.len() as i32 * (STRIP + GAP) + 92;
    let drawn = sheet((WIDTH, height), |area| {
        heading(area, &source.row.id, WIDTH - 60)?;
        let mut top = 44;
        for one in &lanes {
            top = lanes_at(area, one, across, top)?;
        }
        if speech.is_some() {
            write(area, "two or more talk", (left - 12, top + LANE / 2), Side::Right, (FONT_PX, INK))?;
            frame(area, (left, top), (across.right, top + LANE), MISSING_FRAME)?;
            for [a, b] in &overlaps {
                let (a, b) = (across.x(*a), across.x(*b));
                fill(area, (a, top + 3), (b.max(a + 1), top + LANE - 3), COLOURS[5].to_rgba())?;
            }
            top += LANE + GAP;
        }
        for strip in &strips {
            strip_at(area, strip, across, top)?;
            top += STRIP + GAP;
        }
        axis(area, across, top)?;
        legend(area, top + 62, left)?;
        Ok(told)
    })?;
    Ok(Some(drawn))
}

const MISSING_FRAME: RGBColor = RGBColor(200, 200, 200);

/// Names in the order of their first row.
fn first_named(table: Option<&StoredTable>, column: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for row in 0..table.map_or(0, StoredTable::rows) {
        if let Some(name) = table.and_then(|t| t.text(column, row))
            && !names.iter().any(|n| n == name)
        {
            names.push(name.to_owned());
        }
    }
    names
}

fn stretches(table: &StoredTable, names: &[String], is_speech: impl Fn(usize) -> bool) -> Vec<Stretch> {
    let stretch = |row: usize| {
        let name = table.text("speaker", row).unwrap_or(UNNAMED);
        let who = names.iter().position(|n| n == name)?;
        let start = cell(table, "start_secs", row)?;
        let end = cell(table, "end_secs", row).unwrap_or(start);
        Some(Stretch { who, span: (start, end), is_speech: is_speech(row) })
    };
    (0..table.rows()).filter_map(stretch).collect()
}

/// Who speaks where nobody is named.
const UNNAMED: &str = "(not named)";

fn turns(table: &StoredTable, speakers: &[String], told: &mut Vec<String>) -> Option<Lanes> {
    let mut names = lanes_of(speakers.to_vec(), "speakers", told);
    if (0..table.rows()).any(|row| table.text("speaker", row).is_none()) {
        names.push(UNNAMED.to_owned());
    }
    let is_speech = |row: usize| table.text("voice_missing", row) != Some("not_speech");
    let stretches = stretches(table, &names, is_speech);
    let colours = (0..names.len()).collect();
    (!names.is_empty()).then_some(Lanes { title: "turns of the transcript", names, colours, stretches })
}

/// Voices in the colours of their labels.
fn voices(table: &StoredTable, source: &Source, speakers: &[String], told: &mut Vec<String>) -> Option<Lanes> {
    let names = lanes_of(first_named(Some(table), "speaker"), "voices", told);
    let all = source.table("speakers");
    let label = |voice: &str| {
        let row = all.and_then(|t| (0..t.rows()).find(|&row| t.text("speaker", row) == Some(voice)));
        row.zip(all).and_then(|(row, t)| t.text("label", row)).unwrap_or(voice).to_owned()
    };
    let mut others = speakers.len();
    let colours = names.iter().map(|voice| {
        let own = label(voice);
        speakers.iter().position(|s| *s == own).unwrap_or_else(|| {
            others += 1;
            others - 1
        })
    });
    let colours = colours.collect();
    let stretches = stretches(table, &names, |_| true);
    (!names.is_empty()).then_some(Lanes { title: "voices heard (diarization)", names, colours, stretches })
}

/// The names that have a lane.
fn lanes_of(mut names: Vec<String>, what: &str, told: &mut Vec<String>) -> Vec<String> {
    few(&mut names, LANES, (what, "those who begin first"), told);
    names
}

fn lanes_at(area: &Area<'_>, lanes: &Lanes, across: Across, top: i32) -> Result<i32, Fault> {
    write(area, lanes.title, (across.left, top + LINE_PX / 2 - 2), Side::Left, (FONT_PX - 2, QUIET))?;
    let top = top + LINE_PX;
    for (i, name) in lanes.names.iter().enumerate() {
        let y = top + LANE * i as i32;
        write(
            area,
            &cut(name, FONT_PX, across.left - 24),
            (across.left - 12, y + LANE / 2),
            Side::Right,
            (FONT_PX, INK),
        )?;
        line(area, vec![(across.left, y + LANE / 2), (across.right, y + LANE / 2)], MISSING_FRAME.to_rgba(), 1)?;
    }
    for stretch in &lanes.stretches {
        let y = top + LANE * stretch.who as i32;
        let (a, b) = (across.x(stretch.span.0), across.x(stretch.span.1));
        let (from, to) = ((a, y + 3), (b.max(a + 1), y + LANE - 3));
        if stretch.is_speech {
            fill(area, from, to, colour(lanes.colours[stretch.who]).to_rgba())?;
        } else {
            missing(area, from, to)?;
            frame(area, from, to, QUIET)?;
        }
    }
    Ok(top + LANE * lanes.names.len() as i32 + GAP)
}

fn strips(source: &Source, speakers: &[String], told: &mut Vec<String>) -> Vec<Strip> {
    let mut strips = Vec::new();
    let voice = source.table("voice");
    let silence = if source.row.number("audio_decoded_secs").is_none() { "no sound" } else { "nothing is heard" };
    for (title, unit, column) in [("pitch", "Hz", "pitch_hz"), ("level", "dBFS", "level_db")] {
        let values = voice.map(|t| samples(t, "time_secs", &[column], 0..t.rows())).unwrap_or_default();
        let range = match column {
            "level_db" => LEVEL_DB,
            _ => around(&values),
        };
        strips.push(Strip {
            title: title.into(),
            unit,
            range,
            why: values.iter().all(|v| !v.1.is_finite()).then(|| silence.to_owned()),
            samples: values,
            colour: COLOURS[6],
        });
    }
    let looked_at = source.row.number("video_frames_sampled").is_some();
    let Some(faces) = source.table("faces").filter(|_| looked_at) else {
        strips.push(Strip { why: Some("no picture was looked at".into()), ..smile("smile".into()) });
        return strips;
    };
    let mut persons = observations(faces);
    if persons.is_empty() {
        strips.push(Strip { why: Some("no face was seen".into()), ..smile("smile".into()) });
    }
    few(&mut persons, PERSONS, ("persons", "those seen most"), told);
    persons.sort_by(|a, b| a.0.len().cmp(&b.0.len()).then_with(|| a.0.cmp(&b.0)));
    for (n, (person, rows)) in persons.into_iter().enumerate() {
        let cast = cast(source, &person);
        let place = cast.as_ref().and_then(|label| speakers.iter().position(|s| s == label));
        let title = match cast.filter(|label| *label != person) {
            Some(label) => format!("smile of {person} ({label})"),
            None => format!("smile of {person}"),
        };
        let values = samples(faces, "pts_secs", FACE_SIGNALS[0].1, rows.into_iter());
        let why = values.iter().all(|v| !v.1.is_finite()).then(|| "not measured".to_owned());
        let colour = colour(place.unwrap_or(speakers.len() + n));
        strips.push(Strip { samples: values, why, colour, ..smile(title) });
    }
    strips
}

fn smile(title: String) -> Strip {
    Strip { title, unit: "0 to 1", range: (0.0, 1.0), samples: Vec::new(), colour: COLOURS[6], why: None }
}

/// The label or voice of whom the cast says that it is this person.
fn cast(source: &Source, person: &str) -> Option<String> {
    let table = source.table("speakers")?;
    let row = (0..table.rows()).find(|&row| table.text("person", row) == Some(person))?;
    table.text("label", row).or(table.text("speaker", row)).map(ToOwned::to_owned)
}

/// From the 1st to the 99th percentile of the values, with a margin: octave errors do not set the scale.
fn around(values: &[(f64, f64)]) -> (f64, f64) {
    let mut known: Vec<f64> = values.iter().map(|v| v.1).filter(|v| v.is_finite()).collect();
    known.sort_by(f64::total_cmp);
    let at = |share: f64| known.get(((known.len().max(1) - 1) as f64 * share).round() as usize).copied();
    match at(0.01).zip(at(0.99)) {
        Some((low, high)) => ((low * 0.9).floor(), (high * 1.1).ceil().max((low * 0.9).floor() + 1.0)),
        None => (0.0, 1.0),
    }
}

/// Smallest and largest value of each px, or of each usual step where that is wider; `None` where there is none.
fn binned(samples: &[(f64, f64)], across: Across) -> (f64, Vec<Option<(f64, f64)>>) {
    let known: Vec<(f64, f64)> = samples.iter().copied().filter(|v| v.1.is_finite()).collect();
    let px = across.secs / f64::from(across.right - across.left).max(1.0);
    // A bin holds at least one look, so that an empty one is a gap.
    let step = px.max(usual_step(samples) * 1.5);
    let mut bins = vec![None; (across.secs / step).ceil().max(1.0) as usize];
    let last = bins.len() - 1;
    for (at, value) in known.into_iter().filter(|v| v.0 >= 0.0) {
        let bin: &mut Option<(f64, f64)> = &mut bins[((at / step) as usize).min(last)];
        *bin = Some(bin.map_or((value, value), |(low, high)| (low.min(value), high.max(value))));
    }
    (step, bins)
}

fn strip_at(area: &Area<'_>, strip: &Strip, across: Across, top: i32) -> Drawn {
    let bottom = top + STRIP;
    let ends = ((across.left, top), (across.right, bottom));
    let room = across.left - 68;
    write(area, &cut(&strip.title, FONT_PX, room), (across.left - 50, top + 26), Side::Right, (FONT_PX, INK))?;
    write(area, strip.unit, (across.left - 50, top + 26 + LINE_PX), Side::Right, (FONT_PX - 2, QUIET))?;
    if let Some(why) = &strip.why {
        missing(area, ends.0, ends.1)?;
        let middle = ((across.left + across.right) / 2, (top + bottom) / 2);
        plate(area, why, middle, (10, 12), (FONT_PX, QUIET))?;
        return frame(area, ends.0, ends.1, MISSING_FRAME);
    }
    let (low, high) = strip.range;
    let y = |value: f64| {
        let share = ((value - low) / (high - low)).clamp(0.0, 1.0);
        bottom - (share * f64::from(STRIP)).round() as i32
    };
    let (step, bins) = binned(&strip.samples, across);
    let x = |bin: usize| across.x(bin as f64 * step);
    let mut at = 0;
    while at < bins.len() {
        let run = bins[at..].iter().take_while(|b| b.is_none() == bins[at].is_none()).count();
        if bins[at].is_none() {
            missing(area, (x(at), top), (x(at + run), bottom))?;
        }
        at += run;
    }
    for tick in ticks(low, high, 3) {
        line(area, vec![(across.left - 4, y(tick)), (across.left, y(tick))], INK.to_rgba(), 1)?;
        write(area, &number(tick), (across.left - 7, y(tick)), Side::Right, (FONT_PX - 3, INK))?;
    }
    curve(area, &bins, (&x, &y), strip.colour.to_rgba())?;
    frame(area, ends.0, ends.1, MISSING_FRAME)
}

/// A line through the values; none over a gap.
fn curve(
    area: &Area<'_>,
    bins: &[Option<(f64, f64)>],
    (x, y): (&dyn Fn(usize) -> i32, &dyn Fn(f64) -> i32),
    colour: RGBAColor,
) -> Drawn {
    for (first, run) in runs(bins) {
        let mut points = Vec::with_capacity(2 * run);
        for (at, bin) in bins.iter().enumerate().skip(first).take(run) {
            let Some((low, high)) = *bin else { continue };
            let middle = (x(at) + x(at + 1)) / 2;
            points.push((middle, y(low)));
            if y(high) != y(low) {
                points.push((middle, y(high)));
            }
        }
        if let [one] = points[..] {
            points.push((one.0 + 1, one.1));
        }
        line(area, points, colour, 1)?;
    }
    Ok(())
}

/// First bin and number of bins of each run of values.
fn runs(bins: &[Option<(f64, f64)>]) -> Vec<(usize, usize)> {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for (at, _) in bins.iter().enumerate().filter(|(_, b)| b.is_some()) {
        match runs.last_mut().filter(|(first, run)| first + run == at) {
            Some((_, run)) => *run += 1,
            None => runs.push((at, 1)),
        }
    }
    runs
}

fn axis(area: &Area<'_>, across: Across, top: i32) -> Drawn {
    line(area, vec![(across.left, top), (across.right, top)], INK.to_rgba(), 1)?;
    let ticks = time_ticks(across.secs, 12);
    let step = ticks.get(1).map_or(1.0, |t| t - ticks[0]);
    for tick in ticks {
        let x = across.x(tick);
        line(area, vec![(x, top), (x, top + 5)], INK.to_rgba(), 1)?;
        write(area, &clock(tick, across.secs, step), (x, top + 15), Side::Middle, (FONT_PX - 2, INK))?;
    }
    let unit = if across.secs >= 3600.0 { "time (h:mm:ss)" } else { "time (mm:ss)" };
    write(area, unit, ((across.left + across.right) / 2, top + 36), Side::Middle, (FONT_PX, INK))
}

fn legend(area: &Area<'_>, y: i32, left: i32) -> Drawn {
    missing(area, (left, y - 7), (left + 26, y + 7))?;
    frame(area, (left, y - 7), (left + 26, y + 7), MISSING_FRAME)?;
    let text = "no value: unvoiced or silent (pitch), not seen (smile), not speech (turns)";
    write(area, text, (left + 34, y), Side::Left, (FONT_PX - 2, QUIET))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gap_is_no_line_and_no_zero() {
        let samples: Vec<(f64, f64)> =
            (0..100).filter(|i| !(40..60).contains(i)).map(|i| (f64::from(i) * 0.1, 0.5)).collect();
        let across = Across { left: 0, right: 100, secs: 10.0 };
        let (step, bins) = binned(&samples, across);
        assert!((step - 0.15).abs() < 1e-9);
        let runs = runs(&bins);
        assert_eq!(runs.len(), 2, "{runs:?}");
        assert!(bins.iter().flatten().all(|b| *b == (0.5, 0.5)));
    }

    #[test]
    fn octave_errors_do_not_set_the_scale() {
        let mut values: Vec<(f64, f64)> = (0..1000).map(|i| (f64::from(i), 200.0)).collect();
        values[500].1 = 1600.0;
        values[501].1 = f64::NAN;
        assert_eq!(around(&values), (180.0, 221.0));
        assert_eq!(around(&[]), (0.0, 1.0));
    }
}
