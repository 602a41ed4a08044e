//! Quality of an observation: how large, how sharp, how much of it inside the picture.

use super::{BoundingBox, Landmarks, Quality};

/// Variance of the Laplacian of the grey middle half of a crop (three planes of n², values 0 to 1), times 1000.
///
/// The crop has one size for every face, so an enlarged or a blurred face is less sharp than a large and crisp one.
pub(super) fn sharpness(crop: &[f32], n: usize) -> f32 {
    let plane = n * n;
    if n < 8 || crop.len() < 3 * plane {
        return 0.0;
    }
    let grey = |i: usize| 0.299 * crop[i] + 0.587 * crop[plane + i] + 0.114 * crop[2 * plane + i];
    let (from, to) = (n / 4, n - n / 4);
    let (mut sum, mut squares, mut count) = (0.0f64, 0.0f64, 0.0f64);
    // Every second pixel both ways is enough for a variance.
    for y in (from..to).step_by(2) {
        for x in (from..to).step_by(2) {
            let i = y * n + x;
            let l = f64::from(grey(i - 1) + grey(i + 1) + grey(i - n) + grey(i + n) - 4.0 * grey(i));
            sum += l;
            squares += l * l;
            count += 1.0;
        }
    }
    let mean = sum / count;
    (1000.0 * (squares / count - mean * mean).max(0.0)) as f32
}

/// Quality of a mesh.
pub(super) fn of_mesh(landmarks: &Landmarks, bounds: BoundingBox, sharpness: f32, width: u32, height: u32) -> Quality {
    let inside = |p: &&[f32; 3]| p[0] >= 0.0 && p[1] >= 0.0 && p[0] < width as f32 && p[1] < height as f32;
    let share = landmarks.iter().filter(inside).count() as f32 / landmarks.len() as f32;
    Quality { size_px: bounds.size(), sharpness, in_frame: share }
}

/// Quality of a box without a mesh.
pub(super) fn of_box(bounds: BoundingBox, sharpness: f32, width: u32, height: u32) -> Quality {
    let picture = BoundingBox::from_corners(0.0, 0.0, width as f32, height as f32);
    let share = if bounds.area() > 0.0 { bounds.intersection(picture) / bounds.area() } else { 0.0 };
    Quality { size_px: bounds.size(), sharpness, in_frame: share }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chess_board_is_sharper_than_a_ramp() {
        let n = 16;
        let board: Vec<f32> = (0..3 * n * n).map(|i| ((i % n / 2 + i / n % n / 2) % 2) as f32).collect();
        let ramp: Vec<f32> = (0..3 * n * n).map(|i| (i % n) as f32 / n as f32).collect();
        assert!(sharpness(&board, n) > 100.0, "{}", sharpness(&board, n));
        assert!(sharpness(&ramp, n).abs() < 1e-3);
    }

    #[test]
    fn the_share_inside_counts_landmarks() {
        let mut l = [[5.0, 5.0, 0.0]; crate::face::LANDMARKS];
        for p in &mut l[..239] {
            p[0] = -1.0;
        }
        let q = of_mesh(&l, BoundingBox::from_corners(0.0, 0.0, 4.0, 9.0), 1.0, 10, 10);
        assert!((q.in_frame - 0.5).abs() < 1e-6 && (q.size_px - 6.0).abs() < 1e-6, "{q:?}");
    }
}
