//! Arguments of `turnwise extract`.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use turnwise::transcript::Labels;

use super::*;

/// `turnwise extract`.
#[derive(Debug, Args)]
pub struct Extract {
    /// A media file (the interview's id is the file's stem), or a corpus manifest: CSV with the columns interview_id,
    /// media, transcript.
    #[arg(value_name = "INPUT", value_hint = ValueHint::FilePath)]
    pub input: PathBuf,
    /// Folder for the tables; made when it is not there. Interviews already done with the same recipe and models are
    /// skipped.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub out: PathBuf,
    /// The transcript of a single media file; its turns are the rows of the tables.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help = transcript_help())]
    pub transcript: Option<PathBuf>,
    /// Which sample of a transcript file that holds many (RESCUE-bench JSONL).
    #[arg(long, value_name = "ID", requires = "transcript")]
    pub sample: Option<String>,
    /// Listen to this file instead of the video's own sound.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub audio: Option<PathBuf>,
    /// Speech turns to use instead of diarization.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub rttm: Option<PathBuf>,
    /// Voices known by name: a folder of recordings named after their speakers, or Parquet with the columns name and
    /// embedding.
    #[arg(long, value_name = "FILE|DIR", value_hint = ValueHint::AnyPath)]
    pub enrol: Option<PathBuf>,
    /// A dictionary in LIWC's format for the columns of words, of the transcripts' language, instead of the shipped
    /// lists of English; the same as `--set turns.language.dictionary=FILE`.
    #[arg(long, value_name = "FILE.dic", value_hint = ValueHint::FilePath)]
    pub dictionary: Option<PathBuf>,
    /// Name of the interview in the tables, for a single media file.
    #[arg(long, value_name = "ID")]
    pub id: Option<String>,
    /// Drop cues that cannot be understood instead of refusing the transcript; the same as `--set input.lenient=true`.
    #[arg(long)]
    pub lenient: bool,
    /// Whether speaker labels that the words of a transcript begin with are believed; the same as `--set
    /// input.labels=WHICH`. Default: where the whole file bears them out.
    #[arg(long, value_name = "WHICH", value_parser = labels())]
    pub labels: Option<Labels>,
    /// The recipe.
    #[command(flatten)]
    pub recipe: RecipeArgs,
    /// How many speakers; a manifest's columns speakers, min_speakers and max_speakers go before.
    #[command(flatten)]
    pub speakers: Speakers,
    /// Interviews worked on at the same time; the results are the same bytes for any number. Default: half the
    /// processors.
    #[arg(long, short, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub jobs: Option<u32>,
    /// Do interviews again that are already done.
    #[arg(long, conflicts_with = "verify")]
    pub force: bool,
    /// How the tables are written; a folder holds one format.
    #[command(flatten)]
    pub tables: TableFormat,
    /// Remove the files of interviews that are in the folder and no longer in the manifest: tables, RTTM, timings,
    /// their rows.
    #[arg(long)]
    pub prune: bool,
    /// Read all of the media and of the tables of interviews already done before believing that they are what they
    /// were. Without it long files are read whole only where their time of change is another than it was.
    #[arg(long)]
    pub verify: bool,
    /// Memory each job may take, as 4G or 800M; an interview that needs more fails alone. Default: four fifths of the
    /// machine's, or of what the control group leaves, shared out among the jobs, 2G at least.
    #[arg(long, value_name = "SIZE", value_parser = memory_size)]
    pub memory_limit: Option<u64>,
    /// Give an interview up when nothing has been decoded or computed for so long.
    #[arg(long, value_name = "SECS", default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..))]
    pub stall_secs: u64,
}

/// Bytes: a whole number and K, M, G or T, in steps of 1024.
fn memory_size(text: &str) -> Result<u64, String> {
    let number = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let shift = match text[number.len()..].to_ascii_uppercase().trim_end_matches('B').trim_end_matches('I') {
        "K" => 10,
        "M" => 20,
        "G" => 30,
        "T" => 40,
        _ => return Err("expected a whole number with K, M, G or T, such as 4G".into()),
    };
    let bytes = number.trim().parse::<u64>().ok().and_then(|n| n.checked_mul(1 << shift));
    bytes.filter(|b| *b >= 256 << 20).ok_or_else(|| "expected 256M or more: the models alone need that".into())
}

/// The ways in which labels are believed.
fn labels() -> impl TypedValueParser<Value = Labels> {
    PossibleValuesParser::new(Labels::ALL.map(Labels::name)).map(|name| Labels::named(&name).unwrap_or_default())
}
