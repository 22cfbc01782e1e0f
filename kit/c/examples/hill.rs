//! The scene of `hill.c` by the Rust API, to compare pixels. It is linked in place of `hill.c`, with
//! the same `host.c` or `start.c`.
#![cfg_attr(target_os = "none", no_std)]

use core::mem::MaybeUninit;
use core::ptr::addr_of_mut;

use gallium::pipe_core::{ConstantBuffer, ShaderType};
use gallium::prelude::*;
use wgsl::wgsl;

wgsl! {
    crate = ::gallium::tgsi; native(16);
    static VERTEX: "examples/hill.wgsl" => vs;
    static FRAGMENT: "examples/hill.wgsl" => fs;
}

const WIDTH: usize = 240;
const HEIGHT: usize = 240;

/// The panel.
struct Picture(&'static mut [[u16; WIDTH]; HEIGHT]);

impl TilePanel for Picture {
    fn tile(
        &mut self,
        x: u32,
        y: u32,
        width: u32,
        _: u32,
        _: Format,
        pixels: &[u8],
        stride_bytes: usize,
    ) -> Result<(), PanelError> {
        let rows = self.0.get_mut(y as usize..).unwrap_or_default();
        for (to, from) in rows.iter_mut().zip(pixels.chunks(stride_bytes)) {
            let to = to.get_mut(x as usize..).unwrap_or_default();
            let pixels = from.as_chunks().0.iter().take(width as usize);
            for (to, from) in to.iter_mut().zip(pixels) {
                *to = u16::from_le_bytes(*from);
            }
        }
        Ok(())
    }
}

fn draw(
    heap: &'static mut [MaybeUninit<u8>],
    display: &mut dyn TilePanel,
) -> Result<(), PipeError> {
    const SIZE: [usize; 2] = solids::grid_size(16, 16);
    static mut VERTICES: [solids::SolidVertex; SIZE[0]] = [[0.0; 8]; SIZE[0]];
    static mut INDICES: [u16; SIZE[1]] = [0; SIZE[1]];
    // SAFETY: this function is called once, so these are the only borrows.
    let (vertices, indices) =
        unsafe { (&mut *addr_of_mut!(VERTICES), &mut *addr_of_mut!(INDICES)) };
    let driver = &mut Raster::<Small>::new(heap, 24 * 1024)?;
    let (color, depth) = (Format::B5G6R5Unorm, Some(Format::Z16Unorm));
    let panel = Target::panel(driver, color, depth, [WIDTH as u32, HEIGHT as u32])?;
    let plane = Mesh::new(driver, &solids::plane(vertices, indices, 16, 16)?)?;
    let (elements, surface) = ([plane.layout.position], Surface::sheet());
    let state = PipelineState {
        vertex: &VERTEX,
        fragment: &FRAGMENT,
        elements: &elements,
        surface: &surface,
    };
    let pipeline = Pipeline::new(driver, &state)?;
    let lens = frustum(Vec2::splat(0.5), 1.0, 8.0);
    let eye = Vec3::new(0.0, 1.5, 2.5);
    let clip = Camera::look_at(lens, eye, Vec3::new(0.0, 0.25, 0.0)).clip_from_world;
    let constants = [
        clip.x_axis,
        clip.y_axis,
        clip.z_axis,
        clip.w_axis,
        Vec4::new(0.25, 0.75, -0.25, 0.0),
        Vec4::new(0.125, 0.5, 0.25, 0.0),
        Vec4::ONE,
    ];
    panel.begin(driver, [0.0, 0.0, 0.2, 1.0])?;
    pipeline.bind(driver)?;
    let constants = Some(ConstantBuffer::User(bytemuck::cast_slice(&constants)));
    driver.context.set_constant_buffer(ShaderType::Vertex, 0, constants)?;
    plane.draw(driver)?;
    panel.present(driver, display)
}

unsafe extern "C" {
    fn save(pixels: *mut [u16; WIDTH]) -> i32;
}

/// Draws the picture, saves it, and returns the exit status. Call it once.
#[unsafe(no_mangle)]
extern "C" fn example() -> i32 {
    static mut MEMORY: [MaybeUninit<u8>; 80 * 1024] = [MaybeUninit::uninit(); 80 * 1024];
    static mut PICTURE: [[u16; WIDTH]; HEIGHT] = [[0; WIDTH]; HEIGHT];
    // SAFETY: this function is called once, so these are the only borrows.
    let (heap, rows) = unsafe { (&mut *addr_of_mut!(MEMORY), &mut *addr_of_mut!(PICTURE)) };
    let mut picture = Picture(rows);
    match draw(heap, &mut picture) {
        // SAFETY: the pointer leads to so many rows.
        Ok(()) => unsafe { save(picture.0.as_mut_ptr()) },
        Err(_) => 1,
    }
}

#[cfg(target_os = "none")]
#[path = "../src/bare.rs"]
mod bare;
