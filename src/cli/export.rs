//! Arguments of `turnwise export`.

use super::*;

/// `turnwise export`.
#[derive(Debug, Subcommand)]
pub enum Export {
    /// RESCUE-bench's samples anew: tone of voice, face, posture, self-directed and interaction behaviour told from
    /// measurements, what was not measured empty, the rest untouched.
    Rescue(ExportRescue),
    /// The instances of the tables that tasks wrote, one JSON object a line: context, measured cues, question, options,
    /// label. The ids are the benchmark's, and those of itp tell the label: do not show them to whoever is to answer.
    Jsonl(ExportJsonl),
    /// One file an interview for ELAN, Praat or a player: turns, words, voices and chosen measurements, to be seen and
    /// corrected there. What is corrected is read again as a transcript.
    Transcript(ExportTranscript),
}

/// `turnwise export jsonl`.
#[derive(Debug, Args)]
pub struct ExportJsonl {
    /// The folder that extract and tasks wrote.
    #[arg(value_name = "OUT", value_hint = ValueHint::DirPath)]
    pub out: PathBuf,
    /// Folder for one file a task, `<task>.jsonl`.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub to: PathBuf,
    /// Only this task; may be repeated. Without it all that are there.
    #[arg(long, value_name = "NAME")]
    pub task: Vec<String>,
    /// Thresholds and words of cues instead of the shipped ones (see data/cues.toml).
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub cues: Option<PathBuf>,
    /// Questions over the shipped ones (see data/questions.toml).
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub questions: Option<PathBuf>,
    /// Go on where interviews were made by different recipes, models or versions.
    #[arg(long)]
    pub mixed: bool,
}

/// `turnwise export rescue`.
#[derive(Debug, Args)]
pub struct ExportRescue {
    /// The folder that extract wrote.
    #[arg(value_name = "OUT", value_hint = ValueHint::DirPath)]
    pub out: PathBuf,
    /// A folder of samples, one JSON file of a sample, or one JSONL file; a sample's id is its interview's.
    #[arg(long, value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub annotations: PathBuf,
    /// Folder for the new samples, laid out as the annotations are.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, required_unless_present = "bench")]
    pub to: Option<PathBuf>,
    /// Instead of --to, the folder that the benchmark's scripts run in: data/<sample>.json and nothing else below data,
    /// er.jsonl and vp.jsonl beside it, clips in manual_review_system/review_assets/<sample>. A folder data that holds
    /// other files is refused.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, conflicts_with = "to")]
    pub bench: Option<PathBuf>,
    /// Which samples.
    #[command(flatten)]
    pub samples: Samples,
    /// Thresholds and words instead of the shipped ones (see data/cues.toml).
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub cues: Option<PathBuf>,
    /// Go on where interviews were made by different recipes, models or versions.
    #[arg(long)]
    pub mixed: bool,
    /// Also cut every row's clip, seen and heard, out of the media that this corpus manifest names: clips and
    /// manifest.json in review_assets/<sample>. These are pictures of people: they are made only when asked for.
    #[arg(long, value_name = "CORPUS.csv", value_hint = ValueHint::FilePath)]
    pub clips: Option<PathBuf>,
}
