//! Logs go to standard error; how much is told by -v, -q and RUST_LOG, and in which form by `--log-json`.

use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::SystemTime;

use serde_json::{Value, json};
use tracing_subscriber::EnvFilter;
use turnwise::corpus::utc;

use crate::cli::{Cli, Command};

/// One JSON object a line, of everything that is told.
static JSON: AtomicBool = AtomicBool::new(false);

/// Starts the log.
pub fn start(cli: &Cli) {
    JSON.store(matches!(&cli.command, Command::Extract(args) if args.log_json), Ordering::Relaxed);
    let level = match (cli.quiet, cli.verbose) {
        (true, _) => "error",
        (false, 0) => "warn",
        (false, 1) => "info",
        (false, 2) => "debug",
        (false, _) => "trace",
    };
    let filter = EnvFilter::try_from_default_env()
        .unwrap_or_else(|_| EnvFilter::new(format!("warn,usvg=error,turnwise={level}")));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(|| Clean)
        // Where nobody reads standard error any more, the work goes on.
        .log_internal_errors(false)
        // Colours are escape sequences, and none passes.
        .with_ansi(false)
        .without_time()
        .with_target(false)
        .init();
}

/// True where standard error is JSON.
pub fn is_json() -> bool {
    JSON.load(Ordering::Relaxed)
}

/// An event with the time.
pub fn event(mut event: Value) -> Value {
    event["time"] = json!(utc(SystemTime::now()));
    event
}

/// Writes an event to standard error. A line that nobody reads is no reason to stop.
pub fn write(event: &Value) {
    let _ = writeln!(std::io::stderr().lock(), "{event}");
}

/// Standard error, without what steers a terminal: a line of the log may quote a transcript, a file's name or FFmpeg.
/// The log writes line by line.
struct Clean;

impl Write for Clean {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let text = String::from_utf8_lossy(bytes);
        if is_json() {
            let (level, told) = text.trim().split_once(' ').unwrap_or(("", text.trim()));
            write(&event(json!({ "event": "log", "level": level, "text": told.trim() })));
        } else {
            std::io::stderr().lock().write_all(turnwise::text::clean_lines(&text).as_bytes())?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        std::io::stderr().flush()
    }
}
