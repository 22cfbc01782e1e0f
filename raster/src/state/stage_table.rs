//! Tables with one value per shader stage.

use pipe_core::ShaderType;

use crate::features::{SHADER_MEMORY, STAGES};

/// The number of stages that this build has: vertex, fragment, and stages that features add.
const COUNT: usize = match (SHADER_MEMORY, STAGES) {
    (true, _) => 6,
    (false, true) => 5,
    (false, false) => 2,
};

/// The stages of a draw.
pub(crate) const DRAW_STAGES: [ShaderType; 5] = [
    ShaderType::Vertex,
    ShaderType::Fragment,
    ShaderType::Geometry,
    ShaderType::TessCtrl,
    ShaderType::TessEval,
];

/// Returns true if this build has a stage.
#[inline(always)]
pub(crate) const fn has_stage(stage: ShaderType) -> bool {
    match stage {
        ShaderType::Vertex | ShaderType::Fragment => true,
        ShaderType::Geometry | ShaderType::TessCtrl | ShaderType::TessEval => STAGES,
        ShaderType::Compute => SHADER_MEMORY,
    }
}

/// One value per shader stage that this build has, at the stage's number. Stages between them that it
/// lacks keep their first value.
#[derive(Debug)]
pub(crate) struct StageTable<T>([T; COUNT]);

impl<T> StageTable<T> {
    /// Fills a table with the values that `make` returns.
    pub(crate) fn from_fn(mut make: impl FnMut() -> T) -> Self {
        StageTable(core::array::from_fn(|_| make()))
    }

    /// Returns a stage's value; the first value or `None` for a stage that this build lacks.
    #[inline(always)]
    pub(crate) fn get(&self, stage: ShaderType) -> Option<&T> {
        self.0.get(stage as usize)
    }

    /// Returns a stage's value to change it; `None` for a stage that this build lacks.
    #[inline(always)]
    pub(crate) fn get_mut(&mut self, stage: ShaderType) -> Option<&mut T> {
        self.0.get_mut(stage as usize).filter(|_| has_stage(stage))
    }

    /// Returns the values of all stages.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        self.0.iter()
    }

    /// Returns the values of all stages to change them.
    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.0.iter_mut()
    }
}
