//! Arguments of `turnwise extract`.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use turnwise::pipeline::Keep;
use turnwise::transcript::{Encoding, Labels};

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
    /// Speech turns to use instead of diarization: RTTM, or the tiers named `… - diarized` of an ELAN or Praat file that
    /// export transcript wrote.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub rttm: Option<PathBuf>,
    /// Voices known by name: a folder of recordings named after their speakers, or Parquet with the columns name and
    /// embedding.
    #[arg(long, value_name = "FILE|DIR", value_hint = ValueHint::AnyPath)]
    pub enrol: Option<PathBuf>,
    /// Corrections to apply (see `turnwise correct`). Default: DIR/corrections.csv, where it is there.
    #[arg(long, value_name = "FILE.csv", value_hint = ValueHint::FilePath)]
    pub corrections: Option<PathBuf>,
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
    /// The tiers of speech in transcripts of tiers (ELAN, Praat); the others hold codes. The same as `--set
    /// input.tiers=["NAME"]`. Default: the tiers themselves tell it.
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub tiers: Vec<String>,
    /// In which encoding the transcripts are, such as windows-1250; the same as `--set input.encoding=NAME`. Default:
    /// what their bytes tell.
    #[arg(long, value_name = "NAME")]
    pub encoding: Option<Encoding>,
    /// Frames a second of time codes in transcripts (00:00:03:12); the same as `--set input.frame_rate_hz=HZ`.
    #[arg(long, value_name = "HZ")]
    pub frame_rate: Option<f64>,
    /// Samples a second of columns of samples in transcripts; the same as `--set input.sample_rate_hz=HZ`.
    #[arg(long, value_name = "HZ")]
    pub sample_rate: Option<f64>,
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
    /// Do interviews again that are already done, and all of their stages.
    #[arg(long, conflicts_with = "verify")]
    pub force: bool,
    /// Neither use nor keep results of stages. Without it what was heard and seen is kept in DIR/.stages, so that
    /// another recipe or transcript redoes only what it touches; the tables are the same bytes either way, and the
    /// folder may be removed at any time.
    #[arg(long)]
    pub no_cache: bool,
    /// Do only the interviews that failed; those that are missing or stale stay as they are.
    #[arg(long, conflicts_with = "force")]
    pub retry_failed: bool,
    /// Do only part I of N of the manifest, such as 2/8: which part an interview is in is decided by its id. The parts
    /// may be done at the same time, on one machine or many, and write into one folder.
    #[arg(long, value_name = "I/N")]
    pub shard: Option<turnwise::corpus::Shard>,
    /// For a trial: stop taking interviews, in the manifest's order, once they hold so many minutes of media.
    #[arg(long, value_name = "MINUTES", value_parser = minutes)]
    pub limit_minutes: Option<f64>,
    /// Do interviews of the manifest's first five minutes of media, and tell the hours and gigabytes that the rest
    /// takes at the pace of these, on this machine. What is done for it is kept, and the same command without this
    /// goes on.
    #[arg(long, conflicts_with_all = ["force", "retry_failed", "limit_minutes", "plan", "prune"])]
    pub estimate: bool,
    /// How the tables are written; a folder holds one format.
    #[command(flatten)]
    pub tables: TableFormat,
    /// Only this interview of the manifest; may be repeated. Nothing is said of the others, whose tables stay.
    #[arg(long, value_name = "ID", conflicts_with = "prune")]
    pub only: Vec<String>,
    /// Do nothing, and print as JSON what a run would do: which interviews are done and which are left, with the bytes
    /// of their media. For schedulers.
    #[arg(long)]
    pub plan: bool,
    /// Remove the files of interviews that are in the folder and no longer in the manifest: tables, RTTM, timings,
    /// their rows.
    #[arg(long, conflicts_with_all = ["retry_failed", "shard", "limit_minutes"])]
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
    /// Tell everything on standard error as JSON, one object a line, with its time; no progress bars. What happened to
    /// each interview is also kept in DIR/logs, and each run in DIR/runs, whatever is told.
    #[arg(long)]
    pub log_json: bool,
}

impl Extract {
    /// True where only some interviews of the manifest are done, so that nothing can be said of the others.
    pub fn is_part(&self) -> bool {
        self.retry_failed
            || self.estimate
            || self.shard.is_some()
            || self.limit_minutes.is_some()
            || !self.only.is_empty()
    }
}

/// A number above 0.
fn minutes(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|n| n.is_finite() && *n > 0.0);
    number.ok_or_else(|| "expected a number above 0".into())
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

/// What may be done about results of stages.
pub(super) fn kept() -> impl TypedValueParser<Value = Keep> {
    let named = |name: String| Keep::ALL.into_iter().find(|keep| keep.name() == name).unwrap_or_default();
    PossibleValuesParser::new(Keep::ALL.map(Keep::name)).map(named)
}

/// The ways in which labels are believed.
fn labels() -> impl TypedValueParser<Value = Labels> {
    PossibleValuesParser::new(Labels::ALL.map(Labels::name)).map(|name| Labels::named(&name).unwrap_or_default())
}
