//! Smoothing of contours by a moving average over three frames. The ends are continued by their own value, and the
//! result is one frame longer than the contour, as openSMILE has it: its last frame repeats the contour's last value.

/// `sma3`: the mean of a frame and its two neighbours.
pub(super) fn sma3(contour: &mut Vec<f32>) {
    smooth(contour, None, usize::MAX, plain);
}

/// `sma3nz`: zeros stay zero and are left out of their neighbours' means.
pub(super) fn sma3nz(contour: &mut Vec<f32>) {
    sma3nz_blind_from(usize::MAX, contour);
}

/// As [`sma3nz`], but frames from `first` on do not see the next: they count twice in its place.
pub(super) fn sma3nz_blind_from(first: usize, contour: &mut Vec<f32>) {
    smooth(contour, None, first, of_nonzero);
}

/// The end of a contour whose frames up to `before` were taken off by [`front`]: smoothed as in the whole contour.
pub(super) fn end(kind: Kind, before: Option<f32>, blind_from: usize, contour: &mut Vec<f32>) {
    smooth(contour, before, blind_from, kind.mean());
}

/// How a contour is smoothed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// [`sma3`].
    All,
    /// [`sma3nz`].
    Nonzero,
}

impl Kind {
    fn mean(self) -> fn(f32, f32, f32) -> f32 {
        match self {
            Kind::All => plain,
            Kind::Nonzero => of_nonzero,
        }
    }
}

/// Takes the first `count` frames off a contour that goes on behind them, and gives them smoothed. `before` is the
/// frame before them, as it was, and becomes the last of them.
pub(super) fn front(kind: Kind, before: &mut Option<f32>, count: usize, contour: &mut Vec<f32>) -> Vec<f32> {
    let mean = kind.mean();
    let mut smoothed = Vec::with_capacity(count);
    for i in 0..count {
        let here = contour[i];
        smoothed.push(mean(before.unwrap_or(here), here, contour[i + 1]));
        *before = Some(here);
    }
    contour.drain(..count);
    smoothed
}

fn plain(before: f32, here: f32, after: f32) -> f32 {
    (here + before + after) / 3.0
}

fn of_nonzero(before: f32, here: f32, after: f32) -> f32 {
    if here == 0.0 {
        return 0.0;
    }
    let (mut sum, mut count) = (here, 1.0);
    for neighbour in [before, after] {
        if neighbour != 0.0 {
            sum += neighbour;
            count += 1.0;
        }
    }
    sum / count
}

fn smooth(contour: &mut Vec<f32>, before: Option<f32>, blind_from: usize, mean: fn(f32, f32, f32) -> f32) {
    let (Some(&first), Some(&last)) = (contour.first(), contour.last()) else { return };
    contour.push(last);
    let mut before = before.unwrap_or(first);
    for i in 0..contour.len() {
        let here = contour[i];
        let after = if i < blind_from { contour.get(i + 1).copied().unwrap_or(last) } else { here };
        contour[i] = mean(before, here, after);
        before = here;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_are_continued_and_one_frame_is_added() {
        let mut c = vec![3.0, 6.0, 9.0];
        sma3(&mut c);
        assert_eq!(c, [4.0, 6.0, 8.0, 9.0]);
    }

    #[test]
    fn a_contour_taken_off_in_parts_is_smoothed_as_the_whole() {
        let raw: Vec<f32> = (0..40).map(|i| if i % 7 < 2 { 0.0 } else { (i * i % 23) as f32 }).collect();
        for (kind, blind_from) in [(Kind::All, usize::MAX), (Kind::Nonzero, usize::MAX), (Kind::Nonzero, 37)] {
            let mut whole = raw.clone();
            smooth(&mut whole, None, blind_from, kind.mean());
            for parts in [vec![], vec![1], vec![0, 12, 5, 1, 19]] {
                let (mut rest, mut before) = (raw.clone(), None);
                let mut all: Vec<f32> =
                    parts.iter().flat_map(|&count| front(kind, &mut before, count, &mut rest)).collect();
                let taken = all.len();
                end(kind, before, blind_from.saturating_sub(taken), &mut rest);
                all.extend(rest);
                assert_eq!(all, whole, "{kind:?} {parts:?}");
            }
        }
    }

    #[test]
    fn zeros_stay_and_do_not_count() {
        let mut c = vec![0.0, 4.0, 8.0, 0.0, 5.0];
        sma3nz(&mut c);
        assert_eq!(c, [0.0, 6.0, 6.0, 0.0, 5.0, 5.0]);
        let mut empty = Vec::new();
        sma3nz(&mut empty);
        assert!(empty.is_empty());
    }
}
