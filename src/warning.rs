//! Warnings: partial failure as data. They are collected while an interview is worked on and end in its row.

use std::fmt;
use std::sync::Mutex;

use crate::time::{Seconds, Segment};

/// Something a user should know about an interview that is done all the same.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Warning {
    /// A span of a stream could not be decoded.
    DecodeError {
        /// `audio` or `video`.
        stream: &'static str,
        /// Where, as far as known.
        span: Option<Segment>,
        /// How many packets or frames were lost.
        count: u64,
        /// The first message of the decoder.
        detail: String,
    },
    /// Less was decoded than the container declares.
    Shortfall {
        /// `audio` or `video`.
        stream: &'static str,
        /// The part that is not there.
        span: Segment,
    },
    /// The file breaks off, and nothing tells how much is missing.
    Truncated {
        /// `audio` or `video`.
        stream: &'static str,
        /// Where the stream ends.
        at: Seconds,
        /// How it shows.
        what: String,
    },
    /// Fewer frames were decoded than the container declares, and its times do not tell where they should be.
    FramesMissing {
        /// `video`.
        stream: &'static str,
        /// How many.
        missing: u64,
        /// Of how many.
        declared: u64,
    },
    /// Frames are missing in the middle of a video that is steady otherwise.
    VideoGap {
        /// From the end of the last frame before to the first after it.
        span: Segment,
    },
    /// A hole in the audio's time stamps was filled with silence.
    GapFilled {
        /// The silence.
        span: Segment,
    },
    /// The frame rate varies.
    VariableFrameRate {
        /// Shortest frame distance.
        shortest_secs: f64,
        /// Longest frame distance.
        longest_secs: f64,
    },
    /// Several streams of one kind: which was taken.
    StreamChosen {
        /// `audio` or `video`.
        stream: &'static str,
        /// Index in the container.
        index: usize,
        /// The others of its kind.
        others: Vec<usize>,
    },
    /// The file has no stream of this kind.
    NoStream {
        /// `audio` or `video`.
        stream: &'static str,
        /// In words, the streams of the kind that are there and cannot be decoded.
        undecodable: Option<String>,
    },
    /// Samples at full scale.
    Clipped {
        /// Share of samples, 0 to 1.
        share: f64,
    },
    /// Channels of a stream cancel each other in their mean.
    ChannelsCancel {
        /// Where.
        span: Segment,
        /// The channels taken instead, counted from 0.
        taken: Vec<usize>,
    },
    /// Decoded samples that are no numbers, or too large for any sound; silence stands for them.
    NotSound {
        /// From the first to the last.
        span: Segment,
        /// How many.
        count: u64,
    },
    /// Decoded samples more than 20 dB above full scale, used as they are.
    AboveFullScale {
        /// From the first to the last.
        span: Segment,
        /// How many.
        count: u64,
        /// The largest, in dB of full scale.
        peak_db: f64,
    },
    /// Time stamps start again or jump (joined recordings); what follows is placed after what is there.
    ClockRestart {
        /// `audio` or `video`.
        stream: &'static str,
        /// The stamp, in seconds since the origin.
        stamp_secs: f64,
        /// Where what follows is placed, up to the next restart or the end.
        span: Segment,
    },
    /// Sound whose time stamps overlap what came before was dropped.
    Overlap {
        /// Where it would have been, from the first to the last.
        span: Segment,
        /// How much of it was dropped.
        dropped_secs: f64,
    },
    /// Rate or channels of the sound change in mid-stream.
    FormatChange {
        /// When.
        at_secs: f64,
        /// Rate and channels before.
        from: (u32, u32),
        /// Rate and channels from then on.
        to: (u32, u32),
    },
    /// All audio streams were mixed, as asked.
    TracksMixed {
        /// Their indices in the container.
        indices: Vec<usize>,
    },
    /// Turns that end after the media.
    TurnsPastEnd {
        /// How many.
        count: usize,
        /// End of the media.
        media_end: Seconds,
    },
    /// Something about the transcript (unordered, overlapping, empty or dropped cues).
    Transcript {
        /// In words, with cue and line.
        what: String,
    },
    /// Transcript and audio seem shifted against each other.
    TranscriptOffset {
        /// Add this to the transcript's times to match the audio.
        offset_secs: f64,
    },
    /// Speaker labels and voices disagree, or could not be matched.
    SpeakerMatch {
        /// In words.
        what: String,
    },
    /// More people than every pair of which the tables hold.
    Crowd {
        /// How many people talk.
        people: usize,
        /// Most listeners of a turn.
        listeners: usize,
    },
    /// Text from outside held characters that steer a terminal, a line or the reading direction; they were replaced.
    ControlCharacters {
        /// How many texts were changed.
        count: usize,
        /// Of what: `turns of the transcript`.
        what: &'static str,
    },
    /// So many faces at once that only the clearest were looked at.
    CrowdedPicture {
        /// Looks at a whole picture that found that many.
        frames: u32,
        /// Faces looked at.
        most: usize,
    },
    /// Anything else, in words.
    Other {
        /// Short stable code.
        code: &'static str,
        /// In words.
        what: String,
    },
}

impl Warning {
    /// Short stable code, the first word of the text in the tables.
    pub fn code(&self) -> &'static str {
        match self {
            Warning::DecodeError { .. } => "decode_error",
            Warning::Shortfall { .. } => "shortfall",
            Warning::Truncated { .. } => "truncated",
            Warning::FramesMissing { .. } => "frames_missing",
            Warning::VideoGap { .. } => "video_gap",
            Warning::GapFilled { .. } => "gap_filled",
            Warning::VariableFrameRate { .. } => "variable_frame_rate",
            Warning::StreamChosen { .. } => "stream_chosen",
            Warning::NoStream { .. } => "no_stream",
            Warning::Clipped { .. } => "clipped",
            Warning::ChannelsCancel { .. } => "channels_cancel",
            Warning::NotSound { .. } => "not_sound",
            Warning::AboveFullScale { .. } => "above_full_scale",
            Warning::ClockRestart { .. } => "timestamp_jump",
            Warning::Overlap { .. } => "audio_overlap",
            Warning::FormatChange { .. } => "audio_format_change",
            Warning::TracksMixed { .. } => "tracks_mixed",
            Warning::TurnsPastEnd { .. } => "turns_past_end",
            Warning::Transcript { .. } => "transcript",
            Warning::TranscriptOffset { .. } => "transcript_offset",
            Warning::SpeakerMatch { .. } => "speaker_match",
            Warning::Crowd { .. } => "crowd",
            Warning::ControlCharacters { .. } => "control_characters",
            Warning::CrowdedPicture { .. } => "crowded_picture",
            Warning::Other { code, .. } => code,
        }
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.code())?;
        match self {
            Warning::DecodeError { stream, span, count, detail } => {
                write!(f, "{count} {stream} packets or frames lost")?;
                if let Some(span) = span {
                    write!(f, " in {span}")?;
                }
                write!(f, " ({detail})")
            }
            Warning::Shortfall { stream, span } => write!(f, "the container declares {stream} in {span} that is not there"),
            Warning::Truncated { stream, at, what } => {
                write!(f, "the file breaks off ({what}): {stream} ends at {at}, and how much is missing is told nowhere")
            }
            Warning::FramesMissing { stream, missing, declared } => {
                write!(f, "{missing} of the {declared} {stream} frames the container declares did not come, where is not known")
            }
            Warning::VideoGap { span } => write!(f, "no video in {span}, where frames are otherwise steady"),
            Warning::GapFilled { span } => write!(f, "no audio in {span}, filled with silence"),
            Warning::VariableFrameRate { shortest_secs, longest_secs } => {
                write!(f, "frames are {shortest_secs:.4} to {longest_secs:.4} s apart; times are the frames' own")
            }
            Warning::StreamChosen { stream, index, others } => {
                write!(f, "{stream} stream {index} taken, others of its kind: {others:?}")
            }
            Warning::NoStream { stream, undecodable: None } => write!(f, "the file has no {stream} stream"),
            Warning::NoStream { stream, undecodable: Some(what) } => {
                write!(f, "the file has no {stream} stream that can be decoded: {what}")
            }
            Warning::Clipped { share } => write!(f, "{:.2} % of samples at full scale", share * 100.0),
            Warning::ChannelsCancel { span, taken } => {
                write!(f, "channels cancel each other in {span}; of them channel {} is taken, counted from 0", listed(taken))
            }
            Warning::NotSound { span, count } => {
                write!(f, "{count} samples in {span} are no numbers or too large for any sound; silence stands for them")
            }
            Warning::AboveFullScale { span, count, peak_db } => {
                write!(f, "{count} samples in {span} lie up to {peak_db:.1} dB above full scale; levels are as decoded")
            }
            Warning::ClockRestart { stream, stamp_secs, span } => {
                write!(f, "{stream} time stamps jump to {stamp_secs:.3} s; what follows is placed in {span}, after what is there")
            }
            Warning::Overlap { span, dropped_secs } => {
                write!(f, "{dropped_secs:.3} s of audio whose time stamps overlap what came before was dropped in {span}")
            }
            Warning::FormatChange { at_secs, from, to } => {
                write!(f, "the audio changes at {at_secs:.3} s from {} Hz and {} channels to {} Hz and {}", from.0, from.1, to.0, to.1)
            }
            Warning::TracksMixed { indices } => write!(f, "audio streams {} are mixed", listed(indices)),
            Warning::TurnsPastEnd { count, media_end } => write!(f, "{count} turns run past the media's end at {media_end}"),
            Warning::Transcript { what } | Warning::SpeakerMatch { what } | Warning::Other { what, .. } => f.write_str(what),
            Warning::Crowd { people, listeners } => write!(
                f,
                "{people} people talk: dyads has only the {listeners} who talk during a turn or talked last before it, synchrony only pairs \
                 who answer each other or are both on the screen"
            ),

            Warning::ControlCharacters { count, what } => {
                write!(f, "{count} {what} held control characters: tabs and line ends are spaces now, others U+FFFD")
            }
            Warning::CrowdedPicture { frames, most } => {
                write!(f, "{frames} pictures with {most} faces or more: the {most} clearest are looked at; see face.detect_score")
            }
            Warning::TranscriptOffset { offset_secs } => {
                write!(f, "speech fits the transcript better {offset_secs:+.2} s later; not applied")
            }
        }
    }
}

/// "0, 2"
fn listed(numbers: &[usize]) -> String {
    numbers.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

/// A reporter shared by the stages of one interview.
#[derive(Debug, Default)]
pub struct Warnings(Mutex<Vec<Warning>>);

impl Warnings {
    /// Adds one.
    pub fn push(&self, warning: Warning) {
        tracing::debug!(%warning);
        self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push(warning);
    }

    /// All, as text, sorted and without repeats, so that the order of threads never shows.
    pub fn into_sorted(self) -> Vec<String> {
        let mut all: Vec<String> =
            self.0.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner).iter().map(ToString::to_string).collect();
        all.sort();
        all.dedup();
        all
    }
}
