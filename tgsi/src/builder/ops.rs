//! A method for each instruction that internal helpers use.

use super::Builder;
use crate::opcode::Opcode;
use crate::register::{DstRegister, SrcRegister};

/// Defines methods, grouped by their operands.
macro_rules! methods {
    ($(($($operand:ident: $Type:ty),*) [$($dst:ident)?] [$($src:ident),*] {
        $($method:ident $Opcode:ident,)*
    })*) => {
        $(methods!(@group ($($operand: $Type),*) [$($dst)?] [$($src),*] $(($method $Opcode))*);)*
    };
    (@group $parameters:tt $dst:tt $src:tt $($method:tt)*) => {
        $(methods!(@one $parameters $dst $src $method);)*
    };
    (@one ($($operand:ident: $Type:ty),*) [$($dst:ident)?] [$($src:ident),*]
     ($method:ident $Opcode:ident)) => {
        impl Builder<'_> {
            #[doc = concat!("Adds [`Opcode::", stringify!($Opcode), "`].")]
            pub fn $method(&mut self $(, $operand: $Type)*) {
                self.op(Opcode::$Opcode, &[$($dst)?], &[$($src),*]);
            }
        }
    };
}

methods! {
    () [] [] {
        nop Nop, kill Kill, ret Ret, end End,
        else_ Else, endif Endif, bgnloop Bgnloop, endloop Endloop, brk Brk, cont Cont,
        endswitch Endswitch, default Default, barrier Barrier,
    }
    (src: SrcRegister) [] [src] {
        if_ If, uif Uif, kill_if KillIf, emit Emit, endprim Endprim, switch Switch, case Case,
        membar Membar,
    }
    (dst: DstRegister, src: SrcRegister) [dst] [src] {
        mov Mov, arl Arl, arr Arr, uarl Uarl,
        rcp Rcp, rsq Rsq, sqrt Sqrt, ex2 Ex2, lg2 Lg2, sin Sin, cos Cos,
        frc Frc, flr Flr, ceil Ceil, trunc Trunc, round Round, ssg Ssg, ddx Ddx, ddy Ddy,
        f2i F2i, f2u F2u, i2f I2f, u2f U2f, f2d F2d, d2f D2f, d2u D2u, u2d U2d,
        ineg Ineg, iabs Iabs, not Not,
    }
    (dst: DstRegister, a: SrcRegister, b: SrcRegister) [dst] [a, b] {
        add Add, mul Mul, div Div, min Min, max Max, pow Pow, dp2 Dp2, dp3 Dp3, dp4 Dp4,
        slt Slt, sge Sge, seq Seq, sne Sne, fslt Fslt, fsge Fsge, fseq Fseq, fsne Fsne,
        uadd Uadd, umul Umul, udiv Udiv, umod Umod, umin Umin, umax Umax, imin Imin, imax Imax,
        useq Useq, usne Usne, uslt Uslt, usge Usge, islt Islt, isge Isge,
        and And, or Or, xor Xor, shl Shl, ushr Ushr, ishr Ishr, dmul Dmul, dadd Dadd,
    }
    (dst: DstRegister, a: SrcRegister, b: SrcRegister, c: SrcRegister) [dst] [a, b, c] {
        mad Mad, lrp Lrp, cmp Cmp, ucmp Ucmp, umad Umad,
    }
}
