//! The readers on the kept inputs of the fuzz targets, as they are and damaged. `TURNWISE_FUZZ_ROUNDS=5000 cargo test --test
//! all fuzz_corpus::` damages more of them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use checks::{Outcome, TARGETS};
use turnwise::transcript::Format;

#[allow(dead_code, reason = "a part is called by the targets alone")]
#[path = "../fuzz/checks.rs"]
mod checks;

fn fuzz() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz")
}

/// Names and bytes of a target's kept inputs, sorted.
fn kept(target: &str) -> Vec<(String, Vec<u8>)> {
    let folder = fuzz().join("corpus").join(target);
    let entries = std::fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let read =
        |path: PathBuf| (path.file_name().unwrap().to_string_lossy().into_owned(), std::fs::read(&path).unwrap());
    let mut files: Vec<(String, Vec<u8>)> = entries.map(|e| read(e.unwrap().path())).collect();
    files.sort();
    files
}

/// Names of kept inputs say what becomes of them: `read_…` or `refused_…`.
#[test]
fn kept_inputs_are_read_or_refused_as_their_names_say() {
    let mut otherwise = Vec::new();
    for (target, check) in TARGETS {
        let mut outcomes = [0, 0];
        for (name, bytes) in kept(target) {
            let outcome = check(&bytes);
            let said = if name.starts_with("read_") { Outcome::Read } else { Outcome::Refused };
            if outcome != said || !name.starts_with("read_") && !name.starts_with("refused_") {
                otherwise.push(format!("{target}/{name}: {outcome:?}"));
            }
            outcomes[usize::from(outcome == Outcome::Read)] += 1;
        }
        assert!(outcomes.iter().all(|n| *n > 0), "{target}: inputs of both kinds are kept, here {outcomes:?}");
    }
    assert!(otherwise.is_empty(), "{otherwise:#?}");
}

#[test]
fn every_target_stands_in_the_crate_of_fuzz_targets() {
    let manifest: toml::Table = std::fs::read_to_string(fuzz().join("Cargo.toml")).unwrap().parse().unwrap();
    let bins: BTreeSet<&str> =
        manifest["bin"].as_array().unwrap().iter().map(|b| b["name"].as_str().unwrap()).collect();
    assert_eq!(bins, TARGETS.iter().map(|(name, _)| *name).collect());
    for (name, _) in TARGETS {
        let source = std::fs::read_to_string(fuzz().join(format!("fuzz_targets/{name}.rs"))).unwrap();
        assert!(source.contains(&format!("checks::run(\"{name}\"")), "{name}");
    }
}

/// SplitMix64: the same damage in every run.
struct Chance(u64);

impl Chance {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % n.max(1) as u64) as usize
    }
}

/// Bits turned, bytes put in, parts doubled, left out or cut off, pieces of another input, numbers that are too large.
fn damage(bytes: &mut Vec<u8>, other: &[u8], chance: &mut Chance) {
    const PIECES: [&[u8]; 12] = [
        b"-",
        b"\n",
        b"\0",
        b"\"",
        b"NaN",
        b"1e308",
        b"-0.0",
        b"99999999999999999999",
        b"\xff\xfe",
        b"\x1b[2J",
        b"<",
        "é".as_bytes(),
    ];
    for _ in 0..1 + chance.below(2) {
        let at = chance.below(bytes.len() + 1);
        let end = (at + 1 + chance.below(40)).min(bytes.len());
        match chance.below(7) {
            0 if at < bytes.len() => bytes[at] ^= 1 << chance.below(8),
            1 => drop(bytes.splice(at..at, PIECES[chance.below(PIECES.len())].iter().copied())),
            2 if chance.below(3) == 0 => bytes.truncate(at),
            3 => drop(bytes.drain(at..end)),
            4 => {
                let part = bytes[at..end].to_vec();
                let to = chance.below(bytes.len() + 1);
                bytes.splice(to..to, part);
            }
            5 if at < end => drop(bytes.splice(at..end, PIECES[chance.below(PIECES.len())].iter().copied())),
            _ => {
                let from = chance.below(other.len());
                let part = &other[from..(from + chance.below(60)).min(other.len())];
                bytes.splice(at..at, part.iter().copied());
            }
        }
    }
}

/// Rounds each; quick by default, more by `TURNWISE_FUZZ_ROUNDS`.
fn rounds() -> usize {
    std::env::var("TURNWISE_FUZZ_ROUNDS").map_or(150, |n| n.parse().expect("TURNWISE_FUZZ_ROUNDS is a whole number"))
}

/// Checks damaged inputs; a failure names the seed of the round, which alone decides the damage.
fn checked_damaged(target: &str, check: &dyn Fn(&[u8]) -> Outcome, inputs: &[Vec<u8>]) -> [usize; 2] {
    let mut outcomes = [0, 0];
    for round in 0..rounds() {
        let mut chance = Chance(round as u64 ^ 0x0051_ab1e);
        let mut bytes = inputs[chance.below(inputs.len())].clone();
        let other = &inputs[chance.below(inputs.len())];
        damage(&mut bytes, other, &mut chance);
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| check(&bytes)));
        let outcome =
            result.unwrap_or_else(|_| panic!("{target}, round {round}: {:?}", String::from_utf8_lossy(&bytes)));
        outcomes[usize::from(outcome == Outcome::Read)] += 1;
    }
    outcomes
}

#[test]
fn damaged_inputs_are_read_or_refused_and_nothing_else() {
    for (target, check) in TARGETS {
        let inputs: Vec<Vec<u8>> = kept(target).into_iter().map(|(_, bytes)| bytes).collect();
        let [refused, read] = checked_damaged(target, check, &inputs);
        println!("{target}: {read} read, {refused} refused");
        assert!(
            read > 0 && refused > 0,
            "{target}: damage that always or never matters is no test: {read} read, {refused} refused"
        );
    }
}

/// A format that is new in the list is damaged here without a word more.
#[test]
fn damaged_examples_of_every_format_are_read_or_refused_and_nothing_else() {
    for format in Format::ALL {
        let name = format!("a.{}", format.suffixes()[0]);
        let example = format.example().as_bytes().to_vec();
        let check = |bytes: &[u8]| checks::transcript(&name, bytes);
        assert_eq!(check(&example), Outcome::Read, "{format}");
        let [refused, read] = checked_damaged(&name, &check, &[example]);
        println!("{format}: {read} read, {refused} refused");
        assert!(read > 0 && refused > 0, "{format}: {read} read, {refused} refused");
    }
}
