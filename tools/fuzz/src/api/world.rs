//! The screen and contexts of a sequence, and all handles that the sequence received.

use std::collections::BTreeSet;

use os_shim::Box;
use pipe_core::*;

use super::shaders::SHADERS;
use super::sharing::Outside;
use super::{Call, states};
use crate::Input;

/// Maximum number of contexts that exist at the same time.
const MOST_CONTEXTS: usize = 3;

/// Width and height of the first framebuffer of a sequence, in pixels.
const SIZE: u32 = 32;

pub(super) const CALLS: &[Call] = &[create_context, drop_context, switch_context];

/// Handles of one kind. Handles of destroyed objects stay for a while, so that calls use them
/// again.
pub(super) struct Handles<K>(Vec<Handle<K>>);

impl<K> Handles<K> {
    const fn new() -> Self {
        Handles(Vec::new())
    }

    /// Keeps the handle of a new object.
    pub(super) fn add(&mut self, made: Result<Handle<K>, PipeError>) {
        self.0.extend(made.ok());
    }

    /// Returns a handle, mostly of a living object; `None` if no object was ever created.
    pub(super) fn any(&self, input: &mut Input<'_>) -> Option<Handle<K>> {
        if self.0.is_empty() { None } else { Some(input.pick(&self.0)) }
    }

    /// Returns a handle, or sometimes `None`, which unbinds.
    pub(super) fn or_none(&self, input: &mut Input<'_>) -> Option<Handle<K>> {
        if input.once_in(8) { None } else { self.any(input) }
    }

    /// Returns a handle to destroy. In most cases it is not used again.
    pub(super) fn take(&mut self, input: &mut Input<'_>) -> Option<Handle<K>> {
        let handle = self.any(input)?;
        if !input.once_in(4) {
            self.0.retain(|other| *other != handle);
        }
        Some(handle)
    }
}

/// The objects under test.
pub(super) struct World<'s, 'm> {
    pub(super) screen: &'s dyn Screen<'m>,
    contexts: Vec<Box<'s, dyn Context<'m> + 's>>,
    current: usize,
    pub(super) resources: Handles<handle::kinds::Resource>,
    /// Resources that have not been destroyed.
    alive: Vec<ResourceHandle>,
    pub(super) surfaces: Handles<handle::kinds::Surface>,
    pub(super) views: Handles<handle::kinds::SamplerView>,
    pub(super) samplers: Handles<handle::kinds::Sampler>,
    pub(super) blends: Handles<handle::kinds::Blend>,
    pub(super) depths: Handles<handle::kinds::DepthStencilAlpha>,
    pub(super) rasterizers: Handles<handle::kinds::Rasterizer>,
    pub(super) elements: Handles<handle::kinds::VertexElements>,
    pub(super) shaders: Handles<handle::kinds::Shader>,
    pub(super) targets: Handles<handle::kinds::StreamOutputTarget>,
    pub(super) queries: Handles<handle::kinds::Query>,
    pub(super) transfers: Handles<handle::kinds::Transfer>,
    pub(super) fences: Handles<handle::kinds::Fence>,
    pub(super) memories: Handles<handle::kinds::MemoryObject>,
    pub(super) vertex_states: Handles<handle::kinds::VertexState>,
    /// Sparse resources, dead ones among them.
    pub(super) sparse: Vec<ResourceHandle>,
    /// Imported memory, behind memory objects.
    pub(super) outside: Vec<Outside>,
    /// Addresses in global memory.
    pub(super) addresses: Vec<u64>,
    /// What worked that only the API has.
    pub(super) reached: BTreeSet<&'static str>,
    /// Bindless handles of textures and images, of any context.
    pub(super) bindless: Vec<u64>,
    /// Set if what calls do is compared with another run: maps wait for commands although they may be
    /// told not to, and calls that race with each other are left out.
    pub(super) compares: bool,
}

impl<'s, 'm> World<'s, 'm> {
    /// Returns a world with one context. In most cases the bound state can draw.
    ///
    /// # Errors
    /// Any error of the driver.
    pub(super) fn new(
        screen: &'s dyn Screen<'m>,
        input: &mut Input<'_>,
    ) -> Result<Self, PipeError> {
        let mut world = World {
            screen,
            contexts: vec![screen.context_create(ContextFlags::empty())?],
            current: 0,
            resources: Handles::new(),
            alive: Vec::new(),
            surfaces: Handles::new(),
            views: Handles::new(),
            samplers: Handles::new(),
            blends: Handles::new(),
            depths: Handles::new(),
            rasterizers: Handles::new(),
            elements: Handles::new(),
            shaders: Handles::new(),
            targets: Handles::new(),
            queries: Handles::new(),
            transfers: Handles::new(),
            fences: Handles::new(),
            memories: Handles::new(),
            vertex_states: Handles::new(),
            sparse: Vec::new(),
            outside: Vec::new(),
            addresses: Vec::new(),
            reached: BTreeSet::new(),
            bindless: Vec::new(),
            compares: false,
        };
        if !input.once_in(16) {
            world.prepare(input)?;
        }
        Ok(world)
    }

    /// Returns the context that receives calls.
    pub(super) fn context(&mut self) -> &mut (dyn Context<'m> + 's) {
        &mut *self.contexts[self.current]
    }

    /// Notes that something worked.
    pub(super) fn reach(&mut self, what: &'static str, worked: bool) {
        if worked {
            self.reached.insert(what);
        }
    }

    /// Makes a resource.
    ///
    /// # Errors
    /// Any error of the driver.
    pub(super) fn resource(
        &mut self,
        template: &ResourceTemplate,
    ) -> Result<ResourceHandle, PipeError> {
        let made = self.screen.resource_create(template);
        self.keep(made);
        made
    }

    /// Records the handle of a new resource.
    pub(super) fn keep(&mut self, made: Result<ResourceHandle, PipeError>) {
        self.resources.add(made);
        self.alive.extend(made.ok());
    }

    /// Destroys a resource.
    pub(super) fn destroy(&mut self, resource: ResourceHandle) {
        let destroyed = self.screen.resource_destroy(resource);
        assert_eq!(destroyed.is_ok(), self.alive.contains(&resource), "a handle lives or is stale");
        self.alive.retain(|other| *other != resource);
    }

    /// Returns the bytes of every level of the remaining resources that can be mapped.
    pub(super) fn left(&mut self) -> Vec<Vec<u8>> {
        let mut left = Vec::new();
        for resource in self.alive.clone() {
            let Ok(template) = self.screen.resource_template(resource) else { continue };
            for level in 0..=template.last_level {
                let [width, height, depth] =
                    [template.width0, template.height0, template.depth0.max(template.array_size)]
                        .map(|size| (size >> level).max(1));
                let depth = if template.depth0 > 1 { depth } else { template.array_size };
                let region = Region::whole(width, height, depth);
                let usage = MapFlags::READ;
                let Ok(map) = self.context().transfer_map(resource, level, usage, &region) else {
                    continue;
                };
                let bytes = self.context().transfer_bytes(map.handle).map(|bytes| bytes.to_vec());
                left.extend(bytes);
                let _ = self.context().transfer_unmap(map.handle);
            }
        }
        left
    }

    /// Destroys everything that a frontend has to destroy.
    pub(super) fn end(mut self) {
        self.contexts.clear();
        for resource in std::mem::take(&mut self.alive) {
            self.screen.resource_destroy(resource).expect("a living resource");
        }
        for fence in self.fences.0 {
            // Some of these handles are stale.
            let _ = self.screen.fence_destroy(fence);
        }
        for state in self.vertex_states.0 {
            let _ = self.screen.vertex_state_destroy(state);
        }
        for memory in self.memories.0 {
            let _ = self.screen.memobj_destroy(memory);
        }
    }

    /// Creates and binds everything that a draw needs: targets, a texture that may also be a
    /// target, a vertex buffer, shaders, state.
    fn prepare(&mut self, input: &mut Input<'_>) -> Result<(), PipeError> {
        let format = input.pick(&[
            Format::R8G8B8A8Unorm,
            Format::B5G6R5Unorm,
            Format::R8G8B8A8Srgb,
            Format::R32G32B32A32Float,
            Format::L8Unorm,
            Format::R8G8B8A8Uint,
        ]);
        let zs = input.pick(&[
            Format::Z16Unorm,
            Format::Z24UnormS8Uint,
            Format::Z32Float,
            Format::Z32FloatS8X24Uint,
        ]);
        let both = Bind::RENDER_TARGET | Bind::SAMPLER_VIEW;
        let color = self.resource(&ResourceTemplate::texture_2d(format, SIZE, SIZE, both))?;
        let bind = Bind::DEPTH_STENCIL | Bind::SAMPLER_VIEW;
        let depth = self.resource(&ResourceTemplate::texture_2d(zs, SIZE, SIZE, bind))?;
        let every = Bind::VERTEX_BUFFER
            | Bind::INDEX_BUFFER
            | Bind::CONSTANT_BUFFER
            | Bind::STREAM_OUTPUT
            | Bind::COMMAND_ARGS_BUFFER;
        let buffer = self.resource(&ResourceTemplate::buffer(2048, every))?;
        let texture = ResourceTemplate::texture_2d(
            Format::R8G8B8A8Unorm,
            16,
            16,
            Bind::SAMPLER_VIEW | Bind::RENDER_TARGET | Bind::SHADER_IMAGE,
        );
        let texture = texture.mipmapped();
        let sampled = self.resource(&texture)?;

        let surface = self.context().create_surface(color, &SurfaceTemplate::of(format));
        let zsbuf = self.context().create_surface(depth, &SurfaceTemplate::of(zs));
        self.surfaces.add(surface);
        self.surfaces.add(zsbuf);
        let size = SIZE as u16;
        let framebuffer = FramebufferState::single(size, size, surface?, zsbuf.ok());
        self.context().set_framebuffer_state(&framebuffer)?;
        self.context().set_viewport_states(0, &[ViewportState::y_down(SIZE, SIZE)])?;
        let template = SamplerViewTemplate::whole(&texture);
        let view = self.context().create_sampler_view(sampled, &template);
        self.views.add(view);
        self.context().set_sampler_views(ShaderType::Fragment, 0, &[Some(view?)])?;
        let coordinates: [f32; 24] = input.array(states::coordinate);
        let vertices = coordinates.iter().cycle().take(512).flat_map(|it| it.to_le_bytes());
        let vertices: Vec<u8> = vertices.collect();
        self.context().buffer_subdata(buffer, MapFlags::WRITE, 0, &vertices)?;
        let binding = VertexBuffer { resource: buffer, stride: 32, buffer_offset: 0 };
        self.context().set_vertex_buffers(0, &[Some(binding)])?;
        self.bind_objects()
    }

    /// Creates state objects and shaders and binds them.
    fn bind_objects(&mut self) -> Result<(), PipeError> {
        let context = &mut *self.contexts[self.current];
        let rasterizer = context.create_rasterizer_state(&RasterizerState::default());
        self.rasterizers.add(rasterizer);
        context.bind_rasterizer_state(Some(rasterizer?))?;
        let depth = DepthStencilAlphaState::depth(CompareFunc::LessEqual);
        let depth = context.create_depth_stencil_alpha_state(&depth);
        self.depths.add(depth);
        context.bind_depth_stencil_alpha_state(Some(depth?))?;
        let blend = context.create_blend_state(&BlendState::default());
        self.blends.add(blend);
        context.bind_blend_state(Some(blend?))?;
        let sampler = context.create_sampler_state(&SamplerState::default());
        self.samplers.add(sampler);
        context.bind_sampler_states(ShaderType::Fragment, 0, &[Some(sampler?)])?;
        let elements = [0, 16].map(|at| VertexElement::per_vertex(at, Format::R32G32B32A32Float));
        let elements = context.create_vertex_elements_state(&elements);
        self.elements.add(elements);
        context.bind_vertex_elements_state(Some(elements?))?;
        for (stage, text) in &SHADERS[..2] {
            let shader = context.create_shader_state(*stage, &ShaderState::text(text));
            self.shaders.add(shader);
            context.bind_shader_state(*stage, Some(shader?))?;
        }
        Ok(())
    }
}

fn create_context(world: &mut World<'_, '_>, _: &mut Input<'_>) {
    if world.contexts.len() < MOST_CONTEXTS {
        world.contexts.extend(world.screen.context_create(ContextFlags::empty()).ok());
    }
}

/// Drops a context and its objects, unless it is the last context.
fn drop_context(world: &mut World<'_, '_>, input: &mut Input<'_>) {
    if world.contexts.len() > 1 {
        let index = input.below(world.contexts.len());
        world.contexts.remove(index);
        world.current = 0;
    }
}

/// Sends later calls to another context. Its objects have other handles.
fn switch_context(world: &mut World<'_, '_>, input: &mut Input<'_>) {
    world.current = input.below(world.contexts.len());
}
