//! Cameras and transforms, over glam.

use glam::camera::rh::{proj::opengl, view};
use glam::{Mat4, Quat, Vec2, Vec3};

/// The map from the world to clip space: a projection after a view.
///
/// Spaces are right-handed with y up, and the camera looks along -z, as in OpenGL. A second camera
/// is a second value.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Camera {
    /// From the world to clip space, -w to w in all axes.
    pub clip_from_world: Mat4,
}

impl Camera {
    /// The camera without any map: the world is clip space, -1 to 1 in all axes.
    pub const CLIP_SPACE: Camera = Camera { clip_from_world: Mat4::IDENTITY };

    /// Returns the camera of a projection after a view.
    pub fn new(projection: Mat4, view: Mat4) -> Self {
        Camera { clip_from_world: projection * view }
    }

    /// Returns a camera at `eye` that looks at `center`, with `Vec3::Y` upwards. `eye` and `center`
    /// differ in x or z.
    pub fn look_at(projection: Mat4, eye: Vec3, center: Vec3) -> Self {
        Self::new(projection, view::look_at_mat4(eye, center, Vec3::Y))
    }

    /// Returns the camera of a picture of `width`×`height` pixels in 2D: x right and y down, in
    /// pixels from the upper left corner. z from -1 to 1 is depth; greater is nearer.
    pub fn pixels(width: f32, height: f32) -> Self {
        Camera { clip_from_world: opengl::orthographic(0.0, width, height, 0.0, -1.0, 1.0) }
    }

    /// Returns the columns of the map from a model to clip space.
    pub(crate) fn clip_from_model(&self, model: &Mat4) -> Mat4 {
        self.clip_from_world * *model
    }
}

/// Returns a perspective projection: the vertical field of view in radians, width over height, and
/// the distances of the near and the far plane, both greater than 0.
///
/// Place the near plane as far away as the scene allows: 16 bits of depth are most precise there.
pub fn perspective(fov_y: f32, aspect: f32, near: f32, far: f32) -> Mat4 {
    opengl::perspective(fov_y, aspect, near, far)
}

/// Returns a perspective projection without trigonometry: half the width and half the height of the
/// near plane, and the distances of the near and the far plane.
pub fn frustum(half: Vec2, near: f32, far: f32) -> Mat4 {
    opengl::frustum(-half.x, half.x, -half.y, half.y, near, far)
}

/// Returns a parallel projection: half the width and half the height of the view, and the distances
/// of the near and the far plane.
pub fn orthographic(half: Vec2, near: f32, far: f32) -> Mat4 {
    opengl::orthographic(-half.x, half.x, -half.y, half.y, near, far)
}

/// The place of a model in the world: scaled, then turned, then moved.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Transform {
    /// The place of the model's origin.
    pub position: Vec3,
    /// The rotation.
    pub rotation: Quat,
    /// The factor of all sides. Lights need the same factor in all axes.
    pub scale: f32,
}

impl Transform {
    /// The model as it is.
    pub const IDENTITY: Transform =
        Transform { position: Vec3::ZERO, rotation: Quat::IDENTITY, scale: 1.0 };

    /// Returns the map from the model to the world.
    pub fn matrix(&self) -> Mat4 {
        let scale = Vec3::splat(self.scale);
        Mat4::from_scale_rotation_translation(scale, self.rotation, self.position)
    }
}

impl Default for Transform {
    fn default() -> Self {
        Self::IDENTITY
    }
}
