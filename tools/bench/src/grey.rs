//! The picture of a grey display of 128×64 pixels, as the LM3S6965 board shows it, drawn on the
//! host.
//!
//! The display is a 16-grey display of embedded-graphics, so that the board's own conversion is
//! compared with another implementation.

use std::convert::Infallible;
use std::path::Path;

use anyhow::{Context as _, Result};
use embedded_graphics::Pixel;
use embedded_graphics::draw_target::DrawTarget;
use embedded_graphics::geometry::{OriginDimensions, Size};
use embedded_graphics::pixelcolor::{Gray4, Gray8, GrayColor};
use formats::Format;
use gallium_host::picture::Picture;
use os_shim::Os;
use pipe_core::panel::graphics::TargetPanel;
use pipe_core::{Area, ContextFlags, Overlay};
use raster::AnyProfile;
use scenes::{COUNT_BOUNDS, SceneRenderer, Surface, View, count_overlay};

use crate::screens::with_screen;

/// The surface of the LM3S6965 board.
pub const OLED: Surface = Surface {
    width: 128,
    height: 64,
    color: Format::L8Unorm,
    depth: Format::Z16Unorm,
    streamed: true,
};

/// A display of 16 greys that stores its picture.
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
/// Any error of the driver.
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

/// Draws a frame to a PNG file.
///
/// # Errors
/// An error of the driver or the file system.
pub fn run(scene: &str, number: u32, count: u32, out: &Path) -> Result<()> {
    frame(scene, number, count)?.write(out)
}
