//! How fragments are blended into the colour buffers.

use core::fmt;

use crate::key::{Bitwise, Brief, bitwise, state_object};
use crate::limits::MAX_COLOR_BUFS;
use crate::numbered::numbered;

numbered! {
    /// What a colour is multiplied with before blending. `PIPE_BLENDFACTOR_*`.
    ///
    /// `Src` is the fragment, `Src1` its second colour (dual source blending), `Dst` what the
    /// buffer holds, `Const` the blend colour; `Inv` is 1 minus it. Destination alpha of a
    /// format without alpha reads 1.
    #[derive(Default)]
    pub enum BlendFactor {
        /// (1, 1, 1, 1).
        #[default]
        One = 0x01,
        /// The fragment's colour.
        SrcColor = 0x02,
        /// The fragment's alpha.
        SrcAlpha = 0x03,
        /// The buffer's alpha.
        DstAlpha = 0x04,
        /// The buffer's colour.
        DstColor = 0x05,
        /// (f, f, f, 1), f = min(source alpha, 1 - destination alpha).
        SrcAlphaSaturate = 0x06,
        /// The blend colour.
        ConstColor = 0x07,
        /// The blend colour's alpha.
        ConstAlpha = 0x08,
        /// The fragment's second colour.
        Src1Color = 0x09,
        /// The alpha of the fragment's second colour.
        Src1Alpha = 0x0a,
        /// (0, 0, 0, 0).
        Zero = 0x11,
        /// 1 - the fragment's colour.
        InvSrcColor = 0x12,
        /// 1 - the fragment's alpha.
        InvSrcAlpha = 0x13,
        /// 1 - the buffer's alpha.
        InvDstAlpha = 0x14,
        /// 1 - the buffer's colour.
        InvDstColor = 0x15,
        /// 1 - the blend colour.
        InvConstColor = 0x17,
        /// 1 - the blend colour's alpha.
        InvConstAlpha = 0x18,
        /// 1 - the fragment's second colour.
        InvSrc1Color = 0x19,
        /// 1 - the alpha of the fragment's second colour.
        InvSrc1Alpha = 0x1a,
    }

    /// How the weighted source and destination combine. `PIPE_BLEND_*`.
    #[derive(Default)]
    pub enum BlendFunc {
        /// source + destination.
        #[default]
        Add = 0,
        /// source - destination.
        Subtract = 1,
        /// destination - source.
        ReverseSubtract = 2,
        /// The lesser of both; factors are ignored.
        Min = 3,
        /// The greater of both; factors are ignored.
        Max = 4,
    }

    /// A bitwise operation of source s and destination d, in place of blending.
    /// `PIPE_LOGICOP_*`. Bit `2s + d` of the number, counted so, is the result.
    #[derive(Default)]
    pub enum LogicOp {
        /// 0.
        Clear = 0,
        /// !(s | d).
        Nor = 1,
        /// !s & d.
        AndInverted = 2,
        /// !s.
        CopyInverted = 3,
        /// s & !d.
        AndReverse = 4,
        /// !d.
        Invert = 5,
        /// s ^ d.
        Xor = 6,
        /// !(s & d).
        Nand = 7,
        /// s & d.
        And = 8,
        /// !(s ^ d).
        Equiv = 9,
        /// d.
        Noop = 10,
        /// !s | d.
        OrInverted = 11,
        /// s.
        #[default]
        Copy = 12,
        /// s | !d.
        OrReverse = 13,
        /// s | d.
        Or = 14,
        /// All ones.
        Set = 15,
    }
}

impl BlendFactor {
    /// Whether it needs the fragment's second colour.
    pub const fn is_dual_source(self) -> bool {
        use BlendFactor::*;
        matches!(self, Src1Color | Src1Alpha | InvSrc1Color | InvSrc1Alpha)
    }

    /// Whether it needs the blend colour.
    pub const fn is_constant(self) -> bool {
        use BlendFactor::*;
        matches!(self, ConstColor | ConstAlpha | InvConstColor | InvConstAlpha)
    }

    /// Whether it reads the colour buffer.
    pub const fn reads_destination(self) -> bool {
        use BlendFactor::*;
        matches!(self, DstColor | DstAlpha | InvDstColor | InvDstAlpha | SrcAlphaSaturate)
    }
}

impl LogicOp {
    /// The operation on 32 bits at once.
    #[inline(always)]
    pub const fn apply(self, s: u32, d: u32) -> u32 {
        match self {
            Self::Clear => 0,
            Self::Nor => !(s | d),
            Self::AndInverted => !s & d,
            Self::CopyInverted => !s,
            Self::AndReverse => s & !d,
            Self::Invert => !d,
            Self::Xor => s ^ d,
            Self::Nand => !(s & d),
            Self::And => s & d,
            Self::Equiv => !(s ^ d),
            Self::Noop => d,
            Self::OrInverted => !s | d,
            Self::Copy => s,
            Self::OrReverse => s | !d,
            Self::Or => s | d,
            Self::Set => !0,
        }
    }

    /// Whether the result depends on the destination.
    pub const fn reads_destination(self) -> bool {
        !matches!(self, Self::Clear | Self::Set | Self::Copy | Self::CopyInverted)
    }
}

bitflags::bitflags! {
    /// Which channels are written. `PIPE_MASK_*`.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
    pub struct ColorMask: u8 {
        /// Red.
        const R = 1;
        /// Green.
        const G = 2;
        /// Blue.
        const B = 4;
        /// Alpha.
        const A = 8;
        /// Red, green and blue.
        const RGB = 7;
        /// Everything.
        const RGBA = 15;
    }
}

impl Default for ColorMask {
    /// Everything is written.
    fn default() -> Self {
        Self::RGBA
    }
}

impl Bitwise for ColorMask {
    fn same_bits(&self, other: &Self) -> bool {
        self == other
    }
    fn hash_bits<H: core::hash::Hasher>(&self, hasher: &mut H) {
        hasher.write_u8(self.bits());
    }
}

/// Blending of one render target. The default writes fragments as they are.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct RenderTargetBlendState {
    /// Whether to blend. If not, the fragment's colour passes unmodified (`colormask` applies).
    pub blend_enable: bool,
    /// How red, green and blue combine.
    pub rgb_func: BlendFunc,
    /// What the fragment's red, green and blue are multiplied with.
    pub rgb_src_factor: BlendFactor,
    /// What the buffer's red, green and blue are multiplied with.
    pub rgb_dst_factor: BlendFactor,
    /// How alpha combines.
    pub alpha_func: BlendFunc,
    /// What the fragment's alpha is multiplied with.
    pub alpha_src_factor: BlendFactor,
    /// What the buffer's alpha is multiplied with.
    pub alpha_dst_factor: BlendFactor,
    /// Which channels are written.
    pub colormask: ColorMask,
}

state_object!(RenderTargetBlendState {
    blend_enable,
    rgb_func,
    rgb_src_factor,
    rgb_dst_factor,
    alpha_func,
    alpha_src_factor,
    alpha_dst_factor,
    colormask,
});

impl RenderTargetBlendState {
    /// Blending with the same function and factors for colour and alpha.
    pub fn uniform(func: BlendFunc, src_factor: BlendFactor, dst_factor: BlendFactor) -> Self {
        Self {
            blend_enable: true,
            rgb_func: func,
            rgb_src_factor: src_factor,
            rgb_dst_factor: dst_factor,
            alpha_func: func,
            alpha_src_factor: src_factor,
            alpha_dst_factor: dst_factor,
            colormask: ColorMask::RGBA,
        }
    }

    /// Transparency: source·alpha + destination·(1 - alpha).
    pub fn alpha_blending() -> Self {
        Self::uniform(BlendFunc::Add, BlendFactor::SrcAlpha, BlendFactor::InvSrcAlpha)
    }

    /// The four factors, colour's first.
    pub const fn factors(&self) -> [BlendFactor; 4] {
        [self.rgb_src_factor, self.rgb_dst_factor, self.alpha_src_factor, self.alpha_dst_factor]
    }
}

/// `pipe_blend_state`. The default blends nothing and writes everything.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct BlendState {
    /// Whether each render target has its own member of `rt`. If not, `rt[0]` governs them all.
    pub independent_blend_enable: bool,
    /// Whether a logical operation replaces blending, on all render targets.
    pub logicop_enable: bool,
    /// The logical operation.
    pub logicop_func: LogicOp,
    /// Whether to dither. Drivers may ignore it.
    pub dither: bool,
    /// Whether the fragment's alpha overrides its coverage mask: none of its samples at alpha 0,
    /// all at alpha 1, in proportion between. Happens with or without multisampling.
    pub alpha_to_coverage: bool,
    /// Whether coverage made from alpha is dithered over neighbouring pixels.
    pub alpha_to_coverage_dither: bool,
    /// Whether the fragment's alpha becomes one. Happens with or without multisampling.
    pub alpha_to_one: bool,
    /// The highest render target that `rt` has meaning for, for drivers that care.
    pub max_rt: u8,
    /// The state of each render target.
    pub rt: [RenderTargetBlendState; MAX_COLOR_BUFS],
}

bitwise!(BlendState {
    independent_blend_enable,
    logicop_enable,
    logicop_func,
    dither,
    alpha_to_coverage,
    alpha_to_coverage_dither,
    alpha_to_one,
    max_rt,
    rt,
});

/// Only the targets that count, and of them only what differs from the default.
impl Brief for BlendState {
    fn brief(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        struct Targets<'a>(&'a [RenderTargetBlendState]);
        struct Target<'a>(&'a RenderTargetBlendState);
        impl fmt::Debug for Targets<'_> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_list().entries(self.0.iter().map(Target)).finish()
            }
        }
        impl fmt::Debug for Target<'_> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.brief(f)
            }
        }
        let default = Self::default();
        let mut out = f.debug_struct("BlendState");
        let mut flag = |name, value: bool| {
            if value {
                out.field(name, &value);
            }
        };
        flag("independent_blend_enable", self.independent_blend_enable);
        flag("logicop_enable", self.logicop_enable);
        flag("dither", self.dither);
        flag("alpha_to_coverage", self.alpha_to_coverage);
        flag("alpha_to_coverage_dither", self.alpha_to_coverage_dither);
        flag("alpha_to_one", self.alpha_to_one);
        if self.logicop_func != default.logicop_func {
            out.field("logicop_func", &self.logicop_func);
        }
        let count = if self.independent_blend_enable { MAX_COLOR_BUFS } else { 1 };
        let targets = &self.rt[..count];
        if let Some(last) = targets.iter().rposition(|rt| *rt != default.rt[0]) {
            out.field("rt", &Targets(&targets[..=last]));
        }
        out.finish()
    }
}

impl BlendState {
    /// The same blending for every render target.
    pub fn uniform(target: RenderTargetBlendState) -> Self {
        Self { rt: [target; MAX_COLOR_BUFS], ..Self::default() }
    }

    /// What governs render target `index`: `rt[index]`, or `rt[0]` when they are not independent
    /// or there is no such target.
    pub fn target(&self, index: usize) -> &RenderTargetBlendState {
        match self.rt.get(index) {
            Some(target) if self.independent_blend_enable => target,
            _ => &self.rt[0],
        }
    }

    /// Whether some target needs the fragment's second colour.
    pub fn is_dual_source(&self) -> bool {
        let needs = |rt: &RenderTargetBlendState| {
            rt.blend_enable && rt.factors().iter().any(|factor| factor.is_dual_source())
        };
        !self.logicop_enable && (0..MAX_COLOR_BUFS).any(|index| needs(self.target(index)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_the_wire_s() {
        for factor in BlendFactor::ALL {
            assert_eq!(BlendFactor::from_number(factor.number()), Some(*factor));
        }
        assert_eq!(BlendFactor::from_number(0), None);
        assert_eq!(BlendFactor::from_number(0x16), None);
        assert_eq!(BlendFactor::from_number(0x13), Some(BlendFactor::InvSrcAlpha));
        assert_eq!(BlendFunc::from_number(4), Some(BlendFunc::Max));
        assert_eq!(BlendFunc::from_number(5), None);
    }

    #[test]
    fn logic_op_numbers_are_their_truth_tables() {
        // Bit 2s+d of the number is the result for s, d: the property the manual's table has.
        for op in LogicOp::ALL {
            for (s, d) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                let expected = op.number() >> (2 * s + d) & 1;
                assert_eq!(op.apply(s, d) & 1, expected, "{op:?} of {s}, {d}");
            }
            let reads = op.apply(0, 0) != op.apply(0, 1) || op.apply(1, 0) != op.apply(1, 1);
            assert_eq!(op.reads_destination(), reads, "{op:?}");
        }
    }

    #[test]
    fn targets_follow_the_first_unless_independent() {
        let mut state = BlendState::default();
        state.rt[0].colormask = ColorMask::R;
        state.rt[3].colormask = ColorMask::B;
        assert_eq!(state.target(3).colormask, ColorMask::R);
        state.independent_blend_enable = true;
        assert_eq!(state.target(3).colormask, ColorMask::B);
        assert_eq!(state.target(8).colormask, ColorMask::R);
    }

    #[test]
    fn dual_source_is_seen_where_it_is_used() {
        let dual = RenderTargetBlendState::uniform(
            BlendFunc::Add,
            BlendFactor::One,
            BlendFactor::InvSrc1Alpha,
        );
        let mut state = BlendState::default();
        state.rt[1] = dual;
        assert!(!state.is_dual_source(), "rt[1] does not count");
        state.independent_blend_enable = true;
        assert!(state.is_dual_source());
        state.logicop_enable = true;
        assert!(!state.is_dual_source());
    }
}
