//! Peaks of a contour and the slopes between them, as openSMILE's `Peaks2` finds them: local extrema, thinned by a
//! threshold of a tenth of the contour's range until maxima and minima alternate.

/// Share of the range a peak must rise or fall.
const THRESHOLD: f32 = 0.1;
/// Seconds per frame.
const FRAME_SECS: f32 = 0.01;

#[derive(Clone, Copy, Debug, PartialEq)]
struct Extremum {
    is_peak: bool,
    at: usize,
    value: f32,
    kept: bool,
}

/// Mean and standard deviation.
type Slopes = (f32, f32);

/// What the extrema of a contour tell.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Course {
    /// Number of peaks.
    pub(super) peaks: usize,
    /// Mean and standard deviation of the slopes of the rising parts, per second; `None` without such parts.
    pub(super) rising: Option<Slopes>,
    /// The same of the falling parts; a fall counts as positive.
    pub(super) falling: Option<Slopes>,
}

/// Describes a contour; nothing when it is empty.
pub(super) fn course(contour: &[f32]) -> Course {
    let (Some(&first), Some(&last)) = (contour.first(), contour.last()) else { return Course::default() };
    let (low, high) = contour.iter().fold((first, first), |(l, h), &v| (l.min(v), h.max(v)));
    let threshold = THRESHOLD * (high - low);
    let mut extrema = local_extrema(contour);
    drop_small_peaks(&mut extrema, first, threshold);
    extrema.retain(|e| e.kept);
    drop_small_minima(&mut extrema, first, threshold);
    extrema.retain(|e| e.kept);
    alternate(&mut extrema);
    extrema.retain(|e| e.kept);
    let (rising, falling) = slopes(&extrema, first, last, contour.len());
    Course { peaks: extrema.iter().filter(|e| e.is_peak).count(), rising, falling }
}

fn local_extrema(x: &[f32]) -> Vec<Extremum> {
    let mut out = Vec::new();
    for at in 2..x.len().saturating_sub(2) {
        let (before, value, after) = (x[at - 1], x[at], x[at + 1]);
        if value > before && value > after {
            out.push(Extremum { is_peak: true, at, value, kept: true });
        } else if value < before && value < after {
            out.push(Extremum { is_peak: false, at, value, kept: true });
        }
    }
    out
}

/// Drops peaks that rise too little over what came before; of several that rise slowly the highest is kept.
fn drop_small_peaks(extrema: &mut [Extremum], first: f32, threshold: f32) {
    let (mut before, mut lowest, mut highest) = (first, first, first);
    let mut highest_at: Option<usize> = None;
    let mut after_minimum = false;
    for i in 0..extrema.len() {
        let e = extrema[i];
        let small = (e.value - before).abs() < threshold;
        if e.is_peak {
            if !small {
                highest = e.value;
                highest_at = Some(i);
                after_minimum = false;
            } else if e.value - lowest < threshold {
                extrema[i].kept = false;
            } else {
                if f64::from(e.value) > f64::from(highest) * 1.05 {
                    if let Some(h) = highest_at {
                        extrema[h].kept = false;
                    }
                    highest = e.value;
                    highest_at = Some(i);
                } else if after_minimum {
                    highest = e.value;
                    highest_at = Some(i);
                } else {
                    extrema[i].kept = false;
                }
                after_minimum = false;
            }
        } else if !small {
            after_minimum = true;
            lowest = e.value;
        }
        before = e.value;
    }
}

/// Drops minima that lie too little below the peak before them.
fn drop_small_minima(extrema: &mut [Extremum], first: f32, threshold: f32) {
    let mut peak = first;
    for e in extrema {
        if e.is_peak {
            peak = e.value;
        } else if peak - e.value < threshold {
            e.kept = false;
        }
    }
}

/// Of neighbours of one kind keeps the highest peak or the lowest minimum.
fn alternate(extrema: &mut [Extremum]) {
    let mut last: Option<usize> = None;
    for i in 0..extrema.len() {
        let e = extrema[i];
        match last {
            Some(l) if extrema[l].is_peak == e.is_peak => {
                let better = if e.is_peak { e.value > extrema[l].value } else { e.value < extrema[l].value };
                extrema[if better { l } else { i }].kept = false;
                if better {
                    last = Some(i);
                }
            }
            _ => last = Some(i),
        }
    }
}

/// Mean and standard deviation of rising and falling slopes. The piece from the last extremum to the end counts in the
/// mean and in the number but not in the deviation's sum, and a final fall counts as negative: openSMILE's arithmetic.
fn slopes(extrema: &[Extremum], first: f32, last: f32, len: usize) -> (Option<Slopes>, Option<Slopes>) {
    let (mut rising, mut falling) = (Vec::new(), Vec::new());
    let (mut peak, mut minimum) = ((first, 0), (first, 0));
    for e in extrema {
        if e.is_peak {
            peak = (e.value, e.at);
            rising.push(slope(peak.0 - minimum.0, peak.1 - minimum.1));
        } else {
            minimum = (e.value, e.at);
            falling.push(slope(peak.0 - minimum.0, minimum.1 - peak.1));
        }
    }
    let (between_rising, between_falling) = (rising.len(), falling.len());
    match extrema.last() {
        Some(e) if len - 1 > e.at => {
            let end = slope(last - e.value, len - 1 - e.at);
            if e.is_peak { falling.push(end) } else { rising.push(end) }
        }
        Some(_) => {}
        None => {
            // No extremum at all: the whole contour, and that per frame.
            let whole = (last - first) / len as f32;
            return ((whole > 0.0).then_some((whole, 0.0)), (whole < 0.0).then_some((whole, 0.0)));
        }
    }
    (spread(&rising, between_rising), spread(&falling, between_falling))
}

fn slope(rise: f32, frames: usize) -> f32 {
    rise / (frames as f32 * FRAME_SECS)
}

fn spread(slopes: &[f32], between: usize) -> Option<Slopes> {
    if slopes.is_empty() {
        return None;
    }
    let count = slopes.len() as f32;
    let mean = slopes.iter().sum::<f32>() / count;
    let squares: f32 = slopes[..between].iter().map(|s| (s - mean) * (s - mean)).sum();
    Some((mean, (squares / count).sqrt()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_zigzag_has_its_slopes() {
        // 0 up to 4, down to 0, up to 4, down to 1; one step per frame.
        let x = [0.0, 1.0, 2.0, 3.0, 4.0, 3.0, 2.0, 1.0, 0.0, 1.0, 2.0, 3.0, 4.0, 3.0, 2.0, 1.0];
        let c = course(&x);
        assert_eq!(c.peaks, 2);
        let (rising, falling) = (c.rising.unwrap(), c.falling.unwrap());
        assert!((rising.0 - 100.0).abs() < 1e-3 && rising.1 < 1e-3, "{c:?}");
        // One fall of +100 between extrema and the last of -100: mean 0, deviation from one of two terms.
        assert!(falling.0.abs() < 1e-3 && (falling.1 - (1e4f32 / 2.0).sqrt()).abs() < 1e-2, "{c:?}");
    }

    #[test]
    fn ripples_below_a_tenth_of_the_range_are_no_peaks() {
        let x = [0.0, 1.0, 2.0, 1.9, 2.0, 3.0, 9.0, 5.0, 3.0, 3.1, 3.0, 1.0, 0.0];
        assert_eq!(course(&x).peaks, 1);
    }

    #[test]
    fn a_line_rises_per_frame_and_nothing_is_nothing() {
        let c = course(&[0.0, 1.0, 2.0, 3.0]);
        assert!((c.rising.unwrap().0 - 0.75).abs() < 1e-6 && c.falling.is_none());
        assert_eq!(course(&[]), Course::default());
    }
}
