//! Scenes run with an executor that has only the required groups of opcodes.

use gallium_scenes::ALL;
use tgsi::exec::{ExecError, Group};
use tgsi_macros::tgsi;

#[test]
fn scenes_need_the_core_alone() {
    assert!(!ALL.is_empty());
    for scene in ALL {
        for program in [scene.vertex, scene.fragment] {
            let ops = program.preamble.iter().chain(program.body);
            let beyond = ops.map(|op| op.code).find(|code| code.group() != Group::Core);
            assert_eq!(beyond, None, "{}", scene.name);
        }
    }
}

#[test]
fn programs_that_need_more_are_refused() {
    let program = tgsi!(
        VERT
        DCL IN[0]
        DCL OUT[0], POSITION
        UMUL OUT[0], IN[0], IN[0]
        END
    );
    // Other crates in the build may enable the whole executor.
    let expected = match Group::Integers.available() {
        true => Ok(()),
        false => Err(ExecError::LeftOut { feature: "integers" }),
    };
    assert_eq!(program.validate(), expected);
    assert_eq!(program.left_out().is_some(), expected.is_err());
}
