//! From bound state to a scene's record: derived once, not per primitive, not per pixel.

use os_shim::Vec;
use os_shim::memory::OutOfMemory;
use os_shim::pool::Pool;
use pipe_core::{
    BlendState, DepthStencilAlphaState, PipeError, RasterizerState, SamplerState, SpriteCoordMode,
    ViewportState,
};
use tgsi::declaration::{Interpolate, Semantic, SemanticName};
use tgsi::program::{Constant, ConstantSource, Input, Program, Row, Uses};

use super::Context;
use super::binding::{Bound, Constants, FRAGMENT, VERTEX};
use super::cso::Objects;
#[cfg(spans)]
use crate::debug::Debug;
use crate::depth::DepthStencil;
use crate::features::PRIMITIVE_EFFECTS;
use crate::fixed::{DEPTH_BITS, GUARD_BAND, SUBPIXEL_ONE};
use crate::fragment;
use crate::output::ColorState;
use crate::profile::Profile;
use crate::resource::{Resource, TextureBinding};
use crate::scene::{
    ConstantBlock, DrawRecord, Full, MAX_CONSTANT_BLOCKS, Primitive, Scene, Special, SpecialKind,
    UNWRITTEN, Varying, VaryingMode,
};
use crate::setup::{Bounds, FillRule, LineRule, PointRule};

/// Why a draw was not recorded.
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

/// Words of each constant buffer that a program reads.
pub(super) fn constant_words(program: &Program<'_>) -> [usize; MAX_CONSTANT_BLOCKS] {
    if program.uses.contains(Uses::INDIRECT_CONSTANTS) {
        return [usize::MAX; MAX_CONSTANT_BLOCKS];
    }
    let mut words = [0; MAX_CONSTANT_BLOCKS];
    for constant in program.constants {
        if let Constant { source: ConstantSource::Buffer { buffer, word }, .. } = *constant
            && let Some(words) = words.get_mut(buffer as usize)
        {
            *words = (*words).max(word as usize + 1);
        }
    }
    words
}

/// The bytes of a constant buffer.
pub(super) fn constant_bytes<'a>(
    constants: &'a Constants<'_>,
    resources: &'a Pool<'_, Resource<'_>>,
) -> &'a [u8] {
    match constants {
        Constants::None => &[],
        Constants::User(bytes) => bytes,
        Constants::Resource { resource, offset, size } => {
            let bytes = resources.get(*resource).map_or(&[][..], |resource| resource.bytes(0));
            let end = offset.saturating_add(*size).min(bytes.len());
            bytes.get(*offset..end).unwrap_or(&[])
        }
    }
}

impl<'m, P: Profile> Context<'_, 'm, P> {
    /// The state of the bound rasterizer object.
    pub(super) fn rasterizer(&self) -> RasterizerState {
        let bound = self.bound.rasterizer.and_then(|handle| self.objects.rasterizers.get(handle));
        bound.copied().unwrap_or_default()
    }

    /// Records the bound state in the scene, or finds the record that is there.
    pub(super) fn record_state(
        &mut self,
        resources: &Pool<'m, Resource<'m>>,
    ) -> Result<u32, RecordError> {
        if let Some(record) = self.record {
            return Ok(record);
        }
        if self.scene.draws.len() >= Primitive::max_draws::<P::Id>() {
            return Err(RecordError::Full);
        }
        let rasterizer = self.rasterizer();
        let vertex = self.bound.shaders[VERTEX]
            .and_then(|handle| self.objects.shaders.get(handle))
            .ok_or(PipeError::Unbound("vertex shader"))?
            .program();
        let shader = self.bound.shaders[FRAGMENT];
        let program =
            shader.and_then(|handle| self.objects.shaders.get(handle)).map(|s| s.program());

        let first_special = self.scene.special.len() as u32;
        let first_varying = self.scene.varyings.len() as u32;
        let mut perspective = false;
        for input in program.as_ref().map_or(&[][..], |program| program.inputs) {
            let sprite = is_sprite(input, &rasterizer);
            match route(input, &vertex, &rasterizer, sprite) {
                Route::Special(kind) => {
                    perspective |= kind == SpecialKind::Position;
                    self.scene.special.try_push(Special { kind, rows: input.rows })?;
                }
                Route::Output(output) => {
                    let mode = match input.interpolate {
                        Interpolate::Constant => VaryingMode::Flat,
                        Interpolate::Color if rasterizer.flatshade => VaryingMode::Flat,
                        Interpolate::Linear => VaryingMode::Linear,
                        Interpolate::Perspective | Interpolate::Color => VaryingMode::Perspective,
                    };
                    for (component, row) in input.rows.iter().enumerate() {
                        if *row != Row::NONE {
                            perspective |= mode == VaryingMode::Perspective;
                            self.scene.varyings.try_push(Varying {
                                source: Varying::source(output, component as u8),
                                mode,
                                sprite,
                                row: *row,
                            })?;
                        }
                    }
                }
            }
        }
        let size = vertex.outputs.iter().find(|o| o.semantic.name == SemanticName::PointSize);
        let mut point_size = None;
        if let Some(output) = size.filter(|_| rasterizer.point_size_per_vertex) {
            point_size = Some(self.scene.varyings.len() as u32 - first_varying);
            self.scene.varyings.try_push(Varying {
                source: Varying::source(output.register.min(254) as u8, 0),
                mode: VaryingMode::Flat,
                sprite: false,
                row: Row::NONE,
            })?;
        }
        let special = (first_special, self.scene.special.len() as u32 - first_special);
        let varyings = (first_varying, self.scene.varyings.len() as u32 - first_varying);
        let scene = &mut self.scene;
        let first_texture = scene.textures.len() as u32;
        if let Some(program) = &program {
            add_textures(&mut scene.textures, &self.objects, &self.bound, FRAGMENT, program)?;
        }
        let textures = (first_texture, scene.textures.len() as u32 - first_texture);
        let constants =
            record_constants(scene, &self.bound.constants[FRAGMENT], program.as_ref(), resources)?;
        let mut stipple = ConstantBlock::default();
        if PRIMITIVE_EFFECTS && rasterizer.poly_stipple_enable {
            let rows = &self.bound.stipple;
            let at = scene.reserve(rows.len())?;
            scene.arena.get_mut(at, rows.len()).copy_from_slice(rows);
            stipple = ConstantBlock { at: at as u32, words: rows.len() as u32 };
        }

        let blend: BlendState = self
            .bound
            .blend
            .and_then(|handle| self.objects.blends.get(handle))
            .copied()
            .unwrap_or_default();
        let dsa: DepthStencilAlphaState = self
            .bound
            .depth_stencil_alpha
            .and_then(|handle| self.objects.depth_stencil_alphas.get(handle))
            .copied()
            .unwrap_or_default();
        let zs = self.framebuffer.depth().map_or(formats::Format::None, |zs| zs.format);
        let depth = DepthStencil::derive(&dsa, &self.bound.stencil_ref, zs);
        let first_color = self.scene.color.len() as u32;
        let attachments = self.framebuffer.color();
        let count = attachments.iter().rposition(Option::is_some).map_or(0, |last| last + 1);
        for (index, attachment) in attachments.iter().take(count).enumerate() {
            let format = attachment.map_or(formats::Format::None, |attachment| attachment.format);
            let state = ColorState::derive(&blend, index, format, &self.bound.blend_color);
            self.scene.color.try_push(state)?;
        }
        let color = (first_color, count as u32);
        let alpha = dsa.alpha_enabled.then_some((dsa.alpha_func, dsa.alpha_ref_value));
        let mut clip = Bounds {
            x0: 0,
            y0: 0,
            x1: self.framebuffer.width as i32,
            y1: self.framebuffer.height as i32,
        };
        let rule = FillRule {
            half_pixel_center: rasterizer.half_pixel_center,
            bottom_edge: rasterizer.bottom_edge_rule,
        };
        if rasterizer.scissor {
            let scissor = &self.bound.scissor;
            clip = clip.intersect(&Bounds {
                x0: scissor.minx.into(),
                y0: scissor.miny.into(),
                x1: scissor.maxx.into(),
                y1: scissor.maxy.into(),
            });
        }
        if self.bound.sample_mask & 1 == 0 {
            // The one sample there is was masked out.
            clip.x1 = clip.x0;
        }
        // Draw clips at its guard band only; what the viewport's sides cut off is cut here. Points
        // are clipped by their centre, unless they are clipped as squares.
        let mut point_clip = clip;
        if !vertex.properties.window_space_position() {
            clip = clip.intersect(&viewport_bounds(&self.bound.viewport, rule));
            if rasterizer.point_tri_clip {
                point_clip = clip;
            }
        }
        let record = DrawRecord {
            shader,
            varyings,
            textures,
            special,
            constants,
            clip,
            point_clip,
            rule,
            line: LineRule::new(&rasterizer),
            point: PointRule::new(&rasterizer, point_size),
            sprite_from_below: rasterizer.sprite_coord_mode == SpriteCoordMode::LowerLeft,
            stipple,
            depth_range: depth_range(&rasterizer, &self.bound.viewport),
            perspective,
            early_depth: fragment::tests_early(
                program.as_ref(),
                alpha.is_some() || blend.alpha_to_coverage,
                &depth,
            ),
            depth,
            alpha,
            alpha_to_coverage: blend.alpha_to_coverage,
            clamp_color: rasterizer.clamp_fragment_color,
            sample_mask_counts: rasterizer.multisample || !rasterizer.no_ms_sample_mask_out,
            color,
            dual_source: blend.is_dual_source(),
            broadcast: program.is_some_and(|program| program.properties.color0_writes_all_cbufs()),
            #[cfg(spans)]
            span: None,
            count_samples: self.queries.counts_samples(),
        };
        #[cfg(spans)]
        let record = {
            let span = program.as_ref().filter(|_| !self.device.debug.has(Debug::NO_SPANS));
            let span =
                span.and_then(|program| crate::span::recognise(&record, program, &self.scene));
            DrawRecord { span, ..record }
        };
        let index = self.scene.draws.len() as u32;
        self.scene.draws.try_push(record)?;
        self.record = Some(index);
        Ok(index)
    }
}

/// Notes the views and sampler states of the units that a stage's program samples.
pub(super) fn add_textures(
    textures: &mut Vec<'_, TextureBinding>,
    objects: &Objects<'_>,
    bound: &Bound<'_>,
    stage: usize,
    program: &Program<'_>,
) -> Result<(), OutOfMemory> {
    // Where units are computed, it may be any.
    let computed = program.samples.iter().any(|sample| sample.unit_row != Row::NONE);
    for unit in 0..bound.views[stage].len() {
        if !computed && !program.samplers.iter().any(|used| usize::from(used.unit) == unit) {
            continue;
        }
        let view = bound.views[stage].get(unit).copied().flatten();
        let Some(view) = view.and_then(|handle| objects.views.get(handle)) else { continue };
        let sampler = bound.samplers[stage].get(unit).copied().flatten();
        let sampler: SamplerState =
            sampler.and_then(|handle| objects.samplers.get(handle)).copied().unwrap_or_default();
        textures.try_push(TextureBinding {
            unit: unit as u16,
            resource: view.resource,
            view: view.state,
            sampler,
        })?;
    }
    Ok(())
}

/// Copies the constants that the program reads: buffers may change before pixels are shaded.
fn record_constants<P: Profile>(
    scene: &mut Scene<'_, P>,
    buffers: &[Constants<'_>],
    program: Option<&Program<'_>>,
    resources: &Pool<'_, Resource<'_>>,
) -> Result<(u32, u32), RecordError> {
    let first = scene.constants.len() as u32;
    let Some(program) = program else { return Ok((first, 0)) };
    for (constants, words) in buffers.iter().zip(constant_words(program)) {
        let bytes = constant_bytes(constants, resources);
        let words = words.min(bytes.len() / 4);
        let at = scene.reserve(words)?;
        let copy = scene.arena.get_mut(at, words);
        let source = bytes.get(..words * 4).unwrap_or(&[]);
        bytemuck::cast_slice_mut::<u32, u8>(copy).copy_from_slice(source);
        let block = ConstantBlock { at: at as u32, words: words as u32 };
        scene.constants.try_push(block)?;
    }
    Ok((first, scene.constants.len() as u32 - first))
}

/// The pixels whose centres lie within a viewport's sides.
fn viewport_bounds(viewport: &ViewportState, rule: FillRule) -> Bounds {
    let corner = |axis: usize, sign: f32| {
        // `as` saturates; beyond the guard band the exact place does not matter.
        let reach = (GUARD_BAND * SUBPIXEL_ONE) as f32;
        let place = viewport.translate[axis] + sign * viewport.scale[axis].abs();
        os_shim::math::round_even(place * SUBPIXEL_ONE as f32).clamp(-reach, reach) as i32
    };
    Bounds {
        x0: rule.first_pixel(corner(0, -1.0)),
        y0: rule.first_pixel(corner(1, -1.0)),
        x1: rule.first_pixel(corner(0, 1.0)),
        y1: rule.first_pixel(corner(1, 1.0)),
    }
}

/// The bounds that depths are clamped to per pixel, where planes do not clip: the viewport's.
fn depth_range(rasterizer: &RasterizerState, viewport: &ViewportState) -> Option<[i32; 2]> {
    let clips = rasterizer.depth_clip_near && rasterizer.depth_clip_far;
    if clips && !rasterizer.depth_clamp {
        return None;
    }
    let near = if rasterizer.clip_halfz { 0.0 } else { -1.0 };
    let [a, b] = [near, 1.0].map(|z| {
        let depth = viewport.translate[2] + z * viewport.scale[2];
        (depth.clamp(0.0, 1.0) * (1u32 << DEPTH_BITS) as f32) as i32
    });
    Some([a.min(b), a.max(b)])
}

/// Whether an input is the place within the point, on points.
fn is_sprite(input: &Input, rasterizer: &RasterizerState) -> bool {
    match input.semantic.name {
        SemanticName::PointCoord => true,
        SemanticName::TexCoord => {
            rasterizer.sprite_coord_enable.checked_shr(input.semantic.index.into()).unwrap_or(0) & 1
                != 0
        }
        _ => false,
    }
}

/// Where a fragment input comes from.
enum Route {
    /// This register of the vertex stage.
    Output(u8),
    Special(SpecialKind),
}

/// Finds the vertex output with an input's semantic, or what stands in for it.
fn route(input: &Input, vertex: &Program<'_>, rasterizer: &RasterizerState, sprite: bool) -> Route {
    match input.semantic.name {
        SemanticName::Position => return Route::Special(SpecialKind::Position),
        SemanticName::Face => return Route::Special(SpecialKind::Face),
        _ => {}
    }
    let find = |semantic| vertex.outputs.iter().find(|output| output.semantic == semantic);
    let mut written = find(input.semantic);
    if input.semantic.name == SemanticName::Color && rasterizer.light_twoside {
        // Where there is a back colour only, front faces may have any.
        written = written.or(find(Semantic::new(SemanticName::BackColor, input.semantic.index)));
    }
    match written {
        Some(output) => Route::Output(output.register.min(254) as u8),
        None if sprite => Route::Output(UNWRITTEN),
        // (0, 0, 0, 1), as a vertex attribute that is not there.
        None => Route::Special(SpecialKind::Constant([0, 0, 0, 1.0f32.to_bits()])),
    }
}
