//! Prepares a [`Setup`] in a context: creates and binds objects, draws and times frames.

use anyhow::{Context as _, Result};
use formats::Format;
use os_shim::Box;
use pipe_core::{
    Bind, Context, ContextFlags, DrawInfo, DrawStartCount, FlushFlags, FramebufferState, MapFlags,
    PipeError, PrimType, Region, ResourceHandle, ResourceTemplate, SamplerViewTemplate, Screen,
    ShaderState, ShaderType, SurfaceTemplate, VertexBuffer, VertexElement, ViewportState,
};
use rustix::time::{ClockId, clock_gettime};

use super::setup::{EDGE, Mesh, Setup, Texture};

/// Returns the processor time that the process has used, in nanoseconds.
fn processor_time() -> f64 {
    let now = clock_gettime(ClockId::ProcessCPUTime);
    now.tv_sec as f64 * 1e9 + now.tv_nsec as f64
}

/// A generator of random numbers, the same in every run.
struct Random(u32);

impl Random {
    fn next(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        self.0 >> 8
    }

    /// Returns a number from 0 to 1.
    fn unit(&mut self) -> f32 {
        self.next() as f32 / (1 << 24) as f32
    }
}

/// Returns `count` blocks of a format: random colours, or random bits for compressed and integer
/// formats.
fn texels(format: Format, count: usize) -> Vec<u8> {
    let mut random = Random(1);
    let size = format.block_bytes();
    let mut bytes = vec![0; count * size];
    for texel in bytes.chunks_exact_mut(size) {
        if format.is_texel() && !format.is_pure_integer() {
            format.store_rgba_f32(
                [random.unit(), random.unit(), random.unit(), random.unit()],
                texel,
            );
        } else {
            texel.fill_with(|| random.next() as u8);
        }
    }
    bytes
}

/// The objects of a measurement.
pub(super) struct Stage<'s, 'm> {
    screen: &'s dyn Screen<'m>,
    context: Option<Box<'s, dyn Context<'m> + 's>>,
    resources: Vec<ResourceHandle>,
    mode: PrimType,
    count: u32,
    work: f64,
}

impl<'s, 'm> Stage<'s, 'm> {
    /// Creates and binds everything that `setup` names.
    ///
    /// # Errors
    /// Any error of the driver.
    pub(super) fn new(screen: &'s dyn Screen<'m>, setup: &Setup) -> Result<Self> {
        let mut stage = Stage {
            screen,
            context: Some(screen.context_create(ContextFlags::empty())?),
            resources: Vec::new(),
            mode: setup.mesh.mode,
            count: setup.mesh.positions.len() as u32,
            work: setup.mesh.work,
        };
        stage.targets(setup).context("targets")?;
        stage.mesh(&setup.mesh, setup.attribute).context("vertices")?;
        if let Some(texture) = &setup.texture {
            stage.texture(texture).context("texture")?;
        }
        stage.states(setup).context("states")?;
        stage.shaders(setup).context("shaders")?;
        // The first frame allocates memory.
        stage.frame()?;
        Ok(stage)
    }

    fn context(&mut self) -> Result<&mut (dyn Context<'m> + 's), PipeError> {
        self.context.as_deref_mut().ok_or(PipeError::Invalid("the stage is closed"))
    }

    fn resource(&mut self, template: &ResourceTemplate) -> Result<ResourceHandle, PipeError> {
        let resource = self.screen.resource_create(template)?;
        self.resources.push(resource);
        Ok(resource)
    }

    fn targets(&mut self, setup: &Setup) -> Result<(), PipeError> {
        let edge = u32::from(EDGE);
        let template = |format, bind| ResourceTemplate::texture_2d(format, edge, edge, bind);
        let color = self.resource(&template(setup.target, Bind::RENDER_TARGET))?;
        let surface = self.context()?.create_surface(color, &SurfaceTemplate::of(setup.target))?;
        let mut zsbuf = None;
        if let Some(format) = setup.depth {
            let depth = self.resource(&template(format, Bind::DEPTH_STENCIL))?;
            zsbuf = Some(self.context()?.create_surface(depth, &SurfaceTemplate::of(format))?);
        }
        let framebuffer = FramebufferState::single(EDGE, EDGE, surface, zsbuf);
        let context = self.context()?;
        context.set_framebuffer_state(&framebuffer)?;
        context.set_viewport_states(0, &[ViewportState::y_down(edge, edge)])
    }

    fn buffer(&mut self, bytes: &[u8]) -> Result<ResourceHandle, PipeError> {
        let template = ResourceTemplate::buffer(bytes.len() as u32, Bind::VERTEX_BUFFER);
        let buffer = self.resource(&template)?;
        self.context()?.buffer_subdata(buffer, MapFlags::WRITE, 0, bytes)?;
        Ok(buffer)
    }

    fn mesh(&mut self, mesh: &Mesh, format: Format) -> Result<(), PipeError> {
        let positions: Vec<u8> =
            mesh.positions.iter().flatten().flat_map(|x| x.to_le_bytes()).collect();
        let size = format.block_bytes();
        let mut attributes = vec![0; mesh.attributes.len() * size];
        for (bytes, attribute) in attributes.chunks_exact_mut(size).zip(&mesh.attributes) {
            format.store_rgba_f32(*attribute, bytes);
        }
        let place = |resource, stride: usize| {
            Some(VertexBuffer { resource, stride: stride as u32, buffer_offset: 0 })
        };
        let buffers = [place(self.buffer(&positions)?, 16), place(self.buffer(&attributes)?, size)];
        let elements = [
            VertexElement::per_vertex(0, Format::R32G32B32A32Float),
            VertexElement { vertex_buffer_index: 1, ..VertexElement::per_vertex(0, format) },
        ];
        let context = self.context()?;
        context.set_vertex_buffers(0, &buffers)?;
        let elements = context.create_vertex_elements_state(&elements)?;
        context.bind_vertex_elements_state(Some(elements))
    }

    fn texture(&mut self, texture: &Texture) -> Result<(), PipeError> {
        let [width0, height0, depth0] = texture.size;
        let mut template = ResourceTemplate {
            target: texture.target,
            format: texture.format,
            width0,
            height0,
            depth0,
            array_size: texture.layers,
            bind: Bind::SAMPLER_VIEW,
            ..ResourceTemplate::default()
        };
        if texture.mipmapped {
            template = template.mipmapped();
        }
        let image = self.resource(&template)?;
        let block = texture.format.block();
        for level in 0..=template.last_level {
            let [width, height, depth] = template.level_size(level).unwrap_or([1; 3]);
            let layers = depth.max(texture.layers);
            let columns = width.div_ceil(block.width.into()) as usize;
            let rows = height.div_ceil(block.height.into()) as usize;
            let stride = columns * usize::from(block.bytes);
            let bytes = texels(texture.format, columns * rows * layers as usize);
            let region = Region::whole(width, height, layers);
            self.context()?.texture_subdata(
                image,
                level,
                MapFlags::WRITE,
                &region,
                &bytes,
                stride,
                stride * rows,
            )?;
        }
        let view = SamplerViewTemplate {
            swizzle: texture.swizzle,
            ..SamplerViewTemplate::whole(&template)
        };
        let context = self.context()?;
        let view = context.create_sampler_view(image, &view)?;
        let sampler = context.create_sampler_state(&texture.sampler)?;
        context.set_sampler_views(ShaderType::Fragment, 0, &[Some(view)])?;
        context.bind_sampler_states(ShaderType::Fragment, 0, &[Some(sampler)])
    }

    fn states(&mut self, setup: &Setup) -> Result<(), PipeError> {
        let context = self.context()?;
        let blend = context.create_blend_state(&setup.blend)?;
        context.bind_blend_state(Some(blend))?;
        let tests = context.create_depth_stencil_alpha_state(&setup.tests)?;
        context.bind_depth_stencil_alpha_state(Some(tests))?;
        let rasterizer = context.create_rasterizer_state(&setup.rasterizer)?;
        context.bind_rasterizer_state(Some(rasterizer))?;
        context.set_clip_state(&setup.clip);
        if let Some(scissor) = setup.scissor {
            context.set_scissor_states(0, &[scissor])?;
        }
        Ok(())
    }

    fn shaders(&mut self, setup: &Setup) -> Result<(), PipeError> {
        let context = self.context()?;
        let vertex = context.create_vs_state(&ShaderState::text(&setup.vertex))?;
        let fragment = context.create_fs_state(&ShaderState::text(&setup.fragment))?;
        context.bind_vs_state(Some(vertex))?;
        context.bind_fs_state(Some(fragment))
    }

    /// Draws a frame; returns its processor time per pixel or vertex, in nanoseconds.
    ///
    /// # Errors
    /// Any error of the driver.
    pub(super) fn frame(&mut self) -> Result<f64> {
        let (mode, count) = (self.mode, self.count);
        let context = self.context()?;
        let start = processor_time();
        context.draw_vbo(&DrawInfo::new(mode), None, &[DrawStartCount::count(count)])?;
        context.flush(FlushFlags::END_OF_FRAME)?;
        Ok((processor_time() - start) / self.work)
    }
}

impl Drop for Stage<'_, '_> {
    fn drop(&mut self) {
        self.context = None;
        for resource in self.resources.drain(..) {
            if let Err(error) = self.screen.resource_destroy(resource) {
                log::warn!("a resource of the sweep is not destroyed: {error}");
            }
        }
    }
}
