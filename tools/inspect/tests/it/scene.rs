//! Records small scenes.

use std::sync::Mutex;

use gallium_inspect::{Inspector, Limits};
use os_shim::{Memory, Os};
use pipe_core::wrap::record::RecordScreen;
use pipe_core::*;
use raster::{AnyProfile, Config};

/// The sides of the target.
pub(crate) const SIDE: u32 = 8;

/// Passes the position and a colour on.
pub(crate) const VERTEX: &str = "VERT\nDCL IN[0]\nDCL IN[1]\nDCL OUT[0], POSITION\nDCL OUT[1], COLOR\n\
    MOV OUT[0], IN[0]\nMOV OUT[1], IN[1]\nEND\n";

/// Writes the interpolated colour.
pub(crate) const FRAGMENT: &str =
    "FRAG\nDCL IN[0], COLOR, LINEAR\nDCL OUT[0], COLOR\nMOV OUT[0], IN[0]\nEND\n";

/// A context with a target of 8×8 pixels in RGBA8, a depth buffer, and shaders.
pub(crate) struct Stage<'c, 's> {
    pub(crate) screen: &'c (dyn Screen<'static> + 's),
    pub(crate) context: &'c mut (dyn Context<'static> + 's),
}

/// A corner: x, y, z, w, red, green, blue, alpha.
pub(crate) type Corner = [f32; 8];

/// A triangle that covers the whole target, at depth z·0.5 + 0.5.
pub(crate) fn whole(z: f32, [r, g, b, a]: [f32; 4]) -> [Corner; 3] {
    [[-1.0, -1.0], [3.0, -1.0], [-1.0, 3.0]].map(|[x, y]| [x, y, z, 1.0, r, g, b, a])
}

impl Stage<'_, '_> {
    /// Draws triangles.
    pub(crate) fn draw(&mut self, corners: &[Corner]) {
        let bytes: Vec<u8> =
            corners.as_flattened().iter().flat_map(|it| it.to_le_bytes()).collect();
        let size = bytes.len() as u32;
        let template = ResourceTemplate::buffer(size, Bind::VERTEX_BUFFER);
        let resource = self.screen.resource_create(&template).expect("a buffer");
        self.context.buffer_subdata(resource, MapFlags::WRITE, 0, &bytes).expect("written");
        let buffer = VertexBuffer { resource, stride: 32, buffer_offset: 0 };
        self.context.set_vertex_buffers(0, &[Some(buffer)]).expect("bound");
        let info = DrawInfo::new(PrimType::Triangles);
        let draws = [DrawStartCount::count(corners.len() as u32)];
        self.context.draw_vbo(&info, None, &draws).expect("drawn");
    }

    /// Binds a depth test.
    pub(crate) fn depth(&mut self, state: &DepthStencilAlphaState) {
        let state = self.context.create_depth_stencil_alpha_state(state).expect("a state");
        self.context.bind_depth_stencil_alpha_state(Some(state)).expect("bound");
    }

    /// Binds a rasterizer state.
    pub(crate) fn rasterizer(&mut self, state: &RasterizerState) {
        let state = self.context.create_rasterizer_state(state).expect("a state");
        self.context.bind_rasterizer_state(Some(state)).expect("bound");
    }

    /// Binds blending.
    pub(crate) fn blend(&mut self, rt: RenderTargetBlendState) {
        let mut state = BlendState::default();
        state.rt[0] = rt;
        let state = self.context.create_blend_state(&state).expect("a state");
        self.context.bind_blend_state(Some(state)).expect("bound");
    }

    /// Creates and binds a shader.
    pub(crate) fn shader(&mut self, stage: ShaderType, text: &str) -> ShaderHandle {
        let state = ShaderState::text(text);
        let shader = self.context.create_shader_state(stage, &state).expect("a shader");
        self.context.bind_shader_state(stage, Some(shader)).expect("bound");
        shader
    }
}

/// Records a scene: the target is cleared to black and depth 1 before `draw`, and flushed after.
pub(crate) fn recorded(
    depth_format: Format,
    draw: impl FnOnce(&mut Stage<'_, '_>),
) -> &'static [u8] {
    sampled(depth_format, 0, draw)
}

/// Records a scene with a number of samples per pixel; 0 is one.
pub(crate) fn sampled(
    depth_format: Format,
    nr_samples: u8,
    draw: impl FnOnce(&mut Stage<'_, '_>),
) -> &'static [u8] {
    let bytes = Mutex::new(Vec::new());
    let sink = |call: &[u8]| bytes.lock().expect("no panic").extend_from_slice(call);
    let memory = Memory::system();
    let driver = AnyProfile::Host.screen(Os::host(), Config::default());
    let screen = RecordScreen::new(&*driver, &sink, memory);
    {
        let mut context = screen.context_create(ContextFlags::empty()).expect("a context");
        let format = Format::R8G8B8A8Unorm;
        let texture = |format, bind| ResourceTemplate {
            nr_samples,
            nr_storage_samples: nr_samples,
            ..ResourceTemplate::texture_2d(format, SIDE, SIDE, bind)
        };
        let template = texture(format, Bind::RENDER_TARGET);
        let target = screen.resource_create(&template).expect("a target");
        let of_depth = texture(depth_format, Bind::DEPTH_STENCIL);
        let depth = screen.resource_create(&of_depth).expect("a depth buffer");
        let color = context.create_surface(target, &SurfaceTemplate::of(format)).expect("surface");
        let zs =
            context.create_surface(depth, &SurfaceTemplate::of(depth_format)).expect("surface");
        let side = SIDE as u16;
        let framebuffer = FramebufferState::single(side, side, color, Some(zs));
        context.set_framebuffer_state(&framebuffer).expect("bound");
        context.set_viewport_states(0, &[ViewportState::y_down(SIDE, SIDE)]).expect("set");
        let elements = [
            VertexElement::per_vertex(0, Format::R32G32B32A32Float),
            VertexElement::per_vertex(16, Format::R32G32B32A32Float),
        ];
        let elements = context.create_vertex_elements_state(&elements).expect("elements");
        context.bind_vertex_elements_state(Some(elements)).expect("bound");
        let mut stage = Stage { screen: &screen, context: &mut *context };
        stage.shader(ShaderType::Vertex, VERTEX);
        stage.shader(ShaderType::Fragment, FRAGMENT);
        let black = ColorUnion::float([0.0, 0.0, 0.0, 1.0]);
        let mut all = ClearFlags::COLOR0 | ClearFlags::DEPTH;
        if depth_format.has_stencil() {
            all |= ClearFlags::STENCIL;
        }
        stage.context.clear(all, None, &black, 1.0, 0).expect("cleared");
        draw(&mut stage);
        stage.context.flush(FlushFlags::empty()).expect("flushed");
    }
    bytes.into_inner().expect("no panic").leak()
}

/// Opens a recording.
pub(crate) fn inspector(trace: &'static [u8]) -> Inspector {
    Inspector::new(trace, Limits::default()).expect("a recording")
}

/// Returns the numbers of the draws.
pub(crate) fn draws(inspector: &Inspector) -> Vec<u64> {
    let listing = inspector.listing();
    let calls = listing.describe(1, listing.count()).expect("calls");
    calls.iter().filter(|call| call.name == "draw_vbo").map(|call| call.call).collect()
}
