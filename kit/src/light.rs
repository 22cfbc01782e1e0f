//! Lights and fog.

use glam::{Mat4, Vec3, Vec4};

/// The light of a scene: a sun (a directional light), a lamp (a point light), and the light in the
/// shade.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Light {
    /// The direction to the sun, with the sun's brightness as length, usually 1.
    pub sun: Vec3,
    /// The least brightness of a face in the sun's light, 0 to 1: that of faces turned away.
    pub ambient: f32,
    /// The lamp, which [`Material::lamplit`](crate::Material::lamplit) shows.
    pub lamp: Lamp,
}

impl Default for Light {
    /// Returns a sun above the viewer's right shoulder, and no lamp.
    fn default() -> Self {
        // 1/3, 2/3, 2/3 is a unit vector.
        let sun = Vec3::new(1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0);
        Light { sun, ambient: 0.2, lamp: Lamp::OFF }
    }
}

/// A point light.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Lamp {
    /// The place in the world.
    pub position: Vec3,
    /// The colour: red, green, blue. 1 lights a white face at full brightness at distance 0.
    pub color: Vec3,
    /// The distance at which the light ends. It falls with the square of the distance over this.
    pub reach: f32,
}

impl Lamp {
    /// A lamp without light.
    pub const OFF: Lamp = Lamp { position: Vec3::ZERO, color: Vec3::ZERO, reach: 1.0 };
}

/// Fog: colours change to the fog's colour with the distance along the view, which is w.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Fog {
    /// The colour: red, green, blue.
    pub color: Vec3,
    /// The share of a thing's own colour is `scale` · w + `offset`, from 0 to 1.
    pub scale: f32,
    /// See [`scale`](Self::scale).
    pub offset: f32,
}

impl Fog {
    /// No fog.
    pub const NONE: Fog = Fog { color: Vec3::ZERO, scale: 0.0, offset: 1.0 };

    /// Returns fog that begins at the distance `near` and hides everything from `far` on.
    pub fn between(color: Vec3, near: f32, far: f32) -> Self {
        let scale = -1.0 / (far - near);
        Fog { color, scale, offset: -far * scale }
    }
}

impl Default for Fog {
    fn default() -> Self {
        Self::NONE
    }
}

/// The part of a model's map that lights need: its axes, its origin and its scale.
pub(crate) struct Axes {
    axes: [Vec3; 3],
    origin: Vec3,
    /// The factor of all sides; 1 if it is 1 within a thousandth, because rotations are not exact.
    scale: f32,
}

impl Axes {
    pub(crate) fn of(model: &Mat4) -> Self {
        let axes = [model.x_axis, model.y_axis, model.z_axis].map(Vec4::truncate);
        let squared = axes[0].length_squared();
        let is_one = (squared - 1.0).abs() < 2e-3 || squared == 0.0;
        let scale = if is_one { 1.0 } else { axes[0].length() };
        Axes { axes, origin: model.w_axis.truncate(), scale }
    }

    /// Returns a direction of the world in model space, with the same length.
    pub(crate) fn direction(&self, world: Vec3) -> Vec3 {
        let direction = self.turned(world);
        if self.scale == 1.0 { direction } else { direction / self.scale }
    }

    /// Returns a place of the world in model space.
    pub(crate) fn place(&self, world: Vec3) -> Vec3 {
        self.turned(world - self.origin) / (self.scale * self.scale)
    }

    /// Returns 1 over the square of a distance of the world, for distances in model space.
    pub(crate) fn per_square(&self, distance: f32) -> f32 {
        self.scale * self.scale / (distance * distance).max(f32::MIN_POSITIVE)
    }

    fn turned(&self, world: Vec3) -> Vec3 {
        let [x, y, z] = self.axes.map(|axis| axis.dot(world));
        Vec3::new(x, y, z)
    }
}
