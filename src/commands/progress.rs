//! Progress for people: bars on a terminal, plain lines elsewhere.

use std::collections::HashMap;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use turnwise::corpus::{Estimate, Left, Outcome, Pace, Update, media_bytes, words_of_bytes, words_of_secs};
use turnwise::pipeline::{Progress, Request, kept};

use super::say;

/// Interviews done earlier that are looked at to judge the pace.
const JUDGED: usize = 200;

/// What the pace is judged by at least before the rest is told, in seconds of work.
const JUDGED_SECS: f64 = 60.0;

/// A rest that is told, in seconds.
const TOLD_SECS: f64 = 60.0;

/// Shows a run.
pub struct Display {
    total: usize,
    quiet: bool,
    bars: Option<Bars>,
    course: Mutex<Course>,
    out: PathBuf,
    jobs: usize,
}

/// How far the run is.
#[derive(Default)]
struct Course {
    ended: usize,
    pace: Pace,
    left: Left,
    /// The whole rest was told.
    told: bool,
}

struct Bars {
    all: MultiProgress,
    corpus: ProgressBar,
    interviews: Mutex<HashMap<usize, ProgressBar>>,
}

impl Display {
    /// Bars when standard error is a terminal, else lines; neither when `quiet`.
    pub fn new(requests: &[Request], (out, jobs): (&Path, usize), quiet: bool) -> Self {
        let total = requests.len();
        let bars = (!quiet && std::io::stderr().is_terminal()).then(|| {
            let all = MultiProgress::new();
            let corpus = all.add(
                ProgressBar::new(total as u64)
                    .with_style(style("{bar:30} {pos}/{len} interviews  {elapsed_precise}  {msg}")),
            );
            corpus.enable_steady_tick(Duration::from_millis(500));
            Bars { all, corpus, interviews: Mutex::default() }
        });
        let left = Left { interviews: total, media_bytes: requests.iter().map(media_bytes).sum() };
        let course = Mutex::new(Course { left, ..Course::default() });
        Display { total, quiet, bars, course, out: out.to_owned(), jobs }
    }

    /// Shows one report of the run.
    pub fn update(&self, index: usize, request: &Request, update: &Update<'_>) {
        let id = &request.interview_id;
        if matches!(update, Update::Begun) {
            self.tell_rest();
        }
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
                let (count, rest) = self.count(request, outcome);
                if let Some(bars) = &self.bars {
                    if let Some(bar) = lock(&bars.interviews).remove(&index) {
                        bar.finish_and_clear();
                    }
                    bars.corpus.inc(1);
                    bars.corpus.set_message(rest.clone());
                }
                let place = format!("[{count}/{}] {id}", self.total);
                match outcome {
                    Outcome::Done { timings, warnings } => {
                        let rest = if rest.is_empty() { rest } else { format!("; {rest}") };
                        self.told(&format!("{place}: done in {:.1} s{}{rest}", timings.total_secs, counted(warnings)));
                    }
                    Outcome::Skipped => self.told(&format!("{place}: already done")),
                    Outcome::Failed { error, .. } => self.line(&format!("{place}: failed: {error}")),
                }
            }
        }
    }

    /// Counts an interview that ended; tells which one it is, and how long the rest takes where that is long.
    fn count(&self, request: &Request, outcome: &Outcome) -> (usize, String) {
        let bytes = media_bytes(request);
        let mut course = lock(&self.course);
        course.ended += 1;
        course.left.interviews = course.left.interviews.saturating_sub(1);
        course.left.media_bytes = course.left.media_bytes.saturating_sub(bytes);
        let judged = match outcome {
            Outcome::Done { .. } => true,
            // Of another day, perhaps, but of this folder.
            Outcome::Skipped => course.pace.interviews < JUDGED,
            Outcome::Failed { .. } => false,
        };
        if judged && let Some(kept) = kept(&self.out, &request.interview_id) {
            course.pace.add(&kept);
        }
        let rest = self.estimate(&course).map(|e| format!("about {} left", words_of_secs(e.secs)));
        (course.ended, rest.unwrap_or_default())
    }

    /// Where the rest is long and there is enough to judge by.
    fn estimate(&self, course: &Course) -> Option<Estimate> {
        let enough = course.pace.spent_secs >= JUDGED_SECS;
        course.pace.estimate(course.left, self.jobs).filter(|e| enough && e.secs >= TOLD_SECS)
    }

    /// Tells once what the whole rest takes, hours and bytes: from what was done before, else from the first
    /// interviews; and where there is no room for it.
    fn tell_rest(&self) {
        let mut course = lock(&self.course);
        let Some(rest) = self.estimate(&course).filter(|_| !course.told) else { return };
        course.told = true;
        let left = course.left.interviews;
        drop(course);
        let media = if rest.media_secs > 0.0 {
            format!("about {:.0} min of media, ", rest.media_secs / 60.0)
        } else {
            String::new()
        };
        let (time, bytes) = (words_of_secs(rest.secs), words_of_bytes(rest.bytes));
        self.told(&format!("{left} to do: {media}{time} with {} at this pace, {bytes} to write", self.workers()));
        if let Some(free) = free_bytes(&self.out).filter(|free| *free < rest.bytes) {
            let (out, free) = (self.out.display(), words_of_bytes(free));
            self.line(&format!(
                "{out} has room for {free} only; make room before it is full, or end the run: what is done is kept"
            ));
        }
    }

    fn workers(&self) -> String {
        turnwise::text::counted(self.jobs, "job")
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

/// Bytes that can be written into a folder; `None` where the system does not tell.
fn free_bytes(folder: &Path) -> Option<f64> {
    use std::os::unix::ffi::OsStrExt;
    let path = std::ffi::CString::new(folder.as_os_str().as_bytes()).ok()?;
    // SAFETY: the path ends in a null byte; an all-zero answer is a valid place for the system to write to.
    let told = unsafe {
        let mut told: libc::statvfs = std::mem::zeroed();
        (libc::statvfs(path.as_ptr(), &raw mut told) == 0).then_some(told)
    };
    told.map(|t| t.f_bavail as f64 * t.f_frsize as f64)
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
    fn the_rest_is_told_once_there_is_enough_to_judge_by() {
        let out = tempfile::tempdir().unwrap();
        let display = Display::new(&[], (out.path(), 2), true);
        let course = |spent_secs, media_bytes| Course {
            pace: Pace { interviews: 2, media_secs: 600.0, spent_secs, media_bytes: 1000, written_bytes: 10 },
            left: Left { interviews: 8, media_bytes },
            ..Course::default()
        };
        assert_eq!(display.estimate(&course(30.0, 100_000)), None, "too little was done");
        assert_eq!(display.estimate(&course(100.0, 1000)), None, "the rest is short");
        assert!((display.estimate(&course(100.0, 6000)).unwrap().secs - 300.0).abs() < 1e-9);
        assert!(free_bytes(out.path()).is_some_and(|bytes| bytes > 0.0));
        assert_eq!(free_bytes(Path::new("/nowhere/at/all")), None);
    }

    #[test]
    fn warnings_are_counted_by_kind() {
        let told = |codes: &[&str]| counted(&codes.iter().map(|c| (*c).to_owned()).collect::<Vec<_>>());
        assert_eq!(told(&[]), "");
        assert_eq!(told(&["shortfall"]), ", 1 warning: shortfall");
        assert_eq!(told(&["gap", "gap", "shortfall"]), ", 3 warnings: gap (2), shortfall");
    }
}
