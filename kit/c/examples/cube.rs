//! The scene of `cube.c` by the Rust API, to compare pixels and flash. It is linked in place of
//! `cube.c`, with the same `host.c` or `start.c`.
#![cfg_attr(target_os = "none", no_std)]

use core::mem::MaybeUninit;
use core::ptr::addr_of_mut;

use gallium::prelude::*;

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
    let driver = &mut Raster::<Small>::new(heap, 4096)?;
    let (color, depth) = (Format::B5G6R5Unorm, Some(Format::Z16Unorm));
    let panel = Target::panel(driver, color, depth, [WIDTH as u32, HEIGHT as u32])?;
    let cube = Mesh::new(driver, &solids::cube())?;
    let orange = Vec4::new(1.0, 0.5, 0.1, 1.0);
    let paint = Material::lit(driver, &cube.layout, &Surface::solid(), orange)?;
    let lens = frustum(Vec2::ONE, 2.0, 8.0);
    let view = View::from(Camera::look_at(lens, Vec3::new(0.0, 2.0, 4.0), Vec3::ZERO));
    panel.begin(driver, [0.0, 0.0, 0.2, 1.0])?;
    // An angle that the compiler does not know, as a program has it.
    let model = Mat4::from_rotation_y(core::hint::black_box(0.5));
    paint.draw(driver, &cube, &view, &model)?;
    panel.present(driver, display)
}

unsafe extern "C" {
    fn save(pixels: *mut [u16; WIDTH]) -> i32;
}

/// Draws the picture, saves it, and returns the exit status. Call it once.
#[unsafe(no_mangle)]
extern "C" fn example() -> i32 {
    static mut MEMORY: [MaybeUninit<u8>; 28 * 1024] = [MaybeUninit::uninit(); 28 * 1024];
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
