//! The voice columns of the `turns` table: names, units, descriptions, and how a [`TurnVoice`] gives their values.

use super::TurnVoice;
use crate::statistics::Spread;
use crate::table::{Column, CutOff, Modality, all_from, all_of, all_until};

const SEMITONES: &str = "semitones re 27.5 Hz";

/// The voice columns of a turn, in the order they are written; each looks no further than the turn's end. Pauses and
/// rates tell of timing, all others of the voice.
pub fn turn_voice_columns() -> Vec<Column<TurnVoice>> {
    let mut columns =
        all_of(Modality::Voice, all_from("Nieradzik 2025", pitch_columns()).into_iter().chain(level_columns()));
    columns.extend(all_of(Modality::Timing, rate_columns().into_iter().chain(pause_columns())));
    let periods = all_from("Boersma & Weenink", period_columns());
    columns.extend(all_of(Modality::Voice, periods.into_iter().chain(recording_columns())));
    columns.push(Column::text(
        "voice_missing",
        "Why the turn's voice columns (pitch to dc_offset, rates and pauses among them, egemaps_ not: see \
         egemaps_missing) are null; null = nothing is missing. unvoiced (sound, but no voiced frame) empties pitch, \
         jitter, shimmer and snr alone: level, rates and pauses stay. Each other code empties them all: no_stream \
         (no sound), past_end (begins after the sound's end, or has less than {voice.min_turn_secs} s before it), \
         too_short (less than {voice.min_turn_secs} s), silent (no frame above -100 dBFS), \
         not_speech (nobody speaks in it, by a line of corrections.csv). The rate speaking_rate_words_per_sec stays \
         wherever the turn is long enough, but for not_speech.",
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
            "Mean pitch of the turn's voiced 10 ms frames (SwiftF0; voiced = its confidence is at least \
             {voice.voicing_confidence}, and one of its 256 samples at least 0.001 (-60 dBFS); {voice.pitch_min_hz} \
             to {voice.pitch_max_hz} Hz), in Hz.",
            |t: &TurnVoice| t.pitch_mean_hz,
        ),
        pitch("pitch_mean_semitones", SEMITONES, "Mean pitch of the voiced frames.", |s| s.mean),
        pitch(
            "pitch_sd_semitones",
            "semitones",
            "Standard deviation (divisor n; 0 of one frame) of the pitch in semitones of the turn's voiced 10 ms \
             frames, as pitch_median_semitones. Octave errors of the pitch are in it. Null without a voiced frame, \
             with any code of voice_missing.",
            |s| s.sd,
        ),
        pitch("pitch_range_semitones", "semitones", "5th to 95th percentile of the voiced frames' pitch.", |s| s.range),
        pitch(
            "pitch_median_semitones",
            SEMITONES,
            "Median pitch of the turn's voiced 10 ms frames; one such frame is enough. SwiftF0 gives a pitch and a \
             confidence every 16 ms, which are read at each frame's centre: voiced where the nearest value's \
             confidence is at least {voice.voicing_confidence}; the pitch on the line in semitones between the two \
             values around it, the nearest one's where the other is unvoiced or more than 3 semitones away. \
             {voice.pitch_min_hz} to {voice.pitch_max_hz} Hz. Overlapped speech is not left out (see \
             overlap_share). Null without a voiced frame, with any code of voice_missing.",
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
             them: negative, nearer to 0 = louder; a full-scale square wave is 0, a full-scale sine -3. A frame's \
             level is the root mean square of the 20 ms around its centre, their mean (an offset) taken off first. \
             Channels are averaged before, so a voice in one of two channels is 6 dB lower. The microphone's \
             distance is in it: compare within a recording. Null with each code of voice_missing but unvoiced.",
            |s| s.mean,
        ),
        level("level_sd_db", "dB", "Standard deviation of those frames' level.", |s| s.sd),
        level("level_range_db", "dB", "5th to 95th percentile of those frames' level.", |s| s.range),
        Column::float(
            "intensity_mean_db",
            "dB re 20 uPa",
            "Mean, in dB, of the intensity of the turn's 10 ms frames above -100 dBFS, as voice.intensity_db: \
             Praat's with a lowest pitch of 75 Hz, full scale taken as 1 Pa.",
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
            "Syllables, as articulation_rate_syllables_per_sec counts them, by the turn's length (of its part that \
             has sound).",
            |t: &TurnVoice| t.syllable_rate_per_sec,
        )
        .from_source("de Jong & Wempe 2009"),
        Column::float(
            "articulation_rate_syllables_per_sec",
            "1/s",
            "Syllables a second of the time spoken. Syllable: a voiced peak of intensity (voice.intensity_db: \
             Praat's, lowest pitch 75 Hz) parted from the next by a dip of at least {voice.syllable_dip_db} dB on \
             both sides, and less than {voice.quiet_below_peak_db} dB below the turn's 99th percentile of intensity; \
             the turn's start and end count as dips, so that a steady tone is one syllable. Peaks are looked for in \
             all frames: one whose highest frame is unvoiced or too quiet is dropped, and nothing takes its place. \
             Time spoken: from the first to the last frame that is voiced or that loud, less the pauses (as \
             pause_total_secs); an unvoiced stretch of {voice.min_unvoiced_pause_secs} s at either end is left out \
             too, however loud. 0 = something is heard and no syllable in it: in a turn without any voiced frame (a \
             whisper, noise) all that is loud is time spoken. Theirs are the 99th percentile, 25 dB, 2 dB and 0.3 s; \
             Turnwise's own are the dip before a peak and the rule of {voice.min_unvoiced_pause_secs} s. Null with \
             each code of voice_missing but unvoiced, and where no time is left.",
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
            "Pauses inside the turn, as pause_total_secs: unvoiced and at least {voice.quiet_below_peak_db} dB \
             below the turn's 99th percentile of intensity for {voice.min_pause_secs} s, or unvoiced for \
             {voice.min_unvoiced_pause_secs} s however loud.",
            |t: &TurnVoice| t.pause_count,
        ),
        Column::float(
            "pause_total_secs",
            "s",
            "Summed length of the pauses inside the turn. A pause: unvoiced frames at least \
             {voice.quiet_below_peak_db} dB below the turn's 99th percentile of intensity for \
             {voice.min_pause_secs} s (de Jong and Wempe), or unvoiced frames for {voice.min_unvoiced_pause_secs} s \
             however loud (Turnwise's own: noise does not hide a pause; not in a turn without any voiced frame), \
             with sound on both sides in the turn: a voiced frame, or an unvoiced one that loud and in no pause. \
             Whoever talks in it ends it, the listener too. 0 = none. The time between two cues of one speaker is \
             in no turn and not counted. Null with each code of voice_missing but unvoiced.",
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
