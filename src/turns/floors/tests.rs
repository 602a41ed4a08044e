use super::*;

fn floors(turns: &[(f64, f64, usize)], dropped: &[usize]) -> Floors {
    let all: Vec<Turn> = turns
        .iter()
        .zip(1..)
        .map(|(&(start, end, _), index)| Turn {
            index,
            segment: Segment::from_secs(start, end).unwrap(),
            speaker: None,
            text: String::new(),
            words: Vec::new(),
        })
        .collect();
    let speakers: Vec<Option<usize>> = turns.iter().map(|t| Some(t.2).filter(|s| *s < 3)).collect();
    Floors::new(&all, &speakers, 3, dropped, &FloorConfig::default())
}

fn places(floors: &Floors) -> Vec<Result<(usize, usize), Missing>> {
    floors.of.iter().map(|f| f.place.map(|p| (p.floor, p.position))).collect()
}

fn offsets(floors: &Floors) -> Vec<Result<(usize, f64), Missing>> {
    let round = |x: f64| (x * 1e6).round() / 1e6;
    floors.of.iter().map(|f| f.before.map(|b| (b.speaker, round(b.offset_secs)))).collect()
}

#[test]
fn cues_of_one_speaker_are_one_floor_however_long_the_pause() {
    let f = floors(&[(0.0, 2.0, 0), (2.0, 4.0, 0), (9.0, 11.0, 0), (11.3, 12.0, 1), (12.5, 13.0, 0)], &[]);
    assert_eq!(places(&f), [Ok((1, 1)), Ok((1, 2)), Ok((1, 3)), Ok((2, 1)), Ok((3, 1))]);
    assert_eq!(
        offsets(&f),
        [Err(Missing::FirstFloor), Err(Missing::SameFloor), Err(Missing::SameFloor), Ok((0, 0.3)), Ok((1, 0.5))]
    );
    assert_eq!(f.spans[0], Span { segment: Segment::from_secs(0.0, 11.0).unwrap(), turns: 3 });
}

#[test]
fn an_interruption_cut_into_cues_is_told_once() {
    // B breaks in at 3.5 and both are cut into cues.
    let f = floors(&[(0.0, 4.0, 0), (3.5, 5.0, 1), (4.0, 4.8, 0), (5.0, 9.0, 1), (9.5, 10.0, 0)], &[]);
    let listeners = [1, 0, 1, 0, 1];
    let told: Vec<Option<bool>> =
        f.of.iter().zip(listeners).map(|(t, other)| t.interrupts(other, &FloorConfig::default())).collect();
    assert_eq!(told, [false, true, false, false, false].map(Some));
    assert_eq!(places(&f), [Ok((1, 1)), Ok((2, 1)), Ok((1, 2)), Ok((2, 2)), Ok((3, 1))]);
    assert_eq!(offsets(&f)[4], Ok((1, 0.5)));
}

#[test]
fn what_lies_inside_anothers_talk_holds_no_floor() {
    let f = floors(&[(0.0, 9.0, 0), (2.0, 2.5, 1), (2.5, 2.9, 1), (4.0, 7.0, 1), (9.2, 12.0, 0), (11.9, 14.0, 1)], &[]);
    let back = Err(Missing::Backchannel);
    assert_eq!(places(&f), [Ok((1, 1)), back, back, Err(Missing::InsideAnother), Ok((1, 2)), Ok((2, 1))]);
    let told: Vec<Option<bool>> = f.of.iter().map(|t| t.is_backchannel_to(0, &FloorConfig::default())).collect();
    let expected = [false, true, false, false, false, false].map(Some);
    assert_eq!(told, expected, "a cue that goes on with it is no second one");
    assert_eq!(f.of[5].interrupts(0, &FloorConfig::default()), Some(false), "0.1 s is not heard as an overlap");
}

#[test]
fn two_who_begin_together_have_no_offset() {
    let f = floors(&[(0.0, 8.1, 0), (0.0, 9.0, 1), (9.5, 9.8, 0), (9.65, 12.0, 1)], &[]);
    assert_eq!(
        offsets(&f),
        [Err(Missing::FirstFloor), Err(Missing::Simultaneous), Ok((1, 0.5)), Err(Missing::Simultaneous)]
    );
    assert!(f.of.iter().all(|t| t.interrupts(0, &FloorConfig::default()) == Some(false)));
    // Mid-talk there is no such thing: the cue is cut there, the talk is not.
    let f = floors(&[(0.0, 4.0, 0), (4.0, 8.0, 0), (4.1, 9.0, 1)], &[]);
    assert_eq!(offsets(&f)[2], Ok((0, -3.9)));
    assert_eq!(f.of[2].interrupts(0, &FloorConfig::default()), Some(true));
}

#[test]
fn who_has_ended_within_the_time_a_reaction_takes_began_together_with_the_next() {
    // A cue without length, and one of a tenth of a second, are answered by nobody who begins with them.
    let f = floors(&[(1.0, 1.0, 0), (1.0, 4.0, 1), (5.0, 5.1, 0), (5.15, 6.0, 1), (6.3, 7.0, 0)], &[]);
    let together = Err(Missing::Simultaneous);
    assert_eq!(offsets(&f), [Err(Missing::FirstFloor), together, Ok((1, 1.0)), together, Ok((1, 0.3))]);
    // The same where the longer one is told first: it is the first to hold the floor.
    let f = floors(&[(1.0, 4.0, 1), (1.0, 1.0, 0), (4.5, 6.0, 0)], &[]);
    assert_eq!(offsets(&f), [Err(Missing::FirstFloor), together, Ok((1, 0.5))]);
    assert_eq!(places(&f)[0], Ok((1, 1)));
    // A talk that had begun before is answered however short its last cue is.
    let f = floors(&[(0.0, 4.9, 0), (4.95, 5.0, 0), (5.1, 6.0, 1)], &[]);
    assert_eq!(offsets(&f)[2], Ok((0, 0.1)));
}

#[test]
fn what_is_done_to_somebody_unnamed_or_after_a_dropped_cue_is_not_known() {
    let config = FloorConfig::default();
    let told = |f: &Floors, at: usize, listener: usize| {
        (f.of[at].interrupts(listener, &config), f.of[at].is_backchannel_to(listener, &config))
    };
    // 9 is nobody in particular: 0 breaks in, 1 says hm, and 1 comes after a gap.
    let f = floors(&[(0.0, 4.0, 9), (1.0, 1.5, 1), (3.0, 6.0, 0), (6.5, 8.0, 1)], &[]);
    assert_eq!(told(&f, 1, 0), (Some(false), None));
    assert_eq!(told(&f, 2, 1), (None, Some(false)));
    assert_eq!(told(&f, 3, 0), (Some(false), Some(false)));
    // Whoever is named is known, beside somebody who is not.
    let f = floors(&[(0.0, 4.0, 9), (0.5, 4.5, 1), (3.0, 6.0, 0)], &[]);
    assert_eq!((told(&f, 2, 1).0, told(&f, 2, 2).0), (Some(true), None));
    // What was dropped may have run on into the next; a turn inside another's is known all the same.
    let f = floors(&[(0.0, 2.0, 0), (3.0, 3.5, 1), (4.0, 9.0, 0), (5.0, 6.5, 1)], &[1, 3]);
    assert_eq!(told(&f, 1, 0), (None, None));
    assert_eq!(told(&f, 3, 0), (Some(false), Some(false)));
}

#[test]
fn after_a_dropped_cue_nothing_is_known_of_the_gap() {
    let f = floors(&[(0.0, 2.0, 0), (3.0, 4.0, 1), (5.0, 6.0, 1), (6.5, 7.0, 0)], &[1, 2]);
    let lost = Err(Missing::DroppedCue);
    assert_eq!(offsets(&f), [Err(Missing::FirstFloor), lost, lost, Ok((1, 0.5))]);
    assert_eq!(places(&f)[2], Ok((3, 1)), "somebody else may have held it");
    // An unnamed speaker is nobody in particular.
    let f = floors(&[(0.0, 2.0, 0), (3.0, 4.0, 9), (5.0, 6.0, 0)], &[]);
    assert_eq!(offsets(&f)[1..], [Err(Missing::NoLabel), Err(Missing::NoLabel)]);
    assert_eq!(places(&f), [Ok((1, 1)), Err(Missing::NoLabel), Ok((3, 1))]);
}

#[test]
fn a_border_between_two_cues_is_no_end_of_the_talk() {
    let config = FloorConfig::default();
    // B says hm over the border of A's cues: nobody interrupts, nobody takes the floor.
    let f = floors(&[(0.0, 2.0, 0), (1.85, 2.25, 1), (2.1, 4.0, 0)], &[]);
    assert_eq!(places(&f), [Ok((1, 1)), Err(Missing::Backchannel), Ok((1, 2))]);
    assert_eq!(f.of[1].is_backchannel_to(0, &config), Some(true));
    assert!([(1, 0), (2, 1)].iter().all(|&(at, to)| f.of[at].interrupts(to, &config) == Some(false)));
    // A longer turn over the border is inside too; one that outlasts the next cue takes the floor.
    let f = floors(&[(0.0, 2.0, 0), (1.5, 3.0, 1), (2.1, 4.0, 0)], &[]);
    assert_eq!(places(&f)[1], Err(Missing::InsideAnother));
    let f = floors(&[(0.0, 2.0, 0), (1.5, 5.0, 1), (2.1, 4.0, 0)], &[]);
    assert_eq!(f.of[1].interrupts(0, &config), Some(true));
    // After a pause that is heard, the talk had ended.
    let f = floors(&[(0.0, 2.0, 0), (1.5, 3.0, 1), (2.3, 4.0, 0)], &[]);
    assert_eq!(f.of[1].interrupts(0, &config), Some(true));
}
