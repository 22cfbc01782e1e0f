//! Clears of surfaces of different sizes, and clears within a scissor.

use crate::common::*;
use formats::Format;
use gallium_raster::{Host, Profile, Screen, Small, Tiny};
use os_shim::Os;
use pipe_core::query::RenderConditionMode;
use pipe_core::{
    Bind, BlendState, Cap, ClearFlags, ColorMask, ColorUnion, CompareFunc, DepthStencilAlphaState,
    FramebufferState, MapFlags, PipeError, PrimType, QueryType, Region, ResourceHandle,
    ResourceTemplate, ScissorState, Screen as _, SurfaceHandle, SurfaceRange, SurfaceTemplate,
    TextureTarget,
};

in_all_profiles! {
    surfaces_of_mixed_sizes_are_cleared_whole
    one_part_of_a_larger_depth_and_stencil_buffer_is_cleared
    a_depth_buffer_alone_is_cleared
    masks_and_conditions
    scissored_clears_are_in_order_with_draws
    depth_is_cleared_within_a_scissor
    stencil_is_cleared_within_a_scissor
    a_scissor_ends_where_a_surface_does
    many_scissored_clears_in_a_small_scene
}

const RGBA: Format = Format::R8G8B8A8Unorm;

/// Makes a resource of this format, size and number of layers, and a surface of all of its layers.
fn surface<'m, P: Profile>(
    setup: &mut Setup<'_, 'm>,
    screen: &Screen<'m, P>,
    format: Format,
    [width, height, layers]: [u32; 3],
    samples: u8,
) -> (ResourceHandle, SurfaceHandle) {
    let bind = match format.is_depth_or_stencil() {
        true => Bind::DEPTH_STENCIL,
        false => Bind::RENDER_TARGET,
    };
    let target = match layers {
        1 => TextureTarget::Texture2D,
        _ => TextureTarget::Texture2DArray,
    };
    let template = ResourceTemplate {
        target,
        array_size: layers,
        nr_samples: samples,
        ..ResourceTemplate::texture_2d(format, width, height, bind)
    };
    let resource = screen.resource_create(&template).unwrap();
    let range = SurfaceRange::Texture { level: 0, first_layer: 0, last_layer: layers - 1 };
    let template = SurfaceTemplate { range, ..SurfaceTemplate::of(format) };
    (resource, setup.context.create_surface(resource, &template).unwrap())
}

fn bind(setup: &mut Setup<'_, '_>, colors: &[SurfaceHandle], depth: Option<SurfaceHandle>) {
    let mut state = FramebufferState { width: 64, height: 64, ..FramebufferState::default() };
    for (slot, color) in state.cbufs.iter_mut().zip(colors) {
        *slot = Some(*color);
    }
    state.zsbuf = depth;
    setup.context.set_framebuffer_state(&state).unwrap();
}

fn level(setup: &mut Setup<'_, '_>, resource: ResourceHandle, size: [u32; 3]) -> Vec<u8> {
    let whole = Region::whole(size[0], size[1], size[2]);
    let map = setup.context.transfer_map(resource, 0, MapFlags::READ, &whole).unwrap();
    let bytes = setup.context.transfer_bytes(map.handle).unwrap().to_vec();
    setup.context.transfer_unmap(map.handle).unwrap();
    bytes
}

fn scissor(minx: u16, miny: u16, maxx: u16, maxy: u16) -> ScissorState {
    ScissorState { minx, miny, maxx, maxy }
}

fn fill<'m, P: Profile>(
    setup: &mut Setup<'_, 'm>,
    screen: &Screen<'m, P>,
    z: f32,
    color: [f32; 4],
) {
    let corners = [(-1.0, -1.0), (3.0, -1.0), (-1.0, 3.0)];
    setup.upload(screen, &corners.map(|(x, y)| vertex(x, y, z, color))).unwrap();
    setup.draw(PrimType::Triangles, 3).unwrap();
}

fn surfaces_of_mixed_sizes_are_cleared_whole<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let mut setup = Setup::new(&screen, Options::default()).unwrap();
    let all = ClearFlags::COLOR | ClearFlags::DEPTH;
    let white = ColorUnion::float(WHITE);
    // Sizes of the colour buffers, then of the depth buffer: whole tiles, parts of tiles and
    // several tiles.
    let sizes = [
        [[16, 16, 1], [16, 16, 1], [8, 8, 1]],
        [[130, 3, 1], [5, 140, 1], [70, 70, 1]],
        #[cfg(feature = "stages")]
        [[8, 8, 4], [8, 8, 2], [8, 8, 3]],
        #[cfg(feature = "stages")]
        [[20, 4, 1], [4, 20, 3], [12, 12, 5]],
    ];
    let counts = if cfg!(feature = "samples") { &[0, 4][..] } else { &[0] };
    for &samples in counts {
        for [first, second, third] in sizes {
            let mut make = |format, size| surface(&mut setup, &screen, format, size, samples);
            let made = [make(RGBA, first), make(Format::R8Unorm, second)];
            let depth = make(Format::Z16Unorm, third);
            bind(&mut setup, &[made[0].1, made[1].1], Some(depth.1));
            // Once before any draw, once after a draw, once for each buffer.
            for round in 0..3 {
                if round == 1 {
                    fill(&mut setup, &screen, 0.0, RED);
                }
                match round {
                    2 => {
                        let black = ColorUnion::float([0.0; 4]);
                        setup.context.clear(all, None, &black, 0.0, 0).unwrap();
                        setup.context.clear(ClearFlags::COLOR0, None, &white, 1.0, 0).unwrap();
                        setup.context.clear(ClearFlags::color(1), None, &white, 1.0, 0).unwrap();
                        setup.context.clear(ClearFlags::DEPTH, None, &white, 1.0, 0).unwrap();
                    }
                    _ => setup.context.clear(all, None, &white, 1.0, 0).unwrap(),
                }
                for ((resource, _), size) in made.iter().zip([first, second]) {
                    let bytes = level(&mut setup, *resource, size);
                    assert!(bytes.iter().all(|byte| *byte == 255), "{size:?} in round {round}");
                }
                let bytes = level(&mut setup, depth.0, third);
                assert!(bytes.iter().all(|byte| *byte == 255), "depth {third:?} in round {round}");
            }
        }
    }
}

fn one_part_of_a_larger_depth_and_stencil_buffer_is_cleared<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let mut setup = Setup::new(&screen, Options::default()).unwrap();
    let (_, color) = surface(&mut setup, &screen, RGBA, [8, 8, 1], 0);
    let size = [20, 12, 1];
    let (depth, zsbuf) = surface(&mut setup, &screen, Format::Z24UnormS8Uint, size, 0);
    bind(&mut setup, &[color], Some(zsbuf));
    let none = ColorUnion::float([0.0; 4]);
    setup.context.clear(ClearFlags::DEPTH_STENCIL, None, &none, 1.0, 5).unwrap();
    setup.context.clear(ClearFlags::STENCIL, None, &none, 0.0, 9).unwrap();
    let texels = level(&mut setup, depth, size);
    // Depth is in the lower 24 bits.
    assert!(texels.chunks(4).all(|texel| texel == [255, 255, 255, 9]), "{:?}", &texels[..8]);
    setup.context.clear(ClearFlags::DEPTH, None, &none, 0.0, 77).unwrap();
    let texels = level(&mut setup, depth, size);
    assert!(texels.chunks(4).all(|texel| texel == [0, 0, 0, 9]), "{:?}", &texels[..8]);
}

fn a_depth_buffer_alone_is_cleared<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let mut setup = Setup::new(&screen, Options::default()).unwrap();
    let size = [70, 9, 1];
    let (depth, zsbuf) = surface(&mut setup, &screen, Format::Z16Unorm, size, 0);
    bind(&mut setup, &[], Some(zsbuf));
    let none = ColorUnion::float([0.0; 4]);
    let all = ClearFlags::COLOR | ClearFlags::DEPTH_STENCIL;
    setup.context.clear(all, None, &none, 1.0, 0).unwrap();
    setup.context.clear(all, Some(&scissor(60, 2, 68, 4)), &none, 0.0, 0).unwrap();
    let texels = level(&mut setup, depth, size);
    for (at, texel) in texels.chunks(2).enumerate() {
        let inside = (60..68).contains(&(at % 70)) && (2..4).contains(&(at / 70));
        assert_eq!(texel, if inside { [0; 2] } else { [255; 2] }, "texel {at}");
    }
}

fn masks_and_conditions<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let mut setup = Setup::new(&screen, Options::default()).unwrap();
    let (color, cbuf) = surface(&mut setup, &screen, RGBA, [12, 12, 1], 0);
    let (_, zsbuf) = surface(&mut setup, &screen, Format::Z16Unorm, [6, 6, 1], 0);
    bind(&mut setup, &[cbuf], Some(zsbuf));
    // The blend state's masks do not limit clears.
    let mut masked = BlendState::default();
    masked.rt[0].colormask = ColorMask::empty();
    setup.blend(&masked).unwrap();
    let white = ColorUnion::float(WHITE);
    setup.context.clear(ClearFlags::COLOR0, None, &white, 0.0, 0).unwrap();
    assert!(level(&mut setup, color, [12, 12, 1]).iter().all(|byte| *byte == 255));
    // A condition that fails skips the whole clear, inside and outside the framebuffer's area.
    let query = setup.context.create_query(QueryType::OcclusionCounter, 0).unwrap();
    setup.context.begin_query(query).unwrap();
    setup.context.end_query(query).unwrap();
    setup.context.render_condition(Some(query), false, RenderConditionMode::Wait).unwrap();
    let black = ColorUnion::float([0.0; 4]);
    setup.context.clear(ClearFlags::COLOR0, None, &black, 0.0, 0).unwrap();
    let part = scissor(2, 2, 9, 9);
    setup.context.clear(ClearFlags::COLOR0, Some(&part), &black, 0.0, 0).unwrap();
    assert!(level(&mut setup, color, [12, 12, 1]).iter().all(|byte| *byte == 255));
    setup.context.render_condition(None, false, RenderConditionMode::Wait).unwrap();
    setup.context.clear(ClearFlags::COLOR0, Some(&part), &black, 0.0, 0).unwrap();
    let texels = level(&mut setup, color, [12, 12, 1]);
    assert_eq!(texels.chunks(4).filter(|texel| **texel == [0; 4]).count(), 49);
}

fn scissored_clears_are_in_order_with_draws<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    assert_eq!(screen.get_param(Cap::ClearScissored), 1);
    for streamed in [false, true] {
        let options = Options { width: 100, height: 70, streamed, ..Options::default() };
        let mut setup = Setup::new(&screen, options).unwrap();
        for draws in [false, true] {
            // Without a draw or a whole clear, the other pixels are 0.
            if draws {
                setup.clear(BLACK, 1.0).unwrap();
                fill(&mut setup, &screen, 0.0, RED);
            }
            let green = ColorUnion::float(GREEN);
            let part = scissor(50, 3, 90, 66);
            setup.context.clear(ClearFlags::COLOR0, Some(&part), &green, 1.0, 0).unwrap();
            let blue = ColorUnion::float(BLUE);
            let part = scissor(60, 60, 200, 200);
            setup.context.clear(ClearFlags::COLOR0, Some(&part), &blue, 1.0, 0).unwrap();
            let nowhere = scissor(30, 30, 30, 40);
            setup.context.clear(ClearFlags::COLOR0, Some(&nowhere), &blue, 1.0, 0).unwrap();
            let rows = setup.text();
            for (y, row) in rows.iter().enumerate() {
                for (x, letter) in row.chars().enumerate() {
                    let wanted = match () {
                        () if x >= 60 && y >= 60 => 'b',
                        () if (50..90).contains(&x) && (3..66).contains(&y) => 'g',
                        () if draws => 'r',
                        () => '.',
                    };
                    assert_eq!(letter, wanted, "({x}, {y}), streamed: {streamed}");
                }
            }
            // Earlier drawings to memory stay.
            if !streamed {
                setup.clear(BLACK, 1.0).unwrap();
            }
        }
    }
}

fn depth_is_cleared_within_a_scissor<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    for streamed in [false, true] {
        for format in [Format::Z16Unorm, Format::Z24UnormS8Uint, Format::Z32Float] {
            let depth = Some(format);
            let options = Options { width: 80, height: 8, depth, streamed, ..Options::default() };
            let mut setup = Setup::new(&screen, options).unwrap();
            let nearer = DepthStencilAlphaState {
                depth_enabled: true,
                depth_writemask: true,
                depth_func: CompareFunc::Less,
                ..DepthStencilAlphaState::default()
            };
            setup.depth_test(&nearer).unwrap();
            setup.clear(BLACK, 1.0).unwrap();
            fill(&mut setup, &screen, -0.5, RED);
            let part = scissor(2, 2, 70, 6);
            let none = ColorUnion::float([0.0; 4]);
            setup.context.clear(ClearFlags::DEPTH, Some(&part), &none, 1.0, 0).unwrap();
            // Farther than red, so visible only where depth was cleared.
            fill(&mut setup, &screen, 0.5, GREEN);
            let row = |y: usize| match (2..6).contains(&y) {
                true => format!("rr{}{}", "g".repeat(68), "r".repeat(10)),
                false => "r".repeat(80),
            };
            let wanted: Vec<String> = (0..8).map(row).collect();
            assert_picture!(setup.text(), wanted, "{format:?}, streamed: {streamed}");
        }
    }
}

fn stencil_is_cleared_within_a_scissor<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    for streamed in [false, true] {
        let depth = Some(Format::Z24UnormS8Uint);
        let options = Options { width: 70, height: 4, depth, streamed, ..Options::default() };
        let mut setup = Setup::new(&screen, options).unwrap();
        let mut equal = DepthStencilAlphaState::default();
        equal.stencil[0].enabled = true;
        equal.stencil[0].func = CompareFunc::Equal;
        equal.stencil[0].valuemask = 0xff;
        setup.depth_test(&equal).unwrap();
        setup.clear(BLACK, 1.0).unwrap();
        fill(&mut setup, &screen, 0.0, RED);
        let part = scissor(1, 1, 69, 3);
        let none = ColorUnion::float([0.0; 4]);
        setup.context.clear(ClearFlags::STENCIL, Some(&part), &none, 1.0, 7).unwrap();
        // The reference is 0: the part with 7 now fails.
        fill(&mut setup, &screen, 0.0, GREEN);
        let inner = format!("g{}g", "r".repeat(68));
        let wanted = ["g".repeat(70), inner.clone(), inner, "g".repeat(70)];
        assert_picture!(setup.text(), wanted, "streamed: {streamed}");
    }
}

fn a_scissor_ends_where_a_surface_does<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let mut setup = Setup::new(&screen, Options::default()).unwrap();
    let (color, cbuf) = surface(&mut setup, &screen, RGBA, [16, 16, 1], 0);
    let (depth, zsbuf) = surface(&mut setup, &screen, Format::Z16Unorm, [8, 8, 1], 0);
    bind(&mut setup, &[cbuf], Some(zsbuf));
    let white = ColorUnion::float(WHITE);
    let all = ClearFlags::COLOR0 | ClearFlags::DEPTH;
    // The scissor is the framebuffer's area: nothing beyond it is cleared.
    for (part, texels, depths) in [
        (scissor(0, 0, 8, 8), 64, 64),
        (scissor(4, 4, 12, 12), 64, 16),
        (scissor(10, 10, 40, 40), 36, 0),
    ] {
        setup.context.clear(all, None, &ColorUnion::float([0.0; 4]), 0.0, 0).unwrap();
        setup.context.clear(all, Some(&part), &white, 1.0, 0).unwrap();
        let bytes = level(&mut setup, color, [16, 16, 1]);
        let inside = |at: usize| {
            let (x, y) = ((at % 16) as u16, (at / 16) as u16);
            (part.minx..part.maxx).contains(&x) && (part.miny..part.maxy).contains(&y)
        };
        for (at, texel) in bytes.chunks(4).enumerate() {
            assert_eq!(texel[0] == 255, inside(at), "texel {at} of {part:?}");
        }
        assert_eq!(bytes.chunks(4).filter(|texel| texel[0] == 255).count(), texels);
        let bytes = level(&mut setup, depth, [8, 8, 1]);
        assert_eq!(bytes.chunks(2).filter(|texel| **texel == [255; 2]).count(), depths);
    }
}

fn many_scissored_clears_in_a_small_scene<P: Profile>() {
    let screen = screen::<P>(Os::host(), 4096);
    let options = Options { width: 80, height: 80, ..Options::default() };
    let mut setup = Setup::new(&screen, options).unwrap();
    let mut wanted = vec![[0u8; 4]; 80 * 80];
    let mut random = Random(7);
    for number in 0..2000u32 {
        let (x0, y0) = (random.between(0.0, 79.0) as u16, random.between(0.0, 79.0) as u16);
        let (x1, y1) = (x0 + random.between(1.0, 40.0) as u16, y0 + 9);
        let color = [number % 256, number / 256, 3, 255].map(|value| value as u8);
        for y in y0..y1.min(80) {
            for x in x0..x1.min(80) {
                wanted[usize::from(y) * 80 + usize::from(x)] = color;
            }
        }
        let floats = ColorUnion::float(color.map(|value| f32::from(value) / 255.0));
        let part = scissor(x0, y0, x1, y1);
        setup.context.clear(ClearFlags::COLOR0, Some(&part), &floats, 1.0, 0).unwrap();
    }
    assert!(setup.pixels().unwrap() == wanted.concat());
    // A streamed scene cannot be rasterized early; the error gives the bytes that it needs.
    let options = Options { width: 80, height: 80, streamed: true, ..Options::default() };
    let mut setup = Setup::new(&screen, options).unwrap();
    let part = scissor(1, 1, 79, 79);
    let white = ColorUnion::float(WHITE);
    let mut clear = || setup.context.clear(ClearFlags::COLOR0, Some(&part), &white, 1.0, 0);
    let refused = (0..20_000).find_map(|_| clear().err());
    assert!(matches!(refused, Some(PipeError::SceneFull { .. })), "{refused:?}");
}
