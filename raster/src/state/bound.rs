//! The bound state: buffers, surfaces, views, and the small values of the non-CSO state.

use heapless::Vec as Array;
use os_shim::Vec;
use os_shim::memory::{Memory, OutOfMemory};
use os_shim::pool::RawHandle;
use pipe_core::WindowRectangles;
use pipe_core::context::ConstantBuffer;
use pipe_core::limits::MAX_VIEWPORTS;
use pipe_core::{
    BlendColor, ClipState, FramebufferState, PipeError, ScissorState, ShaderType, StencilRef,
    TessState, VertexBuffer, ViewportState,
};

use super::stage_table::StageTable;
use crate::device::{Device, hold, release, resource};
use crate::features::{ES2, OfDesktop, OfSamples, Only, STAGES};
use crate::setup::MAX_SAMPLES;

/// Rows of a polygon stipple; none if stipples are disabled.
const STIPPLE_ROWS: usize = if ES2 { 32 } else { 0 };

/// The number of viewports, and of scissors.
pub(crate) const VIEWPORTS: usize = if STAGES { MAX_VIEWPORTS } else { 1 };

/// A constant buffer slot.
#[derive(Debug, Default)]
pub(crate) enum Constants<'m> {
    /// Reads as 0.
    #[default]
    None,
    /// Part of a resource.
    Resource { resource: RawHandle, offset: usize, size: usize },
    /// A copy of user memory.
    User(Vec<'m, u8>),
}

impl Constants<'_> {
    /// Returns the resource in the slot.
    fn resource(&self) -> Option<RawHandle> {
        match self {
            Constants::Resource { resource, .. } => Some(*resource),
            _ => None,
        }
    }
}

/// The bound state. If the object of a handle is deleted, the state's default applies.
#[derive(Debug)]
pub(crate) struct Bound<'m> {
    pub(crate) blend: Option<RawHandle>,
    pub(crate) depth_stencil_alpha: Option<RawHandle>,
    pub(crate) rasterizer: Option<RawHandle>,
    pub(crate) elements: Option<RawHandle>,
    pub(crate) shaders: StageTable<Option<RawHandle>>,
    pub(crate) samplers: StageTable<Vec<'m, Option<RawHandle>>>,
    pub(crate) views: StageTable<Vec<'m, Option<RawHandle>>>,
    pub(crate) constants: StageTable<Vec<'m, Constants<'m>>>,
    pub(crate) vertex_buffers: Vec<'m, Option<VertexBuffer>>,
    pub(crate) framebuffer: FramebufferState,
    pub(crate) viewports: [ViewportState; VIEWPORTS],
    pub(crate) scissors: [ScissorState; VIEWPORTS],
    pub(crate) stencil_ref: StencilRef,
    pub(crate) blend_color: BlendColor,
    pub(crate) clip: ClipState,
    pub(crate) stipple: [u32; STIPPLE_ROWS],
    pub(crate) windows: OfDesktop<WindowRectangles>,
    pub(crate) sample_mask: u32,
    pub(crate) min_samples: OfSamples<u8>,
    /// The sample locations in the order of `set_sample_locations`. Samples beyond them have
    /// standard locations.
    pub(crate) sample_places: OfSamples<Array<u8, MAX_SAMPLES>>,
    pub(crate) tess: Only<TessState, { STAGES as usize }>,
    pub(crate) patch_vertices: Only<u8, { STAGES as usize }>,
}

impl<'m> Bound<'m> {
    pub(crate) fn new_in(memory: Memory<'m>) -> Self {
        Bound {
            blend: None,
            depth_stencil_alpha: None,
            rasterizer: None,
            elements: None,
            shaders: StageTable::from_fn(|| None),
            samplers: StageTable::from_fn(|| Vec::new_in(memory)),
            views: StageTable::from_fn(|| Vec::new_in(memory)),
            constants: StageTable::from_fn(|| Vec::new_in(memory)),
            vertex_buffers: Vec::new_in(memory),
            framebuffer: FramebufferState::default(),
            viewports: [ViewportState::default(); VIEWPORTS],
            scissors: [ScissorState::default(); VIEWPORTS],
            stencil_ref: StencilRef::default(),
            blend_color: BlendColor::default(),
            clip: ClipState::default(),
            stipple: [!0; STIPPLE_ROWS],
            windows: Only::new(WindowRectangles::default()),
            sample_mask: !0,
            min_samples: Only::new(1),
            sample_places: Only::with(Array::new),
            tess: Only::new(TessState::default()),
            patch_vertices: Only::new(3),
        }
    }

    /// Returns the shader that is bound to a stage; `None` for a stage that this build lacks.
    #[inline(always)]
    pub(crate) fn shader(&self, stage: ShaderType) -> Option<RawHandle> {
        self.shaders.get(stage).copied().flatten()
    }

    /// Returns the constant buffers of a stage.
    #[inline(always)]
    pub(crate) fn constants(&self, stage: ShaderType) -> &[Constants<'m>] {
        self.constants.get(stage).map_or(&[], |constants| constants)
    }

    /// Returns the resources in the constant buffers of a stage.
    #[cfg(feature = "shader-memory")]
    pub(crate) fn constant_resources(&self, stage: ShaderType) -> impl Iterator<Item = RawHandle> {
        self.constants(stage).iter().filter_map(Constants::resource)
    }

    /// Returns the shader that produces the outputs to stream, clip and rasterize. It is the shader
    /// of the last bound stage before the fragment stage.
    pub(crate) fn last_vertex_stage(&self) -> Option<RawHandle> {
        let geometry = self.shader(ShaderType::Geometry);
        geometry.or(self.shader(ShaderType::TessEval)).or(self.shader(ShaderType::Vertex))
    }

    /// Replaces a constant buffer.
    ///
    /// # Errors
    /// No such stage or slot; a stale handle; out of memory.
    #[inline(always)]
    pub(crate) fn set_constant_buffer(
        &mut self,
        device: &Device<'m>,
        stage: ShaderType,
        index: usize,
        buffer: Option<ConstantBuffer<'_>>,
    ) -> Result<(), PipeError> {
        let Some(slots) = self.constants.get_mut(stage) else {
            return match buffer {
                Some(_) => Err(PipeError::Unsupported("constants of this stage")),
                None => Ok(()),
            };
        };
        let memory = device.os.memory;
        if slots.len() <= index {
            slots.try_resize_with(index + 1, Constants::default)?;
        }
        let mut shared = device.shared.lock();
        let slot =
            slots.get_mut(index).ok_or(PipeError::Invalid("the constant buffer's number"))?;
        let new = match buffer {
            None => Constants::None,
            Some(ConstantBuffer::User(bytes)) => {
                // Usually the size is the same as last time: no allocation.
                if let Constants::User(copy) = slot
                    && copy.len() == bytes.len()
                {
                    copy.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
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
        Ok(())
    }

    /// Replaces vertex buffers from slot `start` on.
    ///
    /// # Errors
    /// A stale handle; out of memory.
    #[inline(always)]
    pub(crate) fn set_vertex_buffers(
        &mut self,
        device: &Device<'m>,
        start: usize,
        buffers: &[Option<VertexBuffer>],
    ) -> Result<(), PipeError> {
        let mut shared = device.shared.lock();
        for buffer in buffers.iter().flatten() {
            resource(&shared.resources, buffer.resource)?;
        }
        let end = start + buffers.len();
        if self.vertex_buffers.len() < end {
            self.vertex_buffers.try_resize(end, None)?;
        }
        for (slot, buffer) in self.vertex_buffers.iter_mut().skip(start).zip(buffers) {
            if let Some(buffer) = buffer {
                hold(&mut shared.resources, buffer.resource.raw());
            }
            if let Some(old) = core::mem::replace(slot, *buffer) {
                release(&mut shared.resources, old.resource.raw());
            }
        }
        Ok(())
    }

    /// Returns the resources that bindings hold.
    pub(crate) fn held(&self) -> impl Iterator<Item = RawHandle> {
        let constants = self.constants.iter().flatten().filter_map(Constants::resource);
        let vertices = self.vertex_buffers.iter().flatten();
        constants.chain(vertices.map(|buffer| buffer.resource.raw()))
    }
}

/// Replaces the slots from `start` on, and grows the list as needed.
pub(crate) fn set_range<T: Clone + Default>(
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
