//! A gauge: a lit gear wheel in fog over a sky, a mirror that shows it from behind, a translucent
//! needle, and text.
#![no_std]

#[cfg(feature = "by-hand")]
pub mod by_hand;
mod hash;

use core::mem::MaybeUninit;

use embedded_graphics::mono_font::{MonoTextStyle, ascii::FONT_9X15_BOLD};
use embedded_graphics::pixelcolor::{Rgb565, RgbColor};
use embedded_graphics::prelude::Point;
use embedded_graphics::text::{Baseline, Text};
use gallium::prelude::*;

pub use hash::Hash;

/// The gear and the needle, which the build script converts.
mod assets {
    include!(concat!(env!("OUT_DIR"), "/assets.rs"));
}

/// The sky: its colour below, and above.
static SKY: [BackdropCorner; 4] = Backdrop::gradient([0.75, 0.55, 0.40], [0.08, 0.12, 0.35]);

/// Width and height of the display, in pixels.
pub const SIDE: u32 = 240;
/// Memory for the driver, in bytes: a texture of 64×64 pixels with its depth takes 16 KB of it. Frames
/// use 45 KB; the rest is for gaps between blocks.
pub const HEAP_BYTES: usize = if cfg!(target_os = "none") { 56 } else { 128 } * 1024;

/// The driver, and everything that the gauge draws.
pub struct Gauge {
    /// The driver.
    pub driver: Raster<Small>,
    display: Target,
    mirror: Target,
    image: Texture,
    needle: Texture,
    gear: Mesh<'static>,
    sky: Backdrop<'static>,
    brass: Material,
    sprites: Sprites<'static>,
    glass: Sprites<'static>,
    frame: u32,
}

impl Gauge {
    /// Creates the driver in `heap`, and everything that the gauge draws.
    pub fn new(heap: &'static mut [MaybeUninit<u8>]) -> Result<Gauge, PipeError> {
        let mut driver = Raster::new(heap, 11 * 1024)?;
        let device = &mut driver;
        let (color, depth) = (Format::B5G6R5Unorm, Some(Format::Z16Unorm));
        let smooth = bilinear(TexWrap::ClampToEdge);
        let display = Target::panel(device, color, depth, [SIDE, SIDE])?;
        let (mirror, image) = Target::texture(device, color, depth, [64, 64], &smooth)?;
        let needle = Texture::new(device, &assets::NEEDLE, &smooth)?;
        let gear = Mesh::new(device, &assets::GEAR)?;
        let sky = Backdrop::new(device, &SKY)?;
        let gold = Vec4::new(0.85, 0.7, 0.35, 1.0);
        let brass = Material::lit_fogged(device, &gear.layout, &Surface::solid(), gold)?;
        let sprites = Sprites::single(device, &Surface::flat())?;
        let glass = sprites.with_surface(device, &Surface::overlay())?;
        Ok(Gauge {
            driver,
            display,
            mirror,
            image,
            needle,
            gear,
            sky,
            brass,
            sprites,
            glass,
            frame: 0,
        })
    }

    /// Draws the gear over the sky, seen from `eye`.
    fn world(&mut self, target: &Target, eye: Vec3) -> Result<(), PipeError> {
        let device = &mut self.driver;
        target.begin(device, [0.0, 0.0, 0.0, 1.0])?;
        let camera = Camera::look_at(perspective(0.9, 1.0, 1.5, 8.0), eye, Vec3::ZERO);
        let sun = Vec3::new(0.3, 0.8, 0.5).normalize();
        let fog = Fog { color: Vec3::new(0.42, 0.34, 0.37), scale: -0.45, offset: 2.0 };
        let model = Mat4::from_rotation_x(-0.6) * Mat4::from_rotation_z(self.frame as f32 * 0.1);
        let view = View { camera, light: Light { sun, ambient: 0.2, ..Light::default() }, fog };
        self.sky.draw(device)?;
        self.brass.draw(device, &self.gear, &view, &model)
    }

    /// Draws a frame, and turns the gear.
    pub fn frame(&mut self, panel: &mut dyn TilePanel) -> Result<(), PipeError> {
        let (mirror, display) = (self.mirror, self.display);
        self.world(&mirror, Vec3::new(0.0, 1.0, -4.0))?;
        self.world(&display, Vec3::new(0.0, 0.6, 4.0))?;
        let mirrored = Sprite::new(Vec2::splat(0.62), Vec2::new(-0.3, 0.3));
        self.sprites.draw(&mut self.driver, &self.image, &[mirrored])?;
        let swing = Vec2::from_angle(self.frame as f32 * 0.15).y;
        let center = Vec2::new(0.45 * -Vec2::from_angle(swing).y, -0.3);
        let needle = Sprite::turned(center, Vec2::new(0.12, 0.6), swing);
        self.glass.draw(&mut self.driver, &self.needle, &[needle])?;
        self.frame += 1;
        let bounds = Area { x: 8, y: 8, width: 9 * 8, height: 15 };
        display.present(&mut self.driver, &mut Overlay { panel, bounds, draw: text })
    }
}

/// Draws the text into a tile: the glyphs that reach into it.
fn text(area: Area, format: Format, pixels: &mut [u8], stride_bytes: usize) {
    let (all, glyph) = ("1250 rpm", |x: u32| (x.saturating_sub(8) / 9) as usize);
    let (first, last) = (glyph(area.x), glyph(area.x + area.width - 1));
    let Some(glyphs) = all.get(first..all.len().min(last + 1)) else { return };
    let style = MonoTextStyle::new(&FONT_9X15_BOLD, Rgb565::WHITE);
    let at = Point::new(8 + 9 * first as i32, 8);
    let text = Text::with_baseline(glyphs, at, style, Baseline::Top);
    graphics::draw(&text, area, format, pixels, stride_bytes);
}
