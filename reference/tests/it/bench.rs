//! A context that draws to a small picture.

use gallium_reference::{Config, Screen};
use os_shim::Os;
use pipe_core::Screen as _;
use pipe_core::context::Context;
use pipe_core::*;

pub(crate) const SIZE: u32 = 4;

/// A vertex at (`x`, `y`, `z`) in the window, in pixels, with a colour of four floats.
pub(crate) type Vertex = [f32; 7];

pub(crate) const VS: &str = "VERT\nDCL IN[0]\nDCL IN[1]\nDCL OUT[0], POSITION\nDCL OUT[1], COLOR\n\
                  MOV OUT[0], IN[0]\nMOV OUT[1], IN[1]\nEND";
pub(crate) const FS: &str =
    "FRAG\nDCL IN[0], COLOR, LINEAR\nDCL OUT[0], COLOR\nMOV OUT[0], IN[0]\nEND";

/// A context that draws to a picture of 4x4 pixels.
pub(crate) struct Bench<'s> {
    pub(crate) screen: &'s Screen<'static>,
    pub(crate) context: os_shim::Box<'s, dyn Context<'static> + 's>,
    pub(crate) color: ResourceHandle,
    pub(crate) depth: ResourceHandle,
}

impl<'s> Bench<'s> {
    pub(crate) fn new(screen: &'s Screen<'static>, format: Format, depth_format: Format) -> Self {
        Self::with_samples(screen, format, depth_format, 1)
    }

    pub(crate) fn with_samples(
        screen: &'s Screen<'static>,
        format: Format,
        depth_format: Format,
        nr_samples: u8,
    ) -> Self {
        let of = |format, bind| {
            let plain = ResourceTemplate::texture_2d(format, SIZE, SIZE, bind);
            ResourceTemplate { nr_samples, ..plain }
        };
        let template = of(format, Bind::RENDER_TARGET | Bind::SAMPLER_VIEW);
        let color = screen.resource_create(&template).unwrap();
        let template = of(depth_format, Bind::DEPTH_STENCIL);
        let depth = screen.resource_create(&template).unwrap();
        let mut context = screen.context_create(ContextFlags::empty()).unwrap();
        let surface = context.create_surface(color, &SurfaceTemplate::of(format)).unwrap();
        let zsbuf = context.create_surface(depth, &SurfaceTemplate::of(depth_format)).unwrap();
        let size = SIZE as u16;
        let framebuffer = FramebufferState::single(size, size, surface, Some(zsbuf));
        context.set_framebuffer_state(&framebuffer).unwrap();
        context.set_viewport_states(0, &[ViewportState::y_down(SIZE, SIZE)]).unwrap();
        let mut bench = Bench { screen, context, color, depth };
        bench.shaders(VS, FS);
        bench
    }

    pub(crate) fn shaders(&mut self, vertex: &str, fragment: &str) {
        let vs = self.context.create_vs_state(&ShaderState::text(vertex)).unwrap();
        let fs = self.context.create_fs_state(&ShaderState::text(fragment)).unwrap();
        self.context.bind_vs_state(Some(vs)).unwrap();
        self.context.bind_fs_state(Some(fs)).unwrap();
    }

    /// Draws vertices given in pixels, with depths of 0 to 1.
    pub(crate) fn draw(&mut self, mode: PrimType, vertices: &[Vertex]) {
        let bytes: Vec<u8> = vertices
            .iter()
            .flat_map(|[x, y, z, color @ ..]| {
                let half = SIZE as f32 / 2.0;
                let place = [x / half - 1.0, y / half - 1.0, z * 2.0 - 1.0, 1.0];
                place.into_iter().chain(*color)
            })
            .flat_map(f32::to_le_bytes)
            .collect();
        let template = ResourceTemplate::buffer(bytes.len() as u32, Bind::VERTEX_BUFFER);
        let buffer = self.screen.resource_create(&template).unwrap();
        self.context.buffer_subdata(buffer, MapFlags::WRITE, 0, &bytes).unwrap();
        let format = Format::R32G32B32A32Float;
        let elements =
            [VertexElement::per_vertex(0, format), VertexElement::per_vertex(16, format)];
        let elements = self.context.create_vertex_elements_state(&elements).unwrap();
        self.context.bind_vertex_elements_state(Some(elements)).unwrap();
        let vertices_of = VertexBuffer { resource: buffer, stride: 32, buffer_offset: 0 };
        self.context.set_vertex_buffers(0, &[Some(vertices_of)]).unwrap();
        let part = DrawStartCount::count(vertices.len() as u32);
        self.context.draw_vbo(&DrawInfo::new(mode), None, &[part]).unwrap();
    }

    /// Binds a shader for a stage after the vertex shader.
    pub(crate) fn stage(&mut self, stage: ShaderType, text: &str) {
        let shader = self.context.create_shader_state(stage, &ShaderState::text(text)).unwrap();
        self.context.bind_shader_state(stage, Some(shader)).unwrap();
    }

    /// Binds a rasterizer state.
    pub(crate) fn rasterizer(&mut self, state: &RasterizerState) {
        let state = self.context.create_rasterizer_state(state).unwrap();
        self.context.bind_rasterizer_state(Some(state)).unwrap();
    }

    /// Creates a buffer of words that programs may write.
    pub(crate) fn buffer(&mut self, words: &[u32]) -> ResourceHandle {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let bind = Bind::SHADER_BUFFER | Bind::STREAM_OUTPUT | Bind::GLOBAL;
        let template = ResourceTemplate::buffer(bytes.len() as u32, bind);
        let buffer = self.screen.resource_create(&template).unwrap();
        self.context.buffer_subdata(buffer, MapFlags::WRITE, 0, &bytes).unwrap();
        buffer
    }

    /// Returns the words of a buffer.
    pub(crate) fn words(&mut self, buffer: ResourceHandle) -> Vec<u32> {
        let size = self.screen.resource_template(buffer).unwrap().width0;
        let bytes = self.read_box(buffer, &Region::bytes(0, size));
        bytes.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect()
    }

    /// Returns the bytes of the picture, row by row.
    pub(crate) fn picture(&mut self) -> Vec<u8> {
        self.read(self.color)
    }

    /// Returns the mean of the samples of each pixel.
    pub(crate) fn means(&mut self) -> Vec<u8> {
        let seen = self.screen.resource_template(self.color).unwrap();
        let one = self.screen.resource_create(&ResourceTemplate { nr_samples: 0, ..seen }).unwrap();
        let (region, format) = (Region::whole(SIZE, SIZE, 1), seen.format);
        let end = |resource| BlitSurface { resource, level: 0, region, format };
        let resolve = BlitInfo::new(end(one), end(self.color), TexFilter::Nearest);
        self.context.blit(&resolve).unwrap();
        self.read(one)
    }

    /// Binds a state with several samples.
    pub(crate) fn multisample(&mut self) {
        let state = RasterizerState { multisample: true, ..RasterizerState::default() };
        let state = self.context.create_rasterizer_state(&state).unwrap();
        self.context.bind_rasterizer_state(Some(state)).unwrap();
    }

    /// Returns the bytes of a resource of the picture's size, row by row.
    pub(crate) fn read(&mut self, resource: ResourceHandle) -> Vec<u8> {
        self.read_box(resource, &Region::whole(SIZE, SIZE, 1))
    }

    /// Returns the bytes of a box, row by row.
    pub(crate) fn read_box(&mut self, resource: ResourceHandle, region: &Region) -> Vec<u8> {
        let map = self.context.transfer_map(resource, 0, MapFlags::READ, region).unwrap();
        let bytes = self.context.transfer_bytes(map.handle).unwrap().to_vec();
        self.context.transfer_unmap(map.handle).unwrap();
        bytes
    }
}

pub(crate) fn screen() -> Screen<'static> {
    Screen::new(Os::host(), Config::default())
}

pub(crate) const WHITE: [f32; 4] = [1.0; 4];

pub(crate) fn vertex(x: f32, y: f32, z: f32, [r, g, b, a]: [f32; 4]) -> Vertex {
    [x, y, z, r, g, b, a]
}
