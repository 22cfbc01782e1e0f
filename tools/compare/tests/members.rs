//! Random scenes vary every member of every state object, or the member is listed here with a
//! reason.

use std::collections::{BTreeMap, BTreeSet};

use gallium_compare::driver;
use gallium_compare::scene::Scene;
use pipe_core::*;

/// The values of each member seen in scenes.
type Seen = BTreeMap<&'static str, BTreeSet<String>>;

/// Records the members of a state. A state with an additional member does not compile.
macro_rules! note {
    ($seen:expr, $state:expr, $type:ident { $($member:ident),+ $(,)? }) => {{
        let $type { $($member),+ } = $state;
        $(
            let name = concat!(stringify!($type), ".", stringify!($member));
            $seen.entry(name).or_default().insert(format!("{:?}", $member));
        )+
    }};
}

/// Members that no scene varies, and the reason.
const CONSTANT: &[(&str, &str)] = &[
    ("RasterizerState.subpixel_precision_x", "both drivers announce no bits of bias"),
    ("RasterizerState.subpixel_precision_y", "both drivers announce no bits of bias"),
    ("RasterizerState.tile_raster_order_fixed", "both drivers announce no order of tiles"),
    ("RasterizerState.tile_raster_order_increasing_x", "it has no meaning without an order"),
    ("RasterizerState.tile_raster_order_increasing_y", "it has no meaning without an order"),
];

/// Records the states of a scene.
fn note(seen: &mut Seen, scene: &Scene) {
    for draw in &scene.draws {
        note!(
            seen,
            &draw.blend,
            BlendState {
                independent_blend_enable,
                logicop_enable,
                logicop_func,
                dither,
                alpha_to_coverage,
                alpha_to_coverage_dither,
                alpha_to_one,
                max_rt,
                rt,
            }
        );
        for target in &draw.blend.rt {
            note!(
                seen,
                target,
                RenderTargetBlendState {
                    blend_enable,
                    rgb_func,
                    rgb_src_factor,
                    rgb_dst_factor,
                    alpha_func,
                    alpha_src_factor,
                    alpha_dst_factor,
                    colormask,
                }
            );
        }
        note!(
            seen,
            &draw.tests,
            DepthStencilAlphaState {
                depth_enabled,
                depth_writemask,
                depth_func,
                depth_bounds_test,
                depth_bounds_min,
                depth_bounds_max,
                stencil,
                alpha_enabled,
                alpha_func,
                alpha_ref_value,
            }
        );
        for face in &draw.tests.stencil {
            note!(
                seen,
                face,
                StencilState { enabled, func, fail_op, zpass_op, zfail_op, valuemask, writemask }
            );
        }
        note!(
            seen,
            &draw.rasterizer,
            RasterizerState {
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
            }
        );
        if let Some(texture) = &draw.texture {
            note!(
                seen,
                &texture.sampler,
                SamplerState {
                    wrap_s,
                    wrap_t,
                    wrap_r,
                    min_img_filter,
                    min_mip_filter,
                    mag_img_filter,
                    compare_mode,
                    compare_func,
                    normalized_coords,
                    max_anisotropy,
                    seamless_cube_map,
                    lod_bias,
                    min_lod,
                    max_lod,
                    border_color,
                    border_color_is_integer,
                    border_color_format,
                    reduction_mode,
                }
            );
        }
        note!(seen, &draw.viewport, ViewportState { scale, translate, swizzle });
        note!(seen, &draw.windows, WindowRectangles { include, count, rectangles });
        note!(seen, &draw.stencil_ref, StencilRef { ref_value });
        note!(seen, &draw.blend_color, BlendColor { color });
        note!(seen, &draw.clip, ClipState { ucp });
        note!(seen, &draw.stipple, PolyStipple { stipple });
        seen.entry("stages").or_default().insert(format!("{:?}", draw.stages));
        let work = format!("{:?}", draw.fragment.work);
        seen.entry("work").or_default().insert(work);
    }
    let kind = format!("{} {} {}", scene.layers, scene.streamed, scene.kernel.is_some());
    seen.entry("layers, streams, kernels").or_default().insert(kind);
}

#[test]
fn every_member_of_every_state_is_varied() {
    let mut seen = Seen::new();
    let screen = driver(0);
    for seed in 1..600 {
        note(&mut seen, &Scene::random(seed, &*screen));
    }
    for (member, values) in &seen {
        let reason = CONSTANT.iter().find(|(name, _)| name == member).map(|(_, reason)| reason);
        let varies = values.len() > 1;
        assert_eq!(varies, reason.is_none(), "{member}: {values:?}, {reason:?}");
    }
    assert!(CONSTANT.iter().all(|(name, _)| seen.contains_key(name)), "a member that is gone");
}
