//! Times that count frames (`00:00:03:12`) or samples: a rate tells how long one is, and none is guessed.

use serde::{Deserialize, Serialize};

use super::clock;
use super::draft::{Draft, short};
use crate::error::Result;

/// How long frames and samples are; 0 where it is not known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Rates {
    /// Frames a second of time codes.
    pub frames_hz: f64,
    /// Samples a second of columns of samples.
    pub samples_hz: f64,
}

/// What to do where the rate is missing.
pub(super) const NO_RATE: &str = "pass the rate of the time code, such as --frame-rate 25";

/// Rates of broadcast that are written in short, and what they are.
const BROADCAST: [(f64, f64); 4] =
    [(23.976, 24_000.0 / 1001.0), (29.97, 30_000.0 / 1001.0), (59.94, 60_000.0 / 1001.0), (47.952, 48_000.0 / 1001.0)];

impl Rates {
    /// Frames a second as they pass.
    fn exact(self) -> f64 {
        BROADCAST.iter().find(|(short, _)| (self.frames_hz - short).abs() < 0.006).map_or(self.frames_hz, |(_, r)| *r)
    }
}

/// True for `HH:MM:SS:FF`, with a semicolon before the frames where numbers are dropped (SMPTE ST 12-1).
pub(super) fn is_code(text: &str) -> bool {
    let fields: Vec<&str> = text.split([':', ';']).collect();
    let digits = |f: &&str| (1..=2).contains(&f.len()) && f.bytes().all(|b| b.is_ascii_digit());
    fields.len() == 4 && fields.iter().all(digits)
}

/// Seconds of a time code. Of rates that are no whole number, frames are counted as if they were the next whole
/// number a second: its seconds are longer than seconds. With a semicolon, two numbers (four at 60) are left out each
/// minute but the tenth.
pub(super) fn secs(text: &str, rates: Rates) -> std::result::Result<f64, String> {
    if rates.frames_hz <= 0.0 {
        return Err(format!("the time {:?} counts frames, and no rate tells how long one is", short(text)));
    }
    let exact = rates.exact();
    let counted = exact.round().max(1.0);
    let fields: Vec<f64> = text.split([':', ';']).filter_map(|f| f.parse().ok()).collect();
    let [hours, minutes, seconds, frame] = fields.as_slice() else {
        return Err(format!("the time {:?} cannot be read", short(text)));
    };
    if *minutes >= 60.0 || *seconds >= 60.0 || *frame >= counted {
        return Err(format!(
            "the time {:?} has no such minute, second or frame at {counted} frames a second",
            short(text)
        ));
    }
    let mut number = ((hours * 60.0 + minutes) * 60.0 + seconds) * counted + frame;
    if text.contains(';') && (counted - exact).abs() > 1e-9 {
        let dropped = (counted / 15.0).round();
        let all = hours * 60.0 + minutes;
        if *seconds == 0.0 && *frame < dropped && minutes % 10.0 != 0.0 {
            return Err(format!("the time {:?} is one of those that drop-frame counting leaves out", short(text)));
        }
        number -= dropped * (all - (all / 10.0).floor());
    }
    Ok(number / exact)
}

/// The text with time codes in the timing lines of subtitles as clock times.
///
/// # Errors
/// [`crate::error::Error::Parse`] for a code that cannot be, or where no rate is told, unless lenient.
pub(super) fn in_timing_lines(text: String, rates: Rates, draft: &mut Draft) -> Result<String> {
    let coded = |line: &str| {
        line.split_once("-->")
            .is_some_and(|(a, b)| is_code(a.trim()) || is_code(b.split_whitespace().next().unwrap_or("")))
    };
    if !text.lines().any(coded) {
        return Ok(text);
    }
    let mut out = String::with_capacity(text.len() + 64);
    let mut count = 0;
    for (i, line) in text.split_inclusive('\n').enumerate() {
        if !coded(line) {
            out.push_str(line);
            continue;
        }
        let (left, right) = line.split_once("-->").unwrap_or((line, ""));
        let end = right.split_whitespace().next().unwrap_or("");
        let times = [left.trim(), end]
            .map(|t| if is_code(t) { secs(t, rates) } else { clock::parse(t).ok_or_else(String::new) });
        match times {
            [Ok(start), Ok(end)] => {
                count += 1;
                out.push_str(&format!("{} --> {}\n", written(start), written(end)));
            }
            [Err(what), _] | [_, Err(what)] if rates.frames_hz <= 0.0 => return Err(draft.fail(i + 1, what, NO_RATE)),
            // The reader tells what is wrong with the line.
            _ => out.push_str(line),
        }
    }
    if count > 0 {
        draft.warn(format!("{count} cues have times in frames, read at {} frames a second", rates.exact()));
    }
    Ok(out)
}

fn written(secs: f64) -> String {
    let millis = (secs * 1e6).round();
    let whole = (millis / 1e6).floor();
    let (hours, minutes) = ((whole / 3600.0).floor(), (whole / 60.0).floor() % 60.0);
    format!("{hours:02}:{minutes:02}:{:02}.{:06}", whole % 60.0, millis - whole * 1e6)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transcript::tests::told;
    use crate::transcript::{ReadOptions, read_bytes};
    use std::path::Path;

    fn at(frames_hz: f64) -> Rates {
        Rates { frames_hz, samples_hz: 0.0 }
    }

    #[test]
    fn codes_at_their_rates() {
        for (code, rate, want) in [
            ("00:00:03:12", 25.0, 3.48),
            ("00:00:03:12", 24.0, 3.5),
            ("01:00:00:00", 29.97, 3603.6),
            // Ten minutes of drop-frame code are ten minutes less 0.6 ms.
            ("00:10:00;00", 29.97, 599.9994),
            ("00:01:00;02", 29.97, 60.06),
        ] {
            let got = secs(code, at(rate)).unwrap();
            assert!((got - want).abs() < 1e-6, "{code} at {rate}: {got}");
        }
        assert!(secs("00:00:03:25", at(25.0)).unwrap_err().contains("no such minute, second or frame at 25"));
        assert!(secs("00:01:00;01", at(29.97)).unwrap_err().contains("drop-frame counting leaves out"));
        assert!(secs("00:00:03:12", at(0.0)).unwrap_err().contains("no rate tells"));
        assert!(is_code("00:00:03:12") && !is_code("00:00:03.12") && !is_code("00:00:03") && !is_code("a:b:c:d"));
    }

    #[test]
    fn subtitles_and_tables_in_frames() {
        let srt = "1\n00:00:03:12 --> 00:00:05:00\nA: at 10:20:30:40 --> so\n";
        let read = |name: &str, text: &str, rates: Rates| {
            let options = ReadOptions { rates, ..ReadOptions::default() };
            read_bytes(text.as_bytes(), Path::new(name), &options)
        };
        let t = read("a.srt", srt, at(25.0)).unwrap();
        assert_eq!(told(&t), ["3.48-5 A: at 10:20:30:40 --> so"]);
        let e = read("a.srt", srt, at(0.0)).unwrap_err().to_string();
        assert!(
            e.starts_with("a.srt:2: the time \"00:00:03:12\" counts frames") && e.contains("--frame-rate 25"),
            "{e}"
        );
        let csv = "start,end,text\n00:00:03:12,00:00:05:00,so it is\n";
        assert_eq!(told(&read("a.csv", csv, at(25.0)).unwrap()), ["3.48-5 so it is"]);
        let e = read("a.csv", csv, at(0.0)).unwrap_err().to_string();
        assert!(e.starts_with("a.csv:2: row 1: the time \"00:00:03:12\" counts frames"), "{e}");
        let csv = "start_sample,end_sample,text\n8000,16000,so it is\n";
        let rates = Rates { frames_hz: 0.0, samples_hz: 16_000.0 };
        assert_eq!(told(&read("a.csv", csv, rates).unwrap()), ["0.5-1 so it is"]);
        let e = read("a.csv", csv, at(0.0)).unwrap_err().to_string();
        assert!(e.contains("start_sample counts samples") && e.contains("--sample-rate"), "{e}");
        let csv = "start_frame,end_frame,text\n50,75,so it is\n";
        assert_eq!(told(&read("a.csv", csv, at(25.0)).unwrap()), ["2-3 so it is"]);
    }
}
