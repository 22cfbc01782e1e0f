//! The integer kernel that fits a draw: data of the draw's record, found and used by `span`.

use pipe_core::CompareFunc;
use pipe_core::state::TexWrap;
use pipe_core::surface::Swizzle;
use tgsi::program::Row;

use crate::features::{Case, SPANS_565, SPANS_GENERIC, SPANS_PROGRAMS};

/// A fragment program and state that integer spans can compute.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Recognised {
    /// The sources of red, green, blue and alpha.
    pub(crate) color: [Source; 4],
    pub(crate) lookup: Option<Lookup>,
    pub(crate) kernel: Kernel,
}

/// The kernel that draws, with the choices that it made when it took the draw.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kernel {
    /// The RGB565 kernel.
    Rgb565(Case<DepthTest, { SPANS_565 as usize }>),
    /// The RGB565 kernel, which computes the colour by calling the program's pixel function.
    Rgb565Calls(Case<DepthTest, { SPANS_PROGRAMS as usize }>),
    /// The generic kernel.
    Generic(Case<(), { SPANS_GENERIC as usize }>),
}

/// A component of the colour: the product of the factors that are present, 1 without any.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Source {
    /// A component of the texel.
    pub(crate) texel: Option<u8>,
    /// A varying of the draw, by its index in the vertex.
    pub(crate) varying: Option<u8>,
    /// A value that is constant over the draw: a row that the program's body does not write.
    pub(crate) uniform: Row,
}

impl Source {
    /// No factor: 1.
    pub(crate) const ONE: Source = Source { texel: None, varying: None, uniform: Row::NONE };

    /// Returns the product; `None` if it would have two factors of one kind.
    pub(crate) fn times(self, other: Source) -> Option<Source> {
        let one_of = |a: Option<u8>, b: Option<u8>| match (a, b) {
            (Some(_), Some(_)) => None,
            (a, b) => Some(a.or(b)),
        };
        let uniform = match (self.uniform, other.uniform) {
            (Row::NONE, uniform) | (uniform, Row::NONE) => uniform,
            _ => return None,
        };
        Some(Source {
            texel: one_of(self.texel, other.texel)?,
            varying: one_of(self.varying, other.varying)?,
            uniform,
        })
    }

    /// Returns true if the component is only a uniform or only a varying.
    pub(crate) fn is_single(self) -> bool {
        self.texel.is_none() && (self.varying.is_some() != (self.uniform != Row::NONE))
    }
}

/// A texture lookup.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Lookup {
    /// The index among the draw's texture bindings.
    pub(crate) binding: u8,
    /// The varyings of its coordinates.
    pub(crate) s: u8,
    pub(crate) t: u8,
    pub(crate) wrap: [TexWrap; 2],
    /// True for the mean of four texels, false for the nearest one.
    pub(crate) linear: bool,
    /// True if levels other than the first are looked up.
    pub(crate) mipmapped: bool,
    pub(crate) swizzle: [Swizzle; 4],
}

/// A depth test of the RGB565 kernel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum DepthTest {
    /// No test, and no depth is written.
    None,
    /// A 16-bit depth test. The flag is true if depth is written.
    Z16(CompareFunc, bool),
}

impl DepthTest {
    /// Passes nearer depth and writes it: the most common test.
    pub(crate) const NEARER: DepthTest = DepthTest::Z16(CompareFunc::Less, true);
}
