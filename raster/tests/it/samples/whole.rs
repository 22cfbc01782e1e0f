//! Pixels with all samples from one triangle, which integer spans keep as one colour: no picture
//! changes.

use super::{SIZE, resolved, setup_of, template};
use crate::common::*;
use formats::Format;
use gallium_raster::{Host, Profile, Screen, Small, Tiny};
use os_shim::Os;
use pipe_core::{
    Bind, CompareFunc, DepthStencilAlphaState, DrawInfo, DrawStartCount, FramebufferState,
    PrimType, ResourceFlags, Screen as _, SurfaceTemplate,
};

in_all_profiles! {
    panels_and_resolves_show_the_same_however_samples_are_kept
}

const FORMATS: (Format, Format) = (Format::B5G6R5Unorm, Format::Z16Unorm);

/// Returns triangles with slopes of depth and colour, more than a tile can keep the depths of.
fn triangles(seed: u32) -> Vec<Vertex> {
    let mut random = Random(seed);
    let mut vertices = Vec::new();
    for number in 0..140 {
        let size = if number % 20 == 0 { 1.0 } else { 0.15 };
        let center = [random.between(-1.0, 1.0), random.between(-1.0, 1.0)];
        for _ in 0..3 {
            let [x, y] = center.map(|at| at + random.between(-size, size));
            let color = [random.next(), random.next(), random.next(), 1.0];
            vertices.push(vertex(x, y, random.between(-0.9, 0.9), color));
        }
    }
    vertices
}

fn streamed<'s, 'm, P: Profile>(screen: &'s Screen<'m, P>) -> Setup<'s, 'm> {
    let mut setup = setup_of(screen, 4, FORMATS);
    let surface = |format, bind| {
        let bind = bind | Bind::DISPLAY_TARGET;
        let template = pipe_core::ResourceTemplate {
            flags: ResourceFlags::STREAMED,
            bind,
            ..template(format, 4, bind)
        };
        screen.resource_create(&template).unwrap()
    };
    let color = surface(FORMATS.0, Bind::RENDER_TARGET);
    let depth = surface(FORMATS.1, Bind::DEPTH_STENCIL);
    let cbuf = setup.context.create_surface(color, &SurfaceTemplate::of(FORMATS.0)).unwrap();
    let zsbuf = setup.context.create_surface(depth, &SurfaceTemplate::of(FORMATS.1)).unwrap();
    let state = FramebufferState::single(SIZE as u16, SIZE as u16, cbuf, Some(zsbuf));
    setup.context.set_framebuffer_state(&state).unwrap();
    (setup.color, setup.depth, setup.options.streamed) = (color, Some(depth), true);
    setup
}

/// Draws triangles, a line behind the clear, triangles on some samples, and triangles. With
/// `first`, also draws the line before everything else, which puts its pixels' samples in all
/// planes.
fn draw<'m, P: Profile>(screen: &Screen<'m, P>, setup: &mut Setup<'_, 'm>, seed: u32, first: bool) {
    let test = DepthStencilAlphaState::depth(CompareFunc::Less);
    setup.depth_test(&test).unwrap();
    setup.clear(BLUE, 1.0).unwrap();
    let line = [vertex(-1.0, -1.0, 1.0, WHITE), vertex(1.0, 1.0, 1.0, WHITE)];
    let mut vertices = line.to_vec();
    vertices.extend(triangles(seed));
    setup.upload(screen, &vertices).unwrap();
    let mut part = |mode, start, count, mask| {
        setup.context.set_sample_mask(mask);
        let range = DrawStartCount { start, ..DrawStartCount::count(count) };
        setup.context.draw_vbo(&DrawInfo::new(mode), None, &[range]).unwrap();
    };
    if first {
        part(PrimType::Lines, 0, 2, !0);
    }
    let third = (vertices.len() as u32 - 2) / 9 * 3;
    part(PrimType::Triangles, 2, third, !0);
    if seed.is_multiple_of(2) {
        part(PrimType::Lines, 0, 2, !0);
    }
    let mask = if seed.is_multiple_of(3) { 0b0111 } else { !0 };
    part(PrimType::Triangles, 2 + third, third, mask);
    part(PrimType::Triangles, 2 + 2 * third, third, !0);
}

/// The independent check: a resolve averages samples in memory, and a draw without effect changes
/// no picture.
fn panels_and_resolves_show_the_same_however_samples_are_kept<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    for seed in 1..9 {
        let pictures = [false, true].map(|first| {
            let mut in_memory = setup_of(&screen, 4, FORMATS);
            draw(&screen, &mut in_memory, seed, first);
            let color = in_memory.color;
            let memory = resolved(&screen, &mut in_memory, (color, FORMATS.0), false);
            let mut panel = streamed(&screen);
            draw(&screen, &mut panel, seed, first);
            [memory, panel.pixels().unwrap()]
        });
        let [[wanted, panel], [spread, spread_panel]] = pictures;
        assert!(wanted == panel, "on a panel, {seed}");
        assert!(wanted == spread, "spread first, {seed}");
        assert!(wanted == spread_panel, "spread first on a panel, {seed}");
    }
}
