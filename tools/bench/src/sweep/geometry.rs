//! Vertices and primitives: attributes, modes, lines, points, polygon modes, clipping, scissors.

use formats::Format;
use pipe_core::{Bind, Face, PolygonMode, PrimType, ScissorState, Screen, TextureTarget};

use super::setup::{EDGE, Mesh, Setup};
use super::{Group, LIMIT};

/// The maximum ratio for attributes of doubles.
const DOUBLES_LIMIT: f64 = 4.0;

/// Number of vertices along a side of a mesh; a multiple of twelve, so that all modes use all
/// vertices.
const SIDE: usize = 96;

/// Returns [`SIDE`]² vertices in a zigzag over the target, so that primitives of every mode are
/// small.
fn zigzag(mode: PrimType) -> Mesh {
    let mut positions = Vec::new();
    for row in 0..SIDE {
        for column in 0..SIDE {
            let at = |index: usize, add: usize| (index + add) as f32 / SIDE as f32 * 1.9 - 0.95;
            positions.push([at(column, 0), at(row, column & 1), 0.1, 1.0]);
        }
    }
    let attributes = vec![[0.25, 0.5, 0.75, 1.0]; positions.len()];
    let work = positions.len() as f64;
    Mesh { mode, positions, attributes, work }
}

/// Returns the target's rows as lines, or as points, `step` pixels apart.
fn strokes(mode: PrimType, step: usize, pixels: f64) -> Mesh {
    let across = if mode == PrimType::Points { usize::from(EDGE) / step } else { 2 };
    let mut positions = Vec::new();
    for row in 0..usize::from(EDGE) / step {
        for column in 0..across {
            let x = (column as f32 + 0.5) / across as f32 * 2.0 - 1.0;
            let y = ((row * step) as f32 + 0.5) / f32::from(EDGE) * 2.0 - 1.0;
            // With a slope, like most lines.
            positions.push([x, y + 0.1 * column as f32 / across as f32, 0.0, 1.0]);
        }
    }
    let attributes = vec![[0.25, 0.5, 0.75, 1.0]; positions.len()];
    Mesh { mode, positions, attributes, work: pixels }
}

/// Makes the time count per primitive instead of per vertex.
fn per_primitive(mut setup: Setup) -> Setup {
    let count = setup.mesh.positions.len() as u32;
    setup.mesh.work = setup.mesh.mode.decomposed_primitives(count, 0).into();
    setup
}

/// Returns the groups for vertices and primitives.
pub(super) fn groups(screen: &dyn Screen<'_>) -> Vec<Group> {
    let mut culled = Setup { mesh: zigzag(PrimType::Triangles), ..Setup::default() };
    culled.rasterizer.cull_face = Face::FrontAndBack;
    let mut attributes = Group::new("attribute", culled);
    for &format in Format::ALL {
        if screen.is_format_supported(format, TextureTarget::Buffer, 0, 0, Bind::VERTEX_BUFFER) {
            let double = format.desc().channels[0].bits == 64;
            let limit = if double { DOUBLES_LIMIT } else { LIMIT };
            attributes.vary_within(limit, format!("{format:?}"), |setup| setup.attribute = format);
        }
    }
    let triangles = Setup { mesh: zigzag(PrimType::Triangles), ..Setup::default() };
    let mut modes = Group::new("primitive", per_primitive(triangles.clone()));
    for &mode in PrimType::ALL.iter().filter(|mode| **mode != PrimType::Patches) {
        modes.vary(format!("{mode:?}"), |setup| {
            setup.mesh.mode = mode;
            if matches!(mode, PrimType::TriangleFan | PrimType::Polygon | PrimType::LineLoop) {
                // The primitives of fans share a vertex, so they are small only if the mesh is.
                for [x, y, ..] in &mut setup.mesh.positions {
                    (*x, *y) = (*x * 0.02, *y * 0.02);
                }
            }
            *setup = per_primitive(setup.clone());
        });
    }
    vec![attributes, modes, triangle_state(triangles), lines(), points(), rectangles()]
}

/// Returns the group for the members of a rasterizer, with small triangles.
fn triangle_state(baseline: Setup) -> Group {
    let mut group = Group::new("triangles", baseline);
    for mode in [PolygonMode::Line, PolygonMode::Point] {
        group.vary(format!("polygon mode {mode:?}"), |setup| {
            (setup.rasterizer.fill_front, setup.rasterizer.fill_back) = (mode, mode);
        });
    }
    for face in [Face::Front, Face::Back] {
        group.vary(format!("cull {face:?}"), |setup| setup.rasterizer.cull_face = face);
    }
    group.vary("flatshade", |setup| setup.rasterizer.flatshade = true);
    group.vary("light_twoside", |setup| setup.rasterizer.light_twoside = true);
    group.vary("offset_tri", |setup| {
        setup.rasterizer.offset_tri = true;
        setup.rasterizer.offset_units = 1.0;
    });
    group.vary("depth_clamp", |setup| {
        setup.rasterizer.depth_clamp = true;
        setup.rasterizer.depth_clip_near = false;
        setup.rasterizer.depth_clip_far = false;
    });
    for planes in [1u8, 2, 6] {
        group.vary(format!("{planes} clip planes"), |setup| {
            setup.rasterizer.clip_plane_enable = (1 << planes) - 1;
            for (index, plane) in setup.clip.ucp.iter_mut().enumerate() {
                let side = if index % 2 == 0 { 1.0 } else { -1.0 };
                *plane = [side, 0.1 * index as f32, 0.0, 0.7];
            }
        });
    }
    group
}

/// Returns the group for lines, per pixel.
fn lines() -> Group {
    let step = 16;
    let length = f64::from(EDGE) / 2.0;
    let count = f64::from(EDGE) / step as f64;
    let mesh = |width: f64| strokes(PrimType::Lines, step, length * width * count);
    let baseline = Setup { mesh: mesh(1.0), ..Setup::default() };
    let mut group = Group::new("lines (a pixel)", baseline);
    for width in [2.0f32, 3.5, 8.0] {
        group.vary(format!("line_width {width}"), |setup| {
            setup.mesh = mesh(width.into());
            setup.rasterizer.line_width = width;
        });
    }
    group.vary("line_smooth", |setup| setup.rasterizer.line_smooth = true);
    group.vary("line_stipple", |setup| {
        setup.rasterizer.line_stipple_enable = true;
        setup.rasterizer.line_stipple_pattern = 0x5a5a;
    });
    group
}

/// Returns the group for points, per point.
fn points() -> Group {
    let step = 8;
    let count = (f64::from(EDGE) / step as f64) * (f64::from(EDGE) / step as f64);
    let mesh = || strokes(PrimType::Points, step, count);
    let mut group = Group::new("points (a point)", Setup { mesh: mesh(), ..Setup::default() });
    for size in [2.0f32, 4.0] {
        group.vary(format!("point_size {size}"), |setup| setup.rasterizer.point_size = size);
    }
    group.vary("point_smooth", |setup| setup.rasterizer.point_smooth = true);
    group.vary("point_quad_rasterization", |setup| {
        setup.rasterizer.point_quad_rasterization = true;
    });
    group.vary("sprite coordinates", |setup| {
        setup.rasterizer.point_quad_rasterization = true;
        setup.rasterizer.sprite_coord_enable = 1;
    });
    group
}

/// Returns the group for state that covers or cuts a rectangle, per drawn pixel.
fn rectangles() -> Group {
    let mut group = Group::new("rectangle", Setup::default());
    group.vary("scissor", |setup| {
        setup.rasterizer.scissor = true;
        let (low, high) = (13, EDGE - 15);
        setup.scissor = Some(ScissorState { minx: low, miny: low, maxx: high, maxy: high });
        setup.mesh.work = f64::from(high - low) * f64::from(high - low);
    });
    group.vary("poly_stipple_enable", |setup| setup.rasterizer.poly_stipple_enable = true);
    group
}
