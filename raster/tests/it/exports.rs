//! Shader outputs other than colours, textures in vertex shaders, render conditions, clamps.

use crate::common::*;
use formats::Format;
use gallium_raster::{Host, Profile, Small, Tiny};
use os_shim::Os;
use pipe_core::query::RenderConditionMode;
use pipe_core::{
    Bind, BlendFactor, BlendState, ClearFlags, ColorUnion, CompareFunc, DepthStencilAlphaState,
    MapFlags, PrimType, QueryType, RasterizerState, ResourceTemplate, SamplerViewRange,
    SamplerViewTemplate, Screen as _, ShaderType, StencilOp, TextureTarget,
};

in_all_profiles! {
    stencil_from_the_shader
    depth_from_the_shader
    sample_masks_from_the_shader
    vertex_shaders_sample
    buffers_are_textures
    compressed_blocks_are_textures
    conditions_skip_draws_and_clears
    fragment_colours_are_clamped
    both_colours_of_dual_source_are_clamped
    coverage_from_alpha
}

fn small() -> Options {
    Options { width: 8, height: 8, ..Options::default() }
}

/// Returns a triangle that covers the target.
fn everything(z: f32, color: [f32; 4]) -> [Vertex; 3] {
    [vertex(-1.0, -1.0, z, color), vertex(3.0, -1.0, z, color), vertex(-1.0, 3.0, z, color)]
}

fn stencil_from_the_shader<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let depth = Some(Format::Z24UnormS8Uint);
    let mut setup = Setup::new(&screen, Options { depth, ..small() }).unwrap();
    // The column is the reference value. Values above 3 are written.
    let export = "FRAG
DCL IN[0], POSITION, LINEAR
DCL OUT[0], STENCIL
DCL OUT[1], COLOR
DCL TEMP[0]
IMM FLT32 {1.0, 0.0, 0.0, 0.0}
F2U OUT[0].y, IN[0].xxxx
MOV OUT[1], IMM[0]
END";
    setup.shaders(PASS, export).unwrap();
    let mut state = DepthStencilAlphaState::default();
    state.stencil[0].enabled = true;
    state.stencil[0].func = CompareFunc::Greater;
    state.stencil[0].valuemask = 0xff;
    state.stencil[0].writemask = 0xff;
    state.stencil[0].zpass_op = StencilOp::Replace;
    setup.depth_test(&state).unwrap();
    let buffers = ClearFlags::COLOR0 | ClearFlags::DEPTH_STENCIL;
    setup.context.clear(buffers, None, &ColorUnion::float(BLACK), 1.0, 3).unwrap();
    setup.upload(&screen, &everything(0.0, RED)).unwrap();
    setup.draw(PrimType::Triangles, 3).unwrap();
    assert_eq!(setup.text()[2], "....rrrr");
    let depth = setup.depth.unwrap();
    let stencils: Vec<u8> = setup.read(depth).unwrap()[..32].chunks(4).map(|t| t[3]).collect();
    assert_eq!(stencils, [3, 3, 3, 3, 4, 5, 6, 7]);
}

fn depth_from_the_shader<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let depth = Some(Format::Z16Unorm);
    let mut setup = Setup::new(&screen, Options { depth, ..small() }).unwrap();
    let export = "FRAG
DCL IN[0], POSITION, LINEAR
DCL IN[1], COLOR, COLOR
DCL OUT[0], POSITION
DCL OUT[1], COLOR
IMM FLT32 {0.125, 0.0, 0.0, 0.0}
MUL OUT[0].z, IN[0].xxxx, IMM[0].xxxx
MOV OUT[1], IN[1]
END";
    setup.shaders(PASS, export).unwrap();
    let state = DepthStencilAlphaState {
        depth_enabled: true,
        depth_writemask: true,
        depth_func: CompareFunc::Less,
        ..Default::default()
    };
    setup.depth_test(&state).unwrap();
    // Depths are 1/16, 3/16 … 15/16; the first five are less than 0.6.
    setup.clear(BLACK, 0.6).unwrap();
    setup.upload(&screen, &everything(0.9, RED)).unwrap();
    setup.draw(PrimType::Triangles, 3).unwrap();
    assert_eq!(setup.text()[6], "rrrrr...");
}

fn sample_masks_from_the_shader<P: Profile>() {
    let mask = "FRAG
DCL IN[0], POSITION, LINEAR
DCL OUT[0], SAMPLEMASK
DCL OUT[1], COLOR
IMM FLT32 {1.0, 0.0, 0.0, 0.0}
F2U OUT[0].x, IN[0].xxxx
MOV OUT[1], IMM[0]
END";
    // The target has one sample, so multisampling is off in every state.
    let cases = [(false, false, ".r.r.r.r"), (false, true, "rrrrrrrr"), (true, true, "rrrrrrrr")];
    for (multisample, ignored, wanted) in cases {
        let screen = screen::<P>(Os::host(), 0);
        let mut setup = Setup::new(&screen, small()).unwrap();
        let state = RasterizerState { multisample, no_ms_sample_mask_out: ignored, ..rasterizer() };
        setup.rasterizer(&state).unwrap();
        setup.shaders(PASS, mask).unwrap();
        setup.clear(BLACK, 1.0).unwrap();
        setup.upload(&screen, &everything(0.0, RED)).unwrap();
        setup.draw(PrimType::Triangles, 3).unwrap();
        assert_eq!(setup.text()[1], wanted);
    }
}

fn vertex_shaders_sample<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let mut setup = Setup::new(&screen, small()).unwrap();
    let bind = Bind::SAMPLER_VIEW;
    let template = ResourceTemplate::texture_2d(Format::R8G8B8A8Unorm, 2, 1, bind);
    let texels = [255, 0, 0, 255, 0, 255, 0, 255];
    let image = setup.image(&screen, &template, &texels).unwrap();
    let view = SamplerViewTemplate::whole(&template);
    setup.texture(ShaderType::Vertex, image, &view, &nearest()).unwrap();
    // The colour is the texel at the attribute's x.
    let shader = "VERT
DCL IN[0]
DCL IN[1]
DCL OUT[0], POSITION
DCL OUT[1], COLOR
DCL SAMP[0]
DCL SVIEW[0], 2D, FLOAT
IMM FLT32 {0.0, 0.0, 0.0, 0.0}
DCL TEMP[0]
MOV OUT[0], IN[0]
MOV TEMP[0], IMM[0]
MOV TEMP[0].x, IN[1].xxxx
TXL OUT[1], TEMP[0], SAMP[0], 2D
END";
    setup.shaders(shader, COLOR).unwrap();
    for (at, wanted) in [(0.25, "rrrrrrrr"), (0.75, "gggggggg")] {
        setup.clear(BLACK, 1.0).unwrap();
        setup.upload(&screen, &everything(0.0, [at, 0.0, 0.0, 0.0])).unwrap();
        setup.draw(PrimType::Triangles, 3).unwrap();
        assert_eq!(setup.text()[0], wanted, "{at}");
    }
}

fn buffers_are_textures<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let mut setup = Setup::new(&screen, small()).unwrap();
    let template = ResourceTemplate::buffer(48, Bind::SAMPLER_VIEW);
    let buffer = screen.resource_create(&template).unwrap();
    // The view begins at byte 16: texel 0 is red, 1 is green, up to 7.
    let mut bytes = [0; 48];
    for texel in 0..8 {
        bytes[16 + 4 * texel + texel % 2] = 255;
    }
    setup.context.buffer_subdata(buffer, MapFlags::WRITE, 0, &bytes).unwrap();
    let view = SamplerViewTemplate {
        target: TextureTarget::Buffer,
        format: Format::R8G8B8A8Unorm,
        range: SamplerViewRange::Buffer { offset: 16, size: 32 },
        ..SamplerViewTemplate::whole(&ResourceTemplate::texture_2d(
            Format::R8G8B8A8Unorm,
            1,
            1,
            Bind::SAMPLER_VIEW,
        ))
    };
    let view = setup.context.create_sampler_view(buffer, &view).unwrap();
    setup.context.set_sampler_views(ShaderType::Fragment, 0, &[Some(view)]).unwrap();
    let fetch = "FRAG
DCL IN[0], POSITION, LINEAR
DCL OUT[0], COLOR
DCL SAMP[0]
DCL SVIEW[0], BUFFER, FLOAT
DCL TEMP[0]
F2I TEMP[0], IN[0].xxxx
TXF OUT[0], TEMP[0], SAMP[0], BUFFER
END";
    setup.shaders(PASS, fetch).unwrap();
    setup.clear(BLACK, 1.0).unwrap();
    setup.upload(&screen, &everything(0.0, RED)).unwrap();
    setup.draw(PrimType::Triangles, 3).unwrap();
    assert_eq!(setup.text()[3], "rgrgrgrg");
}

fn compressed_blocks_are_textures<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let mut setup = Setup::new(&screen, small()).unwrap();
    let bind = Bind::SAMPLER_VIEW;
    let template = ResourceTemplate::texture_2d(Format::Dxt1Rgb, 8, 4, bind);
    // Red and blue. The first row of the first block is 0 1 0 1, all other rows are 0. The second
    // block is all 1.
    let blocks = [0, 0xf8, 0x1f, 0, 0x44, 0, 0, 0, 0, 0xf8, 0x1f, 0, 0x55, 0x55, 0x55, 0x55];
    let image = setup.image(&screen, &template, &blocks).unwrap();
    let view = SamplerViewTemplate::whole(&template);
    setup.texture(ShaderType::Fragment, image, &view, &nearest()).unwrap();
    setup.shaders(PASS, TEXEL).unwrap();
    setup.clear(BLACK, 1.0).unwrap();
    let corner = |x: f32, y: f32| vertex(x, y, 0.0, [(x + 1.0) / 2.0, (y + 1.0) / 2.0, 0.0, 0.0]);
    let corners = [corner(-1.0, -1.0), corner(3.0, -1.0), corner(-1.0, 3.0)];
    setup.upload(&screen, &corners).unwrap();
    setup.draw(PrimType::Triangles, 3).unwrap();
    let text = setup.text();
    assert_eq!([&text[0], &text[1], &text[2]], ["rbrbbbbb", "rbrbbbbb", "rrrrbbbb"]);
}

fn conditions_skip_draws_and_clears<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let mut setup = Setup::new(&screen, small()).unwrap();
    setup.clear(BLACK, 1.0).unwrap();
    let query = setup.context.create_query(QueryType::OcclusionPredicate, 0).unwrap();
    setup.upload(&screen, &everything(0.0, RED)).unwrap();
    let wait = RenderConditionMode::Wait;
    for (visible, skip_if, drawn) in
        [(true, false, true), (true, true, false), (false, false, false), (false, true, true)]
    {
        setup.context.begin_query(query).unwrap();
        if visible {
            setup.draw(PrimType::Triangles, 3).unwrap();
        }
        setup.context.end_query(query).unwrap();
        setup.clear(BLACK, 1.0).unwrap();
        setup.context.render_condition(Some(query), skip_if, wait).unwrap();
        setup.draw(PrimType::Triangles, 3).unwrap();
        let wanted = if drawn { "rrrrrrrr" } else { "........" };
        assert_eq!(setup.text()[0], wanted, "{visible} {skip_if}");
        setup.clear(BLUE, 1.0).unwrap();
        let wanted = if drawn { "bbbbbbbb" } else { "........" };
        assert_eq!(setup.text()[0], wanted, "{visible} {skip_if}");
        setup.context.render_condition(None, false, wait).unwrap();
        setup.clear(BLACK, 1.0).unwrap();
    }
    let time = setup.context.create_query(QueryType::Timestamp, 0).unwrap();
    assert!(setup.context.render_condition(Some(time), false, wait).is_err());
    // A destroyed query is no condition.
    setup.context.render_condition(Some(query), true, wait).unwrap();
    setup.context.destroy_query(query).unwrap();
    setup.draw(PrimType::Triangles, 3).unwrap();
    assert_eq!(setup.text()[0], "rrrrrrrr");
}

fn fragment_colours_are_clamped<P: Profile>() {
    for (clamp, wanted) in [(true, [1.0, 0.0, 0.5, 1.0]), (false, [3.0, -2.0, 0.5, 1.5])] {
        let screen = screen::<P>(Os::host(), 0);
        let format = Format::R32G32B32A32Float;
        let mut setup = Setup::new(&screen, Options { format, ..small() }).unwrap();
        let state = RasterizerState { clamp_fragment_color: clamp, ..rasterizer() };
        setup.rasterizer(&state).unwrap();
        setup.upload(&screen, &everything(0.0, [3.0, -2.0, 0.5, 1.5])).unwrap();
        setup.draw(PrimType::Triangles, 3).unwrap();
        let pixels = setup.pixels().unwrap();
        let value = |i: usize| f32::from_le_bytes(pixels[i * 4..][..4].try_into().unwrap());
        assert_eq!([value(0), value(1), value(2), value(3)], wanted);
    }
}

/// Manual, `clamp_fragment_color`: "COLOR outputs of the fragment shader are clamped to [0, 1]",
/// all of them. The first colour times the second replaces a float target.
fn both_colours_of_dual_source_are_clamped<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let format = Format::R32G32B32A32Float;
    let mut setup = Setup::new(&screen, Options { format, ..small() }).unwrap();
    let mut blend = BlendState::default();
    let target = &mut blend.rt[0];
    target.blend_enable = true;
    (target.rgb_src_factor, target.rgb_dst_factor) = (BlendFactor::Src1Color, BlendFactor::Zero);
    (target.alpha_src_factor, target.alpha_dst_factor) =
        (BlendFactor::Src1Alpha, BlendFactor::Zero);
    setup.blend(&blend).unwrap();
    let shader = "FRAG
DCL OUT[0], COLOR[0]
DCL OUT[1], COLOR[1]
IMM[0] FLT32 { 4.0, 0.5, 4.0, 0.5 }
IMM[1] FLT32 { 2.0, 3.0, -2.0, 0.25 }
MOV OUT[0], IMM[0]
MOV OUT[1], IMM[1]
END";
    setup.shaders(PASS, shader).unwrap();
    setup.upload(&screen, &everything(0.0, RED)).unwrap();
    for (clamp, wanted) in [(false, [8.0f32, 1.5, -8.0, 0.125]), (true, [1.0, 0.5, 0.0, 0.125])] {
        let state = RasterizerState { clamp_fragment_color: clamp, ..rasterizer() };
        setup.rasterizer(&state).unwrap();
        setup.clear(BLACK, 1.0).unwrap();
        setup.draw(PrimType::Triangles, 3).unwrap();
        let pixels = setup.pixels().unwrap();
        let texels = pixels.as_chunks::<4>().0.iter().map(|word| f32::from_le_bytes(*word));
        let texels: Vec<f32> = texels.collect();
        assert_eq!(texels[..4], wanted, "clamped {clamp} {}", P::NAME);
        assert_eq!(texels[4 * 63..], wanted, "clamped {clamp} {}", P::NAME);
    }
}

fn coverage_from_alpha<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let mut setup = Setup::new(&screen, small()).unwrap();
    setup.blend(&BlendState { alpha_to_coverage: true, ..BlendState::default() }).unwrap();
    setup.clear(BLACK, 1.0).unwrap();
    // Alpha is 1/16 in the first column and rises to 15/16 in the last.
    let alpha = |x: f32, y: f32, a: f32| vertex(x, y, 0.0, [1.0, 0.0, 0.0, a]);
    let corners = [alpha(-1.0, -1.0, 0.0), alpha(3.0, -1.0, 2.0), alpha(-1.0, 3.0, 0.0)];
    setup.upload(&screen, &corners).unwrap();
    setup.draw(PrimType::Triangles, 3).unwrap();
    assert_eq!(setup.text()[5], "....rrrr");
}
