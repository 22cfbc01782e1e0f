//! YUV and RGB: the matrix of BT.601, in studio range.
//!
//! Levels are in units of an 8-bit sample (a 10-bit one is divided by 4): luma from 16 to 235,
//! chroma around 128. The matrix is the one that Gallium's format code uses:
//!
//! ```text
//! R = 1.164 (Y-16)               + 1.596 (V-128)      Y =  0.257 R + 0.504 G + 0.098 B +  16
//! G = 1.164 (Y-16) - 0.391 (U-128) - 0.813 (V-128)    U = -0.148 R - 0.291 G + 0.439 B + 128
//! B = 1.164 (Y-16) + 2.018 (U-128)                    V =  0.439 R - 0.368 G - 0.071 B + 128
//! ```
//!
//! There R, G and B are 0 to 255; in the functions they are 0 to 1, clamped.

/// Level of chroma in greys.
pub const NEUTRAL: f32 = 128.0;

/// Limits `x` to 0…1; 0 for a NaN.
fn saturate(x: f32) -> f32 {
    let x = if x > 0.0 { x } else { 0.0 };
    if x < 1.0 { x } else { 1.0 }
}

/// Converts levels of Y, U and V to red, green and blue, 0 to 1.
///
/// # Examples
/// ```
/// use gallium_formats::yuv;
/// assert_eq!(yuv::to_rgb([16.0, 128.0, 128.0]), [0.0; 3]);
/// ```
pub fn to_rgb([y, u, v]: [f32; 3]) -> [f32; 3] {
    let (y, u, v) = (1.164 * (y - 16.0), u - NEUTRAL, v - NEUTRAL);
    let rgb = [y + 1.596 * v, y - 0.391 * u - 0.813 * v, y + 2.018 * u];
    rgb.map(|x| saturate(x * (1.0 / 255.0)))
}

/// Converts red, green and blue, 0 to 1, to levels of Y, U and V.
pub fn from_rgb(rgb: [f32; 3]) -> [f32; 3] {
    let [r, g, b] = rgb.map(|x| saturate(x) * 255.0);
    [
        0.257 * r + 0.504 * g + 0.098 * b + 16.0,
        -0.148 * r - 0.291 * g + 0.439 * b + NEUTRAL,
        0.439 * r - 0.368 * g - 0.071 * b + NEUTRAL,
    ]
}
