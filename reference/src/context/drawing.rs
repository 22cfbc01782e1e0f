//! Draws: handles become bytes and plain state, and Draw hands its primitives to a painter.

use draw::{Counters, DepthStep, Draw, DrawState, IndexBytes, Limits, OutputModes, VertexBytes};
use os_shim::Vec;
use os_shim::memory::Memory;
use os_shim::pool::{Pool, RawHandle};
use pipe_core::context::Drawing;
use pipe_core::limits::{MAX_ATTRIBS, MAX_SAMPLERS};
use pipe_core::{
    DrawIndirect, DrawInfo, DrawStartCount, IndexSource, PipeError, RasterizerState, ViewportState,
};
use tgsi::declaration::{Location, SemanticName};
use tgsi::exec;
use tgsi::program::Program;

use super::binding::{Bound, FRAGMENT, STAGES, VERTEX};
use super::cso::Objects;
use super::{Context, refuse};
use crate::device::Device;
use crate::nudge::Nudge;
use crate::output::{DepthStencilFormat, DepthStencilTest};
use crate::paint::{PaintState, Painter, Shaded};
use crate::setup::{Bounds, FillRule, PIXEL, Samples, standard_place};
use crate::shader::Shader;
use crate::texture::{Texture, Textures};

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
    /// Draws once for each record of words in a buffer, up to the first that is not wholly in it.
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

    /// Draws the parts of one draw. What it reads is copied first, so that it may write to any of it.
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
        let shader = |stage: usize| objects.shaders.get(bound.stages[stage].shader?);
        let vertex = shader(VERTEX).ok_or(PipeError::Unbound("vertex shader"))?;
        let (program, fragment) = (vertex.program(), shader(FRAGMENT).map(Shader::program));
        let copies = Copies::new(bound, info, device)?;
        let (vertex_constants, constants) =
            (copies.constants(VERTEX)?, copies.constants(FRAGMENT)?);
        let mut vertex_textures = textures(objects, bound, VERTEX, device)?;
        let mut fragment_textures = textures(objects, bound, FRAGMENT, device)?;
        let programs = Programs { vertex: program, fragment, constants: &constants };
        let paint = paint_state(objects, bound, &rasterizer, &programs, device.config.nudge);
        let rows = prepared(&programs, memory)?;
        let shaded = Shaded { rows, textures: &mut fragment_textures };
        let mut counts = Counters::default();
        let capture = (!vertex.streamed.is_empty()).then_some(|vertices: &[&[[f32; 4]]]| {
            counts.streamed.needed[0] += 1;
            counts.streamed.emitted[0] += u64::from(streams.write(&vertex.streamed, vertices));
        });
        let mut painter = Painter::new(&paint, shaded, capture, *primitives, memory);
        let elements = bound.elements.and_then(|handle| objects.elements.get(handle));
        let buffers = copies.vertex_buffers(bound);
        let state = DrawState {
            program: &program,
            rasterizer: &rasterizer,
            viewports: core::slice::from_ref(&bound.viewport),
            clip: &bound.clip,
            elements: elements.map_or(&[], |elements| elements.as_slice()),
            vertex_buffers: &buffers,
            index: copies.index(info),
            constants: &vertex_constants,
            modes: programs.modes(rasterizer.flatshade),
            depth_step: DepthStep::of(framebuffer.depth.as_ref().map(|target| target.format)),
            stages: None,
        };
        let mut pipeline = draw::Pipeline::<[u32; 4]>::new(memory, Limits::HOST)?;
        let mut statistics = draw::Statistics::default();
        let mut parts = draws.iter().enumerate().map(|(number, part)| {
            let draw = Draw::part(info, number as u32, part);
            let counted = pipeline.run(&state, &draw, &mut painter, &mut vertex_textures);
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

/// Copies of the bytes that a draw reads.
struct Copies<'m> {
    constants: [Vec<'m, Vec<'m, u8>>; STAGES],
    /// The vertex buffers, by slot.
    vertices: Vec<'m, Vec<'m, u8>>,
    index: Vec<'m, u8>,
}

impl<'m> Copies<'m> {
    fn new(bound: &Bound<'m>, info: &DrawInfo<'_>, device: &Device<'m>) -> Result<Self, PipeError> {
        let memory = device.os.memory;
        let mut constants = [Vec::new_in(memory), Vec::new_in(memory)];
        for (copies, stage) in constants.iter_mut().zip(&bound.stages) {
            for buffer in &stage.constants {
                copies.try_push(buffer.copy(memory)?)?;
            }
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

    /// Returns the constant buffers of a stage.
    fn constants(&self, stage: usize) -> Result<Vec<'m, &[u8]>, PipeError> {
        let copies = &self.constants[stage];
        let mut slices = Vec::new_in(self.index.memory());
        slices.try_extend(copies.iter().map(|copy| copy.as_slice()))?;
        Ok(slices)
    }

    /// Returns the bytes of the bound vertex buffers, from each binding's offset on.
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

/// The programs of a draw, and the fragment shader's constant buffers.
struct Programs<'a> {
    vertex: Program<'a>,
    fragment: Option<Program<'a>>,
    constants: &'a [&'a [u8]],
}

impl Programs<'_> {
    /// Returns the interpolation of the vertex shader's outputs.
    fn modes(&self, flatshade: bool) -> OutputModes {
        let link = |fragment| OutputModes::link(&self.vertex, fragment, flatshade);
        self.fragment.as_ref().map_or(OutputModes::default(), link)
    }
}

/// Returns the fragment shader's registers, with its constants in them.
fn prepared<'m>(
    programs: &Programs<'_>,
    memory: Memory<'m>,
) -> Result<Vec<'m, [u32; 4]>, PipeError> {
    let mut rows = Vec::new_in(memory);
    if let Some(fragment) = &programs.fragment {
        rows.try_resize(usize::from(fragment.rows), [0; 4])?;
        exec::prepare(fragment, &mut rows, programs.constants)
            .map_err(|_| PipeError::Invalid("a fragment shader that does not run"))?;
    }
    Ok(rows)
}

/// Returns a bound object's state; the default where none is bound.
fn state<T: Copy + Default>(pool: &Pool<'_, T>, handle: Option<RawHandle>) -> T {
    handle.and_then(|handle| pool.get(handle)).copied().unwrap_or_default()
}

/// Copies the textures that a stage has bound.
fn textures<'m>(
    objects: &Objects<'m>,
    bound: &Bound<'m>,
    stage: usize,
    device: &Device<'m>,
) -> Result<Textures<'m>, PipeError> {
    let memory = device.os.memory;
    let mut list = Vec::new_in(memory);
    let bindings = &bound.stages[stage];
    for (unit, view) in bindings.views.iter().enumerate() {
        let Some(view) = view.and_then(|handle| objects.views.get(handle)) else { continue };
        let texture = Texture::new(unit as u32, &view.resource, &view.template, memory)?;
        // Programs may look up a view with any sampler.
        for sampler_unit in 0..MAX_SAMPLERS {
            let sampler = bindings.samplers.get(sampler_unit).copied().flatten();
            let sampler = state(&objects.samplers, sampler);
            list.try_push(texture.with_sampler(sampler_unit as u32, sampler))?;
        }
    }
    let derivatives = stage == FRAGMENT;
    Ok(Textures { list, nudge: device.config.nudge, primitive: 0, derivatives })
}

/// Gathers the state of painting.
fn paint_state<'a, 'm>(
    objects: &Objects<'m>,
    bound: &'a Bound<'m>,
    rasterizer: &RasterizerState,
    programs: &Programs<'a>,
    nudge: Nudge,
) -> PaintState<'a, 'm> {
    let framebuffer = &bound.framebuffer;
    let dsa = state(&objects.depth_stencil_alphas, bound.depth_stencil_alpha);
    let depth = framebuffer.depth.as_ref().and_then(|target| {
        let format = DepthStencilFormat::of(target.format)?;
        Some((target, DepthStencilTest { state: dsa, reference: bound.stencil_ref, format }))
    });
    let (bounds, point_bounds) =
        bounds(bound, rasterizer, programs.vertex.properties.window_space_position());
    let samples = samples(bound, rasterizer, programs.fragment.as_ref());
    PaintState {
        rasterizer: shapes(rasterizer, &samples),
        samples,
        blend: state(&objects.blends, bound.blend),
        blend_color: bound.blend_color,
        stipple: bound.stipple,
        window_rectangles: bound.window_rectangles,
        alpha: dsa.alpha_enabled.then_some((dsa.alpha_func, dsa.alpha_ref_value)),
        bounds,
        point_bounds,
        depth_range: depth_range(rasterizer, &bound.viewport),
        color: &framebuffer.color,
        depth,
        height: framebuffer.height,
        vertex: programs.vertex,
        fragment: programs.fragment,
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
    let asked = bound.min_samples > 1 || rasterizer.force_persample_interp;
    let (set, known) = bound.sample_places;
    let places = core::array::from_fn(|sample| match set.get(sample) {
        Some(byte) if sample < known => [byte & 15, byte >> 4],
        _ => standard_place(count, sample),
    });
    Samples {
        count,
        mask: bound.sample_mask.0 & u32::MAX >> (32 - count),
        centered,
        per_sample: !centered && (asked || names_sample),
        places,
    }
}

/// Returns the state that primitives are shaped by: with samples, which smooth the edges, a line is a
/// rectangle and a point a square (OpenGL 4.6, sections 14.4.3 and 14.5.4).
fn shapes(rasterizer: &RasterizerState, samples: &Samples) -> RasterizerState {
    if samples.centered {
        return RasterizerState { multisample: false, ..*rasterizer };
    }
    RasterizerState {
        line_smooth: false,
        line_rectangular: true,
        point_smooth: false,
        point_quad_rasterization: true,
        ..*rasterizer
    }
}

/// Returns the pixels that triangles and lines, and those that points may draw: within framebuffer
/// and scissor, and, as Draw clips at its guard band only, within the sides of the viewport. Points
/// are clipped by their centre, unless they are clipped as squares.
fn bounds(bound: &Bound<'_>, rasterizer: &RasterizerState, window_space: bool) -> (Bounds, Bounds) {
    let framebuffer = &bound.framebuffer;
    let (x1, y1) = (framebuffer.width as i32, framebuffer.height as i32);
    let mut all = Bounds { x0: 0, y0: 0, x1, y1 };
    if rasterizer.scissor {
        let scissor = &bound.scissor;
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
        let viewport = &bound.viewport;
        let (scale, translate) = (viewport.scale[axis].abs(), viewport.translate[axis]);
        let reach = f64::from(draw::limits::MAX_GUARD_BAND);
        let place = (f64::from(translate) + sign * f64::from(scale)).clamp(-reach, reach);
        rule.first_pixel((place * f64::from(PIXEL)).round_ties_even() as i32)
    };
    let sides = Bounds { x0: side(0, -1.0), y0: side(1, -1.0), x1: side(0, 1.0), y1: side(1, 1.0) };
    let within = all.intersection(sides);
    (within, if rasterizer.point_tri_clip { within } else { all })
}

/// Returns the depths that fragments are clamped to with `depth_clamp`: those between the ends of the
/// viewport, in either order (OpenGL 4.6, section 17.3.4: "the range [min(n, f), max(n, f)]").
fn depth_range(rasterizer: &RasterizerState, viewport: &ViewportState) -> Option<[f64; 2]> {
    if !rasterizer.depth_clamp {
        return None;
    }
    let near = if rasterizer.clip_halfz { 0.0 } else { -1.0 };
    let (scale, translate) = (f64::from(viewport.scale[2]), f64::from(viewport.translate[2]));
    let [a, b] = [near, 1.0].map(|z| (translate + z * scale).clamp(0.0, 1.0));
    Some([a.min(b), a.max(b)])
}
