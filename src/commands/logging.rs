//! Logs go to standard error; how much is told by -v, -q and RUST_LOG.

use std::io::IsTerminal;

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
    let terminal = std::io::stderr().is_terminal();
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        // Where nobody reads standard error any more, the work goes on.
        .log_internal_errors(false)
        .with_ansi(terminal)
        .without_time()
        .with_target(false)
        .init();
}
