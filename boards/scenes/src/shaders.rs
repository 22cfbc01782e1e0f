//! The scenes' shaders, compiled to lane code at build time.
//!
//! The constants are [`crate::Constants`]: columns 0 to 3 from model to clip space, light (4) and
//! half vector (5) in model space, ambient (6), diffuse (7) and specular (8) colour.

use tgsi_macros::tgsi;

/// Wraps `tgsi!` for vertex shaders: adds machine code for the lanes that the crate's features
/// select.
macro_rules! vertex {
    ($($shader:tt)*) => {
        #[cfg(not(any(feature = "native-4", feature = "native-16")))]
        tgsi! { $($shader)* }
        #[cfg(all(feature = "native-4", not(feature = "native-16")))]
        tgsi! { native(4); $($shader)* }
        #[cfg(all(feature = "native-16", not(feature = "native-4")))]
        tgsi! { native(16); $($shader)* }
        #[cfg(all(feature = "native-4", feature = "native-16"))]
        tgsi! { native(4, 16); $($shader)* }
    };
}

vertex! {
    /// Position, and the colour lit at the vertex.
    pub(crate) static LIT_VERTEX: VERT
    DCL IN[0]
    DCL IN[1]
    DCL OUT[0], POSITION
    DCL OUT[1].xyz, GENERIC[0]
    DCL CONST[0..8]
    DCL TEMP[0..2]
    IMM[0] FLT32 { 0.0, 1.0, 0.0, 0.0 }
    MUL TEMP[0], CONST[0], IN[0].xxxx
    MAD TEMP[0], CONST[1], IN[0].yyyy, TEMP[0]
    MAD TEMP[0], CONST[2], IN[0].zzzz, TEMP[0]
    ADD OUT[0], TEMP[0], CONST[3]
    DP3 TEMP[1].x, IN[1], CONST[4]
    DP3 TEMP[1].y, IN[1], CONST[5]
    MAX TEMP[1].xy, TEMP[1], IMM[0].xxxx
    MUL TEMP[1].y, TEMP[1].yyyy, TEMP[1].yyyy
    MUL TEMP[1].y, TEMP[1].yyyy, TEMP[1].yyyy
    MUL TEMP[1].y, TEMP[1].yyyy, TEMP[1].yyyy
    MUL TEMP[1].y, TEMP[1].yyyy, TEMP[1].yyyy
    MAD TEMP[2].xyz, CONST[7], TEMP[1].xxxx, CONST[6]
    MAD OUT[1].xyz, CONST[8], TEMP[1].yyyy, TEMP[2]
    END
}

tgsi! {
    /// The interpolated colour.
    pub(crate) static COLOR_FRAGMENT: FRAG
    DCL IN[0].xyz, GENERIC[0], PERSPECTIVE
    DCL OUT[0], COLOR
    IMM[0] FLT32 { 1.0, 0.0, 0.0, 0.0 }
    MOV OUT[0].xyz, IN[0]
    MOV OUT[0].w, IMM[0].xxxx
    END
}

vertex! {
    /// Position, and the unchanged normal.
    pub(crate) static NORMAL_VERTEX: VERT
    DCL IN[0]
    DCL IN[1]
    DCL OUT[0], POSITION
    DCL OUT[1].xyz, GENERIC[0]
    DCL CONST[0..3]
    DCL TEMP[0]
    MUL TEMP[0], CONST[0], IN[0].xxxx
    MAD TEMP[0], CONST[1], IN[0].yyyy, TEMP[0]
    MAD TEMP[0], CONST[2], IN[0].zzzz, TEMP[0]
    ADD OUT[0], TEMP[0], CONST[3]
    MOV OUT[1].xyz, IN[1]
    END
}

tgsi! {
    pixel;
    /// Lights the pixel: normalises the normal, then as in `LIT_VERTEX` with a tighter highlight.
    pub(crate) static LIT_FRAGMENT: FRAG
    DCL IN[0].xyz, GENERIC[0], PERSPECTIVE
    DCL OUT[0], COLOR
    DCL CONST[0..8]
    DCL TEMP[0..1]
    IMM[0] FLT32 { 0.0, 1.0, 0.0, 0.0 }
    DP3 TEMP[0].x, IN[0], IN[0]
    RSQ TEMP[0].x, TEMP[0].xxxx
    MUL TEMP[0].xyz, IN[0], TEMP[0].xxxx
    DP3 TEMP[1].x, TEMP[0], CONST[4]
    DP3 TEMP[1].y, TEMP[0], CONST[5]
    MAX TEMP[1].xy, TEMP[1], IMM[0].xxxx
    MUL TEMP[1].y, TEMP[1].yyyy, TEMP[1].yyyy
    MUL TEMP[1].y, TEMP[1].yyyy, TEMP[1].yyyy
    MUL TEMP[1].y, TEMP[1].yyyy, TEMP[1].yyyy
    MUL TEMP[1].y, TEMP[1].yyyy, TEMP[1].yyyy
    MUL TEMP[1].y, TEMP[1].yyyy, TEMP[1].yyyy
    MAD TEMP[0].xyz, CONST[7], TEMP[1].xxxx, CONST[6]
    MAD OUT[0].xyz, CONST[8], TEMP[1].yyyy, TEMP[0]
    MOV OUT[0].w, IMM[0].yyyy
    END
}

vertex! {
    /// Position; texture coordinate, with the light as a third component.
    pub(crate) static TEXTURED_VERTEX: VERT
    DCL IN[0]
    DCL IN[1]
    DCL IN[2]
    DCL OUT[0], POSITION
    DCL OUT[1].xyz, GENERIC[0]
    DCL CONST[0..8]
    DCL TEMP[0..1]
    IMM[0] FLT32 { 0.9, 0.3, 0.0, 0.0 }
    MUL TEMP[0], CONST[0], IN[0].xxxx
    MAD TEMP[0], CONST[1], IN[0].yyyy, TEMP[0]
    MAD TEMP[0], CONST[2], IN[0].zzzz, TEMP[0]
    ADD OUT[0], TEMP[0], CONST[3]
    DP3 TEMP[1].x, IN[1], CONST[4]
    MAX TEMP[1].x, TEMP[1].xxxx, IMM[0].zzzz
    MOV OUT[1].xy, IN[2]
    MAD OUT[1].z, TEMP[1].xxxx, IMM[0].xxxx, IMM[0].yyyy
    END
}

tgsi! {
    /// The texel times the light.
    pub(crate) static TEXTURED_FRAGMENT: FRAG
    DCL IN[0].xyz, GENERIC[0], PERSPECTIVE
    DCL OUT[0], COLOR
    DCL SAMP[0]
    DCL SVIEW[0], 2D, FLOAT
    DCL TEMP[0]
    IMM[0] FLT32 { 1.0, 0.0, 0.0, 0.0 }
    TEX TEMP[0], IN[0], SAMP[0], 2D
    MUL OUT[0].xyz, TEMP[0], IN[0].zzzz
    MOV OUT[0].w, IMM[0].xxxx
    END
}

vertex! {
    /// Passes clip space on unchanged.
    pub(crate) static FLAT_VERTEX: VERT
    DCL IN[0]
    DCL OUT[0], POSITION
    MOV OUT[0], IN[0]
    END
}

tgsi! {
    /// Outputs `CONST[0]`.
    pub(crate) static FLAT_FRAGMENT: FRAG
    DCL OUT[0], COLOR
    DCL CONST[0]
    MOV OUT[0], CONST[0]
    END
}

vertex! {
    /// Passes on clip space and a colour.
    pub(crate) static GOURAUD_VERTEX: VERT
    DCL IN[0]
    DCL IN[1]
    DCL OUT[0], POSITION
    DCL OUT[1].xyz, GENERIC[0]
    MOV OUT[0], IN[0]
    MOV OUT[1].xyz, IN[1]
    END
}

vertex! {
    /// Passes on clip space and a texture coordinate.
    pub(crate) static UV_VERTEX: VERT
    DCL IN[0]
    DCL IN[1]
    DCL OUT[0], POSITION
    DCL OUT[1].xy, GENERIC[0]
    MOV OUT[0], IN[0]
    MOV OUT[1].xy, IN[1]
    END
}

tgsi! {
    /// Outputs the texel.
    pub(crate) static TEXEL_FRAGMENT: FRAG
    DCL IN[0].xy, GENERIC[0], PERSPECTIVE
    DCL OUT[0], COLOR
    DCL SAMP[0]
    DCL SVIEW[0], 2D, FLOAT
    TEX OUT[0], IN[0], SAMP[0], 2D
    END
}

vertex! {
    /// Transforms the position by the matrix; passes on a texture coordinate.
    pub(crate) static MODEL_UV_VERTEX: VERT
    DCL IN[0]
    DCL IN[1]
    DCL OUT[0], POSITION
    DCL OUT[1].xy, GENERIC[0]
    DCL CONST[0..3]
    DCL TEMP[0]
    MUL TEMP[0], CONST[0], IN[0].xxxx
    MAD TEMP[0], CONST[1], IN[0].yyyy, TEMP[0]
    MAD TEMP[0], CONST[2], IN[0].zzzz, TEMP[0]
    ADD OUT[0], TEMP[0], CONST[3]
    MOV OUT[1].xy, IN[1]
    END
}

vertex! {
    /// Transforms the position by the matrix; ambient and diffuse light.
    pub(crate) static DIFFUSE_VERTEX: VERT
    DCL IN[0]
    DCL IN[1]
    DCL OUT[0], POSITION
    DCL OUT[1].xyz, GENERIC[0]
    DCL CONST[0..7]
    DCL TEMP[0..1]
    IMM[0] FLT32 { 0.0, 0.0, 0.0, 0.0 }
    MUL TEMP[0], CONST[0], IN[0].xxxx
    MAD TEMP[0], CONST[1], IN[0].yyyy, TEMP[0]
    MAD TEMP[0], CONST[2], IN[0].zzzz, TEMP[0]
    ADD OUT[0], TEMP[0], CONST[3]
    DP3 TEMP[1].x, IN[1], CONST[4]
    MAX TEMP[1].x, TEMP[1].xxxx, IMM[0].xxxx
    MAD OUT[1].xyz, CONST[7], TEMP[1].xxxx, CONST[6]
    END
}
