//! Demuxers that open more than the file they are given: playlists, scripts, patterns of pictures, devices. None of
//! them is a recording.

use ffmpeg_next::ffi;

/// A white list of protocols with which FFmpeg can open nothing: it is no protocol's name. The recording itself is
/// handed to it open.
pub(super) const NO_PROTOCOL: &str = "none";

/// By FFmpeg's name, with what they are in words. A container that merely may refer to other files (QuickTime's data
/// references) is not among them: it is read as far as it holds its streams itself.
const OPENS_OTHERS: [(&str, &str); 17] = [
    ("hls", "a playlist"),
    ("applehttp", "a playlist"),
    ("concat", "a list of files"),
    ("dash", "a manifest of streams"),
    ("webm_dash_manifest", "a manifest of streams"),
    ("imf", "a manifest of packages"),
    ("image2", "still pictures, one or a numbered row"),
    ("vobsub", "an index of another file"),
    ("mlv", "a recording in several files"),
    ("sdp", "a description of network streams"),
    ("rtsp", "a network stream"),
    ("rtp", "a network stream"),
    ("sap", "a network stream"),
    ("avisynth", "a script"),
    ("vapoursynth", "a script"),
    ("lavfi", "a filter description"),
    ("ffmetadata", "a list of tags"),
];

/// What a demuxer is, where it opens other files, streams or devices than the one it is given; `None` for a plain
/// container. `flags`: the demuxer's, of which AVFMT_NOFILE says that it opens what it reads by itself.
pub(super) fn opens_others(name: &str, flags: i32) -> Option<&'static str> {
    let known = OPENS_OTHERS.iter().find(|(other, _)| name.split(',').any(|n| n == *other));
    known.map(|(_, what)| *what).or((flags & ffi::AVFMT_NOFILE != 0).then_some("a device or a stream of another place"))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::media::clips::Clips;
    use crate::media::{StreamPick, audio, probe, video};

    fn refused(path: &Path, what: &str) {
        for e in [
            probe(path, StreamPick::default()).err().unwrap(),
            audio(path, 16_000, StreamPick::default()).err().unwrap(),
            video(path, crate::media::Sampling::default(), StreamPick::default()).err().unwrap(),
        ] {
            assert!(
                e.kind() == "media" && e.chain().contains(what) && e.chain().contains("only files that are named"),
                "{}",
                e.chain()
            );
        }
    }

    #[test]
    fn what_names_other_files_is_refused_by_name() {
        let clips = Clips::new();
        clips.make("secret.ts", "-f lavfi -i sine=duration=1 -c:a aac");
        clips.make("img%03d.png", "-f lavfi -i testsrc2=size=64x48:rate=5 -t 1");
        std::fs::copy(clips.path("img001.png"), clips.path("img%03d.png")).unwrap();
        let file = |name: &str, text: &str| {
            std::fs::write(clips.path(name), text).unwrap();
            clips.path(name)
        };
        let hls = "#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:1\n#EXTINF:1.0,\nsecret.ts\n#EXT-X-ENDLIST\n";
        refused(&file("talk.m3u8", hls), "(hls");
        // The content tells, whatever the name says.
        refused(&file("talk.mp4", hls), "(hls");
        refused(&file("talk.ffconcat", "ffconcat version 1.0\nfile secret.ts\n"), "(concat)");
        let mpd = "<?xml version=\"1.0\"?>\n<MPD xmlns=\"urn:mpeg:dash:schema:mpd:2011\" profiles=\"urn:mpeg:dash:profile:isoff-on-demand:2011\" \
                   type=\"static\" mediaPresentationDuration=\"PT1S\"><Period><AdaptationSet><Representation id=\"1\" mimeType=\"audio/mp4\" \
                   bandwidth=\"1\"><BaseURL>secret.ts</BaseURL></Representation></AdaptationSet></Period></MPD>\n";
        refused(&file("talk.mpd", mpd), "(dash)");
        let sdp = "v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nt=0 0\nm=audio 5004 RTP/AVP 0\n";
        refused(&file("talk.sdp", sdp), "(sdp)");
        refused(&file("talk.idx", "# VobSub index file, v7\n"), "(vobsub)");
        refused(&clips.path("img%03d.png"), "(image2)");
    }

    #[test]
    fn every_demuxer_of_this_ffmpeg_that_opens_by_itself_is_known_as_such() {
        let mut state = std::ptr::null_mut();
        let mut all = Vec::new();
        loop {
            // SAFETY: the walk over FFmpeg's static list; names are static strings.
            let (name, flags) = unsafe {
                let demuxer = ffi::av_demuxer_iterate(&raw mut state);
                if demuxer.is_null() {
                    break;
                }
                (std::ffi::CStr::from_ptr((*demuxer).name).to_string_lossy().into_owned(), (*demuxer).flags)
            };
            all.push((name, flags));
        }
        let refused = |name: &str| {
            all.iter().any(|(n, flags)| n.split(',').any(|n| n == name) && opens_others(n, *flags).is_some())
        };
        for name in ["hls", "concat", "dash", "image2", "sdp", "rtsp", "rtp", "sap", "webm_dash_manifest"] {
            assert!(refused(name), "{name}");
        }
        for name in [
            "mov",
            "matroska",
            "avi",
            "mpegts",
            "wav",
            "mp3",
            "ogg",
            "flac",
            "asf",
            "mxf",
            "aac",
            "image2pipe",
            "png_pipe",
        ] {
            assert!(!refused(name), "{name}");
        }
    }
}
