//! Voice: level, pitch and the descriptors of the 16 kHz signal on the 10 ms grid.

pub mod egemaps;
pub mod spectrum;
