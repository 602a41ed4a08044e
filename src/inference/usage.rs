//! What a model was asked, and the processor time it took inside ONNX Runtime. No result depends on it: it goes into
//! the timings beside the tables, and `benches/floor.rs` asks the same again to learn what bare inference costs.

use serde::{Deserialize, Serialize};

/// The calls of one session.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Usage {
    /// How many.
    pub calls: u64,
    /// Processor time of the calling threads inside the runtime; all of it, as long as a call has one thread.
    pub cpu_secs: f64,
    /// The same calls by the shape of their inputs, in order of first use.
    pub shapes: Vec<ShapeCalls>,
}

/// Calls of one shape.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ShapeCalls {
    /// Name and dimensions of each input.
    pub inputs: Vec<(String, Vec<usize>)>,
    /// How many.
    pub calls: u64,
}

impl Usage {
    /// Counts one call.
    pub(super) fn add(&mut self, inputs: Vec<(String, Vec<usize>)>, cpu_secs: f64) {
        self.calls += 1;
        self.cpu_secs += cpu_secs;
        match self.shapes.iter_mut().find(|s| s.inputs == inputs) {
            Some(same) => same.calls += 1,
            None => self.shapes.push(ShapeCalls { inputs, calls: 1 }),
        }
    }
}

/// Processor time this thread has used, in seconds.
pub(super) fn thread_cpu_secs() -> f64 {
    let mut t = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the call fills the struct it is given; if it fails the struct stays 0.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut t) };
    t.tv_sec as f64 + t.tv_nsec as f64 * 1e-9
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_counted_by_shape() {
        let mut usage = Usage::default();
        for batch in [1, 8, 1] {
            usage.add(vec![("image".into(), vec![batch, 3])], 0.5);
        }
        assert_eq!((usage.calls, usage.cpu_secs), (3, 1.5));
        let counts: Vec<_> = usage.shapes.iter().map(|s| (s.inputs[0].1[0], s.calls)).collect();
        assert_eq!(counts, [(1, 2), (8, 1)]);
    }
}
