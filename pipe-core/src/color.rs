//! A colour of four components, float or integer depending on its format.

use crate::key::state_object;

/// A colour with float, signed or unsigned integer components. `pipe_color_union`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct ColorUnion {
    /// Bits of red, green, blue and alpha.
    pub bits: [u32; 4],
}

state_object!(ColorUnion { bits });

impl ColorUnion {
    /// Makes a colour of floats, for all formats but pure integer ones.
    pub fn float(color: [f32; 4]) -> Self {
        Self { bits: color.map(f32::to_bits) }
    }

    /// Makes a colour of signed integers, for pure signed formats.
    pub fn int(color: [i32; 4]) -> Self {
        Self { bits: color.map(|component| component as u32) }
    }

    /// Makes a colour of unsigned integers, for pure unsigned formats.
    pub const fn uint(bits: [u32; 4]) -> Self {
        Self { bits }
    }

    /// Returns the components' bits read as floats.
    pub fn as_float(&self) -> [f32; 4] {
        self.bits.map(f32::from_bits)
    }

    /// Returns the components' bits read as signed integers.
    pub fn as_int(&self) -> [i32; 4] {
        self.bits.map(|component| component as i32)
    }
}

impl From<[f32; 4]> for ColorUnion {
    fn from(color: [f32; 4]) -> Self {
        Self::float(color)
    }
}
