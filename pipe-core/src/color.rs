//! Four components, float or integer, as a format wants them.

use crate::key::state_object;

/// `pipe_color_union`: the bits of four floats, signed or unsigned integers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct ColorUnion {
    /// The components' bits: red, green, blue, alpha.
    pub bits: [u32; 4],
}

state_object!(ColorUnion { bits });

impl ColorUnion {
    /// A colour of floats, for everything but pure integer formats.
    pub fn float(color: [f32; 4]) -> Self {
        Self { bits: color.map(f32::to_bits) }
    }

    /// A colour for signed integer formats.
    pub fn int(color: [i32; 4]) -> Self {
        Self { bits: color.map(|component| component as u32) }
    }

    /// A colour for unsigned integer formats.
    pub const fn uint(bits: [u32; 4]) -> Self {
        Self { bits }
    }

    /// The components as floats.
    pub fn as_float(&self) -> [f32; 4] {
        self.bits.map(f32::from_bits)
    }

    /// The components as signed integers.
    pub fn as_int(&self) -> [i32; 4] {
        self.bits.map(|component| component as i32)
    }
}

impl From<[f32; 4]> for ColorUnion {
    fn from(color: [f32; 4]) -> Self {
        Self::float(color)
    }
}
