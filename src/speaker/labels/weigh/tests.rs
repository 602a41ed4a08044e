use super::super::{LabelUse, LabelledTurn};
use super::*;
use crate::time::Segment;

const COUNT: usize = 600;

type Stretch = (f64, f64);

fn marks(stretches: &[Stretch]) -> Vec<bool> {
    let mut row = vec![false; COUNT];
    stretches.iter().for_each(|s| row[first_frame(s.0, COUNT)..first_frame(s.1, COUNT)].fill(true));
    row
}

fn stretches(row: &[bool]) -> Vec<Stretch> {
    let secs = |f: usize| FRAMES.centre(f).get() - 0.5 * FRAMES.hop_secs();
    runs(row.len(), |f| row[f]).into_iter().map(|r| (secs(r.start), secs(r.end))).collect()
}

/// Turns of A and B, what of each is heard by segmentation, and what voice activity hears beside: who then talks when.
fn weighed(turns: [&[Stretch]; 2], heard: [&[Stretch]; 2], speech: &[Stretch]) -> Vec<Vec<Stretch>> {
    let labelled = |(i, of): (usize, &&[Stretch])| {
        let turn = move |s: &Stretch| LabelledTurn {
            segment: Segment::from_secs(s.0, s.1).unwrap(),
            label: ["A", "B"][i].to_owned(),
        };
        of.iter().map(turn).collect::<Vec<_>>()
    };
    let told: Vec<LabelledTurn> = turns.iter().enumerate().flat_map(labelled).collect();
    let config = LabelEvidenceConfig::default();
    let mut claims = Claims::new(&told, &[], 0.25, LabelUse::Evidence, &config).unwrap();
    let present: Vec<usize> = (0..2).filter(|i| !turns[*i].is_empty()).collect();
    claims.seat(&(0..present.len()).collect::<Vec<_>>());
    let mut active: Vec<Vec<bool>> = heard.iter().map(|h| marks(h)).collect();
    let activity: Vec<Vec<f32>> =
        active.iter().map(|row| row.iter().map(|on| if *on { 0.97 } else { 0.01 }).collect()).collect();
    let count: Vec<u8> = (0..COUNT).map(|f| active.iter().filter(|row| row[f]).count() as u8).collect();
    let loud = marks(speech);
    let chunk = |c: usize| {
        let frame = first_frame(0.032 * c as f64 + 0.016, COUNT - 1);
        if loud[frame] || count[frame] > 0 { 0.98 } else { 0.01 }
    };
    let vad: Vec<f32> = (0..330).map(chunk).collect();
    let is_loud = |f: usize| loud[f] || count[f] > 0;
    let level = Level::of((0..COUNT).map(|f| if is_loud(f) { 0.8 } else { -0.9 }).collect());
    weigh(&mut active, Frames { activity, count: &count, vad: &vad, level }, &claims, &config);
    active.iter().map(|row| stretches(row)).collect()
}

fn near(found: &[Stretch], expected: &[Stretch], within: f64) -> bool {
    let close = |(a, b): (&Stretch, &Stretch)| (a.0 - b.0).abs() < within && (a.1 - b.1).abs() < within;
    found.len() == expected.len() && found.iter().zip(expected).all(close)
}

#[test]
fn edges_that_the_sound_shows_stay_whatever_the_turns_say_within_their_uncertainty() {
    let heard = [&[(1.0, 4.0)][..], &[(4.2, 7.0)][..]];
    for turns in [
        [&[(1.0, 4.0)][..], &[(4.2, 7.0)][..]],
        [&[(0.6, 4.4)][..], &[(3.8, 7.4)][..]],
        [&[(1.4, 3.6)][..], &[(4.6, 6.6)][..]],
    ] {
        let found = weighed(turns, heard, &[]);
        assert!(near(&found[0], heard[0], 0.03) && near(&found[1], heard[1], 0.03), "{turns:?}: {found:?}");
    }
}

#[test]
fn what_only_voice_activity_hears_is_the_ones_whose_turn_it_is() {
    let found = weighed([&[(1.2, 3.9)], &[(5.9, 8.2)]], [&[(1.0, 4.0)], &[]], &[(6.0, 8.0)]);
    assert!(near(&found[0], &[(1.0, 4.0)], 0.03), "{found:?}");
    assert!(near(&found[1], &[(6.0, 8.0)], 0.25), "{found:?}");
}

#[test]
fn a_voice_beneath_another_is_where_its_turn_is() {
    let found = weighed([&[(1.0, 8.0)], &[(3.0, 5.0)]], [&[(1.0, 8.0)], &[]], &[]);
    assert!(near(&found[0], &[(1.0, 8.0)], 0.03), "{found:?}");
    assert!(near(&found[1], &[(3.0, 5.0)], 0.6), "{found:?}");
}

#[test]
fn a_stretch_that_no_turn_gives_to_its_speaker_goes_to_the_one_whose_turn_is_there() {
    let found = weighed([&[(1.0, 2.9)], &[(5.0, 8.0)]], [&[(5.0, 8.0)], &[(1.2, 3.0)]], &[]);
    assert!(near(&found[0], &[(1.2, 3.0)], 0.03) && near(&found[1], &[(5.0, 8.0)], 0.03), "{found:?}");
}

#[test]
fn what_no_turn_tells_of_stays_as_it_was_heard() {
    let heard = [&[(1.0, 4.0), (7.0, 9.0)][..], &[(4.5, 6.0)][..]];
    let found = weighed([&[(1.1, 4.1)], &[]], heard, &[]);
    assert!(near(&found[0], heard[0], 0.03) && near(&found[1], heard[1], 0.03), "{found:?}");
}

#[test]
fn a_pause_inside_a_turn_is_filled_unless_somebody_talks_in_it() {
    let alone = weighed([&[(1.0, 5.0)], &[(6.0, 8.0)]], [&[(1.0, 3.0), (3.3, 5.0)], &[(6.0, 8.0)]], &[]);
    assert!(near(&alone[0], &[(1.0, 5.0)], 0.03), "{alone:?}");
    let long = weighed([&[(1.0, 5.0)], &[(6.0, 8.0)]], [&[(1.0, 2.0), (4.0, 5.0)], &[(6.0, 8.0)]], &[]);
    assert!(near(&long[1], &[(6.0, 8.0)], 0.03), "{long:?}");
}
