//! The table `corrections`: what was said of an interview, and what became of it.

use super::Correction;
use super::apply::{Corrected, Outcome};
use crate::error::Result;
use crate::table::{Column, CutOff, Layout, Table, TableSchema, all_until};

struct Line<'a> {
    interview_id: &'a str,
    said: &'a Correction,
    outcome: Option<&'a Outcome>,
}

impl<'a> Line<'a> {
    fn problem(&self) -> Option<&'static str> {
        match self.outcome {
            Some(Ok(_)) => None,
            Some(Err(problem)) => Some(problem.code),
            None => Some("not_found"),
        }
    }
}

fn layout<'a>() -> Layout<Line<'a>> {
    let columns = vec![
        Column::text("interview_id", "Interview the row belongs to.", |l: &Line<'a>| l.interview_id),
        Column::text("kind", "What is corrected: voice, person, track or turn.", |l: &Line<'a>| l.said.kind.name()),
        Column::text(
            "subject",
            "Which of them, as corrections.csv says it: its name without corrections, and the moment it is pinned to.",
            |l: &Line<'a>| l.said.subject.to_string(),
        ),
        Column::text(
            "value",
            "What it is said to be: a name, the one it is the same as, nobody, not_speech.",
            |l: &Line<'a>| l.said.value.as_str(),
        ),
        Column::text("note", "Why, as corrections.csv says it.", |l: &Line<'a>| l.said.note.as_deref()),
        Column::text(
            "found",
            "What it was applied to: the voice, person, track or turn as it is called without corrections; null = it \
             was not applied, see problem.",
            |l: &Line<'a>| l.outcome.and_then(|o| o.as_ref().ok()).map(String::as_str),
        ),
        Column::text(
            "problem",
            "Why it was not applied: not_found (there is none of that name), not_then (what is there at its moment \
             does not tell which it is), conflict (another line says otherwise), seen_together (one person would be in \
             a picture twice). The warning correction tells it in words.",
            Line::problem,
        ),
    ];
    let columns = all_until(CutOff::Interview, columns);
    Layout {
        name: "corrections",
        description: "One correction of an interview, in the order they were given.",
        columns,
    }
}

/// Contract of the `corrections` table.
pub(crate) fn corrections_schema() -> TableSchema {
    layout().schema()
}

/// Rows of the `corrections` table.
pub(crate) fn corrections_table(interview_id: &str, corrected: &Corrected) -> Result<Table> {
    let lines = corrected.lines.iter();
    layout().table(lines.map(|(said, outcome)| Line { interview_id, said, outcome: outcome.as_ref() }))
}
