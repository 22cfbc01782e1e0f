//! Translated shaders in the driver: contexts, resources, and the pixels or words that come out.

use formats::Format;
use gallium_naga::{Module, Options, OwnedShader};
use os_shim::{Box, Os};
use pipe_core::{
    Bind, BlendState, ClearFlags, ColorUnion, ComputeState, ConstantBuffer, Context, DrawInfo,
    DrawStartCount, FlushFlags, FramebufferState, GridInfo, ImageAccess, ImageRange, ImageView,
    MapFlags, PrimType, RasterizerState, Region, ResourceHandle, ResourceTemplate, SamplerState,
    SamplerViewTemplate, Screen as _, ShaderBuffer, ShaderSource, ShaderState, ShaderType,
    SurfaceTemplate, TexFilter, TexMipFilter, TextureTarget, VertexBuffer, VertexElement,
    ViewportState,
};
use raster::{Config, Host, Screen};
use tgsi::shader::Processor;
pub(crate) use wgsl_random::run::words;

/// The format of targets and of textures of floats.
pub(crate) const FLOATS: Format = Format::R32G32B32A32Float;

/// What targets are used as.
const TARGET: Bind = Bind::RENDER_TARGET.union(Bind::SAMPLER_VIEW);

/// The corners of a triangle that covers the target.
pub(crate) const EVERYTHING: [[f32; 2]; 3] = [[-1.0, -1.0], [3.0, -1.0], [-1.0, 3.0]];

/// A vertex shader for [`EVERYTHING`].
pub(crate) const COVER: &str = "
    @vertex fn cover(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
        return vec4f(f32(i % 2) * 4 - 1, f32(i / 2) * 4 - 1, 0, 1);
    }";

pub(crate) fn bytes(words: &[f32]) -> Vec<u8> {
    words.iter().flat_map(|it| it.to_le_bytes()).collect()
}

/// Translates an entry point of a module that is right.
#[track_caller]
pub(crate) fn translate(module: &Module, entry: &str) -> OwnedShader {
    let translated = module.translate(entry, &Options::default());
    let translated = translated.unwrap_or_else(|error| panic!("{error}"));
    if let Some(fault) = wgsl_random::check::fault(&translated) {
        panic!("{fault}\n{}", translated.shader);
    }
    translated.try_into().unwrap_or_else(|error: gallium_naga::Error| panic!("{error}"))
}

#[track_caller]
pub(crate) fn shader(wgsl: &str, entry: &str) -> OwnedShader {
    let module = Module::wgsl(wgsl, "test.wgsl").unwrap_or_else(|error| panic!("{error}"));
    translate(&module, entry)
}

pub(crate) fn nearest() -> SamplerState {
    SamplerState {
        min_img_filter: TexFilter::Nearest,
        mag_img_filter: TexFilter::Nearest,
        min_mip_filter: TexMipFilter::Nearest,
        ..SamplerState::default()
    }
}

/// State that WGSL expects.
pub(crate) fn rasterizer() -> RasterizerState {
    RasterizerState {
        half_pixel_center: true,
        clip_halfz: true,
        flatshade_first: true,
        depth_clip_near: true,
        depth_clip_far: true,
        ..RasterizerState::default()
    }
}

/// Returns the stage of a shader.
fn stage(shader: &OwnedShader) -> ShaderType {
    match shader.interface.stage {
        Processor::Vertex => ShaderType::Vertex,
        Processor::Fragment => ShaderType::Fragment,
        _ => ShaderType::Compute,
    }
}

/// Makes a driver and a context with a target of `size` pixels, and calls `use_it`.
pub(crate) fn with_machine<T>(
    size: [u32; 2],
    samples: u8,
    use_it: impl FnOnce(&mut Machine<'_>) -> T,
) -> T {
    let screen = Screen::new(Os::host(), Config { scene_bytes: 0 });
    use_it(&mut Machine::new(&screen, size, samples))
}

/// Draws a triangle over the target with the entry points `vs` and `fs`, or [`COVER`] and `fs`, after `prepare`;
/// returns the pixels.
#[track_caller]
pub(crate) fn draw(
    size: [u32; 2],
    wgsl: &str,
    prepare: impl FnOnce(&mut Machine<'_>, &OwnedShader, &OwnedShader),
) -> Vec<[f32; 4]> {
    let vs = match wgsl.contains("@vertex") {
        true => shader(wgsl, "vs"),
        false => shader(COVER, "cover"),
    };
    let fs = shader(wgsl, "fs");
    fs.interface.check_link(&vs.interface).unwrap();
    with_machine(size, 1, |machine| {
        machine.shaders(&vs, &fs);
        machine.vertices(&vs, &EVERYTHING.concat());
        prepare(machine, &vs, &fs);
        machine.draw(3);
        machine.pixels()
    })
}

/// A context with a target of floats, four per pixel.
pub(crate) struct Machine<'s> {
    screen: &'s Screen<'static, Host>,
    pub(crate) context: Box<'s, dyn Context<'static> + 's>,
    target: ResourceHandle,
    template: ResourceTemplate,
}

impl<'s> Machine<'s> {
    fn new(screen: &'s Screen<'static, Host>, size: [u32; 2], samples: u8) -> Machine<'s> {
        let mut context = screen.context_create(Default::default()).unwrap();
        let template = ResourceTemplate {
            nr_samples: samples,
            ..ResourceTemplate::texture_2d(FLOATS, size[0], size[1], TARGET)
        };
        let target = screen.resource_create(&template).unwrap();
        let surface = context.create_surface(target, &SurfaceTemplate::of(FLOATS)).unwrap();
        let state = FramebufferState::single(size[0] as u16, size[1] as u16, surface, None);
        context.set_framebuffer_state(&state).unwrap();
        // y down, z from 0 to 1: WebGPU's.
        let viewport = ViewportState {
            scale: [size[0] as f32 / 2.0, size[1] as f32 / -2.0, 1.0],
            translate: [size[0] as f32 / 2.0, size[1] as f32 / 2.0, 0.0],
            ..ViewportState::default()
        };
        context.set_viewport_states(0, &[viewport]).unwrap();
        context.clear(ClearFlags::COLOR0, None, &ColorUnion::float([0.0; 4]), 1.0, 0).unwrap();
        let mut machine = Machine { screen, context, target, template };
        machine.rasterizer(&RasterizerState { multisample: samples > 1, ..rasterizer() });
        machine
    }

    pub(crate) fn rasterizer(&mut self, state: &RasterizerState) {
        let state = self.context.create_rasterizer_state(state).unwrap();
        self.context.bind_rasterizer_state(Some(state)).unwrap();
    }

    pub(crate) fn blend(&mut self, state: &BlendState) {
        let state = self.context.create_blend_state(state).unwrap();
        self.context.bind_blend_state(Some(state)).unwrap();
    }

    pub(crate) fn shaders(&mut self, vs: &OwnedShader, fs: &OwnedShader) {
        let vs = self.context.create_vs_state(&ShaderState::tokens(vs.tokens())).unwrap();
        let fs = self.context.create_fs_state(&ShaderState::tokens(fs.tokens())).unwrap();
        self.context.bind_vs_state(Some(vs)).unwrap();
        self.context.bind_fs_state(Some(fs)).unwrap();
    }

    /// Binds a buffer of vertices, and the elements that the interface describes.
    pub(crate) fn vertices(&mut self, shader: &OwnedShader, words: &[f32]) {
        let buffer = self.buffer(&bytes(words), Bind::VERTEX_BUFFER);
        let mut offset = 0;
        let mut elements = Vec::new();
        for input in &shader.interface.vertex_inputs {
            elements.push(VertexElement::per_vertex(offset, input.format));
            offset += input.format.block_bytes() as u32;
        }
        let binding = VertexBuffer { resource: buffer, stride: offset, buffer_offset: 0 };
        self.context.set_vertex_buffers(0, &[Some(binding)]).unwrap();
        let elements = self.context.create_vertex_elements_state(&elements).unwrap();
        self.context.bind_vertex_elements_state(Some(elements)).unwrap();
    }

    pub(crate) fn buffer(&mut self, bytes: &[u8], bind: Bind) -> ResourceHandle {
        let template = ResourceTemplate::buffer(bytes.len() as u32, bind);
        let buffer = self.screen.resource_create(&template).unwrap();
        self.context.buffer_subdata(buffer, MapFlags::WRITE, 0, bytes).unwrap();
        buffer
    }

    /// Creates a texture of `levels`, each the texels of its layers one after the other.
    pub(crate) fn texture(
        &mut self,
        template: ResourceTemplate,
        levels: &[Vec<u8>],
    ) -> ResourceHandle {
        let template = ResourceTemplate { last_level: levels.len() as u32 - 1, ..template };
        let texture = self.screen.resource_create(&template).unwrap();
        for (level, texels) in levels.iter().enumerate() {
            let region = whole(&template, level);
            let stride = region.width as usize * template.format.block_bytes();
            let layer_stride = stride * region.height as usize;
            let (flags, level) = (MapFlags::WRITE, level as u32);
            self.context
                .texture_subdata(texture, level, flags, &region, texels, stride, layer_stride)
                .unwrap();
        }
        texture
    }

    /// Sets the constant buffer of a binding.
    pub(crate) fn constants(
        &mut self,
        shader: &OwnedShader,
        binding: Option<(u32, u32)>,
        data: &[u8],
    ) {
        let resources = &shader.interface.resources;
        let slot = resources.iter().find(|it| it.binding == binding).unwrap().slot;
        let data = Some(ConstantBuffer::User(data));
        self.context.set_constant_buffer(stage(shader), slot.into(), data).unwrap();
    }

    /// Binds the whole of a texture to the sampler view of a binding.
    pub(crate) fn view(
        &mut self,
        shader: &OwnedShader,
        binding: (u32, u32),
        texture: ResourceHandle,
        template: &ResourceTemplate,
    ) {
        let slot = shader.interface.resource(binding.0, binding.1).unwrap().slot;
        let view = SamplerViewTemplate::whole(template);
        let view = self.context.create_sampler_view(texture, &view).unwrap();
        self.context.set_sampler_views(stage(shader), slot.into(), &[Some(view)]).unwrap();
    }

    /// Creates a depth buffer and clears it.
    pub(crate) fn cleared_depth(
        &mut self,
        template: &ResourceTemplate,
        depth: f64,
    ) -> ResourceHandle {
        let resource = self.screen.resource_create(template).unwrap();
        let surface = SurfaceTemplate::of(template.format);
        let surface = self.context.create_surface(resource, &surface).unwrap();
        let (flags, region) = (ClearFlags::DEPTH, whole(template, 0));
        self.context.clear_depth_stencil(surface, flags, depth, 0, &region, false).unwrap();
        resource
    }

    /// Binds the target to the sampler view of a binding.
    pub(crate) fn view_target(&mut self, shader: &OwnedShader, binding: (u32, u32)) {
        self.context.flush(FlushFlags::END_OF_FRAME).unwrap();
        let (target, template) = (self.target, self.template);
        self.view(shader, binding, target, &template);
    }

    /// Binds a sampler state to a binding.
    pub(crate) fn sampler(
        &mut self,
        shader: &OwnedShader,
        binding: (u32, u32),
        state: &SamplerState,
    ) {
        let slot = shader.interface.resource(binding.0, binding.1).unwrap().slot;
        let state = self.context.create_sampler_state(state).unwrap();
        self.context.bind_sampler_states(stage(shader), slot.into(), &[Some(state)]).unwrap();
    }

    /// Binds the first level of a texture to the image of a binding.
    pub(crate) fn image(
        &mut self,
        shader: &OwnedShader,
        binding: (u32, u32),
        texture: ResourceHandle,
        template: &ResourceTemplate,
    ) {
        let slot = shader.interface.resource(binding.0, binding.1).unwrap().slot;
        let last_layer = whole(template, 0).depth as u32 - 1;
        let range =
            ImageRange::Texture { level: 0, first_layer: 0, last_layer, single_layer_view: false };
        let access = ImageAccess::READ_WRITE;
        let view = ImageView { resource: texture, format: template.format, access, range };
        self.context.set_shader_images(stage(shader), slot.into(), &[Some(view)]).unwrap();
    }

    /// Binds a new buffer to the shader buffer of a binding.
    pub(crate) fn storage(
        &mut self,
        shader: &OwnedShader,
        binding: (u32, u32),
        data: &[u8],
    ) -> ResourceHandle {
        let resource = self.buffer(data, Bind::SHADER_BUFFER);
        let slot = shader.interface.resource(binding.0, binding.1).unwrap().slot;
        let buffer = ShaderBuffer { resource, buffer_offset: 0, buffer_size: data.len() as u32 };
        let stage = stage(shader);
        self.context.set_shader_buffers(stage, slot.into(), &[Some(buffer)], !0).unwrap();
        resource
    }

    /// Binds a compute shader and runs it in a grid of workgroups.
    pub(crate) fn launch(&mut self, shader: &OwnedShader, grid: [u32; 3]) {
        let interface = &shader.interface;
        let state = ComputeState {
            source: ShaderSource::Tokens(shader.tokens()),
            static_shared_mem: interface.shared_memory,
            req_private_mem: 0,
            req_input_mem: 0,
        };
        let program = self.context.create_compute_state(&state).unwrap();
        self.context.bind_compute_state(Some(program)).unwrap();
        let block = interface.workgroup_size;
        self.context.launch_grid(&GridInfo { block, grid, ..GridInfo::default() }).unwrap();
    }

    pub(crate) fn draw(&mut self, count: u32) {
        let draw = DrawInfo::new(PrimType::Triangles);
        self.context.draw_vbo(&draw, None, &[DrawStartCount::count(count)]).unwrap();
    }

    /// Returns the bytes of a resource's region.
    pub(crate) fn read(&mut self, resource: ResourceHandle, region: &Region) -> Vec<u8> {
        let transfer = self.context.transfer_map(resource, 0, MapFlags::READ, region).unwrap();
        let bytes = self.context.transfer_bytes(transfer.handle).unwrap().to_vec();
        self.context.transfer_unmap(transfer.handle).unwrap();
        bytes
    }

    pub(crate) fn pixels(&mut self) -> Vec<[f32; 4]> {
        self.context.flush(FlushFlags::END_OF_FRAME).unwrap();
        let bytes = self.read(self.target, &whole(&self.template, 0));
        let words: Vec<f32> = words(&bytes).into_iter().map(f32::from_bits).collect();
        words.as_chunks().0.to_vec()
    }
}

/// Returns the region of a whole level.
pub(crate) fn whole(template: &ResourceTemplate, level: usize) -> Region {
    let at = |size: u32| (size >> level).max(1);
    let layers = match template.target {
        TextureTarget::Texture3D => at(template.depth0),
        _ => template.array_size,
    };
    Region { depth: layers as i32, ..Region::whole(at(template.width0), at(template.height0), 1) }
}
