//! The reference clips of the tests behind the feature `shared-tests`: media and what other tools made of them.

use std::path::PathBuf;

/// The folder of reference clips: `TURNWISE_SHARED`, else `../shared` beside the clone. A test that cannot read it
/// fails.
pub(crate) fn folder() -> PathBuf {
    let folder = std::env::var_os("TURNWISE_SHARED").map_or_else(|| PathBuf::from("../shared"), PathBuf::from);
    assert!(
        folder.join("reference").is_dir() && folder.join("media").is_dir(),
        "{} does not hold the reference clips; name their folder in TURNWISE_SHARED, or test without --features \
         shared-tests",
        folder.display()
    );
    folder
}

/// The video clips of which there is what MediaPipe gave.
pub(crate) const VIDEO_CLIPS: [&str; 9] = [
    "debate_cuts",
    "debate_two_faces",
    "interview_split_screen",
    "noface_then_face",
    "single_face",
    "stage_and_audience",
    "ted_talk",
    "two_women_portrait",
    "webcam_frown",
];
