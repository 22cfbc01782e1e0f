//! The pipeline: one draw, from bytes to the sink.
//!
//! ```text
//!   indices ─► assemble ─► segment ─► (full) ─► fetch ─► shade ─► project
//!                             ▲                                      │
//!                             └── advance ◄── stages ◄───────────────┘
//! ```
//!
//! Primitives are assembled from indices alone and collect in the segment with the vertices they
//! need. When it is full, its vertices are shaded in batches of lanes, then its primitives go
//! through the stages to the sink, in order.

use crate::assemble::{Assembler, Primitive};
use crate::error::DrawError;
use crate::fetch::{self, Instance};
use crate::index::Indices;
use crate::limits::Limits;
use crate::project::Projection;
use crate::segment::Segment;
use crate::shade::shade;
use crate::sink::PrimitiveSink;
use crate::stage::{Cull, Effects, StageState, Stages};
use crate::state::{Draw, DrawState};
use crate::statistics::Statistics;
use crate::user_clip::UserClip;
use core::marker::PhantomData;
use os_shim::Vec;
use os_shim::memory::{Memory, OutOfMemory};
use pipe_core::PrimType;
use tgsi::declaration::SemanticName;
use tgsi::exec::{self, Lanes, Resources};
use tgsi::program::Program;

/// Outputs a program may have: [`OutputModes`](crate::OutputModes) has a bit for each.
const MAX_OUTPUTS: u16 = 64;

/// Whether outputs can be captured.
const STREAMS: bool = cfg!(feature = "stream-output");

/// Vertex processing, with its memory. `R` is how many vertices are shaded at once.
pub struct Pipeline<'m, R: Lanes> {
    limits: Limits,
    segment: Segment<'m>,
    /// The words of the register file, before it is aligned.
    rows: Vec<'m, u32>,
    width: PhantomData<R>,
    /// Outputs of all slots, and of one vertex more that clipping makes.
    outputs: Vec<'m, [f32; 4]>,
}

impl<'m, R: Lanes> Pipeline<'m, R> {
    /// Makes a pipeline; takes from `memory` what every program needs.
    ///
    /// The rest depends on the program: the first draw with a larger one allocates it.
    ///
    /// # Errors
    /// `memory` has not enough.
    pub fn new(memory: Memory<'m>, limits: Limits) -> Result<Self, OutOfMemory> {
        Ok(Pipeline {
            limits,
            segment: Segment::new(memory, usize::from(limits.segment_vertices))?,
            rows: Vec::new_in(memory),
            width: PhantomData,
            outputs: Vec::new_in(memory),
        })
    }

    /// Runs one draw. Primitives reach `sink` in order, instance by instance.
    ///
    /// What lies outside buffers reads as 0. Primitives that are not wholly there, or whose
    /// position is not a number, are left out.
    ///
    /// # Errors
    /// See [`DrawError`].
    pub fn run<S: PrimitiveSink>(
        &mut self,
        state: &DrawState<'_>,
        draw: &Draw,
        sink: &mut S,
        resources: &mut dyn Resources<R>,
    ) -> Result<Statistics, DrawError<S::Error>> {
        let first_provokes = state.rasterizer.flatshade_first;
        let Some(assembler) = Assembler::new(draw.mode, first_provokes) else {
            return Err(DrawError::Patches);
        };
        if let Some(element) = fetch::unsupported(state.elements) {
            return Err(DrawError::VertexFormat { element });
        }
        let outputs = state.program.outputs;
        let output = outputs.iter().find(|o| o.semantic.name == SemanticName::Position);
        let mut discards = state.rasterizer.rasterizer_discard;
        let position = match output {
            Some(output) => output.register,
            // Where nobody asks for a place, or only for outputs.
            None if discards || (STREAMS && sink.captures()) => {
                discards = true;
                MAX_OUTPUTS
            }
            None => return Err(DrawError::NoPosition),
        };
        let stages = self.stage_state(state, position);
        let stride = self.reserve(state.program)?;
        let rows = exec::register_file::<R>(&mut self.rows);
        exec::prepare(state.program, rows, state.constants).map_err(DrawError::Shader)?;
        let mut run = Run {
            pipeline: self,
            state,
            draw,
            stages: &stages,
            discards,
            stride,
            instance: Instance { number: 0, first: draw.start_instance },
            sink,
            resources,
            statistics: Statistics::default(),
            stippled: 0,
        };
        for number in 0..draw.instance_count {
            run.instance.number = number;
            run.instance(assembler.clone())?;
        }
        Ok(run.statistics)
    }

    #[inline(never)]
    fn stage_state(&self, state: &DrawState<'_>, position: u16) -> StageState {
        let program = state.program;
        let rasterizer = state.rasterizer;
        let window_space = program.properties.window_space_position();
        let guard_band = self.limits.guard_band;
        let viewport = state.viewports.first().copied().unwrap_or_default();
        StageState {
            projection: Projection::new(&viewport, rasterizer, window_space, guard_band),
            user: UserClip::new(program, rasterizer, state.clip, position),
            cull: Cull::new(rasterizer),
            modes: state.modes,
            position: usize::from(position),
            point_tri_clip: rasterizer.point_tri_clip,
            effects: Effects::new(state),
        }
    }

    /// Sizes the buffers for a program; returns how many outputs a vertex has.
    fn reserve<E>(&mut self, program: &Program<'_>) -> Result<usize, DrawError<E>> {
        let registers = program.outputs.iter().map(|output| output.register);
        let last = registers.max().unwrap_or(0);
        if last >= MAX_OUTPUTS {
            return Err(DrawError::TooManyOutputs { register: last });
        }
        let stride = usize::from(last) + 1;
        let words = usize::from(program.rows) * R::COUNT + exec::REGISTER_FILE_PADDING;
        if self.rows.len() < words {
            self.rows.try_resize(words, 0)?;
        }
        let outputs = (self.segment.len() + 1) * stride;
        if self.outputs.len() < outputs {
            self.outputs.try_resize(outputs, [0.0; 4])?;
        }
        if program.outputs.len() < stride {
            // Registers that are never declared read as 0, not as another program's values.
            self.outputs.fill([0.0; 4]);
        }
        Ok(stride)
    }
}

/// One draw on its way.
struct Run<'r, 'm, R: Lanes, S> {
    pipeline: &'r mut Pipeline<'m, R>,
    state: &'r DrawState<'r>,
    draw: &'r Draw,
    stages: &'r StageState,
    /// Nothing goes on to the stages.
    discards: bool,
    stride: usize,
    instance: Instance,
    sink: &'r mut S,
    resources: &'r mut dyn Resources<R>,
    statistics: Statistics,
    /// Pixels of stippled lines since the last strip began.
    stippled: u32,
}

impl<R: Lanes, S: PrimitiveSink> Run<'_, '_, R, S> {
    /// Draws one instance.
    fn instance(&mut self, mut assembler: Assembler) -> Result<(), DrawError<S::Error>> {
        self.pipeline.segment.clear();
        let Draw { mode, start, count, .. } = *self.draw;
        let (mut indices, bias, restart) = match self.state.index {
            None => (Indices::counted(start), 0, None),
            Some(indices) => {
                (indices.from(start), self.draw.index_bias as u32, self.draw.restart_index)
            }
        };
        let mut restarts = 0;
        if mode == PrimType::Triangles && restart.is_none() {
            // Most of what is drawn: nothing stands between indices and segment.
            let mut left = count / 3;
            self.statistics.ia_primitives += u64::from(left);
            let any = assembler.list_triangle(0, 0, 0);
            while let Some(triangle) =
                self.pipeline.segment.add_triangles(&mut indices, bias, &mut left, any)
            {
                self.flush_for(triangle)?;
            }
        } else {
            let mut emit = |primitive| self.add(primitive);
            for _ in 0..count {
                let index = indices.take();
                if Some(index) == restart {
                    restarts += 1;
                    assembler.finish(&mut emit)?;
                } else {
                    assembler.push(index.wrapping_add(bias), &mut emit)?;
                }
            }
            assembler.finish(&mut emit)?;
        }
        self.statistics.ia_vertices += u64::from(count) - restarts;
        self.statistics.ia_primitives += assembler.primitives();
        self.flush()
    }

    /// Adds a primitive to the segment, making room first if there is none.
    #[inline(never)]
    fn add(&mut self, primitive: Primitive<u32>) -> Result<(), DrawError<S::Error>> {
        if self.pipeline.segment.add(primitive) { Ok(()) } else { self.flush_for(primitive) }
    }

    /// Empties the segment, and adds a primitive for which it had no room.
    fn flush_for(&mut self, primitive: Primitive<u32>) -> Result<(), DrawError<S::Error>> {
        self.flush()?;
        let added = self.pipeline.segment.add(primitive);
        debug_assert!(added, "an empty half has room for any primitive");
        Ok(())
    }

    /// Shades what waits to be shaded and hands on what waits to be drawn.
    #[inline(never)]
    fn flush(&mut self) -> Result<(), DrawError<S::Error>> {
        let Pipeline { segment, rows, outputs, .. } = &mut *self.pipeline;
        let outputs = outputs.as_mut_slice();
        let Some((outputs, rest)) = outputs.split_at_mut_checked(segment.len() * self.stride)
        else {
            return Ok(());
        };
        let rows = exec::register_file::<R>(rows);
        let shading = (self.state, self.draw, self.instance);
        let (stride, stages) = (self.stride, self.stages);
        self.statistics.vs_invocations +=
            shade(segment, rows, outputs, stride, shading, stages, self.resources)?;
        let (slots, primitives) = segment.parts();
        self.statistics.primitives += primitives.len() as u64;
        if STREAMS && self.sink.captures() {
            for primitive in primitives {
                let vertices = primitive.vertices.map(|slot| {
                    let start = usize::from(slot) * stride;
                    outputs.get(start..start + stride).unwrap_or(&[])
                });
                self.sink.capture(vertices.get(..primitive.count.into()).unwrap_or(&[]));
            }
        }
        if !self.discards {
            self.statistics.c_invocations += primitives.len() as u64;
            let scratch = rest.get_mut(..stride).unwrap_or_default();
            let statistics = &mut self.statistics;
            let sink = &mut *self.sink;
            let stippled = &mut self.stippled;
            let mut stages =
                Stages { state: stages, slots, outputs, scratch, sink, statistics, stippled };
            stages.primitives(primitives)?;
        }
        segment.advance();
        Ok(())
    }
}
