//! The names of eGeMAPSv02's 25 low-level descriptors and 88 functionals, as openSMILE writes them, with unit and
//! meaning.

/// Name, unit and meaning of one descriptor or functional.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// openSMILE's own name.
    pub name: &'static str,
    /// Unit; empty for a plain number.
    pub unit: &'static str,
    /// One sentence for a reader of the table.
    pub description: &'static str,
}

const fn entry(name: &'static str, unit: &'static str, description: &'static str) -> Entry {
    Entry { name, unit, description }
}

/// The description of a `stddevNorm` of something.
macro_rules! deviation {
    ($of:literal) => {
        concat!("Standard deviation over mean (signed, as openSMILE gives it) of ", $of)
    };
}

/// Number of low-level descriptors.
pub const LLD_COUNT: usize = 25;

/// Number of functionals.
pub const FUNCTIONAL_COUNT: usize = 88;

/// The 25 low-level descriptors in openSMILE's order.
pub const LLDS: [Entry; LLD_COUNT] = [
    entry(
        "Loudness_sma3",
        "",
        "Loudness: mean of 26 mel band energies, equal-loudness weighted and raised to 0.33 each; \
         sone-like, not calibrated",
    ),
    entry(
        "alphaRatio_sma3",
        "dB",
        "Energy in 1-5 kHz over energy below 1 kHz (high over low; other tools give the inverse)",
    ),
    entry("hammarbergIndex_sma3", "dB", "Strongest spectral peak in 0-2 kHz over the strongest in 2-5 kHz"),
    entry("slope0-500_sma3", "dB/Hz", "Least-squares slope of the logarithmic power spectrum in 0-500 Hz"),
    entry("slope500-1500_sma3", "dB/Hz", "Least-squares slope of the logarithmic power spectrum in 500-1500 Hz"),
    entry(
        "spectralFlux_sma3",
        "",
        "Root mean square difference of the magnitude spectrum in 0-5 kHz from the frame before",
    ),
    entry("mfcc1_sma3", "", "Mel-frequency cepstral coefficient 1 (26 bands, 20-8000 Hz, lifter 22)"),
    entry("mfcc2_sma3", "", "Mel-frequency cepstral coefficient 2 (26 bands, 20-8000 Hz, lifter 22)"),
    entry("mfcc3_sma3", "", "Mel-frequency cepstral coefficient 3 (26 bands, 20-8000 Hz, lifter 22)"),
    entry("mfcc4_sma3", "", "Mel-frequency cepstral coefficient 4 (26 bands, 20-8000 Hz, lifter 22)"),
    entry(
        "F0semitoneFrom27.5Hz_sma3nz",
        "semitone",
        "Fundamental frequency in semitones above 27.5 Hz; 0 where unvoiced",
    ),
    entry(
        "jitterLocal_sma3nz",
        "ratio",
        "Mean absolute difference of consecutive periods over their mean; 0 where unvoiced",
    ),
    entry(
        "shimmerLocaldB_sma3nz",
        "dB",
        "20 log10(1 + mean absolute difference of consecutive peak-to-peak amplitudes over their mean), \
         not Praat's formula; 0 where unvoiced",
    ),
    entry(
        "HNRdBACF_sma3nz",
        "dB",
        "Harmonics-to-noise ratio from the autocorrelation at the pitch period; 0 where unvoiced",
    ),
    entry(
        "logRelF0-H1-H2_sma3nz",
        "dB",
        "Level of harmonic 1 less that of harmonic 2, the fundamental counted as 0 as openSMILE does; 0 where unvoiced",
    ),
    entry(
        "logRelF0-H1-A3_sma3nz",
        "dB",
        "Level of harmonic 1 (the fundamental counted as 0) less that of the strongest harmonic \
         near the third formant; 0 where unvoiced",
    ),
    entry(
        "F1frequency_sma3nz",
        "Hz",
        "Frequency of the first formant (linear prediction of order 11, as openSMILE has it)",
    ),
    entry("F1bandwidth_sma3nz", "Hz", "Bandwidth of the first formant"),
    entry(
        "F1amplitudeLogRelF0_sma3nz",
        "dB",
        "Level of the strongest harmonic near the first formant relative to the fundamental; -201 where unvoiced",
    ),
    entry(
        "F2frequency_sma3nz",
        "Hz",
        "Frequency of the second formant (linear prediction of order 11, as openSMILE has it)",
    ),
    entry("F2bandwidth_sma3nz", "Hz", "Bandwidth of the second formant"),
    entry(
        "F2amplitudeLogRelF0_sma3nz",
        "dB",
        "Level of the strongest harmonic near the second formant relative to the fundamental; -201 where unvoiced",
    ),
    entry(
        "F3frequency_sma3nz",
        "Hz",
        "Frequency of the third formant (linear prediction of order 11, as openSMILE has it)",
    ),
    entry("F3bandwidth_sma3nz", "Hz", "Bandwidth of the third formant"),
    entry(
        "F3amplitudeLogRelF0_sma3nz",
        "dB",
        "Level of the strongest harmonic near the third formant relative to the fundamental; -201 where unvoiced",
    ),
];

/// The 88 functionals in openSMILE's order.
pub const FUNCTIONALS: [Entry; FUNCTIONAL_COUNT] = [
    entry("F0semitoneFrom27.5Hz_sma3nz_amean", "semitone", "Mean of pitch over voiced frames"),
    entry("F0semitoneFrom27.5Hz_sma3nz_stddevNorm", "ratio", deviation!("pitch over voiced frames")),
    entry("F0semitoneFrom27.5Hz_sma3nz_percentile20.0", "semitone", "20th percentile of pitch over voiced frames"),
    entry("F0semitoneFrom27.5Hz_sma3nz_percentile50.0", "semitone", "Median of pitch over voiced frames"),
    entry("F0semitoneFrom27.5Hz_sma3nz_percentile80.0", "semitone", "80th percentile of pitch over voiced frames"),
    entry(
        "F0semitoneFrom27.5Hz_sma3nz_pctlrange0-2",
        "semitone",
        "80th less 20th percentile of pitch over voiced frames",
    ),
    entry(
        "F0semitoneFrom27.5Hz_sma3nz_meanRisingSlope",
        "semitone/s",
        "Mean slope of the rising parts of pitch over voiced frames",
    ),
    entry(
        "F0semitoneFrom27.5Hz_sma3nz_stddevRisingSlope",
        "semitone/s",
        "Standard deviation of the slope of the rising parts of pitch over voiced frames",
    ),
    entry(
        "F0semitoneFrom27.5Hz_sma3nz_meanFallingSlope",
        "semitone/s",
        "Mean slope of the falling parts of pitch over voiced frames",
    ),
    entry(
        "F0semitoneFrom27.5Hz_sma3nz_stddevFallingSlope",
        "semitone/s",
        "Standard deviation of the slope of the falling parts of pitch over voiced frames",
    ),
    entry("loudness_sma3_amean", "", "Mean of loudness"),
    entry("loudness_sma3_stddevNorm", "ratio", deviation!("loudness")),
    entry("loudness_sma3_percentile20.0", "", "20th percentile of loudness"),
    entry("loudness_sma3_percentile50.0", "", "Median of loudness"),
    entry("loudness_sma3_percentile80.0", "", "80th percentile of loudness"),
    entry("loudness_sma3_pctlrange0-2", "", "80th less 20th percentile of loudness"),
    entry("loudness_sma3_meanRisingSlope", "1/s", "Mean slope of the rising parts of loudness"),
    entry("loudness_sma3_stddevRisingSlope", "1/s", "Standard deviation of the slope of the rising parts of loudness"),
    entry("loudness_sma3_meanFallingSlope", "1/s", "Mean slope of the falling parts of loudness"),
    entry(
        "loudness_sma3_stddevFallingSlope",
        "1/s",
        "Standard deviation of the slope of the falling parts of loudness",
    ),
    entry("spectralFlux_sma3_amean", "", "Mean of spectral flux"),
    entry("spectralFlux_sma3_stddevNorm", "ratio", deviation!("spectral flux")),
    entry("mfcc1_sma3_amean", "", "Mean of cepstral coefficient 1"),
    entry("mfcc1_sma3_stddevNorm", "ratio", deviation!("cepstral coefficient 1")),
    entry("mfcc2_sma3_amean", "", "Mean of cepstral coefficient 2"),
    entry("mfcc2_sma3_stddevNorm", "ratio", deviation!("cepstral coefficient 2")),
    entry("mfcc3_sma3_amean", "", "Mean of cepstral coefficient 3"),
    entry("mfcc3_sma3_stddevNorm", "ratio", deviation!("cepstral coefficient 3")),
    entry("mfcc4_sma3_amean", "", "Mean of cepstral coefficient 4"),
    entry("mfcc4_sma3_stddevNorm", "ratio", deviation!("cepstral coefficient 4")),
    entry("jitterLocal_sma3nz_amean", "ratio", "Mean of local jitter over voiced frames"),
    entry("jitterLocal_sma3nz_stddevNorm", "ratio", deviation!("local jitter over voiced frames")),
    entry("shimmerLocaldB_sma3nz_amean", "dB", "Mean of local shimmer over voiced frames"),
    entry("shimmerLocaldB_sma3nz_stddevNorm", "ratio", deviation!("local shimmer over voiced frames")),
    entry(
        "HNRdBACF_sma3nz_amean",
        "dB",
        "Mean (amean) harmonics-to-noise ratio over voiced frames (nz), smoothed over 3 frames (sma3): r / (1 - r) \
         in dB, r = the autocorrelation at the pitch period over that at 0; low in a breathy or rough voice. Frames \
         are 60 ms of the turn's samples, cut out by themselves. Voiced by openSMILE's own pitch tracker, not by \
         SwiftF0. On openSMILE's scale: the window's fall is left in r, so that even a clean tone has about 10 dB \
         at 140 Hz and 14 at 220; never set it beside Praat's, and beware that it rises with the pitch",
    ),
    entry("HNRdBACF_sma3nz_stddevNorm", "ratio", deviation!("the harmonics-to-noise ratio over voiced frames")),
    entry("logRelF0-H1-H2_sma3nz_amean", "dB", "Mean of H1-H2 over voiced frames"),
    entry("logRelF0-H1-H2_sma3nz_stddevNorm", "ratio", deviation!("H1-H2 over voiced frames")),
    entry("logRelF0-H1-A3_sma3nz_amean", "dB", "Mean of H1-A3 over voiced frames"),
    entry("logRelF0-H1-A3_sma3nz_stddevNorm", "ratio", deviation!("H1-A3 over voiced frames")),
    entry("F1frequency_sma3nz_amean", "Hz", "Mean of the first formant's frequency over voiced frames"),
    entry("F1frequency_sma3nz_stddevNorm", "ratio", deviation!("the first formant's frequency over voiced frames")),
    entry("F1bandwidth_sma3nz_amean", "Hz", "Mean of the first formant's bandwidth over voiced frames"),
    entry("F1bandwidth_sma3nz_stddevNorm", "ratio", deviation!("the first formant's bandwidth over voiced frames")),
    entry("F1amplitudeLogRelF0_sma3nz_amean", "dB", "Mean of the first formant's relative level over voiced frames"),
    entry(
        "F1amplitudeLogRelF0_sma3nz_stddevNorm",
        "ratio",
        deviation!("the first formant's relative level over voiced frames"),
    ),
    entry("F2frequency_sma3nz_amean", "Hz", "Mean of the second formant's frequency over voiced frames"),
    entry("F2frequency_sma3nz_stddevNorm", "ratio", deviation!("the second formant's frequency over voiced frames")),
    entry("F2bandwidth_sma3nz_amean", "Hz", "Mean of the second formant's bandwidth over voiced frames"),
    entry("F2bandwidth_sma3nz_stddevNorm", "ratio", deviation!("the second formant's bandwidth over voiced frames")),
    entry("F2amplitudeLogRelF0_sma3nz_amean", "dB", "Mean of the second formant's relative level over voiced frames"),
    entry(
        "F2amplitudeLogRelF0_sma3nz_stddevNorm",
        "ratio",
        deviation!("the second formant's relative level over voiced frames"),
    ),
    entry("F3frequency_sma3nz_amean", "Hz", "Mean of the third formant's frequency over voiced frames"),
    entry("F3frequency_sma3nz_stddevNorm", "ratio", deviation!("the third formant's frequency over voiced frames")),
    entry("F3bandwidth_sma3nz_amean", "Hz", "Mean of the third formant's bandwidth over voiced frames"),
    entry("F3bandwidth_sma3nz_stddevNorm", "ratio", deviation!("the third formant's bandwidth over voiced frames")),
    entry("F3amplitudeLogRelF0_sma3nz_amean", "dB", "Mean of the third formant's relative level over voiced frames"),
    entry(
        "F3amplitudeLogRelF0_sma3nz_stddevNorm",
        "ratio",
        deviation!("the third formant's relative level over voiced frames"),
    ),
    entry("alphaRatioV_sma3nz_amean", "dB", "Mean of the alpha ratio over voiced frames"),
    entry("alphaRatioV_sma3nz_stddevNorm", "ratio", deviation!("the alpha ratio over voiced frames")),
    entry("hammarbergIndexV_sma3nz_amean", "dB", "Mean of the Hammarberg index over voiced frames"),
    entry("hammarbergIndexV_sma3nz_stddevNorm", "ratio", deviation!("the Hammarberg index over voiced frames")),
    entry("slopeV0-500_sma3nz_amean", "dB/Hz", "Mean of the spectral slope in 0-500 Hz over voiced frames"),
    entry("slopeV0-500_sma3nz_stddevNorm", "ratio", deviation!("the spectral slope in 0-500 Hz over voiced frames")),
    entry("slopeV500-1500_sma3nz_amean", "dB/Hz", "Mean of the spectral slope in 500-1500 Hz over voiced frames"),
    entry(
        "slopeV500-1500_sma3nz_stddevNorm",
        "ratio",
        deviation!("the spectral slope in 500-1500 Hz over voiced frames"),
    ),
    entry("spectralFluxV_sma3nz_amean", "", "Mean of spectral flux over voiced frames"),
    entry("spectralFluxV_sma3nz_stddevNorm", "ratio", deviation!("spectral flux over voiced frames")),
    entry("mfcc1V_sma3nz_amean", "", "Mean of cepstral coefficient 1 over voiced frames"),
    entry("mfcc1V_sma3nz_stddevNorm", "ratio", deviation!("cepstral coefficient 1 over voiced frames")),
    entry("mfcc2V_sma3nz_amean", "", "Mean of cepstral coefficient 2 over voiced frames"),
    entry("mfcc2V_sma3nz_stddevNorm", "ratio", deviation!("cepstral coefficient 2 over voiced frames")),
    entry("mfcc3V_sma3nz_amean", "", "Mean of cepstral coefficient 3 over voiced frames"),
    entry("mfcc3V_sma3nz_stddevNorm", "ratio", deviation!("cepstral coefficient 3 over voiced frames")),
    entry("mfcc4V_sma3nz_amean", "", "Mean of cepstral coefficient 4 over voiced frames"),
    entry("mfcc4V_sma3nz_stddevNorm", "ratio", deviation!("cepstral coefficient 4 over voiced frames")),
    entry("alphaRatioUV_sma3nz_amean", "dB", "Mean of the alpha ratio over unvoiced frames"),
    entry("hammarbergIndexUV_sma3nz_amean", "dB", "Mean of the Hammarberg index over unvoiced frames"),
    entry("slopeUV0-500_sma3nz_amean", "dB/Hz", "Mean of the spectral slope in 0-500 Hz over unvoiced frames"),
    entry("slopeUV500-1500_sma3nz_amean", "dB/Hz", "Mean of the spectral slope in 500-1500 Hz over unvoiced frames"),
    entry("spectralFluxUV_sma3nz_amean", "", "Mean of spectral flux over unvoiced frames"),
    entry("loudnessPeaksPerSec", "1/s", "Peaks of loudness per second"),
    entry("VoicedSegmentsPerSec", "1/s", "Runs of voiced frames per second"),
    entry("MeanVoicedSegmentLengthSec", "s", "Mean length of the runs of voiced frames"),
    entry("StddevVoicedSegmentLengthSec", "s", "Standard deviation of the length of the runs of voiced frames"),
    entry("MeanUnvoicedSegmentLength", "s", "Mean length of the runs of unvoiced frames"),
    entry("StddevUnvoicedSegmentLength", "s", "Standard deviation of the length of the runs of unvoiced frames"),
    entry("equivalentSoundLevel_dBp", "dB", "Level of the mean frame energy relative to full scale, no calibration"),
];
