//! eGeMAPSv02, the standard voice features of affective computing, to openSMILE's numbers: 25 low-level descriptors
//! (LLD) every 10 ms and 88 functionals of a recording or a cut-out.
//!
//! The set is defined in Eyben et al., "The Geneva Minimalistic Acoustic Parameter Set", IEEE Transactions on Affective
//! Computing 7(2), 2016; parameters and formulas follow the public configuration `eGeMAPSv02` of openSMILE 3.0. The
//! code is our own.
//!
//! # Timing
//! LLD frame `i` starts at `0.01 i` seconds, as openSMILE tells it. The 20 ms descriptors look at [0.01 i, 0.01 i +
//! 0.02), those of pitch, jitter, shimmer and harmonics at [0.01 i, 0.01 i + 0.06). A signal of `n` whole 60 ms windows
//! gives `n + 1` frames, the last a repetition.
//!
//! # Where we differ from openSMILE on purpose
//! - Shorter than 60 ms: null with a reason, not NaN. Silent: null with a reason, not 0 and -201.
//! - What is not defined is null, not 0: descriptors of unvoiced frames ([`Lld::value`]), functionals of no frames,
//!   slopes of contours that do not rise or fall, runs in turns of fewer frames than a run has
//!   ([`Functionals::values`]).
//! - The means of the formants' levels are over voiced frames; openSMILE counts -201 dB for every unvoiced one, which
//!   makes them a measure of voicing.
//! - Runs of voiced frames are all counted; openSMILE stops at a thousand. Samples beyond full scale are full scale;
//!   its package wraps them around.
//!
//! openSMILE's own numbers stand beside: [`Lld::columns`], [`Functionals::opensmile`]. Peculiarities of its code that
//! its numbers depend on are kept in both, each told where it is: the signs of the predictor's coefficients, the frames
//! at the end of a signal, 16 bit samples.
//!
//! # Note: a cut-out is processed on its own
//! The functionals of a turn are not taken from the descriptors of the recording: pitch tracking and the periods' phase
//! depend on where the signal starts, and openSMILE's definition is the cut. It costs no more than the turn is long.

mod extremum;
mod formant;
mod functional;
#[cfg(test)]
mod golden;
mod harmonic;
mod names;
#[cfg(test)]
mod oracle;
mod parabola;
mod period;
mod pitch;
mod radix;
mod root;
mod smooth;
mod stream;
mod timbre;
mod track;

pub use stream::LldSeries;

pub use names::{Entry, FUNCTIONAL_COUNT, FUNCTIONALS, LLD_COUNT, LLDS};

use std::borrow::Cow;
use std::convert::Infallible;
use std::ops::Range;

use crate::audio::spectrum::{Complex, RealDft, gauss, hamming, magnitudes};
use crate::table::Missing;

use formant::FormantAnalyser;
use harmonic::{HarmonicAnalyser, HarmonicMeasures};
use period::PeriodFollower;
use pitch::PitchAnalyser;
use radix::{FixedDft, Spectrum};
use timbre::TimbreAnalyser;
use track::PitchTracker;

/// The rate all of this is defined at; openSMILE's numbers shift with the rate, so signals are resampled first.
pub const RATE_HZ: u32 = 16_000;

const STEP: usize = 160;
const SHORT_WINDOW: usize = 320;
const LONG_WINDOW: usize = 960;
const LONG_DFT: usize = 1024;
/// Zeros before the short window in its transform.
const SHORT_PADDING: usize = (radix::LEN - SHORT_WINDOW) / 2;
/// A long frame of lower root mean square, windowed, is unvoiced.
const QUIETEST_VOICE: f32 = 0.001;
/// Spectra kept until their pitch is decided.
const RING: usize = track::LAG + 1;

/// Places of the descriptors.
mod column {
    pub(super) const LOUDNESS: usize = 0;
    pub(super) const ALPHA: usize = 1;
    pub(super) const HAMMARBERG: usize = 2;
    pub(super) const SLOPE: usize = 3;
    pub(super) const FLUX: usize = 5;
    pub(super) const MFCC: usize = 6;
    /// The first of those of the long window.
    pub(super) const PITCH: usize = 10;
    pub(super) const JITTER: usize = 11;
    pub(super) const SHIMMER: usize = 12;
    pub(super) const HNR: usize = 13;
    pub(super) const H1_H2: usize = 14;
    pub(super) const H1_A3: usize = 15;
    /// Frequency, bandwidth and level of the first formant; the others follow.
    pub(super) const FORMANT: usize = 16;
    pub(super) const LAST: usize = 24;

    /// True for frequencies and bandwidths of formants.
    pub(super) fn is_formant(c: usize) -> bool {
        c >= FORMANT && (c - FORMANT) % 3 != 2
    }

    /// True for levels of formants.
    pub(super) fn is_formant_level(c: usize) -> bool {
        c >= FORMANT && (c - FORMANT) % 3 == 2
    }
}

/// The 25 descriptors of a signal, one column each, 100 frames per second.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Lld {
    /// In the order of [`LLDS`], all of one length. Unvoiced frames hold openSMILE's values: 0 for the `nz` ones, -201
    /// for the formant levels; see [`Lld::voiced`].
    #[serde(with = "crate::packed")]
    pub columns: [Vec<f32>; LLD_COUNT],
}

impl Lld {
    /// Number of frames.
    pub fn frames(&self) -> usize {
        self.columns[0].len()
    }

    /// Start of frame `i` in seconds from the signal's start, openSMILE's `start`; the frame's own 20 ms end 0.02 s
    /// later.
    pub fn start_secs(i: usize) -> f64 {
        i as f64 / 100.0
    }

    /// Descriptor `c` of frame `i` as the tables tell it: `None` where it is not defined, that is where an unvoiced
    /// frame has no pitch, jitter, shimmer or harmonics, and where no such formant was found.
    pub fn value(&self, c: usize, i: usize) -> Option<f32> {
        let value = self.columns[c][i];
        let defined = if column::is_formant(c) { value != 0.0 } else { c < column::PITCH || self.voiced(i) };
        defined.then_some(value)
    }

    /// True where the frame has a pitch.
    pub fn voiced(&self, i: usize) -> bool {
        self.columns[column::PITCH][i] > 0.0
    }
}

/// The 88 functionals of a signal processed on its own, in the order of [`FUNCTIONALS`].
#[derive(Clone, Debug, PartialEq)]
pub struct Functionals {
    /// What the tables tell: `None` where a functional is not defined (openSMILE: 0), and the levels of formants
    /// without the -201 dB that openSMILE counts in their means for every unvoiced frame.
    pub values: [Option<f64>; FUNCTIONAL_COUNT],
    /// openSMILE's own numbers, for comparison; `None` (openSMILE: NaN) when the signal is shorter than 60 ms.
    pub opensmile: [Option<f64>; FUNCTIONAL_COUNT],
    /// Why `values` are missing: all of them when too short or silent, those of voiced frames when unvoiced.
    pub missing: Option<Missing>,
}

/// The descriptors before smoothing. The columns of the short window are a little longer than those of the long one.
#[derive(Debug, Default)]
struct Contours {
    columns: [Vec<f32>; LLD_COUNT],
    /// Frames that were taken off the front of each column.
    first: usize,
    /// Sum over the short frames of their mean square.
    energy: f64,
    /// Long frames whose pitch was decided before the signal's end was known.
    decided: usize,
    /// Mean over the short frames of their mean square.
    mean_energy: f64,
}

/// Analyses signals; holds the transforms and tables, so keep one for many turns (one per thread).
#[derive(Debug)]
pub struct Extractor {
    short_window: Vec<f32>,
    short_dft: FixedDft,
    short_spectrum: Spectrum,
    long_window: Vec<f32>,
    long_dft: RealDft,
    samples: Vec<f32>,
    bins: Vec<Complex>,
    timbre: TimbreAnalyser,
    formant: FormantAnalyser,
    pitch: PitchAnalyser,
    tracker: PitchTracker,
    period: PeriodFollower,
    harmonic: HarmonicAnalyser,
    /// Magnitude spectra of the long frames whose pitch is not yet decided, frame `i` at `i % RING`.
    spectra: Vec<f32>,
    /// Whether those frames are loud enough for a voice.
    loud: [bool; RING],
}

impl Default for Extractor {
    fn default() -> Self {
        Self::new()
    }
}

impl Extractor {
    /// Plans the transforms.
    pub fn new() -> Self {
        Extractor {
            short_window: hamming(SHORT_WINDOW),
            short_dft: FixedDft::new(),
            short_spectrum: Spectrum::default(),
            long_window: gauss(LONG_WINDOW, 0.4),
            long_dft: RealDft::new(LONG_DFT),
            samples: vec![0.0; LONG_DFT],
            bins: vec![Complex::default(); pitch::BINS],
            timbre: TimbreAnalyser::new(),
            formant: FormantAnalyser::new(),
            pitch: PitchAnalyser::new(),
            tracker: PitchTracker::new(),
            period: PeriodFollower::default(),
            harmonic: HarmonicAnalyser::new(),
            spectra: vec![0.0; RING * pitch::BINS],
            loud: [false; RING],
        }
    }

    /// The descriptors of a 16 kHz mono signal; memory beyond the result is bounded.
    pub fn lld(&mut self, samples: &[f32]) -> Lld {
        smoothed(self.contours(samples), [None; LLD_COUNT])
    }

    /// The functionals of a 16 kHz mono signal, a whole recording or one turn cut out, exactly as openSMILE does for a
    /// segment.
    pub fn functionals(&mut self, samples: &[f32]) -> Functionals {
        described(samples, &self.contours(samples))
    }

    /// Both in one pass.
    pub fn analyse(&mut self, samples: &[f32]) -> (Lld, Functionals) {
        let contours = self.contours(samples);
        let functionals = described(samples, &contours);
        (smoothed(contours, [None; LLD_COUNT]), functionals)
    }

    fn contours(&mut self, signal: &[f32]) -> Contours {
        let (short, long) = frames(signal.len());
        let mut out = Contours::default();
        if long == 0 {
            return out;
        }
        for (c, column) in out.columns.iter_mut().enumerate() {
            // One more for the frame that smoothing adds.
            column.reserve_exact(if c < column::PITCH || column::is_formant(c) { short } else { long } + 1);
        }
        self.restart();
        self.block((0, signal), 0..short, long, &mut out);
        self.conclude((0, signal), (short, long), &mut out);
        out
    }

    /// Forgets the signal before.
    fn restart(&mut self) {
        self.timbre.restart();
        self.tracker.restart();
        self.period.restart();
    }

    /// Adds the next short frames of a signal that has `long` long ones. Of the signal that part is given which begins
    /// at a sample: before the frames, and before what the periods are still to be followed in.
    fn block(&mut self, part: (usize, &[f32]), frames: Range<usize>, long: usize, out: &mut Contours) {
        let (first, signal) = part;
        for i in frames {
            crate::pulse::beat();
            let at = i * STEP - first;
            out.energy += self.short_frame(&signal[at..at + SHORT_WINDOW], out);
            if i < long {
                self.long_frame(i, &signal[at..at + LONG_WINDOW]);
                self.take_decided(part, out);
            }
        }
    }

    /// Ends a signal of so many short and long frames.
    fn conclude(&mut self, part: (usize, &[f32]), (short, long): (usize, usize), out: &mut Contours) {
        out.decided = out.first + out.columns[column::PITCH].len();
        self.tracker.finish();
        self.take_decided(part, out);
        for c in 0..LLD_COUNT {
            if column::is_formant(c) {
                out.columns[c].truncate(long - out.first);
            }
        }
        out.mean_energy = f64::from((out.energy / short as f64) as f32);
    }

    /// Adds the descriptors of the short window; gives its mean square.
    fn short_frame(&mut self, frame: &[f32], out: &mut Contours) -> f64 {
        let mut padded = [0.0; radix::LEN];
        for ((p, x), w) in padded[SHORT_PADDING..].iter_mut().zip(frame).zip(&self.short_window) {
            *p = heard(*x) * w;
        }
        self.short_dft.transform(&padded, &mut self.short_spectrum);
        for (c, v) in self.timbre.describe(&self.short_spectrum.magnitudes()).into_iter().enumerate() {
            out.columns[c].push(v);
        }
        for (i, (hz, bandwidth)) in self.formant.formants(&self.short_spectrum).into_iter().enumerate() {
            out.columns[column::FORMANT + 3 * i].push(hz);
            out.columns[column::FORMANT + 3 * i + 1].push(bandwidth);
        }
        for (h, x) in padded.iter_mut().zip(frame) {
            *h = heard(*x);
        }
        f64::from(mean_square(&padded[..SHORT_WINDOW]))
    }

    /// Finds the pitch candidates of long frame `i` and keeps its spectrum.
    fn long_frame(&mut self, i: usize, frame: &[f32]) {
        let (windowed, padding) = self.samples.split_at_mut(LONG_WINDOW);
        padding.fill(0.0);
        for ((p, x), w) in windowed.iter_mut().zip(frame).zip(&self.long_window) {
            *p = heard(*x) * w;
        }
        self.loud[i % RING] = mean_square(windowed).sqrt() > QUIETEST_VOICE;
        self.long_dft.transform(&mut self.samples, &mut self.bins);
        let spectrum = &mut self.spectra[i % RING * pitch::BINS..][..pitch::BINS];
        magnitudes(&self.bins, spectrum);
        self.tracker.push(&self.pitch.candidates(spectrum));
    }

    /// Describes the long frames whose pitch has been decided.
    fn take_decided(&mut self, part: (usize, &[f32]), out: &mut Contours) {
        while let Some(hz) = self.tracker.next() {
            let own = out.columns[column::PITCH].len();
            let i = out.first + own;
            let hz = if self.loud[i % RING] { hz } else { 0.0 };
            let (jitter, shimmer) = self.period.follow(part, hz);
            let harmonics = if hz > 0.0 {
                let spectrum = &self.spectra[i % RING * pitch::BINS..][..pitch::BINS];
                let formants = [0, 1, 2].map(|f| out.columns[column::FORMANT + 3 * f][own]);
                self.harmonic.measure(spectrum, hz, formants)
            } else {
                HarmonicMeasures::UNVOICED
            };
            let values = [
                (column::PITCH, semitones(hz)),
                (column::JITTER, jitter),
                (column::SHIMMER, shimmer),
                (column::HNR, harmonics.hnr_db),
                (column::H1_H2, harmonics.h1_h2_db),
                (column::H1_A3, harmonics.h1_a3_db),
                (column::FORMANT + 2, harmonics.formant_levels_db[0]),
                (column::FORMANT + 5, harmonics.formant_levels_db[1]),
                (column::FORMANT + 8, harmonics.formant_levels_db[2]),
            ];
            for (c, v) in values {
                out.columns[c].push(v);
            }
        }
    }
}

/// A sample as openSMILE sees it: an integer of 16 bits, cut towards zero, over 32767. Louder than full scale is full
/// scale (where openSMILE's package lets it wrap around).
fn heard(sample: f32) -> f32 {
    (sample * 32_768.0).clamp(-32_768.0, 32_767.0) as i32 as f32 / 32_767.0
}

/// Mean of the squares, in eight lanes so that the compiler can use vectors.
fn mean_square(x: &[f32]) -> f32 {
    let mut lanes = [0.0f64; 8];
    for chunk in x.chunks(8) {
        for (lane, &v) in lanes.iter_mut().zip(chunk) {
            *lane += f64::from(v * v);
        }
    }
    (lanes.iter().sum::<f64>() / x.len() as f64) as f32
}

/// Semitones above 27.5 Hz, at least 1 for a voice; 0 for none.
fn semitones(hz: f32) -> f32 {
    if hz > 29.136 {
        (12.0 * (f64::from(hz) / 27.5).log2()) as f32
    } else if hz > 0.0 {
        1.0
    } else {
        0.0
    }
}

/// Numbers of short and of long frames of so many samples.
fn frames(samples: usize) -> (usize, usize) {
    let count = |window: usize| if samples < window { 0 } else { (samples - window) / STEP + 1 };
    (count(SHORT_WINDOW), count(LONG_WINDOW))
}

/// How a column is smoothed.
fn smoothing(c: usize) -> smooth::Kind {
    if c < column::PITCH { smooth::Kind::All } else { smooth::Kind::Nonzero }
}

/// `before` has the frame before the first of each column, where some were taken off.
fn smoothed(mut contours: Contours, before: [Option<f32>; LLD_COUNT]) -> Lld {
    // openSMILE smooths the last frame decided before the signal's end, and those after, without a look at the next,
    // and gives the frame after that last one its raw value.
    let last = contours.decided.checked_sub(1 + contours.first);
    for (c, (contour, before)) in contours.columns.iter_mut().zip(before).enumerate() {
        if c < column::PITCH {
            smooth::end(smoothing(c), before, usize::MAX, contour);
        } else {
            let repeated = last.and_then(|i| contour.get(i).copied());
            smooth::end(smoothing(c), before, last.unwrap_or(usize::MAX), contour);
            if let Some((frame, raw)) = contour.get_mut(contours.decided - contours.first).zip(repeated) {
                *frame = raw;
            }
        }
    }
    let frames = contours.columns[column::PITCH].len();
    for contour in &mut contours.columns {
        contour.truncate(frames);
    }
    Lld { columns: contours.columns }
}

fn described(samples: &[f32], contours: &Contours) -> Functionals {
    if samples.len() < LONG_WINDOW {
        return functional::undefined();
    }
    let column = |c: usize| Ok::<_, Infallible>(Cow::from(contours.columns[c].as_slice()));
    let Ok(functionals) = functional::functionals(contours.extent(), column);
    functionals
}

impl Contours {
    fn extent(&self) -> functional::Extent {
        functional::Extent { decided: self.decided, mean_energy: self.mean_energy }
    }
}
