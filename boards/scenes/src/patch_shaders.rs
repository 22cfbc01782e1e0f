//! The shaders of scenes of patches.

use tgsi_macros::tgsi;

tgsi! {
    /// A control point as it is.
    pub(crate) static CONTROL_POINT_VERTEX: VERT
    DCL IN[0]
    DCL OUT[0], POSITION
    MOV OUT[0], IN[0]
    END
}

/// A point of a bicubic Bézier patch, lit like the vertices of `LIT_VERTEX`.
///
/// `TEMP[2]` and `TEMP[3]` are the weights of the four rows and of the four points of a row. The
/// normal is the cross product of the tangents, which are those of a place inside of the patch's
/// edges (`TEMP[1]`): an edge may be one point, without a tangent. `TEMP[4]` to `TEMP[7]` are its
/// weights, and their derivatives, over 3.
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
        DCL TEMP[0..13]
        IMM[0] FLT32 { 1.0, 3.0, 0.001, 0.999 }
        IMM[1] FLT32 { 0.0, 0.0, 0.0, 0.0 }
        MOV TEMP[0].xy, SV[0]
        ADD TEMP[0].zw, IMM[0].xxxx, -SV[0].xxxy
        MAX TEMP[1].xy, TEMP[0], IMM[0].zzzz
        MIN TEMP[1].xy, TEMP[1], IMM[0].wwww
        ADD TEMP[1].zw, IMM[0].xxxx, -TEMP[1].xxxy
        MUL TEMP[2].x, TEMP[0].zzzz, TEMP[0].zzzz
        MUL TEMP[2].y, TEMP[0].zzzz, TEMP[0].xxxx
        MUL TEMP[2].z, TEMP[0].xxxx, TEMP[0].xxxx
        MUL TEMP[2].w, TEMP[2].zzzz, TEMP[0].xxxx
        MUL TEMP[2].z, TEMP[2].zzzz, TEMP[0].zzzz
        MUL TEMP[2].y, TEMP[2].yyyy, TEMP[0].zzzz
        MUL TEMP[2].x, TEMP[2].xxxx, TEMP[0].zzzz
        MUL TEMP[2].yz, TEMP[2], IMM[0].yyyy
        MUL TEMP[3].x, TEMP[0].wwww, TEMP[0].wwww
        MUL TEMP[3].y, TEMP[0].wwww, TEMP[0].yyyy
        MUL TEMP[3].z, TEMP[0].yyyy, TEMP[0].yyyy
        MUL TEMP[3].w, TEMP[3].zzzz, TEMP[0].yyyy
        MUL TEMP[3].z, TEMP[3].zzzz, TEMP[0].wwww
        MUL TEMP[3].y, TEMP[3].yyyy, TEMP[0].wwww
        MUL TEMP[3].x, TEMP[3].xxxx, TEMP[0].wwww
        MUL TEMP[3].yz, TEMP[3], IMM[0].yyyy
        MUL TEMP[4].x, TEMP[1].zzzz, TEMP[1].zzzz
        MUL TEMP[4].y, TEMP[1].zzzz, TEMP[1].xxxx
        MUL TEMP[4].z, TEMP[1].xxxx, TEMP[1].xxxx
        MUL TEMP[4].w, TEMP[4].zzzz, TEMP[1].xxxx
        MUL TEMP[4].z, TEMP[4].zzzz, TEMP[1].zzzz
        MUL TEMP[4].y, TEMP[4].yyyy, TEMP[1].zzzz
        MUL TEMP[4].x, TEMP[4].xxxx, TEMP[1].zzzz
        MUL TEMP[4].yz, TEMP[4], IMM[0].yyyy
        MUL TEMP[5].x, TEMP[1].wwww, TEMP[1].wwww
        MUL TEMP[5].y, TEMP[1].wwww, TEMP[1].yyyy
        MUL TEMP[5].z, TEMP[1].yyyy, TEMP[1].yyyy
        MUL TEMP[5].w, TEMP[5].zzzz, TEMP[1].yyyy
        MUL TEMP[5].z, TEMP[5].zzzz, TEMP[1].wwww
        MUL TEMP[5].y, TEMP[5].yyyy, TEMP[1].wwww
        MUL TEMP[5].x, TEMP[5].xxxx, TEMP[1].wwww
        MUL TEMP[5].yz, TEMP[5], IMM[0].yyyy
        MUL TEMP[6].x, TEMP[1].zzzz, TEMP[1].zzzz
        MUL TEMP[6].y, TEMP[1].zzzz, TEMP[1].xxxx
        MUL TEMP[6].w, TEMP[1].xxxx, TEMP[1].xxxx
        ADD TEMP[6].y, TEMP[6].yyyy, TEMP[6].yyyy
        ADD TEMP[6].z, TEMP[6].yyyy, -TEMP[6].wwww
        ADD TEMP[6].y, TEMP[6].xxxx, -TEMP[6].yyyy
        MOV TEMP[6].x, -TEMP[6].xxxx
        MUL TEMP[7].x, TEMP[1].wwww, TEMP[1].wwww
        MUL TEMP[7].y, TEMP[1].wwww, TEMP[1].yyyy
        MUL TEMP[7].w, TEMP[1].yyyy, TEMP[1].yyyy
        ADD TEMP[7].y, TEMP[7].yyyy, TEMP[7].yyyy
        ADD TEMP[7].z, TEMP[7].yyyy, -TEMP[7].wwww
        ADD TEMP[7].y, TEMP[7].xxxx, -TEMP[7].yyyy
        MOV TEMP[7].x, -TEMP[7].xxxx
        MUL TEMP[11].xyz, IN[0][0], TEMP[3].xxxx
        MAD TEMP[11].xyz, IN[1][0], TEMP[3].yyyy, TEMP[11]
        MAD TEMP[11].xyz, IN[2][0], TEMP[3].zzzz, TEMP[11]
        MAD TEMP[11].xyz, IN[3][0], TEMP[3].wwww, TEMP[11]
        MUL TEMP[12].xyz, IN[0][0], TEMP[5].xxxx
        MAD TEMP[12].xyz, IN[1][0], TEMP[5].yyyy, TEMP[12]
        MAD TEMP[12].xyz, IN[2][0], TEMP[5].zzzz, TEMP[12]
        MAD TEMP[12].xyz, IN[3][0], TEMP[5].wwww, TEMP[12]
        MUL TEMP[13].xyz, IN[0][0], TEMP[7].xxxx
        MAD TEMP[13].xyz, IN[1][0], TEMP[7].yyyy, TEMP[13]
        MAD TEMP[13].xyz, IN[2][0], TEMP[7].zzzz, TEMP[13]
        MAD TEMP[13].xyz, IN[3][0], TEMP[7].wwww, TEMP[13]
        MUL TEMP[8].xyz, TEMP[11], TEMP[2].xxxx
        MUL TEMP[9].xyz, TEMP[12], TEMP[6].xxxx
        MUL TEMP[10].xyz, TEMP[13], TEMP[4].xxxx
        MUL TEMP[11].xyz, IN[4][0], TEMP[3].xxxx
        MAD TEMP[11].xyz, IN[5][0], TEMP[3].yyyy, TEMP[11]
        MAD TEMP[11].xyz, IN[6][0], TEMP[3].zzzz, TEMP[11]
        MAD TEMP[11].xyz, IN[7][0], TEMP[3].wwww, TEMP[11]
        MUL TEMP[12].xyz, IN[4][0], TEMP[5].xxxx
        MAD TEMP[12].xyz, IN[5][0], TEMP[5].yyyy, TEMP[12]
        MAD TEMP[12].xyz, IN[6][0], TEMP[5].zzzz, TEMP[12]
        MAD TEMP[12].xyz, IN[7][0], TEMP[5].wwww, TEMP[12]
        MUL TEMP[13].xyz, IN[4][0], TEMP[7].xxxx
        MAD TEMP[13].xyz, IN[5][0], TEMP[7].yyyy, TEMP[13]
        MAD TEMP[13].xyz, IN[6][0], TEMP[7].zzzz, TEMP[13]
        MAD TEMP[13].xyz, IN[7][0], TEMP[7].wwww, TEMP[13]
        MAD TEMP[8].xyz, TEMP[11], TEMP[2].yyyy, TEMP[8]
        MAD TEMP[9].xyz, TEMP[12], TEMP[6].yyyy, TEMP[9]
        MAD TEMP[10].xyz, TEMP[13], TEMP[4].yyyy, TEMP[10]
        MUL TEMP[11].xyz, IN[8][0], TEMP[3].xxxx
        MAD TEMP[11].xyz, IN[9][0], TEMP[3].yyyy, TEMP[11]
        MAD TEMP[11].xyz, IN[10][0], TEMP[3].zzzz, TEMP[11]
        MAD TEMP[11].xyz, IN[11][0], TEMP[3].wwww, TEMP[11]
        MUL TEMP[12].xyz, IN[8][0], TEMP[5].xxxx
        MAD TEMP[12].xyz, IN[9][0], TEMP[5].yyyy, TEMP[12]
        MAD TEMP[12].xyz, IN[10][0], TEMP[5].zzzz, TEMP[12]
        MAD TEMP[12].xyz, IN[11][0], TEMP[5].wwww, TEMP[12]
        MUL TEMP[13].xyz, IN[8][0], TEMP[7].xxxx
        MAD TEMP[13].xyz, IN[9][0], TEMP[7].yyyy, TEMP[13]
        MAD TEMP[13].xyz, IN[10][0], TEMP[7].zzzz, TEMP[13]
        MAD TEMP[13].xyz, IN[11][0], TEMP[7].wwww, TEMP[13]
        MAD TEMP[8].xyz, TEMP[11], TEMP[2].zzzz, TEMP[8]
        MAD TEMP[9].xyz, TEMP[12], TEMP[6].zzzz, TEMP[9]
        MAD TEMP[10].xyz, TEMP[13], TEMP[4].zzzz, TEMP[10]
        MUL TEMP[11].xyz, IN[12][0], TEMP[3].xxxx
        MAD TEMP[11].xyz, IN[13][0], TEMP[3].yyyy, TEMP[11]
        MAD TEMP[11].xyz, IN[14][0], TEMP[3].zzzz, TEMP[11]
        MAD TEMP[11].xyz, IN[15][0], TEMP[3].wwww, TEMP[11]
        MUL TEMP[12].xyz, IN[12][0], TEMP[5].xxxx
        MAD TEMP[12].xyz, IN[13][0], TEMP[5].yyyy, TEMP[12]
        MAD TEMP[12].xyz, IN[14][0], TEMP[5].zzzz, TEMP[12]
        MAD TEMP[12].xyz, IN[15][0], TEMP[5].wwww, TEMP[12]
        MUL TEMP[13].xyz, IN[12][0], TEMP[7].xxxx
        MAD TEMP[13].xyz, IN[13][0], TEMP[7].yyyy, TEMP[13]
        MAD TEMP[13].xyz, IN[14][0], TEMP[7].zzzz, TEMP[13]
        MAD TEMP[13].xyz, IN[15][0], TEMP[7].wwww, TEMP[13]
        MAD TEMP[8].xyz, TEMP[11], TEMP[2].wwww, TEMP[8]
        MAD TEMP[9].xyz, TEMP[12], TEMP[6].wwww, TEMP[9]
        MAD TEMP[10].xyz, TEMP[13], TEMP[4].wwww, TEMP[10]
        MUL TEMP[11].xyz, TEMP[9].yzxx, TEMP[10].zxyy
        MUL TEMP[12].xyz, TEMP[9].zxyy, TEMP[10].yzxx
        ADD TEMP[11].xyz, TEMP[11], -TEMP[12]
        DP3 TEMP[12].x, TEMP[11], TEMP[11]
        RSQ TEMP[12].x, TEMP[12].xxxx
        MUL TEMP[11].xyz, TEMP[11], TEMP[12].xxxx
        MUL TEMP[0], CONST[0], TEMP[8].xxxx
        MAD TEMP[0], CONST[1], TEMP[8].yyyy, TEMP[0]
        MAD TEMP[0], CONST[2], TEMP[8].zzzz, TEMP[0]
        ADD OUT[0], TEMP[0], CONST[3]
        DP3 TEMP[1].x, TEMP[11], CONST[4]
        DP3 TEMP[1].y, TEMP[11], CONST[5]
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
