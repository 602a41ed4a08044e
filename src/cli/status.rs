//! Arguments of `turnwise status`.

use super::*;

/// `turnwise status`.
#[derive(Debug, Args)]
pub struct Status {
    /// The folder that extract wrote, or writes.
    #[arg(value_name = "OUT", value_hint = ValueHint::DirPath)]
    pub out: PathBuf,
    /// The corpus manifest: what is missing, what was removed from it and whose inputs changed is known with it alone.
    #[arg(value_name = "MANIFEST", value_hint = ValueHint::FilePath)]
    pub manifest: Option<PathBuf>,
    /// The recipe to compare with. Without it and --set: that of the run that began last in the folder.
    #[command(flatten)]
    pub recipe: RecipeArgs,
    /// Interviews that will be worked on at the same time, for the time left. Default: as in the last run.
    #[arg(long, short, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub jobs: Option<u32>,
    /// Only this part of the corpus, as `extract --shard` takes it.
    #[arg(long, value_name = "I/N", requires = "manifest")]
    pub shard: Option<turnwise::corpus::Shard>,
    /// Print JSON: the counts, and every interview that is not done with its reason.
    #[arg(long)]
    pub json: bool,
}
