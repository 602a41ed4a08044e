//! A story about what a corpus takes, told before it is done.

use std::process::Command;

use crate::stage::Stage;

#[test]
fn the_first_minutes_are_done_and_tell_what_the_rest_takes() {
    let stage = Stage::new();
    // Longer than the five minutes that are judged by, and quickly done: there is nothing to hear.
    let source = "color=c=gray:s=16x16:r=1:d=310";
    let made =
        Command::new("ffmpeg").args(["-v", "error", "-f", "lavfi", "-i", source]).arg(stage.path("a.mp4")).status();
    assert!(made.unwrap().success());
    let mut manifest = "interview_id,media,transcript\n".to_owned();
    for id in ["a", "b", "c"] {
        if id != "a" {
            std::fs::copy(stage.path("a.mp4"), stage.path(&format!("{id}.mp4"))).unwrap();
        }
        manifest += &format!("{id},{id}.mp4,cues.srt\n");
    }
    stage.write("cues.srt", "1\n00:00:10,000 --> 00:00:12,000\nANNA: and so we began\n");
    stage.write("corpus.csv", &manifest);
    let run = |options: &[&str]| {
        let common = ["extract", "corpus.csv", "--out", "out", "--jobs", "1", "--set", "input.skip_video=true"];
        stage.run(&[&common, options].concat())
    };
    let told = run(&["--estimate"]);
    told.line("1 done, 0 already done, 0 failed");
    assert!(
        told.out.starts_with("2 of 3 left, as file sizes tell: ") && told.out.contains(" more to write, "),
        "{}",
        told.out
    );
    assert!(stage.path("out/interviews/a.parquet").is_file() && !stage.path("out/interviews/b.parquet").exists());
    // It is told again for nothing, and what was done for it is kept.
    run(&["--estimate"]).line("0 done, 1 already done, 0 failed");
    run(&[]).line("2 done, 1 already done, 0 failed");
    let told = run(&["--estimate", "-q"]);
    assert!(told.out.starts_with("all 3 interviews are done, "), "{}", told.out);
    assert_eq!(run(&["--estimate", "--force"]).code, 2, "what is estimated is not done twice");
}
