use super::*;
use crate::media::notes::{Note, NoteKind};

fn piece(secs: Option<f64>, rate_hz: u32, samples: &[f32]) -> Mono {
    Mono { secs, rate_hz, samples: samples.to_vec(), notes: Vec::new() }
}

fn place(rate: u32, pieces: &[(Option<f64>, usize)]) -> Placed {
    let mut p = Placing::new(16_000, Some(100.0));
    for &(secs, n) in pieces {
        p.take(piece(secs, rate, &vec![1.0; n])).unwrap();
    }
    p.finish().unwrap()
}

#[test]
fn a_late_start_is_silence_and_samples_before_the_origin_go() {
    let p = place(16_000, &[(Some(0.5), 16_000)]);
    assert_eq!(p.samples.len(), 24_000);
    assert!(
        p.samples[..8000].iter().all(|s| s.abs() < 1e-9) && p.samples[8000..].iter().all(|s| (s - 1.0).abs() < 1e-9)
    );
    assert!((p.start_secs - 0.5).abs() < 1e-12 && p.gaps.is_empty());
    let p = place(16_000, &[(Some(-0.5), 6000), (Some(-0.125), 16_000)]);
    assert_eq!(p.samples.len(), 14_000);
    assert!((p.sound_secs - 0.875).abs() < 1e-12);
}

#[test]
fn a_hole_is_silence_and_jitter_is_not() {
    let p = place(16_000, &[(Some(0.0), 1600), (Some(0.13), 1600), (Some(0.2), 1600), (Some(3.3), 1600)]);
    assert_eq!(p.gaps, [Segment::from_secs(0.3, 3.3).unwrap()]);
    assert_eq!(p.samples.len(), 54_400);
    assert!(matches!(p.warnings[..], [Warning::GapFilled { .. }]));
    assert!((p.sound_secs - 0.4).abs() < 1e-12 && (p.end_secs - 3.4).abs() < 1e-12);
}

#[test]
fn many_small_holes_add_up_to_one() {
    // Each frame of 20 ms is 25 ms after the one before: 5 ms are lost every time.
    let pieces: Vec<_> = (0..100).map(|i| (Some(f64::from(i) * 0.025), 320)).collect();
    let p = place(16_000, &pieces);
    assert!((p.end_secs - 2.495).abs() < 0.041, "{}", p.end_secs);
    assert_eq!(p.gaps.len(), 11);
}

#[test]
fn overlap_is_dropped_and_a_new_clock_follows_on() {
    let p = place(16_000, &[(Some(0.0), 16_000), (Some(0.5), 16_000)]);
    assert_eq!(p.samples.len(), 24_000);
    assert_eq!(p.warnings[0].code(), "audio_overlap");
    let p = place(16_000, &[(Some(20.0), 16_000), (Some(0.0), 16_000), (Some(1.0), 16_000), (Some(9000.0), 16_000)]);
    assert_eq!(p.samples.len(), 24 * 16_000);
    assert_eq!(p.warnings.len(), 2);
}

#[test]
fn short_recordings_joined_are_placed_one_after_the_other() {
    let mut pieces: Vec<_> = [0.0, 1.0, 2.0].iter().map(|&t| (Some(t), 16_000)).collect();
    // Back to the start, back into the middle, and back to before the start.
    pieces.extend([0.0, 1.0, 0.2, 1.2, -0.3, 0.7].iter().map(|&t| (Some(t), 16_000)));
    let p = place(16_000, &pieces);
    assert_eq!((p.samples.len(), p.gaps.len()), (9 * 16_000, 0));
    let span = |a, b| Segment::from_secs(a, b).unwrap();
    let told = [(0.0, span(3.0, 5.0)), (0.2, span(5.0, 7.0)), (-0.3, span(7.0, 9.0))];
    let told = told.map(|(stamp_secs, span)| Warning::ClockRestart { stream: "audio", stamp_secs, span });
    assert_eq!(p.warnings, told);
    assert!((p.sound_secs - 9.0).abs() < 1e-9);
}

#[test]
fn one_broken_stamp_moves_nothing() {
    for stray in [0.3, 7.0, 5000.0] {
        let p = place(16_000, &[(Some(0.0), 16_000), (Some(1.0), 16_000), (Some(stray), 16_000), (Some(3.0), 16_000)]);
        assert_eq!((p.samples.len(), p.gaps.len(), p.warnings.len()), (4 * 16_000, 0, 0), "{stray}");
    }
}

#[test]
fn notes_are_told_where_their_samples_are_placed() {
    let mut p = Placing::new(8000, Some(10.0));
    p.take(piece(Some(0.0), 8000, &[0.1; 8000])).unwrap();
    let note = Note { from: 800, to: 1600, count: 2, kind: NoteKind::NotFinite };
    p.take(Mono { notes: vec![note], ..piece(Some(3.0), 8000, &[0.1; 8000]) }).unwrap();
    let told = p.finish().unwrap().warnings;
    assert_eq!(told[1], Warning::NotSound { span: Segment::from_secs(3.1, 3.2).unwrap(), count: 2 });
}

#[test]
fn many_changes_of_rate_do_not_add_up() {
    let mut p = Placing::new(16_000, None);
    for i in 0..400 {
        let rate = if i % 2 == 0 { 44_100 } else { 22_050 };
        p.take(piece(None, rate, &[0.5; 1025])).unwrap();
    }
    let secs = 200.0 * 1025.0 * (1.0 / 44_100.0 + 1.0 / 22_050.0);
    let p = p.finish().unwrap();
    assert!((p.samples.len() as f64 - secs * 16_000.0).abs() <= 1.5, "{} of {}", p.samples.len(), secs * 16_000.0);
}

#[test]
fn a_declared_end_that_is_too_early_changes_nothing() {
    let mut p = Placing::new(16_000, Some(1.0));
    for i in 0..100 {
        p.take(piece(Some(f64::from(i)), 16_000, &vec![1.0; 16_000])).unwrap();
    }
    let p = p.finish().unwrap();
    assert!(p.samples.len() == 1_600_000 && p.warnings.is_empty());
}

#[test]
fn a_clock_that_crawls_is_not_believed() {
    let pieces: Vec<_> = (0..100).map(|i| (Some(f64::from(i) * 0.0003), 320)).collect();
    let p = place(16_000, &pieces);
    assert_eq!(p.samples.len(), 32_000);
    assert_eq!(p.warnings.iter().map(Warning::code).collect::<Vec<_>>(), ["audio_clock"]);
}

#[test]
fn a_recording_of_holes_tells_twenty() {
    let pieces: Vec<_> = (0..50).map(|i| (Some(f64::from(i)), 320)).collect();
    let p = place(16_000, &pieces);
    assert_eq!((p.gaps.len(), p.warnings.len()), (49, 21));
}

#[test]
fn a_change_of_rate_goes_on_at_the_same_time() {
    let mut p = Placing::new(16_000, None);
    p.take(piece(Some(0.0), 48_000, &vec![0.5; 48_000])).unwrap();
    p.take(piece(Some(1.0), 44_100, &vec![0.5; 44_100])).unwrap();
    p.take(piece(None, 16_000, &vec![0.5; 16_000])).unwrap();
    let p = p.finish().unwrap();
    assert_eq!(p.samples.len(), 48_000);
    assert!(p.gaps.is_empty() && p.warnings.is_empty());
}
