//! What a scene is drawn on: vello's scene, or vello_cpu's context.

use anyhow::{Context as _, Result};
use image::RgbaImage;
use vello::kurbo::{Affine, BezPath, Rect, Shape as _, Stroke};
use vello::peniko::{BlendMode, Brush, Color, Fill, FontData};
use vello::{Glyph, Scene};
use vello_cpu::{ImageSource, Pixmap, RasterizerSettings, RenderContext, RenderMode, Resources};

use super::scenes::BACKGROUND;

/// The calls that both renderers have.
pub trait Canvas {
    /// Fills a path.
    fn fill(&mut self, rule: Fill, place: Affine, brush: &Brush, path: &BezPath);
    /// Strokes a path.
    fn stroke(&mut self, style: &Stroke, place: Affine, brush: &Brush, path: &BezPath);
    /// Begins a layer that is clipped by a path, and blended when it ends.
    fn push(&mut self, blend: BlendMode, alpha: f32, place: Affine, clip: &BezPath);
    /// Ends the last layer.
    fn pop(&mut self);
    /// Fills a rounded rectangle with soft edges.
    fn blurred(&mut self, place: Affine, rect: Rect, colour: Color, radius: f64, deviation: f64);
    /// Fills glyphs.
    fn glyphs(
        &mut self,
        font: &FontData,
        size: f32,
        place: Affine,
        colour: Color,
        glyphs: &[Glyph],
    );
}

impl Canvas for Scene {
    fn fill(&mut self, rule: Fill, place: Affine, brush: &Brush, path: &BezPath) {
        Scene::fill(self, rule, place, brush, None, path);
    }

    fn stroke(&mut self, style: &Stroke, place: Affine, brush: &Brush, path: &BezPath) {
        Scene::stroke(self, style, place, brush, None, path);
    }

    fn push(&mut self, blend: BlendMode, alpha: f32, place: Affine, clip: &BezPath) {
        self.push_layer(Fill::NonZero, blend, alpha, place, clip);
    }

    fn pop(&mut self) {
        self.pop_layer();
    }

    fn blurred(&mut self, place: Affine, rect: Rect, colour: Color, radius: f64, deviation: f64) {
        self.draw_blurred_rounded_rect(place, rect, colour, radius, deviation);
    }

    fn glyphs(
        &mut self,
        font: &FontData,
        size: f32,
        place: Affine,
        colour: Color,
        glyphs: &[Glyph],
    ) {
        let run = self.draw_glyphs(font).font_size(size).transform(place).brush(colour);
        run.draw(Fill::NonZero, glyphs.iter().copied());
    }
}

/// A context of vello_cpu, and what it keeps between frames.
struct Cpu {
    context: RenderContext,
    resources: Resources,
}

impl Cpu {
    fn paint(&mut self, place: Affine, brush: &Brush) {
        self.context.set_transform(place);
        match brush {
            Brush::Solid(colour) => self.context.set_paint(*colour),
            Brush::Gradient(gradient) => self.context.set_paint(gradient.clone()),
            Brush::Image(image) => self.context.set_paint(vello_cpu::Image {
                image: ImageSource::from_peniko_image_data(&image.image),
                sampler: image.sampler,
            }),
        }
    }
}

impl Canvas for Cpu {
    fn fill(&mut self, rule: Fill, place: Affine, brush: &Brush, path: &BezPath) {
        self.paint(place, brush);
        self.context.set_fill_rule(rule);
        self.context.fill_path(path);
    }

    fn stroke(&mut self, style: &Stroke, place: Affine, brush: &Brush, path: &BezPath) {
        self.paint(place, brush);
        self.context.set_stroke(style.clone());
        self.context.stroke_path(path);
    }

    fn push(&mut self, blend: BlendMode, alpha: f32, place: Affine, clip: &BezPath) {
        self.context.set_transform(place);
        self.context.set_fill_rule(Fill::NonZero);
        self.context.push_layer(Some(clip), Some(blend), Some(alpha), None, None);
    }

    fn pop(&mut self) {
        self.context.pop_layer();
    }

    fn blurred(&mut self, place: Affine, rect: Rect, colour: Color, radius: f64, deviation: f64) {
        self.paint(place, &Brush::Solid(colour));
        self.context.fill_blurred_rounded_rect(&rect, radius as f32, deviation as f32, false);
    }

    fn glyphs(
        &mut self,
        font: &FontData,
        size: f32,
        place: Affine,
        colour: Color,
        glyphs: &[Glyph],
    ) {
        self.paint(place, &Brush::Solid(colour));
        let glyphs =
            glyphs.iter().map(|glyph| vello_cpu::Glyph { id: glyph.id, x: glyph.x, y: glyph.y });
        let run = self.context.glyph_run(&mut self.resources, font).font_size(size).hint(false);
        if let Err(error) = run.fill_glyphs(glyphs) {
            panic!("vello_cpu draws no glyphs: {error:?}");
        }
    }
}

/// Draws a scene with vello_cpu, with floats as vello.
pub fn on_cpu(size: u32, draw: fn(&mut dyn Canvas)) -> Result<RgbaImage> {
    let side = u16::try_from(size)?;
    let mut cpu = Cpu { context: RenderContext::new(side, side), resources: Resources::new() };
    let all = Rect::new(0.0, 0.0, f64::from(size), f64::from(size)).to_path(0.1);
    Canvas::fill(&mut cpu, Fill::NonZero, Affine::IDENTITY, &Brush::Solid(BACKGROUND), &all);
    draw(&mut cpu);
    cpu.context.flush();
    let mut pixels = Pixmap::new(side, side);
    let settings =
        RasterizerSettings { render_mode: RenderMode::OptimizeQuality, ..Default::default() };
    cpu.context.render_with(&mut pixels, &mut cpu.resources, settings);
    RgbaImage::from_raw(size, size, pixels.data_as_u8_slice().to_vec())
        .context("a picture of another size")
}
