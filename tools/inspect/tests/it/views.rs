//! Overdraw, wireframe and depth.

use formats::Format;
use gallium_inspect::views::{Scope, Shown, View, view};
use pipe_core::*;

use crate::scene::{Corner, Stage, draws, inspector, recorded, whole};

const RED: [f32; 4] = [1.0, 0.0, 0.0, 1.0];

/// Makes a view of the last draw of a scene.
fn shown(of: View, scope: Scope, draw: impl FnOnce(&mut Stage<'_, '_>)) -> Shown {
    let inspector = inspector(recorded(Format::Z24UnormS8Uint, draw));
    let call = *draws(&inspector).last().expect("a draw");
    inspector.at(0, move |session| view(session, call, of, scope)).expect("a view")
}

/// The left half of the target: two triangles that share an edge and cover each pixel once.
fn half(z: f32) -> [Corner; 6] {
    let corner = |x: f32, y: f32| [x, y, z, 1.0, 0.0, 1.0, 0.0, 1.0];
    let [a, b, c, d] =
        [(-1.0, -1.0), (0.0, -1.0), (-1.0, 1.0), (0.0, 1.0)].map(|(x, y)| corner(x, y));
    [a, b, c, c, b, d]
}

#[test]
fn overdraw_counts_fragments_of_draws_and_passes() {
    let scene = |stage: &mut Stage<'_, '_>| {
        // The depth test drops the second and third draw: overdraw counts before it.
        stage.depth(&DepthStencilAlphaState::depth(CompareFunc::Less));
        stage.draw(&whole(0.0, RED));
        stage.draw(&whole(0.5, RED));
        stage.draw(&half(0.5));
    };
    let pass = shown(View::Overdraw, Scope::Pass, scene);
    assert_eq!((pass.width, pass.height, pass.draws), (8, 8, 3));
    let row = |shown: &Shown, y| (0..8).map(|x| shown.value(x, y).expect("a pixel")).collect();
    let rows: [Vec<f32>; 2] = [0, 7].map(|y| row(&pass, y));
    assert_eq!(rows, [const { [3.0, 3.0, 3.0, 3.0, 2.0, 2.0, 2.0, 2.0] }; 2]);
    // 64 + 64 + 32 fragments.
    assert_eq!(pass.summary(), "3 draws, 160 fragments on 64 pixels: 2.50 per pixel, at most 3");
    let last = shown(View::Overdraw, Scope::Draw, scene);
    assert_eq!(last.summary(), "1 draws, 32 fragments on 32 pixels: 1.00 per pixel, at most 1");
    assert_eq!(last.value(8, 0), None);
}

#[test]
fn depth_shows_the_first_fragment() {
    let scene = |stage: &mut Stage<'_, '_>| {
        stage.depth(&DepthStencilAlphaState::depth(CompareFunc::Less));
        stage.draw(&whole(0.5, RED));
        stage.draw(&half(-0.5));
    };
    // z of -0.5 and 0.5 in the view are depths of 0.25 and 0.75.
    let pass = shown(View::Depth, Scope::Frame, scene);
    assert_eq!([0, 7].map(|x| pass.value(x, 3)), [Some(0.25), Some(0.75)]);
    assert_eq!(pass.summary(), "2 draws, depth 0.25 to 0.75");
    let last = shown(View::Depth, Scope::Draw, scene);
    assert_eq!(last.value(0, 3), Some(0.25));
    assert!(last.value(7, 3).expect("a pixel").is_nan(), "no fragment");
    // With a reversed depth test, the greatest depth is first.
    let reversed = shown(View::Depth, Scope::Pass, |stage| {
        stage.depth(&DepthStencilAlphaState::depth(CompareFunc::Greater));
        stage.draw(&whole(0.5, RED));
        stage.draw(&half(-0.5));
    });
    assert_eq!([0, 7].map(|x| reversed.value(x, 3)), [Some(0.75), Some(0.75)]);
}

#[test]
fn wireframe_shows_edges_also_of_culled_triangles() {
    // A square from the centre of pixel (1, 1) to that of pixel (5, 5), as two triangles.
    let corner = |x: f32, y: f32| [x / 4.0 - 1.0, y / 4.0 - 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0];
    let (low, high) = (1.5, 5.5);
    let [a, b, c, d] = [corner(low, low), corner(high, low), corner(low, high), corner(high, high)];
    let scene = |cull_face| {
        move |stage: &mut Stage<'_, '_>| {
            stage.rasterizer(&RasterizerState { cull_face, ..RasterizerState::default() });
            stage.draw(&[a, b, c, c, b, d]);
        }
    };
    let wire = shown(View::Wireframe, Scope::Draw, scene(Face::None));
    let is_on = |x, y| wire.value(x, y).expect("a pixel") > 0.0;
    for at in 2..5 {
        assert!(is_on(1, at) && is_on(5, at) && is_on(at, 1) && is_on(at, 5), "the outline");
        assert!(is_on(6 - at, at), "the diagonal");
    }
    for (x, y) in [(2, 2), (4, 4), (2, 3), (6, 3), (3, 6), (0, 0), (7, 7)] {
        assert!(!is_on(x, y), "({x}, {y}) is not on an edge");
    }
    let culled = shown(View::Wireframe, Scope::Draw, scene(Face::FrontAndBack));
    assert_eq!(culled.values, wire.values);
}

#[test]
fn a_view_of_what_draws_nothing_is_refused() {
    let trace = recorded(Format::Z24UnormS8Uint, |stage| stage.draw(&whole(0.0, RED)));
    let inspector = inspector(trace);
    let call = draws(&inspector)[0] + 1;
    let refused = inspector.at(0, move |session| view(session, call, View::Overdraw, Scope::Draw));
    assert_eq!(
        refused.expect_err("a flush").to_string(),
        format!("call {call} is flush, not a draw: use the scope pass or frame")
    );
    // The pass that ends with the flush has the draw, and its picture is a PNG file.
    let pass = inspector.at(0, move |session| view(session, call, View::Overdraw, Scope::Pass));
    let png = pass.expect("a view").png().expect("a picture");
    assert!(png.starts_with(b"\x89PNG"));
}
