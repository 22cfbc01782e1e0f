extern crate std;
use super::*;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::vec::Vec;

const SPACINGS: [Spacing; 3] = [Spacing::FractionalOdd, Spacing::FractionalEven, Spacing::Equal];

/// Returns the points and triangles (or lines, or points) of a patch.
fn divide(
    domain: Domain,
    spacing: Spacing,
    outer: [f32; 4],
    inner: [f32; 2],
) -> (Vec<Point>, Vec<u16>) {
    let mut tessellator = Tessellator::new_in(Memory::system());
    let levels = Levels { outer, inner };
    tessellator.divide(domain, spacing, Output::CounterClockwise, &levels).expect("memory");
    (tessellator.points().to_vec(), tessellator.corners().to_vec())
}

/// Returns twice the signed area of a triangle in the plane of u and v.
fn area(points: &[Point], corners: &[u16]) -> i64 {
    let at = |corner: usize| {
        let Point { u, v } = points[usize::from(corners[corner])];
        (i64::from(u), i64::from(v))
    };
    let ((ax, ay), (bx, by), (cx, cy)) = (at(0), at(1), at(2));
    (bx - ax) * (cy - ay) - (cx - ax) * (by - ay)
}

/// Checks that the triangles cover the domain once: their areas have one sign and sum up to the
/// domain, and each edge is shared by two triangles or lies on the boundary.
fn assert_covers(domain: Domain, points: &[Point], corners: &[u16]) {
    let one = i64::from(ONE);
    let whole = if domain == Domain::Quads { 2 * one * one } else { one * one };
    let mut sum = 0;
    let mut edges = BTreeMap::new();
    for triangle in corners.chunks_exact(3) {
        let area = area(points, triangle);
        assert!(area >= 0, "a triangle that winds the other way: {triangle:?}");
        sum += area;
        for (a, b) in [(0, 1), (1, 2), (2, 0)] {
            *edges.entry((triangle[a], triangle[b])).or_insert(0) += 1;
        }
    }
    assert_eq!(sum, whole);
    for ((a, b), count) in &edges {
        assert_eq!(*count, 1, "an edge twice in one direction");
        let on_boundary = {
            let (p, q) = (points[usize::from(*a)], points[usize::from(*b)]);
            let both =
                |value: fn(Point) -> u32, wanted: u32| value(p) == wanted && value(q) == wanted;
            both(|p| p.u, 0)
                || both(|p| p.v, 0)
                || match domain {
                    Domain::Quads => both(|p| p.u, ONE) || both(|p| p.v, ONE),
                    _ => both(|p| p.u + p.v, ONE),
                }
        };
        assert!(on_boundary || edges.contains_key(&(*b, *a)), "a hole beside {a} to {b}");
    }
}

fn level() -> impl Strategy<Value = f32> {
    prop_oneof![
        (1u32..=64).prop_map(|level| level as f32),
        0.01f32..70.0,
        Just(1.0),
        Just(1e9),
        Just(f32::INFINITY),
    ]
}

fn inner() -> impl Strategy<Value = f32> {
    prop_oneof![level(), Just(0.0), Just(-3.0), Just(f32::NAN)]
}

/// Returns the points along a side of a patch, as one of the patch's coordinates in order: the ends
/// of edges that only one triangle has. (Inner points may round to the side, too.)
fn on_edge(
    (points, corners): &(Vec<Point>, Vec<u16>),
    on: impl Fn(&Point) -> bool,
    along: fn(&Point) -> u32,
) -> Vec<u32> {
    let ends = corners.chunks_exact(3).flat_map(|t| [(t[0], t[1]), (t[1], t[2]), (t[2], t[0])]);
    let edges: BTreeSet<_> = ends.collect();
    let boundary = edges.iter().filter(|(a, b)| !edges.contains(&(*b, *a)));
    let numbers: BTreeSet<_> = boundary.flat_map(|(a, b)| [*a, *b]).collect();
    let points = numbers.into_iter().map(|number| points[usize::from(number)]);
    let mut list: Vec<_> = points.filter(|point| on(point)).map(|point| along(&point)).collect();
    list.sort_unstable();
    list
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn domains_are_covered_once(
        outer in [level(), level(), level(), level()],
        inner in [inner(), inner()],
        spacing in 0usize..3,
    ) {
        for domain in [Domain::Triangles, Domain::Quads] {
            let (points, corners) = divide(domain, SPACINGS[spacing], outer, inner);
            assert_covers(domain, &points, &corners);
        }
    }

    /// With any other levels, an edge of a given level has the same points in all patches, on all
    /// sides, and in both directions.
    #[test]
    fn shared_edges_have_the_same_points(
        shared in level(),
        others in [level(), level(), level()],
        inner in [inner(), inner()],
        spacing in 0usize..3,
    ) {
        let spacing = SPACINGS[spacing];
        let expected = divide(Domain::Quads, spacing, [shared; 4], [1.0; 2]);
        let expected = on_edge(&expected, |p| p.v == 0, |p| p.u);
        let mirrored: Vec<_> = expected.iter().rev().map(|place| ONE - place).collect();
        prop_assert_eq!(&mirrored, &expected);
        let [a, b, c] = others;
        for (side, outer) in [
            [shared, a, b, c],
            [a, shared, b, c],
            [a, b, shared, c],
            [a, b, c, shared],
        ].into_iter().enumerate() {
            let points = divide(Domain::Quads, spacing, outer, inner);
            let found = match side {
                0 => on_edge(&points, |p| p.u == 0, |p| p.v),
                1 => on_edge(&points, |p| p.v == 0, |p| p.u),
                2 => on_edge(&points, |p| p.u == ONE, |p| p.v),
                _ => on_edge(&points, |p| p.v == ONE, |p| p.u),
            };
            prop_assert_eq!(&found, &expected, "side {} of a quad", side);
            if side == 3 {
                continue;
            }
            let points = divide(Domain::Triangles, spacing, outer, inner);
            let found = match side {
                0 => on_edge(&points, |p| p.u == 0, |p| p.v),
                1 => on_edge(&points, |p| p.v == 0, |p| p.u),
                _ => on_edge(&points, |p| p.u + p.v == ONE, |p| p.u),
            };
            prop_assert_eq!(&found, &expected, "side {} of a triangle", side);
        }
    }

    /// Segments follow the specification: `n` of them, all equal except two.
    #[test]
    fn edges_have_the_specified_segments(level in 0.01f32..70.0, spacing in 0usize..3) {
        let spacing = SPACINGS[spacing];
        let (points, _) = divide(Domain::Isolines, spacing, [1.0, level, 1.0, 1.0], [1.0; 2]);
        let n = points.len() - 1;
        let expected = match spacing {
            Spacing::Equal => (level.clamp(1.0, 64.0)).ceil() as usize,
            Spacing::FractionalEven => (level.clamp(2.0, 64.0) / 2.0).ceil() as usize * 2,
            Spacing::FractionalOdd => ((level.clamp(1.0, 63.0) + 1.0) / 2.0).ceil() as usize * 2 - 1,
        };
        prop_assert_eq!(n, expected);
        let lengths: Vec<_> = points.windows(2).map(|pair| pair[1].u - pair[0].u).collect();
        // Rounding to 16 bits moves each end by at most half a unit.
        let longest = *lengths.iter().max().expect("a segment");
        let short = lengths.iter().filter(|length| **length + 2 < longest).count();
        prop_assert!(short <= 2, "{} short segments of {:?}", short, lengths);
        if spacing == Spacing::Equal {
            prop_assert_eq!(short, 0);
        }
    }
}

#[test]
fn an_outer_level_that_is_not_positive_drops_the_patch() {
    for bad in [0.0, -1.0, f32::NAN, f32::NEG_INFINITY] {
        for side in 0..4 {
            let mut outer = [4.0; 4];
            outer[side] = bad;
            for (domain, edges) in
                [(Domain::Triangles, 3), (Domain::Quads, 4), (Domain::Isolines, 2)]
            {
                let (points, _) = divide(domain, Spacing::Equal, outer, [4.0; 2]);
                assert_eq!(points.is_empty(), side < edges, "{domain:?} {side} {bad}");
            }
        }
    }
}

/// Two rings only two units apart: their corners must not pass each other.
#[test]
fn rings_of_triangles_lie_within_each_other() {
    let outer = [1.0; 4];
    for inner in [47.002_92, 3.000_05, 4.000_1, 5.000_1, 62.999] {
        for spacing in SPACINGS {
            let (points, corners) = divide(Domain::Triangles, spacing, outer, [inner, 1.0]);
            assert_covers(Domain::Triangles, &points, &corners);
        }
    }
    // Of level 3, the first place from a corner is 21,845. Two thirds of it are 14,563.
    let (points, _) = divide(Domain::Triangles, Spacing::Equal, outer, [3.0, 1.0]);
    let [near, far] = [14_563, ONE - 2 * 14_563];
    let ring = [(near, far), (near, near), (far, near)].map(|(u, v)| Point { u, v });
    assert_eq!(points[3..], ring);
}

#[test]
fn undivided_patches_are_one_primitive() {
    for spacing in [Spacing::Equal, Spacing::FractionalOdd] {
        let triangle = divide(Domain::Triangles, spacing, [1.0; 4], [1.0; 2]);
        assert_eq!((triangle.0.len(), triangle.1.len()), (3, 3));
        let quad = divide(Domain::Quads, spacing, [1.0; 4], [1.0; 2]);
        assert_eq!((quad.0.len(), quad.1.len()), (4, 6));
    }
    // An inner level of 1 is rounded up if an edge is divided, which gives a point in the middle.
    let triangle = divide(Domain::Triangles, Spacing::Equal, [2.0, 1.0, 1.0, 1.0], [1.0; 2]);
    assert_eq!((triangle.0.len(), triangle.1.len()), (5, 3 * 4));
}

#[test]
fn equal_levels_give_the_known_counts() {
    for n in 1..=64u32 {
        let level = n as f32;
        let (points, corners) = divide(Domain::Quads, Spacing::Equal, [level; 4], [level; 2]);
        assert_eq!((points.len() as u32, corners.len() as u32), ((n + 1) * (n + 1), 6 * n * n));
        // Rings of 3 (n - 2r) points, and a triangle or a point in the middle.
        let (points, corners) = divide(Domain::Triangles, Spacing::Equal, [level; 4], [level; 2]);
        let rings = (0..=n / 2).map(|r| if 2 * r == n { 1 } else { 3 * (n - 2 * r) });
        assert_eq!(points.len() as u32, rings.sum::<u32>());
        // Euler: a disc of V points, 3n of them on the boundary, has 2V - 2 - 3n triangles.
        assert_eq!(corners.len() / 3, 2 * points.len() - 2 - 3 * n as usize);
    }
}

#[test]
fn isolines_leave_the_last_line_out() {
    let (points, corners) =
        divide(Domain::Isolines, Spacing::Equal, [4.0, 2.0, 0.0, 0.0], [0.0; 2]);
    let lines: BTreeSet<_> = points.iter().map(|point| point.v).collect();
    assert_eq!(lines.into_iter().collect::<Vec<_>>(), [0, ONE / 4, ONE / 2, 3 * ONE / 4]);
    assert_eq!((points.len(), corners.len()), (12, 2 * 8));
}

#[test]
fn points_and_winding_are_as_asked() {
    let mut tessellator = Tessellator::new_in(Memory::system());
    let levels = Levels { outer: [3.0; 4], inner: [3.0; 2] };
    let (domain, spacing) = (Domain::Triangles, Spacing::Equal);
    tessellator.divide(domain, spacing, Output::Points, &levels).expect("memory");
    let count = tessellator.points().len();
    assert!(tessellator.corners().iter().map(|c| usize::from(*c)).eq(0..count));
    tessellator.divide(domain, spacing, Output::Clockwise, &levels).expect("memory");
    let points = tessellator.points();
    assert!(tessellator.corners().chunks_exact(3).all(|triangle| area(points, triangle) < 0));
}

/// Points begin at the corner v and go by w to u, for all divisions of the edges.
#[test]
fn corners_come_in_one_order() {
    for level in [1.0, 3.0] {
        let (points, _) = divide(Domain::Triangles, Spacing::Equal, [level; 4], [level; 2]);
        let corners = [Point { u: 0, v: ONE }, Point { u: 0, v: 0 }, Point { u: ONE, v: 0 }];
        let found = points.iter().copied().filter(|point| corners.contains(point));
        assert_eq!(found.collect::<Vec<_>>(), corners);
    }
}

#[test]
fn coordinates_are_exact_and_sum_to_one() {
    let (points, _) = divide(Domain::Triangles, Spacing::FractionalOdd, [7.3; 4], [5.1; 2]);
    for point in points {
        let [u, v, w] = point.coordinates(Domain::Triangles);
        assert_eq!(u + v + w, 1.0);
        assert_eq!((u * 65536.0) as u32, point.u);
    }
}
