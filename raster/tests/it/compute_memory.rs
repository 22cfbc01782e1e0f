//! Memory of launches: `PRIVATE` memory of each invocation, `INPUT` memory, the number of
//! dimensions.

use gallium_raster::{Config, Host, Profile, Screen, Small, Tiny};
use os_shim::Os;
use os_shim::memory::{FailAt, Memory, System};
use pipe_core::{
    ComputeCap, ComputeState, ContextFlags, GridInfo, PipeError, Screen as _, ShaderSource,
    ShaderState, ShaderType,
};

use crate::compute::{Machine, screen};

in_all_profiles! {
    each_invocation_has_memory_that_begins_with_zeros
    private_memory_survives_barriers
    accesses_beyond_private_memory_do_nothing
    the_announced_size_is_there
    too_much_memory_is_refused_by_name
    input_memory_has_the_size_that_the_program_requires
    programs_read_the_number_of_dimensions
}

/// Declares `PRIVATE` memory, a buffer for results, and constants; computes the number of the
/// invocation in `TEMP[0].x`.
const DECLARE: &str = invocation!(
    "DCL MEMORY[0], PRIVATE
DCL BUFFER[0]
DCL TEMP[0..9]
IMM[0] UINT32 {4, 1, 16, 0}
IMM[1] UINT32 {3, 7, 20, 24}
IMM[2] UINT32 {4294967292, 32, 65532, 65536}
UMAD TEMP[0].x, SV[1].xxxx, SV[2].xxxx, SV[0].xxxx
"
);

/// Stores one of four words at a place that depends on the invocation, then shows all four. Returns
/// the words that two launches show.
fn words_of_each<P: Profile>(between: &str) -> [Vec<u32>; 2] {
    let screen = screen::<P>();
    let mut machine = Machine::new(&screen, &[&[9; 4 * 210]]);
    let text = format!(
        "{DECLARE}AND TEMP[1].x, TEMP[0].xxxx, IMM[1].xxxx\n\
        UMUL TEMP[1].x, TEMP[1].xxxx, IMM[0].xxxx\n\
        UADD TEMP[2].x, TEMP[0].xxxx, IMM[0].yyyy\n\
        STORE MEMORY[0].x, TEMP[1].xxxx, TEMP[2].xxxx\n\
        {between}LOAD TEMP[3], MEMORY[0], IMM[0].wwww\n\
        UMUL TEMP[4].x, TEMP[0].xxxx, IMM[0].zzzz\n\
        STORE BUFFER[0], TEMP[4].xxxx, TEMP[3]\nEND\n"
    );
    machine.program_with(&text, [0, 16, 0]).unwrap();
    [(); 2].map(|()| {
        machine.launch([70, 1, 1], [3, 1, 1]);
        machine.words(0, 4 * 210)
    })
}

/// Returns the words that [`words_of_each`] should show: the invocation's number plus 1, at one of
/// four places.
fn wanted() -> Vec<u32> {
    let word = |at: u32| if at % 4 == at / 4 % 4 { at / 4 + 1 } else { 0 };
    (0..4 * 210).map(word).collect()
}

fn each_invocation_has_memory_that_begins_with_zeros<P: Profile>() {
    assert_eq!(words_of_each::<P>(""), [wanted(), wanted()]);
}

fn private_memory_survives_barriers<P: Profile>() {
    assert_eq!(words_of_each::<P>("BARRIER\n"), [wanted(), wanted()]);
}

fn accesses_beyond_private_memory_do_nothing<P: Profile>() {
    let screen = screen::<P>();
    let mut machine = Machine::new(&screen, &[&[9; 8 * 70]]);
    // Of 24 bytes: the last word, that word and the next, the next, one at the end of all
    // addresses.
    let text = format!(
        "{DECLARE}UADD TEMP[1].xy, TEMP[0].xxxx, IMM[1].yyyy\n\
        ATOMUADD TEMP[5].x, MEMORY[0], IMM[0].wwww, TEMP[1].xxxx\n\
        STORE MEMORY[0].xy, IMM[1].zzzz, TEMP[1]\n\
        STORE MEMORY[0].x, IMM[1].wwww, TEMP[1].xxxx\n\
        STORE MEMORY[0].x, IMM[2].xxxx, TEMP[1].xxxx\n\
        ATOMUADD TEMP[2].w, MEMORY[0], IMM[1].wwww, TEMP[1].xxxx\n\
        LOAD TEMP[6].x, MEMORY[0], IMM[1].zzzz\n\
        MOV TEMP[2].x, TEMP[6].xxxx\n\
        LOAD TEMP[7].xy, MEMORY[0], IMM[1].zzzz\n\
        MOV TEMP[2].yz, TEMP[7].xxyy\n\
        LOAD TEMP[8].x, MEMORY[0], IMM[0].wwww\n\
        MOV TEMP[5].y, TEMP[8].xxxx\n\
        RESQ TEMP[9].x, MEMORY[0]\n\
        MOV TEMP[5].z, TEMP[9].xxxx\n\
        MOV TEMP[5].w, IMM[0].wwww\n\
        UMUL TEMP[4].x, TEMP[0].xxxx, IMM[2].yyyy\n\
        STORE BUFFER[0], TEMP[4].xxxx, TEMP[2]\n\
        UADD TEMP[4].x, TEMP[4].xxxx, IMM[0].zzzz\n\
        STORE BUFFER[0], TEMP[4].xxxx, TEMP[5]\nEND\n"
    );
    machine.program_with(&text, [0, 24, 0]).unwrap();
    machine.launch([70, 1, 1], [1; 3]);
    for (number, words) in (0..).zip(machine.words(0, 8 * 70).chunks(8)) {
        let stored = number + 7;
        assert_eq!(words, [stored, 0, 0, 0, 0, stored, 24, 0], "invocation {number}");
    }
}

fn the_announced_size_is_there<P: Profile>() {
    let screen = screen::<P>();
    assert_eq!(screen.get_compute_param(ComputeCap::MaxPrivateSize), [65536, 0, 0]);
    let mut machine = Machine::new(&screen, &[&[9; 65]]);
    let text = format!(
        "{DECLARE}UADD TEMP[1].x, TEMP[0].xxxx, IMM[1].yyyy\n\
        STORE MEMORY[0].x, IMM[2].zzzz, TEMP[1].xxxx\n\
        STORE MEMORY[0].x, IMM[2].wwww, IMM[0].xxxx\n\
        LOAD TEMP[2].x, MEMORY[0], IMM[2].zzzz\n\
        LOAD TEMP[3].x, MEMORY[0], IMM[0].wwww\n\
        UADD TEMP[2].x, TEMP[2].xxxx, TEMP[3].xxxx\n\
        UMUL TEMP[4].x, TEMP[0].xxxx, IMM[0].xxxx\n\
        STORE BUFFER[0].x, TEMP[4].xxxx, TEMP[2].xxxx\nEND\n"
    );
    let program = machine.program_with(&text, [0, 65536, 0]).unwrap();
    let info = machine.context.get_compute_state_info(program).unwrap();
    assert!(info.private_memory >= 65536, "{info:?}");
    machine.launch([65, 1, 1], [1; 3]);
    assert_eq!(machine.words(0, 65), (7..72).collect::<Vec<_>>());
}

fn too_much_memory_is_refused_by_name<P: Profile>() {
    let screen = screen::<P>();
    let mut machine = Machine::new(&screen, &[&[0; 4]]);
    let size = |cap| screen.get_compute_param(cap)[0] as u32;
    let (private, input) = (size(ComputeCap::MaxPrivateSize), size(ComputeCap::MaxInputSize));
    let shared = size(ComputeCap::MaxLocalSize);
    let mut create = |sizes| machine.program_with("COMP\nEND\n", sizes);
    create([shared, private, 0]).unwrap();
    create([0, 0, input]).unwrap();
    let name = |what| move |error: PipeError| assert!(error.to_string().contains(what), "{error}");
    create([shared + 1, 0, 0]).map_err(name("bytes that a block shares")).unwrap_err();
    create([0, private + 1, 0]).map_err(name("PRIVATE memory")).unwrap_err();
    create([0, 0, input + 1]).map_err(name("INPUT memory")).unwrap_err();
    let text = "VERT\nDCL OUT[0], POSITION\nDCL MEMORY[0], PRIVATE\nIMM[0] UINT32 {0, 0, 0, 0}\n\
        LOAD OUT[0], MEMORY[0], IMM[0].xxxx\nEND\n";
    let vertex = machine.context.create_shader_state(ShaderType::Vertex, &ShaderState::text(text));
    let refused = PipeError::Unsupported("PRIVATE memory in shaders of this stage");
    assert_eq!(vertex, Err(refused));
}

fn input_memory_has_the_size_that_the_program_requires<P: Profile>() {
    let screen = screen::<P>();
    let mut machine = Machine::new(&screen, &[&[9; 4]]);
    let text = "COMP\nDCL MEMORY[0], INPUT\nDCL BUFFER[0]\nDCL TEMP[0..1]\n\
        IMM[0] UINT32 {0, 4, 8, 12}\n\
        LOAD TEMP[0].x, MEMORY[0], IMM[0].xxxx\nSTORE BUFFER[0].x, IMM[0].xxxx, TEMP[0].xxxx\n\
        LOAD TEMP[0].x, MEMORY[0], IMM[0].yyyy\nSTORE BUFFER[0].x, IMM[0].yyyy, TEMP[0].xxxx\n\
        LOAD TEMP[0].x, MEMORY[0], IMM[0].zzzz\nSTORE BUFFER[0].x, IMM[0].zzzz, TEMP[0].xxxx\n\
        RESQ TEMP[0].x, MEMORY[0]\nSTORE BUFFER[0].x, IMM[0].wwww, TEMP[0].xxxx\nEND\n";
    machine.program_with(text, [0, 0, 8]).unwrap();
    let input = [5u32, 6, 7].map(u32::to_le_bytes).concat();
    let few = machine.context.launch_grid(&GridInfo { input: &input[..7], ..GridInfo::default() });
    assert!(matches!(few, Err(PipeError::Invalid(why)) if why.contains("INPUT")), "{few:?}");
    assert_eq!(machine.words(0, 4), [9; 4], "nothing ran");
    machine.context.launch_grid(&GridInfo { input: &input, ..GridInfo::default() }).unwrap();
    assert_eq!(machine.words(0, 4), [5, 6, 0, 8]);
}

fn programs_read_the_number_of_dimensions<P: Profile>() {
    let screen = screen::<P>();
    let mut machine = Machine::new(&screen, &[&[9; 4]]);
    let text = "COMP\nDCL SV[0], WORK_DIM\nDCL BUFFER[0]\nDCL TEMP[0]\nIMM[0] UINT32 {0, 0, 0, 0}\n\
        STORE BUFFER[0], IMM[0].xxxx, SV[0].xyzw\nEND\n";
    machine.program(text, 0);
    for work_dim in 1..=3 {
        machine.context.launch_grid(&GridInfo { work_dim, ..GridInfo::default() }).unwrap();
        assert_eq!(machine.words(0, 1), [work_dim.into()]);
    }
}

/// Runs a program with `private` bytes of `PRIVATE` memory.
fn run(os: Os<'_>, private: u32) -> Result<(), PipeError> {
    let screen = Screen::<Small>::new(os, Config::default());
    let mut context = screen.context_create(ContextFlags::empty())?;
    let text = "COMP\nDCL MEMORY[0], PRIVATE\nIMM[0] UINT32 {0, 0, 0, 0}\n\
        STORE MEMORY[0].x, IMM[0].xxxx, IMM[0].xxxx\nEND\n";
    let state = ComputeState {
        source: ShaderSource::Text(text),
        static_shared_mem: 0,
        req_private_mem: private,
        req_input_mem: 0,
    };
    let program = context.create_compute_state(&state)?;
    context.bind_compute_state(Some(program))?;
    context.launch_grid(&GridInfo { block: [16, 1, 1], ..GridInfo::default() })?;
    // A launch that ran out of memory does not change the program.
    context.launch_grid(&GridInfo::default())
}

#[test]
fn private_memory_is_of_the_device_s_heap() {
    let peak = |private| {
        let system = System::new();
        let memory = Memory::new(&system);
        run(Os { memory, ..Os::host() }, private).unwrap();
        assert_eq!(memory.usage().used, 0);
        memory.usage().peak
    };
    let one_lane = 4096;
    assert!(peak(one_lane as u32) >= peak(0) + one_lane, "of any number of lanes");
    let counting = FailAt::never(Memory::system());
    run(Os { memory: Memory::new(&counting), ..Os::host() }, 4096).unwrap();
    let system = System::new();
    for nth in 0..counting.requests() {
        let failing = FailAt::new(Memory::new(&system), nth);
        let result = run(Os { memory: Memory::new(&failing), ..Os::host() }, 4096);
        assert!(matches!(result, Err(PipeError::OutOfMemory { .. })), "request {nth}: {result:?}");
        assert_eq!(Memory::new(&system).usage().used, 0, "leak after request {nth}");
    }
}
