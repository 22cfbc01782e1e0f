//! Shader modules, and the programs that are made from their entry points.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use naga_frontend::naga::{self, Binding, BuiltIn, ShaderStage, TypeInner};
use naga_frontend::{ErrorKind, Module, Options, OwnedShader};
use pipe_core::{ComputeState, ShaderHandle, ShaderSource, ShaderState, ShaderType};
use wgpu_hal::{PipelineError, ProgrammableStage, ShaderError, ShaderInput};
use wgpu_types as wgt;

use crate::bind::PipelineLayout;
use crate::formats;
use crate::machine::{Garbage, Machine};
use crate::state::stage_index;

/// The expressions that a program's loops are written out to. Without its counter and jumps, a loop
/// of four shadow lookups takes three quarters of the time; more makes large shaders slow to compile.
const UNROLL: usize = 1024;

/// A shader module of wgpu-hal.
#[derive(Clone)]
pub struct ShaderModule(Arc<Shared>);

struct Shared {
    module: Module,
    /// The programs so far: pipelines often share them.
    programs: Mutex<HashMap<Key, Arc<Program>>>,
}

impl fmt::Debug for ShaderModule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.0.module.entry_points().collect();
        f.debug_tuple("ShaderModule").field(&names).finish()
    }
}

/// The inputs of a translation, except the module.
#[derive(PartialEq, Eq, Hash)]
struct Key {
    stage: usize,
    entry: String,
    /// Values of overrides, as bits, by name.
    constants: Vec<(String, u64)>,
    bindings: Vec<((u32, u32), u8)>,
    immediates: u8,
    rounds_depth: bool,
}

/// A program of the driver.
#[derive(Debug)]
pub(crate) struct Program {
    pub(crate) handle: ShaderHandle,
    stage: ShaderType,
    /// Invocations of a workgroup.
    pub(crate) workgroup_size: [u32; 3],
    /// The locations of vertex attributes.
    pub(crate) attributes: Vec<u32>,
    /// The constant buffer of immediates, if the program reads them.
    pub(crate) immediates: Option<u8>,
    /// The program writes the depth of fragments.
    pub(crate) writes_depth: bool,
    /// The clip distances that the program writes, one bit for each.
    pub(crate) clip_distances: u8,
    machine: Arc<Machine>,
}

impl Drop for Program {
    fn drop(&mut self) {
        self.machine.discard(Garbage::Shader(self.stage, self.handle));
    }
}

/// Calls `see` for each binding of an argument or a result, with its type.
fn each_binding(
    module: &naga::Module,
    ty: naga::Handle<naga::Type>,
    binding: Option<&Binding>,
    see: &mut impl FnMut(&Binding, naga::Handle<naga::Type>),
) {
    match (binding, module.types.get_handle(ty).map(|ty| &ty.inner)) {
        (Some(binding), _) => see(binding, ty),
        (None, Ok(TypeInner::Struct { members, .. })) => {
            for member in members {
                if let Some(binding) = &member.binding {
                    see(binding, member.ty);
                }
            }
        }
        _ => {}
    }
}

/// Returns the bits of an array of clip distances.
fn distances(module: &naga::Module, ty: naga::Handle<naga::Type>) -> u8 {
    let count = match module.types.get_handle(ty).map(|ty| &ty.inner) {
        Ok(TypeInner::Array { size: naga::ArraySize::Constant(count), .. }) => count.get(),
        _ => 8,
    };
    u8::try_from((1u32 << count.min(8)).saturating_sub(1)).unwrap_or(u8::MAX)
}

impl ShaderModule {
    pub(crate) fn new(input: ShaderInput<'_>) -> Result<ShaderModule, ShaderError> {
        let ShaderInput::Naga(shader) = input else {
            return Err(ShaderError::Compilation(
                "only WGSL and naga modules are supported".into(),
            ));
        };
        let source = shader
            .debug_source
            .map(|source| (source.source_code.into_owned(), source.file_name.into_owned()));
        let module = Module::from_naga(shader.module.into_owned(), shader.info, source);
        Ok(ShaderModule(Arc::new(Shared { module, programs: Mutex::default() })))
    }

    /// Returns the program of a pipeline's stage. `depth` is the format of the depth buffer that
    /// a fragment program draws to.
    ///
    /// # Errors
    /// The translator or the driver refuses it.
    pub(crate) fn program(
        machine: &Arc<Machine>,
        layout: &PipelineLayout,
        stage: ShaderType,
        desc: &ProgrammableStage<'_, ShaderModule>,
        depth: Option<wgt::TextureFormat>,
    ) -> Result<Arc<Program>, PipelineError> {
        let index = stage_index(stage);
        let bindings = layout.bindings(index).cloned().unwrap_or_default();
        let mut sorted: Vec<_> = bindings.iter().map(|(at, slot)| (*at, *slot)).collect();
        sorted.sort_unstable();
        let mut constants: Vec<_> =
            desc.constants.iter().map(|(name, value)| (name.clone(), value.to_bits())).collect();
        constants.sort_unstable();
        let immediates = layout.immediates(index);
        let entry = desc.entry_point.to_owned();
        let depth_map = depth.and_then(formats::depth_map);
        let rounds_depth = depth_map.is_some();
        let key =
            Key { stage: index, entry, constants, bindings: sorted, immediates, rounds_depth };
        let shared = &desc.module.0;
        let programs = || shared.programs.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(program) = programs().get(&key) {
            return Ok(Arc::clone(program));
        }
        let options = Options {
            constants: desc.constants.clone(),
            bindings,
            immediates: Some(immediates),
            depth_map,
            unroll: UNROLL,
        };
        let program = Arc::new(shared.translate(machine, stage, desc.entry_point, &options)?);
        programs().insert(key, Arc::clone(&program));
        Ok(program)
    }
}

impl Shared {
    fn translate(
        &self,
        machine: &Arc<Machine>,
        stage: ShaderType,
        entry: &str,
        options: &Options,
    ) -> Result<Program, PipelineError> {
        let (flag, naga_stage) = match stage {
            ShaderType::Vertex => (wgt::ShaderStages::VERTEX, ShaderStage::Vertex),
            ShaderType::Fragment => (wgt::ShaderStages::FRAGMENT, ShaderStage::Fragment),
            _ => (wgt::ShaderStages::COMPUTE, ShaderStage::Compute),
        };
        let refused = |error: String| PipelineError::Linkage(flag, error);
        let translation = self.module.translate_stage(naga_stage, entry, options);
        let shader = translation.and_then(OwnedShader::try_from);
        let shader = shader.map_err(|error| match error.kind() {
            ErrorKind::Constants => PipelineError::PipelineConstants(flag, error.to_string()),
            _ => refused(error.to_string()),
        })?;
        let shared_memory = shader.interface.shared_memory;
        let handle = machine.create(|_, context| match stage {
            ShaderType::Compute => context.create_compute_state(&ComputeState {
                source: ShaderSource::Tokens(shader.tokens()),
                static_shared_mem: shared_memory,
                req_private_mem: 0,
                req_input_mem: 0,
            }),
            stage => context.create_shader_state(stage, &ShaderState::tokens(shader.tokens())),
        });
        let handle = handle.map_err(|error| refused(error.to_string()))?;
        let interface = &shader.interface;
        let immediates = interface.resources.iter().find(|it| it.binding.is_none());
        let mut program = Program {
            handle,
            stage,
            workgroup_size: interface.workgroup_size,
            attributes: interface.vertex_inputs.iter().map(|input| input.location).collect(),
            immediates: immediates.map(|it| it.slot),
            writes_depth: false,
            clip_distances: 0,
            machine: Arc::clone(machine),
        };
        self.look_at(naga_stage, entry, &mut program);
        Ok(program)
    }

    /// Finds the built-ins that fixed functions depend on.
    fn look_at(&self, stage: ShaderStage, entry: &str, program: &mut Program) {
        let module = self.module.naga();
        let is_wanted = |it: &&naga::EntryPoint| it.stage == stage && it.name == entry;
        let Some(entry) = module.entry_points.iter().find(is_wanted) else { return };
        if let Some(result) = &entry.function.result {
            each_binding(module, result.ty, result.binding.as_ref(), &mut |binding, ty| {
                match binding {
                    Binding::BuiltIn(BuiltIn::FragDepth) => program.writes_depth = true,
                    Binding::BuiltIn(BuiltIn::ClipDistances) => {
                        program.clip_distances = distances(module, ty);
                    }
                    _ => {}
                }
            });
        }
    }
}
