//! Random scenes with fixed seeds: the drivers draw the same pictures.

use gallium_compare::driver;
use gallium_compare::judge::{Verdict, judge};
use gallium_compare::scene::Scene;

/// Compares the scenes of a range of seeds.
fn compare(seeds: std::ops::Range<u64>) {
    let mut drawn = 0;
    for seed in seeds.clone() {
        let screen = driver(seed);
        let scene = Scene::random(seed, &*screen);
        let verdict = judge(&*screen, &scene);
        assert!(!verdict.is_fault(), "cargo xtask compare --random 1 --seed {seed}");
        drawn += u64::from(matches!(verdict, Verdict::Same { .. }));
    }
    let count = seeds.end - seeds.start;
    assert!(2 * drawn > count, "most of {count} scenes can be drawn, not {drawn}");
}

// Three hundred scenes in three tests, which run in parallel.

#[test]
fn scenes_1_to_100() {
    compare(1..101);
}

#[test]
fn scenes_101_to_200() {
    compare(101..201);
}

#[test]
fn scenes_201_to_300() {
    compare(201..301);
}

/// Cases: levels of detail of cube maps far from linear; a pixel under three coinciding lines;
/// sprites shaded per sample; samples of primitives almost edge on; means of vectors with a
/// component that is not stored; divisors near 0; depths at centres next to a primitive that a
/// viewport limits; triangles with a single vertex before snapping; equal depths of a clipped
/// triangle's pieces that overlap as filled rectangles; thresholds of dithered alpha-to-coverage,
/// which are a pixel's and not a primitive's.
#[test]
fn scenes_that_differed_once() {
    for seed in [5100, 5141, 5352, 498, 1490, 4752, 20356, 702391, 3561, 43996, 708226, 715491] {
        compare(seed..seed + 1);
    }
}
