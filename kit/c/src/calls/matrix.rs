//! Cameras, and maps of places.

use gallium::glam::{self, Quat, Vec2};
use gallium::kit;

use crate::data::{Fog, Mat4, Vec3, View};

/// Returns the map that changes nothing.
#[unsafe(no_mangle)]
pub extern "C" fn gallium_identity() -> Mat4 {
    glam::Mat4::IDENTITY.into()
}

/// Returns the map `a` after the map `b`.
#[unsafe(no_mangle)]
pub extern "C" fn gallium_multiply(a: Mat4, b: Mat4) -> Mat4 {
    glam::Mat4::from(a).mul_mat4(&b.into()).into()
}

/// Returns the map that moves places.
#[unsafe(no_mangle)]
pub extern "C" fn gallium_translation(by: Vec3) -> Mat4 {
    glam::Mat4::from_translation(by.into()).into()
}

/// Returns the map that scales places. Lights need the same factor in all axes.
#[unsafe(no_mangle)]
pub extern "C" fn gallium_scaling(by: Vec3) -> Mat4 {
    glam::Mat4::from_scale(by.into()).into()
}

/// Returns the rotation about the axis x, counter-clockwise, in radians.
#[unsafe(no_mangle)]
pub extern "C" fn gallium_rotation_x(angle: f32) -> Mat4 {
    glam::Mat4::from_rotation_x(angle).into()
}

/// Returns the rotation about the axis y, counter-clockwise, in radians.
#[unsafe(no_mangle)]
pub extern "C" fn gallium_rotation_y(angle: f32) -> Mat4 {
    glam::Mat4::from_rotation_y(angle).into()
}

/// Returns the rotation about the axis z, counter-clockwise, in radians.
#[unsafe(no_mangle)]
pub extern "C" fn gallium_rotation_z(angle: f32) -> Mat4 {
    glam::Mat4::from_rotation_z(angle).into()
}

/// Returns the rotation about an axis of any length but 0, counter-clockwise, in radians.
#[unsafe(no_mangle)]
pub extern "C" fn gallium_rotation(axis: Vec3, angle: f32) -> Mat4 {
    let axis = glam::Vec3::from(axis).normalize_or_zero();
    glam::Mat4::from_quat(Quat::from_axis_angle(axis, angle)).into()
}

/// Returns the view of a camera at `eye` that looks at `center`, with y upwards. The two differ in
/// x or z.
#[unsafe(no_mangle)]
pub extern "C" fn gallium_look_at(eye: Vec3, center: Vec3) -> Mat4 {
    let camera = kit::Camera::look_at(glam::Mat4::IDENTITY, eye.into(), center.into());
    camera.clip_from_world.into()
}

/// Returns a perspective projection: the vertical field of view in radians, width over height, and
/// the distances of the near and the far plane, both greater than 0.
#[unsafe(no_mangle)]
pub extern "C" fn gallium_perspective(fov_y: f32, aspect: f32, near: f32, far: f32) -> Mat4 {
    kit::perspective(fov_y, aspect, near, far).into()
}

/// Returns a perspective projection without trigonometry: half the width and half the height of the
/// near plane, and the distances of the near and the far plane.
#[unsafe(no_mangle)]
pub extern "C" fn gallium_frustum(half_width: f32, half_height: f32, near: f32, far: f32) -> Mat4 {
    kit::frustum(Vec2::new(half_width, half_height), near, far).into()
}

/// Returns a parallel projection: half the width and half the height of the view, and the distances
/// of the near and the far plane.
#[unsafe(no_mangle)]
pub extern "C" fn gallium_orthographic(
    half_width: f32,
    half_height: f32,
    near: f32,
    far: f32,
) -> Mat4 {
    kit::orthographic(Vec2::new(half_width, half_height), near, far).into()
}

/// Returns the view of a camera, a projection times a view, with a sun above the viewer's right
/// shoulder, no lamp and no fog.
#[unsafe(no_mangle)]
pub extern "C" fn gallium_view_of(clip_from_world: Mat4) -> View {
    kit::View::from(kit::Camera { clip_from_world: clip_from_world.into() }).into()
}

/// Returns fog that begins at the distance `near` and hides everything from `far` on.
#[unsafe(no_mangle)]
pub extern "C" fn gallium_fog_between(color: Vec3, near: f32, far: f32) -> Fog {
    kit::Fog::between(color.into(), near, far).into()
}
