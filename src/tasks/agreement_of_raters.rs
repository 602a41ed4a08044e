//! How far raters agree: intraclass correlations for absolute agreement where the same raters rate everything (two-way
//! random, Shrout & Fleiss 1979; McGraw & Wong 1996).

/// Of one rater, and of the mean of all.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Agreement {
    /// ICC(A,1), which is ICC(2,1) of Shrout and Fleiss: how far one rater alone is to be trusted.
    pub single: f64,
    /// ICC(A,k), which is ICC(2,k): how far the mean of these raters is.
    pub mean: f64,
}

/// Of rows that all raters rated, one value a rater. `None` for fewer than two rows or raters, and where nothing
/// differs.
pub fn agreement(rows: &[Vec<f64>]) -> Option<Agreement> {
    let (n, k) = (rows.len(), rows.first()?.len());
    if n < 2 || k < 2 || rows.iter().any(|r| r.len() != k) {
        return None;
    }
    let (count, raters) = (n as f64, k as f64);
    let all = rows.iter().flatten().sum::<f64>() / (count * raters);
    let of_row: Vec<f64> = rows.iter().map(|r| r.iter().sum::<f64>() / raters).collect();
    let of_rater: Vec<f64> = (0..k).map(|j| rows.iter().map(|r| r[j]).sum::<f64>() / count).collect();
    let between_rows = raters * of_row.iter().map(|m| (m - all).powi(2)).sum::<f64>() / (count - 1.0);
    let between_raters = count * of_rater.iter().map(|m| (m - all).powi(2)).sum::<f64>() / (raters - 1.0);
    let rest = |(row, mean): (&Vec<f64>, &f64)| {
        row.iter().zip(&of_rater).map(|(x, rater)| (x - mean - rater + all).powi(2)).sum::<f64>()
    };
    let error = rows.iter().zip(&of_row).map(rest).sum::<f64>() / ((count - 1.0) * (raters - 1.0));
    let bias = (between_raters - error) / count;
    let single = (between_rows - error) / (between_rows + (raters - 1.0) * error + raters * bias);
    let mean = (between_rows - error) / (between_rows + bias);
    (single.is_finite() && mean.is_finite()).then_some(Agreement { single, mean })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_of_shrout_and_fleiss() {
        // Four judges, six targets (their table 2): ICC(2,1) = 0.29, ICC(2,4) = 0.62.
        let rows = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]];
        let rows: Vec<Vec<f64>> = rows.iter().map(|r| r.iter().map(|x| f64::from(*x)).collect()).collect();
        let found = agreement(&rows).unwrap();
        assert!((found.single - 0.29).abs() < 0.005 && (found.mean - 0.62).abs() < 0.005, "{found:?}");
    }

    #[test]
    fn equal_raters_agree_and_what_cannot_be_told_is_not() {
        let found = agreement(&[vec![1.0, 1.0], vec![2.0, 2.0], vec![5.0, 5.0]]).unwrap();
        assert!((found.single - 1.0).abs() < 1e-12 && (found.mean - 1.0).abs() < 1e-12);
        // A rater who is always two above agrees less, absolutely.
        assert!(agreement(&[vec![1.0, 3.0], vec![2.0, 4.0], vec![5.0, 7.0]]).unwrap().single < 0.8);
        for none in [&[vec![1.0, 2.0]][..], &[vec![1.0], vec![2.0]], &[vec![3.0, 3.0], vec![3.0, 3.0]], &[]] {
            assert_eq!(agreement(none), None);
        }
    }
}
