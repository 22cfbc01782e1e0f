//! Runs shaders from text on inputs from rows of lanes.
#![allow(dead_code, reason = "each test file uses its part")]

pub(crate) mod nasty;
pub(crate) mod table;

use gallium_tgsi::compile::{CompileOptions, Compiled, compile};
use gallium_tgsi::exec::{self, Lanes, Mask, NoResources, Resources};
use gallium_tgsi::program::{Program, Row};
use gallium_tgsi::text;
use os_shim::Memory;

/// Compiles a valid shader.
#[track_caller]
pub(crate) fn compiled(source: &str, optimize: bool) -> Compiled<'static> {
    let memory = Memory::system();
    let shader = match text::parse(source, memory) {
        Ok(shader) => shader,
        Err(error) => panic!("{error}\n{source}"),
    };
    let options = CompileOptions { optimize, loop_budget: 10_000, ..CompileOptions::DEFAULT };
    match compile(&shader, &options, memory) {
        Ok(compiled) => {
            compiled.program().validate().expect("what the compiler makes is well formed");
            compiled
        }
        Err(error) => panic!("{error}\n{source}"),
    }
}

/// One lane's vec4 inputs or outputs, by register number.
pub(crate) type Registers = Vec<[u32; 4]>;

/// The results of a run: each lane's outputs, and the lanes that were not killed.
pub(crate) struct Results {
    pub(crate) lanes: Vec<Registers>,
    pub(crate) alive: Mask,
}

/// Runs one batch. Lane `l` has inputs `inputs[l]`; further lanes have none.
pub(crate) fn run_batch<R: Lanes>(
    program: &Program<'_>,
    inputs: &[Registers],
    live: Mask,
    constants: &[&[u8]],
    resources: &mut dyn Resources<R>,
) -> Results {
    // Rows hold garbage at first, because no result may depend on them.
    let mut rows = vec![R::splat(0xDEAD_BEEF); program.rows.into()];
    exec::prepare(program, &mut rows, constants).expect("the program is well formed");
    for input in program.inputs {
        for (component, row) in input.rows.iter().enumerate() {
            fill(&mut rows, *row, |lane| {
                inputs.get(lane).map_or(0xBAD0_0BAD, |it| it[input.register as usize][component])
            });
        }
    }
    let alive = exec::run(program, &mut rows, live, constants, resources)
        .unwrap_or_else(|error| panic!("{error}"));
    let registers = program.outputs.iter().map(|output| output.register + 1).max().unwrap_or(0);
    let mut lanes = vec![vec![[0; 4]; registers.into()]; R::COUNT];
    for output in program.outputs {
        for (component, row) in output.rows.iter().enumerate() {
            if let Some(row) = row.index() {
                for (lane, registers) in lanes.iter_mut().enumerate() {
                    registers[output.register as usize][component] = rows[row].as_slice()[lane];
                }
            }
        }
    }
    Results { lanes, alive }
}

pub(crate) fn fill<R: Lanes>(rows: &mut [R], row: Row, value: impl Fn(usize) -> u32) {
    if let Some(row) = row.index() {
        for (lane, slot) in rows[row].as_mut_slice().iter_mut().enumerate() {
            *slot = value(lane);
        }
    }
}

/// Runs a shader over any number of invocations, in batches of each width, including partly filled
/// batches, optimised and not; all runs must give the same results. Returns each invocation's
/// outputs; `None` if it was killed.
#[track_caller]
pub(crate) fn run_all(
    source: &str,
    inputs: &[Registers],
    constants: &[&[u8]],
) -> Vec<Option<Registers>> {
    run_all_with(source, inputs, constants, |_| NoResources, |_| {})
}

/// Resources for batches of every width.
pub(crate) trait AnyWidth:
    Resources<[u32; 4]> + Resources<[u32; 16]> + Resources<[u32; 64]>
{
}

impl<T: Resources<[u32; 4]> + Resources<[u32; 16]> + Resources<[u32; 64]>> AnyWidth for T {}

/// Runs like `run_all`. Each run has separate resources, made for batches of a given number of
/// lanes and inspected after the run.
#[track_caller]
pub(crate) fn run_all_with<T: AnyWidth>(
    source: &str,
    inputs: &[Registers],
    constants: &[&[u8]],
    make: impl Fn(usize) -> T,
    look: impl Fn(&T),
) -> Vec<Option<Registers>> {
    let mut first: Option<Vec<Option<Registers>>> = None;
    for optimize in [true, false] {
        let compiled = compiled(source, optimize);
        let program = compiled.program();
        let [mut wide, mut medium, mut narrow] = [make(64), make(16), make(4)];
        let results = [
            run_width::<[u32; 64]>(&program, inputs, constants, &mut wide),
            run_width::<[u32; 16]>(&program, inputs, constants, &mut medium),
            run_width::<[u32; 4]>(&program, inputs, constants, &mut narrow),
        ];
        [wide, medium, narrow].iter().for_each(&look);
        for (width, results) in [64, 16, 4].into_iter().zip(results) {
            match &first {
                Some(first) => {
                    for (lane, (got, expected)) in results.iter().zip(first).enumerate() {
                        let same = match (got, expected) {
                            (Some(got), Some(expected)) => same_registers(got, expected),
                            (None, None) => true,
                            _ => false,
                        };
                        assert!(
                            same,
                            "lane {lane}, optimize: {optimize}, {width} lanes: {got:x?}, not \
                             {expected:x?}\n{source}"
                        );
                    }
                }
                None => first = Some(results),
            }
        }
    }
    first.unwrap_or_default()
}

/// Compares bits; all NaNs are equal.
pub(crate) fn same_registers(a: &Registers, b: &Registers) -> bool {
    let same = |a: &u32, b: &u32| a == b || (is_nan(*a) && is_nan(*b));
    a.iter().flatten().zip(b.iter().flatten()).all(|(a, b)| same(a, b))
}

pub(crate) fn is_nan(bits: u32) -> bool {
    f32::from_bits(bits).is_nan()
}

fn run_width<R: Lanes>(
    program: &Program<'_>,
    inputs: &[Registers],
    constants: &[&[u8]],
    resources: &mut dyn Resources<R>,
) -> Vec<Option<Registers>> {
    let mut results = Vec::new();
    for (number, batch) in inputs.chunks(R::COUNT).enumerate() {
        resources.enter_batch(number);
        let live = if batch.len() == 64 { !0 } else { (1 << batch.len()) - 1 };
        let batch_results = run_batch::<R>(program, batch, live, constants, resources);
        assert_eq!(batch_results.alive & !live, 0, "only live lanes come back");
        for (lane, outputs) in batch_results.lanes.into_iter().take(batch.len()).enumerate() {
            results.push((batch_results.alive >> lane & 1 != 0).then_some(outputs));
        }
    }
    results
}

/// Returns the bytes of a constant buffer of floats.
pub(crate) fn constant_buffer(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}
