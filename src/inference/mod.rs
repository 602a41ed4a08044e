//! The one door to ONNX Runtime: a registry of models with their contracts, and sessions that keep to them.

mod hash;
mod loader;
mod places;
mod registry;
mod scripts;
mod session;
mod telemetry;
mod usage;

pub use hash::file_sha256;
pub use loader::{Loader, ModelSet, UsageBook};
pub use places::{Choice, Place, data_folder};
pub use registry::{Colour, ModelEntry, ModelState, OutputKind, PictureSpec, Registry, RuntimeEntry, TensorSpec};
pub use scripts::{SCRIPTS, unpack_scripts};
pub use session::{Input, RuntimeInfo, Session, runtime_info};
pub use usage::{ShapeCalls, Usage};

/// Settings that change speed only, never results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Runtime {
    /// Threads inside one model call. 1 leaves the parallelism to the stages and keeps sums in one order.
    pub intra_threads: usize,
    /// Keep freed tensors for the next call: a little faster, but memory stays at the sum of all sessions' peaks.
    pub arena: bool,
}

impl Default for Runtime {
    fn default() -> Self {
        Runtime { intra_threads: 1, arena: true }
    }
}
