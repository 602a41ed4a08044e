//! The `turnwise` program: parse, run, tell the outcome. The only exit is here, but for a worker whose parent is gone.

mod cli;
mod commands;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    let cli = cli::Cli::parse();
    commands::logging::start(cli.verbose, cli.quiet);
    match commands::run(&cli) {
        Ok(code) => code,
        Err(error) => {
            // A reader that has seen enough (`turnwise inspect … | head`) is no failure.
            if commands::is_broken_pipe(&error) {
                return ExitCode::SUCCESS;
            }
            commands::say(&format!("error: {error:#}"));
            commands::exit_code(&error)
        }
    }
}
