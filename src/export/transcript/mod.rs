//! `turnwise export transcript`: an output folder's turns, voices and chosen measurements as files that ELAN, Praat and
//! players open, so that they are seen and corrected there; our readers take them back.
//!
//! ```text
//! tables ── score ─┬─ cues: SRT, WebVTT, CSV (turns)
//!                  ├─ tiers ─┬─ textgrid
//!                  │         └─ eaf
//!                  └─ RTTM (diarized speech)
//! ```

mod again;
mod cues;
mod eaf;
mod score;
mod textgrid;
mod tiers;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::store::finished::tell_unfinished;
use crate::store::folder::OutputFolder;
use crate::store::paths::check_interview_id;
use crate::store::rttm::{uri_for, write_rttm};
use crate::store::whole::write_text;
use crate::text::counted;
pub use score::Part;
use score::Score;

/// What is written: the text, and what the format cannot hold.
struct Written {
    text: String,
    told: Vec<String>,
}

/// Declares [`TranscriptFormat`] and what is known of each from one list, so that none can lack the others.
macro_rules! formats {
    ($($(#[$doc:meta])* $format:ident = ($name:literal, $suffix:literal, $resolution:literal, $write:expr);)*) => {
        /// A format in which transcripts are written.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum TranscriptFormat { $($(#[$doc])* $format,)* }

        impl TranscriptFormat {
            /// All of them.
            pub const ALL: &'static [TranscriptFormat] = &[$(TranscriptFormat::$format),*];

            /// As the command line writes it.
            pub fn name(self) -> &'static str {
                match self { $(TranscriptFormat::$format => $name,)* }
            }

            /// Its files' suffix, without the dot.
            pub fn suffix(self) -> &'static str {
                match self { $(TranscriptFormat::$format => $suffix,)* }
            }

            /// Times differ from the tables' by at most so many seconds.
            pub fn resolution_secs(self) -> f64 {
                match self { $(TranscriptFormat::$format => $resolution,)* }
            }

            /// Writes the text of an interview; `None` for RTTM, whose lines `store` writes.
            fn writer(self) -> Option<fn(&Score, &[Part]) -> Written> {
                match self { $(TranscriptFormat::$format => $write,)* }
            }
        }
    };
}

formats! {
    /// SubRip: turns, `Mara: words`.
    Srt = ("srt", "srt", 0.001, Some(|score, _| cues::srt(score)));
    /// WebVTT: turns with voices.
    Vtt = ("vtt", "vtt", 0.001, Some(|score, _| cues::vtt(score)));
    /// Praat: a tier for each speaker's turns and words, each voice and each measurement.
    TextGrid = ("textgrid", "TextGrid", 0.001, Some(textgrid::write));
    /// ELAN Annotation Format 3.0: the same tiers.
    Eaf = ("eaf", "eaf", 0.002, Some(eaf::write));
    /// NIST RTTM: diarized speech alone.
    Rttm = ("rttm", "rttm", 0.001, None);
    /// A table of turns: turn_index, start, end, speaker, text.
    Csv = ("csv", "csv", 0.0, Some(|score, _| cues::csv(score)));
}

impl TranscriptFormat {
    /// The one of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|f| f.name() == name)
    }

    /// True where words and measurements have a place beside the turns.
    fn has_tiers(self) -> bool {
        matches!(self, TranscriptFormat::TextGrid | TranscriptFormat::Eaf)
    }
}

/// What is exported.
#[derive(Clone, Copy, Debug)]
pub struct TranscriptRequest<'a> {
    /// The folder that `extract` wrote.
    pub out: &'a Path,
    /// The folder for one file an interview, `<interview>.<suffix>`.
    pub to: &'a Path,
    /// The files' format.
    pub format: TranscriptFormat,
    /// These interviews alone; empty: all.
    pub interviews: &'a [String],
    /// What stands beside the turns in formats of tiers.
    pub parts: &'a [Part],
    /// Write over files that are there and hold something else.
    pub overwrite: bool,
}

/// Writes one file an interview; tells how many. What a format cannot hold, or our own reader takes otherwise than it
/// was, is told as a warning.
///
/// # Errors
/// [`Error::Usage`] for an interview that the folder has not, a file that is there and holds something else, or a folder
/// without turns; [`Error::Read`] or [`Error::Parse`] for a table; [`Error::Write`].
pub fn export_transcripts(request: &TranscriptRequest<'_>) -> Result<String> {
    let there = OutputFolder::new(request.out).interviews("turns")?;
    if let Some(unknown) = request.interviews.iter().find(|id| !there.contains(id)) {
        let what = format!("{} has no turns of the interview {unknown}", request.out.display());
        return Err(Error::Usage { what, hint: "turnwise status tells which interviews it holds".into() });
    }
    let chosen = there.iter().filter(|id| request.interviews.is_empty() || request.interviews.contains(id));
    let mut report = String::new();
    let mut written = 0;
    for id in chosen {
        tell_unfinished(request.out, id)?;
        let Some(score) = Score::read(request.out, id)? else { continue };
        let path = path_of(request, id)?;
        one(request, &score, &path)?;
        written += 1;
        // Writing into a String cannot fail.
        let _ = writeln!(report, "{}: {}", path.display(), counted(score.turns.len(), "turn"));
    }
    if written == 0 {
        let what = format!("{} has no finished interview", request.out.display());
        return Err(Error::Usage { what, hint: "make them with turnwise extract".into() });
    }
    Ok(report)
}

fn path_of(request: &TranscriptRequest<'_>, id: &str) -> Result<PathBuf> {
    check_interview_id(id)?;
    Ok(request.to.join(format!("{id}.{}", request.format.suffix())))
}

fn one(request: &TranscriptRequest<'_>, score: &Score, path: &Path) -> Result<()> {
    let id = &score.interview_id;
    let Some(write) = request.format.writer() else {
        // A file of the same lines is as good as not there.
        let fresh = tempfile::tempdir().map_err(|e| Error::write(path, e))?;
        let draft = fresh.path().join("speech.rttm");
        write_rttm(&draft, &uri_for(id), &score.speech)?;
        return place(request, path, &crate::file::read_text(&draft)?);
    };
    let Written { text, told } = write(score, request.parts);
    let words = request.parts.contains(&Part::Words) && request.format.has_tiers();
    told.iter()
        .chain(&again::differences(&text, path, score, request.format, words))
        .for_each(|t| tracing::warn!("{id}: {t}"));
    place(request, path, &text)
}

/// Puts a text where it belongs, unless somebody's work lies there.
fn place(request: &TranscriptRequest<'_>, path: &Path, text: &str) -> Result<()> {
    if path.exists() && !request.overwrite && std::fs::read(path).ok().as_deref() != Some(text.as_bytes()) {
        let what = format!("{} is there and holds something else, perhaps corrections", path.display());
        return Err(Error::Usage { what, hint: "name another folder, or pass --overwrite".into() });
    }
    write_text(path, text)
}

#[cfg(test)]
mod tests;
