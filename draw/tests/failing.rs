//! Failures: no memory, a full or failing sink, shaders and states that cannot be drawn.

mod support;

use formats::Format;
use gallium_draw::{
    Draw, DrawError, DrawState, Limits, OutputModes, Pipeline, PrimitiveSink, SinkError, Triangle,
    VertexBytes, VertexId, WindowVertex,
};
use os_shim::memory::{FailAt, Memory};
use pipe_core::{ClipState, PrimType, RasterizerState, VertexElement, ViewportState};
use support::{PASS, Recorder, Stop, bytes, program};
use tgsi::exec::NoResources;
use tgsi::program::Program;

/// The vertices of three triangles. Some need clipping.
const VERTICES: [f32; 36] = [
    -0.5, -0.5, 0.0, 1.0, 0.5, -0.5, 0.0, 1.0, 0.0, 0.5, 0.0, 1.0, //
    -0.5, -0.5, -3.0, 1.0, 0.5, -0.5, 0.0, 1.0, 0.0, 0.5, 0.0, 1.0, //
    -0.5, -0.5, 0.0, -1.0, 0.5, -0.5, 0.0, 1.0, 0.0, 0.5, 0.0, 1.0,
];

fn with_state<T>(program: &Program<'_>, f: impl FnOnce(&DrawState<'_>) -> T) -> T {
    let element = VertexElement::per_vertex(0, Format::R32G32B32A32Float);
    f(&DrawState {
        program,
        rasterizer: &RasterizerState::default(),
        viewports: &[ViewportState::y_up(64, 64)],
        clip: &ClipState::default(),
        elements: &[element, element],
        vertex_buffers: &[VertexBytes { bytes: &bytes(&VERTICES), stride: 16 }],
        index: None,
        constants: &[],
        modes: OutputModes::default(),
        depth_step: Default::default(),
        stages: None,
    })
}

const TRIANGLES: Draw = Draw::new(PrimType::Triangles, 9);

#[test]
fn every_failing_allocation_is_an_error_and_leaves_nothing_behind() {
    let compiled = program(PASS);
    with_state(&compiled.program(), |state| {
        let mut failures = 0;
        for nth in 0.. {
            let system = os_shim::memory::System::new();
            let counted = Memory::new(&system);
            let failing = FailAt::new(counted, nth);
            let memory = Memory::new(&failing);
            let mut sink = Recorder::default();
            let outcome = Pipeline::<[u32; 16]>::new(memory, Limits::SMALL)
                .map_err(DrawError::OutOfMemory)
                .and_then(|mut pipeline| {
                    let first = pipeline.run(state, &TRIANGLES, &mut sink, &mut NoResources);
                    if first.is_err() {
                        assert!(sink.shapes.is_empty());
                        // Only one request fails, so the same draw works now.
                        let again = pipeline.run(state, &TRIANGLES, &mut sink, &mut NoResources);
                        assert_eq!(again.map(|s| s.c_invocations), Ok(3));
                    }
                    first
                });
            assert_eq!(counted.usage().used, 0, "leaked when request {nth} failed");
            match outcome {
                Ok(_) => break,
                Err(error) => assert!(matches!(error, DrawError::OutOfMemory(_)), "{error:?}"),
            }
            failures += 1;
        }
        assert!(failures >= 4, "slots, table, primitives, rows and outputs: {failures}");
    });
}

#[test]
fn the_second_draw_allocates_nothing() {
    let compiled = program(PASS);
    with_state(&compiled.program(), |state| {
        let system = os_shim::memory::System::new();
        let memory = Memory::new(&system);
        let mut pipeline = Pipeline::<[u32; 16]>::new(memory, Limits::SMALL).expect("memory");
        let mut run = || {
            let mut sink = Recorder::default();
            pipeline.run(state, &TRIANGLES, &mut sink, &mut NoResources).expect("draws");
            (sink.shapes, memory.usage().requests)
        };
        let (first, requests) = run();
        let (second, requests_after) = run();
        assert_eq!(first, second);
        assert_eq!(requests, requests_after);
    });
}

#[test]
fn a_small_pipeline_fits_a_microcontroller() {
    // Six outputs, sixteen lanes, and a shader that needs some rows.
    let text = "VERT
DCL IN[0]
DCL IN[1]
DCL OUT[0], POSITION
DCL OUT[1], COLOR
DCL OUT[2], GENERIC[0]
DCL OUT[3], GENERIC[1]
DCL OUT[4], GENERIC[2]
DCL OUT[5], GENERIC[3]
DCL CONST[0..3]
DCL TEMP[0]
  0: MUL TEMP[0], CONST[0], IN[0].xxxx
  1: MAD TEMP[0], CONST[1], IN[0].yyyy, TEMP[0]
  2: MAD TEMP[0], CONST[2], IN[0].zzzz, TEMP[0]
  3: MAD OUT[0], CONST[3], IN[0].wwww, TEMP[0]
  4: MOV OUT[1], IN[1]
  5: MOV OUT[2], IN[0]
  6: MOV OUT[3], IN[1]
  7: MOV OUT[4], IN[0]
  8: MOV OUT[5], IN[1]
  9: END
";
    let compiled = program(text);
    with_state(&compiled.program(), |state| {
        let system = os_shim::memory::System::new();
        let memory = Memory::new(&system);
        let mut pipeline = Pipeline::<[u32; 16]>::new(memory, Limits::SMALL).expect("memory");
        pipeline.run(state, &TRIANGLES, &mut Recorder::default(), &mut NoResources).expect("draws");
        let used = memory.usage().used + size_of_val(&pipeline);
        assert!(used <= 8 << 10, "{used} bytes with {} rows", state.program.rows);
    });
}

#[test]
fn restarts_resend_the_primitive() {
    let compiled = program(PASS);
    with_state(&compiled.program(), |state| {
        let run = |room| {
            let mut sink = Recorder { room, ..Recorder::default() };
            let mut pipeline =
                Pipeline::<[u32; 4]>::new(Memory::system(), Limits::SMALL).expect("memory");
            let result = pipeline.run(state, &TRIANGLES, &mut sink, &mut NoResources);
            (result.map(|_| ()), sink)
        };
        let (all, unlimited) = run(None);
        assert_eq!(all, Ok(()));
        assert_eq!(unlimited.restarts, 0);
        for room in 3..12 {
            let (result, sink) = run(Some(room));
            assert_eq!(result, Ok(()), "{room}");
            assert_eq!(sink.shapes, unlimited.shapes, "{room}");
        }
        // Not even one triangle fits, so the sink restarts twice in a row.
        let (result, sink) = run(Some(2));
        assert_eq!(result, Err(DrawError::NoRoom));
        assert_eq!((sink.restarts, sink.shapes.len()), (2, 0));
    });
}

/// A sink that restarts at the first offer of every primitive.
#[derive(Default)]
struct Grudging {
    offered: usize,
    vertices: usize,
}

impl PrimitiveSink for Grudging {
    type Error = Stop;
    type Extent = ();

    fn extent(&self, _: [[i32; 2]; 3]) -> Option<()> {
        Some(())
    }
    fn vertex(&mut self, _: &WindowVertex<'_>) -> Result<VertexId, SinkError<Stop>> {
        self.vertices += 1;
        Ok(VertexId(0))
    }
    fn point(&mut self, _: VertexId, _: VertexId, _: bool) -> Result<(), SinkError<Stop>> {
        unreachable!("triangles only")
    }
    fn line(&mut self, _: [VertexId; 2], _: VertexId, _: bool) -> Result<(), SinkError<Stop>> {
        unreachable!("triangles only")
    }
    fn triangle(&mut self, _: (), _: Triangle) -> Result<(), SinkError<Stop>> {
        self.offered += 1;
        if self.offered % 2 == 1 { Err(SinkError::Restart) } else { Ok(()) }
    }
}

#[test]
fn a_restart_at_the_primitive_resends_its_vertices() {
    let compiled = program(PASS);
    with_state(&compiled.program(), |state| {
        let mut sink = Grudging::default();
        let mut pipeline =
            Pipeline::<[u32; 4]>::new(Memory::system(), Limits::SMALL).expect("memory");
        let draw = Draw::new(PrimType::Triangles, 3);
        pipeline.run(state, &draw, &mut sink, &mut NoResources).expect("draws");
        assert_eq!((sink.offered, sink.vertices), (2, 6));
    });
}

#[test]
fn a_failing_sink_ends_the_draw() {
    let compiled = program(PASS);
    with_state(&compiled.program(), |state| {
        let mut sink = Recorder { fail_at: Some(1), ..Recorder::default() };
        let mut pipeline =
            Pipeline::<[u32; 4]>::new(Memory::system(), Limits::SMALL).expect("memory");
        let result = pipeline.run(state, &TRIANGLES, &mut sink, &mut NoResources);
        assert_eq!(result, Err(DrawError::Sink(Stop)));
        assert_eq!(sink.shapes.len(), 1);
    });
}

#[test]
fn what_cannot_be_drawn_is_refused() {
    let compiled = program(PASS);
    let nowhere = program("VERT\nDCL IN[0]\nDCL OUT[0], COLOR\n  0: MOV OUT[0], IN[0]\n  1: END\n");
    let mut pipeline = Pipeline::<[u32; 4]>::new(Memory::system(), Limits::SMALL).expect("memory");
    let mut run = |state: &DrawState<'_>, mode| {
        let draw = Draw::new(mode, 9);
        pipeline.run(state, &draw, &mut Recorder::default(), &mut NoResources).map(|_| ())
    };
    with_state(&compiled.program(), |state| {
        assert_eq!(run(state, PrimType::Patches), Err(DrawError::Patches));
        let compressed = VertexElement::per_vertex(0, Format::None);
        let elements = [state.elements[0], compressed];
        let state = DrawState { elements: &elements, ..*state };
        let refused = run(&state, PrimType::Triangles);
        assert_eq!(refused, Err(DrawError::VertexFormat { element: 1, format: Format::None }));
    });
    with_state(&nowhere.program(), |state| {
        assert_eq!(run(state, PrimType::Points), Err(DrawError::NoPosition));
        let rasterizer = RasterizerState { rasterizer_discard: true, ..*state.rasterizer };
        assert_eq!(run(&DrawState { rasterizer: &rasterizer, ..*state }, PrimType::Points), Ok(()));
    });
}
