//! Declarations: the registers and units of a shader, listed before its first instruction.

use crate::names::named_enum;
use crate::position::Position;
use crate::register::{File, WriteMask};
use crate::texture_target::TextureTarget;

named_enum! {
    /// The meaning of a register between stages, or of a system value.
    pub enum SemanticName {
        /// Vertex position; in fragment shaders window position (input), depth in z (output).
        Position = 0 "POSITION",
        /// Colour; a fragment output's index is the colour buffer.
        Color = 1 "COLOR",
        /// Colour of a back face under two-sided lighting.
        BackColor = 2 "BCOLOR",
        /// Any value; stages link by the index.
        Fog = 3 "FOG",
        /// Point size.
        PointSize = 4 "PSIZE",
        /// Anything; stages link by the index.
        Generic = 5 "GENERIC",
        /// Normal; unused today.
        Normal = 6 "NORMAL",
        /// The facing of the primitive: front or back.
        Face = 7 "FACE",
        /// Not 0: the edge that starts at the vertex is drawn.
        EdgeFlag = 8 "EDGEFLAG",
        /// Vertex number, including the base vertex.
        PrimitiveId = 9 "PRIM_ID",
        /// Instance number.
        InstanceId = 10 "INSTANCEID",
        /// Clip and cull distances, four per register.
        VertexId = 11 "VERTEXID",
        /// Fragment stencil reference, in y.
        Stencil = 12 "STENCIL",
        /// Clip and cull distances, four a register.
        ClipDistance = 13 "CLIPDIST",
        /// Position for user clip planes.
        ClipVertex = 14 "CLIPVERTEX",
        /// Blocks in the grid.
        GridSize = 15 "GRID_SIZE",
        /// Block within the grid.
        BlockId = 16 "BLOCK_ID",
        /// Threads in a block.
        BlockSize = 17 "BLOCK_SIZE",
        /// Thread within its block.
        ThreadId = 18 "THREAD_ID",
        /// Texture coordinate; point sprites may replace it.
        TexCoord = 19 "TEXCOORD",
        /// Point sprite coordinate.
        PointCoord = 20 "PCOORD",
        /// Index of the viewport.
        ViewportIndex = 21 "VIEWPORT_INDEX",
        /// Layer of the framebuffer.
        Layer = 22 "LAYER",
        /// Sample number; its use makes the shader run per sample.
        SampleId = 23 "SAMPLEID",
        /// Sample position in the pixel.
        SamplePosition = 24 "SAMPLEPOS",
        /// Coverage bits.
        SampleMask = 25 "SAMPLEMASK",
        /// Geometry invocation, or output vertex in tessellation control.
        InvocationId = 26 "INVOCATIONID",
        /// A per-patch value.
        VertexIdNoBase = 27 "VERTEXID_NOBASE",
        /// Base vertex of the draw.
        BaseVertex = 28 "BASEVERTEX",
        /// A value a patch has once.
        Patch = 29 "PATCH",
        /// Coordinate in the tessellated domain.
        TessCoord = 30 "TESSCOORD",
        /// Outer tessellation levels.
        TessOuter = 31 "TESSOUTER",
        /// Inner tessellation levels.
        TessInner = 32 "TESSINNER",
        /// Vertices of the input patch.
        VerticesIn = 33 "VERTICESIN",
        /// Not 0: the invocation only serves derivatives.
        HelperInvocation = 34 "HELPER_INVOCATION",
        /// First instance of the draw.
        BaseInstance = 35 "BASEINSTANCE",
        /// Draw number within a multi-draw.
        DrawId = 36 "DRAWID",
        /// Dimensions of the grid.
        WorkDim = 37 "WORK_DIM",
        /// Lanes in a subgroup.
        SubgroupSize = 38 "SUBGROUP_SIZE",
        /// Lane within its subgroup.
        SubgroupInvocation = 39 "SUBGROUP_INVOCATION",
        /// The bit of this lane.
        SubgroupEqMask = 40 "SUBGROUP_EQ_MASK",
        /// The bits of this lane and of all lanes above.
        SubgroupGeMask = 41 "SUBGROUP_GE_MASK",
        /// The bits of all lanes above this one.
        SubgroupGtMask = 42 "SUBGROUP_GT_MASK",
        /// The bits of this lane and of all lanes below.
        SubgroupLeMask = 43 "SUBGROUP_LE_MASK",
        /// The bits of all lanes below this one.
        SubgroupLtMask = 44 "SUBGROUP_LT_MASK",
        /// An AMD extension.
        CsUserDataAmd = 45 "CS_USER_DATA_AMD",
        /// The viewports to draw to, one bit per viewport.
        ViewportMask = 46 "VIEWPORT_MASK",
        /// Outer levels from the API's state. (The reference printer has no text for it.)
        TessDefaultOuterLevel = 47 "TESS_DEFAULT_OUTER_LEVEL",
        /// Inner levels from the API's state. (The reference printer has no text for it.)
        TessDefaultInnerLevel = 48 "TESS_DEFAULT_INNER_LEVEL",
    }
}

impl SemanticName {
    /// Returns true if a patch has this value once. Such registers have no vertex bracket in
    /// tessellation.
    pub const fn is_per_patch(self) -> bool {
        matches!(
            self,
            SemanticName::Patch
                | SemanticName::TessOuter
                | SemanticName::TessInner
                | SemanticName::PrimitiveId
        )
    }
}

/// The meaning of a register: a name and an index. Stages link by the pair.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Semantic {
    /// The name.
    pub name: SemanticName,
    /// The index among the registers of this name.
    pub index: u16,
}

impl Semantic {
    /// Returns the semantic of a name and an index.
    pub const fn new(name: SemanticName, index: u16) -> Semantic {
        Semantic { name, index }
    }

    /// `POSITION`.
    pub const POSITION: Semantic = Semantic::new(SemanticName::Position, 0);

    /// `GENERIC[index]`.
    pub const fn generic(index: u16) -> Semantic {
        Semantic::new(SemanticName::Generic, index)
    }

    /// `COLOR[index]`.
    pub const fn color(index: u16) -> Semantic {
        Semantic::new(SemanticName::Color, index)
    }
}

/// Formats the semantic as in text: `COLOR`, `COLOR[1]`, `GENERIC[0]`.
impl core::fmt::Display for Semantic {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(self.name.name())?;
        let always = matches!(self.name, SemanticName::Generic | SemanticName::TexCoord);
        if self.index != 0 || always { write!(f, "[{}]", self.index) } else { Ok(()) }
    }
}

named_enum! {
    /// The interpolation of a fragment input.
    pub enum Interpolate {
        /// The provoking vertex's value, as raw bits.
        Constant = 0 "CONSTANT",
        /// Linear in screen space.
        Linear = 1 "LINEAR",
        /// Linear in object space (perspective-correct).
        Perspective = 2 "PERSPECTIVE",
        /// `Constant` under flat shading, else `Perspective`.
        Color = 3 "COLOR",
    }
}

named_enum! {
    /// The position in the pixel where an input is evaluated.
    pub enum Location {
        /// The pixel's centre.
        Center = 0 "CENTER",
        /// A covered position.
        Centroid = 1 "CENTROID",
        /// Each sample.
        Sample = 2 "SAMPLE",
    }
}

/// The interpolation of an input and its position in the pixel.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Interpolation {
    /// The interpolation.
    pub mode: Interpolate,
    /// The position in the pixel.
    pub location: Location,
}

named_enum! {
    /// The type that a sampler view returns in a component.
    pub enum ReturnType {
        /// 0 to 1.
        Unorm = 0 "UNORM",
        /// -1 to 1.
        Snorm = 1 "SNORM",
        /// Signed integers.
        Sint = 2 "SINT",
        /// Unsigned integers.
        Uint = 3 "UINT",
        /// Floats.
        Float = 4 "FLOAT",
        /// Not specified. (The reference printer has no text for it.)
        Unknown = 5 "UNKNOWN",
    }
}

named_enum! {
    /// The memory behind a `MEMORY` register. The register's index carries no information.
    pub enum MemoryType {
        /// Global memory.
        Global = 0 "GLOBAL",
        /// Shared by the invocations of a block.
        Shared = 1 "SHARED",
        /// Private to the invocation.
        Private = 2 "PRIVATE",
        /// Kernel arguments.
        Input = 3 "INPUT",
    }
}

/// The format of an image, as named by a declaration or a memory operand.
///
/// The number is this crate's index into the `PIPE_FORMAT_*` names (0 is `PIPE_FORMAT_NONE`); pass
/// the [name](ImageFormat::name) to a format library.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ImageFormat(pub(crate) u16);

impl ImageFormat {
    /// `PIPE_FORMAT_NONE`.
    pub const NONE: ImageFormat = ImageFormat(0);
    /// `PIPE_FORMAT_R16_FLOAT`. Loads and stores of buffers and of shared memory with this format
    /// access halves.
    pub const R16_FLOAT: ImageFormat = ImageFormat(80);

    /// Returns the number in tokens.
    pub const fn code(self) -> u16 {
        self.0
    }
}

/// The parts of a declaration that are specific to one file.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum DeclarationKind {
    /// No specific part.
    Plain,
    /// `IMAGE`.
    Image {
        /// The image's shape.
        target: TextureTarget,
        /// The format for reading and writing its texels.
        format: ImageFormat,
        /// True if stores are allowed.
        writable: bool,
        /// True if texels are not converted.
        raw: bool,
    },
    /// `SVIEW`.
    SamplerView {
        /// The texture's shape.
        target: TextureTarget,
        /// The type of each component.
        returns: [ReturnType; 4],
    },
    /// `BUFFER`.
    Buffer {
        /// True if it holds atomic counters.
        atomic: bool,
    },
    /// `MEMORY`.
    Memory(MemoryType),
}

/// One `DCL`.
///
/// Equality ignores [`position`](Declaration::position).
#[derive(Clone, Copy, Debug)]
pub struct Declaration {
    /// The file.
    pub file: File,
    /// The first register.
    pub first: u16,
    /// The last register, not before `first`.
    pub last: u16,
    /// The first of two brackets: the constant or counter buffer. `None` for per-vertex registers:
    /// their first bracket has no meaning.
    pub dimension: Option<u16>,
    /// The components used.
    pub usage_mask: WriteMask,
    /// The number of the array that this range is, or 0. At most 1023.
    pub array_id: u16,
    /// True if it is not shared with subroutines.
    pub local: bool,
    /// True if every shader computes it in the same way.
    pub invariant: bool,
    /// The semantic of the registers; its index belongs to the register `first`.
    pub semantic: Option<Semantic>,
    /// The stream (0 to 3) of each component, for geometry outputs.
    pub streams: [u8; 4],
    /// The interpolation of a fragment input.
    pub interpolation: Option<Interpolation>,
    /// The parts that are specific to images, views, buffers and memory.
    pub kind: DeclarationKind,
    /// Its position in the text.
    pub position: Position,
}

impl Declaration {
    /// `DCL file[first..last]`.
    pub const fn new(file: File, first: u16, last: u16) -> Declaration {
        Declaration {
            file,
            first,
            last,
            dimension: None,
            usage_mask: WriteMask::XYZW,
            array_id: 0,
            local: false,
            invariant: false,
            semantic: None,
            streams: [0; 4],
            interpolation: None,
            kind: match file {
                File::Buffer => DeclarationKind::Buffer { atomic: false },
                File::Memory => DeclarationKind::Memory(MemoryType::Global),
                _ => DeclarationKind::Plain,
            },
            position: Position::NONE,
        }
    }

    /// Returns the declaration with a semantic.
    pub const fn with_semantic(mut self, semantic: Semantic) -> Declaration {
        self.semantic = Some(semantic);
        self
    }

    /// Returns the declaration with an interpolation.
    pub const fn with_interpolation(mut self, mode: Interpolate, location: Location) -> Self {
        self.interpolation = Some(Interpolation { mode, location });
        self
    }

    /// Returns the number of registers it declares.
    pub const fn count(&self) -> u32 {
        (self.last as u32 + 1).saturating_sub(self.first as u32)
    }

    /// Returns true if the declaration covers register `index` of its file.
    pub const fn covers(&self, index: i32) -> bool {
        self.first as i32 <= index && index <= self.last as i32
    }
}

impl PartialEq for Declaration {
    fn eq(&self, other: &Self) -> bool {
        self.file == other.file
            && (self.first, self.last) == (other.first, other.last)
            && self.dimension == other.dimension
            && self.usage_mask == other.usage_mask
            && self.array_id == other.array_id
            && (self.local, self.invariant) == (other.local, other.invariant)
            && self.semantic == other.semantic
            && self.streams == other.streams
            && self.interpolation == other.interpolation
            && self.kind == other.kind
    }
}
