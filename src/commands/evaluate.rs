//! `turnwise evaluate`: anybody's predictions, scored.

use anyhow::Result;
use turnwise::baseline::{EvaluateRequest, Resampling, Unanswered, write_evaluation};

use crate::cli::Evaluate;
use crate::cli::evaluate::Unanswered as Choice;

/// Scores predictions against labels, writes the figures where asked for; tells them.
pub fn run(args: &Evaluate) -> Result<String> {
    let request = EvaluateRequest {
        labels: &args.labels,
        task: &args.task,
        predictions: &args.predictions,
        against: args.against.as_deref(),
        unanswered: match args.unanswered {
            Choice::Wrong => Unanswered::Wrong,
            Choice::LeftOut => Unanswered::LeftOut,
        },
        resampling: Resampling { seed: args.seed, resamples: args.resamples as usize },
        to: args.to.as_deref(),
    };
    Ok(write_evaluation(&request)?)
}
