//! The smallest firmware: an orange triangle on any display of embedded-graphics.
#![cfg_attr(target_os = "none", no_std, no_main)]

mod board;
#[cfg(not(target_os = "none"))]
use board::start::main;

use core::mem::MaybeUninit;

use embedded_graphics_core::draw_target::DrawTarget;
use formats::Format;
use os_shim::{Memory, Os, Region};
use pipe_core::context::*;
use pipe_core::panel::graphics::{Shown, TargetPanel};
use pipe_core::{
    Bind, ClearFlags, ColorUnion, DrawInfo, DrawStartCount, FramebufferState, PipeError, PrimType,
    ResourceTemplate, Screen as _, ShaderState, SurfaceTemplate, VertexBuffer, ViewportState,
};
use raster::{Config, Screen, Tiny};
use wgsl::wgsl;

wgsl! {
    native(4); interface;
    static VERTEX: "src/triangle.wgsl" => vs;
    static FRAGMENT: "src/triangle.wgsl" => fs;
}
static CORNERS: [[f32; 2]; 3] = [[-0.8, -0.8], [0.8, -0.8], [0.0, 0.8]];

fn triangle<D>(display: D, heap: &mut [MaybeUninit<u8>]) -> Result<(), PipeError>
where
    D: DrawTarget<Color: Shown>,
{
    let (size, format) = (display.bounding_box().size, Format::B5G6R5Unorm);
    let region = Region::new(heap);
    let os = Os::bare(Memory::new(&region));
    let screen = Screen::<Tiny>::new(os, Config { scene_bytes: 4096 });
    let mut context = screen.context()?;
    let target = ResourceTemplate::streamed(format, size.width, size.height);
    let target = screen.resource_create(&target)?;
    let surface = context.create_surface(target, &SurfaceTemplate::of(format))?;
    let (width, height) = (size.width as u16, size.height as u16);
    context.set_framebuffer_state(&FramebufferState::single(width, height, surface, None))?;
    context.set_viewport_states(0, &[ViewportState::y_up(size.width, size.height)])?;
    let corners: &'static [u8] = bytemuck::cast_slice(&CORNERS);
    let buffer = ResourceTemplate::buffer(corners.len() as u32, Bind::VERTEX_BUFFER);
    let resource = screen.resource_from_user_memory(&buffer, corners)?;
    context
        .set_vertex_buffers(0, &[Some(VertexBuffer { resource, stride: 8, buffer_offset: 0 })])?;
    let elements = context.create_vertex_elements_state(&vertex::ELEMENTS)?;
    context.bind_vertex_elements_state(Some(elements))?;
    let vertex = context.create_vs_state(&ShaderState::program(&VERTEX))?;
    let fragment = context.create_fs_state(&ShaderState::program(&FRAGMENT))?;
    context.bind_vs_state(Some(vertex))?;
    context.bind_fs_state(Some(fragment))?;
    context.clear(ClearFlags::COLOR0, None, &ColorUnion::default(), 1.0, 0)?;
    context.draw_vbo(&DrawInfo::new(PrimType::Triangles), None, &[DrawStartCount::count(3)])?;
    context.present(target.into(), &mut TargetPanel(display))
}
