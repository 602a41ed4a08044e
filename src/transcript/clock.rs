//! Clock times of cues: `01:02:03,456`, `02:03.456`, and the line that joins two of them with an arrow.

use crate::time::Segment;

/// Seconds of `[H…:]M[M]:S[S][.|,]f…`; minutes and seconds below 60. `None` for anything else.
pub(super) fn parse(text: &str) -> Option<f64> {
    let (clock, fraction) = match text.find(['.', ',']) {
        Some(at) => (&text[..at], Some(&text[at + 1..])),
        None => (text, None),
    };
    let fraction = match fraction {
        Some(f) if f.is_empty() || f.len() > 9 || !f.bytes().all(|b| b.is_ascii_digit()) => return None,
        Some(f) => f,
        None => "0",
    };
    let mut fields = clock.split(':').rev();
    let field = |text: &str, digits: usize, below: u64| {
        let whole = !text.is_empty() && text.len() <= digits && text.bytes().all(|b| b.is_ascii_digit());
        whole.then(|| text.parse::<u64>().ok()).flatten().filter(|v| *v < below)
    };
    let secs = field(fields.next()?, 2, 60)?;
    let mins = field(fields.next()?, 2, 60)?;
    let hours = match fields.next() {
        Some(h) => field(h, 6, 1_000_000)?,
        None => 0,
    };
    if fields.next().is_some() {
        return None;
    }
    // Through decimal text, so that 1.1 s is the double nearest to 1.1.
    format!("{}.{fraction}", hours * 3600 + mins * 60 + secs).parse().ok()
}

/// Seconds written as a number (`12.5`, `12,5`) or as a clock time; minutes may pass 59 where no hours are given.
pub(super) fn parse_loose(text: &str) -> Option<f64> {
    let text = text.trim();
    // f4 writes tenths behind a dash: `#00:00:03-5#`.
    if let Some(inner) = text.strip_prefix('#').and_then(|t| t.strip_suffix('#')) {
        return parse(&inner.replacen('-', ".", 1));
    }
    if !text.contains(':') {
        let number = if text.contains('.') { text.to_owned() } else { text.replacen(',', ".", 1) };
        let digits = number.trim_start_matches(['-', '+']);
        if !digits.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
            return None;
        }
        return number.parse().ok().filter(|v: &f64| v.is_finite());
    }
    if let Some(secs) = parse(text) {
        return Some(secs);
    }
    let (mins, rest) = text.split_once(':')?;
    let mins: u64 =
        if mins.len() <= 6 && mins.bytes().all(|b| b.is_ascii_digit()) { mins.parse().ok()? } else { return None };
    parse(&format!("0:{rest}")).map(|secs| secs + mins as f64 * 60.0)
}

/// No time is later, whatever unit it turns out to be in: a million hours, as many as a clock time can write.
const MOST_SECS: f64 = 3.6e9;

/// A segment, or what is wrong with it in words.
pub(super) fn span(start: f64, end: f64) -> Result<Segment, String> {
    if start < 0.0 || end < 0.0 {
        return Err(format!("a time before 0 ({start} to {end} s)"));
    }
    if start.max(end) > MOST_SECS {
        return Err(format!("a time of more than a million hours ({start:e} to {end:e} s)"));
    }
    // `+ 0.0` turns a negative zero into zero.
    Segment::from_secs(start + 0.0, end + 0.0).ok_or_else(|| {
        if end < start {
            format!("end {end} s before start {start} s")
        } else {
            format!("times that are no numbers ({start}, {end})")
        }
    })
}

/// The timing line of a cue. `None` when the line is none (dialogue may hold arrows and clock times), an error in words
/// when it is one but cannot be read.
pub(super) fn timing(line: &str) -> Option<Result<Segment, String>> {
    let (left, right) = line.split_once("-->")?;
    let (left, right) = (left.trim(), right.trim());
    let end = right.split_whitespace().next().unwrap_or("");
    if left.starts_with('[') {
        return None; // Whisper's console output.
    }
    let timelike = |t: &str| t.trim_start_matches('-').starts_with(|c: char| c.is_ascii_digit()) && t.contains(':');
    if !timelike(left) && !timelike(end)
        || left.contains(char::is_whitespace) && parse(left).is_none() && !timelike(end)
    {
        return None;
    }
    Some(match (parse(left), parse(end)) {
        (Some(a), Some(b)) => span(a, b),
        (None, _) => Err(format!("start time {left:?} cannot be read")),
        (_, None) => Err(format!("end time {end:?} cannot be read")),
    })
}

/// The words that stand behind the times of a timing line. WebVTT's settings (`align:start`, W3C "WebVTT" 4.4) and the
/// coordinates of SubRip (`X1:40`) are none.
pub(super) fn words_behind_timing(line: &str) -> Option<&str> {
    const SETTINGS: [&str; 16] = [
        "align",
        "line",
        "position",
        "region",
        "size",
        "snap-to-lines",
        "vertical",
        "x1",
        "x2",
        "y1",
        "y2",
        "a",
        "d",
        "l",
        "s",
        "t",
    ];
    let (_, right) = line.split_once("-->")?;
    let (_, behind) = right.trim().split_once(char::is_whitespace)?;
    let is_setting = |word: &str| {
        word.split_once(':').is_some_and(|(key, value)| {
            !value.is_empty() && SETTINGS.iter().any(|setting| key.eq_ignore_ascii_case(setting))
        })
    };
    let settings = behind.split_whitespace().all(is_setting);
    Some(behind.trim()).filter(|words| !settings && !words.is_empty())
}

/// True for a line that shows two times with a fraction but no arrow: a timing line spoilt.
pub(super) fn arrowless_timing(line: &str) -> bool {
    if line.contains("-->") {
        return false;
    }
    let times =
        line.split_whitespace().filter(|w| w.contains(':') && w.contains(['.', ',']) && parse(w).is_some()).count();
    times >= 2 && parse(line.split_whitespace().next().unwrap_or("")).is_some()
}

/// True for a line of two numbers with an arrow between, neither of them a clock time (`1.5 --> 2.5`): a timing line
/// spoilt.
pub(super) fn arrow_of_numbers(line: &str) -> bool {
    let number = |t: &str| {
        t.starts_with(|c: char| c.is_ascii_digit()) && t.chars().all(|c| c.is_ascii_digit() || ".,:;".contains(c))
    };
    line.split_once("-->").is_some_and(|(a, b)| number(a.trim()) && number(b.split_whitespace().next().unwrap_or("")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clock_times() {
        let read = |t: &str| parse(t).map(|s| format!("{s}"));
        assert_eq!(read("00:00:12,440").as_deref(), Some("12.44"));
        assert_eq!(read("0:10:44,769").as_deref(), Some("644.769"));
        assert_eq!(read("01:02.5").as_deref(), Some("62.5"));
        assert_eq!(read("00:00:01").as_deref(), Some("1"));
        assert_eq!(read("12345:00:24.000").as_deref(), Some("44442024"));
        for bad in [
            "",
            "12",
            "12.5",
            "00:00:1d.890",
            "123:44.000",
            "00:60:00,000",
            "00:00:61,0",
            "1:2:3:4",
            "-00:00:01,0",
            "00:00:01,",
            "+1:00",
        ] {
            assert_eq!(parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn loose_times() {
        let read = |t: &str| parse_loose(t).map(|s| format!("{s}"));
        assert_eq!(read(" 12.5 ").as_deref(), Some("12.5"));
        assert_eq!(read("12,5").as_deref(), Some("12.5"));
        assert_eq!(read("123:44.5").as_deref(), Some("7424.5"));
        assert_eq!(read("#00:00:03-5#").as_deref(), Some("3.5"));
        assert_eq!(read("00:16:16,059").as_deref(), Some("976.059"));
        for bad in ["", "nan", "inf", "abc", "1:2:3:4", "1,2,3", "1e999"] {
            assert_eq!(parse_loose(bad), None, "{bad}");
        }
    }

    #[test]
    fn words_behind_the_times_are_no_settings() {
        let words = |rest: &str| words_behind_timing(&format!("00:01.000 --> 00:02.000{rest}")).map(str::to_owned);
        for rest in ["", " ", " align:start position:0%", " X1:40 X2:600 Y1:20 Y2:50", "\tline:-1 ", " A:middle L:90%"]
        {
            assert_eq!(words(rest), None, "{rest:?}");
        }
        assert_eq!(words(" Mara: so it is").as_deref(), Some("Mara: so it is"));
        assert_eq!(words("  line: seven").as_deref(), Some("line: seven"));
        assert_eq!(words(" align:start and more").as_deref(), Some("align:start and more"));
        assert_eq!(words_behind_timing("no time at all"), None);
    }

    #[test]
    fn a_timing_line_and_dialogue_that_looks_like_one() {
        let ok = timing("00:01.000 --> 00:02.5 align:start position:0%").unwrap().unwrap();
        assert_eq!(ok, Segment::from_secs(1.0, 2.5).unwrap());
        assert!(span(1.0, 3.7e9).unwrap_err().contains("more than a million hours"));
        assert!(span(0.0, 3.6e9).is_ok());
        assert!(timing("00:02:00,000-->00:01:00,000").unwrap().unwrap_err().contains("before start"));
        assert!(timing("00:00:07.000 --> 00:00:1d.890").unwrap().unwrap_err().contains("1d"));
        assert!(timing("00:00:07.000 -->").unwrap().is_err());
        assert!(timing("12:30 we met").is_none());
        assert!(timing("go --> there").is_none());
        assert!(timing("from 1 --> to 2").is_none());
        assert!(arrowless_timing("00:00:01,000 00:00:02,000") && arrowless_timing("00:00:01,000 -> 00:00:02,000"));
        assert!(!arrowless_timing("12:30 we met at 12:45"));
    }
}
