//! Programs that run once per pixel or once per sample, and their inputs.

use super::{SIZE, WHOLE, means, rectangle, sample, setup};
use crate::common::*;
use gallium_raster::{Host, Profile, Screen, Small, Tiny};
use os_shim::Os;
use pipe_core::{
    Cap, CompareFunc, DepthStencilAlphaState, PipeError, PrimType, RasterizerState, Screen as _,
    ShaderState, StencilOp, ViewportState,
};

in_all_profiles! {
    programs_run_once_a_sample
    inputs_are_evaluated_where_they_are_asked_for
    centroids_do_not_depend_on_depth
    a_program_reads_the_colour_of_each_sample
    masks_are_read_before_or_after_the_tests
    depths_of_every_sample_are_clamped
}

/// Draws a rectangle over the target with a fragment shader, in four samples; returns one pixel's
/// samples, of four channels.
fn shaded<P: Profile>(screen: &Screen<'_, P>, shader: &str, min_samples: u8) -> [[u8; 4]; 4] {
    shaded_with(screen, shader, min_samples, &RasterizerState { multisample: true, ..rasterizer() })
}

fn shaded_with<P: Profile>(
    screen: &Screen<'_, P>,
    shader: &str,
    min_samples: u8,
    state: &RasterizerState,
) -> [[u8; 4]; 4] {
    let mut setup = setup(screen, 4);
    setup.rasterizer(state).unwrap();
    setup.shaders(PASS, shader).unwrap();
    setup.context.set_min_samples(min_samples);
    setup.clear(BLACK, 1.0).unwrap();
    // Red grows by 1/32 per pixel to the right, green down.
    let mut vertices = rectangle(WHOLE, 0.0, WHITE);
    for vertex in &mut vertices {
        let [x, y, ..] = vertex.position.map(|at| at * 0.5 + 0.5);
        vertex.color = [x, y, 0.0, 1.0];
    }
    setup.upload(screen, &vertices).unwrap();
    setup.draw(PrimType::Triangles, 6).unwrap();
    [0, 1, 2, 3].map(|index| {
        let picture = sample(screen, &mut setup, index);
        picture[4 * (5 * SIZE as usize + 3)..][..4].try_into().unwrap()
    })
}

fn programs_run_once_a_sample<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let id = "FRAG
DCL SV[0], SAMPLEID
DCL SV[1], SAMPLEPOS
DCL SV[2], SAMPLEMASK
DCL OUT[0], COLOR
DCL TEMP[0]
IMM[0] FLT32 { 0.2, 0.0625, 1.0, 0.0 }
I2F TEMP[0].x, SV[0].xxxx
I2F TEMP[0].w, SV[2].xxxx
MUL OUT[0].x, TEMP[0].xxxx, IMM[0].xxxx
MOV OUT[0].yz, SV[1].xxyy
MUL OUT[0].w, TEMP[0].wwww, IMM[0].yyyy
END";
    // A fifth of 255 for each; places in sixteenths of 255, rounded to nearest (even); the mask has
    // one bit.
    let place = |sixteenths: u32| (sixteenths as f32 * 255.0 / 16.0).round_ties_even() as u8;
    let wanted = [
        [0, place(6), place(2), place(1)],
        [51, place(14), place(6), place(2)],
        [102, place(2), place(10), place(4)],
        [153, place(10), place(14), place(8)],
    ];
    assert_eq!(shaded(&screen, id, 1), wanted);
    // Once per pixel, all samples have one value, and the mask has all bits.
    let mask = "FRAG
DCL SV[0], SAMPLEMASK
DCL OUT[0], COLOR
DCL TEMP[0]
IMM[0] FLT32 { 0.0625, 0.0, 1.0, 0.0 }
I2F TEMP[0].x, SV[0].xxxx
MUL OUT[0], TEMP[0].xxxx, IMM[0].xxxx
END";
    assert_eq!(shaded(&screen, mask, 1), [[place(15); 4]; 4]);
    let bits = [1, 2, 4, 8].map(|bit| [place(bit); 4]);
    assert_eq!(shaded(&screen, mask, 4), bits);
    // Without multisampling the mask is 1 (manual, `TGSI_SEMANTIC_SAMPLEMASK`).
    let off = RasterizerState { multisample: false, ..rasterizer() };
    assert_eq!(shaded_with(&screen, mask, 4, &off), [[place(1); 4]; 4]);
}

/// The colour at pixel (3, 5) is ((3 + x) / 32, (5 + y) / 32) at a place (x, y) in the pixel.
fn inputs_are_evaluated_where_they_are_asked_for<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let color = |x: f32, y: f32| {
        let channel = |at: f32| (at / 32.0 * 255.0).round_ties_even() as u8;
        [channel(3.0 + x), channel(5.0 + y), 0, 255]
    };
    let places = [[6, 2], [14, 6], [2, 10], [10, 14]].map(|place| {
        let [x, y] = place.map(|sixteenths: u8| f32::from(sixteenths) / 16.0);
        color(x, y)
    });
    let declared = |how: &str| {
        format!("FRAG\nDCL IN[0], COLOR, {how}\nDCL OUT[0], COLOR\nMOV OUT[0], IN[0]\nEND")
    };
    let centre = [color(0.5, 0.5); 4];
    assert_eq!(shaded(&screen, &declared("PERSPECTIVE"), 1), centre);
    assert_eq!(shaded(&screen, &declared("PERSPECTIVE, CENTROID"), 1), centre);
    assert_eq!(shaded(&screen, &declared("PERSPECTIVE, SAMPLE"), 1), places);
    assert_eq!(shaded(&screen, &declared("LINEAR"), 4), places);
    let asked = |op: &str| {
        format!(
            "FRAG\nDCL IN[0], COLOR, PERSPECTIVE\nDCL OUT[0], COLOR\nIMM[0] FLT32 {{ 0.25, -0.5, 0.0, 0.0 }}\n\
             IMM[1] INT32 {{ 2, 0, 0, 0 }}\n{op}\nEND"
        )
    };
    assert_eq!(shaded(&screen, &asked("INTERP_CENTROID OUT[0], IN[0]"), 1), centre);
    let third = shaded(&screen, &asked("INTERP_SAMPLE OUT[0], IN[0], IMM[1].xxxx"), 1);
    assert_eq!(third, [places[2]; 4]);
    let beside = shaded(&screen, &asked("INTERP_OFFSET OUT[0], IN[0], IMM[0].xyyy"), 1);
    assert_eq!(beside, [color(0.75, 0.0); 4]);
}

/// A primitive covers all samples of column 4, and two of them fail the depth test: the centroid is the
/// pixel's centre, as the whole pixel lies within the primitive.
fn centroids_do_not_depend_on_depth<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let declared =
        "FRAG\nDCL IN[0], COLOR, PERSPECTIVE, CENTROID\nDCL OUT[0], COLOR\nMOV OUT[0], IN[0]\nEND";
    let asked = "FRAG\nDCL IN[0], COLOR, PERSPECTIVE\nDCL OUT[0], COLOR\nINTERP_CENTROID OUT[0], IN[0]\nEND";
    for shader in [declared, asked] {
        let mut setup = setup(&screen, 4);
        let less = DepthStencilAlphaState::depth(CompareFunc::Less);
        setup.depth_test(&less).unwrap();
        setup.clear(BLACK, 1.0).unwrap();
        // Samples 0 and 2 of column 4 are left of its middle.
        setup.upload(&screen, &rectangle([0.0, 0.0, 4.5, 32.0], 0.2, WHITE)).unwrap();
        setup.draw(PrimType::Triangles, 6).unwrap();
        setup.shaders(PASS, shader).unwrap();
        let mut vertices = rectangle(WHOLE, 0.5, WHITE);
        for vertex in &mut vertices {
            let [x, y, ..] = vertex.position.map(|at| at * 0.5 + 0.5);
            vertex.color = [x, y, 0.0, 1.0];
        }
        setup.upload(&screen, &vertices).unwrap();
        setup.draw(PrimType::Triangles, 6).unwrap();
        let channel = |at: f32| (at / 32.0 * 255.0).round_ties_even() as u8;
        let centre = [channel(4.5), channel(5.5), 0, 255];
        let samples = [0, 1, 2, 3].map(|index| -> [u8; 4] {
            let picture = sample(&screen, &mut setup, index);
            picture[4 * (5 * SIZE as usize + 4)..][..4].try_into().unwrap()
        });
        assert_eq!(samples, [[255; 4], centre, [255; 4], centre], "{shader}");
    }
}

/// Samples 0 and 2 of column 4 lie left of its middle (`FOUR` of Direct3D's standard patterns).
fn a_program_reads_the_colour_of_each_sample<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    if screen.get_param(Cap::Fbfetch) == 0 {
        return;
    }
    let mut setup = setup(&screen, 4);
    setup.clear(BLACK, 1.0).unwrap();
    let quarter = [64.0 / 255.0, 0.0, 0.0, 1.0];
    setup.upload(&screen, &rectangle([0.0, 0.0, 4.5, 32.0], 0.5, quarter)).unwrap();
    setup.draw(PrimType::Triangles, 6).unwrap();
    let add = "FRAG
DCL OUT[0], COLOR
DCL TEMP[0]
IMM[0] FLT32 { 0.25, 0.5, 0.0, 0.0 }
FBFETCH TEMP[0], OUT[0]
ADD OUT[0], TEMP[0], IMM[0]
END";
    setup.shaders(PASS, add).unwrap();
    setup.upload(&screen, &rectangle(WHOLE, 0.0, WHITE)).unwrap();
    setup.draw(PrimType::Triangles, 6).unwrap();
    for (index, red) in [128, 64, 128, 64].into_iter().enumerate() {
        let picture = sample(&screen, &mut setup, index);
        let pixel = |x: usize| &picture[4 * (9 * SIZE as usize + x)..][..3];
        assert_eq!(pixel(3), [128, 128, 0], "{index}");
        assert_eq!(pixel(4), [red, 128, 0], "{index}");
        assert_eq!(pixel(5), [64, 128, 0], "{index}");
    }
}

/// Samples 0 and 1 of every pixel fail depth or stencil. Manual, TGSI, `TGSI_SEMANTIC_SAMPLEMASK`:
/// "the set of samples covered by the current primitive"; `FS_POST_DEPTH_COVERAGE`: the mask "will
/// exclude samples that have failed the depth/stencil tests".
fn masks_are_read_before_or_after_the_tests<P: Profile>() {
    const EARLY: &str = "PROPERTY FS_EARLY_DEPTH_STENCIL 1\n";
    const PASSED: &str = "PROPERTY FS_EARLY_DEPTH_STENCIL 1\nPROPERTY FS_POST_DEPTH_COVERAGE 1\n";
    // Each sample is read by a context of its own, with a scene that is small: scenes of the host's profile have 8 MiB.
    let screen = screen::<P>(Os::host(), 32 << 10);
    assert_eq!(screen.get_param(Cap::PostDepthCoverage), 1);
    let mut setup = setup(&screen, 4);
    let alone = "FRAG\nPROPERTY FS_POST_DEPTH_COVERAGE 1\nDCL OUT[0], COLOR\nEND";
    let refused = setup.context.create_fs_state(&ShaderState::text(alone)).unwrap_err();
    assert!(matches!(refused, PipeError::Invalid(_)), "{refused:?}");
    let program = |properties: &str, rest: &str| {
        format!(
            "FRAG\n{properties}DCL SV[0], SAMPLEMASK\nDCL OUT[0], COLOR\nDCL OUT[1], POSITION\n\
             DCL TEMP[0]\nIMM[0] FLT32 {{ 0.0625, 0.75, 1.0, 0.0 }}\nI2F TEMP[0].x, SV[0].xxxx\n\
             MUL OUT[0], TEMP[0].xxxx, IMM[0].xxxx\n{rest}END"
        )
    };
    let (before, early) = (program("", ""), program(EARLY, ""));
    let (late, passed) = (program("", "MOV OUT[1].z, IMM[0].yyyy\n"), program(PASSED, ""));
    let by_depth = DepthStencilAlphaState {
        depth_enabled: true,
        depth_writemask: true,
        depth_func: CompareFunc::Less,
        ..Default::default()
    };
    // Each drawn pixel increments the stencil, which must be 0 to pass.
    let mut by_stencil = DepthStencilAlphaState::default();
    let face = &mut by_stencil.stencil[0];
    (face.enabled, face.func) = (true, CompareFunc::Equal);
    (face.valuemask, face.writemask, face.zpass_op) = (0xff, 0xff, StencilOp::Incr);
    let plain = RasterizerState { multisample: true, ..rasterizer() };
    let clamped = RasterizerState { depth_clamp: true, ..plain };
    let place = |mask: u32| (mask as f32 * 255.0 / 16.0).round_ties_even() as u8;
    // A rectangle, and the samples of pixel (3, 5) that it covers: half of that pixel in the last
    // two.
    let areas = [
        (WHOLE, 0b1111),
        ([2.0, 4.0, 9.0, 7.0], 0b1111),
        ([0.0, 0.0, 3.5, 32.0], 0b0101),
        ([2.0, 4.0, 3.5, 7.0], 0b0101),
    ];
    for test in [by_depth, by_stencil] {
        setup.depth_test(&test).unwrap();
        for (state, (area, covered)) in
            [plain, clamped].into_iter().flat_map(|state| areas.map(|area| (state, area)))
        {
            setup.rasterizer(&state).unwrap();
            for sample_mask in [0b1111, 0b0110, 0b0011] {
                let covered = covered & sample_mask;
                let left = covered & 0b1100;
                for (shader, min_samples, read) in [
                    (&before, 1, covered),
                    (&early, 1, covered),
                    (&late, 1, covered),
                    (&passed, 1, left),
                    // Each sample's invocation reads its own bit.
                    (&before, 4, 0),
                    (&passed, 4, 0),
                ] {
                    setup.context.set_min_samples(1);
                    setup.context.set_sample_mask(0b0011);
                    setup.shaders(PASS, COLOR).unwrap();
                    setup.clear(BLACK, 1.0).unwrap();
                    setup.upload(&screen, &rectangle(WHOLE, -0.5, BLACK)).unwrap();
                    setup.draw(PrimType::Triangles, 6).unwrap();
                    setup.context.set_min_samples(min_samples);
                    setup.context.set_sample_mask(sample_mask);
                    setup.shaders(PASS, shader).unwrap();
                    setup.upload(&screen, &rectangle(area, 0.25, WHITE)).unwrap();
                    setup.draw(PrimType::Triangles, 6).unwrap();
                    let got: [u8; 4] = std::array::from_fn(|index| {
                        sample(&screen, &mut setup, index)[4 * (5 * SIZE as usize + 3)]
                    });
                    let wanted = [0, 1, 2, 3].map(|index| match left >> index & 1 {
                        0 => 0,
                        _ if min_samples > 1 => place(1 << index),
                        _ => place(read),
                    });
                    assert_eq!(
                        got,
                        wanted,
                        "mask {sample_mask:04b} area {area:?} clamped {} stencil {}: {shader} {}",
                        state.depth_clamp,
                        test.stencil[0].enabled,
                        P::NAME
                    );
                }
            }
        }
    }
}

/// The depth range ends at 3/4. Depths beyond it are 3/4 in all samples: interpolated at centres,
/// at samples of a steep plane, once per sample, and written by the program.
fn depths_of_every_sample_are_clamped<P: Profile>() {
    const EXPORT: &str = "FRAG
DCL OUT[0], POSITION
DCL OUT[1], COLOR
IMM[0] FLT32 { 3.0, 0.0, 0.0, 1.0 }
MOV OUT[0].z, IMM[0].xxxx
MOV OUT[1], IMM[0].yyyw
END";
    let screen = screen::<P>(Os::host(), 0);
    let mut setup = setup(&screen, 4);
    let mut viewport = ViewportState::y_down(SIZE, SIZE);
    (viewport.scale[2], viewport.translate[2]) = (0.25, 0.5);
    setup.context.set_viewport_states(0, &[viewport]).unwrap();
    let test = |depth_func| DepthStencilAlphaState {
        depth_enabled: true,
        depth_writemask: true,
        depth_func,
        ..Default::default()
    };
    let flat = rectangle(WHOLE, 5.0, BLACK);
    let mut steep = flat;
    for vertex in &mut steep {
        vertex.position[2] = 40.0 + 20.0 * vertex.position[0];
    }
    for (shader, vertices) in
        [(COLOR, flat), (COLOR, steep), (EXPORT, rectangle(WHOLE, 0.0, BLACK))]
    {
        for (min_samples, depth_clamp) in [(1, true), (4, true), (1, false), (4, false)] {
            let state = RasterizerState {
                multisample: true,
                depth_clip_near: false,
                depth_clip_far: false,
                depth_clamp,
                ..rasterizer()
            };
            setup.rasterizer(&state).unwrap();
            setup.context.set_min_samples(min_samples);
            setup.clear(BLACK, 0.25).unwrap();
            setup.depth_test(&test(CompareFunc::Always)).unwrap();
            setup.shaders(PASS, shader).unwrap();
            setup.upload(&screen, &vertices).unwrap();
            setup.draw(PrimType::Triangles, 6).unwrap();
            // At the far end itself: equal in all samples, or in none.
            setup.context.set_min_samples(1);
            setup.depth_test(&test(CompareFunc::Equal)).unwrap();
            setup.shaders(PASS, COLOR).unwrap();
            setup.upload(&screen, &rectangle(WHOLE, 1.0, WHITE)).unwrap();
            setup.draw(PrimType::Triangles, 6).unwrap();
            let wanted = if depth_clamp { 255 } else { 0 };
            let means = means(&screen, &mut setup);
            assert!(
                means.chunks(4).all(|pixel| pixel[0] == wanted),
                "clamped {depth_clamp} {min_samples} {} {shader}",
                P::NAME
            );
        }
    }
}
