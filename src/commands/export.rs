//! `turnwise export` and `turnwise pack`: measurements in the form that other programs read.

use std::collections::BTreeMap;

use anyhow::Result;
use turnwise::corpus::read_manifest;
use turnwise::export::{
    ClipSource, ExportRequest, PackRequest, Part, RescueLayout, RescueRequest, Shares, TranscriptRequest,
    export_instances, export_rescue, export_transcripts,
};
use turnwise::inference::Registry;
use turnwise::pipeline::{Request, schemas};
use turnwise::recipe::Recipe;

use super::must_be_there;
use super::tasks::selection;
use crate::cli::{ExportJsonl, ExportRescue, ExportTranscript, Pack};

/// Writes the benchmark's samples anew, cue fields from measurements; tells how many.
pub fn rescue(args: &ExportRescue) -> Result<String> {
    must_be_there(&args.out)?;
    let source = |r: Request| (r.interview_id, ClipSource { media: r.media, audio: r.audio });
    let clips: Option<BTreeMap<String, ClipSource>> = match &args.clips {
        Some(manifest) => Some(read_manifest(manifest)?.into_iter().map(source).collect()),
        None => None,
    };
    let schemas = schemas(&Recipe::default());
    let (to, layout) = match (&args.bench, &args.to) {
        (Some(bench), _) => (bench, RescueLayout::Bench),
        (None, Some(to)) => (to, RescueLayout::AsGiven),
        // The grammar asks for one of them.
        (None, None) => anyhow::bail!("neither --to nor --bench"),
    };
    let selection = selection(&args.samples)?;
    let export = ExportRequest { out: &args.out, to, cues: args.cues.as_deref(), mixed: args.mixed, schemas: &schemas };
    let request =
        RescueRequest { export, annotations: &args.annotations, layout, selection: &selection, clips: clips.as_ref() };
    Ok(export_rescue(&request)?)
}

/// Writes one file per task; tells how many instances each has.
pub fn jsonl(args: &ExportJsonl) -> Result<String> {
    let schemas = schemas(&Recipe::default());
    let request = ExportRequest {
        out: &args.out,
        to: &args.to,
        cues: args.cues.as_deref(),
        mixed: args.mixed,
        schemas: &schemas,
    };
    Ok(export_instances(&request, &args.task, args.questions.as_deref())?)
}

/// Writes one file an interview; tells how many turns each has.
pub fn transcript(args: &ExportTranscript) -> Result<String> {
    must_be_there(&args.out)?;
    let request = TranscriptRequest {
        out: &args.out,
        to: &args.to,
        format: args.format,
        interviews: &args.interview,
        parts: if args.with.is_empty() { Part::ALL } else { &args.with },
        overwrite: args.overwrite,
    };
    Ok(export_transcripts(&request)?)
}

/// Makes one data set of an output folder; tells what it holds.
pub fn pack(args: &Pack, registry: &Registry) -> Result<String> {
    must_be_there(&args.out)?;
    let request = PackRequest {
        out: &args.out,
        to: &args.to,
        by_group: args.by_group,
        shares: Shares { validation: args.validation, test: args.test, seed: args.seed },
        mixed: args.mixed,
        registry,
    };
    Ok(turnwise::export::pack(&request)?)
}
