//! Doubts: finds draws and presents that the contract allows, but that show nothing or an
//! unintended picture.

use super::Check;
use super::facts::{SPRITES, ShaderFacts};
use crate::draw_info::{DrawIndirect, DrawInfo, DrawStartCount, IndexSource};
use crate::handle::*;
use crate::primitive::PrimType;
use crate::shader::ShaderType;
use crate::state::{CompareFunc, DepthStencilAlphaState, Face, RasterizerState, VertexElement};
use crate::warnings::Warnings;

/// The facts about a rasterizer state.
#[derive(Clone, Copy)]
pub(super) struct RasterizerFacts {
    pub(super) discards: bool,
    culls_all: bool,
    /// True if points may have coordinates as sprites.
    sprites: bool,
}

impl From<&RasterizerState> for RasterizerFacts {
    fn from(state: &RasterizerState) -> Self {
        RasterizerFacts {
            discards: state.rasterizer_discard,
            culls_all: state.cull_face == Face::FrontAndBack,
            sprites: state.sprite_coord_enable != 0,
        }
    }
}

/// The facts about a depth test.
#[derive(Clone, Copy)]
pub(super) struct DepthFacts {
    tests: bool,
    /// True if only depth nearer than or equal to the stored one passes.
    nearer: bool,
}

impl From<&DepthStencilAlphaState> for DepthFacts {
    fn from(state: &DepthStencilAlphaState) -> Self {
        use CompareFunc::{Equal, Less, LessEqual};
        let nearer = matches!(state.depth_func, Less | LessEqual | Equal);
        DepthFacts { tests: state.depth_enabled, nearer: state.depth_enabled && nearer }
    }
}

/// The history of a frame on a streamed target.
#[derive(Clone, Copy, Default)]
pub(super) struct FrameFacts {
    /// True if a frame was presented.
    presented: bool,
    /// True if some frame was cleared.
    ever_cleared: bool,
    /// True if this frame was cleared.
    cleared: bool,
    /// The draws of this frame that may have triangles.
    draws: u32,
    /// The driver's count of primitives when the frame began.
    primitives: u64,
}

/// The driver's counts when draws to the bound framebuffer began.
#[derive(Clone, Copy, Default)]
pub(super) struct PictureFacts {
    primitives: u64,
    culled: u64,
}

impl Check<'_, '_> {
    /// Returns the reasons why a complete draw may show nothing or an unintended picture.
    fn doubts(
        &self,
        info: &DrawInfo<'_>,
        indirect: Option<&DrawIndirect>,
        draws: &[DrawStartCount],
    ) -> Warnings {
        let bound = &self.bound;
        let mut warnings = self.doubts_of_shaders(info);
        warnings.set(Warnings::NO_VIEWPORT, !bound.has_viewport);
        let elements = bound.elements.and_then(|handle| self.elements.get(handle));
        let elements = elements.map_or(&[][..], |elements| elements);
        let inputs = self.bound_shader(ShaderType::Vertex).map_or(0, |shader| shader.inputs);
        warnings.set(Warnings::FEW_ELEMENTS, elements.len() < inputs);
        let stride = |element: &VertexElement| {
            let slot = usize::from(element.vertex_buffer_index);
            let buffer = bound.vertex_buffers.get(slot).and_then(Option::as_ref);
            buffer.map_or(0, |buffer| buffer.stride as usize)
        };
        let leaves_its_vertex = elements.iter().any(|element| {
            let end =
                (element.src_offset as usize).saturating_add(element.src_format.block_bytes());
            stride(element) != 0 && end > stride(element)
        });
        warnings.set(Warnings::BEYOND_STRIDE, leaves_its_vertex);
        let stays = |element: &VertexElement| element.instance_divisor == 0 && stride(element) == 0;
        warnings.set(Warnings::ZERO_STRIDE, !elements.is_empty() && elements.iter().all(stays));
        let tests = bound.depth_stencil_alpha.and_then(|handle| self.depth_tests.get(handle));
        if let Some(facts) = tests {
            let depth = bound.framebuffer.zsbuf;
            warnings.set(Warnings::NO_DEPTH_BUFFER, facts.tests && depth.is_none());
            let cleared = depth.is_none_or(|depth| self.is_cleared(depth));
            warnings.set(Warnings::DEPTH_NOT_CLEARED, facts.nearer && !cleared);
        }
        let rasterizer = bound.rasterizer.and_then(|handle| self.rasterizers.get(handle));
        let culls_all = rasterizer.is_some_and(|facts| facts.culls_all && !facts.discards);
        let areas = !matches!(
            info.mode,
            PrimType::Points | PrimType::Lines | PrimType::LineLoop | PrimType::LineStrip
        );
        warnings.set(Warnings::CULLS_ALL, culls_all && areas);
        if indirect.is_none() && info.mode == PrimType::Triangles {
            warnings |= self.doubts_of_counts(info, draws, elements);
        }
        warnings
    }

    fn bound_shader(&self, stage: ShaderType) -> Option<&ShaderFacts> {
        self.bound.shaders[stage].and_then(|handle| self.shaders.get(handle))
    }

    /// Returns the doubts about what the bound shaders read.
    fn doubts_of_shaders(&self, info: &DrawInfo<'_>) -> Warnings {
        let mut warnings = Warnings::empty();
        for stage in ShaderType::ALL.iter().filter(|stage| **stage != ShaderType::Compute) {
            let Some(shader) = self.bound_shader(*stage) else { continue };
            for (needed, given) in shader.constants.iter().zip(&self.bound.constants[*stage]) {
                warnings.set(
                    Warnings::NO_CONSTANTS,
                    warnings.contains(Warnings::NO_CONSTANTS) || *needed > 0 && given.is_none(),
                );
                if given.is_some_and(|given| given < *needed) {
                    warnings |= Warnings::FEW_CONSTANTS;
                }
            }
            let has = |used: u32, unit: usize| used.checked_shr(unit as u32).unwrap_or(0) & 1 != 0;
            for (unit, view) in self.bound.views[*stage].iter().enumerate() {
                if has(shader.views, unit) && view.is_none() {
                    warnings |= Warnings::NO_TEXTURE;
                }
            }
            for (unit, sampler) in self.bound.samplers[*stage].iter().enumerate() {
                if has(shader.samplers, unit) && sampler.is_none() {
                    warnings |= Warnings::NO_SAMPLER;
                }
            }
        }
        let before = [ShaderType::Geometry, ShaderType::TessEval, ShaderType::Vertex];
        let before = before.into_iter().find_map(|stage| self.bound_shader(stage));
        if let (Some(before), Some(fragment)) = (before, self.bound_shader(ShaderType::Fragment)) {
            let rasterizer = self.bound.rasterizer.and_then(|handle| self.rasterizers.get(handle));
            let sprites =
                info.mode == PrimType::Points && rasterizer.is_some_and(|facts| facts.sprites);
            let replaced = if sprites { SPRITES } else { 0 };
            let missing = fragment.reads & !before.writes & !replaced;
            warnings.set(Warnings::UNWRITTEN_INPUT, missing != 0);
        }
        warnings
    }

    /// Returns the doubts about the counts of draws of triangles.
    fn doubts_of_counts(
        &self,
        info: &DrawInfo<'_>,
        draws: &[DrawStartCount],
        elements: &[VertexElement],
    ) -> Warnings {
        let mut warnings = Warnings::empty();
        let too_few = |draw: &DrawStartCount| matches!(draw.count, 1 | 2);
        warnings.set(Warnings::NO_TRIANGLE, draws.iter().any(too_few));
        let &[DrawStartCount { start: 0, count, .. }] = draws else { return warnings };
        let bytes = |resource: ResourceHandle| {
            let template = self.screen.resource_template(resource).ok()?;
            Some(u64::from(template.width0))
        };
        let there = match &info.index {
            Some(index) => {
                let bytes = match index.source {
                    IndexSource::User(bytes) => Some(bytes.len() as u64),
                    IndexSource::Resource(resource) => bytes(resource),
                };
                bytes.and_then(|bytes| bytes.checked_div(index.size.into()))
            }
            None => elements.iter().find_map(|element| {
                let slot = usize::from(element.vertex_buffer_index);
                let buffer = self.bound.vertex_buffers.get(slot)?.as_ref()?;
                let bytes = bytes(buffer.resource)?.checked_sub(buffer.buffer_offset.into())?;
                bytes.checked_div(buffer.stride.into())
            }),
        };
        let is_third = count > 0 && there == Some(u64::from(count).saturating_mul(3));
        warnings.set(Warnings::COUNTS_TRIANGLES, is_third);
        warnings
    }

    /// Returns true if the depth of a surface's resource was cleared or written.
    fn is_cleared(&self, surface: SurfaceHandle) -> bool {
        let resource = self.surfaces.get(surface).map(|known| known.0);
        resource.is_none_or(|resource| self.written.get(resource).is_some())
    }

    /// Records the warnings of a draw, and logs the new ones.
    pub(super) fn warn_of_draw(
        &mut self,
        info: &DrawInfo<'_>,
        indirect: Option<&DrawIndirect>,
        draws: &[DrawStartCount],
    ) {
        self.frame.draws = self.frame.draws.saturating_add(1);
        self.warn(self.doubts(info, indirect, draws));
        if indirect.is_none() {
            self.warn_of_vertices(info, draws);
        }
    }

    /// Records that a draw reads vertices beyond their buffers, and logs the first such draw.
    fn warn_of_vertices(&mut self, info: &DrawInfo<'_>, draws: &[DrawStartCount]) {
        let elements = self.bound.elements.and_then(|handle| self.elements.get(handle));
        let elements = elements.map_or(&[][..], |elements| elements);
        let kind = match info.index {
            Some(_) => Warnings::INDEX_BEYOND,
            None => Warnings::VERTICES_BEYOND,
        };
        if self.warnings.contains(kind) {
            return;
        }
        if let Some(beyond) = self.vertices_beyond(info, draws, elements) {
            let found = beyond.warning();
            os_shim::warn!(
                "{} (a draw reads vertex {}, counted from 0; there are {} vertices)",
                found.text(),
                beyond.last,
                beyond.there
            );
            self.warnings |= found;
        }
    }

    /// Records warnings, and logs the new ones.
    fn warn(&mut self, found: Warnings) {
        let new = found.difference(self.warnings);
        for warning in new.iter() {
            os_shim::warn!("{}", warning.text());
        }
        self.warnings |= new;
    }

    /// Records that the bound depth buffer, or a colour buffer, was cleared.
    pub(super) fn note_clear(&mut self, color: bool, depth: bool) {
        self.frame.cleared |= color;
        self.frame.ever_cleared |= color;
        if let Some(surface) = self.bound.framebuffer.zsbuf.filter(|_| depth) {
            self.note_cleared(surface);
        }
    }

    /// Records that a surface was cleared.
    pub(super) fn note_cleared(&mut self, surface: SurfaceHandle) {
        if let Some((resource, ..)) = self.surfaces.get(surface) {
            self.note_written(*resource);
        }
    }

    /// Records that the texels of a resource were written, other than by a draw.
    pub(super) fn note_written(&mut self, resource: ResourceHandle) {
        // Without memory for the fact, a warning may be wrong.
        let _ = self.written.note(resource, ());
    }

    /// Records that the draws to the bound framebuffer are complete.
    pub(super) fn note_end_of_picture(&mut self) {
        let driver = self.inner.get_ref();
        let counts = driver.primitives_drawn().zip(driver.primitives_culled());
        let Some((primitives, culled)) = counts else { return };
        let dropped = culled.wrapping_sub(self.picture.culled);
        let all = dropped > 0 && dropped == primitives.wrapping_sub(self.picture.primitives);
        self.picture = PictureFacts { primitives, culled };
        let mut found = Warnings::empty();
        found.set(Warnings::ALL_CULLED, all);
        self.warn(found);
    }

    /// Records the end of a frame: a presented streamed target, and its depth, hold zeros again.
    pub(super) fn note_presented(&mut self, resource: ResourceHandle) {
        let streamed = |resource| {
            self.screen.resource_template(resource).is_ok_and(|template| template.is_streamed())
        };
        if !streamed(resource) {
            return;
        }
        let frame = self.frame;
        let lost = frame.presented && !frame.cleared && (frame.ever_cleared || frame.draws == 0);
        let mut found = Warnings::empty();
        found.set(Warnings::NOT_CLEARED, lost);
        let primitives = self.inner.get_ref().primitives_drawn();
        let drawn = primitives.is_none_or(|count| count != frame.primitives);
        found.set(Warnings::EMPTY_FRAME, frame.draws > 0 && !drawn);
        let depth = self.bound.framebuffer.zsbuf.and_then(|depth| self.surfaces.get(depth));
        if let Some(depth) = depth.map(|known| known.0).filter(|depth| streamed(*depth)) {
            self.written.forget(depth);
        }
        self.frame = FrameFacts {
            presented: true,
            ever_cleared: frame.ever_cleared,
            cleared: false,
            draws: 0,
            primitives: primitives.unwrap_or(0),
        };
        self.warn(found);
    }
}
