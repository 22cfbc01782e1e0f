//! Optimised and unoptimised programs do the same, whatever the number of lanes, on shaders made at
//! random of every opcode that computes, branches, loops, switches, subroutines, textures.

#[path = "common/mod.rs"]
mod common;
#[path = "common/random.rs"]
mod random;

use common::{Registers, compiled, constant_buffer, run_batch};
use gallium_tgsi::exec::{Lanes, Resources, SampleRequest};
use gallium_tgsi::program::Program;
use proptest::prelude::*;
use random::{Class, Random};

/// Textures that are formulas of coordinates and levels.
struct Formula;

impl<R: Lanes> Resources<R> for Formula {
    fn sample(&mut self, request: &SampleRequest<'_, R>, out: &mut [R; 4]) {
        let of = |row: &R, lane: usize| f32::from_bits(row.as_slice()[lane]);
        for lane in (0..R::COUNT).filter(|lane| request.live >> lane & 1 != 0) {
            let [s, t, _] = request.coord.map(|row| of(row, lane));
            let lod = request.lod.map_or(0.25, |row| of(row, lane));
            let texel = [s * 0.5, t + of(request.ddx[0], lane), lod, of(request.ddy[1], lane) - s];
            for (out, value) in out.iter_mut().zip(texel) {
                out.as_mut_slice()[lane] = value.to_bits();
            }
        }
    }
}

/// All invocations, in batches; `None`: killed.
fn run_width<R: Lanes>(
    program: &Program<'_>,
    inputs: &[Registers],
    constants: &[&[u8]],
) -> Vec<Option<Registers>> {
    let batches = inputs.chunks(R::COUNT).flat_map(|batch| {
        let live = if batch.len() == 64 { !0 } else { (1 << batch.len()) - 1 };
        let results = run_batch::<R>(program, batch, live, constants, &mut Formula);
        let lanes = results.lanes.into_iter().take(batch.len()).enumerate();
        lanes.map(move |(lane, registers)| (results.alive >> lane & 1 != 0).then_some(registers))
    });
    batches.collect()
}

/// The same bits; NaNs are all one, where there are floats.
fn same(class: Class, a: &[u32; 4], b: &[u32; 4]) -> bool {
    let nan = |bits: u32| f32::from_bits(bits).is_nan();
    let wide = |pair: [u32; 2]| f64::from_bits(u64::from(pair[0]) | u64::from(pair[1]) << 32);
    match class {
        Class::Float => a.iter().zip(b).all(|(&a, &b)| a == b || (nan(a) && nan(b))),
        Class::Double => [0, 2].into_iter().all(|at| {
            let (a, b) = ([a[at], a[at + 1]], [b[at], b[at + 1]]);
            a == b || (wide(a).is_nan() && wide(b).is_nan())
        }),
        Class::Int | Class::Long => a == b,
    }
}

fn inputs(seed: u64) -> (Vec<Registers>, Vec<u8>) {
    let mut random = Random(seed ^ 0x5555);
    let floats = [0.0, -0.0, 1.0, -1.0, 0.3, 7.5, -123.4, 1e20, -1e-20, f32::INFINITY];
    let float = |random: &mut Random| floats[random.next(10) as usize].to_bits();
    let inputs = (0..19)
        .map(|_| {
            let floats = std::array::from_fn(|_| float(&mut random));
            let integers = std::array::from_fn(|at| match at {
                0 => random.next(8).wrapping_sub(2),
                _ => random.next(u32::MAX),
            });
            vec![floats, integers]
        })
        .collect();
    let constants: Vec<f32> = (0..32)
        .map(|at| match at {
            0..16 => f32::from_bits(float(&mut random)),
            _ => f32::from_bits(random.next(40).wrapping_sub(8)),
        })
        .collect();
    (inputs, constant_buffer(&constants))
}

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

/// The same for as many programs as `GALLIUM_RANDOM_PROGRAMS` says, by two threads; prints the
/// program of the seed in `GALLIUM_RANDOM_SEED` and checks it alone, if that is set.
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
