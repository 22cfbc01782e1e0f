//! The reasons why nothing is seen.

use formats::Format;
use gallium_inspect::why::{Why, why};
use pipe_core::*;

use crate::scene::{SIDE, Stage, draws, inspector, recorded, whole};

const RED: [f32; 4] = [1.0, 0.0, 0.0, 1.0];
const ALL: u64 = (SIDE * SIDE) as u64;

/// Explains the last draw of a scene.
fn explained(draw: impl FnOnce(&mut Stage<'_, '_>)) -> Why {
    let inspector = inspector(recorded(Format::Z24UnormS8Uint, draw));
    let call = *draws(&inspector).last().expect("a draw");
    inspector.at(0, move |session| why(session, call)).expect("an explanation")
}

fn first(why: &Why) -> &str {
    why.causes.first().map_or("", String::as_str)
}

#[test]
fn a_draw_that_is_seen_has_no_cause() {
    let why = explained(|stage| stage.draw(&whole(0.0, RED)));
    assert_eq!(why.causes, [] as [&str; 0]);
    assert_eq!(why.samples, [("rasterized", ALL)]);
    // All pixels of the colour buffer; the depth test is off.
    assert_eq!(why.changed, ALL);
    let mesh = why.mesh.expect("captured");
    assert_eq!((mesh.primitives, mesh.inside), (1, 1));
    assert_eq!(why.notes, [] as [&str; 0]);
}

#[test]
fn geometry_out_of_the_view_is_counted() {
    let why = explained(|stage| {
        let moved = |x: f32, z: f32| {
            whole(0.0, RED).map(|mut corner| {
                corner[0] = corner[0] * 0.1 + x;
                corner[2] = z;
                corner
            })
        };
        let mut behind = whole(0.0, RED);
        for corner in &mut behind {
            corner[3] = -1.0;
        }
        stage.draw(&[moved(-5.0, 0.0), moved(5.0, 0.0), moved(0.0, 3.0), behind].concat());
    });
    assert_eq!(
        first(&why),
        "none of the 4 primitives is in the view: 1 behind the camera (w ≤ 0), \
         1 left of the view (x < -w), 1 right of the view (x > w), 1 behind the far plane (z > w)"
    );
    assert_eq!((why.samples[0].1, why.changed), (0, 0));
}

#[test]
fn the_test_that_drops_all_samples_is_the_cause() {
    // On a y-down viewport the corners (-1,-1), (3,-1), (-1,3) turn clockwise in the window.
    let culled = explained(|stage| {
        stage.rasterizer(&RasterizerState { cull_face: Face::Back, ..RasterizerState::default() });
        stage.draw(&whole(0.0, RED));
        let cull_face = Face::Front;
        stage.rasterizer(&RasterizerState { cull_face, ..RasterizerState::default() });
        stage.draw(&whole(0.0, RED));
    });
    let visible = culled.changed > 0;
    let other = explained(|stage| {
        stage.rasterizer(&RasterizerState { cull_face: Face::Back, ..RasterizerState::default() });
        stage.draw(&whole(0.0, RED));
    });
    let culled = if visible { other } else { culled };
    assert!(first(&culled).starts_with("culling drops all 64 samples"), "{culled}");
    assert_eq!(culled.samples, [("rasterized", ALL), ("after culling", 0)]);

    let behind = explained(|stage| {
        stage.depth(&DepthStencilAlphaState::depth(CompareFunc::Less));
        stage.draw(&whole(0.0, RED));
        stage.draw(&whole(0.5, RED));
    });
    assert_eq!(
        first(&behind),
        "the depth test drops all 64 samples: none is Less the stored depth"
    );
    assert_eq!(behind.samples, [("rasterized", ALL), ("after the depth test", 0)]);

    let cut = explained(|stage| {
        let scissor = ScissorState { minx: 2, miny: 2, maxx: 2, maxy: 6 };
        stage.context.set_scissor_states(0, &[scissor]).expect("set");
        stage.rasterizer(&RasterizerState { scissor: true, ..RasterizerState::default() });
        stage.draw(&whole(0.0, RED));
    });
    assert!(first(&cut).starts_with("the scissor drops all 64 samples"), "{cut}");
}

#[test]
fn samples_that_pass_and_change_nothing_are_explained() {
    let masked = explained(|stage| {
        stage.blend(RenderTargetBlendState { colormask: ColorMask::empty(), ..Default::default() });
        stage.draw(&whole(0.0, RED));
    });
    assert_eq!(first(&masked), "the colour mask is empty: the draw writes no colour");
    let clear = explained(|stage| {
        stage.blend(RenderTargetBlendState::alpha_blending());
        stage.draw(&whole(0.0, [1.0, 0.0, 0.0, 0.0]));
    });
    assert!(first(&clear).starts_with("blending leaves the colours as they are"), "{clear}");
}

#[test]
fn missing_bindings_are_named() {
    let why = explained(|stage| {
        stage.shader(
            ShaderType::Fragment,
            "FRAG\nDCL OUT[0], COLOR\nDCL CONST[0]\nMOV OUT[0], CONST[0]\nEND\n",
        );
        stage.draw(&whole(0.0, RED)[..2]);
    });
    assert_eq!(
        why.causes[0],
        "the draw has 2 vertices: Triangles need at least 3 (count vertices, not primitives)"
    );
    assert_eq!(
        why.causes[1],
        "the Fragment shader reads constant buffer 0, which is not bound: it reads 0"
    );
}
