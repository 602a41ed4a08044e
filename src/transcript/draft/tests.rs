use super::*;

fn draft(turns: &[(f64, f64, &str)]) -> Draft<'static> {
    let mut draft = Draft::new(Path::new("a.srt"), false);
    for (start, end, text) in turns {
        draft.push(Segment::from_secs(*start, *end).unwrap(), Some(" "), (*text).into(), Vec::new());
    }
    draft
}

#[test]
fn oddities_are_told_with_the_first_turn() {
    let t = draft(&[(5.0, 6.0, "a"), (1.0, 3.0, "b"), (2.0, 4.0, "c"), (2.0, 4.0, "c"), (9.0, 9.0, "")])
        .finish(Format::Srt)
        .unwrap();
    let told: Vec<String> = t.warnings.iter().map(ToString::to_string).collect();
    assert_eq!(
        told,
        [
            "transcript: 1 turns start before the turn above them; turn_index keeps the file's order, rows go by time \
             (first: turn 2)",
            "transcript: 2 turns overlap an earlier one (first: turn 3)",
            "transcript: 1 turns repeat the times and words of another (first: turn 4)",
            "transcript: 1 turns have zero length (first: turn 5)",
            "transcript: 1 turns have no words (first: turn 5)",
        ]
    );
    assert_eq!(t.turns.iter().map(|t| t.index).collect::<Vec<_>>(), [1, 2, 3, 4, 5]);
    assert_eq!(t.turns[0].speaker, None);
}

#[test]
fn a_cue_dropped_from_a_tier_lies_between_its_neighbours_there() {
    let mut draft = Draft::new(Path::new("a.eaf"), true);
    let push = |draft: &mut Draft, start: f64| {
        draft.push(Segment::from_secs(start, start + 0.5).unwrap(), None, "so".into(), Vec::new());
    };
    push(&mut draft, 1.0);
    draft.bad(7, "reversed", "").unwrap();
    push(&mut draft, 6.0);
    // Another tier.
    [0.0, 2.0, 4.0, 8.0].into_iter().for_each(|start| push(&mut draft, start));
    draft.sort_by_time();
    // In order: 0, 1, 2, 4, 6, 8; what was dropped lies between 1 and 6.
    assert_eq!(draft.finish(Format::Eaf).unwrap().after_dropped, [3, 4, 5]);
}

#[test]
fn touching_turns_are_not_odd() {
    assert_eq!(draft(&[(0.0, 1.0, "a"), (1.0, 2.0, "b")]).finish(Format::Srt).unwrap().warnings, []);
}

#[test]
fn no_cues_is_an_error_with_a_hint() {
    let e = draft(&[]).finish(Format::WebVtt).unwrap_err().to_string();
    assert!(e.contains("no cues (WebVTT)") && e.contains("at least one"), "{e}");
}

#[test]
fn times_no_recording_has_are_told() {
    let told = draft(&[(0.0, 1.0, "a"), (400_000.0, 400_001.0, "b")]).finish(Format::Csv).unwrap().warnings;
    assert!(told[0].to_string().contains("1 turns end after more than 100 hours"), "{told:?}");
}

#[test]
fn places_that_many_ranges_name_are_told_once_and_at_no_cost() {
    assert_eq!(super::covered([2..=3, 3..=5, 7..=7].into_iter(), 9), [2, 3, 4, 5, 7]);
    assert_eq!(super::covered([std::ops::RangeInclusive::new(1, 0), 4..=20, 9..=9].into_iter(), 6), [4, 5]);
    assert!(super::covered(std::iter::empty(), 3).is_empty());
    // One after the other these would be ten thousand million places.
    let count = 100_000;
    assert_eq!(super::covered((0..count).map(|at| at / 2..=count - 1), count).len(), count);
}
