//! The bound state: objects, buffers, surfaces, views, and the small values of the non-CSO state.

use std::sync::Arc;

use os_shim::Vec;
use os_shim::memory::Memory;
use os_shim::memory::OutOfMemory;
use os_shim::pool::RawHandle;
use pipe_core::context::{ConstantBuffer, ResourceBinding};
use pipe_core::limits::{
    MAX_ATTRIBS, MAX_COLOR_BUFS, MAX_CONSTANT_BUFFERS, MAX_HW_ATOMIC_BUFFERS, MAX_SAMPLERS,
    MAX_SHADER_BUFFERS, MAX_SHADER_IMAGES, MAX_SHADER_SAMPLER_VIEWS, MAX_VIEWPORTS,
};
use pipe_core::{
    BlendColor, ClipState, FramebufferState, PerStage, PipeError, PolyStipple, ScissorState,
    ShaderType, StencilRef, TessState, VertexBuffer, ViewportState, WindowRectangles,
};

use super::compute::MAX_GLOBALS;
use super::{Context, object, refuse};
use crate::memory::{BufferRange, Image};
use crate::resource::Resource;
use crate::setup::{MAX_SAMPLES, has_sample_count};
use crate::target::Target;

/// A constant buffer slot.
#[derive(Debug, Default)]
pub(super) enum Constants<'m> {
    /// Reads as 0.
    #[default]
    None,
    /// A range of bytes of a buffer.
    Resource(Arc<Resource<'m>>, core::ops::Range<usize>),
    /// A copy of the frontend's bytes.
    User(Vec<'m, u8>),
}

impl<'m> Constants<'m> {
    /// Returns a copy of the bytes.
    ///
    /// # Errors
    /// Out of memory.
    pub(super) fn copy(&self, memory: Memory<'m>) -> Result<Vec<'m, u8>, OutOfMemory> {
        match self {
            Constants::None => Ok(Vec::new_in(memory)),
            Constants::User(bytes) => bytes.try_clone(),
            Constants::Resource(resource, range) => resource.read(|bytes| {
                let end = range.end.min(bytes.len());
                Vec::try_from_slice_in(bytes.get(range.start..end).unwrap_or(&[]), memory)
            }),
        }
    }
}

/// The bindings of one shader stage.
#[derive(Debug)]
pub(super) struct Stage<'m> {
    pub(super) shader: Option<RawHandle>,
    pub(super) samplers: [Option<RawHandle>; MAX_SAMPLERS],
    pub(super) views: [Option<RawHandle>; MAX_SHADER_SAMPLER_VIEWS],
    pub(super) constants: [Constants<'m>; MAX_CONSTANT_BUFFERS],
    pub(super) buffers: [Option<BufferRange<'m>>; MAX_SHADER_BUFFERS],
    pub(super) images: [Option<Image<'m>>; MAX_SHADER_IMAGES],
}

impl Default for Stage<'_> {
    fn default() -> Self {
        Stage {
            shader: None,
            samplers: [None; _],
            views: [None; _],
            constants: [const { Constants::None }; _],
            buffers: [const { None }; _],
            images: [const { None }; _],
        }
    }
}

/// A bound vertex buffer.
#[derive(Debug)]
pub(super) struct Vertices<'m> {
    pub(super) resource: Arc<Resource<'m>>,
    pub(super) stride: u32,
    pub(super) offset: usize,
}

/// The attachments, and the size of the area that draws can reach.
#[derive(Debug, Default)]
pub(super) struct Framebuffer<'m> {
    pub(super) state: FramebufferState,
    pub(super) color: [Option<Target<'m>>; MAX_COLOR_BUFS],
    pub(super) depth: Option<Target<'m>>,
    /// Samples per pixel.
    pub(super) samples: u32,
    /// The number of layers that primitives can go to.
    pub(super) layers: u32,
    /// In pixels.
    pub(super) width: u32,
    /// In pixels.
    pub(super) height: u32,
}

/// The bound state. A handle of a deleted object means the default state.
#[derive(Debug)]
pub(super) struct Bound<'m> {
    pub(super) blend: Option<RawHandle>,
    pub(super) depth_stencil_alpha: Option<RawHandle>,
    pub(super) rasterizer: Option<RawHandle>,
    pub(super) elements: Option<RawHandle>,
    pub(super) stages: PerStage<Stage<'m>>,
    /// Hardware atomic counters, which all stages see.
    pub(super) counters: [Option<BufferRange<'m>>; MAX_HW_ATOMIC_BUFFERS],
    /// Global memory, which compute programs see.
    pub(super) globals: [Option<BufferRange<'m>>; MAX_GLOBALS],
    pub(super) vertex_buffers: [Option<Vertices<'m>>; MAX_ATTRIBS],
    pub(super) framebuffer: Framebuffer<'m>,
    pub(super) viewports: [ViewportState; MAX_VIEWPORTS],
    pub(super) scissors: [ScissorState; MAX_VIEWPORTS],
    pub(super) window_rectangles: WindowRectangles,
    pub(super) stencil_ref: StencilRef,
    pub(super) blend_color: BlendColor,
    pub(super) clip: ClipState,
    pub(super) stipple: PolyStipple,
    /// The samples that draws write.
    pub(super) sample_mask: u32,
    pub(super) min_samples: u8,
    pub(super) tess: TessState,
    /// Vertices of an input patch.
    pub(super) patch_vertices: u8,
    /// The positions of the first samples, from `set_sample_locations`, and their number. The
    /// remaining samples have standard positions.
    pub(super) sample_places: ([u8; MAX_SAMPLES], usize),
}

impl Default for Bound<'_> {
    fn default() -> Self {
        Bound {
            blend: None,
            depth_stencil_alpha: None,
            rasterizer: None,
            elements: None,
            stages: PerStage::default(),
            counters: [const { None }; _],
            globals: [const { None }; _],
            vertex_buffers: [const { None }; _],
            framebuffer: Framebuffer::default(),
            viewports: [ViewportState::default(); _],
            scissors: [ScissorState::default(); _],
            window_rectangles: WindowRectangles::default(),
            stencil_ref: StencilRef::default(),
            blend_color: BlendColor::default(),
            clip: ClipState::default(),
            stipple: PolyStipple::default(),
            sample_mask: u32::MAX,
            min_samples: 0,
            tess: TessState::default(),
            patch_vertices: 3,
            sample_places: ([0; _], 0),
        }
    }
}

impl Bound<'_> {
    /// Returns the last bound stage among vertex, tessellation evaluation and geometry shader. Its
    /// primitives go to stream output and to the rasterizer.
    pub(super) fn last_vertex_stage(&self) -> ShaderType {
        let later = [ShaderType::Geometry, ShaderType::TessEval];
        let bound = later.into_iter().find(|stage| self.stages[*stage].shader.is_some());
        bound.unwrap_or(ShaderType::Vertex)
    }
}

impl ResourceBinding for Context<'_, '_> {
    fn set_constant_buffer(
        &mut self,
        stage: ShaderType,
        index: usize,
        buffer: Option<ConstantBuffer<'_>>,
    ) -> Result<(), PipeError> {
        PipeError::at_most("constant buffer", index as u64, MAX_CONSTANT_BUFFERS as u64 - 1)?;
        let constants = match buffer {
            None => Constants::None,
            Some(ConstantBuffer::User(bytes)) => {
                Constants::User(Vec::try_from_slice_in(bytes, self.device.os.memory)?)
            }
            Some(ConstantBuffer::Resource { resource, buffer_offset, buffer_size }) => {
                let start = buffer_offset as usize;
                let end = start.saturating_add(buffer_size as usize);
                Constants::Resource(self.device.resource(resource)?, start..end)
            }
        };
        self.bound.stages[stage].constants[index] = constants;
        Ok(())
    }

    fn set_framebuffer_state(&mut self, state: &FramebufferState) -> Result<(), PipeError> {
        let counts = has_sample_count(state.samples);
        refuse(!counts, "framebuffers of this number of samples")?;
        let (width, height) = (state.width.into(), state.height.into());
        let mut framebuffer =
            Framebuffer { state: *state, width, height, ..Framebuffer::default() };
        let Framebuffer { color, depth, width, height, .. } = &mut framebuffer;
        let mut samples = None;
        let mut layers = None;
        let surfaces = state.cbufs.iter().chain([&state.zsbuf]);
        for (slot, surface) in color.iter_mut().chain([depth]).zip(surfaces) {
            let Some(surface) = surface else { continue };
            let target = &object(&self.objects.surfaces, *surface)?.target;
            if *samples.get_or_insert(target.samples()) != target.samples() {
                return Err(PipeError::Invalid("the attachments' sample counts differ"));
            }
            // Nothing is drawn outside of an attachment.
            *width = (*width).min(target.width);
            *height = (*height).min(target.height);
            layers = Some(layers.map_or(target.layers, |layers: u32| layers.min(target.layers)));
            *slot = Some(target.clone());
        }
        framebuffer.layers = layers.unwrap_or(state.layers.max(1).into());
        framebuffer.samples = samples.unwrap_or(state.samples.max(1).into());
        self.bound.framebuffer = framebuffer;
        Ok(())
    }

    fn set_vertex_buffers(
        &mut self,
        start: usize,
        buffers: &[Option<VertexBuffer>],
    ) -> Result<(), PipeError> {
        let end = start.saturating_add(buffers.len()) as u64;
        PipeError::at_most("vertex buffers", end, MAX_ATTRIBS as u64)?;
        let vertices = |buffer: &VertexBuffer| -> Result<_, PipeError> {
            let resource = self.device.resource(buffer.resource)?;
            let (stride, offset) = (buffer.stride, buffer.buffer_offset as usize);
            Ok(Vertices { resource, stride, offset })
        };
        let mut found = [const { None }; MAX_ATTRIBS];
        for (slot, buffer) in found.iter_mut().zip(buffers) {
            *slot = buffer.as_ref().map(vertices).transpose()?;
        }
        let slots = self.bound.vertex_buffers.iter_mut().skip(start).take(buffers.len());
        for (slot, buffer) in slots.zip(found) {
            *slot = buffer;
        }
        Ok(())
    }
}
