//! The media that a document links, and where its times begin in the one that the interview is of.

use std::path::Path;

use crate::error::Result;
use crate::transcript::draft::{Draft, short};

/// A MEDIA_DESCRIPTOR.
pub(super) struct Linked {
    pub(super) line: usize,
    /// MEDIA_URL and RELATIVE_MEDIA_URL.
    pub(super) urls: [String; 2],
    /// TIME_ORIGIN as written: the place in the media, in ms, at which the document's times begin.
    pub(super) origin: String,
}

impl Linked {
    /// The file's name, of the address that has one.
    fn name(&self) -> String {
        self.urls.iter().map(|u| file_name(u)).find(|n| !n.is_empty()).unwrap_or_default()
    }

    fn is(&self, media: &Path) -> bool {
        let wanted = media.file_name().map(|n| n.to_string_lossy().to_lowercase()).unwrap_or_default();
        !wanted.is_empty() && self.urls.iter().any(|u| file_name(u).to_lowercase() == wanted)
    }

    /// In ms; 0 where nothing is written, `None` for what is no number.
    fn origin_ms(&self) -> Option<f64> {
        let told = self.origin.trim();
        if told.is_empty() { Some(0.0) } else { told.parse().ok().filter(|ms: &f64| ms.is_finite()) }
    }
}

/// The last part of an address, `%20` and the like resolved.
fn file_name(url: &str) -> String {
    let last = url.trim().rsplit(['/', '\\']).next().unwrap_or_default();
    let mut bytes = Vec::new();
    let mut rest = last.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let code = after.get(..2).filter(|_| *first == b'%').and_then(|h| std::str::from_utf8(h).ok());
        match code.and_then(|h| u8::from_str_radix(h, 16).ok()) {
            Some(byte) => (bytes.push(byte), rest = &after[2..]).1,
            None => (bytes.push(*first), rest = after).1,
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| last.to_owned())
}

/// Milliseconds to add to the document's times, so that they are those of the interview's media: the TIME_ORIGIN of the
/// descriptor that names them. Nothing is known to be right where none does, and that is told.
pub(super) fn shift_ms(linked: &[Linked], draft: &mut Draft) -> Result<f64> {
    for one in linked.iter().filter(|l| l.origin_ms().is_none()) {
        let what = format!("TIME_ORIGIN {:?} is no number", short(&one.origin));
        let hint = "write a number of milliseconds, or save the file from ELAN again";
        draft.flaw(one.line, what, "times are read without it", hint)?;
    }
    let origin = |l: &Linked| l.origin_ms().unwrap_or(0.0);
    let own: Vec<&Linked> = linked.iter().filter(|l| draft.media().is_some_and(|m| l.is(m))).collect();
    let told = |l: &Linked| format!("{:?} from {} ms on", l.name(), origin(l));
    if linked.len() > 1 {
        let all: Vec<String> = linked.iter().map(told).collect();
        draft.warn(format!("ELAN links {} media: {}", linked.len(), all.join(", ")));
    }
    if let Some((first, others)) = own.split_first() {
        if others.iter().any(|l| (origin(l) - origin(first)).abs() > 0.0) {
            let what = "the interview's media are linked several times, each with another TIME_ORIGIN";
            draft.flaw(first.line, what, "the first is applied", "take the links out that are not meant")?;
        }
        if origin(first).abs() > 0.0 {
            draft.warn(format!(
                "ELAN's times begin {} ms into the media {:?} (TIME_ORIGIN): moved by it",
                origin(first),
                first.name()
            ));
        }
        return Ok(origin(first));
    }
    for other in linked.iter().filter(|l| origin(l).abs() > 0.0) {
        draft.warn(format!(
            "ELAN shifts the media {:?} by {} ms (TIME_ORIGIN); not applied: they are not known to be the interview's",
            other.name(),
            origin(other)
        ));
    }
    Ok(0.0)
}
