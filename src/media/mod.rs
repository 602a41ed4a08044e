//! The one door to FFmpeg and hound: probing and decoding with the container's own time stamps.
//!
//! Every time that leaves this room is counted from the recording's common origin, the container's start time, for
//! audio and video alike: a stream that starts late stays late. Presentation times come from the container, never from
//! a frame rate.
//!
//! ```text
//! probe  open → list streams → choose           probe.rs, pick.rs, input.rs; foreign.rs for what is refused
//! audio  decode → mean of channels, or the better where they cancel → place by PTS → resample
//!                   audio.rs, downmix.rs, intake.rs, cancel.rs, placing.rs, notes.rs, resample.rs; wav.rs for plain WAV,
//!                   riff.rs for unusual and joined ones, spool.rs for long recordings; tracks.rs mixes several streams
//! end    what the file promises → what came out → the range that is missing
//!                   declared/, shortfall.rs; bounds.rs for claims too large
//! video  decode → sample by PTS → deinterlace → RGB, square pixels → upright
//!                   video.rs, grid.rs, deinterlace.rs, picture.rs, tonemap.rs, orientation.rs
//! out    pictures at their times → encode; sound copied, else encoded → one film      encode.rs, sound_track.rs
//! text   subtitles inside the media: choose → packets with their times                     subtitles.rs
//! ```

mod amr;
mod audio;
mod bounds;
mod cancel;
mod clock;
mod declared;
mod decoding;
mod deinterlace;
mod downmix;
mod encode;
mod foreign;
mod frames;
mod grid;
mod holes;
mod input;
mod intake;
mod log;
mod notes;
mod orientation;
mod pick;
mod picture;
mod placing;
mod probe;
mod resample;
mod riff;
mod seek;
mod shortfall;
mod skipped;
mod sound_track;
mod spool;
mod subtitles;
mod tonemap;
mod tracks;
mod video;
mod video_report;
mod wav;

#[cfg(test)]
mod claims;
#[cfg(test)]
mod clips;
#[cfg(test)]
mod cut;
#[cfg(test)]
mod golden;
#[cfg(test)]
mod joined;
#[cfg(test)]
mod ranges;
#[cfg(test)]
mod recipes;

pub use audio::{AudioReport, DecodedAudio, audio, audio_spooled};
pub use encode::VideoWriter;
pub use frames::each_frame;
pub use input::ffmpeg_version;
pub use orientation::Orientation;
pub use pick::{AudioMix, StreamPick};
pub use probe::{AudioInfo, Probe, StreamInfo, StreamKind, VideoInfo, probe};
pub use sound_track::{SoundRequest, SoundTrack};
pub use spool::SpooledAudio;
pub use subtitles::{SubtitleCoding, SubtitlePacket, SubtitlePick, Subtitles, subtitle_counts, subtitles};
pub use tracks::speaker_tracks;
pub use video::{DecodeThreads, Sampling, Video, Wanted, video, video_of};
pub use video_report::VideoReport;
