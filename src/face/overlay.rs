//! Overlay: boxes, ids, mesh and gaze drawn on a picture, for people to look at.

use image::{Rgb, RgbImage};

use super::Observation;

/// Colours of persons in turn; a face that is nobody's is grey.
const COLOURS: [[u8; 3]; 8] = [
    [80, 220, 80],
    [255, 170, 40],
    [80, 170, 255],
    [255, 90, 200],
    [240, 240, 80],
    [160, 120, 255],
    [60, 230, 220],
    [255, 110, 90],
];
const NOBODY: [u8; 3] = [170, 170, 170];
const GAZE: [u8; 3] = [255, 40, 40];
/// Iris centres: the image's left eye, then right.
const IRISES: [usize; 2] = [468, 473];

/// Draws one face. `person`: its name and position among the persons.
pub fn draw(picture: &mut RgbImage, o: &Observation, person: Option<(&str, usize)>) {
    let colour = person.map_or(NOBODY, |(_, i)| COLOURS[i % COLOURS.len()]);
    let b = o.bounds;
    let corners = [(b.left, b.top), (b.right(), b.top), (b.right(), b.bottom()), (b.left, b.bottom())];
    for i in 0..4 {
        line(picture, corners[i], corners[(i + 1) % 4], colour);
    }
    if let Some(points) = &o.landmarks {
        points.iter().for_each(|p| dot(picture, p[0], p[1], colour));
        if let Some(gaze) = o.gaze {
            // As long as the face is wide for a gaze at a right angle to the camera's line.
            let reach = |deg: f32| 1.5 * b.width * deg.to_radians().sin();
            for iris in IRISES {
                let (x, y) = (points[iris][0], points[iris][1]);
                line(picture, (x, y), (x + reach(gaze.camera_yaw_deg), y - reach(gaze.camera_pitch_deg)), GAZE);
            }
        }
    }
    let scale = (picture.height() / 240).max(1);
    let label = format!("{} {}", person.map_or("-", |p| p.0), o.track);
    text(picture, b.left as i64, b.top as i64 - 7 * i64::from(scale), scale, &label, colour);
}

fn put(picture: &mut RgbImage, x: i64, y: i64, colour: [u8; 3]) {
    if let (Ok(x), Ok(y)) = (u32::try_from(x), u32::try_from(y))
        && let Some(pixel) = picture.get_pixel_mut_checked(x, y)
    {
        *pixel = Rgb(colour);
    }
}

fn dot(picture: &mut RgbImage, x: f32, y: f32, colour: [u8; 3]) {
    put(picture, x.round() as i64, y.round() as i64, colour);
}

fn line(picture: &mut RgbImage, (x0, y0): (f32, f32), (x1, y1): (f32, f32), colour: [u8; 3]) {
    // Nothing off the picture is worth many steps.
    let steps = (x1 - x0).abs().max((y1 - y0).abs()).clamp(1.0, 20_000.0).ceil();
    for i in 0..=steps as u32 {
        let t = i as f32 / steps;
        dot(picture, x0 + t * (x1 - x0), y0 + t * (y1 - y0), colour);
    }
}

/// Letters of 3 x 5 pixels, rows from the top, left pixel = 4.
fn glyph(c: char) -> [u8; 5] {
    match c.to_ascii_uppercase() {
        '0' => [7, 5, 5, 5, 7],
        '1' => [2, 6, 2, 2, 7],
        '2' => [7, 1, 7, 4, 7],
        '3' => [7, 1, 7, 1, 7],
        '4' => [5, 5, 7, 1, 1],
        '5' => [7, 4, 7, 1, 7],
        '6' => [7, 4, 7, 5, 7],
        '7' => [7, 1, 2, 2, 2],
        '8' => [7, 5, 7, 5, 7],
        '9' => [7, 5, 7, 1, 7],
        'A' => [2, 5, 7, 5, 5],
        'B' => [6, 5, 6, 5, 6],
        'C' => [3, 4, 4, 4, 3],
        'D' => [6, 5, 5, 5, 6],
        'E' => [7, 4, 6, 4, 7],
        'F' => [7, 4, 6, 4, 4],
        'G' => [3, 4, 5, 5, 3],
        'H' => [5, 5, 7, 5, 5],
        'I' => [7, 2, 2, 2, 7],
        'J' => [1, 1, 1, 5, 2],
        'K' => [5, 5, 6, 5, 5],
        'L' => [4, 4, 4, 4, 7],
        'M' => [5, 7, 7, 5, 5],
        'N' => [6, 5, 5, 5, 5],
        'O' => [2, 5, 5, 5, 2],
        'P' => [6, 5, 6, 4, 4],
        'Q' => [2, 5, 5, 6, 3],
        'R' => [6, 5, 6, 5, 5],
        'S' => [3, 4, 2, 1, 6],
        'T' => [7, 2, 2, 2, 2],
        'U' => [5, 5, 5, 5, 7],
        'V' => [5, 5, 5, 5, 2],
        'W' => [5, 5, 7, 7, 5],
        'X' => [5, 5, 2, 5, 5],
        'Y' => [5, 5, 2, 2, 2],
        'Z' => [7, 1, 2, 4, 7],
        '-' | '_' => [0, 0, 7, 0, 0],
        ' ' => [0; 5],
        // Anything else is a box, so that its place is seen.
        _ => [7, 7, 7, 7, 7],
    }
}

fn text(picture: &mut RgbImage, left: i64, top: i64, scale: u32, words: &str, colour: [u8; 3]) {
    let scale = i64::from(scale);
    for (k, c) in words.chars().enumerate() {
        for (row, bits) in glyph(c).into_iter().enumerate() {
            for column in (0..3).filter(|column| bits >> (2 - column) & 1 == 1) {
                let (x, y) = (left + scale * (4 * k as i64 + column), top + scale * row as i64);
                for (dx, dy) in (0..scale).flat_map(|dy| (0..scale).map(move |dx| (dx, dy))) {
                    put(picture, x + dx, y + dy, colour);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::face::BoundingBox;
    use crate::time::Seconds;

    #[test]
    fn a_box_and_a_name_are_drawn_even_where_they_leave_the_picture() {
        let mut picture = RgbImage::new(40, 30);
        let mut o = Observation::bare(Seconds::ZERO, 7, BoundingBox::from_corners(5.0, 10.0, 30.0, 25.0));
        draw(&mut picture, &o, Some(("P1", 0)));
        assert_eq!(picture.get_pixel(5, 10).0, COLOURS[0]);
        assert_eq!(picture.get_pixel(30, 25).0, COLOURS[0]);
        assert_eq!(picture.get_pixel(15, 18).0, [0, 0, 0]);
        assert_eq!(picture.get_pixel(5, 3).0, COLOURS[0], "the stem of the P");
        o.bounds = BoundingBox::from_corners(-50.0, -9.0, 90.0, 99.0);
        draw(&mut picture, &o, None);
    }
}
