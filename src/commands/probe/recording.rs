//! What a recording holds.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Result;
use serde_json::json;
use turnwise::audio::SAMPLE_RATE_HZ;
use turnwise::error::Error;
use turnwise::media::{self, AudioReport, Probe, StreamInfo, StreamPick, VideoReport};
use turnwise::recipe::InputConfig;
use turnwise::text::clean;
use turnwise::warning::Warning;

use super::{Row, Told, secs};

/// So much is decoded without being asked: it takes a moment.
const SHORT_SECS: f64 = 60.0;

/// Pictures are decoded to be counted; one in so many seconds is also converted.
const LOOK_SECS: f64 = 1000.0;

pub(super) fn told(path: &Path, input: &InputConfig, decode: bool) -> Result<Told> {
    let pick = StreamPick { audio: input.audio_stream.index(), video: input.video_stream.index(), mix: input.mix() };
    let probe = media::probe(path, pick)?;
    if probe.audio.is_none() && probe.video.is_none() {
        // What extract says of it.
        media::audio(path, SAMPLE_RATE_HZ, pick)?;
    }
    let mut warnings = probe.warnings.clone();
    let decode = decode || probe.declared_secs.is_some_and(|s| s <= SHORT_SECS);
    let cues = if decode { media::subtitle_counts(path)? } else { BTreeMap::new() };
    let (mut audio, mut video) = (None, None);
    if decode && probe.audio.is_some() {
        let decoded = media::audio_spooled(path, SAMPLE_RATE_HZ, pick)?;
        warnings.extend(decoded.warnings);
        audio = Some(decoded.report);
    }
    if decode && probe.video.is_some() {
        let report = media::each_frame(path, pick, 1.0 / LOOK_SECS, |_| Ok::<(), Error>(()))?;
        warnings.extend(report.warnings.iter().cloned());
        video = Some(report);
    }
    let mut lines: Vec<String> = Vec::new();
    for line in warnings.iter().map(Warning::to_string) {
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    let streams: Vec<Row> = probe
        .streams
        .iter()
        .map(|s| {
            let mut row = stream(&probe, s, audio.as_ref(), video.as_ref());
            row.push(("cues", json!(cues.get(&s.index))));
            row
        })
        .collect();
    let plain = vec![
        ("kind", json!("recording")),
        ("file", json!(clean(&path.file_name().unwrap_or_default().to_string_lossy()))),
        ("container", json!(probe.container)),
        ("origin_secs", secs(probe.origin.get())),
        ("declared_secs", secs(probe.declared_secs)),
        ("decoded", json!(decode)),
        ("decoded_secs", secs(ends(audio.as_ref(), video.as_ref()))),
        ("audio_stream", json!(probe.audio)),
        ("video_stream", json!(probe.video)),
        ("video_after_audio_secs", secs(apart(&probe))),
    ];
    Ok(Told { plain, parts: ("streams", streams), warnings: lines })
}

/// The later end of both.
fn ends(audio: Option<&AudioReport>, video: Option<&VideoReport>) -> Option<f64> {
    let video = video.and_then(|v| v.end).map(|t| t.get());
    audio.map(|a| a.end_secs).into_iter().chain(video).reduce(f64::max)
}

/// How much later the chosen picture begins than the chosen sound, as declared.
fn apart(probe: &Probe) -> Option<f64> {
    let start = |index: Option<usize>| probe.stream(index?)?.start_secs;
    Some(start(probe.video)? - start(probe.audio)?)
}

fn stream(probe: &Probe, s: &StreamInfo, audio: Option<&AudioReport>, video: Option<&VideoReport>) -> Row {
    let own_audio = audio.filter(|a| a.stream_index == s.index);
    let own_video = video.filter(|v| v.stream_index == s.index);
    let video_info = s.video.as_ref();
    let declared_rate =
        s.audio.as_ref().map(|a| f64::from(a.rate_hz)).or_else(|| video_info.and_then(|v| v.avg_rate_hz));
    let measured = own_video.and_then(|v| v.avg_rate_hz).or_else(|| own_audio.map(|a| f64::from(a.rate_hz)));
    let decoded = own_video.and_then(|v| Some(v.end?.get() - v.first_pts?.get()));
    vec![
        ("index", json!(s.index)),
        ("kind", json!(s.kind.name())),
        ("codec", json!(s.codec)),
        ("language", json!(s.language.as_deref().map(clean))),
        ("used", json!(probe.audio == Some(s.index) || probe.video == Some(s.index))),
        ("decodable", json!(s.decodable)),
        ("start_secs", secs(s.start_secs.map(|t| t - probe.origin.get()))),
        ("declared_secs", secs(s.declared_secs)),
        ("decoded_secs", secs(own_audio.map(|a| a.decoded_secs).or(decoded))),
        ("declared_rate_hz", secs(declared_rate)),
        ("measured_rate_hz", secs(measured)),
        ("variable_rate", json!(own_video.map(|v| v.vfr))),
        ("declared_frames", json!(s.declared_frames)),
        ("decoded_frames", json!(own_video.map(|v| v.frames_decoded))),
        ("channels", json!(s.audio.as_ref().map(|a| a.channels))),
        ("width_px", json!(video_info.map(|v| v.width))),
        ("height_px", json!(video_info.map(|v| v.height))),
        ("pixel_aspect", json!(video_info.map(|v| v.sar))),
        ("rotation_deg", json!(video_info.map(|v| v.orientation.rotation_deg))),
        ("mirrored", json!(video_info.map(|v| v.orientation.mirrored))),
        ("interlaced", json!(video_info.map(|v| v.interlaced))),
        ("cover_art", json!(s.attached_picture)),
    ]
}
