//! Words at the bottom, the clock and the level at the top.

use image::RgbImage;

use super::canvas::{self, Area, Colour};
use super::letters::{Letters, Setting};
use super::painter::{GROUND, GROUND_ALPHA, Painter, Sizes, WORDS, colour};
use super::talk::Turn;

/// Lines of a turn that are shown at once; longer ones go on as they are said.
const LINES: usize = 2;
/// On a picture that is higher than wide.
const LINES_UPRIGHT: usize = 3;
/// Turns shown at once, the last begun.
const TURNS: usize = 2;
/// Words are this much larger than names.
const CAPTION: f32 = 1.1;
/// The level's bar is empty and full here, in dBFS.
const QUIET_DB: f32 = -60.0;
const LEVEL: Colour = [120, 220, 140];
/// Behind the name of one whom the cast sees nowhere in the picture.
const UNSEEN: &str = " (not in the picture)";

/// Draws the turns that run at `secs`; where they stand.
pub(super) fn captions(picture: &mut RgbImage, painter: &mut Painter, sizes: Sizes, secs: f64) -> Vec<Area> {
    let turns: Vec<Turn> = painter.talk.turns_at(secs).cloned().collect();
    let (full, height) = (picture.width() as f32, picture.height() as f32);
    let most = if picture.height() > picture.width() { LINES_UPRIGHT } else { LINES };
    let size = (CAPTION * sizes.text).round();
    let (mut bottom, mut taken) = (height, Vec::new());
    for turn in turns.iter().rev().take(TURNS) {
        let own = colour(&painter.talk, turn.person.as_deref());
        let unseen = if turn.unseen && painter.talk.has_persons() { UNSEEN } else { "" };
        let name = if turn.speaker.is_empty() { String::new() } else { format!("{}{unseen}: ", turn.speaker) };
        let width = full - 4.0 * sizes.pad;
        let laid = painter
            .letters
            .lay(&[(name.as_str(), own), (turn.text.as_str(), WORDS)], Setting { size, width: Some(width) });
        let said = name.len() + turn.reached(secs);
        let now = laid.lines.iter().rposition(|l| l.bytes.start <= said).unwrap_or(0);
        let first = now / most * most;
        let lines: Vec<_> = laid.lines.iter().skip(first).take(most).collect();
        let plate_height = laid.leading * lines.len() as f32 + sizes.pad;
        if lines.is_empty() || bottom - plate_height < height / 3.0 {
            break;
        }
        let plate = Area { left: 0.0, top: bottom - plate_height, width: full, height: plate_height };
        canvas::fill(picture, plate, GROUND, GROUND_ALPHA);
        // A stripe of the speaker's colour tells two turns apart.
        canvas::fill(picture, Area { width: sizes.pad, ..plate }, own, 1.0);
        for (i, line) in lines.into_iter().enumerate() {
            let top = plate.top + sizes.pad / 2.0 + i as f32 * laid.leading;
            painter.letters.draw_in_place(picture, line, (2.0 * sizes.pad, top));
        }
        bottom = plate.top - 1.0;
        taken.push(plate);
    }
    taken
}

/// Draws the time at the top right and the level below it; where they stand. `level`: `Some` where the table holds it,
/// minus infinity in silence.
pub(super) fn clock(
    picture: &mut RgbImage,
    letters: &mut Letters,
    sizes: Sizes,
    secs: f64,
    level: Option<f32>,
) -> Area {
    let size = (0.85 * sizes.text).round();
    let laid = letters.lay(&[(told(secs).as_str(), WORDS)], Setting { size, width: None });
    // As wide as the widest digits, so that the ground does not tremble.
    let widest: String = told(secs).chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
    let width = letters.lay(&[(widest.as_str(), WORDS)], Setting { size, width: None }).width() + 2.0 * sizes.pad;
    let bar = (0.4 * sizes.text).round().max(3.0);
    let height = laid.leading + level.map_or(0.0, |_| bar + sizes.pad);
    let plate = Area { left: (picture.width() as f32 - width).max(0.0), top: 0.0, width, height };
    canvas::fill(picture, plate, GROUND, GROUND_ALPHA);
    if let Some(line) = laid.lines.first() {
        letters.draw(picture, line, (plate.left + sizes.pad, 0.0));
    }
    if let Some(level) = level {
        let share = ((level - QUIET_DB) / -QUIET_DB).clamp(0.0, 1.0);
        let bed = Area { left: plate.left + sizes.pad, top: laid.leading, width: width - 2.0 * sizes.pad, height: bar };
        canvas::fill(picture, bed, [90, 90, 95], 1.0);
        canvas::fill(picture, Area { width: bed.width * share, ..bed }, LEVEL, 1.0);
    }
    plate
}

/// `h:mm:ss.mmm`.
pub(super) fn told(secs: f64) -> String {
    let millis = (secs.max(0.0) * 1000.0).round() as u64;
    let (s, m, h) = (millis / 1000 % 60, millis / 60_000 % 60, millis / 3_600_000);
    format!("{h}:{m:02}:{s:02}.{:03}", millis % 1000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_tells_hours_and_milliseconds() {
        assert_eq!(
            (told(0.0), told(59.9996), told(3723.04)),
            ("0:00:00.000".into(), "0:01:00.000".into(), "1:02:03.040".into())
        );
    }

    #[test]
    fn the_level_fills_its_bar() {
        let mut letters = Letters::new(&[], false).unwrap();
        let sizes = Sizes::of(640, 360);
        let mut lit = |level| {
            let mut picture = RgbImage::new(640, 360);
            clock(&mut picture, &mut letters, sizes, 1.0, level);
            picture.pixels().filter(|p| p.0 == LEVEL).count()
        };
        let full = lit(Some(0.0));
        assert!(full > 100 && lit(Some(-30.0)).abs_diff(full / 2) < full / 10);
        assert_eq!((lit(Some(f32::NEG_INFINITY)), lit(None)), (0, 0));
    }
}
