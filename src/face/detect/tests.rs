//! Tests of `detect`.

use super::*;

fn at(left: f32, side: f32, score: f32) -> Detection {
    Detection { bounds: BoundingBox { left, top: 0.0, width: side, height: side }, keypoints: [(0.0, 0.0); 5], score }
}

#[test]
fn a_threshold_of_nothing_makes_no_more_faces_than_can_be_looked_at() {
    let all: Vec<Detection> =
        (0..20_000u16).map(|i| at(20.0 * f32::from(i), 10.0, f32::from(i % 997) / 1000.0)).collect();
    let kept = suppress(all, 0.4);
    assert_eq!(kept.len(), MOST_FACES);
    assert!(kept.iter().all(|d| d.score > 0.99), "the best ones");
}

#[test]
fn anchors_are_counted_from_the_finest_level_in_rows() {
    // 32x32: 4x4x2 + 2x2x2 + 1x1x2 anchors. The last but one is the 256 px anchor at the centre.
    let n = 42;
    let mut scores = vec![0.0; n];
    scores[40] = 0.9;
    scores[3] = 0.8;
    let mut boxes = vec![0.0; 4 * n];
    boxes[160] = 1.0;
    let found = decode(&boxes, &scores, &vec![0.0; 10 * n], (32, 32), 0.5).unwrap();
    assert_eq!(found.len(), 2);
    assert_eq!(
        found[0].bounds,
        BoundingBox { left: -4.0, top: -12.0, width: 32.0, height: 32.0 },
        "second cell, 32 px"
    );
    let (x, y) = found[1].bounds.centre();
    assert!((x - 41.6).abs() < 1e-4 && (y - 16.0).abs() < 1e-4, "moved by 0.1 of 256 px: {x} {y}");
    assert!(decode(&boxes, &scores[1..], &[], (32, 32), 0.5).is_err());
}

#[test]
fn one_face_gives_one_box() {
    let kept = suppress(vec![at(0.0, 10.0, 0.7), at(1.0, 10.0, 0.9), at(30.0, 10.0, 0.6), at(3.0, 4.0, 0.8)], 0.4);
    assert_eq!(kept.iter().map(|d| d.score).collect::<Vec<_>>(), [0.9, 0.6]);
}

#[test]
fn the_picture_is_padded_with_the_mean() {
    // What an earlier, larger picture left there.
    let mut out = vec![7.0; 40];
    let spec = PictureSpec { colour: Colour::Bgr, mean: [104.0, 117.0, 123.0], std: [1.0; 3] };
    fill(&[1, 2, 3, 4, 5, 6], (2, 1), (3, 2), &spec, &mut out);
    assert_eq!(
        out,
        [
            3.0 - 104.0,
            6.0 - 104.0,
            0.0,
            0.0,
            0.0,
            0.0,
            2.0 - 117.0,
            5.0 - 117.0,
            0.0,
            0.0,
            0.0,
            0.0,
            1.0 - 123.0,
            4.0 - 123.0,
            0.0,
            0.0,
            0.0,
            0.0
        ]
    );
}

#[test]
fn each_byte_becomes_the_value_that_dividing_gives() {
    let spec = PictureSpec { colour: Colour::Rgb, mean: [127.5, 104.3, 0.1], std: [128.0, 57.375, 0.3] };
    let pixels: Vec<u8> = (0..=255).flat_map(|byte| [byte, 255 - byte, byte ^ 0x55]).collect();
    let mut out = Vec::new();
    fill(&pixels, (256, 1), (256, 1), &spec, &mut out);
    for (i, pixel) in pixels.chunks_exact(3).enumerate() {
        let expected = [0, 1, 2].map(|k| ((f32::from(pixel[k]) - spec.mean[k]) / spec.std[k]).to_bits());
        assert_eq!([0, 1, 2].map(|k| out[256 * k + i].to_bits()), expected, "byte {i}");
    }
}
