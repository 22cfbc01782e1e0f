//! `wgsl!`: the programs run, and the interface has the places of WGSL.

use core::mem::{offset_of, size_of};

use bytemuck::Zeroable;
use formats::Format;
use gallium_wgsl::{glsl, wgsl};
use tgsi::exec::native::PIXEL_INPUTS;
use tgsi::exec::{self, Lanes, Mask, MemoryRequest, NoResources, Resources};
use tgsi::program::{Constant, ConstantSource, Native, Program};

wgsl! {
    interface;
    /// Moves vertices.
    pub static LIT: "tests/shaders/lit.wgsl" => vs;

    native(4, 16); interface;
    static LIT_FS: "tests/shaders/lit.wgsl" => fs;
}

wgsl! {
    native(4); pixel;
    static SQUARED: "@fragment fn fs(@location(0) c: vec4f) -> @location(0) vec4f { return c * c; }";
}

#[test]
fn the_interface_has_the_places_of_wgsl() {
    assert_eq!((lit::SCENE_SLOT, lit_fs::SCENE_SLOT), (0, 0));
    assert_eq!((lit_fs::IMAGE_SLOT, lit_fs::FILTERING_SLOT), (0, 0));
    assert_eq!(size_of::<lit::Light>(), 32);
    assert_eq!((offset_of!(lit::Light, ambient), offset_of!(lit::Light, color)), (12, 16));
    assert_eq!(size_of::<lit::Scene>(), 64 + 2 * 32 + 3 * 16);
    assert_eq!(offset_of!(lit::Scene, factor), 128);
    let elements = lit::ELEMENTS.map(|it| (it.src_offset, it.src_format));
    let expected =
        [(0, Format::R32G32B32Float), (12, Format::R32G32B32Float), (24, Format::R32G32Float)];
    assert_eq!(elements, expected);
    assert_eq!(size_of::<lit::Vertex>(), 32);
    let light = lit::Light { color: [1.0; 3], ..bytemuck::Zeroable::zeroed() };
    assert_eq!(bytemuck::bytes_of(&light)[16..20], 1f32.to_le_bytes());
}

/// Runs a program on one input of four lanes; returns the first output.
fn run(program: &Program<'_>, input: [f32; 4], constants: &[&[u8]]) -> [f32; 4] {
    run_with(program, input, constants, &mut NoResources)
}

/// Runs a program that reads resources; see [`run`].
fn run_with(
    program: &Program<'_>,
    input: [f32; 4],
    constants: &[&[u8]],
    resources: &mut impl Resources<[u32; 4]>,
) -> [f32; 4] {
    let mut rows = vec![[0u32; 4]; program.rows.into()];
    exec::prepare(program, &mut rows, constants).expect("the program is well formed");
    for it in program.inputs {
        for (row, value) in it.rows.iter().zip(input) {
            if let Some(row) = row.index() {
                rows[row] = [value.to_bits(); 4];
            }
        }
    }
    exec::run(program, &mut rows, !0, constants, resources).expect("it runs");
    program.outputs[0].rows.map(|row| f32::from_bits(rows[row.index().expect("it is written")][0]))
}

/// Runs a program's function of one pixel on its first input; returns the colour.
fn run_pixel(program: &Program<'_>, input: [f32; 4], constants: &[&[u8]]) -> [f32; 4] {
    let pixel = program.native.pixel.expect("it is arithmetic");
    let mut rows = vec![[0u32; 4]; program.rows.into()];
    exec::prepare(program, &mut rows, constants).expect("the program is well formed");
    let rows: Vec<u32> = rows.iter().map(|row| row[0]).collect();
    let mut inputs = [0; PIXEL_INPUTS];
    inputs[..4].copy_from_slice(&input.map(f32::to_bits));
    pixel(&rows, &inputs).map(f32::from_bits)
}

#[test]
fn native_programs_give_the_interpreters_results() {
    assert!(SQUARED.native.lanes4.is_some() && SQUARED.native.pixel.is_some());
    assert!(SQUARED.native.lanes16.is_none());
    assert!(LIT_FS.native.lanes16.is_some() && LIT.native.lanes16.is_none());
    assert_eq!(run(&SQUARED, [1.0, -2.0, 0.5, 3.0], &[]), [1.0, 4.0, 0.25, 9.0]);
    let interpreted = wgsl!(
        "@fragment fn fs(@location(0) c: vec4f) -> @location(0) vec4f { return c * c; }" => fs
    );
    assert_eq!(run(interpreted, [1.0, -2.0, 0.5, 3.0], &[]), [1.0, 4.0, 0.25, 9.0]);
}

wgsl! {
    native(4); pixel;
    static SCALED: r"
        @group(0) @binding(0) var<uniform> scale: vec4f;
        @fragment fn fs(@location(0) c: vec4f) -> @location(0) vec4f {
            let factor = scale * 3.5 + vec4f(4.5, 5.5, 6.5, 7.5);
            return vec4f(c.x, c.x * factor.yzw);
        }";
}

#[test]
fn inputs_may_have_rows_of_immediates() {
    // The immediates are read once per draw, so their rows are free for the inputs.
    let is_immediate = |it: &&Constant| matches!(it.source, ConstantSource::Immediate(_));
    let immediates = SCALED.constants.iter().filter(is_immediate).map(|it| it.row);
    let inputs: Vec<_> = SCALED.inputs.iter().flat_map(|it| it.rows).collect();
    assert!(immediates.filter(|row| inputs.contains(row)).count() > 0);
    let (colour, constants) = ([2.0; 4], [bytemuck::bytes_of(&[2f32; 4])]);
    assert_eq!(run(&SCALED, colour, &constants), [2.0, 25.0, 27.0, 29.0]);
    assert_eq!(run_pixel(&SCALED, colour, &constants), [2.0, 25.0, 27.0, 29.0]);
}

#[test]
fn uniforms_are_read_where_the_struct_has_them() {
    let mut scene: lit::Scene = bytemuck::Zeroable::zeroed();
    for (at, column) in scene.matrix.iter_mut().enumerate() {
        column[at] = 2.0;
    }
    scene.matrix[3] = [10.0, 20.0, 30.0, 1.0];
    // All attributes have the same values here.
    let position = run(&LIT, [1.0, 2.0, 3.0, 4.0], &[bytemuck::bytes_of(&scene)]);
    assert_eq!(position, [12.0, 24.0, 36.0, 1.0]);
}

glsl! {
    interface;
    static SPOT: "tests/shaders/spot.glsl";

    pixel; native(4); interface;
    static FOG: "tests/shaders/fog.frag";
}

wgsl! {
    interface;
    static PADDED: r"
        struct Wave { crate_: f32, offsets: array<vec3f, 3>, yield_: vec2i }
        @group(0) @binding(0) var<uniform> wave: Wave;
        @vertex fn vs(@location(0) box: f32, @location(3) at: vec2i) -> @builtin(position) vec4f {
            return vec4f(wave.offsets[at.x], box);
        }";
}

#[test]
fn structs_have_padding_and_elements_have_gaps() {
    let wave = padded::Wave { offsets: [[1.0, 2.0, 3.0, 0.0]; 3], ..Zeroable::zeroed() };
    assert_eq!((offset_of!(padded::Wave, offsets), offset_of!(padded::Wave, yield_)), (16, 64));
    assert_eq!(bytemuck::bytes_of(&wave).len(), 80);
    assert_eq!(padded::ELEMENTS.len(), 4);
    assert_eq!(padded::ELEMENTS[1].src_format, Format::None);
    assert_eq!((padded::ELEMENTS[3].src_offset, size_of::<padded::Vertex>()), (4, 12));
    let vertex = padded::Vertex { r#box: 1.0, at: [2, 0] };
    assert_eq!(bytemuck::bytes_of(&vertex)[4..8], 2i32.to_le_bytes());
    let position = run(&PADDED, [1e-45, 0.0, 0.0, 0.0], &[bytemuck::bytes_of(&wave)]);
    assert_eq!(position, [1.0, 2.0, 3.0, 1e-45]);
}

wgsl! {
    native(4); interface;
    static HALVES: r"
        enable f16;
        struct Sizes {
            one: f16, two: vec2<f16>, three: vec3<f16>, columns: mat2x3<f16>, many: array<vec4<f16>, 2>, whole: f32, last: f16
        }
        @group(0) @binding(0) var<storage> sizes: Sizes;
        @vertex fn vs(@location(0) a: f16, @location(1) b: vec2f, @location(2) c: vec2<f16>, @location(3) d: f16)
            -> @builtin(position) vec4f {
            let sum = f32(a + c.y + d) + b.x;
            return vec4f(f32(sizes.one + sizes.two.y), f32(sizes.three.z + sizes.columns[1].z),
                sizes.whole + f32(sizes.many[1].w), f32(sizes.last)) + sum;
        }";
}

/// Returns the bits of a half.
const fn half(value: u16) -> u16 {
    assert!(value >= 1 && value.is_power_of_two(), "only powers of two");
    (15 + value.trailing_zeros() as u16) << 10
}

#[test]
fn halves_are_fields_of_their_bits() {
    // WGSL's rules: alignments 2, 4, 8, 8, 8, 4 and 2.
    assert_eq!(offset_of!(halves::Sizes, two), 4);
    assert_eq!(offset_of!(halves::Sizes, three), 8);
    assert_eq!(offset_of!(halves::Sizes, columns), 16);
    assert_eq!(offset_of!(halves::Sizes, many), 32);
    assert_eq!(offset_of!(halves::Sizes, whole), 48);
    assert_eq!((offset_of!(halves::Sizes, last), size_of::<halves::Sizes>()), (52, 56));
    let sizes = halves::Sizes {
        one: half(1),
        two: [0, half(2)],
        three: [0, 0, half(4)],
        columns: [[0; 4], [0, 0, half(8), 0]],
        many: [[0; 4], [0, 0, 0, half(16)]],
        whole: 32.0,
        last: half(64),
        ..Zeroable::zeroed()
    };
    // A float begins at a word, and so does the next vertex.
    let elements = halves::ELEMENTS.map(|it| (it.src_offset, it.src_format));
    let expected = [
        (0, Format::R16Float),
        (4, Format::R32G32Float),
        (12, Format::R16G16Float),
        (16, Format::R16Float),
    ];
    assert_eq!(elements, expected);
    assert_eq!((offset_of!(halves::Vertex, b), offset_of!(halves::Vertex, d)), (4, 16));
    assert_eq!(size_of::<halves::Vertex>(), 20);
    let mut buffers = Buffers(vec![bytemuck::bytes_of(&sizes).to_vec()]);
    let position = run_with(&HALVES, [0.5; 4], &[], &mut buffers);
    assert_eq!(position, [1.0 + 2.0, 4.0 + 8.0, 32.0 + 16.0, 64.0].map(|sum| sum + 2.0));
}

#[test]
fn glsl_is_compiled_like_wgsl() {
    assert_eq!(spot::ELEMENTS[0].src_format, Format::R32G32B32Float);
    assert!(FOG.native.pixel.is_some() && FOG.native.lanes4.is_some());
    assert_eq!((fog::FOG_SLOT, offset_of!(fog::Fog, density)), (0, 16));
    let uniform = fog::Fog { color: [1.0, 0.5, 0.0, 0.0], density: 1.0, ..Zeroable::zeroed() };
    // All inputs have the same values here: a depth of 3, so that a tenth of 3 is left of x.
    let color = run(&FOG, [3.0, 1.0, 2.0, 0.0], &[bytemuck::bytes_of(&uniform)]);
    for (got, expected) in color.into_iter().zip([1.2f32, 0.55, 0.2, 1.0]) {
        assert!((got - expected).abs() < 1e-6, "{color:?}");
    }
    let doubled = glsl!(
        "#version 450
        #pragma shader_stage(fragment)
        layout(location = 0) in vec4 color;
        layout(location = 0) out vec4 result;
        void main() { result = color + color; }"
    );
    assert_eq!(run(doubled, [1.0, 2.0, 3.0, 4.0], &[]), [2.0, 4.0, 6.0, 8.0]);
}

wgsl! {
    pixel;
    /// A pixel function has no loops: they are written out.
    static POLYNOMIAL: r"
        const FACTORS = array(1.0, 0.5, 0.25, 0.125);
        @group(0) @binding(0) var<uniform> scales: array<vec4f, 2>;
        @fragment fn fs(@location(0) x: vec4f) -> @location(0) vec4f {
            var sum = vec4f(0);
            for (var i = 0; i < 4; i++) {
                var power = vec4f(1);
                for (var k = 0; k < i; k++) { power *= x; }
                sum += FACTORS[i] * power * scales[i % 2].x;
            }
            return sum;
        }";
}

#[test]
fn pixel_functions_have_their_loops_written_out() {
    let scales = [[2f32, 0.0, 0.0, 0.0], [3.0, 0.0, 0.0, 0.0]];
    let constants: &[&[u8]] = &[bytemuck::cast_slice(&scales)];
    let x = [0.0, 1.0, -2.0, 4.0f32];
    let expected = x.map(|x| 2.0 + 1.5 * x + 0.5 * x * x + 0.375 * x * x * x);
    assert_eq!(run_pixel(&POLYNOMIAL, x, constants), expected);
    assert_eq!(run(&POLYNOMIAL, x, constants), expected);
}

wgsl! {
    native(4, 16);
    static FUNCTIONS: "tests/shaders/functions.wgsl" => main;
}

/// Shader buffers.
struct Buffers(Vec<Vec<u8>>);

impl<R: Lanes> Resources<R> for Buffers {
    fn memory(&mut self, request: &MemoryRequest<'_, R>, out: &mut [R; 4]) {
        request.access(&mut self.0[request.unit as usize], out);
    }
}

/// Runs a compute program for invocations from 0 on; returns buffer 0.
fn compute<R: Lanes>(program: &Program<'_>) -> Vec<u8> {
    let mut rows = vec![R::ZERO; program.rows.into()];
    exec::prepare(program, &mut rows, &[]).expect("the program is well formed");
    let thread = program.system_values[0].rows[0].index().expect("it reads x");
    for (at, lane) in rows[thread].as_mut_slice().iter_mut().enumerate() {
        *lane = at as u32;
    }
    let mut buffers = Buffers(vec![vec![0; 1024], vec![0; 4], vec![0; 12]]);
    let all = Mask::MAX;
    exec::run(program, &mut rows, all, &[], &mut buffers).expect("it runs");
    buffers.0.swap_remove(0)
}

#[test]
fn native_takes_every_function() {
    assert!(FUNCTIONS.native.lanes4.is_some() && FUNCTIONS.native.lanes16.is_some());
    let interpreted = Program { native: Native::NONE, ..FUNCTIONS };
    let four = compute::<[u32; 4]>(&FUNCTIONS);
    assert_eq!(four, compute::<[u32; 4]>(&interpreted));
    assert!(four[..64].iter().any(|byte| *byte != 0));
    assert_eq!(compute::<[u32; 16]>(&FUNCTIONS), compute::<[u32; 16]>(&interpreted));
}
