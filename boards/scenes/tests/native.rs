//! Vertex shaders in machine code give the same bits as the interpreter.
#![cfg(any(feature = "native-4", feature = "native-16"))]

use gallium_scenes::{ALL, View};
use tgsi::exec::{self, Lanes, Mask, NoResources};
use tgsi::program::{Native, Program};

/// Runs a program over a batch; returns the words of its outputs.
fn outputs<R: Lanes>(program: &Program<'_>, constants: &[u8], seed: u32) -> Vec<u32> {
    let mut rows = vec![R::ZERO; program.rows.into()];
    exec::prepare(program, &mut rows, &[constants]).unwrap();
    let inputs = program.inputs.iter().flat_map(|input| input.rows);
    let mut state = seed;
    for row in inputs.filter_map(|row| row.index()) {
        for lane in rows[row].as_mut_slice() {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            // Numbers from -4 to 4, and sometimes a NaN.
            let value = (state >> 8) as f32 / (1 << 21) as f32 - 4.0;
            *lane = if state.is_multiple_of(97) { f32::NAN } else { value }.to_bits();
        }
    }
    exec::run(program, &mut rows, Mask::MAX, &[constants], &mut NoResources).unwrap();
    let written = program.outputs.iter().flat_map(|output| output.rows);
    let written = written.filter_map(|row| row.index());
    written.flat_map(|row| rows[row].as_slice().to_vec()).collect()
}

fn check<R: Lanes>(program: &Program<'_>, constants: &[u8], name: &str) {
    assert!(R::native(&program.native).is_some(), "{name}: {} lanes", R::COUNT);
    let interpreted = Program { native: Native::NONE, ..*program };
    for seed in 0..50 {
        let native = outputs::<R>(program, constants, seed);
        assert_eq!(native, outputs::<R>(&interpreted, constants, seed), "{name}, seed {seed}");
    }
}

#[test]
fn vertices_have_the_same_bits() {
    let view = View { turns: 0.3, tilt: 0.05, distance: 1.0, aspect: 4.0 / 3.0 };
    // Scenes of patches and cells have additional stages before their triangles.
    let other = |name: &str| name.starts_with("teapot-patches") || name == "life";
    for scene in ALL.iter().filter(|scene| !other(scene.name)) {
        let constants = (scene.constants)(&view);
        let bytes = bytemuck::bytes_of(&constants);
        if cfg!(feature = "native-4") {
            check::<[u32; 4]>(scene.vertex, bytes, scene.name);
        }
        if cfg!(feature = "native-16") {
            check::<[u32; 16]>(scene.vertex, bytes, scene.name);
        }
    }
}
