//! The shape of a resource, and the flags that say what it is for.

use crate::flags::debug_as_flags;
use crate::numbered::numbered;

numbered! {
    /// The shape of a resource. `PIPE_BUFFER`, `PIPE_TEXTURE_*`.
    #[derive(Default)]
    pub enum TextureTarget {
        /// Bytes. Format `R8Unorm` or `R8Uint`, `width0` its size; all other sizes 1.
        Buffer = 0,
        /// One row.
        Texture1D = 1,
        /// Rows and columns.
        #[default]
        Texture2D = 2,
        /// Slices, too. Mipmaps shrink in all three directions.
        Texture3D = 3,
        /// Six square faces: +x, -x, +y, -y, +z, -z.
        Cube = 4,
        /// OpenGL's rectangle texture: no mipmaps, unnormalized coordinates, clamping.
        Rect = 5,
        /// Layers of one row.
        Texture1DArray = 6,
        /// Layers of rows and columns.
        Texture2DArray = 7,
        /// Layers of cubes; `array_size` counts faces.
        CubeArray = 8,
    }

    /// How a resource will be used; a hint. `PIPE_USAGE_*`.
    #[derive(Default)]
    pub enum Usage {
        /// Drawn with, mostly.
        #[default]
        Default = 0,
        /// Not changed after the first upload, not even by drawing.
        Immutable = 1,
        /// Written often by the CPU, used several times each time.
        Dynamic = 2,
        /// Written often by the CPU, used once each time.
        Stream = 3,
        /// Read and written by the CPU, mostly.
        Staging = 4,
    }
}

impl TextureTarget {
    /// Whether it has layers that `array_size` counts, cube faces included.
    pub const fn is_layered(self) -> bool {
        use TextureTarget::*;
        matches!(self, Cube | Texture1DArray | Texture2DArray | CubeArray)
    }

    /// Whether its layers are cube faces.
    pub const fn is_cube(self) -> bool {
        matches!(self, Self::Cube | Self::CubeArray)
    }

    /// Whether it has one row only.
    pub const fn is_1d(self) -> bool {
        matches!(self, Self::Buffer | Self::Texture1D | Self::Texture1DArray)
    }

    /// Whether it may have more than one level.
    pub const fn has_mipmaps(self) -> bool {
        !matches!(self, Self::Buffer | Self::Rect)
    }
}

bitflags::bitflags! {
    /// What a resource may be bound as. `PIPE_BIND_*`.
    ///
    /// Bits are the virgl wire's where it has the flag; the others follow above and between.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
    pub struct Bind: u32 {
        /// A depth and stencil buffer.
        const DEPTH_STENCIL = 0x1;
        /// A colour buffer.
        const RENDER_TARGET = 0x2;
        /// With `RENDER_TARGET`, for queries: a colour buffer that can be blended into.
        const BLENDABLE = 0x4;
        /// A texture.
        const SAMPLER_VIEW = 0x8;
        /// A vertex buffer.
        const VERTEX_BUFFER = 0x10;
        /// An index buffer.
        const INDEX_BUFFER = 0x20;
        /// A constant buffer.
        const CONSTANT_BUFFER = 0x40;
        /// Can be presented.
        const DISPLAY_TARGET = 0x80;
        /// Arguments of indirect draws.
        const COMMAND_ARGS_BUFFER = 0x100;
        /// Written by stream output.
        const STREAM_OUTPUT = 0x800;
        /// Mapped into the global memory of compute programs.
        const GLOBAL = 0x2000;
        /// A buffer that shaders load from and store to.
        const SHADER_BUFFER = 0x4000;
        /// Query results are written here.
        const QUERY_BUFFER = 0x8000;
        /// A hardware cursor.
        const CURSOR = 0x1_0000;
        /// For the driver's own purposes.
        const CUSTOM = 0x2_0000;
        /// A front buffer, or scanned out.
        const SCANOUT = 0x4_0000;
        /// Staging memory of transfers.
        const STAGING = 0x8_0000;
        /// Given to other processes.
        const SHARED = 0x10_0000;
        /// Rows in order in memory.
        const LINEAR = 0x40_0000;
        /// A buffer or texture that shaders load from and store to with a format.
        const SHADER_IMAGE = 0x80_0000;
        /// A shader resource of compute programs.
        const COMPUTE_RESOURCE = 0x100_0000;
    }

    /// Properties of a resource. `PIPE_RESOURCE_FLAG_*`.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
    pub struct ResourceFlags: u32 {
        /// May be mapped with `PERSISTENT`.
        const MAP_PERSISTENT = 1 << 0;
        /// May be mapped with `COHERENT`.
        const MAP_COHERENT = 1 << 1;
        /// Will be sampled more than rendered to.
        const TEXTURING_MORE_LIKELY = 1 << 2;
        /// Memory is committed part by part.
        const SPARSE = 1 << 3;
        /// Used by one thread only.
        const SINGLE_THREAD_USE = 1 << 4;
        /// Contents are encrypted.
        const ENCRYPTED = 1 << 5;
        /// Ours: a display target without storage. `present` draws it tile by tile and hands
        /// each tile on; it can be cleared and drawn to, not read, mapped or copied.
        const STREAMED = 1 << 24;
    }
}

debug_as_flags!(Bind, ResourceFlags);
