//! Tests of `decoding`.

use super::*;
use crate::media::clips::Clips;
use crate::media::{DecodeThreads, Sampling, StreamPick, video};

#[test]
fn errors_near_each_other_are_one_span() {
    let mut errors = DecodeErrors::default();
    for (t, what) in [(1.0, "first"), (1.5, "second"), (9.0, "third")] {
        errors.add(t, 0.04, || what.into());
    }
    assert_eq!(errors.count(), 3);
    let warnings = errors.warnings("video");
    assert_eq!(warnings.len(), 2);
    assert_eq!(
        warnings[0],
        Warning::DecodeError { stream: "video", span: Segment::from_secs(1.0, 1.54), count: 2, detail: "first".into() }
    );
}

#[test]
fn a_stream_of_errors_stays_bounded() {
    let mut errors = DecodeErrors::default();
    for i in 0..1000 {
        errors.add(f64::from(i) * 5.0, 0.0, String::new);
    }
    assert_eq!((errors.count(), errors.warnings("audio").len()), (1000, MOST_SPANS));
}

#[test]
fn a_reader_that_leaves_stops_the_decoder() {
    let clips = Clips::new();
    let base = clips.base();
    let every = Sampling { rate_hz: 0.0, threads: DecodeThreads(1), ahead: 4 };
    let mut film = video(&base, every, StreamPick::default()).unwrap();
    assert!(film.next().unwrap().is_ok());
    let r = film.finish().unwrap();
    assert!(r.frames_decoded < 120, "{}", r.frames_decoded);
    assert!(!r.warnings.iter().any(|w| w.code() == "shortfall"));
}
