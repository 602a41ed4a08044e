//! Logs go to standard error; how much is told by -v, -q and RUST_LOG.

use std::io::Write;

use tracing_subscriber::EnvFilter;

/// Starts the log.
pub fn start(verbose: u8, quiet: bool) {
    let level = match (quiet, verbose) {
        (true, _) => "error",
        (false, 0) => "warn",
        (false, 1) => "info",
        (false, 2) => "debug",
        (false, _) => "trace",
    };
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(format!("warn,turnwise={level}")));
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

/// Standard error, without what steers a terminal: a line of the log may quote a transcript, a file's name or FFmpeg.
/// The log writes line by line.
struct Clean;

impl Write for Clean {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        std::io::stderr().lock().write_all(turnwise::text::clean_lines(&String::from_utf8_lossy(bytes)).as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        std::io::stderr().flush()
    }
}
