//! The README's firmware: an orange triangle on a 128×64 grey display, without a global allocator.
//!
//! On a board the panel sends tiles to the display; here it prints them as text.

use core::mem::MaybeUninit;

use formats::Format;
use os_shim::{Memory, Os, Region};
use pipe_core::{
    Bind, ClearFlags, ColorUnion, ContextFlags, DrawInfo, DrawStartCount, FramebufferState,
    PanelError, PipeError, PrimType, ResourceTemplate, Screen as _, ShaderState, SurfaceTemplate,
    TilePanel, VertexBuffer, VertexElement, ViewportState,
};
use raster::{Config, Screen, Tiny};
use tgsi::program::Program;
use tgsi_macros::tgsi;

/// All the memory there is: no global allocator.
static ARENA: os_shim::sync::Mutex<[MaybeUninit<u8>; 32 * 1024]> =
    os_shim::sync::Mutex::new([MaybeUninit::uninit(); 32 * 1024]);

static VERTEX: &Program<'static> = tgsi!(
    VERT  DCL IN[0]  DCL OUT[0], POSITION  MOV OUT[0], IN[0]  END
);
static FRAGMENT: &Program<'static> = tgsi!(
    FRAG  DCL OUT[0], COLOR  IMM FLT32 { 1.0, 0.5, 0.0, 1.0 }  MOV OUT[0], IMM[0]  END
);
static CORNERS: [[f32; 2]; 3] = [[-0.8, -0.8], [0.8, -0.8], [0.0, 0.8]];

fn draw(panel: &mut dyn TilePanel) -> Result<(), PipeError> {
    let mut arena = ARENA.lock();
    let region = Region::new(&mut arena[..]);
    let config = Config { scene_bytes: 4096 };
    let screen = Screen::<Tiny>::new(Os::bare(Memory::new(&region)), config);
    let mut context = screen.context_create(ContextFlags::empty())?;
    let oled = screen.resource_create(&ResourceTemplate::streamed(Format::L8Unorm, 128, 64))?;
    let surface = context.create_surface(oled, &SurfaceTemplate::of(Format::L8Unorm))?;
    context.set_framebuffer_state(&FramebufferState::single(128, 64, surface, None))?;
    context.set_viewport_states(0, &[ViewportState::y_up(128, 64)])?;
    let bytes: &'static [u8] = bytemuck::cast_slice(&CORNERS);
    let template = ResourceTemplate::buffer(bytes.len() as u32, Bind::VERTEX_BUFFER);
    let buffer = screen.resource_from_user_memory(&template, bytes)?;
    let buffer = VertexBuffer { resource: buffer, stride: 8, buffer_offset: 0 };
    context.set_vertex_buffers(0, &[Some(buffer)])?;
    let elements = [VertexElement::per_vertex(0, Format::R32G32Float)];
    let elements = context.create_vertex_elements_state(&elements)?;
    context.bind_vertex_elements_state(Some(elements))?;
    let vertex = context.create_vs_state(&ShaderState::program(VERTEX))?;
    let fragment = context.create_fs_state(&ShaderState::program(FRAGMENT))?;
    context.bind_vs_state(Some(vertex))?;
    context.bind_fs_state(Some(fragment))?;
    context.clear(ClearFlags::COLOR0, None, &ColorUnion::default(), 1.0, 0)?;
    context.draw_vbo(&DrawInfo::new(PrimType::Triangles), None, &[DrawStartCount::count(3)])?;
    context.present(oled.into(), panel)
}

/// A display of letters: one for four by four pixels.
struct Text([[u8; 32]; 16]);

impl TilePanel for Text {
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
        for row in (0..height).step_by(4) {
            for column in (0..width).step_by(4) {
                let lit = pixels[row as usize * stride_bytes + column as usize] > 0;
                let place = &mut self.0[((y + row) / 4) as usize][((x + column) / 4) as usize];
                *place = if lit { b'#' } else { b'.' };
            }
        }
        Ok(())
    }
}

fn main() -> Result<(), PipeError> {
    let mut text = Text([[b' '; 32]; 16]);
    draw(&mut text)?;
    for row in &text.0 {
        println!("{}", String::from_utf8_lossy(row));
    }
    Ok(())
}

#[test]
fn the_triangle_is_there() {
    let mut text = Text([[b' '; 32]; 16]);
    draw(&mut text).unwrap();
    let lit = text.0.iter().flatten().filter(|letter| **letter == b'#').count();
    // The triangle covers 0.8 × 0.8 × 2 of the 2 × 2 clip square: 0.32 of 512 letters.
    assert!((lit as i32 - 164).abs() < 20, "{lit}");
    assert_eq!(text.0[0], [b'.'; 32]);
    assert_eq!((text.0[13][16], text.0[13][0]), (b'#', b'.'));
}
