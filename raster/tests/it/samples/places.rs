//! Places of samples: each sample shows the picture seen from its place.

use super::{COLOR_FORMAT, SIZE, WHOLE, draw_scene, rectangle, sample, setup, setup_of, triangles};
use crate::common::*;
use formats::Format;
use gallium_raster::{Host, Profile, Small, Tiny};
use os_shim::Os;
use pipe_core::{
    BlendFactor, BlendState, CompareFunc, DepthStencilAlphaState, PipeError, PrimType,
    ViewportState,
};

in_all_profiles! {
    each_sample_is_a_picture_from_its_place
    each_sample_lies_where_it_was_put
}

/// The independent check: a sample at an offset from the centre shows what the centre shows of a
/// scene moved in the opposite direction.
fn each_sample_is_a_picture_from_its_place<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let depth_test = DepthStencilAlphaState {
        depth_enabled: true,
        depth_writemask: true,
        depth_func: CompareFunc::Less,
        ..DepthStencilAlphaState::default()
    };
    let mut over = BlendState::default();
    over.rt[0].blend_enable = true;
    (over.rt[0].rgb_src_factor, over.rt[0].alpha_src_factor) =
        (BlendFactor::SrcAlpha, BlendFactor::One);
    (over.rt[0].rgb_dst_factor, over.rt[0].alpha_dst_factor) =
        (BlendFactor::InvSrcAlpha, BlendFactor::Zero);
    let lanes = (COLOR_FORMAT, Format::Z24UnormS8Uint);
    // With one sample, integer spans would blend 8 bits only to within a step of lane code.
    let wide = Format::R16G16B16A16Unorm;
    let blended = (if cfg!(feature = "spans-all") { wide } else { COLOR_FORMAT }, lanes.1);
    // A kernel of integer spans draws these.
    let spans = (Format::B5G6R5Unorm, Format::Z16Unorm);
    let states = [
        (lanes, true, BlendState::default()),
        (blended, false, over),
        (spans, true, BlendState::default()),
        (spans, false, BlendState::default()),
    ];
    for (number, samples) in [2u8, 4, 8, 16].into_iter().enumerate() {
        for (formats, tests_depth, blend) in &states {
            // Span kernels take different paths if there are many triangles.
            let count = if *formats == spans { 150 } else { 24 };
            let vertices = triangles(number as u32 * 2 + u32::from(*tests_depth), count);
            let test = tests_depth.then_some(&depth_test);
            let mut many = setup_of(&screen, samples, *formats);
            draw_scene(&screen, &mut many, blend, test, &vertices);
            for index in 0..samples {
                let place = many.context.get_sample_position(samples, index);
                let mut one = setup_of(&screen, 0, *formats);
                let mut viewport = ViewportState::y_down(SIZE, SIZE);
                viewport.translate[0] -= place[0] - 0.5;
                viewport.translate[1] -= place[1] - 0.5;
                one.context.set_viewport_states(0, &[viewport]).unwrap();
                draw_scene(&screen, &mut one, blend, test, &vertices);
                one.context.flush(Default::default()).unwrap();
                let wanted = one.read(one.color).unwrap();
                let got = sample(&screen, &mut many, index.into());
                let what = (formats, tests_depth);
                assert!(got == wanted, "sample {index} of {samples}, {what:?}");
            }
        }
    }
}

/// One byte per sample: x in the low and y in the high four bits (`set_sample_locations`).
fn each_sample_lies_where_it_was_put<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let test = DepthStencilAlphaState {
        depth_enabled: true,
        depth_writemask: true,
        depth_func: CompareFunc::Less,
        ..DepthStencilAlphaState::default()
    };
    let vertices = triangles(99, 24);
    let blend = BlendState::default();
    let mut many = setup(&screen, 4);
    // A corner, the centre, the far corner; the last sample keeps its standard place.
    many.context.set_sample_locations(&[0x00, 0x88, 0xff]).unwrap();
    draw_scene(&screen, &mut many, &blend, Some(&test), &vertices);
    let places = [[0.0, 0.0], [0.5, 0.5], [0.9375, 0.9375], [0.625, 0.875]];
    for (index, place) in places.into_iter().enumerate() {
        let mut one = setup(&screen, 0);
        let mut viewport = ViewportState::y_down(SIZE, SIZE);
        viewport.translate[0] -= place[0] - 0.5;
        viewport.translate[1] -= place[1] - 0.5;
        one.context.set_viewport_states(0, &[viewport]).unwrap();
        draw_scene(&screen, &mut one, &blend, Some(&test), &vertices);
        one.context.flush(Default::default()).unwrap();
        let wanted = one.read(one.color).unwrap();
        assert!(sample(&screen, &mut many, index) == wanted, "sample {index}");
    }
    // Programs read the set places; an empty list restores the standard places.
    let place = "FRAG\nDCL SV[0], SAMPLEPOS\nDCL OUT[0], COLOR\nMOV OUT[0], SV[0]\nEND";
    assert_eq!(many.context.get_sample_position(4, 0), [0.375, 0.125]);
    for (set, wanted) in [(&[0x4cu8][..], [191u8, 64]), (&[], [96, 32])] {
        many.context.set_sample_locations(set).unwrap();
        many.shaders(PASS, place).unwrap();
        many.clear(BLACK, 1.0).unwrap();
        many.upload(&screen, &rectangle(WHOLE, -1.0, WHITE)).unwrap();
        many.draw(PrimType::Triangles, 6).unwrap();
        let first = sample(&screen, &mut many, 0);
        assert!(first.chunks(4).all(|pixel| pixel[..2] == wanted), "{set:x?}: {:?}", &first[..4]);
    }
    let wrong = many.context.set_sample_locations(&[0; 17]);
    assert!(matches!(wrong, Err(PipeError::OutOfRange { .. })), "{wrong:?}");
}
