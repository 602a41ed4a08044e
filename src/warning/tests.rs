//! Tests of `warning`.

use super::*;

/// The words that the tables of earlier versions hold: a reader may look for them.
#[test]
fn texts_and_codes_are_what_they_were() {
    let span = Segment::from_secs(1.0, 2.5).unwrap();
    let told = [
        (
            Warning::DecodeError { stream: "audio", span: Some(span), count: 2, detail: "x".into() },
            format!("decode_error: 2 audio packets or frames lost in {span} (x)"),
        ),
        (
            Warning::DecodeError { stream: "audio", span: None, count: 2, detail: "x: y".into() },
            "decode_error: 2 audio packets or frames lost (x: y)".into(),
        ),
        (
            Warning::ChannelsCancel { span, taken: vec![0, 2] },
            format!(
                "channels_cancel: channels cancel each other in {span}; of them channel 0, 2 is taken, counted \
                     from 0"
            ),
        ),
        (
            Warning::FormatChange { at_secs: 1.0, from: (8000, 1), to: (16_000, 2) },
            "audio_format_change: the audio changes at 1.000 s from 8000 Hz and 1 channels to 16000 Hz and 2".into(),
        ),
        (
            Warning::WavUnread { bytes: 3 },
            "wav_joined: 3 bytes behind the sound are another WAV file that cannot be read in that place".into(),
        ),
        (
            Warning::TranscriptOffset(TranscriptClock::Moved(ClockShift { secs: 1.25, at_secs: 0.0, drift_ppm: 0.0 })),
            "transcript_offset: transcript moved by +1.25 s, where speech fits it best".into(),
        ),
        (
            Warning::Crowd { people: 30, listeners: 20 },
            "crowd: 30 people talk: dyads has only the 20 who talk during a turn or talked last before it, synchrony \
             only pairs who answer each other or are both on the screen"
                .into(),
        ),
    ];
    for (warning, text) in told {
        assert_eq!(warning.to_string(), text);
        assert_eq!(warning.code(), text.split(':').next().unwrap());
    }
}
