//! Global memory: buffers that compute programs access by address.

use gallium_raster::{Host, Profile, Small, Tiny};
use pipe_core::{Bind, ComputeCap, GridInfo, PipeError, ResourceTemplate, Screen as _};

use crate::compute::{Machine, screen};

in_all_profiles! {
    lanes_load_from_the_buffers_that_they_name
    atomics_change_words_at_addresses
    addresses_of_nothing_read_zero_and_keep_nothing
    bindings_add_addresses_to_offsets
    wrong_bindings_are_refused
}

/// Declares global memory, arguments, and constants.
const DECLARE: &str = invocation!(
    "DCL MEMORY[0], GLOBAL
DCL MEMORY[1], INPUT
DCL TEMP[0..4]
IMM[0] UINT32 {4, 1, 8, 0}
IMM[1] UINT32 {16, 0, 0, 0}
"
);

/// Computes the number of the invocation, times 4.
const INDEX: &str = "UMUL TEMP[0].x, SV[0].xxxx, IMM[0].xxxx\n";

/// Binds the machine's buffers from slot `first` on; returns their addresses.
fn bind(machine: &mut Machine<'_, '_>, first: usize) -> Vec<u32> {
    let buffers: Vec<_> = machine.buffers.iter().copied().map(Some).collect();
    let mut addresses = vec![0; buffers.len()];
    machine.context.set_global_binding(first, &buffers, &mut addresses).unwrap();
    addresses.iter().map(|address| u32::try_from(*address).unwrap()).collect()
}

fn launch(machine: &mut Machine<'_, '_>, count: u32, arguments: &[u32]) {
    let input = bytemuck::cast_slice(arguments);
    let info = GridInfo { block: [count, 1, 1], grid: [1; 3], input, ..GridInfo::default() };
    machine.context.launch_grid(&info).unwrap();
}

fn lanes_load_from_the_buffers_that_they_name<P: Profile>() {
    let screen = screen::<P>();
    let [a, b] = [100, 200].map(|first| (first..first + 40).collect::<Vec<u32>>());
    let mut machine = Machine::new(&screen, &[&a, &b, &[0; 40]]);
    let addresses = bind(&mut machine, 3);
    // Even invocations load from the first buffer, odd ones from the second; all store to the
    // third.
    let text = format!(
        "{DECLARE}{INDEX}AND TEMP[1].x, SV[0].xxxx, IMM[0].yyyy\n\
        UMUL TEMP[1].x, TEMP[1].xxxx, IMM[0].xxxx\n\
        LOAD TEMP[2].x, MEMORY[1], TEMP[1].xxxx\n\
        UADD TEMP[2].x, TEMP[2].xxxx, TEMP[0].xxxx\n\
        LOAD TEMP[3].x, MEMORY[0], TEMP[2].xxxx\n\
        LOAD TEMP[2].x, MEMORY[1], IMM[0].zzzz\n\
        UADD TEMP[2].x, TEMP[2].xxxx, TEMP[0].xxxx\n\
        STORE MEMORY[0].x, TEMP[2].xxxx, TEMP[3].xxxx\nEND\n"
    );
    machine.program_with(&text, [0, 0, 12]).unwrap();
    launch(&mut machine, 40, &addresses);
    let wanted: Vec<u32> = (0..40).map(|at| at + if at % 2 == 0 { 100 } else { 200 }).collect();
    assert_eq!(machine.words(2, 40), wanted);
    assert_eq!((machine.words(0, 40), machine.words(1, 40)), (a, b));
}

fn atomics_change_words_at_addresses<P: Profile>() {
    let screen = screen::<P>();
    let mut machine = Machine::new(&screen, &[&[5; 2], &[7; 2]]);
    let addresses = bind(&mut machine, 0);
    // Even invocations count in the first buffer, odd ones in the second.
    let text = format!(
        "{DECLARE}{INDEX}AND TEMP[1].x, SV[0].xxxx, IMM[0].yyyy\n\
        UMUL TEMP[1].x, TEMP[1].xxxx, IMM[0].xxxx\n\
        LOAD TEMP[2].x, MEMORY[1], TEMP[1].xxxx\n\
        ATOMUADD TEMP[3].x, MEMORY[0], TEMP[2].xxxx, IMM[0].yyyy\nEND\n"
    );
    machine.program_with(&text, [0, 0, 8]).unwrap();
    launch(&mut machine, 101, &addresses);
    assert_eq!((machine.words(0, 2), machine.words(1, 2)), (vec![56, 5], vec![57, 7]));
}

fn addresses_of_nothing_read_zero_and_keep_nothing<P: Profile>() {
    let screen = screen::<P>();
    let mut machine = Machine::new(&screen, &[&[9; 4], &[8; 4]]);
    let addresses = bind(&mut machine, 0);
    machine.context.set_global_binding(1, &[None], &mut [0]).unwrap();
    // The null address, the byte after a buffer, an address of a slot that was unbound, the last
    // address.
    let nowhere = [0, addresses[0] + 16, addresses[1], u32::MAX - 3];
    let text = format!(
        "{DECLARE}{INDEX}LOAD TEMP[1].x, MEMORY[1], TEMP[0].xxxx\n\
        LOAD TEMP[2].x, MEMORY[0], TEMP[1].xxxx\n\
        STORE MEMORY[0].x, TEMP[1].xxxx, IMM[0].yyyy\n\
        ATOMUADD TEMP[3].x, MEMORY[0], TEMP[1].xxxx, IMM[0].yyyy\n\
        UADD TEMP[2].x, TEMP[2].xxxx, TEMP[3].xxxx\n\
        LOAD TEMP[4].x, MEMORY[1], IMM[1].xxxx\n\
        UADD TEMP[4].x, TEMP[4].xxxx, TEMP[0].xxxx\n\
        STORE MEMORY[0].x, TEMP[4].xxxx, TEMP[2].xxxx\nEND\n"
    );
    machine.program_with(&text, [0, 0, 20]).unwrap();
    let [a, b, c, d] = nowhere;
    launch(&mut machine, 4, &[a, b, c, d, addresses[0]]);
    assert_eq!(machine.words(0, 4), [0; 4], "what was read");
    assert_eq!(machine.words(1, 4), [8; 4], "what is not bound stays");
}

fn bindings_add_addresses_to_offsets<P: Profile>() {
    let screen = screen::<P>();
    let machine = &mut Machine::new(&screen, &[&[0; 4], &[0; 4]]);
    let plain = bind(machine, 5);
    let buffers: Vec<_> = machine.buffers.iter().copied().map(Some).collect();
    let mut addresses = [12, 4];
    machine.context.set_global_binding(5, &buffers, &mut addresses).unwrap();
    assert_eq!(addresses, [plain[0] + 12, plain[1] + 4].map(u64::from));
    assert!(plain[0] > 0 && plain[1] >= plain[0] + 16, "no null address, no overlap");
    let mut addresses = [12];
    machine.context.set_global_binding(5, &[None], &mut addresses).unwrap();
    assert_eq!(addresses, [12], "nothing is bound");
    let [size, ..] = screen.get_compute_param(ComputeCap::MaxGlobalSize);
    let [most, ..] = screen.get_compute_param(ComputeCap::MaxMemAllocSize);
    assert!(size >= most && most >= 1 << 20);
}

fn wrong_bindings_are_refused<P: Profile>() {
    let screen = screen::<P>();
    let machine = &mut Machine::new(&screen, &[&[0; 4]]);
    let buffer = Some(machine.buffers[0]);
    let beyond = machine.context.set_global_binding(31, &[buffer], &mut [0]);
    assert!(matches!(beyond, Err(PipeError::OutOfRange { .. })), "{beyond:?}");
    let few = machine.context.set_global_binding(0, &[buffer], &mut []);
    assert!(matches!(few, Err(PipeError::Invalid(_))), "{few:?}");
    let template =
        ResourceTemplate::texture_2d(formats::Format::R8G8B8A8Unorm, 4, 4, Bind::SAMPLER_VIEW);
    let texture = screen.resource_create(&template).unwrap();
    let image = machine.context.set_global_binding(0, &[Some(texture)], &mut [0]);
    assert!(matches!(image, Err(PipeError::Invalid(_))), "{image:?}");
    screen.resource_destroy(texture).unwrap();
    let stale = machine.context.set_global_binding(0, &[Some(texture)], &mut [0]);
    assert!(stale.is_err());
}
