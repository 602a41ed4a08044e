//! AMR in 3GP: many speech frames in one packet, of which FFmpeg's decoders take only the first.

use ffmpeg_next::codec::Id;

/// Bytes of a frame after its header byte, by frame type (3GPP TS 26.101, table 1a, and TS 26.201, table A.1b,
/// octet-aligned).
const NARROW_BAND: [usize; 16] = [12, 13, 15, 17, 19, 20, 26, 31, 5, 0, 0, 0, 0, 0, 0, 0];
const WIDE_BAND: [usize; 16] = [17, 23, 32, 36, 40, 46, 50, 58, 60, 5, 0, 0, 0, 0, 0, 0];

/// The frames in `data`, when `codec` is AMR and they fill it exactly; else nothing is split.
pub(super) fn frames(codec: Id, data: &[u8]) -> Option<Vec<&[u8]>> {
    let sizes = match codec {
        Id::AMR_NB => &NARROW_BAND,
        Id::AMR_WB => &WIDE_BAND,
        _ => return None,
    };
    let mut frames = Vec::new();
    let mut rest = data;
    while let Some(&header) = rest.first() {
        let (frame, after) = rest.split_at_checked(1 + sizes[usize::from(header >> 3 & 15)])?;
        frames.push(frame);
        rest = after;
    }
    (frames.len() > 1).then_some(frames)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packet_is_split_at_the_frame_sizes() {
        // Type 0 (13 bytes with its header), then type 15 (no data), then type 8 (comfort noise).
        let mut data = vec![0; 13];
        data.extend([15 << 3, 8 << 3, 1, 2, 3, 4, 5]);
        let sizes: Vec<usize> = frames(Id::AMR_NB, &data).unwrap().iter().map(|f| f.len()).collect();
        assert_eq!(sizes, [13, 1, 6]);
        assert!(frames(Id::AMR_NB, &data[..15]).is_none(), "frames that do not fill the packet are left to FFmpeg");
        assert!(frames(Id::AMR_NB, &data[..13]).is_none(), "one frame needs no splitting");
        assert!(frames(Id::AAC, &data).is_none());
    }
}
