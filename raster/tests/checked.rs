//! Contexts with the feature `check`: the same types as without it, and a warning for each likely
//! mistake. The picture that each mistake shows is checked too.

mod panels;

use formats::Format;
use gallium_raster::{Config, Context, Screen, Small};
use os_shim::{Box, Os};
use pipe_core::context::*;
use pipe_core::{
    ClearFlags, ColorUnion, ContextFlags, DrawInfo, DrawStartCount, Face, FramebufferState,
    PanelError, PipeError, PrimType, RasterizerState, ResourceHandle, ResourceTemplate,
    Screen as _, ShaderState, SurfaceTemplate, TilePanel, VertexElement, ViewportState, Warnings,
};

use tgsi::program::Program;
use tgsi_macros::tgsi;

use self::panels::White;

/// What a firmware keeps, as the guide has it.
struct Renderer<'s> {
    context: Box<'s, Context<'s, 'static, Small>>,
    target: ResourceHandle,
}

const SIDE: u32 = 16;

const VERTEX: &str = "VERT
DCL IN[0]
DCL OUT[0], POSITION
MOV OUT[0], IN[0]
END";

const WHITE: &str = "FRAG
DCL OUT[0], COLOR
IMM[0] FLT32 { 1.0, 1.0, 1.0, 1.0 }
MOV OUT[0], IMM[0]
END";

/// A triangle over the whole target.
static CORNERS: [[f32; 4]; 3] =
    [[-1.0, -1.0, 0.0, 1.0], [3.0, -1.0, 0.0, 1.0], [-1.0, 3.0, 0.0, 1.0]];

impl<'s> Renderer<'s> {
    fn new(screen: &'s Screen<'static, Small>) -> Result<Renderer<'s>, PipeError> {
        Self::with(screen, &ShaderState::text(VERTEX), &ShaderState::text(WHITE))
    }

    fn with(
        screen: &'s Screen<'static, Small>,
        vertex: &ShaderState<'_, 'static>,
        fragment: &ShaderState<'_, 'static>,
    ) -> Result<Renderer<'s>, PipeError> {
        let mut context = screen.boxed_context(ContextFlags::empty())?;
        let format = Format::B5G6R5Unorm;
        let target = screen.resource_create(&ResourceTemplate::streamed(format, SIDE, SIDE))?;
        let color = context.create_surface(target, &SurfaceTemplate::of(format))?;
        let side = SIDE as u16;
        context.set_framebuffer_state(&FramebufferState::single(side, side, color, None))?;
        context.set_viewport_states(0, &[ViewportState::y_up(SIDE, SIDE)])?;
        let vs = context.create_vs_state(vertex)?;
        context.bind_vs_state(Some(vs))?;
        let fs = context.create_fs_state(fragment)?;
        context.bind_fs_state(Some(fs))?;
        let element = VertexElement::per_vertex(0, Format::R32G32B32A32Float);
        let elements = context.create_vertex_elements_state(&[element])?;
        context.bind_vertex_elements_state(Some(elements))?;
        let bytes = bytemuck::cast_slice(&CORNERS);
        let template = ResourceTemplate::buffer(bytes.len() as u32, pipe_core::Bind::VERTEX_BUFFER);
        let resource = screen.resource_from_user_memory(&template, bytes)?;
        let vertices = pipe_core::VertexBuffer { resource, stride: 16, buffer_offset: 0 };
        context.set_vertex_buffers(0, &[Some(vertices)])?;
        Ok(Renderer { context, target })
    }

    fn rasterizer(&mut self, state: &RasterizerState) -> Result<(), PipeError> {
        let state = self.context.create_rasterizer_state(state)?;
        self.context.bind_rasterizer_state(Some(state))
    }

    fn clear(&mut self) -> Result<(), PipeError> {
        self.context.clear(ClearFlags::COLOR0, None, &ColorUnion::default(), 1.0, 0)
    }

    fn draw(&mut self) -> Result<(), PipeError> {
        let triangle = [DrawStartCount::count(3)];
        self.context.draw_vbo(&DrawInfo::new(PrimType::Triangles), None, &triangle)
    }

    /// Presents a frame, and returns the number of white pixels.
    fn present(&mut self) -> Result<u32, PipeError> {
        let mut white = White(0);
        self.context.present(self.target.into(), &mut white)?;
        Ok(white.0)
    }
}

fn culls_back() -> RasterizerState {
    RasterizerState { cull_face: Face::Back, front_ccw: true, ..RasterizerState::default() }
}

#[test]
fn a_good_frame_has_no_warning() {
    let screen = Screen::<Small>::new(Os::host(), Config::default());
    let mut renderer = Renderer::new(&screen).unwrap();
    renderer.rasterizer(&culls_back()).unwrap();
    for _ in 0..2 {
        renderer.clear().unwrap();
        renderer.draw().unwrap();
        assert_eq!(renderer.present(), Ok(SIDE * SIDE));
    }
    assert_eq!(renderer.context.warnings(), Warnings::empty());
}

/// A wrong matrix moves all triangles out of the view.
#[test]
fn a_frame_with_every_triangle_outside_has_a_warning() {
    const AWAY: &str = "VERT
DCL IN[0]
DCL OUT[0], POSITION
IMM[0] FLT32 { 10.0, 0.0, 0.0, 0.0 }
ADD OUT[0], IN[0], IMM[0]
END";
    let screen = Screen::<Small>::new(Os::host(), Config::default());
    let mut renderer = Renderer::new(&screen).unwrap();
    let vs = renderer.context.create_vs_state(&ShaderState::text(AWAY)).unwrap();
    renderer.context.bind_vs_state(Some(vs)).unwrap();
    renderer.clear().unwrap();
    renderer.draw().unwrap();
    assert_eq!(renderer.present(), Ok(0));
    assert_eq!(renderer.context.warnings(), Warnings::EMPTY_FRAME);
    assert!(renderer.context.warnings().text().contains("matrix"));
}

/// A matrix that mirrors turns all triangles around.
#[test]
fn a_frame_with_every_triangle_culled_has_a_warning() {
    const MIRRORED: &str = "VERT
DCL IN[0]
DCL OUT[0], POSITION
IMM[0] FLT32 { -1.0, 1.0, 1.0, 1.0 }
MUL OUT[0], IN[0], IMM[0]
END";
    let screen = Screen::<Small>::new(Os::host(), Config::default());
    let mut renderer = Renderer::new(&screen).unwrap();
    renderer.rasterizer(&culls_back()).unwrap();
    // A frame where one of two draws is culled is as it may be.
    renderer.clear().unwrap();
    renderer.draw().unwrap();
    let vs = renderer.context.create_vs_state(&ShaderState::text(MIRRORED)).unwrap();
    renderer.context.bind_vs_state(Some(vs)).unwrap();
    renderer.draw().unwrap();
    assert_eq!(renderer.present(), Ok(SIDE * SIDE));
    assert_eq!(renderer.context.warnings(), Warnings::empty());
    renderer.clear().unwrap();
    renderer.draw().unwrap();
    assert_eq!(renderer.present(), Ok(0));
    assert_eq!(renderer.context.warnings(), Warnings::ALL_CULLED);
    assert!(renderer.context.warnings().text().contains("front_ccw"));
}

#[test]
fn a_frame_that_is_presented_again_has_a_warning() {
    let screen = Screen::<Small>::new(Os::host(), Config::default());
    let mut renderer = Renderer::new(&screen).unwrap();
    renderer.rasterizer(&culls_back()).unwrap();
    renderer.clear().unwrap();
    renderer.draw().unwrap();
    assert_eq!(renderer.present(), Ok(SIDE * SIDE));
    assert_eq!(renderer.present(), Ok(0), "a streamed target keeps no picture");
    assert_eq!(renderer.context.warnings(), Warnings::NOT_CLEARED);
}

/// A missing feature is named as the driver names it, and formats have names.
#[test]
fn hints_of_the_driver_are_kept() {
    let screen = Screen::<Small>::new(Os::host(), Config::default());
    let checked = pipe_core::wrap::CheckScreen::new(&screen, os_shim::Memory::system());
    let texture = |format| {
        pipe_core::ResourceTemplate::texture_2d(format, 4, 4, pipe_core::Bind::SAMPLER_VIEW)
    };
    for format in [Format::B5G6R5Unorm, Format::R32G32B32A32Float] {
        let refused = checked.resource_create(&texture(format)).unwrap_err();
        assert_eq!(refused, screen.resource_create(&texture(format)).unwrap_err());
    }
    let float = checked.resource_create(&texture(Format::R32G32B32A32Float)).unwrap_err();
    if !cfg!(feature = "textures") {
        assert!(float.to_string().contains("`textures`"), "{float}");
    }
    let target = ResourceTemplate::streamed(Format::R32G32B32A32Float, 4, 4);
    let refused = checked.resource_create(&target).unwrap_err();
    assert_eq!(refused, screen.resource_create(&target).unwrap_err());
    assert!(refused.to_string().contains("R32G32B32A32_FLOAT"), "{refused}");

    let mut renderer = Renderer::new(&screen).unwrap();
    let blended = pipe_core::RenderTargetBlendState { blend_enable: true, ..Default::default() };
    let blended = pipe_core::BlendState::uniform(blended);
    let blend = renderer.context.create_blend_state(&blended).map(drop);
    if !cfg!(any(feature = "fragments", feature = "spans-generic")) {
        assert!(blend.unwrap_err().to_string().contains("`spans-all`"));
    }
    let lines = DrawInfo::new(PrimType::Lines);
    let lines = renderer.context.draw_vbo(&lines, None, &[DrawStartCount::count(2)]);
    if !cfg!(any(feature = "fragments", feature = "stages")) {
        assert!(lines.unwrap_err().to_string().contains("`fragments`"));
    }
}

/// Rasterizer state that a build without `es2` would ignore is refused.
#[test]
fn state_that_would_be_ignored_is_refused() {
    use pipe_core::PolygonMode;
    let screen = Screen::<Small>::new(Os::host(), Config::default());
    let mut renderer = Renderer::new(&screen).unwrap();
    let good = RasterizerState::default();
    for state in [
        RasterizerState { fill_front: PolygonMode::Line, ..good },
        RasterizerState { fill_back: PolygonMode::Point, ..good },
        RasterizerState { offset_tri: true, ..good },
        RasterizerState { light_twoside: true, ..good },
        RasterizerState { line_smooth: true, ..good },
        RasterizerState { poly_smooth: true, ..good },
        RasterizerState { poly_stipple_enable: true, ..good },
    ] {
        let made = renderer.context.create_rasterizer_state(&state);
        let error = made.err().map(|error| error.to_string());
        if !cfg!(feature = "es2") {
            let names = |error: String| error.contains("es2") || error.contains("fragments");
            assert!(error.is_some_and(names), "{state:?}");
        }
    }
}

static PASS: &Program<'static> = tgsi!(
    VERT
    DCL IN[0]
    DCL OUT[0], POSITION
    MOV OUT[0], IN[0]
    END
);

static COLOR: &Program<'static> = tgsi!(
    FRAG
    DCL OUT[0], COLOR
    IMM[0] FLT32 { 1.0, 1.0, 1.0, 1.0 }
    MOV OUT[0], IMM[0]
    END
);

/// Draws a frame with the first `bytes` of a heap. An error says whether `present` gave it.
fn frame_in(
    heap: &'static mut [core::mem::MaybeUninit<u8>],
    bytes: usize,
) -> Result<(), (PipeError, bool)> {
    let early = |error| (error, false);
    // All heaps begin at the same place of a line of 64 bytes.
    let start = heap.as_ptr().align_offset(64);
    let heap = &mut heap[start..start + bytes];
    let memory = os_shim::Region::in_place(heap).map_err(|error| early(error.into()))?;
    let config = Config { scene_bytes: 2048 };
    let screen = Screen::<Small>::new(Os::bare(memory), config);
    // Compiled with this test, as firmware has them.
    let programs = [PASS, COLOR].map(ShaderState::program);
    let mut renderer = Renderer::with(&screen, &programs[0], &programs[1]).map_err(early)?;
    renderer.clear().map_err(early)?;
    renderer.draw().map_err(early)?;
    let mut words = [0u16; 1024];
    let lent = bytemuck::cast_slice_mut(&mut words);
    let shown = renderer.context.present(renderer.target.into(), &mut Lending(lent));
    shown.map_err(|error| (error, true))
}

/// A heap that is too small for a context is an error with the bytes of the context, whatever its size.
/// A heap that holds the objects, but no frame, is an error of the first draw with the bytes that it
/// must have in all: with exactly these the frame is drawn, and with one byte less the same error says
/// so. `present` never is out of memory.
#[test]
fn too_little_memory_is_one_error_with_the_bytes_that_are_enough() {
    let outcome = |bytes: usize| {
        let heap = vec![core::mem::MaybeUninit::<u8>::uninit(); bytes + 64];
        frame_in(heap.leak(), bytes)
    };
    let named = |bytes: usize| match outcome(bytes) {
        Err((PipeError::OutOfRange { what, value, limit }, false)) => {
            assert_eq!(limit, bytes as u64, "the limit is what was handed over");
            (what.contains("a frame"), value as usize)
        }
        other => panic!("{bytes} bytes: {other:?}"),
    };
    let tables = size_of::<os_shim::Region<'static>>();
    for bytes in (1024..tables).step_by(61) {
        let error = outcome(bytes).unwrap_err();
        assert_eq!(error, (os_shim::OutOfMemory { requested: tables }.into(), false));
    }
    let (_, context) = named(tables);
    for bytes in (tables..context).step_by(61).chain([context - 1]) {
        assert_eq!(named(bytes), (false, context), "{bytes}");
    }
    // While the objects do not fit, the request for one of them fails.
    let fails =
        |bytes: &usize| matches!(outcome(*bytes), Err((PipeError::OutOfMemory { .. }, false)));
    let objects = (context..).find(|bytes| !fails(bytes)).unwrap();
    let (_, needed) = named(objects);
    assert_eq!(outcome(needed), Ok(()));
    for bytes in (objects..needed).step_by(61).chain([needed - 1]) {
        assert_eq!(named(bytes), (true, needed), "{bytes}");
    }
    for bytes in (needed..needed + 512).chain((needed..64 << 10).step_by(997)) {
        assert_eq!(outcome(bytes), Ok(()), "{bytes}");
    }
}

/// The report names what draws used, what refusals named, and what is linked for nothing.
#[test]
fn features_are_reported() {
    let screen = Screen::<Small>::new(Os::host(), Config::default());
    let names = |names: &mut dyn Iterator<Item = &'static str>| names.collect::<Vec<_>>();
    let report = screen.feature_report();
    assert_eq!(names(&mut report.used()), [""; 0]);
    assert!(names(&mut report.unused()).contains(&"spans-565"));
    let mut renderer = Renderer::new(&screen).unwrap();
    renderer.clear().unwrap();
    renderer.draw().unwrap();
    renderer.present().unwrap();
    let report = screen.feature_report();
    let used = names(&mut report.used());
    // The colour is a constant, the shader is text.
    assert!(used.contains(&"spans-565") && used.contains(&"interpreter"), "{used:?}");
    assert!(!names(&mut report.unused()).contains(&"spans-565"));
    let blended = pipe_core::RenderTargetBlendState { blend_enable: true, ..Default::default() };
    let refused = renderer.context.create_blend_state(&pipe_core::BlendState::uniform(blended));
    let lacked = screen.feature_report();
    assert_eq!(refused.is_err(), names(&mut lacked.lacked()).contains(&"spans-all"));
    let text = lacked.to_string();
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].starts_with("features used: spans-565"), "{text}");
    assert!(lines[2].starts_with("features linked and not used:"), "{text}");
}

/// Objects and calls that need `es2`, `all-formats` or `shader-memory` are uses of these features,
/// and without such a call they are linked for nothing.
#[test]
fn features_of_many_calls_are_reported() {
    type Use = fn(&Screen<'static, Small>, &mut Context<'_, 'static, Small>) -> bool;
    let uses: [(&str, Use); 4] = [
        ("es2", |_, context| {
            let state = RasterizerState { light_twoside: true, ..RasterizerState::default() };
            context.create_rasterizer_state(&state).is_ok()
        }),
        ("es2", |screen, _| {
            let template = ResourceTemplate {
                target: pipe_core::TextureTarget::Texture3D,
                depth0: 2,
                ..ResourceTemplate::texture_2d(
                    Format::R8G8B8A8Unorm,
                    4,
                    4,
                    pipe_core::Bind::SAMPLER_VIEW,
                )
            };
            screen.resource_create(&template).is_ok()
        }),
        ("all-formats", |_, context| {
            let element = VertexElement::per_vertex(0, Format::R8G8B8A8Snorm);
            context.create_vertex_elements_state(&[element]).is_ok()
        }),
        ("shader-memory", |screen, _| {
            let bind = pipe_core::Bind::SHADER_BUFFER;
            screen.resource_create(&ResourceTemplate::buffer(64, bind)).is_ok()
        }),
    ];
    for (name, uses) in uses {
        let screen = Screen::<Small>::new(Os::host(), Config::default());
        let mut renderer = Renderer::new(&screen).unwrap();
        let is_linked = screen.feature_report().unused().any(|unused| unused == name);
        let used = uses(&screen, &mut renderer.context);
        let report = screen.feature_report();
        assert_eq!(report.used().any(|used| used == name), is_linked && used, "{name}: {report}");
        assert!(!used || !report.unused().any(|unused| unused == name), "{name}: {report}");
    }
}

/// A panel with pages of eight rows.
struct Pages;

impl TilePanel for Pages {
    fn tile(
        &mut self,
        _: u32,
        y: u32,
        _: u32,
        height: u32,
        _: Format,
        _: &[u8],
        _: usize,
    ) -> Result<(), PanelError> {
        assert!(y.is_multiple_of(8) && height.is_multiple_of(8), "{y} {height}");
        Ok(())
    }

    fn granularity(&self) -> [u32; 2] {
        [1, 8]
    }
}

#[test]
fn a_target_that_does_not_fit_the_panel_s_windows_is_refused() {
    let screen = Screen::<Small>::new(Os::host(), Config::default());
    let mut context = screen.boxed_context(ContextFlags::empty()).unwrap();
    let format = Format::B5G6R5Unorm;
    for (height, fits) in [(24, true), (21, false)] {
        let template = ResourceTemplate::streamed(format, 67, height);
        let target = screen.resource_create(&template).unwrap();
        let color = context.create_surface(target, &SurfaceTemplate::of(format)).unwrap();
        let state = FramebufferState::single(67, height as u16, color, None);
        context.set_framebuffer_state(&state).unwrap();
        context.clear(ClearFlags::COLOR0, None, &ColorUnion::default(), 1.0, 0).unwrap();
        let shown = context.present(target.into(), &mut Pages);
        assert_eq!(shown, if fits { Ok(()) } else { Err(PanelError::GRANULARITY.into()) });
    }
}

/// A panel that lends memory at an even or odd address.
struct Lending<'b>(&'b mut [u8]);

impl TilePanel for Lending<'_> {
    fn tile(
        &mut self,
        _: u32,
        _: u32,
        _: u32,
        _: u32,
        _: Format,
        _: &[u8],
        _: usize,
    ) -> Result<(), PanelError> {
        Err(PanelError::REFUSED)
    }

    fn lend(&mut self, _: usize) -> Result<Option<&mut [u8]>, PanelError> {
        Ok(Some(self.0))
    }

    fn send(&mut self, _: pipe_core::Area, _: Format) -> Result<(), PanelError> {
        Ok(())
    }
}

#[test]
fn buffers_at_odd_addresses_are_refused_not_left_black() {
    let screen = Screen::<Small>::new(Os::host(), Config::default());
    let mut words = [0u16; 1024 + 1];
    let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut words);
    for start in [0, 1] {
        let mut renderer = Renderer::new(&screen).unwrap();
        renderer.clear().unwrap();
        renderer.draw().unwrap();
        let lent = &mut bytes[start..][..2048];
        let shown = renderer.context.present(renderer.target.into(), &mut Lending(lent));
        if cfg!(feature = "fragments") || start == 0 {
            assert_eq!(shown, Ok(()));
            assert!(lent[..512].iter().all(|byte| *byte == 255));
        } else {
            assert_eq!(shown, Err(PanelError::ALIGNMENT.into()));
        }
    }
}
