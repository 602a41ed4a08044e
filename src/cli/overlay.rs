//! Arguments of `turnwise overlay`.

use turnwise::overlay::parse_time;
use turnwise::time::Seconds;

use super::*;

/// `turnwise overlay`.
#[derive(Debug, Args)]
pub struct Overlay {
    /// The folder that extract wrote.
    #[arg(value_name = "OUT", value_hint = ValueHint::DirPath)]
    pub out: PathBuf,
    /// Which interview; needless where the folder holds one.
    #[arg(long, value_name = "ID")]
    pub interview: Option<String>,
    /// The film to write, with its sound: .mp4, .mkv, .mov or .webm.
    #[arg(long, value_name = "FILM", value_hint = ValueHint::FilePath, required_unless_present = "contact_sheet")]
    pub to: Option<PathBuf>,
    /// Stills to write, in a grid: one of the middle of each turn, with time, name and words. Those that do not fit on
    /// one sheet go to NAME-1.png, NAME-2.png and so on.
    #[arg(long, value_name = "NAME.png", value_hint = ValueHint::FilePath)]
    pub contact_sheet: Option<PathBuf>,
    /// A still every so many seconds instead of each turn.
    #[arg(long, value_name = "SECS", requires = "contact_sheet", value_parser = step)]
    pub every: Option<f64>,
    /// Begin here: seconds, m:ss or h:mm:ss of the recording.
    #[arg(long, value_name = "TIME", value_parser = parse_time, default_value = "0")]
    pub from: Seconds,
    /// End before here. Default: the film's end.
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    pub until: Option<Seconds>,
    /// The interview's media, or the folder where they lie by the name that the manifest gave them. Default: in OUT,
    /// beside it, or here.
    #[arg(long, value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub media: Option<PathBuf>,
    /// The sound, where the manifest named a file of its own for it.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub audio: Option<PathBuf>,
    /// Fonts for scripts that the system has none for: a file, or a folder of them. May be repeated.
    #[arg(long, value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub fonts: Vec<PathBuf>,
}

/// A step of a tenth of a second or more.
fn step(text: &str) -> Result<f64, String> {
    let secs: f64 = text.parse().map_err(|_| format!("\"{text}\" is no number of seconds"))?;
    if secs.is_finite() && secs >= 0.1 { Ok(secs) } else { Err("give 0.1 seconds or more".into()) }
}
