//! The picture of a grey display of 128×64 pixels, as the LM3S6965 board shows it, made on the host.
//!
//! The display is an embedded-graphics one of 16 greys, so that the board's own conversion is
//! compared with another.

use std::convert::Infallible;
use std::path::Path;

use anyhow::{Context as _, Result};
use embedded_graphics::Pixel;
use embedded_graphics::draw_target::DrawTarget;
use embedded_graphics::geometry::{OriginDimensions, Size};
use embedded_graphics::pixelcolor::{Gray4, Gray8, GrayColor};
use formats::Format;
use os_shim::Os;
use pipe_core::panel::graphics::TargetPanel;
use pipe_core::{Area, ContextFlags, Overlay};
use raster::AnyProfile;
use scenes::{COUNT_BOUNDS, SceneRenderer, Surface, View, count_overlay};

use crate::picture::Picture;
use crate::render::with_screen;

/// The LM3S6965's.
pub const OLED: Surface = Surface {
    width: 128,
    height: 64,
    color: Format::L8Unorm,
    depth: Format::Z16Unorm,
    streamed: true,
};

/// A display of 16 greys that is a picture.
struct Display(Picture);

impl OriginDimensions for Display {
    fn size(&self) -> Size {
        Size::new(self.0.width, self.0.height)
    }
}

impl DrawTarget for Display {
    type Color = Gray4;
    type Error = Infallible;

    fn draw_iter<I>(&mut self, pixels: I) -> Result<(), Infallible>
    where
        I: IntoIterator<Item = Pixel<Gray4>>,
    {
        for Pixel(place, color) in pixels {
            let at = place.y as usize * self.0.width as usize + place.x as usize;
            if let Some(pixel) = self.0.pixels.get_mut(at) {
                let grey = Gray8::from(color).luma();
                *pixel = [grey, grey, grey, 255];
            }
        }
        Ok(())
    }
}

/// Draws a frame with `count` written over it.
///
/// # Errors
/// The driver's.
pub fn frame(scene: &str, frame: u32, count: u32) -> Result<Picture> {
    let scene = scenes::find(scene).with_context(|| format!("no scene `{scene}`"))?;
    with_screen(AnyProfile::Host, Os::host(), &OLED, |screen| {
        let mut context = screen.context_create(ContextFlags::empty())?;
        let renderer = SceneRenderer::new(screen, &mut *context, &OLED, scene)?;
        renderer.draw(&mut *context, &View::turntable(frame, 36, OLED.aspect()))?;
        let display = Display(Picture::new(OLED.width.into(), OLED.height.into()));
        let mut panel = Overlay {
            panel: TargetPanel(display),
            bounds: COUNT_BOUNDS,
            draw: |area: Area, format, pixels: &mut [u8], stride_bytes| {
                count_overlay(count, area, format, pixels, stride_bytes);
            },
        };
        renderer.present(&mut *context, &mut panel)?;
        renderer.destroy(screen, &mut *context);
        Ok(panel.panel.0.0)
    })
}

/// Draws it to a PNG file.
///
/// # Errors
/// The driver's, and the file system's.
pub fn run(scene: &str, number: u32, count: u32, out: &Path) -> Result<()> {
    frame(scene, number, count)?.write(out)
}
