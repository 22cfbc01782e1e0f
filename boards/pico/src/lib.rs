//! A textured, lit, depth-tested cube with text over it: the drawing code, independent of the
//! board.
#![no_std]

#[cfg(feature = "kit")]
pub mod kit;
mod model;
#[cfg(all(feature = "record", target_abi = "eabi"))]
pub mod record;

use core::mem::MaybeUninit;

use embedded_graphics::mono_font::{MonoTextStyle, ascii::FONT_6X10};
use embedded_graphics::pixelcolor::{Rgb565, RgbColor};
use embedded_graphics::prelude::Point;
use embedded_graphics::text::{Baseline, Text};
use formats::Format;
use os_shim::{Box, Memory, Os, Region};
use pipe_core::panel::graphics;
use pipe_core::{
    Area, Bind, ClearFlags, ColorUnion, CompareFunc, ConstantBuffer, ContextFlags,
    DepthStencilAlphaState, DrawInfo, DrawStartCount, Face, FramebufferState, IndexBuffer, Overlay,
    PipeError, PrimType, RasterizerState, ResourceHandle, ResourceTemplate, SamplerState,
    SamplerViewTemplate, Screen as _, ShaderState, ShaderType, SurfaceTemplate, TexMipFilter,
    TexWrap, TilePanel, VertexBuffer, ViewportState,
    wrap::record::{RecordScreen, RecordSink},
};
use raster::{Config, Context, Screen, Small};

use model::vertex::{self, Vertex};

/// Width and height of the display, in pixels.
pub const SIDE: u32 = 240;
/// Bytes of a tile: 32×32 pixels of two bytes.
pub const TILE_BYTES: usize = 32 * 32 * 2;
/// Memory for the driver, in bytes; the wrappers that record take some.
pub const HEAP_BYTES: usize = if cfg!(feature = "record") { 20 * 1024 } else { 19 * 1024 };

/// Everything that draws, in one struct: the driver's memory, its screen and context, and the
/// objects.
pub struct Renderer<C: pipe_core::Context<'static> + ?Sized + 'static = Direct> {
    context: Box<'static, C>,
    target: ResourceHandle,
    /// Cosine and sine of the cube's angle.
    turn: [f32; 2],
}

/// A context of the driver.
pub type Direct = Context<'static, 'static, Small>;

/// A context that records its calls.
pub type Recorded = dyn pipe_core::Context<'static>;

impl Renderer {
    /// Creates the driver in `heap`, and all objects; binds the objects permanently.
    pub fn new(heap: &'static mut [MaybeUninit<u8>]) -> Result<Renderer, PipeError> {
        let screen = driver(Region::in_place(heap)?)?;
        Renderer::with(screen, screen.boxed_context(ContextFlags::empty())?)
    }
}

impl Renderer<Recorded> {
    /// As [`Renderer::new`], and records the calls to `sink`.
    pub fn recorded(
        heap: &'static mut [MaybeUninit<u8>],
        sink: &'static dyn RecordSink,
    ) -> Result<Self, PipeError> {
        let memory = Region::in_place(heap)?;
        let screen = RecordScreen::new(driver(memory)?, sink, memory);
        let screen: &'static RecordScreen<'static, 'static> =
            Box::leak(Box::try_new_in(screen, memory)?);
        Renderer::with(screen, screen.context_create(ContextFlags::empty())?)
    }
}

/// Creates the driver.
fn driver(memory: Memory<'static>) -> Result<&'static Screen<'static, Small>, PipeError> {
    let screen = Screen::<Small>::new(Os::bare(memory), Config { scene_bytes: 4096 });
    Ok(Box::leak(Box::try_new_in(screen, memory)?))
}

impl<C: pipe_core::Context<'static> + ?Sized + 'static> Renderer<C> {
    /// Creates all objects, and binds them permanently.
    fn with(
        screen: &'static impl pipe_core::Screen<'static>,
        mut context: Box<'static, C>,
    ) -> Result<Self, PipeError> {
        let buffer = |bytes: &'static [u8], bind| {
            let template = ResourceTemplate::buffer(bytes.len() as u32, bind);
            screen.resource_from_user_memory(&template, bytes)
        };

        let (color, depth) = (Format::B5G6R5Unorm, Format::Z16Unorm);
        let target = screen.resource_create(&ResourceTemplate::streamed(color, SIDE, SIDE))?;
        let z = screen.resource_create(&ResourceTemplate::streamed_depth(depth, SIDE, SIDE))?;
        let color = context.create_surface(target, &SurfaceTemplate::of(color))?;
        let z = context.create_surface(z, &SurfaceTemplate::of(depth))?;
        let side = SIDE as u16;
        context.set_framebuffer_state(&FramebufferState::single(side, side, color, Some(z)))?;
        context.set_viewport_states(0, &[ViewportState::y_up(SIDE, SIDE)])?;

        let vertices = buffer(bytemuck::cast_slice(&model::VERTICES), Bind::VERTEX_BUFFER)?;
        let stride = size_of::<Vertex>() as u32;
        let vertices = VertexBuffer { resource: vertices, stride, buffer_offset: 0 };
        context.set_vertex_buffers(0, &[Some(vertices)])?;
        let elements = context.create_vertex_elements_state(&vertex::ELEMENTS)?;
        context.bind_vertex_elements_state(Some(elements))?;

        let texels: &'static [u8] = bytemuck::cast_slice(&model::TEXELS);
        let [width, height] = model::TEXTURE_SIZE;
        let bind = Bind::SAMPLER_VIEW;
        let texture = ResourceTemplate::texture_2d(Format::B5G6R5Unorm, width, height, bind);
        let view = SamplerViewTemplate::whole(&texture);
        let texture = screen.resource_from_user_memory(&texture, texels)?;
        let view = context.create_sampler_view(texture, &view)?;
        let nearest = SamplerState {
            min_mip_filter: TexMipFilter::None,
            ..SamplerState::wrapping(TexWrap::Repeat)
        };
        let sampler = context.create_sampler_state(&nearest)?;
        context.set_sampler_views(ShaderType::Fragment, 0, &[Some(view)])?;
        context.bind_sampler_states(ShaderType::Fragment, 0, &[Some(sampler)])?;

        let vertex = context.create_vs_state(&ShaderState::program(&model::VERTEX))?;
        let fragment = context.create_fs_state(&ShaderState::program(&model::FRAGMENT))?;
        context.bind_vs_state(Some(vertex))?;
        context.bind_fs_state(Some(fragment))?;
        let nearer = DepthStencilAlphaState::depth(CompareFunc::Less);
        let nearer = context.create_depth_stencil_alpha_state(&nearer)?;
        context.bind_depth_stencil_alpha_state(Some(nearer))?;
        let outside = RasterizerState { cull_face: Face::Back, ..RasterizerState::default() };
        let outside = context.create_rasterizer_state(&outside)?;
        context.bind_rasterizer_state(Some(outside))?;
        Ok(Renderer { context, target, turn: [1.0, 0.0] })
    }

    /// Draws a frame, and turns the cube.
    pub fn frame(&mut self, panel: &mut dyn TilePanel) -> Result<(), PipeError> {
        let constants = model::constants(self.turn);
        let constants = ConstantBuffer::User(bytemuck::bytes_of(&constants));
        self.context.set_constant_buffer(ShaderType::Vertex, vertex::CUBE_SLOT, Some(constants))?;
        let buffers = ClearFlags::COLOR0 | ClearFlags::DEPTH;
        let background = ColorUnion::float([0.05, 0.07, 0.15, 1.0]);
        self.context.clear(buffers, None, &background, 1.0, 0)?;
        let indices = IndexBuffer::user(bytemuck::cast_slice(&model::INDICES), 2);
        let count = model::INDICES.len() as u32;
        let info = DrawInfo::indexed(PrimType::Triangles, indices);
        self.context.draw_vbo(&info, None, &[DrawStartCount::count(count)])?;
        self.turn = model::step(self.turn);
        let bounds = Area { x: 6, y: 4, width: 6 * TEXT.len() as u32, height: 10 };
        self.context.present(self.target.into(), &mut Overlay { panel, bounds, draw: text })
    }
}

const TEXT: &str = "Gallium";

/// Draws the text into a tile.
fn text(area: Area, format: Format, pixels: &mut [u8], stride_bytes: usize) {
    let style = MonoTextStyle::new(&FONT_6X10, Rgb565::WHITE);
    let text = Text::with_baseline(TEXT, Point::new(6, 4), style, Baseline::Top);
    graphics::draw(&text, area, format, pixels, stride_bytes);
}
