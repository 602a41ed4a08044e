//! Model files: missing, altered, a user's own, failing.

use std::process::Command;

use crate::stage::{Stage, models, row, table};

#[test]
fn models_that_are_missing_or_altered_are_told_before_anything_is_decoded() {
    let stage = Stage::new();
    stage.write("a.wav", "no sound: if it were opened, the message would be another");
    std::fs::create_dir(stage.path("none")).unwrap();
    let told = stage.run(&["extract", "a.wav", "--out", "out", "--models", "none"]);
    assert_eq!((told.code, told.err.lines().count()), (1, 1), "{}", told.err);
    for part in ["is missing", "none/", "sha256", "make models", "--models"] {
        assert!(told.err.contains(part), "{part}: {}", told.err);
    }
    assert_eq!(stage.run(&["models", "--models", "none"]).code, 1);
    assert_eq!(stage.run(&["doctor", "--models", "none"]).code, 1);

    // The same folder but for one file.
    std::fs::create_dir(stage.path("altered")).unwrap();
    for entry in std::fs::read_dir(models()).unwrap() {
        let path = entry.unwrap().path().canonicalize().unwrap();
        std::os::unix::fs::symlink(&path, stage.path("altered").join(path.file_name().unwrap())).unwrap();
    }
    let victim = std::fs::read_dir(stage.path("altered")).unwrap().map(|e| e.unwrap().path());
    let victim = victim
        .filter(|p| p.to_string_lossy().contains("swift_f0") && p.extension().is_some_and(|e| e == "onnx"))
        .min()
        .unwrap();
    std::fs::remove_file(&victim).unwrap();
    std::fs::write(&victim, "not the weights").unwrap();
    let told = stage.run(&["extract", "a.wav", "--out", "out", "--models", "altered"]);
    assert_eq!((told.code, told.err.lines().count()), (1, 1), "{}", told.err);
    // sha256 of the text above, as `sha256sum` tells it.
    let got = Command::new("sha256sum").arg(&victim).output().unwrap();
    let got = String::from_utf8(got.stdout).unwrap().split(' ').next().unwrap().to_owned();
    assert!(
        told.err.contains("is altered") && told.err.contains(&got) && told.err.contains("expected "),
        "{}",
        told.err
    );
    assert!(stage.run(&["models", "--models", "altered"]).out.contains("ALTERED"));
    assert!(!stage.path("out").exists());
}

const OWN_DETECTOR: &str = r#"
inputs = [{ name = "images", dtype = "f32", shape = [1, 3, 64, 96] }]
outputs = [{ name = "boxes", dtype = "f32", shape = [1, 2, 4] }, { name = "scores", dtype = "f32", shape = [1, 2] }]
picture = { colour = "rgb", std = [255, 255, 255] }
answer = "boxes"
"#;

const OWN_EXPRESSION: &str = r#"
inputs = [{ name = "face", dtype = "f32", shape = ["batch", 3, 8, 8] }]
outputs = [{ name = "logits", dtype = "f32", shape = ["batch", 3] }]
picture = { colour = "bgr", mean = [128, 128, 128], std = [64, 64, 64] }
answer = "logits"
labels = ["happy", "sad", "contempt"]
"#;

#[test]
fn a_users_own_detector_and_expression_model_are_a_matter_of_the_registry() {
    let stage = Stage::new();
    stage.clip("clip.mp4");
    let own = [("mine", "tiny_detector.onnx", OWN_DETECTOR), ("feelings", "tiny_expression.onnx", OWN_EXPRESSION)];
    let models = stage.own_models(&own);
    let models = models.to_str().unwrap();
    let faces = |out: &str, sets: &[&str]| {
        let mut arguments = vec!["faces", "clip.mp4", "--out", out, "--models", models];
        arguments.extend(sets.iter().flat_map(|s| ["--set", s]));
        stage.run(&arguments)
    };

    // 640x360 is seen at 0.15 of its size: the box from (12, 8) to (36, 40) is (80, 53.3) to (240, 266.7).
    let told = faces("a", &["face.detector=mine", "face.min_track_observations=1"]);
    assert_eq!(told.code, 0, "{}", told.err);
    let found = table(&stage, "a/faces.parquet");
    let at = |name: &str| found.number(name, 0).unwrap();
    assert!(at("score") > 0.5 && at("score") <= 0.9, "0.9 of the brightest value: {}", at("score"));
    assert!(
        (at("box_left_px") - 80.0).abs() < 1.0 && (at("box_width_px") - 160.0).abs() < 1.0,
        "{}",
        at("box_left_px")
    );

    let told = faces("b", &["face.expression=feelings"]);
    assert_eq!(told.code, 0, "{}", told.err);
    let found = table(&stage, "b/faces.parquet");
    let row = (0..found.rows())
        .find(|&r| found.number("expression_happy", r).is_some())
        .expect("an expression was looked at");
    let (happy, sad) = (found.number("expression_happy", row).unwrap(), found.number("expression_sad", row).unwrap());
    assert!(
        happy > 0.0 && sad > 0.0 && happy + sad < 1.0,
        "{happy} {sad}: the rest is contempt, for which there is no column"
    );
    assert_eq!(found.number("expression_neutral", row), None, "the model does not know neutral");

    let told = faces("c", &["face.detector=feelings"]);
    assert_eq!(told.code, 1);
    told.line("answer = \"retinaface\" or \"boxes\"");
    let told = faces("d", &["face.expression=nobody"]);
    assert!(told.code != 0 && told.err.contains("nobody") && told.err.contains("feelings"), "{}", told.err);
}

#[test]
fn a_model_that_fails_costs_its_interview_and_is_never_a_missing_face() {
    let stage = Stage::new();
    stage.clip("seen.mp4");
    stage.cut("heard.wav", "20", "3", &["-vn", "-c:a", "pcm_s16le"]);
    stage.write("corpus.csv", "interview_id,media\nseen,seen.mp4\nheard,heard.wav\n");
    let contract = r#"
inputs = [{ name = "image", dtype = "f32", shape = ["batch", 3, 256, 256] }]
outputs = [{ name = "landmarks", dtype = "f32", shape = ["batch", 1434] }, { name = "presence", dtype = "f32", shape = ["batch", 1] }]
"#;
    let models = stage.own_models(&[("face_landmarks", "broken_landmarks.onnx", contract)]);
    let told = stage.run(&["extract", "corpus.csv", "--out", "out", "--models", models.to_str().unwrap()]);
    assert_eq!(told.code, 1, "{}", told.err);
    told.line("1 done, 0 already done, 1 failed");
    let interviews = table(&stage, "out/interviews.parquet");
    let (seen, heard) = (row(&interviews, "seen"), row(&interviews, "heard"));
    assert_eq!(interviews.text("status", heard), Some("done"));
    assert_eq!((interviews.text("status", seen), interviews.text("error_kind", seen)), (Some("failed"), Some("model")));
    assert!(
        interviews.text("error", seen).is_some_and(|e| e.contains("face_landmarks")),
        "{:?}",
        interviews.text("error", seen)
    );
    assert!(!stage.path("out/faces/seen.parquet").exists());
}
