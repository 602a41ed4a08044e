//! Whole transcripts, by rule and by file.

use std::path::PathBuf;

use super::*;

pub(super) const STRICT: ReadOptions = ReadOptions {
    lenient: false,
    sample_id: None,
    labels: Labels::Auto,
    tiers: &[],
    media: None,
    encoding: Encoding::AUTO,
    rates: Rates { frames_hz: 0.0, samples_hz: 0.0 },
};
pub(super) const LENIENT: ReadOptions = ReadOptions { lenient: true, ..STRICT };

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

#[test]
fn the_turn_behind_a_dropped_cue_knows_it() {
    let after = |name: &str, text: &str| {
        read_bytes(text.as_bytes(), Path::new(name), &LENIENT).unwrap_or_else(|e| panic!("{name}: {e}")).after_dropped
    };
    let srt = |from: &str, to: &str| format!("00:00:{from},000 --> 00:00:{to},000\nA: so\n\n");
    let cues = [srt("00", "01"), srt("09", "03"), srt("04", "05"), srt("06", "07"), srt("20", "08"), srt("30", "09")];
    assert_eq!(after("a.srt", &cues.concat()), [2], "what is dropped at the end is before none");
    assert_eq!(after("a.vtt", &format!("WEBVTT\n\n{}", cues.concat().replace(',', "."))), [2]);
    let stm = "x 1 A 0 1 so\nx 1 B 9 2 so\nx 1 A 3 4 so\nx 1 B zero 5 so\nx 1 B 6 7 so\nx 1 A 8 9 so\n";
    assert_eq!(after("x.stm", stm), [2, 3]);
    let csv = "speaker,start,end,text\nA,0,1,so\nB,9,2,so\nA,3,4,so\nB,6,7,so\n";
    assert_eq!(after("x.csv", csv), [2]);
    let json = r#"{"segments":[{"start":0,"end":1,"text":"a"},{"start":9,"end":2,"text":"b"},{"start":3,"end":4,"text":"c"}]}"#;
    assert_eq!(after("x.json", json), [2]);
    assert!(parse("x.csv", "speaker,start,end,text\nA,0,1,so\nA,3,4,so\n").after_dropped.is_empty());
}

#[test]
fn turns_go_by_time_with_the_numbers_of_the_file_and_a_dropped_cue_lies_between_its_neighbours() {
    let read = |text: &str| {
        let mut t = read_bytes(text.as_bytes(), Path::new("x.csv"), &LENIENT).unwrap();
        t.sort_by_time();
        let starts: Vec<f64> = t.turns.iter().map(|t| t.segment.start().get()).collect();
        (t.turns.iter().map(|t| t.index).collect::<Vec<_>>(), starts, t.after_dropped())
    };
    let head = "speaker,start,end,text\n";
    // Between the turns at 6 and 3 one is lost: it may lie before those at 3, 4 and 6. Two begin at 4.
    let told = read(&format!("{head}A,6,7,so\nB,9,2,so\nA,3,4,so\nB,4,6,so\nA,4,5,so\nB,1,2,so\n"));
    assert_eq!(told, (vec![5, 2, 3, 4, 1], vec![1.0, 3.0, 4.0, 4.0, 6.0], vec![1, 2, 3, 4]));
    let told = read(&format!("{head}A,1,2,so\nB,9,2,so\nA,7,8,so\nB,3,4,so\n"));
    assert_eq!(told, (vec![1, 3, 2], vec![1.0, 3.0, 7.0], vec![1, 2]), "what is lost lay between 1 and 7");
    let in_order = read(&format!("{head}A,1,2,so\nB,9,2,so\nA,3,8,so\nB,3,4,so\n"));
    assert_eq!(in_order, (vec![1, 2, 3], vec![1.0, 3.0, 3.0], vec![1]));
}

// Real files

fn files_under(folder: &Path, out: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    entries.sort();
    for entry in entries {
        if entry.is_dir() { files_under(&entry, out) } else { out.push(entry) }
    }
}

#[test]
#[cfg_attr(not(feature = "shared-tests"), ignore = "needs the reference clips: make test-shared")]
fn every_file_reads_or_gives_one_clear_error() {
    let root = crate::reference::folder().join("media/transcripts");
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
#[cfg_attr(not(feature = "shared-tests"), ignore = "needs the reference clips: make test-shared")]
fn known_files_read_as_written() {
    let root = crate::reference::folder();
    let get = |name: &str| read(&root.join("media").join(name), &STRICT).unwrap_or_else(|e| panic!("{e}"));
    let t = get("video/ted_talk.srt");
    assert_eq!((t.format, t.turns.len()), (Format::Srt, 15));
    assert_eq!(told(&t)[0], "12.44-14.955 I've spent nearly two decades");
    assert_eq!(t.events.iter().map(|e| e.what.as_str()).collect::<Vec<_>>(), ["SOUND EFFECT"; 2]);
    assert!(t.turns.iter().all(|t| t.speaker.is_none()));

    let t = get("audio/pyannote_sample.stm");
    assert_eq!((t.format, t.turns.len()), (Format::Stm, 13));
    assert_eq!(told(&t)[1], "7.634-8.155 Sheila: Hello?");
    assert!(t.turns.iter().all(|t| matches!(t.speaker.as_deref(), Some("Diane" | "Sheila"))));

    let interview = root.join("media/transcripts/noScribe/interview.vtt");
    let e = read(&interview, &STRICT).unwrap_err().to_string();
    assert!(e.contains("interview.vtt:227: cue \"56\": end 735.168 s before start 737.141 s"), "{e}");
    let t = read(&interview, &LENIENT).unwrap();
    assert!(told(&t).iter().any(|t| t == "36.19-36.33 S00: Ja."), "{:?}", &told(&t)[..4]);
    assert_eq!((t.events[0].what.as_str(), t.events[0].in_turn), ("12 seconds pause", false));
    assert!(t.turns.iter().all(|t| !t.text.contains("//")), "what overlaps is of another");
    assert!(told(&t).iter().any(|t| t.ends_with("S02: Ist das herrlich.")));
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
    assert_eq!(
        t.turns.iter().map(|t| t.text.as_str()).collect::<Vec<_>>(),
        srt.turns.iter().map(|t| t.text.as_str()).collect::<Vec<_>>()
    );

    let t = get("transcripts/whisper-timestamped/laugh1.mp3.words.json");
    assert_eq!(told(&t), ["0-1.44 You can't do it, man."]);
    assert_eq!(
        word_times(&t.turns[0]),
        ["You 0.000-0.560", "can't 0.560-0.820", "do 0.820-1.040", "it, 1.040-1.200", "man. 1.260-1.440"]
    );

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

/// xorshift64*, so that a failure can be repeated.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, below: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % below.max(1)
    }
}

const NAMES: [&str; 18] = [
    "a.srt",
    "a.vtt",
    "a.stm",
    "a.csv",
    "a.json",
    "a.jsonl",
    "a.eaf",
    "a.TextGrid",
    "a.cha",
    "a.txt",
    "a",
    "a.ttml",
    "a.ass",
    "a.sbv",
    "a.trs",
    "a.exb",
    "a.docx",
    "a.json3",
];

/// A seed with a few bytes changed, doubled or cut off.
fn damaged(seed: &[u8], dice: &mut Dice) -> Vec<u8> {
    const ODD: &[u8] = b"\0\n\r\t\"'<>[]{}:;,.-_|&@*%\x15\xff\xe9\xf0 0919eEn";
    let mut bytes = seed.to_vec();
    for _ in 0..dice.roll(6) {
        let at = dice.roll(bytes.len() + 1).min(bytes.len());
        match dice.roll(5) {
            0 if at < bytes.len() => bytes[at] = ODD[dice.roll(ODD.len())],
            1 if at < bytes.len() => bytes[at] ^= 1 << dice.roll(8),
            2 => bytes.insert(at, ODD[dice.roll(ODD.len())]),
            3 => bytes.truncate(at),
            _ => {
                let end = (at + dice.roll(30)).min(bytes.len());
                let part: Vec<u8> = bytes[at..end].to_vec();
                let to = dice.roll(bytes.len() + 1).min(bytes.len());
                bytes.splice(to..to, part);
            }
        }
    }
    bytes
}

/// Reads so many damaged files; tells how many were read all the same, and how many of all as an error.
fn read_damaged(seeds: &[Vec<u8>], rounds: usize) -> (usize, usize) {
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    let (mut well, mut refused) = (0, 0);
    for round in 0..rounds {
        let noise: Vec<u8> = (0..dice.roll(200)).map(|_| dice.roll(256) as u8).collect();
        let seed = &seeds[dice.roll(seeds.len())];
        let bytes = damaged(if round % 8 == 0 { &noise } else { seed }, &mut dice);
        let name = NAMES[dice.roll(NAMES.len())];
        let options = ReadOptions { lenient: round % 2 == 0, ..STRICT };
        match read_bytes(&bytes, Path::new(name), &options) {
            Ok(t) => {
                well += 1;
                assert!(!t.turns.is_empty());
                assert!(t.turns.iter().all(|t| t.segment.start().get() >= 0.0 && t.segment.end().get().is_finite()));
                assert!(t.turns.windows(2).all(|w| w[0].index < w[1].index));
            }
            Err(e) => {
                refused += 1;
                let text = e.to_string();
                assert!(matches!(e, Error::Parse { .. }) && text.starts_with(name) && text.contains("; "), "{text}");
            }
        }
    }
    (well, refused)
}

#[test]
fn damaged_files_are_read_or_refused_in_words() {
    let mut seeds: Vec<Vec<u8>> = Format::ALL.iter().map(|f| f.example().as_bytes().to_vec()).collect();
    seeds.push(rescue::tests::SAMPLE.as_bytes().to_vec());
    let (well, refused) = read_damaged(&seeds, 4000);
    assert!(well > 500 && refused > 500, "seeds should often survive, and not always: {well} read, {refused} refused");
}

#[test]
#[cfg_attr(not(feature = "shared-tests"), ignore = "needs the reference clips: make test-shared")]
fn damaged_real_files_are_read_or_refused_in_words() {
    let mut files = Vec::new();
    files_under(&crate::reference::folder().join("media/transcripts"), &mut files);
    let beginning = |file: &PathBuf| {
        let mut bytes = std::fs::read(file).unwrap();
        bytes.truncate(1500);
        bytes
    };
    let seeds: Vec<Vec<u8>> = files.iter().map(beginning).collect();
    assert!(seeds.len() > 200, "{}", seeds.len());
    let (well, refused) = read_damaged(&seeds, 10_000);
    assert!(well > 1000 && refused > 1000, "{well} read, {refused} refused");
}

#[test]
fn long_lines_do_not_hang() {
    let long = |s: &str| s.repeat(300_000 / s.len());
    let mut otherwise = Vec::new();
    for (is_read, name, before, filler) in [
        (true, "a.srt", "1\n00:00:01,000 --> 00:00:02,000\n", "<"),
        (true, "a.srt", "1\n00:00:01,000 --> 00:00:02,000\n", "&{"),
        (false, "a.vtt", "WEBVTT\n\n00:01.000 --> 00:02.000\n", "<v "),
        (true, "a.cha", "@Begin\n*A:\t\u{15}0_1\u{15}", "["),
        (false, "a.json", "{\"segments\": [", "["),
        (false, "a.eaf", "<ANNOTATION_DOCUMENT>", "<"),
        (true, "a.srt", "1\n00:00:01,000 --> 00:00:02,000\n", "A: \n"),
        (true, "a.srt", "", "1\n00:00:01,000 --> 00:00:02,000\nA B: x\n\n"),
        (
            true,
            "a.TextGrid",
            "File type = \"ooTextFile\"\n\"TextGrid\"\n0\n9\n1\n\"IntervalTier\"\n\"a\"\n0\n9\n1e9\n",
            "0\n1\n\"x\"\n",
        ),
    ] {
        let started = std::time::Instant::now();
        let result = read_bytes(format!("{before}{}", long(filler)).as_bytes(), Path::new(name), &LENIENT);
        // A linear reader needs a fraction of a second, a quadratic one minutes.
        assert!(started.elapsed().as_secs() < 20, "{name}: {filler:?} took {:?}", started.elapsed());
        if result.is_ok() != is_read {
            otherwise.push(format!("{name}: {filler:?}: {:?}", result.map(|t| t.turns.len())));
        }
    }
    assert_eq!(otherwise, [""; 0]);
}
