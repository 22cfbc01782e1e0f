//! Every rule of the checking wrapper, each broken once, over the null driver.

use gallium_pipe_core::context::*;
use gallium_pipe_core::query::{QueryValueType, RenderConditionMode};
use gallium_pipe_core::wrap::{Check, CheckScreen, NullContext, NullScreen};
use gallium_pipe_core::*;
use os_shim::Memory;

const VS: &str = "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\n  0: MOV OUT[0], IN[0]\n  1: END\n";
const FS: &str = "FRAG\nDCL OUT[0], COLOR\nIMM[0] FLT32 { 1.0, 0.0, 0.0, 1.0 }\n  \
                  0: MOV OUT[0], IMM[0]\n  1: END\n";

type Result<T = (), E = PipeError> = core::result::Result<T, E>;

/// Runs `test` on a checked null context.
fn checked(test: impl FnOnce(&NullScreen<'_>, &mut Check<'_, '_>)) {
    let memory = Memory::system();
    let screen = NullScreen::new(memory);
    let mut null = NullContext::new(&screen);
    test(&screen, &mut Check::new(&mut null, &screen, memory));
}

fn invalid<T>(what: &'static str) -> Result<T> {
    Err(PipeError::Invalid(what))
}

fn range<T>(what: &'static str, value: u64, limit: u64) -> Result<T> {
    Err(PipeError::OutOfRange { what, value, limit })
}

fn texture(screen: &NullScreen<'_>, format: Format, bind: Bind) -> ResourceHandle {
    let template = ResourceTemplate::texture_2d(format, 16, 8, bind).mipmapped();
    screen.resource_create(&template).expect("a good template")
}

fn buffer(screen: &NullScreen<'_>, size: u32) -> ResourceHandle {
    let template = ResourceTemplate::buffer(size, Bind::VERTEX_BUFFER);
    screen.resource_create(&template).expect("a good template")
}

/// Binds everything that a draw needs; returns the vertex buffer.
fn bind_all(screen: &NullScreen<'_>, context: &mut Check<'_, '_>) -> Result<ResourceHandle> {
    let color = texture(screen, Format::B5G6R5Unorm, Bind::RENDER_TARGET);
    let surface = context.create_surface(color, &SurfaceTemplate::of(Format::B5G6R5Unorm))?;
    context.set_framebuffer_state(&FramebufferState::single(16, 8, surface, None))?;
    let blend = context.create_blend_state(&BlendState::default())?;
    context.bind_blend_state(Some(blend))?;
    let dsa = context.create_depth_stencil_alpha_state(&DepthStencilAlphaState::default())?;
    context.bind_depth_stencil_alpha_state(Some(dsa))?;
    let rasterizer = context.create_rasterizer_state(&RasterizerState::default())?;
    context.bind_rasterizer_state(Some(rasterizer))?;
    let vs = context.create_vs_state(&ShaderState::text(VS))?;
    context.bind_vs_state(Some(vs))?;
    let fs = context.create_fs_state(&ShaderState::text(FS))?;
    context.bind_fs_state(Some(fs))?;
    let elements = context.create_vertex_elements_state(&[VertexElement::default()])?;
    context.bind_vertex_elements_state(Some(elements))?;
    let resource = buffer(screen, 64);
    let vertices = VertexBuffer { resource, stride: 16, buffer_offset: 0 };
    context.set_vertex_buffers(0, &[Some(vertices)])?;
    Ok(resource)
}

fn draw(context: &mut Check<'_, '_>) -> Result {
    context.draw_vbo(&DrawInfo::default(), None, &[DrawStartCount::count(3)])
}

#[test]
fn a_complete_draw_passes() {
    checked(|screen, context| {
        bind_all(screen, context).expect("all of it is good");
        assert_eq!(draw(context), Ok(()));
    });
}

/// Removes one binding.
type Unbind = fn(&mut Check<'_, '_>) -> Result;

#[test]
fn a_draw_needs_everything_bound() {
    let missing: [(&str, Unbind); 5] = [
        ("a framebuffer", |c| c.set_framebuffer_state(&FramebufferState::default())),
        ("a vertex shader", |c| c.bind_vs_state(None)),
        ("a fragment shader", |c| c.bind_fs_state(None)),
        ("vertex elements", |c| c.bind_vertex_elements_state(None)),
        ("a vertex buffer of an element", |c| c.set_vertex_buffers(0, &[None])),
    ];
    for (what, unbind) in missing {
        checked(|screen, context| {
            bind_all(screen, context).expect("all of it is good");
            unbind(context).expect("unbinding is always allowed");
            assert_eq!(draw(context), Err(PipeError::Unbound(what)));
        });
    }
    checked(|screen, context| {
        bind_all(screen, context).expect("all of it is good");
        let info = DrawInfo::new(PrimType::Patches);
        let patches = context.draw_vbo(&info, None, &[]);
        assert_eq!(patches, Err(PipeError::Unbound("a tessellation evaluation shader")));
    });
}

#[test]
fn states_that_are_not_bound_are_off() {
    checked(|screen, context| {
        bind_all(screen, context).expect("all of it is good");
        context.bind_rasterizer_state(None).expect("unbinding is always allowed");
        context.bind_blend_state(None).expect("unbinding is always allowed");
        context.bind_depth_stencil_alpha_state(None).expect("unbinding is always allowed");
        assert_eq!(draw(context), Ok(()));
    });
}

/// Sets a viewport, so that no draw is warned of for the lack of one.
fn viewport(context: &mut Check<'_, '_>) {
    context.set_viewport_states(0, &[ViewportState::y_down(8, 8)]).expect("a good viewport");
}

fn bind_shaders(context: &mut Check<'_, '_>, vertex: &str, fragment: &str) {
    let vs = context.create_vs_state(&ShaderState::text(vertex)).expect("a good shader");
    let fs = context.create_fs_state(&ShaderState::text(fragment)).expect("a good shader");
    context.bind_vs_state(Some(vs)).expect("it is live");
    context.bind_fs_state(Some(fs)).expect("it is live");
}

fn bind_depth_test(context: &mut Check<'_, '_>, func: CompareFunc) {
    let tests = DepthStencilAlphaState::depth(func);
    let tests = context.create_depth_stencil_alpha_state(&tests).expect("good state");
    context.bind_depth_stencil_alpha_state(Some(tests)).expect("it is live");
}

#[test]
fn a_good_draw_is_not_warned_of() {
    checked(|screen, context| {
        bind_all(screen, context).expect("all of it is good");
        viewport(context);
        draw(context).expect("complete");
        assert_eq!(context.warnings(), Warnings::empty());
    });
}

/// Changes a good draw, and draws.
type Mistake = fn(&NullScreen<'_>, &mut Check<'_, '_>) -> Result;

/// Each mistake has one warning, and its text names the call or the member that fixes it.
#[test]
fn draws_that_show_nothing_are_warned_of() {
    const SCALED: &str = "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nDCL CONST[0..3]\n\
                          MUL OUT[0], IN[0], CONST[3]\nEND\n";
    const TEXEL: &str = "FRAG\nDCL OUT[0], COLOR\nDCL SAMP[0]\nDCL SVIEW[0], 2D, FLOAT\n\
                         IMM[0] FLT32 { 0.5, 0.5, 0.0, 0.0 }\nTEX OUT[0], IMM[0], SAMP[0], 2D\nEND\n";
    const INPUT: &str = "FRAG\nDCL IN[0], GENERIC[3], PERSPECTIVE\nDCL OUT[0], COLOR\n\
                         MOV OUT[0], IN[0]\nEND\n";
    const TWO: &str = "VERT\nDCL IN[0]\nDCL IN[1]\nDCL OUT[0], POSITION\n\
                       ADD OUT[0], IN[0], IN[1]\nEND\n";
    let mistakes: [(Warnings, &str, Mistake); 14] = [
        (Warnings::FEW_ELEMENTS, "vertex elements", |_, context| {
            bind_shaders(context, TWO, FS);
            draw(context)
        }),
        (Warnings::BEYOND_STRIDE, "stride", |_, context| {
            let behind = [VertexElement::per_vertex(2000, Format::R32G32B32A32Float)];
            let behind = context.create_vertex_elements_state(&behind)?;
            context.bind_vertex_elements_state(Some(behind))?;
            draw(context)
        }),
        (Warnings::NO_DEPTH_BUFFER, "zsbuf", |_, context| {
            bind_depth_test(context, CompareFunc::Less);
            draw(context)
        }),
        (Warnings::NO_CONSTANTS, "set_constant_buffer", |_, context| {
            bind_shaders(context, SCALED, FS);
            draw(context)
        }),
        (Warnings::FEW_CONSTANTS, "16 bytes", |_, context| {
            bind_shaders(context, SCALED, FS);
            let three = ConstantBuffer::User(&[0; 48]);
            context.set_constant_buffer(ShaderType::Vertex, 0, Some(three))?;
            draw(context)
        }),
        (Warnings::DEPTH_NOT_CLEARED, "clear DEPTH_STENCIL", |screen, context| {
            let color = texture(screen, Format::B5G6R5Unorm, Bind::RENDER_TARGET);
            let color = context.create_surface(color, &SurfaceTemplate::of(Format::B5G6R5Unorm))?;
            let depth = texture(screen, Format::Z16Unorm, Bind::DEPTH_STENCIL);
            let depth = context.create_surface(depth, &SurfaceTemplate::of(Format::Z16Unorm))?;
            context.set_framebuffer_state(&FramebufferState::single(16, 8, color, Some(depth)))?;
            bind_depth_test(context, CompareFunc::Less);
            draw(context)
        }),
        (Warnings::NO_TEXTURE, "set_sampler_views", |_, context| {
            bind_shaders(context, VS, TEXEL);
            let sampler = context.create_sampler_state(&SamplerState::default())?;
            context.bind_sampler_states(ShaderType::Fragment, 0, &[Some(sampler)])?;
            draw(context)
        }),
        (Warnings::NO_SAMPLER, "bind_sampler_states", |screen, context| {
            bind_shaders(context, VS, TEXEL);
            let template =
                ResourceTemplate::texture_2d(Format::B5G6R5Unorm, 4, 4, Bind::SAMPLER_VIEW);
            let image = screen.resource_create(&template)?;
            let view =
                context.create_sampler_view(image, &SamplerViewTemplate::whole(&template))?;
            context.set_sampler_views(ShaderType::Fragment, 0, &[Some(view)])?;
            draw(context)
        }),
        (Warnings::UNWRITTEN_INPUT, "semantic and index", |_, context| {
            bind_shaders(context, VS, INPUT);
            draw(context)
        }),
        (Warnings::COUNTS_TRIANGLES, "not in triangles", |_, context| {
            let index = IndexBuffer::user(&[0; 36], 2);
            let info = DrawInfo::indexed(PrimType::Triangles, index);
            context.draw_vbo(&info, None, &[DrawStartCount::count(6)])
        }),
        (Warnings::COUNTS_TRIANGLES, "not in triangles", |screen, context| {
            // Six vertices of 16 bytes.
            let vertices = buffer(screen, 9 * 16);
            let vertices = VertexBuffer { resource: vertices, stride: 16, buffer_offset: 0 };
            context.set_vertex_buffers(0, &[Some(vertices)])?;
            draw(context)
        }),
        (Warnings::NO_TRIANGLE, "not in triangles", |_, context| {
            context.draw_vbo(&DrawInfo::default(), None, &[DrawStartCount::count(2)])
        }),
        (Warnings::ZERO_STRIDE, "stride", |screen, context| {
            let resource = buffer(screen, 64);
            let vertices = VertexBuffer { resource, stride: 0, buffer_offset: 0 };
            context.set_vertex_buffers(0, &[Some(vertices)])?;
            draw(context)
        }),
        (Warnings::CULLS_ALL, "cull_face", |_, context| {
            let state =
                RasterizerState { cull_face: Face::FrontAndBack, ..RasterizerState::default() };
            let state = context.create_rasterizer_state(&state)?;
            context.bind_rasterizer_state(Some(state))?;
            draw(context)
        }),
    ];
    for (warning, fix, mistake) in mistakes {
        checked(|screen, context| {
            bind_all(screen, context).expect("all of it is good");
            viewport(context);
            mistake(screen, context).expect("the contract allows it");
            assert_eq!(context.warnings(), warning);
            assert!(warning.text().contains(fix), "{}", warning.text());
        });
    }
    checked(|screen, context| {
        bind_all(screen, context).expect("all of it is good");
        draw(context).expect("complete");
        assert_eq!(context.warnings(), Warnings::NO_VIEWPORT);
        assert!(context.warnings().text().contains("set_viewport_states"));
    });
}

/// Reads up to the last vertex have no warning, and reads beyond it have one.
#[test]
fn vertices_beyond_their_buffer_are_warned_of() {
    // Four vertices of 16 bytes.
    let indexed =
        |indices: &'static [u8], draw: DrawStartCount| (Some(IndexBuffer::user(indices, 1)), draw);
    let three = DrawStartCount::count(3);
    let none = Warnings::empty();
    let cases = [
        ((None, DrawStartCount { start: 1, ..three }), none),
        ((None, DrawStartCount { start: 2, ..three }), Warnings::VERTICES_BEYOND),
        (indexed(&[0, 1, 3], three), none),
        (indexed(&[0, 1, 4], three), Warnings::INDEX_BEYOND),
        (indexed(&[0, 1, 2], DrawStartCount { index_bias: 1, ..three }), none),
        (indexed(&[0, 1, 2], DrawStartCount { index_bias: 2, ..three }), Warnings::INDEX_BEYOND),
        (indexed(&[9, 0, 1, 2], DrawStartCount { start: 1, ..three }), none),
    ];
    for ((index, part), expected) in cases {
        checked(|screen, context| {
            bind_all(screen, context).expect("all of it is good");
            viewport(context);
            let info = DrawInfo { index, ..DrawInfo::default() };
            context.draw_vbo(&info, None, &[part]).expect("the contract allows it");
            assert_eq!(context.warnings(), expected, "{part:?}");
        });
    }
    assert!(Warnings::VERTICES_BEYOND.text().contains("lower the draw's count"));
    assert!(Warnings::INDEX_BEYOND.text().contains("index_bias"));
}

/// A panel that takes every tile.
struct Taking;

impl TilePanel for Taking {
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
        Ok(())
    }
}

/// A streamed target and its depth hold zeros after each `present`.
#[test]
fn frames_without_a_clear_are_warned_of() {
    checked(|screen, context| {
        bind_all(screen, context).expect("all of it is good");
        viewport(context);
        let (format, z) = (Format::B5G6R5Unorm, Format::Z16Unorm);
        let target = screen.resource_create(&ResourceTemplate::streamed(format, 16, 8)).unwrap();
        let depth = screen.resource_create(&ResourceTemplate::streamed_depth(z, 16, 8)).unwrap();
        let color = context.create_surface(target, &SurfaceTemplate::of(format)).unwrap();
        let zsbuf = context.create_surface(depth, &SurfaceTemplate::of(z)).unwrap();
        let state = FramebufferState::single(16, 8, color, Some(zsbuf));
        context.set_framebuffer_state(&state).unwrap();
        bind_depth_test(context, CompareFunc::Less);
        let both = ClearFlags::COLOR0 | ClearFlags::DEPTH_STENCIL;
        for _ in 0..2 {
            context.clear(both, None, &ColorUnion::default(), 1.0, 0).unwrap();
            draw(context).unwrap();
            context.present(target.into(), &mut Taking).unwrap();
        }
        assert_eq!(context.warnings(), Warnings::empty());
        draw(context).unwrap();
        assert_eq!(context.warnings(), Warnings::DEPTH_NOT_CLEARED);
        context.present(target.into(), &mut Taking).unwrap();
        let both = Warnings::DEPTH_NOT_CLEARED | Warnings::NOT_CLEARED;
        assert_eq!(context.warnings(), both);
        assert!(Warnings::NOT_CLEARED.text().contains("call clear"));
    });
}

#[test]
fn deleting_what_is_bound_unbinds_it() {
    checked(|screen, context| {
        bind_all(screen, context).expect("all of it is good");
        let vs = context.create_vs_state(&ShaderState::text(VS)).expect("a good shader");
        context.bind_vs_state(Some(vs)).expect("it is live");
        context.delete_shader_state(vs).expect("it is live");
        assert_eq!(draw(context), Err(PipeError::Unbound("a vertex shader")));
        assert_eq!(context.bind_vs_state(Some(vs)), Err(PipeError::stale(vs)));
    });
}

#[test]
fn discarding_draws_need_less() {
    checked(|screen, context| {
        bind_all(screen, context).expect("all of it is good");
        let state = RasterizerState { rasterizer_discard: true, ..RasterizerState::default() };
        let state = context.create_rasterizer_state(&state).expect("good state");
        context.bind_rasterizer_state(Some(state)).expect("it is live");
        context.bind_fs_state(None).expect("allowed");
        context.set_framebuffer_state(&FramebufferState::default()).expect("allowed");
        assert_eq!(draw(context), Ok(()));
    });
}

#[test]
fn draw_ranges() {
    checked(|screen, context| {
        let vertices = bind_all(screen, context).expect("all of it is good");
        let mut indexed = |size, start, count| {
            let info = DrawInfo::indexed(PrimType::Points, IndexBuffer::resource(vertices, size));
            context.draw_vbo(&info, None, &[DrawStartCount { start, count, index_bias: 0 }])
        };
        assert_eq!(indexed(2, 0, 32), Ok(()));
        assert_eq!(indexed(2, 1, 32), range("the end of the indices", 66, 64));
        assert_eq!(indexed(4, u32::MAX, u32::MAX), {
            range("the end of the indices", (u64::from(u32::MAX) * 2) * 4, 64)
        });
        assert_eq!(indexed(3, 0, 1), invalid("indices not of 1, 2 or 4 bytes"));
        let info = DrawInfo::indexed(PrimType::Points, IndexBuffer::user(&[0; 5], 1));
        let draw = context.draw_vbo(&info, None, &[DrawStartCount::count(6)]);
        assert_eq!(draw, range("the end of the indices", 6, 5));
        let last = DrawStartCount { start: u32::MAX, count: 1, index_bias: 0 };
        let draw = context.draw_vbo(&DrawInfo::default(), None, &[last]);
        assert_eq!(draw, range("the last vertex", 1 << 32, u32::MAX.into()));
        let info = DrawInfo { start_instance: u32::MAX, ..DrawInfo::default() };
        let draw = context.draw_vbo(&info, None, &[]);
        assert_eq!(draw, range("the last instance", 1 << 32, u32::MAX.into()));
    });
}

#[test]
fn indirect_draws() {
    checked(|screen, context| {
        let arguments = bind_all(screen, context).expect("all of it is good");
        let mut indirect = |offset, stride, draw_count| {
            let indirect = DrawIndirect::Buffer {
                buffer: arguments,
                offset,
                stride,
                draw_count,
                indirect_draw_count: None,
            };
            context.draw_vbo(&DrawInfo::default(), Some(&indirect), &[])
        };
        assert_eq!(indirect(0, 16, 4), Ok(()));
        assert_eq!(indirect(4, 16, 4), range("the end of the range", 68, 64));
        assert_eq!(indirect(0, 0, u32::MAX), {
            range("the end of the range", u64::from(u32::MAX) * 16, 64)
        });
        assert_eq!(indirect(2, 0, 1), invalid("indirect words that are not aligned"));
        assert_eq!(indirect(0, 12, 2), invalid("indirect draws that overlap"));
        let counted = DrawIndirect::Buffer {
            buffer: arguments,
            offset: 0,
            stride: 0,
            draw_count: 1,
            indirect_draw_count: Some((arguments, 62)),
        };
        let draw = context.draw_vbo(&DrawInfo::default(), Some(&counted), &[]);
        assert_eq!(draw, invalid("indirect words that are not aligned"));
    });
}

#[test]
fn shaders_are_read_and_checked() {
    checked(|_, context| {
        let mut create =
            |stage, text| context.create_shader_state(stage, &ShaderState::text(text)).map(|_| ());
        assert_eq!(create(ShaderType::Vertex, VS), Ok(()));
        assert_eq!(
            create(ShaderType::Fragment, VS),
            Err(PipeError::Shader { what: "the shader has another stage", line: 0, column: 0 })
        );
        let syntax = create(ShaderType::Vertex, "VERT\nFROB OUT[0]\nEND\n");
        assert!(matches!(syntax, Err(PipeError::ShaderSyntax { line: 2, column: 1, .. })));
        let undeclared = "VERT\nDCL OUT[0], POSITION\nMOV OUT[0], IN[0]\nEND\n";
        assert_eq!(
            create(ShaderType::Vertex, undeclared),
            Err(PipeError::Shader {
                what: "it breaks a rule of TGSI; the log has all findings",
                line: 3,
                column: 1
            })
        );
        assert_eq!(
            create(ShaderType::Compute, "COMP\nEND\n"),
            invalid("a compute shader; use create_compute_state")
        );
        let tokens = ShaderState {
            source: ShaderSource::Tokens(&[1, 2, 3]),
            stream_output: StreamOutputInfo::NONE,
        };
        assert_eq!(
            context.create_vs_state(&tokens).map(|_| ()),
            Err(PipeError::Shader { what: "the tokens are not a TGSI shader", line: 0, column: 0 })
        );
        let vs = context.create_vs_state(&ShaderState::text(VS)).expect("a good shader");
        assert_eq!(context.bind_fs_state(Some(vs)), invalid("the shader has another stage"));
    });
}

#[test]
fn streamed_outputs() {
    checked(|screen, context| {
        let mut stream = |output: StreamOutput| {
            let stream_output = StreamOutputInfo { stride: [4, 0, 0, 0], outputs: &[output] };
            let state = ShaderState { stream_output, ..ShaderState::text(VS) };
            context.create_vs_state(&state).map(|_| ())
        };
        let good = StreamOutput { num_components: 4, ..StreamOutput::default() };
        assert_eq!(stream(good), Ok(()));
        assert_eq!(
            stream(StreamOutput { output_buffer: 4, ..good }),
            range("the output buffer", 5, 4)
        );
        assert_eq!(stream(StreamOutput { stream: 4, ..good }), range("the vertex stream", 5, 4));
        assert_eq!(
            stream(StreamOutput { start_component: 1, ..good }),
            range("the components of a streamed output", 5, 4)
        );
        assert_eq!(
            stream(StreamOutput { num_components: 0, ..good }),
            invalid("a streamed output without components")
        );
        assert_eq!(
            stream(StreamOutput { dst_offset: 1, ..good }),
            range("the end of a streamed output", 5, 4)
        );
        let resource = buffer(screen, 64);
        let mut target =
            |offset, size| context.create_stream_output_target(resource, offset, size).map(|_| ());
        assert_eq!(target(32, 32), Ok(()));
        assert_eq!(target(32, 36), range("the end of the range", 68, 64));
        assert_eq!(target(2, 4), invalid("a stream output range not of whole words"));
        let targets = context.set_stream_output_targets(&[None; 5], &[None; 5]);
        assert_eq!(targets, range("the number of stream output targets", 5, 4));
        let targets = context.set_stream_output_targets(&[None], &[]);
        assert_eq!(targets, invalid("the numbers of targets and offsets differ"));
    });
}

#[test]
fn state_that_contradicts_itself() {
    checked(|_, context| {
        let good = RasterizerState::default();
        let mut rasterizer =
            |state: RasterizerState| context.create_rasterizer_state(&state).map(|_| ());
        for (state, what) in [
            (
                RasterizerState { line_width: f32::NAN, ..good },
                "a line width or point size is not finite",
            ),
            (RasterizerState { point_size: -1.0, ..good }, "a negative line width or point size"),
            (
                RasterizerState { offset_units: f32::INFINITY, ..good },
                "a depth offset is not finite",
            ),
            (
                RasterizerState { conservative_raster_dilate: f32::NAN, ..good },
                "a dilation is not finite",
            ),
            (
                RasterizerState { sprite_coord_enable: 1, ..good },
                "sprite_coord_enable without point_quad_rasterization",
            ),
            (
                RasterizerState {
                    sprite_coord_enable: 1,
                    point_quad_rasterization: true,
                    point_smooth: true,
                    ..good
                },
                "sprite_coord_enable together with point_smooth",
            ),
            (
                RasterizerState { point_tri_clip: true, ..good },
                "point_tri_clip without point_quad_rasterization",
            ),
        ] {
            assert_eq!(rasterizer(state), invalid(what));
        }
        assert_eq!(rasterizer(RasterizerState { line_width: 0.0, ..good }), Ok(()));

        let tests = DepthStencilAlphaState::default();
        let mut dsa = |state: DepthStencilAlphaState| {
            context.create_depth_stencil_alpha_state(&state).map(|_| ())
        };
        assert_eq!(
            dsa(DepthStencilAlphaState { alpha_ref_value: f32::NAN, ..tests }),
            invalid("a depth bound or alpha reference is not finite")
        );
        assert_eq!(
            dsa(DepthStencilAlphaState { depth_bounds_test: true, depth_bounds_min: 1.0, ..tests }),
            invalid("depth bounds in the wrong order")
        );

        let sampler = SamplerState::default();
        let mut create = |state: SamplerState| context.create_sampler_state(&state).map(|_| ());
        assert_eq!(
            create(SamplerState { normalized_coords: false, ..sampler }),
            invalid("unnormalized coordinates that repeat or mirror")
        );
        assert_eq!(
            create(SamplerState { max_lod: f32::NAN, ..sampler }),
            invalid("a level of detail is not finite")
        );
        assert_eq!(
            create(SamplerState { max_anisotropy: 4, ..sampler }),
            Err(PipeError::Unsupported("anisotropic filtering"))
        );
        assert_eq!(
            create(SamplerState { reduction_mode: ReductionMode::Min, ..sampler }),
            Err(PipeError::Unsupported("minimum and maximum filters"))
        );
    });
}

/// A screen with only the defaults, which lacks every feature.
struct Bare<'m>(NullScreen<'m>);

impl<'m> Screen<'m> for Bare<'m> {
    fn get_name(&self) -> &str {
        "bare"
    }
    fn is_format_supported(&self, _: Format, _: TextureTarget, _: u8, _: u8, _: Bind) -> bool {
        false
    }
    fn resource_create(&self, template: &ResourceTemplate) -> Result<ResourceHandle> {
        self.0.resource_create(template)
    }
    fn resource_destroy(&self, resource: ResourceHandle) -> Result {
        self.0.resource_destroy(resource)
    }
    fn resource_template(&self, resource: ResourceHandle) -> Result<ResourceTemplate> {
        self.0.resource_template(resource)
    }
    fn context_create<'s>(
        &'s self,
        flags: ContextFlags,
    ) -> Result<os_shim::Box<'s, dyn Context<'m> + 's>>
    where
        'm: 's,
    {
        self.0.context_create(flags)
    }
}

#[test]
fn what_caps_do_not_promise_is_refused() {
    let memory = Memory::system();
    let bare = Bare(NullScreen::new(memory));
    let inner = bare.context_create(ContextFlags::empty()).expect("memory is there");
    let mut context = Check::new(inner, &bare, memory);
    let unsupported = |what| Err(PipeError::Unsupported(what));

    let independent = BlendState { independent_blend_enable: true, ..BlendState::default() };
    let blend = context.create_blend_state(&independent).map(|_| ());
    assert_eq!(blend, unsupported("independent blending"));
    let dual = BlendState::uniform(RenderTargetBlendState::uniform(
        BlendFunc::Add,
        BlendFactor::One,
        BlendFactor::Src1Alpha,
    ));
    let blend = context.create_blend_state(&dual).map(|_| ());
    assert_eq!(blend, unsupported("dual source blending"));

    let good = RasterizerState::default();
    for (state, what) in [
        (
            RasterizerState { depth_clip_near: false, depth_clip_far: false, ..good },
            "disabling depth clipping",
        ),
        (RasterizerState { clip_halfz: true, ..good }, "clip_halfz"),
        (RasterizerState { force_persample_interp: true, ..good }, "force_persample_interp"),
        (RasterizerState { tile_raster_order_fixed: true, ..good }, "tile_raster_order_fixed"),
        (RasterizerState { offset_clamp: 1.0, ..good }, "offset_clamp"),
        (RasterizerState { offset_units_unscaled: true, ..good }, "offset_units_unscaled"),
        (RasterizerState { fill_back: PolygonMode::FillRectangle, ..good }, "filled rectangles"),
        (
            RasterizerState { conservative_raster_mode: ConservativeRasterMode::PreSnap, ..good },
            "pre-snap conservative rasterization",
        ),
        (
            RasterizerState { conservative_raster_mode: ConservativeRasterMode::PostSnap, ..good },
            "post-snap conservative rasterization",
        ),
    ] {
        assert_eq!(context.create_rasterizer_state(&state).map(|_| ()), unsupported(what));
    }
    let precise = RasterizerState { subpixel_precision_y: 1, ..good };
    let precise = context.create_rasterizer_state(&precise).map(|_| ());
    assert_eq!(precise, range("subpixel_precision_x or _y", 1, 0));
    for (max_anisotropy, wanted) in [(1, Ok(())), (2, unsupported("anisotropic filtering"))] {
        let state = SamplerState { max_anisotropy, ..SamplerState::default() };
        assert_eq!(context.create_sampler_state(&state).map(|_| ()), wanted);
    }
    let layered = "VERT\nDCL OUT[0], LAYER\nIMM[0] INT32 { 0, 0, 0, 0 }\n\
                   MOV OUT[0].x, IMM[0]\nEND\n";
    let layered = context.create_vs_state(&ShaderState::text(layered)).map(|_| ());
    assert_eq!(layered, unsupported("LAYER or VIEWPORT_INDEX as an output of this stage"));
    let query = context.create_query(QueryType::PrimitivesGenerated, 1).map(|_| ());
    assert_eq!(query, range("the vertex stream", 1, 0));
    let bounds = DepthStencilAlphaState { depth_bounds_test: true, ..Default::default() };
    let dsa = context.create_depth_stencil_alpha_state(&bounds).map(|_| ());
    assert_eq!(dsa, unsupported("the depth bounds test"));
    let instanced = VertexElement { instance_divisor: 1, ..VertexElement::default() };
    let elements = context.create_vertex_elements_state(&[instanced]).map(|_| ());
    assert_eq!(elements, unsupported("instance divisors"));
    let elements = context.create_vertex_elements_state(&[VertexElement::default()]).map(|_| ());
    let format = Format::R32G32B32A32Float;
    assert_eq!(elements, Err(PipeError::UnsupportedFormat { format, usage: "a vertex" }));

    let geometry = context.create_shader_state(ShaderType::Geometry, &ShaderState::text("GEOM"));
    assert_eq!(geometry.map(|_| ()), unsupported("this shader stage"));
    let compute = ComputeState {
        source: ShaderSource::Text("COMP\nEND\n"),
        static_shared_mem: 0,
        req_private_mem: 0,
        req_input_mem: 0,
    };
    assert_eq!(context.create_compute_state(&compute).map(|_| ()), unsupported("compute"));
    for kind in [
        QueryType::OcclusionCounter,
        QueryType::Timestamp,
        QueryType::TimeElapsed,
        QueryType::PrimitivesEmitted,
        QueryType::SoOverflowPredicate,
        QueryType::PipelineStatistics,
    ] {
        let query = context.create_query(kind, 0).map(|_| ());
        assert_eq!(query, unsupported("this type of query"), "{kind:?}");
    }
    let scissor = ScissorState::default();
    let clear = context.clear(ClearFlags::COLOR, Some(&scissor), &[0.0; 4].into(), 1.0, 0);
    assert_eq!(clear, unsupported("scissored clears"));
    let locations = context.set_sample_locations(&[0x88]);
    assert_eq!(locations, unsupported("sample locations"));
    let viewports = context.set_viewport_states(1, &[ViewportState::default()]);
    assert_eq!(viewports, range("the viewport", 2, 1));
    let rectangles = WindowRectangles::new(false, &[scissor]).expect("one fits");
    let rectangles = context.set_window_rectangles(&rectangles);
    assert_eq!(rectangles, range("the number of window rectangles", 1, 0));
    let buffer = ResourceTemplate::buffer(64, Bind::empty());
    let buffer = bare.resource_create(&buffer).expect("a good template");
    let target = context.create_stream_output_target(buffer, 0, 64).map(|_| ());
    assert_eq!(target, unsupported("stream output"));
    let mipmaps = context.generate_mipmap(buffer, Format::R8Unorm, 0, 0, 0, 0);
    assert_eq!(mipmaps, unsupported("mipmap generation"));
    let clear = context.clear_texture(buffer, 0, &Region::bytes(0, 1), &[0]);
    assert_eq!(clear, unsupported("clearing textures"));
}

#[test]
fn slots_and_numbers() {
    checked(|screen, context| {
        let stage = ShaderType::Fragment;
        assert_eq!(
            context.bind_sampler_states(stage, 30, &[None; 3]),
            range("the sampler slot", 33, 32)
        );
        assert_eq!(
            context.bind_sampler_states(stage, usize::MAX, &[None; 3]),
            range("the sampler slot", usize::MAX as u64, 32)
        );
        assert_eq!(
            context.set_sampler_views(stage, 128, &[None]),
            range("the sampler view slot", 129, 128)
        );
        assert_eq!(
            context.set_constant_buffer(stage, 32, None),
            range("the constant buffer slot", 33, 32)
        );
        assert_eq!(
            context.set_vertex_buffers(32, &[None]),
            range("the vertex buffer slot", 33, 32)
        );
        assert_eq!(
            context.set_viewport_states(0, &[ViewportState::default(); 17]),
            range("the viewport", 17, 16)
        );
        assert_eq!(
            context.set_scissor_states(16, &[ScissorState::default()]),
            range("the scissor", 17, 16)
        );
        let viewport = ViewportState { scale: [f32::NAN, 1.0, 1.0], ..ViewportState::default() };
        assert_eq!(
            context.set_viewport_states(0, &[viewport]),
            invalid("a viewport is not finite")
        );
        assert_eq!(context.set_patch_vertices(0), invalid("patches of no vertices"));
        assert_eq!(context.set_patch_vertices(33), range("the vertices of a patch", 33, 32));
        let elements = context.create_vertex_elements_state(&[VertexElement::default(); 33]);
        assert_eq!(elements.map(|_| ()), range("the number of vertex elements", 33, 32));
        let element = VertexElement { vertex_buffer_index: 32, ..VertexElement::default() };
        let elements = context.create_vertex_elements_state(&[element]);
        assert_eq!(elements.map(|_| ()), range("the vertex buffer index", 33, 32));
        let element = VertexElement { src_offset: 2048, ..VertexElement::default() };
        let elements = context.create_vertex_elements_state(&[element]);
        assert_eq!(elements.map(|_| ()), range("a vertex element's offset", 2048, 2047));

        let resource = buffer(screen, 64);
        let mut vertices = |stride, buffer_offset| {
            let buffer = VertexBuffer { resource, stride, buffer_offset };
            context.set_vertex_buffers(0, &[Some(buffer)])
        };
        assert_eq!(vertices(2048, 64), Ok(()));
        assert_eq!(vertices(2049, 0), range("the vertex stride", 2049, 2048));
        assert_eq!(vertices(4, 65), range("the end of the range", 65, 64));
        let mut constants = |buffer_offset, buffer_size| {
            let buffer = ConstantBuffer::Resource { resource, buffer_offset, buffer_size };
            context.set_constant_buffer(stage, 0, Some(buffer))
        };
        assert_eq!(constants(16, 48), Ok(()));
        assert_eq!(constants(16, 49), range("the end of the range", 65, 64));
        assert_eq!(constants(2, 4), invalid("a constant buffer's offset is not aligned"));
        let shader_buffer =
            |offset| ShaderBuffer { resource, buffer_offset: offset, buffer_size: 32 };
        let mut storage =
            |offset| context.set_shader_buffers(stage, 0, &[Some(shader_buffer(offset))], 1);
        assert_eq!(storage(32), Ok(()));
        assert_eq!(storage(33), range("the end of the range", 65, 64));
        let texture = texture(screen, Format::R8Unorm, Bind::SAMPLER_VIEW);
        let wrong = VertexBuffer { resource: texture, stride: 4, buffer_offset: 0 };
        assert_eq!(
            context.set_vertex_buffers(0, &[Some(wrong)]),
            invalid("a texture where a buffer is needed")
        );
    });
}

#[test]
fn views_and_surfaces_stay_within_their_resource() {
    checked(|screen, context| {
        let bind = Bind::SAMPLER_VIEW | Bind::RENDER_TARGET;
        let color = texture(screen, Format::R8G8B8A8Unorm, bind);
        let template = screen.resource_template(color).expect("it is live");
        let whole = SamplerViewTemplate::whole(&template);
        let mut view = |template| context.create_sampler_view(color, &template).map(|_| ());
        assert_eq!(view(whole), Ok(()));
        let range = SamplerViewRange::Texture {
            first_level: 0,
            last_level: 5,
            first_layer: 0,
            last_layer: 0,
        };
        let outside = SamplerViewTemplate { range, ..whole };
        assert_eq!(view(outside), invalid("a view outside of its resource"));
        let format = Format::B5G6R5Unorm;
        let other = SamplerViewTemplate { format, ..whole };
        assert_eq!(view(other), invalid("a view format of another size"));
        let cube = SamplerViewTemplate { target: TextureTarget::Cube, ..whole };
        assert_eq!(view(cube), invalid("a cube view that is not made of cubes"));

        let format = Format::R8G8B8A8Unorm;
        let surface = SurfaceTemplate::of(format);
        let range = SurfaceRange::Texture { level: 0, first_layer: 0, last_layer: 1 };
        let outside = SurfaceTemplate { range, ..surface };
        let made = context.create_surface(color, &outside).map(|_| ());
        assert_eq!(made, invalid("the surface exceeds its resource"));
        let other = SurfaceTemplate::of(Format::B5G6R5Unorm);
        let made = context.create_surface(color, &other).map(|_| ());
        assert_eq!(made, invalid("a surface format of another size"));
        let sampled = texture(screen, format, Bind::SAMPLER_VIEW);
        let made = context.create_surface(sampled, &surface).map(|_| ());
        assert_eq!(made, invalid("a surface of a resource without the bind flag for it"));

        let streamed = ResourceTemplate::streamed(format, 16, 8);
        let streamed = screen.resource_create(&streamed).expect("a good template");
        let made = context.create_sampler_view(streamed, &whole).map(|_| ());
        assert_eq!(made, invalid("a streamed resource has no storage"));

        let image = ImageView {
            resource: color,
            format,
            access: ImageAccess::READ,
            range: ImageRange::Texture {
                level: 9,
                first_layer: 0,
                last_layer: 0,
                single_layer_view: false,
            },
        };
        let images = context.set_shader_images(ShaderType::Fragment, 0, &[Some(image)]);
        assert_eq!(images, invalid("the image exceeds its resource"));
    });
}

#[test]
fn framebuffers_fit_their_attachments() {
    checked(|screen, context| {
        let color = texture(screen, Format::R8G8B8A8Unorm, Bind::RENDER_TARGET);
        let depth = texture(screen, Format::Z16Unorm, Bind::DEPTH_STENCIL);
        let surface = SurfaceTemplate::of(Format::R8G8B8A8Unorm);
        let color = context.create_surface(color, &surface).expect("a good surface");
        let zs = SurfaceTemplate::of(Format::Z16Unorm);
        let zs = context.create_surface(depth, &zs).expect("a good surface");
        let mut set = |state| context.set_framebuffer_state(&state);
        assert_eq!(set(FramebufferState::single(16, 8, color, Some(zs))), Ok(()));
        let wide = FramebufferState::single(17, 8, color, None);
        assert_eq!(set(wide), range("the framebuffer's width", 17, 16));
        let high = FramebufferState::single(16, 9, color, None);
        assert_eq!(set(high), range("the framebuffer's height", 9, 8));
        let mixed = "a colour surface as depth or a depth surface as colour";
        assert_eq!(set(FramebufferState::single(16, 8, zs, None)), invalid(mixed));
        assert_eq!(set(FramebufferState::single(16, 8, color, Some(color))), invalid(mixed));
        let samples = ResourceTemplate {
            nr_samples: 4,
            ..ResourceTemplate::texture_2d(Format::R8G8B8A8Unorm, 16, 8, Bind::RENDER_TARGET)
        };
        let samples = screen.resource_create(&samples).expect("a good template");
        let samples = context.create_surface(samples, &surface).expect("a good surface");
        let state = FramebufferState::single(16, 8, samples, Some(zs));
        let set = context.set_framebuffer_state(&state);
        assert_eq!(set, invalid("the attachments' sample counts differ"));
    });
}

#[test]
fn clears_stay_within() {
    checked(|screen, context| {
        let texture = texture(screen, Format::R8G8B8A8Unorm, Bind::RENDER_TARGET);
        let surface = SurfaceTemplate::of(Format::R8G8B8A8Unorm);
        let surface = context.create_surface(texture, &surface).expect("a good surface");
        let color = ColorUnion::default();
        let mut clear =
            |region: Region| context.clear_render_target(surface, &color, &region, false);
        assert_eq!(clear(Region::rect(8, 0, 8, 8)), Ok(()));
        let region = Region::rect(8, 0, 9, 8);
        assert_eq!(clear(region), Err(PipeError::RegionOutOfRange { region, size: [16, 8, 1] }));
        let depth = ClearFlags::DEPTH;
        let region = Region::rect(0, 0, 1, 1);
        let mixed = context.clear_depth_stencil(surface, depth, 1.0, 0, &region, false);
        assert_eq!(mixed, invalid("a colour surface as depth or a depth surface as colour"));
        let clear = context.clear(depth, None, &color, f64::NAN, 0);
        assert_eq!(clear, invalid("a depth that is not a number"));
        let clear = context.clear_texture(texture, 0, &region, &[0; 3]);
        assert_eq!(clear, invalid("a clear value that is not one block"));
        let clear = context.clear_texture(texture, 5, &region, &[0; 4]);
        assert_eq!(clear, range("the level", 5, 4));
        let bytes = buffer(screen, 64);
        let mut fill =
            |offset, size, value: &[u8]| context.clear_buffer(bytes, offset, size, value);
        assert_eq!(fill(4, 60, &[0; 4]), Ok(()));
        assert_eq!(fill(4, 61, &[0]), range("the end of the range", 65, 64));
        let partly = invalid("the clear value's size does not divide the range");
        assert_eq!(fill(0, 10, &[0; 4]), partly);
        assert_eq!(fill(0, 10, &[]), partly);
    });
}

#[test]
fn queries_begin_and_end() {
    checked(|screen, context| {
        let query = context.create_query(QueryType::OcclusionCounter, 0).expect("supported");
        let early = invalid("the result of a query that was not ended");
        assert_eq!(context.get_query_result(query, true).map(|_| ()), early);
        assert_eq!(context.end_query(query), invalid("end_query of a query that was not begun"));
        assert_eq!(context.begin_query(query), Ok(()));
        assert_eq!(context.begin_query(query), invalid("begin_query of a running query"));
        assert_eq!(context.end_query(query), Ok(()));
        assert_eq!(context.get_query_result(query, true), Ok(Some(QueryResult::U64(0))));
        let wait = RenderConditionMode::Wait;
        assert_eq!(context.render_condition(Some(query), false, wait), Ok(()));

        let timestamp = context.create_query(QueryType::Timestamp, 0).expect("supported");
        let begun = context.begin_query(timestamp);
        assert_eq!(begun, invalid("begin_query of a query that only ends"));
        assert_eq!(context.end_query(timestamp), Ok(()));
        let condition = context.render_condition(Some(timestamp), false, wait);
        assert_eq!(condition, invalid("a query of a type that is no render condition"));

        let stream = context.create_query(QueryType::PrimitivesGenerated, 4).map(|_| ());
        assert_eq!(stream, range("the vertex stream", 4, 3));
        let statistic = context.create_query(QueryType::PipelineStatisticsSingle, 11).map(|_| ());
        assert_eq!(statistic, invalid("the query's index is no pipeline statistic"));

        let bytes = buffer(screen, 64);
        let mut write = |offset| {
            let kind = QueryValueType::U64;
            context.get_query_result_resource(query, true, kind, None, bytes, offset)
        };
        assert_eq!(write(56), Ok(()));
        assert_eq!(write(60), range("the end of the range", 68, 64));
        assert_eq!(write(4), invalid("a query result that is not aligned"));
    });
}

#[test]
fn transfers_stay_within() {
    checked(|screen, context| {
        let color = texture(screen, Format::R8G8B8A8Unorm, Bind::SAMPLER_VIEW);
        let mut map = |level, usage, region: Region| {
            let transfer = context.transfer_map(color, level, usage, &region)?;
            context.transfer_unmap(transfer.handle)
        };
        let read = MapFlags::READ;
        assert_eq!(map(1, read, Region::whole(8, 4, 1)), Ok(()));
        let region = Region::whole(9, 4, 1);
        assert_eq!(
            map(1, read, region),
            Err(PipeError::RegionOutOfRange { region, size: [8, 4, 1] })
        );
        assert_eq!(map(5, read, region), range("the level", 5, 4));
        assert_eq!(map(0, read, Region::whole(0, 1, 1)), invalid("a transfer of an empty box"));
        let one = Region::whole(1, 1, 1);
        assert_eq!(
            map(0, MapFlags::empty(), one),
            invalid("a transfer that neither reads nor writes")
        );
        assert_eq!(
            map(0, read | MapFlags::DISCARD_RANGE, one),
            invalid("a reading transfer that discards or does not synchronize")
        );
        assert_eq!(
            map(0, read | MapFlags::PERSISTENT, one),
            invalid("PERSISTENT on a resource without the flag MAP_PERSISTENT")
        );

        let usage = MapFlags::WRITE | MapFlags::FLUSH_EXPLICIT;
        let transfer = context.transfer_map(color, 0, usage, &Region::rect(4, 4, 4, 4));
        let transfer = transfer.expect("it is within").handle;
        assert_eq!(context.transfer_flush_region(transfer, &Region::rect(0, 0, 4, 4)), Ok(()));
        let region = Region::rect(1, 0, 4, 4);
        assert_eq!(
            context.transfer_flush_region(transfer, &region),
            Err(PipeError::RegionOutOfRange { region, size: [4, 4, 1] })
        );
        let plain = context.transfer_map(color, 0, MapFlags::WRITE, &one).expect("it is within");
        assert_eq!(
            context.transfer_flush_region(plain.handle, &one),
            invalid("transfer_flush_region of a transfer without FLUSH_EXPLICIT")
        );

        let mut write = |data: &[u8], stride| {
            let region = Region::rect(0, 0, 2, 2);
            context.texture_subdata(color, 0, MapFlags::WRITE, &region, data, stride, 0)
        };
        assert_eq!(write(&[0; 16], 8), Ok(()));
        let short = "data smaller than its region, or strides smaller than its rows";
        assert_eq!(write(&[0; 15], 8), invalid(short));
        assert_eq!(write(&[0; 99], 7), invalid(short));
        assert_eq!(write(&[0; 16], usize::MAX), invalid(short));

        let bytes = buffer(screen, 64);
        assert_eq!(context.buffer_subdata(bytes, MapFlags::WRITE, 60, &[0; 4]), Ok(()));
        assert_eq!(
            context.buffer_subdata(bytes, MapFlags::WRITE, 61, &[0; 4]),
            range("the end of the range", 65, 64)
        );
        assert_eq!(
            context.resource_commit(bytes, 0, &Region::bytes(0, 64), true),
            invalid("the resource to commit is not sparse")
        );
        let streamed = ResourceTemplate::streamed(Format::B5G6R5Unorm, 16, 8);
        let streamed = screen.resource_create(&streamed).expect("a good template");
        let map = context.transfer_map(streamed, 0, read, &one).map(|_| ());
        assert_eq!(map, invalid("a streamed resource has no storage"));
    });
}

#[test]
fn copies_fit_both_ends() {
    checked(|screen, context| {
        let bind = Bind::SAMPLER_VIEW;
        let a = texture(screen, Format::R8G8B8A8Unorm, bind);
        let b = texture(screen, Format::B8G8R8A8Unorm, bind);
        let small = texture(screen, Format::B5G6R5Unorm, bind);
        let bytes = buffer(screen, 64);
        let region = Region::rect(0, 0, 8, 4);
        let mut copy = |dst, x, y, src, level, region: Region| {
            context.resource_copy_region(dst, 0, x, y, 0, src, level, &region)
        };
        assert_eq!(copy(b, 8, 4, a, 1, region), Ok(()));
        assert_eq!(copy(a, 8, 4, a, 0, region), Ok(()), "side by side in one level");
        assert_eq!(copy(a, 7, 3, a, 0, region), invalid("a copy that overlaps itself"));
        let moved = Region { x: 9, y: 4, ..region };
        assert_eq!(
            copy(b, 9, 4, a, 1, region),
            Err(PipeError::RegionOutOfRange { region: moved, size: [16, 8, 1] })
        );
        let huge = copy(b, u32::MAX, 0, a, 1, region);
        assert!(matches!(huge, Err(PipeError::RegionOutOfRange { .. })));
        assert_eq!(
            copy(small, 0, 0, a, 0, region),
            invalid("a copy between formats of another size")
        );
        assert_eq!(
            copy(bytes, 0, 0, a, 0, region),
            invalid("a copy between a buffer and a texture")
        );
        let past = Region::rect(0, 0, 17, 1);
        assert_eq!(
            copy(b, 0, 0, a, 0, past),
            Err(PipeError::RegionOutOfRange { region: past, size: [16, 8, 1] })
        );
    });
}

#[test]
fn blits_fit_both_ends() {
    checked(|screen, context| {
        let bind = Bind::SAMPLER_VIEW | Bind::RENDER_TARGET;
        let format = Format::R8G8B8A8Unorm;
        let color = texture(screen, format, bind);
        let depth = texture(screen, Format::Z16Unorm, Bind::DEPTH_STENCIL);
        let integers = texture(screen, Format::R8G8B8A8Uint, bind);
        let end = |resource, format| BlitSurface {
            resource,
            level: 0,
            region: Region::whole(16, 8, 1),
            format,
        };
        let plain = BlitInfo::new(end(color, format), end(color, format), TexFilter::Linear);
        let mut blit = |info: BlitInfo| context.blit(&info);
        assert_eq!(blit(plain), Ok(()));
        let mirrored = Region { x: 16, width: -16, ..plain.src.region };
        let src = BlitSurface { region: mirrored, ..plain.src };
        assert_eq!(blit(BlitInfo { src, ..plain }), Ok(()));
        let src = BlitSurface { region: Region { x: 17, ..mirrored }, ..plain.src };
        assert_eq!(blit(BlitInfo { src, ..plain }), Ok(()), "clipped, by the driver");
        let region = Region { z: 1, ..mirrored };
        let src = BlitSurface { region, ..plain.src };
        assert_eq!(
            blit(BlitInfo { src, ..plain }),
            Err(PipeError::RegionOutOfRange { region, size: [16, 8, 1] })
        );
        assert_eq!(
            blit(BlitInfo { mask: BlitMask::empty(), ..plain }),
            invalid("a blit that writes nothing")
        );
        assert_eq!(
            blit(BlitInfo { mask: BlitMask::R | BlitMask::Z, ..plain }),
            invalid("a blit of colours and depth at once")
        );
        let zs = end(depth, Format::Z16Unorm);
        let depths = BlitInfo { mask: BlitMask::Z, ..BlitInfo::new(zs, zs, TexFilter::Nearest) };
        assert_eq!(blit(depths), Ok(()));
        let filtered = BlitInfo { filter: TexFilter::Linear, ..depths };
        assert_eq!(blit(filtered), Ok(()));
        let filtered = BlitInfo { mask: BlitMask::ZS, ..filtered };
        assert_eq!(blit(filtered), invalid("a filtered blit of stencil"));
        let stencil = BlitInfo { mask: BlitMask::S, ..depths };
        assert_eq!(blit(stencil), invalid("a blit of stencil in a format without stencil"));
        let of_depth = BlitInfo { src: zs, ..plain };
        assert_eq!(blit(of_depth), invalid("a blit of colours in a depth or stencil format"));
        let of_color = BlitInfo { mask: BlitMask::Z, filter: TexFilter::Nearest, ..plain };
        assert_eq!(blit(of_color), invalid("a blit of depth in a format without depth"));
        let uint = end(integers, Format::R8G8B8A8Uint);
        assert_eq!(
            blit(BlitInfo { src: uint, ..plain }),
            invalid("a blit between integers and other numbers")
        );
        let both = BlitInfo { src: uint, dst: uint, ..plain };
        assert_eq!(blit(both), invalid("a filtered blit of integers"));
        let src = BlitSurface { format: Format::B5G6R5Unorm, ..plain.src };
        assert_eq!(blit(BlitInfo { src, ..plain }), invalid("a blit in a format of another size"));
    });
}

#[test]
fn flushes_and_presents() {
    struct NoPanel;
    impl TilePanel for NoPanel {
        fn tile(
            &mut self,
            _: u32,
            _: u32,
            _: u32,
            _: u32,
            _: Format,
            _: &[u8],
            _: usize,
        ) -> core::result::Result<(), PanelError> {
            Err(PanelError(1))
        }
    }
    checked(|screen, context| {
        let both = FlushFlags::DEFERRED | FlushFlags::TOP_OF_PIPE | FlushFlags::BOTTOM_OF_PIPE;
        assert_eq!(context.flush(both), invalid("TOP_OF_PIPE together with BOTTOM_OF_PIPE"));
        assert_eq!(
            context.flush(FlushFlags::TOP_OF_PIPE),
            invalid("TOP_OF_PIPE or BOTTOM_OF_PIPE without DEFERRED")
        );
        let color = texture(screen, Format::B5G6R5Unorm, Bind::RENDER_TARGET);
        let present = context.present(color.into(), &mut NoPanel);
        assert_eq!(present, invalid("presenting a resource without the bind flag DISPLAY_TARGET"));
    });
}

#[test]
fn grids_within_limits() {
    checked(|screen, context| {
        let launch = |context: &mut Check<'_, '_>, info: GridInfo<'_>| context.launch_grid(&info);
        let good = GridInfo::default();
        assert_eq!(launch(context, good), Err(PipeError::Unbound("a compute shader")));
        let compute = ComputeState {
            source: ShaderSource::Text("COMP\n  0: END\n"),
            static_shared_mem: 0,
            req_private_mem: 0,
            req_input_mem: 0,
        };
        let compute = context.create_compute_state(&compute).expect("a good shader");
        context.bind_compute_state(Some(compute)).expect("it is live");
        assert_eq!(launch(context, good), Ok(()));
        let work_dim = GridInfo { work_dim: 4, ..good };
        assert_eq!(launch(context, work_dim), invalid("a grid not of 1 to 3 dimensions"));
        assert_eq!(launch(context, GridInfo { block: [1, 0, 1], ..good }), {
            invalid("an empty block")
        });
        assert_eq!(launch(context, GridInfo { block: [1, 1, 65], ..good }), {
            range("the block size", 65, 64)
        });
        assert_eq!(launch(context, GridInfo { block: [64, 32, 1], ..good }), {
            range("the threads of a block", 2048, 1024)
        });
        assert_eq!(launch(context, GridInfo { grid: [65536, 1, 1], ..good }), {
            range("the grid size", 65536, 65535)
        });
        let words = buffer(screen, 64);
        assert_eq!(launch(context, GridInfo { indirect: Some((words, 56)), ..good }), {
            range("the end of the range", 68, 64)
        });
    });
}

#[test]
fn screens_check_templates() {
    let memory = Memory::system();
    let null = NullScreen::new(memory);
    let screen = CheckScreen::new(&null, memory);
    let template = ResourceTemplate::texture_2d(Format::B5G6R5Unorm, 0, 8, Bind::RENDER_TARGET);
    assert_eq!(
        screen.resource_create(&template),
        Err(PipeError::Resource(ResourceError::Zero("width0")))
    );
    assert!(!screen.can_create_resource(&template));
    let depth = ResourceTemplate { bind: Bind::DEPTH_STENCIL, width0: 8, ..template };
    let format = Format::B5G6R5Unorm;
    assert_eq!(
        screen.resource_create(&depth),
        Err(PipeError::UnsupportedFormat { format, usage: "this kind of resource" })
    );
    let sparse = ResourceTemplate {
        flags: ResourceFlags::SPARSE,
        ..ResourceTemplate::texture_2d(format, 8, 8, Bind::RENDER_TARGET)
    };
    let refused = screen.resource_create(&sparse);
    assert_eq!(refused, Err(PipeError::Unsupported("SPARSE resources")), "no cap promises them");
    assert!(!screen.can_create_resource(&sparse));
    let bare = Bare(NullScreen::new(memory));
    let screen = CheckScreen::new(&bare, memory);
    let texture = ResourceTemplate::texture_2d(format, 8, 8, Bind::RENDER_TARGET);
    assert!(screen.resource_create(&texture).is_err(), "no format is supported");
    let buffer = ResourceTemplate::buffer(8, Bind::VERTEX_BUFFER);
    assert!(screen.resource_create(&buffer).is_ok(), "a buffer's format is nominal");

    let screen = CheckScreen::new(&null, memory);
    let mut context = screen.context_create(ContextFlags::empty()).expect("memory is there");
    let draw = context.draw_vbo(&DrawInfo::default(), None, &[]);
    assert_eq!(draw, Err(PipeError::Unbound("a framebuffer")), "its contexts check");
}
