//! `turnwise diarize` and `turnwise score`.

use std::path::Path;

use anyhow::Result;
use turnwise::annotation::Annotation;
use turnwise::error::Error;
use turnwise::inference::{ModelSet, Registry, Runtime};
use turnwise::inspect::grid::{Grid, Lean};
use turnwise::media::{self, StreamPick, SubtitlePick};
use turnwise::pipeline::{self, known_voices};
use turnwise::recipe::Recipe;
use turnwise::speaker::{self, Diarization, ScoreOptions, SpeakerBounds, SpeakerModels, Told};
use turnwise::store::rttm::{of_recording, read_rttm, read_uem, uri_for, write_rttm};
use turnwise::table::Missing;
use turnwise::time::Segment;
use turnwise::transcript::{self, Transcript};

use super::extract::{bounds, enrol};
use super::{keep_apart, keep_out, recipe};
use crate::cli::{Diarize, Score};

/// Who speaks when, as RTTM.
pub fn diarize(args: &Diarize, registry: &Registry) -> Result<()> {
    let mut recipe = recipe(&args.recipe)?;
    enrol(args.enrol.as_deref(), &mut recipe)?;
    let bounds = bounds(args.speakers)?;
    let inputs = [Some(&args.input), args.recipe.recipe.as_ref(), args.uem.as_ref(), args.transcript.as_ref()];
    for input in inputs.into_iter().flatten() {
        keep_apart(input, &args.rttm)?;
    }
    keep_out(Path::new(&recipe.speaker.enrolment.voices), &args.rttm)?;
    let stem = args.input.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
    let uri = uri_for(&stem);
    let heard = args.uem.as_deref().map(|path| stretches_of(path, &uri)).transpose()?;
    turnwise::file::check(&args.input)?;
    let transcript = args.transcript.as_deref().map(|path| read_transcript(path, &args.input, &recipe)).transpose()?;
    SpeakerModels::check(registry, &recipe.speaker)?;
    let pick =
        StreamPick { audio: recipe.input.audio_stream.index(), mix: recipe.input.mix(), ..StreamPick::default() };
    let decoded = media::audio_spooled(&args.input, speaker::RATE_HZ, pick)?;
    for warning in &decoded.warnings {
        tracing::warn!("{warning}");
    }
    let mut models = SpeakerModels::load(registry, &recipe.speaker, Runtime::default())?;
    let known = known_voices(&recipe.speaker, &mut models)?;
    let mut found = if recipe.input.track_speakers {
        if bounds != SpeakerBounds::default() {
            return Err(pipeline::bounds_and_tracks().into());
        }
        let tracks = media::speaker_tracks(&args.input, speaker::RATE_HZ)?;
        let annotation = speaker::by_track(&tracks, &mut models.vad, &recipe.speaker.vad)?;
        let reason = annotation.turns().is_empty().then_some(Missing::NoSpeech);
        Diarization { annotation, reason, ..Diarization::default() }
    } else {
        let turns = |speech: &[f32]| {
            transcript.as_ref().map_or_else(Vec::new, |t| pipeline::labelled_turns(&t.turns, speech, &recipe))
        };
        let told = Told { bounds, voices: &known, turns: Some(&turns) };
        speaker::diarize_told(&decoded.buffer, &mut models, &recipe.speaker, &told)?
    };
    speaker::name_speakers(&mut found, &known, recipe.speaker.enrolment.min_similarity);
    for warning in &found.warnings {
        tracing::warn!("{warning}");
    }
    if let Some(stretches) = &heard {
        let cut = found.annotation.within(stretches);
        if cut.turns().is_empty() && !found.annotation.turns().is_empty() {
            tracing::warn!("nothing that is said lies inside the stretches of the UEM file");
        }
        found.annotation = cut;
    }
    write_rttm(&args.rttm, &uri, &found.annotation)?;
    if let Some(reason) = found.reason {
        tracing::warn!("nobody speaks in {} ({})", args.input.display(), reason.reason());
    }
    Ok(())
}

/// The transcript whose labels are evidence; what is wrong with it is told.
fn read_transcript(path: &Path, media: &Path, recipe: &Recipe) -> Result<Transcript> {
    let options = recipe.input.reading(None, None);
    let read = match SubtitlePick::parse(&path.to_string_lossy()) {
        Some(pick) => transcript::embedded(media, &pick, &options)?,
        None => transcript::read(path, &options)?,
    };
    for warning in &read.warnings {
        tracing::warn!("{warning}");
    }
    Ok(read)
}

/// The stretches of recording `uri` in a UEM file.
fn stretches_of(path: &Path, uri: &str) -> Result<Vec<Segment>> {
    let uem = read_uem(path)?;
    let Some((named, stretches)) = of_recording(&uem, uri) else {
        let what = format!("{} says nothing of {uri}", path.display());
        return Err(Error::Usage {
            what,
            hint: "name the recording as its file without the extension, blanks as underscores".into(),
        }
        .into());
    };
    if named != uri {
        tracing::warn!("{uri} is cut to the stretches of {named}, the one recording of {}", path.display());
    }
    Ok(stretches.clone())
}

/// Error rates, recording by recording and over all.
pub fn score(args: &Score) -> Result<String> {
    if !args.collar.is_finite() || args.collar < 0.0 {
        return Err(
            Error::Usage { what: format!("--collar {}", args.collar), hint: "give seconds, 0 or more".into() }.into()
        );
    }
    let reference = read_rttm(&args.reference)?;
    let hypothesis = read_rttm(&args.hypothesis)?;
    let uem = args.uem.as_deref().map(read_uem).transpose()?;
    let mut grid = Grid::new([[(Lean::Left, usize::MAX)].as_slice(), &[(Lean::Right, usize::MAX); 6]].concat());
    grid.row(["recording", "DER %", "JER %", "missed s", "false al s", "confus s", "total s"]);
    let mut sums = [0.0; 4];
    for (uri, truth) in &reference {
        let found = counterpart(uri, &reference, &hypothesis);
        let options = ScoreOptions {
            collar_secs: args.collar,
            skip_overlap: args.skip_overlap,
            uem: uem.as_ref().map(|u| stretches(u, uri)),
        };
        let s = speaker::score(truth, &found, &options);
        let secs = [s.missed_secs, s.false_alarm_secs, s.confusion_secs, s.total_secs];
        grid.row(line(uri, s.der(), s.jer(), secs));
        for (sum, x) in sums.iter_mut().zip(secs) {
            *sum += x;
        }
    }
    for (uri, _) in hypothesis
        .iter()
        .filter(|(u, _)| reference.iter().all(|(r, _)| r != u) && (reference.len(), hypothesis.len()) != (1, 1))
    {
        tracing::warn!("{uri} is in the second file alone and is not scored");
    }
    if reference.is_empty() {
        tracing::warn!("{} holds no speech: there is nothing to score against", args.reference.display());
    }
    if reference.len() > 1 {
        let rate = (sums[3] > 0.0).then(|| (sums[0] + sums[1] + sums[2]) / sums[3]);
        grid.row(line("all", rate, None, sums));
    }
    Ok(grid.render(""))
}

/// The recording of the same name; where both files hold one recording, that one.
fn counterpart(uri: &str, reference: &[(String, Annotation)], hypothesis: &[(String, Annotation)]) -> Annotation {
    match hypothesis.iter().find(|(u, _)| u == uri) {
        Some((_, found)) => found.clone(),
        None if reference.len() == 1 && hypothesis.len() == 1 => {
            tracing::warn!("{uri} is scored with {}, the one recording of the second file", hypothesis[0].0);
            hypothesis[0].1.clone()
        }
        None => {
            tracing::warn!("{uri} is not in the second file: all its speech counts as missed");
            Annotation::default()
        }
    }
}

fn stretches(uem: &[(String, Vec<Segment>)], uri: &str) -> Vec<Segment> {
    let Some((named, stretches)) = of_recording(uem, uri) else {
        tracing::warn!("{uri} is not in the UEM file: nothing of it is scored");
        return Vec::new();
    };
    if named != uri {
        tracing::warn!("{uri} is scored where the UEM file scores {named}, its one recording");
    }
    stretches.clone()
}

fn line(name: &str, der: Option<f64>, jer: Option<f64>, secs: [f64; 4]) -> Vec<String> {
    let percent = |x: Option<f64>| x.map_or_else(|| "-".to_owned(), |x| format!("{:.3}", 100.0 * x));
    let mut cells = vec![name.to_owned(), percent(der), percent(jer)];
    cells.extend(secs.map(|x| format!("{x:.3}")));
    cells
}
