//! MP4 and MOV: whether an atom reaches past the file's end.

use super::bytes::Bytes;

/// Atoms looked at: a day in fragments of a tenth of a second.
const MOST_ATOMS: usize = 2_000_000;

/// The file as a row of atoms.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Atoms {
    /// Films in fragments are played up to where they were cut.
    pub(super) fragmented: bool,
    /// In words, what is cut.
    pub(super) cut: Option<String>,
}

/// What a film begins with; another four letters are a text's, not an atom's.
const FIRST: [&[u8; 4]; 9] = [b"ftyp", b"moov", b"mdat", b"wide", b"free", b"skip", b"pnot", b"styp", b"moof"];

/// Walks the outermost atoms.
pub(super) fn read(file: &Bytes) -> Atoms {
    let mut atoms = Atoms::default();
    if !file.at::<4>(4).is_some_and(|name| FIRST.contains(&&name)) {
        return atoms;
    }
    let mut at = 0_u64;
    for _ in 0..MOST_ATOMS {
        let Some((name, size)) = atom(file, at) else { return atoms };
        atoms.fragmented |= &name == b"moof";
        let end = at.saturating_add(size);
        if end > file.len {
            let (name, missing) = (String::from_utf8_lossy(&name), end - file.len);
            atoms.cut =
                Some(format!("the file ends inside its atom {name}, {missing} bytes early: was it copied whole?"));
            return atoms;
        }
        at = end;
    }
    atoms
}

/// Name and size; `None` at the end, for one that goes to the end whatever its length, and for what is no atom.
pub(super) fn atom(file: &Bytes, at: u64) -> Option<([u8; 4], u64)> {
    let size = u64::from(u32::from_be_bytes(file.at(at)?));
    let name = file.at::<4>(at + 4)?;
    let size = if size == 1 { u64::from_be_bytes(file.at(at + 8)?) } else { size };
    (size >= 8 && name.iter().all(|c| (0x20..0x7f).contains(c))).then_some((name, size))
}
