//! Even sampling: `k` of `n` items at equal distances, the benchmark's way.

/// What a single chosen item is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Single {
    /// ITP: item `n div 2`.
    Middle,
    /// ER, VP: the first.
    First,
}

/// Increasing positions of the `k` items taken of `n`; all where `n <= k`.
///
/// Item `i` is `round(i * (n - 1) / (k - 1))`, ties to the even integer; duplicates are dropped and refilled from the
/// front.
pub(super) fn even(n: usize, k: usize, single: Single) -> Vec<usize> {
    if n <= k {
        return (0..n).collect();
    }
    match (k, single) {
        (0, _) => return Vec::new(),
        (1, Single::Middle) => return vec![n / 2],
        (1, Single::First) => return vec![0],
        _ => {}
    }
    let mut taken: Vec<usize> = (0..k).map(|i| divide_to_even(i * (n - 1), k - 1)).collect();
    taken.dedup();
    let missing: Vec<usize> = (0..n).filter(|i| !taken.contains(i)).take(k - taken.len()).collect();
    taken.extend(missing);
    taken.sort_unstable();
    taken
}

/// The items of `list` that even sampling takes; 0 = no cap.
pub(super) fn capped<T: Clone>(list: &[T], cap: usize, single: Single) -> Vec<T> {
    if cap == 0 {
        return list.to_vec();
    }
    even(list.len(), cap, single).into_iter().map(|i| list[i].clone()).collect()
}

/// `a / b` to the nearest integer, ties to the even one.
fn divide_to_even(a: usize, b: usize) -> usize {
    let (whole, rest) = (a / b, a % b);
    match (2 * rest).cmp(&b) {
        std::cmp::Ordering::Less => whole,
        std::cmp::Ordering::Greater => whole + 1,
        std::cmp::Ordering::Equal => whole + whole % 2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ties_go_to_the_even_item() {
        // 0, 2.5, 5, 7.5, 10
        assert_eq!(even(11, 5, Single::First), [0, 2, 5, 8, 10]);
        assert_eq!(even(4, 3, Single::First), [0, 2, 3]);
        assert_eq!(even(5, 1, Single::Middle), [2]);
        assert_eq!(even(4, 1, Single::Middle), [2]);
        assert_eq!(even(5, 1, Single::First), [0]);
        assert_eq!(even(3, 5, Single::First), [0, 1, 2]);
        assert!(even(3, 0, Single::First).is_empty());
    }

    #[test]
    fn always_as_many_as_asked_each_once() {
        for n in 1..60 {
            for k in 1..=n {
                let taken = even(n, k, Single::Middle);
                assert!(taken.len() == k && taken.windows(2).all(|w| w[0] < w[1]), "{n} {k} {taken:?}");
            }
        }
    }
}
