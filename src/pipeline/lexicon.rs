//! The word lists that a recipe asks for: the program's own, or a dictionary in LIWC's format.

use std::borrow::Cow;
use std::path::Path;

use crate::error::{Error, Result};
use crate::turns::{LanguageConfig, Lexicon};

/// A dictionary of all of LIWC's languages is below 2 MB; a recording given by mistake must not fill the memory.
const MOST_BYTES: u64 = 64 << 20;

/// The dictionary of the recipe, else the shipped lists.
///
/// # Errors
/// [`Error::Read`] for a file that cannot be read, [`Error::Parse`] with the line of one that is no dictionary.
pub fn lexicon(config: &LanguageConfig) -> Result<Cow<'static, Lexicon>> {
    if config.dictionary.is_empty() {
        return Ok(Cow::Borrowed(Lexicon::english()));
    }
    let path = Path::new(&config.dictionary);
    let hint = "give a dictionary in LIWC's format: categories between two lines of %, then words with their numbers";
    crate::file::check(path)?;
    let bytes = std::fs::metadata(path).map_err(|source| Error::Read { path: path.to_owned(), source })?.len();
    if bytes > MOST_BYTES {
        return Err(Error::parse(path, 0, format!("a file of {} MB is no dictionary", bytes / 1_000_000), hint));
    }
    let text = decoded(crate::file::read(path)?);
    Lexicon::of_liwc(&text).map(Cow::Owned).map_err(|(line, what)| Error::parse(path, line, what, hint))
}

/// UTF-8, else the code page of western Windows, in which older dictionaries are written: Latin-1, but for its
/// apostrophe.
fn decoded(bytes: Vec<u8>) -> String {
    let text = String::from_utf8(bytes).unwrap_or_else(|e| {
        let letter = |b: &u8| if *b == 0x92 { '\u{2019}' } else { char::from(*b) };
        e.as_bytes().iter().map(letter).collect()
    });
    text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dictionary_is_read_in_both_encodings_and_refused_with_its_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("own.dic");
        let config = LanguageConfig { dictionary: path.to_str().unwrap().into(), ..LanguageConfig::default() };
        assert_eq!(lexicon(&config).unwrap_err().kind(), "read");
        for bytes in
            [&b"\xef\xbb\xbf%\r\n1\ti\r\n%\r\nj'ai\t1\r\n\xc3\xa0\t1\r\n"[..], b"%\n1\ti\n%\nj\x92ai\t1\n\xe0\t1\n"]
        {
            std::fs::write(&path, bytes).unwrap();
            let same = Lexicon::of_liwc("%\n1\ti\n%\nj'ai\t1\n\u{e0}\t1\n").unwrap();
            assert_eq!(*lexicon(&config).unwrap(), same);
        }
        std::fs::write(&path, "%\n1\ti\n%\nich 2\n").unwrap();
        let e = lexicon(&config).unwrap_err().to_string();
        assert!(e.contains("own.dic") && e.contains('4') && e.contains("category 2"), "{e}");
    }
}
