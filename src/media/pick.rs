//! Which stream is taken: the default one, else the best; cover art is no video.

use super::probe::{StreamInfo, StreamKind};
use crate::error::{Error, Result};
use crate::warning::Warning;

/// Streams asked for by their index in the container; `None` leaves the choice to the rule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StreamPick {
    /// Index of the audio stream.
    pub audio: Option<usize>,
    /// Index of the video stream.
    pub video: Option<usize>,
    /// Whether one audio stream is heard or all.
    pub mix: AudioMix,
}

/// How many of a file's audio streams are heard.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AudioMix {
    /// One, by rule or as picked.
    #[default]
    One,
    /// The mean of all that can be decoded, each placed by its own time stamps: recorders that keep a track for each
    /// speaker.
    All,
}

/// The stream of `kind` by rule or as asked; `Ok(None)` where the file has none.
///
/// Rule: streams that can be decoded; of them those with the default disposition, if any; of them the one with most
/// pixels (or channels); of them the lowest index.
///
/// # Errors
/// [`Error::Usage`] when `asked` is no decodable stream of this kind.
pub(super) fn choose(
    streams: &[StreamInfo],
    kind: StreamKind,
    asked: Option<usize>,
    path: &std::path::Path,
) -> Result<Option<usize>> {
    if let Some(index) = asked {
        return match streams.iter().find(|s| s.index == index && s.kind == kind && s.decodable) {
            Some(s) => Ok(Some(s.index)),
            None => Err(Error::Usage {
                what: format!(
                    "{} stream {index} of {} was asked for, which is none that can be decoded",
                    kind.name(),
                    path.display()
                ),
                hint: format!("its streams are: {}", list(streams)),
            }),
        };
    }
    let any_default = candidates(streams, kind).any(|s| s.default);
    Ok(candidates(streams, kind)
        .filter(|s| s.default || !any_default)
        .max_by_key(|s| (s.extent(), std::cmp::Reverse(s.index)))
        .map(|s| s.index))
}

/// Tells the choice where there was one.
pub(super) fn chosen_warning(streams: &[StreamInfo], kind: StreamKind, taken: usize) -> Option<Warning> {
    let others: Vec<usize> = candidates(streams, kind).map(|s| s.index).filter(|&i| i != taken).collect();
    (!others.is_empty()).then_some(Warning::StreamChosen { stream: kind.name(), index: taken, others })
}

/// The streams of `kind` that can be decoded; cover art is none.
pub(super) fn candidates(streams: &[StreamInfo], kind: StreamKind) -> impl Iterator<Item = &StreamInfo> {
    streams.iter().filter(move |s| s.kind == kind && s.decodable && !s.attached_picture)
}

fn list(streams: &[StreamInfo]) -> String {
    let mut text = String::new();
    for s in streams {
        if !text.is_empty() {
            text.push_str(", ");
        }
        text.push_str(&format!(
            "{} {} ({}{})",
            s.index,
            s.kind.name(),
            s.codec,
            if s.attached_picture { ", cover art" } else { "" }
        ));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::media::probe::VideoInfo;

    fn video(index: usize, width: u32, default: bool) -> StreamInfo {
        StreamInfo {
            index,
            kind: StreamKind::Video,
            codec: "h264".into(),
            language: None,
            default,
            attached_picture: false,
            decodable: true,
            start_secs: None,
            declared_secs: None,
            declared_frames: None,
            video: Some(VideoInfo { width, height: 10, ..VideoInfo::default() }),
            audio: None,
        }
    }

    #[test]
    fn default_then_most_pixels_then_lowest_index() {
        let path = std::path::Path::new("a.mp4");
        let pick = |s: &[StreamInfo]| choose(s, StreamKind::Video, None, path).unwrap();
        assert_eq!(pick(&[video(0, 10, false), video(1, 99, false), video(2, 99, false)]), Some(1));
        assert_eq!(pick(&[video(0, 10, true), video(1, 99, false)]), Some(0));
        let cover = StreamInfo { attached_picture: true, ..video(0, 4000, true) };
        assert_eq!(pick(&[cover.clone(), video(1, 10, false)]), Some(1));
        assert_eq!(pick(&[cover]), None);
        assert_eq!(choose(&[], StreamKind::Audio, None, path).unwrap(), None);
    }

    #[test]
    fn a_wrong_index_lists_the_streams() {
        let e = choose(&[video(0, 10, true)], StreamKind::Audio, Some(3), std::path::Path::new("a.mp4")).unwrap_err();
        assert!(matches!(e, Error::Usage { .. }));
        assert!(e.to_string().contains("0 video (h264)"), "{e}");
    }
}
