//! How points, lines and triangles become fragments.

use crate::key::state_object;
use crate::numbered::numbered;

numbered! {
    /// Faces of polygons. `PIPE_FACE_*`.
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

    /// What a polygon is drawn as. `PIPE_POLYGON_MODE_*`.
    #[derive(Default)]
    pub enum PolygonMode {
        /// Its area.
        #[default]
        Fill = 0,
        /// Its edges.
        Line = 1,
        /// Its vertices.
        Point = 2,
        /// Its bounding rectangle.
        FillRectangle = 3,
    }

    /// Where texture coordinate (0, 0) of a point sprite is. `PIPE_SPRITE_COORD_*`.
    #[derive(Default)]
    pub enum SpriteCoordMode {
        /// At the upper left: t grows downwards.
        #[default]
        UpperLeft = 0,
        /// At the lower left: t grows upwards.
        LowerLeft = 1,
    }

    /// Conservative rasterization: fragments wherever a primitive touches the pixel's area.
    /// `PIPE_CONSERVATIVE_RASTER_*`.
    #[derive(Default)]
    pub enum ConservativeRasterMode {
        /// Off.
        #[default]
        Off = 0,
        /// Decided after positions are snapped to the subpixel grid; none for degenerate
        /// primitives.
        PostSnap = 1,
        /// Decided with positions as they were before snapping.
        PreSnap = 2,
    }
}

impl Face {
    /// Whether faces of this facing belong to it.
    pub const fn includes(self, front: bool) -> bool {
        self as u8 & (if front { Face::Front as u8 } else { Face::Back as u8 }) != 0
    }
}

/// `pipe_rasterizer_state`.
///
/// The default is a fresh OpenGL's: filled polygons, nothing culled, counter-clockwise faces in
/// front, pixel centres at halves, clipping at near and far, lines and points of size 1.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct RasterizerState {
    /// Whether the provoking vertex gives colours to the whole primitive.
    pub flatshade: bool,
    /// Whether the first vertex provokes; else the last. Exceptions: polygons (always the
    /// first), fans (the second, if set), quads (the last, unless the driver's
    /// `QuadsFollowProvokingVertexConvention` is set).
    pub flatshade_first: bool,
    /// Whether back faces take their colours from the `BCOLOR` outputs.
    pub light_twoside: bool,
    /// Whether colours are clamped to 0…1 after the vertex shader.
    pub clamp_vertex_color: bool,
    /// Whether colour outputs of the fragment shader are clamped to 0…1.
    pub clamp_fragment_color: bool,
    /// Whether front faces are counter-clockwise in the window (as seen, row 0 on top).
    pub front_ccw: bool,
    /// Which faces are dropped.
    pub cull_face: Face,
    /// What front faces are drawn as.
    pub fill_front: PolygonMode,
    /// What back faces are drawn as.
    pub fill_back: PolygonMode,
    /// Whether polygons drawn as points are offset in depth.
    pub offset_point: bool,
    /// Whether polygons drawn as lines are offset in depth.
    pub offset_line: bool,
    /// Whether filled polygons are offset in depth.
    pub offset_tri: bool,
    /// Whether the scissor test is on.
    pub scissor: bool,
    /// Whether polygon edges are smoothed.
    pub poly_smooth: bool,
    /// Whether polygons are stippled.
    pub poly_stipple_enable: bool,
    /// Whether points are smoothed: round instead of square.
    pub point_smooth: bool,
    /// Where a sprite's texture coordinates start.
    pub sprite_coord_mode: SpriteCoordMode,
    /// Whether points follow the rules of quads (sprites, Direct3D) or OpenGL's old point
    /// rules. On, point smoothing is off; off, no sprite coordinates are made.
    pub point_quad_rasterization: bool,
    /// Whether points are clipped as the quads they become (Direct3D) or by their centre
    /// (OpenGL). Needs `point_quad_rasterization`.
    pub point_tri_clip: bool,
    /// Whether the last vertex stage outputs the point size.
    pub point_size_per_vertex: bool,
    /// Whether multisampling is on.
    pub multisample: bool,
    /// Whether a fragment shader's sample mask output is ignored without multisampling.
    pub no_ms_sample_mask_out: bool,
    /// Whether all fragment inputs are interpolated at samples.
    pub force_persample_interp: bool,
    /// Whether lines are smoothed.
    pub line_smooth: bool,
    /// Whether lines are stippled.
    pub line_stipple_enable: bool,
    /// Whether a line's last pixel is drawn. OpenGL leaves it out, so connected lines do not
    /// draw joints twice.
    pub line_last_pixel: bool,
    /// Whether wide lines are rectangles; else parallelograms along the major axis.
    pub line_rectangular: bool,
    /// Whether fragments are made wherever a primitive touches a pixel.
    pub conservative_raster_mode: ConservativeRasterMode,
    /// Whether pixel centres are at (0.5, 0.5) (OpenGL, Direct3D 10); else at (0, 0).
    pub half_pixel_center: bool,
    /// Whether a sample on a bottom edge is inside (OpenGL windows); else one on a top edge
    /// (OpenGL FBOs, Direct3D). Top is towards y = 0. Samples on left edges are always inside.
    pub bottom_edge_rule: bool,
    /// Extra horizontal subpixel bits under conservative rasterization.
    pub subpixel_precision_x: u8,
    /// Extra vertical subpixel bits under conservative rasterization.
    pub subpixel_precision_y: u8,
    /// Whether primitives are dropped before rasterization (stream output still happens).
    pub rasterizer_discard: bool,
    /// Whether tiles are drawn in the order given by the next two (`GL_MESA_tile_raster_order`).
    pub tile_raster_order_fixed: bool,
    /// Whether that order goes left to right.
    pub tile_raster_order_increasing_x: bool,
    /// Whether that order goes top to bottom.
    pub tile_raster_order_increasing_y: bool,
    /// Whether the near plane clips; else depth is clamped per pixel.
    pub depth_clip_near: bool,
    /// Whether the far plane clips; else depth is clamped per pixel.
    pub depth_clip_far: bool,
    /// Whether depth is clamped to the viewport's range although planes clip.
    pub depth_clamp: bool,
    /// Whether clip space z goes from 0 to w (Direct3D); else from -w to w (OpenGL).
    pub clip_halfz: bool,
    /// Whether `offset_units` is a depth, not a multiple of the least depth step (Direct3D 9).
    pub offset_units_unscaled: bool,
    /// Bit k: the half-space of clip plane or clip distance k clips. Distances that a shader
    /// writes take precedence over planes.
    pub clip_plane_enable: u8,
    /// Each stipple bit counts for this many pixels plus one.
    pub line_stipple_factor: u8,
    /// The line stipple, least bit first.
    pub line_stipple_pattern: u16,
    /// Bit k: texture coordinate input k of the fragment shader (`TEXCOORD[k]`, or `GENERIC[k]`
    /// without the cap `TgsiTexcoord`) is the sprite's (s, t, 0, 1). Needs
    /// `point_quad_rasterization` and excludes `point_smooth`.
    pub sprite_coord_enable: u32,
    /// Width of lines, in pixels.
    pub line_width: f32,
    /// Size of points without a size of their own, in pixels.
    pub point_size: f32,
    /// Constant depth offset, in least resolvable depth steps (see `offset_units_unscaled`).
    pub offset_units: f32,
    /// Depth offset per unit of the polygon's steepest depth slope.
    pub offset_scale: f32,
    /// Bound of the depth offset: upper if > 0, lower if < 0, none if 0.
    pub offset_clamp: f32,
    /// How far conservative rasterization grows a primitive, in pixels.
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
    /// What faces of this facing are drawn as.
    pub const fn fill(&self, front: bool) -> PolygonMode {
        if front { self.fill_front } else { self.fill_back }
    }

    /// Whether a face drawn as `mode` is offset in depth.
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
