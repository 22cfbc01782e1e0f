//! Tests every cap of the screen.

use formats::Format;
use pipe_core::query::RenderConditionMode;
use pipe_core::surface::Swizzle;
use pipe_core::{
    Bind, BlendFactor, BlendFunc, BlendState, Cap, ClearFlags, ColorUnion, CompareFunc,
    ConservativeRasterMode, ConstantBuffer, ContextFlags, DepthStencilAlphaState, DrawIndirect,
    DrawInfo, DrawStartCount, FramebufferState, IndexBuffer, MapFlags, PolygonMode, PrimType,
    QueryResult, QueryType, RasterizerState, ReductionMode, Region, RenderTargetBlendState,
    ResourceFlags, ResourceTemplate, SamplerState, ScissorState, Screen as _, ShaderBuffer,
    ShaderState, ShaderType, StencilOp, StencilState, SurfaceTemplate, TexCompare, TexFilter,
    TexMipFilter, TexWrap, TextureTarget, VertexBuffer, VertexElement, ViewportState,
    ViewportSwizzle, WindowRectangles,
};
use tgsi_macros::tgsi;

use crate::bench::*;
use crate::compute::run as compute;
use crate::{Judge, all_hold, judged};

const ALL: usize = SIDE * SIDE;

#[test]
fn every_cap() {
    let screen = screen();
    all_hold(
        Cap::ALL
            .iter()
            .map(|cap| judged(cap.gallium_name(), screen.get_param(*cap).into(), &judge(*cap))),
    );
}

fn all_lit(lit: usize) -> bool {
    lit == ALL
}

fn with_rasterizer(state: &RasterizerState) -> Done<bool> {
    pixels_with(state).map(all_lit)
}

fn query(kind: QueryType) -> Done<Option<QueryResult>> {
    let mut bench = Bench::new()?;
    let query = bench.context.create_query(kind, 0)?;
    if kind.needs_begin() {
        bench.context.begin_query(query)?;
    }
    bench.draw(PrimType::Triangles, 3)?;
    bench.context.end_query(query)?;
    bench.context.get_query_result(query, true)
}

/// Draws a texture over the target. Coordinates run from `from` at the first pixel's edge to
/// `from + span` at the last pixel's edge.
fn textured(
    template: &ResourceTemplate,
    texels: &'static [u8],
    sampler: &SamplerState,
    from: [f32; 2],
    span: [f32; 2],
) -> Done<Picture> {
    let mut bench = Bench::new()?;
    bench.programs(PASS, TEXEL)?;
    let at = |x: f32, y: f32| [from[0] + x * span[0], from[1] + y * span[1], 0.0, 1.0];
    let corners = [
        [-1.0, -1.0, 0.0, 1.0],
        at(0.0, 0.0),
        [3.0, -1.0, 0.0, 1.0],
        at(2.0, 0.0),
        [-1.0, 3.0, 0.0, 1.0],
        at(0.0, 2.0),
    ];
    bench.vertices(2, &corners)?;
    bench.texture(template, texels, sampler, |_| {})?;
    bench.draw(PrimType::Triangles, 3)?;
    bench.picture()
}

fn rgb565(width: u32, height: u32) -> ResourceTemplate {
    ResourceTemplate::texture_2d(Format::B5G6R5Unorm, width, height, Bind::SAMPLER_VIEW)
}

fn wrapping(wrap: TexWrap) -> SamplerState {
    SamplerState::wrapping(wrap)
}

/// Returns true if exactly the columns with a `wanted` coordinate are lit; coordinates run from
/// `from` over `span`.
fn columns(picture: &Picture, from: f64, span: f64, wanted: impl Fn(f64) -> bool) -> bool {
    picture.iter().all(|row| {
        row.iter().enumerate().all(|(x, pixel)| {
            let s = from + (x as f64 + 0.5) / SIDE as f64 * span;
            (*pixel != 0) == wanted(s)
        })
    })
}

/// Draws at depth `z` with a depth test against 1.0.
fn at_depth(z: f32, state: &RasterizerState, test: &DepthStencilAlphaState) -> Done<usize> {
    let mut bench = Bench::with(Some(Format::Z16Unorm))?;
    bench.rasterizer(state)?;
    bench.depth(test)?;
    bench.vertices(2, &covering(z, WHITE))?;
    bench.covered()
}

fn less() -> DepthStencilAlphaState {
    DepthStencilAlphaState::depth(CompareFunc::Less)
}

/// Draws from a buffer with vertices at any byte offset.
fn vertices_at(offset: usize, stride: usize, src_offset: usize) -> Done<bool> {
    let mut bench = Bench::new()?;
    let mut bytes = vec![0u8; offset + 3 * stride + 32 + src_offset];
    for (index, vertex) in covering(0.0, WHITE).chunks(2).enumerate() {
        let at = offset + index * stride + src_offset;
        bytes[at..at + 32].copy_from_slice(bytemuck::cast_slice(vertex));
    }
    let elements = [0, 16]
        .map(|at| VertexElement::per_vertex((src_offset + at) as u32, Format::R32G32B32A32Float));
    let elements = bench.context.create_vertex_elements_state(&elements)?;
    bench.context.bind_vertex_elements_state(Some(elements))?;
    let resource = bench.buffer(kept(&bytes), Bind::VERTEX_BUFFER)?;
    let buffer = VertexBuffer { resource, stride: stride as u32, buffer_offset: offset as u32 };
    bench.context.set_vertex_buffers(0, &[Some(buffer)])?;
    bench.covered().map(all_lit)
}

/// Draws two instances: the first black, the second white.
fn instances(start: u32, count: u32) -> Done<bool> {
    let mut bench = Bench::new()?;
    let colors = bench.buffer(kept(&[BLACK, WHITE]), Bind::VERTEX_BUFFER)?;
    let format = Format::R32G32B32A32Float;
    let color = VertexElement {
        vertex_buffer_index: 1,
        instance_divisor: 1,
        ..VertexElement::per_vertex(0, format)
    };
    let elements = [VertexElement::per_vertex(0, format), color];
    let positions = covering(0.0, WHITE);
    let positions = bench.buffer(kept(&positions), Bind::VERTEX_BUFFER)?;
    let elements = bench.context.create_vertex_elements_state(&elements)?;
    bench.context.bind_vertex_elements_state(Some(elements))?;
    let buffer = |resource, stride| Some(VertexBuffer { resource, stride, buffer_offset: 0 });
    bench.context.set_vertex_buffers(0, &[buffer(positions, 32), buffer(colors, 16)])?;
    let info = DrawInfo { start_instance: start, instance_count: count, ..DrawInfo::default() };
    let info = DrawInfo { mode: PrimType::Triangles, ..info };
    bench.context.draw_vbo(&info, None, &[DrawStartCount::count(3)])?;
    bench.lit().map(all_lit)
}

/// Draws `draws` times by the words of a buffer.
fn indirect(draws: u32, counted: bool) -> Done<bool> {
    let mut bench = Bench::new()?;
    let words = bench.buffer(kept(&[0u32, 1, 0, 0, 3, 1, 0, 0]), Bind::COMMAND_ARGS_BUFFER)?;
    let counter = bench.buffer(kept(&[draws]), Bind::COMMAND_ARGS_BUFFER)?;
    let first = if draws == 1 { 16 } else { 0 };
    let draw = DrawIndirect::Buffer {
        buffer: words,
        offset: first,
        stride: 16,
        draw_count: draws,
        indirect_draw_count: counted.then_some((counter, 0)),
    };
    bench.context.draw_vbo(&DrawInfo::new(PrimType::Triangles), Some(&draw), &[])?;
    bench.lit().map(all_lit)
}

/// Draws a strip that restarts after its first triangle.
fn restarted(index: u8) -> Done<bool> {
    let mut bench = Bench::new()?;
    let corners = [[-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0], [1.0, 1.0]];
    let corners: Vec<_> = corners.iter().flat_map(|[x, y]| [[*x, *y, 0.0, 1.0], WHITE]).collect();
    bench.vertices(2, &corners)?;
    let indices = kept(&[0, 1, 2, index, 3]);
    let info = DrawInfo {
        primitive_restart: true,
        restart_index: index.into(),
        ..DrawInfo::indexed(PrimType::TriangleStrip, IndexBuffer::user(indices, 1))
    };
    bench.context.draw_vbo(&info, None, &[DrawStartCount::count(5)])?;
    Ok((100..160).contains(&bench.lit()?))
}

/// Blends white over grey with an equation.
fn blended(target: RenderTargetBlendState, independent: bool) -> Done<usize> {
    let mut bench = Bench::new()?;
    let state = BlendState { independent_blend_enable: independent, ..BlendState::uniform(target) };
    bench.blend(&state)?;
    bench.covered()
}

/// Returns true if a resource can be created, and then creates it.
fn creatable(template: &ResourceTemplate) -> Done<bool> {
    let screen = screen();
    let can = screen.can_create_resource(template);
    let made = screen.resource_create(template);
    assert_eq!(can, made.is_ok(), "{template:?}: {made:?}");
    made.map(|_| true)
}

/// Returns true if `within` can be created and `beyond` cannot, without creating them.
fn largest(within: &ResourceTemplate, beyond: Option<&ResourceTemplate>) -> Done<bool> {
    let screen = screen();
    Ok(screen.can_create_resource(within)
        && beyond.is_none_or(|beyond| !screen.can_create_resource(beyond)))
}

fn vertex_is_made(program: &'static tgsi::program::Program<'static>) -> Done<bool> {
    let mut bench = Bench::new()?;
    bench.context.create_vs_state(&ShaderState::program(program)).map(|_| true)
}

fn fragment_is_made(program: &'static tgsi::program::Program<'static>) -> Done<bool> {
    let mut bench = Bench::new()?;
    bench.context.create_fs_state(&ShaderState::program(program)).map(|_| true)
}

/// Binds a white texture of floats or RGB565 and runs a program that judges its texel.
fn looked_up(program: &'static tgsi::program::Program<'static>) -> Done<bool> {
    let mut bench = Bench::new()?;
    bench.programs(PASS, program)?;
    let sampler = SamplerState::default();
    bench.texture(&rgb565(4, 4), kept(&[0xffffu16; 16]), &sampler, |_| {})?;
    bench.covered().map(all_lit)
}

/// Looks up a depth of 0.5 and compares it with 0.25.
fn shadowed(program: &'static tgsi::program::Program<'static>) -> Done<bool> {
    let mut bench = Bench::new()?;
    bench.programs(PASS, program)?;
    bench.vertices(2, &covering(0.0, [0.5, 0.5, 0.25, 0.0]))?;
    let sampler = SamplerState {
        compare_mode: TexCompare::RToTexture,
        compare_func: CompareFunc::Less,
        ..SamplerState::default()
    };
    let template = ResourceTemplate::texture_2d(Format::Z16Unorm, 4, 4, Bind::SAMPLER_VIEW);
    bench.texture(&template, kept(&[0x8000u16; 16]), &sampler, |_| {})?;
    let below = bench.covered()? == ALL;
    // 0.75 is not less than 0.5.
    bench.vertices(2, &covering(0.0, [0.5, 0.5, 0.75, 0.0]))?;
    let black = ColorUnion::float(BLACK);
    bench.context.clear(ClearFlags::COLOR0, None, &black, 1.0, 0)?;
    Ok(below && bench.covered()? == 0)
}

/// Draws a quadrilateral with the colour of its first vertex.
fn flat(mode: PrimType) -> Done<usize> {
    let mut bench = Bench::new()?;
    bench.programs(
        tgsi!(VERT DCL IN[0] DCL IN[1] DCL OUT[0], POSITION DCL OUT[1], COLOR MOV OUT[0], IN[0] MOV OUT[1], IN[1] END),
        tgsi!(FRAG DCL IN[0], COLOR, COLOR DCL OUT[0], COLOR MOV OUT[0], IN[0] END),
    )?;
    let state = RasterizerState { flatshade: true, flatshade_first: true, ..Default::default() };
    bench.rasterizer(&state)?;
    let corners = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];
    let colors = [WHITE, BLACK, BLACK, BLACK];
    let corners: Vec<_> = corners
        .iter()
        .zip(colors)
        .flat_map(|([x, y], color)| [[*x, *y, 0.0, 1.0], color])
        .collect();
    bench.vertices(2, &corners)?;
    bench.draw(mode, 4)?;
    bench.lit()
}

/// Draws a point of 16 pixels in the middle.
fn point(
    state: &RasterizerState,
    program: Option<&'static tgsi::program::Program<'static>>,
) -> Done<usize> {
    let mut bench = Bench::new()?;
    if let Some(program) = program {
        bench.programs(PASS, program)?;
    }
    bench.rasterizer(&RasterizerState { point_size: 16.0, ..*state })?;
    bench.vertices(2, &[[0.0, 0.0, 0.0, 1.0], WHITE])?;
    bench.draw(PrimType::Points, 1)?;
    bench.lit()
}

/// Draws a tiny primitive conservatively. It covers no pixel centre.
fn conservative(mode: PrimType, kind: ConservativeRasterMode) -> Done<bool> {
    let mut bench = Bench::new()?;
    let state = RasterizerState { conservative_raster_mode: kind, ..RasterizerState::default() };
    bench.rasterizer(&state)?;
    // Within the pixel (8, 7), off its centre.
    let corners = [[0.01, 0.01], [0.04, 0.01], [0.01, 0.04]];
    let corners: Vec<_> = corners.iter().flat_map(|[x, y]| [[*x, *y, 0.0, 1.0], WHITE]).collect();
    bench.vertices(2, &corners)?;
    let count = if mode == PrimType::Lines { 2 } else { 3 };
    bench.draw(mode, count)?;
    Ok(bench.lit()? > 0)
}

/// Checks each mode's bit by drawing.
fn modes(answer: i64, restarts: bool) -> Done<bool> {
    for mode in PrimType::ALL {
        let mut bench = Bench::new()?;
        let info = DrawInfo {
            primitive_restart: restarts,
            restart_index: 255,
            ..DrawInfo::indexed(*mode, IndexBuffer::user(&[0, 1, 2, 255, 0, 1, 2], 1))
        };
        let drawn = match restarts {
            true => bench.context.draw_vbo(&info, None, &[DrawStartCount::count(7)]),
            false => bench.draw(*mode, 3),
        };
        // Patches and adjacency need a stage that accepts them.
        let needs_stage = *mode == PrimType::Patches;
        let announced = answer >> mode.number() & 1 != 0;
        if !needs_stage && drawn.is_ok() != announced {
            println!("{mode:?}: {drawn:?}");
            return Ok(false);
        }
    }
    Ok(true)
}

/// The judgement of each cap.
fn judge(cap: Cap) -> Judge {
    use Judge::*;
    match cap {
        Cap::Graphics => Use(|| Bench::new()?.covered().map(all_lit)),
        Cap::NpotTextures => Use(|| {
            let texels = kept(&[0xffffu16, 0, 0xffff]);
            let repeat = wrapping(TexWrap::Repeat);
            let picture = textured(&rgb565(3, 1), texels, &repeat, [0.0; 2], [2.0, 1.0])?;
            Ok(columns(&picture, 0.0, 2.0, |s| (s.fract() * 3.0).floor() != 1.0))
        }),
        Cap::MaxDualSourceRenderTargets => Use(|| {
            let target = RenderTargetBlendState::uniform(
                BlendFunc::Add,
                BlendFactor::Src1Color,
                BlendFactor::Zero,
            );
            let mut bench = Bench::new()?;
            bench.blend(&BlendState::uniform(target))?;
            bench.programs(
                PASS,
                tgsi!(
                    FRAG DCL IN[0], GENERIC[0], PERSPECTIVE DCL OUT[0], COLOR DCL OUT[1], COLOR[1]
                    IMM[0] FLT32 { 0.0, 0.0, 0.0, 0.0 } MOV OUT[0], IN[0] MOV OUT[1], IMM[0] END
                ),
            )?;
            Ok(bench.covered()? == 0)
        }),
        Cap::AnisotropicFilter => Use(|| {
            // A footprint of one texel by eight: level 0 is white, all other levels are black.
            let template = rgb565(16, 16).mipmapped();
            let mut texels = vec![0xffffu16; 256];
            texels.resize(256 + 64 + 16 + 4 + 1, 0);
            let sampler = SamplerState {
                max_anisotropy: 16,
                min_img_filter: TexFilter::Linear,
                mag_img_filter: TexFilter::Linear,
                min_mip_filter: TexMipFilter::Nearest,
                ..SamplerState::default()
            };
            let picture = textured(&template, kept(&texels), &sampler, [0.0; 2], [1.0, 8.0])?;
            Ok(picture.iter().flatten().all(|pixel| *pixel != 0))
        }),
        Cap::PointSprite | Cap::TgsiTexcoord if !cfg!(feature = "fragments") => match cap {
            Cap::TgsiTexcoord => Hint("no point sprites in this build"),
            _ => Use(|| point(&RasterizerState::default(), None).map(all_lit)),
        },
        Cap::PointSprite | Cap::TgsiTexcoord => Use(|| {
            let state = RasterizerState {
                point_quad_rasterization: true,
                sprite_coord_enable: 1,
                ..RasterizerState::default()
            };
            let right_half = tgsi!(
                FRAG DCL IN[0], TEXCOORD[0], PERSPECTIVE DCL OUT[0], COLOR
                IMM[0] FLT32 { 0.5, 0.0, 0.0, 0.0 } SGE OUT[0], IN[0].xxxx, IMM[0].xxxx END
            );
            Ok(point(&state, Some(right_half))? == ALL / 2)
        }),
        Cap::MaxRenderTargets => Number(|count| {
            let bind = |count: i64| {
                let mut bench = Bench::new()?;
                let side = SIDE as u16;
                let mut state =
                    FramebufferState { width: side, height: side, ..Default::default() };
                let template = ResourceTemplate::texture_2d(
                    FORMAT,
                    side.into(),
                    side.into(),
                    Bind::RENDER_TARGET,
                );
                for slot in state.cbufs.iter_mut().take(count as usize) {
                    let target = bench.screen.resource_create(&template)?;
                    *slot =
                        Some(bench.context.create_surface(target, &SurfaceTemplate::of(FORMAT))?);
                }
                bench.context.set_framebuffer_state(&state)
            };
            bind(count)?;
            Ok(count == 8 || bind(count + 1).is_err())
        }),
        Cap::OcclusionQuery => {
            Use(|| Ok(query(QueryType::OcclusionCounter)? == Some(QueryResult::U64(ALL as u64))))
        }
        Cap::QueryTimeElapsed => Use(|| query(QueryType::TimeElapsed).map(|it| it.is_some())),
        Cap::QueryTimestamp => Use(|| query(QueryType::Timestamp).map(|it| it.is_some())),
        Cap::QueryPipelineStatistics => {
            Use(|| query(QueryType::PipelineStatistics).map(|it| it.is_some()))
        }
        Cap::QuerySoOverflow => {
            Use(|| query(QueryType::SoOverflowPredicate).map(|it| it.is_some()))
        }
        Cap::ConditionalRenderInverted => Use(|| {
            let mut bench = Bench::new()?;
            let query = bench.context.create_query(QueryType::OcclusionPredicate, 0)?;
            bench.context.begin_query(query)?;
            bench.vertices(2, &covering(0.0, BLACK))?;
            bench.draw(PrimType::Triangles, 3)?;
            bench.context.end_query(query)?;
            // It passed: an inverted condition skips the draw.
            bench.context.render_condition(Some(query), true, RenderConditionMode::Wait)?;
            bench.vertices(2, &covering(0.0, WHITE))?;
            Ok(bench.covered()? == 0)
        }),
        Cap::QueryBufferObject => Use(|| {
            let mut bench = Bench::new()?;
            let query = bench.context.create_query(QueryType::OcclusionCounter, 0)?;
            bench.context.begin_query(query)?;
            bench.context.end_query(query)?;
            let buffer = ResourceTemplate::buffer(16, Bind::QUERY_BUFFER);
            let buffer = bench.screen.resource_create(&buffer)?;
            let kind = pipe_core::query::QueryValueType::U32;
            let none = None::<u32>;
            bench.context.get_query_result_resource(query, true, kind, none, buffer, 0)?;
            Ok(true)
        }),
        Cap::TextureShadowMap => Use(|| {
            shadowed(tgsi!(
                FRAG DCL IN[0], GENERIC[0], PERSPECTIVE DCL OUT[0], COLOR DCL SAMP[0]
                DCL SVIEW[0], SHADOW2D, FLOAT TEX OUT[0], IN[0], SAMP[0], SHADOW2D END
            ))
        }),
        Cap::TextureShadowLod => Use(|| {
            shadowed(tgsi!(
                FRAG DCL IN[0], GENERIC[0], PERSPECTIVE DCL OUT[0], COLOR DCL SAMP[0]
                DCL SVIEW[0], SHADOW2D, FLOAT TXL OUT[0], IN[0], SAMP[0], SHADOW2D END
            ))
        }),
        Cap::TextureSwizzle => Use(|| {
            let mut bench = Bench::new()?;
            bench.programs(PASS, TEXEL)?;
            // Green only, returned in every component.
            let green = kept(&[0x07e0u16]);
            bench.texture(&rgb565(1, 1), green, &SamplerState::default(), |view| {
                view.swizzle = [Swizzle::Y; 4];
            })?;
            bench.draw(PrimType::Triangles, 3)?;
            let white = if FORMAT == Format::R8Unorm { 0xff } else { 0xffff };
            Ok(bench.picture()?.iter().flatten().all(|pixel| *pixel == white))
        }),
        Cap::MaxTexture2dSize => Number(|side| {
            let side = side as u32;
            largest(&rgb565(side, 1), Some(&rgb565(side + 1, 1)))
        }),
        Cap::MaxTexture3dLevels => Number(|levels| {
            let of = |width0| ResourceTemplate {
                target: TextureTarget::Texture3D,
                width0,
                ..rgb565(1, 1)
            };
            if levels == 0 {
                return Ok(!screen().can_create_resource(&of(1)));
            }
            let side = 1 << (levels - 1);
            // One texel more is still a valid size for other targets.
            largest(&of(side), None)
        }),
        Cap::MaxTextureCubeLevels => Number(|levels| {
            let of = |side| ResourceTemplate {
                target: TextureTarget::Cube,
                array_size: 6,
                ..rgb565(side, side)
            };
            if levels == 0 {
                return Ok(!screen().can_create_resource(&of(1)));
            }
            // The whole texture is larger than `MaxTextureMb` allows.
            Ok(screen().can_create_resource(&of(1 << (levels - 3)))
                && !screen().can_create_resource(&of(1 << levels)))
        }),
        Cap::MaxTextureArrayLayers => Number(|layers| {
            let of = |array_size| ResourceTemplate {
                target: TextureTarget::Texture2DArray,
                array_size,
                ..rgb565(1, 1)
            };
            let layers = layers as u32;
            match layers {
                0 => Ok(!screen().can_create_resource(&of(2))),
                _ => largest(&of(layers), None),
            }
        }),
        Cap::MaxTextureMb => Number(|mebibytes| {
            // A square of four bytes per texel.
            let side = ((mebibytes << 18) as f64).sqrt() as u32;
            let of = |format| ResourceTemplate { format, ..rgb565(side, side) };
            if i64::from(side) > i64::from(screen().get_param(Cap::MaxTexture2dSize)) {
                return Ok(true);
            }
            largest(&of(Format::R8G8B8A8Unorm), Some(&of(Format::R16G16B16A16Float)))
        }),
        Cap::TextureMirrorClampToEdge => Use(|| {
            let wrap = wrapping(TexWrap::MirrorClampToEdge);
            let texels = kept(&[0u16, 0xffff]);
            let picture = textured(&rgb565(2, 1), texels, &wrap, [-2.0, 0.0], [4.0, 1.0])?;
            Ok(columns(&picture, -2.0, 4.0, |s| s.abs() > 0.5))
        }),
        Cap::TextureMirrorClamp => Use(|| {
            let mut wrap = wrapping(TexWrap::MirrorClampToBorder);
            wrap.border_color = ColorUnion::float(WHITE);
            let texels = kept(&[0u16, 0]);
            let picture = textured(&rgb565(2, 1), texels, &wrap, [-2.0, 0.0], [4.0, 1.0])?;
            Ok(columns(&picture, -2.0, 4.0, |s| s.abs() > 1.0))
        }),
        Cap::GlClamp => Use(|| {
            let mut wrap = wrapping(TexWrap::Clamp);
            wrap.border_color = ColorUnion::float(WHITE);
            (wrap.min_img_filter, wrap.mag_img_filter) = (TexFilter::Linear, TexFilter::Linear);
            let texels = kept(&[0u16; 4]);
            let picture = textured(&rgb565(2, 2), texels, &wrap, [-1.0, 0.5], [2.0, 0.0])?;
            // Up to half a texel from the edge, half of the border is blended in.
            Ok(columns(&picture, -1.0, 2.0, |s| !(0.25..=0.75).contains(&s)))
        }),
        Cap::SamplerReductionMinmax | Cap::SamplerReductionMinmaxArb => Use(|| {
            let mut sampler = wrapping(TexWrap::ClampToEdge);
            (sampler.min_img_filter, sampler.mag_img_filter) =
                (TexFilter::Linear, TexFilter::Linear);
            sampler.reduction_mode = ReductionMode::Min;
            let texels = kept(&[0u16, 0xffff]);
            let picture = textured(&rgb565(2, 1), texels, &sampler, [0.0; 2], [1.0, 1.0])?;
            // Beyond the white texel's centre only white remains.
            Ok(columns(&picture, 0.0, 1.0, |s| s > 0.75))
        }),
        Cap::BlendEquationSeparate => Use(|| {
            let target = RenderTargetBlendState {
                alpha_func: BlendFunc::Subtract,
                ..RenderTargetBlendState::uniform(
                    BlendFunc::Add,
                    BlendFactor::One,
                    BlendFactor::One,
                )
            };
            blended(target, false).map(all_lit)
        }),
        Cap::IndepBlendEnable | Cap::IndepBlendFunc => Use(|| {
            let one = BlendFactor::One;
            let target = RenderTargetBlendState::uniform(BlendFunc::Add, one, one);
            if !cfg!(feature = "fragments") {
                return left_out();
            }
            blended(target, true).map(all_lit)
        }),
        Cap::PrimitiveRestart => Use(|| restarted(7)),
        Cap::PrimitiveRestartFixedIndex => Use(|| restarted(255)),
        Cap::PrimitiveRestartForPatches => {
            Hint("patches: it::stages draws them; the bit is judged by SupportedPrimModes")
        }
        Cap::FsCoordOriginUpperLeft => Use(|| {
            let mut bench = Bench::new()?;
            bench.programs(PASS, tgsi!(
                FRAG DCL IN[0], POSITION, LINEAR DCL OUT[0], COLOR IMM[0] FLT32 { 4.0, 0.0, 0.0, 0.0 }
                SLT OUT[0], IN[0].yyyy, IMM[0].xxxx END
            ))?;
            bench.draw(PrimType::Triangles, 3)?;
            let picture = bench.picture()?;
            Ok((0..SIDE).all(|y| (picture[y][5] != 0) == (y < 4)))
        }),
        Cap::FsCoordOriginLowerLeft => Use(|| {
            let mut bench = Bench::new()?;
            bench.programs(PASS, tgsi!(
                FRAG PROPERTY FS_COORD_ORIGIN LOWER_LEFT
                DCL IN[0], POSITION, LINEAR DCL OUT[0], COLOR IMM[0] FLT32 { 4.0, 0.0, 0.0, 0.0 }
                SLT OUT[0], IN[0].yyyy, IMM[0].xxxx END
            ))?;
            bench.draw(PrimType::Triangles, 3)?;
            let picture = bench.picture()?;
            Ok((0..SIDE).all(|y| (picture[y][5] != 0) == (y >= 12)))
        }),
        Cap::FsCoordPixelCenterHalfInteger => Use(|| {
            fragment_says(tgsi!(
                FRAG DCL IN[0], POSITION, LINEAR DCL OUT[0], COLOR DCL TEMP[0] IMM[0] FLT32 { 0.5, 0.0, 0.0, 0.0 }
                FRC TEMP[0], IN[0].xxxx SEQ OUT[0], TEMP[0], IMM[0].xxxx END
            ))
        }),
        Cap::FsCoordPixelCenterInteger => Use(|| {
            fragment_says(tgsi!(
                FRAG PROPERTY FS_COORD_PIXEL_CENTER INTEGER
                DCL IN[0], POSITION, LINEAR DCL OUT[0], COLOR DCL TEMP[0] IMM[0] FLT32 { 0.5, 0.0, 0.0, 0.0 }
                FRC TEMP[0], IN[0].xxxx SEQ OUT[0], TEMP[0], IMM[0].yyyy END
            ))
        }),
        Cap::DepthClipDisable => Use(|| {
            let state = RasterizerState {
                depth_clip_near: false,
                depth_clip_far: false,
                depth_clamp: true,
                ..RasterizerState::default()
            };
            let mut bench = Bench::new()?;
            bench.vertices(2, &covering(2.0, WHITE))?;
            let clipped = bench.covered()? == 0;
            bench.rasterizer(&state)?;
            Ok(clipped && bench.covered()? == ALL)
        }),
        Cap::DepthClipDisableSeparate => Use(|| {
            let state = RasterizerState { depth_clip_near: false, ..RasterizerState::default() };
            let mut bench = Bench::new()?;
            bench.rasterizer(&state)?;
            bench.vertices(2, &covering(-2.0, WHITE))?;
            let near = bench.covered()? == ALL;
            bench.context.clear(ClearFlags::COLOR0, None, &ColorUnion::float(BLACK), 1.0, 0)?;
            bench.vertices(2, &covering(2.0, WHITE))?;
            Ok(near && bench.covered()? == 0)
        }),
        Cap::DepthClampEnable => Use(|| {
            // Without clip planes, a depth of 1.5 is clamped to 1.0 if the state requests it.
            let state = RasterizerState {
                depth_clip_near: false,
                depth_clip_far: false,
                depth_clamp: true,
                ..RasterizerState::default()
            };
            let equal = DepthStencilAlphaState::depth(CompareFunc::Equal);
            Ok(at_depth(2.0, &state, &equal)? == ALL)
        }),
        Cap::ShaderStencilExport => Use(|| {
            let mut bench = Bench::with(Some(Format::Z24UnormS8Uint))?;
            let mut state = DepthStencilAlphaState::default();
            let pass = StencilOp::Replace;
            state.stencil[0] = StencilState {
                enabled: true,
                func: CompareFunc::Equal,
                zpass_op: pass,
                valuemask: 0xff,
                writemask: 0xff,
                ..StencilState::default()
            };
            bench.depth(&state)?;
            let five = tgsi!(
                FRAG DCL IN[0], GENERIC[0], PERSPECTIVE DCL OUT[0], COLOR DCL OUT[1], STENCIL
                IMM[0] INT32 { 5, 5, 5, 5 } MOV OUT[0], IN[0] MOV OUT[1].y, IMM[0] END
            );
            let zero = tgsi!(
                FRAG DCL IN[0], GENERIC[0], PERSPECTIVE DCL OUT[0], COLOR DCL OUT[1], STENCIL
                IMM[0] INT32 { 0, 0, 0, 0 } MOV OUT[0], IN[0] MOV OUT[1].y, IMM[0] END
            );
            bench.programs(PASS, five)?;
            let differs = bench.covered()? == 0;
            bench.programs(PASS, zero)?;
            Ok(differs && bench.covered()? == ALL)
        }),
        Cap::VsInstanceid => Use(|| {
            vertex_says(vertex!(
                DCL SV[0], INSTANCEID IMM[0] FLT32 { 0.0, 0.0, 0.0, 0.0 }
                I2F TEMP[0], SV[0].xxxx SEQ OUT[1], TEMP[0], IMM[0]
            ))
        }),
        Cap::DrawParameters => Use(|| {
            vertex_says(vertex!(
                DCL SV[0], BASEVERTEX DCL SV[1], BASEINSTANCE DCL SV[2], DRAWID
                IMM[0] FLT32 { 0.0, 0.0, 0.0, 0.0 }
                OR TEMP[0], SV[0].xxxx, SV[1].xxxx OR TEMP[0], TEMP[0], SV[2].xxxx
                I2F TEMP[0], TEMP[0] SEQ OUT[1], TEMP[0], IMM[0]
            ))
        }),
        Cap::VertexElementInstanceDivisor => Use(|| instances(0, 2)),
        Cap::StartInstance => Use(|| instances(1, 1)),
        Cap::FragmentColorClamped => Use(|| {
            with_rasterizer(&RasterizerState { clamp_fragment_color: true, ..Default::default() })
        }),
        Cap::VertexColorUnclamped | Cap::VertexColorClamped if !cfg!(feature = "fragments") => {
            Hint("targets of these builds hold no colours beyond 1.0")
        }
        Cap::VertexColorUnclamped => Use(|| above_one(false).map(all_lit)),
        Cap::VertexColorClamped => Use(|| above_one(true).map(|lit| lit == 0)),
        Cap::MixedColorbufferFormats => Use(|| {
            let mut bench = Bench::new()?;
            let side = SIDE as u32;
            let mut state =
                FramebufferState { width: side as u16, height: side as u16, ..Default::default() };
            let formats = [FORMAT, Format::R8G8B8A8Unorm];
            for (slot, format) in state.cbufs.iter_mut().zip(formats) {
                let target = ResourceTemplate::texture_2d(format, side, side, Bind::RENDER_TARGET);
                let target = bench.screen.resource_create(&target)?;
                *slot = Some(bench.context.create_surface(target, &SurfaceTemplate::of(format))?);
            }
            bench.context.set_framebuffer_state(&state)?;
            bench.draw(PrimType::Triangles, 3)?;
            Ok(true)
        }),
        Cap::MixedFramebufferSizes => Use(|| {
            let mut bench = Bench::new()?;
            let of = |format, side, bind| ResourceTemplate::texture_2d(format, side, side, bind);
            let color = of(FORMAT, 16, Bind::RENDER_TARGET);
            let color = bench.screen.resource_create(&color)?;
            let depth = of(Format::Z16Unorm, 32, Bind::DEPTH_STENCIL);
            let depth = bench.screen.resource_create(&depth)?;
            let color = bench.context.create_surface(color, &SurfaceTemplate::of(FORMAT))?;
            let depth =
                bench.context.create_surface(depth, &SurfaceTemplate::of(Format::Z16Unorm))?;
            let state = FramebufferState::single(16, 16, color, Some(depth));
            bench.context.set_framebuffer_state(&state)?;
            bench.draw(PrimType::Triangles, 3)?;
            Ok(true)
        }),
        Cap::FramebufferNoAttachment => Use(|| {
            let mut bench = Bench::new()?;
            let state = FramebufferState { width: 16, height: 16, ..FramebufferState::default() };
            bench.context.set_framebuffer_state(&state)?;
            bench.draw(PrimType::Triangles, 3)?;
            Ok(true)
        }),
        Cap::GlslFeatureLevel | Cap::GlslFeatureLevelCompatibility | Cap::EsslFeatureLevel => {
            Hint("a version sums up the other caps")
        }
        Cap::QuadsFollowProvokingVertexConvention => Use(|| flat(PrimType::Quads).map(all_lit)),
        Cap::Flatshade => Use(|| flat(PrimType::Triangles).map(|lit| lit > 0)),
        Cap::UserVertexBuffers => Absent("buffers lie in resources"),
        Cap::SignedVertexBufferOffset => Absent("offsets are unsigned"),
        Cap::VertexBufferOffset4byteAlignedOnly => Without(|| vertices_at(1, 32, 0)),
        Cap::VertexBufferStride4byteAlignedOnly => Without(|| vertices_at(0, 33, 0)),
        Cap::VertexElementSrcOffset4byteAlignedOnly => Without(|| vertices_at(0, 36, 1)),
        Cap::VertexAttribElementAlignedOnly => Without(|| vertices_at(3, 35, 2)),
        Cap::MaxVertexAttribStride => Number(|most| vertices_at(0, most as usize, 0)),
        Cap::MaxVertexElementSrcOffset => Number(|most| vertices_at(0, 64, most as usize - 16)),
        Cap::MaxVertexBuffers => Number(|count| {
            let mut bench = Bench::new()?;
            let resource = bench.buffer(kept(&[0u8; 16]), Bind::VERTEX_BUFFER)?;
            let buffer = Some(VertexBuffer { resource, stride: 16, buffer_offset: 0 });
            bench.context.set_vertex_buffers(count as usize - 1, &[buffer])?;
            Ok(bench.context.set_vertex_buffers(count as usize, &[buffer]).is_err())
        }),
        Cap::CanBindConstBufferAsVertex => Use(|| {
            let mut bench = Bench::new()?;
            let resource = bench.buffer(kept(&covering(0.0, WHITE)), Bind::CONSTANT_BUFFER)?;
            let buffer = VertexBuffer { resource, stride: 32, buffer_offset: 0 };
            bench.context.set_vertex_buffers(0, &[Some(buffer)])?;
            bench.covered().map(all_lit)
        }),
        Cap::ConstantBufferOffsetAlignment => Number(|alignment| {
            let mut bench = Bench::new()?;
            let program = vertex!(DCL CONST[0][0] MOV OUT[1], CONST[0][0]);
            bench.programs(program, SHOW)?;
            let mut values = vec![0.0f32; alignment as usize / 4];
            values.extend(WHITE);
            let resource = bench.buffer(kept(&values), Bind::CONSTANT_BUFFER)?;
            let buffer_offset = alignment as u32;
            let buffer = ConstantBuffer::Resource { resource, buffer_offset, buffer_size: 16 };
            bench.context.set_constant_buffer(ShaderType::Vertex, 0, Some(buffer))?;
            bench.covered().map(all_lit)
        }),
        Cap::Compute => Use(|| {
            compute(
                tgsi!(COMP DCL BUFFER[0] IMM[0] UINT32 { 0, 7, 0, 0 } STORE BUFFER[0].x, IMM[0].xxxx, IMM[0].yyyy END),
                [0; 4],
            )
            .map(|words| words[0] == 7)
        }),
        Cap::ImageAtomicFloatAdd => Use(|| {
            compute(
                tgsi!(COMP DCL BUFFER[0] DCL TEMP[0] IMM[0] UINT32 { 0, 4, 0, 0 } IMM[1] FLT32 { 1.5, 0.0, 0.0, 0.0 }
                    ATOMFADD TEMP[0].x, BUFFER[0], IMM[0].xxxx, IMM[1].xxxx STORE BUFFER[0].x, IMM[0].yyyy, TEMP[0] END),
                [2.0f32.to_bits(), 0, 0, 0],
            )
            .map(|words| words[..2] == [3.5f32.to_bits(), 2.0f32.to_bits()])
        }),
        Cap::ImageAtomicIncWrap => Use(|| {
            compute(
                tgsi!(COMP DCL BUFFER[0] DCL TEMP[0] IMM[0] UINT32 { 0, 4, 2, 0 }
                    ATOMINC_WRAP TEMP[0].x, BUFFER[0], IMM[0].xxxx, IMM[0].zzzz
                    ATOMINC_WRAP TEMP[0].x, BUFFER[0], IMM[0].yyyy, IMM[0].zzzz END),
                [1, 2, 0, 0],
            )
            .map(|words| words[..2] == [2, 0])
        }),
        Cap::ComputeGridInfoLastBlock => Use(crate::compute::last_block),
        Cap::ComputeShaderDerivative => {
            Hint("derivatives of compute programs are not defined: quads are a fragment's")
        }
        Cap::TextureMultisample => Use(|| {
            let bind = Bind::RENDER_TARGET | Bind::SAMPLER_VIEW;
            creatable(&ResourceTemplate {
                nr_samples: 4,
                nr_storage_samples: 4,
                bind,
                ..rgb565(16, 16)
            })
        }),
        Cap::MultisampleZResolve => Hint("it::samples::copies resolves depth"),
        Cap::TextureQuerySamples => Use(|| {
            let mut bench = Bench::new()?;
            bench.programs(PASS, tgsi!(
                FRAG DCL OUT[0], COLOR DCL SAMP[0] DCL SVIEW[0], 2D_MSAA, FLOAT DCL TEMP[0]
                IMM[0] FLT32 { 4.0, 0.0, 0.0, 0.0 }
                TXQS TEMP[0].x, SAMP[0], 2D_MSAA I2F TEMP[0], TEMP[0].xxxx SEQ OUT[0], TEMP[0], IMM[0].xxxx END
            ))?;
            let bind = Bind::RENDER_TARGET | Bind::SAMPLER_VIEW;
            let template =
                ResourceTemplate { nr_samples: 4, nr_storage_samples: 4, bind, ..rgb565(4, 4) };
            let texture = bench.screen.resource_create(&template)?;
            let view = pipe_core::SamplerViewTemplate::whole(&template);
            let view = bench.context.create_sampler_view(texture, &view)?;
            bench.context.set_sampler_views(ShaderType::Fragment, 0, &[Some(view)])?;
            bench.covered().map(all_lit)
        }),
        Cap::SampleShading => Use(|| {
            fragment_says(tgsi!(
                FRAG DCL SV[0], SAMPLEID DCL OUT[0], COLOR DCL TEMP[0] IMM[0] FLT32 { 0.0, 0.0, 0.0, 0.0 }
                I2F TEMP[0], SV[0].xxxx SEQ OUT[0], TEMP[0], IMM[0] END
            ))
        }),
        Cap::ForcePersampleInterp => Use(|| {
            with_rasterizer(&RasterizerState { force_persample_interp: true, ..Default::default() })
        }),
        Cap::ProgrammableSampleLocations => {
            Use(|| Bench::new()?.context.set_sample_locations(&[0x88]).map(|()| true))
        }
        Cap::MinMapBufferAlignment => Number(|alignment| {
            let mut bench = Bench::new()?;
            if !cfg!(feature = "es2") {
                return Ok(true);
            }
            let persistent = MapFlags::WRITE | MapFlags::PERSISTENT;
            // Explicit flushes make a map a copy.
            let copied = MapFlags::WRITE | MapFlags::FLUSH_EXPLICIT;
            let mut usages = vec![MapFlags::READ, MapFlags::WRITE, copied];
            let mut template = ResourceTemplate::buffer(1000, Bind::VERTEX_BUFFER);
            if bench.screen.get_param(Cap::BufferMapPersistentCoherent) != 0 {
                template.flags = ResourceFlags::MAP_PERSISTENT;
                usages.push(persistent);
            }
            let buffer = bench.screen.resource_create(&template)?;
            for usage in usages {
                for offset in [0, 1, 64, 100, 999] {
                    let region = Region::bytes(offset, 1);
                    let map = bench.context.transfer_map(buffer, 0, usage, &region)?;
                    let address = bench.context.transfer_bytes(map.handle)?.as_ptr().addr();
                    bench.context.transfer_unmap(map.handle)?;
                    // ARB_map_buffer_alignment: the pointer minus the offset is aligned.
                    if !(address - offset as usize).is_multiple_of(alignment as usize) {
                        return Ok(false);
                    }
                }
            }
            Ok(alignment >= 64 || !cfg!(feature = "desktop"))
        }),
        Cap::BufferMapPersistentCoherent => Use(|| {
            let mut bench = Bench::new()?;
            let flags = ResourceFlags::MAP_PERSISTENT | ResourceFlags::MAP_COHERENT;
            let buffer =
                ResourceTemplate { flags, ..ResourceTemplate::buffer(16, Bind::VERTEX_BUFFER) };
            let buffer = bench.screen.resource_create(&buffer)?;
            let usage = MapFlags::WRITE | MapFlags::PERSISTENT | MapFlags::COHERENT;
            bench.context.transfer_map(buffer, 0, usage, &Region::bytes(0, 16)).map(|_| true)
        }),
        Cap::TextureBufferOffsetAlignment | Cap::MaxTextureBufferSize => Number(|answer| {
            let mut bench = Bench::new()?;
            let template = ResourceTemplate::buffer(1024, Bind::SAMPLER_VIEW);
            let made = bench.screen.resource_from_user_memory(&template, kept(&[0u8; 1024]));
            if answer == 0 {
                // Firmware does not check a template's bindings, and never looks up texels in a
                // buffer.
                return Ok(made.is_err() || !cfg!(feature = "compile"));
            }
            let range = pipe_core::SamplerViewRange::Buffer { offset: 16, size: 16 };
            let view = pipe_core::SamplerViewTemplate {
                format: Format::R8G8B8A8Unorm,
                range,
                ..pipe_core::SamplerViewTemplate::whole(&template)
            };
            bench.context.create_sampler_view(made?, &view).map(|_| true)
        }),
        Cap::BufferSamplerViewRgbaOnly | Cap::TextureBufferSampler => Hint("0 restricts nothing"),
        Cap::TextureTransferModes => Hint("the CPU converts, as there is nothing else"),
        Cap::TextureBorderColorQuirk => Hint("0: no quirk"),
        Cap::MaxViewports => Number(|count| {
            let mut bench = Bench::new()?;
            let one = [ViewportState::y_down(16, 16)];
            bench.context.set_viewport_states(count as usize - 1, &one)?;
            Ok(bench.context.set_viewport_states(count as usize, &one).is_err())
        }),
        Cap::Endianness => Number(|big| Ok((big != 0) == cfg!(target_endian = "big"))),
        Cap::VsLayerViewport => Use(|| {
            vertex_is_made(vertex!(
                DCL OUT[2], LAYER IMM[0] INT32 { 0, 0, 0, 0 } MOV OUT[2], IMM[0] MOV OUT[1], IN[0]
            ))
        }),
        Cap::TesLayerViewport => Hint("it::stages draws to layers from evaluation shaders"),
        Cap::ViewportMask => Use(|| {
            vertex_is_made(vertex!(
                DCL OUT[2], VIEWPORT_MASK IMM[0] INT32 { 0, 0, 0, 0 } MOV OUT[2], IMM[0] MOV OUT[1], IN[0]
            ))
        }),
        Cap::MaxGeometryOutputVertices => Number(|most| {
            let made = |program| {
                let mut bench = Bench::new()?;
                bench
                    .context
                    .create_shader_state(ShaderType::Geometry, &ShaderState::program(program))
            };
            let within = made(tgsi!(
                GEOM PROPERTY GS_INPUT_PRIMITIVE POINTS PROPERTY GS_OUTPUT_PRIMITIVE POINTS
                PROPERTY GS_MAX_OUTPUT_VERTICES 1024 DCL IN[][0], POSITION DCL OUT[0], POSITION
                MOV OUT[0], IN[0][0] END
            ));
            let beyond = made(tgsi!(
                GEOM PROPERTY GS_INPUT_PRIMITIVE POINTS PROPERTY GS_OUTPUT_PRIMITIVE POINTS
                PROPERTY GS_MAX_OUTPUT_VERTICES 1025 DCL IN[][0], POSITION DCL OUT[0], POSITION
                MOV OUT[0], IN[0][0] END
            ));
            Ok(beyond.is_err() && within.is_ok() == (most == 1024))
        }),
        Cap::MaxGsInvocations => Number(|most| {
            let made = |program| {
                let mut bench = Bench::new()?;
                bench
                    .context
                    .create_shader_state(ShaderType::Geometry, &ShaderState::program(program))
            };
            let within = made(tgsi!(
                GEOM PROPERTY GS_INPUT_PRIMITIVE POINTS PROPERTY GS_OUTPUT_PRIMITIVE POINTS
                PROPERTY GS_MAX_OUTPUT_VERTICES 1 PROPERTY GS_INVOCATIONS 32
                DCL IN[][0], POSITION DCL OUT[0], POSITION MOV OUT[0], IN[0][0] END
            ));
            let beyond = made(tgsi!(
                GEOM PROPERTY GS_INPUT_PRIMITIVE POINTS PROPERTY GS_OUTPUT_PRIMITIVE POINTS
                PROPERTY GS_MAX_OUTPUT_VERTICES 1 PROPERTY GS_INVOCATIONS 33
                DCL IN[][0], POSITION DCL OUT[0], POSITION MOV OUT[0], IN[0][0] END
            ));
            Ok(beyond.is_err() && within.is_ok() == (most == 32))
        }),
        Cap::MaxGeometryTotalOutputComponents => Number(|all| Ok(all == 0 || all >= 1024)),
        Cap::MaxShaderPatchVaryings => Number(|count| Ok(count == 0 || count >= 30)),
        Cap::MaxTextureGatherComponents => Use(|| {
            looked_up(tgsi!(
                FRAG DCL IN[0], GENERIC[0], PERSPECTIVE DCL OUT[0], COLOR DCL SAMP[0] DCL SVIEW[0], 2D, FLOAT
                IMM[0] INT32 { 1, 0, 0, 0 } TG4 OUT[0], IN[0], IMM[0].xxxx, SAMP[0], 2D END
            ))
        }),
        Cap::TextureGatherSm5 => Use(|| {
            looked_up(tgsi!(
                FRAG DCL IN[0], GENERIC[0], PERSPECTIVE DCL OUT[0], COLOR DCL SAMP[0] DCL SVIEW[0], 2D, FLOAT
                DCL TEMP[0] F2I TEMP[0], IN[0] TG4 OUT[0], IN[0], TEMP[0].xxxx, SAMP[0], 2D, TEMP[0].xyz END
            ))
        }),
        Cap::TextureGatherOffsets => Use(|| {
            looked_up(tgsi!(
                FRAG DCL IN[0], GENERIC[0], PERSPECTIVE DCL OUT[0], COLOR DCL SAMP[0] DCL SVIEW[0], 2D, FLOAT
                IMM[0] INT32 { 0, 1, 2, 3 }
                TG4 OUT[0], IN[0], IMM[0].xxxx, SAMP[0], 2D, IMM[0].xyz, IMM[0].yxz, IMM[0].xxz, IMM[0].yyz END
            ))
        }),
        Cap::MinTextureGatherOffset | Cap::MaxTextureGatherOffset => Use(|| {
            looked_up(tgsi!(
                FRAG DCL IN[0], GENERIC[0], PERSPECTIVE DCL OUT[0], COLOR DCL SAMP[0] DCL SVIEW[0], 2D, FLOAT
                IMM[0] INT32 { 0, -8, 7, 0 } TG4 OUT[0], IN[0], IMM[0].xxxx, SAMP[0], 2D, IMM[0].yzx END
            ))
        }),
        Cap::TgsiTg4ComponentInSwizzle => {
            Hint("an encoding that the driver may want: TG4 has its component as a source")
        }
        Cap::TextureQueryLod => Use(|| {
            looked_up(tgsi!(
                FRAG DCL IN[0], GENERIC[0], PERSPECTIVE DCL OUT[0], COLOR DCL SAMP[0] DCL SVIEW[0], 2D, FLOAT
                DCL TEMP[0] IMM[0] FLT32 { 0.0, 0.0, 0.0, 0.0 }
                LODQ TEMP[0], IN[0], SAMP[0], 2D SEQ OUT[0], TEMP[0].xxxx, IMM[0] END
            ))
        }),
        Cap::TgsiTexTxfLz => Use(|| {
            looked_up(tgsi!(
                FRAG DCL IN[0], GENERIC[0], PERSPECTIVE DCL OUT[0], COLOR DCL SAMP[0] DCL SVIEW[0], 2D, FLOAT
                DCL TEMP[0..1] IMM[0] INT32 { 1, 1, 0, 0 }
                TEX_LZ TEMP[0], IN[0], SAMP[0], 2D TXF_LZ TEMP[1], IMM[0], SAMP[0], 2D
                MUL OUT[0], TEMP[0], TEMP[1] END
            ))
        }),
        Cap::FragmentShaderTextureLod => Use(|| {
            looked_up(tgsi!(
                FRAG DCL IN[0], GENERIC[0], PERSPECTIVE DCL OUT[0], COLOR DCL SAMP[0] DCL SVIEW[0], 2D, FLOAT
                TXL OUT[0], IN[0], SAMP[0], 2D END
            ))
        }),
        Cap::FragmentShaderDerivatives => Use(|| {
            fragment_says(tgsi!(
                FRAG DCL IN[0], POSITION, LINEAR DCL OUT[0], COLOR DCL TEMP[0] IMM[0] FLT32 { 1.0, 0.0, 0.0, 0.0 }
                DDX TEMP[0], IN[0].xxxx SEQ OUT[0], TEMP[0], IMM[0].xxxx END
            ))
        }),
        Cap::FsFineDerivative => Use(|| {
            fragment_says(tgsi!(
                FRAG DCL IN[0], POSITION, LINEAR DCL OUT[0], COLOR DCL TEMP[0] IMM[0] FLT32 { 1.0, 0.0, 0.0, 0.0 }
                DDY_FINE TEMP[0], IN[0].yyyy SEQ OUT[0], TEMP[0], IMM[0].xxxx END
            ))
        }),
        Cap::TextureFloatLinear => Use(|| filtered_floats(Format::R32Float, kept(&[0.0f32, 1.0]))),
        Cap::TextureHalfFloatLinear => {
            Use(|| filtered_floats(Format::R16Float, kept(&[0u16, 0x3c00])))
        }
        Cap::VsWindowSpacePosition => Use(|| {
            let mut bench = Bench::new()?;
            bench.programs(
                tgsi!(
                    VERT PROPERTY VS_WINDOW_SPACE_POSITION 1 DCL IN[0] DCL IN[1] DCL OUT[0], POSITION
                    DCL OUT[1], GENERIC[0] MOV OUT[0], IN[0] MOV OUT[1], IN[1] END
                ),
                SHOW,
            )?;
            let corners = [[0.0, 0.0], [32.0, 0.0], [0.0, 32.0]];
            let corners: Vec<_> =
                corners.iter().flat_map(|[x, y]| [[*x, *y, 0.5, 1.0], WHITE]).collect();
            bench.vertices(2, &corners)?;
            bench.covered().map(all_lit)
        }),
        Cap::MaxStreamOutputBuffers
        | Cap::MaxVertexStreams
        | Cap::StreamOutputPauseResume
        | Cap::StreamOutputInterleaveBuffers => Use(|| {
            let mut bench = Bench::new()?;
            let buffer = ResourceTemplate::buffer(64, Bind::STREAM_OUTPUT);
            let buffer = bench.screen.resource_create(&buffer)?;
            bench.context.create_stream_output_target(buffer, 0, 64).map(|_| true)
        }),
        Cap::PackedStreamOutput => Hint("the driver takes outputs as they are described"),
        Cap::DrawIndirect => Use(|| indirect(1, false)),
        Cap::MultiDrawIndirect => Use(|| indirect(2, false)),
        Cap::MultiDrawIndirectParams => Use(|| indirect(2, true)),
        Cap::VendorId
        | Cap::DeviceId
        | Cap::Accelerated
        | Cap::VideoMemory
        | Cap::Uma
        | Cap::PciGroup
        | Cap::PciBus
        | Cap::PciDevice
        | Cap::PciFunction => Hint("a fact about hardware, of which there is none"),
        Cap::SamplerViewTarget => Use(|| {
            if !cfg!(feature = "es2") {
                // The program with lookups of other shapes is rejected: `state.rs`.
                return left_out();
            }
            let mut bench = Bench::new()?;
            let template = rgb565(4, 4);
            let texture = bench.screen.resource_from_user_memory(&template, kept(&[0u16; 16]))?;
            let mut view = pipe_core::SamplerViewTemplate::whole(&template);
            view.target = TextureTarget::Texture2DArray;
            bench.context.create_sampler_view(texture, &view).map(|_| true)
        }),
        Cap::ClipHalfz => Use(|| {
            let mut bench = Bench::new()?;
            bench.vertices(2, &covering(-0.5, WHITE))?;
            let kept = bench.covered()? == ALL;
            bench.context.clear(ClearFlags::COLOR0, None, &ColorUnion::float(BLACK), 1.0, 0)?;
            bench.rasterizer(&RasterizerState { clip_halfz: true, ..Default::default() })?;
            Ok(kept && bench.covered()? == 0)
        }),
        Cap::VertexidNobase => Hint("0: VERTEXID is read"),
        Cap::PolygonOffsetClamp => Use(|| {
            let far = RasterizerState { offset_tri: true, offset_units: 1e6, ..Default::default() };
            let near = RasterizerState { offset_clamp: 0.1, ..far };
            Ok(at_depth(0.0, &far, &less())? == 0 && at_depth(0.0, &near, &less())? == ALL)
        }),
        Cap::PolygonOffsetUnitsUnscaled => Use(|| {
            let units =
                RasterizerState { offset_tri: true, offset_units: 0.6, ..Default::default() };
            let depth = RasterizerState { offset_units_unscaled: true, ..units };
            Ok(at_depth(0.0, &units, &less())? == ALL && at_depth(0.0, &depth, &less())? == 0)
        }),
        Cap::ResourceFromUserMemory => {
            Use(|| Bench::new()?.buffer(kept(&[0u8; 16]), Bind::VERTEX_BUFFER).map(|_| true))
        }
        Cap::ResourceFromUserMemoryComputeOnly => Hint("0: user memory serves everything"),
        Cap::DeviceResetStatusQuery => Hint("it::resets asks after commands that were stopped"),
        Cap::DepthBoundsTest => Use(|| {
            let test = DepthStencilAlphaState {
                depth_bounds_test: true,
                depth_bounds_max: 0.1,
                ..DepthStencilAlphaState::default()
            };
            // The stored depth is 1.0.
            Ok(at_depth(0.0, &RasterizerState::default(), &test)? == 0)
        }),
        Cap::AlphaTest => Use(|| {
            let mut bench = Bench::new()?;
            bench.depth(&DepthStencilAlphaState {
                alpha_enabled: true,
                alpha_func: CompareFunc::Greater,
                alpha_ref_value: 0.5,
                ..DepthStencilAlphaState::default()
            })?;
            bench.vertices(2, &covering(0.0, [1.0, 1.0, 1.0, 0.25]))?;
            let dropped = bench.covered()? == 0;
            bench.vertices(2, &covering(0.0, WHITE))?;
            Ok(dropped && bench.covered()? == ALL)
        }),
        Cap::ShareableShaders => Absent("a shader belongs to its context"),
        Cap::CopyBetweenCompressedAndPlainFormats => Hint("it::blits copies blocks to texels"),
        Cap::ClearTexture => Use(|| {
            let mut bench = Bench::new()?;
            let target = bench.target;
            let region = Region::rect(0, 0, 16, 16);
            let white = [0xff; 2];
            bench.context.clear_texture(target, 0, &region, &white[..FORMAT.block_bytes()])?;
            bench.lit().map(all_lit)
        }),
        Cap::ClearScissored => Use(|| {
            let mut bench = Bench::new()?;
            let scissor = ScissorState { minx: 0, miny: 0, maxx: 8, maxy: 8 };
            let white = ColorUnion::float(WHITE);
            bench.context.clear(ClearFlags::COLOR0, Some(&scissor), &white, 1.0, 0)?;
            Ok(bench.lit()? == 64)
        }),
        Cap::ShaderPackHalfFloat => Use(|| {
            vertex_says(vertex!(
                IMM[0] FLT32 { 1.0, -2.0, 0.0, 0.0 } IMM[1] UINT32 { 3221240832, 0, 0, 0 }
                PK2H TEMP[0].x, IMM[0].xyxy USEQ TEMP[0], TEMP[0].xxxx, IMM[1].xxxx
                AND OUT[1], TEMP[0], IMM[0].xxxx
            ))
        }),
        Cap::FsPositionIsSysval | Cap::FsPointIsSysval | Cap::FsFaceIsIntegerSysval => {
            Hint("0: inputs are read")
        }
        Cap::ShaderBufferOffsetAlignment => Number(|alignment| {
            let mut bench = Bench::new()?;
            if alignment == 0 {
                return Ok(!bench
                    .screen
                    .can_create_resource(&ResourceTemplate::buffer(1024, Bind::SHADER_BUFFER))
                    || !cfg!(feature = "compile"));
            }
            let resource = ResourceTemplate::buffer(1024, Bind::SHADER_BUFFER);
            let resource = bench.screen.resource_create(&resource)?;
            let buffer_offset = alignment as u32;
            let buffer = ShaderBuffer { resource, buffer_offset, buffer_size: 16 };
            bench.context.set_shader_buffers(ShaderType::Fragment, 0, &[Some(buffer)], 1)?;
            Ok(true)
        }),
        Cap::InvalidateBuffer => Use(|| {
            let mut bench = Bench::new()?;
            let buffer = bench.buffer(kept(&[0u8; 16]), Bind::VERTEX_BUFFER)?;
            bench.context.invalidate_resource(buffer).map(|()| true)
        }),
        Cap::GenerateMipmap => Use(|| {
            let mut bench = Bench::new()?;
            let template =
                ResourceTemplate { bind: Bind::SAMPLER_VIEW, ..rgb565(4, 4) }.mipmapped();
            let texture = match bench.screen.resource_create(&template) {
                Ok(texture) => texture,
                Err(_) => bench.target,
            };
            let format = template.format;
            bench
                .context
                .generate_mipmap(texture, format, 0, template.last_level, 0, 0)
                .map(|()| true)
        }),
        Cap::StringMarker => Hint("a call without an outcome"),
        Cap::SurfaceReinterpretBlocks => Use(|| {
            let mut bench = Bench::new()?;
            let template = ResourceTemplate::texture_2d(Format::Dxt1Rgb, 4, 4, Bind::SAMPLER_VIEW);
            let texture = bench.screen.resource_create(&template)?;
            let surface = SurfaceTemplate::of(Format::R16G16B16A16Unorm);
            bench.context.create_surface(texture, &surface).map(|_| true)
        }),
        Cap::SurfaceSampleCount => Use(|| {
            let mut bench = Bench::new()?;
            let target = bench.target;
            let surface = SurfaceTemplate { nr_samples: 4, ..SurfaceTemplate::of(FORMAT) };
            match cfg!(feature = "samples") {
                true => bench.context.create_surface(target, &surface).map(|_| true),
                false => left_out(),
            }
        }),
        Cap::FramebufferMsaaConstraints => Hint("0: attachments have one sample count"),
        Cap::RobustBufferAccessBehavior => Hint("it::shader_memory reads beyond buffers"),
        Cap::CullDistance => Use(|| {
            let mut bench = Bench::new()?;
            bench.programs(
                tgsi!(
                    VERT PROPERTY NUM_CLIPDIST_ENABLED 1 PROPERTY NUM_CULLDIST_ENABLED 1 DCL IN[0] DCL OUT[0], POSITION DCL OUT[1], GENERIC[0]
                    DCL OUT[2], CLIPDIST[0] IMM[0] FLT32 { 1.0, -1.0, 1.0, 1.0 }
                    MOV OUT[0], IN[0] MOV OUT[1], IMM[0].xxxx MOV OUT[2], IMM[0] END
                ),
                SHOW,
            )?;
            Ok(bench.covered()? == 0)
        }),
        Cap::CullDistanceNocombine => Hint("a pass over NIR"),
        Cap::ClipPlanes => Use(|| {
            let mut bench = Bench::new()?;
            bench.rasterizer(&RasterizerState { clip_plane_enable: 1, ..Default::default() })?;
            let mut planes = pipe_core::ClipState::default();
            planes.ucp[0] = [1.0, 0.0, 0.0, 0.0];
            bench.context.set_clip_state(&planes);
            Ok(bench.covered()? == ALL / 2)
        }),
        Cap::ShaderGroupVote => Use(|| {
            vertex_says(vertex!(
                IMM[0] INT32 { -1, 0, 0, 0 } IMM[1] FLT32 { 1.0, 0.0, 0.0, 0.0 }
                VOTE_ALL TEMP[0].x, IMM[0].xxxx AND OUT[1], TEMP[0].xxxx, IMM[1].xxxx
            ))
        }),
        Cap::ShaderBallot => Use(|| {
            vertex_says(vertex!(
                IMM[0] INT32 { -1, 0, 0, 0 } IMM[1] FLT32 { 1.0, 0.0, 0.0, 0.0 }
                BALLOT TEMP[0].xy, IMM[0].xxxx OR TEMP[0], TEMP[0].xxxx, TEMP[0].yyyy
                USNE TEMP[0], TEMP[0], IMM[0].yyyy AND OUT[1], TEMP[0], IMM[1].xxxx
            ))
        }),
        Cap::ShaderClock => Use(|| {
            vertex_says(vertex!(
                IMM[0] FLT32 { 1.0, 0.0, 0.0, 0.0 } CLOCK TEMP[0].xy MOV OUT[1], IMM[0].xxxx
            ))
        }),
        Cap::MaxWindowRectangles => Number(|count| {
            let mut bench = Bench::new()?;
            let of = |count: i64| WindowRectangles { count: count as u8, ..Default::default() };
            let within = count == 0 || bench.context.set_window_rectangles(&of(count)).is_ok();
            Ok(within && bench.context.set_window_rectangles(&of(count + 1)).is_err())
        }),
        Cap::ViewportSubpixelBits | Cap::RasterizerSubpixelBits => Number(|bits| Ok(bits == 8)),
        Cap::MixedColorDepthBits => Hint("depth and colour lie apart"),
        Cap::ShaderArrayComponents => Use(|| {
            // Two arrays share two registers, half a register each: their second elements make 0.25
            // * 4.0.
            let mut bench = Bench::new()?;
            bench.programs(
                tgsi!(
                    VERT DCL IN[0] DCL OUT[0], POSITION
                    DCL OUT[1..2].xy, ARRAY(1), GENERIC[0] DCL OUT[1..2].zw, ARRAY(2), GENERIC[0]
                    DCL ADDR[0] IMM[0] FLT32 { 0.25, 4.0, 0.0, 9.0 } IMM[1] UINT32 { 1, 0, 0, 0 }
                    MOV OUT[0], IN[0] MOV OUT[1], IMM[0].wwww MOV OUT[2], IMM[0].zzzz
                    UARL ADDR[0].x, IMM[1].xxxx
                    MOV OUT[ADDR[0].x+1](1).xy, IMM[0].xxxx MOV OUT[ADDR[0].x+1](2).zw, IMM[0].yyyy END
                ),
                tgsi!(
                    FRAG DCL IN[0..1].xy, ARRAY(1), GENERIC[0], PERSPECTIVE
                    DCL IN[0..1].zw, ARRAY(2), GENERIC[0], CONSTANT
                    DCL OUT[0], COLOR DCL TEMP[0] DCL ADDR[0] IMM[0] UINT32 { 1, 0, 0, 0 }
                    UARL ADDR[0].x, IMM[0].xxxx MOV TEMP[0], IN[ADDR[0].x](1).yyyy
                    MUL OUT[0], TEMP[0], IN[ADDR[0].x](2).zzzz END
                ),
            )?;
            Ok(bench.covered()? == ALL)
        }),
        Cap::ShaderCanReadOutputs => Use(|| {
            vertex_says(vertex!(
                IMM[0] FLT32 { 0.5, 0.0, 0.0, 0.0 } MOV OUT[1], IMM[0].xxxx ADD OUT[1], OUT[1], OUT[1]
            ))
        }),
        Cap::Fbfetch => Use(|| {
            // Pixels that were cleared to black stay black.
            let mut bench = Bench::new()?;
            bench.programs(PASS, tgsi!(FRAG DCL OUT[0], COLOR FBFETCH OUT[0], OUT[0] END))?;
            Ok(bench.covered()? == 0)
        }),
        Cap::FbfetchCoherent => Hint("it::framebuffer_fetch draws over what it draws"),
        Cap::TextureBarrier => Hint("a call without an outcome: it::feedback has its effect"),
        Cap::TgsiMulZeroWins => Use(|| {
            vertex_says(tgsi!(
                VERT PROPERTY LEGACY_MATH_RULES 1 DCL IN[0] DCL OUT[0], POSITION DCL OUT[1], GENERIC[0] DCL TEMP[0]
                IMM[0] UINT32 { 2139095040, 0, 0, 0 }
                MUL TEMP[0], IMM[0].xxxx, IMM[0].yyyy SEQ OUT[1], TEMP[0], IMM[0].yyyy MOV OUT[0], IN[0] END
            ))
        }),
        Cap::Doubles => Use(|| {
            vertex_says(vertex!(
                IMM[0] FLT64 { 1.5, 2.25 } IMM[1] FLT64 { 3.75, 0.0 } IMM[2] FLT32 { 1.0, 0.0, 0.0, 0.0 }
                DADD TEMP[0].xy, IMM[0].xyxy, IMM[0].zwzw DSEQ TEMP[1].x, TEMP[0].xyxy, IMM[1].xyxy
                AND OUT[1], TEMP[1].xxxx, IMM[2].xxxx
            ))
        }),
        Cap::Int64 => Use(|| {
            vertex_says(vertex!(
                IMM[0] UINT64 { 4294967295, 1 } IMM[1] UINT64 { 4294967296, 0 } IMM[2] FLT32 { 1.0, 0.0, 0.0, 0.0 }
                U64ADD TEMP[0].xy, IMM[0].xyxy, IMM[0].zwzw U64SEQ TEMP[1].x, TEMP[0].xyxy, IMM[1].xyxy
                AND OUT[1], TEMP[1].xxxx, IMM[2].xxxx
            ))
        }),
        Cap::Int64Divmod => Use(|| {
            vertex_says(vertex!(
                IMM[0] UINT64 { 8589934597, 3 } IMM[1] UINT64 { 2863311532, 1 } IMM[2] FLT32 { 1.0, 0.0, 0.0, 0.0 }
                U64DIV TEMP[0].xy, IMM[0].xyxy, IMM[0].zwzw U64MOD TEMP[1].xy, IMM[0].xyxy, IMM[0].zwzw
                U64SEQ TEMP[2].x, TEMP[0].xyxy, IMM[1].xyxy U64SEQ TEMP[3].x, TEMP[1].xyxy, IMM[1].zwzw
                AND TEMP[2].x, TEMP[2].xxxx, TEMP[3].xxxx AND OUT[1], TEMP[2].xxxx, IMM[2].xxxx
            ))
        }),
        Cap::PolygonModeFillRectangle => Use(|| {
            let rectangle = PolygonMode::FillRectangle;
            let mut bench = Bench::new()?;
            let state = RasterizerState {
                fill_front: rectangle,
                fill_back: rectangle,
                ..RasterizerState::default()
            };
            bench.rasterizer(&state)?;
            let corners = [[-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0]];
            let corners: Vec<_> =
                corners.iter().flat_map(|[x, y]| [[*x, *y, 0.0, 1.0], WHITE]).collect();
            bench.vertices(2, &corners)?;
            bench.covered().map(all_lit)
        }),
        Cap::SparseBufferPageSize => Use(|| {
            let flags = ResourceFlags::SPARSE;
            creatable(&ResourceTemplate {
                flags,
                ..ResourceTemplate::buffer(1 << 17, Bind::SHADER_BUFFER)
            })
        }),
        Cap::MaxSparseTextureSize => Use(|| {
            creatable(&ResourceTemplate { flags: ResourceFlags::SPARSE, ..rgb565(256, 256) })
        }),
        Cap::MaxSparse3dTextureSize => Use(|| {
            let target = TextureTarget::Texture3D;
            creatable(&ResourceTemplate {
                flags: ResourceFlags::SPARSE,
                target,
                ..rgb565(256, 256)
            })
        }),
        Cap::MaxSparseArrayTextureLayers => Use(|| {
            let target = TextureTarget::Texture2DArray;
            let flags = ResourceFlags::SPARSE;
            creatable(&ResourceTemplate { flags, target, array_size: 2, ..rgb565(256, 256) })
        }),
        Cap::SparseTextureFullArrayCubeMipmaps
        | Cap::QuerySparseTextureResidency
        | Cap::ClampSparseTextureLod => {
            Hint("parts of sparse textures, which their own tests have")
        }
        Cap::AllowMappedBuffersDuringExecution => Hint("maps are copies, or persistent"),
        Cap::PostDepthCoverage => {
            Hint("with one sample every covered fragment passed: it::samples has the mask")
        }
        Cap::BlendEquationAdvanced => Use(|| {
            fragment_is_made(tgsi!(
                FRAG PROPERTY FS_BLEND_EQUATION_ADVANCED 1
                DCL IN[0], GENERIC[0], PERSPECTIVE DCL OUT[0], COLOR MOV OUT[0], IN[0] END
            ))
        }),
        Cap::BindlessTexture => Use(|| {
            let mut bench = Bench::new()?;
            let template = rgb565(4, 4);
            let texture = bench.screen.resource_from_user_memory(&template, kept(&[0u16; 16]))?;
            let view = pipe_core::SamplerViewTemplate::whole(&template);
            let view = bench.context.create_sampler_view(texture, &view)?;
            let sampler = bench.context.create_sampler_state(&SamplerState::default())?;
            bench.context.create_texture_handle(view, sampler).map(|handle| handle != 0)
        }),
        Cap::Memobj | Cap::FenceSignal | Cap::DrawVertexState => Hint(
            "calls that builds without `desktop` do not have: it::sharing, external_fences, desktop",
        ),
        Cap::LoadConstbuf => Use(|| {
            let mut bench = Bench::new()?;
            bench.programs(PASS, tgsi!(
                FRAG DCL OUT[0], COLOR DCL CONST[0][0..1] DCL TEMP[0] IMM[0] UINT32 { 16, 0, 0, 0 }
                LOAD TEMP[0], CONSTBUF[0], IMM[0].xxxx MOV OUT[0], TEMP[0] END
            ))?;
            let values = [BLACK, WHITE];
            let bytes = ConstantBuffer::User(bytemuck::cast_slice(&values));
            bench.context.set_constant_buffer(ShaderType::Fragment, 0, Some(bytes))?;
            bench.covered().map(all_lit)
        }),
        Cap::TileRasterOrder => Use(|| {
            with_rasterizer(&RasterizerState {
                tile_raster_order_fixed: true,
                ..Default::default()
            })
        }),
        Cap::MaxCombinedShaderOutputResources
        | Cap::MaxCombinedShaderBuffers
        | Cap::MaxCombinedHwAtomicCounters
        | Cap::MaxCombinedHwAtomicCounterBuffers => {
            Hint("sums over stages, whose numbers are judged")
        }
        Cap::ContextPriorityMask => Hint("priorities are hints"),
        Cap::Constbuf0Flags | Cap::PackedUniforms => Hint("0 asks for nothing"),
        Cap::ConservativeRasterPostSnapTriangles => {
            Use(|| conservative(PrimType::Triangles, ConservativeRasterMode::PostSnap))
        }
        Cap::ConservativeRasterPreSnapTriangles => {
            Use(|| conservative(PrimType::Triangles, ConservativeRasterMode::PreSnap))
        }
        Cap::ConservativeRasterPostSnapPointsLines => {
            Use(|| conservative(PrimType::Lines, ConservativeRasterMode::PostSnap))
        }
        Cap::ConservativeRasterPreSnapPointsLines => {
            Use(|| conservative(PrimType::Lines, ConservativeRasterMode::PreSnap))
        }
        Cap::ConservativeRasterPostDepthCoverage | Cap::ConservativeRasterInnerCoverage => {
            Hint("parts that the contract has no member for")
        }
        Cap::MaxConservativeRasterSubpixelPrecisionBias => Number(|most| {
            let state = RasterizerState { subpixel_precision_x: 1, ..RasterizerState::default() };
            Ok(pixels_with(&state).is_err() == (most == 0))
        }),
        Cap::MaxShaderBufferSize => {
            Number(|most| Ok((most > 0) == cfg!(feature = "shader-memory")))
        }
        Cap::MaxTextureUploadMemoryBudget | Cap::Throttle | Cap::GlBeginEndBufferSize => {
            Hint("advice to frontends")
        }
        Cap::RgbOverrideDstAlphaBlend => Hint("0: formats without alpha read it as 1"),
        Cap::GlslTessLevelsAsInputs => Hint("0: system values are read"),
        Cap::DestSurfaceSrgbControl => Use(|| {
            let mut bench = Bench::new()?;
            let template =
                ResourceTemplate::texture_2d(Format::R8G8B8A8Unorm, 4, 4, Bind::RENDER_TARGET);
            let target = bench.screen.resource_create(&template)?;
            let surface = SurfaceTemplate::of(Format::R8G8B8A8Srgb);
            bench.context.create_surface(target, &surface).map(|_| true)
        }),
        Cap::MaxVaryings => Number(|count| Ok(count == 32)),
        Cap::ImageLoadFormatted | Cap::ImageStoreFormatted => Use(|| {
            fragment_is_made(tgsi!(
                FRAG DCL OUT[0], COLOR DCL IMAGE[0], 2D, WR DCL TEMP[0] IMM[0] INT32 { 0, 0, 0, 0 }
                LOAD TEMP[0], IMAGE[0], IMM[0].xxxx, 2D STORE IMAGE[0].xyzw, IMM[0].xxxx, TEMP[0], 2D
                MOV OUT[0], TEMP[0] END
            ))
        }),
        Cap::TgsiDiv => Use(|| {
            vertex_says(vertex!(
                IMM[0] FLT32 { 6.0, 4.0, 1.5, 0.0 } DIV TEMP[0], IMM[0].xxxx, IMM[0].yyyy
                SEQ OUT[1], TEMP[0], IMM[0].zzzz
            ))
        }),
        Cap::VertexShaderSaturate => Use(|| {
            vertex_says(vertex!(
                IMM[0] FLT32 { 3.0, 1.0, 0.0, 0.0 } MOV_SAT TEMP[0], IMM[0].xxxx SEQ OUT[1], TEMP[0], IMM[0].yyyy
            ))
        }),
        Cap::DemoteToHelperInvocation => Use(|| {
            let mut bench = Bench::new()?;
            bench.programs(PASS, fragment!(DEMOTE MOV OUT[0], IN[0]))?;
            Ok(bench.covered()? == 0)
        }),
        Cap::TwoSidedColor => Use(|| {
            let mut bench = Bench::new()?;
            bench.programs(
                tgsi!(
                    VERT DCL IN[0] DCL OUT[0], POSITION DCL OUT[1], COLOR DCL OUT[2], BCOLOR
                    IMM[0] FLT32 { 0.0, 1.0, 0.0, 0.0 }
                    MOV OUT[0], IN[0] MOV OUT[1], IMM[0].xxxx MOV OUT[2], IMM[0].yyyy END
                ),
                tgsi!(FRAG DCL IN[0], COLOR, COLOR DCL OUT[0], COLOR MOV OUT[0], IN[0] END),
            )?;
            let back =
                RasterizerState { light_twoside: true, front_ccw: true, ..Default::default() };
            let front = RasterizerState { front_ccw: false, ..back };
            bench.rasterizer(&back)?;
            let one = bench.covered()?;
            bench.context.clear(ClearFlags::COLOR0, None, &ColorUnion::float(BLACK), 1.0, 0)?;
            bench.rasterizer(&front)?;
            // The back colour is white. It shows in one of the two states.
            Ok(one + bench.covered()? == ALL)
        }),
        Cap::PointSizeFixed => Use(|| point(&RasterizerState::default(), None).map(all_lit)),
        Cap::PsizClamped | Cap::ViewportTransformLowered | Cap::EmulateNonfixedPrimitiveRestart => {
            Hint("0: the driver does it")
        }
        Cap::ViewportSwizzle => Use(|| {
            let mut bench = Bench::new()?;
            let mut viewport = ViewportState::y_down(16, 16);
            viewport.swizzle[0] = ViewportSwizzle::NegativeX;
            bench.context.set_viewport_states(0, &[viewport])?;
            // The left half is mirrored to the right half.
            let corners = [[-1.0, -3.0], [0.0, -3.0], [-1.0, 9.0], [0.0, 9.0]];
            let corners: Vec<_> =
                corners.iter().flat_map(|[x, y]| [[*x, *y, 0.0, 1.0], WHITE]).collect();
            bench.vertices(2, &corners)?;
            bench.draw(PrimType::TriangleStrip, 4)?;
            let picture = bench.picture()?;
            Ok((0..SIDE).all(|x| (picture[8][x] != 0) == (x >= 8)))
        }),
        Cap::Texrect => Use(|| {
            let mut bench = Bench::new()?;
            bench.programs(PASS, tgsi!(
                FRAG DCL IN[0], GENERIC[0], PERSPECTIVE DCL OUT[0], COLOR DCL SAMP[0] DCL SVIEW[0], RECT, FLOAT
                TEX OUT[0], IN[0], SAMP[0], RECT END
            ))?;
            let sampler =
                SamplerState { normalized_coords: false, ..wrapping(TexWrap::ClampToEdge) };
            let template = ResourceTemplate { target: TextureTarget::Rect, ..rgb565(2, 2) };
            bench.texture(&template, kept(&[0xffffu16; 4]), &sampler, |_| {})?;
            bench.covered().map(all_lit)
        }),
        Cap::SupportedPrimModes => Number(|answer| modes(answer, false)),
        Cap::SupportedPrimModesWithRestart => Number(|answer| modes(answer, true)),
        Cap::DeviceProtectedContent => Use(|| {
            screen().context_create(ContextFlags::PROTECTED)?;
            creatable(&ResourceTemplate { flags: ResourceFlags::ENCRYPTED, ..rgb565(4, 4) })
        }),
        Cap::MapUnsynchronizedThreadSafe
        | Cap::NoClipOnCopyTex
        | Cap::CsDerivedSystemValuesSupported => Hint("0 promises nothing"),
        Cap::Dmabuf | Cap::SystemSvm => {
            Absent("the contract has no descriptors and no shared addresses")
        }
        Cap::GlSpirv | Cap::GlSpirvVariablePointers => Absent("shaders are TGSI"),
        Cap::FragmentShaderInterlock
        | Cap::AtomicFloatMinmax
        | Cap::ShaderSamplesIdentical
        | Cap::IntegerMultiply32x16
        | Cap::OpenclIntegerFunctions => Absent("TGSI has no opcode for it"),
        Cap::GlslOptimizeConservatively
        | Cap::GlslZeroInit
        | Cap::TgsiSkipShrinkIoArrays
        | Cap::NirSamplersAsDeref
        | Cap::NirImagesAsDeref
        | Cap::NirAtomicsAsDeref
        | Cap::NirCompactArrays
        | Cap::PreferImmArraysAsConstbuf
        | Cap::PreferPotAlignedVaryings => Hint("a matter of Mesa's compiler"),
        Cap::PreferBackBufferReuse
        | Cap::PreferComputeForMultimedia
        | Cap::PreferRealBufferInConstbuf0 => Hint("a preference of other hardware"),
    }
}

/// Draws a vertex colour of 2.0; pixels above 1.0 are lit.
fn above_one(clamp_vertex_color: bool) -> Done<usize> {
    let mut bench = Bench::new()?;
    bench.programs(
        tgsi!(
            VERT DCL IN[0] DCL OUT[0], POSITION DCL OUT[1], COLOR IMM[0] FLT32 { 2.0, 0.0, 0.0, 0.0 }
            MOV OUT[0], IN[0] MOV OUT[1], IMM[0].xxxx END
        ),
        tgsi!(
            FRAG DCL IN[0], COLOR, COLOR DCL OUT[0], COLOR IMM[0] FLT32 { 1.5, 0.0, 0.0, 0.0 }
            SGT OUT[0], IN[0].xxxx, IMM[0].xxxx END
        ),
    )?;
    bench.rasterizer(&RasterizerState { clamp_vertex_color, ..RasterizerState::default() })?;
    bench.covered()
}

/// Filters two float texels, 0 and 1: the result must be between them.
fn filtered_floats(format: Format, texels: &'static [u8]) -> Done<bool> {
    let mut sampler = wrapping(TexWrap::ClampToEdge);
    (sampler.min_img_filter, sampler.mag_img_filter) = (TexFilter::Linear, TexFilter::Linear);
    let template = ResourceTemplate { format, ..rgb565(2, 1) };
    let picture = textured(&template, texels, &sampler, [0.5, 0.0], [0.0, 1.0])?;
    // Half of red's 31 steps.
    Ok(picture.iter().flatten().all(|pixel| (15..=16).contains(&(pixel >> 11))))
}
