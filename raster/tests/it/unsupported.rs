//! State that the driver does not implement is rejected by name, and the caps do not announce it.

use crate::common::*;
use formats::Format;
use gallium_raster::Small;
use os_shim::Os;
use pipe_core::{
    Bind, BlendState, Cap, CapF, ConservativeRasterMode, DrawInfo, DrawStartCount, MapFlags,
    PipeError, PrimType, RasterizerState, Region, ResourceFlags, ResourceTemplate, SamplerState,
    Screen as _, ShaderState, TextureTarget,
};

const ANISOTROPY: bool = cfg!(feature = "desktop");

fn refused<T: core::fmt::Debug>(result: Result<T, PipeError>, what: &'static str) {
    match result {
        Err(PipeError::Unsupported(name)) => assert_eq!(name, what),
        other => panic!("{what}: {other:?}"),
    }
}

#[test]
fn members_of_state_objects() {
    let screen = screen::<Small>(Os::host(), 0);
    let mut context = screen.context_create(Default::default()).unwrap();
    let good = RasterizerState::default();
    let conservative_raster_mode = ConservativeRasterMode::PostSnap;
    for (state, what) in [
        #[cfg(not(feature = "samples"))]
        (RasterizerState { force_persample_interp: true, ..good }, "force_persample_interp"),
        (
            RasterizerState { conservative_raster_mode, conservative_raster_dilate: 0.8, ..good },
            "conservative_raster_dilate of more than 0.75",
        ),
        (RasterizerState { subpixel_precision_x: 1, ..good }, "subpixel_precision_x and _y"),
        (RasterizerState { subpixel_precision_y: 1, ..good }, "subpixel_precision_x and _y"),
        (RasterizerState { tile_raster_order_fixed: true, ..good }, "tile_raster_order_fixed"),
    ] {
        refused(context.create_rasterizer_state(&state), what);
    }
    let dithered = BlendState { alpha_to_coverage_dither: true, ..BlendState::default() };
    context.create_blend_state(&dithered).expect("no coverage to dither");
    let dithered = BlendState { alpha_to_coverage: true, ..dithered };
    #[cfg(feature = "samples")]
    context.create_blend_state(&dithered).expect("dithered coverage");
    #[cfg(not(feature = "samples"))]
    refused(
        context.create_blend_state(&dithered),
        "alpha_to_coverage_dither (the feature samples is off)",
    );
    for (max_anisotropy, accepted) in [(0, true), (1, true), (2, ANISOTROPY), (16, ANISOTROPY)] {
        let state = SamplerState { max_anisotropy, ..SamplerState::default() };
        let result = context.create_sampler_state(&state);
        if accepted {
            result.expect("within the caps");
        } else {
            refused(result, "max_anisotropy above 1 (anisotropy is off)");
        }
    }
    for cap in [
        Cap::MaxConservativeRasterSubpixelPrecisionBias,
        Cap::TileRasterOrder,
        // No blend state can name an advanced equation.
        Cap::BlendEquationAdvanced,
        #[cfg(not(feature = "desktop"))]
        Cap::AnisotropicFilter,
        #[cfg(not(feature = "desktop"))]
        Cap::SparseBufferPageSize,
        #[cfg(not(feature = "desktop"))]
        Cap::MaxSparseTextureSize,
        Cap::QuerySparseTextureResidency,
        #[cfg(not(feature = "samples"))]
        Cap::SampleShading,
    ] {
        assert_eq!(screen.get_param(cap), 0, "{cap:?}");
    }
    let most = if ANISOTROPY { 16.0 } else { 1.0 };
    assert_eq!(screen.get_paramf(CapF::MaxTextureAnisotropy), most);
}

/// Dithering is the driver's choice (manual, CSO, "Blend"): this driver stores the nearest colour.
#[test]
fn dither_changes_no_pixel() {
    let screen = screen::<Small>(Os::host(), 0);
    let format = Format::B5G6R5Unorm;
    let pictures = [false, true].map(|dither| {
        let mut setup = Setup::new(&screen, Options { format, ..Options::default() }).unwrap();
        setup.blend(&BlendState { dither, ..BlendState::default() }).unwrap();
        setup.clear(BLACK, 1.0).unwrap();
        let grey = [0.3, 0.4, 0.5, 1.0];
        let corners = [(-1.0, -1.0), (3.0, -1.0), (-1.0, 3.0)];
        let vertices = corners.map(|(x, y)| vertex(x, y, 0.0, grey));
        setup.upload(&screen, &vertices).unwrap();
        setup.draw(PrimType::Triangles, 3).unwrap();
        setup.pixels().unwrap()
    });
    assert_eq!(pictures[0], pictures[1]);
    // 0.3 × 31 = 9.3, 0.4 × 63 = 25.2, 0.5 × 31 = 15.5, which goes to the even 16.
    let wanted: u16 = 9 << 11 | 25 << 5 | 16;
    assert!(pictures[0].chunks(2).all(|pixel| pixel == wanted.to_le_bytes()));
}

#[test]
fn draws_resources_and_transfers() {
    let screen = screen::<Small>(Os::host(), 0);
    let mut setup = Setup::new(&screen, Options::default()).unwrap();
    let info = DrawInfo { view_mask: 1, ..DrawInfo::new(PrimType::Triangles) };
    refused(setup.context.draw_vbo(&info, None, &[DrawStartCount::count(3)]), "view_mask");
    let whole = ResourceTemplate::texture_2d(Format::R8G8B8A8Unorm, 4, 1, Bind::SAMPLER_VIEW);
    assert!(screen.can_create_resource(&whole));
    let flags = ResourceFlags::SPARSE;
    assert_eq!(
        screen.can_create_resource(&ResourceTemplate { flags, ..whole }),
        cfg!(feature = "desktop")
    );
    let line = ResourceTemplate { target: TextureTarget::Texture1D, flags, ..whole };
    assert!(!screen.can_create_resource(&line));
    refused(
        screen.resource_create(&line),
        "SPARSE resources of this target, format or binding (without `desktop` of any)",
    );
}

/// The answer depends on format, target and bindings together.
#[test]
fn formats_are_judged_with_their_target_and_bindings() {
    use TextureTarget::{Buffer, Cube, Texture1D, Texture2D, Texture3D};
    let screen = screen::<Small>(Os::host(), 0);
    let (color, dxt, depth) = (Format::R8G8B8A8Unorm, Format::Dxt1Rgba, Format::Z16Unorm);
    let memory = cfg!(feature = "shader-memory");
    let global = cfg!(feature = "desktop");
    for (format, target, bind, wanted) in [
        (color, Texture2D, Bind::RENDER_TARGET | Bind::SAMPLER_VIEW, true),
        (color, Texture2D, Bind::VERTEX_BUFFER, false),
        (color, Texture2D, Bind::INDEX_BUFFER, false),
        (color, Texture2D, Bind::STREAM_OUTPUT, false),
        (color, Texture2D, Bind::SHADER_IMAGE, memory),
        (Format::R8G8B8A8Srgb, Texture2D, Bind::SHADER_IMAGE, false),
        (Format::R8G8B8Unorm, Texture2D, Bind::SHADER_IMAGE, false),
        (color, Texture2D, Bind::CURSOR, false),
        (color, Texture2D, Bind::COMPUTE_RESOURCE, global),
        (Format::R8G8B8A8Srgb, Texture2D, Bind::COMPUTE_RESOURCE, false),
        (color, Texture2D, Bind::GLOBAL, false),
        (color, Buffer, Bind::VERTEX_BUFFER | Bind::SAMPLER_VIEW, true),
        (color, Buffer, Bind::STREAM_OUTPUT | Bind::COMMAND_ARGS_BUFFER, true),
        (color, Buffer, Bind::INDEX_BUFFER | Bind::CONSTANT_BUFFER, true),
        (color, Buffer, Bind::RENDER_TARGET, true),
        (color, Buffer, Bind::DISPLAY_TARGET, false),
        (color, Buffer, Bind::SHADER_BUFFER, memory),
        (color, Buffer, Bind::QUERY_BUFFER, true),
        (color, Texture2D, Bind::QUERY_BUFFER, false),
        (color, Buffer, Bind::GLOBAL, global),
        (color, Buffer, Bind::SHADER_IMAGE, memory),
        (dxt, Texture2D, Bind::SAMPLER_VIEW, true),
        (dxt, Cube, Bind::SAMPLER_VIEW, true),
        (dxt, Texture2D, Bind::SHADER_IMAGE, false),
        (dxt, Texture1D, Bind::SAMPLER_VIEW, false),
        (dxt, Buffer, Bind::SAMPLER_VIEW, false),
        (depth, Texture2D, Bind::DEPTH_STENCIL | Bind::SAMPLER_VIEW, true),
        (depth, Texture3D, Bind::SAMPLER_VIEW, false),
        (depth, Texture2D, Bind::SHADER_IMAGE, false),
        (depth, Buffer, Bind::SAMPLER_VIEW, false),
        (depth, Texture2D, Bind::RENDER_TARGET, false),
        (Format::None, Texture2D, Bind::SAMPLER_VIEW, false),
        (Format::None, Texture2D, Bind::RENDER_TARGET, true),
        (Format::None, Texture2D, Bind::RENDER_TARGET | Bind::SAMPLER_VIEW, false),
        (Format::None, Texture3D, Bind::RENDER_TARGET, false),
    ] {
        let answer = screen.is_format_supported(format, target, 1, 1, bind);
        assert_eq!(answer, wanted, "{format:?} {target:?} {bind:?}");
    }
    let four = screen.is_format_supported(color, Texture2D, 4, 4, Bind::RENDER_TARGET);
    assert_eq!(four, cfg!(feature = "samples"));
    let cursor = screen.resource_create(&ResourceTemplate::buffer(64, Bind::CURSOR));
    assert!(matches!(cursor, Err(PipeError::UnsupportedFormat { .. })), "{cursor:?}");
}

#[test]
fn writes_that_may_not_block_fail_while_draws_are_pending() {
    let screen = screen::<Small>(Os::host(), 0);
    let mut setup = Setup::new(&screen, Options::default()).unwrap();
    let place = Region::rect(0, 0, 1, 1);
    let color = setup.color;
    let usage = MapFlags::WRITE | MapFlags::DONTBLOCK;
    let write = |setup: &mut Setup<'_, '_>| {
        setup.context.texture_subdata(color, 0, usage, &place, &[1, 2, 3, 4], 4, 4)
    };
    assert_eq!(write(&mut setup), Ok(()), "nothing is pending");
    setup.clear(BLACK, 1.0).unwrap();
    assert_eq!(write(&mut setup), Err(PipeError::NotReady));
    let pixels = setup.pixels().unwrap();
    assert_eq!(pixels[..4], [0, 0, 0, 255], "the refused write changed nothing");
    assert_eq!(write(&mut setup), Ok(()));
}

#[test]
fn semantics_without_a_value_or_a_use() {
    let screen = screen::<Small>(Os::host(), 0);
    let mut context = screen.context_create(Default::default()).unwrap();
    let fragment = |declaration: &str, register: &str| {
        format!("FRAG\n{declaration}\nDCL OUT[0], COLOR\nMOV OUT[0], {register}\nEND")
    };
    let vertex = |declaration: &str, register: &str| {
        format!("VERT\n{declaration}\nDCL OUT[0], POSITION\nMOV OUT[0], {register}\nEND")
    };
    for (text, semantic) in [
        (fragment("DCL SV[0], VERTEXID", "SV[0].xxxx"), "VERTEXID"),
        (fragment("DCL SV[0], INVOCATIONID", "SV[0].xxxx"), "INVOCATIONID"),
    ] {
        refused(context.create_fs_state(&ShaderState::text(&text)), semantic);
    }
    let output = |semantic: &str| {
        format!(
            "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nDCL OUT[1], {semantic}\n\
             MOV OUT[0], IN[0]\nMOV OUT[1].x, IN[0].xxxx\nEND"
        )
    };
    for (text, semantic) in [
        (vertex("DCL SV[0], INVOCATIONID", "SV[0].xxxx"), "INVOCATIONID"),
        (vertex("DCL SV[0], TESSCOORD", "SV[0].xxxx"), "TESSCOORD"),
        (output("VIEWPORT_MASK"), "VIEWPORT_MASK"),
    ] {
        refused(context.create_vs_state(&ShaderState::text(&text)), semantic);
    }
    let numbers = vertex("DCL SV[0], VERTEXID", "SV[0].xxxx");
    context.create_vs_state(&ShaderState::text(&numbers)).expect("Draw numbers vertices");
}
