//! A worker process as its parent sees it: asked, listened to, ended when it takes too much.

use std::io::Write;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use super::run::{Event, Outcome, Update};
use super::watch::{self, Limits, Overrun, Watch};
use crate::error::{Error, Result};
use crate::pipeline::Request;
use crate::recipe::Recipe;

/// Bytes kept of a line that a worker says, events apart from its log.
const EVENT_BYTES: usize = 1 << 20;
pub(super) const LOG_BYTES: usize = 4096;

/// Lines of a worker's log told of one interview.
pub(super) const MOST_LOG_LINES: usize = 10_000;

/// Lines that wait to be heard before the worker has to.
const WAITING_LINES: usize = 1024;

/// What an idle worker is given to end by itself, and one that fell silent.
const IDLE_END: Duration = Duration::from_millis(500);
const ENDING: Duration = Duration::from_secs(5);

/// What comes out of a worker process.
enum Line {
    Event(Event),
    Log(String),
}

/// A running worker process.
pub(super) struct Worker {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<Line>,
}

impl Worker {
    /// The recipe goes ahead of the requests.
    pub fn start(mut command: Command, recipe: &Recipe) -> Result<Self> {
        let recipe = recipe.canonical_json()?;
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|e| Error::Worker { interview: "(any)".into(), what: format!("cannot be started: {e}") })?;
        let (send, lines) = mpsc::sync_channel(WAITING_LINES);
        let mut input = child.stdin.take();
        // One that ended at once is seen when it is asked.
        let _ = input.as_mut().map(|input| writeln!(input, "{recipe}"));
        if let Some(stdout) = child.stdout.take() {
            let send = send.clone();
            std::thread::spawn(move || {
                watch::lines(stdout, EVENT_BYTES, |mut line| {
                    let line = serde_json::from_str(&line).map(Line::Event).unwrap_or_else(|_| {
                        // What a foreign library prints must not break the protocol.
                        line.truncate(line.floor_char_boundary(LOG_BYTES));
                        Line::Log(line)
                    });
                    send.send(line).is_ok()
                });
            });
        }
        if let Some(stderr) = child.stderr.take() {
            std::thread::spawn(move || watch::lines(stderr, LOG_BYTES, |line| send.send(Line::Log(line)).is_ok()));
        }
        Ok(Worker { child, input, lines })
    }

    /// Has one interview done; `None` when the run `is_over` before it is. An error, and `None`, mean that the process
    /// is no more.
    pub fn extract(
        &mut self,
        request: &Request,
        limits: Limits,
        is_over: &dyn Fn() -> bool,
        report: &dyn Fn(Update<'_>),
    ) -> Result<Option<Outcome>> {
        let interview = || request.interview_id.clone();
        let failed = |what: String| Error::Worker { interview: interview(), what };
        let line = serde_json::to_string(request).map_err(|e| failed(format!("cannot be asked: {e}")))?;
        let sent = self.input.as_mut().map(|input| writeln!(input, "{line}").and_then(|()| input.flush()));
        let mut log = Log { report, told: 0, last: String::new() };
        if matches!(sent, Some(Ok(()))) {
            match self.listen(limits, is_over, &mut log) {
                Heard::Event(Event::Unwritable { error }) => return Err(Error::write(interview(), error)),
                Heard::Event(Event::Finished(outcome)) => return Ok(Some(outcome)),
                Heard::Over => return Ok(None),
                Heard::Overrun(Overrun::Still) => {
                    let secs = limits.stall.as_secs();
                    return Err(failed(format!(
                        "was ended after {secs} s without progress; --stall-secs gives it more time"
                    )));
                }
                Heard::Overrun(Overrun::Memory(held)) => {
                    let limit_mb = limits.memory_bytes.unwrap_or_default() >> 20;
                    return Err(Error::Memory { interview: interview(), used_mb: held >> 20, limit_mb });
                }
                Heard::Event(_) | Heard::Gone => {}
            }
        }
        // What it said before it ended is still in the pipe.
        while let Ok(line) = self.lines.recv_timeout(Duration::from_millis(500)) {
            if let Line::Log(text) = line {
                log.tell(text);
            }
        }
        if is_over() {
            // A signal for all of a group ends the workers as well.
            return Ok(None);
        }
        let how = self.end(ENDING);
        Err(failed(if log.last.is_empty() { format!("ended: {how}") } else { format!("ended: {how}: {}", log.last) }))
    }

    /// Closing its input ends an idle worker; one that hangs after so long is killed. Tells how it ended.
    fn end(&mut self, patience: Duration) -> String {
        drop(self.input.take());
        let begun = Instant::now();
        while begun.elapsed() < patience && matches!(self.child.try_wait(), Ok(None)) {
            std::thread::sleep(Duration::from_millis(10));
        }
        // It may be gone by itself, and is asked how in any case.
        let _ = self.child.kill();
        let how = self.child.wait().map_or_else(|e| e.to_string(), |status| status.to_string());
        if how.contains("signal: 9") { format!("{how}, as when the system runs out of memory") } else { how }
    }

    /// Listens until the interview ended one way or another; a process that takes too much, or whose run is over, is
    /// killed.
    fn listen(&mut self, limits: Limits, is_over: &dyn Fn() -> bool, log: &mut Log<'_>) -> Heard {
        let mut watch = Watch::new(limits, self.child.id());
        loop {
            match self.lines.recv_timeout(watch::TICK) {
                Ok(Line::Event(Event::Progress(p))) => (log.report)(Update::Progress(p)),
                Ok(Line::Event(Event::Worked { beats })) => watch.worked(beats),
                Ok(Line::Event(event)) => return Heard::Event(event),
                Ok(Line::Log(text)) => log.tell(text),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Heard::Gone,
            }
            let ended = if is_over() { Some(Heard::Over) } else { watch.look().map(Heard::Overrun) };
            if let Some(ended) = ended {
                // It may be gone by itself.
                let _ = self.child.kill();
                return ended;
            }
        }
    }
}

/// What ended the listening.
enum Heard {
    /// The worker's last word on its interview.
    Event(Event),
    /// It takes too much.
    Overrun(Overrun),
    /// The run is over.
    Over,
    /// It says nothing more.
    Gone,
}

/// What is told of a worker's log.
struct Log<'a> {
    report: &'a dyn Fn(Update<'_>),
    told: usize,
    last: String,
}

impl Log<'_> {
    fn tell(&mut self, text: String) {
        self.told += 1;
        if self.told <= MOST_LOG_LINES {
            (self.report)(Update::Log(&text));
        } else if self.told == MOST_LOG_LINES + 1 {
            (self.report)(Update::Log("more of its log is left out"));
        }
        self.last = text;
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.end(IDLE_END);
    }
}
