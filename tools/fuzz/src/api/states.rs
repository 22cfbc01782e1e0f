//! State structs with fields from an input.

use pipe_core::*;

use crate::Input;

/// Returns a coordinate, mostly within clip space.
pub(super) fn coordinate(input: &mut Input<'_>) -> f32 {
    if input.once_in(24) { input.float() } else { f32::from(input.byte() as i8) / 100.0 }
}

/// Returns a box, mostly within 32 texels.
pub(super) fn region(input: &mut Input<'_>) -> Region {
    let mut place = |most| input.up_to(most) as i32;
    let (x, y, z) = (place(24), place(24), place(2));
    let mut size = |most: u32| if input.once_in(24) { -4 } else { input.up_to(most) as i32 };
    let (width, height) = (size(32), size(32));
    Region {
        x,
        y,
        z,
        width,
        height,
        depth: if input.once_in(8) { input.up_to(8) as i32 } else { 1 },
    }
}

/// Returns a rectangle, mostly within 32 pixels.
pub(super) fn scissor(input: &mut Input<'_>) -> ScissorState {
    let [minx, miny, maxx, maxy] = input.array(|input| input.up_to(40) as u16);
    ScissorState { minx, miny, maxx, maxy }
}

/// Returns a format, mostly one that supports many uses.
pub(super) fn format(input: &mut Input<'_>) -> Format {
    const COMMON: [Format; 12] = [
        Format::R8G8B8A8Unorm,
        Format::B8G8R8X8Unorm,
        Format::B5G6R5Unorm,
        Format::R8G8B8A8Srgb,
        Format::R32G32B32A32Float,
        Format::R16G16Float,
        Format::R8G8B8A8Uint,
        Format::R32Sint,
        Format::R8Unorm,
        Format::Z16Unorm,
        Format::Z24UnormS8Uint,
        Format::S8Uint,
    ];
    if input.once_in(3) { input.pick(Format::ALL) } else { input.pick(&COMMON) }
}

/// Returns the template of a small resource, sometimes of an impossible one.
pub(super) fn template(input: &mut Input<'_>) -> ResourceTemplate {
    let target = input.pick(TextureTarget::ALL);
    let binds = [
        Bind::SAMPLER_VIEW,
        Bind::SAMPLER_VIEW | Bind::RENDER_TARGET,
        Bind::RENDER_TARGET | Bind::BLENDABLE,
        Bind::RENDER_TARGET | Bind::DISPLAY_TARGET,
        Bind::DEPTH_STENCIL,
        Bind::DEPTH_STENCIL | Bind::SAMPLER_VIEW,
        Bind::VERTEX_BUFFER | Bind::INDEX_BUFFER | Bind::STREAM_OUTPUT,
        Bind::CONSTANT_BUFFER | Bind::COMMAND_ARGS_BUFFER,
        Bind::SAMPLER_VIEW | Bind::SHADER_IMAGE,
        Bind::SHADER_BUFFER | Bind::VERTEX_BUFFER,
    ];
    let bind =
        if input.once_in(12) { Bind::from_bits_retain(input.word()) } else { input.pick(&binds) };
    let buffer = target == TextureTarget::Buffer;
    let width0 = input.up_to(if buffer { 4096 } else { 40 });
    let height0 = if target.is_1d() { 1 } else { input.up_to(40) };
    let cube = if target.is_cube() && !input.once_in(8) { 6 } else { 1 };
    ResourceTemplate {
        target,
        format: if buffer { Format::R8Unorm } else { format(input) },
        width0,
        height0: if target.is_cube() && !input.once_in(8) { width0 } else { height0 },
        depth0: if target == TextureTarget::Texture3D { input.up_to(6) } else { 1 },
        array_size: if target.is_layered() {
            input.up_to(2).max(1).saturating_mul(cube)
        } else {
            1
        },
        last_level: if buffer { 0 } else { input.up_to(3) },
        nr_samples: if input.once_in(16) { input.byte() } else { 0 },
        nr_storage_samples: 0,
        usage: input.pick(Usage::ALL),
        bind,
        flags: match input.below(16) {
            0 => ResourceFlags::STREAMED,
            1 => ResourceFlags::from_bits_retain(input.word()),
            2 => ResourceFlags::SPARSE,
            _ => ResourceFlags::empty(),
        },
    }
}

pub(super) fn color(input: &mut Input<'_>) -> ColorUnion {
    ColorUnion::float(input.array(Input::float))
}

pub(super) fn blend(input: &mut Input<'_>) -> BlendState {
    let target = |input: &mut Input<'_>| RenderTargetBlendState {
        blend_enable: input.flag(),
        rgb_func: input.pick(BlendFunc::ALL),
        rgb_src_factor: input.pick(BlendFactor::ALL),
        rgb_dst_factor: input.pick(BlendFactor::ALL),
        alpha_func: input.pick(BlendFunc::ALL),
        alpha_src_factor: input.pick(BlendFactor::ALL),
        alpha_dst_factor: input.pick(BlendFactor::ALL),
        colormask: ColorMask::from_bits_truncate(!input.byte()),
    };
    let mut rt = [target(input); 8];
    let independent_blend_enable = input.once_in(4);
    if independent_blend_enable {
        rt = input.array(target);
    }
    BlendState {
        independent_blend_enable,
        logicop_enable: input.once_in(8),
        logicop_func: input.pick(LogicOp::ALL),
        dither: input.flag(),
        alpha_to_coverage: input.once_in(16),
        alpha_to_coverage_dither: input.once_in(16),
        alpha_to_one: input.once_in(16),
        max_rt: input.up_to(7) as u8,
        rt,
    }
}

pub(super) fn depth_stencil_alpha(input: &mut Input<'_>) -> DepthStencilAlphaState {
    let stencil = |input: &mut Input<'_>| StencilState {
        enabled: input.flag(),
        func: input.pick(CompareFunc::ALL),
        fail_op: input.pick(StencilOp::ALL),
        zpass_op: input.pick(StencilOp::ALL),
        zfail_op: input.pick(StencilOp::ALL),
        valuemask: input.byte(),
        writemask: input.byte(),
    };
    DepthStencilAlphaState {
        depth_enabled: input.flag(),
        depth_writemask: input.flag(),
        depth_func: input.pick(CompareFunc::ALL),
        depth_bounds_test: input.once_in(8),
        depth_bounds_min: input.float(),
        depth_bounds_max: input.float(),
        stencil: input.array(stencil),
        alpha_enabled: input.once_in(4),
        alpha_func: input.pick(CompareFunc::ALL),
        alpha_ref_value: input.float(),
    }
}

pub(super) fn rasterizer(input: &mut Input<'_>) -> RasterizerState {
    let bits = input.word();
    let rare = if input.once_in(6) { input.word() } else { 0 };
    let bit = |index: u32| bits >> index & 1 != 0;
    let rarely = |index: u32| rare >> index & 1 != 0;
    let mode = |input: &mut Input<'_>| {
        if input.once_in(4) { input.pick(PolygonMode::ALL) } else { PolygonMode::Fill }
    };
    RasterizerState {
        flatshade: bit(0),
        flatshade_first: bit(1),
        light_twoside: bit(2),
        clamp_vertex_color: bit(3),
        clamp_fragment_color: bit(4),
        front_ccw: bit(5),
        cull_face: if bit(6) { Face::None } else { input.pick(Face::ALL) },
        fill_front: mode(input),
        fill_back: mode(input),
        offset_point: bit(7),
        offset_line: bit(8),
        offset_tri: bit(9),
        scissor: bit(10),
        poly_smooth: rarely(0),
        poly_stipple_enable: bit(11),
        point_smooth: rarely(1),
        sprite_coord_mode: input.pick(SpriteCoordMode::ALL),
        point_quad_rasterization: bit(12),
        point_tri_clip: rarely(2),
        point_size_per_vertex: bit(13),
        multisample: rarely(3),
        no_ms_sample_mask_out: rarely(4),
        force_persample_interp: rarely(5),
        line_smooth: rarely(6),
        line_stipple_enable: bit(14),
        line_last_pixel: bit(15),
        line_rectangular: bit(16),
        conservative_raster_mode: match rarely(7) {
            true => input.pick(ConservativeRasterMode::ALL),
            false => ConservativeRasterMode::Off,
        },
        half_pixel_center: bit(17),
        bottom_edge_rule: bit(18),
        rasterizer_discard: rarely(8),
        tile_raster_order_fixed: rarely(9),
        depth_clip_near: bit(19),
        depth_clip_far: bit(20),
        depth_clamp: bit(21),
        clip_halfz: bit(22),
        offset_units_unscaled: bit(23),
        clip_plane_enable: if bit(24) { input.byte() } else { 0 },
        line_stipple_factor: input.byte(),
        line_stipple_pattern: input.word() as u16,
        sprite_coord_enable: if bit(25) { input.word() } else { 0 },
        line_width: if bit(26) { 1.0 } else { input.float() },
        point_size: if bit(27) { 1.0 } else { input.float() },
        offset_units: input.float(),
        offset_scale: input.float(),
        offset_clamp: input.float(),
        ..RasterizerState::default()
    }
}

pub(super) fn sampler(input: &mut Input<'_>) -> SamplerState {
    SamplerState {
        wrap_s: input.pick(TexWrap::ALL),
        wrap_t: input.pick(TexWrap::ALL),
        wrap_r: input.pick(TexWrap::ALL),
        min_img_filter: input.pick(TexFilter::ALL),
        min_mip_filter: input.pick(TexMipFilter::ALL),
        mag_img_filter: input.pick(TexFilter::ALL),
        compare_mode: input.pick(TexCompare::ALL),
        compare_func: input.pick(CompareFunc::ALL),
        normalized_coords: !input.once_in(8),
        max_anisotropy: if input.once_in(8) { input.byte() } else { 0 },
        seamless_cube_map: input.flag(),
        reduction_mode: match input.once_in(16) {
            true => input.pick(ReductionMode::ALL),
            false => ReductionMode::WeightedAverage,
        },
        lod_bias: input.float(),
        min_lod: input.float(),
        max_lod: input.float(),
        border_color: color(input),
        border_color_is_integer: input.flag(),
        border_color_format: format(input),
    }
}

pub(super) fn vertex_element(input: &mut Input<'_>) -> VertexElement {
    VertexElement {
        src_offset: input.up_to(64),
        vertex_buffer_index: input.up_to(3) as u8,
        dual_slot: input.once_in(24),
        src_format: if input.flag() { Format::R32G32B32A32Float } else { format(input) },
        instance_divisor: if input.once_in(4) { input.up_to(3) } else { 0 },
    }
}

/// Returns tessellation levels, mostly up to 8.
pub(super) fn levels(input: &mut Input<'_>) -> TessState {
    let level = |input: &mut Input<'_>| {
        if input.once_in(8) { input.float() * 64.0 } else { f32::from(input.byte()) / 32.0 }
    };
    TessState { default_outer_level: input.array(level), default_inner_level: input.array(level) }
}

pub(super) fn viewport(input: &mut Input<'_>) -> ViewportState {
    if input.flag() {
        return ViewportState::y_up(input.up_to(40), input.up_to(40));
    }
    let swizzle = ViewportState::default().swizzle;
    ViewportState {
        scale: input.array(|input| input.float() * 16.0),
        translate: input.array(|input| input.float() * 16.0),
        swizzle: match input.once_in(6) {
            true => input.array(|input| input.pick(ViewportSwizzle::ALL)),
            false => swizzle,
        },
    }
}
