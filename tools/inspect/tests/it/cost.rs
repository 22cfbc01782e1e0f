//! The estimated instructions of a draw.

use formats::Format;
use gallium_inspect::cost::cost;

use crate::scene::{SIDE, draws, inspector, recorded, whole};

#[test]
fn shaders_cost_their_runs() {
    let trace = recorded(Format::Z24UnormS8Uint, |stage| stage.draw(&whole(0.0, [1.0; 4])));
    let inspector = inspector(trace);
    let call = *draws(&inspector).last().expect("a draw");
    let cost = inspector.at(0, move |session| cost(session, call)).expect("an estimate");
    let runs: Vec<_> = cost.stages.iter().map(|it| (&*it.stage, it.runs)).collect();
    // One triangle, which covers each pixel of the target.
    assert_eq!(runs, [("Vertex", 3), ("Fragment", (SIDE * SIDE).into())]);
    for stage in &cost.stages {
        // Each run has at least an instruction, and machine code takes fewer.
        assert!((stage.runs..stage.interpreted).contains(&stage.native), "{stage:?}");
    }
    assert_eq!(cost.counted, None, "a host counts nothing");
    let text = cost.to_string();
    assert!(text.starts_with("Vertex shader: 3 runs, "), "{text}");
    assert!(text.contains("\nFragment shader: 64 runs, "), "{text}");
}
