//! Draws one frame of one scene, to pixels.

use std::io;
use std::sync::LazyLock;

use anyhow::{Context as _, Result, anyhow, ensure};
use formats::Format;
use os_shim::options::Environment;
use os_shim::{Memory, Os};
use pipe_core::wrap::record::{RecordFiles, recorded};
use pipe_core::{Context, ContextFlags, MapFlags, PanelError, Region, Screen, TilePanel};
use scenes::{Scene, SceneRenderer, Surface, View};

use crate::picture::Picture;

/// The surface of the boards: 320×240, RGB565, 16 bits of depth.
pub const BOARD: Surface = Surface {
    width: 320,
    height: 240,
    color: Format::B5G6R5Unorm,
    depth: Format::Z16Unorm,
    streamed: false,
};

/// The demo's surface.
pub const DEMO: Surface = Surface {
    width: 640,
    height: 480,
    color: Format::R8G8B8A8Unorm,
    depth: Format::Z24UnormS8Uint,
    streamed: false,
};

/// Size of the scene buffer for streamed surfaces, in bytes. Every scene fits, because a streamed
/// frame cannot be split. Surfaces in memory use the profile's own size, and several passes if
/// necessary.
const STREAMED_SCENE_BYTES: usize = 128 * 1024;

/// Returns the driver's settings for a surface.
pub fn config(surface: &Surface) -> raster::Config {
    raster::Config { scene_bytes: if surface.streamed { STREAMED_SCENE_BYTES } else { 0 } }
}

/// Creates a screen of the hosts' profile for a surface and passes it to `run`, as [`traced`] does.
///
/// # Errors
/// See [`traced`].
pub fn with_screen<'m, R>(
    os: Os<'m>,
    surface: &Surface,
    run: impl FnOnce(&dyn Screen<'m>) -> Result<R>,
) -> Result<R> {
    traced(&raster::Screen::<raster::Host>::new(os, config(surface)), run)
}

/// Passes a screen to `run`. If `GALLIUM_TRACE` asks for it, the calls are recorded.
///
/// # Errors
/// An error of the driver or of `run`, or a trace cannot be written.
pub fn traced<'m, R>(
    screen: &dyn Screen<'m>,
    run: impl FnOnce(&dyn Screen<'m>) -> Result<R>,
) -> Result<R> {
    let files = TRACE
        .as_ref()
        .map_err(|error| anyhow!("GALLIUM_TRACE names a file that cannot be written: {error}"))?;
    recorded(screen, files.as_ref(), Memory::system(), run)
}

/// The files that `GALLIUM_TRACE` names, one per screen.
static TRACE: LazyLock<io::Result<Option<RecordFiles>>> =
    LazyLock::new(|| RecordFiles::of_options(&Environment));

/// Draws one frame.
///
/// # Errors
/// Any error of the driver.
pub fn frame<'m>(
    screen: &dyn Screen<'m>,
    surface: &Surface,
    scene: &'static Scene,
    view: &View,
) -> Result<Picture> {
    let mut context = screen.context_create(ContextFlags::empty())?;
    let renderer = SceneRenderer::new(screen, &mut *context, surface, scene)?;
    let picture = draw(&renderer, &mut *context, surface, view);
    renderer.destroy(screen, &mut *context);
    picture
}

/// Draws one frame with an existing renderer, and reads it back.
///
/// # Errors
/// Any error of the driver.
pub fn draw<'m>(
    renderer: &SceneRenderer,
    context: &mut dyn Context<'m>,
    surface: &Surface,
    view: &View,
) -> Result<Picture> {
    renderer.draw(context, view)?;
    if surface.streamed {
        let mut panel = PicturePanel::default();
        renderer.present(context, &mut panel)?;
        return panel.picture();
    }
    renderer.flush(context)?;
    read(renderer, context, surface)
}

/// Reads the colour buffer of a renderer with a surface in memory.
///
/// # Errors
/// Any error of the driver.
pub fn read<'m>(
    renderer: &SceneRenderer,
    context: &mut dyn Context<'m>,
    surface: &Surface,
) -> Result<Picture> {
    let color = renderer.color().context("the renderer has no colour buffer")?;
    let (width, height) = (surface.width.into(), surface.height.into());
    let region = Region::rect(0, 0, width, height);
    let transfer = context.transfer_map(color, 0, MapFlags::READ, &region)?;
    let mut picture = Picture::new(width, height);
    let bytes = context.transfer_bytes(transfer.handle)?;
    picture.put((0, 0), (width, height), surface.color, bytes, transfer.stride);
    context.transfer_unmap(transfer.handle)?;
    Ok(picture)
}

/// A panel that stores the picture, and refuses tiles that overlap or leave the picture.
#[derive(Default)]
pub struct PicturePanel {
    picture: Option<Picture>,
    drawn: Vec<bool>,
    finished: bool,
}

/// The error for a tile outside the picture, or over another one.
const MISPLACED: PanelError = PanelError(1);

impl PicturePanel {
    /// Returns the complete picture.
    ///
    /// # Errors
    /// No tile covered some pixel, or the frame was never finished.
    pub fn picture(self) -> Result<Picture> {
        let missing = self.drawn.iter().filter(|drawn| !**drawn).count();
        ensure!(missing == 0, "{missing} pixels were never presented");
        ensure!(self.finished, "the picture was never finished");
        self.picture.context("nothing was presented")
    }
}

impl TilePanel for PicturePanel {
    fn begin(&mut self, width: u32, height: u32) -> Result<(), PanelError> {
        let picture = Picture::new(width, height);
        self.drawn = vec![false; picture.pixels.len()];
        self.picture = Some(picture);
        self.finished = false;
        Ok(())
    }

    fn tile(
        &mut self,
        x: u32,
        y: u32,
        width: u32,
        height: u32,
        format: Format,
        pixels: &[u8],
        stride_bytes: usize,
    ) -> Result<(), PanelError> {
        let picture = self.picture.as_mut().ok_or(MISPLACED)?;
        if x + width > picture.width || y + height > picture.height {
            return Err(MISPLACED);
        }
        for row in y..y + height {
            let start = (row * picture.width + x) as usize;
            for drawn in &mut self.drawn[start..start + width as usize] {
                if std::mem::replace(drawn, true) {
                    return Err(MISPLACED);
                }
            }
        }
        picture.put((x, y), (width, height), format, pixels, stride_bytes);
        Ok(())
    }

    fn finish(&mut self) -> Result<(), PanelError> {
        self.finished = true;
        Ok(())
    }
}
