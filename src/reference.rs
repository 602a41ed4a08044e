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
