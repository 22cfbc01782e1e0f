//! Derives a scene's record from the bound state, once per draw instead of per primitive or per
//! pixel.
//!
//! One file per part of the record: fragment inputs (`varyings`), textures and constants
//! (`resources`), bounds of pixels and depths (`clip`). The rooms that use the other parts derive
//! them.

mod clip;
mod resources;
#[cfg(feature = "samples")]
mod samples;
mod varyings;
#[cfg(feature = "desktop")]
mod windows;

use os_shim::memory::OutOfMemory;
use os_shim::pool::{Pool, RawHandle};
use pipe_core::{
    BlendColor, BlendState, DepthStencilAlphaState, PipeError, RasterizerState, SpriteCoordMode,
};

use self::resources::record_constants;
#[cfg(feature = "desktop")]
pub(super) use self::resources::used_views;
pub(super) use self::resources::{add_textures, constant_bytes};
use self::varyings::record_inputs;
use super::Context;
use super::binding::FRAGMENT;
#[cfg(spans)]
use crate::debug::Debug;
use crate::depth::DepthStencil;
use crate::features::{BLENDS, PRIMITIVE_EFFECTS, STROKES};
use crate::fragment;
use crate::frame::Framebuffer;
use crate::output::ColorState;
use crate::profile::Profile;
use crate::resource::Inputs;
use crate::scene::{ConstantBlock, DrawRecord, Full, Primitive, Scene, ViewportClip};
#[cfg(feature = "es2")]
use crate::setup::AreaRule;
use crate::setup::{FillRule, LineRule, PointRule};

/// The reason why a draw was not recorded.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum RecordError {
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

/// Returns a bound object's state; the default if none is bound.
fn bound_state<T: Copy + Default>(pool: &Pool<'_, T>, handle: Option<RawHandle>) -> T {
    handle.and_then(|handle| pool.get(handle)).copied().unwrap_or_default()
}

impl<'m, P: Profile> Context<'_, 'm, P> {
    /// Returns the state of the bound rasterizer object.
    pub(super) fn rasterizer(&self) -> RasterizerState {
        bound_state(&self.objects.rasterizers, self.bound.rasterizer)
    }

    /// Records the bound state in the scene, or finds the existing record; returns its index.
    ///
    /// # Errors
    /// A full scene; no vertex shader; out of memory.
    pub(super) fn record_state(&mut self, inputs: Inputs<'_, 'm>) -> Result<u32, RecordError> {
        if let Some(record) = self.record {
            return Ok(record);
        }
        if self.scene.draws.len() >= Primitive::max_draws::<P::Id>() {
            return Err(RecordError::Full);
        }
        let record = self.derive_record(inputs)?;
        #[cfg(spans)]
        let record = self.with_span(record);
        let index = self.scene.draws.len() as u32;
        self.scene.draws.try_push(record)?;
        self.record = Some(index);
        Ok(index)
    }

    /// Derives the record of the bound state, and appends the entries that it refers to to the
    /// scene's tables.
    #[inline(always)]
    fn derive_record(&mut self, levels: Inputs<'_, 'm>) -> Result<DrawRecord, RecordError> {
        let rasterizer = self.rasterizer();
        #[cfg(feature = "samples")]
        let shapes = samples::shapes(&rasterizer, &self.framebuffer);
        #[cfg(not(feature = "samples"))]
        let shapes = rasterizer;
        let Context { scene, objects, bound, framebuffer, queries, .. } = self;
        let last = objects
            .shader(bound.last_vertex_stage())
            .ok_or(PipeError::Unbound("vertex shader"))?
            .program();
        let shader = bound.shaders[FRAGMENT];
        let program = objects.shader(shader).map(|shader| shader.program());
        #[cfg(feature = "stages")]
        let number = super::later::number_register(&last, program.as_ref());
        #[cfg(not(feature = "stages"))]
        let number = None;
        #[cfg(feature = "samples")]
        let samples = samples::rule(bound, framebuffer, &rasterizer, program.as_ref());
        let inputs = record_inputs(
            scene,
            program.as_ref(),
            &last,
            number,
            &rasterizer,
            #[cfg(feature = "samples")]
            samples,
        )?;
        let first_texture = scene.textures().len() as u32;
        if let Some(program) = &program {
            add_textures(&mut scene.textures, objects, bound, FRAGMENT, program)?;
        }
        let textures = (first_texture, scene.textures().len() as u32 - first_texture);
        let constants =
            record_constants(scene, &bound.constants[FRAGMENT], program.as_ref(), levels)?;
        let mut stipple = ConstantBlock::default();
        if PRIMITIVE_EFFECTS && rasterizer.poly_stipple_enable {
            stipple = record_stipple(scene, &bound.stipple)?;
        }
        #[cfg(feature = "desktop")]
        let windows = windows::record(scene, &bound.windows)?;
        // Without blends, `create_blend_state` only accepts states that replace pixels.
        let blend: BlendState =
            if BLENDS { bound_state(&objects.blends, bound.blend) } else { BlendState::default() };
        let color = record_color(scene, framebuffer, &blend, &bound.blend_color)?;
        let dsa: DepthStencilAlphaState =
            bound_state(&objects.depth_stencil_alphas, bound.depth_stencil_alpha);
        let zs = framebuffer.depth().map_or(formats::Format::None, |zs| zs.format);
        let depth = DepthStencil::derive(&dsa, &bound.stencil_ref, zs);
        let alpha = (BLENDS && dsa.alpha_enabled).then_some((dsa.alpha_func, dsa.alpha_ref_value));
        let rule = FillRule {
            half_pixel_center: rasterizer.half_pixel_center,
            bottom_edge: rasterizer.bottom_edge_rule,
        };
        let window_space = last.properties.window_space_position();
        let clip = ViewportClip::derive(bound, 0, framebuffer, &rasterizer, window_space);
        let may_drop = alpha.is_some() || blend.alpha_to_coverage;
        Ok(DrawRecord {
            shader,
            varyings: inputs.varyings,
            textures,
            special: inputs.special,
            constants,
            clip: clip.all,
            point_clip: clip.points,
            rule,
            #[cfg(feature = "es2")]
            area: AreaRule::new(&shapes),
            line: if STROKES { LineRule::new(&shapes) } else { LineRule::default() },
            point: match STROKES {
                true => PointRule::new(&shapes, inputs.point_size),
                false => PointRule::default(),
            },
            sprite_from_below: rasterizer.sprite_coord_mode == SpriteCoordMode::LowerLeft,
            stipple,
            depth_range: clip.depth_range,
            perspective: inputs.perspective,
            early_depth: fragment::tests_early(program.as_ref(), may_drop, &depth),
            depth,
            alpha,
            alpha_to_coverage: blend.alpha_to_coverage,
            #[cfg(feature = "samples")]
            dithers_coverage: blend.alpha_to_coverage_dither,
            clamp_color: rasterizer.clamp_fragment_color,
            sample_mask_counts: shapes.multisample || !rasterizer.no_ms_sample_mask_out,
            color,
            dual_source: BLENDS && blend.is_dual_source(),
            broadcast: program.is_some_and(|program| program.properties.color0_writes_all_cbufs()),
            #[cfg(spans)]
            span: None,
            counts_pixels: queries.counts_pixels(),
            #[cfg(feature = "samples")]
            samples,
            #[cfg(feature = "desktop")]
            windows,
        })
    }

    /// Completes a record with the integer kernel that fits it, if one does.
    #[cfg(spans)]
    fn with_span(&self, record: DrawRecord) -> DrawRecord {
        let shader = self.objects.shader(record.shader);
        let program = shader.filter(|_| !self.device.debug.has(Debug::NO_SPANS));
        #[cfg(feature = "es2")]
        let program = program.filter(|_| record.area.is_plain());
        #[cfg(feature = "desktop")]
        let program = program.filter(|_| record.windows.words == 0);
        let span = program
            .and_then(|shader| crate::span::recognise(&record, &shader.program(), &self.scene));
        DrawRecord { span, ..record }
    }
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
