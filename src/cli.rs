//! The command line's grammar, and nothing else.

use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueHint};
use turnwise::store::{Format, Writer};

mod correct;
pub mod evaluate;
mod export;
mod extract;
mod init;
mod models;
mod overlay;
mod pack;
mod plot;
mod probe;
mod report;
mod status;
mod transcript;

pub use correct::Correct;
pub use evaluate::Evaluate;
pub use export::{Export, ExportJsonl, ExportRescue};
pub use extract::Extract;
pub use init::Init;
pub use models::{FetchModels, Models, ModelsCommand};
pub use overlay::Overlay;
pub use pack::Pack;
pub use plot::{Plot, What};
pub use probe::Probe;
pub use report::Report;
pub use status::Status;
pub use transcript::ExportTranscript;

/// Options of every command stand behind the command's own in help and manual pages; without an order of their own they
/// would stand among them, in another place with each command that is added.
const EVERYWHERE: usize = 900;

/// Interview videos and transcripts in, Parquet tables of faces, voices and turns out.
#[derive(Debug, Parser)]
#[command(name = "turnwise", version, about, propagate_version = true, arg_required_else_help = true)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
    /// Tell more: -v what is done, -vv details of every stage. RUST_LOG overrides it.
    #[arg(short, long, global = true, action = clap::ArgAction::Count, display_order = EVERYWHERE)]
    pub verbose: u8,
    /// Tell errors only, and draw no progress bars.
    #[arg(short, long, global = true, conflicts_with = "verbose", display_order = EVERYWHERE)]
    pub quiet: bool,
    /// Folder with the model files and ONNX Runtime, where they are not in one of the usual places (`turnwise doctor`
    /// lists them).
    #[arg(long, global = true, value_name = "DIR", env = "TURNWISE_MODELS", value_hint = ValueHint::DirPath,
        display_order = EVERYWHERE)]
    pub models: Option<PathBuf>,
    /// Who may read the files and folders that are made: you alone, or also the group, for a lab that works in one
    /// folder; its members can then go on where another stopped. A umask stricter than 022 holds. Default: the owner;
    /// where `extract` goes on in a folder that its group may write to, the group.
    #[arg(long, global = true, value_enum, value_name = "WHO", display_order = EVERYWHERE)]
    pub share: Option<Share>,
}

/// Who may read what is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Share {
    /// Nobody but the owner: files 0600, folders 0700.
    Owner,
    /// The owner and the group, who may write too: files 0660, folders 0770.
    Group,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Write the manifest of a folder of recordings and transcripts: what belongs together by its names, and what does
    /// not.
    Init(Init),
    /// Extract one interview or a whole corpus into tables.
    Extract(Box<Extract>),
    /// Tell how a corpus stands: what is done, failed, stale or missing, how fast it goes and how long it will take.
    Status(Status),
    /// Say what models got wrong: this voice is Ann, these two persons are one, this face is nobody's, these turns are no
    /// speech. The next extraction follows it.
    Correct(Correct),
    /// Tell what is understood of a recording (streams, times, rates) or a transcript (format, labels, counts, repairs).
    Probe(Probe),
    /// Show what a table or an output folder holds.
    Inspect(Inspect),
    /// Draw what an output folder holds: one page an interview with its timeline, and an index; a browser opens them from
    /// the file, and nothing is fetched.
    Report(Report),
    /// Draw a figure of one interview for a paper, as SVG or PNG: its timeline, who does what to whom, or synchrony by
    /// lag.
    Plot(Plot),
    /// Draw on the film what an output folder holds of it, with its sound: faces, names, who speaks, the words, smiles,
    /// level, bodies and hands; or stills of it in a grid. No model is run.
    Overlay(Overlay),
    /// Find out who speaks when in a recording, and write it as RTTM.
    Diarize(Diarize),
    /// Score speech turns against a reference: diarization and Jaccard error rates.
    Score(Score),
    /// Describe the voice of a recording with eGeMAPSv02: descriptors every 10 ms, functionals of the whole and of
    /// segments.
    Voice(Voice),
    /// Follow the faces of one video: the tables faces and tracks.
    Faces(Faces),
    /// Check RESCUE-bench annotations: counts for each task and label, media, times and names, sample by sample.
    Check(Check),
    /// Make the tables of tasks, RESCUE-bench's or with labels of your own, from annotations, labels and extracted
    /// features.
    Tasks(Tasks),
    /// Try simple models on task tables, folds grouped by couple or family: majority, prior, and a linear model for
    /// each modality.
    Baseline(Baseline),
    /// Score anybody's predictions of a task: the metrics with intervals over couples and families, for each part,
    /// sample and class, and the difference from a second file of predictions.
    Evaluate(Evaluate),
    /// Write measurements in the form that other programs read.
    #[command(subcommand)]
    Export(Export),
    /// Make one data set of an output folder that Hugging Face datasets, pandas, polars, DuckDB and Arrow load: Parquet
    /// files for each table, a card, splits by couple or family.
    Pack(Pack),
    /// List the models: role, licence, hash, present or missing; or fetch them.
    Models(Models),
    /// Print the recipe: every parameter that changes results, with its value.
    Recipe(PrintRecipe),
    /// Check the machine: FFmpeg, ONNX Runtime and the models, found and needed.
    Doctor,
    /// Print SCHEMA.md: every table and column with its unit; or write the codebook of an output folder.
    Schema(Schema),
    /// Print the completions of a shell, to be sourced by it.
    Completions {
        /// Which shell.
        shell: clap_complete::Shell,
    },
    /// Write the manual pages, one a command, for those who package the program: `man -l DIR/turnwise.1`.
    #[command(hide = true)]
    Man {
        /// Folder for turnwise.1 and turnwise-COMMAND.1; made when it is not there.
        #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
        to: PathBuf,
    },
    /// Work on requests from standard input; started by extract.
    #[command(hide = true)]
    Worker(Worker),
}

/// Which recipe.
#[derive(Debug, Args)]
pub struct RecipeArgs {
    /// Parameters that change results, as TOML (see pipelines/); what it leaves out keeps its default.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub recipe: Option<PathBuf>,
    /// Change one parameter, over the recipe: `--set face.rate_hz=0` looks at every frame. May be repeated.
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
}

/// How tables are written.
#[derive(Clone, Copy, Debug, Args)]
pub struct TableFormat {
    /// What tables are written as.
    #[arg(long, value_name = "FORMAT", default_value = Format::default().name(), value_parser = formats())]
    pub format: Format,
}

impl TableFormat {
    /// Writes so.
    pub fn writer(self) -> Writer {
        Writer::new(self.format)
    }
}

/// The names of the formats, each with what it is.
fn formats() -> impl TypedValueParser<Value = Format> {
    PossibleValuesParser::new(Format::ALL.map(|f| PossibleValue::new(f.name()).help(f.help())))
        .map(|name| Format::named(&name).unwrap_or_default())
}

/// The recipe, or what a recipe may say.
#[derive(Debug, Args)]
pub struct PrintRecipe {
    /// The recipe.
    #[command(flatten)]
    pub recipe: RecipeArgs,
    /// Print the JSON Schema of recipes instead: each key's description, type, default and accepted values, for editors
    /// and checkers.
    #[arg(long, conflicts_with_all = ["recipe", "set"])]
    pub json_schema: bool,
}

/// Which samples of an annotation set.
#[derive(Clone, Debug, Args)]
pub struct Samples {
    /// Only the samples that this file names, an id a line; empty lines and those that begin with # are passed over.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub samples: Option<PathBuf>,
    /// At most so many samples, the first by id.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub max_samples: Option<u32>,
}

/// How many speakers.
#[derive(Clone, Copy, Debug, Args)]
pub struct Speakers {
    /// Exactly so many speakers.
    #[arg(long, value_name = "N", conflicts_with_all = ["min_speakers", "max_speakers"], value_parser = clap::value_parser!(u32).range(1..))]
    pub speakers: Option<u32>,
    /// At least so many speakers.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub min_speakers: Option<u32>,
    /// At most so many speakers.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub max_speakers: Option<u32>,
}

/// Names the formats that are read, as their list has them.
fn transcript_help() -> String {
    let formats = turnwise::transcript::supported();
    format!(
        "The transcript of a single media file; its turns are the rows of the tables. Without one, the speech turns \
         found are the turns. Read are {formats}; the content decides. embedded, embedded:eng or embedded:2 takes the \
         media's own subtitles, of this language or stream"
    )
}

/// `turnwise schema`.
#[derive(Debug, Args)]
pub struct Schema {
    /// Write the codebook of this output folder of `extract` instead, which must hold a finished interview: name, unit,
    /// meaning, source, modality, cut-off, share filled and range seen of every column, over all finished interviews.
    #[arg(long, value_name = "OUT", requires = "to", value_hint = ValueHint::DirPath)]
    pub codebook: Option<PathBuf>,
    /// Folder for codebook.md and codebook.csv.
    #[arg(long, value_name = "DIR", requires = "codebook", value_hint = ValueHint::DirPath)]
    pub to: Option<PathBuf>,
}

/// `turnwise inspect`.
#[derive(Debug, Args)]
pub struct Inspect {
    /// A table's file (Parquet, CSV with its metadata beside it, Arrow IPC) or an output folder.
    #[arg(value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub path: PathBuf,
    /// Show every column, families such as the blendshapes included.
    #[arg(long)]
    pub all: bool,
}

/// `turnwise diarize`.
#[derive(Debug, Args)]
pub struct Diarize {
    /// An audio or video file.
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub input: PathBuf,
    /// Where the speech turns are written.
    #[arg(long, value_name = "OUT", value_hint = ValueHint::FilePath)]
    pub rttm: PathBuf,
    /// Voices known by name: a folder of recordings named after their speakers, or Parquet with the columns name and
    /// embedding.
    #[arg(long, value_name = "FILE|DIR", value_hint = ValueHint::AnyPath)]
    pub enrol: Option<PathBuf>,
    /// A transcript whose turns name their speakers: evidence of who speaks, taken as `speaker.labels` says. embedded,
    /// embedded:eng or embedded:2 takes the recording's own subtitles, of this language or stream.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub transcript: Option<PathBuf>,
    /// Write only what is said inside these stretches, one a line: `recording 1 start end` in seconds, the recording
    /// called as the input without its extension, blanks as underscores. All of the file is heard.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub uem: Option<PathBuf>,
    /// How many speakers.
    #[command(flatten)]
    pub speakers: Speakers,
    /// The recipe.
    #[command(flatten)]
    pub recipe: RecipeArgs,
}

/// `turnwise score`.
#[derive(Debug, Args)]
pub struct Score {
    /// The truth, as RTTM.
    #[arg(value_name = "REF.rttm", value_hint = ValueHint::FilePath)]
    pub reference: PathBuf,
    /// What was found, as RTTM.
    #[arg(value_name = "HYP.rttm", value_hint = ValueHint::FilePath)]
    pub hypothesis: PathBuf,
    /// Width left out around every boundary of the truth, in seconds, both sides together: 0.5 leaves out 0.25 s on
    /// either side.
    #[arg(long, value_name = "SECS", default_value_t = 0.0)]
    pub collar: f64,
    /// Leave out the time in which several speak in the truth.
    #[arg(long)]
    pub skip_overlap: bool,
    /// Score only inside these stretches, one a line: `recording 1 start end`, in seconds.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub uem: Option<PathBuf>,
}

/// `turnwise voice`.
#[derive(Debug, Args)]
pub struct Voice {
    /// An audio or video file.
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub input: PathBuf,
    /// Folder for lld and functionals.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub out: PathBuf,
    /// Stretches to describe besides the whole file: RTTM, or CSV with the columns start_secs and end_secs.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub segments: Option<PathBuf>,
    /// How the tables are written.
    #[command(flatten)]
    pub tables: TableFormat,
}

/// `turnwise faces`.
#[derive(Debug, Args)]
pub struct Faces {
    /// A video file.
    #[arg(value_name = "VIDEO", value_hint = ValueHint::FilePath)]
    pub video: PathBuf,
    /// Folder for the tables faces and tracks.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub out: PathBuf,
    /// Folder of pictures that name people: anna.jpg, or any picture in a folder anna. Same as --set
    /// face.enrolment=DIR.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub enrol: Option<PathBuf>,
    /// Write the best look at each track, aligned, as PNG into this folder. Without it no picture is written.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub crops: Option<PathBuf>,
    /// Draw boxes, ids, mesh and gaze on the video and write it here, to look at.
    #[arg(long, value_name = "OUT.mp4", value_hint = ValueHint::FilePath)]
    pub overlay: Option<PathBuf>,
    /// How the tables are written.
    #[command(flatten)]
    pub tables: TableFormat,
    /// The recipe.
    #[command(flatten)]
    pub recipe: RecipeArgs,
}

/// `turnwise check`.
#[derive(Debug, Args)]
pub struct Check {
    /// A folder of samples, one JSON file of a sample, or one JSONL file.
    #[arg(value_name = "ANNOTATIONS", value_hint = ValueHint::AnyPath)]
    pub annotations: PathBuf,
    /// Tell which rows have no media: a corpus manifest, or the folder that extract wrote, which also knows where each
    /// film ends, and how many rows and prompts show a cue.
    #[arg(long, value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub media: Option<PathBuf>,
    /// Which samples.
    #[command(flatten)]
    pub samples: Samples,
}

/// `turnwise tasks`.
#[derive(Debug, Args)]
pub struct Tasks {
    /// The folder that extract wrote; the tables go to its subfolder tasks.
    #[arg(value_name = "OUT", value_hint = ValueHint::DirPath)]
    pub out: PathBuf,
    /// A folder of samples, one JSON file of a sample, or one JSONL file; a sample's id is its interview's. Tasks with
    /// a table of labels need none.
    #[arg(long, value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub annotations: Option<PathBuf>,
    /// The task file, as pipelines/tasks/rescue.toml.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub tasks: PathBuf,
    /// How the task tables are written.
    #[command(flatten)]
    pub tables: TableFormat,
    /// Which samples.
    #[command(flatten)]
    pub samples: Samples,
    /// The folder that row clips were exported to. Tasks whose evidence is turn_video_audio then leave out rows without
    /// a clip before they sample, as the benchmark's scripts do.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub clips: Option<PathBuf>,
    /// Pass over rows of the annotations that are wrong, and tell them, as extract --lenient did.
    #[arg(long)]
    pub lenient: bool,
    /// Go on where interviews were made by different recipes, models or versions.
    #[arg(long)]
    pub mixed: bool,
}

/// `turnwise baseline`.
#[derive(Debug, Args)]
pub struct Baseline {
    /// The folder of task tables: the subfolder tasks of what extract wrote.
    #[arg(value_name = "OUT/tasks", value_hint = ValueHint::DirPath)]
    pub tasks: PathBuf,
    /// Name of a task table, or all.
    #[arg(long, value_name = "NAME")]
    pub task: String,
    /// Parts of the groups; each in turn is answered by models fitted on the others.
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(2..=100))]
    pub folds: u32,
    /// Seed of folds, draws and resamples: the same seed gives the same bytes.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// Go on where a task table is of interviews that were made by different recipes, models or versions.
    #[arg(long)]
    pub mixed: bool,
    /// How the table of predictions is written.
    #[command(flatten)]
    pub tables: TableFormat,
    /// Resamples of the groups for the 95 % intervals.
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(100..=100_000))]
    pub resamples: u32,
    /// Look at so many last turns of the context one by one, of those that the task file's `lags` put into the table;
    /// 0 = at their mean alone. Default: all of them.
    #[arg(long, value_name = "K")]
    pub lags: Option<u32>,
    /// Folds worked on at the same time; the results are the same bytes for any number. Default: as many as processors.
    #[arg(long, short, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub jobs: Option<u32>,
    /// Folder for the results, a subfolder for each task. Default: baseline beside the folder of task tables.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub out: Option<PathBuf>,
}

/// The hidden worker.
#[derive(Debug, Args)]
pub struct Worker {
    /// Output folder.
    #[arg(long)]
    pub out: PathBuf,
    /// What is done about results of stages of earlier runs.
    #[arg(long, default_value = "use", value_parser = extract::kept())]
    pub stages: turnwise::pipeline::Keep,
    /// How the tables are written.
    #[command(flatten)]
    pub tables: TableFormat,
}
