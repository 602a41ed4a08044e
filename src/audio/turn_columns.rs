//! The voice columns of the `turns` table: names, units, descriptions, and how a [`TurnVoice`] gives their values.

use super::TurnVoice;
use crate::statistics::Spread;
use crate::table::{Column, CutOff, Modality, all_from, all_of, all_until};

const SEMITONES: &str = "semitones re 27.5 Hz";

/// The voice columns of a turn, in the order they are written; each looks no further than the turn's end. Pauses and
/// rates tell of timing, all others of the voice.
pub fn turn_voice_columns() -> Vec<Column<TurnVoice>> {
    let mut columns = all_of(Modality::Voice, all_from("SwiftF0", pitch_columns()).into_iter().chain(level_columns()));
    columns.extend(all_of(Modality::Timing, rate_columns().into_iter().chain(pause_columns())));
    let periods = all_from("Boersma & Weenink", period_columns());
    columns.extend(all_of(Modality::Voice, periods.into_iter().chain(recording_columns())));
    columns.push(Column::text(
        "voice_missing",
        "Why the turn's voice columns (pitch to dc_offset, rates and pauses among them, egemaps_ not: see \
         egemaps_missing) are null; null = nothing is missing. no_stream (no sound), past_end (begins after the \
         sound's end, or has less than {voice.min_turn_secs} s before it), too_short (less than {voice.min_turn_secs} \
         s), silent (no frame above -100 dBFS), unvoiced (no voiced frame: pitch, jitter, shimmer, snr only). The \
         speaking rate in words stays where the turn is long enough.",
        |t: &TurnVoice| t.missing,
    ));
    all_until(CutOff::TurnEnd, columns)
}

fn pitch_columns() -> Vec<Column<TurnVoice>> {
    /// A statistic of the voiced frames' pitch.
    fn pitch(
        name: &'static str,
        unit: &'static str,
        description: &'static str,
        statistic: fn(Spread) -> f64,
    ) -> Column<TurnVoice> {
        Column::float(name, unit, description, move |t: &TurnVoice| t.pitch_semitones.map(statistic))
    }
    vec![
        Column::float(
            "pitch_mean_hz",
            "Hz",
            "Mean pitch of the turn's voiced frames (SwiftF0; voiced = its confidence is at least \
             {voice.voicing_confidence}; {voice.pitch_min_hz} to {voice.pitch_max_hz} Hz).",
            |t: &TurnVoice| t.pitch_mean_hz,
        ),
        pitch("pitch_mean_semitones", SEMITONES, "Mean pitch of the voiced frames.", |s| s.mean),
        pitch(
            "pitch_sd_semitones",
            "semitones",
            "Standard deviation (divisor n; 0 of one frame) of the pitch of the turn's voiced 10 ms frames \
             (confidence of SwiftF0 at least {voice.voicing_confidence}). Whoever talks in the turn is in it. Null \
             without a voiced frame, with voice_missing.",
            |s| s.sd,
        ),
        pitch("pitch_range_semitones", "semitones", "5th to 95th percentile of the voiced frames' pitch.", |s| s.range),
        pitch(
            "pitch_median_semitones",
            SEMITONES,
            "Median pitch of the turn's voiced 10 ms frames (confidence of SwiftF0 at least \
             {voice.voicing_confidence}, {voice.pitch_min_hz} to {voice.pitch_max_hz} Hz); one such frame is enough. \
             Whoever talks in the turn is in it: overlapped speech is not left out (see overlap_share). Null without \
             a voiced frame, with voice_missing.",
            |s| s.median,
        ),
        pitch("pitch_min_semitones", SEMITONES, "Lowest pitch of the voiced frames.", |s| s.min),
        pitch("pitch_max_semitones", SEMITONES, "Highest pitch of the voiced frames.", |s| s.max),
        Column::float(
            "voiced_share",
            "1",
            "Share of the turn's 10 ms frames that are voiced (SwiftF0's confidence at least \
             {voice.voicing_confidence}), 0 to 1.",
            |t: &TurnVoice| t.voiced_share,
        ),
    ]
}

fn level_columns() -> Vec<Column<TurnVoice>> {
    /// A statistic of the level of the frames that are not silent.
    fn level(
        name: &'static str,
        unit: &'static str,
        description: &'static str,
        statistic: fn(Spread) -> f64,
    ) -> Column<TurnVoice> {
        Column::float(name, unit, description, move |t: &TurnVoice| t.level_db.map(statistic))
    }
    vec![
        level(
            "level_mean_db",
            "dBFS",
            "Mean, in dB, of the levels of the turn's 10 ms frames above -100 dBFS, pauses and other talkers among \
             them: negative, nearer to 0 = louder; a full-scale square wave is 0. A frame's level is the root mean \
             square of the 20 ms around it. The microphone's distance is in it: compare within a recording. Null with \
             voice_missing.",
            |s| s.mean,
        ),
        level("level_sd_db", "dB", "Standard deviation of those frames' level.", |s| s.sd),
        level("level_range_db", "dB", "5th to 95th percentile of those frames' level.", |s| s.range),
        Column::float(
            "intensity_mean_db",
            "dB re 20 uPa",
            "Mean Praat intensity (lowest pitch 75 Hz), full scale taken as 1 Pa.",
            |t: &TurnVoice| t.intensity_mean_db,
        )
        .from_source("Boersma & Weenink"),
    ]
}

fn rate_columns() -> Vec<Column<TurnVoice>> {
    vec![
        Column::float(
            "speaking_rate_words_per_sec",
            "1/s",
            "Transcript words by the turn's length.",
            |t: &TurnVoice| t.speaking_rate_words_per_sec,
        ),
        Column::float(
            "articulation_rate_words_per_sec",
            "1/s",
            "Transcript words by the time spoken, pauses (as pause_count) and silent ends left out.",
            |t: &TurnVoice| t.articulation_rate_words_per_sec,
        ),
        Column::float(
            "syllable_rate_per_sec",
            "1/s",
            "Syllable nuclei (voiced intensity peaks parted by dips of {voice.syllable_dip_db} dB and less than \
             {voice.quiet_below_peak_db} dB below the turn's 99th percentile, after de Jong & Wempe 2009) by the \
             turn's length.",
            |t: &TurnVoice| t.syllable_rate_per_sec,
        )
        .from_source("de Jong & Wempe 2009"),
        Column::float(
            "articulation_rate_syllables_per_sec",
            "1/s",
            "Syllables a second of the time spoken. Syllable: a voiced peak of intensity with dips of at least \
             {voice.syllable_dip_db} dB on both sides, less than {voice.quiet_below_peak_db} dB below the turn's 99th \
             percentile of intensity. Time spoken: the turn less its pauses (unvoiced and that far below for \
             {voice.min_pause_secs} s, or unvoiced for {voice.min_unvoiced_pause_secs} s) and less the quiet before \
             the first and after the last sound. Null with voice_missing, and where no time is left.",
            |t: &TurnVoice| t.articulation_rate_syllables_per_sec,
        )
        .from_source("de Jong & Wempe 2009"),
    ]
}

fn pause_columns() -> Vec<Column<TurnVoice>> {
    let columns = [
        Column::int(
            "pause_count",
            "",
            "Pauses inside the turn: unvoiced and at least {voice.quiet_below_peak_db} dB below the turn's 99th \
             percentile of intensity for {voice.min_pause_secs} s, or unvoiced for {voice.min_unvoiced_pause_secs} s \
             however loud.",
            |t: &TurnVoice| t.pause_count,
        ),
        Column::float(
            "pause_total_secs",
            "s",
            "Summed length of the pauses inside the turn: unvoiced and at least {voice.quiet_below_peak_db} dB below \
             the turn's 99th percentile of intensity for {voice.min_pause_secs} s, or unvoiced for \
             {voice.min_unvoiced_pause_secs} s however loud; sound on both sides. 0 = none. The time between two cues \
             of one speaker is in no turn and not counted. Null with voice_missing.",
            |t: &TurnVoice| t.pause_total_secs,
        ),
        Column::float(
            "pause_longest_secs",
            "s",
            "Length of the longest of those pauses; 0 without one.",
            |t: &TurnVoice| t.pause_longest_secs,
        ),
        Column::float(
            "onset_delay_secs",
            "s",
            "From the turn's start to its first frame with voice or energy; \
             noise without voice for {voice.min_unvoiced_pause_secs} s does not count.",
            |t: &TurnVoice| t.onset_delay_secs,
        ),
    ];
    all_from("de Jong & Wempe 2009", columns)
}

fn period_columns() -> Vec<Column<TurnVoice>> {
    vec![
        Column::float(
            "praat_jitter_local",
            "ratio",
            "Mean absolute difference of consecutive periods by the mean period, as Praat defines it: periods of 0.1 \
             to 20 ms, neighbours within a factor of 1.3.",
            |t: &TurnVoice| t.jitter_local,
        ),
        Column::float(
            "praat_shimmer_local",
            "ratio",
            "Mean absolute difference of consecutive periods' amplitudes by the mean amplitude, as Praat defines it: \
             periods as for the jitter, amplitudes within a factor of 1.6.",
            |t: &TurnVoice| t.shimmer_local,
        ),
        Column::float(
            "praat_shimmer_local_db",
            "dB",
            "Mean absolute level difference of consecutive periods' amplitudes, as Praat defines it.",
            |t: &TurnVoice| t.shimmer_local_db,
        ),
    ]
}

fn recording_columns() -> Vec<Column<TurnVoice>> {
    vec![
        Column::float(
            "clipped_share",
            "1",
            "Share of samples of at least {voice.clipped_above} of full scale, 0 to 1.",
            |t: &TurnVoice| t.clipped_share,
        ),
        Column::float(
            "snr_db",
            "dB",
            "Voiced frames' mean power, less the noise's, over the noise: the quietest tenth of frames in the \
             {voice.noise_window_secs} s up to the turn's end; null with less than 1 s of them, or less than 1 dB \
             above them.",
            |t: &TurnVoice| t.snr_db,
        ),
        Column::float("dc_offset", "full scale", "Mean sample of the turn.", |t: &TurnVoice| t.dc_offset),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::{ColumnData, Layout, Missing};

    #[test]
    fn every_column_is_filled_and_the_reason_told() {
        let layout = Layout { name: "t", description: "", columns: turn_voice_columns() };
        let some = TurnVoice { pause_count: Some(2), voiced_share: Some(0.5), ..TurnVoice::default() };
        let t = layout.table([some, TurnVoice::without(Missing::NoStream)]).unwrap();
        assert_eq!(t.column("pause_count"), Some(&ColumnData::I64(vec![Some(2), None])));
        assert_eq!(t.column("voice_missing"), Some(&ColumnData::Str(vec![None, Some("no_stream".into())])));
        assert!(t.schema().columns.iter().all(|c| c.cut_off == CutOff::TurnEnd && !c.description.is_empty()));
    }

    #[test]
    fn each_field_has_a_column_of_its_own() {
        let spread =
            |x: f64| Spread { mean: x, sd: x + 1.0, min: x + 2.0, median: x + 3.0, max: x + 4.0, range: x + 5.0 };
        let voice = TurnVoice {
            missing: None,
            pitch_mean_hz: Some(1.0),
            pitch_semitones: Some(spread(2.0)),
            level_db: Some(spread(10.0)),
            intensity_mean_db: Some(20.0),
            voiced_share: Some(21.0),
            speaking_rate_words_per_sec: Some(22.0),
            articulation_rate_words_per_sec: Some(23.0),
            syllable_rate_per_sec: Some(24.0),
            articulation_rate_syllables_per_sec: Some(25.0),
            pause_count: Some(26),
            pause_total_secs: Some(27.0),
            pause_longest_secs: Some(28.0),
            onset_delay_secs: Some(29.0),
            jitter_local: Some(30.0),
            shimmer_local: Some(31.0),
            shimmer_local_db: Some(32.0),
            clipped_share: Some(33.0),
            snr_db: Some(34.0),
            dc_offset: Some(35.0),
        };
        let layout = Layout { name: "t", description: "", columns: turn_voice_columns() };
        let table = layout.table([voice]).unwrap();
        let number = |name: &str| match table.column(name) {
            Some(ColumnData::F64(v)) => v[0],
            Some(ColumnData::I64(v)) => v[0].unwrap() as f64,
            other => panic!("{name}: {other:?}"),
        };
        let expected = [
            ("pitch_mean_hz", 1.0),
            ("pitch_mean_semitones", 2.0),
            ("pitch_sd_semitones", 3.0),
            ("pitch_range_semitones", 7.0),
            ("pitch_median_semitones", 5.0),
            ("pitch_min_semitones", 4.0),
            ("pitch_max_semitones", 6.0),
            ("voiced_share", 21.0),
            ("level_mean_db", 10.0),
            ("level_sd_db", 11.0),
            ("level_range_db", 15.0),
            ("intensity_mean_db", 20.0),
            ("speaking_rate_words_per_sec", 22.0),
            ("articulation_rate_words_per_sec", 23.0),
            ("syllable_rate_per_sec", 24.0),
            ("articulation_rate_syllables_per_sec", 25.0),
            ("pause_count", 26.0),
            ("pause_total_secs", 27.0),
            ("pause_longest_secs", 28.0),
            ("onset_delay_secs", 29.0),
            ("praat_jitter_local", 30.0),
            ("praat_shimmer_local", 31.0),
            ("praat_shimmer_local_db", 32.0),
            ("clipped_share", 33.0),
            ("snr_db", 34.0),
            ("dc_offset", 35.0),
        ];
        for (name, value) in expected {
            assert!((number(name) - value).abs() < 1e-12, "{name}: {} for {value}", number(name));
        }
        assert_eq!(table.columns().len(), expected.len() + 1, "and the reason");
    }

    #[test]
    fn pauses_and_rates_are_timing_and_the_reason_is_of_no_sense() {
        for column in turn_voice_columns() {
            let name = &*column.spec().name;
            let timing = ["pause_", "onset_", "speaking_rate", "articulation_rate", "syllable_rate"]
                .iter()
                .any(|p| name.starts_with(p));
            let expected = match name {
                "voice_missing" => Modality::None,
                _ if timing => Modality::Timing,
                _ => Modality::Voice,
            };
            assert_eq!(column.spec().modality, expected, "{name}");
        }
    }
}
