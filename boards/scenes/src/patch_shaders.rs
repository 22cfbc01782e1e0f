//! The shaders for scenes of patches: in TGSI, as WGSL has no tessellation.

use tgsi_macros::tgsi;

tgsi! {
    /// Passes a control point on unchanged.
    pub(crate) static CONTROL_POINT_VERTEX: VERT
    DCL IN[0]
    DCL OUT[0], POSITION
    MOV OUT[0], IN[0]
    END
}

/// Computes a point of a bicubic Bézier patch, lit like the vertices of `LIT_VERTEX`.
///
/// The normal is the cross product of the tangents. The tangents are taken at a place inside of the
/// patch's edges, because an edge may be a single point without a tangent. `TEMP[0]` is the place
/// of the point and the place of the tangents, `TEMP[1]` their distances from 1. `TEMP[2]` to
/// `TEMP[5]` are the weights of the four rows (`x`, `z`) and of the four points of a row (`y`, `w`)
/// at both places. `TEMP[6]` to `TEMP[9]` are the derivatives of the tangents' weights, divided by
/// 3.
macro_rules! bicubic {
    ($name:ident $($option:tt)*) => { tgsi! {
        $($option)*
        pub(crate) static $name: TESS_EVAL
        PROPERTY TES_PRIM_MODE 7
        PROPERTY TES_SPACING 2
        DCL IN[][0], POSITION
        DCL SV[0], TESSCOORD
        DCL OUT[0], POSITION
        DCL OUT[1].xyz, GENERIC[0]
        DCL CONST[0..8]
        DCL TEMP[0..15]
        IMM[0] FLT32 { 1.0, 3.0, 0.001, 0.999 }
        IMM[1] FLT32 { 0.0, 0.0, 0.0, 0.0 }
        MOV TEMP[0].xy, SV[0]
        MAX TEMP[0].zw, SV[0].xxxy, IMM[0].zzzz
        MIN TEMP[0].zw, TEMP[0], IMM[0].wwww
        ADD TEMP[1], IMM[0].xxxx, -TEMP[0]
        MUL TEMP[6].xy, TEMP[1].zwww, TEMP[1].zwww
        MUL TEMP[7].xy, TEMP[1].zwww, TEMP[0].zwww
        MUL TEMP[9].xy, TEMP[0].zwww, TEMP[0].zwww
        ADD TEMP[7].xy, TEMP[7], TEMP[7]
        ADD TEMP[8].xy, TEMP[7], -TEMP[9]
        ADD TEMP[7].xy, TEMP[6], -TEMP[7]
        MOV TEMP[6].xy, -TEMP[6]
        MUL TEMP[2], TEMP[1], TEMP[1]
        MUL TEMP[3], TEMP[1], TEMP[0]
        MUL TEMP[4], TEMP[0], TEMP[0]
        MUL TEMP[5], TEMP[4], TEMP[0]
        MUL TEMP[4], TEMP[4], TEMP[1]
        MUL TEMP[3], TEMP[3], TEMP[1]
        MUL TEMP[2], TEMP[2], TEMP[1]
        MUL TEMP[3], TEMP[3], IMM[0].yyyy
        MUL TEMP[4], TEMP[4], IMM[0].yyyy
        MUL TEMP[13].xyz, IN[0][0], TEMP[2].yyyy
        MAD TEMP[13].xyz, IN[1][0], TEMP[3].yyyy, TEMP[13]
        MAD TEMP[13].xyz, IN[2][0], TEMP[4].yyyy, TEMP[13]
        MAD TEMP[13].xyz, IN[3][0], TEMP[5].yyyy, TEMP[13]
        MUL TEMP[14].xyz, IN[0][0], TEMP[2].wwww
        MAD TEMP[14].xyz, IN[1][0], TEMP[3].wwww, TEMP[14]
        MAD TEMP[14].xyz, IN[2][0], TEMP[4].wwww, TEMP[14]
        MAD TEMP[14].xyz, IN[3][0], TEMP[5].wwww, TEMP[14]
        MUL TEMP[15].xyz, IN[0][0], TEMP[6].yyyy
        MAD TEMP[15].xyz, IN[1][0], TEMP[7].yyyy, TEMP[15]
        MAD TEMP[15].xyz, IN[2][0], TEMP[8].yyyy, TEMP[15]
        MAD TEMP[15].xyz, IN[3][0], TEMP[9].yyyy, TEMP[15]
        MUL TEMP[10].xyz, TEMP[13], TEMP[2].xxxx
        MUL TEMP[11].xyz, TEMP[14], TEMP[6].xxxx
        MUL TEMP[12].xyz, TEMP[15], TEMP[2].zzzz
        MUL TEMP[13].xyz, IN[4][0], TEMP[2].yyyy
        MAD TEMP[13].xyz, IN[5][0], TEMP[3].yyyy, TEMP[13]
        MAD TEMP[13].xyz, IN[6][0], TEMP[4].yyyy, TEMP[13]
        MAD TEMP[13].xyz, IN[7][0], TEMP[5].yyyy, TEMP[13]
        MUL TEMP[14].xyz, IN[4][0], TEMP[2].wwww
        MAD TEMP[14].xyz, IN[5][0], TEMP[3].wwww, TEMP[14]
        MAD TEMP[14].xyz, IN[6][0], TEMP[4].wwww, TEMP[14]
        MAD TEMP[14].xyz, IN[7][0], TEMP[5].wwww, TEMP[14]
        MUL TEMP[15].xyz, IN[4][0], TEMP[6].yyyy
        MAD TEMP[15].xyz, IN[5][0], TEMP[7].yyyy, TEMP[15]
        MAD TEMP[15].xyz, IN[6][0], TEMP[8].yyyy, TEMP[15]
        MAD TEMP[15].xyz, IN[7][0], TEMP[9].yyyy, TEMP[15]
        MAD TEMP[10].xyz, TEMP[13], TEMP[3].xxxx, TEMP[10]
        MAD TEMP[11].xyz, TEMP[14], TEMP[7].xxxx, TEMP[11]
        MAD TEMP[12].xyz, TEMP[15], TEMP[3].zzzz, TEMP[12]
        MUL TEMP[13].xyz, IN[8][0], TEMP[2].yyyy
        MAD TEMP[13].xyz, IN[9][0], TEMP[3].yyyy, TEMP[13]
        MAD TEMP[13].xyz, IN[10][0], TEMP[4].yyyy, TEMP[13]
        MAD TEMP[13].xyz, IN[11][0], TEMP[5].yyyy, TEMP[13]
        MUL TEMP[14].xyz, IN[8][0], TEMP[2].wwww
        MAD TEMP[14].xyz, IN[9][0], TEMP[3].wwww, TEMP[14]
        MAD TEMP[14].xyz, IN[10][0], TEMP[4].wwww, TEMP[14]
        MAD TEMP[14].xyz, IN[11][0], TEMP[5].wwww, TEMP[14]
        MUL TEMP[15].xyz, IN[8][0], TEMP[6].yyyy
        MAD TEMP[15].xyz, IN[9][0], TEMP[7].yyyy, TEMP[15]
        MAD TEMP[15].xyz, IN[10][0], TEMP[8].yyyy, TEMP[15]
        MAD TEMP[15].xyz, IN[11][0], TEMP[9].yyyy, TEMP[15]
        MAD TEMP[10].xyz, TEMP[13], TEMP[4].xxxx, TEMP[10]
        MAD TEMP[11].xyz, TEMP[14], TEMP[8].xxxx, TEMP[11]
        MAD TEMP[12].xyz, TEMP[15], TEMP[4].zzzz, TEMP[12]
        MUL TEMP[13].xyz, IN[12][0], TEMP[2].yyyy
        MAD TEMP[13].xyz, IN[13][0], TEMP[3].yyyy, TEMP[13]
        MAD TEMP[13].xyz, IN[14][0], TEMP[4].yyyy, TEMP[13]
        MAD TEMP[13].xyz, IN[15][0], TEMP[5].yyyy, TEMP[13]
        MUL TEMP[14].xyz, IN[12][0], TEMP[2].wwww
        MAD TEMP[14].xyz, IN[13][0], TEMP[3].wwww, TEMP[14]
        MAD TEMP[14].xyz, IN[14][0], TEMP[4].wwww, TEMP[14]
        MAD TEMP[14].xyz, IN[15][0], TEMP[5].wwww, TEMP[14]
        MUL TEMP[15].xyz, IN[12][0], TEMP[6].yyyy
        MAD TEMP[15].xyz, IN[13][0], TEMP[7].yyyy, TEMP[15]
        MAD TEMP[15].xyz, IN[14][0], TEMP[8].yyyy, TEMP[15]
        MAD TEMP[15].xyz, IN[15][0], TEMP[9].yyyy, TEMP[15]
        MAD TEMP[10].xyz, TEMP[13], TEMP[5].xxxx, TEMP[10]
        MAD TEMP[11].xyz, TEMP[14], TEMP[9].xxxx, TEMP[11]
        MAD TEMP[12].xyz, TEMP[15], TEMP[5].zzzz, TEMP[12]
        MUL TEMP[13].xyz, TEMP[11].yzxx, TEMP[12].zxyy
        MUL TEMP[14].xyz, TEMP[11].zxyy, TEMP[12].yzxx
        ADD TEMP[13].xyz, TEMP[13], -TEMP[14]
        DP3 TEMP[14].x, TEMP[13], TEMP[13]
        RSQ TEMP[14].x, TEMP[14].xxxx
        MUL TEMP[13].xyz, TEMP[13], TEMP[14].xxxx
        MUL TEMP[0], CONST[0], TEMP[10].xxxx
        MAD TEMP[0], CONST[1], TEMP[10].yyyy, TEMP[0]
        MAD TEMP[0], CONST[2], TEMP[10].zzzz, TEMP[0]
        ADD OUT[0], TEMP[0], CONST[3]
        DP3 TEMP[1].x, TEMP[13], CONST[4]
        DP3 TEMP[1].y, TEMP[13], CONST[5]
        MAX TEMP[1].xy, TEMP[1], IMM[1].xxxx
        MUL TEMP[1].y, TEMP[1].yyyy, TEMP[1].yyyy
        MUL TEMP[1].y, TEMP[1].yyyy, TEMP[1].yyyy
        MUL TEMP[1].y, TEMP[1].yyyy, TEMP[1].yyyy
        MUL TEMP[1].y, TEMP[1].yyyy, TEMP[1].yyyy
        MAD TEMP[2].xyz, CONST[7], TEMP[1].xxxx, CONST[6]
        MAD OUT[1].xyz, CONST[8], TEMP[1].yyyy, TEMP[2]
        END
    } };
}

bicubic!(BICUBIC_EVALUATION);
bicubic!(BICUBIC_EVALUATION_NATIVE native(16););
