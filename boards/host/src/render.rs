//! One frame of one scene by one profile, to pixels.

use anyhow::{Context as _, Result, ensure};
use formats::Format;
use os_shim::Os;
use pipe_core::{Context, ContextFlags, MapFlags, PanelError, Region, Screen, TilePanel};
use scenes::{Scene, Stage, Surface, View};

use crate::picture::Picture;

/// Which of raster's profiles draws.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Profile {
    /// 64 lanes, 64×64 tiles.
    Host,
    /// 16 lanes, 32×32 tiles.
    Small,
    /// 4 lanes, 16×16 tiles.
    Tiny,
}

impl Profile {
    /// What it is called in file names.
    pub fn name(self) -> &'static str {
        match self {
            Profile::Host => "host",
            Profile::Small => "small",
            Profile::Tiny => "tiny",
        }
    }
}

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

/// A streamed frame must fit its scene buffer; this holds every scene. In memory the profile's own
/// size will do: what does not fit is drawn in several passes.
const STREAMED_SCENE_BYTES: usize = 128 * 1024;

/// Makes a screen of that profile, for that surface, and hands it on.
///
/// # Errors
/// The driver's, and those of `run`.
pub fn with_screen<'m, R>(
    profile: Profile,
    os: Os<'m>,
    surface: &Surface,
    run: impl FnOnce(&dyn Screen<'m>) -> Result<R>,
) -> Result<R> {
    let scene_bytes = if surface.streamed { STREAMED_SCENE_BYTES } else { 0 };
    let config = raster::Config { scene_bytes };
    match profile {
        Profile::Host => run(&raster::Screen::<raster::Host>::new(os, config)),
        Profile::Small => run(&raster::Screen::<raster::Small>::new(os, config)),
        Profile::Tiny => run(&raster::Screen::<raster::Tiny>::new(os, config)),
    }
}

/// Draws one frame.
///
/// # Errors
/// The driver's.
pub fn frame(
    profile: Profile,
    os: Os<'_>,
    surface: &Surface,
    scene: &'static Scene,
    view: &View,
) -> Result<Picture> {
    with_screen(profile, os, surface, |screen| {
        let mut context = screen.context_create(ContextFlags::empty())?;
        let stage = Stage::new(screen, &mut *context, surface, scene)?;
        let picture = draw(&stage, &mut *context, surface, view);
        stage.destroy(screen, &mut *context);
        picture
    })
    .with_context(|| format!("{}, {} profile", scene.name, profile.name()))
}

/// Draws one frame of a stage that is there already.
///
/// # Errors
/// The driver's.
pub fn draw<'m>(
    stage: &Stage,
    context: &mut dyn Context<'m>,
    surface: &Surface,
    view: &View,
) -> Result<Picture> {
    stage.draw(context, view)?;
    if surface.streamed {
        let mut panel = PicturePanel::default();
        stage.present(context, &mut panel)?;
        return panel.picture();
    }
    stage.flush(context)?;
    read(stage, context, surface)
}

/// Reads the colour buffer of a stage in memory.
///
/// # Errors
/// The driver's.
pub fn read<'m>(
    stage: &Stage,
    context: &mut dyn Context<'m>,
    surface: &Surface,
) -> Result<Picture> {
    let color = stage.color().context("the stage has no colour buffer")?;
    let (width, height) = (surface.width.into(), surface.height.into());
    let region = Region::rect(0, 0, width, height);
    let transfer = context.transfer_map(color, 0, MapFlags::READ, &region)?;
    let mut picture = Picture::new(width, height);
    let bytes = context.transfer_bytes(transfer.handle)?;
    picture.put((0, 0), (width, height), surface.color, bytes, transfer.stride);
    context.transfer_unmap(transfer.handle)?;
    Ok(picture)
}

/// A panel that keeps the picture, and notices what a display would not forgive.
#[derive(Default)]
pub struct PicturePanel {
    picture: Option<Picture>,
    drawn: Vec<bool>,
    finished: bool,
}

/// A tile outside the picture, or over another one.
const MISPLACED: PanelError = PanelError(1);

impl PicturePanel {
    /// The picture, when it is whole.
    ///
    /// # Errors
    /// It is not.
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
