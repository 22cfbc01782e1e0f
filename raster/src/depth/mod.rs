//! Depth and stencil tests: rows of fragments against the pixels of a tile.
//!
//! Fragment depth arrives as `unorm32`: 0 is 0.0, 2³² - 1 is 1.0, the same for every target. Each
//! format stores part of it, and the test compares in the stored representation, so that a stored
//! depth compares equal to itself:
//!
//! | format | stored depth |
//! |---|---|
//! | Z16 | the top 16 bits |
//! | Z24X8, X8Z24, Z24S8, S8Z24 | the top 24 bits |
//! | Z32_UNORM | all bits |
//! | Z32_FLOAT, Z32_FLOAT_S8X24 | the f32 nearest to `z / 2^32` |
//!
//! A [`DepthStencil`] is derived once per draw and selects one of three paths: no test; a depth
//! test alone on integers (one pass over the quads, no rows in between); or the general test in
//! rows.

mod block;
mod plain;
mod stamp;
mod stencil;
#[cfg(test)]
mod tests;

use formats::{Channel, ChannelKind, Format};
use os_shim::simd::vectorize;
use pipe_core::state::{CompareFunc, DepthStencilAlphaState, StencilRef};
use tgsi::exec::{Lanes, Mask};

pub(crate) use self::block::test_block;
pub(crate) use self::stamp::test_stamp;
use self::stencil::Face;
use crate::features::{ES2, Z16_ALONE};
use crate::lanes::{
    Comparison, QuadPosition, QuadPositions, Target, clamp, each_lane, float, gather_planes,
    has_lane, lane_of, lanes_where, map, pixel, scatter_planes, set_lane, stamps_per_batch,
    touched_quads,
};

/// Returns true if depth and stencil tests support the format: with the feature `es2` every
/// format with depth or stencil, without it only formats of integer depth without stencil.
pub(crate) fn is_supported(format: Format) -> bool {
    if Z16_ALONE {
        return format == Format::Z16Unorm;
    }
    ES2 || is_integer(format)
}

/// Returns true for formats of integer depth without stencil.
pub(crate) fn is_integer(format: Format) -> bool {
    let depth = format.desc().depth_channel();
    depth.is_some_and(|channel| channel.kind == ChannelKind::Unsigned)
        && !format.has_stencil()
        && matches!(format.block_bytes(), 2 | 4)
}

/// Returns the bytes of a depth buffer's texel.
#[inline(always)]
fn texel_bytes(format: Format) -> usize {
    if Z16_ALONE { 2 } else { format.block_bytes() }
}

/// Returns the stencil channel of a format, if stencil tests are enabled.
#[inline(always)]
fn stencil_channel(format: Format) -> Option<Channel> {
    if ES2 { format.desc().stencil_channel() } else { None }
}

/// The position and width of depth in a texel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct DepthBits {
    /// Position of the lowest bit in the first word.
    shift: u32,
    /// 16, 24 or 32.
    bits: u32,
    float: bool,
}

impl DepthBits {
    /// Returns the position of depth in texels of the format; `None` if the format has no depth.
    #[inline(always)]
    fn of(format: Format) -> Option<DepthBits> {
        if Z16_ALONE {
            let is_depth = format == Format::Z16Unorm;
            return is_depth.then_some(DepthBits { shift: 0, bits: 16, float: false });
        }
        let channel = format.desc().depth_channel()?;
        let bits = u32::from(channel.bits);
        let known = matches!(
            (channel.kind, bits),
            (ChannelKind::Unsigned, 16 | 24 | 32) | (ChannelKind::Float, 32)
        );
        let float = channel.kind == ChannelKind::Float;
        known.then_some(DepthBits { shift: u32::from(channel.shift), bits, float })
    }

    /// Returns the mask of these bits in their word.
    #[inline(always)]
    fn mask(self) -> u32 {
        (u32::MAX >> (32 - self.bits)) << self.shift
    }

    /// Converts a fragment's depth to the buffer's representation, in the low bits.
    #[inline(always)]
    fn stored(self, unorm32: u32) -> u32 {
        if self.float { unorm32_to_f32(unorm32).to_bits() } else { self.integer(unorm32) }
    }

    /// Converts a fragment's depth to an integer of the buffer's width.
    #[inline(always)]
    fn integer(self, unorm32: u32) -> u32 {
        unorm32 >> (32 - self.bits)
    }

    /// Converts a bound of the depth-bounds test, clamped to 0.0 to 1.0, to the buffer's
    /// representation.
    fn bound(self, value: f32) -> u32 {
        // The cast saturates: 1.0 is the largest depth.
        let unorm32 = (clamp(value, 0.0, 1.0) * 4_294_967_296.0) as u32;
        if self.float { value.to_bits() } else { self.stored(unorm32) }
    }
}

/// Returns the f32 nearest to `z / 2^32`.
#[inline(always)]
fn unorm32_to_f32(z: u32) -> f32 {
    z as f32 * (1.0 / 4_294_967_296.0)
}

/// The effect of a draw on the greatest depth of a tile. Hidden primitives are dropped by that
/// depth.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Occlusion {
    /// Fragments behind the stored depth fail, and write nothing.
    pub(crate) hidden: bool,
    /// A covered pixel holds depth no farther than the fragment's afterwards.
    pub(crate) hides: bool,
    /// A pixel may hold depth farther than before.
    pub(crate) spoils: bool,
}

impl Occlusion {
    pub(crate) const NONE: Occlusion = Occlusion { hidden: false, hides: false, spoils: false };

    fn of(test: &Test) -> Occlusion {
        match *test {
            Test::Pass | Test::Fail => Occlusion::NONE,
            Test::Plain { func, write, .. } => Occlusion::of_test(func, write),
            Test::General(_) => Occlusion { spoils: true, ..Occlusion::NONE },
        }
    }

    /// Returns the effect of a test of depth alone, which writes depth if `write` is set.
    pub(crate) const fn of_test(func: CompareFunc, write: bool) -> Occlusion {
        use CompareFunc::{Always, Equal, Greater, GreaterEqual, Less, LessEqual, Never, NotEqual};
        match func {
            Less | LessEqual => Occlusion { hidden: true, hides: write, spoils: false },
            Never | Equal => Occlusion::NONE,
            Greater | NotEqual | GreaterEqual | Always => {
                Occlusion { spoils: write, ..Occlusion::NONE }
            }
        }
    }
}

/// The test that a draw runs.
#[derive(Clone, Copy, Debug)]
enum Test {
    /// Passes all fragments and writes nothing.
    Pass,
    /// Fails all fragments and writes nothing.
    Fail,
    /// Tests depth alone, as integers, in texels of 2 or 4 bytes.
    Plain { depth: DepthBits, bytes: u32, func: CompareFunc, write: bool },
    /// Tests depth, bounds and stencil in any format.
    General(General),
}

impl General {
    /// Returns a test of integer depth alone.
    #[inline(always)]
    fn plain(bits: DepthBits, bytes: u32, func: CompareFunc, write: bool) -> General {
        let bits = DepthBits { float: false, ..bits };
        let depth = Some(DepthTest { bits, func, write });
        General { bytes: bytes as usize, depth, bounds: None, stencil: None }
    }
}

#[derive(Clone, Copy, Debug)]
struct General {
    bytes: usize,
    depth: Option<DepthTest>,
    bounds: Option<(DepthBits, u32, u32)>,
    stencil: Option<StencilTest>,
}

#[derive(Clone, Copy, Debug)]
struct DepthTest {
    bits: DepthBits,
    func: CompareFunc,
    write: bool,
}

#[derive(Clone, Copy, Debug)]
struct StencilTest {
    /// The word of the texel that holds the 8 bits of stencil, and their position in it.
    plane: usize,
    shift: u32,
    /// The tests of front faces and of back faces.
    faces: [Face; 2],
}

impl StencilTest {
    /// Returns the test for the face that a fragment belongs to.
    #[inline(always)]
    fn face(&self, is_front: bool) -> &Face {
        let [front, back] = &self.faces;
        if is_front { front } else { back }
    }
}

/// A test of depth alone, on integers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plain {
    bits: DepthBits,
    /// Bytes of a texel.
    pub(crate) bytes: u32,
    func: Comparison,
    pub(crate) write: bool,
}

impl Plain {
    /// Returns a test of 16 bits of depth.
    pub(crate) const fn of_16_bits(func: CompareFunc, write: bool) -> Plain {
        let bits = DepthBits { shift: 0, bits: 16, float: false };
        Plain { bits, bytes: 2, func: Comparison::new(func), write }
    }

    /// Tests a fragment against one pixel's texel. Returns the texel's new value if it passes.
    #[inline(always)]
    pub(crate) fn test(&self, unorm32: u32, texel: u32) -> Option<u32> {
        let mask = self.bits.mask();
        let new = self.bits.integer(unorm32) << self.bits.shift;
        self.func.passes(new, texel & mask).then_some(new | texel & !mask)
    }
}

/// The depth and stencil tests of a draw on a target's format. Derived once per draw.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DepthStencil {
    test: Test,
    occlusion: Occlusion,
}

impl DepthStencil {
    /// Derives the tests of `state` on a buffer of `format` (`Format::None` if there is no buffer).
    ///
    /// Without depth in the buffer every depth test passes, without stencil every stencil test.
    pub(crate) fn derive(
        state: &DepthStencilAlphaState,
        stencil_ref: &StencilRef,
        format: Format,
    ) -> DepthStencil {
        let (bits, bytes) = (DepthBits::of(format), texel_bytes(format));
        let stencil = match stencil_channel(format) {
            Some(channel) if channel.bits == 8 && state.stencil[0].enabled => Some(StencilTest {
                plane: usize::from(channel.shift / 32),
                shift: u32::from(channel.shift % 32),
                faces: [true, false].map(|front| {
                    let reference = stencil_ref.of(front, state.stencil[1].enabled);
                    Face::new(state.stencil_of(front), reference)
                }),
            }),
            _ => None,
        };
        let depth = match bits {
            // A test that always passes and never writes has no effect.
            Some(bits) if state.depth_enabled => Some(DepthTest {
                bits,
                func: state.depth_func,
                write: state.depth_writemask && state.depth_func != CompareFunc::Never,
            })
            .filter(|depth| depth.write || depth.func != CompareFunc::Always),
            _ => None,
        };
        let bounds = match bits {
            Some(bits) if ES2 && state.depth_bounds_test => {
                let (low, high) = (state.depth_bounds_min, state.depth_bounds_max);
                Some((bits, bits.bound(low), bits.bound(high)))
            }
            _ => None,
        };
        let test = match (depth, bounds, stencil) {
            (None, None, None) => Test::Pass,
            (Some(DepthTest { func: CompareFunc::Never, .. }), None, None) => Test::Fail,
            (Some(DepthTest { bits, func, write }), None, None)
                if !bits.float && matches!(bytes, 2 | 4) =>
            {
                Test::Plain { depth: bits, bytes: bytes as u32, func, write }
            }
            _ if ES2 => Test::General(General { bytes, depth, bounds, stencil }),
            // `is_supported` rejects such buffers.
            _ => Test::Pass,
        };
        DepthStencil { occlusion: Occlusion::of(&test), test }
    }

    /// Returns true if every fragment passes and nothing is written.
    pub(crate) fn is_none(&self) -> bool {
        matches!(self.test, Test::Pass)
    }

    /// Returns true if a row of neighbouring pixels can be tested at once, as [`test_block`] does.
    pub(crate) fn takes_rows(&self) -> bool {
        match &self.test {
            Test::Pass | Test::Fail | Test::Plain { .. } => true,
            Test::General(test) => matches!(test.bytes, 1 | 2 | 4),
        }
    }

    /// Returns true if the test is not a test of integer depth alone.
    pub(crate) fn is_general(&self) -> bool {
        matches!(self.test, Test::General(_))
    }

    /// Returns the effect on the greatest depth of a tile.
    pub(crate) fn occlusion(&self) -> Occlusion {
        self.occlusion
    }

    /// Returns the compare function and the write mask of a test of 16-bit depth alone; `None` for
    /// other tests.
    pub(crate) fn plain16(&self) -> Option<(CompareFunc, bool)> {
        match &self.test {
            Test::Plain { depth, bytes: 2, func, write } if depth.bits == 16 => {
                Some((*func, *write))
            }
            Test::Plain { .. } | Test::Pass | Test::Fail | Test::General(_) => None,
        }
    }

    /// Returns the test if it tests integer depth alone.
    pub(crate) fn plain(&self) -> Option<Plain> {
        match &self.test {
            Test::Plain { depth, bytes, func, write } => Some(Plain {
                bits: *depth,
                bytes: *bytes,
                func: Comparison::new(*func),
                write: *write,
            }),
            Test::Pass | Test::Fail | Test::General(_) => None,
        }
    }

    /// Returns true if the test can change the buffer.
    pub(crate) fn writes(&self) -> bool {
        match &self.test {
            Test::Pass | Test::Fail => false,
            Test::Plain { write, .. } => *write,
            Test::General(general) => {
                general.depth.is_some_and(|depth| depth.write)
                    || general
                        .stencil
                        .is_some_and(|stencil| stencil.faces.iter().any(|face| face.writes()))
            }
        }
    }
}

/// Tests a batch of fragments, writes depth and stencil, and returns the lanes that pass.
///
/// * Lane `4q + i` is pixel `i` of `quads[q]`; no pixel may occur twice in a batch.
/// * `z`: depth of each lane as `unorm32`. Lanes outside `mask` may hold anything.
/// * `front`: the lanes of front faces, for two-sided stencil.
/// * Pixels outside `target` fail.
pub(crate) fn test<R: Lanes>(
    state: &DepthStencil,
    target: &mut Target<'_>,
    quads: &[QuadPosition],
    z: &R,
    mask: Mask,
    front: Mask,
) -> Mask {
    test_exported(state, target, QuadPositions::packed(quads), z, None, mask, front)
}

/// Runs [`test`] with stencil reference values from the shader, in the low 8 bits of `stencil`.
pub(crate) fn test_exported<R: Lanes>(
    state: &DepthStencil,
    target: &mut Target<'_>,
    quads: QuadPositions<'_>,
    z: &R,
    stencil: Option<&R>,
    mask: Mask,
    front: Mask,
) -> Mask {
    let (mut mask, mut survivors) = (mask, 0);
    if stamps_per_batch::<R>() > 0 && quads.stamps > 0 && stencil.is_none() {
        survivors = test_stamps(state, target, quads, z.as_slice(), mask, front);
        mask &= quads.packed_lanes();
    }
    let packed = match &state.test {
        Test::Pass => mask,
        Test::Fail => 0,
        Test::Plain { depth, bytes, func, write } => {
            plain::test(*depth, *bytes, *func, *write, target, quads.quads, z.as_slice(), mask)
        }
        Test::General(general) if ES2 => general.test(target, quads, z, stencil, mask, front),
        Test::General(_) => mask,
    };
    survivors | packed
}

/// Tests the stamps at the end of `quads`; returns the lanes that pass.
#[inline(always)]
fn test_stamps(
    state: &DepthStencil,
    target: &mut Target<'_>,
    quads: QuadPositions<'_>,
    z: &[u32],
    mask: Mask,
    front: Mask,
) -> Mask {
    let mut survivors = 0;
    for (lane, first) in quads.stamps() {
        // All lanes of a stamp belong to one primitive.
        let (covered, front) = ((mask >> lane) as u32 & 0xffff, has_lane(front, lane));
        let Some(z) = z.get(lane..).and_then(|z| z.first_chunk()) else { break };
        if covered != 0 {
            let passed = vectorize(
                #[inline(always)]
                || test_stamp(state, target, first, z, covered, front),
            );
            survivors |= Mask::from(passed) << lane;
        }
    }
    survivors
}

impl General {
    /// Tests bounds, stencil and depth in rows, in this order (OpenGL 4.6, chapter 17.3).
    fn test<R: Lanes>(
        &self,
        target: &mut Target<'_>,
        quads: QuadPositions<'_>,
        z: &R,
        exported: Option<&R>,
        mask: Mask,
        front: Mask,
    ) -> Mask {
        let reference = |face: &Face, lane: usize| match exported {
            Some(row) => lane_of(row.as_slice(), lane) as u8,
            None => face.reference,
        };
        let mask = mask & inside::<R>(target, quads.quads, mask);
        if mask == 0 {
            return 0;
        }
        let mut planes = [R::ZERO; 4];
        gather_planes(target, self.bytes, quads, mask, &mut planes);
        let bounded = self.test_bounds(&planes[0], mask);
        let mut live = bounded;
        if let Some(stencil) = &self.stencil {
            let old = planes.get(stencil.plane).map_or(&[][..], |plane| plane.as_slice());
            let pass = lanes_where(R::COUNT, |lane| {
                let face = stencil.face(has_lane(front, lane));
                face.passes(reference(face, lane), (lane_of(old, lane) >> stencil.shift) as u8)
            });
            live &= pass;
        }
        let stencil_passed = live;
        live = self.test_depth(&mut planes[0], z, live);
        let mut changed = if self.depth.is_some_and(|depth| depth.write) { live } else { 0 };
        if let Some(stencil) = &self.stencil
            && stencil.faces.iter().any(|face| face.writes())
        {
            let words = planes.get_mut(stencil.plane);
            let words = words.map_or(&mut [][..], |plane| plane.as_mut_slice());
            each_lane(bounded, R::COUNT, |lane| {
                let face = stencil.face(has_lane(front, lane));
                let word = lane_of(words, lane);
                let old = (word >> stencil.shift) as u8;
                let passed = (has_lane(stencil_passed, lane), has_lane(live, lane));
                let new = face.result(reference(face, lane), old, passed.0, passed.1);
                let cleared = word & !(0xff << stencil.shift);
                set_lane(words, lane, cleared | u32::from(new) << stencil.shift);
            });
            changed = bounded;
        }
        if changed != 0 {
            scatter_planes(target, self.bytes, quads, changed, &planes);
        }
        live
    }
}

impl General {
    /// Returns the lanes of `mask` with stored depths within the bounds.
    #[inline(always)]
    fn test_bounds<R: Lanes>(&self, plane: &R, mask: Mask) -> Mask {
        let Some((bits, low, high)) = self.bounds else { return mask };
        let old = plane.as_slice();
        mask & lanes_where(R::COUNT, |lane| {
            let old = (lane_of(old, lane) & bits.mask()) >> bits.shift;
            if bits.float {
                let old = f32::from_bits(old);
                f32::from_bits(low) <= old && old <= f32::from_bits(high)
            } else {
                low <= old && old <= high
            }
        })
    }

    /// Returns the lanes of `live` that pass the depth test, and writes their depths.
    #[inline(always)]
    fn test_depth<R: Lanes>(&self, plane: &mut R, z: &R, mut live: Mask) -> Mask {
        if let Some(depth) = &self.depth {
            let mut new = R::ZERO;
            map(z.as_slice(), new.as_mut_slice(), |z| depth.bits.stored(z));
            let (new, bits) = (new.as_slice(), depth.bits);
            let func = Comparison::new(depth.func);
            let old = plane.as_slice();
            live &= lanes_where(R::COUNT, |lane| {
                let old = (lane_of(old, lane) & bits.mask()) >> bits.shift;
                if bits.float {
                    func.passes(float(new, lane), f32::from_bits(old))
                } else {
                    func.passes(lane_of(new, lane), old)
                }
            });
            if depth.write {
                let words = plane.as_mut_slice();
                each_lane(live, R::COUNT, |lane| {
                    let kept = lane_of(words, lane) & !bits.mask();
                    set_lane(words, lane, kept | lane_of(new, lane) << bits.shift);
                });
            }
        }
        live
    }
}

/// Returns the lanes of `mask` with pixels inside the target.
fn inside<R: Lanes>(target: &Target<'_>, quads: &[QuadPosition], mask: Mask) -> Mask {
    let mut inside = 0;
    for (index, quad, bits) in touched_quads::<R>(quads, mask) {
        for corner in 0..4 {
            let (x, y) = pixel(quad, corner);
            let kept = bits >> corner & 1 != 0 && target.has(x, y);
            inside |= Mask::from(kept) << (4 * index + corner);
        }
    }
    inside
}
