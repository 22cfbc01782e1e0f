//! The stages after the vertex shader in the form that Draw needs: programs, textures, and the
//! viewports that primitives may select.

use draw::{Stage, Stages};
use heapless::Vec as Array;
use os_shim::Vec;
use os_shim::memory::OutOfMemory;
use pipe_core::RasterizerState;
use pipe_core::limits::MAX_VIEWPORTS;
use tgsi::declaration::SemanticName;
use tgsi::exec::{Lanes, MemoryRequest, Resources, SampleRequest};
use tgsi::program::Program;
use tgsi::shader::Processor;

use super::binding::{Bound, FRAGMENT, GEOMETRY, TESS_CTRL, TESS_EVAL, VERTEX};
use super::cso::Objects;
use super::record::add_textures;
use crate::frame::Framebuffer;
use crate::resource::{TextureBinding, Textures};
use crate::scene::{MAX_CONSTANT_BLOCKS, ViewportClip};

/// The later stages, in the order of this file's lists.
pub(super) const STAGES: [usize; 3] = [GEOMETRY, TESS_CTRL, TESS_EVAL];

/// The programs of a draw's later stages.
pub(super) struct Later<'a> {
    programs: [Option<Program<'a>>; 3],
    last: Option<Program<'a>>,
    /// The register that receives each primitive's number.
    number: Option<u16>,
}

impl<'a> Later<'a> {
    /// Finds the bound programs.
    pub(super) fn new(objects: &'a Objects<'_>, bound: &Bound<'_>) -> Self {
        let program = |handle| objects.shader(handle).map(|shader| shader.program());
        let last = program(bound.last_vertex_stage());
        let fragment = program(bound.shader(FRAGMENT));
        let number = last.as_ref().and_then(|last| number_register(last, fragment.as_ref()));
        Later { programs: STAGES.map(|stage| program(bound.shader(stage))), last, number }
    }

    /// Returns the stages for Draw; `None` if the vertex shader is the only vertex stage and no
    /// number is needed.
    pub(super) fn stages<'s>(
        &'s self,
        bound: &Bound<'_>,
        constants: &'s [[&'s [u8]; MAX_CONSTANT_BLOCKS]; 3],
    ) -> Option<Stages<'s>> {
        let [geometry, control, evaluation] = &self.programs;
        let [of_geometry, of_control, of_evaluation] = constants;
        let stage = |program: &'s Option<Program<'a>>, constants: &'s [&'s [u8]]| {
            program.as_ref().map(|program| Stage { program, constants })
        };
        #[cfg_attr(not(feature = "stages"), expect(unused_mut, reason = "patches have state"))]
        let mut stages = Stages {
            control: stage(control, of_control),
            evaluation: stage(evaluation, of_evaluation),
            geometry: stage(geometry, of_geometry),
            primitive_number: self.number,
            ..Stages::default()
        };
        #[cfg(feature = "stages")]
        {
            stages.default_levels = bound.tess;
            stages.patch_vertices = bound.patch_vertices;
        }
        #[cfg(not(feature = "stages"))]
        let _ = bound;
        let any = geometry.is_some() || evaluation.is_some() || self.number.is_some();
        any.then_some(stages)
    }

    /// Appends the textures of the later stages to the textures of the vertex shader.
    pub(super) fn add_textures(
        &self,
        bindings: &mut Vec<'_, TextureBinding>,
        objects: &Objects<'_>,
        bound: &Bound<'_>,
    ) -> Result<StageUnits, OutOfMemory> {
        let mut ends = [bindings.len(); 4];
        for ((stage, program), end) in STAGES.iter().zip(&self.programs).zip(&mut ends[1..]) {
            if let Some(program) = program {
                add_textures(bindings, objects, bound, *stage, program)?;
            }
            *end = bindings.len();
        }
        Ok(StageUnits { ends })
    }

    /// Returns the bounds of all viewports; none if primitives cannot select one.
    pub(super) fn viewport_clips(
        &self,
        bound: &Bound<'_>,
        framebuffer: &Framebuffer,
        rasterizer: &RasterizerState,
    ) -> Array<ViewportClip, MAX_VIEWPORTS> {
        let Some(last) = &self.last else { return Array::new() };
        let name = SemanticName::ViewportIndex;
        if !last.outputs.iter().any(|output| output.semantic.name == name) {
            return Array::new();
        }
        let window_space = last.properties.window_space_position();
        let viewports = 0..MAX_VIEWPORTS;
        let clip =
            |index| ViewportClip::derive(bound, index, framebuffer, rasterizer, window_space);
        viewports.map(clip).collect()
    }
}

/// Returns the output register for each primitive's number, one past the outputs of `last`. Returns
/// `None` unless `fragment` reads the number and `last` does not write it.
pub(super) fn number_register(last: &Program<'_>, fragment: Option<&Program<'_>>) -> Option<u16> {
    let number = SemanticName::PrimitiveId;
    let fragment = fragment?;
    let is_read = fragment.inputs.iter().any(|input| input.semantic.name == number)
        || fragment.system_values.iter().any(|value| value.semantic.name == number);
    // A geometry shader that does not write the number leaves it undefined.
    let makes_none = last.processor != Processor::Geometry
        && !last.outputs.iter().any(|output| output.semantic.name == number);
    (is_read && makes_none).then(|| Stages::number_register(last))
}

/// The part of a draw's texture bindings that belongs to each stage.
pub(super) struct StageUnits {
    /// The ends of the bindings of the vertex shader and of each later stage.
    ends: [usize; 4],
}

impl StageUnits {
    /// Returns the textures of all stages, from the draw's `textures`.
    pub(super) fn of<'a>(&self, textures: Textures<'a>) -> StageTextures<'a> {
        StageTextures { textures, ends: self.ends, stage: Processor::Vertex }
    }
}

/// The textures of the vertex stages. One of the stages is running.
pub(super) struct StageTextures<'a> {
    textures: Textures<'a>,
    ends: [usize; 4],
    stage: Processor,
}

impl<'a> StageTextures<'a> {
    fn of_stage(&self) -> Textures<'a> {
        let Textures { bindings, samplers, memory, work, code } = self.textures;
        let [vertex, geometry, control, evaluation] = self.ends;
        let (range, stage) = match self.stage {
            Processor::Vertex | Processor::Fragment | Processor::Compute => (0..vertex, VERTEX),
            Processor::Geometry => (vertex..geometry, GEOMETRY),
            Processor::TessControl => (geometry..control, TESS_CTRL),
            Processor::TessEval => (control..evaluation, TESS_EVAL),
        };
        Textures {
            bindings: bindings.get(range.clone()).unwrap_or(&[]),
            samplers: samplers.get(range).unwrap_or(&[]),
            memory: memory.for_stage(stage),
            work,
            code,
        }
    }
}

impl<R: Lanes> Resources<R> for StageTextures<'_> {
    fn enter_stage(&mut self, stage: Processor) {
        self.stage = stage;
    }

    fn stopped(&mut self, units: u32) -> bool {
        Resources::<R>::stopped(&mut self.textures, units)
    }

    #[cfg(feature = "shader-memory")]
    fn clock(&mut self) -> u64 {
        Resources::<R>::clock(&mut self.textures)
    }

    /// Runs the vertex shader's machine code. Programs of later stages have none.
    #[cfg(feature = "generated")]
    fn segment(&mut self, segment: u16, rows: &mut [R], exec: tgsi::exec::Mask) -> Option<u32> {
        Resources::<R>::segment(&mut self.textures, segment, rows, exec)
    }

    fn sample(&mut self, request: &SampleRequest<'_, R>, out: &mut [R; 4]) {
        let mut textures = self.of_stage();
        Resources::<R>::sample(&mut textures, request, out);
        self.textures.work = textures.work;
    }

    fn memory(&mut self, request: &MemoryRequest<'_, R>, out: &mut [R; 4]) {
        self.of_stage().memory(request, out);
    }
}
