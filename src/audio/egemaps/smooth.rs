//! Smoothing of contours by a moving average over three frames. The ends are continued by their own value, and the
//! result is one frame longer than the contour, as openSMILE has it: its last frame repeats the contour's last value.

/// `sma3`: the mean of a frame and its two neighbours.
pub(super) fn sma3(contour: &mut Vec<f32>) {
    smooth(contour, usize::MAX, |before, here, after| (here + before + after) / 3.0);
}

/// `sma3nz`: zeros stay zero and are left out of their neighbours' means.
pub(super) fn sma3nz(contour: &mut Vec<f32>) {
    sma3nz_blind_from(usize::MAX, contour);
}

/// As [`sma3nz`], but frames from `first` on do not see the next: they count twice in its place.
pub(super) fn sma3nz_blind_from(first: usize, contour: &mut Vec<f32>) {
    smooth(contour, first, |before, here, after| {
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
    });
}

fn smooth(contour: &mut Vec<f32>, blind_from: usize, mean: impl Fn(f32, f32, f32) -> f32) {
    let (Some(&first), Some(&last)) = (contour.first(), contour.last()) else { return };
    contour.push(last);
    let mut before = first;
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
    fn zeros_stay_and_do_not_count() {
        let mut c = vec![0.0, 4.0, 8.0, 0.0, 5.0];
        sma3nz(&mut c);
        assert_eq!(c, [0.0, 6.0, 6.0, 0.0, 5.0, 5.0]);
        let mut empty = Vec::new();
        sma3nz(&mut empty);
        assert!(empty.is_empty());
    }
}
