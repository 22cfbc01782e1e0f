//! Blits: scaled, mirrored, converted, masked; with values computed by hand.

use crate::common::*;
use formats::Format;
use gallium_raster::{Host, Small};
use os_shim::Os;
use pipe_core::{
    Bind, BlitInfo, BlitMask, BlitSurface, Context, MapFlags, PipeError, Region, ResourceHandle,
    ResourceTemplate, ScissorState, Screen, TexFilter, TextureTarget,
};

type Dyn<'c, 'm> = &'c mut (dyn Context<'m> + 'c);

fn texture(format: Format, width: u32, height: u32) -> ResourceTemplate {
    let bind = match format.is_depth_or_stencil() {
        true => Bind::SAMPLER_VIEW | Bind::DEPTH_STENCIL,
        false => Bind::SAMPLER_VIEW | Bind::RENDER_TARGET,
    };
    ResourceTemplate::texture_2d(format, width, height, bind)
}

/// Makes a texture with these texels on level 0.
fn filled<'m>(
    screen: &dyn Screen<'m>,
    context: Dyn<'_, 'm>,
    template: &ResourceTemplate,
    texels: &[u8],
) -> ResourceHandle {
    let image = screen.resource_create(template).unwrap();
    let [width, height, layers] = template.level_size(0).unwrap();
    let stride = width as usize * template.format.block_bytes();
    let whole = Region::whole(width, height, layers);
    let layer = stride * height as usize;
    context.texture_subdata(image, 0, MapFlags::WRITE, &whole, texels, stride, layer).unwrap();
    image
}

fn read<'m>(context: Dyn<'_, 'm>, image: ResourceHandle, level: u32, region: Region) -> Vec<u8> {
    let map = context.transfer_map(image, level, MapFlags::READ, &region).unwrap();
    let bytes = context.transfer_bytes(map.handle).unwrap().to_vec();
    context.transfer_unmap(map.handle).unwrap();
    bytes
}

fn end(resource: ResourceHandle, format: Format, region: Region) -> BlitSurface {
    BlitSurface { resource, level: 0, region, format }
}

/// Returns a box with corners that may be swapped.
fn from_to(x0: i32, y0: i32, x1: i32, y1: i32) -> Region {
    Region { x: x0, y: y0, z: 0, width: x1 - x0, height: y1 - y0, depth: 1 }
}

#[test]
fn scales_mirrors_and_cuts() {
    let screen = screen::<Host>(Os::host(), 0);
    let mut setup = Setup::new(&screen, Options::default()).unwrap();
    let context = &mut *setup.context;
    let format = Format::R8Unorm;
    let source = filled(&screen, context, &texture(format, 2, 2), &[10, 20, 30, 40]);
    let rows = |source_box, target_box, filter, scissor| {
        let target = filled(&screen, context, &texture(format, 4, 4), &[0; 16]);
        let mut info =
            BlitInfo::new(end(target, format, target_box), end(source, format, source_box), filter);
        info.scissor = scissor;
        context.blit(&info).unwrap();
        read(context, target, 0, Region::whole(4, 4, 1))
    };
    let mut rows = rows;
    let (all, whole) = (from_to(0, 0, 2, 2), from_to(0, 0, 4, 4));
    let twice = [10, 10, 20, 20, 10, 10, 20, 20, 30, 30, 40, 40, 30, 30, 40, 40];
    assert_eq!(rows(all, whole, TexFilter::Nearest, None), twice);
    let mirrored = [20, 20, 10, 10, 20, 20, 10, 10, 40, 40, 30, 30, 40, 40, 30, 30];
    assert_eq!(rows(from_to(2, 0, 0, 2), whole, TexFilter::Nearest, None), mirrored);
    assert_eq!(rows(all, from_to(4, 0, 0, 4), TexFilter::Nearest, None), mirrored);
    assert_eq!(rows(from_to(2, 0, 0, 2), from_to(4, 0, 0, 4), TexFilter::Nearest, None), twice);
    // Centres are at 1/4 and 3/4 of a texel: 10, 12.5 (to even), 17.5, 20 along the first row.
    let linear = rows(all, whole, TexFilter::Linear, None);
    assert_eq!(linear[..4], [10, 12, 18, 20]);
    // Half way down the first column: 15, and 25 below.
    assert_eq!([linear[4], linear[8]], [15, 25]);
    let scissor = Some(ScissorState { minx: 1, miny: 1, maxx: 3, maxy: 2 });
    let cut = [0, 0, 0, 0, 0, 10, 20, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    assert_eq!(rows(all, whole, TexFilter::Nearest, scissor), cut);
    // One texel, copied to an odd rectangle.
    let one = [0, 0, 0, 0, 0, 40, 40, 40, 0, 40, 40, 40, 0, 40, 40, 40];
    assert_eq!(rows(from_to(1, 1, 2, 2), from_to(1, 1, 4, 4), TexFilter::Nearest, None), one);
}

#[test]
fn converts_and_masks() {
    let screen = screen::<Small>(Os::host(), 0);
    let mut setup = Setup::new(&screen, Options::default()).unwrap();
    let context = &mut *setup.context;
    let rgba = Format::R8G8B8A8Unorm;
    let source = filled(&screen, context, &texture(rgba, 1, 1), &[255, 0, 128, 64]);
    let one = from_to(0, 0, 1, 1);
    for (format, mask, before, wanted) in [
        (Format::B8G8R8A8Unorm, BlitMask::RGBA, vec![1, 2, 3, 4], vec![128, 0, 255, 64]),
        (rgba, BlitMask::G | BlitMask::A, vec![1, 2, 3, 4], vec![1, 0, 3, 64]),
        // 128/255 in five bits is 16, red is 31: 0xf810.
        (Format::B5G6R5Unorm, BlitMask::RGBA, vec![0, 0], vec![0x10, 0xf8]),
        // Linear 128/255 is 188 in sRGB; red and alpha are unchanged.
        (Format::R8G8B8A8Srgb, BlitMask::RGBA, vec![0; 4], vec![255, 0, 188, 64]),
    ] {
        let target = filled(&screen, context, &texture(format, 1, 1), &before);
        let mut info =
            BlitInfo::new(end(target, format, one), end(source, rgba, one), TexFilter::Nearest);
        info.mask = mask;
        context.blit(&info).unwrap();
        assert_eq!(read(context, target, 0, Region::whole(1, 1, 1)), wanted, "{format:?}");
    }
    // Integers are unchanged.
    let ints = filled(&screen, context, &texture(Format::R8Uint, 1, 1), &[200]);
    let wide = filled(&screen, context, &texture(Format::R32Uint, 1, 1), &[0; 4]);
    let info = BlitInfo::new(
        end(wide, Format::R32Uint, one),
        end(ints, Format::R8Uint, one),
        TexFilter::Nearest,
    );
    context.blit(&info).unwrap();
    assert_eq!(read(context, wide, 0, Region::whole(1, 1, 1)), [200, 0, 0, 0]);
    // Half transparent red over blue: alpha 64/255.
    let target = filled(&screen, context, &texture(rgba, 1, 1), &[0, 0, 255, 255]);
    let mut info =
        BlitInfo::new(end(target, rgba, one), end(source, rgba, one), TexFilter::Nearest);
    info.alpha_blend = true;
    context.blit(&info).unwrap();
    let pixel = read(context, target, 0, Region::whole(1, 1, 1));
    assert_eq!(pixel[..3], [64, 0, 223]);
}

#[test]
fn depth_and_stencil_apart() {
    let screen = screen::<Small>(Os::host(), 0);
    let mut setup = Setup::new(&screen, Options::default()).unwrap();
    let context = &mut *setup.context;
    let format = Format::Z24UnormS8Uint;
    let texels = [0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88];
    let source = filled(&screen, context, &texture(format, 2, 1), &texels);
    for (mask, wanted) in [
        (BlitMask::Z, [0x55, 0x66, 0x77, 9, 0x11, 0x22, 0x33, 9]),
        (BlitMask::S, [9, 9, 9, 0x88, 9, 9, 9, 0x44]),
        (BlitMask::ZS, [0x55, 0x66, 0x77, 0x88, 0x11, 0x22, 0x33, 0x44]),
    ] {
        let target = filled(&screen, context, &texture(format, 2, 1), &[9; 8]);
        let mut info = BlitInfo::new(
            end(target, format, from_to(0, 0, 2, 1)),
            end(source, format, from_to(2, 0, 0, 1)),
            TexFilter::Nearest,
        );
        info.mask = mask;
        context.blit(&info).unwrap();
        assert_eq!(read(context, target, 0, Region::whole(2, 1, 1)), wanted, "{mask:?}");
    }
    // Filtered, if there is no stencil: half way between one quarter and three quarters.
    let z16 = Format::Z16Unorm;
    let source = filled(&screen, context, &texture(z16, 2, 1), &[0, 0x40, 0, 0xc0]);
    let target = filled(&screen, context, &texture(z16, 1, 1), &[0; 2]);
    let mut info = BlitInfo::new(
        end(target, z16, from_to(0, 0, 1, 1)),
        end(source, z16, from_to(0, 0, 2, 1)),
        TexFilter::Linear,
    );
    info.mask = BlitMask::Z;
    context.blit(&info).unwrap();
    assert_eq!(read(context, target, 0, Region::whole(1, 1, 1)), [0, 0x80]);
    let source = filled(&screen, context, &texture(format, 2, 1), &texels);
    // Into a float: 0x332211 / 0xffffff.
    let target = filled(&screen, context, &texture(Format::Z32Float, 1, 1), &[0; 4]);
    let mut info = BlitInfo::new(
        end(target, Format::Z32Float, from_to(0, 0, 1, 1)),
        end(source, format, from_to(0, 0, 1, 1)),
        TexFilter::Nearest,
    );
    info.mask = BlitMask::Z;
    context.blit(&info).unwrap();
    let bytes = read(context, target, 0, Region::whole(1, 1, 1));
    let depth = f32::from_le_bytes(bytes.try_into().unwrap());
    assert!((f64::from(depth) - f64::from(0x332211) / f64::from(0xffffff)).abs() < 1e-7);
}

#[test]
fn levels_layers_and_slices() {
    let screen = screen::<Small>(Os::host(), 0);
    let mut setup = Setup::new(&screen, Options::default()).unwrap();
    let context = &mut *setup.context;
    let format = Format::R8Unorm;
    // Another level of the same texture, half the size, filtered: the mean of four.
    let template = ResourceTemplate { last_level: 1, ..texture(format, 2, 2) };
    let image = screen.resource_create(&template).unwrap();
    let whole = Region::whole(2, 2, 1);
    context.texture_subdata(image, 0, MapFlags::WRITE, &whole, &[0, 40, 80, 120], 2, 4).unwrap();
    let dst = BlitSurface { level: 1, ..end(image, format, from_to(0, 0, 1, 1)) };
    let info = BlitInfo::new(dst, end(image, format, from_to(0, 0, 2, 2)), TexFilter::Linear);
    context.blit(&info).unwrap();
    assert_eq!(read(context, image, 1, Region::whole(1, 1, 1)), [60]);
    // Within one level: the left column is mirrored to the right.
    let info = BlitInfo::new(
        end(image, format, from_to(1, 0, 2, 2)),
        end(image, format, from_to(0, 2, 1, 0)),
        TexFilter::Nearest,
    );
    context.blit(&info).unwrap();
    assert_eq!(read(context, image, 0, whole), [0, 80, 80, 0]);
    // Four slices of a 3D texture to two: neighbours are averaged.
    let volume = ResourceTemplate {
        target: TextureTarget::Texture3D,
        depth0: 4,
        last_level: 1,
        ..texture(format, 1, 1)
    };
    let volume = filled(&screen, context, &volume, &[0, 20, 100, 140]);
    let slices = |depth| Region { depth, ..from_to(0, 0, 1, 1) };
    let dst = BlitSurface { level: 1, ..end(volume, format, slices(2)) };
    let info = BlitInfo::new(dst, end(volume, format, slices(4)), TexFilter::Linear);
    context.blit(&info).unwrap();
    assert_eq!(read(context, volume, 1, Region::whole(1, 1, 2)), [10, 120]);
}

#[test]
fn boxes_that_leave_their_level_are_clipped() {
    let screen = screen::<Small>(Os::host(), 0);
    let mut setup = Setup::new(&screen, Options::default()).unwrap();
    let context = &mut *setup.context;
    let format = Format::R8Unorm;
    let source = filled(&screen, context, &texture(format, 2, 1), &[10, 20]);
    let mut row = |dst, src| {
        let target = filled(&screen, context, &texture(format, 4, 1), &[0; 4]);
        let (dst, src) = (end(target, format, dst), end(source, format, src));
        context.blit(&BlitInfo::new(dst, src, TexFilter::Nearest)).unwrap();
        read(context, target, 0, Region::whole(4, 1, 1))
    };
    // Four pixels for two texels, the first two and the last two of them outside.
    assert_eq!(row(from_to(-2, 0, 2, 1), from_to(0, 0, 2, 1)), [20, 20, 0, 0]);
    assert_eq!(row(from_to(2, 0, 6, 1), from_to(0, 0, 2, 1)), [0, 0, 10, 10]);
    // Texels beyond an edge repeat the edge's texel.
    assert_eq!(row(from_to(0, 0, 4, 1), from_to(-1, 0, 3, 1)), [10, 10, 20, 20]);
    let huge = Region { x: -2_000_000_000, width: i32::MAX, ..from_to(0, 0, 0, 1) };
    assert_eq!(row(huge, from_to(0, 0, 2, 1)), [20; 4]);
}

/// Destinations without a pixel in their level: beyond each side, empty at the lowest place, and
/// cut off by a scissor.
#[test]
fn blits_to_no_pixel_write_nothing() {
    let screen = screen::<Host>(Os::host(), 0);
    let mut setup = Setup::new(&screen, Options::default()).unwrap();
    let context = &mut *setup.context;
    let format = Format::R8Unorm;
    let before: Vec<u8> = (1..=16).collect();
    let target = filled(&screen, context, &texture(format, 4, 4), &before);
    let source = filled(&screen, context, &texture(format, 4, 4), &[99; 16]);
    let at = |x, y, width, height| Region { x, y, z: 0, width, height, depth: 1 };
    let outside = Some(ScissorState { minx: 3, miny: 3, maxx: 1, maxy: 1 });
    for (region, scissor) in [
        (at(9, 9, 2, 2), None),
        (at(-9, -9, 2, 2), None),
        (at(i32::MAX, 0, 2, 2), None),
        (at(i32::MIN, 0, 0, 2), None),
        (at(0, i32::MIN, 2, 0), None),
        (at(0, 0, 4, 4), outside),
    ] {
        for filter in [TexFilter::Nearest, TexFilter::Linear] {
            let mut info =
                BlitInfo::new(end(target, format, region), end(source, format, region), filter);
            info.scissor = scissor;
            let _ = context.blit(&info);
            assert_eq!(read(context, target, 0, Region::whole(4, 4, 1)), before, "{region:?}");
        }
    }
}

/// Boxes of any size and place are cut or refused: no step of a blit overflows.
#[test]
fn boxes_of_any_size_are_cut_or_refused() {
    let screen = screen::<Host>(Os::host(), 0);
    let mut setup = Setup::new(&screen, Options::default()).unwrap();
    let context = &mut *setup.context;
    let format = Format::R8Unorm;
    let target = filled(&screen, context, &texture(format, 4, 4), &[0; 16]);
    let source = filled(&screen, context, &texture(format, 4, 4), &[99; 16]);
    let ends =
        [i32::MIN, i32::MIN + 1, -(1 << 30), -5, -1, 0, 1, 3, 4, 1 << 30, i32::MAX - 1, i32::MAX];
    let mut random = Random(5);
    let (mut drawn, mut refused) = (0, 0);
    for _ in 0..20_000 {
        let mut region = || {
            let [x, y, width, height] = [(); 4].map(|()| random.of(&ends));
            Region { x, y, z: 0, width, height, depth: 1 }
        };
        let (to, from) = (region(), region());
        let filter = random.of(&[TexFilter::Nearest, TexFilter::Linear]);
        let info = BlitInfo::new(end(target, format, to), end(source, format, from), filter);
        match context.blit(&info) {
            Ok(()) => drawn += 1,
            Err(_) => refused += 1,
        }
    }
    assert!(drawn > 1000 && refused > 1000, "{drawn} drawn, {refused} refused");
}

#[test]
fn layers_and_formats_that_do_not_fit_are_errors() {
    let screen = screen::<Small>(Os::host(), 0);
    let mut setup = Setup::new(&screen, Options::default()).unwrap();
    let context = &mut *setup.context;
    let format = Format::R8G8B8A8Unorm;
    let image = screen.resource_create(&texture(format, 4, 4)).unwrap();
    let other = screen.resource_create(&texture(format, 4, 4)).unwrap();
    for region in [
        Region { z: -1, ..from_to(0, 0, 1, 1) },
        Region { depth: 2, ..from_to(0, 0, 1, 1) },
        Region { x: i32::MAX, width: i32::MAX, ..from_to(0, 0, 1, 1) },
        Region { x: i32::MIN, width: i32::MIN, ..from_to(0, 0, 1, 1) },
        Region { z: 1, ..from_to(0, 0, 1, 1) },
    ] {
        let fine = end(other, format, from_to(0, 0, 4, 4));
        for (dst, src) in [(end(image, format, region), fine), (fine, end(image, format, region))] {
            let result = context.blit(&BlitInfo::new(dst, src, TexFilter::Linear));
            assert!(matches!(result, Err(PipeError::RegionOutOfRange { .. })), "{region:?}");
        }
    }
    let wrong = end(image, Format::R8Unorm, from_to(0, 0, 1, 1));
    let fine = end(other, format, from_to(0, 0, 4, 4));
    let result = context.blit(&BlitInfo::new(fine, wrong, TexFilter::Nearest));
    assert!(matches!(result, Err(PipeError::UnsupportedFormat { .. })));
    let level = BlitSurface { level: 9, ..fine };
    assert!(context.blit(&BlitInfo::new(level, fine, TexFilter::Nearest)).is_err());
    // An empty box is fine and does nothing.
    let nothing = end(image, format, from_to(2, 2, 2, 2));
    assert_eq!(context.blit(&BlitInfo::new(nothing, fine, TexFilter::Linear)), Ok(()));
    assert_eq!(context.blit(&BlitInfo::new(fine, nothing, TexFilter::Linear)), Ok(()));
}

/// Manual, Context, "Conditional Rendering": blits depend on a condition by their flag, copies
/// never do.
#[test]
fn blits_depend_on_conditions_by_their_flag() {
    let screen = screen::<Host>(Os::host(), 0);
    let mut setup = Setup::new(&screen, Options::default()).unwrap();
    let context = &mut *setup.context;
    let format = Format::R8Unorm;
    let source = filled(&screen, context, &texture(format, 2, 2), &[10, 20, 30, 40]);
    let all = from_to(0, 0, 2, 2);
    let query = context.create_query(pipe_core::QueryType::OcclusionCounter, 0).unwrap();
    context.begin_query(query).unwrap();
    context.end_query(query).unwrap();
    for (condition, conditional, copied) in
        [(false, false, true), (false, true, false), (true, false, true), (true, true, true)]
    {
        let target = filled(&screen, context, &texture(format, 2, 2), &[0; 4]);
        let mode = pipe_core::query::RenderConditionMode::Wait;
        context.render_condition(Some(query), condition, mode).unwrap();
        let ends = [target, source].map(|image| end(image, format, all));
        let mut info = BlitInfo::new(ends[0], ends[1], TexFilter::Nearest);
        info.render_condition_enable = conditional;
        context.blit(&info).unwrap();
        let wanted = if copied { [10, 20, 30, 40] } else { [0; 4] };
        let pixels = read(context, target, 0, Region::whole(2, 2, 1));
        assert_eq!(pixels, wanted, "skipped if {condition}, conditional {conditional}");
        context.resource_copy_region(target, 0, 0, 0, 0, source, 0, &all).unwrap();
        assert_eq!(read(context, target, 0, Region::whole(2, 2, 1)), [10, 20, 30, 40]);
    }
}
