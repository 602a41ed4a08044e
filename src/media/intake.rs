//! Intake: pieces as they come out of a decoder, to mono and to their place.

use super::cancel::Mixer;
use super::downmix::AudioPiece;
use super::notes::{Note, NoteKind};
use super::placing::{Placed, Placing};
use crate::error::Result;

/// Containers whose time stamps are counted in samples of the first rate: after a change of rate they are wrong.
const COUNTED: [&str; 11] = ["aac", "ac3", "aiff", "amr", "dts", "eac3", "flac", "loas", "mp3", "ogg", "wav"];

/// Takes one stream's pieces.
pub(super) struct Intake {
    mixer: Mixer,
    pub(super) placing: Placing,
    /// Rate and channels of the first piece.
    pub(super) first: Option<(u32, u32)>,
    last: Option<(u32, u32)>,
    counted: bool,
    rate_changed: bool,
    /// The one channel that is heard.
    channel: Option<usize>,
}

impl Intake {
    /// For a stream of a `container` (FFmpeg's name).
    pub(super) fn new(placing: Placing, container: &str) -> Self {
        let counted = container.split(',').any(|name| COUNTED.contains(&name));
        Intake { mixer: Mixer::new(), placing, first: None, last: None, counted, rate_changed: false, channel: None }
    }

    /// The same for one channel alone, counted from 0; where it is missing there is silence.
    pub(super) fn only(self, channel: Option<usize>) -> Self {
        Intake { channel, ..self }
    }

    /// Takes the next piece.
    pub(super) fn take(&mut self, mut piece: AudioPiece) -> Result<()> {
        if piece.mean.is_empty() {
            return Ok(());
        }
        let format = (piece.rate_hz, u32::try_from(piece.channels.len().max(1)).unwrap_or(u32::MAX));
        self.first.get_or_insert(format);
        if let Some(from) = self.last.replace(format).filter(|&from| from != format) {
            self.rate_changed |= from.0 != format.0;
            piece.notes.push(Note { from: 0, to: 1, count: 0, kind: NoteKind::FormatChange { from, to: format } });
        }
        if self.counted && self.rate_changed {
            piece.secs = None;
        }
        if let Some(channel) = self.channel.filter(|_| !piece.channels.is_empty()) {
            let count = piece.mean.len();
            piece.mean = piece.channels.get_mut(channel).map_or_else(|| vec![0.0; count], std::mem::take);
            piece.channels.clear();
        }
        self.mixer.push(piece);
        self.hand_on()
    }

    /// True where the container's own times count samples of another rate than some of the sound has.
    pub(super) fn miscounts(&self) -> bool {
        self.counted && self.rate_changed
    }

    /// Flushes.
    pub(super) fn finish(mut self) -> Result<Placed> {
        self.mixer.flush();
        self.hand_on()?;
        self.placing.finish()
    }

    fn hand_on(&mut self) -> Result<()> {
        while let Some(mono) = self.mixer.pop() {
            self.placing.take(mono)?;
        }
        Ok(())
    }
}
