//! High dynamic range: PQ and HLG frames brought to the range of an ordinary screen by FFmpeg's zscale and tonemap.

use std::ffi::c_int;

use ffmpeg_next::color::{Range, Space};
use ffmpeg_next::{self as ffmpeg, ffi, filter, frame};

use super::deinterlace::graph;
use super::picture::Shape;

/// True for the transfer curves of HDR: SMPTE ST 2084 (PQ) and ARIB STD-B67 (HLG).
pub(super) fn is_hdr(frame: &frame::Video) -> bool {
    is_pq(frame) || is_hlg(frame)
}

fn is_pq(frame: &frame::Video) -> bool {
    transfer(frame) == ffi::AVColorTransferCharacteristic::AVCOL_TRC_SMPTE2084 as c_int
}

fn is_hlg(frame: &frame::Video) -> bool {
    transfer(frame) == ffi::AVColorTransferCharacteristic::AVCOL_TRC_ARIB_STD_B67 as c_int
}

fn transfer(frame: &frame::Video) -> c_int {
    // SAFETY: a decoded frame; the curve is read as a plain number.
    unsafe { (*frame.as_ptr()).color_trc as c_int }
}

/// Linear light, BT.709 primaries, Hable's curve, BT.709 again; white of 100 cd/m² as in ITU-R BT.2408's predecessors.
pub(super) struct ToneMap {
    graph: filter::Graph,
    shape: Shape,
    hlg: bool,
}

impl ToneMap {
    /// For frames like this one; fails where this FFmpeg lacks zscale or tonemap.
    pub(super) fn new(shape: Shape, like: &frame::Video) -> Result<Self, ffmpeg::Error> {
        let hlg = is_hlg(like);
        // Told outright: streams that name the curve often leave out the rest.
        let transfer = if hlg { "arib-std-b67" } else { "smpte2084" };
        let matrix = match like.color_space() {
            Space::BT709 => "709",
            Space::RGB => "gbr",
            _ => "2020_ncl",
        };
        let range = if like.color_range() == Range::JPEG { "full" } else { "limited" };
        let filters = format!(
            "zscale=tin={transfer}:min={matrix}:pin=2020:rin={range}:t=linear:npl=100,format=gbrpf32le,zscale=p=709,\
             tonemap=tonemap=hable:desat=0,zscale=t=709:m=gbr:r=full,format=gbrp"
        );
        Ok(ToneMap { graph: graph(shape, &filters)?, shape, hlg })
    }

    /// True when made for frames like this one.
    pub(super) fn fits(&self, shape: Shape, frame: &frame::Video) -> bool {
        self.shape == shape && self.hlg == is_hlg(frame)
    }

    /// Full-range planar RGB of the same size; `frame` is empty afterwards.
    pub(super) fn run(&mut self, frame: &mut frame::Video) -> Result<frame::Video, ffmpeg::Error> {
        self.graph.get("in").ok_or(ffmpeg::Error::FilterNotFound)?.source().add(frame)?;
        let mut out = frame::Video::empty();
        self.graph.get("out").ok_or(ffmpeg::Error::FilterNotFound)?.sink().frame(&mut out)?;
        Ok(out)
    }
}
