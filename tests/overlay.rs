//! `turnwise overlay`: the film with what the tables say drawn on it. Its sound is there and in time, its pictures are
//! at their own times, and what cannot be drawn is said.

use std::path::Path;
use std::process::Command;

use image::RgbImage;
use turnwise::media::{DecodeThreads, StreamPick, Wanted, audio, probe, video_of};
use turnwise::time::Seconds;

use crate::rig::{Rig, builder};

/// Black, white from 2 to 2.2 s, with a tone at the same time; 4 s at 25 pictures a second.
const FLASH: &str = "color=black:s=320x240:r=25:d=4,drawbox=c=white:t=fill:enable='between(t,1.999,2.19)'";
const BEEP: &str = "aevalsrc='if(between(t,2,2.2),0.5*sin(5530*t),0)':s=48000:d=4";

#[track_caller]
fn made(rig: &Rig, name: &str, arguments: &[&str]) {
    let ffmpeg =
        Command::new("ffmpeg").args(["-v", "error", "-y", "-nostdin"]).args(arguments).arg(rig.at(name)).output();
    let ffmpeg = ffmpeg.expect("ffmpeg is needed: make apt");
    assert!(ffmpeg.status.success(), "{}", String::from_utf8_lossy(&ffmpeg.stderr));
}

fn flash(rig: &Rig, name: &str, codecs: &[&str]) {
    made(rig, name, &[&["-f", "lavfi", "-i", FLASH, "-f", "lavfi", "-i", BEEP], codecs].concat());
}

/// An interview of two turns by two people whose faces are seen throughout.
fn interview(rig: &Rig, id: &str, media: &str, secs: f64) {
    let mut row = builder("interviews");
    row.row().set("interview_id", id).set("status", "done").set("media", media).set("duration_secs", secs);
    row.set("video_width_px", 320_i64).set("video_height_px", 240_i64).set("warnings", Vec::<String>::new());
    rig.table(id, "interviews", row);
    let mut turns = builder("turns");
    for (i, (who, words)) in [("Ann", "So it was, and so it is."), ("ליאת", "כן, בטח")].into_iter().enumerate()
    {
        let start = i as f64 * secs / 2.0;
        turns.row().set("interview_id", id).set("turn_index", i + 1).set("speaker", who).set("text", words);
        turns.set("start_secs", start).set("end_secs", start + secs / 2.0).set("person", format!("P{}", i + 1));
    }
    rig.table(id, "turns", turns);
    let (mut faces, mut tracks) = (builder("faces"), builder("tracks"));
    for i in 0..(10.0 * secs) as usize {
        for (k, left) in [40.0, 200.0].into_iter().enumerate() {
            faces.row().set("interview_id", id).set("pts_secs", i as f64 / 10.0).set("track_id", k + 1);
            faces.set("person", format!("P{}", k + 1)).set("box_left_px", left).set("box_top_px", 60.0);
            faces.set("box_width_px", 70.0).set("box_height_px", 80.0);
        }
    }
    for k in 0..2 {
        tracks.row().set("interview_id", id).set("track_id", k + 1).set("person", format!("P{}", k + 1));
    }
    rig.table(id, "faces", faces);
    rig.table(id, "tracks", tracks);
}

fn pictures(path: &Path) -> Vec<(f64, RgbImage)> {
    let frames = video_of(path, Wanted::From(Seconds::ZERO), DecodeThreads(1), StreamPick::default()).unwrap();
    frames.map(|f| f.unwrap()).map(|f| (f.pts.get(), f.image)).collect()
}

fn times(path: &Path) -> Vec<f64> {
    pictures(path).into_iter().map(|p| p.0).collect()
}

/// When the picture becomes white, in a corner that nothing is drawn on, and when the tone begins.
fn flash_and_beep(path: &Path) -> (f64, f64) {
    let white = pictures(path).into_iter().find(|(_, p)| p.get_pixel(5, 5).0[0] > 128).unwrap().0;
    let heard = audio(path, 16_000, StreamPick::default()).unwrap();
    let first = heard.buffer.samples().iter().position(|s| s.abs() > 0.2).unwrap();
    (white, first as f64 / 16_000.0)
}

#[test]
fn the_sound_is_kept_and_in_time_copied_or_encoded() {
    let rig = Rig::new();
    let x264 = ["-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p"];
    for (name, codecs, to, sound) in [
        ("aac.mp4", &["-c:a", "aac"][..], "a.mp4", "sound copied"),
        ("aac.mkv", &["-c:a", "aac"], "b.mp4", "sound copied"),
        ("opus1.mkv", &["-c:a", "libopus"], "c.mkv", "sound copied"),
        ("opus.mkv", &["-c:a", "libopus"], "d.webm", "sound copied"),
        ("pcm.mov", &["-c:a", "pcm_s16le"], "e.mp4", "sound by aac"),
        ("mpeg.ts", &["-c:a", "mp2"], "f.mp4", "sound by aac"),
        ("aac2.mp4", &["-c:a", "aac"], "g.webm", "sound by libopus"),
    ] {
        flash(&rig, name, &[&x264[..], codecs].concat());
        interview(&rig, name, name, 4.0);
        let (told, _) = rig.run(&["overlay", "out", "--interview", name, "--to", to]);
        assert!(told.starts_with(&format!("{to}\n100 pictures in 4.0")) && told.contains(sound), "{name}: {told}");
        let (white, beep) = flash_and_beep(&rig.at(to));
        let (was_white, beeped) = flash_and_beep(&rig.at(name));
        println!("{name} to {to}: flash {was_white:.3} {white:.3}, tone {beeped:.4} {beep:.4}");
        // Opus begins 6.5 ms early, by which FFmpeg moves the pictures of Matroska; a picture lasts 40 ms.
        assert!((white - was_white).abs() < 0.016, "{name}: {was_white} became {white}");
        let apart = (beep - white) - (beeped - was_white);
        assert!(apart.abs() < 0.008, "{name}: {apart} s between sound and picture");
        let end = probe(&rig.at(to), StreamPick::default()).unwrap().declared_secs.unwrap();
        assert!((end - 4.0).abs() < 0.06, "{name}: {end}");
    }
}

#[test]
fn a_stretch_is_cut_exactly() {
    let rig = Rig::new();
    flash(&rig, "film.mp4", &["-c:v", "libx264", "-bf", "2", "-g", "50", "-pix_fmt", "yuv420p", "-c:a", "aac"]);
    interview(&rig, "film", "film.mp4", 4.0);
    for (to, sound, late) in [("cut.mp4", "copied", 0.0), ("cut.webm", "libopus", 0.0145)] {
        let (told, _) = rig.run(&["overlay", "out", "--from", "0:01", "--until", "2.5", "--to", to]);
        assert!(told.contains("38 pictures in 1.500 s") && told.contains(sound), "{told}");
        let times = times(&rig.at(to));
        assert_eq!(times.len(), 38);
        for (i, t) in times.iter().enumerate() {
            // Opus begins 6.5 ms early, and FFmpeg moves the pictures behind it.
            assert!((t - 0.04 * i as f64 - late / 2.0).abs() < 0.001 + late / 2.0, "{to}: picture {i} at {t}");
        }
        let (white, beep) = flash_and_beep(&rig.at(to));
        assert!((white - 1.0).abs() < 0.002 + late && (beep - 1.0).abs() < 0.012, "{to}: {white} {beep}");
        let heard = audio(&rig.at(to), 16_000, StreamPick::default()).unwrap().report;
        assert!((heard.end_secs - 1.5).abs() < 0.045, "{to}: {heard:?}");
    }
    let (code, _, err) = rig.turnwise(&["overlay", "out", "--from", "9", "--to", "none.mp4"]);
    assert!(code == Some(2) && err.contains("ends at 4.000") && !rig.at("none.mp4").exists(), "{err}");
    let (code, _, err) = rig.turnwise(&["overlay", "out", "--from", "2", "--until", "1", "--to", "none.mp4"]);
    assert!(code == Some(2) && err.contains("not behind --from"), "{err}");
}

#[test]
fn uneven_pictures_keep_their_times_and_a_turned_film_is_upright() {
    let rig = Rig::new();
    let uneven = "setpts='if(lt(N,20),N*0.04,0.8+(N-20)*0.11+0.013*mod(N,3))/TB'";
    let codecs = ["-vf", uneven, "-fps_mode", "vfr", "-c:v", "libx264", "-pix_fmt", "yuv420p", "-c:a", "aac"];
    flash(&rig, "uneven.mkv", &codecs);
    interview(&rig, "uneven", "uneven.mkv", 4.0);
    for to in ["a.mp4", "a.mkv"] {
        rig.run(&["overlay", "out", "--interview", "uneven", "--to", to]);
        let (was, is) = (times(&rig.at("uneven.mkv")), times(&rig.at(to)));
        assert!(was.len() > 30 && was.len() == is.len(), "{} {}", was.len(), is.len());
        assert!(was.iter().zip(&is).all(|(a, b)| (a - b).abs() < 0.001), "{was:?} {is:?}");
    }
    flash(&rig, "plain.mp4", &["-c:v", "libx264", "-pix_fmt", "yuv420p", "-aspect", "2:1", "-c:a", "aac"]);
    let plain = rig.at("plain.mp4");
    made(&rig, "turned.mp4", &["-i", plain.to_str().unwrap(), "-c", "copy", "-metadata:s:v", "rotate=90"]);
    interview(&rig, "turned", "turned.mp4", 4.0);
    let (_, told) = rig.run(&["overlay", "out", "--interview", "turned", "--to", "upright.mp4"]);
    assert!(told.contains("made from pictures of 320 x 240"), "{told}");
    let (was, is) = (pictures(&rig.at("turned.mp4")), pictures(&rig.at("upright.mp4")));
    assert_eq!(was[0].1.dimensions(), is[0].1.dimensions());
    assert!(was[0].1.height() > was[0].1.width());
}

#[test]
fn who_speaks_is_marked_in_the_film_and_names_of_any_script_draw_ink() {
    let rig = Rig::new();
    flash(&rig, "film.mp4", &["-c:v", "libx264", "-pix_fmt", "yuv420p", "-c:a", "aac"]);
    interview(&rig, "film", "film.mp4", 4.0);
    rig.run(&["overlay", "out", "--to", "drawn.mp4"]);
    let drawn = pictures(&rig.at("drawn.mp4"));
    // On the thick edge of the one who speaks, where the thin edge of the other is not.
    let lit =
        |picture: &RgbImage, left: u32| picture.get_pixel(left - 1, 100).0.iter().map(|c| u32::from(*c)).sum::<u32>();
    let (first, second) = (&drawn[25].1, &drawn[80].1);
    assert!(lit(first, 40) > lit(first, 200) + 200, "{} {}", lit(first, 40), lit(first, 200));
    assert!(lit(second, 200) > lit(second, 40) + 200, "{} {}", lit(second, 40), lit(second, 200));
    // The words stand at the bottom: Latin at the left, Hebrew at the right.
    let ink = |picture: &RgbImage, columns: std::ops::Range<u32>| {
        let pixels = columns.flat_map(|x| (215..240).map(move |y| (x, y)));
        pixels.filter(|(x, y)| picture.get_pixel(*x, *y).0.iter().all(|c| *c > 150)).count()
    };
    assert!(ink(first, 10..160) > 60 && ink(second, 160..320) > 30 && ink(second, 10..100) == 0);
    // The same again is the same, to the last byte.
    rig.run(&["overlay", "out", "--to", "again.mp4"]);
    assert!(std::fs::read(rig.at("drawn.mp4")).unwrap() == std::fs::read(rig.at("again.mp4")).unwrap());
}

#[test]
fn contact_sheets_show_each_turn_or_every_so_many_seconds() {
    let rig = Rig::new();
    flash(&rig, "film.mp4", &["-c:v", "libx264", "-pix_fmt", "yuv420p", "-c:a", "aac"]);
    interview(&rig, "film", "film.mp4", 4.0);
    let (told, _) = rig.run(&["overlay", "out", "--contact-sheet", "sheet.png"]);
    assert_eq!(told, "sheet.png\n2 stills\n");
    let sheet = image::open(rig.at("sheet.png")).unwrap().to_rgb8();
    assert!(sheet.width() > 640 && sheet.width() < 700, "{:?}", sheet.dimensions());
    // One sheet holds thirty; the last is as high as it needs to be.
    let (told, _) = rig.run(&["overlay", "out", "--contact-sheet", "many.png", "--every", "0.1", "--until", "3.5"]);
    assert_eq!(told, "many-1.png\nmany-2.png\n35 stills\n");
    let [one, two] = ["many-1.png", "many-2.png"].map(|f| image::open(rig.at(f)).unwrap().to_rgb8());
    assert!(one.width() == two.width() && one.height() > 5 * two.height());
    // The white pictures are those from 2 s on: the 21st and 22nd are in row 5.
    let cell = (one.width() - 8) / 5;
    let row = (one.height() - 8) / 6;
    assert!(
        one.get_pixel(8 + 5, 8 + 4 * row + 5).0[0] > 200 && one.get_pixel(8 + 3 * cell + 5, 8 + 4 * row + 5).0[0] < 50
    );
}

#[test]
fn media_that_moved_or_are_others_are_told_and_nothing_is_written() {
    let rig = Rig::new();
    flash(&rig, "film.mp4", &["-c:v", "libx264", "-pix_fmt", "yuv420p", "-c:a", "aac"]);
    interview(&rig, "film", "tapes/film.mp4", 4.0);
    let (_, told) = rig.run(&["overlay", "out", "--to", "here.mp4"]);
    assert!(told.contains("nothing tells whether"), "{told}");
    std::fs::create_dir_all(rig.at("other/tapes")).unwrap();
    std::fs::rename(rig.at("film.mp4"), rig.at("other/tapes/film.mp4")).unwrap();
    let (code, _, err) = rig.turnwise(&["overlay", "out", "--to", "none.mp4"]);
    assert_eq!(code, Some(2));
    assert!(err.contains("tapes/film.mp4") && err.contains("--media") && !rig.at("none.mp4").exists(), "{err}");
    rig.run(&["overlay", "out", "--to", "found.mp4", "--media", "other"]);
    rig.run(&["overlay", "out", "--to", "named.mp4", "--media", "other/tapes/film.mp4"]);
    let (code, _, err) = rig.turnwise(&["overlay", "out", "--to", "a.avi", "--media", "other"]);
    assert!(code == Some(2) && err.contains(".mp4, .mkv"), "{err}");
    let (code, _, err) = rig.turnwise(&["overlay", "out", "--interview", "none", "--to", "a.mp4"]);
    assert!(code == Some(2) && err.contains("its interviews are film"), "{err}");
    let film = rig.at("other/tapes/film.mp4");
    let (code, _, err) = rig.turnwise(&["overlay", "out", "--media", "other", "--to", film.to_str().unwrap()]);
    assert!(code != Some(0) && !err.contains("panicked") && film.is_file(), "{err}");
}

#[test]
fn a_film_of_another_content_than_was_extracted_is_refused() {
    let stage = crate::stage::Stage::new();
    let clip = stage.clip("talk.mp4");
    stage.run(&["extract", "talk.mp4", "--out", "out", "--jobs", "1"]).line("1 done, 0 already done, 0 failed");
    let told = stage.run(&["overlay", "out", "--to", "drawn.mp4"]);
    assert!(told.code == 0 && told.out.contains("pictures in 3.0") && !told.err.contains("nothing tells"), "{told:?}");
    let mut bytes = std::fs::read(&clip).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&clip, bytes).unwrap();
    let told = stage.run(&["overlay", "out", "--to", "none.mp4"]);
    assert!(told.code == 2 && told.err.contains("not the file that the tables of talk were made from"), "{told:?}");
    assert!(!stage.path("none.mp4").exists());
}

/// What a run of the program held at most, in MB.
#[cfg(target_os = "linux")]
#[allow(clippy::zombie_processes, reason = "the system is asked for it by its number")]
fn held_mb(rig: &Rig, arguments: &[&str]) -> i64 {
    let mut program = Command::new(env!("CARGO_BIN_EXE_turnwise"));
    let child = program.current_dir(rig.at("")).args(arguments).stdout(std::process::Stdio::null()).spawn().unwrap();
    // SAFETY: an all-zero answer is a valid place for the system to write to; the child is ours and not waited for yet.
    unsafe {
        let (mut usage, mut status): (libc::rusage, i32) = (std::mem::zeroed(), 0);
        assert_eq!(libc::wait4(child.id() as i32, &raw mut status, 0, &raw mut usage), child.id() as i32);
        assert_eq!(status, 0);
        usage.ru_maxrss >> 10
    }
}

#[test]
#[cfg(target_os = "linux")]
fn forty_minutes_take_little_more_memory_than_two() {
    let rig = Rig::new();
    let held = [2, 40].map(|minutes| {
        let (id, name) = (format!("m{minutes}"), format!("m{minutes}.mp4"));
        let picture = format!("color=gray:s=64x48:r=2:d={}", 60 * minutes);
        let tone = format!("sine=frequency=300:sample_rate=16000:duration={}", 60 * minutes);
        let codecs = ["-c:v", "libx264", "-preset", "ultrafast", "-c:a", "pcm_s16le"];
        let name_mov = name.replace("mp4", "mov");
        made(&rig, &name_mov, &[&["-f", "lavfi", "-i", &picture, "-f", "lavfi", "-i", &tone][..], &codecs].concat());
        interview(&rig, &id, &name_mov, 60.0 * f64::from(minutes));
        held_mb(&rig, &["overlay", "out", "--interview", &id, "--to", &format!("drawn{minutes}.mp4"), "-q"])
    });
    println!("{held:?} MB");
    // The sound alone would be 150 MB, the pictures 44, the faces of both some 20.
    assert!(held[0] > 20 && held[1] - held[0] < 40, "{held:?} MB");
}
