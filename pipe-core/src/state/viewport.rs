//! The viewport transform and the scissor.

use crate::key::state_object;
use crate::numbered::numbered;

numbered! {
    /// The coordinate that a viewport swizzle selects (`GL_NV_viewport_swizzle`).
    /// `PIPE_VIEWPORT_SWIZZLE_*`.
    #[derive(Default)]
    pub enum ViewportSwizzle {
        /// x.
        #[default]
        PositiveX = 0,
        /// -x.
        NegativeX = 1,
        /// y.
        PositiveY = 2,
        /// -y.
        NegativeY = 3,
        /// z.
        PositiveZ = 4,
        /// -z.
        NegativeZ = 5,
        /// w.
        PositiveW = 6,
        /// -w.
        NegativeW = 7,
    }
}

/// The map from normalized device coordinates (NDC) to the window: window = ndc · scale +
/// translate. `pipe_viewport_state`.
///
/// Window y points down: row 0 of a surface is y = 0. With a negative `scale[1]`, NDC y = +1 is at
/// the top.
///
/// ```
/// use gallium_pipe_core::ViewportState;
///
/// let viewport = ViewportState::y_up(320, 240);
/// let window = |ndc: [f32; 3]| {
///     [0, 1, 2].map(|i| ndc[i] * viewport.scale[i] + viewport.translate[i])
/// };
/// assert_eq!(window([-1.0, 1.0, -1.0]), [0.0, 0.0, 0.0], "upper left, near plane");
/// assert_eq!(window([1.0, -1.0, 1.0]), [320.0, 240.0, 1.0], "lower right, far plane");
/// ```
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ViewportState {
    /// Half the width and half the height, in pixels, and the scale from NDC z to depth.
    pub scale: [f32; 3],
    /// The centre, in pixels, and the offset of depth.
    pub translate: [f32; 3],
    /// The coordinates that replace x, y, z and w before clipping; needs the cap `ViewportSwizzle`.
    pub swizzle: [ViewportSwizzle; 4],
}

impl Default for ViewportState {
    /// Returns the identity: window coordinates are normalized device coordinates.
    fn default() -> Self {
        use ViewportSwizzle::*;
        Self {
            scale: [1.0; 3],
            translate: [0.0; 3],
            swizzle: [PositiveX, PositiveY, PositiveZ, PositiveW],
        }
    }
}

state_object!(ViewportState { scale, translate, swizzle });

impl ViewportState {
    /// Returns the viewport of all `width`×`height` pixels with NDC y = +1 at the top and NDC z
    /// -1…1 mapped to depth 0…1: OpenGL's initial viewport of a window.
    pub fn y_up(width: u32, height: u32) -> Self {
        let mut viewport = Self::y_down(width, height);
        viewport.scale[1] = -viewport.scale[1];
        viewport
    }

    /// Returns the viewport of all `width`×`height` pixels with NDC y = -1 at the top and NDC z
    /// -1…1 mapped to depth 0…1: OpenGL's viewport of a framebuffer object.
    pub fn y_down(width: u32, height: u32) -> Self {
        let (x, y) = (width as f32 * 0.5, height as f32 * 0.5);
        Self { scale: [x, y, 0.5], translate: [x, y, 0.5], ..Self::default() }
    }

    /// Changes the depth map to NDC z 0…1 at depth 0…1, for use with `clip_halfz`.
    #[must_use]
    pub fn half_z(mut self) -> Self {
        self.scale[2] = 1.0;
        self.translate[2] = 0.0;
        self
    }
}

/// A rectangle of pixels with exclusive ends: the scissor, or a window rectangle.
/// `pipe_scissor_state`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ScissorState {
    /// First column inside.
    pub minx: u16,
    /// First row inside.
    pub miny: u16,
    /// First column outside.
    pub maxx: u16,
    /// First row outside.
    pub maxy: u16,
}

impl Default for ScissorState {
    /// Returns the rectangle that contains every pixel.
    fn default() -> Self {
        Self { minx: 0, miny: 0, maxx: u16::MAX, maxy: u16::MAX }
    }
}

state_object!(ScissorState { minx, miny, maxx, maxy });

impl ScissorState {
    /// Returns true if pixel (`x`, `y`) lies within.
    pub fn contains(&self, x: u32, y: u32) -> bool {
        (u32::from(self.minx)..u32::from(self.maxx)).contains(&x)
            && (u32::from(self.miny)..u32::from(self.maxy)).contains(&y)
    }

    /// Returns true if the rectangle contains no pixel.
    pub const fn is_empty(&self) -> bool {
        self.minx >= self.maxx || self.miny >= self.maxy
    }

    /// Returns the intersection of both rectangles; empty if they do not meet.
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Self {
        Self {
            minx: self.minx.max(other.minx),
            miny: self.miny.max(other.miny),
            maxx: self.maxx.min(other.maxx),
            maxy: self.maxy.min(other.maxy),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn viewports_map_corners() {
        let map = |viewport: ViewportState, ndc: [f32; 3]| {
            [0, 1, 2].map(|i| ndc[i] * viewport.scale[i] + viewport.translate[i])
        };
        let up = ViewportState::y_up(320, 240);
        assert_eq!(map(up, [-1.0, 1.0, -1.0]), [0.0, 0.0, 0.0]);
        assert_eq!(map(up, [1.0, -1.0, 1.0]), [320.0, 240.0, 1.0]);
        let down = ViewportState::y_down(320, 240).half_z();
        assert_eq!(map(down, [-1.0, -1.0, 0.0]), [0.0, 0.0, 0.0]);
        assert_eq!(map(down, [1.0, 1.0, 1.0]), [320.0, 240.0, 1.0]);
    }

    #[test]
    fn scissors_exclude_their_ends() {
        let scissor = ScissorState { minx: 2, miny: 3, maxx: 5, maxy: 4 };
        assert!(scissor.contains(2, 3) && scissor.contains(4, 3));
        assert!(!scissor.contains(5, 3) && !scissor.contains(2, 4) && !scissor.contains(1, 3));
        assert!(!scissor.is_empty() && ScissorState { maxx: 2, ..scissor }.is_empty());
        assert!(ScissorState::default().contains(65534, 65534));
        let other = ScissorState { minx: 4, ..ScissorState::default() };
        assert_eq!(scissor.intersection(&other), ScissorState { minx: 4, ..scissor });
    }
}
