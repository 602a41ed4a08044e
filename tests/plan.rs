//! Stories about runs that a scheduler spreads: what is left is told without any work, and chosen interviews are done
//! alone.

use crate::stage::Stage;

const CUES: &str = "1\n00:00:00,000 --> 00:00:01,000\nANNA: and so we began\n";

fn plan(stage: &Stage, options: &[&str]) -> serde_json::Value {
    let told = stage.run(&[&["extract", "corpus.csv", "--out", "out", "--plan"], options].concat());
    assert_eq!(told.code, 0, "{}", told.err);
    serde_json::from_str(&told.out).unwrap()
}

fn ids(plan: &serde_json::Value) -> (Vec<&str>, Vec<&str>) {
    let done = plan["done"].as_array().unwrap().iter().map(|id| id.as_str().unwrap()).collect();
    let left = plan["left"].as_array().unwrap().iter().map(|l| l["interview_id"].as_str().unwrap()).collect();
    (done, left)
}

#[test]
fn a_plan_is_what_a_run_does_and_chosen_interviews_are_done_alone() {
    let stage = Stage::new();
    stage.write("cues.srt", CUES);
    stage.cut("a.wav", "25", "1", &["-vn", "-c:a", "pcm_s16le"]);
    stage.write("corpus.csv", "interview_id,media,transcript\nx/a,a.wav,cues.srt\nb,,cues.srt\nc,,none.srt\n");

    let before = plan(&stage, &[]);
    assert_eq!(ids(&before), (vec![], vec!["x/a", "b", "c"]));
    assert_eq!(before["left"][0]["bytes"], std::fs::metadata(stage.path("a.wav")).unwrap().len());
    assert_eq!(before["left"][1]["bytes"], 0, "a transcript is no media");
    assert_eq!(before["left"][0]["files"], serde_json::json!(["a.wav", "cues.srt"]));
    assert!(before["tables"].as_array().unwrap().iter().any(|t| t == "turns"));
    assert!(stage.files("out").keys().all(|name| name.starts_with('.')), "a plan writes nothing");

    // Ids in another order than the manifest's; what is not chosen is neither done nor told of.
    let told = stage.run(&["extract", "corpus.csv", "--out", "out", "--jobs=1", "--only=c", "--only=x/a"]);
    assert_eq!(told.code, 1);
    told.line("[1/2] x/a: done");
    told.line("[2/2] c: failed");
    assert!(!told.err.contains("--prune"), "{}", told.err);
    assert_eq!(ids(&plan(&stage, &[])), (vec!["x/a"], vec!["b", "c"]), "what failed is left");
    assert_eq!(ids(&plan(&stage, &["--only=x/a"])), (vec!["x/a"], vec![]));
    assert_eq!(ids(&plan(&stage, &["--force"])).1.len(), 3);
    assert_eq!(ids(&plan(&stage, &["--set", "input.skip_video=true"])).1.len(), 3, "another recipe");

    // The bytes are those of a run over all.
    let whole = Stage::new();
    for name in ["cues.srt", "a.wav", "corpus.csv"] {
        std::fs::copy(stage.path(name), whole.path(name)).unwrap();
    }
    assert_eq!(whole.run(&["extract", "corpus.csv", "--out", "out", "--jobs=1"]).code, 1);
    assert_eq!(stage.run(&["extract", "corpus.csv", "--out", "out", "--jobs=1", "--only=b"]).code, 0);
    assert_eq!(stage.files("out"), whole.files("out"));
}

#[test]
fn a_choice_that_cannot_be_is_refused_before_any_work() {
    let stage = Stage::new();
    stage.write("cues.srt", CUES);
    stage.write("corpus.csv", "interview_id,media,transcript\na1,,cues.srt\nb1,,cues.srt\n");
    let refused = |arguments: &[&str], word: &str| {
        let told = stage.run(&[&["extract"], arguments, &["--out", "out"]].concat());
        assert_eq!(told.code, 2, "{}", told.err);
        assert!(told.err.contains(word), "{}", told.err);
    };
    refused(&["corpus.csv", "--only=a2"], "the manifest has no interview \"a2\"");
    refused(&["corpus.csv", "--only=a1", "--prune"], "--prune");
    refused(&["cues.srt", "--only=a1"], "--only chooses from a manifest");
    assert!(!stage.path("out").join("interviews").exists());
    // A plan of a folder that a run writes into would be old before it is read.
    std::fs::create_dir_all(stage.path("out")).unwrap();
    let lock = std::fs::File::create(stage.path("out/.lock")).unwrap();
    lock.lock().unwrap();
    refused(&["corpus.csv", "--plan"], "another run is writing into out");
}
