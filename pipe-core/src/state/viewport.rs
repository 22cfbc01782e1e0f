//! From clip space to the window, and where the window ends.

use crate::key::state_object;
use crate::numbered::numbered;

numbered! {
    /// A coordinate that a viewport swizzle selects (`GL_NV_viewport_swizzle`).
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

/// `pipe_viewport_state`: window = ndc · scale + translate.
///
/// Window y points down: row 0 of a surface is y = 0. A negative `scale[1]` makes +1 the top.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ViewportState {
    /// Half the width, half the height (in pixels), and the depth range's scale.
    pub scale: [f32; 3],
    /// The centre (in pixels), and the depth range's offset.
    pub translate: [f32; 3],
    /// What x, y, z and w are replaced with before clipping.
    pub swizzle: [ViewportSwizzle; 4],
}

impl Default for ViewportState {
    /// Normalized device coordinates are window coordinates.
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
    /// The whole of `width`×`height` pixels, ndc +1 on top, ndc z -1…1 to depth 0…1: what
    /// OpenGL's default viewport does on a window.
    pub fn y_up(width: u32, height: u32) -> Self {
        let mut viewport = Self::y_down(width, height);
        viewport.scale[1] = -viewport.scale[1];
        viewport
    }

    /// The whole of `width`×`height` pixels, ndc -1 on top, ndc z -1…1 to depth 0…1: what
    /// OpenGL does on a framebuffer object.
    pub fn y_down(width: u32, height: u32) -> Self {
        let (x, y) = (width as f32 * 0.5, height as f32 * 0.5);
        Self { scale: [x, y, 0.5], translate: [x, y, 0.5], ..Self::default() }
    }

    /// Maps clip z 0…w (`clip_halfz`) to depth 0…1, instead of -w…w.
    #[must_use]
    pub fn half_z(mut self) -> Self {
        self.scale[2] = 1.0;
        self.translate[2] = 0.0;
        self
    }
}

/// `pipe_scissor_state`, in pixels. Also a window rectangle.
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
    /// Everything is inside.
    fn default() -> Self {
        Self { minx: 0, miny: 0, maxx: u16::MAX, maxy: u16::MAX }
    }
}

state_object!(ScissorState { minx, miny, maxx, maxy });

impl ScissorState {
    /// Whether the pixel (`x`, `y`) is inside.
    pub fn contains(&self, x: u32, y: u32) -> bool {
        (u32::from(self.minx)..u32::from(self.maxx)).contains(&x)
            && (u32::from(self.miny)..u32::from(self.maxy)).contains(&y)
    }

    /// Whether nothing is inside.
    pub const fn is_empty(&self) -> bool {
        self.minx >= self.maxx || self.miny >= self.maxy
    }

    /// What is inside both.
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
