//! A stretch of a recording as rising frames, of which neighbours are held as one run: hours of stretches around every
//! quarter of a second are many frames and few runs.

use std::ops::Range;

/// Rising frames.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stretch {
    runs: Box<[Range<u32>]>,
}

impl Stretch {
    /// True without a frame.
    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// The first frame.
    pub fn first(&self) -> Option<usize> {
        self.frames().next()
    }

    /// All frames.
    pub fn frames(&self) -> impl Iterator<Item = usize> + use<'_> {
        self.runs.iter().flat_map(|run| run.start as usize..run.end as usize)
    }
}

/// Of rising frames; equal ones are one.
impl FromIterator<usize> for Stretch {
    fn from_iter<I: IntoIterator<Item = usize>>(frames: I) -> Self {
        let mut runs: Vec<Range<u32>> = Vec::new();
        // 32 bits are 994 days of feature frames.
        for frame in frames.into_iter().map(|f| f as u32) {
            match runs.last_mut() {
                Some(run) if frame < run.end => {}
                Some(run) if frame == run.end => run.end += 1,
                _ => runs.push(frame..frame + 1),
            }
        }
        Stretch { runs: runs.into() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_come_back_each_once_and_neighbours_are_one_run() {
        let stretch: Stretch = [3, 3, 4, 5, 9, 11, 12].into_iter().collect();
        assert_eq!(stretch.frames().collect::<Vec<_>>(), [3, 4, 5, 9, 11, 12]);
        assert_eq!((stretch.first(), stretch.runs.len()), (Some(3), 3));
        let none = Stretch::default();
        assert!(none.is_empty() && none.first().is_none() && none == std::iter::empty().collect());
    }
}
