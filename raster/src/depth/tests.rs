//! Depth and stencil tests against tables, formats laid out by hand, and each other.

use std::vec;
use std::vec::Vec;

use formats::Format;
use pipe_core::state::{CompareFunc, DepthStencilAlphaState, StencilOp, StencilRef, StencilState};
use tgsi::exec::Mask;

use super::{DepthStencil, test, test_block};
use crate::fixed::depth_unorm32;
use crate::lanes::{QuadPosition, Target};
use crate::random::Random;
use crate::setup::Plane32;

/// 0.25 in each format, as the bytes of a texel with stencil 0x5a (or padding).
const QUARTERS: [(Format, &[u8]); 9] = [
    (Format::Z16Unorm, &[0x00, 0x40]),
    (Format::Z16UnormS8Uint, &[0x00, 0x40, 0x5a]),
    (Format::Z24UnormS8Uint, &[0x00, 0x00, 0x40, 0x5a]),
    (Format::S8UintZ24Unorm, &[0x5a, 0x00, 0x00, 0x40]),
    (Format::Z24X8Unorm, &[0x00, 0x00, 0x40, 0x5a]),
    (Format::X8Z24Unorm, &[0x5a, 0x00, 0x00, 0x40]),
    (Format::Z32Unorm, &[0x00, 0x00, 0x00, 0x40]),
    (Format::Z32Float, &[0x00, 0x00, 0x80, 0x3e]),
    (Format::Z32FloatS8X24Uint, &[0x00, 0x00, 0x80, 0x3e, 0x5a, 0x77, 0x66, 0x55]),
];

/// Tests lane 0 of one quad; returns true if it survived, and its pixel's bytes.
fn one_pixel(
    state: &DepthStencilAlphaState,
    reference: [u8; 2],
    format: Format,
    old: &[u8],
    z: u32,
    front: bool,
) -> (bool, Vec<u8>) {
    let state = DepthStencil::derive(state, &StencilRef { ref_value: reference }, format);
    let size = format.block_bytes();
    let mut bytes = old.repeat(4);
    let mut target = Target { bytes: &mut bytes, stride: 2 * size, format, width: 2, height: 2 };
    let quads = [QuadPosition::default()];
    // The other lanes hold garbage, which the test must not read.
    let z = [z, 0, u32::MAX, 17];
    let survivors = test::<[u32; 4]>(&state, &mut target, &quads, &z, 0b0001, Mask::from(front));
    assert_eq!(survivors & !1, 0);
    for other in 1..4 {
        assert_eq!(&bytes[other * size..][..size], old, "pixel {other} is not in the mask");
    }
    bytes.truncate(size);
    (survivors == 1, bytes)
}

/// Returns the outcomes of `func` for fragments that are nearer, equal and farther.
fn table(func: CompareFunc) -> [bool; 3] {
    match func {
        CompareFunc::Never => [false, false, false],
        CompareFunc::Less => [true, false, false],
        CompareFunc::Equal => [false, true, false],
        CompareFunc::LessEqual => [true, true, false],
        CompareFunc::Greater => [false, false, true],
        CompareFunc::NotEqual => [true, false, true],
        CompareFunc::GreaterEqual => [false, true, true],
        CompareFunc::Always => [true, true, true],
    }
}

#[test]
fn every_function_on_every_format() {
    // Below, at and above a quarter, and the bytes that store each depth.
    for (format, quarter) in QUARTERS {
        for &func in CompareFunc::ALL {
            for write in [false, true] {
                let state = DepthStencilAlphaState {
                    depth_writemask: write,
                    ..DepthStencilAlphaState::depth(func)
                };
                for (z, pass) in
                    [0x2000_0000, 0x4000_0000, 0x8000_0000].into_iter().zip(table(func))
                {
                    let (survived, bytes) = one_pixel(&state, [0; 2], format, quarter, z, true);
                    assert_eq!(survived, pass, "{format:?} {func:?} {z:#x}");
                    if pass && write {
                        let want = (z as f64 / 4_294_967_296.0) as f32;
                        let bits = match format {
                            Format::Z16Unorm | Format::Z16UnormS8Uint => {
                                u32::from_le_bytes([0, 0, bytes[0], bytes[1]])
                            }
                            Format::Z32Float | Format::Z32FloatS8X24Uint => {
                                let z =
                                    f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
                                assert_eq!(z, want);
                                z.to_bits()
                            }
                            Format::Z24UnormS8Uint | Format::Z24X8Unorm => {
                                u32::from_le_bytes([0, bytes[0], bytes[1], bytes[2]])
                            }
                            Format::S8UintZ24Unorm | Format::X8Z24Unorm => {
                                u32::from_le_bytes([0, bytes[1], bytes[2], bytes[3]])
                            }
                            _ => u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]),
                        };
                        if !matches!(format, Format::Z32Float | Format::Z32FloatS8X24Uint) {
                            assert_eq!(bits, z, "{format:?}");
                        }
                        // The bytes next to the depth have not changed.
                        let beside = |bytes: &[u8]| match format {
                            Format::S8UintZ24Unorm | Format::X8Z24Unorm => vec![bytes[0]],
                            Format::Z16UnormS8Uint => vec![bytes[2]],
                            Format::Z24UnormS8Uint | Format::Z24X8Unorm => vec![bytes[3]],
                            Format::Z32FloatS8X24Uint => bytes[4..].to_vec(),
                            _ => Vec::new(),
                        };
                        assert_eq!(beside(&bytes), beside(quarter), "{format:?}");
                    } else {
                        assert_eq!(bytes, quarter, "{format:?} {func:?} wrote");
                    }
                }
            }
        }
    }
}

#[test]
fn depth_is_compared_as_it_is_stored() {
    // In 16 bits these two depths are the same, in 24 bits they are not.
    let equal = DepthStencilAlphaState::depth(CompareFunc::Equal);
    let z = 0x4000_1234;
    assert!(one_pixel(&equal, [0; 2], Format::Z16Unorm, &[0x00, 0x40], z, true).0);
    let old = [0x00, 0x00, 0x40, 0x00];
    assert!(!one_pixel(&equal, [0; 2], Format::Z24X8Unorm, &old, z, true).0);
    // The farthest depth is stored as the largest integer, and as exactly 1.0.
    let always = DepthStencilAlphaState::depth(CompareFunc::Always);
    let far = |format, old: &[u8]| one_pixel(&always, [0; 2], format, old, u32::MAX, true).1;
    assert_eq!(far(Format::Z16Unorm, &[0, 0]), [0xff, 0xff]);
    assert_eq!(far(Format::Z24X8Unorm, &[0, 0, 0, 9]), [0xff, 0xff, 0xff, 9]);
    assert_eq!(far(Format::Z32Float, &[0; 4]), 1.0f32.to_le_bytes());
}

#[test]
fn without_a_buffer_or_a_test_everything_survives() {
    let less = DepthStencilAlphaState::depth(CompareFunc::Never);
    for format in [Format::None, Format::S8Uint] {
        let state = DepthStencil::derive(&less, &StencilRef::default(), format);
        assert!(state.is_none() && !state.writes(), "{format:?}");
        let mut bytes = [];
        let mut target = Target { bytes: &mut bytes, stride: 0, format, width: 0, height: 0 };
        let quads = [QuadPosition::default()];
        assert_eq!(test(&state, &mut target, &quads, &[0u32; 4], 0b0110, 0), 0b0110);
    }
    let off = DepthStencilAlphaState::default();
    assert!(DepthStencil::derive(&off, &StencilRef::default(), Format::Z16Unorm).is_none());
}

/// Applies a stencil operation, written from the manual's names.
fn apply(op: StencilOp, stored: u8, reference: u8) -> u8 {
    let stored = i32::from(stored);
    let new = match op {
        StencilOp::Keep => stored,
        StencilOp::Zero => 0,
        StencilOp::Replace => i32::from(reference),
        StencilOp::Incr => (stored + 1).min(255),
        StencilOp::Decr => (stored - 1).max(0),
        StencilOp::IncrWrap => (stored + 1).rem_euclid(256),
        StencilOp::DecrWrap => (stored - 1).rem_euclid(256),
        StencilOp::Invert => 255 - stored,
    };
    new as u8
}

#[test]
fn every_stencil_operation_in_every_outcome() {
    // Formats with stencil, and the byte of the texel that holds the stencil.
    let formats = [
        (Format::Z24UnormS8Uint, 3),
        (Format::S8UintZ24Unorm, 0),
        (Format::Z32FloatS8X24Uint, 4),
        (Format::S8Uint, 0),
    ];
    for ((format, at), &op) in
        formats.iter().flat_map(|f| StencilOp::ALL.iter().map(move |op| (*f, op)))
    {
        for stored in [0u8, 1, 0x5a, 254, 255] {
            let quarter = QUARTERS.iter().find(|(f, _)| *f == format);
            let mut old = quarter.map_or(vec![0], |(_, bytes)| bytes.to_vec());
            old[at] = stored;
            // (test passes, depth passes)
            for (outcome, passes, z) in
                [(0, false, 0), (1, true, 0x8000_0000u32), (2, true, 0x2000_0000)]
            {
                let mut face = StencilState {
                    enabled: true,
                    func: if passes { CompareFunc::Always } else { CompareFunc::Never },
                    writemask: 0xf7,
                    ..StencilState::default()
                };
                *[&mut face.fail_op, &mut face.zfail_op, &mut face.zpass_op][outcome] = op;
                let state = DepthStencilAlphaState {
                    stencil: [face, StencilState::default()],
                    ..DepthStencilAlphaState::depth(CompareFunc::Less)
                };
                // A stencil-only buffer has no depth to fail.
                if format == Format::S8Uint && outcome == 1 {
                    continue;
                }
                let (survived, bytes) = one_pixel(&state, [0xc3, 0], format, &old, z, true);
                assert_eq!(survived, outcome == 2);
                let new = apply(op, stored, 0xc3);
                let want = new & 0xf7 | stored & 0x08;
                assert_eq!(bytes[at], want, "{format:?} {op:?} of {stored}, outcome {outcome}");
                if outcome < 2 {
                    let mut rest = bytes.clone();
                    rest[at] = stored;
                    assert_eq!(rest, old, "depth is not written");
                }
            }
        }
    }
}

#[test]
fn stencil_compares_reference_with_stored_under_the_mask() {
    for &func in CompareFunc::ALL {
        // Reference 0x12, stored 0x13, 0x12, 0x11: the reference is less, equal, greater; bits of
        // 0xe0 are masked away.
        for (stored, pass) in [0x33, 0x52, 0x91].into_iter().zip(table(func)) {
            let face =
                StencilState { enabled: true, func, valuemask: 0x1f, ..StencilState::default() };
            let state = DepthStencilAlphaState {
                stencil: [face, StencilState::default()],
                ..DepthStencilAlphaState::default()
            };
            let (survived, bytes) =
                one_pixel(&state, [0xf2, 0], Format::S8Uint, &[stored], 0, true);
            assert_eq!(survived, pass, "{func:?} {stored:#x}");
            assert_eq!(bytes, [stored]);
        }
    }
}

#[test]
fn back_faces_have_their_own_state_when_enabled() {
    let face = |op| StencilState { enabled: true, zpass_op: op, ..StencilState::default() };
    let mut state = DepthStencilAlphaState {
        stencil: [face(StencilOp::Replace), face(StencilOp::Replace)],
        ..DepthStencilAlphaState::default()
    };
    let stencil = |state: &DepthStencilAlphaState, front| {
        one_pixel(state, [1, 2], Format::S8Uint, &[9], 0, front).1
    };
    assert_eq!((stencil(&state, true), stencil(&state, false)), (vec![1], vec![2]));
    state.stencil[1].zpass_op = StencilOp::Zero;
    assert_eq!((stencil(&state, true), stencil(&state, false)), (vec![1], vec![0]));
    state.stencil[1].enabled = false;
    assert_eq!((stencil(&state, true), stencil(&state, false)), (vec![1], vec![1]));
}

#[test]
fn bounds_look_at_the_stored_depth_and_come_first() {
    for (format, quarter) in QUARTERS {
        for (low, high, inside) in
            [(0.0, 1.0, true), (0.2, 0.3, true), (0.26, 1.0, false), (0.0, 0.24, false)]
        {
            let face = StencilState {
                enabled: true,
                fail_op: StencilOp::Zero,
                zpass_op: StencilOp::Zero,
                ..StencilState::default()
            };
            let state = DepthStencilAlphaState {
                depth_bounds_test: true,
                depth_bounds_min: low,
                depth_bounds_max: high,
                stencil: [face, StencilState::default()],
                ..DepthStencilAlphaState::default()
            };
            // The fragment's depth, 0.75, does not matter to the bounds test.
            let (survived, bytes) = one_pixel(&state, [0; 2], format, quarter, 0xc000_0000, true);
            assert_eq!(survived, inside, "{format:?} {low}..{high}");
            if !inside {
                assert_eq!(bytes, quarter, "a fragment out of bounds does nothing to the stencil");
            }
        }
    }
}

#[test]
fn the_fast_way_and_the_general_way_agree() {
    // A stencil test that always passes and keeps takes the general path.
    let quads: Vec<QuadPosition> =
        (0..16).map(|q| QuadPosition { x: q % 4 * 2, y: q / 4 * 2 }).collect();
    let mut random = Random(1);
    let mut random = || {
        let bits = random.bits();
        bits ^ bits >> 15
    };
    for format in [Format::Z24UnormS8Uint, Format::S8UintZ24Unorm] {
        for &func in CompareFunc::ALL {
            let fast = DepthStencilAlphaState::depth(func);
            let mut general = fast;
            general.stencil[0].enabled = true;
            let reference = StencilRef::default();
            let fast = DepthStencil::derive(&fast, &reference, format);
            let general = DepthStencil::derive(&general, &reference, format);
            // Only 7 columns and rows exist. Few distinct depths, so that some are equal.
            let mut a = vec![0u8; 8 * 8 * 4];
            for byte in &mut a {
                *byte = (random() >> 28) as u8;
            }
            let mut b = a.clone();
            for _ in 0..8 {
                let z: [u32; 64] = core::array::from_fn(|_| random() & 0x0f0f_0f00);
                let mask = Mask::from(random()) << 32 | Mask::from(random());
                let mut target = Target { bytes: &mut a, stride: 32, format, width: 7, height: 7 };
                let fast = test(&fast, &mut target, &quads, &z, mask, 0);
                let mut target = Target { bytes: &mut b, stride: 32, format, width: 7, height: 7 };
                let general = test(&general, &mut target, &quads, &z, mask, 0);
                assert_eq!(fast, general, "{format:?} {func:?}");
                assert_eq!(a, b, "{format:?} {func:?}");
            }
        }
    }
}

#[test]
fn rows_of_a_block_and_quads_agree() {
    // 13 columns, so that the target's edge cuts the block; few distinct depths and stencils.
    const WIDTH: u32 = 13;
    let mut random = Random(7);
    let mut random = || {
        let bits = random.bits();
        bits ^ bits >> 15
    };
    for (format, _) in QUARTERS {
        for (turn, &func) in CompareFunc::ALL.iter().cycle().enumerate().take(48) {
            let mut state = DepthStencilAlphaState::depth(func);
            state.stencil[0] = StencilState {
                enabled: turn % 3 > 0,
                func: CompareFunc::ALL[random() as usize % 8],
                fail_op: StencilOp::ALL[random() as usize % 8],
                zfail_op: StencilOp::ALL[random() as usize % 8],
                zpass_op: StencilOp::ALL[random() as usize % 8],
                ..state.stencil[0]
            };
            state.depth_bounds_test = turn % 5 == 0;
            let state = DepthStencil::derive(&state, &StencilRef { ref_value: [1, 2] }, format);
            if !state.takes_rows() {
                continue;
            }
            let size = format.block_bytes();
            let stride = WIDTH as usize * size;
            let mut a: Vec<u8> = (0..16 * stride).map(|_| (random() >> 30) as u8).collect();
            let mut b = a.clone();
            let step = |random: u32| (random as i32) >> 6;
            let plane = Plane32 { value: 1 << 28, dx: step(random()), dy: step(random()) };
            let mut coverage = [0u16; 16].map(|_| random() as u16 & 0x1fff);
            coverage[3] = 0x1fff;
            let mut target = Target { bytes: &mut b, stride, format, width: WIDTH, height: 16 };
            let mut want = coverage;
            for (x, y) in (0..16).flat_map(|y| (0..16).map(move |x| (x, y))) {
                let quad = QuadPosition { x: x & !1, y: y & !1 };
                let lane = usize::from(x & 1 | (y & 1) << 1);
                let mut z = [0; 4];
                z[lane] = depth_unorm32(plane.at(x.into(), y.into()));
                let mask = Mask::from(want[usize::from(y)] >> x & 1) << lane;
                let passed = test::<[u32; 4]>(&state, &mut target, &[quad], &z, mask, mask);
                want[usize::from(y)] &= !(u16::from(passed == 0) << x);
            }
            let mut target = Target { bytes: &mut a, stride, format, width: WIDTH, height: 16 };
            test_block(&state, &mut target, (0, 0), plane, &mut coverage, true);
            assert_eq!(coverage, want, "{format:?} {func:?}");
            assert_eq!(a, b, "{format:?} {func:?}");
        }
    }
}

#[test]
fn lane_widths_agree() {
    let quads: Vec<QuadPosition> =
        (0..16).map(|q| QuadPosition { x: q % 4 * 2, y: q / 4 * 2 }).collect();
    let z: [u32; 64] = core::array::from_fn(|i| (i as u32).wrapping_mul(0x9e37_79b9));
    let state = DepthStencilAlphaState::depth(CompareFunc::LessEqual);
    let state = DepthStencil::derive(&state, &StencilRef::default(), Format::Z16Unorm);
    fn run<const N: usize>(
        state: &DepthStencil,
        quads: &[QuadPosition],
        z: &[u32; 64],
    ) -> (Mask, Vec<u8>)
    where
        [u32; N]: tgsi::exec::Lanes,
    {
        let mut bytes = vec![0x80u8; 8 * 8 * 2];
        let mut survivors = 0;
        for (batch, z) in z.as_chunks::<N>().0.iter().enumerate() {
            let format = Format::Z16Unorm;
            let mut target = Target { bytes: &mut bytes, stride: 16, format, width: 8, height: 8 };
            let quads = &quads[batch * N / 4..][..N / 4];
            let all = tgsi::exec::all_lanes::<[u32; N]>();
            survivors |= test::<[u32; N]>(state, &mut target, quads, z, all, 0) << (batch * N);
        }
        (survivors, bytes)
    }
    let wide = run::<64>(&state, &quads, &z);
    assert_eq!(run::<4>(&state, &quads, &z), wide);
    assert_eq!(run::<16>(&state, &quads, &z), wide);
    let want =
        z.iter().enumerate().fold(0, |mask, (i, z)| mask | Mask::from(z >> 16 <= 0x8080) << i);
    assert_eq!(wide.0, want);
}

#[test]
fn nonsense_targets_and_positions_fail() {
    let mut state = DepthStencilAlphaState::depth(CompareFunc::Always);
    let formats = [Format::Z16Unorm, Format::Z24UnormS8Uint, Format::Z32FloatS8X24Uint];
    for stencil in [false, true] {
        state.stencil[0].enabled = stencil;
        state.stencil[0].zpass_op = StencilOp::Invert;
        for format in formats {
            let state = DepthStencil::derive(&state, &StencilRef::default(), format);
            for stride in [0, 3, usize::MAX] {
                let mut bytes = [0u8; 9];
                let mut target = Target { bytes: &mut bytes, stride, format, width: 3, height: 3 };
                let quads = [QuadPosition { x: 4, y: 0 }, QuadPosition { x: 65535, y: 65535 }];
                let z = [5u32; 16];
                let survivors = test(&state, &mut target, &quads, &z, Mask::MAX, 0);
                assert_eq!(survivors, 0, "{format:?}");
                assert_eq!(bytes, [0; 9]);
            }
        }
    }
}
