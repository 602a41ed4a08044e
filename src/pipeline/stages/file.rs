//! The file of a stage's result: a mark, the key, the result in MessagePack under zstd, and a sha256 of all of that.
//!
//! Written and read in a stream, so that hours of faces are not held twice. A file is believed only when its key is the
//! one asked for and its sum is right; whatever else lies there is told, and made anew.

use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};

use crate::error::Cause;

/// What each file begins with; the number is that of its layout.
const MARK: &[u8; 16] = b"turnwise stage 1";

/// Bytes of a key, and of a sum.
const HASH: usize = 32;

/// zstd's level: what it saves beyond costs more time than a disk's.
const LEVEL: i32 = 3;

/// Hash of all that a result depends on.
pub(super) type Key = [u8; HASH];

/// Why a file is not used.
#[derive(Debug)]
pub(super) enum Unusable {
    /// There is none, or it was made from something else.
    Other,
    /// In words.
    Damaged(String),
}

impl<E: std::error::Error> From<E> for Unusable {
    fn from(error: E) -> Self {
        Unusable::Damaged(error.to_string())
    }
}

/// Passes on what is written, and sums it up.
struct Summed<W> {
    inner: W,
    sum: Sha256,
}

impl<W: Write> Write for Summed<W> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.sum.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.inner.flush()
    }
}

/// Writes a result into `file`.
///
/// # Errors
/// Those of the disk.
pub(super) fn write(file: File, key: &Key, value: &impl Serialize) -> Result<(), Cause> {
    let mut out = Summed { inner: BufWriter::with_capacity(1 << 18, file), sum: Sha256::new() };
    out.write_all(MARK)?;
    out.write_all(key)?;
    let mut packed = zstd::Encoder::new(out, LEVEL)?;
    rmp_serde::encode::write(&mut packed, value)?;
    let Summed { mut inner, sum } = packed.finish()?;
    inner.write_all(&sum.finalize())?;
    Ok(inner.flush()?)
}

/// Reads the result with this key.
pub(super) fn read<T: DeserializeOwned>(path: &Path, key: &Key) -> Result<T, Unusable> {
    let foreign = || Unusable::Damaged("it is no such file".into());
    let there = match path.metadata() {
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Err(Unusable::Other),
        there => there?,
    };
    // Before it is opened: a pipe would be waited for.
    if !there.is_file() {
        return Err(foreign());
    }
    let mut file = File::open(path)?;
    let mut head = [0; MARK.len() + HASH];
    if file.read_exact(&mut head).is_err() || !head.starts_with(MARK) {
        return Err(foreign());
    }
    if head[MARK.len()..] != *key {
        return Err(Unusable::Other);
    }
    let packed = whole(&mut file, &head)?;
    file.seek(SeekFrom::Start(head.len() as u64))?;
    let mut text = zstd::Decoder::new(BufReader::with_capacity(1 << 18, file.take(packed)))?;
    let value = rmp_serde::from_read(&mut text)?;
    if text.read(&mut [0])? != 0 {
        return Err(Unusable::Damaged("it holds more than a result".into()));
    }
    Ok(value)
}

/// Bytes between head and sum, where the sum is right; the file is read from behind the head to its end.
fn whole(file: &mut File, head: &[u8]) -> Result<u64, Unusable> {
    let short = || Unusable::Damaged("it ends too early".into());
    let packed = file.metadata()?.len().checked_sub((head.len() + HASH) as u64).ok_or_else(short)?;
    let mut sum = Sha256::new_with_prefix(head);
    let mut chunk = vec![0; 1 << 18];
    let mut left = packed;
    while left > 0 {
        let count = left.min(chunk.len() as u64) as usize;
        file.read_exact(&mut chunk[..count])?;
        sum.update(&chunk[..count]);
        left -= count as u64;
        crate::pulse::beat();
    }
    let mut told = [0; HASH];
    file.read_exact(&mut told)?;
    if sum.finalize()[..] == told { Ok(packed) } else { Err(Unusable::Damaged("its sum is wrong".into())) }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Value = (Vec<f64>, Option<String>, Vec<u8>);

    fn value() -> Value {
        (vec![1.0, f64::NAN, -0.0, f64::from_bits(0x7ff8_0000_0000_1234)], Some("é".into()), vec![7; 5000])
    }

    fn bits(value: &Value) -> Vec<u64> {
        value.0.iter().map(|x| x.to_bits()).collect()
    }

    #[test]
    fn a_result_comes_back_to_the_last_bit_for_its_own_key_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.stage");
        write(File::create(&path).unwrap(), &[1; 32], &value()).unwrap();
        let read_back: Value = read(&path, &[1; 32]).unwrap();
        assert_eq!((bits(&read_back), read_back.1, read_back.2), (bits(&value()), value().1, value().2));
        assert!(matches!(read::<Value>(&path, &[2; 32]), Err(Unusable::Other)));
        assert!(matches!(read::<Value>(&folder.path().join("b.stage"), &[1; 32]), Err(Unusable::Other)));
        // Of the right key and another kind.
        assert!(matches!(read::<Vec<f64>>(&path, &[1; 32]), Err(Unusable::Damaged(_))));
        assert!(matches!(read::<Value>(folder.path(), &[1; 32]), Err(Unusable::Damaged(_))));
    }

    #[test]
    fn a_file_with_any_byte_changed_or_cut_anywhere_is_not_used() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.stage");
        write(File::create(&path).unwrap(), &[1; 32], &value()).unwrap();
        let good = std::fs::read(&path).unwrap();
        let usable = |bytes: &[u8]| {
            std::fs::write(&path, bytes).unwrap();
            read::<Value>(&path, &[1; 32]).is_ok()
        };
        assert!(usable(&good));
        for at in 0..good.len() {
            let mut bad = good.clone();
            bad[at] ^= 0x10;
            assert!(!usable(&bad), "byte {at}");
            assert!(!usable(&good[..at]), "cut at {at}");
        }
        let longer = [good.as_slice(), b"x"].concat();
        assert!(!usable(&longer) && !usable(&vec![0; 4096]));
    }
}
