//! What `bench.py` needs from inside: the least any program could take for the same work, our own stages alone, and our
//! values beside the references. Each task prints one JSON object.
//!
//! ```text
//! floor replay TIMINGS.json MEDIA RATE_HZ  the streams decoded alone, and every model call of a run again, on random input of the same shape
//! floor voice AUDIO                        eGeMAPSv02 in process, and the transforms it cannot do without
//! floor diarize AUDIO...                   who speaks when, in process, the models loaded before
//! floor landmarks INPUT OUTPUT             the landmark model on 1x256x256x3 floats, again and again
//! floor pitch AUDIO                        SwiftF0 on the 10 ms grid
//! floor faces PNG...                       every picture as a clip of its own
//! ```

use std::collections::BTreeMap;
use std::error::Error;
use std::hint::black_box;
use std::io::Write;
use std::path::Path;
use std::time::Instant;

use ndarray::{ArrayD, IxDyn};
use serde_json::{Value, json};
use turnwise::audio::egemaps::Extractor;
use turnwise::audio::{self, VoiceConfig, VoiceModels};
use turnwise::dft::{Complex32, RealDft};
use turnwise::face::{FaceConfig, FaceModels, FaceTracker};
use turnwise::inference::{Input, ModelSet, Registry, Runtime, Session, Usage};
use turnwise::media::{self, Sampling, StreamPick};
use turnwise::random::Random;
use turnwise::signal::VideoFrame;
use turnwise::speaker::{self, SpeakerBounds, SpeakerConfig, SpeakerModels};
use turnwise::time::Seconds;

type Outcome<T> = Result<T, Box<dyn Error>>;

fn main() -> Outcome<()> {
    // `cargo bench` adds a flag of its own.
    let args: Vec<String> = std::env::args().skip(1).filter(|a| a != "--bench").collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let found = match args.as_slice() {
        ["replay", timings, media, rate] => replay(Path::new(timings), Path::new(media), rate.parse()?)?,
        ["voice", file] => voice(Path::new(file))?,
        ["diarize", files @ ..] => diarize(files)?,
        ["landmarks", input, output] => landmarks(Path::new(input), Path::new(output))?,
        ["pitch", file] => pitch(Path::new(file))?,
        ["faces", pictures @ ..] => faces(pictures)?,
        _ => json!({ "note": "run by benches/bench.py; see the head of benches/floor.rs" }),
    };
    Ok(writeln!(std::io::stdout(), "{found}")?)
}

/// Processor time of the whole process, in seconds.
fn cpu_secs() -> f64 {
    let mut t = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the call fills the struct it is given; if it fails the struct stays 0.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &raw mut t) };
    t.tv_sec as f64 + t.tv_nsec as f64 * 1e-9
}

/// The result, and the processor time it took.
fn timed<T>(work: impl FnOnce() -> Outcome<T>) -> Outcome<(T, f64)> {
    let begun = cpu_secs();
    let result = work()?;
    Ok((result, cpu_secs() - begun))
}

fn replay(timings: &Path, media_file: &Path, rate_hz: f64) -> Outcome<Value> {
    let timings: Value = serde_json::from_slice(&std::fs::read(timings)?)?;
    let asked: BTreeMap<String, Usage> = serde_json::from_value(timings["models"].clone())?;
    let pick = StreamPick::default();
    let has = media::probe(media_file, pick)?;
    let mut streams = BTreeMap::new();
    if has.audio.is_some() {
        streams.insert("audio", timed(|| Ok(black_box(media::audio(media_file, audio::SAMPLE_RATE_HZ, pick)?)))?.1);
    }
    let mut frames = 0;
    if has.video.is_some() {
        let sampling = Sampling { rate_hz, ..Sampling::default() };
        let decode = || {
            for frame in media::video(media_file, sampling, pick)? {
                black_box(frame?);
                frames += 1;
            }
            Ok(())
        };
        streams.insert("video", timed(decode)?.1);
    }
    let registry = Registry::open(None)?;
    let (mut load_secs, mut models) = (0.0, BTreeMap::new());
    for (name, usage) in &asked {
        let (mut session, secs) = timed(|| Ok(Session::load(&registry, name, Runtime::default())?))?;
        load_secs += secs;
        let random = inputs(&registry, usage, name)?;
        let calls = || {
            for (shape, tensors) in usage.shapes.iter().zip(&random) {
                for _ in 0..shape.calls {
                    let given: Vec<(&str, Input<'_>)> = tensors.iter().map(|(n, t)| (n.as_str(), t.view())).collect();
                    black_box(session.run(&given)?);
                }
            }
            Ok(())
        };
        models.insert(name, timed(calls)?.1);
    }
    Ok(json!({ "decode_secs": streams, "frames": frames, "load_secs": load_secs, "model_secs": models }))
}

enum Tensor {
    F32(ArrayD<f32>),
    I64(ArrayD<i64>),
}

impl Tensor {
    fn view(&self) -> Input<'_> {
        match self {
            Tensor::F32(a) => Input::F32(a.view()),
            Tensor::I64(a) => Input::I64(a.view()),
        }
    }
}

/// Random tensors for each shape a model was called with.
fn inputs(registry: &Registry, usage: &Usage, name: &str) -> Outcome<Vec<Vec<(String, Tensor)>>> {
    let entry = registry.model(name)?;
    let mut random = Random::seeded(1);
    let mut next = move || random.unit() as f32;
    let mut tensor = |(input, dims): &(String, Vec<usize>)| {
        let whole = entry.inputs.iter().any(|s| s.name == *input && s.dtype == "i64");
        let made = match (whole, dims.is_empty()) {
            (true, _) => Tensor::I64(ArrayD::from_elem(IxDyn(dims), 16_000)), // a rate, the only whole number any model takes
            (false, true) => Tensor::F32(ArrayD::from_elem(IxDyn(dims), 100.0)), // a limit of the pitch
            (false, false) => Tensor::F32(ArrayD::from_shape_simple_fn(IxDyn(dims), &mut next)),
        };
        (input.clone(), made)
    };
    Ok(usage.shapes.iter().map(|s| s.inputs.iter().map(&mut tensor).collect()).collect())
}

fn voice(file: &Path) -> Outcome<Value> {
    let (audio, decode_secs) = timed(|| Ok(media::audio(file, audio::SAMPLE_RATE_HZ, StreamPick::default())?.buffer))?;
    let (_, analyse_secs) = timed(|| Ok(black_box(Extractor::new().analyse(audio.samples()))))?;
    // A short and a long window every 10 ms.
    let transforms = || {
        for (len, hop) in [(512, 160), (1024, 160)] {
            let mut dft = RealDft::new(len);
            let mut bins = vec![Complex32::default(); dft.bins()];
            let mut window = vec![0.0; len];
            for at in (0..audio.samples().len().saturating_sub(len)).step_by(hop) {
                window.copy_from_slice(&audio.samples()[at..at + len]);
                dft.transform(&mut window, &mut bins);
                black_box(&bins);
            }
        }
        Ok(())
    };
    let (_, transform_secs) = timed(transforms)?;
    let secs = audio.duration().get();
    Ok(
        json!({ "secs": secs, "decode_secs": decode_secs, "analyse_secs": analyse_secs, "transform_secs": transform_secs }),
    )
}

/// Reading included; the better of two times, as of the peer.
fn diarize(files: &[&str]) -> Outcome<Value> {
    let registry = Registry::open(None)?;
    let (mut models, load_secs) =
        timed(|| Ok(SpeakerModels::load(&registry, &SpeakerConfig::default(), Runtime::default())?))?;
    let mut clips = Vec::new();
    for file in files {
        let mut once = || {
            let sound = media::audio_spooled(Path::new(file), speaker::RATE_HZ, StreamPick::default())?.buffer;
            Ok(black_box(speaker::diarize(&sound, &mut models, &SpeakerConfig::default(), &SpeakerBounds::default())?))
        };
        let (first, second) = (timed(&mut once)?, timed(&mut once)?);
        clips.push(json!({ "secs": first.1.min(second.1), "speakers": first.0.voices.len() }));
    }
    Ok(json!({ "load_secs": load_secs, "clips": clips }))
}

fn landmarks(input: &Path, output: &Path) -> Outcome<Value> {
    let floats: Vec<f32> = std::fs::read(input)?.as_chunks::<4>().0.iter().map(|b| f32::from_le_bytes(*b)).collect();
    let image = ArrayD::from_shape_vec(IxDyn(&[1, 256, 256, 3]), floats)?
        .permuted_axes(IxDyn(&[0, 3, 1, 2]))
        .as_standard_layout()
        .into_owned();
    let registry = Registry::open(None)?;
    let mut session = Session::load(&registry, "face_landmarks", Runtime::default())?;
    let points = session.run(&[("image", Input::F32(image.view()))])?.swap_remove(0);
    let bytes: Vec<u8> = points.iter().flat_map(|x| x.to_le_bytes()).collect();
    std::fs::write(output, bytes)?;
    let (begun, mut each) = (Instant::now(), Vec::new());
    while begun.elapsed().as_secs_f64() < 3.0 {
        each.push(timed(|| Ok(black_box(session.run(&[("image", Input::F32(image.view()))])?)))?.1);
    }
    each.sort_by(f64::total_cmp);
    Ok(json!({ "calls": each.len(), "best_secs": each[0], "median_secs": each[each.len() / 2] }))
}

fn pitch(file: &Path) -> Outcome<Value> {
    let audio = media::audio(file, audio::SAMPLE_RATE_HZ, StreamPick::default())?.buffer;
    let mut models = VoiceModels::load(&Registry::open(None)?, &VoiceConfig::default(), Runtime::default())?;
    let found = audio::acoustics(&audio, &mut models, &VoiceConfig::default())?;
    let times: Vec<f64> = (0..found.len()).map(|i| audio::GRID.centre(i).get()).collect();
    // NaN becomes null.
    Ok(json!({ "time_secs": times, "pitch_hz": found.pitch_hz }))
}

fn faces(pictures: &[&str]) -> Outcome<Value> {
    let mut models = FaceModels::load(&Registry::open(None)?, &FaceConfig::default(), Runtime::default())?;
    let config = FaceConfig { landmarks: true, min_track_observations: 1, ..FaceConfig::default() };
    let mut all = serde_json::Map::new();
    for path in pictures {
        let mut tracker = FaceTracker::new(&mut models, &config);
        tracker.push(&VideoFrame { index: 0, pts: Seconds::ZERO, image: image::open(path)?.to_rgb8() })?;
        let faces = tracker.finish()?;
        let found = faces.observations.part(0..faces.observations.len())?;
        let told = found.iter().filter_map(|o| {
            let points: Vec<[f32; 2]> = o.landmarks.as_ref()?.iter().map(|p| [p[0], p[1]]).collect();
            let pose = o.pose.map(|p| [p.yaw_deg, p.pitch_deg, p.roll_deg]);
            Some(json!({ "landmarks": points, "blendshapes": o.blendshapes?.to_vec(), "pose": pose }))
        });
        all.insert((*path).to_owned(), Value::Array(told.collect()));
    }
    Ok(json!({ "names": turnwise::face::BLENDSHAPES.to_vec(), "pictures": all }))
}
