//! Entry points of compute programs: a launch starts at the first instruction or at a subroutine.

use gallium_raster::{Config, Host, Profile, Screen, Small, Tiny};
use os_shim::Os;
use os_shim::memory::{Memory, System};
use pipe_core::{ContextFlags, GridInfo, PipeError, Screen as _, ShaderSource};

use crate::compute::{Machine, screen};

in_all_profiles! {
    launches_start_at_subroutines
    a_program_may_be_subroutines_alone
}

/// Instructions 0 to 2 store 10 in every invocation's word. The subroutine at 3 calls the
/// subroutine at 12 for invocations from 2 on, which stores 20.
const PROGRAM: &str = "COMP
DCL SV[0], THREAD_ID
DCL BUFFER[0]
DCL TEMP[0..1]
IMM[0] UINT32 {4, 10, 20, 2}
UMUL TEMP[0].x, SV[0].xxxx, IMM[0].xxxx
STORE BUFFER[0].x, TEMP[0].xxxx, IMM[0].yyyy
END
BGNSUB
UMUL TEMP[0].x, SV[0].xxxx, IMM[0].xxxx
USLT TEMP[1].x, SV[0].xxxx, IMM[0].wwww
UIF TEMP[1].xxxx
RET
ENDIF
CAL :12
RET
ENDSUB
BGNSUB
UMUL TEMP[0].x, SV[0].xxxx, IMM[0].xxxx
STORE BUFFER[0].x, TEMP[0].xxxx, IMM[0].zzzz
RET
ENDSUB
";

const BLOCK: GridInfo<'_> = GridInfo {
    pc: 0,
    input: &[],
    work_dim: 1,
    block: [4, 1, 1],
    last_block: [0; 3],
    grid: [1; 3],
    grid_base: [0; 3],
    variable_shared_mem: 0,
    indirect: None,
};

fn launches_start_at_subroutines<P: Profile>() {
    let screen = screen::<P>();
    let mut machine = Machine::new(&screen, &[&[0; 4]]);
    let program = machine.program_with(PROGRAM, [0; 3]).unwrap();
    for (pc, words) in
        [(0, [10; 4]), (3, [10, 10, 20, 20]), (0, [10; 4]), (12, [20; 4]), (3, [20; 4])]
    {
        machine.context.launch_grid(&GridInfo { pc, ..BLOCK }).unwrap();
        assert_eq!(machine.words(0, 4), words, "from {pc}");
    }
    for pc in [1, 2, 4, 11, 13, 17, u32::MAX] {
        let refused = machine.context.launch_grid(&GridInfo { pc, ..BLOCK });
        assert!(
            matches!(refused, Err(PipeError::Invalid(why)) if why.contains("pc")),
            "{refused:?}"
        );
    }
    machine.context.delete_compute_state(program).unwrap();
    let unbound = machine.context.launch_grid(&GridInfo { pc: 3, ..BLOCK });
    assert_eq!(unbound, Err(PipeError::Unbound("compute shader")));
}

fn a_program_may_be_subroutines_alone<P: Profile>() {
    let screen = screen::<P>();
    let mut machine = Machine::new(&screen, &[&[0; 4]]);
    let text = "COMP\nDCL BUFFER[0]\nIMM[0] UINT32 {0, 4, 1, 2}\n\
        BGNSUB\nSTORE BUFFER[0].x, IMM[0].xxxx, IMM[0].zzzz\nRET\nENDSUB\n\
        BGNSUB\nSTORE BUFFER[0].x, IMM[0].yyyy, IMM[0].wwww\nENDSUB\nEND\n";
    machine.program(text, 0);
    machine.context.launch_grid(&BLOCK).unwrap();
    assert_eq!(machine.words(0, 4), [1, 0, 0, 0], "the first subroutine");
    machine.context.launch_grid(&GridInfo { pc: 4, ..BLOCK }).unwrap();
    assert_eq!(machine.words(0, 4), [1, 2, 0, 0], "and the second");
}

/// Entries belong to their program and are deleted with it.
#[test]
fn entries_end_with_their_program() {
    let system = System::new();
    let memory = Memory::new(&system);
    let screen = Screen::<Small>::new(Os { memory, ..Os::host() }, Config::default());
    let mut context = screen.context_create(ContextFlags::empty()).unwrap();
    let mut turn = || {
        let state = pipe_core::ComputeState {
            source: ShaderSource::Text(PROGRAM),
            static_shared_mem: 0,
            req_private_mem: 0,
            req_input_mem: 0,
        };
        let program = context.create_compute_state(&state).unwrap();
        context.bind_compute_state(Some(program)).unwrap();
        for pc in [3, 12, 3] {
            context.launch_grid(&GridInfo { pc, ..BLOCK }).unwrap();
        }
        context.delete_compute_state(program).unwrap();
        memory.usage().used
    };
    let first = turn();
    for _ in 0..20 {
        assert_eq!(turn(), first);
    }
}
