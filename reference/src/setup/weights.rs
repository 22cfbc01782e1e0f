//! Weights: how much each vertex contributes to a value at a pixel.

use super::shape::cross;

/// The vertices of a primitive, Q24.8.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Weights {
    /// Every value is taken from the vertex.
    Point,
    /// Values change with the projection onto the line.
    Line([[i32; 2]; 2]),
    /// Values are linear over the plane.
    Triangle([[i32; 2]; 3]),
}

impl Weights {
    /// Returns true for a triangle without area.
    pub(crate) fn is_flat(&self) -> bool {
        matches!(*self, Weights::Triangle([a, b, c]) if cross(a, b, c) == 0)
    }

    /// Returns the weights of the vertices at a place (Q24.8): barycentric coordinates with the sum
    /// 1. The weights of absent vertices are 0.
    pub(crate) fn at(&self, place: [i32; 2]) -> [f64; 3] {
        match *self {
            Weights::Point => [1.0, 0.0, 0.0],
            Weights::Line([a, b]) => {
                let way = |to: [i32; 2]| [0, 1].map(|i: usize| i64::from(to[i]) - i64::from(a[i]));
                let (line, point) = (way(b), way(place));
                let length = line[0] * line[0] + line[1] * line[1];
                let along = line[0] * point[0] + line[1] * point[1];
                let second = along as f64 / (length as f64).max(1.0);
                [1.0 - second, second, 0.0]
            }
            Weights::Triangle([a, b, c]) => {
                let area = cross(a, b, c) as f64;
                let part = |from, to| cross(from, to, place) as f64 / area;
                [part(b, c), part(c, a), part(a, b)]
            }
        }
    }

    /// Returns the magnitude of the terms of a plane equation, based on vertex 0, at a place
    /// (Q24.8). The unit is the greatest value at a vertex. A relative error of a term, multiplied
    /// by this magnitude, is the error of the result. It is large in slivers, because their terms
    /// nearly cancel.
    pub(crate) fn terms(&self, place: [i32; 2]) -> f64 {
        let way = |from: [i32; 2], to: [i32; 2]| {
            [0, 1].map(|axis: usize| (f64::from(to[axis]) - f64::from(from[axis])).abs())
        };
        // Differences of values are up to twice the greatest value.
        match *self {
            Weights::Point => 1.0,
            Weights::Line([a, b]) => {
                let (line, point) = (way(a, b), way(a, place));
                let length = line[0] * line[0] + line[1] * line[1];
                1.0 + 2.0 * (line[0] * point[0] + line[1] * point[1]) / length.max(1.0)
            }
            Weights::Triangle([a, b, c]) => {
                let area = cross(a, b, c) as f64;
                let (first, second, point) = (way(a, b), way(a, c), way(a, place));
                let slopes = (first[1] + second[1]) * point[0] + (first[0] + second[0]) * point[1];
                1.0 + 2.0 * slopes / area.abs()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vertices_have_all_of_the_weight() {
        let corners = [[0, 0], [1024, 256], [128, 2048]];
        let triangle = Weights::Triangle(corners);
        for (index, corner) in corners.into_iter().enumerate() {
            let mut expected = [0.0; 3];
            expected[index] = 1.0;
            assert_eq!(triangle.at(corner), expected);
        }
        let line = Weights::Line([[0, 0], [512, 512]]);
        assert_eq!(line.at([256, 256]), [0.5, 0.5, 0.0]);
        assert_eq!(line.at([0, 512]), [0.5, 0.5, 0.0], "the foot of the perpendicular");
    }

    #[test]
    fn terms_of_slivers_are_large() {
        let line = Weights::Line([[0, 0], [512, 512]]);
        assert_eq!(line.terms([256, 256]), 1.0 + 2.0 * 0.5);
        assert_eq!(line.terms([512, 512]), 1.0 + 2.0);
        // Half of a square: at a corner one of two slopes counts, over the whole way.
        let half = Weights::Triangle([[0, 0], [1024, 0], [0, 1024]]);
        assert_eq!(half.terms([0, 0]), 1.0);
        assert_eq!(half.terms([1024, 0]), 1.0 + 2.0);
        // A diagonal strip a subpixel wide, along which the slopes of both edges cancel.
        let sliver = Weights::Triangle([[0, 0], [1024, 1024], [1024, 1025]]);
        assert_eq!(sliver.terms([1024, 1024]), 1.0 + 2.0 * (2049.0 + 2048.0));
    }
}
