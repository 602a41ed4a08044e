//! Into the middle of a film: the decoder begins at a key frame well before what is wanted, where the container's index
//! leads to one.

use std::path::Path;

use ffmpeg_next::Packet;

use super::input::{self, OpenMedia};
use super::pick::StreamPick;

/// Containers with an index and one clock; in others a place in the file says nothing sure of the time.
pub(super) const STEADY: [&str; 2] = ["mov,mp4,m4a,3gp,3g2,mj2", "matroska,webm"];
/// A shorter way is not worth it, and a picture that is refreshed bit by bit is whole again after this long.
const LEAST_SECS: f64 = 20.0;

/// The file opened at a key frame of stream `index` that comes [`LEAST_SECS`] or more before `start`; `None` where
/// there is no sure way, and the film is to be decoded from its beginning.
pub(super) fn before(path: &Path, pick: StreamPick, index: usize, start: f64) -> Option<OpenMedia> {
    let goal = start - LEAST_SECS;
    if goal <= LEAST_SECS {
        return None;
    }
    let mut source = OpenMedia::open(path, pick).ok()?;
    let ticks = ((source.probe.origin.get() + goal) * 1e6) as i64;
    if !STEADY.contains(&source.probe.container.as_str()) || source.input.seek(ticks, ..ticks).is_err() {
        return None;
    }
    let base = source.input.stream(index)?.time_base();
    let mut packet = Packet::empty();
    loop {
        packet.read(&mut source.input).ok()?;
        if packet.stream() == index {
            break;
        }
    }
    let at = input::since_origin(packet.pts().or(packet.dts())?, base, source.probe.origin).get();
    if !packet.is_key() || at > goal {
        return None;
    }
    source.input.seek(ticks, ..ticks).ok()?;
    Some(source)
}

#[cfg(test)]
mod tests {
    use super::super::clips::Clips;
    use super::*;
    use crate::media::{DecodeThreads, Wanted, video_of};
    use crate::time::Seconds;

    #[test]
    fn frames_far_inside_are_those_of_a_decoder_that_began_at_the_beginning() {
        let clips = Clips::new();
        let picture = "-f lavfi -i testsrc=size=64x48:rate=10:duration=70 -f lavfi -i sine=duration=70";
        for (name, codecs) in [
            ("a.mp4", "-c:v libx264 -preset veryfast -threads 1 -g 80 -bf 2 -x264-params open-gop=1 -c:a aac"),
            ("b.mkv", "-c:v libx264 -preset veryfast -threads 1 -g 300 -c:a aac -output_ts_offset 3"),
            ("c.webm", "-c:v libvpx-vp9 -deadline realtime -cpu-used 8 -threads 1 -g 90 -c:a libopus"),
            ("d.ts", "-c:v mpeg2video -threads 1 -g 50 -c:a mp2"),
        ] {
            let path = clips.make(name, &format!("{picture} {codecs}"));
            let sought = before(&path, StreamPick::default(), 0, 61.0).is_some();
            assert_eq!(sought, name != "d.ts", "{name}");
            let frames = |from: f64| {
                let wanted = Wanted::From(Seconds::of(from));
                let mut film = video_of(&path, wanted, DecodeThreads(1), StreamPick::default()).unwrap();
                let frames: Vec<_> = film.by_ref().map(|f| f.unwrap()).map(|f| (f.pts.get(), f.image)).collect();
                (frames, film.finish().unwrap())
            };
            let ((late, report), (all, _)) = (frames(61.0), frames(0.0));
            let rest: Vec<_> = all.into_iter().filter(|f| f.0 >= 61.0 - 1e-6).collect();
            assert!(rest.len() == 90 && late == rest, "{name}: {} of {}", late.len(), rest.len());
            assert!(report.warnings.is_empty() && report.end.unwrap().get() > 69.9, "{name}: {:?}", report.warnings);
            assert!(sought == (report.frames_decoded < 500), "{name}: {}", report.frames_decoded);
        }
    }
}
