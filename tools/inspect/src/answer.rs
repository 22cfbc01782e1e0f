//! Answers for people: the state at a call as names and values, for the command line and the page.

use anyhow::{Context as _, Result, bail};
use pipe_core::*;
use serde::Serialize;

use crate::bytes;
use crate::history::{self, Event};
use crate::picture::{self, Place, Texel};
use crate::session::Session;
use crate::shaders;
use crate::state::{Constants, ContextFacts, Facts, canonical};

/// A group of names and values.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Section {
    /// The title.
    pub title: String,
    /// Names and values.
    pub rows: Vec<(String, String)>,
}

/// A picture that the page can show.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Shown {
    /// Its role, for example `color 0`.
    pub role: String,
    /// The resource's handle as text.
    pub resource: String,
    /// The level.
    pub level: u32,
    /// The layer.
    pub layer: u32,
    /// Samples per pixel.
    pub samples: u8,
}

/// The state after a call.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct State {
    /// The call.
    pub call: u64,
    /// The context; 0 for a call of the screen.
    pub context: u64,
    /// The error of the call, or the difference from the recording.
    pub error: Option<String>,
    /// The bindings, first what draws use first.
    pub sections: Vec<Section>,
    /// Attachments and textures.
    pub pictures: Vec<Shown>,
    /// Bound shaders: stage, handle, and the call that created it.
    pub shaders: Vec<(String, String, u64)>,
}

/// A value without members that have default values.
struct Briefly<'a>(&'a dyn Brief);

impl std::fmt::Debug for Briefly<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.brief(f)
    }
}

fn brief(value: &dyn Brief) -> String {
    format!("{:?}", Briefly(value))
}

/// Returns the state after a call.
pub fn state(session: &Session<'_>) -> State {
    let facts = session.facts().lock();
    let call = session.index();
    let number = session.listing().call(call).map_or(0, |call| call.context);
    let error = session.error_of(call).map(str::to_owned);
    let mut state = State {
        call,
        context: number,
        error,
        sections: Vec::new(),
        pictures: Vec::new(),
        shaders: Vec::new(),
    };
    let number = if number == 0 { session.last_context() } else { number };
    if let Some(context) = facts.contexts.get(&number) {
        describe(&facts, context, &mut state);
    }
    state
}

/// Returns the state of a context of a running program.
pub fn of_context(facts: &Facts, number: u64, context: &ContextFacts) -> State {
    let mut state = State {
        call: 0,
        context: number,
        error: None,
        sections: Vec::new(),
        pictures: Vec::new(),
        shaders: Vec::new(),
    };
    describe(facts, context, &mut state);
    state
}

fn describe(facts: &Facts, context: &ContextFacts, state: &mut State) {
    let template = |resource: ResourceHandle| {
        let known = facts.resources.get(&resource);
        known.map_or_else(|| "destroyed".into(), |(template, _)| short(template))
    };
    let samples = |resource: ResourceHandle| {
        facts.resources.get(&resource).map_or(1, |(template, _)| template.samples())
    };
    let mut section = |title: &str, rows: Vec<(String, String)>| {
        if !rows.is_empty() {
            state.sections.push(Section { title: title.into(), rows });
        }
    };
    let framebuffer = &context.framebuffer;
    let mut rows = vec![(
        "size".into(),
        format!(
            "{} × {}, {} samples",
            framebuffer.width,
            framebuffer.height,
            facts.samples(context)
        ),
    )];
    let mut pictures = Vec::new();
    let attachments = framebuffer.cbufs.iter().enumerate();
    let attachments = attachments.map(|(at, surface)| (format!("color {at}"), *surface));
    for (role, surface) in attachments.chain([("depth, stencil".into(), framebuffer.zsbuf)]) {
        let Some(surface) = surface else { continue };
        let Some((resource, of)) = context.surfaces.get(&surface) else { continue };
        rows.push((role.clone(), format!("{surface:?} of {resource:?}: {}", template(*resource))));
        if let SurfaceRange::Texture { level, first_layer, .. } = of.range {
            let samples = samples(*resource);
            let resource = format!("{resource:?}");
            pictures.push(Shown { role, resource, level, layer: first_layer, samples });
        }
    }
    section("framebuffer", rows);
    let mut shaders = Vec::new();
    let mut rows = Vec::new();
    for stage in ShaderType::ALL {
        let Some((handle, shader)) = context.shader(*stage) else { continue };
        let name = format!("{stage:?}");
        let created = match facts.is_live {
            true => String::new(),
            false => format!(", created by call {}", shader.call),
        };
        rows.push((name.clone(), format!("{handle:?}{created}")));
        shaders.push((name, format!("{handle:?}"), shader.call));
    }
    section("shaders", rows);
    let mut rows = Vec::new();
    for (at, element) in context.bound_elements().iter().enumerate() {
        rows.push((format!("input {at}"), brief(element)));
    }
    for (slot, buffer) in &context.vertex_buffers {
        let VertexBuffer { resource, stride, buffer_offset } = buffer;
        let text =
            format!("{resource:?} at {buffer_offset}, stride {stride}: {}", template(*resource));
        rows.push((format!("buffer {slot}"), text));
    }
    section("vertices", rows);
    let mut rows = Vec::new();
    if let Some(state) = context.rasterizer_state() {
        rows.push(("rasterizer".into(), brief(&state)));
    }
    // Programs set all of them, and most use the first alone.
    let first = context.viewports.get(&0);
    for (at, viewport) in &context.viewports {
        if *at == 0 || Some(viewport) != first {
            rows.push((format!("viewport {at}"), brief(viewport)));
        }
    }
    let is_on = context.rasterizer_state().is_some_and(|state| state.scissor);
    let first = context.scissors.get(&0);
    for (at, scissor) in context.scissors.iter().filter(|_| is_on) {
        if *at == 0 || Some(scissor) != first {
            rows.push((format!("scissor {at}"), brief(scissor)));
        }
    }
    section("rasterizer", rows);
    let mut rows = Vec::new();
    if let Some(state) = context.depth_state() {
        rows.push(("depth, stencil, alpha".into(), brief(&state)));
        rows.push(("stencil reference".into(), format!("{:?}", context.stencil_ref.ref_value)));
    }
    if let Some(state) = context.blend_state() {
        rows.push(("blend".into(), brief(&state)));
        rows.push(("blend color".into(), format!("{:?}", context.blend_color.color)));
    }
    if let Some(mask) = context.sample_mask {
        rows.push(("sample mask".into(), format!("{mask:#x}")));
    }
    if let Some((query, condition, mode)) = context.condition {
        rows.push(("render condition".into(), format!("{query:?} is {condition}, {mode:?}")));
    }
    section("tests and blending", rows);
    for stage in ShaderType::ALL {
        let bound = &context.stages[*stage];
        let mut rows = Vec::new();
        for (slot, constants) in &bound.constants {
            rows.push((format!("constants {slot}"), of_constants(constants)));
        }
        for (slot, view) in &bound.views {
            let Some((resource, _)) = context.views.get(view) else { continue };
            let text = format!("{view:?} of {resource:?}: {}", template(*resource));
            rows.push((format!("texture {slot}"), text));
            let role = format!("{stage:?} texture {slot}");
            let samples = samples(*resource);
            let resource = format!("{resource:?}");
            pictures.push(Shown { role, resource, level: 0, layer: 0, samples });
        }
        for (slot, sampler) in &bound.samplers {
            if let Some(state) = context.samplers.get(sampler) {
                rows.push((format!("sampler {slot}"), brief(state)));
            }
        }
        for (slot, buffer) in &bound.buffers {
            rows.push((format!("buffer {slot}"), format!("{buffer:?}")));
        }
        for (slot, image) in &bound.images {
            rows.push((format!("image {slot}"), format!("{image:?}")));
        }
        section(&format!("{stage:?} stage"), rows);
    }
    state.pictures = pictures;
    state.shaders = shaders;
}

/// Describes a constant buffer: the first registers of copied ones.
fn of_constants(constants: &Constants) -> String {
    match constants {
        Constants::Resource(resource, offset, size) => {
            format!("{size} bytes at {offset} of {resource:?}")
        }
        Constants::User(bytes) => {
            let floats = bytes.chunks(4).filter_map(|word| word.first_chunk());
            let floats: Vec<f32> = floats.map(|word| f32::from_le_bytes(*word)).take(64).collect();
            format!("{} bytes: {floats:?}", bytes.len())
        }
    }
}

/// Describes a resource by size and format.
pub fn short(template: &ResourceTemplate) -> String {
    let ResourceTemplate { target, format, width0, height0, .. } = *template;
    if template.is_buffer() {
        return format!("buffer of {width0} bytes");
    }
    let mut text = format!("{target:?} {width0} × {height0} {format}");
    if template.depth0 > 1 || template.array_size > 1 {
        text.push_str(&format!(", {} layers", template.depth0.max(template.array_size)));
    }
    if template.last_level > 0 {
        text.push_str(&format!(", levels 0 to {}", template.last_level));
    }
    if template.samples() > 1 {
        text.push_str(&format!(", {} samples", template.samples()));
    }
    text
}

/// A resource that is alive at a call.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Live {
    /// The handle as text.
    pub resource: String,
    /// Size and format.
    pub what: String,
    /// The call that created it.
    pub call: u64,
    /// Number of levels.
    pub levels: u32,
    /// Number of layers of level 0.
    pub layers: u32,
    /// Samples per pixel.
    pub samples: u8,
    /// True for buffers.
    pub is_buffer: bool,
}

/// Returns the live resources, in the order of their creation.
pub fn resources(session: &Session<'_>) -> Vec<Live> {
    listed(&session.facts().lock())
}

/// Returns the live resources, in the order of their creation.
pub fn listed(facts: &Facts) -> Vec<Live> {
    let mut list: Vec<_> = facts
        .resources
        .iter()
        .map(|(handle, (template, call))| Live {
            resource: format!("{handle:?}"),
            what: short(template),
            call: *call,
            levels: template.last_level + 1,
            layers: template.level_size(0).map_or(1, |[_, _, layers]| layers),
            samples: template.samples(),
            is_buffer: template.is_buffer(),
        })
        .collect();
    list.sort_by(|a, b| (a.call, &a.resource).cmp(&(b.call, &b.resource)));
    list
}

/// Finds a resource by the text of its handle. An empty text is the first colour buffer.
///
/// # Errors
/// There is no such resource at the call.
pub fn find(session: &Session<'_>, name: &str) -> Result<(ResourceHandle, u32, u32)> {
    let facts = session.facts().lock();
    if name.is_empty() {
        let number = session.listing().call(session.index()).map_or(0, |call| call.context);
        let number = if number == 0 { session.last_context() } else { number };
        let context = facts.contexts.get(&number);
        let color = context.and_then(|it| (0..8).find_map(|at| it.color(at)));
        let depth = || context.and_then(ContextFacts::depth_buffer);
        let (resource, template) =
            color.or_else(depth).context("no colour buffer is bound at this call")?;
        let SurfaceRange::Texture { level, first_layer, .. } = template.range else {
            bail!("the colour buffer is a buffer");
        };
        return Ok((resource, level, first_layer));
    }
    let found = facts.resources.keys().find(|handle| format!("{handle:?}") == name);
    let found = found.with_context(|| format!("there is no {name} at call {}", session.index()));
    Ok((*found?, 0, 0))
}

/// A shader's text and the code that the driver runs.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Code {
    /// The TGSI text, with instructions numbered.
    pub text: String,
    /// The lane code, or the reason why there is none.
    pub lanes: String,
}

/// Returns the bound shader of a stage.
///
/// # Errors
/// No shader is bound.
pub fn code(session: &Session<'_>, stage: &str) -> Result<Code> {
    let facts = session.facts().lock();
    let number = session.listing().call(session.index())?.context;
    let context = facts.contexts.get(&number).context("the call has no context")?;
    let is_named = |it: &&ShaderType| format!("{it:?}").eq_ignore_ascii_case(stage);
    let stage = ShaderType::ALL
        .iter()
        .find(is_named)
        .context("no such stage: use vertex, fragment, geometry, tessctrl, tesseval or compute")?;
    let (_, shader) =
        context.shader(*stage).with_context(|| format!("no {stage:?} shader is bound"))?;
    let lanes = shaders::lane_code(&shader.text).unwrap_or_else(|error| format!("{error:#}"));
    Ok(Code { text: canonical(&shader.text), lanes })
}

/// The vertices of a draw before the vertex shader.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Vertices {
    /// The formats of the inputs.
    pub inputs: Vec<String>,
    /// The vertex number, and the values of its inputs.
    pub rows: Vec<(u32, Vec<String>)>,
}

/// Reads vertices of draw `call` through the bound vertex elements, `limit` at most.
///
/// # Errors
/// The call is no draw.
pub fn vertices(session: &mut Session<'_>, call: u64, limit: u32) -> Result<Vertices> {
    let draw = session.hold(call)?;
    session.spoil();
    let (elements, buffers) = {
        let facts = session.facts().lock();
        let context = facts.contexts.get(&draw.context).context("no such context")?;
        (context.bound_elements().to_vec(), context.vertex_buffers.clone())
    };
    let info = draw.info();
    session.with_context(draw.context, |screen, context| {
        let mut bytes_of = |resource: ResourceHandle| {
            let size = screen.resource_template(resource)?.width0;
            bytes::read(screen, context, resource, 0, &Region::bytes(0, size))
        };
        let mut numbers = Vec::new();
        let first = draw.draws.first().copied().unwrap_or_default();
        match info.index {
            None => numbers.extend((first.start..).take(first.count.min(limit) as usize)),
            Some(index) => {
                let owned;
                let bytes = match index.source {
                    IndexSource::User(bytes) => bytes,
                    IndexSource::Resource(resource) => {
                        owned = bytes_of(resource)?;
                        &owned
                    }
                };
                let size = usize::from(index.size).max(1);
                let indices = bytes.chunks_exact(size).skip(first.start as usize);
                for bytes in indices.take(first.count.min(limit) as usize) {
                    let mut word = [0; 4];
                    word.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
                    numbers.push(u32::from_le_bytes(word).wrapping_add_signed(first.index_bias));
                }
            }
        }
        let mut contents = Vec::new();
        for element in &elements {
            let buffer = buffers.get(&usize::from(element.vertex_buffer_index));
            contents.push(match buffer {
                Some(buffer) => Some((*buffer, bytes_of(buffer.resource)?)),
                None => None,
            });
        }
        let value = |element: &VertexElement, content: &Option<(VertexBuffer, Vec<u8>)>, number| {
            let Some((buffer, bytes)) = content else { return "not bound".to_owned() };
            let at = if element.instance_divisor > 0 { info.start_instance } else { number };
            let at = u64::from(buffer.buffer_offset)
                + u64::from(buffer.stride) * u64::from(at)
                + u64::from(element.src_offset);
            let size = element.src_format.block_bytes();
            let texel = usize::try_from(at).ok().and_then(|at| bytes.get(at..)?.get(..size));
            texel.map_or_else(
                || "beyond the buffer".into(),
                |texel| picture::texel(element.src_format, texel).to_string(),
            )
        };
        let rows = numbers.into_iter().map(|number| {
            let values = elements.iter().zip(&contents);
            (number, values.map(|(element, content)| value(element, content, number)).collect())
        });
        Ok(Vertices {
            inputs: elements.iter().map(|element| element.src_format.to_string()).collect(),
            rows: rows.collect(),
        })
    })
}

/// The place of a pixel as the command line and the page name it.
#[derive(Clone, Debug, Default)]
pub struct At {
    /// The resource's handle; empty for the first colour buffer.
    pub resource: String,
    /// The level; `None` for the level of the attachment.
    pub level: Option<u32>,
    /// The layer; `None` for the layer of the attachment.
    pub layer: Option<u32>,
    /// Column.
    pub x: u32,
    /// Row.
    pub y: u32,
    /// The sample; `None` for the mean of all.
    pub sample: Option<u32>,
}

impl At {
    /// Finds the pixel at the current call.
    ///
    /// # Errors
    /// There is no such resource or pixel.
    pub fn place(&self, session: &Session<'_>) -> Result<Place> {
        let (resource, level, layer) = find(session, &self.resource)?;
        let level = self.level.unwrap_or(level);
        let layer = self.layer.unwrap_or(layer);
        let template = session.screen().resource_template(resource)?;
        let size = template.level_size(level).context("the resource has no such level")?;
        let (x, y) = (self.x, self.y);
        if template.is_buffer() || x >= size[0] || y >= size[1] || layer >= size[2] {
            bail!(
                "{resource:?} has {} × {} texels in {} layers: there is no ({x}, {y}) in layer \
                 {layer}",
                size[0],
                size[1],
                size[2]
            );
        }
        let samples = u32::from(template.samples());
        if let Some(sample) = self.sample.filter(|sample| *sample >= samples) {
            bail!("{resource:?} has {samples} samples per pixel: there is no sample {sample}");
        }
        let sample = self.sample.filter(|_| samples > 1);
        Ok(Place { resource, level, layer, x, y, sample })
    }
}

/// Writes the history of a pixel.
pub fn text_of(events: &[Event]) -> String {
    let texel = |texel: &Option<Texel>| texel.map_or_else(|| "?".into(), |it| it.to_string());
    let mut text = String::new();
    for event in events {
        let history::Event { call, name, before, after, .. } = event;
        if *call == 0 || *name == "before" {
            text.push_str(&format!("before call {}: {}\n", call + 1, texel(after)));
            continue;
        }
        let change = match before == after {
            true => "stays".to_owned(),
            false => format!("{} → {}", texel(before), texel(after)),
        };
        text.push_str(&format!("call {call} {name}: {change}\n"));
        for fragment in &event.fragments {
            let primitive =
                fragment.primitive.map_or_else(String::new, |it| format!(" of primitive {it}"));
            let side = match fragment.front {
                Some(false) => ", back",
                _ => "",
            };
            let fate = match &fragment.dropped {
                Some(why) => format!("dropped by {why}"),
                None => format!("gives {}", texel(&fragment.after)),
            };
            text.push_str(&format!(
                "    fragment{primitive}{side}: depth {}, shader {}, {fate}\n",
                fragment.depth, fragment.output
            ));
        }
        for (name, count) in &event.samples {
            text.push_str(&format!("    {count} samples {name}\n"));
        }
        if let Some(note) = &event.note {
            text.push_str(&format!("    note: {note}\n"));
        }
    }
    text
}
