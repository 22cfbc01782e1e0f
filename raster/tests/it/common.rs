//! A small harness: a framebuffer, two shaders, and pictures as text.
#![allow(dead_code, unreachable_pub, missing_docs, reason = "each test file uses its own part")]

use formats::Format;
use gallium_raster::{Config, Profile, Screen};
use os_shim::Os;
use pipe_core::{
    Bind, BlendState, ClearFlags, ColorUnion, ConstantBuffer, Context, DepthStencilAlphaState,
    DrawInfo, DrawStartCount, FlushFlags, FramebufferState, IndexBuffer, MapFlags, PanelError,
    PipeError, PrimType, RasterizerState, Region, ResourceHandle, ResourceTemplate, SamplerState,
    SamplerViewHandle, SamplerViewTemplate, Screen as _, ShaderState, ShaderType, SurfaceTemplate,
    TexFilter, TexMipFilter, TilePanel, VertexBuffer, VertexElement, ViewportState,
};

/// Runs a test in every profile.
macro_rules! in_all_profiles {
    ($($name:ident)+) => { $(
        mod $name {
            #[test]
            fn tiny() {
                super::$name::<super::Tiny>();
            }
            #[test]
            fn small() {
                super::$name::<super::Small>();
            }
            #[test]
            fn host() {
                super::$name::<super::Host>();
            }
        }
    )+ };
}

/// Compares a [picture as text](Setup::text) with the expected rows, and shows both side by side if
/// they differ. Use this in tests of pictures.
#[allow(unused_macros, reason = "some test files compare no picture")]
macro_rules! assert_picture {
    ($picture:expr, $expected:expr $(, $($context:tt)+)?) => {
        let (picture, expected) = (&$picture[..], &$expected[..]);
        if let Some(rows) = crate::common::difference(picture, expected) {
            #[allow(unused_mut, unused_assignments, reason = "the context is optional")]
            let mut context = String::new();
            $(context = format!(" ({})", format_args!($($context)+));)?
            panic!("the picture differs{context}:\n{rows}");
        }
    };
}

/// Returns the rows of two pictures side by side, with a mark at each row that differs; `None` if
/// the pictures are equal.
pub fn difference<A: AsRef<str>, B: AsRef<str>>(picture: &[A], expected: &[B]) -> Option<String> {
    let row = |at| {
        let drawn = picture.get(at).map_or("(no row)", A::as_ref);
        let wanted = expected.get(at).map_or("(no row)", B::as_ref);
        let mark = if drawn == wanted { ' ' } else { '≠' };
        (drawn != wanted, format!("{at:4} {drawn} {mark} {wanted}\n"))
    };
    let rows = (0..picture.len().max(expected.len())).map(row);
    let (differ, rows): (Vec<bool>, Vec<String>) = rows.unzip();
    differ.contains(&true).then(|| ["     drawn, expected\n".to_owned(), rows.concat()].concat())
}

#[test]
fn rows_that_differ_are_marked() {
    assert_eq!(difference(&["rg", "gg"], &["rg", "gg"]), None);
    let rows = difference(&["rg", "gg"], &["rg", "gb", "bb"]).unwrap();
    assert_eq!(rows, "     drawn, expected\n   0 rg   rg\n   1 gg ≠ gb\n   2 (no row) ≠ bb\n");
}

/// Passes position and one colour.
pub const PASS: &str = "VERT
DCL IN[0]
DCL IN[1]
DCL OUT[0], POSITION
DCL OUT[1], COLOR
MOV OUT[0], IN[0]
MOV OUT[1], IN[1]
END";

/// Shows the colour.
pub const COLOR: &str = "FRAG
DCL IN[0], COLOR, COLOR
DCL OUT[0], COLOR
MOV OUT[0], IN[0]
END";

/// Shows the texel at the first two components of the colour.
pub const TEXEL: &str = "FRAG
DCL IN[0], COLOR, PERSPECTIVE
DCL OUT[0], COLOR
DCL SAMP[0]
DCL SVIEW[0], 2D, FLOAT
TEX OUT[0], IN[0], SAMP[0], 2D
END";

/// A vertex of [`PASS`].
#[repr(C)]
#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable, Debug)]
pub struct Vertex {
    pub position: [f32; 4],
    pub color: [f32; 4],
}

/// Makes a vertex with w = 1.
pub fn vertex(x: f32, y: f32, z: f32, color: [f32; 4]) -> Vertex {
    Vertex { position: [x, y, z, 1.0], color }
}

/// Pseudo-random numbers, the same in each run.
pub struct Random(pub u32);

impl Random {
    /// Returns a number from 0 to 1.
    pub fn next(&mut self) -> f32 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (self.0 >> 8) as f32 / (1 << 24) as f32
    }

    pub fn between(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * self.next()
    }

    pub fn of<T: Copy>(&mut self, list: &[T]) -> T {
        list[(self.next() * list.len() as f32) as usize]
    }
}

/// The size, formats and memory of a test's framebuffer.
pub struct Options {
    pub width: u32,
    pub height: u32,
    pub format: Format,
    pub depth: Option<Format>,
    pub streamed: bool,
    pub scene_bytes: usize,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            width: 16,
            height: 16,
            format: Format::R8G8B8A8Unorm,
            depth: None,
            streamed: false,
            scene_bytes: 0,
        }
    }
}

/// A context with a framebuffer and states bound.
pub struct Setup<'s, 'm> {
    pub context: os_shim::Box<'s, dyn Context<'m> + 's>,
    pub color: ResourceHandle,
    pub depth: Option<ResourceHandle>,
    pub vertices: Option<ResourceHandle>,
    pub options: Options,
}

/// Returns a rasterizer state that draws both sides by OpenGL's rules.
pub fn rasterizer() -> RasterizerState {
    RasterizerState {
        half_pixel_center: true,
        bottom_edge_rule: false,
        depth_clip_near: true,
        depth_clip_far: true,
        ..RasterizerState::default()
    }
}

/// Returns a sampler state for the nearest texel of the first level.
pub fn nearest() -> SamplerState {
    SamplerState {
        min_img_filter: TexFilter::Nearest,
        mag_img_filter: TexFilter::Nearest,
        min_mip_filter: TexMipFilter::None,
        ..SamplerState::default()
    }
}

pub fn screen<P: Profile>(os: Os<'_>, scene_bytes: usize) -> Screen<'_, P> {
    Screen::new(os, Config { scene_bytes })
}

impl<'s, 'm> Setup<'s, 'm> {
    pub fn new<P: Profile>(screen: &'s Screen<'m, P>, options: Options) -> Result<Self, PipeError> {
        let mut context = screen.context_create(Default::default())?;
        let template = if options.streamed {
            ResourceTemplate::streamed(options.format, options.width, options.height)
        } else {
            let bind = Bind::RENDER_TARGET;
            ResourceTemplate::texture_2d(options.format, options.width, options.height, bind)
        };
        let color = screen.resource_create(&template)?;
        let surface = context.create_surface(color, &SurfaceTemplate::of(options.format))?;
        let mut depth = None;
        let mut zsbuf = None;
        if let Some(format) = options.depth {
            let template = ResourceTemplate {
                format,
                bind: if options.streamed {
                    Bind::DEPTH_STENCIL | Bind::DISPLAY_TARGET
                } else {
                    Bind::DEPTH_STENCIL
                },
                ..template
            };
            let resource = screen.resource_create(&template)?;
            zsbuf = Some(context.create_surface(resource, &SurfaceTemplate::of(format))?);
            depth = Some(resource);
        }
        context.set_framebuffer_state(&FramebufferState::single(
            options.width as u16,
            options.height as u16,
            surface,
            zsbuf,
        ))?;
        context.set_viewport_states(0, &[ViewportState::y_down(options.width, options.height)])?;
        let mut setup = Setup { context, color, depth, vertices: None, options };
        setup.rasterizer(&rasterizer())?;
        setup.shaders(PASS, COLOR)?;
        let elements = [
            VertexElement::per_vertex(0, Format::R32G32B32A32Float),
            VertexElement::per_vertex(16, Format::R32G32B32A32Float),
        ];
        let elements = setup.context.create_vertex_elements_state(&elements)?;
        setup.context.bind_vertex_elements_state(Some(elements))?;
        Ok(setup)
    }

    pub fn rasterizer(&mut self, state: &RasterizerState) -> Result<(), PipeError> {
        let handle = self.context.create_rasterizer_state(state)?;
        self.context.bind_rasterizer_state(Some(handle))
    }

    pub fn blend(&mut self, state: &BlendState) -> Result<(), PipeError> {
        let handle = self.context.create_blend_state(state)?;
        self.context.bind_blend_state(Some(handle))
    }

    pub fn depth_test(&mut self, state: &DepthStencilAlphaState) -> Result<(), PipeError> {
        let handle = self.context.create_depth_stencil_alpha_state(state)?;
        self.context.bind_depth_stencil_alpha_state(Some(handle))
    }

    pub fn shaders(&mut self, vertex: &str, fragment: &str) -> Result<(), PipeError> {
        let vs = self.context.create_vs_state(&ShaderState::text(vertex))?;
        let fs = self.context.create_fs_state(&ShaderState::text(fragment))?;
        self.context.bind_vs_state(Some(vs))?;
        self.context.bind_fs_state(Some(fs))
    }

    pub fn constants(&mut self, stage: ShaderType, values: &[f32]) -> Result<(), PipeError> {
        let bytes = bytemuck::cast_slice(values);
        self.context.set_constant_buffer(stage, 0, Some(ConstantBuffer::User(bytes)))
    }

    pub fn clear(&mut self, color: [f32; 4], depth: f64) -> Result<(), PipeError> {
        let mut buffers = ClearFlags::COLOR0;
        if self.options.depth.is_some() {
            buffers |= ClearFlags::DEPTH_STENCIL;
        }
        self.context.clear(buffers, None, &ColorUnion::float(color), depth, 0)
    }

    /// Uploads vertices to a buffer of the screen, as frontends do.
    pub fn upload<P: Profile, T: bytemuck::Pod>(
        &mut self,
        screen: &Screen<'m, P>,
        vertices: &[T],
    ) -> Result<(), PipeError> {
        let bytes: &[u8] = bytemuck::cast_slice(vertices);
        let template = ResourceTemplate::buffer(bytes.len() as u32, Bind::VERTEX_BUFFER);
        let buffer = screen.resource_create(&template)?;
        self.context.buffer_subdata(buffer, MapFlags::WRITE, 0, bytes)?;
        let stride = size_of::<T>() as u32;
        let binding = VertexBuffer { resource: buffer, stride, buffer_offset: 0 };
        self.context.set_vertex_buffers(0, &[Some(binding)])?;
        if let Some(old) = self.vertices.replace(buffer) {
            screen.resource_destroy(old)?;
        }
        Ok(())
    }

    /// Makes a texture with these texels in its first level, row by row.
    pub fn image<P: Profile>(
        &mut self,
        screen: &Screen<'m, P>,
        template: &ResourceTemplate,
        texels: &[u8],
    ) -> Result<ResourceHandle, PipeError> {
        let image = screen.resource_create(template)?;
        let (width, height) = (template.width0, template.height0);
        let region = Region::whole(width, height, 1);
        let block = template.format.block();
        let stride = width.div_ceil(block.width.into()) as usize * usize::from(block.bytes);
        self.context.texture_subdata(image, 0, MapFlags::WRITE, &region, texels, stride, 0)?;
        Ok(image)
    }

    /// Binds a view of a texture and a sampler to the first unit of a stage.
    pub fn texture(
        &mut self,
        stage: ShaderType,
        image: ResourceHandle,
        view: &SamplerViewTemplate,
        sampler: &SamplerState,
    ) -> Result<SamplerViewHandle, PipeError> {
        let view = self.context.create_sampler_view(image, view)?;
        let sampler = self.context.create_sampler_state(sampler)?;
        self.context.set_sampler_views(stage, 0, &[Some(view)])?;
        self.context.bind_sampler_states(stage, 0, &[Some(sampler)])?;
        Ok(view)
    }

    pub fn draw(&mut self, mode: PrimType, count: u32) -> Result<(), PipeError> {
        self.context.draw_vbo(&DrawInfo::new(mode), None, &[DrawStartCount::count(count)])
    }

    pub fn draw_indexed(&mut self, mode: PrimType, indices: &[u16]) -> Result<(), PipeError> {
        let index = IndexBuffer::user(bytemuck::cast_slice(indices), 2);
        let count = DrawStartCount::count(indices.len() as u32);
        self.context.draw_vbo(&DrawInfo::indexed(mode, index), None, &[count])
    }

    /// Returns the picture, row by row.
    pub fn pixels(&mut self) -> Result<Vec<u8>, PipeError> {
        if self.options.streamed {
            let mut panel = Picture::new(&self.options);
            self.context.present(self.color.into(), &mut panel)?;
            assert!(panel.seen.iter().all(|count| *count == 1), "every pixel comes once");
            return Ok(panel.bytes);
        }
        self.context.flush(FlushFlags::END_OF_FRAME)?;
        self.read(self.color)
    }

    /// Reads the whole of level 0.
    pub fn read(&mut self, resource: ResourceHandle) -> Result<Vec<u8>, PipeError> {
        self.read_region(resource, &Region::whole(self.options.width, self.options.height, 1))
    }

    /// Returns the first bytes of a buffer.
    pub fn bytes(&mut self, buffer: ResourceHandle, size: u32) -> Vec<u8> {
        self.read_region(buffer, &Region::bytes(0, size)).unwrap()
    }

    fn read_region(
        &mut self,
        resource: ResourceHandle,
        region: &Region,
    ) -> Result<Vec<u8>, PipeError> {
        let transfer = self.context.transfer_map(resource, 0, MapFlags::READ, region)?;
        let bytes = self.context.transfer_bytes(transfer.handle)?.to_vec();
        self.context.transfer_unmap(transfer.handle)?;
        Ok(bytes)
    }

    /// Returns the picture with one letter per pixel: `.` for black, r g b w … for colours.
    pub fn text(&mut self) -> Vec<String> {
        let pixels = self.pixels().expect("a picture");
        let letter = |pixel: &[u8]| match pixel[..3] {
            [0, 0, 0] => '.',
            [255, 0, 0] => 'r',
            [0, 255, 0] => 'g',
            [0, 0, 255] => 'b',
            [255, 255, 0] => 'y',
            [255, 255, 255] => 'w',
            _ => '?',
        };
        pixels
            .chunks(self.options.width as usize * 4)
            .map(|row| row.chunks(4).map(letter).collect())
            .collect()
    }
}

/// A panel that keeps the picture.
pub struct Picture {
    pub bytes: Vec<u8>,
    pub seen: Vec<u32>,
    width: usize,
    texel: usize,
}

impl Picture {
    pub fn new(options: &Options) -> Self {
        let texels = (options.width * options.height) as usize;
        let texel = options.format.block_bytes();
        Picture {
            bytes: vec![0; texels * texel],
            seen: vec![0; texels],
            width: options.width as usize,
            texel,
        }
    }
}

impl TilePanel for Picture {
    fn tile(
        &mut self,
        x: u32,
        y: u32,
        width: u32,
        height: u32,
        _format: Format,
        pixels: &[u8],
        stride_bytes: usize,
    ) -> Result<(), PanelError> {
        for row in 0..height as usize {
            let source = &pixels[row * stride_bytes..][..width as usize * self.texel];
            let at = (y as usize + row) * self.width + x as usize;
            self.bytes[at * self.texel..][..source.len()].copy_from_slice(source);
            self.seen[at..at + width as usize].iter_mut().for_each(|count| *count += 1);
        }
        Ok(())
    }
}

pub const RED: [f32; 4] = [1.0, 0.0, 0.0, 1.0];
pub const GREEN: [f32; 4] = [0.0, 1.0, 0.0, 1.0];
pub const BLUE: [f32; 4] = [0.0, 0.0, 1.0, 1.0];
pub const WHITE: [f32; 4] = [1.0, 1.0, 1.0, 1.0];
pub const BLACK: [f32; 4] = [0.0, 0.0, 0.0, 1.0];
