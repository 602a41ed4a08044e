//! What the program says before and beside its work: wrong requests, the machine, the recipe, the schema.

use crate::stage::Stage;

#[test]
fn a_wrong_request_is_told_before_any_work_with_exit_2() {
    let stage = Stage::new();
    stage.write("a.wav", "");
    for (name, text, part) in [
        ("header.csv", "id,file\na,b\n", "header.csv:1: no column \"interview_id\""),
        ("twice.csv", "interview_id,media\na,a.wav\na,a.wav\n", "twice.csv:3: interview_id \"a\" is used twice"),
        ("up.csv", "interview_id,media\n../../a,a.wav\n", "up.csv:2: interview id \"../../a\""),
        ("root.csv", "interview_id,media\n/etc/a,a.wav\n", "root.csv:2: interview id \"/etc/a\""),
        ("cells.csv", "interview_id,media\na,a.wav,more\n", "cells.csv:2"),
    ] {
        stage.write(name, text);
        let told = stage.run(&["extract", name, "--out", "out"]);
        assert_eq!(told.code, 2, "{}", told.err);
        assert_eq!(told.err.lines().count(), 1, "{}", told.err);
        assert!(told.err.starts_with("error: ") && told.err.contains(part), "{}", told.err);
    }
    for (arguments, part) in [
        (vec!["extract", "gone.mp4", "--out", "out"], "there is no file gone.mp4"),
        (vec!["extract", "a.wav", "--out", "out", "--id", "../b"], "interview id \"../b\""),
        (vec!["extract", "a.wav", "--out", "out", "--set", "face.rate=1"], "rate_hz"),
        (vec!["extract", "a.wav", "--out", "out", "--set", "face.rate_hz=fast"], "expected float"),
        (vec!["extract", "a.wav", "--out", "out", "--min-speakers", "3", "--max-speakers", "2"], "3"),
        (vec!["extract", "a.wav", "--out", "out", "--speakers", "2", "--max-speakers", "3"], "cannot be used with"),
        (vec!["extract", "a.wav", "--out", "out", "--speakers", "0"], "--speakers"),
        (vec!["extract", "a.wav", "--out", "out", "--jobs", "0"], "--jobs"),
        (vec!["extract", "a.wav"], "--out"),
        (
            vec!["extract", "twice.csv", "--out", "out", "--transcript", "a.srt"],
            "--transcript goes with a single media file",
        ),
        (vec!["extrakt"], "extrakt"),
    ] {
        let told = stage.run(&arguments);
        assert_eq!(told.code, 2, "{arguments:?}: {}", told.err);
        assert!(told.err.starts_with("error: ") && told.err.contains(part), "{arguments:?}: {}", told.err);
    }
    assert!(!stage.path("out").exists());
}

#[test]
fn a_folder_that_cannot_be_written_to_is_told_before_any_work() {
    let stage = Stage::new();
    stage.write("a.wav", "");
    stage.write("file", "");
    for (out, part) in
        [("file", "cannot make the folder file"), ("file/below", "file/below"), ("/proc/turnwise", "/proc/turnwise")]
    {
        let told = stage.run(&["extract", "a.wav", "--out", out]);
        assert_eq!((told.code, told.err.lines().count()), (1, 1), "{}", told.err);
        assert!(told.err.contains(part), "{}", told.err);
    }
}

#[test]
fn the_machine_the_recipe_and_the_schema_are_told() {
    let stage = Stage::new();
    let doctor = stage.run(&["doctor"]);
    assert_eq!(doctor.code, 0, "{}", doctor.out);
    assert!(["FFmpeg", "ONNX Runtime", "models", "all well"].iter().all(|p| doctor.out.contains(p)), "{}", doctor.out);
    let models = stage.run(&["models"]);
    assert!(models.code == 0 && models.out.contains("licence") && models.out.contains("present"), "{}", models.out);
    let recipe = stage.run(&["recipe", "--set", "face.rate_hz=3"]);
    assert!(recipe.code == 0 && recipe.out.contains("rate_hz = 3.0"), "{}", recipe.out);
    // What it prints is a recipe.
    stage.write("r.toml", &recipe.out);
    assert_eq!(stage.run(&["recipe", "--recipe", "r.toml"]).out, recipe.out);
    assert!(stage.run(&["schema"]).out.contains("turn_index"));
    for shell in ["bash", "zsh", "fish"] {
        let told = stage.run(&["completions", shell]);
        assert!(told.code == 0 && told.out.contains("stall-secs"), "{shell}");
    }
    let version = stage.run(&["--version"]);
    assert_eq!(version.out.trim(), concat!("turnwise ", env!("CARGO_PKG_VERSION")));
    let help = stage.run(&["extract", "--help"]);
    assert!(help.code == 0 && help.out.contains("--transcript") && help.out.contains("--stall-secs"));
    let nothing = stage.run(&["inspect", "gone"]);
    assert!(nothing.code != 0 && nothing.err.starts_with("error: ") && nothing.err.contains("gone"), "{}", nothing.err);
}
