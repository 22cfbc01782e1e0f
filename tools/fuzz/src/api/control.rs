//! The control picture: a textured, blended, depth-tested triangle, drawn in a new context.

use pipe_core::*;

use super::shaders::{PASS, TEXTURED};

/// Vertices: position and colour.
const VERTICES: [[[f32; 4]; 2]; 3] = [
    [[-0.9, -0.9, 0.1, 1.0], [1.0, 0.2, 0.0, 0.9]],
    [[0.9, -0.7, 0.5, 1.0], [0.1, 1.0, 0.3, 0.6]],
    [[-0.2, 0.9, 0.9, 1.0], [0.4, 0.0, 1.0, 0.8]],
];

/// Returns the vertices as bytes.
fn vertex_bytes() -> Vec<u8> {
    let floats = VERTICES.as_flattened().as_flattened();
    floats.iter().flat_map(|float| float.to_le_bytes()).collect()
}

/// Draws the picture, `side` pixels wide and high, and returns its bytes.
///
/// # Errors
/// Any error of the driver.
pub fn picture(screen: &dyn Screen<'_>, side: u32) -> Result<Vec<u8>, PipeError> {
    let mut made = Vec::new();
    let pixels = draw(screen, side, &mut made);
    for resource in made {
        screen.resource_destroy(resource)?;
    }
    pixels
}

fn draw(
    screen: &dyn Screen<'_>,
    side: u32,
    made: &mut Vec<ResourceHandle>,
) -> Result<Vec<u8>, PipeError> {
    let format = Format::R8G8B8A8Unorm;
    let mut create = |template: &ResourceTemplate| {
        let resource = screen.resource_create(template)?;
        made.push(resource);
        Ok::<_, PipeError>(resource)
    };
    let color = ResourceTemplate::texture_2d(format, side, side, Bind::RENDER_TARGET);
    let depth = ResourceTemplate::texture_2d(Format::Z16Unorm, side, side, Bind::DEPTH_STENCIL);
    let texels = ResourceTemplate::texture_2d(format, 2, 2, Bind::SAMPLER_VIEW);
    let vertices = vertex_bytes();
    let buffer = ResourceTemplate::buffer(vertices.len() as u32, Bind::VERTEX_BUFFER);
    let (color, zs) = (create(&color)?, create(&depth)?);
    let (texture, buffer) = (create(&texels)?, create(&buffer)?);

    let mut context = screen.context_create(ContextFlags::empty())?;
    let context = &mut *context;
    context.buffer_subdata(buffer, MapFlags::WRITE, 0, &vertices)?;
    let whole = Region::whole(2, 2, 1);
    let bytes: [u8; 16] = std::array::from_fn(|i| (i * 16 + 15) as u8);
    context.texture_subdata(texture, 0, MapFlags::WRITE, &whole, &bytes, 8, 0)?;
    bind(context, [color, zs, texture, buffer], &texels, side)?;
    let buffers = ClearFlags::COLOR0 | ClearFlags::DEPTH;
    context.clear(buffers, None, &ColorUnion::float([0.2, 0.3, 0.4, 1.0]), 1.0, 0)?;
    let draw = [DrawStartCount::count(3)];
    context.draw_vbo(&DrawInfo::new(PrimType::Triangles), None, &draw)?;
    if let Some(fence) = context.flush(FlushFlags::ASYNC)? {
        screen.fence_destroy(fence)?;
    }
    let region = Region::whole(side, side, 1);
    let transfer = context.transfer_map(color, 0, MapFlags::READ, &region)?;
    let pixels = context.transfer_bytes(transfer.handle)?.to_vec();
    context.transfer_unmap(transfer.handle)?;
    Ok(pixels)
}

/// Binds all state of the draw.
fn bind(
    context: &mut dyn Context<'_>,
    [color, depth, texture, buffer]: [ResourceHandle; 4],
    texels: &ResourceTemplate,
    side: u32,
) -> Result<(), PipeError> {
    let surface = context.create_surface(color, &SurfaceTemplate::of(texels.format))?;
    let zsbuf = context.create_surface(depth, &SurfaceTemplate::of(Format::Z16Unorm))?;
    let size = side as u16;
    context.set_framebuffer_state(&FramebufferState::single(size, size, surface, Some(zsbuf)))?;
    context.set_viewport_states(0, &[ViewportState::y_down(side, side)])?;
    let rasterizer = context.create_rasterizer_state(&RasterizerState::default())?;
    context.bind_rasterizer_state(Some(rasterizer))?;
    let blend = BlendState::uniform(RenderTargetBlendState::alpha_blending());
    let blend = context.create_blend_state(&blend)?;
    context.bind_blend_state(Some(blend))?;
    let depth = DepthStencilAlphaState::depth(CompareFunc::Less);
    let depth = context.create_depth_stencil_alpha_state(&depth)?;
    context.bind_depth_stencil_alpha_state(Some(depth))?;
    let elements = [0, 16].map(|at| VertexElement::per_vertex(at, Format::R32G32B32A32Float));
    let elements = context.create_vertex_elements_state(&elements)?;
    context.bind_vertex_elements_state(Some(elements))?;
    context.set_vertex_buffers(
        0,
        &[Some(VertexBuffer { resource: buffer, stride: 32, buffer_offset: 0 })],
    )?;
    let vertex = context.create_vs_state(&ShaderState::text(PASS))?;
    let fragment = context.create_fs_state(&ShaderState::text(TEXTURED))?;
    context.bind_vs_state(Some(vertex))?;
    context.bind_fs_state(Some(fragment))?;
    let view = context.create_sampler_view(texture, &SamplerViewTemplate::whole(texels))?;
    let sampler = context.create_sampler_state(&SamplerState::default())?;
    context.set_sampler_views(ShaderType::Fragment, 0, &[Some(view)])?;
    context.bind_sampler_states(ShaderType::Fragment, 0, &[Some(sampler)])
}
