//! Whole transcripts, by rule and by file.

use std::path::PathBuf;

use super::*;
use crate::random::Random;

pub(super) const STRICT: ReadOptions = ReadOptions { lenient: false, sample_id: None };
pub(super) const LENIENT: ReadOptions = ReadOptions { lenient: true, sample_id: None };

pub(super) fn parse(name: &str, text: &str) -> Transcript {
    read_bytes(text.as_bytes(), Path::new(name), &STRICT).unwrap_or_else(|e| panic!("{name}: {e}"))
}

pub(super) fn complaint(name: &str, text: &str) -> String {
    match read_bytes(text.as_bytes(), Path::new(name), &STRICT) {
        Ok(t) => panic!("{name} was read as {} with {} turns", t.format, t.turns.len()),
        Err(e) => e.to_string(),
    }
}

/// `start-end speaker: text`, one a turn.
pub(super) fn told(t: &Transcript) -> Vec<String> {
    let line = |t: &Turn| {
        let speaker = t.speaker.as_ref().map_or(String::new(), |s| format!(" {s}:"));
        format!("{}-{}{speaker} {}", t.segment.start().get(), t.segment.end().get(), t.text)
    };
    t.turns.iter().map(line).collect()
}

pub(super) fn warned(t: &Transcript) -> String {
    t.warnings.iter().map(|w| format!("{w}\n")).collect()
}

pub(super) fn word_times(turn: &Turn) -> Vec<String> {
    let line = |w: &crate::annotation::Word| match w.segment {
        Some(s) => format!("{} {:.3}-{:.3}", w.text, s.start().get(), s.end().get()),
        None => format!("{} ?", w.text),
    };
    turn.words.iter().map(line).collect()
}

// Real files

fn shared() -> Option<PathBuf> {
    let root = std::env::var_os("TURNWISE_SHARED").map_or_else(|| PathBuf::from("../shared"), PathBuf::from);
    if root.is_dir() {
        return Some(root);
    }
    eprintln!("SKIPPED: needs ../shared");
    None
}

fn files_under(folder: &Path, out: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    entries.sort();
    for entry in entries {
        if entry.is_dir() { files_under(&entry, out) } else { out.push(entry) }
    }
}

#[test]
fn every_file_reads_or_gives_one_clear_error() {
    let Some(root) = shared().map(|r| r.join("media/transcripts")) else { return };
    let mut files = Vec::new();
    files_under(&root, &mut files);
    assert!(files.len() > 200, "{}", files.len());
    for file in files {
        let name = file.strip_prefix(&root).unwrap().display().to_string();
        match read(&file, &STRICT) {
            Ok(t) => {
                let mut speakers: Vec<&str> = t.turns.iter().filter_map(|t| t.speaker.as_deref()).collect();
                speakers.sort_unstable();
                speakers.dedup();
                speakers.truncate(8);
                let words: usize = t.turns.iter().map(|t| t.words.len()).sum();
                println!(
                    "{name}\t{}\t{}\t{words} words\t{}\t{}",
                    t.format,
                    t.turns.len(),
                    speakers.join(","),
                    warned(&t).replace('\n', " | ")
                );
                assert!(t.turns.windows(2).all(|w| w[0].index < w[1].index), "{name}");
            }
            Err(e) => {
                let text = e.to_string();
                println!("{name}\tERROR\t{}", text.replace(root.to_str().unwrap(), ""));
                assert!(matches!(e, Error::Parse { .. }) && text.contains(';'), "{name}: {text}");
            }
        }
    }
}

#[test]
fn known_files_read_as_written() {
    let Some(root) = shared() else { return };
    let get = |name: &str| read(&root.join("media").join(name), &STRICT).unwrap_or_else(|e| panic!("{e}"));
    let t = get("video/ted_talk.srt");
    assert_eq!((t.format, t.turns.len()), (Format::Srt, 17));
    assert_eq!(told(&t)[0], "12.44-14.955 I've spent nearly two decades");
    assert_eq!(told(&t)[15..], ["61.696-61.697 (SOUND EFFECT)", "61.697-61.698 (SOUND EFFECT)"]);
    assert!(t.turns.iter().all(|t| t.speaker.is_none()));

    let t = get("audio/pyannote_sample.stm");
    assert_eq!((t.format, t.turns.len()), (Format::Stm, 13));
    assert_eq!(told(&t)[1], "7.634-8.155 Sheila: Hello?");
    assert!(t.turns.iter().all(|t| matches!(t.speaker.as_deref(), Some("Diane" | "Sheila"))));

    let interview = root.join("media/transcripts/noScribe/interview.vtt");
    let e = read(&interview, &STRICT).unwrap_err().to_string();
    assert!(e.contains("interview.vtt:227: cue \"56\": end 735.168 s before start 737.141 s"), "{e}");
    let t = read(&interview, &LENIENT).unwrap();
    assert_eq!(told(&t)[2], "36.19-36.33 S00: Ja.");
    assert_eq!(told(&t)[0], "0-12.14 (12 seconds pause)");
    assert!(t.turns.iter().filter_map(|t| t.speaker.as_deref()).all(|s| ["S00", "S01", "S02"].contains(&s)));

    let plain = get("transcripts/pysrt/bom-utf-8.srt");
    assert_eq!(told(&plain)[0], "6.5-9 About 2 months ago I found myself on the comment section of YouTube");
    for name in ["bom-utf-16-le.srt", "bom-utf-16-be.srt", "bom-utf-32-le.srt", "no-indexes.srt"] {
        assert_eq!(told(&get(&format!("transcripts/pysrt/{name}"))), told(&plain), "{name}");
    }
    let (latin, utf8) = (get("transcripts/pysrt/windows-1252.srt"), get("transcripts/pysrt/utf-8.srt"));
    assert_eq!(told(&latin), told(&utf8));
    assert!(warned(&latin).contains("windows-1252") && !warned(&utf8).contains("windows-1252"));

    let t = get("transcripts/webvtt-py/youtube_dl.vtt");
    assert_eq!(told(&t), ["286.07-286.47 yeah", "286.47-304.08 what", "304.08-305.4 this will happen is I'm telling"]);
    assert_eq!(word_times(&t.turns[2])[4..], ["I'm 304.860-305.069", "telling 305.069-305.400"]);

    let t = get("transcripts/videogrep/manifesto.vtt");
    let srt = get("transcripts/videogrep/manifesto_audio.srt");
    assert_eq!(told(&t)[0], "1.599-3.919 this audiobook is in the public domain");
    assert_eq!(t.turns.iter().map(|t| t.text.as_str()).collect::<Vec<_>>(), srt.turns.iter().map(|t| t.text.as_str()).collect::<Vec<_>>());

    let t = get("transcripts/whisper-timestamped/laugh1.mp3.words.json");
    assert_eq!(told(&t), ["0-1.44 You can't do it, man."]);
    assert_eq!(word_times(&t.turns[0]), ["You 0.000-0.560", "can't 0.560-0.820", "do 0.820-1.040", "it, 1.040-1.200", "man. 1.260-1.440"]);

    let t = read(&root.join("media/transcripts/MELD/test_sent_emo.csv"), &LENIENT).unwrap();
    assert_eq!(
        (t.format, told(&t)[0].as_str()),
        (Format::Csv, "878.127-880.378 Mark: Why do all you’re coffee mugs have numbers on the bottom?")
    );

    let t = get("transcripts/mfa/michaelandsickmichael.TextGrid");
    assert!(t.turns.iter().all(|t| matches!(t.speaker.as_deref(), Some("michael" | "sickmichael"))));
    assert_eq!(told(&t), told(&get("transcripts/mfa/michaelandsickmichael_short_tg.TextGrid")));

    let t = get("transcripts/pympi/sample_3.0.eaf");
    assert_eq!((t.format, t.turns.len()), (Format::Eaf, 399));
    assert_eq!(told(&t)[0], "2-5 The quick brown fox 001");
    assert_eq!(
        word_times(&t.turns[0]),
        ["The 2.000-2.470", "quick 2.470-3.520", "brown 3.520-4.080", "fox 4.080-4.540", "001 4.540-5.000"]
    );

    let t = get("transcripts/talkbank_chatter/audio_spanish-child-speech.cha");
    assert_eq!(told(&t), ["3.99-7.734 PAR1: hola qué es este.", "9.257-11.539 PAR1: qué es eso Lucía ah."]);
}

// Damaged files

const SEEDS: [&str; 9] = [
    "1\n00:00:01,000 --> 00:00:02,000\nANNA: a <i>é</i> {\\an8} &amp;\n\n2\n00:00:02,000 --> 00:00:03,000\nBOB: b\n",
    "WEBVTT\n\nNOTE x\n\n1\n00:01.000 --> 00:02.000 line:0\n<v Ann>a<00:00:01.500><c> b</c>\n\n00:02.000 --> 00:03.000\na b\nc\n",
    "x 1 A 0 1 <o,f0> hi\nx 1 B 1 2 you\n",
    "start;end;speaker;text\n1,5;2,5;A;\"x \"\"y\"\"\"\n",
    "{\"segments\": [{\"start\": 0, \"end\": NaN, \"text\": \"a\", \"words\": [{\"word\": \"a\", \"start\": 1, \"end\": 2}]}]}",
    rescue::tests::SAMPLE,
    "<ANNOTATION_DOCUMENT><TIME_ORDER><TIME_SLOT TIME_SLOT_ID=\"a\" TIME_VALUE=\"1\"/></TIME_ORDER><TIER TIER_ID=\"A\"><ANNOTATION><ALIGNABLE_ANNOTATION ANNOTATION_ID=\"x\" TIME_SLOT_REF1=\"a\" TIME_SLOT_REF2=\"a\"><ANNOTATION_VALUE>v&lt;</ANNOTATION_VALUE></ALIGNABLE_ANNOTATION></ANNOTATION></TIER></ANNOTATION_DOCUMENT>",
    "File type = \"ooTextFile\"\n\"TextGrid\"\n0\n3\n<exists>\n1\n\"IntervalTier\"\n\"A - word\"\n0\n3\n1\n0\n1.5\n\"say\"\n",
    "@Begin\n*CHI:\tI [/] <you> (.) &-uh +... @x (1.) \u{15}1000_2500\u{15}\n%wor:\tI \u{15}1000_1200\u{15}\n",
];

#[test]
fn damaged_files_never_panic() {
    let started = std::time::Instant::now();
    let mut dice = Random::seeded(1);
    let mut seeds: Vec<Vec<u8>> = SEEDS.iter().map(|s| s.as_bytes().to_vec()).collect();
    if let Some(root) = shared() {
        let mut files = Vec::new();
        files_under(&root.join("media/transcripts"), &mut files);
        for file in files {
            let mut bytes = std::fs::read(file).unwrap();
            bytes.truncate(1500);
            seeds.push(bytes);
        }
    }
    let names = ["a.srt", "a.vtt", "a.stm", "a.csv", "a.json", "a.jsonl", "a.eaf", "a.TextGrid", "a.cha", "a.txt", "a"];
    let odd = b"\0\n\r\t\"'<>[]{}:;,.-_|&@*%\x15\xff\xe9\xf0 0919eEn";
    let mut read_well = 0;
    for round in 0..200_000 {
        if started.elapsed().as_secs_f64() > 3.0 {
            break;
        }
        let mut bytes = if round % 8 == 0 {
            (0..dice.below(200)).map(|_| dice.below(256) as u8).collect()
        } else {
            seeds[dice.below(seeds.len())].clone()
        };
        for _ in 0..dice.below(6) {
            let at = dice.below(bytes.len() + 1).min(bytes.len());
            match dice.below(5) {
                0 if at < bytes.len() => bytes[at] = odd[dice.below(odd.len())],
                1 if at < bytes.len() => bytes[at] ^= 1 << dice.below(8),
                2 => bytes.insert(at, odd[dice.below(odd.len())]),
                3 => bytes.truncate(at),
                _ => {
                    let end = (at + dice.below(30)).min(bytes.len());
                    let part: Vec<u8> = bytes[at..end].to_vec();
                    let to = dice.below(bytes.len() + 1).min(bytes.len());
                    bytes.splice(to..to, part);
                }
            }
        }
        let options = ReadOptions { lenient: round % 2 == 0, sample_id: None };
        if let Ok(t) = read_bytes(&bytes, Path::new(names[dice.below(names.len())]), &options) {
            read_well += 1;
            assert!(!t.turns.is_empty());
            assert!(t.turns.iter().all(|t| t.segment.start().get() >= 0.0 && t.segment.end().get().is_finite()));
            assert!(t.turns.windows(2).all(|w| w[0].index < w[1].index));
        }
    }
    println!("{read_well} damaged files were read all the same");
    assert!(read_well > 100, "the seeds should often survive: {read_well}");
}

#[test]
fn long_lines_do_not_hang() {
    let long = |s: &str| s.repeat(300_000 / s.len());
    for (name, before, filler) in [
        ("a.srt", "1\n00:00:01,000 --> 00:00:02,000\n", "<"),
        ("a.srt", "1\n00:00:01,000 --> 00:00:02,000\n", "&{"),
        ("a.vtt", "WEBVTT\n\n00:01.000 --> 00:02.000\n", "<v "),
        ("a.cha", "@Begin\n*A:\t\u{15}0_1\u{15}", "["),
        ("a.json", "{\"segments\": [", "["),
        ("a.eaf", "<ANNOTATION_DOCUMENT>", "<"),
        ("a.srt", "1\n00:00:01,000 --> 00:00:02,000\n", "A: \n"),
        ("a.srt", "", "1\n00:00:01,000 --> 00:00:02,000\nA B: x\n\n"),
        ("a.TextGrid", "File type = \"ooTextFile\"\n\"TextGrid\"\n0\n9\n1\n\"IntervalTier\"\n\"a\"\n0\n9\n1e9\n", "0\n1\n\"x\"\n"),
    ] {
        // A quadratic reader would take minutes; that it ends is the test.
        let _ = read_bytes(format!("{before}{}", long(filler)).as_bytes(), Path::new(name), &LENIENT);
    }
}
