//! From a decoded frame to a picture: 8-bit RGB by the frame's own colour matrix, square pixels, upright.

use std::ffi::c_int;

use ffmpeg_next::color::Range;
use ffmpeg_next::format::Pixel;
use ffmpeg_next::{self as ffmpeg, ffi, frame};
use image::RgbImage;

use super::bounds;
use super::orientation::Orientation;
use super::tonemap::{self, ToneMap};

/// Pixel aspect ratios beyond this (or its inverse) are broken metadata.
const WIDEST_SAR: f64 = 8.0;

/// Size and format of frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    pub(super) format: Pixel,
    pub(super) width: u32,
    pub(super) height: u32,
}

impl Shape {
    pub(super) fn of(frame: &frame::Video) -> Self {
        Shape { format: frame.format(), width: frame.width(), height: frame.height() }
    }

    /// Size with square pixels, before turning: nothing is made smaller, as long as that is no larger than is accepted.
    pub(super) fn square(self, sar: f64) -> (u32, u32) {
        if !(1.0 / WIDEST_SAR..=WIDEST_SAR).contains(&sar) {
            return (self.width, self.height);
        }
        let stretch = |side: u32, by: f64| (f64::from(side) * by).round().max(1.0) as u32;
        let widened = f64::from(self.width) * f64::from(self.height) * sar.max(1.0 / sar);
        if widened > bounds::MOST_PIXELS as f64 {
            // Too large to be made larger: the other side is made smaller.
            return if sar >= 1.0 {
                (self.width, stretch(self.height, 1.0 / sar))
            } else {
                (stretch(self.width, sar), self.height)
            };
        }
        if sar >= 1.0 { (stretch(self.width, sar), self.height) } else { (self.width, stretch(self.height, 1.0 / sar)) }
    }
}

/// Keeps what converting needs from frame to frame; made anew when frames change.
#[derive(Default)]
pub(super) struct Converter {
    scaler: Option<Scaler>,
    tone_map: Option<ToneMap>,
    rgb: Option<frame::Video>,
    /// Why high dynamic range is converted without a tone map, where it is.
    pub(super) no_tone_map: Option<String>,
}

impl Converter {
    /// The picture of `frame`, whose pixels are `sar` wide for 1 high.
    pub(super) fn convert(
        &mut self,
        frame: &mut frame::Video,
        sar: f64,
        orientation: Orientation,
    ) -> Result<RgbImage, ffmpeg::Error> {
        if tonemap::is_hdr(frame) && self.no_tone_map.is_none() {
            match self.tone_mapped(frame) {
                Ok(mut mapped) => return self.scale(&mut mapped, sar, orientation),
                Err(e) => self.no_tone_map = Some(e.to_string()),
            }
        }
        self.scale(frame, sar, orientation)
    }

    fn tone_mapped(&mut self, frame: &frame::Video) -> Result<frame::Video, ffmpeg::Error> {
        let shape = Shape::of(frame);
        if !self.tone_map.as_ref().is_some_and(|t| t.fits(shape, frame)) {
            self.tone_map = Some(ToneMap::new(shape, frame)?);
        }
        // A second reference, so that the frame itself is left for plain conversion should this fail.
        let mut copy = frame::Video::empty();
        // SAFETY: both frames are alive; `copy` is empty.
        let code = unsafe { ffi::av_frame_ref(copy.as_mut_ptr(), frame.as_ptr()) };
        if code < 0 {
            return Err(code.into());
        }
        match &mut self.tone_map {
            Some(map) => map.run(&mut copy),
            None => Err(ffmpeg::Error::FilterNotFound),
        }
    }

    fn scale(
        &mut self,
        frame: &mut frame::Video,
        sar: f64,
        orientation: Orientation,
    ) -> Result<RgbImage, ffmpeg::Error> {
        let wanted = Wanted::of(frame, sar);
        let scaler = match self.scaler.take() {
            Some(scaler) if scaler.wanted == wanted => scaler,
            _ => {
                self.rgb = None;
                Scaler::new(wanted)?
            }
        };
        let scaler = self.scaler.insert(scaler);
        let (width, height) = wanted.size;
        let rgb = self.rgb.get_or_insert_with(|| frame::Video::new(Pixel::RGB24, width, height));
        scaler.run(frame, rgb)?;
        orientation.upright(rgb.data(0), rgb.stride(0), width, height).ok_or(ffmpeg::Error::InvalidData)
    }
}

/// Everything a scaler is made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Wanted {
    shape: Shape,
    size: (u32, u32),
    /// FFmpeg's number of the matrix.
    matrix: c_int,
    full_range: bool,
}

impl Wanted {
    fn of(frame: &frame::Video, sar: f64) -> Self {
        let shape = Shape::of(frame);
        let jpeg = matches!(
            shape.format,
            Pixel::YUVJ420P | Pixel::YUVJ422P | Pixel::YUVJ444P | Pixel::YUVJ440P | Pixel::YUVJ411P
        );
        // SAFETY: a decoded frame; the matrix is read as a plain number.
        let matrix = unsafe { (*frame.as_ptr()).colorspace as c_int };
        Wanted { shape, size: shape.square(sar), matrix, full_range: jpeg || frame.color_range() == Range::JPEG }
    }
}

/// An swscale context for one kind of frame.
struct Scaler {
    context: std::ptr::NonNull<ffi::SwsContext>,
    wanted: Wanted,
}

// SAFETY: the context is owned by this value alone and swscale keeps no thread-bound state in it.
unsafe impl Send for Scaler {}

impl Drop for Scaler {
    fn drop(&mut self) {
        // SAFETY: made by `sws_alloc_context`, freed once.
        unsafe { ffi::sws_freeContext(self.context.as_ptr()) };
    }
}

impl Scaler {
    /// As FFmpeg's own scale filter sets it up: bicubic, the frame's matrix (BT.601 where it names none) and range,
    /// chroma of 4:2:0 half-way between lines.
    fn new(wanted: Wanted) -> Result<Self, ffmpeg::Error> {
        // SAFETY: allocates or gives null.
        let context = std::ptr::NonNull::new(unsafe { ffi::sws_alloc_context() }).ok_or(ffmpeg::Error::Bug)?;
        let scaler = Scaler { context, wanted };
        let number = |n: u32| i64::from(n);
        let format = |f: Pixel| ffi::AVPixelFormat::from(f) as i64;
        let mut options = vec![
            (c"srcw", number(wanted.shape.width)),
            (c"srch", number(wanted.shape.height)),
            (c"src_format", format(wanted.shape.format)),
            (c"dstw", number(wanted.size.0)),
            (c"dsth", number(wanted.size.1)),
            (c"dst_format", format(Pixel::RGB24)),
            (c"sws_flags", SWS_FLAGS),
            (c"src_range", i64::from(wanted.full_range)),
        ];
        if wanted.shape.format == Pixel::YUV420P {
            options.push((c"src_v_chr_pos", 128));
        }
        for (name, value) in options {
            // SAFETY: an AVOptions object and a NUL-terminated name.
            let code = unsafe { ffi::av_opt_set_int(context.as_ptr().cast(), name.as_ptr(), value, 0) };
            if code < 0 {
                return Err(code.into());
            }
        }
        // SAFETY: the tables are static data of the library; ranges and levels are plain numbers. It refuses formats
        // that have no matrix (RGB, grey), which need none.
        unsafe {
            let matrix = match wanted.matrix {
                m @ 1..=10 if m != 2 && m != 3 && m != 8 => m,
                _ => ffi::SWS_CS_DEFAULT,
            };
            let from = ffi::sws_getCoefficients(matrix);
            let to = ffi::sws_getCoefficients(ffi::SWS_CS_DEFAULT);
            ffi::sws_setColorspaceDetails(
                context.as_ptr(),
                from,
                c_int::from(wanted.full_range),
                to,
                1,
                0,
                1 << 16,
                1 << 16,
            );
        }
        // SAFETY: all options are set; no filters.
        let code = unsafe { ffi::sws_init_context(context.as_ptr(), std::ptr::null_mut(), std::ptr::null_mut()) };
        if code < 0 {
            return Err(code.into());
        }
        Ok(scaler)
    }

    fn run(&mut self, from: &mut frame::Video, to: &mut frame::Video) -> Result<(), ffmpeg::Error> {
        // SAFETY: `from` has the shape the context was made for (it is part of `wanted`), `to` was allocated with its
        // size and RGB24.
        let code = unsafe {
            let (from, to) = (from.as_ptr(), to.as_mut_ptr());
            ffi::sws_scale(
                self.context.as_ptr(),
                (*from).data.as_ptr().cast(),
                (*from).linesize.as_ptr(),
                0,
                (*from).height,
                (*to).data.as_ptr(),
                (*to).linesize.as_ptr(),
            )
        };
        if code < 0 { Err(code.into()) } else { Ok(()) }
    }
}

/// FFmpeg's default in its scale filter, so that pixels are those of `ffmpeg -i clip frame.png`. Its SIMD paths (SSSE3,
/// AVX2) agree to the bit, and `accurate_rnd+bitexact`, which would also agree with machines without them, costs seven
/// times as much (6.5 instead of 0.9 ms a picture of 1280x720).
const SWS_FLAGS: i64 = ffi::SWS_BICUBIC as i64;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pixels_become_square_without_losing_any() {
        let shape = Shape { format: Pixel::YUV420P, width: 720, height: 576 };
        assert_eq!(shape.square(64.0 / 45.0), (1024, 576));
        assert_eq!(shape.square(2.0 / 3.0), (720, 864));
        assert_eq!(shape.square(1.0), (720, 576));
        assert_eq!(shape.square(1e9), (720, 576));
        assert_eq!(shape.square(f64::NAN), (720, 576));
        let large = Shape { width: 8000, height: 4000, ..shape };
        assert_eq!((large.square(2.0), large.square(0.5)), ((8000, 2000), (4000, 4000)));
    }

    fn yuv(width: u32, height: u32, y: u8, u: u8, v: u8) -> frame::Video {
        let mut f = frame::Video::new(Pixel::YUV420P, width, height);
        for (plane, value) in [y, u, v].into_iter().enumerate() {
            f.data_mut(plane).fill(value);
        }
        f
    }

    #[test]
    fn the_matrix_is_the_frames_own_and_601_where_it_has_none() {
        // Y'CbCr of pure red in each matrix (limited range), ITU-R BT.601 and BT.709.
        let mut c = Converter::default();
        let mut red601 = yuv(16, 16, 82, 90, 240);
        let p = *c.convert(&mut red601, 1.0, Orientation::default()).unwrap().get_pixel(8, 8);
        assert!(p[0] > 250 && p[1] < 6 && p[2] < 6, "{p:?}");
        let mut red709 = yuv(16, 16, 63, 102, 240);
        red709.set_color_space(ffmpeg::color::Space::BT709);
        let p = *c.convert(&mut red709, 1.0, Orientation::default()).unwrap().get_pixel(8, 8);
        assert!(p[0] > 250 && p[1] < 6 && p[2] < 6, "{p:?}");
        // Full range: black is 0.
        let mut black = yuv(16, 16, 16, 128, 128);
        black.set_color_range(Range::JPEG);
        let p = *c.convert(&mut black, 1.0, Orientation::default()).unwrap().get_pixel(8, 8);
        assert!(p[0].abs_diff(16) <= 1, "{p:?}");
    }

    #[test]
    fn odd_sizes_are_converted_whole() {
        for (w, h) in [(1, 1), (17, 9), (3, 2)] {
            let p = Converter::default().convert(&mut yuv(w, h, 235, 128, 128), 1.0, Orientation::default()).unwrap();
            assert_eq!((p.width(), p.height()), (w, h));
            assert!(p.pixels().all(|p| p.0.iter().all(|&c| c > 250)), "{w}x{h}");
        }
    }
}
