//! Where the stages of one interview put their warnings.

use std::sync::Mutex;

use super::Warning;

/// A reporter shared by the stages of one interview.
#[derive(Debug, Default)]
pub struct Warnings(Mutex<Vec<Warning>>);

impl Warnings {
    /// Adds one.
    pub fn push(&self, warning: Warning) {
        tracing::debug!(%warning);
        self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push(warning);
    }

    /// All, as text, sorted and without repeats, so that the order of threads never shows.
    pub fn into_sorted(self) -> Vec<String> {
        let mut all: Vec<String> = self
            .0
            .into_inner()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
            .iter()
            .map(ToString::to_string)
            .collect();
        all.sort();
        all.dedup();
        all
    }
}
