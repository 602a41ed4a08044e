//! Sound that cancels, unusual sample formats, joined recordings and tracks: files made on the spot.

use std::path::{Path, PathBuf};

use super::clips::{Clips, assert_ranges};
use super::*;
use crate::error::Error;
use crate::signal::Sound as _;
use crate::time::Segment;
use crate::warning::Warning;

const RATE: u32 = 16_000;

fn hear(path: &Path) -> DecodedAudio {
    let whole = audio(path, RATE, StreamPick::default()).unwrap();
    assert_ranges(&whole.warnings);
    // Long recordings go another way: the same comes out of it.
    let spooled = audio_spooled(path, RATE, StreamPick::default()).unwrap();
    assert_eq!(spooled.buffer.piece(0..spooled.buffer.count()).unwrap(), whole.buffer.samples());
    assert_eq!((&spooled.warnings, &spooled.report), (&whole.warnings, &whole.report));
    whole
}

fn codes(warnings: &[Warning]) -> Vec<String> {
    warnings.iter().map(Warning::code).collect()
}

/// Root mean square of `start` to `end` seconds, in dB of full scale.
fn level_db(a: &DecodedAudio, start: f64, end: f64) -> f64 {
    let samples = a.buffer.slice(Segment::from_secs(start, end).unwrap());
    assert!(
        samples.len() as f64 >= (end - start) * f64::from(RATE) - 2.0,
        "there are {} samples in {start}..{end}",
        samples.len()
    );
    10.0 * (samples.iter().map(|s| f64::from(*s).powi(2)).sum::<f64>() / samples.len() as f64).log10()
}

/// Zero crossings a second over two: the pitch of a tone.
fn pitch_hz(a: &DecodedAudio, start: f64, end: f64) -> f64 {
    let samples = a.buffer.slice(Segment::from_secs(start, end).unwrap());
    samples.windows(2).filter(|w| (w[0] < 0.0) != (w[1] < 0.0)).count() as f64 / (2.0 * (end - start))
}

fn assert_tone(a: &DecodedAudio, hz: f64, start: f64, end: f64) {
    let found = pitch_hz(a, start, end);
    assert!(
        (found - hz).abs() < 0.03 * hz,
        "{found} Hz in {start}..{end}, expected {hz}: {:?} {:?}",
        a.report,
        a.warnings
    );
    let level = level_db(a, start, end);
    assert!((level + 21.1).abs() < 1.5, "{level} dB in {start}..{end}: {:?}", a.warnings);
}

/// Sound of one channel in each of `channels`: FFmpeg's own way takes 3 dB off.
fn spread(channels: u32) -> &'static str {
    if channels == 2 { "pan=stereo|c0=c0|c1=c0" } else { "anull" }
}

fn join(clips: &Clips, name: &str, parts: &[PathBuf]) -> PathBuf {
    let bytes: Vec<u8> = parts.iter().flat_map(|p| std::fs::read(p).unwrap()).collect();
    std::fs::write(clips.path(name), bytes).unwrap();
    clips.path(name)
}

#[test]
fn an_inverted_channel_is_told_and_the_other_is_heard() {
    let clips = Clips::new();
    let tone = |name: &str, right: &str, codec: &str| {
        clips.make(
            name,
            &format!("-f lavfi -i \"aevalsrc='0.5*sin(2*PI*220*t)|{right}':s=44100:c=stereo:d=4\" -c:a {codec}"),
        )
    };
    // Half scale has a level of -9.03 dB; LAME takes 0.45 off.
    for (name, codec) in
        [("all.wav", "pcm_s16le"), ("all.m4a", "aac -b:a 64k"), ("all.mp3", "libmp3lame"), ("all.flac", "flac")]
    {
        let a = hear(&tone(name, "-0.5*sin(2*PI*220*t)", codec));
        assert!((level_db(&a, 0.1, 3.9) + 9.03).abs() < 0.5, "{name}: {}", level_db(&a, 0.1, 3.9));
        let [Warning::ChannelsCancel { span, taken }] = &a.warnings[..] else { panic!("{name}: {:?}", a.warnings) };
        assert!(span.start().get() < 0.1 && span.end().get() > 3.9 && taken.len() == 1, "{name}: {span}");
    }
    let a = hear(&tone("half.wav", "if(lt(t,2),0.5,-0.5)*sin(2*PI*220*t)", "pcm_s16le"));
    assert!((level_db(&a, 0.0, 2.0) + 9.03).abs() < 0.05 && (level_db(&a, 2.0, 4.0) + 9.03).abs() < 0.05);
    let [Warning::ChannelsCancel { span, .. }] = &a.warnings[..] else { panic!("{:?}", a.warnings) };
    assert!((span.start().get() - 2.0).abs() < 0.11 && (span.end().get() - 4.0).abs() < 1e-3, "{span}");
    let a = hear(&tone("part.wav", "-0.25*sin(2*PI*220*t)", "pcm_s16le"));
    assert!((level_db(&a, 0.0, 4.0) + 9.03).abs() < 0.05 && codes(&a.warnings) == ["channels_cancel"]);
    // The mean of one channel and silence is as it was.
    let a = hear(&tone("one.wav", "0", "pcm_s16le"));
    assert!((level_db(&a, 0.0, 4.0) + 15.05).abs() < 0.05 && a.warnings.is_empty());
}

/// A WAV whose header says this, around `data`.
fn wav(extensible: bool, tag: u16, bits: (u16, u16), rate_hz: u32, data: &[u8]) -> Vec<u8> {
    let (container, valid) = bits;
    let align = container / 8;
    let mut format = Vec::new();
    format.extend(if extensible { 0xFFFE } else { tag }.to_le_bytes());
    format.extend(1_u16.to_le_bytes());
    format.extend(rate_hz.to_le_bytes());
    format.extend((rate_hz * u32::from(align)).to_le_bytes());
    format.extend(align.to_le_bytes());
    format.extend(if extensible { container } else { valid }.to_le_bytes());
    if extensible {
        format.extend(22_u16.to_le_bytes());
        format.extend(valid.to_le_bytes());
        format.extend(4_u32.to_le_bytes());
        format.extend(tag.to_le_bytes());
        format.extend(*b"\0\0\0\0\x10\0\x80\0\0\xaa\0\x38\x9b\x71");
    }
    let mut out = b"RIFF".to_vec();
    out.extend((4 + 8 + format.len() as u32 + 8 + data.len() as u32).to_le_bytes());
    out.extend(b"WAVEfmt ");
    out.extend((format.len() as u32).to_le_bytes());
    out.extend(&format);
    out.extend(b"data");
    out.extend((data.len() as u32).to_le_bytes());
    out.extend(data);
    out
}

fn tone(secs: f64, rate_hz: u32) -> Vec<f64> {
    let n = (secs * f64::from(rate_hz)) as u32;
    (0..n).map(|i| 0.125 * (std::f64::consts::TAU * 220.0 * f64::from(i) / f64::from(rate_hz)).sin()).collect()
}

/// `valid` bits of each sample in a container, moved up by `shift`.
fn integers(samples: &[f64], (container, valid): (u16, u16), shift: u16) -> Vec<u8> {
    let bytes = usize::from(container / 8);
    samples
        .iter()
        .flat_map(|s| {
            (((s * 2_f64.powi(i32::from(valid) - 1)).round() as i64) << shift).to_le_bytes()[..bytes].to_vec()
        })
        .collect()
}

#[test]
fn valid_bits_fewer_than_the_containers_are_decoded_right() {
    let clips = Clips::new();
    let samples = tone(2.0, RATE);
    let path = clips.path("narrow.wav");
    for bits in [(32, 24), (24, 20), (16, 12), (32, 20), (32, 16), (24, 16), (32, 32), (24, 24), (16, 16)] {
        for low in [false, true] {
            let shift = if low { 0 } else { bits.0 - bits.1 };
            std::fs::write(&path, wav(true, 1, bits, RATE, &integers(&samples, bits, shift))).unwrap();
            let a = hear(&path);
            assert_eq!(
                (a.buffer.samples().len(), a.warnings.as_slice()),
                (samples.len(), &[][..]),
                "{bits:?}, at the low end {low}"
            );
            assert!((a.report.declared_secs.unwrap() - 2.0).abs() < 1e-9);
            let worst =
                a.buffer.samples().iter().zip(&samples).map(|(a, b)| (f64::from(*a) - b).abs()).fold(0.0, f64::max);
            assert!(worst < 1.0 / f64::from(1 << (bits.1 - 1).min(20)), "{bits:?}, at the low end {low}: {worst}");
        }
    }
    // What says 24 of 32 bits without the longer header.
    std::fs::write(&path, wav(false, 1, (32, 24), RATE, &integers(&samples, (32, 24), 8))).unwrap();
    let a = hear(&path);
    assert!((level_db(&a, 0.0, 2.0) + 21.07).abs() < 0.1 && a.warnings.is_empty(), "{:?}", a.warnings);
    // The same header with floats of that scale, as an old editor wrote it.
    let floats: Vec<u8> = samples.iter().flat_map(|s| ((s * 8_388_608.0) as f32).to_le_bytes()).collect();
    std::fs::write(&path, wav(false, 1, (32, 24), RATE, &floats)).unwrap();
    assert!((level_db(&hear(&path), 0.0, 2.0) + 21.07).abs() < 0.1);
}

#[test]
fn every_pcm_of_wav_has_its_level() {
    let clips = Clips::new();
    let source = "-f lavfi -i \"aevalsrc='0.125*sin(2*PI*220*t)':s=16000:d=1\"";
    for codec in
        ["pcm_u8", "pcm_s16le", "pcm_s24le", "pcm_s32le", "pcm_f32le", "pcm_f64le", "pcm_alaw", "pcm_mulaw", "adpcm_ms"]
    {
        let a = hear(&clips.make(&format!("{codec}.wav"), &format!("{source} -c:a {codec}")));
        assert!((level_db(&a, 0.1, 0.9) + 21.07).abs() < 0.1, "{codec}: {}", level_db(&a, 0.1, 0.9));
        assert!(a.warnings.is_empty(), "{codec}: {:?}", a.warnings);
    }
    // Big endian and planar, through FFmpeg.
    for (name, codec) in [
        ("be.aiff", "pcm_s24be"),
        ("d.mka", "pcm_f64le"),
        ("p.mka", "flac"),
        ("s.mov", "pcm_s8"),
        ("w.w64", "pcm_s32le"),
    ] {
        let a = hear(&clips.make(name, &format!("{source} -c:a {codec}")));
        assert!((level_db(&a, 0.1, 0.9) + 21.07).abs() < 0.1, "{codec}: {}", level_db(&a, 0.1, 0.9));
    }
}

#[test]
fn samples_that_are_no_sound_are_told_and_silent() {
    let clips = Clips::new();
    let mut samples: Vec<f32> = tone(4.0, RATE).into_iter().map(|s| s as f32).collect();
    samples[16_000] = f32::NAN;
    samples[16_500] = f32::NEG_INFINITY;
    samples[16_600] = 1e30;
    for s in &mut samples[48_000..48_100] {
        *s *= 32_768.0;
    }
    let data: Vec<u8> = samples.iter().flat_map(|s| s.to_le_bytes()).collect();
    let path = clips.path("float.wav");
    std::fs::write(&path, wav(false, 3, (32, 32), RATE, &data)).unwrap();
    let other = clips.make("float.mka", "-i float.wav -c copy");
    for path in [path, other] {
        let a = hear(&path);
        assert!(a.buffer.samples()[16_000].abs() < 1e-9 && a.buffer.samples()[16_600].abs() < 1e-9);
        assert!(a.buffer.samples().iter().all(|s| s.is_finite()));
        let [Warning::NotSound { span, count: 3 }, Warning::AboveFullScale { span: loud, count, peak_db }] =
            &a.warnings[..]
        else {
            panic!("{:?}", a.warnings)
        };
        assert!((span.start().get() - 1.0).abs() < 1e-3 && (span.end().get() - 1.0375).abs() < 1e-3, "{span}");
        assert!(
            (loud.start().get() - 3.0).abs() < 1e-3
                && loud.duration() < 0.01
                && *count > 80
                && (*peak_db - 72.2).abs() < 0.5,
            "{loud}"
        );
    }
}

/// A tone of `hz` at a level of -21.1 dB for `secs`.
fn part(clips: &Clips, name: &str, hz: u32, secs: f64, args: &str) -> PathBuf {
    clips.make(name, &format!("-f lavfi -i sine=frequency={hz}:duration={secs}:sample_rate=48000 {args}"))
}

#[test]
fn joined_files_are_heard_whole_one_after_the_other() {
    let clips = Clips::new();
    for (ext, args) in [
        ("mp3", "-c:a libmp3lame"),
        ("aac", "-c:a aac"),
        ("ogg", "-c:a libvorbis"),
        ("opus", "-c:a libopus"),
        ("ts", "-c:a mp2 -muxdelay 0"),
        ("flac", "-c:a flac"),
        ("wav", "-c:a pcm_s16le"),
    ] {
        let tones = [(300, 4.0), (500, 3.0), (800, 2.0)];
        let parts: Vec<PathBuf> =
            tones.iter().map(|&(hz, secs)| part(&clips, &format!("{hz}.{ext}"), hz, secs, args)).collect();
        let a = hear(&join(&clips, &format!("joined.{ext}"), &parts));
        assert!((a.report.end_secs - 9.0).abs() < 0.25, "{ext}: {:?} {:?}", a.report, a.warnings);
        assert!((a.report.decoded_secs - 9.0).abs() < 0.25, "{ext}: {:?} {:?}", a.report, a.warnings);
        for (hz, start, end) in [(300.0, 0.3, 3.8), (500.0, 4.3, 6.8), (800.0, 7.4, 8.8)] {
            assert_tone(&a, hz, start, end);
        }
        let told: Vec<Segment> = a
            .warnings
            .iter()
            .filter_map(|w| if let Warning::ClockRestart { span, .. } = w { Some(*span) } else { None })
            .collect();
        if matches!(ext, "ogg" | "opus" | "ts") {
            assert_eq!(told.len(), 2, "{ext}: {:?}", a.warnings);
            assert!(
                (told[0].start().get() - 4.0).abs() < 0.1 && (told[0].end().get() - 7.0).abs() < 0.2,
                "{ext}: {told:?}"
            );
        }
        assert!(!codes(&a.warnings).iter().any(|c| c == "audio_overlap"), "{ext}: {:?}", a.warnings);
        // The frame before each part of an MP3 tells its length and is no sound; that it is not decoded is told.
        let silent: f64 = a.report.gaps.iter().map(|gap| gap.duration()).sum();
        assert!(silent < if ext == "mp3" { 0.06 } else { 1e-9 }, "{ext}: {:?}", a.warnings);
    }
}

#[test]
fn pictures_of_short_joined_recordings_follow_on_as_their_sound_does() {
    let clips = Clips::new();
    let bytes = |hz: u32, secs: u32| {
        let picture = format!("-f lavfi -i testsrc=size=64x48:rate=10:duration={secs}");
        let sound = format!("-f lavfi -i sine=frequency={hz}:duration={secs}:sample_rate=48000");
        std::fs::read(
            clips.make("part.ts", &format!("{picture} {sound} -c:v mpeg2video -threads 1 -c:a mp2 -muxdelay 0")),
        )
        .unwrap()
    };
    let path = clips.path("joined.ts");
    std::fs::write(&path, [bytes(300, 4), bytes(500, 3)].concat()).unwrap();
    let a = hear(&path);
    assert_tone(&a, 300.0, 0.3, 3.8);
    assert_tone(&a, 500.0, 4.3, 6.8);
    let every = Sampling { rate_hz: 0.0, ..Sampling::default() };
    let mut film = video(&path, every, StreamPick::default()).unwrap();
    let times: Vec<f64> = film.by_ref().map(|f| f.unwrap().pts.get()).collect();
    let told = film.finish().unwrap().warnings;
    assert!(times.len() >= 68 && (times.last().unwrap() - 6.9).abs() < 0.25, "{times:?} {told:?}");
    assert!(codes(&told).iter().any(|c| c == "timestamp_jump"), "{told:?}");
}

#[test]
fn a_rate_that_changes_keeps_time_and_pitch() {
    let clips = Clips::new();
    for (ext, args, rates) in [
        ("ogg", "-c:a libvorbis", [44_100, 16_000, 48_000]),
        ("mp3", "-c:a libmp3lame", [44_100, 16_000, 48_000]),
        ("aac", "-c:a aac", [16_000, 44_100, 32_000]),
        ("ts", "-c:a mp2 -muxdelay 0", [44_100, 32_000, 48_000]),
        ("wav", "-c:a pcm_s16le", [44_100, 8_000, 48_000]),
    ] {
        let tones = [(300, rates[0], 1), (500, rates[1], 2), (800, rates[2], 1)];
        let make = |&(hz, rate, channels): &(u32, u32, u32)| {
            part(&clips, &format!("{hz}.{ext}"), hz, 3.0, &format!("-af {} {args} -ar {rate}", spread(channels)))
        };
        let parts: Vec<PathBuf> = tones.iter().map(make).collect();
        let a = hear(&join(&clips, &format!("joined.{ext}"), &parts));
        assert!((a.report.end_secs - 9.0).abs() < 0.35, "{ext}: {:?} {:?}", a.report, a.warnings);
        for (hz, start, end) in [(300.0, 0.3, 2.8), (500.0, 3.3, 5.8), (800.0, 6.5, 8.7)] {
            assert_tone(&a, hz, start, end);
        }
        assert_eq!(a.report.rate_hz, rates[0], "{ext}");
        let told = a.warnings.iter().filter(|w| matches!(w, Warning::FormatChange { .. })).count();
        // FFmpeg changes MPEG audio's channels a frame before its rate.
        assert!(
            if matches!(ext, "mp3" | "ts") { (2..=4).contains(&told) } else { told == 2 },
            "{ext}: {:?}",
            a.warnings
        );
    }
}

#[test]
fn a_wav_behind_a_wav_that_is_cut_short_is_read_and_told() {
    let clips = Clips::new();
    let whole = wav(false, 1, (16, 16), RATE, &integers(&tone(2.0, RATE), (16, 16), 0));
    let path = clips.path("cut.wav");
    std::fs::write(&path, [&whole[..], &whole[..whole.len() - 32_000]].concat()).unwrap();
    let a = hear(&path);
    assert_eq!(a.buffer.samples().len(), 3 * 16_000);
    assert_eq!(codes(&a.warnings), ["wav_joined", "shortfall"]);
    // What cannot be read there is not passed over in silence.
    let law = clips.make("law.wav", "-f lavfi -i sine=duration=1 -c:a pcm_mulaw");
    std::fs::write(&path, [whole, std::fs::read(law).unwrap()].concat()).unwrap();
    let a = hear(&path);
    assert_eq!((a.buffer.samples().len(), codes(&a.warnings)), (2 * 16_000, vec!["wav_joined".to_owned()]));
}

#[test]
fn all_tracks_are_mixed_each_in_its_own_time() {
    let clips = Clips::new();
    part(&clips, "a.wav", 300, 2.0, "-ar 16000");
    part(&clips, "b.wav", 800, 2.0, &format!("-af {} -ar 44100", spread(2)));
    let path = clips.make("two.mov", "-i a.wav -itsoffset 3 -i b.wav -map 0 -map 1 -c:a pcm_s16le");
    let mix = StreamPick { mix: AudioMix::All, ..StreamPick::default() };
    let a = audio(&path, RATE, mix).unwrap();
    let spooled = audio_spooled(&path, RATE, mix).unwrap();
    assert_eq!(spooled.buffer.piece(0..spooled.buffer.count()).unwrap(), a.buffer.samples());
    assert!((a.report.end_secs - 5.0).abs() < 0.01 && a.report.channels == 3, "{:?}", a.report);
    // A voice in one of two tracks is 6 dB down; the pause between is silence.
    for (hz, start, end) in [(300.0, 0.1, 1.9), (800.0, 3.1, 4.9)] {
        let found = pitch_hz(&a, start, end);
        assert!(
            (found - hz).abs() < 5.0 && (level_db(&a, start, end) + 27.1).abs() < 0.3,
            "{found}, {}",
            level_db(&a, start, end)
        );
    }
    assert!(a.buffer.slice(Segment::from_secs(2.1, 2.9).unwrap()).iter().all(|s| s.abs() < 1e-4));
    assert_eq!(a.warnings, [Warning::TracksMixed { indices: vec![0, 1] }]);
    // Each track alone, at its own level and in its own time.
    let named =
        clips.make("named.mka", "-i two.mov -map 0 -c copy -metadata:s:0 \"title=Ann Lee\" -metadata:s:1 language=deu");
    let tracks = speaker_tracks(&named, RATE).unwrap();
    assert_eq!(tracks.iter().map(|t| t.0.as_str()).collect::<Vec<_>>(), ["Ann_Lee", "deu"]);
    let loud = |i: usize| tracks[i].1.piece(0..usize::MAX).unwrap().iter().position(|s| s.abs() > 0.05).unwrap();
    assert!(loud(0) < 200 && loud(1).abs_diff(3 * 16_000) < 400, "{} {}", loud(0), loud(1));
    // Of one stream, each channel.
    let path = clips.make("channels.wav", "-f lavfi -i \"aevalsrc='0.5*sin(2*PI*220*t)|0':s=16000:c=stereo:d=1\"");
    let tracks = speaker_tracks(&path, RATE).unwrap();
    assert_eq!(tracks.iter().map(|t| t.0.as_str()).collect::<Vec<_>>(), ["track_1", "track_2"]);
    let peak = |i: usize| tracks[i].1.piece(0..usize::MAX).unwrap().iter().fold(0.0_f32, |m, s| m.max(s.abs()));
    assert!((peak(0) - 0.5).abs() < 0.01 && peak(1) < 1e-6);
    // One stream alone is that stream, as ever.
    assert_eq!(audio(&clips.path("a.wav"), RATE, mix).unwrap(), hear(&clips.path("a.wav")));
    let one = audio(&clips.path("two.mov"), RATE, StreamPick::default()).unwrap();
    assert!(codes(&one.warnings).iter().any(|c| c == "stream_chosen"));
    let film = clips.make("film.mp4", "-f lavfi -i testsrc=size=64x48:duration=1 -c:v mpeg4");
    assert!(matches!(audio(&film, RATE, mix), Err(Error::NoStream { .. })));
}
