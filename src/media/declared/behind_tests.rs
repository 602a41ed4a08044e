use std::path::{Path, PathBuf};

use super::*;
use crate::media::clips::Clips;
use crate::media::{self, StreamPick};

const TONE: &str = "-f lavfi -i sine=frequency=220:sample_rate=44100:duration=3";
const FILM: &str = "-f lavfi -i testsrc=size=64x48:rate=25:duration=3";

/// Each kind of file whose second half FFmpeg leaves out.
fn recordings(clips: &Clips) -> Vec<PathBuf> {
    let h264 = "-c:v libx264 -preset ultrafast -threads 1 -c:a aac";
    [
        ("a.m4a", String::from("-c:a aac")),
        ("fast.mp4", format!("{FILM} {h264} -movflags +faststart")),
        ("a.mp4", format!("{FILM} {h264}")),
        ("a.mov", format!("{FILM} {h264}")),
        ("a.flv", format!("{FILM} {h264}")),
        ("a.wmv", format!("{FILM} -c:v wmv2 -threads 1 -c:a wmav2")),
        ("a.wma", String::from("-c:a wmav2")),
        ("a.aiff", String::new()),
        ("pcm.caf", String::from("-c:a pcm_s16le")),
        ("alac.caf", String::from("-c:a alac")),
        ("a.tta", String::new()),
        ("a.wv", String::new()),
        ("first.m4a", String::from("-c:a aac -movflags +frag_keyframe -frag_duration 500000")),
        ("anew.m4a", String::from("-c:a aac -movflags +empty_moov+default_base_moof -frag_duration 500000")),
        ("placed.m4a", String::from("-c:a aac -movflags +empty_moov -frag_duration 500000")),
    ]
    .into_iter()
    .map(|(name, options)| clips.make(name, &format!("{TONE} {options}")))
    .collect()
}

fn hear(path: &Path) -> media::DecodedAudio {
    media::audio(path, 16_000, StreamPick::default()).unwrap()
}

fn told(path: &Path) -> Vec<String> {
    hear(path).warnings.iter().map(ToString::to_string).collect()
}

#[test]
fn a_second_recording_in_one_file_is_told() {
    let clips = Clips::new();
    for path in recordings(&clips) {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        assert_eq!(told(&path), Vec::<String>::new(), "{name}");
        let whole = std::fs::read(&path).unwrap();
        let joined = clips.path(&format!("joined_{name}"));
        std::fs::write(&joined, [whole.as_slice(), &whole].concat()).unwrap();
        let a = hear(&joined);
        let text: Vec<String> = a.warnings.iter().map(ToString::to_string).collect();
        let words = format!("{} bytes from byte {} on", whole.len(), whole.len());
        assert!(text.iter().any(|w| w.starts_with("bytes_unread") && w.contains(&words)), "{name}: {text:?}");
        assert!(a.report.decoded_secs < 3.2, "{name}: {:?}", a.report);
        // Another kind of file behind, and one behind padding.
        let other = [b"\x1A\x45\xDF\xA3".as_slice(), &[7; 5000]].concat();
        std::fs::write(&joined, [whole.as_slice(), &[0; 600], &other].concat()).unwrap();
        assert!(told(&joined).iter().any(|w| w.contains("another Matroska file")), "{name}: {:?}", told(&joined));
    }
}

#[test]
fn tags_and_padding_are_nothing_to_tell_of() {
    let clips = Clips::new();
    let id3v1 = [b"TAG".as_slice(), &[b'x'; 125]].concat();
    let id3v2 = [b"ID3\x04\0\0\0\0\x40\0".as_slice(), &[b'x'; 1 << 13]].concat();
    let ape = |flags: u32| {
        [
            b"APETAGEX".as_slice(),
            &2000_u32.to_le_bytes(),
            &5032_u32.to_le_bytes(),
            &[0; 4],
            &flags.to_le_bytes(),
            &[0; 8],
        ]
        .concat()
    };
    let items = vec![b'y'; 5000];
    let tagged = [ape(5 << 29), items.clone(), ape(1 << 31)].concat();
    let headless = [items, ape(0), id3v1.clone()].concat();
    let xmp = [b"<?xpacket begin".as_slice(), &[b' '; 5000], b"<?xpacket end='w'?>"].concat();
    let boxes = |name: &[u8; 4]| [&5008_u32.to_be_bytes(), name.as_slice(), &[9; 5000]].concat();
    for path in recordings(&clips) {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let whole = std::fs::read(&path).unwrap();
        let mut tails = vec![
            vec![0; 70_000],
            id3v1.clone(),
            id3v2.clone(),
            tagged.clone(),
            headless.clone(),
            xmp.clone(),
            b"\n".to_vec(),
        ];
        if name.ends_with("mp4") || name.ends_with("m4a") || name.ends_with("mov") {
            tails.extend([b"free", b"skip", b"wide", b"uuid", b"udta", b"mfra", b"sefd"].map(boxes));
        }
        for tail in tails {
            std::fs::write(&path, [whole.as_slice(), &tail].concat()).unwrap();
            let file = Bytes::open(&path).unwrap();
            let container = media::probe(&path, StreamPick::default()).unwrap().container;
            assert_eq!(warning(&file, &container, None), None, "{name} with {:?}", &tail[..tail.len().min(12)]);
        }
    }
}

#[test]
fn fragments_that_go_on_behind_a_second_head_are_read() {
    let clips = Clips::new();
    let path =
        clips.make("a.m4a", &format!("{TONE} -c:a aac -movflags +empty_moov+default_base_moof -frag_duration 500000"));
    let whole = std::fs::read(&path).unwrap();
    let places: Vec<usize> =
        whole.windows(4).enumerate().filter(|(_, w)| *w == b"moof").map(|(at, _)| at - 4).collect();
    let (first, middle) = (places[0], places[places.len() / 2]);
    std::fs::write(&path, [&whole[..middle], &whole[..first], &whole[middle..]].concat()).unwrap();
    let a = hear(&path);
    assert!(a.report.decoded_secs > 2.9 && a.warnings.is_empty(), "{:?} {:?}", a.report, a.warnings);
}

#[test]
fn the_header_of_a_second_au_is_told_as_what_it_is_read_as() {
    let clips = Clips::new();
    let path = clips.make("a.au", TONE);
    let whole = std::fs::read(&path).unwrap();
    std::fs::write(&path, [whole.as_slice(), &whole].concat()).unwrap();
    let text = told(&path);
    assert!(text.iter().any(|w| w.contains("another AU file")), "{text:?}");
}
