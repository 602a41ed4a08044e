//! The one list of transcript formats: what each is called, how it is recognised and how it is read. A format is added
//! here and in its reader's own file; parser, messages and `--help` follow this list.

use std::fmt;
use std::path::Path;

use serde_json::Value;

use super::draft::Draft;
use super::{Rates, ReadOptions, rescue};
use crate::error::Result;
pub(super) use ass::{event as ass_event, push as push_ass};
pub(super) use docx::text as text_of_word;
use recognise::has_timing_lines;
pub(super) use recognise::recognise;

mod amazon;
mod ass;
mod assemblyai;
mod azure;
mod chat;
mod chunks;
mod clocked;
mod columns;
mod deepgram;
mod delimited;
mod descript;
mod docx;
mod eaf;
mod elan_tab;
mod exmaralda;
mod f4;
mod google;
mod grouped;
mod headers;
mod items;
mod json3;
mod lengths;
mod otter;
mod recognise;
mod rev;
mod rev_text;
mod sbv;
mod speechmatics;
mod srt;
mod stamped;
mod stm;
mod textgrid;
mod timed_text;
mod transcriber;
mod ttml;
mod vosk;
mod webvtt;
mod whisper;
mod whisper_cpp;

/// What the program knows of a format.
struct Entry {
    /// As messages and tables of turns name it.
    name: &'static str,
    /// As `--help` and complaints about other files name it.
    help: &'static str,
    /// Lower-case suffixes of its files, without the dot.
    suffixes: &'static [&'static str],
    /// Each is enough.
    signs: &'static [Sign],
    /// What a file with one of the suffixes was expected to hold; completes "expected …".
    expected: &'static str,
    /// What a file with one of the suffixes holds instead, where more than its absence can be told; of its first line.
    instead: Option<fn(&str) -> String>,
    /// True where one file may hold several transcripts, told apart by [`ReadOptions::sample_id`].
    holds_several: bool,
    /// A whole file, small: what tests damage.
    example: &'static str,
    /// Fills the draft.
    read: fn(&Input, &mut Draft) -> Result<()>,
}

impl Entry {
    /// What most formats have in common; each says the rest.
    const PLAIN: Entry = Entry {
        name: "",
        help: "",
        suffixes: &[],
        signs: &[],
        expected: "",
        instead: None,
        holds_several: false,
        example: "",
        read: |_, _| Ok(()),
    };
}

/// How a format is recognised. The strongest kind is looked for first over all formats, then the next; within a kind,
/// the list's order decides.
enum Sign {
    /// The text, without white space before it, announces itself.
    Beginning(fn(&str) -> bool),
    /// The name of the XML root.
    Root(&'static str),
    /// The keys of its JSON.
    Keys(fn(&Json) -> bool),
    /// The shape of its lines; the suffix is known where it breaks a tie.
    Lines(fn(&Input) -> bool),
}

/// A text that may be a transcript.
pub(super) struct Input<'a> {
    /// Decoded, with `\n` at the line ends.
    pub(super) text: &'a str,
    /// Where it came from: gives the suffix and the name of the recording.
    pub(super) path: &'a Path,
    /// Lower case, without the dot.
    suffix: String,
    /// Which transcript of several.
    pub(super) sample_id: Option<&'a str>,
    /// Parsed while the format was looked for.
    pub(super) json: Option<Json>,
    /// What times in frames and samples are of.
    rates: Rates,
    /// True where the text was taken out of a Word document.
    pub(super) of_word: bool,
}

/// Parsed JSON.
pub(super) enum Json {
    /// One value.
    One(Value),
    /// RESCUE-bench samples, with their 1-based lines.
    Lines(rescue::Lines),
}

impl Json {
    /// The value, where it is one.
    fn one(&self) -> Option<&Value> {
        match self {
            Json::One(value) => Some(value),
            Json::Lines(_) => None,
        }
    }
}

impl<'a> Input<'a> {
    pub(super) fn new(text: &'a str, path: &'a Path, options: &ReadOptions<'a>) -> Self {
        let suffix = path.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default();
        Input { text, path, suffix, sample_id: options.sample_id, json: None, rates: options.rates, of_word: false }
    }

    /// The text's value, where it is one JSON value.
    fn value(&self) -> Option<&Value> {
        self.json.as_ref().and_then(Json::one)
    }
}

/// Declares [`Format`], [`Format::ALL`] and [`Format::entry`] from one list, so that none can lack the others.
macro_rules! formats {
    ($($(#[$doc:meta])* $format:ident = $entry:expr;)*) => {
        /// A transcript format that is read.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Format { $($(#[$doc])* $format,)* }

        impl Format {
            /// All of them, in the order in which they are looked for.
            pub const ALL: &'static [Format] = &[$(Format::$format),*];

            fn entry(self) -> &'static Entry {
                match self {
                    $(Format::$format => {
                        const ENTRY: Entry = $entry;
                        &ENTRY
                    })*
                }
            }
        }
    };
}

formats! {
    /// RESCUE-bench samples, JSON or JSONL.
    Rescue = Entry {
        name: "RESCUE-bench",
        help: "RESCUE-bench samples",
        suffixes: &["json", "jsonl"],
        signs: &[Sign::Keys(rescue::fits)],
        expected: "a RESCUE-bench sample with `rows`, or one on every line",
        instead: None,
        holds_several: true,
        example: rescue::EXAMPLE,
        read: rescue::read_into,
    };
    /// JSON of Whisper, WhisperX, whisper-timestamped or stable-ts.
    WhisperJson = Entry {
        name: "Whisper JSON",
        help: "JSON of Whisper or WhisperX",
        suffixes: &["json"],
        signs: &[Sign::Keys(|json| matches!(json, Json::One(root) if whisper::segments(root).is_some()))],
        expected: "one JSON value with a list of segments",
        instead: None,
        holds_several: false,
        example: whisper::EXAMPLE,
        read: |input, draft| whisper::read(input.value().unwrap_or(&Value::Null), draft),
    };
    /// JSON of Amazon Transcribe.
    Amazon = amazon::ENTRY;
    /// JSON of Deepgram.
    Deepgram = deepgram::ENTRY;
    /// JSON of Rev and Rev AI.
    Rev = rev::ENTRY;
    /// JSON of Speechmatics.
    Speechmatics = speechmatics::ENTRY;
    /// JSON of Google Speech-to-Text.
    Google = google::ENTRY;
    /// JSON of Azure Speech.
    Azure = azure::ENTRY;
    /// JSON of Vosk.
    Vosk = vosk::ENTRY;
    /// JSON of whisper.cpp.
    WhisperCpp = whisper_cpp::ENTRY;
    /// JSON of a Hugging Face pipeline.
    Chunks = chunks::ENTRY;
    /// JSON of AssemblyAI.
    AssemblyAi = assemblyai::ENTRY;
    /// YouTube's json3.
    Json3 = json3::ENTRY;
    /// TTML, DFXP among it.
    Ttml = ttml::ENTRY;
    /// YouTube's timed text, srv1, srv2 and srv3.
    TimedText = timed_text::ENTRY;
    /// Transcriber `.trs`.
    Transcriber = transcriber::ENTRY;
    /// EXMARaLDA `.exb`.
    Exmaralda = exmaralda::ENTRY;
    /// Advanced SubStation Alpha and SubStation Alpha.
    Ass = ass::ENTRY;
    /// Word documents of Teams and others.
    Docx = docx::ENTRY;
    /// ELAN `.eaf`.
    Eaf = Entry {
        name: "ELAN EAF",
        help: "ELAN EAF",
        suffixes: &["eaf"],
        signs: &[Sign::Root("ANNOTATION_DOCUMENT")],
        expected: "XML with the root ANNOTATION_DOCUMENT",
        instead: None,
        holds_several: false,
        example: eaf::EXAMPLE,
        read: |input, draft| eaf::read(input.text, draft),
    };
    /// Praat `TextGrid`, long or short.
    TextGrid = Entry {
        name: "Praat TextGrid",
        help: "Praat TextGrid",
        suffixes: &["textgrid"],
        signs: &[Sign::Beginning(textgrid::fits)],
        expected: "`File type = \"ooTextFile\"` in the first line",
        instead: None,
        holds_several: false,
        example: textgrid::EXAMPLE,
        read: |input, draft| textgrid::read(input.text, draft),
    };
    /// CHAT `.cha`.
    Chat = Entry {
        name: "CHAT",
        help: "CHAT",
        suffixes: &["cha"],
        signs: &[Sign::Lines(|input| chat::fits(input.text.trim_start()))],
        expected: "@Begin and lines `*SPK:` with time bullets",
        instead: None,
        holds_several: false,
        example: chat::EXAMPLE,
        read: |input, draft| chat::read(input.text, draft),
    };
    /// ELAN's tab-delimited text.
    ElanTab = elan_tab::ENTRY;
    /// A table with a header line, comma, tab, semicolon or bar between fields. Its header is looked at before timing
    /// lines: a cell may hold one.
    Csv = Entry {
        name: "CSV",
        help: "CSV or TSV with a header",
        suffixes: &["csv", "tsv"],
        signs: &[Sign::Lines(|input| delimited::fits(input.text))],
        expected: "a header with start, end (or duration), speaker and text",
        instead: Some(|text| format!("the first line names no start and end, its columns are \
                                      {:?}", delimited::header_fields(text))),
        holds_several: false,
        example: delimited::EXAMPLE,
        read: |input, draft| delimited::read(input.text, input.rates, draft),
    };
    /// WebVTT `.vtt`, YouTube's rolling captions among them.
    WebVtt = Entry {
        name: "WebVTT",
        help: "WebVTT",
        suffixes: &["vtt"],
        signs: &[
            Sign::Beginning(|body| body.starts_with("WEBVTT")),
            // Timing lines are those of SRT as well.
            Sign::Lines(|input| Format::WebVtt.has_suffix(&input.suffix) && has_timing_lines(input)),
        ],
        expected: "WEBVTT in the first line, then timing lines HH:MM:SS.mmm --> HH:MM:SS.mmm",
        instead: None,
        holds_several: false,
        example: webvtt::EXAMPLE,
        read: |input, draft| webvtt::read(input.text, draft),
    };
    /// SubRip `.srt`.
    Srt = Entry {
        name: "SRT",
        help: "SRT",
        suffixes: &["srt"],
        signs: &[Sign::Lines(has_timing_lines)],
        expected: "timing lines HH:MM:SS,mmm --> HH:MM:SS,mmm",
        instead: None,
        holds_several: false,
        example: srt::EXAMPLE,
        read: |input, draft| srt::read(input.text, draft),
    };
    /// NIST segment time marks `.stm`.
    Stm = Entry {
        name: "STM",
        help: "STM",
        suffixes: &["stm"],
        signs: &[Sign::Lines(|input| stm::fits(input.text))],
        expected: "lines `file channel speaker start end [<label>] words`",
        instead: None,
        holds_several: false,
        example: stm::EXAMPLE,
        read: |input, draft| stm::read(input.text, &rescue::stem(input.path), draft),
    };
    /// YouTube's `.sbv`.
    Sbv = sbv::ENTRY;
    /// Text of f4, with its time marks.
    F4 = f4::ENTRY;
    /// Text of Rev.
    RevText = rev_text::ENTRY;
    /// Text of Descript.
    Descript = descript::ENTRY;
    /// Text of Otter.
    Otter = otter::ENTRY;
    /// Text whose paragraphs begin with clock times, of many programs and hands.
    Clocked = clocked::ENTRY;
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.entry().name)
    }
}

impl Format {
    /// Lower-case suffixes of its files, without the dot. Several formats may share one; the content decides.
    pub fn suffixes(self) -> &'static [&'static str] {
        self.entry().suffixes
    }

    /// True where one file may hold several transcripts, told apart by [`ReadOptions::sample_id`].
    pub fn holds_several(self) -> bool {
        self.entry().holds_several
    }

    /// A whole file of the format, small: what tests read and damage.
    pub fn example(self) -> &'static str {
        self.entry().example
    }

    /// True for a file of one of its suffixes, in any case.
    pub(super) fn has_suffix_of(self, path: &Path) -> bool {
        path.extension().is_some_and(|e| self.has_suffix(&e.to_string_lossy().to_lowercase()))
    }

    fn has_suffix(self, suffix: &str) -> bool {
        self.suffixes().contains(&suffix)
    }

    pub(super) fn read_into(self, input: &Input, draft: &mut Draft) -> Result<()> {
        (self.entry().read)(input, draft)
    }

    /// The first format of the list of which `is_it` is true for a sign.
    fn first(is_it: impl Fn(&Sign) -> bool) -> Option<Format> {
        Format::ALL.iter().copied().find(|f| f.entry().signs.iter().any(&is_it))
    }
}

/// All formats as one phrase, for `--help` and for complaints: `SRT, WebVTT … and CHAT`.
pub fn supported() -> String {
    let mut names: Vec<&str> = Format::ALL.iter().map(|f| f.entry().help).collect();
    // The order of looking is nothing that a reader of messages should wonder about.
    names.sort_by_key(|name| name.to_lowercase());
    match names.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{} and {last}", others.join(", ")),
        _ => names.concat(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transcript::tests::{complaint, parse};

    #[test]
    fn every_format_says_what_it_is() {
        for format in Format::ALL {
            let entry = format.entry();
            assert!(!entry.suffixes.is_empty() && !entry.signs.is_empty() && !entry.expected.is_empty(), "{format}");
            assert!(entry.suffixes.iter().all(|s| *s == s.to_lowercase() && !s.contains('.')), "{format}");
            assert!(supported().contains(entry.help), "{format}");
            assert_eq!(parse(&format!("a.{}", entry.suffixes[0]), entry.example).format, *format);
            // A text of nothing is complained about with what its suffix stands for.
            let e = complaint(&format!("a.{}", entry.suffixes[0]), "Once upon a time\n");
            assert!(e.contains(entry.expected), "{e}");
        }
        assert!(
            supported().starts_with("ASS or SSA, CHAT, ") && supported().contains(" and YouTube's "),
            "{}",
            supported()
        );
    }

    #[test]
    fn rttm_is_no_transcript() {
        for (name, text) in
            [("a.txt", "SPEAKER x 1 0.5 1.2 <NA> <NA> anna <NA> <NA>\n"), ("a.rttm", "nothing at all\n")]
        {
            let e = complaint(name, text);
            assert!(e.contains("RTTM is not a transcript") && e.contains("--rttm"), "{e}");
        }
    }
}
