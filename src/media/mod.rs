//! The one door to FFmpeg and hound: probing and decoding with the container's own time stamps.
