//! The pipeline: one draw, from bytes to the sink.
//!
//! ```text
//!   indices ─► assemble ─► segment ─► (full) ─► fetch ─► shade ─► project
//!                             ▲                                      │
//!                             └── advance ◄── primitive ◄────────────┘
//! ```
//!
//! Primitives are assembled from indices alone and collect in the segment, together with the
//! vertices they need. When the segment is full, its vertices are shaded in batches of lanes. Then
//! its primitives are clipped, culled and passed to the sink, in order. A draw with stages after
//! the vertex shader runs through `chain` instead.

use crate::assemble::{Assembler, Primitive};
use crate::attribute::{self, Instance};
#[cfg(feature = "stages")]
use crate::chain::{ChainMemory, ChainParts, ChainRun};
use crate::error::DrawError;
use crate::features::{BUDGET, PRIMITIVE_TYPES, STAGES, STREAM_OUTPUT};
use crate::limits::{Limits, MAX_OUTPUTS};
use crate::primitive::{Cull, Effects, PrimitiveState};
use crate::section::Section;
use crate::segment::Segment;
use crate::shade::{VertexTransform, shade};
use crate::sink::{Phase, PrimitiveSink};
use crate::state::{Draw, DrawState};
use crate::statistics::Statistics;
use crate::stop::{INDICES_BETWEEN_CHECKS, check_stopped};
use crate::tail::{Shaded, Tail};
use core::alloc::Layout;
use core::marker::PhantomData;
use os_shim::Vec;
use os_shim::memory::{Memory, OutOfMemory};
use pipe_core::PrimType;
use tgsi::declaration::SemanticName;
use tgsi::exec::{self, Lanes, Resources};

/// Vertex processing, with its memory. `R` is a row of lanes: the vertices shaded at once.
///
/// A pipeline is made once and runs any number of draws. See the [crate's example](crate).
pub struct Pipeline<'m, R: Lanes> {
    limits: Limits,
    segment: Segment<'m>,
    /// The words of the register file, before it is aligned.
    rows: Vec<'m, u32>,
    width: PhantomData<R>,
    /// The outputs of all slots, and of one more vertex for clipping.
    outputs: Vec<'m, [f32; 4]>,
    #[cfg(feature = "stages")]
    chain: ChainMemory<'m>,
}

impl<'m, R: Lanes> Pipeline<'m, R> {
    /// Makes a pipeline, and allocates the memory that does not depend on programs.
    ///
    /// A draw allocates the rest if its program needs more memory than earlier programs: see
    /// [`Limits`].
    ///
    /// # Errors
    /// `memory` has too little room left.
    pub fn new(memory: Memory<'m>, limits: Limits) -> Result<Self, OutOfMemory> {
        Ok(Pipeline {
            limits,
            segment: Segment::new(memory, usize::from(limits.segment_vertices))?,
            rows: Vec::new_in(memory),
            width: PhantomData,
            outputs: Vec::new_in(memory),
            #[cfg(feature = "stages")]
            chain: ChainMemory::new_in(memory),
        })
    }

    /// Returns the blocks that a pipeline requests for a program with `outputs` outputs and `rows`
    /// rows, in order. Blocks of later stages are not among them.
    #[must_use]
    pub fn blocks(limits: Limits, rows: usize, outputs: usize) -> [Option<Layout>; 6] {
        let half = usize::from(limits.segment_vertices);
        let [slots, indices, table, primitives] = Segment::blocks(half);
        let words = rows.saturating_mul(R::COUNT).saturating_add(exec::REGISTER_FILE_PADDING);
        let vertices = half.clamp(3, 1 << 14) * 2 + 1;
        let outputs = Vec::<[f32; 4]>::layout_for(vertices.saturating_mul(outputs));
        [slots, indices, table, primitives, Vec::<u32>::layout_for(words), outputs]
    }

    /// Runs one draw. Primitives reach `sink` in order, instance by instance.
    ///
    /// Attributes and indices outside their buffers read as 0. Skips incomplete primitives, and
    /// primitives with a NaN or an infinity in a position. `resources` are the vertex shader's
    /// textures and buffers. Returns the counts for pipeline statistics.
    ///
    /// # Errors
    /// See [`DrawError`]. State that cannot be drawn is rejected before any primitive. A shader or
    /// sink that fails ends the draw, and earlier primitives stay drawn.
    pub fn run<S: PrimitiveSink>(
        &mut self,
        state: &DrawState<'_>,
        draw: &Draw,
        sink: &mut S,
        resources: &mut dyn Resources<R>,
    ) -> Result<Statistics, DrawError<S::Error>> {
        self.run_or_section(state, draw, None, sink, resources)
    }

    /// Runs one [section](crate::Sections) of a draw, as [`run`](Self::run) does the whole draw.
    ///
    /// # Errors
    /// The errors of [`run`](Self::run).
    pub fn run_section<S: PrimitiveSink>(
        &mut self,
        state: &DrawState<'_>,
        draw: &Draw,
        section: &Section,
        sink: &mut S,
        resources: &mut dyn Resources<R>,
    ) -> Result<Statistics, DrawError<S::Error>> {
        self.run_or_section(state, draw, Some(section), sink, resources)
    }

    #[inline(always)]
    fn run_or_section<S: PrimitiveSink>(
        &mut self,
        state: &DrawState<'_>,
        draw: &Draw,
        section: Option<&Section>,
        sink: &mut S,
        resources: &mut dyn Resources<R>,
    ) -> Result<Statistics, DrawError<S::Error>> {
        if let Some((element, format)) = attribute::unsupported(state.elements) {
            return Err(DrawError::VertexFormat { element, format });
        }
        let (position, discards) = position_output(state, sink)?;
        let mut primitive_state = self.primitive_state(state, position);
        let stride = self.reserve(state)?;
        let rows = exec::register_file::<R>(&mut self.rows);
        exec::prepare(state.program, rows, state.constants).map_err(DrawError::Shader)?;
        let tail = Tail {
            #[cfg(feature = "stages")]
            draw_state: state,
            state: &mut primitive_state,
            discards,
            sink,
            statistics: Statistics::default(),
            stippled: 0,
        };
        #[cfg(feature = "stages")]
        if let Some(stages) = state.stages {
            let Pipeline { segment, rows, outputs, chain: memory, .. } = self;
            let parts = ChainParts { segment, rows, outputs, stride, memory, resources };
            return ChainRun::run(parts, (state, draw, stages), tail).map(|tail| tail.statistics);
        }
        let first_provokes = state.rasterizer.flatshade_first;
        let Some(assembler) = Assembler::new(draw.mode, first_provokes) else {
            return Err(DrawError::Patches);
        };
        let mut run = Run {
            pipeline: self,
            state,
            draw,
            stride,
            instance: Instance { number: 0, first: draw.start_instance },
            resources,
            tail,
        };
        run.instances(assembler, section)?;
        Ok(run.tail.statistics)
    }

    /// Derives a draw's state for primitives. The position is `OUT[position]`.
    #[inline(never)]
    fn primitive_state(&self, state: &DrawState<'_>, position: u16) -> PrimitiveState {
        let rasterizer = state.rasterizer;
        let guard_band = self.limits.guard_band;
        PrimitiveState {
            // Uses the first viewport, unless primitives choose another.
            transform: VertexTransform::new(state, 0, position, guard_band),
            cull: Cull::new(rasterizer),
            modes: state.modes,
            point_tri_clip: rasterizer.point_tri_clip,
            effects: Effects::new(state),
            #[cfg(feature = "stages")]
            targets: crate::chain::targets(state.last_vertex_stage(), state.stages, guard_band),
        }
    }

    /// Sizes the buffers for the vertex shader; returns the number of output registers of a vertex.
    fn reserve<E>(&mut self, state: &DrawState<'_>) -> Result<usize, DrawError<E>> {
        let program = state.program;
        let registers = program.outputs.iter().map(|output| output.register);
        let number = state.stages.filter(|_| STAGES).and_then(|stages| stages.primitive_number);
        let last = registers.chain(number).max().unwrap_or(0);
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
            // Registers without a declaration read as 0, not as another program's values.
            self.outputs.fill([0.0; 4]);
        }
        Ok(stride)
    }
}

/// Returns the register of the position, and true if primitives are discarded. Discarded or captured
/// primitives need no position.
#[inline(always)]
fn position_output<S: PrimitiveSink>(
    state: &DrawState<'_>,
    sink: &S,
) -> Result<(u16, bool), DrawError<S::Error>> {
    let outputs = state.last_vertex_stage().outputs;
    let output = outputs.iter().find(|o| o.semantic.name == SemanticName::Position);
    let discards = state.rasterizer.rasterizer_discard;
    match output {
        Some(output) => Ok((output.register, discards)),
        None if discards || (STREAM_OUTPUT && sink.captures()) => Ok((MAX_OUTPUTS, true)),
        None => Err(DrawError::NoPosition),
    }
}

/// A draw that is running.
struct Run<'r, 'm, R: Lanes, S> {
    pipeline: &'r mut Pipeline<'m, R>,
    state: &'r DrawState<'r>,
    draw: &'r Draw,
    stride: usize,
    instance: Instance,
    resources: &'r mut dyn Resources<R>,
    tail: Tail<'r, S>,
}

impl<R: Lanes, S: PrimitiveSink> Run<'_, '_, R, S> {
    /// Draws all instances, or those of a section.
    #[inline(always)]
    fn instances(
        &mut self,
        assembler: Assembler,
        section: Option<&Section>,
    ) -> Result<(), DrawError<S::Error>> {
        match section {
            None => {
                for number in 0..self.draw.instance_count {
                    self.instance.number = number;
                    self.instance(assembler.clone(), (self.draw.start, self.draw.count), true)?;
                }
            }
            Some(Section { instances, indices, assembler, ends }) => {
                // A draw in sections has no index position beyond `u32`.
                let range = (self.draw.start.wrapping_add(indices.start), indices.len() as u32);
                for number in instances.clone() {
                    self.instance.number = number;
                    self.instance(assembler.clone(), range, *ends)?;
                }
            }
        }
        Ok(())
    }

    /// Draws `count` indices of one instance from `start` on; `ends` is set if they are its last
    /// indices.
    #[inline(always)]
    fn instance(
        &mut self,
        mut assembler: Assembler,
        (start, count): (u32, u32),
        ends: bool,
    ) -> Result<(), DrawError<S::Error>> {
        self.pipeline.segment.clear();
        let mode = self.draw.mode;
        let (mut indices, bias, restart) = self.state.indices(self.draw, start);
        let mut restarts = 0;
        if mode == PrimType::Triangles && restart.is_none() {
            // Most draws are lists. Their indices go to the segment without the assembler.
            let mut left = count / 3;
            self.tail.statistics.ia_primitives += u64::from(left);
            let any = assembler.list_triangle(0, 0, 0);
            while let Some(triangle) =
                self.pipeline.segment.add_triangles(&mut indices, bias, &mut left, any)
            {
                self.flush_for(triangle)?;
            }
        } else if !PRIMITIVE_TYPES {
            return Err(DrawError::PrimitiveTypes);
        } else {
            let mut left = count;
            loop {
                let now = if BUDGET { left.min(INDICES_BETWEEN_CHECKS) } else { left };
                left -= now;
                let mut emit = |primitive| self.add(primitive);
                for _ in 0..now {
                    let index = indices.take();
                    if Some(index) == restart {
                        restarts += 1;
                        assembler.finish(&mut emit)?;
                    } else {
                        assembler.push(index.wrapping_add(bias), &mut emit)?;
                    }
                }
                if left == 0 {
                    if ends {
                        assembler.finish(&mut emit)?;
                    }
                    break;
                }
                check_stopped(self.resources)?;
            }
        }
        self.tail.statistics.ia_vertices += u64::from(count) - restarts;
        self.tail.statistics.ia_primitives += assembler.primitives();
        self.flush()
    }

    /// Adds a primitive to the segment. Empties the segment first if it has no room.
    #[inline(never)]
    fn add(&mut self, primitive: Primitive<u32>) -> Result<(), DrawError<S::Error>> {
        if self.pipeline.segment.add(primitive) { Ok(()) } else { self.flush_for(primitive) }
    }

    /// Empties the segment, and adds a primitive that had no room.
    fn flush_for(&mut self, primitive: Primitive<u32>) -> Result<(), DrawError<S::Error>> {
        self.flush()?;
        let added = self.pipeline.segment.add(primitive);
        debug_assert!(added, "an empty half has room for any primitive");
        Ok(())
    }

    /// Shades the segment's waiting vertices and draws its waiting primitives.
    #[inline(never)]
    fn flush(&mut self) -> Result<(), DrawError<S::Error>> {
        check_stopped(self.resources)?;
        let Pipeline { segment, rows, outputs, .. } = &mut *self.pipeline;
        let outputs = outputs.as_mut_slice();
        let Some((outputs, rest)) = outputs.split_at_mut_checked(segment.len() * self.stride)
        else {
            return Ok(());
        };
        let rows = exec::register_file::<R>(rows);
        let shading = (self.state, self.draw, self.instance);
        let (stride, tail) = (self.stride, &mut self.tail);
        tail.sink.enter(Phase::Vertices);
        tail.statistics.vs_invocations +=
            shade(segment, rows, outputs, stride, shading, &tail.state.transform, self.resources)?;
        let (slots, primitives) = segment.parts();
        let scratch = rest.get_mut(..stride).unwrap_or_default();
        tail.sink.enter(Phase::Primitives);
        tail.primitives(Shaded { slots, outputs, scratch }, primitives, &[])?;
        tail.sink.enter(Phase::Assembly);
        segment.advance(3);
        Ok(())
    }
}
