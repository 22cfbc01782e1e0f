//! Colour output: from rows of shaded fragments to the pixels of a tile.
//!
//! ```text
//!   fragment colours ─┬─ replace ───────────────────────────┐
//!                     ├─ blend with the pixels read ────────┼─► quantise ─► colour mask ─► write
//!                     └─ quantise, logic op on the bits ────┘                  (bits)
//! ```
//!
//! A [`ColorState`] is derived once per draw and selects the path; a batch then runs plain loops
//! over rows. Formats of up to four bytes of unsigned normalised channels have their own loops. All
//! other formats go through `formats::lanes`. Colours are quantised to nearest, ties to even.
//!
//! Logic operations work on the texel's bits. They do not apply to float and sRGB targets (OpenGL
//! 4.6 §17.3.9), which then do not blend either. The colour mask always applies, as in OpenGL (the
//! manual says that all other blend state is ignored). Dithering is not done.

mod alpha;
mod blend;
mod kernel;
#[cfg(test)]
mod tests;

use formats::{ChannelKind, ColorSpace, Description, Format, lanes};
use os_shim::simd::vectorize;
use pipe_core::state::{BlendColor, BlendState, ColorMask, LogicOp, RenderTargetBlendState};
use tgsi::exec::{Lanes, Mask};

use self::blend::Operands;
pub(crate) use self::blend::{Equation, Factor, FactorRow, Part};
use self::kernel::Kernel;
use crate::features::{ALL_FORMATS, RGB565_ALONE, SAMPLES, SMALL_CODE};
use crate::lanes::planes::{pack, unpack};
use crate::lanes::{UnormLayout, clamp, gather, gather_planes, map_f32, scatter, scatter_planes};

pub(crate) use self::alpha::dithered_alpha_to_coverage;
pub(crate) use self::alpha::{alpha_test, alpha_to_coverage};
pub(crate) use crate::lanes::{QuadPositions, Target};

/// The conversion between colours and a target's texels.
#[derive(Clone, Copy)]
enum Store {
    Unorm(UnormLayout),
    Lanes {
        unpacker: lanes::Unpacker,
        packer: lanes::Packer,
        bytes: usize,
    },
    /// No conversion: `is_format_supported` rejects such a target.
    None,
}

/// The operation that combines fragments with the pixels of a target.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Mode {
    /// Drops the fragments.
    Skip,
    /// Replaces the pixels.
    Replace,
    /// Blends with the pixels.
    Blend(Equation),
    /// Combines the texels' bits.
    Logic(LogicOp),
}

/// The state for writing to one render target, derived once per draw.
#[derive(Clone, Copy)]
pub(crate) struct ColorState {
    /// The target's format.
    pub(crate) format: Format,
    mode: Mode,
    store: Store,
    /// The bits of a texel, word by word, that the colour mask lets through.
    writable: [u32; 4],
    /// True if `writable` has all bits of a texel, so that the mask needs no read of the pixel.
    whole: bool,
    /// Lower bound (0 or -1) that fixed-point targets clamp fragments to before blending; the upper
    /// is 1. `None` for floats and integers.
    clamp_from: Option<f32>,
    alpha_to_one: bool,
    constant: [f32; 4],
}

/// The parts of a [`ColorState`] that integer spans use.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parts<'a> {
    pub(crate) layout: &'a UnormLayout,
    /// The bits of a texel that are written; `None` if all are.
    pub(crate) writable: Option<u32>,
    /// The equation, and the blend colour.
    pub(crate) blend: Option<(&'a Equation, &'a [f32; 4])>,
}

impl Mode {
    /// Derives what is done to a target of `format` with these writable bits.
    #[inline(always)]
    fn of(
        blend: &BlendState,
        target: &RenderTargetBlendState,
        format: Format,
        (desc, writable): (&Description, [u32; 4]),
    ) -> Mode {
        let integer = format.is_pure_integer();
        let floating = desc.channels.iter().any(|channel| channel.kind == ChannelKind::Float);
        let logic_applies = !floating && desc.colorspace != ColorSpace::Srgb;
        if writable == [0; 4] || !is_target(format) {
            Mode::Skip
        } else if blend.logicop_enable {
            match blend.logicop_func {
                LogicOp::Copy => Mode::Replace,
                _ if !logic_applies => Mode::Replace,
                LogicOp::Noop => Mode::Skip,
                func @ (LogicOp::Clear
                | LogicOp::Nor
                | LogicOp::AndInverted
                | LogicOp::CopyInverted
                | LogicOp::AndReverse
                | LogicOp::Invert
                | LogicOp::Xor
                | LogicOp::Nand
                | LogicOp::And
                | LogicOp::Equiv
                | LogicOp::OrInverted
                | LogicOp::OrReverse
                | LogicOp::Or
                | LogicOp::Set) => Mode::Logic(func),
            }
        } else if target.blend_enable && !integer {
            Mode::Blend(Equation::of(target))
        } else {
            Mode::Replace
        }
    }
}

impl ColorState {
    /// Derives the state of render target `index`, of `format`, from the blend state.
    pub(crate) fn derive(
        blend: &BlendState,
        index: usize,
        format: Format,
        blend_color: &BlendColor,
    ) -> ColorState {
        let desc = format.desc();
        let target = blend.target(index);
        let integer = format.is_pure_integer();
        let (writable, whole) = writable_bits(&desc, target.colormask);
        let mode = Mode::of(blend, target, format, (&desc, writable));
        let normalized =
            |kind| desc.channels.iter().any(|channel| channel.kind == kind && channel.normalized);
        let clamp_from = if normalized(ChannelKind::Signed) {
            Some(-1.0)
        } else if normalized(ChannelKind::Unsigned) {
            Some(0.0)
        } else {
            None
        };
        let constant = match clamp_from {
            Some(low) => blend_color.color.map(|component| limit(component, low)),
            None => blend_color.color,
        };
        let store = match UnormLayout::of(format) {
            Some(layout) => Store::Unorm(layout),
            None if !ALL_FORMATS => Store::None,
            None => Store::Lanes {
                unpacker: lanes::Unpacker::new(format),
                packer: lanes::Packer::new(format),
                bytes: format.block_bytes(),
            },
        };
        ColorState {
            format,
            mode,
            store,
            writable,
            whole,
            clamp_from,
            alpha_to_one: blend.alpha_to_one && !integer,
            constant,
        }
    }

    /// Returns a state that replaces pixels, for kernels that do nothing else.
    pub(crate) fn replacing(format: Format) -> ColorState {
        ColorState {
            format,
            mode: if is_target(format) { Mode::Replace } else { Mode::Skip },
            store: Store::None,
            writable: [!0; 4],
            whole: true,
            clamp_from: Some(0.0),
            alpha_to_one: false,
            constant: [0.0; 4],
        }
    }

    /// Returns true if fragments can change the target.
    pub(crate) fn writes(&self) -> bool {
        self.mode != Mode::Skip
    }

    /// Returns the layout, mask and blend equation that integer spans use; `None` unless the
    /// channels have at most 8 bits and fragments replace the pixels or are blended with them.
    pub(crate) fn parts(&self) -> Option<Parts<'_>> {
        let Store::Unorm(layout) = &self.store else { return None };
        let blend = match &self.mode {
            Mode::Replace => None,
            Mode::Blend(equation) => Some((equation, &self.constant)),
            Mode::Skip | Mode::Logic(_) => return None,
        };
        let writable = (!self.whole).then_some(self.writable[0]);
        (layout.is_bytes() && !self.alpha_to_one).then_some(Parts { layout, writable, blend })
    }

    /// Returns the colour that replaces a pixel's colour, for a fragment of colour `[r, g, b, a]`;
    /// `None` if the pixel's new value depends on its old one.
    pub(crate) fn replacement(&self, [r, g, b, a]: [u32; 4]) -> Option<[u32; 4]> {
        let a = if self.alpha_to_one { 1.0f32.to_bits() } else { a };
        self.replaces().then_some([r, g, b, a])
    }

    /// Returns true if a covered pixel's new value does not depend on its old one.
    pub(crate) fn replaces(&self) -> bool {
        self.mode == Mode::Replace && self.whole
    }

    /// Returns true if the target clamps all colours to 0…1, NaN to 0, before anything else.
    pub(crate) fn clamps_to_one(&self) -> bool {
        self.clamp_from == Some(0.0)
    }

    /// Clamps the fragments' colours to the range of a fixed-point target.
    fn clamped<R: Lanes>(&self, color: [&R; 4], out: &mut [R; 4]) {
        for (row, out) in color.into_iter().zip(out) {
            match self.clamp_from {
                Some(low) => vectorize(
                    #[inline(always)]
                    || map_f32(row.as_slice(), out.as_mut_slice(), |x| clamp(x, low, 1.0)),
                ),
                None => *out = *row,
            }
        }
    }

    /// Clamps the fragments' colours to the target's range and blends them with `destination`.
    /// `second` is the second colour of dual-source blending.
    fn blended<R: Lanes>(
        &self,
        equation: &Equation,
        color: [&R; 4],
        destination: &[R; 4],
        second: Option<[&R; 4]>,
        result: &mut [R; 4],
    ) {
        let mut source = [R::ZERO; 4];
        self.clamped(color, &mut source);
        let mut other = [R::ZERO; 4];
        if let Some(second) = second {
            self.clamped(second, &mut other);
        }
        let operands = Operands { source: &source, destination, second: &other };
        equation.blend(&operands, &self.constant, result);
    }
}

/// Returns true if fragments can be written to `format`: a colour format with one texel per block,
/// at most 16 bytes.
fn is_target(format: Format) -> bool {
    if RGB565_ALONE {
        return format == Format::B5G6R5Unorm;
    }
    let block = format.block();
    !format.is_depth_or_stencil()
        && format.is_texel()
        && (block.width, block.height) == (1, 1)
        && (1..=16).contains(&block.bytes)
}

/// Clamps a component of the blend colour. Not inlined: it runs once per draw.
#[inline(never)]
fn limit(component: f32, low: f32) -> f32 {
    clamp(component, low, 1.0)
}

/// Returns the bits of a texel that belong to the channels of `mask`, word by word, and true if
/// these are all channels.
///
/// A channel belongs to the component it is written from: a luminance to red.
#[expect(clippy::indexing_slicing, reason = "a swizzle names channels 0 to 3")]
fn writable_bits(desc: &Description, mask: ColorMask) -> ([u32; 4], bool) {
    let mut writable = [0u32; 4];
    let mut whole = true;
    let mut seen = [false; 4];
    for (component, swizzle) in desc.swizzle.iter().enumerate() {
        let Some(index) = swizzle.channel() else { continue };
        if core::mem::replace(&mut seen[index], true) {
            continue;
        }
        if mask.bits() >> component & 1 == 0 {
            whole = false;
            continue;
        }
        let channel = desc.channels[index];
        let (start, end) =
            (u32::from(channel.shift), u32::from(channel.shift) + u32::from(channel.bits));
        for (word, bits) in writable.iter_mut().enumerate() {
            let (low, high) = (32 * word as u32, 32 * word as u32 + 32);
            let (from, to) = (start.max(low), end.min(high));
            if from < to {
                *bits |= u32::MAX >> (32 - (to - from)) << (from - low);
            }
        }
    }
    if whole && writable != [0; 4] { ([u32::MAX; 4], true) } else { (writable, false) }
}

/// Writes a batch of fragments to a render target.
///
/// * Lane `4q + i` is pixel `i` of `quads[q]`; no pixel may occur twice in a batch.
/// * `color`: f32 bits, or integers for a pure-integer format. `second`: for dual-source blending.
/// * Lanes outside `mask` write nothing, even if their quads lie outside `target`. Lanes outside
///   `target` write nothing either.
pub(crate) fn write<R: Lanes>(
    state: &ColorState,
    target: &mut Target<'_>,
    quads: QuadPositions<'_>,
    mask: Mask,
    color: [&R; 4],
    second: Option<[&R; 4]>,
) {
    if mask == 0 || state.mode == Mode::Skip {
        return;
    }
    let (mut color, mut second) = (color, second);
    if state.alpha_to_one {
        let [_, opaque] = R::ZERO_AND_ONE;
        color[3] = opaque;
        if SAMPLES && let Some(second) = &mut second {
            second[3] = opaque;
        }
    }
    match &state.store {
        Store::Unorm(layout) => {
            write_unorm(state, layout, target, quads, mask, color, second);
        }
        Store::None => {}
        Store::Lanes { .. } if !ALL_FORMATS => {}
        Store::Lanes { unpacker, packer, bytes } => {
            write_lanes(state, (unpacker, packer, *bytes), target, quads, mask, color, second);
        }
    }
}

/// Writes a batch of fragments to the planes of a render target, as [`write`] writes one plane. The
/// lanes `covered[s]` go to sample `s`.
pub(crate) fn write_planes<R: Lanes>(
    state: &ColorState,
    target: &mut Target<'_>,
    quads: QuadPositions<'_>,
    covered: &[Mask],
    color: [&R; 4],
    second: Option<[&R; 4]>,
) {
    let samples = covered.len() as u32;
    let planes = covered.iter().enumerate().filter(|(_, mask)| **mask != 0);
    if let Store::Unorm(layout) = &state.store
        && state.replaces()
        && !state.alpha_to_one
    {
        let mut texels = R::ZERO;
        layout.pack(color, &mut texels);
        for (sample, mask) in planes {
            scatter(&mut target.plane(sample, samples), layout.bytes, quads, *mask, &texels);
        }
        return;
    }
    for (sample, mask) in planes {
        write(state, &mut target.plane(sample, samples), quads, *mask, color, second);
    }
}

/// [`write`] to unsigned normalised texels of up to 32 bits.
fn write_unorm<R: Lanes>(
    state: &ColorState,
    layout: &UnormLayout,
    target: &mut Target<'_>,
    quads: QuadPositions<'_>,
    mask: Mask,
    color: [&R; 4],
    second: Option<[&R; 4]>,
) {
    let (mut old, mut new) = (R::ZERO, R::ZERO);
    if state.replaces() {
        layout.pack(color, &mut new);
        return scatter(target, layout.bytes, quads, mask, &new);
    }
    gather(target, layout.bytes, quads, mask, &mut old);
    match &state.mode {
        Mode::Blend(equation) => {
            if !SMALL_CODE && let Some(kernel) = Kernel::of(equation) {
                let color = color.map(|row| row.as_slice());
                if state.whole {
                    kernel.blend(layout, color, old.as_mut_slice());
                    return scatter(target, layout.bytes, quads, mask, &old);
                }
                new = old;
                kernel.blend(layout, color, new.as_mut_slice());
            } else {
                let mut destination = [R::ZERO; 4];
                layout.unpack(&old, &mut destination);
                let mut result = [R::ZERO; 4];
                state.blended(equation, color, &destination, second, &mut result);
                layout.pack(result.each_ref(), &mut new);
            }
        }
        Mode::Logic(_) | Mode::Replace | Mode::Skip => layout.pack(color, &mut new),
    }
    if let Mode::Logic(func) = state.mode {
        logic(func, new.as_mut_slice(), old.as_slice());
    }
    if !state.whole {
        merge(state.writable[0], new.as_mut_slice(), old.as_slice());
    }
    scatter(target, layout.bytes, quads, mask, &new);
}

/// [`write`] to texels of other kinds, up to 16 bytes.
fn write_lanes<R: Lanes>(
    state: &ColorState,
    (unpacker, packer, bytes): (&lanes::Unpacker, &lanes::Packer, usize),
    target: &mut Target<'_>,
    quads: QuadPositions<'_>,
    mask: Mask,
    color: [&R; 4],
    second: Option<[&R; 4]>,
) {
    let planes = bytes.div_ceil(4);
    let mut old = [R::ZERO; 4];
    if !state.replaces() {
        gather_planes(target, bytes, quads, mask, &mut old);
    }
    let mut new = match &state.mode {
        Mode::Blend(equation) => {
            let mut destination = [R::ZERO; 4];
            unpack(unpacker, planes, &old, &mut destination);
            let mut result = [R::ZERO; 4];
            state.blended(equation, color, &destination, second, &mut result);
            pack(packer, planes, result.each_ref())
        }
        Mode::Logic(_) | Mode::Replace | Mode::Skip => pack(packer, planes, color),
    };
    for ((new, old), writable) in new.iter_mut().zip(&old).zip(state.writable) {
        if let Mode::Logic(func) = state.mode {
            logic(func, new.as_mut_slice(), old.as_slice());
        }
        if !state.whole {
            merge(writable, new.as_mut_slice(), old.as_slice());
        }
    }
    scatter_planes(target, bytes, quads, mask, &new);
}

/// Combines the bits of source and destination by `func`, into the source.
fn logic(func: LogicOp, source: &mut [u32], destination: &[u32]) {
    for (source, &destination) in source.iter_mut().zip(destination) {
        *source = func.apply(*source, destination);
    }
}

/// Replaces the bits of `new` that are not in `writable` with the bits of `old`.
fn merge(writable: u32, new: &mut [u32], old: &[u32]) {
    for (new, &old) in new.iter_mut().zip(old) {
        *new = (*new & writable) | (old & !writable);
    }
}
