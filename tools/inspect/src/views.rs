//! Pictures of a draw, a pass or a frame that the program never drew: overdraw, wireframe, depth.
//!
//! The draws are made once more, each with a buffer of the inspector instead of the recording's
//! attachments, and without depth, stencil and alpha tests. The sums of several draws are computed here.

use anyhow::{Context as _, Result, bail};
use pipe_core::*;
use serde::Serialize;

use crate::bytes;
use crate::picture::Picture;
use crate::probe::{Bound, Pass, Probe};
use crate::session::Session;
use crate::shaders;
use crate::state::Draw;

/// The kind of a picture.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum View {
    /// The number of fragments at each pixel, before the tests that follow culling and the scissor.
    Overdraw,
    /// The edges of all primitives, also of culled ones.
    Wireframe,
    /// The depth of the fragment that is first in the order of the depth test.
    Depth,
}

/// The draws that a picture shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// The call alone.
    Draw,
    /// The draws up to the call since the framebuffer was set.
    Pass,
    /// The draws up to the call in its frame that have the same first attachment.
    Frame,
}

impl std::str::FromStr for View {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Self> {
        Ok(match text {
            "overdraw" => Self::Overdraw,
            "wireframe" => Self::Wireframe,
            "depth" => Self::Depth,
            _ => bail!("a view is overdraw, wireframe or depth"),
        })
    }
}

impl std::str::FromStr for Scope {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Self> {
        Ok(match text {
            "draw" => Self::Draw,
            "pass" => Self::Pass,
            "frame" => Self::Frame,
            _ => bail!("a scope is draw, pass or frame"),
        })
    }
}

/// A picture with the value of each pixel.
#[derive(Clone, Debug)]
pub struct Shown {
    /// The kind.
    pub view: View,
    /// Width in pixels.
    pub width: usize,
    /// Height in pixels.
    pub height: usize,
    /// The number of fragments, the number of edges, or the depth. NaN where no fragment is.
    pub values: Vec<f32>,
    /// The number of draws.
    pub draws: usize,
    /// Parts that are missing, and why.
    pub notes: Vec<String>,
    /// The picture below a wireframe: red, green, blue and alpha.
    below: Vec<[u8; 4]>,
}

/// The fragment shader that writes 1 to all channels.
const ONE: &str =
    "FRAG\nDCL OUT[0], COLOR\nIMM[0] FLT32 {1.0, 1.0, 1.0, 1.0}\nMOV OUT[0], IMM[0]\nEND\n";

/// The format of the buffer that counts.
const COUNTS: Format = Format::R32G32B32A32Float;

/// Makes a picture of the draws of `scope` that end with call `call`.
///
/// # Errors
/// The call cannot be reached, or draws nothing and is the whole scope.
pub fn view(session: &mut Session<'_>, call: u64, view: View, scope: Scope) -> Result<Shown> {
    let listing = session.listing();
    let last = listing.call(call)?;
    let first = match scope {
        Scope::Draw => call,
        Scope::Frame => listing.frame_start(call),
        Scope::Pass => {
            let mut start = listing.frame_start(call);
            listing.each(start, call, &mut |it| {
                if it.name == "set_framebuffer_state" && it.context == last.context {
                    start = it.index;
                }
            })?;
            start
        }
    };
    if scope == Scope::Draw && last.name != "draw_vbo" {
        bail!("call {call} is {}, not a draw: use the scope pass or frame", last.name);
    }
    session.go(first - 1)?;
    let mut shown = Shown {
        view,
        width: 0,
        height: 0,
        values: Vec::new(),
        draws: 0,
        notes: Vec::new(),
        below: Vec::new(),
    };
    // The target is that of the last draw, which is known at its call alone.
    let mut target: Option<((ResourceHandle, u32, u32), Shown)> = None;
    for number in first..=call {
        let is_draw = session.listing().call(number)?.name == "draw_vbo";
        if !is_draw {
            session.go(number)?;
            continue;
        }
        let draw = match session.hold(number) {
            Ok(draw) => draw,
            // A refused draw has no fragments.
            Err(_) => {
                session.go(number)?;
                continue;
            }
        };
        let attachment = {
            let facts = session.facts().lock();
            let context = facts.contexts.get(&draw.context).context("no such context")?;
            let color = (0..8).find_map(|at| context.color(at)).or_else(|| context.depth_buffer());
            color.map(|(resource, of)| match of.range {
                SurfaceRange::Texture { level, first_layer, .. } => (resource, level, first_layer),
                SurfaceRange::Buffer { .. } => (resource, 0, 0),
            })
        };
        if let Some(place) = attachment {
            let fresh = || Shown { notes: Vec::new(), values: Vec::new(), ..shown.clone() };
            let sum = match &mut target {
                Some((known, sum)) if *known == place => sum,
                other => &mut other.insert((place, fresh())).1,
            };
            match values(session, &draw, view) {
                Ok((size, values, is_least)) => sum.add(size, &values, is_least),
                Err(error) => sum.notes.push(format!("call {number} is missing: {error:#}")),
            }
        }
        session.with_context(draw.context, |_, context| Ok(draw.make(context)?))?;
    }
    let ((resource, level, layer), sum) =
        target.context("no draw of these calls has an attachment")?;
    shown = sum;
    if view == View::Wireframe {
        // A wireframe without a picture below it is still useful.
        let below =
            Picture::read(session, resource, level, layer).and_then(|picture| picture.rgba());
        shown.below = below.unwrap_or_default();
    }
    Ok(shown)
}

/// Draws into a buffer of the inspector. Returns the size, the value of each pixel, and true if the
/// least depth is first.
fn values(
    session: &mut Session<'_>,
    draw: &Draw,
    view: View,
) -> Result<([usize; 2], Vec<f32>, bool)> {
    let (bound, has_own) = {
        let facts = session.facts().lock();
        let context = facts.contexts.get(&draw.context).context("no such context")?;
        if let Some(stage) = shaders::writer(context) {
            bail!("the {stage:?} shader writes memory");
        }
        let fragment = context.shader(ShaderType::Fragment).map(|(_, it)| it.text.clone());
        (Bound::of(context), fragment.is_some_and(|text| shaders::writes_depth(&text)))
    };
    let own = bound.rasterizer_state();
    let depth = bound.depth_state();
    let is_least = !matches!(depth.depth_func, CompareFunc::Greater | CompareFunc::GreaterEqual);
    let FramebufferState { width, height, .. } = bound.framebuffer;
    let size = [width, height].map(usize::from);
    if own.rasterizer_discard {
        return Ok((size, vec![0.0; size[0] * size[1]], is_least));
    }
    session.with_context(draw.context, |screen, context| {
        Probe::run(screen, context, bound, |probe| {
            let format = if view == View::Depth { Format::Z32Float } else { COUNTS };
            let bind = match view {
                View::Depth => Bind::DEPTH_STENCIL,
                _ => Bind::RENDER_TARGET,
            };
            let (resource, surface) = probe.target(format, bind)?;
            let one = probe.shader(ShaderType::Fragment, &ShaderState::text(ONE))?;
            let mut framebuffer = FramebufferState {
                cbufs: Default::default(),
                zsbuf: None,
                layers: 0,
                samples: 0,
                ..probe.bound.framebuffer
            };
            let mut blend = BlendState::default();
            let mut state = DepthStencilAlphaState::default();
            let mut rasterizer = own;
            let mut fragment = Some(one);
            match view {
                View::Depth => {
                    framebuffer.zsbuf = Some(surface);
                    state.depth_enabled = true;
                    state.depth_writemask = true;
                    let (least, greatest) = (CompareFunc::Less, CompareFunc::Greater);
                    state.depth_func = if is_least { least } else { greatest };
                    if has_own {
                        fragment = probe.bound.shaders[ShaderType::Fragment];
                    }
                }
                View::Overdraw | View::Wireframe => {
                    framebuffer.cbufs[0] = Some(surface);
                    blend.rt[0] = RenderTargetBlendState {
                        blend_enable: true,
                        rgb_src_factor: BlendFactor::One,
                        rgb_dst_factor: BlendFactor::One,
                        alpha_src_factor: BlendFactor::One,
                        alpha_dst_factor: BlendFactor::One,
                        ..RenderTargetBlendState::default()
                    };
                }
            }
            if view == View::Wireframe {
                rasterizer.fill_front = PolygonMode::Line;
                rasterizer.fill_back = PolygonMode::Line;
                rasterizer.cull_face = Face::None;
                rasterizer.line_width = 1.0;
                rasterizer.line_stipple_enable = false;
            }
            let pass = Pass {
                framebuffer,
                rasterizer,
                depth: state,
                blend,
                fragment,
                sample_mask: u32::MAX,
                ..probe.pass()
            };
            probe.with(&pass, |probe| {
                let none = ColorUnion::float([0.0; 4]);
                let far = if is_least { 1.0 } else { 0.0 };
                let all = match view {
                    View::Depth => ClearFlags::DEPTH,
                    _ => ClearFlags::COLOR0,
                };
                probe.context.clear(all, None, &none, far, 0)?;
                Ok(draw.make(probe.context)?)
            })?;
            let region = Region::rect(0, 0, width.into(), height.into());
            let bytes = bytes::read(probe.screen, probe.context, resource, 0, &region)?;
            let texel = format.block_bytes();
            let value =
                |bytes: &[u8]| bytes.first_chunk().map_or(0.0, |bytes| f32::from_le_bytes(*bytes));
            let values = bytes.chunks(texel).map(value);
            let far = if is_least { 1.0 } else { 0.0 };
            let none = |value: f32| if value == far { f32::NAN } else { value };
            let values = match view {
                View::Depth => values.map(none).collect(),
                _ => values.collect(),
            };
            Ok((size, values, is_least))
        })
    })
}

impl Shown {
    /// Adds a draw.
    fn add(&mut self, [width, height]: [usize; 2], values: &[f32], is_least: bool) {
        if self.values.is_empty() {
            let none = if self.view == View::Depth { f32::NAN } else { 0.0 };
            (self.width, self.height) = (width, height);
            self.values = vec![none; width * height];
        }
        self.draws += 1;
        if [self.width, self.height] != [width, height] {
            self.notes.push(format!("a draw for {width} × {height} pixels is missing"));
            return;
        }
        for (sum, value) in self.values.iter_mut().zip(values) {
            *sum = match self.view {
                View::Depth if is_least => sum.min(*value),
                View::Depth => sum.max(*value),
                _ => *sum + value,
            };
        }
    }

    /// Returns the value of a pixel.
    pub fn value(&self, x: usize, y: usize) -> Option<f32> {
        let at = (x < self.width).then(|| y.checked_mul(self.width)?.checked_add(x))??;
        self.values.get(at).copied()
    }

    /// Describes the picture in a line.
    pub fn summary(&self) -> String {
        let draws = self.draws;
        let values = || self.values.iter().copied().filter(|it| !it.is_nan());
        let least = values().fold(f32::INFINITY, f32::min);
        let most = values().fold(f32::NEG_INFINITY, f32::max);
        let covered = values().filter(|it| *it > 0.0).count();
        match self.view {
            View::Overdraw if covered > 0 => {
                let sum: f64 = values().map(f64::from).sum();
                format!(
                    "{draws} draws, {sum} fragments on {covered} pixels: {:.2} per pixel, at most \
                     {most}",
                    sum / covered as f64
                )
            }
            View::Wireframe if covered > 0 => format!("{draws} draws, edges on {covered} pixels"),
            View::Depth if least <= most => format!("{draws} draws, depth {least} to {most}"),
            _ => format!("{draws} draws, no fragments"),
        }
    }

    /// Returns the picture: red, green, blue and alpha.
    fn rgba(&self) -> Vec<[u8; 4]> {
        let values = || self.values.iter().copied().filter(|it| !it.is_nan());
        let least = values().fold(f32::INFINITY, f32::min);
        let most = values().fold(f32::NEG_INFINITY, f32::max);
        let span = if most > least { most - least } else { 1.0 };
        let byte = |value: f32| (value.clamp(0.0, 1.0) * 255.0).round() as u8;
        let below = |at: usize| self.below.get(at).copied().unwrap_or([0, 0, 0, 255]);
        let color = |(at, value): (usize, &f32)| match self.view {
            // Black, then from blue over green to red at the most.
            View::Overdraw => {
                let part = if most > 1.0 { (value - 1.0) / (most - 1.0) } else { 0.0 };
                let hue = [part * 2.0 - 1.0, 1.0 - (part * 2.0 - 1.0).abs(), 1.0 - part * 2.0];
                let [r, g, b] = hue.map(|it| byte(it * 0.8 + 0.2));
                if *value > 0.0 { [r, g, b, 255] } else { [0, 0, 0, 255] }
            }
            View::Wireframe if *value > 0.0 => [255; 4],
            View::Wireframe => {
                let [r, g, b, _] = below(at).map(|it| it / 3);
                [r, g, b, 255]
            }
            View::Depth if value.is_nan() => [40, 0, 60, 255],
            View::Depth => {
                let grey = byte((value - least) / span);
                [grey, grey, grey, 255]
            }
        };
        self.values.iter().enumerate().map(color).collect()
    }

    /// Returns the picture as a PNG file.
    ///
    /// # Errors
    /// The picture is too large.
    pub fn png(&self) -> Result<Vec<u8>> {
        crate::picture::encoded(self.width, self.height, &self.rgba())
    }
}
