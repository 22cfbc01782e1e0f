//! Writing pixels against a reference blender in f64, truth tables, and cases done by hand.

use std::vec;
use std::vec::Vec;

use formats::Format;
use pipe_core::state::{
    BlendColor, BlendFactor, BlendFunc, BlendState, ColorMask, LogicOp, RenderTargetBlendState,
};
use tgsi::exec::Mask;

use super::{ColorState, QuadPositions, Target, write};
use crate::lanes::QuadPosition;

/// Returns the pixel after `color` (and `second`) is written over `old` with the given state.
fn one_pixel(
    blend: &BlendState,
    constant: [f32; 4],
    format: Format,
    old: &[u8],
    color: [f32; 4],
    second: Option<[f32; 4]>,
) -> Vec<u8> {
    let bits = color.map(f32::to_bits);
    one_pixel_bits(blend, constant, format, old, bits, second.map(|c| c.map(f32::to_bits)))
}

fn one_pixel_bits(
    blend: &BlendState,
    constant: [f32; 4],
    format: Format,
    old: &[u8],
    color: [u32; 4],
    second: Option<[u32; 4]>,
) -> Vec<u8> {
    let state = ColorState::derive(blend, 0, format, &BlendColor { color: constant });
    let size = format.block_bytes();
    let mut bytes = old.repeat(4);
    let mut target = Target { bytes: &mut bytes, stride: 2 * size, format, width: 2, height: 2 };
    let rows = color.map(|component| [component; 4]);
    let second_rows = second.map(|second| second.map(|component| [component; 4]));
    write::<[u32; 4]>(
        &state,
        &mut target,
        QuadPositions::packed(&[QuadPosition::default()]),
        0b0001,
        rows.each_ref(),
        second_rows.as_ref().map(|rows| rows.each_ref()),
    );
    for other in 1..4 {
        assert_eq!(&bytes[other * size..][..size], old, "pixel {other} is not in the mask");
    }
    bytes.truncate(size);
    bytes
}

/// The operands of the reference blender.
struct Case {
    s: [f64; 4],
    d: [f64; 4],
    s1: [f64; 4],
    k: [f64; 4],
}

/// OpenGL 4.6 table 17.2, component by component.
fn factor(case: &Case, factor: BlendFactor, c: usize) -> f64 {
    let Case { s, d, s1, k } = case;
    match factor {
        BlendFactor::Zero => 0.0,
        BlendFactor::One => 1.0,
        BlendFactor::SrcColor => s[c],
        BlendFactor::InvSrcColor => 1.0 - s[c],
        BlendFactor::DstColor => d[c],
        BlendFactor::InvDstColor => 1.0 - d[c],
        BlendFactor::SrcAlpha => s[3],
        BlendFactor::InvSrcAlpha => 1.0 - s[3],
        BlendFactor::DstAlpha => d[3],
        BlendFactor::InvDstAlpha => 1.0 - d[3],
        BlendFactor::ConstColor => k[c],
        BlendFactor::InvConstColor => 1.0 - k[c],
        BlendFactor::ConstAlpha => k[3],
        BlendFactor::InvConstAlpha => 1.0 - k[3],
        BlendFactor::SrcAlphaSaturate if c == 3 => 1.0,
        BlendFactor::SrcAlphaSaturate => s[3].min(1.0 - d[3]),
        BlendFactor::Src1Color => s1[c],
        BlendFactor::InvSrc1Color => 1.0 - s1[c],
        BlendFactor::Src1Alpha => s1[3],
        BlendFactor::InvSrc1Alpha => 1.0 - s1[3],
    }
}

/// OpenGL 4.6 table 17.1.
fn equation(func: BlendFunc, s: f64, sf: f64, d: f64, df: f64) -> f64 {
    match func {
        BlendFunc::Add => s * sf + d * df,
        BlendFunc::Subtract => s * sf - d * df,
        BlendFunc::ReverseSubtract => d * df - s * sf,
        BlendFunc::Min => s.min(d),
        BlendFunc::Max => s.max(d),
    }
}

fn reference(case: &Case, rt: &RenderTargetBlendState) -> [f64; 4] {
    core::array::from_fn(|c| {
        let (func, sf, df) = if c == 3 {
            (rt.alpha_func, rt.alpha_src_factor, rt.alpha_dst_factor)
        } else {
            (rt.rgb_func, rt.rgb_src_factor, rt.rgb_dst_factor)
        };
        equation(func, case.s[c], factor(case, sf, c), case.d[c], factor(case, df, c))
    })
}

fn f64s(v: [f32; 4]) -> [f64; 4] {
    v.map(f64::from)
}

#[test]
fn every_factor_and_function_matches_f64() {
    let source = [0.8f32, 0.1, 0.45, 0.6];
    let second = [0.3f32, 0.9, 0.2, 0.35];
    let constant = [0.25f32, 0.5, 0.75, 0.4];
    let old = [40u8, 200, 120, 90];
    for &func in BlendFunc::ALL {
        for (&src_factor, &dst_factor) in BlendFactor::ALL
            .iter()
            .flat_map(|src| BlendFactor::ALL.iter().map(move |dst| (src, dst)))
        {
            // Alpha with other factors and another function than colour, to catch mix-ups.
            let rt = RenderTargetBlendState {
                alpha_func: BlendFunc::Add,
                alpha_src_factor: dst_factor,
                alpha_dst_factor: src_factor,
                ..RenderTargetBlendState::uniform(func, src_factor, dst_factor)
            };
            let blend = BlendState::uniform(rt);
            for format in [Format::R8G8B8A8Unorm, Format::R8G8B8A8Srgb, Format::R32G32B32A32Float] {
                let old: Vec<u8> = if format == Format::R32G32B32A32Float {
                    old.iter().flat_map(|&b| (b as f32 / 255.0).to_le_bytes()).collect()
                } else {
                    old.to_vec()
                };
                let case = Case {
                    s: f64s(source),
                    d: f64s(format.fetch_rgba_f32(&old)),
                    s1: f64s(second),
                    k: f64s(constant),
                };
                let want = reference(&case, &rt);
                let got = one_pixel(&blend, constant, format, &old, source, Some(second));
                let got = f64s(format.fetch_rgba_f32(&got));
                for c in 0..4 {
                    // Half a step of 8 bits; of sRGB where it is steepest. Floats are not clamped.
                    let (want, tolerance) = match format {
                        Format::R8G8B8A8Unorm => (want[c].clamp(0.0, 1.0), 0.501 / 255.0),
                        Format::R8G8B8A8Srgb => (want[c].clamp(0.0, 1.0), 0.0046),
                        _ => (want[c], 1e-6),
                    };
                    assert!(
                        (got[c] - want).abs() <= tolerance,
                        "{format:?} {func:?} {src_factor:?} {dst_factor:?} [{c}]: {} {want}",
                        got[c]
                    );
                }
            }
        }
    }
}

#[test]
fn alpha_blending_by_hand() {
    let blend = BlendState::uniform(RenderTargetBlendState::alpha_blending());
    // Red at 1/5 over blue: 0.2·255 = 51, 0.8·255 = 204, alpha 0.2·0.2 + 0.8·1 = 0.84.
    let red = [1.0, 0.0, 0.0, 0.2];
    let rgba = Format::R8G8B8A8Unorm;
    let got = one_pixel(&blend, [0.0; 4], rgba, &[0, 0, 255, 255], red, None);
    assert_eq!(got, [51, 0, 204, 214]);
    let bgra = Format::B8G8R8A8Unorm;
    let got = one_pixel(&blend, [0.0; 4], bgra, &[255, 0, 0, 255], red, None);
    assert_eq!(got, [204, 0, 51, 214]);
    // In 565: red 0.2·31 = 6.2, blue 0.8·31 = 24.8.
    let got = one_pixel(&blend, [0.0; 4], Format::B5G6R5Unorm, &[0x1f, 0], red, None);
    assert_eq!(got, (6u16 << 11 | 25).to_le_bytes());
}

#[test]
fn fixed_point_targets_clamp_the_fragment_first() {
    // 3·½ is ½ for a unorm target (3 becomes 1), 1.5 for a float target.
    let rt =
        RenderTargetBlendState::uniform(BlendFunc::Add, BlendFactor::ConstColor, BlendFactor::Zero);
    let blend = BlendState::uniform(rt);
    let color = [3.0, -1.0, f32::NAN, 1.0];
    let half = [0.5, 0.5, 0.5, 7.0];
    let got = one_pixel(&blend, half, Format::R8G8B8A8Unorm, &[9; 4], color, None);
    assert_eq!(got, [128, 0, 0, 255]);
    let got = one_pixel(&blend, half, Format::R8G8B8A8Snorm, &[9; 4], color, None);
    assert_eq!(got[..2], [64, (-64i8) as u8]); // 63.5 to even
    let got = one_pixel(&blend, half, Format::R32G32B32A32Float, &[0; 16], color, None);
    assert_eq!(got[..4], 1.5f32.to_le_bytes());
    assert_eq!(got[4..8], (-0.5f32).to_le_bytes());
}

#[test]
fn a_missing_destination_alpha_is_one() {
    let rt = RenderTargetBlendState::uniform(
        BlendFunc::Add,
        BlendFactor::DstAlpha,
        BlendFactor::InvDstAlpha,
    );
    let blend = BlendState::uniform(rt);
    let color = [0.2, 0.4, 0.6, 0.5];
    let got = one_pixel(&blend, [0.0; 4], Format::B8G8R8X8Unorm, &[255; 4], color, None);
    assert_eq!(got[..3], [153, 102, 51]);
}

#[test]
fn writing_replaces_in_every_format() {
    let blend = BlendState::default();
    for &format in Format::ALL {
        let state = ColorState::derive(&blend, 0, format, &BlendColor::default());
        let size = format.block_bytes();
        if format.is_depth_or_stencil() || !format.is_texel() || format.desc().block.width != 1 {
            assert!(!state.writes(), "{format:?} is no colour target");
            continue;
        }
        if format.is_pure_integer() || size > 16 {
            continue;
        }
        assert!(state.replaces(), "{format:?}");
        let color = [0.75, 0.5, 0.25, 0.125];
        let mut want = vec![0; size];
        format.store_rgba_f32(color, &mut want);
        let got = one_pixel(&blend, [0.0; 4], format, &vec![0xa5; size], color, None);
        assert_eq!(got, want, "{format:?}");
    }
}

#[test]
fn integers_are_written_raw_and_never_blended() {
    let blend = BlendState::uniform(RenderTargetBlendState::alpha_blending());
    let color = [1u32, 300, 5, 0xffff_fff0];
    let got = one_pixel_bits(&blend, [0.0; 4], Format::R32G32B32A32Uint, &[7; 16], color, None);
    let want: Vec<u8> = color.iter().flat_map(|v| v.to_le_bytes()).collect();
    assert_eq!(got, want);
}

#[test]
fn colour_masks_keep_the_other_channels_bits() {
    let color = [1.0, 1.0, 1.0, 1.0];
    for bits in 0..16 {
        let rt = RenderTargetBlendState {
            colormask: ColorMask::from_bits_truncate(bits),
            ..RenderTargetBlendState::default()
        };
        let blend = BlendState::uniform(rt);
        let on = |component: u8| bits >> component & 1 != 0;
        let byte = |component| if on(component) { 0xff } else { 0x11 };
        let got = one_pixel(&blend, [0.0; 4], Format::B8G8R8A8Unorm, &[0x11; 4], color, None);
        assert_eq!(got, [byte(2), byte(1), byte(0), byte(3)], "mask {bits:04b}");

        let old = 2u16 << 11 | 4 << 5 | 1;
        let part = |component, mask: u16| if on(component) { mask } else { old & mask };
        let want = part(0, 0xf800) | part(1, 0x07e0) | part(2, 0x001f);
        let old = old.to_le_bytes();
        let got = one_pixel(&blend, [0.0; 4], Format::B5G6R5Unorm, &old, color, None);
        assert_eq!(got, want.to_le_bytes(), "mask {bits:04b}");

        let got = one_pixel(&blend, [0.0; 4], Format::R16G16B16A16Float, &[0x22; 8], color, None);
        for component in 0..4 {
            let want = if on(component) { 0x3c00u16.to_le_bytes() } else { [0x22; 2] };
            assert_eq!(got[2 * component as usize..][..2], want, "mask {bits:04b}");
        }
    }
}

#[test]
fn the_mask_is_applied_after_blending_too() {
    let rt = RenderTargetBlendState {
        colormask: ColorMask::G | ColorMask::A,
        ..RenderTargetBlendState::uniform(BlendFunc::Add, BlendFactor::One, BlendFactor::One)
    };
    let blend = BlendState::uniform(rt);
    let rgba = Format::R8G8B8A8Unorm;
    let got = one_pixel(&blend, [0.0; 4], rgba, &[10, 20, 30, 40], [0.2; 4], None);
    assert_eq!(got, [10, 71, 30, 91]);
}

#[test]
fn the_sixteen_logic_operations() {
    // Bits of source 0011, of destination 0101: each bit position is one row of the truth tables.
    let table = [
        (LogicOp::Clear, 0b0000),
        (LogicOp::Nor, 0b1000),
        (LogicOp::AndInverted, 0b0100),
        (LogicOp::CopyInverted, 0b1100),
        (LogicOp::AndReverse, 0b0010),
        (LogicOp::Invert, 0b1010),
        (LogicOp::Xor, 0b0110),
        (LogicOp::Nand, 0b1110),
        (LogicOp::And, 0b0001),
        (LogicOp::Equiv, 0b1001),
        (LogicOp::Noop, 0b0101),
        (LogicOp::OrInverted, 0b1101),
        (LogicOp::Copy, 0b0011),
        (LogicOp::OrReverse, 0b1011),
        (LogicOp::Or, 0b0111),
        (LogicOp::Set, 0b1111),
    ];
    assert_eq!(table.len(), LogicOp::ALL.len());
    for (func, want) in table {
        let blend = BlendState {
            logicop_enable: true,
            logicop_func: func,
            // The logic operation overrides blending.
            ..BlendState::uniform(RenderTargetBlendState::alpha_blending())
        };
        let color = [0x33 as f32 / 255.0; 4];
        let got = one_pixel(&blend, [0.0; 4], Format::R8G8B8A8Unorm, &[0x55; 4], color, None);
        assert_eq!(got, [want | want << 4; 4], "{func:?}");
        // Floats and sRGB: written, neither combined nor blended.
        let old = 2.0f32.to_le_bytes();
        let got = one_pixel(&blend, [0.0; 4], Format::R32Float, &old, [0.5; 4], None);
        assert_eq!(got, 0.5f32.to_le_bytes(), "{func:?}");
        // Integers are combined as they are.
        let got = one_pixel_bits(&blend, [0.0; 4], Format::R8Uint, &[0x55], [0x33; 4], None);
        assert_eq!(got, [want | want << 4], "{func:?}");
    }
}

#[test]
fn alpha_to_one_replaces_alpha() {
    let blend = BlendState { alpha_to_one: true, ..BlendState::default() };
    let got = one_pixel(&blend, [0.0; 4], Format::R8G8B8A8Unorm, &[0; 4], [0.2; 4], None);
    assert_eq!(got, [51, 51, 51, 255]);
}

#[test]
fn each_target_has_its_own_state_when_independent() {
    let mut blend = BlendState { independent_blend_enable: true, ..BlendState::default() };
    blend.rt[1].colormask = ColorMask::empty();
    let state =
        |index| ColorState::derive(&blend, index, Format::R8G8B8A8Unorm, &BlendColor::default());
    assert!(state(0).writes() && !state(1).writes());
}

/// Draws the lanes of `mask` in 9, 16 quads of an 8×8 target, as text; dots are untouched.
fn picture<const N: usize>(format: Format, width: u32, height: u32, mask: Mask) -> Vec<Vec<char>>
where
    [u32; N]: tgsi::exec::Lanes,
{
    let size = format.block_bytes();
    let state = ColorState::derive(&BlendState::default(), 0, format, &BlendColor::default());
    let mut bytes = vec![0u8; 8 * 8 * size];
    let quads: Vec<QuadPosition> =
        (0..16).map(|q| QuadPosition { x: q % 4 * 2, y: q / 4 * 2 }).collect();
    for (batch, quads) in quads.chunks(N / 4).enumerate() {
        let mut target = Target { bytes: &mut bytes, stride: 8 * size, format, width, height };
        let one = [1.0f32.to_bits(); N];
        write::<[u32; N]>(
            &state,
            &mut target,
            QuadPositions::packed(quads),
            mask >> (batch * N) & tgsi::exec::all_lanes::<[u32; N]>(),
            [&one; 4],
            None,
        );
    }
    let row = |y: usize| (0..8).map(move |x| (y * 8 + x) * size);
    (0..8)
        .map(|y| {
            row(y)
                .map(|at| if bytes[at..][..size].iter().any(|&byte| byte != 0) { '#' } else { '.' })
                .collect()
        })
        .collect()
}

#[test]
fn only_covered_pixels_within_the_target_are_written() {
    // Lanes of quad 0: its diagonal. Quad 1: all. Quad 5: the bottom right pixel. Quad 15: all.
    let mask = 0b1001 | 0b1111 << 4 | 0b1000 << 20 | 0b1111 << 60;
    let text = |rows: Vec<Vec<char>>| -> Vec<std::string::String> {
        rows.into_iter().map(|row| row.into_iter().collect()).collect()
    };
    let want = [
        "#.##....", ".###....", "........", "...#....", "........", "........", "......##",
        "......##",
    ];
    // The same, cut at 7×7.
    let cut = [
        "#.##....", ".###....", "........", "...#....", "........", "........", "......#.",
        "........",
    ];
    let formats =
        [Format::L8Unorm, Format::B5G6R5Unorm, Format::R8G8B8A8Unorm, Format::R32G32B32A32Float];
    for format in formats {
        assert_eq!(text(picture::<4>(format, 8, 8, mask)), want, "{format:?}");
        assert_eq!(text(picture::<16>(format, 8, 8, mask)), want, "{format:?}");
        assert_eq!(text(picture::<64>(format, 8, 8, mask)), want, "{format:?}");
        assert_eq!(text(picture::<64>(format, 7, 7, mask)), cut, "{format:?}");
    }
}

#[test]
fn nonsense_targets_and_positions_do_nothing() {
    let blend = BlendState::uniform(RenderTargetBlendState::alpha_blending());
    for format in [Format::R8G8B8A8Unorm, Format::B5G6R5Unorm, Format::R32G32B32A32Float] {
        let state = ColorState::derive(&blend, 0, format, &BlendColor::default());
        for stride in [0, 1, 7, usize::MAX] {
            let mut bytes = [0u8; 21];
            let (width, height) = (u32::MAX, u32::MAX);
            let mut target = Target { bytes: &mut bytes, stride, format, width, height };
            let quads = [QuadPosition { x: 65535, y: 65535 }, QuadPosition { x: 2, y: 65534 }];
            let row = [f32::NAN.to_bits(); 16];
            write::<[u32; 16]>(
                &state,
                &mut target,
                QuadPositions::packed(&quads),
                Mask::MAX,
                [&row; 4],
                None,
            );
        }
    }
}
