//! Backdrops: colours behind everything.

use glam::Mat4;
use pipe_core::{Format, PipeError};

use crate::camera::Camera;
use crate::device::Device;
use crate::material::Material;
use crate::mesh::{Layout, Mesh, MeshData};
use crate::pipeline::Surface;

/// A corner of a backdrop: x and y in clip space, red, green, blue.
pub type BackdropCorner = [f32; 5];

/// Two triangles over the lower left, lower right and upper left corner, and over the rest.
static INDICES: [u16; 6] = [0, 1, 2, 2, 1, 3];

/// A background that interpolates the colours of its four corners, for instance a sky.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Backdrop<'m> {
    /// The corners.
    pub mesh: Mesh<'m>,
    /// Shows their colours, without blending and depth.
    pub material: Material,
}

impl<'m> Backdrop<'m> {
    /// Returns the corners of a background over the whole picture: one colour below, one above.
    ///
    /// ```
    /// use gallium_kit::{Backdrop, BackdropCorner};
    /// static SKY: [BackdropCorner; 4] = Backdrop::gradient([0.75, 0.55, 0.4], [0.1, 0.1, 0.3]);
    /// assert_eq!(SKY[3], [1.0, 1.0, 0.1, 0.1, 0.3]);
    /// ```
    pub const fn gradient(
        [r, g, b]: [f32; 3],
        [upper_r, upper_g, upper_b]: [f32; 3],
    ) -> [BackdropCorner; 4] {
        [
            [-1.0, -1.0, r, g, b],
            [1.0, -1.0, r, g, b],
            [-1.0, 1.0, upper_r, upper_g, upper_b],
            [1.0, 1.0, upper_r, upper_g, upper_b],
        ]
    }

    /// Creates a background of these corners: lower left, lower right, upper left, upper right.
    ///
    /// # Errors
    /// See [`Mesh::new`] and [`Pipeline::new`](crate::Pipeline::new).
    pub fn new(
        device: &mut impl Device<'m>,
        corners: &'m [BackdropCorner; 4],
    ) -> Result<Self, PipeError> {
        let layout = Layout::positions(20, Format::R32G32Float).color(8, Format::R32G32B32Float);
        let mesh = Mesh::new(device, &MeshData::of(corners, layout, &INDICES))?;
        let material = Material::backdrop(device, &layout, &Surface::flat())?;
        Ok(Backdrop { mesh, material })
    }

    /// Draws the background. Draw it first.
    ///
    /// # Errors
    /// The errors of the driver's calls.
    pub fn draw(&self, device: &mut impl Device<'m>) -> Result<(), PipeError> {
        // The material reads neither view nor model.
        self.material.draw(device, &self.mesh, &Camera::CLIP_SPACE.into(), &Mat4::IDENTITY)
    }
}
