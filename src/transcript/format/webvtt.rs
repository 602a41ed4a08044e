//! WebVTT: header, blocks between empty lines, cues with settings, voices and word times (W3C "WebVTT: The Web Video
//! Text Tracks Format", the parser's rules of section 6, hours optional).

use crate::error::Result;
use crate::transcript::clock;
use crate::transcript::cue::{self, Cue};
use crate::transcript::draft::{CUT, Draft, short};

const EXPECTED: &str = "expected [HH:]MM:SS.mmm --> [HH:]MM:SS.mmm with end at or after start; correct the line";

/// A whole file, small.
pub(super) const EXAMPLE: &str = "WEBVTT\n\nNOTE x\n\n1\n00:01.000 --> 00:02.000 line:0\n<v Ann>a<00:00:01.500><c> b</c>\n\n\
    00:02.000 --> 00:03.000\na b\nc\n";

/// Reads WebVTT text into `draft`.
pub(super) fn read(text: &str, draft: &mut Draft) -> Result<()> {
    let lines: Vec<&str> = text.split('\n').collect();
    let mut cues: Vec<Cue> = Vec::new();
    let mut at = 0;
    if text.trim_start().starts_with("WEBVTT") {
        // The header ends at an empty line, or at the first timing line where the empty line was forgotten.
        while at < lines.len() && lines[at].trim().is_empty() {
            at += 1;
        }
        at += 1;
        while at < lines.len() && !lines[at].is_empty() && clock::timing(lines[at]).is_none() {
            // Not in the standard, and in every file of YouTube's.
            if let Some(language) = lines[at].strip_prefix("Language:") {
                draft.declare(language);
            }
            at += 1;
        }
    } else {
        draft.warn("the WEBVTT header is missing");
    }
    tell_map(&lines, draft);
    let mut numbers: Vec<(usize, u64)> = Vec::new();
    // The line that nothing ends.
    let open = lines.iter().rposition(|l| !l.is_empty()).filter(|i| i + 1 == lines.len());
    let mut open_words = false;
    while at < lines.len() {
        if lines[at].trim().is_empty() {
            at += 1;
            continue;
        }
        let end = block_end(&lines, at);
        let before = cues.len();
        let cut = open == Some(end - 1);
        block(&lines[at..end], at + 1, cut, &mut cues, draft)?;
        open_words = cut && cues.len() > before;
        if cues.len() > before && lines[at].len() <= 9 {
            numbers.extend(lines[at].trim().parse().ok().map(|n| (at + 1, n)));
        }
        at = end;
    }
    draft.tell_jumps(&numbers);
    let with_words = |(_, line): &(usize, &&str)| {
        clock::words_behind_timing(line).is_some() && clock::timing(line).is_some_and(|t| t.is_ok())
    };
    let words_behind: Vec<usize> = lines.iter().enumerate().filter(with_words).map(|(i, _)| i + 1).collect();
    cue::tell_words_behind_timing(&words_behind, draft);
    draft.ends_open(open_words);
    cue::into_turns(cues, true, draft);
    Ok(())
}

/// Tells what X-TIMESTAMP-MAP (RFC 8216, "WebVTT", 3.5) says: it places cue times on the clock of a stream. Where the
/// media begins on that clock a transcript cannot know, mostly where the first cue's time 0 is; so nothing is moved.
fn tell_map(lines: &[&str], draft: &mut Draft) {
    let mut offsets: Vec<(usize, Option<f64>)> = Vec::new();
    for (i, line) in lines.iter().enumerate() {
        let Some(map) = line.trim().strip_prefix("X-TIMESTAMP-MAP=") else { continue };
        let value = |key: &str| map.split(',').find_map(|part| part.trim().strip_prefix(key));
        let ticks = value("MPEGTS:").and_then(|v| v.trim().parse::<u64>().ok());
        let local = value("LOCAL:").and_then(|v| clock::parse(v.trim()));
        let offset = ticks.zip(local).map(|(ticks, local)| ticks as f64 / 90_000.0 - local);
        if !offsets.iter().any(|(_, before)| *before == offset) {
            offsets.push((i + 1, offset));
        }
    }
    match offsets.as_slice() {
        [] => {}
        [(_, Some(offset))] if offset.abs() < 1e-9 => {}
        [(line, None), ..] => draft.warn(format!(
            "line {line}: X-TIMESTAMP-MAP cannot be read; times are read as they \
                                                  are written"
        )),
        [(line, Some(offset))] => draft.warn(format!(
            "line {line}: X-TIMESTAMP-MAP places the cues {offset:+.3} s on the stream's clock; not applied (see \
             input.transcript_shift_secs)"
        )),
        [_, (line, _), ..] => draft.warn(format!(
            "line {line}: a second X-TIMESTAMP-MAP, {} in all: the pieces of a stream lie on clocks of their own; not \
             applied, their times may start again",
            offsets.len()
        )),
    }
}

/// A block ends at an empty line, and before a timing line that is not its own.
fn block_end(lines: &[&str], start: usize) -> usize {
    let timed = |i: usize| lines.get(i).is_some_and(|l| clock::timing(l).is_some());
    let mut end = start + 1;
    while end < lines.len() && !lines[end].is_empty() {
        let own = end == start + 1 && !timed(start);
        if timed(end) && !own {
            break;
        }
        // A line of spaces belongs to the text (YouTube), but not right before the next cue.
        if lines[end].trim().is_empty() && (timed(end + 1) || timed(end + 2) && !lines[end + 1].trim().is_empty()) {
            break;
        }
        end += 1;
    }
    end
}

/// Reads the block that begins at line `number`; `cut`: its last line is the file's, and nothing ends it.
fn block(lines: &[&str], number: usize, cut: bool, cues: &mut Vec<Cue>, draft: &mut Draft) -> Result<()> {
    let first = lines[0].trim();
    let second = lines.get(1).map_or("", |l| l.trim());
    let (timing_at, timing) = match (clock::timing(first), clock::timing(second)) {
        (Some(timing), _) => (0, timing),
        (None, Some(timing)) => (1, timing),
        (None, None) => {
            let keyword = |name: &str| {
                first.strip_prefix(name).is_some_and(|r| r.is_empty() || r.starts_with(char::is_whitespace))
            };
            if ["NOTE", "STYLE", "REGION", "WEBVTT"].into_iter().any(keyword) {
                return Ok(());
            }
            let spoilt = [first, second].iter().position(|l| l.contains("-->") || clock::arrowless_timing(l));
            if let Some(i) = spoilt {
                let what = format!("{}: no timing in {:?}", name(cues, (i == 1).then_some(first)), short(lines[i]));
                return draft.bad(number + i, what, EXPECTED);
            }
            let more = if lines.len() > 1 { format!(" and {} lines more", lines.len() - 1) } else { String::new() };
            draft.warn(format!("line {number}: text outside of any cue ignored: {:?}{more}", short(first)));
            return Ok(());
        }
    };
    if cut && timing_at + 1 == lines.len() && clock::words_behind_timing(lines[timing_at]).is_none() {
        let name = name(cues, (timing_at == 1).then_some(first));
        return draft.bad(
            number + timing_at,
            format!("{name}: the file ends with its timing line {:?}", short(lines[timing_at])),
            CUT,
        );
    }
    let in_tag = |l: &str| {
        l.rsplit_once('<').is_some_and(|(_, t)| {
            !t.contains('>') && (t.is_empty() || t.starts_with(|c: char| c.is_alphabetic() || c == '/'))
        })
    };
    if cut && in_tag(lines[lines.len() - 1]) {
        let name = name(cues, (timing_at == 1).then_some(first));
        let last = lines.len() - 1;
        return draft.bad(number + last, format!("{name}: the file ends within a tag, {:?}", short(lines[last])), CUT);
    }
    match timing {
        Ok(segment) => {
            let below = lines[timing_at + 1..].iter().copied();
            let lines = clock::words_behind_timing(lines[timing_at]).into_iter().chain(below);
            let lines = lines.map(str::to_owned).collect();
            cues.push(Cue { after_dropped: draft.take_lost(), segment, lines });
        }
        Err(what) => {
            let what =
                format!("{}: {what} in {:?}", name(cues, (timing_at == 1).then_some(first)), short(lines[timing_at]));
            draft.bad(number + timing_at, what, EXPECTED)?;
        }
    }
    Ok(())
}

fn name(cues: &[Cue], id: Option<&str>) -> String {
    id.map_or_else(|| format!("cue after cue {}", cues.len()), |id| format!("cue {:?}", short(id)))
}

#[cfg(test)]
mod tests {
    use crate::transcript::Format;
    use crate::transcript::read_bytes;
    use crate::transcript::tests::{LENIENT, complaint, parse, told, warned, word_times};
    use std::path::Path;

    #[test]
    fn webvtt_voices_settings_notes_styles_and_ids() {
        let t = parse(
            "a.txt",
            "WEBVTT - title\nKind: captions\n\nSTYLE\n::cue { color: red }\n\nREGION\nid:fred\n\nNOTE\nnot said\n\nid 1\n00:01.000 --> 00:02.000 align:start line:0\n<v.loud Anna Lee>Hi &amp; <b>bye</b></v>\n\n01:00:03.000 --> 01:00:04.000\n<v Bob>Yes <v Anna Lee>No\n",
        );
        assert_eq!(t.format, Format::WebVtt);
        assert_eq!(told(&t), ["1-2 Anna Lee: Hi & bye", "3603-3604 Bob: Yes", "3603-3604 Anna Lee: No"]);
    }

    #[test]
    fn readings_above_words_are_no_words() {
        let t = parse("a.vtt", "WEBVTT\n\n00:01.000 --> 00:02.000\nso <ruby>it<rt>reading</rt></ruby> is\n");
        assert_eq!(told(&t), ["1-2 so it is"]);
    }

    #[test]
    fn words_in_angle_brackets_are_kept_and_told() {
        let t = parse(
            "a.vtt",
            "WEBVTT\n\n00:01.000 --> 00:02.000\nI <3 you so much and 4 > 3\n\n00:02.000 --> 00:03.000\n<i><laughs></i> no\n",
        );
        assert_eq!(told(&t), ["1-2 I <3 you so much and 4 > 3", "2-3 <laughs> no"]);
        assert!(warned(&t).contains("2 stretches in angle brackets are no tags"), "{}", warned(&t));
    }

    #[test]
    fn a_stream_clock_is_told() {
        let cue = "00:01.000 --> 00:02.000\nHi.\n";
        let file = |map: &str| format!("WEBVTT\nX-TIMESTAMP-MAP={map}\n\n{cue}");
        let t = parse("a.vtt", &file("LOCAL:00:00:00.000,MPEGTS:900000"));
        assert_eq!(told(&t), ["1-2 Hi."]);
        assert!(
            warned(&t).contains("line 2: X-TIMESTAMP-MAP places the cues +10.000 s on the stream's clock; not applied"),
            "{}",
            warned(&t)
        );
        assert_eq!(warned(&parse("a.vtt", &file("MPEGTS:900000,LOCAL:00:00:10.000"))), "");
        assert!(warned(&parse("a.vtt", &file("MPEGTS:x,LOCAL:0"))).contains("cannot be read"));
        let two =
            format!("{}\n{}", file("MPEGTS:900000,LOCAL:00:00:00.000"), file("MPEGTS:1800000,LOCAL:00:00:00.000"));
        assert!(
            warned(&parse("a.vtt", &two)).contains("line 8: a second X-TIMESTAMP-MAP, 2 in all"),
            "{}",
            warned(&parse("a.vtt", &two))
        );
    }

    #[test]
    fn webvtt_word_times() {
        let t = parse(
            "a.vtt",
            "WEBVTT\n\n00:00:01.000 --> 00:00:03.000\none<00:00:01.500><c> two</c><00:00:02.000><c> three four</c>\n",
        );
        assert_eq!(told(&t), ["1-3 one two three four"]);
        assert_eq!(word_times(&t.turns[0]), ["one 1.000-1.500", "two 1.500-2.000", "three ?", "four ?"]);
    }

    #[test]
    fn rolling_captions_are_unrolled() {
        let t = parse(
            "a.vtt",
            "WEBVTT\nKind: captions\n\n00:00:01.000 --> 00:00:02.990\n \nthis<00:00:01.500><c> book</c>\n\n00:00:02.990 --> 00:00:03.000\nthis book\n \n\n00:00:03.000 --> 00:00:04.990\nthis book\nis<00:00:03.500><c> free</c>\n\n00:00:04.990 --> 00:00:05.000\nis free\n \n\n00:00:05.000 --> 00:00:06.000\n \n \n",
        );
        assert_eq!(told(&t), ["1-3 this book", "3-5 is free"]);
        assert_eq!(word_times(&t.turns[1]), ["is 3.000-3.500", "free 3.500-5.000"]);
        assert!(
            warned(&t).contains("rolling captions: repeated lines merged, 3 of 5 cues only repeated"),
            "{}",
            warned(&t)
        );
    }

    #[test]
    fn people_who_repeat_themselves_are_no_rolling_captions() {
        let t = parse(
            "a.vtt",
            "WEBVTT\n\n00:01.000 --> 00:02.000\nYes.\n\n00:02.000 --> 00:03.000\nYes.\n\n00:03.000 --> 00:04.000\nYes.\n",
        );
        assert_eq!(t.turns.len(), 3);
    }

    #[test]
    fn bad_webvtt_cues() {
        let e = complaint("a.vtt", "WEBVTT\n\n00:01.000 --> 00:02.000\na\n\nsecond\n00:02.000 --> 00:0x.000\nb\n");
        assert!(e.starts_with("a.vtt:7: cue \"second\": end time"), "{e}");
        let t = read_bytes(
            b"WEBVTT\n\n00:01.000 --> 00:02.000\na\n\nstray\n\n00:03.000 --> 00:02.000\nb\n",
            Path::new("a.vtt"),
            &LENIENT,
        )
        .unwrap();
        assert_eq!(told(&t), ["1-2 a"]);
        assert!(
            warned(&t).contains("line 6: text outside of any cue ignored") && warned(&t).contains("dropped line 8"),
            "{}",
            warned(&t)
        );
        for empty in ["WEBVTT", "WEBVTT\n\nNOTE nothing\n"] {
            assert!(complaint("a.vtt", empty).contains("no cues (WebVTT)"));
        }
    }
}
