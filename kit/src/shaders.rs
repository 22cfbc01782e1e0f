//! The ready shaders, compiled to lane code when this crate is built.
//!
//! Meshes have the constants of [`crate::material`]: columns 0 to 3 from model to clip space, the
//! direction to the sun in model space with ambient light in w (4), the material's colour (5), the
//! fog's colour (6), scale and offset of the fog and 1/reach² of the lamp (7), the lamp's position
//! in model space (8) and its colour (9). A draw sets as many as its shader reads.

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
    /// Position, colour: constants 0 to 3.
    pub static COLORED: VERT
    DCL IN[0..1]
    DCL OUT[0], POSITION
    DCL OUT[1], COLOR
    DCL CONST[0..3]
    DCL TEMP[0]
    MUL TEMP[0], CONST[0], IN[0].xxxx
    MAD TEMP[0], CONST[1], IN[0].yyyy, TEMP[0]
    MAD TEMP[0], CONST[2], IN[0].zzzz, TEMP[0]
    ADD OUT[0], TEMP[0], CONST[3]
    MOV OUT[1], IN[1]
    END
}

vertex! {
    /// Position in clip space, colour; no constants.
    pub static BACKDROP: VERT
    DCL IN[0..1]
    DCL OUT[0], POSITION
    DCL OUT[1], COLOR
    MOV OUT[0], IN[0]
    MOV OUT[1], IN[1]
    END
}

vertex! {
    /// Position; the material's colour: constants 0 to 5.
    pub static PLAIN: VERT
    DCL IN[0]
    DCL OUT[0], POSITION
    DCL OUT[1], COLOR
    DCL CONST[0..5]
    DCL TEMP[0]
    MUL TEMP[0], CONST[0], IN[0].xxxx
    MAD TEMP[0], CONST[1], IN[0].yyyy, TEMP[0]
    MAD TEMP[0], CONST[2], IN[0].zzzz, TEMP[0]
    ADD OUT[0], TEMP[0], CONST[3]
    MOV OUT[1], CONST[5]
    END
}

vertex! {
    /// Position, normal; the material's colour in the light of the sun: constants 0 to 5.
    pub static LIT: VERT
    DCL IN[0..1]
    DCL OUT[0], POSITION
    DCL OUT[1], COLOR
    DCL CONST[0..5]
    DCL TEMP[0..1]
    MUL TEMP[0], CONST[0], IN[0].xxxx
    MAD TEMP[0], CONST[1], IN[0].yyyy, TEMP[0]
    MAD TEMP[0], CONST[2], IN[0].zzzz, TEMP[0]
    ADD OUT[0], TEMP[0], CONST[3]
    DP3 TEMP[1].x, IN[1], CONST[4]
    MAX TEMP[1].x, TEMP[1].xxxx, CONST[4].wwww
    MUL OUT[1].xyz, CONST[5], TEMP[1].xxxx
    MOV OUT[1].w, CONST[5].wwww
    END
}

vertex! {
    /// Position, normal, colour; the colour in the light of the sun: constants 0 to 5.
    pub static COLORED_LIT: VERT
    DCL IN[0..2]
    DCL OUT[0], POSITION
    DCL OUT[1], COLOR
    DCL CONST[0..5]
    DCL TEMP[0..1]
    MUL TEMP[0], CONST[0], IN[0].xxxx
    MAD TEMP[0], CONST[1], IN[0].yyyy, TEMP[0]
    MAD TEMP[0], CONST[2], IN[0].zzzz, TEMP[0]
    ADD OUT[0], TEMP[0], CONST[3]
    DP3 TEMP[1].x, IN[1], CONST[4]
    MAX TEMP[1].x, TEMP[1].xxxx, CONST[4].wwww
    MUL OUT[1].xyz, IN[2], TEMP[1].xxxx
    MOV OUT[1].w, IN[2].wwww
    END
}

vertex! {
    /// Position, normal; the material's colour in the light of the sun, in fog: constants 0 to 7.
    pub static LIT_FOGGED: VERT
    DCL IN[0..1]
    DCL OUT[0], POSITION
    DCL OUT[1], COLOR
    DCL CONST[0..7]
    DCL TEMP[0..2]
    MUL TEMP[0], CONST[0], IN[0].xxxx
    MAD TEMP[0], CONST[1], IN[0].yyyy, TEMP[0]
    MAD TEMP[0], CONST[2], IN[0].zzzz, TEMP[0]
    ADD TEMP[0], TEMP[0], CONST[3]
    MOV OUT[0], TEMP[0]
    DP3 TEMP[1].x, IN[1], CONST[4]
    MAX TEMP[1].x, TEMP[1].xxxx, CONST[4].wwww
    MUL TEMP[2].xyz, CONST[5], TEMP[1].xxxx
    MAD_SAT TEMP[1].x, TEMP[0].wwww, CONST[7].xxxx, CONST[7].yyyy
    LRP OUT[1].xyz, TEMP[1].xxxx, TEMP[2], CONST[6]
    MOV OUT[1].w, CONST[5].wwww
    END
}

vertex! {
    /// Position, normal; the material's colour in the light of the sun and a lamp, in fog:
    /// constants 0 to 9.
    pub static LAMPLIT: VERT
    DCL IN[0..1]
    DCL OUT[0], POSITION
    DCL OUT[1], COLOR
    DCL CONST[0..9]
    DCL TEMP[0..3]
    IMM[0] FLT32 { 0.0, 1.0, 1.0e-12, 0.0 }
    MUL TEMP[0], CONST[0], IN[0].xxxx
    MAD TEMP[0], CONST[1], IN[0].yyyy, TEMP[0]
    MAD TEMP[0], CONST[2], IN[0].zzzz, TEMP[0]
    ADD TEMP[0], TEMP[0], CONST[3]
    MOV OUT[0], TEMP[0]
    DP3 TEMP[1].x, IN[1], CONST[4]
    MAX TEMP[1].x, TEMP[1].xxxx, CONST[4].wwww
    MUL TEMP[2].xyz, CONST[5], TEMP[1].xxxx
    // The lamp: the cosine, and 1 - distance² / reach².
    ADD TEMP[3].xyz, CONST[8], -IN[0]
    DP3 TEMP[1].y, TEMP[3], TEMP[3]
    MAX TEMP[1].y, TEMP[1].yyyy, IMM[0].zzzz
    DP3 TEMP[1].z, IN[1], TEMP[3]
    MAX TEMP[1].z, TEMP[1].zzzz, IMM[0].xxxx
    RSQ TEMP[1].w, TEMP[1].yyyy
    MUL TEMP[1].z, TEMP[1].zzzz, TEMP[1].wwww
    MAD_SAT TEMP[1].y, -TEMP[1].yyyy, CONST[7].zzzz, IMM[0].yyyy
    MUL TEMP[1].z, TEMP[1].zzzz, TEMP[1].yyyy
    MAD TEMP[2].xyz, CONST[9], TEMP[1].zzzz, TEMP[2]
    MAD_SAT TEMP[1].x, TEMP[0].wwww, CONST[7].xxxx, CONST[7].yyyy
    LRP OUT[1].xyz, TEMP[1].xxxx, TEMP[2], CONST[6]
    MOV OUT[1].w, CONST[5].wwww
    END
}

vertex! {
    /// Position, texture coordinate: constants 0 to 3.
    pub static TEXTURED: VERT
    DCL IN[0..1]
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
    /// Position, texture coordinate; the material's colour: constants 0 to 5.
    pub static TEXTURED_TINTED: VERT
    DCL IN[0..1]
    DCL OUT[0], POSITION
    DCL OUT[1].xy, GENERIC[0]
    DCL OUT[2], COLOR
    DCL CONST[0..5]
    DCL TEMP[0]
    MUL TEMP[0], CONST[0], IN[0].xxxx
    MAD TEMP[0], CONST[1], IN[0].yyyy, TEMP[0]
    MAD TEMP[0], CONST[2], IN[0].zzzz, TEMP[0]
    ADD OUT[0], TEMP[0], CONST[3]
    MOV OUT[1].xy, IN[1]
    MOV OUT[2], CONST[5]
    END
}

vertex! {
    /// Position, normal, texture coordinate; the material's colour in the light of the sun:
    /// constants 0 to 5.
    pub static TEXTURED_LIT: VERT
    DCL IN[0..2]
    DCL OUT[0], POSITION
    DCL OUT[1].xy, GENERIC[0]
    DCL OUT[2], COLOR
    DCL CONST[0..5]
    DCL TEMP[0..1]
    MUL TEMP[0], CONST[0], IN[0].xxxx
    MAD TEMP[0], CONST[1], IN[0].yyyy, TEMP[0]
    MAD TEMP[0], CONST[2], IN[0].zzzz, TEMP[0]
    ADD OUT[0], TEMP[0], CONST[3]
    MOV OUT[1].xy, IN[2]
    DP3 TEMP[1].x, IN[1], CONST[4]
    MAX TEMP[1].x, TEMP[1].xxxx, CONST[4].wwww
    MUL OUT[2].xyz, CONST[5], TEMP[1].xxxx
    MOV OUT[2].w, CONST[5].wwww
    END
}

vertex! {
    /// Position, normal, texture coordinate; selects one of sixteen brightnesses of the texture by
    /// the light of the sun: constants 0 to 4.
    ///
    /// Brightnesses follow each other in v. A face turned away has the brightness 16·ambient, a
    /// face towards the sun the last one.
    pub static SHADED: VERT
    DCL IN[0..2]
    DCL OUT[0], POSITION
    DCL OUT[1].xy, GENERIC[0]
    DCL CONST[0..4]
    DCL TEMP[0..1]
    IMM[0] FLT32 { 0.0, 16.0, 0.0625, -0.1 }
    MUL TEMP[0], CONST[0], IN[0].xxxx
    MAD TEMP[0], CONST[1], IN[0].yyyy, TEMP[0]
    MAD TEMP[0], CONST[2], IN[0].zzzz, TEMP[0]
    ADD OUT[0], TEMP[0], CONST[3]
    DP3 TEMP[1].x, IN[1], CONST[4]
    MAX TEMP[1].x, TEMP[1].xxxx, IMM[0].xxxx
    MUL TEMP[1].y, CONST[4].wwww, IMM[0].yyyy
    ADD TEMP[1].z, IMM[0].yyyy, -TEMP[1].yyyy
    ADD TEMP[1].z, TEMP[1].zzzz, IMM[0].wwww
    MAD TEMP[1].x, TEMP[1].xxxx, TEMP[1].zzzz, TEMP[1].yyyy
    FLR TEMP[1].x, TEMP[1].xxxx
    ADD TEMP[1].y, TEMP[1].xxxx, IN[2].yyyy
    MOV OUT[1].x, IN[2].xxxx
    MUL OUT[1].y, TEMP[1].yyyy, IMM[0].zzzz
    END
}

vertex! {
    /// A corner of a sprite (x and y, 0 or 1). Three constants: the axes, the centre with the corner
    /// of its part of the texture, the size of that part with the depth in z.
    pub static SPRITE: VERT
    DCL IN[0]
    DCL OUT[0], POSITION
    DCL OUT[1].xy, GENERIC[0]
    DCL CONST[0..2]
    DCL TEMP[0..1]
    IMM[0] FLT32 { 2.0, -2.0, -1.0, 1.0 }
    // -1 to 1, y up.
    MAD TEMP[0].xy, IN[0], IMM[0], IMM[0].zwww
    MUL TEMP[1].xy, CONST[0], TEMP[0].xxxx
    MAD TEMP[1].xy, CONST[0].zwww, TEMP[0].yyyy, TEMP[1]
    ADD OUT[0].xy, TEMP[1], CONST[1]
    MOV OUT[0].z, CONST[2].zzzz
    MOV OUT[0].w, IMM[0].wwww
    MAD OUT[1].xy, IN[0], CONST[2], CONST[1].zwww
    END
}

vertex! {
    /// A corner of a sprite (x and y, 0 or 1) and its number times four in z. Four constants per
    /// sprite: the axes, the centre with the corner of its part of the texture, the size of that
    /// part with the depth in z, the colour.
    pub static SPRITES: VERT
    DCL IN[0]
    DCL OUT[0], POSITION
    DCL OUT[1].xy, GENERIC[0]
    DCL CONST[0..63]
    DCL ADDR[0]
    DCL TEMP[0..2]
    IMM[0] FLT32 { 2.0, -2.0, -1.0, 1.0 }
    ARL ADDR[0].x, IN[0].zzzz
    // -1 to 1, y up.
    MAD TEMP[0].xy, IN[0], IMM[0], IMM[0].zwww
    MUL TEMP[1].xy, CONST[ADDR[0].x], TEMP[0].xxxx
    MAD TEMP[1].xy, CONST[ADDR[0].x].zwww, TEMP[0].yyyy, TEMP[1]
    ADD OUT[0].xy, TEMP[1], CONST[ADDR[0].x+1]
    MOV OUT[0].z, CONST[ADDR[0].x+2].zzzz
    MOV OUT[0].w, IMM[0].wwww
    MAD OUT[1].xy, IN[0], CONST[ADDR[0].x+2], CONST[ADDR[0].x+1].zwww
    END
}

vertex! {
    /// As [`SPRITES`], with the sprite's colour.
    pub static TINTED_SPRITES: VERT
    DCL IN[0]
    DCL OUT[0], POSITION
    DCL OUT[1].xy, GENERIC[0]
    DCL OUT[2], COLOR
    DCL CONST[0..63]
    DCL ADDR[0]
    DCL TEMP[0..2]
    IMM[0] FLT32 { 2.0, -2.0, -1.0, 1.0 }
    ARL ADDR[0].x, IN[0].zzzz
    MAD TEMP[0].xy, IN[0], IMM[0], IMM[0].zwww
    MUL TEMP[1].xy, CONST[ADDR[0].x], TEMP[0].xxxx
    MAD TEMP[1].xy, CONST[ADDR[0].x].zwww, TEMP[0].yyyy, TEMP[1]
    ADD OUT[0].xy, TEMP[1], CONST[ADDR[0].x+1]
    MOV OUT[0].z, CONST[ADDR[0].x+2].zzzz
    MOV OUT[0].w, IMM[0].wwww
    MAD OUT[1].xy, IN[0], CONST[ADDR[0].x+2], CONST[ADDR[0].x+1].zwww
    MOV OUT[2], CONST[ADDR[0].x+3]
    END
}

tgsi! {
    /// The interpolated colour.
    pub static COLOR: FRAG
    DCL IN[0], COLOR, PERSPECTIVE
    DCL OUT[0], COLOR
    MOV OUT[0], IN[0]
    END
}

tgsi! {
    /// The texel.
    pub static TEXEL: FRAG
    DCL IN[0].xy, GENERIC[0], PERSPECTIVE
    DCL OUT[0], COLOR
    DCL SAMP[0]
    DCL SVIEW[0], 2D, FLOAT
    TEX OUT[0], IN[0], SAMP[0], 2D
    END
}

tgsi! {
    /// The texel times the interpolated colour.
    pub static TEXEL_TIMES_COLOR: FRAG
    DCL IN[0].xy, GENERIC[0], PERSPECTIVE
    DCL IN[1], COLOR, PERSPECTIVE
    DCL OUT[0], COLOR
    DCL SAMP[0]
    DCL SVIEW[0], 2D, FLOAT
    DCL TEMP[0]
    TEX TEMP[0], IN[0], SAMP[0], 2D
    MUL OUT[0], TEMP[0], IN[1]
    END
}
