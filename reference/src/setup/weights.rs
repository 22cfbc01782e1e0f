//! Weights: the share of each vertex in a value at a pixel.

use super::shape::cross;

/// The vertices of a primitive, Q24.8.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Weights {
    /// Every value is that of the vertex.
    Point,
    /// Values change with the projection on the line.
    Line([[i32; 2]; 2]),
    /// Values are linear over the plane.
    Triangle([[i32; 2]; 3]),
}

impl Weights {
    /// Returns the weights of the vertices at a place (Q24.8): barycentric coordinates, whose sum
    /// is 1. Those of absent vertices are 0.
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
}
