//! `turnwise baseline`: simple models on task tables.

use anyhow::Result;
use turnwise::baseline::{BaselineRequest, Settings, write_baselines};

use crate::cli::Baseline;

/// Tries the models on one task or on all, writes what they said and how well; tells it.
pub fn run(args: &Baseline) -> Result<String> {
    let settings = Settings {
        folds: args.folds as usize,
        seed: args.seed,
        resamples: args.resamples as usize,
        lags: args.lags.map(|n| n as usize),
        jobs: args.jobs.map_or_else(processors, |n| n as usize),
    };
    let request = BaselineRequest {
        tasks: &args.tasks,
        task: &args.task,
        out: args.out.as_deref(),
        mixed: args.mixed,
        settings,
        writer: args.tables.writer(),
    };
    Ok(write_baselines(&request)?)
}

fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}
