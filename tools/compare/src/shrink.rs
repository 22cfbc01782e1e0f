//! Shrinks a scene: finds the smallest scene that still differs.

use formats::Format;
use pipe_core::*;

use crate::scene::{Draw, Scene, Vertex};
use crate::shaders::Fragment;
use crate::stages::{Stages, Tessellation};

/// The maximum number of scenes that a search may draw.
const BUDGET: usize = 600;

/// Returns a minimal scene for which `differs` is still true, as far as the budget allows.
pub fn shrink(scene: &Scene, mut differs: impl FnMut(&Scene) -> bool) -> Scene {
    let mut smallest = scene.clone();
    let mut tries = 0;
    loop {
        let found = simpler(&smallest).into_iter().find(|candidate| {
            tries += 1;
            tries <= BUDGET && differs(candidate)
        });
        match found {
            Some(candidate) => smallest = candidate,
            None => return smallest,
        }
    }
}

/// Adds a scene for each member with a value other than the default, with that member reset.
macro_rules! reset {
    ($out:ident, $scene:ident, $index:ident, $path:ident: $default:expr; $($field:ident),+ $(,)?) => { $(
        if $scene.draws[$index].$path.$field != $default.$field {
            let mut simpler = $scene.clone();
            simpler.draws[$index].$path.$field = $default.$field;
            $out.push(simpler);
        }
    )+ };
}

/// Returns scenes with one thing removed, the largest removals first.
fn simpler(scene: &Scene) -> Vec<Scene> {
    let mut out = Vec::new();
    for index in 0..scene.draws.len() {
        let mut simpler = scene.clone();
        simpler.draws.remove(index);
        out.push(simpler);
    }
    for index in 0..scene.draws.len() {
        whole_states(scene, index, &mut out);
        vertices(scene, index, &mut out);
    }
    sizes(scene, &mut out);
    for index in 0..scene.draws.len() {
        members(scene, index, &mut out);
        texture(scene, index, &mut out);
        values(scene, index, &mut out);
    }
    out.retain(|candidate| candidate != scene);
    out
}

/// Adds a copy of the scene with a changed draw.
fn with(scene: &Scene, index: usize, out: &mut Vec<Scene>, change: impl FnOnce(&mut Draw)) {
    let mut simpler = scene.clone();
    change(&mut simpler.draws[index]);
    out.push(simpler);
}

fn whole_states(scene: &Scene, index: usize, out: &mut Vec<Scene>) {
    with(scene, index, out, |draw| draw.blend = BlendState::default());
    with(scene, index, out, |draw| draw.tests = DepthStencilAlphaState::default());
    with(scene, index, out, |draw| draw.rasterizer = RasterizerState::default());
    let (width, height) = (scene.width.into(), scene.height.into());
    with(scene, index, out, |draw| {
        draw.viewport = ViewportState::y_down(width, height);
        if draw.rasterizer.clip_halfz {
            draw.viewport = draw.viewport.half_z();
        }
    });
    with(scene, index, out, |draw| {
        draw.texture = None;
        draw.fragment = Fragment::COLOR;
    });
    with(scene, index, out, |draw| draw.indices = None);
    with(scene, index, out, |draw| {
        (draw.scissor, draw.stipple) = (ScissorState::default(), PolyStipple::default());
    });
    with(scene, index, out, |draw| {
        // Patches need their tessellation stage.
        if draw.mode != PrimType::Patches {
            draw.stages = Stages::default();
        }
    });
    with(scene, index, out, |draw| {
        if draw.mode == PrimType::Patches {
            (draw.mode, draw.stages) = (PrimType::Triangles, Stages::default());
        }
    });
    with(scene, index, out, |draw| draw.stages.geometry = None);
    with(scene, index, out, |draw| draw.stages.streams = false);
    with(scene, index, out, |draw| draw.stages.by_instance = false);
    with(scene, index, out, |draw| {
        if let Some(Tessellation { points, control, levels, .. }) = &mut draw.stages.tessellation {
            (*points, *control, *levels) = (false, false, [1.0; 6]);
        }
    });
    with(scene, index, out, |draw| (draw.instances, draw.restart) = (1, None));
    with(scene, index, out, |draw| draw.windows = WindowRectangles::default());
    with(scene, index, out, |draw| draw.sample_places = None);
    with(scene, index, out, |draw| {
        (draw.fragment.early, draw.fragment.after_tests) = (false, false)
    });
    with(scene, index, out, |draw| draw.viewport.swizzle = ViewportState::default().swizzle);
    with(scene, index, out, |draw| draw.clip = ClipState::default());
    with(scene, index, out, |draw| draw.blend_color = BlendColor::default());
    with(scene, index, out, |draw| draw.stencil_ref = StencilRef::default());
    with(scene, index, out, |draw| (draw.sample_mask, draw.min_samples) = (u32::MAX, 1));
    out.push(Scene { depth: None, ..scene.clone() });
    out.push(Scene { kernel: None, ..scene.clone() });
    out.push(Scene { streamed: false, ..scene.clone() });
    out.push(Scene { layers: 1, ..scene.clone() });
    for samples in [1, 2, 4] {
        if samples < scene.samples {
            out.push(Scene { samples, ..scene.clone() });
        }
    }
    if scene.colors.len() > 1 {
        let mut simpler = scene.clone();
        simpler.colors.pop();
        out.push(simpler);
    }
    if scene.colors[0] != Format::R8G8B8A8Unorm {
        let mut simpler = scene.clone();
        simpler.colors[0] = Format::R8G8B8A8Unorm;
        out.push(simpler);
    }
}

fn vertices(scene: &Scene, index: usize, out: &mut Vec<Scene>) {
    let draw = &scene.draws[index];
    let patch = draw.stages.tessellation.map_or(0, |patch| patch.domain.vertices().into());
    let (least, step) = (draw.mode.min_vertices(patch) as usize, draw.mode.step(patch) as usize);
    let count = draw.indices.as_ref().map_or(draw.vertices.len(), Vec::len);
    if count < least + step {
        return;
    }
    for start in (0..count).step_by(step).filter(|start| start + step <= count) {
        with(scene, index, out, |draw| match &mut draw.indices {
            Some(indices) => drop(indices.drain(start..start + step)),
            None => drop(draw.vertices.drain(start..start + step)),
        });
    }
}

fn sizes(scene: &Scene, out: &mut Vec<Scene>) {
    for (width, height) in [(scene.width / 2, scene.height), (scene.width, scene.height / 2)] {
        if width >= 2 && height >= 2 {
            let mut simpler = scene.clone();
            for draw in &mut simpler.draws {
                let old = [scene.width, scene.height];
                for (axis, new) in [width, height].into_iter().enumerate() {
                    let ratio = f32::from(new) / f32::from(old[axis]);
                    draw.viewport.scale[axis] *= ratio;
                    draw.viewport.translate[axis] *= ratio;
                }
            }
            (simpler.width, simpler.height) = (width, height);
            out.push(simpler);
        }
    }
    for depth in [Format::Z16Unorm, Format::Z24UnormS8Uint] {
        if scene.depth.is_some_and(|format| format != depth) {
            let mut simpler = scene.clone();
            simpler.depth = Some(depth);
            out.push(simpler);
        }
    }
}

fn members(scene: &Scene, index: usize, out: &mut Vec<Scene>) {
    let blend = BlendState::default();
    reset!(out, scene, index, blend: blend;
        independent_blend_enable, logicop_enable, logicop_func, dither, alpha_to_coverage,
        alpha_to_coverage_dither, alpha_to_one);
    let target = RenderTargetBlendState::default();
    for number in 0..scene.draws[index].blend.rt.len() {
        with(scene, index, out, |draw| draw.blend.rt[number] = target);
        with(scene, index, out, |draw| draw.blend.rt[number].colormask = target.colormask);
        with(scene, index, out, |draw| draw.blend.rt[number].rgb_func = target.rgb_func);
        with(scene, index, out, |draw| draw.blend.rt[number].alpha_func = target.alpha_func);
        with(scene, index, out, |draw| {
            draw.blend.rt[number].rgb_src_factor = target.rgb_src_factor
        });
        with(scene, index, out, |draw| {
            draw.blend.rt[number].rgb_dst_factor = target.rgb_dst_factor
        });
    }
    let tests = DepthStencilAlphaState::default();
    reset!(out, scene, index, tests: tests;
        depth_enabled, depth_writemask, depth_func, depth_bounds_test, depth_bounds_min,
        depth_bounds_max, stencil, alpha_enabled, alpha_func, alpha_ref_value);
    for face in 0..2 {
        let stencil = StencilState::default();
        with(scene, index, out, |draw| draw.tests.stencil[face] = stencil);
        with(scene, index, out, |draw| draw.tests.stencil[face].func = stencil.func);
        with(scene, index, out, |draw| draw.tests.stencil[face].fail_op = stencil.fail_op);
        with(scene, index, out, |draw| draw.tests.stencil[face].zfail_op = stencil.zfail_op);
        with(scene, index, out, |draw| draw.tests.stencil[face].zpass_op = stencil.zpass_op);
        with(scene, index, out, |draw| draw.tests.stencil[face].valuemask = stencil.valuemask);
        with(scene, index, out, |draw| draw.tests.stencil[face].writemask = stencil.writemask);
    }
    let rasterizer = RasterizerState::default();
    reset!(out, scene, index, rasterizer: rasterizer;
        flatshade, flatshade_first, light_twoside, clamp_vertex_color, clamp_fragment_color,
        front_ccw, cull_face, fill_front, fill_back, offset_point, offset_line, offset_tri, scissor,
        poly_stipple_enable, point_smooth, sprite_coord_mode, point_quad_rasterization,
        point_tri_clip, point_size_per_vertex, line_smooth, line_stipple_enable, line_last_pixel,
        line_rectangular, half_pixel_center, bottom_edge_rule, depth_clip_near, depth_clip_far,
        depth_clamp, clip_halfz, clip_plane_enable, line_stipple_factor, line_stipple_pattern,
        multisample, force_persample_interp, no_ms_sample_mask_out, sprite_coord_enable, line_width,
        point_size, offset_units, offset_scale, offset_clamp, poly_smooth, conservative_raster_mode,
        conservative_raster_dilate, offset_units_unscaled, rasterizer_discard);
}

fn texture(scene: &Scene, index: usize, out: &mut Vec<Scene>) {
    let Some(texture) = &scene.draws[index].texture else { return };
    let mut change = |change: &dyn Fn(&mut crate::scene::Texture)| {
        with(scene, index, out, |draw| {
            if let Some(texture) = &mut draw.texture {
                change(texture);
            }
        });
    };
    change(&|texture| (texture.levels, texture.first_level) = (1, 0));
    change(&|texture| texture.first_level = 0);
    change(&|texture| texture.swizzle = Swizzle::IDENTITY);
    if !texture.format.is_depth_or_stencil() {
        change(&|texture| texture.format = Format::R8G8B8A8Unorm);
    }
    let shared = |state: &SamplerState| SamplerState {
        normalized_coords: state.normalized_coords,
        compare_mode: state.compare_mode,
        ..SamplerState::default()
    };
    change(&|texture| texture.sampler = shared(&texture.sampler));
    let default = SamplerState::default();
    change(&|texture| texture.sampler.wrap_s = TexWrap::ClampToEdge);
    change(&|texture| texture.sampler.wrap_t = TexWrap::ClampToEdge);
    change(&|texture| texture.sampler.wrap_r = TexWrap::ClampToEdge);
    change(&|texture| texture.sampler.min_img_filter = default.min_img_filter);
    change(&|texture| texture.sampler.mag_img_filter = default.mag_img_filter);
    change(&|texture| texture.sampler.min_mip_filter = default.min_mip_filter);
    change(&|texture| texture.sampler.seamless_cube_map = default.seamless_cube_map);
    change(&|texture| texture.sampler.reduction_mode = default.reduction_mode);
    change(&|texture| texture.sampler.lod_bias = default.lod_bias);
    change(&|texture| texture.sampler.max_anisotropy = default.max_anisotropy);
    change(&|texture| texture.sampler.min_lod = default.min_lod);
    change(&|texture| texture.sampler.max_lod = default.max_lod);
}

fn values(scene: &Scene, index: usize, out: &mut Vec<Scene>) {
    let mut change = |change: fn(&mut Vertex)| {
        with(scene, index, out, |draw| draw.vertices.iter_mut().for_each(change));
    };
    change(|vertex| vertex.color = [1.0; 4]);
    change(|vertex| {
        // For vertices behind the eye, depth determines the near plane.
        if vertex.position[3] > 0.0 {
            vertex.position[2] = 0.0;
        }
    });
    change(|vertex| {
        let w = vertex.position[3];
        vertex.position = vertex.position.map(|value| value / w);
    });
    with(scene, index, out, |draw| draw.fragment.interpolation = Fragment::COLOR.interpolation);
    with(scene, index, out, |draw| draw.fragment.location = Fragment::COLOR.location);
    let mut simpler = scene.clone();
    (simpler.clear_color, simpler.clear_depth, simpler.clear_stencil) = ([0.0; 4], 1.0, 0);
    out.push(simpler);
}
