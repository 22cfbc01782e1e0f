//! Resolves, copies and blits between different numbers of samples, and rejected ones.

use super::{COLOR_FORMAT, SIZE, means, rectangle, resolved, setup, template, triangles};
use crate::common::*;
use formats::Format;
use gallium_raster::{Host, Profile, Small, Tiny};
use os_shim::Os;
use pipe_core::{
    Bind, BlitInfo, BlitSurface, ClearFlags, ColorUnion, CompareFunc, DepthStencilAlphaState,
    FramebufferState, MapFlags, PipeError, PrimType, RasterizerState, Region, ResourceTemplate,
    Screen as _, SurfaceTemplate, TexFilter, TextureTarget,
};

in_all_profiles! {
    half_covered_pixels_resolve_to_half
    streamed_tiles_are_resolved
}

/// Two of the four samples lie left of a pixel's middle (x of 3/8 and 1/8), among them the first.
fn half_covered_pixels_resolve_to_half<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let mut setup = setup(&screen, 4);
    setup.clear(BLACK, 1.0).unwrap();
    setup.upload(&screen, &rectangle([0.0, 0.0, 4.5, 32.0], 0.0, WHITE)).unwrap();
    setup.draw(PrimType::Triangles, 6).unwrap();
    let reds = |pixels: &[u8]| [3, 4, 5].map(|x| pixels[4 * x]);
    let means = means(&screen, &mut setup);
    assert_eq!(reds(&means), [255, 128, 0]);
    let color = setup.color;
    let first = resolved(&screen, &mut setup, (color, COLOR_FORMAT), true);
    assert_eq!(reds(&first), [255, 255, 0]);
    // sRGB is decoded, averaged, and encoded: half of full light is 188.
    let encoded = resolved(&screen, &mut setup, (color, Format::R8G8B8A8Srgb), false);
    assert_eq!(reds(&encoded), [255, 188, 0]);
}

/// Integers and depth are not averaged: the result is sample 0.
#[test]
fn depth_and_integers_resolve_to_the_first_sample() {
    let screen = screen::<Small>(Os::host(), 0);
    let mut setup = setup(&screen, 4);
    let test = DepthStencilAlphaState {
        depth_enabled: true,
        depth_writemask: true,
        depth_func: CompareFunc::Always,
        ..DepthStencilAlphaState::default()
    };
    setup.depth_test(&test).unwrap();
    setup.clear(BLACK, 1.0).unwrap();
    setup.upload(&screen, &rectangle([0.0, 0.0, 4.5, 32.0], -1.0, WHITE)).unwrap();
    setup.draw(PrimType::Triangles, 6).unwrap();
    let depth = setup.depth.unwrap();
    let depths = resolved(&screen, &mut setup, (depth, Format::Z24UnormS8Uint), false);
    // Sample 0 of pixel 4 is covered.
    let near = |x: usize| depths[4 * x..][..3] == [0; 3];
    assert_eq!([3, 4, 5].map(near), [true, true, false]);
    let integers = screen.resource_create(&template(Format::R8G8B8A8Uint, 4, Bind::RENDER_TARGET));
    let integers = integers.unwrap();
    let surface = SurfaceTemplate::of(Format::R8G8B8A8Uint);
    let surface = setup.context.create_surface(integers, &surface).unwrap();
    let color = ColorUnion::uint([7, 8, 9, 10]);
    let whole = Region::rect(0, 0, SIZE, SIZE);
    setup.context.clear_render_target(surface, &color, &whole, false).unwrap();
    let texels = resolved(&screen, &mut setup, (integers, Format::R8G8B8A8Uint), false);
    assert!(texels.chunks(4).all(|texel| texel == [7, 8, 9, 10]));
}

/// A blit from one sample writes all samples; a blit between equal counts copies each sample.
#[test]
fn blits_to_samples() {
    let screen = screen::<Small>(Os::host(), 0);
    let mut setup = setup(&screen, 4);
    setup.clear(RED, 1.0).unwrap();
    let other = screen.resource_create(&template(COLOR_FORMAT, 4, Bind::RENDER_TARGET)).unwrap();
    let end = |resource, size| BlitSurface {
        resource,
        level: 0,
        region: Region::whole(size, size, 1),
        format: COLOR_FORMAT,
    };
    let color = setup.color;
    // Scaled, so that it is not a plain copy.
    let info = BlitInfo::new(end(other, SIZE), end(color, SIZE / 2), TexFilter::Nearest);
    setup.context.blit(&info).unwrap();
    let red = |pixels: Vec<u8>| pixels.chunks(4).all(|pixel| pixel == [255, 0, 0, 255]);
    assert!(red(resolved(&screen, &mut setup, (other, COLOR_FORMAT), false)));
    let one = screen.resource_create(&template(COLOR_FORMAT, 0, Bind::RENDER_TARGET)).unwrap();
    let green = [0u8, 255, 0, 255].repeat((SIZE * SIZE) as usize);
    let whole = Region::whole(SIZE, SIZE, 1);
    let stride = 4 * SIZE as usize;
    setup
        .context
        .texture_subdata(one, 0, MapFlags::WRITE, &whole, &green, stride, green.len())
        .unwrap();
    let info = BlitInfo::new(end(other, SIZE), end(one, SIZE), TexFilter::Nearest);
    setup.context.blit(&info).unwrap();
    assert_eq!(resolved(&screen, &mut setup, (other, COLOR_FORMAT), false), green);
    setup.context.resource_copy_region(color, 0, 0, 0, 0, other, 0, &whole).unwrap();
    assert_eq!(means(&screen, &mut setup), green);
}

/// A streamed surface shows the result of a blit that resolves memory.
fn streamed_tiles_are_resolved<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let size = 40;
    for format in [Format::B5G6R5Unorm, Format::L8Unorm, COLOR_FORMAT] {
        for samples in [2u8, 4, 8] {
            let pictures = [false, true].map(|streamed| {
                let options =
                    Options { width: size, height: size, format, streamed, ..Options::default() };
                let mut setup = Setup::new(&screen, options).unwrap();
                let whole = match streamed {
                    true => ResourceTemplate::streamed(format, size, size),
                    false => ResourceTemplate::texture_2d(format, size, size, Bind::RENDER_TARGET),
                };
                let many = ResourceTemplate { nr_samples: samples, ..whole };
                let many = screen.resource_create(&many).unwrap();
                let surface = SurfaceTemplate::of(format);
                let surface = setup.context.create_surface(many, &surface).unwrap();
                let state = FramebufferState::single(size as u16, size as u16, surface, None);
                setup.context.set_framebuffer_state(&state).unwrap();
                setup.rasterizer(&RasterizerState { multisample: true, ..rasterizer() }).unwrap();
                setup.clear(BLUE, 1.0).unwrap();
                let vertices = triangles(5, 24);
                setup.upload(&screen, &vertices).unwrap();
                setup.draw(PrimType::Triangles, vertices.len() as u32).unwrap();
                if streamed {
                    setup.color = many;
                    return setup.pixels().unwrap();
                }
                let region = Region::whole(size, size, 1);
                let end = |resource| BlitSurface { resource, level: 0, region, format };
                let info = BlitInfo::new(end(setup.color), end(many), TexFilter::Nearest);
                setup.context.blit(&info).unwrap();
                setup.read(setup.color).unwrap()
            });
            assert!(pictures[0] == pictures[1], "{format:?}, {samples} samples");
        }
    }
}

#[test]
fn what_is_refused() {
    let screen = screen::<Small>(Os::host(), 0);
    for samples in [3u8, 5, 17, 32] {
        let wrong = template(COLOR_FORMAT, samples, Bind::RENDER_TARGET);
        assert!(!screen.can_create_resource(&wrong), "{samples}");
        assert!(screen.resource_create(&wrong).is_err(), "{samples}");
    }
    for samples in [2u8, 4, 8, 16] {
        let has = |format, target, stored| {
            let bind = Bind::SAMPLER_VIEW;
            screen.is_format_supported(format, target, samples, stored, bind)
        };
        assert!(has(COLOR_FORMAT, TextureTarget::Texture2D, samples));
        assert!(has(COLOR_FORMAT, TextureTarget::Texture2DArray, samples));
        assert!(!has(COLOR_FORMAT, TextureTarget::Texture2D, 1));
        assert!(!has(COLOR_FORMAT, TextureTarget::Texture3D, samples));
        assert!(!has(COLOR_FORMAT, TextureTarget::Cube, samples));
        assert!(!has(Format::Dxt1Rgba, TextureTarget::Texture2D, samples));
    }
    let mut setup = setup(&screen, 4);
    let whole = Region::whole(SIZE, SIZE, 1);
    let color = setup.color;
    // Attachments with different sample counts.
    let other = screen.resource_create(&template(COLOR_FORMAT, 2, Bind::RENDER_TARGET)).unwrap();
    let surfaces = [color, other].map(|handle| {
        setup.context.create_surface(handle, &SurfaceTemplate::of(COLOR_FORMAT)).unwrap()
    });
    let mut mixed = FramebufferState::single(SIZE as u16, SIZE as u16, surfaces[0], None);
    mixed.cbufs[1] = Some(surfaces[1]);
    assert!(matches!(setup.context.set_framebuffer_state(&mixed), Err(PipeError::Invalid(_))));
    // Copies and blits between different sample counts.
    let copied = setup.context.resource_copy_region(color, 0, 0, 0, 0, other, 0, &whole);
    assert!(matches!(copied, Err(PipeError::Invalid(_))));
    let end = |resource| BlitSurface { resource, level: 0, region: whole, format: COLOR_FORMAT };
    let blitted = setup.context.blit(&BlitInfo::new(end(other), end(color), TexFilter::Nearest));
    assert!(matches!(blitted, Err(PipeError::Invalid(_))));
    setup.context.clear(ClearFlags::COLOR0, None, &ColorUnion::float(RED), 1.0, 0).unwrap();
    assert!(means(&screen, &mut setup).chunks(4).all(|pixel| pixel == [255, 0, 0, 255]));
}
