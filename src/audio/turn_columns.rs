//! The voice columns of the `turns` table: names, units, descriptions, and how a [`TurnVoice`] fills them.

use super::TurnVoice;
use crate::table::{Cell, ColumnSpec, CutOff, Kind, TableBuilder};

/// One column: name, kind, unit, description and where its value is taken from.
struct Column {
    name: &'static str,
    kind: Kind,
    unit: &'static str,
    description: &'static str,
    value: fn(&TurnVoice) -> Cell,
}

const fn float(name: &'static str, unit: &'static str, description: &'static str, value: fn(&TurnVoice) -> Cell) -> Column {
    Column { name, kind: Kind::F64, unit, description, value }
}

const SEMITONES: &str = "semitones re 27.5 Hz";

/// In the order they are written.
const COLUMNS: &[Column] = &[
    float("pitch_mean_hz", "Hz", "Mean pitch of the turn's voiced frames (SwiftF0).", |t| t.pitch_mean_hz.into()),
    float("pitch_mean_semitones", SEMITONES, "Mean pitch of the voiced frames.", |t| t.pitch_semitones.map(|s| s.mean).into()),
    float("pitch_sd_semitones", "semitones", "Standard deviation of the voiced frames' pitch.", |t| t.pitch_semitones.map(|s| s.sd).into()),
    float("pitch_range_semitones", "semitones", "5th to 95th percentile of the voiced frames' pitch.", |t| {
        t.pitch_semitones.map(|s| s.range).into()
    }),
    float("pitch_median_semitones", SEMITONES, "Median pitch of the voiced frames.", |t| t.pitch_semitones.map(|s| s.median).into()),
    float("pitch_min_semitones", SEMITONES, "Lowest pitch of the voiced frames.", |t| t.pitch_semitones.map(|s| s.min).into()),
    float("pitch_max_semitones", SEMITONES, "Highest pitch of the voiced frames.", |t| t.pitch_semitones.map(|s| s.max).into()),
    float("voiced_share", "", "Share of the turn's 10 ms frames that are voiced, 0 to 1.", |t| t.voiced_share.into()),
    float("level_mean_db", "dBFS", "Mean level of the frames above -100 dBFS.", |t| t.level_db.map(|s| s.mean).into()),
    float("level_sd_db", "dB", "Standard deviation of those frames' level.", |t| t.level_db.map(|s| s.sd).into()),
    float("level_range_db", "dB", "5th to 95th percentile of those frames' level.", |t| t.level_db.map(|s| s.range).into()),
    float("intensity_mean_db", "dB re 20 uPa", "Mean Praat intensity, full scale taken as 1 Pa.", |t| t.intensity_mean_db.into()),
    float("speaking_rate_words_per_sec", "1/s", "Transcript words by the turn's length.", |t| t.speaking_rate_words_per_sec.into()),
    float("articulation_rate_words_per_sec", "1/s", "Transcript words by the time spoken, pauses and silent ends left out.", |t| {
        t.articulation_rate_words_per_sec.into()
    }),
    float(
        "syllable_rate_per_sec",
        "1/s",
        "Syllable nuclei (voiced intensity peaks parted by dips of 2 dB, after de Jong & Wempe 2009) by the turn's length.",
        |t| t.syllable_rate_per_sec.into(),
    ),
    float("articulation_rate_syllables_per_sec", "1/s", "Syllable nuclei by the time spoken, pauses and silent ends left out.", |t| {
        t.articulation_rate_syllables_per_sec.into()
    }),
    Column {
        name: "pause_count",
        kind: Kind::I64,
        unit: "",
        description: "Pauses inside the turn: quiet for 0.3 s or unvoiced for 0.5 s.",
        value: |t| t.pause_count.into(),
    },
    float("pause_total_secs", "s", "Summed length of those pauses.", |t| t.pause_total_secs.into()),
    float("pause_longest_secs", "s", "Length of the longest of those pauses.", |t| t.pause_longest_secs.into()),
    float(
        "onset_delay_secs",
        "s",
        "From the turn's start to its first frame with voice or energy; noise without voice for 0.5 s does not count.",
        |t| t.onset_delay_secs.into(),
    ),
    float("praat_jitter_local", "ratio", "Mean absolute difference of consecutive periods by the mean period, as Praat defines it.", |t| {
        t.jitter_local.into()
    }),
    float(
        "praat_shimmer_local",
        "ratio",
        "Mean absolute difference of consecutive periods' amplitudes by the mean amplitude, as Praat defines it.",
        |t| t.shimmer_local.into(),
    ),
    float("praat_shimmer_local_db", "dB", "Mean absolute level difference of consecutive periods' amplitudes, as Praat defines it.", |t| {
        t.shimmer_local_db.into()
    }),
    float("clipped_share", "", "Share of samples at full scale, 0 to 1.", |t| t.clipped_share.into()),
    float("snr_db", "dB", "Voiced frames' mean power over that of the quietest tenth of frames in the 60 s up to the turn's end.", |t| {
        t.snr_db.into()
    }),
    float("dc_offset", "full scale", "Mean sample of the turn.", |t| t.dc_offset.into()),
    Column {
        name: "voice_missing",
        kind: Kind::Str,
        unit: "",
        description: "Why voice columns are null: no_stream, past_end, too_short, silent, unvoiced (pitch, jitter, shimmer, snr only).",
        value: |t| t.missing.into(),
    },
];

/// The voice columns of a turn, in order; each looks no further than the turn's end.
pub fn turn_voice_columns() -> Vec<ColumnSpec> {
    COLUMNS.iter().map(|c| ColumnSpec::new(c.name, c.kind, c.unit, c.description).until(CutOff::TurnEnd)).collect()
}

/// Sets the voice columns of the builder's current row, whose schema must hold [`turn_voice_columns`].
pub fn fill(voice: &TurnVoice, row: &mut TableBuilder) {
    for c in COLUMNS {
        row.set(c.name, (c.value)(voice));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::{ColumnData, Missing, TableSchema};

    #[test]
    fn every_column_is_filled_and_the_reason_told() {
        let schema = TableSchema { name: "t", description: "", columns: turn_voice_columns() };
        let mut t = TableBuilder::new(schema);
        t.row();
        fill(&TurnVoice { pause_count: Some(2), voiced_share: Some(0.5), ..TurnVoice::default() }, &mut t);
        t.row();
        fill(&TurnVoice::without(Missing::NoStream), &mut t);
        let t = t.finish().unwrap();
        assert_eq!(t.column("pause_count"), Some(&ColumnData::I64(vec![Some(2), None])));
        assert_eq!(t.column("voice_missing"), Some(&ColumnData::Str(vec![None, Some("no_stream".into())])));
        assert!(t.schema().columns.iter().all(|c| c.cut_off == CutOff::TurnEnd && !c.description.is_empty()));
    }
}
