//! Shapes of textures and images.

use crate::names::named_enum;

named_enum! {
    /// The shape of a texture or image, with or without comparison in lookups.
    pub enum TextureTarget {
        /// Texels of a buffer.
        Buffer = 0 "BUFFER",
        /// 1D.
        Texture1D = 1 "1D",
        /// 2D.
        Texture2D = 2 "2D",
        /// 3D.
        Texture3D = 3 "3D",
        /// Six faces.
        Cube = 4 "CUBE",
        /// 2D, coordinates in texels.
        Rect = 5 "RECT",
        /// 1D, compared.
        Shadow1D = 6 "SHADOW1D",
        /// 2D, compared.
        Shadow2D = 7 "SHADOW2D",
        /// 2D, coordinates in texels, compared.
        ShadowRect = 8 "SHADOWRECT",
        /// Layers of 1D.
        Array1D = 9 "1D_ARRAY",
        /// Layers of 2D.
        Array2D = 10 "2D_ARRAY",
        /// Layers of 1D, compared.
        ShadowArray1D = 11 "SHADOW1D_ARRAY",
        /// Layers of 2D, compared.
        ShadowArray2D = 12 "SHADOW2D_ARRAY",
        /// Six faces, compared.
        ShadowCube = 13 "SHADOWCUBE",
        /// 2D, several samples per texel.
        Msaa2D = 14 "2D_MSAA",
        /// Layers of 2D, several samples per texel.
        MsaaArray2D = 15 "2D_ARRAY_MSAA",
        /// Layers of cubes.
        CubeArray = 16 "CUBEARRAY",
        /// Layers of cubes, compared.
        ShadowCubeArray = 17 "SHADOWCUBEARRAY",
        /// Not specified: the view's declaration has the shape.
        Unknown = 18 "UNKNOWN",
    }
}

impl TextureTarget {
    /// Returns true if lookups compare with a reference value.
    pub const fn is_shadow(self) -> bool {
        use TextureTarget::*;
        matches!(
            self,
            Shadow1D
                | Shadow2D
                | ShadowRect
                | ShadowArray1D
                | ShadowArray2D
                | ShadowCube
                | ShadowCubeArray
        )
    }

    /// Returns the number of coordinates of a texel, without the layer (a cube has three).
    pub const fn dimensions(self) -> usize {
        use TextureTarget::*;
        match self {
            Buffer | Texture1D | Shadow1D | Array1D | ShadowArray1D => 1,
            Texture2D | Rect | Shadow2D | ShadowRect | Array2D | ShadowArray2D | Msaa2D
            | MsaaArray2D | Unknown => 2,
            Texture3D | Cube | ShadowCube | CubeArray | ShadowCubeArray => 3,
        }
    }

    /// Returns true if it has layers.
    pub const fn is_array(self) -> bool {
        use TextureTarget::*;
        matches!(
            self,
            Array1D
                | Array2D
                | ShadowArray1D
                | ShadowArray2D
                | MsaaArray2D
                | CubeArray
                | ShadowCubeArray
        )
    }

    /// Returns true if a texel has several samples.
    pub const fn is_msaa(self) -> bool {
        matches!(self, TextureTarget::Msaa2D | TextureTarget::MsaaArray2D)
    }
}
