//! Lane ops: the instruction set of the executor, in one table.
//!
//! Arithmetic ops come from the table below: a name, a function on one lane in [`scalar`], and the
//! number of operands. Ops for control flow, and ops that access more than rows, follow the table.
//!
//! # Adding an op
//! To add an arithmetic op, add a row here and a function in `scalar`. The executor and the
//! compiler's constant folding are generated from the row.

use super::Mask;
use super::program::Row;
use super::scalar;

/// Every arithmetic op, grouped by the number of operands; a fourth operand is row `aux`. In
/// *heavy* ops the code for one lane is so large that small targets must not unroll it.
macro_rules! for_each_alu {
    ($then:ident) => {
        $then! {
            unary {
                /// Copy.
                Mov = mov;
                /// Sign changed.
                Neg = neg;
                /// Sign dropped.
                Abs = abs;
                /// Limited to 0 to 1; NaN becomes 0.
                Saturate = saturate;
                /// -1.0, 0.0 or 1.0.
                Sign = sign;
                /// `a - floor(a)`.
                Fract = fract;
                /// Largest whole number not above.
                Floor = floor;
                /// Smallest whole number not below.
                Ceil = ceil;
                /// Fraction dropped.
                Trunc = trunc;
                /// Nearest whole number, ties to even.
                Round = round;
                /// 1 / a.
                Rcp = rcp;
                /// 1 / √a.
                Rsq = rsq;
                /// √a.
                Sqrt = sqrt;
                /// Float to signed.
                F2i = f2i;
                /// Float to unsigned.
                F2u = f2u;
                /// Signed to float.
                I2f = i2f;
                /// Unsigned to float.
                U2f = u2f;
                /// The low half-float as a float.
                UnpackLowHalf = unpack_low_half;
                /// The high half-float as a float.
                UnpackHighHalf = unpack_high_half;
                /// The nearest half-float as a float.
                RoundHalf = round_half;
                /// Two's complement.
                Ineg = ineg;
                /// Magnitude of a signed integer.
                Iabs = iabs;
                /// -1, 0 or 1.
                Isign = isign;
                /// Bitwise complement.
                Not = not;
                /// Bits in reverse order.
                ReverseBits = reverse_bits;
                /// Bits set.
                CountOnes = count_ones;
                /// Index of the lowest bit set, or -1.
                LowestBit = lowest_bit;
                /// Index of the highest bit set, or -1.
                HighestBit = highest_bit;
                /// Index of the highest bit that differs from the sign, or -1.
                HighestDifference = highest_difference;
            }
            binary {
                /// a + b.
                Add = add;
                /// a - b.
                Sub = sub;
                /// a · b.
                Mul = mul;
                /// a / b.
                Div = div;
                /// The smaller; if one is a NaN, the other.
                Min = min;
                /// The larger; if one is a NaN, the other.
                Max = max;
                /// 1.0 where a < b, else 0.0.
                Slt = slt;
                /// 1.0 where a ≥ b.
                Sge = sge;
                /// 1.0 where a = b.
                Seq = seq;
                /// 1.0 where a ≠ b.
                Sne = sne;
                /// All bits where a < b, as floats.
                Fslt = fslt;
                /// All bits where a ≥ b.
                Fsge = fsge;
                /// All bits where a = b.
                Fseq = fseq;
                /// All bits where a ≠ b.
                Fsne = fsne;
                /// a · 2^b, b signed.
                Ldexp = ldexp;
                /// Two halves in a word, a in the low one.
                PackHalves = pack_halves;
                /// Sum modulo 2³².
                Uadd = uadd;
                /// Difference modulo 2³².
                Usub = usub;
                /// Product modulo 2³².
                Umul = umul;
                /// High word of the signed product.
                ImulHi = imul_hi;
                /// High word of the unsigned product.
                UmulHi = umul_hi;
                /// The larger signed integer.
                Imax = imax;
                /// The smaller signed integer.
                Imin = imin;
                /// The larger unsigned integer.
                Umax = umax;
                /// The smaller unsigned integer.
                Umin = umin;
                /// All bits where a < b, signed.
                Islt = islt;
                /// All bits where a ≥ b, signed.
                Isge = isge;
                /// All bits where a < b, unsigned.
                Uslt = uslt;
                /// All bits where a ≥ b, unsigned.
                Usge = usge;
                /// All bits where the words are equal.
                Useq = useq;
                /// All bits where the words differ.
                Usne = usne;
                /// Bitwise and.
                And = and;
                /// Bitwise or.
                Or = or;
                /// Bitwise exclusive or.
                Xor = xor;
                /// Shift left by b modulo 32.
                Shl = shl;
                /// Shift right with sign.
                Ishr = ishr;
                /// Shift right.
                Ushr = ushr;
                /// `b` ones from bit `a` on.
                FieldMask = field_mask;
            }
            ternary {
                /// a · b + c, two roundings.
                Mad = mad;
                /// a · b - c, two roundings.
                Msub = msub;
                /// c - a · b, two roundings.
                Nmad = nmad;
                /// a < 0.0 ? b : c.
                Cmp = cmp;
                /// a ≠ 0 ? b : c, by bits.
                Ucmp = ucmp;
                /// a · b + c modulo 2³².
                Umad = umad;
                /// c bits of a from bit b on, with sign.
                Ibfe = ibfe;
                /// c bits of a from bit b on.
                Ubfe = ubfe;
                /// a moved to bit b, for a field of c bits.
                FieldInsert = field_insert;
                /// Bits of b where a has ones, bits of c where a has zeros.
                BitSelect = bit_select;
                /// a · b + c, two roundings, limited to 0 to 1.
                MadSaturate = mad_saturate;
                /// (a - b) · c.
                SubMul = sub_mul;
            }
            quaternary {
                /// a · b + c · d, three roundings.
                Dot2 = dot2;
                /// a · b + c + d, three roundings.
                MadAdd = mad_add;
                /// (a - b) · c + d, three roundings.
                SubMad = sub_mad;
                /// The smaller of a · b + c and d; if one is a NaN, the other.
                MadMin = mad_min;
                /// The larger of a · b + c and d; if one is a NaN, the other.
                MadMax = mad_max;
                /// a < b ? c : d, of floats.
                SelectLess = select_less;
                /// a ≥ b ? c : d, of floats.
                SelectNotLess = select_not_less;
            }
            heavy_unary {
                /// 2 to the a.
                Exp2 = exp2;
                /// Base-2 logarithm.
                Log2 = log2;
                /// Sine.
                Sin = sin;
                /// Cosine.
                Cos = cos;
            }
            heavy_binary {
                /// a to the b.
                Pow = pow;
                /// Signed quotient; 0 for a division by 0.
                Idiv = idiv;
                /// Unsigned quotient; all bits for a division by 0.
                Udiv = udiv;
                /// Signed remainder; -1 for a division by 0.
                Imod = imod;
                /// Unsigned remainder; all bits for a division by 0.
                Umod = umod;
            }
            heavy_ternary {
                /// a · b + c, one rounding.
                Fma = fma;
            }
        }
    };
}
pub(super) use for_each_alu;

macro_rules! define_op_code {
    (
        unary { $($(#[$ud:meta])* $U:ident = $uf:ident;)* }
        binary { $($(#[$bd:meta])* $B:ident = $bf:ident;)* }
        ternary { $($(#[$td:meta])* $T:ident = $tf:ident;)* }
        quaternary { $($(#[$qd:meta])* $Q:ident = $qf:ident;)* }
        heavy_unary { $($(#[$hud:meta])* $HU:ident = $huf:ident;)* }
        heavy_binary { $($(#[$hbd:meta])* $HB:ident = $hbf:ident;)* }
        heavy_ternary { $($(#[$htd:meta])* $HT:ident = $htf:ident;)* }
    ) => {
        /// The operation of an op.
        ///
        /// Rows hold masks too: one bit per lane, in the first two words. *exec* is the mask of
        /// running lanes. Ops use it only if their description mentions it.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[repr(u8)]
        pub enum OpCode {
            $($(#[$ud])* $U,)*
            $($(#[$bd])* $B,)*
            $($(#[$td])* $T,)*
            $($(#[$qd])* $Q,)*
            $($(#[$hud])* $HU,)*
            $($(#[$hbd])* $HB,)*
            $($(#[$htd])* $HT,)*
            /// Lane 3 - lane 2 of each quad, in the whole quad.
            Ddx,
            /// Lane 2 - lane 0 of each quad, in the whole quad.
            Ddy,
            /// The derivative along x of the lane's row of its quad.
            DdxFine,
            /// The derivative along y of the lane's column of its quad.
            DdyFine,
            /// dst := lanes of mask a ? b : c.
            Select,
            /// dst := a in the lanes of exec.
            Update,
            /// The `aux` rows from dst on := 0.
            Clear,
            /// dst := the component that `accesses[aux]` names, at address a (and buffer b).
            Gather,
            /// The component that `accesses[aux]` names, at address a, := b in the lanes of exec.
            Scatter,
            /// Texture lookup `samples[aux]`, for the lanes of exec.
            Sample,
            /// Discards the lanes of exec; they keep running.
            Kill,
            /// Discards the lanes of exec where a < 0.0; they keep running.
            KillIf,
            /// Mask b := exec; mask dst := exec := exec and a ≠ 0.0; jumps to `aux` if exec is
            /// empty.
            If,
            /// As `If`, for lanes where the bits of a are not 0.
            IfBits,
            /// exec := mask b without mask a; jumps to `aux` if exec is empty.
            Else,
            /// exec := mask a; jumps to `aux` if exec is empty.
            EndIf,
            /// Mask dst := mask b := exec.
            Loop,
            /// exec := mask a; jumps back to `aux` if exec is not empty, else exec := mask b.
            EndLoop,
            /// Mask dst := exec.
            Save,
            /// Mask dst loses the lanes of exec.
            Leave,
            /// exec := empty.
            Nobody,
            /// Mask dst loses the lanes where a = b.
            NotCase,
            /// Mask dst := lanes of mask c where a = b; removes them from mask c and adds them to
            /// exec; jumps to `aux` if exec is empty.
            Case,
            /// Adds the lanes of mask a to exec; jumps to `aux` if exec is empty.
            Default,
            /// 64-bit arithmetic, `wides[aux]`.
            Wide,
            /// A memory access, `memory[aux]`, by the lanes of exec.
            Memory,
            /// An input at another place in the pixel, `inputs_at[aux]`.
            Interpolate,
            /// dst := the component that `accesses[aux]` names, at register a of vertex b.
            LoadVertex,
            /// The component that `accesses[aux]` names, at register a of vertex b, := c in the
            /// lanes of exec.
            StoreVertex,
            /// The lanes of exec emit a vertex into stream a.
            Emit,
            /// The lanes of exec end the primitive of stream a.
            EndPrimitive,
            /// Waits until every batch of the group is here.
            Barrier,
            /// dst := all bits where a lane of exec has a ≠ 0.
            VoteAny,
            /// dst := all bits where every lane of exec has a ≠ 0.
            VoteAll,
            /// dst := all bits where all lanes of exec have the same a.
            VoteEqual,
            /// dst := the mask of the first 32 lanes that are in exec and have a ≠ 0.
            BallotLow,
            /// dst := the mask of the last 32 lanes that are in exec and have a ≠ 0.
            BallotHigh,
            /// dst := a of the first lane of exec.
            ReadFirst,
            /// dst := a of lane b; 0 if there is no lane b.
            ReadInvocation,
            /// dst := all bits in helper lanes, including discarded lanes.
            ReadHelper,
            /// dst := the low word of the time; row b := the high word.
            Clock,
            /// dst := the number of lanes in a row, whether they run or not.
            LaneCount,
            /// dst := the number of each lane.
            LaneNumber,
            /// dst := one word of a mask of lanes, as seen from each lane; `aux` is a [`LaneMask`]
            /// that selects the lanes and the word.
            LaneMask,
            /// Runs segment `aux` of generated code for the lanes of exec.
            Segment,
        }

        impl OpCode {
            /// Returns the number of operands of an arithmetic op; `None` for all further ops.
            pub const fn operands(self) -> Option<usize> {
                match self {
                    $(OpCode::$U)|* $(| OpCode::$HU)* => Some(1),
                    $(OpCode::$B)|* $(| OpCode::$HB)* => Some(2),
                    $(OpCode::$T)|* $(| OpCode::$HT)* => Some(3),
                    $(OpCode::$Q)|* => Some(4),
                    _ => None,
                }
            }

            /// Returns true if an arithmetic op needs much code per lane.
            pub const fn is_heavy(self) -> bool {
                matches!(self, $(OpCode::$HU)|* $(| OpCode::$HB)* $(| OpCode::$HT)*)
            }

            /// Returns the name of an arithmetic op's function in
            /// [`native::scalar`](crate::exec::native::scalar).
            #[doc(hidden)]
            pub const fn scalar_name(self) -> Option<&'static str> {
                Some(match self {
                    $(OpCode::$U => stringify!($uf),)*
                    $(OpCode::$HU => stringify!($huf),)*
                    $(OpCode::$B => stringify!($bf),)*
                    $(OpCode::$HB => stringify!($hbf),)*
                    $(OpCode::$T => stringify!($tf),)*
                    $(OpCode::$Q => stringify!($qf),)*
                    $(OpCode::$HT => stringify!($htf),)*
                    _ => return None,
                })
            }

            /// Returns the result for one lane; `None` if it depends on more than the operands.
            pub fn evaluate(self, a: u32, b: u32, c: u32) -> Option<u32> {
                Some(match self {
                    $(OpCode::$U => scalar::$uf(a),)*
                    $(OpCode::$HU => scalar::$huf(a),)*
                    $(OpCode::$B => scalar::$bf(a, b),)*
                    $(OpCode::$HB => scalar::$hbf(a, b),)*
                    $(OpCode::$T => scalar::$tf(a, b, c),)*
                    $(OpCode::$HT => scalar::$htf(a, b, c),)*
                    _ => return None,
                })
            }
        }
    };
}
for_each_alu!(define_op_code);

/// An optional part of the executor, one cargo feature per part.
/// [`Program::validate`](crate::exec::program::Program::validate) refuses programs that use a
/// missing part.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Group {
    /// Floats, branches, textures: always included.
    Core,
    /// `integers`: integer arithmetic beyond addition, shifts, bit fields, packing.
    Integers,
    /// `memory`: buffers, images, shared memory, atomics.
    Memory,
    /// `functions`: exponentials, logarithms, powers, sines.
    Functions,
    /// `doubles`: 64-bit floats and integers.
    Doubles,
    /// `shader-stages`: vertices of geometry and tessellation, groups with barriers.
    Stages,
    /// `lanes`: votes, ballots, lane numbers, values of other lanes, the clock, inputs at other
    /// places in the pixel.
    Lanes,
    /// `generated`: calls of machine code made at run time.
    Generated,
}

impl Group {
    /// Returns true if this build includes the group.
    pub const fn available(self) -> bool {
        match self {
            Group::Core => true,
            Group::Integers => cfg!(feature = "integers"),
            Group::Memory => cfg!(feature = "memory"),
            Group::Functions => cfg!(feature = "functions"),
            Group::Doubles => cfg!(feature = "doubles"),
            Group::Stages => cfg!(feature = "shader-stages"),
            Group::Lanes => cfg!(feature = "lanes"),
            Group::Generated => cfg!(feature = "generated"),
        }
    }

    /// Returns the cargo feature's name.
    pub const fn feature(self) -> &'static str {
        match self {
            Group::Core => "default",
            Group::Integers => "integers",
            Group::Memory => "memory",
            Group::Functions => "functions",
            Group::Doubles => "doubles",
            Group::Stages => "shader-stages",
            Group::Lanes => "lanes",
            Group::Generated => "generated",
        }
    }
}

impl OpCode {
    /// Returns the part of the executor that contains the op.
    pub const fn group(self) -> Group {
        use OpCode::*;
        match self {
            Iabs | Isign | ReverseBits | CountOnes | LowestBit | HighestBit | HighestDifference
            | UnpackLowHalf | UnpackHighHalf | RoundHalf | PackHalves | F2u | U2f | Umul | Umad
            | ImulHi | UmulHi | Imax | Imin | Umax | Umin | Islt | Isge | Uslt | Usge | Useq
            | Usne | Xor | Shl | Ishr | Ushr | FieldMask | FieldInsert | BitSelect | Ibfe
            | Ubfe | Idiv | Udiv | Imod | Umod => Group::Integers,
            Exp2 | Log2 | Pow | Sin | Cos | Ldexp => Group::Functions,
            // A product is exact in a double.
            Fma | Wide => Group::Doubles,
            Memory => Group::Memory,
            LoadVertex | StoreVertex | Emit | EndPrimitive | Barrier => Group::Stages,
            VoteAny | VoteAll | VoteEqual | BallotLow | BallotHigh | ReadFirst | ReadInvocation
            | ReadHelper | Clock | LaneCount | LaneNumber | LaneMask | Interpolate => Group::Lanes,
            Segment => Group::Generated,
            _ => Group::Core,
        }
    }

    /// Returns true if this build can execute the op.
    pub const fn available(self) -> bool {
        self.group().available()
    }

    /// Returns true if the op produces a new value in row `dst`.
    #[cfg(feature = "compile")]
    pub(crate) const fn has_value(self) -> bool {
        use OpCode::*;
        self.operands().is_some()
            || matches!(
                self,
                Ddx | Ddy
                    | DdxFine
                    | DdyFine
                    | Select
                    | Gather
                    | If
                    | IfBits
                    | Case
                    | LoadVertex
                    | VoteAny
                    | VoteAll
                    | VoteEqual
                    | BallotLow
                    | BallotHigh
                    | ReadFirst
                    | ReadInvocation
                    | ReadHelper
                    | Clock
                    | LaneCount
                    | LaneNumber
                    | LaneMask
            )
    }

    /// Returns true if `aux` is the index of an op to jump to.
    pub const fn jumps(self) -> bool {
        use OpCode::*;
        matches!(self, If | IfBits | Else | EndIf | EndLoop | Case | Default)
    }
}

bitflags::bitflags! {
    /// Selects the lanes in the mask of a [`LaneMask`](OpCode::LaneMask) op, and the word of the
    /// mask that the op writes.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub struct LaneMask: u16 {
        /// Lanes with a lower number.
        const BELOW = 1 << 0;
        /// The lane itself.
        const SELF = 1 << 1;
        /// Lanes with a higher number.
        const ABOVE = 1 << 2;
        /// Selects the word of lanes 32 to 63 instead of lanes 0 to 31.
        const HIGH = 1 << 3;
    }
}

impl LaneMask {
    /// Returns the word for lane `lane` out of `lanes` lanes (1 to 64).
    pub(super) fn word(self, lane: usize, lanes: usize) -> u32 {
        let all = Mask::MAX >> (Mask::BITS - (lanes as u32).clamp(1, Mask::BITS));
        let itself = 1 << (lane as u32 & (Mask::BITS - 1));
        let below: Mask = itself - 1;
        let parts = [
            (LaneMask::BELOW, below),
            (LaneMask::SELF, itself),
            (LaneMask::ABOVE, all & !(below | itself)),
        ];
        let chosen = parts.into_iter().filter(|&(part, _)| self.contains(part));
        let mask = chosen.fold(0, |mask, (_, part)| mask | part);
        (if self.contains(LaneMask::HIGH) { mask >> 32 } else { mask }) as u32
    }
}

/// One op. All four rows are always rows of the file, even for unused operands, so that the
/// executor checks every op in the same way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Op {
    /// The operation.
    pub code: OpCode,
    /// The index of an op (jumps), an index into a table, a count, or the row of a fourth operand.
    pub aux: u16,
    /// The row that is written.
    pub dst: Row,
    /// The first operand.
    pub a: Row,
    /// The second operand.
    pub b: Row,
    /// The third operand.
    pub c: Row,
}

impl Op {
    /// Returns an op.
    pub const fn new(code: OpCode, aux: u16, dst: u16, a: u16, b: u16, c: u16) -> Op {
        Op { code, aux, dst: Row(dst), a: Row(a), b: Row(b), c: Row(c) }
    }
}
