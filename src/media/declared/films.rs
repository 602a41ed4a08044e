//! MP4 and MOV: several films in one file, of which FFmpeg reads the first alone, or, in fragments, not all.

use super::atoms::atom;
use super::behind::{self, Rest};
use super::bytes::Bytes;

/// Atoms looked at: a day in fragments of a tenth of a second.
const MOST_ATOMS: usize = 2_000_000;

/// Names a file of films begins with.
const FIRST: [&[u8; 4]; 6] = [b"ftyp", b"moov", b"mdat", b"wide", b"free", b"skip"];
/// Bytes of a head of a film looked at for its samples.
const MOST_HEAD: usize = 1 << 26;

/// What lies behind the first film. Fragments of a second one are read on, as those of the first, where that is right.
pub(super) fn rest(file: &Bytes) -> Option<Rest> {
    let mut at = 0_u64;
    let (mut types, mut films, mut fragmented, mut misread) = (0_u32, 0_u32, false, false);
    let mut second: Option<Rest> = None;
    let mut last_ticks = 0;
    for _ in 0..MOST_ATOMS {
        if at >= file.len {
            break;
        }
        let Some((name, size)) = atom(file, at) else {
            // An atom without a size goes to the end.
            let to_the_end = file.at::<4>(at) == Some([0; 4]) && file.at::<4>(at + 4).is_some_and(|n| &n == b"mdat");
            let unknown = || behind::behind(file, at);
            let second = second.filter(|_| !fragmented || misread);
            return second.or_else(|| if to_the_end { None } else { unknown() });
        };
        match &name {
            b"ftyp" => types += 1,
            b"moov" => {
                films += 1;
                fragmented |= films == 1 && has(file, at, size, b"mvex");
                // Samples outside of fragments are those of a film FFmpeg does not come to.
                misread |= films > 1 && has_samples(file, at, size);
                if let Some(rest) = second.as_mut().filter(|_| films == 2) {
                    rest.secs = length_secs(file, at, size);
                }
            }
            b"moof" => {
                let ticks = begin_ticks(file, at, size);
                if let Some(rest) = &second {
                    // Data told by its place in the file lay there in the film alone: FFmpeg would read the first
                    // film's again. Of fragments whose times begin anew it leaves some out.
                    misread |= data_at(file, at, size).is_some_and(|data| data < rest.at)
                        || ticks.is_some_and(|t| t < last_ticks);
                }
                last_ticks = ticks.unwrap_or(last_ticks);
            }
            _ => {}
        }
        if second.is_none() && (types > 1 || films > 1) {
            let secs = (films > 1).then(|| length_secs(file, at, size)).flatten();
            second = Some(Rest { at, kind: Some("MP4 or MOV"), secs, fragmented });
        }
        at = at.saturating_add(size);
    }
    second.filter(|_| !fragmented || misread)
}

/// How many bytes of the file FFmpeg may be given: of films in fragments those before a second one it would misread.
pub(super) fn readable_bytes(file: &Bytes) -> Option<u64> {
    let begins = file.at::<4>(4).is_some_and(|name| FIRST.contains(&&name));
    rest(file).filter(|rest| begins && rest.fragmented).map(|rest| rest.at)
}

/// The atom `name` directly inside the one of `size` bytes at `at`.
fn inside(file: &Bytes, at: u64, size: u64, wanted: &[u8; 4]) -> Option<u64> {
    let end = at.saturating_add(size);
    let mut at = at + 8;
    while at < end {
        let (name, size) = atom(file, at)?;
        if &name == wanted {
            return Some(at);
        }
        at = at.saturating_add(size);
    }
    None
}

fn has(file: &Bytes, at: u64, size: u64, name: &[u8; 4]) -> bool {
    inside(file, at, size, name).is_some()
}

/// Seconds the head of a film tells.
fn length_secs(file: &Bytes, at: u64, size: u64) -> Option<f64> {
    let head = inside(file, at, size, b"mvhd")?;
    let number = |at: u64| file.at(at).map(u32::from_be_bytes).map(u64::from);
    let (scale, duration) = match file.at::<1>(head + 8)? {
        [1] => (number(head + 28)?, u64::from_be_bytes(file.at(head + 32)?)),
        _ => (number(head + 20)?, number(head + 24)?),
    };
    (scale > 0 && duration > 0).then(|| duration as f64 / scale as f64)
}

/// True where the head of a film lists samples.
fn has_samples(file: &Bytes, at: u64, size: u64) -> bool {
    let head = file.piece(at, usize::try_from(size).unwrap_or(MOST_HEAD).min(MOST_HEAD));
    let counts = head.windows(16).filter(|w| matches!(&w[..4], b"stsz" | b"stz2"));
    counts.into_iter().any(|w| w[12..] != [0; 4])
}

/// Where in the file the data of the fragment at `at` begins, where it tells that as such.
fn data_at(file: &Bytes, at: u64, size: u64) -> Option<u64> {
    const HAS_BASE: u8 = 1;
    let track = inside(file, at, size, b"traf")?;
    let (_, track_bytes) = atom(file, track)?;
    let head = inside(file, track, track_bytes, b"tfhd")?;
    let [_, _, _, flags] = file.at(head + 8)?;
    (flags & HAS_BASE != 0).then(|| file.at(head + 16).map(u64::from_be_bytes))?
}

/// When the first track of the fragment at `at` goes on, in ticks of that track.
fn begin_ticks(file: &Bytes, at: u64, size: u64) -> Option<u64> {
    let track = inside(file, at, size, b"traf")?;
    let (_, track_bytes) = atom(file, track)?;
    let time = inside(file, track, track_bytes, b"tfdt")?;
    match file.at::<1>(time + 8)? {
        [1] => file.at(time + 12).map(u64::from_be_bytes),
        _ => file.at(time + 12).map(|bytes| u64::from(u32::from_be_bytes(bytes))),
    }
}
