//! Progress for people: bars on a terminal, plain lines elsewhere.

use std::collections::HashMap;
use std::io::IsTerminal;
use std::sync::Mutex;
use std::time::Duration;

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use turnwise::corpus::{Outcome, Update};
use turnwise::pipeline::{Progress, Request};

use super::say;

/// Shows a run.
pub struct Display {
    total: usize,
    quiet: bool,
    bars: Option<Bars>,
    ended: Mutex<usize>,
}

struct Bars {
    all: MultiProgress,
    corpus: ProgressBar,
    interviews: Mutex<HashMap<usize, ProgressBar>>,
}

impl Display {
    /// Bars when standard error is a terminal, else lines; neither when `quiet`.
    pub fn new(total: usize, quiet: bool) -> Self {
        let bars = (!quiet && std::io::stderr().is_terminal()).then(|| {
            let all = MultiProgress::new();
            let corpus = all.add(
                ProgressBar::new(total as u64).with_style(style("{bar:30} {pos}/{len} interviews  {elapsed_precise}")),
            );
            corpus.enable_steady_tick(Duration::from_millis(500));
            Bars { all, corpus, interviews: Mutex::default() }
        });
        Display { total, quiet, bars, ended: Mutex::new(0) }
    }

    /// Shows one report of the run.
    pub fn update(&self, index: usize, request: &Request, update: &Update<'_>) {
        let id = &request.interview_id;
        match (update, &self.bars) {
            (Update::Begun, Some(bars)) => {
                let bar = bars.all.insert_before(
                    &bars.corpus,
                    ProgressBar::new(1000).with_style(style("{bar:30.cyan} {percent:>3} %  {msg}")),
                );
                bar.set_message(id.clone());
                lock(&bars.interviews).insert(index, bar);
            }
            (Update::Progress(p), Some(bars)) => {
                if let Some(bar) = lock(&bars.interviews).get(&index) {
                    match *p {
                        Progress::Step(step) => bar.set_message(format!("{id}: {}", step.words())),
                        Progress::Watching { video_secs, total_secs } if total_secs > 0.0 => {
                            bar.set_position((1000.0 * video_secs / total_secs).clamp(0.0, 1000.0) as u64);
                        }
                        Progress::Watching { .. } => {}
                    }
                }
            }
            (Update::Progress(Progress::Step(step)), None) => tracing::debug!("{id}: {}", step.words()),
            (Update::Begun | Update::Progress(_), _) => {}
            (Update::Log(line), _) => self.line(&format!("{id}: {}", line.trim_start())),
            (Update::Ended(outcome), _) => {
                let count = {
                    let mut ended = lock(&self.ended);
                    *ended += 1;
                    *ended
                };
                if let Some(bars) = &self.bars {
                    if let Some(bar) = lock(&bars.interviews).remove(&index) {
                        bar.finish_and_clear();
                    }
                    bars.corpus.inc(1);
                }
                let place = format!("[{count}/{}] {id}", self.total);
                match outcome {
                    Outcome::Done { timings, warnings } => {
                        self.told(&format!("{place}: done in {:.1} s{}", timings.total_secs, counted(warnings)));
                    }
                    Outcome::Skipped => self.told(&format!("{place}: already done")),
                    Outcome::Failed { error, .. } => self.line(&format!("{place}: failed: {error}")),
                }
            }
        }
    }

    /// Takes the bars away.
    pub fn finish(&self) {
        if let Some(bars) = &self.bars {
            bars.corpus.finish_and_clear();
        }
    }

    fn told(&self, text: &str) {
        if !self.quiet {
            self.line(text);
        }
    }

    fn line(&self, text: &str) {
        match &self.bars {
            // A terminal that cannot be written to has no use for the line.
            Some(bars) => drop(bars.all.println(turnwise::text::clean(text))),
            None => say(text),
        }
    }
}

/// `, 3 warnings: shortfall, stream_chosen (2)`; empty without warnings.
fn counted(codes: &[String]) -> String {
    let kinds: Vec<String> = codes
        .chunk_by(|a, b| a == b)
        .map(|same| if same.len() > 1 { format!("{} ({})", same[0], same.len()) } else { same[0].clone() })
        .collect();
    match codes.len() {
        0 => String::new(),
        1 => format!(", 1 warning: {}", kinds[0]),
        n => format!(", {n} warnings: {}", kinds.join(", ")),
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn warnings_are_counted_by_kind() {
        let told = |codes: &[&str]| counted(&codes.iter().map(|c| (*c).to_owned()).collect::<Vec<_>>());
        assert_eq!(told(&[]), "");
        assert_eq!(told(&["shortfall"]), ", 1 warning: shortfall");
        assert_eq!(told(&["gap", "gap", "shortfall"]), ", 3 warnings: gap (2), shortfall");
    }
}
