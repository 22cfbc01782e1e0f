//! Draws: resolves handles to bytes and plain state; Draw then hands its primitives to a painter.

use draw::{
    Counters, DepthStep, Draw, DrawState, IndexBytes, Limits, OutputModes, STREAMS, Stage, Stages,
    VertexBytes,
};
use os_shim::Vec;
use os_shim::memory::Memory;
use os_shim::pool::{Pool, RawHandle};
use pipe_core::context::Drawing;
use pipe_core::limits::MAX_ATTRIBS;
use pipe_core::{
    ConservativeRasterMode, DrawIndirect, DrawInfo, DrawStartCount, IndexSource, PerStage,
    PipeError, RasterizerState, ShaderType, ViewportState,
};
use tgsi::declaration::{Location, SemanticName};
use tgsi::exec::{self, MemorySpace};
use tgsi::program::Program;
use tgsi::shader::Processor;

use super::binding::Bound;
use super::cso::Objects;
use super::{Context, refuse};
use crate::device::Device;
use crate::memory::StageMemory;
use crate::nudge::Nudge;
use crate::output::{DepthStencilFormat, DepthStencilTest};
use crate::paint::{PaintState, Painter, Shaded, ViewportLimits};
use crate::reach::{Reach, VertexReach};
use crate::setup::{Bounds, FillRule, PIXEL, Samples, standard_place};
use crate::shader::Shader;
use crate::texture::{BoundView, Textures};

impl Drawing for Context<'_, '_> {
    fn draw_vbo(
        &mut self,
        info: &DrawInfo<'_>,
        indirect: Option<&DrawIndirect>,
        draws: &[DrawStartCount],
    ) -> Result<(), PipeError> {
        refuse(info.view_mask != 0, "view_mask")?;
        if !self.queries.condition_holds() {
            return Ok(());
        }
        match indirect {
            None => self.draw_parts(info, draws),
            Some(DrawIndirect::StreamOutput(target)) => {
                let count = self.streams.vertices(*target)?;
                self.draw_parts(info, &[DrawStartCount::count(count)])
            }
            Some(indirect) => self.draw_indirect(info, indirect),
        }
    }
}

impl<'m> Context<'_, 'm> {
    /// Draws once per record of words in a buffer, up to the first record that does not fit in it.
    fn draw_indirect(
        &mut self,
        info: &DrawInfo<'_>,
        indirect: &DrawIndirect,
    ) -> Result<(), PipeError> {
        let &DrawIndirect::Buffer { buffer, offset, stride, draw_count, indirect_draw_count } =
            indirect
        else {
            return Ok(());
        };
        let mut count = draw_count;
        if let Some((counter, at)) = indirect_draw_count {
            let word = |bytes: &[u8]| DrawIndirect::word(bytes, at as usize);
            count = count.min(self.device.resource(counter)?.read(word));
        }
        let bytes = self.device.resource(buffer)?.copy(self.device.os.memory)?;
        for number in 0..count {
            let Some((info, part)) = info.record(&bytes, offset, stride, number) else { break };
            self.draw_parts(&info, &[part])?;
        }
        Ok(())
    }

    /// Draws the parts of one draw. Copies textures, constants, vertices and indices first, because
    /// the draw may write to any of them.
    fn draw_parts(
        &mut self,
        info: &DrawInfo<'_>,
        draws: &[DrawStartCount],
    ) -> Result<(), PipeError> {
        let Context { device, objects, bound, streams, queries, primitives, .. } = self;
        let memory = device.os.memory;
        let rasterizer = state(&objects.rasterizers, bound.rasterizer);
        let framebuffer = &bound.framebuffer;
        if (framebuffer.width == 0 || framebuffer.height == 0) && !rasterizer.rasterizer_discard {
            return Err(PipeError::Unbound("framebuffer"));
        }
        let shader = |stage: ShaderType| objects.shaders.get(bound.stages[stage].shader?);
        let programs = PerStage(ALL.map(|stage: ShaderType| shader(stage).map(Shader::program)));
        let vertex = programs[ShaderType::Vertex];
        let vertex = vertex.ok_or(PipeError::Unbound("vertex shader"))?;
        let fragment = programs[ShaderType::Fragment];
        let last_stage = bound.last_vertex_stage();
        let last = programs[last_stage].unwrap_or(vertex);
        let number = number_register(&last, fragment.as_ref());
        let copies = Copies::new(bound, info, device)?;
        let constants = PerStage(copies.constants.each_ref().map(|copies| copies.slices()));
        let [of_vertices, of_fragments, of_geometry, of_control, of_evaluation] = [
            ShaderType::Vertex,
            ShaderType::Fragment,
            ShaderType::Geometry,
            ShaderType::TessCtrl,
            ShaderType::TessEval,
        ]
        .map(|stage| reach(objects, bound, stage, device));
        let (of_vertices, of_fragments) = (of_vertices?, of_fragments?);
        let (of_geometry, of_control, of_evaluation) = (of_geometry?, of_control?, of_evaluation?);
        let mut vertex_reach = VertexReach {
            vertex: &of_vertices,
            control: &of_control,
            evaluation: &of_evaluation,
            geometry: &of_geometry,
            stage: Processor::Vertex,
        };
        let fragments = Fragments {
            last,
            number,
            program: fragment,
            constants: &constants[ShaderType::Fragment],
        };
        let paint = paint_state(objects, bound, &rasterizer, &fragments, device.config.nudge);
        let rows = prepared(&fragments, memory)?;
        let shaded = Shaded { rows, reach: &of_fragments };
        let mut counts = Counters::default();
        let streamed = shader(last_stage).map(|shader| &shader.streamed);
        let streamed = streamed.filter(|streamed| !streamed.is_empty());
        let capture = streamed.map(|streamed| {
            |stream: u8, vertices: &[&[[f32; 4]]]| {
                let written = streams.write(streamed, stream, vertices);
                let number = usize::from(stream).min(STREAMS - 1);
                counts.streamed.needed[number] += 1;
                counts.streamed.emitted[number] += u64::from(written);
            }
        });
        let mut painter = Painter::new(&paint, shaded, capture, *primitives, memory);
        let elements = bound.elements.and_then(|handle| objects.elements.get(handle));
        let buffers = copies.vertex_buffers(bound);
        let stage = |stage: ShaderType| {
            let program = programs.0[stage as usize].as_ref();
            program.map(|program| Stage { program, constants: &constants[stage] })
        };
        let stages = Stages {
            control: stage(ShaderType::TessCtrl),
            evaluation: stage(ShaderType::TessEval),
            geometry: stage(ShaderType::Geometry),
            default_levels: bound.tess,
            patch_vertices: bound.patch_vertices,
            primitive_number: number,
        };
        let has_stages =
            stages.evaluation.is_some() || stages.geometry.is_some() || number.is_some();
        let link = |fragment| OutputModes::link(&last, fragment, rasterizer.flatshade);
        let state = DrawState {
            program: &vertex,
            rasterizer: &rasterizer,
            viewports: &bound.viewports,
            clip: &bound.clip,
            elements: elements.map_or(&[], |elements| elements.as_slice()),
            vertex_buffers: &buffers,
            index: copies.index(info),
            constants: &constants[ShaderType::Vertex],
            modes: fragment.as_ref().map_or(OutputModes::default(), link),
            depth_step: DepthStep::of(framebuffer.depth.as_ref().map(|target| target.format)),
            stages: has_stages.then_some(&stages),
        };
        let mut pipeline = draw::Pipeline::<[u32; 4]>::new(memory, Limits::HOST)?;
        let mut statistics = draw::Statistics::default();
        let mut parts = draws.iter().enumerate().map(|(number, part)| {
            let draw = Draw::part(info, number as u32, part);
            vertex_reach.stage = Processor::Vertex;
            let counted = pipeline.run(&state, &draw, &mut painter, &mut vertex_reach);
            counted.map(|counted| statistics += counted).map_err(PipeError::from)
        });
        let result = parts.try_for_each(|part| part);
        let pixels;
        (*primitives, pixels) = painter.finish();
        (counts.samples, counts.ps_invocations) = (pixels.passed, pixels.shaded);
        counts.draw = statistics;
        queries.add(&counts);
        result
    }
}

/// All stages, by number.
const ALL: [ShaderType; ShaderType::COUNT] = [
    ShaderType::Vertex,
    ShaderType::Fragment,
    ShaderType::Geometry,
    ShaderType::TessCtrl,
    ShaderType::TessEval,
    ShaderType::Compute,
];

/// Returns the output register that receives each primitive's number: the register after the last
/// output of `last`, the last vertex stage. Returns `None` unless `fragment` reads the number and
/// `last` does not write it.
fn number_register(last: &Program<'_>, fragment: Option<&Program<'_>>) -> Option<u16> {
    let number = SemanticName::PrimitiveId;
    let fragment = fragment?;
    let is_read = fragment.inputs.iter().any(|input| input.semantic.name == number)
        || fragment.system_values.iter().any(|value| value.semantic.name == number);
    let is_written = last.outputs.iter().any(|output| output.semantic.name == number);
    // If a geometry shader does not write the number, it is undefined.
    let is_counted = is_read && !is_written && last.processor != Processor::Geometry;
    is_counted.then(|| Stages::number_register(last))
}

/// Copies of a stage's constant buffers.
#[derive(Debug)]
struct ConstantCopies<'m>(Vec<'m, Vec<'m, u8>>);

impl ConstantCopies<'_> {
    fn slices(&self) -> std::vec::Vec<&[u8]> {
        self.0.iter().map(|copy| copy.as_slice()).collect()
    }
}

/// Copies the constant buffers of a stage.
///
/// # Errors
/// Out of memory.
pub(super) fn constants_of<'m>(
    bound: &Bound<'m>,
    stage: ShaderType,
    device: &Device<'m>,
) -> Result<Vec<'m, Vec<'m, u8>>, PipeError> {
    let memory = device.os.memory;
    let mut copies = Vec::new_in(memory);
    for buffer in &bound.stages[stage].constants {
        copies.try_push(buffer.copy(memory)?)?;
    }
    Ok(copies)
}

/// Copies of the bytes that a draw reads.
struct Copies<'m> {
    /// Constant buffers, by stage.
    constants: [ConstantCopies<'m>; ShaderType::COUNT],
    /// The vertex buffers, by slot.
    vertices: Vec<'m, Vec<'m, u8>>,
    index: Vec<'m, u8>,
}

impl<'m> Copies<'m> {
    fn new(bound: &Bound<'m>, info: &DrawInfo<'_>, device: &Device<'m>) -> Result<Self, PipeError> {
        let memory = device.os.memory;
        let mut constants = ALL.map(|_| ConstantCopies(Vec::new_in(memory)));
        for (copies, stage) in constants.iter_mut().zip(ALL) {
            copies.0 = constants_of(bound, stage, device)?;
        }
        let mut vertices = Vec::new_in(memory);
        for buffer in &bound.vertex_buffers {
            vertices.try_push(match buffer {
                Some(buffer) => buffer.resource.copy(memory)?,
                None => Vec::new_in(memory),
            })?;
        }
        let index = match info.index.map(|index| index.source) {
            Some(IndexSource::Resource(handle)) => device.resource(handle)?.copy(memory)?,
            Some(IndexSource::User(_)) | None => Vec::new_in(memory),
        };
        Ok(Copies { constants, vertices, index })
    }

    /// Returns the bytes of the bound vertex buffers, each from its binding's offset.
    fn vertex_buffers(&self, bound: &Bound<'m>) -> [VertexBytes<'_>; MAX_ATTRIBS] {
        core::array::from_fn(|slot| {
            let Some(buffer) = &bound.vertex_buffers[slot] else { return VertexBytes::default() };
            let bytes = self.vertices.get(slot).and_then(|bytes| bytes.get(buffer.offset..));
            VertexBytes { bytes: bytes.unwrap_or(&[]), stride: buffer.stride }
        })
    }

    /// Returns the indices of a draw; `None` if it has none.
    fn index<'a>(&'a self, info: &DrawInfo<'a>) -> Option<IndexBytes<'a>> {
        info.index.map(|index| IndexBytes {
            bytes: match index.source {
                IndexSource::User(bytes) => bytes,
                IndexSource::Resource(_) => &self.index,
            },
            size: index.size,
        })
    }
}

/// The programs that shade the fragments of a draw.
struct Fragments<'a> {
    /// The program of the last vertex stage.
    last: Program<'a>,
    /// The output register of each primitive's number, if Draw counts primitives.
    number: Option<u16>,
    /// The fragment shader.
    program: Option<Program<'a>>,
    /// The fragment shader's constant buffers.
    constants: &'a [&'a [u8]],
}

/// Returns the fragment shader's registers, filled with its constants.
fn prepared<'m>(
    fragments: &Fragments<'_>,
    memory: Memory<'m>,
) -> Result<Vec<'m, [u32; 4]>, PipeError> {
    let mut rows = Vec::new_in(memory);
    if let Some(fragment) = &fragments.program {
        rows.try_resize(usize::from(fragment.rows), [0; 4])?;
        exec::prepare(fragment, &mut rows, fragments.constants)
            .map_err(|_| PipeError::Invalid("the fragment shader cannot run"))?;
    }
    Ok(rows)
}

/// Returns the state of a bound object, or the default state if none is bound.
fn state<T: Copy + Default>(pool: &Pool<'_, T>, handle: Option<RawHandle>) -> T {
    handle.and_then(|handle| pool.get(handle)).copied().unwrap_or_default()
}

/// Gathers everything that the programs of a stage can access; views are copied.
///
/// # Errors
/// Out of memory.
pub(super) fn reach<'a, 'm>(
    objects: &Objects<'m>,
    bound: &'a Bound<'m>,
    stage: ShaderType,
    device: &Device<'m>,
) -> Result<Reach<'a, 'm>, PipeError> {
    let memory = device.os.memory;
    let mut views = Vec::new_in(memory);
    let bindings = &bound.stages[stage];
    if bindings.shader.is_some() {
        for (slot, view) in (0..).zip(&bindings.views) {
            let Some(view) = view.and_then(|handle| objects.views.get(handle)) else { continue };
            views.try_push(BoundView::new(slot, &view.resource, &view.template, memory)?)?;
        }
    }
    let samplers = bindings.samplers.map(|sampler| state(&objects.samplers, sampler));
    let derivatives = stage == ShaderType::Fragment;
    let textures = Textures { views, samplers, nudge: device.config.nudge, derivatives };
    let memory = StageMemory {
        buffers: &bindings.buffers,
        images: &bindings.images,
        counters: &bound.counters,
        globals: &bound.globals,
    };
    Ok(Reach { textures, memory })
}

/// Gathers the state that the painter needs.
fn paint_state<'a, 'm>(
    objects: &Objects<'m>,
    bound: &'a Bound<'m>,
    rasterizer: &RasterizerState,
    programs: &Fragments<'a>,
    nudge: Nudge,
) -> PaintState<'a, 'm> {
    let framebuffer = &bound.framebuffer;
    let dsa = state(&objects.depth_stencil_alphas, bound.depth_stencil_alpha);
    let depth = framebuffer.depth.as_ref().and_then(|target| {
        let format = DepthStencilFormat::of(target.format)?;
        Some((target, DepthStencilTest { state: dsa, reference: bound.stencil_ref, format }))
    });
    let window_space = programs.last.properties.window_space_position();
    let viewports = core::array::from_fn(|number| {
        let (bounds, point_bounds) = bounds(bound, number, rasterizer, window_space);
        let depth_range = depth_range(rasterizer, &bound.viewports[number]);
        ViewportLimits { bounds, point_bounds, depth_range }
    });
    let samples = samples(bound, rasterizer, programs.program.as_ref());
    PaintState {
        rasterizer: shapes(rasterizer, &samples),
        samples,
        blend: state(&objects.blends, bound.blend),
        blend_color: bound.blend_color,
        stipple: bound.stipple,
        window_rectangles: bound.window_rectangles,
        alpha: dsa.alpha_enabled.then_some((dsa.alpha_func, dsa.alpha_ref_value)),
        viewports,
        color: &framebuffer.color,
        depth,
        height: framebuffer.height,
        vertex: programs.last,
        number: programs.number,
        fragment: programs.program,
        constants: programs.constants,
        nudge,
    }
}

/// Returns the samples of a draw's pixels.
fn samples(
    bound: &Bound<'_>,
    rasterizer: &RasterizerState,
    program: Option<&Program<'_>>,
) -> Samples {
    let count = bound.framebuffer.samples.max(1);
    let centered = count == 1 || !rasterizer.multisample;
    // OpenGL 4.6, section 14.3.1.1.
    let names_sample = program.is_some_and(|program| {
        let values = program.system_values.iter().map(|value| value.semantic.name);
        let own = [SemanticName::SampleId, SemanticName::SamplePosition];
        program.inputs.iter().any(|input| input.location == Location::Sample)
            || values.into_iter().any(|name| own.contains(&name))
    });
    // Each sample has its own colour to fetch, even if all samples lie at the centre.
    let fetches = program.is_some_and(|program| {
        program.memory.iter().any(|access| access.space == MemorySpace::ColorBuffer)
    });
    let asked = bound.min_samples > 1 || rasterizer.force_persample_interp;
    let (set, known) = bound.sample_places;
    let places = core::array::from_fn(|sample| match set.get(sample) {
        Some(byte) if sample < known => [byte & 15, byte >> 4],
        _ => standard_place(count, sample),
    });
    Samples {
        count,
        mask: bound.sample_mask & u32::MAX >> (32 - count),
        centered,
        per_sample: count > 1 && (fetches || !centered && (asked || names_sample)),
        places,
    }
}

/// Returns the rasterizer state for the shapes of primitives. With several samples, edges are
/// smooth anyway: a line is a rectangle, a point is a square and polygons are not smoothed (OpenGL
/// 4.6, sections 14.4.3, 14.5.4 and 14.6.6). Conservative rasterization ignores smoothing too
/// (manual, CSO, "Rasterizer").
fn shapes(rasterizer: &RasterizerState, samples: &Samples) -> RasterizerState {
    let mut state = *rasterizer;
    state.multisample = !samples.centered;
    if state.multisample {
        state.line_rectangular = true;
        state.point_quad_rasterization = true;
    }
    if state.multisample || state.conservative_raster_mode != ConservativeRasterMode::Off {
        (state.line_smooth, state.point_smooth, state.poly_smooth) = (false, false, false);
    }
    state
}

/// Returns the pixels that triangles and lines of a viewport may draw, and the pixels that its
/// points may draw. Both lie within framebuffer and scissor. Draw clips only at its guard band, so
/// triangles and lines are also limited to the sides of the viewport. Points are clipped by their
/// centre, unless they are clipped as squares.
fn bounds(
    bound: &Bound<'_>,
    number: usize,
    rasterizer: &RasterizerState,
    window_space: bool,
) -> (Bounds, Bounds) {
    let framebuffer = &bound.framebuffer;
    let (x1, y1) = (framebuffer.width as i32, framebuffer.height as i32);
    let mut all = Bounds { x0: 0, y0: 0, x1, y1 };
    if rasterizer.scissor {
        let scissor = &bound.scissors[number];
        all = all.intersection(Bounds {
            x0: scissor.minx.into(),
            y0: scissor.miny.into(),
            x1: scissor.maxx.into(),
            y1: scissor.maxy.into(),
        });
    }
    if window_space {
        return (all, all);
    }
    let rule = FillRule {
        half_pixel_center: rasterizer.half_pixel_center,
        bottom_edge: rasterizer.bottom_edge_rule,
    };
    let side = |axis: usize, sign: f64| {
        let viewport = &bound.viewports[number];
        let (scale, translate) = (viewport.scale[axis].abs(), viewport.translate[axis]);
        let reach = f64::from(draw::limits::MAX_GUARD_BAND);
        let place = (f64::from(translate) + sign * f64::from(scale)).clamp(-reach, reach);
        rule.first_pixel((place * f64::from(PIXEL)).round_ties_even() as i32)
    };
    let sides = Bounds { x0: side(0, -1.0), y0: side(1, -1.0), x1: side(0, 1.0), y1: side(1, 1.0) };
    let within = all.intersection(sides);
    (within, if rasterizer.point_tri_clip { within } else { all })
}

/// Returns the minimum and maximum depth that fragments are clamped to. With `depth_clamp` these
/// are the viewport's ends, in either order (OpenGL 4.6, section 17.3.4: "the range [min(n, f),
/// max(n, f)]").
fn depth_range(rasterizer: &RasterizerState, viewport: &ViewportState) -> [f64; 2] {
    if !rasterizer.depth_clamp {
        return [f64::NEG_INFINITY, f64::INFINITY];
    }
    let depth = |z: f64| {
        let depth = f64::from(viewport.translate[2]) + z * f64::from(viewport.scale[2]);
        depth.clamp(0.0, 1.0)
    };
    let (near, far) = (depth(if rasterizer.clip_halfz { 0.0 } else { -1.0 }), depth(1.0));
    // With a negative scale the near plane is behind the far one.
    if viewport.scale[2] < 0.0 { [far, near] } else { [near, far] }
}
