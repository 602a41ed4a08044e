//! A made corpus: couples and families in the benchmark's format with invented words, and tables as `extract` would
//! write them, in whose noise labels are planted or not.

use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::{Value, json};
use turnwise::pipeline::schemas;
use turnwise::random::Random;
use turnwise::recipe::Recipe;
use turnwise::store::parquet::{self, FileMetadata};
use turnwise::store::paths::table_path;
use turnwise::table::{Kind, Modality, TableBuilder, TableSchema};

/// The benchmark's tasks.
pub const TASKS: [&str; 6] = ["itp", "rpp", "stp", "ssp", "er", "vp"];

const COUPLE_STATES: [&str; 4] = ["attack_attack", "pursue_withdraw", "repair_softening", "withdraw_withdraw"];
const FAMILY_STATES: [&str; 4] =
    ["cooperative_family_alliance", "escalation_conflict", "pursue_withdraw", "repair_softening"];
const STRATEGIES: [&str; 4] = ["track", "join", "reframe", "safeguard"];

/// The program, run in the folder of the tests.
pub fn turnwise(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_turnwise")).args(args).output().unwrap()
}

/// What it prints where it goes well.
#[track_caller]
pub fn run(args: &[&str]) -> String {
    let done = turnwise(args);
    assert!(done.status.success(), "{args:?}: {}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).unwrap()
}

/// What it says on standard error where it must fail.
#[track_caller]
pub fn refused(args: &[&str]) -> String {
    let done = turnwise(args);
    let told = String::from_utf8_lossy(&done.stderr).into_owned();
    assert!(!done.status.success() && !told.contains("panicked"), "{told}");
    told
}

pub fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// How it is made.
pub struct Corpus {
    pub samples: usize,
    /// Samples of one couple or family.
    pub samples_each: usize,
    /// Rows of a sample; the first `more` samples have one more.
    pub rows: usize,
    pub more: usize,
    /// Share of labels that follow the features; 0 = none does, which is the same as shuffled labels.
    pub planted: f64,
    /// All columns of the tables instead of a few.
    pub wide: bool,
    pub seed: u64,
}

/// Draws by seed.
pub struct Chance(Random);

impl Chance {
    pub fn new(seed: u64) -> Self {
        Chance(Random::seeded(seed.wrapping_mul(0x2545_f491_4f6c_dd1d)))
    }

    pub fn unit(&mut self) -> f64 {
        self.0.unit()
    }

    pub fn below(&mut self, n: usize) -> usize {
        (self.unit() * n as f64) as usize
    }

    /// Mean 0, spread 1, near enough to normal.
    pub fn noise(&mut self) -> f64 {
        (0..4).map(|_| self.unit()).sum::<f64>() * 1.732_05 - 3.4641
    }
}

/// A made row: who speaks, and the hidden state of the four planted columns.
struct Made {
    speaker: String,
    start: f64,
    end: f64,
    state: [usize; 4],
}

/// Columns in which the states lie, and the sense each comes from.
const PLANTED: [(&str, Modality); 4] = [
    ("pitch_mean_semitones", Modality::Voice),
    ("level_mean_db", Modality::Voice),
    ("head_pitch_deg_mean", Modality::Face),
    ("pause_total_secs", Modality::Timing),
];

/// The place among the planted columns.
fn planted(name: &str) -> Option<usize> {
    PLANTED.iter().position(|(column, _)| *column == name)
}

impl Corpus {
    /// Writes `samples.jsonl` to `annotations` and the tables below `out`.
    pub fn write(&self, out: &Path, annotations: &Path) {
        let mut lines = String::new();
        let all = schemas(&Recipe::default());
        for at in 0..self.samples {
            let mut chance = Chance::new(self.seed * 100_000 + at as u64);
            let group = at / self.samples_each;
            let family = group % 4 == 3;
            let folder = if family { "family_therapy/" } else { "" };
            let id = format!("{folder}group_{group:03}/{at:03}_made");
            let rows = self.rows + usize::from(at < self.more);
            let (sample, made) = self.sample(&id, family, rows, &mut chance);
            writeln!(lines, "{sample}").unwrap();
            for schema in all.iter().filter(|s| ["turns", "turn_faces", "dyads"].contains(&s.name)) {
                let path = table_path(out, schema.name, &id).unwrap();
                parquet::write(&path, &self.table(schema, &id, &made, &mut chance), &FileMetadata::default()).unwrap();
            }
        }
        std::fs::create_dir_all(annotations).unwrap();
        std::fs::write(annotations.join("samples.jsonl"), lines).unwrap();
    }

    fn sample(&self, id: &str, family: bool, rows: usize, chance: &mut Chance) -> (Value, Vec<Made>) {
        let people: &[&str] = if family { &["Ann", "Bo", "Cleo"] } else { &["Ann", "Bo"] };
        let (label, states) = if family { ("Family", FAMILY_STATES) } else { ("Couple", COUPLE_STATES) };
        let mut made: Vec<Made> = Vec::new();
        let mut told: Vec<Value> = Vec::new();
        let mut time = 0.0;
        for r in 0..rows {
            let planted = chance.unit() < self.planted;
            // What was seen and heard in the row before decides, or chance does.
            let cause = made
                .last()
                .filter(|_| planted)
                .map_or_else(|| std::array::from_fn(|_| chance.below(4)), |m: &Made| m.state);
            let last = made.last().map(|m| m.speaker.clone()).filter(|s| s != "Therapist");
            let therapist = last.is_some() && (cause[1] == 0 || (chance.unit() < 0.1));
            let speaker =
                if therapist { "Therapist".to_owned() } else { people[chance.below(people.len())].to_owned() };
            let length = 1.0 + 9.0 * chance.unit();
            let state: [usize; 4] = std::array::from_fn(|_| chance.below(4));
            let own = if chance.unit() < self.planted { state } else { std::array::from_fn(|_| chance.below(4)) };
            let other = people.iter().find(|p| **p != speaker).copied().unwrap_or("Ann");
            let mut row = json!({"start_time": (time * 1000.0_f64).round() / 1000.0, "end_time": ((time + length) * 1000.0).round() / 1000.0,
                "primary_speaker": speaker, "target": [if therapist { label } else { other }], "dialogue_cleaned": "the kettle was blue and nobody asked",
                "tone_of_voice": "even", "row_index": r + 1, "background_dialogue": [], "facial_expressions": [{"person": speaker, "description": "calm"}]});
            if therapist {
                let target = if cause[2] < 2 { label.to_owned() } else { last.unwrap_or_default() };
                row["relation_cycle_state"] = json!(states[cause[0]]);
                row["support_strategy"] = json!([{"provider": "Therapist", "target": [target], "strategy_type": STRATEGIES[cause[3]], "strategy_content": "asks"}]);
            } else {
                row["internal_emotion"] = json!([{"person": speaker, "emotion_description": "a quiet worry", "intensity": 1 + 2 * own[0] + chance.below(2)}]);
                let about = if own[2] < 2 { "Therapist" } else { other };
                row["viewpoints_attitudes"] = json!([{"source": speaker, "target": about, "viewpoint": "that lanterns matter", "attitude": "fond"}]);
            }
            told.push(row);
            made.push(Made { speaker, start: time, end: time + length, state });
            time += length;
        }
        let scenario = if family { "family" } else { "couple" };
        (
            json!({"sample_id": id, "scenario": scenario, "participants": people, "source_file": format!("{id}.json"), "rows": told}),
            made,
        )
    }

    fn table(&self, schema: &TableSchema, id: &str, rows: &[Made], chance: &mut Chance) -> turnwise::table::Table {
        let number = |k| matches!(k, Kind::F32 | Kind::F64 | Kind::I64 | Kind::Bool);
        let columns = schema
            .columns
            .iter()
            .filter(|c| {
                self.wide
                    || !number(c.kind)
                    || planted(&c.name).is_some()
                    || ["turn_index", "end_secs", "overlap_secs", "duration_secs"].contains(&&*c.name)
            })
            .map(|c| planted(&c.name).map_or_else(|| c.clone(), |p| c.clone().of(PLANTED[p].1)))
            .collect();
        let mut table = TableBuilder::new(TableSchema { columns, ..schema.clone() });
        let names: Vec<(String, Kind)> = schema.columns.iter().map(|c| (c.name.to_string(), c.kind)).collect();
        let has = |name: &str| {
            self.wide
                || planted(name).is_some()
                || ["turn_index", "end_secs", "overlap_secs", "duration_secs"].contains(&name)
        };
        let mut speakers: Vec<&str> = rows.iter().map(|m| m.speaker.as_str()).collect();
        speakers.sort_unstable();
        speakers.dedup();
        for (r, row) in rows.iter().enumerate() {
            let listeners: Vec<&str> = match schema.name {
                "dyads" => speakers.iter().copied().filter(|s| *s != row.speaker).collect(),
                "turn_faces" => vec!["P1", "P2"],
                _ => vec![""],
            };
            for listener in listeners {
                table.row();
                for (name, kind) in names.iter().filter(|(n, k)| !number(*k) || has(n)) {
                    let planted = planted(name).filter(|_| schema.name == "turns");
                    match (name.as_str(), kind) {
                        ("interview_id", _) => table.set(name, id),
                        ("turn_index", _) => table.set(name, r + 1),
                        ("speaker", _) => table.set(name, row.speaker.as_str()),
                        ("listener" | "person", _) => table.set(name, listener),
                        ("start_secs", _) => table.set(name, row.start),
                        ("end_secs", _) => table.set(name, row.end),
                        ("duration_secs", _) => table.set(name, row.end - row.start),
                        // A twentieth is missing; a column that is never known is among them too.
                        (n, Kind::F32 | Kind::F64) if n != "dc_offset" && chance.unit() > 0.05 => {
                            let value = planted.map_or(0.0, |p| 2.0 * row.state[p] as f64) + 0.5 * chance.noise();
                            table.set(name, value)
                        }
                        (_, Kind::I64) => table.set(name, chance.below(9)),
                        (_, Kind::Bool) => table.set(name, chance.unit() < 0.5),
                        _ => &mut table,
                    };
                }
            }
        }
        table.finish().unwrap()
    }
}
