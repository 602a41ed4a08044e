//! `turnwise voice` on awkward sound: numbers or empty cells, never NaN, infinity or a panic.

use std::path::Path;
use std::process::Command;

/// Makes a WAV file with FFmpeg from a filter graph source.
fn sound(dir: &Path, name: &str, source: &str, more: &[&str]) -> std::path::PathBuf {
    let path = dir.join(format!("{name}.wav"));
    let run = Command::new("ffmpeg")
        .args(["-v", "error", "-y", "-f", "lavfi", "-i", source])
        .args(more)
        .arg(&path)
        .output()
        .unwrap_or_else(|e| panic!("ffmpeg is needed (make test installs it): {e}"));
    assert!(run.status.success(), "{name}: {}", String::from_utf8_lossy(&run.stderr));
    path
}

fn voice(input: &Path, out: &Path, more: &[&str]) -> (String, String) {
    let run = Command::new(env!("CARGO_BIN_EXE_turnwise"))
        .args(["voice", "--format", "csv", "--out"])
        .arg(out)
        .args(more)
        .arg(input)
        .output()
        .unwrap();
    assert!(run.status.success(), "{}: {}", input.display(), String::from_utf8_lossy(&run.stderr));
    let read = |name: &str| std::fs::read_to_string(out.join(name)).unwrap();
    (read("lld.csv"), read("functionals.csv"))
}

fn assert_clean(name: &str, text: &str) {
    for (row, line) in text.lines().enumerate().skip(1) {
        for cell in line.split(',').filter(|c| !c.is_empty()) {
            let value: f64 = cell.parse().unwrap_or_else(|_| panic!("{name}, row {row}: {cell}"));
            assert!(value.is_finite(), "{name}, row {row}: {cell}");
        }
    }
}

#[test]
fn awkward_sound_gives_numbers_or_empty_cells() {
    let dir = tempfile::tempdir().unwrap();
    let tone = "sine=frequency=220:duration=2";
    for (name, source, more) in [
        ("noise", "anoisesrc=duration=2:seed=1", &[][..]),
        ("silence", "anullsrc=r=16000:cl=mono:d=2", &[]),
        ("short", "sine=frequency=220:duration=0.05", &[]),
        ("one_sample", "sine=frequency=220:duration=0.0001:sample_rate=16000", &[]),
        ("clipped", tone, &["-af", "volume=40dB"]),
        ("offset", tone, &["-af", "dcshift=0.5"]),
        ("telephone", tone, &["-ar", "8000"]),
        ("studio", tone, &["-ar", "192000"]),
        ("six_channels", tone, &["-ac", "6", "-ar", "48000"]),
        ("float", tone, &["-c:a", "pcm_f32le"]),
    ] {
        let input = sound(dir.path(), name, source, more);
        let (lld, functionals) = voice(&input, &dir.path().join(name), &[]);
        assert_clean(name, &lld);
        assert_clean(name, &functionals);
        assert_eq!(functionals.lines().count(), 2, "{name}: a header and the whole file");
        assert_eq!(functionals.lines().next().unwrap().split(',').count(), 90, "{name}");
        let frames = lld.lines().count() - 1;
        let expected = match name {
            "short" | "one_sample" => 0..=3,
            _ => 190..=200,
        };
        assert!(expected.contains(&frames), "{name}: {frames} frames");
    }
}

#[test]
fn a_rate_of_its_own_changes_nothing() {
    // openSMILE's numbers shift at 48 kHz; ours are those of 16 kHz whatever the file has.
    let dir = tempfile::tempdir().unwrap();
    let source = "aevalsrc=0.3*sin(2*PI*220*t)+0.15*sin(2*PI*440*t)+0.1*sin(2*PI*660*t)+0.05*sin(2*PI*1100*t):d=3:s=";
    let value = |rate: &str| {
        let input = sound(dir.path(), rate, &format!("{source}{rate}"), &[]);
        let (_, functionals) = voice(&input, &dir.path().join(format!("out{rate}")), &[]);
        let mut lines = functionals.lines().map(|l| l.split(',').collect::<Vec<_>>());
        let (header, row) = (lines.next().unwrap(), lines.next().unwrap());
        let of = |name: &str| -> f64 {
            let at = header.iter().position(|h| *h == name).unwrap();
            row[at].parse().unwrap()
        };
        (
            of("egemaps_F0semitoneFrom27.5Hz_sma3nz_amean"),
            of("egemaps_loudness_sma3_amean"),
            of("egemaps_equivalentSoundLevel_dBp"),
        )
    };
    let (f0, loudness, level) = value("16000");
    assert!((f0 - 36.0).abs() < 0.1, "{f0}");
    for rate in ["44100", "48000", "192000"] {
        let (f, l, s) = value(rate);
        assert!(
            (f - f0).abs() < 0.02 && (l / loudness - 1.0).abs() < 0.02 && (s - level).abs() < 0.05,
            "{rate}: {f} {l} {s}"
        );
    }
}

#[test]
fn segments_follow_the_whole_file_in_their_own_order() {
    let dir = tempfile::tempdir().unwrap();
    let input = sound(dir.path(), "tone", "sine=frequency=220:duration=3", &[]);
    let segments = dir.path().join("segments.csv");
    std::fs::write(&segments, "start_secs,end_secs\n1.5,2.5\n0,1\n").unwrap();
    let (_, functionals) = voice(&input, &dir.path().join("out"), &["--segments", segments.to_str().unwrap()]);
    let starts: Vec<&str> = functionals.lines().skip(1).map(|l| l.split(',').next().unwrap()).collect();
    assert_eq!(starts, ["0", "1.5", "0"]);
    std::fs::write(&segments, "start_secs,end_secs\n2,1\n").unwrap();
    let run = Command::new(env!("CARGO_BIN_EXE_turnwise"))
        .args(["voice", "--out"])
        .arg(dir.path().join("out"))
        .arg("--segments")
        .arg(&segments)
        .arg(&input)
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&run.stderr).into_owned();
    assert!(!run.status.success() && told.contains("segments.csv:2"), "{told}");
}
