//! Geometry, tessellation and compute: an example of each stage, with a caller that fills its
//! inputs and reads its outputs.

mod common;

use common::{compiled, fill};
use gallium_tgsi::declaration::SemanticName;
use gallium_tgsi::exec::{
    self, Batch, Emitted, Lanes, Mask, MemoryRequest, NoResources, Resources, VertexPlace,
    VertexRequest,
};
use gallium_tgsi::program::{Program, Row};

/// Returns the value of a vertex register, derived from primitive, vertex, register and component.
fn input(primitive: usize, vertex: i32, register: i32, component: u8) -> u32 {
    (1000 * primitive + 100 * vertex as usize + 10 * register as usize) as u32
        + u32::from(component)
}

/// Returns a register file, filled as a caller would: constants by `prepare`, then inputs and
/// system values.
fn rows<R: Lanes>(
    program: &Program<'_>,
    value: impl Fn(SemanticName, usize, usize) -> u32,
) -> Vec<R> {
    let mut rows = vec![R::splat(0xDEAD_BEEF); program.rows.into()];
    exec::prepare(program, &mut rows, &[]).unwrap();
    let inputs = program.inputs.iter().map(|input| (input.semantic, input.rows));
    let values = program.system_values.iter().map(|value| (value.semantic, value.rows));
    for (semantic, registers) in inputs.chain(values) {
        for (component, row) in registers.into_iter().enumerate() {
            fill(&mut rows, row, |lane| value(semantic.name, lane, component));
        }
    }
    rows
}

/// Geometry, one primitive per lane. Collects the vertices and primitive ends of each stream and
/// lane.
#[derive(Default)]
struct Primitives {
    lanes: Vec<Vec<String>>,
}

impl<R: Lanes> Resources<R> for Primitives {
    fn load_vertex(&mut self, request: &VertexRequest<'_, R>, out: &mut R) {
        assert_eq!(request.place, VertexPlace::Input);
        for lane in request.lanes() {
            let (vertex, register) = (request.vertex(lane), request.register(lane));
            // A triangle with two inputs; further registers read 0.
            if (0..3).contains(&vertex) && (0..2).contains(&register) {
                out.as_mut_slice()[lane] = input(lane, vertex, register, request.component);
            }
        }
    }

    fn emit(&mut self, vertex: &Emitted<'_, R>) {
        for lane in (0..R::COUNT).filter(|lane| vertex.live >> lane & 1 != 0) {
            let word = |row: Row| row.index().map_or(0, |row| vertex.rows[row].as_slice()[lane]);
            let outputs =
                vertex.outputs.iter().map(|output| format!("{:?}", output.rows.map(word)));
            let outputs: Vec<String> = outputs.collect();
            self.lanes[lane].push(format!("{}: {}", vertex.stream, outputs.join(" ")));
        }
    }

    fn end_primitive(&mut self, stream: u32, live: Mask) {
        for (lane, log) in self.lanes.iter_mut().enumerate() {
            if live >> lane & 1 != 0 {
                log.push(format!("{stream}: end"));
            }
        }
    }
}

fn geometry<R: Lanes>(source: &str, live: Mask, optimize: bool) -> Vec<Vec<String>> {
    let compiled = compiled(source, optimize);
    let program = compiled.program();
    let mut rows: Vec<R> = rows(&program, |name, lane, _| match name {
        SemanticName::PrimitiveId => 40 + lane as u32,
        SemanticName::InvocationId => lane as u32,
        _ => panic!("{name}"),
    });
    let mut primitives = Primitives { lanes: vec![Vec::new(); R::COUNT] };
    exec::run(&program, &mut rows, live, &[], &mut primitives).unwrap();
    primitives.lanes
}

/// Checks the results at every width, optimised and not.
fn geometry_everywhere(source: &str, live: Mask, expected: [&[&str]; 4]) {
    for optimize in [true, false] {
        for lanes in [
            geometry::<[u32; 4]>(source, live, optimize),
            geometry::<[u32; 16]>(source, live, optimize),
            geometry::<[u32; 64]>(source, live, optimize),
        ] {
            assert_eq!(lanes[..4], expected, "optimize: {optimize}");
            assert!(lanes[4..].iter().all(Vec::is_empty));
        }
    }
}

#[test]
fn geometry_emits() {
    let source = "GEOM\nPROPERTY GS_INPUT_PRIMITIVE TRIANGLES\nPROPERTY GS_OUTPUT_PRIMITIVE TRIANGLE_STRIP\n\
        PROPERTY GS_MAX_OUTPUT_VERTICES 3\nDCL IN[][0], POSITION\nDCL IN[][1], GENERIC[0]\nDCL IN[][2], PRIM_ID\n\
        DCL OUT[0], POSITION\nDCL OUT[1].x, GENERIC[0]\nDCL TEMP[0..1]\nDCL ADDR[0..1]\nIMM[0] UINT32 {0, 2, 1, 7}\n\
        MOV TEMP[0].x, IMM[0].xxxx\nBGNLOOP :0\nISGE TEMP[1].x, TEMP[0].xxxx, IMM[0].yyyy\nUIF TEMP[1].xxxx\n\
        BRK\nENDIF\nUARL ADDR[1].x, TEMP[0].xxxx\nMOV OUT[0], IN[ADDR[1].x+1][1]\nMOV OUT[1].x, IN[2].xxxx\n\
        EMIT IMM[0].xxxx\nUADD TEMP[0].x, TEMP[0].xxxx, IMM[0].zzzz\nENDLOOP :0\nENDPRIM IMM[0].xxxx\n\
        UARL ADDR[0].x, IMM[0].wwww\nMOV OUT[0], IN[0][ADDR[0].x]\nMOV OUT[0].x, IN[2][0].yyyy\nEMIT IMM[0].zzzz\nEND\n";
    let of = |lane: usize| {
        let lines: [String; 4] = [
            format!(
                "0: [{0}, {1}, {2}, {3}] [{4}, 0, 0, 0]",
                1000 * lane + 110,
                1000 * lane + 111,
                1000 * lane + 112,
                1000 * lane + 113,
                40 + lane
            ),
            format!(
                "0: [{0}, {1}, {2}, {3}] [{4}, 0, 0, 0]",
                1000 * lane + 210,
                1000 * lane + 211,
                1000 * lane + 212,
                1000 * lane + 213,
                40 + lane
            ),
            "0: end".into(),
            // Register 7 does not exist.
            format!("1: [{}, 0, 0, 0] [{}, 0, 0, 0]", 1000 * lane + 201, 40 + lane),
        ];
        lines
    };
    let lines = [0, 1, 2, 3].map(of);
    let lines = lines.each_ref().map(|lines| lines.each_ref().map(|line| line.as_str()));
    geometry_everywhere(source, 0b1011, [&lines[0], &lines[1], &[], &lines[3]]);
}

#[test]
fn geometry_emits_from_branches() {
    let source = "GEOM\nPROPERTY GS_INPUT_PRIMITIVE POINTS\nPROPERTY GS_OUTPUT_PRIMITIVE POINTS\n\
        PROPERTY GS_MAX_OUTPUT_VERTICES 3\nDCL SV[0], INVOCATIONID\nDCL OUT[0].x, GENERIC[0]\nDCL TEMP[0]\n\
        IMM[0] UINT32 {1, 5, 2, 0}\nMOV OUT[0].x, IMM[0].yyyy\nUSEQ TEMP[0].x, SV[0].xxxx, IMM[0].xxxx\n\
        UIF TEMP[0].xxxx\nMOV OUT[0].x, SV[0].xxxx\nEMIT IMM[0].wwww\nELSE\nENDPRIM IMM[0].zzzz\nENDIF\nEMIT IMM[0].wwww\nEND\n";
    let (other, one) = (["2: end", "0: [5, 0, 0, 0]"], ["0: [1, 0, 0, 0]", "0: [1, 0, 0, 0]"]);
    geometry_everywhere(source, 0b111, [&other, &one, &other, &[]]);
}

/// Tessellation: patches of vertices, several per batch, or several batches per patch.
struct Patches {
    /// The number of vertices per patch that control writes.
    vertices: usize,
    /// The number of lanes of a batch.
    width: usize,
    batch: usize,
    /// By patch, vertex and register.
    outputs: Vec<[[[u32; 4]; 2]; 4]>,
    /// By patch and register.
    patches: Vec<[[u32; 4]; 6]>,
}

impl Patches {
    /// Returns the patch and vertex that a lane writes.
    fn place(&self, lane: usize) -> (usize, usize) {
        let invocation = self.batch * self.width + lane;
        (invocation / self.vertices, invocation % self.vertices)
    }
}

impl<R: Lanes> Resources<R> for Patches {
    fn load_vertex(&mut self, request: &VertexRequest<'_, R>, out: &mut R) {
        for lane in request.lanes() {
            let (patch, own) = self.place(lane);
            let register = request.register(lane);
            let component = usize::from(request.component);
            let vertex = request.vertex(lane);
            let at = |vertex: i32| {
                let vertex = self.outputs[patch].get(usize::try_from(vertex).ok()?)?;
                Some(vertex.get(usize::try_from(register).ok()?)?[component])
            };
            let value = match request.place {
                VertexPlace::Input => Some(input(patch, vertex, register, request.component)),
                VertexPlace::Output => at(vertex),
                VertexPlace::OwnOutput => at(own as i32),
                VertexPlace::Patch => Some(self.patches[patch][register as usize][component]),
            };
            out.as_mut_slice()[lane] = value.unwrap_or(0);
        }
    }

    fn store_vertex(&mut self, request: &VertexRequest<'_, R>, values: &R) {
        for lane in request.lanes() {
            let (patch, own) = self.place(lane);
            let (register, value) = (request.register(lane) as usize, values.as_slice()[lane]);
            let component = usize::from(request.component);
            let vertex = match request.place {
                VertexPlace::Patch => {
                    self.patches[patch][register][component] = value;
                    continue;
                }
                VertexPlace::OwnOutput => own,
                _ => request.vertex(lane) as usize,
            };
            self.outputs[patch][vertex][register][component] = value;
        }
    }

    fn enter_batch(&mut self, batch: usize) {
        self.batch = batch;
    }
}

/// Runs tessellation control for two patches of `vertices` vertices.
fn control<R: Lanes>(source: &str, vertices: usize, optimize: bool) -> Patches {
    let compiled = compiled(source, optimize);
    let program = compiled.program();
    let invocations = 2 * vertices;
    let batches = invocations.div_ceil(R::COUNT);
    let mut files: Vec<R> = Vec::new();
    let mut states = Vec::new();
    for batch in 0..batches {
        let first = batch * R::COUNT;
        files.extend(rows::<R>(&program, |name, lane, _| match name {
            SemanticName::InvocationId => ((first + lane) % vertices) as u32,
            _ => panic!("{name}"),
        }));
        let count = (invocations - first).min(R::COUNT);
        states.push(Batch::new::<R>(&program, if count == 64 { !0 } else { (1 << count) - 1 }));
    }
    let mut patches = Patches {
        vertices,
        width: R::COUNT,
        batch: 0,
        outputs: vec![Default::default(); 2],
        patches: vec![Default::default(); 2],
    };
    exec::run_group(&program, &mut states, &mut files, &[], &mut patches).unwrap();
    assert!(states.iter().all(Batch::finished));
    patches
}

#[test]
fn tessellation_control_shares_a_patch() {
    // Each invocation writes its vertex. After the barrier, the first invocation adds the values of
    // all vertices and writes the sum into the patch. With four lanes the barrier spans two
    // batches.
    let source = "TESS_CTRL\nPROPERTY TCS_VERTICES_OUT 3\nDCL IN[][0], POSITION\nDCL SV[0], INVOCATIONID\n\
        DCL OUT[][0], POSITION\nDCL OUT[][1], GENERIC[0]\nDCL OUT[2], TESSOUTER\nDCL OUT[3].x, TESSINNER\nDCL OUT[4..5], PATCH\n\
        DCL TEMP[0..3]\nDCL ADDR[0..1]\nIMM[0] UINT32 {0, 1, 5, 9}\n\
        UARL ADDR[1].x, SV[0].xxxx\nMOV OUT[ADDR[1].x][0], IN[ADDR[1].x][0]\n\
        MOV TEMP[ADDR[1].x][0], SV[0].xxxx\nMOV OUT[1], TEMP[0]\nBARRIER\nBARRIER\n\
        USEQ TEMP[2].x, SV[0].xxxx, IMM[0].xxxx\nUIF TEMP[2].xxxx\n\
        UADD TEMP[1], OUT[0][0], OUT[1][0]\nUADD TEMP[1], TEMP[1], OUT[2][0]\nMOV OUT[2], TEMP[1]\n\
        MOV OUT[3].x, OUT[2][1].xxxx\nUARL ADDR[0].x, IMM[0].yyyy\nMOV OUT[ADDR[0].x+4].yw, IMM[0]\nUADD OUT[4], OUT[2], OUT[1]\nENDIF\nEND\n";
    for optimize in [true, false] {
        for patches in [
            control::<[u32; 4]>(source, 3, optimize),
            control::<[u32; 16]>(source, 3, optimize),
            control::<[u32; 64]>(source, 3, optimize),
        ] {
            for patch in 0..2 {
                for vertex in 0..3 {
                    let expected = [0, 1, 2, 3].map(|component| input(patch, vertex, 0, component));
                    let vertex = vertex as usize;
                    assert_eq!(patches.outputs[patch][vertex], [expected, [vertex as u32; 4]]);
                }
                let first = 3000 * patch as u32 + 300;
                let sums = [first, first + 3, first + 6, first + 9];
                let [outer, inner, four, five] =
                    [2, 3, 4, 5].map(|register| patches.patches[patch][register]);
                assert_eq!((outer, inner), (sums, [2, 0, 0, 0]));
                // The invocation's own OUT[1] holds its number, 0.
                assert_eq!((four, five), (sums, [0, 1, 0, 9]));
            }
        }
    }
}

/// Tessellation evaluation: lanes are points, which may belong to different patches.
struct Domain;

impl<R: Lanes> Resources<R> for Domain {
    fn load_vertex(&mut self, request: &VertexRequest<'_, R>, out: &mut R) {
        for lane in request.lanes() {
            let (vertex, register) = (request.vertex(lane), request.register(lane));
            out.as_mut_slice()[lane] = input(lane / 2, vertex, register, request.component);
        }
    }
}

fn evaluate<R: Lanes>(source: &str, optimize: bool) -> Vec<[u32; 4]> {
    let compiled = compiled(source, optimize);
    let program = compiled.program();
    // Per-vertex inputs are listed without rows, so that the caller knows them.
    let listed: Vec<_> =
        program.inputs.iter().map(|input| (input.register, input.rows == [Row::NONE; 4])).collect();
    assert_eq!(listed, [(0, true), (1, true), (2, false)]);
    let mut rows: Vec<R> = rows(&program, |name, lane, component| match name {
        SemanticName::TessCoord => (lane + component) as u32,
        SemanticName::Patch => 7,
        _ => panic!("{name}"),
    });
    exec::run(&program, &mut rows, 0b1111, &[], &mut Domain).unwrap();
    let output = program.outputs[0].rows.map(|row| rows[row.index().unwrap()]);
    (0..4).map(|lane| output.map(|row| row.as_slice()[lane])).collect()
}

#[test]
fn tessellation_evaluation_reads_vertices() {
    let source = "TESS_EVAL\nPROPERTY TES_PRIM_MODE 4\nDCL IN[][0], POSITION\nDCL IN[][1], GENERIC[0]\nDCL IN[2], PATCH\n\
        DCL SV[0], TESSCOORD\nDCL OUT[0], POSITION\nDCL TEMP[0]\nDCL ADDR[0..1]\n\
        UARL ADDR[1].x, SV[0].xxxx\nUADD TEMP[0], IN[2][0], IN[ADDR[1].x][1]\nUADD OUT[0], TEMP[0], IN[2]\nEND\n";
    for optimize in [true, false] {
        for lanes in [
            evaluate::<[u32; 4]>(source, optimize),
            evaluate::<[u32; 16]>(source, optimize),
            evaluate::<[u32; 64]>(source, optimize),
        ] {
            for (lane, got) in lanes.into_iter().enumerate() {
                let sum = |component| {
                    let fixed = input(lane / 2, 2, 0, component);
                    fixed + input(lane / 2, lane as i32, 1, component) + 7
                };
                assert_eq!(got, [0, 1, 2, 3].map(sum), "lane {lane}");
            }
        }
    }
}

/// Compute: a block's shared memory and a buffer.
struct Block {
    shared: Vec<u8>,
    buffer: Vec<u8>,
}

impl<R: Lanes> Resources<R> for Block {
    fn memory(&mut self, request: &MemoryRequest<'_, R>, out: &mut [R; 4]) {
        match request.space {
            exec::MemorySpace::Shared => request.access(&mut self.shared, out),
            _ => request.access(&mut self.buffer, out),
        }
    }
}

/// Runs one block of `threads` invocations; returns the buffer.
fn block<R: Lanes>(source: &str, threads: usize, optimize: bool) -> Vec<u32> {
    let compiled = compiled(source, optimize);
    let program = compiled.program();
    let mut files: Vec<R> = Vec::new();
    let mut batches = Vec::new();
    for first in (0..threads).step_by(R::COUNT) {
        files.extend(rows::<R>(&program, |name, lane, component| match (name, component) {
            (SemanticName::ThreadId, 0) => (first + lane) as u32,
            (SemanticName::BlockId, 0) => 2,
            (SemanticName::BlockSize, 0) => threads as u32,
            (SemanticName::GridSize, 0) => 5,
            _ => 0,
        }));
        let count = (threads - first).min(R::COUNT);
        batches.push(Batch::new::<R>(&program, if count == 64 { !0 } else { (1 << count) - 1 }));
    }
    let mut block = Block { shared: vec![0xFF; 4 * threads], buffer: vec![0; 16] };
    exec::run_group(&program, &mut batches, &mut files, &[], &mut block).unwrap();
    block.buffer.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect()
}

#[test]
fn compute_waits_at_barriers() {
    // Each thread writes its number to shared memory; then halves are added until one sum is left.
    let source = "COMP\nPROPERTY CS_FIXED_BLOCK_WIDTH 32\nDCL SV[0], THREAD_ID\nDCL SV[1], BLOCK_ID\nDCL SV[2], GRID_SIZE\n\
        DCL BUFFER[0]\nDCL MEMORY[1], SHARED\nDCL TEMP[0..7]\nIMM[0] UINT32 {2, 0, 1, 16}\nIMM[1] UINT32 {8, 4, 12, 0}\n\
        SHL TEMP[0].x, SV[0].xxxx, IMM[0].xxxx\nSTORE MEMORY[0].x, TEMP[0].xxxx, SV[0].xxxx\nMEMBAR IMM[1].xxxx\nBARRIER\n\
        MOV TEMP[1].x, IMM[0].wwww\nBGNLOOP :0\nUSEQ TEMP[2].x, TEMP[1].xxxx, IMM[0].yyyy\nUIF TEMP[2].xxxx\nBRK\nENDIF\n\
        USLT TEMP[2].x, SV[0].xxxx, TEMP[1].xxxx\nUIF TEMP[2].xxxx\nUADD TEMP[3].x, SV[0].xxxx, TEMP[1].xxxx\n\
        SHL TEMP[3].x, TEMP[3].xxxx, IMM[0].xxxx\nLOAD TEMP[4].x, MEMORY[0], TEMP[3].xxxx\nLOAD TEMP[5].x, MEMORY[0], TEMP[0].xxxx\n\
        UADD TEMP[4].x, TEMP[4].xxxx, TEMP[5].xxxx\nSTORE MEMORY[0].x, TEMP[0].xxxx, TEMP[4].xxxx\nENDIF\nMEMBAR IMM[1].xxxx\n\
        BARRIER\nUSHR TEMP[1].x, TEMP[1].xxxx, IMM[0].zzzz\nENDLOOP :0\nLOAD TEMP[6].x, MEMORY[0], IMM[0].yyyy\n\
        ATOMUADD TEMP[7].x, BUFFER[0], IMM[0].yyyy, IMM[0].zzzz\nSTORE BUFFER[0].x, IMM[1].yyyy, TEMP[6].xxxx\n\
        STORE BUFFER[0].x, IMM[1].xxxx, SV[1].xxxx\nSTORE BUFFER[0].x, IMM[1].zzzz, SV[2].xxxx\nEND\n";
    for optimize in [true, false] {
        for words in [
            block::<[u32; 4]>(source, 32, optimize),
            block::<[u32; 16]>(source, 32, optimize),
            block::<[u32; 64]>(source, 32, optimize),
        ] {
            assert_eq!(words, [32, 496, 2, 5]);
        }
    }
}

#[test]
fn one_batch_runs_through_its_barriers() {
    let source = "COMP\nDCL OUT[0], GENERIC[0]\nIMM[0] UINT32 {3, 0, 0, 0}\nBARRIER\nMEMBAR IMM[0].xxxx\nMOV OUT[0].x, IMM[0].xxxx\nEND\n";
    let compiled = compiled(source, false);
    let program = compiled.program();
    let mut rows: Vec<[u32; 4]> = rows(&program, |_, _, _| 0);
    let mut batch = Batch::new::<[u32; 4]>(&program, 0b11);
    exec::resume(&program, &mut batch, &mut rows, &[], &mut NoResources).unwrap();
    assert!(!batch.finished());
    exec::resume(&program, &mut batch, &mut rows, &[], &mut NoResources).unwrap();
    assert!(batch.finished() && batch.live() == 0b11);
    assert_eq!(exec::run(&program, &mut rows, 0b11, &[], &mut NoResources), Ok(0b11));
    let short = exec::run_group(&program, &mut [batch; 3], &mut rows, &[], &mut NoResources);
    assert!(matches!(short, Err(exec::ExecError::Rows { .. })));
}

#[test]
fn registers_declared_in_parts_are_one() {
    let source = "FRAG\nDCL IN[0].xy, GENERIC[0], PERSPECTIVE\nDCL IN[0].zw, GENERIC[0], PERSPECTIVE\n\
        DCL OUT[0].x, COLOR\nDCL OUT[0].yzw, COLOR\nADD OUT[0], IN[0], IN[0]\nEND\n";
    let inputs = vec![vec![[1f32, 2.0, 3.0, 4.0].map(f32::to_bits)]; 3];
    for lane in common::run_all(source, &inputs, &[]) {
        assert_eq!(lane.unwrap()[0].map(f32::from_bits), [2.0, 4.0, 6.0, 8.0]);
    }
    let compiled = compiled(source, true);
    let program = compiled.program();
    assert_eq!((program.inputs.len(), program.outputs.len()), (1, 1));
}

#[test]
fn deep_nesting() {
    // 40 nested branches, and 40 nested loops.
    for (begin, end) in [("UIF IN[0].xxxx\n", "ENDIF\n"), ("BGNLOOP\n", "BRK\nENDLOOP\n")] {
        let source = format!(
            "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\n{}ADD OUT[0], IN[0], IN[0]\n{}END\n",
            begin.repeat(40),
            end.repeat(40)
        );
        let inputs: Vec<_> = [1.0f32, 0.0, 3.0].map(|x| vec![[x.to_bits(); 4]]).into();
        let results = common::run_all(&source, &inputs, &[]);
        let got: Vec<_> =
            results.into_iter().map(|lane| f32::from_bits(lane.unwrap()[0][0])).collect();
        assert_eq!(got, [2.0, 0.0, 6.0]);
    }
}

#[test]
fn zero_wins_where_the_property_says_so() {
    let source = |rules: u32| {
        format!(
            "VERT\nPROPERTY LEGACY_MATH_RULES {rules}\nDCL IN[0..2]\nDCL OUT[0], POSITION\nDCL OUT[1..4], GENERIC[0]\n\
             MUL OUT[0], IN[0], IN[1]\nMAD OUT[1], IN[0], IN[1], IN[2]\nDP2 OUT[2], IN[0], IN[1]\n\
             MUL OUT[3], -IN[0], IN[1]\nMAD OUT[4], IN[0], IN[1], -IN[2]\nEND\n"
        )
    };
    let f = |values: [f32; 4]| values.map(f32::to_bits);
    let (inf, nan) = (f32::INFINITY, f32::NAN);
    let inputs =
        vec![vec![f([0.0, inf, 2.0, -0.0]), f([inf, 0.0, 3.0, nan]), f([1.0, 2.0, 3.0, -0.0])]];
    let lane = &common::run_all(&source(1), &inputs, &[])[0];
    let lane: Vec<_> =
        lane.as_ref().unwrap().iter().map(|register| register.map(f32::from_bits)).collect();
    assert_eq!(lane[0], [0.0, 0.0, 6.0, 0.0]);
    assert_eq!(lane[1], [1.0, 2.0, 9.0, 0.0]);
    assert_eq!(lane[2], [0.0; 4]);
    assert_eq!(lane[3], [0.0, 0.0, -6.0, 0.0]);
    assert_eq!(lane[4], [-1.0, -2.0, 3.0, 0.0]);
    let plain = &common::run_all(&source(0), &inputs, &[])[0];
    assert!(f32::from_bits(plain.as_ref().unwrap()[0][0]).is_nan());
}
