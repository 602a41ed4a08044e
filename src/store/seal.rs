//! A checksum inside the files of formats that have none of their own: a damaged byte is an error, and no other value.
//!
//! Parquet and Arrow files end in a footer, its length and a mark, and are read from their end: what lies between the
//! last page and the footer is nobody's. There 16 bytes are kept: a mark, the CRC-32 of all before them and that of all
//! after them. Other readers pass over them; files without them, of other programs or older, are read as they are.
//! Without a checksum a damaged page may also ask for more memory than there is, which ends the process.

use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};

use crc32fast::Hasher;

const MARK: &[u8; 8] = b"turnwise";
/// Mark and two sums.
const SEAL_BYTES: u64 = 16;

/// How a format ends: the bytes of the footer's length and of the mark behind it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tail(pub u64);

/// Parquet: the length and `PAR1`.
pub(super) const PARQUET: Tail = Tail(8);
/// Arrow: the length and `ARROW1`.
pub(super) const ARROW: Tail = Tail(10);

/// How much of a file is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Extent {
    /// The footer.
    Footer,
    /// All of it.
    Whole,
}

/// Puts the sums into a file just written; a pipe has no place for them.
pub(super) fn seal(file: &mut BufWriter<File>, tail: Tail) -> io::Result<()> {
    file.flush()?;
    let file = file.get_mut();
    if !file.metadata()?.is_file() {
        return Ok(());
    }
    let Some(at) = footer_start(file, tail)? else { return Ok(()) };
    let before = sum(file, 0, at)?;
    let mut footer = Vec::new();
    file.seek(SeekFrom::Start(at))?;
    file.read_to_end(&mut footer)?;
    file.seek(SeekFrom::Start(at))?;
    file.write_all(MARK)?;
    file.write_all(&before.to_le_bytes())?;
    file.write_all(&crc32fast::hash(&footer).to_le_bytes())?;
    file.write_all(&footer)
}

/// False when the file is sealed and not what was written. One without a seal cannot be told.
pub(super) fn holds(file: &mut File, tail: Tail, extent: Extent) -> io::Result<bool> {
    let Some(footer) = footer_start(file, tail)? else { return Ok(true) };
    let Some(at) = footer.checked_sub(SEAL_BYTES) else { return Ok(true) };
    let mut seal = [0; SEAL_BYTES as usize];
    file.seek(SeekFrom::Start(at))?;
    file.read_exact(&mut seal)?;
    let told = |i: usize| u32::from_le_bytes([seal[i], seal[i + 1], seal[i + 2], seal[i + 3]]);
    if seal[..8] != *MARK {
        return Ok(true);
    }
    let end = file.metadata()?.len();
    Ok(told(12) == sum(file, footer, end)? && (extent == Extent::Footer || told(8) == sum(file, 0, at)?))
}

/// Where the footer begins, as the file's end tells; `None` where it cannot be so.
fn footer_start(file: &mut File, tail: Tail) -> io::Result<Option<u64>> {
    let end = file.metadata()?.len();
    let Some(length_at) = end.checked_sub(tail.0) else { return Ok(None) };
    let mut length = [0; 4];
    file.seek(SeekFrom::Start(length_at))?;
    file.read_exact(&mut length)?;
    Ok(length_at.checked_sub(u64::from(u32::from_le_bytes(length))))
}

/// Of the bytes from `from` up to `to`.
fn sum(file: &mut File, from: u64, to: u64) -> io::Result<u32> {
    file.seek(SeekFrom::Start(from))?;
    let (mut hasher, mut left) = (Hasher::new(), to - from);
    let mut buffer = vec![0; 1 << 16];
    while left > 0 {
        let want = left.min(buffer.len() as u64) as usize;
        let got = file.read(&mut buffer[..want])?;
        if got == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        hasher.update(&buffer[..got]);
        left -= got as u64;
    }
    Ok(hasher.finalize())
}
