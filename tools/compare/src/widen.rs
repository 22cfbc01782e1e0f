//! Adds more of the contract to random scenes: stages, layers, viewports, streams, areas, memory,
//! compute, streamed surfaces. These random choices come after all earlier ones, so that the scenes
//! without them stay the same.

use pipe_core::*;

use crate::kernel::{ATOMICS, Kernel};
use crate::rng::Rng;
use crate::scene::{Draw, Scene};
use crate::shaders::{Place, Work};
use crate::stages::{Domain, Geometry, Stages, Tessellation};

/// Adds more of the contract to half of the scenes.
pub(crate) fn widen(scene: &mut Scene, rng: &mut Rng, screen: &dyn Screen<'_>) {
    if rng.one_in(2) {
        return;
    }
    let streams = rng.one_in(8) && streamed(scene, screen);
    scene.streamed = streams;
    if !streams && scene.samples == 1 && rng.one_in(3) {
        scene.layers = rng.within(2, 3) as u8;
    }
    if rng.one_in(4) {
        scene.kernel = Some(kernel(rng));
    }
    let (samples, size, layers) = (scene.samples, (scene.width, scene.height), scene.layers);
    let integer = scene.colors[0].is_pure_integer();
    for draw in &mut scene.draws {
        rasterizer(draw, rng);
        blend(draw, rng);
        sampler(draw, rng);
        parameters(draw, rng, samples, size);
        if rng.one_in(2) {
            stages(draw, rng, layers);
        }
        let exact = draw.blend.logicop_enable;
        if rng.one_in(3) && !exact {
            work(draw, rng, integer, streams);
        }
    }
}

/// Makes the colour buffer of a scene streamed, if that is possible. Returns true if it is.
fn streamed(scene: &mut Scene, screen: &dyn Screen<'_>) -> bool {
    let (width, height) = (scene.width.into(), scene.height.into());
    let color = ResourceTemplate::streamed(scene.colors[0], width, height);
    let depth = scene.depth.map(|format| ResourceTemplate::streamed_depth(format, width, height));
    let fits = scene.colors.len() == 1
        && scene.samples == 1
        && screen.can_create_resource(&color)
        && depth.is_none_or(|depth| screen.can_create_resource(&depth));
    fits && !scene.colors[0].is_pure_integer()
}

fn kernel(rng: &mut Rng) -> Kernel {
    let mut three = |most: i32| [(); 3].map(|()| rng.within(1, most) as u32);
    let (block, grid, base) = (three(5), three(3), three(9));
    let last_block = block.map(|size| if rng.one_in(3) { 1 + rng.below(size) } else { 0 });
    let (atomic, seed) = (rng.pick(ATOMICS), rng.bits());
    Kernel { block, last_block, grid, base, atomic, seed }
}

fn rasterizer(draw: &mut Draw, rng: &mut Rng) {
    let state = &mut draw.rasterizer;
    state.offset_units_unscaled = rng.one_in(6);
    state.rasterizer_discard = rng.one_in(40);
    let area = rng.below(12);
    match area {
        0 => state.poly_smooth = true,
        1 | 2 => {
            state.conservative_raster_mode =
                rng.pick(&[ConservativeRasterMode::PostSnap, ConservativeRasterMode::PreSnap]);
            state.conservative_raster_dilate = rng.pick(&[0.0, 0.0, 0.25, 0.5, 0.75]);
        }
        3 => {
            let modes = [PolygonMode::Fill, PolygonMode::Line, PolygonMode::FillRectangle];
            (state.fill_front, state.fill_back) = (rng.pick(&modes), PolygonMode::FillRectangle);
        }
        _ => {}
    }
    if area < 4 {
        // Outside of a triangle 1/w may be 0.
        for vertex in &mut draw.vertices {
            let w = vertex.position[3];
            vertex.position = vertex.position.map(|value| value / w);
        }
    }
}

fn blend(draw: &mut Draw, rng: &mut Rng) {
    // Hints.
    draw.blend.dither = rng.one_in(6);
    draw.blend.max_rt = rng.below(8) as u8;
    draw.blend.alpha_to_coverage_dither = rng.one_in(3);
}

fn sampler(draw: &mut Draw, rng: &mut Rng) {
    let Some(texture) = &mut draw.texture else { return };
    // Hints.
    texture.sampler.border_color_is_integer = texture.format.is_pure_integer();
    texture.sampler.border_color_format = texture.format;
    if rng.one_in(3) && texture.sampler.reduction_mode == ReductionMode::WeightedAverage {
        texture.sampler.max_anisotropy = rng.pick(&[2, 4, 8, 16]);
        texture.sampler.min_img_filter = TexFilter::Linear;
    }
}

fn parameters(draw: &mut Draw, rng: &mut Rng, samples: u8, (width, height): (u16, u16)) {
    let rectangle = |rng: &mut Rng| {
        let (minx, miny) = (rng.below(width.into()) as u16, rng.below(height.into()) as u16);
        let (right, down) = (rng.below(width.into()) as u16, rng.below(height.into()) as u16);
        ScissorState { minx, miny, maxx: minx + right, maxy: miny + down }
    };
    if rng.one_in(6) {
        let rectangles: Vec<_> = (0..rng.below(4)).map(|_| rectangle(rng)).collect();
        let windows = WindowRectangles::new(rng.one_in(2), &rectangles);
        draw.windows = windows.unwrap_or_default();
    }
    if samples > 1 && rng.one_in(4) {
        draw.sample_places = Some([(); 16].map(|()| rng.bits() as u8));
    }
    draw.second_scissor = rectangle(rng);
    for axis in 0..2 {
        draw.second_viewport.scale[axis] = draw.viewport.scale[axis] * 0.75;
        draw.second_viewport.translate[axis] =
            draw.viewport.translate[axis] + rng.within(-3, 3) as f32;
    }
    draw.second_viewport.scale[2] = draw.viewport.scale[2];
    draw.second_viewport.translate[2] = draw.viewport.translate[2];
    if rng.one_in(8) {
        use ViewportSwizzle::*;
        draw.viewport.swizzle = rng.pick(&[
            [NegativeX, PositiveY, PositiveZ, PositiveW],
            [PositiveY, NegativeX, PositiveZ, PositiveW],
        ]);
    }
    if rng.one_in(5) {
        draw.instances = rng.within(2, 3) as u32;
    }
    if draw.indices.is_some() && rng.one_in(4) {
        draw.restart = Some(rng.below(draw.vertices.len() as u32) as u16);
    }
}

fn stages(draw: &mut Draw, rng: &mut Rng, layers: u8) {
    let mut stages = Stages::default();
    if rng.one_in(2) {
        let domain = rng.pick(&[Domain::Triangles, Domain::Quads, Domain::Lines]);
        stages.tessellation = Some(Tessellation {
            domain,
            spacing: rng.below(3) as u8,
            clockwise: rng.one_in(2),
            points: rng.one_in(4),
            control: rng.one_in(2),
            levels: [(); 6].map(|()| rng.float(0.5, 5.0)),
        });
        draw.mode = PrimType::Patches;
        // At least two patches.
        let mut at = 0;
        while draw.vertices.len() < 2 * usize::from(domain.vertices()) {
            let mut vertex = draw.vertices[at];
            vertex.position[0] = -vertex.position[0];
            vertex.position[1] += 0.25;
            draw.vertices.push(vertex);
            at += 1;
        }
    }
    if rng.one_in(2) {
        stages.geometry =
            Some(rng.pick(&[Geometry::Pass, Geometry::Pass, Geometry::Points, Geometry::Streams]));
        if stages.tessellation.is_none() && draw.mode.min_vertices(0) > 3 {
            draw.mode = rng.pick(&[
                PrimType::Triangles,
                PrimType::TrianglesAdjacency,
                PrimType::LinesAdjacency,
            ]);
        }
    }
    stages.by_instance = layers > 1 || rng.one_in(3);
    stages.streams = rng.one_in(3);
    draw.stages = stages;
}

fn work(draw: &mut Draw, rng: &mut Rng, integer: bool, streamed: bool) {
    let places = [Place::Centroid, Place::Sample, Place::Offset];
    let plain = [Work::Numbers, Work::Coverage, Work::Elsewhere(rng.pick(&places))];
    let memory = [Work::Count, Work::Count];
    let fetch = [Work::Fetch];
    let mut works: Vec<Work> = plain.into();
    if !streamed {
        works.extend(memory);
    }
    // Conversion to integers rounds towards 0 and amplifies a step.
    if !integer && !draw.blend.is_dual_source() {
        works.extend(fetch);
    }
    draw.fragment.work = rng.pick(&works);
    draw.texture = None;
    draw.fragment.early = rng.one_in(4);
    draw.fragment.after_tests = rng.one_in(4);
}
