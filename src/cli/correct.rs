//! Arguments of `turnwise correct`.

use super::*;

/// What a line may say.
const LINES: &str = "\
Corrections are lines of OUT/corrections.csv, with the columns interview_id, kind, subject, value and note:

  voice   SPEAKER_00  Ann         this voice is Ann; a label that reads so is matched to it
  voice   SPEAKER_02  SPEAKER_00  these two voices are one
  person  P3          P1          these two persons on the screen are one
  person  P1          Ann         this person is Ann
  person  P4          nobody      this face (a poster, a passer-by) is no person of the interview
  track   17          P1          this face track is that person's, or nobody's
  turn    12          not_speech  nobody speaks in this turn (with --add also 12-15)

Write them with --add or in an editor; without an option the file is looked over. Then run the same `turnwise
extract` again: it makes the interviews that they are about anew, from what was kept of their models. Names are those
without corrections, and another recipe numbers otherwise; so --add pins a subject to a moment that tells it
(SPEAKER_00@12.5, P3@12.5:640x360), and the moment decides. A line that matches nothing is told as a warning, and in
the table corrections.";

/// `turnwise correct`.
#[derive(Debug, Args)]
#[command(after_help = LINES)]
pub struct Correct {
    /// The folder that extract wrote.
    #[arg(value_name = "OUT", value_hint = ValueHint::DirPath)]
    pub out: PathBuf,
    /// List what there is to correct: voices and persons with seconds and names, tracks that are nobody's, turns.
    #[arg(long, conflicts_with = "add")]
    pub list: bool,
    /// List this interview alone; may be repeated.
    #[arg(long, value_name = "ID", requires = "list")]
    pub interview: Vec<String>,
    /// Add a line, after looking whether the interview has what it is about; may be repeated.
    #[arg(long, num_args = 4, value_names = ["INTERVIEW", "KIND", "SUBJECT", "VALUE"], action = clap::ArgAction::Append)]
    pub add: Vec<String>,
    /// Why, for the lines that are added.
    #[arg(long, value_name = "TEXT", requires = "add")]
    pub note: Option<String>,
}
