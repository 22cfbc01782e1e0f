//! Properties: settings of a whole shader.

use crate::names::named_enum;
use crate::processor::Processor;

named_enum! {
    /// The name of a property.
    pub enum Property {
        /// Primitive that a geometry shader reads.
        GsInputPrimitive = 0 "GS_INPUT_PRIMITIVE",
        /// Primitive that a geometry shader emits.
        GsOutputPrimitive = 1 "GS_OUTPUT_PRIMITIVE",
        /// The most vertices that a geometry shader emits.
        GsMaxOutputVertices = 2 "GS_MAX_OUTPUT_VERTICES",
        /// Origin of the position input. 0: upper left, 1: lower left.
        FsCoordOrigin = 3 "FS_COORD_ORIGIN",
        /// Pixel centre of the position input. 0: half integer, 1: integer.
        FsCoordPixelCenter = 4 "FS_COORD_PIXEL_CENTER",
        /// Colour 0 goes to every colour buffer.
        FsColor0WritesAllCbufs = 5 "FS_COLOR0_WRITES_ALL_CBUFS",
        /// The promised change of depth: none 0, any 1, greater 2, less 3, unchanged 4.
        FsDepthLayout = 6 "FS_DEPTH_LAYOUT",
        /// User clip planes are ignored.
        VsProhibitUcps = 7 "VS_PROHIBIT_UCPS",
        /// Invocations per primitive; 0 counts as 1.
        GsInvocations = 8 "GS_INVOCATIONS",
        /// The position is in window space.
        VsWindowSpacePosition = 9 "VS_WINDOW_SPACE_POSITION",
        /// Vertices of the output patch.
        TcsVerticesOut = 10 "TCS_VERTICES_OUT",
        /// Domain, by primitive number.
        TesPrimMode = 11 "TES_PRIM_MODE",
        /// Spacing. Fractional odd: 0, fractional even: 1, equal: 2.
        TesSpacing = 12 "TES_SPACING",
        /// Vertex order. 1: clockwise, 0: counter-clockwise.
        TesVertexOrderCw = 13 "TES_VERTEX_ORDER_CW",
        /// Generates points rather than triangles.
        TesPointMode = 14 "TES_POINT_MODE",
        /// Leading scalars of `CLIPDIST` that clip.
        NumClipdistEnabled = 15 "NUM_CLIPDIST_ENABLED",
        /// The next scalars, after the clipping ones, which cull.
        NumCulldistEnabled = 16 "NUM_CULLDIST_ENABLED",
        /// Depth and stencil are tested before shading.
        FsEarlyDepthStencil = 17 "FS_EARLY_DEPTH_STENCIL",
        /// The sample mask input excludes samples that failed the depth test.
        FsPostDepthCoverage = 18 "FS_POST_DEPTH_COVERAGE",
        /// The stage that follows; a hint.
        NextShader = 19 "NEXT_SHADER",
        /// Threads of a block along x; 0 if given at the launch.
        CsFixedBlockWidth = 20 "CS_FIXED_BLOCK_WIDTH",
        /// Threads of a block along y.
        CsFixedBlockHeight = 21 "CS_FIXED_BLOCK_HEIGHT",
        /// Threads of a block along z.
        CsFixedBlockDepth = 22 "CS_FIXED_BLOCK_DEPTH",
        /// 0 times any value is 0.
        MulZeroWins = 23 "LEGACY_MATH_RULES",
        /// An AMD extension.
        VsBlitSgprsAmd = 24 "VS_BLIT_SGPRS_AMD",
        /// An AMD extension.
        CsUserDataComponentsAmd = 25 "CS_USER_DATA_COMPONENTS_AMD",
        /// The layer output is relative to the viewport.
        LayerViewportRelative = 26 "LAYER_VIEWPORT_RELATIVE",
        /// Advanced blend equations, one bit per equation.
        FsBlendEquationAdvanced = 27 "FS_BLEND_EQUATION_ADVANCED",
        /// Linked to other stages at draw time.
        SeparableProgram = 28 "SEPARABLE_PROGRAM",
    }
}

impl Property {
    /// The number of properties.
    pub const COUNT: usize = 29;
}

named_enum! {
    /// A primitive type, as used in properties.
    pub enum Primitive {
        /// Points.
        Points = 0 "POINTS",
        /// Lines.
        Lines = 1 "LINES",
        /// A closed line.
        LineLoop = 2 "LINE_LOOP",
        /// An open line.
        LineStrip = 3 "LINE_STRIP",
        /// Triangles.
        Triangles = 4 "TRIANGLES",
        /// A triangle strip.
        TriangleStrip = 5 "TRIANGLE_STRIP",
        /// A triangle fan.
        TriangleFan = 6 "TRIANGLE_FAN",
        /// Quadrilaterals.
        Quads = 7 "QUADS",
        /// A strip of quadrilaterals.
        QuadStrip = 8 "QUAD_STRIP",
        /// A polygon.
        Polygon = 9 "POLYGON",
        /// Lines with neighbours.
        LinesAdjacency = 10 "LINES_ADJACENCY",
        /// A line strip with neighbours.
        LineStripAdjacency = 11 "LINE_STRIP_ADJACENCY",
        /// Triangles with neighbours.
        TrianglesAdjacency = 12 "TRIANGLES_ADJACENCY",
        /// A triangle strip with neighbours.
        TriangleStripAdjacency = 13 "TRIANGLE_STRIP_ADJACENCY",
        /// Patches.
        Patches = 14 "PATCHES",
    }
}

impl Primitive {
    /// Returns the number of vertices of one primitive, as a geometry shader sees it.
    pub const fn vertices(self) -> u16 {
        match self {
            Primitive::Points => 1,
            Primitive::Lines | Primitive::LineLoop | Primitive::LineStrip => 2,
            Primitive::Triangles
            | Primitive::TriangleStrip
            | Primitive::TriangleFan
            | Primitive::Polygon => 3,
            Primitive::Quads
            | Primitive::QuadStrip
            | Primitive::LinesAdjacency
            | Primitive::LineStripAdjacency => 4,
            Primitive::TrianglesAdjacency | Primitive::TriangleStripAdjacency => 6,
            Primitive::Patches => 32,
        }
    }
}

/// A shader's properties. A missing property counts as 0.
///
/// ```
/// # use gallium_tgsi::property::{Properties, Property};
/// const P: Properties = Properties::NONE.with(Property::FsColor0WritesAllCbufs, 1);
/// assert!(P.color0_writes_all_cbufs());
/// assert_eq!(P.get(Property::FsDepthLayout), None);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Properties {
    present: u32,
    values: [u32; Property::COUNT],
}

impl Properties {
    /// No properties.
    pub const NONE: Properties = Properties { present: 0, values: [0; Property::COUNT] };

    /// Returns the properties with `property` present.
    #[expect(clippy::indexing_slicing, reason = "the numbers of properties are below COUNT")]
    pub const fn with(mut self, property: Property, value: u32) -> Properties {
        self.present |= 1 << property as u32;
        self.values[property as usize] = value;
        self
    }

    /// Returns the value, if it is present.
    #[expect(clippy::indexing_slicing, reason = "the numbers of properties are below COUNT")]
    pub const fn get(&self, property: Property) -> Option<u32> {
        if self.present >> property as u32 & 1 != 0 {
            Some(self.values[property as usize])
        } else {
            None
        }
    }

    /// Returns the value; 0 if it is missing.
    #[expect(clippy::indexing_slicing, reason = "the numbers of properties are below COUNT")]
    pub const fn value(&self, property: Property) -> u32 {
        self.values[property as usize]
    }

    /// Returns true if the value is present and not 0.
    pub const fn is_set(&self, property: Property) -> bool {
        self.value(property) != 0
    }

    /// Returns the properties that are present, in numerical order.
    pub fn iter(&self) -> impl Iterator<Item = (Property, u32)> + '_ {
        Property::ALL.iter().filter_map(|&name| self.get(name).map(|value| (name, value)))
    }

    /// Returns true if colour 0 goes to every bound colour buffer.
    pub const fn color0_writes_all_cbufs(&self) -> bool {
        self.is_set(Property::FsColor0WritesAllCbufs)
    }

    /// Returns true if depth and stencil are tested before the shader runs.
    pub const fn early_depth_stencil(&self) -> bool {
        self.is_set(Property::FsEarlyDepthStencil)
    }

    /// Returns true if window y grows upwards in the fragment position input.
    pub const fn origin_lower_left(&self) -> bool {
        self.is_set(Property::FsCoordOrigin)
    }

    /// Returns true if pixel centres are at integers in the fragment position input.
    pub const fn pixel_center_integer(&self) -> bool {
        self.is_set(Property::FsCoordPixelCenter)
    }

    /// Returns true if the vertex position is already in window space.
    pub const fn window_space_position(&self) -> bool {
        self.is_set(Property::VsWindowSpacePosition)
    }

    /// Returns true if 0 times any value is 0.
    pub const fn mul_zero_wins(&self) -> bool {
        self.is_set(Property::MulZeroWins)
    }

    /// Returns the primitive that a geometry shader reads.
    pub const fn input_primitive(&self) -> Option<Primitive> {
        match self.get(Property::GsInputPrimitive) {
            Some(code) if code < 15 => Primitive::from_code(code as u8),
            _ => None,
        }
    }

    /// Returns the primitive that a geometry shader emits.
    pub const fn output_primitive(&self) -> Option<Primitive> {
        match self.get(Property::GsOutputPrimitive) {
            Some(code) if code < 15 => Primitive::from_code(code as u8),
            _ => None,
        }
    }

    /// Returns the number of vertices of the patch that a tessellation control shader writes.
    pub const fn tcs_vertices_out(&self) -> u32 {
        self.value(Property::TcsVerticesOut)
    }

    /// Returns the number of threads of a block; `[0; 3]` if it is given at the launch.
    pub const fn block_size(&self) -> [u32; 3] {
        [
            self.value(Property::CsFixedBlockWidth),
            self.value(Property::CsFixedBlockHeight),
            self.value(Property::CsFixedBlockDepth),
        ]
    }

    /// Returns the stage that follows, if the shader declares it.
    pub const fn next_shader(&self) -> Option<Processor> {
        match self.get(Property::NextShader) {
            Some(code) if code < 6 => Processor::from_code(code as u8),
            _ => None,
        }
    }
}

impl Default for Properties {
    fn default() -> Self {
        Properties::NONE
    }
}
