//! Declarations: the registers and units a shader uses, listed before its first instruction.

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
        /// Fog coordinate.
        Fog = 3 "FOG",
        /// Point size.
        PointSize = 4 "PSIZE",
        /// Anything; stages link by the index.
        Generic = 5 "GENERIC",
        /// Normal; unused today.
        Normal = 6 "NORMAL",
        /// Which way the primitive faces.
        Face = 7 "FACE",
        /// Not 0: the edge that starts at the vertex is drawn.
        EdgeFlag = 8 "EDGEFLAG",
        /// Primitive number.
        PrimitiveId = 9 "PRIM_ID",
        /// Instance number.
        InstanceId = 10 "INSTANCEID",
        /// Vertex number, base vertex included.
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
        /// Which viewport.
        ViewportIndex = 21 "VIEWPORT_INDEX",
        /// Which layer of the framebuffer.
        Layer = 22 "LAYER",
        /// Sample number; its use makes the shader run per sample.
        SampleId = 23 "SAMPLEID",
        /// Sample position in the pixel.
        SamplePosition = 24 "SAMPLEPOS",
        /// Coverage bits.
        SampleMask = 25 "SAMPLEMASK",
        /// Geometry invocation, or output vertex in tessellation control.
        InvocationId = 26 "INVOCATIONID",
        /// Vertex number without base vertex.
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
        /// Bit of the lane.
        SubgroupEqMask = 40 "SUBGROUP_EQ_MASK",
        /// Bits of the lane and those above.
        SubgroupGeMask = 41 "SUBGROUP_GE_MASK",
        /// Bits above the lane's.
        SubgroupGtMask = 42 "SUBGROUP_GT_MASK",
        /// Bits of the lane and those below.
        SubgroupLeMask = 43 "SUBGROUP_LE_MASK",
        /// Bits below the lane's.
        SubgroupLtMask = 44 "SUBGROUP_LT_MASK",
        /// AMD's own.
        CsUserDataAmd = 45 "CS_USER_DATA_AMD",
        /// Which viewports, a bit each.
        ViewportMask = 46 "VIEWPORT_MASK",
        /// Outer levels from the API's state. (The reference printer has no text for it.)
        TessDefaultOuterLevel = 47 "TESS_DEFAULT_OUTER_LEVEL",
        /// Inner levels from the API's state. (The reference printer has no text for it.)
        TessDefaultInnerLevel = 48 "TESS_DEFAULT_INNER_LEVEL",
    }
}

impl SemanticName {
    /// Tells if a patch has the value once, so that registers have no vertex bracket in
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
    /// The index among those of one name.
    pub index: u16,
}

impl Semantic {
    /// Returns the pair of a name and an index.
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

/// As in text: `COLOR`, `COLOR[1]`, `GENERIC[0]`.
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
        /// The provoking vertex' value, raw bits.
        Constant = 0 "CONSTANT",
        /// Linear on the screen.
        Linear = 1 "LINEAR",
        /// Linear in space.
        Perspective = 2 "PERSPECTIVE",
        /// `Constant` under flat shading, else `Perspective`.
        Color = 3 "COLOR",
    }
}

named_enum! {
    /// The place in the pixel at which an input is evaluated.
    pub enum Location {
        /// The pixel's centre.
        Center = 0 "CENTER",
        /// Somewhere covered.
        Centroid = 1 "CENTROID",
        /// Each sample.
        Sample = 2 "SAMPLE",
    }
}

/// The interpolation of an input and its place.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Interpolation {
    /// The interpolation.
    pub mode: Interpolate,
    /// The place in the pixel.
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
        /// Not said. (The reference printer has no text for it.)
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
        /// One's own.
        Private = 2 "PRIVATE",
        /// Kernel arguments.
        Input = 3 "INPUT",
    }
}

/// The format of an image, as a declaration or a memory operand names it.
///
/// The number is this crate's own index of `PIPE_FORMAT_*` names (0 is `PIPE_FORMAT_NONE`);
/// give the [name](ImageFormat::name) to a format library.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ImageFormat(pub(crate) u16);

impl ImageFormat {
    /// `PIPE_FORMAT_NONE`.
    pub const NONE: ImageFormat = ImageFormat(0);

    /// Returns the number in tokens.
    pub const fn code(self) -> u16 {
        self.0
    }
}

/// The parts of a declaration that only one file has.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum DeclarationKind {
    /// Nothing.
    Plain,
    /// `IMAGE`.
    Image {
        /// The image's shape.
        target: TextureTarget,
        /// The format its texels are read and written as.
        format: ImageFormat,
        /// Stores are allowed.
        writable: bool,
        /// Not converted.
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
        /// Holds atomic counters.
        atomic: bool,
    },
    /// `MEMORY`.
    Memory(MemoryType),
}

/// One `DCL`.
///
/// Equality leaves out [`position`](Declaration::position).
#[derive(Clone, Copy, Debug)]
pub struct Declaration {
    /// The file.
    pub file: File,
    /// The first register.
    pub first: u16,
    /// The last register, not before `first`.
    pub last: u16,
    /// The first of two brackets: the constant or counter buffer. `None` for per-vertex
    /// registers, whose first bracket says nothing.
    pub dimension: Option<u16>,
    /// The components used.
    pub usage_mask: WriteMask,
    /// The array the range is, or 0. At most 1023.
    pub array_id: u16,
    /// Not shared with subroutines.
    pub local: bool,
    /// Computed alike in every shader.
    pub invariant: bool,
    /// The semantic of the registers; the index is that of `first`.
    pub semantic: Option<Semantic>,
    /// The stream (0 to 3) each component goes to, for geometry outputs.
    pub streams: [u8; 4],
    /// The interpolation of a fragment input.
    pub interpolation: Option<Interpolation>,
    /// The parts of images, views, buffers and memory.
    pub kind: DeclarationKind,
    /// Its place in the text.
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

    /// Tells if it covers `file[index]`.
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
