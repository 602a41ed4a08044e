//! A transcript that is not in order of time: what is told of a turn looks at what came before it in time, and is what
//! the same transcript in order tells.

use crate::stage::Stage;
use turnwise::store::read::{StoredTable, read};

/// Who talks from when to when: eight turns of two people and one of nobody in particular, some overlapping.
const TALK: [(&str, f64, f64, &str); 9] = [
    ("Anna", 0.5, 1.5, "How are you today?"),
    ("Ben", 1.7, 3.0, "Well, thank you."),
    ("Anna", 2.8, 4.0, "I am glad to hear it."),
    ("Ben", 4.2, 5.0, "And you?"),
    ("Anna", 5.0, 6.4, "We are fine, really."),
    ("Ben", 5.5, 5.8, "Mhm."),
    ("", 6.5, 7.0, "Hello?"),
    ("Ben", 7.1, 8.4, "Who is that?"),
    ("Anna", 8.5, 9.6, "Nobody that I know."),
];

/// Places in [`TALK`] in the order of the file.
const SHUFFLED: [usize; 9] = [4, 0, 8, 2, 1, 7, 6, 3, 5];

/// A tone that rises, so that pitches differ from turn to turn.
fn sound(stage: &Stage) {
    let rising = "aevalsrc=0.4*sin(2*PI*(120*t+6*t*t))+0.2*sin(4*PI*(120*t+6*t*t)):s=16000:d=10";
    let done = std::process::Command::new("ffmpeg")
        .args(["-v", "error", "-y", "-f", "lavfi", "-i", rising])
        .arg(stage.path("a.wav"))
        .stdin(std::process::Stdio::null())
        .status()
        .expect("ffmpeg is needed: make apt");
    assert!(done.success());
}

fn extracted(stage: &Stage, name: &str, order: &[usize]) -> impl Fn(&str) -> StoredTable {
    let lines: Vec<String> = order
        .iter()
        .map(|&at| {
            let (speaker, start, end, text) = TALK[at];
            format!("{speaker},{start},{end},\"{text}\"\n")
        })
        .collect();
    stage.write(&format!("{name}.csv"), &format!("speaker,start,end,text\n{}", lines.concat()));
    stage.write("corpus.csv", &format!("interview_id,media,transcript\none,a.wav,{name}.csv\n"));
    let set = ["speaker.labels=ignore", "turns.speaker_z=causal", "turns.entrainment.min_exchanges=3"];
    let mut arguments = vec!["extract", "corpus.csv", "--out", name, "--jobs", "1"];
    set.iter().for_each(|s| arguments.extend(["--set", s]));
    let told = stage.run(&arguments);
    assert_eq!(told.code, 0, "{}", told.err);
    let out = stage.path(name);
    move |table| read(&out.join(table).join("one.parquet")).unwrap()
}

#[test]
fn a_transcript_in_any_order_tells_of_each_turn_what_it_tells_in_order() {
    let stage = Stage::new();
    sound(&stage);
    let in_order = extracted(&stage, "sorted", &[0, 1, 2, 3, 4, 5, 6, 7, 8]);
    let shuffled = extracted(&stage, "shuffled", &SHUFFLED);
    let number = |place: usize| SHUFFLED.iter().position(|at| *at == place).unwrap() as f64 + 1.0;
    for table in ["turns", "dyads", "synchrony", "coupling"] {
        let (expected, found) = (in_order(table), shuffled(table));
        assert_eq!(found.rows(), expected.rows(), "{table}");
        for (column, (a, b)) in expected.schema().columns.iter().zip(expected.columns().iter().zip(found.columns())) {
            if column.name != "turn_index" {
                // As text: a NaN is no equal of its like.
                assert_eq!(format!("{b:?}"), format!("{a:?}"), "{table}.{}", column.name);
            }
        }
        for row in (0..found.rows()).filter(|_| expected.number("turn_index", 0).is_some()) {
            let place = expected.number("turn_index", row).unwrap() as usize - 1;
            assert_eq!(found.number("turn_index", row), Some(number(place)), "{table}: the number in the file");
        }
    }
    // The last row is all of it, and there is something to tell.
    let dyads = shuffled("dyads");
    let last = dyads.rows() - 1;
    assert_eq!(dyads.text("speaker", last), Some("Anna"));
    let (anna, ben) = (1.0 + 1.2 + 1.4 + 1.1, 1.3 + 0.8 + 0.3 + 1.3);
    assert!((dyads.number("speaker_floor_share", last).unwrap() - anna / (anna + ben)).abs() < 1e-9);
    assert!(dyads.number("entrainment_pitch_convergence", last).is_some());
    let warnings = read(&stage.path("shuffled/interviews/one.parquet")).unwrap();
    let told = warnings.texts("warnings", 0).unwrap().join("\n");
    assert!(told.contains("turn_index keeps the file's order, rows go by time"), "{told}");
}
