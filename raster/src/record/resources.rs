//! The resources that programs read: texture bindings, and copies of constants.

use os_shim::Vec;
use os_shim::memory::OutOfMemory;
use pipe_core::ShaderType;
use pipe_core::limits::MAX_SAMPLERS;
use tgsi::exec::{HANDLE, MemorySpace};
use tgsi::program::{Constant, ConstantSource, Program, Row, Uses};

use super::RecordError;
use crate::features::{DESKTOP, ES2, Only, SHADER_MEMORY, STAGES, TEXTURES};
use crate::profile::Profile;
use crate::resource::{Inputs, TextureBinding};
use crate::scene::{ConstantBlock, MAX_CONSTANT_BLOCKS, Scene};
use crate::state::{Bindings, Bound, Constants, View, bound_state};

/// Returns the views that a stage's program samples, with their units.
pub(crate) fn used_views<'a>(
    Bindings { objects, bound }: Bindings<'a, '_>,
    stage: ShaderType,
    program: &'a Program<'_>,
) -> impl Iterator<Item = (usize, &'a View)> {
    // A computed unit may be any unit.
    let computed = program.samples.iter().any(|sample| sample.view_row != Row::NONE);
    let views = bound.views.get(stage).into_iter().flatten().enumerate();
    let used = views.filter(move |(unit, _)| {
        computed || program.samplers.iter().any(|used| usize::from(used.view) == *unit)
    });
    used.filter_map(|(unit, view)| Some((unit, objects.views.get((*view)?)?)))
}

/// Returns the smallest sampler unit, at least `from`, that a program may use with the view unit
/// `view`.
fn next_sampler(program: &Program<'_>, view: usize, from: usize) -> Option<usize> {
    let named = program.samplers.iter().filter(|used| usize::from(used.view) == view);
    let named = named.map(|used| used.unit.into());
    let computed = program.samples.iter().filter_map(|sample| {
        let slots = [sample.view, sample.sampler].map(usize::from);
        // The handle of a slot names both view and sampler.
        let [first, sampler] = if sample.view == HANDLE { [0; 2] } else { slots };
        let beyond = view.checked_sub(first)?;
        match [sample.view_row, sample.sampler_row] {
            [Row::NONE, Row::NONE] => None,
            [of_view, of_sampler] if of_view == of_sampler => Some(sampler.saturating_add(beyond)),
            [Row::NONE, _] if beyond > 0 => None,
            [_, Row::NONE] => Some(sampler),
            _ => Some(sampler.max(from)),
        }
    });
    named.chain(computed).filter(|unit| (from..MAX_SAMPLERS).contains(unit)).min()
}

/// Appends the pairs of views and sampler states that a stage's program samples, then the pairs of
/// handles.
pub(crate) fn add_textures(
    textures: &mut Vec<'_, TextureBinding>,
    bindings: Bindings<'_, '_>,
    stage: ShaderType,
    program: &Program<'_>,
) -> Result<(), OutOfMemory> {
    if !TEXTURES {
        return Ok(());
    }
    let Bindings { objects, bound } = bindings;
    let Some(samplers) = bound.samplers.get(stage) else { return Ok(()) };
    for (unit, view) in used_views(bindings, stage, program) {
        let mut add = |sampler_unit: usize| {
            let sampler = samplers.get(sampler_unit).copied().flatten();
            textures.try_push(TextureBinding {
                unit: unit as u32,
                sampler_unit: Only::new(sampler_unit as u32),
                resource: view.resource,
                view: view.state,
                sampler: bound_state(&objects.samplers, sampler),
            })
        };
        if !ES2 {
            add(unit)?;
            continue;
        }
        let mut from = 0;
        while let Some(sampler_unit) = next_sampler(program, unit, from) {
            add(sampler_unit)?;
            from = sampler_unit + 1;
        }
    }
    if DESKTOP && program.uses.contains(Uses::BINDLESS) {
        objects.handles.add_textures(textures)?;
    }
    Ok(())
}

/// Returns the views that the vertex stages may sample.
pub(crate) fn vertex_views<'a>(bindings: Bindings<'a, '_>) -> impl Iterator<Item = &'a View> {
    let Bindings { objects, bound } = bindings;
    let views = VERTEX_STAGES.iter().filter_map(|stage| bound.views.get(*stage)).flatten();
    let handles = objects.handles.views().filter(move |_| vertex_uses_handles(bindings));
    views.flatten().filter_map(|view| objects.views.get(*view)).chain(handles)
}

/// The stages before the fragment stage that may sample textures.
const VERTEX_STAGES: &[ShaderType] = match (ES2, STAGES) {
    (true, true) => {
        &[ShaderType::Vertex, ShaderType::Geometry, ShaderType::TessCtrl, ShaderType::TessEval]
    }
    (true, false) => &[ShaderType::Vertex],
    (false, _) => &[],
};

/// Returns true if a program of the vertex stages uses bindless handles.
fn vertex_uses_handles(bindings: Bindings<'_, '_>) -> bool {
    let mut programs = VERTEX_STAGES.iter().filter_map(|stage| bindings.program(*stage));
    programs.any(|program| program.uses.contains(Uses::BINDLESS))
}

/// Returns the bytes of a stage's constant buffers.
pub(crate) fn stage_constants<'r>(
    bound: &'r Bound<'_>,
    stage: ShaderType,
    inputs: Inputs<'r, '_>,
) -> [&'r [u8]; MAX_CONSTANT_BLOCKS] {
    let mut constants: [&[u8]; MAX_CONSTANT_BLOCKS] = [&[]; _];
    for (slot, buffer) in constants.iter_mut().zip(bound.constants(stage)) {
        *slot = constant_bytes(buffer, inputs);
    }
    constants
}

/// Returns the bytes of a constant buffer.
fn constant_bytes<'a>(constants: &'a Constants<'_>, inputs: Inputs<'a, '_>) -> &'a [u8] {
    match constants {
        Constants::None => &[],
        Constants::User(bytes) => bytes,
        Constants::Resource { resource, offset, size } => {
            let bytes = inputs.bytes(*resource, 0);
            let end = offset.saturating_add(*size).min(bytes.len());
            bytes.get(*offset..end).unwrap_or(&[])
        }
    }
}

/// Copies the constants that a program reads: buffers may change before pixels are shaded.
///
/// Returns the range (first, count) of the copies in the scene's constants.
pub(super) fn record_constants<P: Profile>(
    scene: &mut Scene<'_, P>,
    buffers: &[Constants<'_>],
    program: Option<&Program<'_>>,
    inputs: Inputs<'_, '_>,
) -> Result<(u32, u32), RecordError> {
    let first = scene.constants.len() as u32;
    let Some(program) = program else { return Ok((first, 0)) };
    for (constants, words) in buffers.iter().zip(constant_words(program)) {
        let bytes = constant_bytes(constants, inputs);
        let words = words.min(bytes.len() / 4);
        let at = scene.reserve(words)?;
        for (word, bytes) in scene.arena.get_mut(at, words).iter_mut().zip(bytes.as_chunks().0) {
            *word = u32::from_ne_bytes(*bytes);
        }
        let block = ConstantBlock { at: at as u32, words: words as u32 };
        scene.constants.try_push(block)?;
    }
    Ok((first, scene.constants.len() as u32 - first))
}

/// Returns the number of words that a program reads from each constant buffer.
fn constant_words(program: &Program<'_>) -> [usize; MAX_CONSTANT_BLOCKS] {
    let mut accesses = program.memory.iter();
    let loads = SHADER_MEMORY && accesses.any(|access| access.space == MemorySpace::Constant);
    if loads || program.uses.contains(Uses::INDIRECT_CONSTANTS) {
        return [usize::MAX; MAX_CONSTANT_BLOCKS];
    }
    let mut words = [0; MAX_CONSTANT_BLOCKS];
    for constant in program.constants {
        if let Constant { source: ConstantSource::Buffer { buffer, word }, .. } = *constant
            && let Some(words) = words.get_mut(buffer as usize)
        {
            *words = (*words).max(word as usize + 1);
        }
    }
    words
}
