//! Draws with the n-th allocation failing, for every n. Each time the driver must return an error,
//! draw the frame when asked again, and leak nothing.

use formats::Format;
use os_shim::{FailAt, Memory, Os};
use pipe_core::{ContextFlags, PanelError, PipeError, Screen, TilePanel};
use scenes::{Scene, SceneRenderer, Surface, View};

/// Draws `scene` with each allocation failing in turn; returns the number of allocations.
///
/// # Errors
/// The driver did not report a failure or returned another error than `OutOfMemory`; the picture
/// after a failure differs; or there is a leak.
pub fn every_failure<P: raster::Profile>(
    memory: Memory<'_>,
    surface: &Surface,
    scene: &'static Scene,
) -> Result<u64, PipeError> {
    let config = raster::Config { scene_bytes: scene.scene_bytes };
    let used = memory.usage().used;
    let expected = frame(&raster::Screen::<P>::new(Os::bare(memory), config), surface, scene)?;
    for nth in 0.. {
        let failing = FailAt::new(memory, nth);
        let screen = raster::Screen::<P>::new(Os::bare(Memory::new(&failing)), config);
        match frame(&screen, surface, scene) {
            Err(PipeError::OutOfMemory { .. }) if failing.failed() => {}
            Err(error) => return Err(error),
            Ok(_) if failing.failed() => return Err(PipeError::Invalid("a silent failure")),
            Ok(_) => return Ok(nth),
        }
        if frame(&screen, surface, scene)? != expected {
            return Err(PipeError::Invalid("another picture after a failure"));
        }
        drop(screen);
        if memory.usage().used != used {
            return Err(PipeError::Invalid("a leak after a failure"));
        }
    }
    Ok(0)
}

/// Draws one frame in a new context; returns a hash of its pixels.
fn frame<'m>(
    screen: &dyn Screen<'m>,
    surface: &Surface,
    scene: &'static Scene,
) -> Result<u32, PipeError> {
    let mut context = screen.context_create(ContextFlags::empty())?;
    let renderer = SceneRenderer::new(screen, &mut *context, surface, scene)?;
    let mut panel = Hash(0x811c_9dc5);
    let view = View::turntable(0, 1, surface.aspect());
    let drawn = renderer
        .draw(&mut *context, &view)
        .and_then(|()| renderer.present(&mut *context, &mut panel));
    renderer.destroy(screen, &mut *context);
    drawn.map(|()| panel.0)
}

/// A panel that hashes its tiles (FNV-1a).
struct Hash(u32);

impl TilePanel for Hash {
    fn tile(
        &mut self,
        x: u32,
        y: u32,
        _: u32,
        _: u32,
        _: Format,
        pixels: &[u8],
        _: usize,
    ) -> Result<(), PanelError> {
        for value in [x, y].into_iter().chain(pixels.iter().copied().map(u32::from)) {
            self.0 = (self.0 ^ value).wrapping_mul(0x0100_0193);
        }
        Ok(())
    }
}
