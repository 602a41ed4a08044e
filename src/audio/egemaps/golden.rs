//! Against openSMILE's own numbers on the shared reference clips: the acceptance of the voice features.

use std::path::Path;

use super::*;
use crate::statistics;

const CLIPS: [&str; 5] = ["pyannote_sample", "ami_dev00", "dual_speaker", "three_speakers", "ami_es2011a_short"];

/// Samples of a 16 kHz mono file of 16 bit integers or 32 bit floats.
fn samples(path: &Path) -> Vec<f32> {
    let bytes = std::fs::read(path).unwrap();
    let chunk = |name: &[u8]| {
        let at = bytes.windows(4).position(|w| w == name).expect("chunk") + 4;
        let len = u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
        &bytes[at + 4..at + 4 + len]
    };
    let (format, data) = (chunk(b"fmt "), chunk(b"data"));
    assert_eq!(&format[2..8], [1, 0, 0x80, 0x3e, 0, 0], "one channel at 16 kHz");
    match format[0] {
        3 => data.chunks_exact(4).map(|b| f32::from_le_bytes(b.try_into().unwrap())).collect(),
        _ => data.chunks_exact(2).map(|b| f32::from(i16::from_le_bytes([b[0], b[1]])) / 32_768.0).collect(),
    }
}

/// Rows of a table of numbers after its two time columns, with those.
fn rows(text: &str) -> Vec<(f64, f64, Vec<f64>)> {
    text.lines()
        .skip(1)
        .map(|line| {
            let v: Vec<f64> = line.split(',').map(|c| c.parse().unwrap_or(f64::NAN)).collect();
            (v[0], v[1], v[2..].to_vec())
        })
        .collect()
}

/// The times of row `i` of the functionals as the RTTM file has them, which the table gives with fewer digits; row 0 is
/// the whole clip.
fn cut(shared: &Path, clip: &str, i: usize) -> Option<(f64, f64)> {
    let rttm = std::fs::read_to_string(shared.join(format!("media/audio/{clip}.rttm"))).ok()?;
    let line: Vec<&str> = rttm.lines().nth(i.checked_sub(1)?)?.split_whitespace().collect();
    let start: f64 = line[3].parse().ok()?;
    Some((start, start + line[4].parse::<f64>().ok()?))
}

fn gunzip(path: &Path) -> String {
    let out = std::process::Command::new("gzip").arg("-dc").arg(path).output().expect("gzip");
    assert!(out.status.success());
    String::from_utf8(out.stdout).unwrap()
}

/// 1 where nothing moves on either side.
fn pearson(pairs: &[(f64, f64)]) -> f64 {
    let is_constant =
        |side: fn(&(f64, f64)) -> f64| pairs.iter().all(|p| (side(p) - side(&pairs[0])).abs() < f64::MIN_POSITIVE);
    statistics::pearson(pairs).unwrap_or(if is_constant(|p| p.0) && is_constant(|p| p.1) { 1.0 } else { f64::NAN })
}

fn median(mut v: Vec<f64>) -> f64 {
    v.sort_by(f64::total_cmp);
    v.get(v.len() / 2).copied().unwrap_or(0.0)
}

#[test]
#[cfg_attr(not(feature = "shared-tests"), ignore = "needs the reference clips: make test-shared")]
fn descriptors_equal_opensmile() {
    let shared = crate::reference::folder();
    let mut extractor = Extractor::new();
    let mut failed = Vec::new();
    println!("| LLD | {} |", CLIPS.map(|c| format!("{c}: r, error")).join(" | "));
    let clips: Vec<_> = CLIPS
        .iter()
        .map(|clip| {
            let lld = extractor.lld(&samples(&shared.join(format!("media/audio/{clip}.wav"))));
            let reference = rows(&gunzip(&shared.join(format!("reference/{clip}/egemaps_lld.csv.gz"))));
            assert_eq!(lld.frames(), reference.len(), "{clip}");
            (lld, reference)
        })
        .collect();
    for (c, entry) in LLDS.iter().enumerate() {
        let mut line = format!("| {} |", entry.name);
        for ((lld, reference), clip) in clips.iter().zip(CLIPS) {
            let both_voiced = |i: usize| lld.voiced(i) && reference[i].2[column::PITCH] > 0.0;
            let pairs: Vec<(f64, f64)> = (0..lld.frames())
                .filter(|&i| c < column::PITCH || both_voiced(i))
                .map(|i| (f64::from(lld.columns[c][i]), reference[i].2[c]))
                .collect();
            let r = pearson(&pairs);
            let mean = pairs.iter().map(|p| p.1).sum::<f64>() / pairs.len() as f64;
            let std = (pairs.iter().map(|p| (p.1 - mean).powi(2)).sum::<f64>() / pairs.len() as f64).sqrt();
            let error = median(pairs.iter().map(|p| (p.0 - p.1).abs()).collect()) / std;
            line += &format!(" {r:.6}, {error:.1e} |");
            // Asked for: 0.99 and 0.02. Held to what is reached, so that a change of rounding is seen.
            if r < 0.999 || error > 0.001 {
                failed.push(format!("{} on {clip}: r {r:.4}, median error {error:.4} of the deviation", entry.name));
            }
        }
        println!("{line}");
    }
    for ((lld, reference), clip) in clips.iter().zip(CLIPS) {
        let n = lld.frames();
        let agree = (0..n).filter(|&i| lld.voiced(i) == (reference[i].2[column::PITCH] > 0.0)).count();
        let common: Vec<usize> = (0..n).filter(|&i| lld.voiced(i) && reference[i].2[column::PITCH] > 0.0).collect();
        let gross = common
            .iter()
            .filter(|&&i| (f64::from(lld.columns[column::PITCH][i]) - reference[i].2[column::PITCH]).abs() > 1.0)
            .count();
        println!("{clip}: voicing agrees on {agree} of {n} frames; {gross} gross pitch errors in {}", common.len());
        if (agree as f64) < 0.98 * n as f64 || gross as f64 > 0.01 * common.len() as f64 {
            failed.push(format!("pitch on {clip}"));
        }
    }
    assert!(failed.is_empty(), "{failed:#?}");
}

/// Pairs of ours and openSMILE's for each functional, over all segments of at least half a second.
fn functional_pairs(
    shared: &Path,
    view: impl Fn(&Functionals) -> [Option<f64>; FUNCTIONAL_COUNT],
) -> Vec<Vec<(f64, f64)>> {
    let mut extractor = Extractor::new();
    let mut pairs = vec![Vec::new(); FUNCTIONAL_COUNT];
    for clip in CLIPS {
        let signal = samples(&shared.join(format!("media/audio/{clip}.wav")));
        let table =
            rows(&std::fs::read_to_string(shared.join(format!("reference/{clip}/egemaps_functionals.csv"))).unwrap());
        for (i, (start, end, reference)) in table.into_iter().enumerate() {
            let (start, end) = cut(shared, clip, i).unwrap_or((start, end));
            if end - start < 0.5 {
                continue;
            }
            let at = |t: f64| ((t * 16_000.0).round() as usize).min(signal.len());
            let mine = view(&extractor.functionals(&signal[at(start)..at(end)]));
            for (pairs, (m, r)) in pairs.iter_mut().zip(mine.iter().zip(reference)) {
                pairs.extend(m.map(|m| (m, r)));
            }
        }
    }
    pairs
}

/// Correlation, and median and worst relative error.
fn agreement(pairs: &[(f64, f64)]) -> (f64, f64, f64) {
    let errors: Vec<f64> = pairs.iter().map(|p| (p.0 - p.1).abs() / (p.1.abs() + 1e-6)).collect();
    let worst = errors.iter().copied().fold(0.0, f64::max);
    (pearson(pairs), median(errors), worst)
}

#[test]
#[cfg_attr(not(feature = "shared-tests"), ignore = "needs the reference clips: make test-shared")]
fn functionals_equal_opensmile() {
    let shared = crate::reference::folder();
    let mut bad = Vec::new();
    for (entry, pairs) in FUNCTIONALS.iter().zip(functional_pairs(&shared, |f| f.opensmile)) {
        let (r, error, worst) = agreement(&pairs);
        println!("| {} | {} | {r:.6} | {error:.1e} | {worst:.1e} |", entry.name, pairs.len());
        // Asked for: 0.98 and 0.05, for 80 of 88.
        if r < 0.999 || error > 0.001 {
            bad.push((entry.name, r, error));
        }
    }
    assert!(bad.is_empty(), "{bad:#?}");
}

#[test]
#[cfg_attr(not(feature = "shared-tests"), ignore = "needs the reference clips: make test-shared")]
fn values_differ_from_opensmile_only_in_the_levels_of_formants() {
    let shared = crate::reference::folder();
    for (entry, pairs) in FUNCTIONALS.iter().zip(functional_pairs(&shared, |f| f.values)) {
        let (r, error, _) = agreement(&pairs);
        if entry.name.contains("amplitudeLogRelF0") {
            println!(
                "| {} | {} | {r:.3} | {error:.2} | the -201 dB of unvoiced frames is not in ours |",
                entry.name,
                pairs.len()
            );
        } else {
            assert!(r >= 0.999 && error <= 0.001, "{}: {r} {error}", entry.name);
        }
    }
}
