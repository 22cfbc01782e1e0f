//! Scenes run on boards whose executor has no more than it must.

use gallium_scenes::ALL;
use tgsi::exec::Group;

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
