//! Lookups with a view of one unit and the sampler of another.

use crate::common::*;
use formats::Format;
use gallium_raster::{Host, Profile, Screen, Small, Tiny};
use os_shim::Os;
use pipe_core::{
    Bind, BlendState, CompareFunc, Context, MapFlags, PrimType, Region, ResourceTemplate,
    SamplerState, SamplerViewTemplate, Screen as _, ShaderType, TexCompare, TexFilter, TexWrap,
};

in_all_profiles! {
    fragments_pair_views_with_any_sampler
    kernels_take_the_sampler_that_is_named
    vertices_pair_views_with_any_sampler
    levels_of_detail_are_those_of_the_sampler
}

#[cfg(feature = "shader-memory")]
in_all_profiles! {
    computed_indices_pair_any_two
    every_lookup_takes_its_sampler
}

#[cfg(feature = "stages")]
in_all_profiles! { geometry_pairs_views_with_any_sampler }

/// Returns a sampler state for the nearest texel, clamped to the edge.
fn clamped() -> SamplerState {
    let edge = TexWrap::ClampToEdge;
    SamplerState { wrap_s: edge, wrap_t: edge, ..nearest() }
}

fn linear() -> SamplerState {
    let filter = TexFilter::Linear;
    SamplerState { min_img_filter: filter, mag_img_filter: filter, ..clamped() }
}

/// Binds textures of one row, from unit 0 on, and samplers.
fn bind<P: Profile>(
    context: &mut dyn Context<'_>,
    screen: &Screen<'_, P>,
    stage: ShaderType,
    textures: &[&[u8]],
    samplers: &[SamplerState],
) {
    let format = Format::L8Unorm;
    let mut views = Vec::new();
    for texels in textures {
        let width = texels.len() as u32;
        let template = ResourceTemplate::texture_2d(format, width, 1, Bind::SAMPLER_VIEW);
        let image = screen.resource_create(&template).unwrap();
        let region = Region::whole(width, 1, 1);
        let usage = MapFlags::WRITE;
        context.texture_subdata(image, 0, usage, &region, texels, texels.len(), 0).unwrap();
        let view = SamplerViewTemplate::whole(&template);
        views.push(Some(context.create_sampler_view(image, &view).unwrap()));
    }
    context.set_sampler_views(stage, 0, &views).unwrap();
    let create = |state| Some(context.create_sampler_state(state).unwrap());
    let samplers: Vec<_> = samplers.iter().map(create).collect();
    context.bind_sampler_states(stage, 0, &samplers).unwrap();
}

/// Covers the target; the colour runs from (0, 0) to (`reach`, 1).
fn cover<'s, 'm, P: Profile>(setup: &mut Setup<'s, 'm>, screen: &'s Screen<'m, P>, reach: f32) {
    let corner =
        |x: f32, y: f32| vertex(x, y, 0.0, [(x + 1.0) / 2.0 * reach, (y + 1.0) / 2.0, 0.0, 1.0]);
    setup.upload(screen, &[corner(-1.0, -1.0), corner(3.0, -1.0), corner(-1.0, 3.0)]).unwrap();
    setup.clear(BLACK, 1.0).unwrap();
    setup.draw(PrimType::Triangles, 3).unwrap();
}

/// Returns a program that ends with a lookup into `OUT[0]`, with constants at `CONST[0]`.
fn fragment(lookup: &str) -> String {
    format!(
        "FRAG\nDCL IN[0], COLOR, PERSPECTIVE\nDCL OUT[0], COLOR\nDCL SAMP[0..1]\n\
        DCL SVIEW[0..1], 2D, FLOAT\nDCL CONST[0]\nDCL TEMP[0]\n{lookup}\nEND"
    )
}

/// At 0.375 of two texels, the first texel is the nearest, and the mean has a quarter of the
/// second.
fn fragments_pair_views_with_any_sampler<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let mut setup = Setup::new(&screen, Options::default()).unwrap();
    bind(
        &mut *setup.context,
        &screen,
        ShaderType::Fragment,
        &[&[0, 255], &[255, 0]],
        &[clamped(), linear()],
    );
    setup.constants(ShaderType::Fragment, &[0.375, 0.0, 0.0, 0.0]).unwrap();
    for (view, sampler, expected) in [(0, 0, 0), (0, 1, 64), (1, 0, 255), (1, 1, 191)] {
        let lookup = format!("SAMPLE OUT[0], CONST[0], SVIEW[{view}], SAMP[{sampler}]");
        setup.shaders(PASS, &fragment(&lookup)).unwrap();
        cover(&mut setup, &screen, 1.0);
        let pixels = setup.pixels().unwrap();
        let only = [expected, expected, expected, 255].repeat(256);
        assert_eq!(pixels, only, "{} view {view} sampler {sampler}", P::NAME);
    }
}

/// Two views of two texels, over twice their width: the sampler decides the half beyond the edge.
fn kernels_take_the_sampler_that_is_named<P: Profile>() {
    for format in [Format::B5G6R5Unorm, Format::L8Unorm, Format::R8G8B8A8Unorm] {
        let screen = screen::<P>(Os::host(), 0);
        let options = Options { format, ..Options::default() };
        let mut setup = Setup::new(&screen, options).unwrap();
        setup.blend(&BlendState::default()).unwrap();
        let textures: [&[u8]; 2] = [&[0, 255], &[255, 0]];
        bind(
            &mut *setup.context,
            &screen,
            ShaderType::Fragment,
            &textures,
            &[clamped(), nearest()],
        );
        let [bytes, first] = [format.block_bytes(), 0];
        for (view, sampler, expected) in
            [(0, 0, [0, 1, 1, 1]), (0, 1, [0, 1, 0, 1]), (1, 0, [1, 0, 0, 0]), (1, 1, [1, 0, 1, 0])]
        {
            let lookup = format!("SAMPLE OUT[0], IN[0], SVIEW[{view}], SAMP[{sampler}]");
            setup.shaders(PASS, &fragment(&lookup)).unwrap();
            cover(&mut setup, &screen, 2.0);
            let pixels = setup.pixels().unwrap();
            // Each quarter of a row shows one texel.
            let quarters = [0, 1, 2, 3].map(|quarter| {
                let texels = &pixels[quarter * 4 * bytes..(quarter + 1) * 4 * bytes];
                u8::from(texels[first] != 0)
            });
            assert_eq!(quarters, expected, "{} {format:?} {view} {sampler}", P::NAME);
        }
    }
}

fn vertices_pair_views_with_any_sampler<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let mut setup = Setup::new(&screen, Options::default()).unwrap();
    let textures: [&[u8]; 2] = [&[0, 255], &[255, 0]];
    bind(&mut *setup.context, &screen, ShaderType::Vertex, &textures, &[clamped(), linear()]);
    for (view, sampler, expected) in [(0, 1, 64), (1, 0, 255)] {
        let vertex = format!(
            "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nDCL OUT[1], COLOR\nDCL SAMP[0..1]\n\
            DCL SVIEW[0..1], 2D, FLOAT\nIMM[0] FLT32 {{ 0.375, 0.0, 0.0, 0.0 }}\n\
            MOV OUT[0], IN[0]\n\
            SAMPLE_L OUT[1], IMM[0], SVIEW[{view}], SAMP[{sampler}], IMM[0].yyyy\nEND"
        );
        setup.shaders(&vertex, COLOR).unwrap();
        cover(&mut setup, &screen, 1.0);
        let pixels = setup.pixels().unwrap();
        let only = [expected, expected, expected, 255].repeat(256);
        assert_eq!(pixels, only, "{} view {view} sampler {sampler}", P::NAME);
    }
}

#[cfg(feature = "stages")]
fn geometry_pairs_views_with_any_sampler<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let mut setup = Setup::new(&screen, Options::default()).unwrap();
    let textures: [&[u8]; 2] = [&[0, 255], &[255, 0]];
    bind(&mut *setup.context, &screen, ShaderType::Geometry, &textures, &[clamped(), linear()]);
    let corner = |vertex: u32| {
        format!(
            "MOV OUT[0], IN[{vertex}][0]\n\
            SAMPLE_L OUT[1], IMM[0], SVIEW[1], SAMP[0], IMM[0].yyyy\n\
            MOV OUT[1].yzw, IN[{vertex}][1]\nEMIT IMM[1].xxxx\n"
        )
    };
    let text = format!(
        "GEOM\nPROPERTY GS_INPUT_PRIMITIVE TRIANGLES\n\
        PROPERTY GS_OUTPUT_PRIMITIVE TRIANGLE_STRIP\nPROPERTY GS_MAX_OUTPUT_VERTICES 3\n\
        DCL IN[][0], POSITION\nDCL IN[][1], COLOR\nDCL OUT[0], POSITION\nDCL OUT[1], COLOR\n\
        DCL SAMP[0..1]\nDCL SVIEW[0..1], 2D, FLOAT\nIMM[0] FLT32 {{ 0.375, 0.0, 0.0, 0.0 }}\n\
        IMM[1] UINT32 {{ 0, 0, 0, 0 }}\n{}{}{}END",
        corner(0),
        corner(1),
        corner(2)
    );
    let stage = ShaderType::Geometry;
    let shader = pipe_core::ShaderState::text(&text);
    let shader = setup.context.create_shader_state(stage, &shader).unwrap();
    setup.context.bind_shader_state(stage, Some(shader)).unwrap();
    let corner = |x, y| vertex(x, y, 0.0, BLACK);
    setup.upload(&screen, &[corner(-1.0, -1.0), corner(3.0, -1.0), corner(-1.0, 3.0)]).unwrap();
    setup.clear(BLACK, 1.0).unwrap();
    setup.draw(PrimType::Triangles, 3).unwrap();
    assert_eq!(setup.pixels().unwrap(), [255, 0, 0, 255].repeat(256), "{}", P::NAME);
}

/// 32 texels over a row of 16 pixels: two texels per pixel, level 1, which a sampler limits to 0.5.
fn levels_of_detail_are_those_of_the_sampler<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let mut setup = Setup::new(&screen, Options::default()).unwrap();
    let mip = pipe_core::TexMipFilter::Linear;
    let whole = SamplerState { min_mip_filter: mip, max_lod: 8.0, ..linear() };
    let half = SamplerState { max_lod: 0.5, ..whole };
    bind(&mut *setup.context, &screen, ShaderType::Fragment, &[&[0], &[0; 32]], &[half, whole]);
    for (sampler, unlimited) in [(0, 255), (1, 255)] {
        let lookup = format!("LOD OUT[0], IN[0], SVIEW[1], SAMP[{sampler}]");
        setup.shaders(PASS, &fragment(&lookup)).unwrap();
        cover(&mut setup, &screen, 1.0);
        // The view has one level, so x is 0 for both; y is the level before the limit.
        let pixels = setup.pixels().unwrap();
        assert_eq!(pixels[..2], [0, unlimited], "{} sampler {sampler}", P::NAME);
    }
    let bias = SamplerState { lod_bias: -0.5, ..whole };
    bind(&mut *setup.context, &screen, ShaderType::Fragment, &[&[0], &[0; 32]], &[bias, whole]);
    setup.shaders(PASS, &fragment("LOD OUT[0], IN[0], SVIEW[1], SAMP[0]")).unwrap();
    cover(&mut setup, &screen, 1.0);
    assert_eq!(setup.pixels().unwrap()[1], 128, "{} bias", P::NAME);
}

/// Eight invocations: bit 0 chooses the view, bit 1 the sampler; bit 2 chooses both by one index.
#[cfg(feature = "shader-memory")]
fn computed_indices_pair_any_two<P: Profile>() {
    let screen = crate::compute::screen::<P>();
    let mut machine = crate::compute::Machine::new(&screen, &[&[0; 32]]);
    // Views 2 and 3, samplers 1 and 2. The views and samplers around them must not be read.
    let textures: [&[u8]; 4] = [&[9, 9], &[9, 9], &[0, 255], &[255, 0]];
    let other = SamplerState { wrap_s: TexWrap::Repeat, ..nearest() };
    bind(
        &mut *machine.context,
        &screen,
        ShaderType::Compute,
        &textures,
        &[other, clamped(), linear()],
    );
    let text = invocation!(
        "DCL BUFFER[0]
DCL ADDR[0]
DCL SAMP[0..2]
DCL SVIEW[0..3], 2D, FLOAT
DCL TEMP[0..2]
IMM[0] FLT32 {0.375, 0.0, 0.0, 0.0}
IMM[1] UINT32 {1, 16, 4, 8}
AND TEMP[0].x, SV[0].xxxx, IMM[1].xxxx
USHR TEMP[0].y, SV[0].xxxx, IMM[1].xxxx
UARL ADDR[0].xy, TEMP[0].xyyy
SAMPLE_L TEMP[1].x, IMM[0], SVIEW[ADDR[0].x+2], SAMP[ADDR[0].y+1], IMM[0].yyyy
SAMPLE_L TEMP[1].y, IMM[0], SVIEW[ADDR[0].x+2].yxzw, SAMP[ADDR[0].x+1], IMM[0].yyyy
SAMPLE_L TEMP[1].z, IMM[0], SVIEW[ADDR[0].x+2].yzxw, SAMP[2], IMM[0].yyyy
SAMPLE_L TEMP[1].w, IMM[0], SVIEW[3].yzwx, SAMP[ADDR[0].y+1], IMM[0].yyyy
UMUL TEMP[2].x, SV[0].xxxx, IMM[1].yyyy
STORE BUFFER[0], TEMP[2].xxxx, TEMP[1]
END
"
    );
    machine.program(text, 0);
    machine.launch([4, 1, 1], [1; 3]);
    let words = machine.words(0, 16);
    let value = |view: usize, sampler: usize| [[0.0f32, 0.25], [1.0, 0.75]][view][sampler];
    for (invocation, found) in words.chunks(4).enumerate() {
        let (view, sampler) = (invocation & 1, invocation >> 1);
        let expected = [value(view, sampler), value(view, view), value(view, 1), value(1, sampler)];
        let found: Vec<_> = found.iter().map(|word| f32::from_bits(*word)).collect();
        assert_eq!(found, expected, "{} {invocation}", P::NAME);
    }
}

/// The sampler decides the edge of gathers, the comparison and the filter of gradients.
#[cfg(feature = "shader-memory")]
fn every_lookup_takes_its_sampler<P: Profile>() {
    let screen = crate::compute::screen::<P>();
    let mut machine = crate::compute::Machine::new(&screen, &[&[0; 32]]);
    let compares = |compare_func| SamplerState {
        compare_mode: TexCompare::RToTexture,
        compare_func,
        ..clamped()
    };
    let samplers = [
        linear(),
        SamplerState { wrap_s: TexWrap::Repeat, ..clamped() },
        compares(CompareFunc::Less),
        compares(CompareFunc::Greater),
    ];
    bind(&mut *machine.context, &screen, ShaderType::Compute, &[&[51, 255], &[51, 255]], &samplers);
    let text = invocation!(
        "DCL BUFFER[0]
DCL SAMP[0..3]
DCL SVIEW[0..1], 2D, FLOAT
DCL TEMP[0..2]
IMM[0] FLT32 {0.375, 0.5, 1.0, 0.0}
IMM[1] UINT32 {0, 16, 32, 48}
GATHER4 TEMP[0], IMM[0].wyyy, SVIEW[1], SAMP[0]
STORE BUFFER[0], IMM[1].xxxx, TEMP[0]
GATHER4 TEMP[0], IMM[0].wyyy, SVIEW[0], SAMP[1]
STORE BUFFER[0], IMM[1].yyyy, TEMP[0]
SAMPLE_C_LZ TEMP[0].x, IMM[0], SVIEW[0], SAMP[2], IMM[0].yyyy
SAMPLE_C_LZ TEMP[0].y, IMM[0], SVIEW[1].yxzw, SAMP[3], IMM[0].yyyy
SAMPLE_D TEMP[0].z, IMM[0], SVIEW[1].yzxw, SAMP[0], IMM[0].wwww, IMM[0].wwww
SAMPLE TEMP[0].w, IMM[0], SVIEW[0].yzwx, SAMP[1]
STORE BUFFER[0], IMM[1].zzzz, TEMP[0]
END
"
    );
    machine.program(text, 0);
    machine.launch([1; 3], [1; 3]);
    let words = machine.words(0, 12);
    let found: Vec<_> = words.iter().map(|word| f32::from_bits(*word)).collect();
    let low = 51.0 / 255.0;
    // At the left edge: the same texel twice, or the last and the first, left of right.
    assert_eq!(found[..4], [low; 4], "{}", P::NAME);
    assert_eq!(found[4..8], [1.0, low, low, 1.0], "{}", P::NAME);
    // 0.5 is greater than 0.2, not less; a quarter of the way from 0.2 to 1 is 0.4.
    assert_eq!(found[8..10], [0.0, 1.0], "{}", P::NAME);
    assert!((found[10] - 0.4).abs() < 1e-6, "{} {}", P::NAME, found[10]);
    assert_eq!(found[11], low, "{}", P::NAME);
}
