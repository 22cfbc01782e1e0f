//! The ready shaders in WGSL give the numbers of the ones in TGSI, in about as many ops.

use gallium_kit::shaders;
use tgsi::exec::{self, Lanes, Mask, NoResources};
use tgsi::program::{Program, Row};
use wgsl::wgsl;

wgsl! {
    static COLORED: "shaders/materials.wgsl" => colored;
    static PLAIN: "shaders/materials.wgsl" => plain;
    static LIT: "shaders/materials.wgsl" => lit;
    static COLORED_LIT: "shaders/materials.wgsl" => colored_lit;
    static LIT_FOGGED: "shaders/materials.wgsl" => lit_fogged;
    static LAMPLIT: "shaders/materials.wgsl" => lamplit;
    static TEXTURED: "shaders/materials.wgsl" => textured;
    static TEXTURED_TINTED: "shaders/materials.wgsl" => textured_tinted;
    static TEXTURED_LIT: "shaders/materials.wgsl" => textured_lit;
    static SHADED: "shaders/materials.wgsl" => shaded;
}

wgsl! {
    static COLOR: "shaders/materials.wgsl" => color;
    static TEXEL: "shaders/materials.wgsl" => texel;
    static TEXEL_TIMES_COLOR: "shaders/materials.wgsl" => texel_times_color;
}

/// The vertex shaders: in WGSL, in TGSI.
static VERTEX: [(&str, &Program<'static>, &Program<'static>); 10] = [
    ("colored", &COLORED, &shaders::COLORED),
    ("plain", &PLAIN, &shaders::PLAIN),
    ("lit", &LIT, &shaders::LIT),
    ("colored_lit", &COLORED_LIT, &shaders::COLORED_LIT),
    ("lit_fogged", &LIT_FOGGED, &shaders::LIT_FOGGED),
    ("lamplit", &LAMPLIT, &shaders::LAMPLIT),
    ("textured", &TEXTURED, &shaders::TEXTURED),
    ("textured_tinted", &TEXTURED_TINTED, &shaders::TEXTURED_TINTED),
    ("textured_lit", &TEXTURED_LIT, &shaders::TEXTURED_LIT),
    ("shaded", &SHADED, &shaders::SHADED),
];

type Lane = [u32; 16];

/// Returns a number from -2 to 2 for a place.
fn number(place: u32) -> f32 {
    let bits = place.wrapping_mul(0x9E37_79B9).rotate_left(13).wrapping_mul(0x85EB_CA6B);
    (bits >> 8) as f32 / (1 << 22) as f32 - 2.0
}

/// Runs a vertex shader on numbers that depend on the register, the component and the lane, and
/// returns the written components of its outputs in order.
fn outputs(program: &Program<'_>, constants: &[f32], seed: u32) -> Vec<Vec<f32>> {
    let constants: &[u8] = bytemuck::cast_slice(constants);
    let mut rows = vec![Lane::ZERO; program.rows.into()];
    exec::prepare(program, &mut rows, &[constants]).unwrap();
    for input in program.inputs {
        for (component, row) in input.rows.iter().enumerate() {
            let Some(row) = row.index() else { continue };
            for (lane, bits) in rows[row].as_mut_slice().iter_mut().enumerate() {
                let place = ((seed * 8 + u32::from(input.register)) * 4 + component as u32) * 16;
                *bits = number(place + lane as u32).to_bits();
            }
        }
    }
    exec::run(program, &mut rows, Mask::MAX, &[constants], &mut NoResources).unwrap();
    let written = program.outputs.iter().flat_map(|output| output.rows).filter_map(Row::index);
    written
        .map(|row| rows[row].as_slice().iter().map(|bits| f32::from_bits(*bits)).collect())
        .collect()
}

#[test]
fn vertices_are_the_same() {
    for (name, wgsl, tgsi) in VERTEX {
        for seed in 0..20 {
            let constants: Vec<f32> = (0..40).map(|at| number(seed * 64 + at)).collect();
            let (wgsl, tgsi) = (outputs(wgsl, &constants, seed), outputs(tgsi, &constants, seed));
            assert_eq!(wgsl.len(), tgsi.len(), "{name}");
            for (wgsl, tgsi) in wgsl.iter().flatten().zip(tgsi.iter().flatten()) {
                // The order of sums differs: a few steps of numbers of this size.
                assert!((wgsl - tgsi).abs() <= 4e-5, "{name}, seed {seed}: {wgsl}, {tgsi}");
            }
        }
    }
}

/// WGSL takes as many ops as TGSI, except for limits from 0 to 1, which TGSI has in a sum.
#[test]
fn wgsl_takes_as_many_ops() {
    let fragment = [
        ("color", &COLOR, &shaders::COLOR),
        ("texel", &TEXEL, &shaders::TEXEL),
        ("texel_times_color", &TEXEL_TIMES_COLOR, &shaders::TEXEL_TIMES_COLOR),
    ];
    let mut more = Vec::new();
    for (name, wgsl, tgsi) in VERTEX.into_iter().chain(fragment) {
        let ops = |program: &Program<'_>| program.preamble.len() + program.body.len();
        if ops(wgsl) > ops(tgsi) {
            more.push((name, ops(wgsl) - ops(tgsi)));
        }
    }
    assert_eq!(more, [("lit_fogged", 1), ("lamplit", 3)]);
}
