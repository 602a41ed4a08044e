//! GIF: no length is told, only blocks that lead from one to the next up to a trailer (GIF89a, Appendix A).

use super::bytes::Bytes;

const IMAGE: u8 = 0x2C;
const EXTENSION: u8 = 0x21;
const TRAILER: u8 = 0x3B;
/// Signature, size of the screen, flags, background, aspect.
const HEADER_BYTES: u64 = 13;
/// Introducer, place, size, flags.
const IMAGE_BYTES: u64 = 10;
/// Bytes read at once.
const WINDOW: usize = 1 << 16;

/// In words, where the row of blocks breaks off: decoders stop there without an error.
pub(super) fn broken_off(file: &Bytes) -> Option<String> {
    let mut walk = Walk { file, begin: 0, window: Vec::new() };
    walk.blocks().err()
}

struct Walk<'f> {
    file: &'f Bytes,
    begin: u64,
    window: Vec<u8>,
}

impl Walk<'_> {
    fn blocks(&mut self) -> Result<(), String> {
        let mut at = HEADER_BYTES + self.table_bytes(10)?;
        loop {
            at = match self.byte(at)? {
                TRAILER => return Ok(()),
                EXTENSION => self.behind_pieces(at + 2)?,
                // The byte behind the table of colours is the width of the first code.
                IMAGE => {
                    let table_bytes = self.table_bytes(at + IMAGE_BYTES - 1)?;
                    self.behind_pieces(at + IMAGE_BYTES + table_bytes + 1)?
                }
                _ => {
                    return Err(format!(
                        "a block at byte {at} is damaged; {} bytes from there on are not read",
                        self.file.len - at
                    ));
                }
            };
        }
    }

    /// Bytes of the table of colours that the flags at `at` tell of.
    fn table_bytes(&mut self, at: u64) -> Result<u64, String> {
        let flags = self.byte(at)?;
        Ok(if flags & 0x80 == 0 { 0 } else { 3 << ((flags & 7) + 1) })
    }

    /// Where the pieces end that begin at `at`: each begins with its length, the last has none.
    fn behind_pieces(&mut self, mut at: u64) -> Result<u64, String> {
        loop {
            match self.byte(at)? {
                0 => return Ok(at + 1),
                length => at += 1 + u64::from(length),
            }
        }
    }

    fn byte(&mut self, at: u64) -> Result<u8, String> {
        let inside =
            |walk: &Self| at.checked_sub(walk.begin).and_then(|i| walk.window.get(usize::try_from(i).ok()?)).copied();
        if let Some(byte) = inside(self) {
            return Ok(byte);
        }
        (self.begin, self.window) = (at, self.file.piece(at, WINDOW));
        inside(self).ok_or_else(|| "its trailer is not there".into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::media::clips::Clips;

    #[test]
    fn a_damaged_block_is_told_wherever_it_lies() {
        let clips = Clips::new();
        let path = clips.make("a.gif", "-f lavfi -i testsrc=size=64x48:rate=5:duration=2");
        let whole = std::fs::read(&path).unwrap();
        let told = |bytes: &[u8]| {
            std::fs::write(&path, bytes).unwrap();
            broken_off(&Bytes::open(&path).unwrap())
        };
        assert_eq!(told(&whole), None);
        assert_eq!(told(&[whole.as_slice(), &[0; 100]].concat()), None, "padding");
        assert_eq!(told(&whole[..whole.len() - 1]).as_deref(), Some("its trailer is not there"));
        assert_eq!(told(&whole[..12]).as_deref(), Some("its trailer is not there"));
        let mut damaged = whole.clone();
        let control = whole.windows(3).rposition(|w| w == [0, EXTENSION, 0xF9]).unwrap();
        damaged[control + 1] = 7;
        let what = told(&damaged).unwrap();
        assert!(what.contains(&format!("byte {}", control + 1)), "{what}");
    }
}
