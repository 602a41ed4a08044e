//! Plain WAV through hound: the same samples as FFmpeg's, read straight from the file.

use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use hound::{SampleFormat, WavReader};

use super::declared;
use super::downmix::AudioPiece;
use super::intake::Intake;
use super::probe::{Probe, StreamInfo};
use crate::error::{Error, Result};

/// Instants read at once.
const PIECE: usize = 1 << 16;

/// A WAV file whose header tells the truth about itself.
pub(super) struct PlainWav {
    path: PathBuf,
    reader: WavReader<BufReader<File>>,
}

impl PlainWav {
    /// `None` where the file is not plain integer or float WAV, or its data size is 0, 0xFFFFFFFF (written to a pipe)
    /// or beyond the file's end: FFmpeg reads those to the end.
    pub(super) fn open(path: &Path, probe: &Probe, stream: &StreamInfo) -> Result<Option<Self>> {
        let plain = matches!(stream.codec.as_str(), "pcm_u8" | "pcm_s16le" | "pcm_s24le" | "pcm_s32le" | "pcm_f32le");
        if probe.container != "wav" || !plain || probe.origin.get().abs() > 0.0 {
            return Ok(None);
        }
        let file_bytes =
            std::fs::metadata(path).map_err(|source| Error::Read { path: path.to_path_buf(), source })?.len();
        let Ok(reader) = WavReader::open(path) else { return Ok(None) };
        let spec = reader.spec();
        let (rate_hz, channels) = stream.sound();
        // Samples that do not fill their bytes are left to FFmpeg, which has a codec for the bytes.
        let filled = matches!(
            (stream.codec.as_str(), spec.bits_per_sample),
            ("pcm_u8", 8) | ("pcm_s16le", 16) | ("pcm_s24le", 24)
        ) || matches!((stream.codec.as_str(), spec.bits_per_sample), ("pcm_s32le" | "pcm_f32le", 32));
        let agrees = spec.sample_rate == rate_hz && u32::from(spec.channels) == channels && filled;
        let data_bytes = u64::from(reader.len()) * u64::from(spec.bits_per_sample / 8);
        let honest = declared::is_whole_wav(path)
            && data_bytes > 0
            && data_bytes < file_bytes
            && data_bytes + 8 < u64::from(u32::MAX);
        Ok((agrees && honest).then(|| PlainWav { path: path.to_path_buf(), reader }))
    }

    /// Reads everything into `intake`.
    pub(super) fn read_into(mut self, intake: &mut Intake) -> Result<()> {
        let spec = self.reader.spec();
        // As in FFmpeg, full scale is the most negative integer.
        let scale = f64::from(2_u32.pow(u32::from(spec.bits_per_sample.clamp(1, 32)) - 1));
        match spec.sample_format {
            SampleFormat::Int => {
                let samples = self.reader.samples::<i32>().map(|s| s.map(|s| f64::from(s) / scale));
                mix(samples, spec, intake)
            }
            SampleFormat::Float => mix(self.reader.samples::<f32>().map(|s| s.map(f64::from)), spec, intake),
        }
        .map_err(|e| match e {
            Failure::Read(e) => Error::media(self.path, e),
            Failure::Placing(e) => e,
        })
    }
}

enum Failure {
    Read(hound::Error),
    Placing(Error),
}

fn mix(
    samples: impl Iterator<Item = hound::Result<f64>>,
    spec: hound::WavSpec,
    intake: &mut Intake,
) -> std::result::Result<(), Failure> {
    let channels = usize::from(spec.channels).max(1);
    let mut instant = Vec::with_capacity(channels);
    let empty = || AudioPiece::new(None, spec.sample_rate, channels, PIECE);
    let mut piece = empty();
    for sample in samples {
        instant.push(sample.map_err(Failure::Read)?);
        if instant.len() == channels {
            piece.push(instant.drain(..));
            if piece.mean.len() == PIECE {
                intake.take(std::mem::replace(&mut piece, empty())).map_err(Failure::Placing)?;
                crate::pulse::beat();
            }
        }
    }
    intake.take(piece).map_err(Failure::Placing)
}
