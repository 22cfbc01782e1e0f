//! The history of a pixel: every call and every fragment that reached it.
//!
//! The recording is played call by call. A draw to the pixel's resource is made several times: its
//! fragments at the pixel are counted, and each is drawn alone to get its colour and depth. The
//! tests are then applied in Gallium's order (discard, alpha, stencil, depth) to the values that
//! the buffers had. The draw itself follows, and the pixel that it leaves must be the computed one.

use anyhow::{Context as _, Result, bail};
use formats::depth::DepthLayout;
use pipe_core::*;
use serde::Serialize;
use tgsi::scan::Does;

use crate::bytes;
use crate::picture::{self, Place, Texel, texel};
use crate::probe::{Bound, Isolation, MAX_FRAGMENTS, Pass, Probe};
use crate::samples;
use crate::session::Session;
use crate::shaders;
use crate::state::Draw;
use crate::why;

/// A call that reached the pixel.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Event {
    /// The call; 0 for the pixel before the first call.
    pub call: u64,
    /// The call's name.
    pub name: &'static str,
    /// The pixel before the call.
    pub before: Option<Texel>,
    /// The pixel after the call.
    pub after: Option<Texel>,
    /// Depth and stencil before the call.
    pub depth_before: Option<Texel>,
    /// Depth and stencil after the call.
    pub depth_after: Option<Texel>,
    /// The fragments of a draw, in order.
    pub fragments: Vec<Fragment>,
    /// For a target with several samples per pixel: the number of the pixel's samples that are left
    /// after each test of a draw.
    pub samples: Vec<(&'static str, u64)>,
    /// The part that could not be measured, and why.
    pub note: Option<String>,
}

/// A fragment at the pixel.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Fragment {
    /// The number of its primitive in the draw, from 0.
    pub primitive: Option<u32>,
    /// True if the front of the primitive is seen.
    pub front: Option<bool>,
    /// Its depth, in the precision of the depth buffer.
    pub depth: f32,
    /// The output of the fragment shader.
    pub output: Texel,
    /// The test that dropped it; `None` if it passed all.
    pub dropped: Option<String>,
    /// The pixel after the fragment.
    pub after: Option<Texel>,
}

/// Returns the calls that reached a pixel, of the calls `first` to `last`.
///
/// # Errors
/// A call cannot be played, or the pixel cannot be read.
pub fn history(
    session: &mut Session<'_>,
    place: Place,
    first: u64,
    last: u64,
) -> Result<Vec<Event>> {
    let first = first.max(1);
    session.go(first - 1)?;
    let start = state(session, place, None).unwrap_or_default();
    let mut events = vec![Event {
        call: first - 1,
        name: "before",
        before: start.color_texel(),
        after: start.color_texel(),
        depth_before: None,
        depth_after: None,
        fragments: Vec::new(),
        samples: Vec::new(),
        note: None,
    }];
    let mut before = start;
    while session.index() < last {
        let call = session.listing().call(session.index() + 1)?;
        let draws_to = {
            let facts = session.facts().lock();
            let context = facts.contexts.get(&call.context);
            context.is_some_and(|it| it.draws_to(place.resource, place.level, place.layer))
        };
        if call.name == "draw_vbo" && draws_to {
            let event = of_draw(session, place, call.index)?;
            before.color = event.raw_after;
            if event.touched {
                events.push(event.event);
            }
            continue;
        }
        session.go(call.index)?;
        let is_touched = {
            let facts = session.facts().lock();
            facts.touched_any
                || facts.touched.contains(&place.resource)
                || (call.name == "clear" && draws_to)
        };
        if !is_touched {
            continue;
        }
        let after = state(session, place, Some(call.context)).unwrap_or_default();
        if after.color != before.color {
            events.push(Event {
                call: call.index,
                name: call.name,
                before: before.color_texel(),
                after: after.color_texel(),
                depth_before: None,
                depth_after: after.depth_texel(),
                fragments: Vec::new(),
                samples: Vec::new(),
                note: None,
            });
        }
        before = after;
    }
    Ok(events)
}

/// The bytes of a pixel and of its depth.
#[derive(Clone, Default)]
struct Values {
    color: Option<Vec<u8>>,
    format: Option<Format>,
    depth: Option<(Format, Vec<u8>)>,
    /// Samples per pixel; of more than one without a chosen one, the colour is the mean, and the depth
    /// is unknown.
    samples: u8,
}

impl Values {
    fn color_texel(&self) -> Option<Texel> {
        Some(texel(self.format?, self.color.as_deref()?))
    }

    fn depth_texel(&self) -> Option<Texel> {
        self.depth.as_ref().map(|(format, bytes)| texel(*format, bytes))
    }
}

/// The pixel's region.
fn region(place: Place) -> Region {
    let z = i32::try_from(place.layer).unwrap_or(i32::MAX);
    Region { z, ..Region::rect(place.x, place.y, 1, 1) }
}

/// Reads the pixel, and the depth below it in the framebuffer of a context.
fn state(session: &mut Session<'_>, place: Place, context: Option<u64>) -> Result<Values> {
    let number = match context.filter(|number| *number > 0) {
        Some(number) => number,
        None => session.any_context()?,
    };
    let (template, depth) = {
        let facts = session.facts().lock();
        let (template, _) = facts.resources.get(&place.resource).context("no such resource")?;
        let of_context = facts.contexts.get(&number);
        let draws_to = |it: &&crate::state::ContextFacts| {
            it.draws_to(place.resource, place.level, place.layer)
        };
        (*template, of_context.filter(draws_to).and_then(|it| it.depth_buffer()))
    };
    session.with_context(number, |screen, context| {
        let at = region(place);
        if template.samples() > 1 && place.sample.is_none() {
            let level = place.level;
            let mean = picture::resolved(screen, context, place.resource, &template, level, &at)?;
            let format = Some(template.format);
            return Ok(Values {
                color: Some(mean),
                format,
                depth: None,
                samples: template.samples(),
            });
        }
        let mut read = |resource, template: &ResourceTemplate, level, at: &Region| match place
            .sample
            .filter(|_| template.samples() > 1)
        {
            Some(sample) => samples::read(screen, context, (resource, template), level, at, sample),
            None => bytes::read(screen, context, resource, level, at),
        };
        let color = read(place.resource, &template, place.level, &at)?;
        let depth = match depth {
            Some((resource, SurfaceTemplate { range, .. })) if resource != place.resource => {
                let SurfaceRange::Texture { level, first_layer, .. } = range else {
                    bail!("the depth buffer is no texture")
                };
                let z = i32::try_from(first_layer).unwrap_or(i32::MAX);
                let of = screen.resource_template(resource)?;
                Some((of.format, read(resource, &of, level, &Region { z, ..at })?))
            }
            _ => None,
        };
        let (color, format) = (Some(color), Some(template.format));
        Ok(Values { color, format, depth, samples: template.samples() })
    })
}

struct DrawEvent {
    event: Event,
    touched: bool,
    raw_after: Option<Vec<u8>>,
}

/// Measures a draw, then makes it.
fn of_draw(session: &mut Session<'_>, place: Place, call: u64) -> Result<DrawEvent> {
    let number = session.listing().call(call)?.context;
    let before = state(session, place, Some(number))?;
    let held = session.hold(call);
    let draw = match held {
        Ok(draw) => draw,
        // A refused draw reaches no pixel.
        Err(_) => {
            session.go(call)?;
            let raw_after = before.color.clone();
            return Ok(DrawEvent { event: empty(call, &before), touched: false, raw_after });
        }
    };
    let is_mean = before.samples > 1 && place.sample.is_none();
    let (measured, samples) = match is_mean {
        false => (fragments(session, place, &draw, &before), Ok(Vec::new())),
        true => (Ok(Vec::new()), counts(session, place, &draw)),
    };
    // The recording's own draw.
    let drawn = session.with_context(number, |_, context| Ok(draw.make(context)?));
    if !session.facts().lock().contexts.get(&number).is_none_or(|it| it.open_queries.is_empty()) {
        session.spoil();
    }
    let after = state(session, place, Some(number))?;
    let mut event = Event {
        after: after.color_texel(),
        depth_after: after.depth_texel(),
        ..empty(call, &before)
    };
    let mut touched = after.color != before.color;
    if let Err(error) = drawn {
        event.note = Some(format!("the draw was refused: {error}"));
        touched = true;
    }
    match samples {
        Ok(list) => {
            touched |= list.first().is_some_and(|(_, count)| *count > 0);
            event.samples = list;
        }
        Err(error) => {
            event.note.get_or_insert(format!("its samples cannot be counted: {error:#}"));
        }
    }
    match measured {
        Ok(_) if is_mean => {}
        Ok(mut list) => {
            touched |= !list.is_empty();
            check(&mut list, &mut event);
            event.fragments = list;
        }
        Err(error) => {
            event.note.get_or_insert(format!("its fragments cannot be measured: {error:#}"));
        }
    }
    Ok(DrawEvent { event, touched, raw_after: after.color })
}

fn empty(call: u64, before: &Values) -> Event {
    Event {
        call,
        name: "draw_vbo",
        before: before.color_texel(),
        after: before.color_texel(),
        depth_before: before.depth_texel(),
        depth_after: before.depth_texel(),
        fragments: Vec::new(),
        samples: Vec::new(),
        note: None,
    }
}

/// Compares the computed pixel with the pixel that the draw left.
fn check(fragments: &mut [Fragment], event: &mut Event) {
    let Some(last) = fragments.iter_mut().rfind(|fragment| fragment.dropped.is_none()) else {
        if event.before != event.after {
            event.note = Some("the pixel changed, although all measured fragments fell".into());
        }
        return;
    };
    if last.after.is_some() && last.after != event.after {
        event.note = Some(format!(
            "the measured fragments give {}, the draw gave {}",
            last.after.map_or_else(String::new, |texel| texel.to_string()),
            event.after.map_or_else(String::new, |texel| texel.to_string()),
        ));
    }
    last.after = event.after;
}

/// Returns the class of float and integer formats that a shader writes to a format.
pub(crate) const fn written_as(format: Format) -> Format {
    if format.is_pure_sint() {
        Format::R32G32B32A32Sint
    } else if format.is_pure_uint() {
        Format::R32G32B32A32Uint
    } else {
        Format::R32G32B32A32Float
    }
}

/// Counts the samples of a pixel that are left after each test of a draw.
fn counts(
    session: &mut Session<'_>,
    place: Place,
    draw: &Draw,
) -> Result<Vec<(&'static str, u64)>> {
    let (bound, source) = {
        let facts = session.facts().lock();
        let context = facts.contexts.get(&draw.context).context("no such context")?;
        if let Some(stage) = shaders::writer(context) {
            bail!("the {stage:?} shader writes memory");
        }
        let shader = context.shader(ShaderType::Fragment);
        (Bound::of(context), shader.map(|(_, shader)| shader.text.clone()))
    };
    let source = source.context("no fragment shader is bound")?;
    if bound.rasterizer_state().rasterizer_discard {
        return Ok(Vec::new());
    }
    let only = crate::probe::pixel(place.x, place.y)?;
    session.with_context(draw.context, |screen, context| {
        Probe::run(screen, context, bound, |probe| why::funnel(probe, draw, &source, Some(only)))
    })
}

/// Measures the fragments of a draw at a pixel.
fn fragments(
    session: &mut Session<'_>,
    place: Place,
    draw: &Draw,
    before: &Values,
) -> Result<Vec<Fragment>> {
    let (bound, source, attachment) = {
        let facts = session.facts().lock();
        let context = facts.contexts.get(&draw.context).context("no such context")?;
        let shader = context.shader(ShaderType::Fragment);
        let attachment = context.framebuffer.cbufs.iter().position(|surface| {
            let resource = surface.and_then(|surface| context.surfaces.get(&surface));
            resource.is_some_and(|(resource, _)| *resource == place.resource)
        });
        for stage in ShaderType::ALL.iter().filter(|stage| **stage != ShaderType::Compute) {
            let Some((_, shader)) = context.shader(*stage) else { continue };
            let does = shaders::does(&shader.text)?;
            if does.contains(Does::WRITE_MEMORY) {
                bail!("the {stage:?} shader writes memory");
            }
            if does.contains(Does::FBFETCH) {
                bail!("the {stage:?} shader reads the framebuffer");
            }
        }
        if context.framebuffer.layers > 1 {
            bail!("the framebuffer has {} layers", context.framebuffer.layers);
        }
        (Bound::of(context), shader.map(|(_, shader)| shader.text.clone()), attachment)
    };
    let source = source.context("no fragment shader is bound")?;
    if bound.rasterizer_state().rasterizer_discard {
        return Ok(Vec::new());
    }
    let kills = shaders::does(&source)?.contains(Does::KILL);
    let place_of_color = attachment.unwrap_or(0);
    let depth_format = before.depth.as_ref().map(|(format, _)| *format);
    session.with_context(draw.context, |screen, context| {
        Probe::run(screen, context, bound, |probe| {
            let color = match attachment {
                Some(_) => before.format.context("no colour format")?,
                None => Format::R32G32B32A32Float,
            };
            let out = written_as(color);
            let (x, y) = (place.x, place.y);
            probe.samples = (before.samples, place.sample.unwrap_or(0));
            let spreads = before.samples > 1 && probe.bound.blend_state().alpha_to_coverage;
            let mut isolation = Isolation::new(probe, x, y, &[out], place_of_color, depth_format)?;
            let text = if kills { shaders::without_kill(&source)? } else { source.clone() };
            let plain = probe.shader(ShaderType::Fragment, &ShaderState::text(&text))?;
            let count = isolation.count(probe, draw, plain)?;
            if count == 0 {
                return Ok(Vec::new());
            }
            let identity = identity(probe, x, y);
            let mut list = Vec::new();
            for number in 0..count {
                let (colors, depth) = isolation.fragment(probe, draw, plain, number)?;
                let output = colors.into_iter().next().context("no colour")?;
                let who = identity.as_ref().ok().and_then(|(isolation, shader)| {
                    let (colors, _) = isolation.fragment(probe, draw, *shader, number).ok()?;
                    let words = texel(Format::R32G32B32A32Uint, colors.first()?);
                    let Texel::Uint([primitive, front, ..]) = words else { return None };
                    Some((primitive, front != 0))
                });
                list.push(Measured { output, depth, who, killed: false });
            }
            if kills || spreads {
                let real = probe.bound.shaders[ShaderType::Fragment];
                isolation.blend.alpha_to_coverage = spreads;
                survivors(probe, &isolation, draw, real.context("no shader")?, &mut list)?;
            }
            let fates = Fates {
                state: probe.bound.depth_state(),
                reference: probe.bound.stencil_ref,
                captured: isolation.depth_format,
                stored: before.depth.clone(),
                out,
                discard: match spreads {
                    true => "the shader or alpha to coverage, which left the sample out",
                    false => "the shader discarded it",
                },
                masked: masked(probe),
            };
            let mut judged = fates.judge(&list)?;
            merge(probe, place, before, place_of_color, &list, &mut judged, color, out)?;
            if count == MAX_FRAGMENTS
                && let Some(last) = judged.last_mut()
            {
                last.dropped.get_or_insert("not measured: later fragments follow".into());
            }
            Ok(judged)
        })
    })
}

/// A fragment drawn alone.
struct Measured {
    output: Vec<u8>,
    depth: Vec<u8>,
    who: Option<(u32, bool)>,
    killed: bool,
}

/// Creates the buffers and the shader that give the primitive of a fragment.
fn identity(probe: &mut Probe<'_, '_>, x: u32, y: u32) -> Result<(Isolation, ShaderHandle)> {
    let isolation = Isolation::new(probe, x, y, &[Format::R32G32B32A32Uint], 0, None)?;
    let shader = probe.shader(ShaderType::Fragment, &ShaderState::text(shaders::IDENTITY))?;
    Ok((isolation, shader))
}

/// Marks fragments that the shader discards: the fragments that are missing when it runs.
fn survivors(
    probe: &mut Probe<'_, '_>,
    isolation: &Isolation,
    draw: &Draw,
    real: ShaderHandle,
    list: &mut [Measured],
) -> Result<()> {
    let alive = isolation.count(probe, draw, real)?;
    let mut next = 0;
    let mut current = None;
    for measured in list {
        if current.is_none() && next < alive {
            let (colors, depth) = isolation.fragment(probe, draw, real, next)?;
            current = colors.into_iter().next().map(|color| (color, depth));
        }
        let is_alive = current.as_ref().is_some_and(|(color, depth)| {
            // The stencil counts differ; compare the depth alone.
            let layout = DepthLayout::new(isolation.depth_format);
            let z = |bytes: &[u8]| layout.map(|layout| layout.z_f32(bytes).to_bits());
            *color == measured.output && z(depth) == z(&measured.depth)
        });
        measured.killed = !is_alive;
        if is_alive {
            next += 1;
            current = None;
        }
    }
    Ok(())
}

/// The tests and the values in the buffers.
struct Fates {
    state: DepthStencilAlphaState,
    reference: StencilRef,
    captured: Format,
    stored: Option<(Format, Vec<u8>)>,
    out: Format,
    /// The reason why fragments are missing when the shader runs.
    discard: &'static str,
    /// The reason why the sample mask drops all fragments, if it does.
    masked: Option<String>,
}

/// Explains that the sample mask leaves the chosen sample out, if it does.
fn masked(probe: &Probe<'_, '_>) -> Option<String> {
    let ((count, sample), mask) = (probe.samples, probe.bound.sample_mask);
    let is_masked = count > 1 && mask >> sample & 1 == 0;
    is_masked.then(|| format!("the sample mask {mask:#x} leaves sample {sample} out"))
}

impl Fates {
    /// Applies the tests to the fragments, in order.
    fn judge(mut self, list: &[Measured]) -> Result<Vec<Fragment>> {
        let captured = DepthLayout::new(self.captured).context("no depth format")?;
        let mut judged = Vec::new();
        for measured in list {
            let output = texel(self.out, &measured.output);
            // The depth in the precision of the buffer.
            let z = captured.z_f32(&measured.depth);
            let mut incoming = self.stored.clone();
            if let Some((format, bytes)) = &mut incoming
                && let Some(layout) = DepthLayout::new(*format)
            {
                match layout.depth.is_some_and(|depth| depth.float) {
                    true => layout.set_z_f32(bytes, z),
                    false => layout.set_z_unorm32(bytes, captured.z_unorm32(&measured.depth)),
                }
            }
            let front = measured.who.map(|(_, front)| front);
            let dropped = self.test(measured, output, incoming.as_ref(), front.unwrap_or(true));
            let depth = match &incoming {
                Some((format, bytes)) => {
                    DepthLayout::new(*format).map_or(z, |layout| layout.z_f32(bytes))
                }
                None => z,
            };
            judged.push(Fragment {
                primitive: measured.who.map(|(primitive, _)| primitive),
                front,
                depth,
                output,
                dropped,
                after: None,
            });
        }
        Ok(judged)
    }

    /// Applies the tests to one fragment and updates the stored depth and stencil. Returns the test
    /// that dropped the fragment.
    fn test(
        &mut self,
        measured: &Measured,
        output: Texel,
        incoming: Option<&(Format, Vec<u8>)>,
        front: bool,
    ) -> Option<String> {
        if self.masked.is_some() {
            return self.masked.clone();
        }
        if measured.killed {
            return Some(self.discard.into());
        }
        let state = self.state;
        if state.alpha_enabled
            && let Texel::Float([.., alpha]) = output
            && !state.alpha_func.passes(alpha, state.alpha_ref_value)
        {
            let (func, value) = (state.alpha_func, state.alpha_ref_value);
            return Some(format!("alpha test: {alpha} is not {func:?} {value}"));
        }
        let (format, stored) = self.stored.as_mut()?;
        let layout = DepthLayout::new(*format)?;
        let is_two_sided = state.stencil[1].enabled;
        let face = if !front && is_two_sided { state.stencil[1] } else { state.stencil[0] };
        let has_stencil = layout.stencil.is_some() && state.stencil[0].enabled;
        let reference = self.reference.of(front, is_two_sided);
        let old = layout.stencil(stored);
        let put = |stored: &mut [u8], op: StencilOp| {
            let new = op.apply(old, reference);
            layout.set_stencil(stored, old & !face.writemask | new & face.writemask);
        };
        if has_stencil {
            let (left, right) = (reference & face.valuemask, old & face.valuemask);
            if !face.func.passes(left, right) {
                put(stored, face.fail_op);
                return Some(format!(
                    "stencil test: reference {left} is not {:?} the stored {right}",
                    face.func
                ));
            }
        }
        let (_, bytes) = incoming?;
        let depth = layout.depth.is_some();
        if depth && state.depth_bounds_test {
            let z = layout.z_f32(stored);
            if z < state.depth_bounds_min || z > state.depth_bounds_max {
                return Some(format!(
                    "depth bounds: the stored {z} is outside of {} to {}",
                    state.depth_bounds_min, state.depth_bounds_max
                ));
            }
        }
        if depth && state.depth_enabled {
            let passes = match layout.depth.is_some_and(|depth| depth.float) {
                true => state.depth_func.passes(layout.z_f32(bytes), layout.z_f32(stored)),
                false => state.depth_func.passes(layout.z_unorm32(bytes), layout.z_unorm32(stored)),
            };
            if !passes {
                if has_stencil {
                    put(stored, face.zfail_op);
                }
                return Some(format!(
                    "depth test: {} is not {:?} the stored {}",
                    layout.z_f32(bytes),
                    state.depth_func,
                    layout.z_f32(stored)
                ));
            }
            if state.depth_writemask {
                match layout.depth.is_some_and(|depth| depth.float) {
                    true => layout.set_z_f32(stored, layout.z_f32(bytes)),
                    false => layout.set_z_unorm32(stored, layout.z_unorm32(bytes)),
                }
            }
        }
        if has_stencil {
            put(stored, face.zpass_op);
        }
        None
    }
}

const CORNERS: [[f32; 4]; 3] =
    [[-1.0, -1.0, 0.0, 1.0], [3.0, -1.0, 0.0, 1.0], [-1.0, 3.0, 0.0, 1.0]];

/// Computes the pixel after each fragment that passed: the driver blends constant colours.
#[allow(clippy::too_many_arguments, reason = "the parts of one measurement")]
fn merge(
    probe: &mut Probe<'_, '_>,
    place: Place,
    before: &Values,
    attachment: usize,
    list: &[Measured],
    judged: &mut [Fragment],
    format: Format,
    out: Format,
) -> Result<()> {
    let Some(start) = &before.color else { return Ok(()) };
    let blend = probe.bound.blend_state();
    let rt = if blend.independent_blend_enable { attachment } else { 0 };
    let uses_second = blend.rt.get(rt).is_some_and(|rt| {
        rt.blend_enable && rt.factors().iter().any(|factor| factor.is_dual_source())
    });
    if format.is_depth_or_stencil() || uses_second {
        return Ok(());
    }
    let (target, surface) = probe.target(format, Bind::RENDER_TARGET)?;
    let at = Region::rect(place.x, place.y, 1, 1);
    bytes::write(probe.screen, probe.context, target, 0, &at, start)?;
    let fragment =
        format!("FRAG\nDCL OUT[0], COLOR[{attachment}]\nDCL CONST[0]\nMOV OUT[0], CONST[0]\nEND\n");
    let fragment = probe.shader(ShaderType::Fragment, &ShaderState::text(&fragment))?;
    let vertex = "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nMOV OUT[0], IN[0]\nEND\n";
    let vertex = probe.shader(ShaderType::Vertex, &ShaderState::text(vertex))?;
    let bytes: Vec<u8> = CORNERS.as_flattened().iter().flat_map(|it| it.to_le_bytes()).collect();
    let template = ResourceTemplate::buffer(u32::try_from(bytes.len())?, Bind::VERTEX_BUFFER);
    let resource = probe.resource(&template)?;
    let FramebufferState { width, height, .. } = probe.bound.framebuffer;
    let context = &mut *probe.context;
    context.buffer_subdata(resource, MapFlags::WRITE, 0, &bytes)?;
    let vertices = VertexBuffer { resource, stride: 16, buffer_offset: 0 };
    context.set_vertex_buffers(0, &[Some(vertices)])?;
    let elements = [VertexElement::per_vertex(0, Format::R32G32B32A32Float)];
    let elements = context.create_vertex_elements_state(&elements)?;
    context.bind_vertex_elements_state(Some(elements))?;
    let viewport = ViewportState::y_down(width.into(), height.into());
    context.set_viewport_states(0, &[viewport])?;
    for stage in [ShaderType::Geometry, ShaderType::TessCtrl, ShaderType::TessEval] {
        if probe.bound.shaders[stage].is_some() {
            context.bind_shader_state(stage, None)?;
        }
    }
    context.bind_shader_state(ShaderType::Vertex, Some(vertex))?;
    let mut framebuffer = FramebufferState {
        cbufs: Default::default(),
        zsbuf: None,
        layers: 0,
        samples: 0,
        ..probe.bound.framebuffer
    };
    if let Some(slot) = framebuffer.cbufs.get_mut(attachment) {
        *slot = Some(surface);
    }
    let clamps = probe.bound.rasterizer_state().clamp_fragment_color;
    let pass = Pass {
        framebuffer,
        rasterizer: RasterizerState {
            scissor: true,
            clamp_fragment_color: clamps,
            ..RasterizerState::default()
        },
        depth: DepthStencilAlphaState::default(),
        blend,
        fragment: Some(fragment),
        stencil_ref: 0,
        scissor: Some(crate::probe::pixel(place.x, place.y)?),
        sample_mask: if before.samples > 1 { u32::MAX } else { probe.bound.sample_mask },
    };
    debug_assert_eq!(out.block_bytes(), 16);
    for (measured, judged) in list.iter().zip(judged) {
        if judged.dropped.is_some() {
            continue;
        }
        probe.with(&pass, |probe| {
            let color = ConstantBuffer::User(&measured.output);
            probe.context.set_constant_buffer(ShaderType::Fragment, 0, Some(color))?;
            let info = DrawInfo::new(PrimType::Triangles);
            Ok(probe.context.draw_vbo(&info, None, &[DrawStartCount::count(3)])?)
        })?;
        judged.after = Some(texel(format, &probe.texel(target, place.x, place.y)?));
    }
    // The next draw of the recording has its own.
    probe.context.bind_vertex_elements_state(None)?;
    probe.context.delete_vertex_elements_state(elements)?;
    Ok(())
}
