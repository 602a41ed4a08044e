//! The parabola through three points, for peaks between bins.

/// Position and height of the vertex of the parabola through three points of rising `x`; the highest point when they
/// lie on a line.
pub(super) fn vertex(x: [f64; 3], y: [f64; 3]) -> (f64, f64) {
    // Seen from the middle point, which keeps the digits that matter.
    let (left, right) = (x[0] - x[1], x[2] - x[1]);
    let (slope_left, slope_right) = ((y[0] - y[1]) / left, (y[2] - y[1]) / right);
    let bend = (slope_left - slope_right) / (left - right);
    if bend.is_finite() && bend != 0.0 {
        let slope = slope_left - bend * left;
        return (x[1] - slope / (2.0 * bend), y[1] - slope * slope / (4.0 * bend));
    }
    let highest = (0..3).fold(0, |best, i| if y[i] > y[best] { i } else { best });
    (x[highest], y[highest])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_vertex_is_found_and_lines_give_their_top() {
        // y = 5 - 2 (x - 1.25)^2
        let y = |x: f64| 5.0 - 2.0 * (x - 1.25) * (x - 1.25);
        let (px, py) = vertex([0.0, 1.0, 3.0], [y(0.0), y(1.0), y(3.0)]);
        assert!((px - 1.25).abs() < 1e-12 && (py - 5.0).abs() < 1e-12);
        let (px, py) = vertex([0.0, 1.0, 2.0], [1.0, 2.0, 3.0]);
        assert!((px - 2.0).abs() < 1e-12 && (py - 3.0).abs() < 1e-12);
    }
}
