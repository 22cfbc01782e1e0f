//! Draws that sample the texture they draw to.

use crate::common::*;
use formats::Format;
use gallium_raster::{Config, Host, Profile, Screen, Small, Tiny};
use os_shim::Os;
use os_shim::budget::{Stopped, WorkBudget};
use pipe_core::{
    Bind, Cap, FlushFlags, FramebufferState, PipeError, PrimType, ResourceHandle, ResourceTemplate,
    SamplerViewTemplate, Screen as _, ShaderType, SurfaceTemplate, TextureBarrierFlags,
};

in_all_profiles! {
    draws_add_to_what_was_drawn_before_a_barrier
    draws_that_touch_each_texel_once_need_no_barrier
    a_draw_reads_texels_that_it_does_not_write
    a_scene_that_overflows_keeps_the_copy
    vertices_sample_what_is_drawn_to
    levels_are_drawn_from_each_other
    writes_between_draws_are_seen
}

const SIZE: u32 = 16;
const RGBA: Format = Format::R8G8B8A8Unorm;

/// Adds 16 of 255 to the texel of the pixel that is `offset` columns away.
fn adds(offset: i32) -> String {
    format!(
        "FRAG
DCL IN[0], POSITION, LINEAR
DCL OUT[0], COLOR
DCL SAMP[0]
DCL SVIEW[0], 2D, FLOAT
DCL TEMP[0..1]
IMM[0] INT32 {{{offset}, 0, 0, 0}}
IMM[1] FLT32 {{0.0627451, 0.0, 0.0, 0.0}}
F2I TEMP[0].xy, IN[0]
UADD TEMP[0].x, TEMP[0].xxxx, IMM[0].xxxx
MOV TEMP[0].zw, IMM[0].yyyy
TXF TEMP[1], TEMP[0], SAMP[0], 2D
ADD OUT[0], TEMP[1], IMM[1].xxxx
END"
    )
}

/// Makes a texture of one grey that is drawn to and sampled.
fn feedback<'s, P: Profile>(
    screen: &'s Screen<'static, P>,
    scene_bytes: usize,
) -> (Setup<'s, 'static>, ResourceHandle) {
    feedback_of(screen, scene_bytes, [SIZE; 2])
}

/// Makes a texture of one grey, with this size, that is drawn to and sampled.
fn feedback_of<'s, 'm, P: Profile>(
    screen: &'s Screen<'m, P>,
    scene_bytes: usize,
    [width, height]: [u32; 2],
) -> (Setup<'s, 'm>, ResourceHandle) {
    let options = Options { scene_bytes, ..Options::default() };
    let mut setup = Setup::new(screen, options).unwrap();
    let bind = Bind::RENDER_TARGET | Bind::SAMPLER_VIEW;
    let template = ResourceTemplate::texture_2d(RGBA, width, height, bind);
    let texels = vec![32; (width * height * 4) as usize];
    let texture = setup.image(screen, &template, &texels).unwrap();
    let surface = setup.context.create_surface(texture, &SurfaceTemplate::of(RGBA)).unwrap();
    let state = FramebufferState::single(width as u16, height as u16, surface, None);
    setup.context.set_framebuffer_state(&state).unwrap();
    let view = SamplerViewTemplate::whole(&template);
    setup.texture(ShaderType::Fragment, texture, &view, &nearest()).unwrap();
    setup.color = texture;
    setup.shaders(PASS, &adds(0)).unwrap();
    (setup, texture)
}

/// Two triangles over a rectangle of pixels.
fn rectangle([x, y, width, height]: [u32; 4]) -> [Vertex; 6] {
    let at = |x: u32, y: u32| {
        let clip = |value: u32| 2.0 * value as f32 / SIZE as f32 - 1.0;
        vertex(clip(x), clip(y), 0.0, WHITE)
    };
    let [a, b] = [at(x, y), at(x + width, y)];
    let [c, d] = [at(x, y + height), at(x + width, y + height)];
    [a, b, c, c, b, d]
}

fn draw<'m, P: Profile>(
    screen: &Screen<'m, P>,
    setup: &mut Setup<'_, 'm>,
    rectangles: &[[u32; 4]],
) {
    let vertices: Vec<_> = rectangles.iter().flat_map(|place| rectangle(*place)).collect();
    setup.upload(screen, &vertices).unwrap();
    setup.draw(PrimType::Triangles, vertices.len() as u32).unwrap();
}

/// Returns the greys of the first row; all rows are alike.
fn row(setup: &mut Setup<'_, '_>) -> Vec<u8> {
    let pixels = setup.pixels().unwrap();
    let rows: Vec<&[u8]> = pixels.chunks(4 * SIZE as usize).collect();
    assert!(rows.iter().all(|row| *row == rows[0]), "all rows are alike");
    rows[0].chunks(4).map(|pixel| pixel[0]).collect()
}

fn halves(left: u8, right: u8) -> Vec<u8> {
    [[left; SIZE as usize / 2], [right; SIZE as usize / 2]].concat()
}

fn draws_add_to_what_was_drawn_before_a_barrier<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    assert_eq!(screen.get_param(Cap::TextureBarrier), 1);
    let (mut setup, _) = feedback(&screen, 0);
    for place in [[0, 0, 16, 16], [0, 0, 8, 16], [0, 0, 16, 16], [8, 0, 8, 16], [8, 0, 8, 16]] {
        setup.context.texture_barrier(TextureBarrierFlags::SAMPLER);
        draw(&screen, &mut setup, &[place]);
    }
    assert_eq!(row(&mut setup), halves(32 + 3 * 16, 32 + 4 * 16));
}

fn draws_that_touch_each_texel_once_need_no_barrier<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let (mut setup, _) = feedback(&screen, 0);
    for column in 0..16 {
        draw(&screen, &mut setup, &[[column, 0, 1, 16]]);
    }
    assert_eq!(row(&mut setup), halves(48, 48));
}

fn a_draw_reads_texels_that_it_does_not_write<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let (mut setup, _) = feedback(&screen, 0);
    draw(&screen, &mut setup, &[[8, 0, 8, 16]]);
    setup.context.texture_barrier(TextureBarrierFlags::all());
    // The left half, 48, is copied to the right half, plus 16.
    setup.shaders(PASS, &adds(8)).unwrap();
    draw(&screen, &mut setup, &[[0, 0, 8, 16]]);
    assert_eq!(row(&mut setup), halves(64, 48));
}

fn a_scene_that_overflows_keeps_the_copy<P: Profile>() {
    let screen = screen::<P>(Os::host(), 4096);
    let (mut setup, _) = feedback(&screen, 4096);
    let pixels: Vec<_> = (0..256).map(|at| [at % 16, at / 16, 1, 1]).collect();
    draw(&screen, &mut setup, &pixels);
    assert_eq!(row(&mut setup), halves(48, 48));
    // Another draw with the same state, after a barrier.
    setup.context.texture_barrier(TextureBarrierFlags::SAMPLER);
    setup.draw(PrimType::Triangles, 256 * 6).unwrap();
    assert_eq!(row(&mut setup), halves(64, 64));
}

fn vertices_sample_what_is_drawn_to<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let (mut setup, texture) = feedback(&screen, 0);
    let vertex = "VERT
DCL IN[0]
DCL OUT[0], POSITION
DCL OUT[1], COLOR
DCL SAMP[0]
DCL SVIEW[0], 2D, FLOAT
IMM[0] FLT32 {0.25, 0.0, 0.0, 0.0}
MOV OUT[0], IN[0]
TXL OUT[1], IMM[0].xxyy, SAMP[0], 2D
END";
    setup.shaders(vertex, COLOR).unwrap();
    let view = SamplerViewTemplate::whole(&screen.resource_template(texture).unwrap());
    setup.texture(ShaderType::Vertex, texture, &view, &nearest()).unwrap();
    setup.clear([0.2, 0.2, 0.2, 0.2], 1.0).unwrap();
    setup.context.texture_barrier(TextureBarrierFlags::SAMPLER);
    draw(&screen, &mut setup, &[[8, 0, 8, 16]]);
    assert_eq!(row(&mut setup), halves(51, 51));
    // Twice with the same state.
    setup.shaders(PASS, &adds(0)).unwrap();
    draw(&screen, &mut setup, &[[0, 0, 8, 16]]);
    setup.context.texture_barrier(TextureBarrierFlags::SAMPLER);
    setup.shaders(vertex, COLOR).unwrap();
    draw(&screen, &mut setup, &[[8, 0, 4, 16]]);
    draw(&screen, &mut setup, &[[12, 0, 4, 16]]);
    assert_eq!(row(&mut setup), halves(67, 67));
}

fn levels_are_drawn_from_each_other<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let mut setup = Setup::new(&screen, Options::default()).unwrap();
    let bind = Bind::RENDER_TARGET | Bind::SAMPLER_VIEW;
    let template = ResourceTemplate {
        last_level: 1,
        ..ResourceTemplate::texture_2d(RGBA, 2 * SIZE, 2 * SIZE, bind)
    };
    let texels = vec![32; (4 * SIZE * SIZE * 4) as usize];
    let texture = setup.image(&screen, &template, &texels).unwrap();
    let range = pipe_core::SurfaceRange::Texture { level: 1, first_layer: 0, last_layer: 0 };
    let surface = SurfaceTemplate { range, ..SurfaceTemplate::of(RGBA) };
    let surface = setup.context.create_surface(texture, &surface).unwrap();
    let size = SIZE as u16;
    let state = FramebufferState::single(size, size, surface, None);
    setup.context.set_framebuffer_state(&state).unwrap();
    let view = SamplerViewTemplate::whole(&template);
    setup.texture(ShaderType::Fragment, texture, &view, &nearest()).unwrap();
    setup.shaders(PASS, &adds(0)).unwrap();
    draw(&screen, &mut setup, &[[0, 0, 16, 16]]);
    let region = pipe_core::Region::whole(SIZE, SIZE, 1);
    let usage = pipe_core::MapFlags::READ;
    let transfer = setup.context.transfer_map(texture, 1, usage, &region).unwrap();
    let bytes = setup.context.transfer_bytes(transfer.handle).unwrap();
    assert!(bytes.iter().all(|byte| *byte == 48));
}

fn writes_between_draws_are_seen<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let (mut setup, texture) = feedback(&screen, 0);
    draw(&screen, &mut setup, &[[0, 0, 8, 16]]);
    let region = pipe_core::Region::whole(SIZE, SIZE, 1);
    let texels = vec![100; (SIZE * SIZE * 4) as usize];
    let usage = pipe_core::MapFlags::WRITE;
    let stride = 4 * SIZE as usize;
    setup.context.texture_subdata(texture, 0, usage, &region, &texels, stride, 0).unwrap();
    draw(&screen, &mut setup, &[[8, 0, 8, 16]]);
    assert_eq!(row(&mut setup), halves(100, 116));
    // A draw without pixels, and a write that does not synchronize.
    draw(&screen, &mut setup, &[[0, 0, 0, 0]]);
    setup.context.texture_subdata(texture, 0, usage, &region, &texels, stride, 0).unwrap();
    draw(&screen, &mut setup, &[[0, 0, 8, 16]]);
    assert_eq!(row(&mut setup), halves(116, 100));
}

/// A copy of a level spends one unit of work per megabyte, and stops where the budget ends.
#[test]
fn copies_spend_work() {
    /// Returns the units of work that a draw without pixels needs, with a copy of `rows` rows of 16
    /// KiB.
    fn needed(rows: u32) -> u64 {
        let budget = WorkBudget::new();
        budget.grant(u64::MAX);
        let screen = Screen::<Host>::with_budget(Os::host(), Config::default(), &budget);
        let (mut setup, _) = feedback_of(&screen, 0, [4096, rows]);
        let below = [[0, 1 << 16, 1, 1]];
        let enough = |setup: &mut Setup<'_, '_>, units: u64| {
            budget.grant(units);
            setup.draw(PrimType::Triangles, 6)
        };
        draw(&screen, &mut setup, &below);
        setup.context.flush(FlushFlags::empty()).unwrap();
        let stopped = PipeError::Stopped(Stopped::Work);
        (0..200).find(|&units| enough(&mut setup, units) != Err(stopped)).expect("a small draw")
    }
    assert!(needed(64 * 16) >= needed(64) + 15);
}
