//! A textured, lit teapot turns on a grey OLED: Cortex-M3, no FPU, at most 40 KB of RAM; 44 KB with
//! 4 samples per pixel (feature `samples`).
//!
//! Over the picture the instruction count of the previous frame is written, in thousands. With
//! arguments (semihosting: the scene's name and a frame of a turntable of 36) the firmware draws
//! that frame, tells the host and waits until its picture is taken. Without arguments, it turns
//! forever.
#![no_std]
#![no_main]

mod chip;
mod counter;
mod oled;

use core::mem::MaybeUninit;

use board_support::{Arguments, FRAMES, HostFile, exit, shown, stack};
use cortex_m_rt::entry;
use formats::Format;
use os_shim::{Memory, Os, Region};
use pipe_core::{Area, ContextFlags, Overlay, PipeError};
#[cfg(not(feature = "samples"))]
use scenes::TEAPOT_GREY as TEAPOT;
#[cfg(feature = "samples")]
use scenes::TEAPOT_GREY_SAMPLES as TEAPOT;
use scenes::{COUNT_BOUNDS, Scene, SceneRenderer, StreamPanel, Surface, View, count_overlay};

os_shim::soft_floats!();

/// Memory for the driver in bytes: scene buffer, one tile of colour and depth, objects.
const HEAP_BYTES: usize =
    if cfg!(feature = "samples") { (33 << 10) + 512 } else { (29 << 10) + 512 };

/// The OLED's picture, 8 bits of grey until it is sent. Depth has 16 bits.
const SURFACE: Surface = Surface {
    width: 128,
    height: 64,
    color: Format::L8Unorm,
    depth: Format::Z16Unorm,
    streamed: true,
};

#[entry]
fn main() -> ! {
    stack::paint();
    chip::clock();
    let heap =
        cortex_m::singleton!(: [MaybeUninit<u8>; HEAP_BYTES] = [MaybeUninit::uninit(); HEAP_BYTES]);
    let Some(heap) = heap else { exit(Ok(())) };
    let region = Region::new(heap);
    let arguments = board_support::arguments(find);
    exit(run(Memory::new(&region), arguments))
}

/// The flash has room for the data of one scene.
fn find(name: &str) -> Option<&'static Scene> {
    (name == TEAPOT.name).then_some(&TEAPOT)
}

fn run(memory: Memory<'_>, arguments: Option<Arguments>) -> Result<(), PipeError> {
    let screen = raster::Screen::<raster::Tiny>::new(
        Os::bare(memory),
        raster::Config { scene_bytes: TEAPOT.scene_bytes },
    );
    let mut context = screen.boxed_context(ContextFlags::empty())?;
    let renderer = SceneRenderer::new(&screen, &mut *context, &SURFACE, &TEAPOT)?;
    let mut oled = oled::Oled::new();
    let mut frame = arguments.map_or(0, |arguments| arguments.frame);
    let mut ticks = 0;
    for number in 0.. {
        let view = View::turntable(frame, FRAMES, SURFACE.aspect());
        let count = ticks * counter::INSTRUCTIONS_PER_TICK;
        let mut panel = Overlay {
            panel: &mut oled,
            bounds: COUNT_BOUNDS,
            draw: |area: Area, format, pixels: &mut [u8], stride_bytes| {
                count_overlay(count, area, format, pixels, stride_bytes);
            },
        };
        counter::start();
        renderer.draw(&mut *context, &view)?;
        renderer.present(&mut *context, &mut panel)?;
        if let (Some(_), 2) = (arguments, number) {
            let mut stream = StreamPanel(HostFile::create(c"stream.bin")?);
            stream.figure("ticks", ticks.into())?;
            stream.figure("heap", memory.usage().peak as u64)?;
            stream.figure("stack", stack::high_water() as u64)?;
            shown();
        }
        // The first frame allocates; the second one is counted, the third one shows its count.
        ticks = counter::ticks();
        if arguments.is_none() {
            frame = (frame + 1) % FRAMES;
        }
    }
    Ok(())
}
