//! Levels and classes that are one, written in two ways.

/// What a label says as a number.
pub(super) fn number(text: &str) -> Option<f64> {
    text.parse::<f64>().ok().filter(|x| x.is_finite())
}

/// Two of the levels found that are one written in two ways: 1 and 1.0, Yes and yes.
pub(super) fn levels_alike(levels: &[String]) -> Option<String> {
    let alike = |a: &String, b: &String| {
        a.to_lowercase() == b.to_lowercase()
            || number(a).zip(number(b)).is_some_and(|(a, b)| a.partial_cmp(&b).is_some_and(|o| o.is_eq()))
    };
    let pairs = levels.iter().enumerate().flat_map(|(i, a)| levels[i + 1..].iter().map(move |b| (a, b)));
    pairs
        .into_iter()
        .find(|(a, b)| alike(a, b))
        .map(|(a, b)| format!("the labels {a:?} and {b:?} differ in writing alone"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_label_written_in_two_ways_is_no_two_levels() {
        let of = |levels: &[&str]| levels_alike(&levels.iter().map(|l| (*l).to_owned()).collect::<Vec<_>>());
        for levels in [&["1", "1.0", "2"][..], &["no", "Yes", "yes"], &["Ärger", "ärger"], &["-0", "x", "0.0"]] {
            assert!(of(levels).is_some_and(|what| what.contains("differ in writing alone")), "{levels:?}");
        }
        assert_eq!([of(&["1", "2", "10"]), of(&["a", "b"]), of(&[])], [None, None, None]);
    }
}
