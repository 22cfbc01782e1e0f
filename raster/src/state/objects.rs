//! The objects of a context: constant state, shaders, views and surfaces.

use os_shim::Vec;
use os_shim::memory::Memory;
use os_shim::pool::{Pool, RawHandle};
use pipe_core::{
    BlendState, DepthStencilAlphaState, FramebufferState, PipeError, RasterizerState,
    ResourceHandle, SamplerState, SurfaceTemplate, VertexElement,
};

use super::bindless::Handles;
use super::object;
use crate::device::Device;
#[cfg(flights)]
use crate::device::Lendable;
use crate::features::{BUFFER_SURFACES, SAMPLES, STAGES};
use crate::frame::{Attachment, Framebuffer};
use crate::lanes::COLOR_BUFFERS;
use crate::resource::{ViewState, pixel_bytes};
use crate::shader::Shader;

/// The shaders of a context. Flights read them too.
#[cfg(flights)]
pub(crate) type Shaders<'m> = Lendable<'m, Pool<'m, Shader<'m>>>;
/// The shaders of a context.
#[cfg(not(flights))]
pub(crate) type Shaders<'m> = Pool<'m, Shader<'m>>;

/// Returns no shaders.
#[cfg(flights)]
fn no_shaders(memory: Memory<'_>) -> Shaders<'_> {
    Lendable::Own(Pool::new_in(memory))
}

/// Returns no shaders.
#[cfg(not(flights))]
#[inline(always)]
fn no_shaders(memory: Memory<'_>) -> Shaders<'_> {
    Pool::new_in(memory)
}

/// A view of a resource to sample from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View {
    pub(crate) resource: RawHandle,
    pub(crate) state: ViewState,
}

/// A view of a resource to draw to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SurfaceObject {
    pub(crate) resource: RawHandle,
    pub(crate) template: SurfaceTemplate,
}

/// The context's objects.
#[derive(Debug)]
pub(crate) struct Objects<'m> {
    pub(crate) blends: Pool<'m, BlendState>,
    pub(crate) depth_stencil_alphas: Pool<'m, DepthStencilAlphaState>,
    pub(crate) rasterizers: Pool<'m, RasterizerState>,
    pub(crate) samplers: Pool<'m, SamplerState>,
    pub(crate) elements: Pool<'m, Vec<'m, VertexElement>>,
    pub(crate) shaders: Shaders<'m>,
    pub(crate) views: Pool<'m, View>,
    pub(crate) surfaces: Pool<'m, SurfaceObject>,
    pub(crate) handles: Handles<'m>,
}

impl<'m> Objects<'m> {
    pub(crate) fn new_in(memory: Memory<'m>) -> Self {
        Objects {
            blends: Pool::new_in(memory),
            depth_stencil_alphas: Pool::new_in(memory),
            rasterizers: Pool::new_in(memory),
            samplers: Pool::new_in(memory),
            elements: Pool::new_in(memory),
            shaders: no_shaders(memory),
            views: Pool::new_in(memory),
            surfaces: Pool::new_in(memory),
            handles: Handles::new_in(memory),
        }
    }

    /// Returns the shader of a bound handle.
    pub(crate) fn shader(&self, bound: Option<RawHandle>) -> Option<&Shader<'m>> {
        self.shaders.get(bound?)
    }

    /// Returns the resources that views, surfaces and handles hold.
    pub(crate) fn held(&self) -> impl Iterator<Item = RawHandle> {
        let views = self.views.iter().map(|(_, view)| view.resource);
        let surfaces = self.surfaces.iter().map(|(_, surface)| surface.resource);
        views.chain(surfaces).chain(self.handles.held())
    }

    /// Finds the memory of a framebuffer's surfaces.
    ///
    /// # Errors
    /// A stale handle; a surface of a level that is gone; attachments that do not go together.
    pub(crate) fn resolve(
        &self,
        device: &Device<'m>,
        state: &FramebufferState,
    ) -> Result<Framebuffer, PipeError> {
        let shared = device.shared.lock();
        let mut framebuffer = Framebuffer::default();
        (framebuffer.width, framebuffer.height) = (state.width.into(), state.height.into());
        let mut layers = None;
        let mut samples = None;
        let surfaces = state.cbufs.iter().take(COLOR_BUFFERS).chain([&state.zsbuf]);
        for (slot, surface) in framebuffer.attachments.iter_mut().zip(surfaces) {
            let Some(surface) = surface else { continue };
            let surface = object(&self.surfaces, *surface)?;
            let handle = ResourceHandle::new(surface.resource);
            let Some(resource) = shared.resources.get(surface.resource) else {
                return Err(PipeError::stale(handle));
            };
            let Some(place) = resource.surface(&surface.template) else {
                return Err(PipeError::Invalid("the surface's level does not exist"));
            };
            if BUFFER_SURFACES && state.zsbuf.is_some() && resource.template.is_buffer() {
                return Err(PipeError::Unsupported(
                    "a depth buffer cannot join a colour buffer in a buffer resource",
                ));
            }
            if SAMPLES && *samples.get_or_insert(resource.samples()) != resource.samples() {
                return Err(PipeError::Invalid("the attachments' sample counts differ"));
            }
            // Pixels outside of an attachment are not drawn.
            framebuffer.width = framebuffer.width.min(place.width);
            framebuffer.height = framebuffer.height.min(place.height);
            let mut count = 1;
            if STAGES {
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
        framebuffer.set_samples(samples.unwrap_or(state.samples.into()));
        if STAGES {
            framebuffer.set_layers(layers.unwrap_or(state.layers.into()));
        }
        Ok(framebuffer)
    }
}
