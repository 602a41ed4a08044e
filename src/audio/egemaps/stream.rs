//! Recordings of any length, described block by block: what is held at once is a block of the sound and of the
//! descriptors, whose values are those of the whole signal to the last bit.

use std::borrow::Cow;
use std::ops::Range;

use serde::de::{Error as _, SeqAccess, Visitor};
use serde::ser::{Error as _, SerializeSeq};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{
    Contours, Extractor, Functionals, LLD_COUNT, LONG_WINDOW, Lld, STEP, column, frames, functional, smooth, smoothed,
    smoothing,
};
use crate::error::{Error, Result};
use crate::scratch::Scratch;
use crate::signal::Sound;

/// Frames a block: 41 s.
const BLOCK: usize = 1 << 12;

impl Extractor {
    /// The descriptors of a recording at 16 kHz.
    ///
    /// # Errors
    /// What [`Sound::piece`] says, and [`Error::Write`] where the temporary folder has no room.
    pub fn lld_series(&mut self, sound: &impl Sound) -> Result<LldSeries> {
        let mut series = LldSeries::default();
        let mut before = [None; LLD_COUNT];
        let rest = self.blocks(sound, |contours| {
            // The last one decided waits for the next, by which it is smoothed.
            let count = contours.columns[column::PITCH].len().saturating_sub(1);
            let mut done = Lld::default();
            for (c, contour) in contours.columns.iter_mut().enumerate() {
                done.columns[c] = smooth::front(smoothing(c), &mut before[c], count, contour);
            }
            contours.first += count;
            series.append(done)
        })?;
        series.append(smoothed(rest, before))?;
        Ok(series)
    }

    /// The functionals of a recording at 16 kHz.
    ///
    /// # Errors
    /// As [`Extractor::lld_series`].
    pub fn functionals_of(&mut self, sound: &impl Sound) -> Result<Functionals> {
        if sound.count() < LONG_WINDOW {
            return Ok(functional::undefined());
        }
        let mut aside = Scratch::default();
        let mut blocks: Vec<usize> = Vec::new();
        let rest = self.blocks(sound, |contours| {
            let count = contours.columns[column::PITCH].len();
            for contour in &mut contours.columns {
                aside.append_floats(contour.drain(..count))?;
            }
            contours.first += count;
            blocks.push(count);
            Ok(())
        })?;
        functional::functionals(rest.extent(), |c| {
            let mut whole = Vec::with_capacity(rest.first + rest.columns[c].len());
            let mut begin = 0;
            for count in &blocks {
                whole.extend(aside.floats(begin + c * count..begin + (c + 1) * count)?);
                begin += LLD_COUNT * count;
            }
            whole.extend_from_slice(&rest.columns[c]);
            Ok::<_, Error>(Cow::from(whole))
        })
    }

    /// Shows the contours after each block but the last to `take`, which may take frames off their front, as many of
    /// each as have a pitch; gives what is left of them at the end.
    fn blocks(&mut self, sound: &impl Sound, mut take: impl FnMut(&mut Contours) -> Result<()>) -> Result<Contours> {
        let (short, long) = frames(sound.count());
        let mut out = Contours::default();
        if long == 0 {
            return Ok(out);
        }
        self.restart();
        for begin in (0..short).step_by(BLOCK) {
            let end = short.min(begin + BLOCK);
            let from = self.period.needs_from().min(begin * STEP);
            let piece = sound.piece(from..(end - 1) * STEP + LONG_WINDOW)?;
            self.block((from, &piece), begin..end, long, &mut out);
            if end == short {
                self.conclude((from, &piece), (short, long), &mut out);
            } else {
                take(&mut out)?;
            }
        }
        Ok(out)
    }
}

/// The descriptors of a recording of any length: those of more than some minutes lie in a temporary file.
#[derive(Debug, Default)]
pub struct LldSeries {
    /// Whole blocks, column by column.
    blocks: Scratch,
    /// Frames in them.
    put_aside: usize,
    /// Those behind them.
    rest: Lld,
}

impl LldSeries {
    /// Number of frames.
    pub fn frames(&self) -> usize {
        self.put_aside + self.rest.frames()
    }

    /// Adds frames behind those there are.
    ///
    /// # Errors
    /// [`Error::Write`] where the temporary folder has no room.
    pub fn append(&mut self, more: Lld) -> Result<()> {
        for (column, more) in self.rest.columns.iter_mut().zip(more.columns) {
            column.extend(more);
        }
        while self.rest.frames() >= BLOCK {
            for column in &mut self.rest.columns {
                self.blocks.append_floats(column.drain(..BLOCK))?;
            }
            self.put_aside += BLOCK;
        }
        Ok(())
    }

    /// The frames of `range`, cut to what there is.
    ///
    /// # Errors
    /// [`Error::Read`] where they cannot be read back.
    pub fn part(&self, range: Range<usize>) -> Result<Lld> {
        let end = range.end.min(self.frames());
        let mut part = Lld::default();
        let mut at = range.start.min(end);
        while at < end.min(self.put_aside) {
            let (block, from) = (at / BLOCK, at % BLOCK);
            let to = BLOCK.min(from + end - at);
            for (c, column) in part.columns.iter_mut().enumerate() {
                let begin = (block * LLD_COUNT + c) * BLOCK;
                column.extend(self.blocks.floats(begin + from..begin + to)?);
            }
            at += to - from;
        }
        if at < end {
            let own = at - self.put_aside..end - self.put_aside;
            for (column, rest) in part.columns.iter_mut().zip(&self.rest.columns) {
                column.extend_from_slice(&rest[own.clone()]);
            }
        }
        Ok(part)
    }
}

/// Block by block, as [`Lld`] is written.
impl Serialize for LldSeries {
    fn serialize<S: Serializer>(&self, to: S) -> std::result::Result<S::Ok, S::Error> {
        let count = self.frames().div_ceil(BLOCK);
        let mut blocks = to.serialize_seq(Some(count))?;
        for block in 0..count {
            let part = self.part(block * BLOCK..(block + 1) * BLOCK).map_err(S::Error::custom)?;
            blocks.serialize_element(&part)?;
        }
        blocks.end()
    }
}

impl<'de> Deserialize<'de> for LldSeries {
    fn deserialize<D: Deserializer<'de>>(from: D) -> std::result::Result<Self, D::Error> {
        from.deserialize_seq(Blocks)
    }
}

struct Blocks;

impl<'de> Visitor<'de> for Blocks {
    type Value = LldSeries;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("blocks of descriptors")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut blocks: A) -> std::result::Result<LldSeries, A::Error> {
        let mut series = LldSeries::default();
        while let Some(block) = blocks.next_element::<Lld>()? {
            if block.columns.iter().any(|c| c.len() != block.frames()) {
                return Err(A::Error::custom("descriptors of unequal length"));
            }
            series.append(block).map_err(A::Error::custom)?;
        }
        Ok(series)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use crate::signal::AudioBuffer;

    /// A voice that comes and goes, with noise, of so many samples.
    fn voice(samples: usize) -> Vec<f32> {
        let mut random = Random::seeded(5);
        let mut phase = 0.0f64;
        (0..samples)
            .map(|i| {
                let secs = i as f64 / 16_000.0;
                phase += (140.0 + 40.0 * (secs * 1.7).sin()) / 16_000.0;
                let pulses: f64 = (1..12).map(|h| (std::f64::consts::TAU * f64::from(h) * phase).sin()).sum();
                let loud = if (secs * 0.8).sin() > -0.3 { 0.02 } else { 0.0 };
                (loud * pulses + 0.003 * random.signed()) as f32
            })
            .collect()
    }

    fn bits(lld: &Lld) -> Vec<Vec<u32>> {
        lld.columns.iter().map(|c| c.iter().map(|x| x.to_bits()).collect()).collect()
    }

    #[test]
    fn blocks_of_a_recording_give_what_the_whole_does_to_the_last_bit() {
        let mut e = Extractor::new();
        // None, a part of a block, a block to the frame and beside it, several.
        let long = |frames: usize| (frames - 1) * STEP + LONG_WINDOW;
        for samples in [0, 100, 959, 960, 20_000, long(BLOCK) - 1, long(BLOCK), long(BLOCK + 3), 2 * long(BLOCK) + 4321]
        {
            let signal = voice(samples);
            let sound = AudioBuffer::new(signal.clone(), 16_000);
            let series = e.lld_series(&sound).unwrap();
            let (lld, functionals) = e.analyse(&signal);
            assert_eq!(series.frames(), lld.frames(), "{samples}");
            assert!(bits(&series.part(0..usize::MAX).unwrap()) == bits(&lld), "{samples}");
            assert_eq!(e.functionals_of(&sound).unwrap(), functionals, "{samples}");
        }
    }

    #[test]
    fn any_part_of_a_series_is_read_and_all_of_it_kept() {
        let mut series = LldSeries::default();
        let frame = |i: usize, c: usize| (i * 100 + c) as f32;
        for part in [0..10, 10..BLOCK, BLOCK..BLOCK, BLOCK..3 * BLOCK + 7] {
            let columns = std::array::from_fn(|c| part.clone().map(|i| frame(i, c)).collect());
            series.append(Lld { columns }).unwrap();
        }
        let packed = rmp_serde::to_vec(&series).unwrap();
        let back: LldSeries = rmp_serde::from_slice(&packed).unwrap();
        for series in [series, back] {
            assert_eq!(series.frames(), 3 * BLOCK + 7);
            for range in [0..1, 5..BLOCK + 5, 2 * BLOCK..3 * BLOCK, BLOCK - 1..3 * BLOCK + 7, 3 * BLOCK + 2..9 * BLOCK]
            {
                let part = series.part(range.clone()).unwrap();
                for c in [0, LLD_COUNT - 1] {
                    let expected: Vec<f32> =
                        range.clone().take_while(|i| *i < 3 * BLOCK + 7).map(|i| frame(i, c)).collect();
                    assert_eq!(part.columns[c], expected, "{range:?}");
                }
            }
            assert_eq!(series.part(4 * BLOCK..5 * BLOCK).unwrap().frames(), 0);
        }
    }
}
