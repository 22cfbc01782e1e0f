//! The mesh of a draw after the last vertex stage: captured by stream output, and compared with the
//! view.

use anyhow::{Context as _, Result, bail};
use pipe_core::*;
use serde::Serialize;
use tgsi::declaration::SemanticName;
use tgsi::property::Property;
use tgsi::scan::ShaderInfo;

use crate::bytes;
use crate::probe::{Bound, Pass, Probe};
use crate::session::Session;
use crate::shaders;
use crate::state::{ContextFacts, Draw};

/// The most vertices that are captured.
const MAX_VERTICES: u64 = 1 << 20;

/// The most outputs that are captured.
const MAX_OUTPUTS: usize = 16;

/// The most bytes that are captured.
const MAX_BYTES: u64 = 1 << 27;

/// The reason why a primitive is not seen, or is seen in part.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fate {
    /// A coordinate is no number.
    NotNumbers,
    /// All vertices have w ≤ 0.
    Behind,
    /// All vertices are beyond a side of the view.
    Beyond(Side),
    /// All vertices are at one point, or the triangle has no area.
    Degenerate,
    /// The state culls its face: true for the front.
    Culled(bool),
    /// Its rectangle is outside of the scissor.
    Scissored,
    /// Its rectangle contains no centre of a pixel.
    Small,
    /// A part is in the view.
    Clipped,
    /// All of it is in the view.
    Inside,
}

/// A side of the view.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    /// x < -w.
    Left,
    /// x > w.
    Right,
    /// y < -w.
    Bottom,
    /// y > w.
    Top,
    /// Nearer than the near plane.
    Near,
    /// z > w.
    Far,
}

const SIDES: [Side; 6] = [Side::Left, Side::Right, Side::Bottom, Side::Top, Side::Near, Side::Far];

impl std::fmt::Display for Fate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::NotNumbers => "a coordinate is no number (NaN or infinite)",
            Self::Behind => "behind the camera (w ≤ 0)",
            Self::Beyond(Side::Left) => "left of the view (x < -w)",
            Self::Beyond(Side::Right) => "right of the view (x > w)",
            Self::Beyond(Side::Bottom) => "below the view (y < -w)",
            Self::Beyond(Side::Top) => "above the view (y > w)",
            Self::Beyond(Side::Near) => "before the near plane",
            Self::Beyond(Side::Far) => "behind the far plane (z > w)",
            Self::Degenerate => "without an area",
            Self::Culled(true) => "culled: its front is seen",
            Self::Culled(false) => "culled: its back is seen",
            Self::Scissored => "outside of the scissor",
            Self::Small => "too small: it contains no centre of a pixel",
            Self::Clipped => "clipped: a part is in the view",
            Self::Inside => "in the view",
        })
    }
}

/// Statistics of the primitives after the last vertex stage.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Mesh {
    /// The number of primitives.
    pub primitives: u64,
    /// Primitives with a coordinate that is no number.
    pub not_numbers: u64,
    /// Primitives with w ≤ 0 in all vertices: behind the camera.
    pub behind: u64,
    /// Primitives with all vertices beyond the left side of the view.
    pub left: u64,
    /// … beyond the right side.
    pub right: u64,
    /// … beyond the bottom (y < -w).
    pub bottom: u64,
    /// … beyond the top (y > w).
    pub top: u64,
    /// … nearer than the near plane.
    pub near: u64,
    /// … farther than the far plane.
    pub far: u64,
    /// Primitives with all vertices at one point, or triangles without an area.
    pub degenerate: u64,
    /// Primitives that are none of these.
    pub inside: u64,
    /// Of those inside: primitives with a culled face.
    pub culled: u64,
    /// Of those inside: primitives outside of the scissor.
    pub scissored: u64,
    /// Of those inside: primitives that contain no centre of a pixel.
    pub small: u64,
    /// Of those inside: primitives with a part in the view.
    pub clipped: u64,
}

impl Mesh {
    /// Counts a primitive.
    pub fn count(&mut self, fate: Fate) {
        self.primitives += 1;
        let is_inside = match fate {
            Fate::Culled(_) => Some(&mut self.culled),
            Fate::Scissored => Some(&mut self.scissored),
            Fate::Small => Some(&mut self.small),
            Fate::Clipped => Some(&mut self.clipped),
            _ => None,
        };
        if let Some(part) = is_inside {
            *part += 1;
        }
        *match fate {
            Fate::NotNumbers => &mut self.not_numbers,
            Fate::Behind => &mut self.behind,
            Fate::Beyond(Side::Left) => &mut self.left,
            Fate::Beyond(Side::Right) => &mut self.right,
            Fate::Beyond(Side::Bottom) => &mut self.bottom,
            Fate::Beyond(Side::Top) => &mut self.top,
            Fate::Beyond(Side::Near) => &mut self.near,
            Fate::Beyond(Side::Far) => &mut self.far,
            Fate::Degenerate => &mut self.degenerate,
            _ => &mut self.inside,
        } += 1;
    }
}

/// The state that decides about primitives.
#[derive(Clone, Copy)]
pub struct View {
    rasterizer: RasterizerState,
    viewport: ViewportState,
    scissor: Option<ScissorState>,
    size: [f64; 2],
    /// Pixels have one sample, at their centres.
    is_single: bool,
}

impl View {
    /// Takes the state of a context.
    pub fn of(context: &ContextFacts) -> Self {
        let FramebufferState { width, height, .. } = context.framebuffer;
        let rasterizer = context.rasterizer_state().unwrap_or_default();
        let scissor = context.scissors.get(&0).copied();
        Self {
            rasterizer,
            viewport: context.viewports.get(&0).copied().unwrap_or_default(),
            scissor: scissor.filter(|_| rasterizer.scissor),
            size: [width.into(), height.into()],
            is_single: true,
        }
    }

    /// Returns the same state for a target with several samples per pixel.
    pub const fn with_samples(mut self) -> Self {
        self.is_single = false;
        self
    }

    /// Returns the position of a vertex in the window: x and y in pixels from the top left, and the
    /// depth.
    pub fn window(&self, position: [f32; 4]) -> [f64; 3] {
        let ViewportState { scale, translate, .. } = self.viewport;
        let [x, y, z, w] = position.map(f64::from);
        let place = |value: f64, at: usize| {
            let of = |list: &[f32; 3]| list.get(at).copied().map_or(0.0, f64::from);
            value / w * of(&scale) + of(&translate)
        };
        [place(x, 0), place(y, 1), place(z, 2)]
    }

    fn is_beyond(&self, side: Side, [x, y, z, w]: [f32; 4]) -> bool {
        match side {
            Side::Left => x < -w,
            Side::Right => x > w,
            Side::Bottom => y < -w,
            Side::Top => y > w,
            Side::Near => z < if self.rasterizer.clip_halfz { 0.0 } else { -w },
            Side::Far => z > w,
        }
    }

    fn has(&self, side: Side) -> bool {
        match side {
            Side::Near => self.rasterizer.depth_clip_near,
            Side::Far => self.rasterizer.depth_clip_far,
            _ => true,
        }
    }

    /// Returns the fate of a primitive: 1, 2 or 3 vertices.
    pub fn fate(&self, primitive: &[[f32; 4]]) -> Fate {
        if primitive.iter().flatten().any(|value| !value.is_finite()) {
            return Fate::NotNumbers;
        }
        if primitive.iter().all(|it| it[3] <= 0.0) {
            return Fate::Behind;
        }
        let sides = || SIDES.into_iter().filter(|side| self.has(*side));
        let all = |side: &Side| primitive.iter().all(|it| self.is_beyond(*side, *it));
        if let Some(side) = sides().find(all) {
            return Fate::Beyond(side);
        }
        let area = match primitive {
            [a, b, c] => {
                // Twice the area in clip space: the determinant of x, y and w. Its sign is that of
                // the visible part, also if a vertex is behind the camera.
                let [a, b, c] = [a, b, c].map(|v| [v[0], v[1], v[3]].map(f64::from));
                a[0] * (b[1] * c[2] - c[1] * b[2]) - b[0] * (a[1] * c[2] - c[1] * a[2])
                    + c[0] * (a[1] * b[2] - b[1] * a[2])
            }
            [a, b] => f64::from(u8::from(a != b)),
            _ => 1.0,
        };
        if area == 0.0 {
            return Fate::Degenerate;
        }
        if primitive.len() == 3 {
            let [sx, sy, _] = self.viewport.scale;
            // Rows count downwards: a positive area turns clockwise.
            let is_ccw = area * f64::from(sx) * f64::from(sy) < 0.0;
            let is_front = is_ccw == self.rasterizer.front_ccw;
            let culls = match self.rasterizer.cull_face {
                Face::None => false,
                Face::Front => is_front,
                Face::Back => !is_front,
                Face::FrontAndBack => true,
            };
            if culls {
                return Fate::Culled(is_front);
            }
        }
        let is_clipped = sides().any(|side| primitive.iter().any(|it| self.is_beyond(side, *it)));
        if !is_clipped && let Some(fate) = self.covers(primitive) {
            return fate;
        }
        if is_clipped { Fate::Clipped } else { Fate::Inside }
    }

    /// Compares the rectangle of a primitive that is not clipped with the scissor and the pixels.
    fn covers(&self, primitive: &[[f32; 4]]) -> Option<Fate> {
        let is_filled = primitive.len() == 3
            && self.rasterizer.fill_front == PolygonMode::Fill
            && self.rasterizer.fill_back == PolygonMode::Fill;
        if !is_filled {
            return None;
        }
        let (mut low, mut high) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
        for vertex in primitive {
            let [x, y, _] = self.window(*vertex);
            low = [low[0].min(x), low[1].min(y)];
            high = [high[0].max(x), high[1].max(y)];
        }
        let mut edges = [[0.0, self.size[0]], [0.0, self.size[1]]];
        if let Some(ScissorState { minx, miny, maxx, maxy }) = self.scissor {
            edges = [[minx, maxx], [miny, maxy]].map(|it| it.map(f64::from));
        }
        let axes = || low.iter().zip(high).zip(edges);
        if axes().any(|((low, high), [first, end])| high < first || *low > end) {
            return Some(Fate::Scissored);
        }
        let is_empty = |(low, high): (&f64, f64)| (low - 0.5).ceil() > (high - 0.5).floor();
        (self.is_single && low.iter().zip(high).any(is_empty)).then_some(Fate::Small)
    }
}

/// An output that is captured.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Output {
    /// Its semantic, for example `GENERIC[0]`.
    pub name: String,
    register: u8,
}

/// Captured vertices.
pub struct Captured {
    /// The outputs of each vertex, the position first.
    pub outputs: Vec<Output>,
    /// Vertices per primitive.
    pub per: usize,
    /// The values of the outputs of all vertices, one after the other.
    pub values: Vec<[f32; 4]>,
    /// The number of primitives that the stages made; more than were captured if there was no room.
    pub made: u64,
}

impl Captured {
    /// Returns the primitives: the values of the outputs of each vertex.
    pub fn primitives(&self) -> impl Iterator<Item = Vec<&[[f32; 4]]>> {
        let size = self.outputs.len().max(1);
        let primitives = self.values.chunks_exact(size * self.per.max(1));
        primitives.map(move |primitive| primitive.chunks_exact(size).collect())
    }

    /// Returns the positions of the primitives.
    pub fn positions(&self) -> impl Iterator<Item = Vec<[f32; 4]>> {
        self.primitives().map(|primitive| {
            primitive.iter().filter_map(|vertex| vertex.first().copied()).collect()
        })
    }

    /// Counts the fates of the primitives.
    pub fn summary(&self, view: &View) -> Mesh {
        let mut mesh = Mesh::default();
        for primitive in self.positions() {
            mesh.count(view.fate(&primitive));
        }
        mesh
    }
}

/// Returns the vertices of each primitive that the last vertex stage makes.
fn vertices_per_primitive(stage: ShaderType, text: &str, mode: PrimType) -> Result<u32> {
    let shader = shaders::parse(text)?;
    let value = |property| shader.properties().get(property);
    Ok(match stage {
        ShaderType::Geometry => match value(Property::GsOutputPrimitive) {
            Some(0) => 1,
            Some(1..=3) => 2,
            _ => 3,
        },
        ShaderType::TessEval => match (value(Property::TesPointMode), value(Property::TesPrimMode))
        {
            (Some(1..), _) => 1,
            (_, Some(1)) => 2,
            _ => 3,
        },
        _ => match mode.reduced() {
            ReducedPrim::Points => 1,
            ReducedPrim::Lines => 2,
            ReducedPrim::Triangles => 3,
            ReducedPrim::Patches => bail!("patches without a tessellation shader make nothing"),
        },
    })
}

/// Captures a draw after its last vertex stage: positions alone, or all outputs.
///
/// # Errors
/// The draw is indirect or too large, or the driver's error.
pub fn capture(
    probe: &mut Probe<'_, '_>,
    draw: &Draw,
    stage: ShaderType,
    text: &str,
    has_all: bool,
) -> Result<Captured> {
    if draw.indirect.is_some() {
        bail!("the draw is indirect");
    }
    let shader = shaders::parse(text)?;
    let info = ShaderInfo::new(&shader)?;
    let mut outputs = Vec::new();
    for slot in &info.outputs {
        let name = slot.semantic.to_string();
        let register = u8::try_from(slot.register)?;
        match slot.semantic.name {
            SemanticName::Position => outputs.insert(0, Output { name, register }),
            _ if has_all => outputs.push(Output { name, register }),
            _ => {}
        }
    }
    let is_position = |slot: &tgsi::scan::Slot| slot.semantic.name == SemanticName::Position;
    if !info.outputs.iter().any(is_position) {
        bail!("the shader has no position");
    }
    outputs.truncate(MAX_OUTPUTS);
    let instances = u64::from(draw.info().instance_count);
    let mode = draw.info().mode;
    let per = vertices_per_primitive(stage, text, mode)?;
    let decomposed: u64 =
        draw.draws.iter().map(|draw| u64::from(mode.decomposed_primitives(draw.count, 3))).sum();
    // A geometry or tessellation shader may make more; the excess is not captured.
    let factor = if stage == ShaderType::Vertex { 1 } else { 64 };
    let vertices = decomposed.saturating_mul(u64::from(per)).saturating_mul(instances * factor);
    let vertices = match stage {
        ShaderType::Vertex if vertices > MAX_VERTICES => {
            bail!("the draw has {vertices} vertices; at most {MAX_VERTICES} are captured")
        }
        _ => vertices.clamp(1, MAX_VERTICES),
    };
    let record = 16 * outputs.len() as u64;
    let vertices = vertices.min(MAX_BYTES / record);
    let streamed: Vec<_> = (0..)
        .zip(&outputs)
        .map(|(at, output)| StreamOutput {
            register_index: output.register,
            start_component: 0,
            num_components: 4,
            output_buffer: 0,
            dst_offset: at * 4,
            stream: 0,
        })
        .collect();
    let words = u16::try_from(record / 4)?;
    let stream_output = StreamOutputInfo { stride: [words, 0, 0, 0], outputs: &streamed };
    let state = ShaderState { source: ShaderSource::Text(text), stream_output };
    let shader = probe.shader(stage, &state)?;
    let size = u32::try_from(vertices * record)?;
    let (made, bytes) = streamed_out(probe, draw, stage, shader, size)?;
    let captured = made.saturating_mul(per.into()).min(vertices);
    let bytes = bytes.get(..usize::try_from(captured * record)?).unwrap_or(&[]);
    let word = |bytes: &[u8]| bytes.first_chunk().map_or(0.0, |bytes| f32::from_le_bytes(*bytes));
    let value = |bytes: &[u8]| {
        let mut words = bytes.chunks(4).map(word);
        [(); 4].map(|()| words.next().unwrap_or(0.0))
    };
    let values = bytes.chunks(16).map(value).collect();
    Ok(Captured { outputs, per: per as usize, values, made })
}

/// Makes a draw with a shader that has stream output, without pixels. Returns the number of primitives
/// and the bytes of the buffer.
///
/// # Errors
/// The driver's error.
pub fn streamed_out(
    probe: &mut Probe<'_, '_>,
    draw: &Draw,
    stage: ShaderType,
    shader: ShaderHandle,
    size: u32,
) -> Result<(u64, Vec<u8>)> {
    let resource = probe.resource(&ResourceTemplate::buffer(size, Bind::STREAM_OUTPUT))?;
    let pass = Pass {
        rasterizer: RasterizerState { rasterizer_discard: true, ..probe.bound.rasterizer_state() },
        ..probe.pass()
    };
    let primitives = probe.with(&pass, |probe| {
        let context = &mut *probe.context;
        context.bind_shader_state(stage, Some(shader))?;
        let target = context.create_stream_output_target(resource, 0, size)?;
        context.set_stream_output_targets(&[Some(target)], &[Some(0)])?;
        let query = context.create_query(QueryType::PrimitivesEmitted, 0)?;
        context.begin_query(query)?;
        let drawn = draw.make(context);
        context.end_query(query)?;
        let counted = context.get_query_result(query, true)?;
        context.destroy_query(query)?;
        context.set_stream_output_targets(&[], &[])?;
        context.stream_output_target_destroy(target)?;
        drawn?;
        Ok(counted.map_or(0, |result| result.as_u64()))
    })?;
    if primitives == 0 {
        return Ok((0, Vec::new()));
    }
    let region = Region::bytes(0, size);
    let bytes = bytes::read(probe.screen, probe.context, resource, 0, &region)?;
    Ok((primitives, bytes))
}

/// Returns the last vertex stage of a context: its stage and its text.
///
/// # Errors
/// No vertex shader is bound.
pub fn last_stage(context: &ContextFacts) -> Result<(ShaderType, String)> {
    let last = [ShaderType::Geometry, ShaderType::TessEval, ShaderType::Vertex];
    let shader = last.iter().find_map(|stage| context.shader(*stage));
    let (_, shader) = shader.context("no vertex shader is bound")?;
    Ok((shader.stage, shader.text.clone()))
}

/// A vertex after the last vertex stage.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Vertex {
    /// The values of the outputs.
    pub outputs: Vec<[f32; 4]>,
    /// The place in the window: x and y in pixels, and the depth.
    pub window: [f64; 3],
}

/// A primitive after the last vertex stage.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Primitive {
    /// Its number in the draw, from 0.
    pub number: u64,
    /// The reason why it is not seen, or is seen in part.
    pub fate: String,
    /// Its vertices.
    pub vertices: Vec<Vertex>,
}

/// The mesh of a draw after the last vertex stage.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct After {
    /// The last vertex stage.
    pub stage: String,
    /// The outputs, the position first.
    pub outputs: Vec<String>,
    /// The number of primitives by fate.
    pub counts: Mesh,
    /// The first primitives, or the first that are not seen whole.
    pub primitives: Vec<Primitive>,
}

/// Captures the mesh of draw `call` after the last vertex stage, and returns `limit` primitives at most
/// from number `first` on.
///
/// # Errors
/// The call is no draw, a shader writes memory, or as for [`capture`].
pub fn after(
    session: &mut Session<'_>,
    call: u64,
    first: u64,
    limit: usize,
    only_unseen: bool,
) -> Result<After> {
    let draw = session.hold(call)?;
    // The draw itself is not made, so that the session cannot go on.
    session.spoil();
    let (bound, view, stage, text) = {
        let facts = session.facts().lock();
        let context = facts.contexts.get(&draw.context).context("no such context")?;
        if let Some(stage) = shaders::writer(context) {
            bail!("the {stage:?} shader writes memory, so the draw is not repeated");
        }
        let (stage, text) = last_stage(context)?;
        let view = View::of(context);
        let samples = facts.samples(context);
        let view = if samples > 1 { view.with_samples() } else { view };
        (Bound::of(context), view, stage, text)
    };
    let captured = session.with_context(draw.context, |screen, context| {
        Probe::run(screen, context, bound, |probe| capture(probe, &draw, stage, &text, true))
    })?;
    let mut after = After {
        stage: format!("{stage:?}"),
        outputs: captured.outputs.iter().map(|it| it.name.clone()).collect(),
        counts: Mesh::default(),
        primitives: Vec::new(),
    };
    for (number, primitive) in (0..).zip(captured.primitives()) {
        let positions: Vec<_> = primitive.iter().filter_map(|it| it.first().copied()).collect();
        let fate = view.fate(&positions);
        after.counts.count(fate);
        let is_wanted = number >= first && !(only_unseen && fate == Fate::Inside);
        if !is_wanted || after.primitives.len() >= limit {
            continue;
        }
        let vertices = primitive.iter().zip(&positions).map(|(outputs, position)| Vertex {
            outputs: outputs.to_vec(),
            window: view.window(*position),
        });
        after.primitives.push(Primitive {
            number,
            fate: fate.to_string(),
            vertices: vertices.collect(),
        });
    }
    Ok(after)
}

impl std::fmt::Display for After {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let counts = self.counts;
        writeln!(f, "{} primitives after the {} stage", counts.primitives, self.stage)?;
        for (name, count) in parts(&counts) {
            writeln!(f, "{count:>10} {name}")?;
        }
        writeln!(f, "outputs: window, {}", self.outputs.join(", "))?;
        for Primitive { number, fate, vertices } in &self.primitives {
            writeln!(f, "primitive {number}: {fate}")?;
            for Vertex { outputs, window: [x, y, z] } in vertices {
                writeln!(f, "    ({x:.2}, {y:.2}, {z:.6}) {outputs:?}")?;
            }
        }
        Ok(())
    }
}

/// Returns the counts that are not 0, with their names.
pub fn parts(mesh: &Mesh) -> Vec<(String, u64)> {
    let counts = [
        (mesh.not_numbers, "with coordinates that are no numbers (NaN or infinite)"),
        (mesh.behind, "behind the camera (w ≤ 0)"),
        (mesh.left, "left of the view (x < -w)"),
        (mesh.right, "right of the view (x > w)"),
        (mesh.bottom, "below the view (y < -w)"),
        (mesh.top, "above the view (y > w)"),
        (mesh.near, "before the near plane"),
        (mesh.far, "behind the far plane (z > w)"),
        (mesh.degenerate, "without an area"),
        (mesh.inside, "in the view"),
        (mesh.culled, "in the view, culled"),
        (mesh.scissored, "in the view, outside of the scissor"),
        (mesh.small, "in the view, without the centre of a pixel"),
        (mesh.clipped, "in the view, clipped"),
    ];
    let list = counts.into_iter().filter(|(count, _)| *count > 0);
    list.map(|(count, name)| (name.to_owned(), count)).collect()
}
