//! Native bodies of random programs: `GALLIUM_RANDOM_SEED=n cargo test --test random many`.

mod common;
#[path = "common/random.rs"]
mod random;

use common::Registers;
use gallium_tgsi::exec::native::Native;
use gallium_tgsi::program::Program;
use random::{inputs, run_width, same};
use tgsi_macros::tgsi;

tgsi! {
    crate = ::gallium_tgsi;
    native;
    static SEED_158: "tests/shaders/random_158.tgsi"
}

tgsi! {
    crate = ::gallium_tgsi;
    native(4);
    static SEED_138: "tests/shaders/random_138.tgsi"
}

tgsi! {
    crate = ::gallium_tgsi;
    native(64);
    static SEED_116: "tests/shaders/random_116.tgsi"
}

tgsi! {
    crate = ::gallium_tgsi;
    native(16);
    static SEED_155: "tests/shaders/random_155.tgsi"
}

tgsi! {
    crate = ::gallium_tgsi;
    native(16);
    static SEED_148: "tests/shaders/random_148.tgsi"
}

tgsi! {
    crate = ::gallium_tgsi;
    native(16);
    static SEED_52: "tests/shaders/random_52.tgsi"
}

fn check(seed: u64, program: &Program<'_>) {
    let interpreted = Program { native: Native::NONE, ..*program };
    let (inputs, constants) = inputs(seed);
    let constants: &[&[u8]] = &[&constants];
    let all = |program: &Program<'_>| -> Vec<Option<Registers>> {
        let wide = run_width::<[u32; 64]>(program, &inputs, constants).into_iter();
        let some = run_width::<[u32; 16]>(program, &inputs, constants);
        wide.chain(some).chain(run_width::<[u32; 4]>(program, &inputs, constants)).collect()
    };
    for (at, (got, expected)) in all(program).iter().zip(all(&interpreted)).enumerate() {
        assert_eq!(got.is_some(), expected.is_some(), "seed {seed}, result {at}");
        let (Some(got), Some(expected)) = (got, expected) else { continue };
        for (output, class) in random::outputs().into_iter().enumerate() {
            let (got, expected) = (got[output], expected[output]);
            assert!(
                same(class, &got, &expected),
                "seed {seed}, result {at}, OUT[{output}]: {got:x?}, not {expected:x?}"
            );
        }
    }
}

#[test]
fn native_bodies_do_what_interpreting_does() {
    for (seed, program) in [
        (158, &SEED_158),
        (138, &SEED_138),
        (116, &SEED_116),
        (155, &SEED_155),
        (148, &SEED_148),
        (52, &SEED_52),
    ] {
        check(seed, program);
    }
}
