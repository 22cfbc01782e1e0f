//! What is drawn: programs that others published, each with the pictures that judge it.

mod egui;
mod glyphon;
mod profiler;
pub mod programs;
mod vello;
pub mod window;

use anyhow::Result;
use image::RgbaImage;

use crate::adapter::Door;
use crate::compare::Bounds;

/// Draws a picture with a device behind the door.
pub type Draw = Box<dyn Fn(Door) -> Result<RgbaImage>>;

/// Draws a picture without wgpu.
pub type Reference = Box<dyn Fn() -> Result<RgbaImage>>;

/// One picture.
pub struct Case {
    /// The family and the name, separated by a slash: the picture's file.
    pub name: String,
    pub draw: Draw,
    /// How far the picture may be from lavapipe's.
    pub bounds: Bounds,
    /// A picture that is drawn without wgpu, and how far the picture may be from it. Lavapipe's picture is then
    /// needed only for a thorough run.
    pub reference: Option<(Reference, Bounds)>,
}

/// Returns the cases with `filter` in their name.
pub fn all(filter: &str) -> Vec<Case> {
    let families = [
        egui::cases(),
        glyphon::cases(),
        profiler::cases(),
        programs::cases(),
        vello::cases(),
        window::cases(),
    ];
    families.into_iter().flatten().filter(|case| case.name.contains(filter)).collect()
}
