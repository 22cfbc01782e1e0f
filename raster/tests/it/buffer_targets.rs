//! Elements of buffers as colour buffers (manual, "Resource targets", "`PIPE_BUFFER`").

use crate::common::*;
use formats::Format;
use gallium_raster::{Host, Profile, Screen, Small, Tiny};
use os_shim::Os;
use pipe_core::{
    Bind, BlendFactor, BlendState, Cap, ClearFlags, ColorUnion, FramebufferState, PipeError,
    PrimType, Region, ResourceHandle, ResourceTemplate, ScissorState, Screen as _, SurfaceHandle,
    SurfaceRange, SurfaceTemplate, TextureTarget, ViewportState,
};

in_all_profiles! {
    elements_are_cleared_drawn_and_blended
    every_offset_of_small_pixels
    a_row_as_wide_as_textures
    buffers_that_cannot_be_drawn_to_are_refused
}

fn surface(
    setup: &mut Setup<'_, '_>,
    buffer: ResourceHandle,
    format: Format,
    first_element: u32,
    last_element: u32,
) -> Result<SurfaceHandle, PipeError> {
    let range = SurfaceRange::Buffer { first_element, last_element };
    setup.context.create_surface(buffer, &SurfaceTemplate { range, ..SurfaceTemplate::of(format) })
}

fn buffer<P: Profile>(screen: &Screen<'_, P>, size: u32) -> ResourceHandle {
    let bind = Bind::RENDER_TARGET | Bind::VERTEX_BUFFER;
    screen.resource_create(&ResourceTemplate::buffer(size, bind)).unwrap()
}

/// Draws a rectangle over the columns from `x0` to `x1` of a row of `width` pixels.
fn cover<'m, P: Profile>(
    setup: &mut Setup<'_, 'm>,
    screen: &Screen<'m, P>,
    width: u32,
    [x0, x1]: [u32; 2],
    color: [f32; 4],
) {
    setup.context.set_viewport_states(0, &[ViewportState::y_down(width, 1)]).unwrap();
    let [x0, x1] = [x0, x1].map(|x| 2.0 * x as f32 / width as f32 - 1.0);
    let corners = [(x0, -1.0), (x1, -1.0), (x0, 1.0), (x1, -1.0), (x1, 1.0), (x0, 1.0)];
    setup.upload(screen, &corners.map(|(x, y)| vertex(x, y, 0.0, color))).unwrap();
    setup.draw(PrimType::Triangles, 6).unwrap();
}

fn elements_are_cleared_drawn_and_blended<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let mut setup = Setup::new(&screen, Options::default()).unwrap();
    let format = Format::R8G8B8A8Unorm;
    let target = TextureTarget::Buffer;
    for bind in [Bind::RENDER_TARGET, Bind::RENDER_TARGET | Bind::BLENDABLE] {
        assert!(screen.is_format_supported(format, target, 0, 0, bind));
    }
    let memory = buffer(&screen, 128);
    let drawn = surface(&mut setup, memory, format, 10, 20).unwrap();
    let state = FramebufferState::single(11, 1, drawn, None);
    setup.context.set_framebuffer_state(&state).unwrap();
    let (red, green) = ([255, 0, 0, 255], [0, 255, 0, 255]);
    let check = |setup: &mut Setup<'_, '_>, wanted: &[[u8; 4]; 11]| {
        let bytes = setup.bytes(memory, 128);
        assert_eq!(bytes[40..84].chunks(4).collect::<Vec<_>>(), wanted);
        assert!(bytes[..40].iter().chain(&bytes[84..]).all(|byte| *byte == 0), "{bytes:?}");
    };
    setup.context.clear(ClearFlags::COLOR0, None, &ColorUnion::float(RED), 1.0, 0).unwrap();
    check(&mut setup, &[red; 11]);
    cover(&mut setup, &screen, 11, [3, 11], GREEN);
    let mut wanted = [red; 11];
    wanted[3..].fill(green);
    check(&mut setup, &wanted);
    // White over green, a quarter of each.
    let mut blend = BlendState::default();
    blend.rt[0].blend_enable = true;
    blend.rt[0].rgb_src_factor = BlendFactor::ConstColor;
    blend.rt[0].rgb_dst_factor = BlendFactor::ConstColor;
    blend.rt[0].alpha_src_factor = BlendFactor::One;
    blend.rt[0].alpha_dst_factor = BlendFactor::Zero;
    setup.blend(&blend).unwrap();
    setup.context.set_blend_color(&pipe_core::BlendColor { color: [0.25, 0.25, 0.25, 0.25] });
    cover(&mut setup, &screen, 11, [10, 11], WHITE);
    // (255 + 0) / 4 = 63.75; (255 + 255) / 4 = 127.5.
    let bytes = setup.bytes(memory, 84);
    let pixel = &bytes[80..84];
    assert_eq!((pixel[0], pixel[2], pixel[3]), (64, 64, 255));
    assert!((127..=128).contains(&pixel[1]), "{pixel:?}");
    setup.blend(&BlendState::default()).unwrap();
    // A scissored clear, and a clear of the surface that need not be bound.
    wanted[10] = [0; 4];
    wanted[4..7].fill([0, 0, 255, 255]);
    let part = ScissorState { minx: 4, miny: 0, maxx: 7, maxy: 1 };
    let blue = ColorUnion::float(BLUE);
    setup.context.clear(ClearFlags::COLOR0, Some(&part), &blue, 1.0, 0).unwrap();
    let none = ColorUnion::float([0.0; 4]);
    let last = Region::rect(10, 0, 1, 1);
    setup.context.clear_render_target(drawn, &none, &last, false).unwrap();
    check(&mut setup, &wanted);
    let beyond = setup.context.clear_render_target(drawn, &none, &Region::rect(10, 0, 2, 1), false);
    assert!(matches!(beyond, Err(PipeError::RegionOutOfRange { .. })), "{beyond:?}");
}

fn every_offset_of_small_pixels<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let mut setup = Setup::new(&screen, Options::default()).unwrap();
    for (format, white) in [
        (Format::R8Unorm, &[255][..]),
        (Format::B5G6R5Unorm, &[255, 255]),
        (Format::R32G32B32A32Float, &[0, 0, 128, 63, 0, 0, 128, 63, 0, 0, 128, 63, 0, 0, 128, 63]),
    ] {
        let size = white.len() as u32;
        for first in 0..5 {
            for count in [1, 2, 7, 70] {
                let memory = buffer(&screen, 100 * size);
                let last = first + count - 1;
                let drawn = surface(&mut setup, memory, format, first, last).unwrap();
                let state = FramebufferState::single(count as u16, 1, drawn, None);
                setup.context.set_framebuffer_state(&state).unwrap();
                cover(&mut setup, &screen, count, [0, count], WHITE);
                let bytes = setup.bytes(memory, 100 * size);
                for (at, pixel) in bytes.chunks(size as usize).enumerate() {
                    let inside = (first..=last).contains(&(at as u32));
                    let wanted = if inside { white.to_vec() } else { vec![0; white.len()] };
                    assert_eq!(pixel, wanted, "{format:?} {first} + {count}: element {at}");
                }
            }
        }
    }
}

fn a_row_as_wide_as_textures<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let mut setup = Setup::new(&screen, Options::default()).unwrap();
    let width = screen.get_param(Cap::MaxTexture2dSize) as u32;
    let memory = buffer(&screen, width + 9);
    let drawn = surface(&mut setup, memory, Format::R8Unorm, 4, width + 3).unwrap();
    let state = FramebufferState::single(width as u16, 1, drawn, None);
    setup.context.set_framebuffer_state(&state).unwrap();
    cover(&mut setup, &screen, width, [1, width], WHITE);
    let bytes = setup.bytes(memory, width + 9);
    let lit = |at: usize| (5..width as usize + 4).contains(&at);
    assert!(bytes.iter().enumerate().all(|(at, byte)| (*byte == 255) == lit(at)));
    let wider = surface(&mut setup, memory, Format::R8Unorm, 0, width);
    assert!(matches!(wider, Err(PipeError::OutOfRange { .. })), "{wider:?}");
}

fn buffers_that_cannot_be_drawn_to_are_refused<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let mut setup = Setup::new(&screen, Options::default()).unwrap();
    let memory = buffer(&screen, 64);
    let depth = surface(&mut setup, memory, Format::Z16Unorm, 0, 3);
    assert!(matches!(depth, Err(PipeError::UnsupportedFormat { .. })), "{depth:?}");
    let blocks = surface(&mut setup, memory, Format::Dxt1Rgba, 0, 3);
    assert!(matches!(blocks, Err(PipeError::UnsupportedFormat { .. })), "{blocks:?}");
    let past = surface(&mut setup, memory, Format::R8G8B8A8Unorm, 0, 16);
    assert!(matches!(past, Err(PipeError::Invalid(_))), "{past:?}");
    let range = SurfaceRange::Buffer { first_element: 0, last_element: 3 };
    let four = SurfaceTemplate { range, nr_samples: 4, ..SurfaceTemplate::of(Format::R8Unorm) };
    let four = setup.context.create_surface(memory, &four);
    assert!(matches!(four, Err(PipeError::Unsupported(_))), "{four:?}");
    let answers = |format, samples, bind| {
        screen.is_format_supported(format, TextureTarget::Buffer, samples, samples, bind)
    };
    assert!(!answers(Format::Z16Unorm, 0, Bind::DEPTH_STENCIL));
    assert!(!answers(Format::Z16Unorm, 0, Bind::RENDER_TARGET));
    assert!(!answers(Format::R8G8B8A8Unorm, 4, Bind::RENDER_TARGET));
    assert!(!answers(Format::R8G8B8A8Uint, 0, Bind::RENDER_TARGET | Bind::BLENDABLE));
    // A depth buffer cannot be bound at the same time.
    let template = ResourceTemplate::texture_2d(Format::Z16Unorm, 4, 1, Bind::DEPTH_STENCIL);
    let depth = screen.resource_create(&template).unwrap();
    let depth = setup.context.create_surface(depth, &SurfaceTemplate::of(Format::Z16Unorm));
    let drawn = surface(&mut setup, memory, Format::R8Unorm, 0, 3).unwrap();
    let state = FramebufferState::single(4, 1, drawn, Some(depth.unwrap()));
    let bound = setup.context.set_framebuffer_state(&state);
    assert!(matches!(bound, Err(PipeError::Unsupported(_))), "{bound:?}");
}
