//! Pictures computed by hand.

use gallium_reference::{Config, Screen};
use os_shim::Os;
use pipe_core::Screen as _;
use pipe_core::context::Context;
use pipe_core::*;

const SIZE: u32 = 4;

/// A vertex at (`x`, `y`, `z`) of the window in pixels, with a colour of four floats.
type Vertex = [f32; 7];

const VS: &str = "VERT\nDCL IN[0]\nDCL IN[1]\nDCL OUT[0], POSITION\nDCL OUT[1], COLOR\n\
                  MOV OUT[0], IN[0]\nMOV OUT[1], IN[1]\nEND";
const FS: &str = "FRAG\nDCL IN[0], COLOR, LINEAR\nDCL OUT[0], COLOR\nMOV OUT[0], IN[0]\nEND";

/// A context that draws to a picture of 4x4 pixels.
struct Bench<'s> {
    screen: &'s Screen<'static>,
    context: os_shim::Box<'s, dyn Context<'static> + 's>,
    color: ResourceHandle,
    depth: ResourceHandle,
}

impl<'s> Bench<'s> {
    fn new(screen: &'s Screen<'static>, format: Format, depth_format: Format) -> Self {
        Self::with_samples(screen, format, depth_format, 1)
    }

    fn with_samples(
        screen: &'s Screen<'static>,
        format: Format,
        depth_format: Format,
        nr_samples: u8,
    ) -> Self {
        let of = |format, bind| {
            let plain = ResourceTemplate::texture_2d(format, SIZE, SIZE, bind);
            ResourceTemplate { nr_samples, ..plain }
        };
        let template = of(format, Bind::RENDER_TARGET | Bind::SAMPLER_VIEW);
        let color = screen.resource_create(&template).unwrap();
        let template = of(depth_format, Bind::DEPTH_STENCIL);
        let depth = screen.resource_create(&template).unwrap();
        let mut context = screen.context_create(ContextFlags::empty()).unwrap();
        let surface = context.create_surface(color, &SurfaceTemplate::of(format)).unwrap();
        let zsbuf = context.create_surface(depth, &SurfaceTemplate::of(depth_format)).unwrap();
        let size = SIZE as u16;
        let framebuffer = FramebufferState::single(size, size, surface, Some(zsbuf));
        context.set_framebuffer_state(&framebuffer).unwrap();
        context.set_viewport_states(0, &[ViewportState::y_down(SIZE, SIZE)]).unwrap();
        let mut bench = Bench { screen, context, color, depth };
        bench.shaders(VS, FS);
        bench
    }

    fn shaders(&mut self, vertex: &str, fragment: &str) {
        let vs = self.context.create_vs_state(&ShaderState::text(vertex)).unwrap();
        let fs = self.context.create_fs_state(&ShaderState::text(fragment)).unwrap();
        self.context.bind_vs_state(Some(vs)).unwrap();
        self.context.bind_fs_state(Some(fs)).unwrap();
    }

    /// Draws vertices given in pixels, with depth 0 to 1.
    fn draw(&mut self, mode: PrimType, vertices: &[Vertex]) {
        let bytes: Vec<u8> = vertices
            .iter()
            .flat_map(|[x, y, z, color @ ..]| {
                let half = SIZE as f32 / 2.0;
                let place = [x / half - 1.0, y / half - 1.0, z * 2.0 - 1.0, 1.0];
                place.into_iter().chain(*color)
            })
            .flat_map(f32::to_le_bytes)
            .collect();
        let template = ResourceTemplate::buffer(bytes.len() as u32, Bind::VERTEX_BUFFER);
        let buffer = self.screen.resource_create(&template).unwrap();
        self.context.buffer_subdata(buffer, MapFlags::WRITE, 0, &bytes).unwrap();
        let format = Format::R32G32B32A32Float;
        let elements =
            [VertexElement::per_vertex(0, format), VertexElement::per_vertex(16, format)];
        let elements = self.context.create_vertex_elements_state(&elements).unwrap();
        self.context.bind_vertex_elements_state(Some(elements)).unwrap();
        let vertices_of = VertexBuffer { resource: buffer, stride: 32, buffer_offset: 0 };
        self.context.set_vertex_buffers(0, &[Some(vertices_of)]).unwrap();
        let part = DrawStartCount::count(vertices.len() as u32);
        self.context.draw_vbo(&DrawInfo::new(mode), None, &[part]).unwrap();
    }

    /// Returns the bytes of the picture, row by row.
    fn picture(&mut self) -> Vec<u8> {
        self.read(self.color)
    }

    /// Returns the means of the picture's samples.
    fn means(&mut self) -> Vec<u8> {
        let seen = self.screen.resource_template(self.color).unwrap();
        let one = self.screen.resource_create(&ResourceTemplate { nr_samples: 0, ..seen }).unwrap();
        let (region, format) = (Region::whole(SIZE, SIZE, 1), seen.format);
        let end = |resource| BlitSurface { resource, level: 0, region, format };
        let resolve = BlitInfo::new(end(one), end(self.color), TexFilter::Nearest);
        self.context.blit(&resolve).unwrap();
        self.read(one)
    }

    /// Binds a state with several samples.
    fn multisample(&mut self) {
        let state = RasterizerState { multisample: true, ..RasterizerState::default() };
        let state = self.context.create_rasterizer_state(&state).unwrap();
        self.context.bind_rasterizer_state(Some(state)).unwrap();
    }

    /// Returns the bytes of a resource of the picture's size, row by row.
    fn read(&mut self, resource: ResourceHandle) -> Vec<u8> {
        let region = Region::whole(SIZE, SIZE, 1);
        let map = self.context.transfer_map(resource, 0, MapFlags::READ, &region).unwrap();
        let bytes = self.context.transfer_bytes(map.handle).unwrap().to_vec();
        self.context.transfer_unmap(map.handle).unwrap();
        bytes
    }
}

fn screen() -> Screen<'static> {
    Screen::new(Os::host(), Config::default())
}

const WHITE: [f32; 4] = [1.0; 4];

fn vertex(x: f32, y: f32, z: f32, [r, g, b, a]: [f32; 4]) -> Vertex {
    [x, y, z, r, g, b, a]
}

#[test]
fn a_triangle_owns_its_left_and_top_edges() {
    let screen = screen();
    let mut bench = Bench::new(&screen, Format::R8Unorm, Format::Z16Unorm);
    // Corners on centres: the hypotenuse runs through the centres of a diagonal, a right edge.
    let corners = [(0.5, 0.5), (3.5, 0.5), (0.5, 3.5)];
    bench.draw(PrimType::Triangles, &corners.map(|(x, y)| vertex(x, y, 0.5, WHITE)));
    #[rustfmt::skip]
    assert_eq!(bench.picture(), [
        255, 255, 255, 0,
        255, 255, 0, 0,
        255, 0, 0, 0,
        0, 0, 0, 0,
    ]);
}

#[test]
fn colours_change_linearly_from_centre_to_centre() {
    let screen = screen();
    let mut bench = Bench::new(&screen, Format::R8Unorm, Format::Z16Unorm);
    let (black, red) = ([0.0, 0.0, 0.0, 1.0], [1.0, 0.0, 0.0, 1.0]);
    let strip = [
        vertex(0.0, 0.0, 0.5, black),
        vertex(4.0, 0.0, 0.5, red),
        vertex(0.0, 4.0, 0.5, black),
        vertex(4.0, 4.0, 0.5, red),
    ];
    bench.draw(PrimType::TriangleStrip, &strip);
    // 1/8, 3/8, 5/8 and 7/8 of 255.
    assert_eq!(bench.picture(), [32, 96, 159, 223].repeat(4));
}

#[test]
fn the_nearer_of_two_planes_shows() {
    let screen = screen();
    let mut bench = Bench::new(&screen, Format::R8Unorm, Format::Z16Unorm);
    let less = DepthStencilAlphaState::depth(CompareFunc::Less);
    let less = bench.context.create_depth_stencil_alpha_state(&less).unwrap();
    bench.context.bind_depth_stencil_alpha_state(Some(less)).unwrap();
    let nothing = ColorUnion::default();
    bench.context.clear(ClearFlags::DEPTH, None, &nothing, 1.0, 0).unwrap();
    let plane = |left: f32, right: f32, color: [f32; 4]| {
        [(0.0, 0.0), (4.0, 0.0), (0.0, 4.0), (4.0, 4.0)]
            .map(|(x, y)| vertex(x, y, if x == 0.0 { left } else { right }, color))
    };
    // The planes meet in the middle: the first is nearer on the left.
    bench.draw(PrimType::TriangleStrip, &plane(0.0, 1.0, [0.25; 4]));
    bench.draw(PrimType::TriangleStrip, &plane(1.0, 0.0, [1.0; 4]));
    assert_eq!(bench.picture(), [64, 64, 255, 255].repeat(4));
    // 1/8 and 3/8 of 65535, rounded.
    let row = [8192u16, 24576, 24576, 8192].map(u16::to_le_bytes).concat();
    let depth = bench.depth;
    assert_eq!(bench.read(depth), row.repeat(4));
}

/// A strip over all rows, from a column to another.
fn columns([left, right]: [f32; 2], z: [f32; 2], color: [f32; 4]) -> [Vertex; 4] {
    let at = |x, y, z| vertex(x, y, z, color);
    [at(left, 0.0, z[0]), at(right, 0.0, z[1]), at(left, 4.0, z[0]), at(right, 4.0, z[1])]
}

#[test]
fn each_sample_is_covered_on_its_own() {
    // Of four samples, the first and the third lie left of a pixel's middle (x of 3/8 and 1/8).
    for (mask, wanted) in
        [(!0, [255, 128, 0, 0]), (0b0001, [64, 64, 0, 0]), (0b1010, [128, 0, 0, 0])]
    {
        let screen = screen();
        let mut bench = Bench::with_samples(&screen, Format::R8Unorm, Format::Z16Unorm, 4);
        bench.multisample();
        bench.context.set_sample_mask(mask);
        bench.draw(PrimType::TriangleStrip, &columns([0.0, 1.5], [0.5; 2], WHITE));
        assert_eq!(bench.means(), wanted.repeat(4), "{mask:#b}");
    }
}

#[test]
fn each_sample_has_a_depth() {
    let screen = screen();
    let mut bench = Bench::with_samples(&screen, Format::R8Unorm, Format::Z16Unorm, 4);
    bench.multisample();
    let less = DepthStencilAlphaState::depth(CompareFunc::Less);
    let less = bench.context.create_depth_stencil_alpha_state(&less).unwrap();
    bench.context.bind_depth_stencil_alpha_state(Some(less)).unwrap();
    bench.context.clear(ClearFlags::DEPTH, None, &ColorUnion::default(), 1.0, 0).unwrap();
    bench.draw(PrimType::TriangleStrip, &columns([0.0, 4.0], [0.5; 2], [0.0; 4]));
    // At half of the depth range in the middle of the second pixel.
    bench.draw(PrimType::TriangleStrip, &columns([0.0, 4.0], [0.125, 1.125], WHITE));
    assert_eq!(bench.means(), [255, 128, 0, 0].repeat(4));
}

#[test]
fn programs_that_name_samples_run_for_each() {
    let screen = screen();
    let mut bench = Bench::with_samples(&screen, Format::R8Unorm, Format::Z16Unorm, 4);
    bench.multisample();
    let number = "FRAG\nDCL SV[0], SAMPLEID\nDCL OUT[0], COLOR\nIMM[0] FLT32 { 0.2, 0.0, 0.0, 0.0 }\n\
                  DCL TEMP[0]\nU2F TEMP[0].x, SV[0].xxxx\nMUL OUT[0], TEMP[0].xxxx, IMM[0].xxxx\nEND";
    bench.shaders(VS, number);
    bench.draw(PrimType::TriangleStrip, &columns([0.0, 4.0], [0.5; 2], WHITE));
    // The mean of 0, 1, 2 and 3 fifths of 255: 76.5.
    let wanted = [76, 77];
    assert!(bench.means().iter().all(|red| wanted.contains(red)));
}

#[test]
fn half_of_white_over_black_is_grey() {
    let screen = screen();
    let mut bench = Bench::new(&screen, Format::R8G8B8A8Unorm, Format::Z16Unorm);
    let blend = BlendState::uniform(RenderTargetBlendState::alpha_blending());
    let blend = bench.context.create_blend_state(&blend).unwrap();
    bench.context.bind_blend_state(Some(blend)).unwrap();
    let point = vertex(1.5, 2.5, 0.5, [1.0, 0.5, 0.0, 0.5]);
    bench.draw(PrimType::Points, &[point]);
    let mut expected = [[0; 4]; 16];
    // 255/2, 255/4, 0, and alpha: 255/4.
    expected[2 * 4 + 1] = [128, 64, 0, 64];
    assert_eq!(bench.picture(), expected.concat());
}

#[test]
fn a_line_leaves_its_last_pixel_out() {
    let screen = screen();
    let mut bench = Bench::new(&screen, Format::R8Unorm, Format::Z16Unorm);
    bench.draw(PrimType::Lines, &[vertex(0.5, 1.5, 0.5, WHITE), vertex(3.5, 1.5, 0.5, WHITE)]);
    #[rustfmt::skip]
    assert_eq!(bench.picture(), [
        0, 0, 0, 0,
        255, 255, 255, 0,
        0, 0, 0, 0,
        0, 0, 0, 0,
    ]);
}

#[test]
fn a_bilinear_lookup_weighs_four_texels() {
    let screen = screen();
    let mut bench = Bench::new(&screen, Format::R8Unorm, Format::Z16Unorm);
    let template = ResourceTemplate::texture_2d(Format::R8Unorm, 2, 2, Bind::SAMPLER_VIEW);
    let texture = screen.resource_create(&template).unwrap();
    let whole = Region::whole(2, 2, 1);
    let texels = [0, 80, 160, 240];
    bench.context.texture_subdata(texture, 0, MapFlags::WRITE, &whole, &texels, 2, 4).unwrap();
    let view =
        bench.context.create_sampler_view(texture, &SamplerViewTemplate::whole(&template)).unwrap();
    bench.context.set_sampler_views(ShaderType::Fragment, 0, &[Some(view)]).unwrap();
    let linear = SamplerState::trilinear(TexWrap::ClampToEdge);
    let linear = bench.context.create_sampler_state(&linear).unwrap();
    bench.context.bind_sampler_states(ShaderType::Fragment, 0, &[Some(linear)]).unwrap();
    let fs = "FRAG\nDCL IN[0], COLOR, LINEAR\nDCL OUT[0], COLOR\nDCL SAMP[0]\n\
              DCL SVIEW[0], 2D, FLOAT\nTEX OUT[0], IN[0], SAMP[0], 2D\nEND";
    bench.shaders(VS, fs);
    let strip = [(0.0, 0.0), (4.0, 0.0), (0.0, 4.0), (4.0, 4.0)]
        .map(|(x, y)| vertex(x, y, 0.5, [x / 4.0, y / 4.0, 0.0, 1.0]));
    bench.draw(PrimType::TriangleStrip, &strip);
    // Centres lie a quarter of a texel before and after each texel's centre; beyond the outer ones
    // the edge repeats: weights of the second texel 0, 1/4, 3/4, 1.
    #[rustfmt::skip]
    assert_eq!(bench.picture(), [
        0, 20, 60, 80,
        40, 60, 100, 120,
        120, 140, 180, 200,
        160, 180, 220, 240,
    ]);
}

#[test]
fn members_that_the_driver_lacks_are_refused_by_name() {
    let screen = screen();
    let mut context = screen.context_create(ContextFlags::empty()).unwrap();
    let smooth = RasterizerState { poly_smooth: true, ..RasterizerState::default() };
    let refused = context.create_rasterizer_state(&smooth);
    assert_eq!(refused, Err(PipeError::Unsupported("poly_smooth")));
    let streamed = ResourceTemplate::streamed(Format::B5G6R5Unorm, 8, 8);
    let refused = screen.resource_create(&streamed);
    assert_eq!(refused, Err(PipeError::Unsupported("STREAMED resources")));
}

#[test]
fn deleting_what_is_bound_unbinds_it() {
    let screen = screen();
    let mut context = screen.context_create(ContextFlags::empty()).unwrap();
    let blend = context.create_blend_state(&BlendState::default()).unwrap();
    context.bind_blend_state(Some(blend)).unwrap();
    assert_eq!(context.delete_blend_state(blend), Ok(()));
    assert_eq!(context.bind_blend_state(Some(blend)), Err(PipeError::stale(blend)));
}

/// The plain driver lacks the calls of desktops' frontends, and says so by name.
#[test]
fn calls_that_it_lacks_are_refused() {
    let screen = screen();
    for cap in [Cap::Memobj, Cap::FenceSignal, Cap::DrawVertexState, Cap::Dmabuf] {
        assert_eq!(screen.get_param(cap), 0, "{cap:?}");
    }
    assert!(screen.get_driver_query_info().is_empty());
    let mut context = screen.context_create(ContextFlags::empty()).unwrap();
    let query = context.create_query(QueryType::DriverSpecific, 0);
    assert!(matches!(query, Err(PipeError::Unsupported(_))), "{query:?}");
    let texture = ResourceTemplate::texture_2d(Format::R8Unorm, 4, 4, Bind::SAMPLER_VIEW);
    let texture = screen.resource_create(&texture).unwrap();
    let name = screen.resource_get_handle(None, texture, WinsysHandleType::Shared);
    assert!(matches!(name, Err(PipeError::Unsupported(_))), "{name:?}");
    // Every call is done when it returns.
    let waiting = context.is_resource_referenced(texture, 0, 0);
    assert_eq!(waiting, Ok(Referenced::empty()));
}
