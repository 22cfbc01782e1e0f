//! Why a draw shows nothing: the checks of `docs/firmware.md`, computed for one draw.
//!
//! Checks of the bindings come first. Then the draw's vertices are captured after the last vertex
//! stage and compared with the clip volume. Last, the draw is made with all tests off, and the tests
//! are turned on one by one, in the order of the pipeline: the test at which the number of samples
//! falls to 0 is the cause.

use anyhow::{Context as _, Result, bail};
use pipe_core::*;
use serde::Serialize;
use tgsi::register::File;
use tgsi::scan::{Does, ShaderInfo};

use crate::bytes;
use crate::mesh::{self, Mesh, View};
use crate::probe::{Bound, Pass, Probe};
use crate::session::Session;
use crate::shaders;
use crate::state::{Constants, ContextFacts, Draw, Facts};

/// The answer for a draw.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Why {
    /// The call.
    pub call: u64,
    /// The reasons why nothing is seen, or why the picture may be wrong; first cause first.
    pub causes: Vec<String>,
    /// The primitives after the last vertex stage, if they could be captured.
    pub mesh: Option<Mesh>,
    /// The number of samples after each test, in the order of the pipeline.
    pub samples: Vec<(&'static str, u64)>,
    /// The number of texels of the attachments that the draw changed.
    pub changed: u64,
    /// Parts that could not be measured, and why.
    pub notes: Vec<String>,
}

/// Explains what a draw shows.
///
/// # Errors
/// The call is no draw, or cannot be reached.
pub fn why(session: &mut Session<'_>, call: u64) -> Result<Why> {
    let mut why = Why { call, ..Why::default() };
    let name = session.listing().call(call)?.name;
    if name != "draw_vbo" {
        bail!("call {call} is {name}, not a draw");
    }
    let number = session.listing().call(call)?.context;
    let draw = match session.hold(call) {
        Ok(draw) => draw,
        Err(error) => {
            why.causes.push(format!("{error:#}"));
            return Ok(why);
        }
    };
    let (bound, view, fragment, vertex, writer) = {
        let facts = session.facts().lock();
        let context = facts.contexts.get(&number).context("no such context")?;
        bindings(&facts, context, &draw, &mut why);
        let fragment = context.shader(ShaderType::Fragment).map(|(_, it)| it.text.clone());
        let view = View::of(context);
        let writer = shaders::writer(context);
        (Bound::of(context), view, fragment, mesh::last_stage(context).ok(), writer)
    };
    if let Some(stage) = writer {
        let note = format!("the {stage:?} shader writes memory, so the draw is not repeated");
        why.notes.push(note);
    } else if let Some((stage, text)) = &vertex {
        let captured = session.with_context(number, |screen, context| {
            Probe::run(screen, context, bound.clone(), |probe| {
                mesh::capture(probe, &draw, *stage, text, false)
            })
        });
        match captured {
            Ok(captured) => {
                let mesh = captured.summary(&view);
                geometry(&mesh, &mut why);
                why.mesh = Some(mesh);
            }
            Err(error) => why.notes.push(format!("the vertices were not captured: {error:#}")),
        }
        if let Some(fragment) = &fragment {
            let measured = session.with_context(number, |screen, context| {
                Probe::run(screen, context, bound.clone(), |probe| {
                    funnel(probe, &draw, fragment, None)
                })
            });
            match measured {
                Ok(samples) => {
                    tests(&samples, &bound, &mut why);
                    why.samples = samples;
                }
                Err(error) => {
                    why.notes.push(format!("the samples were not counted: {error:#}"));
                }
            }
        }
    }
    let before = attachments(session, number);
    let drawn = session.with_context(number, |_, context| Ok(draw.make(context)?));
    if let Err(error) = drawn {
        why.causes.insert(0, format!("the draw was refused: {error}"));
    }
    let after = attachments(session, number);
    why.changed = before.iter().zip(&after).map(|(before, after)| changed(before, after)).sum();
    if why.changed == 0 && why.samples.last().is_some_and(|(_, count)| *count > 0) {
        unseen(&bound, &mut why);
    }
    session.spoil();
    Ok(why)
}

/// Checks the bindings of a draw.
fn bindings(facts: &Facts, context: &ContextFacts, draw: &Draw, why: &mut Why) {
    let causes = &mut why.causes;
    let info = draw.info();
    let patch = context.patch_vertices.unwrap_or(3).into();
    if draw.indirect.is_none() {
        let least = info.mode.min_vertices(patch);
        if info.instance_count == 0 {
            causes.push("the draw has 0 instances".into());
        }
        if draw.draws.iter().all(|draw| draw.count < least) {
            let most = draw.draws.iter().map(|draw| draw.count).max().unwrap_or(0);
            causes.push(format!(
                "the draw has {most} vertices: {:?} need at least {least} (count vertices, not \
                 primitives)",
                info.mode
            ));
        }
    }
    let framebuffer = context.framebuffer;
    if framebuffer.attachments().next().is_none() {
        causes.push("the framebuffer has no attachments: call set_framebuffer_state".into());
    }
    let rasterizer = context.rasterizer_state().unwrap_or_default();
    if rasterizer.rasterizer_discard {
        causes.push("the rasterizer state discards all primitives (rasterizer_discard)".into());
    }
    if rasterizer.cull_face == Face::FrontAndBack {
        causes.push("both faces are culled (cull_face: FrontAndBack)".into());
    }
    match context.viewports.get(&0) {
        None => causes.push(
            "no viewport is set: call set_viewport_states, for example with ViewportState::y_up"
                .into(),
        ),
        Some(viewport) if viewport.scale[0] == 0.0 || viewport.scale[1] == 0.0 => {
            causes.push(format!("the viewport has no area: its scale is {:?}", viewport.scale));
        }
        Some(_) => {}
    }
    for stage in [ShaderType::Vertex, ShaderType::Fragment] {
        match context.shader(stage) {
            None => causes.push(format!("no shader is bound for the stage {stage:?}")),
            Some((_, shader)) => slots(context, stage, &shader.text, causes),
        }
    }
    vertices(facts, context, causes);
    let depth = context.depth_state().unwrap_or_default();
    if depth.depth_enabled && framebuffer.zsbuf.is_some() && !context.depth_cleared {
        causes.push(
            "the depth buffer was not cleared since it was bound: clear with ClearFlags::DEPTH"
                .into(),
        );
    }
    if depth.depth_enabled && framebuffer.zsbuf.is_none() {
        why.notes.push("the depth test is on, but there is no depth buffer: it passes".into());
    }
}

/// Checks that the slots which a shader reads are bound.
fn slots(context: &ContextFacts, stage: ShaderType, text: &str, causes: &mut Vec<String>) {
    let Ok(shader) = shaders::parse(text) else { return };
    let Ok(info) = ShaderInfo::new(&shader) else { return };
    let bound = &context.stages[stage];
    for slot in (0..32).filter(|slot| info.constant_buffers >> slot & 1 != 0) {
        let needed = shader
            .declarations()
            .iter()
            .filter(|dcl| {
                dcl.file == File::Constant && usize::from(dcl.dimension.unwrap_or(0)) == slot
            })
            .map(|dcl| (usize::from(dcl.last) + 1) * 16)
            .max()
            .unwrap_or(0);
        let size = match bound.constants.get(&slot) {
            None => {
                causes.push(format!(
                    "the {stage:?} shader reads constant buffer {slot}, which is not bound: it \
                     reads 0"
                ));
                continue;
            }
            Some(Constants::User(bytes)) => bytes.len(),
            Some(Constants::Resource(_, _, size)) => *size as usize,
        };
        if size < needed {
            causes.push(format!(
                "constant buffer {slot} of the {stage:?} shader has {size} bytes; the shader \
                 declares {needed}"
            ));
        }
    }
    for unit in (0..32).filter(|unit| info.samplers >> unit & 1 != 0) {
        if !bound.views.contains_key(&unit) {
            causes.push(format!(
                "the {stage:?} shader samples texture {unit}, which is not bound: it reads 0"
            ));
        }
    }
}

/// Checks vertex elements and buffers.
fn vertices(facts: &Facts, context: &ContextFacts, causes: &mut Vec<String>) {
    let elements = context.bound_elements();
    let inputs = context.shader(ShaderType::Vertex).and_then(|(_, shader)| {
        let shader = shaders::parse(&shader.text).ok()?;
        let dcls = shader.declarations().iter().filter(|dcl| dcl.file == File::Input);
        dcls.map(|dcl| usize::from(dcl.last) + 1).max()
    });
    let inputs = inputs.unwrap_or(0);
    let given: usize = elements.iter().map(|element| element.inputs().len()).sum();
    if given < inputs {
        causes.push(format!(
            "the vertex shader has {inputs} inputs, the vertex elements give {given}: bind \
             vertex elements for all of them"
        ));
    }
    for (at, element) in elements.iter().enumerate() {
        let index = usize::from(element.vertex_buffer_index);
        let Some(buffer) = context.vertex_buffers.get(&index) else {
            causes.push(format!("element {at} reads vertex buffer {index}, which is not bound"));
            continue;
        };
        if buffer.stride == 0 && element.instance_divisor == 0 {
            causes.push(format!(
                "vertex buffer {index} has a stride of 0: all vertices are the first one"
            ));
        }
        let size = facts.resources.get(&buffer.resource).map(|(template, _)| template.width0);
        if let Some(size) = size.filter(|size| buffer.buffer_offset >= *size) {
            causes.push(format!(
                "vertex buffer {index} begins at byte {} of a buffer of {size} bytes",
                buffer.buffer_offset
            ));
        }
    }
}

/// Adds the causes in the geometry.
fn geometry(mesh: &Mesh, why: &mut Why) {
    if mesh.primitives == 0 {
        why.causes.push("the vertex stages made no primitives".into());
        return;
    }
    if mesh.inside > 0 {
        return;
    }
    let parts = mesh::parts(mesh).into_iter().map(|(name, count)| format!("{count} {name}"));
    let parts: Vec<_> = parts.collect();
    why.causes.push(format!(
        "none of the {} primitives is in the view: {}",
        mesh.primitives,
        parts.join(", ")
    ));
}

/// Counts the samples that are left after each test; of one pixel, if `only` is its scissor.
///
/// # Errors
/// The driver's error, or the fragment shader is no shader.
pub(crate) fn funnel(
    probe: &mut Probe<'_, '_>,
    draw: &Draw,
    fragment: &str,
    only: Option<ScissorState>,
) -> Result<Vec<(&'static str, u64)>> {
    let own = probe.pass();
    let kills = shaders::does(fragment)?.contains(Does::KILL);
    let plain = match kills {
        true => {
            let text = shaders::without_kill(fragment)?;
            Some(probe.shader(ShaderType::Fragment, &ShaderState::text(&text))?)
        }
        false => own.fragment,
    };
    let mut blend = BlendState::default();
    for rt in &mut blend.rt {
        rt.colormask = ColorMask::empty();
    }
    let mut pass = Pass {
        rasterizer: RasterizerState {
            cull_face: Face::None,
            scissor: only.is_some(),
            rasterizer_discard: false,
            ..own.rasterizer
        },
        scissor: only,
        depth: DepthStencilAlphaState::default(),
        blend,
        fragment: plain,
        sample_mask: u32::MAX,
        ..own.clone()
    };
    // Stencil and depth stay as they are.
    let stencil = own.depth.stencil.map(|face| StencilState { writemask: 0, ..face });
    let mut list = Vec::new();
    let mut count = |probe: &mut Probe<'_, '_>, pass: &Pass, name: &'static str| -> Result<()> {
        list.push((name, probe.count(pass, draw)?));
        Ok(())
    };
    count(probe, &pass, "rasterized")?;
    if own.rasterizer.cull_face != Face::None {
        pass.rasterizer.cull_face = own.rasterizer.cull_face;
        count(probe, &pass, "after culling")?;
    }
    if own.rasterizer.scissor {
        pass.rasterizer.scissor = true;
        let own = probe.bound.scissors.get(&0);
        pass.scissor = only.map(|only| own.map_or(only, |own| only.intersection(own)));
        count(probe, &pass, "after the scissor")?;
    }
    if own.sample_mask != u32::MAX {
        pass.sample_mask = own.sample_mask;
        count(probe, &pass, "after the sample mask")?;
    }
    if kills {
        pass.fragment = own.fragment;
        count(probe, &pass, "after discards of the shader")?;
    }
    if own.depth.alpha_enabled {
        pass.depth.alpha_enabled = true;
        pass.depth.alpha_func = own.depth.alpha_func;
        pass.depth.alpha_ref_value = own.depth.alpha_ref_value;
        count(probe, &pass, "after the alpha test")?;
    }
    if own.depth.stencil.iter().any(|face| face.enabled) {
        pass.depth.stencil = stencil;
        count(probe, &pass, "after the stencil test")?;
    }
    if own.depth.depth_bounds_test {
        pass.depth.depth_bounds_test = true;
        pass.depth.depth_bounds_min = own.depth.depth_bounds_min;
        pass.depth.depth_bounds_max = own.depth.depth_bounds_max;
        count(probe, &pass, "after the depth bounds test")?;
    }
    if own.depth.depth_enabled {
        pass.depth.depth_enabled = true;
        pass.depth.depth_func = own.depth.depth_func;
        count(probe, &pass, "after the depth test")?;
    }
    Ok(list)
}

/// Adds the test that drops all samples to the causes.
fn tests(samples: &[(&'static str, u64)], bound: &Bound, why: &mut Why) {
    let Some(at) = samples.iter().position(|(_, count)| *count == 0) else { return };
    let Some(before) = at.checked_sub(1).and_then(|at| samples.get(at)) else {
        why.causes.push("the primitives cover no sample of the framebuffer".into());
        return;
    };
    let count = before.1;
    let depth = bound.depth_state();
    let rasterizer = bound.rasterizer_state();
    let Some((name, _)) = samples.get(at) else { return };
    why.causes.push(match *name {
        "after culling" => format!(
            "culling drops all {count} samples: the state culls {:?} faces, and front faces are \
             {} in the window",
            rasterizer.cull_face,
            if rasterizer.front_ccw { "counter-clockwise" } else { "clockwise" }
        ),
        "after the scissor" => format!(
            "the scissor drops all {count} samples: it is {:?}",
            bound.scissors.get(&0).copied().unwrap_or_default()
        ),
        "after the sample mask" => {
            format!("the sample mask {:#x} drops all {count} samples", bound.sample_mask)
        }
        "after discards of the shader" => {
            format!("the fragment shader discards all {count} samples")
        }
        "after the alpha test" => format!(
            "the alpha test drops all {count} samples: alpha is not {:?} {}",
            depth.alpha_func, depth.alpha_ref_value
        ),
        "after the stencil test" => format!(
            "the stencil test drops all {count} samples: reference {} is not {:?} the stored \
             values",
            bound.stencil_ref.ref_value[0], depth.stencil[0].func
        ),
        "after the depth test" => format!(
            "the depth test drops all {count} samples: none is {:?} the stored depth",
            depth.depth_func
        ),
        name => format!("all {count} samples are gone {name}"),
    });
}

/// Adds the reasons why samples pass all tests and change nothing.
fn unseen(bound: &Bound, why: &mut Why) {
    let blend = bound.blend_state();
    let [rt, ..] = blend.rt;
    if bound.is_conditional() {
        why.causes.push("the render condition skips the draw".into());
    } else if rt.colormask.is_empty() {
        why.causes.push("the colour mask is empty: the draw writes no colour".into());
    } else if rt.blend_enable {
        why.causes.push(format!(
            "blending leaves the colours as they are: source factor {:?}, destination factor {:?} \
             (is the alpha of the fragments 0?)",
            rt.rgb_src_factor, rt.rgb_dst_factor
        ));
    } else {
        why.causes.push("the draw writes the colours that are there already".into());
    }
}

/// Reads the attachments of a context, as far as they can be read.
fn attachments(session: &mut Session<'_>, number: u64) -> Vec<(usize, Vec<u8>)> {
    let surfaces: Vec<_> = {
        let facts = session.facts().lock();
        let Some(context) = facts.contexts.get(&number) else { return Vec::new() };
        let surfaces = context.framebuffer.attachments();
        surfaces.filter_map(|surface| context.surfaces.get(&surface).copied()).collect()
    };
    let mut list = Vec::new();
    for (resource, template) in surfaces {
        let read = session.with_context(number, |screen, context| {
            let of = screen.resource_template(resource)?;
            let SurfaceRange::Texture { level, first_layer, last_layer } = template.range else {
                bail!("a buffer");
            };
            let whole = of.level_region(level).context("no such level")?;
            let z = i32::try_from(first_layer)?;
            let depth = i32::try_from(last_layer)?.saturating_sub(z).saturating_add(1);
            let region = Region { z, depth, ..whole };
            let bytes = bytes::read(screen, context, resource, level, &region)?;
            Ok((of.format.block_bytes(), bytes))
        });
        list.extend(read);
    }
    list
}

fn changed((size, before): &(usize, Vec<u8>), (_, after): &(usize, Vec<u8>)) -> u64 {
    let texels = before.chunks(*size).zip(after.chunks(*size));
    texels.filter(|(before, after)| before != after).count() as u64
}

impl std::fmt::Display for Why {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (at, cause) in self.causes.iter().enumerate() {
            writeln!(f, "{}. {cause}", at + 1)?;
        }
        if self.causes.is_empty() {
            writeln!(f, "nothing hides the draw")?;
        }
        if let Some(mesh) = &self.mesh {
            writeln!(f, "{} primitives, {} in the view", mesh.primitives, mesh.inside)?;
        }
        for (name, count) in &self.samples {
            writeln!(f, "{count:>10} samples {name}")?;
        }
        writeln!(f, "{:>10} texels changed", self.changed)?;
        for note in &self.notes {
            writeln!(f, "note: {note}")?;
        }
        Ok(())
    }
}
