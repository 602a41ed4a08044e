//! Warnings: partial failure as data. They are collected while an interview is worked on and end in its row.

use crate::time::{Seconds, Segment};

mod clock;
mod reporter;
mod text;

pub use clock::{ClockShift, TranscriptClock};
pub use reporter::Warnings;

/// Something a user should know about an interview that is done all the same.
///
/// Its text begins with a short stable code and a colon.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Warning {
    /// A span of a stream could not be decoded.
    #[error("decode_error: {count} {stream} packets or frames lost{} ({detail})", in_span(.span.as_ref()))]
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
    #[error("shortfall: the container declares {stream} in {span} that is not there")]
    Shortfall {
        /// `audio` or `video`.
        stream: &'static str,
        /// The part that is not there.
        span: Segment,
    },
    /// The file breaks off, and nothing tells how much is missing.
    #[error("truncated: the file breaks off ({what}): {stream} ends at {at}, and how much is missing is told nowhere")]
    Truncated {
        /// `audio` or `video`.
        stream: &'static str,
        /// Where the stream ends.
        at: Seconds,
        /// How it shows.
        what: String,
    },
    /// Fewer frames were decoded than the container declares, and its times do not tell where they should be.
    #[error(
        "frames_missing: {missing} of the {declared} {stream} frames the container declares did not come, \
         where is not known"
    )]
    FramesMissing {
        /// `video`.
        stream: &'static str,
        /// How many.
        missing: u64,
        /// Of how many.
        declared: u64,
    },
    /// Frames are missing in the middle of a video that is steady otherwise.
    #[error("video_gap: no video in {span}, where frames are otherwise steady")]
    VideoGap {
        /// From the end of the last frame before to the first after it.
        span: Segment,
    },
    /// A hole in the audio's time stamps was filled with silence.
    #[error("gap_filled: no audio in {span}, filled with silence")]
    GapFilled {
        /// The silence.
        span: Segment,
    },
    /// The frame rate varies.
    #[error(
        "variable_frame_rate: frames are {shortest_secs:.4} to {longest_secs:.4} s apart; times are the \
         frames' own"
    )]
    VariableFrameRate {
        /// Shortest frame distance.
        shortest_secs: f64,
        /// Longest frame distance.
        longest_secs: f64,
    },
    /// Several streams of one kind: which was taken.
    #[error("stream_chosen: {stream} stream {index} taken, others of its kind: {others:?}")]
    StreamChosen {
        /// `audio` or `video`.
        stream: &'static str,
        /// Index in the container.
        index: usize,
        /// The others of its kind.
        others: Vec<usize>,
    },
    /// The file has no stream of this kind.
    #[error("no_stream: the file has no {stream} stream{}", which(.undecodable.as_deref()))]
    NoStream {
        /// `audio` or `video`.
        stream: &'static str,
        /// In words, the streams of the kind that are there and cannot be decoded.
        undecodable: Option<String>,
    },
    /// Channels of a stream cancel each other in their mean.
    #[error(
        "channels_cancel: channels cancel each other in {span}; of them channel {} is taken, counted from 0",
        listed(.taken)
    )]
    ChannelsCancel {
        /// Where.
        span: Segment,
        /// The channels taken instead, counted from 0.
        taken: Vec<usize>,
    },
    /// Decoded samples that are no numbers, or too large for any sound; silence stands for them.
    #[error("not_sound: {count} samples in {span} are no numbers or too large for any sound; silence stands for them")]
    NotSound {
        /// From the first to the last.
        span: Segment,
        /// How many.
        count: u64,
    },
    /// Decoded samples more than 20 dB above full scale, used as they are.
    #[error(
        "above_full_scale: {count} samples in {span} lie up to {peak_db:.1} dB above full scale; levels are \
         as decoded"
    )]
    AboveFullScale {
        /// From the first to the last.
        span: Segment,
        /// How many.
        count: u64,
        /// The largest, in dB of full scale.
        peak_db: f64,
    },
    /// Time stamps start again or jump (joined recordings); what follows is placed after what is there.
    #[error(
        "timestamp_jump: {stream} time stamps jump to {stamp_secs:.3} s; what follows is placed in {span}, \
         after what is there"
    )]
    ClockRestart {
        /// `audio` or `video`.
        stream: &'static str,
        /// The stamp, in seconds since the origin.
        stamp_secs: f64,
        /// Where what follows is placed, up to the next restart or the end.
        span: Segment,
    },
    /// Sound whose time stamps overlap what came before was dropped.
    #[error(
        "audio_overlap: {dropped_secs:.3} s of audio whose time stamps overlap what came before was dropped \
         in {span}"
    )]
    Overlap {
        /// Where it would have been, from the first to the last.
        span: Segment,
        /// How much of it was dropped.
        dropped_secs: f64,
    },
    /// Rate or channels of the sound change in mid-stream.
    #[error(
        "audio_format_change: the audio changes at {at_secs:.3} s from {} Hz and {} channels to {} Hz and {}",
        .from.0, .from.1, .to.0, .to.1
    )]
    FormatChange {
        /// When.
        at_secs: f64,
        /// Rate and channels before.
        from: (u32, u32),
        /// Rate and channels from then on.
        to: (u32, u32),
    },
    /// All audio streams were mixed, as asked.
    #[error("tracks_mixed: audio streams {} are mixed", listed(.indices))]
    TracksMixed {
        /// Their indices in the container.
        indices: Vec<usize>,
    },
    /// Turns that end after the media.
    #[error("turns_past_end: {count} turns run past the media's end at {media_end}")]
    TurnsPastEnd {
        /// How many.
        count: usize,
        /// End of the media.
        media_end: Seconds,
    },
    /// Turns that would begin before the media, moved as asked; they begin at its start.
    #[error(
        "turns_before_start: {count} turns begin before 0 once moved by {moved_secs:+.2} s; what lies before is cut off"
    )]
    TurnsBeforeStart {
        /// How many.
        count: usize,
        /// Seconds by which all were moved.
        moved_secs: f64,
    },
    /// An RTTM file of several recordings.
    #[error(
        "rttm_recordings: {recordings} recordings in the RTTM file; the one of the interview's name is taken, {lines} \
         lines of others are not"
    )]
    OtherRecordings {
        /// How many recordings.
        recordings: usize,
        /// Lines of others than this one's, which are not read.
        lines: usize,
    },
    /// Something about the transcript (unordered, overlapping, empty or dropped cues).
    #[error("transcript: {what}")]
    Transcript {
        /// In words, with cue and line.
        what: String,
    },
    /// How the transcript's clock runs against the sound's.
    #[error("transcript_offset: {0}")]
    TranscriptOffset(TranscriptClock),
    /// Speaker labels and voices disagree, or could not be matched.
    #[error("speaker_match: {what}")]
    SpeakerMatch {
        /// In words.
        what: String,
    },
    /// More people than every pair of which the tables hold.
    #[error(
        "crowd: {people} people talk: dyads has only the {listeners} who talk during a turn or talked last \
         before it, synchrony only pairs who answer each other or are both on the screen"
    )]
    Crowd {
        /// How many people talk.
        people: usize,
        /// Most listeners of a turn.
        listeners: usize,
    },
    /// Text from outside held characters that steer a terminal, a line or the reading direction; they were replaced.
    #[error(
        "control_characters: {count} {what} held control characters: tabs and line ends are spaces now, \
         others U+FFFD"
    )]
    ControlCharacters {
        /// How many texts were changed.
        count: usize,
        /// Of what: `turns of the transcript`.
        what: &'static str,
    },
    /// So many faces at once that only the clearest were looked at.
    #[error(
        "crowded_picture: {frames} pictures with {most} faces or more: the {most} clearest are looked at; \
         see face.detect_score"
    )]
    CrowdedPicture {
        /// Looks at a whole picture that found that many.
        frames: u32,
        /// Faces looked at.
        most: usize,
    },
    /// The file with the speech turns to use names nobody.
    #[error("rttm_empty: {file} names nobody")]
    RttmEmpty {
        /// Its name.
        file: String,
    },
    /// A warning of an earlier run whose result is used again, word for word.
    #[error("{text}")]
    Earlier {
        /// Its text, which begins with its own code.
        text: String,
    },
    /// FFmpeg only guessed the file's format, and its name says another.
    #[error(
        "container_doubtful: FFmpeg takes the file for {format} with little certainty ({score} of 100), its \
         name says {extension}"
    )]
    ContainerDoubtful {
        /// The format FFmpeg takes it for.
        format: String,
        /// FFmpeg's certainty, of 100.
        score: i32,
        /// The file's extension.
        extension: String,
    },
    /// Several WAV files in one file; all of them were read.
    #[error(
        "wav_joined: {files} pieces of sound stand in one file (joined WAV files, or chunks); all are read, one after \
         the other"
    )]
    WavJoined {
        /// How many.
        files: usize,
    },
    /// Behind the sound lies another WAV file that cannot be read in that place.
    #[error("wav_joined: {bytes} bytes behind the sound are another WAV file that cannot be read in that place")]
    WavUnread {
        /// Its bytes.
        bytes: u64,
    },
    /// Video time stamps start again or jump.
    #[error(
        "timestamp_jump: video time stamps jump to {stamp_secs:.3} s; the frames are placed from \
         {placed_secs:.3} s on"
    )]
    VideoClockRestart {
        /// The stamp, in seconds since the origin.
        stamp_secs: f64,
        /// Where the frames are placed from there on.
        placed_secs: f64,
    },
    /// Video frames whose time does not follow the one before were left out.
    #[error("video_time_order: {frames} video frames whose time does not follow the one before were left out")]
    VideoTimeOrder {
        /// How many.
        frames: u64,
    },
    /// HDR video was converted without tone mapping.
    #[error("hdr_untouched: HDR video was converted without tone mapping, so that contrast is low ({why})")]
    HdrUntouched {
        /// What kept it from being mapped.
        why: String,
    },
    /// The audio's time stamps run slower than its samples.
    #[error("audio_clock: the audio's time stamps run slower than its samples; they are placed one after the other")]
    AudioClock,
    /// Holes in the audio beyond those told one by one.
    #[error("gaps_filled: {gaps} more holes in the audio were filled with silence, {secs:.3} s in all")]
    MoreGapsFilled {
        /// How many.
        gaps: usize,
        /// Their durations together.
        secs: f64,
    },
    /// An audio stream of several could not be decoded and is left out.
    #[error("track_lost: audio stream {index} is left out: {error}")]
    TrackLost {
        /// Index in the container.
        index: usize,
        /// The error with its causes.
        error: String,
    },
    /// The container declares more than a file of its size can hold.
    #[error(
        "duration_doubtful: the container declares {declared_secs:.0} s, more than the file has bytes for; \
         at most {believed_secs:.0} s are believed"
    )]
    DurationDoubtful {
        /// What it declares.
        declared_secs: f64,
        /// The most that is believed.
        believed_secs: f64,
    },
    /// Sound in further chunks of a WAV file.
    #[error(
        "bytes_unread: {bytes} bytes of sound stand in further data chunks of the file, of which only the first is read"
    )]
    ChunksUnread {
        /// How many bytes.
        bytes: u64,
    },
    /// What lies behind the end of a recording.
    #[error("bytes_unread: {what}, and are not read")]
    RecordingBehind {
        /// In words, where and what.
        what: String,
    },
    /// Another file behind sound that has no end of its own.
    #[error(
        "container_doubtful: behind the sound its header tells of, {bytes} bytes are another {kind} file; they are \
         read on as sound, its header too"
    )]
    ReadAsSound {
        /// How many bytes.
        bytes: u64,
        /// Name of the kind of file.
        kind: &'static str,
    },
    /// Packets lost in a file whose times are counted by its packets.
    #[error(
        "times_early: sound was lost at {:.3} s and {missing_secs:.3} s are missing in all: times from there on may \
         be early by up to that",
        .at.get()
    )]
    TimesEarly {
        /// Where packets were lost.
        at: Seconds,
        /// Seconds missing in all.
        missing_secs: f64,
    },
    /// Time stamps of video that do not go on.
    #[error("video_clock: video time stamps stand still: {frames} frames are placed one after the other in {span}")]
    VideoClockStands {
        /// How many frames.
        frames: usize,
        /// Where they were placed.
        span: Segment,
    },
    /// A WAV file goes on after the sound its header tells of.
    #[error(
        "bytes_unread: the header tells of {declared_secs:.3} s of sound; what follows in the file \
         ({rest_secs:.3} s, were it sound) is not read"
    )]
    BytesUnread {
        /// The sound the header tells of.
        declared_secs: f64,
        /// How long the rest would be, were it sound.
        rest_secs: f64,
    },
    /// Speech was heard, and segmentation told no speaker.
    #[error("speech_unsegmented: speech was heard but no speaker told; all of it is given to one")]
    SpeechUnsegmented,
    /// A correction that is not applied.
    #[error("correction: {what}")]
    Correction {
        /// The line, and why.
        what: String,
    },
    /// Fewer speakers than asked for.
    #[error(
        "too_few_speakers: {found} of at least {least} speakers found; no further voice is told apart in \
         the recording, and time alone parts none"
    )]
    TooFewSpeakers {
        /// Speakers told apart.
        found: usize,
        /// The least asked for.
        least: usize,
    },
}

/// `" that can be decoded: 0 of codec x"` where there are others.
fn which(undecodable: Option<&str>) -> String {
    undecodable.map(|what| format!(" that can be decoded: {what}")).unwrap_or_default()
}

/// `" in 1.000 to 2.000 s"` where the span is known.
fn in_span(span: Option<&Segment>) -> String {
    span.map(|s| format!(" in {s}")).unwrap_or_default()
}

/// "0, 2"
fn listed(numbers: &[usize]) -> String {
    numbers.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests;
