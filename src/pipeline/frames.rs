//! Tables of frames: what is heard and seen frame by frame, made a row group at a time while it is written.

use std::ops::Range;

use super::hear::Heard;
use super::tables::values;
use super::watch::Seen;
use crate::audio;
use crate::body;
use crate::error::Result;
use crate::face;
use crate::recipe::Recipe;
use crate::table::{Table, TableSchema};

/// What tables of frames are made from.
#[derive(Clone, Copy)]
pub(super) struct Frames<'a> {
    pub(super) interview_id: &'a str,
    pub(super) heard: &'a Heard,
    pub(super) seen: &'a Seen,
    pub(super) recipe: &'a Recipe,
}

/// How a table of frames is made.
#[derive(Clone, Copy, Debug)]
pub(super) struct FrameTable {
    pub(super) schema: fn(&Recipe) -> TableSchema,
    /// How many rows it has.
    pub(super) rows: fn(&Frames<'_>) -> usize,
    /// Makes some of them.
    pub(super) part: fn(&Frames<'_>, Range<usize>) -> Result<Table>,
}

impl FrameTable {
    /// Its schema with the recipe's values in the descriptions.
    pub(super) fn told_schema(&self, recipe: &Recipe) -> TableSchema {
        let values = values(recipe);
        (self.schema)(recipe).filled(&|key| values.get(key).cloned())
    }
}

/// 10 ms of sound a row.
pub(super) const VOICE: FrameTable = FrameTable {
    schema: |_| audio::voice_layout().schema(),
    rows: |of| of.heard.acoustics.len(),
    part: |of, rows| {
        let lld = of.heard.lld.part(rows.clone())?;
        audio::voice_table(of.interview_id, &of.heard.acoustics, rows, &lld)
    },
};

/// A face in a frame.
pub(super) const FACES: FrameTable = FrameTable {
    schema: |recipe| face::faces_layout(&recipe.face).schema(),
    rows: |of| of.seen.faces.observations.len(),
    part: |of, rows| face::faces_table(of.interview_id, &of.seen.faces, rows, &of.recipe.face),
};

/// A body in a frame.
pub(super) const BODIES: FrameTable = FrameTable {
    schema: |recipe| body::bodies_layout(&recipe.body).schema(),
    rows: |of| of.seen.bodies.observations.len(),
    part: |of, rows| body::bodies_table(of.interview_id, &of.seen.bodies, rows, &of.recipe.body),
};

/// A hand in a frame.
pub(super) const HANDS: FrameTable = FrameTable {
    schema: |recipe| body::hands_layout(&recipe.body).schema(),
    rows: |of| of.seen.bodies.hands.len(),
    part: |of, rows| body::hands_table(of.interview_id, &of.seen.bodies, rows, &of.recipe.body),
};
