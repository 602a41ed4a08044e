//! ADAPTER, to be removed when the voice room gives its columns as `Column`s: `audio::turn_voice_columns()` and
//! `audio::functional_columns(cut_off)` then take the place of the two functions here, and this file goes.

use crate::audio::egemaps::Functionals;
use crate::audio::{self, TurnVoice};
use crate::table::{Column, ColumnSpec, CutOff, Kind, Modality, TableBuilder, TableSchema};

fn modality(spec: &ColumnSpec) -> Modality {
    const TIMING: [&str; 6] = ["pause", "speaking_rate", "articulation_rate", "syllable_rate", "onset_", "speech_"];
    match spec.kind {
        Kind::Str | Kind::StrList => Modality::None,
        _ if TIMING.iter().any(|t| spec.name.starts_with(t)) => Modality::Timing,
        _ => Modality::Voice,
    }
}

pub(super) fn turn_voice_columns() -> Vec<Column<TurnVoice>> {
    let column = |spec: ColumnSpec| {
        let schema = TableSchema { name: "turns", description: "", columns: audio::turn_voice_columns() };
        let name = spec.name.clone();
        let modality = modality(&spec);
        let value = move |voice: &TurnVoice| {
            let mut table = TableBuilder::new(schema.clone());
            audio::fill(voice, table.row());
            table.finish().ok().and_then(|t| t.column(&name).cloned()).map_or(crate::table::Cell::Missing, first)
        };
        Column::new(spec.of(modality), value)
    };
    audio::turn_voice_columns().into_iter().map(column).collect()
}

fn first(data: crate::table::ColumnData) -> crate::table::Cell {
    use crate::table::{Cell, ColumnData};
    match data {
        ColumnData::F64(v) => Cell::from(v[0]),
        ColumnData::I64(v) => Cell::from(v[0]),
        ColumnData::Str(v) => Cell::from(v[0].clone()),
        _ => Cell::Missing,
    }
}

pub(super) fn functional_columns(cut_off: CutOff) -> Vec<Column<Functionals>> {
    let specs = audio::functional_specs(cut_off).into_iter().enumerate();
    specs
        .map(|(place, spec)| {
            let modality = modality(&spec);
            if modality == Modality::None {
                Column::new(spec, |f: &Functionals| f.missing)
            } else {
                Column::new(spec.of(modality), move |f: &Functionals| f.values[place])
            }
        })
        .collect()
}
