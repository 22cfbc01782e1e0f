//! The rows of the opcode table, one section per kind.
//!
//! The columns of a row: number in tokens, spelling, relation of result to source components
//! ([`Mode`]), types of destinations and sources, and the instruction's further parts ([`Flags`]).
//! Within a section rows are in numerical order. Numbers 67, 81, 82, 93, 113 to 115 and 165 are
//! gaps.

use super::{Flags, Info, Mode, Type};

macro_rules! opcodes {
    ($($(#[$kind_doc:meta])* $Kind:ident($Opcodes:ident) {
        $($(#[$doc:meta])* $Variant:ident = $code:literal $name:literal, $mode:ident,
          [$($dst:ident),*] = [$($src:ident),*], $($flag:ident)|+;)*
    })*) => {
        /// An instruction's operation. Variants are the spellings in camel case.
        ///
        /// # Examples
        /// ```
        /// use gallium_tgsi::opcode::{ArithmeticOpcode, Kind, Opcode};
        /// let opcode = Opcode::from_name("mad").unwrap();
        /// assert_eq!((opcode.name(), opcode.code()), ("MAD", 16));
        /// assert_eq!((opcode.dst_count(), opcode.src_count()), (1, 3));
        /// assert_eq!(opcode.kind(), Kind::Arithmetic(ArithmeticOpcode::Mad));
        /// ```
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[repr(u8)]
        pub enum Opcode {
            $($($(#[$doc])* $Variant = $code,)*)*
        }

        /// The sections of the table, each with an enum of its opcodes.
        ///
        /// The compiler has one module per kind. Each module has one match without a wildcard over
        /// the kind's opcodes.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum Kind {
            $($(#[$kind_doc])* $Kind($Opcodes),)*
        }

        $(
            #[doc = concat!("The opcodes of [`Kind::", stringify!($Kind), "`].")]
            #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
            pub enum $Opcodes {
                $($(#[$doc])* $Variant,)*
            }
        )*

        /// Every opcode, in row order.
        const ROWS: &[Opcode] = &[$($(Opcode::$Variant,)*)*];

        impl Opcode {
            /// Every opcode, in numerical order.
            pub const ALL: &'static [Opcode] = &in_order();

            /// Returns the opcode with this number in tokens.
            pub const fn from_code(code: u8) -> Option<Opcode> {
                match code { $($($code => Some(Opcode::$Variant),)*)* _ => None }
            }

            /// Returns the opcode's kind, which holds the opcode in the kind's enum.
            pub const fn kind(self) -> Kind {
                match self { $($(Opcode::$Variant => Kind::$Kind($Opcodes::$Variant),)*)* }
            }

            /// Returns the opcode's row of the table.
            pub const fn info(self) -> &'static Info {
                match self {
                    $($(Opcode::$Variant => const { &Info {
                        name: $name,
                        mode: Mode::$mode,
                        dst: &[$(Type::$dst),*],
                        src: &[$(Type::$src),*],
                        flags: Flags::from_bits_truncate($(Flags::$flag.bits())|+),
                    } },)*)*
                }
            }
        }
    };
}

/// Sorts the rows by number.
#[expect(clippy::indexing_slicing, reason = "evaluated when the crate is compiled")]
const fn in_order() -> [Opcode; ROWS.len()] {
    let mut all = [Opcode::Nop; ROWS.len()];
    let (mut code, mut count) = (0, 0);
    while code <= u8::MAX as usize {
        if let Some(opcode) = Opcode::from_code(code as u8) {
            all[count] = opcode;
            count += 1;
        }
        code += 1;
    }
    all
}

opcodes! {
    /// Computes 32-bit values from 32-bit values: `compile/arithmetic.rs`.
    Arithmetic(ArithmeticOpcode) {
        /// Floor of the source, as an integer.
        Arl = 0 "ARL", Componentwise, [Int] = [Float], NONE;
        /// The source, bit for bit.
        Mov = 1 "MOV", Componentwise, [Float] = [Float], NONE;
        /// Lighting coefficients.
        Lit = 2 "LIT", PerChannel, [Float] = [Float], NONE;
        /// 1 / x.
        Rcp = 3 "RCP", Replicate, [Float] = [Float], NONE;
        /// 1 / square root of x.
        Rsq = 4 "RSQ", Replicate, [Float] = [Float], NONE;
        /// Parts of 2 to the x.
        Exp = 5 "EXP", PerChannel, [Float] = [Float], NONE;
        /// Parts of the base-2 logarithm of |x|.
        Log = 6 "LOG", PerChannel, [Float] = [Float], NONE;
        /// Product.
        Mul = 7 "MUL", Componentwise, [Float] = [Float, Float], NONE;
        /// Sum.
        Add = 8 "ADD", Componentwise, [Float] = [Float, Float], NONE;
        /// Dot product of xyz.
        Dp3 = 9 "DP3", Replicate, [Float] = [Float, Float], NONE;
        /// Dot product of xyzw.
        Dp4 = 10 "DP4", Replicate, [Float] = [Float, Float], NONE;
        /// Distance vector.
        Dst = 11 "DST", PerChannel, [Float] = [Float, Float], NONE;
        /// The smaller; if one is a NaN, the other.
        Min = 12 "MIN", Componentwise, [Float] = [Float, Float], NONE;
        /// The larger; if one is a NaN, the other.
        Max = 13 "MAX", Componentwise, [Float] = [Float, Float], NONE;
        /// 1.0 if less, else 0.0.
        Slt = 14 "SLT", Componentwise, [Float] = [Float, Float], NONE;
        /// 1.0 if greater or equal, else 0.0.
        Sge = 15 "SGE", Componentwise, [Float] = [Float, Float], NONE;
        /// `src0 * src1 + src2`, fused or not.
        Mad = 16 "MAD", Componentwise, [Float] = [Float, Float, Float], NONE;
        /// `src0 * (src1 - src2) + src2`.
        Lrp = 18 "LRP", Componentwise, [Float] = [Float, Float, Float], NONE;
        /// `src0 * src1 + src2`, one rounding.
        Fma = 19 "FMA", Componentwise, [Float] = [Float, Float, Float], NONE;
        /// Square root of x.
        Sqrt = 20 "SQRT", Replicate, [Float] = [Float], NONE;
        /// `src0 * 2^src1`.
        Ldexp = 21 "LDEXP", Componentwise, [Float] = [Float, Int], NONE;
        /// Fraction: source less its floor.
        Frc = 24 "FRC", Componentwise, [Float] = [Float], NONE;
        /// Largest integer not above.
        Flr = 26 "FLR", Componentwise, [Float] = [Float], NONE;
        /// Nearest integer, ties to even.
        Round = 27 "ROUND", Componentwise, [Float] = [Float], NONE;
        /// 2 to the x.
        Ex2 = 28 "EX2", Replicate, [Float] = [Float], NONE;
        /// Base-2 logarithm of x.
        Lg2 = 29 "LG2", Replicate, [Float] = [Float], NONE;
        /// `src0.x` to the `src1.x`.
        Pow = 30 "POW", Replicate, [Float] = [Float, Float], NONE;
        /// Cosine of x radians.
        Cos = 36 "COS", Replicate, [Float] = [Float], NONE;
        /// Derivative along x, one per quad.
        Ddx = 37 "DDX", Componentwise, [Float] = [Float], NONE;
        /// Derivative along y, one per quad.
        Ddy = 38 "DDY", Componentwise, [Float] = [Float], NONE;
        /// Two halves in a word.
        Pk2h = 40 "PK2H", Replicate, [Uint] = [Float], NONE;
        /// Two unorm16 in a word.
        Pk2us = 41 "PK2US", Replicate, [Uint] = [Float], NONE;
        /// Four snorm8 in a word.
        Pk4b = 42 "PK4B", Replicate, [Uint] = [Float], NONE;
        /// Four unorm8 in a word.
        Pk4ub = 43 "PK4UB", Replicate, [Uint] = [Float], NONE;
        /// 1.0 if equal, else 0.0.
        Seq = 45 "SEQ", Componentwise, [Float] = [Float, Float], NONE;
        /// 1.0 if greater, else 0.0.
        Sgt = 47 "SGT", Componentwise, [Float] = [Float, Float], NONE;
        /// Sine of x radians.
        Sin = 48 "SIN", Replicate, [Float] = [Float], NONE;
        /// 1.0 if less or equal, else 0.0.
        Sle = 49 "SLE", Componentwise, [Float] = [Float, Float], NONE;
        /// 1.0 if not equal, else 0.0.
        Sne = 50 "SNE", Componentwise, [Float] = [Float, Float], NONE;
        /// Two halves from a word.
        Up2h = 55 "UP2H", PerChannel, [Float] = [Uint], NONE;
        /// Two unorm16 from a word.
        Up2us = 56 "UP2US", PerChannel, [Float] = [Uint], NONE;
        /// Four snorm8 from a word.
        Up4b = 57 "UP4B", PerChannel, [Float] = [Uint], NONE;
        /// Four unorm8 from a word.
        Up4ub = 58 "UP4UB", PerChannel, [Float] = [Uint], NONE;
        /// `floor(src + 0.5)` as an integer.
        Arr = 61 "ARR", Componentwise, [Int] = [Float], NONE;
        /// -1.0, 0.0 or 1.0 by the sign.
        Ssg = 65 "SSG", Componentwise, [Float] = [Float], NONE;
        /// `src0 < 0 ? src1 : src2`.
        Cmp = 66 "CMP", Componentwise, [Float] = [Float, Float, Float], NONE;
        /// Quotient.
        Div = 70 "DIV", Componentwise, [Float] = [Float, Float], NONE;
        /// Dot product of xy.
        Dp2 = 71 "DP2", Replicate, [Float] = [Float, Float], NONE;
        /// Derivative along x, one per row of the quad.
        DdxFine = 79 "DDX_FINE", Componentwise, [Float] = [Float], NONE;
        /// Derivative along y, one per column of the quad.
        DdyFine = 80 "DDY_FINE", Componentwise, [Float] = [Float], NONE;
        /// Smallest integer not below.
        Ceil = 83 "CEIL", Componentwise, [Float] = [Float], NONE;
        /// Signed to float.
        I2f = 84 "I2F", Componentwise, [Float] = [Int], NONE;
        /// Bitwise complement.
        Not = 85 "NOT", Componentwise, [Uint] = [Uint], NONE;
        /// Integer part.
        Trunc = 86 "TRUNC", Componentwise, [Float] = [Float], NONE;
        /// Shift left by `src1 & 31`.
        Shl = 87 "SHL", Componentwise, [Uint] = [Uint, Uint], NONE;
        /// Bitwise and.
        And = 89 "AND", Componentwise, [Uint] = [Uint, Uint], NONE;
        /// Bitwise or.
        Or = 90 "OR", Componentwise, [Uint] = [Uint, Uint], NONE;
        /// Signed remainder; -1 for a division by 0.
        Mod = 91 "MOD", Componentwise, [Int] = [Int, Int], NONE;
        /// Bitwise exclusive or.
        Xor = 92 "XOR", Componentwise, [Uint] = [Uint, Uint], NONE;
        /// ~0 if equal, else 0.
        Fseq = 108 "FSEQ", Componentwise, [Int] = [Float, Float], NONE;
        /// ~0 if greater or equal, else 0.
        Fsge = 109 "FSGE", Componentwise, [Int] = [Float, Float], NONE;
        /// ~0 if less, else 0.
        Fslt = 110 "FSLT", Componentwise, [Int] = [Float, Float], NONE;
        /// ~0 if not equal, else 0.
        Fsne = 111 "FSNE", Componentwise, [Int] = [Float, Float], NONE;
        /// Float to signed, towards 0.
        F2i = 119 "F2I", Componentwise, [Int] = [Float], NONE;
        /// Signed quotient; 0 for a division by 0.
        Idiv = 120 "IDIV", Componentwise, [Int] = [Int, Int], NONE;
        /// The larger, signed.
        Imax = 121 "IMAX", Componentwise, [Int] = [Int, Int], NONE;
        /// The smaller, signed.
        Imin = 122 "IMIN", Componentwise, [Int] = [Int, Int], NONE;
        /// Negation.
        Ineg = 123 "INEG", Componentwise, [Int] = [Int], NONE;
        /// ~0 if greater or equal, signed, else 0.
        Isge = 124 "ISGE", Componentwise, [Int] = [Int, Int], NONE;
        /// Arithmetic shift right by `src1 & 31`.
        Ishr = 125 "ISHR", Componentwise, [Int] = [Int, Int], NONE;
        /// ~0 if less, signed, else 0.
        Islt = 126 "ISLT", Componentwise, [Int] = [Int, Int], NONE;
        /// Float to unsigned, towards 0.
        F2u = 127 "F2U", Componentwise, [Uint] = [Float], NONE;
        /// Unsigned to float.
        U2f = 128 "U2F", Componentwise, [Float] = [Uint], NONE;
        /// Sum modulo 2^32.
        Uadd = 129 "UADD", Componentwise, [Int] = [Uint, Uint], NONE;
        /// Unsigned quotient; ~0 for a division by 0.
        Udiv = 130 "UDIV", Componentwise, [Uint] = [Uint, Uint], NONE;
        /// `src0 * src1 + src2` modulo 2^32.
        Umad = 131 "UMAD", Componentwise, [Uint] = [Uint, Uint, Uint], NONE;
        /// The larger, unsigned.
        Umax = 132 "UMAX", Componentwise, [Uint] = [Uint, Uint], NONE;
        /// The smaller, unsigned.
        Umin = 133 "UMIN", Componentwise, [Uint] = [Uint, Uint], NONE;
        /// Unsigned remainder; ~0 for a division by 0.
        Umod = 134 "UMOD", Componentwise, [Uint] = [Uint, Uint], NONE;
        /// Product modulo 2^32.
        Umul = 135 "UMUL", Componentwise, [Uint] = [Uint, Uint], NONE;
        /// ~0 if the bits are equal, else 0.
        Useq = 136 "USEQ", Componentwise, [Uint] = [Uint, Uint], NONE;
        /// ~0 if greater or equal, unsigned, else 0.
        Usge = 137 "USGE", Componentwise, [Uint] = [Uint, Uint], NONE;
        /// Logical shift right by `src1 & 31`.
        Ushr = 138 "USHR", Componentwise, [Uint] = [Uint, Uint], NONE;
        /// ~0 if less, unsigned, else 0.
        Uslt = 139 "USLT", Componentwise, [Uint] = [Uint, Uint], NONE;
        /// ~0 if the bits differ, else 0.
        Usne = 140 "USNE", Componentwise, [Uint] = [Uint, Uint], NONE;
        /// Moves an integer into an address register.
        Uarl = 157 "UARL", Componentwise, [Int] = [Int], NONE;
        /// `src0 != 0 ? src1 : src2`.
        Ucmp = 158 "UCMP", Componentwise, [Float] = [Uint, Float, Float], NONE;
        /// Absolute value.
        Iabs = 159 "IABS", Componentwise, [Int] = [Int], NONE;
        /// -1, 0 or 1 by the sign.
        Issg = 160 "ISSG", Componentwise, [Int] = [Int], NONE;
        /// High half of the signed product.
        ImulHi = 180 "IMUL_HI", Componentwise, [Int] = [Int, Int], NONE;
        /// High half of the unsigned product.
        UmulHi = 181 "UMUL_HI", Componentwise, [Uint] = [Uint, Uint], NONE;
        /// Signed bit field.
        Ibfe = 184 "IBFE", Componentwise, [Int] = [Int, Int, Int], NONE;
        /// Unsigned bit field.
        Ubfe = 185 "UBFE", Componentwise, [Uint] = [Uint, Uint, Uint], NONE;
        /// Inserts a bit field.
        Bfi = 186 "BFI", Componentwise, [Uint] = [Uint, Uint, Uint, Uint], NONE;
        /// Bits in reverse.
        Brev = 187 "BREV", Componentwise, [Uint] = [Uint], NONE;
        /// Number of bits set.
        Popc = 188 "POPC", Componentwise, [Int] = [Int], NONE;
        /// Index of the lowest bit set; -1 if there is none.
        Lsb = 189 "LSB", Componentwise, [Int] = [Int], NONE;
        /// Index of the highest bit that differs from the sign; -1 if there is none.
        Imsb = 190 "IMSB", Componentwise, [Int] = [Int], NONE;
        /// Index of the highest bit set; -1 if there is none.
        Umsb = 191 "UMSB", Componentwise, [Int] = [Uint], NONE;
    }
    /// Computes or converts 64-bit values: `compile/wide.rs`.
    Wide(WideOpcode) {
        /// Float to unsigned 64-bit.
        F2u64 = 22 "F2U64", Pairwise, [Uint64] = [Float], NONE;
        /// Float to signed 64-bit.
        F2i64 = 23 "F2I64", Pairwise, [Int64] = [Float], NONE;
        /// Unsigned to 64-bit.
        U2i64 = 32 "U2I64", Pairwise, [Int64] = [Uint], NONE;
        /// Signed to 64-bit.
        I2i64 = 34 "I2I64", Pairwise, [Int64] = [Int], NONE;
        /// Double to unsigned 64-bit.
        D2u64 = 44 "D2U64", Pairwise, [Uint64] = [Double], NONE;
        /// Double to signed 64-bit.
        D2i64 = 46 "D2I64", Pairwise, [Int64] = [Double], NONE;
        /// Unsigned 64-bit to double.
        U642d = 51 "U642D", Pairwise, [Double] = [Uint64], NONE;
        /// Unsigned 64-bit to float.
        U642f = 59 "U642F", Pairwise, [Float] = [Uint64], NONE;
        /// Signed 64-bit to float.
        I642f = 60 "I642F", Pairwise, [Float] = [Int64], NONE;
        /// Signed 64-bit to double.
        I642d = 62 "I642D", Pairwise, [Double] = [Int64], NONE;
        /// Double `src0 * src1 + src2`, one rounding.
        Dfma = 118 "DFMA", Pairwise, [Double] = [Double, Double, Double], NONE;
        /// Float to double.
        F2d = 195 "F2D", Pairwise, [Double] = [Float], NONE;
        /// Double to float.
        D2f = 196 "D2F", Pairwise, [Float] = [Double], NONE;
        /// Double absolute value.
        Dabs = 197 "DABS", Pairwise, [Double] = [Double], NONE;
        /// Double negation.
        Dneg = 198 "DNEG", Pairwise, [Double] = [Double], NONE;
        /// Double sum.
        Dadd = 199 "DADD", Pairwise, [Double] = [Double, Double], NONE;
        /// Double product.
        Dmul = 200 "DMUL", Pairwise, [Double] = [Double, Double], NONE;
        /// The larger double.
        Dmax = 201 "DMAX", Pairwise, [Double] = [Double, Double], NONE;
        /// The smaller double.
        Dmin = 202 "DMIN", Pairwise, [Double] = [Double, Double], NONE;
        /// ~0 if less, else 0.
        Dslt = 203 "DSLT", Pairwise, [Int] = [Double, Double], NONE;
        /// ~0 if greater or equal, else 0.
        Dsge = 204 "DSGE", Pairwise, [Int] = [Double, Double], NONE;
        /// ~0 if equal, else 0.
        Dseq = 205 "DSEQ", Pairwise, [Int] = [Double, Double], NONE;
        /// ~0 if not equal, else 0.
        Dsne = 206 "DSNE", Pairwise, [Int] = [Double, Double], NONE;
        /// Double reciprocal.
        Drcp = 207 "DRCP", Pairwise, [Double] = [Double], NONE;
        /// Double square root.
        Dsqrt = 208 "DSQRT", Pairwise, [Double] = [Double], NONE;
        /// Double `src0 * src1 + src2`.
        Dmad = 209 "DMAD", Pairwise, [Double] = [Double, Double, Double], NONE;
        /// Double fraction.
        Dfrac = 210 "DFRAC", Pairwise, [Double] = [Double], NONE;
        /// Double `src0 * 2^src1`.
        Dldexp = 211 "DLDEXP", Pairwise, [Double] = [Double, Int], NONE;
        /// Significand and exponent.
        Dfracexp = 212 "DFRACEXP", Pairwise, [Double, Int] = [Double], NONE;
        /// Double to signed.
        D2i = 213 "D2I", Pairwise, [Int] = [Double], NONE;
        /// Signed to double.
        I2d = 214 "I2D", Pairwise, [Double] = [Int], NONE;
        /// Double to unsigned.
        D2u = 215 "D2U", Pairwise, [Uint] = [Double], NONE;
        /// Unsigned to double.
        U2d = 216 "U2D", Pairwise, [Double] = [Uint], NONE;
        /// Double reciprocal square root.
        Drsq = 217 "DRSQ", Pairwise, [Double] = [Double], NONE;
        /// Double integer part.
        Dtrunc = 218 "DTRUNC", Pairwise, [Double] = [Double], NONE;
        /// Double smallest integer not below.
        Dceil = 219 "DCEIL", Pairwise, [Double] = [Double], NONE;
        /// Double largest integer not above.
        Dflr = 220 "DFLR", Pairwise, [Double] = [Double], NONE;
        /// Double nearest integer, ties to even.
        Dround = 221 "DROUND", Pairwise, [Double] = [Double], NONE;
        /// Double sign.
        Dssg = 222 "DSSG", Pairwise, [Double] = [Double], NONE;
        /// ~0 if equal, else 0.
        U64seq = 226 "U64SEQ", Pairwise, [Int] = [Uint64, Uint64], NONE;
        /// ~0 if not equal, else 0.
        U64sne = 227 "U64SNE", Pairwise, [Int] = [Uint64, Uint64], NONE;
        /// ~0 if less, signed, else 0.
        I64slt = 228 "I64SLT", Pairwise, [Int] = [Int64, Int64], NONE;
        /// ~0 if less, unsigned, else 0.
        U64slt = 229 "U64SLT", Pairwise, [Int] = [Uint64, Uint64], NONE;
        /// ~0 if greater or equal, signed, else 0.
        I64sge = 230 "I64SGE", Pairwise, [Int] = [Int64, Int64], NONE;
        /// ~0 if greater or equal, unsigned, else 0.
        U64sge = 231 "U64SGE", Pairwise, [Int] = [Uint64, Uint64], NONE;
        /// The smaller, signed.
        I64min = 232 "I64MIN", Pairwise, [Int64] = [Int64, Int64], NONE;
        /// The smaller, unsigned.
        U64min = 233 "U64MIN", Pairwise, [Uint64] = [Uint64, Uint64], NONE;
        /// The larger, signed.
        I64max = 234 "I64MAX", Pairwise, [Int64] = [Int64, Int64], NONE;
        /// The larger, unsigned.
        U64max = 235 "U64MAX", Pairwise, [Uint64] = [Uint64, Uint64], NONE;
        /// Absolute value.
        I64abs = 236 "I64ABS", Pairwise, [Int64] = [Int64], NONE;
        /// -1, 0 or 1 by the sign.
        I64ssg = 237 "I64SSG", Pairwise, [Int64] = [Int64], NONE;
        /// Negation.
        I64neg = 238 "I64NEG", Pairwise, [Int64] = [Int64], NONE;
        /// Sum modulo 2^64.
        U64add = 239 "U64ADD", Pairwise, [Uint64] = [Uint64, Uint64], NONE;
        /// Product modulo 2^64.
        U64mul = 240 "U64MUL", Pairwise, [Uint64] = [Uint64, Uint64], NONE;
        /// Shift left by `src1 & 63`.
        U64shl = 241 "U64SHL", Pairwise, [Uint64] = [Uint64, Uint], NONE;
        /// Arithmetic shift right by `src1 & 63`.
        I64shr = 242 "I64SHR", Pairwise, [Int64] = [Int64, Uint], NONE;
        /// Logical shift right by `src1 & 63`.
        U64shr = 243 "U64SHR", Pairwise, [Uint64] = [Uint64, Uint], NONE;
        /// Signed quotient; 0 for a division by 0.
        I64div = 244 "I64DIV", Pairwise, [Int64] = [Int64, Int64], NONE;
        /// Unsigned quotient; ~0 for a division by 0.
        U64div = 245 "U64DIV", Pairwise, [Uint64] = [Uint64, Uint64], NONE;
        /// Signed remainder; ~0 for a division by 0.
        I64mod = 246 "I64MOD", Pairwise, [Int64] = [Int64, Int64], NONE;
        /// Unsigned remainder; ~0 for a division by 0.
        U64mod = 247 "U64MOD", Pairwise, [Uint64] = [Uint64, Uint64], NONE;
        /// Double quotient.
        Ddiv = 248 "DDIV", Pairwise, [Double] = [Double, Double], NONE;
    }
    /// Samples a texture; the sampler's number also names the view: `compile/texture.rs`.
    Texture(TextureOpcode) {
        /// Texture lookup at level 0.
        TexLz = 17 "TEX_LZ", Other, [Float] = [Float, Unit], TEXTURE;
        /// Texel fetch at level 0.
        TxfLz = 25 "TXF_LZ", Other, [Float] = [Uint, Unit], TEXTURE;
        /// Texture lookup.
        Tex = 52 "TEX", Other, [Float] = [Float, Unit], TEXTURE;
        /// Texture lookup with derivatives.
        Txd = 53 "TXD", Other, [Float] = [Float, Float, Float, Unit], TEXTURE;
        /// Texture lookup, coordinates divided by w.
        Txp = 54 "TXP", Other, [Float] = [Float, Unit], TEXTURE;
        /// Texture lookup, level of detail biased by w.
        Txb = 68 "TXB", Other, [Float] = [Float, Unit], TEXTURE;
        /// Texture lookup at level of detail w.
        Txl = 72 "TXL", Other, [Float] = [Float, Unit], TEXTURE;
        /// Texel fetch.
        Txf = 94 "TXF", Other, [Float] = [Uint, Unit], TEXTURE;
        /// Texture size.
        Txq = 95 "TXQ", Other, [Uint] = [Uint, Unit], TEXTURE;
        /// Number of samples per texel.
        Txqs = 104 "TXQS", Other, [Uint] = [Unit], TEXTURE;
        /// Texture lookup, reference in `src1`.
        Tex2 = 177 "TEX2", Other, [Float] = [Float, Float, Unit], TEXTURE;
        /// Texture lookup, bias in `src1`.
        Txb2 = 178 "TXB2", Other, [Float] = [Float, Float, Unit], TEXTURE;
        /// Texture lookup, level of detail in `src1`.
        Txl2 = 179 "TXL2", Other, [Float] = [Float, Float, Unit], TEXTURE;
        /// Four texels of one component.
        Tg4 = 182 "TG4", Other, [Float] = [Float, Float, Unit], TEXTURE;
        /// Level of detail that a lookup would use.
        Lodq = 183 "LODQ", Other, [Float] = [Float, Unit], TEXTURE;
    }
    /// Samples a texture; view and sampler are separate operands: `compile/sample.rs`.
    Sample(SampleOpcode) {
        /// Texture lookup.
        Sample = 145 "SAMPLE", Other, [Float] = [Float, Unit, Unit], OFFSETS;
        /// Texel fetch.
        SampleI = 146 "SAMPLE_I", Other, [Float] = [Uint, Unit], OFFSETS;
        /// Texel fetch of a sample.
        SampleIMs = 147 "SAMPLE_I_MS", Other, [Float] = [Uint, Unit, Uint], OFFSETS;
        /// Texture lookup, biased.
        SampleB = 148 "SAMPLE_B", Other, [Float] = [Float, Unit, Unit, Float], OFFSETS;
        /// Texture lookup, compared.
        SampleC = 149 "SAMPLE_C", Other, [Float] = [Float, Unit, Unit, Float], OFFSETS;
        /// Texture lookup, compared, at level 0.
        SampleCLz = 150 "SAMPLE_C_LZ", Other, [Float] = [Float, Unit, Unit, Float], OFFSETS;
        /// Texture lookup with derivatives.
        SampleD = 151 "SAMPLE_D", Other, [Float] = [Float, Unit, Unit, Float, Float], OFFSETS;
        /// Texture lookup at a level.
        SampleL = 152 "SAMPLE_L", Other, [Float] = [Float, Unit, Unit, Float], OFFSETS;
        /// Four texels of one component.
        Gather4 = 153 "GATHER4", Other, [Float] = [Float, Unit, Unit], OFFSETS;
        /// Texture size.
        Sviewinfo = 154 "SVIEWINFO", Other, [Uint] = [Uint, Unit], NONE;
        /// Position of a sample.
        SamplePos = 155 "SAMPLE_POS", Other, [Float] = [Unit, Uint], NONE;
        /// Number of samples per texel.
        SampleInfo = 156 "SAMPLE_INFO", Other, [Uint] = [Unit, Uint], NONE;
        /// Level of detail that a lookup would use.
        Lod = 249 "LOD", Other, [Float] = [Float, Unit, Unit], NONE;
    }
    /// Reads, changes or names memory: `compile/memory.rs`.
    Memory(MemoryOpcode) {
        /// The framebuffer's colour at this pixel.
        Fbfetch = 69 "FBFETCH", Other, [Float] = [Unit], NONE;
        /// Atomic float add.
        Atomfadd = 103 "ATOMFADD", Other, [Float] = [Unit, Uint, Float], MEMORY;
        /// Size of a buffer or image.
        Resq = 105 "RESQ", Other, [Uint] = [Unit], MEMORY;
        /// Reads a buffer, an image or memory.
        Load = 161 "LOAD", Other, [Uint] = [Unit, Uint], MEMORY;
        /// Writes a buffer, an image or memory.
        Store = 162 "STORE", Other, [Unit] = [Uint, Uint], MEMORY;
        /// Handle of an image.
        Img2hnd = 163 "IMG2HND", Other, [Uint] = [Unit], NONE;
        /// Handle of a sampler.
        Samp2hnd = 164 "SAMP2HND", Other, [Uint] = [Unit], NONE;
        /// Atomic add.
        Atomuadd = 167 "ATOMUADD", Other, [Uint] = [Unit, Uint, Uint], MEMORY;
        /// Atomic exchange.
        Atomxchg = 168 "ATOMXCHG", Other, [Uint] = [Unit, Uint, Uint], MEMORY;
        /// Atomic compare and swap.
        Atomcas = 169 "ATOMCAS", Other, [Uint] = [Unit, Uint, Uint, Uint], MEMORY;
        /// Atomic and.
        Atomand = 170 "ATOMAND", Other, [Uint] = [Unit, Uint, Uint], MEMORY;
        /// Atomic or.
        Atomor = 171 "ATOMOR", Other, [Uint] = [Unit, Uint, Uint], MEMORY;
        /// Atomic exclusive or.
        Atomxor = 172 "ATOMXOR", Other, [Uint] = [Unit, Uint, Uint], MEMORY;
        /// Atomic unsigned minimum.
        Atomumin = 173 "ATOMUMIN", Other, [Uint] = [Unit, Uint, Uint], MEMORY;
        /// Atomic unsigned maximum.
        Atomumax = 174 "ATOMUMAX", Other, [Uint] = [Unit, Uint, Uint], MEMORY;
        /// Atomic signed minimum.
        Atomimin = 175 "ATOMIMIN", Other, [Int] = [Unit, Uint, Int], MEMORY;
        /// Atomic signed maximum.
        Atomimax = 176 "ATOMIMAX", Other, [Int] = [Unit, Uint, Int], MEMORY;
        /// Atomic increment; wraps to 0 above the operand.
        AtomincWrap = 250 "ATOMINC_WRAP", Other, [Uint] = [Unit, Uint, Uint], MEMORY;
        /// Atomic decrement; wraps to the operand below 0.
        AtomdecWrap = 251 "ATOMDEC_WRAP", Other, [Uint] = [Unit, Uint, Uint], MEMORY;
    }
    /// Belongs to one stage (discards, emission, barriers, interpolation): `compile/stages.rs`.
    Stage(StageOpcode) {
        /// Demotes the invocation to a helper.
        Demote = 31 "DEMOTE", Other, [] = [], NONE;
        /// Discards the invocation.
        Kill = 39 "KILL", Other, [] = [], NONE;
        /// Emits a vertex to stream x.
        Emit = 97 "EMIT", Other, [] = [Uint], NONE;
        /// Ends the primitive of stream x.
        Endprim = 98 "ENDPRIM", Other, [] = [Uint], NONE;
        /// Orders memory accesses, by the bits of x.
        Membar = 112 "MEMBAR", Other, [] = [Uint], NONE;
        /// Discards the invocation if any component is below 0.
        KillIf = 116 "KILL_IF", Other, [] = [Float], NONE;
        /// Waits for the group.
        Barrier = 166 "BARRIER", Other, [] = [], NONE;
        /// Evaluates an input at the centroid.
        InterpCentroid = 192 "INTERP_CENTROID", Other, [Float] = [Float], NONE;
        /// Evaluates an input at a sample.
        InterpSample = 193 "INTERP_SAMPLE", Other, [Float] = [Float, Int], NONE;
        /// Evaluates an input at an offset from the pixel's centre.
        InterpOffset = 194 "INTERP_OFFSET", Other, [Float] = [Float, Float], NONE;
    }
    /// Reads other lanes, or depends on the lane: `compile/lanes.rs`.
    Lane(LaneOpcode) {
        /// 64-bit time in xy.
        Clock = 33 "CLOCK", Other, [Uint] = [], NONE;
        /// All bits set if the invocation is a helper.
        ReadHelper = 35 "READ_HELPER", Componentwise, [Uint] = [], NONE;
        /// The value of lane `src1.x`.
        ReadInvoc = 76 "READ_INVOC", Componentwise, [Float] = [Float, Uint], NONE;
        /// Lanes where x is not 0, as 64 bits in xy.
        Ballot = 88 "BALLOT", Other, [Uint] = [Uint], NONE;
        /// The value of the first active lane.
        ReadFirst = 106 "READ_FIRST", Componentwise, [Float] = [Float], NONE;
        /// All bits set if any active lane's value is not 0.
        VoteAny = 223 "VOTE_ANY", Componentwise, [Uint] = [Uint], NONE;
        /// All bits set if every active lane's value is not 0.
        VoteAll = 224 "VOTE_ALL", Componentwise, [Uint] = [Uint], NONE;
        /// All bits set if the active lanes agree.
        VoteEq = 225 "VOTE_EQ", Componentwise, [Uint] = [Uint], NONE;
    }
    /// Controls which instructions run next: `compile/flow/`.
    Flow(FlowOpcode) {
        /// Calls a subroutine.
        Cal = 63 "CAL", Other, [] = [], LABEL;
        /// Returns from a subroutine, or ends the shader.
        Ret = 64 "RET", Other, [] = [], NONE;
        /// Leaves the loop or switch.
        Brk = 73 "BRK", Other, [] = [], NONE;
        /// Runs the block in lanes where x is not 0.0.
        If = 74 "IF", Other, [] = [Float], LABEL|OPENS;
        /// Runs the block in lanes where the bits of x are not 0.
        Uif = 75 "UIF", Other, [] = [Uint], LABEL|OPENS;
        /// The other branch.
        Else = 77 "ELSE", Other, [] = [], LABEL|OPENS|CLOSES;
        /// Ends a branch.
        Endif = 78 "ENDIF", Other, [] = [], CLOSES;
        /// Next turn of the loop.
        Cont = 96 "CONT", Other, [] = [], NONE;
        /// Begins a loop.
        Bgnloop = 99 "BGNLOOP", Other, [] = [], LABEL|OPENS;
        /// Begins a subroutine.
        Bgnsub = 100 "BGNSUB", Other, [] = [], OPENS;
        /// Ends a loop.
        Endloop = 101 "ENDLOOP", Other, [] = [], LABEL|CLOSES;
        /// Ends a subroutine.
        Endsub = 102 "ENDSUB", Other, [] = [], CLOSES;
        /// Nothing.
        Nop = 107 "NOP", Other, [] = [], NONE;
        /// Ends the shader.
        End = 117 "END", Other, [] = [], NONE;
        /// Begins a switch on x.
        Switch = 141 "SWITCH", Other, [] = [Uint], NONE;
        /// Starts the lanes with a switch value of x.
        Case = 142 "CASE", Other, [] = [Uint], NONE;
        /// Starts the lanes without a matching case.
        Default = 143 "DEFAULT", Other, [] = [], NONE;
        /// Ends a switch.
        Endswitch = 144 "ENDSWITCH", Other, [] = [], NONE;
    }
}
