//! Optimised and unoptimised programs give the same results with any number of lanes. The test uses
//! random shaders of every opcode that computes, branches, loops, switches, subroutines, textures.

#[path = "common/mod.rs"]
mod common;
#[path = "common/random.rs"]
mod random;

use common::{Registers, compiled};
use proptest::prelude::*;
use random::{inputs, run_width, same};

fn check(seed: u64) {
    let source = random::shader(seed);
    let (inputs, constants) = inputs(seed);
    let classes = random::outputs();
    let mut first: Option<Vec<Option<Registers>>> = None;
    for optimize in [true, false] {
        let compiled = compiled(&source, optimize);
        let program = compiled.program();
        let results = [
            run_width::<[u32; 64]>(&program, &inputs, &[&constants]),
            run_width::<[u32; 16]>(&program, &inputs, &[&constants]),
            run_width::<[u32; 4]>(&program, &inputs, &[&constants]),
        ];
        for (width, results) in [64, 16, 4].into_iter().zip(results) {
            let first = first.get_or_insert_with(|| results.clone());
            for (lane, (got, expected)) in results.iter().zip(&*first).enumerate() {
                let place =
                    || format!("seed {seed}, lane {lane}, optimize: {optimize}, {width} lanes");
                assert_eq!(got.is_some(), expected.is_some(), "{}: killed\n{source}", place());
                let (Some(got), Some(expected)) = (got, expected) else { continue };
                for (output, class) in classes.iter().enumerate() {
                    let (got, expected) = (got[output], expected[output]);
                    assert!(
                        same(*class, &got, &expected),
                        "{}, OUT[{output}]: {got:x?}, not {expected:x?}\n{source}",
                        place()
                    );
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn optimising_changes_nothing(seed: u64) {
        check(seed);
    }
}

/// Checks the number of programs in `GALLIUM_RANDOM_PROGRAMS`, in two threads. If
/// `GALLIUM_RANDOM_SEED` is set, prints the program of this seed and checks only it.
#[test]
fn optimising_changes_nothing_in_many_programs() {
    let number = |name| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    if let Some(seed) = number("GALLIUM_RANDOM_SEED") {
        println!("{}", random::shader(seed));
        return check(seed);
    }
    let count = number("GALLIUM_RANDOM_PROGRAMS").unwrap_or(200);
    std::thread::scope(|scope| {
        for first in 0..2 {
            scope.spawn(move || (first..count).step_by(2).for_each(check));
        }
    });
}
