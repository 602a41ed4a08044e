//! The end of files of containers that tell no length: whether it is one.

use super::bytes::Bytes;

/// Longest page of Ogg.
const OGG_PAGE: usize = 27 + 255 + 255 * 255;
/// Tags of FLV: sound, picture, data.
const FLV_KINDS: [u8; 3] = [8, 9, 18];
/// Bytes of a packet of MPEG-TS: plain, with a time stamp before it, with check bytes behind it.
const TS_PACKETS: [u64; 3] = [188, 192, 204];
const TS_SYNC: u8 = 0x47;

/// In words, what is wrong with the end of an Ogg file: the last page is not whole, or not flagged as the last.
pub(super) fn ogg(file: &Bytes) -> Option<String> {
    let from = file.len.saturating_sub(OGG_PAGE as u64 + 27);
    let tail = file.piece(from, OGG_PAGE + 27);
    // The pattern may occur in the data: a page is one whose sizes lead to the next, or to the end.
    let last = tail.windows(6).rposition(|w| w[..5] == *b"OggS\0" && w[5] < 8)?;
    let page = &tail[last..];
    let whole = page.get(26).and_then(|&n| page.get(27..27 + usize::from(n)));
    let whole = whole
        .is_some_and(|sizes| 27 + sizes.len() + sizes.iter().map(|&s| usize::from(s)).sum::<usize>() <= page.len());
    if !whole {
        return Some("its last page is not whole".into());
    }
    (page[5] & 4 == 0).then(|| "no page is marked as the last".into())
}

/// The same of an FLV file: behind the last tag stands its size.
pub(super) fn flv(file: &Bytes) -> Option<String> {
    let size = u32::from_be_bytes(file.at(file.len.checked_sub(4)?)?);
    let fits = |tag_bytes: u64| {
        let at = file.len.checked_sub(4)?.checked_sub(tag_bytes)?;
        let head = file.at::<4>(at)?;
        let data = u64::from(u32::from_be_bytes([0, head[1], head[2], head[3]]));
        Some(FLV_KINDS.contains(&head[0]) && data + 11 == tag_bytes)
    };
    // Some writers do not count the tag's own header.
    let whole = fits(u64::from(size)) == Some(true) || fits(u64::from(size) + 11) == Some(true);
    (!whole).then(|| "its last tag is not whole".into())
}

/// The same of an MPEG transport stream: it is a row of packets of one size.
pub(super) fn ts(file: &Bytes) -> Option<String> {
    let head = file.piece(0, 1024);
    let begins = |size: u64, skip: usize| (0..4).all(|i| head.get(i * size as usize + skip) == Some(&TS_SYNC));
    let size = TS_PACKETS.into_iter().find(|&n| begins(n, if n == 192 { 4 } else { 0 }))?;
    (!file.len.is_multiple_of(size)).then(|| "its last packet is not whole".into())
}
