//! Shader stages.

use crate::names::named_enum;

named_enum! {
    /// A shader stage. The numbers are used in tokens; protocols use different ones.
    pub enum Processor {
        /// Vertex.
        Vertex = 0 "VERT",
        /// Tessellation control.
        TessControl = 1 "TESS_CTRL",
        /// Tessellation evaluation.
        TessEval = 2 "TESS_EVAL",
        /// Geometry.
        Geometry = 3 "GEOM",
        /// Fragment.
        Fragment = 4 "FRAG",
        /// Compute.
        Compute = 5 "COMP",
    }
}
