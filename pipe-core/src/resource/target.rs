//! The shape of a resource, and the flags for its use.

use crate::flags::debug_as_flags;
use crate::numbered::numbered;

numbered! {
    /// The shape of a resource. `PIPE_BUFFER`, `PIPE_TEXTURE_*` (manual, "Resource targets").
    #[derive(Default)]
    pub enum TextureTarget {
        /// Bytes. The format has one byte (`R8Unorm`, `R8Uint`), and `width0` is the size in bytes;
        /// all other sizes are 1.
        Buffer = 0,
        /// One row of texels.
        Texture1D = 1,
        /// Rows and columns.
        #[default]
        Texture2D = 2,
        /// Rows, columns and slices; mipmaps shrink in all three directions.
        Texture3D = 3,
        /// Six square faces: +x, -x, +y, -y, +z, -z.
        Cube = 4,
        /// OpenGL's rectangle texture: no mipmaps, unnormalized coordinates, clamping.
        Rect = 5,
        /// Layers with one row per layer.
        Texture1DArray = 6,
        /// Layers of rows and columns.
        Texture2DArray = 7,
        /// Layers of cube faces; `array_size` counts faces.
        CubeArray = 8,
    }

    /// The expected use of a resource; a hint to the driver. `PIPE_USAGE_*`.
    #[derive(Default)]
    pub enum Usage {
        /// Mostly drawn with.
        #[default]
        Default = 0,
        /// Never changed after the first upload, not even by draws.
        Immutable = 1,
        /// Written often by the CPU, and used several times between writes.
        Dynamic = 2,
        /// Written often by the CPU, and used once between writes.
        Stream = 3,
        /// Mostly read and written by the CPU.
        Staging = 4,
    }
}

impl TextureTarget {
    /// Returns true if `array_size` counts the target's layers or cube faces.
    pub const fn is_layered(self) -> bool {
        use TextureTarget::*;
        matches!(self, Cube | Texture1DArray | Texture2DArray | CubeArray)
    }

    /// Returns true if the layers are cube faces.
    pub const fn is_cube(self) -> bool {
        matches!(self, Self::Cube | Self::CubeArray)
    }

    /// Returns true if the target has a single row.
    pub const fn is_1d(self) -> bool {
        matches!(self, Self::Buffer | Self::Texture1D | Self::Texture1DArray)
    }

    /// Returns true if the target may have more than one level.
    pub const fn has_mipmaps(self) -> bool {
        !matches!(self, Self::Buffer | Self::Rect)
    }
}

bitflags::bitflags! {
    /// Uses that a resource may be bound for. `PIPE_BIND_*`.
    ///
    /// The bits are the virgl wire's if it has the flag; all further flags use bits that the wire
    /// leaves free.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
    pub struct Bind: u32 {
        /// A depth and stencil buffer.
        const DEPTH_STENCIL = 0x1;
        /// A colour buffer.
        const RENDER_TARGET = 0x2;
        /// A colour buffer that can be blended into. Use it with `RENDER_TARGET`, in
        /// `is_format_supported`.
        const BLENDABLE = 0x4;
        /// A texture.
        const SAMPLER_VIEW = 0x8;
        /// A vertex buffer.
        const VERTEX_BUFFER = 0x10;
        /// An index buffer.
        const INDEX_BUFFER = 0x20;
        /// A constant buffer.
        const CONSTANT_BUFFER = 0x40;
        /// The buffer with the arguments of indirect draws.
        const DISPLAY_TARGET = 0x80;
        /// The counts of indirect draws.
        const COMMAND_ARGS_BUFFER = 0x100;
        /// A target of stream output.
        const STREAM_OUTPUT = 0x800;
        /// Mapped into the global memory of compute programs.
        const GLOBAL = 0x2000;
        /// A buffer that shaders load from and store to.
        const SHADER_BUFFER = 0x4000;
        /// A buffer that query results are written to.
        const QUERY_BUFFER = 0x8000;
        /// A hardware cursor.
        const CURSOR = 0x1_0000;
        /// A driver-specific use.
        const CUSTOM = 0x2_0000;
        /// A front buffer, or a buffer that is scanned out.
        const SCANOUT = 0x4_0000;
        /// Staging memory for transfers.
        const STAGING = 0x8_0000;
        /// A resource shared with other processes.
        const SHARED = 0x10_0000;
        /// A resource with rows in linear order in memory.
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
        /// Is sampled more often than rendered to.
        const TEXTURING_MORE_LIKELY = 1 << 2;
        /// Has memory committed in parts.
        const SPARSE = 1 << 3;
        /// Only one thread uses it.
        const SINGLE_THREAD_USE = 1 << 4;
        /// Has encrypted contents. Refused if the cap `DeviceProtectedContent` is 0.
        const ENCRYPTED = 1 << 5;
        /// Ours: a display target without storage. `present` draws it tile by tile and passes on
        /// each tile. It can be cleared and drawn to, but not read, mapped or copied.
        const STREAMED = 1 << 24;
        /// Ours: a 2D texture of one level in user memory, with texels (`L1_UNORM`, `L2_UNORM`,
        /// `L4_UNORM` or `L8_UNORM`) that are indices into a palette. The palette follows the
        /// texels: 2, 4, 16 or 256 colours in the format of the sampler view. It is only sampled.
        const PALETTE = 1 << 25;
    }
}

debug_as_flags!(Bind, ResourceFlags);
