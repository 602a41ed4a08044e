//! Windows of two series, standardised each by itself.

use super::CouplingSettings;
use crate::statistics::mean;

/// Spread below which a window is constant.
const MIN_SD: f64 = 1e-6;

/// The windows in which both series are known well enough and move.
#[derive(Debug, Default)]
pub(super) struct Windows {
    /// The first's and the second's, mean 0 and standard deviation 1.
    pub(super) fine: [Vec<Vec<f64>>; 2],
    /// The same of means of [`CouplingSettings::coarse`] samples.
    pub(super) coarse: [Vec<Vec<f64>>; 2],
}

impl Windows {
    pub(super) fn new(first: &[f64], second: &[f64], settings: &CouplingSettings) -> Self {
        let mut windows = Windows::default();
        let len = settings.window.max(1);
        for (a, b) in first.chunks_exact(len).zip(second.chunks_exact(len)) {
            crate::pulse::beat();
            let both = [a, b].map(|x| filled(x, settings.known_share));
            let [Some(a), Some(b)] = both else { continue };
            let coarse = [&a, &b].map(|x| standard(x.chunks(settings.coarse.max(1)).filter_map(mean).collect()));
            if let ([Some(a), Some(b)], [Some(ca), Some(cb)]) = ([standard(a), standard(b)], coarse) {
                windows.fine.iter_mut().zip([a, b]).for_each(|(list, x)| list.push(x));
                windows.coarse.iter_mut().zip([ca, cb]).for_each(|(list, x)| list.push(x));
            }
        }
        windows
    }

    pub(super) fn len(&self) -> usize {
        self.fine[0].len()
    }
}

/// The window with its gaps bridged by lines and its ends held; `None` where too little is known.
fn filled(window: &[f64], known_share: f64) -> Option<Vec<f64>> {
    let known: Vec<(usize, f64)> = window.iter().copied().enumerate().filter(|(_, v)| v.is_finite()).collect();
    if (known.len() as f64) < known_share * window.len() as f64 - 1e-9 {
        return None;
    }
    let (first, last) = (*known.first()?, *known.last()?);
    let mut all = vec![first.1; window.len()];
    all[last.0..].fill(last.1);
    for pair in known.windows(2) {
        let ((a, from), (b, to)) = (pair[0], pair[1]);
        for (i, slot) in all.iter_mut().enumerate().take(b).skip(a) {
            *slot = from + (to - from) * (i - a) as f64 / (b - a) as f64;
        }
    }
    Some(all)
}

/// Mean 0 and standard deviation 1; `None` for what does not move.
fn standard(mut values: Vec<f64>) -> Option<Vec<f64>> {
    let middle = mean(&values)?;
    let sd = (values.iter().map(|v| (v - middle).powi(2)).sum::<f64>() / values.len() as f64).sqrt();
    if sd < MIN_SD {
        return None;
    }
    values.iter_mut().for_each(|v| *v = (*v - middle) / sd);
    Some(values)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_are_bridged_and_too_many_are_not() {
        let gap = f64::NAN;
        assert_eq!(filled(&[gap, 1.0, gap, 3.0, gap], 0.4), Some(vec![1.0, 1.0, 2.0, 3.0, 3.0]));
        assert_eq!(filled(&[gap, 1.0, gap, 3.0, gap], 0.5), None);
        assert_eq!((standard(vec![2.0; 5]), filled(&[gap; 3], 0.0)), (None, None));
    }
}
