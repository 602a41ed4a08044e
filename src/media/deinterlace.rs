//! Deinterlacing: interlaced frames through FFmpeg's bwdif, one frame out for each frame in.

use std::collections::VecDeque;

use ffmpeg_next::{self as ffmpeg, ffi, filter, frame};

use super::picture::Shape;

/// A filter that needs the frames before and after: frames come out one late, each with what was handed in with it.
pub(super) struct Deinterlacer<T> {
    graph: filter::Graph,
    shape: Shape,
    waiting: VecDeque<(i64, T)>,
    number: i64,
}

impl<T> Deinterlacer<T> {
    /// For frames of this shape.
    pub(super) fn new(shape: Shape) -> Result<Self, ffmpeg::Error> {
        Ok(Deinterlacer {
            graph: graph(shape, "bwdif=mode=send_frame:parity=auto:deint=interlaced")?,
            shape,
            waiting: VecDeque::new(),
            number: 0,
        })
    }

    /// Size and format it was made for.
    pub(super) fn shape(&self) -> Shape {
        self.shape
    }

    /// Hands `frame` in (it is empty afterwards).
    pub(super) fn push(&mut self, frame: &mut frame::Video, with: T) -> Result<(), ffmpeg::Error> {
        frame.set_pts(Some(self.number));
        self.waiting.push_back((self.number, with));
        self.number += 1;
        let mut source = self.graph.get("in").ok_or(ffmpeg::Error::FilterNotFound)?;
        source.source().add(frame)
    }

    /// Tells that no frame follows.
    pub(super) fn end(&mut self) -> Result<(), ffmpeg::Error> {
        let mut source = self.graph.get("in").ok_or(ffmpeg::Error::FilterNotFound)?;
        // SAFETY: a null frame is FFmpeg's mark of the end.
        match unsafe { ffi::av_buffersrc_add_frame(source.as_mut_ptr(), std::ptr::null_mut()) } {
            code if code < 0 => Err(code.into()),
            _ => Ok(()),
        }
    }

    /// The next finished frame.
    pub(super) fn pull(&mut self) -> Option<(frame::Video, T)> {
        let mut out = frame::Video::empty();
        let mut sink = self.graph.get("out")?;
        sink.sink().frame(&mut out).ok()?;
        // The filter counts in half frames.
        let number = out.pts().map_or(i64::MAX, |pts| pts / 2);
        while self.waiting.len() > 1 && self.waiting.front()?.0 < number {
            self.waiting.pop_front();
        }
        self.waiting.pop_front().map(|(_, with)| (out, with))
    }
}

/// A graph `in` → `filters` → `out` for frames of one shape, on one thread.
pub(super) fn graph(shape: Shape, filters: &str) -> Result<filter::Graph, ffmpeg::Error> {
    let mut graph = filter::Graph::new();
    // SAFETY: a graph not yet configured; the number of threads is a plain setting.
    unsafe { (*graph.as_mut_ptr()).nb_threads = 1 };
    let find = |name| filter::find(name).ok_or(ffmpeg::Error::FilterNotFound);
    let format = ffi::AVPixelFormat::from(shape.format) as i32;
    let args =
        format!("video_size={}x{}:pix_fmt={format}:time_base=1/1000:pixel_aspect=1/1", shape.width, shape.height);
    graph.add(&find("buffer")?, "in", &args)?;
    graph.add(&find("buffersink")?, "out", "")?;
    graph.output("in", 0)?.input("out", 0)?.parse(filters)?;
    graph.validate()?;
    Ok(graph)
}
