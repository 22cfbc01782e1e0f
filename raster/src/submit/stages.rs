//! The stages after the vertex shader in the form that Draw needs: programs, textures, and the
//! viewports that primitives may select.

use draw::{Stage, Stages};
use heapless::Vec as Array;
use os_shim::Vec;
use os_shim::memory::OutOfMemory;
use pipe_core::{RasterizerState, ShaderType};
use tgsi::declaration::SemanticName;
use tgsi::exec::{Lanes, MemoryRequest, Resources, SampleRequest};
use tgsi::program::Program;
use tgsi::shader::Processor;

use crate::frame::Framebuffer;
use crate::record::{add_textures, number_register, stage_constants};
use crate::resource::{Inputs, StageResources, TextureBinding};
use crate::scene::{MAX_CONSTANT_BLOCKS, ViewportClip};
use crate::state::{Bindings, Bound, VIEWPORTS};

/// The stages after the vertex shader, in the order of this file's lists.
const AFTER_VERTEX: [ShaderType; 3] =
    [ShaderType::Geometry, ShaderType::TessCtrl, ShaderType::TessEval];

/// The programs and constants of a draw's stages after the vertex shader.
pub(super) struct AfterVertex<'a> {
    programs: [Option<Program<'a>>; 3],
    constants: [[&'a [u8]; MAX_CONSTANT_BLOCKS]; 3],
    last: Option<Program<'a>>,
    /// The register that receives each primitive's number.
    number: Option<u16>,
}

impl<'a> AfterVertex<'a> {
    /// Finds the bound programs.
    pub(super) fn new(bindings: Bindings<'a, '_>, inputs: Inputs<'a, '_>) -> Self {
        let last = bindings.last_vertex_shader().map(|shader| shader.program());
        let fragment = bindings.program(ShaderType::Fragment);
        let number = last.as_ref().and_then(|last| number_register(last, fragment.as_ref()));
        AfterVertex {
            programs: AFTER_VERTEX.map(|stage| bindings.program(stage)),
            constants: AFTER_VERTEX.map(|stage| stage_constants(bindings.bound, stage, inputs)),
            last,
            number,
        }
    }

    /// Returns the stages for Draw; `None` if the vertex shader is the only vertex stage and no
    /// number is needed.
    pub(super) fn stages(&self, bound: &Bound<'_>) -> Option<Stages<'_>> {
        let [geometry, control, evaluation] = &self.programs;
        let [of_geometry, of_control, of_evaluation] = &self.constants;
        let any = geometry.is_some() || evaluation.is_some() || self.number.is_some();
        any.then(|| Stages {
            control: stage(control, of_control),
            evaluation: stage(evaluation, of_evaluation),
            geometry: stage(geometry, of_geometry),
            primitive_number: self.number,
            default_levels: bound.tess.get().copied().unwrap_or_default(),
            patch_vertices: bound.patch_vertices.get().copied().unwrap_or_default(),
        })
    }

    /// Appends the textures of these stages to the textures of the vertex shader.
    pub(super) fn add_textures(
        &self,
        textures: &mut Vec<'_, TextureBinding>,
        bindings: Bindings<'_, '_>,
    ) -> Result<StageUnits, OutOfMemory> {
        let mut ends = [textures.len(); 4];
        for ((stage, program), end) in AFTER_VERTEX.iter().zip(&self.programs).zip(&mut ends[1..]) {
            if let Some(program) = program {
                add_textures(textures, bindings, *stage, program)?;
            }
            *end = textures.len();
        }
        Ok(StageUnits { ends })
    }

    /// Returns the bounds of all viewports; none if primitives cannot select one.
    pub(super) fn viewport_clips(
        &self,
        bound: &Bound<'_>,
        framebuffer: &Framebuffer,
        rasterizer: &RasterizerState,
    ) -> Array<ViewportClip, VIEWPORTS> {
        let Some(last) = &self.last else { return Array::new() };
        let name = SemanticName::ViewportIndex;
        if !last.outputs.iter().any(|output| output.semantic.name == name) {
            return Array::new();
        }
        let window_space = last.properties.window_space_position();
        let viewports = 0..VIEWPORTS;
        let clip =
            |index| ViewportClip::derive(bound, index, framebuffer, rasterizer, window_space);
        viewports.map(clip).collect()
    }
}

/// Returns a stage for Draw, if it has a program.
fn stage<'s>(program: &'s Option<Program<'_>>, constants: &'s [&'s [u8]]) -> Option<Stage<'s>> {
    program.as_ref().map(|program| Stage { program, constants })
}

/// The part of a draw's texture bindings that belongs to each stage.
pub(super) struct StageUnits {
    /// The ends of the bindings of the vertex shader and of each later stage.
    ends: [usize; 4],
}

impl StageUnits {
    /// Returns the resources of all stages, from the draw's `textures`.
    pub(super) fn of<'a>(&self, textures: StageResources<'a>) -> VertexStages<'a> {
        VertexStages { textures, ends: self.ends, stage: Processor::Vertex }
    }
}

/// The resources of the vertex stages. One of the stages is running.
pub(super) struct VertexStages<'a> {
    textures: StageResources<'a>,
    ends: [usize; 4],
    stage: Processor,
}

impl<'a> VertexStages<'a> {
    fn of_stage(&self) -> StageResources<'a> {
        let StageResources { bindings, samplers, memory, work, code } = self.textures;
        let [vertex, geometry, control, evaluation] = self.ends;
        let (range, stage) = match self.stage {
            Processor::Vertex | Processor::Fragment | Processor::Compute => {
                (0..vertex, ShaderType::Vertex)
            }
            Processor::Geometry => (vertex..geometry, ShaderType::Geometry),
            Processor::TessControl => (geometry..control, ShaderType::TessCtrl),
            Processor::TessEval => (control..evaluation, ShaderType::TessEval),
        };
        StageResources {
            bindings: bindings.get(range.clone()).unwrap_or(&[]),
            samplers: samplers.get(range).unwrap_or(&[]),
            memory: memory.for_stage(stage),
            work,
            code,
        }
    }
}

impl<R: Lanes> Resources<R> for VertexStages<'_> {
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
    #[cfg(feature = "compile")]
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
