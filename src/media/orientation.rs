//! Orientation: how a picture as coded is turned and mirrored to stand upright, from the container's display matrix.

use image::RgbImage;

/// First mirrored left to right, if so, then turned clockwise by `rotation_deg`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Orientation {
    /// 0, 90, 180 or 270, clockwise.
    pub rotation_deg: u16,
    /// Mirrored left to right before it is turned.
    pub mirrored: bool,
}

impl Orientation {
    /// From the nine 16.16 numbers of a display matrix, row by row (ISO/IEC 14496-12, 6.2.2): a coded point (x, y) is
    /// shown at (a x + c y, b x + d y). Angles between are taken to the nearest quarter turn.
    pub(super) fn from_matrix(matrix: [i32; 9]) -> Self {
        let (a, b, c, d) = (f64::from(matrix[0]), f64::from(matrix[1]), f64::from(matrix[3]), f64::from(matrix[4]));
        let mirrored = a * d - b * c < 0.0;
        // With the mirror taken out, the first column is the direction the picture's x axis is shown in.
        let (x, y) = if mirrored { (-a, -b) } else { (a, b) };
        let rotation_deg = match (x.abs() >= y.abs(), x >= 0.0, y >= 0.0) {
            (true, true, _) => 0,
            (true, false, _) => 180,
            (false, _, true) => 90,
            (false, _, false) => 270,
        };
        Orientation { rotation_deg, mirrored }
    }

    /// True where width and height change places.
    pub fn swaps_sides(self) -> bool {
        self.rotation_deg % 180 == 90
    }

    /// Packs `width` x `height` RGB pixels, rows `stride` bytes apart, into an upright picture; `None` when `rows` is
    /// too short.
    pub(super) fn upright(self, rows: &[u8], stride: usize, width: u32, height: u32) -> Option<RgbImage> {
        let (w, h) = (width as usize, height as usize);
        if w == 0 || h == 0 || stride < 3 * w || rows.len() < (h - 1) * stride + 3 * w {
            return None;
        }
        let mut out = Vec::with_capacity(3 * w * h);
        if self == Orientation::default() {
            for y in 0..h {
                out.extend_from_slice(&rows[y * stride..y * stride + 3 * w]);
            }
            return RgbImage::from_raw(width, height, out);
        }
        let (out_w, out_h) = if self.swaps_sides() { (h, w) } else { (w, h) };
        for oy in 0..out_h {
            for ox in 0..out_w {
                let (mut x, y) = match self.rotation_deg {
                    90 => (oy, h - 1 - ox),
                    180 => (w - 1 - ox, h - 1 - oy),
                    270 => (w - 1 - oy, ox),
                    _ => (ox, oy),
                };
                if self.mirrored {
                    x = w - 1 - x;
                }
                out.extend_from_slice(&rows[y * stride + 3 * x..y * stride + 3 * x + 3]);
            }
        }
        RgbImage::from_raw(out_w as u32, out_h as u32, out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: i32 = 1 << 16;

    fn matrix(a: i32, b: i32, c: i32, d: i32) -> Orientation {
        Orientation::from_matrix([a * ONE, b * ONE, 0, c * ONE, d * ONE, 0, 0, 0, 1 << 30])
    }

    #[test]
    fn matrices_give_quarter_turns_and_mirrors() {
        let o = |rotation_deg, mirrored| Orientation { rotation_deg, mirrored };
        assert_eq!(matrix(1, 0, 0, 1), o(0, false));
        assert_eq!(matrix(0, 1, -1, 0), o(90, false)); // the matrix of a phone held upright
        assert_eq!(matrix(-1, 0, 0, -1), o(180, false));
        assert_eq!(matrix(0, -1, 1, 0), o(270, false));
        assert_eq!(matrix(-1, 0, 0, 1), o(0, true));
        assert_eq!(matrix(1, 0, 0, -1), o(180, true));
        assert_eq!(matrix(0, 0, 0, 0), o(0, false));
    }

    #[test]
    fn pixels_go_where_the_matrix_says() {
        // 3 x 2 pixels, each with its own red, rows padded by one byte.
        let rows = [0, 0, 0, 1, 0, 0, 2, 0, 0, 99, 3, 0, 0, 4, 0, 0, 5, 0, 0, 99];
        for (a, b, c, d) in [
            (1, 0, 0, 1),
            (0, 1, -1, 0),
            (-1, 0, 0, -1),
            (0, -1, 1, 0),
            (-1, 0, 0, 1),
            (1, 0, 0, -1),
            (0, 1, 1, 0),
            (0, -1, -1, 0),
        ] {
            let picture = matrix(a, b, c, d).upright(&rows, 10, 3, 2).unwrap();
            for y in 0..2 {
                for x in 0..3 {
                    // The map of the matrix, moved so that the picture's corner is at (0, 0).
                    let px = a * x + c * y + if a + c < 0 { picture.width() as i32 - 1 } else { 0 };
                    let py = b * x + d * y + if b + d < 0 { picture.height() as i32 - 1 } else { 0 };
                    assert_eq!(
                        i32::from(picture.get_pixel(px as u32, py as u32)[0]),
                        3 * y + x,
                        "{a} {b} {c} {d} at {x} {y}"
                    );
                }
            }
        }
    }

    #[test]
    fn a_short_buffer_is_no_picture() {
        assert!(Orientation::default().upright(&[0; 5], 6, 2, 1).is_none());
        assert!(Orientation::default().upright(&[], 0, 0, 0).is_none());
    }
}
