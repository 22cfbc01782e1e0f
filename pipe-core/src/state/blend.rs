//! Blending of fragments into the colour buffers (manual, chapter CSO, "Blend").

use core::fmt;

use crate::key::{Bitwise, Brief, bitwise, state_object};
use crate::limits::MAX_COLOR_BUFS;
use crate::numbered::numbered;

numbered! {
    /// The factor that multiplies a colour before blending. `PIPE_BLENDFACTOR_*`; numbers are
    /// Gallium's and the virgl wire's.
    ///
    /// `Src` is the fragment, `Src1` its second colour (dual-source blending), `Dst` the pixel of
    /// the colour buffer, `Const` the blend colour; `Inv` factors are 1 minus the value.
    /// Destination alpha of a format without alpha reads 1.
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
        /// (f, f, f, 1), where f = min(source alpha, 1 - destination alpha).
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

    /// The function that combines source and destination, each multiplied by its factor.
    /// `PIPE_BLEND_*`.
    #[derive(Default)]
    pub enum BlendFunc {
        /// source + destination.
        #[default]
        Add = 0,
        /// source - destination.
        Subtract = 1,
        /// destination - source.
        ReverseSubtract = 2,
        /// min(source, destination); factors are ignored.
        Min = 3,
        /// max(source, destination); factors are ignored.
        Max = 4,
    }

    /// A bitwise operation on source s and destination d, in place of blending. `PIPE_LOGICOP_*`.
    ///
    /// The number is the truth table: bit `2s + d` is the result for the bits s and d.
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
    /// Returns true if the factor reads the fragment's second colour.
    pub const fn is_dual_source(self) -> bool {
        use BlendFactor::*;
        matches!(self, Src1Color | Src1Alpha | InvSrc1Color | InvSrc1Alpha)
    }

    /// Returns true if the factor reads the blend colour (`set_blend_color`).
    pub const fn is_constant(self) -> bool {
        use BlendFactor::*;
        matches!(self, ConstColor | ConstAlpha | InvConstColor | InvConstAlpha)
    }

    /// Returns true if the factor reads the colour buffer.
    pub const fn reads_destination(self) -> bool {
        use BlendFactor::*;
        matches!(self, DstColor | DstAlpha | InvDstColor | InvDstAlpha | SrcAlphaSaturate)
    }
}

impl LogicOp {
    /// Applies the operation to 32 bits of source `s` and destination `d` at once.
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

    /// Returns true if the result depends on the destination.
    pub const fn reads_destination(self) -> bool {
        !matches!(self, Self::Clear | Self::Set | Self::Copy | Self::CopyInverted)
    }
}

bitflags::bitflags! {
    /// Channels that are written. `PIPE_MASK_*`.
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
        /// All four channels.
        const RGBA = 15;
    }
}

impl Default for ColorMask {
    /// All four channels.
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

/// Blending of one render target. The default writes fragments unblended, to all channels.
///
/// ```
/// use gallium_pipe_core::{BlendFactor, BlendFunc, BlendState, RenderTargetBlendState};
///
/// let glow = RenderTargetBlendState::uniform(BlendFunc::Add, BlendFactor::One, BlendFactor::One);
/// assert!(glow.blend_enable);
/// assert_eq!(BlendState::uniform(glow).target(3), &glow);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct RenderTargetBlendState {
    /// Blends if true; otherwise the fragment's colour passes unmodified. `colormask` applies in
    /// both cases.
    pub blend_enable: bool,
    /// The function for red, green and blue.
    pub rgb_func: BlendFunc,
    /// The fragment's factor for red, green and blue.
    pub rgb_src_factor: BlendFactor,
    /// The colour buffer's factor for red, green and blue.
    pub rgb_dst_factor: BlendFactor,
    /// The function for alpha.
    pub alpha_func: BlendFunc,
    /// The fragment's factor for alpha.
    pub alpha_src_factor: BlendFactor,
    /// The colour buffer's factor for alpha.
    pub alpha_dst_factor: BlendFactor,
    /// The channels that are written.
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
    /// Returns enabled blending with one function and pair of factors for colour and alpha, writing
    /// all channels.
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

    /// Returns transparency: source·alpha + destination·(1 - alpha), for colour and alpha.
    pub fn alpha_blending() -> Self {
        Self::uniform(BlendFunc::Add, BlendFactor::SrcAlpha, BlendFactor::InvSrcAlpha)
    }

    /// Returns the four factors: source and destination of colour, source and destination of alpha.
    pub const fn factors(&self) -> [BlendFactor; 4] {
        [self.rgb_src_factor, self.rgb_dst_factor, self.alpha_src_factor, self.alpha_dst_factor]
    }
}

/// State of the blender. `pipe_blend_state`. The default does not blend and writes all channels.
///
/// ```
/// use gallium_pipe_core::{BlendState, ColorMask, RenderTargetBlendState};
///
/// let mut state = BlendState::uniform(RenderTargetBlendState::alpha_blending());
/// state.rt[1].colormask = ColorMask::RGB;
/// assert_eq!(state.target(1).colormask, ColorMask::RGBA, "rt[0] governs all targets …");
/// state.independent_blend_enable = true;
/// assert_eq!(state.target(1).colormask, ColorMask::RGB, "… unless they are independent");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct BlendState {
    /// Gives each render target its own member of `rt`; otherwise `rt[0]` governs all of them.
    pub independent_blend_enable: bool,
    /// Replaces blending by `logicop_func`, on all render targets.
    pub logicop_enable: bool,
    /// The logical operation, if `logicop_enable` is set.
    pub logicop_func: LogicOp,
    /// Dithers colours. A hint: drivers may ignore it for any reason (manual, chapter CSO,
    /// "Blend"), so a driver that never dithers accepts it and stores the nearest colour.
    pub dither: bool,
    /// Overrides the fragment's coverage mask by its alpha: no sample at alpha 0, all at alpha 1,
    /// in proportion between. Applies with and without multisampling.
    pub alpha_to_coverage: bool,
    /// Dithers the coverage from alpha over neighbouring pixels. This changes the pixels that
    /// `alpha_to_coverage` draws, so a driver that does not dither refuses both together.
    pub alpha_to_coverage_dither: bool,
    /// Sets the fragment's alpha to 1, after `alpha_to_coverage`. Applies with and without
    /// multisampling.
    pub alpha_to_one: bool,
    /// Index of the last used entry of `rt`; a hint.
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

/// Prints the used render targets, with only the members that differ from the default.
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
        let targets = self.rt.get(..count).unwrap_or(&self.rt);
        let last = targets.iter().rposition(|rt| *rt != default.rt[0]);
        if let Some(targets) = last.and_then(|last| targets.get(..=last)) {
            out.field("rt", &Targets(targets));
        }
        out.finish()
    }
}

impl BlendState {
    /// Returns a state with the same blending for every render target.
    pub fn uniform(target: RenderTargetBlendState) -> Self {
        Self { rt: [target; MAX_COLOR_BUFS], ..Self::default() }
    }

    /// Returns the state of render target `index`: `rt[index]` if targets are independent and this
    /// target exists, otherwise `rt[0]`.
    pub fn target(&self, index: usize) -> &RenderTargetBlendState {
        match self.rt.get(index) {
            Some(target) if self.independent_blend_enable => target,
            _ => &self.rt[0],
        }
    }

    /// Returns true if a render target blends with the fragment's second colour.
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
        // The manual's table of logical operations has this property.
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
