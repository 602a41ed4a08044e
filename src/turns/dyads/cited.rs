//! Where the definitions of `dyads` come from, by column.

use crate::table::{Column, SMILE};

/// Column and source; a test holds that each column is there.
const CITED: &[(&str, &str)] = &[
    ("floor_offset_secs", "Heldner & Edlund 2010; Stivers et al. 2009"),
    ("floor_transfer", "Heldner & Edlund 2010"),
    ("interrupts", "Heldner 2011"),
    ("backchannel", "Yngve 1970"),
    ("backchannels_received", "Yngve 1970"),
    ("response_latency_secs", "Stivers et al. 2009"),
    ("speech_start_secs", "Plaquet & Bredin 2023; Rabiner & Sambur 1975; Silero VAD; Wang et al. 2023"),
    (
        "speech_floor_offset_secs",
        "Heldner & Edlund 2010; Plaquet & Bredin 2023; Rabiner & Sambur 1975; Silero VAD; Wang et al. 2023",
    ),
    ("speech_overlap_secs", "Plaquet & Bredin 2023; Rabiner & Sambur 1975; Silero VAD; Wang et al. 2023"),
    ("speech_interrupts", "Heldner 2011; Plaquet & Bredin 2023; Rabiner & Sambur 1975; Silero VAD; Wang et al. 2023"),
    ("speech_backchannels", "Plaquet & Bredin 2023; Rabiner & Sambur 1975; Silero VAD; Wang et al. 2023; Yngve 1970"),
    ("listener_person", "Everingham et al. 2006"),
    ("speaker_smile", SMILE),
    ("listener_smile", SMILE),
    ("listener_smile_peak", SMILE),
    ("listener_gaze_camera_yaw_deg", "Bekerman et al. 2014; MediaPipe"),
    ("listener_gaze_towards_share", "Bekerman et al. 2014; MediaPipe; Stiefelhagen & Zhu 2002"),
    ("listener_gaze_away_share", "Bekerman et al. 2014; MediaPipe; Stiefelhagen & Zhu 2002"),
    ("listener_gaze_camera_share", "Bekerman et al. 2014; MediaPipe"),
    ("listener_nods", "Kawato & Ohya 2000; Hadar et al. 1983"),
    ("listener_shakes", "Kawato & Ohya 2000; Hadar et al. 1983"),
    ("speaker_smile_rises", "Ekman & Friesen 1982"),
    ("listener_smile_mimicry", "Dimberg et al. 2000; Riehle et al. 2017"),
    ("listener_smile_mimicry_share", "Dimberg et al. 2000; Riehle et al. 2017"),
    ("listener_brow_mimicry", "Dimberg et al. 2000; Riehle et al. 2017"),
    ("listener_brow_mimicry_share", "Dimberg et al. 2000; Riehle et al. 2017"),
    ("smile_synchrony_z", "Boker et al. 2002; Ramseyer & Tschacher 2011"),
    ("smile_synchrony_lag_secs", "Boker et al. 2002"),
    ("head_synchrony_z", "Boker et al. 2002; Ramseyer & Tschacher 2011"),
    ("head_synchrony_lag_secs", "Boker et al. 2002"),
];

/// The same columns, those that are cited with their source.
pub(super) fn cited<R>(columns: Vec<Column<R>>) -> Vec<Column<R>> {
    let source = |name: &str| CITED.iter().find(|(column, _)| *column == name).map(|(_, source)| *source);
    let with = |column: Column<R>| match source(&column.spec().name) {
        Some(source) => column.from_source(source),
        None => column,
    };
    columns.into_iter().map(with).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::turns::dyads_schema;

    #[test]
    fn every_column_that_is_cited_is_there_with_its_source() {
        let schema = dyads_schema(&crate::turns::TurnsConfig::default(), true);
        for (name, source) in CITED {
            let column = schema.columns.iter().find(|c| c.name == *name);
            assert_eq!(column.map(|c| &*c.source), Some(*source), "{name}");
        }
    }
}
