//! Compute: grids of blocks, shared memory of blocks, and the buffers that programs write.

use core::sync::atomic::{AtomicU64, Ordering};

use gallium_raster::{Config, Host, Profile, Screen, Small, Tiny};
use os_shim::Os;
use os_shim::clock::Clock;
use pipe_core::query::{PipelineStatistic, RenderConditionMode};
use pipe_core::{
    Bind, Cap, ComputeState, Context, ContextFlags, GridInfo, MapFlags, PipeError, QueryResult,
    QueryType, Region, ResourceHandle, ResourceTemplate, Screen as _, ShaderBuffer, ShaderHandle,
    ShaderSource, ShaderType,
};

in_all_profiles! {
    invocations_know_their_numbers
    matrices_are_multiplied_in_tiles
    histograms_count_every_value
    blocks_come_from_a_buffer
    accesses_out_of_range_do_nothing
    wrong_launches_are_refused
    queries_count_invocations
    conditions_skip_launches
    clocks_votes_and_ballots
}

/// A context, and the buffers that its compute programs access.
pub(crate) struct Machine<'s, 'm> {
    pub(crate) context: os_shim::Box<'s, dyn Context<'m> + 's>,
    pub(crate) buffers: Vec<ResourceHandle>,
}

impl<'s, 'm> Machine<'s, 'm> {
    /// Makes a buffer of each list of words and binds them from slot 0 on.
    pub(crate) fn new<P: Profile>(screen: &'s Screen<'m, P>, contents: &[&[u32]]) -> Self {
        let mut context = screen.context_create(ContextFlags::empty()).unwrap();
        let mut buffers = Vec::new();
        for words in contents {
            let bind = Bind::SHADER_BUFFER | Bind::COMMAND_ARGS_BUFFER;
            let template = ResourceTemplate::buffer(4 * words.len() as u32, bind);
            let buffer = screen.resource_create(&template).unwrap();
            let bytes = bytemuck::cast_slice(words);
            context.buffer_subdata(buffer, MapFlags::WRITE, 0, bytes).unwrap();
            buffers.push(buffer);
        }
        let views: Vec<_> = buffers.iter().zip(contents).map(view).collect();
        context.set_shader_buffers(ShaderType::Compute, 0, &views, !0).unwrap();
        Machine { context, buffers }
    }

    /// Binds the program of a text with `shared` bytes of memory per block.
    pub(crate) fn program(&mut self, text: &str, shared: u32) {
        self.program_with(text, [shared, 0, 0]).unwrap();
    }

    /// Binds the program of a text with the given bytes of `SHARED`, `PRIVATE` and `INPUT` memory.
    pub(crate) fn program_with(
        &mut self,
        text: &str,
        [static_shared_mem, req_private_mem, req_input_mem]: [u32; 3],
    ) -> Result<ShaderHandle, PipeError> {
        let source = ShaderSource::Text(text);
        let state = ComputeState { source, static_shared_mem, req_private_mem, req_input_mem };
        let program = self.context.create_compute_state(&state)?;
        self.context.bind_compute_state(Some(program))?;
        Ok(program)
    }

    pub(crate) fn launch(&mut self, block: [u32; 3], grid: [u32; 3]) {
        self.context.launch_grid(&GridInfo { block, grid, ..GridInfo::default() }).unwrap();
    }

    /// Returns the words of a buffer.
    pub(crate) fn words(&mut self, buffer: usize, count: u32) -> Vec<u32> {
        let region = Region::bytes(0, 4 * count);
        let transfer = self.context.transfer_map(self.buffers[buffer], 0, MapFlags::READ, &region);
        let transfer = transfer.unwrap().handle;
        let bytes = self.context.transfer_bytes(transfer).unwrap();
        let words = bytes.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
        self.context.transfer_unmap(transfer).unwrap();
        words
    }
}

fn view((buffer, words): (&ResourceHandle, &&[u32])) -> Option<ShaderBuffer> {
    let buffer_size = 4 * words.len() as u32;
    Some(ShaderBuffer { resource: *buffer, buffer_offset: 0, buffer_size })
}

/// Makes a screen that runs programs as machine code from the start, if the profile and the machine
/// support it.
pub(crate) fn screen<P: Profile>() -> Screen<'static, P> {
    let screen = Screen::new(Os::host(), Config::default());
    if let Some(generator) = codegen::Generator::new() {
        return screen.with_generator(Box::leak(Box::new(generator.after(0))));
    }
    screen
}

/// The declarations for [`INDEX`].
const DECLARE: &str = invocation!(
    "DCL SV[3], GRID_SIZE
DCL BUFFER[0]
DCL BUFFER[1]
DCL BUFFER[2]
DCL MEMORY[0], SHARED
DCL TEMP[0..9]
IMM[0] UINT32 {4, 1, 255, 0}
"
);

/// Computes the number of the invocation along x, times 4.
const INDEX: &str = "UMAD TEMP[0].x, SV[1].xxxx, SV[2].xxxx, SV[0].xxxx
UMUL TEMP[0].x, TEMP[0].xxxx, IMM[0].xxxx
";

fn invocations_know_their_numbers<P: Profile>() {
    let screen = screen::<P>();
    let (block, grid, base) = ([5, 3, 2], [2, 3, 2], [10, 20, 30]);
    let count = 30 * 12;
    let mut machine = Machine::new(&screen, &[&vec![0; 4 * count]]);
    // The block's number minus the base, then the invocation's place in the grid, then its record.
    let text = format!(
        "{DECLARE}IMM[1] UINT32 {{10, 20, 30, 6}}\nIMM[2] UINT32 {{30, 5, 15, 16}}\n\
        IMM[3] UINT32 {{2, 100, 0, 0}}\n\
        UADD TEMP[1].xyz, SV[1], -IMM[1]\n\
        UMUL TEMP[2].x, TEMP[1].zzzz, IMM[1].wwww\n\
        UMUL TEMP[3].x, TEMP[1].yyyy, IMM[3].xxxx\n\
        UADD TEMP[2].x, TEMP[2].xxxx, TEMP[3].xxxx\n\
        UADD TEMP[2].x, TEMP[2].xxxx, TEMP[1].xxxx\n\
        UMUL TEMP[2].x, TEMP[2].xxxx, IMM[2].xxxx\n\
        UMAD TEMP[2].x, SV[0].zzzz, IMM[2].zzzz, TEMP[2].xxxx\n\
        UMAD TEMP[2].x, SV[0].yyyy, IMM[2].yyyy, TEMP[2].xxxx\n\
        UADD TEMP[2].x, TEMP[2].xxxx, SV[0].xxxx\n\
        UMUL TEMP[2].x, TEMP[2].xxxx, IMM[2].wwww\n\
        UMAD TEMP[4].x, SV[0].zzzz, IMM[3].yyyy, SV[0].yyyy\n\
        UMAD TEMP[4].x, TEMP[4].xxxx, IMM[3].yyyy, SV[0].xxxx\n\
        UMAD TEMP[4].y, SV[1].zzzz, IMM[3].yyyy, SV[1].yyyy\n\
        UMAD TEMP[4].y, TEMP[4].yyyy, IMM[3].yyyy, SV[1].xxxx\n\
        UMAD TEMP[4].z, SV[2].yyyy, IMM[3].yyyy, SV[2].zzzz\n\
        MOV TEMP[4].w, SV[3].yyyy\n\
        STORE BUFFER[0], TEMP[2].xxxx, TEMP[4]\nEND\n"
    );
    machine.program(&text, 0);
    let info = GridInfo { block, grid, grid_base: base, ..GridInfo::default() };
    machine.context.launch_grid(&info).unwrap();
    let words = machine.words(0, 4 * count as u32);
    for (number, record) in (0u32..).zip(words.chunks(4)) {
        let (block, id) = (number / 30, number % 30);
        let id = (id / 15 * 100 + id / 5 % 3) * 100 + id % 5;
        let place = ((block / 6 + 30) * 100 + block / 2 % 3 + 20) * 100 + block % 2 + 10;
        assert_eq!(record, [id, place, 302, 3], "invocation {number}");
    }
}

fn matrices_are_multiplied_in_tiles<P: Profile>() {
    const SIZE: usize = 32;
    let screen = screen::<P>();
    let matrix = |seed: usize| -> Vec<f32> {
        (0..SIZE * SIZE).map(|at| ((at * seed) % 101) as f32 * 0.173 - 8.0).collect()
    };
    let (a, b) = (matrix(37), matrix(59));
    let words = |matrix: &[f32]| matrix.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
    let mut machine = Machine::new(&screen, &[&words(&a), &words(&b), &[0; SIZE * SIZE]]);
    // Tiles of 8×8: shared memory holds one of a, then one of b. TEMP[1]: row and column of the
    // product; TEMP[2].x: the sum; TEMP[3].x: the tile; TEMP[9]: places in shared memory.
    let text = format!(
        "{DECLARE}IMM[1] UINT32 {{8, 32, 256, 128}}\nIMM[2] UINT32 {{0, 3, 2, 5}}\n\
        UMAD TEMP[1].xy, SV[1].yxxx, IMM[1].xxxx, SV[0].yxxx\n\
        UMAD TEMP[9].x, SV[0].yyyy, IMM[1].xxxx, SV[0].xxxx\n\
        UMUL TEMP[9].x, TEMP[9].xxxx, IMM[0].xxxx\n\
        UADD TEMP[9].y, TEMP[9].xxxx, IMM[1].zzzz\n\
        MOV TEMP[2].x, IMM[2].xxxx\nMOV TEMP[3].x, IMM[2].xxxx\n\
        BGNLOOP :0\n\
        USEQ TEMP[4].x, TEMP[3].xxxx, IMM[0].xxxx\nUIF TEMP[4].xxxx\nBRK\nENDIF\n\
        UMAD TEMP[4].x, TEMP[3].xxxx, IMM[1].xxxx, SV[0].xxxx\n\
        UMAD TEMP[4].x, TEMP[1].xxxx, IMM[1].yyyy, TEMP[4].xxxx\n\
        UMUL TEMP[4].x, TEMP[4].xxxx, IMM[0].xxxx\n\
        LOAD TEMP[5].x, BUFFER[0], TEMP[4].xxxx\n\
        STORE MEMORY[0].x, TEMP[9].xxxx, TEMP[5].xxxx\n\
        UMAD TEMP[4].x, TEMP[3].xxxx, IMM[1].xxxx, SV[0].yyyy\n\
        UMAD TEMP[4].x, TEMP[4].xxxx, IMM[1].yyyy, TEMP[1].yyyy\n\
        UMUL TEMP[4].x, TEMP[4].xxxx, IMM[0].xxxx\n\
        LOAD TEMP[5].x, BUFFER[1], TEMP[4].xxxx\n\
        STORE MEMORY[0].x, TEMP[9].yyyy, TEMP[5].xxxx\n\
        BARRIER\n\
        UMUL TEMP[6].x, SV[0].yyyy, IMM[1].yyyy\n\
        UMAD TEMP[6].y, SV[0].xxxx, IMM[0].xxxx, IMM[1].zzzz\n\
        MOV TEMP[7].x, IMM[2].xxxx\n\
        BGNLOOP :0\n\
        USEQ TEMP[4].x, TEMP[7].xxxx, IMM[1].xxxx\nUIF TEMP[4].xxxx\nBRK\nENDIF\n\
        LOAD TEMP[4].x, MEMORY[0], TEMP[6].xxxx\n\
        LOAD TEMP[5].x, MEMORY[0], TEMP[6].yyyy\n\
        MUL TEMP[4].x, TEMP[4].xxxx, TEMP[5].xxxx\n\
        ADD TEMP[2].x, TEMP[2].xxxx, TEMP[4].xxxx\n\
        UADD TEMP[6].x, TEMP[6].xxxx, IMM[0].xxxx\n\
        UADD TEMP[6].y, TEMP[6].yyyy, IMM[1].yyyy\n\
        UADD TEMP[7].x, TEMP[7].xxxx, IMM[0].yyyy\n\
        ENDLOOP :0\n\
        BARRIER\n\
        UADD TEMP[3].x, TEMP[3].xxxx, IMM[0].yyyy\n\
        ENDLOOP :0\n\
        UMAD TEMP[4].x, TEMP[1].xxxx, IMM[1].yyyy, TEMP[1].yyyy\n\
        UMUL TEMP[4].x, TEMP[4].xxxx, IMM[0].xxxx\n\
        STORE BUFFER[2].x, TEMP[4].xxxx, TEMP[2].xxxx\nEND\n"
    );
    machine.program(&text, 512);
    machine.launch([8, 8, 1], [4, 4, 1]);
    let product = machine.words(2, (SIZE * SIZE) as u32);
    for (at, value) in product.iter().enumerate() {
        let (row, column) = (at / SIZE, at % SIZE);
        let terms = (0..SIZE).map(|k| a[row * SIZE + k] * b[k * SIZE + column]);
        assert_eq!(f32::from_bits(*value), terms.fold(0.0, |sum, term| sum + term), "{at}");
    }
}

fn histograms_count_every_value<P: Profile>() {
    let screen = screen::<P>();
    let values: Vec<u32> = (0..4096u32).map(|at| at.wrapping_mul(2_654_435_761) >> 7).collect();
    let mut machine = Machine::new(&screen, &[&values, &[0; 256]]);
    let text = format!(
        "{DECLARE}{INDEX}LOAD TEMP[1].x, BUFFER[0], TEMP[0].xxxx\n\
        AND TEMP[1].x, TEMP[1].xxxx, IMM[0].zzzz\n\
        UMUL TEMP[1].x, TEMP[1].xxxx, IMM[0].xxxx\n\
        ATOMUADD TEMP[2].x, BUFFER[1], TEMP[1].xxxx, IMM[0].yyyy\nEND\n"
    );
    machine.program(&text, 0);
    machine.launch([64, 1, 1], [64, 1, 1]);
    let mut counts = [0; 256];
    values.iter().for_each(|value| counts[*value as usize & 255] += 1);
    assert_eq!(machine.words(1, 256), counts);
}

fn blocks_come_from_a_buffer<P: Profile>() {
    let screen = screen::<P>();
    let mut machine = Machine::new(&screen, &[&[0, 3, 1, 1], &[0; 32]]);
    let text = format!(
        "{DECLARE}UMAD TEMP[0].x, SV[1].xxxx, IMM[0].xxxx, SV[0].xxxx\n\
        UMUL TEMP[0].x, TEMP[0].xxxx, IMM[0].xxxx\n\
        STORE BUFFER[1].x, TEMP[0].xxxx, SV[2].xxxx\nEND\n"
    );
    machine.program(&text, 0);
    let indirect = Some((machine.buffers[0], 4));
    let block = [4, 1, 1];
    // The last of three blocks has two invocations.
    let info = GridInfo { block, last_block: [2, 0, 0], indirect, ..GridInfo::default() };
    machine.context.launch_grid(&info).unwrap();
    let words = machine.words(1, 32);
    assert_eq!(words[..12], [4, 4, 4, 4, 4, 4, 4, 4, 2, 2, 0, 0]);
    assert_eq!(words[12..], [0; 20]);
}

fn accesses_out_of_range_do_nothing<P: Profile>() {
    let screen = screen::<P>();
    let mut machine = Machine::new(&screen, &[&[7; 8], &[9; 8]]);
    let [buffer, result] = [machine.buffers[0], machine.buffers[1]];
    // Words 1 and 2 of the first buffer; slot 2 holds nothing.
    let part = ShaderBuffer { resource: buffer, buffer_offset: 4, buffer_size: 8 };
    let whole = ShaderBuffer { resource: result, buffer_offset: 0, buffer_size: 32 };
    let views = [Some(part), Some(whole)];
    machine.context.set_shader_buffers(ShaderType::Compute, 0, &views, !0).unwrap();
    let text = format!(
        "{DECLARE}IMM[1] UINT32 {{8, 4294967292, 5, 16}}\n\
        STORE BUFFER[0].xy, IMM[0].xxxx, IMM[1].zzzz\n\
        STORE BUFFER[0].x, IMM[1].yyyy, IMM[1].zzzz\n\
        ATOMUADD TEMP[1].x, BUFFER[0], IMM[1].xxxx, IMM[1].zzzz\n\
        LOAD TEMP[1].y, BUFFER[0], IMM[1].yyyy\n\
        LOAD TEMP[1].zw, BUFFER[2], IMM[0].wwww\n\
        STORE BUFFER[1], IMM[0].wwww, TEMP[1]\n\
        RESQ TEMP[2].x, BUFFER[0]\n\
        RESQ TEMP[2].y, BUFFER[2]\n\
        LOAD TEMP[2].zw, BUFFER[0], IMM[0].wwww\n\
        STORE BUFFER[1], IMM[1].wwww, TEMP[2]\nEND\n"
    );
    machine.program(&text, 0);
    machine.launch([1; 3], [1; 3]);
    assert_eq!(machine.words(0, 8), [7, 7, 5, 7, 7, 7, 7, 7]);
    assert_eq!(machine.words(1, 8), [0, 0, 0, 0, 8, 0, 0, 0]);
}

fn wrong_launches_are_refused<P: Profile>() {
    let screen = screen::<P>();
    let mut machine = Machine::new(&screen, &[&[0; 4]]);
    let info = GridInfo { block: [1; 3], grid: [1; 3], ..GridInfo::default() };
    let unbound = machine.context.launch_grid(&info);
    assert_eq!(unbound, Err(PipeError::Unbound("compute shader")));
    machine.program("COMP\nDCL BUFFER[0]\nIMM[0] UINT32 {0, 1, 0, 0}\nSTORE BUFFER[0].x, IMM[0].xxxx, IMM[0].yyyy\nEND\n", 0);
    for wrong in [
        GridInfo { block: [0, 1, 1], ..info },
        GridInfo { block: [1025, 1, 1], ..info },
        GridInfo { block: [u32::MAX; 3], ..info },
        GridInfo { last_block: [2, 0, 0], ..info },
        GridInfo { variable_shared_mem: u32::MAX, ..info },
        GridInfo { pc: 1, ..info },
        GridInfo { work_dim: 0, ..info },
        GridInfo { work_dim: 4, ..info },
    ] {
        assert!(machine.context.launch_grid(&wrong).is_err(), "{wrong:?}");
    }
    machine.context.launch_grid(&GridInfo { grid: [5, 0, 5], ..info }).unwrap();
    assert_eq!(machine.words(0, 4), [0; 4], "an empty grid runs nothing");
    machine.context.launch_grid(&info).unwrap();
    assert_eq!(machine.words(0, 4), [1, 0, 0, 0]);
}

/// OpenGL 4.6, section 4.4: invocations of compute shaders are counted, blocks times their sizes.
fn queries_count_invocations<P: Profile>() {
    let screen = screen::<P>();
    let mut machine = Machine::new(&screen, &[&[0; 4], &[0], &[0]]);
    machine.program("COMP\nEND\n", 0);
    let single = PipelineStatistic::CsInvocations as u32;
    let mut counted = |info: GridInfo<'_>| {
        let context = &mut machine.context;
        let kinds =
            [(QueryType::PipelineStatistics, 0), (QueryType::PipelineStatisticsSingle, single)];
        let queries = kinds.map(|(kind, index)| context.create_query(kind, index).unwrap());
        for query in queries {
            context.begin_query(query).unwrap();
        }
        context.launch_grid(&info).unwrap();
        for query in queries {
            context.end_query(query).unwrap();
        }
        queries.map(|query| context.get_query_result(query, true).unwrap().unwrap())
    };
    let mut assert_counts = |info: GridInfo<'_>, count: u64| {
        let mut all = [0; 11];
        all[single as usize] = count;
        let expected = [QueryResult::PipelineStatistics(all), QueryResult::U64(count)];
        assert_eq!(counted(info), expected, "{}", P::NAME);
    };
    let (block, grid) = ([4, 3, 2], [5, 1, 7]);
    assert_counts(GridInfo { block, grid, ..GridInfo::default() }, 20 * 3 * 14);
    // Last blocks of 1, 3 (a full block) and 1: 17 by 3 by 13 invocations.
    let last_block = [1, 0, 1];
    assert_counts(GridInfo { block, grid, last_block, ..GridInfo::default() }, 17 * 3 * 13);
    assert_counts(GridInfo { block, grid: [5, 0, 7], ..GridInfo::default() }, 0);
}

/// OpenGL 4.6, section 10.9: a condition applies to dispatches as it does to draws.
fn conditions_skip_launches<P: Profile>() {
    let screen = screen::<P>();
    let mut machine = Machine::new(&screen, &[&[0; 4]]);
    machine.program(
        "COMP\nDCL BUFFER[0]\nDCL TEMP[0]\nIMM[0] UINT32 {0, 1, 0, 0}\n\
        ATOMUADD TEMP[0].x, BUFFER[0], IMM[0].xxxx, IMM[0].yyyy\nEND\n",
        0,
    );
    // No fragment passed: the result is false.
    let context = &mut machine.context;
    let query = context.create_query(QueryType::OcclusionCounter, 0).unwrap();
    let single = PipelineStatistic::CsInvocations as u32;
    let count = context.create_query(QueryType::PipelineStatisticsSingle, single).unwrap();
    context.begin_query(query).unwrap();
    context.end_query(query).unwrap();
    context.begin_query(count).unwrap();
    for (query, condition) in [(Some(query), false), (Some(query), true), (None, false)] {
        context.render_condition(query, condition, RenderConditionMode::Wait).unwrap();
        context.launch_grid(&GridInfo::default()).unwrap();
    }
    context.end_query(count).unwrap();
    let counted = context.get_query_result(count, true).unwrap();
    assert_eq!(counted, Some(QueryResult::U64(2)), "one launch was skipped");
    assert_eq!(machine.words(0, 1), [2]);
}

/// A clock that advances by one nanosecond per reading, from 2³² on.
struct Readings(AtomicU64);

impl Clock for Readings {
    fn now_ns(&self) -> u64 {
        (1 << 32) + self.0.fetch_add(1, Ordering::Relaxed)
    }
}

fn clocks_votes_and_ballots<P: Profile>() {
    let clock = Readings(AtomicU64::new(40));
    let screen = Screen::<P>::new(Os { clock: &clock, ..Os::host() }, Config::default());
    for cap in [Cap::ShaderClock, Cap::ShaderGroupVote, Cap::ShaderBallot] {
        assert_eq!(screen.get_param(cap), 1, "{cap:?}");
    }
    let mut machine = Machine::new(&screen, &[&[0; 32]]);
    // An invocation's eight words: two readings, a ballot of the odd ones, any and all of them.
    let text = format!(
        "{DECLARE}IMM[1] UINT32 {{8, 1, 16, 0}}\n\
        {INDEX}UMUL TEMP[0].y, TEMP[0].xxxx, IMM[1].xxxx\n\
        AND TEMP[1].x, SV[0].xxxx, IMM[1].yyyy\n\
        CLOCK TEMP[2].xy\nCLOCK TEMP[2].zw\n\
        BALLOT TEMP[3].xy, TEMP[1].xxxx\n\
        VOTE_ANY TEMP[3].z, TEMP[1].xxxx\n\
        VOTE_ALL TEMP[3].w, TEMP[1].xxxx\n\
        STORE BUFFER[0], TEMP[0].yyyy, TEMP[2]\n\
        UADD TEMP[0].y, TEMP[0].yyyy, IMM[1].zzzz\n\
        STORE BUFFER[0], TEMP[0].yyyy, TEMP[3]\nEND\n"
    );
    machine.program(&text, 0);
    machine.launch([4, 1, 1], [1, 1, 1]);
    for (invocation, words) in machine.words(0, 32).chunks(8).enumerate() {
        assert_eq!(words, [40, 1, 41, 1, 0b1010, 0, !0, 0], "invocation {invocation}");
    }
}
