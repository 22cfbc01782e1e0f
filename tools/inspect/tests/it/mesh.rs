//! The mesh after the vertex stages, and the fates of its primitives.

use formats::Format;
use gallium_inspect::mesh::{After, Mesh, after};
use pipe_core::*;

use crate::scene::{Corner, Stage, draws, inspector, recorded, whole};

const RED: [f32; 4] = [1.0, 0.0, 0.0, 1.0];

/// Captures the mesh of the last draw of a scene.
fn captured(only_unseen: bool, draw: impl FnOnce(&mut Stage<'_, '_>)) -> After {
    let inspector = inspector(recorded(Format::Z24UnormS8Uint, draw));
    let call = *draws(&inspector).last().expect("a draw");
    let mesh = inspector.at(0, move |session| after(session, call, 0, 100, only_unseen));
    mesh.expect("a mesh")
}

/// A triangle with these corners in the view.
fn triangle(corners: [[f32; 2]; 3]) -> [Corner; 3] {
    corners.map(|[x, y]| [x, y, 0.0, 1.0, 0.25, 0.5, 0.75, 1.0])
}

#[test]
fn outputs_and_places_in_the_window_are_listed() {
    // The target has 8 × 8 pixels, and y points down: x = 0.5 is the column (0.5 + 1) · 4 = 6.
    let mesh = captured(false, |stage| {
        stage.draw(&triangle([[-0.5, -0.5], [0.5, -0.5], [-0.5, 0.5]]));
    });
    assert_eq!(mesh.stage, "Vertex");
    assert_eq!(mesh.outputs, ["POSITION", "COLOR"]);
    assert_eq!(mesh.counts, Mesh { primitives: 1, inside: 1, ..Mesh::default() });
    let [primitive] = &mesh.primitives[..] else { panic!("{mesh}") };
    assert_eq!(primitive.fate, "in the view");
    let places: Vec<_> = primitive.vertices.iter().map(|it| it.window).collect();
    assert_eq!(places, [[2.0, 2.0, 0.5], [6.0, 2.0, 0.5], [2.0, 6.0, 0.5]]);
    assert_eq!(primitive.vertices[1].outputs, [[0.5, -0.5, 0.0, 1.0], [0.25, 0.5, 0.75, 1.0]]);
}

#[test]
fn each_fate_is_counted_and_named() {
    let behind = whole(0.0, RED).map(|mut it| {
        it[3] = -1.0;
        it
    });
    let seen = [[-0.5, -0.5], [0.5, -0.5], [-0.5, 0.5]];
    let list = [
        (triangle(seen), "culled: its front is seen"),
        // The other way round.
        (triangle([seen[1], seen[0], seen[2]]), "in the view"),
        (triangle([[5.0, 0.0], [6.0, 0.0], [5.0, 1.0]]), "right of the view (x > w)"),
        (triangle([[0.0, -5.0], [0.0, -6.0], [1.0, -5.0]]), "below the view (y < -w)"),
        (behind, "behind the camera (w ≤ 0)"),
        (triangle([[0.0, 0.0]; 3]), "without an area"),
        (triangle([[0.5, 0.0], [0.0, 0.0], [0.0, 2.0]]), "clipped: a part is in the view"),
        // The pixel at column 4 has its centre at 4.5: x = 0.125.
        (
            triangle([[0.05, 0.01], [0.01, 0.01], [0.01, 0.05]]),
            "too small: it contains no centre of a pixel",
        ),
        // The columns 6.4 to 7.2 are beyond the scissor.
        (triangle([[0.8, 0.0], [0.6, 0.0], [0.6, 0.5]]), "outside of the scissor"),
    ];
    let corners: Vec<Corner> = list.iter().flat_map(|(corners, _)| *corners).collect();
    let scene = |stage: &mut Stage<'_, '_>| {
        let scissor = ScissorState { minx: 0, miny: 0, maxx: 6, maxy: 8 };
        stage.context.set_scissor_states(0, &[scissor]).expect("set");
        // In the window, (-,-), (+,-), (-,+) turn clockwise, since rows count downwards.
        let state = RasterizerState {
            cull_face: Face::Front,
            front_ccw: false,
            scissor: true,
            ..RasterizerState::default()
        };
        stage.rasterizer(&state);
        stage.draw(&corners);
    };
    let mesh = captured(false, scene);
    let fates: Vec<_> = mesh.primitives.iter().map(|it| it.fate.as_str()).collect();
    let expected: Vec<_> = list.iter().map(|(_, fate)| *fate).collect();
    assert_eq!(fates, expected);
    let counts = Mesh {
        primitives: 9,
        right: 1,
        bottom: 1,
        behind: 1,
        degenerate: 1,
        inside: 5,
        culled: 1,
        clipped: 1,
        small: 1,
        scissored: 1,
        ..Mesh::default()
    };
    assert_eq!(mesh.counts, counts);
    let unseen = captured(true, scene);
    assert_eq!(unseen.counts, counts);
    assert!(unseen.primitives.iter().all(|it| it.number != 1), "it is seen whole");
    assert_eq!(unseen.primitives.len(), 8);
}

#[test]
fn culled_primitives_are_those_that_the_driver_culls() {
    for (front_ccw, cull_face) in [(false, Face::Back), (false, Face::Front), (true, Face::Front)] {
        for turned in [false, true] {
            let mut corners = whole(0.0, RED);
            if turned {
                corners.swap(0, 1);
            }
            let trace = recorded(Format::Z24UnormS8Uint, |stage| {
                let state = RasterizerState { cull_face, front_ccw, ..RasterizerState::default() };
                stage.rasterizer(&state);
                stage.draw(&corners);
            });
            let inspector = inspector(trace);
            let call = draws(&inspector)[0];
            let mesh = inspector.at(0, move |session| after(session, call, 0, 1, false));
            let culled = mesh.expect("a mesh").counts.culled;
            let why = inspector.at(0, move |session| gallium_inspect::why::why(session, call));
            let drawn = why.expect("an explanation").changed > 0;
            assert_eq!(culled == 0, drawn, "{front_ccw} {cull_face:?} {turned}");
        }
    }
}
