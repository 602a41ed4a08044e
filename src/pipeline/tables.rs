//! The list of tables: from the scene of one interview to each of them.

use std::cell::RefCell;
use std::collections::BTreeMap;

use super::corrections::{corrections_schema, corrections_table};
use super::frames::{self, FrameTable};
use super::scene::Scene;
use super::{hear::Heard, interview};
use crate::audio::egemaps::{Extractor, FUNCTIONAL_COUNT, Functionals};
use crate::error::{Error, Result};
use crate::face;
use crate::recipe::Recipe;
use crate::signal::{Joined, Sound as _};
use crate::speaker::VAD_CHUNKS;
use crate::table::{Missing, Table, TableSchema, WaitingTable};
use crate::time::Segment;
use crate::turns::{self, BodyTurn, Speakers, TurnFacts, TurnsOf};

/// How the rows of a table come to be.
#[derive(Clone, Copy)]
enum Rows {
    /// From the scene, all at once.
    Whole(fn(&Scene<'_>) -> Result<Table>),
    /// Frame by frame, while they are written.
    Frames(FrameTable),
}

/// One table of an interview.
struct SceneTable {
    schema: fn(&Recipe) -> TableSchema,
    rows: Rows,
    /// True when an interview that has no rows of it has no such file.
    only_with_rows: bool,
    /// True when tasks may take its columns for features: it says which turn a row is of.
    features: bool,
    /// True for a small table that takes long: it is made beside the others.
    beside: bool,
}

impl SceneTable {
    const fn new(schema: fn(&Recipe) -> TableSchema, make: fn(&Scene<'_>) -> Result<Table>) -> Self {
        SceneTable { schema, rows: Rows::Whole(make), only_with_rows: false, features: false, beside: false }
    }

    const fn of_frames(table: FrameTable) -> Self {
        SceneTable {
            schema: table.schema,
            rows: Rows::Frames(table),
            only_with_rows: false,
            features: false,
            beside: false,
        }
    }

    const fn of_features(self) -> Self {
        SceneTable { features: true, ..self }
    }

    const fn beside(self) -> Self {
        SceneTable { beside: true, ..self }
    }

    /// `None` where it is not to be written.
    fn made(&self, scene: &Scene<'_>, values: &BTreeMap<String, String>) -> Result<Option<MadeTable>> {
        let (made, rows) = match self.rows {
            Rows::Whole(make) => {
                let table = make(scene)?;
                let rows = table.rows();
                (MadeTable::Whole(WaitingTable::new(table.filled(&|key| values.get(key).cloned()))?), rows)
            }
            Rows::Frames(table) => (MadeTable::Frames(table), (table.rows)(&scene.frames())),
        };
        Ok((rows > 0 || !self.only_with_rows).then_some(made))
    }

    const fn only_with_rows(self) -> Self {
        SceneTable { only_with_rows: true, ..self }
    }
}

fn words_table(scene: &Scene<'_>) -> Result<Table> {
    let probability = &scene.heard.diarization.vad_probability;
    let is_asked = scene.transcript.is_some() && scene.recipe.turns.estimate_word_times;
    let voiced = is_asked.then_some(turns::Voiced { probability, step_secs: VAD_CHUNKS.hop_secs() });
    turns::words_table(scene.id(), &scene.turns, scene.annotation(), voiced)
}

/// Every table but `interviews`, in the order of SCHEMA.md.
const TABLES: [SceneTable; 19] = [
    SceneTable::new(|recipe| turns::turns_schema(&recipe.turns, recipe.body.is_on()), turns_table).of_features(),
    SceneTable::new(|_| turns::turn_faces_schema(), turn_faces_table).of_features(),
    SceneTable::new(
        |recipe| turns::dyads_schema(&recipe.turns, recipe.body.is_on()),
        |scene| turns::dyads_table(&scene.relations()),
    )
    .of_features(),
    SceneTable::new(
        |recipe| turns::synchrony_schema(&recipe.turns.synchrony),
        |scene| turns::synchrony_table(&scene.relations()),
    ),
    SceneTable::new(
        |recipe| turns::coupling_schema(&recipe.turns.synchrony),
        |scene| turns::coupling_table(&scene.relations()),
    ),
    SceneTable::new(|_| turns::smiles_schema(), |scene| turns::smiles_table(&scene.relations())).only_with_rows(),
    SceneTable::new(|_| turns::laughter_schema(), |scene| turns::laughter_table(&scene.relations())).only_with_rows(),
    SceneTable::new(|_| turns::words_schema(), words_table).only_with_rows(),
    SceneTable::new(|_| turns::events_schema(), |scene| turns::events_table(scene.id(), &scene.turns, &scene.events))
        .only_with_rows(),
    SceneTable::new(|_| turns::annotations_schema(), |scene| turns::annotations_table(scene.id(), &scene.codes))
        .only_with_rows(),
    SceneTable::new(
        |_| turns::speech_schema(),
        |scene| turns::speech_table(scene.id(), scene.annotation(), &scene.heard.diarization.exclusive, &scene.cast),
    ),
    // Every second that is spoken is analysed for it once more.
    SceneTable::new(|recipe| turns::speakers_schema(recipe.turns.speaker_embeddings), speakers_table).beside(),
    SceneTable::of_frames(frames::VOICE),
    SceneTable::of_frames(frames::FACES),
    SceneTable::new(
        |recipe| face::tracks_layout(&recipe.face).schema(),
        |scene| face::tracks_table(scene.id(), &scene.seen.faces, &scene.recipe.face),
    ),
    SceneTable::new(|_| turns::turn_bodies_schema(), turn_bodies_table).only_with_rows(),
    SceneTable::of_frames(frames::BODIES).only_with_rows(),
    SceneTable::of_frames(frames::HANDS).only_with_rows(),
    SceneTable::new(|_| corrections_schema(), |scene| corrections_table(scene.id(), scene.corrected)).only_with_rows(),
];

/// The contract of every table of an output folder, in the order of SCHEMA.md.
pub fn schemas(recipe: &Recipe) -> Vec<TableSchema> {
    let tables = TABLES.iter().map(|t| (t.schema)(recipe));
    let values = values(recipe);
    let all = std::iter::once(interview::interviews_schema()).chain(tables);
    all.map(|schema| schema.filled(&|key| values.get(key).cloned())).collect()
}

/// The names of all tables of an output folder, in the order of SCHEMA.md.
pub fn table_names(recipe: &Recipe) -> Vec<&'static str> {
    let names = TABLES.iter().map(|t| (t.schema)(recipe).name);
    std::iter::once(interview::interviews_schema().name).chain(names).collect()
}

/// A table whose descriptions tell the recipe's values (see [`crate::table::Table::filled`]).
pub fn with_values(table: Table, recipe: &Recipe) -> Table {
    let values = values(recipe);
    table.filled(&|key| values.get(key).cloned())
}

/// The values of a recipe, nothing in them that says where something lies on this machine.
pub(super) fn values(recipe: &Recipe) -> BTreeMap<String, String> {
    // Only what has no TOML form fails, and a recipe has one.
    recipe.told(String::new(), String::new(), String::new()).values().unwrap_or_default()
}

/// The contracts of the tables whose columns tasks may take for features.
pub fn feature_tables(recipe: &Recipe) -> Vec<TableSchema> {
    let values = values(recipe);
    let all = TABLES.iter().filter(|t| t.features).map(|t| (t.schema)(recipe));
    all.map(|schema| schema.filled(&|key| values.get(key).cloned())).collect()
}

/// A table of an interview that is about to be written.
#[derive(Debug)]
pub(super) enum MadeTable {
    /// All of it.
    Whole(WaitingTable),
    /// What is made while it is written.
    Frames(FrameTable),
}

impl MadeTable {
    /// The table's name.
    pub(super) fn name(&self, recipe: &Recipe) -> &'static str {
        match self {
            MadeTable::Whole(table) => table.schema().name,
            MadeTable::Frames(table) => (table.schema)(recipe).name,
        }
    }
}

/// All tables but the interview's row, those without a row left out that are written with rows only. One large table is
/// made at a time: what is made waits where it takes no memory.
pub(super) fn tables(scene: &Scene<'_>) -> Result<Vec<MadeTable>> {
    let values = values(scene.recipe);
    let make = |beside: bool| -> Vec<(usize, Result<Option<MadeTable>>)> {
        let all = TABLES.iter().enumerate().filter(|(_, table)| table.beside == beside);
        all.map(|(at, table)| (at, table.made(scene, &values))).collect()
    };
    let (mut tables, beside) = rayon::join(|| make(false), || make(true));
    tables.extend(beside);
    tables.sort_by_key(|(at, _)| *at);
    tables.into_iter().filter_map(|(_, made)| made.transpose()).collect()
}

/// Describes voices for a table whose rows cannot fail: the first failure is kept, and told once the table is made.
struct Describer<'a> {
    heard: &'a Heard,
    extractor: RefCell<Extractor>,
    failure: RefCell<Option<Error>>,
}

impl<'a> Describer<'a> {
    fn new(heard: &'a Heard) -> Self {
        Describer { heard, extractor: RefCell::new(Extractor::new()), failure: RefCell::new(None) }
    }

    fn functionals(&self, of: impl FnOnce(&Heard, &mut Extractor) -> Result<Functionals>) -> Functionals {
        of(self.heard, &mut self.extractor.borrow_mut()).unwrap_or_else(|error| {
            self.failure.borrow_mut().get_or_insert(error);
            without(Missing::NoStream)
        })
    }

    fn told(self, table: Result<Table>) -> Result<Table> {
        self.failure.into_inner().map_or(table, Err)
    }
}

fn turns_table(scene: &Scene<'_>) -> Result<Table> {
    let own = |(turn, facts): (usize, &TurnFacts)| {
        let there = turns::of_turn(&scene.body_turns, turn, |r| r.turn);
        BodyTurn::of_speaker(there, facts.person.as_deref(), facts.face_missing)
    };
    let bodies: Option<Vec<BodyTurn>> =
        scene.recipe.body.is_on().then(|| scene.facts.iter().enumerate().map(own).collect());
    let describer = Describer::new(scene.heard);
    let table = turns::turns_table(&TurnsOf {
        relations: scene.all_relations(),
        spoken: scene.spoken.as_ref().map(|spoken| (scene.relations(), spoken.places.as_slice())),
        facts: &scene.facts,
        egemaps: &|at, turn| {
            if !scene.corrected.speaks(at) {
                return without(Missing::NotSpeech);
            }
            describer.functionals(|heard, extractor| turn_egemaps(turn.segment, heard, extractor))
        },
        said: &scene.said,
        bodies: bodies.as_deref(),
        config: &scene.recipe.turns,
    });
    describer.told(table)
}

fn turn_faces_table(scene: &Scene<'_>) -> Result<Table> {
    let person = |turn: usize| scene.facts.get(turn)?.person.as_deref();
    turns::turn_faces_table(scene.id(), &scene.turns, &scene.face_turns, person)
}

fn turn_bodies_table(scene: &Scene<'_>) -> Result<Table> {
    let person = |turn: usize| scene.facts.get(turn)?.person.as_deref();
    turns::turn_bodies_table(scene.id(), &scene.turns, &scene.body_turns, person)
}

fn speakers_table(scene: &Scene<'_>) -> Result<Table> {
    let voices = &scene.heard.diarization.voices;
    let embedding = |name: &str| voices.iter().find(|v| v.speaker == name)?.embedding.clone();
    let describer = Describer::new(scene.heard);
    let table = turns::speakers_table(&Speakers {
        interview_id: scene.id(),
        annotation: scene.annotation(),
        turns: &scene.turns,
        matches: &scene.matches,
        cast: &scene.cast,
        embedding: if scene.recipe.turns.speaker_embeddings { Some(&embedding) } else { None },
        egemaps: &|speaker| describer.functionals(|heard, extractor| speaker_egemaps(speaker, heard, extractor)),
    });
    describer.told(table)
}

fn without(missing: Missing) -> Functionals {
    Functionals { values: [None; FUNCTIONAL_COUNT], opensmile: [None; FUNCTIONAL_COUNT], missing: Some(missing) }
}

/// eGeMAPS of a turn, cut out and analysed on its own as openSMILE does.
fn turn_egemaps(segment: Segment, heard: &Heard, extractor: &mut Extractor) -> Result<Functionals> {
    match &heard.report {
        None => Ok(without(Missing::NoStream)),
        Some(_) if segment.start() >= heard.audio.duration() => Ok(without(Missing::PastEnd)),
        Some(_) => extractor.functionals_of(&Joined::new(&heard.audio, std::iter::once(segment))),
    }
}

/// eGeMAPS of everything one voice says alone: its stretches of the exclusive annotation, joined.
fn speaker_egemaps(speaker: &str, heard: &Heard, extractor: &mut Extractor) -> Result<Functionals> {
    let own = heard.diarization.exclusive.turns().iter().filter(|t| t.speaker == speaker);
    extractor.functionals_of(&Joined::new(&heard.audio, own.map(|t| t.segment)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::{Kind, Modality};
    use crate::turns::SpeakerZ;

    /// Numbers that say which row it is, and measure nothing.
    const KEYS: [&str; 1] = ["turn_index"];

    #[test]
    fn tasks_know_the_tables_that_say_which_turn_a_row_is_of() {
        let tables = feature_tables(&Recipe::default());
        assert_eq!(
            tables.iter().map(|t| t.name).collect::<Vec<_>>(),
            crate::tasks::FeatureTable::BY_TURN.map(crate::tasks::FeatureTable::name)
        );
        for table in tables {
            assert!(table.columns.iter().any(|c| c.name == "turn_index" && c.kind == Kind::I64), "{}", table.name);
        }
    }

    #[test]
    fn every_number_that_tasks_may_take_is_of_a_sense_or_a_key() {
        let mut recipe = Recipe::default();
        recipe.turns.speaker_z = SpeakerZ::Causal;
        let mut seen = std::collections::BTreeSet::new();
        for table in feature_tables(&recipe) {
            for column in table.columns {
                let is_text = matches!(column.kind, Kind::Str | Kind::StrList);
                let measures = !is_text && !KEYS.contains(&&*column.name);
                let place = format!("{}.{}", table.name, column.name);
                assert_eq!(measures, column.modality != Modality::None, "{place} is of {:?}", column.modality);
                seen.insert(column.modality);
            }
        }
        assert_eq!(seen.into_iter().collect::<Vec<_>>(), Modality::ALL);
    }

    #[test]
    fn a_table_stands_once_and_its_columns_too() {
        let schemas = schemas(&Recipe::default());
        let names: std::collections::BTreeSet<&str> = schemas.iter().map(|s| s.name).collect();
        assert_eq!(names.len(), schemas.len());
        for schema in &schemas {
            let columns: std::collections::BTreeSet<&str> = schema.columns.iter().map(|c| &*c.name).collect();
            assert_eq!(columns.len(), schema.columns.len(), "{}", schema.name);
        }
    }
}
