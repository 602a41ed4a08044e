//! The contents of a file as one number.

use std::io::Read;
use std::path::Path;

use sha2::{Digest, Sha256};

use crate::error::{Error, Result};

/// sha256 of a file, lower-case hexadecimal.
///
/// # Errors
/// [`Error::Read`].
pub fn file_sha256(path: &Path) -> Result<String> {
    let fail = |source| Error::Read { path: path.to_owned(), source };
    let mut file = crate::file::open(path)?;
    let mut hasher = Sha256::new();
    let mut chunk = vec![0u8; 1 << 20];
    loop {
        let n = file.read(&mut chunk).map_err(fail)?;
        if n == 0 {
            break;
        }
        hasher.update(&chunk[..n]);
        crate::pulse::beat();
    }
    Ok(hasher.finalize().iter().map(|b| format!("{b:02x}")).collect())
}
