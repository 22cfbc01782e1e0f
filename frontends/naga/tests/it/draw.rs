//! Translated shaders in the driver: a triangle with uniforms and a texture, and every kind of
//! texture call, pixel by pixel.

use formats::Format;
use gallium_naga::{Bindings, Module, Options, OwnedShader};
use os_shim::{Box, Os};
use pipe_core::{
    Bind, ClearFlags, ColorUnion, CompareFunc, ConstantBuffer, Context, DrawInfo, DrawStartCount,
    FlushFlags, FramebufferState, MapFlags, PrimType, RasterizerState, Region, ResourceHandle,
    ResourceTemplate, SamplerState, SamplerViewTemplate, Screen as _, ShaderType, SurfaceTemplate,
    TexCompare, TexFilter, TexMipFilter, TextureTarget, VertexBuffer, VertexElement, ViewportState,
};
use raster::{Config, Host, Screen};

/// A context with a target of floats, four a pixel.
struct Machine<'s> {
    screen: &'s Screen<'static, Host>,
    context: Box<'s, dyn Context<'static> + 's>,
    target: ResourceHandle,
    size: [u32; 2],
}

fn bytes(words: &[f32]) -> Vec<u8> {
    words.iter().flat_map(|it| it.to_le_bytes()).collect()
}

fn shader(wgsl: &str, entry: &str) -> OwnedShader {
    let module = Module::wgsl(wgsl, "test.wgsl").unwrap_or_else(|error| panic!("{error}"));
    let translated = module.translate(entry, &Options::default());
    let translated = translated.unwrap_or_else(|error| panic!("{error}"));
    if let Some(fault) = crate::common::fault(&translated) {
        panic!("{fault}\n{}", translated.shader);
    }
    translated.try_into().unwrap_or_else(|error: gallium_naga::Error| panic!("{error}"))
}

impl<'s> Machine<'s> {
    fn new(screen: &'s Screen<'static, Host>, size: [u32; 2]) -> Machine<'s> {
        let mut context = screen.context_create(Default::default()).unwrap();
        let format = Format::R32G32B32A32Float;
        let template = ResourceTemplate::texture_2d(format, size[0], size[1], Bind::RENDER_TARGET);
        let target = screen.resource_create(&template).unwrap();
        let surface = context.create_surface(target, &SurfaceTemplate::of(format)).unwrap();
        let state = FramebufferState::single(size[0] as u16, size[1] as u16, surface, None);
        context.set_framebuffer_state(&state).unwrap();
        // y down, z from 0 to 1: WebGPU's.
        let viewport = ViewportState {
            scale: [size[0] as f32 / 2.0, size[1] as f32 / -2.0, 1.0],
            translate: [size[0] as f32 / 2.0, size[1] as f32 / 2.0, 0.0],
            ..ViewportState::default()
        };
        context.set_viewport_states(0, &[viewport]).unwrap();
        let rasterizer = RasterizerState {
            half_pixel_center: true,
            clip_halfz: true,
            flatshade_first: true,
            depth_clip_near: true,
            depth_clip_far: true,
            ..RasterizerState::default()
        };
        let rasterizer = context.create_rasterizer_state(&rasterizer).unwrap();
        context.bind_rasterizer_state(Some(rasterizer)).unwrap();
        context.clear(ClearFlags::COLOR0, None, &ColorUnion::float([0.0; 4]), 1.0, 0).unwrap();
        Machine { screen, context, target, size }
    }

    fn shaders(&mut self, vs: &OwnedShader, fs: &OwnedShader) {
        let vs = self.context.create_vs_state(&vs.state()).unwrap();
        let fs = self.context.create_fs_state(&fs.state()).unwrap();
        self.context.bind_vs_state(Some(vs)).unwrap();
        self.context.bind_fs_state(Some(fs)).unwrap();
    }

    /// Binds a buffer of vertices, and the elements that the interface describes.
    fn vertices(&mut self, shader: &OwnedShader, words: &[f32]) {
        let bytes = bytes(words);
        let template = ResourceTemplate::buffer(bytes.len() as u32, Bind::VERTEX_BUFFER);
        let buffer = self.screen.resource_create(&template).unwrap();
        self.context.buffer_subdata(buffer, MapFlags::WRITE, 0, &bytes).unwrap();
        let mut offset = 0;
        let mut elements = Vec::new();
        for input in &shader.interface.vertex_inputs {
            elements.push(VertexElement::per_vertex(offset, input.format));
            offset += input.format.block_bytes() as u32;
        }
        let binding = VertexBuffer { resource: buffer, stride: offset, buffer_offset: 0 };
        self.context.set_vertex_buffers(0, &[Some(binding)]).unwrap();
        let elements = self.context.create_vertex_elements_state(&elements).unwrap();
        self.context.bind_vertex_elements_state(Some(elements)).unwrap();
    }

    /// Creates a texture of `levels`, each the texels of its layers one after the other.
    fn texture(&mut self, template: ResourceTemplate, levels: &[Vec<u8>]) -> ResourceHandle {
        let template = ResourceTemplate { last_level: levels.len() as u32 - 1, ..template };
        let texture = self.screen.resource_create(&template).unwrap();
        for (level, texels) in levels.iter().enumerate() {
            let at = |size: u32| (size >> level).max(1);
            let (width, height) = (at(template.width0), at(template.height0));
            let layers = match template.target {
                TextureTarget::Texture3D => at(template.depth0),
                _ => template.array_size,
            };
            let stride = width as usize * template.format.block_bytes();
            let layer_stride = stride * height as usize;
            let region = Region { depth: layers as i32, ..Region::whole(width, height, 1) };
            let flags = MapFlags::WRITE;
            self.context
                .texture_subdata(
                    texture,
                    level as u32,
                    flags,
                    &region,
                    texels,
                    stride,
                    layer_stride,
                )
                .unwrap();
        }
        texture
    }

    fn draw(&mut self, count: u32) {
        let draw = DrawInfo::new(PrimType::Triangles);
        self.context.draw_vbo(&draw, None, &[DrawStartCount::count(count)]).unwrap();
    }

    fn pixels(&mut self) -> Vec<[f32; 4]> {
        self.context.flush(FlushFlags::END_OF_FRAME).unwrap();
        let region = Region::whole(self.size[0], self.size[1], 1);
        let transfer = self.context.transfer_map(self.target, 0, MapFlags::READ, &region).unwrap();
        let bytes = self.context.transfer_bytes(transfer.handle).unwrap().to_vec();
        self.context.transfer_unmap(transfer.handle).unwrap();
        let words: Vec<f32> =
            bytes.as_chunks().0.iter().map(|word| f32::from_le_bytes(*word)).collect();
        words.as_chunks().0.to_vec()
    }
}

fn screen() -> Screen<'static, Host> {
    Screen::new(Os::host(), Config { scene_bytes: 0 })
}

#[test]
fn a_triangle_with_uniforms_and_a_texture() {
    let wgsl = "
        struct Camera { scale: vec2f, offset: vec2f }
        @group(0) @binding(0) var<uniform> camera: Camera;
        @group(0) @binding(1) var<uniform> tint: vec4f;
        @group(1) @binding(0) var image: texture_2d<f32>;
        @group(1) @binding(1) var nearest: sampler;
        struct Corner {
            @builtin(position) position: vec4f,
            @location(0) uv: vec2f,
            @location(1) @interpolate(flat) number: u32,
        }
        @vertex fn vs(@location(0) position: vec2f, @location(1) uv: vec2f,
                      @builtin(vertex_index) number: u32) -> Corner {
            let p = position * camera.scale + camera.offset;
            return Corner(vec4f(p, 0.5, 1), uv, number + 5);
        }
        @fragment fn fs(corner: Corner) -> @location(0) vec4f {
            if corner.position.x < 1.0 && corner.position.y > 3.0 { discard; }
            let texel = textureSample(image, nearest, corner.uv);
            return vec4f(texel.rg * tint.rg, f32(corner.number), corner.position.x);
        }";
    let screen = screen();
    let mut machine = Machine::new(&screen, [4, 4]);
    let (vs, fs) = (shader(wgsl, "vs"), shader(wgsl, "fs"));
    fs.interface.check_link(&vs.interface).unwrap();
    machine.shaders(&vs, &fs);
    // A triangle of twice the target's size, in coordinates from 0 to 1 that the camera spreads.
    machine.vertices(&vs, &[0.0, 0.0, 0.0, 1.0, 2.0, 0.0, 2.0, 1.0, 0.0, 2.0, 0.0, -1.0]);
    let camera = bytes(&[2.0, 2.0, -1.0, -1.0]);
    let slot = vs.interface.resource(0, 0).unwrap().slot;
    machine
        .context
        .set_constant_buffer(ShaderType::Vertex, slot.into(), Some(ConstantBuffer::User(&camera)))
        .unwrap();
    let tint = bytes(&[2.0, 3.0, 0.0, 0.0]);
    let slot = fs.interface.resource(0, 1).unwrap().slot;
    assert_eq!(slot, 1);
    machine
        .context
        .set_constant_buffer(ShaderType::Fragment, slot.into(), Some(ConstantBuffer::User(&tint)))
        .unwrap();
    // 2×2 texels: their own coordinates.
    let format = Format::R32G32B32A32Float;
    let template = ResourceTemplate::texture_2d(format, 2, 2, Bind::SAMPLER_VIEW);
    let texels: Vec<f32> = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]
        .iter()
        .flat_map(|&[x, y]| [x, y, 0.0, 1.0])
        .collect();
    let texture = machine.texture(template, &[bytes(&texels)]);
    bind(&mut machine, 0, texture, &SamplerViewTemplate::whole(&template));
    sampler(&mut machine, 0, &nearest());
    machine.draw(3);
    for (at, pixel) in machine.pixels().into_iter().enumerate() {
        let (x, y) = (at % 4, at / 4);
        let expected = match (x, y) {
            (0, 3) => [0.0; 4],
            // Clip space's y points up, and the texture's down as the target's.
            _ => [(x / 2) as f32 * 2.0, (y / 2) as f32 * 3.0, 5.0, x as f32 + 0.5],
        };
        assert_eq!(pixel, expected, "pixel {x}, {y}");
    }
}

fn nearest() -> SamplerState {
    SamplerState {
        min_img_filter: TexFilter::Nearest,
        mag_img_filter: TexFilter::Nearest,
        min_mip_filter: TexMipFilter::Nearest,
        ..SamplerState::default()
    }
}

fn bind(
    machine: &mut Machine<'_>,
    slot: usize,
    texture: ResourceHandle,
    view: &SamplerViewTemplate,
) {
    let view = machine.context.create_sampler_view(texture, view).unwrap();
    machine.context.set_sampler_views(ShaderType::Fragment, slot, &[Some(view)]).unwrap();
}

fn sampler(machine: &mut Machine<'_>, slot: usize, state: &SamplerState) {
    let state = machine.context.create_sampler_state(state).unwrap();
    machine.context.bind_sampler_states(ShaderType::Fragment, slot, &[Some(state)]).unwrap();
}

/// A texture for [`evaluate`], with its view and sampler.
struct Bound {
    template: ResourceTemplate,
    levels: Vec<Vec<u8>>,
    sampler: SamplerState,
}

/// Evaluates expressions of type `vec4f` on the texture `t` and the sampler `s`, one expression per pixel.
#[track_caller]
fn evaluate(ty: &str, sampler_type: &str, bound: &Bound, expressions: &[(&str, [f32; 4])]) {
    let mut cases = String::new();
    for (at, (expression, _)) in expressions.iter().enumerate() {
        cases += &format!("let e{at} = vec4f({expression});\n");
        cases += &format!("if u32(p.x) == {at}u {{ r = e{at}; }}\n");
    }
    let wgsl = format!(
        "@vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {{
             return vec4f(f32(i % 2) * 4 - 1, f32(i / 2) * 4 - 1, 0, 1);
         }}
         @group(0) @binding(0) var unused: texture_2d<f32>;
         @group(0) @binding(1) var t: {ty};
         @group(0) @binding(2) var s: {sampler_type};
         @fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec4f {{
             // Not known to the compiler.
             let zero = floor(p.z);
             var r: vec4f;
             {cases}
             return r;
         }}"
    );
    let screen = screen();
    let mut machine = Machine::new(&screen, [expressions.len() as u32, 1]);
    let (vs, fs) = (shader(&wgsl, "vs"), shader(&wgsl, "fs"));
    machine.shaders(&vs, &fs);
    machine.vertices(&vs, &[0.0; 12]);
    let texture = machine.texture(bound.template, &bound.levels);
    let slots = fs.interface.resources.iter().map(|it| it.slot).collect::<Vec<_>>();
    // The view is not the first, the sampler is: the numbers differ.
    assert_eq!(slots.first(), Some(&1));
    let levels = bound.levels.len() as u32;
    let template = ResourceTemplate { last_level: levels - 1, ..bound.template };
    bind(&mut machine, 1, texture, &SamplerViewTemplate::whole(&template));
    sampler(&mut machine, 0, &bound.sampler);
    machine.draw(3);
    let pixels = machine.pixels();
    for ((expression, expected), got) in expressions.iter().zip(pixels) {
        let close = got.iter().zip(expected).all(|(a, b)| (a - b).abs() <= 2e-3);
        assert!(close, "{expression}: {got:?}, not {expected:?}");
    }
}

/// Texels of floats: `value(x, y, layer)` in a colour.
fn texels(size: [u32; 3], value: impl Fn(u32, u32, u32) -> [f32; 4]) -> Vec<u8> {
    let [width, height, layers] = size;
    let mut words = Vec::new();
    for layer in 0..layers {
        for y in 0..height {
            for x in 0..width {
                words.extend(value(x, y, layer));
            }
        }
    }
    bytes(&words)
}

const FLOATS: Format = Format::R32G32B32A32Float;

#[test]
fn lookups_of_2d_textures() {
    let bound = Bound {
        template: ResourceTemplate::texture_2d(FLOATS, 4, 4, Bind::SAMPLER_VIEW),
        levels: vec![
            texels([4, 4, 1], |x, y, _| [x as f32, y as f32, 0.0, 1.0]),
            texels([2, 2, 1], |x, y, _| [x as f32, y as f32, 1.0, 1.0]),
            texels([1, 1, 1], |_, _, _| [0.0, 0.0, 2.0, 1.0]),
        ],
        sampler: nearest(),
    };
    evaluate(
        "texture_2d<f32>",
        "sampler",
        &bound,
        &[
            ("textureSampleLevel(t, s, vec2f(0.6, 0.9), 0.0 + zero)", [2.0, 3.0, 0.0, 1.0]),
            ("textureSampleLevel(t, s, vec2f(0.6, 0.9), 1.0)", [1.0, 1.0, 1.0, 1.0]),
            ("textureSample(t, s, vec2f(0.3, 0.1))", [1.0, 0.0, 0.0, 1.0]),
            ("textureSample(t, s, vec2f(0.3, 0.1), vec2i(1, 2))", [2.0, 2.0, 0.0, 1.0]),
            // A texel a pixel: level 0, and with the bias 1.
            ("textureSampleBias(t, s, p.xy * 0.25, 1.0)", [0.0, 0.0, 1.0, 1.0]),
            // A texel a pixel, then two.
            (
                "textureSampleGrad(t, s, vec2f(0.6, 0.9), vec2f(0.25, 0), vec2f(0, 0.25))",
                [2.0, 3.0, 0.0, 1.0],
            ),
            (
                "textureSampleGrad(t, s, vec2f(0.6, 0.9), vec2f(0.5, 0), vec2f(0, 0.5))",
                [1.0, 1.0, 1.0, 1.0],
            ),
            ("textureLoad(t, vec2i(3, 1), 0)", [3.0, 1.0, 0.0, 1.0]),
            ("textureLoad(t, vec2i(1, 0) + i32(zero), 1)", [1.0, 0.0, 1.0, 1.0]),
            ("vec2f(textureDimensions(t)), vec2f(textureDimensions(t, 1))", [4.0, 4.0, 2.0, 2.0]),
            ("vec3f(f32(textureNumLevels(t))), 0", [3.0, 3.0, 3.0, 0.0]),
            // (umin, vmax), (umax, vmax), (umax, vmin), (umin, vmin).
            ("textureGather(0, t, s, vec2f(0.5, 0.5))", [1.0, 2.0, 2.0, 1.0]),
            ("textureGather(1, t, s, vec2f(0.5, 0.5))", [2.0, 2.0, 1.0, 1.0]),
            ("textureGather(0, t, s, vec2f(0.5, 0.5), vec2i(1, 0))", [2.0, 3.0, 3.0, 2.0]),
            ("textureSampleBaseClampToEdge(t, s, vec2f(2.0, -1.0))", [3.0, 0.0, 0.0, 1.0]),
        ],
    );
}

#[test]
fn lookups_of_arrays_volumes_and_cubes() {
    let layers = ResourceTemplate {
        target: TextureTarget::Texture2DArray,
        array_size: 3,
        ..ResourceTemplate::texture_2d(FLOATS, 2, 2, Bind::SAMPLER_VIEW)
    };
    let bound = Bound {
        template: layers,
        levels: vec![texels([2, 2, 3], |x, y, z| [x as f32, y as f32, z as f32, 1.0])],
        sampler: nearest(),
    };
    evaluate(
        "texture_2d_array<f32>",
        "sampler",
        &bound,
        &[
            ("textureSample(t, s, vec2f(0.6, 0.1), 2)", [1.0, 0.0, 2.0, 1.0]),
            ("textureSample(t, s, vec2f(0.6, 0.1), 1u + u32(zero))", [1.0, 0.0, 1.0, 1.0]),
            ("textureSampleLevel(t, s, vec2f(0.6, 0.1), 99, 0.0)", [1.0, 0.0, 2.0, 1.0]),
            ("textureSampleLevel(t, s, vec2f(0.6, 0.1), -5, 0.0)", [1.0, 0.0, 0.0, 1.0]),
            ("textureLoad(t, vec2i(0, 1), 1, 0)", [0.0, 1.0, 1.0, 1.0]),
            ("vec2f(textureDimensions(t)), f32(textureNumLayers(t)), 0", [2.0, 2.0, 3.0, 0.0]),
            ("textureGather(2, t, s, vec2f(0.5), 2)", [2.0; 4]),
        ],
    );
    let volume = ResourceTemplate {
        target: TextureTarget::Texture3D,
        depth0: 2,
        ..ResourceTemplate::texture_2d(FLOATS, 2, 2, Bind::SAMPLER_VIEW)
    };
    let bound = Bound {
        template: volume,
        levels: vec![texels([2, 2, 2], |x, y, z| [x as f32, y as f32, z as f32, 1.0])],
        sampler: nearest(),
    };
    evaluate(
        "texture_3d<f32>",
        "sampler",
        &bound,
        &[
            ("textureSample(t, s, vec3f(0.6, 0.1, 0.9))", [1.0, 0.0, 1.0, 1.0]),
            ("textureLoad(t, vec3i(0, 1, 1), 0)", [0.0, 1.0, 1.0, 1.0]),
            ("vec3f(textureDimensions(t)), 0", [2.0, 2.0, 2.0, 0.0]),
        ],
    );
    let cube = ResourceTemplate {
        target: TextureTarget::Cube,
        array_size: 6,
        ..ResourceTemplate::texture_2d(FLOATS, 2, 2, Bind::SAMPLER_VIEW)
    };
    let bound = Bound {
        template: cube,
        levels: vec![texels([2, 2, 6], |_, _, z| [z as f32, 0.0, 0.0, 1.0])],
        sampler: nearest(),
    };
    evaluate(
        "texture_cube<f32>",
        "sampler",
        &bound,
        &[
            ("textureSample(t, s, vec3f(1, 0.1, 0.2))", [0.0, 0.0, 0.0, 1.0]),
            ("textureSample(t, s, vec3f(0.1, -1, 0.2))", [3.0, 0.0, 0.0, 1.0]),
            ("textureSampleLevel(t, s, vec3f(0.1, 0.3, -1), 0)", [5.0, 0.0, 0.0, 1.0]),
            ("vec2f(textureDimensions(t)), 0, 0", [2.0, 2.0, 0.0, 0.0]),
        ],
    );
    let cubes = ResourceTemplate {
        target: TextureTarget::CubeArray,
        array_size: 12,
        ..ResourceTemplate::texture_2d(FLOATS, 2, 2, Bind::SAMPLER_VIEW)
    };
    let bound = Bound {
        template: cubes,
        levels: vec![texels([2, 2, 12], |_, _, z| [z as f32, 0.0, 0.0, 1.0])],
        sampler: nearest(),
    };
    evaluate(
        "texture_cube_array<f32>",
        "sampler",
        &bound,
        &[
            ("textureSample(t, s, vec3f(0.1, -1, 0.2), 1)", [9.0, 0.0, 0.0, 1.0]),
            ("f32(textureNumLayers(t)), vec2f(textureDimensions(t)), 0", [2.0, 2.0, 2.0, 0.0]),
            ("textureGather(0, t, s, vec3f(0.1, -1, 0.2), 1)", [9.0; 4]),
        ],
    );
    let line = ResourceTemplate {
        target: TextureTarget::Texture1D,
        ..ResourceTemplate::texture_2d(FLOATS, 4, 1, Bind::SAMPLER_VIEW)
    };
    let bound = Bound {
        template: line,
        levels: vec![texels([4, 1, 1], |x, _, _| [x as f32, 0.0, 0.0, 1.0])],
        sampler: nearest(),
    };
    evaluate(
        "texture_1d<f32>",
        "sampler",
        &bound,
        &[
            ("textureSample(t, s, 0.6)", [2.0, 0.0, 0.0, 1.0]),
            ("textureLoad(t, 3, 0)", [3.0, 0.0, 0.0, 1.0]),
            ("f32(textureDimensions(t)), 0, 0, 0", [4.0, 0.0, 0.0, 0.0]),
        ],
    );
}

#[test]
fn lookups_of_integers() {
    let bound = Bound {
        template: ResourceTemplate::texture_2d(Format::R8G8B8A8Uint, 2, 1, Bind::SAMPLER_VIEW),
        levels: vec![vec![1, 2, 3, 4, 250, 6, 7, 8]],
        sampler: nearest(),
    };
    evaluate(
        "texture_2d<u32>",
        "sampler",
        &bound,
        &[
            ("vec4f(textureLoad(t, vec2i(1, 0), 0))", [250.0, 6.0, 7.0, 8.0]),
            ("vec4f(textureGather(1, t, s, vec2f(0.5)))", [2.0, 6.0, 6.0, 2.0]),
        ],
    );
    let bound = Bound {
        template: ResourceTemplate::texture_2d(Format::R8G8B8A8Sint, 2, 1, Bind::SAMPLER_VIEW),
        levels: vec![vec![1, 2, 3, 4, 250, 6, 7, 8]],
        sampler: nearest(),
    };
    evaluate(
        "texture_2d<i32>",
        "sampler",
        &bound,
        &[("vec4f(textureLoad(t, vec2i(1, 0), 0))", [-6.0, 6.0, 7.0, 8.0])],
    );
}

#[test]
fn lookups_of_depth() {
    let compares = SamplerState {
        compare_mode: TexCompare::RToTexture,
        compare_func: CompareFunc::Less,
        ..nearest()
    };
    let depths = [0.2f32, 0.4, 0.6, 0.8];
    let flat = Bound {
        template: ResourceTemplate::texture_2d(Format::Z32Float, 2, 2, Bind::SAMPLER_VIEW),
        levels: vec![bytes(&depths)],
        sampler: compares,
    };
    evaluate(
        "texture_depth_2d",
        "sampler_comparison",
        &flat,
        &[
            ("textureSampleCompare(t, s, vec2f(0.1, 0.1), 0.1), 0, 0, 0", [1.0, 0.0, 0.0, 0.0]),
            ("textureSampleCompare(t, s, vec2f(0.1, 0.1), 0.3 + zero), 0, 0, 0", [0.0; 4]),
            (
                "textureSampleCompareLevel(t, s, vec2f(0.9, 0.9), 0.7), 0, 0, 0",
                [1.0, 0.0, 0.0, 0.0],
            ),
            ("textureGatherCompare(t, s, vec2f(0.5, 0.5), 0.5)", [1.0, 1.0, 0.0, 0.0]),
            ("textureLoad(t, vec2i(1, 0), 0), 0, 0, 0", [0.4, 0.0, 0.0, 0.0]),
        ],
    );
    let plain = Bound { sampler: nearest(), ..flat };
    evaluate(
        "texture_depth_2d",
        "sampler",
        &plain,
        &[
            ("textureSample(t, s, vec2f(0.9, 0.1)), 0, 0, 0", [0.4, 0.0, 0.0, 0.0]),
            ("textureSampleLevel(t, s, vec2f(0.1, 0.9), 0), 0, 0, 0", [0.6, 0.0, 0.0, 0.0]),
            ("textureGather(t, s, vec2f(0.5, 0.5))", [0.6, 0.8, 0.4, 0.2]),
        ],
    );
    let layered = |target, count: u32| Bound {
        template: ResourceTemplate {
            target,
            array_size: count,
            ..ResourceTemplate::texture_2d(Format::Z32Float, 1, 1, Bind::SAMPLER_VIEW)
        },
        levels: vec![bytes(&(0..count).map(|it| it as f32 / 12.0).collect::<Vec<_>>())],
        sampler: compares,
    };
    evaluate(
        "texture_depth_2d_array",
        "sampler_comparison",
        &layered(TextureTarget::Texture2DArray, 3),
        &[
            ("textureSampleCompare(t, s, vec2f(0.5), 2, 0.1), 0, 0, 0", [1.0, 0.0, 0.0, 0.0]),
            ("textureSampleCompareLevel(t, s, vec2f(0.5), 1, 0.1), 0, 0, 0", [0.0; 4]),
            ("textureGatherCompare(t, s, vec2f(0.5), 2, 0.1)", [1.0; 4]),
        ],
    );
    evaluate(
        "texture_depth_cube",
        "sampler_comparison",
        &layered(TextureTarget::Cube, 6),
        &[
            ("textureSampleCompare(t, s, vec3f(0, -1, 0), 0.2), 0, 0, 0", [1.0, 0.0, 0.0, 0.0]),
            ("textureSampleCompareLevel(t, s, vec3f(1, 0, 0), 0.2), 0, 0, 0", [0.0; 4]),
            ("textureGatherCompare(t, s, vec3f(0, -1, 0), 0.2)", [1.0; 4]),
        ],
    );
    evaluate(
        "texture_depth_cube_array",
        "sampler_comparison",
        &layered(TextureTarget::CubeArray, 12),
        &[
            ("textureSampleCompare(t, s, vec3f(0, -1, 0), 1, 0.7), 0, 0, 0", [1.0, 0.0, 0.0, 0.0]),
            ("textureSampleCompareLevel(t, s, vec3f(0, -1, 0), 0, 0.7), 0, 0, 0", [0.0; 4]),
            ("textureGatherCompare(t, s, vec3f(0, -1, 0), 1, 0.7)", [1.0; 4]),
        ],
    );
}

#[test]
fn derivatives_and_faces() {
    let wgsl = "
        struct V { @builtin(position) p: vec4f, @location(0) v: vec2f,
            @location(1) @interpolate(linear) l: f32 }
        @vertex fn vs(@location(0) p: vec4f) -> V { return V(p, p.xy, 3); }
        @fragment fn fs(in: V, @builtin(front_facing) front: bool,
                        @builtin(sample_index) sample: u32) -> @location(0) vec4f {
            return vec4f(dpdx(in.v.x), dpdyFine(in.v.y), fwidth(in.v.x + in.v.y),
                select(7.0, 9.0, front) + in.l + f32(sample));
        }";
    let screen = screen();
    let mut machine = Machine::new(&screen, [4, 4]);
    let (vs, fs) = (shader(wgsl, "vs"), shader(wgsl, "fs"));
    machine.shaders(&vs, &fs);
    let corners = [-1.0, -1.0, 0.0, 1.0, 3.0, -1.0, 0.0, 1.0, -1.0, 3.0, 0.0, 1.0];
    machine.vertices(&vs, &corners);
    machine.draw(3);
    for pixel in machine.pixels() {
        // Two units of clip space over four pixels; y points up.
        assert!(pixel[3] == 10.0 || pixel[3] == 12.0);
        for (got, expected) in pixel.iter().zip([0.5, -0.5, 1.0]) {
            assert!((got - expected).abs() < 1e-5, "{pixel:?}");
        }
    }
}

#[test]
fn slots_that_the_caller_wants() {
    let wgsl = "
        @group(0) @binding(0) var<uniform> a: vec4f;
        @group(0) @binding(1) var<uniform> b: vec4f;
        @group(2) @binding(0) var<uniform> c: vec4f;
        @fragment fn fs() -> @location(0) vec4f { return a + b + c; }";
    let module = Module::wgsl(wgsl, "test.wgsl").unwrap();
    let options = Options { bindings: Bindings::from([((0, 1), 7)]), ..Options::default() };
    let translated = module.translate("fs", &options).unwrap();
    let slots: Vec<_> =
        translated.interface.resources.iter().map(|it| (it.binding, it.slot)).collect();
    assert_eq!(slots, [(Some((0, 0)), 0), (Some((0, 1)), 7), (Some((2, 0)), 8)]);
    let too_many = Options { bindings: Bindings::from([((0, 1), 16)]), ..Options::default() };
    let error = module.translate("fs", &too_many).unwrap_err();
    assert_eq!(error.location(), Some((3, 31)));
}

#[test]
fn immediates_in_the_slot_that_the_caller_wants() {
    let wgsl = "
        @group(0) @binding(0) var<uniform> a: vec4f;
        var<immediate> b: vec4f;
        @fragment fn fs() -> @location(0) vec4f { return a + b; }";
    let module = Module::wgsl(wgsl, "test.wgsl").unwrap();
    for (wanted, expected) in [(None, 1), (Some(9), 9)] {
        let options = Options { immediates: wanted, ..Options::default() };
        let interface = module.translate("fs", &options).unwrap().interface;
        let slots: Vec<_> = interface.resources.iter().map(|it| (it.binding, it.slot)).collect();
        assert_eq!(slots, [(Some((0, 0)), 0), (None, expected)]);
    }
}

#[test]
fn modules_of_naga_itself() {
    let wgsl = "@fragment fn fs() -> @location(0) vec4f { return vec4f(1, 0, 0, 1); }";
    let module = gallium_naga::naga::front::wgsl::parse_str(wgsl).unwrap();
    let flags = gallium_naga::naga::valid::ValidationFlags::all();
    let mut validator =
        gallium_naga::naga::valid::Validator::new(flags, gallium_naga::CAPABILITIES);
    let info = validator.validate(&module).unwrap();
    let ours = Module::from_naga(module, info, Some((wgsl.into(), "test.wgsl".into())));
    let same = Module::wgsl(wgsl, "test.wgsl").unwrap();
    let text =
        |module: &Module| module.translate("fs", &Options::default()).unwrap().shader.to_string();
    assert_eq!(text(&ours), text(&same));
}
