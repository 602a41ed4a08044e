//! A made output folder for the pages of `turnwise report`: two people who talk for as long as wanted, one of them with
//! a hostile name, every reason for a missing value, an interview that failed and one that is damaged.

use std::path::Path;

use turnwise::pipeline::schemas;
use turnwise::recipe::Recipe;
use turnwise::store::parquet::{self, FileMetadata};
use turnwise::store::paths::table_path;
use turnwise::table::{Cell, ColumnData, ColumnSpec, Table, TableBuilder, TableSchema};

/// A speaker whose name would run if it were markup.
pub const HOSTILE: &str = "<img src=x onerror=\"window.hacked=1\">";
/// Words that would end the page's script.
pub const WORDS: &str = "</script><script>window.hacked=1</script> & <!-- \u{2028} {{script}} Grüße, 東京";

/// Every reason that a value may be missing for, as the source declares them.
pub fn reasons() -> Vec<&'static str> {
    let source = include_str!("../../src/table/missing.rs");
    source.lines().filter_map(|line| line.split_once("=> \"")?.1.split('"').next()).collect()
}

type Row<'a> = Vec<(&'a str, Cell)>;

fn schema(name: &str) -> TableSchema {
    schemas(&Recipe::default()).into_iter().find(|s| s.name == name).unwrap()
}

fn columns(schema: &TableSchema, wanted: impl Fn(&str) -> bool) -> Vec<ColumnSpec> {
    schema.columns.iter().filter(|c| wanted(&c.name)).cloned().collect()
}

fn save(out: &Path, name: &str, id: &str, table: &Table) {
    let metadata = FileMetadata {
        tool_version: "1.2.3".into(),
        recipe_hash: "abcdef0123456789".into(),
        ..FileMetadata::default()
    };
    parquet::write(&table_path(out, name, id).unwrap(), table, &metadata).unwrap();
}

/// Writes a table of some columns.
fn write(out: &Path, name: &str, id: &str, rows: Vec<Row<'_>>) {
    let schema = schema(name);
    let set = |column: &str| column == "interview_id" || rows.iter().any(|row| row.iter().any(|(c, _)| *c == column));
    let columns = columns(&schema, set);
    let mut table = TableBuilder::new(TableSchema { columns, ..schema.clone() });
    for row in rows {
        table.row().set("interview_id", id);
        for (column, cell) in row {
            table.set(column, cell);
        }
    }
    save(out, name, id, &table.finish().unwrap());
}

/// Writes a frame-level table of numbers and, where `person` is given, whose they are.
fn write_frames(out: &Path, name: &str, id: &str, values: &[(&str, Vec<f64>)], person: Option<Vec<String>>) {
    let schema = schema(name);
    let wanted = columns(&schema, |c| values.iter().any(|(n, _)| *n == c) || (c == "person" && person.is_some()));
    let data = wanted.iter().map(|spec| {
        let values = values.iter().find(|(n, _)| *n == spec.name).map(|(_, v)| v);
        match (values, ColumnData::missing(spec.kind, 0)) {
            (Some(v), ColumnData::F32(_)) => ColumnData::F32(v.iter().map(|x| *x as f32).collect()),
            (Some(v), ColumnData::I64(_)) => ColumnData::I64(v.iter().map(|x| Some(*x as i64)).collect()),
            (Some(v), _) => ColumnData::F64(v.clone()),
            (None, _) => ColumnData::Str(person.iter().flatten().cloned().map(Some).collect()),
        }
    });
    let data = data.collect();
    save(out, name, id, &Table::new(TableSchema { columns: wanted, ..schema }, data).unwrap());
}

fn interview(out: &Path, id: &str, more: Row<'_>) {
    let mut row: Row<'_> = vec![("media", "media/made.wav".into())];
    row.extend(more);
    write(out, "interviews", id, vec![row]);
}

/// An interview of two people of so many seconds: turns of 4 s, one inside another now and then.
pub fn talk(out: &Path, id: &str, secs: u32) {
    let reasons = reasons();
    let count = (secs / 4).max(1);
    let name = |turn: u32| if turn.is_multiple_of(2) { "Ann" } else { HOSTILE };
    let start = |turn: u32| f64::from(turn) * 4.0;
    let turn = |i: u32| -> Row<'_> {
        let reason = reasons.get(i as usize);
        let mut row: Row<'_> = vec![
            ("turn_index", (i + 1).into()),
            ("start_secs", start(i).into()),
            ("end_secs", (start(i) + 3.5).into()),
            ("duration_secs", Cell::Float(3.5)),
            ("speaker", name(i).into()),
            ("text", if i == 1 { WORDS.into() } else { format!("this is turn number {}", i + 1).into() }),
            ("speaker_purity", (0.5 + f64::from(i % 5) / 10.0).into()),
            ("snr_db", f64::from(20 + i % 7).into()),
            ("voice_missing", reason.map_or(Cell::Missing, |r| (*r).into())),
        ];
        if reason.is_none() {
            row.push(("pitch_median_semitones", f64::from(30 + i % 9).into()));
        }
        row
    };
    write(out, "turns", id, (0..count).map(turn).collect());
    write(out, "dyads", id, (1..count).map(|i| pair(i, name(i), name(i + 1))).collect());
    let speech = |i: u32| -> Row<'_> {
        vec![
            ("start_secs", start(i).into()),
            ("end_secs", (start(i) + 4.5).into()),
            ("speaker", format!("SPEAKER_0{}", i % 2).into()),
            ("overlap_secs", Cell::Float(1.0)),
        ]
    };
    write(out, "speech", id, (0..count).map(speech).collect());
    let voice = |i: u32| -> Row<'_> {
        vec![
            ("speaker", format!("SPEAKER_0{i}").into()),
            ("label", name(i).into()),
            ("person", format!("P{}", i + 1).into()),
            ("person_confidence", Cell::Float(0.9)),
            ("match_share", Cell::Float(0.8)),
        ]
    };
    write(out, "speakers", id, (0..2).map(voice).collect());
    let lagging = |(from, to): (u32, u32)| -> Row<'_> {
        let profile = (0..21).map(|lag| (lag as f32 / 5.0).sin()).collect::<Vec<f32>>();
        vec![
            ("from", name(from).into()),
            ("to", name(to).into()),
            ("signal", "smile".into()),
            ("window_secs", Cell::Float(15.0)),
            ("z", Cell::Float(2.5)),
            ("p", Cell::Float(0.01)),
            ("profile", profile.into()),
        ]
    };
    write(out, "synchrony", id, [(0, 1), (1, 0)].map(lagging).into());
    frames(out, id, secs);
    let warnings =
        vec!["video_gap: no picture in [3.000, 5.000) s".to_owned(), "made: nothing here is real".to_owned()];
    let facts: Row<'_> = vec![
        ("status", "done".into()),
        ("duration_secs", f64::from(secs).into()),
        ("turns", count.into()),
        ("speakers", 2_u32.into()),
        ("persons", 2_u32.into()),
        ("face_share", Cell::Float(0.75)),
        ("warnings", warnings.into()),
    ];
    interview(out, id, facts);
}

/// A row of `dyads` for the turn after `i` turns.
fn pair<'a>(i: u32, speaker: &'a str, listener: &'a str) -> Row<'a> {
    vec![
        ("turn_index", (i + 1).into()),
        ("speaker", speaker.into()),
        ("listener", listener.into()),
        ("follows", true.into()),
        ("floor_offset_secs", if i.is_multiple_of(3) { Cell::Missing } else { Cell::Float(0.5) }),
        ("floor_transfer", if i.is_multiple_of(3) { Cell::Missing } else { "gap".into() }),
        ("floor_missing", if i.is_multiple_of(3) { "simultaneous".into() } else { Cell::Missing }),
        ("interrupts", i.is_multiple_of(4).into()),
        ("backchannel", (i % 5 == 1).into()),
        ("listener_smile", (f64::from(i % 10) / 10.0).into()),
    ]
}

/// Voice every 10 ms, unvoiced for a fifth of the time; two faces 10 times a second, one of them away for a third.
fn frames(out: &Path, id: &str, secs: u32) {
    let times: Vec<f64> = (0..secs * 100).map(|i| f64::from(i) / 100.0 + 0.005).collect();
    let pitch = times.iter().map(|t| if t % 5.0 < 1.0 { f64::NAN } else { 150.0 + 50.0 * (t * 1.7).sin() });
    let level = times.iter().map(|t| -30.0 + 10.0 * (t * 2.3).sin());
    let frame = (0..secs * 100).map(f64::from).collect();
    let voice =
        [("frame", frame), ("time_secs", times.clone()), ("pitch_hz", pitch.collect()), ("level_db", level.collect())];
    write_frames(out, "voice", id, &voice, None);
    let away = |t: f64| t > f64::from(secs) / 3.0 && t < f64::from(secs) / 1.5;
    let looks: Vec<(f64, u8)> = (0..secs * 10)
        .flat_map(|i| [(f64::from(i) / 10.0, 1), (f64::from(i) / 10.0, 2)])
        .filter(|(t, person)| *person == 1 || !away(*t))
        .collect();
    let wave = |pace: f64, scale: f64| -> Vec<f64> {
        looks.iter().map(|(t, person)| scale * (0.5 + 0.5 * (t * pace + f64::from(*person)).sin())).collect()
    };
    let signals = [
        ("pts_secs", looks.iter().map(|(t, _)| *t).collect()),
        ("blendshape_mouthSmileLeft", wave(0.3, 1.0)),
        ("blendshape_mouthSmileRight", wave(0.3, 0.9)),
        ("expression_happy", wave(0.2, 1.0)),
        ("blendshape_browInnerUp", wave(0.7, 0.4)),
        ("blendshape_browDownLeft", wave(0.5, 0.3)),
        ("blendshape_browDownRight", wave(0.5, 0.3)),
        ("gaze_camera_yaw_deg", wave(0.9, 20.0)),
        ("gaze_camera_pitch_deg", wave(0.8, 10.0)),
        ("head_yaw_deg", wave(0.4, 30.0)),
        ("head_pitch_deg", wave(0.6, 15.0)),
        ("mouth_opening", wave(3.0, 0.2)),
    ];
    let person = looks.iter().map(|(_, person)| format!("P{person}")).collect();
    write_frames(out, "faces", id, &signals, Some(person));
}

/// Interviews of which there is nothing to measure: one failed, the other's table of faces is damaged.
pub fn troubled(out: &Path) {
    let error = "no stream of <b>either</b> kind";
    interview(
        out,
        "sub/failed",
        vec![("status", "failed".into()), ("error", error.into()), ("error_kind", "media".into())],
    );
    talk(out, "damaged", 20);
    std::fs::write(table_path(out, "faces", "damaged").unwrap(), "PAR1 is no table").unwrap();
    std::fs::write(table_path(out, "interviews", "unreadable").unwrap(), "neither").unwrap();
}
