//! The integer kernel a draw was found to fit: data of its record, found and used by `span`.

use pipe_core::CompareFunc;
use pipe_core::state::TexWrap;
use pipe_core::surface::Swizzle;
use tgsi::program::Row;

/// A fragment program and state that integer spans compute.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Recognised {
    /// Red, green, blue, alpha.
    pub(crate) color: [Source; 4],
    pub(crate) texture: Option<Texture>,
    /// The depth test of the RGB565 kernel; `None`: the generic kernel draws this.
    pub(crate) plain: Option<DepthTest>,
}

/// A component of the colour: the product of the factors that are there, 1 without any.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Source {
    /// A component of the texel.
    pub(crate) texel: Option<u8>,
    /// A varying of the draw, by its place in the vertex.
    pub(crate) varying: Option<u8>,
    /// A value that is one for the whole draw: a row that nothing in the program's body writes.
    pub(crate) uniform: Row,
}

impl Source {
    /// No factor: 1.
    pub(crate) const ONE: Source = Source { texel: None, varying: None, uniform: Row::NONE };

    /// Returns the product; `None` if it has two factors of a kind.
    pub(crate) fn times(self, other: Source) -> Option<Source> {
        let one_of = |a: Option<u8>, b: Option<u8>| match (a, b) {
            (Some(_), Some(_)) => None,
            _ => Some(a.or(b)),
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

    /// Returns whether it is one constant, or one varying.
    pub(crate) fn is_simple(self) -> bool {
        self.texel.is_none() && (self.varying.is_some() != (self.uniform != Row::NONE))
    }
}

/// A texture lookup.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Texture {
    /// The index among the draw's texture bindings.
    pub(crate) binding: u8,
    /// The varyings that are its coordinates.
    pub(crate) s: u8,
    pub(crate) t: u8,
    pub(crate) wrap: [TexWrap; 2],
    /// Set for the mean of four texels, instead of the nearest one.
    pub(crate) linear: bool,
    pub(crate) swizzle: [Swizzle; 4],
}

/// A depth test of the RGB565 kernel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum DepthTest {
    /// No depth buffer.
    None,
    /// On 16 bits; the flag says whether depth is written.
    Z16(CompareFunc, bool),
}

impl DepthTest {
    /// The commonest test, which has loops of its own: nearer pixels are drawn and write depth.
    pub(crate) const NEARER: DepthTest = DepthTest::Z16(CompareFunc::Less, true);
}
