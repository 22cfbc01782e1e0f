//! State too small or too variable for objects (manual, chapter Context, "Non-CSO State").

use crate::key::state_object;
use crate::limits::{MAX_CLIP_PLANES, MAX_WINDOW_RECTANGLES};
use crate::state::viewport::ScissorState;

/// The constant colour of blending. `pipe_blend_color`.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct BlendColor {
    /// Red, green, blue and alpha; not clamped.
    pub color: [f32; 4],
}

state_object!(BlendColor { color });

/// The reference values of the stencil test. `pipe_stencil_ref`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct StencilRef {
    /// The reference of front faces, and the reference of back faces with a separate stencil state.
    pub ref_value: [u8; 2],
}

state_object!(StencilRef { ref_value });

impl StencilRef {
    /// Returns the reference for a face. `two_sided` is true if back faces have a separate stencil
    /// state.
    pub const fn of(&self, front: bool, two_sided: bool) -> u8 {
        let [front_value, back_value] = self.ref_value;
        if !front && two_sided { back_value } else { front_value }
    }
}

/// The user clip planes. `pipe_clip_state`.
///
/// Plane k keeps a vertex if the dot product of its clip vertex (or position, if the shader writes
/// none) and `ucp[k]` is at least 0. [`RasterizerState::clip_plane_enable`](crate::RasterizerState)
/// selects the planes.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct ClipState {
    /// Coefficients (x, y, z, w) of each plane, in the space of the clip vertex.
    pub ucp: [[f32; 4]; MAX_CLIP_PLANES],
}

state_object!(ClipState { ucp });

/// The polygon stipple. `pipe_poly_stipple`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PolyStipple {
    /// One word per row, with the leftmost pixel in the highest bit; repeats every 32 pixels in x
    /// and y.
    pub stipple: [u32; 32],
}

impl Default for PolyStipple {
    /// All bits set: every pixel is drawn.
    fn default() -> Self {
        Self { stipple: [!0; 32] }
    }
}

state_object!(PolyStipple { stipple });

impl PolyStipple {
    /// Returns true if the polygon's pixel at window position (`x`, `y`) is drawn.
    #[expect(clippy::indexing_slicing, reason = "the mask keeps the row below 32")]
    pub const fn draws(&self, x: u32, y: u32) -> bool {
        self.stipple[(y & 31) as usize] << (x & 31) >> 31 != 0
    }
}

/// Tessellation levels for draws without a tessellation control shader.
/// `pipe_context::set_tess_state`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct TessState {
    /// Outer levels, one per edge of the patch.
    pub default_outer_level: [f32; 4],
    /// Inner levels, one per direction of the patch.
    pub default_inner_level: [f32; 2],
}

impl Default for TessState {
    /// All levels 1: a patch is not divided.
    fn default() -> Self {
        Self { default_outer_level: [1.0; 4], default_inner_level: [1.0; 2] }
    }
}

state_object!(TessState { default_outer_level, default_inner_level });

/// Window rectangles (`GL_EXT_window_rectangles`), a test of fragments by pixel position. By
/// default every fragment passes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct WindowRectangles {
    /// Keeps fragments inside of any rectangle; otherwise keeps fragments outside of all
    /// rectangles.
    pub include: bool,
    /// Number of valid `rectangles`.
    pub count: u8,
    /// The rectangles, in pixels.
    pub rectangles: [ScissorState; MAX_WINDOW_RECTANGLES],
}

state_object!(WindowRectangles { include, count, rectangles });

impl WindowRectangles {
    /// Returns a test by these rectangles; `None` if there are more than `MAX_WINDOW_RECTANGLES`.
    pub fn new(include: bool, rectangles: &[ScissorState]) -> Option<Self> {
        let mut state = Self { include, ..Self::default() };
        state.rectangles.get_mut(..rectangles.len())?.copy_from_slice(rectangles);
        state.count = rectangles.len() as u8;
        Some(state)
    }

    /// Returns the valid rectangles; all of them if `count` exceeds their number.
    pub fn as_slice(&self) -> &[ScissorState] {
        self.rectangles.get(..usize::from(self.count)).unwrap_or(&self.rectangles)
    }

    /// Returns true if a fragment at pixel (`x`, `y`) is kept.
    pub fn keeps(&self, x: u32, y: u32) -> bool {
        self.as_slice().iter().any(|rectangle| rectangle.contains(x, y)) == self.include
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stipple_bits_run_left_to_right() {
        let mut stipple = PolyStipple { stipple: [0; 32] };
        stipple.stipple[1] = 0x8000_0001;
        assert!(stipple.draws(0, 1) && stipple.draws(31, 1) && stipple.draws(32, 33));
        assert!(!stipple.draws(1, 1) && !stipple.draws(0, 0));
        assert!(PolyStipple::default().draws(17, 5));
    }

    #[test]
    fn stencil_references_by_face() {
        let reference = StencilRef { ref_value: [1, 2] };
        assert_eq!([reference.of(true, true), reference.of(false, true)], [1, 2]);
        assert_eq!(reference.of(false, false), 1);
    }

    #[test]
    fn window_rectangles_include_or_exclude() {
        assert!(WindowRectangles::default().keeps(5, 5));
        let rectangle = ScissorState { minx: 0, miny: 0, maxx: 4, maxy: 4 };
        let exclude = WindowRectangles::new(false, &[rectangle]).expect("one fits");
        assert!(!exclude.keeps(3, 3) && exclude.keeps(4, 3));
        let include = WindowRectangles::new(true, &[rectangle]).expect("one fits");
        assert!(include.keeps(3, 3) && !include.keeps(4, 3));
        assert_eq!(WindowRectangles::new(true, &[rectangle; 9]), None);
    }
}
