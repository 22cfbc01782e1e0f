//! The bound state: buffers, surfaces, views, and the small values of the non-CSO state.

#[cfg(feature = "samples")]
use heapless::Vec as Array;
use os_shim::Vec;
use os_shim::memory::{Memory, OutOfMemory};
use os_shim::pool::RawHandle;
#[cfg(feature = "stages")]
use pipe_core::TessState;
use pipe_core::context::{ConstantBuffer, ResourceBinding};
use pipe_core::limits::{MAX_ATTRIBS, MAX_CONSTANT_BUFFERS, MAX_VIEWPORTS};
use pipe_core::{
    BlendColor, ClipState, FramebufferState, PipeError, ResourceHandle, ScissorState, ShaderType,
    StencilRef, VertexBuffer, ViewportState,
};

use super::{Context, object};
use crate::device::{hold, release, resource};
use crate::features::{
    self, BUFFER_SURFACES, COMPUTE, GEOMETRY_SHADERS, PRIMITIVE_EFFECTS, SAMPLES, TESSELLATION,
};
use crate::frame::{Attachment, Framebuffer};
use crate::lanes::COLOR_BUFFERS;
use crate::profile::Profile;
use crate::resource::pixel_bytes;
use crate::scene::MAX_CONSTANT_BLOCKS;
#[cfg(feature = "samples")]
use crate::setup::MAX_SAMPLES;
use crate::setup::has_sample_count;

#[cfg(feature = "desktop")]
use pipe_core::WindowRectangles;

/// Rows of a polygon stipple; none if stipples are disabled.
const STIPPLE_ROWS: usize = if PRIMITIVE_EFFECTS { 32 } else { 0 };

/// The number of stages: vertex, fragment, and stages that features add.
pub(super) const STAGES: usize = match (COMPUTE, features::STAGES) {
    (true, _) => 6,
    (false, true) => 5,
    (false, false) => 2,
};
pub(super) const VERTEX: usize = 0;
pub(super) const FRAGMENT: usize = 1;
// These lie beyond the tables if their features are disabled.
pub(super) const GEOMETRY: usize = 2;
pub(super) const TESS_CTRL: usize = 3;
pub(super) const TESS_EVAL: usize = 4;
pub(super) const GRID: usize = 5;

/// The number of viewports, and of scissors.
pub(super) const VIEWPORTS: usize = if features::STAGES { MAX_VIEWPORTS } else { 1 };

/// Returns a stage's index in the tables of the bound state; `None` for a stage without one.
pub(super) fn stage_index(stage: ShaderType) -> Option<usize> {
    match stage {
        ShaderType::Vertex => Some(VERTEX),
        ShaderType::Fragment => Some(FRAGMENT),
        ShaderType::Geometry if GEOMETRY_SHADERS => Some(GEOMETRY),
        ShaderType::TessCtrl if TESSELLATION => Some(TESS_CTRL),
        ShaderType::TessEval if TESSELLATION => Some(TESS_EVAL),
        ShaderType::Compute if COMPUTE => Some(GRID),
        _ => None,
    }
}

/// A constant buffer slot.
#[derive(Debug, Default)]
pub(super) enum Constants<'m> {
    /// Reads as 0.
    #[default]
    None,
    /// Part of a resource.
    Resource { resource: RawHandle, offset: usize, size: usize },
    /// A copy of user memory.
    User(Vec<'m, u8>),
}

/// The bound state. If the object of a handle is deleted, the state's default applies.
#[derive(Debug)]
pub(super) struct Bound<'m> {
    pub(super) blend: Option<RawHandle>,
    pub(super) depth_stencil_alpha: Option<RawHandle>,
    pub(super) rasterizer: Option<RawHandle>,
    pub(super) elements: Option<RawHandle>,
    pub(super) shaders: [Option<RawHandle>; STAGES],
    pub(super) samplers: [Vec<'m, Option<RawHandle>>; STAGES],
    pub(super) views: [Vec<'m, Option<RawHandle>>; STAGES],
    pub(super) constants: [Vec<'m, Constants<'m>>; STAGES],
    pub(super) vertex_buffers: Vec<'m, Option<VertexBuffer>>,
    pub(super) framebuffer: FramebufferState,
    pub(super) viewports: [ViewportState; VIEWPORTS],
    pub(super) scissors: [ScissorState; VIEWPORTS],
    pub(super) stencil_ref: StencilRef,
    pub(super) blend_color: BlendColor,
    pub(super) clip: ClipState,
    pub(super) stipple: [u32; STIPPLE_ROWS],
    #[cfg(feature = "desktop")]
    pub(super) windows: WindowRectangles,
    pub(super) sample_mask: u32,
    #[cfg(feature = "samples")]
    pub(super) min_samples: u8,
    /// The sample locations in the order of `set_sample_locations`. Samples beyond them have
    /// standard locations.
    #[cfg(feature = "samples")]
    pub(super) sample_places: Array<u8, MAX_SAMPLES>,
    #[cfg(feature = "stages")]
    pub(super) tess: TessState,
    #[cfg(feature = "stages")]
    pub(super) patch_vertices: u8,
}

impl<'m> Bound<'m> {
    pub(super) fn new_in(memory: Memory<'m>) -> Self {
        Bound {
            blend: None,
            depth_stencil_alpha: None,
            rasterizer: None,
            elements: None,
            shaders: [None; STAGES],
            samplers: core::array::from_fn(|_| Vec::new_in(memory)),
            views: core::array::from_fn(|_| Vec::new_in(memory)),
            constants: core::array::from_fn(|_| Vec::new_in(memory)),
            vertex_buffers: Vec::new_in(memory),
            framebuffer: FramebufferState::default(),
            viewports: [ViewportState::default(); VIEWPORTS],
            scissors: [ScissorState::default(); VIEWPORTS],
            stencil_ref: StencilRef::default(),
            blend_color: BlendColor::default(),
            clip: ClipState::default(),
            stipple: [!0; STIPPLE_ROWS],
            #[cfg(feature = "desktop")]
            windows: WindowRectangles::default(),
            sample_mask: !0,
            #[cfg(feature = "samples")]
            min_samples: 1,
            #[cfg(feature = "samples")]
            sample_places: Array::new(),
            #[cfg(feature = "stages")]
            tess: TessState::default(),
            #[cfg(feature = "stages")]
            patch_vertices: 3,
        }
    }

    /// Returns the shader that is bound to a stage; `None` for a stage that is not built in.
    pub(super) fn shader(&self, stage: usize) -> Option<RawHandle> {
        self.shaders.get(stage).copied().flatten()
    }

    /// Returns the shader that produces the outputs to stream, clip and rasterize. It is the shader
    /// of the last bound stage before the fragment stage.
    pub(super) fn last_vertex_stage(&self) -> Option<RawHandle> {
        self.shader(GEOMETRY).or(self.shader(TESS_EVAL)).or(self.shader(VERTEX))
    }

    /// Returns the resources that bindings hold.
    pub(super) fn held(&self) -> impl Iterator<Item = RawHandle> {
        let constants = self.constants.iter().flatten().filter_map(|constants| match constants {
            Constants::Resource { resource, .. } => Some(*resource),
            _ => None,
        });
        let vertices = self.vertex_buffers.iter().flatten();
        constants.chain(vertices.map(|buffer| buffer.resource.raw()))
    }
}

/// Replaces the slots from `start` on, and grows the list as needed.
pub(super) fn set_range<T: Clone + Default>(
    slots: &mut Vec<'_, T>,
    start: usize,
    values: impl ExactSizeIterator<Item = T>,
) -> Result<(), OutOfMemory> {
    let end = start + values.len();
    if slots.len() < end {
        slots.try_resize_with(end, T::default)?;
    }
    for (slot, value) in slots.iter_mut().skip(start).zip(values) {
        *slot = value;
    }
    Ok(())
}

impl<'m, P: Profile> ResourceBinding for Context<'_, 'm, P> {
    #[expect(clippy::indexing_slicing, reason = "`stage_index` returns the arrays' indices")]
    fn set_constant_buffer(
        &mut self,
        stage: ShaderType,
        index: usize,
        buffer: Option<ConstantBuffer<'_>>,
    ) -> Result<(), PipeError> {
        // Programs read the first `MAX_CONSTANT_BLOCKS` slots; any slot may be unbound.
        let slots = if buffer.is_some() { MAX_CONSTANT_BLOCKS } else { MAX_CONSTANT_BUFFERS };
        PipeError::at_most("constant buffer", index as u64, slots as u64 - 1)?;
        let Some(stage) = stage_index(stage) else {
            return match buffer {
                Some(_) => Err(PipeError::Unsupported("constants of this stage")),
                None => Ok(()),
            };
        };
        let memory = self.os.memory;
        let slots = &mut self.bound.constants[stage];
        if slots.len() <= index {
            slots.try_resize_with(index + 1, Constants::default)?;
        }
        let mut shared = self.device.shared.lock();
        let slot = slots.get_mut(index).ok_or(PipeError::Invalid("number of a constant buffer"))?;
        let new = match buffer {
            None => Constants::None,
            Some(ConstantBuffer::User(bytes)) => {
                // Usually the size is the same as last time: no allocation.
                if let Constants::User(copy) = slot
                    && copy.len() == bytes.len()
                {
                    copy.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
                    self.record = None;
                    return Ok(());
                }
                Constants::User(Vec::try_from_slice_in(bytes, memory)?)
            }
            Some(ConstantBuffer::Resource { resource: handle, buffer_offset, buffer_size }) => {
                resource(&shared.resources, handle)?;
                hold(&mut shared.resources, handle.raw());
                Constants::Resource {
                    resource: handle.raw(),
                    offset: buffer_offset as usize,
                    size: buffer_size as usize,
                }
            }
        };
        if let Constants::Resource { resource, .. } = core::mem::replace(slot, new) {
            release(&mut shared.resources, resource);
        }
        drop(shared);
        self.touch();
        Ok(())
    }

    fn set_framebuffer_state(&mut self, state: &FramebufferState) -> Result<(), PipeError> {
        self.graphics()?;
        let count = state.nr_cbufs() as u64;
        if count > COLOR_BUFFERS as u64 {
            return Err(PipeError::Unsupported(
                "several colour buffers (the feature `fragments` draws to them)",
            ));
        }
        PipeError::at_most("colour buffers", count, P::MAX_COLOR_BUFFERS as u64)?;
        if !has_sample_count(state.samples.max(1).into()) {
            return Err(PipeError::Unsupported("framebuffers of this number of samples"));
        }
        let framebuffer = self.resolve(state)?;
        if framebuffer == self.framebuffer {
            self.bound.framebuffer = *state;
            return Ok(());
        }
        let left = self.leave_scene();
        if features::BUDGET {
            self.note_stop(left)?;
        } else {
            left?;
        }
        self.scene.resize(framebuffer.width, framebuffer.height, framebuffer.layers())?;
        self.framebuffer = framebuffer;
        self.bound.framebuffer = *state;
        self.touch();
        Ok(())
    }

    fn set_vertex_buffers(
        &mut self,
        start: usize,
        buffers: &[Option<VertexBuffer>],
    ) -> Result<(), PipeError> {
        PipeError::at_most(
            "vertex buffers",
            start.saturating_add(buffers.len()) as u64,
            MAX_ATTRIBS as u64,
        )?;
        let mut shared = self.device.shared.lock();
        for buffer in buffers.iter().flatten() {
            resource(&shared.resources, buffer.resource)?;
        }
        let end = start + buffers.len();
        if self.bound.vertex_buffers.len() < end {
            self.bound.vertex_buffers.try_resize(end, None)?;
        }
        for (slot, buffer) in self.bound.vertex_buffers.iter_mut().skip(start).zip(buffers) {
            if let Some(buffer) = buffer {
                hold(&mut shared.resources, buffer.resource.raw());
            }
            if let Some(old) = core::mem::replace(slot, *buffer) {
                release(&mut shared.resources, old.resource.raw());
            }
        }
        Ok(())
    }
}

impl<'m, P: Profile> Context<'_, 'm, P> {
    /// Finds the memory of a framebuffer's surfaces.
    fn resolve(&self, state: &FramebufferState) -> Result<Framebuffer, PipeError> {
        let shared = self.device.shared.lock();
        let mut framebuffer = Framebuffer::default();
        (framebuffer.width, framebuffer.height) = (state.width.into(), state.height.into());
        let mut layers = None;
        let mut samples = None;
        let surfaces = state.cbufs.iter().take(COLOR_BUFFERS).chain([&state.zsbuf]);
        for (slot, surface) in framebuffer.attachments.iter_mut().zip(surfaces) {
            let Some(surface) = surface else { continue };
            let surface = object(&self.objects.surfaces, *surface)?;
            let handle = ResourceHandle::new(surface.resource);
            let Some(resource) = shared.resources.get(surface.resource) else {
                return Err(PipeError::stale(handle));
            };
            let Some(place) = resource.surface(&surface.template) else {
                return Err(PipeError::Invalid("a surface of a level that is not there"));
            };
            if BUFFER_SURFACES && state.zsbuf.is_some() && resource.template.is_buffer() {
                return Err(PipeError::Unsupported(
                    "a depth buffer together with a colour buffer in a buffer resource",
                ));
            }
            if SAMPLES && *samples.get_or_insert(resource.samples()) != resource.samples() {
                return Err(PipeError::Invalid("attachments of different sample counts"));
            }
            // Pixels outside of an attachment are not drawn.
            framebuffer.width = framebuffer.width.min(place.width);
            framebuffer.height = framebuffer.height.min(place.height);
            let mut count = 1;
            if features::STAGES {
                count = place.layers;
                layers = Some(layers.map_or(count, |layers: u32| layers.min(count)));
            }
            *slot = Some(Attachment {
                resource: surface.resource,
                level: place.level,
                offset: place.offset,
                layer_stride: place.layer_stride,
                bytes: count as usize * place.layer_stride,
                stride: place.row_stride,
                format: surface.template.format,
                pixel: pixel_bytes(surface.template.format),
                streamed: resource.is_streamed(),
            });
        }
        #[cfg(feature = "samples")]
        framebuffer.set_samples(samples.unwrap_or(state.samples.into()));
        if features::STAGES {
            framebuffer.set_layers(layers.unwrap_or(state.layers.into()));
        }
        Ok(framebuffer)
    }
}
