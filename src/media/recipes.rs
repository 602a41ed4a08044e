//! Recipes for awkward input, made on the spot: what other tools of this field get wrong.

use std::path::Path;

use super::clips::{Clips, assert_ranges, ffprobe_times, hear};
use super::*;
use crate::error::Error;
use crate::signal::VideoFrame;
use crate::time::Segment;
use crate::warning::Warning;

const EVERY: Sampling = Sampling { rate_hz: 0.0, threads: DecodeThreads(1), ahead: 4 };

fn watch(path: &Path, sampling: Sampling) -> (Vec<VideoFrame>, VideoReport) {
    let mut film = video(path, sampling, StreamPick::default()).unwrap();
    let frames = film.by_ref().map(Result::unwrap).collect();
    let report = film.finish().unwrap();
    assert_ranges(&report.warnings);
    (frames, report)
}

fn assert_times(frames: &[VideoFrame], path: &Path) {
    let told = ffprobe_times(path);
    assert_eq!(frames.len(), told.len(), "{}", path.display());
    for (f, t) in frames.iter().zip(&told) {
        assert!((f.pts.get() - t).abs() < 1.01e-6, "{}: frame {} at {} but {t}", path.display(), f.index, f.pts.get());
    }
}

fn codes(warnings: &[Warning]) -> Vec<String> {
    warnings.iter().map(Warning::code).collect()
}

/// First sample louder than a twentieth of full scale, in seconds.
fn onset(a: &DecodedAudio) -> f64 {
    a.buffer.samples().iter().position(|s| s.abs() > 0.05).unwrap() as f64 / 16_000.0
}

#[test]
fn a_plain_clip_is_decoded_whole() {
    let clips = Clips::new();
    let base = clips.base();
    let (frames, r) = watch(&base, EVERY);
    assert_times(&frames, &base);
    assert_eq!((r.frames_decoded, r.frames_declared, r.frames_sampled), (120, Some(120), 120));
    assert_eq!((r.width, r.height, r.vfr, r.decode_errors), (160, 120, false, 0));
    assert!((r.end.unwrap().get() - 4.0).abs() < 1e-3 && (r.avg_rate_hz.unwrap() - 30.0).abs() < 1e-3);
    assert_eq!(r.warnings, []);
    let a = hear(&base);
    assert!((a.report.end_secs - 4.0).abs() < 0.03 && a.report.start_secs < 1e-9, "{:?}", a.report);
    // AAC's priming is cut off by its edit list: the tone begins at once.
    assert!(onset(&a) < 0.005, "{}", onset(&a));
    assert_eq!(a.warnings, []);
    // Ten a second, on the grid.
    let (frames, r) = watch(&base, Sampling::default());
    assert_eq!((frames.len(), r.frames_decoded, r.frames_sampled), (40, 120, 40));
    for (i, f) in frames.iter().enumerate() {
        assert!((f.pts.get() - i as f64 / 10.0).abs() < 1e-6 && f.index == 3 * i as u64);
    }
}

#[test]
fn threads_do_not_change_the_frames() {
    let clips = Clips::new();
    let base = clips.base();
    let (one, r1) = watch(&base, Sampling::default());
    let (four, r4) = watch(&base, Sampling { threads: DecodeThreads(4), ahead: 1, ..Sampling::default() });
    assert_eq!(r1, r4);
    assert!(one.iter().zip(&four).all(|(a, b)| a.pts == b.pts && a.image == b.image));
}

#[test]
fn f1_variable_frame_rate_keeps_the_frames_own_times() {
    let clips = Clips::new();
    clips.base();
    let path = clips.make(
        "vfr.mp4",
        "-i base.mp4 -vf \"select='lt(t,1)+gte(t,1)*not(mod(n,2))*lt(t,2.5)+gte(t,2.5)*not(mod(n,5))'\" -fps_mode vfr \
         -c:v libx264 -threads 1",
    );
    let (frames, r) = watch(&path, EVERY);
    assert_times(&frames, &path);
    assert!(r.vfr && frames.last().unwrap().pts.get() > 3.7);
    assert_eq!(codes(&r.warnings), ["variable_frame_rate"]);
}

#[test]
fn f2_rotation_gives_upright_frames() {
    let clips = Clips::new();
    clips.base();
    let (plain, _) = watch(&clips.path("base.mp4"), Sampling { rate_hz: 1.0, ..EVERY });
    for deg in [90, 180, 270] {
        let path = clips.make(&format!("turned{deg}.mp4"), &format!("-i base.mp4 -c copy -metadata:s:v rotate={deg}"));
        // What FFmpeg itself makes of it.
        let png = clips.make(&format!("turned{deg}.png"), &format!("-i turned{deg}.mp4 -frames:v 1"));
        let theirs = image::open(png).unwrap().to_rgb8();
        let (turned, r) = watch(&path, Sampling { rate_hz: 1.0, ..EVERY });
        let expected = if deg == 180 { (160, 120) } else { (120, 160) };
        assert_eq!((r.width, r.height), expected, "{deg}");
        assert_eq!((r.coded_width, r.coded_height, r.orientation.mirrored), (160, 120, false));
        let (ours, flat) = (&turned[0].image, &plain[0].image);
        assert_eq!(ours.dimensions(), expected);
        // The pixel at (20, 10) of the flat picture.
        let (x, y) = match r.orientation.rotation_deg {
            90 => (119 - 10, 20),
            180 => (159 - 20, 119 - 10),
            _ => (10, 159 - 20),
        };
        assert_eq!(ours.get_pixel(x, y), flat.get_pixel(20, 10), "{deg}");
        let off: u64 = ours.as_raw().iter().zip(theirs.as_raw()).map(|(a, b)| u64::from(a.abs_diff(*b))).sum();
        assert!(
            off as f64 / (theirs.as_raw().len() as f64) < 2.0,
            "{deg}: mean difference {}",
            off as f64 / theirs.as_raw().len() as f64
        );
    }
}

#[test]
fn f3_a_late_stream_stays_late() {
    let clips = Clips::new();
    clips.base();
    let path = clips.make("late_video.mp4", "-itsoffset 0.8 -i base.mp4 -i base.mp4 -map 0:v -map 1:a -c copy");
    let (frames, r) = watch(&path, EVERY);
    assert_times(&frames, &path);
    assert!((r.first_pts.unwrap().get() - 0.8).abs() < 1e-3, "{:?}", r.first_pts);
    assert!(hear(&path).report.start_secs < 1e-6);
    let path = clips.make("late_audio.mkv", "-i base.mp4 -itsoffset 0.5 -i base.mp4 -map 0:v -map 1:a -c copy");
    let a = hear(&path);
    assert!(
        (a.report.start_secs - 0.5).abs() < 0.03 && (onset(&a) - 0.5).abs() < 0.03,
        "{} {}",
        a.report.start_secs,
        onset(&a)
    );
    assert!((a.report.end_secs - 4.5).abs() < 0.06);
}

#[test]
fn f4_f5_short_audio_and_no_audio() {
    let clips = Clips::new();
    clips.base();
    clips.make("two.m4a", "-i base.mp4 -t 2 -vn -c copy");
    let path = clips.make("short_audio.mp4", "-i base.mp4 -i two.m4a -map 0:v -map 1:a -c copy");
    assert!((hear(&path).report.end_secs - 2.0).abs() < 0.05);
    assert!((watch(&path, Sampling::default()).1.end.unwrap().get() - 4.0).abs() < 1e-3);
    let silent = clips.make("silent.mp4", "-i base.mp4 -an -c copy");
    assert!(matches!(audio(&silent, 16_000, StreamPick::default()), Err(Error::NoStream { kind: "audio", .. })));
    assert_eq!(probe(&silent, StreamPick::default()).unwrap().audio, None);
    assert!(matches!(
        video(&clips.path("two.m4a"), EVERY, StreamPick::default()),
        Err(Error::NoStream { kind: "video", .. })
    ));
}

#[test]
fn f6_f7_truncated_and_corrupt_files_are_told() {
    let clips = Clips::new();
    let bytes = std::fs::read(clips.base()).unwrap();
    let half = clips.path("half.mp4");
    std::fs::write(&half, &bytes[..bytes.len() / 2]).unwrap();
    let e = probe(&half, StreamPick::default()).unwrap_err();
    assert!(matches!(e, Error::Media { .. }));
    assert!(e.chain().contains("moov atom not found"), "{}", e.chain());
    let mut broken = bytes.clone();
    let third = bytes.len() / 3;
    broken[third..third + 8000].fill(0);
    let path = clips.path("broken.mp4");
    std::fs::write(&path, &broken).unwrap();
    let (frames, r) = watch(&path, EVERY);
    assert!(r.decode_errors > 0 && r.frames_decoded < 120, "{r:?}");
    assert!(codes(&r.warnings).iter().any(|c| c == "decode_error"), "{:?}", r.warnings);
    // Decoding went on to the end.
    assert!(frames.last().unwrap().pts.get() > 3.5);
    eprintln!("corrupt middle: {} of 120 frames, {:?}", r.frames_decoded, r.warnings);
    // A stream cut short after its index: the end is missed.
    let faststart = clips.make("fast.mp4", "-i base.mp4 -c copy -movflags +faststart");
    let bytes = std::fs::read(&faststart).unwrap();
    std::fs::write(&faststart, &bytes[..bytes.len() * 6 / 10]).unwrap();
    let (_, r) = watch(&faststart, EVERY);
    let short = r.warnings.iter().find(|w| w.code() == "shortfall").expect("a shortfall of video");
    assert!(matches!(short, Warning::Shortfall { span, .. } if (span.end().get() - 4.0).abs() < 0.01), "{short:?}");
    assert!(codes(&hear(&faststart).warnings).iter().any(|c| c == "shortfall"));
}

#[test]
fn f8_wav_through_a_pipe_is_read_to_the_end() {
    let clips = Clips::new();
    let plain = clips.make("plain.wav", "-f lavfi -i sine=frequency=220:sample_rate=44100:duration=2 -ac 2");
    let expected = hear(&plain);
    assert!((expected.report.decoded_secs - 2.0).abs() < 1e-9);
    for size in [0xFFFF_FFFF_u32, 0] {
        let mut bytes = std::fs::read(&plain).unwrap();
        let data = bytes.windows(4).position(|w| w == b"data").unwrap();
        bytes[4..8].copy_from_slice(&size.to_le_bytes());
        bytes[data + 4..data + 8].copy_from_slice(&size.to_le_bytes());
        let path = clips.path("piped.wav");
        std::fs::write(&path, &bytes).unwrap();
        let a = hear(&path);
        assert_eq!(a.buffer, expected.buffer, "data size {size:#x}");
        assert_eq!(a.report.decode_errors, 0);
    }
}

#[test]
fn a_wav_cut_short_gives_what_there_is() {
    let clips = Clips::new();
    let plain = clips.make("plain.wav", "-f lavfi -i sine=frequency=220:sample_rate=16000:duration=4");
    let whole = hear(&plain);
    let bytes = std::fs::read(&plain).unwrap();
    std::fs::write(&plain, &bytes[..bytes.len() / 2]).unwrap();
    let half = hear(&plain);
    let n = half.buffer.samples().len();
    assert!(n.abs_diff(32_000) < 100, "{n}");
    assert_eq!(half.buffer.samples(), &whole.buffer.samples()[..n]);
}

#[test]
fn joined_recordings_with_a_new_clock_follow_on() {
    let clips = Clips::new();
    clips.make(
        "long.ts",
        "-f lavfi -i testsrc=size=64x48:rate=10:duration=14 -f lavfi -i sine=duration=14 -c:v mpeg2video -threads 1 \
         -c:a mp2 -muxdelay 0",
    );
    let bytes = std::fs::read(clips.path("long.ts")).unwrap();
    let joined = clips.path("twice.ts");
    std::fs::write(&joined, [bytes.clone(), bytes].concat()).unwrap();
    let (frames, r) = watch(&joined, EVERY);
    assert!((278..=280).contains(&r.frames_decoded), "{r:?}");
    assert!((frames.last().unwrap().pts.get() - 27.9).abs() < 0.3, "{:?}", r);
    let a = hear(&joined);
    assert!((a.report.end_secs - 28.0).abs() < 0.3, "{:?} {:?}", a.report, a.warnings);
    assert!(
        codes(&a.warnings).iter().any(|c| c == "timestamp_jump")
            && codes(&r.warnings).iter().any(|c| c == "timestamp_jump")
    );
}

#[test]
fn wav_formats_agree_with_ffmpeg_and_channels_are_averaged() {
    let clips = Clips::new();
    // Every format, every rate and every layout, not every combination.
    let plain = |codec: &str, rate: u32, channels: usize| codec == "pcm_s16le" || (rate == 44_100 && channels == 2);
    for (codec, bound) in
        [("pcm_u8", 1e-2), ("pcm_s16le", 1e-4), ("pcm_s24le", 1e-6), ("pcm_s32le", 1e-6), ("pcm_f32le", 1e-6)]
    {
        for rate in [8_000, 16_000, 44_100, 48_000, 192_000] {
            for channels in [1_usize, 2, 6].into_iter().filter(|&c| plain(codec, rate, c)) {
                // Channel c carries a tone of level (c + 1) / 10.
                let tones: Vec<String> = (1..=channels).map(|c| format!("0.{c}*sin(2*PI*220*t)")).collect();
                let layout = [(1, "mono"), (2, "stereo"), (6, "5.1")].iter().find(|l| l.0 == channels).unwrap().1;
                let name = format!("{codec}_{rate}_{channels}");
                let source = format!("-f lavfi -i \"aevalsrc='{}':s={rate}:c={layout}:d=0.5\"", tones.join("|"));
                let path = clips.make(&format!("{name}.wav"), &format!("{source} -c:a {codec}"));
                // The same samples in a container hound does not read.
                let other = clips.make(&format!("{name}.mka"), &format!("-i {name}.wav -c copy"));
                let (a, b) = (hear(&path), hear(&other));
                assert_eq!(a.buffer.samples().len(), 8_000, "{name}");
                assert_eq!(a.report.channels as usize, channels);
                assert_eq!(a.buffer, b.buffer, "{name}: hound and FFmpeg differ");
                let mean = (1..=channels).sum::<usize>() as f64 / 10.0 / channels as f64;
                for (i, s) in a.buffer.samples().iter().enumerate().skip(1_000).take(6_000) {
                    let told = mean * (2.0 * std::f64::consts::PI * 220.0 * i as f64 / 16_000.0).sin();
                    assert!((f64::from(*s) - told).abs() < bound + 1e-5, "{name} at {i}: {s} against {told}");
                }
            }
        }
    }
}

#[test]
fn f9_mp3_without_a_header_is_counted_not_believed() {
    let clips = Clips::new();
    let path = clips.make(
        "vbr.mp3",
        "-f lavfi -i \"aevalsrc='if(lt(t,60),0.5*sin(2*PI*220*t),0)':s=44100:d=120\" -q:a 5 -write_xing 0",
    );
    let a = hear(&path);
    assert!((a.report.end_secs - 120.0).abs() < 0.1, "{:?}", a.report);
    assert!(!codes(&a.warnings).iter().any(|c| c == "shortfall"), "{:?}", a.warnings);
    // No drift: the tone ends at 60 s.
    let last = a.buffer.samples().iter().rposition(|s| s.abs() > 0.1).unwrap() as f64 / 16_000.0;
    assert!((last - 60.0).abs() < 0.06, "{last}");
}

#[test]
fn f10_an_edit_list_hides_what_lies_before_the_origin() {
    let clips = Clips::new();
    clips.base();
    let path = clips.make("cut.mp4", "-ss 1.37 -i base.mp4 -c copy");
    let (frames, r) = watch(&path, EVERY);
    assert_times(&frames, &path);
    assert!(frames[0].pts.get() >= 0.0 && frames[0].pts.get() < 0.04, "{}", frames[0].pts.get());
    assert!(!codes(&r.warnings).iter().any(|c| c == "shortfall"), "{:?}", r.warnings);
    let a = hear(&path);
    assert!((a.report.end_secs - 2.63).abs() < 0.06, "{:?}", a.report);
    assert!((a.report.end_secs - r.end.unwrap().get()).abs() < 0.06);
}

#[test]
fn f11_a_high_rate_in_avi_goes_by_its_own_times() {
    let clips = Clips::new();
    clips.base();
    let path = clips.make("fast.avi", "-i base.mp4 -an -r 120 -f avi");
    let (frames, r) = watch(&path, EVERY);
    assert_times(&frames, &path);
    assert!((r.end.unwrap().get() - 4.0).abs() < 0.05, "{:?}", r.end);
}

#[test]
fn f12_two_sound_tracks_and_cover_art() {
    let clips = Clips::new();
    clips.base();
    let path = clips
        .make("two.mp4", "-i base.mp4 -map 0:v -map 0:a -map 0:a -c copy -disposition:a:0 0 -disposition:a:1 default");
    let p = probe(&path, StreamPick::default()).unwrap();
    assert_eq!((p.video, p.audio), (Some(0), Some(2)));
    let a = hear(&path);
    assert_eq!(a.warnings, [Warning::StreamChosen { stream: "audio", index: 2, others: vec![1] }]);
    let other = audio(&path, 16_000, StreamPick { audio: Some(1), ..StreamPick::default() }).unwrap();
    assert_eq!((other.report.stream_index, other.buffer == a.buffer), (1, true));
    let e = probe(&path, StreamPick { audio: Some(0), ..StreamPick::default() }).unwrap_err();
    assert!(matches!(e, Error::Usage { .. }) && e.to_string().contains("0 video (h264)"), "{e}");
    clips.make("cover.png", "-i base.mp4 -frames:v 1");
    let song = clips.make(
        "song.mp3",
        "-i base.mp4 -i cover.png -map 0:a -map 1:v -c:v copy -id3v2_version 3 -disposition:v attached_pic",
    );
    let p = probe(&song, StreamPick::default()).unwrap();
    assert!(p.streams.iter().any(|s| s.attached_picture) && p.video.is_none(), "{p:?}");
}

#[test]
fn f13_digital_silence_is_silence() {
    let clips = Clips::new();
    let path = clips.make("silence.wav", "-f lavfi -i anullsrc=r=48000:cl=stereo -t 5");
    let a = hear(&path);
    assert_eq!(a.buffer.samples().len(), 80_000);
    assert!(a.buffer.samples().iter().all(|s| *s == 0.0));
}

#[test]
fn f14_a_hole_in_the_audio_is_silence_of_its_length() {
    let clips = Clips::new();
    let path = clips.make(
        "hole.mka",
        "-f lavfi -i sine=frequency=220:sample_rate=44100:duration=10 -af \"aselect='not(between(t,4,7))'\" -c:a aac",
    );
    let a = hear(&path);
    assert!((a.report.end_secs - 10.0).abs() < 0.1, "{:?}", a.report);
    assert_eq!(a.report.gaps.len(), 1);
    let gap = a.report.gaps[0];
    assert!((gap.start().get() - 4.0).abs() < 0.1 && (gap.end().get() - 7.0).abs() < 0.1, "{gap}");
    assert!(a.warnings.contains(&Warning::GapFilled { span: gap }));
    assert!(a.buffer.slice(Segment::from_secs(4.5, 6.5).unwrap()).iter().all(|s| s.abs() < 1e-4));
    assert!(a.buffer.slice(Segment::from_secs(7.5, 9.5).unwrap()).iter().any(|s| s.abs() > 0.05));
    assert!((a.report.decoded_secs - 7.0).abs() < 0.2);
}

#[test]
fn changes_in_mid_stream() {
    let clips = Clips::new();
    clips.base();
    // Two transport streams joined: size, sound rate and channels change, and the clock starts anew.
    clips.make("a.ts", "-i base.mp4 -t 2 -c:v mpeg2video -c:a mp2 -ar 44100 -ac 1 -muxdelay 0");
    clips.make(
        "b.ts",
        "-i base.mp4 -t 2 -s 320x240 -c:v mpeg2video -c:a mp2 -ar 48000 -ac 2 -muxdelay 0 -output_ts_offset 2",
    );
    let joined = clips.path("joined.ts");
    let mut bytes = std::fs::read(clips.path("a.ts")).unwrap();
    bytes.extend(std::fs::read(clips.path("b.ts")).unwrap());
    std::fs::write(&joined, bytes).unwrap();
    let (frames, r) = watch(&joined, EVERY);
    assert_eq!(frames.first().unwrap().image.dimensions(), (160, 120));
    assert_eq!(frames.last().unwrap().image.dimensions(), (320, 240));
    assert!(r.frames_decoded >= 118, "{r:?}");
    let a = hear(&joined);
    assert!((a.report.end_secs - 4.0).abs() < 0.1, "{:?} {:?}", a.report, a.warnings);
    // The tone keeps its pitch in the second half: 220 Hz has 440 crossings a second.
    assert_eq!((a.report.rate_hz, a.report.channels), (44_100, 1));
    let second = a.buffer.slice(Segment::from_secs(2.5, 3.5).unwrap());
    let crossings = second.windows(2).filter(|w| (w[0] < 0.0) != (w[1] < 0.0)).count();
    assert!(crossings.abs_diff(440) < 6, "{crossings}");
}

#[test]
fn anamorphic_interlaced_and_ten_bit() {
    let clips = Clips::new();
    clips.base();
    let path = clips.make("wide.mp4", "-i base.mp4 -t 0.2 -an -vf setsar=4/3 -c:v libx264 -threads 1");
    let (frames, r) = watch(&path, EVERY);
    assert_eq!((frames[0].image.dimensions(), r.coded_width), ((213, 120), 160));
    // Moving bars woven from two instants: combs before, none after.
    let woven = clips.make(
        "woven.mpg",
        "-f lavfi -i testsrc2=size=320x240:rate=50:duration=1 -vf interlace=lowpass=0 -c:v mpeg2video -flags \
         +ildct+ilme -q:v 2 -threads 1",
    );
    let (frames, r) = watch(&woven, EVERY);
    assert!(r.interlaced && r.frames_decoded >= 24, "{r:?}");
    assert_eq!(frames.len() as u64, r.frames_decoded);
    assert_times(&frames, &woven);
    clips.make("combed.png", "-i woven.mpg -vf select=eq(n\\,10) -frames:v 1");
    let combed = image::open(clips.path("combed.png")).unwrap().to_rgb8();
    let comb = |p: &image::RgbImage| {
        let g = |x, y| f64::from(p.get_pixel(x, y)[1]);
        let mut sum = 0.0;
        for y in 1..p.height() - 1 {
            for x in 0..p.width() {
                sum += (g(x, y) - 0.5 * (g(x, y - 1) + g(x, y + 1))).abs();
            }
        }
        sum / f64::from(p.width() * p.height())
    };
    assert!(comb(&frames[10].image) < 0.8 * comb(&combed), "{} against {}", comb(&frames[10].image), comb(&combed));
    // Ten bits are eight bits with more precision.
    clips.make("eight.mkv", "-i base.mp4 -t 0.2 -an -c:v ffv1 -threads 1");
    let ten = clips.make("ten.mkv", "-i eight.mkv -pix_fmt yuv420p10le -c:v ffv1 -threads 1");
    let (a, _) = watch(&clips.path("eight.mkv"), EVERY);
    let (b, _) = watch(&ten, EVERY);
    let off: u64 = a[0].image.as_raw().iter().zip(b[0].image.as_raw()).map(|(a, b)| u64::from(a.abs_diff(*b))).sum();
    assert!(off as f64 / (160.0 * 120.0 * 3.0) < 3.0, "{}", off as f64 / (160.0 * 120.0 * 3.0));
}

#[test]
fn high_dynamic_range_is_tone_mapped() {
    let clips = Clips::new();
    // A grey of PQ code 0.51 is about 100 cd/m2: diffuse white, which must come out bright and grey.
    let path = clips.make(
        "pq.mkv",
        "-f lavfi -i color=c=0x828282:size=64x64:rate=5:duration=1 -pix_fmt yuv420p10le -c:v ffv1 -threads 1 \
         -color_primaries bt2020 -color_trc smpte2084 -colorspace bt2020nc",
    );
    let (frames, r) = watch(&path, EVERY);
    assert!(r.hdr);
    assert_eq!(codes(&r.warnings), Vec::<String>::new());
    let p = frames[0].image.get_pixel(32, 32);
    assert!(p[0] > 130 && p[0].abs_diff(p[1]) <= 2 && p[1].abs_diff(p[2]) <= 2, "{p:?}");
    eprintln!("PQ grey of 100 cd/m2 becomes {p:?}");
}
