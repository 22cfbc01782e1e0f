//! Rasterization of points, lines and polygons (manual, chapter CSO, "Rasterizer").

use crate::key::state_object;
use crate::numbered::numbered;

numbered! {
    /// Faces of polygons, one bit per face. `PIPE_FACE_*`.
    #[derive(Default)]
    pub enum Face {
        /// Neither.
        #[default]
        None = 0,
        /// Front faces.
        Front = 1,
        /// Back faces.
        Back = 2,
        /// Both.
        FrontAndBack = 3,
    }

    /// The part of a polygon that is drawn. `PIPE_POLYGON_MODE_*`.
    #[derive(Default)]
    pub enum PolygonMode {
        /// Its area.
        #[default]
        Fill = 0,
        /// Its edges.
        Line = 1,
        /// Its vertices.
        Point = 2,
        /// Its bounding rectangle; needs the cap `PolygonModeFillRectangle`.
        FillRectangle = 3,
    }

    /// The corner of a point sprite with texture coordinate (0, 0). `PIPE_SPRITE_COORD_*`.
    #[derive(Default)]
    pub enum SpriteCoordMode {
        /// The upper left one: t grows downwards.
        #[default]
        UpperLeft = 0,
        /// The lower left one: t grows upwards.
        LowerLeft = 1,
    }

    /// Conservative rasterization: a primitive generates a fragment for every pixel that it
    /// touches. `PIPE_CONSERVATIVE_RASTER_*`.
    #[derive(Default)]
    pub enum ConservativeRasterMode {
        /// Off.
        #[default]
        Off = 0,
        /// Tests positions after they are snapped to the subpixel grid; degenerate primitives make
        /// no fragments.
        PostSnap = 1,
        /// Tests positions before they are snapped.
        PreSnap = 2,
    }
}

impl Face {
    /// Returns true if front faces (`front`) or back faces belong to these faces.
    pub const fn includes(self, front: bool) -> bool {
        self as u8 & (if front { Face::Front as u8 } else { Face::Back as u8 }) != 0
    }
}

/// State of primitive setup. `pipe_rasterizer_state`.
///
/// The default is OpenGL's initial state: filled polygons, nothing culled, counter-clockwise faces
/// in front, pixel centres at halves, clipping at near and far plane, lines and points of size 1.
///
/// ```
/// use gallium_pipe_core::{Face, RasterizerState};
///
/// let state = RasterizerState { cull_face: Face::Back, ..RasterizerState::default() };
/// assert!(state.cull_face.includes(false) && !state.cull_face.includes(true));
/// assert!(state.front_ccw && state.half_pixel_center);
/// ```
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct RasterizerState {
    /// Gives the colours of the provoking vertex to the whole primitive, instead of interpolating
    /// them.
    pub flatshade: bool,
    /// Makes the first vertex of a primitive the provoking one; otherwise the last. Exceptions:
    /// polygons (always the first), triangle fans (the second where set), quads (always the last,
    /// unless the cap `QuadsFollowProvokingVertexConvention` is 1).
    pub flatshade_first: bool,
    /// Gives back faces their colours from the `BCOLOR` outputs.
    pub light_twoside: bool,
    /// Clamps `COLOR` outputs of the vertex shader to 0…1.
    pub clamp_vertex_color: bool,
    /// Clamps `COLOR` outputs of the fragment shader to 0…1; needs the cap `FragmentColorClamped`.
    pub clamp_fragment_color: bool,
    /// Makes counter-clockwise faces the front, as seen in the window with row 0 on top; otherwise
    /// clockwise faces are the front.
    pub front_ccw: bool,
    /// Faces that are dropped; lines and points have none.
    pub cull_face: Face,
    /// The part of front faces that is drawn.
    pub fill_front: PolygonMode,
    /// The part of back faces that is drawn.
    pub fill_back: PolygonMode,
    /// Offsets the depth of polygons drawn as points.
    pub offset_point: bool,
    /// Offsets the depth of polygons drawn as lines.
    pub offset_line: bool,
    /// Offsets the depth of filled polygons.
    pub offset_tri: bool,
    /// Turns the scissor test on (`set_scissor_states`).
    pub scissor: bool,
    /// Smooths the edges of polygons by coverage. No cap announces it: a driver that cannot do it
    /// refuses the state.
    pub poly_smooth: bool,
    /// Stipples polygons (`set_polygon_stipple`).
    pub poly_stipple_enable: bool,
    /// Smooths points by coverage: discs instead of squares.
    pub point_smooth: bool,
    /// The corner of a sprite with texture coordinate (0, 0).
    pub sprite_coord_mode: SpriteCoordMode,
    /// Rasterizes points as quads (point sprites, Direct3D) instead of by OpenGL's legacy point
    /// rules. Turns point smoothing off. Without it no sprite coordinates are generated.
    pub point_quad_rasterization: bool,
    /// Clips points as the quads they become (Direct3D) instead of by their centre (OpenGL). Needs
    /// `point_quad_rasterization`.
    pub point_tri_clip: bool,
    /// Takes the point size from the last vertex stage's `PSIZE` output instead of `point_size`.
    pub point_size_per_vertex: bool,
    /// Turns multisampling on, if the framebuffer has samples.
    pub multisample: bool,
    /// Ignores a fragment shader's sample mask output if multisampling is off.
    pub no_ms_sample_mask_out: bool,
    /// Interpolates all inputs of the fragment shader at each sample; needs the cap
    /// `ForcePersampleInterp`.
    pub force_persample_interp: bool,
    /// Smooths lines by coverage.
    pub line_smooth: bool,
    /// Stipples lines by `line_stipple_pattern`.
    pub line_stipple_enable: bool,
    /// Draws the last pixel of a line. OpenGL omits it, so that connected lines draw no pixel
    /// twice.
    pub line_last_pixel: bool,
    /// Makes wide lines rectangles; otherwise they are parallelograms along the major axis.
    pub line_rectangular: bool,
    /// Turns conservative rasterization on; it ignores smoothing and line stipple. Needs a cap
    /// `ConservativeRaster…`.
    pub conservative_raster_mode: ConservativeRasterMode,
    /// Puts pixel centres at (0.5, 0.5) (OpenGL, Direct3D 10 and later); otherwise at (0, 0)
    /// (Direct3D 9).
    pub half_pixel_center: bool,
    /// Counts a sample on a bottom edge as inside (OpenGL's windows); otherwise one on a top edge
    /// (OpenGL's framebuffer objects, Direct3D). Top is towards y = 0; samples on left edges are
    /// inside in both cases.
    pub bottom_edge_rule: bool,
    /// Number of subpixel bits of x added under conservative rasterization, at most the cap
    /// `MaxConservativeRasterSubpixelPrecisionBias`.
    pub subpixel_precision_x: u8,
    /// Number of subpixel bits of y added under conservative rasterization, at most the cap
    /// `MaxConservativeRasterSubpixelPrecisionBias`.
    pub subpixel_precision_y: u8,
    /// Drops primitives before rasterization; stream output still happens.
    pub rasterizer_discard: bool,
    /// Rasterizes tiles in the order of the next two members (`GL_MESA_tile_raster_order`); needs
    /// the cap `TileRasterOrder`.
    pub tile_raster_order_fixed: bool,
    /// Orders tiles left to right; otherwise right to left.
    pub tile_raster_order_increasing_x: bool,
    /// Orders tiles top to bottom; otherwise bottom to top.
    pub tile_raster_order_increasing_y: bool,
    /// Clips at the near plane.
    pub depth_clip_near: bool,
    /// Clips at the far plane.
    pub depth_clip_far: bool,
    /// Clamps each pixel's depth to the viewport's depth range, after the polygon offset and before
    /// the depth test. A depth that the fragment program writes is clamped too. Without it, depth is
    /// clamped to 0 to 1. Needs the cap `DepthClampEnable`, unless it is the inverse of
    /// `depth_clip_far`.
    pub depth_clamp: bool,
    /// Makes clip space z go from 0 to w (Direct3D); otherwise from -w to w (OpenGL).
    pub clip_halfz: bool,
    /// Takes `offset_units` as a depth (Direct3D 9) instead of as a multiple of the least depth
    /// step.
    pub offset_units_unscaled: bool,
    /// Bit k enables the half-space of clip plane or clip distance k. If a shader writes clip
    /// distances, they replace the planes.
    pub clip_plane_enable: u8,
    /// Number of pixels per bit of the line stipple, minus 1.
    pub line_stipple_factor: u8,
    /// The line stipple, lowest bit first.
    pub line_stipple_pattern: u16,
    /// Bit k replaces texture coordinate input k of the fragment shader by the sprite's (s, t, 0,
    /// 1): `TEXCOORD[k]`, or `GENERIC[k]` if the cap `TgsiTexcoord` is 0. Needs
    /// `point_quad_rasterization` and excludes `point_smooth`.
    pub sprite_coord_enable: u32,
    /// Width of lines, in pixels.
    pub line_width: f32,
    /// Size of points, in pixels, if `point_size_per_vertex` is off.
    pub point_size: f32,
    /// Constant part of the depth offset, in least depth steps of the buffer (see
    /// `offset_units_unscaled`).
    pub offset_units: f32,
    /// Factor of the polygon's greatest depth slope in the depth offset.
    pub offset_scale: f32,
    /// Bound of the depth offset: an upper bound if positive, a lower bound if negative, none if 0.
    pub offset_clamp: f32,
    /// Distance that conservative rasterization grows a primitive by, in pixels; unused if
    /// `conservative_raster_mode` is off.
    pub conservative_raster_dilate: f32,
}

impl Default for RasterizerState {
    fn default() -> Self {
        Self {
            flatshade: false,
            flatshade_first: false,
            light_twoside: false,
            clamp_vertex_color: false,
            clamp_fragment_color: false,
            front_ccw: true,
            cull_face: Face::None,
            fill_front: PolygonMode::Fill,
            fill_back: PolygonMode::Fill,
            offset_point: false,
            offset_line: false,
            offset_tri: false,
            scissor: false,
            poly_smooth: false,
            poly_stipple_enable: false,
            point_smooth: false,
            sprite_coord_mode: SpriteCoordMode::UpperLeft,
            point_quad_rasterization: false,
            point_tri_clip: false,
            point_size_per_vertex: false,
            multisample: false,
            no_ms_sample_mask_out: false,
            force_persample_interp: false,
            line_smooth: false,
            line_stipple_enable: false,
            line_last_pixel: false,
            line_rectangular: false,
            conservative_raster_mode: ConservativeRasterMode::Off,
            half_pixel_center: true,
            bottom_edge_rule: false,
            subpixel_precision_x: 0,
            subpixel_precision_y: 0,
            rasterizer_discard: false,
            tile_raster_order_fixed: false,
            tile_raster_order_increasing_x: false,
            tile_raster_order_increasing_y: false,
            depth_clip_near: true,
            depth_clip_far: true,
            depth_clamp: false,
            clip_halfz: false,
            offset_units_unscaled: false,
            clip_plane_enable: 0,
            line_stipple_factor: 0,
            line_stipple_pattern: 0xffff,
            sprite_coord_enable: 0,
            line_width: 1.0,
            point_size: 1.0,
            offset_units: 0.0,
            offset_scale: 0.0,
            offset_clamp: 0.0,
            conservative_raster_dilate: 0.0,
        }
    }
}

state_object!(RasterizerState {
    flatshade,
    flatshade_first,
    light_twoside,
    clamp_vertex_color,
    clamp_fragment_color,
    front_ccw,
    cull_face,
    fill_front,
    fill_back,
    offset_point,
    offset_line,
    offset_tri,
    scissor,
    poly_smooth,
    poly_stipple_enable,
    point_smooth,
    sprite_coord_mode,
    point_quad_rasterization,
    point_tri_clip,
    point_size_per_vertex,
    multisample,
    no_ms_sample_mask_out,
    force_persample_interp,
    line_smooth,
    line_stipple_enable,
    line_last_pixel,
    line_rectangular,
    conservative_raster_mode,
    half_pixel_center,
    bottom_edge_rule,
    subpixel_precision_x,
    subpixel_precision_y,
    rasterizer_discard,
    tile_raster_order_fixed,
    tile_raster_order_increasing_x,
    tile_raster_order_increasing_y,
    depth_clip_near,
    depth_clip_far,
    depth_clamp,
    clip_halfz,
    offset_units_unscaled,
    clip_plane_enable,
    line_stipple_factor,
    line_stipple_pattern,
    sprite_coord_enable,
    line_width,
    point_size,
    offset_units,
    offset_scale,
    offset_clamp,
    conservative_raster_dilate,
});

impl RasterizerState {
    /// Returns the part of front faces (`front`) or back faces that is drawn.
    pub const fn fill(&self, front: bool) -> PolygonMode {
        if front { self.fill_front } else { self.fill_back }
    }

    /// Returns true if faces drawn as `mode` are offset in depth.
    pub const fn offsets(&self, mode: PolygonMode) -> bool {
        match mode {
            PolygonMode::Fill | PolygonMode::FillRectangle => self.offset_tri,
            PolygonMode::Line => self.offset_line,
            PolygonMode::Point => self.offset_point,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faces_include_facings() {
        let included: [[bool; 2]; 4] = [[false, false], [true, false], [false, true], [true, true]];
        for (face, [front, back]) in Face::ALL.iter().zip(included) {
            assert_eq!([face.includes(true), face.includes(false)], [front, back], "{face:?}");
        }
    }

    #[test]
    fn offsets_by_fill_mode() {
        let state = RasterizerState { offset_line: true, ..RasterizerState::default() };
        assert!(state.offsets(PolygonMode::Line));
        assert!(!state.offsets(PolygonMode::Fill) && !state.offsets(PolygonMode::Point));
    }
}
