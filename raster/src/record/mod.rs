//! Derives a scene's record from the bound state, once per draw instead of per primitive or per
//! pixel.
//!
//! One file per part of the record: fragment inputs (`varyings`), textures and constants
//! (`resources`), bounds of pixels and depths (`clip`). The rooms that use the other parts derive
//! them.

mod clip;
mod resources;
mod samples;
mod varyings;
mod windows;

use os_shim::memory::OutOfMemory;
use pipe_core::{
    BlendColor, BlendState, CompareFunc, DepthStencilAlphaState, PipeError, RasterizerState,
    ShaderType, SpriteCoordMode,
};
use tgsi::program::Program;

use self::clip::fill_rule;
use self::resources::record_constants;
pub(crate) use self::resources::{add_textures, stage_constants, used_views, vertex_views};
use self::samples::shapes;
use self::varyings::InputState;
pub(crate) use self::varyings::number_register;
use crate::debug::Debug;
use crate::depth::DepthStencil;
use crate::features::{BLENDS, ES2, OfDesktop, OfSamples, Only, SPANS, STROKES};
use crate::fragment;
use crate::frame::Framebuffer;
use crate::output::ColorState;
use crate::profile::Profile;
use crate::resource::Inputs;
use crate::scene::recognised::Recognised;
use crate::scene::{ConstantBlock, DrawRecord, Full, Primitive, Scene, ViewportClip};
use crate::setup::AreaRule;
use crate::setup::{LineRule, PointRule};
use crate::state::{Bindings, bound_state};

/// The reason why a draw was not recorded.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum RecordError {
    /// The scene must be rasterized first.
    Full,
    Pipe(PipeError),
}

impl From<Full> for RecordError {
    fn from(_: Full) -> Self {
        RecordError::Full
    }
}

impl From<PipeError> for RecordError {
    fn from(error: PipeError) -> Self {
        RecordError::Pipe(error)
    }
}

impl From<OutOfMemory> for RecordError {
    fn from(error: OutOfMemory) -> Self {
        RecordError::Pipe(error.into())
    }
}

/// The state that a record is derived from.
#[derive(Clone, Copy)]
pub(crate) struct Sources<'a, 'm> {
    pub(crate) bindings: Bindings<'a, 'm>,
    pub(crate) framebuffer: &'a Framebuffer,
    /// Set if a running query counts pixels.
    pub(crate) counts_pixels: bool,
    /// The levels that the draw reads.
    pub(crate) levels: Inputs<'a, 'm>,
    pub(crate) debug: Debug,
}

/// Records the state in the scene; returns the record's index.
///
/// # Errors
/// A full scene; no vertex shader; out of memory.
pub(crate) fn record<P: Profile>(
    scene: &mut Scene<'_, P>,
    sources: Sources<'_, '_>,
) -> Result<u32, RecordError> {
    if scene.draws.len() >= Primitive::max_draws::<P::Id>() {
        return Err(RecordError::Full);
    }
    let mut record = derive(scene, sources)?;
    if SPANS {
        record.span.set(span_of(&record, scene, sources));
    }
    let index = scene.draws.len() as u32;
    scene.draws.try_push(record)?;
    Ok(index)
}

/// The entries of a record in the scene's tables.
struct Entries {
    inputs: varyings::Inputs,
    textures: (u32, u32),
    constants: (u32, u32),
    stipple: ConstantBlock,
    windows: OfDesktop<ConstantBlock>,
}

/// Appends the entries that a record refers to to the scene's tables.
#[inline(always)]
fn record_entries<P: Profile>(
    scene: &mut Scene<'_, P>,
    Sources { bindings, levels, .. }: Sources<'_, '_>,
    inputs: &InputState<'_>,
) -> Result<Entries, RecordError> {
    let program = inputs.program;
    let rasterizer = inputs.rasterizer;
    let inputs = inputs.record(scene)?;
    let first_texture = scene.textures().len() as u32;
    if let Some(program) = program {
        add_textures(&mut scene.textures, bindings, ShaderType::Fragment, program)?;
    }
    let textures = (first_texture, scene.textures().len() as u32 - first_texture);
    let bound = bindings.bound;
    let constants =
        record_constants(scene, bound.constants(ShaderType::Fragment), program, levels)?;
    let mut stipple = ConstantBlock::default();
    if ES2 && rasterizer.poly_stipple_enable {
        stipple = record_stipple(scene, &bound.stipple)?;
    }
    let windows = match bound.windows.get() {
        Some(windows) => Only::new(windows::record(scene, windows)?),
        None => Only::default(),
    };
    Ok(Entries { inputs, textures, constants, stipple, windows })
}

/// The outputs of a draw: colours, depth and stencil, and the tests before them.
struct Outputs {
    color: (u32, u32),
    /// Set if alpha determines whether a sample is covered.
    alpha_to_coverage: bool,
    dithers_coverage: OfSamples<bool>,
    dual_source: bool,
    early_depth: bool,
    depth: DepthStencil,
    alpha: Option<(CompareFunc, f32)>,
}

/// Derives the state of a draw's outputs.
#[inline(always)]
fn record_outputs<P: Profile>(
    scene: &mut Scene<'_, P>,
    Sources { bindings: Bindings { objects, bound }, framebuffer, .. }: Sources<'_, '_>,
    program: Option<&Program<'_>>,
) -> Result<Outputs, RecordError> {
    // Without blends, `create_blend_state` only accepts states that replace pixels.
    let blend: BlendState =
        if BLENDS { bound_state(&objects.blends, bound.blend) } else { BlendState::default() };
    let color = record_color(scene, framebuffer, &blend, &bound.blend_color)?;
    let dsa: DepthStencilAlphaState =
        bound_state(&objects.depth_stencil_alphas, bound.depth_stencil_alpha);
    let zs = framebuffer.depth().map_or(formats::Format::None, |zs| zs.format);
    let depth = DepthStencil::derive(&dsa, &bound.stencil_ref, zs);
    let alpha = (BLENDS && dsa.alpha_enabled).then_some((dsa.alpha_func, dsa.alpha_ref_value));
    let may_drop = alpha.is_some() || blend.alpha_to_coverage;
    let early_depth = fragment::tests_early(program, may_drop, &depth);
    Ok(Outputs {
        color,
        alpha_to_coverage: blend.alpha_to_coverage,
        dithers_coverage: Only::new(blend.alpha_to_coverage_dither),
        dual_source: BLENDS && blend.is_dual_source(),
        early_depth,
        depth,
        alpha,
    })
}

/// Derives the shapes of lines and points.
#[inline(always)]
fn strokes(shapes: &RasterizerState, point_size: Option<u32>) -> (LineRule, PointRule) {
    match STROKES {
        true => (LineRule::new(shapes), PointRule::new(shapes, point_size)),
        false => (LineRule::default(), PointRule::default()),
    }
}

/// Derives the record of the state.
#[inline(always)]
fn derive<P: Profile>(
    scene: &mut Scene<'_, P>,
    sources: Sources<'_, '_>,
) -> Result<DrawRecord, RecordError> {
    let Sources { bindings, framebuffer, counts_pixels, .. } = sources;
    let bound = bindings.bound;
    let rasterizer = bindings.rasterizer();
    let last = bindings.last_vertex_shader().ok_or(PipeError::Unbound("vertex shader"))?.program();
    let program = bindings.program(ShaderType::Fragment);
    let samples = Only::with(|| samples::rule(bound, framebuffer, &rasterizer, program.as_ref()));
    let inputs = InputState {
        program: program.as_ref(),
        last: &last,
        number: number_register(&last, program.as_ref()),
        rasterizer: &rasterizer,
        samples,
    };
    let entries = record_entries(scene, sources, &inputs)?;
    let outputs = record_outputs(scene, sources, program.as_ref())?;
    let window_space = last.properties.window_space_position();
    let shapes = shapes(&rasterizer, framebuffer);
    let (line, point) = strokes(&shapes, entries.inputs.point_size);
    Ok(DrawRecord {
        shader: bound.shader(ShaderType::Fragment),
        varyings: entries.inputs.varyings,
        textures: entries.textures,
        special: entries.inputs.special,
        constants: entries.constants,
        clip: ViewportClip::derive(bound, 0, framebuffer, &rasterizer, window_space),
        rule: fill_rule(&rasterizer),
        area: Only::with(|| AreaRule::new(&shapes)),
        line,
        point,
        sprite_from_below: rasterizer.sprite_coord_mode == SpriteCoordMode::LowerLeft,
        stipple: entries.stipple,
        perspective: entries.inputs.perspective,
        early_depth: outputs.early_depth,
        depth: outputs.depth,
        alpha: outputs.alpha,
        alpha_to_coverage: outputs.alpha_to_coverage,
        dithers_coverage: outputs.dithers_coverage,
        clamp_color: rasterizer.clamp_fragment_color,
        sample_mask_counts: shapes.multisample || !rasterizer.no_ms_sample_mask_out,
        color: outputs.color,
        dual_source: outputs.dual_source,
        broadcast: program.is_some_and(|program| program.properties.color0_writes_all_cbufs()),
        span: Only::new(None),
        counts_pixels,
        samples,
        windows: entries.windows,
    })
}

/// Returns the integer kernel that fits a record, if one does.
fn span_of<P: Profile>(
    record: &DrawRecord,
    scene: &Scene<'_, P>,
    Sources { bindings, debug, .. }: Sources<'_, '_>,
) -> Option<Recognised> {
    let shader = bindings.objects.shader(record.shader);
    let program = shader.filter(|_| !debug.has(Debug::NO_SPANS));
    let program = program.filter(|_| record.area.rule().is_plain());
    let program = program.filter(|_| record.windows.get().is_none_or(|windows| windows.words == 0));
    crate::span::recognise(record, &program?.program(), scene)
}

/// Copies the polygon stipple's rows to the scene.
fn record_stipple<P: Profile>(
    scene: &mut Scene<'_, P>,
    rows: &[u32],
) -> Result<ConstantBlock, RecordError> {
    let at = scene.reserve(rows.len())?;
    scene.arena.get_mut(at, rows.len()).copy_from_slice(rows);
    Ok(ConstantBlock { at: at as u32, words: rows.len() as u32 })
}

/// Records the output state of each colour buffer, up to the last bound one.
///
/// Returns the range (first, count) in the scene's colour states.
fn record_color<P: Profile>(
    scene: &mut Scene<'_, P>,
    framebuffer: &Framebuffer,
    blend: &BlendState,
    blend_color: &BlendColor,
) -> Result<(u32, u32), OutOfMemory> {
    let first = scene.color.len() as u32;
    let attachments = framebuffer.color();
    let count = attachments.iter().rposition(Option::is_some).map_or(0, |last| last + 1);
    for (index, attachment) in attachments.iter().take(count).enumerate() {
        let format = attachment.map_or(formats::Format::None, |attachment| attachment.format);
        let state = match BLENDS {
            true => ColorState::derive(blend, index, format, blend_color),
            false => ColorState::replacing(format),
        };
        scene.color.try_push(state)?;
    }
    Ok((first, count as u32))
}
