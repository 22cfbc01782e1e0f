//! `wgsl!`: the programs run, and the interface has the places of WGSL.

use core::mem::{offset_of, size_of};

use formats::Format;
use gallium_wgsl::wgsl;
use tgsi::exec::{self, NoResources};
use tgsi::program::Program;

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
    let mut rows = vec![[0u32; 4]; program.rows.into()];
    exec::prepare(program, &mut rows, constants).expect("the program is well formed");
    for it in program.inputs {
        for (row, value) in it.rows.iter().zip(input) {
            if let Some(row) = row.index() {
                rows[row] = [value.to_bits(); 4];
            }
        }
    }
    exec::run(program, &mut rows, !0, constants, &mut NoResources).expect("it runs");
    program.outputs[0].rows.map(|row| f32::from_bits(rows[row.index().expect("it is written")][0]))
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
