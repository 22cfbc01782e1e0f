//! Pixels with several samples.

mod copies;
mod coverage;
#[cfg(feature = "shader-memory")]
mod images;
mod maps;
mod places;
mod shading;
mod whole;

use crate::common::*;
use formats::Format;
use gallium_raster::{Profile, Screen};
use pipe_core::{
    Bind, BlendState, BlitInfo, BlitMask, BlitSurface, DepthStencilAlphaState, FramebufferState,
    PrimType, RasterizerState, Region, ResourceHandle, ResourceTemplate, SamplerViewTemplate,
    Screen as _, ShaderType, SurfaceTemplate, TexFilter,
};

const SIZE: u32 = 32;
const COLOR_FORMAT: Format = Format::R8G8B8A8Unorm;

fn template(format: Format, samples: u8, bind: Bind) -> ResourceTemplate {
    let bind = bind | Bind::SAMPLER_VIEW;
    ResourceTemplate {
        nr_samples: samples,
        ..ResourceTemplate::texture_2d(format, SIZE, SIZE, bind)
    }
}

/// Returns a setup with a framebuffer of `samples` samples: colour, and 24 bits of depth.
fn setup<'s, 'm, P: Profile>(screen: &'s Screen<'m, P>, samples: u8) -> Setup<'s, 'm> {
    setup_of(screen, samples, (COLOR_FORMAT, Format::Z24UnormS8Uint))
}

/// Returns a setup with buffers of these formats.
fn setup_of<'s, 'm, P: Profile>(
    screen: &'s Screen<'m, P>,
    samples: u8,
    (format, depth): (Format, Format),
) -> Setup<'s, 'm> {
    let options =
        Options { width: SIZE, height: SIZE, format, depth: Some(depth), ..Options::default() };
    let mut setup = Setup::new(screen, options).unwrap();
    let surface = SurfaceTemplate::of(format);
    let color = screen.resource_create(&template(format, samples, Bind::RENDER_TARGET)).unwrap();
    let cbuf = setup.context.create_surface(color, &surface).unwrap();
    let surface = SurfaceTemplate::of(depth);
    let depth = screen.resource_create(&template(depth, samples, Bind::DEPTH_STENCIL)).unwrap();
    let zsbuf = setup.context.create_surface(depth, &surface).unwrap();
    let state = FramebufferState::single(SIZE as u16, SIZE as u16, cbuf, Some(zsbuf));
    setup.context.set_framebuffer_state(&state).unwrap();
    (setup.color, setup.depth) = (color, Some(depth));
    setup.rasterizer(&RasterizerState { multisample: true, ..rasterizer() }).unwrap();
    setup
}

/// Resolves a resource to one sample per pixel, and reads it.
fn resolved<P: Profile>(
    screen: &Screen<'_, P>,
    setup: &mut Setup<'_, '_>,
    (source, format): (ResourceHandle, Format),
    sample0_only: bool,
) -> Vec<u8> {
    let one = screen.resource_create(&template(format, 0, Bind::empty())).unwrap();
    let end =
        |resource| BlitSurface { resource, level: 0, region: Region::whole(SIZE, SIZE, 1), format };
    let mask = if format.is_depth_or_stencil() { BlitMask::ZS } else { BlitMask::RGBA };
    let info =
        BlitInfo { sample0_only, mask, ..BlitInfo::new(end(one), end(source), TexFilter::Nearest) };
    setup.context.blit(&info).unwrap();
    setup.read(one).unwrap()
}

/// Resolves the colour buffer.
fn means<P: Profile>(screen: &Screen<'_, P>, setup: &mut Setup<'_, '_>) -> Vec<u8> {
    let color = setup.color;
    resolved(screen, setup, (color, COLOR_FORMAT), false)
}

/// Returns a rectangle of window coordinates, as two triangles.
fn rectangle([x0, y0, x1, y1]: [f32; 4], z: f32, color: [f32; 4]) -> [Vertex; 6] {
    let half = SIZE as f32 / 2.0;
    let at = |x: f32, y: f32| vertex(x / half - 1.0, y / half - 1.0, z, color);
    [at(x0, y0), at(x1, y0), at(x0, y1), at(x1, y0), at(x1, y1), at(x0, y1)]
}

const WHOLE: [f32; 4] = [0.0, 0.0, SIZE as f32, SIZE as f32];

/// Fetches one sample of each texel.
const FETCH: &str = "FRAG
DCL IN[0], POSITION, LINEAR
DCL OUT[0], COLOR
DCL SAMP[0]
DCL SVIEW[0], 2D_MSAA, FLOAT
DCL CONST[0]
DCL TEMP[0]
F2I TEMP[0].xy, IN[0].xyyy
F2I TEMP[0].w, CONST[0].xxxx
TXF OUT[0], TEMP[0], SAMP[0], 2D_MSAA
END";

/// Reads one sample of a texture's texels, by drawing.
fn sample<P: Profile>(screen: &Screen<'_, P>, source: &mut Setup<'_, '_>, index: usize) -> Vec<u8> {
    let format = source.options.format;
    let options = Options { width: SIZE, height: SIZE, format, ..Options::default() };
    source.context.flush(Default::default()).unwrap();
    let mut setup = Setup::new(screen, options).unwrap();
    setup.shaders(PASS, FETCH).unwrap();
    let seen = screen.resource_template(source.color).unwrap();
    let view = SamplerViewTemplate::whole(&seen);
    let view = setup.context.create_sampler_view(source.color, &view).unwrap();
    setup.context.set_sampler_views(ShaderType::Fragment, 0, &[Some(view)]).unwrap();
    setup.constants(ShaderType::Fragment, &[index as f32; 4]).unwrap();
    setup.upload(screen, &rectangle(WHOLE, 0.0, WHITE)).unwrap();
    setup.draw(PrimType::Triangles, 6).unwrap();
    setup.pixels().unwrap()
}

/// Returns triangles of one depth and colour each, with corners on a grid of 1/64 pixel, so that
/// floats hold their values exactly at every sample.
fn triangles(seed: u32, count: usize) -> Vec<Vertex> {
    let mut random = Random(seed);
    let mut vertices = Vec::new();
    for number in 0..count {
        let mut channel = || (random.next() * 255.0).floor() / 255.0;
        let color = [channel(), channel(), channel(), 0.5];
        let z = (number * 37 % count) as f32 / count as f32;
        let size = if number % 3 == 0 { 40.0 } else { 6.0 };
        let center = [random.between(0.0, 32.0), random.between(0.0, 32.0)];
        for _ in 0..3 {
            let [x, y] = center.map(|at| {
                let at = at + random.between(-size, size);
                (at * 64.0).floor() / 64.0 / 16.0 - 1.0
            });
            vertices.push(vertex(x, y, z, color));
        }
    }
    vertices
}

fn draw_scene<'m, P: Profile>(
    screen: &Screen<'m, P>,
    setup: &mut Setup<'_, 'm>,
    blend: &BlendState,
    depth_test: Option<&DepthStencilAlphaState>,
    vertices: &[Vertex],
) {
    setup.blend(blend).unwrap();
    if let Some(test) = depth_test {
        setup.depth_test(test).unwrap();
    }
    setup.clear(BLUE, 1.0).unwrap();
    setup.upload(screen, vertices).unwrap();
    setup.draw(PrimType::Triangles, vertices.len() as u32).unwrap();
}
