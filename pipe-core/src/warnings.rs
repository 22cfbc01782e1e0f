//! Warnings: problems that the contract allows, but that show nothing or an unintended picture.

bitflags::bitflags! {
    /// Problems that the contract allows, but that show nothing or an unintended picture.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub struct Warnings: u32 {
        /// No viewport was set: everything is drawn at one point.
        const NO_VIEWPORT = 1 << 0;
        /// The vertex shader has more inputs than there are vertex elements: the remaining inputs
        /// are 0.
        const FEW_ELEMENTS = 1 << 1;
        /// A vertex element reaches beyond its buffer's stride, into the next vertex.
        const BEYOND_STRIDE = 1 << 2;
        /// Depth is tested, but the framebuffer has no depth buffer: every test passes.
        const NO_DEPTH_BUFFER = 1 << 3;
        /// A shader reads constants, but no constant buffer is set: they are 0.
        const NO_CONSTANTS = 1 << 4;
        /// A constant buffer ends before the last constant that a shader reads: the rest is 0.
        const FEW_CONSTANTS = 1 << 5;
        /// Nearer depth passes, but the depth buffer was never cleared: it holds 0, the nearest.
        const DEPTH_NOT_CLEARED = 1 << 6;
        /// A shader samples a unit without a sampler view: it reads black.
        const NO_TEXTURE = 1 << 7;
        /// A shader samples a unit without a sampler: it is sampled with the default state.
        const NO_SAMPLER = 1 << 8;
        /// The fragment shader reads an input that the stage before it does not write: it is 0.
        const UNWRITTEN_INPUT = 1 << 9;
        /// A draw's count is a third of the vertices or indices: it may count triangles.
        const COUNTS_TRIANGLES = 1 << 10;
        /// A draw of triangles has fewer than three vertices or indices.
        const NO_TRIANGLE = 1 << 11;
        /// All vertex buffers have the stride 0: all vertices are the first one.
        const ZERO_STRIDE = 1 << 12;
        /// The rasterizer state culls both faces.
        const CULLS_ALL = 1 << 13;
        /// No triangle of a frame was inside of the view.
        const EMPTY_FRAME = 1 << 14;
        /// A streamed target was presented again without a clear: its picture was lost.
        const NOT_CLEARED = 1 << 15;
        /// All triangles that were drawn to a target, and were inside of the view, were dropped by
        /// their facing.
        const ALL_CULLED = 1 << 16;
        /// A draw reads vertices beyond the end of a vertex buffer: they are 0.
        const VERTICES_BEYOND = 1 << 17;
        /// An index names a vertex beyond the end of a vertex buffer: the vertex is 0.
        const INDEX_BEYOND = 1 << 18;
    }
}

impl Warnings {
    /// Returns a description of the problem, and the fix. For several problems, it is the text of
    /// the first.
    pub fn text(self) -> &'static str {
        let Some(first) = self.iter().next() else { return "no problem" };
        match first {
            Warnings::NO_VIEWPORT => "there is no viewport; call set_viewport_states",
            Warnings::FEW_ELEMENTS => {
                "the vertex shader has more inputs than there are vertex elements; add elements"
            }
            Warnings::BEYOND_STRIDE => {
                "a vertex element ends beyond the stride of its buffer; \
                 set the stride to the bytes of a whole vertex"
            }
            Warnings::NO_DEPTH_BUFFER => {
                "depth is tested without a depth buffer; give the framebuffer a zsbuf"
            }
            Warnings::NO_CONSTANTS => {
                "a shader reads constants and none are set; call set_constant_buffer"
            }
            Warnings::FEW_CONSTANTS => {
                "a constant buffer ends before a constant that the shader reads; \
                 set 16 bytes for each CONST register"
            }
            Warnings::DEPTH_NOT_CLEARED => {
                "the depth buffer was not cleared, so nothing is nearer; \
                 clear DEPTH_STENCIL with a depth of 1.0 in each frame"
            }
            Warnings::NO_TEXTURE => {
                "a shader samples a unit without a texture; call set_sampler_views"
            }
            Warnings::NO_SAMPLER => {
                "a shader samples a unit without a sampler; call bind_sampler_states"
            }
            Warnings::UNWRITTEN_INPUT => {
                "the fragment shader reads an input that no vertex output gives; \
                 use the same semantic and index in both shaders"
            }
            Warnings::COUNTS_TRIANGLES => {
                "a third of the vertices or indices are drawn; \
                 a draw's count is in vertices or indices, not in triangles"
            }
            Warnings::NO_TRIANGLE => {
                "a draw has fewer vertices than a triangle; \
                 a draw's count is in vertices or indices, not in triangles"
            }
            Warnings::ZERO_STRIDE => {
                "all vertices are at one place, because the stride is 0; \
                 set the stride to the bytes of a vertex"
            }
            Warnings::CULLS_ALL => "both faces are culled; set cull_face to Front, Back or None",
            Warnings::EMPTY_FRAME => {
                "no triangle of a frame was inside of the view; \
                 check the matrix and the positions' w"
            }
            Warnings::ALL_CULLED => {
                "every triangle of a picture was culled by its facing; \
                 set front_ccw to the winding of the mesh, which a mirroring matrix turns around, \
                 or cull_face to Face::None"
            }
            Warnings::VERTICES_BEYOND => {
                "a draw reads vertices beyond the end of their buffer, which are 0; \
                 lower the draw's count, or give the buffer's template the bytes of all vertices"
            }
            Warnings::INDEX_BEYOND => {
                "an index names a vertex beyond the end of the vertex buffer, which is 0; \
                 check the indices, their size and the index_bias, \
                 or give the buffer's template the bytes of all vertices"
            }
            _ => {
                "a streamed target was presented again without a clear, so its picture was lost; \
                 call clear before the draws of each frame"
            }
        }
    }
}
