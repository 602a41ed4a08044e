//! Syllable nuclei after de Jong & Wempe (2009): intensity peaks that stand between dips, are loud enough, and are
//! voiced.
//!
//! N. H. de Jong and T. Wempe, "Praat script to detect syllable nuclei and measure speech rate automatically", Behavior
//! Research Methods 41(2), 385-390. They look only at the dip after a peak; here a peak needs a dip on both sides, the
//! turn's ends counting as dips.

/// Frames of the nuclei: peaks of `intensity` (dB, NaN = silent) of at least `loud_db`, parted by dips of at least
/// `dip_db`, voiced.
pub(super) fn nuclei(intensity: &[f32], voiced: &[bool], loud_db: f32, dip_db: f32) -> Vec<usize> {
    peaks(intensity, dip_db).into_iter().filter(|&i| voiced[i] && intensity[i] >= loud_db).collect()
}

/// Highest frame between each two dips of at least `dip_db`.
fn peaks(intensity: &[f32], dip_db: f32) -> Vec<usize> {
    let mut found = Vec::new();
    // The highest frame since the last dip, while rising; the lowest level since the last peak, while falling.
    let mut peak: Option<usize> = None;
    let mut dip = f32::NEG_INFINITY;
    for i in 0..=intensity.len() {
        let x = intensity.get(i).copied().filter(|x| x.is_finite()).unwrap_or(f32::NEG_INFINITY);
        match peak {
            Some(p) if x <= intensity[p] - dip_db => {
                found.push(p);
                peak = None;
                dip = x;
            }
            Some(p) if x > intensity[p] => peak = Some(i),
            Some(_) => {}
            None if x.is_finite() && x >= dip + dip_db => peak = Some(i),
            None => dip = dip.min(x),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_peak_needs_a_dip_of_two_db_on_both_sides() {
        //                 0     1     2     3     4     5     6     7
        let intensity = [60.0, 70.0, 69.0, 71.0, 66.0, 70.0, 50.0, 70.5];
        assert_eq!(peaks(&intensity, 2.0), [3, 5, 7]);
        assert_eq!(peaks(&[f32::NAN, 60.0, f32::NAN, 60.0], 2.0), [1, 3]);
        assert!(peaks(&[], 2.0).is_empty());
    }

    #[test]
    fn a_nucleus_is_loud_and_voiced() {
        let intensity = [60.0, 70.0, 60.0, 70.0, 30.0, 40.0, 30.0];
        let voiced = [true, true, true, false, true, true, true];
        assert_eq!(nuclei(&intensity, &voiced, 45.0, 2.0), [1]);
    }
}
